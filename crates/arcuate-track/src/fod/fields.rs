//! Fibre orientation distributions (FODs) as direction fields: the choice of the next direction of a
//! streamline.

use super::candidates::{ArcTable, CANDIDATES, Frame, PLACES, TABLES, Vectors, choose};
use super::constants;
use super::harmonics::BASIS;
use super::image::{Corners, FOURS, FodImage, by_component, dot, interpolate};
use crate::direction_field::{DirectionField, Draws};
use crate::space::nearest;
use crate::summary::Termination;
use arcuate_core::Grid;
use arcuate_numbers::vector3::unit;
use pulp::{Simd, WithSimd};

/// Maximum number of tables of directions that are tried at a seed or a step. If no direction in these tables
/// is above the cutoff, the streamline stops.
const TRIES: u32 = constants::TRIES;
/// Minimum number of arcs in a table whose amplitudes are above the cutoff. If there are fewer such arcs, the
/// streamline stops. A streamline that continues through only a few possible arcs leaves its bundle.
/// Simulations of a brain show this; the documentation of the algorithm has a table.
const MIN_OPEN_ARCS: u32 = constants::MIN_OPEN_ARCS;
/// Maximum number of steps towards a peak.
const ASCENTS: usize = 12;
/// Maximum length of a step towards a peak, in radians.
const LONGEST_ASCENT: f32 = 0.2;
/// Length of a step towards a peak, in radians, below which the peak search ends.
const NEAR_ENOUGH: f32 = 1e-3;
/// Distance between the points of the finite differences in the peak search, in radians of direction.
const APART: f32 = 0.06;
/// Number of lanes in which the peak search evaluates directions: the lanes of the widest SIMD vectors.
const LANES_OF_PEAKS: usize = 16;
/// Directions near the current direction of the peak search, as components along two orthogonal axes. Nine
/// are different; the others fill the lanes.
const NEAR: [(f32, f32); LANES_OF_PEAKS] = {
    let mut near = [(0.0, 0.0); LANES_OF_PEAKS];
    (near[1], near[2], near[3], near[4]) = ((-APART, 0.0), (APART, 0.0), (0.0, -APART), (0.0, APART));
    (near[5], near[6]) = ((APART, APART), (-APART, -APART));
    (near[7], near[8]) = ((APART, -APART), (-APART, APART));
    near
};

/// FOD image and thresholds that all tracking methods share.
pub(super) struct Distributions<'a> {
    pub(super) image: &'a FodImage,
    /// Minimum amplitude along a streamline.
    pub(super) cutoff: f32,
    /// Minimum amplitude at a seed.
    pub(super) begin: f32,
    /// Tables of directions in a half sphere.
    pub(super) everywhere: Vec<Vectors>,
    pub(super) arch: arcuate_numbers::Arch,
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
    #[inline(always)]
    fn begins<S: Simd>(&self, simd: S, row: &[f32; BASIS], draws: &Draws) -> Option<[f32; 3]> {
        for attempt in 0..TRIES {
            let (number, turns, table) = drawn(draws, attempt);
            let frame = Frame::about([0.0, 0.0, 1.0], turns);
            let found = self.among(simd, row, &frame, &self.everywhere[table], self.begin, number);
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// Draws one of the directions of a table in proportion to their FOD amplitudes. Amplitudes below `minimum`
    /// count as 0.
    #[inline(always)]
    fn among<S: Simd>(
        &self,
        simd: S,
        row: &[f32; BASIS],
        frame: &Frame,
        table: &Vectors,
        minimum: f32,
        number: f32,
    ) -> Option<[f32; 3]> {
        let directions = frame.turn_all(table);
        let mut weights = [0.0; CANDIDATES];
        self.amplitudes(simd, row, &directions.0, &mut weights);
        for weight in &mut weights {
            *weight = if *weight >= minimum { *weight } else { 0.0 };
        }
        choose(&weights, number, 1).map(|n| directions.of(n))
    }

    /// Computes the amplitudes of one FOD in `N` directions, which are given by component. `N` is a multiple
    /// of 16, the number of lanes of the widest SIMD vectors.
    #[inline(always)]
    fn amplitudes<S: Simd, const N: usize>(
        &self,
        simd: S,
        row: &[f32; BASIS],
        [x, y, z]: &[[f32; N]; 3],
        out: &mut [f32; N],
    ) {
        let (x, _) = S::as_simd_f32s(x.as_slice());
        let (y, _) = S::as_simd_f32s(y.as_slice());
        let (z, _) = S::as_simd_f32s(z.as_slice());
        let (out, _) = S::as_mut_simd_f32s(out.as_mut_slice());
        for group in 0..N / S::F32_LANES {
            out[group] = self.image.amplitudes(simd, row, [x[group], y[group], z[group]]);
        }
    }

    /// Returns the direction of the nearest FOD peak, found by going uphill from the direction `from`, and
    /// the amplitude of the peak.
    #[inline(always)]
    fn peak_from<S: Simd>(&self, simd: S, row: &[f32; BASIS], from: [f32; 3]) -> ([f32; 3], f32) {
        let mut at = from;
        for _ in 0..ASCENTS {
            let frame = Frame::about(at, 0.0);
            let mut directions = [[0.0; LANES_OF_PEAKS]; 3];
            for n in 0..LANES_OF_PEAKS {
                let (u, v) = NEAR[n];
                let [x, y, z] = unit(frame.turn([u, v, 1.0]));
                (directions[0][n], directions[1][n], directions[2][n]) = (x, y, z);
            }
            let mut near = [0.0; LANES_OF_PEAKS];
            self.amplitudes(simd, row, &directions, &mut near);
            let [middle, left, right, below, above, ..] = near;
            let twist = near[5] + near[6] - near[7] - near[8];
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
        (at, dot(row, &self.image.basis(at)))
    }
}

fn is_none(before: [f32; 3]) -> bool {
    before == [0.0; 3]
}

/// Second-order probabilistic method: arcs are drawn in proportion to the FOD amplitudes along them.
pub(super) struct Arcs<'a> {
    pub(super) of: Distributions<'a>,
    pub(super) tables: Vec<ArcTable>,
    /// Matrix that converts a vector in scanner axes, in units of a step length, to voxels.
    pub(super) to_voxels: [f32; 9],
}

/// Choice of the next direction of a streamline. It is compiled separately for each set of SIMD instructions
/// of CPUs. All versions round in the same way.
struct Choice<'a, F> {
    field: &'a F,
    place: [f32; 3],
    before: [f32; 3],
    draws: &'a Draws,
}

