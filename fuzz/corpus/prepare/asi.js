let a = 1
;[1].map(x => x)
let b = a
++a
var c = a
/2/1
return
a + b
