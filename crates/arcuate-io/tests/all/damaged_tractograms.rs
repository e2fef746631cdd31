//! Tests of damaged and invalid tractogram files. Each gives an error of one line, and never a panic.

use crate::common::{Folder, Nowhere, grid, two};
use arcuate_core::{Affine, Column, Grid, Scalars, StreamlineGroups, StreamlineSink, Tractogram};
use arcuate_io::{
    PositionType, TractogramOptions, TractogramReader, TractogramWriter, TrxLayout, convert_tractogram,
    describe_tractogram, read_tractogram, stream_tractogram, write_tractogram,
};
use proptest::prelude::*;
use std::io::Write;
use std::path::Path;
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

const MADE_ANEW: &str = "; the file is damaged; copy it again or create it again";

/// Returns the error of reading a file with these bytes. The error must be the same for each way of reading.
fn refusal(folder: &Folder, name: &str, bytes: &[u8]) -> String {
    folder.put(name, bytes);
    refusal_of(folder, name)
}

fn refusal_of(folder: &Folder, name: &str) -> String {
    let path = folder.path(name);
    let message = crate::common::message(&path);
    if !message.contains("group") {
        let described = describe_tractogram(&path).unwrap_err().to_string();
        assert!(described.ends_with(&message), "{described}");
    }
    message
}

fn written(folder: &Folder, name: &str) -> Vec<u8> {
    let path = folder.path(name);
    write_tractogram(&path, &two(), Some(&grid()), &TractogramOptions::default()).unwrap();
    std::fs::read(path).unwrap()
}

#[test]
fn unknown_file_endings_are_rejected() {
    let folder = Folder::new();
    assert_eq!(
        refusal(&folder, "a.vtk", b"x"),
        "a.vtk: `.vtk` is not the ending of a tractogram format; use .tck, .trk, .trx, .tck.gz or .trk.gz"
    );
    assert_eq!(
        refusal(&folder, "a.tt.gz", b"x"),
        "a.tt.gz: `.tt.gz` is not the ending of a tractogram format; use .tck, .trk, .trx, .tck.gz or .trk.gz"
    );
    assert_eq!(
        refusal(&folder, "a.trx.gz", b"x"),
        "a.trx.gz: `.trx.gz` is not the ending of a tractogram: a .trx is an archive already; decompress the \
         file (gunzip), or use .trx"
    );
    assert_eq!(
        refusal(&folder, "tracks", b"x"),
        "tracks: the file name has no ending, so the format of the tractogram is not known; use a name that \
         ends in .tck, .trk, .trx, .tck.gz or .trk.gz"
    );
    for name in ["no.tck", "no.trk", "no.trx"] {
        assert_eq!(refusal_of(&folder, name), format!("{name}: no such file; check the path"));
    }
}

#[test]
fn invalid_tck_files_are_rejected() {
    let folder = Folder::new();
    let not = "a.tck: it is not an MRtrix track file (its first line is not `mrtrix tracks`); give a .tck \
               file that MRtrix or Arcuate wrote";
    assert_eq!(refusal(&folder, "a.tck", b""), not);
    assert_eq!(refusal(&folder, "a.tck", b"TRACK\0\0\0"), not);
    assert_eq!(
        refusal(&folder, "a.tck", b"mrtrix tracks\ndatatype: Float32LE\n"),
        format!("a.tck: its header has no END{MADE_ANEW}")
    );
    assert_eq!(
        refusal(&folder, "a.tck", b"mrtrix tracks\nfile: . 40\nEND\n"),
        format!("a.tck: its header names no datatype{MADE_ANEW}")
    );
    assert_eq!(
        refusal(&folder, "a.tck", b"mrtrix tracks\ndatatype: Float32LE\nEND\n"),
        format!("a.tck: its header does not state where the data begin{MADE_ANEW}")
    );
    assert_eq!(
        refusal(&folder, "a.tck", b"mrtrix tracks\ndatatype: UInt8\nfile: . 40\nEND\n"),
        "a.tck: the data type `UInt8` is not possible in a .tck file; write the file as Float32LE, as MRtrix \
         does"
    );
    assert_eq!(
        refusal(&folder, "a.tck", b"mrtrix tracks\ndatatype: Float32LE\nfile: a.dat 0\nEND\n"),
        "a.tck: the coordinates of the streamlines are in another file, `a.dat`; rewrite the tractogram as \
         one file, with MRtrix's tckconvert"
    );
    assert_eq!(
        refusal(&folder, "a.tck", b"mrtrix tracks\ndatatype: Float32LE\nfile: . far\nEND\n"),
        format!("a.tck: its header line `file: . far` is not understood{MADE_ANEW}")
    );
    assert_eq!(
        refusal(&folder, "a.tck", b"mrtrix tracks\ndatatype: Float32LE\nfile: . 99999999999999\nEND\n"),
        format!(
            "a.tck: its header puts the data at byte 99999999999999, but it has 61 bytes, 61 of them header{MADE_ANEW}"
        )
    );
}

