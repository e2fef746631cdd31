//! Tests long formulas and models. No function may call itself once for every term of a sum, or for every
//! stage.

use crate::simulation::{simulate, table};
use arcuate_compute::{Device, DeviceChoice};
use arcuate_core::{Control, Mask};
use arcuate_model::fit::sample::{SampleOptions, sample_model};
use arcuate_model::fit::{
    FitOptions, ModelFit, Obstacle, check_starts, fit_models, predicted_series, predicted_signals,
};
use arcuate_model::language::{Model, Prior};
use arcuate_model::models::{model, model_text};

/// Stack size in bytes. A recursion over 9,000 terms overflows this stack.
const STACK: usize = 512 << 10;
const TERMS: usize = 9000;

/// Runs work on a thread with a small stack. Parallel work that it starts runs on the same thread.
fn on_a_small_stack(work: impl FnOnce() + Send) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).stack_size(STACK).build().unwrap();
    pool.install(work);
}

fn sum(of: &str) -> String {
    vec![of; TERMS].join(" + ")
}

/// Returns the text of the model of one stick, with these replacements.
fn changed(changes: &[(&str, &str)]) -> String {
    changes.iter().fold(model_text("ball-1-stick").unwrap().to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    })
}

#[test]
fn long_formulas_are_parsed_and_freed() {
    let d = format!("let stick = exp(-b * ({}) * dot(g, n)^2 / {TERMS}", sum("d"));
    let signal = changed(&[("let stick = exp(-b * d * dot(g, n)^2", &d)]);
    let constraint = format!("constraints = [\"{} <= {TERMS}\"]\nsignal =", sum("f"));
    let prior = format!("bounds = [0, 1]\nprior = \"energy({})\"", sum("f"));
    for text in [&signal, &changed(&[("signal =", &constraint)]), &changed(&[("bounds = [0, 1]", &prior)])] {
        on_a_small_stack(|| drop(Model::parse("long.toml", text).unwrap()));
    }
    let energy = format!("energy({})", sum("f"));
    on_a_small_stack(|| {
        let place = model("ball-1-stick").unwrap().parameter_of("f").unwrap();
        drop(model("ball-1-stick").unwrap().with_prior(place, Prior::parse(&energy).unwrap()).unwrap());
    });
    // Formulas of names that refer to other names are nested as deeply as long sums.
    let lets: Vec<String> = (1..3000).map(|n| format!("let a{n} = a{} + f\n", n - 1)).collect();
    let lets = lets.concat();
    let named = format!("signal = \"\"\"\nlet a0 = f\n{lets}s0 * exp(-b * d * a2999 / 3000)\n\"\"\"\n");
    let text = format!(
        "name = \"names\"\n{named}[parameters.s0]\nunit = \"signal\"\nbounds = [0, inf]\nstart = \"mean_b0\"\n\
         [parameters.d]\nunit = \"mm²/s\"\nbounds = [0, 5e-3]\nstart = 1e-3\n\
         [parameters.f]\nbounds = [0, 1]\nstart = 0.5\n"
    );
    on_a_small_stack(|| drop(Model::parse("names.toml", &text).unwrap()));
}

#[test]
fn long_formulas_are_fitted_and_sampled() {
    let table = table(&[1000.0], 12);
    let simulated = simulate(&model("ball-1-stick").unwrap(), &table, 2, 30.0, 3);
    // This sum has fewer terms than above. Each term has derivatives, which are slow to compile in a test.
    let long = vec!["d"; 2000].join(" + ");
    let text = changed(&[
        ("name = \"ball-1-stick\"", "name = \"long\""),
        (
            "let stick = exp(-b * d * dot(g, n)^2",
            &format!("let stick = exp(-b * ({long}) * dot(g, n)^2 / 2000"),
        ),
    ]);
    on_a_small_stack(|| {
        let long = Model::parse("long.toml", &text).unwrap();
        let options = FitOptions { evaluations: 5, ..FitOptions::default() };
        let sampling = SampleOptions { burn_in: 2, jumps: 4, interval: 2, ..SampleOptions::default() };
        let (dwi, mask) = (&simulated.dwi, &simulated.mask);
        sample_model(&long, dwi, &table, mask, &Device::Cpu, &options, &sampling).unwrap();
    });
}

