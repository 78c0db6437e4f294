//! Standard errors, statistics, p-values and intervals of chosen coefficients.
//!
//! With the sums of `sums.rs`, the weights $W = \sum w_i$ and a ridge $R = W\,\mathrm{diag}(\lambda_j)$ the covariance of the estimates is
//!
//! - *model-based*, for likelihoods: $\phi(E + R)^{-1}E(E + R)^{-1}$ with the expected information $E$, which is $\phi E^{-1}$ without a ridge. The dispersion $\phi$ is 1 for the binomial,
//!   Poisson and negative binomial families and $\sum w_i(y_i - \mu_i)^2/V(\mu_i)/(n - k)$ for the others, with $k$ the numbers that were estimated;
//! - *robust*, for any loss with a curvature: $(A + R)^{-1}B(A + R)^{-1}$ (HC0), times $n/(n - k)$ (HC1).
//!
//! Squared loss has Student's distribution with $n - k$ degrees of freedom, every other loss the normal one. A ridge makes estimates smaller than what they estimate; the errors are
//! about their spread alone. The same holds for an active constraint: how far it pulls the coefficients is measured by the Newton step that is left, $(M + R)^{-1}(g + R\theta)$.

use super::distributions::Reference;
use super::fault::InferenceFault;
use super::sums::{Place, Sums};
use crate::data::Data;
use crate::error::{Error, Result};
use crate::linalg::{Cholesky, Eigen};
use crate::loss::{Family, Loss};
use crate::ridge::Ridge;
use serde::Serialize;

/// Coefficients at most: there is a number for each pair.
pub(super) const MOST: usize = 1000;
/// Pivot of a matrix with a diagonal of ones below which it counts as singular.
const SINGULAR: f64 = 1e-12;
/// F of classes below which they are told apart.
const SEPARATED: f64 = 1e-6;

/// Where standard errors come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Covariance {
    /// From the model where the loss is a likelihood, HC1 otherwise.
    #[default]
    Auto,
    /// From the distribution that the loss is the likelihood of.
    Model,
    /// The sandwich, without a correction.
    Hc0,
    /// The sandwich times $n/(n - k)$.
    Hc1,
}

impl Covariance {
    /// Reads a name.
    pub fn parse(text: &str) -> Option<Self> {
        Some(match text.to_ascii_lowercase().as_str() {
            "auto" => Self::Auto,
            "model" => Self::Model,
            "hc0" => Self::Hc0,
            "hc1" => Self::Hc1,
            _ => return None,
        })
    }

    /// For people.
    pub fn words(self) -> &'static str {
        match self {
            Self::Auto => "automatic",
            Self::Model => "model-based",
            Self::Hc0 => "robust (HC0)",
            Self::Hc1 => "robust (HC1)",
        }
    }
}

/// One number of the model.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// Its name.
    pub name: String,
    /// The feature, from 0; `None` for the intercept.
    pub feature: Option<usize>,
    /// The number itself.
    pub value: f64,
    /// Its standard error.
    pub error: f64,
    /// The two divided.
    pub statistic: f64,
    /// Probability of a statistic at least as large, if the number were zero.
    pub p_value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// Estimates with their errors: the intercept first, then the chosen features in their order.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Wald {
    /// Where the errors come from; never automatic.
    pub covariance: Covariance,
    /// What statistics are compared with.
    #[serde(flatten)]
    pub reference: Reference,
    /// The dispersion, where the family has one.
    pub dispersion: Option<f64>,
    /// Rows with a positive weight.
    pub rows: usize,
    /// The share of intervals that should hold the truth.
    pub level: f64,
    /// The numbers.
    pub estimates: Vec<Estimate>,
    /// Their covariances, row by row.
    pub covariances: Vec<Vec<f64>>,
    /// How far, in standard errors, the coefficient that is furthest away is from where it would be with its features alone: 0 unless a constraint holds it or the rows are not
    /// those of the fit.
    pub pull: f64,
}

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Where errors come from.
    pub covariance: Covariance,
    /// The share of intervals that should hold the truth.
    pub level: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self { covariance: Covariance::Auto, level: 0.95 }
    }
}

