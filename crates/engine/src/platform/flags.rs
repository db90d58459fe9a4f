//! V8's flags. All of them are set here, before V8 starts. V8 rejects bytecode and machine code that was made with
//! other flags.

use deno_core::v8;

/// Flags for all systems.
pub const OF_ALL: &str = concat!(
    // Most programs never run again, and the cache would keep all of them. realm/reruns.rs keeps the functions of
    // programs that run again.
    "--no-compilation-cache ",
    // A disposed isolate returns its pages to the system immediately. V8 would keep them for other isolates. Its task
    // that returns unused pages may run only with the next collection of some isolate, if ever. Pages that V8 keeps for
    // a live isolate are returned after one to two seconds, not after 8 to 16.
    "--no-memory-pool-share-memory-on-teardown --memory-pool-timeout=1 ",
    // Buffers that a collection found dead must be uncounted when the limit is checked after it.
    "--no-concurrent-array-buffer-sweeping ",
    // An isolate reserves memory for as many marking threads as the process has threads for V8's work, not for seven.
    "--concurrent-marking-max-worker-num=0 ",
    // Another thread has no benefit for baseline code.
    "--no-concurrent-sparkplug ",
    // If values survive, the young generation grows eightfold in one step. Growth by doubling would copy them once more
    // per step. The memory limit determines its maximum size (memory/limits.rs).
    "--semi-space-growth-factor=8 ",
    // A collection of the young generation is left for the end of the run (idle.rs) if the next run would need it,
    // assuming it is like this one. Tasks of other collections are dropped.
    "--minor-gc-task-trigger=40 --no-incremental-marking-task ",
    // V8 can treat a function's variable as constant if it has had only one value so far. This is the maximum number of
    // variables in memory for such a function. The default of 2 rarely covers the constants of a program that its
    // functions use.
    "--function-context-cells-max-size=64 ",
    // The value that V8 uses without Maglev. With Maglev, V8 would wait for 16,000.
    "--invocation-count-for-turbofan=3000 ",
    // The guest waits for Turbofan, whose time grows with the code that it inlines. With the default of 920, parsing a
    // page took half as long again, and nothing was measurably faster.
    "--max-inlined-bytecode-size-cumulative=300 ",
    // When V8 unrolls a short loop, it may move the termination check out of the enclosing loop, which then never ends
    // (`for (;;) JSON.stringify(new Array(1000))`). Most programs are faster without unrolling, because there is less
    // to compile.
    "--no-turboshaft-loop-unrolling ",
    // Without this flag, V8 enters each concatenated string that is used as a property key in its table of names.
    "--no-cache-property-key-string-adds",
);

/// Flags for compilation. Each isolate has one thread on which Turbofan compiles for it (compile_thread.rs), one
/// function at a time. On systems other than Linux, a guest compiles on its own thread and without Maglev. Maglev has
/// no limit on the size of a function, and takes 40 KB for an `await`. Turbofan has such a limit.
pub const OF_COMPILING: &str = if cfg!(target_os = "linux") {
    "--concurrent-turbofan-max-threads=1"
} else {
    "--no-concurrent-recompilation --no-maglev"
};

/// Sets the flags. Must run before V8 starts.
pub fn set() {
    v8::V8::set_flags_from_string(OF_ALL);
    v8::V8::set_flags_from_string(OF_COMPILING);
}
