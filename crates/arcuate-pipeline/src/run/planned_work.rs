//! The stages of a run as values of the library, and a run of them.

use super::finish::{KEY_FIGURES, TITLE, finish};
use super::plan::{PlannedStage, RunOptions, StageInputs};
use super::stage::Stage;
use super::stage_work::StageWork;
use super::work::{Filled, RunFolder};
use crate::anatomy_file::AnatomyFile;
use crate::job::Job;
use crate::output_files::OutputFile;
use crate::record::Record;
use crate::report;
use crate::stages::commit::EvaluateCommit;
use crate::stages::connectome::MakeConnectome;
use crate::stages::csd::FitCsd;
use crate::stages::density::MapDensity;
use crate::stages::fit::{FitMethod, FitModels};
use crate::stages::geodesic::TrackGeodesic;
use crate::stages::life::EvaluateLife;
use crate::stages::mask::FindMask;
use crate::stages::response::{EstimateResponse, ResponseMethod};
use crate::stages::sampled::TrackSamples;
use crate::stages::tensor::FitTensor;
use crate::stages::track_fod::TrackFod;
use crate::stages::track_tensor::TrackTensor;
use crate::stages::work::Work;
use arcuate_core::Result;
use std::path::PathBuf;

/// The model whose posteriors are sampled.
const SAMPLED_MODEL: &str = "ball-2-sticks";

/// What is done in a stage of a run: its options may be changed before.
#[derive(Debug, Clone, PartialEq)]
pub enum PlannedWork {
    /// Of [`Stage::Mask`].
    FindMask(FindMask),
    /// Of [`Stage::FitTensor`].
    FitTensor(FitTensor),
    /// Of [`Stage::TrackTensor`].
    TrackTensor(Box<TrackTensor>),
    /// Of [`Stage::TrackGeodesic`].
    TrackGeodesic(Box<TrackGeodesic>),
    /// Of [`Stage::SampleFibres`].
    FitModels(Box<FitModels>),
    /// Of [`Stage::TrackSamples`].
    TrackSamples(Box<TrackSamples>),
    /// Of [`Stage::EstimateResponse`].
    EstimateResponse(Box<EstimateResponse>),
    /// Of [`Stage::FitCsd`].
    FitCsd(Box<FitCsd>),
    /// Of [`Stage::TrackFod`].
    TrackFod(Box<TrackFod>),
    /// Of [`Stage::EvaluateLife`].
    EvaluateLife(Box<EvaluateLife>),
    /// Of [`Stage::EvaluateCommit`].
    EvaluateCommit(Box<EvaluateCommit>),
    /// Of [`Stage::Density`].
    MapDensity(MapDensity),
    /// Of [`Stage::Connectome`].
    MakeConnectome(Box<MakeConnectome>),
}

impl PlannedWork {
    /// The stage that it is.
    pub fn stage(&self) -> Stage {
        match self {
            Self::FindMask(_) => Stage::Mask,
            Self::FitTensor(_) => Stage::FitTensor,
            Self::TrackTensor(_) => Stage::TrackTensor,
            Self::TrackGeodesic(_) => Stage::TrackGeodesic,
            Self::FitModels(_) => Stage::SampleFibres,
            Self::TrackSamples(_) => Stage::TrackSamples,
            Self::EstimateResponse(_) => Stage::EstimateResponse,
            Self::FitCsd(_) => Stage::FitCsd,
            Self::TrackFod(_) => Stage::TrackFod,
            Self::EvaluateLife(_) => Stage::EvaluateLife,
            Self::EvaluateCommit(_) => Stage::EvaluateCommit,
            Self::MapDensity(_) => Stage::Density,
            Self::MakeConnectome(_) => Stage::Connectome,
        }
    }

    fn work(&self) -> &dyn Work {
        match self {
            Self::FindMask(work) => work,
            Self::FitTensor(work) => work,
            Self::TrackTensor(work) => work.as_ref(),
            Self::TrackGeodesic(work) => work.as_ref(),
            Self::FitModels(work) => work.as_ref(),
            Self::TrackSamples(work) => work.as_ref(),
            Self::EstimateResponse(work) => work.as_ref(),
            Self::FitCsd(work) => work.as_ref(),
            Self::TrackFod(work) => work.as_ref(),
            Self::EvaluateLife(work) => work.as_ref(),
            Self::EvaluateCommit(work) => work.as_ref(),
            Self::MapDensity(work) => work,
            Self::MakeConnectome(work) => work.as_ref(),
        }
    }
}

impl Work for PlannedWork {
    fn outputs(&self) -> Vec<PathBuf> {
        self.work().outputs()
    }

    fn check(&self, job: &Job) -> Result<()> {
        self.work().check(job)
    }

    fn run(&self, job: &Job) -> Result<()> {
        self.work().run(job)
    }
}

/// A work as a planned one, boxed where it is large.
macro_rules! planned {
    ($($work:ident $(in $boxed:ident)?),+ $(,)?) => {$(
        impl From<$work> for PlannedWork {
            fn from(work: $work) -> Self {
                Self::$work($($boxed::new)?(work))
            }
        }
    )+};
}

planned!(
    FindMask,
    FitTensor,
    TrackTensor in Box,
    TrackGeodesic in Box,
    FitModels in Box,
    TrackSamples in Box,
    EstimateResponse in Box,
    FitCsd in Box,
    TrackFod in Box,
    EvaluateLife in Box,
    EvaluateCommit in Box,
    MapDensity,
    MakeConnectome in Box,
);

/// Tissues that streamlines heed, as usual.
fn heeded(five_tissues: Option<PathBuf>) -> Option<AnatomyFile> {
    five_tissues.map(AnatomyFile::new)
}

