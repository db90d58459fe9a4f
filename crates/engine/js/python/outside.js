// What Python's memory refers to outside of it: values of JavaScript and files, as data. Evaluates to a function that notes
// the state of the start. `files`: of `files.js`. `held`: objects of Python that JavaScript holds.
(pyodide, memory, files, held) => {
  "use strict";
  const { getOwnPropertyDescriptor, getOwnPropertyNames } = Object;
  const PAGE_BYTES = 1 << 16;
  const { _module: emscripten, _api: api, FS } = pyodide;

  /** The entries of one of the interpreter's tables of JavaScript values. */
  const entriesOf = (get) => {
    const entries = [];
    for (;;) {
      try {
        entries.push(get(entries.length));
      } catch {
        // The end of a table is where WebAssembly traps.
        return entries;
      }
    }
  };

  const look = () => ({
    values: entriesOf(emscripten.__hiwire_get),
    constants: entriesOf(emscripten.__hiwire_immortal_get),
    functions: emscripten.wasmTable.length,
    stack: emscripten.stackSave(),
  });

  /** Where Python's objects are that JavaScript holds. If they are the same, the interpreter has started in the same way. */
  const placesOf = (holders) => {
    const places = [];
    for (const holder of holders) {
      for (const name of getOwnPropertyNames(holder)) {
        const { value } = getOwnPropertyDescriptor(holder, name);
        if (api.isPyProxy(value)) places.push([name, emscripten.PyProxy_getPtr(value)]);
      }
    }
    return places;
  };

  const sealed = look();
  const places = placesOf([pyodide, api, held]);
  const maps = [...sealed.values, ...sealed.constants].filter((value) => value instanceof Map);
  const startMaps = maps.map((map) => [map, [...map]]);

  /** What is the same in isolates that have started in the same way. */
  const startText = () => {
    const { values, constants, functions, stack } = sealed;
    const kinds = [values, constants].map((list) =>
      list.map((value) => (typeof value === "string" ? [value] : typeof value)),
    );
    return JSON.stringify([kinds, functions, stack, places, files.start]);
  };

  const isSame = (list, other) => list.length === other.length && list.every((item, at) => item === other[at]);

  /**
   * JSON, and the contents of files, as a list. Or a string: why the state cannot be described. Objects of JavaScript are
   * described by their place in `sealed`.
   */
  const tell = () => {
    const { values, constants, functions, stack } = look();
    if (stack !== sealed.stack) return "the interpreter is at work";
    if (functions !== sealed.functions) return "functions were linked to the interpreter";
    if (FS.streams.some((stream) => stream?.devops?.output?.length > 0)) return "a line of output is incomplete";
    const places = values.map((value, at) => (value === sealed.values[at] ? at : sealed.values.indexOf(value)));
    const isKnown = places.every((place, at) => place >= 0 || values[at] === null);
    const isKept = startMaps.every(([map, entries]) => isSame([...map].flat(), entries.flat()));
    if (!isKnown || !isKept) return "an object of JavaScript is in use";
    const count = sealed.constants.length;
    const texts = constants.slice(count);
    const isConstant =
      isSame(constants.slice(0, count), sealed.constants) && texts.every((text) => typeof text === "string");
    if (!isConstant) return "an object of JavaScript is in use";
    const contents = [];
    const told = files.tell(contents);
    if (typeof told === "string") return told;
    return [JSON.stringify({ start: startText(), places, texts, files: told }), ...contents];
  };

  /**
   * Makes the outside of the memory what `tell` has told, and gives the memory `bytes` bytes.
   *
   * @returns why that is not possible; empty if it was done
   */
  const admit = (text, bytes, contents) => {
    const { start, places, texts, files: told } = JSON.parse(text);
    if (start !== startText()) return "its interpreter has started in another way";
    const isPlace = (place) => Number.isInteger(place) && place >= -1 && place < sealed.values.length;
    if (!places.every(isPlace) || !texts.every((constant) => typeof constant === "string"))
      return "it has another form";
    const pages = (bytes - memory.buffer.byteLength) / PAGE_BYTES;
    try {
      if (pages > 0) memory.grow(pages);
    } catch {
      return "it needs more memory";
    }
    emscripten._emscripten_notify_memory_growth(0);
    const { length } = entriesOf(emscripten.__hiwire_get);
    for (let at = 0; at < Math.max(length, places.length); at++) {
      const place = places[at] ?? -1;
      if (emscripten.__hiwire_set(at, place < 0 ? null : sealed.values[place]) < 0) return "it needs more memory";
    }
    for (const constant of texts) emscripten.__hiwire_immortal_add(constant);
    files.restore(told, contents);
    return "";
  };

  return { tell, admit };
};
