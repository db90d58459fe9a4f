// `sendTools`: what takes the place of what, and what is refused.

import { expect, test } from 'vitest';

import { rejection } from '../../helpers.mjs';

/** @param {import('./index.mjs').Subject} subject */
export function describeToolDefinition({ withExecutor }) {
  test('sendTools replaces tools of the same name and keeps the rest', async () => {
    await withExecutor({}, { a: () => 'a1', b: () => 'b1' }, async (executor) => {
      await executor.run('const kept = a; function through() { return a(); }');
      await executor.sendTools({ a: (x, y) => 'a2' + (x ?? '') + (y ?? ''), c: () => 'c1' });
      expect((await executor.run('[a(), b(), c(), a.length, through()]')).output).toStrictEqual([
        'a2',
        'b1',
        'c1',
        2,
        'a2',
      ]);
    });
  });

  test('a synchronous tool may become an asynchronous one, or a function a namespace, and vice versa', async () => {
    await withExecutor({}, { t: () => 1 }, async (executor) => {
      expect((await executor.run('t()')).output).toBe(1);
      await executor.sendTools({ t: async () => 2 });
      expect((await executor.run('const p = t(); return [p instanceof Promise, await p];')).output).toStrictEqual([
        true,
        2,
      ]);
      await executor.sendTools({ t: { inner: () => 3 } });
      expect((await executor.run('[typeof t, t.inner()]')).output).toStrictEqual(['object', 3]);
      await executor.sendTools({ t: () => 4 });
      expect((await executor.run('t()')).output).toBe(4);
    });
  });

  test('a tool called final_answer does not replace the built-in function', async () => {
    await withExecutor({}, { final_answer: () => "the host's" }, async (executor) => {
      const { output, is_final_answer: isFinal } = await executor.run('final_answer(1)');
      expect([output, isFinal]).toStrictEqual([1, true]);
    });
  });

  test('a tool replaces a variable of an earlier run', async () => {
    await withExecutor({}, {}, async (executor) => {
      await executor.run('let later = 1; const fixed = 2;');
      await executor.sendTools({ later: () => 'tool', fixed: () => 'tool too' });
      expect((await executor.run('[later(), fixed()]')).output).toStrictEqual(['tool', 'tool too']);
    });
  });

  test.each([
    [{ bad: 1 }, 'bad'],
    [{ Host: { deep: { bad: 'text' } } }, 'Host.deep.bad'],
    [{ bad: null }, 'bad'],
    [null, 'tools'],
    [[() => 1], 'tools'],
  ])('a tool that is not a function causes a TypeError that names the path: %j', async (tools, path) => {
    await withExecutor({}, {}, async (executor) => {
      const error = await rejection(executor.sendTools(tools));
      expect(error).toBeInstanceOf(TypeError);
      expect(error.message).toContain(path);
    });
  });
}
