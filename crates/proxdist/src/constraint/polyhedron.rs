//! A polyhedron, $C = \{x : Ax \le b,\ Ex = f\}$: any number of linear inequalities and equations.
//!
//! The nearest point minimises a quadratic function under linear rows; the solver of [`crate::conic`] finds it to the last digits, or finds the rows to
//! exclude each other, which is reported before a fit begins. Rows are scaled to unit length first, so that their units do not matter. Convex, unique; a
//! quadratic program a projection, which a fit needs only once or twice: the finish minimises F over the rows themselves.

use super::magnitude::Length;
use super::{Constraint, RowsAndBalls, Structure, Workspace, program, refusal, require_dimension};
use crate::conic::{Conic, Row};
use crate::error::Result;
use crate::shape::Shape;
use crate::spec::{LinearRows, SetSpec};

/// Linear inequalities and equations.
#[derive(Clone, Debug, PartialEq)]
pub struct Polyhedron {
    inequalities: LinearRows,
    equations: LinearRows,
    conic: Conic,
}

impl Polyhedron {
    /// Points with `inequalities.rows · x <= inequalities.right` and `equations.rows · x = equations.right`; there is at least one row, no row is zero.
    pub fn new(inequalities: LinearRows, equations: LinearRows) -> Result<Self> {
        let features = inequalities.rows.first().or(equations.rows.first()).map_or(0, Vec::len);
        let mut set = Self { inequalities, equations, conic: Conic::everything(features) };
        if let Some(reason) = set.fault(features) {
            return Err(refusal(set.spec(), reason));
        }
        for (rows, is_equality) in [(&set.inequalities, false), (&set.equations, true)] {
            for (i, (row, right)) in rows.rows.iter().zip(&rows.right).enumerate() {
                let Some(unit) = unit_row(row, *right, is_equality) else {
                    let kind = if is_equality { "equation" } else { "inequality" };
                    let reason = format!(
                        "{kind} {} has only zeros on the left, or a number on the right that is too large beside them",
                        i + 1
                    );
                    return Err(refusal(set.spec(), reason));
                };
                set.conic.rows.push(unit);
            }
        }
        Ok(set)
    }

    fn fault(&self, features: usize) -> Option<String> {
        if features == 0 {
            return Some("at least one row with at least one number is needed".to_owned());
        }
        for (rows, left, right) in [(&self.inequalities, "a", "b"), (&self.equations, "e", "f")] {
            if rows.rows.len() != rows.right.len() {
                return Some(format!(
                    "{left} has {} rows but {right} has {} numbers",
                    rows.rows.len(),
                    rows.right.len()
                ));
            }
            if let Some(i) = rows.rows.iter().position(|row| row.len() != features) {
                return Some(format!(
                    "row {} of {left} has {} numbers, the first row has {features}",
                    i + 1,
                    rows.rows[i].len()
                ));
            }
            if !rows.rows.iter().flatten().chain(&rows.right).all(|value| value.is_finite()) {
                return Some("every number must be finite".to_owned());
            }
        }
        None
    }
}

/// The row scaled to unit length, without its zeros.
fn unit_row(row: &[f64], right: f64, is_equality: bool) -> Option<Row> {
    let length = Length::of(row.iter().copied());
    if length.value() == 0.0 {
        return None;
    }
    let terms =
        row.iter().enumerate().filter(|(_, a)| **a != 0.0).map(|(j, a)| (j, length.rescaled(*a, 1.0))).collect();
    let right = length.rescaled(right, 1.0);
    right.is_finite().then_some(Row { terms, right, is_equality })
}

impl Constraint for Polyhedron {
    fn project(&self, point: &mut [f64], _work: &mut Workspace) -> Result<()> {
        require_dimension(self, self.conic.features, point.len())?;
        program::project(self, &self.conic, point)
    }

    fn is_convex(&self) -> bool {
        true
    }

    fn is_cone(&self) -> bool {
        self.conic.rows.iter().all(|row| row.right == 0.0)
    }

    /// Where every row speaks of the sign of one coordinate.
    fn is_scale_free(&self) -> bool {
        self.is_cone() && self.conic.is_box()
    }

    fn check(&self, shape: Shape) -> Result<()> {
        require_dimension(self, self.conic.features, shape.len())?;
        program::require_a_point(self, &self.conic)
    }

    fn structure(&self) -> Structure<'_> {
        Structure::Convex(self)
    }

    fn spec(&self) -> SetSpec {
        let [inequalities, equations] = [&self.inequalities, &self.equations].map(|rows| Box::new(rows.clone()));
        SetSpec::Polyhedron { inequalities, equations }
    }
}

impl RowsAndBalls for Polyhedron {
    fn conic(&self, features: usize) -> Option<Conic> {
        (features == self.conic.features).then(|| self.conic.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::projected;

    fn rows(rows: &[&[f64]], right: &[f64]) -> LinearRows {
        LinearRows { rows: rows.iter().map(|row| row.to_vec()).collect(), right: right.to_vec() }
    }

    #[test]
    fn a_corner_is_found_to_the_last_digit() -> Result<()> {
        let set = Polyhedron::new(rows(&[&[1.0, 1.0], &[1e5, -1e5]], &[1.0, 0.0]), LinearRows::default())?;
        let corner = projected(&set, &[3.0, 0.5])?;
        assert!(corner.iter().all(|x| (x - 0.5).abs() < 1e-14), "{corner:?}");
        assert_eq!(projected(&set, &[-3.0, 1.0])?, [-3.0, 1.0]);
        Ok(())
    }

    #[test]
    fn what_is_wrong_is_named() {
        let message = |inequalities, equations| {
            Polyhedron::new(inequalities, equations).map_or_else(
                |e| e.to_string(),
                |set| set.check(Shape::Vector(2)).map_or_else(|error| error.to_string(), |()| "fine".to_owned()),
            )
        };
        let none = LinearRows::default;
        assert!(message(none(), none()).contains("at least one row"));
        assert!(message(rows(&[&[1.0, 0.0]], &[1.0, 2.0]), none()).contains("a has 1 rows but b has 2 numbers"));
        assert!(message(none(), rows(&[&[1.0, 0.0], &[1.0]], &[1.0, 2.0])).contains("row 2 of e has 1 numbers"));
        assert!(message(rows(&[&[0.0, 0.0]], &[1.0]), none()).contains("inequality 1 has only zeros"));
        assert!(message(rows(&[&[1.0, 0.0], &[-1.0, 0.0]], &[-1.0, 0.5]), none()).contains("exclude each other"));
        assert!(message(rows(&[&[1.0, 0.0]], &[f64::NAN]), none()).contains("finite"));
    }
}
