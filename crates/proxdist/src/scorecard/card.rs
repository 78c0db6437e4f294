//! The card itself: lines with real and whole points, put together from a model and rows.

use super::measured::{self, Measured, Rows, Search};
use super::rounding::{self, Whole};
use super::{CardOptions, Feature, FeatureKind, Predictor, Scale, ScorecardFault};
use crate::data::Data;
use crate::error::{Error, Result};
use serde::Serialize;

/// One line of a card.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// The feature.
    pub feature: String,
    /// The attribute; none for a number, which has points per unit.
    pub attribute: Option<String>,
    /// The unit of a number.
    pub unit: Option<f64>,
    /// Column of the model; none where no indicator belongs to the line.
    pub column: Option<usize>,
    /// Points before rounding.
    pub real: f64,
    /// Points.
    pub points: i64,
    /// Rows with the attribute, on the given rows.
    pub rows: Option<usize>,
    /// Their share of the weight.
    pub share: Option<f64>,
    /// The share of the positive label among them.
    pub rate: Option<f64>,
}

/// A card, and what it is worth.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Scorecard {
    /// What points mean.
    pub scale: Scale,
    /// Points of every row.
    pub base: i64,
    /// The same before rounding.
    pub base_real: f64,
    /// Points of features.
    pub lines: Vec<Line>,
    /// The model and the card on the given rows.
    pub measured: Option<Measured>,
    /// How far the search for the best points came; none without rows.
    pub search: Option<Search>,
    /// What a reader should know.
    pub notes: Vec<String>,
}

impl Scorecard {
    /// The card of a model; with rows, the best whole points on them.
    pub fn new(model: &Predictor, options: &CardOptions, data: Option<&Data>) -> Result<Self> {
        let fault = |fault: ScorecardFault| Error::Scorecard(fault);
        check(options).map_err(fault)?;
        let used: Vec<&Feature> = model.features.iter().filter(|feature| model.matters(feature)).collect();
        let rows = data.map(|data| Rows::gather(data, columns(&used))).transpose()?;
        if rows.as_ref().is_some_and(Rows::has_one_label) {
            return Err(fault(ScorecardFault::OneLabel));
        }
        let scale = scale(model, options, rows.as_ref());
        scale.check().map_err(fault)?;
        let mut lines = Vec::new();
        for feature in used {
            lines.extend(lines_of(feature, model, (&scale, options), rows.as_ref()).map_err(fault)?);
        }
        let is_unit = |name: &str| lines.iter().any(|line: &Line| line.feature == name && line.unit.is_some());
        if let Some((name, _)) = options.units.iter().find(|(name, _)| !is_unit(name)) {
            return Err(fault(ScorecardFault::NoUnit { name: name.clone() }));
        }
        let base_real = scale.score(model.intercept.unwrap_or(0.0));
        let mut card = Self {
            scale,
            base: base_real.round() as i64,
            base_real,
            lines,
            measured: None,
            search: None,
            notes: Vec::new(),
        };
        if model.intercept.is_none() {
            card.notes.push("the model has no intercept: the real base points are those of even odds".to_owned());
        }
        if card.lines.is_empty() {
            card.notes.push("the model has no coefficient that is not zero: the card has base points only".to_owned());
        }
        for line in &mut card.lines {
            let (low, high) = bounds(line.real, options);
            line.points = (line.real.round() as i64).clamp(low, high);
        }
        if let (Some(rows), Some(data)) = (&rows, data) {
            card.round(rows, options);
            card.measured = Some(measured::of(model, &card, data)?);
            if rows.has_offset {
                card.notes.push(
                    "the rows have an offset: their scores are those of the card plus factor times offset".to_owned(),
                );
            }
        } else {
            card.notes.push("without rows, points are rounded one by one and what that costs is not known".to_owned());
        }
        Ok(card)
    }

    /// Lines that a column belongs to.
    fn scored(&self) -> impl Iterator<Item = (usize, &Line)> {
        self.lines.iter().enumerate().filter(|(_, line)| line.column.is_some() && line.real != 0.0)
    }

