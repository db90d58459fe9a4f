function f(a, b = a, ...c) { return arguments.length + c.length; }
const g = async ({ x }, [y] = [1]) => { try { return await x + y; } catch { return 0; } finally { void 0; } };
function* h() { const r = yield 1; return r; }
async function* j() { for await (const x of h()) yield x; }
f(1, 2) + await g({ x: 1 })
