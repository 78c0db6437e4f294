//! One direction of a grid: the parameter of a set, the ridge weight, or the first penalty.

use super::family::Family;
use super::ranges::written_out;
use crate::error::{Error, Result};
use crate::spec::SetSpec;
use std::collections::HashSet;
use std::fmt;

/// A name and the values to try, `sparsity:5,10,20`, `sparsity:1-20`, `ridge:0,1e-3`, `ridge:0,1e-4..1,log,5` or `rho1:1e-3,auto`.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis(pub(super) Kind);

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    /// A `template` replaces the problem's set whole; without one only the parameter is replaced.
    Set {
        family: Family,
        values: Vec<f64>,
        template: Option<SetSpec>,
    },
    Ridge(Vec<f64>),
    /// `None` is `auto`.
    Rho1(Vec<Option<f64>>),
}

impl Axis {
    /// Reads `name:value,value,…`: a set of one parameter, `ridge` or `rho1`. Among the values of counts may be ranges, `1-20`, among those of
    /// numbers `from..to,log,count`, that many with equal ratios. Options of the set follow the values, as in `group-sparsity:1,2,3;size=4`.
    pub fn parse(text: &str) -> Result<Self> {
        let (name, rest) = text.split_once(':').unwrap_or((text, &text[text.len()..]));
        let (list, options) = rest.split_once(';').map_or((rest, None), |(list, options)| (list, Some(options)));
        let name = name.trim();
        let family = Family::all().find(|family| family.name() == name);
        if family.is_none() && name != "ridge" && name != "rho1" {
            let names: Vec<&str> = Family::all().map(Family::name).collect();
            let reason = format!("no such axis; an axis is ridge, rho1 or a set: {}", names.join(", "));
            return Err(misread(text, name, reason));
        }
        let rule = match family {
            Some(family) if family.counts() => format!("whole numbers are expected, as in {name}:1,2,5"),
            Some(_) => format!("numbers are expected, as in {name}:0.5,1,2"),
            None if name == "ridge" => "numbers, zero or positive, are expected, as in ridge:0,1e-3".to_owned(),
            None => "positive numbers or auto are expected, as in rho1:1e-3,auto".to_owned(),
        };
        let are_counts = family.is_some_and(Family::counts);
        let written = written_out(list, are_counts).map_err(|(at, reason)| misread(text, at, reason))?;
        for value in &written {
            if !is_allowed(family, name, &value.text) {
                return Err(misread(text, value.at, rule));
            }
        }
        let values: Vec<&str> = written.iter().map(|value| &*value.text).collect();
        if let Some(second) = repeated(&values) {
            return Err(misread(text, written[second].at, "this value is given twice"));
        }
        let numbers = || values.iter().filter_map(|value| value.parse().ok()).collect::<Vec<f64>>();
        let Some(family) = family else {
            if let Some(options) = options {
                return Err(misread(text, options, format!("{name} takes no options")));
            }
            let auto = |value: &&str| value.parse().ok();
            return Ok(Self(if name == "ridge" {
                Kind::Ridge(numbers())
            } else {
                Kind::Rho1(values.iter().map(auto).collect())
            }));
        };
        let template = options.map(|options| SetSpec::parse(&format!("{name}:{};{options}", values[0]))).transpose()?;
        Ok(Self(Kind::Set { family, values: numbers(), template }))
    }

