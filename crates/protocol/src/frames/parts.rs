//! The format of each part of a command or an event. One line names the fields in order, for both directions.

use std::sync::Arc;

use serde_json::Map;

use crate::encoding::{Malformed, Part, Reader, Writer, choice, record};
use crate::{
    Block, ErrorCode, Failure, Figures, LEVELS, Language, LogEntry, ModuleBody, ModuleSpec, RunLimits, Seed, State,
    Success, ToolCall, ToolError, ToolReply, ToolSpec, Value, Values,
};

/// The longest JSON text of `details` that is parsed. Parsed JSON takes several times as much memory. 4 MiB.
const MAX_DETAILS_BYTES: usize = 4 << 20;
/// The last moment that a `Date` can represent.
const MAX_AT_MS: f64 = 8.64e15;

impl Part for bool {
    fn write(&self, to: &mut Writer) {
        to.tag(u8::from(*self));
    }

    fn read(from: &mut Reader) -> Result<Self, Malformed> {
        match from.tag()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Malformed),
        }
    }
}

impl Part for u32 {
    fn write(&self, to: &mut Writer) {
        to.u32(*self);
    }

    fn read(from: &mut Reader) -> Result<Self, Malformed> {
        from.u32()
    }
}

impl Part for u64 {
    fn write(&self, to: &mut Writer) {
        to.u64(*self);
    }

    fn read(from: &mut Reader) -> Result<Self, Malformed> {
        from.u64()
    }
}

impl Part for usize {
    fn write(&self, to: &mut Writer) {
        to.u64(*self as u64);
    }

    fn read(from: &mut Reader) -> Result<Self, Malformed> {
        Self::try_from(from.u64()?).map_err(|_| Malformed)
    }
}

impl Part for f64 {
    fn write(&self, to: &mut Writer) {
        to.f64(*self);
    }

    fn read(from: &mut Reader) -> Result<Self, Malformed> {
        from.f64()
    }
}

impl Part for String {
    fn write(&self, to: &mut Writer) {
        to.bytes(self.as_bytes());
    }

    fn read(from: &mut Reader) -> Result<Self, Malformed> {
        std::str::from_utf8(from.bytes()?).map(str::to_owned).map_err(|_| Malformed)
    }
}

impl Part for Vec<u8> {
    fn write(&self, to: &mut Writer) {
        to.bytes(self);
    }

    fn read(from: &mut Reader) -> Result<Self, Malformed> {
        from.bytes().map(<[u8]>::to_vec)
    }
}

impl Part for Vec<u16> {
    fn write(&self, to: &mut Writer) {
        to.numbers(self.iter().map(|unit| unit.to_le_bytes()));
    }

    fn read(from: &mut Reader) -> Result<Self, Malformed> {
        from.numbers(u16::from_le_bytes)
    }
}

impl Part for Block {
    fn write(&self, to: &mut Writer) {
        to.bytes(self);
    }

    fn read(from: &mut Reader) -> Result<Self, Malformed> {
        Self::copy_of(from.bytes()?).ok_or(Malformed)
    }
}

impl Part for Seed {
    fn write(&self, to: &mut Writer) {
        self.0.iter().for_each(|word| to.u64(*word));
    }

    fn read(from: &mut Reader) -> Result<Self, Malformed> {
        Ok(Self([from.u64()?, from.u64()?, from.u64()?, from.u64()?]))
    }
}

impl Part for () {
    fn write(&self, _to: &mut Writer) {}

    fn read(_from: &mut Reader) -> Result<Self, Malformed> {
        Ok(())
    }
}

impl<T: Part> Part for Arc<T> {
    fn write(&self, to: &mut Writer) {
        (**self).write(to);
    }

    fn read(from: &mut Reader) -> Result<Self, Malformed> {
        T::read(from).map(Self::new)
    }
}

impl<T: Part> Part for Option<T> {
    fn write(&self, to: &mut Writer) {
        self.is_some().write(to);
        if let Some(part) = self {
            part.write(to);
        }
    }

    fn read(from: &mut Reader) -> Result<Self, Malformed> {
        Ok(if bool::read(from)? { Some(T::read(from)?) } else { None })
    }
}

