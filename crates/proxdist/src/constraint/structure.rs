//! How a fit over a set is finished exactly, with what that finish needs.
//!
//! A set says which family it belongs to by a [`Structure`], and each variant carries the means: the choices of a sparse set, the faces of a
//! polyhedron, the rows and balls of any other convex set. A set cannot claim a family and leave its means out.

use super::choice::Choosing;
use super::{Ball, Face, WholeSpace};
use crate::conic::Conic;
use crate::spec::Groups;
use std::fmt;

/// The family a set belongs to, as far as an exact method for it is concerned.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum Structure<'a> {
    /// No constraint.
    WholeSpace,
    /// A Euclidean ball.
    Ball(&'a Ball),
    /// Matrices of bounded rank, stored row by row, in a ball around the origin perhaps.
    Rank {
        /// The largest rank.
        rank: usize,
        /// Rows of the matrix.
        rows: usize,
        /// Columns of the matrix.
        columns: usize,
        /// The largest norm, where there is one.
        radius: Option<f64>,
    },
    /// Few nonzero entries or groups, and a convex set for them.
    Choice(&'a dyn Choosing),
    /// A convex set with flat faces.
    Polyhedron(&'a dyn Faces),
    /// Any other convex set that rows and balls describe.
    Convex(&'a dyn RowsAndBalls),
    /// Nothing is known beyond the projection.
    Other,
}

/// A convex set that is the same as some equations, inequalities and balls. With them it has an exact finish and a proven gap, alone and in
/// any intersection.
pub trait RowsAndBalls: Send + Sync {
    /// The set for vectors of this length; `None` if it is not a set of such vectors.
    fn conic(&self, features: usize) -> Option<Conic>;
}

/// A polyhedron: a convex set with flat faces.
pub trait Faces: RowsAndBalls {
    /// The face that holds `point`, a point of the set, in its relative interior; `None` if it is not a set of vectors of that length.
    fn face(&self, point: &[f64]) -> Option<Face>;
}

impl<'a> Structure<'a> {
    /// The faces, if the set is a polyhedron; the whole space is one, with a single face.
    pub fn faces(self) -> Option<&'a dyn Faces> {
        match self {
            Self::WholeSpace => Some(&WholeSpace),
            Self::Polyhedron(faces) => Some(faces),
            Self::Ball(_) | Self::Rank { .. } | Self::Choice(_) | Self::Convex(_) | Self::Other => None,
        }
    }

    /// The set as rows and balls, if it has such a description.
    pub fn rows_and_balls(self) -> Option<&'a dyn RowsAndBalls> {
        match self {
            Self::WholeSpace => Some(&WholeSpace),
            Self::Ball(ball) => Some(ball),
            Self::Polyhedron(faces) => Some(faces),
            Self::Convex(set) => Some(set),
            Self::Rank { .. } | Self::Choice(_) | Self::Other => None,
        }
    }

    /// The rows and balls for vectors of this length, if the set has such a description.
    pub fn conic(self, features: usize) -> Option<Conic> {
        self.rows_and_balls()?.conic(features)
    }
}

impl fmt::Debug for Structure<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WholeSpace => f.write_str("WholeSpace"),
            Self::Ball(ball) => write!(f, "Ball({})", ball.limit()),
            Self::Rank { rank, rows, columns, .. } => write!(f, "Rank({rank} of {rows}x{columns})"),
            Self::Choice(_) => f.write_str("Choice"),
            Self::Polyhedron(_) => f.write_str("Polyhedron"),
            Self::Convex(_) => f.write_str("Convex"),
            Self::Other => f.write_str("Other"),
        }
    }
}

/// The indices of every group of a vector of this length.
pub fn members(groups: &Groups, length: usize) -> Vec<Vec<usize>> {
    match groups {
        Groups::Consecutive { size } => {
            let size = (*size).max(1);
            (0..length).step_by(size).map(|first| (first..length.min(first + size)).collect()).collect()
        }
        Groups::Listed(lists) => lists
            .iter()
            .map(|group| group.ranges().unwrap_or_default())
            .map(|ranges| ranges.into_iter().flat_map(|(first, last)| first..=last).filter(|&j| j < length).collect())
            .collect(),
        // Known only together with names: a set of such groups is not built.
        Groups::Prefix { .. } | Groups::Source | Groups::File(_) => Vec::new(),
    }
}

