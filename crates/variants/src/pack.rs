//! Combines independent variants, so that one answer tries many of them.

use std::collections::BTreeSet;

use crate::kind::Kind;
use crate::variants::Variants;

/// Maximum number of pairs of variants for which combinations are built.
const PAIRS: usize = 500;

/// Returns the groups of variants to try, in order, as indexes. All variants of a group have the same kind, and their
/// places are independent of each other.
pub(crate) fn packs(variants: &Variants) -> Vec<Vec<usize>> {
    let mut packs = Vec::new();
    for kind in Kind::ALL {
        let list = variants.list().iter().enumerate();
        let mut waiting: Vec<usize> = list
            .filter(|(_, variant)| variant.kind == kind)
            .map(|(at, _)| at)
            .collect();
        while !waiting.is_empty() {
            let mut pack: Vec<usize> = Vec::new();
            for &candidate in &waiting {
                if pack.iter().all(|&packed| is_independent(variants, packed, candidate)) {
                    pack.push(candidate);
                }
            }
            if pack.len() > 1 && !variants.allows(&pack) {
                pack.truncate(1);
            }
            waiting.retain(|candidate| !pack.contains(candidate));
            packs.push(pack);
        }
    }
    packs
}

/// Returns combinations of variants, as indexes. Each pair of variants at independent places occurs in at least one
/// combination, if the contract allows the pair. Covers at most [`PAIRS`] pairs.
pub(crate) fn pairs(variants: &Variants) -> Vec<Vec<usize>> {
    let count = variants.list().len();
    let mut missing = BTreeSet::new();
    for one in 0..count {
        for other in one + 1..count {
            if missing.len() < PAIRS && is_independent(variants, one, other) && variants.allows(&[one, other]) {
                missing.insert((one, other));
            }
        }
    }
    let mut rows = Vec::new();
    while let Some((one, other)) = missing.pop_first() {
        let mut row = vec![one, other];
        for candidate in 0..count {
            let is_new = row.iter().any(|&chosen| missing.contains(&ordered(chosen, candidate)));
            let fits = row
                .iter()
                .all(|&chosen| chosen != candidate && is_independent(variants, chosen, candidate));
            if is_new && fits {
                row.push(candidate);
                if !variants.allows(&row) {
                    row.pop();
                }
            }
        }
        row.sort_unstable();
        missing.retain(|(one, other)| !(row.contains(one) && row.contains(other)));
        rows.push(row);
    }
    rows
}

fn ordered(one: usize, other: usize) -> (usize, usize) {
    (one.min(other), one.max(other))
}

fn is_independent(variants: &Variants, one: usize, other: usize) -> bool {
    let list = variants.list();
    list[one].touched.is_independent_of(&list[other].touched)
}
