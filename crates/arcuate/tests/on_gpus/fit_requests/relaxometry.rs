//! Models without diffusion: series without a gradient table, with columns and maps.

use super::{map, write_row};
use crate::common::Scratch;

const MODEL: &str = include_str!("../../../../../docs/src/models/T2.toml");
const TIMES: [f32; 6] = [10.0, 20.0, 40.0, 60.0, 90.0, 130.0];

/// A folder with a series of echoes in two voxels, the echo times and a model file.
fn echoes() -> Scratch {
    let scratch = Scratch::new();
    let voxel = |s0: f32, t2: f32| TIMES.map(|te| s0 * (-te / t2).exp()).to_vec();
    write_row(&scratch, "echoes.nii.gz", &[voxel(1000.0, 70.0), voxel(40.0, 25.0)]);
    write_row(&scratch, "mask.nii.gz", &[vec![1.0], vec![1.0]]);
    scratch.write("te.txt", TIMES.map(|te| te.to_string()).join("\n"));
    scratch.write("T2.toml", MODEL);
    scratch
}

fn fit(more: &str) -> String {
    format!("fit ./T2.toml echoes.nii.gz --mask mask.nii.gz --column te=te.txt --out out {more}")
}

#[test]
fn series_without_a_gradient_table_are_fitted_if_no_model_needs_one() {
    let scratch = echoes();
    scratch.succeed(&fit(""));
    let (s0, t2) = (map(&scratch, "out/s0.nii.gz"), map(&scratch, "out/t2.nii.gz"));
    for (found, truth) in s0.iter().chain(&t2).zip([1000.0, 40.0, 70.0, 25.0]) {
        assert!((found / truth - 1.0).abs() < 1e-4, "{found} {truth}");
    }
    let r2 = map(&scratch, "out/r2.nii.gz");
    assert!((r2[0] / (1e3 / 70.0) - 1.0).abs() < 1e-4, "{r2:?}");
    // Shells, directions and noise are unknown, so the fit does not report them. It still writes the mean
    // image.
    let files = scratch.listing("out");
    for (name, is_there) in
        [("mean_signal.nii.gz", true), ("mean_b0.nii.gz", false), ("scan_directions.csv", false)]
    {
        assert_eq!(files.iter().any(|file| file == name), is_there, "{name}: {files:?}");
    }
    let mean = map(&scratch, "out/mean_signal.nii.gz")[0];
    let expected = TIMES.iter().map(|te| 1000.0 * (-te / 70.0).exp()).sum::<f32>() / 6.0;
    assert!((mean / expected - 1.0).abs() < 1e-5);
    let record = scratch.text("out/arcuate.json");
    assert!(record.contains("6 without a gradient table"), "{record}");
    assert!(!record.contains("signal-to-noise"), "{record}");
    // A report and a fit with chains are also possible.
    scratch.succeed("report out");
    scratch.succeed(&fit(
        "--force --method mcmc --burn-in 100 --jumps 100 --interval 10 --sigma 5 --random-seed 1",
    ));
    // A gradient table with b = 0 for all measurements does not change the fit.
    scratch.write("echoes.bval", "0 0 0 0 0 0\n");
    scratch.write("echoes.bvec", "0 0 0 0 0 0\n".repeat(3));
    scratch.succeed(&fit("--force"));
    assert_eq!(map(&scratch, "out/t2.nii.gz"), t2);
}

/// A fit with one evaluation returns its start values.
#[test]
fn start_values_are_computed_from_measured_signals() {
    let scratch = echoes();
    let signals: Vec<f64> = TIMES.iter().map(|te| 1000.0 * f64::from((-te / 70.0).exp())).collect();
    let mean = signals.iter().sum::<f64>() / 6.0;
    for (word, expected) in [
        ("largest", signals[0]),
        ("first", signals[0]),
        ("last", signals[5]),
        ("mean", mean),
        ("mean_b0", mean),
        ("median", 0.5 * (signals[2] + signals[3])),
        // The position among the six sorted values is 0.9 · 5 = 4.5, halfway between the two largest.
        ("quantile(0.9)", 0.5 * (signals[0] + signals[1])),
        ("quantile(1)", signals[0]),
    ] {
        let text = MODEL.replace("start = \"largest\"", &format!("start = \"{word}\""));
        scratch.write("T2.toml", text);
        scratch.run(&fit("--force --evaluations 1 --fix t2=50"));
        let s0 = f64::from(map(&scratch, "out/s0.nii.gz")[0]);
        assert!((s0 / expected - 1.0).abs() < 1e-4, "{word}: {s0} {expected}");
    }
    // Values that are not numbers are not used: the first value is then 5.
    let voxel = vec![f32::NAN, 5.0, 9.0, 4.0, 3.0, 2.0];
    write_row(&scratch, "echoes.nii.gz", &[voxel.clone(), voxel]);
    scratch.write("T2.toml", MODEL.replace("\"largest\"", "\"first\""));
    scratch.run(&fit("--force --evaluations 1 --fix t2=50"));
    assert!((map(&scratch, "out/s0.nii.gz")[0] / 5.0 - 1.0).abs() < 1e-6);
}

