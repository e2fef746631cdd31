//! Times fits of signal models in every voxel, on simulated data of the size of two published acquisitions.
//! The benchmarks are called `fit-biobank` and `fit-hcp`.

use crate::measure::median;
use crate::options::Options;
use crate::outcome::Outcome;
use arcuate_compute::{Device, Purpose, Random};
use arcuate_core::{Affine, GradientTable, Grid, Mask, Orientations, Volume};
use arcuate_model::fit::sample::{Deviation, ModelSamples, Noise, SampleOptions, sample_model};
use arcuate_model::fit::{FitOptions, ModelFit, Prediction, Status, fit_models};
use arcuate_model::language::{Form, Model, Parameter, Prior};
use arcuate_model::models::model;
use rayon::prelude::*;
use std::time::Instant;

/// Number of voxels and gradient table of a published acquisition.
pub(crate) struct Acquisition {
    name: &'static str,
    pub(crate) voxels: usize,
    b0: usize,
    shells: &'static [f64],
    directions: usize,
    pub(crate) snr: f64,
}

/// The number of voxels with different model parameters. All further voxels repeat these parameters, with
/// independent noise.
const DIFFERENT: usize = 20_000;

pub(crate) const BIOBANK: Acquisition = Acquisition {
    name: "fit-biobank",
    voxels: 300_000,
    b0: 5,
    shells: &[1000.0, 2000.0],
    directions: 50,
    snr: 30.0,
};
const HCP: Acquisition = Acquisition {
    name: "fit-hcp",
    voxels: 900_000,
    b0: 18,
    shells: &[1000.0, 2000.0, 3000.0],
    directions: 90,
    snr: 20.0,
};

pub(crate) fn run_biobank(options: &Options) -> Outcome {
    run(options, &BIOBANK)
}

pub(crate) fn run_hcp(options: &Options) -> Outcome {
    run(options, &HCP)
}

fn run(options: &Options, acquisition: &Acquisition) -> Outcome {
    let own = &options.fit;
    let voxels = own.fit_voxels.unwrap_or(acquisition.voxels);
    let table = table(acquisition)?;
    let device = own.fit_on.open(own.fit_memory)?;
    println!("{}: {voxels} voxels × {} measurements, SNR {}", acquisition.name, table.len(), acquisition.snr);
    for name in &own.fit_models {
        let model = model(name)?;
        let (dwi, truth) = simulate(&model, &table, voxels, acquisition.snr)?;
        let mask = Mask::full(*dwi.grid());
        let fit_options = FitOptions {
            single_precision: !own.fit_double,
            bounds: if own.fit_transform {
                arcuate_model::fit::BoundsMethod::Transform
            } else {
                arcuate_model::fit::BoundsMethod::default()
            },
            ..FitOptions::default()
        };
        if own.fit_sample {
            sample(options, &model, &dwi, &table, &device, &fit_options)?;
            continue;
        }
        let mut times = Vec::new();
        let mut last = None;
        for turn in 0..=options.turns {
            let started = Instant::now();
            let fit = fit_models(std::slice::from_ref(&model), &dwi, &table, &mask, &device, &fit_options)?;
            if turn > 0 {
                times.push(started.elapsed().as_secs_f64());
            }
            last = fit.into_iter().next();
        }
        let fit = last.ok_or("no fit")?;
        println!(
            "{name:<22} {:>9.4} s   {:.1} evaluations a voxel, {:.2} % converged",
            median(&times),
            fit.evaluations as f64 / voxels as f64,
            100.0 * converged(&fit) / voxels as f64
        );
        say_errors(&model, &fit, &truth);
        check_against_the_processor(&model, &dwi, &table, &fit, &fit_options, &device)?;
    }
    Ok(())
}

