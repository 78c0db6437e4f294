//! Sets on parts of a vector that hold at once, brought together so that exact projections are found.
//!
//! Limits on coordinates meet coordinate by coordinate, so all of them become one box: `sparsity:10 & nonneg[age] & box:0,0.2[asset_*]` is sparsity with a
//! box. Other sets are put together where they share coordinates, and what shares none stands side by side, since squared distance is a sum over
//! coordinates: `simplex[a*] & ball:1[b*]` is two blocks, and `simplex[a*] & sparsity:3[a*]` is one block with a set that has a projection of its own.

use super::{Block, Coordinates, SetSpec};
use crate::constraint::SetFault;

/// A set on some coordinates, or on all of them.
struct Part<'a> {
    at: Option<Vec<usize>>,
    set: &'a SetSpec,
}

/// The same set with limits merged and parts put together; nothing where there is nothing to gain, or where a part is wrong by itself and says so better.
pub(super) fn merged(parts: &[SetSpec], length: usize) -> Result<Option<SetSpec>, SetFault> {
    if !parts.iter().any(|part| matches!(part, SetSpec::Blocks(_))) {
        return Ok(None);
    }
    let Some(opened) = opened(parts, length) else {
        return Ok(None);
    };
    let mut limits = vec![(f64::NEG_INFINITY, f64::INFINITY); length];
    let mut others = Vec::new();
    for part in opened {
        let count = part.at.as_ref().map_or(length, Vec::len);
        match own_limits(part.set, count) {
            Limits::Each(each) => {
                for (k, (lower, upper)) in each.into_iter().enumerate() {
                    let j = part.at.as_ref().map_or(k, |at| at[k]);
                    limits[j] = (limits[j].0.max(lower), limits[j].1.min(upper));
                }
            }
            Limits::None => others.push(part),
            Limits::Wrong => return Ok(None),
        }
    }
    if let Some(j) = limits.iter().position(|(lower, upper)| lower > upper) {
        return Err(SetFault::empty(format!("the limits leave no number for position {}", j + 1)));
    }
    Ok(Some(together(&others, &limits)))
}

/// All parts with the coordinates they are about; nothing if a list goes beyond the vector or overlaps within one set.
fn opened(parts: &[SetSpec], length: usize) -> Option<Vec<Part<'_>>> {
    let mut opened = Vec::new();
    for part in parts {
        let SetSpec::Blocks(blocks) = part else {
            opened.push(Part { at: None, set: part });
            continue;
        };
        let mut is_taken = vec![false; length];
        for Block { on, set } in blocks {
            let at = on.indices(length)?;
            if at.iter().any(|&j| std::mem::replace(&mut is_taken[j], true)) {
                return None;
            }
            match set {
                SetSpec::Intersection(inside) => {
                    opened.extend(inside.iter().map(|set| Part { at: Some(at.clone()), set }));
                }
                set => opened.push(Part { at: Some(at), set }),
            }
        }
    }
    Some(opened)
}

enum Limits {
    Each(Vec<(f64, f64)>),
    None,
    Wrong,
}

/// The limits of each coordinate, if the set is made of them.
fn own_limits(set: &SetSpec, count: usize) -> Limits {
    let each: Vec<(f64, f64)> = match set {
        SetSpec::WholeSpace => vec![(f64::NEG_INFINITY, f64::INFINITY); count],
        SetSpec::NonNegative => vec![(0.0, f64::INFINITY); count],
        SetSpec::Bounds { lower, upper } => vec![(*lower, *upper); count],
        SetSpec::LinfBall { radius } if radius.is_finite() => vec![(-radius, *radius); count],
        SetSpec::BoundsEach { lower, upper } if lower.len() == count && upper.len() == count => {
            lower.iter().copied().zip(upper.iter().copied()).collect()
        }
        SetSpec::LinfBall { .. } | SetSpec::BoundsEach { .. } => return Limits::Wrong,
        _ => return Limits::None,
    };
    let is_sound = |(lower, upper): &(f64, f64)| lower <= upper && *lower < f64::INFINITY && *upper > f64::NEG_INFINITY;
    if each.iter().all(is_sound) { Limits::Each(each) } else { Limits::Wrong }
}

