// Accounts and users as JWT, as operators of NATS make them with `nsc`, for tests.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { nkeys } from '@nats-io/transport-node';

const UNLIMITED = { subs: -1, data: -1, payload: -1 };
const ACCOUNT_LIMITS = { ...UNLIMITED, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 };
const STREAM_LIMITS = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 };

/**
 * Writes the configuration of a broker that only lets in users of an account with a file of credentials.
 *
 * @param lines further lines of the configuration
 * @returns the paths of both files
 */
export function writeJwtConfig(folder, lines = []) {
  const [operator, system, account, user] = ['Operator', 'Account', 'Account', 'User'].map((kind) =>
    nkeys[`create${kind}`](),
  );
  const jwtOf = (issuer, subject, name, nats) => sign(issuer, { sub: subject.getPublicKey(), name, nats });
  const accountOf = (key, name, limits) =>
    jwtOf(operator, key, name, { type: 'account', version: 2, limits: { ...ACCOUNT_LIMITS, ...limits } });
  const config = join(folder, 'jwt.conf');
  writeFileSync(
    config,
    [
      'host: 127.0.0.1',
      `operator: ${jwtOf(operator, operator, 'operator', { type: 'operator', version: 2 })}`,
      `system_account: ${system.getPublicKey()}`,
      'resolver: MEMORY',
      'resolver_preload: {',
      `  ${system.getPublicKey()}: ${accountOf(system, 'SYS', {})}`,
      `  ${account.getPublicKey()}: ${accountOf(account, 'TENANT', STREAM_LIMITS)}`,
      '}',
      ...lines,
    ].join('\n'),
  );
  const token = jwtOf(account, user, 'user', { type: 'user', version: 2, pub: {}, sub: {}, ...UNLIMITED });
  const seed = new TextDecoder().decode(user.getSeed());
  const credentials = join(folder, 'user.creds');
  const part = (name, text) => `-----BEGIN ${name}-----\n${text}\n------END ${name}------\n`;
  writeFileSync(credentials, `${part('NATS USER JWT', token)}\n${part('USER NKEY SEED', seed)}`, { mode: 0o600 });
  return { config, credentials };
}

function sign(issuer, claims) {
  const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const body = { jti: claims.sub, iat: Math.floor(Date.now() / 1000), iss: issuer.getPublicKey(), ...claims };
  const text = `${encode({ typ: 'JWT', alg: 'ed25519-nkey' })}.${encode(body)}`;
  return `${text}.${Buffer.from(issuer.sign(new TextEncoder().encode(text))).toString('base64url')}`;
}
