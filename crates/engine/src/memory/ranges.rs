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
use std::mem;
use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// `v8::base::OS::MemoryPermission`: none, and none until there is code.
const NO_ACCESS: i32 = 0;
const NO_ACCESS_YET: i32 = 5;

/// As many are kept: of one isolate that has ended, and of one that ends while the next one starts.
const MAX_KEPT: usize = 2;

/// The start of a range.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Range(NonNull<c_void>);

// SAFETY: it is used by who has taken it out of the list that it is in.
unsafe impl Send for Range {}

/// Ranges of one size.
struct Kept {
    bytes: usize,
    ranges: Mutex<Ranges>,
}

struct Ranges {
    /// Those that nobody has.
    free: Vec<Range>,
    /// Those of isolates. What guests reserve may be as long, and is neither taken from here nor kept.
    taken: Vec<Range>,
}

/// As much as V8 can jump over.
static CODE: Kept = Kept::of(if cfg!(target_arch = "aarch64") { 256 << 20 } else { 512 << 20 });
static TABLES: Kept = Kept::of(256 << 20);

impl Kept {
    const fn of(bytes: usize) -> Self {
        Self { bytes, ranges: Mutex::new(Ranges { free: Vec::new(), taken: Vec::new() }) }
    }

    fn ranges(&self) -> MutexGuard<'_, Ranges> {
        self.ranges.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The range of an isolate that starts: one that was kept, or what `reserve` gives.
    fn take(&self, alignment: usize, reserve: impl FnOnce() -> *mut c_void) -> *mut c_void {
        let mut ranges = self.ranges();
        let suits = |range: &Range| range.0.addr().get().is_multiple_of(alignment);
        let kept = ranges.free.iter().rposition(suits).map(|index| ranges.free.remove(index));
        // Not while it is locked: that takes a while.
        drop(ranges);
        let Some(range) = kept.or_else(|| NonNull::new(reserve()).map(Range)) else { return std::ptr::null_mut() };
        self.ranges().taken.push(range);
        range.0.as_ptr()
    }

    /// Keeps a range of an isolate. False: it is to be given back.
    ///
    /// # Safety
    /// The range is the caller's, who does not use it any more if it is kept.
    unsafe fn keep(&self, start: *mut c_void, bytes: usize) -> bool {
        let Some(range) = NonNull::new(start).map(Range).filter(|_| bytes == self.bytes) else { return false };
        let mut ranges = self.ranges();
        let Some(index) = ranges.taken.iter().position(|&taken| taken == range) else { return false };
        ranges.taken.swap_remove(index);
        let has_room = ranges.free.len() < MAX_KEPT;
        drop(ranges);
        // SAFETY: the caller's contract is the same.
        if !has_room || !unsafe { empty(range.0, bytes) } {
            return false;
        }
        let mut ranges = self.ranges();
        let is_kept = ranges.free.len() < MAX_KEPT;
        if is_kept {
            ranges.free.push(range);
        }
        is_kept
    }

    /// Gives back what nobody has. False: that is nothing.
    fn give_back(&self) -> bool {
        let free = mem::take(&mut self.ranges().free);
        for &Range(start) in &free {
            // SAFETY: nobody has the range.
            unsafe { __real__ZN2v84base2OS4FreeEPvm(start.as_ptr(), self.bytes) };
        }
        !free.is_empty()
    }
}

/// What `reserve` gives; once more if that is nothing and there is something kept, since the process may have no more of the address space.
fn or_without_kept(reserve: impl Fn() -> *mut c_void) -> *mut c_void {
    let start = reserve();
    // Both, whatever the first one says.
    if start.is_null() && (CODE.give_back() | TABLES.give_back()) { reserve() } else { start }
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
    struct Before(bool);
    impl Drop for Before {
        fn drop(&mut self) {
            IS_STARTING.set(self.0);
        }
    }
    let before = Before(IS_STARTING.replace(true));
    let made = make();
    drop(before);
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
    // SAFETY: the caller's contract is the same.
    let reserve = || unsafe {
        __real__ZN2v84base2OS8AllocateEPvmmNS1_16MemoryPermissionENSt4__Cr8optionalINS_18SharedMemoryHandleEEE(
            hint, bytes, alignment, permission, shared,
        )
    };
    let is_code = bytes == CODE.bytes && matches!(permission, NO_ACCESS | NO_ACCESS_YET) && !shared.is_there;
    if is_code && IS_STARTING.get() {
        CODE.take(alignment, || or_without_kept(reserve))
    } else {
        or_without_kept(reserve)
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
    // SAFETY: the caller's contract is the same.
    let reservation = || unsafe {
        __real__ZN2v84base2OS29CreateAddressSpaceReservationEPvmmNS1_16MemoryPermissionENSt4__Cr8optionalINS_18SharedMemoryHandleEEE(
            hint, bytes, alignment, most, shared,
        )
    };
    let reserve = || {
        let Reservation { start, is_there, .. } = reservation();
        if is_there { start } else { std::ptr::null_mut() }
    };
    let is_table = bytes == TABLES.bytes && !shared.is_there;
    let start = if is_table && IS_STARTING.get() {
        TABLES.take(alignment, || or_without_kept(reserve))
    } else {
        or_without_kept(reserve)
    };
    Reservation { start, bytes, is_there: !start.is_null() }
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
        let mut pages = out_of_reach();
        // Another isolate may have started meanwhile.
        if !pages.contains(&start.addr()) {
            pages.push(start.addr());
        }
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
            let found = (0..1_000).find_map(|_| {
                on_a_thread(|| drop(boot()));
                let ranges = kept.ranges();
                (!ranges.free.is_empty()).then_some(ranges)
            });
            let free = &found.as_ref().expect("it is kept").free;
            assert!(free.len() <= MAX_KEPT);
            for page in [0, 4, 1 << 10] {
                assert_eq!(access_to(free[0].0.addr().get() + page * 4_096), "---");
            }
        }
    }

    #[test]
    fn what_is_kept_has_nothing_of_who_had_it_and_is_an_isolates() {
        // Not those of V8, so that no isolate of another test gets it.
        let kept = Kept::of(1 << 20);
        let reserve = || {
            let (access, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
            // SAFETY: it takes numbers only.
            unsafe { libc::mmap(std::ptr::null_mut(), 1 << 20, access, flags, -1, 0) }
        };
        let unknown = reserve();
        let memory = kept.take(4_096, reserve);
        // SAFETY: the memory is the test's.
        unsafe {
            assert!(!kept.keep(unknown, kept.bytes), "it is nobody's");
            memory.cast::<u8>().write_bytes(7, kept.bytes);
            assert!(!kept.keep(memory, kept.bytes / 2), "another size");
            assert!(kept.keep(memory, kept.bytes));
            assert_eq!(access_to(memory.addr()), "---");
            let other = kept.take(1 << 46, reserve);
            assert_ne!(other, memory, "it is not aligned so");
            assert_eq!(kept.take(4_096, || unreachable!("it is kept")), memory);
            libc::mprotect(memory, kept.bytes, libc::PROT_READ);
            assert!(std::slice::from_raw_parts(memory.cast::<u8>(), kept.bytes).iter().all(|&byte| byte == 0));
            assert_eq!(kept.take(4_096, std::ptr::null_mut), std::ptr::null_mut());
            assert!(!kept.give_back());
            assert!(kept.keep(memory, kept.bytes) && kept.keep(other, kept.bytes));
            assert!(kept.give_back());
            assert_eq!(access_to(memory.addr()), "not there");
            libc::munmap(unknown, kept.bytes);
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
