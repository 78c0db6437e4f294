//! The stream of the library with the files that come out of it.

use super::kept::Kept;
use super::source::Source;
use super::tell::Told;
use crate::args::{Every, FitArgs};
use crate::commands::Ending;
use crate::failure::{Failure, Result};
use crate::model_file::{StoredModel, Training};
use crate::output::{self, note};
use crate::progress::{Limits, Watcher};
use crate::rows::FileRows;
use crate::{input, scaling, setup, signals};
use proxdist::loss::Loss;
use proxdist::spec::SetSpec;
use proxdist::stream::{Finished, Stream, StreamProblem, StreamSettings};
use proxdist::{Model, Setting, Settings};
use proxdist_io::Table;
use std::path::PathBuf;
use std::time::Instant;

/// A stream and when its files were written.
pub(super) struct Learner<'a> {
    args: &'a FitArgs,
    settings: Settings,
    stream: Stream<'static>,
    notes: Vec<String>,
    /// The last block, on which the model is measured.
    last: Option<Box<Table>>,
    /// Rows and time when files were last written.
    written: (u64, Instant),
    /// Rows of the last model that was written.
    kept_rows: Option<u64>,
}

impl<'a> Learner<'a> {
    /// A stream of what the first block shows, or one that goes on from a state.
    pub(super) fn begin(
        args: &'a FitArgs,
        (loss, spec): (Box<dyn Loss>, &SetSpec),
        settings: Settings,
        source: &mut Source<'_>,
    ) -> Result<Self> {
        let (quiet, problem, finish) = (args.output.quiet, &args.run.problem, args.stream.finish);
        let state = source.state.take();
        let Some(table) = source.first() else {
            return Err(Failure::new(format!("{}: there is no row to learn from", source.name), "check the input"));
        };
        table.notices.iter().for_each(|notice| note(quiet, notice));
        let response = table.response.as_deref().unwrap_or(&[]);
        if response.is_empty() {
            return Err(input::no_target(&source.name));
        }
        let data = input::view(&source.name, table, response, problem.shape)?;
        let set = setup::build(spec, &data)?;
        let mut task = StreamProblem::new(loss, set, data.parameter_shape())
            .ridge(problem.ridge)
            .intercept(!problem.units.no_intercept)
            .standardize(scaling::wanted(&problem.units));
        if let Some(names) = data.feature_names() {
            task = task.names(names.to_vec());
        }
        drop(data);
        let wanted = StreamSettings::from(&settings).half_life(args.stream.half_life).reservoir(if finish {
            args.stream.sample as usize
        } else {
            0
        });
        let stream = match state {
            Some(state) => task.resume(wanted, state)?,
            None => task.stream(wanted)?,
        };
        if stream.is_scaled() {
            note(quiet, "columns are scaled by their running moments (--no-standardize turns it off)");
        }
        let notes = without_effect(&settings, finish);
        notes.iter().for_each(|text| note(quiet, text));
        let (written, last) = ((stream.rows(), Instant::now()), source.skipped.take());
        Ok(Self { args, settings, stream, notes, last, written, kept_rows: None })
    }

