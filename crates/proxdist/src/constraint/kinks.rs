//! The best places of at most $k$ kinks, by dynamic programming over functions.
//!
//! Let $f_m(j, v)$ be the least cost of the entries up to $j$ with $m$ kinks among those before $j$, when the line at $j$ has the value $v$. With $c_{ij}(u, v)$ the cost of the
//! straight piece from value $u$ at $i$ to value $v$ at $j$ (entry $i$ not counted), a quadratic function,
//! $$f_m(j, v) = \min_{i < j}\min_u f_{m-1}(i, u) + c_{ij}(u, v).$$
//! $f_{m-1}(i, \cdot)$ is a minimum of convex parabolas, and $\min_u$ of a parabola plus $c_{ij}$ is a convex parabola in $v$: so is every $f_m(j, \cdot)$. What the future costs
//! depends on $j$ and $v$ alone, so a parabola that is nowhere the lowest of its $j$ never belongs to an optimum and is dropped; nothing else is (Fearnhead, Maidstone,
//! Letchford 2019 do the same with a penalty). Exact; the number of parabolas that stay is small in practice, though not bounded by theory.

/// Differences of arguments below this, relative to one, are rounding.
const NARROW: f64 = 1e-12;

/// $av^2 + bv + c$, and the parabola it came from.
#[derive(Clone, Copy, Debug)]
struct Parabola {
    a: f64,
    b: f64,
    c: f64,
    from: usize,
    parent: usize,
}

/// The kinks, ascending. As few as give the least cost. `values` are of ordinary size and centered.
pub(super) fn best(values: &[f64], weights: &[f64], places: &[f64], most: usize) -> Vec<usize> {
    let size = values.len();
    if size < 3 {
        return Vec::new();
    }
    let last = size - 1;
    let start = Parabola {
        a: weights[0],
        b: -2.0 * weights[0] * values[0],
        c: weights[0] * values[0] * values[0],
        from: 0,
        parent: 0,
    };
    // What the first piece of all begins with: no kink, at the first entry.
    let mut beginning: Vec<Vec<Parabola>> = vec![Vec::new(); size];
    beginning[0].push(start);
    let mut layers: Vec<Vec<Vec<Parabola>>> = Vec::new();
    let mut lowest = (f64::INFINITY, 0, 0);
    for kinks in 0..=most.min(size - 2) {
        let before = layers.last().unwrap_or(&beginning);
        let mut reached: Vec<Vec<Parabola>> = vec![Vec::new(); size];
        let mut pruned = vec![0_usize; size];
        for i in 0..last {
            if before[i].is_empty() {
                continue;
            }
            let mut sums = Sums::default();
            for j in i + 1..size {
                sums.add(values[j], weights[j], places[j] - places[i]);
                let piece = sums.piece(places[j] - places[i]);
                let list = &mut reached[j];
                list.extend(before[i].iter().enumerate().map(|(parent, at)| piece.after(at, i, parent)));
                if list.len() > 2 * pruned[j] + 32 {
                    lower_envelope(list);
                    pruned[j] = list.len();
                }
            }
        }
        reached.iter_mut().for_each(lower_envelope);
        for (index, parabola) in reached[last].iter().enumerate() {
            let least = parabola.c - parabola.b * parabola.b / (4.0 * parabola.a);
            // A kink must earn more than rounding.
            if least < lowest.0 - if kinks == 0 { 0.0 } else { 1e-15 * lowest.0.abs() } {
                lowest = (least, kinks, index);
            }
        }
        layers.push(reached);
    }
    let (_, kinks, mut index) = lowest;
    let (mut breaks, mut at) = (Vec::with_capacity(kinks), last);
    for layer in (1..=kinks).rev() {
        let parabola = layers[layer][at][index];
        (at, index) = (parabola.from, parabola.parent);
        breaks.push(at);
    }
    breaks.reverse();
    breaks
}

/// Sums over the entries of a piece, $\tau$ the distance from its beginning.
#[derive(Default)]
struct Sums {
    w: f64,
    wt: f64,
    wtt: f64,
    wy: f64,
    wyt: f64,
    wyy: f64,
}

impl Sums {
    fn add(&mut self, y: f64, w: f64, tau: f64) {
        self.w += w;
        self.wt += w * tau;
        self.wtt += w * tau * tau;
        self.wy += w * y;
        self.wyt += w * y * tau;
        self.wyy += w * y * y;
    }

    /// The cost of a straight piece of this length, as a function of its values at both ends.
    fn piece(&self, length: f64) -> Piece {
        let (t, tt, yt) = (self.wt / length, self.wtt / length / length, self.wyt / length);
        Piece { uu: (self.w - 2.0 * t + tt).max(0.0), uv: t - tt, vv: tt, u: self.wy - yt, v: yt, constant: self.wyy }
    }
}

/// $A u^2 + 2Buv + Cv^2 - 2Du - 2Ev + G$
struct Piece {
    uu: f64,
    uv: f64,
    vv: f64,
    u: f64,
    v: f64,
    constant: f64,
}

