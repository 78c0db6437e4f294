//! What is left in the output folder: rows, figures and the page.

use crate::Plan;
use crate::Summary;
use crate::error::Result;
use crate::experiment::{Experiment, Section, Statement};
use crate::experiments;
use crate::files;
use crate::frame::Frame;
use crate::machine;
use crate::page::{Contents, html};
use crate::store::Store;
use proxdist_report::{Fact, Style, duration, png};
use std::path::PathBuf;
use std::time::Duration;

/// Pixels a unit of the drawing.
const PIXELS: f32 = 1.5;

/// The page under construction; it also shows experiments that earlier runs have finished in the same folder.
pub(crate) struct Page<'a> {
    plan: &'a Plan,
    store: &'a Store,
    statements: Vec<(&'static str, Vec<Statement>)>,
}

impl<'a> Page<'a> {
    pub(crate) fn new(plan: &'a Plan, store: &'a Store) -> Self {
        Page { plan, store, statements: Vec::new() }
    }

    /// Writes rows and figures of a finished experiment, and the page as far as it goes.
    /// `taken` is the time that computing cells took, if there were any to compute.
    pub(crate) fn add(
        &mut self,
        name: &'static str,
        experiment: &dyn Experiment,
        taken: Option<Duration>,
    ) -> Result<()> {
        let Some((frame, section)) = self.finished(experiment)? else { return Ok(()) };
        let out = &self.plan.out;
        files::write(
            &out.join(format!("{name}.csv")),
            frame.without(experiment.foreign_columns()).to_csv().as_bytes(),
        )?;
        for picture in &section.pictures {
            let svg = (picture.draw)(Style::standalone().width(900.0));
            files::write(&out.join(format!("{}.png", picture.name)), &png(&svg, PIXELS)?)?;
            files::write(&out.join(format!("{}.svg", picture.name)), svg.as_bytes())?;
        }
        self.statements.push((name, section.statements.clone()));
        if let Some(taken) = taken {
            // Kept beside the cells, so that a page written later still knows it; runs that went on add up.
            let total = self.seconds(name).unwrap_or(0.0) + taken.as_secs_f64();
            files::write(&self.seconds_file(name), format!("{total:.1}\n").as_bytes())?;
        }
        self.write().map(|_| ())
    }

    /// The rows and section of an experiment whose cells are all there.
    fn finished(&self, experiment: &dyn Experiment) -> Result<Option<(Frame, Section)>> {
        let mut all = Frame::default();
        for stage in 0.. {
            let cells = experiment.stage(stage, &all)?;
            if cells.is_empty() {
                break;
            }
            let Some(rows) = self.store.load_all(&cells)? else { return Ok(None) };
            all.extend(rows);
        }
        let section = experiment.section(&all)?;
        Ok(Some((all, section)))
    }

    fn write(&self) -> Result<PathBuf> {
        let (mut sections, mut missing) = (Vec::new(), Vec::new());
        for name in experiments::NAMES {
            let built = experiments::build(name, self.plan)?.ok();
            match built.map(|experiment| self.finished(&*experiment)).transpose()?.flatten() {
                Some((_, section)) => sections.push((name, section)),
                None => missing.push(name),
            }
        }
        let contents = Contents { run: &self.run_facts(), sections: &sections, missing: &missing };
        let path = self.plan.out.join("index.html");
        files::write(&path, html(&contents).as_bytes())?;
        Ok(path)
    }

    fn seconds_file(&self, name: &str) -> PathBuf {
        self.plan.out.join("cells").join(format!("{name}.seconds"))
    }

    /// Time that an experiment has taken so far.
    fn seconds(&self, name: &str) -> Option<f64> {
        std::fs::read_to_string(self.seconds_file(name)).ok()?.trim().parse().ok()
    }

    fn run_facts(&self) -> Vec<Fact> {
        let plan = self.plan;
        let times: Vec<(&str, f64)> =
            experiments::NAMES.iter().filter_map(|name| Some((*name, self.seconds(name)?))).collect();
        let total: f64 = times.iter().map(|(_, seconds)| seconds).sum();
        let each = times.iter().map(|(name, seconds)| format!("{name} {}", duration(*seconds))).collect::<Vec<_>>();
        vec![
            Fact::new("Settings", plan.settings_name.clone()),
            Fact::new("Seed", plan.seed.to_string()),
            Fact::new("Version", format!("proxdist {}", env!("CARGO_PKG_VERSION"))),
            Fact::new("Machine", format!("{}, {} cells at a time", machine::description(), plan.workers)),
            Fact::new("Time", format!("{} ({})", duration(total), each.join(", "))),
        ]
    }

    /// Writes the page a last time.
    pub(crate) fn finish(self, skipped: Vec<(&'static str, String)>) -> Result<Summary> {
        let page = self.write()?;
        Ok(Summary { statements: self.statements, skipped, page })
    }
}