    /// Coefficients and intercept that the whole points stand for.
    pub fn predictor(&self, columns: usize) -> (Vec<f64>, f64) {
        let mut coefficients = vec![0.0; columns];
        for (_, line) in self.scored() {
            if let Some(entry) = line.column.and_then(|column| coefficients.get_mut(column)) {
                *entry = line.points as f64 / line.unit.unwrap_or(1.0) / self.scale.factor();
            }
        }
        (coefficients, self.scale.log_odds(self.base as f64))
    }

    /// The best whole points on rows.
    fn round(&mut self, rows: &Rows, options: &CardOptions) {
        let places: Vec<usize> = self.scored().map(|(at, _)| at).collect();
        let factor = self.scale.factor();
        let units: Vec<(usize, f64)> = places
            .iter()
            .filter_map(|&at| Some((rows.place(self.lines[at].column?)?, self.lines[at].unit.unwrap_or(1.0))))
            .collect();
        let constant = self.scale.log_odds(0.0);
        let in_points = |values: &[f64], offset: f64, [response, weight]: [f64; 2]| {
            let each = units.iter().map(|&(at, unit)| values[at] / unit / factor);
            (std::iter::once(1.0 / factor).chain(each).collect(), [constant + offset, response, weight])
        };
        let whole = rounding::patterns(1 + places.len(), rows.each(in_points));
        let held = measured::dependent(&whole);
        let box_of = |(at, &place): (usize, &usize)| {
            let line = &self.lines[place];
            if held[at + 1] { (line.points, line.points) } else { bounds(line.real, options) }
        };
        let limits: Vec<(i64, i64)> = places.iter().enumerate().map(box_of).collect();
        let base = measured::base_bounds(&whole, &limits);
        let (low, high) = std::iter::once(base).chain(limits).unzip();
        let problem = Whole { rows: whole, low, high };
        let real: Vec<f64> =
            std::iter::once(self.base_real).chain(places.iter().map(|&place| self.lines[place].real)).collect();
        let found = rounding::search(&problem, &real, options.max_nodes);
        self.base = found.card[0];
        places.iter().zip(&found.card[1..]).for_each(|(&place, &points)| self.lines[place].points = points);
        let names =
            places.iter().enumerate().filter(|(at, _)| held[at + 1]).map(|(_, &place)| self.lines[place].name());
        let held: Vec<String> = names.collect();
        if !held.is_empty() {
            let text = format!(
                "held at their rounded points, since their columns depend on those before: {}",
                held.join(", ")
            );
            self.notes.push(text);
        }
        self.search = Some(Search::new(&found, rounding::SAME));
    }
}

impl Line {
    /// Feature and attribute in one.
    pub fn name(&self) -> String {
        match &self.attribute {
            Some(attribute) => format!("{} {attribute}", self.feature),
            None => self.feature.clone(),
        }
    }
}

/// Refuses what can never work.
fn check(options: &CardOptions) -> std::result::Result<(), ScorecardFault> {
    let wrong = |what, rule, value| Err(ScorecardFault::Scale { what, rule, value });
    if options.max_points == Some(0) {
        return wrong("max_points", "at least 1", 0.0);
    }
    if !(options.reach >= 1.0 && options.reach.is_finite()) {
        return wrong("reach", "at least 1 and finite", options.reach);
    }
    match options.units.iter().find(|(_, unit)| !(*unit > 0.0 && unit.is_finite())) {
        Some((_, unit)) => wrong("unit", "positive and finite", *unit),
        None => Ok(()),
    }
}

