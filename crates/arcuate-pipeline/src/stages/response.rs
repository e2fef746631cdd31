//! Response functions are estimated from a series itself.

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
use arcuate_fod::{OfTissue, Response, TissueKind, check_responses, check_voxels};
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

/// Directions in which distributions must not be negative.
pub(super) const CONSTRAINTS: usize = 300;
/// Voxels of the mask's edge that are no tissue for sure, taken off so many times.
const ERODED: usize = 3;
/// The voxels that responses are from.
const VOXELS: &str = "response_voxels.nii.gz";

/// Whose responses are estimated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ResponseMethod {
    /// Of three tissues where the series has several weighted shells, else of single fibres.
    #[default]
    Automatic,
    /// Of white matter of single fibres, the shell with the largest b.
    SingleFibre,
    /// Of white matter, grey matter and cerebrospinal fluid, all shells.
    Tissues,
}

/// Response functions are estimated from a series, and written into a folder.
#[derive(Debug, Clone, PartialEq)]
pub struct EstimateResponse {
    /// The series.
    pub series: SeriesFile,
    /// The mask of the voxels that count; found in the series by default.
    pub mask: Option<PathBuf>,
    /// Whose responses.
    pub method: ResponseMethod,
    /// Voxels that the response of single fibres is from, 300 by default; of tissues it follows from their voxels.
    pub voxels: Option<usize>,
    /// The highest degree of the response of white matter, 10 by default.
    pub order: Option<usize>,
    /// The folder of the results.
    pub out: PathBuf,
}

impl EstimateResponse {
    /// The responses of a series, in the usual way.
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

    /// How the responses are estimated.
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
                OutputFile::shown(*name, format!("Response function of {title}, MRtrix's text"), kind)
            })
            .collect();
        let classes = titles.iter().take(count).map(|title| (*title).into()).collect();
        let kind = Kind::Map(Map { classes, ..Map::default() });
        files.push(OutputFile::shown(VOXELS, "Voxels that responses are from", kind));
        files
    }

    /// Estimates the responses and writes them; answers them, white matter in front.
    ///
    /// # Errors
    /// Those of [`Work::run`].
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
        job.say(format!("responses from {}, in {}", counts.join(", "), folder.path().display()));
        Ok(found.into_iter().map(|(response, _)| response).collect())
    }
}

/// How responses are estimated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ResponseOptions {
    /// Whose responses.
    pub method: ResponseMethod,
    /// Voxels that the response of single fibres is from, 300 by default; of tissues it follows from their voxels.
    pub voxels: Option<usize>,
    /// The highest degree of the response of white matter, 10 by default.
    pub order: Option<usize>,
}

impl ResponseOptions {
    /// Fails where they are none, whatever the series.
    fn check(&self) -> Result<()> {
        if self.voxels.is_some() && self.method == ResponseMethod::Tissues {
            let problem = "how many voxels responses of tissues are from follows from the tissues";
            return Err(Error::usage("‘voxels’", problem, "leave it out, or choose single fibres"));
        }
        match self.order {
            Some(order) if !order.is_multiple_of(2) || !(2..=16).contains(&order) => {
                let problem = format!("{order} is not an even number from 2 to 16");
                Err(Error::usage("‘order’", problem, "give one, 8 say"))
            }
            _ => Ok(()),
        }
    }

    /// Whether those of tissues are estimated; fails where something is said of the voxels of single fibres then.
    fn is_of_tissues(&self, gradients: &GradientTable) -> Result<bool> {
        let weighted = gradients.shells().iter().filter(|shell| shell.0 > 0.0).count();
        let tissues = match self.method {
            ResponseMethod::Automatic => weighted > 1,
            ResponseMethod::SingleFibre => false,
            ResponseMethod::Tissues => true,
        };
        if tissues && self.voxels.is_some() {
            let problem = "the series has several shells, and how many voxels responses of tissues are from follows from these";
            return Err(Error::usage("‘voxels’", problem, "leave it out, or choose single fibres"));
        }
        Ok(tissues)
    }
}

/// Responses that were estimated.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimated {
    /// Each with the voxels that it is from: white matter, then grey matter and CSF if they were estimated.
    pub tissues: Vec<(Response, Mask)>,
    /// Voxels of the mask that were not looked at, and measurements that were not used.
    pub counts: VoxelCounts,
}

/// Estimates responses: that of white matter, then those of grey matter and cerebrospinal fluid if the series or the options ask
/// for it. Measurements that are not finite in most voxels are not used, and neither are voxels with one. Warns of these, and of
/// responses that are doubtful.
///
/// # Errors
/// If options, series and mask do not go together, a tissue has no voxels, a response contradicts what it is of, or `control`
/// ends it.
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
        // Erosion takes the edge of the brain off, and not the surroundings of voxels that cannot be used.
        let inner = eroded(mask, ERODED)?;
        let inside = inner.flags().iter().zip(usable.flags()).map(|(a, b)| *a && *b).collect();
        estimate_tissues(&dwi, &gradients, &Mask::new(*mask.grid(), inside)?, options, control)?
    } else {
        vec![estimate_single_fibre(&dwi, &gradients, &usable, options, control)?]
    };
    let responses: Vec<OfTissue<'_>> =
        TissueKind::ALL.into_iter().zip(tissues.iter().map(|(response, _)| response)).collect();
    let voxels: Vec<(TissueKind, &Mask)> =
        TissueKind::ALL.into_iter().zip(tissues.iter().map(|(_, voxels)| voxels)).collect();
    let doubts = check_responses(&responses)?.into_iter().chain(check_voxels(&voxels, mask));
    doubts.for_each(|doubt| control.warn(&doubt));
    Ok(Estimated { tissues, counts })
}

/// The response of white matter in the shell with the largest b.
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

/// The responses of three tissues.
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
    let each = [found.white, found.grey, found.fluid];
    Ok(each.map(|tissue| (tissue.response, tissue.voxels)).to_vec())
}

/// The mean over directions of the signal in the shell with the largest b.
fn mean_signal(response: &Response) -> f64 {
    let last = response.rows().last().map_or(0.0, |row| row[0]);
    last / (4.0 * std::f64::consts::PI).sqrt()
}

/// A mask without the voxels that touch what is outside by a face, so many times; as it is where nothing would be left.
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
        series.check_mask(self.mask.as_deref())
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
    fn edges_are_taken_off() {
        let grid = Grid::new([7, 7, 7], Affine::identity()).unwrap();
        let full = Mask::full(grid);
        assert_eq!(eroded(&full, 1).unwrap().count(), 125);
        assert_eq!(eroded(&full, 3).unwrap().indices(), [grid.index([3, 3, 3])]);
        assert_eq!(eroded(&full, 4).unwrap().count(), 343, "as it is where nothing would be left");
    }
}
