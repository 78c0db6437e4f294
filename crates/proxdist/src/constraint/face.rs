//! The directions along a face of a polyhedron.
//!
//! The face that holds $x$ in its relative interior is the set of points that satisfy the same inequalities with equality. Its directions form
//! a linear space, here $\{Zz : Ez = 0\}$: every variable $z_g$ moves a group of coordinates together (one coordinate for a box, a level block
//! for a monotone vector), coordinates in no group stay where they are, and the rows of $E$ hold sums fixed (one for a simplex). The columns of
//! $Z$ and the rows of $E$ are orthonormal, so $Z^Tv$ followed by $I - E^TE$ is the orthogonal projection of $v$ onto the directions.

/// Squared sine below which a new equality adds nothing to those before it.
const DEPENDENT: f64 = 1e-20;

/// The directions along a face of a polyhedron.
#[derive(Clone, Debug, PartialEq)]
pub struct Face {
    /// Where each group starts in `members`, and the end of the last one.
    starts: Vec<usize>,
    members: Vec<usize>,
    /// Orthonormal rows in the variables.
    equalities: Vec<Vec<f64>>,
}

impl Face {
    /// The face on which these coordinates are free, each by itself.
    pub fn of_free(coordinates: impl IntoIterator<Item = usize>) -> Self {
        let members: Vec<usize> = coordinates.into_iter().collect();
        Self { starts: (0..=members.len()).collect(), members, equalities: Vec::new() }
    }

    /// The face on which each of these disjoint groups of coordinates moves as one.
    pub fn of_groups(groups: impl IntoIterator<Item = Vec<usize>>) -> Self {
        let mut face = Self::of_free([]);
        for group in groups.into_iter().filter(|group| !group.is_empty()) {
            face.members.extend(group);
            face.starts.push(face.members.len());
        }
        face
    }

    /// The part of the face along which `normal` · direction = 0; `normal` has one entry for every coordinate.
    #[must_use]
    pub fn holding(mut self, normal: &[f64]) -> Self {
        let mut row = vec![0.0; self.variables()];
        self.reduce(normal, &mut row);
        let length = row.iter().map(|x| x * x).sum::<f64>();
        // Twice, because one pass leaves the rounding of a long vector behind.
        for _ in 0..2 {
            self.drop_equalities(&mut row);
        }
        let rest = row.iter().map(|x| x * x).sum::<f64>();
        if rest > DEPENDENT * length {
            let scale = rest.sqrt();
            row.iter_mut().for_each(|x| *x /= scale);
            self.equalities.push(row);
        }
        self
    }

    /// This face beside another one, whose coordinate `j` is the coordinate `place(j)` here.
    #[must_use]
    pub fn beside(mut self, other: &Self, place: impl Fn(usize) -> usize) -> Self {
        let (before, after) = (self.variables(), other.variables());
        let end = self.members.len();
        self.members.extend(other.members.iter().map(|&j| place(j)));
        self.starts.extend(other.starts[1..].iter().map(|start| start + end));
        self.equalities.iter_mut().for_each(|row| row.resize(before + after, 0.0));
        self.equalities.extend(other.equalities.iter().map(|row| [&vec![0.0; before][..], row].concat()));
        self
    }

    /// Number of variables $z$.
    pub fn variables(&self) -> usize {
        self.starts.len() - 1
    }

    /// Dimension of the face.
    pub fn dimension(&self) -> usize {
        self.variables().saturating_sub(self.equalities.len())
    }

    /// The orthonormal rows of $E$.
    pub fn equalities(&self) -> &[Vec<f64>] {
        &self.equalities
    }

    /// The coordinates that a variable moves, and by how much: one over the root of their number.
    pub fn group(&self, variable: usize) -> (&[usize], f64) {
        let group = &self.members[self.starts[variable]..self.starts[variable + 1]];
        (group, 1.0 / (group.len() as f64).sqrt())
    }

    /// `direction = Z z`
    pub fn expand(&self, z: &[f64], direction: &mut [f64]) {
        direction.fill(0.0);
        for (variable, z) in z.iter().enumerate() {
            let (group, size) = self.group(variable);
            group.iter().for_each(|&j| direction[j] = size * z);
        }
    }

    /// `out = Zᵀ v`
    pub fn reduce(&self, v: &[f64], out: &mut [f64]) {
        for (variable, out) in out.iter_mut().enumerate() {
            let (group, size) = self.group(variable);
            *out = size * group.iter().map(|&j| v[j]).sum::<f64>();
        }
    }

    /// `z ← (I − EᵀE) z`
    pub fn drop_equalities(&self, z: &mut [f64]) {
        for row in &self.equalities {
            let along: f64 = row.iter().zip(&*z).map(|(e, z)| e * z).sum();
            z.iter_mut().zip(row).for_each(|(z, e)| *z -= along * e);
        }
    }
}

/// The coordinates strictly between their limits.
pub(super) fn face_of_box(limits: impl Iterator<Item = (f64, f64)>, point: &[f64]) -> Face {
    let inside = limits.zip(point).enumerate().filter(|(_, ((lower, upper), x))| lower < x && x < &upper);
    Face::of_free(inside.map(|(j, _)| j).filter(|&j| j < point.len()))
}
