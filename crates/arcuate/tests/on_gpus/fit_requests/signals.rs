//! Irregular series: voxels without a signal, tables without b = 0, b-values that are not round, one shell.

use super::{DIRECTIONS, figure, fit, map, predicted, series, sticks, table};

#[test]
fn voxels_without_a_fit_have_a_reason_and_zeros() {
    let table = table(&[1000.0], 12);
    let good = predicted("ball-1-stick", &table, &[1000.0, 1.2e-3, 0.6, 0.6, 0.0, 0.8]);
    let count = good.len();
    let with = |m: usize, value: f32| {
        let mut voxel = good.clone();
        voxel[m] = value;
        voxel
    };
    // The model has five unknowns, but only four measurements are numbers.
    let few = good.iter().enumerate().map(|(m, signal)| if m < 4 { *signal } else { f32::NAN }).collect();
    let scratch = series(
        &table,
        &[
            good.clone(),
            vec![0.0; count],
            vec![-7.0; count],
            vec![f32::NAN; count],
            few,
            with(6, f32::NAN),
            with(6, f32::INFINITY),
            with(6, 0.0),
            with(6, -20.0),
        ],
    );
    scratch.run(&fit("ball-1-stick --out out --standard-errors"));
    assert_eq!(map(&scratch, "out/status.nii.gz")[1..5], [4.0, 4.0, 4.0, 5.0]);
    assert!(map(&scratch, "out/status.nii.gz")[5..].iter().all(|status| [1.0, 2.0].contains(status)));
    assert_eq!(map(&scratch, "out/status.nii.gz")[0], 1.0);
    for name in scratch.listing("out").iter().filter(|name| name.ends_with(".nii.gz")) {
        let values = map(&scratch, &format!("out/{name}"));
        assert!(values.iter().all(|value| value.is_finite()), "{name}: {values:?}");
        let channels = values.len() / 9;
        // Images of the scan itself have values in all voxels, including voxels without a fit.
        let is_of_scan =
            ["mean_b0.nii.gz", "mean_weighted.nii.gz", "scan_mask.nii.gz"].contains(&name.as_str());
        if name != "status.nii.gz" && !is_of_scan {
            assert!(values[channels..5 * channels].iter().all(|value| *value == 0.0), "{name}: {values:?}");
        }
    }
    let f = map(&scratch, "out/f.nii.gz");
    assert!((f[0] - 0.6).abs() < 1e-3 && (f[5] - 0.6).abs() < 1e-3 && (f[6] - 0.6).abs() < 1e-3, "{f:?}");
}

#[test]
fn a_series_without_b0_is_fitted() {
    let weighted = table(&[500.0, 1000.0, 2000.0], 20);
    let used: Vec<usize> = (3..weighted.len()).collect();
    let table = weighted.of_measurements(&used);
    let scratch = series(&table, &[predicted("ball-1-stick", &table, &[1000.0, 1.2e-3, 0.6, 0.6, 0.0, 0.8])]);
    scratch.succeed(&fit("ball-1-stick --out out"));
    let [s0, f] = ["s0", "f"].map(|name| map(&scratch, &format!("out/{name}.nii.gz"))[0]);
    assert!((s0 / 1000.0 - 1.0).abs() < 1e-3 && (f - 0.6).abs() < 1e-3, "{s0} {f}");
}

#[test]
fn similar_b_values_form_one_shell() {
    let scratch = sticks(&DIRECTIONS);
    let b_values: Vec<f64> =
        scratch.text("dwi.bval").split_whitespace().map(|b| b.parse().unwrap()).collect();
    let wander =
        |(m, b): (usize, &f64)| if *b > 0.0 { b + [-5.0, 0.0, 5.0, 10.0][m % 4] } else { [0.0, 5.0][m % 2] };
    let wandering: Vec<String> = b_values.iter().enumerate().map(wander).map(|b| b.to_string()).collect();
    scratch.write("dwi.bval", wandering.join(" "));
    scratch.succeed(&fit("ball-1-stick --out all"));
    let shells = figure(&scratch, "all/arcuate.json", "shells");
    assert_eq!(shells.as_str().unwrap().matches('×').count(), 3, "{shells}");
    // Both options exclude the whole shell of b = 2000.
    let result = scratch.run(&fit("ball-1-stick --out one --shells 1000"));
    assert_eq!(result.code, 0, "{}", result.errors);
    let result = scratch.run(&fit("ball-1-stick --out low --max-b 1500"));
    assert_eq!(result.code, 0, "{}", result.errors);
    assert_eq!(map(&scratch, "one/f.nii.gz"), map(&scratch, "low/f.nii.gz"));
    assert_ne!(map(&scratch, "one/f.nii.gz"), map(&scratch, "all/f.nii.gz"));
}

#[test]
fn one_shell_does_not_determine_noddi() {
    let scratch = sticks(&DIRECTIONS);
    scratch.succeed_with(
        &fit("noddi-watson --out out --max-b 1500"),
        "warning: noddi-watson: these measurements (3 × b 0, 20 × b 1000) do not determine fwf, ndi, kappa. At a signal-to-noise \
         ratio of 30, a standard error exceeds 30 % of the range; their maps mainly show the start values",
    );
}

#[test]
fn the_criterion_selects_the_number_of_populations() {
    let table = table(&[1000.0, 2000.0], 30);
    let two = [900.0, 1.2e-3, 0.4, 1.0, 0.0, 0.0, 0.35, 0.0, 0.6, 0.8];
    let one = [900.0, 1.2e-3, 0.6, 0.0, 0.6, 0.8];
    // Noise of 1 %, close to normal: the sum of twelve uniform numbers (of an LCG).
    let mut state = 7u64;
    let mut noise = || {
        let mut uniform = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / (1u64 << 24) as f32
        };
        9.0 * ((0..12).map(|_| uniform()).sum::<f32>() - 6.0)
    };
    let mut voxels = Vec::new();
    for n in 0..10 {
        let (name, numbers) = if n < 5 { ("ball-1-stick", &one[..]) } else { ("ball-2-sticks", &two[..]) };
        let voxel = predicted(name, &table, numbers);
        voxels.push(voxel.into_iter().map(|signal| signal + noise()).collect());
    }
    let scratch = series(&table, &voxels);
    scratch.succeed(&fit("ball-1-stick,ball-2-sticks --out out --compare bic"));
    let best = map(&scratch, "out/best_model.nii.gz");
    assert_eq!(best, [1.0, 1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 2.0, 2.0]);
    let [first, second] =
        ["ball-1-stick", "ball-2-sticks"].map(|model| map(&scratch, &format!("out/{model}/bic.nii.gz")));
    for (voxel, best) in best.iter().enumerate() {
        assert_eq!(*best == 2.0, second[voxel] < first[voxel]);
    }
}
