//! Conversion of values between V8's heap and bytes.

pub mod adopt;
pub mod serialize;