#[test]
fn models_that_need_a_gradient_table_report_it() {
    let scratch = echoes();
    let options = "give --bval and --bvec, or --gradients";
    scratch.fail(
        "fit ball-1-stick echoes.nii.gz --mask mask.nii.gz --out no",
        1,
        &format!(
            "error: echoes.nii.gz: its diffusion weighting is unknown, and the model ball-1-stick needs a \
             tensor to start \
             from; {options}"
        ),
    );
    scratch.write("weighted.toml", MODEL.replace("exp(-te / t2)", "exp(-te / t2 - b * 1 [µm²/ms])"));
    scratch.fail(
        "fit ./weighted.toml echoes.nii.gz --mask mask.nii.gz --column te=te.txt --out no",
        1,
        &format!(
            "error: echoes.nii.gz: its diffusion weighting is unknown, and the model T2 needs `b`; \
                  {options}"
        ),
    );
    scratch.write("echoes.bval", "0 0 0 0 0 0\n");
    scratch.fail(
        "fit ./weighted.toml echoes.nii.gz --mask mask.nii.gz --column te=te.txt --out no",
        1,
        &format!(
            "error: echoes.nii.gz: its directions are missing: echoes.bval is there, echoes.bvec is not, and the model T2 \
             needs `b`; {options}"
        ),
    );
    std::fs::remove_file(scratch.path("echoes.bval")).unwrap();
    for (more, expected) in [
        ("--shells 0,1000", "--shells: the series has no gradient table; remove this option, or"),
        ("--max-b 1000", "--max-b: the series has no gradient table; remove this option, or"),
    ] {
        scratch.fail(&fit(more), 2, &format!("error: {expected} {options}"));
    }
    // The start value comes from a model that needs a gradient table.
    scratch.write("T2.toml", MODEL.replace("start = \"largest\"", "start = \"ball-1-stick.s0\""));
    scratch.fail(
        &fit(""),
        1,
        &format!("error: echoes.nii.gz: the model needs `b`, but there is no gradient table; {options}"),
    );
}

#[test]
fn invalid_columns_and_maps_are_rejected() {
    let scratch = echoes();
    for (text, expected) in [
        (
            "10 20 40",
            "te.txt: the column has 3 numbers, but there are 6 measurements; give one number for each \
             measurement",
        ),
        (
            "10 20 nan 60 90 130",
            "te.txt: number 3 (counted from 1) of the column is NaN; give one finite number per measurement",
        ),
        (
            "10 20 inf 60 90 130",
            "te.txt: number 3 (counted from 1) of the column is inf; give one finite number per measurement",
        ),
        (
            "10 20 -40 60 90 130",
            "te.txt: the value -40 ms is outside the bounds of the model; check the values in the file and \
             their unit",
        ),
    ] {
        scratch.write("te.txt", text);
        scratch.fail(&fit(""), 1, &format!("error: {expected}"));
    }
    scratch.write("te.txt", TIMES.map(|te| te.to_string()).join(" "));
    scratch.fail(
        &fit("--column te=te.txt"),
        2,
        "error: --column te=te.txt: its numbers are given twice; leave one out",
    );
    // The map of T1 is 0 in one voxel, which is outside its bounds.
    let with_map = MODEL
        .replace("exp(-te / t2)", "exp(-te / t2) * (1 - exp(-1000 [ms] / t1))")
        .replace("[parameters.s0]", "[maps.t1]\nunit = \"ms\"\nbounds = [1, 1e4]\n\n[parameters.s0]");
    scratch.write("T2.toml", &with_map);
    write_row(&scratch, "t1.nii.gz", &[vec![900.0], vec![0.0]]);
    scratch.fail(
        &fit("--map t1=t1.nii.gz"),
        1,
        "error: t1.nii.gz: 1 of 2 voxels in the mask have values that `t1` does not allow (numbers from 1 to 10000 \
         ms); voxel 1, 0, 0 (counted from 0) has 0; \
         check the image and its unit, or remove these voxels from the mask",
    );
    scratch.fail(
        &fit("--map t1=t1.nii.gz --map t1=t1.nii.gz"),
        2,
        "error: --map t1=t1.nii.gz: its image is given twice; leave one out",
    );
    // Without bounds, `t1` may be 0. The division by `t1` is then an error in the model file.
    scratch.write("T2.toml", with_map.replace("bounds = [1, 1e4]\n", ""));
    let result = scratch.run(&fit("--map t1=t1.nii.gz"));
    assert!(result.errors.contains("the divisor can be 0"), "{}", result.errors);
}

#[test]
fn printed_programs_list_the_computed_operations() {
    let scratch = echoes();
    let listing = "per voxel and measurement (4 operations)\n  signal = s0 * exp(-(te / t2))\n";
    assert_eq!(scratch.succeed("fit --list --graph ./T2.toml"), listing);
    let both = scratch.succeed("fit --list --graph ./T2.toml,ball-1-stick");
    assert!(both.starts_with(&format!("T2:\n{listing}ball-1-stick:\n")), "{both}");
    assert!(both.contains("g.x * n.x"), "{both}");
    let result = scratch.run("fit --list --graph");
    assert_eq!(result.code, 2, "{}", result.errors);
}
