import type { RestoringStep } from './plain-data';
import type { LeftOut } from './types';

// The top-level variables of a session of Python whose values are plain data, and code that declares them in another
// isolate. Code uses no names of built-ins, because programs may have replaced them.

/** Part of a value: a kind, and what it consists of. Numbers in lists are those of other parts. */
type Part = [kind: string, ...content: unknown[]];

/** Variables of a session. */
export interface PythonData {
  /** the numbers of their values */
  variables: Map<string, number>;
  parts: Part[];
  leftOut: LeftOut[];
}

/** Of an isolate in which nothing was declared. */
export const NO_PYTHON_DATA: PythonData = { variables: new Map(), parts: [], leftOut: [] };

/** Guest code whose value is what {@link namesIn} reads: the names of all variables. */
export const NAMING_CODE = 'dir()';

/** Names in the code below, and names that a session of Python has. */
const RESERVED = /^(?:__.*|final_answer|_ses_.*)$/s;

/** @param tools top-level names of tools */
export function namesIn(output: unknown, tools: readonly string[]): string[] {
  const names = (output as unknown[]).filter((name): name is string => typeof name === 'string');
  return names.filter((name) => !RESERVED.test(name) && !tools.includes(name));
}

/**
 * Guest code whose value is what {@link readPythonData} reads. Plain data are numbers, strings, bytes, `None`, and
 * lists, tuples, dicts and sets of plain data. Values of subclasses are not.
 */
export function readingPython(names: readonly string[]): string {
  return `
def _ses_read(variables):
    T = ().__class__.__class__
    O = T.__mro__[-1]
    kinds = {T(None): "n", T(True): "o", T(0): "i", T(0.5): "f", T(0j): "c", T(""): "s", T(b""): "b", T([]): "l", T(()): "t",
        T({}): "d", T({0}): "e"}
    parts, numbers = [], {}
    def reason_of(value, depth, seen):
        key = O.__repr__(value)
        if key in seen:
            return ""
        seen[key] = value
        kind = kinds.get(T(value)) or special(value)
        if kind is None:
            return f"a value of type '{T(value).__name__}'"
        if depth > 200:
            return "nested too deeply"
        if kind == "s":
            try:
                value.encode()
            except:
                return "a string with lone surrogates"
        inner = ([part for pair in value.items() for part in pair] if kind in "dD" else [*value] if kind in "ltez" else ())
        for part in inner:
            reason = reason_of(part, depth + 1, seen)
            if reason:
                return reason
        return ""
    def special(value):
        kind = T(value)
        if kind.__module__ == "builtins" and kind.__name__ == "frozenset":
            return "z"
        # What the host has sent as an object.
        if kind.__module__ == "builtins" and kind.__name__ == "dict" and kind.__mro__[1] is T({}):
            return "D"
        return None
    def number_of(value):
        key = O.__repr__(value)
        if key in numbers:
            return numbers[key]
        number = numbers[key] = parts.__len__()
        kind = kinds.get(T(value)) or special(value)
        part = [kind]
        parts.append(part)
        if kind in "oi":
            part.append(f"{value:d}")
        elif kind == "f":
            part.append(value.hex())
        elif kind == "c":
            part.extend((value.real.hex(), value.imag.hex()))
        elif kind == "s":
            part.append(value)
        elif kind == "b":
            part.append(value.hex())
        elif kind in "dD":
            for pair in [*value.items()]:
                part.extend((number_of(pair[0]), number_of(pair[1])))
        elif kind != "n":
            for each in [*value]:
                part.append(number_of(each))
        return number
    found, left_out = [], []
    for name, value in variables:
        reason = reason_of(value, 0, {})
        if reason:
            left_out.append([name, reason])
        else:
            found.append([name, number_of(value)])
    return [found, parts, left_out]
_ses_read([${names.map((name) => `(${JSON.stringify(name)}, ${name})`).join(', ')}])`;
}

/** @param output of {@link readingPython} */
export function readPythonData(output: unknown): PythonData {
  const [found, parts, leftOut] = output as [[string, number][], Part[], [string, string][]];
  return { variables: new Map(found), parts, leftOut: leftOut.map(([name, reason]) => ({ name, reason })) };
}

/** Declares variables in an isolate that has none. */
export function restoringPython({ variables, parts }: Pick<PythonData, 'variables' | 'parts'>): RestoringStep[] {
  const code = `
def _ses_restore(sent):
    parts, Data = sent["parts"], type(sent)
    read = {"n": lambda: None, "o": lambda n: n == "1", "i": int, "f": float.fromhex, "s": str, "b": bytes.fromhex,
        "c": lambda real, imag: complex(float.fromhex(real), float.fromhex(imag))}
    empty = {"l": list, "d": dict, "D": Data, "e": set}
    made = {}
    for number, (kind, *content) in enumerate(parts):
        if kind in read:
            made[number] = read[kind](*content)
        elif kind in empty:
            made[number] = empty[kind]()
    def value_of(number):
        if number not in made:
            kind, *inner = parts[number]
            made[number] = (tuple if kind == "t" else frozenset)([value_of(each) for each in inner])
        return made[number]
    for number, (kind, *inner) in enumerate(parts):
        value = value_of(number)
        if kind == "l":
            value.extend(map(value_of, inner))
        elif kind in empty:
            each = map(value_of, inner)
            value.update(each if kind == "e" else zip(each, each))
    return made
_ses_made = _ses_restore(_ses_sent)
${[...variables].map(([name, number]) => `${name} = _ses_made[${number}]`).join('\n')}
del _ses_made, _ses_restore, _ses_sent
None`;
  return [{ variables: { _ses_sent: { parts } } }, { code }];
}
