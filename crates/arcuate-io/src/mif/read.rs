use super::header::{header_text, parse};
use crate::gzip::{GzipReader, is_gzip};
use crate::image_errors::{claims_too_much, ends_early, require_real, too_large, unrepresentable};
use crate::image_types::{ImageDescription, StoredImage, orientation_letters};
use crate::mapped::map;
use crate::rearrange::{Encoding, rearrange, unpack_bits};
use crate::{DataType, Element};
use arcuate_core::{Grid, Result, Volume};
use std::path::Path;

/// Reads a whole image; `components` allows complex values.
pub(crate) fn read<T: Element>(path: &Path, components: bool) -> Result<StoredImage<T>> {
    let own = map(path)?;
    let (text, _) = header_text(path, &own)?;
    let header = parse(path, &text)?;
    require_real(path, header.data_type, components)?;
    for warning in &header.warnings {
        tracing::warn!("{}: {warning}", path.display());
    }
    let data_path = &header.data_path;
    let file = if data_path == path { own } else { map(data_path)? };
    let (offset, size) = (header.data_offset, header.data_bytes());
    let mut decoded = Vec::new();
    let data: &[u8] = if is_gzip(&file) {
        let mut reader = GzipReader::new(data_path, &file);
        let total = size.saturating_add(offset);
        if total > reader.largest_content() {
            return Err(claims_too_much(data_path, size, file.len()));
        }
        reader.skip(offset, total)?;
        reader.read_exactly(size, total, &mut decoded)?;
        reader.finish()?;
        &decoded
    } else {
        let available = (file.len() as u64).saturating_sub(offset);
        if available < size {
            return Err(ends_early(data_path, available, size));
        }
        &file[offset as usize..(offset + size) as usize]
    };
    let grid = Grid::new(header.shape(), header.affine).map_err(|e| e.about(path.display()))?;
    let channels = header.channels();
    let count = grid.len() * channels;
    let mut values = bytemuck::allocation::try_zeroed_vec::<T>(count)
        .map_err(|()| too_large(path, count * size_of::<T>()))?;
    let mut encoding =
        Encoding { data_type: header.data_type, big_endian: header.big_endian, scaling: header.scaling };
    let unpacked;
    let data = if header.data_type == DataType::Bit {
        encoding.data_type = DataType::UInt8;
        unpacked = unpack_bits(data, count);
        &unpacked
    } else {
        data
    };
    rearrange(data, encoding, &header.layout(), 0, channels, &mut values)
        .map_err(|value| unrepresentable::<T>(path, value, header.scaling))?;
    let volume = Volume::new(grid, channels, values).map_err(|e| e.about(path.display()))?;
    Ok(StoredImage { volume, data_type: header.data_type, gradients: header.gradients })
}

/// What the header says.
pub(crate) fn describe(path: &Path) -> Result<ImageDescription> {
    let bytes = map(path)?;
    let (text, compressed) = header_text(path, &bytes)?;
    let header = parse(path, &text)?;
    let files = if header.data_path == path { "" } else { ", header and image in two files" };
    Ok(ImageDescription {
        format: format!("MRtrix image{files}{}", if compressed { ", gzip" } else { "" }),
        dimensions: header.dimensions,
        data_type: header.data_type,
        big_endian: header.big_endian,
        voxel_sizes: header.affine.voxel_sizes(),
        orientation: orientation_letters(&header.affine),
        affine: header.affine,
        affine_source: header.affine_source,
        scaling: header.scaling,
        gradients: header.gradients,
        description: header.comments,
        warnings: header.warnings,
    })
}
