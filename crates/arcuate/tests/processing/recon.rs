//! `simulate kspace` and `recon`: simulated and real scans are reconstructed, and invalid requests give an error of
//! one line.

use crate::common::Scratch;
use arcuate_core::{Affine, ComplexArray, Grid, Volume};
use arcuate_io::{WriteOptions, describe_image, read_cfl, write_cfl, write_image, write_npy};
use arcuate_test_support::real_data;
use serde_json::Value;

/// A slice of 32 × 32 voxels and four coils. It has 26 spokes of 64 samples, about half of full sampling.
const RADIAL: &str = "simulate kspace --out s --size 32,32 --readouts 26 --coils 4 --snr 200";
/// Options for iterations to convergence, so that all variants give the same image.
const CONVERGED: &str = "--lambda 0.3 --tolerance 1e-6 --iterations 300";
const RECON: &str = "recon s/ksp --trajectory s/traj --sensitivities s/sens --fov 220";

fn figure(scratch: &Scratch, record: &str, name: &str) -> f64 {
    let record: Value = scratch.json(record);
    record["figures"][name]["value"].as_f64().unwrap_or_else(|| panic!("{name} in {record}"))
}

fn simulated() -> Scratch {
    let scratch = Scratch::new();
    assert_eq!(scratch.succeed(RADIAL), "26 readouts of 64 samples: s\n");
    scratch
}

#[test]
fn simulated_scans_are_reconstructed() {
    let scratch = simulated();
    assert_eq!(
        scratch.listing("s"),
        [
            "arcuate.json",
            "ksp.cfl",
            "ksp.hdr",
            "sens.cfl",
            "sens.hdr",
            "traj.cfl",
            "traj.hdr",
            "truth.nii.gz"
        ]
    );
    let result = scratch.succeed(&format!("{RECON} --out i.nii.gz --truth s/truth.nii.gz"));
    assert!(result.starts_with("32 × 32 × 1 voxels from 1664 samples, "), "{result}");
    assert!(result.trim_end().ends_with(": i.nii.gz"), "{result}");
    let names = ["i.nii.gz", "i.nii.gz.json", "i_error.nii.gz", "i_phase.nii.gz"];
    assert!(names.iter().all(|name| scratch.listing(".").contains(&(*name).to_owned())));
    // Gibbs ringing at the object's edges limits the accuracy with 32 voxels.
    assert!(figure(&scratch, "i.nii.gz.json", "NRMSE to the truth") < 0.25);
    let (image, truth) = (scratch.volume("i.nii.gz"), scratch.volume("s/truth.nii.gz"));
    // Scale, position and size are those of the truth. Grey matter has 0.2 times the value of the skull.
    let middle = image.grid().index([16, 8, 0]);
    assert!((image.values()[middle] - truth.values()[middle]).abs() < 0.08, "{}", image.values()[middle]);
    assert!(image.grid().voxel_sizes().iter().all(|size| (size - 6.875).abs() < 1e-4));
    // Gridding has a larger error, which the record states.
    for density in ["pipe-menon", "voronoi", "none"] {
        let name = format!("g_{density}.nii.gz");
        scratch.succeed(&format!(
            "{RECON} --out {name} --truth s/truth.nii.gz --method gridding --density {density}"
        ));
        let error = figure(&scratch, &format!("{name}.json"), "NRMSE to the truth");
        assert!(error > figure(&scratch, "i.nii.gz.json", "NRMSE to the truth"), "{density} {error}");
    }
    let unplaced = "its header does not state the position of the voxels (neither sform nor qform). As in \
                    FSL and nibabel, x is assumed to run from right to left (MRtrix: from left to right)";
    let warnings =
        ["i.nii.gz", "i_phase.nii.gz", "i_error.nii.gz"].map(|name| format!("warning: {name}: {unplaced}"));
    let page = scratch.succeed_with("report i.nii.gz", &warnings.join("\n"));
    assert_eq!(page, "report: i.nii.gz.html\n");
    let page = scratch.text("i.nii.gz.html");
    for words in [
        "Magnitude",
        "Phase",
        "Error of the magnitude",
        "residual, relative",
        "<h2>Fit</h2>",
        "Orientation not recorded.",
    ] {
        assert!(page.contains(words), "{words}");
    }
    assert!(["R", "L", "A", "P"].iter().all(|letter| !page.contains(&format!(">{letter}</text>"))));
}

#[test]
fn results_do_not_depend_on_threads_and_a_saved_kernel() {
    let scratch = simulated();
    let mut images = Vec::new();
    for (n, options) in
        ["--threads 1 --save-q q.arcuate", "--threads 3", "--threads 2 --q q.arcuate"].into_iter().enumerate()
    {
        scratch.succeed(&format!("{RECON} --out i{n}.cfl {options} {CONVERGED}"));
        images.push(scratch.read(&format!("i{n}.cfl")));
    }
    assert!(images[0] == images[1] && images[0] == images[2]);
    // Double precision needs another kernel Q.
    scratch.fail(
        &format!("{RECON} --out d.cfl --precision double --q q.arcuate"),
        1,
        "error: q.arcuate: it has single precision, but double precision is requested; give a file that \
         --save-q wrote, or write the file again with --save-q",
    );
    scratch.succeed(&format!("{RECON} --out d.cfl --precision double --save-q d.arcuate {CONVERGED}"));
    let [single, double] = ["i0.cfl", "d.cfl"].map(|name| read_cfl(&scratch.path(name)).unwrap());
    let far = single.values().iter().zip(double.values()).map(|(a, b)| (a[0] - b[0]).hypot(a[1] - b[1]));
    let (far, largest) =
        (far.fold(0.0, f32::max), double.values().iter().map(|v| v[0].hypot(v[1])).fold(0.0, f32::max));
    // The relative residual is 1e-6, and the condition number is a few tens.
    assert!(far < 3e-5 * largest, "{far} {largest}");
    // The kernel of another trajectory is rejected.
    scratch.succeed("simulate kspace --out t --size 32,32 --trajectory-kind spiral");
    scratch.fail(
        "recon t/ksp --trajectory t/traj --out t.cfl --q q.arcuate",
        1,
        "error: q.arcuate: it was computed for another trajectory, image size, precision or sample weights; \
         give the kernel file that was saved for these data, or write the kernel again with --save-q",
    );
}

