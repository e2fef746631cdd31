//! `track samples --protocols` gives the same tracts as a separate command for each tract, in XTRACT's layout.

use crate::common::{Scratch, brain_with_meshes};
use arcuate_core::{Affine, Grid, Volume};
use arcuate_io::CiftiFile;
use arcuate_phantom::{PhantomOptions, default_gradients, simulate};
use std::ffi::OsStr;

/// Voxels of 2 mm: 20 × 8 × 8.
fn grid() -> Grid {
    Grid::new([20, 8, 8], Affine::scaling([2.0; 3], [-20.0, -8.0, -8.0])).unwrap()
}

/// Writes a mask of the voxels whose centres have x, minus `shift`, in this range. All lengths are in mm.
fn slab(scratch: &Scratch, name: &str, grid: &Grid, shift: f64, x: std::ops::Range<f64>) {
    let value = |voxel: usize| f32::from(u8::from(x.contains(&(grid.centre(voxel)[0] - shift))));
    scratch.write_volume(name, &Volume::new(*grid, 1, (0..grid.len()).map(value).collect()).unwrap());
}

/// Writes samples of fibres along x, and two tracts. `ab` runs from one slab to another and back. `abc` runs
/// through three slabs.
fn two_tracts(shift: f64) -> Scratch {
    let scratch = Scratch::new();
    let grid = grid();
    let wander = |amount: f32, middle: f32| {
        let values = (0..grid.len() * 4).map(|n| {
            let hash = (n as u32).wrapping_mul(2_654_435_761) >> 20;
            middle + amount * (hash as f32 / 2048.0 - 1.0)
        });
        Volume::new(grid, 4, values.collect()).unwrap()
    };
    let half = std::f32::consts::FRAC_PI_2;
    for (name, amount, middle) in [("th", 0.4, half), ("ph", 0.4, 2.0 * half), ("f", 0.0, 0.6)] {
        scratch.write_volume(&format!("x.bedpostX/merged_{name}1samples.nii.gz"), &wander(amount, middle));
    }
    scratch.write_volume("x.bedpostX/nodif_brain_mask.nii.gz", &Volume::filled(grid, 1, 1.0));
    let masks = Grid::new([20, 8, 8], Affine::scaling([2.0; 3], [-20.0 + shift, -8.0, -8.0])).unwrap();
    for (name, x) in [
        ("ab/seed", -12.0..-8.0),
        ("ab/target", 8.0..12.0),
        ("ab/stop", 14.0..16.0),
        ("abc/seed", 0.0..2.0),
        ("abc/target1", -12.0..-10.0),
        ("abc/target2", 10.0..12.0),
        ("away/seed", 0.0..2.0),
    ] {
        slab(&scratch, &format!("p/{name}.nii.gz"), &masks, shift, x);
    }
    scratch.write("p/ab/invert", "");
    scratch.write("p/structureList", "ab 0.02\nabc 0.03\n# away\n");
    scratch
}

fn values(scratch: &Scratch, name: &str) -> Vec<f32> {
    scratch.volume(name).into_values()
}

const ALONE: &str = "--preset probtrackx --loop-check --initial-fibre random --seed-radius 1";

