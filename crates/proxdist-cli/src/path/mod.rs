//! What `path` found: models of all sizes, and the one that is chosen.

mod data;
mod page;
mod search;
mod text;
mod watch;

pub(crate) use search::{Found, Searched, search};

use crate::args::{PathArgs, Ridges, Select, Sizes};
use crate::failure::{Failure, Result};
use crate::setup;
use crate::words::{number, plural};
use proxdist::path::{Criterion, Path, PathPoint, PathScore};
use proxdist::selection::{Choice, Grid};
use proxdist::spec::SetSpec;

/// Sizes that are looked at if none are named.
const USUAL: usize = 30;
/// The size of sparsity that stands beside a set without one.
const UNSAID: usize = usize::MAX;

/// The set of `--constraint`, with sparsity beside it where it has no number of features or groups.
pub(crate) fn set(texts: &[String]) -> Result<SetSpec> {
    let written = setup::constraint(texts)?;
    if written.size().is_some() {
        return Ok(written);
    }
    let shown = written.to_string();
    let sparse = SetSpec::Sparsity { keep: UNSAID };
    let set = if written == SetSpec::WholeSpace { sparse } else { SetSpec::all_of([written, sparse]) };
    if set.size().is_none() {
        let message = format!(
            "--constraint {shown}: it has several numbers of features or groups, and a path replaces one by each size"
        );
        return Err(Failure::new(message, "`proxdist tune --grid` varies several numbers"));
    }
    Ok(set)
}

/// What is looked for.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) sizes: Sizes,
    /// The set, with the largest size.
    pub(crate) set: SetSpec,
    pub(crate) ridges: Ridges,
    pub(crate) select: Select,
    pub(crate) choice: Choice,
    pub(crate) folds: usize,
    pub(crate) seed: u64,
    /// Whether the ridge acts on standardised effects.
    on_effects: bool,
}

impl Request {
    /// What the options ask for of data with so many rows and columns; `set` is that of the options.
    pub(crate) fn of(args: &PathArgs, set: &SetSpec, seed: u64, (rows, columns): (usize, usize)) -> Result<Self> {
        let usual = || match set.size() {
            Some(size) if size != UNSAID && size > 0 => Sizes::up_to(size),
            _ => Sizes::up_to(USUAL.min(columns).min(rows / 2).max(1)),
        };
        let sizes = args.sizes.clone().unwrap_or_else(usual);
        if sizes.largest() > columns {
            let message = format!("--sizes {sizes}: there are {}", plural(columns, "feature"));
            return Err(Failure::new(message, format!("choose sizes from 1 to {columns}")));
        }
        let ridges = args.ridge_grid.clone().unwrap_or_else(|| match args.select {
            Select::CrossValidation => Ridges::usual(),
            // Criteria do not know what a ridge does: the smallest would always win.
            _ => Ridges::none(),
        });
        let (select, choice, folds) = (args.select, args.choice, args.folds);
        let set = set.with_size(sizes.largest()).unwrap_or(SetSpec::Sparsity { keep: sizes.largest() });
        Ok(Self { sizes, set, ridges, select, choice, folds, seed, on_effects: !args.units.no_standardize })
    }

    /// The sizes and ridges as a grid; sizes ascend, so that each starts from the one before.
    pub(crate) fn grid(&self) -> Result<Grid> {
        let of_groups = self.set.counts_groups();
        let sizes: Vec<String> =
            (0..=self.sizes.largest()).filter(|size| self.sizes.has(*size)).map(|size| size.to_string()).collect();
        let ridges: Vec<String> = self.ridges.weights().iter().map(|weight| format!("{weight:e}")).collect();
        let name = if of_groups { "group-sparsity" } else { "sparsity" };
        Ok(Grid::parse([format!("ridge:{}", ridges.join(",")), format!("{name}:{}", sizes.join(","))])?)
    }

    /// The set with this size.
    pub(crate) fn set_of(&self, size: usize) -> SetSpec {
        self.set.with_size(size).unwrap_or(SetSpec::Sparsity { keep: size })
    }