#[test]
fn numpy_arrays_units_and_complex_images_are_accepted() {
    let scratch = simulated();
    let [ksp, traj, sens] =
        ["ksp", "traj", "sens"].map(|name| read_cfl(&scratch.path(&format!("s/{name}"))).unwrap());
    scratch.succeed(&format!("{RECON} --out i.cfl {CONVERGED}"));
    let expected = read_cfl(&scratch.path("i.cfl")).unwrap();
    // The trajectory as real numbers in radians per voxel. Its axes have the order of NumPy, with the last axis
    // fastest.
    let (samples, readouts) = (traj.length(1), traj.length(2));
    let mut radians = Vec::new();
    for axis in 0..3 {
        for sample in 0..samples {
            for readout in 0..readouts {
                let k = traj.values()[axis + 3 * (sample + samples * readout)][0];
                radians.push(std::f64::consts::TAU * f64::from(k) / 32.0);
            }
        }
    }
    write_npy(&scratch.path("traj.npy"), &[3, samples, readouts], &radians).unwrap();
    scratch.fail(
        "recon s/ksp --trajectory traj.npy --sensitivities s/sens --out n.cfl",
        1,
        "error: traj.npy: its largest wave number is 3.1416, where k-space ends at 16 cycles per field of view, 0.5 cycles per \
         voxel, or 3.1416 radians per voxel; give its unit with --trajectory-unit: fov, voxel or radian; if 1 is the edge of k-space, first multiply it by 16"
    );
    let line =
        "recon s/ksp --trajectory traj.npy --sensitivities s/sens --out n.cfl --trajectory-unit radian";
    scratch.succeed(&format!("{line} {CONVERGED}"));
    let found = read_cfl(&scratch.path("n.cfl")).unwrap();
    let far = |a: &ComplexArray, b: &ComplexArray| {
        let square = |v: [f32; 2]| f64::from(v[0] * v[0] + v[1] * v[1]);
        let apart = a.values().iter().zip(b.values()).map(|(a, b)| square([a[0] - b[0], a[1] - b[1]]));
        (apart.sum::<f64>() / b.values().iter().copied().map(square).sum::<f64>()).sqrt()
    };
    // The coordinates were rounded to single precision in another unit.
    assert!(far(&found, &expected) < 3e-5, "{}", far(&found, &expected));
    // The trajectory in 1/m, with a field of view of 220 mm.
    let per_metre = traj.values().iter().map(|k| [k[0] / 0.22, 0.0]).collect();
    write_cfl(&scratch.path("metre"), &ComplexArray::new(traj.shape().to_vec(), per_metre).unwrap()).unwrap();
    let result = scratch.run("recon s/ksp --trajectory metre --sensitivities s/sens --out m.cfl");
    assert!(result.errors.contains("along x it reaches 72.7"), "{}", result.errors);
    let line = "recon s/ksp --trajectory metre --sensitivities s/sens --out m.cfl --trajectory-unit per-metre --fov 220";
    scratch.succeed(&format!("{line} {CONVERGED}"));
    assert!(far(&read_cfl(&scratch.path("m.cfl")).unwrap(), &expected) < 3e-5);
    // The data are multiplied by these sample weights.
    let weights: Vec<[f32; 2]> = (0..samples * readouts).map(|n| [1.0 + (n % 3) as f32, 0.5]).collect();
    let weighed = ksp.values().iter().enumerate().map(|(n, v)| {
        let w = weights[n % weights.len()];
        [w[0] * v[0] - w[1] * v[1], w[0] * v[1] + w[1] * v[0]]
    });
    write_cfl(&scratch.path("weighed"), &ComplexArray::new(ksp.shape().to_vec(), weighed.collect()).unwrap())
        .unwrap();
    write_cfl(&scratch.path("v"), &ComplexArray::new(vec![1, samples, readouts], weights).unwrap()).unwrap();
    scratch.succeed(&format!(
        "recon weighed --trajectory s/traj --sensitivities s/sens --sample-weights v --out w.cfl {CONVERGED}"
    ));
    // The weights change the influence of the samples, and the penalty is the same. The image is similar, but not
    // equal.
    let of_weights = far(&read_cfl(&scratch.path("w.cfl")).unwrap(), &expected);
    assert!(of_weights > 1e-3 && of_weights < 0.1, "{of_weights}");
    // A complex image, and an image from single coils without sensitivities.
    scratch.succeed(&format!("{RECON} --out c.nii.gz --complex"));
    let described = describe_image(&scratch.path("c.nii.gz")).unwrap();
    assert_eq!(
        (described.data_type.to_string().as_str(), described.dimensions.len()),
        ("complex, 2 × 32-bit floating point", 3)
    );
    scratch.succeed("recon s/ksp --trajectory s/traj --out r.nii.gz --size 32,32 --fov 220");
    assert_eq!(figure(&scratch, "r.nii.gz.json", "channels"), 4.0);
    assert_eq!(sens.length(3), 4);
}

#[test]
fn the_penalty_is_selected_by_noise_or_the_l_curve() {
    let scratch = Scratch::new();
    scratch.succeed("simulate kspace --out s --size 32,32 --snr 10 --readouts 24");
    let error = |name: &str, options: &str| {
        scratch.succeed(&format!(
            "recon s/ksp --trajectory s/traj --out {name}.nii.gz --fov 220 --truth s/truth.nii.gz --iterations 200 {options}"
        ));
        figure(&scratch, &format!("{name}.nii.gz.json"), "NRMSE to the truth")
    };
    let minimum = error("least", "--lambda 1e-6 --tolerance 1e-6");
    // With 24 spokes and this noise, a very small penalty gives a larger error.
    for (name, options) in [("noise", "--lambda auto --sigma 0.1"), ("curve", "--lambda auto")] {
        let found = error(name, options);
        assert!(found < 0.9 * minimum, "{name} {found} {minimum}");
        let record = scratch.text(&format!("{name}.nii.gz.json"));
        assert!(record.contains("Choice of λ"), "{record}");
    }
    // The misfit equals the noise level. The standard deviation is 0.1 in the real part and in the imaginary part.
    let ksp = read_cfl(&scratch.path("s/ksp")).unwrap();
    let square: f64 = ksp.values().iter().flatten().map(|&v| f64::from(v).powi(2)).sum();
    let expected = (2.0 * ksp.values().len() as f64 * 0.01 / square).sqrt();
    let misfit = figure(&scratch, "noise.nii.gz.json", "misfit ‖d − Fρ‖ / ‖d‖");
    assert!((misfit / expected - 1.0).abs() < 0.02, "{misfit} {expected}");
    // With a fixed λ, the iterations stop at this misfit.
    error("stopped", "--lambda 0 --sigma 0.1");
    let stopped = figure(&scratch, "stopped.nii.gz.json", "misfit ‖d − Fρ‖ / ‖d‖");
    assert!(stopped <= expected && stopped > 0.8 * expected, "{stopped} {expected}");
    let anatomy = error("anatomy", "--lambda 0.3 --regularise anatomy=s/truth.nii.gz");
    let smooth = error("smooth", "--lambda 0.3 --regularise differences");
    assert!(anatomy < 0.9 * smooth, "{anatomy} {smooth}");
}

