//! The minimiser of a quadratic function on the rows that hold with equality, to the last digit.
//!
//! An interior-point method ends near the boundary, never on it. But it tells which rows hold with equality, and with these the problem is
//! a linear system (a few Newton steps where a ball is among them), whose solution has exact zeros and exact ties:
//!
//! 1. A row with one variable fixes it; a row $x_i = \pm x_j$ makes two variables one. What is left are classes of variables that move as one, or
//!    not at all.
//! 2. On them the conditions $Z^T(Hx + c + \sum_k\lambda_k(x - a_k)) + J^Ty = 0$, $Jx = b$, $\|x - a_k\| = r_k$ are solved by Newton's method, where $J$ are the rows left over.
//! 3. Rows that turn out violated join, rows with a negative multiplier leave, and the system is solved again.

use super::kernel::{Extra, Kernel};
use super::merging::Merging;
use super::{Conic, Quadratic, multipliers, without_flat};
use crate::linalg::axpy;

/// Rounds of joining and leaving.
const ROUNDS: usize = 30;
const NEWTON_STEPS: usize = 40;
/// Newton steps without progress before it ends: at an error that may be all rounding, and at others. Where a sphere bends much over a step, the error grows
/// before it falls.
const PATIENCE: usize = 3;
const LONG_PATIENCE: usize = 12;
/// Violations below this, relative to the numbers that cancel, are rounding.
const ROUNDING: f64 = 1e-13;
/// Distance from the normal cone that asks for another round, relative to the gradient.
const STATIONARY: f64 = 1e-11;
/// Cosine of the angle with a row from which on a step clearly leads away from it.
const CLEARLY: f64 = 1e-6;

/// Rows and balls that hold with equality.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Active {
    pub(crate) rows: Vec<bool>,
    /// Multipliers; zero for balls that are not active.
    pub(crate) balls: Vec<f64>,
    /// Cones that the point is the apex of; their multipliers here are zero.
    pub(crate) apexes: Vec<bool>,
}

impl Active {
    /// The rows and balls that hold with equality at `x`, up to rounding. Their multipliers are not known: balls get a small one.
    pub(crate) fn at(conic: &Conic, x: &[f64], tolerance: f64) -> Self {
        let rows = conic.rows.iter().map(|row| row.is_equality || row.excess(x) >= -tolerance * row.size(x));
        let top = x.iter().fold(0.0_f64, |top, x| top.max(x.abs()));
        let is_apex = |ball: &super::Round| ball.growth.is_some() && ball.size(x) <= tolerance * top;
        let is_reached =
            |ball: &super::Round| !is_apex(ball) && ball.distance(x) >= ball.reach(x) - tolerance * ball.size(x);
        Self {
            apexes: conic.balls.iter().map(is_apex).collect(),
            rows: rows.collect(),
            balls: conic.balls.iter().map(|ball| f64::from(u8::from(is_reached(ball))) * f64::MIN_POSITIVE).collect(),
        }
    }
}

/// Slacks, relative to the numbers that cancel, that are taken for none in turn where multipliers and slacks are both small.
const GUESSES: [f64; 4] = [1e-6, 1e-8, 1e-4, 1e-10];
/// The same relative to the largest variable, for corners in which more rows meet than there are variables: near them, variables and slacks that would be zero are a little more, and as large as
/// each other.
const CORNERS: [f64; 4] = [1e-7, 1e-9, 1e-5, 1e-11];

