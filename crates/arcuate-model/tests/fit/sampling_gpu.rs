//! Tests that the samples of chains on GPUs are bit-identical to those on the CPU.

use crate::simulation::{MEMORY, Simulated, bits, chunks, gpu, on_two_gpus, simulate, table};
use arcuate_compute::Device;
use arcuate_core::{GradientTable, Volume};
use arcuate_model::fit::sample::{ChainStart, Deviation, ModelSamples, Noise, SampleOptions, sample_model};
use arcuate_model::fit::{FitOptions, Obstacle, Override, OverrideKind, Source};
use arcuate_model::language::{Model, Prior};
use arcuate_model::models::{FibreForm, Fibres, model, model_names};

/// Returns whether a model is sampled quickly in emulation. Models with rackets keep many values per
/// measurement, so that their emulation takes minutes.
fn is_quick(name: &&str) -> bool {
    !name.contains("racket")
}

fn sample(
    options: &FitOptions,
    model: &Model,
    simulated: &Simulated,
    table: &GradientTable,
    device: &Device,
    sampling: &SampleOptions,
) -> ModelSamples {
    sample_model(model, &simulated.dwi, table, &simulated.mask, device, options, sampling).unwrap()
}

fn short_fits() -> FitOptions {
    FitOptions { single_precision: true, evaluations: 20, ..FitOptions::default() }
}

/// Returns options of short chains. Windows, burn-in and intervals end at different sweeps.
fn short() -> SampleOptions {
    SampleOptions {
        burn_in: 17,
        jumps: 25,
        interval: 4,
        window: 7,
        random_seed: 1 << 40 | 9,
        ..SampleOptions::default()
    }
}

fn sampled_sigma() -> Deviation {
    Deviation::Sampled(Prior::parse("gamma(3, 20)").unwrap())
}

/// Panics if samples or acceptance rates differ in one bit, or if there are no samples.
fn compare(
    model: &Model,
    simulated: &Simulated,
    table: &GradientTable,
    device: &Device,
    sampling: &SampleOptions,
) {
    compare_with(&short_fits(), model, simulated, table, device, sampling);
}

fn compare_with(
    options: &FitOptions,
    model: &Model,
    simulated: &Simulated,
    table: &GradientTable,
    device: &Device,
    sampling: &SampleOptions,
) {
    let here = sample(options, model, simulated, table, &Device::Cpu, sampling);
    let there = sample(options, model, simulated, table, device, sampling);
    assert_same(&here, &there, &format!("{}, {:?}", model.name(), sampling.noise));
}

fn assert_same(here: &ModelSamples, there: &ModelSamples, what: &str) {
    assert_eq!(there.obstacle, None, "{what}");
    assert_eq!(here.voxels, there.voxels, "{what}");
    assert!(here.voxels.len() > 3, "{what}");
    for parameter in &here.parameters {
        let (a, b) = (here.samples_of(parameter), there.samples_of(parameter));
        assert!(bits(a.values()) == bits(b.values()), "{what}: {}", parameter.name);
        let moves = |voxel: &usize| {
            let samples = a.voxel(*voxel);
            samples.iter().any(|value| *value != samples[samples.len() - 1])
        };
        assert!(here.voxels.iter().any(moves), "{what}: {} rests", parameter.name);
    }
    assert_eq!(bits(here.acceptance.values()), bits(there.acceptance.values()), "{what}: acceptance");
    assert_eq!(here.fit.status.values(), there.fit.status.values(), "{what}: status");
}

/// Simulates a few voxels. One has measurements that are not finite, one has no signal, and one has a
/// negative signal.
fn voxels(model: &Model, table: &GradientTable, count: usize) -> Simulated {
    let mut simulated = simulate(model, table, count, 30.0, 3);
    simulated.dwi.voxel_mut(2)[7] = f32::NAN;
    simulated.dwi.voxel_mut(2)[9] = f32::INFINITY;
    simulated.dwi.voxel_mut(3).fill(0.0);
    simulated.dwi.voxel_mut(4)[8] = -20.0;
    simulated
}

#[test]
fn every_model_has_bit_identical_gpu_samples() {
    if !arcuate_emulation::available("chains on a GPU") {
        return;
    }
    let table = table(&[1000.0, 2000.0], 12);
    for name in model_names().filter(is_quick) {
        let model = model(name).unwrap();
        let simulated = voxels(&model, &table, 9);
        let all = [Noise::default(), Noise::Gaussian(sampled_sigma()), Noise::Rician(sampled_sigma())];
        // Chains that keep many values per measurement have no GPU kernels for Rician noise.
        let count = if name.starts_with("noddi") { 2 } else { 3 };
        for noise in all.into_iter().take(count) {
            compare(&model, &simulated, &table, &gpu(None), &SampleOptions { noise, ..short() });
        }
    }
}

