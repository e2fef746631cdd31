//! Reads FreeSurfer images: `.mgh` files and gzipped `.mgz` files. A header of 284 bytes with big-endian
//! numbers is followed by the volumes, with the voxel index x fastest. Scan parameters and free text follow
//! the volumes; the first four parameters are read.

use crate::gzip::GzipReader;
use crate::header_checks::require_sizes;
use crate::image_errors::{ends_early, too_large, unrepresentable};
use crate::image_types::{HeaderNotes, ImageDescription, RequestedValues, StoredImage};
use crate::plain_file::PlainFile;
use crate::rearrange::{Encoding, Layout, rearrange};
use crate::{DataType, Element};
use arcuate_core::{Affine, Error, Grid, Result, Volume};
use std::path::Path;

/// Number of bytes before the image data.
const HEADER_BYTES: usize = 284;

/// The content of a FreeSurfer image header.
struct Header {
    grid: Grid,
    volumes: usize,
    data_type: DataType,
    affine_source: &'static str,
    warnings: Vec<String>,
}

impl Header {
    /// Size of the image data in bytes according to the header. If the size exceeds 64 bits, the result is
    /// the largest 64-bit number, which no file reaches.
    fn data_bytes(&self) -> u64 {
        let bits = self.grid.len() as u128 * self.volumes as u128 * self.data_type.bits() as u128;
        u64::try_from(bits / 8).unwrap_or(u64::MAX).min(u64::MAX / 2)
    }

    fn dimensions(&self) -> Vec<usize> {
        let mut dimensions = self.grid.shape().to_vec();
        if self.volumes > 1 {
            dimensions.push(self.volumes);
        }
        dimensions
    }
}

/// Reads a whole FreeSurfer image.
///
/// The values are real and never scaled, so every request has the same result.
pub(crate) fn read<T: Element>(path: &Path, _: RequestedValues) -> Result<StoredImage<T>> {
    let file = PlainFile::open(path)?;
    let header = parse(path, &start(&file)?)?;
    for warning in &header.warnings {
        tracing::warn!("{}: {warning}", path.display());
    }
    let size = header.data_bytes();
    let total = size + HEADER_BYTES as u64;
    let mut parameters = Vec::new();
    let data = if file.is_gzip() {
        let mut reader = GzipReader::new(&file);
        reader.require_room(size, HEADER_BYTES as u64)?;
        let mut data = Vec::new();
        reader.skip(HEADER_BYTES as u64, total)?;
        reader.read_exactly(size, total, &mut data)?;
        reader.read_up_to(4, &mut parameters)?;
        reader.finish()?;
        data
    } else {
        let available = file.size().saturating_sub(HEADER_BYTES as u64);
        if available < size {
            return Err(ends_early(path, available, size));
        }
        if available >= size + 4 {
            parameters = file.bytes(total, 4)?;
        }
        file.bytes(HEADER_BYTES as u64, size as usize)?
    };
    let grid = header.grid;
    let count = grid.len() * header.volumes;
    let mut values = bytemuck::allocation::try_zeroed_vec::<T>(count)
        .map_err(|()| too_large(path, count * size_of::<T>()))?;
    let encoding = Encoding { data_type: header.data_type, big_endian: true, scaling: None };
    let layout = Layout::volumes(grid.shape(), header.volumes, 1);
    rearrange(&data, encoding, &layout, 0, header.volumes, &mut values)
        .map_err(|value| unrepresentable::<T>(path, value, None))?;
    let volume = Volume::new(grid, header.volumes, values).map_err(|e| e.about(path.display()))?;
    // The repetition time is the first of the scan parameters. It is in ms.
    let repetition_time =
        <[u8; 4]>::try_from(&parameters[..]).ok().map(|b| f64::from(f32::from_be_bytes(b)) / 1e3);
    let notes = HeaderNotes {
        dimensions: header.dimensions(),
        repetition_time: repetition_time.filter(|time| time.is_finite() && *time > 0.0),
        ..HeaderNotes::default()
    };
    Ok(StoredImage { volume, data_type: header.data_type, gradients: None, notes })
}

/// Reads the header of a FreeSurfer image.
pub(crate) fn describe(path: &Path) -> Result<ImageDescription> {
    let file = PlainFile::open(path)?;
    let header = parse(path, &start(&file)?)?;
    let compressed = if file.is_gzip() { ", gzip" } else { "" };
    Ok(ImageDescription {
        format: format!("FreeSurfer MGH{compressed}"),
        dimensions: header.dimensions(),
        data_type: header.data_type,
        big_endian: true,
        grid: header.grid,
        stored_sizes: header.grid.voxel_sizes(),
        affine_source: header.affine_source,
        standard_space: None,
        intent: 0,
        scaling: None,
        gradients: None,
        description: String::new(),
        warnings: header.warnings,
    })
}