/// The same from several guesses of what is active: first that of the multipliers, then by slacks.
pub(crate) fn refined(quadratic: &Quadratic, conic: &Conic, x: &mut [f64], active: &mut Active) -> bool {
    if refine(quadratic, conic, x, active) {
        return true;
    }
    // Where a row and a sphere touch in one place, to rounding, only one of them can hold the point there.
    let guesses = GUESSES.iter().flat_map(|&tolerance| {
        let all = Active::at(conic, x, tolerance);
        let rows = Active { balls: vec![0.0; all.balls.len()], ..all.clone() };
        let equations = conic.rows.iter().map(|row| row.is_equality).collect();
        [rows, Active { rows: equations, ..all.clone() }, all].into_iter().rev()
    });
    let units = units(quadratic, conic, x);
    let corners = CORNERS.iter().map(|&tolerance| {
        let is_near = |row: &super::Row| {
            -row.excess(x) <= tolerance * row.terms.iter().map(|&(j, a)| (a * units[j]).abs()).sum::<f64>()
        };
        let rows = conic.rows.iter().map(|row| row.is_equality || is_near(row)).collect();
        Active { rows, ..Active::at(conic, x, tolerance) }
    });
    let guesses: Vec<Active> = guesses.chain(corners).collect();
    guesses.into_iter().any(|mut guess| {
        let is_consistent = refine(quadratic, conic, x, &mut guess);
        if is_consistent {
            *active = guess;
        }
        is_consistent
    })
}

/// For each variable the size at which it would matter as much as the one that matters most.
fn units(quadratic: &Quadratic, conic: &Conic, x: &[f64]) -> Vec<f64> {
    let diagonal = without_flat((0..conic.features).map(|j| quadratic.diagonal(j)));
    let bends = conic.magnitudes.iter().map(|magnitude| magnitude.bend(|j| diagonal[j]));
    let roots: Vec<f64> = diagonal.iter().copied().chain(bends).map(f64::sqrt).collect();
    let top = x.iter().zip(&roots).map(|(x, root)| (x * root).abs()).fold(0.0, f64::max);
    roots.iter().map(|root| top / root.max(f64::MIN_POSITIVE)).collect()
}

/// Improves `x`, near which the minimiser lies, and `active`; false if no consistent set of rows was found, and then both are unchanged.
pub(crate) fn refine(quadratic: &Quadratic, conic: &Conic, x: &mut [f64], active: &mut Active) -> bool {
    let (mut point, mut now) = (x.to_vec(), active.clone());
    let mut seen: Vec<Active> = Vec::new();
    let mut dropped = vec![false; conic.rows.len()];
    for _ in 0..ROUNDS {
        // From an apex no step leads anywhere.
        if conic.balls.iter().zip(&now.balls).any(|(ball, y)| *y != 0.0 && ball.distance(&point) == 0.0) {
            point.copy_from_slice(x);
        }
        let Some(system) = Reduced::of(conic, &now) else { return false };
        let Some(forces) = system.solve(quadratic, conic, &mut point, &mut now) else { return false };
        let mut next = now.clone();
        let mut is_consistent = true;
        for (k, ball) in conic.balls.iter().enumerate() {
            if now.balls[k] < 0.0 {
                next.balls[k] = 0.0;
                is_consistent = false;
            } else if now.balls[k] != 0.0 && ball.reach(&point) < 0.0 {
                // The other half of the double cone.
                (next.balls[k], next.apexes[k]) = (0.0, true);
                is_consistent = false;
            } else if now.balls[k] == 0.0
                && !now.apexes[k]
                && ball.distance(&point) > ball.reach(&point) + ROUNDING * ball.size(&point)
            {
                next.balls[k] = f64::MIN_POSITIVE;
                is_consistent = false;
            }
        }
        for (i, row) in conic.rows.iter().enumerate() {
            if !now.rows[i] && row.excess(&point) > ROUNDING * row.size(&point) {
                next.rows[i] = true;
                is_consistent = false;
            }
        }
        // The most negative multiplier leaves; a row that came back stays.
        let worst = forces
            .iter()
            .filter(|(i, y)| *y < 0.0 && !conic.rows[*i].is_equality && !dropped[*i])
            .min_by(|a, b| a.1.total_cmp(&b.1));
        if let (true, Some(&(i, _))) = (is_consistent, worst) {
            next.rows[i] = false;
            dropped[i] = true;
            is_consistent = false;
        }
        // Rows of one or two variables have no multiplier here; the distance from the normal cone tells whether they hold on wrongly.
        if is_consistent {
            let gradient = quadratic.gradient(&point);
            let diagonal = without_flat((0..conic.features).map(|j| quadratic.diagonal(j)));
            let metric = |j: usize| match conic.magnitudes.get(j.wrapping_sub(conic.features)) {
                Some(magnitude) if j >= conic.features => magnitude.bend(|k| diagonal[k]),
                _ => diagonal[j],
            };
            let size =
                gradient.iter().zip(&diagonal).map(|(g, d)| g * g / d.max(f64::MIN_POSITIVE)).sum::<f64>().sqrt();
            let judged = multipliers(conic, &point, &gradient, &diagonal);
            if let Some(judged) = judged.filter(|judged| judged.distance > STATIONARY * size) {
                let held = conic.rows.iter().enumerate().filter(|(i, row)| now.rows[*i] && !row.is_equality);
                let leaving: Vec<(usize, f64)> = held.map(|(i, row)| (i, judged.leaving(row, metric))).collect();
                // All that clearly lead away; where a sphere is nearly parallel to a row, the straightest alone.
                let straightest = leaving.iter().map(|(_, cosine)| *cosine).fold(0.0, f64::max);
                let least = if straightest > CLEARLY { CLEARLY } else { straightest };
                if let Some(k) = now.apexes.iter().position(|is_apex| *is_apex) {
                    (next.balls[k], next.apexes[k]) = (f64::MIN_POSITIVE, false);
                    is_consistent = false;
                }
                for (i, _) in leaving.into_iter().filter(|(_, cosine)| *cosine >= least && *cosine > ROUNDING) {
                    next.rows[i] = false;
                    is_consistent = false;
                }
            }
        }
        if is_consistent {
            x.copy_from_slice(&point);
            *active = now;
            return true;
        }
        if seen.contains(&next) {
            return false;
        }
        seen.push(now);
        now = next;
    }
    false
}

