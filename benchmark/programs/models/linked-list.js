// A list with methods, and a cache that evicts.
class ListNode {
  constructor(value, next = null) {
    this.value = value;
    this.next = next;
  }
}
class LinkedList {
  constructor() {
    this.head = null;
    this.length = 0;
  }
  prepend(value) {
    this.head = new ListNode(value, this.head);
    this.length++;
    return this;
  }
  reverse() {
    let previous = null;
    let current = this.head;
    while (current) {
      const next = current.next;
      current.next = previous;
      previous = current;
      current = next;
    }
    this.head = previous;
    return this;
  }
  *values() {
    for (let node = this.head; node; node = node.next) yield node.value;
  }
}
const list = new LinkedList();
for (let i = 0; i < 100000; i++) list.prepend(i);
for (let i = 0; i < 9; i++) list.reverse();
let sum = 0;
for (const value of list.values()) sum = (sum * 7 + value) % 1000003;
class LruCache {
  constructor(capacity) {
    this.capacity = capacity;
    this.map = new Map();
  }
  get(key) {
    if (!this.map.has(key)) return undefined;
    const value = this.map.get(key);
    this.map.delete(key);
    this.map.set(key, value);
    return value;
  }
  set(key, value) {
    this.map.delete(key);
    this.map.set(key, value);
    if (this.map.size > this.capacity) this.map.delete(this.map.keys().next().value);
  }
}
const cache = new LruCache(500);
let hits = 0;
for (let i = 0; i < 150000; i++) {
  const key = (i * i) % 1409;
  if (cache.get(key) !== undefined) hits++;
  else cache.set(key, i);
}
return [sum, list.length, hits];
