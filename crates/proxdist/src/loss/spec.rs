//! A loss as a model remembers it: its text, and what it stands for.

use super::{Loss, catalogue, parse};
use crate::error::Result;
use serde::{Serialize, Serializer};
use std::fmt;
use std::sync::Arc;

/// The text of a loss, read once. Losses of a user's own have a text, too, but nothing can be read from it.
#[derive(Clone)]
pub struct LossSpec {
    text: String,
    known: Option<Arc<dyn Loss>>,
}

impl LossSpec {
    /// What a text stands for. Any text will do: a model of an unknown loss can be stored and looked at.
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        let known = parse(&text).ok().map(Arc::from);
        Self { text, known }
    }

    /// The loss; an error if the library has none that is written so.
    pub fn known(&self) -> Result<&dyn Loss> {
        self.known.as_deref().ok_or_else(|| catalogue::unknown(&self.text, &self.text))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl PartialEq for LossSpec {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl fmt::Debug for LossSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LossSpec({:?})", self.text)
    }
}

impl fmt::Display for LossSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Serialize for LossSpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}
