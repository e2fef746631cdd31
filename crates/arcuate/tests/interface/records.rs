//! Records match their schema, and headers of results name the command.

use crate::common::{Scratch, small_brain};
use serde_json::Value;
use std::path::Path;

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

fn documentation(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/reference").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Returns a folder with the results of commands that write records.
fn results() -> Scratch {
    let brain = Scratch::with(small_brain());
    for command in [
        "simulate --out simulated --voxel-size 8 --directions 8 --b0s 1 --streamlines-per-bundle 2",
        "run dwi.nii.gz --labels labels.nii.gz --select 200 --out run",
        "evaluate life truth_streamlines.trx --dwi dwi.nii.gz --lesion arcuate_left --refit --normalise-signal --regularise \
         lasso --lambda 0.1 --out life",
        "evaluate commit truth_streamlines.trx --dwi dwi.nii.gz --peaks truth_peaks.nii.gz --mask white_matter.nii.gz \
         --regularise lasso --lambda 0.1 --lambda-curve 2 --iterations 30 --tolerance 1e-2 --predicted --compat \
         --no-normalise-signal --radial-diffusivities 0.51,0.85 --out commit",
        "maps run/tensor/tensor.nii.gz --out maps",
        "fit ball-1-stick,tensor-nonlinear dwi.nii.gz --compare bic --out fit",
        "track geodesic run/tensor/tensor.nii.gz --seed-mask white_matter.nii.gz --seeds 5 --targets labels.nii.gz --per-seed 10 \
         --out connections",
        "track geodesic run/tensor/tensor.nii.gz --all --seeds 5 --out rays",
        "demo --out demo --voxel-size 8 --shells 0:1,1000:12 --select 200",
    ] {
        let result = brain.run(command);
        assert_eq!(result.code, 0, "{command}: {}", result.errors);
    }
    brain
}

#[test]
fn records_match_their_schema_and_are_documented() {
    let brain = results();
    let schema = jsonschema::validator_for(&json(&documentation("arcuate.schema.json"))).expect("a schema");
    let page = documentation("results.md");
    let records: Vec<String> = brain
        .listing(".")
        .into_iter()
        .filter(|name| {
            name.ends_with("arcuate.json") || name.ends_with(".gz.json") || name.ends_with(".trx.json")
        })
        .collect();
    assert!(records.len() >= 20, "{records:?}");
    for name in &records {
        let record = json(&brain.text(name));
        let problems: Vec<String> =
            schema.iter_errors(&record).map(|e| format!("{}: {e}", e.instance_path())).collect();
        assert!(problems.is_empty(), "{name}: {problems:#?}");
        let folder = Path::new(name).parent().unwrap();
        for file in record["files"].as_array().unwrap() {
            let file = file["name"].as_str().unwrap();
            assert!(brain.path("").join(folder).join(file).exists(), "{name} names {file}");
            // Folders Results_<Model> contain files of another program. Maps of models have the names of
            // parameters.
            let own = Path::new(file).file_name().unwrap().to_str().unwrap();
            let is_of_model = name.starts_with("fit/") && file.contains('/') && own.ends_with(".nii.gz");
            assert!(
                file.contains("Results_") || is_of_model || page.contains(&format!("`{own}`")),
                "results.md does not explain {own}"
            );
        }
        assert!(
            record["command"].as_array().unwrap().len() > 1
                && !record["figures"].as_object().unwrap().is_empty()
        );
    }
    // The schema rejects invalid records.
    let mut record = json(&brain.text("commit/arcuate.json"));
    for (pointer, value) in [
        ("/figures", json("[]")),
        ("/options/lambda", json("{}")),
        ("/files/0/name", json("3")),
        ("/files/2/picture/kind", json("\"sculpture\"")),
        ("/convergence/0/number", json("\"first\"")),
        ("/form", json("2")),
    ] {
        let old =
            std::mem::replace(record.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer}")), value);
        assert!(!schema.is_valid(&record), "{pointer}");
        *record.pointer_mut(pointer).unwrap() = old;
        assert!(schema.is_valid(&record), "{pointer}");
    }
}

#[test]
fn recorded_options_agree_with_the_command_line() {
    let brain = results();
    let options = json(&brain.text("commit/arcuate.json"))["options"].clone();
    for (name, value) in [
        ("regularise", "\"lasso\""),
        ("lambda", "[0.1]"),
        ("lambda-curve", "2"),
        ("tolerance", "0.01"),
        ("predicted", "true"),
        ("no-normalise-signal", "true"),
        ("radial-diffusivities", "[0.51, 0.85]"),
        ("model", "\"stick-zeppelin-ball\""),
        ("mask", "\"white_matter.nii.gz\""),
        ("random-seed", "0"),
    ] {
        assert_eq!(options[name], json(value), "{name}");
    }
    assert_eq!(options.get("out"), None);
    assert_eq!(options.get("debias"), None);
    // Figures are stored as numbers.
    let figures = json(&brain.text("life/arcuate.json"))["figures"].clone();
    assert!(figures["mean RMSE with weighted streamlines"]["value"].is_f64(), "{figures}");
    assert_eq!(figures["streamlines evaluated"]["value"], 150);
}

#[test]
fn single_files_have_records() {
    let brain = Scratch::with(small_brain());
    brain.succeed("mask dwi.nii.gz --out m.nii.gz");
    brain.succeed("mask dwi.nii.gz --out m.mif");
    let expected = format!("arcuate {} mask", env!("CARGO_PKG_VERSION"));
    for image in ["m.nii.gz", "m.mif"] {
        let result = brain.succeed(&format!("info {image}"));
        assert!(
            result.lines().any(|line| line.trim_start() == format!("description            {expected}")),
            "{result}"
        );
    }
    brain.succeed("fit tensor dwi.nii.gz --mask mask.nii.gz --out maps");
    brain.succeed("track tensor maps/tensor.nii.gz --select 20 --random-seed 5 --out t.tck");
    let header = String::from_utf8_lossy(&brain.read("t.tck")[..600]).into_owned();
    let history = header.lines().find_map(|line| line.strip_prefix("command_history: ")).expect("a history");
    assert!(
        history
            .contains(" track tensor maps/tensor.nii.gz --select 20 --random-seed 5 --out t.tck (version "),
        "{history}"
    );
    // An existing record is protected like any other result.
    std::fs::remove_file(brain.path("m.mif")).unwrap();
    brain.fail(
        "mask dwi.nii.gz --out m.mif",
        2,
        "error: m.mif.json: it is there already; choose another name, or give --force to replace the \
         existing file",
    );
}

#[test]
fn info_output_matches_its_schema() {
    let schema = jsonschema::validator_for(&json(&documentation("info.schema.json"))).expect("a schema");
    let brain = Scratch::with(small_brain());
    let result = brain.run("convert truth_streamlines.trx t.tck");
    assert_eq!(result.code, 0, "{}", result.errors);
    brain.succeed("convert dwi.nii.gz dwi.mif");
    let result =
        brain.run("info --json dwi.mif mask.nii.gz truth_streamlines.trx t.tck dwi.bval nothere.nii --quiet");
    assert_eq!(result.code, 1);
    let told = json(&result.output);
    let wrong: Vec<String> =
        schema.iter_errors(&told).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert_eq!(wrong, Vec::<String>::new());
    let kinds: Vec<&str> = told.as_array().unwrap().iter().filter_map(|file| file["kind"].as_str()).collect();
    assert_eq!(kinds, ["image", "image", "tractogram", "tractogram", "gradients", "error"]);
    assert_eq!(
        told[0]["gradients"]["shells"][1],
        serde_json::json!({ "b_value": 1000.0, "measurements": 12 })
    );
    assert_eq!(
        (&told[0]["gradients"]["measurements"], &told[4]["gradients"]["measurements"]),
        (&14.into(), &14.into())
    );
    assert_eq!((&told[1]["orientation"], &told[1]["gradients"]), (&"RAS".into(), &Value::Null));
    assert_eq!(told[2]["streamlines"], told[3]["streamlines"]);
    assert!(
        told[2]["groups"].as_array().is_some_and(|groups| !groups.is_empty())
            && told[3]["reference"].is_null()
    );
}
