use crate::{
    DataType, Element, HeaderNotes, WriteOptions, describe_image, lost_in, read_components, read_image,
    read_labels, read_mask, read_stored, read_volume, read_volume_as, write_image,
};
use arcuate_core::{Affine, Grid, Result, Volume};
use arcuate_test_support::real_data;
use nifti::{IntoNdArray, NiftiObject};
use proptest::prelude::*;
use std::path::{Path, PathBuf};

/// A temporary folder for the files of one test.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn put(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// Returns the error message for a file with these bytes.
    fn message(&self, name: &str, bytes: &[u8]) -> String {
        let path = self.put(name, bytes);
        self.strip(&read_image(&path).unwrap_err())
    }

    fn strip(&self, error: &arcuate_core::Error) -> String {
        error.to_string().replace(&format!("{}/", self.0.path().display()), "")
    }
}

fn oblique() -> Affine {
    Affine::from_rows([[-1.9, 0.3, 0.2, 90.0], [0.25, 1.8, -0.5, -120.0], [0.15, 0.45, 2.4, -60.0]]).unwrap()
}

fn ramp<T: Element>(shape: [usize; 3], channels: usize, affine: Affine) -> Volume<T> {
    let grid = Grid::new(shape, affine).unwrap();
    let values = (0..grid.len() * channels).map(|n| T::from_i64((n % 120) as i64).unwrap()).collect();
    Volume::new(grid, channels, values).unwrap()
}

/// Returns the bytes of a small file, which tests modify: 4 × 3 × 2 voxels, two volumes, 16-bit integers.
fn small(folder: &Folder, name: &str, options: &WriteOptions) -> Vec<u8> {
    let path = folder.path(name);
    write_image(&path, &ramp::<i16>([4, 3, 2], 2, oblique()), options).unwrap();
    std::fs::read(path).unwrap()
}

fn with(bytes: &[u8], at: usize, change: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at..at + change.len()].copy_from_slice(change);
    bytes
}

fn nifti_2() -> WriteOptions {
    WriteOptions { nifti_2: true, ..WriteOptions::default() }
}

fn survives<T: Element>(shape: [usize; 3], channels: usize, affine: Affine, bits: &[u8]) -> Result<()> {
    let folder = Folder::new();
    let grid = Grid::new(shape, affine)?;
    let values: Vec<T> = bytemuck::pod_collect_to_vec(&bits[..grid.len() * channels * size_of::<T>()]);
    let volume = Volume::new(grid, channels, values)?;
    for (name, options) in [
        ("a.nii", WriteOptions::default()),
        ("a.nii.gz", WriteOptions::default()),
        ("b.nii", nifti_2()),
        ("b.nii.gz", nifti_2()),
    ] {
        let path = folder.path(name);
        write_image(&path, &volume, &options)?;
        let back: Volume<T> = read_volume_as(&path)?;
        // The test compares bits, because some of the random numbers are NaN.
        assert_eq!(
            bytemuck::cast_slice::<T, u8>(back.values()),
            bytemuck::cast_slice::<T, u8>(volume.values()),
            "{name} {}",
            T::DATA_TYPE
        );
        let apart = back.grid().affine().distance(&affine, shape);
        // A NIfTI-1 affine is stored in f32, so 200 mm have 24 bits. A NIfTI-2 affine is exact.
        assert!(apart <= if options.nifti_2 { 0.0 } else { 1e-4 }, "{name}: {apart} mm");
    }
    Ok(())
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
        survives::<u8>(shape, channels, affine, &bits).unwrap();
        survives::<i8>(shape, channels, affine, &bits).unwrap();
        survives::<u16>(shape, channels, affine, &bits).unwrap();
        survives::<i16>(shape, channels, affine, &bits).unwrap();
        survives::<u32>(shape, channels, affine, &bits).unwrap();
        survives::<i32>(shape, channels, affine, &bits).unwrap();
        survives::<u64>(shape, channels, affine, &bits).unwrap();
        survives::<i64>(shape, channels, affine, &bits).unwrap();
        survives::<f64>(shape, channels, affine, &bits).unwrap();
        // The conversion from f32 to f64 makes signalling NaNs quiet. So this test uses integers instead of
        // arbitrary bits.
        let whole: Vec<u8> = bits.iter().flat_map(|&b| f32::from(b).to_ne_bytes()).collect();
        survives::<f32>(shape, channels, affine, &whole).unwrap();
    }
}

#[test]
fn large_images_span_several_blocks_and_batches() {
    // The first image has more voxels than a batch of one volume. The second one has more volumes than a
    // batch of several.
    let folder = Folder::new();
    for (shape, channels) in [([130, 101, 99], 1), ([37, 29, 31], 21)] {
        let volume = {
            let grid = Grid::new(shape, oblique()).unwrap();
            let values =
                (0..grid.len() * channels).map(|n| (n as u32).wrapping_mul(2654435761) >> 8).collect();
            Volume::new(grid, channels, values).unwrap()
        };
        for name in ["large.nii", "large.nii.gz"] {
            let path = folder.path(name);
            write_image(&path, &volume, &WriteOptions::default()).unwrap();
            assert_eq!(read_volume_as::<u32>(&path).unwrap().values(), volume.values());
        }
    }
}

#[test]
fn sizes_beyond_nifti_1_become_nifti_2() {
    let folder = Folder::new();
    let path = folder.path("long.nii");
    let volume = ramp::<u8>([40_000, 1, 2], 1, Affine::identity());
    write_image(&path, &volume, &WriteOptions::default()).unwrap();
    assert_eq!(describe_image(&path).unwrap().format, "NIfTI-2");
    assert_eq!(read_volume_as::<u8>(&path).unwrap(), volume);
}

