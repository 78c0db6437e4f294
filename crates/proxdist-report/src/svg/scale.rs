//! From data to places: linear and logarithmic scales that survive any data.

use super::ticks::{Ticks, linear_ticks, log_ticks};

/// Beyond these sizes a number is not drawn: differences would overflow, logarithms lose meaning.
const LARGEST: f64 = 1e300;
const SMALLEST: f64 = 1e-300;

/// The range of some data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extent {
    /// Smallest value.
    pub low: f64,
    /// Largest value.
    pub high: f64,
}

impl Extent {
    /// Range of the values that can be drawn on a linear axis; `None` when there are none.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        Self::over(values, Kind::Linear)
    }

    /// Range of the values that can be drawn on an axis of this kind.
    pub fn over(values: impl IntoIterator<Item = f64>, kind: Kind) -> Option<Self> {
        values.into_iter().filter(|&v| kind.can_draw(v)).fold(None, |range: Option<Self>, v| {
            Some(range.map_or(Extent { low: v, high: v }, |r| Extent { low: r.low.min(v), high: r.high.max(v) }))
        })
    }
}

/// Linear or logarithmic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// Equal differences, equal lengths.
    #[default]
    Linear,
    /// Equal ratios, equal lengths; only positive numbers can be drawn.
    Log,
}

impl Kind {
    /// Whether a value has a place on an axis of this kind.
    pub fn can_draw(self, value: f64) -> bool {
        match self {
            Kind::Linear => value.abs() <= LARGEST,
            Kind::Log => (SMALLEST..=LARGEST).contains(&value),
        }
    }

    /// Logarithmic for positive values that span more than one and a half decades.
    pub fn suited_to(values: impl IntoIterator<Item = f64>) -> Self {
        let mut range: Option<Extent> = None;
        for value in values {
            if !value.is_finite() {
                continue;
            }
            if value <= 0.0 {
                return Kind::Linear;
            }
            range = Some(range.map_or(Extent { low: value, high: value }, |r| Extent {
                low: r.low.min(value),
                high: r.high.max(value),
            }));
        }
        match range {
            Some(r) if r.high.log10() - r.low.log10() > 1.5 => Kind::Log,
            _ => Kind::Linear,
        }
    }
}

/// A map from a range of data to a unit of length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    kind: Kind,
    /// Ends of the axis; decimal logarithms for [`Kind::Log`].
    low: f64,
    high: f64,
}

impl Scale {
    /// A scale that covers the data with a little room at both ends, `padding` as a share of the range.
    pub fn new(kind: Kind, extent: Option<Extent>, padding: f64) -> Self {
        let drawable = extent.filter(|e| kind.can_draw(e.low) && kind.can_draw(e.high) && e.low <= e.high);
        let (mut low, mut high) = match (kind, drawable) {
            (Kind::Linear, Some(e)) => widen_linear(e.low, e.high),
            (Kind::Log, Some(e)) => widen_log(e.low.log10(), e.high.log10()),
            (Kind::Linear, None) => (0.0, 1.0),
            (Kind::Log, None) => (-1.0, 1.0),
        };
        let room = padding.clamp(0.0, 1.0) * (high - low);
        low -= room;
        high += room;
        Scale { kind, low, high }
    }

    /// A linear scale with ends exactly as given.
    pub fn exact(low: f64, high: f64) -> Self {
        Self::new(Kind::Linear, Some(Extent { low, high }), 0.0)
    }

    /// Linear or logarithmic.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Ends of the axis in units of the data.
    pub fn ends(&self) -> (f64, f64) {
        match self.kind {
            Kind::Linear => (self.low, self.high),
            Kind::Log => (10f64.powf(self.low), 10f64.powf(self.high)),
        }
    }

    /// Place of a value between 0 (low end) and 1 (high end); values outside go to the nearer end.
    pub fn place(&self, value: f64) -> Option<f64> {
        if !self.kind.can_draw(value) {
            return None;
        }
        let value = if self.kind == Kind::Log { value.log10() } else { value };
        Some(((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0))
    }

    /// About `target` ticks with labels.
    pub fn ticks(&self, target: usize) -> Ticks {
        match self.kind {
            Kind::Linear => linear_ticks(self.low, self.high, target),
            Kind::Log => log_ticks(self.low, self.high, target),
        }
    }
}

/// Ranges too short for readable labels are widened around their middle.
fn widen_linear(low: f64, high: f64) -> (f64, f64) {
    let size = low.abs().max(high.abs());
    if low == high {
        let room = if size < SMALLEST { 1.0 } else { 0.1 * size };
        return (low - room, high + room);
    }
    let shortest = (1e-4 * size).max(SMALLEST);
    let middle = low / 2.0 + high / 2.0;
    if high - low < shortest { (middle - shortest / 2.0, middle + shortest / 2.0) } else { (low, high) }
}

fn widen_log(low: f64, high: f64) -> (f64, f64) {
    let middle = f64::midpoint(low, high);
    if high - low < 0.1 { (middle - 0.3, middle + 0.3) } else { (low, high) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_run_from_zero_to_one() {
        let scale = Scale::exact(2.0, 4.0);
        assert_eq!(scale.place(3.0), Some(0.5));
        assert_eq!(scale.place(99.0), Some(1.0));
        assert_eq!(scale.place(f64::NAN), None);
        let log = Scale::new(Kind::Log, Some(Extent { low: 1e-2, high: 1e2 }), 0.0);
        assert!((log.place(1.0).unwrap() - 0.5).abs() < 1e-12);
        assert_eq!(log.place(0.0), None);
    }

    #[test]
    fn log_is_chosen_only_for_positive_values_over_decades() {
        assert_eq!(Kind::suited_to([1.0, 10.0, 100.0]), Kind::Log);
        assert_eq!(Kind::suited_to([5.0, 10.0, 20.0]), Kind::Linear);
        assert_eq!(Kind::suited_to([0.0, 1.0, 100.0]), Kind::Linear);
        assert_eq!(Kind::suited_to([]), Kind::Linear);
    }

    #[test]
    fn constant_and_extreme_data_have_a_scale() {
        for (low, high) in [(0.0, 0.0), (5.0, 5.0), (-1e300, 1e300), (1e-310, 1e-309), (1e9, 1e9 + 1e-6), (3.0, 1.0)] {
            let scale = Scale::new(Kind::Linear, Some(Extent { low, high }), 0.05);
            let (a, b) = scale.ends();
            assert!(a < b && a.is_finite() && b.is_finite(), "{low} {high}: {a} {b}");
            assert!(scale.place(low).unwrap().is_finite());
        }
    }
}
