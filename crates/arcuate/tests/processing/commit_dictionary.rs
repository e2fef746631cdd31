//! Tests of `evaluate commit --dictionary`, which reads streamlines and peaks from the files of `dmri-commit`'s
//! trk2dictionary.
//!
//! These tests write the dictionaries themselves, with their own directions. The test of the same name in
//! `arcuate-evaluate` reads files that `dmri-commit` wrote.

use crate::common::{Scratch, small_brain};
use arcuate_core::{Grid, Orientations, Tractogram, Volume};
use arcuate_evaluate::commit::{Segment, SegmentEncoder, SegmentOptions, scanner_orientations};
use arcuate_io::{
    TractogramOptions, WriteOptions, read_mask, read_weights, stream_tractogram, write_image,
    write_tractogram,
};
use std::collections::BTreeMap;
use std::fmt::Write;

const DICTIONARY: &str = "--dictionary dict --dictionary-directions directions.txt --dwi dwi.nii.gz";

/// Writes a small brain with one peak per voxel and `tracks.trx`, whose first streamline is outside the brain. Also
/// writes their dictionary with 500 directions, and these directions along the axes of the image and of the
/// scanner.
fn brain() -> Scratch {
    let brain = Scratch::with(small_brain());
    let mask = read_mask(&brain.path("mask.nii.gz")).unwrap();
    let grid = *mask.grid();
    let truth = brain.tractogram("truth_streamlines.trx");
    let mut tracks = Tractogram::default();
    tracks.push(&[[900.0; 3], [901.0; 3]]);
    truth.iter().for_each(|line| tracks.push(line));
    write_tractogram(&brain.path("tracks.trx"), &tracks, Some(&grid), &TractogramOptions::default()).unwrap();

    let along_image = Orientations::half_sphere(500);
    let scanner = scanner_orientations(&along_image, &grid).unwrap();
    for (name, set) in [("directions.txt", &along_image), ("scanner.txt", &scanner)] {
        let mut text = String::new();
        for [x, y, z] in set.directions() {
            writeln!(text, "{x:e} {y:e} {z:e}").unwrap();
        }
        brain.write(name, text);
    }

    let mut encoder = SegmentEncoder::new(&mask, SegmentOptions::default()).unwrap();
    stream_tractogram(&brain.path("tracks.trx"), &mut encoder).unwrap();
    let segments = encoder.finish().unwrap().0;
    // As in dmri-commit, the entries are sorted by streamline, direction and voxel. Streamlines are numbered among
    // those that are kept, here all but the first.
    let (mut lengths, mut squares) = (BTreeMap::<(u32, u16, u32), f64>::new(), vec![0.0; tracks.len() - 1]);
    let mut peaks = Volume::filled(grid, 3, 0_f32);
    let (mut peak_numbers, mut tdi) = (Vec::new(), Volume::filled(grid, 1, 0_f32));
    for (n, &voxel) in segments.voxels().iter().enumerate() {
        for own in segments.of_voxel(n).chunk_by(|a, b| a.streamline == b.streamline) {
            let whole: f64 = own.iter().map(Segment::length).sum();
            squares[own[0].streamline as usize - 1] += whole * whole;
            tdi.voxel_mut(voxel as usize)[0] += whole as f32;
            for segment in own {
                let number = scanner.nearest(segment.piece.map(f64::from)) as u16;
                *lengths.entry((segment.streamline - 1, number, voxel)).or_default() += segment.length();
            }
        }
        let number = (n * 37 % 500) as u16;
        let direction = scanner.directions()[usize::from(number)];
        peaks.voxel_mut(voxel as usize).copy_from_slice(&direction.map(|c| c as f32));
        peak_numbers.extend(number.to_le_bytes());
    }
    brain.write_image("peaks.nii.gz", &peaks);
    brain.write("dict/none", "");
    brain.write_image("dict/dictionary_tdi.nii.gz", &tdi);
    let mut kept = vec![1_u8; tracks.len()];
    kept[0] = 0;
    let norms: Vec<f32> = squares.iter().map(|square: &f64| square.sqrt() as f32).collect();
    let voxels = bytes(segments.voxels(), |v| v.to_le_bytes());
    let keys: Vec<_> = lengths.keys().copied().collect();
    let values: Vec<f64> = lengths.into_values().collect();
    for (name, content) in [
        ("TRK_kept", kept),
        ("TRK_norm", bytes(&norms, |norm| norm.to_le_bytes())),
        ("IC_f", bytes(&keys, |key| key.0.to_le_bytes())),
        ("IC_o", bytes(&keys, |key| key.1.to_le_bytes())),
        ("IC_v", bytes(&keys, |key| key.2.to_le_bytes())),
        ("IC_len", bytes(&values, |&length| (length as f32).to_le_bytes())),
        ("EC_v", voxels.clone()),
        ("EC_o", peak_numbers),
        ("ISO_v", voxels),
    ] {
        brain.write(&format!("dict/dictionary_{name}.dict"), content);
    }
    brain
}

