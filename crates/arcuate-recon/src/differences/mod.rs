//! Penalties on differences between neighbouring voxels.

mod constants;
mod cuda;
mod kernels;

use crate::first_use::FirstUse;
use crate::{Element, Shape};
use arcuate_compute::Device;
use arcuate_core::{Error, Result, statistics};
use arcuate_solve::{DeviceNormal, LinearOperator, SolverOperator};
use cuda::DifferencesOnGpu;
use rayon::prelude::*;
use std::sync::Arc;

/// The operator W computes weighted differences between neighbouring voxels of an image, along each axis with
/// more than one voxel. Complex numbers are pairs of a real and an imaginary part. The differences are
/// ordered axis by axis. The difference between a voxel and the next voxel along an axis has the index of the
/// first of the two voxels. It is 0 for the last voxel of an image row.
///
/// ‖Wρ‖² is the quadratic roughness penalty of an image ρ. To keep edges sharp,
/// [`Differences::along_anatomy`] uses small weights at the edges of an anatomical reference image.
#[derive(Debug, Clone)]
pub struct Differences<T: Element> {
    shape: Shape,
    axes: Vec<usize>,
    /// The weights of all differences, one axis after the other. For the last voxel of an image row, the
    /// weight is 0.
    weights: Arc<[T]>,
    device: Device,
    on_gpu: FirstUse<DifferencesOnGpu<T>>,
}

/// Default edge size, as a multiple of the median difference between neighbouring voxels of the reference
/// image. The median represents the noise of the reference image.
const EDGE: f64 = 3.0;

impl<T: Element> Differences<T> {
    /// Creates differences whose weights are all 1.
    pub fn new(shape: Shape) -> Self {
        Self::weighted(shape, |_, _| 1.0)
    }

    /// Creates weights that reduce the penalty at the edges of a reference image, as in quasi-Bayesian
    /// reconstruction with anatomical constraints (Haldar et al. 2008, doi:10.1002/mrm.21536). The weight of
    /// a difference is 1 / √(1 + (g / s)²). Here, `g` is the difference between the two voxels in the
    /// reference image, and `s` is the edge size `edge`. If `g` is ten times as large as `s`, the squared
    /// weight is thus about a hundredth. The default of `s` is three times the median of the non-zero
    /// differences of the reference image.
    ///
    /// `reference` has one value per voxel of the image, x fastest; [`reference_on`](crate::reference_on)
    /// resamples a reference image. A voxel without a value has no edges: the weights of its differences are
    /// 1, as in [`Differences::new`]. Returns an error if `reference` has a wrong number of voxels, a
    /// non-finite value or no difference between voxels. Also returns an error if `edge` is not positive.
    pub fn along_anatomy(shape: Shape, reference: &[Option<f32>], edge: Option<f64>) -> Result<Self> {
        let invalid = |problem: String| {
            Err(Error::invalid(
                "anatomical reference",
                problem,
                "give an image of the same anatomy that has contrast",
            ))
        };
        if reference.len() != shape.voxels() {
            let [x, y, z] = shape.lengths();
            return invalid(format!("its {} voxels are not those of {x} × {y} × {z}", reference.len()));
        }
        if let Some(n) = reference.iter().position(|value| value.is_some_and(|value| !value.is_finite())) {
            return invalid(format!("voxel {n} is not finite"));
        }
        let steps = Steps::new(shape);
        let of = |axis: usize, voxel: usize| match (reference[voxel], reference[voxel + steps.of[axis]]) {
            (Some(here), Some(next)) => f64::from((next - here).abs()),
            _ => 0.0,
        };
        let edge = match edge {
            Some(edge) if edge > 0.0 && edge.is_finite() => edge,
            Some(edge) => return invalid(format!("an edge of {edge} is none above 0")),
            None => {
                let mut sizes: Vec<f64> = Vec::new();
                for axis in axes_of(shape) {
                    let inside = (0..shape.voxels()).filter(|&voxel| !steps.is_last(axis, voxel));
                    sizes.extend(inside.map(|voxel| of(axis, voxel)).filter(|&size| size > 0.0));
                }
                let Some(median) = statistics::median(&mut sizes) else {
                    return invalid("all its voxels are alike".to_owned());
                };
                EDGE * median
            }
        };
        Ok(Self::weighted(shape, |axis, voxel| 1.0 / (1.0 + (of(axis, voxel) / edge).powi(2)).sqrt()))
    }

    fn weighted(shape: Shape, weight: impl Fn(usize, usize) -> f64) -> Self {
        let (axes, steps) = (axes_of(shape), Steps::new(shape));
        let mut weights = Vec::with_capacity(axes.len() * shape.voxels());
        for &axis in &axes {
            let of = |voxel| if steps.is_last(axis, voxel) { 0.0 } else { weight(axis, voxel) };
            weights.extend((0..shape.voxels()).map(|voxel| T::of(of(voxel))));
        }
        Self { shape, axes, weights: weights.into(), device: Device::Cpu, on_gpu: FirstUse::default() }
    }

