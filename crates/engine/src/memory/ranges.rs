//! Parts of the address space that V8 reserves for each isolate, 512 MiB for code and 256 MiB for the table through which functions are
//! called, and what it puts out of reach: the objects that stand for no value, which all isolates share. build.rs has the linker send here
//! (`--wrap`) what does either.
//!
//! Whoever changes what a process has of the address space keeps its other threads from doing so, and where memory is taken away, all
//! processors have to take note. An isolate that is taken apart and the next one, which starts meanwhile, would wait for each other for a
//! twentieth of a start. So an isolate gets what one before has left, empty and out of reach as the system would give it, and what is out of
//! reach is left alone.

use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// `v8::base::OS::MemoryPermission`: none, and none until there is code.
const NO_ACCESS: i32 = 0;
const NO_ACCESS_YET: i32 = 5;

/// As many are kept: of one isolate that has ended, and of one that ends while the next one starts.
const MAX_KEPT: usize = 2;

/// The start of a range that nobody has.
struct Range(NonNull<c_void>);

// SAFETY: nobody has it.
unsafe impl Send for Range {}

/// Ranges of one size.
struct Kept {
    bytes: usize,
    ranges: Mutex<Vec<Range>>,
}

static CODE: Kept = Kept::of(512 << 20);
static TABLES: Kept = Kept::of(256 << 20);

impl Kept {
    const fn of(bytes: usize) -> Self {
        Self { bytes, ranges: Mutex::new(Vec::new()) }
    }

    fn ranges(&self) -> MutexGuard<'_, Vec<Range>> {
        self.ranges.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A range, if there is one as asked for.
    fn take(&self, bytes: usize, alignment: usize) -> Option<NonNull<c_void>> {
        if bytes != self.bytes {
            return None;
        }
        let mut ranges = self.ranges();
        let suits = |range: &Range| range.0.addr().get().is_multiple_of(alignment);
        let index = ranges.iter().rposition(suits)?;
        Some(ranges.remove(index).0)
    }

    /// Keeps a range. False: it is to be given back.
    ///
    /// # Safety
    /// The range is the caller's, who does not use it any more if it is kept.
    unsafe fn keep(&self, start: *mut c_void, bytes: usize) -> bool {
        let has_room = || bytes == self.bytes && self.ranges().len() < MAX_KEPT;
        let Some(start) = NonNull::new(start).filter(|_| has_room()) else { return false };
        // SAFETY: the caller's contract is the same.
        if !unsafe { empty(start, bytes) } {
            return false;
        }
        let mut ranges = self.ranges();
        let is_kept = ranges.len() < MAX_KEPT;
        if is_kept {
            ranges.push(Range(start));
        }
        is_kept
    }
}

/// Takes the memory of a range away and puts it out of reach, as V8 has it where it reserves one. False: the system refuses.
///
/// # Safety
/// As for [`Kept::keep`].
unsafe fn empty(start: NonNull<c_void>, bytes: usize) -> bool {
    let flags = libc::MAP_FIXED | libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: the caller's contract is the same.
    unsafe {
        let is_empty = libc::mmap(start.as_ptr(), bytes, libc::PROT_NONE, flags, -1, 0) == start.as_ptr();
        // That a process forked from this one gets it, too, would only take longer.
        is_empty && {
            libc::madvise(start.as_ptr(), bytes, libc::MADV_DONTFORK);
            true
        }
    }
}

thread_local! {
    static IS_STARTING: Cell<bool> = const { Cell::new(false) };
}

/// Where pages are that V8 puts out of reach for each isolate that starts, and that have been so since the first one.
static OUT_OF_REACH: Mutex<Vec<usize>> = Mutex::new(Vec::new());

fn out_of_reach() -> MutexGuard<'static, Vec<usize>> {
    OUT_OF_REACH.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Has the calling thread make an isolate.
pub fn start<T>(make: impl FnOnce() -> T) -> T {
    IS_STARTING.set(true);
    let made = make();
    IS_STARTING.set(false);
    made
}

/// `std::optional<v8::base::AddressSpaceReservation>`.
#[repr(C)]
struct Reservation {
    start: *mut c_void,
    bytes: usize,
    is_there: bool,
}

/// `std::optional<v8::SharedMemoryHandle>`: a number of 32 bits, and whether it is there.
#[repr(C)]
#[derive(Clone, Copy)]
struct Shared {
    handle: i32,
    is_there: bool,
}

