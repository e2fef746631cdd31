//! Tests fits of fibre orientations that fan out (Bingham distribution): without noise, with noise, and if
//! the dispersion is axially symmetric.

use crate::simulation::{orientation, table};
use arcuate_compute::{Device, Purpose, Random};
use arcuate_core::{Affine, GradientTable, Grid, Mask, Volume};
use arcuate_model::fit::{FitOptions, ModelFit, Prediction, fit_models};
use arcuate_model::models::model;
use arcuate_numbers::vector3::cross;
use std::f64::consts::PI;

/// The true parameters of a voxel of the model NODDI-Bingham, and the axis of the fan. The fields have the
/// names of the model's maps.
#[derive(Debug, Clone, Copy)]
struct Truth {
    fwf: f64,
    ndi: f64,
    kappas: [f64; 2],
    mu: [f64; 3],
    fan: [f64; 3],
}

impl Truth {
    fn odi(&self) -> f64 {
        2.0 / PI * 1f64.atan2((self.kappas[0] * self.kappas[1]).sqrt())
    }

    fn da(&self) -> f64 {
        2.0 / PI * (self.kappas[0] - self.kappas[1]).atan2(self.kappas[1])
    }

    /// Returns the parameter values in the order of the model's file. The reference axis is perpendicular to
    /// the mean orientation and the fan, so that the angle of the fan is 0.
    fn numbers(&self) -> Vec<f64> {
        let (a, b) = (self.mu, self.fan);
        let across = cross(a, b);
        let mut numbers = vec![1000.0, self.fwf, self.ndi, self.kappas[0], self.kappas[1]];
        numbers.extend(self.mu);
        numbers.push(0.0);
        numbers.extend(across);
        numbers
    }
}

/// Creates random voxels that a protocol of three shells can determine. κ₁ is between 2 and 32. The function
/// `second` computes κ₂ from κ₁ and a random number.
fn truths(count: usize, second: fn(f64, f64) -> f64) -> Vec<Truth> {
    let mut random = Random::new(5, Purpose::Resampling, 0);
    let mut truth = || {
        let mu = orientation(&mut random);
        let other = orientation(&mut random);
        let along: f64 = (0..3).map(|axis| mu[axis] * other[axis]).sum();
        let rest: [f64; 3] = std::array::from_fn(|axis| other[axis] - along * mu[axis]);
        let length = rest.iter().map(|x| x * x).sum::<f64>().sqrt();
        let first = 2.0 * 16f64.powf(random.uniform());
        Truth {
            fwf: 0.3 * random.uniform(),
            ndi: 0.3 + 0.5 * random.uniform(),
            kappas: [first, second(first, random.uniform())],
            mu,
            fan: rest.map(|x| x / length),
        }
    };
    (0..count).map(|_| truth()).collect()
}

fn fit(truths: &[Truth], table: &GradientTable, snr: f64, single_precision: bool) -> ModelFit {
    let model = model("noddi-bingham").unwrap();
    let prediction = Prediction::new(&model, table, &[]).unwrap();
    let mut random = Random::new(6, Purpose::Resampling, 0);
    let signals = truths.iter().flat_map(|truth| {
        let signals = prediction.signals(&truth.numbers());
        signals.into_iter().map(|s| (s + 1000.0 / snr * random.normal()) as f32).collect::<Vec<f32>>()
    });
    let grid = Grid::new([truths.len(), 1, 1], Affine::identity()).unwrap();
    let dwi = Volume::new(grid, table.len(), signals.collect()).unwrap();
    let options = FitOptions { single_precision, ..FitOptions::default() };
    fit_models(&[model], &dwi, table, &Mask::full(grid), &Device::Cpu, &options).unwrap().remove(0)
}

fn found(fit: &ModelFit, name: &str, voxel: usize) -> f64 {
    f64::from(fit.maps.iter().find(|map| map.name == name).unwrap().volume.voxel(voxel)[0])
}

/// Returns the angle in degrees between the axis that a fitted map has in a voxel and this axis.
fn angle(fit: &ModelFit, name: &str, voxel: usize, axis: [f64; 3]) -> f64 {
    let map = &fit.maps.iter().find(|map| map.name == name).unwrap().volume;
    let cosine: f64 = map.voxel(voxel).iter().zip(axis).map(|(found, axis)| f64::from(*found) * axis).sum();
    cosine.abs().min(1.0).acos().to_degrees()
}

