//! Description of the scan for reports: mean images, gradient directions, noise, outlier measurements, and
//! the acquisition metadata.

use crate::job::Job;
use crate::output::OutputFolder;
use crate::output_files::{Kind, Map, Outline, OutputFile};
use crate::record::{Record, Table};
use crate::series::Series;
use arcuate_core::{Control, GradientTable, Mask, Result, Volume};
use arcuate_io::{WriteOptions, write_file, write_image};
use arcuate_model::{DroppedSlice, ScanQuality, mean_unweighted, scan_quality};
use std::fmt::Write;
use std::path::Path;

pub use crate::output_files::SCAN_HEADING as HEADING;
pub use crate::sidecar::{Sidecar, companion_path};
pub use crate::units::{SIGNAL_UNIT, shown_value, unit_name, unit_of_map};

/// Name that the record of a command uses for the signal-to-noise ratio at b = 0. The record of `arcuate run`
/// contains this value, too.
pub const SIGNAL_TO_NOISE: &str = "signal-to-noise ratio at b = 0";
/// Name that the record of a command uses for the number of outlier measurements. They have dropped (dark)
/// slices, or differ from the other measurements of their shell.
pub const OUTLIERS: &str = "measurements that stand out";
/// Name that the record of a command uses for the number of measurements that were compared with the other
/// measurements of their shell.
pub const COMPARED: &str = "measurements compared with their shell";

const TITLE_OF_B0: &str = "Mean b = 0 image";
const MEAN_B0: &str = "mean_b0";
const MEAN_WEIGHTED: &str = "mean_weighted";
const MEAN: &str = "mean_signal";
const MASK: &str = "scan_mask";
const DIRECTIONS: &str = "scan_directions.csv";
/// Signal-to-noise ratio below which the report advises denoising.
pub(crate) const NOISY: f64 = 10.0;

/// Describes the files about the scan: mean images, mask and gradient directions. `below` is the beginning of
/// their names, a subfolder or an empty text. `ending` is the file name ending of the images.
pub fn output_files(below: &str, ending: &str) -> Vec<OutputFile> {
    let image = |name: &str| format!("{below}{name}{ending}");
    let map = |name: &str, title: &'static str, backdrop: bool| {
        let outlines = vec![Outline::new(image(MASK), "mask")];
        let (unit, section) = (SIGNAL_UNIT.into(), HEADING.into());
        OutputFile::shown(
            image(name),
            title,
            Kind::Map(Map { unit, backdrop, outlines, section, ..Map::default() }),
        )
    };
    vec![
        map(MEAN_B0, TITLE_OF_B0, true).with_caption("The line is the edge of the mask. Voxels outside \
                                                      were not processed.")
            .with_content("Mean of the volumes at b = 0"),
        map(MEAN_WEIGHTED, "Mean weighted image", false).with_caption("The mean of all measurements but those at b = 0.")
            .with_content("Mean of the volumes that are not at b = 0"),
        OutputFile::file(image(MASK), "The voxels that were looked at").with_content("1 in the mask that was used, 0 elsewhere"),
        OutputFile::shown(format!("{below}{DIRECTIONS}"), "Directions of the measurements", Kind::Gradients).with_caption(
            "Each dot is the direction of a measurement, seen from above the head. They should be spread evenly; best over both \
             halves, so that gradient distortions can be distinguished from diffusion.",
        )
        .with_content("Number, b-value, b-value of the shell and direction (scanner axes) of each volume"),
    ]
}

/// Describes the files about a series without a gradient table. They are its mean image and its mask.
pub fn output_files_without_table() -> Vec<OutputFile> {
    let outlines = vec![Outline::new(format!("{MASK}.nii.gz"), "mask")];
    let (unit, section) = (SIGNAL_UNIT.into(), HEADING.into());
    let map = Map { unit, backdrop: true, outlines, section, ..Map::default() };
    vec![
        OutputFile::shown(format!("{MEAN}.nii.gz"), "Mean image", Kind::Map(map))
            .with_caption("The mean of all measurements. The line is the edge of the mask.")
            .with_content("Mean of all volumes"),
        OutputFile::file(format!("{MASK}.nii.gz"), "The voxels that were looked at")
            .with_content("1 in the mask that was used, 0 elsewhere"),
    ]
}

