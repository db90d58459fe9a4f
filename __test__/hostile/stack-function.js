// attack: endless recursion, caught at every level
// outcome: value 'RangeError'
// state: READY
const sink = (depth) => {
  try {
    return sink(depth + 1) + 1;
  } catch (error) {
    return error.name;
  }
};
let name;
try {
  (function deep() {
    deep();
  })();
} catch (error) {
  name = error.name;
}
return name;