/// Times the Markov chains of a signal model. Checks that the samples of the first voxels are bit-identical
/// to those of the CPU.
fn sample(
    options: &Options,
    model: &Model,
    dwi: &Volume<f32>,
    table: &GradientTable,
    device: &Device,
    fit_options: &FitOptions,
) -> Outcome {
    let mask = Mask::full(*dwi.grid());
    let sigma = Deviation::Sampled(Prior::parse("log_uniform")?);
    let noise = if options.fit.fit_rician { Noise::Rician(sigma) } else { Noise::default() };
    let sampling = SampleOptions { noise, ..SampleOptions::default() };
    let run =
        |mask: &Mask, device: &Device| sample_model(model, dwi, table, mask, device, fit_options, &sampling);
    let mut times: [Vec<f64>; 3] = Default::default();
    let mut last = None;
    for turn in 0..=options.turns {
        let started = Instant::now();
        let found = run(&mask, device)?;
        if turn > 0 {
            for (times, time) in
                times.iter_mut().zip(found.seconds.into_iter().chain([started.elapsed().as_secs_f64()]))
            {
                times.push(time);
            }
        }
        last = Some(found);
    }
    let found = last.ok_or("no samples")?;
    let [fit, chains, all] = times.map(|times| median(&times));
    println!(
        "{:<22} fit {fit:>8.4} s   chains {chains:>8.4} s   all with means and maps {all:>8.4} s",
        model.name()
    );
    for (n, parameter) in found.parameters.iter().enumerate() {
        let acceptance = found.acceptance.values().iter().skip(n).step_by(found.parameters.len());
        let effective = found.convergence_of(parameter);
        let mean = |values: &mut dyn Iterator<Item = f32>| {
            values.map(f64::from).sum::<f64>() / found.voxels.len() as f64
        };
        println!(
            "    {:<8} {:>5.1} % accepted, {:>5.1} effective samples",
            parameter.name,
            100.0 * mean(&mut acceptance.copied()),
            mean(&mut effective.values().iter().step_by(2).copied())
        );
    }
    if *device == Device::Cpu {
        return Ok(());
    }
    let few = 4096.min(dwi.grid().len());
    let inside = (0..dwi.grid().len()).map(|voxel| voxel < few).collect();
    let here = run(&Mask::new(*dwi.grid(), inside)?, &Device::Cpu)?;
    let mut different = 0usize;
    for &voxel in &here.voxels {
        let rows = |of: &ModelSamples| -> Vec<u32> {
            let rows = of.of_voxel(voxel).into_iter().flatten();
            rows.flat_map(|row| row.iter().map(|value| value.to_bits())).collect()
        };
        let (a, b) = (rows(&here), rows(&found));
        different += a.iter().zip(&b).filter(|(a, b)| a != b).count() + a.len().abs_diff(b.len());
    }
    println!(
        "    the processor: chains of {few} voxels in {:.4} s; {different} numbers of samples have other bits\n",
        here.seconds[1]
    );
    if different > 0 { Err("the processor and the GPU differ".into()) } else { Ok(()) }
}

fn converged(fit: &ModelFit) -> f64 {
    let is_at_a_minimum = |status: Status| matches!(status, Status::Converged | Status::AtBound);
    fit.counts.iter().filter(|(status, _)| is_at_a_minimum(*status)).map(|(_, count)| *count as f64).sum()
}

pub(crate) fn table(acquisition: &Acquisition) -> Outcome<GradientTable> {
    let (mut directions, mut b) = (vec![[1.0, 0.0, 0.0]; acquisition.b0], vec![0.0; acquisition.b0]);
    for (n, b_value) in acquisition.shells.iter().enumerate() {
        let set = Orientations::half_sphere(acquisition.directions + n);
        directions.extend(&set.directions()[..acquisition.directions]);
        b.extend(vec![*b_value; acquisition.directions]);
    }
    Ok(GradientTable::new(&directions, b, 50.0)?)
}

/// Returns a random value for a model parameter, within the range of this parameter.
fn value(parameter: &Parameter, random: &mut Random) -> f64 {
    let mut between = |low: f64, high: f64| low + (high - low) * random.uniform();
    match (parameter.name(), parameter.form()) {
        ("s0", _) => between(500.0, 1500.0),
        ("kappa", _) => 16.0 * between(0.0, 1.0).powi(2),
        ("fwf", _) => between(0.0, 0.7),
        ("f1", _) => between(0.3, 0.5),
        ("f2", _) => between(0.1, 0.3),
        ("f3", _) => between(0.05, 0.15),
        ("d", _) => between(0.5e-3, 2e-3),
        ("dxx" | "dyy" | "dzz", _) => between(0.5e-3, 1.5e-3),
        ("dxy" | "dxz" | "dyz", _) => between(-0.2e-3, 0.2e-3),
        ("d_std", _) => between(0.1e-3, 0.8e-3),
        (_, Form::Number { bounds, .. }) => {
            between(bounds.low.max(0.0), bounds.high.min(1e-3_f64.max(0.9 * bounds.high)))
        }
        (_, Form::Orientation { .. }) => f64::NAN,
    }
}