impl RunOptions {
    /// What is done in each stage, with the usual options, in the order of [`stages`](Self::stages).
    ///
    /// Fails like that.
    pub fn work(&self) -> Result<Vec<PlannedWork>> {
        let (chosen, _) = self.chosen()?;
        Ok(chosen.stages()?.iter().map(|planned| chosen.work_of(planned)).collect())
    }

    /// What is done in a stage of this run.
    fn work_of(&self, planned: &PlannedStage) -> PlannedWork {
        let (series, format) = (self.series.clone(), self.format);
        let out = planned.out.clone();
        match planned.inputs.clone() {
            StageInputs::Mask { .. } => FindMask::new(series, out).into(),
            StageInputs::FitTensor { mask, .. } => {
                FitTensor { mask: Some(mask), format, ..FitTensor::new(series, out) }.into()
            }
            StageInputs::TrackTensor { tensor, mask, five_tissues, select } => {
                let mut work = TrackTensor { mask: Some(mask), ..TrackTensor::new(tensor, out) };
                work.tracking.seeds.select = select;
                work.tracking.constraints.anatomy = heeded(five_tissues);
                work.into()
            }
            StageInputs::TrackGeodesic { tensor, mask } => {
                TrackGeodesic { mask: Some(mask), ..TrackGeodesic::new(tensor, out) }.into()
            }
            StageInputs::EvaluateLife { tracts, mask, .. } => {
                EvaluateLife { mask: Some(mask), format, ..EvaluateLife::new(tracts, series, out) }.into()
            }
            StageInputs::EvaluateCommit { tracts, mask, peaks, .. } => EvaluateCommit {
                mask: Some(mask),
                peaks: Some(peaks),
                format,
                ..EvaluateCommit::new(tracts, series, out)
            }
            .into(),
            StageInputs::Density { tracts, lattice } => MapDensity::new(tracts, lattice, out).into(),
            StageInputs::SampleFibres { mask, .. } => {
                let (mask, method) = (Some(mask), FitMethod::Chains);
                FitModels { mask, method, format, ..FitModels::new(SAMPLED_MODEL, series, out) }.into()
            }
            StageInputs::EstimateResponse { mask, .. } => {
                let method = ResponseMethod::Tissues;
                EstimateResponse { mask: Some(mask), method, ..EstimateResponse::new(series, out) }.into()
            }
            StageInputs::FitCsd { mask, responses, .. } => {
                let (mask, normalise) = (Some(mask), true);
                FitCsd { mask, normalise, format, ..FitCsd::new(series, responses, out) }.into()
            }
            StageInputs::TrackFod { fod, mask, five_tissues, select } => {
                let mut work = TrackFod { mask: Some(mask), ..TrackFod::new(fod, out) };
                work.tracking.seeds.select = select;
                work.tracking.constraints.anatomy = heeded(five_tissues);
                work.into()
            }
            StageInputs::TrackSamples { samples, mask, five_tissues, select } => {
                let mut work = TrackSamples { mask: Some(mask), ..TrackSamples::new(samples, out) };
                work.tracking.seeds.select = select;
                work.tracking.constraints.anatomy = heeded(five_tissues);
                work.into()
            }
            StageInputs::Connectome { tracts, labels, label_names, weights } => {
                MakeConnectome { weights, label_names, ..MakeConnectome::new(tracts, labels, out) }.into()
            }
        }
    }

    /// All files that a run reads.
    pub fn inputs(&self) -> Vec<PathBuf> {
        let optional =
            [&self.mask, &self.labels, &self.label_names, &self.five_tissues].into_iter().flatten().cloned();
        self.series.files().into_iter().chain(optional).collect()
    }

    /// Does all of [`work`](Self::work) and writes the record and the report of the whole.
    ///
    /// Fails like that, and where a stage does.
    pub fn run(&self, job: &Job) -> Result<Record> {
        self.perform(&self.work()?, job)
    }

    /// The same with work whose options may be others.
    pub fn perform(&self, work: &[PlannedWork], job: &Job) -> Result<Record> {
        self.done(work, job).inspect_err(|_| job.forget())
    }

    fn done(&self, work: &[PlannedWork], job: &Job) -> Result<Record> {
        job.keep_series();
        let ready = |work| Ready { work, job: job.for_stage(job.request().clone()) };
        let stages: Vec<Ready<'_>> = work.iter().map(ready).collect();
        let (chosen, choice) = self.chosen()?;
        let folder = RunFolder {
            said: choice.in_words(),
            path: self.out.clone(),
            title: TITLE.into(),
            files: vec![OutputFile::file(report::FILE_NAME, "The report")],
            inputs: self.inputs(),
            own_inputs: Vec::new(),
            is_own: false,
        };
        let (folder, mut record) = match folder.fill(&stages, job)? {
            Filled::Now(folder, record) => (*folder, *record),
            Filled::Before(record) => {
                job.forget();
                return Ok(*record);
            }
        };
        choice.note(&mut record);
        record.done(chosen.in_words());
        record.keep_key_figures(&KEY_FIGURES);
        finish(&folder, &mut record, None, job)?;
        Ok(record)
    }
}

/// A stage with its job.
struct Ready<'a> {
    work: &'a PlannedWork,
    job: Job,
}

impl StageWork for Ready<'_> {
    fn name(&self) -> &str {
        self.work.stage().name()
    }

    fn outputs(&self) -> Vec<PathBuf> {
        self.work.outputs()
    }

    fn asked(&self) -> String {
        format!("{:?}", self.work)
    }

    fn check(&self) -> Result<()> {
        let _listening = self.job.listen();
        self.work.check(&self.job).map_err(|e| self.job.reword(e))
    }

    fn run(&self) -> Result<()> {
        let _listening = self.job.listen();
        self.work.run(&self.job).map_err(|e| self.job.reword(e))
    }
}
