//! `NativePause`: how the Node.js thread waits for pages of a browser, which it hears through a pipe.

#[cfg(target_os = "linux")]
use std::rc::Rc;

use napi::Env;
use napi_derive::napi;

#[cfg(target_os = "linux")]
use crate::pause::Pause;

/// Without sleep, for a moment and while that pays: from one call of a page to its next one there are eight threads to be woken
/// otherwise, and while one processor is awake the browser's take turns on the other.
#[napi]
pub struct NativePause(#[cfg(target_os = "linux")] Option<Rc<Pause>>);

#[napi]
impl NativePause {
    /// On other systems, and in runtimes without a loop of libuv's, it does nothing.
    #[napi(constructor)]
    #[cfg_attr(not(target_os = "linux"), expect(unused_variables, reason = "nothing waits there"))]
    pub fn new(env: Env) -> Self {
        Self(
            #[cfg(target_os = "linux")]
            Pause::new(&env),
        )
    }

    /// A page was answered, which may call again soon. `pages` are at work.
    #[napi]
    #[cfg_attr(not(target_os = "linux"), expect(unused_variables, reason = "nothing waits there"))]
    pub fn expect(&self, pages: u32) {
        #[cfg(target_os = "linux")]
        if let Some(pause) = &self.0 {
            pause.expect_page(pages as usize);
        }
    }

    /// A page has called.
    #[napi]
    pub fn met(&self) {
        #[cfg(target_os = "linux")]
        if let Some(pause) = &self.0 {
            pause.met_page();
        }
    }
}
