//! Which features may be nonzero: at most $s$ in all, some always in, some never, at most $q$ of each of some disjoint groups, groups that move as one, and products
//! of features only with their factors (heredity).
//!
//! The set is a union of subspaces, one for each choice that obeys the rules. Features that are always in count towards $s$ and towards the limits of their groups, whether
//! their coefficient happens to be zero or not, and so do the factors of a product: "ten features, two of them always" leaves eight to choose.
//!
//! Zeroing unit $u$ costs $g_u = \sum_{j \in u}x_j^2$, so the projection is the choice of largest $\sum g_u$ (`picking.rs`): the greedy one where no unit needs
//! another, since the limits are a laminar matroid; branch and bound where products need factors. A cone, not convex; ties go to the lower index.

use super::choice::Choice;
use super::magnitude::largest;
use super::picking::best_choice;
use super::structure::members;
use super::{
    Blocks, Choosing, Constraint, Need, SetFault, Structure, WholeSpace, Workspace, projection_failure, refusal,
};
use crate::error::Result;
use crate::shape::Shape;
use crate::spec::{Coordinates, Groups, Heredity, Product, Quota, SelectionRules, SetSpec};
use std::sync::OnceLock;

/// Features chosen by several rules at once.
#[derive(Clone, Debug)]
pub struct Selection {
    rules: SelectionRules,
    /// What there is to choose, for vectors of the length that was asked for first.
    known: OnceLock<(usize, Choice)>,
}

impl From<SelectionRules> for Selection {
    fn from(rules: SelectionRules) -> Self {
        Self { rules, known: OnceLock::new() }
    }
}

impl Selection {
    /// At most so many features in all.
    pub fn at_most(most: usize) -> Self {
        SelectionRules { most, ..SelectionRules::default() }.into()
    }

    /// With features that are always in.
    #[must_use]
    pub fn keep(mut self, features: impl IntoIterator<Item = usize>) -> Self {
        let features: Vec<usize> = features.into_iter().collect();
        self.rules.keep.places.extend(Coordinates::positions(&features).places);
        self.rules.into()
    }

    /// With features that are never in.
    #[must_use]
    pub fn drop(mut self, features: impl IntoIterator<Item = usize>) -> Self {
        let features: Vec<usize> = features.into_iter().collect();
        self.rules.drop.places.extend(Coordinates::positions(&features).places);
        self.rules.into()
    }

    /// With at most so many features of each of these groups, which do not overlap.
    #[must_use]
    pub fn quota(mut self, most: usize, groups: &[Vec<usize>]) -> Self {
        self.rules.quotas.push(Quota { most, of: Groups::listed(groups) });
        self.rules.into()
    }

    /// With groups that are chosen as one, so that all limits count groups.
    #[must_use]
    pub fn of_groups(self, groups: &[Vec<usize>]) -> Self {
        SelectionRules { units: Some(Groups::listed(groups)), ..self.rules }.into()
    }

    /// With products of features, each `[product, factor, factor]`, that come only with their factors.
    #[must_use]
    pub fn heredity(self, heredity: Heredity, products: &[[usize; 3]]) -> Self {
        let product = |indices: &[usize; 3]| {
            let [product, first, second] = indices.map(|j| Coordinates::range(j, j));
            Product { product, factors: [first, second] }
        };
        SelectionRules { heredity, products: products.iter().map(product).collect(), ..self.rules }.into()
    }

    /// The rules as plain data.
    pub fn rules(&self) -> &SelectionRules {
        &self.rules
    }

    /// What there is to choose for vectors of this length, or what is wrong with the rules.
    pub(super) fn plan(&self, length: usize) -> Result<Choice> {
        if let Some((_, choice)) = self.known.get().filter(|(known, _)| *known == length) {
            return Ok(choice.clone());
        }
        let spec = self.spec();
        let at = |on: &Coordinates| Blocks::checked(&spec, on, Shape::Vector(length));
        let lists = |groups: &Groups| match groups {
            Groups::Listed(lists) => lists.iter().map(at).collect::<Result<Vec<_>>>(),
            other if other.is_resolved() => Ok(members(other, length)),
            _ => Err(refusal(&spec, SetFault::NeedsNames)),
        };
        let product = |Product { product, factors: [first, second] }: &Product| match (
            &at(product)?[..],
            &at(first)?[..],
            &at(second)?[..],
        ) {
            ([product], [first], [second]) => Ok([*product, *first, *second]),
            _ => Err(refusal(&spec, "a product and its factors are one feature each")),
        };
        let rules = &self.rules;
        let places = Places {
            most: rules.most,
            units: rules.units.as_ref().map(lists).transpose()?,
            keep: at(&rules.keep)?,
            drop: at(&rules.drop)?,
            quotas: rules.quotas.iter().map(|quota| Ok((quota.most, lists(&quota.of)?))).collect::<Result<_>>()?,
            heredity: rules.heredity,
            products: rules.products.iter().map(product).collect::<Result<_>>()?,
        };
        let choice = planned(&places, length).map_err(|fault| refusal(self.spec(), fault))?;
        let _ = self.known.set((length, choice.clone()));
        Ok(choice)
    }
}

