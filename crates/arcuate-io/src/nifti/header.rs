use super::quaternion;
use crate::DataType;
use crate::header_checks::{contradiction_of_sizes, doubts_of_sizes, usable_sizes};
use crate::image_types::{HeaderNotes, Intent};
use arcuate_core::{Affine, Error, Grid, Result};
use std::path::Path;

/// The content of a NIfTI header, in the units that Arcuate uses.
#[derive(Debug, Clone)]
pub(super) struct Header {
    /// The version of NIfTI, 1 or 2.
    pub(super) version: u8,
    pub(super) big_endian: bool,
    /// True if the image data are in the same file as the header (`.nii`), false for a pair of files.
    pub(super) single_file: bool,
    /// Numbers of voxels along x, y and z, followed by the sizes of all further dimensions. There are at
    /// least three numbers.
    pub(super) dimensions: Vec<usize>,
    pub(super) data_type: DataType,
    /// Byte position in the file of the first value of the image.
    pub(super) data_offset: u64,
    /// Slope and intercept, if values are scaled.
    pub(super) scaling: Option<(f64, f64)>,
    pub(super) grid: Grid,
    /// The name of the header field from which the affine of the voxel grid was read.
    pub(super) affine_source: &'static str,
    pub(super) standard_space: Option<&'static str>,
    pub(super) intent: i64,
    pub(super) stored_sizes: [f64; 3],
    pub(super) fnirt: FnirtFields,
    /// Other content of the header that copies of the image should keep. It does not include the dimensions.
    pub(super) notes: HeaderNotes,
    /// Warnings about problems of the file that do not prevent reading it.
    pub(super) warnings: Vec<String>,
}

/// Header fields with a special meaning in the coefficient files of FNIRT, with the values that the file
/// stores.
#[derive(Debug, Clone)]
pub(super) struct FnirtFields {
    /// The header fields `intent_p1` to `intent_p3`.
    pub(super) intent_parameters: [f64; 3],
    /// The header field `pixdim`.
    pub(super) pixel_sizes: [f64; 3],
    /// The header fields `qoffset_x` to `qoffset_z`.
    pub(super) quaternion_offset: [f64; 3],
    /// The three rows of the sform (an affine), even if its code states that it is not set.
    pub(super) sform: [[f64; 4]; 3],
}

/// Size of the NIfTI-1 header in bytes.
pub(super) const SIZE_1: usize = 348;
/// Size of the NIfTI-2 header in bytes.
pub(super) const SIZE_2: usize = 540;

/// The bytes of a NIfTI header, and the byte order of its numbers.
struct Fields<'a> {
    bytes: &'a [u8],
    big_endian: bool,
}

impl Fields<'_> {
    fn array<const N: usize>(&self, at: usize) -> [u8; N] {
        let mut array = [0; N];
        array.copy_from_slice(&self.bytes[at..at + N]);
        if self.big_endian {
            array.reverse();
        }
        array
    }

    fn i16(&self, at: usize) -> i64 {
        i16::from_le_bytes(self.array(at)).into()
    }

    fn i32(&self, at: usize) -> i64 {
        i32::from_le_bytes(self.array(at)).into()
    }

    fn i64(&self, at: usize) -> i64 {
        i64::from_le_bytes(self.array(at))
    }

    fn f32(&self, at: usize) -> f64 {
        f32::from_le_bytes(self.array(at)).into()
    }

    fn f64(&self, at: usize) -> f64 {
        f64::from_le_bytes(self.array(at))
    }

    fn text(&self, at: usize, length: usize) -> String {
        let bytes = &self.bytes[at..at + length];
        let end = bytes.iter().position(|&b| b == 0).unwrap_or(length);
        String::from_utf8_lossy(&bytes[..end]).trim().to_owned()
    }
}