/// The errors of coefficients and an intercept, of which those that are not zero count as chosen. `ridge` is in the units of the data.
pub fn wald(
    data: &Data,
    loss: &dyn Loss,
    ridge: Ridge,
    (coefficients, intercept): (&[f64], Option<f64>),
    options: Options,
) -> Result<Wald> {
    super::check_level(options.level)?;
    crate::loss::check_responses(loss, data.response())?;
    let expected = data.columns();
    if coefficients.len() != expected {
        let rule = "as many coefficients as the data have columns";
        return Err(Error::Length { what: "coefficients", found: coefficients.len(), expected, rule });
    }
    let support: Vec<usize> = (0..coefficients.len()).filter(|&j| coefficients[j] != 0.0).collect();
    let fault = |fault| Err(Error::Inference(fault));
    if support.len() > MOST {
        return fault(InferenceFault::TooManyFeatures { features: support.len(), most: MOST });
    }
    if !loss.is_differentiable() {
        return fault(InferenceFault::NoCurvature { loss: loss.spec() });
    }
    let family = loss.family();
    let covariance = match (options.covariance, family) {
        (Covariance::Model, None) => return fault(InferenceFault::NoLikelihood { loss: loss.spec() }),
        (Covariance::Auto, None) => Covariance::Hc1,
        (Covariance::Auto, Some(_)) => Covariance::Model,
        (asked, _) => asked,
    };
    let place = Place::new(data, loss, &support, (coefficients, intercept))?;
    if family == Some(Family::Binomial) && !ridge.is_positive() && mean_loss(&place) < SEPARATED {
        return fault(InferenceFault::Separated);
    }
    let sums = place.sums()?;
    if sums.rows <= sums.size {
        return fault(InferenceFault::TooFewRows { rows: sums.rows, parameters: sums.size });
    }
    let free = (sums.rows - sums.size) as f64;
    let penalties: Vec<f64> =
        support.iter().zip(&sums.scales).map(|(&j, s)| data.weight_sum() * ridge.at(j) / (s * s)).collect();
    let name = |j: usize| data.feature_names().map_or_else(|| format!("V{}", j + 1), |names| names[j].clone());
    let names: Vec<String> =
        support.iter().map(|&j| name(j)).chain(intercept.map(|_| "intercept".to_owned())).collect();
    let bread = if covariance == Covariance::Model { &sums.expected } else { &sums.observed };
    if bread.iter().all(|value| *value == 0.0) && sums.size > 0 {
        return fault(InferenceFault::NoCurvature { loss: loss.spec() });
    }
    let inverse = inverted(bread, &penalties, sums.size).map_err(|places| {
        let columns = places.into_iter().map(|place| names[place].clone()).collect();
        Error::Inference(InferenceFault::Singular { columns })
    })?;
    let dispersion = family.filter(|family| family.has_dispersion()).map(|_| sums.pearson / free);
    let (meat, factor) = match covariance {
        Covariance::Model => (&sums.expected, dispersion.unwrap_or(1.0)),
        Covariance::Hc1 => (&sums.scores, sums.rows as f64 / free),
        _ => (&sums.scores, 1.0),
    };
    let inner = sandwich(&inverse, meat, sums.size);
    let scaled: Vec<f64> = support.iter().zip(&sums.scales).map(|(&j, s)| coefficients[j] * s).collect();
    let step = newton(&sums, &inverse, &penalties, &scaled);
    let map = raw_units(&sums, intercept.is_some());
    let covariances = mapped(&map, &inner, sums.size, factor);
    let reference =
        if family == Some(Family::Normal) { Reference::Student { degrees: free } } else { Reference::Normal };
    let quantile = reference.quantile(options.level);
    let (mut pull, mut estimates) = (0.0_f64, Vec::with_capacity(sums.size));
    for (place, row) in map.iter().enumerate() {
        // The intercept comes first.
        let feature = if intercept.is_some() { place.checked_sub(1) } else { Some(place) };
        let value = feature.map_or(intercept.unwrap_or(0.0), |at| coefficients[support[at]]);
        let error = covariances[place][place].max(0.0).sqrt();
        let moved: f64 = row.iter().zip(&step).map(|(t, d)| t * d).sum();
        pull = pull.max(if error > 0.0 { moved.abs() / error } else { 0.0 });
        let statistic = value / error;
        estimates.push(Estimate {
            name: feature.map_or_else(|| "intercept".to_owned(), |at| names[at].clone()),
            feature: feature.map(|at| support[at]),
            value,
            error,
            statistic,
            p_value: reference.two_sided(statistic),
            low: value - quantile * error,
            high: value + quantile * error,
        });
    }
    Ok(Wald { covariance, reference, dispersion, rows: sums.rows, level: options.level, estimates, covariances, pull })
}

fn mean_loss(place: &Place) -> f64 {
    let weight = |row: usize| place.data.weight(row);
    let each = place.predictors.iter().zip(place.data.response()).enumerate();
    let terms =
        each.filter(|(row, _)| weight(*row) > 0.0).map(|(row, (&eta, &y))| weight(row) * place.loss.value(eta, y));
    terms.sum::<f64>() / place.data.weight_sum()
}

