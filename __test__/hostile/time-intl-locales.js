// attack: a list of locales each of which is compared with all that were there before
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":800}
return Intl.getCanonicalLocales(Array.from({ length: 300_000 }, (_, i) => `en-x-${i.toString(36)}`)).length;
