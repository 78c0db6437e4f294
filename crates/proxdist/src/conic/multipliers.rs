//! How far a gradient is from the normal cone of a set at a point.
//!
//! $\theta$ minimises a convex F over the set exactly if $-g$ lies in the normal cone, $g + A^Tz + \sum_k\lambda_k(\theta - c_k) = 0$ with $z \ge 0$ and
//! $\lambda \ge 0$ on the rows and balls that hold with equality. The distance, in the metric of scaled columns,
//! $$\min_{z \ge 0,\ \lambda \ge 0} \|D^{-1/2}(g + A^Tz + \textstyle\sum_k\lambda_k(\theta - c_k))\|,$$
//! is a nonnegative least-squares problem. Plain least squares usually has the right signs; where it has not, the signs make it a quadratic
//! program over a set of rows, solved like any other.
//!
//! A point may be a rounding error away from a corner, and then rows that would hold with equality there do not quite hold with it here; near a corner in which more rows meet than there are variables, the
//! gradient may need them all. [`nearby_multipliers`] lets such rows take part and counts their slack.
//!
//! Whatever multipliers come out, they prove something: for every point $c$ of the set,
//! $$g^T(c - \theta) \ge r^T(c - \theta) - z^Ts - \textstyle\sum_k\lambda_k(r_k - \|\theta - c_k\|)\,r_k,$$
//! where $r$ is the residual and $s$ the slacks.

use super::{Conic, Hessian, Model, Part, Quadratic, Reach, Round, refined, solve, without_flat};
use crate::linalg::{Cholesky, axpy, dot, gram, norm, norm_squared};
use std::collections::BTreeMap;

/// Slack that counts as none, relative to the numbers that cancel in it.
const TOUCHING: f64 = 1e-11;
/// Slacks, relative to variables that matter as much as the one that matters most, of rows that take part where those that touch do not suffice.
const NEARBY: [f64; 2] = [1e-10, 1e-7];
/// Distance from the normal cone, relative to the gradient, from which on the rows that touch do not suffice.
const FAR: f64 = 1e-9;
/// Unknowns beyond which the dense normal equations cost too much.
const MOST: usize = 3000;
/// Unknowns up to which bounds are unknowns too.
const MOST_EXPLICIT: usize = 1500;
const ROUNDS: usize = 60;
/// Rounds in which normals of cones join whose apex the point is.
const APEX_ROUNDS: usize = 40;
/// Rest of the gradient, relative to all of it, and slope along a normal, relative to that rest, below which no more is asked.
const EXACT: f64 = 1e-12;
/// Multiples below this share of the largest are left out at the end.
const SMALL_SHARE: f64 = 1e-7;

/// The best multipliers found.
#[derive(Clone, Debug)]
pub(crate) struct Multipliers {
    /// $r$, for the coefficients and then the magnitudes.
    pub(crate) residual: Vec<f64>,
    /// $\|D^{-1/2}r\|$
    pub(crate) distance: f64,
    /// $z^Ts$ and what the magnitudes and balls add: by how much $g^T(c - \theta)$ may fall below $r^T(c - \theta)$.
    pub(crate) slack: f64,
    /// By how much F would fall for each unit that the right side of a row, or the radius of a ball, is larger: those that are not zero.
    pub(crate) prices: Vec<(Part, f64)>,
}

/// An unknown multiplier: a row of several variables, or a ball.
struct Normal {
    /// Where it comes from, and what one unit of it is worth there.
    part: Part,
    worth: f64,
    terms: Vec<(usize, f64)>,
    is_free: bool,
    /// What one unit of it adds to [`Multipliers::slack`].
    slack: f64,
}

/// What the rows of one variable allow: whether they can take a negative and a positive entry, and the slack for each unit.
#[derive(Clone, Copy, Default)]
struct Bounds {
    takes_negative: Option<f64>,
    takes_positive: Option<f64>,
    /// The rows that do.
    rows: [usize; 2],
}