#[test]
fn tracts_agree_with_separate_runs() {
    let scratch = two_tracts(0.0);
    let result = scratch.succeed("track samples x.bedpostX --protocols p --lengths --out out");
    assert!(result.contains("streamlines accepted, of 2 tracts"), "{result}");
    assert_eq!(
        scratch.listing("out/tracts"),
        [
            "ab/",
            "ab/density.nii.gz",
            "ab/densityNorm.nii.gz",
            "ab/densityNorm_thresholded.nii.gz",
            "ab/density_lengths.nii.gz",
            "ab/sum_density.nii.gz",
            "ab/sum_waytotal",
            "ab/tractsInv/",
            "ab/tractsInv/density.nii.gz",
            "ab/tractsInv/density_lengths.nii.gz",
            "ab/tractsInv/waytotal",
            "ab/waytotal",
            "abc/",
            "abc/density.nii.gz",
            "abc/densityNorm.nii.gz",
            "abc/densityNorm_thresholded.nii.gz",
            "abc/density_lengths.nii.gz",
            "abc/waytotal",
        ]
    );
    // A separate command for each direction of each tract.
    for (line, folder) in [
        (
            "--seed-mask p/ab/seed.nii.gz --waypoints p/ab/target.nii.gz --stop p/ab/stop.nii.gz --per-seed 20",
            "ab",
        ),
        (
            "--seed-mask p/ab/target.nii.gz --waypoints p/ab/seed.nii.gz --stop p/ab/stop.nii.gz --per-seed 20",
            "ab/tractsInv",
        ),
        (
            "--seed-mask p/abc/seed.nii.gz --waypoints p/abc/target1.nii.gz,p/abc/target2.nii.gz --per-seed 30",
            "abc",
        ),
    ] {
        scratch.succeed(&format!(
            "track samples x.bedpostX {line} {ALONE} --products visits,lengths --out one --force"
        ));
        let density = values(&scratch, &format!("out/tracts/{folder}/density.nii.gz"));
        assert_eq!(density, values(&scratch, "one/visits.nii.gz"), "{folder}");
        let lengths = values(&scratch, &format!("out/tracts/{folder}/density_lengths.nii.gz"));
        assert_eq!(lengths, values(&scratch, "one/lengths.nii.gz"), "{folder}");
        let record: serde_json::Value = scratch.json("one/arcuate.json");
        let accepted = &record["figures"]["streamlines accepted"]["value"];
        let total = scratch.text(&format!("out/tracts/{folder}/waytotal"));
        assert_eq!(&total.trim().parse::<u64>().unwrap(), accepted, "{folder}");
        assert!(density.iter().any(|count| *count > 0.0), "{folder}");
    }
    // Images that are computed from the densities.
    let total = |name: &str| scratch.text(&format!("out/tracts/{name}")).trim().parse::<u64>().unwrap();
    let all = total("ab/sum_waytotal");
    assert_eq!(all, total("ab/waytotal") + total("ab/tractsInv/waytotal"));
    let image = |name: &str| values(&scratch, &format!("out/tracts/{name}.nii.gz"));
    let both = image("ab/density").into_iter().zip(image("ab/tractsInv/density")).map(|(a, b)| a + b);
    assert_eq!(image("ab/sum_density"), both.clone().collect::<Vec<f32>>());
    let share = |count: f32, total: u64| (f64::from(count) / total as f64) as f32;
    assert_eq!(image("ab/densityNorm"), both.map(|count| share(count, all)).collect::<Vec<f32>>());
    let alone = image("abc/density").into_iter().map(|count| share(count, total("abc/waytotal")));
    assert_eq!(image("abc/densityNorm"), alone.clone().collect::<Vec<f32>>());
    let above = alone.map(|share| if share < 0.001 { 0.0 } else { share });
    assert_eq!(image("abc/densityNorm_thresholded"), above.collect::<Vec<f32>>());
    // The tract with the largest value in each voxel, and the table.
    let (ab, abc) = (image("ab/densityNorm"), image("abc/densityNorm"));
    let strongest = |n: usize| match (ab[n] >= 0.001, abc[n] >= 0.001) {
        (true, _) if ab[n] >= abc[n] => 1.0,
        (_, true) => 2.0,
        (true, false) => 1.0,
        (false, false) => 0.0,
    };
    let expected: Vec<f32> = (0..ab.len()).map(strongest).collect();
    assert_eq!(values(&scratch, "out/tracts.nii.gz"), expected);
    assert!(scratch.text("out/tracts.txt").contains("abc"));
    let table = scratch.text("out/tracts.tsv");
    let line: Vec<&str> = table.lines().nth(1).unwrap().split('\t').collect();
    let volume = 8 * ab.iter().filter(|share| **share >= 0.001).count();
    assert_eq!((line[0], line[2]), ("ab", all.to_string().as_str()));
    assert_eq!(line[3], volume.to_string());
    let shown = scratch.tractogram("out/streamlines.trx");
    let groups: Vec<(&str, usize)> =
        shown.groups.members.iter().map(|(name, members)| (name.as_str(), members.len())).collect();
    assert!(matches!(groups[..], [("ab", 200), ("abc", 1..=200)]), "{groups:?}");
}

