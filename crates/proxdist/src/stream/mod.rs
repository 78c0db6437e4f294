//! Data that arrive in blocks and are seen once.
//!
//! A [`Stream`] minimises $F(\theta) = \mathbb{E}\,\ell(x^T\theta + \beta_0 + o; y) + \tfrac\lambda2\|\theta\|^2$ over $\theta \in C$ from blocks of rows that never come back, in memory that does not
//! depend on how many there were. Each block goes the same way:
//!
//! 1. it is predicted by the model as it is, which is what the progressive loss is about ([`Progressive`]);
//! 2. its columns enter the running moments (`moments.rs`). Where the set does not depend on units, columns are scaled by them; when the scale changes, the iterate is
//!    written down anew in the new units, so the model stays what it is;
//! 3. its rows, each of them once, make batches $B$ for steps $\theta \leftarrow \mathrm{prox}_{f_B/\rho}(P_C(\theta))$ (`steps.rs`), with a race for $\rho_1$ on the first of them (`contest.rs`);
//! 4. some of its rows enter a sample of the stream, if one is kept (`reservoir.rs`).
//!
//! The model is $P_C(\bar\theta)$, where $\bar\theta$ averages the late iterates (`steps.rs`). [`Stream::finish`] fits the sample exactly, with a certificate *of the sample*.
//!
//! # The penalty, and what a half-life does to it
//!
//! A step is a vote of $s = \sum_{i \in B}w_i$ against the votes $W$ of all rows so far, its own included, and its penalty says so:
//! $$\rho = \rho_1 \cdot \frac Ws \cdot \Big(\frac Nb\Big)^{\gamma - 1}, \qquad N = \text{rows so far}, \quad b = \text{rows of a full batch}.$$
//! For full batches of equal weights this is $\rho_1k^\gamma$ at step $k$. Short batches, as short blocks make them, count for what they hold, and a row of weight two is a row that came twice.
//!
//! With a half-life of $h$ rows, a row of age $a$ counts $2^{-a/h}$: before each batch of $n$ rows, $W$ and $N$ are multiplied by $2^{-n/h}$. They are then the *effective* numbers of rows and votes,
//! and never exceed $h/\ln 2$ rows, so $\rho$ stops to grow at about $\rho_1h/(b\ln 2)$ and the stream never stops to learn. (For $\ell = \tfrac12(y - \beta_0)^2$ and $\rho_1 = 1$ the rule is, up to one, that of the
//! exponentially weighted mean.) Moments, the average of late iterates, recent scores and the sample forget at the same rate. Without a half-life nothing is ever forgotten: $\rho$ grows without end, as the theory asks
//! for data that do not change, and a change that comes late is followed late.
//!
//! Rows of a block are taken in a random order, since a block may be sorted; with a half-life in their own, since then order is what counts.
//!
//! ```
//! use proxdist::constraint::Sparsity;
//! use proxdist::loss::Squared;
//! use proxdist::simulate::{Response, Truth, vector};
//! use proxdist::stream::{StreamProblem, StreamSettings};
//! use proxdist::Shape;
//!
//! let settings = StreamSettings::default().reservoir(500);
//! let mut stream = StreamProblem::new(Squared, Sparsity::at_most(3), Shape::Vector(50)).stream(settings)?;
//! let simulated = vector(Response::Linear, Truth::Sparse(3), 4000, 50, 1)?;
//! let whole = simulated.data()?;
//! for first in (0..4000).step_by(250) {
//!     let rows = whole.subset((first..first + 250).collect())?;
//!     stream.learn(&rows.data()?)?;
//! }
//! assert_eq!(stream.support(), [20, 28, 48]);
//! let finished = stream.finish(&proxdist::Settings::default())?;
//! assert_eq!(finished.model.streamed.as_ref().map(|streamed| streamed.measured_rows), Some(500));
//! # Ok::<(), proxdist::Error>(())
//! ```

mod block;
mod clock;
mod contest;
mod finish;
mod moments;
mod problem;
mod progressive;
mod reservoir;
mod rows;
mod settings;
mod state;
mod steps;

pub use block::Stream;
pub use finish::{Finished, MeasuredOn, Streamed};
pub use problem::StreamProblem;
pub use progressive::{Progressive, Score};
pub use settings::StreamSettings;
pub use state::StreamState;
