/** Path and query of a template. Expressions may contain `?` and `#`. */
const TEMPLATE = /^((?:\{[^{}]*\}|[^?#])*)(?:\?((?:\{[^{}]*\}|[^#])*))?/;

/** An expression of a path or a server: a parameter, with the operators that some documents add to its name. */
export const EXPRESSION = /\{([^{}]+)\}/g;

/** A path without its fragment, which is not sent. The fragment only distinguishes operations. */
export function templateOf(path: string) {
  const [, pathname, query = ''] = TEMPLATE.exec(path) as RegExpExecArray;
  return { pathname, query };
}

export function hasExpression(text: string) {
  return text.search(EXPRESSION) !== -1;
}
