//! `--method mcmc`: model comparison and traces from samples.

use crate::common::Scratch;
use crate::fit_requests::{DIRECTIONS, figure, fit, map, predicted, series, sticks, table};

const SHORT: &str = "--method mcmc --burn-in 100 --jumps 200 --interval 5";

/// Voxels with noise, so that every posterior has a width.
pub(super) fn noisy() -> Scratch {
    let table = table(&[1000.0, 2000.0], 20);
    let voxel = |n: &[f64; 3]| {
        let clean = predicted("ball-1-stick", &table, &[1000.0, 1.2e-3, 0.6, n[0], n[1], n[2]]);
        // The noise is at most ±20 and the same in every voxel.
        let noise = (0..clean.len()).map(|m| 20.0 * (1.7 * m as f32 * (1.0 + m as f32)).sin());
        clean.iter().zip(noise).map(|(signal, noise)| signal + noise).collect::<Vec<f32>>()
    };
    series(&table, &DIRECTIONS.iter().map(voxel).collect::<Vec<_>>())
}

#[test]
fn models_are_compared_by_their_samples() {
    let scratch = noisy();
    for criterion in ["dic", "waic"] {
        let command = format!("ball-1-stick,ball-2-sticks --compare {criterion} --out {criterion} {SHORT}");
        scratch.succeed(&fit(&command));
        let best = map(&scratch, &format!("{criterion}/best_model.nii.gz"));
        let [one, two] = ["ball-1-stick", "ball-2-sticks"]
            .map(|model| map(&scratch, &format!("{criterion}/{model}/{criterion}.nii.gz")));
        for voxel in 0..2 {
            let lower = if one[voxel] <= two[voxel] { 1.0 } else { 2.0 };
            assert_eq!(best[voxel], lower);
            // −2 ln of normal densities of 43 measurements whose σ is about 14.
            assert!((330.0..380.0).contains(&one[voxel]), "{criterion}: {one:?}");
        }
        let text = scratch.text(&format!("{criterion}/arcuate.json"));
        let record: serde_json::Value = serde_json::from_str(&text).unwrap();
        let tables = record["tables"].as_array().unwrap();
        let supports = tables.iter().find(|t| t["title"] == "Model that the signal supports").unwrap();
        assert_eq!(supports["columns"][3], "effective parameters (median)");
        let effective = supports["rows"][0][3].as_f64().unwrap();
        assert!((2.0..10.0).contains(&effective), "{effective}");
        let cited = record["references"].to_string();
        assert!(cited.contains("Spiegelhalter") && !cited.contains("Akaike"), "{cited}");
    }
    // The criteria of best fits are also available with chains.
    scratch.succeed(&fit(&format!("ball-1-stick,ball-2-sticks --compare bic --out bic {SHORT}")));
    assert!(map(&scratch, "bic/ball-1-stick/bic.nii.gz").iter().all(|value| *value > 0.0));
    assert_eq!(figure(&scratch, "bic/arcuate.json", "voxels in the brain mask"), 2);
}

#[test]
fn best_fits_have_no_sample_criteria() {
    let scratch = sticks(&DIRECTIONS);
    for criterion in ["dic", "waic"] {
        scratch.fail(
            &fit(&format!("ball-1-stick,ball-2-sticks --out x --compare {criterion}")),
            2,
            &format!(
                "error: --compare {criterion}: a best fit has no posterior samples, which this criterion \
                 needs; add --method mcmc, or take aic, aicc or bic"
            ),
        );
    }
}

/// The column names and the rows of a file with traces.
fn traces(scratch: &Scratch, name: &str) -> (Vec<String>, Vec<Vec<f64>>) {
    let text = scratch.text(name);
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<String>>());
    let columns = lines.next().unwrap();
    (columns, lines.map(|row| row.iter().map(|cell| cell.parse().unwrap()).collect()).collect())
}

/// The section of a page with this title, up to the next section.
fn section(page: &str, title: &str) -> String {
    let (_, after) = page.split_once(&format!("<h2>{title}</h2>")).expect("the section");
    after.split("<h2>").next().unwrap().to_owned()
}

