//! Colours, and where a figure will live.

/// Where a figure will live, which decides how its colours are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// A file of its own: explicit colours on white.
    #[default]
    Standalone,
    /// Inside a page or a notebook: colours follow the page through CSS variables `--pd-…`, with fallbacks.
    Inline,
}

/// What a colour is for. Series follow Okabe and Ito, distinguishable with all common forms of colour vision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// Text and axes.
    Ink,
    /// Secondary text and reference lines.
    Muted,
    /// Grid lines.
    Grid,
    /// The ground, to outline marks against their neighbours.
    Paper,
    /// A series of data, by number; they repeat after six.
    Series(usize),
}

impl Theme {
    /// The colour as a value of a `fill` or `stroke` attribute.
    pub fn colour(self, colour: Colour) -> &'static str {
        let (explicit, inline) = match colour {
            Colour::Ink => ("#1f2328", "var(--pd-ink,currentColor)"),
            Colour::Muted => ("#656d76", "var(--pd-muted,#7b838c)"),
            Colour::Grid => ("#e4e7eb", "var(--pd-grid,rgba(128,128,128,.22))"),
            Colour::Paper => ("#ffffff", "var(--pd-paper,transparent)"),
            Colour::Series(i) => match i % 6 {
                0 => ("#0072B2", "var(--pd-c0,#0072B2)"),
                1 => ("#D55E00", "var(--pd-c1,#D55E00)"),
                2 => ("#009E73", "var(--pd-c2,#009E73)"),
                3 => ("#E69F00", "var(--pd-c3,#E69F00)"),
                4 => ("#CC79A7", "var(--pd-c4,#CC79A7)"),
                _ => ("#56B4E9", "var(--pd-c5,#56B4E9)"),
            },
        };
        match self {
            Theme::Standalone => explicit,
            Theme::Inline => inline,
        }
    }

    pub(crate) fn fonts(self) -> &'static str {
        match self {
            Theme::Standalone => "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif",
            Theme::Inline => "inherit",
        }
    }
}

/// How a figure is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Style {
    /// Where the figure will live.
    pub theme: Theme,
    /// Width in CSS pixels, kept between 280 and 2000; the layout adapts, so that text stays readable on a phone.
    pub width: f64,
    /// Whether the title is drawn; it is always there for screen readers.
    pub show_title: bool,
}

impl Default for Style {
    fn default() -> Self {
        Style::standalone()
    }
}

impl Style {
    /// A file of its own, 680 wide, with its title.
    pub fn standalone() -> Self {
        Style { theme: Theme::Standalone, width: 680.0, show_title: true }
    }

    /// Part of a page, whose headings serve as titles.
    pub fn inline() -> Self {
        Style { theme: Theme::Inline, width: 680.0, show_title: false }
    }

    /// The same at another width.
    #[must_use]
    pub fn width(mut self, width: f64) -> Self {
        self.width = width;
        self
    }

    /// The width within its bounds, whatever was asked for.
    pub fn bounded_width(self) -> f64 {
        if self.width.is_finite() { self.width.clamp(280.0, 2000.0) } else { 680.0 }
    }

    /// Whether panels should stand above rather than beside each other.
    pub fn is_narrow(self) -> bool {
        self.bounded_width() < 520.0
    }
}
