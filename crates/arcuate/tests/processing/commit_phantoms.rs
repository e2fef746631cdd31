//! Tests of COMMIT on phantoms: which streamlines COMMIT keeps, and which intra-axonal fractions it finds. The
//! signals of a phantom come from the geometry of its bundles in cells of a quarter of a voxel, not from the
//! operator under test.

use arcuate_core::{Error, Orientations, PeakFrame, Tractogram};
use arcuate_evaluate::SparseTucker;
use arcuate_evaluate::commit::{
    Axes, AxialResponse, Blur, Commit, CommitProblem, CommitSolver, Data, DataOptions, FitOptions, Penalty,
    Responses, Samples, SegmentEncoder, SegmentOptions, table_operator,
};
use arcuate_model::compartments::{Compartment, Weighting};
use arcuate_phantom::{
    Connection, FibreLayout, FibrePhantom, FibrePhantomOptions, FibreTissue, fibre_phantom,
    multi_shell_gradients,
};
use std::sync::Arc;

/// Options of the fit.
struct Fit {
    blur: Option<Blur>,
    /// Adds a compartment with the same signal in all measurements. It models the floor that noise gives magnitude
    /// images. Without it, streamlines explain the floor, because they also keep signal at any weighting.
    noise_floor: bool,
}

/// Returns the compartments of the phantom's tissue: stick, zeppelin, the ball around bundles, and free water.
fn responses(samples: &Samples, weightings: &[Weighting], noise_floor: bool) -> Result<Responses, Error> {
    // From mm²/s to m²/s.
    const SI: f64 = 1e-6;
    let tissue = FibreTissue::STANDARD;
    let axial = |compartment: Compartment| -> Result<AxialResponse, Error> {
        let shells = weightings.iter().map(|w| compartment.attenuation(w)).collect::<Result<Vec<_>, _>>()?;
        Ok(Box::new(move |shell, cosine| shells[shell].at(cosine)))
    };
    let isotropic = |compartment: Compartment| -> Result<Vec<f64>, Error> {
        weightings.iter().map(|w| compartment.signal(w, 0.0)).collect()
    };
    let (parallel, perpendicular) = (SI * tissue.parallel, SI * tissue.perpendicular);
    let mut balls = vec![
        isotropic(Compartment::Ball { diffusivity: SI * tissue.surroundings })?,
        isotropic(Compartment::Ball { diffusivity: SI * tissue.water })?,
    ];
    if noise_floor {
        balls.push(isotropic(Compartment::Dot)?);
    }
    Responses::new(
        samples.directions().to_vec(),
        samples.shells().to_vec(),
        vec![axial(Compartment::Stick { diffusivity: parallel })?],
        vec![axial(Compartment::Zeppelin { parallel, perpendicular })?],
        balls,
        false,
    )
}

/// Returns streamlines with every fourth point, 2 mm apart, as trackers write them. The curves of the phantoms
/// differ from these chords by less than 0.1 mm.
fn thinned(tractogram: &Tractogram) -> Tractogram {
    let mut thin = Tractogram::new();
    for line in tractogram.iter() {
        let last = line.len() - 1;
        let points: Vec<_> = (0..=last).filter(|n| n % 4 == 0 || *n == last).map(|n| line[n]).collect();
        thin.push(&points);
    }
    thin
}

