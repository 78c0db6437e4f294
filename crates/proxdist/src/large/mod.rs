//! Fits of data that are never in memory at once: files larger than memory, and rows that lie on many machines.
//!
//! The rows are cut into *parts*, in a fixed order. A [`Backend`] is an ordered map over them: it is asked one of a few questions ([`Request`]), answers it
//! for each part on its own ([`Partial`], plain numbers that can be sent anywhere) and hands the answers out in the order of the parts, so that the sums
//! of [`Survey`] and [`Sums`] have the same bits whoever computes them, with however many workers. One question is one reading of all rows:
//!
//! | request | for each part |
//! |---|---|
//! | [`Request::Survey`] | rows, weights, moments of the columns, F at zero, the first cell that is no usable number, and the part's share of a uniform sample of rows |
//! | [`Request::Columns`] | a few columns of all rows, with response, weights and offset |
//! | [`Request::Sums`] | $F$, its gradient and as much of its Hessian as is wanted, at a point |
//!
//! [`Request::answer`] is all that a worker needs: it answers for one [`Part`], which every [`crate::Data`] is.

mod backend;
mod crossing;
mod driver;
mod elsewhere;
mod fitting;
mod frame;
mod gathered;
mod gathering;
mod memory;
mod newton;
mod part;
mod problem;
mod pseudo;
mod reader;
mod request;
mod restricted;
mod ruling;
mod sample;
mod screening;
mod sums;
mod survey;
mod table;

pub use backend::{Backend, Parts, Take};
pub use memory::free as free_memory;
pub use part::{Block, Part, Strip, VisitBlock};
pub(crate) use problem::fit_in_order;
pub use problem::{LargeFit, LargeProblem};
pub use request::{Partial, Request, Second, SumsRequest, SurveyRequest};
pub use sample::Sample;
pub use screening::{Screened, Screening};
pub use sums::Sums;
pub use survey::{Cell, Fault, Survey};
pub use table::Table;
