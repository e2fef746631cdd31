//! Peaks of fibre orientation distributions.

use crate::basis::HarmonicBasis;
use crate::dense::{combine, transposed};
use crate::smooth::{jet, reorder, tangents};
use arcuate_core::{Control, Error, Mask, Orientations, Result, Volume};
use arcuate_numbers::Arch;
use arcuate_numbers::vector3::dot;
use pulp::{Simd, WithSimd};
use rayon::prelude::*;

/// A peak of a fibre orientation distribution: a local maximum of its amplitude.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Peak {
    /// Direction of the peak, as a unit vector in scanner axes. The opposite vector is equivalent.
    pub direction: [f64; 3],
    /// Amplitude of the orientation distribution in the direction of the peak.
    pub amplitude: f64,
}

/// Number of directions on the half sphere from which the search for peaks starts. They are about 4° apart.
/// The lobes of a distribution are 20° wide at order 8, and 10° at order 16.
const DIRECTIONS: usize = 1200;
/// Minimum cosine of the angle between two start directions that count as neighbours (at most 5.3°). A
/// direction at a larger angle may be on the flank of a higher lobe.
const NEIGHBOURS: f64 = 0.99572;
/// Maximum number of steps from a start direction to a maximum of the distribution.
const STEPS: usize = 60;
/// The longest step of the search in radians. If a step is shorter than the second value (in radians), the
/// search has converged.
const LONGEST: f64 = 0.05;
const SHORTEST: f64 = 1e-9;
/// Minimum cosine of the angle between two maxima that count as the same maximum (at most 1.1°).
const SAME: f64 = 0.9998;
/// Number of voxels that a thread processes as one task.
const PIECE: usize = 64;

/// Finds the maxima of orientation distributions of one order, as MRtrix's `sh2peaks` does. A search by
/// Newton's method starts in every direction whose amplitude is above the amplitudes of the neighbouring
/// directions.
#[derive(Debug)]
pub struct PeakFinder {
    basis: HarmonicBasis,
    directions: Vec<[f64; 3]>,
    /// The values of the spherical harmonics in the start directions. The matrix has one row per harmonic.
    columns: Vec<f64>,
    /// Lists of neighbours, one for each start direction. `neighbours` contains all lists one after the
    /// other, and `neighbours_from` the index at which each list begins.
    neighbours_from: Vec<usize>,
    neighbours: Vec<usize>,
}

/// Working memory of a thread that finds peaks.
#[derive(Debug, Clone)]
pub struct PeakScratch {
    amplitudes: Vec<f64>,
    coefficients: Vec<f64>,
    reordered: Vec<f64>,
    found: Vec<Peak>,
}

/// Computes the amplitudes of a distribution in all start directions. The code is compiled for the SIMD
/// instruction set of the CPU.
struct Amplitudes<'a> {
    out: &'a mut [f64],
    coefficients: &'a [f64],
    columns: &'a [f64],
}

impl WithSimd for Amplitudes<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        combine(self.out, self.coefficients, self.columns);
    }
}

impl PeakFinder {
    /// Creates a finder for orientation distributions with this number of coefficients. Returns an error if
    /// no even order gives this number.
    pub fn new(coefficients: usize) -> Result<Self> {
        let basis = HarmonicBasis::of_count(coefficients)?;
        let directions = Orientations::half_sphere(DIRECTIONS).directions().to_vec();
        let (mut neighbours_from, mut neighbours) = (vec![0], Vec::new());
        for (index, d) in directions.iter().enumerate() {
            let near = |e: &[f64; 3]| dot(*d, *e).abs() > NEIGHBOURS;
            neighbours.extend((0..DIRECTIONS).filter(|&other| other != index && near(&directions[other])));
            neighbours_from.push(neighbours.len());
        }
        let columns = transposed(&basis.matrix(&directions), basis.count());
        Ok(Self { basis, directions, columns, neighbours_from, neighbours })
    }

    /// Allocates the working memory of a thread for [`find`](Self::find).
    pub fn scratch(&self) -> PeakScratch {
        let count = self.basis.count();
        PeakScratch {
            amplitudes: vec![0.0; DIRECTIONS],
            coefficients: vec![0.0; count],
            reordered: vec![0.0; count],
            found: Vec::new(),
        }
    }