/// Number of terms of a model whose computation has more than 65,536 steps.
const MANY_TERMS: u16 = 900;

/// Creates a model whose signal contains a sum of `count` Legendre polynomials of degree 40.
fn of_terms(count: u16) -> Model {
    let terms: Vec<String> =
        (0..count).map(|n| format!("legendre(40, f * {})", 1.0 - 1e-4 * f64::from(n))).collect();
    let text = format!(
        "name = \"steps\"\nsignal = \"s0 * exp(-b * d) * (1 + 1e-3 * ({}))\"\n\
         [parameters.s0]\nunit = \"signal\"\nbounds = [0, inf]\nstart = \"mean_b0\"\n\
         [parameters.d]\nunit = \"mm²/s\"\nbounds = [0, 5e-3]\nstart = 1e-3\n\
         [parameters.f]\nbounds = [0, 1]\nstart = 0.9\n",
        terms.join(" + ")
    );
    Model::parse("steps.toml", &text).unwrap()
}

/// Fits the model with two evaluations of the signal. Checks that the schedule predicts the same signals as
/// the formula itself.
fn of_two_evaluations(terms: u16, device: &Device, control: Control) -> ModelFit {
    let table = table(&[1000.0], 2);
    let simulated = simulate(&model("ball-1-stick").unwrap(), &table, 2, 30.0, 3);
    let models = [of_terms(terms)];
    let options = FitOptions { evaluations: 2, single_precision: true, control, ..FitOptions::default() };
    let mut fits = fit_models(&models, &simulated.dwi, &table, &simulated.mask, device, &options).unwrap();
    let by_schedule = predicted_series(&models, 0, &fits[0], &table, &options).unwrap();
    let by_formula = predicted_signals(&models, &fits, &table, &options, &[0, 1]).unwrap();
    for (voxel, of_models) in by_formula.iter().enumerate() {
        for (found, expected) in by_schedule.voxel(voxel).iter().zip(&of_models[0]) {
            assert!((f64::from(*found) / expected - 1.0).abs() < 1e-5, "{found} for {expected}");
            assert!(*expected > 100.0, "{expected}");
        }
    }
    fits.remove(0)
}

#[test]
fn models_of_more_than_65536_steps_are_evaluated_correctly() {
    of_two_evaluations(MANY_TERMS, &Device::Cpu, Control::default());
}

/// Fits the model on the GPU and compares every bit with a fit on the CPU. Returns the obstacle and the
/// warnings of the fit on the GPU.
fn compare_on_a_gpu(terms: u16) -> (Option<Obstacle>, Vec<String>) {
    let gpu = DeviceChoice::Cuda(vec![0]).open(None).unwrap();
    let here = of_two_evaluations(terms, &Device::Cpu, Control::default());
    let (there, warnings) =
        arcuate_test_support::warnings(|| of_two_evaluations(terms, &gpu, Control::default()));
    let bits = |fit: &ModelFit| {
        let values = fit.maps.iter().flat_map(|map| map.volume.values()).chain(fit.residual.values());
        values.map(|value| value.to_bits()).collect::<Vec<u32>>()
    };
    assert_eq!(bits(&here), bits(&there));
    (there.obstacle, warnings)
}

#[test]
fn long_models_below_the_limit_of_a_kernel_have_the_same_bits_on_a_gpu() {
    if !arcuate_emulation::available("long models on a GPU") {
        return;
    }
    let (obstacle, warnings) = compare_on_a_gpu(100);
    assert_eq!(obstacle, None);
    assert!(warnings.iter().all(|warning| !warning.contains("CPU")), "{warnings:?}");
}

#[test]
fn models_that_are_too_long_for_a_kernel_are_fitted_on_the_cpu_with_one_warning() {
    if !arcuate_emulation::available("models that are too long for a GPU") {
        return;
    }
    let (obstacle, warnings) = compare_on_a_gpu(MANY_TERMS);
    let Some(Obstacle::TooLong(instructions)) = obstacle else { panic!("{obstacle:?}") };
    let of_cpu: Vec<&String> = warnings.iter().filter(|warning| warning.contains("CPU")).collect();
    let start =
        format!("steps: it needs a GPU kernel of {instructions} instructions, more than the limit of ");
    assert!(of_cpu.len() == 1 && of_cpu[0].starts_with(&start), "{warnings:?}");
    assert!(of_cpu[0].ends_with("; it is fitted on the CPU"), "{warnings:?}");
}

