use super::{header, quaternion};
use crate::endings::is_gzip_name;
use crate::gzip::write_payload;
use crate::image_types::{HeaderNotes, Values, WriteOptions};
use crate::{AtomicFile, Element};
use arcuate_core::{Affine, Grid, Result, narrow};
use std::path::Path;

/// Largest number of voxels along an axis that a NIfTI-1 header can store.
const LARGEST_SIZE_1: usize = i16::MAX as usize;

/// Codes of millimetre and second in `xyzt_units`.
const MILLIMETRE: u8 = 2;
const SECOND: u8 = 8;

/// Writes a NIfTI file under a temporary name, gzipped if the name ends in `.gz`. The caller renames it.
pub(crate) fn write<T: Element>(
    path: &Path,
    image: &impl Values<T>,
    options: &WriteOptions,
) -> Result<AtomicFile> {
    let (grid, channels) = (image.grid(), image.channels());
    let large = dimensions((grid, channels), options)[1..].iter().any(|&n| n > LARGEST_SIZE_1);
    let header = if large || options.nifti_2 || !fits_single_precision(grid.affine()) {
        header_2::<T>((grid, channels), options)
    } else {
        header_1::<T>((grid, channels), options)
    };
    let mut file = AtomicFile::create(path)?;
    let voxels = grid.len();
    write_payload(&mut file, is_gzip_name(path), &header, image.bytes(), |range, out| {
        // The file stores one volume after another. Value n of the file therefore belongs to channel n /
        // voxels and to voxel n % voxels, where `voxels` is the number of voxels.
        let places = range.start / size_of::<T>()..range.end / size_of::<T>();
        let (mut channel, mut voxel) = (places.start / voxels, places.start % voxels);
        let mut block: Vec<T> = Vec::with_capacity(places.len());
        while block.len() < places.len() {
            let count = (voxels - voxel).min(places.len() - block.len());
            image.add_of_channel(channel, voxel..voxel + count, &mut block);
            (channel, voxel) = (channel + 1, 0);
        }
        if cfg!(target_endian = "big") {
            for value in &mut block {
                *value = value.to_little_endian();
            }
        }
        out.extend_from_slice(bytemuck::cast_slice(&block));
    })?;
    Ok(file)
}

/// The voxel grid of an image, and its number of channels (values per voxel).
type Frame<'a> = (&'a Grid, usize);

/// The qform and the sform of a header, and whether each of them is set (code 1). Neither is set if the image
/// has no known position and readers of such a header assume the same affine.
#[derive(Default)]
struct Transforms {
    qform: bool,
    sform: bool,
    quaternion: [f64; 3],
    flip: bool,
    rows: [[f64; 4]; 3],
}

impl Transforms {
    fn of(grid: &Grid) -> Self {
        if says_nothing(grid) {
            return Self::default();
        }
        let rotation = quaternion::from_affine(grid.affine());
        let (quaternion, flip) = rotation.unwrap_or_default();
        Self { qform: rotation.is_some(), sform: true, quaternion, flip, rows: grid.affine().rows() }
    }
}

/// Returns true if readers of a NIfTI header without qform and sform assume this voxel grid. If the position
/// is unknown but comes from the default of another image format, which differs from NIfTI's default, the
/// result is false.
fn says_nothing(grid: &Grid) -> bool {
    !grid.is_placed()
        && Grid::unplaced(grid.shape(), grid.voxel_sizes()).is_ok_and(|read| {
            let smallest = grid.voxel_sizes().into_iter().fold(f64::INFINITY, f64::min);
            read.affine().distance(grid.affine(), grid.shape()) <= 1e-9 * smallest
        })
}

/// Returns true if an affine can be stored in single precision, as NIfTI-1 requires. Its numbers must not
/// exceed 3·10³⁸ mm or be below 10⁻³⁸ mm.
fn fits_single_precision(affine: &Affine) -> bool {
    let rounded = affine.rows().map(|row| row.map(|value| f64::from(value as f32)));
    Affine::from_rows(rounded).and_then(|affine| affine.inverse()).is_ok()
}

