// Shortest paths with a binary heap.
class PriorityQueue {
  constructor() {
    this.heap = [];
  }
  push(item, priority) {
    this.heap.push({ item, priority });
    let i = this.heap.length - 1;
    while (i > 0) {
      const parent = Math.floor((i - 1) / 2);
      if (this.heap[parent].priority <= this.heap[i].priority) break;
      [this.heap[parent], this.heap[i]] = [this.heap[i], this.heap[parent]];
      i = parent;
    }
  }
  pop() {
    const top = this.heap[0];
    const last = this.heap.pop();
    if (this.heap.length > 0) {
      this.heap[0] = last;
      let i = 0;
      while (true) {
        const left = 2 * i + 1;
        const right = 2 * i + 2;
        let smallest = i;
        if (left < this.heap.length && this.heap[left].priority < this.heap[smallest].priority) smallest = left;
        if (right < this.heap.length && this.heap[right].priority < this.heap[smallest].priority) smallest = right;
        if (smallest === i) break;
        [this.heap[smallest], this.heap[i]] = [this.heap[i], this.heap[smallest]];
        i = smallest;
      }
    }
    return top;
  }
  get size() {
    return this.heap.length;
  }
}
const graph = {};
const n = 6000;
for (let i = 0; i < n; i++) {
  graph[i] = [];
  for (let k = 1; k <= 6; k++) graph[i].push({ to: (i * k * 7 + k * 31) % n, weight: 1 + ((i + k * 17) % 29) });
}
const distances = {};
for (const node of Object.keys(graph)) distances[node] = Infinity;
distances[1] = 0;
const queue = new PriorityQueue();
queue.push(1, 0);
while (queue.size > 0) {
  const { item: node, priority: distance } = queue.pop();
  if (distance > distances[node]) continue;
  for (const { to, weight } of graph[node]) {
    const candidate = distance + weight;
    if (candidate < distances[to]) {
      distances[to] = candidate;
      queue.push(to, candidate);
    }
  }
}
const reached = Object.values(distances).filter((distance) => distance < Infinity);
return [reached.length, Math.max(...reached), reached.reduce((a, b) => a + b, 0)];
