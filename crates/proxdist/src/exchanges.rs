//! What was done to find out whether another choice of features would lower F.
//!
//! An exchange takes one feature (or group) out of the model and puts another one in; where the set has room, it only
//! puts one in. The words say what was computed, and nothing that was not.

use serde::{Deserialize, Serialize};
use std::fmt;

/// How the exchanges of one feature or group for another were ruled out at a result, if they were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Exchanges {
    /// The set does not limit how many features are used, or there was no exact finish.
    NotApplicable,
    /// Every choice of features that the set allows was fitted, or excluded by a bound that holds exactly; none has a lower F.
    EveryChoice,
    /// Every single exchange was fitted, or ruled out by a bound that holds exactly; none lowers F.
    Refitted,
    /// Every single exchange was ruled out by exact algebra: squared loss.
    Algebra,
    /// The most promising exchanges were fitted; the others were ruled out by a quadratic model of F only.
    Model,
    /// Not all exchanges were looked at: time ran out, there are too many, or the search was interrupted.
    CutShort,
    /// The file was written by a version that did not record it.
    #[default]
    Unknown,
}

impl Exchanges {
    /// Whether it is certain that no single exchange lowers F.
    pub fn are_exhausted(self) -> bool {
        matches!(self, Self::EveryChoice | Self::Refitted | Self::Algebra)
    }

    /// One word for tables and files, the same as in model files.
    pub fn name(self) -> &'static str {
        match self {
            Self::NotApplicable => "not-applicable",
            Self::EveryChoice => "every-choice",
            Self::Refitted => "refitted",
            Self::Algebra => "algebra",
            Self::Model => "model",
            Self::CutShort => "cut-short",
            Self::Unknown => "unknown",
        }
    }
}

impl fmt::Display for Exchanges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotApplicable => "not applicable",
            Self::EveryChoice => "every choice of features was fitted or excluded by a bound: none has a lower F",
            Self::Refitted => "no exchange of one feature for another lowers F (each fitted or excluded by a bound)",
            Self::Algebra => "no exchange of one feature for another lowers F (exact algebra)",
            Self::Model => "none promises a lower F by a quadratic model; the most promising were fitted",
            Self::CutShort => "not all exchanges were looked at: another choice of features may lower F",
            Self::Unknown => "not recorded",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Exchanges;

    #[test]
    fn names_are_those_of_model_files() {
        let all = [
            Exchanges::NotApplicable,
            Exchanges::EveryChoice,
            Exchanges::Refitted,
            Exchanges::Algebra,
            Exchanges::Model,
            Exchanges::CutShort,
            Exchanges::Unknown,
        ];
        for one in all {
            assert_eq!(serde_json::to_value(one).unwrap(), one.name());
        }
    }
}