/// The rules by positions.
struct Places {
    most: usize,
    units: Option<Vec<Vec<usize>>>,
    keep: Vec<usize>,
    drop: Vec<usize>,
    quotas: Vec<(usize, Vec<Vec<usize>>)>,
    heredity: Heredity,
    products: Vec<[usize; 3]>,
}

/// Coordinates in units, with what becomes of each unit.
struct Units {
    members: Vec<Vec<usize>>,
    /// The unit of each coordinate that is not dropped.
    of: Vec<Option<usize>>,
    is_kept: Vec<bool>,
}

impl Units {
    fn new(rules: &Places, length: usize) -> std::result::Result<Self, SetFault> {
        let mut members = match &rules.units {
            None => (0..length).map(|j| vec![j]).collect(),
            Some(groups) => disjoint(groups, length, "groups")?.to_vec(),
        };
        let mut of = vec![None; length];
        for (unit, own) in members.iter().enumerate() {
            own.iter().for_each(|&j| of[j] = Some(unit));
        }
        if let Some(j) = of.iter().position(Option::is_none) {
            return Err(format!("{} is in no group", place(j)).into());
        }
        let mut is_kept = vec![false; members.len()];
        for &j in &rules.keep {
            if rules.drop.contains(&j) {
                return Err(format!("{} is both kept and dropped", place(j)).into());
            }
            of[j].into_iter().for_each(|unit| is_kept[unit] = true);
        }
        for &j in &rules.drop {
            of[j] = None;
        }
        for (unit, own) in members.iter_mut().enumerate() {
            own.retain(|&j| of[j] == Some(unit));
        }
        Ok(Self { members, of, is_kept })
    }

    /// Takes a unit out altogether.
    fn remove(&mut self, unit: usize) {
        self.members[unit].iter().for_each(|&j| self.of[j] = None);
        self.members[unit].clear();
    }
}

/// A coordinate in messages.
fn place(j: usize) -> String {
    format!("feature {}", j + 1)
}

/// Groups that do not overlap; they need not hold every coordinate.
fn disjoint<'g>(
    groups: &'g [Vec<usize>],
    length: usize,
    what: &str,
) -> std::result::Result<&'g [Vec<usize>], SetFault> {
    let mut is_taken = vec![false; length];
    for &j in groups.iter().flatten() {
        if std::mem::replace(&mut is_taken[j], true) {
            return Err(format!("{} is in two {what}", place(j)).into());
        }
    }
    Ok(groups)
}

/// The choice that the rules leave.
fn planned(rules: &Places, length: usize) -> std::result::Result<Choice, SetFault> {
    if rules.units.is_none() && rules.most > length {
        return Err(SetFault::TooManyNonzeros { most: length });
    }
    let mut units = Units::new(rules, length)?;
    if rules.units.is_some() && rules.most > units.members.len() {
        return Err(SetFault::TooManyGroups { most: units.members.len() });
    }
    let mut needs = inherited(rules, &mut units)?;
    // The quota of each unit, and how many units it leaves.
    let mut pool_of = vec![None; units.members.len()];
    let mut limits: Vec<usize> = Vec::new();
    for (most, families) in &rules.quotas {
        for family in disjoint(families, length, "families")? {
            for unit in family.iter().filter_map(|&j| units.of[j]) {
                if pool_of[unit].is_some_and(|pool| pool != limits.len()) {
                    let j = units.members[unit].first().copied().unwrap_or_default();
                    return Err(format!("{} is in two families with a limit", place(j)).into());
                }
                pool_of[unit] = Some(limits.len());
            }
            limits.push(*most);
        }
    }
    let kept: Vec<usize> = (0..units.members.len()).filter(|&unit| units.is_kept[unit]).collect();
    for &unit in &kept {
        if let Some(pool) = pool_of[unit] {
            limits[pool] = limits[pool]
                .checked_sub(1)
                .ok_or_else(|| SetFault::empty("more features of a family are always in than the family may have"))?;
        }
    }
    let Some(total) = rules.most.checked_sub(kept.len()) else {
        let why = format!("{} are always in, but at most {} may be nonzero", kept.len(), rules.most);
        return Err(SetFault::empty(why));
    };
    let chosen: Vec<usize> =
        (0..units.members.len()).filter(|&unit| !units.is_kept[unit] && !units.members[unit].is_empty()).collect();
    limits.push(chosen.len());
    let mut number = vec![usize::MAX; units.members.len()];
    chosen.iter().enumerate().for_each(|(place, &unit)| number[unit] = place);
    let in_pools = chosen.iter().map(|&unit| (units.members[unit].clone(), pool_of[unit].unwrap_or(limits.len() - 1)));
    let always = Choice::always(kept.iter().flat_map(|&unit| units.members[unit].iter().copied()));
    let choice = always.beside(&Choice::in_pools(in_pools, &limits, total), |j| j);
    for need in &mut needs {
        need.unit = number[need.unit];
        need.one_of.iter_mut().for_each(|unit| *unit = number[*unit]);
    }
    Ok(needs.into_iter().fold(choice, Choice::needing))
}