    /// Returns all maxima of a distribution whose amplitude is above `threshold` and above 0. The largest
    /// amplitude is first. If amplitudes are equal, the maximum that was found first is first. Returns no
    /// maxima if a coefficient is not finite, or if the distribution is isotropic.
    ///
    /// # Panics
    /// Panics if the number of coefficients is not the one for which the finder was created.
    pub fn find<'a>(&self, scratch: &'a mut PeakScratch, coefficients: &[f64], threshold: f64) -> &'a [Peak] {
        assert_eq!(coefficients.len(), self.basis.count(), "coefficients of another order");
        let PeakScratch { amplitudes, reordered, found, .. } = scratch;
        found.clear();
        if coefficients.iter().any(|c| !c.is_finite()) || coefficients[1..].iter().all(|c| *c == 0.0) {
            return found;
        }
        Arch::new().dispatch(Amplitudes { out: amplitudes, coefficients, columns: &self.columns });
        reorder(&self.basis, coefficients, reordered);
        let minimum = threshold.max(0.0);
        for (index, amplitude) in amplitudes.iter().enumerate() {
            let neighbours = &self.neighbours[self.neighbours_from[index]..self.neighbours_from[index + 1]];
            // If neighbouring directions have equal amplitudes, the search starts only in the first of them.
            let higher =
                |&n: &usize| amplitudes[n] > *amplitude || (amplitudes[n] == *amplitude && n < index);
            if neighbours.iter().any(higher) {
                continue;
            }
            let peak = self.climb(reordered, self.directions[index]);
            let same = |other: &Peak| dot(other.direction, peak.direction).abs() > SAME;
            if peak.amplitude > minimum && !found.iter().any(same) {
                found.push(peak);
            }
        }
        found.sort_by(|a, b| b.amplitude.total_cmp(&a.amplitude));
        found
    }

    /// Follows the amplitude from a start direction to a maximum by Newton steps. If a step would decrease
    /// the amplitude, it is halved.
    fn climb(&self, reordered: &[f64], mut u: [f64; 3]) -> Peak {
        let mut frame = tangents(u);
        let mut here = jet(&self.basis, reordered, u, &frame);
        for _ in 0..STEPS {
            let mut step = uphill(here.gradient, here.hessian);
            let length = step[0].hypot(step[1]);
            if length > LONGEST {
                step = step.map(|component| component * LONGEST / length);
            }
            let mut moved = false;
            while step[0].hypot(step[1]) > SHORTEST {
                let length = step[0].hypot(step[1]);
                let along = length.sin() / length;
                let mut v: [f64; 3] = std::array::from_fn(|k| {
                    length.cos() * u[k] + along * (step[0] * frame[0][k] + step[1] * frame[1][k])
                });
                let norm = v.iter().map(|c| c * c).sum::<f64>().sqrt();
                v = v.map(|c| c / norm);
                let tangents = tangents(v);
                let there = jet(&self.basis, reordered, v, &tangents);
                if there.value >= here.value {
                    (u, frame, here, moved) = (v, tangents, there, true);
                    break;
                }
                step = step.map(|component| component / 2.0);
            }
            if !moved {
                break;
            }
        }
        Peak { direction: u, amplitude: here.value }
    }

    /// Returns the `number` largest peaks of every voxel of `mask`. Each peak has three channels: its
    /// direction in scanner axes, multiplied by its amplitude. If a voxel has fewer peaks, the remaining
    /// channels are 0. The result is bit-identical for any number of threads.
    ///
    /// # Errors
    /// Returns an error if the volume has another number of coefficients than this finder, or if the mask has
    /// another grid. Also returns an error if `number` is 0, or if `control` cancels the run.
    pub fn peaks_of(
        &self,
        distributions: &Volume<f32>,
        mask: &Mask,
        number: usize,
        control: &Control,
    ) -> Result<Volume<f32>> {
        let count = self.basis.count();
        if distributions.channels() != count {
            let problem = format!(
                "the orientation distribution has {} coefficients per voxel, not {count}",
                distributions.channels()
            );
            let advice = "give distributions of the order that peaks are looked for in";
            return Err(Error::invalid("orientation distributions", problem, advice));
        }
        if number == 0 {
            return Err(Error::usage("‘number’", "the number of peaks is 0", "give 1 or more"));
        }
        let grid = *distributions.grid();
        grid.require_match(mask.grid(), "mask", "the orientation distributions")?;
        let mut out = Volume::filled(grid, 3 * number, 0f32);
        let pieces = out.values_mut().par_chunks_mut(3 * number * PIECE).enumerate();
        pieces.try_for_each_init(
            || self.scratch(),
            |scratch, (piece, out)| {
                control.check()?;
                for (n, out) in out.chunks_exact_mut(3 * number).enumerate() {
                    let voxel = piece * PIECE + n;
                    if !mask.contains(voxel) {
                        continue;
                    }
                    let mut coefficients = std::mem::take(&mut scratch.coefficients);
                    coefficients
                        .iter_mut()
                        .zip(distributions.voxel(voxel))
                        .for_each(|(c, v)| *c = f64::from(*v));
                    let found = self.find(scratch, &coefficients, 0.0);
                    for (out, peak) in out.chunks_exact_mut(3).zip(found) {
                        out.iter_mut()
                            .zip(peak.direction)
                            .for_each(|(o, c)| *o = (peak.amplitude * c) as f32);
                    }
                    scratch.coefficients = coefficients;
                }
                Ok::<_, Error>(())
            },
        )?;
        Ok(out)
    }
}

