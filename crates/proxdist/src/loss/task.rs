//! What a loss is about: the responses it explains, and what its linear predictor says about them.

use super::logistic::sigmoid;

/// The kind of response that a loss explains. It decides which responses are allowed, what a prediction is and what is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Task {
    /// Any number.
    Regression,
    /// A label, 0 or 1.
    TwoClasses,
    /// A count or rate, zero or positive.
    Counts,
    /// An amount above zero.
    Amounts,
}

impl Task {
    /// One word, as programs write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Regression => "regression",
            Self::TwoClasses => "two-classes",
            Self::Counts => "counts",
            Self::Amounts => "amounts",
        }
    }

    /// The responses, for a list of losses.
    pub fn responses(self) -> &'static str {
        match self {
            Self::Regression => "any number",
            Self::TwoClasses => "0 or 1",
            Self::Counts => "zero or positive",
            Self::Amounts => "positive",
        }
    }

    /// `Err` with the rule in words if a response does not belong to the task.
    pub fn check_response(self, response: f64) -> Result<(), &'static str> {
        let (is_allowed, rule) = match self {
            Self::Regression => (true, "numbers"),
            Self::TwoClasses => (response == 0.0 || response == 1.0, "labels 0 or 1"),
            Self::Counts => (response >= 0.0, "counts or rates that are zero or positive"),
            Self::Amounts => (response > 0.0, "amounts above zero"),
        };
        if is_allowed { Ok(()) } else { Err(rule) }
    }

    /// The task of two losses of the same response: that of the one which takes fewer responses.
    pub(super) fn both(self, other: Self) -> Self {
        match (self, other) {
            (Self::TwoClasses, _) | (_, Self::TwoClasses) => Self::TwoClasses,
            (Self::Amounts, _) | (_, Self::Amounts) => Self::Amounts,
            (Self::Counts, _) | (_, Self::Counts) => Self::Counts,
            (Self::Regression, Self::Regression) => Self::Regression,
        }
    }

    /// The link of a loss that does not say more than its task. No probability is claimed.
    pub(super) fn usual_link(self) -> Link {
        match self {
            Self::Regression => Link::Identity,
            Self::TwoClasses => Link::Margin,
            Self::Counts | Self::Amounts => Link::Log,
        }
    }
}

/// How a linear predictor $\eta$ becomes the mean $\mu$ of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Link {
    /// $\mu = \eta$
    Identity,
    /// $\mu = e^\eta$
    Log,
    /// $\mu = 1/(1 + e^{-\eta})$, the probability of the label 1.
    Logit,
    /// Only the sign of $\eta$ is meant, it decides between two classes; there is no mean, and $\eta$ stands in for it.
    Margin,
    /// Another function, which the loss gives as [`super::Loss::mean`]; of two classes it is the probability of the label 1.
    Own,
}

impl Link {
    /// The mean that a linear predictor stands for. [`Link::Own`] does not know it and gives $\eta$ back.
    pub fn mean(self, predictor: f64) -> f64 {
        match self {
            Self::Identity | Self::Margin | Self::Own => predictor,
            Self::Log => predictor.exp(),
            Self::Logit => sigmoid(predictor),
        }
    }
}
