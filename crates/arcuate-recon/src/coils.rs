//! The data of several receiver coils for one image, with known coil sensitivities.

use crate::coil_maps::{CoilMaps, add_back, each};
use crate::first_use::FirstUse;
use crate::toeplitz::{ToeplitzOnGpu, done_on_gpu};
use crate::{Element, Toeplitz};
use arcuate_compute::cuda::Gpu;
use arcuate_solve::{DeviceNormal, LinearOperator, SolverOperator};

/// Maximum number of values in all coil images that are in memory at the same time. At least one coil image
/// is in memory.
const HELD: usize = 1 << 26;

/// The SENSE operator (Pruessmann et al. 2001, doi:10.1002/mrm.1241). It computes the data of all coils from
/// an image. S_c multiplies the image by the sensitivity of coil c, and the Fourier operator F computes the
/// k-space samples of the product. The data are ordered coil by coil.
#[derive(Debug, Clone)]
pub struct Sense<T: Element> {
    toeplitz: Toeplitz<T>,
    maps: CoilMaps<T>,
    on_gpu: FirstUse<ToeplitzOnGpu<T>>,
}

impl<T: Element> Sense<T> {
    /// Combines the Fourier operator F with the sensitivity maps of the coils of the same image size.
    ///
    /// # Panics
    /// Panics if the image sizes differ.
    pub fn new(toeplitz: Toeplitz<T>, maps: CoilMaps<T>) -> Self {
        assert_eq!(maps.values.len(), maps.coils * toeplitz.columns(), "maps and operator do not fit");
        Self { toeplitz, maps, on_gpu: FirstUse::default() }
    }

    /// Returns the number of coils that are processed together.
    fn together(&self) -> usize {
        (HELD / self.toeplitz.columns()).clamp(1, self.maps.coils)
    }
}

/// Computes the image that a coil sees: out = map · image.
fn seen<T: Element>(map: &[T], image: &[T], out: &mut [T]) {
    each(map, image, out, |out, s, x| *out = [s[0] * x[0] - s[1] * x[1], s[0] * x[1] + s[1] * x[0]]);
}

impl<T: Element> LinearOperator<T> for Sense<T> {
    fn rows(&self) -> usize {
        self.maps.coils * self.toeplitz.rows()
    }

    fn columns(&self) -> usize {
        self.toeplitz.columns()
    }

    fn apply_forward(&self, unknowns: &[T], data: &mut [T]) {
        let (columns, together) = (self.columns(), self.together());
        let mut images = vec![T::zero(); together * columns];
        let maps: Vec<&[T]> = self.maps.maps().collect();
        for (maps, data) in maps.chunks(together).zip(data.chunks_mut(together * self.toeplitz.rows())) {
            let images = &mut images[..maps.len() * columns];
            for (map, image) in maps.iter().zip(images.chunks_exact_mut(columns)) {
                seen(map, unknowns, image);
            }
            self.toeplitz.forward_all(images, data);
        }
    }

    fn apply_adjoint(&self, data: &[T], unknowns: &mut [T]) {
        let (columns, together) = (self.columns(), self.together());
        let mut images = vec![T::zero(); together * columns];
        let maps: Vec<&[T]> = self.maps.maps().collect();
        unknowns.fill(T::zero());
        for (maps, data) in maps.chunks(together).zip(data.chunks(together * self.toeplitz.rows())) {
            let images = &mut images[..maps.len() * columns];
            self.toeplitz.adjoint_all(data, images);
            for (map, image) in maps.iter().zip(images.chunks_exact(columns)) {
                add_back(map, image, unknowns);
            }
        }
    }

    fn apply_normal(&self, unknowns: &[T], out: &mut [T]) {
        if done_on_gpu(self.device_normal(), unknowns, out) {
            return;
        }
        let mut image = vec![T::zero(); self.columns()];
        let mut product = vec![T::zero(); self.columns()];
        out.fill(T::zero());
        for map in self.maps.maps() {
            seen(map, unknowns, &mut image);
            self.toeplitz.normal_on_the_processor(&image, &mut product);
            add_back(map, &product, out);
        }
    }
}

