//! Images of fibre orientation distributions (FODs), and their amplitudes at any position in any direction.

use super::constants;
use super::harmonics::{BASIS, Basis, DEGREE, HarmonicVisitor};
use super::hemisphere::Hemisphere;
use super::partial_sums::PartialSums;
use arcuate_core::harmonics::EvenHarmonics;
use arcuate_core::{
    Control, Error, Grid, Mask, NotComputed, Result, Volume, VoxelCounts, narrow, saturating,
};
use pulp::{Scalar, Simd};
use rayon::prelude::*;

/// Row number of the coefficients of a voxel without an FOD.
const NOWHERE: u32 = constants::NOWHERE;
/// Maximum fraction of FODs with a negative mean amplitude. Noise can make single amplitudes negative. If
/// more FODs have a negative mean, the image does not contain FODs.
const MAX_NEGATIVE_FRACTION: f64 = 0.02;
/// Tolerance for negative mean amplitudes of FODs. A negative mean counts as 0 if its absolute value is less
/// than this fraction of the average mean.
const ROUNDING: f64 = 0.01;

/// Image of fibre orientation distributions (FODs). In each voxel, an FOD is a function of direction, given
/// by coefficients of real spherical harmonics.
///
/// The coefficients have the basis and order of MRtrix (Tournier et al. 2019,
/// doi:10.1016/j.neuroimage.2019.116137). Degrees are l = 0, 2, …; within each degree, orders are m = −l … l.
/// The harmonics are orthonormal: Y_lm ∝ sin |m|φ for m < 0 and cos mφ for m > 0, with the phase (−1)^m.
/// Directions are in scanner axes.
#[derive(Debug, Clone)]
pub struct FodImage {
    grid: Grid,
    degree: usize,
    basis: Basis,
    /// Row number of the coefficients of each voxel; [`NOWHERE`] if the voxel has no FOD.
    places: Vec<u32>,
    /// Rows of coefficients, one row per FOD, in the order of [`Basis`] and padded with zeros. The last row
    /// contains only zeros.
    coefficients: Vec<Row>,
}

/// The coefficients of one FOD. The alignment is that of the widest SIMD vectors and of cache lines.
#[repr(C, align(64))]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Row([f32; BASIS]);

/// Rows of coefficients of the eight voxels around a position.
pub(super) type Corners<'a> = [&'a [f32; BASIS]; 8];

/// Counts the voxels with and without an FOD. `usable` is the number of voxels with an FOD. Without a mask,
/// voxels whose finite coefficients are all 0 are background.
fn counts(coefficients: &Volume<f32>, mask: Option<&Mask>, usable: usize) -> VoxelCounts {
    let is_missing = |&voxel: &usize| {
        let row = coefficients.voxel(voxel);
        let is_asked_for = match mask {
            Some(mask) => mask.contains(voxel),
            None => row.iter().any(|c| c.is_finite() && *c != 0.0),
        };
        is_asked_for && row.iter().any(|c| !c.is_finite())
    };
    let missing = (0..coefficients.grid().len()).into_par_iter().filter(is_missing).count();
    let mut counts = VoxelCounts::of(usable + missing);
    counts.add(NotComputed::NotFinite, missing);
    counts
}