impl Bounds {
    fn leaves(self, entry: f64) -> f64 {
        let is_taken = if entry < 0.0 { self.takes_negative } else { self.takes_positive };
        if is_taken.is_some() { 0.0 } else { entry }
    }
}

/// The multipliers for `gradient` at `theta`, which lies in the set; `metric` is the diagonal of $D$. `None` if there are too many unknowns.
pub(crate) fn multipliers(conic: &Conic, theta: &[f64], gradient: &[f64], metric: &[f64]) -> Option<Multipliers> {
    by_rows_within(conic, theta, gradient, metric, 0.0).map(|(found, _)| found)
}

/// The same, with rows that nearly touch where those that touch leave much of the gradient, and less is proven by them alone. The distance then counts the slack as well: $\tfrac12\delta^2$ is
/// all that the multipliers leave open in the metric of scaled columns.
pub(crate) fn nearby_multipliers(
    conic: &Conic,
    theta: &[f64],
    gradient: &[f64],
    metric: &[f64],
) -> Option<Multipliers> {
    let (mut best, size) = by_rows_within(conic, theta, gradient, metric, 0.0)?;
    let left_open = |found: &Multipliers| found.slack + 0.5 * found.distance * found.distance;
    for nearness in NEARBY {
        if best.distance <= FAR * size {
            break;
        }
        let found = by_rows_within(conic, theta, gradient, metric, nearness);
        if let Some((mut found, _)) = found.filter(|(found, _)| left_open(found) < left_open(&best)) {
            found.distance = (2.0 * left_open(&found)).sqrt();
            best = found;
        }
    }
    Some(best)
}