/// Returns the image on another grid: the affine of the grid times `scale`, then shifted by `by`.
fn placed(image: &Volume<f32>, scale: f64, by: [f64; 3]) -> Volume<f32> {
    let rows = image.grid().affine().rows();
    let rows = [0, 1, 2].map(|axis| {
        let [x, y, z, t] = rows[axis].map(|value| scale * value);
        [x, y, z, t + by[axis]]
    });
    let grid = Grid::new(image.grid().shape(), Affine::from_rows(rows).unwrap()).unwrap();
    Volume::new(grid, 1, image.values().to_vec()).unwrap()
}

#[test]
fn references_on_other_voxels_are_resampled_by_world_coordinates() {
    let scratch = Scratch::new();
    scratch.succeed("simulate kspace --out s --size 32,32 --snr 10 --readouts 24");
    // The same head with three times as many voxels along each axis.
    scratch.succeed("simulate kspace --out fine --size 96,96 --readouts 1");
    let [own, fine] = ["s", "fine"].map(|name| scratch.volume(&format!("{name}/truth.nii.gz")));
    let write = |name: &str, image: &Volume<f32>| {
        write_image(&scratch.path(name), image, &WriteOptions::default()).unwrap();
    };
    let line = |name: &str, options: &str| {
        format!("recon s/ksp --trajectory s/traj --out {name}.nii.gz --iterations 200 --lambda 0.3 {options}")
    };
    let error = |name: &str, options: &str| {
        scratch.succeed(&line(name, &format!("--truth s/truth.nii.gz {options}")));
        figure(&scratch, &format!("{name}.nii.gz.json"), "NRMSE to the truth")
    };
    let smooth = error("smooth", "--fov 220 --regularise differences");
    let exact = error("exact", "--fov 220 --regularise anatomy=s/truth.nii.gz");
    let resampled = error("resampled", "--fov 220 --regularise anatomy=fine/truth.nii.gz");
    assert!(resampled < 0.9 * smooth && resampled < 1.1 * exact, "{resampled} {exact} {smooth}");
    let record = scratch.text("resampled.nii.gz.json");
    assert!(
        record.contains(
            "resampled from 96 × 96 × 1 voxels, which hold 100 % of the image, the middle of the field of view taken for 0"
        ),
        "{record}"
    );
    // --like gives the position of the image in world coordinates. The same shift of the image and of the reference
    // changes nothing.
    let by = [30.0, -200.0, 55.0];
    write("own_there.nii", &placed(&own, 1.0, by));
    write("fine_there.nii", &placed(&fine, 1.0, by));
    error("there", "--like own_there.nii --regularise anatomy=fine_there.nii");
    let values = |name: &str| scratch.volume(&format!("{name}.nii.gz")).into_values();
    let [there, here] = ["there", "resampled"].map(values);
    assert!(there.iter().zip(&here).all(|(a, b)| (a - b).abs() < 1e-3), "the place alone is another");
    assert!(!scratch.text("there.nii.gz.json").contains("taken for 0"));
    // If the position of the image is not known, a reference with the same number of voxels is used voxel by voxel.
    let unsized_warning = "warning: unsized.nii.gz: the voxel size is not known, so 1 mm is written; give \
                           --fov or --like";
    for (name, options, warnings) in [("sized", "--fov 220", ""), ("unsized", "", unsized_warning)] {
        scratch.succeed_with(&line(name, &format!("{options} --regularise anatomy=own_there.nii")), warnings);
        assert_eq!(values(name), values("exact"));
        assert!(!scratch.text(&format!("{name}.nii.gz.json")).contains("resampled"));
    }
    // If a reference shows half of the image, the other half is smoothed as without a reference. The border of the
    // reference is not an edge.
    let [nx, ny, _] = fine.grid().shape();
    let half = Grid::new([nx / 2, ny, 1], *fine.grid().affine()).unwrap();
    let rows = fine.values().chunks_exact(nx).flat_map(|row| &row[..nx / 2]).copied().collect();
    write("half.nii", &Volume::new(half, 1, rows).unwrap());
    let of_half = error("half", "--fov 220 --regularise anatomy=half.nii");
    assert!(of_half < smooth && of_half > resampled, "{of_half} {resampled} {smooth}");
    // A warning reports a reference that shows a small part of the image: 0.4 of each axis, and the voxels at the
    // border.
    write("small.nii", &placed(&own, 0.4, [0.0; 3]));
    scratch.succeed_with(
        &line("small", "--fov 220 --regularise anatomy=small.nii"),
        "warning: small.nii: the anatomical image contains only 17 % of the voxels of the reconstructed \
         image; check that both images show the same part of the body",
    );
    let two = Volume::new(*own.grid(), 2, [own.values(), own.values()].concat()).unwrap();
    write("two.nii", &two);
    for (options, error) in [
        (
            "--regularise anatomy=fine/truth.nii.gz",
            "fine/truth.nii.gz: it has 96 × 96 × 1 voxels, the image has 32 × 32 × 1, and the voxel size of \
             the image is not known; give \
             --like or --fov, or a reference on the image's voxels",
        ),
        (
            "--fov 220 --regularise anatomy=fine_there.nii",
            "fine_there.nii: it does not overlap the image in space; give the position of the image with \
             --like, without --fov, or give another reference",
        ),
        (
            "--like s/truth.nii.gz --regularise anatomy=own_there.nii",
            "own_there.nii: it does not overlap the image in space; give a reference of the same place",
        ),
        (
            "--like s/truth.nii.gz --regularise anatomy=two.nii",
            "two.nii: the image has 2 volumes, not one; give a 3-D image",
        ),
    ] {
        scratch.fail(&line("none", options), 1, &format!("error: {error}"));
    }
}

#[test]
fn real_radial_and_spiral_scans_are_at_least_as_good_as_in_bart() {
    // `bart pics -S -l2 -r 1e-3 -i 30` has an NRMSE of 0.0712 for the spokes and 0.0496 for the spiral.
    for (name, of_bart) in [("radial", 0.0712), ("spiral", 0.0497)] {
        let Some(folder) = real_data("noncart") else { return };
        let scratch = Scratch::new();
        let at = |file: &str| folder.join(file).display().to_string();
        scratch.succeed(&format!(
            "recon {} --trajectory {} --sensitivities {} --truth {} --fov 220 --out i.nii.gz",
            at(&format!("ksp_{name}.cfl")),
            at(&format!("traj_{name}.cfl")),
            at("sens.cfl"),
            at("img.cfl"),
        ));
        let error = figure(&scratch, "i.nii.gz.json", "NRMSE to the truth");
        assert!(error <= of_bart, "{name}: {error}");
    }
}

