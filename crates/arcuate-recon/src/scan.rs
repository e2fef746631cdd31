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
    /// What sensitivities and weights were multiplied with, together.
    scale: f64,
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
        Ok(Self { shape, samples, channels, data, weights: None, maps: None, scale: 1.0 })
    }

    /// The same with sensitivities of its coils, however large: they are kept in a scale in which their squares have room.
    ///
    /// Fails where there are not as many maps as channels.
    pub fn with_coils(self, maps: CoilMaps<T>) -> Result<Self> {
        if maps.coils() != self.channels {
            let problem =
                format!("{} maps are not of the {} channels of k-space", maps.coils(), self.channels);
            return Err(Error::invalid("coil sensitivities", problem, "give one map for each channel"));
        }
        let (maps, scale) = maps.scaled();
        Ok(Self { maps: Some(maps), scale: self.scale * scale, ..self })
    }

    /// The same where each sample has a weight w: data are w F ρ. They are kept in a scale of their own, as sensitivities are.
    ///
    /// Fails where there are not as many weights as samples.
    pub fn with_weights(self, weights: Weights) -> Result<Self> {
        if weights.values().len() != self.samples.len() {
            let (weights, samples) = (weights.values().len(), self.samples.len());
            let problem = format!("{weights} weights are not of the {samples} samples of the trajectory");
            return Err(Error::invalid("sample weights", problem, "give one weight for each sample"));
        }
        let (weights, scale) = weights.scaled();
        Ok(Self { weights: Some(weights), scale: self.scale * scale, ..self })
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

    /// How far from the middle of k-space the energy of the data, less their weights, lies: its root mean square wave number over
    /// that of all samples. What is an image has most of it near the middle; about 1 is what noise has, and data whose samples
    /// are not the trajectory's. 0 where all samples are in the middle.
    pub fn spread(&self) -> f64 {
        let squares: Vec<f64> = self.samples.iter().map(|k| k.iter().map(|c| c * c).sum()).collect();
        let mut parts = vec![1.0; squares.len()];
        if let Some(weights) = &self.weights {
            let of_weights = weights.squares().map(|square| if square > 0.0 { 1.0 / square } else { 0.0 });
            parts.iter_mut().zip(of_weights).for_each(|(part, of_weight)| *part = of_weight);
        }
        let (mut energy, mut moment) = (0.0, 0.0);
        for of_channel in self.of_channels() {
            for ((value, square), part) in of_channel.chunks_exact(2).zip(&squares).zip(&parts) {
                let of_sample = part * (value[0].double().powi(2) + value[1].double().powi(2));
                energy += of_sample;
                moment += of_sample * square;
            }
        }
        let all = squares.iter().sum::<f64>() / squares.len() as f64;
        if all > 0.0 && energy > 0.0 { (moment / energy / all).sqrt() } else { 0.0 }
    }

    /// What an image computed with [`maps`](Self::maps) and [`weights`](Self::weights) is to be multiplied with to be that of
    /// those that were given.
    pub(crate) fn scale(&self) -> f64 {
        self.scale
    }

    /// What sensitivities and weights of samples make FᴴF larger by, in the scale in which they are kept: the mean of
    /// Σ_c |S_c|² where a coil sees anything, times that of |w|².
    pub fn gain(&self) -> f64 {
        let of_weights = self
            .weights
            .as_ref()
            .map_or(1.0, |weights| weights.squares().sum::<f64>() / weights.values().len() as f64);
        self.maps.as_ref().map_or(1.0, CoilMaps::mean_square) * of_weights
    }

    /// Weights of samples, where there are some, in the scale in which they are kept.
    pub fn weights(&self) -> Option<&Weights> {
        self.weights.as_ref()
    }

    /// Sensitivities of the coils, where they are known, in the scale in which they are kept.
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

impl TrajectoryUnit {
    /// In words, as `cycles per voxel`.
    pub fn words(self) -> &'static str {
        match self {
            Self::FieldOfView => "cycles per field of view",
            Self::Voxel => "cycles per voxel",
            Self::Radian => "radians per voxel",
            Self::PerMetre => "cycles per metre",
        }
    }

    /// What a wave number is to be multiplied with to be in cycles per field of view, along an axis of `voxels`, `length` mm long.
    ///
    /// # Panics
    /// Where the length is needed and not given.
    pub fn factor(self, voxels: usize, length: Option<f64>) -> f64 {
        match self {
            Self::FieldOfView => 1.0,
            Self::Voxel => voxels as f64,
            Self::Radian => voxels as f64 / std::f64::consts::TAU,
            Self::PerMetre => length.expect("a field of view") * 1e-3,
        }
    }
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
    let factors = [0, 1, 2]
        .map(|axis| unit.factor(shape.lengths()[axis], field_of_view_mm.map(|lengths| lengths[axis])));
    for k in samples {
        for axis in 0..3 {
            k[axis] *= factors[axis];
        }
    }
}

