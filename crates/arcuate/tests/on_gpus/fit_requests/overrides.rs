//! Overrides of parameters on the command line: `--fix`, `--start`, `--free`, `--map`, `--column`.

use super::{DIRECTIONS, changed, fit, map, predicted, series, sticks, table, write_row};

#[test]
fn fixed_parameters_keep_their_values() {
    let scratch = sticks(&DIRECTIONS);
    scratch.succeed(&fit("ball-1-stick --out number --fix d=1.5e-3"));
    assert_eq!(map(&scratch, "number/d.nii.gz"), [1.5e-3, 1.5e-3]);
    assert!((map(&scratch, "number/f.nii.gz")[0] - 0.6).abs() > 0.01);
    write_row(&scratch, "f.nii.gz", &[vec![0.25], vec![0.5]]);
    scratch.succeed(&fit("ball-1-stick --out image --fix f=f.nii.gz"));
    assert_eq!(map(&scratch, "image/f.nii.gz"), [0.25, 0.5]);
    // Without a value, d is fixed at its start value in the model: the third value of its grid.
    scratch.succeed(&fit("ball-1-stick --out kept --fix d"));
    assert_eq!(map(&scratch, "kept/d.nii.gz"), [1.8e-3, 1.8e-3]);
    // If there are several models, `f2` is fixed in the model that has this parameter.
    scratch.succeed(&fit("ball-1-stick,ball-2-sticks --out several --fix f2=0.1"));
    assert_eq!(map(&scratch, "several/ball-2-sticks/f2.nii.gz"), [0.1, 0.1]);
    // These values are exactly at the limit of the constraint f1 + f2 ≤ 1.
    scratch.succeed(&fit("ball-2-sticks --out border --fix f1=0.8 --fix f2=0.2"));
}

#[test]
fn overridden_starts_are_not_searched() {
    let scratch = sticks(&DIRECTIONS);
    // With one evaluation, the maps have the start values.
    let start = |more: &str| {
        scratch.run(&fit(&format!("ball-1-stick --out start --force --evaluations 1 {more}")));
        map(&scratch, "start/f.nii.gz")
    };
    assert_eq!(start(""), [0.5, 0.5]);
    assert_eq!(start("--start f=0.37"), [0.37, 0.37]);
    // Start values from images are clamped to the bounds.
    write_row(&scratch, "f.nii.gz", &[vec![0.25], vec![1.7]]);
    assert_eq!(start("--start f=f.nii.gz"), [0.25, 1.0]);
    // A complete fit from this start finds the true fraction.
    scratch.succeed(&fit("ball-1-stick --out found --start f=0.37"));
    assert!(map(&scratch, "found/f.nii.gz").iter().all(|f| (f - 0.6).abs() < 1e-3));
}

#[test]
fn fixed_parameters_can_be_freed_and_set_from_maps() {
    let scratch = sticks(&DIRECTIONS);
    assert_eq!(scratch.run(&fit("noddi-watson --out free --free d_free")).code, 0);
    let d_free = map(&scratch, "free/d_free.nii.gz");
    assert!(d_free.iter().all(|d| (1e-4..=4e-3).contains(d)) && d_free[0] != 3e-3, "{d_free:?}");
    // The model multiplies s0 by the map and the column, so s0 is 1000 / (gain · shim).
    let brought = [
        ("s0 * ((1", "s0 * gain * shim * ((1"),
        (
            "[parameters.s0]",
            "[maps.gain]\nbounds = [0.5, 2]\n[measurements.shim]\nbounds = [0.5, 2]\n[parameters.s0]",
        ),
    ];
    scratch.write("mine.toml", changed(&brought));
    write_row(&scratch, "gain.nii.gz", &[vec![2.0], vec![0.5]]);
    scratch.write("shim.txt", "0.5\n".repeat(43));
    scratch.succeed(&fit("./mine.toml --out out --map gain=gain.nii.gz --column shim=shim.txt"));
    let s0 = map(&scratch, "out/s0.nii.gz");
    assert!((s0[0] / 1000.0 - 1.0).abs() < 1e-3 && (s0[1] / 4000.0 - 1.0).abs() < 1e-3, "{s0:?}");
    write_row(&scratch, "gain.nii.gz", &[vec![2.0], vec![2.5]]);
    scratch.fail(
        &fit("./mine.toml --out no --map gain=gain.nii.gz --column shim=shim.txt"),
        1,
        "error: gain.nii.gz: 1 of 2 voxels in the mask have values that `gain` does not allow (numbers from 0.5 to \
         2); voxel 1, 0, 0 (counted from 0) has 2.5; check the image and its unit, or remove these voxels from the mask",
    );
    scratch.write("shim.txt", "3\n".repeat(43));
    scratch.fail(
        &fit("./mine.toml --out no --map gain=gain.nii.gz --column shim=shim.txt"),
        1,
        "error: shim.txt: the value 3 1 is outside the bounds of the model; check the values in the file and \
         their unit",
    );
}

