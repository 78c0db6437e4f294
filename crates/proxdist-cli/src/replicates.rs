//! Repetitions of a fit, kept in a file by the library; and the line that says how far they are.

use crate::failure::{Failure, Result, file_hint};
use crate::output::note;
use crate::{progress, signals};
use indicatif::ProgressBar;
use proxdist::inference::{Audience, Kept, KeptFault, RepetitionKind, Replicate};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Keeps repetitions and says how far they are.
pub(crate) struct Keeper {
    kept: Kept,
    quiet: bool,
}

impl Keeper {
    /// Takes over what the file has, if there is one.
    pub(crate) fn open(path: Option<&Path>, identity: String, quiet: bool) -> Result<Self> {
        let kept = Kept::open(path, identity).map_err(|fault| failure(&fault))?;
        if kept.before() > 0 {
            note(quiet, &format!("going on from {} repetitions", kept.before()));
        }
        Ok(Self { kept, quiet })
    }

    /// Repetitions of earlier runs, by number.
    pub(crate) fn known(&self) -> [BTreeMap<u64, Replicate>; 2] {
        self.kept.known()
    }

    /// Who is told of repetitions of a kind, of which so many are wanted.
    pub(crate) fn audience(&self, kind: RepetitionKind, wanted: u64) -> Line<'_> {
        let known = self.known()[usize::from(kind == RepetitionKind::Halves)].range(..wanted).count() as u64;
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
        self.tell(self.kept.finish());
    }

    fn tell(&self, written: std::io::Result<()>) {
        if let Err(error) = written {
            note(self.quiet, &format!("the repetitions were not kept: {error}"));
        }
    }
}

fn failure(fault: &KeptFault) -> Failure {
    let hint = match fault {
        KeptFault::Unreadable { source, .. } => file_hint(source),
        KeptFault::OfOthers { .. } => "give another file, or remove this one to start afresh",
        _ => "give the file that --state has written, or a name that is free",
    };
    Failure::new(format!("--state {fault}"), hint)
}

/// A line on the terminal: repetitions done, and the time left at that pace.
pub(crate) struct Line<'k> {
    keeper: &'k Keeper,
    kind: RepetitionKind,
    wanted: u64,
    /// Done by earlier runs.
    before: u64,
    done: Mutex<u64>,
    started: Instant,
    bar: ProgressBar,
}

impl Audience for Line<'_> {
    fn done(&self, replicate: &Replicate) {
        self.keeper.tell(self.keeper.kept.keep(self.kind, replicate));
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        *done += 1;
        let (all, left) = (self.before + *done, self.wanted.saturating_sub(self.before + *done));
        let seconds = self.started.elapsed().as_secs_f64() * left as f64 / *done as f64;
        let what = if self.kind == RepetitionKind::Bootstrap { "bootstrap" } else { "halves" };
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