#[test]
fn invalid_requests_give_one_line_and_no_files() {
    let scratch = simulated();
    let shape = |name: &str| read_cfl(&scratch.path(name)).unwrap();
    let [ksp, traj] = ["s/ksp", "s/traj"].map(shape);
    let write = |name: &str, array: ComplexArray| write_cfl(&scratch.path(name), &array).unwrap();
    let changed = |array: &ComplexArray, change: &dyn Fn(&mut Vec<[f32; 2]>)| {
        let mut values = array.values().to_vec();
        change(&mut values);
        ComplexArray::new(array.shape().to_vec(), values).unwrap()
    };
    write("short", ComplexArray::new(vec![3, 64, 25], traj.values()[..3 * 64 * 25].to_vec()).unwrap());
    write("spoilt", changed(&ksp, &|values| values[70][1] = f32::NAN));
    write("empty", changed(&ksp, &|values| values.fill([0.0; 2])));
    write("lost", changed(&traj, &|values| values[300][0] = f32::INFINITY));
    write("far", changed(&traj, &|values| values.iter_mut().for_each(|k| k[0] *= 5.0)));
    write("voxel", changed(&traj, &|values| values.iter_mut().for_each(|k| k[0] /= 32.0)));
    write("astray", changed(&traj, &|values| values[301][0] = 40_000.0));
    write("two", ComplexArray::new(vec![1664, 3], vec![[0.0; 2]; 1664 * 3]).unwrap());
    write("maps", ComplexArray::new(vec![16, 16, 1, 4], vec![[1.0; 2]; 1024]).unwrap());
    write("three", ComplexArray::new(vec![32, 32, 1, 3], vec![[1.0; 2]; 3072]).unwrap());
    let mut series = ksp.shape()[..4].to_vec();
    series.extend([1, 1, 2]);
    write("series", ComplexArray::new(series, [ksp.values(), ksp.values()].concat()).unwrap());
    write("cut", ksp.clone());
    let bytes = scratch.read("cut.cfl");
    scratch.write("cut.cfl", &bytes[..bytes.len() - 8]);
    let coils = "--sensitivities s/sens";
    for (line, expected) in [
        (
            format!("recon s/ksp --trajectory short {coils}"),
            "s/ksp: it has 64 × 26 samples, short has 64 × 25; give two files that belong together, with the same axes",
        ),
        (
            format!("recon spoilt --trajectory s/traj {coils}"),
            "spoilt: sample 70 of channel 0 is not finite; leave it out, or mend the file",
        ),
        (
            format!("recon empty --trajectory s/traj {coils}"),
            "empty: all its samples are 0; give data that were measured",
        ),
        (
            format!("recon s/ksp --trajectory lost {coils}"),
            "lost: the place of sample 100 is not finite; give the trajectory as an array of 3 coordinates × \
             samples × readouts",
        ),
        (
            format!("recon s/ksp --trajectory far {coils}"),
            "far: along x it reaches 80.0000 cycles per field of view, but 32 voxels have up to 16; give the image's --size \
             (160 voxels there), or, where the trajectory is in 1/m, --trajectory-unit per-metre with --fov",
        ),
        (
            format!("recon s/ksp --trajectory voxel {coils}"),
            "voxel: its largest wave number is 0.5000, where k-space ends at 16 cycles per field of view, 0.5 cycles per voxel, \
             or 3.1416 radians per voxel; give its unit with --trajectory-unit: fov, voxel or radian; if 1 is the edge of k-space, first multiply it by 16",
        ),
        (
            "recon s/ksp --trajectory voxel".to_owned(),
            "voxel: the unit of the trajectory is not clear: its largest wave number is 0.5000. K-space \
             ends at 1 cycles per field of view (of 2 voxels), 0.5 cycles per voxel or 3.1416 radians per \
             voxel; give --size, and its unit with --trajectory-unit: fov, voxel, radian or per-metre",
        ),
        (
            "recon s/ksp --trajectory astray".to_owned(),
            "astray: the range of the trajectory corresponds to an image of 32 × 80000 × 1 voxels, but the \
             trajectory has only 1664 samples; give --size, and --trajectory-unit if it is in 1/m",
        ),
        (
            format!("recon s/ksp --trajectory two {coils}"),
            "two: its dimensions 1664 × 3 come the other way round; give the trajectory as an array of 3 \
             coordinates × samples × readouts",
        ),
        (
            "recon s/ksp --trajectory s/traj --sensitivities maps --size 32,32".to_owned(),
            "maps: the sensitivity maps have 16 × 16 × 1 voxels, but the image has 32 × 32 × 1; give maps of \
             the size of the image, or remove --size",
        ),
        (
            "recon s/ksp --trajectory s/traj --sensitivities three".to_owned(),
            "three: there are 3 maps of coil sensitivity, but k-space has 4 channels; give one map per \
             channel",
        ),
        (
            format!("recon series --trajectory s/traj {coils}"),
            "series: dimension 6 has the size 2, so the file contains several volumes or sets of maps; \
             extract one of the volumes or sets (bart slice)",
        ),
        (
            format!("recon cut --trajectory s/traj {coils}"),
            "cut.cfl: the image data end early (53240 of 53248 bytes); copy or download the file again",
        ),
        (
            format!("recon s/ksp --trajectory s/traj {coils} --q s/ksp.cfl"),
            "s/ksp.cfl: it is not a file that --save-q wrote; give a file that --save-q wrote, or write the \
             file again with --save-q",
        ),
        (
            format!("recon s/ksp --trajectory s/traj {coils} --truth s/sens"),
            "s/sens: it has 32 × 32 × 4 voxels, o.nii.gz has 32 × 32; give two files that belong together, with the same axes",
        ),
    ] {
        scratch.fail(&format!("{line} --out o.nii.gz"), 1, &format!("error: {expected}"));
    }
    for (options, expected) in [
        ("--sigma 0", "error: --sigma: 0 is not a standard deviation; give a number above 0"),
        ("--tolerance 1", "error: --tolerance: 1 is not a fraction; give a number of at least 0 and below 1"),
        (
            "--edge 2",
            "error: --edge: it is of an anatomical prior; give an image of the anatomy as --regularise, or leave it out",
        ),
        (
            "--density none",
            "error: --density: it is of --method gridding; give this value, or remove the \
                            option",
        ),
        (
            "--method adjoint --sigma 1",
            "error: --sigma: --method adjoint has no use for it; remove one of the two",
        ),
        (
            "--size 32",
            "error: --size: an image size does not have 1 numbers; give two or three numbers, such as \
             256,256 or 128,128,64",
        ),
    ] {
        scratch.fail(&format!("{RECON} --out o.nii.gz {options}"), 2, expected);
    }
    let expected = "error: --fov: it is no field of view; give one length in mm, or three, such as \
                    220,220,160";
    for fov in ["1,2", "7,1e-20,1e25", "1e-4"] {
        scratch.fail(&format!("recon s/ksp --trajectory s/traj --fov {fov} --out o.nii.gz"), 2, expected);
    }
    scratch.fail(
        &format!("{RECON} --out o.nii.gz --method gridding --oversampling=-1"),
        2,
        "error: --oversampling: -1 is not an oversampling factor; give a factor from 1 to 4",
    );
    for (options, expected) in [
        (
            "--size 0,4",
            "error: --size: this is not an image size; give two or three numbers, such as 128,128 or \
             64,64,64",
        ),
        ("--coils 0", "error: --coils: this number of coils is not possible; give 1 to 128"),
        (
            "--snr inf",
            "error: --snr: `inf` is not a finite number; give a finite number, or leave the option out",
        ),
        (
            "--trajectory-kind cones",
            "error: --trajectory-kind: it fills space, and the image is a slice; give --size three numbers, or another way",
        ),
        (
            "--trajectory-kind radial --size 8,8,8",
            "error: --trajectory-kind: it fills a plane, and the image is a volume; give --size two numbers, or another way",
        ),
    ] {
        scratch.fail(&format!("simulate kspace --out o {options}"), 2, expected);
    }
    scratch.write("e.txt", "# an ellipsoid\n1 0 0 0 50 40 30 0\n1 0 0 0 50 0 30 0\n");
    let expected = "error: e.txt: line 3 does not describe an ellipsoid; in each line, give the value, the \
                    centre x y z (mm), the half axes x y z above 0 (mm), and the rotation about z (degrees)";
    scratch.fail("simulate kspace --out o --object e.txt", 1, expected);
}