#[test]
fn impossible_overrides_are_rejected() {
    let scratch = sticks(&DIRECTIONS);
    write_row(&scratch, "large.nii.gz", &[vec![0.9], vec![0.2]]);
    write_row(&scratch, "wrong.nii.gz", &[vec![0.3], vec![f32::NAN]]);
    write_row(&scratch, "zero.nii.gz", &[vec![0.0, 0.0, 1.0], vec![0.0; 3]]);
    let search = [("\n[[stages]]\nmethod = \"levenberg-marquardt\"\n", "")];
    scratch.write("search.toml", changed(&search));
    let outside =
        |what: &str| format!("{what}; check the image and its unit, or remove these voxels from the mask");
    for (arguments, code, expected) in [
        ("ball-1-stick --free f", 2, "--free f: it is fitted already; leave it out".to_owned()),
        ("noddi-watson --fix d_free", 2, "--fix d_free: it is fixed already; give a value, as in d_free=VALUE, or leave it out".into()),
        ("ball-1-stick --start f=2", 2, "--start f=2: the value 2 is outside the bounds of the parameter, 0 to 1; \
                                         give a value within the bounds, in this unit".into()),
        (
            "ball-1-stick --fix d=1.5",
            2,
            "--fix d=1.5: the value 1.5 mm²/s is outside the bounds of the parameter, 0 to 0.005 mm²/s; give a value \
             within the bounds, in this unit".into(),
        ),
        ("ball-1-stick --fix ff=1", 2, "--fix ff=1: no model that is fitted has such a parameter; did you mean `f`?".into()),
        (
            "./search.toml --start f=0.4",
            2,
            "--start f=0.4: no Levenberg–Marquardt stage of the model would move it from where it starts; take it as known: --fix f=VALUE"
                .into(),
        ),
        (
            "ball-2-sticks --fix f1=0.8 --fix f2=0.5",
            2,
            "--fix f1=0.8: no start meets `f1 + f2 <= 1`; change --fix or --start of the parameters in this constraint".into(),
        ),
        (
            "ball-2-sticks --start f1=0.95",
            2,
            "--start f1=0.95: no start meets `f1 + f2 <= 1`; change --fix or --start of the parameters in this constraint".into(),
        ),
        (
            "ball-2-sticks --fix f1=large.nii.gz",
            1,
            "large.nii.gz: in 1 of 2 voxels in the mask, the start values violate the constraint `f1 + f2 <= \
             1`; change the image, or start the other parameters elsewhere"
                .into(),
        ),
        (
            "ball-1-stick --fix d=large.nii.gz",
            1,
            outside("large.nii.gz: 2 of 2 voxels in the mask have values that `d` does not allow (numbers from 0 to \
                     0.005 mm²/s); voxel 0, 0, 0 (counted from 0) has 0.9"),
        ),
        (
            "ball-1-stick --start f=wrong.nii.gz",
            1,
            outside("wrong.nii.gz: 1 of 2 voxels in the mask have values that `f` does not allow (finite numbers); voxel 1, 0, 0 (counted from 0) has NaN"),
        ),
        (
            "ball-1-stick --fix n=zero.nii.gz",
            1,
            "zero.nii.gz: 1 of 2 voxels in the mask have no direction for `n`; give a direction in every \
             voxel, or remove these voxels from the mask"
                .into(),
        ),
    ] {
        scratch.fail(&fit(&format!("{arguments} --out out")), code, &format!("error: {expected}"));
    }
}

