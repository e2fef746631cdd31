//! Anatomical images of a report, which are the background of maps and streamlines.

use crate::checksums::Input;
use crate::job::Job;
use crate::output_files::{FA_TITLE, Kind, Picture};
use crate::record::{self, Record};
use arcuate_core::{Error, Grid, Result, Volume, is_present};
use arcuate_io::{describe_image, read_volume};
use arcuate_report::{MapFigure, ViewerScene};
use rayon::prelude::*;
use std::path::{Path, PathBuf};

/// Names of images in a folder of bedpostX that can be the background of maps and streamlines, the best
/// first. They are the brain at b = 0, the fitted signal at b = 0, the sum of the fibre fractions, and the
/// fraction of the first fibre.
const OF_SAMPLES: [&str; 4] = ["nodif_brain", "mean_S0samples", "mean_fsumsamples", "mean_f1samples"];

/// A background image.
struct Image {
    title: String,
    volume: Volume<f32>,
    window: Option<[f32; 2]>,
    unit: String,
}

/// All background images of a report, on which maps and streamlines are drawn. If the user gave an image, it
/// is the first.
#[derive(Default)]
pub(super) struct Anatomy {
    images: Vec<Image>,
}

/// Returns an error if an image cannot be the background of maps and streamlines, because it has several
/// volumes.
pub fn check(path: &Path) -> Result<()> {
    let channels = describe_image(path)?.channels();
    if channels == 1 {
        return Ok(());
    }
    let problem = format!("the image has {channels} volumes, but an anatomical image has one");
    Err(Error::invalid(
        path.display(),
        problem,
        "give a 3-D image, such as a T1-weighted image in the \
                                                 space of the scan",
    ))
}

impl Anatomy {
    /// Collects the background images: the image of the user, then the anatomical images in the record. If
    /// there are none, images next to an input of the command are used, or images of the fibre orientations
    /// that streamlines followed.
    pub(super) fn of(folder: &Path, record: &Record, given: Option<&Path>, job: &Job) -> Result<Self> {
        let mut anatomy = Self::default();
        if let Some(path) = given {
            check(path)?;
            let (volume, title) = (read_volume(path)?, record::name_of(path));
            anatomy.images.push(Image { title, volume, window: None, unit: String::new() });
        }
        anatomy.add(folder, record)?;
        if anatomy.images.is_empty()
            && let Some((folder, record)) = next_to_input(record, job)
        {
            anatomy.add(&folder, &record)?;
        }
        if anatomy.images.is_empty() {
            anatomy.add_followed(record, job)?;
        }
        if anatomy.images.is_empty() {
            anatomy.add_of_samples(record, job)?;
        }
        Ok(anatomy)
    }

    /// Adds a background image of the FODs that streamlines followed. It is the first FOD coefficient, which
    /// measures the amount of white matter.
    fn add_followed(&mut self, record: &Record, job: &Job) -> Result<()> {
        for input in &record.shown_inputs {
            let is_followed = matches!(input.picture, Some(Picture { kind: Kind::Distributions, .. }));
            if is_followed && record.knows(&input.name, job) {
                let volume = read_volume(Path::new(input.name.as_ref()))?.channel(0);
                let title = "First coefficient of the distributions".to_owned();
                self.images.push(Image { title, volume, window: None, unit: String::new() });
            }
        }
        Ok(())
    }

    /// Adds a background image from the bedpostX folder whose samples streamlines followed.
    fn add_of_samples(&mut self, record: &Record, job: &Job) -> Result<()> {
        let is_fraction = |input: &&Input| record::name_of(Path::new(&input.path)).starts_with("merged_f");
        let Some(input) = record.inputs.iter().find(is_fraction) else { return Ok(()) };
        let folder = Path::new(&input.path).parent().unwrap_or(Path::new("")).to_owned();
        let names = OF_SAMPLES.iter().flat_map(|name| [format!("{name}.nii.gz"), format!("{name}.nii")]);
        let found = names.map(|name| folder.join(name)).find(|path| path.is_file());
        if let Some(path) = found.filter(|_| record.knows(&input.path, job)) {
            let (volume, title) = (read_volume(&path)?, record::name_of(&path));
            if volume.channels() == 1 {
                self.images.push(Image { title, volume, window: None, unit: String::new() });
            }
        }
        Ok(())
    }

    /// Adds the background images of a record.
    fn add(&mut self, folder: &Path, record: &Record) -> Result<()> {
        let mut found = Vec::new();
        for file in &record.files {
            let Some(Picture { kind: Kind::Map(map), .. }) = &file.picture else { continue };
            if !map.backdrop {
                continue;
            }
            let path = record::inside(folder, &file.name)?;
            if is_present(&path) {
                found.push((file, map, path));
            }
        }
        let read: Vec<Result<Volume<f32>>> = found.par_iter().map(|(_, _, path)| read_volume(path)).collect();
        for ((file, map, _), volume) in found.into_iter().zip(read) {
            let (title, unit) = (file.title.to_string(), map.unit.to_string());
            self.images.push(Image { title, volume: volume?, window: map.window, unit });
        }
        Ok(())
    }

