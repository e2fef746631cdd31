//! Compares the vectors of non-negative solvers on GPUs with those on the CPU.

use super::LAYOUT;
use super::vectors::Vectors;
use crate::engine::{CpuEngine, SplitEngine};
use crate::gpus::DenseOnGpus;
use crate::{Real, SolverOperator};
use arcuate_compute::cuda::Gpus;
use arcuate_compute::{Purpose, Random};

/// Returns pairs of numbers on the CPU and on a GPU. They are the predicted decrease after each of a few steps and
/// the size of the images. The norms of a search direction and the residual after a step along it follow.
fn numbers<T: Real>() -> Vec<[f64; 2]> {
    let (rows, columns) = (40, 700);
    let mut random = Random::new(5, Purpose::Resampling, 0);
    let matrix = (0..rows * columns).map(|_| random.uniform()).collect();
    let data: Vec<T> = (0..rows).map(|_| T::of(30.0 + random.normal())).collect();
    let operator = DenseOnGpus::<T>::new(Gpus::open(&[0]).unwrap(), columns, matrix);
    let on_gpus = operator.on_gpus().unwrap();
    let there = SplitEngine::new(&*on_gpus, &data, (columns, LAYOUT), None, None).unwrap();
    let mut there = Vectors::new(there, 0.1).unwrap();
    let mut here = Vectors::new(CpuEngine::new(operator.reference(), &data, LAYOUT), 0.1).unwrap();
    there.keep_window().unwrap();
    here.keep_window().unwrap();
    let mut after = |length: f64| {
        let images = [here.step(length).unwrap().image, there.step(length).unwrap().image];
        [[here.promised().unwrap(), there.promised().unwrap()], images]
    };
    let mut pairs = [1e-4, 2e-4, 5e-5].map(&mut after).as_flattened().to_vec();
    let (of_here, of_there) = (here.descent(true).unwrap(), there.descent(true).unwrap());
    pairs.push([of_here.direction, of_there.direction]);
    pairs.push([of_here.curvature, of_there.curvature]);
    here.move_along_descent(1e-4).unwrap();
    there.move_along_descent(1e-4).unwrap();
    here.recompute().unwrap();
    there.recompute().unwrap();
    pairs.push([here.facts.residual, there.facts.residual]);
    pairs
}

#[test]
fn steps_agree_on_a_gpu() {
    if !arcuate_emulation::available("steps of non-negative solvers") {
        return;
    }
    // The tolerance allows for sums in f64 of 700 products of numbers in each precision.
    for (pairs, tolerance) in [(numbers::<f32>(), 1e-5), (numbers::<f64>(), 1e-12)] {
        for [here, there] in pairs {
            assert!(here.abs() > 1e-3, "nothing moves: {here}");
            assert!((there - here).abs() <= tolerance * here.abs(), "{there}, not {here}");
        }
    }
}
