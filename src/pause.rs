//! How the Node.js thread waits for a guest that answers soon: without sleep.
//!
//! Before its event loop sleeps, libuv calls whoever has prepared for that. Node.js lets addons in there; other runtimes have a
//! loop of their own. Whatever happens to a handle that the loop watches ends the wait, so that nobody else waits longer.

use std::cell::{Cell, RefCell};
use std::ffi::{CStr, c_int, c_void};
use std::mem;
use std::ptr;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use napi::bindgen_prelude::JsObjectValue;
use napi::{Env, sys};

use ses_session::Ear;
use ses_sync::{Awake, Patience};

/// A loop of libuv.
type Loop = *mut c_void;
/// A `uv_prepare_t`.
type Prepare = *mut c_void;

/// `UV_PREPARE` of `uv_handle_type`.
const PREPARE: c_int = 9;
/// How long a page's next call is waited for. Its way through the browser takes a third of that while nobody sleeps.
const PAGE_MOMENT: Duration = Duration::from_millis(1);

/// What the event loop does before it sleeps.
pub struct Pause {
    libuv: &'static Libuv,
    event_loop: Loop,
    /// A guest has been sent something since the loop last slept.
    is_due: Cell<bool>,
    /// Of those that are in processes of their own.
    ears: RefCell<Vec<Arc<dyn Ear>>>,
    patience: Patience,
    page: PageWait,
}

/// For the next call of a page that was answered.
#[derive(Default)]
struct PageWait {
    /// Absent: none is waited for.
    until: Cell<Option<Instant>>,
    patience: Patience,
}

impl Pause {
    /// For the event loop of an environment, until that is torn down. Absent: it has none of libuv's.
    pub fn new(env: &Env) -> Option<Rc<Self>> {
        // Bun has the names, too, and ends the process of whoever calls them.
        let global = env.get_global().ok()?;
        if ["Bun", "Deno"].iter().any(|name| global.has_named_property(name).unwrap_or(true)) {
            return None;
        }
        let libuv = Libuv::of_host()?;
        let event_loop: Loop = env.get_uv_event_loop().ok()?.cast();
        let (is_due, ears, patience, page) = Default::default();
        let pause = Rc::new(Self { libuv, event_loop, is_due, ears, patience, page });
        // In words, so that it is aligned as all of them may be.
        let handle: Prepare = Box::into_raw(vec![0u64; libuv.prepare_words()].into_boxed_slice()).cast();
        // SAFETY: this is the loop's thread. The handle has the size that libuv wants, and lives until libuv has closed it; so
        // does what it points to, which is a count of `pause`. The handle keeps no loop alive.
        unsafe {
            if sys::napi_add_async_cleanup_hook(env.raw(), Some(on_cleanup), handle, ptr::null_mut())
                != sys::Status::napi_ok
            {
                libuv.free(handle);
                return None;
            }
            (libuv.prepare_init)(event_loop, handle);
            (libuv.handle_set_data)(handle, Rc::into_raw(pause.clone()).cast_mut().cast());
            (libuv.prepare_start)(handle, on_prepare);
            (libuv.unref)(handle);
        }
        Some(pause)
    }

    /// A guest was sent something, which it may answer soon.
    pub fn expect(&self, ear: Option<Arc<dyn Ear>>) {
        self.is_due.set(true);
        let mut ears = self.ears.borrow_mut();
        if let Some(ear) = ear
            && !ears.iter().any(|known| Arc::ptr_eq(known, &ear))
        {
            ears.push(ear);
        }
    }

    /// A page was answered, which may call again soon. So many are at work.
    pub fn expect_page(&self, pages: usize) {
        self.page.begin(pages);
    }

    /// A page has called.
    pub fn met_page(&self) {
        self.page.end(true);
    }

    /// Waits a moment, if that pays and the loop is about to sleep.
    fn wait(&self) {
        // SAFETY: the loop calls this on its thread.
        let timeout = || unsafe { (self.libuv.backend_timeout)(self.event_loop) };
        if let Some(until) = self.page.until.get()
            // A timer that is due in a millisecond does not wait for a page.
            && !(0..=1).contains(&timeout())
        {
            // SAFETY: as above.
            let fd = unsafe { (self.libuv.backend_fd)(self.event_loop) };
            self.page.wait(until, || has_events(fd));
        }
        if self.is_due.get() && timeout() != 0 {
            self.is_due.set(false);
            let ears = self.ears.take();
            // Each has a guest that works, which nobody has counted.
            let _at_work: Vec<_> = ears.iter().map(|_| Awake::default()).collect();
            // SAFETY: as above.
            let fd = unsafe { (self.libuv.backend_fd)(self.event_loop) };
            let is_answered = Cell::new(false);
            self.patience.look(|| {
                // What they hear, the loop is told of.
                let untold = ears.iter().filter(|ear| !ear.listen()).count();
                let has_events = has_events(fd);
                is_answered.set(untold == 0 && has_events);
                has_events
            });
            // If so, it will listen again soon.
            if !is_answered.get() {
                ears.iter().for_each(|ear| ear.leave());
            }
        }
    }
}

