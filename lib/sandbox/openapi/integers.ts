import { WorkBudget, inSlices } from '../../contract/budget';

/** Digits of integers that a number may not represent exactly. */
const MANY_DIGITS = /\d{16}/;

/**
 * JSON in which integers beyond 2^53 are strings of their digits. `JSON.parse` would round them. Fractions and numbers
 * with an exponent stay.
 */
export async function quotingIntegers(text: string, signal?: AbortSignal): Promise<string> {
  if (!MANY_DIGITS.test(text)) return text;
  const budget = new WorkBudget();
  return await inSlices(quoting(text, budget), budget, signal);
}

function* quoting(text: string, budget: WorkBudget): Generator<void, string, void> {
  const digits = new RegExp(MANY_DIGITS.source, 'g');
  const parts: string[] = [];
  let copied = 0;
  /** The end of the last string before the digits. */
  let outside = 0;
  for (let match = digits.exec(text); match !== null; match = digits.exec(text)) {
    const at = match.index;
    for (let quote = text.indexOf('"', outside); quote !== -1 && quote < at; quote = text.indexOf('"', outside)) {
      outside = endOfString(text, quote);
      budget.spend(1);
      if (budget.shouldPause) yield;
    }
    if (outside > at) {
      digits.lastIndex = outside;
      continue;
    }
    const start = text[at - 1] === '-' ? at - 1 : at;
    let end = at + match[0].length;
    while (/\d/.test(text[end] ?? '')) end++;
    digits.lastIndex = end;
    const isInteger = !/[\d.eE+-]/.test(text[start - 1] ?? '') && !/[.eE]/.test(text[end] ?? '');
    // A leading zero is not JSON, and must stay an error.
    if (!isInteger || match[0].startsWith('0') || Number.isSafeInteger(Number(text.slice(at, end)))) continue;
    parts.push(text.slice(copied, start), '"', text.slice(start, end), '"');
    copied = end;
  }
  return parts.join('') + text.slice(copied);
}

/** @param quote where a string begins */
function endOfString(text: string, quote: number) {
  for (let end = text.indexOf('"', quote + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text[end - 1 - slashes] === '\\') slashes++;
    if (slashes % 2 === 0) return end + 1;
  }
  return text.length;
}