#[test]
fn volumes_are_reconstructed_from_3d_trajectories() {
    let scratch = Scratch::new();
    scratch.write("e.txt", "1, 0, 0, 0, 80, 70, 60, 20\n-0.5 20 0 10 30 20 20 0\n");
    for (way, options) in [
        ("radial-3d", "--readouts 700 --samples 16"),
        ("spiral", "--readouts 6"),
        ("cones", "--readouts 24 --turns 6 --samples 160"),
        ("cartesian", ""),
    ] {
        scratch.succeed(&format!(
            "simulate kspace --out {way} --object e.txt --size 16,16,16 --trajectory-kind {way} {options}"
        ));
        scratch.succeed(&format!(
            "recon {way}/ksp --trajectory {way}/traj --out {way}.nii.gz --like {way}/truth.nii.gz --truth {way}/truth.nii.gz"
        ));
        let error = figure(&scratch, &format!("{way}.nii.gz.json"), "NRMSE to the truth");
        assert!(error < 0.25, "{way} {error}");
    }
}

/// The array with dimensions `a` and `b` exchanged.
fn swapped(array: &ComplexArray, [a, b]: [usize; 2]) -> ComplexArray {
    let shape: Vec<usize> = (0..4).map(|n| array.length(n)).collect();
    let mut other = shape.clone();
    other.swap(a, b);
    let strides = |shape: &[usize]| (0..4).map(|n| shape[..n].iter().product()).collect::<Vec<usize>>();
    let (from, to) = (strides(&shape), strides(&other));
    let mut values = vec![[0.0; 2]; array.values().len()];
    for (n, value) in array.values().iter().enumerate() {
        let mut at: Vec<usize> = (0..4).map(|axis| n / from[axis] % shape[axis]).collect();
        at.swap(a, b);
        values[(0..4).map(|axis| at[axis] * to[axis]).sum::<usize>()] = *value;
    }
    ComplexArray::new(other, values).unwrap()
}