    /// Sets the device that computes products with WᵀW. A GPU computes the same bits as the CPU.
    #[must_use]
    pub fn on(self, device: Device) -> Self {
        Self { device, on_gpu: FirstUse::default(), ..self }
    }

    fn of_axes(&self) -> impl Iterator<Item = (usize, &[T])> {
        let steps = Steps::new(self.shape);
        let weights = self.weights.chunks_exact(self.shape.voxels());
        self.axes.iter().zip(weights).map(move |(&axis, weights)| (steps.of[axis], weights))
    }
}

/// Returns the axes with more than one voxel. If the image is a single voxel, returns the first axis, so that
/// there is one difference.
fn axes_of(shape: Shape) -> Vec<usize> {
    let axes: Vec<usize> = (0..3).filter(|&axis| shape.lengths()[axis] > 1).collect();
    if axes.is_empty() { vec![0] } else { axes }
}

/// Returns the distance in memory between a voxel and its neighbour along an axis.
struct Steps {
    of: [usize; 3],
    lengths: [usize; 3],
}

impl Steps {
    fn new(shape: Shape) -> Self {
        let lengths = shape.lengths();
        Self { of: [1, lengths[0], lengths[0] * lengths[1]], lengths }
    }

    fn is_last(&self, axis: usize, voxel: usize) -> bool {
        voxel / self.of[axis] % self.lengths[axis] + 1 == self.lengths[axis]
    }
}

/// Number of voxels that a thread processes as one task.
const PIECE: usize = 1 << 13;

impl<T: Element> LinearOperator<T> for Differences<T> {
    fn rows(&self) -> usize {
        self.axes.len() * self.columns()
    }

    fn columns(&self) -> usize {
        2 * self.shape.voxels()
    }

    fn apply_forward(&self, unknowns: &[T], data: &mut [T]) {
        let x = unknowns.as_chunks::<2>().0;
        let of_axes = self.of_axes().zip(data.chunks_exact_mut(self.columns()));
        for ((step, weights), data) in of_axes {
            data.par_chunks_mut(2 * PIECE).enumerate().for_each(|(piece, data)| {
                for (n, out) in data.as_chunks_mut::<2>().0.iter_mut().enumerate() {
                    let here = piece * PIECE + n;
                    // For the last voxel of an image row, the weight of the difference is 0, so that the
                    // value that follows in memory does not matter.
                    let (w, next) = (weights[here], x.get(here + step).unwrap_or(&x[here]));
                    *out = [w * (next[0] - x[here][0]), w * (next[1] - x[here][1])];
                }
            });
        }
    }

    fn apply_adjoint(&self, data: &[T], unknowns: &mut [T]) {
        unknowns.par_chunks_mut(2 * PIECE).enumerate().for_each(|(piece, unknowns)| {
            unknowns.fill(T::zero());
            for ((step, weights), data) in self.of_axes().zip(data.chunks_exact(self.columns())) {
                let data = data.as_chunks::<2>().0;
                for (n, out) in unknowns.as_chunks_mut::<2>().0.iter_mut().enumerate() {
                    let here = piece * PIECE + n;
                    for part in 0..2 {
                        out[part] -= weights[here] * data[here][part];
                        if here >= step {
                            out[part] += weights[here - step] * data[here - step][part];
                        }
                    }
                }
            }
        });
    }

    fn apply_normal(&self, unknowns: &[T], out: &mut [T]) {
        let x = unknowns.as_chunks::<2>().0;
        out.par_chunks_mut(2 * PIECE).enumerate().for_each(|(piece, out)| {
            out.fill(T::zero());
            for (step, weights) in self.of_axes() {
                for (n, out) in out.as_chunks_mut::<2>().0.iter_mut().enumerate() {
                    let here = piece * PIECE + n;
                    let w = weights[here];
                    let next = x.get(here + step).unwrap_or(&x[here]);
                    for part in 0..2 {
                        out[part] -= w * (w * (next[part] - x[here][part]));
                    }
                    if here >= step {
                        let (w, before) = (weights[here - step], x[here - step]);
                        for part in 0..2 {
                            out[part] += w * (w * (x[here][part] - before[part]));
                        }
                    }
                }
            }
        });
    }
}

