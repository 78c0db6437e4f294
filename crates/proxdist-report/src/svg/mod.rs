//! A small writer of SVG: scales with good ticks, axes, marks and legends, in floating coordinates.
//!
//! A figure is a [`Canvas`] on which [`Panel`]s draw their axes and marks; [`Canvas::finish`] gives the text.
//! All coordinates pass through one door, which rounds to 0.01 and lets no `NaN` out.

mod axes;
mod canvas;
mod legend;
mod marks;
mod scale;
mod text;
mod theme;
mod ticks;

pub use axes::{Axis, Panel, Rect};
pub use canvas::{Anchor, Canvas, Stroke, TextStyle};
pub use legend::{Key, Swatch, legend};
pub use marks::{Dot, Slot, Summary};
pub use scale::{Extent, Kind, Scale};
pub use text::{Label, ellipsis, text_width};
pub use theme::{Colour, Style, Theme};
pub use ticks::{Tick, Ticks};