impl WithSimd for Choice<'_, Arcs<'_>> {
    type Output = Option<[f32; 3]>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Option<[f32; 3]> {
        let Self { field, place, before, draws } = self;
        if is_none(before) {
            return field.of.begins(simd, &field.of.image.interpolated(simd, place), draws);
        }
        let (number, turns, table) = drawn(draws, 0);
        let frame = Frame::about(before, turns);
        let table = &field.tables[table];
        let weights = field.weights(simd, place, &frame, table)?;
        let chosen = choose(&weights, number, MIN_OPEN_ARCS)?;
        // The chord determines the arc.
        Some(unit(frame.turn(table.places[PLACES - 1].of(chosen))))
    }
}

/// Number of the interpolation cells around the voxel nearest to a streamline.
const CELLS: usize = 8;

/// Interpolation cells of positions near a streamline: the rows of the voxels at their corners. Neighbouring
/// positions are mostly in the same few cells.
struct Cells<'a> {
    image: &'a FodImage,
    /// Voxel nearest to the streamline.
    middle: [f32; 3],
    /// Corners of the cells next to this voxel, and of one other cell.
    corners: [Corners<'a>; CELLS + 1],
    /// Bit set of the cells whose corners are known.
    known: u32,
}

impl<'a> Cells<'a> {
    #[inline(always)]
    fn new(image: &'a FodImage, place: [f32; 3]) -> Self {
        let corners = [[image.zeros(); 8]; CELLS + 1];
        Self { image, middle: place.map(nearest), corners, known: 0 }
    }

    /// Returns the corners of the cell whose lowest voxel is `low`.
    #[inline(always)]
    fn corners(&mut self, low: [f32; 3]) -> &Corners<'a> {
        let (mut cell, mut is_near) = (0, true);
        for axis in 0..3 {
            let from = low[axis] - self.middle[axis];
            cell |= usize::from(from == 0.0) << axis;
            is_near &= from == 0.0 || from == -1.0;
        }
        if !is_near {
            // Steps longer than half a voxel leave the cells next to the nearest voxel.
            self.corners[CELLS] = self.image.corners(low);
            return &self.corners[CELLS];
        }
        if self.known >> cell & 1 == 0 {
            self.known |= 1 << cell;
            self.corners[cell] = self.image.corners(low);
        }
        &self.corners[cell]
    }
}