/// Parts and limits as one set: a block for each lot of parts that share coordinates, and one for the limits on the rest.
fn together(parts: &[Part], limits: &[(f64, f64)]) -> SetSpec {
    let length = limits.len();
    let lot_of = lots(parts, length);
    let mut blocks: Vec<(Vec<usize>, SetSpec)> = Vec::new();
    let mut is_held = vec![false; length];
    let mut lots: Vec<usize> = lot_of.clone();
    lots.sort_unstable();
    lots.dedup();
    for lot in lots {
        let members: Vec<&Part> =
            parts.iter().zip(&lot_of).filter(|(_, of)| **of == lot).map(|(part, _)| part).collect();
        let at = coordinates_of(&members, length);
        at.iter().for_each(|&j| is_held[j] = true);
        let set = inside(&members, &at, limits);
        blocks.push((at, set));
    }
    let rest: Vec<usize> =
        (0..length).filter(|&j| !is_held[j] && limits[j] != (f64::NEG_INFINITY, f64::INFINITY)).collect();
    if !rest.is_empty() {
        let set = limits_on(&rest, limits).unwrap_or(SetSpec::WholeSpace);
        // Limits alone are one box over everything, which every set knows how to meet.
        if blocks.is_empty() {
            let all: Vec<usize> = (0..length).collect();
            return limits_on(&all, limits).unwrap_or(SetSpec::WholeSpace);
        }
        blocks.push((rest, set));
    }
    match blocks.len() {
        0 => SetSpec::WholeSpace,
        1 if blocks[0].0.iter().copied().eq(0..length) => blocks.remove(0).1,
        _ => {
            let block = |(at, set): (Vec<usize>, SetSpec)| Block { on: Coordinates::positions(&at), set };
            SetSpec::Blocks(blocks.into_iter().map(block).collect())
        }
    }
}

/// The number of the lot of each part: parts that share a coordinate, by themselves or through others, are in one.
fn lots(parts: &[Part], length: usize) -> Vec<usize> {
    let mut lot_of: Vec<usize> = (0..parts.len()).collect();
    let mut holder: Vec<Option<usize>> = vec![None; length];
    let all: Vec<usize> = (0..length).collect();
    for (k, part) in parts.iter().enumerate() {
        for &j in part.at.as_deref().unwrap_or(&all) {
            let Some(other) = holder[j].replace(k) else { continue };
            let (from, to) = (lot_of[k].max(lot_of[other]), lot_of[k].min(lot_of[other]));
            if from != to {
                lot_of.iter_mut().filter(|lot| **lot == from).for_each(|lot| *lot = to);
            }
        }
    }
    lot_of
}

/// The coordinates of a lot: in the order of its list where all parts have the same, in ascending order otherwise.
fn coordinates_of(members: &[&Part], length: usize) -> Vec<usize> {
    let lists: Option<Vec<&Vec<usize>>> = members.iter().map(|part| part.at.as_ref()).collect();
    match lists.as_deref() {
        None => (0..length).collect(),
        Some([first, others @ ..]) if others.iter().all(|list| list == first) => (*first).clone(),
        Some(lists) => {
            let mut all: Vec<usize> = lists.iter().flat_map(|list| list.iter().copied()).collect();
            all.sort_unstable();
            all.dedup();
            all
        }
    }
}

/// The set of a lot, for vectors of its coordinates.
fn inside(members: &[&Part], at: &[usize], limits: &[(f64, f64)]) -> SetSpec {
    let mut place = vec![None; limits.len()];
    at.iter().enumerate().for_each(|(k, &j)| place[j] = Some(k));
    let mut whole: Vec<SetSpec> = Vec::new();
    // Which coordinates are taken, and by which blocks.
    let mut partial: Vec<(Vec<bool>, Vec<Block>)> = Vec::new();
    for part in members {
        let list = match &part.at {
            Some(list) if list != at => list,
            _ => {
                whole.push(part.set.clone());
                continue;
            }
        };
        let own: Vec<usize> = list.iter().filter_map(|&j| place[j]).collect();
        let block = Block { on: Coordinates::positions(&own), set: part.set.clone() };
        // Beside parts that it shares nothing with.
        let beside = partial.iter_mut().find(|(is_taken, _)| own.iter().all(|&k| !is_taken[k]));
        if let Some((is_taken, blocks)) = beside {
            own.iter().for_each(|&k| is_taken[k] = true);
            blocks.push(block);
        } else {
            let mut is_taken = vec![false; at.len()];
            own.iter().for_each(|&k| is_taken[k] = true);
            partial.push((is_taken, vec![block]));
        }
    }
    let blocks = partial.into_iter().map(|(_, blocks)| SetSpec::Blocks(blocks));
    SetSpec::all_of(whole.into_iter().chain(blocks).chain(limits_on(at, limits)))
}

/// The limits of some coordinates as a box; nothing where there are none.
fn limits_on(at: &[usize], limits: &[(f64, f64)]) -> Option<SetSpec> {
    let first = limits[*at.first()?];
    if at.iter().all(|&j| limits[j] == first) {
        let (lower, upper) = first;
        return (first != (f64::NEG_INFINITY, f64::INFINITY)).then_some(SetSpec::Bounds { lower, upper });
    }
    let (lower, upper) = at.iter().map(|&j| limits[j]).unzip();
    Some(SetSpec::BoundsEach { lower, upper })
}
