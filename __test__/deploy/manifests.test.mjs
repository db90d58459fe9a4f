// The files of deploy/: valid for Kubernetes, and about the same things.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import Ajv from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';

import { kubernetesSchemasPath } from '../../scripts/setup/kubernetes.mjs';
import { ROOT, spawnNode, withFolder } from '../helpers.mjs';

const folder = join(ROOT, 'deploy');
const read = (path) => readFileSync(join(folder, path), 'utf8');
const manifests = readdirSync(join(folder, 'kubernetes')).flatMap((file) =>
  parseAllDocuments(read(`kubernetes/${file}`)).map((document) => ({ file, resource: document.toJS() })),
);
const find = (kind, name) =>
  manifests.find(({ resource }) => resource.kind === kind && resource.metadata.name === name).resource;

const schemas = JSON.parse(readFileSync(kubernetesSchemasPath(), 'utf8'));
const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
ajv.addSchema(schemas);

/** What is wrong with a resource. */
function mistakesOf({ apiVersion, kind, ...rest }) {
  const [version, group = ''] = apiVersion.split('/').reverse();
  const isIt = (type) => type.kind === kind && type.version === version && type.group === group;
  const [name] = Object.entries(schemas.$defs).find(([, schema]) =>
    schema['x-kubernetes-group-version-kind']?.some(isIt),
  ) ?? [undefined];
  if (name === undefined) return [`there is no ${kind} in ${apiVersion}`];
  const validate = ajv.compile({ $ref: `${schemas.$id}#/$defs/${name}` });
  if (validate({ apiVersion, kind, ...rest })) return [];
  return validate.errors.map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

describe('manifests', () => {
  test.each(manifests.map(({ file, resource }) => [file, resource.kind, resource.metadata.name, resource]))(
    'in %s: %s %s is valid',
    (file, kind, name, resource) => expect(mistakesOf(resource)).toStrictEqual([]),
  );

  test('with a field that does not exist, a wrong type, or an unknown version are detected', () => {
    const worker = structuredClone(find('Deployment', 'worker'));
    worker.spec.template.spec.containers[0].resourcs = {};
    worker.spec.template.spec.terminationGracePeriodSeconds = 'long';
    expect(mistakesOf(worker)).toStrictEqual([
      expect.stringMatching(/containers\/0 must NOT have additional properties .*resourcs/),
      expect.stringMatching(/terminationGracePeriodSeconds must be integer/),
    ]);
    expect(mistakesOf({ ...find('PodDisruptionBudget', 'worker'), apiVersion: 'policy/v1beta1' })).toStrictEqual([
      'there is no PodDisruptionBudget in policy/v1beta1',
    ]);
  });

  test('include those that the fleet needs, and kustomization.yaml names each file', () => {
    const kinds = manifests.map(({ resource }) => resource.kind);
    const needed = [
      'Deployment',
      'HorizontalPodAutoscaler',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'StatefulSet',
      'Service',
    ];
    for (const kind of needed) expect(kinds).toContain(kind);
    const { resources, configMapGenerator, secretGenerator } = parse(read('kustomization.yaml'));
    expect([...resources].sort()).toStrictEqual(
      readdirSync(join(folder, 'kubernetes'))
        .map((file) => `kubernetes/${file}`)
        .sort(),
    );
    expect(configMapGenerator[0].files).toStrictEqual(['broker.conf']);
    expect(secretGenerator[0].envs).toStrictEqual(['secrets.env']);
  });

  test('select the pods that exist', () => {
    const labels = manifests.flatMap(({ resource }) => resource.spec?.template?.metadata.labels ?? []);
    for (const { resource } of manifests) {
      const { selector, podSelector, scaleTargetRef } = resource.spec ?? {};
      const wanted =
        selector?.matchLabels ?? podSelector?.matchLabels ?? (resource.kind === 'Service' ? selector : undefined);
      if (wanted !== undefined) expect(labels).toContainEqual(wanted);
      if (scaleTargetRef !== undefined) expect(find(scaleTargetRef.kind, scaleTargetRef.name)).toBeDefined();
    }
  });

  test('give pods no rights, and time to drain', () => {
    for (const { resource } of manifests) {
      const pod = resource.spec?.template?.spec;
      if (pod === undefined) continue;
      expect(pod).toMatchObject({ automountServiceAccountToken: false, securityContext: { runAsNonRoot: true } });
      for (const { securityContext } of pod.containers) {
        expect(securityContext).toMatchObject({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
      }
    }
    const { spec } = find('Deployment', 'worker').spec.template;
    const { args } = spec.containers[0];
    expect(spec.terminationGracePeriodSeconds * 1000).toBeGreaterThan(Number(args[args.indexOf('--grace') + 1]));
  });

  test('use passwords that secrets.mjs makes, and broker.conf asks for no others', async () => {
    await withFolder(async (temporary) => {
      const path = join(temporary, 'secrets.env');
      const script = join(folder, 'secrets.mjs');
      expect((await spawnNode([script, path])).stdout).toBe(`wrote ${path}\n`);
      const made = readFileSync(path, 'utf8');
      expect((await spawnNode([script, path])).stdout).toBe(`kept ${path}\n`);
      expect(readFileSync(path, 'utf8')).toBe(made);
      const names = made
        .trim()
        .split('\n')
        .map((line) => /^(SES_\w+)=p[\da-f]{48}$/.exec(line)[1]);
      const asked = [...read('broker.conf').matchAll(/^[^#\n]*\$(SES_\w+)/gm)].map(([, name]) => name);
      expect(asked.sort()).toStrictEqual([...names].sort());
    });
  });
});

test('the Containerfile runs a worker that drains, as a user without rights', () => {
  const lines = read('Containerfile').split('\n');
  expect(lines.filter((line) => line.startsWith('FROM '))).toHaveLength(2);
  expect(lines).toContain('USER node');
  const [entry] = lines.filter((line) => line.startsWith('ENTRYPOINT '));
  // Without a shell, which would not pass SIGTERM on.
  expect(JSON.parse(entry.slice('ENTRYPOINT '.length))).toStrictEqual([
    'node',
    'node_modules/ses-executor/bin/ses-executor.js',
    'worker',
    '--listen',
    '0.0.0.0:9090',
  ]);
});
