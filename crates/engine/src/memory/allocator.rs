//! Allocations of V8 and ICU outside the heap. ICU offers hooks. V8 uses the operators `new` and `delete`, which are
//! weak in its archive.

use std::ffi::c_void;

use crate::memory::limits::with_guard;
#[cfg(target_os = "linux")]
use crate::memory::stop::park_in_icu_if_far_over;
use crate::memory::usage::Counter;

/// Header of each block: its size and the counter that it is charged to. Its alignment is that of `malloc`.
#[repr(C, align(16))]
struct Header {
    size: usize,
    /// Absent if the thread had no isolate.
    owner: Option<&'static Counter>,
}

const HEADER_BYTES: usize = size_of::<Header>();

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

/// Installs the hooks in the process's ICU. Must run before V8 is initialized, because that is ICU's first use.
pub fn install_icu_hooks() {
    let mut status = 0;
    // SAFETY: the functions match the declaration, and ICU has not allocated anything yet.
    unsafe { u_set_memory_functions(std::ptr::null(), icu_allocate, icu_reallocate, icu_free, &raw mut status) };
    assert!(status <= 0, "ICU refused its hooks: {status}");
}

/// Counts `bytes` for the thread's isolate.
fn charge(bytes: usize) -> Option<&'static Counter> {
    with_guard(|guard| {
        let (counter, must_collect) = guard.account().charge(bytes);
        if must_collect {
            guard.request_collection();
        }
        counter
    })
}

/// The bytes that the allocator uses for a block of `size` bytes: with its header and the allocator's own, in units of
/// 16 bytes.
fn footprint(size: usize) -> usize {
    (HEADER_BYTES + size_of::<usize>() + size).next_multiple_of(16)
}

/// A block of `size` bytes, or null.
fn allocate(size: usize) -> *mut c_void {
    #[cfg(all(test, target_os = "linux"))]
    if tests::is_refused() {
        return std::ptr::null_mut();
    }
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
    // SAFETY: `allocate` placed a header before the memory.
    unsafe {
        let block = memory.cast::<Header>().sub(1);
        let Header { size, owner } = block.read();
        if let Some(counter) = owner {
            counter.take(footprint(size));
        }
        libc::free(block.cast());
    }
}

unsafe extern "C" fn icu_allocate(_context: *const c_void, size: usize) -> *mut c_void {
    #[cfg(target_os = "linux")]
    park_in_icu_if_far_over(size);
    allocate(size)
}

unsafe extern "C" fn icu_reallocate(context: *const c_void, memory: *mut c_void, size: usize) -> *mut c_void {
    // SAFETY: the contract is the same.
    let fresh = unsafe { icu_allocate(context, size) };
    if !fresh.is_null() && !memory.is_null() {
        // SAFETY: ICU got `memory` from `allocate`, which placed a header before it. The new block does not overlap it,
        // and the copy is no longer than either block.
        unsafe {
            let old = (*memory.cast::<Header>().sub(1)).size;
            std::ptr::copy_nonoverlapping(memory.cast::<u8>(), fresh.cast::<u8>(), old.min(size));
            free(memory);
        }
    }
    fresh
}

unsafe extern "C" fn icu_free(_context: *const c_void, memory: *mut c_void) {
    // SAFETY: ICU frees memory that came from `allocate`, once.
    unsafe { free(memory) };
}

/// C++'s `new` and `delete`, which the archive of V8 defines weakly. All variants are replaced, so that each block is
/// freed by the allocator that it came from. The variants for greater alignments count nothing.
#[cfg(target_os = "linux")]
mod operators {
    use std::ffi::c_void;
    use std::time::Duration;

    use crate::memory::limits::{MemoryGuard, with_guard};
    use crate::memory::stop::{park, park_in_new_if_far_over};

    /// How long a thread waits for memory before it tries again.
    const RETRY: Duration = Duration::from_millis(10);

    /// `std::nothrow_t const&`; its value is not used.
    type NoThrow = *const c_void;

    pub fn allocate_or_abort(size: usize) -> *mut c_void {
        park_in_new_if_far_over();
        loop {
            let memory = super::allocate(size);
            if !memory.is_null() {
                return memory;
            }
            // C++ would throw, but V8 is compiled without exceptions.
            without_memory();
        }
    }

    /// The system has no memory left. A thread with an isolate ends here. Any other thread works for all isolates and
    /// waits until memory is freed.
    fn without_memory() {
        if with_guard(MemoryGuard::can_park) == Some(true) {
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

    /// Defines operators `delete` by their mangled names, for memory that `$free` frees.
    macro_rules! deletes {
        ($free:path: $($name:ident($($parameter:ident: $type:ty),*);)*) => {
            $(
                // SAFETY: the name is that of the C++ operator with these parameters.
                #[unsafe(no_mangle)]
                unsafe extern "C" fn $name(memory: *mut c_void, $($parameter: $type),*) {
                    // SAFETY: C++ deletes a pointer that the `new` of the same kind returned, once.
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

#[cfg(all(test, target_os = "linux"))]
#[path = "../tests/memory_allocator.rs"]
mod tests;
