//! Tests warnings about responses: ten simulated brains give no warnings, and each fault is found in all ten.

use arcuate_compute::Device;
use arcuate_core::{Control, Mask, Result, Volume};
use arcuate_fod::{LabelledResponse, Response, TissueKind, check_responses_of_series, check_voxels};
use arcuate_phantom::{Phantom, PhantomOptions, multi_shell_gradients, simulate};
use arcuate_pipeline::stages::csd::{Deconvolution, deconvolve};
use arcuate_pipeline::stages::response::{Estimated, ResponseMethod, ResponseOptions, estimate};
use std::sync::OnceLock;

/// Voxel size in mm, shells (number of directions, and b in s/mm²), signal-to-noise ratio, and true for
/// realistic tissues.
type Scan = (f64, &'static [(usize, f64)], f64, bool);

const SCANS: [Scan; 10] = [
    (4.0, &[(20, 1000.0), (30, 2500.0)], 40.0, true),
    (4.0, &[(30, 1000.0), (60, 3000.0)], 20.0, true),
    (4.0, &[(16, 700.0), (30, 1200.0), (50, 2800.0)], 30.0, true),
    (4.0, &[(30, 1000.0), (30, 2000.0), (30, 3000.0)], 15.0, true),
    (4.0, &[(28, 1000.0), (28, 2000.0)], 50.0, false),
    (4.0, &[(32, 800.0), (45, 2000.0)], 30.0, true),
    (4.0, &[(30, 1500.0), (60, 3000.0)], 25.0, false),
    (3.5, &[(20, 1000.0), (45, 2000.0)], 12.0, true),
    (4.0, &[(45, 1000.0), (45, 2500.0)], 100.0, false),
    (3.5, &[(30, 500.0), (30, 1000.0), (60, 2000.0)], 20.0, true),
];

struct Case {
    scan: Phantom,
    found: Estimated,
    warnings: Vec<String>,
}

/// Returns the result of `work` and its warnings.
fn with_captured_log<R>(work: impl FnOnce(&Control) -> R) -> (R, Vec<String>) {
    arcuate_test_support::warnings(|| work(&Control::default()))
}

fn estimated(dwi: &Volume<f32>, scan: &Phantom, mask: &Mask) -> (Result<Estimated>, Vec<String>) {
    let mut options = ResponseOptions::default();
    options.method = ResponseMethod::Tissues;
    with_captured_log(|control| estimate(dwi, &scan.gradients, mask, &options, control))
}

fn cases() -> &'static [Case] {
    static SIMULATED: OnceLock<Vec<Case>> = OnceLock::new();
    SIMULATED.get_or_init(|| {
        let case = |(n, &(voxel_size_mm, shells, snr, tissues)): (usize, &Scan)| {
            let options = PhantomOptions {
                voxel_size_mm,
                snr: Some(snr),
                seed: n as u64 + 1,
                streamlines_per_bundle: 1,
                samples_per_edge: 2,
                tissues,
                ..PhantomOptions::default()
            };
            let scan = simulate(&multi_shell_gradients(shells, 4).unwrap(), &options).unwrap();
            let (found, warnings) = estimated(&scan.dwi, &scan, &scan.brain_mask);
            Case { scan, found: found.unwrap(), warnings }
        };
        SCANS.iter().enumerate().map(case).collect()
    })
}

/// Returns the responses of white matter, grey matter and CSF.
fn responses(case: &Case) -> [Response; 3] {
    [0, 1, 2].map(|tissue| case.found.tissues[tissue].0.clone())
}

/// Returns the warnings about responses, or the error.
fn checked(
    case: &Case,
    dwi: &Volume<f32>,
    responses: &[Response; 3],
) -> std::result::Result<Vec<String>, String> {
    let given: Vec<LabelledResponse<'_>> = TissueKind::ALL.into_iter().zip(responses).collect();
    check_responses_of_series(&given, dwi, &case.scan.gradients, &case.scan.brain_mask)
        .map_err(|error| error.to_string())
}

fn with_rows(response: &Response, change: impl Fn(Vec<Vec<f64>>) -> Vec<Vec<f64>>) -> Response {
    Response::new(change(response.rows().to_vec())).unwrap()
}

fn scaled(response: &Response, factor: f64) -> Response {
    with_rows(response, |rows| rows.into_iter().map(|row| row.iter().map(|c| factor * c).collect()).collect())
}

#[test]
fn responses_of_good_scans_give_no_warnings() {
    for (n, case) in cases().iter().enumerate() {
        assert!(case.warnings.is_empty(), "scan {n}: {:?}", case.warnings);
        let responses = responses(case);
        assert_eq!(checked(case, &case.scan.dwi, &responses), Ok(Vec::new()), "scan {n}");
        // The same responses fit a scan with another receiver gain.
        let gained = case.scan.dwi.map(|signal| 4.0 * signal);
        assert_eq!(checked(case, &gained, &responses), Ok(Vec::new()), "scan {n}");
        let voxels: Vec<usize> = case.found.tissues.iter().map(|(_, voxels)| voxels.count()).collect();
        assert!(voxels.iter().all(|count| *count >= 20), "scan {n}: {voxels:?}");
    }
    let case = &cases()[0];
    let responses = responses(case);
    let given: Vec<LabelledResponse<'_>> = TissueKind::ALL.into_iter().zip(&responses).collect();
    // A fifth of the white matter is enough to count voxels that could not be computed.
    let (grid, white) = (*case.scan.dwi.grid(), &case.scan.white_matter);
    let flags = (0..grid.len()).map(|voxel| voxel % 5 == 0 && white.contains(voxel)).collect();
    let mask = Mask::new(grid, flags).unwrap();
    let job = Deconvolution {
        dwi: &case.scan.dwi,
        gradients: &case.scan.gradients,
        mask: &mask,
        responses: &given,
        order: None,
    };
    let (found, warnings) = with_captured_log(|control| deconvolve(&job, &Device::Cpu, control).unwrap());
    assert!(warnings.is_empty() && found.counts.not_computed() == 0, "{warnings:?}");
}

