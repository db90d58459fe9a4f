//! Pages that isolates had, and which V8 keeps for the next ones for a moment. build.rs has the linker send here (`--wrap`) what hands
//! them over.
//!
//! V8 has a task give them back, which posts itself again until none is left. A page that comes when that has just happened
//! posts no other one for five seconds, so that what comes then is kept until some isolate collects again, if ever.
//!
//! V8 keeps pages of the young and the old generation, and not those of what it trusts, such as bytecode and what it knows of its own
//! built-ins: a quarter of a megabyte, which each isolate writes when it starts. Without V8's sandbox they are pages as any other. A page
//! must come without marks of a collection: so they are kept of isolates that have never marked.

use std::cell::Cell;
use std::ffi::c_void;
use std::ptr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// From one look for pages to the next one: `--memory-pool-timeout` (flags.rs).
const PAUSE: Duration = Duration::from_secs(1);

/// `v8::internal::MemoryAllocator::AllocationMode`.
const REGULAR: i32 = 0;
const TRY_POOLED: i32 = 1;
/// `v8::internal::MemoryAllocator::FreeMode`.
const IMMEDIATELY: i32 = 0;
const POOL: i32 = 1;
/// `v8::internal::Executability`.
const NOT_EXECUTABLE: i32 = 0;

/// So many words of what V8 notes of a page are looked through for the space that the page is of.
const WORDS_OF_PAGE: usize = 24;

/// The trusted space of the calling thread's isolate.
#[derive(Clone, Copy)]
struct Trusted {
    space: *mut c_void,
    /// Where what V8 notes of a page names it, in words.
    owner: usize,
    is_kept: bool,
}

thread_local! {
    static TRUSTED: Cell<Option<Trusted>> = const { Cell::new(None) };
}

/// Says of the calling thread's isolate whether its trusted pages are kept for others when it ends: it has marked nothing so far.
pub fn keep_trusted(is_kept: bool) {
    TRUSTED.set(TRUSTED.get().map(|trusted| Trusted { is_kept, ..trusted }));
}

// SAFETY: the names are those that the linker gives to the methods of `v8::internal::MemoryPool` and `MemoryAllocator`. A `TimeDelta` is a
// number of microseconds. The isolate of the second is used where V8 has one thread only.
unsafe extern "C" {
    fn __real__ZN2v88internal10MemoryPool3AddEPNS0_7IsolateEPNS0_11MutablePageE(
        pool: *mut c_void,
        isolate: *mut c_void,
        page: *mut c_void,
    );
    fn _ZN2v88internal10MemoryPool22PostDelayedReleaseTaskEPNS0_7IsolateENS_4base9TimeDeltaE(
        pool: *mut c_void,
        isolate: *mut c_void,
        microseconds: i64,
    );
    fn __real__ZN2v88internal15MemoryAllocator12AllocatePageENS1_14AllocationModeEPNS0_5SpaceENS0_13ExecutabilityE(
        allocator: *mut c_void,
        mode: i32,
        space: *mut c_void,
        executability: i32,
    ) -> *const *mut c_void;
    fn __real__ZN2v88internal15MemoryAllocator4FreeENS1_8FreeModeEPNS0_11MutablePageE(
        allocator: *mut c_void,
        mode: i32,
        page: *const *mut c_void,
    );
}

/// Whether a task that is posted now is the first one for a while.
fn is_due() -> bool {
    static POSTED: Mutex<Option<Instant>> = Mutex::new(None);
    let mut posted = POSTED.lock().unwrap_or_else(PoisonError::into_inner);
    let is_due = posted.is_none_or(|posted| posted.elapsed() >= PAUSE);
    if is_due {
        *posted = Some(Instant::now());
    }
    is_due
}

// SAFETY: the name is that by which the linker knows the wrapper.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap__ZN2v88internal10MemoryPool3AddEPNS0_7IsolateEPNS0_11MutablePageE(
    pool: *mut c_void,
    isolate: *mut c_void,
    page: *mut c_void,
) {
    // SAFETY: the caller's contract is the same.
    unsafe { __real__ZN2v88internal10MemoryPool3AddEPNS0_7IsolateEPNS0_11MutablePageE(pool, isolate, page) };
    // One that was posted before and has not run yet finds what is handed over now, and posts itself again for it.
    if is_due() {
        let microseconds = i64::try_from(PAUSE.as_micros()).unwrap_or(i64::MAX);
        // SAFETY: the pool is that of the isolate's group, which outlives its tasks.
        unsafe {
            _ZN2v88internal10MemoryPool22PostDelayedReleaseTaskEPNS0_7IsolateENS_4base9TimeDeltaE(
                pool,
                ptr::null_mut(),
                microseconds,
            );
        }
    }
}

/// Pages that V8 asks for in its regular way, and that have no code, are for its trusted space.
// SAFETY: the name is that by which the linker knows the wrapper.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap__ZN2v88internal15MemoryAllocator12AllocatePageENS1_14AllocationModeEPNS0_5SpaceENS0_13ExecutabilityE(
    allocator: *mut c_void,
    mode: i32,
    space: *mut c_void,
    executability: i32,
) -> *const *mut c_void {
    let is_trusted = mode == REGULAR && executability == NOT_EXECUTABLE;
    let mode = if is_trusted { TRY_POOLED } else { mode };
    // SAFETY: the caller's contract is the same.
    let page = unsafe {
        __real__ZN2v88internal15MemoryAllocator12AllocatePageENS1_14AllocationModeEPNS0_5SpaceENS0_13ExecutabilityE(
            allocator,
            mode,
            space,
            executability,
        )
    };
    let is_known = TRUSTED.get().is_some_and(|trusted| trusted.space == space);
    if is_trusted && !is_known && !page.is_null() {
        // SAFETY: what V8 notes of a page is longer, and names its space.
        let words = unsafe { std::slice::from_raw_parts(page, WORDS_OF_PAGE) };
        let owner = words.iter().position(|&word| word == space);
        TRUSTED.set(owner.map(|owner| Trusted { space, owner, is_kept: false }));
    }
    page
}

// SAFETY: the name is that by which the linker knows the wrapper.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap__ZN2v88internal15MemoryAllocator4FreeENS1_8FreeModeEPNS0_11MutablePageE(
    allocator: *mut c_void,
    mode: i32,
    page: *const *mut c_void,
) {
    let is_kept = TRUSTED.get().is_some_and(|Trusted { space, owner, is_kept }| {
        // SAFETY: as above.
        is_kept && mode == IMMEDIATELY && unsafe { page.add(owner).read() } == space
    });
    // SAFETY: the caller's contract is the same.
    unsafe {
        __real__ZN2v88internal15MemoryAllocator4FreeENS1_8FreeModeEPNS0_11MutablePageE(
            allocator,
            if is_kept { POOL } else { mode },
            page,
        );
    }
}
