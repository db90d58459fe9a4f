//! Values as bytes, and a reader that does not trust them.

mod reader;
mod shapes;
mod writer;

pub use reader::Malformed;
pub(crate) use reader::Reader;
pub(crate) use shapes::{choice, record};
pub(crate) use writer::Writer;

/// Bytes of the length at the start of a frame. The length does not count them.
pub(crate) const LENGTH_BYTES: usize = 4;

/// A value that a frame can contain.
pub(crate) trait Part: Sized {
    fn write(&self, to: &mut Writer);

    /// # Errors
    ///
    /// The bytes are not in the format of [`Self::write`].
    fn read(from: &mut Reader) -> Result<Self, Malformed>;
}
