use arcuate_core::{Error, Point, Result, StreamlineBatch, Volume, statistics};
use rayon::prelude::*;

/// Method that interpolates an image between voxel centres.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Interpolation {
    /// Trilinear interpolation between the eight nearest voxel centres. Between the outermost voxel centres
    /// and the outer faces of the image, the value of the outermost voxel along the axis is used.
    #[default]
    Linear,
    /// The value of the voxel that contains the point.
    Nearest,
}

/// A statistic of the image values along a streamline. It is NaN if one of these values is NaN, or if the
/// streamline has no point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Statistic {
    /// Mean of the values, weighted by length. The weight of a point is half of the length of the two
    /// segments that meet in the point. If all segments have the length 0, all points have the same weight.
    Mean,
    /// Median of the values. If the number of points is even, it is the mean of the two central values.
    Median,
    /// Minimum of the values.
    Min,
    /// Maximum of the values.
    Max,
}

/// Samples an image at the points of streamlines.
#[derive(Debug, Clone, Copy)]
pub struct Sampler<'a> {
    image: &'a Volume<f32>,
    interpolation: Interpolation,
}

/// Values of an image along the streamlines of a batch.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Samples {
    /// The values: one value per point. If a statistic was computed, one value per streamline.
    pub values: Vec<f32>,
    /// Number of points outside the image. The value at these points is 0.
    pub outside: u64,
}

impl<'a> Sampler<'a> {
    /// Creates a sampler of an image. Returns an error if the image has several channels.
    pub fn new(image: &'a Volume<f32>, interpolation: Interpolation) -> Result<Self> {
        if image.channels() != 1 {
            let problem = format!("the image has {} values per voxel", image.channels());
            return Err(Error::invalid("image", problem, "give a 3-D image"));
        }
        Ok(Self { image, interpolation })
    }

    /// Returns the image value at a point (RAS mm), or `None` if the point is outside the image.
    pub fn at(&self, point: Point) -> Option<f32> {
        let grid = self.image.grid();
        let coordinates = grid.inverse().apply(point.map(f64::from));
        let voxel = grid.voxel_containing(coordinates)?;
        match self.interpolation {
            Interpolation::Nearest => Some(self.image.values()[voxel]),
            Interpolation::Linear => Some(self.image.trilinear(0, coordinates) as f32),
        }
    }

    /// Returns the image value at each point of the streamlines of a batch.
    pub fn points(&self, batch: StreamlineBatch<'_>) -> Samples {
        let found: Vec<Option<f32>> = batch.points().par_iter().map(|&point| self.at(point)).collect();
        let outside = found.iter().filter(|value| value.is_none()).count() as u64;
        Samples { values: found.into_iter().map(Option::unwrap_or_default).collect(), outside }
    }

    /// Returns, for each streamline of a batch, one statistic of the image values along the streamline.
    pub fn streamlines(&self, batch: StreamlineBatch<'_>, statistic: Statistic) -> Samples {
        let Samples { values, outside } = self.points(batch);
        let ends: Vec<u64> = batch.ends_from(0).collect();
        let values = (0..batch.len())
            .into_par_iter()
            .map(|n| {
                let first = n.checked_sub(1).map_or(0, |before| ends[before]) as usize;
                statistic.of(batch.streamline(n), &values[first..ends[n] as usize])
            })
            .collect();
        Samples { values, outside }
    }
}

impl Statistic {
    /// Returns the statistic of the image values at the points of one streamline.
    fn of(self, streamline: &[Point], values: &[f32]) -> f32 {
        if values.is_empty() || values.iter().any(|value| value.is_nan()) {
            return f32::NAN;
        }
        match self {
            Self::Mean => mean(streamline, values),
            Self::Median => statistics::median(&mut values.to_vec()).map_or(f32::NAN, |median| median as f32),
            Self::Min => values.iter().copied().fold(f32::INFINITY, f32::min),
            Self::Max => values.iter().copied().fold(f32::NEG_INFINITY, f32::max),
        }
    }
}

