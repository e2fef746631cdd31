use crate::{
    DataType, Element, GradientReading, StoredGradients, WriteOptions, describe_image, read_components,
    read_gradients, read_image, read_stored, read_volume, read_volume_as, write_image,
};
use arcuate_core::{Affine, GradientTable, Grid, Volume};
use arcuate_test_support::real_data;
use proptest::prelude::*;
use std::path::PathBuf;

const HEADER: &str = "mrtrix image\ndim: 3,2,1,2\nvox: 2,2,2,nan\nlayout: +0,+1,+2,+3\ndatatype: Int16LE\n\
                      transform: 1,0,0,-10\ntransform: 0,1,0,20\ntransform: 0,0,1,30\n";

/// Writes a file whose header has these lines. The values are 0, 1, 2 … as 16-bit integers.
fn file(lines: &str, count: i16) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mif");
    let mut bytes = format!("{lines}file: . 512\nEND\n").into_bytes();
    bytes.resize(512, 0);
    bytes.extend((0..count).flat_map(i16::to_le_bytes));
    std::fs::write(&path, bytes).unwrap();
    (folder, path)
}

fn message(lines: &str, count: i16) -> String {
    let (folder, path) = file(lines, count);
    read_image(&path).unwrap_err().to_string().replace(&format!("{}/", folder.path().display()), "")
}

/// Returns the gradient table that a header stores.
fn table_of(stored: Option<StoredGradients>) -> Option<GradientTable> {
    stored.map(|stored| stored.table(&GradientReading::default()).unwrap())
}

fn survives<T: Element>(shape: [usize; 3], channels: usize, affine: Affine, bits: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    let grid = Grid::new(shape, affine).unwrap();
    let values: Vec<T> = bytemuck::pod_collect_to_vec(&bits[..grid.len() * channels * size_of::<T>()]);
    let volume = Volume::new(grid, channels, values).unwrap();
    let directions = vec![[0.0, 0.6, -0.8]; channels];
    let table = GradientTable::new(&directions, vec![1000.0; channels], 50.0).unwrap();
    // A single volume does not keep a gradient table, since the volume may be a map that was computed from
    // the table's series.
    let gradients = Some(table.clone()).filter(|_| channels > 1);
    let options = WriteOptions { gradients: gradients.clone(), ..WriteOptions::default() };
    for name in ["a.mif", "a.mif.gz"] {
        let path = folder.path().join(name);
        write_image(&path, &volume, &options).unwrap();
        let back: Volume<T> = read_volume_as(&path).unwrap();
        assert_eq!(
            bytemuck::cast_slice::<T, u8>(back.values()),
            bytemuck::cast_slice::<T, u8>(volume.values()),
            "{name} {}",
            T::DATA_TYPE
        );
        // The stored transform has unit axes, which are multiplied by voxel sizes. The tolerance is one or
        // two units in the last place of 200 mm.
        assert!(back.grid().affine().distance(&affine, shape) < 1e-12);
        assert_eq!(table_of(describe_image(&path).unwrap().gradients), gradients);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn every_type_survives_a_round_trip_with_any_affine(
        shape in proptest::array::uniform3(1usize..6),
        channels in 1usize..20,
        rows in proptest::array::uniform3((proptest::array::uniform3(-3.0f64..3.0), -150.0f64..150.0)),
        bits in proptest::collection::vec(any::<u8>(), 5 * 5 * 5 * 19 * 8),
    ) {
        let affine = Affine::from_rows(rows.map(|([x, y, z], t)| [x, y, z, t])).unwrap();
        let sizes = affine.voxel_sizes();
        prop_assume!(affine.determinant().abs() > 0.05 * sizes.iter().product::<f64>());
        survives::<u8>(shape, channels, affine, &bits);
        survives::<i8>(shape, channels, affine, &bits);
        survives::<u16>(shape, channels, affine, &bits);
        survives::<i16>(shape, channels, affine, &bits);
        survives::<u32>(shape, channels, affine, &bits);
        survives::<i32>(shape, channels, affine, &bits);
        survives::<u64>(shape, channels, affine, &bits);
        survives::<i64>(shape, channels, affine, &bits);
        survives::<f64>(shape, channels, affine, &bits);
    }
}

#[test]
fn layouts_permute_and_flip_axes() {
    // The image has 3 × 2 × 1 voxels and 2 volumes. Each value is its position in the file.
    let values = |layout: &str| {
        let (_folder, path) = file(&HEADER.replace("+0,+1,+2,+3", layout), 12);
        read_volume(&path).unwrap().into_values()
    };
    assert_eq!(values("+0,+1,+2,+3"), [0.0, 6.0, 1.0, 7.0, 2.0, 8.0, 3.0, 9.0, 4.0, 10.0, 5.0, 11.0]);
    assert_eq!(values("+1,+2,+3,+0"), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0]);
    assert_eq!(values("-0,+1,+2,+3"), [2.0, 8.0, 1.0, 7.0, 0.0, 6.0, 5.0, 11.0, 4.0, 10.0, 3.0, 9.0]);
    assert_eq!(values("+0,-1,-2,-3"), [9.0, 3.0, 10.0, 4.0, 11.0, 5.0, 6.0, 0.0, 7.0, 1.0, 8.0, 2.0]);
    // Ranks of axes may have gaps, since only their order matters.
    assert_eq!(values("+10,+20,+30,+40"), values("+0,+1,+2,+3"));
}

