//! A circular convolution on a GPU, for tests of operators whose vectors lie whole on one.

mod cuda;
mod kernels;

use crate::{Dense, DeviceOperator, LinearOperator, adjoint_on_device, checks, forward_on_device};
use arcuate_compute::cuda::Gpu;
use arcuate_core::Error;
use cuda::Convolution;

impl LinearOperator<f64> for Convolution {
    fn rows(&self) -> usize {
        self.count()
    }

    fn columns(&self) -> usize {
        self.count()
    }

    fn forward(&self, unknowns: &[f64], data: &mut [f64]) {
        forward_on_device(self, unknowns, data).unwrap();
    }

    fn adjoint(&self, data: &[f64], unknowns: &mut [f64]) {
        adjoint_on_device(self, data, unknowns).unwrap();
    }

    fn normal(&self, unknowns: &[f64], out: &mut [f64]) {
        // The shorter way, on the GPU.
        let gpu = DeviceOperator::gpu(self);
        let stream = gpu.stream().unwrap();
        let unknowns = gpu.upload(&stream, unknowns).unwrap();
        let (mut data, mut there) = (gpu.alloc(0).unwrap(), gpu.alloc(out.len()).unwrap());
        DeviceOperator::normal(self, &stream, &unknowns, &mut data, &mut there).unwrap();
        there.copy_to(&stream, out).unwrap();
    }

    fn on_device(&self) -> Option<Box<dyn DeviceOperator<f64> + '_>> {
        Some(Box::new(self))
    }
}

#[test]
fn an_operator_on_one_gpu_needs_no_rows_and_no_fixed_point() {
    if !arcuate_emulation::available("operators on one GPU") {
        return;
    }
    let (count, taps) = (301, [0.5, -1.0, 2.0, 0.25, -0.125]);
    let operator = Convolution::new(&Gpu::open(0).unwrap(), count, &taps).unwrap();
    // Sums of five and nine products.
    checks::all(&operator, 1e-15);
    let mut matrix = vec![0.0; count * count];
    for row in 0..count {
        for (k, tap) in taps.iter().enumerate() {
            matrix[row * count + (row + count - k) % count] += tap;
        }
    }
    let dense = Dense::new(count, matrix);
    let x: Vec<f64> = (0..count).map(|n| (n as f64 * 0.7).sin()).collect();
    let (mut expected, mut got) = (vec![0.0; count], vec![f64::NAN; count]);
    dense.forward(&x, &mut expected);
    LinearOperator::forward(&operator, &x, &mut got);
    assert!(checks::relative_difference(&got, &expected) <= 1e-15);
    let on_device = operator.on_device().unwrap();
    let gpu = on_device.gpu().clone();
    let stream = gpu.stream().unwrap();
    let (there, mut wrong) = (gpu.upload(&stream, &x).unwrap(), gpu.alloc(count - 1).unwrap());
    let refused: Error = on_device.forward(&stream, &there, &mut wrong).unwrap_err();
    assert!(refused.problem().contains("301"), "{refused}");
}
