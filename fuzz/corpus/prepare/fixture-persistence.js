let a = 1, { b, c: [d = 2, ...e], ...f } = source;
const g = 3, [h] = list;
var i, { j = 1 } = source;
class K {}
function l(m) { var inner; let hidden }
async function* n() {}
{ var o; let hidden; function hiddenToo() {} class Hidden {} }
for (var p = 0; ;) { var q; break }
for (var [r] of list) { const hidden = 1 }
for (var s in object) try { var t } catch { var u } finally { var v }
switch (a) { case 1: var w; let hidden; default: if (a) var x; else lbl: var y }
for (let hidden of list) while (a) do var z; while (b)
{ using hidden = null; await using hiddenToo = null }
var i = 2; function i2() {} var i2;
const arrow = () => { var hidden };
class Static { static { var hidden } field = function hiddenName() {} }
using disposed = null;
let __proto__ = 1, get = 2, 变量 = 3, \u0061bc = 4;
;
