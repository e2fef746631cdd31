//! Tests of `arcuate fit MODEL --method mcmc`: its results, and the requests that it rejects.

use super::{DIRECTIONS, figure, fit, map, predicted, series, sticks, table, write_row};
use crate::common::Scratch;

const SHORT: &str = "--method mcmc --burn-in 1000 --jumps 200 --interval 5";

/// Writes a series with a ball and a stick in each voxel. The standard deviation of the noise is about 1/50 of the
/// signal at b = 0. The noise is the same in every run.
fn noisy() -> Scratch {
    let table = table(&[1000.0, 2000.0], 20);
    let mut count = 0u32;
    let mut noise = || {
        count += 1;
        // The sum of twelve numbers that are spread over an interval is nearly normally distributed.
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

#[test]
fn chains_write_samples_and_summaries() {
    let scratch = noisy();
    let result = scratch.succeed(&fit(&format!("ball-1-stick --out out {SHORT} --chains 2 --sigma sampled")));
    assert!(result.contains("2 of 2 voxels sampled"), "{result}");
    for (name, channels) in [
        ("f", 1),
        ("f_deviation", 1),
        ("f_samples", 80),
        ("f_ess", 2),
        ("f_rhat", 1),
        ("n", 3),
        ("n_dispersion", 1),
        ("n_samples", 240),
        ("sigma", 1),
        ("sigma_samples", 80),
        ("acceptance", 5),
        ("few_draws", 1),
    ] {
        assert_eq!(scratch.volume(&format!("out/{name}.nii.gz")).channels(), channels, "{name}");
    }
    let (mean, deviation) = (map(&scratch, "out/f.nii.gz"), map(&scratch, "out/f_deviation.nii.gz"));
    assert!(mean.iter().all(|f| (f - 0.6).abs() < 0.1), "{mean:?}");
    assert!(deviation.iter().all(|deviation| *deviation > 1e-4 && *deviation < 0.05), "{deviation:?}");
    let samples = scratch.volume("out/f_samples.nii.gz");
    let of_voxel = samples.voxel(0);
    let average = of_voxel.iter().sum::<f32>() / of_voxel.len() as f32;
    assert!((average - mean[0]).abs() < 1e-4, "{average} {mean:?}");
    let directions = scratch.volume("out/n_samples.nii.gz");
    for n in directions.voxel(1).chunks_exact(3) {
        let along: f64 = n.iter().zip(DIRECTIONS[1]).map(|(a, b)| f64::from(*a) * b).sum();
        assert!(along.abs() > 0.99, "{n:?}");
    }
    assert_eq!(map(&scratch, "out/status.nii.gz"), [8.0, 8.0]);
    let acceptance = map(&scratch, "out/acceptance.nii.gz");
    assert!(acceptance.iter().all(|share| (0.2..0.9).contains(share)), "{acceptance:?}");
    let effective = map(&scratch, "out/f_ess.nii.gz");
    assert!(effective.iter().all(|size| (2.0..=160.0).contains(size)), "{effective:?}");
    // A chain of 40 samples has fewer than 50 independent samples.
    assert_eq!(map(&scratch, "out/few_draws.nii.gz"), [1.0, 1.0]);
    assert!(
        result.contains("in 2 of 2 voxels a parameter has fewer than 50 independent samples of a chain"),
        "{result}"
    );
    let share =
        figure(&scratch, "out/arcuate.json", "voxels with fewer than 50 independent samples of a chain, f");
    assert_eq!(share.as_f64(), Some(100.0));
    // The samples depend on the seed, but not on the number of threads.
    let again = |name: &str, more: &str| {
        scratch.succeed(&fit(&format!("ball-1-stick --out {name} {SHORT} {more}")));
        scratch.volume(&format!("{name}/f_samples.nii.gz")).values().to_vec()
    };
    let first = again("first", "--random-seed 5");
    assert_eq!(first, again("second", "--random-seed 5 --threads 1"));
    assert_ne!(first, again("third", "--random-seed 6"));
}

#[test]
fn chains_that_never_accept_are_listed() {
    let scratch = sticks(&DIRECTIONS);
    // This energy is infinite everywhere. Differences of energies are NaN, so every proposal is rejected.
    let prior = "--prior f=energy((1e300+f)*(1e300+f))";
    let rest = "--fix s0 --fix d --fix n";
    let warning = "ball-1-stick: in 2 of 2 voxels not one proposal was accepted (status 7): their samples are where chains \
                   began, and say nothing; check --sigma, priors and scale";
    let line = fit(&format!("ball-1-stick --out out {SHORT} {rest} {prior}"));
    let result = scratch.succeed_with(&line, &format!("warning: {warning}"));
    // A voxel whose chain never moved does not count as sampled.
    assert!(result.contains("0 of 2 voxels sampled"), "{result}");
    let record: serde_json::Value = serde_json::from_slice(&scratch.read("out/arcuate.json")).unwrap();
    assert_eq!(record["warnings"], serde_json::json!([warning]));
    assert_eq!(map(&scratch, "out/status.nii.gz"), [7.0, 7.0]);
    assert_eq!(map(&scratch, "out/acceptance.nii.gz"), [0.0, 0.0]);
    let samples = scratch.volume("out/f_samples.nii.gz");
    assert!(samples.voxel(0).iter().all(|f| *f == samples.voxel(0)[0]));
}

#[test]
fn invalid_chain_options_are_rejected() {
    let scratch = sticks(&DIRECTIONS);
    for (arguments, message) in [
        ("--jumps 100", "--jumps: a fit has no chains; add --method mcmc, or leave out this option"),
        ("--prior f=ard", "--prior: a fit has no chains; add --method mcmc, or leave out this option"),
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
            "--sigma: `much` is not a standard deviation; give `integrated`, `sampled` or a number",
        ),
        (
            "--method mcmc --sigma 0",
            "--sigma, --sigma-prior: 0 is not a standard deviation of noise; give a number above 0",
        ),
        (
            "--method mcmc --sigma integrated --noise rician",
            "--sigma: no formula integrates a Rician density over σ; let σ be sampled or known",
        ),
        (
            "--method mcmc --sigma 20 --sigma-prior uniform",
            "--sigma-prior: σ is not sampled, and has no prior; remove this option, or give --sigma sampled",
        ),
        (
            "--method mcmc --sigma-prior energy(f)",
            "--sigma, --sigma-prior: its prior is a formula, which only parameters of the model can have; write uniform, normal, gamma or log_uniform",
        ),
        (
            "--method mcmc --prior f",
            "--prior: `f` does not have the form NAME=PRIOR; write NAME=PRIOR, for example d=normal(1.7e-3, \
             0.3e-3)",
        ),
        (
            "--method mcmc --prior g=uniform",
            "--prior g=uniform: no model that is sampled has such a parameter; there are s0, d, f, n",
        ),
    ] {
        scratch.fail(&fit(&format!("ball-1-stick --out no {arguments}")), 2, &format!("error: {message}"));
    }
}

#[test]
fn unsupported_chain_requests_are_rejected() {
    let scratch = sticks(&DIRECTIONS);
    for (arguments, message) in [
        (
            "--prior f=flat",
            "--prior f=flat: `flat` is not a prior; write uniform, normal(mean, deviation), gamma(shape, scale), ard, ard(weight), ard(weight, least), log_uniform or energy(formula)",
        ),
        (
            "--prior f=normal(0.5)",
            "--prior f=normal(0.5): the prior `normal` takes something else; write uniform, normal(mean, deviation), gamma(shape, scale), ard, ard(weight), ard(weight, least), log_uniform or energy(formula)",
        ),
        (
            "--prior f=normal(0.5,0)",
            "--prior f=normal(0.5,0): the deviation of the prior is 0; give a number above 0",
        ),
        (
            "--prior f=ard(1,1)",
            "--prior f=ard(1,1): the prior of `f` is 0 below 1, and it is at most 1; write ard(weight, least) with a smaller number",
        ),
        (
            "--prior f=ard(1,0)",
            "--prior f=ard(1,0): the least number of the prior is 0; give a number above 0",
        ),
        ("--prior f=gamma(0,1)", "--prior f=gamma(0,1): the shape of the prior is 0; give a number above 0"),
        (
            "--prior n=normal(0,1)",
            "--prior n=normal(0,1): the prior of the orientation `n` is one of numbers; write uniform or energy(formula)",
        ),
        ("--prior f=energy(g)", "--prior f=energy(g): `g` is not known here; did you mean `d`?"),
        (
            "--prior f=energy(d)",
            "--prior f=energy(d): the energy of `f` is not a number without unit; divide a value with a unit \
             by a value of that unit, as in d / 1e-3 [mm²/s]",
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
    let result = scratch.run(&fit("ball-1-stick --out no --method mcmc"));
    assert_eq!(result.code, 1);
    assert!(result.errors.starts_with("error: mask.nii.gz: "), "{}", result.errors);
}

#[test]
fn fewer_measurements_than_parameters_are_rejected() {
    let table = table(&[1000.0], 6);
    let scratch = series(&table, &[vec![1000.0; 9]]);
    let message = "error: dwi.bval, dwi.bvec: 9 measurements cannot determine 11 unknowns of \
                   ball-3-sticks; fit a smaller model, or fix some of its parameters";
    scratch.fail(&fit("ball-3-sticks --out no --method mcmc"), 1, message);
}

#[test]
fn chains_continue_in_a_later_run() {
    let scratch = noisy();
    let run = |out: &str, more: &str| {
        let usual = "--method mcmc --interval 5 --precision single --chains 2";
        scratch.succeed(&fit(&format!("ball-1-stick --out {out} {usual} {more}")));
        scratch.volume(&format!("{out}/f_samples.nii.gz"))
    };
    let whole = run("whole", "--burn-in 100 --jumps 200");
    run("first", "--burn-in 100 --jumps 100 --save-state");
    let second = run("second", "--jumps 100 --resume first/state.nii.gz");
    for voxel in 0..2 {
        let (whole, second) = (whole.voxel(voxel), second.voxel(voxel));
        assert_eq!((&whole[20..40], &whole[60..80]), (&second[..20], &second[20..]));
    }
    let keep = "keep state.nii.gz and state.json as one run has written them, side by side, or run the first chains again";
    for image in ["mask.nii.gz", "first/f.nii.gz"] {
        let companion_path = image.replace(".nii.gz", ".json");
        let line = fit(&format!("ball-1-stick --out no --method mcmc --interval 5 --resume {image}"));
        let problem = format!("{companion_path} is missing, which states what these chains are of");
        scratch.fail(&line, 1, &format!("error: --resume {image}: {problem}; {keep}"));
    }
    scratch.fail(
        &fit("ball-1-stick --out no --method mcmc --resume first/state.nii.gz --burn-in 5"),
        2,
        "error: --burn-in: resumed chains already have a start; remove it, or remove --resume",
    );
}

#[test]
fn chains_continue_only_from_matching_states() {
    let scratch = noisy();
    let usual = "--method mcmc --interval 5 --jumps 20";
    let line = |more: &str| fit(&format!("ball-1-stick --out no {usual} {more} --resume first/state.nii.gz"));
    scratch.succeed(&fit(&format!("ball-1-stick --out first {usual} --burn-in 20 --save-state")));
    // A copy of the series under another name is accepted. The mask, `--jumps`, `--interval` and `--threads` may
    // differ.
    scratch.write("same.nii.gz", scratch.read("dwi.nii.gz"));
    scratch.write("same.bval", scratch.read("dwi.bval"));
    scratch.write("same.bvec", scratch.read("dwi.bvec"));
    write_row(&scratch, "first_voxel.nii.gz", &[vec![1.0], vec![0.0]]);
    scratch.succeed(
        "fit ball-1-stick same.nii.gz --mask first_voxel.nii.gz --device cpu --out again --method mcmc --interval 2 --jumps 40 \
         --threads 1 --resume first/state.nii.gz",
    );
    // The series, the b-values and the options that affect the chains must match.
    let mut other = scratch.volume("dwi.nii.gz");
    other.voxel_mut(1)[7] += 1.0;
    write_row(&scratch, "other.nii.gz", &[other.voxel(0).to_vec(), other.voxel(1).to_vec()]);
    scratch.write("other.bval", scratch.read("dwi.bval"));
    scratch.write("other.bvec", scratch.read("dwi.bvec"));
    scratch.write("more.bval", scratch.text("dwi.bval").replacen("2000", "2001", 1));
    for (line, what) in [
        (line("").replace("dwi.nii.gz", "other.nii.gz"), "series"),
        (line("--bval more.bval --bvec dwi.bvec"), "gradient table"),
        (line("--random-seed 9"), "random seed 0 there, 9 here"),
        (line("--prior d=log_uniform"), "prior of d uniform there, log_uniform here"),
        (line("--max-b 1500"), "measurements all ("),
        (line("--sigma 10"), "noise gaussian, σ integrated there, gaussian, σ 10 here"),
        (line("--precision double"), "precision single there, double here"),
        (line("--chains 2"), "number of chains 1 there, 2 here"),
        (line("--fix d=1.2e-3"), "value of d none there, known, 0.0012 here"),
        (line("").replace("ball-1-stick", "ball-1-stick-gamma"), "model ball-1-stick ("),
    ] {
        let result = scratch.run(&line);
        let begins = "error: --resume first/state.nii.gz: the saved chains have other data or options: ";
        assert_eq!(result.code, 1, "{line}: {}", result.errors);
        assert!(
            result.errors.starts_with(begins) && result.errors.contains(what),
            "{line}: {}",
            result.errors
        );
        assert!(
            result.errors.ends_with("mask, --jumps, --interval, --device and --threads may differ\n"),
            "{}",
            result.errors
        );
        assert!(!scratch.path("no").exists(), "{line}");
    }
    // The image is of one run, and the JSON file is of another run.
    scratch.succeed(&fit(&format!("ball-1-stick --out second {usual} --burn-in 25 --save-state")));
    scratch.write("first/state.json", scratch.read("second/state.json"));
    let keep = "keep state.nii.gz and state.json as one run has written them, side by side, or run the first chains again";
    let problem = "first/state.json belongs to another image, or the image was changed";
    scratch.fail(&line(""), 1, &format!("error: --resume first/state.nii.gz: {problem}; {keep}"));
    scratch.write("first/state.json", "{}");
    let problem = "first/state.json: it is not a saved state of Arcuate";
    scratch.fail(&line(""), 1, &format!("error: --resume first/state.nii.gz: {problem}; {keep}"));
}

#[test]
fn double_precision_chains_continue_bit_identically() {
    let scratch = noisy();
    let run = |out: &str, more: &str| {
        let usual = "--method mcmc --interval 5 --precision double";
        scratch.succeed(&fit(&format!("ball-2-sticks --out {out} {usual} {more}")));
        ["d", "f1", "f2", "n1", "n2"].map(|name| scratch.volume(&format!("{out}/{name}_samples.nii.gz")))
    };
    let whole = run("whole", "--burn-in 50 --jumps 200");
    let first = run("first", "--burn-in 50 --jumps 100 --save-state");
    let second = run("second", "--jumps 100 --resume first/state.nii.gz");
    for ((whole, first), second) in whole.iter().zip(first).zip(second) {
        for voxel in 0..2 {
            assert_eq!(whole.voxel(voxel), [first.voxel(voxel), second.voxel(voxel)].concat());
        }
    }
}
