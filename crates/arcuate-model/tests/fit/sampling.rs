//! Tests chains. Posteriors must be the known ones, and the samples of a voxel must not depend on which other
//! voxels are sampled.

use crate::simulation::{Simulated, simulate, table};
use arcuate_compute::{Device, Purpose, Random};
use arcuate_core::{Affine, GradientTable, Grid, Mask, Volume};
use arcuate_model::fit::sample::{
    ChainStart, Deviation, ModelSamples, Noise, SampleOptions, chain_identity, sample_model,
};
use arcuate_model::fit::{FitOptions, ModelMeasurements, Override, OverrideKind, Prediction, Source};
use arcuate_model::language::{Model, Prior};
use arcuate_model::models::model;

/// Simulates signals around a mean in this number of voxels.
fn noise(voxels: usize, measurements: usize, mean: f64, sigma: f64) -> (Volume<f32>, GradientTable) {
    let table =
        GradientTable::new(&vec![[1.0, 0.0, 0.0]; measurements], vec![0.0; measurements], 50.0).unwrap();
    let mut random = Random::new(8, Purpose::Resampling, 0);
    let grid = Grid::new([voxels, 1, 1], Affine::identity()).unwrap();
    let values = (0..voxels * measurements).map(|_| (mean + sigma * random.normal()) as f32).collect();
    (Volume::new(grid, measurements, values).unwrap(), table)
}

/// Creates a model whose signal is the same for all measurements.
fn constant(prior: &str) -> Model {
    let text = "name = \"constant\"\nsignal = \"s0\"\n[parameters.s0]\nunit = \"signal\"\nbounds = [0, inf]\nstart = \"mean_b0\"\n";
    Model::parse("constant.toml", text).unwrap().with_prior(0, Prior::parse(prior).unwrap()).unwrap()
}

fn sample(model: &Model, dwi: &Volume<f32>, table: &GradientTable, sampling: &SampleOptions) -> ModelSamples {
    let options = FitOptions { single_precision: true, ..FitOptions::default() };
    sample_model(model, dwi, table, &Mask::full(*dwi.grid()), &Device::Cpu, &options, sampling).unwrap()
}

fn mean_of(values: impl IntoIterator<Item = f64>) -> f64 {
    let (sum, count) = values.into_iter().fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    sum / count
}

/// Panics if means and standard deviations of samples are not the expected ones. Each of 64 voxels has 4,000
/// nearly independent samples. The mean over voxels then has an error of 0.2 % of a standard deviation, and
/// the standard deviation an error of 0.14 %.
fn assert_posterior(found: &ModelSamples, expected: impl Fn(usize) -> (f64, f64), what: &str) {
    let (mean, spread) = (found.mean_of(&found.parameters[0]), found.spread_of(&found.parameters[0]));
    let voxels = mean.values().len();
    let shift = |voxel: usize| {
        let (expected, deviation) = expected(voxel);
        (f64::from(mean.voxel(voxel)[0]) - expected) / deviation
    };
    let ratio = |voxel: usize| f64::from(spread.voxel(voxel)[0]) / expected(voxel).1;
    let (shifts, ratios) = (mean_of((0..voxels).map(shift)), mean_of((0..voxels).map(ratio)));
    assert!(shifts.abs() < 0.01, "{what}: means are off by {shifts} of a deviation");
    assert!((ratios - 1.0).abs() < 0.01, "{what}: deviations are {ratios} of the true ones");
    let worst = (0..voxels).map(|voxel| shift(voxel).abs()).fold(0.0, f64::max);
    assert!(worst < 0.12, "{what}: a mean is off by {worst} of a deviation");
}

