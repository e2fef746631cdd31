use super::header::{self, Header};
use crate::Element;
use crate::endings::split_ending;
use crate::gzip::GzipReader;
use crate::header_checks::{contradiction_of_length, unread_volumes, warn_of_unread};
use crate::image_errors::{self, ends_early, require_real, too_large};
use crate::image_types::{HeaderNotes, ImageDescription, RequestedValues, StoredImage};
use crate::plain_file::PlainFile;
use crate::rearrange::{Encoding, Layout, rearrange};
use arcuate_core::{Error, Result, Volume, threads};
use rayon::prelude::*;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{channel, sync_channel};

/// An opened NIfTI file, or the two opened files of a pair (`.hdr` and `.img`).
pub(super) struct Opened {
    pub(super) header: Header,
    /// The path of the file with the image data.
    path: PathBuf,
    file: PlainFile,
}

pub(super) fn open(path: &Path) -> Result<Opened> {
    let (header_path, image_path) = match files_of_pair(path) {
        Some([header, image]) => (header, Some(image)),
        None => (path.to_owned(), None),
    };
    let file = PlainFile::open(&header_path)?;
    let mut start = Vec::new();
    if file.is_gzip() {
        GzipReader::new(&file).read_up_to(header::SIZE_2 as u64 + 4, &mut start)?;
    } else {
        start = file.start(header::SIZE_2 as u64 + 4)?;
    }
    let header = header::parse(&header_path, &start)?;
    match (header.single_file, image_path) {
        (true, _) => Ok(Opened { header, path: header_path, file }),
        (false, Some(image_path)) => {
            Ok(Opened { header, file: PlainFile::open(&image_path)?, path: image_path })
        }
        (false, None) => Err(Error::invalid(
            path.display(),
            "the header belongs to a pair of files, .hdr and .img",
            "give the .hdr file, with the .img file in the same folder",
        )),
    }
}

/// Returns the paths of the header file and of the image file of a pair, from the name of one of them. Returns
/// `None` if the name is not that of such a file.
pub fn files_of_pair(path: &Path) -> Option<[PathBuf; 2]> {
    let name = path.to_string_lossy();
    let (stem, ending) = split_ending(&name, &super::PAIR_ENDINGS)?;
    let gzipped = if ending.len() > 4 { ".gz" } else { "" };
    Some(["hdr", "img"].map(|ending| PathBuf::from(format!("{stem}.{ending}{gzipped}"))))
}

/// Reads a whole NIfTI image.
pub(crate) fn read<T: Element>(path: &Path, requested: RequestedValues) -> Result<StoredImage<T>> {
    let opened = open(path)?;
    require_real(path, opened.header.data_type, requested)?;
    for warning in &opened.header.warnings {
        tracing::warn!("{}: {warning}", path.display());
    }
    read_opened(path, opened, requested)
}

/// Reads the image data of a NIfTI file whose header has been parsed.
pub(super) fn read_opened<T: Element>(
    path: &Path,
    opened: Opened,
    requested: RequestedValues,
) -> Result<StoredImage<T>> {
    let Opened { header, path: data_path, file } = opened;
    let grid = header.grid;
    let shape = grid.shape();
    let volumes: usize = header.dimensions[3..].iter().product();
    let scaling = requested.scaling(header.scaling);
    let image = Image { header: &header, scaling, shape, volumes, path: &data_path };
    let values = if file.is_gzip() { image.decode(&file)? } else { image.convert(&file)? };
    let channels = volumes * header.data_type.components();
    let volume = Volume::new(grid, channels, values).map_err(|e| e.about(path.display()))?;
    let notes = if header.data_type.components() == 1 {
        HeaderNotes { dimensions: header.dimensions, ..header.notes }
    } else {
        header.notes
    };
    Ok(StoredImage { volume, data_type: header.data_type, gradients: None, notes })
}

struct Image<'a> {
    header: &'a Header,
    scaling: Option<(f64, f64)>,
    shape: [usize; 3],
    volumes: usize,
    path: &'a Path,
}

/// A piece of the image data that is decompressed and converted at once. It consists either of some volumes
/// with all their voxels, or of some voxels of one volume.
#[derive(Debug, Clone, PartialEq)]
struct Batch {
    volumes: Range<usize>,
    voxels: Range<usize>,
}