fn bytes<T, const N: usize>(numbers: &[T], of: impl Fn(&T) -> [u8; N]) -> Vec<u8> {
    numbers.iter().flat_map(of).collect()
}

/// Returns a figure from the record of a run.
fn figure(brain: &Scratch, folder: &str, name: &str) -> String {
    let record: serde_json::Value = brain.json(&format!("{folder}/arcuate.json"));
    let found = [&record["figures"][name]["value"], &record["choices"][name]];
    let found =
        found.into_iter().find(|value| !value.is_null()).unwrap_or_else(|| panic!("no figure {name}"));
    // The sums are in single precision and their order differs.
    let number = found.as_f64().map(|number| format!("{number:.3e}"));
    number.unwrap_or_else(|| found.as_str().expect("words").to_owned())
}

#[test]
fn dictionaries_give_the_results_of_their_tractogram() {
    let brain = brain();
    let grid = *brain.volume("dwi.nii.gz").grid();
    write_image(&brain.path("map.nii.gz"), &Volume::filled(grid, 1, 2_f32), &WriteOptions::default())
        .unwrap();
    let timings = "--big-delta 40 --small-delta 20 --echo-time 80";
    let (dwi, peaks) = ("--dwi dwi.nii.gz", "--peaks peaks.nii.gz");
    let models = [
        ("stick-zeppelin-ball".to_owned(), dwi, peaks),
        (format!("cylinder-zeppelin-ball --radii 1,4 {timings}"), dwi, peaks),
        (format!("gdr-cylinders --gamma-radii 4:0.5 {timings}"), dwi, peaks),
        ("ball-and-stick".to_owned(), dwi, ""),
        ("volume-fractions".to_owned(), dwi, peaks),
        ("scalar-map".to_owned(), "--scalar-map map.nii.gz", ""),
    ];
    for (model, data, peaks) in models {
        let options =
            format!("--model {model} {data} --mask mask.nii.gz --iterations 40 --tolerance 0 --compat");
        // The runs stop after forty iterations, before they reach the tolerance, and print a warning.
        let ours = brain.run(&format!(
            "evaluate commit tracks.trx {peaks} --orientations scanner.txt {options} --out ours --force"
        ));
        let theirs = brain.run(&format!(
            "evaluate commit --dictionary dict --dictionary-directions directions.txt {options} --out theirs --force"
        ));
        assert_eq!((ours.code, theirs.code), (0, 0), "{model}\n{}{}", ours.errors, theirs.errors);
        // By default, the table has the directions of the dictionary. The first streamline keeps its number.
        assert_eq!((&ours.output, &ours.errors), (&theirs.output, &theirs.errors), "{model}");
        let weights =
            |folder: &str| read_weights(&brain.path(&format!("{folder}/commit_weights.txt"))).unwrap();
        let (a, b) = (weights("ours"), weights("theirs"));
        let largest = a.iter().fold(0.0, |a: f64, b| a.max(*b));
        // The lengths are summed in another order and in single precision. The relative differences of 1e-7 grow in
        // forty iterations.
        assert!(a.len() == b.len() && largest > 0.0 && b[0] == 0.0, "{model}");
        assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-3 * largest), "{model}");
        let results = |folder: &str| {
            let below = brain.listing(folder).into_iter().filter(|name| name.starts_with("Results_"));
            below.collect::<Vec<_>>()
        };
        assert_eq!((results("ours").len(), results("ours")), (7, results("theirs")), "{model}");
        for name in
            ["voxels", "streamlines outside the voxels that count", "length of streamlines in the voxels"]
        {
            assert_eq!(figure(&brain, "ours", name), figure(&brain, "theirs", name), "{model}");
        }
    }
}

