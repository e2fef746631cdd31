//! Images that FSL's programs write.

use super::environment::ImageFormat;
use super::model::THRESHOLD;
use super::samples::{Layout, Samples};
use arcuate_core::{Grid, Result, Volume};
use arcuate_io::{MadeImage, WriteOptions, write_image, write_made_image};
use arcuate_pipeline::output::OutputFolder;
use arcuate_pipeline::output_files::{Kind, Map, Outline, OutputFile};
use arcuate_pipeline::scan::SIGNAL_UNIT;
use std::path::Path;

/// Subfolder of the result folder. It contains the record of the run and the files that only the report uses.
pub(super) const LOGS: &str = "logs";

/// Content of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    /// All posterior samples of one parameter. The number is the index of the parameter.
    Series(usize),
    Of(Summary),
}

/// Summary of the samples of a voxel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Summary {
    /// Mean of the parameter with this index.
    Mean(usize),
    MeanOfAllFibres,
    /// Mean principal direction of a fibre. The number is the index of the fibre, counted from 0.
    Dyads(usize),
    Dispersion(usize),
    Thresholded(usize),
    /// Direction as in `Thresholded`, multiplied by the ratio of two mean volume fractions: of this fibre,
    /// and of the first fibre.
    Modulated(usize),
}

/// An output image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Image {
    /// File name without the ending.
    pub(super) name: String,
    title: String,
    content: Content,
}

impl Image {
    fn new(name: impl Into<String>, title: impl Into<String>, content: Content) -> Self {
        Self { name: name.into(), title: title.into(), content }
    }

    pub(super) fn output_file(&self, format: ImageFormat) -> OutputFile {
        let name = format!("{}{}", self.name, format.ending);
        match self.picture(format) {
            Some((map, caption)) => {
                OutputFile::shown(name, self.title.clone(), Kind::Map(map)).with_caption(caption)
            }
            None => OutputFile::file(name, self.title.clone()),
        }
    }

    /// Returns how the report shows the image, and the caption of the image. Returns `None` if the report
    /// does not show it.
    fn picture(&self, format: ImageFormat) -> Option<(Map, &'static str)> {
        let heat = |high: f32| Map { window: Some([0.0, high]), heat: true, ..Map::default() };
        match self.content {
            Content::Of(Summary::MeanOfAllFibres) => {
                Some((heat(1.0), "The fraction of all fibres in the signal."))
            }
            Content::Of(Summary::Mean(_)) => match self.name.as_str() {
                "mean_S0samples" => {
                    let outlines = vec![Outline::new(format!("nodif_brain_mask{}", format.ending), "mask")];
                    let map = Map { unit: SIGNAL_UNIT.into(), backdrop: true, outlines, ..Map::default() };
                    Some((Map { aside: true, ..map }, ""))
                }
                "mean_dsamples" => {
                    let unit = "µm²/ms".into();
                    let map = Map { unit, factor: Some(1e3), window: Some([0.0, 3.0]), ..Map::default() };
                    Some((Map { aside: true, ..map }, "The diffusivity of all compartments of the model."))
                }
                name if name.starts_with("mean_f") && name != "mean_f0samples" => Some((heat(1.0), "")),
                _ => None,
            },
            Content::Of(Summary::Dyads(fibre)) => {
                let weights = format!("mean_f{}samples{}", fibre + 1, format.ending);
                let map = Map {
                    directions: true,
                    voxel_axes: true,
                    weighted_by: Some(weights.into()),
                    ..Map::default()
                };
                Some((
                    map,
                    "Red: left to right. Green: front to back. Blue: up and down (in the scanner). Bright where its part is large.",
                ))
            }
            Content::Of(Summary::Dispersion(_)) => Some((
                heat(0.5),
                "0 where all samples have one direction, ⅔ where they have every one: large values are uncertain.",
            )),
            Content::Series(_) | Content::Of(Summary::Thresholded(_) | Summary::Modulated(_)) => None,
        }
    }

