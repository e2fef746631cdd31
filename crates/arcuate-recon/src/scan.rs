use crate::{CoilMaps, Element, Shape, Weights};
use arcuate_core::{Error, Result};
use std::sync::Arc;

/// What was measured: samples of k-space along a trajectory, by one coil or several.
#[derive(Debug, Clone)]
pub struct Scan<T> {
    shape: Shape,
    samples: Arc<[[f64; 3]]>,
    channels: usize,
    data: Vec<T>,
    weights: Option<Weights>,
    maps: Option<CoilMaps<T>>,
}

impl<T: Element> Scan<T> {
    /// An image of `shape` measured at `samples`, in cycles per field of view; `data` are complex numbers as interleaved reals,
    /// coil after coil.
    ///
    /// Fails where data and trajectory are not of as many samples, where one is not finite, and where all data are 0.
    pub fn new(shape: Shape, samples: impl Into<Arc<[[f64; 3]]>>, data: Vec<T>) -> Result<Self> {
        let samples = samples.into();
        let invalid = |problem: String, advice: &str| Err(Error::invalid("k-space", problem, advice));
        let of_one = 2 * samples.len();
        if of_one == 0 || data.is_empty() || !data.len().is_multiple_of(of_one) {
            let problem = format!("it has {} samples, the trajectory {}", data.len() / 2, samples.len());
            return invalid(problem, "give the trajectory that was measured along");
        }
        if let Some(n) = data.iter().position(|value| !value.is_finite()) {
            let n = n / 2;
            let problem =
                format!("sample {} of channel {} is not finite", n % samples.len(), n / samples.len());
            return invalid(problem, "leave it out, or mend the file");
        }
        if data.iter().all(T::is_zero) {
            return invalid("all its samples are 0".to_owned(), "give data that were measured");
        }
        let channels = data.len() / of_one;
        Ok(Self { shape, samples, channels, data, weights: None, maps: None })
    }

    /// The same with sensitivities of its coils.
    ///
    /// Fails where there are not as many maps as channels.
    pub fn with_coils(self, maps: CoilMaps<T>) -> Result<Self> {
        if maps.coils() != self.channels {
            let problem =
                format!("{} maps are not of the {} channels of k-space", maps.coils(), self.channels);
            return Err(Error::invalid("coil sensitivities", problem, "give one map for each channel"));
        }
        Ok(Self { maps: Some(maps), ..self })
    }

    /// The same where each sample has a weight w: data are w F ρ.
    ///
    /// Fails where there are not as many weights as samples.
    pub fn with_weights(self, weights: Weights) -> Result<Self> {
        if weights.values().len() != self.samples.len() {
            let (weights, samples) = (weights.values().len(), self.samples.len());
            let problem = format!("{weights} weights are not of the {samples} samples of the trajectory");
            return Err(Error::invalid("sample weights", problem, "give one weight for each sample"));
        }
        Ok(Self { weights: Some(weights), ..self })
    }

    /// The image's size.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Where samples lie, in cycles per field of view.
    pub fn samples(&self) -> &Arc<[[f64; 3]]> {
        &self.samples
    }

    /// Coils, or whatever else data come in.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// The data, coil after coil.
    pub fn data(&self) -> &[T] {
        &self.data
    }

    /// The data of each channel.
    pub fn of_channels(&self) -> std::slice::ChunksExact<'_, T> {
        self.data.chunks_exact(2 * self.samples.len())
    }

    /// What sensitivities and weights of samples make FᴴF larger by: the mean of Σ_c |S_c|² where a coil sees anything, times
    /// that of |w|².
    pub fn gain(&self) -> f64 {
        let of_weights = self
            .weights
            .as_ref()
            .map_or(1.0, |weights| weights.squares().sum::<f64>() / weights.values().len() as f64);
        self.maps.as_ref().map_or(1.0, CoilMaps::mean_square) * of_weights
    }

    /// Weights of samples, where there are some.
    pub fn weights(&self) -> Option<&Weights> {
        self.weights.as_ref()
    }

    /// Sensitivities of the coils, where they are known.
    pub fn maps(&self) -> Option<&CoilMaps<T>> {
        self.maps.as_ref()
    }
}

