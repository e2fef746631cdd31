//! Determines which values must be recomputed when one parameter moves in a Markov chain. A sweep of a chain
//! moves the parameters one after the other, and most computed values stay the same.
//!
//! A computed value is kept from one move to the next under two conditions. A move must use the value without
//! changing it, and computing the value must cost more than keeping it. For a model with a ball and sticks,
//! the exponentials are kept. Moving the orientation of a stick then computes one exponential, and moving its
//! fraction computes none. Kept values have the same bits as recomputed values, because the operations are
//! the same.

use crate::fit::dispersion_series::SeriesLength;
use crate::fit::elementary::{Elementary, Level};
use crate::fit::placement::{Numbers, Placement};
use crate::fit::protocol::Protocol;
use crate::fit::schedule::Schedule;
use crate::fit::unknowns::Unknown;
use crate::language::{Binary, Id, Input, ModelProgram, Node, Ternary, Unary};
use arcuate_core::Result;
use std::collections::HashMap;

/// The parameter that a move changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moved {
    /// The move changes the scalar parameter that has this index among the fitted values.
    Number(u16),
    /// The move changes the orientation whose first component has this index among the fitted values.
    Orientation(u16),
    /// The standard deviation of the noise.
    Noise,
}

impl Moved {
    /// Returns the move that changes an unknown of the model. An orientation has two unknowns but one move.
    /// `None` is therefore returned for its second unknown.
    pub(crate) fn of(unknown: Unknown) -> Option<Self> {
        match unknown {
            Unknown::Number(place) => Some(Self::Number(place)),
            Unknown::Turn { first, vector: 0, .. } => Some(Self::Orientation(first)),
            Unknown::Turn { .. } => None,
        }
    }

    /// Returns the indices of the fitted parameter values that the move changes.
    pub(crate) fn places(self) -> std::ops::Range<usize> {
        match self {
            Self::Number(place) => usize::from(place)..usize::from(place) + 1,
            Self::Orientation(first) => usize::from(first)..usize::from(first) + 3,
            Self::Noise => 0..0,
        }
    }
}

/// The computations that are needed after a move of a parameter.
#[derive(Debug, Clone)]
pub(crate) struct Move {
    pub(crate) moved: Moved,
    /// The operations that compute the signal, followed by the kept values that the move changes.
    pub(crate) schedule: Schedule,
    /// Indices of those kept values per measurement that the move changes.
    pub(crate) changed: Vec<usize>,
    /// For each kept value per voxel that the move changes: its index among the kept values, and its index
    /// among all values of the voxel.
    pub(crate) changed_of_voxel: Vec<(usize, usize)>,
}

/// The moves of a model's parameters.
#[derive(Debug, Clone)]
pub(crate) struct Moves {
    /// The operations that compute the signal and every kept value. No parameter moves.
    pub(crate) all: Move,
    /// One move for each sampled parameter.
    pub(crate) of: Vec<Move>,
    /// The operations that compute the signal from kept values. They are used when only the noise σ moves.
    pub(crate) none: Move,
    /// Number of values that are kept per measurement (`kept`), and number of values that are kept per voxel
    /// (`kept_of_voxel`).
    pub(crate) kept: usize,
    pub(crate) kept_of_voxel: usize,
}

/// A value per measurement that needs at most this number of operations is recomputed in each move. Other
/// values per measurement are kept from one move to the next.
const CHEAP: u32 = 6;
/// A value per voxel that needs at most this number of operations is recomputed in each move. Other values
/// per voxel are kept from one move to the next. One value per voxel serves many measurements.
const CHEAP_OF_VOXEL: u32 = 12;

impl Moves {
    /// The numbers of [`all`](Self::all) and [`none`](Self::none), and of the first move of
    /// [`of`](Self::of).
    pub(super) const ALL: usize = 0;
    pub(super) const NONE: usize = 1;
    pub(super) const FIRST: usize = 2;

    /// Returns the move with a number.
    pub(super) fn get(&self, number: usize) -> &Move {
        match number {
            Self::ALL => &self.all,
            Self::NONE => &self.none,
            number => &self.of[number - Self::FIRST],
        }
    }

    /// Returns all moves in the order of their numbers.
    pub(super) fn every(&self) -> impl Iterator<Item = &Move> {
        (0..Self::FIRST + self.of.len()).map(|number| self.get(number))
    }

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

/// A set of moves, as bits. Bit n is 1 if the move with the index n is in the set.
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

    /// Returns whether this set contains a move that is not in the other set.
    fn exceeds(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).any(|(word, other)| word & !other != 0)
    }
}

/// Returns, for each computed value, the set of moves that change it.
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

/// Returns the values to keep between moves: a list of values per measurement, and a list of values per
/// voxel.
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

/// Returns the number of operations that compute a value from kept values. Only operations of the given level
/// (per measurement or per voxel) count.
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

/// Returns the approximate number of GPU instructions that compute the value of a node.
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
        // Many coefficients of a series are computed together. This number is the cost of one coefficient.
        Node::Harmonic { .. } => 120,
        Node::Fanned(..) => 400,
    }
}
