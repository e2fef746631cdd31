//! Runs in parts give the same files as one run, byte for byte.

use super::{grid, samples};
use crate::common::Scratch;
use arcuate_core::Volume;
use std::collections::BTreeMap;
use std::path::Path;

/// Runs a command once as a whole and once in `of` parts, merges the parts, and compares the files.
fn compare(scratch: &Scratch, command: &str, name: &str, of: u64, devices: &[&str]) {
    scratch.succeed(&format!("{command} --out whole/{name}"));
    // The parts run in reverse order.
    for part in (1..=of).rev() {
        let device = devices[part as usize % devices.len()];
        let result = scratch.succeed(&format!("{command} --out parts/{name} --part {part}/{of} {device}"));
        assert!(result.contains(&format!("part {part}/{of}: ")), "{result}");
    }
    let result = scratch.succeed(&format!("merge parts/{name}.parts"));
    assert!(result.contains(&format!("{of} parts of this divided run already exist")), "{result}");
    let [whole, mut merged] = [results(scratch, "whole"), results(scratch, "parts")];
    merged.retain(|path, _| !path.contains(".parts/"));
    assert!(whole.len() >= 2, "{:?}", whole.keys());
    assert_eq!(whole.keys().collect::<Vec<_>>(), merged.keys().collect::<Vec<_>>());
    for (path, bytes) in whole {
        // The header of a .tck file contains the command line. The names of the two folders have the same length.
        let bytes = if is_of(&path, "tck") { renamed(&bytes) } else { bytes };
        // Records contain times and command lines.
        if !is_of(&path, "json") {
            assert!(merged[&path] == bytes, "{command} in {of} parts: {path} differs");
        }
    }
    for folder in ["whole", "parts"] {
        std::fs::remove_dir_all(scratch.path(folder)).unwrap();
    }
}

fn is_of(path: &str, ending: &str) -> bool {
    Path::new(path).extension().is_some_and(|known| known == ending)
}

fn renamed(file: &[u8]) -> Vec<u8> {
    let mut file = file.to_vec();
    let place = file.windows(6).position(|bytes| bytes == b"whole/").unwrap();
    file[place..place + 6].copy_from_slice(b"parts/");
    file
}

fn results(scratch: &Scratch, folder: &str) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    collect(&scratch.path(folder), "", &mut found);
    found
}

fn collect(folder: &Path, above: &str, found: &mut BTreeMap<String, Vec<u8>>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let name = format!("{above}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            collect(&entry.path(), &format!("{name}/"), found);
        } else {
            found.insert(name, std::fs::read(entry.path()).unwrap());
        }
    }
}

/// Returns the samples, with a parcellation and peaks.
fn ready() -> Scratch {
    let scratch = samples();
    let grid = grid();
    let of_voxel = |value: &dyn Fn([usize; 3]) -> f32| {
        let values = (0..grid.len()).map(|voxel| value(grid.coordinates(voxel)));
        Volume::new(grid, 1, values.collect()).unwrap()
    };
    scratch.write_volume("labels.nii", &of_voxel(&|[x, ..]| (x / 5 + 1) as f32));
    let peaks = (0..grid.len()).flat_map(|voxel| [1.0, 0.1 * (voxel % 7) as f32, -0.05 * (voxel % 5) as f32]);
    scratch.write_volume("peaks.nii", &Volume::new(grid, 3, peaks.collect()).unwrap());
    scratch
}

const SEEDS: &str = "track samples x.bedpostX --preset probtrackx --seed-mask seeds.nii --per-seed 6";

#[test]
fn merged_maps_and_matrices_agree_with_one_run() {
    let scratch = ready();
    let one = ["--threads 1", "--threads 2"];
    let maps = "--products visits,lengths,streamlines,target-counts --targets left.nii --labels labels.nii --waypoints right.nii";
    for of in [1, 3, 40] {
        compare(&scratch, &format!("{SEEDS} {maps}"), "maps", of, &one);
    }
    for matrix in [
        "seeds",
        "targets --targets left.nii --measure length,by-length --matrix-format npz,dot",
        "pairs --targets left.nii,right.nii --measure length",
        "pairs --targets left.nii --target-columns left.nii",
    ] {
        compare(&scratch, &format!("{SEEDS} --matrix {matrix}"), "matrix", 5, &one);
    }
    let network = "track samples x.bedpostX --preset probtrackx --per-seed 2 --matrix network --seed-list left.nii,right.nii,seeds.nii";
    // There are more parts than regions, so some parts are empty.
    compare(&scratch, &format!("{network} --measure length"), "network", 7, &one);
}

#[test]
fn merged_tractograms_agree_with_one_run() {
    let scratch = ready();
    for (command, name) in [
        ("track samples x.bedpostX --seeds 301 --min-length 4 --random-seed 5", "tracks.trx"),
        ("track samples x.bedpostX --seeds 301 --min-length 4 --random-seed 5", "tracks.tck"),
        (
            "track samples x.bedpostX --preset probtrackx --seeds 301 --labels labels.nii --random-seed 5",
            "connectome.npz",
        ),
        ("track peaks peaks.nii --seed-mask seeds.nii --per-seed 3 --random-seed 5", "peaks.tck"),
        (
            "track peaks peaks.nii --seed-mask seeds.nii --per-seed 3 --products visits --random-seed 5",
            "maps",
        ),
    ] {
        compare(&scratch, command, name, 4, &[""]);
    }
}

