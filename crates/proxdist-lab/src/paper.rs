//! What the paper says, in one place: numbers as printed, statements in our words. Line numbers are those of its LaTeX source.

/// Figure 1, lines 338–344.
pub(crate) const FIGURE1: &str = "Section 5.1, Figure 1: F(P(θ_k)) − F(θ*) against the step at γ = 1/3, 2/3, 1, 4/3, 5/3, for linear and logistic \
    regression in low and high dimension, under the unit ball (above) and sparsity 5 (below).";

/// Figure 2, lines 346–353.
pub(crate) const FIGURE2: &str = "Section 5.1, Figure 2: ‖P(θ_k) − θ*‖² of the same runs.";

/// Line 358.
pub(crate) const PROGRESS: &str = "Steady progress in all settings for γ in the guaranteed range (Section 5.1)";
/// Line 358.
pub(crate) const MONOTONE: &str = "The rate of progress is monotone in γ over 1/3, 2/3, 1 (Section 5.1)";
/// Line 358.
pub(crate) const FASTER: &str = "Linear, unit ball: progress is faster still at γ = 4/3 (Section 5.1)";
/// Line 358.
pub(crate) const ASYMPTOTE: &str = "At γ = 5/3 the method approaches an asymptote prematurely (Section 5.1)";
/// Line 358.
pub(crate) const ASYMPTOTE_LOGISTIC: &str = "In the logistic case the asymptote appears from γ = 4/3 on (Section 5.1)";
/// Line 358.
pub(crate) const CHOPPY: &str = "Paths under sparsity are choppier than under the ball (Section 5.1)";

/// Lines 1030–1042.
pub(crate) const RHO1: &str = "Supplement: the error at γ = 1 for several first penalties ρ₁ under the unit ball.";
/// Line 1030.
pub(crate) const RHO1_UP_TO_A_POINT: &str =
    "A larger ρ₁ accelerates convergence up to a point and harms beyond it (supplement)";

/// Lines 1032–1080.
pub(crate) const BOXPLOTS: &str = "Supplement: box plots of the error after 10 000 steps over γ and ρ₁ ∈ {10⁻⁴, …, 10}, 50 repeats each, unit ball and sparsity, \
    linear and logistic, low and high dimension.";
/// Line 1032.
pub(crate) const BOX_UP_TO_A_POINT: &str =
    "As ρ₁ grows the performance improves up to a point, after which the algorithm begins to fail (supplement)";
/// Line 1032.
pub(crate) const BOX_FAILS: &str = "Around the transition, γ beyond the guaranteed range may fail: ρ₁ = 10, γ = 5/3 in low-dimensional linear regression \
    under the ball (supplement)";
/// Line 1078.
pub(crate) const BOX_NORM: &str = "‖θ*‖ ≈ 12 under sparsity (supplement)";

/// Table 1, lines 282–295.
pub(crate) const TABLE1: &str = "Section 4, Table 1: ‖P(θ_k) − θ*‖² is O(k^−γ) for γ in (½, 1) and O(k^−min{1, log(1 + μ/ρ₁)}) at γ = 1; the objective has half \
    the exponent.";
/// Lines 259, 280.
pub(crate) const RATES: &str = "Guaranteed exponents of Theorems 2 and 3 (Table 1)";
/// Line 280.
pub(crate) const RATES_RISE: &str = "Both rates rise with γ (Section 4)";

/// Tables 3 and 4, lines 430–469.
pub(crate) const TABLES34: &str = "Section 5.2, Tables 3 and 4: worst-case cost of the projections, O(p) for the ball, O(p log p) for sparsity, O(pq min{p, q}) for rank; \
    and of the updates, proximal mapping and gradient step.";

/// Figure 3b, lines 489–491.
pub(crate) const FIGURE3B: &str = "Section 5.4, Figure 3b: time and iterations to convergence of logistic regression, p = 1000, n = 5·10⁴ to 5·10⁵, batches of 100, 500, 1000 \
    and n rows.";
/// Line 490.
pub(crate) const OUTPACES: &str = "The stochastic version outpaces the full batch at comparable error (Section 5.4)";
/// Line 491.
pub(crate) const MORE_STEPS: &str = "It needs more iterations (Section 5.4)";
/// Line 491.
pub(crate) const FRACTION: &str =
    "It sees a fraction of the data: 100 × 3500 rows are much less than one iteration of the full batch (Section 5.4)";
/// Line 491.
pub(crate) const SCALES: &str = "Its time grows much more slowly with n (Section 5.4)";

