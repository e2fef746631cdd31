//! Input and output positions of sums over pairs of positions, in the memory layout of the GPU kernels.

use super::constants;
use super::{Functions, Pairs};
use arcuate_core::{Error, Result, narrow, saturating};
use rayon::prelude::*;

/// Number of output positions in a group of neighbours.
pub(super) const GROUP: usize = constants::GROUP as usize;
/// Maximum phase, in turns, between the centre of a group and its positions, added over the axes, in single
/// precision. The error of a phase is 3e-7 of a turn for each turn.
const NEAR_TURNS: f64 = 6.0;
/// Maximum product of an input and an output coordinate along an axis, in turns, for sums in single
/// precision. It limits the phase errors that the remainders of positions cause.
const MAX_TURNS: f64 = 1024.0;
/// Scale of the input positions, which kernels read through shared memory. The largest coordinate becomes an
/// integer between 2^6 and 2^7.
const WHOLE_BITS: i32 = 7;
/// Minimum number of positions for which several CPU threads share the sorting.
const SHARED: usize = 1 << 13;

/// Maximum number of output positions, because their sorted order is stored as 32-bit indices.
const MAX_PLACES: usize = u32::MAX as usize;

/// Input and output positions, in the memory layout that a kernel reads.
pub struct Places<W> {
    pub(super) from: Vec<W>,
    pub(super) to: Vec<W>,
    /// The groups of neighbouring output positions. `None` if the positions of a group are too far from each
    /// other.
    pub(in crate::sums) near: Option<Near<W>>,
}

/// Groups of neighbouring output positions.
pub(crate) struct Near<W> {
    /// The centre of each group.
    pub(super) middles: Vec<W>,
    /// The original index of each output position, in the sorted order.
    pub(super) order: Vec<u32>,
}

impl<W> Near<W> {
    /// Puts the sums of the sorted output positions back in the original order of the positions.
    pub(super) fn put_back<N: Copy>(&self, sums: &[N], out: &mut [N]) {
        for (&n, &sum) in self.order.iter().zip(sums) {
            out[n as usize] = sum;
        }
    }
}

/// Returns the positions in the memory layout of the kernels for single precision. Each input position has
/// one word of integers and one word of remainders. Each output position has two words. If the output
/// positions are in groups, each has one word.
///
/// Returns an error if phases have too many turns for single precision, or if there are 2³² output positions
/// or more.
pub(in crate::sums) fn single(pairs: &Pairs<'_>) -> Result<Places<[i32; 4]>> {
    single_of_at_most(MAX_PLACES, pairs)
}

fn single_of_at_most(maximum: usize, pairs: &Pairs<'_>) -> Result<Places<[i32; 4]>> {
    let Pairs { from, to, sign, functions, .. } = *pairs;
    if to.len() > maximum {
        let problem = format!(
            "the transform has {} positions, more than the maximum of {maximum} in single precision",
            to.len()
        );
        return Err(Error::device_too_small("‘device’", problem, "use ‘device’ cpu, or ‘precision’ double"));
    }
    let (reach_from, reach_to) = (reach(from), reach(to));
    if (0..3).any(|axis| reach_from[axis] * reach_to[axis] > MAX_TURNS) {
        let problem = "phases of more than 1,024 turns along an axis are beyond its single precision";
        return Err(Error::device_too_small("‘device’", problem, "use ‘device’ cpu, or ‘precision’ double"));
    }
    // The limit 1e-290 is needed because the inverse of a smaller number could overflow.
    let units =
        reach_from.map(|reach| 2f64.powi(WHOLE_BITS - saturating::<i32>(reach.max(1e-290).log2().ceil())));
    let of_from: Vec<_> = from.par_iter().flat_map_iter(|place| whole_and_rest(place, units)).collect();
    let other = |place: &[f64; 3]| {
        let place = [0, 1, 2].map(|axis| sign * place[axis] / units[axis] * 2f64.powi(32));
        let whole = place.map(|c| c.round() as i64 as i32);
        [word(whole), word(place.map(|c| (c as f32).to_bits().cast_signed()))]
    };
    let order = by_nearness(to, reach_from);
    let groups: Vec<_> = order.par_chunks(GROUP).map(|group| Bounds::of(group, to)).collect();
    if groups.par_iter().any(|bounds| bounds.turns(reach_from) > NEAR_TURNS) {
        let to = to.par_iter().flat_map_iter(other).collect();
        return Ok(Places { from: of_from, to, near: None });
    }
    let unit = if functions == Functions::Hardware { std::f64::consts::TAU } else { 1.0 };
    let of_group = |(group, bounds): (&[u32], &Bounds)| {
        let middle = bounds.middle();
        let from_there = move |&n: &u32| {
            let of_axis = |axis: usize| unit * sign * (to[n as usize][axis] - middle[axis]) / units[axis];
            word([0, 1, 2].map(|axis| (of_axis(axis) as f32).to_bits().cast_signed()))
        };
        group.iter().map(from_there).collect::<Vec<_>>()
    };
    let middles = groups.iter().flat_map(|bounds| other(&bounds.middle())).collect();
    let placed = order.par_chunks(GROUP).zip(&groups).flat_map_iter(of_group).collect();
    Ok(Places { from: of_from, to: placed, near: Some(Near { middles, order }) })
}

