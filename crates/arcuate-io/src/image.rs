//! Reads and writes images in every supported format. The ending of the file name selects the format.

use crate::formats::{FileFormat, FileKind, IMAGES, ImageFormat, find, listed, written_endings};
use crate::image_types::{
    HeaderNotes, Image, ImageDescription, MadeImage, RequestedValues, StoredImage, Values, WriteOptions,
};
use crate::{AtomicFile, DataType, Element, mif, nifti};
use arcuate_core::{Error, Labels, Mask, Result, Volume};
use std::collections::BTreeMap;
use std::path::Path;

/// Returns the image format that the ending of a file name selects.
fn row_of(path: &Path) -> Result<&'static (FileFormat, ImageFormat)> {
    find(IMAGES, path).ok_or_else(|| {
        let only_read: Vec<&str> = IMAGES
            .iter()
            .filter(|(row, _)| !row.is_written)
            .flat_map(|(row, _)| row.endings)
            .copied()
            .collect();
        Error::usage(
            path.display(),
            "the ending of this file name is not an image format",
            format!("{} ({} can only be read)", advice(), listed(&only_read, "and")),
        )
    })
}

fn format_of(path: &Path) -> Result<ImageFormat> {
    row_of(path).map(|(_, format)| *format)
}

/// Returns the advice to use a file name with the ending of an image that can be written.
fn advice() -> String {
    format!("give a file that ends in {}", listed(&written_endings(FileKind::Image), "or"))
}

/// Returns true if the ending of a file name is the ending of an image format.
pub fn is_image_name(path: &Path) -> bool {
    find(IMAGES, path).is_some()
}

/// Returns true if the ending of a file name is the ending of an image format that contains gradient tables.
pub fn stores_gradients(path: &Path) -> bool {
    find(IMAGES, path).is_some_and(|(row, _)| row.stores_gradients)
}

/// Endings of the maps in a folder of results, in the order in which they are searched for. The first is the
/// default.
pub const MAP_ENDINGS: [&str; 3] = [nifti::ENDINGS[1], nifti::ENDINGS[0], mif::ENDINGS[0]];

/// Endings of images that users name without an ending, in the order in which they are searched for.
pub const UNNAMED_IMAGE_ENDINGS: [&str; 4] =
    [nifti::ENDINGS[1], nifti::ENDINGS[0], nifti::PAIR_ENDINGS[0], nifti::PAIR_ENDINGS[2]];

/// Reads an image and converts its values to the number type `T`.
fn read<T: Element>(path: &Path, requested: RequestedValues) -> Result<StoredImage<T>> {
    format_of(path)?.read(path, requested)
}

/// Reads an image: `.nii`, `.nii.gz`, `.mif`, `.mif.gz`, `.mgh`, `.mgz`, a pair of `.hdr` and `.img` files,
/// or a `.mih` file with its data file.
///
/// Values are rounded to the nearest `f32` after scaling; values that are not finite are unchanged. The
/// values of a voxel along all dimensions beyond the third become its channels, with the fourth dimension
/// fastest. Colours become three or four channels. Complex images give an error; use [`read_components`] for
/// them.
pub fn read_image(path: &Path) -> Result<Image> {
    let StoredImage { volume, data_type, gradients, .. } = read(path, RequestedValues::Real)?;
    Ok(Image { volume, data_type, gradients })
}

/// Reads the values of an image like [`read_image`], without its gradient table.
pub fn read_volume(path: &Path) -> Result<Volume<f32>> {
    read_volume_as(path)
}

/// Reads the values of an image as numbers of the type `T`. With the type `f64`, all stored values are exact,
/// except for large 64-bit integers. With a 64-bit integer type, these are exact, too. If `T` is an integer
/// type, values outside its range give an error.
pub fn read_volume_as<T: Element>(path: &Path) -> Result<Volume<T>> {
    Ok(read(path, RequestedValues::Real)?.volume)
}

/// Reads an image in order to copy it. Returns the values as the file stores them, before scaling. Also
/// returns the other content of the header, including the scaling.
pub fn read_stored<T: Element>(path: &Path) -> Result<(Volume<T>, HeaderNotes)> {
    let image = read(path, RequestedValues::Stored)?;
    Ok((image.volume, image.notes))
}

