// The broker of deploy/ with its two tenants.

import { join } from 'node:path';

import { connect } from '@nats-io/transport-node';
import { onTestFinished } from 'vitest';

import { openBroker } from '../broker.mjs';
import { ROOT } from '../helpers.mjs';

export const PASSWORDS = {
  worker: 'password-of-the-workers',
  operator: 'password-of-the-operator',
  acme: 'password-of-acme',
  globex: 'password-of-globex',
};

/** The broker of a configuration in deploy/, with the passwords above. */
export function openDeployed(config = 'broker.conf', env = {}) {
  const passwords = Object.entries(PASSWORDS).map(([user, password]) => [
    `SES_${user.toUpperCase()}_PASSWORD`,
    password,
  ]);
  return openBroker({
    config: join(ROOT, 'deploy', config),
    env: { ...Object.fromEntries(passwords), ...env },
  });
}

/** The address with the user and password of somebody. */
export function addressOf(broker, user, scheme = 'nats') {
  return `${scheme}://${user}:${PASSWORDS[user]}@127.0.0.1:${broker.port}`;
}

/** A connection of somebody, and the errors that the broker has sent to it. */
export async function connectAs(broker, user, options = {}) {
  const connection = await connect({ servers: broker.url, user, pass: PASSWORDS[user], reconnect: false, ...options });
  onTestFinished(() => connection.close());
  const errors = [];
  void (async () => {
    for await (const { type, error } of connection.status()) if (type === 'error') errors.push(error.message);
  })();
  return { connection, errors };
}
