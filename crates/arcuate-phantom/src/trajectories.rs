//! Common k-space trajectories. The positions are wave numbers in cycles per field of view, one readout after
//! the other. For an image with n voxels along an axis, they range from −n/2 to n/2.

use arcuate_core::{Error, Result};
use std::f64::consts::{PI, TAU};

/// Angle between successive spokes: 180° divided by the golden ratio. With this angle, there are no large
/// gaps between spokes for any number of spokes (Winkelmann et al. 2007, doi:10.1109/TMI.2006.885337).
const GOLDEN_ANGLE: f64 = PI * 0.618_033_988_749_894_9;
/// The two-dimensional golden means. With them, spokes in space have no large gaps for any number of spokes
/// (Chan et al. 2009, doi:10.1002/mrm.21837).
const GOLDEN_MEANS: [f64; 2] = [0.465_571_231_876_768, 0.682_327_803_828_019_3];

/// The samples of a k-space trajectory in the order of acquisition.
#[derive(Debug, Clone, PartialEq)]
pub struct KSpacePath {
    /// k-space positions of the samples along x, y and z, in cycles per field of view.
    pub samples: Vec<[f64; 3]>,
    /// Number of samples in each readout.
    pub per_readout: usize,
}

/// A trajectory in k-space. `voxels` is the number of voxels along an axis of the image. The largest wave
/// number is half of this number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Trajectory {
    /// One readout for each row of the image. If `slices` is above 1, each slice has its own readouts. An
    /// inverse fast Fourier transform (FFT) reconstructs the image.
    Cartesian {
        /// Number of voxels along x, which is also the number along y.
        voxels: usize,
        /// Number of voxels along z.
        slices: usize,
    },
    /// Spokes through the centre of k-space in a plane. The angle between successive spokes is the golden
    /// angle.
    Radial {
        /// Number of voxels across the image.
        voxels: usize,
        /// Number of spokes, which are the readouts.
        spokes: usize,
        /// Number of samples in each readout.
        samples: usize,
    },
    /// Half spokes that start at the centre of k-space. The golden means distribute their directions evenly
    /// over the sphere.
    RadialInSpace {
        /// Number of voxels across the image.
        voxels: usize,
        /// Number of half spokes, which are the readouts.
        spokes: usize,
        /// Number of samples in each readout.
        samples: usize,
    },
    /// Archimedean spirals in a plane that start at the centre of k-space, at evenly spaced angles. If
    /// `slices` is above 1, they form a stack of planes.
    Spirals {
        /// Number of voxels across the image.
        voxels: usize,
        /// Number of voxels along z.
        slices: usize,
        /// Number of spirals per plane.
        interleaves: usize,
        /// Number of turns per spiral.
        turns: f64,
        /// Number of samples per spiral.
        samples: usize,
    },
    /// Spirals on cones about the z axis. All cones together fill a sphere in k-space.
    Cones {
        /// Number of voxels across the image.
        voxels: usize,
        /// Number of cones from pole to pole.
        cones: usize,
        /// Number of turns of the spiral on the cone at the equator. On the other cones, the number of turns
        /// is proportional to their circumference.
        turns: f64,
        /// Number of samples per cone.
        samples: usize,
    },
    /// A rosette: a curve of petals through the centre of k-space in a plane, k = k_max sin(ω₁t) e^(iω₂t)
    /// (Noll 1997, doi:10.1109/42.611345).
    Rosette {
        /// Number of voxels across the image.
        voxels: usize,
        /// Number of readouts, at evenly spaced angles.
        shots: usize,
        /// Number of petals per readout. A petal is half of a radial oscillation.
        petals: f64,
        /// Number of turns about the centre of k-space per readout.
        turns: f64,
        /// Number of samples in each readout.
        samples: usize,
    },
}

/// If a trajectory has this number of samples or more, it is refused, because it would exceed any memory.
const MOST: usize = 1 << 40;