#[test]
fn known_posteriors_are_sampled_correctly() {
    let measurements = 20;
    let (dwi, table) = noise(64, measurements, 1000.0, 40.0);
    let options = SampleOptions { burn_in: 500, jumps: 40_000, interval: 10, ..SampleOptions::default() };
    let average = |voxel: usize| mean_of(dwi.voxel(voxel).iter().map(|v| f64::from(*v)));
    let n = measurements as f64;
    let known = SampleOptions { noise: Noise::Gaussian(Deviation::Known(40.0)), ..options.clone() };
    // The prior is normal, and the noise is normal with a known standard deviation.
    let found = sample(&constant("normal(980, 15)"), &dwi, &table, &known);
    let weights = [n / 1600.0, 1.0 / 225.0];
    let both = weights[0] + weights[1];
    let posterior = |voxel| ((weights[0] * average(voxel) + weights[1] * 980.0) / both, both.sqrt().recip());
    assert_posterior(&found, posterior, "normal prior");
    // If σ is integrated out, the posterior is Student's distribution with n − 1 degrees of freedom.
    let found = sample(&constant("uniform"), &dwi, &table, &options);
    let student = |voxel: usize| {
        let mean = average(voxel);
        let squares = dwi.voxel(voxel).iter().map(|v| (f64::from(*v) - mean).powi(2)).sum::<f64>();
        (mean, (squares / (n - 1.0) / n * (n - 1.0) / (n - 3.0)).sqrt())
    };
    assert_posterior(&found, student, "σ integrated");
    // If σ is sampled, the posterior of the mean is the same.
    let log_uniform = Deviation::Sampled(Prior::parse("log_uniform").unwrap());
    let sampled = SampleOptions { noise: Noise::Gaussian(log_uniform.clone()), ..options.clone() };
    let found = sample(&constant("uniform"), &dwi, &table, &sampled);
    assert_eq!(found.parameters.len(), 2);
    assert_posterior(&found, student, "σ sampled");
    let sigma = found.mean_of(&found.parameters[1]);
    let expected = |voxel: usize| {
        // The posterior mean of σ is that of an inverse chi distribution: √(SSR/2) Γ((n − 2)/2) / Γ((n −
        // 1)/2). Stirling's series gives it within 10⁻⁴.
        let squares = student(voxel).1.powi(2) * n * (n - 3.0);
        (squares / (n - 1.0)).sqrt() * (1.0 + 3.0 / (4.0 * (n - 1.0)) + 25.0 / (32.0 * (n - 1.0f64).powi(2)))
    };
    let off = mean_of((0..64).map(|voxel| f64::from(sigma.voxel(voxel)[0]) / expected(voxel) - 1.0));
    assert!(off.abs() < 3e-3, "the mean of σ is off by {off}");
    // A magnitude far above the noise has nearly normal noise, but the square of its mean is larger by σ².
    // The posterior mean is therefore smaller.
    let rician = SampleOptions { noise: Noise::Rician(log_uniform), ..options };
    let found = sample(&constant("uniform"), &dwi, &table, &rician);
    let moved = |voxel: usize| {
        let (mean, deviation) = student(voxel);
        (mean - 0.5 * deviation.powi(2) * n / mean, deviation)
    };
    assert_posterior(&found, moved, "Rician");
}

#[test]
fn priors_can_be_formulas() {
    let (dwi, table) = noise(32, 20, 1000.0, 40.0);
    let options = SampleOptions { burn_in: 200, jumps: 2000, ..SampleOptions::default() };
    let by_name = sample(&constant("normal(980, 15)"), &dwi, &table, &options);
    let formula = "energy(0.5 * ((s0 - 980 [signal]) / 15 [signal])^2)";
    let by_formula = sample(&constant(formula), &dwi, &table, &options);
    let values = |found: &ModelSamples| found.samples_of(&found.parameters[0]).values().to_vec();
    let (a, b) = (values(&by_name), values(&by_formula));
    // The second run has another precision. If a proposal is judged differently, the chains differ after it.
    // This is the case for few proposals.
    let same = a.iter().zip(&b).filter(|(a, b)| (*a - *b).abs() < 1e-3 * **a).count();
    assert!(same as f64 > 0.9 * a.len() as f64, "{same} of {}", a.len());
    // Without the prior, the samples must be different.
    let without = values(&sample(&constant("uniform"), &dwi, &table, &options));
    assert!(mean_of(a.iter().zip(&without).map(|(a, b)| f64::from(b - a))) > 1.0);
}