pub(crate) type Truth = Vec<Vec<f64>>;

pub(crate) fn simulate(
    model: &Model,
    table: &GradientTable,
    voxels: usize,
    snr: f64,
) -> Outcome<(Volume<f32>, Truth)> {
    let mut random = Random::new(14, Purpose::Resampling, 0);
    let truth: Truth = (0..DIFFERENT.min(voxels))
        .map(|_| {
            let mut numbers = Vec::new();
            for parameter in model.parameters().iter().filter(|parameter| !parameter.is_fixed()) {
                if parameter.numbers() == 1 {
                    numbers.push(value(parameter, &mut random));
                } else {
                    let v: [f64; 3] = std::array::from_fn(|_| random.normal());
                    let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
                    numbers.extend(v.map(|x| x / length));
                }
            }
            numbers
        })
        .collect();
    let prediction = Prediction::new(model, table, &[])?;
    let signals: Vec<Vec<f64>> = truth.par_iter().map(|numbers| prediction.signals(numbers)).collect();
    let mut values = vec![0.0f32; voxels * table.len()];
    values.par_chunks_exact_mut(table.len()).enumerate().for_each(|(voxel, out)| {
        let mut random = Random::new(15, Purpose::Resampling, voxel as u64);
        let (signals, s0) = (&signals[voxel % signals.len()], truth[voxel % truth.len()][0]);
        for (out, signal) in out.iter_mut().zip(signals) {
            *out = (signal + s0 / snr * random.normal()) as f32;
        }
    });
    let grid = Grid::new([100, voxels.div_ceil(100), 1], Affine::identity())?;
    values.resize(grid.len() * table.len(), 0.0);
    Ok((Volume::new(grid, table.len(), values)?, truth))
}

/// Prints the median error of each parameter.
fn say_errors(model: &Model, fit: &ModelFit, truth: &Truth) {
    let mut first = 0;
    for parameter in model.parameters().iter().filter(|parameter| !parameter.is_fixed()) {
        if let Some(map) = fit.maps.iter().find(|map| map.name == parameter.name()) {
            let errors: Vec<f64> = (0..truth.len())
                .map(|voxel| {
                    let found = map.volume.voxel(voxel);
                    if parameter.numbers() == 1 {
                        return (f64::from(found[0]) - truth[voxel][first]).abs();
                    }
                    let cosine: f64 = (0..3).map(|n| f64::from(found[n]) * truth[voxel][first + n]).sum();
                    cosine.abs().min(1.0).acos().to_degrees()
                })
                .collect();
            let unit = if parameter.numbers() == 1 { parameter.unit().to_string() } else { "degrees".into() };
            println!("    {:<12} median error {:.3e} {unit}", parameter.name(), median(&errors));
        }
        first += parameter.numbers();
    }
}

/// Checks that the fitted parameters of the first voxels are bit-identical to those of the CPU.
fn check_against_the_processor(
    model: &Model,
    dwi: &Volume<f32>,
    table: &GradientTable,
    fit: &ModelFit,
    options: &FitOptions,
    device: &Device,
) -> Outcome {
    if *device == Device::Cpu {
        return Ok(());
    }
    let few = 4096.min(dwi.grid().len());
    let inside = (0..dwi.grid().len()).map(|voxel| voxel < few).collect();
    let mask = Mask::new(*dwi.grid(), inside)?;
    let here = fit_models(std::slice::from_ref(model), dwi, table, &mask, &Device::Cpu, options)?;
    let mut different = 0;
    for (a, b) in here[0].maps.iter().zip(&fit.maps) {
        let channels = a.volume.channels();
        let bits = |volume: &Volume<f32>| -> Vec<u32> {
            volume.values()[..few * channels].iter().map(|value| value.to_bits()).collect()
        };
        different += bits(&a.volume).iter().zip(bits(&b.volume)).filter(|(a, b)| **a != *b).count();
    }
    println!("    {different} of the numbers of {few} voxels have other bits on the processor\n");
    if different > 0 { Err("the processor and the GPU differ".into()) } else { Ok(()) }
}
