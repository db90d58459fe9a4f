// attack: formatters that one built-in makes by the million, where V8 looks for no interrupt
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: READY, DIRTY
// options: {"timeoutMs":20000}
// peak: 160 what is beyond the limit until the thread is parked, at 32 MB
return Array(1e6).fill('en').map(Intl.NumberFormat).length;