fn mean(streamline: &[Point], values: &[f32]) -> f32 {
    let (mut sum, mut whole) = (0.0, 0.0);
    for (pair, ends) in streamline.windows(2).zip(values.windows(2)) {
        let length = arcuate_core::length(pair);
        // A segment of length 0 contributes nothing to the mean, even if the image values at its ends are
        // infinite.
        if length > 0.0 {
            sum += length * 0.5 * (f64::from(ends[0]) + f64::from(ends[1]));
            whole += length;
        }
    }
    if whole > 0.0 {
        (sum / whole) as f32
    } else {
        (values.iter().map(|&value| f64::from(value)).sum::<f64>() / values.len() as f64) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::{Affine, Grid, Tractogram};

    fn oblique() -> Grid {
        let affine =
            Affine::from_rows([[-1.9, 0.3, 0.2, 9.0], [0.25, 1.8, -0.5, -6.0], [0.15, 0.45, 2.4, -8.0]]);
        Grid::new([7, 6, 5], affine.unwrap()).unwrap()
    }

    fn image(value: impl Fn([f64; 3]) -> f64) -> Volume<f32> {
        let grid = oblique();
        let values = (0..grid.len()).map(|v| value(grid.coordinates(v).map(|c| c as f64)) as f32).collect();
        Volume::new(grid, 1, values).unwrap()
    }

    fn point(voxel_coordinates: [f64; 3]) -> Point {
        oblique().affine().apply(voxel_coordinates).map(|c| c as f32)
    }

    #[test]
    fn trilinear_functions_are_reproduced() {
        let function = |[x, y, z]: [f64; 3]| 1.0 + 2.0 * x - y + 0.5 * z + 0.25 * x * y * z - 0.125 * y * z;
        let image = image(function);
        let linear = Sampler::new(&image, Interpolation::Linear).unwrap();
        let nearest = Sampler::new(&image, Interpolation::Nearest).unwrap();
        let mut inside = 0;
        for n in 0..2000 {
            // The test positions extend to one voxel beyond the outermost voxel centres. No position is on a
            // face of a voxel.
            let t = f64::from(n) + 0.0123;
            let at = [(t * 0.37) % 8.0 - 1.0, (t * 0.61) % 7.0 - 1.0, (t * 0.83) % 6.0 - 1.0];
            let within =
                (0..3).all(|axis| at[axis] > -0.5 && at[axis] < oblique().shape()[axis] as f64 - 0.5);
            let (a, b) = (linear.at(point(at)), nearest.at(point(at)));
            if !within {
                assert_eq!((a, b), (None, None), "{at:?}");
                continue;
            }
            inside += 1;
            let held = std::array::from_fn(|axis| at[axis].clamp(0.0, oblique().shape()[axis] as f64 - 1.0));
            // The points are in single precision, with errors of about 1e-6 of a voxel. The sampled function
            // has slopes of up to 10 per voxel.
            assert!((f64::from(a.unwrap()) - function(held)).abs() < 5e-5, "{at:?}");
            let rounded = held.map(f64::round);
            if (0..3).all(|axis| (at[axis] - at[axis].floor() - 0.5).abs() > 1e-5) {
                assert_eq!(b.unwrap(), function(rounded) as f32);
            }
        }
        assert!(inside > 500);
    }

    #[test]
    fn voxels_with_zero_weight_may_be_nan() {
        let mut image = image(|[x, _, _]| x);
        let hole = image.grid().index([3, 2, 2]);
        image.values_mut()[hole] = f32::NAN;
        let grid = Grid::new([7, 6, 5], Affine::identity()).unwrap();
        let image = Volume::new(grid, 1, image.into_values()).unwrap();
        let sampler = Sampler::new(&image, Interpolation::Linear).unwrap();
        assert_eq!(sampler.at([2.0, 2.0, 2.0]), Some(2.0));
        assert!(sampler.at([2.5, 2.0, 2.0]).unwrap().is_nan());
        assert_eq!(sampler.at([2.5, 3.0, 2.0]), Some(2.5));
    }

    #[test]
    fn statistics_of_known_values() {
        let line: [Point; 4] = [[0.0; 3], [1.0, 0.0, 0.0], [4.0, 0.0, 0.0], [4.0, 2.0, 0.0]];
        let values = [1.0, 2.0, 8.0, 4.0];
        // The segments have lengths of 1, 3 and 2 mm.
        let expected = (1.0 * 1.5 + 3.0 * 5.0 + 2.0 * 6.0) / 6.0;
        assert!((Statistic::Mean.of(&line, &values) - expected).abs() < 1e-6);
        assert_eq!(Statistic::Median.of(&line, &values), 3.0);
        assert_eq!(Statistic::Median.of(&line[..3], &values[..3]), 2.0);
        assert_eq!(Statistic::Min.of(&line, &values), 1.0);
        assert_eq!(Statistic::Max.of(&line, &values), 8.0);
        // The streamline of this test has only one point, or has a length of 0.
        assert_eq!(Statistic::Mean.of(&line[..1], &values[..1]), 1.0);
        assert_eq!(Statistic::Mean.of(&[[3.0; 3]; 2], &[1.0, 2.0]), 1.5);
        for statistic in [Statistic::Mean, Statistic::Median, Statistic::Min, Statistic::Max] {
            assert!(statistic.of(&[], &[]).is_nan());
            assert!(statistic.of(&line, &[1.0, f32::NAN, 2.0, 3.0]).is_nan());
        }
    }

    #[test]
    fn samples_do_not_depend_on_batches_and_threads_and_outside_points_are_counted() {
        let image = image(|[x, y, z]| (x * 1.3).sin() + y - z * z);
        let sampler = Sampler::new(&image, Interpolation::Linear).unwrap();
        let mut lines = Tractogram::new();
        for n in 0..500 {
            let t = f64::from(n);
            let points: Vec<Point> = (0..n % 9)
                .map(|k| point([(t * 0.37 + f64::from(k)) % 9.0 - 1.0, (t * 0.61) % 6.0, (t * 0.83) % 4.0]))
                .collect();
            lines.push(&points);
        }
        let batch = lines.as_batch();
        let whole = sampler.points(batch);
        assert_eq!(whole.values.len(), lines.positions().len());
        let outside = lines.positions().iter().filter(|p| image.grid().voxel_at(p.map(f64::from)).is_none());
        assert_eq!(whole.outside, outside.count() as u64);
        assert!(whole.outside > 0);
        let means = sampler.streamlines(batch, Statistic::Mean);
        // Compares the bits of the values, because the value of an empty streamline is NaN.
        let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let again = pool.install(|| sampler.streamlines(batch, Statistic::Mean));
            assert_eq!(bits(&again.values), bits(&means.values));
        }
        let (mut points, mut parts) = (Samples::default(), Samples::default());
        for range in [0..3, 3..3, 3..499, 499..500] {
            let part = sampler.points(batch.part(range.clone()));
            points.values.extend(part.values);
            points.outside += part.outside;
            parts.values.extend(sampler.streamlines(batch.part(range), Statistic::Mean).values);
        }
        assert_eq!(points, whole);
        assert_eq!(bits(&parts.values), bits(&means.values));
    }
}
