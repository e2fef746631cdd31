//! The stages of a run with all of their options, and the execution of a run.

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
#[cfg(feature = "models")]
use crate::stages::fit::{FitMethod, FitModels};
#[cfg(feature = "geodesic")]
use crate::stages::geodesic::TrackGeodesic;
use crate::stages::life::EvaluateLife;
use crate::stages::mask::FindMask;
use crate::stages::response::{EstimateResponse, ResponseMethod};
#[cfg(feature = "samples")]
use crate::stages::sampled::TrackSamples;
use crate::stages::tensor::FitTensor;
use crate::stages::track_fod::TrackFod;
use crate::stages::track_tensor::TrackTensor;
use crate::stages::tracking::Tracking;
use crate::stages::work::Work;
use arcuate_core::Result;
use std::borrow::Borrow;
use std::path::PathBuf;

/// Name of the signal model whose posterior distribution the stage [`Stage::SampleFibres`] samples.
#[cfg(feature = "models")]
const SAMPLED_MODEL: &str = "ball-2-sticks";

/// Defines [`PlannedWork`]. Each row has the type of the work, the type that stores it, the feature that compiles the stage
/// if there is one, and the stage.
macro_rules! planned_work {
    ($($work:ident($stored:ty) $(if $feature:literal)? => $stage:ident;)+) => {
        /// The work of a stage with all options of the stage. A program may change the options before the run.
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        pub enum PlannedWork {
            $(
                $(#[cfg(feature = $feature)])?
                #[doc = concat!("Work of [`Stage::", stringify!($stage), "`].")]
                $work($stored),
            )+
        }

        impl PlannedWork {
            /// Returns the stage of this work.
            pub fn stage(&self) -> Stage {
                match self {
                    $($(#[cfg(feature = $feature)])? Self::$work(_) => Stage::$stage,)+
                }
            }

            fn work(&self) -> &dyn Work {
                match self {
                    $($(#[cfg(feature = $feature)])? Self::$work(work) => Borrow::<$work>::borrow(work),)+
                }
            }
        }

        $(
            $(#[cfg(feature = $feature)])?
            impl From<$work> for PlannedWork {
                fn from(work: $work) -> Self {
                    Self::$work(work.into())
                }
            }
        )+
    };
}

planned_work! {
    FindMask(FindMask) => Mask;
    FitTensor(FitTensor) => FitTensor;
    TrackTensor(Box<TrackTensor>) => TrackTensor;
    TrackGeodesic(Box<TrackGeodesic>) if "geodesic" => TrackGeodesic;
    FitModels(Box<FitModels>) if "models" => SampleFibres;
    TrackSamples(Box<TrackSamples>) if "samples" => TrackSamples;
    EstimateResponse(Box<EstimateResponse>) => EstimateResponse;
    FitCsd(Box<FitCsd>) => FitCsd;
    TrackFod(Box<TrackFod>) => TrackFod;
    EvaluateLife(Box<EvaluateLife>) => EvaluateLife;
    EvaluateCommit(Box<EvaluateCommit>) => EvaluateCommit;
    MapDensity(MapDensity) => Density;
    MakeConnectome(Box<MakeConnectome>) => Connectome;
}

impl PlannedWork {
    /// Returns the tracking options, if several jobs can share the stage. This stage tracks through samples.
    #[doc(hidden)]
    pub fn divisible_tracking(&mut self) -> Option<&mut Tracking> {
        match self {
            #[cfg(feature = "samples")]
            Self::TrackSamples(track) => Some(&mut track.tracking),
            _ => None,
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

/// Returns the anatomical constraints, with default options, for the five-tissue-type image that the user
/// gave.
fn tissue_file(five_tissues: Option<PathBuf>) -> Option<AnatomyFile> {
    five_tissues.map(AnatomyFile::new)
}

impl RunOptions {
    /// Returns the work of each stage of the run with default options, in the order of
    /// [`stages`](Self::stages).
    ///
    /// Returns an error as [`stages`](Self::stages) does, and if this crate was compiled without the feature of a stage.
    pub fn work(&self) -> Result<Vec<PlannedWork>> {
        let (chosen, _) = self.chosen()?;
        chosen.stages()?.iter().map(|planned| chosen.work_of(planned)).collect()
    }

    /// Returns the work of one planned stage of this run.
    ///
    /// Returns an error if this crate was compiled without the feature of the stage.
    #[cfg_attr(
        all(feature = "geodesic", feature = "models", feature = "samples"),
        expect(clippy::unnecessary_wraps, reason = "without one of these features, a stage is missing")
    )]
    fn work_of(&self, planned: &PlannedStage) -> Result<PlannedWork> {
        let (series, format) = (self.series.clone(), self.format);
        let out = planned.out.clone();
        Ok(match planned.inputs.clone() {
            StageInputs::Mask { .. } => FindMask::new(series, out).into(),
            StageInputs::FitTensor { mask, .. } => {
                FitTensor { mask: Some(mask), format, ..FitTensor::new(series, out) }.into()
            }
            StageInputs::TrackTensor { tensor, mask, five_tissues, select } => {
                let mut work = TrackTensor { mask: Some(mask), ..TrackTensor::new(tensor, out) };
                work.tracking.seeds.select = select;
                work.tracking.constraints.anatomy = tissue_file(five_tissues);
                work.into()
            }
            #[cfg(feature = "geodesic")]
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
            #[cfg(feature = "models")]
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
                work.tracking.constraints.anatomy = tissue_file(five_tissues);
                work.into()
            }
            #[cfg(feature = "samples")]
            StageInputs::TrackSamples { samples, mask, five_tissues, select } => {
                let mut work = TrackSamples { mask: Some(mask), ..TrackSamples::new(samples, out) };
                work.tracking.seeds.select = select;
                work.tracking.constraints.anatomy = tissue_file(five_tissues);
                work.into()
            }
            StageInputs::Connectome { tracts, labels, label_names, weights } => {
                MakeConnectome { weights, label_names, ..MakeConnectome::new(tracts, labels, out) }.into()
            }
            #[cfg(not(all(feature = "geodesic", feature = "models", feature = "samples")))]
            absent => {
                let stage = absent.stage();
                let feature = stage.feature().unwrap_or_default();
                return Err(arcuate_core::Error::without_feature(stage.name(), feature));
            }
        })
    }

    /// Returns all files that a run reads.
    #[doc(hidden)]
    pub fn inputs(&self) -> Vec<PathBuf> {
        let optional =
            [&self.mask, &self.labels, &self.label_names, &self.five_tissues].into_iter().flatten().cloned();
        self.series.files().into_iter().chain(optional).collect()
    }

    /// Runs all stages in [`work`](Self::work). Then writes the record and the report of the whole run.
    ///
    /// Returns the errors of [`work`](Self::work), and an error if a stage fails.
    pub fn run(&self, job: &Job) -> Result<Record> {
        self.perform(&self.work()?, job)
    }

    /// Runs the stages `work` like [`run`](Self::run). The options of these stages may differ from the
    /// defaults.
    pub fn perform(&self, work: &[PlannedWork], job: &Job) -> Result<Record> {
        self.done(work, job).inspect_err(|_| job.forget())
    }

    fn done(&self, work: &[PlannedWork], job: &Job) -> Result<Record> {
        job.keep_series();
        let ready = |work| Ready { work, job: job.for_stage(job.request().clone()) };
        let stages: Vec<Ready<'_>> = work.iter().map(ready).collect();
        let (chosen, choice) = self.chosen()?;
        let folder = RunFolder {
            message: choice.describe(),
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
        record.done(chosen.describe());
        record.keep_key_figures(&KEY_FIGURES);
        finish(&folder, &mut record, None, job)?;
        Ok(record)
    }
}

/// A stage together with its job.
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

    fn options_text(&self) -> String {
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