/// What points mean, where some of it is left open.
fn scale(model: &Predictor, options: &CardOptions, rows: Option<&Rows>) -> Scale {
    let CardOptions { points, odds, of_negative, .. } = *options;
    let attributes = model.features.iter().flat_map(|feature| match &feature.kind {
        FeatureKind::Attributes(each) => each.iter().filter_map(|attribute| attribute.column).collect(),
        FeatureKind::Number { column } if rows.is_some_and(|rows| rows.is_indicator(*column)) => vec![*column],
        FeatureKind::Number { .. } => Vec::new(),
    });
    let largest = attributes.map(|column| model.coefficient(column).abs()).fold(0.0, f64::max);
    let fitting = |most: u32| f64::from(most) * std::f64::consts::LN_2 / largest;
    let open = options.max_points.filter(|_| largest > 0.0).map_or(Scale::default().pdo, fitting);
    Scale { points, odds, of_negative, pdo: options.pdo.unwrap_or(open) }
}

/// The whole numbers that points may be.
fn bounds(real: f64, options: &CardOptions) -> (i64, i64) {
    let (low, high) = ((real - options.reach).ceil() as i64, (real + options.reach).floor() as i64);
    match options.max_points.map(i64::from) {
        Some(most) => (low.clamp(-most, most), high.clamp(-most, most)),
        None => (low, high),
    }
}

/// All columns of features, in order.
fn columns(features: &[&Feature]) -> Vec<usize> {
    let each = features.iter().flat_map(|feature| match &feature.kind {
        FeatureKind::Number { column } => vec![*column],
        FeatureKind::Attributes(each) => each.iter().filter_map(|attribute| attribute.column).collect(),
    });
    let mut columns: Vec<usize> = each.collect();
    columns.sort_unstable();
    columns.dedup();
    columns
}

/// The lines of a feature, points not yet rounded.
fn lines_of(
    feature: &Feature,
    model: &Predictor,
    (scale, options): (&Scale, &CardOptions),
    rows: Option<&Rows>,
) -> std::result::Result<Vec<Line>, ScorecardFault> {
    let real = |column: Option<usize>| column.map_or(0.0, |column| scale.factor() * model.coefficient(column));
    let line = |attribute: Option<String>, unit: Option<f64>, column: Option<usize>| {
        let real = real(column) * unit.unwrap_or(1.0);
        let (feature, points) = (feature.name.clone(), 0);
        Line { feature, attribute, unit, column, real, points, rows: None, share: None, rate: None }
    };
    let mut lines = match &feature.kind {
        FeatureKind::Number { column } if rows.is_some_and(|rows| rows.is_indicator(*column)) => {
            vec![line(Some("= 1".to_owned()), None, Some(*column))]
        }
        FeatureKind::Number { column } => {
            let said = options.units.iter().find(|(name, _)| *name == feature.name).map(|(_, unit)| *unit);
            let unit = said.unwrap_or_else(|| unit(real(Some(*column)), options.max_points));
            vec![line(None, Some(unit), Some(*column))]
        }
        FeatureKind::Attributes(each) => {
            each.iter().map(|attribute| line(Some(attribute.text.clone()), None, attribute.column)).collect()
        }
    };
    if lines.iter().any(|line| !line.real.is_finite()) {
        return Err(ScorecardFault::NotFinite { name: feature.name.clone() });
    }
    if let Some(rows) = rows {
        let listed: Vec<usize> = lines.iter().filter_map(|line| line.column).collect();
        for line in lines.iter_mut().filter(|line| line.attribute.is_some()) {
            let (count, share, rate) = rows.with(line.column, &listed);
            (line.rows, line.share, line.rate) = (Some(count), Some(share), rate);
        }
    }
    Ok(lines)
}

/// The power of ten for which points have two digits, or are no more than so many.
fn unit(points: f64, most: Option<u32>) -> f64 {
    let size = points.abs();
    let power = match most {
        Some(most) => (f64::from(most) / size).log10().floor(),
        None => (10.0 / size).log10().ceil(),
    };
    let power = if power.is_finite() { power.clamp(-300.0, 300.0) as i32 } else { 0 };
    // Through its digits, so that it is the number that is written so.
    format!("1e{power}").parse().unwrap_or(1.0)
}