    /// What the axis is about: `sparsity`, `ridge`, `rho1`, …
    pub fn name(&self) -> &'static str {
        match &self.0 {
            Kind::Set { family, .. } => family.name(),
            Kind::Ridge(_) => "ridge",
            Kind::Rho1(_) => "rho1",
        }
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        match &self.0 {
            Kind::Set { values, .. } | Kind::Ridge(values) => values.len(),
            Kind::Rho1(values) => values.len(),
        }
    }

    /// Never: an axis has at least one value.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One value as it is written, `sparsity:5`.
    pub(super) fn label(&self, index: usize) -> String {
        format!("{}:{}", self.name(), self.value_text(index))
    }

    fn value_text(&self, index: usize) -> String {
        match &self.0 {
            Kind::Set { values, .. } | Kind::Ridge(values) => number(values[index]),
            Kind::Rho1(values) => values[index].map_or_else(|| "auto".to_owned(), number),
        }
    }

    /// How complex a model the value allows, larger for more; `None` if it does not bear on that.
    pub(super) fn complexity(&self, index: usize) -> Option<f64> {
        match &self.0 {
            Kind::Set { values, .. } => Some(values[index]),
            Kind::Ridge(values) => Some(-values[index]),
            Kind::Rho1(_) => None,
        }
    }

    /// Puts a value of a set's axis into the problem's set.
    pub(super) fn put_into(&self, set: &mut SetSpec, index: usize) -> Result<()> {
        let Kind::Set { family, values, template } = &self.0 else { return Ok(()) };
        let (value, name) = (values[index], family.name());
        match family.replace_all(set, value, template.as_ref()) {
            0 => {
                let added = template.clone().map_or_else(|| family.set(value), Some).map(|mut added| {
                    family.replace(&mut added, value);
                    added
                });
                let Some(added) = added else {
                    let reason = format!("the problem has no such set; tell the groups, as in {self};size=4");
                    return Err(Error::constraint(self.label(index), reason));
                };
                *set = match std::mem::replace(set, SetSpec::WholeSpace) {
                    SetSpec::WholeSpace => added,
                    SetSpec::Intersection(mut parts) => {
                        parts.push(added);
                        SetSpec::Intersection(parts)
                    }
                    other => SetSpec::Intersection(vec![other, added]),
                };
                Ok(())
            }
            1 => Ok(()),
            times => {
                let reason = format!("the grid varies {name}, which occurs {times} times here: which one is meant?");
                Err(Error::constraint(set.to_string(), reason))
            }
        }
    }
}

impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values: Vec<String> = (0..self.len()).map(|index| self.value_text(index)).collect();
        write!(f, "{}:{}", self.name(), values.join(","))
    }
}

fn is_allowed(family: Option<Family>, name: &str, value: &str) -> bool {
    let number = value.parse::<f64>().ok().filter(|number| !number.is_nan());
    match family {
        Some(family) if family.counts() => value.parse::<u32>().is_ok(),
        Some(_) => number.is_some(),
        None if name == "ridge" => number.is_some_and(|number| number >= 0.0 && number.is_finite()),
        None => value == "auto" || number.is_some_and(|number| number > 0.0 && number.is_finite()),
    }
}

/// Position of the first value that is equal to one before it, as words or as numbers.
fn repeated(values: &[&str]) -> Option<usize> {
    // Plus zero, so that minus zero is the same as zero.
    let number = |value: &str| value.parse::<f64>().map_or(f64::NAN, |number| number + 0.0);
    let mut seen = HashSet::new();
    values.iter().position(|value| match number(value) {
        number if number.is_nan() => !seen.insert((*value).to_owned()),
        number => !seen.insert(format!("{number:e}")),
    })
}

/// An error that points at a part of the text; `at` is a slice of it.
fn misread(text: &str, at: &str, reason: impl Into<String>) -> Error {
    let start = at.as_ptr().addr().saturating_sub(text.as_ptr().addr());
    let position = text.get(..start).map_or(0, |before| before.chars().count()) + 1;
    Error::Spec { text: text.to_owned(), at: at.to_owned(), position, reason: reason.into() }
}

