// Random sessions: programs that mix everything whose order a guest can notice, and tools with random latencies.

/** A generator of random numbers: the same for the same seed. */
export function generatorOf(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Not from the generator: a replay has to do without the latencies. */
async function lag() {
  const chance = Math.random();
  if (chance < 0.3) return;
  if (chance < 0.5) await new Promise(setImmediate);
  else await new Promise((done) => setTimeout(done, Math.random() * 3));
}

async function failing(n) {
  await lag();
  throw Object.assign(new TypeError(`failing ${n}`), { code: `E${n}` });
}

/** Tools that are asynchronous, synchronous, one or the other, or that fail. */
export function randomTools() {
  return {
    a: async (n) => (await lag(), n),
    promised: (n) => lag().then(() => ({ n, list: [n] })),
    s: (n) => n + 1,
    failing,
    failingNow: (n) => {
      throw new RangeError(`failing ${n}`);
    },
    either: (n) => (Math.random() < 0.5 ? n : lag().then(() => n)),
    chance: async () => (await lag(), Math.random()),
    Db: {
      get: async (key) => (await lag(), new Map([[key, new Date(5)]])),
      rows: async (n) => (await lag(), Array.from({ length: n }, (_, id) => ({ id, value: Math.random() }))),
    },
  };
}

/** The first run of each session. `trace` gets the order of all continuations. */
export const FIRST = `
  const trace = [];
  const traced = async (name, work) => {
    trace.push('<' + name); const x = await work(); trace.push('r' + name); await null; trace.push('s' + name);
    await null; await null; trace.push('>' + name); return x;
  };
  const state = {
    kept: {}, made: [], sets: [],
    numbers: (function* () { let i = 0; for (;;) yield i++; })(),
    counter: ((count) => () => ++count)(0),
    bump: async (n) => { const x = await a(n); trace.push('b' + n); return x + 1; },
    async *stream(n) { for (let i = 0; i < n; i++) { yield await either(i); trace.push('y' + i); } },
    Base: class { #own; constructor(own) { this.#own = own; } async base() { return [this.#own, await chance()]; } },
  };
  undefined`;

/** What `FIRST` has made: also the closure, the generator and the random numbers. */
const STATE = `[trace, state.kept, state.made.length, state.sets.map((set) => [...set]), state.counter(), state.numbers.next()]`;

/**
 * A program whose output shows whether two sessions are in the same state. Some of what `FIRST` and the programs
 * declare may be missing. It calls no tool, so it leaves out what getters return.
 *
 * @param {string[]} programs
 */
export function probeOf(programs) {
  const names = new Set(programs.flatMap((program) => program.match(/\b(?:v|again)\d+_\d+\b/g)));
  const reads = Array.from(names, (name) => `${name}: () => ${name}`);
  return `JSON.stringify([
    typeof trace === 'undefined' ? [] : ${STATE},
    Math.random(),
    Object.entries({ ${reads.join(', ')} }).map(([name, read]) => {
      try {
        const value = read();
        if (typeof value !== 'object' || value === null) return [name, typeof value, String(value)];
        if (value instanceof Set || value instanceof Map) return [name, [...value]];
        const properties = Object.entries(Object.getOwnPropertyDescriptors(value));
        return [name, properties.map(([key, { value, get }]) => [key, value, typeof get])];
      } catch (error) {
        return [name, error.message];
      }
    }),
  ])`;
}

/**
 * @param {() => number} random
 * @param {number} step number of the program in its session
 */
export function programOf(random, step) {
  const int = (n) => Math.floor(random() * n);
  const one = (...choices) => choices[int(choices.length)]();
  const expression = (depth) => {
    const n = int(100);
    const inner = () => expression(depth - 1);
    const leaf = () =>
      one(
        () => `a(${n})`,
        () => `promised(${n})`,
        () => `either(${n})`,
        () => 'chance()',
        () => `Db.get('k${n}')`,
        () => `Db.rows(${int(4)})`,
        () => `Promise.resolve(${n})`,
        () => `state.bump(${n})`,
      );
    if (depth <= 0) return leaf();
    return one(
      leaf,
      leaf,
      () => `Promise.all([${inner()}, ${inner()}, ${inner()}])`,
      () => `Promise.race([${inner()}, ${inner()}])`,
      () =>
        `Promise.allSettled([${inner()}, failing(${n}), ${inner()}]).then((x) => x.map((y) => y.status + y.reason?.message))`,
      () => `Promise.any([failing(${n}), ${inner()}, ${inner()}])`,
      () => `traced('${n}', () => ${inner()})`,
      () => `traced('${n}', () => ${inner()})`,
      () =>
        `(async () => { try { return await failing(${n}) } catch (e) { return e.message + e.code } finally { trace.push('f${n}') } })()`,
      () => `(async () => { const x = await ${inner()}; trace.push('x${n}'); return [x, s(${n})] })()`,
    );
  };
  const statement = (name) => {
    const n = int(50);
    return one(
      () => `const ${name} = await ${expression(2)}; trace.push(${name}); state.kept.${name} = ${name};`,
      () => `const ${name} = await ${expression(3)}; console.log('${name}', ${name});`,
      () => {
        const calls = Array.from({ length: 2 + int(5) }, (_, i) =>
          one(
            () => `traced('${i}', () => a(${i}))`,
            () => `traced('${i}', () => either(${i}))`,
            () => `traced('${i}', () => promised(${i}))`,
          ),
        );
        return `const ${name} = await Promise.all([${calls.join(', ')}]); console.log(trace.join(' '));`;
      },
      () => `const ${name} = []; for await (const x of state.stream(${1 + int(3)})) ${name}.push(x);`,
      () => `let ${name}; try { ${name} = failingNow(${n}) } catch (e) { ${name} = [e.name, e.message, e.stack] }`,
      () => `const ${name} = { get x() { return s(${n}) }, y: await ${expression(1)} }; console.log({ ...${name} });`,
      () => `const ${name} = state.numbers.next().value + state.counter(); trace.push(${name});`,
      () =>
        `class C${name} extends state.Base { async go() { return [await this.base(), await ${expression(1)}] } }
         const ${name} = await new C${name}(${n}).go(); state.made.push(new C${name}(${n}));`,
      () => `a(${n}); promised(${n + 1}); const ${name} = await a(${n + 2});`,
      () =>
        `console.log('before'); const ${name} = [a(${n}), console.log('between'), s(${n}), promised(${n})];
         console.log('after'); ${name}[3] = await ${name}[3];`,
      () => `const ${name} = await Promise.all(state.made.slice(-2).map((made) => made.go()));`,
      () => `const ${name} = [Date.now(), Math.random(), new Date().toISOString()]; trace.push(${name}.join(':'));`,
      () => `const ${name} = Date.now(); await ${expression(1)}; console.log(Date.now() - ${name}, Math.random());`,
      () =>
        `console.time('t'); await a(1); console.timeEnd('t'); const ${name} = [4, 2, 3].sort(() => Math.random() - 0.5);`,
      () =>
        `interface I${name} { q: number } const ${name}: I${name} = { q: s(${n}) as number }; console.log(await a(${name}.q));`,
      () => `const ${name} = new Set(await Promise.all([a(3), a(1), either(2)])); state.sets.push(${name});`,
    );
  };
  const names = Array.from({ length: 1 + int(4) }, (_, i) => `v${step}_${i}`);
  const statements = names.map(statement);
  const end = random();
  const last = [
    [0.06, () => `await failing(${int(9)})`],
    [0.1, () => `failingNow(${int(9)})`],
    [0.14, () => `throw new Error('own ' + trace.length)`],
    [0.18, () => `final_answer(await ${expression(1)})`],
    [0.22, () => 'missing.x'],
    [0.26, () => `trace.push(await traced('q', () => ${expression(1)})); failing(1); trace.slice(-5)`],
    [0.3, () => `Promise.all([traced('z', () => a(1)), failing(2)])`],
    [1, () => `[trace.slice(-12), ${names.at(-1)}]`],
  ].find(([until]) => end < until)[1];
  return `${statements.join('\n')}\n${last()}`;
}

/** What a caller sees of a run. */
export async function factsOf(running) {
  try {
    const { output, logs, is_final_answer: isFinal, stats } = await running;
    return { output, logs, isFinal, operations: stats.operations, toolCalls: stats.toolCalls };
  } catch (error) {
    if (error.logs === undefined) throw error;
    return { code: error.code, message: error.message, details: error.details, logs: error.logs };
  }
}