/// The multipliers of rows that touch, or are so near to it, and the size of the gradient in the metric.
fn by_rows_within(
    conic: &Conic,
    theta: &[f64],
    gradient: &[f64],
    metric: &[f64],
    nearness: f64,
) -> Option<(Multipliers, f64)> {
    let x = conic.lifted(theta);
    let mut weights: Vec<f64> =
        without_flat(conic.coefficients(metric).iter().copied()).iter().map(|d| 1.0 / d).collect();
    weights.extend(conic.magnitudes.iter().map(|t| 1.0 / t.bend(|j| 1.0 / weights[j])).collect::<Vec<_>>());
    let mut start = conic.coefficients(gradient).to_vec();
    start.extend(conic.magnitudes.iter().map(|t| t.price));

    let mut bounds = vec![Bounds::default(); x.len()];
    let mut normals = Vec::new();
    // What matters as much as the variable that matters most.
    let unit = x.iter().zip(&weights).map(|(x, w)| x.abs() / w.sqrt()).fold(0.0, f64::max);
    for (number, row) in conic.rows.iter().enumerate() {
        let slack = (-row.excess(&x)).max(0.0);
        let usual = || row.terms.iter().map(|&(j, a)| a.abs() * unit * weights[j].sqrt()).sum::<f64>();
        let is_near = slack <= TOUCHING * row.size(&x) || (nearness > 0.0 && slack <= nearness * usual());
        if !row.is_equality && !is_near {
            continue;
        }
        if let [(j, a)] = row.terms[..] {
            let share = Some(if row.is_equality { 0.0 } else { slack / a.abs() });
            if row.is_equality || a > 0.0 {
                (bounds[j].takes_negative, bounds[j].rows[0]) = (share, number);
            }
            if row.is_equality || a < 0.0 {
                (bounds[j].takes_positive, bounds[j].rows[1]) = (share, number);
            }
        } else {
            let part = Part::Row(number);
            normals.push(Normal { part, worth: 1.0, terms: row.terms.clone(), is_free: row.is_equality, slack });
        }
    }
    let top = x.iter().fold(0.0_f64, |top, x| top.max(x.abs()));
    let mut apexes: Vec<(usize, &Round, f64)> = Vec::new();
    let slopes_at_start: Vec<f64> = start.iter().zip(&weights).map(|(g, w)| g * w).collect();
    for (number, ball) in conic.balls.iter().enumerate() {
        let part = Part::Ball(number);
        let (distance, slack) = (ball.distance(&x), ball.reach(&x) - ball.distance(&x));
        if let Some((k, a)) = ball.growth
            && ball.size(&x) <= TOUCHING * top.max(f64::MIN_POSITIVE)
        {
            // At the apex the normals are (ξ, −τ) with a‖ξ‖ ≤ τ: first those whose ξ is against the gradient, and more of them as the rest demands.
            let apex = (number, ball, ball.reach(&x).abs() + distance);
            normals.extend(steepest(apex, &start, 0.0));
            normals.extend(steepest(apex, &slopes_at_start, 0.0));
            normals.push(Normal { part, worth: 1.0, terms: vec![(k, -a)], is_free: false, slack: apex.2 });
            apexes.push(apex);
        } else if slack <= TOUCHING * ball.size(&x) {
            let mut terms: Vec<(usize, f64)> =
                ball.coordinates.iter().zip(&ball.center).map(|(&j, c)| (j, x[j] - c)).collect();
            terms.extend(ball.growth.map(|(k, a)| (k, -a * distance)));
            let size = if ball.growth.is_some() { distance } else { ball.radius };
            normals.push(Normal { part, worth: distance, terms, is_free: false, slack: slack.max(0.0) * size });
        }
    }
    if normals.len() > MOST {
        return None;
    }
    let mut found = least_squares(&start, &weights, &bounds, &normals);
    let mut entries = combined(&start, &normals, &found);
    for _ in 0..APEX_ROUNDS {
        let before = normals.len();
        let slopes: Vec<f64> = entries.iter().zip(&bounds).zip(&weights).map(|((e, b), w)| b.leaves(*e) * w).collect();
        normals.extend(apexes.iter().filter_map(|apex| steepest(*apex, &slopes, EXACT * norm(&slopes_at_start))));
        if normals.len() == before {
            break;
        }
        found = least_squares(&start, &weights, &bounds, &normals);
        entries = combined(&start, &normals, &found);
    }
    let mut slack: f64 = found.iter().zip(&normals).map(|(u, normal)| u.abs() * normal.slack).sum();
    let mut residual = Vec::with_capacity(x.len());
    let mut prices: BTreeMap<Part, f64> = BTreeMap::new();
    for (normal, u) in normals.iter().zip(&found).filter(|(_, u)| **u != 0.0) {
        *prices.entry(normal.part).or_default() += u * normal.worth;
    }
    for (j, &entry) in entries.iter().enumerate() {
        let left = bounds[j].leaves(entry);
        if entry != 0.0 && left == 0.0 {
            let number = bounds[j].rows[usize::from(entry > 0.0)];
            // A row a x ≤ b takes the entry −a z.
            let factor = conic.rows[number].terms.first().map_or(1.0, |term| term.1);
            *prices.entry(Part::Row(number)).or_default() -= entry / factor;
        }
        let taken = if entry < 0.0 { bounds[j].takes_negative } else { bounds[j].takes_positive };
        slack += taken.map_or(0.0, |share| share * entry.abs());
        residual.push(left);
        // A magnitude lies between zero and its limit, so its entry can be worth that much.
        if let Some(t) = j.checked_sub(conic.features) {
            slack += if left == 0.0 { 0.0 } else { left.abs() * conic.magnitudes[t].limit };
        }
    }
    let distance = residual.iter().zip(&weights).take(conic.features).map(|(r, w)| r * r * w).sum::<f64>().sqrt();
    let size = start.iter().zip(&weights).take(conic.features).map(|(g, w)| g * g * w).sum::<f64>().sqrt();
    Some((Multipliers { residual, distance, slack, prices: prices.into_iter().collect() }, size))
}

impl Multipliers {
    /// How straight the step $-D^{-1}r$ leads away from a row on which the point lies: the cosine of its angle with the row's inner normal. Holding a row with
    /// equality costs something where it is positive.
    pub(crate) fn leaving(&self, row: &super::Row, metric: impl Fn(usize) -> f64) -> f64 {
        let (mut along, mut length) = (0.0, 0.0);
        for &(j, a) in &row.terms {
            along += a * self.residual[j] / metric(j);
            length += a * a / metric(j);
        }
        along / (length.sqrt() * self.distance)
    }
}

