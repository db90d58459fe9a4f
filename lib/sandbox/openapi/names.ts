/** `repos/list-for-user` in camel case: an identifier, or an empty string. */
export function camel(text: string) {
  const words = text.normalize('NFC').split(/(?:_|[^\p{ID_Continue}$])+/u).filter((word) => word !== ''); // prettier-ignore
  const name = words
    .map((word, at) => {
      const [first] = word;
      return (at === 0 ? first.toLowerCase() : first.toUpperCase()) + word.slice(first.length);
    })
    .join('');
  return name === '' || /^[\p{ID_Start}$]/u.test(name) ? name : `_${name}`;
}

/** Names that are taken. */
export class TakenNames extends Set<string> {
  /** The next number to try, by name. Thousands of operations may have the same name. */
  #next = new Map<string, number>();

  /** A name that is not taken yet. It is taken from now on. */
  unique(wanted: string) {
    let name = wanted;
    let number = this.#next.get(wanted) ?? 2;
    for (; this.has(name); number++) name = `${wanted}${number}`;
    if (name !== wanted) this.#next.set(wanted, number);
    this.add(name);
    return name;
  }
}