#[test]
fn the_report_shows_the_samples_of_chosen_voxels() {
    let scratch = noisy();
    let command =
        format!("ball-1-stick --out out --chains 2 --trace-voxel 1,0,0 --trace-voxel 0,0,0 {SHORT}");
    scratch.succeed(&fit(&command));
    let (columns, rows) = traces(&scratch, "out/traces.csv");
    assert_eq!(columns, ["i", "j", "k", "chain", "sample", "s0", "d", "f", "n_angle"]);
    assert_eq!(rows.len(), 2 * 2 * 40);
    assert_eq!(rows[0][..5], [1.0, 0.0, 0.0, 1.0, 1.0], "the voxel that was named first");
    assert_eq!(rows[159][..5], [0.0, 0.0, 0.0, 2.0, 40.0]);
    let volume = |name: &str| scratch.volume(&format!("out/{name}.nii.gz"));
    let (f, n, axis) = (volume("f_samples"), volume("n_samples"), volume("n"));
    for row in &rows {
        let (voxel, sample) = (row[0] as usize, 40 * (row[3] as usize - 1) + row[4] as usize - 1);
        assert_eq!(row[7] as f32, f.voxel(voxel)[sample]);
        let cosine: f64 =
            (0..3).map(|m| f64::from(n.voxel(voxel)[3 * sample + m]) * f64::from(axis.voxel(voxel)[m])).sum();
        assert!((row[8].to_radians().cos() - cosine.abs()).abs() < 1e-6, "{row:?} {cosine}");
    }
    scratch.succeed("report out");
    let shown = section(&scratch.text("out/report.html"), "Traces");
    assert_eq!(
        shown.matches("<polyline class=\"trace\"").count(),
        2 * (2 * 4 * 2),
        "a line for each chain, on a narrow and on a wide page"
    );
    let (first, second) = shown.split_once("voxel 0, 0, 0").expect("the second voxel");
    assert!(first.contains("voxel 1, 0, 0") && first.contains("d, µm²/ms") && first.contains("n: angle, °"));
    // The report contains the diagnostics of f. The range in the text of its plot is the range of its
    // samples.
    let (effective, hats) = (volume("f_ess"), volume("f_rhat"));
    let (bulk, tail, hat) = (effective.voxel(0)[0], effective.voxel(0)[1], hats.voxel(0)[0]);
    let said =
        format!("R̂ {hat:.3}; 80 count as {bulk:.0} independent ones, {tail:.0} in the tails (too few for R̂)");
    assert!(second.contains(&said), "{second}");
    let own: Vec<f64> = rows.iter().filter(|row| row[0] == 0.0).map(|row| row[7]).collect();
    let [low, high] =
        [f64::min as fn(f64, f64) -> f64, f64::max].map(|of| own.iter().copied().reduce(of).unwrap());
    let said = second.split("f in 2 chains of 40 samples: ").nth(1).expect("the plot of f");
    let numbers: Vec<f64> =
        said.split(". ").next().unwrap().split(" to ").map(|number| number.parse().unwrap()).collect();
    assert!((numbers[0] - low).abs() < 1e-3 && (numbers[1] - high).abs() < 1e-3, "{numbers:?} {low} {high}");
    // The highest point of the first chain's line is its largest sample.
    let line = said.split("points=\"").nth(1).unwrap().split('"').next().unwrap();
    let heights: Vec<f64> =
        line.split(' ').map(|pair| pair.split(',').nth(1).unwrap().parse().unwrap()).collect();
    let top = |values: &[f64]| (0..40).max_by(|&a, &b| values[a].total_cmp(&values[b])).unwrap();
    let above: Vec<f64> = heights.iter().map(|height| -height).collect();
    assert_eq!(top(&above), top(&own[..40]));
}

