//! Variables that rows of one or two terms fix, or make one up to a sign.

/// Union–find with signs: `x_i = sign · x_parent`.
pub(super) struct Merging {
    parent: Vec<(usize, f64)>,
    value: Vec<Option<f64>>,
}

impl Merging {
    /// Variables that are all free.
    pub(super) fn new(size: usize) -> Self {
        Self { parent: (0..size).map(|j| (j, 1.0)).collect(), value: vec![None; size] }
    }

    /// The value of a class, by its root, if it is fixed.
    pub(super) fn value(&self, root: usize) -> Option<f64> {
        self.value[root]
    }

    /// The root of a variable's class, and the sign between the two.
    pub(super) fn root(&self, variable: usize) -> (usize, f64) {
        let (mut at, mut sign) = (variable, 1.0);
        while self.parent[at].0 != at {
            sign *= self.parent[at].1;
            at = self.parent[at].0;
        }
        (at, sign)
    }

    /// Fixes a variable; false if it has another value already.
    pub(super) fn fix(&mut self, variable: usize, value: f64) -> bool {
        let (root, sign) = self.root(variable);
        let value = sign * value + 0.0;
        let before = *self.value[root].get_or_insert(value);
        (before - value).abs() <= 1e-12 * before.abs().max(value.abs())
    }

    /// Sets `x_i = sign · x_j`; false if both have values that differ.
    pub(super) fn unite(&mut self, i: usize, j: usize, sign: f64) -> bool {
        let ((a, sign_a), (b, sign_b)) = (self.root(i), self.root(j));
        if a == b {
            // x = −x leaves only zero.
            return sign_a == sign * sign_b || self.fix(i, 0.0);
        }
        // x_a = sign_a · sign · sign_b · x_b
        let sign = sign_a * sign * sign_b;
        let value = self.value[a];
        self.parent[a] = (b, sign);
        value.is_none_or(|value| self.fix(a, value))
    }
}
