// Wheels, as build tools make them, with Python's own zipfile.

import { basename, join } from 'node:path';

import { PyodideExecutor } from '../../build/python/index.js';

const BUILD = `
import base64, hashlib, zipfile

def build(path, info, files, changed=()):
    rows = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, content in files.items():
            if isinstance(content, list):
                content = content[0] + bytes(content[1])
            content = content.encode() if isinstance(content, str) else content
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            rows.append(f"{name},sha256={digest},{len(content)}")
            wheel.writestr(name, content + b"#" if name in changed else content)
        rows.append(f"{info}/RECORD,,")
        wheel.writestr(f"{info}/RECORD", "\\n".join(rows))
`;

/**
 * Builds wheels in a folder.
 *
 * @param {string} folder
 * @param {{ name: string, version: string, tag?: string, files: Record<string, string | Uint8Array | [Uint8Array,
 *   number]>, changed?: string[] }[]} wheels
 * files by their paths, which may have zeros at their ends; `changed`: those that are not what the wheel's own list
 * says
 * @returns {Promise<string[]>} paths
 */
export async function buildWheels(folder, wheels) {
  const builder = new PyodideExecutor([], { workDir: folder, mountPoint: '/wheels' });
  await builder.sendTools({}, { build: BUILD });
  const paths = [];
  for (const { name, version, tag = 'py3-none-any', files, changed = [] } of wheels) {
    const path = join(folder, `${name}-${version}-${tag}.whl`);
    const info = `${name}-${version}.dist-info`;
    const metadata = `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n\nA description: with colons.\n`;
    const all = { ...files, [`${info}/METADATA`]: metadata, [`${info}/WHEEL`]: `Wheel-Version: 1.0\nTag: ${tag}\n` };
    await builder.sendVariables({ made: [`/wheels/${basename(path)}`, info, all, changed] });
    await builder.run('build(*made)');
    paths.push(path);
  }
  await builder.cleanup();
  return paths;
}

const section = (/** @type {number} */ id, /** @type {number[]} */ body) => [id, body.length, ...body];
const text = (/** @type {string} */ value) => [value.length, ...Buffer.from(value)];
const HEAD = [0, 97, 115, 109, 1, 0, 0, 0];
const I32 = 127;
const FUNCTION = 0;
const [LOCAL_GET, I32_ADD, CALL, END] = [0x20, 0x6a, 0x10, 0x0b];

/** A library with `add(a, b)`, and `twice(n)`, which calls `getpid` of the main module: adapters are made for such. */
export const LIBRARY = new Uint8Array([
  ...HEAD,
  // Subsection 1: sizes and alignments of memory and table, none.
  ...section(0, [...text('dylink.0'), 1, 4, 0, 0, 0, 0]),
  ...section(1, [2, 0x60, 2, I32, I32, 1, I32, 0x60, 0, 1, I32]),
  ...section(2, [1, ...text('env'), ...text('getpid'), FUNCTION, 1]),
  ...section(3, [2, 0, 1]),
  ...section(7, [2, ...text('add'), FUNCTION, 1, ...text('pid'), FUNCTION, 2]),
  ...section(10, [2, 7, 0, LOCAL_GET, 0, LOCAL_GET, 1, I32_ADD, END, 4, 0, CALL, 0, END]),
]);

/**
 * The same with so many zeros at its end, which say nothing.
 *
 * @param {number} count
 * @returns {[Uint8Array, number]}
 */
export function libraryOf(count) {
  const length = [0, 7, 14, 21].map((shift) => ((count + 2) >> shift) & 127);
  return [
    new Uint8Array([...LIBRARY, 0, ...length.map((part, at) => (at < 3 ? part | 128 : part)), ...text('x')]),
    count,
  ];
}

/** The same without being anybody's library. */
export const OTHER_LIBRARY = new Uint8Array([...LIBRARY, ...section(0, text('other'))]);
