//! Settings that were given and had no effect, with the reason.
//!
//! A fit is a race for $\rho_1$, an iteration and an exact finish, and each of them may be left out: convex sets on small tables are
//! finished from anywhere, after a race an exact finish has nothing to gain from more steps, and a race may use up the steps there are. What only
//! the stages left out would have looked at has no effect, and neither has what another setting overrules. A limit that was not
//! reached has done its work and is not listed; whatever might have mattered is not listed either.

use super::{Setting, Settings, StopRule, usual_monitor_rows};
use crate::constraint::Structure;
use crate::polish::Finish;
use crate::problem::Problem;
use crate::proof::Curved;
use crate::sampling::Sampling;
use crate::schedule::Growth;
use crate::trace::{Phase, Progress};
use std::fmt;

/// A setting that was given and had no effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Note {
    /// The setting.
    pub setting: Setting,
    /// Why it had no effect.
    pub reason: Reason,
}

/// Why a setting had no effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The fit was the exact finish alone.
    FinishAlone,
    /// The exact finish followed the race.
    FinishAfterRace,
    /// The race took all the steps that there were.
    RaceTookAllSteps,
    /// The schedule has its own penalties.
    ScheduleDecides,
    /// The rule of convergence looks at all rows after every step.
    PaperRule,
    /// Every step uses all rows.
    AllRows,
    /// No random number was used.
    NothingDrawn,
    /// There is no exact finish.
    NoFinish,
    /// The set leaves no choice of features.
    NoChoice,
    /// There is no search for proofs for this set and loss.
    NoProof,
    /// No proof was asked for.
    NoProofAsked,
    /// The rows are not in memory.
    NotInMemory,
    /// Fits of several outputs have no use for it.
    SeveralOutputs,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::FinishAlone => "the exact finish over this set needs no start, so no steps were taken",
            Self::FinishAfterRace => {
                "the exact finish went on from the race for rho1, so there was no iteration after it"
            }
            Self::RaceTookAllSteps => "the race for rho1 took all the steps, so there was no iteration after it",
            Self::ScheduleDecides => "the schedule says what the penalty of each step is",
            Self::PaperRule => "the rule of the paper looks at all rows after every step",
            Self::AllRows => "every step uses all rows",
            Self::NothingDrawn => "nothing was drawn at random",
            Self::NoFinish => "there is no exact finish for this set and method",
            Self::NoChoice => "the set leaves no choice of features",
            Self::NoProof => {
                "proofs are for a number of features without further conditions, and with other losses than squared, which must be differentiable, for a ridge or for few columns"
            }
            Self::NoProofAsked => "no proof was asked for",
            Self::NotInMemory => "the rows are not in memory, where proofs are searched for",
            Self::SeveralOutputs => "fits of several outputs have no use for it",
        })
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} had no effect: {}", self.setting.declaration().name, self.reason)
    }
}

/// Which stages a fit went through.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stages {
    /// Whether a race chose the first penalty.
    pub(crate) has_raced: bool,
    /// Whether the iteration took steps of its own.
    pub(crate) has_iterated: bool,
    /// Steps altogether.
    pub(crate) steps: u64,
    /// Whether it was ended before it could go through them all.
    pub(crate) is_cut: bool,
}

impl Stages {
    /// The stages that a trace shows.
    pub(crate) fn of(trace: &[Progress], steps: u64, is_cut: bool) -> Self {
        let has = |phase: Phase| trace.iter().any(|at| at.phase == phase);
        Self { has_raced: has(Phase::Race), has_iterated: has(Phase::Iteration), steps, is_cut }
    }
}

/// The settings that were given and had no effect on a fit that went through these stages.
pub(crate) fn notes(problem: &Problem, settings: &Settings, stages: Stages) -> Vec<Note> {
    let circumstances = Circumstances::new(problem, settings, stages);
    let note = |&setting: &Setting| circumstances.reason(setting).map(|reason| Note { setting, reason });
    settings.given.iter().filter_map(note).collect()
}

/// The settings that were given and had no effect on a fit of several outputs, which took steps or did not.
pub(crate) fn notes_of_outputs(settings: &Settings, has_iterated: bool) -> Vec<Note> {
    let idle = (!has_iterated).then_some(Reason::FinishAlone);
    let reason = |setting: Setting| match setting {
        Setting::Gap | Setting::Memory => Some(Reason::NoProofAsked),
        Setting::Effort | Setting::MonitorRows => Some(Reason::SeveralOutputs),
        Setting::Seed => (!has_iterated).then_some(Reason::NothingDrawn),
        Setting::Gamma
        | Setting::Rho1
        | Setting::Schedule
        | Setting::BatchSize
        | Setting::Sampling
        | Setting::MaxSteps
        | Setting::MaxPasses
        | Setting::Tolerance
        | Setting::CheckEvery
        | Setting::Stop => idle,
        _ => None,
    };
    settings.given.iter().filter_map(|&setting| reason(setting).map(|reason| Note { setting, reason })).collect()
}

/// What the reasons depend on.
struct Circumstances<'a> {
    problem: &'a Problem<'a>,
    settings: &'a Settings,
    has_raced: bool,
    /// Why the iteration took no steps, if it did not.
    idle: Option<Reason>,
    has_finish: bool,
}

