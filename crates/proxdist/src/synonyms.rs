//! Other words for the losses and sets of the library, so that who knows one of them is told ours.

/// Words for losses; of ours the first that there is.
const LOSSES: &[(&[&str], &[&str])] = &[
    (
        &["ols", "mse", "l2", "linear", "gaussian", "normal", "least-squares", "squares", "rmse", "squared-error"],
        &["squared"],
    ),
    (
        &[
            "logit",
            "log-loss",
            "logloss",
            "binomial",
            "bernoulli",
            "bce",
            "cross-entropy",
            "crossentropy",
            "log",
            "softmax",
            "multinomial",
        ],
        &["logistic"],
    ),
    (&["lad", "mae", "l1", "absolute-error", "median"], &["absolute"]),
    (&["check", "pinball"], &["quantile:0.5"]),
    (&["robust", "smooth-l1"], &["huber:1.345"]),
    (&["svm", "svc"], &["hinge"]),
    (&["count", "counts"], &["poisson"]),
    (&["nb", "negbin", "negbinomial", "nbinom"], &["negative-binomial:1"]),
];

/// Words for sets.
const SETS: &[(&[&str], &str)] = &[
    (&["lasso", "l1-ball", "l1ball", "l1norm", "l1-norm"], "l1:R"),
    (&["l0", "subset", "best-subset", "sparse", "cardinality", "nonzeros", "k-sparse"], "sparsity:K"),
    (&["positive", "nonnegative", "non-negative", "nnls", "pos", "positivity"], "nonneg"),
    (&["l2", "norm", "euclidean", "l2-ball", "l2ball", "tikhonov"], "ball:R"),
    (&["max-norm", "infinity", "inf", "l-inf"], "linf:R"),
    (&["isotonic", "increasing", "decreasing", "ordered", "order"], "monotone"),
    (&["probability", "weights", "sum-to-one", "portfolio"], "simplex"),
    (&["bounds", "range", "interval", "limits", "clip"], "box:LOW,HIGH"),
    (&["low-rank", "lowrank", "nuclear"], "rank:K"),
    (&["tv", "total-variation", "fused-lasso"], "fused:R"),
    (&["group-lasso", "grouped", "groups"], "group-sparsity:K;size=S"),
    (&["piecewise-constant", "steps", "changepoints"], "jumps:K"),
    (&["piecewise-linear", "knots"], "kinks:K"),
    (&["unconstrained", "all", "no", "whole-space"], "none"),
];

/// Our loss for another word, if there is one among these names.
pub(crate) fn loss(word: &str, names: &[&str]) -> Option<&'static str> {
    let (_, ours) = LOSSES.iter().find(|(words, _)| is_among(word, words))?;
    ours.iter().find(|text| names.contains(&text.split(':').next().unwrap_or(text))).copied()
}

/// Our set for another word.
pub(crate) fn set(word: &str) -> Option<&'static str> {
    SETS.iter().find(|(words, _)| is_among(word, words)).map(|(_, ours)| *ours)
}

fn is_among(word: &str, words: &[&str]) -> bool {
    let plain = word.to_lowercase().replace(['_', ' '], "-");
    words.contains(&plain.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss;
    use crate::spec::{self, SetSpec};

    /// What is answered can be written, and no word of ours has another meaning here.
    #[test]
    fn answers_are_names_of_ours_and_words_are_not() {
        let names: Vec<&str> = loss::catalogue().iter().map(|entry| entry.name).collect();
        for (words, _) in LOSSES {
            for word in *words {
                let ours = super::loss(word, &names).unwrap_or_else(|| panic!("{word}"));
                assert!(loss::parse(ours).is_ok(), "{ours}");
                assert!(!names.contains(word), "{word} is a loss of ours");
                let message = loss::parse(word).err().map(|error| error.to_string()).unwrap_or_default();
                assert!(message.contains(&format!("did you mean {ours}")), "{message}");
            }
        }
        for (words, ours) in SETS {
            let name = ours.split(':').next().unwrap_or(ours);
            assert!(spec::sets().iter().any(|entry| entry.name == name), "{ours}");
            for word in *words {
                assert!(spec::sets().iter().all(|entry| entry.name != *word), "{word} is a set of ours");
                let message = SetSpec::parse(&format!("{word}:3")).unwrap_err().to_string();
                assert!(message.contains(&format!("did you mean {ours}")), "{message}");
            }
        }
        assert_eq!(set("Best_Subset"), Some("sparsity:K"));
    }
}
