//! V8's flags. All of them are set here, before V8 starts. V8 takes no bytecode and no machine code that was made under others.

use deno_core::v8;

/// What holds on all systems.
pub const OF_ALL: &str = concat!(
    // Most steps never come again, and the cache would keep all of them. Of those that do, the functions are kept (realm/reruns.rs).
    "--no-compilation-cache ",
    // An isolate that is disposed gives its pages back to the system immediately. V8 would keep them for other isolates, and its task that
    // gives back what nobody has taken may come only with the next collection of some isolate, if ever. The pages that V8 keeps for an
    // isolate that is alive are given back after one to two seconds, not after 8 to 16.
    "--no-memory-pool-share-memory-on-teardown --memory-pool-timeout=1 ",
    // What a collection found dead has to be uncounted when the limit is looked at after it.
    "--no-concurrent-array-buffer-sweeping ",
    // An isolate has room for as many threads that mark as the process has threads for V8's work, not for seven.
    "--concurrent-marking-max-worker-num=0 ",
    // For baseline code nothing is gained by another thread.
    "--no-concurrent-sparkplug ",
    // Where values survive, the young generation grows eightfold at once: by doubling, each step on the way copies them once
    // more. How large it may become follows from the limit of memory (memory/limits.rs).
    "--semi-space-growth-factor=8 ",
    // A collection of the young generation is left for the end of the run (idle.rs) where the next run, if it is like this one, would
    // need it. Tasks of other collections are dropped.
    "--minor-gc-task-trigger=40 --no-incremental-marking-task ",
    // V8 compiles with the value of a variable of a function that has had no other one so far: of functions with up to so many
    // variables in memory. With the default of 2 it hardly does for the constants of a program that its functions use.
    "--function-context-cells-max-size=64 ",
    // As without Maglev, which would have V8 wait for 16,000.
    "--invocation-count-for-turbofan=3000 ",
    // The guest waits for Turbofan, whose time grows with what it inlines: with the default of 920 a parser of a page ran half
    // as long again, and nothing measurably shorter.
    "--max-inlined-bytecode-size-cumulative=300 ",
    // Where a short loop is unrolled, V8 may take the look at termination out of the loop round it, which then never ends
    // (`for (;;) JSON.stringify(new Array(1000))`). Most programs take less time without, since there is less to compile.
    "--no-turboshaft-loop-unrolling ",
    // V8 enters each text that is put together for a key of an object in its table of names.
    "--no-cache-property-key-string-adds",
);

/// How V8 compiles. Each isolate has one thread on which Turbofan compiles for it (compile_thread.rs), one function at a time. Elsewhere
/// than on Linux a guest compiles on its own thread, and without Maglev, which has no bound of the size of a function, and takes 40 KB
/// for an `await`. Turbofan has one.
pub const OF_COMPILING: &str = if cfg!(target_os = "linux") {
    "--concurrent-turbofan-max-threads=1"
} else {
    "--no-concurrent-recompilation --no-maglev"
};

/// Sets them, while V8 can still be told.
pub fn set() {
    v8::V8::set_flags_from_string(OF_ALL);
    v8::V8::set_flags_from_string(OF_COMPILING);
}