#[test]
fn samples_do_not_depend_on_the_number_of_lanes() {
    if !arcuate_emulation::available("chains on a GPU") {
        return;
    }
    // With more than 112 measurements, more lanes share a voxel.
    for directions in [30, 60, 150] {
        let table = table(&[1000.0, 2000.0], directions);
        for name in ["ball-2-sticks", "noddi-watson"] {
            let model = model(name).unwrap();
            let simulated = voxels(&model, &table, 9);
            let rician = (name != "noddi-watson").then_some(Noise::Rician(Deviation::Known(30.0)));
            for noise in [Some(Noise::default()), rician].into_iter().flatten() {
                let sampling = SampleOptions { noise, start: ChainStart::Search, ..short() };
                compare(&model, &simulated, &table, &gpu(None), &sampling);
            }
        }
    }
}

#[test]
fn many_measurements_have_bit_identical_gpu_samples() {
    if !arcuate_emulation::available("chains on a GPU") {
        return;
    }
    let table = table(&[1000.0, 2000.0], 60);
    for name in model_names().filter(|name| is_quick(name) && !name.starts_with("noddi")) {
        let model = model(name).unwrap();
        let simulated = voxels(&model, &table, 9);
        for noise in [Noise::default(), Noise::Rician(Deviation::Known(30.0))] {
            let sampling = SampleOptions { noise, start: ChainStart::Search, ..short() };
            compare(&model, &simulated, &table, &gpu(None), &sampling);
        }
    }
}

#[test]
fn long_series_have_bit_identical_gpu_samples() {
    if !arcuate_emulation::available("chains on a GPU") {
        return;
    }
    // These b-values need series with more terms than b = 2000 s/mm². The tissue in fixed samples has lower
    // diffusivities.
    for (name, b) in [("noddi-watson", 3000.0), ("noddi-watson-exvivo", 8000.0)] {
        let table = table(&[1000.0, b], 12);
        let model = model(name).unwrap();
        compare(&model, &voxels(&model, &table, 9), &table, &gpu(None), &short());
    }
}

#[test]
fn bedpostx_fibres_have_bit_identical_gpu_samples() {
    if !arcuate_emulation::available("chains on a GPU") {
        return;
    }
    let table = table(&[1000.0, 2000.0], 12);
    for form in [FibreForm::Sticks, FibreForm::GammaSticks, FibreForm::Zeppelins] {
        for count in 1..=3 {
            let has_floor = form != FibreForm::Zeppelins;
            let model = Fibres { form, count, has_floor, ratio: [0.13, 0.03] }.model().unwrap();
            compare(&model, &voxels(&model, &table, 9), &table, &gpu(None), &short());
        }
    }
}

#[test]
fn gradient_deviations_have_bit_identical_gpu_samples() {
    if !arcuate_emulation::available("chains on a GPU") {
        return;
    }
    let table = table(&[1000.0, 2000.0], 12);
    for name in model_names().filter(|name| is_quick(name) && name.starts_with("ball")) {
        let model = model(name).unwrap();
        let simulated = voxels(&model, &table, 9);
        let grid = *simulated.dwi.grid();
        // The gradient deviations are up to 5 % of the gradient, and differ between voxels and axes.
        let deviations = (0..9 * 9).map(|n| 0.05 * (n as f32).sin()).collect();
        let gradient_deviations = Some(Volume::new(grid, 9, deviations).unwrap());
        let options = FitOptions { gradient_deviations, ..short_fits() };
        compare_with(&options, &model, &simulated, &table, &gpu(None), &short());
    }
}

#[test]
fn samples_do_not_depend_on_gpus_and_chunks() {
    if !arcuate_emulation::available("chains on a GPU") {
        return;
    }
    let table = table(&[1000.0, 2000.0], 12);
    let mut model = model("ball-2-sticks").unwrap();
    for (name, prior) in
        [("s0", "normal(900, 200)"), ("d", "gamma(3, 4e-4)"), ("f1", "normal(0.4, 0.2)"), ("f2", "ard(2)")]
    {
        let place = model.parameter_of(name).unwrap();
        model = model.with_prior(place, Prior::parse(prior).unwrap()).unwrap();
    }
    let simulated = voxels(&model, &table, 700);
    let sampling = SampleOptions { chains: 2, adapts_throughout: true, ..short() };
    let small = gpu(Some(MEMORY));
    let count = chunks(|control| {
        let options = FitOptions { control, ..short_fits() };
        sample(&options, &model, &simulated, &table, &small, &sampling);
    });
    assert!(count / sampling.chains as usize >= 3, "{count}");
    compare(&model, &simulated, &table, &small, &sampling);
    on_two_gpus(Some(MEMORY), |two| compare(&model, &simulated, &table, two, &sampling));
}

