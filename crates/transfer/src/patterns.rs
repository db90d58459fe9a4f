//! Decides which regular expressions cross as such. Node.js parses each one that it reads, on its own thread and
//! without a deadline. Only those that certainly take microseconds cross. Any other becomes an object of its source and
//! its flags.

use std::ops::Range;

/// Bytes of a source, including its tag and length.
const MAX_BYTES: usize = 1_024;
/// Flags by V8's numbers, in the order of `RegExp.prototype.flags`.
const FLAGS: [(usize, u8); 8] =
    [(128, b'd'), (1, b'g'), (2, b'i'), (4, b'm'), (32, b's'), (16, b'u'), (256, b'v'), (8, b'y')];
const UNICODE: usize = 16;
/// The flags that every supported version of Node.js knows, except for `v`. The sets that `v` allows are computed
/// during parsing.
const KNOWN: usize = 1 | 2 | 4 | 8 | 16 | 32 | 128;
/// What may follow `(?`, besides the name of a group.
const GROUPS: &[u8] = b":=!";

/// Whether V8 parses a regular expression within microseconds, and the one of every supported version of Node.js does.
/// Time is bounded by [`MAX_BYTES`].
pub fn is_cheap(wire: &[u8], text: &Range<usize>, flags: usize) -> bool {
    let Some(source) = wire.get(text.clone()).filter(|source| source.len() <= MAX_BYTES) else { return false };
    if flags & !KNOWN != 0 {
        return false;
    }
    // In a two-byte source, every second byte; those of its tag and length do not matter.
    let ascii: Vec<u8> = source.iter().copied().filter(|&byte| byte != 0).collect();
    // A class of characters by property takes as long as a hundred others.
    let has_property = ascii.windows(2).any(|pair| matches!(pair, b"\\p" | b"\\P"));
    !(flags & UNICODE != 0 && has_property) && has_known_groups(&ascii)
}

/// Whether all groups are of kinds that older engines know, and each name occurs once.
fn has_known_groups(source: &[u8]) -> bool {
    let mut names: Vec<&[u8]> = Vec::new();
    for (at, _) in source.windows(2).enumerate().filter(|(_, pair)| *pair == b"(?") {
        let rest = &source[at + 2..];
        match rest {
            [b'<', b'=' | b'!', ..] => {}
            [b'<', name @ ..] => {
                let Some(end) = name.iter().position(|&byte| byte == b'>') else { return false };
                if names.contains(&&name[..end]) {
                    return false;
                }
                names.push(&name[..end]);
            }
            [kind, ..] if GROUPS.contains(kind) => {}
            _ => return false,
        }
    }
    true
}

/// Writes the object that replaces a regular expression. It is one object, too, so later objects keep their numbers.
pub fn write_as_object(out: &mut Vec<u8>, text: &[u8], flags: usize) {
    out.extend_from_slice(b"o\"\x06source");
    out.extend_from_slice(text);
    out.extend_from_slice(b"\"\x05flags");
    let letters: Vec<u8> = FLAGS.iter().filter(|(flag, _)| flags & flag != 0).map(|&(_, letter)| letter).collect();
    out.extend_from_slice(&[b'"', letters.len() as u8]);
    out.extend_from_slice(&letters);
    out.extend_from_slice(b"{\x02");
}