/// The inverse of a matrix with penalties on its diagonal; the places of dependent columns if it has none.
fn inverted(matrix: &[f64], penalties: &[f64], size: usize) -> std::result::Result<Vec<f64>, Vec<usize>> {
    let mut whole = matrix.to_vec();
    penalties.iter().enumerate().for_each(|(j, penalty)| whole[j * size + j] += penalty);
    let roots: Vec<f64> = (0..size).map(|j| whole[j * size + j].sqrt()).collect();
    let empty: Vec<usize> = (0..size).filter(|&j| roots[j].is_nan() || roots[j] <= 0.0).collect();
    if !empty.is_empty() {
        return Err(empty);
    }
    for (at, value) in whole.iter_mut().enumerate() {
        *value /= roots[at / size] * roots[at % size];
    }
    let mut cholesky = Cholesky::default();
    cholesky.matrix(size).copy_from_slice(&whole);
    let is_sound = cholesky.factor() && (size == 0 || cholesky.least_pivot().powi(2) > SINGULAR);
    if !is_sound {
        return Err(dependent(&whole, size));
    }
    let mut inverse = vec![0.0; size * size];
    cholesky.inverse(&mut inverse);
    for (at, value) in inverse.iter_mut().enumerate() {
        *value /= roots[at / size] * roots[at % size];
    }
    Ok(inverse)
}

/// The columns that take part in a combination that is next to nothing.
fn dependent(matrix: &[f64], size: usize) -> Vec<usize> {
    const SHARE: f64 = 1e-4;
    let Some(eigen) = Eigen::of(matrix, size) else { return (0..size).collect() };
    let least = (0..size).min_by(|&a, &b| eigen.values[a].total_cmp(&eigen.values[b])).unwrap_or(0);
    let vector = eigen.vector(least);
    let top = vector.iter().fold(0.0_f64, |top, v| top.max(v.abs()));
    (0..size).filter(|&j| vector[j].abs() > SHARE * top).collect()
}

/// $M^{-1}BM^{-1}$
fn sandwich(inverse: &[f64], meat: &[f64], size: usize) -> Vec<f64> {
    product(&product(inverse, meat, size), inverse, size)
}

fn product(a: &[f64], b: &[f64], size: usize) -> Vec<f64> {
    let mut out = vec![0.0; size * size];
    for i in 0..size {
        for k in 0..size {
            let factor = a[i * size + k];
            let (row, other) = (&mut out[i * size..(i + 1) * size], &b[k * size..(k + 1) * size]);
            row.iter_mut().zip(other).for_each(|(out, b)| *out += factor * b);
        }
    }
    out
}

/// The Newton step that is left.
fn newton(sums: &Sums, inverse: &[f64], penalties: &[f64], scaled: &[f64]) -> Vec<f64> {
    let mut gradient = sums.gradient.clone();
    gradient.iter_mut().zip(penalties).zip(scaled).for_each(|((g, penalty), theta)| *g += penalty * theta);
    let size = sums.size;
    (0..size).map(|i| crate::linalg::dot(&inverse[i * size..(i + 1) * size], &gradient)).collect()
}

/// The rows that turn centred and scaled numbers into those of the data, the intercept first.
fn raw_units(sums: &Sums, has_intercept: bool) -> Vec<Vec<f64>> {
    let (size, count) = (sums.size, sums.scales.len());
    let mut rows = Vec::with_capacity(size);
    if has_intercept {
        let mut row: Vec<f64> = sums.centers.iter().zip(&sums.scales).map(|(c, s)| -c / s).collect();
        row.push(1.0);
        rows.push(row);
    }
    for j in 0..count {
        let mut row = vec![0.0; size];
        row[j] = 1.0 / sums.scales[j];
        rows.push(row);
    }
    rows
}

/// $TCT^T$ times a number.
fn mapped(map: &[Vec<f64>], inner: &[f64], size: usize, factor: f64) -> Vec<Vec<f64>> {
    let times: Vec<Vec<f64>> = map
        .iter()
        .map(|row| (0..size).map(|j| row.iter().enumerate().map(|(i, t)| t * inner[i * size + j]).sum()).collect())
        .collect();
    times
        .iter()
        .map(|left: &Vec<f64>| {
            map.iter().map(|row| factor * left.iter().zip(row).map(|(a, b)| a * b).sum::<f64>()).collect()
        })
        .collect()
}