#[test]
fn noise_free_fans_are_recovered_for_any_axes() {
    let table = table(&[1000.0, 2000.0, 3000.0], 50);
    let mut all = truths(100, |first, part| first * (0.1 + 0.6 * part));
    // The mean orientation is on or very near the coordinate axes.
    let half = 0.5f64.sqrt();
    for (n, mu) in [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [half, half, 0.0]]
        .into_iter()
        .enumerate()
    {
        let side = if mu[2] == 0.0 { [-mu[1], mu[0], 0.0] } else { [1.0, 0.0, 0.0] };
        let up: [f64; 3] = std::array::from_fn(|axis| {
            let (next, last) = ((axis + 1) % 3, (axis + 2) % 3);
            mu[next] * side[last] - mu[last] * side[next]
        });
        for step in 0..6 {
            let (sin, cos) = (f64::from(step) * PI / 6.0).sin_cos();
            let fan = std::array::from_fn(|axis| cos * side[axis] + sin * up[axis]);
            let kappas = [6.0 + n as f64, 2.0];
            all.push(Truth { fwf: 0.1, ndi: 0.6, kappas, mu, fan });
        }
    }
    let fit = fit(&all, &table, f64::INFINITY, false);
    let is_found = |(voxel, truth): (usize, &Truth)| {
        // The tolerances allow for signals in single precision.
        (found(&fit, "odi", voxel) - truth.odi()).abs() < 1e-3
            && (found(&fit, "da", voxel) - truth.da()).abs() < 1e-3
            && (found(&fit, "ndi", voxel) - truth.ndi).abs() < 1e-3
            && (found(&fit, "fwf", voxel) - truth.fwf).abs() < 1e-3
            && angle(&fit, "mu", voxel, truth.mu) < 0.1
            && angle(&fit, "fan", voxel, truth.fan) < 0.3
    };
    let missed: Vec<usize> =
        all.iter().enumerate().filter(|(voxel, truth)| !is_found((*voxel, truth))).map(|(n, _)| n).collect();
    println!("{missed:?} of {}", all.len());
    // At most one of the random voxels may converge to another minimum.
    assert!(missed.len() <= 1 && missed.iter().all(|voxel| *voxel < 100), "{missed:?}");
}

#[test]
fn bias_and_spread_agree_with_the_documentation() {
    // The table in docs/src/algorithms/microstructure.md has these values. They are medians of the
    // differences, and half the range that contains 68 % of them. The limits are about a third above the
    // values.
    let all = truths(200, |first, part| first * (0.05 + 0.95 * part));
    for (snr, shells, limits) in [
        (
            30.0,
            &[1000.0, 2000.0][..],
            [[0.008, 0.055], [0.008, 0.055], [0.005, 0.02], [0.045, 0.22], [1.8, 2.2]],
        ),
        (
            30.0,
            &[1000.0, 2000.0, 3000.0],
            [[0.008, 0.045], [0.006, 0.035], [0.005, 0.015], [0.035, 0.17], [1.5, 1.6]],
        ),
        (
            100.0,
            &[1000.0, 2000.0, 3000.0],
            [[0.003, 0.015], [0.003, 0.011], [0.002, 0.005], [0.01, 0.045], [0.5, 0.5]],
        ),
    ] {
        let fit = fit(&all, &table(shells, 50), snr, true);
        let of = |difference: &dyn Fn(usize, &Truth) -> f64| {
            let mut values: Vec<f64> =
                all.iter().enumerate().map(|(n, truth)| difference(n, truth)).collect();
            values.sort_by(f64::total_cmp);
            let at = |part: f64| values[(part * values.len() as f64) as usize];
            [at(0.5), 0.5 * (at(0.84) - at(0.16))]
        };
        let figures = [
            of(&|n, truth| found(&fit, "fwf", n) - truth.fwf),
            of(&|n, truth| found(&fit, "ndi", n) - truth.ndi),
            of(&|n, truth| found(&fit, "odi", n) - truth.odi()),
            of(&|n, truth| found(&fit, "da", n) - truth.da()),
            of(&|n, truth| angle(&fit, "mu", n, truth.mu)),
        ];
        println!("SNR {snr}, {} shells: {figures:.3?}", shells.len());
        for ([bias, spread], [most_bias, most_spread]) in figures.into_iter().zip(limits) {
            assert!(bias.abs() <= most_bias && spread <= most_spread, "SNR {snr}: {figures:.4?}");
        }
    }
}

#[test]
fn axially_symmetric_dispersion_stays_mostly_symmetric() {
    // DA = ½ corresponds to κ₁ = 2 κ₂. If the true dispersion is axially symmetric, noise causes some
    // apparent anisotropy. Larger anisotropies must be rarer.
    let all = truths(600, |first, _| first);
    let fit = fit(&all, &table(&[1000.0, 2000.0], 50), 30.0, true);
    let between = |low: f64, high: f64| {
        (0..all.len()).filter(|&voxel| (low..high).contains(&found(&fit, "da", voxel))).count()
    };
    let (here, beside) = (between(0.45, 0.55), between(0.35, 0.45) + between(0.55, 0.65));
    let tenths: Vec<usize> = (0..10).map(|n| between(0.1 * f64::from(n), 0.1 * f64::from(n) + 0.1)).collect();
    println!("{here} at 0.5, {beside} beside, {tenths:?} of each tenth");
    assert!(2 * here <= beside + beside / 4 + 10, "{here} {beside}");
    assert!(between(0.0, 0.2) > 2 * between(0.4, 0.6));
}

#[test]
fn equal_concentrations_agree_with_the_watson_distribution() {
    let table = table(&[1000.0, 2000.0, 3000.0], 30);
    let predict = |name: &str| Prediction::new(&model(name).unwrap(), &table, &[]).unwrap();
    let (bingham, watson) = (predict("noddi-bingham"), predict("noddi-watson"));
    for concentration in [0.0, 0.3, 4.0, 64.0] {
        let mu = [0.48, 0.6, 0.64];
        let fan = [0.6, -0.48, 0.0].map(|x| x / 0.6f64.hypot(0.48));
        let truth = Truth { fwf: 0.2, ndi: 0.6, kappas: [concentration; 2], mu, fan };
        let [x, y, z] = mu;
        let one = bingham.signals(&truth.numbers());
        let other = watson.signals(&[1000.0, 0.2, 0.6, concentration, x, y, z]);
        for (a, b) in one.iter().zip(&other) {
            // The tolerance refers to a signal of 1000.
            assert!((a - b).abs() < 1e-8, "{concentration}: {a} {b}");
        }
    }
}
