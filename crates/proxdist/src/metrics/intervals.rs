//! How far a measure would move on other rows of the same kind: intervals by formula.
//!
//! Rows are taken as independent draws and predictions as given, so an interval is about rows that the model was *not* fitted to. With weights $w_i$, $W = \sum w_i$:
//!
//! | measure | interval |
//! |---|---|
//! | AUC | DeLong, DeLong and Clarke-Pearson (1988) on the scale of log odds: with $V_i$ the share of the other class that row $i$ is rightly ordered with, $\mathrm{var} = \sum_{c}\frac{n_c}{n_c - 1}\sum_{i \in c} w_i^2(V_i - A)^2/W_c^2$ |
//! | Gini | $2A - 1$ of both ends |
//! | accuracy | Wilson's, for $W^2/\sum w_i^2$ rows |
//! | log loss, MSE, MAE, deviance, pinball | delta method on the scale of logarithms: the mean $m$ of $v_i$ has $\mathrm{var}(\log m) = \frac n{n-1}\sum w_i^2(v_i/m - 1)^2/W^2$ |
//! | $R^2$, $D^2$ | the same for the ratio $1 - R^2$ of two means: $\frac n{n-1}\sum w_i^2(a_i/\bar a - b_i/\bar b)^2/W^2$; the constant that $b$ compares with is at a minimum, so its own error does not count |
//!
//! KS is a largest difference and has none. A measure at the end of its range (an AUC of 1, an error of 0) has none either: no formula can tell from such rows.

use super::classification::Labelled;
use super::{Evaluation, scores};
use crate::error::Result;
use crate::inference::Reference;
use crate::loss::{Link, Loss, Task};
use serde::Serialize;

/// A measure with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Measured {
    /// Its name.
    pub name: &'static str,
    /// Its value.
    pub value: f64,
    /// Both ends, where they can be told.
    pub interval: Option<(f64, f64)>,
}

/// All measures of predictions that belong to the loss, the telling ones first; those that the rows do not define are left out. `level` is the share of intervals that should hold the truth.
pub fn measured(
    loss: &dyn Loss,
    predictors: &[f64],
    response: &[f64],
    weights: Option<&[f64]>,
    level: f64,
) -> Result<Vec<Measured>> {
    let evaluation = Evaluation::of(loss, predictors, response, weights)?;
    let own: Vec<f64> = weights.map_or_else(|| vec![1.0; response.len()], <[f64]>::to_vec);
    let quantile = Reference::Normal.quantile(level);
    let rows = Rows { weights: &own, quantile };
    Ok(match evaluation {
        Evaluation::Classification(found) => {
            let (scores, scale) = scores(loss, predictors);
            let labelled = Labelled::new(&scores, response, weights)?;
            let area = found.auc.map(|value| (value, auc_interval(&labelled, value, quantile)));
            let doubled = |(low, high): (f64, f64)| (2.0 * low - 1.0, 2.0 * high - 1.0);
            let losses = found.log_loss.map(|value| {
                let each = |row: usize| scale.log_loss(scores[row], response[row]).unwrap_or(0.0);
                (value, rows.of_mean(&each))
            });
            let accuracy = (found.accuracy, Some(wilson(found.accuracy, rows.effective(), quantile)));
            let gini = area.map(|(value, interval)| (2.0 * value - 1.0, interval.map(doubled)));
            let list = [
                ("AUC", area),
                ("accuracy", Some(accuracy)),
                ("log loss", losses),
                ("Gini", gini),
                ("KS", labelled.ks().map(|value| (value, None))),
            ];
            named(&list)
        }
        Evaluation::Regression(found) => {
            let means: Vec<f64> = predictors.iter().map(|&eta| loss.mean(eta)).collect();
            let squares = |row: usize| (response[row] - means[row]).powi(2);
            let sizes = |row: usize| (response[row] - means[row]).abs();
            let center = rows.mean(&|row| response[row]);
            let spread = |row: usize| (response[row] - center).powi(2);
            let r_squared = found.r_squared.map(|value| (value, rows.of_share(&squares, &spread)));
            let mut list = vec![];
            if found.deviance.is_some() {
                let each = |row: usize| loss.deviance(predictors[row], response[row]).unwrap_or(f64::NAN);
                let constant = if loss.link() == Link::Log { center.ln() } else { center };
                let without = |row: usize| loss.deviance(constant, response[row]).unwrap_or(f64::NAN);
                list.push(("D2", found.d_squared.map(|value| (value, rows.of_share(&each, &without)))));
                list.push(("deviance", found.deviance.map(|value| (value, rows.of_mean(&each)))));
            }
            if let (Some(pinball), Some(kinked)) = (found.pinball_loss, loss.kinked()) {
                let level = kinked.level();
                let size = |residual: f64| if residual >= 0.0 { level * residual } else { (level - 1.0) * residual };
                let each = |row: usize| size(response[row] - predictors[row]);
                let constant = rows.quantile_of(response, level);
                let without = |row: usize| size(response[row] - constant);
                list.push(("D2", found.d_squared.map(|value| (value, rows.of_share(&each, &without)))));
                list.push(("pinball", Some((pinball, rows.of_mean(&each)))));
            }
            let mean_squared = ("MSE", Some((found.mean_squared_error, rows.of_mean(&squares))));
            let mean_size = ("MAE", Some((found.mean_absolute_error, rows.of_mean(&sizes))));
            if loss.task() == Task::Regression && found.pinball_loss.is_none() {
                list.insert(0, ("R2", r_squared));
            } else {
                list.push(("R2", r_squared));
            }
            list.extend([mean_squared, mean_size]);
            named(&list)
        }
    })
}

type Found = Option<(f64, Option<(f64, f64)>)>;

