//! Watches a run: a line on the terminal, and an ear for Ctrl-C.

use crate::checkpoint::Keeper;
use crate::signals;
use crate::words::{count, number};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use proxdist::Settings;
use proxdist::run::State;
use proxdist::trace::{Observer, Phase, Progress, Reading};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// How often the line is drawn.
const RHYTHM: Duration = Duration::from_millis(100);

/// What bounds a run, for the time left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Steps at most.
    pub(crate) steps: u64,
    /// Rows seen at most.
    pub(crate) rows: Option<f64>,
    /// Time at most.
    pub(crate) time: Option<Duration>,
}

/// Draws a line at some checkpoints; ends the run when a signal has come.
pub(crate) struct Watcher {
    bar: ProgressBar,
    limits: Limits,
    /// What to say about the shape of the solution.
    rank: Option<usize>,
    drawn: Option<Instant>,
    /// Where the state of the run goes, if anywhere.
    pub(crate) keeper: Option<Keeper>,
}

impl Watcher {
    /// Draws on standard error if that is a terminal and `quiet` is off.
    pub(crate) fn new(quiet: bool, limits: Limits, rank: Option<usize>) -> Self {
        let bar = line(quiet);
        bar.set_message("first steps");
        Self { bar, limits, rank, drawn: None, keeper: None }
    }

    fn text(&self, progress: &Progress) -> String {
        let solution = match self.rank {
            Some(rank) => format!("rank at most {rank}"),
            None => format!("{} nonzero", count(progress.nonzeros as u64)),
        };
        let left = match progress.phase {
            Phase::Race => "choosing rho1".to_owned(),
            Phase::Iteration => self.limits.time_left(progress),
            Phase::Polish => "exact finish".to_owned(),
            Phase::Proof => return proof(progress),
            Phase::Reading => {
                return format!("reading {}  F {}  {solution}", progress.step, number(progress.objective));
            }
        };
        format!(
            "step {}  F {}  distance {}  {solution}  {left}",
            count(progress.step),
            number(progress.objective),
            number(progress.distance),
        )
    }
}

/// How far a proof is.
fn proof(progress: &Progress) -> String {
    let bound = progress.bound.unwrap_or(f64::NEG_INFINITY);
    let gap = 100.0 * (progress.objective - bound) / progress.objective.abs();
    let seconds = progress.elapsed.as_secs();
    let nodes = progress.nodes.map_or_else(String::new, |nodes| format!("  {} nodes", count(nodes)));
    let (value, bound) = (number(progress.objective), number(bound));
    format!("proof: F {value}  at least {bound}  gap {gap:.3} %{nodes}  {seconds} s")
}

/// How far a reading of rows that are not in memory is: rows, numbers a second in bytes of memory, and the time left.
fn reading_line(reading: &Reading) -> String {
    let seconds = reading.elapsed.as_secs_f64().max(1e-3);
    let bytes = reading.rows as f64 * reading.columns as f64 * 8.0;
    let pace = format!("{} rows, {}B/s", count(reading.rows), short(bytes / seconds));
    let Some(all) = reading.of.filter(|all| *all > 0) else { return format!("reading {}: {pace}", reading.number) };
    let share = reading.rows as f64 / all as f64;
    let left = seconds * (1.0 - share).max(0.0) / share.max(1e-9);
    format!("reading {}: {:.0} %, {pace}, {left:.0} s left", reading.number, 100.0 * share)
}

/// A large number with the letter of its size.
fn short(value: f64) -> String {
    let sizes = [(1e9, "G"), (1e6, "M"), (1e3, "k")];
    let size = sizes.iter().find(|(size, _)| value >= *size);
    size.map_or_else(|| format!("{value:.0} "), |(size, letter)| format!("{:.1} {letter}", value / size))
}

/// A line with a moving sign, invisible where nobody watches.
pub(crate) fn line(quiet: bool) -> ProgressBar {
    let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let bar = ProgressBar::with_draw_target(None, target);
    if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
        bar.set_style(style.tick_chars("|/-\\ "));
    }
    bar
}

impl Observer for Watcher {
    fn checkpoint(&mut self, progress: &Progress) -> ControlFlow<()> {
        if !self.bar.is_hidden() && self.drawn.is_none_or(|at| at.elapsed() >= RHYTHM) {
            self.bar.set_message(self.text(progress));
            self.bar.tick();
            self.drawn = Some(Instant::now());
        }
        if signals::asked_to_stop() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn poll(&mut self) -> ControlFlow<()> {
        if signals::asked_to_stop() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn reading(&mut self, reading: &Reading) -> ControlFlow<()> {
        if !self.bar.is_hidden() && self.drawn.is_none_or(|at| at.elapsed() >= RHYTHM) {
            self.bar.set_message(reading_line(reading));
            self.bar.tick();
            self.drawn = Some(Instant::now());
        }
        self.poll()
    }

    fn snapshot(&mut self, state: &State) {
        if let Some(keeper) = &mut self.keeper {
            keeper.keep(state);
        }
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

impl Limits {
    /// Those of the settings, for so many rows.
    pub(crate) fn of(settings: &Settings, rows: usize) -> Self {
        let limits = settings.limits();
        Self { steps: limits.steps, rows: limits.passes.map(|passes| passes * rows as f64), time: limits.time }
    }

    /// The longest the run can still take, at the pace so far.
    fn time_left(&self, progress: &Progress) -> String {
        let elapsed = progress.elapsed.as_secs_f64();
        let at_pace = |done: f64, all: f64| elapsed * (all - done).max(0.0) / done.max(1.0);
        let steps = at_pace(progress.step as f64, self.steps as f64);
        let rows = self.rows.map_or(f64::INFINITY, |rows| at_pace(progress.rows_seen as f64, rows));
        let time = self.time.map_or(f64::INFINITY, |time| (time.as_secs_f64() - elapsed).max(0.0));
        let seconds = steps.min(rows).min(time).round() as u64;
        match seconds {
            0..60 => format!("at most {seconds} s left"),
            60..3600 => format!("at most {} min left", seconds.div_ceil(60)),
            _ => format!("at most {} h left", seconds.div_ceil(3600)),
        }
    }
}
