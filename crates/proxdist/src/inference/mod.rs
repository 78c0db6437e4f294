//! What the coefficients of a model are worth: standard errors, intervals, repetitions and shadow prices.
//!
//! - `wald.rs`: standard errors of given features, from the model or robust, on the sums of `sums.rs`, with the tails of `distributions.rs`;
//! - `prices.rs`: which constraints of a convex set are active, and what they cost;
//! - `procedure.rs`, `resampling.rs`: the whole fit again on rows that are drawn from a seed; `bootstrap.rs` and `stability.rs` sum that up;
//! - `kept.rs`: repetitions in a file, to go on from;
//! - `split.rs`: features chosen on one half of the rows, estimated on the other;
//! - `alternatives.rs`: choices near that of the model and their F; `partial.rs`: the prediction over the range of one feature;
//! - `summary.rs`, `text.rs`: all of it together, for programs and for people.
//!
//! ```
//! use proxdist::Data;
//! use proxdist::Ridge;
//! use proxdist::inference::{Options, wald};
//! use proxdist::loss::Squared;
//!
//! // A straight line through five points: y = 1.08 + 1.97 x, by least squares.
//! let (x, y) = ([0.0, 1.0, 2.0, 3.0, 4.0], [1.0, 3.2, 4.9, 7.1, 8.9]);
//! let data = Data::dense(&x, 1, &y)?;
//! let found = wald(&data, &Squared, Ridge::default(), (&[1.97], Some(1.08)), Options::default())?;
//! assert_eq!(found.estimates[1].name, "V1");
//! assert!((found.estimates[1].error - 0.04435).abs() < 1e-5);
//! # Ok::<(), proxdist::Error>(())
//! ```

mod alternatives;
mod bootstrap;
mod distributions;
mod fault;
mod kept;
mod partial;
mod prices;
mod procedure;
mod resampling;
mod split;
mod stability;
mod summary;
mod sums;
mod text;
mod wald;

pub use alternatives::{Alternative, Alternatives, alternatives};
pub use bootstrap::{Bootstrap, Varied, bootstrap};
pub use distributions::Reference;
pub use fault::InferenceFault;
pub use kept::{Kept, KeptFault, RepetitionKind, identity};
pub use partial::{Partial, PartialPoint, SHARES, partials};
pub use prices::{Active, Prices, prices};
pub use procedure::{Procedure, Replicate, settings_of};
pub use resampling::{Audience, Draw, Nobody, repetitions};
pub use split::{Split, split};
pub use stability::{Frequency, Stability, check_threshold, stability};
pub use summary::{Request, Summary, summary};
pub use wald::{Covariance, Estimate, Options, Wald, wald};

use crate::error::{Error, Result};
use crate::rule::Rule;

fn check_level(level: f64) -> Result<()> {
    if level > 0.0 && level < 1.0 { Ok(()) } else { Err(Error::setting("level", Rule::Share, level)) }
}
