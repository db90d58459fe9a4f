/** A URL in the form that messages show: without user, password, query and fragment. */
export function shownUrl(url: string): string {
  return url.replace(/\/\/[^/?#]*@/, '//').split(/[?#]/, 1)[0];
}
