"""The figure of each page, drawn from the variables that its code leaves; the function has the name of the page."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.lines import Line2D

from .drawing import BLUE, FAINT, GREEN, GREY, ORANGE, RED, axes, bars, picture

Space = dict[str, Any]


def best_subset_with_proof(space: Space) -> Any:
    """How much the best model of each size explains, and whether it is proven."""
    figure, ax = axes()
    sizes = np.arange(1, len(space["best"]) + 1)
    explained = np.array([model.score(space["X"], space["y"]) for model in space["best"]])
    proven = np.array([model.certificate_["proven"] == "globally optimal, proven" for model in space["best"]])
    ax.plot(sizes, explained, color=FAINT)
    ax.plot(sizes[proven], explained[proven], "o", color=BLUE, label="proven to be the best of its size")
    if not proven.all():
        ax.plot(sizes[~proven], explained[~proven], "o", color=BLUE, fillstyle="none", label="the best that was found")
    line = {"arrowstyle": "-", "color": GREY}
    ax.annotate("seven", (7, explained[6]), (7, explained[6] - 0.06), ha="center", arrowprops=line)
    ax.set(xlabel="numbers in the formula", ylabel="R²", xticks=sizes[::2])
    ax.legend(loc="lower right")
    return figure


def portfolio_with_caps(space: Space) -> Any:
    """Shares by asset, coloured by sector."""
    figure, ax = axes(height=3.6)
    weights = space["weights"][space["weights"] > 0]
    colors = dict(zip(np.unique(space["sectors"]), (BLUE, ORANGE, GREEN, RED, "#a371f7"), strict=True))
    bars(ax, weights.index, 100 * weights, [colors[name.split("_")[0]] for name in weights.index])
    ax.axvline(15, color=GREY, linestyle="--", linewidth=1)
    ax.text(15, -0.9, "15 %", ha="center")
    ax.set(xlabel="share, %")
    return figure


def synthetic_control(space: Space) -> Any:
    """The two Californias."""
    figure, ax = axes()
    packs = space["packs"]
    ax.plot(packs.index, packs["California"], color=BLUE, label="California")
    synthetic = space["twin"].predict(space["states"])
    ax.plot(packs.index, synthetic, color=ORANGE, linestyle="--", label="synthetic California")
    ax.axvline(1988.5, color=GREY, linewidth=1, linestyle=":")
    ax.text(1989, 122, "tax")
    ax.set(ylabel="packs a head and year")
    ax.legend(loc="lower left")
    return figure


def dose_response(space: Space) -> Any:
    """Patients, means of groups and the curve."""
    figure, ax = axes()
    place = np.arange(len(space["means"]))
    random = np.random.default_rng(0)
    spread = np.searchsorted(space["means"].index, space["dose"]) + random.uniform(-0.12, 0.12, space["dose"].size)
    ax.plot(spread, space["response"], ".", color=FAINT, label="patients")
    ax.plot(place, space["means"], "o", color=ORANGE, fillstyle="none", label="mean of the group")
    ax.plot(place, space["curve"].values_, color=BLUE, marker="o", markersize=4, label="increasing and concave in mg")
    ax.set(xlabel="dose, mg (steps not to scale)", ylabel="response")
    ax.set_xticks(place, space["means"].index)
    ax.legend(loc="upper left")
    return figure


def isotonic_calibration(space: Space) -> Any:
    """The share of each score, and the steps through them."""
    figure, ax = axes(width=4.6, height=4.0)
    table = pd.DataFrame({"score": space["score"], "y": space["y"][10_000:]})[space["rest"]]
    shares = table.groupby((table["score"] * 20).round() / 20)["y"].agg(["mean", "size"])
    ax.plot([0, 1], [0, 1], color=FAINT, label="a score that is a probability")
    ax.scatter(shares.index, shares["mean"], s=4 + shares["size"] / 40, color=ORANGE, label="people not seen before")
    ax.plot(space["chance"].levels_, space["chance"].values_, color=BLUE, label="calibrated")
    ax.set(xlabel="score", ylabel="share that earns that much", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    ax.legend(loc="upper left")
    return figure


def log_contrast(space: Space) -> Any:
    """Coefficients and the truth."""
    figure, ax = axes(height=2.9)
    either = sorted(set(space["gut"].support_) | set(np.flatnonzero(space["truth"])))
    bars(ax, [space["kinds"][j] for j in either], space["gut"].coef_[either])
    ax.plot(space["truth"][either], range(len(either)), "o", color=ORANGE, fillstyle="none", label="truth")
    ax.set(xlabel="coefficient of the logarithm")
    ax.legend(loc="lower right")
    return figure


def gene_expression(space: Space) -> Any:
    """Activity of the genes in both kinds of tissue."""
    figure, ax = axes()
    genes, tumour = space["genes"], space["tumour"].to_numpy() == 1
    chosen = genes.iloc[:, space["test"].support_]
    scaled = (chosen - chosen.mean()) / chosen.std()
    random = np.random.default_rng(0)
    for shift, rows, color in ((-0.15, tumour, RED), (0.15, ~tumour, BLUE)):
        for place, name in enumerate(scaled):
            values = scaled[name].to_numpy()[rows]
            ax.plot(place + shift + random.uniform(-0.07, 0.07, values.size), values, ".", color=color, alpha=0.6)
    ax.set_xticks(range(scaled.shape[1]), scaled.columns)
    ax.set(ylabel="activity, standardised")
    marks = [Line2D([], [], color=color, marker=".", linestyle="") for color in (RED, BLUE)]
    ax.legend(marks, ["tumour", "normal"], loc="upper right")
    return figure


def eeg_rank_two(space: Space) -> Any:
    """The weights and the courses in time of their two patterns."""
    figure, (left, right) = axes(width=7.2, height=3.2, columns=2)
    weights = space["model"].coef_[0]
    largest = np.abs(weights).max()
    left.imshow(weights, cmap="RdBu_r", vmin=-largest, vmax=largest, interpolation="nearest", aspect="auto")
    left.set(xlabel="moment", ylabel="electrode", title="weights")
    for number, color in ((0, BLUE), (1, ORANGE)):
        right.plot(space["in_time"][number], color=color, label=f"pattern {number + 1}")
    right.axhline(0, color=GREY, linewidth=0.8)
    right.set(xlabel="moment", title="courses in time")
    right.legend()
    return figure


def digits_with_twenty_pixels(space: Space) -> Any:
    """Where the pixels are, on the mean image, and on some digits."""
    figure, panels = axes(width=7.2, height=1.9, columns=5)
    images = space["pixels"].to_numpy().reshape(-1, 8, 8)
    chosen = [divmod(int(j), 8) for j in space["reader"].support_]
    shown = [("all digits", images.mean(axis=0))]
    shown += [(f"a {k}", images[np.flatnonzero(space["digit"] == k)[0]]) for k in (0, 4, 7, 9)]
    for ax, (title, image) in zip(panels, shown, strict=True):
        picture(ax, image, title, cmap="Greys")
        for row, column in chosen:
            ax.add_patch(_frame(column, row))
    return figure


def _frame(column: int, row: int) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle((column - 0.42, row - 0.42), 0.84, 0.84, fill=False, edgecolor=ORANGE, linewidth=1.3)


def image_denoising_by_rank(space: Space) -> Any:
    """The photograph, what came through, and the fit."""
    figure, panels = axes(width=7.2, height=1.9, columns=3)
    shown = {"photograph": space["picture"], "what came": space["noisy"], "rank 5": space["model"].coef_}
    for ax, (title, image) in zip(panels, shown.items(), strict=True):
        picture(ax, image, title, cmap="Greys_r", vmin=0, vmax=1)
    return figure


def changepoints(space: Space) -> Any:
    """Temperatures and the curve of four jumps."""
    figure, ax = axes()
    earth, four = space["earth"], space["four"]
    ax.plot(earth["year"], earth["anomaly"], ".", color=GREY, markersize=4, label="anomaly, °C")
    ax.step(four.levels_, four.values_, where="mid", color=BLUE, label="four jumps")
    for year in four.breaks_:
        ax.text(year - 2, four.predict([year])[0], f"{year:.0f}", ha="right", va="bottom", color=BLUE)
    ax.legend(loc="upper left")
    return figure


def insurance_frequency(space: Space) -> Any:
    """Observed and predicted rates in ten groups."""
    figure, ax = axes()
    rate = space["model"].predict(space["policies"], exposure=np.ones(space["n"]))
    group = pd.qcut(rate, 10, labels=False)
    years = np.bincount(group, space["years"])
    claims = np.bincount(group, space["claims"])
    predicted = np.bincount(group, rate * space["years"]) / years
    place = np.arange(1, 11)
    errors = np.sqrt(claims) / years
    ax.errorbar(place, claims / years, errors, fmt="o", color=BLUE, capsize=2, label="observed, with standard error")
    ax.plot(place, predicted, color=ORANGE, marker=".", label="predicted")
    ax.set(xlabel="tenth of the policies, by predicted rate", ylabel="claims a year", xticks=place, ylim=(0, None))
    ax.legend(loc="upper left")
    return figure


def survival(space: Space) -> Any:
    """Curves of three patients."""
    figure, ax = axes()
    order = np.argsort(space["model"].predict(space["markers"]))
    times = np.linspace(0, 36, 73)
    for share, name, color in ((0.9, "high risk", RED), (0.5, "middle", GREY), (0.1, "low risk", BLUE)):
        patient = space["markers"].iloc[[order[int(share * len(order))]]]
        curve = space["model"].predict_survival_function(patient, times, strata=["north"])[0]
        ax.step(times, curve, where="post", color=color, label=name)
    ax.set(xlabel="months", ylabel="chance to be alive", ylim=(0, 1.02), xticks=range(0, 37, 6))
    ax.legend(loc="lower left")
    return figure


def flights_out_of_core(space: Space) -> Any:
    """Minutes of each indicator."""
    figure, ax = axes()
    minutes = space["minutes"].drop("sched_dep_time").sort_values(ascending=False)
    bars(ax, minutes.index, minutes, [RED if value > 0 else GREEN for value in minutes])
    ax.set(xlabel="minutes added to the delay")
    return figure


def dask(space: Space) -> Any:
    """Coefficients of both fits, times the deviation of their columns."""
    figure, ax = axes(height=2.8)
    chosen = space["spread"].support_
    scale = space["X"].to_numpy()[:, chosen].std(axis=0)
    place = np.arange(len(chosen))
    fits = ((-0.2, "spread", "on two workers", BLUE), (0.2, "local", "in one process", ORANGE))
    for shift, model, name, color in fits:
        ax.barh(place + shift, space[model].coef_[0, chosen] * scale, height=0.36, color=color, label=name)
    ax.set_yticks(place, space["X"].columns[chosen])
    ax.invert_yaxis()
    ax.axvline(0, color=GREY, linewidth=0.8)
    ax.set(xlabel="coefficient for one standard deviation")
    ax.legend(loc="best")
    return figure


def a_set_of_my_own(space: Space) -> Any:
    """Means by hour and the curve with one peak."""
    figure, ax = axes()
    hours = space["hours"]
    ax.scatter(hours.index, hours["delay"], s=2 + hours["flights"] / 300, color=ORANGE, label="mean, sized by flights")
    ax.plot(hours.index, space["model"].coef_, color=BLUE, marker=".", label="one peak")
    ax.set(xlabel="scheduled hour of departure", ylabel="mean delay at arrival, minutes", xticks=hours.index[::2])
    ax.legend(loc="upper left")
    return figure


def a_loss_of_my_own(space: Space) -> Any:
    """Salaries against what was set aside."""
    figure, panels = axes(width=7.2, height=3.4, columns=2, sharey=True)
    fits = (("squared", "usual", ORANGE), ("too little costs more", "careful", BLUE))
    for ax, (name, model, color) in zip(panels, fits, strict=True):
        aside = space[model].predict(space["X"])
        ax.plot(aside, space["y"], ".", color=color, alpha=0.6)
        ax.plot([0, 2500], [0, 2500], color=GREY, linewidth=0.8)
        ax.set(title=name, xlabel="set aside, thousand dollars", xlim=(-100, 2600))
    panels[0].set(ylabel="salary, thousand dollars")
    return figure


def how_many_features(space: Space) -> Any:
    """Held-out losses of all sizes, with the ridge of the choice and without any."""
    figure, ax = axes()
    path, chosen = space["path"], space["path"].index("cv")
    for ridge, color in dict(zip((0.0, float(path.ridges_[chosen])), (ORANGE, BLUE), strict=True)).items():
        here = (path.ridges_ == ridge) & (path.sizes_ > 0)
        errors = {"yerr": path.cv_se_[here], "capsize": 2}
        ax.errorbar(path.sizes_[here], path.cv_mean_[here], marker="o", color=color, label=f"ridge {ridge:g}", **errors)
    size = path.sizes_[chosen]
    ax.axvline(size, color=GREY, linestyle=":", linewidth=1)
    ax.text(size + 0.1, 0.03, "chosen", transform=ax.get_xaxis_transform())
    ax.set(xlabel="measurements", ylabel="held-out loss, with standard error", xticks=range(1, 9))
    ax.legend(loc="upper right")
    return figure
