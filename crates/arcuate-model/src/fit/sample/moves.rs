//! The values that must be recomputed when one parameter moves. A sweep of a chain moves parameters one after the
//! other, and most values stay the same.
//!
//! A value is kept if a move uses it without changing it, and if computing it costs more than keeping it. For a ball
//! and sticks, the exponentials are kept: moving a stick computes one of them, and moving its fraction none. Kept
//! values have the same bits as recomputed values, because the operations are the same.

use crate::fit::dispersion_series::SeriesLength;
use crate::fit::elementary::{Elementary, Level};
use crate::fit::placement::{Numbers, Placement};
use crate::fit::protocol::Protocol;
use crate::fit::schedule::Schedule;
use crate::fit::unknowns::Unknown;
use crate::language::{Binary, Id, Input, ModelProgram, Node, Ternary, Unary};
use arcuate_core::Result;
use std::collections::HashMap;

/// The subject of a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moved {
    /// The number with this index.
    Number(u16),
    /// The orientation whose numbers begin at this index.
    Orientation(u16),
    /// The standard deviation of the noise.
    Noise,
}

impl Moved {
    /// Returns the move of an unknown. An orientation has two unknowns; the second one returns `None`.
    pub(crate) fn of(unknown: Unknown) -> Option<Self> {
        match unknown {
            Unknown::Number(place) => Some(Self::Number(place)),
            Unknown::Turn { first, vector: 0, .. } => Some(Self::Orientation(first)),
            Unknown::Turn { .. } => None,
        }
    }

    /// Returns the indices of the numbers that move.
    pub(crate) fn places(self) -> std::ops::Range<usize> {
        match self {
            Self::Number(place) => usize::from(place)..usize::from(place) + 1,
            Self::Orientation(first) => usize::from(first)..usize::from(first) + 3,
            Self::Noise => 0..0,
        }
    }
}

/// The computations for a move.
#[derive(Debug, Clone)]
pub(crate) struct Move {
    pub(crate) moved: Moved,
    /// Computes the signal, then the changed values.
    pub(crate) schedule: Schedule,
    /// Indices of the changed kept values of measurements.
    pub(crate) changed: Vec<usize>,
    /// Kept values of the voxel that change, and their indices among its values.
    pub(crate) changed_of_voxel: Vec<(usize, usize)>,
}

/// The moves of a model.
#[derive(Debug, Clone)]
pub(crate) struct Moves {
    /// Computes the signal and every kept value without a move.
    pub(crate) all: Move,
    /// One move for each requested parameter.
    pub(crate) of: Vec<Move>,
    /// Computes the signal from kept values, when only the noise moves.
    pub(crate) none: Move,
    /// Number of kept values per measurement, and per voxel.
    pub(crate) kept: usize,
    pub(crate) kept_of_voxel: usize,
}

/// Values of measurements that cost at most this number of operations are recomputed …
const CHEAP: u32 = 6;
/// … and so are values of the voxel with this cost. These are computed once for many measurements.
const CHEAP_OF_VOXEL: u32 = 12;

impl Moves {
    /// Plans the moves of these parameters.
    pub(crate) fn new(
        model: &ModelProgram,
        protocol: &Protocol,
        settings: &[f64],
        moved: &[Moved],
        length: SeriesLength,
    ) -> Result<Self> {
        let mut of =
            Elementary::new(&model.program, protocol, settings, &[model.signal], length)?.spread().fused();
        of.decays = true;
        let signal = of.roots[0];
        let moves_of = moves_of_values(&of, moved);
        let (kept, kept_of_voxel) = values_to_keep(&of, signal, &moves_of);
        let roots: Vec<Id> = [signal].into_iter().chain(kept.iter().copied()).collect();
        let every: Vec<Id> = roots.iter().chain(&kept_of_voxel).copied().collect();
        let numbers = Numbers::new(&of, &every, protocol, settings);
        let make = |what: Moved, changes: &dyn Fn(Id) -> bool| {
            let numbered =
                |ids: &[Id]| -> Vec<(usize, Id)> { ids.iter().enumerate().map(|(n, id)| (n, *id)).collect() };
            let (own, own_of_voxel) = (numbered(&kept), numbered(&kept_of_voxel));
            let all = own.iter().chain(&own_of_voxel);
            let there: HashMap<Id, usize> =
                all.filter(|(_, id)| !changes(*id)).map(|(n, id)| (*id, *n)).collect();
            let changed: Vec<(usize, Id)> = own.into_iter().filter(|(_, id)| changes(*id)).collect();
            let roots: Vec<Id> = [signal].into_iter().chain(changed.iter().map(|(_, id)| *id)).collect();
            let changed_of_voxel: Vec<(usize, Id)> =
                own_of_voxel.into_iter().filter(|(_, id)| changes(*id)).collect();
            let placement = Placement::new(&of, &roots, &numbers, &there);
            let place = |(n, id): &(usize, Id)| placement.voxel_place(*id).map(|place| (*n, place));
            Move {
                moved: what,
                changed: changed.into_iter().map(|(n, _)| n).collect(),
                changed_of_voxel: changed_of_voxel.iter().filter_map(place).collect(),
                schedule: placement.schedule,
            }
        };
        let of_move = |(n, what): (usize, &Moved)| make(*what, &|id| moves_of[id.index()].has(n));
        Ok(Self {
            all: make(Moved::Noise, &|_| true),
            of: moved.iter().enumerate().map(of_move).collect(),
            none: make(Moved::Noise, &|_| false),
            kept: kept.len(),
            kept_of_voxel: kept_of_voxel.len(),
        })
    }
}

