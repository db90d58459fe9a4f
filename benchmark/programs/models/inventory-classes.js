// Classes with inheritance, private state and static members.
class Item {
  static #count = 0;
  #quantity;
  constructor(name, price, quantity) {
    this.name = name;
    this.price = price;
    this.#quantity = quantity;
    Item.#count++;
  }
  static get count() {
    return Item.#count;
  }
  get quantity() {
    return this.#quantity;
  }
  sell(n) {
    if (n > this.#quantity) throw new RangeError(`Only ${this.#quantity} of ${this.name} left`);
    this.#quantity -= n;
    return n * this.total();
  }
  total() {
    return this.price;
  }
}
class TaxedItem extends Item {
  constructor(name, price, quantity, rate) {
    super(name, price, quantity);
    this.rate = rate;
  }
  total() {
    return super.total() * (1 + this.rate);
  }
}
const items = [];
for (let i = 0; i < 2000; i++) {
  items.push(i % 2 ? new TaxedItem(`t${i}`, i % 50, 100, 0.19) : new Item(`i${i}`, i % 70, 120));
}
let revenue = 0;
let failed = 0;
for (let day = 0; day < 150; day++) {
  for (const item of items) {
    try {
      revenue += item.sell((day * 7 + item.price) % 3);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      failed++;
    }
  }
}
return [revenue.toFixed(2), failed, Item.count, items.reduce((sum, item) => sum + item.quantity, 0)];