impl Trajectory {
    /// Returns the number of readouts, and the number of samples in each readout.
    ///
    /// Returns an error if one of these numbers is 0, if a number of turns is not positive, or if there are
    /// 2⁴⁰ samples or more.
    pub fn counts(&self) -> Result<[usize; 2]> {
        let counted = |name: &str, count: usize| {
            if count > 0 {
                Ok(count)
            } else {
                Err(Error::usage(name, "0 make no trajectory", "give one or more"))
            }
        };
        let positive = |name: &str, number: f64| {
            if number > 0.0 && number.is_finite() {
                return Ok(());
            }
            Err(Error::usage(name, format!("the value {number} is not above 0"), "give a number above 0"))
        };
        let (voxels, readouts, samples) = match *self {
            Self::Cartesian { voxels, slices } => {
                (voxels, voxels.checked_mul(counted("‘slices’", slices)?), voxels)
            }
            Self::Radial { voxels, spokes, samples } | Self::RadialInSpace { voxels, spokes, samples } => {
                (voxels, Some(counted("‘spokes’", spokes)?), samples)
            }
            Self::Spirals { voxels, slices, interleaves, turns, samples } => {
                positive("‘turns’", turns)?;
                let (interleaves, slices) =
                    (counted("‘interleaves’", interleaves)?, counted("‘slices’", slices)?);
                (voxels, interleaves.checked_mul(slices), samples)
            }
            Self::Cones { voxels, cones, turns, samples } => {
                positive("‘turns’", turns)?;
                (voxels, Some(counted("‘cones’", cones)?), samples)
            }
            Self::Rosette { voxels, shots, petals, turns, samples } => {
                positive("‘petals’", petals)?;
                positive("‘turns’", turns)?;
                (voxels, Some(counted("‘shots’", shots)?), samples)
            }
        };
        counted("‘voxels’", voxels)?;
        counted("‘samples’", samples)?;
        let all = readouts.and_then(|readouts| readouts.checked_mul(samples));
        if let Some(readouts) = readouts.filter(|_| all.is_some_and(|all| all < MOST)) {
            return Ok([readouts, samples]);
        }
        let readouts = readouts.map_or("as many".to_owned(), |readouts| readouts.to_string());
        let problem = format!("{readouts} readouts of {samples} samples are not a possible scan");
        Err(Error::usage(
            "‘readouts’ and ‘samples’",
            problem,
            "give fewer readouts or samples, below 2⁴⁰ samples in total",
        ))
    }

