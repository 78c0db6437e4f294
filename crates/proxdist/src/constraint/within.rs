//! A choice of features and convex sets beside it, $C = \{x : x_j \ne 0 \text{ only for chosen } j, \; x \in K\}$, with $K$ given by rows and balls.
//!
//! | beside the choice | nearest point |
//! |---|---|
//! | limits of single coefficients | the choice of largest gain (`picking.rs`), $x_j^2 - (x_j - c_j)^2$ being the gain of letting $x_j$ be $c_j = \mathrm{clip}(x_j)$ instead of zero |
//! | sets that do not care for the order of coefficients, features chosen freely | $k$ of the largest entries and $s - k$ of the smallest, for every $k$ |
//! | other rows and balls | branch and bound over choices (`within_search.rs`), where rows are few; refused otherwise |
//!
//! The second row: let $c$ be nearest to $x$, and $x_i > x_j$ but $c_i < c_j$. With these two entries exchanged $c$ is still in the set and nearer by $2(x_i - x_j)(c_j - c_i)$, so
//! $c$ is ordered as $x$ is: its positive entries stand at the largest, its negative ones at the smallest, and the zeros between. Where no entry may be
//! negative, $k = s$ is the only case. This covers the simplex with caps, a given sum, the L1 ball and the ball with limits, and all of them together.

use super::choice::Choice;
use super::features::{Selection, scale_of};
use super::on_support::OnSupport;
use super::picking::best_choice;
use super::within_search::nearest_choice;
use super::{Choosing, Constraint, ProjectionFault, SetFault, Structure, Workspace, projection_failure, refusal};
use crate::conic::{Conic, Row};
use crate::error::{Error, Result};
use crate::shape::Shape;
use crate::spec::SetSpec;
use std::sync::{Arc, RwLock};

/// Rows about several coefficients up to which there is a search, and choices up to which all may be looked at whatever stands beside them.
const MOST_ROWS: usize = 12;
const MOST_CHOICES: f64 = 3000.0;

/// A selection of features within convex sets.
#[derive(Debug)]
pub struct Within {
    selection: Selection,
    parts: Vec<Box<dyn Constraint>>,
    /// What is known for vectors of the length that was asked for last.
    known: RwLock<Option<(usize, Arc<Plan>)>>,
}

/// The set for vectors of one length.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) choice: Choice,
    /// All rows and balls.
    pub(super) conic: Conic,
    /// The limits of each coefficient.
    pub(super) limits: Vec<(f64, f64)>,
    /// Rows about several coefficients, of length one.
    pub(super) rows: Vec<Row>,
    way: Way,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Each coefficient by itself.
    Apart,
    /// So many of the largest entries.
    Largest(usize),
    /// So many of the largest and the smallest entries.
    BothEnds(usize),
    Search,
}

impl Within {
    /// A selection, and convex sets that are described by rows and balls.
    pub fn new(selection: Selection, parts: Vec<Box<dyn Constraint>>) -> Result<Self> {
        let set = Self { selection, parts, known: RwLock::new(None) };
        match set.parts.iter().find(|part| !part.is_convex() || part.structure().rows_and_balls().is_none()) {
            Some(part) => {
                let (first, second) = (set.selection.spec(), part.spec());
                Err(refusal(set.spec(), SetFault::NoExactProjection { first, second }))
            }
            None => Ok(set),
        }
    }

    fn plan(&self, length: usize) -> Result<Arc<Plan>> {
        if let Some((_, plan)) = self.last().filter(|(known, _)| *known == length) {
            return Ok(plan);
        }
        let plan = Arc::new(self.planned(length)?);
        if let Ok(mut known) = self.known.write() {
            *known = Some((length, Arc::clone(&plan)));
        }
        Ok(plan)
    }

    /// What was asked for last.
    fn last(&self) -> Option<(usize, Arc<Plan>)> {
        self.known.read().ok()?.clone()
    }

