/** A middleware of `langchain`. */
export interface CodeMiddleware {
  name: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- declarations of LangChain depend on the module format
  tools: any;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- as above
  stateSchema: any;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- as above
  wrapToolCall: any;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- as above
  beforeAgent: any;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- as above
  afterAgent: any;
  /** Cleans up the executors of all sessions. Later calls open them again. */
  cleanup(): Promise<void>;
}
