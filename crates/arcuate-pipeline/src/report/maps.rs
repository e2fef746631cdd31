//! Figures of the images among the results and inputs of a command.

use super::anatomy::Anatomy;
use crate::output_files::{Map, Outline, OutputFile, Picture};
use crate::record;
use arcuate_core::{FiveTissues, Grid, Mask, Result, Volume, image_axes_to_scanner, is_present, statistics};
use arcuate_io::read_volume;
use arcuate_report::{ColourScale, Glyphs, HistogramFigure, MapFigure};
use std::borrow::Cow;
use std::path::Path;

/// Creates a figure of a five-tissue-type image. Cortical and sub-cortical grey matter have the same colour,
/// and pathological tissue is not shown.
pub(super) fn tissues(file: &OutputFile, picture: &Picture, path: &Path) -> Result<MapFigure> {
    let tissues = FiveTissues::new(read_volume(path)?).map_err(|error| error.about(path.display()))?;
    let of = |voxel: usize| {
        let [cortical, sub_cortical, white, csf, _] = tissues.fractions(voxel);
        [csf, cortical + sub_cortical, white]
    };
    let values = (0..tissues.grid().len()).flat_map(of).collect();
    let volume = Volume::new(*tissues.grid(), 3, values)?;
    let names = ["cerebrospinal fluid", "grey matter", "white matter"].map(str::to_owned);
    Ok(MapFigure::mixture(file.title.as_ref(), volume, names).with_caption(picture.caption.as_ref()))
}

/// Data for the figures of a report: the folder of results, the background images and the regions.
pub(super) struct ReportContext<'a> {
    pub(super) folder: &'a Path,
    pub(super) anatomy: &'a Anatomy,
    /// Name and mask of each region among the inputs of the command.
    pub(super) regions: &'a [(String, Mask)],
}

