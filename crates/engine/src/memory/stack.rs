//! Returns the stack memory of an idle thread. Otherwise the thread would keep all pages that deep recursion has used.

use std::ffi::c_void;
use std::hint::black_box;
use std::mem::MaybeUninit;
use std::ptr::{self, NonNull};

use crate::memory::pages;

/// Bytes that the calls below may use.
const IN_USE_BYTES: usize = 1_024;

/// Returns the part of the calling thread's stack that is not in use.
#[inline(never)]
pub fn give_back() {
    let Some((lowest, bytes)) = whole() else { return };
    let here = black_box(&raw const lowest).addr();
    // The address is below the stack's end or above its beginning if the thread runs on another stack.
    let Some(unused) = here.checked_sub(lowest.addr().get() + IN_USE_BYTES).filter(|&unused| unused < bytes) else {
        return;
    };
    let (first, unused) = pages::within(lowest, unused);
    // SAFETY: stacks grow down, and all frames of the thread are above.
    unsafe { pages::give_back(first, unused) };
}

/// The lowest address of the calling thread's stack, and its size in bytes.
fn whole() -> Option<(NonNull<u8>, usize)> {
    let mut attributes = MaybeUninit::<libc::pthread_attr_t>::uninit();
    let mut lowest = ptr::null_mut::<c_void>();
    let mut bytes = 0;
    // SAFETY: the attributes are read and destroyed only if they were initialized.
    unsafe {
        if libc::pthread_getattr_np(libc::pthread_self(), attributes.as_mut_ptr()) != 0 {
            return None;
        }
        libc::pthread_attr_getstack(attributes.as_ptr(), &raw mut lowest, &raw mut bytes);
        libc::pthread_attr_destroy(attributes.as_mut_ptr());
    }
    NonNull::new(lowest.cast()).map(|lowest| (lowest, bytes))
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;
    use crate::memory::pages::PAGE_BYTES;

    const USED_PAGES: usize = 256;

    /// Touches this many pages below the caller's. Returns the address of the last one.
    #[inline(never)]
    fn touch(pages: usize) -> NonNull<u8> {
        let mut page = [0_u8; PAGE_BYTES];
        black_box(&mut page).fill(1);
        if pages == 1 { NonNull::from(&page).cast() } else { black_box(touch(pages - 1)) }
    }

    #[test]
    fn what_recursion_has_used_is_given_back() {
        let run = || {
            let (first, _) = pages::within(touch(USED_PAGES), 2 * PAGE_BYTES);
            assert_eq!(pages::resident::<USED_PAGES>(first), USED_PAGES);
            let mine = black_box([7_u8; 3 * PAGE_BYTES]);
            give_back();
            assert!(mine.iter().all(|&byte| byte == 7));
            let kept = pages::resident::<USED_PAGES>(first);
            assert!(kept <= USED_PAGES / 8, "{kept} pages are kept");
        };
        thread::Builder::new().stack_size(8 << 20).spawn(run).expect("a thread").join().expect("no panic");
    }
}