/// Writes the files of [`output_files_without_table`].
pub fn write_without_table(series: &Series, mask: &Mask, folder: &OutputFolder, job: &Job) -> Result<()> {
    let (path, options) = (|name: &str| folder.file(&format!("{name}.nii.gz")), job.image_options());
    write_image(&path(MEAN), &mean_unweighted(&series.dwi, &series.gradients)?, &options)?;
    write_image(&path(MASK), &mask.to_volume(), &options)
}

/// Adds the acquisition metadata in the JSON file `sidecar` of a diffusion series to the record.
pub fn note_sidecar(sidecar: Option<&Path>, record: &mut Record, job: &Job) -> Result<()> {
    let Some(path) = sidecar else { return Ok(()) };
    record.add_inputs(&[path.to_owned()], job)?;
    let rows = Sidecar::read(path).rows();
    if !rows.is_empty() {
        record.tables.push(Table {
            title: "How it was made".into(),
            section: HEADING.into(),
            text: String::new(),
            columns: ["what", "value"].map(String::from).to_vec(),
            rows: rows.into_iter().map(|(what, value)| vec![what.into(), value.into()]).collect(),
        });
    }
    Ok(())
}

/// Describes the mean image at b = 0, on which a report draws results. It is for reports that show no other
/// image of the scan.
pub fn anatomy() -> OutputFile {
    let (unit, section) = (SIGNAL_UNIT.into(), HEADING.into());
    let map = Map { unit, backdrop: true, section, ..Map::default() };
    OutputFile::shown(format!("{MEAN_B0}.nii.gz"), TITLE_OF_B0, Kind::Map(map))
        .with_content("Mean of the volumes at b = 0")
}

/// Writes the image of [`anatomy`].
pub fn write_anatomy(
    dwi: &Volume<f32>,
    gradients: &GradientTable,
    folder: &OutputFolder,
    job: &Job,
) -> Result<()> {
    let path = folder.file(&format!("{MEAN_B0}.nii.gz"));
    write_image(&path, &mean_unweighted(dwi, gradients)?, &job.image_options())
}

/// Quality measures of a scan.
pub struct Scan {
    quality: ScanQuality,
    mask: Mask,
    gradients: GradientTable,
}

impl Scan {
    /// Computes the quality measures of a diffusion series from the voxels of a mask.
    pub fn look(dwi: &Volume<f32>, gradients: &GradientTable, mask: &Mask) -> Result<Self> {
        let quality = scan_quality(dwi, gradients, mask)?;
        Ok(Self { quality, mask: mask.clone(), gradients: gradients.clone() })
    }

    /// Writes the files of [`output_files`].
    pub fn write(
        &self,
        folder: &OutputFolder,
        below: &str,
        ending: &str,
        options: &WriteOptions,
    ) -> Result<()> {
        let path = |name: &str| folder.file(&format!("{below}{name}{ending}"));
        write_image(&path(MEAN_B0), &self.quality.mean_b0, options)?;
        write_image(&path(MEAN_WEIGHTED), &self.quality.mean_weighted, options)?;
        write_image(&path(MASK), &self.mask.to_volume(), options)?;
        let mut text = "volume,b_value,shell,x,y,z\n".to_owned();
        let mut rows = vec![String::new(); self.gradients.len()];
        for (b, shell) in self.gradients.measurements_by_shell() {
            for m in shell {
                let ([x, y, z], own) = (self.gradients.directions()[m], self.gradients.b_values()[m]);
                rows[m] = format!("{m},{own},{b:.0},{x:.6},{y:.6},{z:.6}");
            }
        }
        for row in rows.iter().filter(|row| !row.is_empty()) {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{row}");
        }
        write_file(&folder.file(&format!("{below}{DIRECTIONS}")), text)
    }