#[test]
fn headers_state_transform_and_scaling() {
    let lines = format!(
        "{HEADER}scaling: 5,0.5\ncomments: made by hand\ncomments: twice\ndw_scheme: 0,0,0,0\ndw_scheme: 0 0.6 -0.8 1000\n"
    );
    let (_folder, path) = file(&lines, 12);
    let image = read_image(&path).unwrap();
    assert_eq!(image.volume.values()[1], 8.0);
    assert_eq!(*image.volume.grid().affine(), Affine::scaling([2.0; 3], [-10.0, 20.0, 30.0]));
    let table = table_of(image.gradients).unwrap();
    assert_eq!((table.directions()[1], table.b_values()), ([0.0, 0.6, -0.8], &[0.0, 1000.0][..]));
    assert_eq!(table_of(read_gradients(&path, &Affine::identity(), Some(2)).ok()).unwrap(), table);
    let described = describe_image(&path).unwrap();
    assert_eq!(described.scaling, Some((0.5, 5.0)));
    assert_eq!(described.description, "made by hand; twice");
    assert_eq!((described.format.as_str(), described.orientation().as_str()), ("MRtrix image", "RAS"));
    assert_eq!(described.dimensions, [3, 2, 1, 2]);
    assert_eq!(described.data_type, DataType::Int16);
}

#[test]
fn tables_of_wrong_length_are_ignored_with_a_warning() {
    let (_folder, path) = file(&format!("{HEADER}dw_scheme: 0,0,0,0\n"), 12);
    let described = describe_image(&path).unwrap();
    assert_eq!(described.gradients, None);
    assert_eq!(described.warnings, ["its dw_scheme has 1 rows for 2 volumes; it is ignored"]);
    let message = read_gradients(&path, &Affine::identity(), None).unwrap_err().to_string();
    assert_eq!(
        message,
        format!(
            "{}: the image header has no gradient table with one row per volume; give a gradient table of \
             its own",
            path.display()
        )
    );
}