/// Where a variable is after the rows of one and two variables: $x = \pm v_k$, or a number.
#[derive(Clone, Copy, Debug)]
enum Place {
    Class { class: usize, sign: f64 },
    Fixed(f64),
}

/// The problem in the classes.
pub(super) struct Reduced {
    places: Vec<Place>,
    members: Vec<Vec<(usize, f64)>>,
    /// Rows left over.
    rows: Vec<Left>,
}

/// A row left over: its place among the rows of the set, the coefficients of the classes, the right-hand side.
type Left = (usize, Vec<(usize, f64)>, f64);

/// Whether a row left over is a multiple of another one.
fn is_same((_, terms, right): &Left, other: &[(usize, f64)], other_right: f64) -> bool {
    let (Some((_, a)), Some((_, b))) = (terms.first(), other.first()) else { return false };
    let is_multiple = |((j, x), (k, y)): (&(usize, f64), &(usize, f64))| j == k && x * b == y * a;
    terms.len() == other.len() && terms.iter().zip(other).all(is_multiple) && right * b == other_right * a
}

impl Reduced {
    /// Variables of the set.
    pub(super) fn own(&self) -> usize {
        self.places.len()
    }

    /// The classes, each its variables with their signs.
    pub(super) fn classes(&self) -> &[Vec<(usize, f64)>] {
        &self.members
    }