/// Of the normals of a cone at its apex the one along which the squares fall fastest, if they fall by more than a number; `slopes` are their derivatives.
/// The point is at most `slack` away from the apex.
fn steepest((number, ball, slack): (usize, &Round, f64), slopes: &[f64], least: f64) -> Option<Normal> {
    let (k, a) = ball.growth?;
    let along = ball.coordinates.iter().map(|&j| slopes[j] * slopes[j]).sum::<f64>().sqrt();
    let falls = along + a * slopes[k];
    if along == 0.0 || falls <= least {
        return None;
    }
    let mut terms: Vec<(usize, f64)> = ball.coordinates.iter().map(|&j| (j, -slopes[j] / along)).collect();
    terms.push((k, -a));
    Some(Normal { part: Part::Ball(number), worth: 1.0, terms, is_free: false, slack })
}

/// The gradient with the multiples of the normals added.
fn combined(start: &[f64], normals: &[Normal], multiples: &[f64]) -> Vec<f64> {
    let mut entries = start.to_vec();
    for (normal, u) in normals.iter().zip(multiples).filter(|(_, u)| **u != 0.0) {
        normal.terms.iter().for_each(|&(j, a)| entries[j] += u * a);
    }
    entries
}

/// The multiples, those that are not free nonnegative, of least weighted squares of what bounds do not take.
///
/// Bounds on variables that the normals touch take part as normals themselves, unless they are too many; then the variables that
/// they take care of are left out of the squares, and counted again when a sign changes.
fn least_squares(start: &[f64], weights: &[f64], bounds: &[Bounds], normals: &[Normal]) -> Vec<f64> {
    if normals.is_empty() {
        return Vec::new();
    }
    let mut touched = vec![false; start.len()];
    normals.iter().flat_map(|normal| &normal.terms).for_each(|&(j, _)| touched[j] = true);
    let mut all: Vec<(&[(usize, f64)], bool)> = normals.iter().map(|n| (&n.terms[..], n.is_free)).collect();
    let mut units: Vec<([(usize, f64); 1], bool)> = Vec::new();
    for j in (0..start.len()).filter(|&j| touched[j]) {
        match (bounds[j].takes_negative, bounds[j].takes_positive) {
            (Some(_), Some(_)) => units.push(([(j, 1.0)], true)),
            (Some(_), None) => units.push(([(j, 1.0)], false)),
            (None, Some(_)) => units.push(([(j, -1.0)], false)),
            (None, None) => {}
        }
    }
    let is_explicit = normals.len() + units.len() <= MOST_EXPLICIT;
    if is_explicit {
        all.extend(units.iter().map(|(terms, is_free)| (&terms[..], *is_free)));
        let mut found = nonnegative(Squares { start, weights, counted: &touched }, &all);
        found.truncate(normals.len());
        return found;
    }
    let is_bounded = |j: usize| bounds[j].takes_negative.is_some() || bounds[j].takes_positive.is_some();
    let mut counted: Vec<bool> = (0..start.len()).map(|j| touched[j] && !is_bounded(j)).collect();
    let mut best = (f64::INFINITY, vec![0.0; normals.len()]);
    for _ in 0..ROUNDS {
        let found = nonnegative(Squares { start, weights, counted: &counted }, &all);
        let entries = combined(start, normals, &found);
        let left: Vec<f64> = entries.iter().zip(bounds).map(|(e, b)| b.leaves(*e)).collect();
        let value: f64 = left.iter().zip(weights).map(|(l, w)| l * l * w).sum();
        if value < best.0 {
            best = (value, found);
        }
        let now: Vec<bool> = (0..start.len()).map(|j| touched[j] && (!is_bounded(j) || left[j] != 0.0)).collect();
        if now == counted {
            break;
        }
        counted = now;
    }
    best.1
}

