// A search tree with an iterator.
class Node {
  constructor(key, value) {
    this.key = key;
    this.value = value;
    this.left = null;
    this.right = null;
  }
}
class Tree {
  #root = null;
  #size = 0;
  insert(key, value) {
    const node = new Node(key, value);
    if (!this.#root) {
      this.#root = node;
      this.#size++;
      return;
    }
    let current = this.#root;
    while (true) {
      if (key === current.key) {
        current.value = value;
        return;
      }
      const side = key < current.key ? 'left' : 'right';
      if (!current[side]) {
        current[side] = node;
        this.#size++;
        return;
      }
      current = current[side];
    }
  }
  get size() {
    return this.#size;
  }
  *[Symbol.iterator]() {
    const stack = [];
    let current = this.#root;
    while (stack.length || current) {
      while (current) {
        stack.push(current);
        current = current.left;
      }
      current = stack.pop();
      yield [current.key, current.value];
      current = current.right;
    }
  }
  height(node = this.#root) {
    return node ? 1 + Math.max(this.height(node.left), this.height(node.right)) : 0;
  }
}
const tree = new Tree();
let key = 1;
for (let i = 0; i < 30000; i++) {
  key = (key * 48271) % 2147483647;
  tree.insert(key % 100003, i);
}
let sum = 0;
let last = -1;
for (const [k, v] of tree) {
  if (k <= last) throw new Error('order');
  last = k;
  sum += v;
}
return [tree.size, tree.height(), sum];