/// The fields of a NIfTI header that describe geometry, number type and size, converted from version 1 or 2.
struct Raw {
    dimensions: [i64; 8],
    data_type: i64,
    bits: i64,
    pixel_sizes: [f64; 8],
    offset: f64,
    slope: f64,
    intercept: f64,
    units: i64,
    qform_code: i64,
    sform_code: i64,
    quaternion: [f64; 3],
    quaternion_offset: [f64; 3],
    sform: [[f64; 4]; 3],
    description: String,
    intent: i64,
    intent_parameters: [f64; 3],
    intent_name: String,
    /// Names of header fields that have a value in the file, but that Arcuate does not use.
    others: Vec<String>,
}

/// Parses a NIfTI header from the first bytes of a file. `bytes` must have [`SIZE_2`] + 4 bytes, or all bytes
/// of a file that is shorter.
pub(super) fn parse(path: &Path, bytes: &[u8]) -> Result<Header> {
    let not_nifti = || {
        Error::invalid(
            path.display(),
            "the file is not a NIfTI image (it does not begin with a NIfTI header)",
            "check the file, or first convert the image to NIfTI",
        )
    };
    let size: [u8; 4] = bytes.get(..4).and_then(|b| b.try_into().ok()).ok_or_else(not_nifti)?;
    let (version, big_endian) = match (u32::from_le_bytes(size), u32::from_be_bytes(size)) {
        (348, _) => (1, false),
        (_, 348) => (1, true),
        (540, _) => (2, false),
        (_, 540) => (2, true),
        _ => return Err(not_nifti()),
    };
    let length = if version == 1 { SIZE_1 } else { SIZE_2 };
    if bytes.len() < length {
        let problem = format!("the header ends early ({} of {length} bytes)", bytes.len());
        return Err(Error::invalid(path.display(), problem, "copy or download the file again"));
    }
    let single_file = magic(path, bytes, version)?;
    let fields = Fields { bytes, big_endian };
    let raw = if version == 1 { raw_1(&fields) } else { raw_2(&fields) };

    let mut warnings = Vec::new();
    let dimensions = dimensions(path, &raw.dimensions)?;
    let (grid, affine_source) = grid(path, &raw, &dimensions, &mut warnings)?;
    let standard_space = standard_space(&raw, affine_source);
    let stored_sizes = stored_sizes(&raw);
    let data_type = data_type(path, raw.data_type)?;
    warnings.extend(contradictions(&raw, &dimensions, data_type));
    let scaling = scaling(path, &raw, data_type)?;
    let fnirt = FnirtFields {
        intent_parameters: raw.intent_parameters,
        pixel_sizes: std::array::from_fn(|axis| raw.pixel_sizes[axis + 1]),
        quaternion_offset: raw.quaternion_offset,
        sform: raw.sform,
    };
    let repetition_time = repetition_time(&raw, &dimensions);
    let intent = Intent::copied(raw.intent, raw.intent_parameters, raw.intent_name);
    let mut left_out = raw.others;
    if intent.is_some() {
        left_out.retain(|what| !what.starts_with(AN_INTENT));
    }
    Ok(Header {
        version,
        big_endian,
        single_file,
        data_type,
        data_offset: data_offset(path, raw.offset, single_file, length as u64 + 4, &mut warnings)?,
        scaling,
        notes: HeaderNotes {
            repetition_time,
            comments: (!raw.description.is_empty()).then_some(raw.description).into_iter().collect(),
            scaling,
            intent,
            left_out,
            ..HeaderNotes::default()
        },
        dimensions,
        grid,
        affine_source,
        standard_space,
        intent: raw.intent,
        stored_sizes,
        fnirt,
        warnings,
    })
}

