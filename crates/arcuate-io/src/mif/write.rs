use super::header::KNOWN_KEYS;
use crate::endings::is_gzip_name;
use crate::gzip::write_payload;
use crate::image_types::{Values, WriteOptions};
use crate::{AtomicFile, DataType, Element, mrtrix_gradients};
use arcuate_core::{Affine, Error, Grid, Result};
use std::fmt::Write as _;
use std::path::Path;

/// Writes a `.mif` file under a temporary name, gzipped if the name ends in `.gz`. The values of a voxel
/// (its channels) are adjacent in the file, as in memory.
pub(crate) fn write<T: Element>(
    path: &Path,
    image: &impl Values<T>,
    options: &WriteOptions,
) -> Result<AtomicFile> {
    check_transform(path, image.grid().affine())?;
    let header = header_of::<T>(image.grid(), image.channels(), options);
    let mut file = AtomicFile::create(path)?;
    write_payload(&mut file, is_gzip_name(path), &header, image.bytes(), |range, out| {
        let part = image.rows(range.start / size_of::<T>()..range.end / size_of::<T>());
        if cfg!(target_endian = "little") {
            out.extend_from_slice(bytemuck::cast_slice(&part));
        } else {
            let little: Vec<T> = part.iter().map(|value| value.to_little_endian()).collect();
            out.extend_from_slice(bytemuck::cast_slice(&little));
        }
    })?;
    Ok(file)
}

/// Returns an error if the affine is not invertible after it is converted to unit axes and voxel sizes, as
/// the format stores it.
fn check_transform(path: &Path, affine: &Affine) -> Result<()> {
    let (axes, sizes, rows) = (affine.axes(), affine.voxel_sizes(), affine.rows());
    let rebuilt = std::array::from_fn(|r| {
        std::array::from_fn(|c| if c < 3 { axes[c][r] * sizes[c] } else { rows[r][3] })
    });
    Affine::from_rows(rebuilt).and_then(|affine| affine.inverse()).map(|_| ()).map_err(|_| {
        let problem = "its axes, brought to unit length as this format has them, have no inverse";
        Error::invalid(
            path.display(),
            problem,
            "write the image as .nii.gz, or repair the transform in its header",
        )
    })
}

fn header_of<T: Element>(grid: &Grid, channels: usize, options: &WriteOptions) -> Vec<u8> {
    let mut text = String::from("mrtrix image\n");
    let notes = &options.notes;
    let dimensions = notes.dimensions_of(grid, channels);
    let further = dimensions.len() - 3;
    let mut line = |key: &str, value: String| {
        // In the header, a line end inside the value of a key would begin another key.
        let value = value.replace(['\n', '\r'], " ");
        let _ = writeln!(text, "{key}: {value}");
    };
    let joined = |words: Vec<String>| words.join(",");
    line("dim", joined(dimensions.iter().map(ToString::to_string).collect()));
    let mut sizes: Vec<String> = grid.voxel_sizes().iter().map(ToString::to_string).collect();
    sizes.resize(dimensions.len(), "nan".to_owned());
    if let (Some(time), Some(size)) = (notes.repetition_time, sizes.get_mut(3)) {
        *size = time.to_string();
    }
    line("vox", joined(sizes));
    // The values are written in the order that they have in memory. The dimensions beyond the third vary
    // fastest, the fourth dimension first; then x, y and z follow.
    line(
        "layout",
        joined((0..3).map(|axis| axis + further).chain(0..further).map(|rank| format!("+{rank}")).collect()),
    );
    line("datatype", data_type_name(T::DATA_TYPE).to_owned());
    let [x, y, z] = grid.affine().axes();
    for (r, row) in grid.affine().rows().into_iter().enumerate() {
        line("transform", format!("{},{},{},{}", x[r], y[r], z[r], row[3]));
    }
    if let Some((slope, intercept)) = notes.scaling {
        line("scaling", format!("{intercept},{slope}"));
    }
    for comment in
        std::iter::once(&options.description).chain(&notes.comments).filter(|text| !text.is_empty())
    {
        line("comments", comment.clone());
    }
    for (key, value) in &notes.keys {
        // Keys with a meaning in the format, or keys that would end the header, are not copied from the
        // source image. The writer sets them for the new image.
        let is_free = !KNOWN_KEYS.iter().any(|known| known.eq_ignore_ascii_case(key))
            && !key.contains(['\n', '\r', ':']);
        if is_free && key != "END" && !key.is_empty() {
            line(key, value.clone());
        }
    }
    if let Some(gradients) = &options.gradients {
        for [x, y, z, b] in mrtrix_gradients::to_rows(gradients) {
            line("dw_scheme", format!("{x},{y},{z},{b}"));
        }
    }
    // The position of the image data leaves space for the last two lines of the header, however many digits
    // they have. It is a multiple of 16 for readers that use SIMD instructions.
    let offset = (text.len() + "file: . 00000000000000000000\nEND\n".len()).next_multiple_of(16);
    let _ = writeln!(text, "file: . {offset}\nEND");
    let mut header = text.into_bytes();
    header.resize(offset, 0);
    header
}

fn data_type_name(data_type: DataType) -> &'static str {
    match data_type {
        DataType::UInt8 => "UInt8",
        DataType::Int8 => "Int8",
        DataType::UInt16 => "UInt16LE",
        DataType::Int16 => "Int16LE",
        DataType::UInt32 => "UInt32LE",
        DataType::Int32 => "Int32LE",
        DataType::UInt64 => "UInt64LE",
        DataType::Int64 => "Int64LE",
        DataType::Float32 => "Float32LE",
        DataType::Float64 => "Float64LE",
        DataType::Complex64 => "CFloat32LE",
        other => unreachable!("no element is stored as {other}"),
    }
}
