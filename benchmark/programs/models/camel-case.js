// Converts identifiers between styles.
const toSnake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const toCamel = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
const capitalize = (word) => word.charAt(0).toUpperCase() + word.slice(1);
const parts = ['user', 'order', 'item', 'total', 'count', 'price', 'date', 'name'];
const names = [];
for (let i = 0; i < 30000; i++) {
  names.push(parts[i % 8] + capitalize(parts[(i >> 3) % 8]) + capitalize(parts[(i >> 6) % 8]));
}
const unique = new Set();
let length = 0;
for (const name of names) {
  const snake = toSnake(name);
  unique.add(snake);
  length += snake.length;
  if (toCamel(snake) !== name) throw new Error(`wrong: ${name}`);
}
return [unique.size, length];
