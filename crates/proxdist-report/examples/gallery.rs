//! What do the figures look like? Writes each as a standalone SVG, wide and narrow, into the folder given as an argument.

#[path = "../tests/samples/mod.rs"]
mod samples;

use proxdist_report::{Style, figures};
use std::path::PathBuf;

fn main() -> std::io::Result<()> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "gallery".into()));
    std::fs::create_dir_all(&folder)?;
    let mut written = 0;
    for (suffix, style) in [("", Style::standalone()), ("_narrow", Style::standalone().width(340.0))] {
        let pictures = [
            ("convergence", figures::convergence(&samples::trace(60), Some(0.231_402), style)),
            ("convergence_objective", figures::convergence(&samples::trace(5), None, style)),
            ("convergence_one_point", figures::convergence(&samples::trace(1), None, style)),
            ("convergence_empty", figures::convergence(&[], None, style)),
            ("convergence_zeros", figures::convergence(&samples::zero_distance(), Some(0.2), style)),
            ("coefficients", figures::coefficients(&samples::coefficients(1024, 20), style)),
            ("coefficients_many", figures::coefficients(&samples::coefficients(5000, 300), style)),
            ("roc", figures::roc(&samples::roc_curves(), style)),
            ("calibration", figures::calibration(&samples::calibration_bins(), style)),
            ("residuals", figures::residuals(&samples::residual_cloud(5000), style)),
            ("cv_curve", figures::cv_curve(&samples::cv_curve(&[""]), style)),
            ("cv_curve_lines", figures::cv_curve(&samples::cv_curve(&["ridge 0", "ridge 0.001", "ridge 0.01"]), style)),
            ("box_plots", figures::box_plots(&samples::boxes(), style)),
            ("heat_map", figures::heat_map(&samples::low_rank(64, 48), style)),
            ("proof", figures::proof(&samples::proof(50), style)),
            ("proof_short", figures::proof(&samples::proof(4), style)),
            ("proof_one_point", figures::proof(&samples::proof(1), style)),
            ("lines", figures::lines(&samples::rates(), style)),
        ];
        for (name, picture) in pictures {
            std::fs::write(folder.join(format!("{name}{suffix}.svg")), picture)?;
            written += 1;
        }
    }
    println!("{written} figures in {}", folder.display());
    Ok(())
}
