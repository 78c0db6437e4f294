//! One file per figure or table of the paper.

mod boxplots;
mod comparison;
mod complexity;
mod finite_error;
mod low_rank;
mod qsar;
mod rates;
mod rho1;
mod runtime;

use crate::Plan;
use crate::error::{Error, Result};
use crate::experiment::Experiment;
use std::path::{Path, PathBuf};

/// The experiments, in the order of the paper; then extensions of ours.
pub const NAMES: [&str; 10] =
    ["rates", "figure1", "figure2", "table2", "tables34", "qsar", "figure3b", "rho1", "boxplots", "lowrank"];

pub use qsar::{FILE as QSAR_FILE, split as qsar_split};

/// The experiments that a list of names stands for.
pub(crate) fn chosen(names: &[String]) -> Result<Vec<&'static str>> {
    for name in names {
        if name != "all" && !NAMES.contains(&name.as_str()) {
            return Err(Error::UnknownExperiment { name: name.clone() });
        }
    }
    let is_wanted = |name: &&str| names.iter().any(|wanted| wanted == "all" || wanted == name);
    Ok(NAMES.into_iter().filter(is_wanted).collect())
}

/// The experiment of this name, or the reason why it cannot be run.
pub(crate) fn build(name: &str, plan: &Plan) -> Result<std::result::Result<Box<dyn Experiment>, String>> {
    let (settings, seed) = (&plan.settings, plan.seed);
    Ok(Ok(match name {
        "rates" => Box::new(rates::Rates { settings: settings.rates.clone(), seed }),
        "figure1" => Box::new(finite_error::FiniteError::in_objective(settings.finite_error.clone(), seed)),
        "figure2" => Box::new(finite_error::FiniteError::in_parameter(settings.finite_error.clone(), seed)),
        "table2" => Box::new(comparison::Comparison { settings: settings.comparison.clone(), seed }),
        "qsar" => match data_file(plan.data.as_deref(), qsar::FILE) {
            Some(file) => Box::new(qsar::Qsar { settings: settings.qsar.clone(), seed, file }),
            None => return Ok(Err(format!("no data; --data names the folder that holds {}", qsar::FILE))),
        },
        "tables34" => Box::new(complexity::Complexity { settings: settings.complexity.clone(), seed }),
        "figure3b" => {
            let scratch = plan.out.join("cells");
            Box::new(runtime::Runtime { settings: settings.runtime.clone(), seed, scratch })
        }
        "rho1" => Box::new(rho1::Rho1 { settings: settings.rho1.clone(), panels: settings.finite_error.clone(), seed }),
        "boxplots" => Box::new(boxplots::BoxPlots {
            settings: settings.boxplots.clone(),
            panels: settings.finite_error.clone(),
            seed,
        }),
        "lowrank" => Box::new(low_rank::LowRank { settings: settings.lowrank.clone(), seed }),
        other => return Err(Error::UnknownExperiment { name: other.to_owned() }),
    }))
}

/// A file of the data folder, if both are there.
pub fn data_file(folder: Option<&Path>, name: &str) -> Option<PathBuf> {
    folder.map(|folder| folder.join(name)).filter(|path| path.exists())
}