#[test]
fn k_space_and_trajectory_axes_must_match() {
    let scratch = simulated();
    let [ksp, traj] = ["s/ksp", "s/traj"].map(|name| read_cfl(&scratch.path(name)).unwrap());
    let write = |name: &str, array: &ComplexArray| write_cfl(&scratch.path(name), array).unwrap();
    let line = |k_space: &str, trajectory: &str, out: &str| {
        format!("recon {k_space} --trajectory {trajectory} --sensitivities s/sens --out {out}.cfl")
    };
    scratch.succeed(&line("s/ksp", "s/traj", "expected"));
    let expected = scratch.read("expected.cfl");
    // If one of the two files has its axes in another order, the numbers of samples agree, but the axes do not.
    write("t2", &swapped(&traj, [1, 2]));
    write("k2", &swapped(&ksp, [1, 2]));
    let advice =
        "the axes of one of them are in another order: transpose it (bart transpose, numpy.transpose)";
    let message = format!("error: s/ksp: it has 64 × 26 samples, t2 has 26 × 64; {advice}");
    scratch.fail(&line("s/ksp", "t2", "o"), 1, &message);
    let message = format!("error: k2: it has 26 × 64 samples, s/traj has 64 × 26; {advice}");
    scratch.fail(&line("k2", "s/traj", "o"), 1, &message);
    // Two files with the same other order of axes belong together.
    scratch.succeed(&line("k2", "t2", "both"));
    // NumPy files, whose last axis is fastest, are compared by their axes, too.
    let values = |array: &ComplexArray| array.values().iter().map(|v| f64::from(v[0])).collect::<Vec<_>>();
    write_npy(&scratch.path("t.npy"), &[3, 64, 26], &values(&swapped(&traj, [0, 2]))).unwrap();
    scratch.succeed(&line("s/ksp", "t.npy", "numpy"));
    assert!(scratch.read("numpy.cfl") == expected);
    write_npy(&scratch.path("t2.npy"), &[3, 26, 64], &values(&swapped(&swapped(&traj, [1, 2]), [0, 2])))
        .unwrap();
    let message = format!("error: s/ksp: it has 64 × 26 samples, t2.npy has 26 × 64; {advice}");
    scratch.fail(&line("s/ksp", "t2.npy", "o"), 1, &message);
    write_npy(&scratch.path("t3.npy"), &[26, 64, 3], &values(&traj)).unwrap();
    let message = "error: t3.npy: its dimensions 26 × 64 × 3 come the other way round; give the trajectory \
                   as an array of 3 coordinates × samples × readouts";
    scratch.fail(&line("s/ksp", "t3.npy", "o"), 1, message);
    // Axes of length 1 are ignored. A flat array has no order of axes. If only one array is flat, it is read in the
    // order of the file, and a warning reports this.
    let shaped = |array: &ComplexArray, shape: &[usize]| {
        ComplexArray::new(shape.to_vec(), array.values().to_vec()).unwrap()
    };
    write("k_bare", &shaped(&ksp, &[64, 26, 1, 4]));
    write("k_flat", &shaped(&ksp, &[1, 1664, 1, 4]));
    write("t_flat", &shaped(&traj, &[3, 1664]));
    for (k_space, trajectory) in [("k_bare", "s/traj"), ("k_flat", "t_flat")] {
        scratch.succeed(&line(k_space, trajectory, &format!("{k_space}_image")));
        assert!(scratch.read(&format!("{k_space}_image.cfl")) == expected, "{k_space}");
    }
    for (k_space, trajectory, flat, other) in
        [("k_flat", "s/traj", "k_flat", "s/traj"), ("s/ksp", "t_flat", "t_flat", "s/ksp")]
    {
        let warning = format!(
            "warning: {flat}: this one-dimensional array is read as 64 × 26 samples, as in {other}, with the \
             first axis fastest. If its values have another order, write it as an array with these axes"
        );
        scratch.succeed_with(&line(k_space, trajectory, &format!("{flat}_mixed")), &warning);
        assert!(scratch.read(&format!("{flat}_mixed.cfl")) == expected, "{flat}");
    }
    // The same rules apply to sample weights and to the truth.
    let weights = |shape: &[usize]| ComplexArray::new(shape.to_vec(), vec![[1.0, 0.0]; 1664]).unwrap();
    write("w", &weights(&[1, 26, 64]));
    let message = format!("error: w: it has 26 × 64 weights, s/traj has 64 × 26; {advice}");
    scratch.fail(&format!("{} --sample-weights w", line("s/ksp", "s/traj", "o")), 1, &message);
    scratch.fail(&format!("{} --method gridding --density w", line("s/ksp", "s/traj", "o")), 1, &message);
    write("wide", &ComplexArray::new(vec![64, 16], vec![[1.0, 0.0]; 1024]).unwrap());
    let message = "error: wide: it has 64 × 16 voxels, o.cfl has 32 × 32; give two files that belong together, with the same axes";
    scratch.fail(&format!("{} --truth wide", line("s/ksp", "s/traj", "o")), 1, message);
    // If there are as many readouts as samples, the lengths of the axes do not show a wrong order. The energy of
    // the data does: it is not in the middle of k-space.
    scratch.succeed("simulate kspace --out q --size 32,32 --readouts 64");
    write("q/swapped", &swapped(&read_cfl(&scratch.path("q/traj")).unwrap(), [1, 2]));
    let result = scratch.run("recon q/ksp --trajectory q/swapped --out q.cfl");
    let warning = "warning: q/ksp: its energy does not gather in the middle of k-space, as that of an image does; check that \
                   q/swapped is its trajectory, axis by axis";
    assert_eq!((result.code, result.errors.lines().next()), (0, Some(warning)));
}

#[test]
fn implausible_trajectory_units_are_reported() {
    let scratch = simulated();
    let traj = read_cfl(&scratch.path("s/traj")).unwrap();
    let scaled = |name: &str, factor: f32| {
        let values = traj.values().iter().map(|k| [factor * k[0], 0.0]).collect();
        write_cfl(&scratch.path(name), &ComplexArray::new(traj.shape().to_vec(), values).unwrap()).unwrap();
    };
    // The trajectory has the value 1 at the edge of k-space.
    scaled("edge", 1.0 / 16.0);
    let line =
        |options: &str| format!("recon s/ksp --trajectory edge --sensitivities s/sens --out o.cfl {options}");
    let message = "error: edge: its largest wave number is 1.0000, where k-space ends at 16 cycles per field of view, 0.5 cycles \
                   per voxel, or 3.1416 radians per voxel; give its unit with --trajectory-unit: fov, voxel or radian; if 1 is the edge of k-space, first multiply it by 16";
    scratch.fail(&line(""), 1, message);
    let message = "error: edge: along x it reaches 1.0000, but cycles per voxel go up to 0.5000; give its unit with --trajectory-unit";
    scratch.fail(&line("--trajectory-unit voxel"), 1, message);
    let result = scratch.run(&line("--trajectory-unit radian"));
    let warning = "warning: edge: its largest wave number of 1.0000 radians per voxel is 32 % of the way to the edge of k-space of \
                   32 × 32 × 1 voxels. Check --trajectory-unit and --size\n";
    assert_eq!((result.code, result.errors.lines().next()), (0, Some(warning.trim_end())));
    // Without --size, a trajectory in radians could also belong to a very small image.
    scaled("radian", std::f32::consts::PI / 16.0);
    let message = "error: radian: the unit of the trajectory is not clear: its largest wave number is 3.1416. \
                   K-space ends at 4 cycles per field of view (of 8 voxels), 0.5 cycles per voxel or \
                   3.1416 radians per voxel; give --size, and its unit with --trajectory-unit: fov, voxel, \
                   radian or per-metre";
    scratch.fail("recon s/ksp --trajectory radian --out r.cfl", 1, message);
}

/// Returns the norm of the difference between `factor` times the image and the expected image, relative to the norm
/// of the latter.
fn far_after(image: &ComplexArray, factor: f64, expected: &ComplexArray) -> f64 {
    let (mut apart, mut all) = (0.0, 0.0);
    for (a, b) in image.values().iter().flatten().zip(expected.values().iter().flatten()) {
        apart += (f64::from(*a) * factor - f64::from(*b)).powi(2);
        all += f64::from(*b).powi(2);
    }
    (apart / all).sqrt()
}

