const m = await import('x-ok');
const n = import(name);
import(`x-${name}`, { with: { type: 'json' } }).then(use);
(await import('x-ok',))?.default