/// Returns true if the header field `magic` states that header and image data are in a single file. Returns
/// false if it states a pair of files. Returns an error for any other value.
fn magic(path: &Path, bytes: &[u8], version: u8) -> Result<bool> {
    let magic = if version == 1 { &bytes[344..348] } else { &bytes[4..12] };
    match magic {
        b"n+1\0" | b"n+2\0\r\n\x1a\n" => Ok(true),
        b"ni1\0" | b"ni2\0\r\n\x1a\n" => Ok(false),
        [0, 0, 0, 0] => Err(Error::invalid(
            path.display(),
            "the file has no NIfTI magic: this is an Analyze 7.5 image, whose orientation is not defined",
            "convert the image to NIfTI with a program that knows its orientation",
        )),
        other => Err(Error::invalid(
            path.display(),
            format!("the NIfTI magic in the header is damaged (`{}`)", other.escape_ascii()),
            "copy or download the file again",
        )),
    }
}

fn raw_1(f: &Fields) -> Raw {
    Raw {
        dimensions: std::array::from_fn(|n| f.i16(40 + 2 * n)),
        data_type: f.i16(70),
        bits: f.i16(72),
        pixel_sizes: std::array::from_fn(|n| f.f32(76 + 4 * n)),
        offset: f.f32(108),
        slope: f.f32(112),
        intercept: f.f32(116),
        units: f.bytes[123].into(),
        description: f.text(148, 80),
        qform_code: f.i16(252),
        sform_code: f.i16(254),
        quaternion: std::array::from_fn(|n| f.f32(256 + 4 * n)),
        quaternion_offset: std::array::from_fn(|n| f.f32(268 + 4 * n)),
        sform: std::array::from_fn(|r| std::array::from_fn(|c| f.f32(280 + 16 * r + 4 * c))),
        intent: f.i16(68),
        intent_parameters: std::array::from_fn(|n| f.f32(56 + 4 * n)),
        intent_name: f.text(328, 16),
        others: others(
            f,
            &[("an auxiliary file", f.text(228, 24)), (AN_INTENT, f.text(328, 16))],
            &[(AN_INTENT, f.i16(68)), ("slice timing", i64::from(f.bytes[122]))],
        ),
    }
}

fn raw_2(f: &Fields) -> Raw {
    Raw {
        data_type: f.i16(12),
        bits: f.i16(14),
        dimensions: std::array::from_fn(|n| f.i64(16 + 8 * n)),
        pixel_sizes: std::array::from_fn(|n| f.f64(104 + 8 * n)),
        offset: f.i64(168) as f64,
        slope: f.f64(176),
        intercept: f.f64(184),
        description: f.text(240, 80),
        qform_code: f.i32(344),
        sform_code: f.i32(348),
        quaternion: std::array::from_fn(|n| f.f64(352 + 8 * n)),
        quaternion_offset: std::array::from_fn(|n| f.f64(376 + 8 * n)),
        sform: std::array::from_fn(|r| std::array::from_fn(|c| f.f64(400 + 32 * r + 8 * c))),
        units: f.i32(500),
        intent: f.i32(504),
        intent_parameters: std::array::from_fn(|n| f.f64(80 + 8 * n)),
        intent_name: f.text(508, 16),
        others: others(
            f,
            &[("an auxiliary file", f.text(320, 24)), (AN_INTENT, f.text(508, 16))],
            &[(AN_INTENT, f.i32(504)), ("slice timing", f.i32(496))],
        ),
    }
}

/// The text for the intent in the list of header content that cannot be copied.
const AN_INTENT: &str = "an intent";

/// Returns descriptions of the header fields and extensions that copies of the image cannot keep.
fn others(f: &Fields, texts: &[(&str, String)], codes: &[(&str, i64)]) -> Vec<String> {
    let named =
        texts.iter().filter(|(_, text)| !text.is_empty()).map(|(what, text)| format!("{what} `{text}`"));
    let mut others: Vec<String> = named.collect();
    let is_new = |what: &str, others: &[String]| !others.iter().any(|other| other.starts_with(what));
    for (what, code) in codes {
        if *code != 0 && is_new(what, &others) {
            others.push(format!("{what} (code {code})"));
        }
    }
    let length = if f.i32(0) == SIZE_1 as i64 { SIZE_1 } else { SIZE_2 };
    if f.bytes.get(length).is_some_and(|&flag| flag != 0) {
        others.push("header extensions".to_owned());
    }
    others
}

