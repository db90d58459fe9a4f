// A literal member of it is a tool like its name.
globalThis.t0('a');
self['t1']('b');
