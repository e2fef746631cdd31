//! Finds outlier measurements: measurements that are less similar to the other measurements of their shell
//! than usual.

use arcuate_core::{Mask, Volume, statistics};
use rayon::prelude::*;

/// Minimum number of tissue voxels, and minimum number of image blocks, over which a correlation is computed.
/// With fewer, noise would affect the correlation.
const ENOUGH_OF_TISSUE: usize = 300;
const ENOUGH_BLOCKS: usize = 60;
/// Edge length of an image block, in voxels. The mean of the 64 voxels of a block has an eighth of the noise
/// of a voxel.
const EDGE: usize = 4;
/// Minimum difference between the median correlation of a shell's measurements and the correlation of an
/// outlier. The difference must also exceed [`FAR`] robust standard deviations.
const MIN_DIFFERENCE: f64 = 0.08;
/// Minimum distance of an outlier's value from the median over its shell, in robust standard deviations.
pub(crate) const FAR: f64 = 6.0;
/// Factor that converts the median absolute deviation of normally distributed numbers to their standard
/// deviation.
const OF_A_NORMAL: f64 = 1.4826;

/// A measurement that differs from the other measurements of its shell.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct UnlikeVolume {
    /// Index of the measurement, from 0.
    pub measurement: usize,
    /// Correlation of the measurement with the mean of the other measurements in the shell. The correlation
    /// is over all voxels of tissue. If the measurement is no outlier by this correlation, the correlation is
    /// over blocks of the image.
    pub correlation: f64,
    /// The median over the shell of the correlation between a measurement and the mean of the other
    /// measurements.
    pub usual: f64,
}

/// Finds measurements of a shell whose correlation with the mean of the other measurements is much lower than
/// the median correlation.
///
/// The correlation over tissue voxels shows small head motion if the signal exceeds the noise. The
/// correlation over the mean signals of blocks of 4 × 4 × 4 voxels of the whole image also shows large motion
/// in noisy data. The reason is that the head is brighter than the noise around it.
pub(crate) fn unlike_volumes(dwi: &Volume<f32>, tissue: &Mask, shell: &[usize]) -> Vec<UnlikeVolume> {
    let mut unlike = outliers(&sums_of_tissue(dwi, tissue, shell), shell, ENOUGH_OF_TISSUE);
    let by_blocks = outliers(&sums_of_blocks(dwi, shell), shell, ENOUGH_BLOCKS);
    let found: Vec<usize> = unlike.iter().map(|volume| volume.measurement).collect();
    unlike.extend(by_blocks.into_iter().filter(|volume| !found.contains(&volume.measurement)));
    unlike
}

fn outliers(sums: &Sums, shell: &[usize], least_count: usize) -> Vec<UnlikeVolume> {
    if sums.count < least_count as f64 {
        return Vec::new();
    }
    let correlations = sums.correlations();
    let finite = correlations.iter().copied().filter(|c| c.is_finite());
    let Some(usual) = median(finite.clone()) else { return Vec::new() };
    let least = usual - MIN_DIFFERENCE.max(FAR * spread(finite));
    let unlike = shell.iter().zip(correlations).filter(|(_, c)| *c < least);
    unlike.map(|(&measurement, correlation)| UnlikeVolume { measurement, correlation, usual }).collect()
}

/// Sums over the voxels or blocks of an image. The correlation of each measurement with the mean of the other
/// measurements is computed from these sums.
struct Sums {
    /// For each measurement, three sums over voxels or blocks: of its values, of their squares, and of their
    /// products with the total of all measurements.
    of_each: Vec<[f64; 3]>,
    /// The sum over voxels or blocks of the total of all measurements (`all`), and the sum of the square of
    /// this total (`all_squared`).
    all: f64,
    all_squared: f64,
    /// The number of voxels or blocks.
    count: f64,
}

impl Sums {
    fn new(measurements: usize) -> Self {
        Self { of_each: vec![[0.0; 3]; measurements], all: 0.0, all_squared: 0.0, count: 0.0 }
    }