    /// Adds the signal-to-noise ratio, the outlier measurements and the metadata in the JSON file `sidecar`
    /// to the record. Warns of outlier measurements.
    pub fn note(&self, sidecar: Option<&Path>, record: &mut Record, job: &Job) -> Result<()> {
        note_sidecar(sidecar, record, job)?;
        if let Some(ratio) = self.quality.signal_to_noise {
            record.measure(SIGNAL_TO_NOISE, ratio, "").key();
        }
        record.choice("signal-to-noise ratio", self.noise_text());
        record.figure(OUTLIERS, self.rows().len());
        record.figure(COMPARED, self.quality.compared);
        self.warn(&job.control());
        record.tables.push(Table {
            title: "Measurements that stand out".into(),
            section: HEADING.into(),
            text: self.summary_text(),
            columns: ["measurement, counted from 0", "b, s/mm²", "what is unusual"]
                .map(String::from)
                .to_vec(),
            rows: self.rows(),
        });
        Ok(())
    }

    /// Warns of outlier measurements.
    pub fn warn(&self, control: &Control) {
        for warning in self.warnings() {
            control.warn(&warning);
        }
    }

    /// Describes how the noise was estimated.
    fn noise_text(&self) -> String {
        match self.quality.signal_to_noise {
            Some(_) => format!(
                "median over the mask of the mean over the standard deviation of {} measurements at b = 0, without \
                 correction for motion",
                self.gradients.b0_indices().len()
            ),
            None => "not known: there are fewer than three measurements at b = 0".to_owned(),
        }
    }

    /// Returns the dark slices, grouped by measurement.
    fn dropped(&self) -> Vec<&[DroppedSlice]> {
        self.quality.dropped_slices.chunk_by(|a, b| a.measurement == b.measurement).collect()
    }

    fn warnings(&self) -> Vec<String> {
        let all = self.gradients.len();
        let dropped: Vec<usize> = self.dropped().iter().map(|slices| slices[0].measurement).collect();
        let unlike: Vec<usize> =
            self.quality.unlike_volumes.iter().map(|unlike| unlike.measurement).collect();
        let mut warnings = Vec::new();
        if !dropped.is_empty() {
            warnings.push(format!(
                "{} of {all} volumes have slices much darker than their neighbours (volumes {}, counted from 0); replace the slices with FSL's eddy --repol, or exclude these volumes",
                dropped.len(),
                listed(&dropped)
            ));
        }
        if !unlike.is_empty() {
            warnings.push(format!(
                "{} of {all} volumes differ from the others of their shell (volumes {}, counted from 0); look at them, correct the series for motion, or exclude these volumes",
                unlike.len(),
                listed(&unlike)
            ));
        }
        warnings
    }

    fn summary_text(&self) -> String {
        let mut words = Vec::new();
        match self.quality.signal_to_noise {
            Some(ratio) if ratio < NOISY => words.push(format!(
                "The signal-to-noise ratio at b = 0 is low ({ratio:.1}). Weighted signals may be below the noise, so that diffusivities are too small and anisotropies too large. Denoise the series first."
            )),
            Some(ratio) => words.push(format!(
                "SNR at b = 0: {ratio:.0} (median over the mask, which includes bright CSF). At 3 T and 2 mm, 15 to 40 is usual; \
                 larger voxels give more."
            )),
            None => {
                words.push("The noise cannot be estimated from fewer than three measurements at b = 0.".to_owned());
            }
        }
        if self.quality.compared == 0 {
            words.push(
                "No shell has five measurements, so that none could be compared with others.".to_owned(),
            );
        } else if self.quality.dropped_slices.is_empty() && self.quality.unlike_volumes.is_empty() {
            words.push(format!(
                "{} measurements could be compared with others of their shell, and have no outliers. No slice is \
                 much darker than its neighbours, and no volume differs from the others.",
                self.quality.compared
            ));
        }
        if !self.quality.dropped_slices.is_empty() {
            words.push(
                "Slices that drop out come from a movement of the head during the pulse. Replace them before fitting, or leave \
                 these measurements out."
                    .to_owned(),
            );
        }
        if !self.quality.unlike_volumes.is_empty() {
            words.push(
                "Volumes unlike the others come from motion between measurements, or from one that is spoiled. Correct the \
                 series for motion and eddy currents before fitting, and look at these."
                    .to_owned(),
            );
        }
        words.extend(self.uneven_halves());
        words.join(" ")
    }

