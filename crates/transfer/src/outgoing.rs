//! Prepares an isolate's output for the host's thread, which has no deadline.

use super::patterns::write_as_object;
use super::slices::in_slices;
use super::survey::{Refusal, Survey, survey};
use super::{HOST_VERSION, VERSION_TAG};

/// Serialized bytes up to this length are cheap to read, except for those that [`may_be_costly`] finds. 1 KiB.
const MAX_SMALL_BYTES: usize = 1 << 10;

/// Rewrites `wire` so that Node.js reads it in time linear in its length, and blocks its thread only for a moment.
/// `max_bytes`: the limit for the serialized bytes. The value may take four times that in memory. Time and memory are
/// linear in the length.
///
/// # Errors
///
/// The value would take too much memory, or the bytes are not V8's.
pub fn for_node(wire: Vec<u8>, max_bytes: usize) -> Result<Vec<u8>, Refusal> {
    if is_small(&wire) { Ok(wire) } else { rewritten(wire, max_bytes) }
}

/// Like [`for_node`], for bytes of any origin.
///
/// # Errors
///
/// As for [`for_node`].
pub fn for_node_of_anybody(wire: Vec<u8>, max_bytes: usize) -> Result<Vec<u8>, Refusal> {
    // In other versions the same bytes are other values.
    if wire.starts_with(&[VERSION_TAG, HOST_VERSION]) { rewritten(wire, max_bytes) } else { Err(Refusal::Broken) }
}

/// `wire` unchanged, unless [`for_node`] refuses it. The receiver calls [`for_node_of_anybody`].
///
/// # Errors
///
/// As for [`for_node`].
pub fn unless_refused(wire: Vec<u8>, max_bytes: usize) -> Result<Vec<u8>, Refusal> {
    if !is_small(&wire) {
        survey(&wire, max_bytes)?;
    }
    Ok(wire)
}

fn is_small(wire: &[u8]) -> bool {
    wire.len() <= MAX_SMALL_BYTES && !may_be_costly(wire)
}

fn rewritten(wire: Vec<u8>, max_bytes: usize) -> Result<Vec<u8>, Refusal> {
    let survey = survey(&wire, max_bytes)?;
    if survey.needs_slices() {
        in_slices(&wire, &survey).ok_or(Refusal::Broken)
    } else if survey.costly.is_empty() {
        Ok(wire)
    } else {
        Ok(without_costly(&wire, &survey))
    }
}

/// Whether there may be a regular expression, a sparse array or a resizable buffer, by their tags.
fn may_be_costly(wire: &[u8]) -> bool {
    wire.iter().any(|byte| matches!(byte, b'R' | b'a' | b'~'))
}

fn without_costly(wire: &[u8], survey: &Survey) -> Vec<u8> {
    let mut out = Vec::with_capacity(wire.len() + 32 * survey.costly.len());
    let mut from = 0;
    for costly in &survey.costly {
        out.extend_from_slice(&wire[from..costly.at.start]);
        write_as_object(&mut out, &wire[costly.text.clone()], costly.flags);
        from = costly.at.end;
    }
    out.extend_from_slice(&wire[from..]);
    out
}

#[cfg(test)]
mod tests {
    use super::super::slice_tags::slice_tag::SLICES;
    use super::*;

    /// 64 MiB.
    const MAX_BYTES: usize = 64 << 20;