/// Lists the content of an image header that the format of the file `path` cannot store. Each text can follow
/// the word "lost:" in a message.
pub fn lost_in(path: &Path, notes: &HeaderNotes) -> Result<Vec<String>> {
    let mut lost = notes.left_out.clone();
    match format_of(path)? {
        ImageFormat::Nifti => nifti::add_lost(notes, &mut lost),
        _ => lost.extend(notes.intent.as_ref().map(ToString::to_string)),
    }
    Ok(lost)
}

/// Reads an image that may be complex. Each complex value becomes two channels, the real and the imaginary
/// part. Real images are read like by [`read_volume_as`]. Also returns the number type that the file stores.
pub fn read_components<T: Element>(path: &Path) -> Result<(Volume<T>, DataType)> {
    let image = read(path, RequestedValues::Components)?;
    Ok((image.volume, image.data_type))
}

/// Reads a mask. Voxels with a value above 0.5 are inside the mask. Returns an error if the image has more
/// than one value per voxel.
pub fn read_mask(path: &Path) -> Result<Mask> {
    let volume = read_volume(path)?;
    require_one_channel(path, volume.channels(), "mask")?;
    Ok(Mask::from_volume(&volume))
}

/// Reads a parcellation: an image of integers from 0 to 2³² − 1 in any number type, with one channel. These
/// region numbers are read exactly. [`read_label_names`](crate::read_label_names) reads the names of the
/// regions.
pub fn read_labels(path: &Path) -> Result<Labels> {
    let volume: Volume<i64> = read_volume_as(path)?;
    require_one_channel(path, volume.channels(), "parcellation")?;
    let grid = *volume.grid();
    let values = volume.into_values().into_iter().map(|value| {
        u32::try_from(value).map_err(|_| {
            let advice = "give an image of whole numbers of at least 0, with 0 for no region";
            Error::invalid(path.display(), format!("the value {value} is not a region number"), advice)
        })
    });
    Labels::new(grid, values.collect::<Result<_>>()?, BTreeMap::new()).map_err(|e| e.about(path.display()))
}

fn require_one_channel(path: &Path, channels: usize, what: &str) -> Result<()> {
    if channels == 1 {
        return Ok(());
    }
    let problem = format!("a {what} has one value per voxel, but this image has {channels}");
    Err(Error::invalid(path.display(), problem, "give a 3-D image"))
}

/// Reads the header of an image. The values are neither read nor checked.
pub fn describe_image(path: &Path) -> Result<ImageDescription> {
    format_of(path)?.describe(path)
}

/// Writes an image with stored values of the number type `T`. The ending of the file name selects the format:
/// `.nii`, `.nii.gz`, `.mif`, `.mif.gz`.
///
/// The file appears under its name when it is complete. NIfTI files have version 1. Version 2 is used if an
/// image dimension requires it or if [`nifti_2`](WriteOptions::nifti_2) is set. The affine is stored in the
/// sform and, if the axes of the affine are perpendicular, also in the qform. NIfTI-1 stores affines in
/// single precision.
pub fn write_image<T: Element>(path: &Path, volume: &Volume<T>, options: &WriteOptions) -> Result<()> {
    begin_image(path, volume, options)?.finish()
}

/// Writes an image whose values are computed while the file is written. The file has the same bytes as a file
/// that [`write_image`] writes.
pub fn write_made_image<T: Element>(
    path: &Path,
    image: &MadeImage<'_, T>,
    options: &WriteOptions,
) -> Result<()> {
    begin(path, image, options)?.finish()
}

/// Writes an image like [`write_image`], but leaves the file under its temporary name. The caller renames
/// several files together ([`finish_together`](crate::finish_together)).
pub fn begin_image<T: Element>(
    path: &Path,
    volume: &Volume<T>,
    options: &WriteOptions,
) -> Result<AtomicFile> {
    begin(path, volume, options)
}