#[test]
fn sensitivities_and_weights_of_any_scale_give_the_same_image() {
    let scratch = simulated();
    let sens = read_cfl(&scratch.path("s/sens")).unwrap();
    let ones = ComplexArray::new(vec![1, 64, 26], vec![[1.0, 0.0]; 1664]).unwrap();
    let write = |name: &str, array: &ComplexArray, scale: f64| {
        let values = array.values().iter().map(|v| v.map(|part| (f64::from(part) * scale) as f32)).collect();
        write_cfl(&scratch.path(name), &ComplexArray::new(array.shape().to_vec(), values).unwrap()).unwrap();
    };
    write("ones", &ones, 1.0);
    for (way, options) in [
        ("single", ""),
        ("double", "--precision double"),
        ("curve", "--lambda auto --regularise differences"),
        ("gridding", "--method gridding"),
        ("adjoint", "--method adjoint"),
    ] {
        let image = |name: &str, sensitivities: &str, weights: &str| {
            scratch.succeed(&format!(
                "recon s/ksp --trajectory s/traj --sensitivities {sensitivities} --sample-weights {weights} --out {name}.cfl {options} \
                 --force"
            ));
            read_cfl(&scratch.path(&format!("{name}.cfl"))).unwrap()
        };
        let expected = image("expected", "s/sens", "ones");
        // Multiplication by a power of two causes no rounding.
        for scale in [-66, -53, -46, 43, 50].map(|power| 2f64.powi(power)) {
            write("scaled", &sens, scale);
            write("weights", &ones, scale);
            // The adjoint is proportional to the scale. An image that explains the data is inversely proportional
            // to it.
            let factor = if way == "adjoint" { 1.0 / scale } else { scale };
            for found in [image("found", "scaled", "ones"), image("found", "s/sens", "weights")] {
                // The factors that undo the scale are rounded. Tens of iterations multiply this rounding error by a
                // small number.
                let far = far_after(&found, factor, &expected);
                assert!(far < 3e-5, "{way} {scale:e}: {far:e}");
            }
        }
    }
}

#[test]
fn failed_reconstructions_are_reported_in_the_last_line_and_the_record() {
    let scratch = simulated();
    let empty = "the image is 0 everywhere";
    let record = |name: &str| -> Value { scratch.json(name) };
    for (options, problem, advice) in [
        ("--iterations 0", empty, "give more --iterations"),
        (
            "--sigma 1e3",
            empty,
            "--sigma explains all of the data: give the standard deviation of a part of a sample",
        ),
        ("--lambda 1e308", empty, "give a smaller --lambda"),
        (
            "--lambda 1e10",
            "it leaves 100 % of the data unexplained",
            "check --lambda, and that k-space, trajectory and sensitivities belong together; if the residual is noise, give its level with --sigma",
        ),
        (
            "--iterations 1 --lambda 0",
            "its equation is solved to a residual of 2.3e-1 only",
            "give more --iterations",
        ),
    ] {
        let result = scratch.run(&format!("{RECON} --out o.nii.gz --force {options}"));
        let warning = format!("warning: o.nii.gz: {problem}; {advice}");
        assert_eq!((result.code, result.errors.trim_end()), (0, warning.as_str()), "{options}");
        assert!(
            result.output.ends_with(&format!(", but {problem}: o.nii.gz\n")),
            "{options}: {}",
            result.output
        );
        assert_eq!(record("o.nii.gz.json")["warnings"][0], warning["warning: ".len()..], "{options}");
    }
    // The values of this image exceed the range of single precision.
    let sens = read_cfl(&scratch.path("s/sens")).unwrap();
    let small = sens.values().iter().map(|v| v.map(|part| 1e-39 * part)).collect();
    write_cfl(&scratch.path("small"), &ComplexArray::new(sens.shape().to_vec(), small).unwrap()).unwrap();
    let result =
        scratch.run("recon s/ksp --trajectory s/traj --sensitivities small --fov 220 --out n.nii.gz");
    assert!(
        result.errors.contains("voxels are not finite; scale k-space or sensitivities"),
        "{}",
        result.errors
    );
    assert!(result.output.contains("voxels are not finite: n.nii.gz"), "{}", result.output);
    // An image of zeros cannot be compared with a truth.
    let result = scratch.run(&format!("{RECON} --out t.nii.gz --iterations 0 --truth s/truth.nii.gz"));
    let error = "error: t.nii.gz: the image is 0 everywhere; the image cannot be compared with a truth \
                 image; give more --iterations";
    assert_eq!((result.code, result.errors.trim_end()), (1, error), "without a warning of the same");
    assert!(!scratch.path("t.nii.gz").exists());
    // Each channel has its own equation. The output reports the channel with the largest residual.
    let result = scratch.succeed("recon s/ksp --trajectory s/traj --size 32,32 --iterations 8 --out c.cfl");
    assert!(result.contains(", in the worst of 4 channels: c.cfl"), "{result}");
    assert!(result.contains(" instead of 1.0e-4"), "{result}");
}

#[test]
fn result_names_of_one_command_must_be_unique() {
    let scratch = simulated();
    let message = |name: &str| {
        format!("error: {name}: two results of this command would have this name; give each of them another")
    };
    for (q, out, name) in [
        ("y.nii.gz", "y.nii.gz", "y.nii.gz"),
        ("./y.nii.gz", "y.nii.gz", "./y.nii.gz"),
        ("y_phase.nii.gz", "y.nii.gz", "y_phase.nii.gz"),
        ("y.nii.gz.json", "y.nii.gz", "y.nii.gz.json"),
        ("y.hdr", "y.cfl", "y.hdr"),
        ("new/y.cfl", "new/../new/y.cfl", "new/y.cfl"),
    ] {
        scratch.fail(&format!("{RECON} --save-q {q} --out {out}"), 2, &message(name));
        scratch.fail(&format!("{RECON} --save-q {q} --out {out} --force"), 2, &message(name));
    }
    scratch.write("s.tck", "");
    scratch.write("w.txt", "1");
    let line = "edit s.tck --weights w.txt --min-weight 0 --weights-out o.tck --out o.tck";
    scratch.fail(line, 2, &message("o.tck"));
}

