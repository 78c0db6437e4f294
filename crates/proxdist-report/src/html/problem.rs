//! The problem that was solved, in readable mathematics.

use super::formula::typeset;
use super::{facts, part};
use crate::escape::escape;
use crate::input::Fact;
use crate::number::{count, number};
use serde::{Deserialize, Serialize};

/// What was solved.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Problem {
    /// The loss as it is specified, such as `logistic` or `huber:1.345`.
    pub loss: String,
    /// Its formula, such as `½ (y − η)^2`: single letters are symbols, `^` raises the sign after it. None if empty.
    pub loss_formula: String,
    /// The set in words, such as "at most 20 nonzero coefficients".
    pub set: String,
    /// The set as it is specified, such as `sparsity:20`.
    pub spec: String,
    /// Number of observations.
    pub rows: usize,
    /// Number of coefficients.
    pub columns: usize,
    /// Rows and columns of the coefficient matrix, for models that have one.
    pub shape: Option<(usize, usize)>,
    /// Weight λ of the ridge term.
    pub ridge: f64,
    /// Whether there is an intercept, which the set does not constrain.
    pub intercept: bool,
    /// Whether observations have weights.
    pub weighted: bool,
    /// Whether the linear predictor has an offset.
    pub offset: bool,
    /// More to say, such as the file and the name of the target.
    pub facts: Vec<Fact>,
}

impl Problem {
    pub(super) fn section(&self) -> String {
        let theta = if self.shape.is_some() { "Θ" } else { "θ" };
        let arguments = if self.intercept { format!("{theta}, <i>β</i><sub>0</sub>") } else { theta.into() };
        let (mean, weight) = if self.weighted {
            (
                "(1 / Σ<sub><i>i</i></sub> <i>w<sub>i</sub></i>) Σ<sub><i>i</i></sub> <i>w<sub>i</sub></i> ",
                ", weights <i>w<sub>i</sub></i>",
            )
        } else {
            ("(1/<i>n</i>) Σ<sub><i>i</i></sub> ", "")
        };
        let ridge =
            if self.ridge > 0.0 { format!(" + (<i>λ</i>/2) ‖{theta}‖<sup>2</sup>") } else { String::new() };
        let whole_space = matches!(self.spec.as_str(), "" | "none");
        let over = if whole_space { String::new() } else { format!(" over {theta} ∈ <i>C</i>") };
        let product = if self.shape.is_some() {
            "⟨X<sub><i>i</i></sub>, Θ⟩"
        } else {
            "<i>x<sub>i</sub></i><sup>⊤</sup>θ"
        };
        let intercept = if self.intercept { " + <i>β</i><sub>0</sub>" } else { "" };
        let offset = if self.offset { " + <i>o<sub>i</sub></i>" } else { "" };
        let mut maths = format!(
            "<div>minimise <i>F</i>({arguments}) = {mean}<i>ℓ</i>(<i>η<sub>i</sub></i>; <i>y<sub>i</sub></i>){ridge}{over}</div>\n\
             <div>with <i>η<sub>i</sub></i> = {product}{intercept}{offset}{weight}</div>\n"
        );
        if !self.loss_formula.is_empty() {
            let formula = typeset(&self.loss_formula);
            maths.push_str(&format!("<div><i>ℓ</i>(<i>η</i>; <i>y</i>) = {formula}</div>\n"));
        }
        if !whole_space && !self.set.is_empty() {
            maths.push_str(&format!("<div><i>C</i>: {}</div>\n", escape(&self.set)));
        }
        let mut rows =
            vec![Fact::new("Observations n", count(self.rows)), Fact::new("Coefficients p", count(self.columns))];
        if let Some((r, c)) = self.shape {
            rows.push(Fact::new("Shape of Θ", format!("{r} × {c}")));
        }
        rows.extend(
            [("Loss", &self.loss), ("Set", &self.spec)].iter().filter(|f| !f.1.is_empty()).map(|f| Fact::new(f.0, f.1)),
        );
        if self.ridge != 0.0 {
            rows.push(Fact::new("Ridge λ", number(self.ridge, 6)));
        }
        let intercept = if self.intercept { "yes, not constrained" } else { "none" };
        rows.push(Fact::new("Intercept", intercept));
        rows.extend(self.facts.iter().cloned());
        part("Problem", &format!("<div class=\"math\">\n{maths}</div>\n{}", facts(&rows)))
    }
}
