//! The words that settings can be, beside what they mean.

use super::StopRule;
use super::setting::Word;
use crate::effort::Effort;
use crate::sampling::Sampling;

/// How batches are drawn, in the order of the words.
pub(super) const SAMPLINGS: [Sampling; 4] =
    [Sampling::WithoutReplacement, Sampling::Reshuffled, Sampling::Cyclic, Sampling::FullBatch];
pub(super) const SAMPLING_WORDS: [Word; 4] = [
    Word { name: "without-replacement", alias: None, help: "Each batch afresh, its rows distinct" },
    Word { name: "reshuffled", alias: None, help: "Pass after pass, each in a new order" },
    Word { name: "cyclic", alias: None, help: "Consecutive rows, round and round" },
    Word { name: "full", alias: None, help: "All rows at every step" },
];

/// How hard the finish looks, in the order of the words.
pub(super) const EFFORTS: [Effort; 3] = [Effort::Quick, Effort::Normal, Effort::Thorough];
pub(super) const EFFORT_WORDS: [Word; 3] = [
    Word { name: "quick", alias: None, help: "Exchanges from where the iteration and a greedy path ended" },
    Word {
        name: "normal",
        alias: None,
        help: "Also from a path over all sizes, where that takes less than about a second",
    },
    Word {
        name: "thorough",
        alias: None,
        help: "The same up to a minute or so; for squared loss with a longer walk that goes uphill too",
    },
];

/// The rules of convergence, in the order of the words.
pub(super) const RULES: [StopRule; 2] = [StopRule::Settled, StopRule::Paper];
pub(super) const RULE_WORDS: [Word; 2] = [
    Word {
        name: "settled",
        alias: Some("default"),
        help: "Small relative changes over several checkpoints, close to the set",
    },
    Word {
        name: "paper",
        alias: None,
        help: "One small change of the objective on all rows, looked at after every step",
    },
];