    fn number(mut number: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        while number >= 0x80 {
            bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        bytes.push(number as u8);
        bytes
    }

    /// The wire of an array of `count` times `item`.
    fn array_of(count: usize, item: &[u8]) -> Vec<u8> {
        [b"\xFF\x0FA".as_slice(), &number(count), &item.repeat(count), b"$\0", &number(count)].concat()
    }

    fn is_sliced(wire: &[u8]) -> bool {
        wire.first() == Some(&SLICES)
    }

    #[test]
    fn what_takes_little_is_left_alone() {
        for wire in [array_of(3, b"I\x02"), array_of(200, b"o\"\x01aI\x02{\x01"), array_of(3, b"R\"\x02ab\x10")] {
            assert_eq!(for_node(wire.clone(), MAX_BYTES).as_ref(), Ok(&wire));
        }
        let text = [b"\xFF\x0F\"\x80\x80\x80\x01".as_slice(), &vec![b'R'; 2 << 20]].concat();
        assert_eq!(for_node(text.clone(), MAX_BYTES), Ok(text));
    }

    #[test]
    fn what_takes_too_much_in_node_is_refused() {
        assert_eq!(for_node(array_of(12_000_000, b"\"\x02ab"), MAX_BYTES), Err(Refusal::TooLarge));
        assert_eq!(for_node(array_of(1_400_000, b";:\0"), MAX_BYTES), Err(Refusal::TooLarge));
        assert_eq!(for_node(array_of(2, b"~\x01\x80\x80\x80\x80\x01x"), MAX_BYTES), Err(Refusal::TooLarge));
        // Arrays with a length of 4,095 and no element.
        assert_eq!(for_node(array_of(10_000, b"a\xFF\x1F@\0\xFF\x1F"), MAX_BYTES), Err(Refusal::TooLarge));
        // Whatever the limit is, 1 MiB is allowed.
        assert!(for_node(array_of(10_000, b"I\x02"), 1024).is_ok());
    }

    #[test]
    fn regular_expressions_that_take_long_are_objects() {
        let of = |source: &str, flags: u8| {
            let wire = [b"\xFF\x0FR\"".as_slice(), &number(source.len()), source.as_bytes(), &[flags]].concat();
            for_node(wire, MAX_BYTES).expect("V8's bytes")
        };
        let object = b"\xFF\x0Fo\"\x06source\"\x05\\p{L}\"\x05flags\"\x02iu{\x02";
        assert_eq!(of("\\p{L}", 2 | 16), object);
        for (source, flags) in [("\\p{L}", 2), ("a(?<n>b)(?:c)(?=d)(?<!e)", 16 | 2 | 1), (&"x".repeat(1000), 0)] {
            assert_eq!(of(source, flags)[2], b'R', "{source}");
        }
        for (source, flags) in
            [("(?i:a)", 0), ("(?<n>a)|(?<n>b)", 0), ("(?<n", 0), ("(?", 0), (&"x".repeat(1025), 0), ("\\P{L}", 16)]
        {
            assert_eq!(of(source, flags)[2], b'o', "{source}");
        }
        let unicode_sets = b"\xFF\x0FR\"\x03[a]\x80\x02".to_vec();
        assert_eq!(
            for_node(unicode_sets, MAX_BYTES).as_deref(),
            Ok(b"\xFF\x0Fo\"\x06source\"\x03[a]\"\x05flags\"\x01v{\x02".as_slice())
        );
    }

    #[test]
    fn large_values_come_in_slices() {
        assert!(!is_sliced(&for_node(array_of(200_000, b"I\x02"), MAX_BYTES).expect("V8's bytes")));
        assert!(is_sliced(&for_node(array_of(400_000, b"I\x02"), MAX_BYTES).expect("V8's bytes")));
        let entries = [b"\xFF\x0F;".as_slice(), &b"I\x02I\x02".repeat(300), b":", &number(600)].concat();
        assert!(is_sliced(&for_node(entries, MAX_BYTES).expect("V8's bytes")));
        // [, , …, 1], of 30 million.
        let sparse = b"\xFF\x0Fa\x80\x87\xA7\x0EI\x0AT@\x01\x80\x87\xA7\x0E".to_vec();
        let expected = b"\xFE\xFF\x0F\0\x03\x80\x87\xA7\x0EA\0$\0\0\x01A\x82\x80\x80\x80\0I\x0AT$\0\x02\0";
        assert_eq!(for_node(sparse, MAX_BYTES).as_deref(), Ok(expected.as_slice()));
    }

    #[test]
    fn references_lead_where_they_led() {
        // A Map of 600 entries, by the keys 1 to 4: {}, the same one again, true, and the Map itself.
        let wire =
            [b"\xFF\x0F;".as_slice(), b"I\x02o{\0I\x04^\x01", &b"I\x06T".repeat(597), b"I\x08^\0:", &number(1200)]
                .concat();
        let expected = [
            b"\xFE\xFF\x0F6\x02;:\0\x01A\xB0\x89\x80\x80\0".as_slice(),
            b"I\x02o{\0I\x04^\x02",
            &b"I\x06T".repeat(597),
            b"I\x08^\0$\0\xB0\x09\0",
        ]
        .concat();
        assert_eq!(for_node(wire, MAX_BYTES), Ok(expected));
    }

    #[test]
    fn what_readers_would_take_for_something_else_is_refused() {
        let hidden = b"A\x80\x80\x80\x10";
        for wire in [
            // Missing elements.
            [b"\xFF\x0FA\x02T$\0\x02".as_slice()].concat(),
            [b"\xFF\x0F".as_slice(), hidden, b"$\0\0"].concat(),
            // An error has nothing after its cause. Bytes that look like a string there would be read as fields.
            [b"\xFF\x0FrcT\"\x06c".as_slice(), hidden, b"."].concat(),
            b"\xFF\x0Frc.".to_vec(),
            // Lengths of more than 32 bits.
            b"\xFF\x0Fa\x80\x80\x80\x80\x10@\0\0".to_vec(),
            b"\xFF\x0FA\x80\x80\x80\x80\x10$\0\0".to_vec(),
            // Sources of regular expressions that are not strings. In their place the object would have 32 million
            // elements.
            b"\xFF\x0FRI\x0B\"\x01xa\x80\x80\x80\x10@\0\0\x80\x02".to_vec(),
            b"\xFF\x0FsI\x01x".to_vec(),
            b"\xFF\x0FrmI\x01x.".to_vec(),
            // Other versions, and bytes that are already in slices.
            b"\xFF\x0D0".to_vec(),
            b"\xFF\x100".to_vec(),
            b"\xFE\xFF\x0F\0\x02o{\0\0".to_vec(),
            // A number without end.
            [b"\xFF\x0Frm\"".as_slice(), &[0x80; 200], b"\0."].concat(),
            Vec::new(),
        ] {
            assert_eq!(for_node_of_anybody(wire.clone(), MAX_BYTES), Err(Refusal::Broken), "{}", wire.escape_ascii());
        }
        for wire in
            [b"\xFF\x0F0".to_vec(), array_of(3, b"-"), b"\xFF\x0FrcT.".to_vec(), b"\xFF\x0FA\0I\0T$\x01\0".to_vec()]
        {
            assert_eq!(for_node_of_anybody(wire.clone(), MAX_BYTES), Ok(wire));
        }
    }

    #[test]
    fn what_is_made_ready_elsewhere_is_refused_alike_and_left_alone() {
        let large = array_of(400_000, b"I\x02");
        assert_eq!(unless_refused(large.clone(), MAX_BYTES).as_ref(), Ok(&large));
        assert_eq!(for_node_of_anybody(large.clone(), MAX_BYTES), for_node(large, MAX_BYTES));
        assert_eq!(unless_refused(array_of(1_400_000, b";:\0"), MAX_BYTES), Err(Refusal::TooLarge));
    }

    #[test]
    fn every_prefix_and_every_changed_byte_is_survived() {
        let item = b"o\"\x01aA\x02R\"\x02\\p\x10'I\x02^\0,\x02$\0\x02{\x01;rm\"\x01xcB\x01\x07VB\0\x01\0.T:\x02a\x80\x40I\0c\x02a\0@\x01\x80\x40";
        let wire = [b"\xFF\x0F;".as_slice(), &b"I\x02".repeat(600), item, b"T:", &number(602)].concat();
        assert!(is_sliced(&for_node(wire.clone(), MAX_BYTES).expect("V8's bytes")));
        for length in 0..wire.len() {
            let _ = for_node(wire[..length].to_vec(), MAX_BYTES);
        }
        for at in 1_200..wire.len() {
            for byte in 0..=u8::MAX {
                let mut broken = wire.clone();
                broken[at] = byte;
                let _ = for_node(broken, MAX_BYTES);
            }
        }
    }

    /// The wire of arrays in each other.
    fn nested(depth: usize) -> Vec<u8> {
        [b"\xFF\x0F".as_slice(), &b"A\x01".repeat(depth), b"T", &b"$\0\x01".repeat(depth)].concat()
    }

    #[test]
    fn depth_costs_no_stack() {
        assert!(is_sliced(&for_node(nested(100_000), MAX_BYTES).expect("V8's bytes")));
    }

    /// The reader of slices keeps a frame of some hundred bytes for each open level: 2.7 million levels, which are 13
    /// MB here, took 1.9 GB on the host.
    #[test]
    fn what_is_nested_more_deeply_than_any_isolate_writes_is_refused() {
        assert_eq!(for_node_of_anybody(nested(100_001), MAX_BYTES).err(), Some(Refusal::Broken));
    }

    /// Each was read in one piece, and so were 470 of them: 160 ms if all keys had one hash.
    #[test]
    fn many_tables_that_are_not_large_come_in_slices() {
        let set = [b"'".as_slice(), &b"I\x80\x02".repeat(512), b",\x80\x04"].concat();
        assert!(!is_sliced(&for_node(array_of(32, &set), MAX_BYTES).expect("V8's bytes")));
        assert!(is_sliced(&for_node(array_of(33, &set), MAX_BYTES).expect("V8's bytes")));
    }
}
