//! Methods as text, `pd:momentum=yes;tolerance=1e-6`: a name and, after a colon, options `key=value` apart by semicolons.

use super::method::{Method, Split};
use super::proximal_gradient::NormPenalty;
use crate::error::{Error, Result};
use crate::loss;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// One line of the catalogue of methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MethodEntry {
    /// The word the method is called by.
    pub name: &'static str,
    /// How it is written, with its options.
    pub syntax: &'static str,
    /// Its step, with the learning rate `a = 1/rho_k` and a batch `B`.
    pub definition: &'static str,
    /// What it does with the set.
    pub set: &'static str,
}

const fn entry(name: &'static str, syntax: &'static str, definition: &'static str, set: &'static str) -> MethodEntry {
    MethodEntry { name, syntax, definition, set }
}

const EVERY_STEP: &str = "projects at every step";
const AT_THE_END: &str = "not seen by the steps; projects once, at the end";

const METHODS: &[MethodEntry] = &[
    entry(
        "spd",
        "spd",
        "stochastic proximal distance: theta <- prox of f_B at rho_k, from the projection of theta",
        EVERY_STEP,
    ),
    entry(
        "pd",
        "pd[:momentum=yes;tolerance=T]",
        "proximal distance on all rows: theta <- prox of F at rho_k, from the projection of theta; with Nesterov's momentum, \
         or leaving a level of a geometric schedule once steps are below T",
        EVERY_STEP,
    ),
    entry(
        "psgd",
        "psgd",
        "projected stochastic gradient: theta <- projection of theta - a grad f_B(theta); stochastic hard thresholding \
         under sparsity",
        EVERY_STEP,
    ),
    entry("sgd", "sgd", "stochastic gradient: theta <- theta - a grad f_B(theta)", AT_THE_END),
    entry(
        "isgd",
        "isgd",
        "implicit stochastic gradient, or stochastic proximal point: theta <- prox of f_B at rho_k, from theta",
        AT_THE_END,
    ),
    entry(
        "incremental",
        "incremental[:g=none|ridge|LOSS;order=prox-first|gradient-first;between=free|projected]",
        "incremental proximal (Bertsekas): eta <- prox of f_B, theta <- projection of eta - a grad g_B(eta), or the gradient \
         first; g is nothing, the ridge term or a LOSS that is added to F",
        "projects at every step, if wanted also in between",
    ),
    entry(
        "spg",
        "spg[:l1=X or l2=X]",
        "stochastic proximal gradient: theta <- prox of a q at theta - a grad f_B(theta), with q the set, X |theta|_1 or \
         X/2 |theta|^2, which is added to F",
        "projects at every step; none with a penalty",
    ),
    entry(
        "prm",
        "prm[:steps=M]",
        "proximal Robbins-Monro: the step of spd with its prox solved by M stochastic gradient steps, one a row of the batch",
        EVERY_STEP,
    ),
    entry(
        "cspp",
        "cspp[:tolerance=T]",
        "constrained stochastic proximal point: theta <- the point of the set with least f_B + rho_k/2 |. - theta|^2",
        "minimises over the set at every step",
    ),
];

/// Every method of the library.
pub fn catalogue() -> &'static [MethodEntry] {
    METHODS
}

/// Tolerance of the inner problems of `cspp` unless another is given.
const INNER_TOLERANCE: f64 = 1e-6;

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, options) = match self {
            Self::ProximalDistance => ("spd", vec![]),
            Self::FullBatch { momentum, tolerance } => {
                let momentum = momentum.then(|| "momentum=yes".to_owned());
                ("pd", momentum.into_iter().chain(tolerance.map(|t| format!("tolerance={t}"))).collect())
            }
            Self::ProjectedGradient => ("psgd", vec![]),
            Self::Gradient => ("sgd", vec![]),
            Self::ImplicitGradient => ("isgd", vec![]),
            Self::Incremental { split, gradient_first, project_between } => {
                let split = match split {
                    Split::Nothing => None,
                    Split::Ridge => Some("g=ridge".to_owned()),
                    Split::Loss(loss) => Some(format!("g={}", loss.spec())),
                };
                let order = gradient_first.then(|| "order=gradient-first".to_owned());
                let between = project_between.then(|| "between=projected".to_owned());
                ("incremental", [split, order, between].into_iter().flatten().collect())
            }
            Self::ProximalGradient { penalty } => {
                let penalty = penalty.map(|penalty| match penalty {
                    NormPenalty::L1(weight) => format!("l1={weight}"),
                    NormPenalty::L2(weight) => format!("l2={weight}"),
                });
                ("spg", penalty.into_iter().collect())
            }
            Self::RobbinsMonro { steps } => ("prm", steps.map(|m| format!("steps={m}")).into_iter().collect()),
            Self::ConstrainedPoint { tolerance } => {
                let is_usual = *tolerance == INNER_TOLERANCE;
                ("cspp", (!is_usual).then(|| format!("tolerance={tolerance}")).into_iter().collect())
            }
        };
        f.write_str(name)?;
        if options.is_empty() { Ok(()) } else { write!(f, ":{}", options.join(";")) }
    }
}

