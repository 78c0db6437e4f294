//! The line on the terminal while a file is read: bytes, rate and the time left.

use crate::{progress, signals};
use indicatif::ProgressBar;
use proxdist_io::{Reading, Watch};
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Reading that is quicker than this needs no line.
const SHORT: Duration = Duration::from_millis(500);
/// How often the line is drawn.
const RHYTHM: Duration = Duration::from_millis(100);

/// Draws on standard error if someone looks at it; ends the reading when a signal has come.
pub(crate) struct ReadingLine {
    bar: ProgressBar,
    started: Instant,
    drawn: Mutex<Instant>,
}

impl ReadingLine {
    /// Nothing is drawn yet.
    pub(crate) fn new(quiet: bool) -> Self {
        let now = Instant::now();
        Self { bar: progress::line(quiet), started: now, drawn: Mutex::new(now) }
    }
}

impl Watch for ReadingLine {
    fn at(&self, reading: Reading) -> ControlFlow<()> {
        if let Ok(mut drawn) = self.drawn.try_lock()
            && self.started.elapsed() > SHORT
            && drawn.elapsed() > RHYTHM
        {
            *drawn = Instant::now();
            self.bar.set_message(text(reading, self.started.elapsed()));
            self.bar.tick();
        }
        if signals::asked_to_stop() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl Drop for ReadingLine {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// The line itself.
pub(crate) fn text(reading: Reading, elapsed: Duration) -> String {
    let Reading { bytes, total } = reading;
    let rate = bytes as f64 / elapsed.as_secs_f64().max(1e-3);
    let so_far = size(bytes as f64);
    if total < bytes || total == 0 {
        return format!("reading {so_far}, {}/s", size(rate));
    }
    let left = (total - bytes) as f64 / rate.max(1.0);
    format!("reading {so_far} of {}, {}/s, {left:.0} s left", size(total as f64), size(rate))
}

/// An amount of memory for people.
pub(crate) fn size(bytes: f64) -> String {
    let units = [("GB", 1e9), ("MB", 1e6), ("kB", 1e3)];
    match units.iter().find(|(_, unit)| bytes >= *unit) {
        Some((name, unit)) => format!("{:.1} {name}", bytes / unit),
        None => format!("{bytes:.0} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_has_bytes_rate_and_time_left() {
        let second = Duration::from_secs(2);
        let half = Reading { bytes: 2_000_000, total: 4_000_000 };
        assert_eq!(text(half, second), "reading 2.0 MB of 4.0 MB, 1.0 MB/s, 2 s left");
        let stream = Reading { bytes: 3_000, total: 0 };
        assert_eq!(text(stream, second), "reading 3.0 kB, 1.5 kB/s");
    }
}
