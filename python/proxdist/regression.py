"""Regression under exact constraints."""

from __future__ import annotations

from typing import Any

from ._matrices import Matrices
from ._regression import Regression, RegressionStream
from ._search import Search

__all__ = ["ConstrainedRegressor", "ConstrainedRegressorCV", "MatrixRegressor"]


class ConstrainedRegressor(RegressionStream, Regression):
    """Linear, robust or count regression whose coefficients lie in a set, exactly.

    With a ``y`` of several columns, for squared and Huber loss, there is one model for all responses, and ``coef_`` has
    a row for each: ``Sparsity(20)`` is 20 features shared by all responses (``Entries(20)`` is 20 coefficients in all),
    ``Rank(3)`` reduced-rank regression.

    Parameters
    ----------
    loss : {"squared", "huber:DELTA", "quantile:TAU", "absolute", "poisson", "gamma", "tweedie:P", "negative_binomial:ALPHA"} or object
        The loss of an observation; ``proxdist.losses()`` lists them. An object of your own has ``value(eta, y)``, ``slope(eta, y)`` and
        ``curvature(eta, y)``, all of arrays, and perhaps ``mean(eta)`` for predictions.
    constraint : set, str, callable or None
        Where the coefficients must lie: ``Sparsity(20)``, ``"sparsity:20"``, a projection of your own; ``None`` is
        everywhere.
    ridge : float
        Weight of half the sum of squares of the coefficients times the standard deviations of their columns, added to
        the mean loss: the same penalty whatever the set and the units of ``X``. With ``standardize=False``, of the
        coefficients as they are.
    fit_intercept : bool
        Whether there is an intercept, which the set does not see.
    standardize : "auto" or bool
        Whether columns are scaled to mean 0 and standard deviation 1 for the fit; coefficients are always in the
        units of ``X``. "auto" does so where the set does not depend on units (sparsity, groups, sign, none). ``X`` is
        neither copied nor changed. ``False`` also has the ridge act on the coefficients as they are.
    method : str
        The iteration, such as "spd", "psgd" or "pd:momentum=yes"; ``proxdist methods`` on the command line lists them.
    rho1 : "auto" or float
        Penalty of the first step; "auto" lets a short race choose it.
    gamma : float
        Power with which the penalty grows; the theory covers (1/2, 1].
    schedule : str
        How the penalty grows from ``rho1``: "poly" with that power, "constant" not at all, and
        "geometric:FACTOR,EVERY[,CAP]" by a factor every so many steps. All but "poly" need a number for ``rho1``.
    batch_size : "auto" or int
        Rows a step.
    sampling : {"without_replacement", "reshuffled", "cyclic", "full"}
        How batches are drawn.
    effort : {"quick", "normal", "thorough"}
        How hard the exact finish looks for another choice of features with a lower F.
    prove : float, str or None
        Seconds (or text such as "5m") for a proof of how far the choice of features is from the best one, by branch and
        bound; a better choice is taken over. What was proven is in ``certificate_["proven"]``.
    gap : float
        Share of F by which a choice of features may be worse than the best one when a proof ends.
    memory : int or str
        Memory that branch and bound may hold, in bytes or as text such as "512M"; when it is full, the search goes
        depth first, to the same end.
    polish : bool
        Whether to finish on the exact optimum of the piece of the set that was found.
    average : bool
        Whether to try averages of late iterates too.
    max_steps, max_passes, time_limit : int, float or None, float or None
        Most steps, passes over the data, and seconds.
    tol : float
        Relative change of the objective that counts as none.
    stop : {"settled", "paper"}
        The rule of convergence.
    check_every : "auto" or int
        Steps between checkpoints.
    monitor_rows : "auto" or int
        Rows on which the objective is watched; "auto" is all if that is cheap.
    half_life : float or None
        For ``partial_fit``: rows after which a row counts half, for data that change. ``None`` forgets nothing.
    reservoir : int
        For ``partial_fit``: rows of a sample of the stream that is kept for ``finish_stream``.
    warm_start : bool
        Whether ``fit`` starts from the coefficients of the fit before.
    n_jobs : int or None
        Threads for passes over the data, all cores if ``None``; never changes a result.
    random_state : int, RandomState or None
        The seed. One number gives one result, bit for bit, here and on the command line.
    verbose : int
        Whether to show a progress line.
    categories : "auto" or list of str
        Which columns of a data frame become indicator columns, called ``column=level``: "auto" is those of text,
        categories and booleans; a list names columns of codes besides.
    missing : {"error", "drop", "mean", "indicator"}
        Missing values: an error that names row and column; rows left out (their predictions are NaN); means (or the most
        frequent text) of the rows of the fit filled in; or these, with a further column ``column=missing`` that marks
        them. Rows without response, weight or offset are left out unless they are an error.
    unknown : {"error", "zero"}
        What a category that did not occur in the fit is in ``predict``: an error, or none of the known ones.
    formula : str or None
        What the model is of the columns of a data frame, as in ``"salary ~ hits + C(league) + hits:years"``, by the
        package ``formulaic``; ``y`` is then left out if the formula has a left side.

    Attributes
    ----------
    coef_, intercept_ : the model, in the units of ``X``.
    support_ : indices of the nonzero coefficients.
    certificate_ : what is known about the result, as measured: ``distance`` to the set, ``stationarity`` on scaled
        columns relative to F, ``gap`` (a proven bound on how far F is above its minimum, or None) and ``gap_proof``,
        ``proven`` (the same in words, as "globally optimal, proven"), ``proven_text`` (in a sentence), ``nodes`` of the
        search for a proof,
        ``exchanges`` (what was done to rule out other features), ``iterate_distance`` of the last iterate.
    stop_reason_, n_iter_, objective_, rho1_, standardized_, trace_ : how it went.
    stream_ : after ``partial_fit``, scores of rows before they were learned: of the last ``block``, of all rows
        (``running``) and of ``recent`` ones (their half-life is ``half_life``, or 10 000 rows); each has ``loss`` and
        ``accuracy`` or ``r_squared``. Also ``rows``, ``effective_rows`` (those that count), ``rho`` and ``sample_rows``.
    n_features_in_, feature_names_in_ : columns that it was fitted to; ``get_feature_names_out()`` are the features that
        they became, one for each coefficient.

    A parameter that was changed and had no effect, such as ``max_steps`` where the exact finish needs no steps, gets a
    ``UserWarning`` that says why.

    Ctrl-C ends a fit with the best feasible model so far and a ``ConvergenceWarning``; pressed twice within two
    seconds it raises ``KeyboardInterrupt``.
    """

    _takes_several = True

    def __init__(
        self,
        loss: Any = "squared",
        constraint: Any = None,
        *,
        ridge: float = 0.0,
        fit_intercept: bool = True,
        standardize: bool | str = "auto",
        method: str = "spd",
        rho1: float | str = "auto",
        gamma: float = 1.0,
        schedule: str = "poly",
        batch_size: int | str = "auto",
        sampling: str = "without_replacement",
        polish: bool = True,
        effort: str = "normal",
        prove: float | str | None = None,
        gap: float = 1e-6,
        memory: int | str = "1G",
        average: bool = False,
        max_steps: int = 10_000,
        max_passes: float | None = None,
        time_limit: float | str | None = None,
        tol: float = 1e-4,
        stop: str = "settled",
        check_every: int | str = "auto",
        monitor_rows: int | str = "auto",
        half_life: float | None = None,
        reservoir: int = 0,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = 0,
        verbose: int = 0,
        categories: Any = "auto",
        missing: str = "error",
        unknown: str = "error",
        formula: str | None = None,
    ) -> None:
        self._take(locals())


