//! The columns that a path over numbers of features needs, of all rows in memory.
//!
//! A path looks at columns again and again, which readings would make slow. Where all columns of all rows fit into the memory of the fit, they are gathered, and the path is
//! that of the whole data. Otherwise the sample says which columns matter: those of its own path, which is taken to sizes well beyond the largest that is wanted, so
//! that columns which look alike on a sample are all there when the path is found on all rows.

use super::backend::Backend;
use super::fitting::Asked;
use super::table::Table;
use crate::constraint::Sparsity;
use crate::data::Data;
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::loss::Loss;
use crate::path::{Path, PathSettings};
use crate::pool::in_pool;
use crate::preparation::{Preparation, Standardize};
use crate::problem::Problem;
use crate::shape::Shape;
use crate::solver::Settings;
use crate::trace::Observer;

/// The share of the memory that gathered columns may take: a path works on copies of them.
const SHARE: usize = 4;
/// The path of the sample is taken to so many times the largest size, and some more.
const WIDER: usize = 3;
const MORE: usize = 10;

/// A path that is wanted on rows that are not in memory.
pub struct Screening<'a> {
    /// Who has the rows.
    pub backend: &'a dyn Backend,
    /// The loss of the path.
    pub loss: &'a dyn Loss,
    /// The largest number of features.
    pub largest: usize,
    /// The weights of ridge terms.
    pub ridges: &'a [f64],
    /// Whether columns are scaled.
    pub standardize: Standardize,
    /// Whether there is an intercept.
    pub intercept: bool,
}

impl std::fmt::Debug for Screening<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Screening")
            .field("parts", &self.backend.parts())
            .field("largest", &self.largest)
            .finish_non_exhaustive()
    }
}

/// Columns of all rows.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Screened {
    /// Which columns, in ascending order.
    pub columns: Vec<usize>,
    /// Their numbers, with what belongs to the rows.
    pub table: Table,
}

impl Screening<'_> {
    /// Reads the rows twice: once for the sample, once for the columns.
    pub fn gather(&self, settings: &Settings, observer: &mut dyn Observer) -> Result<Screened> {
        let (settings, columns) = (&*settings.resolved()?, self.backend.columns());
        let set = Sparsity::at_most(self.largest);
        let asked = Asked {
            backend: self.backend,
            loss: self.loss,
            constraint: &set,
            layout: Layout::of(Shape::Vector(columns)).intercepts(self.intercept),
            names: None,
            settings,
        };
        asked.check(0.0)?;
        in_pool(settings.threads, || {
            let mut begun = asked.begin(observer)?;
            let rows = begun.surveyed.total_rows();
            let room = begun.budget / SHARE / 8 / usize::try_from(rows).unwrap_or(usize::MAX).max(1);
            if room < self.largest {
                let needed = (rows as usize).saturating_mul(self.largest).saturating_mul(8 * SHARE) as u64;
                let (what, allowed) = ("the columns of a path", begun.budget as u64);
                return Err(Error::Memory { what, needed, allowed, remedy: "a smaller largest size" });
            }
            let chosen = if room >= columns {
                (0..columns).collect()
            } else {
                self.of_sample(begun.surveyed.sample.table.data()?, room)?
            };
            let table = begun.reader.columns(&chosen)?.ok_or(Error::Interrupted)?;
            Ok(Screened { columns: chosen, table })
        })
    }

    /// The columns of the path of a sample, as many as there is room for.
    fn of_sample(&self, sample: Data<'_>, room: usize) -> Result<Vec<usize>> {
        let most = sample.columns().min(room).min(sample.rows().div_ceil(2)).max(1);
        let mut size = most.min(WIDER * self.largest + MORE);
        let set = Sparsity::at_most(size);
        let largest_ridge = self.ridges.iter().copied().fold(0.0, f64::max);
        let units =
            Preparation::decide(self.standardize, [&set as _], self.intercept)?.units(&sample, largest_ridge)?;
        let data = units.apply(sample)?;
        let problem = Problem::new(&data, self.loss, set).ridge(units.ridge(0.0)).intercept(self.intercept);
        let path = Path::trace(&problem, &PathSettings::default().ridges(self.ridges.iter().copied()))?;
        // Sizes come one by one until there is no more room.
        loop {
            let mut chosen: Vec<usize> =
                path.points.iter().filter(|point| point.size <= size).flat_map(|point| point.support.clone()).collect();
            chosen.sort_unstable();
            chosen.dedup();
            if chosen.len() <= room || size <= 1 {
                return Ok(chosen);
            }
            size -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::large::Parts;
    use crate::loss::Squared;
    use crate::simulate::{Response, Truth, vector};
    use crate::trace::Silent;

    /// With little memory a few columns come, those of the truth among them and all rows of each; with more, all columns.
    #[test]
    fn the_columns_that_matter_come_as_far_as_there_is_room() {
        let simulated = vector(Response::Linear, Truth::Sparse(3), 400, 60, 1).unwrap();
        let data = simulated.data().unwrap();
        let backend = Parts::of(&data);
        let screening = Screening {
            backend: &backend,
            loss: &Squared,
            largest: 3,
            ridges: &[0.0],
            standardize: Standardize::Auto,
            intercept: true,
        };
        let gather = |memory: usize| screening.gather(&Settings::default().memory(memory), &mut Silent);
        let all = gather(100 << 20).unwrap();
        assert_eq!((all.columns.len(), all.table.rows(), all.table.values.len()), (60, 400, 24_000));
        let some = gather(300_000).unwrap();
        assert!((3..=23).contains(&some.columns.len()), "{:?}", some.columns);
        assert!((0..60).filter(|&j| simulated.truth[j] != 0.0).all(|j| some.columns.contains(&j)));
        for (at, &column) in some.columns.iter().enumerate() {
            let count = some.columns.len();
            assert!((0..400).all(|row| some.table.values[row * count + at] == all.table.values[row * 60 + column]));
        }
        assert!(matches!(gather(10_000), Err(Error::Memory { .. })));
    }
}