#[test]
fn the_nifti_crate_reads_what_we_write() {
    let folder = Folder::new();
    let volume = ramp::<i16>([4, 3, 5], 3, oblique());
    for name in ["a.nii", "a.nii.gz"] {
        let path = folder.path(name);
        write_image(&path, &volume, &WriteOptions::default()).unwrap();
        let object = nifti::ReaderOptions::new().read_file(&path).unwrap();
        let header = object.header();
        assert_eq!(header.dim, [4, 4, 3, 5, 3, 1, 1, 1]);
        assert_eq!(header.srow_x, [-1.9, 0.3, 0.2, 90.0]);
        assert_eq!((header.sform_code, header.qform_code), (1, 0), "these axes are not perpendicular");
        let array = object.into_volume().into_ndarray::<f32>().unwrap();
        for voxel in 0..volume.grid().len() {
            let [i, j, k] = volume.grid().coordinates(voxel);
            for channel in 0..3 {
                assert_eq!(array[[i, j, k, channel]], f32::from(volume.voxel(voxel)[channel]));
            }
        }
    }
}

#[test]
fn perpendicular_axes_are_in_the_qform_too() {
    let folder = Folder::new();
    let path = folder.path("a.nii");
    let (s, c) = 30f64.to_radians().sin_cos();
    let affine = Affine::from_rows([
        [-2.0 * c, -2.0 * s, 0.0, 10.0],
        [-2.0 * s, 2.0 * c, 0.0, -5.0],
        [0.0, 0.0, 3.0, 3.0],
    ]);
    let affine = affine.unwrap();
    for options in [WriteOptions::default(), nifti_2()] {
        write_image(&path, &ramp::<u8>([4, 3, 2], 1, affine), &options).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let sform_code = if options.nifti_2 { 348 } else { 254 };
        let without_sform = folder.put("qform.nii", &with(&bytes, sform_code, &[0, 0]));
        let described = describe_image(&without_sform).unwrap();
        assert_eq!(described.affine_source, "qform");
        // The quaternion components of a NIfTI-1 header are stored in f32.
        assert!(described.grid.affine().distance(&affine, [4, 3, 2]) < 1e-5);
        assert_eq!(described.orientation(), "LAS");
    }
}

#[test]
fn transforms_are_selected_as_in_the_standard() {
    let folder = Folder::new();
    let path = folder.path("a.nii");
    write_image(&path, &ramp::<u8>([5, 3, 1], 1, Affine::scaling([2.0; 3], [1.0, 2.0, 3.0])), &nifti_2())
        .unwrap();
    let whole = std::fs::read(&path).unwrap();
    let describe = |bytes: &[u8]| describe_image(&folder.put("changed.nii", bytes)).unwrap();
    let plain = describe(&whole);
    assert_eq!((plain.affine_source, plain.warnings.len()), ("sform", 0));
    // The qform is moved by 0.1 mm, which is less than a tenth of a voxel, and by 0.3 mm, which is more.
    assert_eq!(describe(&with(&whole, 376, &1.1f64.to_le_bytes())).warnings.len(), 0);
    let moved = describe(&with(&whole, 376, &1.3f64.to_le_bytes()));
    assert_eq!(moved.grid, plain.grid);
    assert_eq!(moved.warnings, ["its sform and qform disagree by up to 0.300 mm; the sform is used"]);
    // The code of the transform in use states the standard space.
    let space = |code: i32| describe(&with(&whole, 348, &code.to_le_bytes())).standard_space;
    assert_eq!([1, 2, 3, 4, 5].map(space), [None, None, Some("Talairach"), Some("MNI"), None]);
    // The sform is invalid, but the qform is valid.
    let broken = describe(&with(&whole, 400, &f64::NAN.to_le_bytes()));
    assert_eq!(broken.warnings, ["its sform is not a valid transform; the qform is used"]);
    assert_eq!(broken.grid, plain.grid);
    // Without both transforms, the centre of the image is at the origin.
    let neither = describe(&with(&with(&whole, 344, &[0; 4]), 348, &[0; 4]));
    assert_eq!(neither.grid, Grid::unplaced([5, 3, 1], [2.0; 3]).unwrap());
    assert_eq!(neither.orientation(), "LAS");
    assert_eq!(neither.affine_source, "voxel sizes only");
    assert_eq!(
        neither.warnings,
        ["its header does not state the position of the voxels (neither sform nor qform). As in FSL \
             and nibabel, x is assumed to run from right to left (MRtrix: from left to right)"]
    );
    // The unit of length is metre, micrometre, or not stated.
    for (unit, factor) in [(1, 1000.0), (3, 0.001), (0, 1.0)] {
        let other = describe(&with(&whole, 500, &[unit]));
        assert_eq!(
            *other.grid.affine(),
            Affine::scaling([2.0 * factor; 3], [1.0, 2.0, 3.0].map(|o| o * factor))
        );
    }
}