    /// Writes the image to `path`. An image of all samples is computed while it is written, so that it never
    /// is in memory as a whole.
    fn write(&self, path: &Path, samples: &Samples, grid: &Grid, options: &WriteOptions) -> Result<()> {
        match self.content {
            Content::Of(summary) => write_image(path, &summary.volume(samples, grid), options),
            Content::Series(place) => {
                let make = |sample: usize, first: usize, out: &mut [f32]| {
                    samples.sample_in(place, sample, first, out);
                };
                let image = MadeImage { grid, channels: samples.layout.samples, make: &make };
                write_made_image(path, &image, options)
            }
        }
    }
}

impl Summary {
    fn volume(self, samples: &Samples, grid: &Grid) -> Volume<f32> {
        let kept = |own: f64| if own >= THRESHOLD { 1.0 } else { 0.0 };
        match self {
            Self::Mean(place) => samples.mean(grid, place),
            Self::MeanOfAllFibres => samples.mean_of_all_fibres(grid),
            Self::Dyads(fibre) => samples.dyads(grid, fibre, |_, _| 1.0),
            Self::Dispersion(fibre) => samples.dispersion(grid, fibre),
            Self::Thresholded(fibre) => samples.dyads(grid, fibre, |own, _| kept(own)),
            Self::Modulated(fibre) => samples
                .dyads(grid, fibre, |own, first| if first > 0.0 { kept(own) * own / first } else { 0.0 }),
        }
    }
}

/// For the volume fraction f and the angles θ and φ of a fibre: the abbreviation in file names, and a
/// description.
const OF_FIBRE: [(&str, &str); 3] =
    [("f", "part of the signal"), ("th", "polar angle θ (radians)"), ("ph", "azimuth φ (radians)")];

/// Returns the images that `bedpostx` writes.
pub(super) fn of_bedpostx(layout: &Layout) -> Vec<Image> {
    let mut images = Vec::new();
    for fibre in 0..layout.fibres {
        let i = fibre + 1;
        for (which, (short, words)) in OF_FIBRE.into_iter().enumerate() {
            let place = layout.of_fibre(fibre, which);
            let title = format!("Fibre {i}: {words}");
            images.push(Image::new(
                format!("merged_{short}{i}samples"),
                format!("{title}, all samples"),
                Content::Series(place),
            ));
            images.push(Image::new(
                format!("mean_{short}{i}samples"),
                format!("{title}, mean"),
                Content::Of(Summary::Mean(place)),
            ));
        }
        images.push(dyads(fibre));
        let title = format!("Fibre {i}: dispersion about its principal direction");
        images.push(Image::new(
            format!("dyads{i}_dispersion"),
            title,
            Content::Of(Summary::Dispersion(fibre)),
        ));
        if fibre > 0 {
            let title = format!("Fibre {i}: principal direction where its part is at least {THRESHOLD}");
            images.push(Image::new(
                format!("dyads{i}_thr{THRESHOLD}"),
                title.clone(),
                Content::Of(Summary::Thresholded(fibre)),
            ));
            images.push(Image::new(
                format!("dyads{i}_thr{THRESHOLD}_modf{i}"),
                format!("{title}, times its part over that of fibre 1"),
                Content::Of(Summary::Modulated(fibre)),
            ));
        }
    }
    images.push(Image::new(
        "mean_fsumsamples",
        "Mean part of all fibres",
        Content::Of(Summary::MeanOfAllFibres),
    ));
    images.extend(means(layout));
    images
}

/// Returns the images that `xfibres` writes.
pub(super) fn of_xfibres(layout: &Layout) -> Vec<Image> {
    let mut images = Vec::new();
    for fibre in 0..layout.fibres {
        let i = fibre + 1;
        for (which, (short, words)) in OF_FIBRE.into_iter().enumerate() {
            let title = format!("Fibre {i}: {words}, all samples");
            let place = layout.of_fibre(fibre, which);
            images.push(Image::new(format!("{short}{i}samples"), title, Content::Series(place)));
        }
        let title = format!("Fibre {i}: part of the signal, mean");
        images.push(Image::new(
            format!("mean_f{i}samples"),
            title,
            Content::Of(Summary::Mean(layout.of_fibre(fibre, 0))),
        ));
        images.push(dyads(fibre));
    }
    for (place, name) in layout.quantities.iter().enumerate().filter(|(_, name)| *name != "S0") {
        let title = format!("{name}, all samples");
        images.push(Image::new(format!("{name}samples"), title, Content::Series(place)));
    }
    images.extend(means(layout));
    images
}

