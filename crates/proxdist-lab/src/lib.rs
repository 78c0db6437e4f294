//! The experiments of the paper by Jiang and Xu, computed anew.
//!
//! ```text
//! settings.toml ──► experiments ──► cells ──► runner ──► store (resumable) ──► frames ──► sections ──► CSV, SVG, PNG, index.html
//! ```
//!
//! An experiment is one file in `experiments/`: it cuts its work into cells, each a pure function of the settings and the seed, and makes
//! a section of the page from their rows: figures in the paper's form, and the paper's statements beside ours, each judged.
//! [`reproduce`] runs the experiments asked for and writes what is finished.

#![forbid(unsafe_code)]

mod cell;
mod error;
mod experiment;
mod experiments;
mod files;
mod frame;
mod machine;
mod on_disk;
mod page;
mod paper;
mod runner;
mod settings;
mod stats;
mod store;
mod study;
mod write;

pub use error::{Error, Result};
pub use experiment::{Statement, Verdict};
pub use experiments::{NAMES, QSAR_FILE, data_file, qsar_split};
pub use frame::{Entry, Frame};
pub use runner::{Progress, Watch};
pub use settings::{BUILT_IN, Settings};

use runner::{Clock, Runner};
use std::path::PathBuf;
use std::time::Instant;
use store::Store;

/// What to do and where.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Experiments by name; `all` stands for every one.
    pub names: Vec<String>,
    /// Settings of all experiments.
    pub settings: Settings,
    /// Where they come from; said on the page.
    pub settings_name: String,
    /// Fixes all random numbers.
    pub seed: u64,
    /// Folder for everything that is written.
    pub out: PathBuf,
    /// Folder with the real data, if there is one.
    pub data: Option<PathBuf>,
    /// Cells at a time.
    pub workers: usize,
}

/// What a reproduction found.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The statements of each experiment that is finished.
    pub statements: Vec<(&'static str, Vec<Statement>)>,
    /// Experiments that were asked for and could not be run, with the reason.
    pub skipped: Vec<(&'static str, String)>,
    /// The page.
    pub page: PathBuf,
}

/// Runs the experiments asked for, and writes rows, figures and the page after each.
pub fn reproduce(plan: &Plan, watch: &dyn Watch) -> Result<Summary> {
    let wanted = experiments::chosen(&plan.names)?;
    let store = Store::new(plan.out.join("cells"), plan.seed);
    let mut skipped = Vec::new();
    let mut chosen = Vec::new();
    for name in wanted {
        match experiments::build(name, plan)? {
            Ok(experiment) => chosen.push((name, experiment)),
            Err(reason) => skipped.push((name, reason)),
        }
    }
    let mut total = 0.0;
    for (_, experiment) in &chosen {
        total += runner::missing_work(&**experiment, &store)?;
    }
    let clock = Clock::new(total);
    let runner = Runner { store: &store, workers: plan.workers, clock: &clock, watch };
    let mut page = write::Page::new(plan, &store);
    for (name, experiment) in &chosen {
        let began = Instant::now();
        let (mut rows, mut computed) = (Frame::default(), 0);
        for stage in 0.. {
            let cells = experiment.stage(stage, &rows)?;
            if cells.is_empty() {
                break;
            }
            computed += runner.run(name, &cells)?;
            rows.extend(store.load_all(&cells)?.unwrap_or_default());
        }
        page.add(name, &**experiment, (computed > 0).then(|| began.elapsed()))?;
        watch.written(name, began.elapsed().as_secs_f64());
    }
    page.finish(skipped)
}
