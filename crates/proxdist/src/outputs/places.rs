//! F on some of its coordinates, the others being zero: what is left of it on a choice of entries.

use super::function::Function;
use crate::error::Result;
use crate::layout::Layout;
use crate::polish::Smooth;

/// F on some of its coordinates, the others being zero.
pub(crate) struct OnPlaces<'p> {
    pub(crate) inner: Function<'p>,
    pub(crate) places: &'p [usize],
    /// Numbers of a whole parameter.
    pub(crate) length: usize,
}

impl OnPlaces<'_> {
    /// The whole parameter.
    pub(crate) fn spread(&self, point: &[f64]) -> Vec<f64> {
        let mut whole = vec![0.0; self.length];
        self.places.iter().zip(point).for_each(|(&place, value)| whole[place] = *value);
        whole
    }
    fn gather(&self, whole: &[f64], out: &mut [f64]) {
        out.iter_mut().zip(self.places).for_each(|(out, &place)| *out = whole[place]);
    }
}

impl Smooth for OnPlaces<'_> {
    fn layout(&self) -> Layout {
        Layout::vector(self.places.len())
    }
    fn value(&mut self, point: &[f64]) -> Result<f64> {
        let whole = self.spread(point);
        self.inner.value(&whole)
    }
    fn gradient(&mut self, point: &[f64], gradient: &mut [f64]) -> Result<f64> {
        let (whole, mut all) = (self.spread(point), vec![0.0; self.length]);
        let value = self.inner.gradient(&whole, &mut all)?;
        self.gather(&all, gradient);
        Ok(value)
    }
    fn linearise_with(&mut self, point: &[f64], caution: f64) -> Result<()> {
        let whole = self.spread(point);
        self.inner.linearise_with(&whole, caution)
    }
    fn has_majorant(&self) -> bool {
        self.inner.has_majorant()
    }
    fn has_straight_pieces(&self) -> bool {
        self.inner.has_straight_pieces()
    }
    fn hessian_times(&mut self, v: &[f64], out: &mut [f64]) -> Result<()> {
        let (whole, mut image) = (self.spread(v), vec![0.0; self.length]);
        self.inner.hessian_times(&whole, &mut image)?;
        self.gather(&image, out);
        Ok(())
    }
    fn hessian(&mut self, out: &mut [f64]) -> Result<()> {
        let size = self.places.len();
        let mut unit = vec![0.0; size];
        for (j, column) in out.chunks_exact_mut(size).enumerate() {
            unit[j] = 1.0;
            self.hessian_times(&unit, column)?;
            unit[j] = 0.0;
        }
        Ok(())
    }
    fn diagonal(&mut self) -> Result<Vec<f64>> {
        let whole = self.inner.diagonal()?;
        Ok(self.places.iter().map(|&place| whole[place]).collect())
    }
}