/// Returns the positions in the memory layout of the kernels for double precision, with one word per
/// position.
pub(super) fn double(pairs: &Pairs<'_>) -> Places<[f64; 4]> {
    let of = |places: &[[f64; 3]], sign: f64| {
        places.iter().map(|p| [sign * p[0], sign * p[1], sign * p[2], 0.0]).collect()
    };
    Places { from: of(pairs.from, 1.0), to: of(pairs.to, pairs.sign), near: None }
}

fn word([x, y, z]: [i32; 3]) -> [i32; 4] {
    [x, y, z, 0]
}

/// Splits each coordinate of a position into the nearest integer and a remainder. `units` is the number of
/// integer units per turn along each axis.
fn whole_and_rest(place: &[f64; 3], units: [f64; 3]) -> [[i32; 4]; 2] {
    let place = [0, 1, 2].map(|axis| place[axis] * units[axis]);
    let whole = place.map(f64::round);
    let rest = [0, 1, 2].map(|axis| ((place[axis] - whole[axis]) as f32).to_bits().cast_signed());
    [word(whole.map(saturating::<i32>)), word(rest)]
}

/// Returns the largest absolute value of the coordinates along each axis.
fn reach(places: &[[f64; 3]]) -> [f64; 3] {
    places
        .iter()
        .fold([0.0; 3], |maximum, place| [0, 1, 2].map(|axis| f64::max(maximum[axis], place[axis].abs())))
}

/// Sorts positions so that the GROUP positions of each group are close together. The positions are divided
/// recursively, perpendicular to the longest side of their bounding box. The lengths of the sides are
/// measured as phases in turns, for coordinates of the other positions up to `reach`.
fn by_nearness(places: &[[f64; 3]], reach: [f64; 3]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..narrow::<u32>(places.len())).collect();
    halve(&mut order, places, reach);
    order
}

fn halve(order: &mut [u32], places: &[[f64; 3]], reach: [f64; 3]) {
    let groups = order.len().div_ceil(GROUP);
    if groups < 2 {
        return;
    }
    let bounds = Bounds::of(order, places);
    let turns = |axis: usize| bounds.turns_along(axis, reach);
    let longer = |a: usize, b: usize| if turns(a).total_cmp(&turns(b)).is_gt() { a } else { b };
    let axis = longer(longer(0, 1), 2);
    // If coordinates are equal, positions are ordered by their index, so that the order is unique.
    let before = |a: &u32, b: &u32| {
        places[*a as usize][axis].total_cmp(&places[*b as usize][axis]).then_with(|| a.cmp(b))
    };
    let middle = groups / 2 * GROUP;
    order.select_nth_unstable_by(middle, before);
    let (left, right) = order.split_at_mut(middle);
    if left.len() + right.len() < SHARED {
        halve(left, places, reach);
        halve(right, places, reach);
    } else {
        rayon::join(|| halve(left, places, reach), || halve(right, places, reach));
    }
}

/// The bounding box of a set of positions.
struct Bounds {
    minimum: [f64; 3],
    maximum: [f64; 3],
}

impl Bounds {
    fn of(chosen: &[u32], places: &[[f64; 3]]) -> Self {
        let none = Self { minimum: [f64::INFINITY; 3], maximum: [f64::NEG_INFINITY; 3] };
        chosen.iter().fold(none, |Self { minimum, maximum }, &n| {
            let place = places[n as usize];
            Self {
                minimum: [0, 1, 2].map(|axis| minimum[axis].min(place[axis])),
                maximum: [0, 1, 2].map(|axis| maximum[axis].max(place[axis])),
            }
        })
    }

    fn middle(&self) -> [f64; 3] {
        [0, 1, 2].map(|axis| f64::midpoint(self.minimum[axis], self.maximum[axis]))
    }

    /// Returns the phase, in turns, between the centre of the box and its side along `axis`. It is computed
    /// for coordinates of the other positions up to `reach`.
    fn turns_along(&self, axis: usize, reach: [f64; 3]) -> f64 {
        reach[axis] * 0.5 * (self.maximum[axis] - self.minimum[axis])
    }

    fn turns(&self, reach: [f64; 3]) -> f64 {
        (0..3).map(|axis| self.turns_along(axis, reach)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_positions_are_rejected() {
        let to: Vec<[f64; 3]> = (0..10).map(|n| [0.1 * f64::from(n), 0.0, 0.0]).collect();
        let from = [[1.0, 0.5, 0.0]];
        let pairs = Pairs { from: &from, to: &to, sign: 1.0, factor: 1.0, functions: Functions::Own };
        assert!(single_of_at_most(10, &pairs).is_ok());
        let error = single_of_at_most(9, &pairs).err().expect("one place too many").to_string();
        assert!(error.contains("the transform has 10 positions, more than the maximum of 9"), "{error}");
    }
}
