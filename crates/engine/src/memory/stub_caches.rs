//! V8's caches of property accesses: three of 120 KiB in each isolate. V8 fills them with empty entries when it makes them, and again when
//! it collects the whole heap. Pages of zeros are empty entries, too, and take no memory until one is used, which in most sessions few
//! are. build.rs has the linker send here (`--wrap`) what fills them.

use std::cell::Cell;
use std::ptr::NonNull;

/// Bytes of the tables that a `v8::internal::StubCache` begins with: 4,096 and 1,024 entries of a name, a handler and a map. An entry is
/// that of a name and a map if it has both, and empty if it has no map.
const TABLES_BYTES: usize = (4_096 + 1_024) * 3 * size_of::<usize>();
const PAGE_BYTES: usize = 4_096;

thread_local! {
    /// Those of the isolate that the thread has made last: to load, to store and to define.
    static OF_THIS_THREAD: Cell<[Option<NonNull<u8>>; 3]> = const { Cell::new([None; 3]) };
}

/// Empties the caches of the calling thread's isolate, and gives their pages back. To be called when nobody waits: to have the pages
/// anew takes a twentieth of an isolate's start.
pub fn give_back() {
    for cache in OF_THIS_THREAD.get().into_iter().flatten() {
        // SAFETY: the isolate has its caches, since `end` was not called yet.
        unsafe { clear(cache, TABLES_BYTES) }
    }
}

/// The thread's isolate is about to be taken apart.
pub fn end() {
    OF_THIS_THREAD.take();
}

/// Makes all zeros of `bytes` from `start`, whose pages are given back.
///
/// # Safety
/// The memory is the caller's, and as `malloc` gives it.
unsafe fn clear(start: NonNull<u8>, bytes: usize) {
    let skipped = start.align_offset(PAGE_BYTES).min(bytes);
    let whole = (bytes - skipped) & !(PAGE_BYTES - 1);
    // SAFETY: all of it is within what the caller has; what is behind the whole pages is less than one.
    unsafe {
        let first = start.add(skipped);
        start.write_bytes(0, skipped);
        first.add(whole).write_bytes(0, bytes - skipped - whole);
        // Refused where memory is locked.
        if libc::madvise(first.as_ptr().cast(), whole, libc::MADV_DONTNEED) != 0 {
            first.write_bytes(0, whole);
        }
    }
}

// SAFETY: the name is that which the linker gives to V8's method.
unsafe extern "C" {
    fn __real__ZN2v88internal9StubCache10InitializeEv(cache: NonNull<u8>);
}

// SAFETY: the name is that by which the linker knows the wrapper of V8's method.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap__ZN2v88internal9StubCache10InitializeEv(cache: NonNull<u8>) {
    // SAFETY: the caller's contract is the same.
    unsafe { __real__ZN2v88internal9StubCache10InitializeEv(cache) };
    let [_, second, third] = OF_THIS_THREAD.get();
    OF_THIS_THREAD.set([second, third, Some(cache)]);
}

// SAFETY: as above.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap__ZN2v88internal9StubCache5ClearEv(cache: NonNull<u8>) {
    // SAFETY: V8 calls this for a cache that it has allocated by `new`.
    unsafe { clear(cache, TABLES_BYTES) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cleared_is_zero_and_nothing_else_is() {
        for offset in [0, 1, PAGE_BYTES - 1] {
            for bytes in [0, 7, PAGE_BYTES, 3 * PAGE_BYTES + 5] {
                let mut memory = vec![7_u8; 6 * PAGE_BYTES];
                let start = NonNull::from(&mut memory[offset]);
                // SAFETY: it is within the vector.
                unsafe { clear(start, bytes) };
                let expected = |at| if (offset..offset + bytes).contains(&at) { 0 } else { 7 };
                assert!(
                    memory.iter().enumerate().all(|(at, &byte)| byte == expected(at)),
                    "{bytes} bytes from {offset}"
                );
            }
        }
    }
}
