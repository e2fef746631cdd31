//! `arcuate fit MODEL`: the voxel that it shows as an example.

mod common;

use arcuate_io::read_volume;
use common::{Scratch, small_brain};
use serde_json::Value;

fn record(scratch: &Scratch, folder: &str) -> Value {
    serde_json::from_str(&scratch.text(&format!("{folder}/arcuate.json"))).unwrap()
}

fn table<'a>(record: &'a Value, title: &str) -> &'a Value {
    record["tables"].as_array().unwrap().iter().find(|table| table["title"] == title).expect(title)
}

/// The voxel that a record says its example is.
fn voxel_of(table: &Value) -> [usize; 3] {
    let text = table["text"].as_str().unwrap();
    let words = text.strip_prefix("Voxel ").unwrap().split(", counted").next().unwrap();
    let numbers: Vec<usize> = words.split(", ").map(|word| word.parse().unwrap()).collect();
    numbers.try_into().unwrap()
}

/// Rows of a CSV file below its head; empty cells are NaN.
fn rows(text: &str) -> Vec<Vec<f64>> {
    let row = |line: &str| line.split(',').map(|cell| cell.parse().unwrap_or(f64::NAN)).collect();
    text.lines().skip(1).map(row).collect()
}

#[test]
fn the_example_is_what_was_measured_and_what_the_maps_predict() {
    let brain = Scratch::with(small_brain());
    brain.succeed("fit ball-1-stick,ball-2-sticks dwi.nii.gz --mask mask.nii.gz --out fit");
    let record = record(&brain, "fit");
    let example = table(&record, "Example voxel");
    let [x, y, z] = voxel_of(example);
    let dwi = read_volume(&brain.path("dwi.nii.gz")).unwrap();
    let voxel = dwi.grid().index([x, y, z]);
    for model in ["ball-1-stick", "ball-2-sticks"] {
        let map = |name: &str| read_volume(&brain.path(&format!("fit/{model}/{name}.nii.gz"))).unwrap();
        assert_eq!(map("status").voxel(voxel), [1.0], "{model}: converged");
        let text = brain.text(&format!("fit/{model}/example_voxel.csv"));
        assert!(text.starts_with("volume,b_value,shell,place,measured,predicted\n"), "{text}");
        let rows = rows(&text);
        assert_eq!(rows.len(), dwi.channels());
        let mut square = 0.0;
        for (volume, row) in rows.iter().enumerate() {
            assert_eq!(row[0], volume as f64);
            assert_eq!(row[4] as f32, dwi.voxel(voxel)[volume], "{model}: measured in volume {volume}");
            assert_eq!(row[2] == 0.0, row[3].is_nan(), "only b = 0 has no place");
            assert!(row[2] == 0.0 || (0.0..=1.0).contains(&row[3]));
            square += (row[4] - row[5]).powi(2) / rows.len() as f64;
        }
        // Predicted signals have seven digits.
        let residual = f64::from(map("residual").voxel(voxel)[0]);
        assert!((square.sqrt() / residual - 1.0).abs() < 1e-3, "{model}: {} {residual}", square.sqrt());
        // Along the stick the least is left.
        let mut weighted: Vec<&Vec<f64>> = rows.iter().filter(|row| row[2] > 0.0).collect();
        weighted.sort_by(|a, b| a[3].total_cmp(&b[3]));
        if model == "ball-1-stick" {
            assert!(weighted.is_sorted_by(|a, b| a[5] >= b[5]), "{weighted:?}");
        }
        // The record has the same numbers as the maps.
        let said = example["rows"].as_array().unwrap().iter().filter(|row| row[0] == model);
        let s0 = said.clone().find(|row| row[1] == "s0").unwrap()[2].as_f64().unwrap();
        assert_eq!(s0 as f32, map("s0").voxel(voxel)[0]);
        assert!(said.clone().any(|row| row[1] == "status" && row[2] == "converged"));
    }
    brain.succeed("report fit");
    let page = brain.text("fit/report.html");
    let (_, section) = page.split_once("<h2>Example voxel</h2>").expect("the section");
    let section = section.split("<h2>").next().unwrap();
    assert!(section.contains(&example["text"].as_str().unwrap().replace('/', "&#x2f;")));
    assert_eq!(
        section.matches("<circle class=\"measured\"").count(),
        2 * 2 * (dwi.channels() + 2),
        "and two keys, on a narrow and on a wide page"
    );
    let (pictures, numbers) = section.split_once("<table").expect("the table, below the pictures");
    assert!(pictures.contains("ball-2-sticks: Measured") && numbers.contains("ball-2-sticks"));
}