#[test]
fn images_without_orientation_survive_a_round_trip() {
    let folder = Folder::new();
    let sizes = [2.1f32, 1.9, 3.3].map(f64::from);
    let grid = Grid::unplaced([5, 4, 3], sizes).unwrap();
    let volume = Volume::new(grid, 1, (0..60).map(|n| n as f32).collect()).unwrap();
    for (name, options) in [("a.nii", WriteOptions::default()), ("b.nii.gz", nifti_2())] {
        let path = folder.path(name);
        write_image(&path, &volume, &options).unwrap();
        assert_eq!(describe_image(&path).unwrap().affine_source, "voxel sizes only");
        assert_eq!(read_volume(&path).unwrap(), volume, "{name}");
    }
    // The header has no position: both codes are 0. The fields of both transforms are 0 too, for programs
    // that ignore the codes.
    let bytes = std::fs::read(folder.path("a.nii")).unwrap();
    assert!(bytes[252..328].iter().all(|&byte| byte == 0));

    // MRtrix's format must store a transform, since MRtrix reverses x if there is none.
    let path = folder.path("a.mif");
    write_image(&path, &volume, &WriteOptions::default()).unwrap();
    let stated = describe_image(&path).unwrap();
    assert_eq!((stated.affine_source, stated.orientation().as_str()), ("transform", "LAS"));
    assert_eq!(stated.grid.affine(), grid.affine());

    // The default position of another format differs from NIfTI's default, so it is written explicitly.
    let rightwards = Affine::scaling([2.0; 3], [-4.0, -3.0, -2.0]);
    let coronal = [[-1.0, 0.0, 0.0, 2.5], [0.0, 0.0, 1.0, -1.5], [0.0, -1.0, 0.0, 2.0]];
    for affine in [rightwards, Affine::from_rows(coronal).unwrap()] {
        let presumed = Grid::new([5, 4, 3], affine).unwrap().presumed();
        let path = folder.path("c.nii");
        write_image(&path, &Volume::filled(presumed, 1, 1u8), &WriteOptions::default()).unwrap();
        let back = describe_image(&path).unwrap();
        assert_eq!((back.affine_source, *back.grid.affine()), ("sform", affine));
    }
}

#[test]
fn missing_voxel_sizes_are_reported_where_they_matter() {
    let folder = Folder::new();
    let affine = Affine::scaling([-2.0, 2.5, 3.0], [1.0, 2.0, 3.0]);
    let path = folder.path("a.nii");
    write_image(&path, &ramp::<u8>([4, 3, 2], 1, affine), &WriteOptions::default()).unwrap();
    let sizeless = with(&std::fs::read(path).unwrap(), 84, &0f32.to_le_bytes());
    let warnings = |bytes: &[u8]| describe_image(&folder.put("b.nii", bytes)).unwrap().warnings;
    // The sform contains the edge lengths along all axes.
    assert_eq!(warnings(&with(&sizeless, 252, &[0; 2])), [""; 0]);
    let told = "its header has no voxel size along y (pixdim); 1 is taken";
    assert_eq!(warnings(&with(&sizeless, 254, &[0; 2])), [told]);
    let unplaced = warnings(&with(&sizeless, 252, &[0; 4]));
    assert_eq!((unplaced.len(), unplaced[0].as_str()), (2, told));
    // A single slice needs no thickness.
    let slice = ramp::<u8>([4, 3, 1], 1, affine);
    write_image(&folder.path("c.nii"), &slice, &WriteOptions::default()).unwrap();
    let slice = std::fs::read(folder.path("c.nii")).unwrap();
    assert_eq!(warnings(&with(&with(&slice, 88, &[0; 4]), 252, &[0; 4])).len(), 1);
}

#[test]
fn contradictory_headers_are_reported() {
    let folder = Folder::new();
    let whole = small(&folder, "a.nii", &WriteOptions::default());
    let warnings = |bytes: &[u8]| describe_image(&folder.put("b.nii", bytes)).unwrap().warnings;
    assert_eq!(warnings(&whole), [""; 0]);
    let sizes = warnings(&with(&whole, 80, &1f32.to_le_bytes()));
    assert!(sizes[0].starts_with("its voxel sizes 1.000 × ") && sizes[0].contains("(pixdim)"), "{sizes:?}");
    let negative = warnings(&with(&with(&whole, 80, &(-1.9f32).to_le_bytes()), 254, &[0; 2]));
    assert!(negative[0].starts_with("its header has a negative voxel size along x (pixdim)"), "{negative:?}");
    let bits = "its header claims 32 bits of a value (bitpix), and its data type 16-bit signed integer has 16; the data type \
                is used";
    assert_eq!(warnings(&with(&whole, 72, &32i16.to_le_bytes())), [bits]);
    assert_eq!(warnings(&with(&whole, 72, &[0; 2])), [""; 0], "bits that are not stated");
    // The header states three dimensions, but also a size along the fourth. So the second volume is not read.
    let three = warnings(&with(&whole, 40, &3i16.to_le_bytes()));
    let fourth =
        "its header claims 3 dimensions (dim[0]) and a size of 2 along number 4 (dim[4]); 3 are read";
    assert_eq!(three[0], fourth);
    assert!(three[1].contains("enough for 1 more volumes"), "{three:?}");
    assert_eq!(warnings(&whole[..whole.len() - 1]), ["the image data end early (95 of 96 bytes)"]);
    assert_eq!(warnings(&[&whole[..], &[0; 47]].concat()), [""; 0], "less than a volume");
}

#[test]
fn copies_keep_the_transform_codes_of_their_source() {
    let folder = Folder::new();
    let whole = small(&folder, "a.nii", &WriteOptions::default());
    let matrices = with(&with(&whole, 68, &1005i16.to_le_bytes()), 56, &3f32.to_le_bytes());
    let source = folder.put("b.nii", &with(&matrices, 328, b"tensors"));
    let (volume, notes) = read_stored::<i16>(&source).unwrap();
    let intent = notes.intent.clone().unwrap();
    assert_eq!((intent.code, intent.parameters[0], intent.name.as_str()), (1005, 3.0, "tensors"));
    for nifti_2 in [false, true] {
        let copy = folder.path("c.nii.gz");
        let options = WriteOptions { notes: notes.clone(), nifti_2, ..WriteOptions::default() };
        write_image(&copy, &volume, &options).unwrap();
        assert_eq!(describe_image(&copy).unwrap().intent, 1005);
        assert_eq!(read_stored::<i16>(&copy).unwrap().1.intent, notes.intent);
        // The intent does not fit a copy of another size.
        write_image(&copy, &volume.channel(0), &options).unwrap();
        assert_eq!(describe_image(&copy).unwrap().intent, 0);
    }
    // An intent that affects further header fields is not copied.
    let cifti = folder.put("d.nii", &with(&whole, 68, &2006i16.to_le_bytes()));
    let notes = read_stored::<i16>(&cifti).unwrap().1;
    assert_eq!((notes.intent, notes.left_out), (None, vec!["an intent (code 2006)".to_owned()]));
}

