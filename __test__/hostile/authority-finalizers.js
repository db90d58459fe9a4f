// attack: code after the run by finalizers and weak references
// outcome: value [ 'undefined', 'undefined', 'undefined', [] ]
// state: READY
const stack = [globalThis];
const seen = new Set(stack);
const found = [];
while (stack.length > 0) {
  const at = stack.pop();
  if (typeof at === 'function' && /WeakRef|Finalization/.test(at.name)) found.push(at.name);
  for (const key of Reflect.ownKeys(at)) {
    const { value } = Object.getOwnPropertyDescriptor(at, key);
    if (Object(value) === value && !seen.has(value)) seen.add(value) && stack.push(value);
  }
}
return [typeof FinalizationRegistry, typeof WeakRef, typeof gc, found];
