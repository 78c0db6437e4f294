//! The settings of all experiments, from one TOML file.

use crate::error::{Error, Result};
use serde::Deserialize;

/// The settings that come with the program.
pub const BUILT_IN: &str = include_str!("settings.toml");

/// Rows and columns of simulated data.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub(crate) struct Size {
    pub(crate) n: usize,
    pub(crate) p: usize,
}

/// Figures 1 and 2.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FiniteError {
    pub(crate) low: Size,
    pub(crate) high: Size,
    pub(crate) sparsity: usize,
    pub(crate) linear_batch: f64,
    pub(crate) logistic_batch: f64,
    pub(crate) gammas: Vec<String>,
    pub(crate) ball_rho1: f64,
    pub(crate) sparsity_rho1: f64,
    pub(crate) steps: u64,
    pub(crate) repeats: u64,
    pub(crate) long_steps: u64,
    pub(crate) long_repeats: u64,
}

/// The figure over ρ₁.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rho1 {
    pub(crate) values: Vec<f64>,
    pub(crate) steps: u64,
    pub(crate) repeats: u64,
}

/// The box plots over γ and ρ₁.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BoxPlots {
    pub(crate) rho1: Vec<f64>,
    pub(crate) steps: u64,
    pub(crate) low_repeats: u64,
    pub(crate) high_repeats: u64,
}

/// Table 1.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rates {
    pub(crate) n: usize,
    pub(crate) p: usize,
    pub(crate) gammas: Vec<f64>,
    pub(crate) rho1_over_mu: Vec<f64>,
    pub(crate) first_step: u64,
    pub(crate) steps: u64,
    pub(crate) repeats: u64,
}

/// Tables 3 and 4.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Complexity {
    pub(crate) vector_p: Vec<usize>,
    pub(crate) matrix_side: Vec<usize>,
    pub(crate) sparsity: usize,
    pub(crate) rank: usize,
    pub(crate) update_p: Vec<usize>,
    pub(crate) update_b: Vec<usize>,
    pub(crate) matrix_update_side: Vec<usize>,
    pub(crate) fixed_b: usize,
    pub(crate) fixed_p: usize,
    pub(crate) seconds: f64,
}

/// Figure 3b.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Runtime {
    pub(crate) p: usize,
    pub(crate) n: Vec<usize>,
    pub(crate) batches: Vec<usize>,
    pub(crate) sparsity: usize,
    pub(crate) rho1: f64,
    pub(crate) target: f64,
    pub(crate) steps: u64,
    pub(crate) repeats: u64,
}

/// A pair of rates and steps.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Printed {
    pub(crate) rho1: f64,
    pub(crate) alpha1: f64,
    pub(crate) steps: u64,
    pub(crate) repeats: u64,
}

/// Table 2.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Comparison {
    pub(crate) n: usize,
    pub(crate) p: usize,
    pub(crate) batch: usize,
    pub(crate) logistic_batch: usize,
    pub(crate) rho1: Vec<f64>,
    pub(crate) tuning_repeats: u64,
    pub(crate) finalists: usize,
    pub(crate) final_repeats: u64,
    pub(crate) steps: u64,
    pub(crate) repeats: u64,
    pub(crate) printed: Printed,
}

/// The real data.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Qsar {
    pub(crate) sparsity: Vec<usize>,
    pub(crate) rho1: Vec<f64>,
    pub(crate) alpha1: Vec<f64>,
    pub(crate) folds: usize,
    pub(crate) batches: Vec<usize>,
    pub(crate) tolerance: f64,
    pub(crate) steps: u64,
    pub(crate) replicates: u64,
    pub(crate) ridge: Vec<f64>,
    pub(crate) ridge_folds: usize,
}

/// Low rank with several outputs, an extension of ours.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LowRank {
    pub(crate) n: usize,
    pub(crate) fresh: usize,
    pub(crate) p: usize,
    pub(crate) outputs: usize,
    pub(crate) rank: usize,
    pub(crate) largest: usize,
    pub(crate) noise: f64,
    pub(crate) ridge: f64,
    pub(crate) repeats: u64,
}

/// Everything the paper leaves open.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    pub(crate) finite_error: FiniteError,
    pub(crate) rho1: Rho1,
    pub(crate) boxplots: BoxPlots,
    pub(crate) rates: Rates,
    pub(crate) complexity: Complexity,
    pub(crate) runtime: Runtime,
    pub(crate) comparison: Comparison,
    pub(crate) qsar: Qsar,
    pub(crate) lowrank: LowRank,
}

impl Settings {
    /// The settings that come with the program.
    pub fn built_in(quick: bool) -> Result<Self> {
        Self::parse("built-in settings", BUILT_IN, quick)
    }

