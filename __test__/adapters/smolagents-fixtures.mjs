// What the tests of `ses-executor/smolagents` share.

import { afterAll } from 'vitest';

import { createSmolagentsExecutor } from 'ses-executor/smolagents';

/** As `BaseTool` of smolagents-ts: fields of the instance, `forward` with one object. */
export class BaseTool {
  to_dict() {
    const properties = Object.fromEntries(Object.entries(this.inputs).map(([name, { type }]) => [name, { type }]));
    const { name, description } = this;
    return { type: 'function', function: { name, description, parameters: { type: 'object', properties } } };
  }
}

export class SearchTool extends BaseTool {
  name = 'search';
  description = 'Searches a list.';
  inputs = {
    query: { type: 'string', description: 'What to look for' },
    max_results: { type: 'integer', description: 'How many results at most', default: 2 },
    engine: { type: 'string', description: 'Engine', enum: ['fast', 'slow'], nullable: true },
  };
  output_type = 'array';
  calls = [];

  async forward(args) {
    this.calls.push(args);
    return ['a', 'b', 'c'].map((end) => args.query + end).slice(0, args.max_results);
  }
}

const executors = [];
afterAll(() => Promise.all(executors.map((executor) => executor.cleanup())));

/** An executor that is cleaned up in the end. */
export function create(options) {
  const executor = createSmolagentsExecutor(options);
  executors.push(executor);
  return executor;
}

/** `executor`, and the calls of its methods that are made through it, with copies of their arguments. */
export function recorded(executor) {
  const calls = [];
  const proxy = new Proxy(executor, {
    get(target, name) {
      const value = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...args) => {
        calls.push([name, ...structuredClone(args)]);
        return value.apply(target, args);
      };
    },
  });
  return { proxy, calls };
}
