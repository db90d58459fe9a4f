// `console` as in Node.js (lib/internal/console/constructor.js), with two differences. Lines go to op_log with a level.
// A value that cannot be formatted loses its line but does not end the run.
"use strict";
(() => {
  const boot = globalThis.__smol_boot;
  const { p, types, getStringWidth, previewEntries } = boot;
  const {
    arrayJoin,
    arrayPush,
    arrayUnshift,
    captureStackTrace,
    ceil,
    dateNow,
    defineProperty,
    floor,
    freeze,
    hasOwn,
    isArray,
    keys,
    mapForEach,
    max,
    min,
    newMap,
    numberToFixed,
    setForEach,
    stringIndexOf,
    stringPadStart,
    stringRepeat,
    stringSlice,
    stringSplit,
    TypeError,
    values,
  } = p;
  const { op_log, op_log_open } = boot.ops;

  // The host's order of levels.
  const LOG = 0;
  const INFO = 1;
  const WARN = 2;
  const ERROR = 3;
  const DEBUG = 4;

  const GROUP_INDENT = 2;
  // Deeper groups are not indented further. Otherwise the length of a line would grow with the depth.
  const MAX_INDENT = 1000;
  const SECOND = 1000;
  const MINUTE = 60 * SECOND;
  const HOUR = 60 * MINUTE;

  // The number of spaces before each line.
  let indent = 0;
  const counts = newMap();
  const timers = newMap();

  const write = (level, text) => op_log(level, text, indent);

  // Formatting runs guest code: getters of errors, inspect.custom, toString. A signal of the run passes through. So
  // does termination, which cannot be caught.
  const formatted = (make) => {
    try {
      return make();
    } catch (error) {
      boot.rethrowSignal(error);
      return `[inspection failed: ${boot.describe(error)}]`;
    }
  };

  const print = (level, args) => {
    if (!op_log_open(level)) return;
    // The common case is a single string: no copy, no formatter.
    const text = args.length === 1 && typeof args[0] === "string" ? args[0] : formatted(() => boot.format(args));
    write(level, text);
  };

  const printValue = (level, value, options) => {
    if (!op_log_open(level)) return;
    write(
      level,
      formatted(() => boot.inspect(value, { customInspect: false, ...options })),
    );
  };

  const warn = (text) => {
    if (op_log_open(WARN)) write(WARN, text);
  };

  const pad = (value) => stringPadStart(`${value}`, 2, "0");

  const formatTime = (ms) => {
    let hours = 0;
    let minutes = 0;
    let seconds = 0;
    if (ms >= SECOND) {
      if (ms >= MINUTE) {
        if (ms >= HOUR) {
          hours = floor(ms / HOUR);
          ms %= HOUR;
        }
        minutes = floor(ms / MINUTE);
        ms %= MINUTE;
      }
      seconds = ms / SECOND;
    }
    if (hours !== 0 || minutes !== 0) {
      const parts = stringSplit(numberToFixed(seconds, 3), ".");
      const high = hours !== 0 ? `${hours}:${pad(minutes)}` : minutes;
      return `${high}:${pad(parts[0])}.${parts[1]} (${hours !== 0 ? "h:m" : ""}m:ss.mmm)`;
    }
    if (seconds !== 0) return `${numberToFixed(seconds, 3)}s`;
    // Whole milliseconds: the clock is not more precise.
    return `${ms}ms`;
  };

  const logTime = (method, label, data) => {
    const start = timers.get(label);
    if (start === undefined) {
      warn(`Warning: No such label '${label}' for console.${method}()`);
      return false;
    }
    const duration = formatTime(dateNow() - start);
    print(LOG, data === undefined ? ["%s: %s", label, duration] : ["%s: %s", label, duration, ...data]);
    return true;
  };

  const renderRow = (row, widths) => {
    let out = "\u2502 ";
    for (let i = 0; i < row.length; i++) {
      out += row[i] + stringRepeat(" ", ceil(widths[i] - getStringWidth(row[i])));
      if (i !== row.length - 1) out += " \u2502 ";
    }
    return `${out} \u2502`;
  };

  const renderTable = (head, columns) => {
    const rows = [];
    const widths = [];
    let longest = 0;
    for (let i = 0; i < columns.length; i++) {
      widths[i] = getStringWidth(head[i]);
      if (columns[i].length > longest) longest = columns[i].length;
    }
    for (let i = 0; i < head.length; i++) {
      for (let j = 0; j < longest; j++) {
        rows[j] ??= [];
        const cell = (rows[j][i] = hasOwn(columns[i], j) ? columns[i][j] : "");
        const width = getStringWidth(cell);
        if (width > widths[i]) widths[i] = width;
      }
    }
    const bars = [];
    for (let i = 0; i < widths.length; i++) bars[i] = stringRepeat("\u2500", widths[i] + 2);
    let out =
      `\u250c${arrayJoin(bars, "\u252c")}\u2510\n${renderRow(head, widths)}\n` +
      `\u251c${arrayJoin(bars, "\u253c")}\u2524\n`;
    for (let i = 0; i < rows.length; i++) out += `${renderRow(rows[i], widths)}\n`;
    return `${out}\u2514${arrayJoin(bars, "\u2534")}\u2518`;
  };

  const inspectCell = (value) => {
    const depth = value !== null && typeof value === "object" && !isArray(value) && keys(value).length > 2 ? -1 : 0;
    return boot.inspect(value, { __proto__: null, depth, maxArrayLength: 3, breakLength: Infinity });
  };

  const indices = (length) => {
    const column = [];
    for (let i = 0; i < length; i++) column[i] = inspectCell(i);
    return column;
  };

  const ITERATION = "(iteration index)";

  const tableOfPairs = (pairs) => {
    const keyColumn = [];
    const valueColumn = [];
    for (let i = 0; i < pairs.length; i += 2) {
      arrayPush(keyColumn, inspectCell(pairs[i]));
      arrayPush(valueColumn, inspectCell(pairs[i + 1]));
    }
    return renderTable([ITERATION, "Key", "Values"], [indices(keyColumn.length), keyColumn, valueColumn]);
  };

  const tableOfItems = (items) => {
    const column = [];
    for (let i = 0; i < items.length; i++) arrayPush(column, inspectCell(items[i]));
    return renderTable([ITERATION, "Values"], [indices(column.length), column]);
  };

  const tableOfRows = (data, properties) => {
    const columns = { __proto__: null };
    const primitives = [];
    let hasPrimitives = false;
    const index = keys(data);
    for (let i = 0; i < index.length; i++) {
      const item = data[index[i]];
      const isPrimitive = item === null || (typeof item !== "function" && typeof item !== "object");
      if (properties === undefined && isPrimitive) {
        hasPrimitives = true;
        primitives[i] = inspectCell(item);
        continue;
      }
      const names = properties ?? keys(item);
      for (let k = 0; k < names.length; k++) {
        const column = (columns[names[k]] ??= []);
        column[i] = isPrimitive || !hasOwn(item, names[k]) ? "" : inspectCell(item[names[k]]);
      }
    }
    const head = keys(columns);
    const body = values(columns);
    if (hasPrimitives) {
      arrayPush(head, "Values");
      arrayPush(body, primitives);
    }
    arrayUnshift(head, "(index)");
    arrayUnshift(body, index);
    return renderTable(head, body);
  };

  const makeTable = (data, properties) => {
    if (types.isMapIterator(data)) {
      const { 0: entries, 1: isKeyValue } = previewEntries(data, true);
      return isKeyValue ? tableOfPairs(entries) : tableOfItems(entries);
    }
    if (types.isSetIterator(data)) return tableOfItems(previewEntries(data));
    if (types.isMap(data)) {
      const pairs = [];
      mapForEach(data, (value, key) => arrayPush(pairs, key, value));
      return tableOfPairs(pairs);
    }
    if (types.isSet(data)) {
      const items = [];
      setForEach(data, (value) => arrayPush(items, value));
      return tableOfItems(items);
    }
    return tableOfRows(data, properties);
  };

  const group = (args) => {
    if (args.length > 0) print(LOG, args);
    indent = min(indent + GROUP_INDENT, MAX_INDENT);
  };

  // Method shorthand: no prototype, not constructible.
  const console = {
    log(...args) {
      print(LOG, args);
    },
    info(...args) {
      print(INFO, args);
    },
    warn(...args) {
      print(WARN, args);
    },
    error(...args) {
      print(ERROR, args);
    },
    debug(...args) {
      print(DEBUG, args);
    },
    trace(...args) {
      if (!op_log_open(ERROR)) return;
      const message = formatted(() => boot.format(args));
      const carrier = { name: "Trace", message: "" };
      captureStackTrace(carrier, console.trace);
      const stack = `${carrier.stack}`;
      const frames = stringIndexOf(stack, "\n    at ");
      write(ERROR, (message === "" ? "Trace" : `Trace: ${message}`) + (frames < 0 ? "" : stringSlice(stack, frames)));
    },
    table(tabularData, properties) {
      if (properties !== undefined && !isArray(properties)) {
        throw new TypeError('The "properties" argument must be an instance of Array.');
      }
      if (tabularData === null || typeof tabularData !== "object") {
        print(LOG, [tabularData]);
      } else if (op_log_open(LOG)) {
        write(
          LOG,
          formatted(() => makeTable(tabularData, properties)),
        );
      }
    },
    dir(object, options) {
      printValue(LOG, object, options);
    },
    dirxml(...args) {
      print(LOG, args);
    },
    assert(expression, ...args) {
      if (expression) return;
      const failed = "Assertion failed";
      if (typeof args[0] === "string") args[0] = `${failed}: ${args[0]}`;
      else args = [failed, ...args];
      print(WARN, args);
    },
    count(label = "default") {
      label = `${label}`;
      const count = (counts.get(label) ?? 0) + 1;
      counts.set(label, count);
      print(LOG, [`${label}: ${count}`]);
    },
    countReset(label = "default") {
      label = `${label}`;
      if (!counts.delete(label)) warn(`Warning: Count for '${label}' does not exist`);
    },
    time(label = "default") {
      label = `${label}`;
      if (timers.has(label)) warn(`Warning: Label '${label}' already exists for console.time()`);
      else timers.set(label, dateNow());
    },
    timeEnd(label = "default") {
      label = `${label}`;
      if (logTime("timeEnd", label)) timers.delete(label);
    },
    timeLog(label = "default", ...data) {
      logTime("timeLog", `${label}`, data);
    },
    group(...args) {
      group(args);
    },
    groupCollapsed(...args) {
      group(args);
    },
    groupEnd() {
      indent = max(indent - GROUP_INDENT, 0);
    },
  };
  // Node's methods are bound to their console, so they have no parameters.
  const names = keys(console);
  for (let i = 0; i < names.length; i++) defineProperty(console[names[i]], "length", { __proto__: null, value: 0 });
  defineProperty(console, Symbol.toStringTag, { __proto__: null, value: "console" });

  boot.resetConsole = () => {
    indent = 0;
    p.emptyMap(counts);
    p.emptyMap(timers);
  };
  boot.warn = warn;
  boot.console = freeze(console);
  boot.toHarden.push(console);
})();