fn begin<T: Element>(path: &Path, image: &impl Values<T>, options: &WriteOptions) -> Result<AtomicFile> {
    if let Some(gradients) = &options.gradients
        && gradients.len() != image.channels()
    {
        let problem = format!("{} gradients for {} channels", gradients.len(), image.channels());
        return Err(Error::invalid(path.display(), problem, "give one gradient per channel"));
    }
    let (row, format) = row_of(path)?;
    if row.is_written && !row.stores_gradients && options.gradients.is_some() {
        return Err(Error::usage(
            path.display(),
            format!("{} cannot store a gradient table", row.name),
            "write .mif, or write the gradient table into bval and bvec files",
        ));
    }
    format.write(path, image, options).unwrap_or_else(|| {
        let written = IMAGES.iter().filter(|(row, _)| row.is_written);
        let endings: Vec<&str> = written.map(|(row, _)| row.endings[0]).collect();
        let problem = format!("Arcuate writes images as {} files only", listed(&endings, "and"));
        Err(Error::usage(path.display(), problem, advice()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::{Affine, GradientTable, Grid};

    #[test]
    fn unknown_file_endings_list_the_known_ones() {
        let path = Path::new("dwi.dcm");
        let expected = "dwi.dcm: the ending of this file name is not an image format; give a file that ends \
                        in .nii, .nii.gz, .mif or .mif.gz (.hdr, .mih and .mgz can only be read)";
        let volume = Volume::filled(Grid::new([2, 2, 2], Affine::identity()).unwrap(), 1, 0f32);
        assert_eq!(read_image(path).unwrap_err().to_string(), expected);
        assert_eq!(describe_image(path).unwrap_err().to_string(), expected);
        assert_eq!(write_image(path, &volume, &WriteOptions::default()).unwrap_err().to_string(), expected);
        for name in ["dwi.img", "dwi.mgz"] {
            assert_eq!(
                write_image(Path::new(name), &volume, &WriteOptions::default()).unwrap_err().to_string(),
                format!(
                    "{name}: Arcuate writes images as .nii and .mif files only; give a file that ends in .nii, .nii.gz, \
                     .mif or .mif.gz"
                )
            );
        }
    }

    #[test]
    fn generated_images_equal_stored_images() {
        let folder = std::env::temp_dir().join(format!("arcuate-made-image-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        // The image has more values than a compression block, but each channel has fewer.
        let grid = Grid::new([37, 29, 23], Affine::scaling([1.0, 2.0, 0.5], [3.0, -4.0, 5.0])).unwrap();
        let value = |channel: usize, voxel: usize| (voxel as f32).sin() + 10.0 * channel as f32;
        for channels in [1, 17] {
            let all = (0..grid.len()).flat_map(|voxel| (0..channels).map(move |c| value(c, voxel)));
            let volume = Volume::new(grid, channels, all.collect()).unwrap();
            let make = |channel: usize, first: usize, out: &mut [f32]| {
                (first..).zip(out).for_each(|(voxel, out)| *out = value(channel, voxel));
            };
            let made = MadeImage { grid: &grid, channels, make: &make };
            for ending in ["nii", "nii.gz", "mif", "mif.gz"] {
                let [one, other] = ["there", "made"].map(|name| folder.join(format!("{name}.{ending}")));
                write_image(&one, &volume, &WriteOptions::default()).unwrap();
                write_made_image(&other, &made, &WriteOptions::default()).unwrap();
                let same = std::fs::read(&one).unwrap() == std::fs::read(&other).unwrap();
                assert!(same, "{channels} channels, {ending}");
                assert_eq!(read_volume(&other).unwrap(), volume, "{channels} channels, {ending}");
            }
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn gradients_are_embedded_only_in_mif() {
        let volume = Volume::filled(Grid::new([2, 2, 2], Affine::identity()).unwrap(), 2, 0f32);
        let table = |n| GradientTable::new(&vec![[1.0, 0.0, 0.0]; n], vec![1000.0; n], 50.0).unwrap();
        let options = |n| WriteOptions { gradients: Some(table(n)), ..WriteOptions::default() };
        assert_eq!(
            write_image(Path::new("dwi.nii"), &volume, &options(2)).unwrap_err().to_string(),
            "dwi.nii: NIfTI cannot store a gradient table; write .mif, or write the gradient table into bval \
             and bvec files"
        );
        assert_eq!(
            write_image(Path::new("dwi.mif"), &volume, &options(3)).unwrap_err().to_string(),
            "dwi.mif: 3 gradients for 2 channels; give one gradient per channel"
        );
    }
}
