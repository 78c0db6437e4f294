//! Repetitions of a fit in a file, so that a long bootstrap can go on after an interrupt; and the line that says how far it is.
//!
//! A repetition is known by its number, so a larger number of them goes on from a smaller one. The file says to which model, rows and seed it belongs.

use crate::checkpoint::{Fingerprint, values};
use crate::failure::{Failure, Result, file_hint};
use crate::output::{self, note};
use crate::{progress, signals};
use indicatif::ProgressBar;
use proxdist::inference::{Audience, Replicate};
use proxdist::{Data, Model};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

const FORMAT: &str = "proxdist-repetitions";
/// How often the file is written.
const RHYTHM: Duration = Duration::from_secs(3);

/// What repetitions are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Rows with replacement.
    Bootstrap,
    /// Halves.
    Halves,
}

/// The file.
#[derive(Clone, Default, Serialize, Deserialize)]
struct File {
    format: String,
    identity: String,
    bootstrap: Vec<Replicate>,
    halves: Vec<Replicate>,
}

/// Model, rows and seed as one number.
pub(crate) fn identity(model: &Model, data: &Data, seed: u64) -> Result<String> {
    let mut hash = Fingerprint::default();
    hash.add(model.to_json()?.as_bytes());
    hash.add(&seed.to_le_bytes());
    hash.add(&(data.rows() as u64).to_le_bytes());
    data.response().iter().for_each(|y| hash.add(&y.to_bits().to_le_bytes()));
    (0..data.rows()).for_each(|row| hash.add(&data.weight(row).to_bits().to_le_bytes()));
    // Looks at some rows of the features.
    if data.random_access().is_ok() {
        hash.add(values(data)?.as_bytes());
    }
    Ok(hash.text())
}

/// Keeps repetitions and says how far they are.
pub(crate) struct Keeper {
    path: Option<PathBuf>,
    quiet: bool,
    kept: Mutex<(File, Instant)>,
}

impl Keeper {
    /// Takes over what the file has, if there is one.
    pub(crate) fn open(path: Option<&Path>, identity: String, quiet: bool) -> Result<Self> {
        let mut file = File { format: FORMAT.to_owned(), identity, ..File::default() };
        if let Some(found) = path.map(read).transpose()?.flatten() {
            if found.identity != file.identity {
                let message = format!(
                    "--state {}: these are repetitions of another model, other rows or another seed",
                    path.unwrap_or(Path::new("")).display()
                );
                return Err(Failure::new(message, "give another file, or remove this one to start afresh"));
            }
            note(quiet, &format!("going on from {} repetitions", found.bootstrap.len() + found.halves.len()));
            file = found;
        }
        Ok(Self { path: path.map(Path::to_owned), quiet, kept: Mutex::new((file, Instant::now())) })
    }

    /// Repetitions of earlier runs, by number.
    pub(crate) fn known(&self) -> [BTreeMap<u64, Replicate>; 2] {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let by_number = |list: &[Replicate]| list.iter().map(|one| (one.number, one.clone())).collect();
        [by_number(&kept.0.bootstrap), by_number(&kept.0.halves)]
    }

    /// Who is told of repetitions of a kind, of which so many are wanted.
    pub(crate) fn audience(&self, kind: Kind, wanted: u64) -> Line<'_> {
        let known = self.known()[usize::from(kind == Kind::Halves)].range(..wanted).count() as u64;
        Line {
            keeper: self,
            kind,
            wanted,
            before: known,
            done: Mutex::new(0),
            started: Instant::now(),
            bar: progress::line(self.quiet),
        }
    }

    /// Writes the file the last time.
    pub(crate) fn finish(&self) {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        self.write(&kept.0);
    }

    fn keep(&self, kind: Kind, replicate: &Replicate) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let list = if kind == Kind::Bootstrap { &mut kept.0.bootstrap } else { &mut kept.0.halves };
        list.push(replicate.clone());
        if kept.1.elapsed() >= RHYTHM {
            self.write(&kept.0);
            kept.1 = Instant::now();
        }
    }

    /// In the order of their numbers: the same file at any number of threads.
    fn write(&self, file: &File) {
        let Some(path) = &self.path else { return };
        let mut file = file.clone();
        file.bootstrap.sort_by_key(|one| one.number);
        file.halves.sort_by_key(|one| one.number);
        let written = serde_json::to_vec(&file)
            .map_err(|error| Failure::new(error.to_string(), "run without --state"))
            .and_then(|text| output::write_file(path, &text));
        if let Err(failure) = written {
            note(self.quiet, &format!("the repetitions were not kept: {}", failure.message));
        }
    }
}

fn read(path: &Path) -> Result<Option<File>> {
    let shown = path.display();
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Failure::new(format!("--state {shown}: {error}"), file_hint(&error))),
    };
    match serde_json::from_str::<File>(&text) {
        Ok(file) if file.format == FORMAT => Ok(Some(file)),
        _ => {
            let message = format!("--state {shown}: this is no file of repetitions");
            Err(Failure::new(message, "give the file that --state has written, or a name that is free"))
        }
    }
}

/// A line on the terminal: repetitions done, and the time left at that pace.
pub(crate) struct Line<'k> {
    keeper: &'k Keeper,
    kind: Kind,
    wanted: u64,
    /// Done by earlier runs.
    before: u64,
    done: Mutex<u64>,
    started: Instant,
    bar: ProgressBar,
}

impl Audience for Line<'_> {
    fn done(&self, replicate: &Replicate) {
        self.keeper.keep(self.kind, replicate);
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        *done += 1;
        let (all, left) = (self.before + *done, self.wanted.saturating_sub(self.before + *done));
        let seconds = self.started.elapsed().as_secs_f64() * left as f64 / *done as f64;
        let what = if self.kind == Kind::Bootstrap { "bootstrap" } else { "halves" };
        let share = 100 * all / self.wanted.max(1);
        self.bar.set_message(format!("{what}: {all} of {}, {share} %, about {seconds:.0} s left", self.wanted));
        self.bar.tick();
    }

    fn is_over(&self) -> bool {
        signals::asked_to_stop()
    }
}

impl Drop for Line<'_> {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