#[test]
fn truncated_tck_files_are_rejected() {
    let folder = Folder::new();
    let whole = written(&folder, "a.tck");
    assert_eq!(whole.len(), 80 + (5 + 2 + 1) * 12);
    // A killed `tckgen` leaves a file without an end mark. Every complete streamline of such a file is read.
    for (bytes, streamlines) in [
        (whole.len() - 1, 2),
        (whole.len() - 12, 2),
        (whole.len() - 13, 1),
        (whole.len() - 24, 1),
        (80 + 36, 1),
    ] {
        std::fs::write(folder.path("a.tck"), &whole[..bytes]).unwrap();
        let read = read_tractogram(&folder.path("a.tck")).unwrap().tractogram;
        assert_eq!(read, two().select(&(0..streamlines).collect::<Vec<_>>()));
        assert_eq!(
            stream_tractogram(&folder.path("a.tck"), &mut Nowhere).unwrap().streamlines,
            streamlines as u64
        );
    }
    for bytes in [80 + 35, 80] {
        assert_eq!(
            refusal(&folder, "a.tck", &whole[..bytes]),
            format!("a.tck: it ends early: there is neither an end mark nor a whole streamline{MADE_ANEW}")
        );
    }
    let mut half_nan = whole;
    half_nan[84..88].copy_from_slice(&f32::NAN.to_le_bytes());
    assert_eq!(
        refusal(&folder, "a.tck", &half_nan),
        format!("a.tck: streamline 0 has a position that is not a number{MADE_ANEW}")
    );
}

#[test]
fn tck_whose_count_is_wrong_is_read_by_its_data() {
    let folder = Folder::new();
    let whole = String::from_utf8_lossy(&written(&folder, "a.tck")[..80]).into_owned();
    for count in ["000000000007", "999999999999", "-00000000001", "            "] {
        let mut bytes = written(&folder, "a.tck");
        bytes[..80].copy_from_slice(whole.replace("000000000002", count).as_bytes());
        std::fs::write(folder.path("a.tck"), bytes).unwrap();
        assert_eq!(read_tractogram(&folder.path("a.tck")).unwrap().tractogram, two());
    }
}

#[test]
fn big_endian_and_double_tck_files_are_read() {
    let folder = Folder::new();
    let triplets =
        [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [f64::NAN; 3], [7.0, 8.0, 9.0], [f64::NAN; 3], [f64::INFINITY; 3]];
    for (name, double) in [("Float32BE", false), ("Float64BE", true), ("Float64LE", true)] {
        let mut bytes = format!("mrtrix tracks\ndatatype: {name}\nfile: . 70\ncount: 2\nEND\n").into_bytes();
        bytes.resize(70, b' ');
        for value in triplets.as_flattened() {
            match (double, name.ends_with("BE")) {
                (false, _) => bytes.extend((*value as f32).to_be_bytes()),
                (true, true) => bytes.extend(value.to_be_bytes()),
                (true, false) => bytes.extend(value.to_le_bytes()),
            }
        }
        std::fs::write(folder.path("a.tck"), bytes).unwrap();
        let t = read_tractogram(&folder.path("a.tck")).unwrap().tractogram;
        assert_eq!(t.positions(), [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]);
        assert_eq!(t.offsets(), [0, 2, 3]);
    }
}

#[test]
fn invalid_trk_files_are_rejected() {
    let folder = Folder::new();
    let whole = written(&folder, "a.trk");
    assert_eq!(
        refusal(&folder, "a.trk", b"mrtrix tracks"),
        "a.trk: it is not a TrackVis file (it does not begin with `TRACK`); give a .trk file"
    );
    assert_eq!(
        refusal(&folder, "a.trk", &whole[..999]),
        format!("a.trk: the file ends early: the header has 999 of 1000 bytes{MADE_ANEW}")
    );
    let changed = |at: usize, bytes: &[u8]| {
        let mut file = whole.clone();
        file[at..at + bytes.len()].copy_from_slice(bytes);
        refusal(&folder, "a.trk", &file)
    };
    assert_eq!(
        changed(996, &7i32.to_le_bytes()),
        format!("a.trk: its header gives its own size as 7, not 1000{MADE_ANEW}")
    );
    assert_eq!(
        changed(992, &77i32.to_le_bytes()),
        "a.trk: the version 77 of the file format is not known; rewrite the file as version 2, with nibabel"
    );
    assert_eq!(
        changed(12, &0f32.to_le_bytes()),
        "a.trk: the image header has the impossible voxel sizes 0.000 × 3.000 × 4.000 mm; repair the header, \
         or copy the file again"
    );
    assert_eq!(
        changed(948, b"RXS\0"),
        format!("a.trk: its voxel order `RXS` does not name three axes{MADE_ANEW}")
    );
    assert_eq!(
        changed(948, b"RAS\xff"),
        format!("a.trk: its voxel order `RAS\\xff` does not name three axes{MADE_ANEW}")
    );
    assert_eq!(
        changed(440, &f32::NAN.to_le_bytes()),
        "a.trk: the affine has values that are not numbers; repair the image header"
    );
    assert_eq!(
        changed(440, &[0; 12]),
        "a.trk: the axes of the affine are linearly dependent, so different voxels have the same position; \
         repair the image header"
    );
    assert_eq!(
        changed(36, &(-1i16).to_le_bytes()),
        format!("a.trk: its header counts -1 scalars{MADE_ANEW}")
    );
    assert_eq!(
        changed(36, b"\x01\x00fa\x002\x00"),
        format!("a.trk: its header names 2 scalars but counts 1{MADE_ANEW}")
    );
    assert_eq!(
        changed(36, b"\x01\x00fa\x00x\x00"),
        format!("a.trk: its header gives scalars `fa` the impossible width `x`{MADE_ANEW}")
    );
    assert_eq!(
        changed(988, &(-2i32).to_le_bytes()),
        format!("a.trk: its header counts -2 streamlines{MADE_ANEW}")
    );
}

