// The workflows of .github/ build the platforms that the package declares, with commands that exist.

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';
import { parse } from 'yaml';

import { PLATFORMS, packageOf } from '../../scripts/platforms.mjs';
import { ROOT } from '../helpers.mjs';

const FOLDER = join(ROOT, '.github/workflows');
const workflows = readdirSync(FOLDER).map((name) => [name, parse(readFileSync(join(FOLDER, name), 'utf8'))]);
const { jobs } = workflows.find(([name]) => name === 'release.yml')[1];

test('a release builds and tests each platform on a machine of that platform', () => {
  const built = jobs.platform.strategy.matrix.include;
  expect(built).toStrictEqual(PLATFORMS.map(({ name, runner }) => ({ platform: name, runner })));
  expect(commandsOf(jobs.platform)).toStrictEqual(expect.arrayContaining(['npm test']));
  expect(jobs.install.strategy.matrix.runner).toStrictEqual(PLATFORMS.map(({ runner }) => runner));
});

test('a release publishes the installed packages, with provenance, for tags only', () => {
  expect([jobs.package.needs, jobs.install.needs, jobs.publish.needs]).toStrictEqual([
    'platform',
    'package',
    'install',
  ]);
  expect(jobs.publish.if).toBe("startsWith(github.ref, 'refs/tags/v')");
  expect(jobs.publish.permissions['id-token']).toBe('write');
  expect(commandsOf(jobs.publish).join('\n')).toContain('npm publish "$tarball" --provenance --access public');
});

test('the documentation has a row for each platform', () => {
  const rows = readFileSync(join(ROOT, 'docs/reference/platforms.md'), 'utf8').match(
    /(?<=^\| .*)`ses-executor-[a-z0-9-]+`(?=.*\| (?:yes|no) )/gm,
  );
  expect(rows).toStrictEqual(PLATFORMS.map((platform) => `\`${packageOf(platform)}\``));
});

test.each(workflows)('%s calls existing scripts', (_, workflow) => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  for (const command of Object.values(workflow.jobs).flatMap(commandsOf)) {
    for (const [, name] of command.matchAll(/\bnpm run (\S+)/g)) expect(scripts).toHaveProperty([name]);
    if (/^\.\S+$/.test(command)) expect(existsSync(join(ROOT, command)), command).toBe(true);
  }
});

/** The commands of a job. */
function commandsOf({ steps }) {
  return steps.flatMap(({ run }) => run ?? []);
}