#[test]
fn each_contradiction_of_responses_is_rejected() {
    for (n, case) in cases().iter().enumerate() {
        let [wm, gm, csf] = responses(case);
        let reversed = |response: &Response| with_rows(response, |rows| rows.into_iter().rev().collect());
        let dwi = &case.scan.dwi;
        let huge = dwi.map(|signal| 1e30 * signal);
        for (series, given, part) in [
            (dwi, [gm.clone(), wm.clone(), csf.clone()], "the order of the tissues is wrong"),
            (dwi, [csf.clone(), gm.clone(), wm.clone()], "the order of the tissues is wrong"),
            (dwi, [wm.clone(), csf.clone(), csf.clone()], "the same as the response of grey matter"),
            (dwi, [wm.clone(), scaled(&csf, 1.7), csf.clone()], "this response is a multiple of"),
            (dwi, [reversed(&wm), gm.clone(), csf.clone()], "the mean signal of the response rises"),
            (dwi, [wm.clone(), reversed(&gm), csf.clone()], "the mean signal of the response rises"),
            (
                dwi,
                [scaled(&wm, 1e-300), gm.clone(), csf.clone()],
                "times smaller than the signal of the \
                series",
            ),
            (
                dwi,
                [scaled(&wm, 1e-4), gm.clone(), csf.clone()],
                "times smaller than the signal of the \
                series",
            ),
            (dwi, [wm.clone(), gm.clone(), scaled(&csf, 1e4)], "times larger than the signal of the series"),
            (&huge, [wm.clone(), gm.clone(), csf.clone()], "times smaller than the signal of the series"),
        ] {
            let message = checked(case, series, &given).expect_err(part);
            assert!(message.contains(part), "scan {n}: {message}");
        }
    }
}

#[test]
fn each_doubt_about_responses_gives_a_warning() {
    for (n, case) in cases().iter().enumerate() {
        let [wm, gm, csf] = responses(case);
        let dwi = &case.scan.dwi;
        let rising = with_rows(&gm, |mut rows| {
            let last = rows.len() - 1;
            rows[last][0] = 1.06 * rows[last - 1][0];
            rows
        });
        for (given, part) in [
            ([wm.clone(), csf.clone(), gm.clone()], "CSF falls more slowly with b"),
            ([scaled(&wm, 0.01), gm.clone(), csf.clone()], "may be of another unit"),
            ([wm.clone(), rising, csf.clone()], "the mean signal of the response rises by 6 %"),
        ] {
            let doubts = checked(case, dwi, &given).unwrap();
            assert!(doubts.len() == 1 && doubts[0].contains(part), "scan {n}: {part}: {doubts:?}");
        }
        // This mask is a small part of the brain.
        let (grid, brain) = (*dwi.grid(), &case.scan.brain_mask);
        let middle = grid.shape().map(|size| size / 2);
        let is_near = |voxel: usize| {
            brain.contains(voxel)
                && grid.coordinates(voxel).iter().zip(middle).all(|(c, m)| c.abs_diff(m) < 6)
        };
        let small = Mask::new(grid, (0..grid.len()).map(is_near).collect()).unwrap();
        let (found, warnings) = estimated(dwi, &case.scan, &small);
        let is_told = warnings.iter().any(|warning| warning.contains("fewer than 20"));
        let is_refused = found.is_err_and(|error| error.to_string().contains("no voxels of"));
        assert!(is_told || is_refused, "scan {n}: {warnings:?}");
    }
}

#[test]
fn responses_from_a_bright_corner_give_a_warning() {
    for (n, case) in cases().iter().enumerate() {
        // The gain is that of a receive coil at one corner of the head.
        let (grid, brain) = (*case.scan.dwi.grid(), &case.scan.brain_mask);
        let mut dwi = case.scan.dwi.clone();
        let size = grid.shape().map(|size| size as f64);
        for voxel in 0..grid.len() {
            let at = grid.coordinates(voxel);
            let distance: f64 = (0..3).map(|k| at[k] as f64 / size[k]).sum();
            let gain = (8.0 * (1.0 - distance)).exp() as f32;
            dwi.voxel_mut(voxel).iter_mut().for_each(|signal| *signal *= gain);
        }
        let (_, warnings) = estimated(&dwi, &case.scan, brain);
        let is_corner =
            |warning: &String| warning.contains("the response of white matter are all in one corner");
        assert!(warnings.iter().any(is_corner), "scan {n}: {warnings:?}");
        let doubts = check_voxels(&[(TissueKind::WhiteMatter, &case.found.tissues[0].1)], brain);
        assert!(doubts.is_empty(), "scan {n}: {doubts:?}");
    }
}