impl Piece {
    /// The least over $u$ of a parabola in $u$ and this piece.
    fn after(&self, at: &Parabola, from: usize, parent: usize) -> Parabola {
        let (bend, slope) = (at.a + self.uu, at.b - 2.0 * self.u);
        Parabola {
            a: self.vv - self.uv * (self.uv / bend),
            b: -2.0 * self.v - self.uv * (slope / bend),
            c: at.c + self.constant - slope * (slope / bend) / 4.0,
            from,
            parent,
        }
    }
}

/// Keeps the parabolas that are the lowest somewhere, in their order.
fn lower_envelope(list: &mut Vec<Parabola>) {
    if list.len() < 2 {
        return;
    }
    // Far to the left the flattest is the lowest, then the one that falls fastest towards it.
    let far_left = |p: &Parabola, q: &Parabola| p.a.total_cmp(&q.a).then(q.b.total_cmp(&p.b)).then(p.c.total_cmp(&q.c));
    let Some(mut current) = (0..list.len()).min_by(|&p, &q| far_left(&list[p], &list[q])) else { return };
    let mut stays = vec![false; list.len()];
    stays[current] = true;
    let mut v = f64::NEG_INFINITY;
    let mut rounds = 0;
    loop {
        rounds += 1;
        if rounds > 4 * list.len() + 16 {
            // Rounding has led in circles; to keep all of them is right as well.
            return;
        }
        let mut next: Option<(f64, f64, usize)> = None;
        for (index, other) in list.iter().enumerate().filter(|(index, _)| *index != current) {
            let Some(at) = passes_below(&list[current], other, v) else { continue };
            let slope = 2.0 * other.a * at + other.b;
            if next.is_none_or(|(best, steepness, _)| at < best || (at == best && slope < steepness)) {
                next = Some((at, slope, index));
            }
        }
        let Some((at, _, index)) = next else { break };
        (v, current) = (at, index);
        stays[index] = true;
    }
    let mut index = 0;
    list.retain(|_| {
        index += 1;
        stays[index - 1]
    });
}

/// The first argument from `v` on at which `other` passes below `current` for more than rounding.
fn passes_below(current: &Parabola, other: &Parabola, v: f64) -> Option<f64> {
    let (a, b, c) = (other.a - current.a, other.b - current.b, other.c - current.c);
    let narrow = |at: f64| NARROW * (1.0 + at.abs());
    if a == 0.0 {
        let root = -c / b;
        return match b {
            _ if b < 0.0 => Some(root.max(v)),
            _ if b > 0.0 => (root > v + narrow(root)).then_some(v),
            _ => (c < 0.0).then_some(v),
        }
        .filter(|at| at.is_finite());
    }
    let discriminant = b * b - 4.0 * a * c;
    if discriminant <= 0.0 {
        return (a < 0.0 && v.is_finite()).then_some(v);
    }
    let q = -0.5 * (b + discriminant.sqrt().copysign(b));
    let (r, s) = (q / a, if q == 0.0 { 0.0 } else { c / q });
    let (low, high) = (r.min(s), r.max(s));
    if a > 0.0 {
        // Below between the roots.
        let at = low.max(v);
        return (high > at + narrow(at)).then_some(at).filter(|at| at.is_finite());
    }
    // Below outside of the roots. Left of them it cannot be where the sweep began further left.
    Some(if v.is_finite() && v + narrow(v) < low { v } else { high.max(v) }).filter(|at| at.is_finite())
}

/// The least squares broken line with these kinks.
pub(super) fn straighten(point: &mut [f64], places: &[f64], breaks: &[usize]) {
    let last = point.len() - 1;
    let knots: Vec<usize> = [&[0], breaks, &[last]].concat();
    let top = super::magnitude::largest(point.iter().copied());
    if last == 0 || top == 0.0 {
        return;
    }
    // The normal equations in the values at the knots are tridiagonal: diagonal, beside it, right side.
    let mut system = vec![(0.0, 0.0, 0.0); knots.len()];
    let share = |k: usize, j: usize| (places[j] - places[knots[k]]) / (places[knots[k + 1]] - places[knots[k]]);
    for k in 0..knots.len() - 1 {
        let begin = if k == 0 { 0 } else { knots[k] + 1 };
        for j in begin..=knots[k + 1] {
            let (s, y) = (share(k, j), point[j] / top);
            system[k].0 += (1.0 - s) * (1.0 - s);
            system[k].1 += s * (1.0 - s);
            system[k].2 += (1.0 - s) * y;
            system[k + 1].0 += s * s;
            system[k + 1].2 += s * y;
        }
    }
    for k in 1..system.len() {
        let factor = system[k - 1].1 / system[k - 1].0;
        system[k].0 -= factor * system[k - 1].1;
        system[k].2 -= factor * system[k - 1].2;
    }
    let mut values = vec![0.0; knots.len()];
    for k in (0..knots.len()).rev() {
        let after = values.get(k + 1).copied().unwrap_or(0.0);
        values[k] = (system[k].2 - system[k].1 * after) / system[k].0;
    }
    for k in 0..knots.len() - 1 {
        for j in knots[k]..=knots[k + 1] {
            let s = share(k, j);
            point[j] = (values[k] * (1.0 - s) + values[k + 1] * s) * top;
        }
    }
}
