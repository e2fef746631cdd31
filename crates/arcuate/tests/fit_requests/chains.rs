//! `arcuate fit MODEL --method mcmc`: what is written, and what is refused.

use super::common::Scratch;
use super::{DIRECTIONS, fit, map, predicted, series, sticks, table, write_row};
use arcuate::core::Volume;
use arcuate::io::read_volume;

const SHORT: &str = "--method mcmc --burn-in 1000 --jumps 200 --interval 5";

/// A ball and a stick in each voxel, with noise of about a 50th of the signal without weighting, the same every time.
fn noisy() -> Scratch {
    let table = table(&[1000.0, 2000.0], 20);
    let mut count = 0u32;
    let mut noise = || {
        count += 1;
        // Twelve numbers spread over an interval have nearly a normal sum.
        let sum: f64 = (0..12).map(|n| (f64::from(12 * count + n) * 0.618_033_988_75).fract() - 0.5).sum();
        (20.0 * sum) as f32
    };
    let voxels: Vec<Vec<f32>> = DIRECTIONS
        .iter()
        .map(|n| {
            let signals = predicted("ball-1-stick", &table, &[1000.0, 1.2e-3, 0.6, n[0], n[1], n[2]]);
            signals.into_iter().map(|signal| signal + noise()).collect()
        })
        .collect();
    series(&table, &voxels)
}

fn volume(scratch: &Scratch, name: &str) -> Volume<f32> {
    read_volume(&scratch.path(name)).unwrap()
}

#[test]
fn chains_write_samples_and_what_they_say() {
    let scratch = noisy();
    let said = scratch.succeed(&fit(&format!("ball-1-stick --out out {SHORT} --chains 2 --sigma sampled")));
    assert!(said.contains("2 of 2 voxels sampled"), "{said}");
    for (name, channels) in [
        ("f", 1),
        ("f_deviation", 1),
        ("f_samples", 80),
        ("f_ess", 1),
        ("f_rhat", 1),
        ("n", 3),
        ("n_dispersion", 1),
        ("n_samples", 240),
        ("sigma", 1),
        ("sigma_samples", 80),
        ("acceptance", 5),
    ] {
        assert_eq!(volume(&scratch, &format!("out/{name}.nii.gz")).channels(), channels, "{name}");
    }
    let (mean, deviation) = (map(&scratch, "out/f.nii.gz"), map(&scratch, "out/f_deviation.nii.gz"));
    assert!(mean.iter().all(|f| (f - 0.6).abs() < 0.1), "{mean:?}");
    assert!(deviation.iter().all(|deviation| *deviation > 1e-4 && *deviation < 0.05), "{deviation:?}");
    let samples = volume(&scratch, "out/f_samples.nii.gz");
    let of_voxel = samples.voxel(0);
    let average = of_voxel.iter().sum::<f32>() / of_voxel.len() as f32;
    assert!((average - mean[0]).abs() < 1e-4, "{average} {mean:?}");
    let directions = volume(&scratch, "out/n_samples.nii.gz");
    for n in directions.voxel(1).chunks_exact(3) {
        let along: f64 = n.iter().zip(DIRECTIONS[1]).map(|(a, b)| f64::from(*a) * b).sum();
        assert!(along.abs() > 0.99, "{n:?}");
    }
    assert_eq!(map(&scratch, "out/status.nii.gz"), [8.0, 8.0]);
    let acceptance = map(&scratch, "out/acceptance.nii.gz");
    assert!(acceptance.iter().all(|share| (0.2..0.9).contains(share)), "{acceptance:?}");
    assert!(map(&scratch, "out/f_ess.nii.gz").iter().all(|size| (2.0..=80.0).contains(size)));
    // The seed counts, and nothing else does.
    let again = |name: &str, more: &str| {
        scratch.succeed(&fit(&format!("ball-1-stick --out {name} {SHORT} {more}")));
        volume(&scratch, &format!("{name}/f_samples.nii.gz")).values().to_vec()
    };
    let first = again("first", "--random-seed 5");
    assert_eq!(first, again("second", "--random-seed 5 --threads 1"));
    assert_ne!(first, again("third", "--random-seed 6"));
}