#[test]
fn scaling_is_applied_once_and_zero_scaling_is_ignored() {
    let folder = Folder::new();
    let whole = small(&folder, "a.nii", &WriteOptions::default());
    let scaled = |slope: f32, intercept: f32| {
        let bytes = with(&with(&whole, 112, &slope.to_le_bytes()), 116, &intercept.to_le_bytes());
        read_volume(&folder.put("scaled.nii", &bytes)).unwrap().values()[7]
    };
    assert_eq!(scaled(1.0, 0.0), 7.0);
    assert_eq!(scaled(0.5, -10.0), -6.5);
    for none in [0.0, f32::NAN, f32::INFINITY] {
        assert_eq!(scaled(none, f32::NAN), 7.0);
    }
    let bytes = with(&with(&whole, 112, &0.5f32.to_le_bytes()), 116, &f32::NAN.to_le_bytes());
    assert_eq!(
        folder.message("nan.nii", &bytes),
        "nan.nii: its scaling intercept is NaN; repair the image header (scl_inter)"
    );
    // Reading as integers rejects a scaled value that is not an integer.
    let halves = folder.put("halves.nii", &with(&whole, 112, &0.5f32.to_le_bytes()));
    assert_eq!(
        folder.strip(&read_volume_as::<i32>(&halves).unwrap_err()),
        "halves.nii: the value 0.5 in the image is not a whole number in the range of a 32-bit signed \
         integer; give an image of whole numbers"
    );
}

#[test]
fn non_finite_values_are_kept() {
    let folder = Folder::new();
    let path = folder.path("a.nii.gz");
    let grid = Grid::new([2, 2, 1], Affine::identity()).unwrap();
    let values = vec![f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0];
    write_image(&path, &Volume::new(grid, 1, values).unwrap(), &WriteOptions::default()).unwrap();
    let back = read_volume(&path).unwrap();
    assert!(back.values()[0].is_nan() && back.values()[1] == f32::INFINITY);
    assert!(back.values()[2] == f32::NEG_INFINITY && back.values()[3].to_bits() == (-0.0f32).to_bits());
}

#[test]
fn extensions_and_additional_dimensions_are_skipped() {
    let folder = Folder::new();
    let whole = small(&folder, "a.nii", &WriteOptions::default());
    // The file has 32 bytes of extension, and 1 × 1 × 2 volumes instead of 2.
    let mut extended = whole[..348].to_vec();
    extended.extend([1, 0, 0, 0]);
    extended.extend([0xab; 32]);
    extended.extend(&whole[352..]);
    let extended = with(&extended, 108, &384f32.to_le_bytes());
    let further: Vec<u8> = [6i16, 4, 3, 2, 1, 1, 2].iter().flat_map(|n| n.to_le_bytes()).collect();
    let path = folder.put("b.nii", &with(&extended, 40, &further));
    assert_eq!(read_volume(&path).unwrap().values(), read_volume(&folder.path("a.nii")).unwrap().values());
    assert_eq!(describe_image(&path).unwrap().dimensions, [4, 3, 2, 1, 1, 2]);
}

#[test]
fn data_offsets_inside_the_header_are_corrected_with_a_warning() {
    // The documentation of vox_offset states that a number below 352 is equivalent to 352.
    let folder = Folder::new();
    let whole = small(&folder, "a.nii", &WriteOptions::default());
    let expected = read_volume(&folder.path("a.nii")).unwrap();
    assert!(describe_image(&folder.path("a.nii")).unwrap().warnings.is_empty());
    for offset in [0f32, 100.0, 351.0] {
        let path = folder.put("b.nii", &with(&whole, 108, &offset.to_le_bytes()));
        assert_eq!(read_volume(&path).unwrap(), expected);
        assert_eq!(
            describe_image(&path).unwrap().warnings,
            [format!(
                "the header states that the image data begin at byte {offset}, inside the header; they are \
                 read from byte 352, as the standard requires"
            )]
        );
    }
    let message = folder.message("b.nii", &with(&whole, 108, &f32::NAN.to_le_bytes()));
    assert_eq!(
        message,
        "b.nii: the header states that the image data begin at byte NaN, which is not possible; repair the \
         image header (vox_offset)"
    );
}