/// Reads the bytes of the header. If the file is shorter than a header, returns all bytes of the file.
fn start(file: &PlainFile) -> Result<Vec<u8>> {
    let mut start = Vec::new();
    if file.is_gzip() {
        GzipReader::new(file).read_up_to(HEADER_BYTES as u64, &mut start)?;
    } else {
        start = file.start(HEADER_BYTES as u64)?;
    }
    Ok(start)
}

fn parse(path: &Path, bytes: &[u8]) -> Result<Header> {
    let integer = |at: usize| i32::from_be_bytes(std::array::from_fn(|n| bytes[at + n]));
    // The low byte of the first number in the header is the version of the format. Newer versions of
    // FreeSurfer store the purpose of the image in the other bytes of this number.
    if bytes.len() < 4 || integer(0) & 0xff != 1 || integer(0) >> 16 != 0 {
        return Err(Error::invalid(
            path.display(),
            "the file is not a FreeSurfer image (it does not begin with version 1)",
            "check the file, or first convert the image to NIfTI",
        ));
    }
    // The last field of the header that programs set is the image centre, which ends at byte 90. The bytes
    // between this field and the image data are unused.
    if bytes.len() < HEADER_BYTES {
        let problem = format!("the header ends early ({} of {HEADER_BYTES} bytes)", bytes.len());
        return Err(Error::invalid(path.display(), problem, "copy or download the file again"));
    }
    let sizes = [4, 8, 12, 16].map(integer);
    // The size in bytes is computed with eight bytes per value, the largest size in memory, to detect an
    // overflow.
    let counts = sizes.map(|n| usize::try_from(n).unwrap_or(0));
    let product = counts.iter().try_fold(8usize, |product, &n| product.checked_mul(n));
    if !matches!(product, Some(bytes) if bytes > 0) {
        let words: Vec<String> = sizes.iter().map(ToString::to_string).collect();
        let problem = format!("{} is not a possible image size", words.join(" × "));
        return Err(Error::invalid(path.display(), problem, "repair the image header"));
    }
    let data_type = match integer(20) {
        0 => DataType::UInt8,
        1 => DataType::Int32,
        // An image of tensors (type 6) stores nine volumes of 32-bit floating-point numbers.
        3 | 6 => DataType::Float32,
        4 => DataType::Int16,
        10 => DataType::UInt16,
        other => {
            let problem = format!("the image's data type {other} is not one that FreeSurfer writes");
            let advice = "convert it to NIfTI with FreeSurfer's mri_convert";
            return Err(Error::invalid(path.display(), problem, advice));
        }
    };
    let [nx, ny, nz, volumes] = counts;
    let shape = [nx, ny, nz];
    let mut warnings = Vec::new();
    let (grid, affine_source) = grid(path, bytes, shape, &mut warnings)?;
    Ok(Header { grid, volumes, data_type, affine_source, warnings })
}

/// Computes the voxel grid from the numbers of voxels, the directions of the three voxel axes, and the
/// position of the image centre. The centre is at voxel (nx/2, ny/2, nz/2), whose coordinates may be half
/// integers. A flag in the header may state that directions and position are not set. FreeSurfer then assumes
/// coronal slices with voxels of 1 mm, centred at 0: x to the left, y down, z to the front.
fn grid(
    path: &Path,
    bytes: &[u8],
    shape: [usize; 3],
    warnings: &mut Vec<String>,
) -> Result<(Grid, &'static str)> {
    let real = |at: usize| f64::from(f32::from_be_bytes(std::array::from_fn(|n| bytes[at + n])));
    let is_set = i16::from_be_bytes([bytes[28], bytes[29]]) > 0;
    let (sizes, axes, centre) = if is_set {
        let triple = |at: usize| std::array::from_fn(|n| real(at + 4 * n));
        (triple(30), [triple(42), triple(54), triple(66)], triple(78))
    } else {
        warnings.push(
            "its header does not state the position of the voxels; FreeSurfer's default is used: coronal \
             slices of 1 mm"
                .to_owned(),
        );
        ([1.0; 3], [[-1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]], [0.0; 3])
    };
    require_sizes(path, sizes)?;
    let rows = std::array::from_fn(|r| {
        let scaled: [f64; 3] = std::array::from_fn(|axis| axes[axis][r] * sizes[axis]);
        let to_middle: f64 = (0..3).map(|axis| scaled[axis] * shape[axis] as f64 / 2.0).sum();
        [scaled[0], scaled[1], scaled[2], centre[r] - to_middle]
    });
    let grid = Affine::from_rows(rows).and_then(|affine| Grid::new(shape, affine));
    let grid = grid.map_err(|e| e.about(format_args!("{} (axes)", path.display())))?;
    Ok(if is_set { (grid, "axes and centre") } else { (grid.presumed(), "FreeSurfer's default") })
}

