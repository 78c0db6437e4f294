//! The partial likelihood as a function of the predictors, by one sweep over the risk sets for each value, slope or product.
//!
//! With $r_i = w_ie^{\eta_i - \max\eta}$ (the largest of the stratum), $R_k = \sum_{N_k}r_i$, $Q_k = \sum_{D_k}r_i$ and $S_{kl} = R_k + c_{kl}Q_k$ the slope of row $i$ is
//! $$r_i\Big[\sum_{k: i \in N_k}\sum_l\frac{m_k\omega_{kl}}{S_{kl}} + \sum_{k: i \in D_k}\sum_lc_{kl}\frac{m_k\omega_{kl}}{S_{kl}}\Big] - w_i\delta_i,$$
//! and the second derivatives are the diagonal of the first part less $\sum_{kl}m_k\omega_{kl}\,p_{kl}p_{kl}^T$, where $p_{kl}$ are the shares of the rows in $S_{kl}$. A product with them needs the mean of a vector over each risk set; a constant is taken out of the vector
//! first, for it changes nothing and only costs digits.

use super::risk_sets::{EventTime, RiskSets};
use super::{SurvivalFault, SurvivalTimes, Ties};
use crate::error::{Error, Result};
use crate::joint::{Bends, JointLoss, Order};

/// Sums of a risk set below this, relative to the largest term of its stratum, have lost their digits: the predictors are too far apart.
const SMALLEST: f64 = 1e-280;

/// The loss of some rows.
#[derive(Clone, Debug)]
pub(crate) struct PartialLikelihood {
    pub(crate) sets: RiskSets,
    pub(crate) ties: Ties,
    pub(crate) weights: Vec<f64>,
    total: f64,
}

/// Hazards of rows and sums of risk sets at some predictors.
pub(super) struct Hazards {
    /// $r_i$, zero for rows without a weight.
    pub(super) of_rows: Vec<f64>,
    /// $R_k$ and $Q_k$
    living: Vec<f64>,
    dying: Vec<f64>,
    /// The largest predictor of each stratum.
    pub(super) tops: Vec<f64>,
    /// Whether all sums have their digits.
    is_in_range: bool,
}

impl PartialLikelihood {
    pub(crate) fn new(times: &SurvivalTimes, ties: Ties, weights: Vec<f64>) -> Result<Self> {
        let sets = RiskSets::of(times, &weights);
        if sets.events.is_empty() {
            return Err(Error::Survival(SurvivalFault::AllCensored { rows: times.rows() }));
        }
        let total = weights.iter().sum();
        Ok(Self { sets, ties, weights, total })
    }

    /// $\omega_{kl}$ and $c_{kl}$ of an event time.
    fn terms(&self, event: &EventTime) -> impl Iterator<Item = (f64, f64)> + use<> {
        let deaths = match self.ties {
            Ties::Breslow => 1,
            Ties::Efron => event.deaths,
        };
        let share = 1.0 / deaths as f64;
        (0..deaths).map(move |l| (share, 1.0 - l as f64 * share))
    }

    pub(super) fn hazards(&self, predictors: &[f64]) -> Hazards {
        let mut hazards = vec![0.0; predictors.len()];
        let mut tops = Vec::with_capacity(self.sets.strata.len());
        for stratum in &self.sets.strata {
            let top = stratum.rows.iter().map(|&row| predictors[row]).fold(f64::NEG_INFINITY, f64::max);
            for &row in &stratum.rows {
                hazards[row] = self.weights[row] * (predictors[row] - top).exp();
            }
            tops.push(top);
        }
        let (living, dying) = (self.sets.over_rows(&hazards), self.over_deaths(&hazards));
        let is_in_range = living.iter().zip(&dying).all(|(living, dying)| living + dying > SMALLEST);
        Hazards { of_rows: hazards, living, dying, tops, is_in_range }
    }

