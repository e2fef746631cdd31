//! Median filter of an image.

use arcuate_numbers::Arch;
use rayon::prelude::*;

/// Number of voxels along x whose medians are computed at once, one per SIMD lane.
const LANES: usize = 16;
type Lanes = [f32; LANES];

/// Returns the median filtered image. The median of a voxel is over the cube of (2 `radius` + 1)³ voxels
/// around it. Beyond the image, the voxels at its border are repeated. `values` must be finite, and the index
/// of x changes fastest.
pub(crate) fn median_filter(values: &[f32], shape: [usize; 3], radius: usize) -> Vec<f32> {
    if radius == 0 {
        return values.to_vec();
    }
    let [nx, ny, nz] = shape;
    let padded = Padded::new(values, shape, radius);
    let width = 2 * radius + 1;
    let window: Vec<usize> =
        (0..width.pow(3)).map(|n| padded.index(n % width, n / width % width, n / (width * width))).collect();
    let mut out = vec![0.0; nx * ny * nz];
    let arch = Arch::new();
    out.par_chunks_mut(nx).enumerate().for_each_init(
        || vec![[0.0; LANES]; window.len() / 2 + 2],
        |work, (row, out)| {
            let corner = padded.index(0, row % ny, row / ny);
            arch.dispatch(|| {
                for (n, out) in out.chunks_mut(LANES).enumerate() {
                    let medians = median(&padded.values[corner + n * LANES..], &window, work);
                    out.copy_from_slice(&medians[..out.len()]);
                }
            });
        },
    );
    out
}

/// An image that was extended by a border of repeated voxels. Its rows along x are longer than the image, so
/// that each row consists of whole groups of SIMD lanes.
struct Padded {
    values: Vec<f32>,
    shape: [usize; 2],
}

impl Padded {
    fn new(values: &[f32], [nx, ny, nz]: [usize; 3], radius: usize) -> Self {
        let inside = |padded: usize, n: usize| padded.saturating_sub(radius).min(n - 1);
        let px = nx.next_multiple_of(LANES) + 2 * radius;
        let py = ny + 2 * radius;
        let mut padded = Vec::with_capacity(px * py * (nz + 2 * radius));
        for z in 0..nz + 2 * radius {
            for y in 0..py {
                let row = nx * (inside(y, ny) + ny * inside(z, nz));
                padded.extend((0..px).map(|x| values[row + inside(x, nx)]));
            }
        }
        Self { values: padded, shape: [px, py] }
    }

    fn index(&self, x: usize, y: usize, z: usize) -> usize {
        x + self.shape[0] * (y + self.shape[1] * z)
    }
}

/// Returns, for each SIMD lane, the median of `values[offset + lane]` over all offsets in `window`. The
/// number of offsets is odd and above 1.
///
/// The method is forgetful selection. Among any m + 2 of 2m + 1 values, neither the smallest nor the largest
/// is the median of all. Both are therefore removed, and the next value is added, until three values are
/// left. No branch of the code depends on the data.
#[inline(always)]
fn median(values: &[f32], window: &[usize], work: &mut [Lanes]) -> Lanes {
    let load = |offset: usize| -> Lanes { std::array::from_fn(|lane| values[offset + lane]) };
    let mut kept = window.len() / 2 + 2;
    for (slot, &offset) in work.iter_mut().zip(window) {
        *slot = load(offset);
    }
    let mut next = window[kept..].iter();
    loop {
        extremes_to_the_ends(&mut work[..kept]);
        match next.next() {
            Some(&offset) => work[0] = load(offset),
            None => return work[1],
        }
        kept -= 1;
    }
}

/// Moves the smallest value of each SIMD lane to the front of the list, and the largest value to the back.
#[inline(always)]
fn extremes_to_the_ends(values: &mut [Lanes]) {
    let last = values.len() - 1;
    for n in 0..values.len() / 2 {
        order(values, n, last - n);
    }
    for n in 1..=last / 2 {
        order(values, 0, n);
    }
    for n in values.len() / 2..last {
        order(values, n, last);
    }
}

/// Stores the smaller of two values at the index `a`, and the larger value at the index `b`, in each SIMD
/// lane.
#[inline(always)]
fn order(values: &mut [Lanes], a: usize, b: usize) {
    let (x, y) = (values[a], values[b]);
    // Values are compared with `<` instead of `f32::min`, because they are finite. A comparison is a single
    // instruction.
    values[a] = std::array::from_fn(|lane| if x[lane] < y[lane] { x[lane] } else { y[lane] });
    values[b] = std::array::from_fn(|lane| if x[lane] < y[lane] { y[lane] } else { x[lane] });
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_compute::{Purpose, Random};
    use proptest::prelude::*;

    /// Computes the median filter by sorting the values of each cube. Tests compare with this result.
    fn reference(values: &[f32], shape: [usize; 3], radius: usize) -> Vec<f32> {
        let reach = radius as isize;
        let at = |voxel: [usize; 3], offset: [isize; 3]| {
            let [x, y, z] = [0, 1, 2].map(|axis| {
                (voxel[axis] as isize + offset[axis]).clamp(0, shape[axis] as isize - 1) as usize
            });
            values[x + shape[0] * (y + shape[1] * z)]
        };
        let mut out = Vec::new();
        for z in 0..shape[2] {
            for y in 0..shape[1] {
                for x in 0..shape[0] {
                    let mut window = Vec::new();
                    for dz in -reach..=reach {
                        for dy in -reach..=reach {
                            for dx in -reach..=reach {
                                window.push(at([x, y, z], [dx, dy, dz]));
                            }
                        }
                    }
                    window.sort_by(f32::total_cmp);
                    out.push(window[window.len() / 2]);
                }
            }
        }
        out
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn medians_agree_with_sorting(
            shape in [1usize..40, 1usize..6, 1usize..6],
            radius in 0usize..3,
            seed in any::<u64>(),
        ) {
            let mut random = Random::new(seed, Purpose::Resampling, 0);
            // The test values are integers, and there are only 20 different ones, so that many values are
            // equal.
            let values: Vec<f32> =
                (0..shape.iter().product()).map(|_| random.below(20) as f32 - 5.0).collect();
            prop_assert_eq!(median_filter(&values, shape, radius), reference(&values, shape, radius));
        }
    }
}