/// Tables 3 and 4.
pub(crate) const COST: &str = "The orders in Tables 3 and 4 are upper bounds (Section 5.2)";

/// Orders of Table 3 (lines 436–440) and Table 4 (lines 455–466) with their exponent in one variable. A side of a square matrix counts
/// as p; $p \log p$ counts as 1.
pub(crate) fn cost(operation: &str, variable: &str) -> (&'static str, f64) {
    match (operation.split_whitespace().next().unwrap_or(""), operation.contains("gradient"), variable) {
        ("unit", ..) => ("O(p)", 1.0),
        ("sparsity", ..) => ("O(p log p)", 1.0),
        ("rank", ..) => ("O(pq min{p, q})", 3.0),
        ("linear", _, "p") => ("O(p²b)", 2.0),
        ("linear", ..) => ("O(p²b)", 1.0),
        ("logistic", false, "p") => ("O(p²bS)", 2.0),
        ("logistic", false, _) => ("O(p²bS)", 1.0),
        ("Huber", false, _) => ("O(pbS)", 1.0),
        ("logistic" | "Huber", true, _) => ("O(pb)", 1.0),
        _ => ("O(p²q²b)", 4.0),
    }
}

/// Table 2, lines 399–428.
pub(crate) const TABLE2: &str = "Section 5.2, Table 2: squared error of SPD and projected SGD (true discovery rate in parentheses if not 1), n = 10 000, p = 1000, linear rates, \
    50 repeats.";
/// Line 428.
pub(crate) const BALL_COMPARABLE: &str = "Under the unit ball both methods are comparable (Section 5.2)";
/// Line 428.
pub(crate) const PSGD_WORSENS: &str = "PSGD worsens as sparsity or rank grow (Section 5.2)";
/// Lines 413–414.
pub(crate) const HARD_PAIR: &str = "Logistic, 20 nonzeros: SPD 23.91, PSGD 211.0 (0.86) (Table 2)";

/// A row of Table 2 as printed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table2Row {
    pub(crate) spd: f64,
    psgd: f64,
    /// Share of true nonzeros found by PSGD, 1 where none is printed.
    psgd_discovered: f64,
}

impl Table2Row {
    pub(crate) fn psgd_text(self) -> String {
        let found = if self.psgd_discovered < 1.0 { format!(" ({})", self.psgd_discovered) } else { String::new() };
        format!("{}{found}", self.psgd)
    }
}

const fn printed(spd: f64, psgd: f64, psgd_discovered: f64) -> Table2Row {
    Table2Row { spd, psgd, psgd_discovered }
}

/// Linear, logistic, Huber with sparsity 5, sparsity 20 and unit ball each; matrix with rank 1, 2, 5. Lines 409–424.
pub(crate) const TABLE2_ROWS: [Table2Row; 12] = [
    printed(0.002, 0.005, 1.0),
    printed(0.006, 0.006, 1.0),
    printed(0.030, 0.038, 1.0),
    printed(1.509, 3.087, 0.98),
    printed(23.91, 211.0, 0.86),
    printed(0.165, 0.167, 1.0),
    printed(0.005, 0.003, 1.0),
    printed(0.029, 0.018, 1.0),
    printed(0.051, 0.054, 1.0),
    printed(0.015, 0.011, 1.0),
    printed(0.021, 5.001, 1.0),
    printed(0.041, 100.1, 1.0),
];

/// Figure 3a and the supplement, lines 467–487, 1081–1097.
pub(crate) const QSAR: &str = "Section 5.3, Figure 3a and the supplement: QSAR oral toxicity, 8992 × 1024, 80/20 splits, sparsity 100, ρ_k = ρ₁k; 30 replicates at batch sizes 200 and 500 \
    against projected SGD.";
/// Line 467.
pub(crate) const QSAR_CV: &str = "10-fold cross-validation chooses s = 100 and ρ₁ = 10⁻² (Section 5.3)";
/// Line 468.
pub(crate) const QSAR_AUC: &str = "The AUC of SPD is significantly higher than that of PSGD (Section 5.3)";
/// Line 467.
pub(crate) const QSAR_TIME: &str = "SPD is slower than PSGD but converges in under a minute (Section 5.3)";

/// Marks what the paper does not have.
pub(crate) const LOW_RANK: &str = "Not in the paper: an extension of ours. The paper holds a matrix of coefficients of one response to a low rank (Table 2); \
    here a matrix has a column for each of several responses or classes.";
/// In place of a statement of the paper.
pub(crate) const OURS: &str =
    "not in the paper; expected: the error is least near the true rank, and lower than without a set";
