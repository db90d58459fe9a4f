//! Tables that V8 has in each isolate to find things sooner: of accesses to properties, three of 120 KiB, of code by addresses within it,
//! one of 64 KiB, and of the code of WebAssembly, one of 48 KiB. V8 fills them with empty entries when it has made them, and again when what
//! they name may have moved. Pages of zeros are empty entries, too, and take no memory until one is used, which in most sessions few are.
//! build.rs has the linker send here (`--wrap`) what fills them.

use std::cell::Cell;
use std::ptr::NonNull;

use crate::memory::pages;

/// Bytes of the tables that a `v8::internal::StubCache` begins with: 4,096 and 1,024 entries of a name, a handler and a map. An entry is
/// that of a name and a map if it has both, and empty if it has no map.
const STUBS_BYTES: usize = (4_096 + 1_024) * 3 * size_of::<usize>();
/// Bytes of a `v8::internal::wasm::WasmCodeLookupCache`: 1,024 entries of an address and what is there. An entry is empty if it has no
/// address.
const CODES_BYTES: usize = 1_024 * 6 * size_of::<usize>();
/// Where a `v8::internal::Isolate` has the address of its `InnerPointerToCodeCache`, which begins with the address of the isolate.
const POINTERS_OFFSET: usize = 0xeea0;
/// The entries behind that.
const POINTERS: usize = 1_024;

/// One of them: an address, what code is there, and what of the stack that code uses. Nobody looks at an entry without an address before it
/// is filled, but for [`Self::slots`].
#[repr(C)]
struct Pointer {
    entry: [u64; 6],
    /// Where a list that the entry owns is, and its length.
    slots: [u64; 2],
}

/// Where the caches of an isolate are.
#[derive(Clone, Copy)]
struct Caches {
    /// To load, to store and to define.
    stubs: [Option<NonNull<u8>>; 3],
    codes: Option<NonNull<u8>>,
    pointers: Option<NonNull<[Pointer; POINTERS]>>,
}

impl Caches {
    const NONE: Self = Self { stubs: [None; 3], codes: None, pointers: None };
}

thread_local! {
    /// Those of the isolate that the thread has made last.
    static OF_THIS_THREAD: Cell<Caches> = const { Cell::new(Caches::NONE) };
}

/// Empties the caches of the calling thread's isolate, and gives their pages back. To be called when nobody waits, and no code runs: to
/// have the pages anew takes a twentieth of an isolate's start.
pub fn give_back() {
    let Caches { stubs, codes, pointers } = OF_THIS_THREAD.get();
    for (cache, bytes) in stubs.map(|cache| (cache, STUBS_BYTES)).into_iter().chain([(codes, CODES_BYTES)]) {
        let Some(cache) = cache else { continue };
        // SAFETY: the isolate has its caches, since `end` was not called yet.
        unsafe { clear(cache, bytes) }
    }
    if let Some(pointers) = pointers {
        // SAFETY: as above, and nobody else has it while no code runs.
        unsafe { clear_unowned(pointers) }
    }
}

/// Gives the pages back where no entry owns a list.
///
/// # Safety
/// They are the caller's.
unsafe fn clear_unowned(pointers: NonNull<[Pointer; POINTERS]>) {
    // SAFETY: the caller's contract is the same.
    let entries = unsafe { pointers.as_ref() };
    for entries in entries.split(|pointer| pointer.slots != [0; 2]) {
        let start = NonNull::from(entries).cast();
        let (first, bytes) = pages::within(start, size_of_val(entries));
        if bytes > 0 {
            // SAFETY: they are within these entries, of which nothing is needed.
            unsafe { pages::give_back(first, bytes) };
        }
    }
}

/// The cache of an isolate that has this one, if both are where this version of V8 has them.
///
/// # Safety
/// The cache is one of properties, and its isolate has all of them.
unsafe fn pointers_beside(stubs: NonNull<u8>) -> Option<NonNull<[Pointer; POINTERS]>> {
    // SAFETY: behind its entries a cache has its isolate, which the caller has all of.
    unsafe {
        let isolate = stubs.add(STUBS_BYTES).cast::<NonNull<u8>>().read();
        let cache = isolate.add(POINTERS_OFFSET).cast::<Option<NonNull<NonNull<u8>>>>().read()?;
        (cache.is_aligned() && cache.read() == isolate).then(|| cache.add(1).cast())
    }
}

