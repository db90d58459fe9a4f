// attack: an argument of a million nodes, given back
// outcome: value 1000000
// state: READY
// processPeak: 448 the argument reaches the host, as a million objects, and goes back
// peak: 640 the nodes exist twice in the guest, serialized, and on the host
// options: {"timeoutMs":20000,"memoryLimitMb":192}
return echo(Array.from({ length: 1_000_000 }, (_, i) => [i])).length;
