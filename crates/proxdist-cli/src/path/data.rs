//! The findings for programs: a JSON object and a table.

use super::Findings;
use crate::csv::field;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Columns of the table.
const COLUMNS: &str =
    "ridge,size,objective,mean,standard_error,aic,bic,ebic,separated,separated_folds,gap,proven,chosen,support";

impl Findings {
    /// One JSON object; `fit` is that of the chosen point.
    pub(crate) fn json(&self, fit: &Value) -> Value {
        let request = &self.request;
        let place = |at: Option<usize>| at.map(|at| self.place(at));
        json!({
            "command": "path",
            "version": env!("CARGO_PKG_VERSION"),
            "sizes": request.sizes.to_string(),
            "constraint": request.set.to_string(),
            "ridges": request.ridges.weights(),
            "select": request.select.to_string(),
            "rule": request.rule(),
            "folds": self.scores.as_ref().map(|_| request.folds),
            "choice": self.scores.as_ref().map(|_| request.choice.to_string()),
            "seed": request.seed,
            "points": self.points(),
            "best": place(self.best),
            "chosen": place(self.chosen),
            "interrupted": self.is_interrupted(),
            "notes": self.notes(),
            "fit": fit,
        })
    }

    fn place(&self, at: usize) -> Value {
        let point = &self.path.points[at];
        json!({"size": point.size, "ridge": point.ridge, "support": self.support(at)})
    }

    fn points(&self) -> Vec<Value> {
        let mut before: Option<usize> = None;
        let point = |at: usize| {
            let point = &self.path.points[at];
            let earlier = before.filter(|&before| self.path.points[before].size < point.size);
            let (enters, leaves) = self.change(earlier, at);
            before = Some(at);
            let score = self.scores.as_ref().map(|scores| &scores[at]);
            json!({
                "size": point.size,
                "ridge": point.ridge,
                "objective": point.objective,
                "stationarity": point.stationarity,
                "mean": score.map(|score| score.mean),
                "standard_error": score.map(|score| score.standard_error),
                "folds": score.map(|score| &score.folds),
                "aic": self.criteria.as_ref().map(|criteria| criteria.aic[at]),
                "bic": self.criteria.as_ref().map(|criteria| criteria.bic[at]),
                "ebic": self.criteria.as_ref().map(|criteria| criteria.ebic[at]),
                "gap": point.gap,
                "proven": point.proven().map(|proven| proven.to_string()),
                "separated": point.is_separated,
                "separated_folds": self.separated_folds(at),
                "support": self.support(at),
                "enters": enters,
                "leaves": leaves,
            })
        };
        self.shown().map(point).collect()
    }

    /// One line for each ridge and size; what there is none of is empty.
    pub(crate) fn table(&self) -> String {
        let mut text = format!("{COLUMNS}\n");
        let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
        for at in self.shown() {
            let point = &self.path.points[at];
            let score = self.scores.as_ref().map(|scores| &scores[at]);
            let criterion = |values: fn(&super::Criteria) -> &Vec<f64>| {
                number(self.criteria.as_ref().map(|criteria| values(criteria)[at]))
            };
            let _ = writeln!(
                text,
                "{},{},{},{},{},{},{},{},{},{},{},{},{},{}",
                point.ridge,
                point.size,
                point.objective,
                number(score.map(|score| score.mean)),
                number(score.map(|score| score.standard_error)),
                criterion(|criteria| &criteria.aic),
                criterion(|criteria| &criteria.bic),
                criterion(|criteria| &criteria.ebic),
                point.is_separated,
                self.separated_folds(at),
                number(point.gap),
                field(&point.proven().map_or_else(String::new, |proven| proven.to_string()), false),
                self.chosen == Some(at),
                field(&self.support(at).join(";"), false),
            );
        }
        text
    }
}
