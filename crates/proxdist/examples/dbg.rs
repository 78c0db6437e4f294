use proxdist::{Data, data::Batch, loss::*, prox::*};
fn main() {
    let wave = |count: usize, phase: f64| (0..count).map(|i| (1.7 * i as f64 + phase).sin()).collect::<Vec<f64>>();
    let mut bad = 0;
    for seed in 0..2000 {
        let (b, p) = (2 + seed % 12, 1 + (seed / 12) % 12);
        let x: Vec<f64> = wave(b * p, seed as f64 * 0.77).iter().map(|v| 2.0 * v).collect();
        let z = wave(p, 0.1 * seed as f64);
        let rho = 10f64.powf(-3.0 + (seed % 50) as f64 / 10.0);
        let losses: Vec<Box<dyn Loss>> = vec![Box::new(Squared), Box::new(Logistic), Box::new(Huber::with_delta(0.7).unwrap()), Box::new(Poisson), Box::new(SquaredHinge)];
        for loss in losses {
            let y: Vec<f64> = wave(b, 5.0 + seed as f64).iter().map(|v| if loss.check_response(3.0 * v).is_ok() { 3.0 * v } else { f64::from(*v > 0.0) }).collect();
            let data = Data::dense(&x, p, &y).unwrap();
            let mut batch = Batch::default();
            batch.fill(&data, &(0..b).collect::<Vec<_>>()).unwrap();
            for path in [Path::Dual, Path::Primal, Path::Conjugate] {
                let mut prox = Prox::new(&*loss).force(path);
                let mut t = z.clone();
                if let Err(e) = prox.apply(&batch, rho, &mut t) {
                    bad += 1;
                    if bad < 20 { println!("{seed} b {b} p {p} rho {rho:.1e} {} {path:?} {e}", loss.spec()); }
                }
            }
        }
    }
    println!("bad {bad}");
}
