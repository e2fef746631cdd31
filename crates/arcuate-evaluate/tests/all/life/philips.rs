//! Compares LiFE on a real scan with the exact optimum of DIPY's own problem (`oracles/life_dipy.py`).

use arcuate_compute::{Device, DeviceChoice};
use arcuate_core::{Mask, Orientations, Tractogram};
use arcuate_evaluate::encoding::NodeValue;
use arcuate_evaluate::{Element, Life, LifeOptions, LifeProblem, Normalisation, Solver};
use arcuate_solve::StoppingRule;
use arcuate_test_support::real_data;

/// Objective ½‖y − Mw‖² at the optimum of DIPY's problem (`life_matrix` and `fit_data` of DIPY 1.12.1) for
/// the first 500 streamlines. SciPy's exact NNLS gives 1231.046622038 / 2.
const EXACT: f64 = 615.523_311_019;

/// Returns DIPY's options: its 362 sphere vertices (in scanner axes), the value 1 for each node, and signals
/// relative to b = 0.
fn dipy_options(solver: Solver, stopping: StoppingRule) -> LifeOptions {
    let text = include_str!("../../data/dipy_half_sphere.txt");
    let vertices: Vec<[f64; 3]> = text
        .lines()
        .map(|line| {
            let numbers: Vec<f64> = line.split_whitespace().map(|n| n.parse().unwrap()).collect();
            numbers.try_into().unwrap()
        })
        .collect();
    LifeOptions {
        shells: None,
        eigenvalues: [1.0, 0.0, 0.0],
        orientations: Orientations::new(&vertices).unwrap(),
        node_value: NodeValue::Count,
        normalisation: Normalisation::Relative,
        solver,
        l1: 0.0,
        stopping,
    }
}

fn first_500<T: Element>(options: &LifeOptions, device: &Device) -> Option<(LifeProblem<T>, Life)> {
    let dwi = arcuate_io::read_volume(&real_data("philips_dwi/dwi.nii.gz")?).unwrap();
    let gradients = arcuate_io::fsl_gradients::read(
        &real_data("philips_dwi/dwi.bval")?,
        &real_data("philips_dwi/dwi.bvec")?,
        dwi.grid().affine(),
        Some(dwi.channels()),
    )
    .and_then(|stored| stored.table(&arcuate_io::GradientReading::with_threshold(50.0)))
    .unwrap();
    let tracks = arcuate_io::read_tractogram(&real_data("philips_dwi/tracks.tck")?).unwrap().tractogram;
    let first: Tractogram = tracks.select(&(0..500).collect::<Vec<_>>());
    let problem =
        LifeProblem::new(&dwi, &gradients, &Mask::full(*dwi.grid()), &first, options, device).unwrap();
    let life = problem.solve(options, |_| true);
    Some((problem, life))
}

/// Returns the CPU, and a real GPU if one is under test. An emulated GPU would be too slow for a scan.
fn devices() -> Vec<Device> {
    let mut devices = vec![Device::Cpu];
    if arcuate_emulation::available("LiFE of a real scan on a GPU") && !arcuate_emulation::emulated() {
        devices.push(DeviceChoice::Cuda(vec![0]).open(None).unwrap());
    }
    devices
}

#[test]
fn dipy_encoding_reaches_the_exact_optimum() {
    let rule = StoppingRule { tolerance: 1e-7, iterations: 2000 };
    for device in devices() {
        for solver in [Solver::ProjectedBarzilaiBorwein, Solver::Sbbnnls] {
            let Some((problem, life)) = first_500::<f64>(&dipy_options(solver, rule), &device) else {
                return;
            };
            assert_eq!(problem.data().len(), 205_728, "the rows of DIPY's matrix");
            let error = (life.objective - EXACT) / EXACT;
            assert!(error.abs() <= 1e-6, "{device}, {solver:?}: {} is {error:e} off", life.objective);
            // The exact solution has 495 streamlines with a weight above 0.
            assert!(life.supported().len().abs_diff(495) <= 1, "{}", life.supported().len());
        }
    }
}

#[test]
fn single_precision_reaches_the_optimum_with_default_stopping_rule() {
    let options = dipy_options(Solver::default(), StoppingRule::default());
    for device in devices() {
        let Some((_, life)) = first_500::<f32>(&options, &device) else { return };
        let error = (life.objective - EXACT) / EXACT;
        assert!(
            error.abs() <= 1e-6,
            "{device}: {} is {error:e} off after {} iterations",
            life.objective,
            life.trace.points.len()
        );
    }
}

#[test]
fn lesions_of_supported_bundles_increase_the_error() {
    let options = LifeOptions::default();
    let Some((problem, life)) = first_500::<f32>(&options, &Device::Cpu) else { return };
    let supported = life.supported();
    let half: Vec<u32> = supported.iter().step_by(2).map(|&n| n as u32).collect();
    let kept = problem.virtual_lesion(&life, &half, None).unwrap();
    let refitted = problem.virtual_lesion(&life, &half, Some(&options)).unwrap();
    assert_eq!(kept.supported, half.len());
    assert!(kept.rmse_without > kept.rmse_with);
    assert!(refitted.rmse_without >= refitted.rmse_with);
    assert!(refitted.rmse_without <= kept.rmse_without, "refitting can only help");
    assert!(kept.strength_of_evidence > refitted.strength_of_evidence);
    assert!(kept.earth_movers_distance > 0.0);
    let unsupported: Vec<u32> = (0..500).filter(|n| life.weights[*n as usize] == 0.0).collect();
    if !unsupported.is_empty() {
        let nothing = problem.virtual_lesion(&life, &unsupported, None).unwrap();
        assert_eq!((nothing.supported, nothing.strength_of_evidence), (0, 0.0));
    }
    assert!(problem.virtual_lesion(&life, &[500], None).is_err());
    assert!(problem.virtual_lesion(&life, &[], None).is_err());
}