fn chains_of(simulated: &Simulated, mask: &Mask, table: &GradientTable, precise: bool) -> ModelSamples {
    let options = FitOptions { single_precision: !precise, ..FitOptions::default() };
    let sampling =
        SampleOptions { burn_in: 60, jumps: 90, interval: 3, chains: 2, ..SampleOptions::default() };
    let model = model("ball-2-sticks").unwrap();
    sample_model(&model, &simulated.dwi, table, mask, &Device::Cpu, &options, &sampling).unwrap()
}

#[test]
fn samples_of_a_voxel_do_not_depend_on_other_voxels() {
    let table = table(&[1000.0, 2000.0], 12);
    let mut simulated = simulate(&model("ball-2-sticks").unwrap(), &table, 70, 30.0, 3);
    simulated.dwi.voxel_mut(4).fill(0.0);
    simulated.dwi.voxel_mut(9)[3] = f32::NAN;
    for precise in [false, true] {
        let all = chains_of(&simulated, &simulated.mask, &table, precise);
        let some: Vec<bool> = (0..70).map(|voxel| voxel % 3 == 0 || voxel == 4).collect();
        let mask = Mask::new(*simulated.mask.grid(), some).unwrap();
        let few = chains_of(&simulated, &mask, &table, precise);
        assert!(all.of_voxel(4).is_none() && few.of_voxel(1).is_none());
        for voxel in [0, 9, 33, 69] {
            let rows = |found: &ModelSamples| -> Vec<Vec<u32>> {
                let rows = found.of_voxel(voxel).unwrap();
                rows.map(|row| row.iter().map(|value| value.to_bits()).collect()).collect()
            };
            let (a, b) = (rows(&all), rows(&few));
            assert_eq!(a.len(), 60);
            assert!(a == b, "voxel {voxel}");
            assert!(a[0] != a[30], "both chains of voxel {voxel} draw the same");
        }
    }
}

#[test]
fn traces_are_the_samples_in_order() {
    let table = table(&[1000.0], 12);
    let simulated = simulate(&model("ball-2-sticks").unwrap(), &table, 9, 30.0, 3);
    let found = chains_of(&simulated, &simulated.mask, &table, false);
    for parameter in &found.parameters {
        let trace = found.trace(5, parameter).unwrap();
        assert_eq!((trace.chains.len(), trace.chains[0].len(), trace.chains[1].len()), (2, 30, 30));
        let convergence = found.convergence_of(parameter);
        let [hat, bulk, tail] = trace.convergence.unwrap().map(|value| value as f32);
        assert_eq!([bulk, tail, hat], convergence.voxel(5));
        let mean = found.mean_of(parameter);
        for (value, row) in trace.chains.concat().iter().zip(found.of_voxel(5).unwrap()) {
            let numbers = parameter.of(row);
            if parameter.numbers == 3 {
                let pairs = numbers.iter().zip(mean.voxel(5));
                let cosine: f64 = pairs.map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
                assert!((value.to_radians().cos() - cosine.abs()).abs() < 1e-6, "{value} {cosine}");
            } else {
                assert_eq!(*value, f64::from(numbers[0]));
            }
        }
    }
    assert!(found.trace(9, &found.parameters[0]).is_none());
}

