//! Tests of the example voxels of `arcuate fit MODEL`.

use crate::common::{Scratch, small_brain};
use serde_json::Value;

fn record(scratch: &Scratch, folder: &str) -> Value {
    scratch.json(&format!("{folder}/arcuate.json"))
}

fn table<'a>(record: &'a Value, title: &str) -> &'a Value {
    record["tables"].as_array().unwrap().iter().find(|table| table["title"] == title).expect(title)
}

/// Returns the indices of the example voxel in a record.
fn voxel_of(table: &Value) -> [usize; 3] {
    let text = table["text"].as_str().unwrap();
    let words = text.strip_prefix("Voxel ").unwrap().split(", counted").next().unwrap();
    let numbers: Vec<usize> = words.split(", ").map(|word| word.parse().unwrap()).collect();
    numbers.try_into().unwrap()
}

/// Returns the rows of a CSV file without its header. Empty cells are NaN.
fn rows(text: &str) -> Vec<Vec<f64>> {
    let row = |line: &str| line.split(',').map(|cell| cell.parse().unwrap_or(f64::NAN)).collect();
    text.lines().skip(1).map(row).collect()
}

#[test]
fn the_example_shows_measured_and_predicted_signals() {
    let brain = Scratch::with(small_brain());
    brain.succeed("fit ball-1-stick,ball-2-sticks dwi.nii.gz --mask mask.nii.gz --out fit");
    let record = record(&brain, "fit");
    let example = table(&record, "Example voxel");
    let [x, y, z] = voxel_of(example);
    let dwi = brain.volume("dwi.nii.gz");
    let voxel = dwi.grid().index([x, y, z]);
    for model in ["ball-1-stick", "ball-2-sticks"] {
        let map = |name: &str| brain.volume(&format!("fit/{model}/{name}.nii.gz"));
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
        // The predicted signal is smallest along the stick.
        let mut weighted: Vec<&Vec<f64>> = rows.iter().filter(|row| row[2] > 0.0).collect();
        weighted.sort_by(|a, b| a[3].total_cmp(&b[3]));
        if model == "ball-1-stick" {
            assert!(weighted.is_sorted_by(|a, b| a[5] >= b[5]), "{weighted:?}");
        }
        // The record has the same values as the maps.
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
fn the_example_voxel_is_typical_of_anisotropic_signals() {
    let brain = Scratch::with(small_brain());
    brain.succeed("fit ball-1-stick dwi.nii.gz --mask mask.nii.gz --out fit");
    let volume = |name: &str| brain.volume(&format!("fit/{name}.nii.gz"));
    let [status, residual] = ["status", "residual"].map(volume);
    let dwi = brain.volume("dwi.nii.gz");
    let shells: Vec<f64> = rows(&brain.text("fit/example_voxel.csv")).iter().map(|row| row[2]).collect();
    // The standard deviation of weighted signals, divided by the mean signal at b = 0, as in the
    // record.
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
fn models_without_orientation_have_an_example() {
    let brain = Scratch::with(small_brain());
    brain.succeed("fit tensor-nonlinear dwi.nii.gz --mask mask.nii.gz --max-b 1500 --out fit");
    let rows = rows(&brain.text("fit/example_voxel.csv"));
    let mut weighted: Vec<&Vec<f64>> = rows.iter().filter(|row| row[2] > 0.0).collect();
    weighted.sort_by(|a, b| a[3].total_cmp(&b[3]));
    assert_eq!(weighted.len(), 12);
    assert!(weighted.is_sorted_by(|a, b| a[5] >= b[5]), "by the predicted signal: {weighted:?}");
    // If all measurements have b = 0, there is no variation over directions to select a voxel by.
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

/// Returns the header and the rows of a CSV file.
fn cells(text: &str) -> (Vec<&str>, Vec<Vec<&str>>) {
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<&str>>());
    (lines.next().unwrap(), lines.collect())
}

#[test]
fn group_examples_show_measured_and_predicted_signals() {
    let brain = Scratch::with(small_brain());
    std::fs::write(brain.path("decay.toml"), DECAY).unwrap();
    let names = ["decay", "ball-1-stick", "ball-2-sticks"];
    brain.succeed(
        "fit ./decay.toml,ball-1-stick,ball-2-sticks dwi.nii.gz --mask mask.nii.gz --compare bic --predicted --out fit",
    );
    let volume = |name: &str| brain.volume(&format!("fit/{name}.nii.gz"));
    let (winners, dwi) = (volume("best_model"), brain.volume("dwi.nii.gz"));
    let criteria = names.map(|name| volume(&format!("{name}/bic")));
    let predicted = names.map(|name| volume(&format!("{name}/predicted")));
    let text = brain.text("fit/example_voxels.csv");
    let (head, rows) = cells(&text);
    assert_eq!(
        head.join(","),
        format!("group,example,i,j,k,volume,b_value,shell,place,measured,{}", names.join(","))
    );
    let record = record(&brain, "fit");
    let said = table(&record, "Example voxels of each group")["rows"].as_array().unwrap().clone();
    let mut groups_with_examples = 0;
    let mut examples: Vec<&[Vec<&str>]> = rows.chunk_by(|a, b| a[..5] == b[..5]).collect();
    assert_eq!(examples.len(), said.len());
    for (n, name) in names.iter().enumerate() {
        let number = (n + 1) as f32;
        // The difference between the lowest criterion of the other models and the criterion of this
        // model.
        let lead = |voxel: usize| {
            let others = (0..names.len()).filter(|&m| m != n).map(|m| f64::from(criteria[m].values()[voxel]));
            others.fold(f64::INFINITY, f64::min) - f64::from(criteria[n].values()[voxel])
        };
        let mut leads: Vec<f64> =
            (0..winners.grid().len()).filter(|&voxel| winners.values()[voxel] == number).map(lead).collect();
        leads.sort_by(f64::total_cmp);
        let of_group = examples.iter().take_while(|rows| rows[0][0] == *name).count();
        let own: Vec<&[Vec<&str>]> = examples.drain(..of_group).collect();
        assert_eq!(own.len(), leads.len().min(3), "{name} wins {} voxels", leads.len());
        groups_with_examples += usize::from(!own.is_empty());
        for (rows, (kind, part)) in own.iter().zip([("typical", 0.5), ("clear", 0.9), ("close call", 0.1)]) {
            assert_eq!(rows[0][1], kind);
            let voxel = dwi.grid().index([2, 3, 4].map(|column| rows[0][column].parse().unwrap()));
            assert_eq!(winners.values()[voxel], number);
            let place = (part * (leads.len() - 1) as f64).round() as usize;
            assert_eq!(lead(voxel), leads[place], "{name}, {kind}");
            let said = said.iter().find(|row| row[0] == *name && row[1] == kind).unwrap();
            assert_eq!(rows.len(), predicted[0].channels(), "a row for each measurement that was fitted");
            for (channel, row) in rows.iter().enumerate() {
                let number = |column: usize| row[column].parse::<f64>().unwrap();
                assert_eq!(number(9) as f32, dwi.voxel(voxel)[number(5) as usize]);
                for (m, series) in predicted.iter().enumerate() {
                    let expected = f64::from(series.voxel(voxel)[channel]);
                    // The table has seven digits, and the image has single precision.
                    let difference = (number(10 + m) - expected).abs();
                    assert!(
                        difference <= 1e-6 * expected.abs(),
                        "{}: {} {expected}",
                        names[m],
                        number(10 + m)
                    );
                }
            }
            for (m, values) in criteria.iter().enumerate() {
                let more = values.values()[voxel] - criteria[n].values()[voxel];
                assert_eq!(said[3 + m], format!("{more:.1}"), "{name}, {kind}");
            }
        }
    }
    assert!(examples.is_empty() && groups_with_examples >= 2, "{said:?}");
    brain.succeed("report fit");
    let page = brain.text("fit/report.html");
    let (_, section) = page.split_once("<h2>Example voxels of each group</h2>").expect("the section");
    let section = section.split("<h2>").next().unwrap();
    assert_eq!(section.matches("<circle class=\"ring\"").count(), said.len(), "each is on the map");
    assert_eq!(
        section.matches("lowest BIC; residual").count(),
        2 * said.len(),
        "in the plot and its description"
    );
}

#[test]
fn models_that_win_nowhere_have_no_examples() {
    let brain = Scratch::with(small_brain());
    let constant = DECAY.replace("bounds = [0, 5e-3]\nstart = 1e-3", "bounds = [0, 1e-6]\nstart = 5e-7");
    assert_ne!(constant, DECAY);
    std::fs::write(brain.path("decay.toml"), constant).unwrap();
    let said =
        brain.run("fit ./decay.toml,ball-1-stick dwi.nii.gz --mask mask.nii.gz --compare bic --out fit");
    assert_eq!(said.code, 0, "{}", said.errors);
    let text = brain.text("fit/example_voxels.csv");
    let (_, rows) = cells(&text);
    assert!(!rows.is_empty() && rows.iter().all(|row| row[0] == "ball-1-stick"), "{text}");
}