#[test]
fn the_same_command_merges_existing_parts() {
    let scratch = ready();
    let part = |n: u64| format!("{SEEDS} --out maps --part {n}/2");
    scratch.succeed(&format!("{SEEDS} --out whole"));
    scratch.succeed(&part(1));
    // The first of two parts is not a complete run. A warning reports that it is not used.
    let result = scratch.run(&format!("{SEEDS} --out maps"));
    assert_eq!(result.code, 0);
    assert!(
        result.errors.contains(
            "warning: maps.parts: the parts of an earlier divided run in this folder are not used: part 2/2 \
             is missing"
        ),
        "{}",
        result.errors
    );
    scratch.succeed(&part(2));
    let result = scratch.succeed(&part(2));
    assert!(result.contains("part 2/2 is there already, of the same data and options"), "{result}");
    let result = scratch.succeed(&format!("{SEEDS} --out maps --force"));
    assert!(!result.contains("parts of this divided run already exist"), "{result}");
    std::fs::remove_dir_all(scratch.path("maps")).unwrap();
    let result = scratch.succeed(&format!("{SEEDS} --out maps"));
    assert!(
        result.contains("2 parts of this divided run already exist in the folder maps.parts"),
        "{result}"
    );
    assert!(scratch.files("maps")["visits.nii.gz"] == scratch.files("whole")["visits.nii.gz"]);
    // Other options belong to another run.
    let other = SEEDS.replace("--per-seed 6", "--per-seed 7");
    scratch.fail(
        &format!("{other} --out maps --part 2/2"),
        2,
        "error: maps.parts/2-of-2: it is there already, of a run with other data or options; \
         choose another --out, or give --force to overwrite it",
    );
    std::fs::remove_dir_all(scratch.path("maps")).unwrap();
    let result = scratch.run(&format!("{other} --out maps"));
    assert!(result.errors.contains("they are of other data or options"), "{}", result.errors);
    // Another input file belongs to another run, too.
    scratch.write_volume("seeds.nii", &Volume::filled(grid(), 1, 1.0));
    scratch.fail(
        "merge maps.parts --force",
        1,
        "error: maps.parts: they are of other data or options, or of another version; compute the parts \
         again, or use their data and options",
    );
}

#[test]
fn unsupported_part_requests_are_rejected() {
    let scratch = ready();
    for (words, code, result) in [
        (
            format!("{SEEDS} --out a --part 3/2"),
            2,
            "give the number of this part, counted from 1, and the number of all parts",
        ),
        (
            format!("{SEEDS} --out a --part 2"),
            2,
            "give the number of this part, counted from 1, and the number of all parts",
        ),
        (
            format!("{SEEDS} --select 9 --out a --part 1/2"),
            2,
            "error: --part: --select counts the accepted streamlines",
        ),
        (
            "track samples x.bedpostX --out a.trx --part 1/2".to_owned(),
            2,
            "error: --part: --select counts the accepted streamlines",
        ),
        (
            format!("{SEEDS} --matrix seeds --resume --out a --part 1/2"),
            2,
            "error: --resume: a part of a divided run cannot be continued",
        ),
        ("merge a.parts".to_owned(), 1, "error: a.parts: there is no such folder"),
        ("merge x.bedpostX".to_owned(), 1, "error: x.bedpostX: its name is not that of a folder of parts"),
    ] {
        let run = scratch.run(&words);
        assert_eq!(run.code, code, "{words}: {}", run.errors);
        assert!(run.errors.contains(result), "{words}: {}", run.errors);
    }
    for part in [1, 2] {
        scratch.succeed(&format!("{SEEDS} --out a --streamlines --part {part}/2"));
    }
    let damaged = |name: &str, to: &[u8], result: &str| {
        let path = scratch.path("a.parts/2-of-2").join(name);
        let before = std::fs::read(&path).unwrap();
        std::fs::write(&path, to).unwrap();
        let run = scratch.run("merge a.parts");
        assert!(run.code == 1 && run.errors.contains(result), "{name}: {}", run.errors);
        assert!(!scratch.path("a").join("record.json").exists());
        std::fs::write(&path, before).unwrap();
    };
    damaged("tracks.part", b"1234", "a.parts/2-of-2/tracks.part: it has 4 bytes, and ");
    damaged(
        "part.json",
        b"{}",
        "a.parts/2-of-2/part.json: it is not a saved state of Arcuate; delete the folder ",
    );
    damaged("streamlines.trx", b"PK", "a.parts/2-of-2/streamlines.trx: it has 2 bytes, and ");
    for name in ["tracks.part", "part.json", "streamlines.trx"] {
        let mut bytes = std::fs::read(scratch.path("a.parts/2-of-2").join(name)).unwrap();
        let at = bytes.len() / 2;
        bytes[at] ^= 4;
        damaged(name, &bytes, &format!("a.parts/2-of-2/{name}: its content "));
        damaged(name, &bytes, "; delete the folder a.parts/2-of-2, and run part 2/2 again");
        damaged(name, &vec![0; bytes.len()], &format!("a.parts/2-of-2/{name}: it"));
    }
    let other = std::fs::read(scratch.path("a.parts/1-of-2/tracks.part")).unwrap();
    damaged("tracks.part", &other, "its content is not what this part wrote");
    std::fs::create_dir(scratch.path("elsewhere")).unwrap();
    std::fs::rename(scratch.path("a.parts"), scratch.path("elsewhere/a.parts")).unwrap();
    let run = scratch.run("merge elsewhere/a.parts");
    assert!(
        run.errors.contains("run this command in the working folder in which the parts were computed"),
        "{}",
        run.errors
    );
}
