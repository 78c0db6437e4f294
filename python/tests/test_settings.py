"""Settings are declared in the library, once; estimators have them all and pass them on by name."""

import inspect
import warnings

import numpy as np
import pytest
from conftest import planted, planted_classes

from proxdist import (
    ConstrainedClassifier,
    ConstrainedClassifierCV,
    ConstrainedRegressor,
    ConstrainedRegressorCV,
    MatrixClassifier,
    MatrixRegressor,
    _proxdist,
)
from proxdist._settings import DECLARED, settings_of

ESTIMATORS = [
    ConstrainedClassifier,
    ConstrainedClassifierCV,
    ConstrainedRegressor,
    ConstrainedRegressorCV,
    MatrixClassifier,
    MatrixRegressor,
]
X, Y, _ = planted(rows=60, columns=5)


def notes(estimator, *arguments):
    """What a fit says about parameters without effect."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        estimator.fit(*arguments)
    return [str(warning.message) for warning in caught if "had no effect" in str(warning.message)]


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_every_declared_setting_is_a_parameter_with_its_default(estimator):
    parameters = inspect.signature(estimator).parameters
    assert len(DECLARED) >= 17
    for name, declared in DECLARED.items():
        assert name in parameters, f"{estimator.__name__} has no parameter {name}"
        default = settings_of(estimator()).get(declared["name"], declared["default"])
        if declared["kind"] in ("count", "number"):
            same = default == declared["default"] or float(default) == float(declared["default"])
        else:
            same = default.replace("_", "-") == declared["default"]
        assert same, f"{name} is {default} by default, declared as {declared['default']}"


def test_every_parameter_is_documented():
    documented = ConstrainedRegressor.__doc__
    for name in inspect.signature(ConstrainedRegressor).parameters:
        lines = [line.split(" : ")[0] for line in documented.splitlines() if " : " in line]
        assert any(name in [part.strip() for part in line.split(",")] for line in lines), f"{name} is not documented"


@pytest.mark.parametrize("estimator", [ConstrainedRegressorCV, ConstrainedClassifierCV])
def test_a_search_has_the_defaults_of_the_library(estimator):
    parameters = inspect.signature(estimator).parameters
    for name, default in _proxdist.search_defaults().items():
        mine = parameters[name].default
        assert (mine.replace("_", "-") if isinstance(mine, str) else mine) == default


@pytest.mark.parametrize(
    "changed",
    [
        {"method": "psgd"},
        {"rho1": 0.2, "schedule": "constant"},
        {"rho1": 0.2, "schedule": "geometric:1.2,10"},
        {"sampling": "cyclic"},
        {"sampling": "reshuffled"},
        {"stop": "paper"},
        {"check_every": 3},
        {"monitor_rows": 20},
        {"max_passes": 3},
        {"gamma": 0.6},
        {"batch_size": 5},
        {"tol": 0.1},
        {"random_state": 3},
    ],
    ids=str,
)
def test_settings_reach_the_library(changed):
    def trace(**parameters):
        fit = ConstrainedRegressor(constraint="ball:1", polish=False, **{"max_steps": 300} | parameters)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return fit.fit(X, Y)._results[0]["trace"]

    usual, other = trace(), trace(**changed)
    columns = ("step", "objective", "rho", "rows_seen")
    assert any(not np.array_equal(usual[column], other[column]) for column in columns)


def test_a_parameter_without_effect_is_a_warning_that_says_why():
    alone = "the exact finish over this set needs no start, so no steps were taken."
    assert notes(ConstrainedRegressor(constraint="ball:1"), X, Y) == []
    assert notes(ConstrainedRegressor(constraint="ball:1", max_steps=50), X, Y) == [f"max_steps had no effect: {alone}"]
    assert notes(ConstrainedRegressor(constraint="ball:1", tol=1e-8), X, Y) == [f"tol had no effect: {alone}"]
    assert notes(ConstrainedRegressor(constraint="ball:1", polish=False, max_steps=50), X, Y) == []
    for anything in (None, 7, np.random.RandomState(1)):
        assert notes(ConstrainedRegressor(constraint="ball:1", random_state=anything), X, Y) == []


def test_a_search_and_several_classes_warn_of_what_had_no_effect_on_any_fit():
    search = ConstrainedRegressorCV(grid={"ball": [1, 2]}, cv=3, random_state=5, tol=1e-8)
    said = notes(search, X, Y)
    assert len(said) == 1
    assert said[0].startswith("tol had no effect")
    features, classes, _ = planted_classes()
    three = np.where(features[:, 0] > 1, 2, classes)
    said = notes(ConstrainedClassifier(constraint="ball:1", ridge=0.01, max_steps=77), features, three)
    assert len(said) == 1
    assert said[0].startswith("max_steps had no effect")


def test_a_stream_warns_of_what_only_a_whole_fit_looks_at():
    with pytest.warns(UserWarning, match="method had no effect: partial_fit takes steps"):
        ConstrainedRegressor(constraint="ball:1", method="psgd").partial_fit(X, Y)
    one = ConstrainedRegressor(constraint="ball:1", rho1=0.1, batch_size=8).partial_fit(X, Y)
    other = ConstrainedRegressor(constraint="ball:1", rho1=0.1, batch_size=8, sampling="cyclic").partial_fit(X, Y)
    assert not np.array_equal(one.coef_, other.coef_)


def test_what_breaks_a_rule_is_refused_in_the_words_of_the_declaration():
    for parameters, message in [
        ({"method": "magic"}, "cannot read"),
        ({"schedule": "constant"}, "schedule must be poly unless rho1 is a number"),
        ({"schedule": "linear"}, r"schedule must be poly, constant or geometric"),
        ({"check_every": 0}, "check_every must be at least 1"),
        ({"monitor_rows": 61}, "monitor_rows must be from 1 to the number of rows, 60"),
    ]:
        with pytest.raises(ValueError, match=message):
            ConstrainedRegressor(**parameters).fit(X, Y)
    with pytest.raises(TypeError, match="method must be text"):
        ConstrainedRegressor(method=7).fit(X, Y)
