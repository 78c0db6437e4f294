//! What there is to choose from.

/// One line of the catalogue of sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetEntry {
    /// The word the specification starts with.
    pub name: &'static str,
    /// How it is written.
    pub syntax: &'static str,
    /// Which vectors belong to the set.
    pub definition: &'static str,
    /// Whether the set is convex; `depends` for sets made of others.
    pub convex: &'static str,
    /// Cost of a projection, `p` the number of entries.
    pub cost: &'static str,
}

const fn entry(
    name: &'static str,
    syntax: &'static str,
    definition: &'static str,
    convex: &'static str,
    cost: &'static str,
) -> SetEntry {
    SetEntry { name, syntax, definition, convex, cost }
}

const SETS: &[SetEntry] = &[
    entry("none", "none", "every vector", "yes", "none"),
    entry("ball", "ball:R or ball:R;center=C,C,...", "within distance R of the origin or of a center", "yes", "p"),
    entry("sparsity", "sparsity:S", "at most S nonzero entries", "no", "p"),
    entry("rank", "rank:R", "matrix of rank at most R", "no", "a few products with R + 8 vectors, else a full SVD"),
    entry("box", "box:L,U or box;lower=L,...;upper=U,...", "every entry between limits, which may be inf", "yes", "p"),
    entry("nonneg", "nonneg", "no negative entry", "yes", "p"),
    entry("l1", "l1:R", "magnitudes sum to at most R", "yes", "p per pass, few passes"),
    entry("linf", "linf:R", "every magnitude at most R", "yes", "p"),
    entry(
        "simplex",
        "simplex or simplex:T",
        "no negative entry, sum exactly T (1 if left out)",
        "yes",
        "p per pass, few passes",
    ),
    entry("affine", "affine;a=ROW|ROW|...;b=B,B,...", "solves the equations A x = b", "yes", "m p for m equations"),
    entry("halfspace", "halfspace;a=A,A,...;b=B", "satisfies a.x <= b", "yes", "p"),
    entry("monotone", "monotone or monotone:decreasing", "entries in increasing or decreasing order", "yes", "p"),
    entry(
        "group-sparsity",
        "group-sparsity:G;groups=0-3,4+6,5 or group-sparsity:G;size=N",
        "at most G groups with a nonzero entry; + unites ranges, a comma starts the next group",
        "no",
        "p",
    ),
    entry(
        "blocks",
        "blocks[0-9: SET][10-19: SET]",
        "a set of its own for each range of indices",
        "depends",
        "sum of the parts",
    ),
    entry(
        "&",
        "SET & SET",
        "in both sets, exactly: convex sets of every kind; sparsity with box, nonneg, linf, simplex or l1; \
         cones in a ball; anything else is refused",
        "depends",
        "by formula: the sum of the parts; otherwise a quadratic program",
    ),
];

/// All sets of the grammar; the last entry is the intersection.
pub fn sets() -> &'static [SetEntry] {
    SETS
}