#[test]
fn trk_files_with_wrong_counts_are_rejected() {
    let folder = Folder::new();
    let whole = written(&folder, "a.trk");
    assert_eq!(whole.len(), 1000 + 4 + 24 + 4 + 36);
    let changed = |at: usize, number: i32| {
        let mut file = whole.clone();
        file[at..at + 4].copy_from_slice(&number.to_le_bytes());
        refusal(&folder, "a.trk", &file)
    };
    assert_eq!(
        changed(988, i32::MAX),
        format!(
            "a.trk: it ends early: its header counts 2147483647 streamlines, at most 17 are there{MADE_ANEW}"
        )
    );
    assert_eq!(
        changed(988, 3),
        format!("a.trk: it ends early: its header counts 3 streamlines, 2 are there{MADE_ANEW}")
    );
    assert_eq!(changed(1000, i32::MAX), format!("a.trk: it ends early, in streamline 0{MADE_ANEW}"));
    assert_eq!(changed(1028, -1), format!("a.trk: streamline 1 claims -1 points{MADE_ANEW}"));
    assert_eq!(
        refusal(&folder, "a.trk", &whole[..whole.len() - 1]),
        format!("a.trk: it ends early, in streamline 1{MADE_ANEW}")
    );
    assert_eq!(
        changed(1004, f32::NAN.to_bits() as i32),
        format!("a.trk: streamline 0 has a position that is not a number{MADE_ANEW}")
    );
    // If the header does not state a count, all streamlines are read. If it states a smaller count, only that
    // many are read.
    for (count, streamlines) in [(0, 2), (1, 1)] {
        let mut file = whole.clone();
        file[988..992].copy_from_slice(&i32::to_le_bytes(count));
        std::fs::write(folder.path("a.trk"), file).unwrap();
        assert_eq!(read_tractogram(&folder.path("a.trk")).unwrap().tractogram.len(), streamlines);
    }
}

#[test]
fn trk_version_1_has_no_affine() {
    let folder = Folder::new();
    let mut file = written(&folder, "a.trk");
    file[992..996].copy_from_slice(&1i32.to_le_bytes());
    std::fs::write(folder.path("a.trk"), file).unwrap();
    let read = read_tractogram(&folder.path("a.trk")).unwrap();
    assert_eq!(read.grid, None);
    // The expected numbers are the voxel coordinates of (1, 2, 3) mm in the grid of `grid()`.
    let expected = grid().inverse().apply([1.0, 2.0, 3.0]).map(|v| v as f32);
    for (value, expected) in read.tractogram.positions()[0].iter().zip(expected) {
        assert!((value - expected).abs() < 1e-5); // coordinates have single precision
    }
}

const HEADER: &str = r#"{"DIMENSIONS": [10, 12, 14], "NB_STREAMLINES": 2, "NB_VERTICES": 5,
    "VOXEL_TO_RASMM": [[2, 0, 0, -9], [0, 3, 0, -15], [0, 0, 4, -20], [0, 0, 0, 1]]}"#;

fn numbers<const N: usize, T>(values: &[T], bytes: fn(&T) -> [u8; N]) -> Vec<u8> {
    values.iter().flat_map(bytes).collect()
}

/// Returns the entries of a valid file.
fn entries() -> Vec<(String, Vec<u8>)> {
    let positions = numbers(two().positions().as_flattened(), |v| v.to_le_bytes());
    vec![
        ("header.json".into(), HEADER.into()),
        ("positions.3.float32".into(), positions),
        ("offsets.uint32".into(), numbers(&[0u32, 2, 5], |v| v.to_le_bytes())),
    ]
}