    pub(super) fn stream(&self) -> &Stream<'static> {
        &self.stream
    }

    pub(super) fn rows(&self) -> u64 {
        self.stream.rows()
    }

    /// Learns a block; an error names the row of the source.
    pub(super) fn learn(&mut self, table: Box<Table>, source: &Source<'_>) -> Result<()> {
        let rows = FileRows::of(&source.name, &table).after(source.before);
        let response = table.response.as_deref().unwrap_or(&[]);
        let outcome = input::view(&source.name, &table, response, self.args.run.problem.shape)
            .and_then(|data| self.stream.learn(&data).map_err(|error| rows.explain(error)));
        outcome.map_err(|failure| self.leaving(failure))?;
        self.last = Some(table);
        Ok(())
    }

    /// The same failure, saying what stays.
    pub(super) fn leaving(&self, failure: Failure) -> Failure {
        match (&self.args.output.out, self.kept_rows) {
            (Some(path), Some(rows)) => {
                let hint = format!("{}; {} holds the model after {rows} rows", failure.hint, path.display());
                failure.hint(hint)
            }
            _ => failure,
        }
    }

    /// Writes the model and the state, if it is time.
    pub(super) fn write_if_due(&mut self, source: &Source<'_>) -> Result<()> {
        let (rows, at) = self.written;
        let is_due = match self.args.stream.every {
            Every::Rows(every) => self.stream.rows() - rows >= every,
            Every::Time(every) => self.stream.rows() > rows && at.elapsed() >= every,
        };
        if !is_due || signals::asked_to_stop() {
            return Ok(());
        }
        self.written = (self.stream.rows(), Instant::now());
        if let Some(path) = self.args.output.out.as_ref().filter(|path| path.as_os_str() != "-") {
            let model = self.model(source)?;
            output::write_file(path, self.stored(&model, source)?.as_bytes())?;
            self.kept_rows = Some(self.stream.rows());
        }
        self.keep(source)
    }

    /// Writes the state.
    fn keep(&self, source: &Source<'_>) -> Result<()> {
        let (Some(path), Some(encoding)) = (&self.args.checkpoint, source.encoding()) else { return Ok(()) };
        let mut kept = Kept::new(&source.name, encoding, self.stream.state());
        (kept.learned, kept.dropped) = (source.learned, source.dropped);
        kept.write(path)
    }

    /// The model as it is, measured on the last block.
    fn model(&self, source: &Source<'_>) -> Result<Model> {
        let Some(table) = self.last.as_deref() else {
            return Err(Failure::new(format!("{}: there is no row to learn from", source.name), "check the input"));
        };
        let response = table.response.as_deref().unwrap_or(&[]);
        let data = input::view(&source.name, table, response, self.args.run.problem.shape)?;
        let model = self.stream.model_on(&data)?;
        model.check_finite()?;
        Ok(model)
    }

    /// The text of the model file.
    fn stored(&self, model: &Model, source: &Source<'_>) -> Result<String> {
        let schema = source.encoding().map(|encoding| encoding.schema.clone()).unwrap_or_default();
        let training = Training::new(schema, &self.args.data, None, self.stream.is_scaled());
        StoredModel { model: model.clone(), training: Some(training) }.to_json()
    }

    /// The exact fit of the sample, unless someone has asked for the end.
    fn finished(&self) -> Result<Option<Finished>> {
        let quiet = self.args.output.quiet;
        if !self.args.stream.finish {
            return Ok(None);
        }
        if signals::asked_to_stop() {
            note(quiet, "there is no exact finish after an interrupt");
            return Ok(None);
        }
        let mut watcher = Watcher::new(quiet, Limits::of(&self.settings, self.stream.sample_rows()), None);
        Ok(Some(self.stream.finish_observed(&self.settings, &mut watcher)?))
    }

    /// The last model, the state and the summary.
    pub(super) fn end(mut self, source: &Source<'_>, spec: &SetSpec, (seconds, rate): (f64, f64)) -> Result<Ending> {
        let is_interrupted = signals::asked_to_stop();
        self.keep(source)?;
        let finished = self.finished()?;
        let model = match &finished {
            Some(finished) => finished.model.clone(),
            None => self.model(source)?,
        };
        model.check_finite()?;
        let mut written: Vec<PathBuf> = Vec::new();
        if let Some(path) = &self.args.output.out {
            output::write_file(path, self.stored(&model, source)?.as_bytes())?;
            written.push(path.clone());
        }
        written.extend(self.args.checkpoint.clone());
        let notes = std::mem::take(&mut self.notes);
        let told = Told {
            stream: &self.stream,
            model: &model,
            is_finished: finished.is_some(),
            source: &source.name,
            spec,
            dropped: source.dropped,
            is_interrupted,
            pace: (seconds, rate),
            notes: &notes,
            written: &written,
        };
        if self.args.output.json {
            output::print(&format!("{}\n", told.json()))?;
        } else if !self.args.output.quiet {
            let text = told.text() + &output::wrote(written.iter().filter(|path| path.as_os_str() != "-"));
            if written.iter().any(|path| path.as_os_str() == "-") {
                output::complain(text.trim_end());
            } else {
                output::say(&text)?;
            }
        }
        Ok(Ending::Written)
    }
}

/// What to say about options that mean nothing to a stream.
fn without_effect(settings: &Settings, finishes: bool) -> Vec<String> {
    let given = Setting::declarations().iter().filter(|declared| settings.is_given(declared.setting));
    let idle = given.filter(|declared| !StreamSettings::uses(declared.setting, finishes));
    idle.map(|declared| {
        format!("--{} had no effect: a stream takes one step for each batch of new rows", declared.option)
    })
    .collect()
}