    /// Adds one voxel or block to the sums. `values` has one value per measurement.
    fn add(&mut self, values: impl Iterator<Item = f64> + Clone) {
        let all = values.clone().fold(0.0, |sum, value| sum + value);
        for (sums, value) in self.of_each.iter_mut().zip(values) {
            sums[0] += value;
            sums[1] += value * value;
            sums[2] += value * all;
        }
        self.all += all;
        self.all_squared += all * all;
        self.count += 1.0;
    }

    /// Adds up the sums of several parts of the image, in the order of the parts.
    fn of_parts(measurements: usize, parts: Vec<Self>) -> Self {
        parts.into_iter().fold(Self::new(measurements), |mut sums, part| {
            for (sums, part) in sums.of_each.iter_mut().zip(part.of_each) {
                (0..3).for_each(|n| sums[n] += part[n]);
            }
            sums.all += part.all;
            sums.all_squared += part.all_squared;
            sums.count += part.count;
            sums
        })
    }

    fn correlations(&self) -> Vec<f64> {
        let Self { all, all_squared, count, .. } = *self;
        let variance_of_all = all_squared - all * all / count;
        let of_one = |[sum, squares, products]: &[f64; 3]| {
            let variance = squares - sum * sum / count;
            let with_all = products - sum * all / count;
            let of_others = variance_of_all - 2.0 * with_all + variance;
            (with_all - variance) / (variance * of_others).sqrt()
        };
        self.of_each.iter().map(of_one).collect()
    }
}

/// Returns the sums over the voxels of tissue, for the measurements of a shell.
fn sums_of_tissue(dwi: &Volume<f32>, tissue: &Mask, shell: &[usize]) -> Sums {
    let [nx, ny, nz] = dwi.grid().shape();
    let sums_of = |slice: usize| {
        let mut sums = Sums::new(shell.len());
        for voxel in slice * nx * ny..(slice + 1) * nx * ny {
            let signals = dwi.voxel(voxel);
            if tissue.contains(voxel) && is_finite(signals, shell) {
                sums.add(shell.iter().map(|&m| f64::from(signals[m])));
            }
        }
        sums
    };
    Sums::of_parts(shell.len(), (0..nz).into_par_iter().map(sums_of).collect())
}

/// Returns the sums over all complete blocks of the image. The value of a block is the sum over its voxels.
/// Voxels after the last complete block are skipped.
fn sums_of_blocks(dwi: &Volume<f32>, shell: &[usize]) -> Sums {
    let [bx, by, bz] = dwi.grid().shape().map(|length| length / EDGE);
    let sums_of = |layer: usize| {
        let mut sums = Sums::new(shell.len());
        let mut block = vec![0.0; shell.len()];
        for (y, x) in (0..by).flat_map(|y| (0..bx).map(move |x| (y, x))) {
            block.fill(0.0);
            for place in 0..EDGE.pow(3) {
                let within = [place % EDGE, place / EDGE % EDGE, place / EDGE.pow(2)];
                let [i, j, k] = [x, y, layer].map(|block| block * EDGE);
                let signals = dwi.voxel(dwi.grid().index([i + within[0], j + within[1], k + within[2]]));
                if is_finite(signals, shell) {
                    block.iter_mut().zip(shell).for_each(|(sum, &m)| *sum += f64::from(signals[m]));
                }
            }
            sums.add(block.iter().copied());
        }
        sums
    };
    Sums::of_parts(shell.len(), (0..bz).into_par_iter().map(sums_of).collect())
}

fn is_finite(signals: &[f32], shell: &[usize]) -> bool {
    shell.iter().all(|&m| signals[m].is_finite())
}

/// Returns the standard deviation of numbers that are mostly normally distributed. The estimate is robust to
/// outliers.
pub(crate) fn spread(numbers: impl Iterator<Item = f64> + Clone) -> f64 {
    let middle = median(numbers.clone()).unwrap_or(0.0);
    OF_A_NORMAL * median(numbers.map(|number| (number - middle).abs())).unwrap_or(0.0)
}

pub(crate) fn median(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    statistics::median(&mut numbers.collect::<Vec<_>>())
}
