//! Sizes and ridge weights of a path, as text: lists and ranges.

use proxdist::selection;
use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// Sizes to look at: ranges with both ends, never size 0 alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sizes(Vec<RangeInclusive<usize>>);

impl Sizes {
    /// All sizes from 1 on.
    pub(crate) fn up_to(largest: usize) -> Self {
        Self(vec![1..=largest])
    }

    /// Whether a size is among them.
    pub(crate) fn has(&self, size: usize) -> bool {
        self.0.iter().any(|range| range.contains(&size))
    }

    /// The largest of them.
    pub(crate) fn largest(&self) -> usize {
        self.0.iter().map(|range| *range.end()).max().unwrap_or(0)
    }
}

impl FromStr for Sizes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let ranges = text.split(',').map(|part| range(part.trim())).collect::<Result<Vec<_>, _>>()?;
        let sizes = Self(ranges);
        if sizes.largest() == 0 {
            return Err("size 0 is the model without features: add a larger size".to_owned());
        }
        Ok(sizes)
    }
}

impl fmt::Display for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, range) in self.0.iter().enumerate() {
            f.write_str(if i > 0 { "," } else { "" })?;
            match (range.start(), range.end()) {
                (start, end) if start == end => write!(f, "{start}")?,
                (start, end) => write!(f, "{start}-{end}")?,
            }
        }
        Ok(())
    }
}

/// `7`, `1-30` or `1..30`.
fn range(text: &str) -> Result<RangeInclusive<usize>, String> {
    match selection::count_range(text) {
        None => Err(format!("{text:?} is no size; write 1-30, 1..30 or 1,2,5")),
        Some((start, end)) if start > end => Err(format!("{text} holds no size: write {end}-{start}")),
        Some((start, end)) => Ok(start..=end),
    }
}

/// Weights of the ridge term, each once, in ascending order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ridges(Vec<f64>);

impl Ridges {
    /// None, and four that shrink more and more.
    pub(crate) fn usual() -> Self {
        Self(vec![0.0, 1e-4, 1e-3, 1e-2, 1e-1])
    }

    /// None.
    pub(crate) fn none() -> Self {
        Self(vec![0.0])
    }

    /// The weights.
    pub(crate) fn weights(&self) -> &[f64] {
        &self.0
    }

    /// The largest of them.
    pub(crate) fn largest(&self) -> f64 {
        self.0.iter().copied().fold(0.0, f64::max)
    }
}

/// Weights at most: beyond it is a slip.
const MOST_RIDGES: usize = 1000;

impl FromStr for Ridges {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut weights = Vec::new();
        let mut parts = text.split(',').map(str::trim);
        while let Some(part) = parts.next() {
            match part.split_once("..") {
                None => weights.push(weight(part)?),
                Some((from, to)) => {
                    let spaced = (parts.next(), parts.next());
                    weights.extend(logarithmic((weight(from)?, weight(to)?), spaced)?);
                }
            }
        }
        if weights.len() > MOST_RIDGES {
            return Err(format!("{} weights are too many: {MOST_RIDGES} at most", weights.len()));
        }
        weights.sort_by(f64::total_cmp);
        weights.dedup();
        Ok(Self(weights))
    }
}

impl fmt::Display for Ridges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<String> = self.0.iter().map(|weight| crate::words::number(*weight)).collect();
        f.write_str(&words.join(", "))
    }
}

fn weight(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(weight) if weight.is_finite() && weight >= 0.0 => Ok(weight + 0.0),
        _ => Err(format!("{text:?} is no weight; write numbers from 0 on, as in 0,1e-3,1e-2 or 1e-4..1,log,7")),
    }
}

/// So many weights with equal ratios, both ends among them.
fn logarithmic((from, to): (f64, f64), spaced: (Option<&str>, Option<&str>)) -> Result<Vec<f64>, String> {
    let count = match spaced {
        (Some("log"), Some(count)) => count.parse::<usize>().ok(),
        _ => None,
    };
    match count {
        Some(count @ 2..=MOST_RIDGES) if from > 0.0 && from < to => Ok(selection::logarithmic(from, to, count)),
        _ => Err(format!("a range goes up from above 0 and says how many, 2 to {MOST_RIDGES}, as in 1e-4..1,log,7")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_ranges_and_lists() {
        let sizes: Sizes = "1-3,7, 9..10".parse().unwrap();
        assert_eq!((0..12).filter(|size| sizes.has(*size)).collect::<Vec<_>>(), [1, 2, 3, 7, 9, 10]);
        assert_eq!((sizes.largest(), sizes.to_string().as_str()), (10, "1-3,7,9-10"));
        assert_eq!("4..=6".parse::<Sizes>().unwrap().to_string(), "4-6");
        for (text, part) in [
            ("", "\"\" is no size"),
            ("0", "without features"),
            ("5-2", "write 2-5"),
            ("1-x", "\"1-x\" is no size"),
            ("-3", "\"-3\" is no size"),
            ("1,,2", "\"\" is no size"),
            ("1-99999999999999999999999", "is no size"),
        ] {
            let said = text.parse::<Sizes>().unwrap_err();
            assert!(said.contains(part), "{text}: {said}");
        }
    }

    #[test]
    fn ridges_are_lists_and_logarithmic_ranges() {
        let weights = |text: &str| text.parse::<Ridges>().unwrap().0;
        assert_eq!(weights("1e-2, 0,1e-2"), [0.0, 0.01]);
        let spread = weights("0,1e-4..1,log,5");
        assert_eq!((spread.len(), spread[0], spread[1], spread[5]), (6, 0.0, 1e-4, 1.0));
        assert!((spread[3] - 1e-2).abs() < 1e-15);
        for text in [
            "",
            "-1",
            "nan",
            "inf",
            "1e-4..1",
            "1e-4..1,log",
            "1..1e-4,log,5",
            "0..1,log,3",
            "1..2,log,1",
            "1..2,7,log",
        ] {
            assert!(text.parse::<Ridges>().is_err(), "{text}");
        }
    }
}
