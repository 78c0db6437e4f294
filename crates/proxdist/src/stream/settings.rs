//! What a stream can be told.

use super::clock::Pace;
use crate::error::{Error, Result};
use crate::rule::Rule;
use crate::sampling::Sampling;
use crate::solver::{Setting, Settings};

/// Settings of a stream. Everything has a default; [`super::StreamProblem::stream`] checks them once.
///
/// | setting      | default        | range     | meaning |
/// |--------------|----------------|-----------|---------|
/// | `rho1`       | by a race      | > 0       | penalty of the first full batch |
/// | `gamma`      | 1              | ≥ 0       | power with which the penalty grows |
/// | `batch_size` | 64             | ≥ 1       | rows of a full batch; shorter blocks make shorter ones |
/// | `half_life`  | none           | > 0       | rows after which a row counts half |
/// | `reservoir`  | 0              | any       | rows of a sample that is kept for [`super::Stream::finish`] |
/// | `in_order`   | with half-life |           | rows of a block are taken as they come, not in random order |
/// | `whole_blocks` | no           |           | every block is one batch, whatever its size |
/// | `seed`       | 0              | any       | fixes the order of rows and the sample |
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct StreamSettings {
    pub(crate) rho1: Option<f64>,
    pub(crate) gamma: f64,
    pub(crate) batch_size: usize,
    pub(crate) half_life: Option<f64>,
    pub(crate) reservoir: usize,
    pub(crate) in_order: bool,
    pub(crate) whole_blocks: bool,
    pub(crate) seed: u64,
}

impl Default for StreamSettings {
    fn default() -> Self {
        Self {
            rho1: None,
            gamma: 1.0,
            batch_size: 64,
            half_life: None,
            reservoir: 0,
            in_order: false,
            whole_blocks: false,
            seed: 0,
        }
    }
}

/// Those settings of a fit that mean the same for a stream.
impl From<&Settings> for StreamSettings {
    fn from(settings: &Settings) -> Self {
        let usual = Self::default();
        let in_order = matches!(settings.sampling_value(), Sampling::Cyclic | Sampling::FullBatch);
        Self {
            rho1: settings.rho1_value(),
            gamma: settings.gamma_value(),
            batch_size: settings.batch_size_value().unwrap_or(usual.batch_size),
            whole_blocks: settings.sampling_value() == Sampling::FullBatch,
            in_order,
            seed: settings.seed_value(),
            ..usual
        }
    }
}

impl StreamSettings {
    /// Penalty of the first full batch.
    #[must_use]
    pub fn rho1(self, rho1: f64) -> Self {
        Self { rho1: Some(rho1), ..self }
    }

    /// Power with which the penalty grows.
    #[must_use]
    pub fn gamma(self, gamma: f64) -> Self {
        Self { gamma, ..self }
    }

    /// Rows of a full batch.
    #[must_use]
    pub fn batch_size(self, batch_size: usize) -> Self {
        Self { batch_size, ..self }
    }

    /// Rows after which a row counts half; `None` forgets nothing.
    #[must_use]
    pub fn half_life(self, half_life: impl Into<Option<f64>>) -> Self {
        Self { half_life: half_life.into(), ..self }
    }

    /// Rows of a sample that is kept for an exact finish.
    #[must_use]
    pub fn reservoir(self, reservoir: usize) -> Self {
        Self { reservoir, ..self }
    }

    /// Takes the rows of a block in their own order.
    #[must_use]
    pub fn in_order(self, in_order: bool) -> Self {
        Self { in_order, ..self }
    }

    /// Takes every block as one batch.
    #[must_use]
    pub fn whole_blocks(self, whole_blocks: bool) -> Self {
        Self { whole_blocks, ..self }
    }

    /// Fixes the order of rows and the sample.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Whether a setting of a fit means something to a stream, and to the exact finish of its sample if that `finishes`.
    pub fn uses(setting: Setting, finishes: bool) -> bool {
        use Setting as S;
        let by_finish = matches!(setting, S::Effort | S::Prove | S::Gap | S::Memory | S::TimeLimit);
        let by_steps = matches!(setting, S::Rho1 | S::Gamma | S::BatchSize | S::Sampling | S::Seed | S::Threads);
        by_steps || finishes && by_finish
    }

    /// Rows that are waited for before the first step: enough to tell the scale of columns.
    pub(crate) fn opening(&self) -> usize {
        self.batch_size.min(64)
    }

    pub(crate) fn pace(&self) -> Pace {
        Pace { batch_size: self.batch_size, gamma: self.gamma, half_life: self.half_life }
    }

    pub(crate) fn check(&self) -> Result<()> {
        let positive = |name, value: Option<f64>| match value.filter(|value| !(*value > 0.0 && value.is_finite())) {
            None => Ok(()),
            Some(value) => Err(Error::setting(name, Rule::Positive, value)),
        };
        positive("rho1", self.rho1)?;
        positive("half_life", self.half_life)?;
        if !(self.gamma >= 0.0 && self.gamma.is_finite()) {
            return Err(Error::setting("gamma", Rule::NotNegative, self.gamma));
        }
        if self.batch_size == 0 {
            return Err(Error::setting("batch_size", Rule::AtLeast(1), 0));
        }
        Ok(())
    }
}
