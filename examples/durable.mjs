// `npm run demo:durable`: an agent asks to pay, its process is killed, another process approves, and the program goes
// on after the call. The second process is killed, too, after the payment and before its answer is in the journal. The
// payment service knows the key of the call, so nothing is paid twice. The service is a file here; processes and
// journal are real.

import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { DurableSession, currentCall, durable, fileStore } from '../build/durable/index.js';

const PROGRAM = `
const offers = await search('coffee machine');
const best = offers.toSorted((a, b) => a.price - b.price)[0];
const receipt = await pay(best.price, best.shop);
({ bought: best, receipt })`;

const [role, folder] = process.argv.slice(2);
if (role === undefined) await showAll();
else await work(role);

/** The shop's side of a payment: one line per payment, by its key. */
function charge(key, amount, shop) {
  const path = join(folder, 'payments');
  const known = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
  if (known.some((line) => line.startsWith(`${key} `))) return `${key} was paid before`;
  appendFileSync(path, `${key} ${amount} EUR to ${shop}\n`);
  return `${key} is paid now`;
}

async function work(name) {
  const say = (text) => console.log(`  ${name}: ${text}`);
  const pay = async (amount, shop) => {
    const { key, attempt } = currentCall();
    say(`pay ${amount} EUR to ${shop}, attempt ${attempt}: ${charge(key, amount, shop)}`);
    if (name === 'second process') {
      say('killed before the answer is in the journal');
      process.kill(process.pid, 'SIGKILL');
      await new Promise(() => {});
    }
    return key;
  };
  const session = await DurableSession.open('order-7', {
    store: fileStore(join(folder, 'sessions')),
    keys: { sign: 'a key of this example' },
    tools: {
      search: async (words) => {
        say(`search ${words}`);
        return [{ shop: 'North', price: 120 }, { shop: 'South', price: 95 }]; // prettier-ignore
      },
      pay: durable(pay, { inDoubt: 'repeat' }),
    },
    executor: {
      onToolCall: ({ name: tool, args }) => (tool === 'pay' ? { wait: { amount: args[0], shop: args[1] } } : undefined),
    },
  });
  say(`the session is ${session.state}`);
  if (name === 'first process') {
    const { status, calls } = await session.start(PROGRAM);
    for (const { key, payload } of calls)
      say(`${status}: ${key} wants to pay ${payload.amount} EUR to ${payload.shop}`);
    say('killed');
    process.kill(process.pid, 'SIGKILL');
    await new Promise(() => {});
  }
  for (const { key } of session.waiting) say(`a person approves ${key}`);
  const approvals = Object.fromEntries(session.waiting.map(({ key }) => [key, { approve: true }]));
  const { status, output } = await session.answer(approvals);
  say(`${status}: ${JSON.stringify(output.output)}`);
  await session.cleanup();
}

async function showAll() {
  const place = mkdtempSync(join(tmpdir(), 'ses-executor-durable-'));
  try {
    console.log(`The program:\n${PROGRAM.replaceAll('\n', '\n  ')}\n`);
    for (const name of ['first process', 'second process', 'third process']) {
      await new Promise((resolve) => {
        spawn(process.execPath, [fileURLToPath(import.meta.url), name, place], { stdio: 'inherit' }).on(
          'exit',
          resolve,
        );
      });
    }
    console.log(`\nPayments:\n  ${readFileSync(join(place, 'payments'), 'utf8')}`);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}