#[test]
fn other_header_fields_are_kept_or_reported() {
    let folder = Folder::new();
    // The file has two slices of 2 × 3 × 1 voxels, 1 × 2 × 2 volumes and therefore six dimensions. Integers
    // are scaled, TR is in ms, and there is a description.
    let whole = small(&folder, "a.nii", &WriteOptions::default());
    let sizes: Vec<u8> = [6i16, 2, 3, 2, 1, 2, 2].iter().flat_map(|n| n.to_le_bytes()).collect();
    let mut bytes = with(&with(&whole, 40, &sizes), 112, &0.5f32.to_le_bytes());
    bytes = with(&with(&bytes, 116, &(-3f32).to_le_bytes()), 148, b"made by hand");
    // If there is only one volume along the fourth dimension, no time is read.
    bytes = with(&with(&bytes, 92, &2300f32.to_le_bytes()), 123, &[2 | 16]);
    let (_, notes) = read_stored::<i16>(&folder.put("b.nii", &bytes)).unwrap();
    assert_eq!(notes.repetition_time, None);
    let sizes: Vec<u8> = [5i16, 2, 3, 2, 2, 2, 1].iter().flat_map(|n| n.to_le_bytes()).collect();
    bytes = with(&bytes, 40, &sizes);
    let (stored, notes) = read_stored::<i16>(&folder.put("b.nii", &bytes)).unwrap();
    let expected = HeaderNotes {
        dimensions: vec![2, 3, 2, 2, 2],
        repetition_time: Some(2.3),
        comments: vec!["made by hand".to_owned()],
        keys: Vec::new(),
        scaling: Some((0.5, -3.0)),
        intent: None,
        left_out: Vec::new(),
    };
    // The time is a single-precision number in ms, multiplied by 1e-3.
    assert!((notes.repetition_time.unwrap() - 2.3).abs() < 1e-6);
    let notes = HeaderNotes { repetition_time: Some(2.3), ..notes };
    assert_eq!(notes, expected);
    let scaled = read_volume(&folder.path("b.nii")).unwrap();
    assert_eq!(f64::from(scaled.values()[5]), f64::from(stored.values()[5]) * 0.5 - 3.0);
    for (name, options) in [
        ("c.nii", WriteOptions::default()),
        ("c.nii.gz", nifti_2()),
        ("c.mif", WriteOptions::default()),
        ("c.mif.gz", WriteOptions::default()),
    ] {
        let path = folder.path(name);
        assert_eq!(lost_in(&path, &notes).unwrap(), Vec::<String>::new());
        write_image(&path, &stored, &WriteOptions { notes: notes.clone(), ..options }).unwrap();
        let (again, mut back) = read_stored::<i16>(&path).unwrap();
        assert_eq!(again.values(), stored.values(), "{name}");
        // NIfTI-1 stores the time in single precision.
        assert!((back.repetition_time.unwrap() - 2.3).abs() < 1e-6, "{name}");
        back.repetition_time = Some(2.3);
        assert_eq!(back, notes, "{name}");
        assert_eq!(read_volume(&path).unwrap().values(), scaled.values(), "{name}");
        assert_eq!(describe_image(&path).unwrap().dimensions, [2, 3, 2, 2, 2], "{name}");
    }
}

/// Returns the fields `pixdim[4]` and `xyzt_units` of a header in either version of NIfTI.
fn distance_of_volumes(bytes: &[u8]) -> (f64, u8) {
    let eight = |at: usize| f64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    let four = f64::from(f32::from_le_bytes(bytes[92..96].try_into().unwrap()));
    if bytes[..4] == 540i32.to_le_bytes() { (eight(136), bytes[500]) } else { (four, bytes[123]) }
}

#[test]
fn volume_spacing_is_the_repetition_time_if_known() {
    let folder = Folder::new();
    let write = |channels: usize, time: Option<f64>, nifti_2: bool| {
        let notes = HeaderNotes { repetition_time: time, ..HeaderNotes::default() };
        let options = WriteOptions { notes, nifti_2, ..WriteOptions::default() };
        let path = folder.path("a.nii");
        write_image(&path, &ramp::<i16>([4, 3, 2], channels, oblique()), &options).unwrap();
        let (_, back) = read_stored::<i16>(&path).unwrap();
        (distance_of_volumes(&std::fs::read(&path).unwrap()), back.repetition_time)
    };
    for nifti_2 in [false, true] {
        // A time that is not set is not read as a time of 1.
        assert_eq!(write(2, None, nifti_2), ((1.0, 2), None));
        assert_eq!(write(2, Some(2.5), nifti_2), ((2.5, 2 | 8), Some(2.5)));
        assert_eq!(write(2, Some(1.0), nifti_2), ((1.0, 2 | 8), Some(1.0)));
        assert_eq!(write(1, None, nifti_2), ((0.0, 2 | 8), None));
    }
    // If there is no unit, the time is in seconds.
    let bytes =
        with(&with(&small(&folder, "b.nii", &WriteOptions::default()), 92, &2f32.to_le_bytes()), 123, &[2]);
    let (_, notes) = read_stored::<i16>(&folder.put("c.nii", &bytes)).unwrap();
    assert_eq!(notes.repetition_time, Some(2.0));
}

#[test]
fn unsupported_data_are_reported() {
    let folder = Folder::new();
    let whole = small(&folder, "a.nii", &WriteOptions::default());
    let bytes = with(&with(&with(&whole, 348, &[1]), 68, &1005i16.to_le_bytes()), 228, b"other.nii");
    let (_, notes) = read_stored::<i16>(&folder.put("b.nii", &bytes)).unwrap();
    let matrices = "the statement that its volumes are the lower triangle of matrices (intent 1005)";
    let lost = ["an auxiliary file `other.nii`", "header extensions", matrices];
    assert_eq!(notes.left_out, lost[..2]);
    assert_eq!(lost_in(Path::new("c.mif"), &notes).unwrap(), lost);
    assert_eq!(lost_in(Path::new("c.nii"), &notes).unwrap(), lost[..2]);
    let key = |name: &str| (name.to_owned(), "x".to_owned());
    let notes = HeaderNotes {
        keys: vec![key("PhaseEncodingDirection"), key("EchoTime")],
        comments: vec!["é".repeat(40), "b".to_owned()],
        dimensions: vec![4, 3, 2, 1, 1, 1, 1, 1, 2],
        ..HeaderNotes::default()
    };
    assert_eq!(lost_in(Path::new("c.mif"), &notes).unwrap(), Vec::<String>::new());
    let expected = [
        "the header's PhaseEncodingDirection, EchoTime",
        "its comments after 79 of 83 bytes",
        "dimensions beyond 7, which become one",
    ];
    assert_eq!(lost_in(Path::new("c.nii"), &notes).unwrap(), expected);
    let volume = ramp::<i16>([4, 3, 2], 2, oblique());
    let path = folder.path("c.nii");
    write_image(&path, &volume, &WriteOptions { notes, ..WriteOptions::default() }).unwrap();
    assert_eq!(describe_image(&path).unwrap().dimensions, [4, 3, 2, 1, 1, 1, 2]);
    assert_eq!(read_volume_as::<i16>(&path).unwrap().values(), volume.values());
}