impl FodImage {
    /// Creates an FOD image from a volume whose channels are the coefficients. Degrees above 8 are dropped. A
    /// voxel has no FOD if its first coefficient is 0, if one of its coefficients is not finite, or if it is
    /// outside the mask. A warning reports the number of voxels with coefficients that are not finite.
    ///
    /// # Errors Returns an error if the number of channels does not match an even degree, or if the mask is
    /// on another grid. Also returns an error if no voxel has an FOD, or if too many FODs have a negative
    /// mean amplitude.
    pub fn new(coefficients: &Volume<f32>, mask: Option<&Mask>) -> Result<Self> {
        let grid = *coefficients.grid();
        let channels = coefficients.channels();
        let degree = (0..=64).step_by(2).find(|&degree| EvenHarmonics::count_up_to(degree) >= channels);
        let Some(degree) =
            degree.filter(|&degree| EvenHarmonics::count_up_to(degree) == channels && degree > 0)
        else {
            let problem = format!(
                "the image has {channels} volumes, which is not the number of spherical harmonics of an even \
                 degree"
            );
            let advice = "give coefficients of spherical harmonics: 6, 15, 28 or 45 volumes";
            return Err(Error::invalid("fibre orientation distributions", problem, advice));
        };
        if let Some(mask) = mask {
            grid.require_match(mask.grid(), "‘mask’", "the image of distributions")?;
        }
        let degree = degree.min(DEGREE);
        let basis = Basis::new();
        let is_in = |voxel: usize| {
            let row = coefficients.voxel(voxel);
            row[0] != 0.0 && row.iter().all(|c| c.is_finite()) && mask.is_none_or(|mask| mask.contains(voxel))
        };
        let voxels: Vec<usize> = (0..grid.len()).into_par_iter().filter(|&voxel| is_in(voxel)).collect();
        if voxels.is_empty() {
            let problem = "no voxel has a distribution";
            return Err(Error::invalid(
                "fibre orientation distributions",
                problem,
                "give another image or mask",
            ));
        }
        counts(coefficients, mask, voxels.len()).warn("distributions", &Control::default());
        let mean = |voxel: &usize| f64::from(coefficients.voxel(*voxel)[0]);
        let usual = voxels.iter().map(|voxel| mean(voxel).abs()).sum::<f64>() / voxels.len() as f64;
        let negative = voxels.iter().filter(|voxel| mean(voxel) < -ROUNDING * usual).count();
        if negative as f64 > MAX_NEGATIVE_FRACTION * voxels.len() as f64 + 1.0 {
            let problem =
                format!("{negative} of {} orientation distributions have a negative mean", voxels.len());
            let advice = "give the white matter's coefficients as `fit csd` or dwi2fod writes them";
            return Err(Error::invalid("fibre orientation distributions", problem, advice));
        }
        let mut places = vec![NOWHERE; grid.len()];
        for (place, &voxel) in voxels.iter().enumerate() {
            places[voxel] = narrow::<u32>(place);
        }
        let row = |&voxel: &usize| Row(basis.row(coefficients.voxel(voxel)));
        let mut rows: Vec<Row> = voxels.par_iter().map(row).collect();
        rows.push(Row([0.0; BASIS]));
        Ok(Self { grid, degree, basis, places, coefficients: rows })
    }

    /// Returns the grid of the image.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Returns the maximum degree of the harmonics, at most 8.
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// Returns the number of voxels with an FOD.
    pub fn voxels(&self) -> usize {
        self.coefficients.len() - 1
    }

    /// Returns the mask of the voxels with an FOD.
    pub fn mask(&self) -> Result<Mask> {
        Mask::new(self.grid, self.places.iter().map(|&place| place != NOWHERE).collect())
    }

    /// Returns the mask of the voxels whose FOD has an amplitude of at least `minimum` in one of a few hundred
    /// directions.
    pub fn mask_of_amplitude(&self, minimum: f32) -> Result<Mask> {
        let hemisphere = Hemisphere::new(&self.basis);
        let is_in = |&place: &u32| {
            place != NOWHERE && {
                let row = &self.coefficients[place as usize].0;
                hemisphere.amplitudes(row).iter().any(|&amplitude| amplitude >= minimum)
            }
        };
        Mask::new(self.grid, self.places.par_iter().map(is_in).collect())
    }

    /// Returns the FOD amplitude at voxel coordinates in a direction (a unit vector in scanner axes),
    /// interpolated trilinearly. The amplitude is 0 outside the image and in voxels without an FOD.
    pub fn amplitude(&self, place: [f32; 3], direction: [f32; 3]) -> f32 {
        dot(&self.at(place), &self.basis.at(direction))
    }

    /// Returns for each voxel the number of its row of coefficients, in the layout that GPU kernels read.
    pub(super) fn places(&self) -> &[u32] {
        &self.places
    }

    /// Returns the coefficients of all voxels with an FOD, followed by a row of zeros.
    pub(super) fn rows(&self) -> &[[f32; BASIS]] {
        bytemuck::cast_slice(&self.coefficients)
    }

    /// Returns the spherical harmonics.
    pub(super) fn harmonics(&self) -> &Basis {
        &self.basis
    }

    /// Returns true if the voxel nearest to a position has an FOD.
    #[inline(always)]
    pub(super) fn holds(&self, place: [f32; 3]) -> bool {
        let near = place.map(|c| saturating::<i32>((c + 0.5).floor()));
        self.row_of(near) != self.coefficients.len() - 1
    }

