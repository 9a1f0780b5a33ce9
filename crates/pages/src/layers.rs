//! Arranges the nodes of a graph in layers, with consumers before their providers.

use std::collections::BTreeMap;

/// Number of passes. Each pass sorts the nodes of every layer by the mean position of their neighbors.
const SWEEPS: usize = 12;

/// A position in a layer. It contains a node, or leaves a gap for a long edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot {
    pub(crate) layer: usize,
    /// Index of the node, or `None` for a gap.
    pub(crate) node: Option<usize>,
}

/// The layers of a graph. Slots are referred to by their index.
#[derive(Debug)]
pub(crate) struct Layers {
    pub(crate) slots: Vec<Slot>,
    /// The slots of each layer, from top to bottom.
    pub(crate) columns: Vec<Vec<usize>>,
    /// For each edge, the slots from its consumer to its provider, or `None` if the edge would close a cycle.
    pub(crate) routes: Vec<Option<Vec<usize>>>,
}

impl Layers {
    /// Arranges `count` nodes. Each edge is a pair of a consumer and a provider.
    pub(crate) fn new(count: usize, edges: &[(usize, usize)]) -> Self {
        let forward = without_circles(count, edges);
        let layer = longest_paths(count, edges, &forward);
        let depth = layer.iter().max().map_or(0, |most| most + 1);
        let mut slots: Vec<Slot> = layer
            .iter()
            .enumerate()
            .map(|(node, layer)| Slot {
                layer: *layer,
                node: Some(node),
            })
            .collect();
        // Edges to the same node share their gaps.
        let mut gaps: BTreeMap<(usize, usize, usize), usize> = BTreeMap::new();
        let mut routes = Vec::with_capacity(edges.len());
        for ((from, to), is_forward) in edges.iter().zip(&forward) {
            if !is_forward {
                routes.push(None);
                continue;
            }
            let mut route = vec![*from];
            for layer_between in layer[*from] + 1..layer[*to] {
                let slot = *gaps.entry((*to, layer[*to], layer_between)).or_insert_with(|| {
                    slots.push(Slot {
                        layer: layer_between,
                        node: None,
                    });
                    slots.len() - 1
                });
                route.push(slot);
            }
            route.push(*to);
            routes.push(Some(route));
        }
        let mut columns = vec![Vec::new(); depth];
        for (number, slot) in slots.iter().enumerate() {
            columns[slot.layer].push(number);
        }
        let mut graph = Self { slots, columns, routes };
        graph.order();
        graph
    }

    fn order(&mut self) {
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); self.slots.len()];
        let mut after = before.clone();
        for route in self.routes.iter().flatten() {
            for pair in route.windows(2) {
                after[pair[0]].push(pair[1]);
                before[pair[1]].push(pair[0]);
            }
        }
        let mut position = vec![0.0_f64; self.slots.len()];
        let place = |layers: &[Vec<usize>], position: &mut Vec<f64>| {
            for layer in layers {
                let middle = index(layer.len()) / 2.0;
                for (number, slot) in layer.iter().enumerate() {
                    position[*slot] = index(number) - middle;
                }
            }
        };
        place(&self.columns, &mut position);
        for sweep in 0..SWEEPS {
            let is_down = sweep % 2 == 0;
            let neighbors = if is_down { &before } else { &after };
            let depth = self.columns.len();
            for number in 0..depth {
                let layer = &mut self.columns[if is_down { number } else { depth - 1 - number }];
                let mean = |slot: usize| {
                    let all = &neighbors[slot];
                    if all.is_empty() {
                        position[slot]
                    } else {
                        all.iter().map(|one| position[*one]).sum::<f64>() / index(all.len())
                    }
                };
                let mut keyed: Vec<(f64, usize)> = layer.iter().map(|slot| (mean(*slot), *slot)).collect();
                keyed.sort_by(|one, other| one.0.total_cmp(&other.0));
                *layer = keyed.into_iter().map(|(_, slot)| slot).collect();
                place(std::slice::from_ref(layer), &mut position);
            }
        }
    }
}

fn index(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}

/// Returns for each edge whether it can lead to a later layer. Without the other edges, the graph has no cycles.
fn without_circles(count: usize, edges: &[(usize, usize)]) -> Vec<bool> {
    let mut outgoing: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut incoming = vec![0_usize; count];
    for (number, (from, to)) in edges.iter().enumerate() {
        outgoing[*from].push(number);
        incoming[*to] += 1;
    }
    let mut forward = vec![true; edges.len()];
    let mut state = vec![State::New; count];
    // Start at applications without consumers, so that a cycle is cut at its last edge.
    let mut starts: Vec<usize> = (0..count).collect();
    starts.sort_by_key(|node| incoming[*node]);
    for start in starts {
        if state[start] != State::New {
            continue;
        }
        state[start] = State::Open;
        let mut path = vec![(start, 0)];
        while let Some((node, next)) = path.last_mut() {
            let Some(edge) = outgoing[*node].get(*next).copied() else {
                state[*node] = State::Done;
                path.pop();
                continue;
            };
            *next += 1;
            let to = edges[edge].1;
            match state[to] {
                State::New => {
                    state[to] = State::Open;
                    path.push((to, 0));
                }
                State::Open => forward[edge] = false,
                State::Done => (),
            }
        }
    }
    forward
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Open,
    Done,
}

/// Returns the layer of each node: 0 for nodes without consumers, and otherwise one more than the highest layer of its
/// consumers. Uses only the edges that are true in `forward`.
fn longest_paths(count: usize, edges: &[(usize, usize)], forward: &[bool]) -> Vec<usize> {
    let used = || {
        edges
            .iter()
            .zip(forward)
            .filter(|(_, is_forward)| **is_forward)
            .map(|(edge, _)| *edge)
    };
    let mut incoming = vec![0_usize; count];
    let mut outgoing: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (from, to) in used() {
        incoming[to] += 1;
        outgoing[from].push(to);
    }
    let mut layer = vec![0_usize; count];
    let mut ready: Vec<usize> = (0..count).filter(|node| incoming[*node] == 0).collect();
    while let Some(node) = ready.pop() {
        for to in &outgoing[node] {
            layer[*to] = layer[*to].max(layer[node] + 1);
            incoming[*to] -= 1;
            if incoming[*to] == 0 {
                ready.push(*to);
            }
        }
    }
    layer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn providers_are_behind_their_consumers() {
        let edges = [(0, 1), (1, 2), (0, 2), (3, 2)];
        let graph = Layers::new(4, &edges);
        let layer = |node: usize| graph.slots[node].layer;
        assert_eq!([0, 1, 2, 3].map(layer), [0, 1, 2, 0]);
        // The long edge passes a gap in the layer between.
        let route = graph.routes[2].as_ref().expect("a route");
        assert_eq!(
            route.iter().map(|slot| graph.slots[*slot].layer).collect::<Vec<_>>(),
            [0, 1, 2]
        );
        assert_eq!(graph.slots[route[1]].node, None);
    }

    #[test]
    fn circles_are_cut() {
        let graph = Layers::new(3, &[(0, 1), (1, 2), (2, 0), (1, 1)]);
        assert_eq!(graph.routes.iter().filter(|route| route.is_none()).count(), 2);
        assert_eq!(graph.columns.len(), 3);
    }

    #[test]
    fn large_graphs_take_little_time() {
        let edges: Vec<(usize, usize)> = (1..3_000)
            .flat_map(|node| [(node / 3, node), (node / 7, node)])
            .collect();
        let graph = Layers::new(3_000, &edges);
        assert_eq!(graph.columns.iter().flatten().count(), graph.slots.len());
    }
}
