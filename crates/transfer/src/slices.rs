//! Writes a large value so that Node.js can read it in slices, with turns of its event loop in between.
//!
//! A value that takes long is written as an empty value followed by its parts, which `lib/ses/slices.ts` adds to it. V8
//! numbers objects through all values that it reads from one buffer, so references still lead to the same objects.
//! Parts that take little time come in batches, as arrays. Each batch is an additional object, so the numbers are
//! rewritten.

use super::HOST_VERSION;
use super::VERSION_TAG;
use super::head::{Head, Kind};
use super::patterns::write_as_object;
use super::reader::Reader;
use super::slice_tags::slice_tag::{BATCH, END, OPEN, OPEN_SPARSE, SLICES};
use super::survey::{SLICE_BYTES, Survey};

/// Bytes reserved for a number that is not yet known.
const NUMBER_BYTES: usize = 5;

/// Rewrites `wire`, which `survey` describes. `None`: V8 does not write such bytes. Time and memory are linear in the
/// length, except that looking up a number takes logarithmic time.
pub fn in_slices(wire: &[u8], survey: &Survey) -> Option<Vec<u8>> {
    let mut writer = Writer {
        wire,
        from: 0,
        out: Vec::with_capacity(wire.len() + wire.len() / 8),
        costly: survey.costly.iter().peekable(),
        objects: 0,
        batches: Vec::new(),
        batch: None,
    };
    writer.out.extend_from_slice(&[SLICES, VERSION_TAG, HOST_VERSION]);
    write_number(&mut writer.out, survey.host_bytes >> 10);
    let mut reader = Reader::new(wire);
    let mut large = survey.large.iter().peekable();
    // Kinds of the open values, and whether they are read part by part.
    let mut open: Vec<(Kind, bool)> = Vec::new();
    reader.read_header()?;
    loop {
        let end_of_last = reader.at;
        if let Some(&(kind, is_large)) = open.last()
            && reader.ends(kind)?
        {
            open.pop();
            if is_large {
                writer.end_batch(end_of_last);
                writer.out.push(END);
                writer.from = reader.at;
            }
        } else {
            reader.peek_tag()?;
            let at = reader.at;
            let is_part = open.last().is_none_or(|&(_, is_large)| is_large);
            let (head, bytes) = reader.head()?;
            let is_large = large.next_if_eq(&&at).is_some();
            if is_large {
                writer.end_batch(end_of_last);
            } else if is_part {
                writer.begin_part(end_of_last, at);
            }
            if let Some(batch) = &mut writer.batch {
                batch.bytes += bytes;
            }
            match head {
                Head::Leaf { objects } => writer.objects += objects,
                Head::Reference { object, number, views } => {
                    writer.copy_to(number.start);
                    let number_now = writer.number_of(object);
                    write_number(&mut writer.out, number_now);
                    writer.from = number.end;
                    writer.objects += views;
                }
                Head::Pattern { .. } => {
                    writer.objects += 1;
                    if let Some(costly) = writer.costly.next_if(|costly| costly.at.start == at) {
                        writer.copy_to(at);
                        write_as_object(&mut writer.out, &wire[costly.text.clone()], costly.flags);
                        writer.from = reader.at;
                    }
                }
                Head::Open { kind, length } => {
                    writer.objects += 1;
                    if is_large {
                        writer.open(kind, length, &wire[at..reader.at]);
                        writer.from = reader.at;
                    }
                    open.push((kind, is_large));
                }
            }
        }
        if open.is_empty() {
            return Some(writer.out);
        }
    }
}

/// A batch of parts that is being written.
struct Batch {
    /// The position of its length.
    length_at: usize,
    parts: usize,
    /// The memory that the parts take in Node.js.
    bytes: usize,
}

struct Writer<'a> {
    wire: &'a [u8],
    /// The bytes before this position have been written.
    from: usize,
    out: Vec<u8>,
    costly: std::iter::Peekable<std::slice::Iter<'a, super::survey::Costly>>,
    /// Objects in the serialized bytes up to this position.
    objects: usize,
    /// The value of `objects` at each batch.
    batches: Vec<usize>,
    batch: Option<Batch>,
}

impl Writer<'_> {
    fn copy_to(&mut self, end: usize) {
        self.out.extend_from_slice(self.wire.get(self.from..end).unwrap_or_default());
        self.from = end;
    }

    /// The number of an object, including the batches before it.
    fn number_of(&self, object: usize) -> usize {
        object + self.batches.partition_point(|&before| before <= object)
    }

    /// Adds the part that begins at `at` to the batch. Padding before the part belongs to its original position.
    fn begin_part(&mut self, end_of_last: usize, at: usize) {
        if self.batch.as_ref().is_some_and(|batch| batch.bytes > SLICE_BYTES) {
            self.end_batch(end_of_last);
        }
        if let Some(batch) = &mut self.batch {
            batch.parts += 1;
            return;
        }
        self.from = at;
        self.batches.push(self.objects);
        self.out.extend_from_slice(&[BATCH, b'A']);
        self.batch = Some(Batch { length_at: self.out.len(), parts: 1, bytes: 0 });
        self.out.extend_from_slice(&[0; NUMBER_BYTES]);
    }

    fn end_batch(&mut self, end_of_last: usize) {
        let Some(Batch { length_at, parts, .. }) = self.batch.take() else { return };
        self.copy_to(end_of_last);
        // More bytes than necessary, which V8 accepts.
        for (index, byte) in self.out[length_at..][..NUMBER_BYTES].iter_mut().enumerate() {
            let digit = (parts >> (7 * index)) as u8 & 0x7F;
            *byte = if index + 1 < NUMBER_BYTES { digit | 0x80 } else { digit };
        }
        self.out.extend_from_slice(b"$\0");
        write_number(&mut self.out, parts);
    }

    /// An empty value of a kind. `head`: its first bytes in the serialized form.
    fn open(&mut self, kind: Kind, length: usize, head: &[u8]) {
        self.out.push(if kind == Kind::Sparse { OPEN_SPARSE } else { OPEN });
        match kind {
            Kind::Object => self.out.extend_from_slice(b"o{\0"),
            Kind::Map => self.out.extend_from_slice(b";:\0"),
            Kind::Set => self.out.extend_from_slice(b"',\0"),
            Kind::Dense => {
                // Sparse, because all its elements are missing.
                self.out.push(b'a');
                write_number(&mut self.out, length);
                self.out.extend_from_slice(b"@\0");
                write_number(&mut self.out, length);
            }
            Kind::Sparse => {
                write_number(&mut self.out, length);
                self.out.extend_from_slice(b"A\0$\0\0");
            }
            Kind::Error => {
                let fields = head.split_last().map_or(head, |(_, fields)| fields);
                self.out.extend_from_slice(fields);
                self.out.push(b'.');
            }
        }
    }
}

fn write_number(out: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}
