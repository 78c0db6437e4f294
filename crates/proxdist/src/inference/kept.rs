//! Repetitions of a fit in a file, so that a long bootstrap can go on after an interrupt, from the program and from Python alike.
//!
//! A repetition is known by its number, so a larger number of them goes on from a smaller one. The file says to which model, rows and seed it belongs.

use super::Replicate;
use crate::data::Data;
use crate::error::Result;
use crate::files::write_whole;
use crate::fingerprint::Fingerprint;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

const FORMAT: &str = "proxdist-repetitions";
/// How often the file is written.
const RHYTHM: Duration = Duration::from_secs(3);

/// What repetitions are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RepetitionKind {
    /// Rows with replacement.
    Bootstrap,
    /// Halves.
    Halves,
}

/// The file.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct File {
    format: String,
    identity: String,
    bootstrap: Vec<Replicate>,
    halves: Vec<Replicate>,
}

/// Why a file of repetitions is of no use.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeptFault {
    /// The system refused to read it.
    #[error("{}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Something else.
    #[error("{}: this is no file of repetitions", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// Of something else.
    #[error("{}: these are repetitions of another model, other rows or another seed", path.display())]
    OfOthers {
        /// The file.
        path: PathBuf,
    },
}

/// Keeps repetitions, in a file if there is one.
#[derive(Debug)]
pub struct Kept {
    path: Option<PathBuf>,
    file: Mutex<(File, Instant)>,
    /// Repetitions that the file had.
    before: usize,
}

/// Model (the text of its file), rows and seed as one number.
pub fn identity(model: &str, data: &Data, seed: u64) -> Result<String> {
    let mut hash = Fingerprint::default();
    hash.add(model.as_bytes());
    hash.add(&seed.to_le_bytes());
    hash.add(&(data.rows() as u64).to_le_bytes());
    data.response().iter().for_each(|y| hash.add(&y.to_bits().to_le_bytes()));
    (0..data.rows()).for_each(|row| hash.add(&data.weight(row).to_bits().to_le_bytes()));
    // Looks at some rows of the features.
    if data.random_access().is_ok() {
        hash.add(Fingerprint::of_values(data)?.text().as_bytes());
    }
    Ok(hash.text())
}

impl Kept {
    /// Takes over what the file has, if there is one.
    pub fn open(path: Option<&Path>, identity: String) -> std::result::Result<Self, KeptFault> {
        let mut file = File { format: FORMAT.to_owned(), identity, ..File::default() };
        let mut before = 0;
        if let (Some(path), Some(found)) = (path, path.map(read).transpose()?.flatten()) {
            if found.identity != file.identity {
                return Err(KeptFault::OfOthers { path: path.to_owned() });
            }
            before = found.bootstrap.len() + found.halves.len();
            file = found;
        }
        Ok(Self { path: path.map(Path::to_owned), file: Mutex::new((file, Instant::now())), before })
    }

    /// Repetitions that the file had when it was opened.
    pub fn before(&self) -> usize {
        self.before
    }

    /// Repetitions so far, by number: of the bootstrap and of the halves.
    pub fn known(&self) -> [BTreeMap<u64, Replicate>; 2] {
        let kept = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let by_number = |list: &[Replicate]| list.iter().map(|one| (one.number, one.clone())).collect();
        [by_number(&kept.0.bootstrap), by_number(&kept.0.halves)]
    }

    /// Takes one more, and now and then writes the file.
    pub fn keep(&self, kind: RepetitionKind, replicate: &Replicate) -> io::Result<()> {
        let mut kept = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let list = if kind == RepetitionKind::Bootstrap { &mut kept.0.bootstrap } else { &mut kept.0.halves };
        list.push(replicate.clone());
        if kept.1.elapsed() < RHYTHM {
            return Ok(());
        }
        kept.1 = Instant::now();
        self.write(&kept.0)
    }

    /// Writes the file the last time.
    pub fn finish(&self) -> io::Result<()> {
        let kept = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        self.write(&kept.0)
    }

    /// In the order of their numbers: the same file at any number of threads.
    fn write(&self, file: &File) -> io::Result<()> {
        let Some(path) = &self.path else { return Ok(()) };
        let mut file = file.clone();
        file.bootstrap.sort_by_key(|one| one.number);
        file.halves.sort_by_key(|one| one.number);
        write_whole(path, &serde_json::to_vec(&file)?)
    }
}

fn read(path: &Path) -> std::result::Result<Option<File>, KeptFault> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => {
            return Err(KeptFault::Foreign { path: path.to_owned() });
        }
        Err(source) => return Err(KeptFault::Unreadable { path: path.to_owned(), source }),
    };
    match serde_json::from_str::<File>(&text) {
        Ok(file) if file.format == FORMAT => Ok(Some(file)),
        _ => Err(KeptFault::Foreign { path: path.to_owned() }),
    }
}
