//! The random numbers of a deterministic session. They follow from its seed: `Math.random` of the context, and the
//! bytes that other languages ask for.

use std::cell::RefCell;
#[cfg(target_os = "linux")]
use std::ffi::c_void;

use deno_core::v8;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use ses_protocol::Seed;

thread_local! {
    /// Of the guest that this thread has. `None`: the session is not deterministic.
    static GENERATOR: RefCell<Option<ChaCha20Rng>> = const { RefCell::new(None) };
}

#[cfg(target_os = "linux")]
// SAFETY: the linker's names for methods of V8 that inline nothing.
unsafe extern "C" {
    #[link_name = "_ZN2v88internal7Isolate23random_number_generatorEv"]
    fn random_number_generator(isolate: *mut c_void) -> *mut c_void;
    #[link_name = "_ZN2v84base21RandomNumberGenerator7SetSeedEl"]
    fn set_seed(generator: *mut c_void, seed: i64);
    #[link_name = "_ZN2v88internal10MathRandom12ResetContextENS0_6TaggedINS0_7ContextEEE"]
    fn reset_context(native_context: usize);
}

/// A session begins on this thread.
pub fn forget() {
    GENERATOR.set(None);
}

/// From now on, all random numbers of the current context follow from `seed`.
pub fn seed(scope: &mut v8::PinScope, seed: Seed) {
    let mut generator = ChaCha20Rng::from_seed(seed.bytes());
    let first = generator.next_u64() as i64;
    GENERATOR.set(Some(generator));
    restart(scope, first);
    // V8 also takes hashes from its generator. The first number fixes what `Math.random` continues from.
    draw(scope);
}

/// The seed of the session, and how many numbers it has drawn. `None`: the session is not deterministic.
pub fn position() -> Option<(Seed, u128)> {
    GENERATOR.with_borrow(|generator| {
        let generator = generator.as_ref()?;
        Some((Seed::of_bytes(generator.get_seed()), generator.get_word_pos()))
    })
}

/// Continues where [`position`] was. `Math.random` starts again, which only guests in JavaScript could notice.
pub fn resume(scope: &mut v8::PinScope, from: Seed, position: u128) {
    seed(scope, from);
    GENERATOR.with_borrow_mut(|generator| {
        if let Some(generator) = generator {
            generator.set_word_pos(position);
        }
    });
}

/// Nothing: sessions are deterministic on Linux only.
#[cfg(not(target_os = "linux"))]
fn restart(_scope: &mut v8::PinScope, _seed: i64) {}

/// `Math.random` of the current context starts again, from `seed`.
#[cfg(target_os = "linux")]
fn restart(scope: &mut v8::PinScope, seed: i64) {
    let context = scope.get_current_context();
    // SAFETY: an isolate of `v8` is a pointer to V8's own. A handle is a pointer to the slot that holds the tagged
    // pointer, and this context is a native context. Nothing here allocates on V8's heap.
    unsafe {
        let isolate = scope.as_raw_isolate_ptr();
        let isolate = std::mem::transmute_copy::<v8::UnsafeRawIsolatePtr, *mut c_void>(&isolate);
        set_seed(random_number_generator(isolate), seed);
        let slot = std::mem::transmute_copy::<v8::Local<v8::Context>, *const usize>(&context);
        reset_context(*slot);
    }
}

/// Calls `Math.random()` once.
fn draw(scope: &mut v8::PinScope) -> Option<()> {
    let global = scope.get_current_context().global(scope);
    let key = v8::String::new(scope, "Math")?;
    let math = v8::Local::<v8::Object>::try_from(global.get(scope, key.into())?).ok()?;
    let key = v8::String::new(scope, "random")?;
    let random = v8::Local::<v8::Function>::try_from(math.get(scope, key.into())?).ok()?;
    random.call(scope, math.into(), &[]).map(drop)
}

/// Fills `bytes`. Returns false if the session is not deterministic.
pub fn fill(bytes: &mut [u8]) -> bool {
    GENERATOR.with_borrow_mut(|generator| generator.as_mut().map(|generator| generator.fill_bytes(bytes)).is_some())
}
