use super::{Axes, Segments};
use arcuate_core::{Affine, Error, PeakFrame, Result, Volume};
use arcuate_numbers::vector3::dot;
use rayon::prelude::*;

/// Maximum number of peaks per voxel.
const MAX_PEAKS: usize = 5;

/// Agreement of streamlines with the peaks of an image. It is the mean |cos| of the angle between a segment
/// of a streamline and the nearest peak of the segment's voxel. The mean is weighted by the segments'
/// lengths.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PeakAgreement {
    /// Agreement of streamlines and peaks if the components of peaks are along the axes that the user stated
    /// (image axes or scanner axes).
    pub stated: f64,
    /// The best agreement of streamlines and peaks that is found. The components of peaks can be along the
    /// image axes or the scanner axes, and one component may be negated.
    pub best: f64,
    /// The frame (image axes or scanner axes) in which peaks and streamlines agree best.
    pub best_frame: PeakFrame,
    /// The component of the peaks (0, 1 or 2) that is negated for the best agreement. `None` if no component
    /// is negated.
    pub best_flip: Option<usize>,
    frame: PeakFrame,
}

/// Minimum difference between the agreement in the best frame and the agreement in the stated frame. If the
/// difference is larger, a problem is reported. For streamlines tracked on the tensors of a real scan, the
/// agreement with their peaks is 0.96 in the correct frame and 0.64 in a wrong one. If the image axes are
/// oblique by about 5°, the choice of frame changes the agreement by 0.004.
const CLEARLY_BETTER: f64 = 0.02;

impl PeakAgreement {
    /// Returns a description of the problem if streamlines and peaks agree clearly better in another frame
    /// than in the stated one.
    pub fn problem(&self) -> Option<String> {
        if self.best <= self.stated + CLEARLY_BETTER {
            return None;
        }
        let flip = self
            .best_flip
            .map_or(String::new(), |axis| format!(" with the {} component negated", ["x", "y", "z"][axis]));
        Some(format!(
            "streamlines agree with them to {:.3} in {}, but to {:.3} in {}{flip} (mean |cos|)",
            self.stated, self.frame, self.best, self.best_frame
        ))
    }
}

/// Maximum number of segments from which the agreement of streamlines and peaks is computed. It is large
/// enough to distinguish agreements that differ by 0.001.
const SAMPLED_SEGMENTS: usize = 400_000;

impl Axes {
    /// Returns the peaks in the voxels of `segments` as axes of extra-axonal compartments. `peaks` has three
    /// components for each of 1 to 5 peaks per voxel, along the axes of `frame`. Only relative lengths
    /// matter. Peaks shorter than `threshold` times the longest peak of their voxel are excluded
    /// (`dmri-commit`: 0.1). Zero and NaN peaks are ignored.
    ///
    /// The image of the peaks may be stored with other axes than the voxel grid of the segments. `frame` then
    /// refers to the axes of the image of the peaks.
    ///
    /// Returns an error if the number of channels or the voxel grid of `peaks` is wrong, or if `threshold` is
    /// not between 0 and 1. Also returns an error if no voxel has a peak, or if the image contains
    /// eigenvectors instead of peaks.
    pub fn from_peaks(
        peaks: &Volume<f32>,
        frame: PeakFrame,
        threshold: f64,
        segments: &Segments,
    ) -> Result<(Self, PeakAgreement)> {
        let channels = peaks.channels();
        if !channels.is_multiple_of(3) || channels > 3 * MAX_PEAKS {
            let problem = format!(
                "the image has {channels} values per voxel, which are not 1 to {MAX_PEAKS} peaks of three \
                 values"
            );
            return Err(Error::invalid(
                "peaks",
                problem,
                "give x, y, z of each peak along the fourth \
                                                         dimension",
            ));
        }
        let order = if segments.grid().matches(peaks.grid()) {
            None
        } else {
            let order = segments.grid().order_in(peaks.grid());
            if order.is_none() {
                segments.grid().require_match(peaks.grid(), "peaks", "the diffusion series")?;
            }
            order
        };
        let of_voxel = |voxel: u32| {
            let voxel = voxel as usize;
            peaks.voxel(order.as_ref().map_or(voxel, |order| order[voxel]))
        };
        if segments.voxels().iter().filter(|&&voxel| is_triad(of_voxel(voxel))).count()
            > segments.voxels().len() / 2
        {
            let problem = "its voxels hold three unit vectors at right angles: the eigenvectors of a tensor, of which \
                           only the first is the direction of fibres";
            let advice = "give the first alone: principal_direction.nii.gz of `arcuate fit tensor`";
            return Err(Error::invalid("peaks", problem, advice));
        }
        if !(0.0..=1.0).contains(&threshold) {
            let problem = format!("the threshold {threshold} is not between 0 and 1");
            return Err(Error::usage(
                "‘peak_threshold’",
                problem,
                "give a fraction from 0 to 1 of the \
                longest peak",
            ));
        }
        let mut components: Vec<[f64; 3]> = Vec::new();
        let mut voxel_starts = vec![0];
        for &voxel in segments.voxels() {
            components.extend(unit_peaks(of_voxel(voxel), threshold));
            voxel_starts.push(components.len());
        }
        if components.is_empty() {
            let problem = "no voxel that streamlines pass has a peak";
            return Err(Error::invalid("peaks", problem, "check that the peaks belong to this scan"));
        }
        let affine = peaks.grid().affine();
        let agreement = agreement(&components, &voxel_starts, affine, frame, segments);
        let axes = frame.axes(affine);
        let directions = components.iter().map(|&c| turn(axes, c).map(|c| c as f32)).collect();
        Ok((Self::new(voxel_starts, directions)?, agreement))
    }
}