/// Returns the repetition time (the time between volumes) in s. Returns `None` if the stored time is invalid,
/// or if the fourth dimension is not time.
fn repetition_time(raw: &Raw, dimensions: &[usize]) -> Option<f64> {
    // The header field `xyzt_units` states the unit of time: 8 means second, 16 millisecond and 24
    // microsecond; 32 and above are frequencies. If there is no unit, the time is in seconds. But without a
    // unit, a time of 1 is ignored, because programs write 1 if the time is unknown.
    let unit = match raw.units & 0x38 {
        0 if raw.pixel_sizes[4] == 1.0 => return None,
        0 | 8 => 1.0,
        16 => 1e-3,
        24 => 1e-6,
        _ => return None,
    };
    let time = raw.pixel_sizes[4] * unit;
    (dimensions.get(3).is_some_and(|&n| n > 1) && time.is_finite() && time > 0.0).then_some(time)
}

fn dimensions(path: &Path, raw: &[i64; 8]) -> Result<Vec<usize>> {
    let repair = "repair the image header";
    if !(1..=7).contains(&raw[0]) {
        let problem = format!("the image header states {} dimensions", raw[0]);
        return Err(Error::invalid(
            path.display(),
            problem,
            "repair the image header; an image has 1 to 7 \
                                                            dimensions",
        ));
    }
    let used = &raw[1..=raw[0] as usize];
    if used.iter().any(|&n| n < 1) {
        let sizes: Vec<String> = used.iter().map(ToString::to_string).collect();
        let problem = format!("{} is not a possible image size", sizes.join(" × "));
        return Err(Error::invalid(path.display(), problem, repair));
    }
    let mut dimensions: Vec<usize> = used.iter().map(|&n| n as usize).collect();
    dimensions.resize(dimensions.len().max(3), 1);
    // The size in bytes is computed with sixteen bytes per value, the largest number type that can be read,
    // to detect an overflow. The values in memory have at most eight bytes.
    let bytes = dimensions.iter().try_fold(16usize, |product, &n| product.checked_mul(n));
    if bytes.is_none() {
        let sizes: Vec<String> = dimensions.iter().map(ToString::to_string).collect();
        let problem = format!("{} is not a possible image size", sizes.join(" × "));
        return Err(Error::invalid(path.display(), problem, repair));
    }
    Ok(dimensions)
}

fn data_type(path: &Path, code: i64) -> Result<DataType> {
    let unsupported = |what: &str| {
        Err(Error::invalid(
            path.display(),
            format!("the image values are {what} (NIfTI data type {code}), which Arcuate does not read"),
            "convert the image to 32- or 64-bit floating point",
        ))
    };
    Ok(match code {
        2 => DataType::UInt8,
        4 => DataType::Int16,
        8 => DataType::Int32,
        16 => DataType::Float32,
        32 => DataType::Complex64,
        64 => DataType::Float64,
        128 => DataType::Rgb24,
        256 => DataType::Int8,
        512 => DataType::UInt16,
        768 => DataType::UInt32,
        1024 => DataType::Int64,
        1280 => DataType::UInt64,
        1792 => DataType::Complex128,
        2304 => DataType::Rgba32,
        1 => return unsupported("single bits"),
        1536 => return unsupported("128-bit floating point numbers"),
        2048 => return unsupported("256-bit complex numbers"),
        _ => {
            let problem = format!("NIfTI has no data type {code}");
            return Err(Error::invalid(path.display(), problem, "repair the image header"));
        }
    })
}

