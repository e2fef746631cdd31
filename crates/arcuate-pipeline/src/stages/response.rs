//! Estimates response functions from a series.

use super::mask;
use super::work::Work;
use crate::folder_names::require_folder_name;
use crate::job::Job;
use crate::output::OutputFolder;
use crate::output_files::{Kind, Map, OutputFile};
use crate::record::{self, Record};
use crate::responses::NAMES;
use crate::series::Weighting;
use crate::series_file::SeriesFile;
use arcuate_compute::Device;
use arcuate_core::{Control, Error, GradientTable, Mask, Orientations, Result, Volume, VoxelCounts};
use arcuate_fod::estimate::{
    DhollanderOptions, TournierOptions, UsableSeries, dhollander_responses, tournier_response, usable_series,
};
use arcuate_fod::{LabelledResponse, Response, TissueKind, check_responses, check_voxels};
use arcuate_io::{write_file, write_image};
use arcuate_model::{TensorOptions, fit_tensor, tensor_maps};
use std::path::PathBuf;

/// The papers to cite.
pub const REFERENCES: &[&str] = &[
    "Tournier JD, Calamante F, Connelly A (2013) Determination of the appropriate b value and number of gradient directions for \
     high-angular-resolution diffusion-weighted imaging. doi:10.1002/nbm.3017",
    "Dhollander T, Raffelt D, Connelly A (2016) Unsupervised 3-tissue response function estimation from single-shell or multi-shell \
     diffusion MR data without a co-registered T1 image. ISMRM Workshop on Breaking the Barriers of Diffusion MRI",
];

/// Number of directions in which the amplitudes of fibre orientation distributions are constrained to be
/// non-negative.
pub(super) const CONSTRAINTS: usize = 300;
/// Number of times that the mask is eroded before the responses of tissues are estimated. Voxels at the edge
/// of a mask may not be brain tissue.
const ERODED: usize = 3;
/// File of an image of the voxels from which the response functions were estimated.
const VOXELS: &str = "response_voxels.nii.gz";

/// Tissues whose responses are estimated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResponseMethod {
    /// If the series has several shells with b > 0, responses of white matter, grey matter and CSF. If not,
    /// the response of white matter with a single fibre.
    #[default]
    Automatic,
    /// The response of white matter with a single fibre, from the shell with the largest b-value.
    SingleFibre,
    /// The responses of white matter, grey matter and cerebrospinal fluid (CSF), from all shells.
    Tissues,
}

/// Estimates response functions of tissues from a diffusion series and writes them to a folder.
#[derive(Debug, Clone, PartialEq)]
pub struct EstimateResponse {
    /// The diffusion series.
    pub series: SeriesFile,
    /// Mask of the voxels that are used. By default, the mask is computed from the series.
    pub mask: Option<PathBuf>,
    /// Tissues whose responses are estimated.
    pub method: ResponseMethod,
    /// Number of voxels from which the response of white matter with a single fibre is estimated. Default:
    /// 300. It cannot be set if the responses of three tissues are estimated, because their voxels are chosen
    /// by the signal.
    pub voxels: Option<usize>,
    /// Highest degree of the spherical harmonics of the white matter response function. Default: 10.
    pub order: Option<usize>,
    /// Folder of the results.
    pub out: PathBuf,
}

impl EstimateResponse {
    /// Creates an estimation of the response functions from a diffusion series, with default options.
    pub fn new(series: SeriesFile, out: impl Into<PathBuf>) -> Self {
        Self {
            series,
            mask: None,
            method: ResponseMethod::default(),
            voxels: None,
            order: None,
            out: out.into(),
        }
    }

    fn inputs(&self) -> Vec<PathBuf> {
        self.series.files().into_iter().chain(self.mask.clone()).collect()
    }

    /// Returns the options of the estimation.
    #[doc(hidden)]
    pub fn options(&self) -> ResponseOptions {
        let Self { method, voxels, order, .. } = *self;
        ResponseOptions { method, voxels, order }
    }