class _Matrices(Matrices, Regression):
    """Rows that are matrices, with a coefficient matrix."""

    def _keep(self) -> None:
        super()._keep()
        self.coef_ = self.coef_.reshape(self._matrix)


class MatrixRegressor(RegressionStream, _Matrices):
    """Regression on matrices: the response is ⟨coef_, Xᵢ⟩ + intercept_, with a coefficient matrix in a set.

    ``X`` has the shape (n, rows, columns), or (n, rows * columns) with ``shape=(rows, columns)``; without ``shape`` a
    two-dimensional ``X`` holds single columns. A projection of your own is given matrices. Every loss of
    :class:`ConstrainedRegressor` can be used ("huber", "poisson", …), and all other parameters and attributes are those
    of that class; ``coef_`` is a matrix.
    """

    def __init__(
        self,
        shape: tuple[int, int] | None = None,
        constraint: Any = "rank:1",
        loss: Any = "squared",
        *,
        ridge: float = 0.0,
        fit_intercept: bool = True,
        standardize: bool | str = "auto",
        method: str = "spd",
        rho1: float | str = "auto",
        gamma: float = 1.0,
        schedule: str = "poly",
        batch_size: int | str = "auto",
        sampling: str = "without_replacement",
        polish: bool = True,
        effort: str = "normal",
        prove: float | str | None = None,
        gap: float = 1e-6,
        memory: int | str = "1G",
        average: bool = False,
        max_steps: int = 10_000,
        max_passes: float | None = None,
        time_limit: float | str | None = None,
        tol: float = 1e-4,
        stop: str = "settled",
        check_every: int | str = "auto",
        monitor_rows: int | str = "auto",
        half_life: float | None = None,
        reservoir: int = 0,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = 0,
        verbose: int = 0,
    ) -> None:
        self._take(locals())