/// In what a trajectory is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrajectoryUnit {
    /// Cycles per field of view, −n/2 to n/2 for n voxels, as BART has them.
    FieldOfView,
    /// Cycles per voxel, −½ to ½.
    Voxel,
    /// Radians per voxel, −π to π.
    Radian,
    /// Cycles per metre.
    PerMetre,
}

/// How far beyond the grid's last wave number samples may lie: rounding, and trajectories as they were measured.
const BEYOND: f64 = 1.02;

/// Brings a trajectory to cycles per field of view; `field_of_view_mm` is needed for those in cycles per metre.
///
/// # Panics
/// Where it is needed and not given.
pub fn to_cycles(
    samples: &mut [[f64; 3]],
    unit: TrajectoryUnit,
    shape: Shape,
    field_of_view_mm: Option<[f64; 3]>,
) {
    let factor = |axis: usize| match unit {
        TrajectoryUnit::FieldOfView => 1.0,
        TrajectoryUnit::Voxel => shape.lengths()[axis] as f64,
        TrajectoryUnit::Radian => shape.lengths()[axis] as f64 / std::f64::consts::TAU,
        TrajectoryUnit::PerMetre => field_of_view_mm.expect("a field of view")[axis] * 1e-3,
    };
    let factors = [0, 1, 2].map(factor);
    for k in samples {
        for axis in 0..3 {
            k[axis] *= factors[axis];
        }
    }
}

/// Fails where a trajectory in cycles per field of view is not that of an image of this size: where it goes beyond the grid's
/// wave numbers, or, unless its unit was `stated`, stays so far within them that it is in another unit; names the likely one.
pub fn check_range(samples: &[[f64; 3]], shape: Shape, stated: bool) -> Result<()> {
    let refuse = |problem: String, advice: String| Err(Error::invalid("trajectory", problem, advice));
    let furthest = reach(samples);
    for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
        let (n, reach) = (shape.lengths()[axis], furthest[axis]);
        if reach > BEYOND * n as f64 / 2.0 + 0.5 {
            let problem = format!(
                "along {name} it reaches {reach:.4} cycles per field of view, but {n} voxels have up to {}",
                n as f64 / 2.0
            );
            let needed = 2.0 * reach.ceil();
            let advice = format!(
                "give the image's --size ({needed} voxels there), or, where the trajectory is in 1/m, \
                 --trajectory-unit per-metre with --fov"
            );
            return refuse(problem, advice);
        }
    }
    if stated {
        return Ok(());
    }
    let largest = furthest.iter().copied().fold(0.0, f64::max);
    let edge = shape.lengths().iter().copied().max().unwrap_or(1) as f64 / 2.0;
    if largest == 0.0 {
        return refuse(
            "all its samples are in the middle".to_owned(),
            "give the places of samples".to_owned(),
        );
    }
    let likely = if largest <= 0.5 * BEYOND && edge > 1.0 {
        Some(("cycles", "voxel"))
    } else if largest <= std::f64::consts::PI * BEYOND && edge > 2.0 * std::f64::consts::PI {
        Some(("radians", "radian"))
    } else {
        None
    };
    match likely {
        None => Ok(()),
        Some((name, unit)) => refuse(
            format!(
                "it reaches {largest:.4}, which are {name} per voxel rather than cycles per field of view, up to {edge}"
            ),
            format!("say --trajectory-unit {unit}, or --trajectory-unit fov if it is as it should be"),
        ),
    }
}