    /// Returns the first background image with one volume, sampled on a voxel grid. Returns `None` if no
    /// background image overlaps the grid.
    pub(super) fn on(&self, grid: &Grid) -> Option<Volume<f32>> {
        let gray = self.images.iter().filter(|image| image.volume.channels() == 1);
        let mut sampled = gray.map(|image| sampled(&image.volume, grid));
        sampled.find(|volume| volume.values().iter().any(|value| *value != 0.0))
    }

    /// Creates a figure of the background on a voxel grid. The title of the figure is `title`, and the label of
    /// its colour bar contains the title of the background image. Returns `None` if no background image
    /// overlaps the grid.
    pub(super) fn figure_on(&self, grid: &Grid, title: &str) -> Option<MapFigure> {
        let gray = self.images.iter().filter(|image| image.volume.channels() == 1);
        let mut sampled = gray.map(|image| (image, sampled(&image.volume, grid)));
        let (image, volume) =
            sampled.find(|(_, volume)| volume.values().iter().any(|value| *value != 0.0))?;
        let unit = if image.title == FA_TITLE { "FA" } else { image.unit.as_str() };
        // The title of an image of the user is a file name, which is not changed.
        let name = if image.title == FA_TITLE { image.title.to_lowercase() } else { image.title.clone() };
        Some(MapFigure::scalar(title, volume, unit).with_key_label(format!("background: {name}")))
    }

    /// Returns a figure of the first background image, with nothing drawn on it.
    pub(super) fn first(&self) -> Option<MapFigure> {
        let image = self.images.first()?;
        Some(MapFigure::scalar(image.title.clone(), image.volume.clone(), image.unit.clone()))
    }

    /// Adds all background images to the interactive viewer of the streamlines.
    pub(super) fn behind(&self, mut scene: ViewerScene) -> Result<ViewerScene> {
        for Image { title, volume, window, unit } in &self.images {
            scene = scene.with_background(title, volume, *window, unit)?;
        }
        Ok(scene)
    }
}

/// Samples an image at the voxel centres of a grid, by trilinear interpolation. The value is 0 outside the
/// image.
fn sampled(image: &Volume<f32>, grid: &Grid) -> Volume<f32> {
    if image.grid().matches(grid) {
        return image.clone();
    }
    let own = image.grid();
    let value = |voxel: usize| {
        let at = own.inverse().apply(grid.centre(voxel));
        own.voxel_containing(at).map_or(0.0, |_| image.trilinear(0, at) as f32)
    };
    let values = (0..grid.len()).into_par_iter().map(value).collect();
    Volume::new(*grid, 1, values).unwrap_or_else(|_| Volume::filled(*grid, 1, 0.0))
}

/// Searches the folders of the inputs for a record that lists background images. An example is the folder of
/// a tensor image, which also contains its maps. Returns this folder and its record.
///
/// A record may list any file as an input. The folder of an input is used only if the input still has the
/// checksum in the record.
fn next_to_input(record: &Record, job: &Job) -> Option<(PathBuf, Record)> {
    record.inputs.iter().find_map(|input| {
        let path = PathBuf::from(&input.path);
        let folder = path.parent()?.to_owned();
        let companion_path = Record::read(&folder).ok()?;
        let is_backdrop = |picture: &Picture| matches!(&picture.kind, Kind::Map(map) if map.backdrop);
        companion_path.files.iter().find(|file| file.picture.as_ref().is_some_and(is_backdrop))?;
        let known = job.checksums().of(std::slice::from_ref(&path)).ok()?;
        known.iter().any(|known| known.sha256 == input.sha256).then_some((folder, companion_path))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::Affine;

    #[test]
    fn anatomical_images_are_resampled_to_the_grid_of_maps() {
        let fine = Grid::new([8, 8, 8], Affine::identity()).unwrap();
        let ramp = Volume::new(fine, 1, (0..512).map(|voxel| (voxel % 8) as f32).collect()).unwrap();
        let coarse = Grid::new([3, 2, 2], Affine::scaling([2.5, 2.0, 2.0], [1.0, 1.0, 1.0])).unwrap();
        let found = sampled(&ramp, &coarse);
        assert_eq!(found.values()[..3], [1.0, 3.5, 6.0]);
        let elsewhere = Grid::new([2, 2, 2], Affine::scaling([1.0; 3], [100.0; 3])).unwrap();
        assert!(sampled(&ramp, &elsewhere).values().iter().all(|value| *value == 0.0));
        let image = Image { title: String::new(), volume: ramp, window: None, unit: String::new() };
        let anatomy = Anatomy { images: vec![image] };
        assert!(anatomy.on(&elsewhere).is_none() && anatomy.on(&coarse).is_some());
    }
}
