//! The paper's data generators, for tests, benchmarks and the reproduction of its experiments.
//!
//! | model | features | response |
//! |---|---|---|
//! | linear | $N(0, 1)$ | $N(x^T\theta, 1)$ |
//! | logistic | $0.3\,N(0, 1)$ | Bernoulli with logit $x^T\theta$ |
//! | Huber | as linear | plus uniform noise on $(-10, -5) \cup (5, 10)$ in a tenth of the rows |
//! | matrix | $N(0, 1)$, $64 \times 64$ | $N(\langle X, \Theta \rangle, 1)$ |
//!
//! Truths: `s` entries uniform on $(-7, -4) \cup (4, 7)$ at random places; or all entries such, scaled to norm 2; or, for
//! matrices, 128 ones arranged in as many disjoint rectangles as the rank.

use crate::data::Data;
use crate::error::{Error, Result};
use crate::random::{Purpose, below, stream, uniform};
use crate::rule::Rule;
use crate::shape::Shape;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// How the response depends on the linear predictor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Response {
    /// Normal errors of unit variance.
    Linear,
    /// Bernoulli with the logit link.
    Logistic,
    /// Linear with outliers in a tenth of the rows.
    Huber,
}

/// What the true parameter looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    /// So many nonzero entries.
    Sparse(usize),
    /// A dense vector of norm 2, outside the unit ball.
    OutsideBall,
}

/// Simulated data that own their numbers.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Simulated {
    /// Row-major features.
    pub x: Vec<f64>,
    /// Response.
    pub y: Vec<f64>,
    /// The true parameter.
    pub truth: Vec<f64>,
    /// Its shape.
    pub shape: Shape,
}

impl Simulated {
    /// The data as a fit wants them.
    pub fn data(&self) -> Result<Data<'_>> {
        let data = Data::dense(&self.x, self.truth.len(), &self.y)?;
        match self.shape {
            Shape::Vector(_) => Ok(data),
            Shape::Matrix { rows, columns } => data.shape(rows, columns),
        }
    }
}

/// Vector covariates: `rows` observations of `columns` features.
pub fn vector(response: Response, truth: Truth, rows: usize, columns: usize, seed: u64) -> Result<Simulated> {
    if let Truth::Sparse(nonzeros) = truth
        && nonzeros > columns
    {
        return Err(Error::setting("nonzeros of the truth", Rule::AtMostColumns { columns }, nonzeros));
    }
    let generator = &mut stream(seed, Purpose::Simulation, 0);
    let parameter = draw_truth(truth, columns, generator);
    Ok(observe(response, parameter, Shape::Vector(columns), rows, generator))
}

/// More observations of a given truth: the `number`-th block of them, each from a stream of its own, so that data larger than
/// memory can be drawn piece by piece.
pub fn block(response: Response, truth: &[f64], rows: usize, number: u64, seed: u64) -> Simulated {
    // Stream 0 has drawn the truth.
    let generator = &mut stream(seed, Purpose::Simulation, number.wrapping_add(1));
    observe(response, truth.to_vec(), Shape::Vector(truth.len()), rows, generator)
}

/// Standard deviation of the features.
fn scale(response: Response) -> f64 {
    if response == Response::Logistic { 0.3 } else { 1.0 }
}

/// Correlated features: neighbours have correlation 0.9, falling off geometrically, and the truth is `pairs` of neighbours with
/// opposite signs, each of which hides the other. Harder than anything in the paper.
pub fn correlated(response: Response, pairs: usize, rows: usize, columns: usize, seed: u64) -> Result<Simulated> {
    const CORRELATION: f64 = 0.9;
    if 2 * pairs > columns {
        return Err(Error::setting("pairs of the truth", Rule::AtMostPairs { pairs: columns / 2 }, pairs));
    }
    let generator = &mut stream(seed, Purpose::Simulation, 0);
    let mut parameter = vec![0.0; columns];
    let mut slots: Vec<usize> = (0..columns / 2).collect();
    for i in 0..pairs {
        let chosen = i + below(generator, (slots.len() - i) as u64) as usize;
        slots.swap(i, chosen);
        let first = two_sided(4.0, 7.0, generator);
        let second = two_sided(4.0, 7.0, generator).abs();
        parameter[2 * slots[i]] = first;
        parameter[2 * slots[i] + 1] = -first.signum() * second;
    }
    let fresh = (1.0 - CORRELATION * CORRELATION).sqrt();
    let mut simulated = observe_features(parameter, Shape::Vector(columns), rows, scale(response), generator);
    for row in simulated.x.chunks_exact_mut(columns) {
        for j in 1..columns {
            row[j] = CORRELATION * row[j - 1] + fresh * row[j];
        }
    }
    respond(response, &mut simulated, generator);
    Ok(simulated)
}

/// Matrix covariates of 64 × 64, with a truth of the given rank.
pub fn matrix(rank: usize, rows: usize, seed: u64) -> Result<Simulated> {
    const SIDE: usize = 64;
    let blocks =
        rectangles(rank, SIDE).ok_or_else(|| Error::setting("rank of the truth", Rule::RankOfPattern, rank))?;
    let mut parameter = vec![0.0; SIDE * SIDE];
    let (mut top, mut left) = (0, 0);
    for (height, width) in blocks {
        for i in top..top + height {
            parameter[i * SIDE + left..i * SIDE + left + width].fill(1.0);
        }
        (top, left) = (top + height, left + width);
    }
    let shape = Shape::Matrix { rows: SIDE, columns: SIDE };
    Ok(observe(Response::Linear, parameter, shape, rows, &mut stream(seed, Purpose::Simulation, 0)))
}

