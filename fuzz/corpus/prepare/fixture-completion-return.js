if (a) { return { b } }
return await c