    fn planned(&self, length: usize) -> Result<Plan> {
        let mut conic = Conic::everything(length);
        for part in &self.parts {
            part.check(Shape::Vector(length))?;
            match part.structure().conic(length) {
                Some(own) => conic = conic.and(&own),
                None => return Err(refusal(self.spec(), "a part is not a set of such vectors")),
            }
        }
        let Some(limits) = conic.limits() else {
            return Err(refusal(self.spec(), SetFault::empty("the limits leave no number for some coordinate")));
        };
        let is_forced = |j: usize| limits[j].0 > 0.0 || limits[j].1 < 0.0;
        let choice = self.selection.plan(length)?;
        let forced: Vec<usize> =
            (0..choice.units()).filter(|&unit| choice.unit(unit).iter().any(|&j| is_forced(j))).collect();
        let forced_out = (0..length).filter(|&j| is_forced(j)).find(|j| {
            !choice.always_in().contains(j) && !(0..choice.units()).any(|unit| choice.unit(unit).contains(j))
        });
        if forced_out.is_some() {
            return Err(refusal(self.spec(), SetFault::empty("a feature that is never in must not be zero")));
        }
        let Some(choice) = choice.settled(&forced) else {
            let fault = ProjectionFault::ForcedNonzeros { forced: forced.len(), keep: choice.rank() };
            return Err(refusal(self.spec(), fault));
        };
        let rows: Vec<Row> = conic.joint_rows().map(unit_row).collect();
        let is_apart =
            conic.rows.iter().all(|row| row.terms.len() == 1) && conic.balls.is_empty() && conic.magnitudes.is_empty();
        let is_symmetric = self.parts.iter().all(|part| is_symmetric(&part.spec()));
        let free = choice.single_limit().filter(|_| choice.units() == length && is_symmetric);
        let way = match free {
            _ if is_apart => Way::Apart,
            Some(size) if limits.iter().all(|(lower, _)| *lower >= 0.0) => Way::Largest(size),
            Some(size) => Way::BothEnds(size),
            None => Way::Search,
        };
        let is_round = !conic.balls.is_empty() || !conic.magnitudes.is_empty();
        if way == Way::Search && (rows.len() > MOST_ROWS || is_round) && choice.count() > MOST_CHOICES {
            return Err(refusal(self.spec(), SetFault::TooManyChoices { rows: rows.len(), most: MOST_ROWS }));
        }
        Ok(Plan { choice, conic, limits, rows, way })
    }
}

/// The row divided by its length.
fn unit_row(row: &Row) -> Row {
    let length = row.terms.iter().fold(0.0_f64, |length, (_, a)| length.hypot(*a));
    let terms = row.terms.iter().map(|&(j, a)| (j, a / length)).collect();
    Row { terms, right: row.right / length, is_equality: row.is_equality }
}

/// Whether a set is the same after coefficients have changed places.
fn is_symmetric(spec: &SetSpec) -> bool {
    let is_even = |row: &[f64]| row.windows(2).all(|pair| pair[0] == pair[1]);
    match spec {
        SetSpec::WholeSpace
        | SetSpec::Ball { center: None, .. }
        | SetSpec::Bounds { .. }
        | SetSpec::NonNegative
        | SetSpec::L1Ball { .. }
        | SetSpec::LinfBall { .. }
        | SetSpec::Simplex { .. } => true,
        SetSpec::Affine { rows, .. } => rows.iter().all(|row| is_even(row)),
        SetSpec::HalfSpace { normal, .. } => is_even(normal),
        SetSpec::Intersection(parts) => parts.iter().all(is_symmetric),
        _ => false,
    }
}

impl Plan {
    /// The squared distance to the nearest point with these coordinates, in ascending order, and that point there; `None` if there is none.
    pub(super) fn on(&self, support: &[usize], point: &[f64]) -> Result<Option<(f64, Vec<f64>)>> {
        let Some(set) = OnSupport::of(&self.conic, support) else { return Ok(None) };
        let own: Vec<f64> = support.iter().map(|&j| point[j]).collect();
        let mut nearest = own.clone();
        match set.nearest(&mut nearest) {
            Ok(true) => {}
            Ok(false) => return Ok(None),
            Err(error) => return Err(error),
        }
        let mut square: f64 = own.iter().zip(&nearest).map(|(x, c)| (x - c) * (x - c)).sum();
        let mut inside = support.iter().copied().peekable();
        for (j, x) in point.iter().enumerate() {
            if inside.next_if_eq(&j).is_none() {
                square += x * x;
            }
        }
        Ok(Some((square, nearest)))
    }

    /// Each coefficient by itself.
    fn apart(&self, point: &[f64]) -> std::result::Result<Vec<usize>, ProjectionFault> {
        let scale = scale_of(point);
        let gain = |j: usize| gain(point[j] / scale, (self.limits[j].0 / scale, self.limits[j].1 / scale));
        let gains: Vec<f64> = (0..self.choice.units())
            .map(|unit| self.choice.unit(unit).iter().map(|&j| gain(j)).sum::<f64>())
            .map(|gain| if gain.is_nan() { f64::MAX } else { gain })
            .collect();
        Ok(self.choice.support(&best_choice(&self.choice, &gains)?))
    }

