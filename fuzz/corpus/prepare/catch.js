try { throw new Error('x', { cause: 1 }); } catch ({ message, cause }) { message + cause; }
try { null.x; } catch (e) { e.name; } finally { }
switch (1) { case 0: 'no'; case 1: { let q = 1; q; } default: 'd'; }
