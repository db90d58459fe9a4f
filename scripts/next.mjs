// `npm run test:next` installs the tarballs in a Next.js project that is configured as docs/guide/production.md says.
// The project must build, and a route handler must run code that calls a tool. Not part of `npm test`: it takes a
// minute, and downloads 400 MB from npm.

import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { packageOf, thisPlatform } from './platforms.mjs';
import { fail, run, step } from './setup/report.mjs';

const PACKAGES = ['next@16.4.6', 'react@19.3.0', 'react-dom@19.3.0'];
const START_MS = 60_000;

const FILES = {
  'next.config.mjs': `export default { serverExternalPackages: ['ses-executor'] };`,
  'app/layout.js': `export default function Layout({ children }) { return <html><body>{children}</body></html>; }`,
  'app/page.js': `export default function Page() { return <p>A page</p>; }`,
  'app/find/route.js': `import { SESExecutor } from 'ses-executor';
import { createFileTools } from 'ses-executor/tools';

export const runtime = 'nodejs';
export const dynamic = 'force-dynamic';

export async function GET() {
  const executor = new SESExecutor({ autoInit: true });
  await executor.sendTools(createFileTools({ root: process.cwd() }));
  const { output } = await executor.run('(await find({ pattern: "next.config.mjs" })).content[0].text');
  await executor.cleanup();
  return Response.json({ output });
}`,
};

const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const folder = mkdtempSync(join(tmpdir(), 'ses-executor-next-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const next = [process.execPath, join(folder, 'node_modules', 'next', 'dist', 'bin', 'next')];
const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1' };

await done('tarballs', process.execPath, [join(root, 'scripts', 'pack.mjs'), folder]);
writeFileSync(join(folder, 'package.json'), '{ "private": true }');
for (const [name, text] of Object.entries(FILES)) {
  mkdirSync(join(folder, name, '..'), { recursive: true });
  writeFileSync(join(folder, name), text);
}
const tarballs = ['ses-executor', packageOf(thisPlatform())].map((name) => join(folder, `${name}-${version}.tgz`));
await done('npm packages', 'npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...PACKAGES, ...tarballs]);
await done('next build', next[0], [next[1], 'build']);
const output = await answerOf('/find');
if (output !== 'next.config.mjs') fail(`the route gave ${JSON.stringify(output)}`);
console.log(`${PACKAGES[0]}: it builds, and its route runs code that calls a tool`);

async function done(title, program, args) {
  const { status, output } = await step(title, () => run(program, args, { cwd: folder, env }));
  if (status !== 0) fail(`${title}: exit status ${status}\n${output}`);
}

/** What a route gives, of the server that is started for it. */
async function answerOf(path) {
  const server = spawn(next[0], [next[1], 'start', '--port', '0'], { cwd: folder, env });
  try {
    const address = await new Promise((resolve, reject) => {
      let said = '';
      const take = (text) => {
        said += text;
        const [found] = /http:\/\/localhost:\d+/.exec(said) ?? [];
        if (found !== undefined) resolve(found);
      };
      server.stdout.setEncoding('utf8').on('data', take);
      server.stderr.setEncoding('utf8').on('data', take);
      server.once('exit', () => reject(new Error(`next start has ended: ${said}`)));
      setTimeout(() => reject(new Error(`next start says nothing: ${said}`)), START_MS).unref();
    });
    const response = await fetch(`${address}${path}`);
    return response.ok ? (await response.json()).output : `${response.status} ${await response.text()}`;
  } finally {
    server.kill();
  }
}