    fn of(conic: &Conic, active: &Active) -> Option<Self> {
        let size = conic.variables();
        let mut merging = Merging::new(size);
        let mut left = Vec::new();
        for (i, row) in conic.rows.iter().enumerate().filter(|&(i, _)| active.rows[i]) {
            let fits = match row.terms[..] {
                [(j, a)] => merging.fix(j, row.right / a),
                [(j, a), (k, b)] if row.right == 0.0 && a.abs() == b.abs() => merging.unite(j, k, -(b / a)),
                _ => {
                    left.push(i);
                    true
                }
            };
            if !fits {
                return None;
            }
        }
        for (ball, _) in conic.balls.iter().zip(&active.apexes).filter(|(_, is_apex)| **is_apex) {
            let (k, a) = ball.growth?;
            let mut fixed = ball.coordinates.iter().zip(&ball.center).map(|(&j, &c)| (j, c));
            if !(merging.fix(k, -ball.radius / a) && fixed.all(|(j, c)| merging.fix(j, c))) {
                return None;
            }
        }
        let mut classes: Vec<Option<usize>> = vec![None; size];
        let mut members: Vec<Vec<(usize, f64)>> = Vec::new();
        let mut places = Vec::with_capacity(size);
        for j in 0..size {
            let (root, sign) = merging.root(j);
            if let Some(value) = merging.value(root) {
                places.push(Place::Fixed(sign * value + 0.0));
                continue;
            }
            let class = *classes[root].get_or_insert_with(|| {
                members.push(Vec::new());
                members.len() - 1
            });
            members[class].push((j, sign));
            places.push(Place::Class { class, sign });
        }
        let mut reduced = Self { places, members, rows: Vec::new() };
        for i in left {
            let row = &conic.rows[i];
            let mut terms: Vec<(usize, f64)> = Vec::new();
            let mut right = row.right;
            for &(j, a) in &row.terms {
                match reduced.places[j] {
                    Place::Fixed(value) => right -= a * value,
                    Place::Class { class, sign } => terms.push((class, sign * a)),
                }
            }
            terms.sort_unstable_by_key(|term| term.0);
            terms.dedup_by(|next, kept| {
                let is_same = next.0 == kept.0;
                if is_same {
                    kept.1 += next.1;
                }
                is_same
            });
            terms.retain(|term| term.1 != 0.0);
            if reduced.rows.iter().any(|row| is_same(row, &terms, right)) {
                // Rows that have become one hold together; twice the same would be a singular system.
                continue;
            }
            if !terms.is_empty() {
                reduced.rows.push((i, terms, right));
            } else if right.abs() > 1e-10 * row.terms.iter().map(|(_, a)| a.abs()).sum::<f64>().max(row.right.abs()) {
                // All its variables are fixed elsewhere, at other values.
                return None;
            }
        }
        Some(reduced)
    }

    /// Writes classes back into all variables; those behind the set's own are classes by themselves, at the end.
    fn expand(&self, v: &[f64], x: &mut [f64]) {
        for (x, place) in x.iter_mut().zip(&self.places) {
            *x = match *place {
                Place::Fixed(value) => value,
                Place::Class { class, sign } => sign * v[class],
            };
        }
        let (own, free) = (self.places.len(), self.members.len());
        x[own..].copy_from_slice(&v[free..]);
    }

    fn reduce(&self, gradient: &[f64]) -> Vec<f64> {
        let class = |members: &Vec<(usize, f64)>| members.iter().map(|&(j, sign)| sign * gradient[j]).sum::<f64>();
        self.members.iter().map(class).chain(gradient[self.places.len()..].iter().copied()).collect()
    }

    /// Newton's method; returns the multipliers of the rows left over. Where its usual steps fail, those that are strengthened by the rows.
    fn solve(
        &self,
        quadratic: &Quadratic,
        conic: &Conic,
        x: &mut [f64],
        active: &mut Active,
    ) -> Option<Vec<(usize, f64)>> {
        let (point, balls) = (x.to_vec(), active.balls.clone());
        self.newton(Kernel::default(), (quadratic, conic), x, active).or_else(|| {
            x.copy_from_slice(&point);
            active.balls = balls;
            self.newton(Kernel::strengthened(), (quadratic, conic), x, active)
        })
    }

