//! How the addon is linked.

fn main() {
    napi_build::setup();
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo:rustc-cdylib-link-arg=-B{}/scripts/linker", env!("CARGO_MANIFEST_DIR"));
        println!("cargo:rustc-cdylib-link-arg=-fuse-ld=bfd");
        println!("cargo:rerun-if-changed=scripts/linker");
        for name in WRAPPED {
            println!("cargo:rustc-link-arg=-Wl,--wrap={name}");
        }
        println!("cargo:rustc-link-arg=-Wl,--defsym={NEWEST_BUILT_INS}");
    }
    println!("cargo:rerun-if-changed=build.rs");
}

/// Built-ins that are in the snapshot already: newest_built_ins.rs. V8 calls its function where that is defined, so
/// that `--wrap` does not find it.
const NEWEST_BUILT_INS: &str =
    "_ZN2v88internal7Genesis28InitializeExperimentalGlobalEv=ses_executor_no_newest_built_ins";

/// Functions of V8, ICU and the system that the linker replaces by functions of
/// crates/engine/src/{memory,platform,bridge}.
const WRAPPED: [&str; 42] = [
    // The clock of deterministic sessions: session_clock.rs.
    "_ZN2v88internal6JSDate16CurrentTimeValueEPNS0_7IsolateE",
    // How V8 ends the process without asking, and what it writes then: fatal.rs.
    "_ZN2v84base21FatalNoSecurityImpactEPKcz",
    "_ZN2v84base8FatalOOMENS0_7OOMTypeEPKc",
    "_ZN2v84base2OS10PrintErrorEPKcz",
    // Zones: segments.rs.
    "_ZN2v88internal19AccountingAllocator15AllocateSegmentEm",
    "_ZN2v88internal19AccountingAllocator13ReturnSegmentEPNS0_7SegmentE",
    // Objects that have their own pages: large_objects.rs.
    "_ZN2v88internal19NewLargeObjectSpace11AllocateRawEPNS0_9LocalHeapEiNS0_14AllocationHintE",
    // Messages that quote the program: quoted_code.rs.
    "_ZN2v88internal11CallPrinter5PrintEPNS0_15FunctionLiteralEi",
    "_ZN2v88internal10JSFunction8ToStringEPNS0_7IsolateENS0_12DirectHandleIS1_EE",
    // Built-ins that do not look at termination: slow_built_ins.rs.
    "_ZN2v88internal31Builtin_CollatorInternalCompareEiPmPNS0_7IsolateE",
    "_ZN2v88internal40Builtin_StringPrototypeLocaleCompareIntlEiPmPNS0_7IsolateE",
    "_ZN2v88internal36Builtin_StringPrototypeNormalizeIntlEiPmPNS0_7IsolateE",
    "_ZN2v88internal38Builtin_StringPrototypeToUpperCaseIntlEiPmPNS0_7IsolateE",
    "_ZN2v88internal40Builtin_StringPrototypeToLocaleUpperCaseEiPmPNS0_7IsolateE",
    "_ZN2v88internal29Runtime_StringToLowerCaseIntlEiPmPNS0_7IsolateE",
    "_ZN2v88internal10JSReceiver11HasPropertyEPNS0_14LookupIteratorE",
    "_ZN2v88internal6Object23CreateListFromArrayLikeEPNS0_7IsolateENS0_12DirectHandleIS1_EENS0_12ElementTypesE",
    "_ZN2v88internal8JSLocale27StartsWithUnicodeLanguageIdENSt4__Cr17basic_string_viewIcNS2_11char_traitsIcEEEE",
    "_ZN6icu_7713LocaleBuilder14setLanguageTagENS_11StringPieceE",
    "_ZN2v88internal15GetStringOptionEPNS0_7IsolateENS0_12DirectHandleINS0_10JSReceiverEEENS3_INS0_6StringEEEPKcPS7_",
    // Compilers, and what they go by: tiers.rs.
    "_ZN2v88internal10JSFunction22InitializeFeedbackCellEPNS0_7IsolateENS0_12DirectHandleIS1_EEPNS0_15IsCompiledScopeEb",
    "_ZN2v88internal8Compiler16CompileOptimizedEPNS0_7IsolateENS0_12DirectHandleINS0_10JSFunctionEEENS0_15ConcurrencyModeENS0_8CodeKindE",
    "_ZN2v88internal8Compiler19CompileOptimizedOSREPNS0_7IsolateENS0_12DirectHandleINS0_10JSFunctionEEENS0_14BytecodeOffsetENS0_15ConcurrencyModeENS0_8CodeKindE",
    // Threads that compile: compile_thread.rs.
    "_ZN2v88platform15DefaultPlatform13CreateJobImplENS_12TaskPriorityENSt4__Cr10unique_ptrINS_7JobTaskENS3_14default_deleteIS5_EEEERKNS_14SourceLocationE",
    "_ZN2v88internal27OptimizingCompileDispatcherC1EPNS0_7IsolateEPNS0_29OptimizingCompileTaskExecutorE",
    "_ZN2v88internal27OptimizingCompileDispatcherD1Ev",
    // Locks, and what is made once: locks.rs.
    "_ZN4absl5Mutex4lockEv",
    "_ZN4absl5Mutex8try_lockEv",
    "_ZN4absl5Mutex6unlockEv",
    "_ZN4absl5Mutex11lock_sharedEv",
    "_ZN4absl5Mutex15try_lock_sharedEv",
    "_ZN4absl5Mutex13unlock_sharedEv",
    "pthread_mutex_lock",
    "pthread_mutex_trylock",
    "pthread_mutex_unlock",
    "__cxa_guard_acquire",
    "__cxa_guard_release",
    "__cxa_guard_abort",
    "_ZN2v84base12CallOnceImplEPNSt4__Cr6atomicIhEENS1_8functionIFvvEEE",
    "_ZN6icu_7720umtx_initImplPreInitERNS_9UInitOnceE",
    "_ZN6icu_7721umtx_initImplPostInitERNS_9UInitOnceE",
    "_ZNSt4__Cr11__call_onceERVmPvPFvS2_E",
];
