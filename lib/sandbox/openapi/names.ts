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

/** A name that is not taken yet. */
export function unique(taken: Set<string>, wanted: string) {
  let name = wanted;
  for (let number = 2; taken.has(name); number++) name = `${wanted}${number}`;
  taken.add(name);
  return name;
}
