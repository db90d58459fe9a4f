//! Wires that are written from values: exactly the stacks of their errors are taken out, and all are made ready for
//! Node.js.

mod cases;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use ses_transfer::{for_node_of_anybody, without_stacks};

#[derive(Clone, Debug)]
enum Value {
    Tag(u8),
    Int(u32),
    Double(f64),
    BigInt(u64),
    OneByte(Vec<u8>),
    TwoByte(Vec<u8>),
    /// Buffer, and at most one view of it; others refer to it by its number.
    Buffer(Vec<u8>, u8),
    RegExp(Vec<u8>),
    Object(Vec<(Value, Value)>),
    Dense(Vec<Value>),
    Map(Vec<(Value, Value)>),
    Set(Vec<Value>),
    HostObject(Box<Value>),
    Error {
        prototype: Option<u8>,
        message: Option<Vec<u8>>,
        stack: Option<Vec<u8>>,
        cause: Option<Box<Value>>,
    },
}

fn values() -> impl Strategy<Value = Value> {
    let text = || vec(prop_oneof![any::<u8>(), Just(b'r'), Just(b's'), Just(b'.')], 0..6);
    let leaf = prop_oneof![
        prop::sample::select(b"_0TF-yx".to_vec()).prop_map(Value::Tag),
        any::<u32>().prop_map(Value::Int),
        any::<f64>().prop_map(Value::Double),
        any::<u64>().prop_map(Value::BigInt),
        text().prop_map(Value::OneByte),
        text().prop_map(Value::TwoByte),
        (text(), 0..2u8).prop_map(|(bytes, views)| Value::Buffer(bytes, views)),
        text().prop_map(Value::RegExp),
    ];
    leaf.prop_recursive(5, 64, 4, move |inner| {
        let pairs = vec((inner.clone(), inner.clone()), 0..3);
        prop_oneof![
            pairs.clone().prop_map(Value::Object),
            vec(inner.clone(), 0..4).prop_map(Value::Dense),
            pairs.prop_map(Value::Map),
            vec(inner.clone(), 0..4).prop_map(Value::Set),
            inner.clone().prop_map(|value| Value::HostObject(Box::new(value))),
            (
                prop::option::of(prop::sample::select(b"ERFSTU".to_vec())),
                prop::option::of(text()),
                prop::option::of(text()),
                prop::option::of(inner.prop_map(Box::new)),
            )
                .prop_map(|(prototype, message, stack, cause)| Value::Error {
                    prototype,
                    message,
                    stack,
                    cause
                }),
        ]
    })
}

/// Writes wires, with the stacks of errors or without.
struct Writer {
    wire: Vec<u8>,
    has_stacks: bool,
}