    fn newton(
        &self,
        mut kernel: Kernel,
        (quadratic, conic): (&Quadratic, &Conic),
        x: &mut [f64],
        active: &mut Active,
    ) -> Option<Vec<(usize, f64)>> {
        let own = self.places.len();
        let mean = |members: &Vec<(usize, f64)>| {
            members.iter().map(|&(j, sign)| sign * x[j]).sum::<f64>() / members.len() as f64
        };
        let mut v: Vec<f64> = self.members.iter().map(mean).chain(x[own..].iter().copied()).collect();
        let balls: Vec<usize> = (0..conic.balls.len()).filter(|&k| active.balls[k] != 0.0).collect();
        let mut y = vec![0.0; self.rows.len()];
        let mut best = f64::INFINITY;
        let mut kept: Option<(Vec<f64>, Vec<f64>, Vec<f64>)> = None;
        let mut idle = 0;
        for step in 0..NEWTON_STEPS {
            self.expand(&v, x);
            let mut gradient = quadratic.gradient(x);
            for &k in &balls {
                conic.balls[k].add_force(active.balls[k], x, &mut gradient);
            }
            let mut dual = self.reduce(&gradient);
            for ((_, terms, _), y) in self.rows.iter().zip(&y) {
                terms.iter().for_each(|&(class, a)| dual[class] += y * a);
            }
            // Rows and spheres, each with its gradient in the classes and its residual.
            let mut equations: Vec<(Vec<(usize, f64)>, f64)> = Vec::with_capacity(self.rows.len() + balls.len());
            let mut outside = 0.0_f64;
            let mut cones: Vec<(f64, Vec<f64>)> = Vec::new();
            for (_, terms, right) in &self.rows {
                let value = terms.iter().map(|&(class, a)| a * v[class]).sum::<f64>() - right;
                let size = terms.iter().map(|&(class, a)| (a * v[class]).abs()).sum::<f64>() + right.abs();
                outside = outside.max(value.abs() / size.max(f64::MIN_POSITIVE));
                equations.push((terms.clone(), value));
            }
            for &k in &balls {
                let ball = &conic.balls[k];
                let distance = ball.distance(x);
                if distance == 0.0 {
                    return None;
                }
                // ‖x − a‖ − r, whose gradient has unit size but for the growth of r.
                let mut normal = ball.direction(x);
                if let Some((j, a)) = ball.growth {
                    // λ(I − nnᵀ): along a sphere of one radius the second part is nothing.
                    cones.push((active.balls[k].max(0.0), self.reduce(&normal)));
                    normal[j] -= a;
                }
                let reduced = self.reduce(&normal);
                outside = outside.max((distance - ball.reach(x)).abs() / ball.size(x));
                let terms = reduced.into_iter().enumerate().filter(|(_, a)| *a != 0.0).collect();
                equations.push((terms, distance - ball.reach(x)));
            }
            if step == 0 || !balls.is_empty() {
                let mut extra = vec![0.0; quadratic.size()];
                for &k in &balls {
                    conic.balls[k].coordinates.iter().for_each(|&j| extra[j] += active.balls[k].max(0.0));
                }
                kernel.prepare(self, quadratic, &Extra { diagonal: &extra, cones: &cones })?;
            }
            let unscaled = dual.iter().zip(&kernel.diagonal).map(|(d, k)| d * d / k).sum::<f64>().sqrt();
            let size = v.iter().zip(&kernel.diagonal).map(|(v, k)| v * v * k).sum::<f64>().sqrt();
            let error = if size > 0.0 { unscaled / size } else { unscaled }.max(outside);
            if !error.is_finite() {
                break;
            }
            if error < best {
                idle = if error < 0.5 * best { 0 } else { idle + 1 };
                best = error;
                kept = Some((v.clone(), y.clone(), active.balls.clone()));
            } else {
                idle += 1;
            }
            let patience = if best <= ROUNDING { PATIENCE } else { LONG_PATIENCE };
            if error <= 1e-16 || idle >= patience {
                break;
            }
            let (dv, dy) = kernel.step(&dual, &equations)?;
            axpy(1.0, &dv, &mut v);
            axpy(1.0, &dy[..y.len()], &mut y);
            let before: Vec<f64> = balls.iter().map(|&k| conic.balls[k].distance(x)).collect();
            self.expand(&v, x);
            for ((&k, d), before) in balls.iter().zip(&dy[y.len()..]).zip(before) {
                let ball = &conic.balls[k];
                // The gradient of ‖x − a‖ is (x − a)/r on the sphere, that of λ is x − a. The step of a cone is that of λ‖x − a‖.
                active.balls[k] = match ball.growth {
                    None => active.balls[k] + d / before,
                    Some(_) => (active.balls[k] * before + d) / ball.distance(x).max(f64::MIN_POSITIVE),
                };
                if active.balls[k] == 0.0 {
                    active.balls[k] = -f64::MIN_POSITIVE;
                }
            }
        }
        let (v, y, multipliers) = kept.filter(|_| best <= 1e-6)?;
        active.balls = multipliers;
        self.expand(&v, x);
        Some(self.rows.iter().zip(y).map(|((i, ..), y)| (*i, y)).collect())
    }
}