impl<'a> Circumstances<'a> {
    fn new(problem: &'a Problem, settings: &'a Settings, stages: Stages) -> Self {
        let (columns, l1) = (problem.data().columns(), settings.method.l1_weight());
        let has_finish = Finish::is_possible(problem.constraint(), columns, l1);
        let idle = match stages {
            Stages { is_cut: true, .. } | Stages { has_iterated: true, .. } => None,
            Stages { has_raced: true, steps, .. } if steps >= settings.max_steps => Some(Reason::RaceTookAllSteps),
            Stages { has_raced: true, .. } => Some(Reason::FinishAfterRace),
            // Without that, all candidates of a race have diverged: it has looked at its settings.
            _ => Finish::needs_no_start(problem.constraint(), problem.objective()).then_some(Reason::FinishAlone),
        };
        Self { problem, settings, has_raced: stages.has_raced, idle, has_finish }
    }

    fn reason(&self, setting: Setting) -> Option<Reason> {
        let settings = self.settings;
        let alone = self.idle.filter(|reason| *reason == Reason::FinishAlone);
        let is_full = settings.method.is_full_batch();
        let is_paper = settings.stop == StopRule::Paper;
        let when = |holds: bool, reason: Reason| holds.then_some(reason);
        match setting {
            Setting::Method => alone.filter(|_| settings.method.keeps_objective()),
            // A growth other than a power has taken the first penalty in.
            Setting::Rho1 => {
                when(settings.schedule.is_some() && settings.growth == Growth::Polynomial, Reason::ScheduleDecides)
            }
            Setting::Gamma => when(settings.schedule.is_some(), Reason::ScheduleDecides).or(alone),
            Setting::BatchSize => when(is_full || settings.sampling == Sampling::FullBatch, Reason::AllRows).or(alone),
            Setting::Sampling => when(is_full, Reason::AllRows).or(alone),
            Setting::Polish => when(!self.has_finish, Reason::NoFinish),
            Setting::Prove | Setting::Gap | Setting::Memory | Setting::Effort
                if !(settings.polish && self.has_finish) =>
            {
                Some(Reason::NoFinish)
            }
            Setting::Prove if !self.leaves_a_choice() => Some(Reason::NoChoice),
            Setting::Prove => when(!self.can_be_proven(), Reason::NoProof),
            Setting::Gap | Setting::Memory => when(settings.prove.is_none(), Reason::NoProofAsked),
            Setting::Effort => when(!self.leaves_a_choice(), Reason::NoChoice),
            Setting::Seed => when(!self.may_draw(), Reason::NothingDrawn),
            Setting::MaxSteps => self.idle.filter(|reason| *reason != Reason::RaceTookAllSteps),
            Setting::Average | Setting::MaxPasses | Setting::Tolerance => self.idle,
            // The finish looks at the clock too.
            Setting::TimeLimit => self.idle.filter(|_| !(settings.polish && self.has_finish)),
            Setting::CheckEvery => when(is_paper, Reason::PaperRule).or(self.idle),
            Setting::MonitorRows => when(is_paper, Reason::PaperRule),
            // It decides on the rows that are watched, too.
            Setting::Stop => self.idle.filter(|_| settings.monitor_rows.is_none() && self.usually_watches_all_rows()),
            Setting::Schedule | Setting::Threads => None,
        }
    }

    fn leaves_a_choice(&self) -> bool {
        matches!(self.problem.constraint().structure(), Structure::Choice(_))
    }

    /// Whether there is a search for proofs for this loss and set.
    fn can_be_proven(&self) -> bool {
        let columns = self.problem.data().columns();
        let Structure::Choice(choosing) = self.problem.constraint().structure() else { return false };
        let objective = self.problem.objective();
        if !objective.loss.is_differentiable() {
            return false;
        }
        if objective.loss.is_quadratic() {
            return choosing.counted(columns).is_some();
        }
        let is_bounded = Curved::is_affordable(objective, columns) || objective.ridge.is_positive();
        choosing.plain_size(columns).is_some() && is_bounded
    }

    /// Whether all rows are watched where nothing is said about it.
    fn usually_watches_all_rows(&self) -> bool {
        let (rows, columns) = (self.problem.data().rows(), self.problem.data().columns());
        usual_monitor_rows(rows, columns) == rows
    }

    fn watches_all_rows(&self) -> bool {
        let asked = self.settings.monitor_rows.map(|count| count == self.problem.data().rows());
        self.settings.stop == StopRule::Paper || asked.unwrap_or_else(|| self.usually_watches_all_rows())
    }

    /// Whether batches or samples may have been drawn. Samples are taken for the scale of the race, by the finish and for the certificate;
    /// of few rows they are all rows.
    fn may_draw(&self) -> bool {
        const FEW: usize = 500;
        const MANY: usize = 40_000;
        let Self { problem, settings, .. } = self;
        let (rows, constraint) = (problem.data().rows(), problem.constraint());
        let is_fixed = settings.method.is_full_batch()
            || matches!(settings.sampling, Sampling::Cyclic | Sampling::FullBatch)
            || self.idle == Some(Reason::FinishAlone);
        let is_rank = matches!(constraint.structure(), Structure::Rank { .. });
        let takes_sample = (settings.polish && is_rank)
            || rows
                > if self.has_raced || constraint.structure().conic(problem.data().columns()).is_none() {
                    FEW
                } else {
                    MANY
                };
        !is_fixed || !self.watches_all_rows() || takes_sample
    }
}