#[test]
fn results_do_not_depend_on_threads_and_gpus() {
    let scratch = two_tracts(0.0);
    let line = "track samples x.bedpostX --protocols p --threshold 0.01 --force --random-seed 3 --out";
    scratch.succeed(&format!("{line} one --threads 1"));
    scratch.succeed(&format!("{line} many --threads 4"));
    let results = |folder: &str| {
        let mut files = scratch.files(folder);
        files.remove("arcuate.json");
        files
    };
    assert_eq!(results("one"), results("many"));
    if let Some(driver) = arcuate_emulation::library_folder("tracts by protocols") {
        let driver = driver.as_os_str();
        let result = scratch.run_with(
            &format!("{line} gpu --device cuda"),
            &[("LD_LIBRARY_PATH", driver), ("ARCUATE_NO_FALLBACK", OsStr::new("1"))],
        );
        assert_eq!((result.code, result.errors.as_str()), (0, ""), "{}", result.output);
        assert_eq!(results("one"), results("gpu"));
        assert!(scratch.text("gpu/arcuate.json").contains("Emulated GPU"));
    }
}

#[test]
fn masks_are_mapped_by_the_transforms_of_bedpostx() {
    let (here, there) = (two_tracts(0.0), two_tracts(30.0));
    here.succeed("track samples x.bedpostX --protocols p --out out");
    // Both images have the same coordinates in FSL's mm, although one of them is 30 mm further to the right.
    there.write("x.bedpostX/xfms/standard2diff.mat", "1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 1\n");
    let result = there.succeed("track samples x.bedpostX --protocols p --out out");
    assert!(
        result.contains("masks are brought to the scan, and back, by x.bedpostX/xfms/standard2diff.mat"),
        "{result}"
    );
    // The transform of coordinates in mm causes rounding errors.
    let count = |scratch: &Scratch| scratch.text("out/tracts/ab/sum_waytotal").trim().parse::<f64>().unwrap();
    assert!((count(&here) / count(&there) - 1.0).abs() < 0.05);
    let volume = |scratch: &Scratch| -> f64 {
        let table = scratch.text("out/tracts.tsv");
        table.lines().nth(1).unwrap().split('\t').nth(3).unwrap().parse().unwrap()
    };
    assert!((volume(&here) / volume(&there) - 1.0).abs() < 0.1);
    // Without the transforms, the headers place the masks outside the scan.
    std::fs::remove_dir_all(there.path("x.bedpostX/xfms")).unwrap();
    let result = there.run("track samples x.bedpostX --protocols p --out none");
    assert_eq!(result.code, 1, "{}", result.errors);
    let problem = "tract abc is not in this scan and is skipped: p/abc/seed.nii.gz: no seed is in a voxel";
    assert!(result.errors.contains(problem), "{}", result.errors);
    assert!(!there.path("none").exists());
}

#[test]
fn tracts_outside_the_scan_are_reported_and_have_no_files() {
    let scratch = two_tracts(0.0);
    // The seeds are in voxels without samples.
    slab(&scratch, "p/away/seed.nii.gz", &grid(), 0.0, -20.0..-19.0);
    let slice = |voxel: usize| f32::from(u8::from(grid().coordinates(voxel)[0] > 3));
    let mask = Volume::new(grid(), 1, (0..grid().len()).map(slice).collect()).unwrap();
    scratch.write_volume("x.bedpostX/nodif_brain_mask.nii.gz", &mask);
    scratch.write("p/structureList", "away\nabc 0.03\n");
    let result = scratch.run("track samples x.bedpostX --protocols p --out out");
    assert_eq!(result.code, 0, "{}", result.errors);
    let warning = "tract away is not in this scan and is skipped: p/away/seed.nii.gz: no seed is in a \
                   voxel with orientations";
    assert!(result.errors.contains(warning), "{}", result.errors);
    assert!(!scratch.path("out/tracts/away").exists());
    let record = scratch.text("out/arcuate.json");
    assert!(record.contains("tracts/abc/density.nii.gz") && !record.contains("tracts/away/density.nii.gz"));
    assert!(scratch.text("out/tracts.tsv").contains("away\tn/a\tn/a\tn/a\tn/a\n"));
    // The numbers of the other tracts do not change.
    assert!(values(&scratch, "out/tracts.nii.gz").iter().all(|&number| number != 2.0));
    let result = scratch.run("track samples x.bedpostX --protocols p --tracts away --out none");
    assert_eq!(result.code, 1);
    assert!(result.errors.contains("no tract of the folder is in this scan"), "{}", result.errors);
}