impl Writer {
    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.wire.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.wire.push(number as u8);
    }

    fn bytes(&mut self, tag: u8, bytes: &[u8]) {
        self.wire.push(tag);
        self.number(bytes.len() as u64);
        self.wire.extend(bytes);
    }

    fn pairs(&mut self, pairs: &[(Value, Value)]) {
        for (key, value) in pairs {
            self.value(key);
            self.value(value);
        }
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Tag(tag) => self.wire.push(*tag),
            Value::Int(int) => {
                self.wire.push(b'I');
                self.number(u64::from(*int));
            }
            Value::Double(double) => {
                self.wire.push(b'N');
                self.wire.extend(double.to_le_bytes());
            }
            Value::BigInt(digits) => {
                self.wire.extend([b'Z', 8 << 1]);
                self.wire.extend(digits.to_le_bytes());
            }
            Value::OneByte(text) => self.bytes(b'"', text),
            Value::TwoByte(text) => {
                // Units are two bytes each, at even places.
                if !self.wire.len().is_multiple_of(2) {
                    self.wire.push(0);
                }
                self.bytes(b'c', &[text.as_slice(), text.as_slice()].concat());
            }
            Value::Buffer(bytes, views) => {
                self.bytes(b'B', bytes);
                for _ in 0..*views {
                    self.wire.extend(b"VB\x00");
                    self.number(bytes.len() as u64);
                    self.number(0);
                }
            }
            Value::RegExp(source) => {
                self.wire.push(b'R');
                self.bytes(b'"', source);
                self.number(2);
            }
            Value::Object(properties) => {
                self.wire.push(b'o');
                self.pairs(properties);
                self.wire.push(b'{');
                self.number(properties.len() as u64);
            }
            Value::Dense(elements) => {
                self.wire.push(b'A');
                self.number(elements.len() as u64);
                elements.iter().for_each(|element| self.value(element));
                self.wire.push(b'$');
                self.number(0);
                self.number(elements.len() as u64);
            }
            Value::Map(entries) => {
                self.wire.push(b';');
                self.pairs(entries);
                self.wire.push(b':');
                self.number(2 * entries.len() as u64);
            }
            Value::Set(elements) => {
                self.wire.push(b'\'');
                elements.iter().for_each(|element| self.value(element));
                self.wire.push(b',');
                self.number(elements.len() as u64);
            }
            Value::HostObject(inner) => {
                self.wire.push(b'\\');
                self.value(inner);
            }
            Value::Error { prototype, message, stack, cause } => {
                self.wire.push(b'r');
                self.wire.extend(prototype);
                if let Some(message) = message {
                    self.wire.push(b'm');
                    self.bytes(b'"', message);
                }
                if let Some(cause) = cause {
                    self.wire.push(b'c');
                    self.value(cause);
                }
                if let Some(stack) = stack.as_ref().filter(|_| self.has_stacks) {
                    self.wire.push(b's');
                    self.bytes(b'"', stack);
                }
                self.wire.push(b'.');
            }
        }
    }
}

fn written(value: &Value, has_stacks: bool) -> Vec<u8> {
    let mut writer = Writer { wire: vec![0xFF, 15], has_stacks };
    writer.value(value);
    writer.wire
}

fn has_two_byte_text(value: &Value) -> bool {
    match value {
        Value::TwoByte(_) => true,
        Value::Object(pairs) | Value::Map(pairs) => {
            pairs.iter().any(|(key, value)| has_two_byte_text(key) || has_two_byte_text(value))
        }
        Value::Dense(values) | Value::Set(values) => values.iter().any(has_two_byte_text),
        Value::HostObject(value) | Value::Error { cause: Some(value), .. } => has_two_byte_text(value),
        _ => false,
    }
}

/// What the host writes alone.
fn has_host_object(value: &Value) -> bool {
    match value {
        Value::HostObject(_) => true,
        Value::Object(pairs) | Value::Map(pairs) => {
            pairs.iter().any(|(key, value)| has_host_object(key) || has_host_object(value))
        }
        Value::Dense(values) | Value::Set(values) => values.iter().any(has_host_object),
        Value::Error { cause: Some(value), .. } => has_host_object(value),
        _ => false,
    }
}

#[test]
fn what_isolates_write_is_made_ready() {
    let result = TestRunner::new(cases::cases(20_000)).run(&values(), |value| {
        let wire = written(&value, false);
        let ready = for_node_of_anybody(wire, 64 << 20);
        prop_assert_eq!(ready.is_err(), has_host_object(&value));
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}

#[test]
fn stacks_are_taken_out_and_nothing_else() {
    let result = TestRunner::new(cases::cases(20_000)).run(&values(), |value| {
        let wire = written(&value, true);
        let bare = written(&value, false);
        // Padding depends on the place, which a stack that is taken out changes: what is compared has no padding.
        let unpadded = |wire: &[u8]| wire.iter().copied().filter(|&byte| byte != 0).collect::<Vec<u8>>();
        match without_stacks(&wire) {
            None => prop_assert_eq!(wire, bare),
            Some(kept) if has_two_byte_text(&value) => prop_assert_eq!(unpadded(&kept), unpadded(&bare)),
            Some(kept) => prop_assert_eq!(kept, bare),
        }
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}