#[test]
fn formula_priors_have_bit_identical_gpu_samples() {
    if !arcuate_emulation::available("chains on a GPU") {
        return;
    }
    let table = table(&[1000.0, 2000.0], 12);
    let mut model = model("ball-2-sticks").unwrap();
    // The first prior contains signals, another contains an orientation, and another contains many functions.
    for (name, formula) in [
        ("s0", "0.5 * ((s0 - 900 [signal]) / 200 [signal])^2"),
        (
            "d",
            "abs(ln(max(d / 1e-3 [mm²/s], 1e-3))) + erf(f1 - f2) * sin(3 * f1) + max(atan2(f1, f2), i1e(f1))",
        ),
        ("n1", "2 * dot(n1, n2)^2"),
    ] {
        let place = model.parameter_of(name).unwrap();
        model = model.with_prior(place, Prior::parse(&format!("energy({formula})")).unwrap()).unwrap();
    }
    let simulated = voxels(&model, &table, 21);
    for noise in [Noise::default(), Noise::Gaussian(sampled_sigma()), Noise::Rician(sampled_sigma())] {
        compare(&model, &simulated, &table, &gpu(None), &SampleOptions { noise, ..short() });
    }
}

#[test]
fn chains_that_gpu_kernels_do_not_support_are_run_on_the_cpu() {
    if !arcuate_emulation::available("chains that a GPU does not support") {
        return;
    }
    let table = table(&[1000.0, 2000.0], 12);
    let simulated = voxels(&model("ball-2-sticks").unwrap(), &table, 5);
    let obstacle = |prior: &str, single_precision| {
        let model = model("ball-2-sticks").unwrap();
        let place = model.parameter_of("f1").unwrap();
        let model = model.with_prior(place, Prior::parse(prior).unwrap()).unwrap();
        let options = FitOptions { single_precision, evaluations: 3, ..FitOptions::default() };
        let sampling = SampleOptions { burn_in: 1, jumps: 4, interval: 4, ..short() };
        sample(&options, &model, &simulated, &table, &gpu(None), &sampling).obstacle
    };
    let unsupported = |what| Some(Obstacle::Unsupported(what));
    assert_eq!(obstacle("energy(dawson(f1))", true), None);
    assert_eq!(obstacle("energy(dawson(f1))", false), unsupported("chains in double precision"));
    let means = unsupported("means over orientations in priors that are formulas");
    assert_eq!(obstacle("energy(powder_stick(f1))", true), means);
}

#[test]
fn fixed_parameters_are_not_sampled_on_gpus() {
    if !arcuate_emulation::available("chains on a GPU") {
        return;
    }
    let table = table(&[1000.0, 2000.0], 12);
    let model = model("ball-2-sticks").unwrap();
    let simulated = voxels(&model, &table, 21);
    let change = |parameter: &str, what| Override { parameter: parameter.to_owned(), what };
    let known = OverrideKind::Fixed(Source::Number(1.2e-3));
    let overrides = [change("s0", OverrideKind::Kept), change("d", known), change("n1", OverrideKind::Kept)];
    let sampled = |noise| SampleOptions { noise, ..short() };
    for sampling in [sampled(Noise::default()), sampled(Noise::Gaussian(sampled_sigma()))] {
        let options = FitOptions { overrides: overrides.to_vec(), ..short_fits() };
        let of = |device: &Device| sample(&options, &model, &simulated, &table, device, &sampling);
        let (here, there) = (of(&Device::Cpu), of(&gpu(None)));
        let names: Vec<&str> = here.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
        assert_eq!(names[..3], ["f1", "f2", "n2"]);
        assert_same(&here, &there, &format!("{:?}", sampling.noise));
    }
}

#[test]
fn chains_continue_on_gpus() {
    if !arcuate_emulation::available("chains on a GPU") {
        return;
    }
    let table = table(&[1000.0, 2000.0], 12);
    let model = model("ball-1-stick").unwrap();
    let simulated = voxels(&model, &table, 21);
    let begun = SampleOptions { chains: 2, adapts_throughout: true, keeps_state: true, ..short() };
    let of = |device: &Device| sample(&short_fits(), &model, &simulated, &table, device, &begun);
    let (here, there) = (of(&Device::Cpu), of(&gpu(None)));
    assert!(here.state.is_some() && here.state == there.state);
    let options = SampleOptions { state: here.state, ..begun };
    // Voxels without chains have no state that a later run could continue.
    let mask = (0..21).map(|voxel| voxel != 3).collect();
    let mask = arcuate_core::Mask::new(*simulated.mask.grid(), mask).unwrap();
    let simulated = Simulated { mask, ..simulated };
    compare(&model, &simulated, &table, &gpu(None), &options);
}

#[test]
fn chains_that_exceed_gpu_memory_are_run_on_the_cpu() {
    if !arcuate_emulation::available("chains without room on a GPU") {
        return;
    }
    let table = table(&[1000.0, 2000.0], 150);
    let model = model("ball-2-rackets").unwrap();
    let simulated = voxels(&model, &table, 5);
    let options = FitOptions { single_precision: true, evaluations: 3, ..FitOptions::default() };
    let sampling = SampleOptions {
        burn_in: 1,
        jumps: 4,
        interval: 4,
        start: ChainStart::Model,
        ..SampleOptions::default()
    };
    let samples = sample(&options, &model, &simulated, &table, &gpu(None), &sampling);
    let what = "moves that change more than shared memory holds";
    assert_eq!(samples.obstacle, Some(Obstacle::Unsupported(what)));
}
