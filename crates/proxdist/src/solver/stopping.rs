//! When a run ends, and why. The reason is recorded where the run stops, never inferred later.

use super::Settings;
use crate::trace::Progress;
use std::fmt;

/// When a run has converged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopRule {
    /// $F(P_C(\theta))$ on the monitor rows changes by less than the tolerance, relatively, over several checkpoints, and
    /// $\theta$ is close to $C$. The best checkpoint is returned.
    #[default]
    Settled,
    /// $|F(P_C(\theta_k)) - F(P_C(\theta_{k-1}))| <$ tolerance on all rows after every step, and the last iterate is returned:
    /// the rule of the paper.
    Paper,
}

/// Why a run ended. Not having converged is an outcome, not an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Stop {
    /// The rule of convergence was met.
    Converged,
    /// The exact finish ended on a stationary point of all data.
    Polished,
    /// The exact finish fell short of a stationary point: the result lies in the set, but nothing says that it is optimal.
    Unfinished,
    /// The steps were used up.
    MaxSteps,
    /// The passes over the data were used up.
    MaxPasses,
    /// The time was used up.
    TimeLimit,
    /// An observer asked for the end.
    Interrupted,
    /// A stream has no end of its own: this is the model after the rows that it has seen.
    Streaming,
    /// The iterate, or F there, grew beyond all bounds, or a step could not be computed: the learning rate is too large for the method. The result is the
    /// best feasible point before that.
    Diverged,
}

impl Stop {
    /// Whether the run got where it was to go: a rule of convergence was met, or the exact finish ended on a stationary point.
    pub fn is_success(self) -> bool {
        matches!(self, Self::Converged | Self::Polished)
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Converged => "converged",
            Self::Polished => "finished on a stationary point of all data",
            Self::Unfinished => "not finished: the exact finish fell short of a stationary point",
            Self::MaxSteps => "reached the maximum number of steps",
            Self::MaxPasses => "reached the maximum number of passes over the data",
            Self::TimeLimit => "reached the time limit",
            Self::Interrupted => "interrupted",
            Self::Streaming => "a stream: learned all rows so far",
            Self::Diverged => "diverged: the learning rate is too large for this method",
        })
    }
}

/// Consecutive small changes that count as settled; a single one may be luck with noisy steps.
const PATIENCE: usize = 3;

/// Why the run should stop after the last checkpoint of the trace, if it should. `norm` is $\|P_C(\theta)\|$.
pub(crate) fn reason(trace: &[Progress], norm: f64, rows: usize, settings: &Settings) -> Option<Stop> {
    let last = trace.last()?;
    if has_converged(trace, last, norm, settings) {
        return Some(Stop::Converged);
    }
    if last.step >= settings.max_steps {
        return Some(Stop::MaxSteps);
    }
    if settings.max_passes.is_some_and(|passes| last.rows_seen as f64 >= passes * rows as f64) {
        return Some(Stop::MaxPasses);
    }
    settings.time_limit.is_some_and(|limit| last.elapsed >= limit).then_some(Stop::TimeLimit)
}

fn has_converged(trace: &[Progress], last: &Progress, norm: f64, settings: &Settings) -> bool {
    let change = |pair: &[Progress]| (pair[1].objective - pair[0].objective).abs();
    match settings.stop {
        StopRule::Paper => trace.len() >= 2 && change(&trace[trace.len() - 2..]) < settings.tolerance,
        StopRule::Settled => {
            let is_near = last.distance <= settings.tolerance.sqrt() * norm.max(1.0);
            let recent = &trace[trace.len().saturating_sub(PATIENCE + 1)..];
            let is_small = |pair: &[Progress]| change(pair) <= settings.tolerance * pair[1].objective.abs();
            is_near && recent.len() > PATIENCE && recent.windows(2).all(is_small)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn trace(objectives: &[f64], distance: f64) -> Vec<Progress> {
        let at = |(i, &objective): (usize, &f64)| Progress {
            phase: crate::trace::Phase::Iteration,
            step: i as u64 + 1,
            objective,
            distance,
            rho: 1.0,
            nonzeros: 1,
            rows_seen: 10 * (i as u64 + 1),
            elapsed: Duration::from_secs(i as u64),
            bound: None,
            nodes: None,
        };
        objectives.iter().enumerate().map(at).collect()
    }

    #[test]
    fn settled_needs_several_small_changes_and_closeness() {
        let settings = Settings::default().tolerance(1e-3);
        let stop = |trace: &[Progress]| reason(trace, 1.0, 100, &settings);
        assert_eq!(stop(&trace(&[2.0, 1.0, 1.0001, 1.0], 0.0)), None);
        assert_eq!(stop(&trace(&[2.0, 1.0, 1.0001, 1.0, 1.0], 0.0)), Some(Stop::Converged));
        assert_eq!(stop(&trace(&[2.0, 1.0, 1.0001, 1.0, 1.0], 0.5)), None);
    }

    #[test]
    fn the_rule_of_the_paper_looks_at_one_change() {
        let settings = Settings::default().stop(StopRule::Paper).tolerance(1e-3);
        assert_eq!(reason(&trace(&[2.0, 1.0, 1.0001], 9.0), 1.0, 100, &settings), Some(Stop::Converged));
        assert_eq!(reason(&trace(&[2.0], 9.0), 1.0, 100, &settings), None);
    }

    #[test]
    fn limits_are_named() {
        let moving = trace(&[3.0, 2.0, 1.0], 1.0);
        let named = |settings: Settings| reason(&moving, 1.0, 10, &settings);
        assert_eq!(named(Settings::default().max_steps(3)), Some(Stop::MaxSteps));
        assert_eq!(named(Settings::default().max_passes(2.5)), Some(Stop::MaxPasses));
        assert_eq!(named(Settings::default().time_limit(Duration::from_secs(2))), Some(Stop::TimeLimit));
        assert_eq!(named(Settings::default()), None);
    }
}
