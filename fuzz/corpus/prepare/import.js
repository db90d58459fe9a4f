const { a = 1, ...rest } = await import('x-ok');
import('x-ok').then((m) => m);
import('node:fs');
rest
