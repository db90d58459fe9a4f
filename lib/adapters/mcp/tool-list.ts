import { ToolSchema } from '../../bundled/mcp';
import { WorkBudget, inSlices } from '../../contract/budget';
import { describe, isPlainObject } from '../../contract/describe';
import { textOf } from './messages';
import type { Foreign } from '../../contract/foreign';

const MAX_PAGES = 1_000;
const MAX_TOOLS = 2_000;
/** Maximum number of values in the description of one tool, and of characters in its strings and names. */
const MAX_TOOL_PARTS = 20_000;
const MAX_TOOL_CHARS = 256 << 10;
/** Maximum number of characters of all tools. */
const MAX_CHARS = 8 << 20;
const MAX_CURSOR_CHARS = 64 << 10;
/** Budget steps for the SDK's check of one tool. The clock is checked after each tool. */
const STEPS_PER_TOOL = 64;

/** Collects the tools that a server lists, page by page. A list that has no end or is too large causes an error. */
export class ToolList {
  tools: Foreign[] = [];
  /** Tools that do not conform to the protocol, or whose descriptions are too large. */
  refused: { tool: string; reason: string }[] = [];
  /** Cursor of the next page. Undefined if there is none. */
  cursor: string | undefined;
  #pages = 0;
  #chars = 0;

  /**
   * Checks a page in slices and adds its tools.
   *
   * @throws {Error}
   */
  async add(page: Foreign) {
    if (!isPlainObject(page) || !Array.isArray(page.tools)) {
      throw new Error('its answer is not valid: tools: Invalid input: expected array');
    }
    if (this.tools.length + this.refused.length + page.tools.length > MAX_TOOLS)
      throw new Error(`it lists more than ${MAX_TOOLS} tools`);
    this.#takeCursor(page.nextCursor);
    const budget = new WorkBudget();
    await inSlices(this.#checking(page.tools, budget), budget);
  }

  *#checking(tools: Foreign[], budget: WorkBudget) {
    for (const tool of tools) {
      const chars = charsOf(tool);
      if (chars === undefined) {
        this.refused.push({ tool: nameOf(tool), reason: 'its description is too long' });
      } else {
        this.#chars += chars;
        if (this.#chars > MAX_CHARS)
          throw new Error(`the descriptions of its tools have more than ${MAX_CHARS} characters`);
        this.#take(tool);
      }
      budget.spend(STEPS_PER_TOOL);
      if (budget.shouldPause) yield;
    }
  }

  #take(tool: unknown) {
    const { data, error } = ToolSchema.safeParse(tool);
    const reason = error === undefined ? reasonAgainst(data) : textOf(error, 'its description');
    if (reason === undefined) this.tools.push(data);
    else this.refused.push({ tool: nameOf(tool), reason });
  }

  #takeCursor(cursor: unknown) {
    this.cursor = undefined;
    if (cursor === undefined) return;
    if (typeof cursor !== 'string' || cursor.length > MAX_CURSOR_CHARS) {
      throw new Error(
        `its answer is not valid: nextCursor: must be a string of at most ${MAX_CURSOR_CHARS} characters`,
      );
    }
    if (++this.#pages >= MAX_PAGES) throw new Error(`it lists its tools on more than ${MAX_PAGES} pages`);
    this.cursor = cursor;
  }
}

/** Number of characters in a tool's description. Undefined if there are too many characters or parts. */
function charsOf(tool: unknown) {
  let chars = 0;
  let parts = 0;
  const open = [tool];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === 'string') chars += value.length;
    else if (typeof value === 'object' && value !== null) {
      for (const key in value) {
        chars += key.length;
        if (++parts > MAX_TOOL_PARTS) return undefined;
        open.push((value as Foreign)[key]);
      }
    }
    if (chars > MAX_TOOL_CHARS) return undefined;
  }
  return chars;
}

function reasonAgainst({ name }: Foreign) {
  return name === '' ? 'it has no name' : undefined;
}

function nameOf(tool: Foreign) {
  return typeof tool?.name === 'string' ? describe(tool.name) : '(without a name)';
}