#[test]
fn simulated_k_space_is_finite_and_memory_is_checked_first() {
    let scratch = Scratch::new();
    scratch.write("large.txt", "1e39 0 0 0 50 40 30 0\n");
    for (options, code, expected) in [
        (
            "--fov 1e160",
            2,
            "--fov: `1e160` is too large; give a number from -1e30 to 1e30, or leave the option out",
        ),
        ("--snr 1e-38", 2, "--snr: `1e-38` is too close to 0"),
        ("--snr 1e-300", 2, "--snr: `1e-300` is too close to 0"),
        (
            "--object large.txt",
            1,
            "large.txt: the k-space data of the object exceed the range of single precision; give smaller \
             values, or ellipsoids and a --fov in the same millimetres",
        ),
        (
            "--samples 18446744073709551615",
            2,
            "--readouts and --samples: 19 readouts of 18446744073709551615 samples are not a possible scan; \
             give fewer readouts or samples, below 2⁴⁰ samples in total",
        ),
        (
            "--trajectory-kind spiral --turns 1e18",
            2,
            "--readouts and --samples: 16 readouts of 18446744073709551615 samples are not a possible scan",
        ),
        (
            "--trajectory-kind rosette --petals 1e18",
            2,
            "--readouts and --samples: 16 readouts of 18446744073709551615 samples are not a possible scan",
        ),
        (
            "--size 18446744073709551615,18446744073709551615",
            2,
            "--size: 18446744073709551615 × 18446744073709551615 × 1 voxels are not a possible image; give \
             at least one voxel along each axis, below 2⁴⁰ in total",
        ),
        (
            "--size 1000000,1000000",
            2,
            "--readouts and --samples: 1570797 readouts of 2000000 samples are not a possible scan",
        ),
        (
            "--size 400000,400000",
            1,
            "--size, --readouts and --samples: 628319 readouts of 800000 samples by 1 coils, and 400000 × 400000 × 1 voxels, need ",
        ),
        (
            "--readouts 1000000000000",
            2,
            "--readouts and --samples: 1000000000000 readouts of 24 samples are not a possible scan",
        ),
        (
            "--readouts 1000000000",
            1,
            "--size, --readouts and --samples: 1000000000 readouts of 24 samples by 1 coils, and 12 × 12 × 1 voxels, need ",
        ),
    ] {
        let size = if options.contains("--size") { "" } else { "--size 12,12" };
        let result = scratch.run(&format!("simulate kspace --out o {size} {options}"));
        assert!(result.errors.starts_with(&format!("error: {expected}")), "{options}: {}", result.errors);
        assert_eq!((result.code, result.output.as_str()), (code, ""), "{options}");
        assert_eq!(scratch.listing("."), ["large.txt"], "{options}");
    }
}

#[test]
fn images_of_raw_arrays_have_no_orientation_without_a_reference() {
    let scratch = simulated();
    let codes = |name: &str| {
        let bytes = scratch.read(name);
        [252, 254].map(|at| i16::from_le_bytes([bytes[at], bytes[at + 1]]))
    };
    let recorded = |name: &str| {
        let record: Value = scratch.json(name);
        record["choices"]["orientation"].as_str().map(str::to_owned)
    };
    let line = |out: &str, options: &str| {
        format!("recon s/ksp --trajectory s/traj --sensitivities s/sens --out {out} --iterations 5 {options}")
    };
    let invented = |out: &str| {
        format!("warning: {out}: the voxel size is not known, so 1 mm is written; give --fov or --like")
    };
    scratch.succeed_with(&line("none.nii", ""), &invented("none.nii"));
    scratch.succeed(&line("sized.nii", "--fov 220"));
    scratch.succeed(&line("whole.nii", "--fov 220 --complex"));
    for name in ["none.nii", "none_phase.nii", "sized.nii", "sized_phase.nii", "whole.nii"] {
        assert_eq!(codes(name), [0, 0], "{name}");
        // A complex image cannot be read as an image of real numbers.
        assert!(name == "whole.nii" || !scratch.volume(name).grid().is_placed(), "{name}");
    }
    let expected = Some("not recorded, because --like is not given".to_owned());
    assert_eq!([recorded("none.nii.json"), recorded("sized.nii.json")], [expected.clone(), expected]);
    let info = scratch.succeed("info sized.nii");
    assert!(
        info.contains("  orientation            not recorded\n") && !info.contains("axes point to"),
        "{info}"
    );
    assert!(info.contains("6.8750 × 6.8750 × 6.8750 mm"), "{info}");
    // The result has the position of the --like image, or no position if this image has none.
    scratch.succeed(&line("placed.nii", "--like s/truth.nii.gz"));
    assert_eq!((codes("placed.nii"), recorded("placed.nii.json")), ([1, 1], None));
    scratch.succeed(&line("unplaced.nii", "--like sized.nii"));
    assert_eq!(codes("unplaced.nii"), [0, 0]);
    // Arrays have neither positions nor voxel sizes, so there is no warning.
    scratch.succeed(&line("array.cfl", ""));
}

#[test]
fn references_without_orientation_are_accepted_if_grids_match() {
    let scratch = Scratch::new();
    scratch.succeed("simulate kspace --out s --size 32,32 --snr 10 --readouts 24");
    scratch.succeed("simulate kspace --out fine --size 96,96 --readouts 1");
    // The same images without positions.
    for (folder, name) in [("s", "own.nii"), ("fine", "fine.nii")] {
        let image = scratch.volume(&format!("{folder}/truth.nii.gz"));
        let grid = Grid::unplaced(image.grid().shape(), image.grid().voxel_sizes()).unwrap();
        let image = Volume::new(grid, 1, image.into_values()).unwrap();
        scratch.write_image(name, &image);
    }
    let line = |name: &str, options: &str| {
        format!("recon s/ksp --trajectory s/traj --out {name}.cfl --iterations 50 --lambda 0.3 {options}")
    };
    let warning = |name: &str| {
        format!(
            "warning: {name}: its header does not state the position of the voxels (neither sform nor \
             qform). As in FSL and nibabel, x is assumed to run from right to left (MRtrix: from left to \
             right)"
        )
    };
    // The result equals that of a reference in the middle of the field of view. It is neither mirrored nor shifted
    // by half a voxel. Headers round the positions of the finer voxels by about 4e-6 mm. Points on the border of
    // two voxels can then belong to either voxel, which changes the image by 0.004. Half a voxel or the other side
    // would change it by 0.09.
    for (image, own, tolerance) in [("fine", "fine/truth.nii.gz", 0.015), ("own", "s/truth.nii.gz", 1e-4)] {
        scratch.succeed(&line("expected", &format!("--fov 220 --force --regularise anatomy={own}")));
        let options = format!("--fov 220 --force --regularise anatomy={image}.nii");
        scratch.succeed_with(&line("found", &options), &warning(&format!("{image}.nii")));
        let [found, expected] = ["found", "expected"].map(|name| read_cfl(&scratch.path(name)).unwrap());
        let far = far_after(&found, 1.0, &expected);
        assert!(far < tolerance, "{image} {far}");
    }
    // If the image has a position, the reference needs one, unless both have the same voxel grid.
    scratch.succeed_with(
        &line("placed", "--like s/truth.nii.gz --regularise anatomy=own.nii"),
        &warning("own.nii"),
    );
    let result = scratch.run(&line("o", "--like s/truth.nii.gz --regularise anatomy=fine.nii"));
    assert_eq!(
        (result.code, result.errors.lines().last()),
        (
            1,
            Some(
                "error: fine.nii: it has no position in space, and its 96 × 96 × 1 voxels differ from the \
                 32 × 32 × 1 voxels of the image; give a reference with a position in space, or one on the voxel grid of the image"
            )
        )
    );
}
