//! Does a fit without any setting end on the exact constrained optimum, and how long does it take?
//!
//! Prints tables of docs/accuracy.md (`make measured`): the twelve rows of the paper's comparison, a correlated design, best subsets of real
//! data (where they are at hand), what the race costs, and the time of the phases as n grows. `PROXDIST_SEEDS` sets the number
//! of seeds a row, `PROXDIST_PARTS` chooses among `table`, `correlated`, `race`, `growth`.

#[path = "accuracy/oracles.rs"]
mod oracles;

use proxdist::constraint::{Ball, Constraint, Rank, Sparsity};
use proxdist::loss::{Huber, Logistic, Loss, Squared};
use proxdist::simulate::{Response, Simulated, Truth, correlated, matrix, vector};
use proxdist::{Problem, Settings};
use std::time::Instant;

/// CPU seconds of the whole process, which on one thread is what a quiet machine's clock would show.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    // utime and stime, in hundredths of a second.
    fields.get(11..13).map_or(0.0, |f| f.iter().filter_map(|v| v.parse::<f64>().ok()).sum::<f64>() / 100.0)
}

/// The largest memory this process ever had, in MB.
fn peak_megabytes() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|v| v.parse::<f64>().ok()).unwrap_or(f64::NAN) * 1.024e-3
}

fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

struct Row {
    name: &'static str,
    paper: [f64; 2],
    simulate: Box<dyn Fn(u64) -> Simulated>,
    loss: Box<dyn Loss>,
    set: Box<dyn Constraint>,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Sparse,
    Ball,
    Rank(usize),
}

fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    let responses = [Response::Linear, Response::Logistic, Response::Huber];
    let loss = |response: Response| -> Box<dyn Loss> {
        match response {
            Response::Linear => Box::new(Squared),
            Response::Logistic => Box::new(Logistic),
            Response::Huber => Box::new(Huber::with_delta(2.0).unwrap()),
        }
    };
    let paper = [
        [[0.002, 0.005], [0.006, 0.006], [0.030, 0.038]],
        [[1.509, 3.087], [23.91, 211.0], [0.165, 0.167]],
        [[0.005, 0.003], [0.029, 0.018], [0.051, 0.054]],
    ];
    let names = [
        ["linear, sparsity 5", "linear, sparsity 20", "linear, unit ball"],
        ["logistic, sparsity 5", "logistic, sparsity 20", "logistic, unit ball"],
        ["Huber, sparsity 5", "Huber, sparsity 20", "Huber, unit ball"],
    ];
    for (i, response) in responses.into_iter().enumerate() {
        for (j, nonzeros) in [5, 20].into_iter().enumerate() {
            rows.push(Row {
                name: names[i][j],
                paper: paper[i][j],
                simulate: Box::new(move |seed| vector(response, Truth::Sparse(nonzeros), 10_000, 1000, seed).unwrap()),
                loss: loss(response),
                set: Box::new(Sparsity::at_most(nonzeros)),
                kind: Kind::Sparse,
            });
        }
        rows.push(Row {
            name: names[i][2],
            paper: paper[i][2],
            simulate: Box::new(move |seed| vector(response, Truth::OutsideBall, 10_000, 1000, seed).unwrap()),
            loss: loss(response),
            set: Box::new(Ball::radius(1.0).unwrap()),
            kind: Kind::Ball,
        });
    }
    for (rank, name, paper) in [
        (1, "matrix, rank 1", [0.015, 0.011]),
        (2, "matrix, rank 2", [0.021, 5.001]),
        (5, "matrix, rank 5", [0.041, 100.1]),
    ] {
        rows.push(Row {
            name,
            paper,
            simulate: Box::new(move |seed| matrix(rank, 10_000, seed).unwrap()),
            loss: Box::new(Squared),
            set: Box::new(Rank::at_most(rank, 64, 64)),
            kind: Kind::Rank(rank),
        });
    }
    rows
}

/// The twelve rows of the paper's table, without any setting but the seed.
fn table(seeds: u64) {
    println!("| row | paper SPD | paper PSGD | ours | oracle | largest F gap / F | TDR | CPU s, median |");
    println!("|---|---|---|---|---|---|---|---|");
    for row in rows() {
        let (mut ours, mut oracle_error, mut worst_gap, mut discovered) = (0.0, 0.0, f64::NEG_INFINITY, 0.0);
        let mut times = Vec::new();
        for seed in 0..seeds {
            let simulated = (row.simulate)(seed);
            let data = simulated.data().unwrap();
            let problem = Problem::new(&data, &row.loss, &row.set);
            let before = cpu_seconds();
            let fit = problem.fit(&Settings::default().seed(seed).threads(1)).unwrap();
            times.push(cpu_seconds() - before);
            let oracle = match row.kind {
                Kind::Sparse => oracles::on_support(&simulated, &*row.loss),
                Kind::Ball => oracles::in_ball(&simulated, &*row.loss, 1.0),
                Kind::Rank(rank) => oracles::of_rank(&simulated, rank),
            };
            let (value, best) = (fit.objective(), problem.objective().value(&oracle).unwrap());
            worst_gap = f64::max(worst_gap, (value - best) / best.abs());
            // Ball rows are measured against the constrained sample optimum, the others against the truth.
            let target = if row.kind == Kind::Ball { &oracle } else { &simulated.truth };
            ours += squared_distance(fit.coefficients(), target) / seeds as f64;
            oracle_error += squared_distance(&oracle, target) / seeds as f64;
            let hits = fit.support().iter().filter(|&&j| simulated.truth[j] != 0.0).count();
            let planted = simulated.truth.iter().filter(|v| **v != 0.0).count();
            discovered += hits as f64 / planted as f64 / seeds as f64;
        }
        times.sort_by(f64::total_cmp);
        let discovered = if row.kind == Kind::Sparse { format!("{discovered:.3}") } else { "–".to_owned() };
        println!(
            "| {} | {} | {} | {ours:.2e} | {oracle_error:.2e} | {worst_gap:.1e} | {discovered} | {:.2} |",
            row.name,
            row.paper[0],
            row.paper[1],
            times[times.len() / 2],
        );
    }
}

