//! F on a linear space of coefficients, $z \mapsto F(Bz, \beta_0)$, as a [`Smooth`] function of $z$ and the intercept; the columns of $B$ have few entries.

use super::{OnData, Smooth};
use crate::error::Result;
use crate::layout::Layout;
use crate::objective::Objective;

/// The columns of $B$, each as the entries it is not zero at.
pub(super) type Frame = Vec<Vec<(usize, f64)>>;

/// The objective on the span of some columns.
pub(super) struct OnFrame<'p> {
    whole: OnData<'p>,
    frame: Frame,
    layout: Layout,
}

impl<'p> OnFrame<'p> {
    pub(super) fn new(objective: Objective<'p>, frame: Frame) -> Self {
        let layout = objective.layout().reduced_to(frame.len());
        Self { whole: OnData::new(objective), frame, layout }
    }

    /// $(Bz, \beta_0)$
    pub(super) fn expanded(&self, point: &[f64]) -> Vec<f64> {
        let all = self.whole.layout();
        let mut theta = all.zeros();
        let (z, free) = self.layout.split(point);
        let (coefficients, intercept) = all.split_mut(&mut theta);
        for (column, z) in self.frame.iter().zip(z) {
            column.iter().for_each(|&(j, height)| coefficients[j] += height * z);
        }
        intercept.copy_from_slice(free);
        theta
    }

    /// $(B^Tg, g_0)$
    fn reduced(&self, gradient: &[f64], out: &mut [f64]) {
        let (along, free) = self.whole.layout().split(gradient);
        let (z, intercept) = self.layout.split_mut(out);
        for (z, column) in z.iter_mut().zip(&self.frame) {
            *z = column.iter().map(|&(j, height)| height * along[j]).sum();
        }
        intercept.copy_from_slice(free);
    }
}

impl Smooth for OnFrame<'_> {
    fn layout(&self) -> Layout {
        self.layout
    }

    fn value(&mut self, point: &[f64]) -> Result<f64> {
        let theta = self.expanded(point);
        self.whole.value(&theta)
    }

    fn gradient(&mut self, point: &[f64], gradient: &mut [f64]) -> Result<f64> {
        let theta = self.expanded(point);
        let mut whole = vec![0.0; theta.len()];
        let value = self.whole.gradient(&theta, &mut whole)?;
        self.reduced(&whole, gradient);
        Ok(value)
    }

    fn linearise_with(&mut self, point: &[f64], caution: f64) -> Result<()> {
        let theta = self.expanded(point);
        self.whole.linearise_with(&theta, caution)
    }

    fn has_majorant(&self) -> bool {
        self.whole.has_majorant()
    }

    fn has_straight_pieces(&self) -> bool {
        self.whole.has_straight_pieces()
    }

    fn hessian_times(&mut self, v: &[f64], out: &mut [f64]) -> Result<()> {
        let along = self.expanded(v);
        let mut product = vec![0.0; along.len()];
        self.whole.hessian_times(&along, &mut product)?;
        self.reduced(&product, out);
        Ok(())
    }

    fn hessian(&mut self, out: &mut [f64]) -> Result<()> {
        let size = self.layout.len();
        let mut unit = vec![0.0; size];
        for j in 0..size {
            unit[j] = 1.0;
            self.hessian_times(&unit, &mut out[j * size..(j + 1) * size])?;
            unit[j] = 0.0;
        }
        // Symmetric up to rounding as it is; then exactly.
        for i in 0..size {
            for j in 0..i {
                let middle = f64::midpoint(out[i * size + j], out[j * size + i]);
                (out[i * size + j], out[j * size + i]) = (middle, middle);
            }
        }
        Ok(())
    }
}