impl PageWait {
    /// Those of the browser's threads that were given this processor have it.
    fn wait(&self, until: Instant, has_events: impl Fn() -> bool) {
        while !has_events() {
            if Instant::now() >= until {
                return self.end(false);
            }
            thread::yield_now();
        }
    }

    fn begin(&self, pages: usize) {
        if self.until.get().is_some() || self.patience.begin(pages) {
            self.until.set(Some(Instant::now() + PAGE_MOMENT));
        }
    }

    fn end(&self, has_come: bool) {
        if self.until.take().is_some() {
            self.patience.end(has_come);
        }
    }
}

/// The part of libuv that is needed.
struct Libuv {
    handle_size: unsafe extern "C" fn(kind: c_int) -> usize,
    handle_get_data: unsafe extern "C" fn(handle: Prepare) -> *mut c_void,
    handle_set_data: unsafe extern "C" fn(handle: Prepare, data: *mut c_void),
    prepare_init: unsafe extern "C" fn(event_loop: Loop, handle: Prepare) -> c_int,
    prepare_start: unsafe extern "C" fn(handle: Prepare, callback: extern "C" fn(Prepare)) -> c_int,
    unref: unsafe extern "C" fn(handle: Prepare),
    close: unsafe extern "C" fn(handle: Prepare, callback: extern "C" fn(Prepare)),
    /// Milliseconds until the loop has something to do by itself; -1: it has nothing.
    backend_timeout: unsafe extern "C" fn(event_loop: Loop) -> c_int,
    /// Readable as soon as something has happened to a handle.
    backend_fd: unsafe extern "C" fn(event_loop: Loop) -> c_int,
}

impl Libuv {
    /// The host's, if it has all of that.
    fn of_host() -> Option<&'static Self> {
        static LIBUV: OnceLock<Option<Libuv>> = OnceLock::new();
        // SAFETY: these are the types of the functions with these names, which libuv keeps as long as its version is 1.
        let load = || unsafe {
            Some(Self {
                handle_size: function(c"uv_handle_size")?,
                handle_get_data: function(c"uv_handle_get_data")?,
                handle_set_data: function(c"uv_handle_set_data")?,
                prepare_init: function(c"uv_prepare_init")?,
                prepare_start: function(c"uv_prepare_start")?,
                unref: function(c"uv_unref")?,
                close: function(c"uv_close")?,
                backend_timeout: function(c"uv_backend_timeout")?,
                backend_fd: function(c"uv_backend_fd")?,
            })
        };
        LIBUV.get_or_init(load).as_ref()
    }

    fn prepare_words(&self) -> usize {
        // SAFETY: this takes a number that libuv knows.
        unsafe { (self.handle_size)(PREPARE) }.div_ceil(size_of::<u64>())
    }

    /// Frees the memory of a handle.
    ///
    /// # Safety
    ///
    /// [`Pause::new`] has made it, and libuv does not know it, or no more.
    unsafe fn free(&self, handle: Prepare) {
        let words = ptr::slice_from_raw_parts_mut(handle.cast::<u64>(), self.prepare_words());
        // SAFETY: it came from a box of this length.
        unsafe { drop(Box::from_raw(words)) };
    }
}

/// A function of the host.
///
/// # Safety
///
/// `F` is a pointer to a function, and its type that of the one with this name.
unsafe fn function<F>(name: &CStr) -> Option<F> {
    // SAFETY: the name ends with a zero. A pointer to a function is as large as one to data; the rest is the caller's contract.
    unsafe {
        let found = libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr());
        (!found.is_null()).then(|| mem::transmute_copy(&found))
    }
}

/// Called by the loop before it looks for events.
extern "C" fn on_prepare(handle: Prepare) {
    if let Some(libuv) = Libuv::of_host() {
        // SAFETY: the handle's data is what `Pause::new` has made it, until it is closed.
        unsafe { &*(libuv.handle_get_data)(handle).cast::<Pause>() }.wait();
    }
}

/// The environment is being torn down, which waits until the handle is closed.
unsafe extern "C" fn on_cleanup(hook: sys::napi_async_cleanup_hook_handle, handle: *mut c_void) {
    let Some(libuv) = Libuv::of_host() else { return };
    // SAFETY: `Pause::new` has made the handle and counted its data for it, which nobody reads any more.
    unsafe {
        drop(Rc::from_raw((libuv.handle_get_data)(handle).cast::<Pause>()));
        (libuv.handle_set_data)(handle, hook.cast());
        (libuv.close)(handle, on_close);
    }
}

/// The loop has let go of the handle.
extern "C" fn on_close(handle: Prepare) {
    let Some(libuv) = Libuv::of_host() else { return };
    // SAFETY: the data is the hook, and nobody uses the handle any more.
    unsafe {
        sys::napi_remove_async_cleanup_hook((libuv.handle_get_data)(handle).cast());
        libuv.free(handle);
    }
}

/// Whether something has happened that the loop waits for.
fn has_events(fd: c_int) -> bool {
    let mut events = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    // SAFETY: `events` is one entry, valid for the call, which does not wait.
    unsafe { libc::poll(&raw mut events, 1, 0) != 0 }
}