#[test]
fn samples_are_distributed_around_the_truth() {
    let table = table(&[1000.0, 2000.0], 30);
    let model = model("ball-2-sticks").unwrap();
    let simulated = simulate(&model, &table, 128, 30.0, 5);
    // The chains are long, so that the sampling error of the results is small.
    let sampling = SampleOptions { jumps: 10_000, ..SampleOptions::default() };
    let found = sample(&model, &simulated.dwi, &table, &sampling);
    for parameter in &found.parameters {
        let (mean, spread) = (found.mean_of(parameter), found.spread_of(parameter));
        let acceptance = mean_of(found.acceptance.values().iter().map(|v| f64::from(*v)));
        assert!((0.35..0.6).contains(&acceptance), "{acceptance}");
        let place =
            ["s0", "d", "f1", "n1", "f2", "n2"].iter().position(|name| *name == parameter.name).unwrap();
        let first = [0, 1, 2, 3, 6, 7][place];
        let is_apart = |voxel: &usize| {
            let truth = &simulated.truth[*voxel];
            let [a, b] = [3, 7].map(|first| &truth[first..first + 3]);
            // If both fractions are nearly equal, a single sample decides which population is first. The test
            // therefore omits these voxels.
            let is_larger = truth[2] > truth[6] + 0.1;
            is_larger && a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>().abs() < 0.6
        };
        let squares = (0..128).filter(is_apart).map(|voxel| {
            let truth = &simulated.truth[voxel][first..first + parameter.numbers];
            let found = mean.voxel(voxel);
            if parameter.numbers == 3 {
                let cosine: f64 = truth.iter().zip(found).map(|(a, b)| a * f64::from(*b)).sum();
                // The dispersion of an orientation is the mean square of the sine.
                (1.0 - cosine * cosine) / f64::from(spread.voxel(voxel)[0])
            } else {
                ((truth[0] - f64::from(found[0])) / f64::from(spread.voxel(voxel)[0])).powi(2)
            }
        });
        // The squares of normal variables have the mean 1. The mean over about 70 voxels is within 0.5 of it.
        let square = mean_of(squares);
        println!("{}: {square}", parameter.name);
        assert!((0.5..1.8).contains(&square), "{}: {square}", parameter.name);
    }
}

#[test]
fn chains_can_start_from_other_values() {
    let table = table(&[1000.0, 2000.0], 30);
    let model = model("ball-1-stick").unwrap();
    let simulated = simulate(&model, &table, 32, 30.0, 5);
    let at = |start| {
        let sampling = SampleOptions { start, ..SampleOptions::default() };
        let found = sample(&model, &simulated.dwi, &table, &sampling);
        let spread = found.spread_of(&found.parameters[1]);
        (found.mean_of(&found.parameters[1]), spread)
    };
    let (fitted, spread) = at(ChainStart::Fit);
    for start in [ChainStart::Search, ChainStart::Model] {
        let (mean, _) = at(start);
        let off = mean_of((0..32).map(|voxel| {
            f64::from((mean.voxel(voxel)[0] - fitted.voxel(voxel)[0]) / spread.voxel(voxel)[0]).powi(2)
        }));
        // The tolerance allows for the error of two means of 50 samples each.
        assert!(off < 0.15 && off > 0.0, "{start:?}: {off}");
    }
}

/// Simulates voxels with two fibres whose signal fractions are nearly equal. In the samples, either of them
/// can be the larger one.
fn two_alike(table: &GradientTable) -> Simulated {
    let model = model("ball-2-sticks").unwrap();
    let mut simulated = simulate(&model, table, 20, 30.0, 3);
    let prediction = Prediction::new(&model, table, &[]).unwrap();
    let mut random = Random::new(4, Purpose::Resampling, 0);
    for voxel in 0..20 {
        let numbers = &mut simulated.truth[voxel];
        (numbers[2], numbers[6]) = (0.31, 0.3);
        for (out, signal) in simulated.dwi.voxel_mut(voxel).iter_mut().zip(prediction.signals(numbers)) {
            *out = (signal + 60.0 * random.normal()) as f32;
        }
    }
    simulated
}

fn bits(of: &ModelSamples, voxel: usize) -> Vec<Vec<u32>> {
    of.of_voxel(voxel).unwrap().map(|row| row.iter().map(|value| value.to_bits()).collect()).collect()
}

