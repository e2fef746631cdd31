//! `arcuate fit MODEL --method mcmc`: what is written, and what is refused.

use super::common::Scratch;
use super::{DIRECTIONS, fit, map, series, sticks, table, write_row};
use arcuate::core::Volume;
use arcuate::io::read_volume;

const SHORT: &str = "--method mcmc --burn-in 200 --jumps 200 --interval 5";

fn volume(scratch: &Scratch, name: &str) -> Volume<f32> {
    read_volume(&scratch.path(name)).unwrap()
}

#[test]
fn chains_write_samples_and_what_they_say() {
    let scratch = sticks(&DIRECTIONS);
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
    // There is no noise, so that the posterior is narrow.
    let (mean, deviation) = (map(&scratch, "out/f.nii.gz"), map(&scratch, "out/f_deviation.nii.gz"));
    assert!(mean.iter().all(|f| (f - 0.6).abs() < 1e-2), "{mean:?}");
    assert!(deviation.iter().all(|deviation| *deviation > 0.0 && *deviation < 1e-2), "{deviation:?}");
    let samples = volume(&scratch, "out/f_samples.nii.gz");
    let of_voxel = samples.voxel(0);
    let average = of_voxel.iter().sum::<f32>() / of_voxel.len() as f32;
    assert!((average - mean[0]).abs() < 1e-5, "{average} {mean:?}");
    let directions = volume(&scratch, "out/n_samples.nii.gz");
    for n in directions.voxel(1).chunks_exact(3) {
        let along: f64 = n.iter().zip(DIRECTIONS[1]).map(|(a, b)| f64::from(*a) * b).sum();
        assert!(along.abs() > 0.999, "{n:?}");
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
    // No number anywhere: whatever is proposed is refused.
    let prior = "--prior f=energy(ln(-1-f))";
    let rest = "--fix s0 --fix d --fix n";
    scratch.succeed(&fit(&format!("ball-1-stick --out out {SHORT} {rest} {prior}")));
    assert_eq!(map(&scratch, "out/status.nii.gz"), [7.0, 7.0]);
    assert_eq!(map(&scratch, "out/acceptance.nii.gz"), [0.0, 0.0]);
    let samples = volume(&scratch, "out/f_samples.nii.gz");
    assert!(samples.voxel(0).iter().all(|f| *f == samples.voxel(0)[0]));
}

#[test]
fn what_chains_cannot_do_is_refused() {
    let scratch = sticks(&DIRECTIONS);
    write_row(&scratch, "small.nii.gz", &[vec![1.0]]);
    for (arguments, message) in [
        ("--jumps 100", ""),
        ("--prior f=ard", ""),
        ("--method mcmc --standard-errors", ""),
        ("--method mcmc --jumps 10 --interval 20", ""),
        ("--method mcmc --interval 0", ""),
        ("--method mcmc --adapt-every 0", ""),
        ("--method mcmc --chains 0", ""),
        ("--method mcmc --chains 100000", ""),
        ("--method mcmc --jumps 4000000000", ""),
        ("--method mcmc --sigma much", ""),
        ("--method mcmc --sigma 0", ""),
        ("--method mcmc --sigma -3", ""),
        ("--method mcmc --sigma integrated --noise rician", ""),
        ("--method mcmc --sigma 20 --sigma-prior uniform", ""),
        ("--method mcmc --sigma-prior energy(f)", ""),
        ("--method mcmc --prior f", ""),
        ("--method mcmc --prior g=uniform", ""),
        ("--method mcmc --prior f=flat", ""),
        ("--method mcmc --prior f=normal(0.5)", ""),
        ("--method mcmc --prior f=normal(0.5,0)", ""),
        ("--method mcmc --prior f=gamma(0,1)", ""),
        ("--method mcmc --prior n=normal(0,1)", ""),
        ("--method mcmc --prior f=energy(g)", ""),
        ("--method mcmc --prior f=energy(d)", ""),
        ("--method mcmc --fix s0 --fix d --fix f --fix n", ""),
        ("--method mcmc --mask small.nii.gz", ""),
        ("--method mcmc --gradient-deviations mask.nii.gz", ""),
        ("--method mcmc --gradient-deviations none.nii.gz", ""),
    ] {
        scratch.fail(&fit(&format!("ball-1-stick --out no {arguments}")), 2, message);
    }
}

#[test]
fn fewer_measurements_than_parameters_are_refused() {
    let table = table(&[1000.0], 2);
    let scratch = series(&table, &[vec![1000.0; 5]]);
    scratch.fail(&fit("ball-1-stick --out no --method mcmc"), 1, "");
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
    for (arguments, message) in [
        ("--resume first/state.nii.gz --burn-in 5", ""),
        ("--resume first/state.nii.gz --chains 3", ""),
        ("--resume first/f.nii.gz", ""),
        ("--resume mask.nii.gz", ""),
    ] {
        scratch.fail(&fit(&format!("ball-1-stick --out no --method mcmc {arguments}")), 1, message);
    }
}
