use crate::gzip::write_payload;
use crate::image_types::WriteOptions;
use crate::{AtomicFile, DataType, Element, mrtrix_gradients};
use arcuate_core::{Result, Volume};
use std::fmt::Write as _;
use std::path::Path;

/// Writes a `.mif` file, gzipped where `compress` is set. Its channels are fastest, as in memory.
pub(crate) fn write<T: Element>(
    path: &Path,
    volume: &Volume<T>,
    options: &WriteOptions,
    compress: bool,
) -> Result<()> {
    let header = header_of(volume, options);
    let mut file = AtomicFile::create(path)?;
    let values = volume.values();
    write_payload(&mut file, compress, &header, size_of_val(values), |range, out| {
        let part = &values[range.start / size_of::<T>()..range.end / size_of::<T>()];
        if cfg!(target_endian = "little") {
            out.extend_from_slice(bytemuck::cast_slice(part));
        } else {
            let little: Vec<T> = part.iter().map(|value| value.to_little_endian()).collect();
            out.extend_from_slice(bytemuck::cast_slice(&little));
        }
    })?;
    file.finish()
}

fn header_of<T: Element>(volume: &Volume<T>, options: &WriteOptions) -> Vec<u8> {
    let mut text = String::from("mrtrix image\n");
    let grid = volume.grid();
    let ([nx, ny, nz], [sx, sy, sz]) = (grid.shape(), grid.voxel_sizes());
    let series = volume.channels() > 1;
    let mut line = |key: &str, value: String| {
        // A line end inside a value would begin another key.
        let value = value.replace(['\n', '\r'], " ");
        writeln!(text, "{key}: {value}").expect("a string takes any text");
    };
    if series {
        line("dim", format!("{nx},{ny},{nz},{}", volume.channels()));
        line("vox", format!("{sx},{sy},{sz},nan"));
        line("layout", "+1,+2,+3,+0".to_owned());
    } else {
        line("dim", format!("{nx},{ny},{nz}"));
        line("vox", format!("{sx},{sy},{sz}"));
        line("layout", "+0,+1,+2".to_owned());
    }
    line("datatype", data_type_name(T::DATA_TYPE).to_owned());
    let [x, y, z] = grid.affine().axes();
    for (r, row) in grid.affine().rows().into_iter().enumerate() {
        line("transform", format!("{},{},{},{}", x[r], y[r], z[r], row[3]));
    }
    if !options.description.is_empty() {
        line("comments", options.description.clone());
    }
    if let Some(gradients) = &options.gradients {
        for [x, y, z, b] in mrtrix_gradients::to_rows(gradients) {
            line("dw_scheme", format!("{x},{y},{z},{b}"));
        }
    }
    // Room for the last two lines, whatever the number of digits; data begin at a multiple of 16 for SIMD readers.
    let offset = (text.len() + "file: . 00000000000000000000\nEND\n".len()).next_multiple_of(16);
    writeln!(text, "file: . {offset}\nEND").expect("a string takes any text");
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
        other => unreachable!("no element is stored as {other}"),
    }
}