/// The shortest text that reads back as the same number.
fn number(value: f64) -> String {
    let plain = value == 0.0 || !value.is_finite() || (1e-4..1e16).contains(&value.abs());
    if plain { value.to_string() } else { format!("{value:e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(axis: &str, index: usize, set: &str) -> Result<String> {
        let mut set = SetSpec::parse(set).unwrap();
        Axis::parse(axis)?.put_into(&mut set, index)?;
        Ok(set.to_string())
    }

    #[test]
    fn a_value_replaces_the_parameter_of_the_set_or_adds_the_set() {
        assert_eq!(put("sparsity:5,10", 1, "none").unwrap(), "sparsity:10");
        assert_eq!(put("sparsity:5,10", 1, "sparsity:3").unwrap(), "sparsity:10");
        assert_eq!(put("sparsity:5,10", 0, "nonneg & sparsity:3").unwrap(), "nonneg & sparsity:5");
        assert_eq!(put("ball:0.5", 0, "sparsity:3").unwrap(), "sparsity:3 & ball:0.5");
        assert_eq!(put("l1:2", 0, "nonneg & ball:1").unwrap(), "nonneg & ball:1 & l1:2");
        assert_eq!(put("ball:2", 0, "ball:1;center=1,0").unwrap(), "ball:2;center=1,0");
        assert_eq!(put("ball:2,3;center=0,1", 1, "ball:1;center=1,0").unwrap(), "ball:3;center=0,1");
        assert_eq!(
            put("sparsity:4", 0, "blocks[1-10: sparsity:1][11-20: simplex]").unwrap(),
            "blocks[1-10: sparsity:4][11-20: simplex]"
        );
        assert_eq!(put("group-sparsity:1,2;size=4", 1, "nonneg").unwrap(), "nonneg & group-sparsity:2;size=4");
        assert_eq!(put("group-sparsity:1,2", 1, "group-sparsity:7;size=3").unwrap(), "group-sparsity:2;size=3");
        assert_eq!(put("ridge:1", 0, "simplex").unwrap(), "simplex");
    }

    #[test]
    fn an_axis_reads_back_as_itself() {
        assert_eq!(Axis::parse("sparsity:1-4,9").unwrap().to_string(), "sparsity:1,2,3,4,9");
        assert_eq!(Axis::parse("ridge:0,1e-4..1,log,5").unwrap().to_string(), "ridge:0,0.0001,0.001,0.01,0.1,1");
        for text in ["sparsity:5,10,20", "ridge:0,1e-5,0.1", "rho1:0.001,auto", "rank:1,2", "linf:0.5,inf", "simplex:2"]
        {
            assert_eq!(Axis::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(Axis::parse(" l1 : 1 , 2 ").unwrap().to_string(), "l1:1,2");
    }

    #[test]
    fn what_cannot_be_read_is_pointed_at() {
        let told = |text: &str| match Axis::parse(text) {
            Err(Error::Spec { at, position, reason, .. }) => (at, position, reason),
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(told("sparsity:5,x").0, "x");
        assert_eq!(told("sparsity:5, 1.5").1, 13);
        assert_eq!(told("sparsity").2, "whole numbers are expected, as in sparsity:1,2,5");
        assert_eq!(told("ridge:0,-1").1, 9);
        assert_eq!(told("rho1:auto,0").0, "0");
        assert_eq!(told("rho1:auto,auto").2, "this value is given twice");
        assert_eq!(told("ridge:0.1,1e-1").2, "this value is given twice");
        assert_eq!(told("sparsity:1-4,3"), ("3".to_owned(), 14, "this value is given twice".to_owned()));
        assert_eq!((told("sparsity:5-2").0, told("sparsity:1, 9-x").1), ("5-2".to_owned(), 13));
        assert!(told("sparsity:1-9999999").2.contains("more than 100000 values"));
        assert!(told("ridge:1..0,log,3").2.contains("as in 1e-4..1,log,5"));
        assert_eq!(told("ridge:1;size=2").2, "ridge takes no options");
        assert!(told("boxes:1,2").2.contains("ridge, rho1 or a set: ball, sparsity, rank, rows, l1"));
        assert!(told("é:1").1 == 1 && told("").0.is_empty() && told("ball:NaN").0 == "NaN");
        assert!(put("group-sparsity:1,2", 0, "none").unwrap_err().to_string().contains("size=4"));
        let twice = put("sparsity:4", 0, "blocks[1-10: sparsity:1][11-20: sparsity:2]").unwrap_err();
        assert!(twice.to_string().contains("occurs 2 times"));
    }
}