    fn output_files(tissues: bool) -> Vec<OutputFile> {
        let titles = ["white matter", "grey matter", "cerebrospinal fluid"];
        let count = if tissues { NAMES.len() } else { 1 };
        let mut files: Vec<OutputFile> = NAMES
            .iter()
            .zip(titles)
            .take(count)
            .map(|(name, title)| {
                let kind = Kind::Response { tissue: title.into() };
                let content = format!("Response function of {title}, MRtrix's text: one row per shell");
                OutputFile::shown(*name, format!("Response function of {title}, MRtrix's text"), kind)
                    .with_content(content)
            })
            .collect();
        let classes = titles.iter().take(count).map(|title| (*title).into()).collect();
        let kind = Kind::Map(Map { classes, ..Map::default() });
        let file = OutputFile::shown(VOXELS, "Voxels used for the response functions", kind);
        files.push(
            file.with_content("Voxels that the responses come from: 1 white matter, 2 grey matter, 3 CSF"),
        );
        files
    }

    /// Estimates and writes the responses. Returns the responses, with white matter first.
    ///
    /// # Errors
    /// Returns the errors of [`Work::run`].
    pub fn run(&self, job: &Job) -> Result<Vec<Response>> {
        let options = self.options();
        options.check()?;
        require_folder_name(&self.out)?;
        let series = self.series.read(Weighting::Needed, job)?;
        let tissues = options.is_of_tissues(&series.gradients)?;
        let output_files = Self::output_files(tissues);
        let folder = OutputFolder::create(&self.out, &output_files, &self.inputs(), job)?;
        let mask = job.step("mask", || series.mask(self.mask.as_deref()))?;
        let Estimated { tissues: found, counts } = job.step("estimate the responses", || {
            estimate(&series.dwi, &series.gradients, &mask, &options, &job.control())
        })?;
        let mut voxels = Volume::filled(*mask.grid(), 1, 0u8);
        for (number, (_, of)) in (1..).zip(&found) {
            of.indices().into_iter().for_each(|voxel| voxels.values_mut()[voxel] = number);
        }
        for (name, (response, _)) in NAMES.iter().zip(&found) {
            write_file(&folder.file(name), response.to_text())?;
        }
        write_image(&folder.file(VOXELS), &voxels, &job.image_options())?;
        let mut record = Record::new("Response functions", output_files, job);
        record.add_inputs(&series.files, job)?;
        record.add_inputs(self.mask.as_slice(), job)?;
        series.note(&mut record);
        if self.mask.is_none() {
            record.cite(mask::REFERENCES);
        }
        let names = ["white matter", "grey matter", "cerebrospinal fluid"];
        for (name, (response, voxels)) in names.iter().zip(&found) {
            record.figure(&format!("voxels of {name}"), voxels.count()).key();
            record.figure(&format!("mean signal of {name}, last shell"), mean_signal(response));
        }
        record.voxel_counts("", &counts);
        record.done("Response functions were estimated from voxels that are most like one tissue.");
        record.cite(REFERENCES);
        record.write(folder.path(), job)?;
        let counts: Vec<String> = names
            .iter()
            .zip(&found)
            .map(|(name, (_, of))| format!("{} voxels of {name}", of.count()))
            .collect();
        job.show_message(format!("responses from {}, in {}", counts.join(", "), folder.path().display()));
        Ok(found.into_iter().map(|(response, _)| response).collect())
    }
}

/// Options for the estimation of responses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResponseOptions {
    /// Tissues whose responses are estimated.
    pub method: ResponseMethod,
    /// Number of voxels from which the response of white matter with a single fibre is estimated. Default:
    /// 300. It cannot be set if the responses of three tissues are estimated, because their voxels are chosen
    /// by the signal.
    pub voxels: Option<usize>,
    /// Highest degree of the spherical harmonics of the white matter response function. Default: 10.
    pub order: Option<usize>,
}

