//! Wires that hold nothing but a primitive, which most outputs are: the host makes the value without a deserializer.

/// A value that has neither identity nor parts.
#[derive(Debug, PartialEq)]
pub enum Primitive<'a> {
    Undefined,
    Null,
    Boolean(bool),
    Integer(i32),
    Number(f64),
    /// Text whose UTF-16 units all fit a byte: one byte each.
    Latin1(&'a [u8]),
    Utf16(Vec<u16>),
}

/// What `wire` holds; `None` if it is anything but one of these primitives.
pub fn primitive(wire: &[u8]) -> Option<Primitive<'_>> {
    let [super::VERSION_TAG, super::HOST_VERSION, body @ ..] = wire else { return None };
    // V8 aligns strings of two bytes per unit with zeros before their tag.
    let padding = body.iter().take_while(|&&byte| byte == 0).count();
    let (&tag, body) = body[padding..].split_first()?;
    match (tag, body) {
        (b'_', []) => Some(Primitive::Undefined),
        (b'0', []) => Some(Primitive::Null),
        (b'T', []) => Some(Primitive::Boolean(true)),
        (b'F', []) => Some(Primitive::Boolean(false)),
        (b'I', _) => {
            let (zigzag, rest) = number(body)?;
            rest.is_empty().then_some(Primitive::Integer((zigzag >> 1) as i32 ^ -((zigzag & 1) as i32)))
        }
        (b'N', _) => Some(Primitive::Number(f64::from_le_bytes(body.try_into().ok()?))),
        (b'"', _) => text(body).map(Primitive::Latin1),
        (b'c', _) => {
            let (units, odd) = text(body)?.as_chunks::<2>();
            odd.is_empty().then(|| Primitive::Utf16(units.iter().map(|&unit| u16::from_le_bytes(unit)).collect()))
        }
        _ => None,
    }
}

/// The bytes of a string that ends where `body` ends.
fn text(body: &[u8]) -> Option<&[u8]> {
    let (bytes, rest) = number(body)?;
    (bytes as usize == rest.len()).then_some(rest)
}

/// A number of variable length, and what follows it.
fn number(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let mut number = 0;
    for (index, &byte) in bytes.iter().take(5).enumerate() {
        number |= u32::from(byte & 0x7F) << (7 * index);
        if byte < 0x80 {
            return Some((number, &bytes[index + 1..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &[u8]) -> Option<Primitive<'static>> {
        let wire = [&[0xFF, 15], body].concat();
        primitive(wire.leak())
    }

    #[test]
    fn primitives_are_read() {
        assert_eq!(read(b"_"), Some(Primitive::Undefined));
        assert_eq!(read(b"0"), Some(Primitive::Null));
        assert_eq!(read(b"T"), Some(Primitive::Boolean(true)));
        assert_eq!(read(b"F"), Some(Primitive::Boolean(false)));
        assert_eq!(read(b"I\x02"), Some(Primitive::Integer(1)));
        assert_eq!(read(b"I\x01"), Some(Primitive::Integer(-1)));
        assert_eq!(read(b"I\xFF\xFF\xFF\xFF\x0F"), Some(Primitive::Integer(i32::MIN)));
        assert_eq!(read(b"N\0\0\0\0\0\0\xF8\x3F"), Some(Primitive::Number(1.5)));
        assert_eq!(read(b"\"\x02a\xE4"), Some(Primitive::Latin1(b"a\xE4")));
        assert_eq!(read(b"\0c\x04\xAC\x20a\0"), Some(Primitive::Utf16(vec![0x20AC, 0x61])));
    }

    #[test]
    fn everything_else_is_left_to_the_deserializer() {
        for body in [&b"o{\0"[..], b"Z\x10\x01", b"_ ", b"I", b"I\x80", b"N\0", b"\"\x03ab", b"c\x01a", b"", b"\0"] {
            assert_eq!(read(body), None);
        }
        assert_eq!(primitive(&[0xFF, 14, b'_']), None);
        assert_eq!(primitive(&[]), None);
    }
}