    /// Returns all samples of the trajectory. Returns an error for the reasons that [`counts`](Self::counts)
    /// states.
    pub fn path(&self) -> Result<KSpacePath> {
        let [readouts, per_readout] = self.counts()?;
        let path = |sample: &dyn Fn(usize, usize) -> [f64; 3]| {
            let mut samples = Vec::with_capacity(readouts * per_readout);
            samples
                .extend((0..readouts).flat_map(|readout| (0..per_readout).map(move |n| sample(readout, n))));
            KSpacePath { samples, per_readout }
        };
        let edge = |voxels: usize| 0.5 * voxels as f64;
        Ok(match *self {
            Self::Cartesian { voxels, slices } => {
                let from_middle = |n: usize, count: usize| n as f64 - (count / 2) as f64;
                path(&|line, n| {
                    [
                        from_middle(n, voxels),
                        from_middle(line % voxels, voxels),
                        from_middle(line / voxels, slices),
                    ]
                })
            }
            Self::Radial { voxels, samples, .. } => {
                let edge = edge(voxels);
                path(&|spoke, n| {
                    let (sin, cos) = (spoke as f64 * GOLDEN_ANGLE).sin_cos();
                    // A spoke leads from one edge of k-space through the centre to the opposite edge. If the
                    // number of samples is even, one sample is at the centre.
                    let radius = edge * (2.0 * n as f64 / samples as f64 - 1.0);
                    [radius * cos, radius * sin, 0.0]
                })
            }
            Self::RadialInSpace { voxels, samples, .. } => {
                let edge = edge(voxels);
                path(&|spoke, n| {
                    let part = |mean: f64| (spoke as f64 * mean).fract();
                    let height = 2.0 * part(GOLDEN_MEANS[0]) - 1.0;
                    let (sin, cos) = (TAU * part(GOLDEN_MEANS[1])).sin_cos();
                    let across = (1.0 - height * height).sqrt();
                    let radius = edge * n as f64 / samples as f64;
                    [radius * across * cos, radius * across * sin, radius * height]
                })
            }
            Self::Spirals { voxels, slices, interleaves, turns, samples } => {
                let edge = edge(voxels);
                path(&|readout, n| {
                    // The radius of a sample is proportional to the square root of the sample's index. The
                    // samples therefore have a constant density from the centre of k-space to its edge.
                    let radius = (n as f64 / samples as f64).sqrt();
                    let first = (readout % interleaves) as f64 / interleaves as f64;
                    let (sin, cos) = (TAU * (turns * radius + first)).sin_cos();
                    let height = (readout / interleaves) as f64 - (slices / 2) as f64;
                    [edge * radius * cos, edge * radius * sin, height]
                })
            }
            Self::Cones { voxels, cones, turns, samples } => {
                let edge = edge(voxels);
                path(&|cone, n| {
                    let polar = PI * (cone as f64 + 0.5) / cones as f64;
                    let radius = n as f64 / samples as f64;
                    let around = TAU * turns * polar.sin() * radius + cone as f64 * GOLDEN_ANGLE;
                    let (sin, cos) = around.sin_cos();
                    let across = edge * radius * polar.sin();
                    [across * cos, across * sin, edge * radius * polar.cos()]
                })
            }
            Self::Rosette { voxels, shots, petals, turns, samples } => {
                let edge = edge(voxels);
                path(&|shot, n| {
                    let time = n as f64 / samples as f64;
                    let radius = edge * (PI * petals * time).sin();
                    let (sin, cos) = (TAU * (turns * time + shot as f64 / shots as f64)).sin_cos();
                    [radius * cos, radius * sin, 0.0]
                })
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_numbers::vector3::norm as length;

    #[test]
    fn trajectories_reach_the_border_of_k_space_and_stay_inside() {
        let voxels = 64;
        for (trajectory, readouts, per_readout) in [
            (Trajectory::Radial { voxels, spokes: 50, samples: 128 }, 50, 128),
            (Trajectory::RadialInSpace { voxels, spokes: 400, samples: 64 }, 400, 64),
            (Trajectory::Spirals { voxels, slices: 1, interleaves: 8, turns: 9.0, samples: 700 }, 8, 700),
            (Trajectory::Cones { voxels, cones: 64, turns: 12.0, samples: 500 }, 64, 500),
            (Trajectory::Rosette { voxels, shots: 5, petals: 9.0, turns: 4.0, samples: 1001 }, 5, 1001),
        ] {
            let path = trajectory.path().unwrap();
            assert_eq!((path.samples.len(), path.per_readout), (readouts * per_readout, per_readout));
            let furthest = path.samples.iter().map(|&k| length(k)).fold(0.0, f64::max);
            assert!(furthest <= 32.0 + 1e-9 && furthest > 31.4, "{trajectory:?} {furthest}");
            let nearest = path.samples.iter().map(|&k| length(k)).fold(f64::INFINITY, f64::min);
            assert!(nearest < 0.1, "{trajectory:?} {nearest}");
            // Along each axis, the mean of all positions is near the centre of k-space.
            for axis in 0..3 {
                let mean = path.samples.iter().map(|k| k[axis]).sum::<f64>() / path.samples.len() as f64;
                assert!(mean.abs() < 0.6, "{trajectory:?} {mean}");
            }
        }
    }

    #[test]
    fn cartesian_lines_sample_each_wave_number_once() {
        let path = Trajectory::Cartesian { voxels: 6, slices: 3 }.path().unwrap();
        assert_eq!(
            (path.samples[0], path.samples[107], path.per_readout),
            ([-3.0, -3.0, -1.0], [2.0, 2.0, 1.0], 6)
        );
        let mut numbers: Vec<[i32; 3]> = path.samples.iter().map(|k| k.map(|c| c as i32)).collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), 108);
    }

    #[test]
    fn radial_directions_cover_the_circle_and_the_sphere() {
        let spokes = 34;
        let path = Trajectory::Radial { voxels: 8, spokes, samples: 2 }.path().unwrap();
        let mut angles: Vec<f64> =
            path.samples.iter().step_by(2).map(|k| k[1].atan2(k[0]).rem_euclid(PI)).collect();
        angles.sort_by(f64::total_cmp);
        let gaps = angles.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max);
        assert!(gaps < 1.75 * PI / spokes as f64, "{gaps}");
        let path = Trajectory::RadialInSpace { voxels: 8, spokes: 500, samples: 2 }.path().unwrap();
        let ends: Vec<[f64; 3]> =
            path.samples.iter().skip(1).step_by(2).map(|k| k.map(|c| c / 2.0)).collect();
        for towards in [[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0], [0.6, 0.48, -0.64]] {
            let nearest =
                ends.iter().map(|k| (0..3).map(|n| k[n] * towards[n]).sum::<f64>()).fold(-1.0, f64::max);
            assert!(nearest.acos() < 0.2, "{towards:?} {nearest}");
        }
    }

    #[test]
    fn spiral_turns_have_constant_spacing() {
        // The 8 spirals have 9 turns each, up to the wave number 32. Neighbouring turns are therefore 32 / 72
        // cycles per field of view apart.
        let spirals =
            Trajectory::Spirals { voxels: 64, slices: 2, interleaves: 8, turns: 9.0, samples: 4000 };
        let path = spirals.path().unwrap();
        let on_axis: Vec<f64> = path
            .samples
            .windows(2)
            .filter(|pair| pair[0][2] == -1.0 && pair[1][2] == -1.0)
            .filter(|pair| pair[0][1] < 0.0 && pair[1][1] >= 0.0 && pair[1][0] > 1.0)
            .map(|pair| pair[1][0])
            .collect();
        let mut sorted = on_axis;
        sorted.sort_by(f64::total_cmp);
        assert!(sorted.len() > 60, "{}", sorted.len());
        assert!(sorted.windows(2).all(|pair| (pair[1] - pair[0] - 32.0 / 72.0).abs() < 0.05), "{sorted:?}");
    }

    #[test]
    fn empty_and_oversized_trajectories_are_rejected() {
        for (trajectory, message) in [
            (
                Trajectory::Cartesian { voxels: 0, slices: 1 },
                "‘voxels’: 0 make no trajectory; give one or more",
            ),
            (
                Trajectory::Radial { voxels: 8, spokes: 0, samples: 8 },
                "‘spokes’: 0 make no trajectory; give one or more",
            ),
            (
                Trajectory::Cones { voxels: 8, cones: 3, turns: f64::NAN, samples: 8 },
                "‘turns’: the value NaN is not above 0; give a number above 0",
            ),
            (
                Trajectory::Rosette { voxels: 8, shots: 3, petals: -1.0, turns: 1.0, samples: 0 },
                "‘petals’: the value -1 is not above 0; give a number above 0",
            ),
            (
                Trajectory::Radial { voxels: 8, spokes: 3, samples: usize::MAX },
                "‘readouts’ and ‘samples’: 3 readouts of 18446744073709551615 samples are not a possible \
                 scan; give fewer readouts or samples, below 2⁴⁰ samples in total",
            ),
            (
                Trajectory::Cartesian { voxels: usize::MAX, slices: 2 },
                "‘readouts’ and ‘samples’: as many readouts of 18446744073709551615 samples are not a \
                 possible scan; give fewer readouts or samples, below 2⁴⁰ samples in total",
            ),
        ] {
            assert_eq!(trajectory.path().unwrap_err().to_string(), message);
        }
    }
}
