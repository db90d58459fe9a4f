// `npm run deploy:secrets`: writes deploy/secrets.env, with a password for each user of broker.conf, unless it exists.

import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const NAMES = ['SES_WORKER_PASSWORD', 'SES_OPERATOR_PASSWORD', 'SES_ACME_PASSWORD', 'SES_GLOBEX_PASSWORD'];

const [, , path = fileURLToPath(new URL('secrets.env', import.meta.url))] = process.argv;
// They begin with a letter: the broker would read others as numbers.
const lines = NAMES.map((name) => `${name}=p${randomBytes(24).toString('hex')}\n`);
try {
  writeFileSync(path, lines.join(''), { mode: 0o600, flag: 'wx' });
  console.log(`wrote ${path}`);
} catch (error) {
  if (error.code !== 'EEXIST') throw error;
  console.log(`kept ${path}`);
}
