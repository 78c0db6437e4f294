//! What objects behind a trait show of themselves in `{:?}`: their specification, their size or just the trait, never the data or the
//! buffers inside, which may be gigabytes. Sets, losses and sources of your own need no `Debug` for it.

use crate::constraint::Constraint;
use crate::data::{ChunkSource, RandomAccess};
use crate::loss::Loss;
use crate::prox::BatchProx;
use crate::schedule::Schedule;
use crate::selection::OwnScore;
use crate::solver::Step;
use std::fmt::{Debug, Formatter, Result};

impl Debug for dyn Constraint + '_ {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "Constraint({})", self.spec())
    }
}

impl Debug for dyn Loss + '_ {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "Loss({})", self.spec())
    }
}

impl Debug for dyn Schedule + '_ {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "Schedule({})", self.spec())
    }
}

impl Debug for dyn ChunkSource + '_ {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "ChunkSource({} x {})", self.rows(), self.columns())
    }
}

impl Debug for dyn RandomAccess + '_ {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "RandomAccess({} x {})", self.rows(), self.columns())
    }
}

impl Debug for dyn BatchProx + '_ {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str("BatchProx")
    }
}

impl Debug for dyn OwnScore + '_ {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str("OwnScore")
    }
}

impl Debug for dyn Step + '_ {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str("Step")
    }
}

#[cfg(test)]
mod tests {
    use crate::constraint::Sparsity;
    use crate::loss::Huber;
    use crate::{Data, Problem};

    #[test]
    fn a_problem_shows_what_it_is_and_none_of_its_numbers() {
        let x = vec![1.25; 6000];
        let y = vec![7.5; 3000];
        let data = Data::dense(&x, 2, &y).unwrap();
        let problem = Problem::new(&data, Huber::with_delta(2.0).unwrap(), Sparsity::at_most(1));
        let shown = format!("{problem:?}");
        for part in ["rows: 3000", "columns: 2", "Loss(huber:2)", "Constraint(sparsity:1)", "intercept: false"] {
            assert!(shown.contains(part), "{part} in {shown}");
        }
        assert!(!shown.contains("1.25") && !shown.contains("7.5"), "{shown}");
    }
}
