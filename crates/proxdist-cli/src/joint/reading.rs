//! A file of times or ordered labels, read, and checked for what belongs to its loss.

use super::Loss;
use super::answers::{self, Answers, Roles, TimeColumns};
use crate::args::{DataArgs, JointArgs};
use crate::failure::{Failure, Result};
use crate::output::note;
use crate::{input, setup, signals};
use proxdist::joint::JointValidation;
use proxdist::spec::SetSpec;
use proxdist::survival::Ties;
use proxdist::{Data, joint::JointProblem};
use proxdist_io::Table;
use std::path::PathBuf;

/// What is to be read, and for what.
pub(super) struct Asked<'a> {
    pub(super) data: &'a DataArgs,
    pub(super) joint: &'a JointArgs,
    pub(super) loss: Loss,
    pub(super) memory: Option<usize>,
    pub(super) out: Option<&'a PathBuf>,
    pub(super) quiet: bool,
    /// Share of rows that are kept out, and the seed that says which.
    pub(super) holdout: Option<(f64, u64)>,
}

/// What was read.
pub(super) struct Read {
    pub(super) table: Table,
    pub(super) seconds: f64,
    pub(super) answers: Answers,
    /// The labels, ascending; none for times.
    pub(super) levels: Vec<String>,
    pub(super) columns: Option<TimeColumns>,
}

impl Asked<'_> {
    /// What cannot be done is found before any work.
    pub(super) fn check(&self) -> Result<()> {
        let Self { data, joint, loss, .. } = *self;
        let name = if loss == Loss::Cox { "cox" } else { "ordinal" };
        let refused =
            |what: &str, hint: &str| Err(Failure::new(format!("{what} is not available for --loss {name}"), hint));
        match loss {
            Loss::Cox if joint.event.is_none() => {
                let message = "--loss cox: which rows had the event is not known";
                return Err(Failure::new(message, "--event COL names a column of 1 (it happened) and 0 (censored)"));
            }
            Loss::Cox if joint.levels.is_some() => {
                return refused("--levels", "it orders the labels of --loss ordinal");
            }
            Loss::Ordinal if joint.event.is_some() || joint.entry.is_some() || joint.strata.is_some() => {
                return refused("--event, --entry or --strata", "they belong to the times of --loss cox");
            }
            Loss::Ordinal if joint.ties.is_some() => return refused("--ties", "it belongs to --loss cox"),
            _ => {}
        }
        if data.positive.is_some() {
            return refused("--positive", "labels are ordered by --levels; times have none");
        }
        if loss == Loss::Cox && !data.bins.is_empty() {
            return refused("--bins", "bin the columns of the file beforehand");
        }
        if !data.offsets().is_empty() {
            return refused("--offset with several columns", "name one column: there is one linear predictor");
        }
        if data.exposure.is_some() {
            return refused("--exposure", "use --offset, which is added to the linear predictor");
        }
        Ok(())
    }

    pub(super) fn read(&self) -> Result<Read> {
        let Self { data, joint, loss, memory, out, quiet, holdout } = *self;
        let source = data.name();
        // The target is read like that of a loss of numbers, or of labels.
        let reading = setup::loss(if loss == Loss::Cox { "squared" } else { "logistic" })?;
        let strata = joint.strata.as_deref();
        let wanted = input::Wanted { loss: &*reading, memory, out, quiet, takes_outputs: true, strata, holdout };
        let (mut table, seconds) = input::training(data, wanted)?;
        if signals::asked_to_stop() {
            return Err(Failure::interrupted());
        }
        Ok(match loss {
            Loss::Cox => {
                let roles = Roles { event: joint.event.as_deref(), entry: joint.entry.as_deref(), strata };
                let (times, strata) = answers::take(&mut table, roles, &source)?;
                let event = joint.event.clone().unwrap_or_default();
                let columns = Some(TimeColumns { event, entry: joint.entry.clone(), strata });
                Read { table, seconds, answers: Answers::Times(times), levels: Vec::new(), columns }
            }
            Loss::Ordinal => {
                let (labels, levels) = super::ordered(&table, joint.levels.as_deref(), &source)?;
                note(quiet, &format!("labels in ascending order: {}", levels.join(" < ")));
                Read { table, seconds, answers: Answers::Levels { labels }, levels, columns: None }
            }
        })
    }

    fn ties(&self) -> Ties {
        self.joint.ties.map(Ties::from).unwrap_or_default()
    }

    /// The problem of some rows.
    pub(super) fn problem<'d>(
        &self,
        data: &'d Data<'d>,
        (answers, levels): (&Answers, &[String]),
        set: Box<dyn proxdist::constraint::Constraint + 'd>,
    ) -> proxdist::Result<JointProblem<'d>> {
        match answers {
            Answers::Times(times) => {
                Ok(JointProblem::cox(data, &times.view()?, self.ties(), set)?.strata(times.names.iter().cloned()))
            }
            Answers::Levels { labels } => JointProblem::ordinal(data, labels, levels.iter().cloned(), set),
        }
    }

    /// The library's search over sets and ridge weights.
    pub(super) fn validation<'d>(
        &self,
        data: &'d Data<'d>,
        (answers, levels): (&Answers, &[String]),
        spec: SetSpec,
    ) -> proxdist::Result<JointValidation<'d>> {
        let validation = match answers {
            Answers::Times(times) => {
                JointValidation::cox(data, &times.view()?, self.ties()).strata(times.names.iter().cloned())
            }
            Answers::Levels { labels } => JointValidation::ordinal(data, labels, levels.iter().cloned()),
        };
        Ok(validation.constraint(spec))
    }
}