    /// $\sum_{i \in D_k}u_i$
    fn over_deaths(&self, u: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.sets.events.len()];
        for (row, value) in u.iter().enumerate() {
            if let Some(event) = self.sets.death(row) {
                sums[event] += value;
            }
        }
        sums
    }

    /// Adds up, over the terms of each event time, $m_k\omega_{kl}/S_{kl}$ times a factor of the term: without and with $c_{kl}$.
    fn rates(&self, at: &Hazards, factor: impl Fn(usize, f64, f64) -> f64) -> (Vec<f64>, Vec<f64>) {
        let each = |(k, event): (usize, &EventTime)| {
            self.terms(event).fold((0.0, 0.0), |(plain, scaled), (share, c)| {
                let sum = at.living[k] + c * at.dying[k];
                let rate = event.weight * share / sum * factor(k, c, sum);
                (plain + rate, scaled + c * rate)
            })
        };
        self.sets.events.iter().enumerate().map(each).unzip()
    }

    /// For each row its hazard times the sum of `plain` while it is at risk and `scaled` where it dies.
    fn spread(&self, hazards: &[f64], plain: &[f64], scaled: &[f64]) -> Vec<f64> {
        let mut out = self.sets.over_events(plain);
        for (row, (out, hazard)) in out.iter_mut().zip(hazards).enumerate() {
            let own = self.sets.death(row).map_or(0.0, |event| scaled[event]);
            *out = if *hazard > 0.0 { hazard * (*out + own) } else { 0.0 };
        }
        out
    }

    /// The jumps of the cumulative hazard at the event times, for a predictor at the top of the stratum.
    pub(super) fn jumps(&self, at: &Hazards) -> Vec<f64> {
        self.rates(at, |_, _, _| 1.0).0
    }

    fn value_at(&self, predictors: &[f64], at: &Hazards) -> f64 {
        if !at.is_in_range {
            return f64::INFINITY;
        }
        let mut total = 0.0;
        for (stratum, top) in self.sets.strata.iter().zip(&at.tops) {
            for k in stratum.events.clone() {
                let event = &self.sets.events[k];
                let mean = event.weight / event.deaths as f64;
                let logs: f64 =
                    self.terms(event).map(|(share, c)| share * ((at.living[k] + c * at.dying[k]) / mean).ln()).sum();
                total += event.weight * logs;
            }
            let deaths = stratum.rows.iter().filter(|&&row| self.sets.death(row).is_some());
            total += deaths.map(|&row| self.weights[row] * (top - predictors[row])).sum::<f64>();
        }
        total / self.total
    }

    /// The least value that any predictors have, in the limit.
    pub(crate) fn saturated(&self) -> f64 {
        let each = |event: &EventTime| match self.ties {
            Ties::Breslow => event.weight * (event.deaths as f64).ln(),
            Ties::Efron => {
                let logs: f64 = (2..=event.deaths).map(|l| (l as f64).ln()).sum();
                event.weight / event.deaths as f64 * logs
            }
        };
        self.sets.events.iter().map(each).sum::<f64>() / self.total
    }

    /// Events, and rows that count.
    pub(crate) fn counts(&self) -> (usize, usize) {
        let rows = self.sets.strata.iter().map(|stratum| stratum.rows.len()).sum();
        (self.sets.events.iter().map(|event| event.deaths).sum(), rows)
    }
}

impl JointLoss for PartialLikelihood {
    fn value(&self, predictors: &[f64], _free: &mut Vec<f64>) -> f64 {
        self.value_at(predictors, &self.hazards(predictors))
    }

    fn slopes(&self, predictors: &[f64], _free: &mut Vec<f64>, slopes: &mut [f64]) -> f64 {
        let at = self.hazards(predictors);
        if !at.is_in_range {
            slopes.fill(0.0);
            return f64::INFINITY;
        }
        let (plain, scaled) = self.rates(&at, |_, _, _| 1.0);
        let found = self.spread(&at.of_rows, &plain, &scaled);
        for (row, (slope, found)) in slopes.iter_mut().zip(found).enumerate() {
            let died = if self.sets.death(row).is_some() { self.weights[row] } else { 0.0 };
            *slope = (found - died) / self.total;
        }
        self.value_at(predictors, &at)
    }

    fn bends(&self, predictors: &[f64], _free: &mut Vec<f64>) -> Box<dyn Bends + '_> {
        let at = self.hazards(predictors);
        let (plain, scaled) = self.rates(&at, |_, _, _| 1.0);
        let diagonal = self.spread(&at.of_rows, &plain, &scaled);
        Box::new(Curved { loss: self, at, diagonal })
    }

    fn is_tame(&self) -> bool {
        true
    }

    /// Along a ray each term grows by the largest $v$ at risk less that of a death: every death must have the largest.
    fn order(&self, v: &[f64]) -> Order {
        let mut largest = self.sets.largest_of_rows(v);
        let negative: Vec<f64> = v.iter().map(|v| -v).collect();
        let mut smallest: Vec<f64> = self.sets.largest_of_rows(&negative).iter().map(|v| -v).collect();
        let mut dying = vec![(f64::INFINITY, f64::NEG_INFINITY); self.sets.events.len()];
        for (row, &v) in v.iter().enumerate() {
            if let Some(k) = self.sets.death(row) {
                dying[k] = (dying[k].0.min(v), dying[k].1.max(v));
                largest[k] = largest[k].max(v);
                smallest[k] = smallest[k].min(v);
            }
        }
        let mut order = Order::default();
        for ((&(least, most), largest), smallest) in dying.iter().zip(&largest).zip(&smallest) {
            order.broken_by = order.broken_by.max(largest - least);
            order.kept_by = order.kept_by.max(most - smallest);
        }
        order
    }
}

/// The second derivatives at some predictors.
struct Curved<'l> {
    loss: &'l PartialLikelihood,
    at: Hazards,
    diagonal: Vec<f64>,
}

impl Bends for Curved<'_> {
    fn times(&self, v: &mut [f64]) {
        let (loss, hazards) = (self.loss, &self.at.of_rows);
        for stratum in &loss.sets.strata {
            let weight: f64 = stratum.rows.iter().map(|&row| loss.weights[row]).sum();
            let mean = stratum.rows.iter().map(|&row| loss.weights[row] * v[row]).sum::<f64>() / weight;
            stratum.rows.iter().for_each(|&row| v[row] -= mean);
        }
        let weighted: Vec<f64> = hazards.iter().zip(&*v).map(|(r, v)| if *r > 0.0 { r * v } else { 0.0 }).collect();
        let (living, dying) = (loss.sets.over_rows(&weighted), loss.over_deaths(&weighted));
        let (plain, scaled) = loss.rates(&self.at, |k, c, sum| (living[k] + c * dying[k]) / sum);
        let shared = loss.spread(hazards, &plain, &scaled);
        for ((v, diagonal), shared) in v.iter_mut().zip(&self.diagonal).zip(shared) {
            *v = (diagonal * *v - shared) / loss.total;
        }
    }
}