/// What products need of their factors, unit by unit; products that can never come are taken out.
fn inherited(rules: &Places, units: &mut Units) -> std::result::Result<Vec<Need>, SetFault> {
    for &[product, first, second] in &rules.products {
        let own = [product, first, second].map(|j| units.of[j]);
        if own[0].is_some() && own[1..].contains(&own[0]) {
            return Err(format!("{} is a product of itself or of its own group", place(product)).into());
        }
    }
    let mut needs;
    loop {
        needs = Vec::new();
        let mut impossible = None;
        for &[product, first, second] in &rules.products {
            let Some(unit) = units.of[product] else { continue };
            let lists: Vec<Vec<usize>> = match rules.heredity {
                Heredity::Strong => vec![vec![first], vec![second]],
                Heredity::Weak => vec![vec![first, second]],
            };
            for list in lists {
                let factors: Vec<usize> = list.iter().filter_map(|&j| units.of[j]).collect();
                if factors.iter().any(|&factor| units.is_kept[factor]) {
                    continue;
                }
                if units.is_kept[unit] {
                    return Err(format!("{} is kept, but not what it is a product of", place(product)).into());
                }
                if factors.is_empty() {
                    impossible = Some(unit);
                } else {
                    needs.push(Need { unit, one_of: factors });
                }
            }
        }
        match impossible {
            Some(unit) => units.remove(unit),
            None => break,
        }
    }
    is_acyclic(&needs, units.members.len())
        .then_some(needs)
        .ok_or_else(|| "products need each other in a circle".into())
}

/// Whether units can be put in an order in which each comes after all that it names.
fn is_acyclic(needs: &[Need], units: usize) -> bool {
    let mut is_placed = vec![true; units];
    needs.iter().for_each(|need| is_placed[need.unit] = false);
    loop {
        let ready: Vec<usize> = (0..units)
            .filter(|&unit| {
                let mut own = needs.iter().filter(|need| need.unit == unit);
                !is_placed[unit] && own.all(|need| need.one_of.iter().all(|&other| is_placed[other]))
            })
            .collect();
        if ready.is_empty() {
            return is_placed.iter().all(|placed| *placed);
        }
        ready.into_iter().for_each(|unit| is_placed[unit] = true);
    }
}

impl Constraint for Selection {
    fn project(&self, point: &mut [f64], work: &mut Workspace) -> Result<()> {
        let choice = self.plan(point.len())?;
        if point.iter().any(|x| x.is_nan()) {
            // What has no nearest point is left to be seen.
            return Ok(());
        }
        let scale = scale_of(point);
        let mut gains = work.take_numbers();
        gains.extend(
            (0..choice.units()).map(|unit| choice.unit(unit).iter().map(|&j| (point[j] / scale).powi(2)).sum::<f64>()),
        );
        let chosen = best_choice(&choice, &gains);
        work.return_numbers(gains);
        let chosen = chosen.map_err(|fault| projection_failure(self, fault))?;
        let support = choice.support(&chosen);
        let mut next = support.iter().copied().peekable();
        for (j, x) in point.iter_mut().enumerate() {
            let is_in = next.next_if_eq(&j).is_some();
            *x = if is_in { *x + 0.0 } else { 0.0 };
        }
        Ok(())
    }

    fn is_convex(&self) -> bool {
        false
    }

    fn is_cone(&self) -> bool {
        true
    }

    fn is_scale_free(&self) -> bool {
        true
    }

    fn check(&self, shape: Shape) -> Result<()> {
        self.plan(shape.len()).map(|_| ())
    }

    fn structure(&self) -> Structure<'_> {
        Structure::Choice(self)
    }

    fn spec(&self) -> SetSpec {
        // Without any other rule it is one of the sets of one number.
        let SelectionRules { most: keep, units, .. } = self.rules.clone();
        let plain = SelectionRules { most: keep, units: units.clone(), ..SelectionRules::default() };
        match units {
            _ if plain != self.rules => SetSpec::Selection(Box::new(self.rules.clone())),
            Some(groups) => SetSpec::GroupSparsity { keep, groups },
            None => SetSpec::Sparsity { keep },
        }
    }
}

/// A number to divide by where squares would overflow or vanish.
pub(super) fn scale_of(point: &[f64]) -> f64 {
    let top = largest(point.iter().copied());
    let is_extreme = top.is_finite() && top > 0.0 && !(1e-120..1e120).contains(&top);
    if is_extreme { top } else { 1.0 }
}

impl Choosing for Selection {
    fn choice(&self, length: usize) -> Choice {
        // A set that was checked has a plan; without one there is nothing to choose.
        self.plan(length).unwrap_or_else(|_| Choice::always([]))
    }

    fn on_support(&self, _support: &[usize]) -> Option<Box<dyn Constraint + '_>> {
        Some(Box::new(WholeSpace))
    }
}
