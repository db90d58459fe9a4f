// Text that the generators write.

const WIDTH = 120;
/** What a line does not end in the middle of. */
const WORDS = /(?:`[^`]*`|\{@link[^}]*\}|\S)+/g;

export const HEADER = (table) =>
  `// Generated from lib/contract/${table} by scripts/generate.mjs. Do not edit: run \`npm run generate\`.\n`;

/** Paragraphs in lines that begin with `prefix` and end before the margin. */
export function wrapped(text, prefix, width = WIDTH) {
  return text
    .split('\n\n')
    .map((paragraph) => {
      const lines = [''];
      for (const word of paragraph.match(WORDS)) {
        const line = lines.at(-1) === '' ? word : `${lines.at(-1)} ${word}`;
        if (prefix.length + line.length <= width) lines[lines.length - 1] = line;
        else lines.push(word);
      }
      return lines.map((line) => `${prefix}${line}`).join('\n');
    })
    .join(`\n${prefix.trimEnd()}\n`);
}

/** A documentation comment of TypeScript. */
export function docComment(text, indent) {
  const line = `${indent}/** ${text} */`;
  if (!text.includes('\n') && line.length <= WIDTH) return line;
  return `${indent}/**\n${wrapped(text, `${indent} * `)}\n${indent} */`;
}

/** `50000` as people write it. */
export function numeral(value) {
  return value === Number.MAX_SAFE_INTEGER ? '2^53 - 1' : value.toLocaleString('en-US');
}

/** `67108864` as people say it, if there is a short way. */
export function byteCount(value) {
  for (const [unit, size] of [
    ['GiB', 1 << 30],
    ['MiB', 1 << 20],
    ['KiB', 1 << 10],
  ]) {
    if (value >= size && value % size === 0) return `${value / size} ${unit}`;
  }
  return undefined;
}

/** `maxOperations` in Rust. */
export function snakeCase(name) {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
