//! Times the spherical deconvolution of a diffusion series in host memory, first for one shell, then for
//! three tissues.

use crate::measure::median;
use crate::options::{DeconvolutionBenchOptions, Options};
use crate::outcome::Outcome;
use arcuate_compute::{Device, Purpose, Random};
use arcuate_core::{Affine, Control, GradientTable, Grid, Mask, Orientations, Volume};
use arcuate_fod::{Distributions, MultiTissue, Response, SingleShell, SingleShellOptions, Tissue};
use arcuate_numbers::legendre::even_polynomials;
use arcuate_numbers::quadrature::half_gauss_legendre;
use rayon::prelude::*;
use std::f64::consts::PI;
use std::time::Instant;

/// `B0` is the number of volumes at b = 0, and `DIRECTIONS` the number of directions of each shell.
const B0: usize = 6;
const DIRECTIONS: usize = 64;
/// b-values of the shells in s/mm².
const SHELLS: [f64; 2] = [1000.0, 2500.0];
const CONSTRAINTS: usize = 300;
const ORDER: usize = 8;
/// `S0` is the signal at b = 0. `SNR` is `S0` divided by the standard deviation of the noise.
const S0: f64 = 1000.0;
const SNR: f64 = 30.0;
/// Diffusivities of the simulated tissues in mm²/s: along a fibre bundle, across a fibre bundle, in grey
/// matter, and in CSF.
const AXIAL: f64 = 1.7e-3;
const RADIAL: f64 = 0.3e-3;
const GREY: f64 = 0.8e-3;
const CSF: f64 = 3e-3;
/// The number of voxels whose results are also computed on the CPU, for comparison.
const COMPARED: usize = 4096;

pub(crate) fn run(options: &Options) -> Outcome {
    let own = &options.deconvolution;
    let device = own.deconvolution_on.open(own.deconvolution_memory)?;
    let directions = Orientations::half_sphere(CONSTRAINTS).directions().to_vec();
    let series = table(&SHELLS)?;
    let white = Response::new(rows(&SHELLS, bundle))?;
    let [grey, csf] = [GREY, CSF].map(|diffusivity| Response::new(rows_of_isotropic(diffusivity)));

    let one = table(&SHELLS[1..])?;
    let solver = SingleShell::new(&one, &white.of_shell(2), &directions, &SingleShellOptions::default())?;
    let fit = |dwi: &Volume<f32>, mask: &Mask, device: &Device| {
        Ok(solver.fit_volume(dwi, mask, device, &Control::default())?)
    };
    measure("one shell", options, &one, &device, fit)?;

    let tissues = [white, grey?, csf?].map(Tissue::new);
    let solver = MultiTissue::new(&series, &tissues, &directions)?;
    let fit = |dwi: &Volume<f32>, mask: &Mask, device: &Device| {
        Ok(solver.fit_volume(dwi, mask, device, &Control::default())?)
    };
    measure("three tissues", options, &series, &device, fit)
}

/// Times a spherical deconvolution, including the transfers from and to host memory. Checks that the results
/// of the first voxels are bit-identical to those of the CPU.
fn measure(
    what: &str,
    options: &Options,
    table: &GradientTable,
    device: &Device,
    fit: impl Fn(&Volume<f32>, &Mask, &Device) -> Outcome<Distributions>,
) -> Outcome {
    let DeconvolutionBenchOptions { deconvolution_voxels: voxels, .. } = options.deconvolution;
    let dwi = simulate(table, voxels)?;
    let mask = Mask::full(*dwi.grid());
    let (mut times, mut last) = (Vec::new(), None);
    for turn in 0..=options.turns {
        let started = Instant::now();
        last = Some(fit(&dwi, &mask, device)?);
        if turn > 0 {
            times.push(started.elapsed().as_secs_f64());
        }
    }
    let found = last.ok_or("no turn")?;
    println!(
        "{what:<14} {voxels} voxels × {} measurements on {}: {:.4} s, {} not converged",
        table.len(),
        found.device,
        median(&times),
        found.unconverged
    );
    if *device == Device::Cpu {
        return Ok(());
    }
    let few = COMPARED.min(voxels);
    let mask = Mask::new(*dwi.grid(), (0..dwi.grid().len()).map(|voxel| voxel < few).collect())?;
    let here = fit(&dwi, &mask, &Device::Cpu)?;
    let different: usize = here
        .coefficients
        .iter()
        .zip(&found.coefficients)
        .map(|(here, there)| {
            let pairs = here.values().iter().zip(there.values()).take(few * here.channels());
            pairs.filter(|(here, there)| here.to_bits() != there.to_bits()).count()
        })
        .sum();
    println!("    {different} of the numbers of {few} voxels have other bits on the processor\n");
    if different > 0 { Err("the processor and the GPU differ".into()) } else { Ok(()) }
}