#[test]
fn bits_and_complex_values_are_read() {
    let bits = HEADER.replace("Int16LE", "Bit");
    let (_folder, path) = file(&bits, 0);
    let mut bytes = std::fs::read(&path).unwrap();
    bytes.extend([0b1100_0000, 0b0001_0000]);
    std::fs::write(&path, &bytes).unwrap();
    let expected = [1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    assert_eq!(read_volume(&path).unwrap().values(), expected);

    let complex = HEADER.replace("Int16LE", "CFloat32BE").replace("3,2,1,2", "2,1,1,2");
    let (_folder, path) = file(&complex, 0);
    let mut bytes = std::fs::read(&path).unwrap();
    bytes.extend((1..=8).flat_map(|v| (v as f32).to_be_bytes()));
    std::fs::write(&path, &bytes).unwrap();
    let (volume, data_type) = read_components::<f64>(&path).unwrap();
    assert_eq!(data_type, DataType::Complex64);
    assert_eq!(volume.values(), [1.0, 2.0, 5.0, 6.0, 3.0, 4.0, 7.0, 8.0]);
    assert!(read_volume(&path).unwrap_err().to_string().contains("complex values"));
}

#[test]
fn headers_may_refer_to_separate_data_files() {
    let (folder, path) = file(HEADER, 12);
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(folder.path().join("b c.dat"), &whole[512..]).unwrap();
    let header = folder.path().join("b.mih");
    std::fs::write(&header, format!("{HEADER}file: b c.dat 0\nEND\n")).unwrap();
    assert_eq!(read_volume(&header).unwrap(), read_volume(&path).unwrap());
    assert_eq!(describe_image(&header).unwrap().format, "MRtrix image, header and image in two files");
}

#[test]
fn data_files_outside_the_folder_are_rejected() {
    for name in ["/etc/passwd", "../a.dat", "c/../../a.dat"] {
        let folder = tempfile::tempdir().unwrap();
        let header = folder.path().join("b.mif");
        std::fs::write(&header, format!("{HEADER}file: {name} 0\nEND\n")).unwrap();
        let expected = format!("the data file `{name}` is not in the folder of this header file");
        assert_eq!(read_volume(&header).unwrap_err().problem(), expected);
        assert_eq!(describe_image(&header).unwrap_err().problem(), expected);
    }
}

#[test]
fn contradictory_headers_are_reported_or_rejected() {
    let warnings = |header: &str, values: i16| {
        let (_folder, path) = file(header, values);
        describe_image(&path).unwrap().warnings
    };
    let turned = HEADER.replace("vox: 2,2,2,nan", "vox: 2,-2,nan").replace("dim: 3,2,1,2", "dim: 3,2,2,1");
    assert_eq!(
        warnings(&turned, 12),
        [
            "its header has no voxel size along z (vox); 1 is taken",
            "its header has a negative voxel size along y (vox); the size without its sign is taken"
        ]
    );
    let zero = HEADER.replace("vox: 2,2,2,nan", "vox: 0,2,2");
    assert_eq!(warnings(&zero, 12), ["its header has no voxel size along x (vox); 1 is taken"]);
    let scaled = HEADER.replace("transform: 0,1,0,20", "transform: 0,3,0,20");
    let contradiction = "its voxel sizes 2.000 × 2.000 × 2.000 mm (vox) contradict its affine";
    assert!(warnings(&scaled, 12)[0].starts_with(contradiction), "{:?}", warnings(&scaled, 12));
    // The file has data for one more volume, and for a part of one.
    assert!(warnings(HEADER, 18)[0].contains("enough for 1 more volumes"));
    assert_eq!(warnings(HEADER, 15), Vec::<String>::new());
    assert_eq!(warnings(HEADER, 11), ["the image data end early (22 of 24 bytes)"]);
    for offset in ["0", "20", ""] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.mif");
        std::fs::write(&path, format!("{HEADER}file: . {offset}\nEND\n{}", " ".repeat(500))).unwrap();
        let problem = read_volume(&path).unwrap_err().problem().to_owned();
        assert!(problem.starts_with("its header puts the data at byte "), "{problem}");
    }
}

#[test]
fn headers_with_separate_data_need_no_end_line() {
    let (folder, path) = file(HEADER, 12);
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(folder.path().join("b.dat"), &whole[512..]).unwrap();
    let header = folder.path().join("b.mih");
    let text = format!("{HEADER}file: b.dat 0\n");
    std::fs::write(&header, &text).unwrap();
    assert_eq!(read_volume(&header).unwrap(), read_volume(&path).unwrap());
    // A truncated header is never accepted as complete.
    for end in 13..text.len() {
        std::fs::write(&header, &text[..end]).unwrap();
        let message = read_volume(&header).unwrap_err().to_string();
        assert!(message.contains("the image header has no END: the file ends early"), "{end}: {message}");
    }
}

