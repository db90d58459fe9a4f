//! Tests of the guard of an isolate's memory.

use std::rc::Rc;
use std::thread;

use super::*;
use crate::realm::boot::{Booted, Guarded};
use crate::realm::instance::Instance;

const LIMIT_BYTES: usize = 64 << 20;

/// Calls `test` with an isolate on a separate thread.
fn with_isolate(test: impl FnOnce(Guarded) + Send + 'static) {
    with_isolate_of(LIMIT_BYTES, test);
}

fn with_isolate_of(limit_bytes: usize, test: impl FnOnce(Guarded) + Send + 'static) {
    let run = move || test(Booted::new(limit_bytes, Rc::new(|_| {})).expect("there is memory").guarded);
    thread::Builder::new().stack_size(8 << 20).spawn(run).expect("a thread").join().expect("no panic");
}

/// The limit of the guard that is found on this thread.
fn found() -> Option<usize> {
    with_guard(|guard| guard.limit_bytes)
}

/// Regression: callers could choose the lifetime of the reference to the guard, and could find it while its fields were
/// dropped. The compiler prevents a closure from keeping its argument.
#[test]
fn a_guard_is_found_on_its_own_thread_and_not_once_it_is_being_dropped() {
    assert_eq!(found(), None);
    with_isolate(|guarded| {
        assert_eq!(found(), Some(LIMIT_BYTES));
        assert_eq!(thread::spawn(found).join().expect("no panic"), None);
        assert_eq!(uncounted(found), None);
        assert_eq!(found(), Some(LIMIT_BYTES));
        drop(guarded);
        assert_eq!(found(), None);
    });
    with_isolate(|mut guarded| {
        let buffers = guarded.memory.buffers.clone();
        // V8 accepts each of these removals once.
        guarded.instance.isolate.remove_near_heap_limit_callback(near_heap_limit, 0);
        let other = MemoryGuard::install(&mut guarded.instance.isolate, buffers);
        assert_eq!(found(), Some(LIMIT_BYTES));
        // Nothing else clears it here.
        drop_unused(&mut guarded.instance.isolate, other);
        assert_eq!(found(), None);
    });
}

/// Drops a guard after its isolate's callbacks were removed.
fn drop_unused(isolate: &mut v8::Isolate, guard: Box<MemoryGuard>) {
    isolate.remove_gc_epilogue_callback(after_full_collection, guard.data());
    isolate.remove_gc_prologue_callback(before_collection, guard.data());
    isolate.remove_gc_epilogue_callback(after_collection, guard.data());
    isolate.remove_near_heap_limit_callback(near_heap_limit, 0);
    drop(guard);
}

/// Regression: each call toggled the flag. If V8 left out one call, the flag stayed inverted.
#[test]
fn a_call_that_v8_leaves_out_is_made_up_for_by_the_next_collection() {
    with_isolate(|mut guarded| {
        let isolate = &mut guarded.instance.isolate;
        let guard = &guarded.memory;
        // SAFETY: used on the isolate's thread, while the isolate is alive.
        let raw = unsafe { isolate.as_raw_isolate_ptr() };
        let (kind, flags) = (v8::GCType::kGCTypeScavenge, v8::GCCallbackFlags::kNoGCCallbackFlags);
        assert!(guard.can_park());
        // SAFETY: V8 calls this with this guard and this isolate, on this thread.
        unsafe { before_collection(raw, kind, flags, guard.data()) };
        assert!(!guard.can_park());
        isolate.low_memory_notification();
        assert!(guard.can_park());
        // SAFETY: as above.
        unsafe { after_collection(raw, kind, flags, guard.data()) };
        assert!(guard.can_park());
        isolate.low_memory_notification();
        assert!(guard.can_park());
    });
}

/// Regression: V8's own limit was five eighths of the isolate's. V8 then collected the whole heap for each MiB that was
/// allocated.
#[test]
fn a_guest_that_holds_half_its_limit_is_collected_as_others_are() {
    static COLLECTIONS: AtomicUsize = AtomicUsize::new(0);
    unsafe extern "C" fn count(_: v8::UnsafeRawIsolatePtr, _: v8::GCType, _: v8::GCCallbackFlags, _: *mut c_void) {
        COLLECTIONS.fetch_add(1, Ordering::Relaxed);
    }
    /// Number of full collections while it runs.
    fn during(guarded: &mut Guarded, program: &str) -> usize {
        let earlier = COLLECTIONS.load(Ordering::Relaxed);
        let Instance { isolate, context } = &mut guarded.instance;
        v8::scope_with_context!(scope, isolate, &*context);
        let text = v8::String::new(scope, program).expect("short");
        assert!(v8::Script::compile(scope, text, None).expect("valid").run(scope).is_some());
        COLLECTIONS.load(Ordering::Relaxed) - earlier
    }
    with_isolate_of(128 << 20, |mut guarded| {
        let isolate = &mut guarded.instance.isolate;
        isolate.add_gc_epilogue_callback(count, std::ptr::null_mut(), v8::GCType::kGCTypeMarkSweepCompact);
        during(
            &mut guarded,
            "const held = []; for (let i = 0; i < 1_000_000; i++) held.push({ a: i, b: i, c: i, d: i });",
        );
        // V8's schedule starts from here. Otherwise a marking that the first program began could end in the second, or
        // not.
        guarded.instance.isolate.low_memory_notification();
        // Allocates 400 MB, of which 5 MB are alive at a time.
        let made = "const ring = []; for (let i = 0; i < 8_000_000; i++) ring[i & 0x1ffff] = { a: i, b: i };";
        // 6 collections now; 42 with the bug.
        assert!(during(&mut guarded, made) < 12);
    });
}
