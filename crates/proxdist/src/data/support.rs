//! Which entries of a vector are not zero.

/// The nonzeros of a vector, when they are few enough to be worth following one by one.
#[derive(Clone, Debug, Default)]
pub struct Support {
    indices: Vec<usize>,
    few: bool,
}

impl Support {
    /// Looks at `v` anew; reuses its memory.
    pub fn update(&mut self, v: &[f64]) {
        let limit = v.len() / 8;
        self.indices.clear();
        let nonzero = v.iter().enumerate().filter(|(_, v)| **v != 0.0).map(|(j, _)| j);
        self.indices.extend(nonzero.take(limit + 1));
        self.few = self.indices.len() <= limit;
    }

    /// The support of `v`.
    pub fn of(v: &[f64]) -> Self {
        let mut support = Self::default();
        support.update(v);
        support
    }

    /// The indices, or `None` if there are too many to be worth following.
    pub fn indices(&self) -> Option<&[usize]> {
        self.few.then_some(&self.indices[..])
    }
}
