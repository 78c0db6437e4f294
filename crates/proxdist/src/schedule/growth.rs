//! How the penalty grows from $\rho_1$ on: a schedule that still lacks its first penalty.
//!
//! As text: `poly` is $\rho_1k^\gamma$ with the power of the settings, `constant` is $\rho_1$ at every step, and `geometric:C,M[,CAP]` is
//! $\min(\rho_1 C^{\lfloor k/M \rfloor}, \mathrm{CAP})$.

use super::{Constant, Geometric, Polynomial, Schedule};
use crate::error::{Error, Result};
use crate::rule::Rule;
use crate::solver::Setting;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// A schedule without its first penalty.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Growth {
    /// `poly`: with a power of the step.
    #[default]
    Polynomial,
    /// `geometric:FACTOR,EVERY[,CAP]`: by a factor after each so many steps.
    Geometric {
        /// The factor, at least 1.
        factor: f64,
        /// Steps between two growths.
        every: u64,
        /// The largest penalty, if there is one.
        cap: Option<f64>,
    },
    /// `constant`: not at all.
    Constant,
}

impl Growth {
    /// The schedule that starts at `rho1`; `gamma` is the power of [`Growth::Polynomial`].
    pub fn starting_at(self, rho1: f64, gamma: f64) -> Result<Arc<dyn Schedule>> {
        Ok(match self {
            Self::Polynomial => Arc::new(Polynomial::new(rho1, gamma)?),
            Self::Constant => Arc::new(Constant::new(rho1)?),
            Self::Geometric { factor, every, cap } => {
                let schedule = Geometric::new(rho1, factor, every)?;
                Arc::new(cap.map_or(Ok(schedule), |cap| schedule.capped_at(cap))?)
            }
        })
    }
}

impl fmt::Display for Growth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Polynomial => f.write_str("poly"),
            Self::Constant => f.write_str("constant"),
            Self::Geometric { factor, every, cap } => {
                write!(f, "geometric:{factor},{every}")?;
                cap.map_or(Ok(()), |cap| write!(f, ",{cap}"))
            }
        }
    }
}

impl FromStr for Growth {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let refused = || Error::setting("schedule", Rule::Declared(Setting::Schedule), text);
        let growth = match text.split_once(':') {
            None if text == "poly" => Self::Polynomial,
            None if text == "constant" => Self::Constant,
            Some(("geometric", numbers)) => {
                let parts: Vec<&str> = numbers.split(',').map(str::trim).collect();
                let ([factor, every] | [factor, every, _]) = parts[..] else { return Err(refused()) };
                let number = |text: &str| text.parse::<f64>().map_err(|_| refused());
                let cap = parts.get(2).map(|text| number(text)).transpose()?;
                Self::Geometric { factor: number(factor)?, every: every.parse().map_err(|_| refused())?, cap }
            }
            _ => return Err(refused()),
        };
        // The numbers of the growth are checked with any first penalty.
        growth.starting_at(1.0, 1.0).map(|_| growth)
    }
}

impl Growth {
    /// What a growth is written as.
    pub(crate) const RULE: &str = "poly, constant or geometric:FACTOR,EVERY[,CAP], as in geometric:1.2,100";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growths_are_read_with_and_without_a_cap_and_written_as_they_are_read() {
        let capped = Growth::Geometric { factor: 1.2, every: 100, cap: Some(1e6) };
        assert_eq!("geometric:1.2,100,1e6".parse::<Growth>().unwrap(), capped);
        for growth in [capped, Growth::Polynomial, Growth::Constant, "geometric:2,5".parse().unwrap()] {
            assert_eq!(growth.to_string().parse::<Growth>().unwrap(), growth);
        }
    }

    #[test]
    fn what_is_no_growth_is_refused_with_the_rule() {
        let wrong =
            ["", "geometric", "geometric:1.2", "poly:1", "geometric:x,1", "geometric:1.2,0", "geometric:0.5,10"];
        for text in wrong.into_iter().chain(["geometric:nan,1", "geometric:inf,1", "geometric:2,1,0"]) {
            let said = text.parse::<Growth>().unwrap_err().to_string();
            assert!(said.contains("geometric"), "{text}: {said}");
        }
    }

    #[test]
    fn a_growth_with_its_first_penalty_is_the_schedule_of_that_name() {
        let rho = |text: &str, step| text.parse::<Growth>().unwrap().starting_at(0.5, 2.0).unwrap().rho(step);
        assert_eq!([rho("poly", 3), rho("constant", 3), rho("geometric:2,2", 3)], [4.5, 0.5, 1.0]);
    }
}