/// 128 cells in `count` rectangles along the diagonal of a square: all but the last alike, and as square as possible.
fn rectangles(count: usize, side: usize) -> Option<Vec<(usize, usize)>> {
    const CELLS: usize = 128;
    let fits = |blocks: &[(usize, usize)]| {
        blocks.iter().map(|b| b.0).sum::<usize>() <= side && blocks.iter().map(|b| b.1).sum::<usize>() <= side
    };
    let ideal = (CELLS as f64 / count.max(1) as f64).sqrt().round() as usize;
    (1..=ideal).rev().find_map(|size| {
        let rest = CELLS.checked_sub(size * size * count.checked_sub(1)?).filter(|rest| *rest > 0)?;
        let height = (1..=rest).rev().find(|h| h * h <= rest && rest % h == 0)?;
        let mut blocks = vec![(size, size); count - 1];
        blocks.push((height, rest / height));
        fits(&blocks).then_some(blocks)
    })
}

/// Uniform on (−high, −low) ∪ (low, high).
fn two_sided(low: f64, high: f64, generator: &mut ChaCha8Rng) -> f64 {
    let size = low + (high - low) * uniform(generator);
    if uniform(generator) < 0.5 { -size } else { size }
}

fn draw_truth(truth: Truth, columns: usize, generator: &mut ChaCha8Rng) -> Vec<f64> {
    let mut parameter = vec![0.0; columns];
    match truth {
        Truth::Sparse(nonzeros) => {
            let mut places: Vec<usize> = (0..columns).collect();
            for i in 0..nonzeros {
                places.swap(i, i + below(generator, (columns - i) as u64) as usize);
                parameter[places[i]] = two_sided(4.0, 7.0, generator);
            }
        }
        Truth::OutsideBall => {
            parameter.iter_mut().for_each(|v| *v = two_sided(4.0, 7.0, generator));
            let norm = crate::linalg::norm(&parameter);
            parameter.iter_mut().for_each(|v| *v *= 2.0 / norm);
        }
    }
    parameter
}

fn observe(response: Response, truth: Vec<f64>, shape: Shape, rows: usize, generator: &mut ChaCha8Rng) -> Simulated {
    let mut simulated = observe_features(truth, shape, rows, scale(response), generator);
    respond(response, &mut simulated, generator);
    simulated
}

/// Independent normal features; no response yet.
fn observe_features(truth: Vec<f64>, shape: Shape, rows: usize, scale: f64, generator: &mut ChaCha8Rng) -> Simulated {
    let mut normal = || -> f64 { StandardNormal.sample(generator) };
    let x = (0..rows * truth.len()).map(|_| scale * normal()).collect();
    Simulated { x, y: Vec::new(), truth, shape }
}

/// Draws the response given the features.
fn respond(response: Response, simulated: &mut Simulated, generator: &mut ChaCha8Rng) {
    let Simulated { x, y, truth, .. } = simulated;
    let rows = x.len() / truth.len();
    let noise: Vec<f64> = (0..rows).map(|_| StandardNormal.sample(generator)).collect();
    let predictors = x.chunks_exact(truth.len()).map(|row| crate::linalg::dot(row, truth));
    *y = predictors
        .zip(noise)
        .map(|(eta, noise)| match response {
            Response::Huber if uniform(generator) < 0.1 => eta + noise + two_sided(5.0, 10.0, generator),
            Response::Linear | Response::Huber => eta + noise,
            Response::Logistic => f64::from(u8::from(uniform(generator) < 1.0 / (1.0 + (-eta).exp()))),
        })
        .collect();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matrix_truths_have_128_ones_in_disjoint_rows_and_columns() {
        for rank in [1, 2, 3, 4, 5, 8] {
            let simulated = matrix(rank, 1, 0).unwrap();
            assert_eq!(simulated.truth.iter().sum::<f64>(), 128.0);
            assert_eq!(rectangles(rank, 64).unwrap().len(), rank);
        }
        assert!(matrix(0, 1, 0).is_err() && matrix(100, 1, 0).is_err());
    }

    #[test]
    fn blocks_share_the_truth_and_nothing_else() {
        let first = vector(Response::Logistic, Truth::Sparse(3), 4, 9, 5).unwrap();
        let blocks = [0, 1].map(|number| block(Response::Logistic, &first.truth, 4, number, 5));
        assert!(blocks.iter().all(|block| block.truth == first.truth && block.x != first.x));
        assert_ne!(blocks[0].x, blocks[1].x);
        assert_eq!(block(Response::Logistic, &first.truth, 4, 1, 5).x, blocks[1].x);
    }

    #[test]
    fn truths_are_as_the_paper_says() {
        let sparse = vector(Response::Linear, Truth::Sparse(5), 2, 40, 3).unwrap();
        let nonzero: Vec<f64> = sparse.truth.iter().copied().filter(|v| *v != 0.0).collect();
        assert!(nonzero.len() == 5 && nonzero.iter().all(|v| (4.0..7.0).contains(&v.abs())));
        let dense = vector(Response::Logistic, Truth::OutsideBall, 2, 40, 3).unwrap();
        assert!((crate::linalg::norm(&dense.truth) - 2.0).abs() < 1e-14);
        assert!(dense.y.iter().all(|y| *y == 0.0 || *y == 1.0));
    }
}