fn commit(phantom: &FibrePhantom, fit: &Fit) -> Commit {
    let (shells, weightings) = Weighting::shells(&phantom.gradients, 0.0).unwrap();
    let samples = Samples::of_series(&phantom.gradients, &shells, false).unwrap();
    let data = Data::new(&phantom.dwi, &samples, DataOptions::default()).unwrap();
    let options = SegmentOptions { blur: fit.blur, ..SegmentOptions::default() };
    let mut encoder = SegmentEncoder::new(&phantom.mask, options).unwrap();
    encoder.add(&thinned(&phantom.tractogram)).unwrap();
    let (segments, _) = encoder.finish().unwrap();
    let (axes, _) = Axes::from_peaks(&phantom.peaks, PeakFrame::Scanner, 0.1, &segments).unwrap();
    let responses = responses(&samples, &weightings, fit.noise_floor).unwrap();
    // Every direction is within 0.6° of one of these. This is less than fibres turn in a voxel. A table is the
    // faster operator for voxels with few segments.
    let set = Orientations::half_sphere(8000);
    let problem: CommitProblem<f32, SparseTucker<f32>> =
        CommitProblem::assemble(&data, Arc::new(segments), axes, responses, None, true, |s, a, r, scale| {
            table_operator(s, a, r, &set, scale)
        })
        .unwrap();
    // A tolerance that is ten times smaller changes no figure below.
    let options = FitOptions {
        solver: CommitSolver::BarzilaiBorwein,
        tolerance: 1e-6,
        gap: None,
        iterations: 2000,
        penalty: Penalty::default(),
        path: 1,
        debias: false,
    };
    problem.results(&problem.fit(&options, |_| true).unwrap().unknowns)
}

/// Returns a phantom with 3 measurements at b = 0, 20 at b = 1000 and 30 at b = 4000 s/mm². The strong weighting
/// distinguishes sticks from zeppelins.
fn phantom(layout: FibreLayout, seed: u64, snr: Option<f64>, [each, false_each]: [usize; 2]) -> FibrePhantom {
    let gradients = multi_shell_gradients(&[(20, 1000.0), (30, 4000.0)], 3).unwrap();
    let options = FibrePhantomOptions {
        snr,
        seed,
        streamlines_per_bundle: each,
        streamlines_per_false_bundle: false_each,
        strays: 20,
        ..FibrePhantomOptions::default()
    };
    fibre_phantom(layout, &gradients, &options).unwrap()
}

/// Returns the area under the ROC curve (sensitivity against 1 − specificity). The area is the fraction of pairs of
/// a true and a false streamline in which the true one has the larger weight (Hanley and McNeil 1982,
/// doi:10.1148/radiology.143.1.7063747).
fn roc_area(weights: &[f64], is_true: &[bool]) -> f64 {
    let of =
        |wanted: bool| weights.iter().zip(is_true).filter(move |(_, is)| **is == wanted).map(|(w, _)| *w);
    let (mut above, mut pairs) = (0.0, 0.0);
    for a in of(true) {
        for b in of(false) {
            pairs += 1.0;
            above += if a > b { 1.0 } else { 0.5 * f64::from(a == b) };
        }
    }
    above / pairs
}

/// Returns the threshold for every phantom: a fifth of the mean weight of all streamlines. The factor was chosen on
/// phantoms with the seeds 1 and 2. The tests use other seeds. A streamline below the threshold adds less than a
/// fifth of the mean weight to the signal. Randomly drawn streamlines can represent thinner slices of a bundle, so
/// a higher threshold would reduce sensitivity.
fn threshold(weights: &[f64]) -> f64 {
    0.2 * weights.iter().sum::<f64>() / weights.len() as f64
}

/// Returns the cross-section in mm² of the axons that the streamlines of a connection represent. A streamline of
/// weight w and length ℓ fills w ℓ of a voxel's volume.
fn axons(phantom: &FibrePhantom, commit: &Commit, connection: &Connection) -> f64 {
    let volume: f64 = phantom.dwi.grid().voxel_sizes().iter().product();
    volume * commit.weights[connection.streamlines.clone()].iter().sum::<f64>()
}

/// Returns the fraction of the weights above the threshold.
fn part_kept(weights: &[f64], threshold: f64) -> f64 {
    weights.iter().filter(|&&w| w > threshold).count() as f64 / weights.len() as f64
}

