//! The cost of regular expressions when V8 reads them: it lists all characters of a property that is named, and all
//! strings of a property of strings.

/// Memory that the properties of the regular expressions in a source may take. 32 MiB.
const MAX_BYTES: usize = 32 << 20;
/// Memory that V8 needs for a property. Measured: at most 12 KiB.
const PROPERTY_BYTES: usize = 16 << 10;
/// Memory for a property of strings. Measured: 830 KiB for `RGI_Emoji`, the largest.
const TEXTS_BYTES: usize = 1 << 20;
/// Properties of strings (ECMAScript, table 69).
const OF_TEXTS: [&str; 7] = [
    "Basic_Emoji",
    "Emoji_Keycap_Sequence",
    "RGI_Modifier_Sequence",
    "RGI_Flag_Sequence",
    "RGI_Emoji_Tag_Sequence",
    "RGI_ZWJ_Sequence",
    "RGI_Emoji",
];

/// Adds up the cost of patterns.
#[derive(Default)]
pub(super) struct Cost(usize);

impl Cost {
    pub(super) fn add(&mut self, pattern: &str) {
        let mut rest = pattern;
        while let Some(at) = rest.find(['\\']) {
            rest = &rest[at + 1..];
            let Some(name) = rest.strip_prefix(['p', 'P']) else { continue };
            let is_of_texts = name.strip_prefix('{').is_some_and(|name| OF_TEXTS.iter().any(|of| name.starts_with(of)));
            self.0 = self.0.saturating_add(if is_of_texts { TEXTS_BYTES } else { PROPERTY_BYTES });
        }
    }

    pub(super) fn is_too_high(&self) -> bool {
        self.0 > MAX_BYTES
    }
}

/// Whether the regular expressions of a program may cost too much: all of its text could be one.
pub fn may_be_costly(code: &str) -> bool {
    let mut cost = Cost::default();
    cost.add(code);
    cost.is_too_high()
}