impl Image<'_> {
    fn voxels(&self) -> usize {
        self.shape.iter().product()
    }

    fn components(&self) -> usize {
        self.header.data_type.components()
    }

    fn voxel_bytes(&self) -> usize {
        self.header.data_type.bits() / 8
    }

    fn data_bytes(&self) -> u64 {
        (self.voxels() * self.volumes * self.voxel_bytes()) as u64
    }

    /// Warns if the file contains more volumes than the header describes. `more` is the number of bytes after
    /// the image data.
    fn warn_of_unread(&self, more: u64) {
        let (size, volume) = (self.data_bytes(), (self.voxels() * self.voxel_bytes()) as u64);
        warn_of_unread(self.path, unread_volumes(size.saturating_add(more), size, volume));
    }

    fn encoding(&self) -> Encoding {
        Encoding {
            data_type: self.header.data_type,
            big_endian: self.header.big_endian,
            scaling: self.scaling,
        }
    }

    fn unrepresentable<T: Element>(&self, value: f64) -> Error {
        image_errors::unrepresentable::<T>(self.path, value, self.scaling)
    }

    fn allocate<T: Element>(&self) -> Result<Vec<T>> {
        let count = self.voxels() * self.volumes * self.components();
        // The operating system provides zeroed memory pages when they are first accessed. This happens in the
        // threads that convert the values, so the pages are distributed over these threads.
        bytemuck::allocation::try_zeroed_vec(count).map_err(|()| too_large(self.path, count * size_of::<T>()))
    }

    /// Reads and converts an uncompressed file. Each task reads and converts a slab: some consecutive voxels
    /// with their values in all volumes. The bytes of a slab are therefore still in the processor cache when
    /// they are converted.
    fn convert<T: Element>(&self, file: &PlainFile) -> Result<Vec<T>> {
        /// Size of a slab (some consecutive voxels of all volumes) in bytes. If a slab of this size would
        /// have too few bytes per volume for efficient reads, it is made larger.
        const SLAB: usize = 1 << 21;
        const STRETCH: usize = 1 << 15;
        let (offset, size) = (self.header.data_offset, self.data_bytes());
        let available = file.size().saturating_sub(offset);
        if available < size {
            return Err(ends_early(self.path, available, size));
        }
        self.warn_of_unread(available - size);
        let channels = self.volumes * self.components();
        let bytes = self.voxel_bytes();
        let slab = (SLAB / (self.volumes * bytes)).max(STRETCH / bytes);
        let mut values = self.allocate::<T>()?;
        values.par_chunks_mut(slab * channels).enumerate().try_for_each_init(
            Vec::new,
            |buffer: &mut Vec<u8>, (n, out)| {
                let voxels = out.len() / channels;
                buffer.resize(voxels * bytes * self.volumes, 0);
                for (volume, part) in buffer.chunks_exact_mut(voxels * bytes).enumerate() {
                    file.read(offset + ((volume * self.voxels() + n * slab) * bytes) as u64, part)?;
                }
                // The voxels of a slab are consecutive in each volume, whatever the shape of the image. The
                // slab is therefore treated as an image with a single row of voxels.
                let layout = Layout::volumes([voxels, 1, 1], self.volumes, self.components());
                rearrange(buffer, self.encoding(), &layout, 0, channels, out)
                    .map_err(|value| self.unrepresentable::<T>(value))
            },
        )?;
        Ok(values)
    }

    /// Reads and converts a compressed file. One thread decompresses batches of data while the other threads
    /// convert the previous batch. If no further thread can start, the calling thread alternately
    /// decompresses and converts.
    fn decode<T: Element>(&self, file: &PlainFile) -> Result<Vec<T>> {
        self.decode_in(std::thread::Builder::new(), file)
    }

    fn decode_in<T: Element>(&self, thread: std::thread::Builder, file: &PlainFile) -> Result<Vec<T>> {
        let size = self.data_bytes();
        let total = size + self.header.data_offset;
        let mut reader = GzipReader::new(file);
        reader.require_room(size, self.header.data_offset)?;
        let mut values = self.allocate::<T>()?;
        let batches = self.batches();
        let decoded = std::thread::scope(|scope| {
            // One batch can wait in the channel while another batch is decompressed and a third one is
            // converted. The buffers of converted batches are used again.
            let (full, filled) = sync_channel::<Vec<u8>>(1);
            let (empty, emptied) = channel::<Vec<u8>>();
            let (work, reader) = (&batches, &mut reader);
            let decoder = threads::start_in(thread, scope, move || {
                reader.skip(self.header.data_offset, total)?;
                for batch in work {
                    let size = (batch.volumes.len() * batch.voxels.len() * self.voxel_bytes()) as u64;
                    let mut buffer = emptied.try_recv().unwrap_or_default();
                    reader.read_exactly(size, total, &mut buffer)?;
                    if full.send(buffer).is_err() {
                        return Ok(0);
                    }
                }
                reader.finish()
            });
            let Ok(decoder) = decoder else { return None };
            let mut converted = Ok(());
            for (batch, buffer) in batches.iter().zip(filled) {
                converted = self.place(batch, &buffer, &mut values);
                if converted.is_err() {
                    break;
                }
                // If the thread that decompresses has finished, it does not receive the empty buffer, which
                // is no error.
                let _ = empty.send(buffer);
            }
            let decoded = decoder.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            Some(converted.and(decoded))
        });
        if let Some(decoded) = decoded {
            let more = decoded?;
            self.warn_of_unread(more);
            return Ok(values);
        }
        reader.skip(self.header.data_offset, total)?;
        let mut buffer = Vec::new();
        for batch in &batches {
            let size = (batch.volumes.len() * batch.voxels.len() * self.voxel_bytes()) as u64;
            reader.read_exactly(size, total, &mut buffer)?;
            self.place(batch, &buffer, &mut values)?;
        }
        let more = reader.finish()?;
        self.warn_of_unread(more);
        Ok(values)
    }

    fn place<T: Element>(&self, batch: &Batch, bytes: &[u8], values: &mut [T]) -> Result<()> {
        let components = self.components();
        let channels = self.volumes * components;
        // If a batch has only some voxels of one volume, these voxels are consecutive, whatever the shape of
        // the image.
        let part = if batch.voxels.len() == self.voxels() { self.shape } else { [batch.voxels.len(), 1, 1] };
        let layout = Layout::volumes(part, batch.volumes.len(), components);
        let out = &mut values[batch.voxels.start * channels..batch.voxels.end * channels];
        rearrange(bytes, self.encoding(), &layout, batch.volumes.start * components, channels, out)
            .map_err(|value| self.unrepresentable::<T>(value))
    }

    fn batches(&self) -> Vec<Batch> {
        /// Minimum number of volumes in a batch. The values of a voxel in eight volumes fill half a cache
        /// line (with 4 bytes per value) or a whole one (8 bytes). This avoids a separate memory access for
        /// every value.
        const VOLUMES: usize = 8;
        const VOXELS: usize = 1 << 20;
        let voxels = self.voxels();
        if self.volumes == 1 {
            let starts = (0..voxels).step_by(VOXELS);
            return starts
                .map(|start| Batch { volumes: 0..1, voxels: start..voxels.min(start + VOXELS) })
                .collect();
        }
        let starts = (0..self.volumes).step_by(VOLUMES);
        starts
            .map(|start| Batch { volumes: start..self.volumes.min(start + VOLUMES), voxels: 0..voxels })
            .collect()
    }
}