    /// Whether features are chosen freely.
    fn is_plain(&self) -> bool {
        matches!(self.set, SetSpec::Sparsity { .. })
    }

    /// What a size counts.
    fn unit(&self) -> &'static str {
        if self.set.counts_groups() { "group" } else { "feature" }
    }

    /// How a size is chosen, in words.
    pub(crate) fn rule(&self) -> String {
        match self.select {
            Select::CrossValidation => {
                let rule = match self.choice {
                    Choice::Best => "the best",
                    _ => "the smallest size within one standard error of the best",
                };
                format!("{}-fold cross-validation, {rule}", self.folds)
            }
            Select::Criterion(criterion) => format!("the least {}", name(criterion)),
            Select::Nothing => "nothing, as --select none asks".to_owned(),
        }
    }

    /// The ridge weights, in words.
    pub(crate) fn ridges_in_words(&self) -> String {
        if self.ridges.largest() == 0.0 {
            return "no ridge".to_owned();
        }
        let on = if self.on_effects { "on standardised effects" } else { "on coefficients" };
        format!("ridge {} {on}", self.ridges)
    }
}

/// The criterion in words.
pub(crate) fn name(criterion: Criterion) -> String {
    match criterion {
        Criterion::Akaike => "AIC".to_owned(),
        Criterion::Bayes => "BIC".to_owned(),
        Criterion::ExtendedBayes { gamma } => format!("EBIC with gamma {}", number(gamma)),
        _ => "criterion".to_owned(),
    }
}

/// The criteria of all points, for losses that are likelihoods.
struct Criteria {
    aic: Vec<f64>,
    bic: Vec<f64>,
    ebic: Vec<f64>,
}

impl Criteria {
    fn of(path: &Path, select: Select) -> Option<Self> {
        let extended = match select {
            Select::Criterion(criterion @ Criterion::ExtendedBayes { .. }) => criterion,
            _ => Select::EXTENDED,
        };
        let values = |criterion| path.criterion(criterion).ok();
        Some(Self { aic: values(Criterion::Akaike)?, bic: values(Criterion::Bayes)?, ebic: values(extended)? })
    }

    fn values(&self, criterion: Criterion) -> &[f64] {
        match criterion {
            Criterion::Akaike => &self.aic,
            Criterion::Bayes => &self.bic,
            _ => &self.ebic,
        }
    }
}

/// Everything there is to tell but the fit of the chosen point.
pub(crate) struct Findings {
    request: Request,
    path: Path,
    criteria: Option<Criteria>,
    scores: Option<Vec<PathScore>>,
    /// Position of the best score or criterion.
    best: Option<usize>,
    /// Position of the chosen point.
    pub(crate) chosen: Option<usize>,
    names: Vec<String>,
    is_scaled: bool,
}

impl Findings {
    /// What was found, and the choice among the sizes that were asked for.
    pub(crate) fn new(request: Request, found: Found, names: Vec<String>) -> Result<Self> {
        let Found { path, units, validated } = found;
        let criteria = Criteria::of(&path, request.select);
        let mut findings = Self {
            criteria,
            scores: None,
            best: None,
            chosen: None,
            names,
            is_scaled: units.is_scaled(),
            request,
            path,
        };
        if findings.shown().next().is_none() {
            return Err(Failure::interrupted());
        }
        if let Some(validated) = validated {
            findings.scores = Some(validated.scores);
            findings.best = Some(validated.best);
            let is_best = findings.request.choice == Choice::Best;
            findings.chosen = Some(if is_best { validated.best } else { validated.simplest });
        } else if let Select::Criterion(criterion) = findings.request.select {
            // Says why where there is none.
            findings.path.criterion(criterion)?;
            findings.best = findings.criteria.as_ref().and_then(|criteria| {
                let values = criteria.values(criterion);
                findings.shown().min_by(|&a, &b| values[a].total_cmp(&values[b]))
            });
            findings.chosen = findings.best;
        }
        Ok(findings)
    }

    /// The chosen point.
    pub(crate) fn chosen_point(&self) -> Option<&PathPoint> {
        self.path.points.get(self.chosen?)
    }

