for (let i = 0; i < 3; i++) console.log(i);
for (const key in object) { use(key) }
for (const item of list);
for await (const item of stream) if (item) break; else continue;
while (more()) label: step();
do step(); while (more())
do { let step = 1 } while (more());
outer: for (;;) { for (;;) continue outer }
const closure = () => { while (true) return };
class Late { field = () => { for (;;) break }; static { for (;;) break } }
function* numbers() { for (const n of [1]) yield n }