#[test]
fn errors_name_the_header_that_refers_to_an_unreadable_file() {
    for (line, problem) in [
        ("b.dat 0", "b.dat): no such file; check the path"),
        (
            "\0b 0",
            "\\u{0}b): cannot be read (file name contained an unexpected NUL byte); check that the file is complete and the disk is well",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let header = folder.path().join("b.mih");
        std::fs::write(&header, format!("{HEADER}file: {line}\nEND\n")).unwrap();
        let message = read_volume(&header).unwrap_err().to_string();
        let message = message.replace(&format!("{}/", folder.path().display()), "");
        assert_eq!(message, format!("b.mih (file {problem}"));
    }
}

#[test]
fn keys_and_comments_survive_a_round_trip() {
    let lines = format!(
        "{HEADER}comments: first\ncomments: second\nEchoTime: 0.08\ncommand_history: a -b\ncommand_history: c\n"
    );
    let (folder, path) = file(&lines.replace("vox: 2,2,2,nan", "vox: 2,2,2,2.5"), 12);
    let (volume, notes) = read_stored::<i16>(&path).unwrap();
    assert_eq!(notes.comments, ["first", "second"]);
    let keys = [("EchoTime", "0.08"), ("command_history", "a -b"), ("command_history", "c")];
    assert_eq!(notes.keys, keys.map(|(key, value)| (key.to_owned(), value.to_owned())));
    assert_eq!(notes.repetition_time, Some(2.5));
    let copy = folder.path().join("b.mif");
    let options = WriteOptions { notes: notes.clone(), ..WriteOptions::default() };
    write_image(&copy, &volume, &options).unwrap();
    assert_eq!(read_stored::<i16>(&copy).unwrap(), (volume.clone(), notes.clone()));
    // An invalid key must not become a line of the header.
    let mut spoilt = notes.clone();
    for key in ["dim", "END", "a\nEND", "a:b", ""] {
        spoilt.keys.push((key.to_owned(), "9,9,9".to_owned()));
    }
    spoilt.comments.push("third\nEND".to_owned());
    write_image(&copy, &volume, &WriteOptions { notes: spoilt, ..WriteOptions::default() }).unwrap();
    let (again, back) = read_stored::<i16>(&copy).unwrap();
    assert_eq!((again, back.keys, &back.comments[2]), (volume, notes.keys, &"third END".to_owned()));
}

#[test]
fn damaged_files_are_reported_with_advice() {
    let change = |from: &str, to: &str| {
        assert!(HEADER.contains(from));
        message(&HEADER.replace(from, to), 12)
    };
    assert_eq!(
        message(HEADER, 11),
        "a.mif: the image data end early (22 of 24 bytes); copy or download the file again"
    );
    assert_eq!(
        change("mrtrix image", "text"),
        "a.mif: the file is not an MRtrix image (it does not begin with `mrtrix image`); check the file, or \
         first convert the image"
    );
    assert_eq!(change("dim:", "dum:"), "a.mif: its header has no `dim` line; repair the image header");
    let impossible = "is not a possible image size; repair the image header";
    assert_eq!(change("3,2,1,2", "3,0,1,2"), format!("a.mif: 3,0,1,2 {impossible}"));
    assert_eq!(change("3,2,1,2", "-3,2,1,2"), format!("a.mif: -3,2,1,2 {impossible}"));
    assert_eq!(
        change("3,2,1,2", "9000000000000,9000000000000,1,2"),
        format!("a.mif: 9000000000000,9000000000000,1,2 {impossible}")
    );
    assert_eq!(
        change("3,2,1,2", "1000000,1000000,1000,2"),
        "a.mif: the image data end early (24 of 4000000000000000 bytes); copy or download the file again"
    );
    for layout in ["+0,+0,+1,+2", "+0,+1,+2", "a,b,c,d"] {
        assert_eq!(
            change("+0,+1,+2,+3", layout),
            format!(
                "a.mif: the layout `{layout}` in the header does not give an order of the image dimensions; \
                 repair the image header"
            )
        );
    }
    assert_eq!(
        change("Int16LE", "Int24LE"),
        "a.mif: Arcuate does not read images of the data type `Int24LE`; convert the image to Float32LE"
    );
    assert_eq!(
        change("transform: 0,1,0,20\n", ""),
        "a.mif: its transform has 8 numbers, not 12; repair the image header"
    );
    assert_eq!(
        change("0,1,0,20", "0,nan,0,20"),
        "a.mif (transform): the affine has values that are not numbers; repair the image header"
    );
    assert_eq!(
        message(&format!("{HEADER}dw_scheme: 0,0,0\ndw_scheme: 0,0,0\n"), 12),
        "a.mif (dw_scheme): row 1 has 3 numbers; give x, y, z and b in each row"
    );
    assert_eq!(
        message(&format!("{HEADER}scaling: 1\n"), 12),
        "a.mif: its `scaling` line does not give an offset and a multiplier; repair the image header"
    );
    let (folder, path) = file(HEADER, 12);
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..100]).unwrap();
    assert_eq!(
        read_image(&path).unwrap_err().to_string().replace(&format!("{}/", folder.path().display()), ""),
        "a.mif: the image header has no END: the file ends early; copy or download the file again"
    );
}