    /// The set of a point.
    pub(crate) fn set_of(&self, point: &PathPoint) -> SetSpec {
        self.request.set_of(point.size)
    }

    /// The seed of the folds.
    pub(crate) fn seed(&self) -> u64 {
        self.request.seed
    }

    /// Whether someone ended the search.
    pub(crate) fn is_interrupted(&self) -> bool {
        let is_unscored = self.request.select == Select::CrossValidation && self.scores.is_none();
        self.path.is_interrupted || is_unscored
    }

    /// Positions of the sizes that were asked for.
    fn shown(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.path.points.len()).filter(|&at| self.request.sizes.has(self.path.points[at].size))
    }

    /// The same for one ridge.
    fn shown_of(&self, ridge: f64) -> Vec<usize> {
        self.shown().filter(|&at| self.path.points[at].ridge.total_cmp(&ridge).is_eq()).collect()
    }

    /// The ridges that there are points of.
    fn ridges(&self) -> Vec<f64> {
        self.path.by_ridge().filter_map(|points| Some(points.first()?.ridge)).collect()
    }

    /// The ridge that the table and the pictures are about: the chosen one, or the first.
    fn main_ridge(&self) -> f64 {
        self.chosen_point().or(self.path.points.first()).map_or(0.0, |point| point.ridge)
    }

    /// Names of the features of a point.
    fn support(&self, at: usize) -> Vec<&str> {
        self.path.points[at].support.iter().map(|&j| self.name(j)).collect()
    }

    fn name(&self, feature: usize) -> &str {
        self.names.get(feature).map_or("", String::as_str)
    }

    /// Names of the features that enter and leave from a point to another; from nothing at first.
    fn change(&self, before: Option<usize>, at: usize) -> (Vec<&str>, Vec<&str>) {
        let old = before.map_or(&[][..], |before| &self.path.points[before].support);
        let new = &self.path.points[at].support;
        let without = |from: &[usize], other: &[usize]| -> Vec<&str> {
            from.iter().filter(|j| !other.contains(j)).map(|&j| self.name(j)).collect()
        };
        (without(new, old), without(old, new))
    }

    /// Folds without a minimum of F at a point.
    fn separated_folds(&self, at: usize) -> usize {
        self.scores.as_ref().map_or(0, |scores| scores[at].separated)
    }

    /// Whether F has no minimum at some point that was asked for, in the path or in a fold.
    fn has_separated(&self) -> bool {
        self.shown().any(|at| self.path.points[at].is_separated || self.separated_folds(at) > 0)
    }

    /// What should be said beside the numbers.
    pub(crate) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.is_interrupted() {
            let without = if self.chosen.is_none() { " and none is chosen" } else { "" };
            notes.push(format!("interrupted: there are the sizes found so far{without}"));
        }
        if self.has_separated() {
            let hint = "some sizes are separated: F has no minimum there, its coefficients only grow; \
                        weights above 0, as in --ridge-grid 1e-4,1e-3,1e-2, give it one";
            notes.push(hint.to_owned());
        }
        notes.extend(self.no_smaller());
        notes.extend(self.no_better_than_nothing());
        notes
    }

    /// Whether there are no models of some sizes that were asked for.
    fn no_smaller(&self) -> Option<String> {
        let least = self.path.points.first()?.size;
        (1..least).any(|size| self.request.sizes.has(size)).then(|| {
            format!("sizes below {least} are left out: the set has no point with fewer {}s", self.request.unit())
        })
    }

    /// Whether the model without features is as good as the best, where it was not asked for.
    fn no_better_than_nothing(&self) -> Option<String> {
        let (scores, best) = (self.scores.as_ref()?, self.best?);
        let zero = scores.iter().find(|score| score.size == 0)?;
        let best = &scores[best];
        let is_as_good = zero.mean <= best.mean + best.standard_error && !self.request.sizes.has(0);
        is_as_good.then(|| {
            let mean = number(zero.mean);
            format!("no size predicts better than no features at all: size 0 has held-out loss {mean}, within one standard error of the best")
        })
    }
}
