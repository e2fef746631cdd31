//! Tests fits that continue from several starts of a search, until convergence or until the best start is
//! clear.

use crate::simulation::{simulate, table};
use arcuate_compute::{Device, DeviceChoice};
use arcuate_model::fit::{FitOptions, ModelFit, fit_models};
use arcuate_model::language::Model;
use arcuate_model::models::{model, model_text};

const SEARCH: &str = "[[stages]]\nmethod = \"grid\"\nparameters = [\"f1\", \"f2\", \"n2\"]\n";
const VOXELS: usize = 70;
const ALL_THE_WAY: &str = "[[stages]]\nmethod = \"levenberg-marquardt\"\n";

/// Returns a built-in model whose stages are replaced by these stages.
fn with_stages(name: &str, stages: &str) -> Result<Model, String> {
    let (head, _) = model_text(name).unwrap().split_once("[[stages]]").unwrap();
    let head = head.replacen(&format!("name = \"{name}\""), "name = \"mine\"", 1);
    Model::parse("mine.toml", &format!("{head}{stages}")).map_err(|error| error.to_string())
}

fn keeping(count: usize) -> String {
    SEARCH.replace("parameters", &format!("keep = {count}\nparameters"))
}

fn followed(evaluations: u32) -> String {
    format!("[[stages]]\nevaluations = {evaluations}\n[[stages]]\nfrom = \"best\"\n")
}

fn fit(name: &str, stages: &str, device: &Device) -> ModelFit {
    let table = table(&[1000.0, 2000.0], 30);
    let simulated = simulate(&model(name).unwrap(), &table, VOXELS, 30.0, 3);
    let options = FitOptions { single_precision: true, ..FitOptions::default() };
    let models = [with_stages(name, stages).unwrap()];
    fit_models(&models, &simulated.dwi, &table, &simulated.mask, device, &options).unwrap().remove(0)
}

fn bits(fit: &ModelFit) -> Vec<u32> {
    fit.maps.iter().flat_map(|map| map.volume.values()).map(|value| value.to_bits()).collect()
}

/// If the stages after the search take no step, the best start is the best combination of the search.
fn no_step_leaves_the_order_of_the_search(device: &Device) {
    let first = fit("ball-2-sticks", &[SEARCH, ALL_THE_WAY].concat(), device);
    let best = fit("ball-2-sticks", &[keeping(4), followed(1)].concat(), device);
    assert!(bits(&first) == bits(&best));
    assert_eq!(first.status.values(), best.status.values());
    // Each of the four starts has one more evaluation of the signal.
    assert_eq!(best.evaluations, first.evaluations + 4 * VOXELS as u64);
}

#[test]
fn starts_are_refined_in_the_order_of_the_search() {
    no_step_leaves_the_order_of_the_search(&Device::Cpu);
}

#[test]
fn starts_are_refined_in_the_order_of_the_search_on_a_gpu() {
    if !arcuate_emulation::available("starts of fits on a GPU") {
        return;
    }
    let gpu = DeviceChoice::Cuda(vec![0]).open(None).unwrap();
    no_step_leaves_the_order_of_the_search(&gpu);

    // If the stages after the search take some steps, in some voxels another start becomes better than the
    // search's best.
    let four = [keeping(4), followed(6)].concat();
    let best = fit("ball-2-sticks", &four, &gpu);
    assert!(bits(&best) == bits(&fit("ball-2-sticks", &four, &Device::Cpu)));
    let first = [SEARCH, "[[stages]]\nevaluations = 6\n[[stages]]\n"].concat();
    assert!(bits(&best) != bits(&fit("ball-2-sticks", &first, &gpu)));
}

#[test]
fn few_evaluations_usually_select_the_same_start() {
    let search = |keep: usize| {
        let searched = "\"f2\", \"kappa1_1\", \"kappa2_1\", \"psi1\", \"kappa1_2\", \"kappa2_2\", \"psi2\"";
        format!("[[stages]]\nmethod = \"grid\"\nkeep = {keep}\nparameters = [{searched}]\n")
    };
    let of = |stages: String| fit("noddi-2-binghams", &stages, &Device::Cpu);
    let (one, all) = (of(search(1) + ALL_THE_WAY), of(search(4) + ALL_THE_WAY));
    let few = of(search(4) + &followed(16));
    let worse = |fit: &ModelFit| {
        let pairs = fit.residual.values().iter().zip(all.residual.values());
        pairs.filter(|(residual, least)| **residual > **least * 1.005).count()
    };
    assert!(worse(&one) > 2 * worse(&few), "{} {}", worse(&one), worse(&few));
    assert!(all.evaluations as f64 > 1.3 * few.evaluations as f64, "{} {}", all.evaluations, few.evaluations);
}

#[test]
fn invalid_stages_are_rejected() {
    let nothing = "a stage continues from the best start, but there is only one start, or no start has \
                   been fitted";
    for (stages, expected) in [
        (SEARCH.to_owned() + "[[stages]]\nfrom = \"best\"\n", nothing),
        (keeping(4) + "[[stages]]\nfrom = \"best\"\n", nothing),
        (keeping(4) + &followed(5) + "[[stages]]\nfrom = \"best\"\n", nothing),
        (keeping(4) + "[[stages]]\nfrom = \"first\"\n", "`from` is not \"best\""),
        (keeping(4) + &followed(0), "`evaluations` is not a whole number from 1 to 10000"),
        (keeping(4).replace("keep", "evaluations"), "`evaluations` is nothing that a stage has"),
    ] {
        let error = with_stages("ball-2-sticks", &stages).expect_err(&stages);
        assert!(error.contains(expected), "{error}");
    }
}
