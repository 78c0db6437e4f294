//! The machine a run was made on, and the time a thread has worked there.

use std::time::{Duration, Instant};

/// Processor and cores, as far as the system tells.
pub(crate) fn description() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let line = text.lines().find(|line| line.split(':').next().is_some_and(|key| key.trim() == name))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let name = field("model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    let model = field("model").map_or(String::new(), |model| format!(" (model {model})"));
    format!("{cores} cores, {name}{model}, {}", std::env::consts::OS)
}

/// A stopwatch for the calling thread: its processor time where the system keeps it, so that other work on the machine counts as
/// little as possible, else the time on the wall.
pub(crate) struct Stopwatch {
    worked: Option<Duration>,
    wall: Instant,
}

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Stopwatch { worked: thread_time(), wall: Instant::now() }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        match (self.worked, thread_time()) {
            (Some(before), Some(now)) => now.saturating_sub(before),
            _ => self.wall.elapsed(),
        }
    }
}

/// Nanoseconds on the processor, from the scheduler's statistics of this thread.
fn thread_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(text.split_whitespace().next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sleeping_thread_has_not_worked() {
        let watch = Stopwatch::start();
        std::thread::sleep(Duration::from_millis(50));
        if watch.worked.is_some() {
            assert!(watch.elapsed() < Duration::from_millis(40), "{:?}", watch.elapsed());
        }
    }
}