#[test]
fn truncated_compressed_files_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mif.gz");
    let values = (0..4000u32).map(|n| n.wrapping_mul(2654435761)).collect();
    let volume = Volume::new(Grid::new([10, 10, 10], Affine::identity()).unwrap(), 4, values).unwrap();
    write_image(&path, &volume, &WriteOptions::default()).unwrap();
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    let message = read_image(&path).unwrap_err().to_string();
    let expected = format!("{}: the compressed data end early (after ", path.display());
    assert!(message.starts_with(&expected), "{message}");
    assert!(message.ends_with(" decompressed bytes); copy or download the file again"), "{message}");
    assert!(describe_image(&path).is_ok(), "the header is in the half that is left");
}

#[test]
fn damaged_files_do_not_panic() {
    let (_folder, path) = file(&format!("{HEADER}dw_scheme: 0,0,0,0\ndw_scheme: 1,0,0,1000\n"), 12);
    let whole = std::fs::read(&path).unwrap();
    for at in 0..260 {
        for value in [0, b'-', b'9', b',', b'\n', 0xff] {
            let mut bytes = whole.clone();
            bytes[at] = value;
            std::fs::write(&path, bytes).unwrap();
            let _ = read_image(&path);
        }
    }
}

#[test]
fn real_images_are_read() {
    let Some(path) = real_data("mrtrix/dwi_b3000.mif") else { return };
    let image = read_image(&path).unwrap();
    assert_eq!((image.volume.grid().shape(), image.volume.channels()), ([6, 8, 9], 68));
    let table = table_of(image.gradients).unwrap();
    assert_eq!(table.len(), 68);
    assert_eq!(table.b_values()[2], 2950.0);
    // The file stores x and y in reverse, which does not reverse the voxel axes.
    assert_eq!(describe_image(&path).unwrap().orientation(), "RAS");
    let Some(path) = real_data("mrtrix/mask_multishell.mif") else { return };
    let mask = read_image(&path).unwrap();
    assert_eq!((mask.data_type, mask.gradients), (DataType::Bit, None));
    assert!(mask.volume.values().iter().all(|&v| v == 0.0 || v == 1.0));
}

#[test]
fn unreadable_transforms_are_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let (mut written, mut refused) = (0, 0);
    for n in 0..2000 {
        // Two axes are a millionth of a radian apart, so the affine is barely invertible before rounding.
        let sine = 1e-6 * (1.0 + 1.2e-16 * f64::from(n % 8));
        let length = 0.7 + 1e-3 * f64::from(n);
        let (x, y) = (length * (1.0 - sine * sine).sqrt(), length * sine);
        let affine = Affine::from_rows([[1.3, x, 0.0, 0.0], [0.0, y, 0.0, 0.0], [0.0, 0.0, 2.0, 0.0]]);
        let Ok(grid) = Grid::new([2, 1, 1], affine.unwrap()) else { continue };
        let volume = Volume::filled(grid, 1, 1.0f32);
        let path = folder.path().join(format!("{n}.mif.gz"));
        match write_image(&path, &volume, &WriteOptions::default()) {
            Ok(()) => {
                describe_image(&path).unwrap();
                written += 1;
            }
            Err(error) => {
                let message = error.to_string();
                assert!(message.contains("have no inverse; write the image as .nii.gz"), "{message}");
                assert!(!path.exists());
                refused += 1;
            }
        }
    }
    assert!(written > 100 && refused > 0, "{written} {refused}");
}