#[test]
fn continued_chains_equal_uninterrupted_chains() {
    let table = table(&[1000.0, 2000.0], 12);
    let model = model("ball-2-sticks").unwrap();
    let simulated = two_alike(&table);
    let sigma = Deviation::Sampled(Prior::parse("log_uniform").unwrap());
    // Proposal widths adapt throughout the run, in windows of sweeps. The end of the first piece is not the
    // end of a window.
    let whole = SampleOptions {
        burn_in: 60,
        jumps: 160,
        interval: 4,
        window: 14,
        adapts_throughout: true,
        keeps_state: true,
        chains: 2,
        noise: Noise::Gaussian(sigma),
        ..SampleOptions::default()
    };
    for single_precision in [true, false] {
        let options = FitOptions { single_precision, ..FitOptions::default() };
        let run = |sampling: &SampleOptions| {
            sample_model(&model, &simulated.dwi, &table, &simulated.mask, &Device::Cpu, &options, sampling)
                .unwrap()
        };
        let all = run(&whole);
        // The run is divided into three pieces of different length.
        let (mut pieces, mut state) = (Vec::new(), None::<Volume<f64>>);
        for jumps in [40, 80, 40] {
            let piece = run(&SampleOptions { jumps, state: state.take(), ..whole.clone() });
            state.clone_from(&piece.state);
            pieces.push(piece);
        }
        assert_eq!(all.state, state);
        for voxel in 0..20 {
            let mut joined = vec![Vec::new(); 2];
            for piece in &pieces {
                let rows = bits(piece, voxel);
                for (chain, rows) in rows.chunks_exact(piece.samples).enumerate() {
                    joined[chain].extend_from_slice(rows);
                }
            }
            assert!(bits(&all, voxel) == joined.concat(), "voxel {voxel}, single {single_precision}");
        }
        // In at least one voxel, the order of populations would be different if each piece determined its own
        // order.
        let larger = |of: &ModelSamples, voxel: usize| {
            let rows: Vec<&[f32]> = of.of_voxel(voxel).unwrap().take(of.samples).collect();
            let [a, b] = [2, 4].map(|n| of.parameters[n].clone());
            rows.iter().map(|row| a.of(row)[0] - b.of(row)[0]).sum::<f32>() > 0.0
        };
        let changes =
            |voxel: &usize| pieces.iter().any(|piece| larger(piece, *voxel) != larger(&all, *voxel));
        assert!((0..20).any(|voxel| changes(&voxel)), "nothing is tested");
    }
}

#[test]
fn saved_states_identify_their_run() {
    let table = table(&[1000.0, 2000.0], 12);
    let model = model("ball-2-sticks").unwrap();
    let simulated = two_alike(&table);
    let (options, sampling) = (FitOptions::default(), SampleOptions::default());
    let of = |model: &Model, dwi: &Volume<f32>, table, options: &FitOptions, sampling: &SampleOptions| {
        chain_identity(model, dwi, table, options, sampling).unwrap()
    };
    let usual = of(&model, &simulated.dwi, &table, &options, &sampling);
    // The identity does not depend on options that only determine the length or the start of the chains.
    let other = SampleOptions { jumps: 10, interval: 5, burn_in: 7, ..sampling.clone() };
    assert_eq!(usual.difference(&of(&model, &simulated.dwi, &table, &options, &other)), None);
    let mut dwi = simulated.dwi.clone();
    dwi.voxel_mut(19)[3] += 1.0;
    let mut b_values = table.b_values().to_vec();
    b_values[9] += 1.0;
    let turned = GradientTable::new(table.directions(), b_values, 50.0).unwrap();
    let ard = model.clone().with_prior(4, Prior::parse("ard(1, 1e-4)").unwrap()).unwrap();
    let formula = |text| model.clone().with_prior(4, Prior::parse(text).unwrap()).unwrap();
    let change = Override { parameter: "d".to_owned(), what: OverrideKind::Fixed(Source::Number(1e-3)) };
    let fixed = FitOptions { overrides: vec![change], ..options.clone() };
    let up_to = FitOptions { measurements: ModelMeasurements::UpTo(1500.0), ..options.clone() };
    let single = FitOptions { single_precision: true, ..options.clone() };
    let seed = SampleOptions { random_seed: 9, ..sampling.clone() };
    let sigma = SampleOptions { noise: Noise::Gaussian(Deviation::Known(10.0)), ..sampling.clone() };
    let formulas = ["energy(f2)", "energy(2 * f2)"].map(formula);
    let dwi_of = &simulated.dwi;
    for (what, identity) in [
        ("series", of(&model, &dwi, &table, &options, &sampling)),
        ("gradient table", of(&model, dwi_of, &turned, &options, &sampling)),
        ("prior of f2", of(&ard, dwi_of, &table, &options, &sampling)),
        ("prior of f2", of(&formulas[0], dwi_of, &table, &options, &sampling)),
        ("value of d", of(&model, dwi_of, &table, &fixed, &sampling)),
        ("measurements", of(&model, dwi_of, &table, &up_to, &sampling)),
        ("precision", of(&model, dwi_of, &table, &single, &sampling)),
        ("random seed", of(&model, dwi_of, &table, &options, &seed)),
        ("noise", of(&model, dwi_of, &table, &options, &sigma)),
    ] {
        let difference = usual.difference(&identity).unwrap_or_default();
        assert!(difference.starts_with(what) && !difference.contains(';'), "{what}: {difference}");
    }
    let [a, b] = formulas.map(|model| of(&model, dwi_of, &table, &options, &sampling));
    assert!(a.difference(&b).is_some());
}