/// Neighbouring pairs of opposite sign among columns of correlation 0.9.
fn correlated_design(seeds: u64) {
    println!("\n| correlated design | seeds with the whole support | CPU s, median | CPU s, largest |");
    println!("|---|---|---|---|");
    let losses: [(Response, &str, &dyn Loss); 2] =
        [(Response::Linear, "linear", &Squared), (Response::Logistic, "logistic", &Logistic)];
    for (response, name, loss) in losses {
        let mut whole = 0;
        let mut times = Vec::new();
        for seed in 0..seeds {
            let simulated = correlated(response, 10, 10_000, 1000, seed).unwrap();
            let data = simulated.data().unwrap();
            let before = cpu_seconds();
            let problem = Problem::new(&data, loss, Sparsity::at_most(20));
            let fit = problem.fit(&Settings::default().seed(seed).threads(1)).unwrap();
            times.push(cpu_seconds() - before);
            whole += usize::from(fit.support().iter().all(|&j| simulated.truth[j] != 0.0));
        }
        times.sort_by(f64::total_cmp);
        println!("| {name} | {whole} of {seeds} | {:.2} | {:.2} |", times[times.len() / 2], times[times.len() - 1]);
    }
}

/// What choosing the penalty costs: the race, against a single run of the same length whose penalty is given.
fn race(seeds: u64) {
    println!("\n| race of 8 | CPU s | single run of 140 steps, CPU s | ratio |");
    println!("|---|---|---|---|");
    for row in rows() {
        let (mut raced, mut single) = (0.0, 0.0);
        for seed in 0..seeds {
            let simulated = (row.simulate)(seed);
            let data = simulated.data().unwrap();
            let problem = Problem::new(&data, &row.loss, &row.set);
            // Both end after 140 steps, without the finish; both measure F once more at the end.
            let settings = Settings::default().seed(seed).threads(1).max_steps(140).polish(false).batch_size(64);
            let before = cpu_seconds();
            let fit = problem.fit(&settings).unwrap();
            let between = cpu_seconds();
            let rho1 = fit.trace()[0].rho / fit.trace()[0].step as f64;
            problem.fit(&settings.check_every(140).rho1(rho1)).unwrap();
            (raced, single) = (raced + between - before, single + cpu_seconds() - between);
        }
        println!("| {} | {raced:.2} | {single:.2} | {:.1} |", row.name, raced / single);
    }
}

/// Logistic, sparsity 5: time by phase as n grows. The features are generated in memory, one size at a time.
fn growth() {
    println!("\n| n | stochastic phase, s | whole fit, s | memory beyond X, MB | TDR |");
    println!("|---|---|---|---|---|");
    for rows in [10_000, 50_000, 200_000, 500_000] {
        let simulated = vector(Response::Logistic, Truth::Sparse(5), rows, 1000, 1).unwrap();
        let data = simulated.data().unwrap();
        // What drawing the data took at most is not what the fit takes.
        let _ = std::fs::write("/proc/self/clear_refs", "5");
        let started = Instant::now();
        let problem = Problem::new(&data, Logistic, Sparsity::at_most(5));
        let fit = problem.fit(&Settings::default().threads(1)).unwrap();
        let whole = started.elapsed().as_secs_f64();
        // A fit of few rows searches all of them and has no stochastic phase.
        let stochastic = fit.trace().iter().rfind(|p| p.phase != proxdist::trace::Phase::Polish);
        let stochastic = stochastic.map_or("none".to_owned(), |p| format!("{:.3}", p.elapsed.as_secs_f64()));
        let hits = fit.support().iter().filter(|&&j| simulated.truth[j] != 0.0).count();
        let beyond = peak_megabytes() - (rows * 1000 * 8) as f64 / 1e6;
        println!("| {rows} | {stochastic} | {whole:.3} | {beyond:.0} | {:.2} |", hits as f64 / 5.0);
    }
}

fn main() {
    let seeds = std::env::var("PROXDIST_SEEDS").ok().and_then(|v| v.parse().ok()).unwrap_or(10);
    let parts = std::env::var("PROXDIST_PARTS").unwrap_or_else(|_| "table,correlated,race,growth".to_owned());
    if parts.contains("table") {
        table(seeds);
    }
    if parts.contains("correlated") {
        correlated_design(2 * seeds);
    }
    if parts.contains("race") {
        race(seeds);
    }
    if parts.contains("growth") {
        growth();
    }
}
