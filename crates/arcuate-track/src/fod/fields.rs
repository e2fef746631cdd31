//! Fibre orientation distributions (FODs) as direction fields: the choice of the next direction of a
//! streamline.

use super::candidates::{Arc, CANDIDATES, Frame, PLACES, TABLES, choose};
use super::constants;
use super::harmonics::BASIS;
use super::image::{FodImage, dot};
use crate::direction_field::{DirectionField, Draws};
use crate::summary::Termination;
use arcuate_core::Grid;
use arcuate_numbers::vector3::unit;

/// Maximum number of tables of directions that are tried at a seed or a step. If no direction in these tables
/// is above the cutoff, the streamline stops.
const TRIES: u32 = constants::TRIES;
/// Minimum number of arcs in a table whose amplitudes are above the cutoff. If there are fewer such arcs, the
/// streamline stops. A streamline that continues through only a few possible arcs leaves its bundle.
/// Simulations of a brain show this; the documentation of the algorithm has a table.
const MIN_OPEN_ARCS: usize = constants::MIN_OPEN_ARCS as usize;
/// Maximum number of steps towards a peak.
const ASCENTS: usize = 12;
/// Maximum length of a step towards a peak, in radians.
const LONGEST_ASCENT: f32 = 0.2;
/// Length of a step towards a peak, in radians, below which the peak search ends.
const NEAR_ENOUGH: f32 = 1e-3;
/// Distance between the points of the finite differences in the peak search, in radians of direction.
const APART: f32 = 0.06;

/// FOD image and thresholds that all tracking methods share.
pub(super) struct Distributions<'a> {
    pub(super) image: &'a FodImage,
    /// Minimum amplitude along a streamline.
    pub(super) cutoff: f32,
    /// Minimum amplitude at a seed.
    pub(super) begin: f32,
    /// Tables of directions in a half sphere.
    pub(super) everywhere: Vec<[[f32; 3]; CANDIDATES]>,
}

/// Returns the random numbers for one choice of a direction: a number that selects a candidate, a rotation of
/// the table, and the index of the table.
#[inline(always)]
fn drawn(draws: &Draws, attempt: u32) -> (f32, f32, usize) {
    let [number, turns, table, _] = draws.further(attempt);
    (number, turns, (table * TABLES as f32) as usize)
}

impl Distributions<'_> {
    /// Returns the first direction of a streamline. It is drawn in proportion to the FOD amplitude;
    /// directions with an amplitude below [`begin`](Self::begin) are excluded.
    fn begins(&self, row: &[f32; BASIS], draws: &Draws) -> Option<[f32; 3]> {
        (0..TRIES).find_map(|attempt| {
            let (number, turns, table) = drawn(draws, attempt);
            let frame = Frame::about([0.0, 0.0, 1.0], turns);
            self.among(row, &frame, &self.everywhere[table], self.begin, number)
        })
    }

    /// Draws one of the directions of a table in proportion to their FOD amplitudes. Amplitudes below `minimum`
    /// count as 0.
    #[inline(always)]
    fn among(
        &self,
        row: &[f32; BASIS],
        frame: &Frame,
        table: &[[f32; 3]; CANDIDATES],
        minimum: f32,
        number: f32,
    ) -> Option<[f32; 3]> {
        let mut weights = [0.0; CANDIDATES];
        for (weight, &direction) in weights.iter_mut().zip(table) {
            let amplitude = dot(row, &self.image.basis(frame.turn(direction)));
            *weight = if amplitude >= minimum { amplitude } else { 0.0 };
        }
        choose(&weights, number).map(|n| frame.turn(table[n]))
    }

    /// Returns the direction of the nearest FOD peak, found by going uphill from the direction `from`, and
    /// the amplitude of the peak.
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
            // A quadratic surface through the amplitudes around the direction gives the slope and the
            // curvature of the FOD.
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
                // The curvature shows no maximum here. The step therefore goes uphill along the slope, with
                // the maximum length.
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

fn is_none(before: [f32; 3]) -> bool {
    before == [0.0; 3]
}

/// Second-order probabilistic method: arcs are drawn in proportion to the FOD amplitudes along them.
pub(super) struct Arcs<'a> {
    pub(super) of: Distributions<'a>,
    pub(super) tables: Vec<[Arc; CANDIDATES]>,
    /// Matrix that converts a vector in scanner axes, in units of a step length, to voxels.
    pub(super) to_voxels: [f32; 9],
    pub(super) arch: arcuate_numbers::Arch,
}

/// Choice of one arc. It is compiled separately for each set of SIMD instructions of CPUs. All versions round
/// in the same way.
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
        let chosen = choose(&weights, number).filter(|_| open >= MIN_OPEN_ARCS)?;
        // The chord determines the arc.
        Some(unit(frame.turn(table[chosen].places[PLACES - 1])))
    }
}

impl Arcs<'_> {
    /// Returns the geometric mean of the FOD amplitudes along an arc; 0 if one of these amplitudes is below
    /// the cutoff.
    #[inline(always)]
    fn weight(&self, place: [f32; 3], frame: &Frame, arc: &Arc) -> f32 {
        let mut product = 1.0f32;
        // The end of the arc is evaluated first, because most unsuitable arcs are below the cutoff there.
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

/// First-order probabilistic method: straight steps whose directions are drawn in proportion to their FOD
/// amplitudes.
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

/// Deterministic method: straight steps along the FOD peak that is uphill from the current direction.
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
        let (from, minimum) = if is_none(before) {
            (self.of.begins(&row, draws).ok_or(Termination::Fraction)?, self.of.begin)
        } else {
            (before, self.of.cutoff)
        };
        let (peak, amplitude) = self.of.peak_from(&row, from);
        if amplitude >= minimum { Ok(peak) } else { Err(Termination::Fraction) }
    }
}