/// Returns the header field `dim`: the number of dimensions of the image, followed by the size of each
/// dimension.
fn dimensions((grid, channels): Frame<'_>, options: &WriteOptions) -> [usize; 8] {
    let mut sizes = options.notes.dimensions_of(grid, channels);
    if sizes.len() > LARGEST_DIMENSION {
        // A NIfTI header stores at most seven dimensions. If the image has more, the last ones are merged
        // into one.
        let rest = sizes.split_off(LARGEST_DIMENSION - 1).iter().product();
        sizes.push(rest);
    }
    let mut dimensions = [1; 8];
    dimensions[0] = sizes.len();
    dimensions[1..=sizes.len()].copy_from_slice(&sizes);
    dimensions
}

/// Maximum number of dimensions in a NIfTI header.
const LARGEST_DIMENSION: usize = 7;

/// Adds descriptions of the header content in `notes` that NIfTI cannot store to `lost`.
pub(crate) fn add_lost(notes: &HeaderNotes, lost: &mut Vec<String>) {
    if !notes.keys.is_empty() {
        let mut names: Vec<&str> = notes.keys.iter().map(|(key, _)| key.as_str()).collect();
        names.dedup();
        lost.push(format!("the header's {}", names.join(", ")));
    }
    let comments = notes.comments.join("; ");
    if comments.len() > LONGEST_DESCRIPTION {
        lost.push(format!("its comments after {LONGEST_DESCRIPTION} of {} bytes", comments.len()));
    }
    if notes.dimensions.len() > LARGEST_DIMENSION {
        lost.push(format!("dimensions beyond {LARGEST_DIMENSION}, which become one"));
    }
}

/// Returns the header field `pixdim`: qfac, the edge lengths of a voxel, and the distance between volumes,
/// which is the repetition time. If this time is unknown, or the fourth dimension is not time, the distance
/// is 1, because some programs reject a dimension without a size. An image with one volume has no such
/// distance.
fn pixel_sizes(frame: Frame<'_>, options: &WriteOptions, flip: bool) -> [f64; 8] {
    let [x, y, z] = frame.0.voxel_sizes();
    let unknown = if has_volumes(frame, options) { 1.0 } else { 0.0 };
    let time = options.notes.repetition_time.unwrap_or(unknown);
    [if flip { -1.0 } else { 1.0 }, x, y, z, time, 1.0, 1.0, 1.0]
}

fn has_volumes(frame: Frame<'_>, options: &WriteOptions) -> bool {
    dimensions(frame, options)[0] > 3
}

/// Returns the header field `xyzt_units`: the code of the unit of length, and of the unit of time if the
/// fourth dimension is time.
fn units(frame: Frame<'_>, options: &WriteOptions) -> u8 {
    let are_no_times = has_volumes(frame, options) && options.notes.repetition_time.is_none();
    if are_no_times { MILLIMETRE } else { MILLIMETRE | SECOND }
}

/// Joins the description of the image and the comments from its source to one line of text.
fn description(options: &WriteOptions) -> String {
    let comments = options.notes.comments.iter().map(String::as_str);
    let lines: Vec<&str> = std::iter::once(options.description.as_str())
        .chain(comments)
        .filter(|line| !line.is_empty())
        .collect();
    lines.join("; ")
}

/// Maximum length of the text in the header field `descrip`, in bytes.
const LONGEST_DESCRIPTION: usize = 79;

/// Writes bytes to a header, starting at the byte position `at`.
fn put(header: &mut [u8], at: usize, bytes: &[u8]) {
    header[at..at + bytes.len()].copy_from_slice(bytes);
}

/// Maximum length in bytes of the name of the intent in a NIfTI header.
const LONGEST_NAME: usize = 15;

/// Writes a text to a header field, followed by a zero byte. If the text is too long, it is cut at the border
/// of a character.
fn put_text(header: &mut [u8], at: usize, text: &str, longest: usize) {
    let mut end = text.len().min(longest);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    put(header, at, &text.as_bytes()[..end]);
}

