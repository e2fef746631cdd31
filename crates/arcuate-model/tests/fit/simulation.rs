//! Simulates signals of models with known parameters.

use arcuate_compute::{Device, DeviceChoice, Purpose, Random};
use arcuate_core::{Affine, Control, GradientTable, Grid, Mask, Orientations, Volume};
use arcuate_model::fit::Prediction;
use arcuate_model::language::{Form, Model, Parameter};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

/// Creates a gradient table with five measurements at b = 0, and with this number of directions at each of
/// these b-values.
pub(crate) fn table(b_values: &[f64], directions: usize) -> GradientTable {
    let (mut all, mut b) = (vec![[1.0, 0.0, 0.0]; 5], vec![0.0; 5]);
    for (n, b_value) in b_values.iter().enumerate() {
        // Each shell has different directions.
        let set = Orientations::half_sphere(directions + 3 * n);
        all.extend(&set.directions()[..directions]);
        b.extend(vec![*b_value; directions]);
    }
    GradientTable::new(&all, b, 50.0).unwrap()
}

/// Simulated voxels, and their true parameters.
pub(crate) struct Simulated {
    pub(crate) dwi: Volume<f32>,
    pub(crate) mask: Mask,
    /// The values of all parameters of each voxel, in the units of the parameters.
    pub(crate) truth: Vec<Vec<f64>>,
}

/// Returns a random value of a parameter from a range that occurs in tissue.
fn value(parameter: &Parameter, random: &mut Random) -> f64 {
    let mut between = |low: f64, high: f64| low + (high - low) * random.uniform();
    match parameter.name() {
        "s0" => between(500.0, 1500.0),
        "fwf" => between(0.0, 0.7),
        "ndi" => between(0.15, 0.9),
        "ndi1" | "ndi2" => between(0.3, 0.8),
        "kappa" => between(0.0, 1.0).powi(2) * 16.0,
        // The range of κ₁ is above that of κ₂, so that κ₁ is the larger concentration.
        name if name.starts_with("kappa1") => between(4.0, 16.0),
        name if name.starts_with("kappa2") => between(0.5, 4.0),
        name if name.starts_with("psi") => between(-1.5, 1.5),
        "dot_fraction" => between(0.02, 0.3),
        "d" => between(0.5e-3, 2e-3),
        "d_std" => between(0.15e-3, 0.8e-3),
        "f" => between(0.1, 0.9),
        "f1" => between(0.35, 0.5),
        "f2" => between(0.15, 0.3),
        "f3" => between(0.08, 0.12),
        "f0" => between(0.02, 0.05),
        "r" => between(0.1, 0.2),
        name => panic!("nothing is known of {name}"),
    }
}

/// Simulates random voxels of a model. The Gaussian noise is 1 / `snr` of the signal at b = 0.
pub(crate) fn simulate(model: &Model, table: &GradientTable, count: usize, snr: f64, seed: u64) -> Simulated {
    let mut random = Random::new(seed, Purpose::Resampling, 0);
    let truth: Vec<Vec<f64>> = (0..count).map(|_| random_numbers(model, &mut random)).collect();
    let prediction = Prediction::new(model, table, &[]).unwrap();
    let signals = truth.iter().flat_map(|numbers| {
        let s0 = numbers[0];
        let mut noise = |signal: f64| (signal + s0 / snr * random.normal()) as f32;
        prediction.signals(numbers).into_iter().map(&mut noise).collect::<Vec<f32>>()
    });
    let grid = Grid::new([count, 1, 1], Affine::identity()).unwrap();
    let dwi = Volume::new(grid, table.len(), signals.collect()).unwrap();
    Simulated { dwi, mask: Mask::full(grid), truth }
}

/// Returns random values of the fitted parameters of a model.
pub(crate) fn random_numbers(model: &Model, random: &mut Random) -> Vec<f64> {
    if model.name() == "tensor-nonlinear" {
        return random_tensor(random);
    }
    let mut numbers = Vec::new();
    for parameter in model.parameters().iter().filter(|parameter| !parameter.is_fixed()) {
        match parameter.form() {
            Form::Number { .. } => numbers.push(value(parameter, random)),
            Form::Orientation { .. } => numbers.extend(orientation(random)),
        }
    }
    numbers
}

pub(crate) fn orientation(random: &mut Random) -> [f64; 3] {
    let v: [f64; 3] = std::array::from_fn(|_| random.normal());
    let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
    v.map(|x| x / length)
}

/// Returns S₀ and the elements of a random tensor with eigenvalues between 0.1 and 3 µm²/ms.
fn random_tensor(random: &mut Random) -> Vec<f64> {
    let axis = orientation(random);
    let [across, along] = [0.2e-3 + 0.6e-3 * random.uniform(), 0.8e-3 + 1.2e-3 * random.uniform()];
    let element = |a: usize, b: usize| {
        let diagonal = if a == b { across } else { 0.0 };
        diagonal + (along - across) * axis[a] * axis[b]
    };
    vec![
        500.0 + 1000.0 * random.uniform(),
        element(0, 0),
        element(1, 1),
        element(2, 2),
        element(0, 1),
        element(0, 2),
        element(1, 2),
    ]
}

/// GPU memory in bytes. With it, fits of three sticks and chains of two sticks can have chunks that are little
/// larger than the smallest ones.
pub(crate) const MEMORY: u64 = 1 << 18;

/// Opens a GPU.
pub(crate) fn gpu(memory: Option<u64>) -> Device {
    DeviceChoice::Cuda(vec![0]).open(memory).unwrap()
}

/// Runs a test on two GPUs.
pub(crate) fn on_two_gpus(memory: Option<u64>, test: impl FnOnce(&Device)) {
    match DeviceChoice::Cuda(vec![0, 1]).open(memory) {
        Ok(two) => test(&two),
        // A machine with real GPUs may have only one.
        Err(error) => assert_eq!(std::env::var("ARCUATE_TEST_DEVICE").as_deref(), Ok("cuda"), "{error}"),
    }
}

/// Returns the number of chunks in which a run is computed, which reports its progress after each chunk.
pub(crate) fn chunks(run: impl FnOnce(Control)) -> usize {
    let told = Arc::new(Mutex::new(BTreeSet::new()));
    let counts = Arc::clone(&told);
    run(Control::default().with_progress(move |done, _| {
        counts.lock().unwrap().insert(done);
    }));
    // The first progress report, which has no finished voxel, does not count.
    told.lock().unwrap().len() - 1
}

/// Returns the bits of numbers.
pub(crate) fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}
