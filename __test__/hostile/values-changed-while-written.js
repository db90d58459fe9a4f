// attack: Maps, Sets and arrays that a getter fills and empties while they are being written
// outcome: value 'lived'
// state: READY
for (let i = 0; i < 100; i++) {
  const map = new Map();
  const set = new Set();
  const list = Array(1000).fill(1.5);
  const change = {
    get now() {
      map.clear();
      set.clear();
      list.length = i;
      for (let k = 0; k < 50; k++) {
        map.set(k, list);
        set.add(k);
        list.push({});
      }
      return 1;
    },
  };
  list[3] = change;
  map.set(change, list).set(1, 2);
  set.add(change).add(3);
  try {
    echo([map, set, list]);
  } catch {
    // Whatever it is: an error.
  }
}
return 'lived';