/// What is made small: $\sum w_jx_j^2$ over the counted variables, from $x$ at the start.
#[derive(Clone, Copy)]
struct Squares<'s> {
    start: &'s [f64],
    weights: &'s [f64],
    counted: &'s [bool],
}

/// Nonnegative least squares (free where marked) over the counted variables, as a quadratic program if plain least squares has a wrong sign.
fn nonnegative(squares: Squares, normals: &[(&[(usize, f64)], bool)]) -> Vec<f64> {
    let (count, Squares { start, weights, counted }) = (normals.len(), squares);
    let within = |terms: &[(usize, f64)]| {
        terms.iter().filter(|term| counted[term.0]).map(|&(j, a)| a * a * weights[j]).sum::<f64>().sqrt()
    };
    let lengths: Vec<f64> = normals.iter().map(|(terms, _)| within(terms)).collect();
    let basis: Vec<bool> = lengths.iter().map(|length| *length > 0.0).collect();
    let least = |basis: &[bool]| solved(squares, normals, basis, &lengths);
    let is_negative = |k: usize, u: &[f64], basis: &[bool]| basis[k] && !normals[k].1 && u[k] < 0.0;
    let now = least(&basis);
    // Usually all have the right sign at once.
    if (0..count).all(|k| !is_negative(k, &now, &basis)) {
        return now;
    }
    // Otherwise the signs make it a quadratic program of its own, in the multiples of unit normals.
    let size = start.len();
    let mut matrix = vec![0.0; count * size];
    for (k, (terms, _)) in normals.iter().enumerate().filter(|(k, _)| lengths[*k] > 0.0) {
        for &(j, a) in terms.iter().filter(|term| counted[term.0]) {
            matrix[k * size + j] = a * weights[j].sqrt() / lengths[k];
        }
    }
    let right: Vec<f64> = (0..size).map(|j| if counted[j] { start[j] * weights[j].sqrt() } else { 0.0 }).collect();
    let mut hessian = vec![0.0; count * count];
    gram(&matrix, count, size, &mut hessian);
    let linear: Vec<f64> = (0..count).map(|k| dot(&matrix[k * size..(k + 1) * size], &right)).collect();
    let signs = normals.iter().enumerate().filter(|(_, normal)| !normal.1);
    let conic = signs.fold(Conic::everything(count), |set, (k, _)| set.at_most(vec![(k, -1.0)], 0.0));
    let quadratic = Quadratic { hessian: Hessian::Dense(hessian), linear };
    let normal = |k: usize| &matrix[k * size..(k + 1) * size];
    let rest = |u: &[f64]| {
        let mut rest = right.clone();
        (0..count).for_each(|k| axpy(u[k], normal(k), &mut rest));
        rest
    };
    let size_of_rest = |u: &[f64]| norm_squared(&rest(u));
    let mut best: Vec<f64> =
        (0..count).map(|k| if normals[k].1 { now[k] } else { now[k].max(0.0) } * lengths[k]).collect();
    let mut least_squares = size_of_rest(&best);
    for reach in Reach::ALL {
        let Model::Found { x: mut u, mut active } =
            solve(&quadratic, &conic, &vec![0.0; count], reach, &mut Cholesky::default())
        else {
            continue;
        };
        let is_exact = refined(&quadratic, &conic, &mut u, &mut active);
        (0..count).filter(|&k| !normals[k].1).for_each(|k| u[k] = u[k].max(0.0));
        let found = size_of_rest(&u);
        if found < least_squares {
            (least_squares, best) = (found, u);
        }
        if is_exact {
            break;
        }
    }
    // The last digits: plain least squares over those that are not zero, and one at a time those that were zero wrongly or turn negative.
    let top = best.iter().fold(0.0_f64, |top, u| top.max(u.abs()));
    let mut basis: Vec<bool> =
        (0..count).map(|k| lengths[k] > 0.0 && (normals[k].1 || best[k] > SMALL_SHARE * top)).collect();
    for _ in 0..ROUNDS {
        // Lawson and Hanson: towards the least squares of the basis, as far as the signs allow.
        let mut now: Vec<f64> = (0..count).map(|k| if basis[k] { best[k] } else { 0.0 }).collect();
        loop {
            let trial: Vec<f64> = least(&basis).iter().zip(&lengths).map(|(u, length)| u * length).collect();
            let blocking = (0..count).filter(|&k| is_negative(k, &trial, &basis));
            let reach = |k: usize| now[k] / (now[k] - trial[k]);
            let Some(first) = blocking.min_by(|&a, &b| reach(a).total_cmp(&reach(b))) else {
                now = trial;
                break;
            };
            let t = reach(first).clamp(0.0, 1.0);
            now.iter_mut().zip(&trial).for_each(|(n, t_k)| *n += t * (t_k - *n));
            (now[first], basis[first]) = (0.0, false);
        }
        let found = size_of_rest(&now);
        if found < least_squares {
            (least_squares, best) = (found, now);
        } else if found > least_squares {
            break;
        }
        let rest = rest(&best);
        let length = norm(&rest);
        // The normal that the rest of the gradient leans on most joins.
        let leaning = |k: usize| -dot(normal(k), &rest);
        let next =
            (0..count).filter(|&k| !basis[k] && lengths[k] > 0.0).max_by(|&a, &b| leaning(a).total_cmp(&leaning(b)));
        match next {
            Some(k) if length > EXACT * norm(&right) && leaning(k) > EXACT * length => basis[k] = true,
            _ => break,
        }
    }
    best.iter().zip(&lengths).map(|(u, length)| if *length > 0.0 { u / length } else { 0.0 }).collect()
}

