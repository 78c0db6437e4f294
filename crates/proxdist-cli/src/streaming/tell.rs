//! What is said about a stream: a line while it runs, a summary at its end.

use crate::input::name_of;
use crate::progress;
use crate::summary::{self, by_size};
use crate::terminal::visible;
use crate::words::{count, number, plural};
use indicatif::ProgressBar;
use proxdist::spec::SetSpec;
use proxdist::stream::{MeasuredOn, Score, Stream};
use proxdist::{Exchanges, Model};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How often the line is drawn.
const RHYTHM: Duration = Duration::from_millis(100);

/// The line on the terminal.
pub(super) struct Line {
    bar: ProgressBar,
    began: Instant,
    drawn: Option<Instant>,
    /// Rows that an earlier process has learned.
    before: u64,
}

impl Line {
    pub(super) fn new(quiet: bool) -> Self {
        let bar = progress::line(quiet);
        bar.set_message("waiting for the first block");
        bar.tick();
        Self { bar, began: Instant::now(), drawn: None, before: 0 }
    }

    /// Rows so far are those of an earlier process.
    pub(super) fn begin(&mut self, rows: u64) {
        (self.began, self.before) = (Instant::now(), rows);
    }

    pub(super) fn seconds(&self) -> f64 {
        self.began.elapsed().as_secs_f64()
    }

    /// Rows per second in this process.
    pub(super) fn rate(&self, stream: &Stream) -> f64 {
        (stream.rows() - self.before) as f64 / self.seconds().max(1e-9)
    }