    /// Some of the largest and some of the smallest entries.
    fn at_ends(&self, point: &[f64], size: usize, only_largest: bool) -> Result<Option<(Vec<usize>, Vec<f64>)>> {
        let mut order: Vec<usize> = (0..point.len()).collect();
        order.sort_by(|&a, &b| point[b].total_cmp(&point[a]).then(a.cmp(&b)));
        let mut best: Option<(f64, Vec<usize>, Vec<f64>)> = None;
        for largest in (if only_largest { size } else { 0 }..=size).rev() {
            let mut support: Vec<usize> = order[..largest].to_vec();
            support.extend(&order[order.len() - (size - largest)..]);
            support.sort_unstable();
            if let Some((square, nearest)) = self.on(&support, point)?
                && best.as_ref().is_none_or(|best| square < best.0)
            {
                best = Some((square, support, nearest));
            }
        }
        Ok(best.map(|(_, support, nearest)| (support, nearest)))
    }
}

/// What is gained by letting an entry be the nearest number between its limits instead of zero.
pub(super) fn gain(x: f64, limits: (f64, f64)) -> f64 {
    let kept = super::bounds::clip(x, limits);
    if kept == 0.0 { 0.0 } else { kept * (2.0 * x - kept) }
}

impl Constraint for Within {
    fn project(&self, point: &mut [f64], _work: &mut Workspace) -> Result<()> {
        let plan = self.plan(point.len())?;
        if point.iter().any(|x| x.is_nan()) {
            // What has no nearest point is left to be seen.
            return Ok(());
        }
        let found = match plan.way {
            Way::Apart => {
                let support = plan.apart(point).map_err(|fault| projection_failure(self, fault))?;
                let kept = support.iter().map(|&j| super::bounds::clip(point[j], plan.limits[j])).collect();
                Some((support, kept))
            }
            Way::Largest(size) => plan.at_ends(point, size, true)?,
            Way::BothEnds(size) => plan.at_ends(point, size, false)?,
            Way::Search => nearest_choice(&plan, point)?.map_err(|fault| projection_failure(self, fault))?,
        };
        let Some((support, kept)) = found else {
            let parts = super::brief(self.spec());
            return Err(projection_failure(self, ProjectionFault::NoCommonPoint { parts }));
        };
        point.fill(0.0);
        support.iter().zip(&kept).for_each(|(&j, x)| point[j] = *x + 0.0);
        Ok(())
    }

    fn is_convex(&self) -> bool {
        false
    }

    fn is_cone(&self) -> bool {
        self.parts.iter().all(Constraint::is_cone)
    }

    fn is_scale_free(&self) -> bool {
        self.parts.iter().all(Constraint::is_scale_free)
    }

    /// Besides the rules, one trial projection shows whether there is a point at all.
    fn check(&self, shape: Shape) -> Result<()> {
        let plan = self.plan(shape.len())?;
        if plan.way == Way::Apart {
            return Ok(());
        }
        self.project(&mut vec![0.0; shape.len()], &mut Workspace::default()).map_err(|error| match error {
            Error::Projection { fault, .. } => refusal(self.spec(), fault),
            other => other,
        })
    }

    fn structure(&self) -> Structure<'_> {
        Structure::Choice(self)
    }

    fn spec(&self) -> SetSpec {
        SetSpec::all_of(std::iter::once(self.selection.spec()).chain(self.parts.iter().map(Constraint::spec)))
    }
}

impl Choosing for Within {
    fn choice(&self, length: usize) -> Choice {
        // A set that was checked has a plan; without one there is nothing to choose.
        self.plan(length).map_or_else(|_| Choice::always([]), |plan| plan.choice.clone())
    }

    fn on_support(&self, support: &[usize]) -> Option<Box<dyn Constraint + '_>> {
        let (_, plan) = self.last()?;
        let is_forced_out = |(j, limits): (usize, &(f64, f64))| {
            (limits.0 > 0.0 || limits.1 < 0.0) && support.binary_search(&j).is_err()
        };
        if plan.limits.iter().enumerate().any(is_forced_out) {
            return None;
        }
        OnSupport::of(&plan.conic, support)?.into_set()
    }
}
