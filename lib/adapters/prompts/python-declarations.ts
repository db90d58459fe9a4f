import { CUT, declarationsWithin, functionLines } from '../../catalog/type-declarations';
import { readDefinition } from './definition';
import { docstringOf, headOf } from './python-signature';
import type { DeclaredFunction, Declarations, TypeWriter } from '../../catalog/type-declarations';

const NOTE = 'in TypeScript notation';

/**
 * Declares functions in Python. Annotations cannot express the keys of objects, so docstrings have the types of
 * TypeScript. Types that `$ref` point to have names, and are declared once, in comments.
 */
export function pythonDeclarations(functions: readonly DeclaredFunction[], maxChars: number): Declarations {
  return declarationsWithin(maxChars, functions.length, (writer) => {
    const declared = functions.map((it) => functionText(it, writer));
    const types = writer.types();
    const notes = [
      ...(types.length === 0 ? [] : [`Types, ${NOTE}:`, ...types.flatMap((text) => text.split('\n'))]),
      ...(writer.isCut ? [CUT] : []),
    ];
    return [...declared, ...(notes.length === 0 ? [] : [notes.map((line) => `# ${line}`).join('\n')])].join('\n\n');
  });
}

function functionText(declared: DeclaredFunction, writer: TypeWriter) {
  const { name, input, output } = declared;
  if (input === undefined) return `def ${name}(*args, **kwargs): ...`;
  const head = headOf(readDefinition({ name, inputSchema: input, outputSchema: output }));
  const types = [writer.parameters(input), `returns: ${writer.type(output)}`].filter((text) => text !== '');
  const lines = [...functionLines(declared), '', `Arguments and result, ${NOTE}:`, ...types];
  return `${head}\n${docstringOf(lines.join('\n').trim().split('\n'))}`;
}
