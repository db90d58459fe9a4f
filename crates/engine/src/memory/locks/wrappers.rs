//! The functions that the linker calls in place of functions that take or release locks.

use std::ffi::{c_int, c_void};

use super::HELD;

type Pointer = *mut c_void;

fn take() {
    let _ = HELD.try_with(|held| held.set(held.get() + 1));
}

fn give_back() {
    // A lock that was taken while the thread began or ended was not counted.
    let _ = HELD.try_with(|held| held.set(held.get().saturating_sub(1)));
}

/// Defines the wrapper of a function and the counting around the original call. The linker renames the original to
/// `$real`.
macro_rules! wrap {
    ($($wrapper:ident, $real:ident($($parameter:ident: $type:ty),*) $(-> $result:ty)?: $count:expr;)*) => {
        // SAFETY: the linker gives the functions these names, and they have these parameters.
        unsafe extern "C" {
            $(fn $real($($parameter: $type),*) $(-> $result)?;)*
        }
        $(
            // SAFETY: the name is the linker's name for the wrapper.
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $wrapper($($parameter: $type),*) $(-> $result)? {
                // SAFETY: the caller's contract is the same.
                $count(|| unsafe { $real($($parameter),*) })
            }
        )*
    };
}

/// Takes a lock.
fn locks<R>(lock: impl FnOnce() -> R) -> R {
    let result = lock();
    take();
    result
}

/// Takes a lock if it is free.
fn tries(lock: impl FnOnce() -> bool) -> bool {
    let is_taken = lock();
    if is_taken {
        take();
    }
    is_taken
}

/// The same for functions that return 0 when they took the lock.
fn tries_posix(lock: impl FnOnce() -> c_int) -> c_int {
    let status = lock();
    if status == 0 {
        take();
    }
    status
}

/// Begins a one-time initialization, if the caller is to do it.
fn begins(begin: impl FnOnce() -> c_int) -> c_int {
    let is_first = begin();
    if is_first != 0 {
        take();
    }
    is_first
}

fn unlocks<R>(unlock: impl FnOnce() -> R) -> R {
    give_back();
    unlock()
}

/// Does a one-time initialization.
fn makes(make: impl FnOnce()) {
    take();
    make();
    give_back();
}

wrap! {
    // `absl::Mutex`, which V8 uses for its locks.
    __wrap__ZN4absl5Mutex4lockEv, __real__ZN4absl5Mutex4lockEv(mutex: Pointer): locks;
    __wrap__ZN4absl5Mutex8try_lockEv, __real__ZN4absl5Mutex8try_lockEv(mutex: Pointer) -> bool: tries;
    __wrap__ZN4absl5Mutex6unlockEv, __real__ZN4absl5Mutex6unlockEv(mutex: Pointer): unlocks;
    __wrap__ZN4absl5Mutex11lock_sharedEv, __real__ZN4absl5Mutex11lock_sharedEv(mutex: Pointer): locks;
    __wrap__ZN4absl5Mutex15try_lock_sharedEv, __real__ZN4absl5Mutex15try_lock_sharedEv(mutex: Pointer) -> bool: tries;
    __wrap__ZN4absl5Mutex13unlock_sharedEv, __real__ZN4absl5Mutex13unlock_sharedEv(mutex: Pointer): unlocks;
    // The basis of the mutexes of C++'s library, which ICU uses.
    __wrap_pthread_mutex_lock, __real_pthread_mutex_lock(mutex: Pointer) -> c_int: tries_posix;
    __wrap_pthread_mutex_trylock, __real_pthread_mutex_trylock(mutex: Pointer) -> c_int: tries_posix;
    __wrap_pthread_mutex_unlock, __real_pthread_mutex_unlock(mutex: Pointer) -> c_int: unlocks;
    // Static variables of functions, made at the first call.
    __wrap___cxa_guard_acquire, __real___cxa_guard_acquire(guard: Pointer) -> c_int: begins;
    __wrap___cxa_guard_release, __real___cxa_guard_release(guard: Pointer): unlocks;
    __wrap___cxa_guard_abort, __real___cxa_guard_abort(guard: Pointer): unlocks;
    // `v8::base::CallOnceImpl`, `icu::umtx_initOnce` and `std::call_once`.
    __wrap__ZN2v84base12CallOnceImplEPNSt4__Cr6atomicIhEENS1_8functionIFvvEEE,
    __real__ZN2v84base12CallOnceImplEPNSt4__Cr6atomicIhEENS1_8functionIFvvEEE(once: Pointer, make: Pointer): makes;
    __wrap__ZN6icu_7720umtx_initImplPreInitERNS_9UInitOnceE,
    __real__ZN6icu_7720umtx_initImplPreInitERNS_9UInitOnceE(once: Pointer) -> bool: tries;
    __wrap__ZN6icu_7721umtx_initImplPostInitERNS_9UInitOnceE,
    __real__ZN6icu_7721umtx_initImplPostInitERNS_9UInitOnceE(once: Pointer): unlocks;
    __wrap__ZNSt4__Cr11__call_onceERVmPvPFvS2_E,
    __real__ZNSt4__Cr11__call_onceERVmPvPFvS2_E(flag: Pointer, argument: Pointer, make: Pointer): makes;
}

#[cfg(test)]
#[path = "../../tests/memory_locks.rs"]
mod tests;
