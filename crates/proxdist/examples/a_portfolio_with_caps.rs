//! Which mix of at most five assets moves least, with no more than 30 % in any of them?
//!
//! The mix is fitted to a response that is always zero, so that F is half the mean square of its returns. Shares are not negative and sum to one; any set in words,
//! as on the command line, can be given.
//!
//! ```text
//! simplex & box:0,0.3: standard deviation 0.561
//!   asset  2  30.00 %
//!   asset  3  21.70 %
//!   asset  4  13.55 %
//!   asset  5   5.01 %
//!   asset  6  12.66 %
//!   asset  7   7.51 %
//!   asset  8   5.38 %
//!   asset  9   4.17 %
//!   asset 10   0.02 %
//!   globally optimal, proven
//! sparsity:5 & simplex & box:0,0.3: standard deviation 0.574
//!   asset  2  30.00 %
//!   asset  3  27.74 %
//!   asset  4  16.42 %
//!   asset  6  15.14 %
//!   asset  7  10.70 %
//!   proven within 33 %
//! ```

use proxdist::loss::Squared;
use proxdist::simulate::{Response, Truth, vector};
use proxdist::spec::SetSpec;
use proxdist::{Data, Problem, Result, Settings};

const DAYS: usize = 250;
const ASSETS: usize = 16;

fn main() -> Result<()> {
    let mut returns = vector(Response::Linear, Truth::Sparse(0), DAYS, ASSETS, 8)?.x;
    for day in returns.chunks_exact_mut(ASSETS) {
        let market = day[0];
        for (asset, value) in day.iter_mut().enumerate() {
            let size = 0.6 + 0.1 * asset as f64; // later assets move more
            *value = size * (*value + 0.5 * market);
        }
    }
    let nothing = [0.0; DAYS];
    let data = Data::dense(&returns, ASSETS, &nothing)?;
    for text in ["simplex & box:0,0.3", "sparsity:5 & simplex & box:0,0.3"] {
        let set = SetSpec::parse(text)?.build(data.parameter_shape())?;
        let fit = Problem::new(&data, Squared, &*set).fit(&Settings::default())?;
        println!("{text}: standard deviation {:.3}", (2.0 * fit.objective()).sqrt());
        for asset in fit.support() {
            println!("  asset {:>2} {:>6.2} %", asset + 1, 100.0 * fit.coefficients()[asset]);
        }
        if let Some(proven) = fit.certificate().proven(fit.objective()) {
            println!("  {proven}");
        }
    }
    Ok(())
}