/// Fails where a trajectory that was brought to cycles per field of view, from the unit that was `stated`, is not that of an image
/// of this size: where it goes beyond the grid's wave numbers, or, unless its unit was stated, stays so far within them that it
/// may well be in another unit. That its range alone does not decide which, the error says.
pub fn check_range(samples: &[[f64; 3]], shape: Shape, stated: Option<TrajectoryUnit>) -> Result<()> {
    let refuse = |problem: String, advice: String| Err(Error::invalid("trajectory", problem, advice));
    let furthest = reach(samples);
    for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
        let (n, reach) = (shape.lengths()[axis], furthest[axis]);
        if reach <= BEYOND * n as f64 / 2.0 + 0.5 {
            continue;
        }
        if let Some(unit @ (TrajectoryUnit::Voxel | TrajectoryUnit::Radian)) = stated {
            let factor = unit.factor(n, None);
            let problem = format!(
                "along {name} it reaches {:.4}, but {} go up to {:.4}",
                reach / factor,
                unit.words(),
                n as f64 / 2.0 / factor
            );
            return refuse(problem, "say with ‘trajectory_unit’ what it is in".to_owned());
        }
        let problem = format!(
            "along {name} it reaches {reach:.4} cycles per field of view, but {n} voxels have up to {}",
            n as f64 / 2.0
        );
        let needed = 2.0 * reach.ceil();
        let advice = format!(
            "give the image's ‘size’ ({needed} voxels there), or, where the trajectory is in 1/m, \
             ‘trajectory_unit’ per-metre with ‘fov’"
        );
        return refuse(problem, advice);
    }
    if stated.is_some() {
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
    let is_small = |limit: f64| largest <= limit * BEYOND && edge > 2.0 * limit;
    if is_small(0.5) || is_small(std::f64::consts::PI) {
        let problem = format!(
            "its largest wave number is {largest:.4}, where k-space ends at {edge} cycles per field of view, 0.5 cycles per \
             voxel, or {:.4} radians per voxel",
            std::f64::consts::PI
        );
        let advice = format!(
            "say with ‘trajectory_unit’ which it is in, fov, voxel or radian; if 1 stands for the edge, multiply it with {edge} \
             first"
        );
        return refuse(problem, advice);
    }
    Ok(())
}

/// How much of the way to the edge of an image's k-space a trajectory in cycles per field of view goes, along the axis along
/// which that is most.
pub fn coverage(samples: &[[f64; 3]], shape: Shape) -> f64 {
    let (furthest, lengths) = (reach(samples), shape.lengths());
    let of_axes = (0..3).filter(|&axis| lengths[axis] > 1);
    // An image of one voxel needs no more than the middle.
    of_axes.map(|axis| 2.0 * furthest[axis] / lengths[axis] as f64).reduce(f64::max).unwrap_or(1.0)
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
        // Energy in the middle, everywhere, and at the ends alone; a weight of 0 takes its sample out.
        let scan_of = |value: &dyn Fn(usize) -> f32| {
            let data = (0..36).map(|n| value(n / 2 % 9)).collect();
            Scan::new(shape, line(4.0), data).unwrap()
        };
        assert!((scan_of(&|_| 1.0).spread() - 1.0).abs() < 1e-12);
        assert!(scan_of(&|n| f32::from(n == 4)).spread() < 0.5);
        let ends = scan_of(&|n| f32::from(n % 8 == 0));
        assert!(ends.spread() > 1.3);
        let weights = (0..9).map(|n| [f64::from(n == 4), 0.0]).collect::<Vec<_>>();
        assert_eq!(ends.with_weights(Weights::new(weights).unwrap()).unwrap().spread(), 0.0);
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
            let stated = stated.then_some(TrajectoryUnit::FieldOfView);
            check_range(&line(reach), shape, stated).map_err(|error| error.to_string())
        };
        for (reach, stated) in [(32.0, false), (32.3, false), (5.0, false), (0.5, true), (3.1, true)] {
            assert_eq!(check(reach, stated), Ok(()), "{reach}");
        }
        for reach in [0.05, 0.5, 1.0, 3.1] {
            assert_eq!(
                check(reach, false).unwrap_err(),
                format!(
                    "trajectory: its largest wave number is {reach:.4}, where k-space ends at 32 cycles per field of view, 0.5 \
                     cycles per voxel, or 3.1416 radians per voxel; say with ‘trajectory_unit’ which it is in, fov, voxel or \
                     radian; if 1 stands for the edge, multiply it with 32 first"
                )
            );
        }
        // What a stated unit cannot be, in that unit.
        let mut places = line(1.0);
        to_cycles(&mut places, TrajectoryUnit::Voxel, shape, None);
        assert_eq!(
            check_range(&places, shape, Some(TrajectoryUnit::Voxel)).unwrap_err().to_string(),
            "trajectory: along x it reaches 1.0000, but cycles per voxel go up to 0.5000; say with ‘trajectory_unit’ what it is in"
        );
        assert_eq!(coverage(&line(8.0), shape), 0.25);
        assert_eq!(coverage(&[[1.0, 15.0, 40.0]], shape), 15.0 / 16.0);
        assert_eq!(
            check(160.0, true).unwrap_err(),
            "trajectory: along x it reaches 160.0000 cycles per field of view, but 64 voxels have up to 32; give the image's \
             ‘size’ (320 voxels there), or, where the trajectory is in 1/m, ‘trajectory_unit’ per-metre with ‘fov’"
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