class ConstrainedRegressorCV(Search, Regression):
    """The same with the parameter of the set chosen by cross-validation: 10 folds and one standard error by default.

    Numbers of features are all tried at once, fold by fold, as in :class:`SparsePath`, and by default with several
    ridges: the best features without any shrinkage often predict worse than fewer or shrunk ones. Other sets are
    fitted one by one.

    With a ``y`` of several columns numbers of features are those that all responses share (``{"rows": range(1, 21)}``,
    or "sparsity", which means the same here), and ``constraint=Rank(5)`` tries ranks.

    Parameters
    ----------
    grid : dict or None
        What to choose from, as in ``{"sparsity": range(1, 21), "ridge": [0, 1e-3]}``: parameters of sets (sparsity,
        rank, ball, l1, linf, simplex, group-sparsity), ``ridge`` and ``rho1``. Values may be text with ranges:
        ``{"sparsity": "1-20", "ridge": "0,1e-4..1,log,5"}``. ``None`` tries 1, 2, 3, … features, 30 at most, no more
        than there are and than half the rows; with a ``constraint`` beside sparsity 1, 2, 5, 10, … features.
    cv : int, splitter or list of splits
        A number of folds, dealt at random by ``random_state`` and stratified for classes; or a splitter of
        scikit-learn (``KFold``, ``TimeSeriesSplit``, ``GroupKFold`` with ``fit(..., groups=groups)``), or a list of
        pairs of rows to fit to and rows to score on.
    scoring : str, callable or None
        What a held-out fold is scored by: "loss" (the mean loss), "mse", "auc" or "accuracy", a name of
        scikit-learn's such as "roc_auc", or a function of model, ``X`` and ``y`` whose larger values are better;
        ``None`` is the estimator's own ``score``. Weights of rows count where a score takes them.
    choice : {"one_standard_error", "best"}
        The simplest model (the fewest features, then the largest ridge) within one standard error of the best, or the
        best.
    ridge : "auto" or float
        Where ``grid`` has no ridge: "auto" tries 0, 1e-4, 1e-3, 1e-2 and 1e-1 with every number of features, and is 0
        for other sets.

    ``constraint`` is the set whose parameter the grid replaces or, if it has none of that name, that it is
    intersected with. All other parameters and attributes are those of :class:`ConstrainedRegressor`.

    Attributes
    ----------
    constraint_, ridge_ : what was chosen.
    best_params_, best_index_, best_score_ : the same as a point of the grid, its place and its mean score.
    cv_results_ : the scores of all points, with the keys of scikit-learn's ``GridSearchCV`` (``params``, ``param_…``,
        ``mean_test_score``, ``std_test_score``, ``rank_test_score``, ``split0_test_score``, …): larger is better, so
        losses are negative. Also ``standard_error`` of the means, and ``converged``, the number of folds whose fit has
        a minimum.
    """

    _takes_several = True

    def __init__(
        self,
        loss: Any = "squared",
        grid: Any = None,
        *,
        cv: Any = 10,
        scoring: Any = "loss",
        choice: str = "one_standard_error",
        constraint: Any = None,
        ridge: float | str = "auto",
        fit_intercept: bool = True,
        standardize: bool | str = "auto",
        method: str = "spd",
        rho1: float | str = "auto",
        gamma: float = 1.0,
        schedule: str = "poly",
        batch_size: int | str = "auto",
        sampling: str = "without_replacement",
        polish: bool = True,
        effort: str = "normal",
        prove: float | str | None = None,
        gap: float = 1e-6,
        memory: int | str = "1G",
        average: bool = False,
        max_steps: int = 10_000,
        max_passes: float | None = None,
        time_limit: float | str | None = None,
        tol: float = 1e-4,
        stop: str = "settled",
        check_every: int | str = "auto",
        monitor_rows: int | str = "auto",
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = 0,
        verbose: int = 0,
        categories: Any = "auto",
        missing: str = "error",
        unknown: str = "error",
        formula: str | None = None,
    ) -> None:
        self._take(locals())