#[test]
fn affines_beyond_single_precision_become_nifti_2() {
    let folder = Folder::new();
    let path = folder.path("a.nii");
    for size in [1e39, 1e-46] {
        let volume = ramp::<u8>([2, 2, 2], 1, Affine::scaling([size; 3], [0.0; 3]));
        write_image(&path, &volume, &WriteOptions::default()).unwrap();
        assert_eq!(describe_image(&path).unwrap().format, "NIfTI-2");
        assert_eq!(read_volume_as::<u8>(&path).unwrap(), volume);
    }
}

#[test]
fn pairs_of_files_are_read_from_either_name() {
    let folder = Folder::new();
    let whole = small(&folder, "a.nii", &WriteOptions::default());
    let header = with(&with(&whole[..348], 344, b"ni1\0"), 108, &[0; 4]);
    folder.put("b.hdr", &header);
    assert_eq!(
        folder.strip(&read_volume(&folder.path("b.hdr")).unwrap_err()),
        "b.img: no such file; check the path"
    );
    folder.put("b.img", &whole[352..]);
    let expected = read_volume(&folder.path("a.nii")).unwrap();
    for name in ["b.hdr", "b.img"] {
        assert_eq!(read_volume(&folder.path(name)).unwrap(), expected);
    }
    assert_eq!(
        describe_image(&folder.path("b.img")).unwrap().format,
        "NIfTI-1, header and image in two files"
    );
    assert_eq!(
        folder.message("c.nii", &header),
        "c.nii: the header belongs to a pair of files, .hdr and .img; give the .hdr file, with the .img file \
         in the same folder"
    );
}

#[test]
fn complex_values_are_two_channels_on_request() {
    let folder = Folder::new();
    let path = folder.path("a.nii");
    let grid = Grid::new([2, 1, 1], Affine::identity()).unwrap();
    // There are two volumes of two voxels: (1 + 2i, 3 + 4i) and (5 + 6i, 7 + 8i), stored as eight
    // floating-point numbers.
    write_image(&path, &Volume::new(grid, 8, vec![0f32; 16]).unwrap(), &WriteOptions::default()).unwrap();
    let header = std::fs::read(&path).unwrap()[..352].to_vec();
    let mut bytes = with(&with(&header, 70, &32i16.to_le_bytes()), 48, &2i16.to_le_bytes());
    bytes.extend((1..=8).flat_map(|v| (v as f32).to_le_bytes()));
    let path = folder.put("complex.nii", &bytes);
    let (volume, data_type) = read_components::<f32>(&path).unwrap();
    assert_eq!(data_type, DataType::Complex64);
    assert_eq!(volume.channels(), 4);
    assert_eq!(volume.values(), [1.0, 2.0, 5.0, 6.0, 3.0, 4.0, 7.0, 8.0]);
    assert_eq!(describe_image(&path).unwrap().channels(), 4);
    assert_eq!(
        folder.strip(&read_volume(&path).unwrap_err()),
        "complex.nii: the image has complex values, but real values are needed; first create an image of the \
         magnitude of the values"
    );
    // The intercept affects only the real parts.
    let scaled = with(&with(&bytes, 112, &2f32.to_le_bytes()), 116, &10f32.to_le_bytes());
    let (volume, _) = read_components::<f32>(&folder.put("scaled.nii", &scaled)).unwrap();
    assert_eq!(volume.values(), [12.0, 4.0, 20.0, 12.0, 16.0, 8.0, 24.0, 16.0]);
}