#[test]
fn sticks_in_all_directions_leave_their_series_with_an_error() {
    let scratch = sticks(&DIRECTIONS);
    let powder = [
        ("exp(-b * d * dot(g, n)^2)", "powder_stick(b * d) * exp(-dot(g, n)^2)"),
        ("bounds = [0, 5e-3]", "bounds = [0, 50e-3]"),
    ];
    scratch.write("mine.toml", changed(&powder));
    scratch.fail(
        &fit("./mine.toml --out out"),
        1,
        "error: dwi.bval, dwi.bvec: the product of b and the diffusivity of the sticks reaches 100.0, but \
         the series for the signal of a stick is valid only up to 60; leave out the strongest shell with \
         --max-b, or give the diffusivity a smaller upper bound",
    );
}

#[test]
fn populations_are_sorted_unless_one_is_fixed() {
    let table = table(&[1000.0, 2000.0], 30);
    let voxel = predicted("ball-2-sticks", &table, &[900.0, 1.2e-3, 0.5, 1.0, 0.0, 0.0, 0.2, 0.0, 0.6, 0.8]);
    let scratch = series(&table, &[voxel]);
    scratch.succeed(&fit("ball-2-sticks --out sorted"));
    assert!(map(&scratch, "sorted/f1.nii.gz")[0] > map(&scratch, "sorted/f2.nii.gz")[0]);
    // The fraction of the first population is fixed at a small value. The populations keep their order,
    // although the second is larger.
    scratch.succeed(&fit("ball-2-sticks --out known --fix f1=0.2"));
    assert_eq!(map(&scratch, "known/f1.nii.gz"), [0.2]);
    assert!(
        (map(&scratch, "known/f2.nii.gz")[0] - 0.5).abs() < 0.01,
        "{:?}",
        map(&scratch, "known/f2.nii.gz")
    );
    // The order is also kept if f1 is fixed at its start value in the model.
    scratch.succeed(&fit("ball-2-sticks --out kept --fix f1 --fix d=1.2e-3"));
    assert_eq!(map(&scratch, "kept/f1.nii.gz"), [0.45]);
}

#[test]
fn undetermined_parameters_have_large_errors() {
    // The signal has no stick, so the direction of the stick is undetermined.
    let table = table(&[1000.0, 2000.0], 20);
    let ball = predicted("ball-1-stick", &table, &[1000.0, 1.2e-3, 0.0, 0.0, 0.0, 1.0]);
    let scratch = series(&table, &[ball]);
    scratch.succeed(&fit("ball-1-stick --out out --standard-errors --fix f=0"));
    let error = map(&scratch, "out/n_error.nii.gz")[0];
    assert!((error - std::f32::consts::FRAC_PI_2).abs() < 1e-6, "{error}");
    assert_eq!(map(&scratch, "out/f_error.nii.gz"), [0.0]);
}

#[test]
fn overrides_have_the_same_effect_on_a_gpu() {
    let Some(folder) = arcuate_emulation::library_folder("overrides of the command line") else { return };
    let scratch = sticks(&DIRECTIONS);
    for (n, overrides) in
        ["--start f=0.37", "--fix d=1.5e-3", "--start f=0.37 --start d=1e-3"].into_iter().enumerate()
    {
        scratch.succeed(&fit(&format!("ball-1-stick --out cpu{n} {overrides}")));
        let there =
            fit(&format!("ball-1-stick --out gpu{n} {overrides}")).replace("--device cpu", "--device cuda");
        let result = scratch.run_with(&there, &[("LD_LIBRARY_PATH", folder.as_os_str())]);
        assert_eq!(result.code, 0, "{}", result.errors);
        assert!(!result.errors.contains("on the CPU"), "{}", result.errors);
        for name in ["s0", "d", "f", "n", "status"] {
            let bits = |device: &str| -> Vec<u32> {
                map(&scratch, &format!("{device}{n}/{name}.nii.gz")).into_iter().map(f32::to_bits).collect()
            };
            assert_eq!(bits("cpu"), bits("gpu"), "{name} {overrides}");
        }
    }
}