fn zipped(entries: &[(String, Vec<u8>)], method: CompressionMethod) -> Vec<u8> {
    let mut zip = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        zip.start_file(name.as_str(), SimpleFileOptions::default().compression_method(method)).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// Returns the error after a change of the valid file. Each changed entry replaces the entry of the same
/// name, or is added.
fn trx_with(changes: &[(&str, &[u8])]) -> String {
    let folder = Folder::new();
    refusal(&folder, "a.trx", &changed_trx(changes))
}

fn changed_trx(changes: &[(&str, &[u8])]) -> Vec<u8> {
    let mut all = entries();
    for (name, bytes) in changes {
        all.retain(|(other, _)| other != name);
        all.push(((*name).to_owned(), bytes.to_vec()));
    }
    zipped(&all, CompressionMethod::Stored)
}

fn trx_without(name: &str) -> String {
    let mut all = entries();
    all.retain(|(other, _)| other != name);
    refusal(&Folder::new(), "a.trx", &zipped(&all, CompressionMethod::Deflated))
}

#[test]
fn trx_files_of_other_programs_are_read() {
    let folder = Folder::new();
    let extras: [(&str, &[u8]); 8] = [
        ("offsets.uint32", &numbers(&[0u32, 2], |v| v.to_le_bytes())), // the older form, without the total
        ("dps/algo.uint8", &[1, 2]),
        ("dps/algo.json", b"{}"),
        ("dps/flag.bit", &[0, 1]),
        ("dpv/.DS_Store", b"junk"),
        ("groups/all.uint64", &numbers(&[0u64, 1], |v| v.to_le_bytes())),
        ("dpg/all/mean.uint16", &[1, 0, 2, 0]), // two numbers, not said in the name
        ("notes.txt", b"ignored with a warning"),
    ];
    std::fs::write(folder.path("a.trx"), changed_trx(&extras)).unwrap();
    let file = read_tractogram(&folder.path("a.trx")).unwrap();
    assert_eq!(file.tractogram.positions(), two().positions());
    assert_eq!(file.tractogram.offsets(), two().offsets());
    assert_eq!(file.grid, Some(grid()));
    assert_eq!(file.tractogram.per_streamline["algo"].values(), &Scalars::U8(vec![1, 2]));
    assert_eq!(file.tractogram.per_streamline["flag"].values(), &Scalars::U8(vec![0, 1]));
    assert_eq!(file.tractogram.groups.members["all"], [0, 1]);
    assert_eq!(file.tractogram.groups.values["all"]["mean"].values(), &Scalars::U16(vec![1, 2]));
    assert_eq!(file.tractogram.groups.values["all"]["mean"].width(), 2);
}

#[test]
fn trx_files_with_wrong_headers_are_rejected() {
    let folder = Folder::new();
    let message = refusal(&folder, "a.trx", b"not a zip archive at all");
    assert!(
        message.starts_with("a.trx: the file is not a zip archive, or the archive is incomplete ("),
        "{message}"
    );
    assert!(message.ends_with("; copy the file again, or give the .trx folder"), "{message}");
    assert_eq!(trx_without("header.json"), format!("a.trx: it has no header.json{MADE_ANEW}"));
    let message = trx_with(&[("header.json", b"{\"NB_STREAMLINES\": 2,")]);
    assert!(message.starts_with("a.trx: its header.json is not JSON (EOF while parsing"), "{message}");
    assert_eq!(
        trx_with(&[("header.json", b"{\"NB_STREAMLINES\": 2}")]),
        format!("a.trx: its header.json has no NB_VERTICES{MADE_ANEW}")
    );
    assert_eq!(
        trx_with(&[("header.json", b"[]")]),
        format!("a.trx: its header.json has no NB_STREAMLINES{MADE_ANEW}")
    );
    assert_eq!(
        trx_with(&[("header.json", HEADER.replace(": 5", ": -5").as_bytes())]),
        format!("a.trx: its header.json gives NB_VERTICES as -5{MADE_ANEW}")
    );
    assert_eq!(
        trx_with(&[("header.json", HEADER.replace(": 5", ": 18446744073709551615").as_bytes())]),
        format!(
            "a.trx: its entry positions.3.float32 has 60 bytes; 18446744073709551615 rows of 3 float32 would be more \
             than any file{MADE_ANEW}"
        )
    );
    assert_eq!(
        trx_with(&[("header.json", HEADER.replace(": 2,", ": 18446744073709551615,").as_bytes())]),
        format!("a.trx: its header counts 18446744073709551615 streamlines, its offsets are 3{MADE_ANEW}")
    );
    // The header describes an impossible image, but the streamlines are still read.
    for wrong in
        [HEADER.replace("[10,", "[0,"), HEADER.replace("[[2,", "[[0,"), HEADER.replace("DIMENSIONS", "X")]
    {
        std::fs::write(folder.path("a.trx"), changed_trx(&[("header.json", wrong.as_bytes())])).unwrap();
        let file = read_tractogram(&folder.path("a.trx")).unwrap();
        assert_eq!((file.grid, file.tractogram), (None, two()));
    }
}

#[test]
fn trx_entries_that_contradict_the_header_are_rejected() {
    assert_eq!(
        trx_with(&[("positions.3.float32", &[0; 59])]),
        format!(
            "a.trx: its entry positions.3.float32 has 59 bytes; 5 rows of 3 float32 would be 60{MADE_ANEW}"
        )
    );
    assert_eq!(
        trx_without("positions.3.float32"),
        format!("a.trx: its header counts 5 points, but it has no positions{MADE_ANEW}")
    );
    assert_eq!(
        trx_without("offsets.uint32"),
        format!("a.trx: its header counts 2 streamlines, but it has no offsets{MADE_ANEW}")
    );
    assert_eq!(
        trx_with(&[("positions.3.float64", &[0; 120])]),
        format!("a.trx: it has positions of two types{MADE_ANEW}")
    );
    assert_eq!(
        trx_with(&[("positions.3.int32", &[0; 60])]),
        format!("a.trx: its positions are `positions.3.int32`, not positions.3.float16, 32 or 64{MADE_ANEW}")
    );
    assert_eq!(
        trx_with(&[("offsets.int16", &[0; 6])]),
        format!(
            "a.trx: its offsets are `offsets.int16`, not offsets.uint32, uint64, int32 or int64{MADE_ANEW}"
        )
    );
    let offsets = |values: [u32; 3]| trx_with(&[("offsets.uint32", &numbers(&values, |v| v.to_le_bytes()))]);
    assert_eq!(
        offsets([1, 2, 5]),
        format!("a.trx: its first streamline begins at point 1, not 0{MADE_ANEW}")
    );
    assert_eq!(offsets([0, 6, 5]), format!("a.trx: streamline 0 has the points 0 to 6 of 5{MADE_ANEW}"));
    assert_eq!(offsets([0, 3, 2]), format!("a.trx: streamline 1 has the points 3 to 2 of 5{MADE_ANEW}"));
    assert_eq!(offsets([0, 2, 4]), format!("a.trx: its streamlines end at point 4 of 5{MADE_ANEW}"));
    assert_eq!(
        trx_with(&[("offsets.uint32", &[0; 20])]),
        format!("a.trx: its header counts 2 streamlines, its offsets are 5{MADE_ANEW}")
    );
    let mut positions = two().positions().as_flattened().to_vec();
    positions[7] = f32::INFINITY;
    assert_eq!(
        trx_with(&[("positions.3.float32", &numbers(&positions, |v| v.to_le_bytes()))]),
        format!("a.trx: streamline 1 has a position that is not a number{MADE_ANEW}")
    );
}

#[test]
fn trx_files_with_impossible_data_are_rejected() {
    assert_eq!(
        trx_with(&[("dpv/fa.float32", &[0; 16])]),
        format!("a.trx: its entry dpv/fa.float32 has 16 bytes; 5 rows of 1 float32 would be 20{MADE_ANEW}")
    );
    assert_eq!(
        trx_with(&[("dps/w.3.float64", &[0; 16])]),
        format!("a.trx: its entry dps/w.3.float64 has 16 bytes; 2 rows of 3 float64 would be 48{MADE_ANEW}")
    );
    assert_eq!(
        trx_with(&[("dps/w.float8", &[0; 2])]),
        format!("a.trx: its entry dps/w.float8: its type `float8` is not known{MADE_ANEW}")
    );
    assert_eq!(
        trx_with(&[("dps/w.float32", &[0; 8]), ("dps/w.uint8", &[0; 2])]),
        format!("a.trx: it has two per-streamline data called `w`{MADE_ANEW}")
    );
    assert_eq!(
        trx_with(&[("dpg/g/m.3.float32", &[0; 8])]),
        format!("a.trx: its entry dpg/g/m.3.float32 has 8 bytes; 1 rows of 3 float32 would be 12{MADE_ANEW}")
    );
    assert_eq!(
        trx_with(&[("groups/g.uint32", &[0; 7])]),
        format!("a.trx: its entry groups/g.uint32 has 7 bytes; 1 rows of 1 uint32 would be 4{MADE_ANEW}")
    );
    assert_eq!(
        trx_with(&[("groups/g.float32", &[0; 8])]),
        format!("a.trx: its group `g.float32` is not a list of streamline numbers{MADE_ANEW}")
    );
    assert_eq!(
        trx_with(&[("groups/g.uint32", &numbers(&[0u32, 2], |v| v.to_le_bytes()))]),
        format!(
            "a.trx: its group `g` has streamline 2 (counted from 0), but there are 2 \
                 streamlines{MADE_ANEW}"
        )
    );
    assert_eq!(
        trx_with(&[("groups/g.int8", &[255])]),
        format!(
            "a.trx: its group `g` has streamline -1 (counted from 0), but there are 2 \
                 streamlines{MADE_ANEW}"
        )
    );
}

#[test]
fn trx_paths_outside_the_archive_are_rejected() {
    for name in [
        "../dps/w.uint8",
        "/etc/w.uint8",
        "dps/../w.uint8",
        "dps\\..\\w.uint8",
        "C:\\w.uint8",
        "./../w.uint8",
    ] {
        assert_eq!(
            trx_with(&[(name, &[0; 2])]),
            format!(
                "a.trx: the archive's entry `{name}` has a path outside the archive; do not trust this file; \
                 ask where it comes from"
            )
        );
    }
}

/// Returns the valid file with another name for each entry, and with further entries.
fn renamed_trx(name: impl Fn(&str) -> String, more: &[(&str, &[u8])]) -> Vec<u8> {
    let mut all = entries();
    all.push(("dps/w.uint8".to_owned(), vec![7, 8]));
    for (old, _) in &mut all {
        *old = name(old);
    }
    all.extend(more.iter().map(|(name, bytes)| ((*name).to_owned(), bytes.to_vec())));
    zipped(&all, CompressionMethod::Stored)
}

/// A function that returns the name that an archiver gives to an entry.
type Renaming<'a> = &'a dyn Fn(&str) -> String;

#[test]
fn trx_entry_names_of_archivers_are_accepted() {
    let folder = Folder::new();
    let left_behind: [(&str, &[u8]); 2] = [("__MACOSX/brain/._header.json", b"x"), (".DS_Store", b"x")];
    let ways: [(&str, Renaming<'_>); 5] = [
        ("as they are", &str::to_owned),
        ("of the folder .", &|name| format!("./{name}")),
        ("with backslashes", &|name| name.replace('/', "\\")),
        ("in a folder", &|name| format!("brain/{name}")),
        ("both", &|name| format!("./brain.trx/./{name}")),
    ];
    for (way, name) in ways {
        std::fs::write(folder.path("a.trx"), renamed_trx(name, &left_behind)).unwrap();
        let read = read_tractogram(&folder.path("a.trx")).unwrap_or_else(|e| panic!("{way}: {e}")).tractogram;
        assert_eq!(read.positions().len(), 5, "{way}");
        assert_eq!(read.per_streamline["w"].values(), &Scalars::U8(vec![7, 8]), "{way}");
        assert_eq!(stream_tractogram(&folder.path("a.trx"), &mut Nowhere).unwrap().points, 5, "{way}");
    }
    // The folder of the file has a subfolder with the entries, as some programs leave it when they unpack an
    // archive.
    let all = entries();
    std::fs::create_dir_all(folder.path("unpacked.trx/brain")).unwrap();
    std::fs::write(folder.path("unpacked.trx/.DS_Store"), "x").unwrap();
    for (name, bytes) in &all {
        std::fs::write(folder.path("unpacked.trx/brain").join(name), bytes).unwrap();
    }
    let read = read_tractogram(&folder.path("unpacked.trx")).unwrap().tractogram;
    assert_eq!(read.positions().len(), 5);
}

#[test]
fn trx_entries_in_several_folders_are_rejected() {
    let folder = Folder::new();
    let beside = renamed_trx(|name| format!("brain/{name}"), &[("other/positions.3.float32", b"")]);
    assert_eq!(refusal(&folder, "a.trx", &beside), format!("a.trx: it has no header.json{MADE_ANEW}"));
    let twice = renamed_trx(str::to_owned, &[("./dps/w.uint8", &[1, 2])]);
    assert_eq!(
        refusal(&folder, "a.trx", &twice),
        format!("a.trx: two of its entries have the same name{MADE_ANEW}")
    );
}

#[test]
fn long_trx_names_give_short_messages() {
    let long = "x".repeat(60_000);
    for name in [
        format!("../{long}"),
        format!("dps/{long}.float8"),
        format!("dps/{long}.float32"),
        format!("dps/{long}"),
    ] {
        let message = trx_with(&[(&name, &[1])]);
        assert!(message.len() < 400, "{} bytes: {}", message.len(), &message[..400]);
    }
}

#[test]
fn damaged_trx_archives_are_rejected() {
    let folder = Folder::new();
    // One bit of the positions is changed, which the checksum of the archive detects.
    let sound = zipped(&entries(), CompressionMethod::Stored);
    let positions = &entries()[1].1;
    let at = sound.windows(positions.len()).position(|bytes| bytes == positions.as_slice()).unwrap();
    let mut turned = sound.clone();
    turned[at] ^= 1;
    assert_eq!(
        refusal(&folder, "a.trx", &turned),
        format!("a.trx: its entry positions.3.float32 is unreadable (Invalid checksum){MADE_ANEW}")
    );
    // The directory of the archive states sizes that the file cannot contain. No memory of these sizes is
    // allocated.
    let lying = |sizes: [u32; 2], method| {
        let mut bytes = zipped(&entries(), method);
        let name = b"positions.3.float32";
        let directory = bytes.windows(4).position(|b| b == b"PK\x01\x02").unwrap();
        let place = bytes[directory..].windows(name.len()).position(|b| b == name).unwrap() + directory;
        bytes[place - 26..place - 22].copy_from_slice(&sizes[0].to_le_bytes());
        bytes[place - 22..place - 18].copy_from_slice(&sizes[1].to_le_bytes());
        refusal(&folder, "a.trx", &bytes)
    };
    let message = lying([60, 4_000_000_000], CompressionMethod::Deflated);
    assert_eq!(
        message,
        format!(
            "a.trx: its entry positions.3.float32 claims 4000000000 bytes, more than the file can hold{MADE_ANEW}"
        )
    );
    lying([4_000_000_000, 4_000_000_000], CompressionMethod::Stored);
    for length in 0..sound.len() {
        let message = refusal(&folder, "a.trx", &sound[..length]);
        assert!(
            message.starts_with("a.trx: the file is not a zip archive, or the archive is incomplete ("),
            "{message}"
        );
    }
}

#[test]
fn incomplete_trx_folders_are_rejected() {
    let folder = Folder::new();
    let path = folder.path("a.trx");
    let options = TractogramOptions { layout: TrxLayout::Folder, ..TractogramOptions::default() };
    write_tractogram(&path, &two(), Some(&grid()), &options).unwrap();
    std::fs::write(path.join("positions.3.float32"), [0; 40]).unwrap();
    assert_eq!(
        refusal_of(&folder, "a.trx"),
        format!(
            "a.trx: its entry positions.3.float32 has 40 bytes; 5 rows of 3 float32 would be 60{MADE_ANEW}"
        )
    );
    std::fs::remove_file(path.join("header.json")).unwrap();
    assert_eq!(refusal_of(&folder, "a.trx"), format!("a.trx: it has no header.json{MADE_ANEW}"));
}

fn write_message(name: &str, t: &Tractogram, grid: Option<&Grid>, options: &TractogramOptions) -> String {
    let folder = Folder::new();
    let error = write_tractogram(&folder.path(name), t, grid, options).unwrap_err();
    assert_eq!(std::fs::read_dir(folder.0.path()).unwrap().count(), 0, "something half-written remained");
    error.to_string().replace(&format!("{}/", folder.0.path().display()), "")
}

#[test]
fn unwritable_tractograms_are_rejected() {
    let plain = TractogramOptions::default();
    let half = TractogramOptions { positions: PositionType::F16, ..plain.clone() };
    for name in ["a.trk", "a.trx"] {
        assert_eq!(
            write_message(name, &two(), None, &plain),
            format!(
                "{name}: this tractogram format stores the image space of the streamlines, which is not \
                 known; give an image in the space of the streamlines with ‘reference’, or write .tck"
            )
        );
    }
    assert_eq!(
        write_message("a.tck", &two(), None, &half),
        "a.tck: .tck has no half-precision positions; choose float32, or write .trx"
    );
    assert_eq!(
        write_message("a.trk", &two(), Some(&grid()), &half),
        "a.trk: .trk has no float16 positions; choose float32, or write .trx"
    );
    let mut far = two();
    far.push(&[[0.0, 70000.0, 0.0]]);
    assert_eq!(
        write_message("a.trx", &far, Some(&grid()), &half),
        "a.trx: streamline 2 has the coordinate 70000 mm, too large for half precision; write positions as \
         float32"
    );
    let mut nan = two();
    nan.push(&[[0.0; 3], [0.0, f32::NAN, 0.0]]);
    for name in ["a.tck", "a.trk", "a.trx"] {
        assert_eq!(
            write_message(name, &nan, Some(&grid()), &plain),
            format!(
                "{name}: streamline 2 has a position that is not a number; remove this streamline before writing"
            )
        );
    }
    let huge = Grid::new([40_000, 2, 2], Affine::identity()).unwrap();
    assert_eq!(
        write_message("a.trk", &two(), Some(&huge), &plain),
        "a.trk: an image of 40000 voxels along one axis does not fit the .trk header; write .tck or .trx"
    );
    // The numbers in the header are f32.
    let far_away = Affine::scaling([2.0; 3], [1e300, 0.0, 0.0]);
    let far_away = Grid::new([2; 3], far_away).unwrap();
    assert_eq!(
        write_message("a.trk", &two(), Some(&far_away), &plain),
        "a.trk: the affine of its image does not fit the .trk header; write .tck or .trx"
    );
    let mut wrong = two();
    wrong.per_streamline.insert("w".into(), Column::new(1, Scalars::F32(vec![1.0])).unwrap());
    assert_eq!(
        write_message("a.trx", &wrong, Some(&grid()), &plain),
        "a.trx: per-streamline data `w` have 1 rows, but 2 are expected; the file is damaged; create the \
         file again"
    );
    assert_eq!(
        write_message("a.ply", &two(), None, &plain),
        "a.ply: `.ply` is not the ending of a tractogram format; use .tck, .trk, .trx, .tck.gz or .trk.gz"
    );
    assert_eq!(
        write_message("no/a.tck", &two(), None, &plain),
        "no/a.tck: its folder does not exist; create the folder or choose another"
    );
}

#[test]
fn failed_writers_write_no_file() {
    let folder = Folder::new();
    for name in ["a.tck", "a.trk", "a.trx"] {
        let path = folder.path(name);
        let mut writer =
            TractogramWriter::create(&path, Some(&grid()), &TractogramOptions::default()).unwrap();
        writer.take(two().as_batch()).unwrap();
        let mut nan = Tractogram::new();
        nan.push(&[[f32::NAN; 3]]);
        assert!(writer.take(nan.as_batch()).is_err());
        assert_eq!(
            writer.finish().unwrap_err().to_string(),
            format!(
                "{}: some of its streamlines could not be written; see the error message before this one",
                path.display()
            )
        );
    }
    assert_eq!(std::fs::read_dir(folder.0.path()).unwrap().count(), 0);
}

#[test]
fn batches_with_different_data_are_rejected() {
    let folder = Folder::new();
    let first = two();
    let mut second = two();
    second.per_streamline.insert("w".into(), Column::new(1, Scalars::F32(vec![1.0; 2])).unwrap());
    let mut third = two();
    third.per_streamline.insert("w".into(), Column::new(2, Scalars::F32(vec![1.0; 4])).unwrap());
    for name in ["a.trk", "a.trx"] {
        for pair in [[&first, &second], [&second, &first], [&second, &third]] {
            let path = folder.path(name);
            let options = TractogramOptions::default();
            let mut writer = TractogramWriter::create(&path, Some(&grid()), &options).unwrap();
            writer.take(pair[0].as_batch()).unwrap();
            // If a .trk starts without data, data of later batches are not stored and give no error.
            if name == "a.trx" || !pair[0].per_streamline.is_empty() {
                let error = writer.take(pair[1].as_batch()).unwrap_err().to_string();
                assert!(error.ends_with("give all streamlines the same data columns"), "{error}");
                assert!(writer.finish().is_err());
            }
            assert!(!path.exists());
        }
    }
}

#[test]
fn groups_of_other_streamlines_are_rejected() {
    let folder = Folder::new();
    let path = folder.path("a.trx");
    let mut writer = TractogramWriter::create(&path, Some(&grid()), &TractogramOptions::default()).unwrap();
    writer.take(two().as_batch()).unwrap();
    let mut groups = StreamlineGroups::default();
    groups.members.insert("g".into(), vec![2]);
    let expected = format!(
        "{}: group `g` has streamline 2 (counted from 0), but there are 2 streamlines; give groups that \
         belong to these streamlines",
        path.display()
    );
    assert_eq!(writer.finish_with_groups(&groups).unwrap_err().to_string(), expected);
}

#[test]
fn too_many_data_columns_are_an_error() {
    let folder = Folder::new();
    let path = folder.path("a.trx");
    let mut tractogram = two();
    for n in 0..257 {
        let column = Column::new(1, Scalars::U8(vec![n as u8; 2])).unwrap();
        tractogram.per_streamline.insert(format!("c{n:03}"), column);
    }
    write_tractogram(&path, &tractogram, Some(&grid()), &TractogramOptions::default()).unwrap();
    assert_eq!(read_tractogram(&path).unwrap().tractogram, tractogram);
    let reader = || TractogramReader::open(&path).unwrap();
    let data = reader().data();
    let error = reader().stream_with(&data, &mut Tractogram::new()).unwrap_err().to_string();
    assert!(error.contains("257 columns of data, more than the maximum of 256"), "{error}");
    let mut some = Tractogram::new();
    reader().stream_with(&data[1..], &mut some).unwrap();
    assert_eq!(some.per_streamline.len(), 256);
}

#[test]
fn failed_conversions_keep_the_old_result() {
    let folder = Folder::new();
    let (from, to) = (folder.path("a.trk"), folder.path("b.trx"));
    let whole = written(&folder, "a.trk");
    std::fs::write(&from, &whole[..whole.len() - 4]).unwrap();
    std::fs::write(&to, "old").unwrap();
    assert!(convert_tractogram(&from, &to, Some(&grid()), &TractogramOptions::default()).is_err());
    assert_eq!(std::fs::read(&to).unwrap(), b"old");
    assert_eq!(std::fs::read_dir(folder.0.path()).unwrap().count(), 2);
}

fn sound_files() -> Vec<(&'static str, Vec<u8>)> {
    let folder = Folder::new();
    let mut t = two();
    t.per_point.insert("fa".into(), Column::new(2, Scalars::F32(vec![0.5; 10])).unwrap());
    t.per_streamline.insert("w".into(), Column::new(1, Scalars::F64(vec![1.0, 2.0])).unwrap());
    t.groups.members.insert("g".into(), vec![1]);
    let write = |name: &'static str, layout| {
        let options = TractogramOptions { layout, ..TractogramOptions::default() };
        write_tractogram(&folder.path(name), &t, Some(&grid()), &options).unwrap();
        (name, std::fs::read(folder.path(name)).unwrap())
    };
    vec![
        write("a.tck", TrxLayout::Stored),
        write("a.trk", TrxLayout::Stored),
        write("a.trx", TrxLayout::Stored),
        write("b.trx", TrxLayout::Deflated),
        write("a.tck.gz", TrxLayout::Stored),
        write("a.trk.gz", TrxLayout::Stored),
    ]
}

/// Checks that reading a file gives either an error of one line or a valid tractogram.
fn survives(path: &Path) {
    match read_tractogram(path) {
        Ok(file) => file.tractogram.check().unwrap(),
        Err(error) => assert_eq!(error.to_string().lines().count(), 1, "{error}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn damaged_files_do_not_panic(which in 0usize..6, changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6), cut in any::<prop::sample::Index>(), cuts in any::<bool>()) {
        let (name, mut bytes) = sound_files().swap_remove(which);
        for (place, value) in changes {
            let at = place.index(bytes.len());
            bytes[at] = value;
        }
        if cuts {
            bytes.truncate(cut.index(bytes.len()));
        }
        let folder = Folder::new();
        std::fs::write(folder.path(name), bytes).unwrap();
        survives(&folder.path(name));
    }
}