// SAFETY: the names are those that the linker gives to functions of `v8::base::OS`.
unsafe extern "C" {
    fn __real__ZN2v84base2OS8AllocateEPvmmNS1_16MemoryPermissionENSt4__Cr8optionalINS_18SharedMemoryHandleEEE(
        hint: *mut c_void,
        bytes: usize,
        alignment: usize,
        permission: i32,
        shared: Shared,
    ) -> *mut c_void;
    fn __real__ZN2v84base2OS4FreeEPvm(start: *mut c_void, bytes: usize);
    fn __real__ZN2v84base2OS29CreateAddressSpaceReservationEPvmmNS1_16MemoryPermissionENSt4__Cr8optionalINS_18SharedMemoryHandleEEE(
        hint: *mut c_void,
        bytes: usize,
        alignment: usize,
        most: i32,
        shared: Shared,
    ) -> Reservation;
    fn __real__ZN2v84base2OS27FreeAddressSpaceReservationENS0_23AddressSpaceReservationE(
        start: *mut c_void,
        bytes: usize,
    );
    fn __real__ZN2v84base2OS13DecommitPagesEPvm(start: *mut c_void, bytes: usize) -> bool;
}

// SAFETY: the name is that by which the linker knows the wrapper; so are those below.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap__ZN2v84base2OS8AllocateEPvmmNS1_16MemoryPermissionENSt4__Cr8optionalINS_18SharedMemoryHandleEEE(
    hint: *mut c_void,
    bytes: usize,
    alignment: usize,
    permission: i32,
    shared: Shared,
) -> *mut c_void {
    if matches!(permission, NO_ACCESS | NO_ACCESS_YET)
        && !shared.is_there
        && let Some(start) = CODE.take(bytes, alignment)
    {
        return start.as_ptr();
    }
    // SAFETY: the caller's contract is the same.
    unsafe {
        __real__ZN2v84base2OS8AllocateEPvmmNS1_16MemoryPermissionENSt4__Cr8optionalINS_18SharedMemoryHandleEEE(
            hint, bytes, alignment, permission, shared,
        )
    }
}

// SAFETY: as above.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap__ZN2v84base2OS4FreeEPvm(start: *mut c_void, bytes: usize) {
    // SAFETY: the caller's contract is the same.
    if unsafe { CODE.keep(start, bytes) } {
        return;
    }
    let given_back = start.addr()..start.addr() + bytes;
    out_of_reach().retain(|page| !given_back.contains(page));
    // SAFETY: the caller's contract is the same.
    unsafe { __real__ZN2v84base2OS4FreeEPvm(start, bytes) };
}

/// A reservation is without access, whatever may be made of it.
// SAFETY: as above.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap__ZN2v84base2OS29CreateAddressSpaceReservationEPvmmNS1_16MemoryPermissionENSt4__Cr8optionalINS_18SharedMemoryHandleEEE(
    hint: *mut c_void,
    bytes: usize,
    alignment: usize,
    most: i32,
    shared: Shared,
) -> Reservation {
    if !shared.is_there
        && let Some(start) = TABLES.take(bytes, alignment)
    {
        return Reservation { start: start.as_ptr(), bytes, is_there: true };
    }
    // SAFETY: the caller's contract is the same.
    unsafe {
        __real__ZN2v84base2OS29CreateAddressSpaceReservationEPvmmNS1_16MemoryPermissionENSt4__Cr8optionalINS_18SharedMemoryHandleEEE(
            hint, bytes, alignment, most, shared,
        )
    }
}

// SAFETY: as above.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap__ZN2v84base2OS27FreeAddressSpaceReservationENS0_23AddressSpaceReservationE(
    start: *mut c_void,
    bytes: usize,
) {
    // SAFETY: the caller's contract is the same.
    unsafe {
        if !TABLES.keep(start, bytes) {
            __real__ZN2v84base2OS27FreeAddressSpaceReservationENS0_23AddressSpaceReservationE(start, bytes);
        }
    }
}