impl FromStr for Method {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let mut options = Options::of(text)?;
        let method = match options.name {
            "spd" => Self::ProximalDistance,
            "pd" => Self::FullBatch {
                momentum: options.choice("momentum", ["no", "yes"])?,
                tolerance: options.number("tolerance")?,
            },
            "psgd" => Self::ProjectedGradient,
            "sgd" => Self::Gradient,
            "isgd" => Self::ImplicitGradient,
            "incremental" => Self::Incremental {
                split: options.split()?,
                gradient_first: options.choice("order", ["prox-first", "gradient-first"])?,
                project_between: options.choice("between", ["free", "projected"])?,
            },
            "spg" => {
                let (l1, l2) = (options.number("l1")?.map(NormPenalty::L1), options.number("l2")?.map(NormPenalty::L2));
                if l1.is_some() && l2.is_some() {
                    return Err(options.error("l2", "give l1 or l2, not both"));
                }
                Self::ProximalGradient { penalty: l1.or(l2) }
            }
            "prm" => Self::RobbinsMonro { steps: options.count("steps")? },
            "cspp" => Self::ConstrainedPoint { tolerance: options.number("tolerance")?.unwrap_or(INNER_TOLERANCE) },
            other => {
                let known: Vec<&str> = METHODS.iter().map(|entry| entry.name).collect();
                return Err(options.error(other, format!("no such method; the methods are {}", known.join(", "))));
            }
        };
        options.finish()?;
        Ok(method)
    }
}

/// The name and what is left of the options.
struct Options<'t> {
    text: &'t str,
    name: &'t str,
    left: Vec<(&'t str, &'t str)>,
}

impl<'t> Options<'t> {
    fn of(text: &'t str) -> Result<Self> {
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        let mut options = Self { text, name: name.trim(), left: Vec::new() };
        for part in rest.split(';').map(str::trim).filter(|part| !part.is_empty()) {
            let Some((key, value)) = part.split_once('=') else {
                return Err(options.error(part, "options are written key=value, apart by semicolons"));
            };
            let (key, value) = (key.trim(), value.trim());
            if options.left.iter().any(|(taken, _)| *taken == key) {
                return Err(options.error(key, "is given twice"));
            }
            options.left.push((key, value));
        }
        Ok(options)
    }

    fn error(&self, at: &str, reason: impl Into<String>) -> Error {
        let before = self.text.find(at).map_or(0, |byte| self.text[..byte].chars().count());
        let (text, at, reason) = (self.text.to_owned(), at.to_owned(), reason.into());
        Error::Spec { text, at, position: before + 1, reason }
    }

    fn take(&mut self, key: &str) -> Option<&'t str> {
        let place = self.left.iter().position(|(name, _)| *name == key)?;
        Some(self.left.remove(place).1)
    }

    fn number(&mut self, key: &str) -> Result<Option<f64>> {
        let Some(value) = self.take(key) else { return Ok(None) };
        match value.parse::<f64>() {
            Ok(number) if number > 0.0 && number.is_finite() => Ok(Some(number)),
            _ => Err(self.error(value, format!("{key} needs a positive number"))),
        }
    }

    fn count(&mut self, key: &str) -> Result<Option<usize>> {
        let Some(value) = self.take(key) else { return Ok(None) };
        match value.parse::<usize>() {
            Ok(number) if number > 0 => Ok(Some(number)),
            _ => Err(self.error(value, format!("{key} needs a whole number from 1"))),
        }
    }

    /// Whether the second of two words is given; the first is what holds otherwise.
    fn choice(&mut self, key: &str, [usual, other]: [&str; 2]) -> Result<bool> {
        match self.take(key) {
            None => Ok(false),
            Some(word) if word == usual => Ok(false),
            Some(word) if word == other => Ok(true),
            Some(word) => Err(self.error(word, format!("{key} is {usual} or {other}"))),
        }
    }

    fn split(&mut self) -> Result<Split> {
        match self.take("g") {
            None | Some("none") => Ok(Split::Nothing),
            Some("ridge") => Ok(Split::Ridge),
            Some(word) => match loss::parse(word) {
                Ok(loss) => Ok(Split::Loss(Arc::from(loss))),
                Err(_) => Err(self.error(word, "g is none, ridge or a loss such as huber:2")),
            },
        }
    }

    fn finish(self) -> Result<()> {
        let Some((key, _)) = self.left.first() else { return Ok(()) };
        let entry = METHODS.iter().find(|entry| entry.name == self.name);
        let syntax = entry.map_or("", |entry| entry.syntax);
        Err(self.error(key, format!("no such option; the method is written {syntax}")))
    }
}