fn named(list: &[(&'static str, Found)]) -> Vec<Measured> {
    let is_finite = |(low, high): &(f64, f64)| low.is_finite() && high.is_finite();
    let one = |&(name, found): &(&'static str, Found)| {
        found.map(|(value, interval)| Measured { name, value, interval: interval.filter(is_finite) })
    };
    list.iter().filter_map(one).collect()
}

/// Wilson's interval of a share of so many rows.
pub fn wilson(share: f64, rows: f64, quantile: f64) -> (f64, f64) {
    let square = quantile * quantile;
    let scale = 1.0 + square / rows;
    let center = (share + square / (2.0 * rows)) / scale;
    let half = quantile * (share * (1.0 - share) / rows + square / (4.0 * rows * rows)).sqrt() / scale;
    ((center - half).max(0.0), (center + half).min(1.0))
}

struct Rows<'a> {
    weights: &'a [f64],
    quantile: f64,
}

impl Rows<'_> {
    fn counted(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.weights.len()).filter(|&row| self.weights[row] > 0.0)
    }

    fn mean(&self, value: &dyn Fn(usize) -> f64) -> f64 {
        let (sum, all) = self
            .counted()
            .fold((0.0, 0.0), |(sum, all), row| (sum + self.weights[row] * value(row), all + self.weights[row]));
        sum / all
    }

    /// How many rows of equal weight would tell as much.
    fn effective(&self) -> f64 {
        let all: f64 = self.weights.iter().sum();
        all * all / self.weights.iter().map(|w| w * w).sum::<f64>()
    }

    /// The standard error of the weighted mean of influences, whose own mean is zero; `None` with a single row.
    fn error(&self, influence: &dyn Fn(usize) -> f64) -> Option<f64> {
        let (count, all) = (self.counted().count() as f64, self.weights.iter().sum::<f64>());
        let squares: f64 = self.counted().map(|row| (self.weights[row] * influence(row)).powi(2)).sum();
        (count > 1.0).then(|| (count / (count - 1.0) * squares).sqrt() / all)
    }

    /// The interval of a positive mean.
    fn of_mean(&self, value: &dyn Fn(usize) -> f64) -> Option<(f64, f64)> {
        let mean = self.mean(value);
        let half = self.quantile * self.error(&|row| value(row) / mean - 1.0).filter(|_| mean > 0.0)?;
        Some((mean * (-half).exp(), mean * half.exp()))
    }

    /// The interval of one minus the ratio of two positive means.
    fn of_share(&self, left: &dyn Fn(usize) -> f64, all: &dyn Fn(usize) -> f64) -> Option<(f64, f64)> {
        let (left_mean, all_mean) = (self.mean(left), self.mean(all));
        let error = self.error(&|row| left(row) / left_mean - all(row) / all_mean);
        let half = self.quantile * error.filter(|_| left_mean > 0.0 && all_mean > 0.0)?;
        let ratio = left_mean / all_mean;
        Some((1.0 - ratio * half.exp(), 1.0 - ratio * (-half).exp()))
    }

    /// The smallest response that at least this share of the weight is not above.
    fn quantile_of(&self, response: &[f64], level: f64) -> f64 {
        let mut order: Vec<usize> = self.counted().collect();
        order.sort_by(|&i, &j| response[i].total_cmp(&response[j]));
        let all: f64 = self.weights.iter().sum();
        let mut below = 0.0;
        let found = order.iter().find(|&&row| {
            below += self.weights[row];
            below >= level * all
        });
        found.or(order.last()).map_or(0.0, |&row| response[row])
    }
}

/// DeLong's interval of an AUC, on the scale of log odds.
fn auc_interval(labelled: &Labelled, area: f64, quantile: f64) -> Option<(f64, f64)> {
    if area <= 0.0 || area >= 1.0 {
        return None;
    }
    let mut order: Vec<usize> = (0..labelled.len()).filter(|&row| labelled.weight(row) > 0.0).collect();
    order.sort_by(|&i, &j| labelled.score(i).total_cmp(&labelled.score(j)));
    let weight = |is_one: bool| -> f64 {
        order.iter().filter(|&&row| labelled.is_one(row) == is_one).map(|&row| labelled.weight(row)).sum()
    };
    let all = [weight(false), weight(true)];
    // Of each class: the sum of squared deviations, and how many rows there are.
    let (mut squares, mut counts, mut below) = ([0.0; 2], [0.0_f64; 2], [0.0; 2]);
    let mut start = 0;
    while start < order.len() {
        let score = labelled.score(order[start]);
        // By value: minus zero ties with zero.
        let length = order[start..].iter().take_while(|&&row| labelled.score(row) == score).count();
        let tied = &order[start..start + length];
        let mut own = [0.0; 2];
        tied.iter().for_each(|&row| own[usize::from(labelled.is_one(row))] += labelled.weight(row));
        for &row in tied {
            let class = usize::from(labelled.is_one(row));
            let other = 1 - class;
            let lower = (below[other] + 0.5 * own[other]) / all[other];
            // A one is to be above zeros, a zero below ones.
            let right = if class == 1 { lower } else { 1.0 - lower };
            squares[class] += (labelled.weight(row) * (right - area)).powi(2);
            counts[class] += 1.0;
        }
        below = [below[0] + own[0], below[1] + own[1]];
        start += length;
    }
    if counts.iter().any(|count| *count < 2.0) {
        return None;
    }
    let part = |class: usize| counts[class] / (counts[class] - 1.0) * squares[class] / all[class].powi(2);
    let error = (part(0) + part(1)).sqrt() / (area * (1.0 - area));
    let middle = (area / (1.0 - area)).ln();
    let back = |odds: f64| 1.0 / (1.0 + (-odds).exp());
    Some((back(middle - quantile * error), back(middle + quantile * error)))
}
