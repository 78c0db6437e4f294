//! The state of a run in a file, so that it can go on after the machine has gone down.
//!
//! The file says to which problem and settings it belongs; a run resumed under others would be neither one nor the other.

use crate::args::ProblemArgs;
use crate::failure::{Failure, Result, file_hint};
use crate::output;
use proxdist::fingerprint::Fingerprint;
use proxdist::run::State;
use proxdist::{Data, Problem, Settings};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const FORMAT: &str = "proxdist-checkpoint";
const VERSION: u32 = 2;

/// How often the file is written.
const RHYTHM: Duration = Duration::from_secs(5);

/// How the keys end that tell one file from another by a number that means nothing to people.
const FEATURES: &str = "of the features";

/// The file as it is written.
#[derive(Serialize)]
struct Borrowed<'a> {
    format: &'a str,
    version: u32,
    run: &'a Value,
    state: &'a State,
}

/// What a file says of itself.
#[derive(Deserialize)]
struct Header {
    format: String,
    version: u32,
}

/// The file as it is read, once its format and version are known.
#[derive(Deserialize)]
struct File {
    run: Value,
    state: State,
}

/// What must be the same for a run to go on, as one object.
pub(crate) fn identity(settings: &Settings, args: &ProblemArgs, problem: &Problem) -> Result<Value> {
    let data = problem.data();
    // A sum over the target tells most other files from this one.
    let response: f64 = data.response().iter().enumerate().map(|(row, y)| y * (1.0 + (row % 97) as f64)).sum();
    let mut identity = json!({
        "loss": problem.loss().spec(),
        "constraint": problem.constraint().spec().to_string(),
        "rows": data.rows(),
        "features": data.columns(),
        "names of the features": names(data),
        "values of the features": Fingerprint::of_values(data)?.text(),
        "target": format!("{response:e}"),
        "ridge": args.ridge,
        "intercept": !args.units.no_intercept,
        "standardize": (args.units.standardize, args.units.no_standardize),
    });
    for (declared, value) in settings.identity() {
        identity[declared.option] = Value::String(value);
    }
    Ok(identity)
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

/// Keeps the latest state of a run and writes it now and then.
pub(crate) struct Keeper {
    path: PathBuf,
    run: Value,
    latest: Option<State>,
    written: Option<Instant>,
    /// The first thing that went wrong; a run of hours does not end because of it.
    failure: Option<Failure>,
}

impl Keeper {
    /// Writes to `path`.
    pub(crate) fn new(path: &Path, run: Value) -> Self {
        Self { path: path.to_owned(), run, latest: None, written: None, failure: None }
    }

    /// Takes note of a state, and writes it if it is the first or the last writing was a while ago.
    pub(crate) fn keep(&mut self, state: &State) {
        match &mut self.latest {
            Some(latest) => latest.clone_from(state),
            none => *none = Some(state.clone()),
        }
        if self.written.is_none_or(|at| at.elapsed() >= RHYTHM) {
            self.write();
        }
    }

    /// Writes the last time. A run that ended by itself can be resumed, too: it ends for the same reason, or goes on under wider limits as if it had
    /// never ended.
    pub(crate) fn finish(mut self) -> Option<Failure> {
        self.write();
        self.failure
    }

    /// Writes the latest state, whole or not at all.
    fn write(&mut self) {
        self.written = Some(Instant::now());
        let Some(state) = &self.latest else { return };
        let file = Borrowed { format: FORMAT, version: VERSION, run: &self.run, state };
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
pub(crate) fn load(path: &Path, run: &Value) -> Result<Option<State>> {
    let shown = path.display();
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Failure::new(format!("--resume: {shown}: {error}"), file_hint(&error))),
    };
    let hint = "give the file that --checkpoint has written, or remove it to start afresh";
    let foreign = |error| Failure::new(format!("--resume: {shown} is not a checkpoint: {error}"), hint);
    let Header { format, version } = serde_json::from_str(&text).map_err(foreign)?;
    if format != FORMAT || version != VERSION {
        let message = format!("--resume: {shown} is no checkpoint of version {VERSION}");
        return Err(Failure::new(message, hint));
    }
    let file: File = serde_json::from_str(&text).map_err(foreign)?;
    if let Some((name, was, is)) = difference(&file.run, run) {
        let message = if name.ends_with(FEATURES) {
            format!("--resume: {shown} belongs to a run on other data: the {name} differ")
        } else {
            format!("--resume: {shown} belongs to a run with another {name}: {was} there, {is} here")
        };
        return Err(Failure::new(message, "resume with the data and options of the first run, or remove the file"));
    }
    Ok(Some(file.state))
}

/// The first thing in which two runs differ.
fn difference<'a>(was: &'a Value, is: &'a Value) -> Option<(&'a str, &'a Value, &'a Value)> {
    let is = is.as_object()?;
    is.iter().find_map(|(name, value)| match was.get(name) {
        Some(before) if before == value => None,
        before => Some((name.as_str(), before.unwrap_or(&Value::Null), value)),
    })
}