impl<T: Part> Part for Vec<T> {
    fn write(&self, to: &mut Writer) {
        to.count(self.len());
        self.iter().for_each(|part| part.write(to));
    }

    fn read(from: &mut Reader) -> Result<Self, Malformed> {
        from.list()
    }
}

impl<A: Part, B: Part> Part for (A, B) {
    fn write(&self, to: &mut Writer) {
        self.0.write(to);
        self.1.write(to);
    }

    fn read(from: &mut Reader) -> Result<Self, Malformed> {
        Ok((A::read(from)?, B::read(from)?))
    }
}

impl Part for [bool; LEVELS.len()] {
    fn write(&self, to: &mut Writer) {
        self.iter().for_each(|level| level.write(to));
    }

    fn read(from: &mut Reader) -> Result<Self, Malformed> {
        let mut levels = Self::default();
        for level in &mut levels {
            *level = bool::read(from)?;
        }
        Ok(levels)
    }
}

choice!(Language { 0 Auto, 1 JavaScript, 2 TypeScript });
choice!(Value {
    0 Undefined,
    1 Null,
    2 Bool(value),
    3 Number(value),
    4 Latin1(text),
    5 Utf16(units),
    6 Bytes(bytes),
    7 Wire(wire),
});
choice!(Values { 0 List(values), 1 Wire(wire) });
record!(ToolSpec { path, id, is_async, length, is_limited });
record!(ModuleSpec { specifier, body });
choice!(ModuleBody { 0 Source(text), 1 Exports { names, values, functions } });
record!(RunLimits { max_operations, timeout_ms, cpu_ms, reports_waits, now_ms, seed, language });

choice!(ToolReply { 0 Value(value), 1 Error(error), 2 Promise });
record!(ToolError { name, message, code, bridge, details });
choice!(ErrorCode { 0 Text(code), 1 Number(code) });
record!(ToolCall { id, tool, is_async, args, made });
record!(Figures { operations, tool_calls, heap_used_bytes, dropped_calls });
choice!(Success { 0 Done, 1 Output { value, is_final_answer } });

record!(Failure { kind, details, tool_call });

/// The level of an entry is an index of [`LEVELS`], and its time is one that a `Date` can represent.
impl Part for LogEntry {
    fn write(&self, to: &mut Writer) {
        to.tag(self.level as u8);
        self.at_ms.write(to);
        self.message.write(to);
    }

    fn read(from: &mut Reader) -> Result<Self, Malformed> {
        let level = usize::from(from.tag()?);
        let (at_ms, message) = (f64::read(from)?, String::read(from)?);
        if level >= LEVELS.len() || !(-MAX_AT_MS..=MAX_AT_MS).contains(&at_ms) {
            return Err(Malformed);
        }
        Ok(Self { level, at_ms, message })
    }
}

/// The name of a state. Unknown names are refused.
impl Part for &'static str {
    fn write(&self, to: &mut Writer) {
        to.bytes(self.as_bytes());
    }

    fn read(from: &mut Reader) -> Result<Self, Malformed> {
        let name = from.bytes()?;
        State::ALL.into_iter().map(State::name).find(|state| state.as_bytes() == name).ok_or(Malformed)
    }
}

/// The fields of `details`, as JSON text.
impl Part for Map<String, serde_json::Value> {
    fn write(&self, to: &mut Writer) {
        // Only keys that are not strings can make this fail, and all keys are strings.
        to.bytes(&serde_json::to_vec(self).unwrap_or_default());
    }

    fn read(from: &mut Reader) -> Result<Self, Malformed> {
        let text = from.bytes()?;
        if text.len() > MAX_DETAILS_BYTES {
            return Err(Malformed);
        }
        serde_json::from_slice(text).map_err(|_| Malformed)
    }
}

impl<T: Part, E: Part> Part for Result<T, E> {
    fn write(&self, to: &mut Writer) {
        match self {
            Ok(part) => {
                to.tag(0);
                part.write(to);
            }
            Err(part) => {
                to.tag(1);
                part.write(to);
            }
        }
    }

    fn read(from: &mut Reader) -> Result<Self, Malformed> {
        match from.tag()? {
            0 => T::read(from).map(Ok),
            1 => E::read(from).map(Err),
            _ => Err(Malformed),
        }
    }
}