#[test]
fn colours_are_channels() {
    let folder = Folder::new();
    let path = folder.path("a.nii");
    let grid = Grid::new([2, 1, 1], Affine::identity()).unwrap();
    write_image(&path, &Volume::new(grid, 1, vec![0u8; 2]).unwrap(), &WriteOptions::default()).unwrap();
    let mut bytes = with(&std::fs::read(&path).unwrap()[..352], 70, &128i16.to_le_bytes());
    bytes.extend([255, 1, 2, 3, 4, 5]);
    let image = read_image(&folder.put("rgb.nii", &bytes)).unwrap();
    assert_eq!((image.data_type, image.volume.channels()), (DataType::Rgb24, 3));
    assert_eq!(image.volume.values(), [255.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
}

#[test]
fn labels_are_exact_in_every_type() {
    let folder = Folder::new();
    let grid = Grid::new([2, 2, 1], Affine::identity()).unwrap();
    let values = [0i64, 16_777_217, 4_294_967_295, 12];
    let path = folder.path("labels.nii.gz");
    write_image(&path, &Volume::new(grid, 1, values.to_vec()).unwrap(), &WriteOptions::default()).unwrap();
    assert_eq!(read_labels(&path).unwrap().values(), [0, 16_777_217, 4_294_967_295, 12]);
    let real = values.map(|v| v as f64).to_vec();
    write_image(&path, &Volume::new(grid, 1, real).unwrap(), &WriteOptions::default()).unwrap();
    assert_eq!(read_labels(&path).unwrap().regions(), [12, 16_777_217, 4_294_967_295]);
    let message = |values: Vec<f32>, channels| {
        let grid = Grid::new([2, 1, 1], Affine::identity()).unwrap();
        write_image(&path, &Volume::new(grid, channels, values).unwrap(), &WriteOptions::default()).unwrap();
        folder.strip(&read_labels(&path).unwrap_err())
    };
    assert_eq!(
        message(vec![1.0, 0.5], 1),
        "labels.nii.gz: the value 0.5 in the image is not a whole number in the range of a 64-bit signed \
         integer; give an image of whole numbers"
    );
    assert_eq!(
        message(vec![1.0, -1.0], 1),
        "labels.nii.gz: the value -1 is not a region number; give an image of whole numbers of at least 0, \
         with 0 for no region"
    );
    assert_eq!(
        message(vec![1.0; 4], 2),
        "labels.nii.gz: a parcellation has one value per voxel, but this image has 2; give a 3-D image"
    );
    assert_eq!(
        folder.strip(&read_mask(&path).unwrap_err()),
        "labels.nii.gz: a mask has one value per voxel, but this image has 2; give a 3-D image"
    );
}

#[test]
fn both_byte_orders_give_the_same_image() {
    let folder = Folder::new();
    let whole = small(&folder, "a.nii", &WriteOptions::default());
    let mut swapped = whole.clone();
    let mut swap = |at: usize, width: usize, count: usize| {
        for n in 0..count {
            swapped[at + n * width..at + (n + 1) * width].reverse();
        }
    };
    swap(0, 4, 1);
    swap(40, 2, 8);
    swap(68, 2, 3);
    swap(76, 4, 11);
    swap(252, 2, 2);
    swap(256, 4, 18);
    swap(352, 2, 48);
    let path = folder.put("b.nii", &swapped);
    assert_eq!(read_volume(&path).unwrap(), read_volume(&folder.path("a.nii")).unwrap());
    assert!(describe_image(&path).unwrap().big_endian);
}

#[test]
fn damaged_files_are_reported_with_advice() {
    let folder = Folder::new();
    let whole = small(&folder, "a.nii", &WriteOptions::default());
    let again = "copy or download the file again";
    assert_eq!(
        folder.strip(&read_image(&folder.path("none.nii.gz")).unwrap_err()),
        "none.nii.gz: no such file; check the path"
    );
    assert_eq!(
        folder.message("cut.nii", &whole[..whole.len() - 10]),
        format!("cut.nii: the image data end early (86 of 96 bytes); {again}")
    );
    assert_eq!(
        folder.message("header.nii", &whole[..300]),
        format!("header.nii: the header ends early (300 of 348 bytes); {again}")
    );
    for text in ["", "abc", "subject,age\n1,42\nA text file that somebody renamed\n"] {
        assert_eq!(
            folder.message("text.nii", text.as_bytes()),
            "text.nii: the file is not a NIfTI image (it does not begin with a NIfTI header); check the \
             file, or first convert the image to NIfTI"
        );
    }
    assert_eq!(
        folder.message("magic.nii", &with(&whole, 344, b"n-1\0")),
        format!("magic.nii: the NIfTI magic in the header is damaged (`n-1\\x00`); {again}")
    );
    assert_eq!(
        folder.message("analyze.hdr", &with(&whole, 344, &[0; 4])),
        "analyze.hdr: the file has no NIfTI magic: this is an Analyze 7.5 image, whose orientation is not \
         defined; convert the image to NIfTI with a program that knows its orientation"
    );
    assert_eq!(
        folder.message("type.nii", &with(&whole, 70, &77i16.to_le_bytes())),
        "type.nii: NIfTI has no data type 77; repair the image header"
    );
    assert_eq!(
        folder.message("quad.nii", &with(&whole, 70, &1536i16.to_le_bytes())),
        "quad.nii: the image values are 128-bit floating point numbers (NIfTI data type 1536), which Arcuate \
         does not read; convert the image to 32- or 64-bit floating point"
    );
    assert_eq!(
        folder.message("zero.nii", &with(&whole, 44, &0i16.to_le_bytes())),
        "zero.nii: 4 × 0 × 2 × 2 is not a possible image size; repair the image header"
    );
    assert_eq!(
        folder.message("negative.nii", &with(&whole, 44, &(-3i16).to_le_bytes())),
        "negative.nii: 4 × -3 × 2 × 2 is not a possible image size; repair the image header"
    );
    assert_eq!(
        folder.message("dimensions.nii", &with(&whole, 40, &0i16.to_le_bytes())),
        "dimensions.nii: the image header states 0 dimensions; repair the image header; an image has 1 to 7 \
         dimensions"
    );
    assert_eq!(
        folder.message("offset.nii", &with(&whole, 108, &(-1f32).to_le_bytes())),
        "offset.nii: the header states that the image data begin at byte -1, which is not possible; repair \
         the image header (vox_offset)"
    );
    let far = folder.message("far.nii", &with(&whole, 108, &1e9f32.to_le_bytes()));
    assert_eq!(far, format!("far.nii: the image data end early (0 of 96 bytes); {again}"));
    assert_eq!(
        folder.message("nan.nii", &with(&whole, 280, &f32::NAN.to_le_bytes())),
        "nan.nii (affine): the affine has values that are not numbers; repair the image header"
    );
    assert_eq!(
        folder.message("flat.nii", &with(&whole, 280, &[0; 48])),
        "flat.nii (affine): the axes of the affine are linearly dependent, so different voxels have the same \
         position; repair the image header"
    );
}

#[test]
fn impossible_file_sizes_are_rejected() {
    let folder = Folder::new();
    let again = "copy or download the file again";
    let whole = small(&folder, "a.nii", &nifti_2());
    let claim = |sizes: [i64; 3]| {
        let bytes: Vec<u8> = sizes.iter().flat_map(|n| n.to_le_bytes()).collect();
        with(&whole, 24, &bytes)
    };
    let large = claim([1 << 20, 1 << 20, 1 << 10]);
    assert_eq!(
        folder.message("large.nii", &large),
        format!("large.nii: the image data end early (96 of 4503599627370496 bytes); {again}")
    );
    assert_eq!(
        folder.message("impossible.nii", &claim([1 << 40, 1 << 40, 2])),
        "impossible.nii: 1099511627776 × 1099511627776 × 2 × 2 is not a possible image size; repair the image header"
    );
    let compressed = gzip(&large);
    assert_eq!(
        folder.message("large.nii.gz", &compressed),
        format!(
            "large.nii.gz: the header states 4503599627370496 bytes of image data, more than {} compressed \
             bytes can contain; {again}",
            compressed.len()
        )
    );
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn truncated_and_damaged_compressed_files_are_distinguished() {
    let folder = Folder::new();
    let path = folder.path("dwi.nii.gz");
    let values = (0..20 * 20 * 20 * 9).map(|n: u32| (n.wrapping_mul(2654435761) >> 16) as u16).collect();
    let grid = Grid::new([20, 20, 20], oblique()).unwrap();
    write_image(&path, &Volume::new(grid, 9, values).unwrap(), &WriteOptions::default()).unwrap();
    let whole = std::fs::read(&path).unwrap();
    let message = folder.message("dwi.nii.gz", &whole[..whole.len() / 2]);
    let expected = "dwi.nii.gz: the compressed data end early (after ";
    assert!(message.starts_with(expected), "{message}");
    assert!(message.ends_with(" decompressed bytes); copy or download the file again"), "{message}");
    // The gzip data are complete, but contain only half an image.
    let mut plain = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&whole[..]), &mut plain).unwrap();
    assert_eq!(
        folder.message("dwi.nii.gz", &gzip(&plain[..50_000])),
        "dwi.nii.gz: the image data end early (50000 of 144352 bytes); copy or download the file again"
    );
    // A bit of the checksum at the end is changed.
    let mut damaged = whole.clone();
    let sum = damaged.len() - 6;
    damaged[sum] ^= 4;
    assert_eq!(
        folder.message("dwi.nii.gz", &damaged),
        "dwi.nii.gz: the compressed data are damaged (corrupt gzip stream does not have a matching checksum, \
         after 144352 decompressed bytes); copy or download the file again"
    );
    // The content of a file, not its name, decides whether it is compressed. The test has both cases.
    let expected = read_volume(&folder.put("good.nii.gz", &whole)).unwrap();
    assert_eq!(read_volume(&folder.put("compressed.nii", &whole)).unwrap(), expected);
    assert_eq!(read_volume(&folder.put("plain.nii.gz", &plain)).unwrap(), expected);
}

#[test]
fn damaged_files_do_not_panic() {
    let folder = Folder::new();
    let whole = small(&folder, "a.nii", &WriteOptions::default());
    let compressed = small(&folder, "a.nii.gz", &WriteOptions::default());
    for at in 0..whole.len().min(360) {
        for value in [0, 1, 0x7f, 0x80, 0xff] {
            let _ = read_volume(&folder.put("b.nii", &with(&whole, at, &[value])));
        }
    }
    for at in 0..compressed.len() {
        let _ = read_volume(&folder.put("b.nii.gz", &with(&compressed, at, &[0xff])));
        let _ = read_volume(&folder.put("b.nii.gz", &compressed[..at]));
    }
}

#[test]
fn a_real_series_agrees_with_the_nifti_crate() {
    let Some(path) = real_data("philips_dwi/dwi.nii.gz") else { return };
    let ours = read_image(&path).unwrap();
    assert_eq!((ours.volume.grid().shape(), ours.volume.channels()), ([112, 112, 32], 17));
    let described = describe_image(&path).unwrap();
    assert_eq!(described.orientation(), "LAS");
    assert_eq!(described.format, "NIfTI-1, gzip");
    assert_eq!(described.grid, *ours.volume.grid());
    assert!((described.scaling.unwrap().0 - 1.5147740840911865).abs() < 1e-12);
    let theirs =
        nifti::ReaderOptions::new().read_file(&path).unwrap().into_volume().into_ndarray::<f32>().unwrap();
    let grid = *ours.volume.grid();
    for voxel in (0..grid.len()).step_by(97) {
        let [i, j, k] = grid.coordinates(voxel);
        for channel in 0..17 {
            let (a, b) = (ours.volume.voxel(voxel)[channel], theirs[[i, j, k, channel]]);
            // The other crate scales values in f32, Arcuate in f64.
            assert!((a - b).abs() <= 2.0 * f32::EPSILON * a.abs(), "{a} {b}");
        }
    }
}

#[test]
fn unwritable_paths_are_reported() {
    let volume = ramp::<u8>([2, 2, 2], 1, Affine::identity());
    assert_eq!(
        write_image(Path::new("no-such-folder/a.nii"), &volume, &WriteOptions::default())
            .unwrap_err()
            .to_string(),
        "no-such-folder/a.nii: its folder does not exist; create the folder or choose another"
    );
}