#[test]
fn relevance_priors_are_proper_without_data() {
    // Without weighting, the signal does not depend on f. Its posterior is the prior: uniform in ln f from a
    // thousandth on.
    let text = "name = \"nothing\"\nsignal = \"s0 * (f + (1 - f) * exp(-b * 1e-3 [mm²/s]))\"\n\
                [parameters.s0]\nunit = \"signal\"\nbounds = [0, inf]\nstart = \"mean_b0\"\n\
                [parameters.f]\nbounds = [0, 1]\nstart = 0.3\nprior = \"ard\"\n";
    let model = Model::parse("nothing.toml", text).unwrap();
    let (dwi, table) = noise(32, 20, 1000.0, 40.0);
    let options = SampleOptions {
        burn_in: 1000,
        jumps: 40_000,
        interval: 20,
        start: ChainStart::Model,
        ..SampleOptions::default()
    };
    let found = sample(&model, &dwi, &table, &options);
    let values = found.samples_of(&found.parameters[1]);
    assert!(values.values().iter().all(|f| *f >= 1e-3), "below the least part");
    for limit in [0.003f32, 0.01, 0.05, 0.3] {
        let below = values.values().iter().filter(|f| **f < limit).count() as f64;
        let (share, expected) =
            (below / values.values().len() as f64, f64::from(limit * 1e3).ln() / 1e3f64.ln());
        assert!((share - expected).abs() < 0.02, "{share} below {limit}, {expected} expected");
    }
}

#[test]
fn chains_can_start_far_apart() {
    let table = table(&[1000.0, 2000.0], 30);
    let model = model("ball-2-sticks").unwrap();
    let simulated = simulate(&model, &table, 24, 30.0, 5);
    let of = |start, burn_in, jumps| {
        let sampling =
            SampleOptions { start, burn_in, jumps, interval: 1, chains: 4, ..SampleOptions::default() };
        sample(&model, &simulated.dwi, &table, &sampling)
    };
    // Returns the difference between chains after one sweep: the range of the first signal fraction, averaged
    // over voxels.
    let apart = |start| {
        let found = of(start, 0, 8);
        mean_of((0..24).map(|voxel| {
            let first: Vec<f32> =
                found.of_voxel(voxel).unwrap().step_by(8).map(|row| found.parameters[2].of(row)[0]).collect();
            let [low, high] = first.iter().fold([1.0f32, 0.0], |[low, high], f| [low.min(*f), high.max(*f)]);
            f64::from(high - low)
        }))
    };
    let (together, far) = (apart(ChainStart::Fit), apart(ChainStart::Dispersed));
    assert!(together < 0.1 && far > 0.3, "{together} {far}");
    // Chains with random starts nevertheless converge to the same distribution.
    let found = of(ChainStart::Dispersed, 3000, 3000);
    let convergence = found.convergence_of(&found.parameters[2]);
    let agreeing = (0..24).filter(|voxel| convergence.voxel(*voxel)[2] < 1.1).count();
    assert!(agreeing >= 18, "{agreeing} of 24 agree");
}