#[test]
fn named_tractograms_are_written_to_the_results() {
    let brain = brain();
    let options = "--mask mask.nii.gz --tolerance 1e-2";
    brain.succeed(&format!("evaluate commit {DICTIONARY} {options} --out without"));
    assert!(!brain.path("without/tracks_weighted.trx").exists());
    brain.succeed(&format!("evaluate commit tracks.trx {DICTIONARY} {options} --out with"));
    let tracks = brain.tractogram("with/tracks_weighted.trx");
    let weights = read_weights(&brain.path("without/commit_weights.txt")).unwrap();
    assert_eq!(tracks.len(), weights.len());
    assert_eq!(brain.read("with/commit_weights.txt"), brain.read("without/commit_weights.txt"));
    let supported = brain.tractogram("with/tracks_supported.trx");
    assert_eq!(supported.len(), weights.iter().filter(|&&weight| weight > 0.0).count());
    let record = brain.text("with/arcuate.json");
    assert!(["dictionary_IC_len.dict", "directions.txt"].iter().all(|name| record.contains(name)));
    // Group names refer to groups of the tractogram.
    brain.fail(
        &format!("evaluate commit {DICTIONARY} --regularise group-sparse --lambda 0.1 --groups left --out out"),
        2,
        "error: --groups left: there is no such file; give a file with the name of a group for each streamline, or name \
         the tractogram too",
    );
}

#[test]
fn masks_can_reduce_the_voxels_of_a_dictionary() {
    let brain = brain();
    let mut mask = brain.volume("mask.nii.gz");
    let slice = mask.grid().shape()[0] * mask.grid().shape()[1];
    let lowest = mask.grid().len() / 2 / slice * slice;
    mask.values_mut()[..lowest].fill(0.0);
    brain.write_image("upper.nii.gz", &mask);
    let options = "--tolerance 1e-2 --mask upper.nii.gz";
    brain.succeed(&format!("evaluate commit {DICTIONARY} {options} --out theirs"));
    brain.succeed(&format!(
        "evaluate commit tracks.trx --dwi dwi.nii.gz --peaks peaks.nii.gz {options} --out ours"
    ));
    for name in ["voxels", "streamlines outside the voxels that count", "length of streamlines in the voxels"]
    {
        assert_eq!(figure(&brain, "ours", name), figure(&brain, "theirs", name));
    }
    // Voxels without signal are not used either.
    let mut dwi = brain.volume("dwi.nii.gz");
    let samples = dwi.channels();
    dwi.values_mut()[..lowest * samples].fill(0.0);
    brain.write_image("dwi.nii.gz", &dwi);
    let result = brain.run(&format!("evaluate commit {DICTIONARY} --tolerance 1e-2 --out dark"));
    assert_eq!(result.code, 0);
    assert!(
        result.errors.contains("voxels of the dictionary have no usable signal and are not used"),
        "{}",
        result.errors
    );
    assert_eq!(figure(&brain, "dark", "voxels"), figure(&brain, "theirs", "voxels"));
}