/// V8 gives its pages back by [`__wrap__ZN2v84base2OS4FreeEPvm`], and those that it has put out of reach for an isolate that starts are in
/// what it never writes to again: until then they stay so.
// SAFETY: as above.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap__ZN2v84base2OS13DecommitPagesEPvm(start: *mut c_void, bytes: usize) -> bool {
    let is_starting = IS_STARTING.get();
    if is_starting && out_of_reach().contains(&start.addr()) {
        return true;
    }
    // SAFETY: the caller's contract is the same.
    let is_done = unsafe { __real__ZN2v84base2OS13DecommitPagesEPvm(start, bytes) };
    if is_starting && is_done {
        out_of_reach().push(start.addr());
    }
    is_done
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;
    use std::{fs, thread};

    use super::*;
    use crate::realm::boot::Booted;

    /// Held by who looks at all pages that are out of reach.
    static ALONE: Mutex<()> = Mutex::new(());

    fn on_a_thread(work: impl FnOnce() + Send + 'static) {
        thread::Builder::new().stack_size(8 << 20).spawn(work).expect("a thread").join().expect("no panic");
    }

    fn boot() -> Booted {
        Booted::new(64 << 20, Rc::new(|_| {})).expect("there is memory")
    }

    /// What the process may do with the memory at `address`, as the system shows it.
    fn access_to(address: usize) -> String {
        let maps = fs::read_to_string("/proc/self/maps").expect("Linux has it");
        let number = |text| usize::from_str_radix(text, 16).expect("an address");
        let here = maps.lines().find_map(|line| {
            let (range, rest) = line.split_once(' ')?;
            let (start, end) = range.split_once('-')?;
            (number(start)..number(end)).contains(&address).then(|| rest[..3].to_owned())
        });
        here.unwrap_or_else(|| "not there".to_owned())
    }

    #[test]
    fn what_isolates_have_left_is_out_of_reach_and_of_no_more_than_two() {
        for kept in [&CODE, &TABLES] {
            // Isolates of other tests may take it at once.
            let found = loop {
                on_a_thread(|| drop(boot()));
                let ranges = kept.ranges();
                if !ranges.is_empty() {
                    break ranges;
                }
            };
            assert!(found.len() <= MAX_KEPT);
            for page in [0, 4, 1 << 10] {
                assert_eq!(access_to(found[0].0.addr().get() + page * 4_096), "---");
            }
        }
    }

    #[test]
    fn what_is_kept_has_nothing_of_who_had_it() {
        // Not of a size that V8 reserves, so that no isolate of another test gets it.
        let kept = Kept::of(1 << 20);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: the memory is the test's.
        unsafe {
            let memory = libc::mmap(std::ptr::null_mut(), kept.bytes, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
            memory.cast::<u8>().write_bytes(7, kept.bytes);
            assert!(!kept.keep(memory, kept.bytes / 2), "another size");
            assert!(kept.keep(memory, kept.bytes));
            assert_eq!(access_to(memory.addr()), "---");
            assert_eq!((kept.take(kept.bytes / 2, 1), kept.take(kept.bytes, 1 << 46)), (None, None));
            assert_eq!(kept.take(kept.bytes, 4_096), NonNull::new(memory));
            assert_eq!(kept.take(kept.bytes, 4_096), None);
            libc::mprotect(memory, kept.bytes, libc::PROT_READ);
            assert!(std::slice::from_raw_parts(memory.cast::<u8>(), kept.bytes).iter().all(|&byte| byte == 0));
            libc::munmap(memory, kept.bytes);
        }
    }

    #[test]
    fn what_stands_for_no_value_stays_out_of_reach_of_all_isolates() {
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        on_a_thread(|| {
            let _first = boot();
            let pages = out_of_reach().clone();
            assert!(pages.len() > 8, "V8 has as many: {pages:?}");
            on_a_thread(|| {
                let _second = boot();
                assert_eq!(out_of_reach().len(), pages.len());
                for page in pages {
                    assert_eq!(access_to(page), "---");
                }
            });
        });
    }

    #[test]
    fn what_is_given_back_is_put_out_of_reach_anew() {
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: the memory is the test's.
        unsafe {
            let memory = libc::mmap(std::ptr::null_mut(), 8_192, libc::PROT_READ, flags, -1, 0);
            start(|| __wrap__ZN2v84base2OS13DecommitPagesEPvm(memory.add(4_096), 4_096));
            assert!(out_of_reach().contains(&(memory.addr() + 4_096)));
            __wrap__ZN2v84base2OS4FreeEPvm(memory, 8_192);
            assert!(!out_of_reach().contains(&(memory.addr() + 4_096)));
        }
    }
}
