//! Distributions as fields of directions: how a streamline chooses where to go.

use super::candidates::{Arc, CANDIDATES, Frame, PLACES, TABLES, choose};
use super::constants;
use super::harmonics::BASIS;
use super::image::{FodImage, dot};
use crate::direction_field::{DirectionField, Draws};
use crate::summary::Termination;
use arcuate_core::Grid;

/// Tables of directions that are looked at before a seed, or a step, has none.
const TRIES: u32 = constants::TRIES;
/// Of the arcs of a table so many must keep to the cutoff, else a streamline ends: one that finds a way among few leaves its bundle, as a
/// simulated brain shows (the algorithm's page has the table).
const LEAST_OPEN: usize = constants::LEAST_OPEN as usize;
/// Steps towards a peak, at most, the longest, and the one that is short enough, in radians.
const ASCENTS: usize = 12;
const LONGEST_ASCENT: f32 = 0.2;
const NEAR_ENOUGH: f32 = 1e-3;
/// Distance of the places by which a peak is approached, in radians.
const APART: f32 = 0.06;

/// What all have in common.
pub(super) struct Distributions<'a> {
    pub(super) image: &'a FodImage,
    /// The least amplitude that a streamline goes on with.
    pub(super) cutoff: f32,
    /// The least amplitude that one begins with.
    pub(super) begin: f32,
    /// Directions of half a sphere.
    pub(super) everywhere: Vec<[[f32; 3]; CANDIDATES]>,
}

/// What a streamline draws to choose: a candidate, a turn, a table.
#[inline(always)]
fn drawn(draws: &Draws, attempt: u32) -> (f32, f32, usize) {
    let [number, turns, table, _] = draws.further(attempt);
    (number, turns, (table * TABLES as f32) as usize)
}

impl Distributions<'_> {
    /// A direction to begin with, drawn in proportion to amplitudes of at least [`begin`](Self::begin).
    fn begins(&self, row: &[f32; BASIS], draws: &Draws) -> Option<[f32; 3]> {
        (0..TRIES).find_map(|attempt| {
            let (number, turns, table) = drawn(draws, attempt);
            let frame = Frame::about([0.0, 0.0, 1.0], turns);
            self.among(row, &frame, &self.everywhere[table], self.begin, number)
        })
    }

    /// One of some directions, drawn in proportion to their amplitudes of at least so much.
    #[inline(always)]
    fn among(
        &self,
        row: &[f32; BASIS],
        frame: &Frame,
        table: &[[f32; 3]; CANDIDATES],
        least: f32,
        number: f32,
    ) -> Option<[f32; 3]> {
        let mut weights = [0.0; CANDIDATES];
        for (weight, &direction) in weights.iter_mut().zip(table) {
            let amplitude = dot(row, &self.image.basis(frame.turn(direction)));
            *weight = if amplitude >= least { amplitude } else { 0.0 };
        }
        choose(&weights, number).map(|n| frame.turn(table[n]))
    }

    /// The place of the nearest peak, uphill from a direction, and its amplitude.
    fn peak_from(&self, row: &[f32; BASIS], from: [f32; 3]) -> ([f32; 3], f32) {
        let amplitude = |d: [f32; 3]| dot(row, &self.image.basis(d));
        let mut at = from;
        for _ in 0..ASCENTS {
            let frame = Frame::about(at, 0.0);
            let near = |u: f32, v: f32| amplitude(unit(frame.turn([u, v, 1.0])));
            let middle = near(0.0, 0.0);
            let [left, right, below, above] =
                [near(-APART, 0.0), near(APART, 0.0), near(0.0, -APART), near(0.0, APART)];
            let twist = near(APART, APART) + near(-APART, -APART) - near(APART, -APART) - near(-APART, APART);
            // A surface of second order through these places: its slope and how it bends.
            let slope = [(right - left) / (2.0 * APART), (above - below) / (2.0 * APART)];
            let bend = [
                (right - 2.0 * middle + left) / (APART * APART),
                (above - 2.0 * middle + below) / (APART * APART),
                twist / (4.0 * APART * APART),
            ];
            let determinant = bend[0] * bend[1] - bend[2] * bend[2];
            let mut step = if determinant > 0.0 && bend[0] < 0.0 {
                [
                    (bend[2] * slope[1] - bend[1] * slope[0]) / determinant,
                    (bend[2] * slope[0] - bend[0] * slope[1]) / determinant,
                ]
            } else {
                // No top ahead: as far uphill as is allowed.
                let steep = (slope[0] * slope[0] + slope[1] * slope[1]).sqrt().max(f32::MIN_POSITIVE);
                slope.map(|c| c / steep * LONGEST_ASCENT)
            };
            let length = (step[0] * step[0] + step[1] * step[1]).sqrt();
            if length > LONGEST_ASCENT {
                step = step.map(|c| c * (LONGEST_ASCENT / length));
            }
            at = unit(frame.turn([step[0], step[1], 1.0]));
            if length < NEAR_ENOUGH {
                break;
            }
        }
        (at, amplitude(at))
    }
}

fn unit(v: [f32; 3]) -> [f32; 3] {
    let length = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
    v.map(|c| c / length)
}

fn is_none(before: [f32; 3]) -> bool {
    before == [0.0; 3]
}