fn header_1<T: Element>(frame: Frame<'_>, options: &WriteOptions) -> Vec<u8> {
    // The four zero bytes after the header state that there is no header extension.
    let mut h = vec![0; header::SIZE_1 + 4];
    let transforms = Transforms::of(frame.0);
    let quaternion = quaternion::to_f32(transforms.quaternion);
    put(&mut h, 0, &narrow::<i32>(header::SIZE_1).to_le_bytes());
    h[38] = b'r';
    for (n, size) in dimensions(frame, options).into_iter().enumerate() {
        put(&mut h, 40 + 2 * n, &narrow::<i16>(size).to_le_bytes());
    }
    put(&mut h, 70, &header::data_type_code(T::DATA_TYPE).to_le_bytes());
    put(&mut h, 72, &narrow::<i16>(T::DATA_TYPE.bits()).to_le_bytes());
    for (n, size) in pixel_sizes(frame, options, transforms.flip).into_iter().enumerate() {
        put(&mut h, 76 + 4 * n, &(size as f32).to_le_bytes());
    }
    put(&mut h, 108, &((header::SIZE_1 + 4) as f32).to_le_bytes());
    let (slope, intercept) = options.notes.scaling.unwrap_or((1.0, 0.0));
    put(&mut h, 112, &(slope as f32).to_le_bytes());
    put(&mut h, 116, &(intercept as f32).to_le_bytes());
    h[123] = units(frame, options);
    put_text(&mut h, 148, &description(options), LONGEST_DESCRIPTION);
    put(&mut h, 252, &i16::from(transforms.qform).to_le_bytes());
    put(&mut h, 254, &i16::from(transforms.sform).to_le_bytes());
    for (r, row) in transforms.rows.into_iter().enumerate() {
        put(&mut h, 256 + 4 * r, &quaternion[r].to_le_bytes());
        put(&mut h, 268 + 4 * r, &(row[3] as f32).to_le_bytes());
        for (c, value) in row.into_iter().enumerate() {
            put(&mut h, 280 + 16 * r + 4 * c, &(value as f32).to_le_bytes());
        }
    }
    if let Some(intent) = options.notes.intent_of(frame.0, frame.1) {
        for (n, parameter) in intent.parameters.into_iter().enumerate() {
            put(&mut h, 56 + 4 * n, &(parameter as f32).to_le_bytes());
        }
        put(&mut h, 68, &narrow::<i16>(intent.code).to_le_bytes());
        put_text(&mut h, 328, &intent.name, LONGEST_NAME);
    }
    put(&mut h, 344, b"n+1\0");
    h
}

fn header_2<T: Element>(frame: Frame<'_>, options: &WriteOptions) -> Vec<u8> {
    let mut h = vec![0; header::SIZE_2 + 4];
    let transforms = Transforms::of(frame.0);
    put(&mut h, 0, &narrow::<i32>(header::SIZE_2).to_le_bytes());
    put(&mut h, 4, b"n+2\0\r\n\x1a\n");
    put(&mut h, 12, &header::data_type_code(T::DATA_TYPE).to_le_bytes());
    put(&mut h, 14, &narrow::<i16>(T::DATA_TYPE.bits()).to_le_bytes());
    for (n, size) in dimensions(frame, options).into_iter().enumerate() {
        put(&mut h, 16 + 8 * n, &(size as i64).to_le_bytes());
    }
    for (n, size) in pixel_sizes(frame, options, transforms.flip).into_iter().enumerate() {
        put(&mut h, 104 + 8 * n, &size.to_le_bytes());
    }
    put(&mut h, 168, &((header::SIZE_2 + 4) as i64).to_le_bytes());
    let (slope, intercept) = options.notes.scaling.unwrap_or((1.0, 0.0));
    put(&mut h, 176, &slope.to_le_bytes());
    put(&mut h, 184, &intercept.to_le_bytes());
    put_text(&mut h, 240, &description(options), LONGEST_DESCRIPTION);
    put(&mut h, 344, &i32::from(transforms.qform).to_le_bytes());
    put(&mut h, 348, &i32::from(transforms.sform).to_le_bytes());
    for (r, row) in transforms.rows.into_iter().enumerate() {
        put(&mut h, 352 + 8 * r, &transforms.quaternion[r].to_le_bytes());
        put(&mut h, 376 + 8 * r, &row[3].to_le_bytes());
        for (c, value) in row.into_iter().enumerate() {
            put(&mut h, 400 + 32 * r + 8 * c, &value.to_le_bytes());
        }
    }
    put(&mut h, 500, &i32::from(units(frame, options)).to_le_bytes());
    if let Some(intent) = options.notes.intent_of(frame.0, frame.1) {
        for (n, parameter) in intent.parameters.into_iter().enumerate() {
            put(&mut h, 80 + 8 * n, &parameter.to_le_bytes());
        }
        put(&mut h, 504, &narrow::<i32>(intent.code).to_le_bytes());
        put_text(&mut h, 508, &intent.name, LONGEST_NAME);
    }
    h
}