fn dyads(fibre: usize) -> Image {
    let i = fibre + 1;
    let title = format!("Fibre {i}: principal direction, axes of FSL's voxels");
    Image::new(format!("dyads{i}"), title, Content::Of(Summary::Dyads(fibre)))
}

fn means(layout: &Layout) -> impl Iterator<Item = Image> {
    let mean = |(place, name): (usize, &String)| {
        Image::new(format!("mean_{name}samples"), format!("{name}, mean"), Content::Of(Summary::Mean(place)))
    };
    layout.quantities.iter().enumerate().map(mean)
}

/// Writes the images one after the other, because each of them may use much memory.
pub(super) fn write(
    images: &[Image],
    samples: &Samples,
    grid: &Grid,
    folder: &OutputFolder,
    format: ImageFormat,
) -> Result<()> {
    let options = write_options(format);
    for image in images {
        let path = folder.file(&format!("{}{}", image.name, format.ending));
        image.write(&path, samples, grid, &options)?;
    }
    Ok(())
}

/// Returns the options for writing images. They are the same for each program.
pub(super) fn write_options(format: ImageFormat) -> WriteOptions {
    format.options("bedpostx")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(images: &[Image]) -> Vec<&str> {
        images.iter().map(|image| image.name.as_str()).collect()
    }

    #[test]
    fn files_have_the_names_of_fsl() {
        let quantities = ["S0", "d", "d_std", "f0", "tau"].map(str::to_owned).to_vec();
        let layout = Layout { quantities, fibres: 2, samples: 3 };
        assert_eq!(
            names(&of_bedpostx(&layout)).join(" "),
            "merged_f1samples mean_f1samples merged_th1samples mean_th1samples merged_ph1samples mean_ph1samples dyads1 \
             dyads1_dispersion merged_f2samples mean_f2samples merged_th2samples mean_th2samples merged_ph2samples \
             mean_ph2samples dyads2 dyads2_dispersion dyads2_thr0.05 dyads2_thr0.05_modf2 mean_fsumsamples \
             mean_S0samples mean_dsamples mean_d_stdsamples mean_f0samples mean_tausamples"
        );
        assert_eq!(
            names(&of_xfibres(&layout)).join(" "),
            "f1samples th1samples ph1samples mean_f1samples dyads1 f2samples th2samples ph2samples mean_f2samples dyads2 \
             dsamples d_stdsamples f0samples tausamples mean_S0samples mean_dsamples mean_d_stdsamples mean_f0samples \
             mean_tausamples"
        );
    }

    #[test]
    fn directions_are_written_where_fibres_exist() {
        let layout = Layout { quantities: Vec::new(), fibres: 2, samples: 1 };
        let voxel =
            |second: f32| vec![0.5, 0.0, 0.0, second, 1.0, 2.0, 0.0, 0.0, 1.0, 0.1, 0.0, 1.0, 0.0, 0.25];
        let samples = Samples { layout, voxels: vec![0, 2], values: [voxel(0.2), voxel(0.04)].concat() };
        let grid = Grid::new([3, 1, 1], arcuate_core::Affine::identity()).unwrap();
        let of = |summary: Summary| summary.volume(&samples, &grid);
        assert_eq!(of(Summary::Thresholded(1)).values(), [0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        assert!((of(Summary::Modulated(1)).values()[1] - 0.4).abs() < 1e-6);
        assert_eq!(of(Summary::Dyads(1)).values(), [0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
        assert_eq!(of(Summary::Dispersion(1)).values(), [0.25, 0.0, 0.25]);
        assert_eq!(of(Summary::Mean(5)).values(), [2.0, 0.0, 2.0]);
        let mut series = [7.0; 3];
        samples.sample_in(3, 0, 0, &mut series);
        assert_eq!(series, [0.2, 0.0, 0.04]);
        samples.sample_in(3, 0, 1, &mut series[..2]);
        assert_eq!(series, [0.0, 0.04, 0.04]);
        assert_eq!(of(Summary::MeanOfAllFibres).values(), [0.7, 0.0, 0.54]);
    }
}
