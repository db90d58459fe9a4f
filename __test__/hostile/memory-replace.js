// attack: replaceAll that makes a gigabyte out of a megabyte
// outcome: ERR_RUNTIME_EXCEPTION
// state: READY
// options: {"timeoutMs":20000}
// details: {"name":"RangeError"}
return 'a'.repeat(1e6).replaceAll('a', 'b'.repeat(1000)).length;