impl<T: Element> SolverOperator<T> for Differences<T> {
    fn device_normal(&self) -> Option<&dyn DeviceNormal<T>> {
        let placed = self.on_gpu.on(&self.device, "differences of neighbours", |gpu| {
            let steps: Vec<usize> = self.of_axes().map(|(step, _)| step).collect();
            DifferencesOnGpu::new(gpu, self.shape.voxels(), &steps, &self.weights)
        });
        placed.map(|placed| placed as &dyn DeviceNormal<T>)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_solve::checks;

    #[test]
    fn differences_pass_the_shared_checks() {
        for lengths in [[7, 5, 3], [6, 4, 1], [1, 9, 2], [1, 1, 1]] {
            let shape = Shape::new(lengths).unwrap();
            let operator = Differences::<f64>::new(shape);
            if shape.voxels() > 1 {
                checks::all(&operator, 1e-14);
                checks::complex_linearity(&operator, 1e-14);
                let reference: Vec<_> = (0..shape.voxels()).map(|n| Some((n as f32 * 0.7).sin())).collect();
                checks::all(&Differences::<f32>::along_anatomy(shape, &reference, None).unwrap(), 1e-6);
            }
            // If all voxels of an image have the same value, the differences between neighbouring voxels are
            // 0.
            let mut out = vec![f64::NAN; operator.rows()];
            operator.forward(&vec![2.5; operator.columns()], &mut out);
            assert!(out.iter().all(|&value| value == 0.0));
        }
    }

    #[test]
    fn differences_are_between_neighbours_within_rows() {
        let shape = Shape::new([3, 2, 1]).unwrap();
        let image: Vec<f64> = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0].iter().flat_map(|&x| [x, -x]).collect();
        let mut out = vec![f64::NAN; 24];
        Differences::new(shape).forward(&image, &mut out);
        let real: Vec<f64> = out.iter().copied().step_by(2).collect();
        assert_eq!(real, [1.0, 2.0, 0.0, 8.0, 16.0, 0.0, 7.0, 14.0, 28.0, 0.0, 0.0, 0.0]);
        assert!(out.as_chunks::<2>().0.iter().all(|value| value[0] == -value[1]));
    }

    #[test]
    fn gpu_differences_are_bit_identical() {
        use arcuate_compute::DeviceChoice;
        fn check<T: Element>(shape: Shape) {
            let operator = Differences::<T>::weighted(shape, |axis, n| 0.3 + (axis + n) as f64 / 100.0);
            let image: Vec<T> = (0..2 * shape.voxels()).map(|n| T::of((n as f64 * 0.9).sin())).collect();
            let (mut here, mut there) = (vec![T::nan(); image.len()], vec![T::nan(); image.len()]);
            operator.normal(&image, &mut here);
            let operator = operator.on(DeviceChoice::Cuda(vec![0]).open(None).unwrap());
            let on_device = operator.device_normal().unwrap();
            arcuate_solve::normal_on_device(on_device, &image, &mut there).unwrap();
            assert!(here == there, "{shape:?}");
        }
        if !arcuate_emulation::available("differences on a GPU") {
            return;
        }
        for lengths in [[7, 5, 3], [6, 4, 1], [1, 9, 2], [1, 1, 1]] {
            let shape = Shape::new(lengths).unwrap();
            check::<f32>(shape);
            check::<f64>(shape);
        }
    }

    #[test]
    fn edges_of_the_reference_have_smaller_weights() {
        let shape = Shape::new([8, 1, 1]).unwrap();
        // The reference image has noise of 0.01, and one edge of height 1.
        let reference = [0.0, 0.01, 0.0, 0.01, 1.0, 1.01, 1.0, 1.01].map(Some);
        let operator = Differences::<f64>::along_anatomy(shape, &reference, None).unwrap();
        assert!(operator.weights[3] < 0.04 && operator.weights[2] > 0.94, "{:?}", operator.weights);
        assert_eq!(operator.weights[7], 0.0);
        let given = Differences::<f64>::along_anatomy(shape, &reference, Some(0.99)).unwrap();
        assert!((given.weights[3] - 0.5f64.sqrt()).abs() < 1e-7);
        // There is no edge at the border of the reference image, whatever the values of the image are there.
        let mut part = reference.to_vec();
        part[4..6].fill(None);
        let of_part = Differences::<f64>::along_anatomy(shape, &part, Some(0.99)).unwrap();
        assert_eq!(of_part.weights[3..6], [1.0; 3]);
        assert_eq!(of_part.weights[..3], given.weights[..3]);
        let message = |reference: &[Option<f32>], edge| {
            Differences::<f64>::along_anatomy(shape, reference, edge).unwrap_err().to_string()
        };
        for (reference, edge, problem) in [
            (vec![Some(0.0); 7], None, "its 7 voxels are not those of 8 × 1 × 1"),
            (vec![Some(1.0); 8], None, "all its voxels are alike"),
            (vec![None; 8], None, "all its voxels are alike"),
            (vec![Some(f32::NAN); 8], None, "voxel 0 is not finite"),
            (reference.to_vec(), Some(0.0), "an edge of 0 is none above 0"),
        ] {
            let expected = format!(
                "anatomical reference: {problem}; give an image of the same anatomy that has \
                         contrast"
            );
            assert_eq!(message(&reference, edge), expected);
        }
    }
}
