#![allow(unsafe_code, missing_docs)]
use proxdist::{constraint::*, loss::*, simulate::*, Problem, Settings};
use std::time::Instant;
fn cpu() -> f64 { let s = std::fs::read_to_string("/proc/self/schedstat").unwrap(); s.split(' ').next().unwrap().parse::<f64>().unwrap() * 1e-9 }
fn main() {
    for (resp, loss) in [(Response::Linear, parse("squared").unwrap()), (Response::Logistic, parse("logistic").unwrap()), (Response::Huber, parse("huber:2").unwrap())] {
        for s in [20] {
            unsafe { std::env::set_var("KEEP", s.to_string()) };
            for seed in 0..std::env::var("SEEDS").map_or(3, |v| v.parse().unwrap()) {
                let sim = if std::env::var("AR").is_ok() { correlated(resp, 10, 10000, 1000, seed).unwrap() } else { vector(resp, Truth::Sparse(s), 10000, 1000, seed).unwrap() };
                let data = sim.data().unwrap();
                let t = Instant::now(); let c = cpu();
                let fit0 = Problem::new(&data, &loss, Sparsity::at_most(s)).fit(&Settings::default().seed(seed).polish(true)).unwrap();
                let el = t.elapsed(); let c = cpu() - c;
                let err: f64 = fit0.coefficients().iter().zip(&sim.truth).map(|(a, b)| (a - b).powi(2)).sum();
                let hit = fit0.support().iter().filter(|&&j| sim.truth[j] != 0.0).count();
                println!("{} s={s} seed {seed}: cpu {c:.3} {:.3}s err {err:.4} TDR {} F {:.8} steps {} {}", loss.spec(), el.as_secs_f64(), hit as f64 / s as f64, fit0.objective(), fit0.steps(), fit0.model().schedule);
                if std::env::var("TRACE").is_ok() { for p in fit0.trace() { println!("   {:?} step {} F {:.5} dist {:.3} rho {:.2e} {:?}", p.phase, p.step, p.objective, p.distance, p.rho, p.elapsed); } }
            }
        }
    }
}
