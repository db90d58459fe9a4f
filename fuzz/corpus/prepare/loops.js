outer: for (let i = 0; i < 3; i++) { for (const k in { a: 1 }) { if (k) continue outer; else break outer; } }
let n = 0; do n++; while (n < 3)
while (n--) ;
for await (const v of [1, Promise.resolve(2)]) n += v;
for (var i of [1]) for (;;) break;
n
