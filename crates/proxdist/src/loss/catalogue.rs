//! The losses by name. Each has its entry in its own file; [`LOSSES`] is the list of them, and [`parse`] reads what they say.

use super::{
    Link, Loss, Sum, Task, absolute, gamma, hinge, huber, logistic, negative_binomial, poisson, quantile, squared,
    squared_hinge, tweedie,
};
use crate::error::{Error, Result};

/// Every loss of the library; a test counts the files with an entry.
static LOSSES: [LossEntry; 11] = [
    squared::ENTRY,
    logistic::ENTRY,
    huber::ENTRY,
    poisson::ENTRY,
    squared_hinge::ENTRY,
    gamma::ENTRY,
    tweedie::ENTRY,
    negative_binomial::ENTRY,
    quantile::ENTRY,
    absolute::ENTRY,
    hinge::ENTRY,
];

/// One line of the catalogue of losses: all that is known of a loss by its name.
#[derive(Clone, Copy, Debug)]
pub struct LossEntry {
    /// Its name in the grammar.
    pub name: &'static str,
    /// What it is, in ASCII.
    pub definition: &'static str,
    /// The same for a page: single letters are symbols, and `^` raises the sign after it.
    pub formula: &'static str,
    /// What it explains.
    pub task: Task,
    /// What its predictor means.
    pub link: Link,
    /// Its parameter, and how it is made.
    pub(super) form: Form,
}

/// Whether a loss has a parameter.
#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    /// Written `name`.
    Plain(fn() -> Box<dyn Loss>),
    /// Written `name:NUMBER`, or `name` for the usual number.
    WithNumber { parameter: &'static str, usual: f64, make: fn(f64) -> Result<Box<dyn Loss>> },
}

impl LossEntry {
    /// How it is written, such as `huber:DELTA`.
    pub fn syntax(&self) -> String {
        match self.form {
            Form::Plain(_) => self.name.to_owned(),
            Form::WithNumber { parameter, .. } => format!("{}:{parameter}", self.name),
        }
    }

    /// One that can be read, such as `huber:1.345`: its parameter is the usual one.
    pub fn example(&self) -> String {
        match self.form {
            Form::Plain(_) => self.name.to_owned(),
            Form::WithNumber { usual, .. } => format!("{}:{usual}", self.name),
        }
    }

    /// The name of the loss with that of its parameter, such as `huber delta`.
    pub(crate) fn setting(&self) -> String {
        self.syntax().replace(':', " ").to_lowercase()
    }

    fn read(&self, argument: Option<&str>) -> std::result::Result<Result<Box<dyn Loss>>, String> {
        match (self.form, argument) {
            (Form::Plain(make), None) => Ok(Ok(make())),
            (Form::Plain(_), Some(_)) => Err(format!("the {} loss takes no argument", self.name)),
            (Form::WithNumber { usual, make, .. }, None) => Ok(make(usual)),
            (Form::WithNumber { make, .. }, Some(text)) => match text.parse() {
                Ok(number) => Ok(make(number)),
                Err(_) => Err(format!("expected a number, as in {}", self.example())),
            },
        }
    }
}

/// Every loss of the library.
pub fn catalogue() -> &'static [LossEntry] {
    &LOSSES
}

/// Reads a loss as the catalogue writes it, such as `squared` or `huber:2`, or a sum of them such as `squared + huber:2`; one without its parameter, as plain `huber`, has
/// the usual one.
pub fn parse(text: &str) -> Result<Box<dyn Loss>> {
    if let Some((first, rest)) = text.split_once(" + ") {
        return Ok(Box::new(Sum(parse(first)?, parse(rest)?)));
    }
    let trimmed = text.trim();
    let (name, argument) =
        trimmed.split_once(':').map_or((trimmed, None), |(name, rest)| (name.trim(), Some(rest.trim())));
    let Some(entry) = LOSSES.iter().find(|entry| entry.name == name) else { return Err(unknown(text, name)) };
    entry.read(argument).unwrap_or_else(|reason| Err(unreadable(text, argument.unwrap_or(name), reason)))
}

/// The error of a loss that the library does not have.
pub(super) fn unknown(text: &str, name: &str) -> Error {
    let known: Vec<String> = LOSSES.iter().map(LossEntry::syntax).collect();
    let names: Vec<&str> = LOSSES.iter().map(|entry| entry.name).collect();
    let other = crate::synonyms::loss(name.split(':').next().unwrap_or(name).trim(), &names);
    let meant = other.map_or_else(String::new, |ours| format!("did you mean {ours}? "));
    unreadable(text, name, format!("no such loss; {meant}the losses are {}", known.join(", ")))
}

fn unreadable(text: &str, at: &str, reason: String) -> Error {
    let before = text.find(at).map_or(0, |byte| text[..byte].chars().count());
    Error::Spec { text: text.to_owned(), at: at.to_owned(), position: before + 1, reason }
}
