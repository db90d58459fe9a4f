//! A thread is parked only while it holds no lock.

use std::rc::Rc;
use std::sync::mpsc::channel;
use std::thread;

use super::*;
use crate::memory::limits::with_guard;
use crate::memory::stop::{park_if_far_over, park_in_new_if_far_over};
use crate::realm::boot::Booted;

const LIMIT_BYTES: usize = 64 << 20;

/// Calls its argument while something is held, counted as the wrappers of that kind do.
type Hold = fn(&dyn Fn());

const HOLDS: [(&str, Hold); 6] = [
    ("absl::Mutex::lock", |work| {
        locks(|| ());
        work();
        unlocks(|| ());
    }),
    ("absl::Mutex::try_lock", |work| {
        assert!(tries(|| true));
        assert!(!tries(|| false));
        work();
        unlocks(|| ());
    }),
    ("pthread_mutex_lock", |work| {
        assert_eq!(tries_posix(|| 0), 0);
        assert_eq!(tries_posix(|| libc::EBUSY), libc::EBUSY);
        work();
        unlocks(|| ());
    }),
    ("__cxa_guard_acquire", |work| {
        assert_eq!(begins(|| 1), 1);
        assert_eq!(begins(|| 0), 0);
        work();
        unlocks(|| ());
    }),
    ("v8::base::CallOnce", |work| makes(work)),
    ("two of them", |work| {
        locks(|| ());
        makes(|| ());
        work();
        unlocks(|| ());
    }),
];

/// Other threads would wait for it forever.
#[test]
fn a_thread_far_over_its_limit_is_parked_only_when_it_has_given_its_locks_back() {
    for (name, hold) in HOLDS {
        for check in [park_if_far_over as fn(), park_in_new_if_far_over] {
            let (event, events) = channel();
            let run = move || {
                let parked = event.clone();
                let on_parked = Rc::new(move |_| parked.send("parked").expect("the test waits"));
                let _isolate = Booted::new(LIMIT_BYTES, on_parked).expect("there is memory");
                with_guard(|guard| guard.zones().add(3 * LIMIT_BYTES)).expect("the isolate's");
                hold(&|| {
                    check();
                    event.send("went on").expect("the test waits");
                });
                check();
                event.send("was not parked").expect("the test waits");
            };
            thread::Builder::new().stack_size(8 << 20).spawn(run).expect("a thread");
            assert_eq!(events.recv(), Ok("went on"), "{name}");
            assert_eq!(events.recv(), Ok("parked"), "{name}");
        }
    }
}
