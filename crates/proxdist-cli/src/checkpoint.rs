//! The state of a run in a file, so that it can go on after the machine has gone down.
//!
//! The file says to which problem and settings it belongs; a run resumed under others would be neither one nor the other.

use crate::args::ProblemArgs;
use crate::failure::{Failure, Result, file_hint};
use crate::output;
use proxdist::data::RowBuffer;
use proxdist::trace::Snapshot;
use proxdist::{Data, Problem, Settings};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const FORMAT: &str = "proxdist-checkpoint";
const VERSION: u32 = 1;

/// How often the file is written.
const RHYTHM: Duration = Duration::from_secs(5);

/// How the keys end that tell one file from another by a number that means nothing to people.
const FEATURES: &str = "of the features";

#[derive(Serialize, Deserialize)]
struct File {
    format: String,
    version: u32,
    run: Value,
    snapshot: Snapshot,
}

/// What must be the same for a run to go on, as one object.
pub(crate) fn identity(settings: &Settings, args: &ProblemArgs, problem: &Problem) -> Value {
    let data = problem.data();
    // A sum over the target tells most other files from this one.
    let response: f64 = data.response().iter().enumerate().map(|(row, y)| y * (1.0 + (row % 97) as f64)).sum();
    let mut identity = json!({
        "loss": problem.loss().spec(),
        "constraint": problem.constraint().spec(),
        "rows": data.rows(),
        "features": data.columns(),
        "names of the features": names(data),
        "values of the features": values(data),
        "target": format!("{response:e}"),
        "ridge": args.ridge,
        "intercept": !args.no_intercept,
        "standardize": (args.standardize, args.no_standardize),
    });
    for (declared, value) in settings.identity() {
        identity[declared.option] = Value::String(value);
    }
    identity
}

/// The names as one number; numbered columns have none.
fn names(data: &Data) -> String {
    let mut hash = Fingerprint::default();
    for name in data.feature_names().unwrap_or_default() {
        hash.add(name.as_bytes());
        hash.add(&[0]);
    }
    hash.text()
}

/// The entries of some rows, spread over the data, as one number.
fn values(data: &Data) -> String {
    const ROWS: usize = 32;
    let (rows, mut buffer, mut hash) = (data.rows(), RowBuffer::default(), Fingerprint::default());
    for row in (0..rows).step_by(rows.div_ceil(ROWS).max(1)) {
        if data.source().gather(&[row], &mut buffer).is_ok() {
            for (column, value) in buffer.rows().row(0).filter(|(_, value)| *value != 0.0) {
                hash.add(&(column as u64).to_le_bytes());
                hash.add(&value.to_bits().to_le_bytes());
            }
        }
    }
    hash.text()
}

/// The 64-bit hash of Fowler, Noll and Vo (1a): the same for ever and on every machine.
struct Fingerprint(u64);

impl Default for Fingerprint {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fingerprint {
    fn add(&mut self, bytes: &[u8]) {
        let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        self.0 = bytes.iter().fold(self.0, step);
    }

    fn text(&self) -> String {
        format!("{:016x}", self.0)
    }
}

/// Keeps the latest state of a run and writes it now and then.
pub(crate) struct Keeper {
    path: PathBuf,
    run: Value,
    latest: Option<Snapshot>,
    /// The one before the latest.
    previous: Option<Snapshot>,
    written: Option<Instant>,
    /// The first thing that went wrong; a run of hours does not end because of it.
    failure: Option<Failure>,
}

impl Keeper {
    /// Writes to `path`.
    pub(crate) fn new(path: &Path, run: Value) -> Self {
        Self { path: path.to_owned(), run, latest: None, previous: None, written: None, failure: None }
    }

    /// Takes note of a state, and writes it if it is the first or the last writing was a while ago.
    pub(crate) fn keep(&mut self, snapshot: &Snapshot) {
        self.previous = self.latest.replace(snapshot.clone());
        if self.written.is_none_or(|at| at.elapsed() >= RHYTHM) {
            self.write();
        }
    }

    /// Writes the last time. A run that ended by itself is kept as it was one checkpoint earlier: resumed, it takes the last
    /// steps again and ends for the same reason, or goes on under wider limits as if it had never ended.
    pub(crate) fn finish(mut self, is_interrupted: bool) -> Option<Failure> {
        if !is_interrupted {
            self.latest = self.previous.take();
        }
        self.write();
        self.failure
    }

    /// Writes the latest state, whole or not at all.
    fn write(&mut self) {
        self.written = Some(Instant::now());
        let Some(snapshot) = self.latest.clone() else { return };
        let file = File { format: FORMAT.to_owned(), version: VERSION, run: self.run.clone(), snapshot };
        let written = match serde_json::to_vec(&file) {
            Ok(content) => output::write_file(&self.path, &content),
            Err(error) => Err(Failure::new(format!("{}: {error}", self.path.display()), "run without --checkpoint")),
        };
        if let Err(failure) = written {
            self.failure.get_or_insert(failure);
        }
    }
}

/// The state to go on from, if the file is there.
pub(crate) fn load(path: &Path, run: &Value) -> Result<Option<Snapshot>> {
    let shown = path.display();
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Failure::new(format!("--resume: {shown}: {error}"), file_hint(&error))),
    };
    let hint = "give the file that --checkpoint has written, or remove it to start afresh";
    let file: File = serde_json::from_str(&text)
        .map_err(|error| Failure::new(format!("--resume: {shown} is not a checkpoint: {error}"), hint))?;
    if file.format != FORMAT || file.version != VERSION {
        let message = format!("--resume: {shown} is no checkpoint of version {VERSION}");
        return Err(Failure::new(message, hint));
    }
    if let Some((name, was, is)) = difference(&file.run, run) {
        let message = if name.ends_with(FEATURES) {
            format!("--resume: {shown} belongs to a run on other data: the {name} differ")
        } else {
            format!("--resume: {shown} belongs to a run with another {name}: {was} there, {is} here")
        };
        return Err(Failure::new(message, "resume with the data and options of the first run, or remove the file"));
    }
    Ok(Some(file.snapshot))
}

/// The first thing in which two runs differ.
fn difference<'a>(was: &'a Value, is: &'a Value) -> Option<(&'a str, &'a Value, &'a Value)> {
    let is = is.as_object()?;
    is.iter().find_map(|(name, value)| match was.get(name) {
        Some(before) if before == value => None,
        // Version 0.1 did not record it.
        None if name.ends_with(FEATURES) => None,
        before => Some((name.as_str(), before.unwrap_or(&Value::Null), value)),
    })
}