#[test]
fn chains_that_never_accept_are_listed() {
    let scratch = sticks(&DIRECTIONS);
    // Endless everywhere, of which differences are no numbers: whatever is proposed is refused.
    let prior = "--prior f=energy((1e300+f)*(1e300+f))";
    let rest = "--fix s0 --fix d --fix n";
    scratch.succeed(&fit(&format!("ball-1-stick --out out {SHORT} {rest} {prior}")));
    assert_eq!(map(&scratch, "out/status.nii.gz"), [7.0, 7.0]);
    assert_eq!(map(&scratch, "out/acceptance.nii.gz"), [0.0, 0.0]);
    let samples = volume(&scratch, "out/f_samples.nii.gz");
    assert!(samples.voxel(0).iter().all(|f| *f == samples.voxel(0)[0]));
}

#[test]
fn what_is_asked_of_chains_wrongly_is_refused() {
    let scratch = sticks(&DIRECTIONS);
    for (arguments, message) in [
        ("--jumps 100", "--jumps: a fit has no chains; add --method mcmc, or leave it out"),
        ("--prior f=ard", "--prior: a fit has no chains; add --method mcmc, or leave it out"),
        (
            "--method mcmc --standard-errors",
            "--standard-errors: chains have standard deviations of samples instead; leave it out: see NAME_deviation",
        ),
        (
            "--method mcmc --jumps 10 --interval 20",
            "--jumps: 10 sweeps have no 20th; let there be more, or keep more of them",
        ),
        (
            "--method mcmc --interval 0",
            "--interval, --adapt-every: there is none of length 0; give 1 or more",
        ),
        (
            "--method mcmc --adapt-every 0",
            "--interval, --adapt-every: there is none of length 0; give 1 or more",
        ),
        ("--method mcmc --chains 0", "--chains: there is none of length 0; give 1 or more"),
        (
            "--method mcmc --chains 100000",
            "--jumps: 100000 chains of 1000 and 1250 sweeps are too many; there can be 1024 chains of 16777216 sweeps",
        ),
        (
            "--method mcmc --jumps 4000000000",
            "--jumps: 1 chains of 1000 and 4000000000 sweeps are too many; there can be 1024 chains of 16777216 sweeps",
        ),
        (
            "--method mcmc --sigma much",
            "--sigma: `much` is no standard deviation; write integrated, sampled or a number",
        ),
        (
            "--method mcmc --sigma 0",
            "--sigma, --sigma-prior: 0 is no standard deviation of noise; give a number above 0",
        ),
        (
            "--method mcmc --sigma integrated --noise rician",
            "--sigma: no formula integrates a Rician density over σ; let σ be sampled or known",
        ),
        (
            "--method mcmc --sigma 20 --sigma-prior uniform",
            "--sigma-prior: σ is not sampled, and has no prior; leave it out, or write --sigma sampled",
        ),
        (
            "--method mcmc --sigma-prior energy(f)",
            "--sigma, --sigma-prior: its prior is a formula, which only parameters of the model can have; write uniform, normal, gamma or log_uniform",
        ),
        ("--method mcmc --prior f", "--prior: `f` is no NAME=PRIOR; write it as d=normal(1.7e-3, 0.3e-3)"),
        (
            "--method mcmc --prior g=uniform",
            "--prior g=uniform: no model that is sampled has such a parameter; there are s0, d, f, n",
        ),
    ] {
        scratch.fail(&fit(&format!("ball-1-stick --out no {arguments}")), 2, &format!("error: {message}"));
    }
}