/// Returns true if the three vectors of a voxel are orthonormal, up to rounding of stored values. Orthonormal
/// vectors are eigenvectors of a tensor. Peaks are never orthonormal, because their lengths are amplitudes.
fn is_triad(values: &[f32]) -> bool {
    let [a, b, c] = [0, 3, 6].map(|first| values.get(first..first + 3));
    let (Some(a), Some(b), Some(c)) = (a, b, c) else { return false };
    let product = |a: &[f32], b: &[f32]| -> f32 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    let unit = [a, b, c].iter().all(|v| (product(v, v) - 1.0).abs() < 1e-3);
    values.len() == 9 && unit && [product(a, b), product(b, c), product(a, c)].iter().all(|p| p.abs() < 1e-3)
}

/// Returns the peaks of a voxel that are long enough for `threshold`, as unit vectors.
fn unit_peaks(values: &[f32], threshold: f64) -> impl Iterator<Item = [f64; 3]> {
    let peaks = values.chunks_exact(3).map(|peak| {
        let peak: [f64; 3] = std::array::from_fn(|c| f64::from(peak[c]));
        (peak, dot(peak, peak).sqrt())
    });
    let peaks = peaks.filter(|&(_, length)| length > 0.0 && length.is_finite());
    let longest = peaks.clone().map(|(_, length)| length).fold(0.0, f64::max);
    peaks
        .filter(move |&(_, length)| length >= threshold * longest)
        .map(|(peak, length)| peak.map(|c| c / length))
}

/// Returns the unit vector with the given components along three axes. The sum of the components times the
/// axes is normalised, because the axes of a sheared affine are not orthogonal.
fn turn(axes: [[f64; 3]; 3], components: [f64; 3]) -> [f64; 3] {
    let v: [f64; 3] = std::array::from_fn(|row| (0..3).map(|n| components[n] * axes[n][row]).sum());
    let length = dot(v, v).sqrt();
    v.map(|c| c / length)
}

