//! Memory that V8 and ICU take outside of the heap, which V8 does not count: a formatter of 100 bytes on the heap holds
//! 20 KB of ICU, an empty array buffer 150 bytes of C++, the parser of JSON a stack of its own, and what a text is
//! compiled with hundreds of times its length.
//!
//! It is counted per isolate, by the thread that allocates: ICU by its own hooks, V8 by the operators `new` and
//! `delete`, which are weak in its archive, and by what its zones ask of `malloc`. Nothing is refused, since V8 aborts the
//! process when it gets nothing; beyond a threshold the isolate collects at its next check and is then held to its limit.

use std::cell::Cell;
use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::memory::buffers::BufferBudget;
use crate::memory::limits::MemoryGuard;

/// In front of each block: its size and who it is counted for. As aligned as what `malloc` gives.
#[repr(C, align(16))]
struct Header {
    size: usize,
    /// Absent if the thread had no isolate.
    owner: Option<&'static Counter>,
}

const HEADER_BYTES: usize = size_of::<Header>();

/// Bytes of a program from which on its syntax tree leaves much. 128 KiB.
const LARGE_PROGRAM_BYTES: usize = 128 << 10;
/// And of zones. 8 MiB.
const LARGE_ZONES_BYTES: usize = 8 << 20;

/// Bytes that are counted for one isolate. In a cache line of its own.
#[repr(align(64))]
struct Counter(AtomicUsize);

/// Counters of isolates that are gone. A counter is never freed, so that blocks need no count of references, and not used
/// again before the last block that it counts is free.
static RETIRED: Mutex<Vec<&Counter>> = Mutex::new(Vec::new());