/// Returns the NIfTI code for a number type in which Arcuate writes images.
pub(super) fn data_type_code(data_type: DataType) -> i16 {
    match data_type {
        DataType::UInt8 => 2,
        DataType::Int16 => 4,
        DataType::Int32 => 8,
        DataType::Float32 => 16,
        DataType::Complex64 => 32,
        DataType::Float64 => 64,
        DataType::Int8 => 256,
        DataType::UInt16 => 512,
        DataType::UInt32 => 768,
        DataType::Int64 => 1024,
        DataType::UInt64 => 1280,
        other => unreachable!("no element is stored as {other}"),
    }
}

/// Returns the byte position of the image data in the file. If the field `vox_offset` of a file with header
/// and image data is less than 352, it means 352, according to its documentation in `nifti1.h`. A warning
/// reports that such a file is read in this way, because an unset position looks the same as a damaged one.
/// `smallest` is 352 for NIfTI-1 and 544 for NIfTI-2.
fn data_offset(
    path: &Path,
    offset: f64,
    single_file: bool,
    smallest: u64,
    warnings: &mut Vec<String>,
) -> Result<u64> {
    if single_file && (0.0..smallest as f64).contains(&offset) {
        warnings.push(format!(
            "the header states that the image data begin at byte {offset}, inside the header; they are read \
             from byte {smallest}, as the standard requires"
        ));
        return Ok(smallest);
    }
    // The limit of the position is about 2⁵³. A larger number cannot be a byte position in a file, not even
    // in NIfTI-2.
    if !(0.0..9.0e15).contains(&offset) {
        let problem =
            format!("the header states that the image data begin at byte {offset}, which is not possible");
        return Err(Error::invalid(path.display(), problem, "repair the image header (vox_offset)"));
    }
    Ok(offset as u64)
}

fn scaling(path: &Path, raw: &Raw, data_type: DataType) -> Result<Option<(f64, f64)>> {
    // If the slope of the scaling is 0 or not finite, the values are not scaled. The values of colour images
    // are never scaled.
    let none = raw.slope == 0.0 || !raw.slope.is_finite();
    if none || matches!(data_type, DataType::Rgb24 | DataType::Rgba32) {
        return Ok(None);
    }
    if !raw.intercept.is_finite() {
        let problem = format!("its scaling intercept is {}", raw.intercept);
        return Err(Error::invalid(path.display(), problem, "repair the image header (scl_inter)"));
    }
    Ok((raw.slope != 1.0 || raw.intercept != 0.0).then_some((raw.slope, raw.intercept)))
}

/// Returns the standard space (such as MNI) to which the affine leads. Returns `None` if the header states
/// none.
fn standard_space(raw: &Raw, affine_source: &str) -> Option<&'static str> {
    let code = if affine_source == "sform" { raw.sform_code } else { raw.qform_code };
    match code {
        3 => Some("Talairach"),
        4 => Some("MNI"),
        _ => None,
    }
}

/// Returns the length in mm of the unit in which the header states positions.
fn unit(raw: &Raw) -> f64 {
    // The header field `xyzt_units` states the unit of length: 1 means metre and 3 means micrometre. All
    // other numbers mean millimetre in practice.
    match raw.units & 7 {
        1 => 1000.0,
        3 => 0.001,
        _ => 1.0,
    }
}

/// Returns the edge lengths of a voxel that the header stores separately from the affine, in the length unit
/// of the header.
fn pixel_sizes(raw: &Raw) -> [f64; 3] {
    std::array::from_fn(|axis| raw.pixel_sizes[axis + 1])
}

/// Returns the edge lengths of a voxel in the length unit of the header. Invalid lengths are replaced.
fn sizes(raw: &Raw) -> [f64; 3] {
    usable_sizes(pixel_sizes(raw))
}

/// Returns the edge lengths of a voxel that the header stores separately from the affine, in mm.
fn stored_sizes(raw: &Raw) -> [f64; 3] {
    sizes(raw).map(|size| unit(raw) * size)
}