/// Second-order: arcs, each drawn by the amplitudes along it.
pub(super) struct Arcs<'a> {
    pub(super) of: Distributions<'a>,
    pub(super) tables: Vec<[Arc; CANDIDATES]>,
    /// Places of arcs in scanner axes, in parts of a step, to voxels.
    pub(super) to_voxels: [f32; 9],
    pub(super) arch: pulp::Arch,
}

/// The choice among arcs, compiled for the vectors that the processor has; no version rounds otherwise than another.
struct Chosen<'a, 'b> {
    arcs: &'a Arcs<'b>,
    place: [f32; 3],
    before: [f32; 3],
    draws: &'a Draws,
}

impl pulp::WithSimd for Chosen<'_, '_> {
    type Output = Option<[f32; 3]>;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> Option<[f32; 3]> {
        let Self { arcs, place, before, draws } = self;
        let (number, turns, table) = drawn(draws, 0);
        let frame = Frame::about(before, turns);
        let table = &arcs.tables[table];
        let mut weights = [0.0; CANDIDATES];
        for (weight, arc) in weights.iter_mut().zip(table) {
            *weight = arcs.weight(place, &frame, arc);
        }
        let open = weights.iter().filter(|weight| **weight > 0.0).count();
        let chosen = choose(&weights, number).filter(|_| open >= LEAST_OPEN)?;
        // Its chord, from which follows the rest.
        Some(unit(frame.turn(table[chosen].places[PLACES - 1])))
    }
}

impl Arcs<'_> {
    /// The geometric mean of the amplitudes along an arc; 0 where one is below the cutoff.
    #[inline(always)]
    fn weight(&self, place: [f32; 3], frame: &Frame, arc: &Arc) -> f32 {
        let mut product = 1.0f32;
        // The end first: there arcs that lead nowhere are farthest from what there is.
        for k in (0..PLACES).rev() {
            let moved = frame.turn(arc.places[k]);
            let at = std::array::from_fn(|row| {
                let s = &self.to_voxels[3 * row..3 * row + 3];
                place[row] + (s[0] * moved[0] + s[1] * moved[1] + s[2] * moved[2])
            });
            let direction = frame.turn(arc.directions[k]);
            let amplitude = dot(&self.of.image.at(at), &self.of.image.basis(direction));
            if amplitude < self.of.cutoff {
                return 0.0;
            }
            product *= amplitude;
        }
        product.sqrt().sqrt()
    }
}

impl DirectionField for Arcs<'_> {
    fn grid(&self) -> &Grid {
        self.of.image.grid()
    }

    fn holds(&self, place: [f32; 3]) -> bool {
        self.of.image.holds(place)
    }

    fn support(&self, place: [f32; 3], direction: [f32; 3]) -> Option<f32> {
        Some(self.of.image.amplitude(place, direction))
    }

    fn direction(&self, place: [f32; 3], before: [f32; 3], draws: &Draws) -> Result<[f32; 3], Termination> {
        if is_none(before) {
            return self.of.begins(&self.of.image.at(place), draws).ok_or(Termination::Fraction);
        }
        self.arch.dispatch(Chosen { arcs: self, place, before, draws }).ok_or(Termination::Fraction)
    }
}

/// First-order: steps along directions that are drawn by their amplitudes.
pub(super) struct Steps<'a> {
    pub(super) of: Distributions<'a>,
    pub(super) tables: Vec<[[f32; 3]; CANDIDATES]>,
}

impl DirectionField for Steps<'_> {
    fn grid(&self) -> &Grid {
        self.of.image.grid()
    }

    fn holds(&self, place: [f32; 3]) -> bool {
        self.of.image.holds(place)
    }

    fn support(&self, place: [f32; 3], direction: [f32; 3]) -> Option<f32> {
        Some(self.of.image.amplitude(place, direction))
    }

    fn direction(&self, place: [f32; 3], before: [f32; 3], draws: &Draws) -> Result<[f32; 3], Termination> {
        let row = self.of.image.at(place);
        if is_none(before) {
            return self.of.begins(&row, draws).ok_or(Termination::Fraction);
        }
        let found = (0..TRIES).find_map(|attempt| {
            let (number, turns, table) = drawn(draws, attempt);
            let frame = Frame::about(before, turns);
            self.of.among(&row, &frame, &self.tables[table], self.of.cutoff, number)
        });
        found.ok_or(Termination::Fraction)
    }
}

/// Deterministic: along the peak that lies uphill.
pub(super) struct Peaks<'a> {
    pub(super) of: Distributions<'a>,
}

impl DirectionField for Peaks<'_> {
    fn grid(&self) -> &Grid {
        self.of.image.grid()
    }

    fn holds(&self, place: [f32; 3]) -> bool {
        self.of.image.holds(place)
    }

    fn support(&self, place: [f32; 3], direction: [f32; 3]) -> Option<f32> {
        Some(self.of.image.amplitude(place, direction))
    }

    fn direction(&self, place: [f32; 3], before: [f32; 3], draws: &Draws) -> Result<[f32; 3], Termination> {
        let row = self.of.image.at(place);
        let (from, least) = if is_none(before) {
            (self.of.begins(&row, draws).ok_or(Termination::Fraction)?, self.of.begin)
        } else {
            (before, self.of.cutoff)
        };
        let (peak, amplitude) = self.of.peak_from(&row, from);
        if amplitude >= least { Ok(peak) } else { Err(Termination::Fraction) }
    }
}
