// Quicksort, merge sort, bubble sort, and sort by several keys.
const random = (() => {
  let state = 99;
  return () => (state = (state * 16807) % 2147483647);
})();
function quickSort(array) {
  if (array.length <= 1) return array;
  const [pivot, ...rest] = array;
  const smaller = rest.filter((x) => x < pivot);
  const larger = rest.filter((x) => x >= pivot);
  return [...quickSort(smaller), pivot, ...quickSort(larger)];
}
function mergeSort(array) {
  if (array.length < 2) return array;
  const middle = Math.floor(array.length / 2);
  const left = mergeSort(array.slice(0, middle));
  const right = mergeSort(array.slice(middle));
  const merged = [];
  let i = 0;
  let j = 0;
  while (i < left.length && j < right.length) {
    if (left[i] <= right[j]) merged.push(left[i++]);
    else merged.push(right[j++]);
  }
  return merged.concat(left.slice(i), right.slice(j));
}
function bubbleSort(values) {
  const array = [...values];
  for (let i = 0; i < array.length; i++) {
    let swapped = false;
    for (let j = 0; j < array.length - i - 1; j++) {
      if (array[j] > array[j + 1]) {
        [array[j], array[j + 1]] = [array[j + 1], array[j]];
        swapped = true;
      }
    }
    if (!swapped) break;
  }
  return array;
}
const data = Array.from({ length: 20000 }, random);
const a = quickSort(data);
const b = mergeSort(data);
const c = bubbleSort(data.slice(0, 1200));
const people = data.slice(0, 8000).map((n) => ({ name: `n${n % 300}`, age: n % 90, score: n % 1000 }));
people.sort((x, y) => x.name.localeCompare(y.name) || x.age - y.age || y.score - x.score);
return [a[1000], b[1000], c[600], `${people[10].name} ${people[10].age} ${people[10].score}`];
