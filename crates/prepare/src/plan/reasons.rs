//! Why a program may call more tools than its text shows.

use serde_json::{Value as Json, json};
use swc_common::BytePos;

use crate::source_index::SourceIndex;
use crate::syntax::offset;

/// Reasons that are listed. More would not help.
const MAX_REASONS: usize = 20;

/// Why every tool is possible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reason {
    /// The program uses the global object, of which every tool is a member.
    GlobalObject,
    /// It imports a module, which may call any tool.
    Module,
    /// It uses a name that an earlier program of the session may have defined.
    EarlierProgram,
    /// It cannot be read.
    NotReadable,
    /// It is not analyzed within the limits.
    TooComplex,
}

impl Reason {
    fn name(self) -> &'static str {
        match self {
            Reason::GlobalObject => "global_object",
            Reason::Module => "module",
            Reason::EarlierProgram => "earlier_program",
            Reason::NotReadable => "not_readable",
            Reason::TooComplex => "too_complex",
        }
    }
}

/// A position in the text; 0 for the program as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place(pub(super) BytePos);

impl Place {
    /// `line` and `column` of the position.
    pub(super) fn location(self, index: &SourceIndex) -> (u32, u32) {
        let location = index.location(offset(self.0));
        (location.line, location.column)
    }
}

#[derive(Default)]
pub(super) struct Reasons(Vec<(Reason, Option<String>, Place)>);

impl Reasons {
    pub(super) fn of(reason: Reason) -> Self {
        Reasons(vec![(reason, None, Place(BytePos(0)))])
    }

    pub(super) fn add(&mut self, reason: Reason, name: Option<&str>, place: Place) {
        let is_known = self.0.iter().any(|(known, of, _)| *known == reason && of.as_deref() == name);
        if !is_known && self.0.len() < MAX_REASONS {
            self.0.push((reason, name.map(str::to_owned), place));
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn json(&self, index: Option<&SourceIndex>) -> Json {
        let reasons = self.0.iter().map(|(reason, name, place)| {
            let mut shown = serde_json::Map::new();
            shown.insert("reason".to_owned(), json!(reason.name()));
            if let Some(name) = name {
                shown.insert("name".to_owned(), json!(name));
            }
            if let Some(index) = index.filter(|_| place.0.0 > 0) {
                let (line, column) = place.location(index);
                shown.insert("line".to_owned(), json!(line));
                shown.insert("column".to_owned(), json!(column));
            }
            Json::Object(shown)
        });
        Json::Array(reasons.collect())
    }
}