/// Returns ROC area, sensitivity and specificity. The cross-section of each true bundle must be within the relative
/// `tolerance`. The cross-section of each false bundle must be less than `maximum` times that of the smallest true
/// bundle.
fn judged(phantom: &FibrePhantom, commit: &Commit, tolerance: f64, maximum: f64) -> [f64; 3] {
    let (is_true, threshold) = (phantom.is_true(), threshold(&commit.weights));
    let (mut kept, mut lost) = ([0.0; 2], 0.0);
    let smallest =
        phantom.connections.iter().filter(|c| c.is_true).map(|c| c.axons).fold(f64::INFINITY, f64::min);
    for connection in &phantom.connections {
        let found = axons(phantom, commit, connection);
        let part = part_kept(&commit.weights[connection.streamlines.clone()], threshold);
        let name = &connection.name;
        if connection.is_true {
            let error = found / connection.axons - 1.0;
            assert!(error.abs() < tolerance, "{name}: {found:.1} mm² of {:.1}", connection.axons);
            // A bundle counts as kept only if most of its streamlines are kept.
            assert!(part > 0.75, "{name} keeps {part:.2} of its streamlines");
            kept[0] += part * connection.streamlines.len() as f64;
            kept[1] += connection.streamlines.len() as f64;
        } else {
            assert!(found < maximum * smallest, "{name}: {found:.2} mm² where there is nothing");
            lost += (1.0 - part) * connection.streamlines.len() as f64;
        }
    }
    let wrong = is_true.iter().filter(|is| !**is).count() as f64;
    [roc_area(&commit.weights, &is_true), kept[0] / kept[1], lost / wrong]
}

const PLAIN: Fit = Fit { blur: None, noise_floor: false };
const NOISY: Fit = Fit { blur: None, noise_floor: true };

#[test]
fn planted_false_streamlines_are_distinguished_from_true_ones() {
    for seed in [3, 4] {
        for (snr, fit) in [(None, PLAIN), (Some(30.0), NOISY)] {
            let phantom = phantom(FibreLayout::Planted, seed, snr, [40, 15]);
            let commit = commit(&phantom, &fit);
            // Cells of a quarter of a voxel measure a cross-section to about 2 %. Streamlines fill the rim of a
            // bundle unevenly. The cross-sections are therefore 2 to 6 % too small. With noise, the floor also
            // takes signal that all directions share, and they are up to 17 % too small.
            let tolerance = if snr.is_some() { 0.25 } else { 0.1 };
            let [area, sensitivity, specificity] = judged(&phantom, &commit, tolerance, 0.1);
            let found = format!("{seed} {snr:?}: {area:.4} {sensitivity:.3} {specificity:.3}");
            assert!(area >= 0.95, "{found}");
            // Neighbours of some true streamlines explain the signal equally well, so 2 to 4 % of the true
            // streamlines are lost. Some false streamlines turn from one bundle into another at a crossing and
            // follow fibres nearly everywhere, so 2 to 8 % of the false streamlines are kept. The limit for both is
            // 10 %.
            assert!(sensitivity >= 0.9 && specificity >= 0.9, "{found}");
        }
    }
}

#[test]
fn fiber_cup_streamlines_are_filtered() {
    for (snr, fit) in [(None, PLAIN), (Some(30.0), NOISY)] {
        let phantom = phantom(FibreLayout::FiberCup, 3, snr, [20, 8]);
        let commit = commit(&phantom, &fit);
        // The tolerances are larger than above for two reasons. The branches of the fork share half of their
        // length. Ribbons that are as thick as the block lose their rims at its faces.
        let tolerance = if snr.is_some() { 0.3 } else { 0.15 };
        let [area, sensitivity, specificity] = judged(&phantom, &commit, tolerance, 0.1);
        let found = format!("{snr:?}: {area:.4} {sensitivity:.3} {specificity:.3}");
        assert!(area >= 0.95 && sensitivity >= 0.9 && specificity >= 0.9, "{found}");
        // 30 % of the streamlines were false before filtering.
        let threshold = threshold(&commit.weights);
        let is_true = phantom.is_true();
        let left = || commit.weights.iter().zip(&is_true).filter(|(w, _)| **w > threshold);
        let wrong = left().filter(|(_, is)| !**is).count() as f64 / left().count() as f64;
        assert!(wrong < 0.05, "{wrong:.3} of what is left is false");
    }
}