#[test]
fn chains_of_models_that_are_too_long_for_a_kernel_are_run_on_the_cpu_with_one_warning() {
    if !arcuate_emulation::available("chains of models that are too long for a GPU") {
        return;
    }
    let table = table(&[1000.0], 2);
    let simulated = simulate(&model("ball-1-stick").unwrap(), &table, 2, 30.0, 3);
    let sample = |device: &Device| {
        let options = FitOptions { evaluations: 1, single_precision: true, ..FitOptions::default() };
        let sampling = SampleOptions { burn_in: 1, jumps: 2, interval: 1, ..SampleOptions::default() };
        let (dwi, mask) = (&simulated.dwi, &simulated.mask);
        let model = of_terms(MANY_TERMS);
        arcuate_test_support::warnings(|| {
            sample_model(&model, dwi, &table, mask, device, &options, &sampling).unwrap()
        })
    };
    let (here, _) = sample(&Device::Cpu);
    let (there, warnings) = sample(&DeviceChoice::Cuda(vec![0]).open(None).unwrap());
    assert!(matches!(there.obstacle, Some(Obstacle::TooLong(_))), "{:?}", there.obstacle);
    let of_cpu = warnings.iter().filter(|warning| warning.ends_with("; it is fitted and sampled on the CPU"));
    assert_eq!(of_cpu.count(), 1, "{warnings:?}");
    for parameter in &here.parameters {
        assert_eq!(here.samples_of(parameter).values(), there.samples_of(parameter).values());
    }
}

#[test]
fn long_chains_of_dependent_models_are_ordered() {
    let of = |n: usize| {
        let start = if n == 0 { "start = 0.5".to_owned() } else { format!("start = \"m{}.f\"", n - 1) };
        let (name, start) = (format!("name = \"m{n}\""), format!("bounds = [0, 1]\n{start}"));
        let text = changed(&[
            ("name = \"ball-1-stick\"", name.as_str()),
            ("bounds = [0, 1]\ngrid = [0.1, 0.3, 0.5, 0.7, 0.9]", start.as_str()),
            ("parameters = [\"d\", \"f\"]", "parameters = [\"d\"]"),
        ]);
        Model::parse("model.toml", &text).unwrap()
    };
    // The models are in reverse order, so that each waits for the model that it starts from.
    let models: Vec<Model> = (0..600).rev().map(of).collect();
    on_a_small_stack(|| check_starts(&models).unwrap());
}

fn many_stages(device: &Device) {
    let table = table(&[1000.0], 12);
    let simulated = simulate(&model("ball-1-stick").unwrap(), &table, 2, 30.0, 3);
    let stages = "\n[[stages]]".repeat(3000);
    let text = changed(&[("name = \"ball-1-stick\"", "name = \"stages\"")]) + &stages;
    on_a_small_stack(|| {
        let model = Model::parse("stages.toml", &text).unwrap();
        let options = FitOptions { evaluations: 1, single_precision: true, ..FitOptions::default() };
        let mask: &Mask = &simulated.mask;
        fit_models(&[model], &simulated.dwi, &table, mask, device, &options).unwrap();
    });
}

#[test]
fn many_stages_are_run() {
    many_stages(&Device::Cpu);
}

#[test]
fn many_stages_are_run_on_a_gpu() {
    if !arcuate_emulation::available("many stages on a GPU") {
        return;
    }
    many_stages(&DeviceChoice::Cuda(vec![0]).open(None).unwrap());
}

#[test]
fn searches_that_keep_too_many_starts_are_rejected() {
    let search = "\n[[stages]]\nmethod = \"grid\"\nkeep = 16\nparameters = [\"f\"]";
    let of = |searches: usize| {
        let text = changed(&[("[[stages]]", "[[stages]]")]);
        let (head, _) = text.split_once("[[stages]]").unwrap();
        Model::parse("searches.toml", &format!("{head}{}\n[[stages]]", search.repeat(searches)))
    };
    assert!(of(3).is_ok());
    let error = of(4).unwrap_err().to_string();
    assert!(error.contains("its searches together keep more than 4096 starts of a voxel"), "{error}");
}