#[test]
fn unreadable_masks_are_rejected_before_the_first_tract() {
    let scratch = two_tracts(0.0);
    let line = "track samples x.bedpostX --protocols p --out out";
    let mask = scratch.read("p/abc/target2.nii.gz");
    // The header is complete, so only reading the data shows the error.
    scratch.write("p/abc/target2.nii.gz", &mask[..mask.len() - 12]);
    let result = scratch.run(line);
    assert!(result.code == 1 && result.errors.contains("p/abc/target2.nii.gz: "), "{}", result.errors);
    assert!(!scratch.path("out").exists());
    scratch.write("p/abc/target2.nii.gz", mask);
    scratch.succeed(line);
}

/// Needs root rights: only root can run programs as a user without processes.
#[cfg(target_os = "linux")]
#[test]
fn failed_thread_creation_is_an_error_or_uses_fewer_threads() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = two_tracts(0.0);
    std::fs::set_permissions(scratch.path("."), std::fs::Permissions::from_mode(0o777)).unwrap();
    let run = |limit: u32| {
        std::process::Command::new("setpriv")
            .args(["--reuid", "61234", "--regid", "61234", "--clear-groups", "sh", "-c"])
            .arg(format!("ulimit -u {limit}; exec \"$0\" \"$@\""))
            .arg(assert_cmd::cargo::cargo_bin("arcuate"))
            .args([
                "track",
                "samples",
                "x.bedpostX",
                "--protocols",
                "p",
                "--threads",
                "1",
                "--device",
                "cpu",
                "--out",
            ])
            .arg(format!("out-{limit}"))
            .current_dir(scratch.path("."))
            .output()
    };
    let is_possible = run(64).is_ok_and(|output| output.status.success());
    if !is_possible {
        eprintln!("skipped: this user cannot run programs as another");
        return;
    }
    let expected = scratch.read("out-64/tracts/ab/density.nii.gz");
    let mut refused = 0;
    for limit in 1..9 {
        let output = run(limit).unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        if output.status.code() == Some(0) {
            assert_eq!(scratch.read(&format!("out-{limit}/tracts/ab/density.nii.gz")), expected, "{limit}");
        } else {
            refused += 1;
            assert!(matches!(output.status.code(), Some(1 | 2)), "{limit}: {} {errors}", output.status);
            assert!(errors.starts_with("error: ") && errors.lines().count() == 1, "{limit}: {errors}");
        }
    }
    if refused == 0 {
        eprintln!("skipped: this system does not limit the number of processes");
        return;
    }
    assert!((1..8).contains(&refused), "{refused} of 8 limits are too low");
}

#[test]
fn invalid_protocols_are_rejected() {
    let scratch = two_tracts(0.0);
    scratch.fail(
        "track samples x.bedpostX --protocols q --out out",
        1,
        "error: q: there is no such folder; give the folder with the masks of the tracts",
    );
    scratch.fail(
        "track samples x.bedpostX --protocols p --tracts ab,cd --out out",
        2,
        "error: --tracts: the folder p has no tract `cd`; its tracts are ab, abc; give names of existing \
         tracts",
    );
    scratch.fail(
        "track samples x.bedpostX --protocols p --threshold 0 --out out",
        2,
        "error: --threshold: the threshold is 0, but must be above 0 and at most 1; give a fraction, such as 0.001",
    );
    scratch.fail(
        "track samples x.bedpostX --protocols p --tract-maps f=p/ab/seed.nii.gz,f=p/ab/stop.nii.gz --out out",
        2,
        "error: --tract-maps: two maps are called `f`; give them different names",
    );
    for (options, result) in [
        ("--seed-mask p/ab/seed.nii.gz", "--protocols: cannot be used with"),
        ("--matrix seeds", "--protocols: cannot be used with"),
        ("--waypoints-in-order", "--protocols: cannot be used with"),
        ("--loop-check", "--protocols: cannot be used with"),
        ("--tract-maps fa", "give NAME=FILE"),
    ] {
        let refused = scratch.run(&format!("track samples x.bedpostX --protocols p {options} --out out"));
        assert_eq!(refused.code, 2, "{options}");
        assert!(refused.errors.contains(result), "{options}: {}", refused.errors);
    }
    let refused = scratch.run("track samples x.bedpostX --tracts ab --out out");
    assert_eq!(refused.code, 2);
}

