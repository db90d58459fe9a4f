//! Memory that `Intl` takes. ICU allocates outside V8's heap and V8 does not count it: a formatter of 100 bytes on the
//! heap holds 20 KB of ICU, and a segmenter's iterator a copy of the text.
//!
//! ICU's own hooks count it per isolate, by the thread that allocates. Nothing is refused, since V8 aborts the process
//! when ICU is out of memory; beyond a threshold the isolate collects at its next check and is then held to its limit.

use std::cell::{Cell, RefCell};
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::limits::MemoryGuard;

/// In front of each block: its size and whose it is, in a multiple of the alignment that `malloc` gives.
#[repr(C, align(16))]
struct Header {
    size: usize,
    /// From `Arc::into_raw`; null if the thread has no isolate.
    owner: *const AtomicUsize,
}

const HEADER_BYTES: usize = size_of::<Header>();

/// What the thread's isolate holds of ICU.
struct Account {
    used: Arc<AtomicUsize>,
    guard: *const MemoryGuard,
}

thread_local! {
    static ACCOUNT: RefCell<Option<Account>> = const { RefCell::new(None) };
    /// Use beyond which the isolate is asked to collect.
    static THRESHOLD: Cell<usize> = const { Cell::new(usize::MAX) };
}

// SAFETY: ICU's declaration (`unicode/uclean.h`). The suffix is the version that the pinned `v8` crate links.
unsafe extern "C" {
    #[link_name = "u_setMemoryFunctions_77"]
    fn u_set_memory_functions(
        context: *const c_void,
        allocate: unsafe extern "C" fn(*const c_void, usize) -> *mut c_void,
        reallocate: unsafe extern "C" fn(*const c_void, *mut c_void, usize) -> *mut c_void,
        free: unsafe extern "C" fn(*const c_void, *mut c_void),
        status: *mut i32,
    );
}

/// Installs the hooks in the process's ICU. Must come before V8 is initialised, which is ICU's first use.
pub fn install() {
    let mut status = 0;
    // SAFETY: the functions match the declaration, and ICU has not allocated anything yet.
    unsafe { u_set_memory_functions(std::ptr::null(), allocate, reallocate, free, &raw mut status) };
    debug_assert!(status <= 0, "ICU refused its hooks: {status}");
}

/// Counts what the calling thread allocates in `used`, for the isolate of `guard`, which outlives the thread's use of V8.
pub fn count_for(guard: &MemoryGuard, used: Arc<AtomicUsize>, threshold: usize) {
    ACCOUNT.set(Some(Account { used, guard }));
    THRESHOLD.set(threshold);
}

/// Sets the use beyond which the thread's isolate is asked to collect once more.
pub fn set_threshold(bytes: usize) {
    THRESHOLD.set(bytes);
}

fn owner_of_thread(size: usize) -> *const AtomicUsize {
    // A thread that is ending has no isolate any more.
    let owner = ACCOUNT.try_with(|account| {
        let account = account.borrow();
        let Some(Account { used, guard }) = &*account else { return std::ptr::null() };
        let total = used.fetch_add(size, Ordering::Relaxed) + size;
        if total > THRESHOLD.get() {
            // Once, until the isolate has collected.
            THRESHOLD.set(usize::MAX);
            // SAFETY: the guard outlives the thread's use of V8, which is what calls ICU.
            unsafe { &**guard }.request_collection();
        }
        Arc::into_raw(used.clone())
    });
    owner.unwrap_or(std::ptr::null())
}

unsafe extern "C" fn allocate(_context: *const c_void, size: usize) -> *mut c_void {
    let Some(total) = size.checked_add(HEADER_BYTES) else { return std::ptr::null_mut() };
    // SAFETY: `malloc` may be called with any size.
    let block = unsafe { libc::malloc(total) }.cast::<Header>();
    if block.is_null() {
        return std::ptr::null_mut();
    }
    // SAFETY: the block has room for a header, and `malloc` aligns for it.
    unsafe {
        block.write(Header { size, owner: owner_of_thread(size) });
        block.add(1).cast()
    }
}

unsafe extern "C" fn reallocate(context: *const c_void, memory: *mut c_void, size: usize) -> *mut c_void {
    if memory.is_null() {
        // SAFETY: the caller's contract is that of `allocate`.
        return unsafe { allocate(context, size) };
    }
    // SAFETY: `memory` came from `allocate`, which left a header in front of it. The new block is another one, as long as
    // the shorter of both is copied.
    unsafe {
        let fresh = allocate(context, size);
        if !fresh.is_null() {
            let old = (*memory.cast::<Header>().sub(1)).size;
            std::ptr::copy_nonoverlapping(memory.cast::<u8>(), fresh.cast::<u8>(), old.min(size));
            free(context, memory);
        }
        fresh
    }
}

unsafe extern "C" fn free(_context: *const c_void, memory: *mut c_void) {
    if memory.is_null() {
        return;
    }
    // SAFETY: `memory` came from `allocate`, which left a header in front of it; its owner holds one reference for
    // this block.
    unsafe {
        let block = memory.cast::<Header>().sub(1);
        let Header { size, owner } = block.read();
        if !owner.is_null() {
            Arc::from_raw(owner).fetch_sub(size, Ordering::Relaxed);
        }
        libc::free(block.cast());
    }
}
