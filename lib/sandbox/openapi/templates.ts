/** Path and query of a template. Expressions may have `?` and `#` in them. */
const TEMPLATE = /^((?:\{[^{}]*\}|[^?#])*)(?:\?((?:\{[^{}]*\}|[^#])*))?/;

/** An expression of a path or a server: a parameter, with the operators that some documents add to its name. */
export const EXPRESSION = /\{([^{}]+)\}/g;

/** A path without what is not sent: its fragment, which only tells operations apart. */
export function templateOf(path: string) {
  const [, pathname, query = ''] = TEMPLATE.exec(path) as RegExpExecArray;
  return { pathname, query };
}
