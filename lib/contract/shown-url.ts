/** A URL in the form that messages show: without user, password, query and fragment. Other strings are returned as given. */
export function shownUrl(url: string): string {
  if (!/^[\s"'`<]*[a-z][a-z\d+.-]*:\/\//i.test(url)) return url;
  return url.replace(/\/\/[^/?#]*@/, '//').split(/[?#]/, 1)[0];
}
