#![cfg(test)]

use super::*;
use hdf5_pure::FileBuilder;
use std::path::PathBuf;

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn put(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// Reads these bytes as a transform and returns the problem in the error.
    fn problem(&self, bytes: impl AsRef<[u8]>) -> String {
        let path = self.put("damaged", bytes);
        assert!(is_itk_transform(&path).unwrap());
        read_itk_transforms(&path).unwrap_err().problem().to_owned()
    }
}

const ENTRIES: [f64; 12] = [1.1, 0.1, 0.0, -0.05, 0.95, 0.02, 0.01, 0.0, 1.02, 3.0, -4.0, 5.0];
const CENTRE: [f64; 3] = [10.0, 20.0, -5.0];

fn affine() -> ItkTransform {
    ItkTransform { kind: "AffineTransform".to_owned(), parameters: ENTRIES.to_vec(), fixed: CENTRE.to_vec() }
}

const AFFINE: &str = "#Insight Transform File V1.0\n#Transform 0\nTransform: AffineTransform_double_3_3\n\
                      Parameters: 1.1 0.1 0 -0.05 0.95 0.02 0.01 0 1.02 3 -4 5\nFixedParameters: 10 20 -5\n";

/// Creates a vector of a MATLAB file of level 4.
fn vector(name: &str, values: &[f64], is_single: bool, big_endian: bool) -> Vec<u8> {
    let kind = 10 * u32::from(is_single) + 1000 * u32::from(big_endian);
    let words = [kind, values.len() as u32, 1, 0, name.len() as u32 + 1];
    let word = |word: u32| if big_endian { word.to_be_bytes() } else { word.to_le_bytes() };
    let number = |value: &f64| match (is_single, big_endian) {
        (true, true) => (*value as f32).to_be_bytes().to_vec(),
        (true, false) => (*value as f32).to_le_bytes().to_vec(),
        (false, true) => value.to_be_bytes().to_vec(),
        (false, false) => value.to_le_bytes().to_vec(),
    };
    let head = words.into_iter().flat_map(word).chain(name.bytes()).chain([0]);
    head.chain(values.iter().flat_map(number)).collect()
}

fn matlab(is_single: bool, big_endian: bool) -> Vec<u8> {
    let name = if is_single { "AffineTransform_float_3_3" } else { "AffineTransform_double_3_3" };
    [vector(name, &ENTRIES, is_single, big_endian), vector("fixed", &CENTRE, is_single, big_endian)].concat()
}

#[test]
fn text_and_matlab_transforms_agree() {
    let folder = Folder::new();
    let read = |bytes: &[u8]| {
        let path = folder.put("one", bytes);
        assert_eq!(itk_transform_kinds(&path).unwrap(), ["AffineTransform"]);
        read_itk_transforms(&path).unwrap()
    };
    assert_eq!(read(AFFINE.as_bytes()), [affine()]);
    assert_eq!(read(AFFINE.replace('\n', "\r\n").as_bytes()), [affine()]);
    assert_eq!(read(&matlab(false, false)), [affine()]);
    assert_eq!(read(&matlab(false, true)), [affine()]);
    let rounded: Vec<f64> = ENTRIES.iter().map(|&value| f64::from(value as f32)).collect();
    for big_endian in [false, true] {
        assert_eq!(
            read(&matlab(true, big_endian)),
            [ItkTransform { parameters: rounded.clone(), ..affine() }]
        );
    }
}

#[test]
fn composite_transforms_apply_the_last_one_first() {
    let folder = Folder::new();
    let more =
        "#Transform 1\nTransform: TranslationTransform_float_3_3\nParameters: 1 2 3\nFixedParameters:\n";
    let text = AFFINE
        .replace("#Transform 0", "#Transform 0\nTransform: CompositeTransform_double_3_3\n#Transform 1");
    let path = folder.put("a.txt", text + more);
    let read = read_itk_transforms(&path).unwrap();
    assert_eq!(itk_transform_kinds(&path).unwrap(), ["TranslationTransform", "AffineTransform"]);
    assert_eq!((read[0].parameters.as_slice(), &read[1]), ([1.0, 2.0, 3.0].as_slice(), &affine()));
    assert!(read[0].fixed.is_empty());
}

/// A file written by SimpleITK 2.5.7: an affine transform, then displacements of 0, 1/8, 2/8 … on 2 × 2 × 2
/// voxels.
const COMPOSITE: &[u8] = include_bytes!("../../tests/itk_composite.h5");