#[cfg(test)]
mod tests {
    use crate::{describe_image, read_image, read_labels, read_volume, read_volume_as};
    use proptest::prelude::*;
    use std::io::Write;
    use std::path::{Path, PathBuf};

    /// Creates the header of an image with 3 × 2 × 2 voxels of 1 × 2 × 3 mm in coronal slices. The image
    /// centre is at (10, 20, 30).
    fn header(volumes: i32, data_type: i32, is_set: bool) -> Vec<u8> {
        let mut bytes: Vec<u8> =
            [1, 3, 2, 2, volumes, data_type, 0].into_iter().flat_map(i32::to_be_bytes).collect();
        bytes.extend(i16::from(is_set).to_be_bytes());
        let reals: [f32; 15] =
            [1.0, 2.0, 3.0, -1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0, 10.0, 20.0, 30.0];
        bytes.extend(reals.into_iter().flat_map(f32::to_be_bytes));
        bytes.resize(284, 0);
        bytes
    }

    fn put(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
        let path = folder.join(name);
        if name.ends_with('z') {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(bytes).unwrap();
            std::fs::write(&path, encoder.finish().unwrap()).unwrap();
        } else {
            std::fs::write(&path, bytes).unwrap();
        }
        path
    }

    /// Returns the bytes of the numbers 0, 1, 2 … in the given number type of a FreeSurfer image.
    fn numbers(data_type: i32, count: u16) -> Vec<u8> {
        let bytes = |n: u16| match data_type {
            0 => vec![n as u8],
            1 => i32::from(n).to_be_bytes().to_vec(),
            3 | 6 => f32::from(n).to_be_bytes().to_vec(),
            _ => n.to_be_bytes().to_vec(),
        };
        (0..count).flat_map(bytes).collect()
    }

    #[test]
    fn every_type_is_read_compressed_or_not() {
        let folder = tempfile::tempdir().unwrap();
        for data_type in [0, 1, 3, 4, 6, 10] {
            for name in ["a.mgh", "a.mgz", "a.mgh.gz"] {
                let path =
                    put(folder.path(), name, &[header(2, data_type, true), numbers(data_type, 24)].concat());
                let image = read_image(&path).unwrap();
                assert_eq!((image.volume.grid().shape(), image.volume.channels()), ([3, 2, 2], 2));
                let expected: Vec<f32> =
                    (0..12u8).flat_map(|n| [f32::from(n), f32::from(n) + 12.0]).collect();
                assert_eq!(image.volume.values(), expected, "{name} {data_type}");
            }
        }
        let signed = [header(1, 4, true), (0..12i16).flat_map(|n| (-n).to_be_bytes()).collect()].concat();
        assert_eq!(read_volume_as::<i16>(&put(folder.path(), "a.mgh", &signed)).unwrap().values()[11], -11);
        let unsigned = [header(1, 10, true), [0xff; 24].to_vec()].concat();
        assert_eq!(read_labels(&put(folder.path(), "a.mgz", &unsigned)).unwrap().values(), [65535; 12]);
    }

    #[test]
    fn the_centre_and_axes_determine_voxel_positions() {
        let folder = tempfile::tempdir().unwrap();
        let path = put(folder.path(), "a.mgz", &[header(1, 0, true), numbers(0, 12)].concat());
        let described = describe_image(&path).unwrap();
        assert_eq!(described.format, "FreeSurfer MGH, gzip");
        assert_eq!(described.dimensions, [3, 2, 2]);
        assert_eq!(described.orientation(), "LIA");
        assert_eq!(described.affine_source, "axes and centre");
        // From voxel to voxel, the axis x runs 1 mm to the left, y runs 2 mm down, and z runs 3 mm to the
        // front. Voxel (1.5, 1, 1) is the image centre.
        let expected = [[-1.0, 0.0, 0.0, 11.5], [0.0, 0.0, 3.0, 17.0], [0.0, -2.0, 0.0, 32.0]];
        assert_eq!(described.grid.affine().rows(), expected);
        assert_eq!(described.grid.affine().apply([1.5, 1.0, 1.0]), [10.0, 20.0, 30.0]);
        assert_eq!(*read_volume(&path).unwrap().grid(), described.grid);
        assert!(described.grid.is_placed());

        let path = put(folder.path(), "b.mgh", &[header(1, 0, false), numbers(0, 12)].concat());
        let described = describe_image(&path).unwrap();
        let expected = [[-1.0, 0.0, 0.0, 1.5], [0.0, 0.0, 1.0, -1.0], [0.0, -1.0, 0.0, 1.0]];
        assert_eq!(described.grid.affine().rows(), expected);
        assert_eq!(
            described.warnings,
            ["its header does not state the position of the voxels; FreeSurfer's default is used: coronal \
              slices of 1 mm"]
        );
        assert!(!described.grid.is_placed());
    }

