//! Reads frames from a peer that is not trusted.

use super::Part;

/// Memory that a frame may require in addition to a multiple of its size. 1 MiB.
const FREE_BYTES: usize = 1 << 20;
/// Bytes of memory that each byte of a frame may require.
const BYTES_PER_BYTE: usize = 8;

/// The bytes are not a frame of this version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

/// The body of one frame.
pub struct Reader<'a> {
    rest: &'a [u8],
    /// Bytes of memory that lists may still require. An item can take one byte in the frame and forty in memory.
    memory: usize,
}

impl<'a> Reader<'a> {
    pub fn new(body: &'a [u8]) -> Self {
        Self { rest: body, memory: FREE_BYTES.saturating_add(body.len().saturating_mul(BYTES_PER_BYTE)) }
    }

    /// # Errors
    ///
    /// There are bytes left.
    pub fn end(self) -> Result<(), Malformed> {
        if self.rest.is_empty() { Ok(()) } else { Err(Malformed) }
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(Malformed)?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const LENGTH: usize>(&mut self) -> Result<[u8; LENGTH], Malformed> {
        let (taken, rest) = self.rest.split_first_chunk().ok_or(Malformed)?;
        self.rest = rest;
        Ok(*taken)
    }

    pub fn tag(&mut self) -> Result<u8, Malformed> {
        self.array().map(|[tag]| tag)
    }

    pub fn u32(&mut self) -> Result<u32, Malformed> {
        self.array().map(u32::from_le_bytes)
    }

    pub fn u64(&mut self) -> Result<u64, Malformed> {
        self.array().map(u64::from_le_bytes)
    }

    pub fn f64(&mut self) -> Result<f64, Malformed> {
        self.array().map(f64::from_le_bytes)
    }

    pub fn bytes(&mut self) -> Result<&'a [u8], Malformed> {
        let length = self.u32()? as usize;
        self.take(length)
    }

    /// Numbers of a fixed width. They take as many bytes in memory as in the frame.
    pub fn numbers<const WIDTH: usize, T>(&mut self, number: fn([u8; WIDTH]) -> T) -> Result<Vec<T>, Malformed> {
        let count = self.u32()? as usize;
        let bytes = self.take(count.checked_mul(WIDTH).ok_or(Malformed)?)?;
        let (chunks, _) = bytes.as_chunks();
        Ok(chunks.iter().map(|&bytes| number(bytes)).collect())
    }

    /// A list of parts, each of which takes at least one byte.
    pub fn list<T: Part>(&mut self) -> Result<Vec<T>, Malformed> {
        let count = self.u32()? as usize;
        let memory = count.checked_mul(size_of::<T>()).ok_or(Malformed)?;
        if count > self.rest.len() {
            return Err(Malformed);
        }
        self.memory = self.memory.checked_sub(memory).ok_or(Malformed)?;
        let mut list = Vec::with_capacity(count);
        for _ in 0..count {
            list.push(T::read(self)?);
        }
        Ok(list)
    }
}
