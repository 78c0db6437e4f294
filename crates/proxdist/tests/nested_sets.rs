//! A set that has all points of another one has no larger minimum. Fits that know nothing of each other must obey that: portfolios of ever more assets, each with a cap, on returns that have
//! factors in common, where the best choices of neighbouring sizes are often far from each other.

use proxdist::loss::Squared;
use proxdist::spec::SetSpec;
use proxdist::{Data, Problem, Settings};

const ASSETS: usize = 24;
const DAYS: usize = 60;
const FACTORS: usize = 4;

/// Random numbers between −1 and 1 that are the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 11) as f64 / (1_u64 << 53) as f64).mul_add(2.0, -1.0)
    }
}

/// Returns with factors in common, and an index of all assets to follow.
fn returns(seed: u64) -> (Vec<f64>, Vec<f64>) {
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xA5A5_5A5A);
    (0..5).for_each(|_| _ = random.next());
    let loadings: Vec<f64> = (0..ASSETS * FACTORS).map(|_| random.next()).collect();
    let shares: Vec<f64> = (0..ASSETS).map(|_| (1.5 * random.next()).exp()).collect();
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for _ in 0..DAYS {
        let factors: Vec<f64> = (0..FACTORS).map(|_| random.next()).collect();
        let day: Vec<f64> = loadings
            .chunks_exact(FACTORS)
            .map(|own| own.iter().zip(&factors).map(|(l, f)| l * f).sum::<f64>() + 0.5 * random.next())
            .collect();
        y.push(day.iter().zip(&shares).map(|(r, s)| r * s).sum::<f64>() / shares.iter().sum::<f64>());
        x.extend(day);
    }
    (x, y)
}

fn least(data: &Data, text: &str) -> f64 {
    let set = SetSpec::parse(text).and_then(|spec| spec.build(data.parameter_shape())).expect(text);
    let fit = Problem::new(data, Squared, set).fit(&Settings::default()).expect(text);
    assert!(fit.stop().is_success(), "{text}: {:?}", fit.stop());
    fit.objective()
}

#[test]
fn a_portfolio_of_more_assets_is_not_worse() {
    let mut rises = Vec::new();
    for seed in 0..2 {
        let (x, y) = returns(seed);
        let data = Data::dense(&x, ASSETS, &y).unwrap();
        let mut before = f64::INFINITY;
        for size in [5, 6, 8, 10] {
            let text = format!("simplex & box:0,0.2 & sparsity:{size}");
            let value = least(&data, &text);
            if value > before * (1.0 + 1e-9) {
                rises.push(format!("seed {seed}, {text}: {value} above {before} of the smaller set"));
            }
            before = before.min(value);
        }
        // Wider caps and no caps at all, with the same number of assets.
        let caps = ["box:0,0.15 & ", "box:0,0.2 & ", "box:0,0.4 & ", ""];
        let values = caps.map(|cap| least(&data, &format!("simplex & {cap}sparsity:10")));
        for (pair, cap) in values.windows(2).zip(&caps[1..]) {
            if pair[1] > pair[0] * (1.0 + 1e-9) {
                rises.push(format!("seed {seed}, {cap}: {} above {}", pair[1], pair[0]));
            }
        }
    }
    assert!(rises.is_empty(), "{}", rises.join("\n"));
}