#[test]
fn the_example_voxel_is_traced_by_default() {
    let scratch = noisy();
    scratch.succeed(&fit(&format!("ball-1-stick,ball-2-sticks --out out {SHORT} --noise rician")));
    let record: serde_json::Value = scratch.json("out/arcuate.json");
    let tables = record["tables"].as_array().unwrap();
    let text = tables.iter().find(|t| t["title"] == "Example voxel").unwrap()["text"].as_str().unwrap();
    let [one, two] =
        ["ball-1-stick", "ball-2-sticks"].map(|m| traces(&scratch, &format!("out/{m}/traces.csv")));
    let example = one.1[0][0];
    assert!(text.starts_with(&format!("Voxel {example}, 0, 0,")), "{text}");
    assert_eq!((one.1.len(), two.1.len()), (40, 40));
    assert!(one.1.iter().chain(&two.1).all(|row| row[0] == example));
    assert!(one.0.ends_with(&["n_angle".into(), "sigma".into()]), "{:?}", one.0);
    scratch.succeed("report out");
    let shown = section(&scratch.text("out/report.html"), "Traces");
    assert!(
        !shown.contains("chain 1") && shown.contains("ball-2-sticks: ") && shown.contains("sigma, signal")
    );
    assert_eq!(shown.matches("<polyline class=\"trace\"").count(), 2 * (5 + 7), "narrow and wide");
}

#[test]
fn invalid_trace_voxels_are_rejected() {
    let scratch = noisy();
    for (words, expected) in [
        ("2,0,0", "--trace-voxel 2,0,0: the image has 2 × 1 × 1 voxels; give indices counted from 0"),
        ("0,0,1", "--trace-voxel 0,0,1: the image has 2 × 1 × 1 voxels; give indices counted from 0"),
        ("0,0", "--trace-voxel 0,0: it is not a voxel; give three indices with commas, such as 40,52,31"),
        ("0,x,0", "--trace-voxel 0,x,0: it is not a voxel; give three indices with commas, such as 40,52,31"),
        (
            "0,0,0,x",
            "--trace-voxel 0,0,0,x: it is not a voxel; give three indices with commas, such as \
                     40,52,31",
        ),
        ("0,0,0 --trace-voxel 0,0,0", "--trace-voxel 0,0,0: it is named twice; name each voxel once"),
        (&["0,0,0"; 9].join(" --trace-voxel "), "--trace-voxel: 9 voxels are too many; name 8 at most"),
    ] {
        let command = fit(&format!("ball-1-stick --out no {SHORT} --trace-voxel {words}"));
        scratch.fail(&command, 2, &format!("error: {expected}"));
    }
    scratch.fail(
        &fit("ball-1-stick --out no --trace-voxel 0,0,0"),
        2,
        "error: --trace-voxel: a fit has no chains; add --method mcmc, or leave out this option",
    );
    crate::fit_requests::write_row(&scratch, "mask.nii.gz", &[vec![1.0], vec![0.0]]);
    scratch.fail(
        &fit(&format!("ball-1-stick --out no {SHORT} --trace-voxel 1,0,0")),
        2,
        "error: --trace-voxel 1,0,0: the voxel is outside the mask; give a voxel inside the mask",
    );
    // A voxel without a signal has no samples. This is known only after sampling, so it is a warning, and the
    // results are kept.
    let voxels =
        [predicted("ball-1-stick", &table(&[1000.0, 2000.0], 20), &[1000.0, 1.2e-3, 0.6, 1.0, 0.0, 0.0])];
    crate::fit_requests::write_row(&scratch, "dwi.nii.gz", &[voxels[0].clone(), vec![0.0; 43]]);
    crate::fit_requests::write_row(&scratch, "mask.nii.gz", &[vec![1.0], vec![1.0]]);
    scratch.succeed_with(
        &fit(&format!("ball-1-stick --out out {SHORT} --trace-voxel 1,0,0")),
        "warning: ball-1-stick: 1 of 2 voxels could not be computed (1 without a signal above 0)\nwarning: \
         ball-1-stick: voxel 1, 0, 0 could not be sampled, so its chains are not plotted",
    );
    assert!(traces(&scratch, "out/traces.csv").1.is_empty());
    scratch.succeed("report out");
    assert!(!scratch.text("out/report.html").contains("<h2>Traces</h2>"));
}