/// The thread's isolate is about to be taken apart.
pub fn end() {
    OF_THIS_THREAD.set(Caches::NONE);
}

/// Makes all zeros of `bytes` from `start`, whose pages are given back.
///
/// # Safety
/// The memory is the caller's, and as `malloc` gives it.
unsafe fn clear(start: NonNull<u8>, bytes: usize) {
    let (first, whole) = pages::within(start, bytes);
    let before = first.addr().get() - start.addr().get();
    // SAFETY: all of it is within what the caller has; what is behind the whole pages is less than one.
    unsafe {
        start.write_bytes(0, before);
        first.add(whole).write_bytes(0, bytes - before - whole);
        if !pages::give_back(first, whole) {
            first.write_bytes(0, whole);
        }
    }
}

// SAFETY: the name is that which the linker gives to V8's method.
unsafe extern "C" {
    fn __real__ZN2v88internal4wasm19WasmCodeLookupCache5FlushEv(cache: NonNull<u8>);
}

/// V8 has made it of zeros.
// SAFETY: the name is that by which the linker knows the wrapper of V8's method.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap__ZN2v88internal9StubCache10InitializeEv(cache: NonNull<u8>) {
    #[cfg(test)]
    // SAFETY: the cache begins with its tables.
    assert!(unsafe { std::slice::from_raw_parts(cache.as_ptr(), STUBS_BYTES) }.iter().all(|&byte| byte == 0));
    let caches = OF_THIS_THREAD.get();
    let [_, second, third] = caches.stubs;
    // SAFETY: V8 has made all tables before it fills those of properties.
    let pointers = unsafe { pointers_beside(cache) };
    OF_THIS_THREAD.set(Caches { stubs: [second, third, Some(cache)], pointers, ..caches });
}

// SAFETY: as above.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap__ZN2v88internal9StubCache5ClearEv(cache: NonNull<u8>) {
    // SAFETY: V8 calls this for a cache that it has allocated by `new`.
    unsafe { clear(cache, STUBS_BYTES) }
}

// SAFETY: as above. What else empties such a cache is where V8 has this method, and does not come here.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap__ZN2v88internal4wasm19WasmCodeLookupCache5FlushEv(cache: NonNull<u8>) {
    // SAFETY: the caller's contract is the same.
    unsafe { __real__ZN2v88internal4wasm19WasmCodeLookupCache5FlushEv(cache) };
    OF_THIS_THREAD.set(Caches { codes: Some(cache), ..OF_THIS_THREAD.get() });
}

/// Whether the calling thread's isolate has its caches where this version of V8 is known to have them.
#[cfg(test)]
pub fn are_known() -> bool {
    let Caches { stubs, codes, pointers } = OF_THIS_THREAD.get();
    stubs.iter().all(Option::is_some) && codes.is_some() && pointers.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::pages::PAGE_BYTES;

    #[test]
    fn what_entries_own_stays_and_the_pages_of_others_are_given_back() {
        let empty = || Pointer { entry: [7; 6], slots: [0; 2] };
        let mut pointers: Box<[Pointer; POINTERS]> = Box::new(std::array::from_fn(|_| empty()));
        pointers[500].slots = [1, 1];
        // SAFETY: they are the test's.
        unsafe { clear_unowned(NonNull::from(&mut *pointers)) };
        let is_kept = |pointer: &Pointer| pointer.entry == [7; 6];
        let kept = pointers.iter().filter(|pointer| is_kept(pointer)).count() * size_of::<Pointer>();
        assert!(is_kept(&pointers[500]) && pointers[500].slots == [1, 1]);
        assert!((size_of::<Pointer>()..5 * PAGE_BYTES).contains(&kept), "{kept} bytes");
    }

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
