//! A quadratic F at a point where nobody has read it.
//!
//! With $d = \theta - \theta_t$, the sums of a reading at $\theta_t$ say all about F wherever its second derivatives are known:
//! $$g(\theta) = g_t + Hd, \qquad F(\theta) = F_t + \tfrac12(g_t + g(\theta))^Td,$$
//! so that a result needs no reading of its own. Rounding of the sums is $\varepsilon\sqrt{h_j}\sum_k\sqrt{h_k}|d_k|$ in entry $j$ of the gradient, where that of a reading at $\theta$ is
//! $\varepsilon\sqrt{h_j}\sqrt{2F}$. So the sums are believed while $\sum_k\sqrt{h_k}|d_k|$ and $\sqrt{2F_t}$ are no more than some multiple of $\sqrt{2F}$, two digits; otherwise $\theta$ is read.

use super::driver::{Driver, Place};
use super::frame::Looked;
use super::request::Second;
use crate::error::Result;

/// How many times as large as $\sqrt{2F}$ a step may be, measured in predictions, and how many times as large as F it may have been before.
const MOST_TIMES: f64 = 100.0;

impl Driver<'_, '_> {
    /// A quadratic F at another point, with the second derivatives of the place that they are known at, which it loses. `known` are the columns that they are known for, if not
    /// all. `None` if a reading was needed and cut short.
    pub(super) fn elsewhere(
        &mut self,
        at: &mut Place,
        known: Option<&[usize]>,
        theta: Vec<f64>,
    ) -> Result<Option<Place>> {
        let looked = match self.reckoned(at, known, &theta) {
            Some(looked) => {
                let nonzeros = self.layout().coefficients(&theta).iter().filter(|value| **value != 0.0).count();
                self.reader.record(looked.value, nonzeros);
                looked
            }
            None => match self.look(theta.clone(), Second::Nothing, 0.0)? {
                Some(place) => place.looked,
                None => return Ok(None),
            },
        };
        Ok(Some(Place { theta, looked, bent: std::mem::take(&mut at.bent), is_whole: at.is_whole }))
    }

    /// The same by sums alone; `None` where rounding might show, or the point differs in columns whose second derivatives are not known.
    fn reckoned(&self, at: &Place, known: Option<&[usize]>, theta: &[f64]) -> Option<Looked> {
        let (frame, columns) = (&self.frame, self.columns());
        let all: Vec<usize> = if known.is_some() { Vec::new() } else { (0..columns).collect() };
        let known = known.unwrap_or(&all);
        let (before, after) = (frame.inward(&at.theta), frame.inward(theta));
        let moved: Vec<f64> = known.iter().map(|&j| after.0[j] - before.0[j]).collect();
        let turned = if self.layout().has_intercepts() { after.1 - before.1 } else { 0.0 };
        let is_same = |j: usize| after.0[j] == before.0[j] || known.binary_search(&j).is_ok();
        if at.bent.matrix.len() != columns * known.len() || !(0..columns).all(is_same) {
            return None;
        }
        let (border, own) = at.bent.border.split_at(columns);
        let mut plain = at.looked.plain.clone();
        for (j, row) in at.bent.matrix.chunks_exact(known.len().max(1)).enumerate() {
            plain[j] += crate::linalg::dot(row, &moved) + border[j] * turned;
        }
        if let Some(slope) = plain.get_mut(columns) {
            *slope += known.iter().zip(&moved).map(|(&k, d)| border[k] * d).sum::<f64>() + own[0] * turned;
        }
        let middle = |j: usize| 0.5 * (at.looked.plain[j] + plain[j]);
        let along: f64 = known.iter().zip(&moved).map(|(&k, d)| middle(k) * d).sum();
        let plain_value = at.looked.plain_value + along + if turned == 0.0 { 0.0 } else { middle(columns) * turned };
        let length: f64 = known.iter().zip(&moved).map(|(&k, d)| at.bent.diagonal[k].sqrt() * d.abs()).sum();
        let length = length + own[0].sqrt() * turned.abs();
        let is_sound = length <= MOST_TIMES * (2.0 * plain_value).sqrt()
            && at.looked.plain_value.abs() <= MOST_TIMES * plain_value
            && plain_value.is_finite();
        if !is_sound {
            return None;
        }
        let mut gradient = plain.clone();
        (0..columns).for_each(|j| gradient[j] += frame.ridge_at(j) * after.0[j]);
        let value = plain_value + frame.ridge.value(self.layout().coefficients(theta));
        Some(Looked { value, gradient, plain, plain_value })
    }
}
