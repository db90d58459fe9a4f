// attack: SuppressedError that suppresses itself, with getters, thrown and uncaught
// outcome: ERR_RUNTIME_EXCEPTION
// state: READY
// details: {"name":"SuppressedError","message":"both"}
const error = new SuppressedError(new Error('a'), new Error('b'), 'both');
Object.defineProperty(error, 'suppressed', { get: () => error });
Object.defineProperty(error, 'error', {
  get() {
    throw error;
  },
});
error.cause = error;
throw error;