    pub(super) fn draw(&mut self, stream: &Stream) {
        if self.bar.is_hidden() || self.drawn.is_some_and(|at| at.elapsed() < RHYTHM) {
            return;
        }
        let losses = stream.progressive();
        let loss = |score: &Score| score.loss().map_or_else(|| "-".to_owned(), number);
        self.bar.set_message(format!(
            "{} rows  {} rows/s  loss {} (recent {})  {} nonzero{}",
            count(stream.rows()),
            count(self.rate(stream) as u64),
            loss(&losses.running),
            loss(&losses.recent),
            count(stream.coefficients().iter().filter(|value| **value != 0.0).count() as u64),
            if stream.is_decided() { "" } else { "  choosing rho1" },
        ));
        self.bar.tick();
        self.drawn = Some(Instant::now());
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// A stream at its end, and its circumstances.
pub(super) struct Told<'a> {
    pub(super) stream: &'a Stream<'static>,
    /// The last model that was written, or would have been.
    pub(super) model: &'a Model,
    /// Whether it is the exact fit of the sample.
    pub(super) is_finished: bool,
    pub(super) source: &'a str,
    pub(super) spec: &'a SetSpec,
    /// Rows left out because of missing values.
    pub(super) dropped: u64,
    pub(super) is_interrupted: bool,
    /// Seconds, and rows per second.
    pub(super) pace: (f64, f64),
    pub(super) notes: &'a [String],
    pub(super) written: &'a [PathBuf],
}

impl Told<'_> {
    fn why(&self) -> &'static str {
        if self.is_interrupted { "interrupted" } else { "end of the input" }
    }

    /// For people.
    pub(super) fn text(&self) -> String {
        let (stream, model) = (self.stream, self.model);
        let ridge = if model.ridge > 0.0 { format!(", ridge {}", number(model.ridge)) } else { String::new() };
        let intercept = if model.intercept.is_some() { "" } else { ", no intercept" };
        let mut text = format!("{} loss{ridge}{intercept}: {}\n", model.loss, self.spec.words());
        let features = plural(model.coefficients.len(), "feature");
        let _ = writeln!(
            text,
            "a stream of {} x {features}, {}\n",
            plural(stream.rows() as usize, "row"),
            visible(self.source)
        );
        let _ = writeln!(
            text,
            "{}: {}, {:.2} s, {} rows/s",
            self.why(),
            plural(stream.steps() as usize, "step"),
            self.pace.0,
            count(self.pace.1 as u64)
        );
        let mut line = |name: &str, value: String| {
            let _ = writeln!(text, "  {name:<22}{value}");
        };
        let losses = stream.progressive();
        let measures = [
            ("loss", Score::loss as fn(&Score) -> Option<f64>),
            ("accuracy", Score::accuracy),
            ("R2", Score::r_squared),
        ];
        for (name, measure) in measures {
            if let Some(all) = measure(&losses.running) {
                let recent =
                    measure(&losses.recent).map_or_else(String::new, |recent| format!(", recently {}", number(recent)));
                line(&format!("{name} before learning"), format!("{}{recent}", number(all)));
            }
        }
        if losses.beyond > 0 {
            line("beyond all numbers", format!("the loss of {}", plural(losses.beyond as usize, "row")));
        }
        if let Some(half_life) = model.streamed.and_then(|streamed| streamed.half_life) {
            let counting = number(stream.effective_rows());
            line("half-life", format!("{} rows, so {counting} of the rows count", number(half_life)));
        }
        if let Some(rho1) = stream.rho1() {
            let chosen = if stream.is_decided() { "" } else { ", the best so far" };
            line("rho1", format!("{}{chosen}", number(rho1)));
        }
        if stream.is_scaled() {
            line("columns", "scaled by their running moments; coefficients are in the units of the file".to_owned());
        }
        if self.is_finished {
            self.finish(&mut line);
        }
        summary::coefficients(model, &mut text);
        text
    }

    /// The exact fit of the sample: what is said is said of the sample.
    fn finish(&self, line: &mut dyn FnMut(&str, String)) {
        let (model, rows) = (self.model, self.model.streamed.map_or(0, |streamed| streamed.measured_rows));
        line(
            "finished on a sample",
            format!("of {}: all below is about these rows, not the stream", plural(rows, "row")),
        );
        line("objective F", number(model.objective));
        let certificate = &model.certificate;
        let verdict = if certificate.is_stationary() {
            "no small move within the set lowers F"
        } else {
            "0 at a stationary point"
        };
        line("stationarity", format!("{} ({verdict})", number(certificate.stationarity)));
        if let Some(gap) = certificate.gap {
            line("above the optimum by", format!("at most {} ({})", number(gap.value), gap.proof));
        }
        if certificate.exchanges != Exchanges::NotApplicable {
            line("exchanges", certificate.exchanges.to_string());
        }
    }

    /// For programs.
    pub(super) fn json(&self) -> Value {
        let (stream, model) = (self.stream, self.model);
        let score =
            |score: &Score| json!({"loss": score.loss(), "accuracy": score.accuracy(), "r_squared": score.r_squared()});
        let coefficients: Vec<Value> = by_size(model)
            .into_iter()
            .map(|j| json!({"index": j, "name": name_of(model, j), "value": model.coefficients[j]}))
            .collect();
        let measured = model.streamed.map(|streamed| {
            let on = if streamed.measured_on == MeasuredOn::Sample { "sample" } else { "last block" };
            json!({
                "on": on,
                "rows": streamed.measured_rows,
                "objective": model.objective,
                "certificate": model.certificate,
                "stop": model.stop,
            })
        });
        json!({
            "command": "fit",
            "stream": true,
            "version": env!("CARGO_PKG_VERSION"),
            "data": {
                "source": self.source,
                "rows": stream.rows(),
                "features": model.coefficients.len(),
                "dropped_rows": self.dropped,
            },
            "loss": model.loss,
            "constraint": model.constraint,
            "constraint_in_words": self.spec.words(),
            "ridge": model.ridge,
            "standardized": stream.is_scaled(),
            "ended": self.why(),
            "steps": stream.steps(),
            "rho1": stream.rho1(),
            "half_life": model.streamed.and_then(|streamed| streamed.half_life),
            "effective_rows": stream.effective_rows(),
            "progressive": {
                "running": score(&stream.progressive().running),
                "recent": score(&stream.progressive().recent),
                "rows_beyond_numbers": stream.progressive().beyond,
            },
            "finished": self.is_finished,
            "measured": measured,
            "intercept": model.intercept,
            "nonzeros": coefficients.len(),
            "coefficients": coefficients,
            "seed": model.seed,
            "notes": self.notes,
            "seconds": self.pace.0,
            "rows_per_second": self.pace.1,
            "peak_memory_bytes": summary::peak_memory(),
            "files": self.written.iter().map(|path| path.display().to_string()).collect::<Vec<_>>(),
        })
    }
}
