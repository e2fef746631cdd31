//! Compares the vectors of non-negative solvers on GPUs with those on the CPU.

use super::NonNegativeLeastSquares;
use super::cpu::CpuEngine;
use super::cuda::CudaEngine;
use super::engine::Engine;
use crate::gpus::DenseOnGpus;
use crate::{LinearOperator, Real};
use arcuate_compute::cuda::Gpus;
use arcuate_compute::{Purpose, Random};

/// Returns the predicted decrease on the CPU and on a GPU, a few steps after the start of a window, and the
/// size of the images.
fn promises<T: Real>() -> Vec<[f64; 2]> {
    let (rows, columns) = (40, 700);
    let mut random = Random::new(5, Purpose::Resampling, 0);
    let matrix = (0..rows * columns).map(|_| random.uniform()).collect();
    let data: Vec<T> = (0..rows).map(|_| T::of(30.0 + random.normal())).collect();
    let operator = DenseOnGpus::<T>::new(Gpus::open(&[0]).unwrap(), columns, matrix);
    let there = NonNegativeLeastSquares::new(&operator, &data).with_l1(0.1);
    let here = NonNegativeLeastSquares::new(operator.reference(), &data).with_l1(0.1);
    let on_gpus = operator.on_gpus().unwrap();
    let mut there = CudaEngine::new(&there, &*on_gpus).unwrap();
    let mut here = CpuEngine::new(&here);
    there.begin().unwrap();
    here.begin().unwrap();
    there.keep_window().unwrap();
    here.keep_window().unwrap();
    let mut after = |length: f64| {
        let images = [here.step(length).unwrap().image, there.step(length).unwrap().image];
        [[here.promised().unwrap(), there.promised().unwrap()], images]
    };
    [1e-4, 2e-4, 5e-5].map(&mut after).as_flattened().to_vec()
}

#[test]
fn predicted_decreases_agree_on_a_gpu() {
    if !arcuate_emulation::available("what the gradient promised") {
        return;
    }
    // The tolerance allows for sums in f64 of 700 products of numbers in each precision.
    for (promises, tolerance) in [(promises::<f32>(), 1e-5), (promises::<f64>(), 1e-12)] {
        for [here, there] in promises {
            assert!(here.abs() > 1e-3, "nothing is promised: {here}");
            assert!((there - here).abs() <= tolerance * here.abs(), "{there}, not {here}");
        }
    }
}
