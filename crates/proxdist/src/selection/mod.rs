//! Choosing a model by cross-validation, built on top of fitting.
//!
//! The rows are dealt into $k$ [`folds`]. For each point $g$ of a [`Grid`] and each fold $f$ a model is fitted to the rows
//! outside $f$ and scored on the rows inside; the score of $g$ is the mean $m_g$ of its $k$ numbers $c_{gf}$, its standard error
//! $$s_g = \sqrt{\frac{1}{k(k-1)}\sum_f (c_{gf} - m_g)^2}.$$
//! The *best* point has the best mean. The mean of the best is itself uncertain, so the rule of *one standard error* takes the
//! simplest point whose mean is within $s_{\text{best}}$ of it. The chosen point is fitted once more, to all rows.
//!
//! Where columns are scaled, each fit scales them by the moments of its own rows: a row held out has no part in the model that is
//! to predict it.
//!
//! Where the points are numbers of features and ridge weights and nothing else, all of them are found at once, fold by fold, as a
//! [`crate::path`]. Otherwise within a fold the fits go along the grid and each starts from the coefficients of a neighbour. Folds run in parallel, and
//! the result does not depend on how many threads there are.
//!
//! ```
//! use proxdist::Settings;
//! use proxdist::loss::Squared;
//! use proxdist::selection::{CrossValidation, Grid};
//! use proxdist::simulate::{Response, Truth, vector};
//! use proxdist::spec::SetSpec;
//!
//! let simulated = vector(Response::Linear, Truth::Sparse(2), 200, 10, 1)?;
//! let data = simulated.data()?;
//! let grid = Grid::parse(["sparsity:1,2,4"])?;
//! let selection = CrossValidation::new(&data, Squared, SetSpec::WholeSpace)
//!     .folds(5)
//!     .run(&grid, &Settings::default().max_steps(200))?;
//! assert_eq!(selection.chosen().point.to_string(), "sparsity:2");
//! assert_eq!(selection.fit.support().len(), 2);
//! # Ok::<(), proxdist::Error>(())
//! ```

mod axis;
mod cross_validation;
mod family;
mod folds;
mod grid;
mod over_sizes;
mod ranges;
mod scoring;
mod split;
mod table;
mod watch;

pub use axis::Axis;
pub(crate) use cross_validation::failed_fit;
pub use cross_validation::{CrossValidation, Selection};
pub use folds::folds;
pub use grid::{Grid, Point};
pub use ranges::{count_range, logarithmic};
pub(crate) use scoring::{HeldOut, Judge};
pub use scoring::{OwnScore, Scoring};
pub use split::Split;
pub(crate) use split::{Deal, Splits};
pub use table::{Choice, Score, Table};
pub use watch::{Finished, Watch};
pub(crate) use watch::{FoldObserver, Halt};