/// Reads the header of a NIfTI image.
pub(crate) fn describe(path: &Path) -> Result<ImageDescription> {
    let Opened { mut header, file, .. } = open(path)?;
    if !file.is_gzip() {
        let volume = (header.grid.len() * header.data_type.bits() / 8) as u64;
        let size = volume * header.dimensions[3..].iter().product::<usize>() as u64;
        let available = file.size().saturating_sub(header.data_offset);
        header.warnings.extend(contradiction_of_length(available, size, volume));
    }
    let compressed = if file.is_gzip() { ", gzip" } else { "" };
    let files = if header.single_file { "" } else { ", header and image in two files" };
    Ok(ImageDescription {
        format: format!("NIfTI-{}{files}{compressed}", header.version),
        dimensions: header.dimensions,
        data_type: header.data_type,
        big_endian: header.big_endian,
        grid: header.grid,
        stored_sizes: header.stored_sizes,
        affine_source: header.affine_source,
        standard_space: header.standard_space,
        intent: header.intent,
        scaling: header.scaling,
        gradients: None,
        description: header.notes.comments.join("; "),
        warnings: header.warnings,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::{Affine, Grid};

    #[test]
    fn images_are_decoded_without_additional_threads() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.nii.gz");
        // This size of the batches divides the image of the test into three batches.
        let shape = [7, 5, 3];
        let grid = Grid::new(shape, Affine::scaling([2.0; 3], [0.0; 3])).unwrap();
        let values: Vec<f32> = (0..grid.len() * 17).map(|n| n as f32).collect();
        let volume = Volume::new(grid, 17, values).unwrap();
        crate::write_image(&path, &volume, &crate::WriteOptions::default()).unwrap();
        let Opened { header, path, file } = open(&path).unwrap();
        let image = Image { header: &header, scaling: None, shape, volumes: 17, path: &path };
        let too_large = std::thread::Builder::new().stack_size(1 << 60);
        assert_eq!(image.decode_in::<f32>(too_large, &file).unwrap(), volume.values());
        // The error about a truncated image names its file.
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 20]).unwrap();
        let Opened { file, .. } = open(&path).unwrap();
        let too_large = std::thread::Builder::new().stack_size(1 << 60);
        let error = image.decode_in::<f32>(too_large, &file).unwrap_err();
        assert_eq!(error.to_string(), image.decode::<f32>(&file).unwrap_err().to_string());
    }
}