    /// Returns the number of the row with the coefficients of a voxel.
    #[inline(always)]
    fn row_of(&self, at: [i32; 3]) -> usize {
        let shape = self.grid.shape();
        let inside = (0..3).all(|axis| at[axis] >= 0 && (at[axis] as usize) < shape[axis]);
        let none = self.coefficients.len() - 1;
        if !inside {
            return none;
        }
        let [i, j, k] = at.map(|c| c as usize);
        let place = self.places[(k * shape[1] + j) * shape[0] + i];
        if place == NOWHERE { none } else { place as usize }
    }

    /// Returns the FOD coefficients at voxel coordinates, interpolated trilinearly.
    pub(super) fn at(&self, place: [f32; 3]) -> [f32; BASIS] {
        self.interpolated(Scalar::new(), place)
    }

    /// Returns the FOD coefficients at voxel coordinates, interpolated trilinearly with SIMD vectors.
    #[inline(always)]
    pub(super) fn interpolated<S: Simd>(&self, simd: S, place: [f32; 3]) -> [f32; BASIS] {
        let low = place.map(f32::floor);
        let part: [f32; 3] = std::array::from_fn(|axis| place[axis] - low[axis]);
        interpolate(simd, &self.corners(low), &weights_of_corners(part))
    }

    /// Returns the rows of the eight voxels around a position. `low` is the position rounded down.
    #[inline(always)]
    pub(super) fn corners(&self, low: [f32; 3]) -> Corners<'_> {
        let shape = self.grid.shape();
        let strides = [1, shape[0], shape[0] * shape[1]];
        // Offsets of the lower and the upper voxel along each axis. An offset outside the image gives an index
        // that no voxel has.
        let mut offsets = [[usize::MAX; 2]; 3];
        for axis in 0..3 {
            let low = saturating::<i32>(low[axis]);
            for (side, offset) in (0..).zip(&mut offsets[axis]) {
                let at = low.saturating_add(side);
                if at >= 0 && (at as usize) < shape[axis] {
                    *offset = at as usize * strides[axis];
                }
            }
        }
        let none = self.coefficients.len() - 1;
        let mut corners = [self.zeros(); 8];
        for corner in 0..8 {
            let [x, y, z] = [corner & 1, corner >> 1 & 1, corner >> 2];
            let voxel = offsets[0][x].saturating_add(offsets[1][y]).saturating_add(offsets[2][z]);
            // `NOWHERE` is larger than the number of the row of zeros.
            let place = self.places.get(voxel).map_or(none, |&place| (place as usize).min(none));
            corners[corner] = &self.coefficients[place].0;
        }
        corners
    }

    /// Returns the row of a voxel without an FOD: zeros.
    #[inline(always)]
    pub(super) fn zeros(&self) -> &[f32; BASIS] {
        &self.coefficients[self.coefficients.len() - 1].0
    }

    /// Returns the amplitudes of one FOD in several directions, one per lane. Each lane rounds as [`dot`]
    /// does.
    #[inline(always)]
    pub(super) fn amplitudes<S: Simd>(
        &self,
        simd: S,
        row: &[f32; BASIS],
        directions: [S::f32s; 3],
    ) -> S::f32s {
        let mut sums = OfOneRow { row, sums: PartialSums::new(simd) };
        self.basis.visit(simd, directions, &mut sums);
        sums.sums.total(simd)
    }

    /// Returns the amplitudes of different FODs in different directions, one per lane. Each lane rounds as
    /// [`dot`] does. `fours` has four coefficients of each lane, then the next four of each lane, and so on.
    /// The lanes are those of group number `group`, in the order of `deinterleave_shfl_f32s`.
    #[inline(always)]
    pub(super) fn amplitudes_of_lanes<S: Simd, const N: usize>(
        &self,
        simd: S,
        fours: &[[[f32; 4]; N]; FOURS],
        group: usize,
        directions: [S::f32s; 3],
    ) -> S::f32s {
        let four = [simd.splat_f32s(0.0); 4];
        let mut sums = OfLanes { fours, group, four, sums: PartialSums::new(simd) };
        self.basis.visit(simd, directions, &mut sums);
        sums.sums.total(simd)
    }

    /// Returns the values of all harmonics in a direction.
    #[inline(always)]
    pub(super) fn basis(&self, direction: [f32; 3]) -> [f32; BASIS] {
        self.basis.at(direction)
    }
}