fn agreement(
    peaks: &[[f64; 3]],
    voxel_starts: &[usize],
    affine: &Affine,
    frame: PeakFrame,
    segments: &Segments,
) -> PeakAgreement {
    let flips = [None, Some(0), Some(1), Some(2)];
    let mut candidates: Vec<_> =
        PeakFrame::ALL.into_iter().flat_map(|f| flips.map(|flip| (f, flip))).collect();
    // Frames in which no component of the peaks is negated come first. If such a frame agrees as well as one
    // with a negated component, it is the one that is reported.
    candidates.sort_by_key(|(_, flip)| flip.is_some());
    let stride = segments.len().div_ceil(SAMPLED_SEGMENTS).max(1);
    let means: Vec<f64> = candidates
        .par_iter()
        .map(|&(frame, flip)| {
            let mut axes = frame.axes(affine);
            if let Some(axis) = flip {
                axes[axis] = axes[axis].map(|c| -c);
            }
            let (mut total, mut length) = (0.0, 0.0);
            let mut turned = Vec::new();
            for n in 0..segments.voxels().len() {
                let here = &peaks[voxel_starts[n]..voxel_starts[n + 1]];
                if here.is_empty() {
                    continue;
                }
                turned.clear();
                turned.extend(here.iter().map(|&peak| turn(axes, peak)));
                let skip = (stride - segments.voxel_starts[n] % stride) % stride;
                for segment in segments.of_voxel(n).iter().skip(skip).step_by(stride) {
                    let piece = segment.piece.map(f64::from);
                    total += turned.iter().map(|&peak| dot(piece, peak).abs()).fold(0.0, f64::max);
                    length += dot(piece, piece).sqrt();
                }
            }
            if length > 0.0 { total / length } else { 0.0 }
        })
        .collect();
    let at = |wanted| candidates.iter().position(|&candidate| candidate == wanted).map_or(0.0, |n| means[n]);
    let stated = at((frame, None));
    // The search starts with the stated frame. If other frames agree equally well, the stated frame is kept.
    let mut found = PeakAgreement { stated, best: stated, best_frame: frame, best_flip: None, frame };
    for (&(best_frame, best_flip), &best) in candidates.iter().zip(&means) {
        if best > found.best {
            found = PeakAgreement { best, best_frame, best_flip, ..found };
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commit::{SegmentEncoder, SegmentOptions};
    use arcuate_compute::{Purpose, Random};
    use arcuate_core::{Grid, Mask, Tractogram};

    /// Creates a voxel grid that is rotated by 30° about the z axis. The determinant of its affine is
    /// positive.
    fn grid() -> Grid {
        let (sin, cos) = 30f64.to_radians().sin_cos();
        let rows =
            [[2.0 * cos, -2.0 * sin, 0.0, 0.0], [2.0 * sin, 2.0 * cos, 0.0, 0.0], [0.0, 0.0, 3.0, 0.0]];
        Grid::new([6, 6, 4], Affine::from_rows(rows).unwrap()).unwrap()
    }

    /// Creates one straight streamline through each of many voxels. Also returns an image of peaks with the
    /// directions of these streamlines, in scanner axes.
    fn bundles() -> (Segments, Vec<[f64; 3]>) {
        let grid = grid();
        let (mut tractogram, mut peaks) = (Tractogram::new(), Vec::new());
        for voxel in 0..grid.len() {
            let mut random = Random::new(1, Purpose::Resampling, voxel as u64);
            let v: [f64; 3] = std::array::from_fn(|_| random.uniform() - 0.5);
            let peak = v.map(|c| c / dot(v, v).sqrt());
            let centre = grid.centre(voxel);
            let end = |t: f64| std::array::from_fn(|c| (centre[c] + t * peak[c]) as f32);
            tractogram.push(&[end(-0.7), end(0.7)]);
            peaks.push(peak);
        }
        let mask = Mask::full(grid);
        let mut encoder = SegmentEncoder::new(&mask, SegmentOptions::default()).unwrap();
        encoder.add(&tractogram).unwrap();
        (encoder.finish().unwrap().0, peaks)
    }

    fn volume(peaks: impl Iterator<Item = [f64; 3]>) -> Volume<f32> {
        Volume::new(grid(), 3, peaks.flatten().map(|c| (7.0 * c) as f32).collect()).unwrap()
    }

    #[test]
    fn each_frame_gives_the_same_axes_and_wrong_frames_are_detected() {
        let (segments, peaks) = bundles();
        let affine = *grid().affine();
        let along_axes = |peak: [f64; 3]| affine.axes().map(|axis| dot(axis, peak));
        let negated = |[x, y, z]: [f64; 3]| [-x, y, z];
        let frames = [
            (PeakFrame::Scanner, volume(peaks.iter().copied())),
            (PeakFrame::Image, volume(peaks.iter().copied().map(along_axes))),
            (PeakFrame::Fsl, volume(peaks.iter().copied().map(along_axes).map(negated))),
        ];
        for (right, image) in &frames {
            for stated in PeakFrame::ALL {
                let (axes, agreement) = Axes::from_peaks(image, stated, 0.1, &segments).unwrap();
                if stated == *right {
                    for (direction, peak) in axes.directions.iter().zip(&peaks) {
                        // Both directions are rounded to single precision.
                        assert!((0..3).all(|c| (f64::from(direction[c]) - peak[c]).abs() < 3e-7));
                    }
                    assert!(agreement.stated > 0.999 && agreement.problem().is_none(), "{agreement:?}");
                } else {
                    assert!(agreement.best > 0.999 && agreement.stated < 0.95, "{agreement:?}");
                    let warning = agreement.problem().unwrap();
                    assert!(warning.starts_with("streamlines agree") && !warning.contains('\n'));
                }
            }
        }
        let upside_down = volume(peaks.iter().map(|&[x, y, z]| [x, y, -z]));
        let (_, agreement) = Axes::from_peaks(&upside_down, PeakFrame::Scanner, 0.1, &segments).unwrap();
        assert_eq!((agreement.best_frame, agreement.best_flip), (PeakFrame::Scanner, Some(2)));
        assert!(agreement.problem().unwrap().contains("in scanner axes with the z component negated"));
    }

    #[test]
    fn peaks_do_not_depend_on_the_voxel_order() {
        let (segments, peaks) = bundles();
        // Reverses the first image axis.
        let old = grid();
        let rows = old.affine().rows();
        let turned = rows.map(|[x, y, z, t]| [-x, y, z, t + 5.0 * x]);
        let other = Grid::new(old.shape(), Affine::from_rows(turned).unwrap()).unwrap();
        let order = other.order_in(&old).unwrap();
        let along_axes = |peak: [f64; 3]| other.affine().axes().map(|axis| dot(axis, peak));
        let of = |values: Vec<[f64; 3]>| {
            Volume::new(other, 3, values.into_iter().flatten().map(|c| c as f32).collect()).unwrap()
        };
        let scanner = of(order.iter().map(|&voxel| peaks[voxel]).collect());
        let image = of(order.iter().map(|&voxel| along_axes(peaks[voxel])).collect());
        for (frame, image) in [(PeakFrame::Scanner, scanner), (PeakFrame::Image, image)] {
            let (axes, agreement) = Axes::from_peaks(&image, frame, 0.1, &segments).unwrap();
            assert!(agreement.stated > 0.999, "{frame}: {agreement:?}");
            for (direction, peak) in axes.directions.iter().zip(&peaks) {
                assert!((0..3).all(|c| (f64::from(direction[c]) - peak[c]).abs() < 3e-7), "{frame}");
            }
        }
    }

    #[test]
    fn eigenvector_images_are_rejected_as_peaks() {
        let (segments, peaks) = bundles();
        let triad = |peak: &[f64; 3]| {
            let [x, y, z] = *peak;
            let across = turn([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [-y, x, 0.0]);
            let third =
                [y * across[2] - z * across[1], z * across[0] - x * across[2], x * across[1] - y * across[0]];
            [*peak, across, third]
        };
        let of = |scale: f64| {
            let values = peaks.iter().flat_map(triad).flatten().map(|c| (scale * c) as f32).collect();
            Axes::from_peaks(&Volume::new(grid(), 9, values).unwrap(), PeakFrame::Scanner, 0.1, &segments)
        };
        let error = of(1.0).unwrap_err().to_string();
        assert!(error.starts_with("peaks: its voxels hold three unit vectors at right angles"), "{error}");
        assert!(of(0.5).is_ok(), "peaks of other lengths may cross at right angles");
    }

    #[test]
    fn short_zero_and_invalid_peaks_are_ignored() {
        let (segments, _) = bundles();
        let mut values = vec![0.0; grid().len() * 9];
        values[..9].copy_from_slice(&[0.0, 2.0, 0.0, 0.3, 0.0, 0.0, 0.0, 0.0, 0.1]);
        values[9..18].copy_from_slice(&[f32::NAN, 1.0, 1.0, f32::INFINITY, 0.0, 0.0, 0.0, 0.0, 1e-3]);
        let peaks = Volume::new(grid(), 9, values).unwrap();
        let (axes, _) = Axes::from_peaks(&peaks, PeakFrame::Scanner, 0.1, &segments).unwrap();
        assert_eq!((axes.voxels(), axes.len()), (segments.voxels().len(), 3));
        assert_eq!(axes.of_voxel(0), [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]);
        assert_eq!(axes.of_voxel(1), [[0.0, 0.0, 1.0]]);
    }

    #[test]
    fn peak_images_that_do_not_match_the_scan_are_rejected() {
        let (segments, peaks) = bundles();
        let image = volume(peaks.into_iter());
        let of = |image: &Volume<f32>, threshold| {
            Axes::from_peaks(image, PeakFrame::Scanner, threshold, &segments).map(|_| ())
        };
        assert!(of(&image, 0.1).is_ok());
        assert!(of(&image, 1.5).is_err() && of(&image, f64::NAN).is_err());
        for channels in [1, 4, 18] {
            let error = of(&Volume::filled(grid(), channels, 1.0), 0.1).unwrap_err();
            assert!(
                error.to_string().starts_with(&format!("peaks: the image has {channels} values per voxel"))
            );
        }
        let elsewhere = Grid::new([6, 6, 4], Affine::identity()).unwrap();
        assert!(of(&Volume::filled(elsewhere, 3, 1.0), 0.1).is_err());
        assert!(of(&Volume::filled(grid(), 3, 0.0), 0.1).is_err());
    }
}