/// What an isolate holds outside of its heap, array buffers not included.
pub struct Usage(&'static Counter);

impl Usage {
    pub fn new() -> Self {
        let mut retired = RETIRED.lock().unwrap_or_else(PoisonError::into_inner);
        let free = retired.iter().position(|Counter(bytes)| bytes.load(Ordering::Relaxed) == 0);
        Self(match free {
            Some(index) => retired.swap_remove(index),
            None => Box::leak(Box::new(Counter(AtomicUsize::new(0)))),
        })
    }

    pub fn bytes(&self) -> usize {
        self.0.0.load(Ordering::Relaxed)
    }
}

impl Drop for Usage {
    fn drop(&mut self) {
        RETIRED.lock().unwrap_or_else(PoisonError::into_inner).push(self.0);
    }
}

/// What the calling thread allocates outside of the heap is counted for one isolate, until [`Self::close`].
pub struct Account {
    used: &'static Counter,
    /// Use beyond which the isolate is asked to collect, unless it has been asked already.
    threshold: Cell<usize>,
    asked: Cell<bool>,
}

thread_local! {
    static GUARD: Cell<*const MemoryGuard> = const { Cell::new(std::ptr::null()) };
}

impl Account {
    /// An account of `usage`, which the caller keeps for as long.
    pub fn new(usage: &Usage, threshold: usize) -> Self {
        Self { used: usage.0, threshold: Cell::new(threshold), asked: Cell::new(false) }
    }

    /// Has what the calling thread allocates counted for `guard`, which clears that when it is dropped.
    pub fn open(guard: &MemoryGuard) {
        GUARD.set(guard);
    }

    /// Counts what the calling thread allocates for nobody from now on.
    pub fn close() {
        GUARD.set(std::ptr::null());
    }

    /// Whether more is used than when the isolate was asked to collect.
    pub fn is_above_threshold(&self) -> bool {
        self.used.0.load(Ordering::Relaxed) > self.threshold.get()
    }

    /// Asks again when `step` more bytes are used.
    pub fn rearm(&self, step: usize) {
        self.threshold.set(self.used.0.load(Ordering::Relaxed) + step);
        self.asked.set(false);
    }
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
pub fn install_icu_hooks() {
    let mut status = 0;
    // SAFETY: the functions match the declaration, and ICU has not allocated anything yet.
    unsafe { u_set_memory_functions(std::ptr::null(), icu_allocate, icu_reallocate, icu_free, &raw mut status) };
    assert!(status <= 0, "ICU refused its hooks: {status}");
}

/// What the allocator keeps for a thread whose isolate is gone. When this is dropped, the system gets it back, if it may be
/// much.
pub struct Remains {
    buffers: Arc<BufferBudget>,
    /// Bytes of the longest program.
    longest: usize,
}

impl Remains {
    pub fn new(buffers: Arc<BufferBudget>) -> Self {
        Self { buffers, longest: 0 }
    }

    /// A program of this length has been prepared.
    pub fn note_program(&mut self, bytes: usize) {
        self.longest = self.longest.max(bytes);
    }
}

impl Drop for Remains {
    fn drop(&mut self) {
        if self.longest > LARGE_PROGRAM_BYTES || self.buffers.zones.peak() > LARGE_ZONES_BYTES {
            #[cfg(all(target_os = "linux", target_env = "gnu"))]
            // SAFETY: this may be called at any time; the argument is what is kept of the main thread's memory.
            unsafe {
                libc::malloc_trim(0);
            }
        }
    }
}

/// Calls `work` with the guard of the isolate whose thread this is, if it has one.
pub fn with_guard<R>(work: impl FnOnce(&MemoryGuard) -> R) -> Option<R> {
    // A thread that is ending has no isolate any more.
    let guard = GUARD.try_with(Cell::get).unwrap_or(std::ptr::null());
    // SAFETY: the pointer is cleared on this thread before anything of the guard is dropped, and none of what is called here drops
    // the guard of its thread.
    unsafe { guard.as_ref() }.map(work)
}

/// Counts `bytes` for the thread's isolate.
fn charge(bytes: usize) -> Option<&'static Counter> {
    with_guard(|guard| {
        let &Account { used, ref threshold, ref asked } = guard.account();
        let total = used.0.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if total > threshold.get() && !asked.replace(true) {
            guard.request_collection();
        }
        used
    })
}

/// What a block of `size` bytes takes of the allocator: with its header and the allocator's own, in units of 16 bytes.
fn footprint(size: usize) -> usize {
    (HEADER_BYTES + size_of::<usize>() + size).next_multiple_of(16)
}

/// A block of `size` bytes, or null.
fn allocate(size: usize) -> *mut c_void {
    let Some(total) = size.checked_add(HEADER_BYTES) else { return std::ptr::null_mut() };
    // SAFETY: `malloc` may be called with any size.
    let block = unsafe { libc::malloc(total) }.cast::<Header>();
    if block.is_null() {
        return std::ptr::null_mut();
    }
    // SAFETY: the block has room for a header, and `malloc` aligns for it.
    unsafe {
        block.write(Header { size, owner: charge(footprint(size)) });
        block.add(1).cast()
    }
}

/// # Safety
/// `memory` is null or came from [`allocate`], and is not used afterwards.
unsafe fn free(memory: *mut c_void) {
    if memory.is_null() {
        return;
    }
    // SAFETY: `allocate` left a header in front of the memory.
    unsafe {
        let block = memory.cast::<Header>().sub(1);
        let Header { size, owner } = block.read();
        if let Some(Counter(bytes)) = owner {
            bytes.fetch_sub(footprint(size), Ordering::Relaxed);
        }
        libc::free(block.cast());
    }
}

unsafe extern "C" fn icu_allocate(_context: *const c_void, size: usize) -> *mut c_void {
    allocate(size)
}

unsafe extern "C" fn icu_reallocate(_context: *const c_void, memory: *mut c_void, size: usize) -> *mut c_void {
    let fresh = allocate(size);
    if !fresh.is_null() && !memory.is_null() {
        // SAFETY: ICU got `memory` from `allocate`, which left a header in front of it. The new block is another one;
        // what both have room for is copied.
        unsafe {
            let old = (*memory.cast::<Header>().sub(1)).size;
            std::ptr::copy_nonoverlapping(memory.cast::<u8>(), fresh.cast::<u8>(), old.min(size));
            free(memory);
        }
    }
    fresh
}

unsafe extern "C" fn icu_free(_context: *const c_void, memory: *mut c_void) {
    // SAFETY: ICU frees what it got from `allocate`, once.
    unsafe { free(memory) };
}

/// C++'s `new` and `delete`, which the archive of V8 defines weakly. All of them, so that each block is freed by the
/// allocator that it came from; those for greater alignments count nothing.
#[cfg(target_os = "linux")]
mod operators {
    use std::ffi::c_void;
    use std::time::Duration;

    use crate::memory::limits::MemoryGuard;
    use crate::memory::parking::park;

    /// How long a thread waits for memory before it asks again.
    const RETRY: Duration = Duration::from_millis(10);

    /// `std::nothrow_t const&`, which says nothing.
    type NoThrow = *const c_void;

    fn allocate_or_abort(size: usize) -> *mut c_void {
        super::with_guard(MemoryGuard::park_in_new_if_far_over);
        loop {
            let memory = super::allocate(size);
            if !memory.is_null() {
                return memory;
            }
            // C++ would throw, which V8 is compiled without.
            without_memory();
        }
    }

    /// Nothing of the system's memory is left. A thread with an isolate ends here; any other one, which works for the isolates of
    /// all, waits until somebody has given some back.
    fn without_memory() {
        if super::with_guard(MemoryGuard::can_park) == Some(true) {
            park();
        }
        std::thread::sleep(RETRY);
    }

    fn allocate_aligned(size: usize, alignment: usize) -> *mut c_void {
        let mut memory = std::ptr::null_mut();
        // SAFETY: C++ asks for powers of two that are larger than the default.
        match unsafe { libc::posix_memalign(&raw mut memory, alignment.max(size_of::<usize>()), size) } {
            0 => memory,
            _ => std::ptr::null_mut(),
        }
    }

    /// Defines operators `new` by their mangled names.
    macro_rules! news {
        ($($name:ident($($parameter:ident: $type:ty),*) $body:expr;)*) => {
            $(
                // SAFETY: the name is that of the C++ operator with these parameters.
                #[unsafe(no_mangle)]
                extern "C" fn $name($($parameter: $type),*) -> *mut c_void { $body }
            )*
        };
    }

    /// Defines operators `delete` by their mangled names, for what `$free` frees.
    macro_rules! deletes {
        ($free:path: $($name:ident($($parameter:ident: $type:ty),*);)*) => {
            $(
                // SAFETY: the name is that of the C++ operator with these parameters.
                #[unsafe(no_mangle)]
                unsafe extern "C" fn $name(memory: *mut c_void, $($parameter: $type),*) {
                    // SAFETY: C++ deletes what the `new` of the same kind gave, once.
                    unsafe { $free(memory) }
                }
            )*
        };
    }

    news! {
        _Znwm(size: usize) allocate_or_abort(size);
        _Znam(size: usize) allocate_or_abort(size);
        _ZnwmRKSt9nothrow_t(size: usize, _tag: NoThrow) super::allocate(size);
        _ZnamRKSt9nothrow_t(size: usize, _tag: NoThrow) super::allocate(size);
        _ZnwmSt11align_val_t(size: usize, alignment: usize) allocate_aligned(size, alignment);
        _ZnamSt11align_val_t(size: usize, alignment: usize) allocate_aligned(size, alignment);
        _ZnwmSt11align_val_tRKSt9nothrow_t(size: usize, alignment: usize, _tag: NoThrow) allocate_aligned(size, alignment);
        _ZnamSt11align_val_tRKSt9nothrow_t(size: usize, alignment: usize, _tag: NoThrow) allocate_aligned(size, alignment);
    }

    deletes! {
        super::free:
        _ZdlPv();
        _ZdaPv();
        _ZdlPvm(_size: usize);
        _ZdaPvm(_size: usize);
        _ZdlPvRKSt9nothrow_t(_tag: NoThrow);
        _ZdaPvRKSt9nothrow_t(_tag: NoThrow);
    }

    deletes! {
        libc::free:
        _ZdlPvSt11align_val_t(_alignment: usize);
        _ZdaPvSt11align_val_t(_alignment: usize);
        _ZdlPvmSt11align_val_t(_size: usize, _alignment: usize);
        _ZdaPvmSt11align_val_t(_size: usize, _alignment: usize);
        _ZdlPvSt11align_val_tRKSt9nothrow_t(_alignment: usize, _tag: NoThrow);
        _ZdaPvSt11align_val_tRKSt9nothrow_t(_alignment: usize, _tag: NoThrow);
    }
}
