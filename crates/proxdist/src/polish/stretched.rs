//! F in other units, $\phi \mapsto F(D\phi, \beta_0)$ with $D$ diagonal and positive, as a [`Smooth`] function.
//!
//! A set that is unchanged when coordinates are stretched is the same set in $\phi$ as in $\theta = D\phi$. With $D = \mathrm{diag}(H)^{-1/2}$ every column has the same
//! curvature, whatever the units of the file, and a method that sees the set by its projection alone takes steps of one size for all.

use super::{Finished, Smooth, Until, accelerated};
use crate::constraint::Constraint;
use crate::error::Result;
use crate::layout::Layout;

/// A function in units that make its Hessian's diagonal one, about.
pub(super) struct Stretched<'f> {
    inner: &'f mut dyn Smooth,
    /// What a unit of each coordinate is in the units of the function.
    units: Vec<f64>,
}

/// Accelerated projected gradient over a set that is unchanged when coordinates are stretched, in units that suit F at `point`.
pub(super) fn minimise(
    function: &mut dyn Smooth,
    set: &dyn Constraint,
    point: &mut [f64],
    until: &mut Until,
) -> Result<Finished> {
    let mut stretched = Stretched::around(function, point)?;
    let mut scaled = stretched.inside(point);
    let mut finished = accelerated::minimise(&mut stretched, set, &mut scaled, until)?;
    point.copy_from_slice(&stretched.outside(&scaled));
    let units = &stretched.units;
    if let Some(gradient) = &mut finished.gradient {
        gradient.iter_mut().zip(units).for_each(|(g, unit)| *g /= unit);
    }
    Ok(finished)
}

impl<'f> Stretched<'f> {
    fn around(inner: &'f mut dyn Smooth, point: &[f64]) -> Result<Self> {
        inner.linearise(point)?;
        let diagonal = inner.diagonal()?;
        let top = diagonal.iter().copied().filter(|d| d.is_finite()).fold(0.0, f64::max);
        // A column without curvature keeps the unit of the steepest: it has no scale of its own.
        let unit = |d: &f64| if *d > 1e-18 * top && d.is_finite() { 1.0 / d.sqrt() } else { 1.0 / top.sqrt() };
        let units = if top > 0.0 { diagonal.iter().map(unit).collect() } else { vec![1.0; diagonal.len()] };
        Ok(Self { inner, units })
    }

    fn inside(&self, point: &[f64]) -> Vec<f64> {
        point.iter().zip(&self.units).map(|(x, unit)| x / unit).collect()
    }

    fn outside(&self, point: &[f64]) -> Vec<f64> {
        point.iter().zip(&self.units).map(|(x, unit)| x * unit).collect()
    }
}

impl Smooth for Stretched<'_> {
    fn layout(&self) -> Layout {
        self.inner.layout()
    }

    fn value(&mut self, point: &[f64]) -> Result<f64> {
        let theta = self.outside(point);
        self.inner.value(&theta)
    }

    fn gradient(&mut self, point: &[f64], gradient: &mut [f64]) -> Result<f64> {
        let theta = self.outside(point);
        let value = self.inner.gradient(&theta, gradient)?;
        gradient.iter_mut().zip(&self.units).for_each(|(g, unit)| *g *= unit);
        Ok(value)
    }

    fn linearise_with(&mut self, point: &[f64], caution: f64) -> Result<()> {
        let theta = self.outside(point);
        self.inner.linearise_with(&theta, caution)
    }

    fn has_majorant(&self) -> bool {
        self.inner.has_majorant()
    }

    fn has_straight_pieces(&self) -> bool {
        self.inner.has_straight_pieces()
    }

    fn hessian_times(&mut self, v: &[f64], out: &mut [f64]) -> Result<()> {
        let along = self.outside(v);
        self.inner.hessian_times(&along, out)?;
        out.iter_mut().zip(&self.units).for_each(|(o, unit)| *o *= unit);
        Ok(())
    }

    fn hessian(&mut self, out: &mut [f64]) -> Result<()> {
        self.inner.hessian(out)?;
        let size = self.units.len();
        for (at, entry) in out.iter_mut().enumerate() {
            *entry *= self.units[at / size] * self.units[at % size];
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::{NonNegative, Workspace};
    use crate::loss::Squared;
    use crate::polish::testing::{Regression, never, until};

    /// Signs, known by their projection only.
    struct OnlyProjects;

    impl Constraint for OnlyProjects {
        fn project(&self, point: &mut [f64], work: &mut Workspace) -> Result<()> {
            NonNegative.project(point, work)
        }
        fn is_convex(&self) -> bool {
            true
        }
        fn is_scale_free(&self) -> bool {
            true
        }
    }

    /// In raw units, over five decades, the steps reach what Newton's method reaches; without other units they do not.
    #[test]
    fn raw_units_do_not_matter() -> Result<()> {
        for seed in 0..8 {
            let mut raw = Regression::random(60, 6, Squared, true, seed);
            let columns = raw.columns;
            raw.x.iter_mut().enumerate().for_each(|(at, x)| *x *= 10f64.powf((at % columns) as f64 - 2.0));
            let size = raw.dimension();
            let mut exact = vec![0.0; size];
            let best =
                super::super::convex::minimise(&mut raw, &NonNegative, &mut exact, &mut until(1e-11, &mut never))?;
            let (mut plain, mut point) = (vec![0.0; size], vec![0.0; size]);
            let without = accelerated::minimise(&mut raw, &OnlyProjects, &mut plain, &mut until(1e-11, &mut never))?;
            let found =
                super::super::convex::minimise(&mut raw, &OnlyProjects, &mut point, &mut until(1e-11, &mut never))?;
            assert!(found.value <= best.value * (1.0 + 1e-9), "{seed}: {} but {}", found.value, best.value);
            assert!(without.value >= found.value * (1.0 - 1e-12), "{seed}");
            assert!(point.iter().take(columns).all(|x| *x >= 0.0));
        }
        Ok(())
    }
}
