//! Which exchanges of features one reading leaves open.
//!
//! A free choice of so many columns is judged by the scores of all exchanges (`polish/scores.rs`), which need the second derivatives between all columns and the support:
//! exact algebra for squared loss, a quadratic model otherwise. Other choices are judged by a search on that model with all second derivatives (`pseudo.rs`).
//! An exchange among gathered columns has been judged by their fit already; what is left open are columns that were not gathered.

use super::driver::{Driver, Place};
use super::request::Second;
use crate::constraint::{Choice, Choosing};
use crate::error::Result;
use crate::exchanges::Exchanges;
use crate::polish::{Held, Scores, Sweep};

/// Relative fall of F that counts, and the same relative to F without any feature.
const FALL: f64 = 1e-11;
const ROUNDING: f64 = 1e-13;
/// Growth of rounding in the scores beyond which they say nothing.
const MOST_INFLATION: f64 = 1e10;
/// Columns that are gathered for promising exchanges: so many, or twice as many as the support has.
const ENTERING: usize = 40;

/// What a reading has left open.
pub(super) struct Verdict {
    /// Columns that may lower F and were not gathered; the most promising first.
    pub(super) columns: Vec<usize>,
    /// What is known if there are none.
    pub(super) exchanges: Exchanges,
}

impl Driver<'_, '_> {
    /// The columns that some exchange would bring in, of those that were not gathered.
    pub(super) fn rivals(
        &mut self,
        choosing: &dyn Choosing,
        choice: &Choice,
        (at, second): (&Place, &Second),
        gathered: &[usize],
    ) -> Result<Verdict> {
        match second {
            Second::All => self.by_model(choice, at, gathered),
            Second::Cross(support) if choosing.counted(self.columns()).is_some() => {
                Ok(self.by_scores(choice, at, support, gathered))
            }
            _ => Ok(Verdict { columns: Vec::new(), exchanges: Exchanges::CutShort }),
        }
    }

    /// A search on the quadratic model over all columns.
    fn by_model(&mut self, choice: &Choice, at: &Place, gathered: &[usize]) -> Result<Verdict> {
        let pseudo = self.model(at, 0.0)?;
        let found = self.finish_on(&pseudo, at)?;
        let support = choice.support(&choice.active(&found.theta));
        let columns: Vec<usize> = support.into_iter().filter(|j| gathered.binary_search(j).is_err()).collect();
        let exchanges = match found.exchanges {
            Exchanges::CutShort | Exchanges::Unknown => Exchanges::CutShort,
            _ if self.loss.is_quadratic() => Exchanges::Refitted,
            _ => Exchanges::Model,
        };
        Ok(Verdict { columns, exchanges })
    }

    /// The scores of all exchanges.
    fn by_scores(&self, choice: &Choice, at: &Place, support: &[usize], gathered: &[usize]) -> Verdict {
        let cut = Verdict { columns: Vec::new(), exchanges: Exchanges::CutShort };
        let (layout, columns) = (self.layout(), self.columns());
        let own = layout.reduced_to(support.len());
        let sweep = self.sweep(at, support.len());
        let Some(hessian) = sweep.hessian_on(support, own) else { return cut };
        let inner = self.frame.inward(&at.theta);
        let mut point: Vec<f64> = support.iter().map(|&j| inner.0[j]).collect();
        point.extend(layout.has_intercepts().then_some(inner.1));
        let gradient = layout.gathered(support, &sweep.gradient);
        let held = Held { support, point: &point, gradient: &gradient, hessian: &hessian };
        let candidates: Vec<usize> = (0..columns).filter(|j| gathered.binary_search(j).is_err()).collect();
        let Some(scores) = Scores::with_crosses(&held, &sweep, &candidates) else { return cut };
        let (is_quadratic, value, at_zero) = (self.loss.is_quadratic(), at.value().abs(), self.at_zero().abs());
        let inflation = scores.inflation();
        let limit = match () {
            () if !is_quadratic => -(FALL * value + ROUNDING * at_zero),
            () if inflation > MOST_INFLATION => return cut,
            () => (1e-9 + 1e-15 * inflation) * value + (1e-12 + 1e-15 * inflation) * at_zero,
        };
        let mut unit_of = vec![None; columns];
        for unit in 0..choice.units() {
            choice.unit(unit).iter().for_each(|&j| unit_of[j] = Some(unit));
        }
        let allows = |at: usize, column: usize| unit_of[support[at]].is_some() && unit_of[column].is_some();
        let mut best = vec![f64::INFINITY; columns];
        scores.swaps(allows, 1.0, |swap, is_clear| {
            if (is_clear && swap.change < limit) || (!is_clear && is_quadratic) {
                let change = if is_clear { swap.change } else { 0.0 };
                best[swap.enters] = best[swap.enters].min(change);
            }
        });
        let mut open: Vec<usize> = candidates.into_iter().filter(|&j| best[j] < f64::INFINITY).collect();
        open.sort_by(|&a, &b| best[a].total_cmp(&best[b]).then(a.cmp(&b)));
        open.truncate(ENTERING.max(2 * support.len()));
        let exchanges = if is_quadratic { Exchanges::Algebra } else { Exchanges::Model };
        Verdict { columns: open, exchanges }
    }

    /// What was read, as scores need it.
    fn sweep(&self, at: &Place, support: usize) -> Sweep {
        let (layout, columns) = (self.layout(), self.columns());
        let diagonal = (0..columns).map(|j| at.bent.diagonal[j] + self.frame.ridge_at(j)).collect();
        let has_intercept = layout.has_intercepts();
        let crosses = (0..columns).flat_map(|j| {
            let row = &at.bent.matrix[j * support..(j + 1) * support];
            row.iter().copied().chain(has_intercept.then_some(at.bent.border[j]))
        });
        Sweep::known((at.value(), at.looked.gradient.clone()), diagonal, at.bent.border[columns], crosses.collect())
    }
}
