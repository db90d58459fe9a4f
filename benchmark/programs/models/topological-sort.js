// Kahn's algorithm over dependencies by name.
const graph = new Map();
const count = 9000;
for (let i = 0; i < count; i++) {
  const dependencies = [];
  for (let k = 1; k <= 3; k++) {
    const to = i - ((i * k * 13) % 97) - k;
    if (to >= 0) dependencies.push(`task-${to}`);
  }
  graph.set(`task-${i}`, dependencies);
}
const inDegree = new Map();
const dependents = new Map();
for (const [task, dependencies] of graph) {
  inDegree.set(task, dependencies.length);
  for (const dependency of dependencies) {
    if (!dependents.has(dependency)) dependents.set(dependency, []);
    dependents.get(dependency).push(task);
  }
}
const ready = [...inDegree].filter(([, degree]) => degree === 0).map(([task]) => task);
const order = [];
while (ready.length) {
  const task = ready.pop();
  order.push(task);
  for (const dependent of dependents.get(task) ?? []) {
    const degree = inDegree.get(dependent) - 1;
    inDegree.set(dependent, degree);
    if (degree === 0) ready.push(dependent);
  }
}
return [order.length, order[100], order[5000]];