    /// Describes the distribution of the gradient directions over the upper and the lower half of the sphere.
    /// Returns `None` if both halves have enough directions, or if the directions are not known.
    fn uneven_halves(&self) -> Option<String> {
        let weighted = self.gradients.measurements_by_shell().into_iter().filter(|(b, _)| *b > 0.0);
        let heights = weighted.flat_map(|(_, shell)| shell).map(|m| self.gradients.directions()[m][2]);
        describe_halves(&heights.collect::<Vec<f64>>())
    }

    fn rows(&self) -> Vec<Vec<serde_json::Value>> {
        let b = |m: usize| self.gradients.b_values()[m].round();
        let dropped = self.dropped().into_iter().map(|slices| {
            let numbers: Vec<usize> = slices.iter().map(|dropped| dropped.slice).collect();
            let darkest = slices.iter().map(|dropped| dropped.ratio).fold(1.0, f64::min);
            let which = if slices.len() == 1 { "slice" } else { "slices" };
            let what = format!(
                "{which} {}: down to {:.0} % of the signal that the neighbours suggest",
                listed(&numbers),
                100.0 * darkest.max(0.0)
            );
            (slices[0].measurement, what)
        });
        let unlike = self.quality.unlike_volumes.iter().map(|unlike| {
            let what = format!(
                "correlation of {:.2} with its shell, where {:.2} is usual",
                unlike.correlation, unlike.usual
            );
            (unlike.measurement, what)
        });
        let mut rows: Vec<(usize, String)> = dropped.chain(unlike).collect();
        rows.sort();
        rows.into_iter().map(|(m, what)| vec![m.into(), b(m).into(), what.into()]).collect()
    }
}

/// Minimum part of the gradient directions in each half of the sphere.
const MIN_PART_OF_HALF: f64 = 0.25;

/// Describes how many gradient directions are in the fuller half of the sphere. `heights` are the z components
/// of the directions. Returns `None` if each half has at least a quarter of the directions.
fn describe_halves(heights: &[f64]) -> Option<String> {
    let upper = heights.iter().filter(|z| **z > 0.0).count();
    let lower = heights.iter().filter(|z| **z < 0.0).count();
    let (half, count, other) = if upper >= lower { ("upper", upper, lower) } else { ("lower", lower, upper) };
    let is_uneven = (other as f64) < MIN_PART_OF_HALF * heights.len() as f64 && count > 0;
    is_uneven.then(|| {
        format!(
            "{count} of {} directions are in the {half} half of the sphere; eddy-current distortions are easier to correct if \
             both halves are covered.",
            heights.len()
        )
    })
}

/// Lists numbers, at most 12 of them.
fn listed(numbers: &[usize]) -> String {
    const MOST: usize = 12;
    let shown: Vec<String> = numbers.iter().take(MOST).map(usize::to_string).collect();
    shown.join(", ") + if numbers.len() > MOST { ", …" } else { "" }
}

impl Series {
    /// Adds the image size, the voxel size and the shells of the series to the record.
    #[doc(hidden)]
    pub fn note(&self, record: &mut Record) {
        let grid = self.dwi.grid();
        let ([nx, ny, nz], [dx, dy, dz]) = (grid.shape(), grid.voxel_sizes());
        record.figure("image", format!("{nx} × {ny} × {nz} voxels, {} measurements", self.dwi.channels()));
        record.figure("voxel size", format!("{dx:.2} × {dy:.2} × {dz:.2} mm"));
        let unit = if self.gradients.is_known() { " s/mm²" } else { "" };
        record.figure("shells", format!("{}{unit}", self.gradients.describe_shells()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uneven_halves_are_described() {
        let heights = |upper: usize, lower: usize| [vec![0.5; upper], vec![-0.5; lower]].concat();
        assert_eq!(describe_halves(&heights(45, 15)), None);
        assert_eq!(describe_halves(&[]), None);
        let text = describe_halves(&heights(57, 3)).unwrap();
        assert!(text.starts_with("57 of 60 directions are in the upper half"), "{text}");
        let text = describe_halves(&heights(1, 59)).unwrap();
        assert!(text.starts_with("59 of 60 directions are in the lower half"), "{text}");
    }
}