/// Returns the signal of a fibre bundle. `cosine` is the cosine of the angle between the gradient direction
/// and the bundle.
fn bundle(b: f64, cosine: f64) -> f64 {
    S0 * (-b * (RADIAL + (AXIAL - RADIAL) * cosine * cosine)).exp()
}

fn isotropic(diffusivity: f64, b: f64) -> f64 {
    S0 * (-b * diffusivity).exp()
}

/// Returns the zonal spherical harmonic coefficients (l = 0, 2, …) of the signal of a tissue. The first row
/// is for b = 0, and each following row for one shell.
fn rows(shells: &[f64], signal: impl Fn(f64, f64) -> f64) -> Vec<Vec<f64>> {
    let nodes = half_gauss_legendre(32);
    let of_shell = |b: f64| {
        let mut row = vec![0.0; ORDER / 2 + 1];
        for &(cosine, weight) in &nodes {
            for (n, polynomial) in even_polynomials(ORDER, cosine).into_iter().enumerate() {
                let norm = ((4 * n + 1) as f64 / (4.0 * PI)).sqrt();
                // The factor 4π accounts for both hemispheres.
                row[n] += 4.0 * PI * weight * norm * polynomial * signal(b, cosine);
            }
        }
        row
    };
    [0.0].iter().chain(shells).map(|&b| of_shell(b)).collect()
}

fn rows_of_isotropic(diffusivity: f64) -> Vec<Vec<f64>> {
    let root = (4.0 * PI).sqrt();
    [0.0].iter().chain(&SHELLS).map(|&b| vec![root * isotropic(diffusivity, b)]).collect()
}

fn table(shells: &[f64]) -> Outcome<GradientTable> {
    let (mut directions, mut b_values) = (vec![[1.0, 0.0, 0.0]; B0], vec![0.0; B0]);
    for &b in shells {
        directions.extend(Orientations::half_sphere(DIRECTIONS).directions());
        b_values.extend([b; DIRECTIONS]);
    }
    Ok(GradientTable::new(&directions, b_values, 50.0)?)
}

/// Simulates a diffusion series in which each voxel contains up to three fibre bundles, grey matter and CSF.
fn simulate(table: &GradientTable, voxels: usize) -> Outcome<Volume<f32>> {
    let grid = Grid::new([voxels, 1, 1], Affine::identity())?;
    let mut values = vec![0.0f32; voxels * table.len()];
    values.par_chunks_exact_mut(table.len()).enumerate().for_each(|(voxel, out)| {
        let mut random = Random::new(17, Purpose::Resampling, voxel as u64);
        let count = (4.0 * random.uniform()) as usize;
        let bundles: Vec<([f64; 3], f64)> = (0..count)
            .map(|_| {
                let axis: [f64; 3] = std::array::from_fn(|_| random.normal());
                let length = axis.iter().map(|c| c * c).sum::<f64>().sqrt();
                (axis.map(|c| c / length), (0.5 + 0.5 * random.uniform()) / count as f64)
            })
            .collect();
        let (grey, csf) = (0.3 * random.uniform(), 0.2 * random.uniform());
        for (m, out) in out.iter_mut().enumerate() {
            let (direction, b) = (table.directions()[m], table.b_values()[m]);
            let mut signal = grey * isotropic(GREY, b) + csf * isotropic(CSF, b);
            for (axis, share) in &bundles {
                signal += share * bundle(b, (0..3).map(|n| axis[n] * direction[n]).sum());
            }
            *out = (signal + S0 / SNR * random.normal()) as f32;
        }
    });
    Ok(Volume::new(grid, table.len(), values)?)
}