impl ResponseOptions {
    /// Returns an error if the options are invalid, whatever the series is.
    fn check(&self) -> Result<()> {
        if self.voxels.is_some() && self.method == ResponseMethod::Tissues {
            let problem = "responses of tissues choose their number of voxels themselves";
            return Err(Error::usage(
                "‘voxels’",
                problem,
                "remove this option, or choose the single-fibre response",
            ));
        }
        match self.order {
            Some(order) if !order.is_multiple_of(2) || !(2..=16).contains(&order) => {
                let problem = format!("{order} is not an even number from 2 to 16");
                Err(Error::usage("‘order’", problem, "give an even number, such as 8"))
            }
            _ => Ok(()),
        }
    }

    /// Checks whether the responses of three tissues are estimated. If they are, returns an error if the
    /// number of voxels of the single-fibre response is set.
    fn is_of_tissues(&self, gradients: &GradientTable) -> Result<bool> {
        let weighted = gradients.shells().iter().filter(|shell| shell.0 > 0.0).count();
        let tissues = match self.method {
            ResponseMethod::Automatic => weighted > 1,
            ResponseMethod::SingleFibre => false,
            ResponseMethod::Tissues => true,
        };
        if tissues && self.voxels.is_some() {
            let problem = "the series has several shells, and how many voxels responses of tissues are from follows from these";
            return Err(Error::usage(
                "‘voxels’",
                problem,
                "remove this option, or choose the single-fibre response",
            ));
        }
        Ok(tissues)
    }
}

/// The estimated responses.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimated {
    /// Response function of each tissue, and the voxels from which it was estimated. The first is white
    /// matter. If grey matter and CSF were estimated, they follow.
    pub tissues: Vec<(Response, Mask)>,
    /// Numbers of voxels of the mask and of measurements that were not used because of invalid signals.
    pub counts: VoxelCounts,
}

/// Estimates the response function of white matter. If `options` and the shells of the series require it,
/// also estimates those of grey matter and cerebrospinal fluid (CSF).
///
/// A measurement is not used if its signal is not a finite number in most voxels. A voxel is not used if one
/// of its other signals is not a finite number. Warns if there are such measurements or voxels, and if a
/// response seems implausible.
///
/// # Errors
/// Returns an error if the options, the series and the mask contradict each other, or if no voxels of a
/// tissue are found. Also returns an error if a response is impossible for its tissue, or if `control`
/// cancels the computation.
pub fn estimate(
    dwi: &Volume<f32>,
    gradients: &GradientTable,
    mask: &Mask,
    options: &ResponseOptions,
    control: &Control,
) -> Result<Estimated> {
    options.check()?;
    let is_of_tissues = options.is_of_tissues(gradients)?;
    let UsableSeries { dwi, gradients, mask: usable, counts } = usable_series(dwi, gradients, mask)?;
    counts.warn("response", control);
    let tissues = if is_of_tissues {
        // The mask is eroded before voxels with invalid signals are removed from it. The neighbours of such
        // voxels thus stay in the mask.
        let inner = eroded(mask, ERODED)?;
        let inside = inner.flags().iter().zip(usable.flags()).map(|(a, b)| *a && *b).collect();
        estimate_tissues(&dwi, &gradients, &Mask::new(*mask.grid(), inside)?, options, control)?
    } else {
        vec![estimate_single_fibre(&dwi, &gradients, &usable, options, control)?]
    };
    let responses: Vec<LabelledResponse<'_>> =
        TissueKind::ALL.into_iter().zip(tissues.iter().map(|(response, _)| response)).collect();
    let voxels: Vec<(TissueKind, &Mask)> =
        TissueKind::ALL.into_iter().zip(tissues.iter().map(|(_, voxels)| voxels)).collect();
    let doubts = check_responses(&responses)?.into_iter().chain(check_voxels(&voxels, mask));
    doubts.for_each(|doubt| control.warn(&doubt));
    Ok(Estimated { tissues, counts })
}

