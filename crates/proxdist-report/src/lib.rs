//! One page or a few pictures that say what was fitted, how well, and how to repeat it.
//!
//! Plain structs in, text out: [`Report::to_html`] gives a page that needs no network and no other file, [`figures`] the same
//! pictures as SVG, for a file of their own or for a notebook. Nothing here computes a model, reads or writes a file, or panics
//! on strange numbers; every name is escaped.
//!
//! ```
//! use proxdist_report::{Coefficient, Report, Style, figures};
//!
//! let coefficients = vec![Coefficient::new("age", 0.8), Coefficient::new("dose <mg>", -0.3)];
//! let svg = figures::coefficients(&coefficients, Style::standalone());
//! assert!(svg.starts_with("<svg") && svg.contains("dose &lt;mg&gt;"));
//!
//! let report = Report { title: "Two features".into(), coefficients, ..Report::default() };
//! assert!(report.to_html().contains("2 of 2 coefficients are not zero"));
//! ```

mod escape;
pub mod figures;
mod html;
mod input;
mod model_input;
mod number;
#[cfg(feature = "png")]
mod png;
pub mod svg;
mod table_page;

pub use escape::{escape, script_json};
pub use html::{ComparisonTable, Problem, Report, figure, page};
pub use input::{
    Biplot, BoxGroup, BoxPlots, CalibrationBin, CertificateLine, Coefficient, CoefficientMatrix, CvCurve, CvPoint,
    Fact, LinePlot, Mark, Notice, Place, ProofPoint, ProofStory, Residual, Rings, RocCurve, Section, Series, Severity,
    TracePoint,
};
pub use model_input::{Cut, Effect, Effects, Image, Thresholds};
pub use number::{count, duration, number};
#[cfg(feature = "png")]
pub use png::{PngError, png};
pub use svg::{Style, Theme};
pub use table_page::TablePage;