/// Number of groups of four coefficients in a row.
pub(super) const FOURS: usize = BASIS / 4;

/// Returns the weights of the eight voxels around a position. `part` is the difference between the position
/// and the position rounded down.
#[inline(always)]
fn weights_of_corners(part: [f32; 3]) -> [f32; 8] {
    std::array::from_fn(|corner| {
        let along = |axis: usize| if corner >> axis & 1 == 1 { part[axis] } else { 1.0 - part[axis] };
        along(0) * along(1) * along(2)
    })
}

/// Returns the weighted sum of the rows of eight voxels.
#[inline(always)]
pub(super) fn interpolate<S: Simd>(simd: S, rows: &Corners<'_>, weights: &[f32; 8]) -> [f32; BASIS] {
    let mut splat = [simd.splat_f32s(0.0); 8];
    for corner in 0..8 {
        splat[corner] = simd.splat_f32s(weights[corner]);
    }
    let mut all = Row([0.0; BASIS]);
    let (sums, _) = S::as_mut_simd_f32s(&mut all.0);
    for n in 0..BASIS / S::F32_LANES {
        for corner in 0..8 {
            let (row, _) = S::as_simd_f32s(rows[corner].as_slice());
            let term = simd.mul_f32s(splat[corner], row[n]);
            sums[n] = if corner == 0 { term } else { simd.add_f32s(sums[n], term) };
        }
    }
    all.0
}

/// Sums of the products of harmonics and the coefficients of one FOD.
struct OfOneRow<'a, S: Simd> {
    row: &'a [f32; BASIS],
    sums: PartialSums<S>,
}

impl<S: Simd> HarmonicVisitor<S> for OfOneRow<'_, S> {
    #[inline(always)]
    fn visit(&mut self, simd: S, n: usize, value: S::f32s) {
        self.sums.add(simd, n, simd.splat_f32s(self.row[n]), value);
    }
}

/// Sums of the products of harmonics and the coefficients of a different FOD in each lane.
struct OfLanes<'a, S: Simd, const N: usize> {
    fours: &'a [[[f32; 4]; N]; FOURS],
    group: usize,
    /// The current four coefficients of each lane.
    four: [S::f32s; 4],
    sums: PartialSums<S>,
}

impl<S: Simd, const N: usize> HarmonicVisitor<S> for OfLanes<'_, S, N> {
    #[inline(always)]
    fn visit(&mut self, simd: S, n: usize, value: S::f32s) {
        if n.is_multiple_of(4) {
            self.four = by_component(simd, &self.fours[n / 4], self.group);
        }
        self.sums.add(simd, n, self.four[n % 4], value);
    }
}

/// Returns the four components of vectors, each in the lanes of group number `group`. The order of the lanes
/// is that of `deinterleave_shfl_f32s`.
#[inline(always)]
pub(super) fn by_component<S: Simd, const N: usize>(
    simd: S,
    vectors: &[[f32; 4]; N],
    group: usize,
) -> [S::f32s; 4] {
    let (all, _) = S::as_simd_f32s(vectors.as_flattened());
    let at = 4 * group;
    simd.deinterleave_shfl_f32s([all[at], all[at + 1], all[at + 2], all[at + 3]])
}