#[test]
fn the_example_is_typical_of_where_signals_vary_with_direction() {
    let brain = Scratch::with(small_brain());
    brain.succeed("fit ball-1-stick dwi.nii.gz --mask mask.nii.gz --out fit");
    let volume = |name: &str| read_volume(&brain.path(&format!("fit/{name}.nii.gz"))).unwrap();
    let [status, residual] = ["status", "residual"].map(volume);
    let dwi = read_volume(&brain.path("dwi.nii.gz")).unwrap();
    let shells: Vec<f64> = rows(&brain.text("fit/example_voxel.csv")).iter().map(|row| row[2]).collect();
    // Standard deviation over the mean without weighting, as the record says.
    let variation = |voxel: usize| {
        let of = |wanted: bool| -> Vec<f64> {
            let values = dwi.voxel(voxel).iter().zip(&shells);
            values.filter(|(_, b)| (**b > 0.0) == wanted).map(|(value, _)| f64::from(*value)).collect()
        };
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let weighted = of(true);
        let middle = mean(&weighted);
        let squares: Vec<f64> = weighted.iter().map(|value| (value - middle).powi(2)).collect();
        mean(&squares).sqrt() / mean(&of(false))
    };
    let mut converged: Vec<usize> =
        (0..dwi.grid().len()).filter(|&voxel| status.voxel(voxel)[0] == 1.0).collect();
    converged.sort_by(|&a, &b| variation(b).total_cmp(&variation(a)));
    converged.truncate(converged.len().div_ceil(4));
    converged.sort_by(|&a, &b| residual.voxel(a)[0].total_cmp(&residual.voxel(b)[0]));
    let record = record(&brain, "fit");
    let example = dwi.grid().index(voxel_of(table(&record, "Example voxel")));
    assert_eq!(example, converged[(converged.len() - 1) / 2]);
}

#[test]
fn a_model_without_orientation_and_fewer_measurements_have_an_example_too() {
    let brain = Scratch::with(small_brain());
    brain.succeed("fit tensor-nonlinear dwi.nii.gz --mask mask.nii.gz --max-b 1500 --out fit");
    let rows = rows(&brain.text("fit/example_voxel.csv"));
    let mut weighted: Vec<&Vec<f64>> = rows.iter().filter(|row| row[2] > 0.0).collect();
    weighted.sort_by(|a, b| a[3].total_cmp(&b[3]));
    assert_eq!(weighted.len(), 12);
    assert!(weighted.is_sorted_by(|a, b| a[5] >= b[5]), "by the predicted signal: {weighted:?}");
    // Nothing but b = 0 leaves no direction to choose by.
    std::fs::write(brain.path("decay.toml"), DECAY).unwrap();
    brain.succeed("fit ./decay.toml dwi.nii.gz --mask mask.nii.gz --max-b 100 --out zeros --fix d=1e-3");
    let record = record(&brain, "zeros");
    let text = table(&record, "Example voxel")["text"].as_str().unwrap().to_owned();
    assert!(!text.contains("quarter") && text.ends_with(": the one with the median residual."), "{text}");
}

const DECAY: &str = r#"name = "decay"
signal = "s0 * exp(-b * d)"
[parameters.s0]
unit = "signal"
bounds = [0, inf]
start = "mean_b0"
[parameters.d]
unit = "mm²/s"
bounds = [0, 5e-3]
start = 1e-3
"#;
