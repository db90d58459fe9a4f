// Rotates and transposes an image, several times.
let image = [];
for (let y = 0; y < 400; y++) {
  const row = [];
  for (let x = 0; x < 300; x++) row.push((x * 3 + y * 5) % 256);
  image.push(row);
}
const rotate = (matrix) => matrix[0].map((_, i) => matrix.map((row) => row[i]).reverse());
const flip = (matrix) => matrix.map((row) => [...row].reverse());
for (let step = 0; step < 8; step++) image = step % 3 === 2 ? flip(image) : rotate(image);
let checksum = 0;
for (let y = 0; y < image.length; y++) {
  for (let x = 0; x < image[y].length; x++) {
    checksum = (checksum * 31 + image[y][x]) >>> 0;
  }
}
return checksum;