#[test]
fn what_chains_cannot_do_is_refused() {
    let scratch = sticks(&DIRECTIONS);
    for (arguments, message) in [
        (
            "--prior f=flat",
            "--prior f=flat: `flat` is no prior; write uniform, normal(mean, deviation), gamma(shape, scale), ard, ard(weight), log_uniform or energy(formula)",
        ),
        (
            "--prior f=normal(0.5)",
            "--prior f=normal(0.5): the prior `normal` takes something else; write uniform, normal(mean, deviation), gamma(shape, scale), ard, ard(weight), log_uniform or energy(formula)",
        ),
        (
            "--prior f=normal(0.5,0)",
            "--prior f=normal(0.5,0): the deviation of the prior is 0; give a number above 0",
        ),
        ("--prior f=gamma(0,1)", "--prior f=gamma(0,1): the shape of the prior is 0; give a number above 0"),
        (
            "--prior n=normal(0,1)",
            "--prior n=normal(0,1): the prior of the orientation `n` is one of numbers; write uniform or energy(formula)",
        ),
        ("--prior f=energy(g)", "--prior f=energy(g): `g` is not known here; did you mean `d`?"),
        (
            "--prior f=energy(d)",
            "--prior f=energy(d): the energy of `f` is no number without unit; divide what has a unit by something of that unit, as in d / 1e-3 [mm²/s]",
        ),
        ("--fix s0 --fix d --fix f --fix n", "ball-1-stick: no parameter moves; free one"),
        (
            "--gradient-deviations mask.nii.gz",
            "mask.nii.gz: it has 1 volumes, and deviations of gradients nine; give grad_dev as it was written",
        ),
        ("--gradient-deviations none.nii.gz", "none.nii.gz: no such file; check the path"),
    ] {
        let line = fit(&format!("ball-1-stick --out no --method mcmc {arguments}"));
        scratch.fail(&line, 1, &format!("error: {message}"));
    }
    write_row(&scratch, "mask.nii.gz", &[vec![1.0]]);
    let said = scratch.run(&fit("ball-1-stick --out no --method mcmc"));
    assert_eq!(said.code, 1);
    assert!(said.errors.starts_with("error: mask.nii.gz: "), "{}", said.errors);
}

#[test]
fn fewer_measurements_than_parameters_are_refused() {
    let table = table(&[1000.0], 6);
    let scratch = series(&table, &[vec![1000.0; 9]]);
    let message = "error: dwi.bval, dwi.bvec: 9 measurements cannot determine 11 unknowns of ball-3-sticks; fit a smaller model, or \
                   fix parameters of it";
    scratch.fail(&fit("ball-3-sticks --out no --method mcmc"), 1, message);
}

#[test]
fn chains_go_on_in_a_later_run() {
    let scratch = sticks(&DIRECTIONS);
    let run = |out: &str, more: &str| {
        let usual = "--method mcmc --interval 5 --precision single --chains 2";
        scratch.succeed(&fit(&format!("ball-1-stick --out {out} {usual} {more}")));
        volume(&scratch, &format!("{out}/f_samples.nii.gz"))
    };
    let whole = run("whole", "--burn-in 100 --jumps 200");
    run("first", "--burn-in 100 --jumps 100 --save-state");
    let second = run("second", "--jumps 100 --resume first/state.nii.gz");
    for voxel in 0..2 {
        let (whole, second) = (whole.voxel(voxel), second.voxel(voxel));
        assert_eq!((&whole[20..40], &whole[60..80]), (&second[..20], &second[20..]));
    }
    let wanted = "give the image that chains of the same model and options have left";
    for (arguments, problem) in [
        ("--resume first/state.nii.gz --chains 3", "it has 31 volumes, and 3 chains of this model have 46"),
        ("--resume mask.nii.gz", "it has 1 volumes, and 1 chains of this model have 16"),
        ("--resume first/f.nii.gz", "its first volume is not the same number of sweeps in every voxel"),
    ] {
        let line = fit(&format!("ball-1-stick --out no --method mcmc {arguments}"));
        scratch.fail(&line, 1, &format!("error: --resume: {problem}; {wanted}"));
    }
    scratch.fail(
        &fit("ball-1-stick --out no --method mcmc --resume first/state.nii.gz --burn-in 5"),
        2,
        "error: --burn-in: chains that go on have begun already; leave it out, or leave --resume out",
    );
}