    /// Reads settings; `name` stands for their source in messages.
    pub fn parse(name: &str, text: &str, quick: bool) -> Result<Self> {
        let wrong = |reason: String| Error::Settings { name: name.to_owned(), reason: reason.trim().to_owned() };
        let mut table: toml::Table = toml::from_str(text).map_err(|error| wrong(error.to_string()))?;
        for (section, value) in &mut table {
            let Some(entries) = value.as_table_mut() else { continue };
            match entries.remove("quick") {
                Some(toml::Value::Table(changes)) if quick => entries.extend(changes),
                Some(toml::Value::Table(_)) | None => {}
                Some(_) => return Err(wrong(format!("{section}.quick must be a table"))),
            }
        }
        let settings: Self = table.try_into().map_err(|error| wrong(error.to_string()))?;
        settings.check().map_err(wrong)?;
        Ok(settings)
    }

    /// The same number of repeats in every experiment that has some.
    #[must_use]
    pub fn repeats(mut self, repeats: u64) -> Self {
        self.finite_error.repeats = repeats;
        self.rho1.repeats = repeats;
        (self.boxplots.low_repeats, self.boxplots.high_repeats) = (repeats, repeats);
        self.rates.repeats = repeats;
        self.runtime.repeats = repeats;
        self.comparison.repeats = repeats;
        self.qsar.replicates = repeats;
        self.lowrank.repeats = repeats;
        self
    }

    /// What the types cannot say.
    fn check(&self) -> std::result::Result<(), String> {
        for gamma in &self.finite_error.gammas {
            if fraction(gamma).is_none_or(|gamma| gamma <= 0.0) {
                return Err(format!("finite_error.gammas: {gamma:?} is not a positive number or fraction"));
            }
        }
        let positive = |name: &str, values: &[f64]| match values.iter().find(|v| !(**v > 0.0 && v.is_finite())) {
            Some(value) => Err(format!("{name}: {value} is not positive and finite")),
            None => Ok(()),
        };
        positive("finite_error.ball_rho1", &[self.finite_error.ball_rho1])?;
        positive("finite_error.sparsity_rho1", &[self.finite_error.sparsity_rho1])?;
        positive("finite_error.linear_batch", &[self.finite_error.linear_batch])?;
        positive("finite_error.logistic_batch", &[self.finite_error.logistic_batch])?;
        positive("rho1.values", &self.rho1.values)?;
        positive("boxplots.rho1", &self.boxplots.rho1)?;
        positive("rates", &[self.rates.gammas.as_slice(), &self.rates.rho1_over_mu].concat())?;
        positive("complexity.seconds", &[self.complexity.seconds])?;
        positive("runtime", &[self.runtime.rho1, self.runtime.target])?;
        positive("comparison.rho1", &self.comparison.rho1)?;
        positive("comparison.printed", &[self.comparison.printed.rho1, self.comparison.printed.alpha1])?;
        positive("qsar", &[self.qsar.rho1.as_slice(), &self.qsar.alpha1, &[self.qsar.tolerance]].concat())?;
        positive("qsar.ridge", &self.qsar.ridge)?;
        for (name, folds) in [("folds", self.qsar.folds), ("ridge_folds", self.qsar.ridge_folds)] {
            if folds < 2 {
                return Err(format!("qsar.{name}: cross-validation needs at least 2 folds, got {folds}"));
            }
        }
        Ok(())
    }
}

/// `2/3`, or a plain number.
pub(crate) fn fraction(text: &str) -> Option<f64> {
    match text.split_once('/') {
        Some((above, below)) => Some(above.trim().parse::<f64>().ok()? / below.trim().parse::<f64>().ok()?),
        None => text.trim().parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quick_settings_replace_only_what_they_name() {
        let (full, quick) = (Settings::built_in(false).unwrap(), Settings::built_in(true).unwrap());
        assert!(quick.boxplots.steps < full.boxplots.steps);
        assert_eq!(quick.boxplots.rho1, full.boxplots.rho1);
        assert_eq!(fraction("5/3"), Some(5.0 / 3.0));
    }

    #[test]
    fn mistakes_are_named() {
        let said = |text: &str| Settings::parse("my.toml", text, false).unwrap_err().to_string();
        assert!(said("[rates").contains("my.toml"));
        assert!(said(&BUILT_IN.replace("rank = 5", "rang = 5")).contains("rang"));
        assert!(said(&BUILT_IN.replace("ball_rho1 = 1e-1", "ball_rho1 = -1.0")).contains("ball_rho1"));
        assert!(said(&BUILT_IN.replace("ridge_folds = 5", "ridge_folds = 1")).contains("qsar.ridge_folds"));
    }
}