/// $\max_{l \le x \le u} d^Tx$, where it is finite.
pub(super) fn support_of_box(limits: impl Iterator<Item = (f64, f64)>, direction: &[f64]) -> Option<f64> {
    let terms = limits.zip(direction).map(|((lower, upper), &d)| match d {
        0.0 => 0.0,
        d if d > 0.0 => d * upper,
        d => d * lower,
    });
    Some(terms.sum::<f64>()).filter(|total| total.is_finite())
}

/// The largest entry of a direction.
pub(super) fn top(direction: impl Iterator<Item = f64>) -> f64 {
    direction.fold(f64::NEG_INFINITY, |top, d| if top.is_nan() || d <= top { top } else { d })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::{
        Affine, Ball, Blocks, Bounds, Choice, ConeInBall, Constraint, GroupSparsity, HalfSpace, L1Ball, LinfBall,
        Monotone, NonNegative, Simplex, SparseBounded, SparseSum, Sparsity, WholeSpace, intersection, projected,
    };
    use crate::error::Result;

    const POINT: [f64; 6] = [0.9, -1.3, 0.4, 0.35, 2.0, -0.2];

    fn polyhedra() -> Result<Vec<Box<dyn Constraint>>> {
        let affine = Affine::equations(vec![vec![1.0; 6], vec![1.0, -1.0, 0.0, 0.0, 2.0, 0.0]], vec![1.0, 0.5])?;
        let blocks = Blocks::new().with(0, 2, Simplex::default())?.with(4, 5, Bounds::between(-0.1, 1.0)?)?;
        Ok(vec![
            Box::new(WholeSpace),
            Box::new(NonNegative),
            Box::new(Bounds::between(-0.5, 0.5)?),
            Box::new(Bounds::each(
                vec![0.0, -9.0, 0.4, f64::NEG_INFINITY, 0.0, 0.0],
                vec![9.0, 9.0, 0.4, 9.0, 1.0, 1.0],
            )?),
            Box::new(LinfBall::radius(1.0)?),
            Box::new(Simplex::default()),
            Box::new(L1Ball::radius(1.6)?),
            Box::new(L1Ball::radius(99.0)?),
            Box::new(L1Ball::radius(0.0)?),
            Box::new(Monotone::increasing()),
            Box::new(Monotone::decreasing()),
            Box::new(affine),
            Box::new(HalfSpace::below(vec![1.0, 1.0, 1.0, 0.0, 0.0, -1.0], 0.3)?),
            Box::new(HalfSpace::below(vec![1.0, 1.0, 1.0, 0.0, 0.0, -1.0], -2.0)?),
            Box::new(blocks),
        ])
    }

    /// The projection is linear near a point in general position; its derivative is that onto the face's directions.
    #[test]
    fn faces_are_the_derivatives_of_projections() -> Result<()> {
        let x = POINT.to_vec();
        for set in polyhedra()? {
            let faces = set.structure().faces().unwrap_or_else(|| panic!("{}", set.spec()));
            let at = projected(&set, &x)?;
            let face = faces.face(&at).expect("a vector of the right length");
            for j in 0..x.len() {
                let step = 1e-6;
                let (mut above, mut below) = (x.clone(), x.clone());
                above[j] += step;
                below[j] -= step;
                let (above, below) = (projected(&set, &above)?, projected(&set, &below)?);
                let mut unit = vec![0.0; x.len()];
                unit[j] = 1.0;
                let mut z = vec![0.0; face.variables()];
                face.reduce(&unit, &mut z);
                face.drop_equalities(&mut z);
                let mut expected = vec![0.0; x.len()];
                face.expand(&z, &mut expected);
                for i in 0..x.len() {
                    let slope = (above[i] - below[i]) / (2.0 * step);
                    assert!((slope - expected[i]).abs() < 1e-8, "{} ({i}, {j}): {slope} {expected:?}", set.spec());
                }
            }
        }
        Ok(())
    }

    /// Rows and balls hold at a point of the set and fail at one outside: they describe the same set, not a larger one.
    #[test]
    fn rows_and_balls_describe_the_same_set() -> Result<()> {
        let mut sets = polyhedra()?;
        sets.push(Box::new(Ball::radius(0.5)?));
        sets.push(Box::new(Ball::radius(0.5)?.centered_at(POINT.to_vec())?));
        sets.push(Box::new(ConeInBall::new(Monotone::increasing(), 0.5)?));
        sets.push(Box::new(Blocks::new().with(1, 3, Ball::radius(0.1)?)?.with(4, 5, NonNegative)?));
        sets.push(Box::new(intersection(vec![Box::new(Simplex::default()), Box::new(Monotone::decreasing())])?));
        for set in sets {
            let conic = set.structure().conic(POINT.len()).unwrap_or_else(|| panic!("{}", set.spec()));
            let inside = projected(&set, &POINT)?;
            assert!(conic.violation(&inside) <= 1e-12, "{}", set.spec());
            assert_eq!(conic.violation(&POINT) <= 1e-12, inside == POINT, "{}", set.spec());
        }
        Ok(())
    }

    /// A set that says no more of itself than its projection.
    struct OnlyProjects;

    impl Constraint for OnlyProjects {
        fn project(&self, point: &mut [f64], work: &mut crate::constraint::Workspace) -> Result<()> {
            NonNegative.project(point, work)
        }
        fn is_convex(&self) -> bool {
            true
        }
    }

    #[test]
    fn a_part_without_a_description_leaves_the_whole_without_one() -> Result<()> {
        let beside = Blocks::new().with(0, 1, OnlyProjects)?.with(2, 3, Ball::radius(1.0)?)?;
        let common = intersection(vec![Box::new(OnlyProjects), Box::new(Monotone::increasing())])?;
        for set in [&beside as &dyn Constraint, &common] {
            assert!(matches!(set.structure(), Structure::Other), "{}", set.spec());
            assert_eq!(set.structure().conic(4), None);
        }
        assert_eq!(common.spec().to_string(), "custom & monotone");
        Ok(())
    }

    #[test]
    fn support_functions_bound_every_point_and_are_attained() -> Result<()> {
        let d = [0.5, -2.0, 1.0, 0.0];
        let cases: Vec<(Box<dyn Constraint>, f64)> = vec![
            (Box::new(Ball::radius(2.0)?), 2.0 * 5.25_f64.sqrt()),
            (Box::new(Ball::radius(0.0)?.centered_at(vec![1.0, 1.0, 1.0, 1.0])?), -0.5),
            (Box::new(L1Ball::radius(3.0)?), 6.0),
            (Box::new(LinfBall::radius(2.0)?), 7.0),
            (Box::new(Simplex::total(2.0)?), 2.0),
            (Box::new(Bounds::between(-1.0, 2.0)?), 5.0),
            (Box::new(ConeInBall::new(NonNegative, 2.0)?), 2.0 * 1.25_f64.sqrt()),
            (Box::new(ConeInBall::new(Sparsity::at_most(1), 2.0)?), 4.0),
            (Box::new(SparseSum::on_simplex(1, Simplex::default())?), 1.0),
            (Box::new(Blocks::new().with(0, 1, L1Ball::radius(1.0)?)?.with(2, 2, LinfBall::radius(1.0)?)?), 3.0),
        ];
        for (set, expected) in cases {
            let found = set.support_function(&d).expect("bounded");
            assert!((found - expected).abs() < 1e-12, "{}: {found}", set.spec());
            let far: Vec<f64> = d.iter().map(|d| 1e6 * d).collect();
            let attained: f64 = projected(&set, &far)?.iter().zip(&d).map(|(x, d)| x * d).sum();
            assert!(attained <= found + 1e-12 && attained > found - 1e-4 * found.abs() - 1e-9, "{}", set.spec());
        }
        assert_eq!(NonNegative.support_function(&d), None);
        assert_eq!(NonNegative.support_function(&[-1.0, 0.0]), Some(0.0));
        assert_eq!(WholeSpace.support_function(&d), None);
        Ok(())
    }

    #[test]
    fn sparse_sets_say_what_remains_on_a_support() -> Result<()> {
        let x = [3.0, -4.0];
        let bounds = Bounds::each(vec![-1.0, 0.0, -2.0], vec![1.0, 0.5, 2.0])?;
        let cases: Vec<(Box<dyn Constraint>, Vec<f64>)> = vec![
            (Box::new(Sparsity::at_most(2)), vec![3.0, -4.0]),
            (Box::new(SparseBounded::at_most(2, bounds)), vec![1.0, -2.0]),
            (Box::new(SparseSum::on_simplex(2, Simplex::default())?), vec![1.0, 0.0]),
            (Box::new(SparseSum::in_l1_ball(2, L1Ball::radius(1.0)?)), vec![0.0, -1.0]),
            (Box::new(SparseSum::non_negative_in_l1_ball(2, L1Ball::radius(1.0)?)), vec![1.0, 0.0]),
            (Box::new(ConeInBall::new(Sparsity::at_most(2), 2.5)?), vec![1.5, -2.0]),
            (
                Box::new(ConeInBall::new(SparseBounded::at_most(2, Bounds::between(0.0, f64::INFINITY)?), 1.0)?),
                vec![1.0, 0.0],
            ),
        ];
        for (set, expected) in cases {
            let Structure::Choice(choosing) = set.structure() else { panic!("{}", set.spec()) };
            assert_eq!(choosing.choice(3), Choice::of_coordinates(2, 0..3), "{}", set.spec());
            let rest = choosing.on_support(&[0, 2]).expect("a support of two");
            assert!(rest.is_convex());
            let found = projected(&rest, &x)?;
            assert!(found.iter().zip(&expected).all(|(f, e)| (f - e).abs() < 1e-14), "{}: {found:?}", set.spec());
        }
        let groups = GroupSparsity::of_size(1, 2)?;
        assert_eq!(groups.choice(6), Choice::of_units(1, [vec![0, 1], vec![2, 3], vec![4, 5]]));
        assert!(groups.on_support(&[0, 1]).is_some());
        Ok(())
    }

    #[test]
    fn entries_that_cannot_be_zero_are_in_every_choice() -> Result<()> {
        let bounds = Bounds::each(vec![-1.0, 0.5, -2.0, 0.0], vec![1.0, 2.0, -1.0, 3.0])?;
        let set = SparseBounded::at_most(3, bounds);
        let choice = set.choice(4);
        assert_eq!((choice.keep(), choice.count()), (&[1][..], 2.0));
        assert_eq!(choice.support(&[1]), [1, 2, 3]);
        assert!(set.on_support(&[0, 1]).is_none(), "no point with a zero at 2");
        let rest = set.on_support(&[1, 2, 3]).expect("all that must be in");
        assert_eq!(projected(&rest, &[0.0, 0.0, 0.0])?, [0.5, -1.0, 0.0]);
        assert!(SparseSum::on_simplex(1, Simplex::default())?.on_support(&[]).is_none());
        Ok(())
    }

    #[test]
    fn blocks_join_the_choices_of_their_parts() -> Result<()> {
        let sparse = SparseBounded::at_most(1, Bounds::between(0.0, 1.0)?);
        let blocks = Blocks::new().with(1, 3, sparse)?.with(4, 5, Simplex::default())?;
        let blocks = blocks.with(6, 9, GroupSparsity::of_size(1, 2)?)?;
        let Structure::Choice(choosing) = blocks.structure() else { panic!("{}", blocks.spec()) };
        let choice = choosing.choice(11);
        assert_eq!((choice.keep(), choice.units()), (&[1, 1][..], 5));
        let support = choice.support(&[1, 3]);
        assert_eq!(support, [0, 2, 4, 5, 6, 7, 10]);
        let rest = choosing.on_support(&support).expect("feasible");
        assert!(rest.is_convex());
        assert_eq!(projected(&rest, &[-5.0, 3.0, 0.0, 9.0, -7.0, 8.0, -2.0])?, [-5.0, 1.0, 0.0, 1.0, -7.0, 8.0, -2.0]);
        let free = Blocks::new().with(1, 3, Sparsity::at_most(1))?;
        let Structure::Choice(choosing) = free.structure() else { panic!("{}", free.spec()) };
        let rest = choosing.on_support(&[0, 2, 4]).expect("feasible");
        assert!(matches!(rest.structure(), Structure::WholeSpace));
        Ok(())
    }
}
