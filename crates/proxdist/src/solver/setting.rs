//! A setting as users meet it: its names, its default, its rule and its help, said once.
//!
//! The command line makes its options from these declarations, the Python package checks its parameters against them, and a checkpoint
//! or a model file writes values as they print them. The rows themselves are in `declarations.rs`; a new setting is a field of [`Settings`],
//! a variant of [`Setting`] and a row there.
//!
//! ```
//! use proxdist::{Setting, Settings};
//!
//! let settings = Settings::default().set("rho1", "0.01")?.set("sampling", "cyclic")?;
//! assert_eq!(settings.value(Setting::Rho1), "0.01");
//! let error = settings.set("tolerance", "-1").unwrap_err();
//! assert_eq!(error.to_string(), "tolerance must be positive, got -1");
//! # Ok::<(), proxdist::Error>(())
//! ```

use super::Settings;
use super::declarations::DECLARATIONS;
use super::reading::Refused;
use crate::error::{Error, Result};
use crate::rule::Rule;
use std::collections::BTreeMap;
use std::fmt;

/// Everything a run can be told in words; see [`Settings`] for the meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
#[allow(missing_docs, reason = "each is explained by its declaration")]
pub enum Setting {
    Method,
    Rho1,
    Gamma,
    Schedule,
    BatchSize,
    Sampling,
    Polish,
    Effort,
    Prove,
    Gap,
    Memory,
    Average,
    Seed,
    Threads,
    MaxSteps,
    MaxPasses,
    TimeLimit,
    Tolerance,
    Stop,
    CheckEvery,
    MonitorRows,
}

/// What kind of value a setting takes. Where the default is the word `auto` or `none`, that word is a value too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// `true` or `false`; as an option of the command line, its presence turns the default around.
    Flag,
    /// One of these words.
    Words(&'static [Word]),
    /// A whole number.
    Count,
    /// A number.
    Number,
    /// A time: a number of seconds, or a number with a unit.
    Time,
    /// An amount of memory: a number of bytes, or a number with a unit.
    Memory,
    /// Text with a grammar of its own.
    Text,
}

/// One of the words that a setting can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// The word.
    pub name: &'static str,
    /// Another word for the same.
    pub alias: Option<&'static str>,
    /// What it means.
    pub help: &'static str,
}

/// Under which heading a setting is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Topic {
    /// How steps are taken.
    Method,
    /// When a run ends and how it is watched.
    Stopping,
}

/// What is to be known about a setting.
#[derive(Debug)]
#[non_exhaustive]
pub struct Declaration {
    /// The setting.
    pub setting: Setting,
    /// Its name in the library.
    pub name: &'static str,
    /// The option of the command line, without its dashes.
    pub option: &'static str,
    /// The parameter of the Python estimators.
    pub parameter: &'static str,
    /// What kind of value it takes.
    pub kind: Kind,
    /// Its default, as it is printed.
    pub default: &'static str,
    /// The rule for its values, to be read after "must be".
    pub rule: &'static str,
    /// What it means, in a line.
    pub help: &'static str,
    /// What stands for its value in help, such as `N`.
    pub placeholder: &'static str,
    /// Its heading.
    pub topic: Topic,
    /// Whether the steps of a run depend on it, so that a run can only go on with the same value.
    pub is_identity: bool,
    pub(super) read: fn(&mut Settings, &str) -> std::result::Result<(), Refused>,
    pub(super) write: fn(&Settings) -> String,
}

impl Setting {
    /// All declarations, in the order in which they are listed.
    pub fn declarations() -> &'static [Declaration] {
        DECLARATIONS
    }

    /// What is to be known about it.
    pub fn declaration(self) -> &'static Declaration {
        // A test holds the rows against the order of the variants.
        &DECLARATIONS[self as usize]
    }

    /// The setting of this name, in snake or kebab case.
    pub fn named(name: &str) -> Result<Self> {
        let name = name.replace('-', "_");
        match DECLARATIONS.iter().find(|declared| declared.name == name) {
            Some(declared) => Ok(declared.setting),
            None => Err(Error::UnknownSetting { name }),
        }
    }

    /// The error that names the setting, its rule and what was found.
    pub(super) fn refuse(self, value: impl fmt::Display) -> Error {
        Error::setting(self.declaration().name, Rule::Declared(self), value)
    }
}

/// What is declared; a start or a snapshot would fill pages.
impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut all = f.debug_struct("Settings");
        for declared in DECLARATIONS {
            all.field(declared.name, &(declared.write)(self));
        }
        all.finish_non_exhaustive()
    }
}

impl Settings {
    /// Gives a setting by its name and value as text, both as they are declared. What depends on the data is checked by the fit.
    pub fn set(self, name: &str, value: &str) -> Result<Self> {
        self.with(Setting::named(name)?, value)
    }

    /// Gives a setting its value as text.
    pub fn with(mut self, setting: Setting, value: &str) -> Result<Self> {
        match (setting.declaration().read)(&mut self, value) {
            Ok(()) => Ok(self.given(setting)),
            Err(Refused::ByRule) => Err(setting.refuse(value)),
            Err(Refused::Because(error)) => Err(error),
        }
    }

    /// The value of a setting as text, the same for the same value; [`Settings::with`] reads it back, unless it is a schedule of
    /// the user's own.
    pub fn value(&self, setting: Setting) -> String {
        (setting.declaration().write)(self)
    }

    /// Whether the user has said something about a setting, be it the default.
    pub fn is_given(&self, setting: Setting) -> bool {
        self.given.contains(&setting)
    }

    /// What must be the same for a run to go on as itself: names and values.
    pub fn identity(&self) -> impl Iterator<Item = (&'static Declaration, String)> {
        DECLARATIONS.iter().filter(|declared| declared.is_identity).map(|declared| (declared, (declared.write)(self)))
    }

    /// What is not as it is by default among the settings that a result depends on: names and values, for the record.
    pub fn changes(&self) -> BTreeMap<String, String> {
        let is_on_record = |declared: &&Declaration| declared.setting != Setting::Threads;
        DECLARATIONS
            .iter()
            .filter(is_on_record)
            .map(|declared| (declared, (declared.write)(self)))
            .filter(|(declared, value)| value != declared.default)
            .map(|(declared, value)| (declared.name.to_owned(), value))
            .collect()
    }

    pub(super) fn given(mut self, setting: Setting) -> Self {
        self.given.insert(setting);
        self
    }
}