/// Returns warnings about header fields that contradict the header fields in use.
fn contradictions(raw: &Raw, dimensions: &[usize], data_type: DataType) -> Vec<String> {
    let mut found = Vec::new();
    let count = dimensions.len();
    let beyond = (1..8).filter(|&axis| axis as i64 > raw.dimensions[0] && raw.dimensions[axis] > 1);
    for axis in beyond {
        found.push(format!(
            "its header claims {} dimensions (dim[0]) and a size of {} along number {axis} (dim[{axis}]); {count} are read",
            raw.dimensions[0], raw.dimensions[axis]
        ));
    }
    // Some programs do not set the field with the number of bits per value.
    if raw.bits != 0 && raw.bits != data_type.bits() as i64 {
        found.push(format!(
            "its header claims {} bits of a value (bitpix), and its data type {data_type} has {}; the data type is used",
            raw.bits,
            data_type.bits()
        ));
    }
    found
}

/// Returns the voxel grid of the image, and the name of the header field from which its affine was read.
fn grid(
    path: &Path,
    raw: &Raw,
    dimensions: &[usize],
    warnings: &mut Vec<String>,
) -> Result<(Grid, &'static str)> {
    let shape = [dimensions[0], dimensions[1], dimensions[2]];
    let unit = unit(raw);
    // A transform that is not invertible is not used, because it does not give each voxel its own position.
    let to_grid = |rows: [[f64; 4]; 3]| {
        Grid::new(shape, Affine::from_rows(rows.map(|row| row.map(|value| value * unit)))?)
    };
    let sform = (raw.sform_code > 0).then(|| to_grid(raw.sform));
    let qform = (raw.qform_code > 0).then(|| {
        let flip = raw.pixel_sizes[0] < 0.0;
        to_grid(quaternion::to_rows(raw.quaternion, raw.quaternion_offset, sizes(raw), flip))
    });
    let tell_of_sizes = |warnings: &mut Vec<String>| {
        warnings.extend(doubts_of_sizes(pixel_sizes(raw), shape, "pixdim"));
    };
    match (sform, qform) {
        (Some(Ok(sform)), qform) => {
            if let Some(Ok(qform)) = qform {
                let smallest = sform.voxel_sizes().into_iter().fold(f64::INFINITY, f64::min);
                let distance = sform.affine().distance(qform.affine(), shape);
                if distance > 0.1 * smallest {
                    warnings.push(format!(
                        "its sform and qform disagree by up to {distance:.3} mm; the sform is used"
                    ));
                }
            }
            // Edge lengths that are missing contradict nothing.
            if doubts_of_sizes(pixel_sizes(raw), [2; 3], "pixdim").is_empty() {
                let used = "the affine is used, but FSL's programs use the sizes";
                warnings.extend(contradiction_of_sizes(stored_sizes(raw), sform.affine(), " (pixdim)", used));
            }
            Ok((sform, "sform"))
        }
        (Some(Err(error)), Some(Ok(qform))) => {
            drop(error);
            tell_of_sizes(warnings);
            warnings.push("its sform is not a valid transform; the qform is used".to_owned());
            Ok((qform, "qform"))
        }
        (None, Some(Ok(qform))) => {
            tell_of_sizes(warnings);
            Ok((qform, "qform"))
        }
        (Some(Err(error)), _) | (None, Some(Err(error))) => {
            Err(error.about(format_args!("{} (affine)", path.display())))
        }
        (None, None) => {
            tell_of_sizes(warnings);
            warnings.push(UNPLACED.to_owned());
            let unplaced = Grid::unplaced(shape, stored_sizes(raw));
            Ok((
                unplaced.map_err(|e| e.about(format_args!("{} (voxel sizes)", path.display())))?,
                "voxel sizes only",
            ))
        }
    }
}

/// The warning about an image whose header has neither a qform nor an sform.
const UNPLACED: &str = "its header does not state the position of the voxels (neither sform nor qform). As in FSL \
                        and nibabel, x is assumed to run from right to left (MRtrix: from left to right)";