#[test]
fn a_composite_of_simpleitk_is_read() {
    let folder = Folder::new();
    let path = folder.put("a.h5", COMPOSITE);
    assert!(is_itk_transform(&path).unwrap());
    assert_eq!(itk_transform_kinds(&path).unwrap(), ["DisplacementFieldTransform", "AffineTransform"]);
    let read = read_itk_transforms(&path).unwrap();
    assert_eq!(read[1], affine());
    assert_eq!(read[0].parameters, (0..24).map(|n| f64::from(n) / 8.0).collect::<Vec<_>>());
    let lattice =
        [2.0, 2.0, 2.0, -10.0, -15.0, -20.0, 20.0, 30.0, 40.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    assert_eq!(read[0].fixed, lattice);
}

/// Creates an HDF5 file with transforms in groups of these names, in single precision and with compressed
/// displacements.
fn hdf5(types: &[&str], groups: &[&str], parameters: &str) -> Vec<u8> {
    let mut builder = FileBuilder::new();
    let mut all = builder.create_group("TransformGroup");
    for (kind, name) in types.iter().zip(groups) {
        let mut group = all.create_group(name);
        group.create_dataset("TransformType").with_vlen_strings(&[kind]);
        if kind.starts_with("Displacement") {
            let values: Vec<f32> = (0..600).map(|n| (n as f32).sin()).collect();
            group.create_dataset(parameters).with_f32_data(&values).with_chunks(&[128]).with_deflate(6);
            group.create_dataset("TransformFixedParameters").with_f64_data(&[1.0; 18]);
        } else if !kind.starts_with("Composite") {
            group.create_dataset(parameters).with_f64_data(&ENTRIES);
            group.create_dataset("TransformFixedParameters").with_f64_data(&CENTRE);
        }
        all.add_group(group.finish());
    }
    builder.add_group(all.finish());
    builder.finish().unwrap()
}

const TYPES: [&str; 12] = {
    let mut types = ["AffineTransform_double_3_3"; 12];
    types[0] = "CompositeTransform_float_3_3";
    types[2] = "DisplacementFieldTransform_float_3_3";
    types
};
const NAMES: [&str; 12] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"];

#[test]
fn hdf5_groups_are_ordered_by_number_and_compressed_floats_are_read() {
    let folder = Folder::new();
    for parameters in ["TransformParameters", "TranformParameters"] {
        let path = folder.put("a.h5", hdf5(&TYPES, &NAMES, parameters));
        let read = read_itk_transforms(&path).unwrap();
        assert_eq!(read.len(), 11);
        // The displacement field is the third of twelve transforms. The first transform is the composite.
        let field: Vec<f64> = (0..600).map(|n| f64::from((n as f32).sin())).collect();
        assert_eq!(read[9].parameters, field, "{parameters}");
        assert!(read[10] == affine() && read[8] == affine());
    }
}

#[test]
fn damaged_files_are_reported() {
    let folder = Folder::new();
    let composite = "#Insight Transform File V1.0\nTransform: CompositeTransform_double_3_3\n";
    let mut mat = matlab(false, false);
    mat.extend(vector("TranslationTransform_double_3_3", &[1.0; 3], false, false));
    let replaced = |from: &str, to: &str| AFFINE.replace(from, to).into_bytes();
    let large = vector("AffineTransform_double_3_3", &[], false, false);
    let large = [&large[..4], &[255, 255, 255, 127], &large[8..]].concat();
    for (bytes, problem) in [
        (
            replaced("3_3", "2_2"),
            "the transform `AffineTransform_double_2_2` in the file is not three-dimensional",
        ),
        (replaced("-0.05", "x"), "line 4 has `x`, which is not a number"),
        (replaced("-0.05", "nan"), "the transform of type AffineTransform has values that are not numbers"),
        (replaced("Transform: ", "Transfer: "), "line 3 is none of a transform"),
        (replaced("Parameters: 1.1", "1.1"), "line 4 has no colon"),
        (b"#Insight Transform File V1.0\n".to_vec(), "it holds no transform"),
        (composite.into(), "its composite transform consists of nothing"),
        ([composite, composite].concat().into(), "it holds a composite transform in another"),
        (
            [AFFINE, AFFINE].concat().into(),
            "it holds several transforms without saying that they are one (a composite)",
        ),
        (mat, "it holds several transforms without saying that they are one (a composite)"),
        (matlab(false, false)[..150].to_vec(), "the variable at byte 143 is damaged or ends early"),
        (matlab(false, false)[..100].to_vec(), "the variable at byte 0 is damaged or ends early"),
        (large, "the variable at byte 0 is damaged or ends early"),
        (vector("x", &[1.0], false, false), "the transform `x` in the file is not three-dimensional"),
        (
            b"MATLAB 5.0 MAT-file, Platform".to_vec(),
            "it is a MATLAB file of level 5, and ITK's transforms are of level 4",
        ),
        (
            FileBuilder::new().finish().unwrap(),
            "it is an HDF5 file without ITK's transforms (TransformGroup)",
        ),
        (
            hdf5(&["CompositeTransform_double_3_3"], &["0"], "TransformParameters"),
            "its composite transform consists of nothing",
        ),
    ] {
        assert_eq!(folder.problem(&bytes), problem);
    }
    for problem in [
        folder.problem(hdf5(&TYPES[..2], &["0", "two"], "TransformParameters")),
        folder.problem(&COMPOSITE[..COMPOSITE.len() / 2]),
    ] {
        assert!(problem.starts_with("the file cannot be read as HDF5 ("), "{problem}");
    }
    for bytes in ["1 0 0 0\n", "", "#Insight", "\0"] {
        assert!(!is_itk_transform(&folder.put("other", bytes)).unwrap(), "{bytes}");
    }
    let error = read_itk_transforms(&folder.put("other", "1 0 0 4\n")).unwrap_err();
    assert_eq!(error.problem(), "it is not a transform of ITK (text, MATLAB level 4, HDF5)");
}

#[test]
fn damaged_files_do_not_panic() {
    let folder = Folder::new();
    let compressed = hdf5(&TYPES[..3], &NAMES[..3], "TransformParameters");
    for whole in [AFFINE.as_bytes(), &matlab(false, false), &matlab(true, true), COMPOSITE, &compressed] {
        // Every byte of a short file is changed. In a long file, as many evenly spaced bytes are changed.
        let stride = (whole.len() / 300).max(1);
        for (n, at) in (0..whole.len()).step_by(stride).enumerate() {
            let mut bytes = whole.to_vec();
            bytes[at] = [0, 1, 0x7f, 0x80, 0xff][n % 5];
            let _ = read_itk_transforms(&folder.put("a", &bytes));
            let _ = read_itk_transforms(&folder.put("a", &whole[..at]));
        }
    }
}