impl Arcs<'_> {
    /// Returns the geometric means of the FOD amplitudes along the arcs of a table. The mean is 0 if one of
    /// these amplitudes is below the cutoff. Returns `None` if too few means can be above 0.
    #[inline(always)]
    fn weights<S: Simd>(
        &self,
        simd: S,
        place: [f32; 3],
        frame: &Frame,
        table: &ArcTable,
    ) -> Option<[f32; CANDIDATES]> {
        let mut products = [1.0f32; CANDIDATES];
        let mut open = u32::MAX;
        let mut cells = Cells::new(self.of.image, place);
        let mut fours = [[[0.0f32; 4]; CANDIDATES]; FOURS];
        let mut directions = [[0.0f32; 4]; CANDIDATES];
        let mut amplitudes = [[0.0f32; 4]; CANDIDATES];
        let mut numbers = [0usize; CANDIDATES];
        // The end of the arc is evaluated first, because most unsuitable arcs are below the cutoff there.
        for k in (0..PLACES).rev() {
            let moved = frame.turn_all(&table.places[k]);
            let turned = frame.turn_all(&table.directions[k]);
            let (low, weights) = self.between_voxels(place, &moved);
            // The coefficients of the open arcs are interpolated one arc after the other. Their harmonics are
            // computed in parallel lanes.
            let (mut left, mut count) = (open, 0);
            while left != 0 {
                let n = left.trailing_zeros() as usize;
                left &= left - 1;
                let corners = cells.corners(low.of(n));
                let row = interpolate(simd, corners, &std::array::from_fn(|corner| weights[corner][n]));
                for (four, own) in fours.iter_mut().zip(row.as_chunks::<4>().0) {
                    four[count] = *own;
                }
                let [x, y, z] = turned.of(n);
                directions[count] = [x, y, z, 0.0];
                numbers[count] = n;
                count += 1;
            }
            for group in 0..count.div_ceil(S::F32_LANES) {
                let [x, y, z, zero] = by_component(simd, &directions, group);
                let found = self.of.image.amplitudes_of_lanes(simd, &fours, group, [x, y, z]);
                let (all, _) = S::as_mut_simd_f32s(amplitudes.as_flattened_mut());
                let found = simd.interleave_shfl_f32s([found, zero, zero, zero]);
                all[4 * group..4 * group + 4].copy_from_slice(&found);
            }
            for (&n, [amplitude, ..]) in numbers[..count].iter().zip(&amplitudes) {
                products[n] *= amplitude;
                open &= !(u32::from(*amplitude < self.of.cutoff) << n);
            }
            if open.count_ones() < MIN_OPEN_ARCS {
                return None;
            }
        }
        for n in 0..CANDIDATES {
            products[n] = if open >> n & 1 == 1 { products[n].sqrt().sqrt() } else { 0.0 };
        }
        Some(products)
    }

    /// Returns the interpolation cells of positions near a place: the lowest voxels of the cells, and the
    /// weights of the eight corners. `moved` is in units of the step length.
    #[inline(always)]
    fn between_voxels(&self, place: [f32; 3], moved: &Vectors) -> (Vectors, [[f32; CANDIDATES]; 8]) {
        let Vectors([x, y, z]) = moved;
        let mut low = Vectors([[0.0; CANDIDATES]; 3]);
        let mut parts = [[[0.0; CANDIDATES]; 3]; 2];
        for axis in 0..3 {
            let s = &self.to_voxels[3 * axis..3 * axis + 3];
            for n in 0..CANDIDATES {
                let at = place[axis] + (s[0] * x[n] + s[1] * y[n] + s[2] * z[n]);
                let below = at.floor();
                low.0[axis][n] = below;
                parts[1][axis][n] = at - below;
                parts[0][axis][n] = 1.0 - (at - below);
            }
        }
        let mut weights = [[0.0; CANDIDATES]; 8];
        for corner in 0..8 {
            let [x, y, z] = [corner & 1, corner >> 1 & 1, corner >> 2];
            for n in 0..CANDIDATES {
                weights[corner][n] = parts[x][0][n] * parts[y][1][n] * parts[z][2][n];
            }
        }
        (low, weights)
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
        let choice = Choice { field: self, place, before, draws };
        self.of.arch.dispatch(choice).ok_or(Termination::Fraction)
    }
}

/// First-order probabilistic method: straight steps whose directions are drawn in proportion to their FOD
/// amplitudes.
pub(super) struct Steps<'a> {
    pub(super) of: Distributions<'a>,
    pub(super) tables: Vec<Vectors>,
}

impl WithSimd for Choice<'_, Steps<'_>> {
    type Output = Option<[f32; 3]>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Option<[f32; 3]> {
        let Self { field, place, before, draws } = self;
        let row = field.of.image.interpolated(simd, place);
        if is_none(before) {
            return field.of.begins(simd, &row, draws);
        }
        for attempt in 0..TRIES {
            let (number, turns, table) = drawn(draws, attempt);
            let frame = Frame::about(before, turns);
            let found = field.of.among(simd, &row, &frame, &field.tables[table], field.of.cutoff, number);
            if found.is_some() {
                return found;
            }
        }
        None
    }
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
        let choice = Choice { field: self, place, before, draws };
        self.of.arch.dispatch(choice).ok_or(Termination::Fraction)
    }
}

/// Deterministic method: straight steps along the FOD peak that is uphill from the current direction.
pub(super) struct Peaks<'a> {
    pub(super) of: Distributions<'a>,
}

impl WithSimd for Choice<'_, Peaks<'_>> {
    type Output = Option<[f32; 3]>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Option<[f32; 3]> {
        let Self { field: Peaks { of }, place, before, draws } = self;
        let row = of.image.interpolated(simd, place);
        let (from, minimum) =
            if is_none(before) { (of.begins(simd, &row, draws)?, of.begin) } else { (before, of.cutoff) };
        let (peak, amplitude) = of.peak_from(simd, &row, from);
        (amplitude >= minimum).then_some(peak)
    }
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
        let choice = Choice { field: self, place, before, draws };
        self.of.arch.dispatch(choice).ok_or(Termination::Fraction)
    }
}