#[test]
fn models_can_have_more_parameters_than_bits_in_a_word() {
    // The signal divided by its mean is the sum of 320 values. The logarithm of each has a prior with
    // standard deviation T, and the measured sum exceeds the expected one. Each value is nearly normal with
    // the standard deviation D = T · MEAN. If v is the variance of the mean of the measurements, each value
    // gets D²/(320 D² + v) of the excess. The parameters are halves of the logarithms. Exponentials of their
    // doubles are expensive enough to be kept, so that a move must know which kept value is its own.
    const COUNT: usize = 320;
    const MEAN: f64 = 0.003;
    const T: f64 = 0.1;
    let (measurements, sigma) = (400, 107.0);
    let (dwi, table) = noise(16, measurements, 1000.0, sigma);
    let names: Vec<String> = (0..COUNT).map(|n| format!("a{n}")).collect();
    let sum: Vec<String> = names.iter().map(|name| format!("exp(2 * {name})")).collect();
    let mut text = format!("name = \"sum\"\nsignal = \"s0 * ({})\"\n", sum.join(" + "));
    text += "[parameters.s0]\nunit = \"signal\"\nbounds = [0, inf]\nstart = \"mean_b0\"\n";
    let (half, deviation_of_half) = (0.5 * MEAN.ln(), 0.5 * T);
    for name in &names {
        let numbers = format!("start = {half}\nprior = \"normal({half}, {deviation_of_half})\"\n");
        text += &["[parameters.", name, "]\nbounds = [-10, 0]\n", &numbers].concat();
    }
    let model = Model::parse("sum.toml", &text).unwrap();
    let options = SampleOptions {
        burn_in: 200,
        jumps: 1000,
        interval: 10,
        noise: Noise::Gaussian(Deviation::Known(sigma)),
        start: ChainStart::Model,
        ..SampleOptions::default()
    };
    let overrides = vec![Override { parameter: "s0".to_owned(), what: OverrideKind::Kept }];
    let fit = FitOptions { single_precision: true, overrides, ..FitOptions::default() };
    let found =
        sample_model(&model, &dwi, &table, &Mask::full(*dwi.grid()), &Device::Cpu, &fit, &options).unwrap();
    assert_eq!(found.parameters.len(), COUNT);
    for voxel in 0..16 {
        let mean = mean_of(dwi.voxel(voxel).iter().map(|v| f64::from(*v)));
        let variance = (sigma / mean).powi(2) / measurements as f64;
        let (expected_mean, deviation) = (MEAN * (0.5 * T * T).exp(), MEAN * T);
        let excess = 1.0 - COUNT as f64 * expected_mean;
        let expected = excess * deviation / (COUNT as f64 * deviation * deviation + variance);
        // The moves of the first 64 parameters are in the first word of a bit set, and those of the others
        // are in further words.
        for range in [0..64, 64..COUNT] {
            let means = found.parameters[range.clone()].iter().map(|parameter| found.mean_of(parameter));
            let shift =
                mean_of(means.map(|mean| (f64::from(mean.voxel(voxel)[0]) - half) / deviation_of_half));
            // Each range has at least 64 parameters with 100 nearly independent samples each. The error of
            // the mean shift is about a hundredth of T.
            assert!((shift - expected).abs() < 0.06, "{voxel} {range:?}: {shift} for {expected}");
        }
    }
}