/// Returns the inner product Σ a b, summed in eight partial sums that a CPU computes in parallel.
#[inline(always)]
pub(super) fn dot(a: &[f32; BASIS], b: &[f32; BASIS]) -> f32 {
    let mut sums = [0.0f32; 8];
    for n in 0..BASIS / 8 {
        for lane in 0..8 {
            sums[lane] += a[8 * n + lane] * b[8 * n + lane];
        }
    }
    let [a, b, c, d, e, f, g, h] = sums;
    ((a + b) + (c + d)) + ((e + f) + (g + h))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::Affine;

    /// Creates an FOD image of one voxel with these coefficients.
    fn voxel(values: Vec<f32>) -> FodImage {
        let grid = Grid::new([1; 3], Affine::identity()).unwrap();
        FodImage::new(&Volume::new(grid, values.len(), values).unwrap(), None).unwrap()
    }

    /// The expected amplitudes are the output of MRtrix's `sh2amp` for single coefficients.
    #[test]
    fn amplitudes_agree_with_mrtrix() {
        let root = 0.5f32.sqrt();
        let third = [0.3f32, -0.5, 0.7].map(|c| c / 0.83f32.sqrt());
        let directions = [[root, 0.0, root], [0.0, root, root], [root, root, 0.0], [1.0, 0.0, 0.0], third];
        for (n, expected) in [
            (0, [0.2821, 0.2821, 0.2821, 0.2821, 0.2821]),
            (1, [0.0, 0.0, 0.5463, 0.0, -0.1974]),
            (2, [0.0, -0.5463, 0.0, 0.0, 0.4607]),
            (3, [0.1577, 0.1577, -0.3154, -0.3154, 0.2432]),
            (4, [-0.5463, 0.0, 0.0, 0.0, -0.2764]),
            (5, [0.2731, -0.2731, 0.0, 0.5463, -0.1053]),
        ] {
            let mut coefficients = vec![0.0; 6];
            coefficients[0] = 1e-6;
            coefficients[n] = 1.0;
            let image = voxel(coefficients);
            for (direction, expected) in directions.into_iter().zip(expected) {
                let found = image.amplitude([0.0; 3], direction);
                // The tolerance is half a unit of the last digit that `sh2amp` prints.
                assert!((found - expected).abs() < 6e-5, "{n} {direction:?}: {found}");
                let opposite = image.amplitude([0.0; 3], direction.map(|c| -c));
                assert!((found - opposite).abs() < 1e-6);
            }
        }
    }

    /// Every orthonormal basis satisfies Σ_lm Y_lm(u) Y_lm(v) = Σ_l (2l + 1)/4π P_l(u·v). The values Y_lm(v)
    /// are the coefficients of a delta function at v, truncated at the maximum degree.
    #[test]
    fn truncated_deltas_have_their_peak_at_the_delta() {
        let degree = DEGREE;
        let u = [0.36f64, -0.48, 0.8];
        let harmonics = arcuate_core::harmonics::EvenHarmonics::new(degree);
        let values = harmonics.evaluate(u);
        let basis = Basis::new();
        let image = voxel(basis.to_mrtrix(&values));
        let at = |d: [f32; 3]| f64::from(image.amplitude([0.0; 3], d));
        let peak = at(u.map(|c| c as f32));
        let expected: f64 =
            (0..=degree).step_by(2).map(|l| (2 * l + 1) as f64 / (4.0 * std::f64::consts::PI)).sum();
        assert!((peak / expected - 1.0).abs() < 1e-5, "{peak} {expected}");
        let across = at([0.8, 0.6, 0.0]);
        assert!(across.abs() < 0.2 * peak);
    }

    /// Amplitudes of one FOD in each direction of a table, and of another FOD in each direction.
    struct InLanes<'a> {
        image: &'a FodImage,
        rows: &'a [[f32; BASIS]; 32],
        directions: &'a [[f32; 3]; 32],
    }

    impl pulp::WithSimd for InLanes<'_> {
        type Output = [[f32; 32]; 2];

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) -> [[f32; 32]; 2] {
            let Self { image, rows, directions } = self;
            let fours: [[[f32; 4]; 32]; FOURS] =
                std::array::from_fn(|four| std::array::from_fn(|n| rows[n].as_chunks().0[four]));
            let directions = directions.map(|[x, y, z]| [x, y, z, 0.0]);
            let mut found = [[[0.0f32; 4]; 32]; 2];
            for group in 0..32 / S::F32_LANES {
                let [x, y, z, zero] = by_component(simd, &directions, group);
                let one = image.amplitudes(simd, &rows[0], [x, y, z]);
                let other = image.amplitudes_of_lanes(simd, &fours, group, [x, y, z]);
                for (found, own) in found.iter_mut().zip([one, other]) {
                    let (all, _) = S::as_mut_simd_f32s(found.as_flattened_mut());
                    all[4 * group..4 * group + 4]
                        .copy_from_slice(&simd.interleave_shfl_f32s([own, zero, zero, zero]));
                }
            }
            found.map(|found| found.map(|[amplitude, ..]| amplitude))
        }
    }

    #[test]
    fn every_lane_rounds_as_a_single_direction() {
        let image = voxel(vec![1.0; 45]);
        let mut random = arcuate_compute::Random::new(3, arcuate_compute::Purpose::Resampling, 0);
        let directions: [[f32; 3]; 32] = std::array::from_fn(|_| random.on_sphere().map(|c| c as f32));
        let rows: [[f32; BASIS]; 32] = std::array::from_fn(|_| {
            std::array::from_fn(|n| if n < 45 { random.uniform() as f32 - 0.3 } else { 0.0 })
        });
        let expected: [[f32; 32]; 2] = [
            std::array::from_fn(|n| dot(&rows[0], &image.basis(directions[n]))),
            std::array::from_fn(|n| dot(&rows[n], &image.basis(directions[n]))),
        ];
        let in_lanes = || InLanes { image: &image, rows: &rows, directions: &directions };
        let bits = |found: [[f32; 32]; 2]| found.map(|row| row.map(f32::to_bits));
        let by_one = pulp::WithSimd::with_simd(in_lanes(), Scalar::new());
        assert_eq!(bits(by_one), bits(expected), "one lane");
        let by_widest = arcuate_numbers::Arch::new().dispatch(in_lanes());
        assert_eq!(bits(by_widest), bits(expected), "widest vectors");
        #[cfg(target_arch = "x86_64")]
        if let Some(eight) = pulp::x86::V3::try_new() {
            assert_eq!(bits(Simd::vectorize(eight, in_lanes())), bits(expected), "eight lanes");
        }
    }

    /// DIPY's legacy basis has cosines where MRtrix's basis has sines.
    #[test]
    fn other_bases_give_negative_amplitudes() {
        let harmonics = arcuate_core::harmonics::EvenHarmonics::new(DEGREE);
        let basis = Basis::new();
        let mut values = vec![0.0; EvenHarmonics::count_up_to(DEGREE)];
        // Two smooth lobes without side lobes.
        for direction in [[0.36, -0.48, 0.8], [0.6, 0.8, 0.0]] {
            for (sum, value) in values.iter_mut().zip(harmonics.evaluate(direction)) {
                *sum += value;
            }
        }
        let mut right = basis.to_mrtrix(&values);
        let mut first = 0;
        for degree in (0..=DEGREE).step_by(2) {
            for c in &mut right[first..=first + 2 * degree] {
                *c *= (-0.04 * (degree * (degree + 1)) as f64).exp() as f32;
            }
            first += 2 * degree + 1;
        }
        let mut other = right.clone();
        let mut first = 0;
        for degree in (0..=DEGREE).step_by(2) {
            other[first..=first + 2 * degree].reverse();
            first += 2 * degree + 1;
        }
        let [right, other] = [right, other].map(|coefficients| voxel(coefficients).below_zero());
        assert!(right.stored < 0.01 && other.stored > 0.03, "{right:?} {other:?}");
        assert!(right.stored < 0.3 * right.rearranged && other.stored > 0.7 * other.rearranged);
    }

    #[test]
    fn invalid_fod_images_are_rejected() {
        let grid = Grid::new([2, 1, 1], Affine::identity()).unwrap();
        let image = |channels: usize, value: f32| Volume::filled(grid, channels, value);
        for (volume, message_part) in [
            (image(3, 1.0), "3 volumes, which is not the number of"),
            (image(1, 1.0), "1 volumes, which is not the number of"),
            (image(6, 0.0), "no voxel has a distribution"),
            (image(6, f32::NAN), "no voxel has a distribution"),
            (image(6, -1.0), "2 of 2 orientation distributions have a negative mean"),
        ] {
            let refused = FodImage::new(&volume, None).unwrap_err().to_string();
            assert!(refused.contains(message_part), "{refused}");
        }
        // Outside white matter, rounding can make small coefficients negative.
        let nearly = Volume::new(grid, 6, [[-1e-7; 6], [1.0; 6]].concat()).unwrap();
        assert_eq!(FodImage::new(&nearly, None).unwrap().voxels(), 2);
        let image = FodImage::new(&image(91, 1.0), None).unwrap();
        assert_eq!((image.degree(), image.voxels()), (8, 2), "degrees beyond 8 are left out");
        assert!(image.holds([1.4, 0.0, 0.0]) && !image.holds([1.6, 0.0, 0.0]));
        assert!(
            image.amplitude([1.5, 0.0, 0.0], [0.0, 0.0, 1.0])
                < image.amplitude([1.0, 0.0, 0.0], [0.0, 0.0, 1.0])
        );
    }
}