/// The largest wave number along each axis.
pub fn reach(samples: &[[f64; 3]]) -> [f64; 3] {
    samples.iter().fold([0.0; 3], |reach, k| std::array::from_fn(|axis| reach[axis].max(k[axis].abs())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(reach: f64) -> Vec<[f64; 3]> {
        (0..9).map(|n| [reach * (f64::from(n) / 4.0 - 1.0), 0.25 * reach, 0.0]).collect()
    }

    #[test]
    fn scans_that_cannot_be_are_one_line() {
        let shape = Shape::new([8, 8, 1]).unwrap();
        let message = |data: Vec<f32>| Scan::new(shape, line(4.0), data).unwrap_err().to_string();
        for (data, expected) in [
            (
                vec![1.0; 20],
                "k-space: it has 10 samples, the trajectory 9; give the trajectory that was measured along",
            ),
            (
                vec![],
                "k-space: it has 0 samples, the trajectory 9; give the trajectory that was measured along",
            ),
            (vec![0.0; 36], "k-space: all its samples are 0; give data that were measured"),
        ] {
            assert_eq!(message(data), expected);
        }
        let mut spoilt = vec![1.0; 36];
        spoilt[23] = f32::NAN;
        assert_eq!(
            message(spoilt),
            "k-space: sample 2 of channel 1 is not finite; leave it out, or mend the file"
        );
        let scan = Scan::new(shape, line(4.0), vec![1.0f32; 36]).unwrap();
        assert_eq!((scan.channels(), scan.of_channels().count()), (2, 2));
        let maps = CoilMaps::new(shape, vec![1.0; 3 * 128]).unwrap();
        assert_eq!(
            scan.clone().with_coils(maps).unwrap_err().to_string(),
            "coil sensitivities: 3 maps are not of the 2 channels of k-space; give one map for each channel"
        );
        let weights = Weights::new(vec![[1.0, 0.0]; 8]).unwrap();
        assert_eq!(
            scan.with_weights(weights).unwrap_err().to_string(),
            "sample weights: 8 weights are not of the 9 samples of the trajectory; give one weight for each sample"
        );
    }

    #[test]
    fn units_are_told_by_their_range_and_undone() {
        let shape = Shape::new([64, 32, 1]).unwrap();
        let check = |reach: f64, stated: bool| {
            check_range(&line(reach), shape, stated).map_err(|error| error.to_string())
        };
        for (reach, stated) in [(32.0, false), (32.3, false), (5.0, false), (0.5, true), (3.1, true)] {
            assert_eq!(check(reach, stated), Ok(()), "{reach}");
        }
        assert_eq!(
            check(0.5, false).unwrap_err(),
            "trajectory: it reaches 0.5000, which are cycles per voxel rather than cycles per field of view, up to 32; say \
             --trajectory-unit voxel, or --trajectory-unit fov if it is as it should be"
        );
        assert!(check(3.1, false).unwrap_err().contains("say --trajectory-unit radian"));
        assert_eq!(
            check(160.0, true).unwrap_err(),
            "trajectory: along x it reaches 160.0000 cycles per field of view, but 64 voxels have up to 32; give the image's \
             --size (320 voxels there), or, where the trajectory is in 1/m, --trajectory-unit per-metre with --fov"
        );
        assert!(check(0.0, false).unwrap_err().contains("all its samples are in the middle"));
        let expected = [32.0, 8.0, 0.0];
        for (given, unit) in [
            ([32.0, 8.0, 0.0], TrajectoryUnit::FieldOfView),
            ([0.5, 0.25, 0.0], TrajectoryUnit::Voxel),
            ([std::f64::consts::PI, std::f64::consts::FRAC_PI_2, 0.0], TrajectoryUnit::Radian),
            ([160.0, 20.0, 0.0], TrajectoryUnit::PerMetre),
        ] {
            let mut places = [given];
            to_cycles(&mut places, unit, shape, Some([200.0, 400.0, 5.0]));
            assert!((0..3).all(|n| (places[0][n] - expected[n]).abs() < 1e-12), "{unit:?} {places:?}");
        }
    }
}