/// A set of moves, as a bit set indexed by move.
#[derive(Debug, Clone)]
struct MoveSet(Vec<u64>);

impl MoveSet {
    fn none_of(moves: usize) -> Self {
        Self(vec![0; moves.div_ceil(64)])
    }

    fn has(&self, n: usize) -> bool {
        self.0[n / 64] >> (n % 64) & 1 == 1
    }

    fn add(&mut self, n: usize) {
        self.0[n / 64] |= 1 << (n % 64);
    }

    fn add_all(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, other)| *word |= other);
    }

    /// Returns whether this set has a move that the other set does not have.
    fn exceeds(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).any(|(word, other)| word & !other != 0)
    }
}

/// Returns the moves that change each value.
fn moves_of_values(of: &Elementary, moved: &[Moved]) -> Vec<MoveSet> {
    let mut moves_of: Vec<MoveSet> = Vec::new();
    for node in of.program.nodes() {
        let mut set = MoveSet::none_of(moved.len());
        match node {
            Node::Input(Input::Parameter(n)) => {
                let is_moved = |what: &Moved| what.places().contains(&usize::from(*n));
                if let Some(place) = moved.iter().position(is_moved) {
                    set.add(place);
                }
            }
            node => node.operands().for_each(|id| set.add_all(&moves_of[id.index()])),
        }
        moves_of.push(set);
    }
    moves_of
}

/// Returns the values to keep, of measurements and of the voxel.
fn values_to_keep(of: &Elementary, signal: Id, moves_of: &[MoveSet]) -> (Vec<Id>, Vec<Id>) {
    let program = &of.program;
    let needed = program.reachable(&[signal]);
    let mut is_needed_by_others = vec![false; program.nodes().len()];
    for id in &needed {
        for operand in program.node(*id).operands() {
            is_needed_by_others[operand.index()] |= moves_of[id.index()].exceeds(&moves_of[operand.index()]);
        }
    }
    let (mut kept, mut kept_of_voxel) = (Vec::new(), Vec::new());
    for &id in &needed {
        let level = of.levels[id.index()];
        if !is_needed_by_others[id.index()] || !matches!(level, Level::Voxel | Level::Inner) {
            continue;
        }
        let (list, cheap) = match level {
            Level::Inner => (&mut kept, CHEAP),
            _ => (&mut kept_of_voxel, CHEAP_OF_VOXEL),
        };
        if cost(of, id, level, list) > cheap {
            list.push(id);
        }
    }
    (kept, kept_of_voxel)
}

/// Returns the number of operations at this level that compute a value from kept values.
fn cost(of: &Elementary, id: Id, level: Level, kept: &[Id]) -> u32 {
    let mut seen = vec![id];
    let mut next = 0;
    let mut sum = 0;
    while let Some(&id) = seen.get(next) {
        next += 1;
        sum += cost_of(of.program.node(id));
        for operand in of.program.node(id).operands() {
            let counts = of.levels[operand.index()] == level && !kept.contains(&operand);
            if counts && !seen.contains(&operand) {
                seen.push(operand);
            }
        }
    }
    sum
}

/// Returns the approximate number of GPU operations.
fn cost_of(node: Node) -> u32 {
    match node {
        Node::Constant(_) | Node::Input(_) => 0,
        Node::Unary(function, _) => match function {
            Unary::Negative | Unary::Absolute => 1,
            Unary::Root => 8,
            Unary::Exponential => 12,
            Unary::Logarithm => 16,
            _ => 40,
        },
        Node::Binary(Binary::Divide, ..) => 10,
        Node::Binary(Binary::ArcTangent2, ..) => 40,
        Node::Binary(..) | Node::Ternary(Ternary::Fma | Ternary::Fms | Ternary::Fnma, _) => 1,
        Node::Ternary(Ternary::Choose, _) => 2,
        Node::Moment(..) | Node::Dispersed(..) => 100,
        // The cost of one of many coefficients that are computed together.
        Node::Harmonic { .. } => 120,
        Node::Fanned(..) => 400,
    }
}