impl<T: Element> SolverOperator<T> for Sense<T> {
    fn device_normal(&self) -> Option<&dyn DeviceNormal<T>> {
        let make = |gpu: &Gpu| ToeplitzOnGpu::new(gpu, self.toeplitz.kernel(), Some(&self.maps));
        let placed = self.on_gpu.on(self.toeplitz.sums().device(), "Toeplitz products of coils", make);
        placed.map(|placed| placed as &dyn DeviceNormal<T>)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Shape;
    use crate::{FourierSums, Kernel};
    use arcuate_compute::{Device, DeviceChoice};
    use arcuate_solve::algebra::{ComplexDiagonal, Composition, VerticalStack};
    use arcuate_solve::checks;
    use std::sync::Arc;

    fn numbers(count: usize, step: f64) -> Vec<f64> {
        (0..count).map(|n| (n as f64 * step).sin()).collect()
    }

    #[test]
    fn sense_operators_agree_with_a_stack_of_coils() {
        let shape = Shape::new([9, 8, 3]).unwrap();
        let samples: Vec<[f64; 3]> =
            (0..150).map(|n| [4.0, 3.5, 1.2].map(|reach| reach * (f64::from(n) * reach).cos())).collect();
        let sums = FourierSums::<f64>::new(shape, samples).unwrap();
        let kernel = Arc::new(Kernel::new(&sums, None));
        let toeplitz = Toeplitz::new(sums, None, kernel).unwrap();
        let maps = numbers(4 * 2 * shape.voxels(), 0.37);
        let sense = Sense::new(toeplitz.clone(), CoilMaps::new(shape, maps.clone()).unwrap());
        checks::all(&sense, 1e-12);
        checks::complex_linearity(&sense, 1e-12);
        let coils = maps.chunks_exact(2 * shape.voxels());
        let stack = VerticalStack::new(
            coils.map(|map| Composition::new(&toeplitz, ComplexDiagonal::new(map.to_vec()))).collect(),
        );
        let image = numbers(sense.columns(), 0.9);
        let (mut found, mut expected) = (vec![f64::NAN; sense.rows()], vec![f64::NAN; sense.rows()]);
        sense.forward(&image, &mut found);
        stack.forward(&image, &mut expected);
        assert!(checks::relative_difference(&found, &expected) < 1e-14);
    }

    /// Computes the product of AᵀA with an image, where A is the operator of several coils, with at most this
    /// amount of GPU memory.
    fn on_a_gpu<T: Element>(cap: Option<u64>, lengths: [usize; 3], image: &[T], on_gpu: bool) -> Vec<T> {
        let shape = Shape::new(lengths).unwrap();
        let reach = lengths.map(|n| 0.45 * n as f64);
        let samples: Vec<[f64; 3]> =
            (0..150).map(|n| reach.map(|reach| reach * (f64::from(n) * (reach + 0.3)).cos())).collect();
        let sums = FourierSums::<T>::new(shape, samples).unwrap();
        let kernel = Arc::new(Kernel::new(&sums, None));
        let device = if on_gpu { DeviceChoice::Cuda(vec![0]) } else { DeviceChoice::Cpu };
        let sums = sums.on(device.open(cap).unwrap());
        let toeplitz = Toeplitz::new(sums, None, kernel).unwrap();
        let maps: Vec<T> = numbers(5 * 2 * shape.voxels(), 0.37).into_iter().map(T::of).collect();
        let sense = Sense::new(toeplitz, CoilMaps::new(shape, maps).unwrap());
        assert_eq!(sense.device_normal().is_some(), on_gpu);
        let mut out = vec![T::nan(); image.len()];
        sense.normal(image, &mut out);
        out
    }

    #[test]
    fn gpu_sense_agrees_with_the_cpu_and_does_not_depend_on_memory() {
        if !arcuate_emulation::available("sense on a GPU") {
            return;
        }
        for lengths in [[9, 8, 3], [16, 12, 1], [1, 5, 1], [13, 1, 9], [20, 24, 7]] {
            let wide = numbers(2 * lengths.iter().product::<usize>(), 0.9);
            let single: Vec<f32> = wide.iter().map(|&x| x as f32).collect();
            let (here, there) = (on_a_gpu(None, lengths, &wide, false), on_a_gpu(None, lengths, &wide, true));
            // The tolerance allows for the rounding errors of Fourier transforms.
            assert!(checks::relative_difference(&there, &here) < 1e-15, "{lengths:?}");
            let (here, there) =
                (on_a_gpu(None, lengths, &single, false), on_a_gpu(None, lengths, &single, true));
            assert!(checks::relative_difference(&there, &here) < 3e-7, "{lengths:?}");
            // This amount of memory suffices for one coil and one plane of the image at a time. With less
            // memory, an error must state how much memory is needed.
            if lengths == [20, 24, 7] {
                let minimum = 640_000;
                assert!(on_a_gpu(Some(minimum), lengths, &single, true) == there);
                let device = DeviceChoice::Cuda(vec![0]).open(Some(minimum / 2)).unwrap();
                let Device::Cuda(gpus) = device else { panic!("a GPU") };
                let shape = Shape::new(lengths).unwrap();
                let sums = FourierSums::<f32>::new(shape, vec![[0.5; 3]; 9]).unwrap();
                let refused = ToeplitzOnGpu::new(gpus.first(), &Kernel::new(&sums, None), None);
                let message = refused.err().unwrap().to_string();
                assert!(message.contains("Toeplitz products need"), "{message}");
            }
        }
    }

    #[test]
    fn voxels_outside_all_coils_are_excluded_from_the_mean() {
        let shape = Shape::new([4, 3, 1]).unwrap();
        // The two coils have the sensitivities 3 and 4i in every third voxel. In all other voxels, their
        // sensitivities are 0.
        let of_coil = |value: [f64; 2]| (0..12).flat_map(move |n| if n % 3 == 0 { value } else { [0.0; 2] });
        let maps = of_coil([3.0, 0.0]).chain(of_coil([0.0, 4.0])).collect::<Vec<_>>();
        assert_eq!(CoilMaps::new(shape, maps).unwrap().mean_square(), 25.0);
    }

    #[test]
    fn invalid_coil_maps_give_one_line_errors() {
        let shape = Shape::new([4, 3, 1]).unwrap();
        let message = |values: Vec<f32>| CoilMaps::new(shape, values).unwrap_err().to_string();
        assert_eq!(
            message(vec![1.0; 50]),
            "coil sensitivities: 25 complex numbers are no maps of 4 × 3 × 1 voxels; give maps of the image's size"
        );
        assert_eq!(
            message(vec![0.0; 48]),
            "coil sensitivities: all of them are 0; give the maps of this scan's coils"
        );
        let mut spoilt = vec![1.0; 48];
        spoilt[31] = f32::INFINITY;
        assert_eq!(
            message(spoilt),
            "coil sensitivities: number 15 is not finite; set what is outside of the object to 0"
        );
    }
}
