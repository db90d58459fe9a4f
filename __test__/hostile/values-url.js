// attack: URLs, parameters, decoders and encoders as outputs, as arguments, and in errors
// outcome: value [ 'TypeError', 'TypeError', 'DataCloneError', true ]
// state: READY
const url = new URL('http://user:pass@a/?b=1#c');
const nameOf = (attempt) => {
  try {
    return attempt();
  } catch (error) {
    return error.name;
  }
};
console.log(url, url.searchParams, new TextDecoder(), { deep: [url] });
return [
  nameOf(() => echo(new Proxy(url, {}))),
  nameOf(() => Reflect.apply(url.toString, new Proxy(url, {}), [])),
  nameOf(() => structuredClone({ f: () => url })),
  Reflect.ownKeys(echo({ ...url })).length === 0,
];