#[test]
fn invalid_dictionaries_are_rejected() {
    let brain = brain();
    let run = format!("evaluate commit {DICTIONARY} --out out");
    let refused = |name: &str, content: Option<Vec<u8>>, message: &str| {
        let path = format!("dict/dictionary_{name}");
        let before = brain.read(&path);
        match content {
            Some(content) => brain.write(&path, content),
            None => std::fs::remove_file(brain.path(&path)).unwrap(),
        }
        brain.fail(&run, 1, message);
        brain.write(&path, before);
    };
    refused("IC_len.dict", None, "error: dict/dictionary_IC_len.dict: no such file; check the path");
    let anew = "create the dictionary again";
    let whole = brain.read("dict/dictionary_IC_v.dict");
    let entries = whole.len() / 4;
    refused(
        "IC_v.dict",
        Some(whole[..whole.len() - 4].to_vec()),
        &format!(
            "error: dict/dictionary_IC_v.dict: it has {} entries for {entries} entries of dictionary_IC_f.dict; {anew}",
            entries - 1
        ),
    );
    refused(
        "IC_v.dict",
        Some(whole[..whole.len() - 1].to_vec()),
        &format!(
            "error: dict/dictionary_IC_v.dict: the file has {} bytes, which is not a multiple of 4 bytes; \
             {anew}",
            whole.len() - 1
        ),
    );
    let with_first = |name: &str, first: &[u8]| {
        let mut content = brain.read(&format!("dict/dictionary_{name}"));
        content[..first.len()].copy_from_slice(first);
        Some(content)
    };
    refused(
        "IC_v.dict",
        with_first("IC_v.dict", &u32::MAX.to_le_bytes()),
        &format!(
            "error: dict/dictionary_IC_v.dict: a voxel is outside the image dictionary_tdi.nii.gz; {anew}"
        ),
    );
    refused(
        "IC_f.dict",
        with_first("IC_f.dict", &u32::MAX.to_le_bytes()),
        &format!("error: dict/dictionary_IC_f.dict: it names a streamline that was not kept; {anew}"),
    );
    for name in ["IC_o.dict", "EC_o.dict"] {
        refused(
            name,
            with_first(name, &500_u16.to_le_bytes()),
            "error: dict: the dictionary has the orientation number 500 (counted from 0), but the \
             orientations have 500 orientations; give the orientations that the dictionary was created with \
             (its `ndirs`)",
        );
    }
    // This dictionary was created with a mask for isotropic compartments.
    let fewer = brain.read("dict/dictionary_ISO_v.dict")[4..].to_vec();
    refused(
        "ISO_v.dict",
        Some(fewer),
        "error: dict: not every voxel that streamlines pass has isotropic compartments; create the \
         dictionary without the mask that limits isotropic compartments to some voxels",
    );
    let grid = *brain.volume("dwi.nii.gz").grid();
    let [x, y, z] = grid.shape();
    let larger = Grid::new([x, y, z + 1], *grid.affine()).unwrap();
    let image = Scratch::new();
    write_image(&image.path("a.nii.gz"), &Volume::filled(larger, 1, 0_f32), &WriteOptions::default())
        .unwrap();
    refused(
        "tdi.nii.gz",
        Some(image.read("a.nii.gz")),
        &format!(
            "error: dict: the image size {x} × {y} × {} differs from the size {x} × {y} × {z} of the \
             diffusion series; resample the image to the grid of the diffusion series",
            z + 1
        ),
    );
    brain.write("directions.txt", "0 0 0\n");
    brain.fail(
        &run,
        1,
        "error: directions.txt: direction 1 (counted from 1) is [0.0, 0.0, 0.0], which is not a direction; \
         give three finite numbers per direction, not all zero",
    );
}

#[test]
fn dictionaries_exclude_the_options_they_replace() {
    let brain = brain();
    let lines = brain.tractogram("tracks.trx").len();
    brain.fail(
        &format!("evaluate commit truth_streamlines.trx {DICTIONARY} --out out"),
        1,
        &format!(
            "error: truth_streamlines.trx: the tractogram has {} streamlines, but the dictionary dict was \
             created from {lines}; give the tractogram that the dictionary was created from",
            lines - 1
        ),
    );
    for (arguments, words) in [
        ("--dictionary dict --dwi dwi.nii.gz", "--dictionary-directions <FILE>"),
        ("--dwi dwi.nii.gz", "<TRACKS>"),
        (&format!("{DICTIONARY} --peaks peaks.nii.gz"), "cannot be used with --peaks"),
        (&format!("{DICTIONARY} --min-length 10"), "cannot be used with --min-length"),
        (&format!("{DICTIONARY} --blur-core-extent 1"), "cannot be used with --blur-core-extent"),
    ] {
        let result = brain.run(&format!("evaluate commit {arguments} --out out"));
        assert!(result.code == 2 && result.errors.contains(words), "{arguments}: {}", result.errors);
        assert!(!brain.path("out").exists());
    }
}
