//! Active constraints and their shadow prices.
//!
//! At the minimiser of F over a convex set $\{a_i^T\theta \le b_i,\ \|\theta - c_k\| \le r_k\}$ the gradient is balanced by multiples of the normals of the rows and balls that hold with equality,
//! $\nabla F(\theta) + \sum z_ia_i + \sum\lambda_k(\theta - c_k)/\|\theta - c_k\| = 0$. The multiple of a row is its price: F falls by $z_i$ for each unit that $b_i$ is larger, and by
//! $\lambda_k$ for each unit of radius. F is the *average* loss, so a price times the number of rows is in units of the summed loss.

use crate::conic::{Conic, Part, Row, multipliers};
use crate::constraint::Constraint;
use crate::data::Data;
use crate::error::Result;
use crate::loss::Loss;
use crate::objective::Objective;
use crate::ridge::Ridge;
use crate::scaling::Scaling;
use crate::words::number;
use serde::Serialize;

/// A constraint that holds with equality and costs something.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Active {
    /// What it says, in names of features.
    pub constraint: String,
    /// By how much F falls for each unit that its limit gives way.
    pub price: f64,
}

/// What the constraints of a convex set cost at a model.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Prices {
    /// Those that hold with equality and have a price, in the order of the set.
    pub active: Vec<Active>,
    /// What is left of the gradient once the prices are paid, as a share of it: 0 at a minimiser, so a large share says that the rows are not those of the fit.
    pub rest: f64,
}

/// Prices below this share of the largest are rounding.
const NEGLIGIBLE: f64 = 1e-9;
/// Terms of a row that are written out.
const SHOWN: usize = 6;

/// The prices at a model, in the units of the data; `None` where the set is not known by rows and balls, or has none.
pub fn prices(
    data: &Data,
    loss: &dyn Loss,
    ridge: Ridge,
    set: &dyn Constraint,
    (coefficients, intercept): (&[f64], Option<f64>),
) -> Result<Option<Prices>> {
    let Some(conic) = set.structure().conic(coefficients.len()) else { return Ok(None) };
    if conic.rows.is_empty() && conic.balls.is_empty() {
        return Ok(None);
    }
    let mut theta = coefficients.to_vec();
    theta.extend(intercept);
    let mut gradient = vec![0.0; theta.len()];
    Objective::new(data, loss, ridge).intercept(intercept.is_some()).gradient(&theta, &mut gradient)?;
    let metric = Scaling::of(data, intercept.is_some())?.variances();
    let gradient = &gradient[..coefficients.len()];
    let Some(found) = multipliers(&conic, coefficients, gradient, &metric) else { return Ok(None) };
    let size = |v: &[f64]| {
        let each = v.iter().zip(&metric).filter(|(_, d)| **d > 0.0);
        each.map(|(v, d)| v * v / d).sum::<f64>().sqrt()
    };
    let whole = size(gradient);
    let top = found.prices.iter().fold(0.0_f64, |top, (_, price)| top.max(price.abs()));
    let names = |j: usize| data.feature_names().map_or_else(|| format!("V{}", j + 1), |names| names[j].clone());
    let active = found
        .prices
        .iter()
        .filter(|(_, price)| price.abs() > NEGLIGIBLE * top)
        .filter_map(|&(part, price)| Some(Active { constraint: said(&conic, part, &names)?, price }))
        .collect();
    Ok(Some(Prices {
        active,
        rest: if whole > 0.0 { size(&found.residual[..coefficients.len()]) / whole } else { 0.0 },
    }))
}

/// A part of the set in words; nothing for rows that only say what a magnitude is.
fn said(conic: &Conic, part: Part, names: &dyn Fn(usize) -> String) -> Option<String> {
    match part {
        Part::Row(number) => row_text(conic, &conic.rows[number], names),
        Part::Ball(at) => {
            let ball = &conic.balls[at];
            let listed: Vec<String> = ball.coordinates.iter().take(SHOWN).map(|&j| names(j)).collect();
            let more = if ball.coordinates.len() > SHOWN { ", …" } else { "" };
            let who = if ball.coordinates.len() == conic.features {
                "all coefficients".to_owned()
            } else {
                format!("{}{more}", listed.join(", "))
            };
            let center = if ball.center.iter().all(|c| *c == 0.0) { "" } else { " from the center" };
            let limit = match ball.growth {
                None => number(ball.radius),
                Some((k, slope)) if ball.radius == 0.0 => format!("{} {}", number(slope), names(k)),
                Some((k, slope)) => format!("{} + {} {}", number(ball.radius), number(slope), names(k)),
            };
            Some(format!("length of ({who}){center} <= {limit}"))
        }
    }
}

fn row_text(conic: &Conic, row: &Row, names: &dyn Fn(usize) -> String) -> Option<String> {
    // A magnitude is at least what it stands for.
    if row.terms.iter().any(|&(j, a)| j >= conic.features && a < 0.0) {
        return None;
    }
    let is_single = row.terms.len() == 1;
    // −a ≤ −l reads better as a ≥ l.
    let turned = is_single && row.terms[0].1 < 0.0;
    let sign = if turned { -1.0 } else { 1.0 };
    let mut text = String::new();
    for (at, &(j, a)) in row.terms.iter().enumerate() {
        if at == SHOWN {
            text += " + …";
            break;
        }
        let factor = sign * a;
        let join = match (at, factor < 0.0) {
            (0, false) => "",
            (0, true) => "-",
            (_, false) => " + ",
            (_, true) => " - ",
        };
        let size = if factor.abs() == 1.0 { String::new() } else { format!("{} ", number(factor.abs())) };
        text.extend([join, &size, &variable(conic, j, names)]);
    }
    let relation = match (row.is_equality, turned) {
        (true, _) => "=",
        (false, true) => ">=",
        (false, false) => "<=",
    };
    let right = sign * row.right;
    Some(format!("{text} {relation} {}", number(if right == 0.0 { 0.0 } else { right })))
}

fn variable(conic: &Conic, j: usize, names: &dyn Fn(usize) -> String) -> String {
    let Some(at) = j.checked_sub(conic.features) else { return names(j) };
    match &conic.magnitudes[at].of[..] {
        [(k, a)] if *a == 1.0 => format!("|{}|", names(*k)),
        [(k, a), (l, b)] if *a == -1.0 && *b == 1.0 => format!("|{} - {}|", names(*l), names(*k)),
        [(k, a), (l, b)] if *a == 1.0 && *b == -1.0 => format!("|{} - {}|", names(*k), names(*l)),
        terms => {
            let each: Vec<String> = terms.iter().map(|&(k, a)| format!("{} {}", number(a), names(k))).collect();
            format!("|{}|", each.join(" + "))
        }
    }
}