    #[test]
    fn damaged_files_are_reported_with_advice() {
        let folder = tempfile::tempdir().unwrap();
        let whole = [header(2, 1, true), numbers(1, 24)].concat();
        let message = |name: &str, at: usize, change: &[u8], length: usize| {
            let mut bytes = whole.clone();
            bytes[at..at + change.len()].copy_from_slice(change);
            let path = put(folder.path(), name, &bytes[..length]);
            read_volume(&path).unwrap_err().to_string().replace(&format!("{}/", folder.path().display()), "")
        };
        let length = whole.len();
        let not = "a.mgh: the file is not a FreeSurfer image (it does not begin with version 1); check the \
                   file, or first convert the image to NIfTI";
        assert_eq!(message("a.mgh", 0, &[0], 0), not);
        assert_eq!(message("a.mgh", 0, &2i32.to_be_bytes(), length), not);
        assert_eq!(
            message("a.mgh", 0, &[0], 283),
            "a.mgh: the header ends early (283 of 284 bytes); copy or download the file again"
        );
        assert_eq!(
            message("a.mgh", 0, &[0], length - 1),
            "a.mgh: the image data end early (95 of 96 bytes); copy or download the file again"
        );
        assert_eq!(
            message("a.mgz", 0, &[0], length - 1),
            "a.mgz: the image data end early (379 of 380 bytes); copy or download the file again"
        );
        for size in [0, -1] {
            assert_eq!(
                message("a.mgh", 8, &i32::to_be_bytes(size), length),
                format!("a.mgh: 3 × {size} × 2 × 2 is not a possible image size; repair the image header")
            );
        }
        let enormous = message("a.mgz", 8, &i32::MAX.to_be_bytes(), length);
        assert!(
            enormous.starts_with("a.mgz: the header states 103079215056 bytes of image data"),
            "{enormous}"
        );
        // The number of bytes of this image fits into 64 bits, but its number of bits does not.
        let sizes = [i32::MAX, i32::MAX / 4, 1, 1].map(i32::to_be_bytes);
        let beyond = message("a.mgh", 4, &sizes.concat(), length);
        assert!(beyond.starts_with("a.mgh: the image data end early"), "{beyond}");
        assert_eq!(
            message("a.mgh", 20, &9i32.to_be_bytes(), length),
            "a.mgh: the image's data type 9 is not one that FreeSurfer writes; convert it to NIfTI with \
             FreeSurfer's mri_convert"
        );
        assert_eq!(
            message("a.mgh", 42, &f32::NAN.to_be_bytes(), length),
            "a.mgh (axes): the affine has values that are not numbers; repair the image header"
        );
        assert!(
            message("a.mgh", 30, &[0; 4], length)
                .contains("the impossible voxel sizes 0.000 × 2.000 × 3.000 mm")
        );
        assert!(
            message("a.mgh", 42, &[0; 4], length).contains("the axes of the affine are linearly dependent")
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn damaged_files_do_not_panic(
            changes in proptest::collection::vec((0usize..400, any::<u8>()), 1..6),
            cut in 0usize..400,
            compressed: bool,
        ) {
            let folder = tempfile::tempdir().unwrap();
            let mut bytes = [header(2, 1, true), numbers(1, 24)].concat();
            for (at, value) in changes {
                let at = at % bytes.len();
                bytes[at] = value;
            }
            bytes.truncate(bytes.len().saturating_sub(cut / 4));
            let path = put(folder.path(), if compressed { "a.mgz" } else { "a.mgh" }, &bytes);
            if let Err(error) = read_image(&path) {
                prop_assert!(error.to_string().contains("a.mg"), "{error}");
            }
            let _ = describe_image(&path);
        }
    }
}
