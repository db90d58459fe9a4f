// attack: an argument of a million nodes, given back
// outcome: value 1000000
// state: READY
// options: {"timeoutMs":4000,"memoryLimitMb":192}
return echo(Array.from({ length: 1_000_000 }, (_, i) => [i])).length;