/// The simulated brain's own protocols find its bundles in the scan and at the cortex.
#[test]
fn bundles_of_the_simulated_brain_are_found() {
    let scratch = Scratch::new();
    let size = "--voxel-size 4 --directions 6 --b0s 1 --streamlines-per-bundle 2";
    scratch.succeed(&format!("simulate --out brain {size} --tract-protocols"));
    // Meshes do not depend on the voxel size.
    for (name, bytes) in brain_with_meshes().iter().filter(|(name, _)| name.starts_with("surfaces/left.")) {
        scratch.write(&format!("brain/{name}"), bytes);
    }
    // Samples around the true directions of each voxel.
    let options = PhantomOptions { voxel_size_mm: 4.0, ..PhantomOptions::default() };
    let phantom = simulate(&default_gradients(6, 2000.0, 1).unwrap(), &options).unwrap();
    let (grid, samples) = (*phantom.dwi.grid(), 6);
    for fibre in 0..2 {
        let mut directions = Volume::filled(grid, 3 * samples, 0.0f32);
        let mut fractions = Volume::filled(grid, samples, 0.0f32);
        for voxel in 0..grid.len() {
            let peak = &phantom.peaks.voxel(voxel)[3 * fibre..3 * fibre + 3];
            let length = peak.iter().map(|c| c * c).sum::<f32>().sqrt();
            for sample in 0..samples {
                fractions.voxel_mut(voxel)[sample] = length;
                for axis in 0..3 {
                    let n = (voxel * samples + sample) * 3 + axis;
                    let hash = (n as u32).wrapping_mul(2_654_435_761) >> 20;
                    let noise = 0.15 * (hash as f32 / 2048.0 - 1.0);
                    directions.voxel_mut(voxel)[3 * sample + axis] = peak[axis] / length.max(1e-6) + noise;
                }
            }
        }
        scratch.write_volume(&format!("fit/n{}_samples.nii.gz", fibre + 1), &directions);
        scratch.write_volume(&format!("fit/f{}_samples.nii.gz", fibre + 1), &fractions);
    }
    let result = scratch.run(
        "track samples fit --protocols brain/protocols --masks-to-dwi brain/protocols/standard2diff.mat --per-seed 20 \
         --angle 45 --threshold 0.02 --tract-maps white=brain/white_matter.nii.gz \
         --blueprint brain/surfaces/left.white.surf.gii:brain/surfaces/left.cortex.shape.gii --out out",
    );
    assert_eq!(result.code, 0, "{}", result.errors);
    let mut bundles: Vec<(usize, &str)> =
        phantom.bundles.iter().enumerate().map(|(n, bundle)| (n, bundle.name.as_str())).collect();
    bundles.sort_by_key(|(_, name)| *name);
    let numbers = values(&scratch, "out/tracts.nii.gz");
    for (number, (bundle, name)) in (1..).zip(&bundles) {
        let is_in = |voxel: &usize| phantom.bundle_fractions.voxel(*voxel)[*bundle] > 0.0;
        let of_tract: Vec<usize> =
            (0..numbers.len()).filter(|&voxel| numbers[voxel] == number as f32).collect();
        let right = of_tract.iter().filter(|voxel| is_in(voxel)).count();
        assert!(of_tract.len() >= 15, "{name}: {} voxels", of_tract.len());
        // A neighbouring voxel can be reached through a corner that the tube does not fill.
        assert!(right as f64 >= 0.8 * of_tract.len() as f64, "{name}: {right} of {}", of_tract.len());
    }
    // At each vertex that a tract reaches, the fractions of the tracts have a sum of 1.
    let blueprint = CiftiFile::open(&scratch.path("out/blueprint.dscalar.nii")).unwrap();
    let shape = [blueprint.rows().len(), blueprint.columns().len()];
    let row = |row: usize| {
        let mut values = vec![0.0; shape[1]];
        blueprint.read_row(row, &mut values).unwrap();
        values
    };
    assert_eq!(shape[1], 15);
    let rows: Vec<Vec<f64>> = (0..shape[0]).map(row).collect();
    let reached: Vec<&Vec<f64>> = rows.iter().filter(|row| row.iter().any(|share| *share > 0.0)).collect();
    assert!(reached.len() > 100, "{} vertices", reached.len());
    assert!(reached.iter().all(|row| (row.iter().sum::<f64>() - 1.0).abs() < 1e-5));
    // Vertices of the left hemisphere have almost no fraction of the tracts of the right hemisphere.
    let right: f64 = reached
        .iter()
        .flat_map(|row| {
            row.iter().zip(&bundles).filter(|(_, (_, name))| name.ends_with("_right")).map(|(s, _)| s)
        })
        .sum();
    assert!(right < 0.02 * reached.len() as f64, "{right} of {}", reached.len());
}