/// Least squares without signs, over the rows of the basis and the counted variables.
fn solved(squares: Squares, normals: &[(&[(usize, f64)], bool)], basis: &[bool], lengths: &[f64]) -> Vec<f64> {
    let Squares { start, weights, counted } = squares;
    let mut result = vec![0.0; normals.len()];
    let members: Vec<usize> = (0..normals.len()).filter(|&k| basis[k]).collect();
    let size = members.len();
    if size == 0 {
        return result;
    }
    // Which rows touch each variable: most touch few.
    let mut touching: Vec<Vec<(usize, f64)>> = vec![Vec::new(); start.len()];
    for (at, &k) in members.iter().enumerate() {
        for &(j, a) in normals[k].0.iter().filter(|term| counted[term.0]) {
            touching[j].push((at, a / lengths[k]));
        }
    }
    let mut plain = vec![0.0; size * size];
    for (j, rows) in touching.iter().enumerate() {
        for &(a, x) in rows {
            rows.iter().for_each(|&(b, y)| plain[a * size + b] += weights[j] * x * y);
        }
    }
    let mut cholesky = Cholesky::default();
    let factors = [1e-14, 1e-11, 1e-8].iter().any(|damping| {
        let matrix = cholesky.matrix(size);
        matrix.copy_from_slice(&plain);
        (0..size).for_each(|k| matrix[k * size + k] += damping);
        cholesky.factor()
    });
    if !factors {
        return result;
    }
    let mut multiples = vec![0.0; size];
    // The damping and rounding of the normal equations are removed by repeating on the residual.
    for _ in 0..4 {
        let mut entries = start.to_vec();
        for (j, rows) in touching.iter().enumerate() {
            entries[j] += rows.iter().map(|&(at, a)| a * multiples[at]).sum::<f64>();
        }
        let mut right = vec![0.0; size];
        for (j, rows) in touching.iter().enumerate() {
            rows.iter().for_each(|&(at, a)| right[at] -= a * weights[j] * entries[j]);
        }
        cholesky.solve(&mut right);
        multiples.iter_mut().zip(&right).for_each(|(m, d)| *m += d);
    }
    members.iter().zip(&multiples).for_each(|(&k, m)| result[k] = m / lengths[k]);
    result
}
