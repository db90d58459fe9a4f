import { memoryStore, DurableSession } from 'ses-executor/durable';
import { FIRST, factsOf, generatorOf, programOf, randomTools } from '/work/w/journal/__test__/durable/programs.mjs';
const all = async (it) => { const r=[]; for await (const x of it) r.push(x); return r; };
const ex = (isolation) => ({ isolation, timeoutMs: 20_000, maxOperations: 1e6 });
const open=(id,o)=>DurableSession.open(id,o);
async function record(store, seed, place) {
  const random = generatorOf(seed);
  const session = await open('s', { store, tools: randomTools(), variables: { conf: { n: seed, list: [1, 2, 3] } }, executor: ex(place) });
  await session.run(FIRST);
  const programs = Array.from({ length: 3 + Math.floor(random() * 6) }, (_, i) => programOf(random, i + 1));
  for (const program of programs) await factsOf(session.run(program));
  await session.cleanup();
  return { programs };
}
let bad=0;
for (let seed=+process.argv[2]; seed<+process.argv[2]+ +process.argv[3]; seed++) {
  const random = generatorOf(seed ^ 0x5eed);
  const store = memoryStore();
  const { programs } = await record(store, seed, 'thread');
  const entries = await all(store.read('s'));
  for (let k=0;k<+(process.argv[4]??3);k++){
  const at=1 + Math.floor(random() * (entries.length - 1));
  const cut = memoryStore();
  cut.append('s', 0, entries.slice(0, at));
  const options = { store: cut, tools: randomTools(), executor: ex('thread') };
  let stage='open', session;
  try {
    session = await open('s', options);
    stage='answer';
    if (session.state === 'WAITING') {
      const approvals = Object.fromEntries(session.waiting.map(({ key }) => [key, { approve: true }]));
      await factsOf(session.answer(approvals).then(({ output }) => output));
    }
    stage='reopen1'; await session.cleanup();
    session = await open('s', options);
    await session.cleanup();
  } catch (e) {
    bad++;
    console.log('seed',seed,'at',at,'of',entries.length,stage,e.message,JSON.stringify(e.details));
    if (process.argv[5]) {
      let n=0; const v=new DurableSession('s',{store:cut},{});
      for await (const e2 of v.history()) { if (e2.number>=at-14) console.log(JSON.stringify(e2).slice(0,400)); }
    }
    if (bad>2) process.exit();
  }
  }
}
console.log('done',bad);
process.exit();