impl ReportContext<'_> {
    /// Reads an image in the folder of results.
    pub(super) fn read(&self, name: &str) -> Result<Volume<f32>> {
        read_volume(&record::inside(self.folder, name)?)
    }

    fn over_anatomy(&self, figure: MapFigure, grid: &Grid) -> MapFigure {
        match self.anatomy.on(grid) {
            Some(image) => figure.with_anatomy(image),
            None => figure,
        }
    }

    /// Creates the figure of a map with the values `volume`. Returns `None` if all values are 0 or NaN.
    pub(super) fn map(
        &self,
        file: &OutputFile,
        picture: &Picture,
        map: &Map,
        volume: Volume<f32>,
    ) -> Result<Option<MapFigure>> {
        if volume.values().iter().all(|value| *value == 0.0 || value.is_nan()) {
            return Ok(None);
        }
        let grid = *volume.grid();
        let title = file.title.as_ref();
        let figure = if map.directions {
            MapFigure::directions(title, self.colours(volume, map)?)
        } else if let Some(names) = &map.mixture {
            MapFigure::mixture(title, volume, names.each_ref().map(ToString::to_string))
        } else if map.classes.is_empty() {
            self.scalar(file, volume, map)?
        } else {
            MapFigure::classes(title, volume, map.classes.iter().map(ToString::to_string).collect())
        };
        let is_sparse = (map.heat || map.directions || !map.classes.is_empty()) && !map.backdrop;
        let figure = if is_sparse { self.over_anatomy(figure, &grid) } else { figure };
        let mut figure = self.outlined(figure, &map.outlines)?;
        let regions = self.regions.iter().filter(|(_, mask)| map.heat && mask.grid().matches(&grid));
        for (name, mask) in regions {
            figure = figure.with_outline(mask, name.as_str());
        }
        Ok(Some(figure.with_caption(picture.caption.as_ref())))
    }

    /// Creates a figure of an image of labels, drawn on an anatomical image.
    pub(super) fn classes(&self, name: &str, classes: &[Cow<'static, str>]) -> Result<MapFigure> {
        let volume = self.read(name)?;
        let grid = *volume.grid();
        let names = classes.iter().map(ToString::to_string).collect();
        Ok(self.over_anatomy(MapFigure::classes(name, volume, names), &grid))
    }

    fn outlined(&self, mut figure: MapFigure, outlines: &[Outline]) -> Result<MapFigure> {
        for of_file in outlines.chunk_by(|a, b| a.file == b.file) {
            let path = record::inside(self.folder, &of_file[0].file)?;
            if !is_present(&path) {
                continue;
            }
            let volume = read_volume(&path)?;
            for Outline { name, volume: channel, .. } in of_file {
                if *channel < volume.channels() {
                    let mask = Mask::from_volume(&volume.channel(*channel));
                    figure = figure.with_outline(&mask, name.as_ref());
                }
            }
        }
        Ok(figure)
    }

    fn scalar(&self, file: &OutputFile, volume: Volume<f32>, map: &Map) -> Result<MapFigure> {
        let window = match (&map.window, &map.window_of) {
            (Some(window), _) => Some(*window),
            (None, Some(name)) if *name == file.name => Some([0.0, upper(&volume)]),
            (None, Some(name)) => Some([0.0, upper(&self.read(name)?)]),
            (None, None) => None,
        };
        let volume = match map.factor {
            Some(factor) => volume.map(|value| factor * value),
            None => volume,
        };
        let mut figure = MapFigure::scalar(file.title.as_ref(), volume, map.unit.as_ref());
        if let Some([low, high]) = window {
            figure = figure.with_window(low, high);
        }
        if map.heat {
            figure = figure.with_colours(ColourScale::Inferno);
        }
        Ok(figure)
    }

    /// Converts the direction in each voxel to a colour. A direction and its opposite have the same colour.
    fn colours(&self, mut volume: Volume<f32>, map: &Map) -> Result<Volume<f32>> {
        let grid = *volume.grid();
        if volume.channels() != 3 {
            // The number of volumes is wrong. The function that draws the figure reports this.
            return Ok(volume);
        }
        if map.voxel_axes {
            for direction in volume.values_mut().chunks_exact_mut(3) {
                let along = [0, 1, 2].map(|n| f64::from(direction[n]));
                let turned = image_axes_to_scanner(&[along], grid.affine());
                (0..3).for_each(|n| direction[n] = turned[0][n] as f32);
            }
        }
        if let Some(name) = &map.weighted_by {
            let weights = self.read(name)?;
            grid.require_match(weights.grid(), name, &record::name_of(self.folder))?;
            let of_voxels = weights.values().chunks_exact(weights.channels());
            for (direction, weight) in volume.values_mut().chunks_exact_mut(3).zip(of_voxels) {
                for component in direction {
                    *component *= weight[0];
                }
            }
        }
        Ok(volume.map(f32::abs))
    }

    /// Creates a figure of FODs, drawn on an anatomical image. If there is none, they are drawn on the image
    /// of their first coefficient. Returns `None` if all FODs are 0.
    pub(super) fn distributions(
        &self,
        file: &OutputFile,
        picture: &Picture,
        path: &Path,
    ) -> Result<Option<MapFigure>> {
        let volume = read_volume(path)?;
        Ok(self.oriented(
            file,
            picture,
            volume.channel(0),
            "first coefficient",
            Glyphs::Distributions(volume),
        ))
    }

    /// Creates a figure of fibre directions as sticks, drawn on an anatomical image. If there is none, they
    /// are drawn on an image of the length of the first stick of each voxel. Returns `None` if all sticks
    /// have length 0.
    pub(super) fn sticks(
        &self,
        file: &OutputFile,
        picture: &Picture,
        path: &Path,
    ) -> Result<Option<MapFigure>> {
        let volume = read_volume(path)?.map(|value| if value.is_finite() { value } else { 0.0 });
        let length = |stick: &[f32]| stick.iter().take(3).map(|c| c * c).sum::<f32>().sqrt();
        let lengths = volume.values().chunks_exact(volume.channels()).map(length).collect();
        let lengths = Volume::new(*volume.grid(), 1, lengths)?;
        Ok(self.oriented(file, picture, lengths, "length of the first", Glyphs::Sticks(volume)))
    }

    fn oriented(
        &self,
        file: &OutputFile,
        picture: &Picture,
        amount: Volume<f32>,
        unit: &str,
        glyphs: Glyphs,
    ) -> Option<MapFigure> {
        if amount.values().iter().all(|value| *value == 0.0 || value.is_nan()) {
            return None;
        }
        let title = file.title.as_ref();
        let background = self.anatomy.figure_on(amount.grid(), title);
        let figure = background.unwrap_or_else(|| MapFigure::scalar(title, amount, unit));
        Some(figure.with_glyphs(glyphs).with_caption(picture.caption.as_ref()))
    }

    /// Creates a figure of a mask, as an outline on an anatomical image.
    pub(super) fn mask(&self, file: &OutputFile, picture: &Picture) -> Result<MapFigure> {
        let volume = self.read(&file.name)?;
        let title = file.title.as_ref();
        let figure = match self.anatomy.figure_on(volume.grid(), title) {
            Some(background) => background.with_outline(&Mask::from_volume(&volume), "mask"),
            None => MapFigure::scalar(title, volume, "").with_window(0.0, 1.0),
        };
        Ok(figure.with_caption(picture.caption.as_ref()))
    }

    /// Creates a figure of the number of fibres in each voxel. A fibre counts if its volume fraction is at
    /// least `least`.
    pub(super) fn fibres(
        &self,
        file: &OutputFile,
        picture: &Picture,
        others: &[Cow<'static, str>],
        least: f32,
    ) -> Result<MapFigure> {
        let first = self.read(&file.name)?;
        let grid = *first.grid();
        let mut counts = Volume::filled(grid, 1, 0.0f32);
        let mut add = |fractions: &Volume<f32>| {
            let of_voxels = fractions.values().chunks_exact(fractions.channels());
            for (count, fraction) in counts.values_mut().iter_mut().zip(of_voxels) {
                *count += f32::from(fraction[0] >= least);
            }
        };
        add(&first);
        for name in others {
            let fractions = self.read(name)?;
            grid.require_match(fractions.grid(), name, &file.name)?;
            add(&fractions);
        }
        let name = |n: usize| if n == 1 { "1 fibre".to_owned() } else { format!("{n} fibres") };
        let names = (1..=1 + others.len()).map(name).collect();
        let figure = MapFigure::classes(file.title.as_ref(), counts, names);
        Ok(self.over_anatomy(figure, &grid).with_caption(picture.caption.as_ref()))
    }

    /// Creates a figure of an image of counts, with a heat colour scale (black through red to pale yellow).
    pub(super) fn counts(&self, title: &str, counts: Volume<f32>, unit: &str) -> MapFigure {
        let grid = *counts.grid();
        self.over_anatomy(MapFigure::scalar(title, counts, unit).with_colours(ColourScale::Inferno), &grid)
    }
}

/// Creates the histogram of the nonzero values of a map.
pub(super) fn spread_of(file: &OutputFile, map: &Map, volume: &Volume<f32>) -> HistogramFigure {
    let factor = f64::from(map.factor.unwrap_or(1.0));
    let values =
        volume.values().iter().filter(|value| **value != 0.0).map(|value| factor * f64::from(*value));
    let quantity =
        if map.unit.is_empty() { file.title.to_string() } else { format!("{}, {}", file.title, map.unit) };
    HistogramFigure {
        title: file.title.to_string(),
        caption: String::new(),
        quantity,
        counted: "voxels".into(),
        values: values.collect(),
    }
}

/// Returns the 99th percentile of the finite values of an image. It is the upper end of a colour scale that
/// two maps share.
fn upper(volume: &Volume<f32>) -> f32 {
    let mut values: Vec<f32> = volume.values().iter().copied().filter(|v| v.is_finite()).collect();
    statistics::quantile(&mut values, 0.99).map_or(1.0, |upper| upper as f32)
}