/// Returns |found − true| of the intra-axonal fraction in every voxel of the problem. The first list has the voxels
/// inside or outside bundles. The second list has the voxels that the surface of a bundle cuts.
fn errors_of_fractions(phantom: &FibrePhantom, commit: &Commit) -> [Vec<f64>; 2] {
    let [intra, ..] = commit.fractions();
    let mut errors = [Vec::new(), Vec::new()];
    for voxel in 0..phantom.dwi.grid().len() {
        let found = f64::from(intra.values()[voxel]);
        if found.is_nan() {
            continue;
        }
        let [axons, _, elsewhere] = [0, 1, 2].map(|n| f64::from(phantom.fractions.voxel(voxel)[n]));
        // A voxel inside bundles has only the water of its bundles.
        let inside = (elsewhere - FibreTissue::STANDARD.water_share * (1.0 - axons)).abs() < 1e-5;
        errors[usize::from(!inside && axons > 0.0)].push((found - axons).abs());
    }
    errors
}

#[test]
fn intra_axonal_fractions_are_near_the_truth() {
    let mean = |errors: &[f64]| errors.iter().sum::<f64>() / errors.len() as f64;
    let worst = |errors: &[f64]| errors.iter().copied().fold(0.0, f64::max);
    for cells in [4, 8] {
        // Strong weighting maximises the difference between the four compartments of a voxel.
        let gradients = multi_shell_gradients(&[(16, 800.0), (30, 6000.0)], 3).unwrap();
        let options = FibrePhantomOptions {
            snr: None,
            streamlines_per_bundle: 80,
            streamlines_per_false_bundle: 15,
            strays: 20,
            cells,
            ..FibrePhantomOptions::default()
        };
        let phantom = fibre_phantom(FibreLayout::Planted, &gradients, &options).unwrap();
        // 80 streamlines in 50 mm² are 0.8 mm apart. Lines without width fill voxels of 2 mm unevenly, which gives
        // errors of up to 0.14 in single voxels inside bundles. Tubes that overlap their neighbours fill voxels as
        // fibres do.
        let blur = Blur { core_extent: 0.3, gauss_extent: 0.5, ..Blur::default() };
        let commit = commit(&phantom, &Fit { blur: Some(blur), noise_floor: false });
        let [inside, surface] = errors_of_fractions(&phantom, &commit);
        assert!(inside.len() > 1500 && surface.len() > 1000);
        let all = [inside.clone(), surface.clone()].concat();
        let found = format!(
            "{cells} cells: mean {:.4}; inside at most {:.4}, surface {:.4}",
            mean(&all),
            worst(&inside),
            worst(&surface)
        );
        println!("{found}");
        assert!(mean(&all) < 0.01, "{found}");
        assert!(worst(&inside) <= 0.03, "{found}");
        if cells == 4 {
            // With 4 cells per voxel, the surface of a bundle moves in steps of a quarter of a voxel. Its position
            // error is up to an eighth of a voxel. Axons fill 0.4 to 0.6 of a bundle, so the fraction error can be
            // about 0.05. Smooth streamlines cannot follow such steps.
            let within = surface.iter().filter(|&&error| error <= 0.03).count() as f64;
            assert!(within >= 0.97 * surface.len() as f64 && worst(&surface) < 0.06, "{found}");
        } else {
            // With steps that are half as large, no voxel has a larger error.
            assert!(worst(&surface) <= 0.03, "{found}");
        }
    }
}
