use super::header::read_header;
use crate::gzip::GzipReader;
use crate::header_checks::{contradiction_of_length, unread_volumes, warn_of_unread};
use crate::image_errors::{ends_early, require_real, too_large, unrepresentable};
use crate::image_types::{HeaderNotes, ImageDescription, RequestedValues, StoredImage};
use crate::plain_file::PlainFile;
use crate::rearrange::{Encoding, rearrange, unpack_bits};
use crate::{DataType, Element};
use arcuate_core::{Error, Result, Volume};
use std::path::Path;

/// Reads a whole `.mif` image.
pub(crate) fn read<T: Element>(path: &Path, requested: RequestedValues) -> Result<StoredImage<T>> {
    let own = PlainFile::open(path)?;
    let header = read_header(&own)?;
    require_real(path, header.data_type, requested)?;
    for warning in &header.warnings {
        tracing::warn!("{}: {warning}", path.display());
    }
    let data_path = &header.data_path;
    let about = |error: Error| error.about(format_args!("{} (file {})", path.display(), data_path.display()));
    let file = if data_path == path { own } else { PlainFile::open(data_path).map_err(about)? };
    let (offset, size) = (header.data_offset, header.data_bytes());
    let mut data = Vec::new();
    if file.is_gzip() {
        let mut reader = GzipReader::new(&file);
        let total = size.saturating_add(offset);
        reader.require_room(size, offset)?;
        reader.skip(offset, total)?;
        reader.read_exactly(size, total, &mut data)?;
        let more = reader.finish()?;
        warn_of_unread(path, unread_volumes(size.saturating_add(more), size, header.volume_bytes()));
    } else {
        let available = file.size().saturating_sub(offset);
        if available < size {
            return Err(ends_early(data_path, available, size));
        }
        warn_of_unread(path, unread_volumes(available, size, header.volume_bytes()));
        data = file.bytes(offset, size as usize)?;
    }
    let grid = header.grid;
    let channels = header.channels();
    let count = grid.len() * channels;
    let mut values = bytemuck::allocation::try_zeroed_vec::<T>(count)
        .map_err(|()| too_large(path, count * size_of::<T>()))?;
    let mut encoding = Encoding {
        data_type: header.data_type,
        big_endian: header.big_endian,
        scaling: requested.scaling(header.scaling),
    };
    if header.data_type == DataType::Bit {
        encoding.data_type = DataType::UInt8;
        data = unpack_bits(&data, count);
    }
    rearrange(&data, encoding, &header.layout(), 0, channels, &mut values)
        .map_err(|value| unrepresentable::<T>(path, value, encoding.scaling))?;
    let volume = Volume::new(grid, channels, values).map_err(|e| e.about(path.display()))?;
    let notes = if header.data_type.components() == 1 {
        HeaderNotes { dimensions: header.dimensions, ..header.notes }
    } else {
        header.notes
    };
    Ok(StoredImage { volume, data_type: header.data_type, gradients: header.gradients, notes })
}

/// Reads the header of a `.mif` image.
pub(crate) fn describe(path: &Path) -> Result<ImageDescription> {
    let file = PlainFile::open(path)?;
    let mut header = read_header(&file)?;
    if header.data_path == path && !file.is_gzip() {
        let available = file.size().saturating_sub(header.data_offset);
        header.warnings.extend(contradiction_of_length(
            available,
            header.data_bytes(),
            header.volume_bytes(),
        ));
    }
    let files = if header.data_path == path { "" } else { ", header and image in two files" };
    Ok(ImageDescription {
        format: format!("MRtrix image{files}{}", if file.is_gzip() { ", gzip" } else { "" }),
        dimensions: header.dimensions,
        data_type: header.data_type,
        big_endian: header.big_endian,
        grid: header.grid,
        stored_sizes: header.grid.voxel_sizes(),
        affine_source: header.affine_source,
        standard_space: None,
        intent: 0,
        scaling: header.scaling,
        gradients: header.gradients,
        description: header.notes.comments.join("; "),
        warnings: header.warnings,
    })
}