/// Estimates the response of white matter in the shell with the largest b-value.
fn estimate_single_fibre(
    dwi: &Volume<f32>,
    gradients: &GradientTable,
    mask: &Mask,
    options: &ResponseOptions,
    control: &Control,
) -> Result<(Response, Mask)> {
    let defaults = TournierOptions::default();
    let options = TournierOptions {
        voxels: options.voxels.unwrap_or(defaults.voxels),
        search: options.voxels.map_or(defaults.search, |voxels| 10 * voxels),
        order: options.order.unwrap_or(defaults.order),
        ..defaults
    };
    let directions = Orientations::half_sphere(CONSTRAINTS).directions().to_vec();
    let found = tournier_response(dwi, gradients, mask, &directions, &options, control)?;
    if !found.converged {
        control.warn(&format!(
            "after {} iterations the voxels of the response still changed; look at them",
            found.iterations
        ));
    }
    Ok((found.response, found.voxels))
}

/// Estimates the responses of three tissues.
fn estimate_tissues(
    dwi: &Volume<f32>,
    gradients: &GradientTable,
    mask: &Mask,
    options: &ResponseOptions,
    control: &Control,
) -> Result<Vec<(Response, Mask)>> {
    let defaults = DhollanderOptions::default();
    let options = DhollanderOptions { order: options.order.unwrap_or(defaults.order), ..defaults };
    let directions = Orientations::half_sphere(CONSTRAINTS).directions().to_vec();
    let fit = fit_tensor(dwi, gradients, mask, &Device::Cpu, &TensorOptions::default())?;
    let fa = tensor_maps(&fit.tensor)?.fa;
    let found = dhollander_responses(dwi, gradients, mask, &fa, &directions, &options, control)?;
    let each = [found.white, found.grey, found.csf];
    Ok(each.map(|tissue| (tissue.response, tissue.voxels)).to_vec())
}

/// Returns the mean signal over all directions of a response function, in the shell with the largest b-value.
fn mean_signal(response: &Response) -> f64 {
    let last = response.rows().last().map_or(0.0, |row| row[0]);
    last / (4.0 * std::f64::consts::PI).sqrt()
}

/// Erodes a mask `times` times. Each erosion removes the voxels that share a face with a voxel outside the
/// mask. If no voxel would remain, returns the mask unchanged.
fn eroded(mask: &Mask, times: usize) -> Result<Mask> {
    let shape = mask.grid().shape();
    let mut inside = mask.flags().to_vec();
    for _ in 0..times {
        let before = inside.clone();
        let stays = |at: [usize; 3]| {
            (0..3).all(|axis| {
                let step = |to: usize| {
                    let mut other = at;
                    other[axis] = to;
                    before[mask.grid().index(other)]
                };
                at[axis] > 0 && at[axis] + 1 < shape[axis] && step(at[axis] - 1) && step(at[axis] + 1)
            })
        };
        for voxel in 0..inside.len() {
            inside[voxel] = inside[voxel] && stays(mask.grid().coordinates(voxel));
        }
    }
    if inside.contains(&true) { Mask::new(*mask.grid(), inside) } else { Ok(mask.clone()) }
}

impl Work for EstimateResponse {
    fn outputs(&self) -> Vec<PathBuf> {
        record::outputs(&self.out, &Self::output_files(self.method != ResponseMethod::SingleFibre))
    }

    fn check(&self, job: &Job) -> Result<()> {
        self.options().check()?;
        let series = self.series.read(Weighting::Needed, job)?;
        series.check_mask(job.unless_expected(self.mask.as_deref()))
    }

    fn run(&self, job: &Job) -> Result<()> {
        Self::run(self, job).map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::{Affine, Grid};

    #[test]
    fn mask_edges_are_eroded() {
        let grid = Grid::new([7, 7, 7], Affine::identity()).unwrap();
        let full = Mask::full(grid);
        assert_eq!(eroded(&full, 1).unwrap().count(), 125);
        assert_eq!(eroded(&full, 3).unwrap().indices(), [grid.index([3, 3, 3])]);
        assert_eq!(eroded(&full, 4).unwrap().count(), 343, "as it is where nothing would be left");
    }
}