/// Computes a Newton step towards a maximum. Positive curvatures are replaced by negative ones of the same
/// size, because at a maximum all curvatures are negative. With a positive curvature, the step would lead to
/// lower amplitudes. A long step along the gradient could cross a ridge to another lobe.
fn uphill([a, b]: [f64; 2], [aa, ab, bb]: [f64; 3]) -> [f64; 2] {
    let (mean, half) = (f64::midpoint(aa, bb), (aa - bb) / 2.0);
    let radius = half.hypot(ab);
    let (sine, cosine) = (0.5 * ab.atan2(half)).sin_cos();
    let flattest = f64::MIN_POSITIVE + 1e-3 * (mean.abs() + radius);
    let along = (cosine * a + sine * b) / (mean + radius).abs().max(flattest);
    let across = (cosine * b - sine * a) / (mean - radius).abs().max(flattest);
    [cosine * along - sine * across, sine * along + cosine * across]
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::{Affine, Grid};

    /// Creates a distribution of order 8 with narrow lobes along these directions (truncated point
    /// functions).
    fn lobes(directions: &[([f64; 3], f64)]) -> Vec<f64> {
        let basis = HarmonicBasis::new(8).unwrap();
        let mut coefficients = vec![0.0; 45];
        for (direction, weight) in directions {
            // The weights of the degrees decrease with l, which keeps side lobes small.
            let smooth = [1.0, 0.95, 0.8, 0.6, 0.4];
            let degrees = basis.degrees();
            for ((c, y), l) in coefficients.iter_mut().zip(basis.evaluate(*direction)).zip(degrees) {
                *c += weight * y * smooth[l / 2];
            }
        }
        coefficients
    }

    fn angle(a: [f64; 3], b: [f64; 3]) -> f64 {
        let cosine = (0..3).map(|k| a[k] * b[k]).sum::<f64>().abs().min(1.0);
        cosine.acos().to_degrees()
    }

    #[test]
    fn a_single_peak_is_found_at_its_direction() {
        let finder = PeakFinder::new(45).unwrap();
        let mut scratch = finder.scratch();
        let mut places = Orientations::half_sphere(150).directions().to_vec();
        places.extend([[0.0, 0.0, 1.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0], [0.0, -1.0, 0.0]]);
        for direction in places {
            let peaks = finder.find(&mut scratch, &lobes(&[(direction, 1.0)]), 0.1);
            assert_eq!(peaks.len(), 1, "{direction:?}: {peaks:?}");
            assert!(angle(peaks[0].direction, direction) < 1e-5, "{direction:?} {peaks:?}");
            let length = peaks[0].direction.iter().map(|c| c * c).sum::<f64>();
            assert!((length - 1.0).abs() < 1e-14);
        }
    }

    #[test]
    fn peaks_are_sorted_by_amplitude() {
        let (a, b, c) = ([1.0, 0.0, 0.0], [0.0, 0.6, 0.8], [0.0, 0.8, -0.6]);
        let finder = PeakFinder::new(45).unwrap();
        let mut scratch = finder.scratch();
        let coefficients = lobes(&[(a, 0.5), (b, 1.0), (c, 0.7)]);
        let peaks = finder.find(&mut scratch, &coefficients, 0.2).to_vec();
        assert_eq!(peaks.len(), 3);
        for (peak, direction) in peaks.iter().zip([b, c, a]) {
            // Two lobes that are perpendicular to each other do not shift each other's maximum.
            assert!(angle(peak.direction, direction) < 1e-5);
        }
        assert!(peaks.windows(2).all(|pair| pair[0].amplitude > pair[1].amplitude));
        let grid = Grid::new([2, 1, 1], Affine::identity()).unwrap();
        let mut values: Vec<f32> = coefficients.iter().map(|c| *c as f32).collect();
        values.extend_from_within(..);
        let volume = Volume::new(grid, 45, values).unwrap();
        let mask = Mask::new(grid, vec![false, true]).unwrap();
        let out = finder.peaks_of(&volume, &mask, 2, &Control::default()).unwrap();
        assert_eq!(out.voxel(0), [0.0; 6]);
        for (n, peak) in peaks.iter().take(2).enumerate() {
            for k in 0..3 {
                // The tolerance allows for coefficients in single precision.
                let expected = peak.amplitude * peak.direction[k];
                let value = f64::from(out.voxel(1)[3 * n + k]);
                assert!((value.abs() - expected.abs()).abs() < 1e-5, "{value} {expected}");
            }
        }
    }

    #[test]
    fn functions_without_peaks_have_none() {
        let finder = PeakFinder::new(6).unwrap();
        let mut scratch = finder.scratch();
        for coefficients in
            [[0.0; 6], [1.0, 0.0, 0.0, 0.0, 0.0, 0.0], [f64::NAN; 6], [-1.0, 0.0, 0.0, 0.1, 0.0, 0.0]]
        {
            assert!(finder.find(&mut scratch, &coefficients, 0.0).is_empty(), "{coefficients:?}");
        }
        assert!(PeakFinder::new(7).is_err());
        let grid = Grid::new([1, 1, 1], Affine::identity()).unwrap();
        let volume = Volume::filled(grid, 15, 0f32);
        let message =
            finder.peaks_of(&volume, &Mask::full(grid), 3, &Control::default()).unwrap_err().to_string();
        assert!(message.contains("15 coefficients per voxel, not 6"), "{message}");
    }
}
