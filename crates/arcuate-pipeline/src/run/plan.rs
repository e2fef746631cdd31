//! Plans a run: determines from its options which stages it has, and which files each stage reads and writes.

use super::choice::{Choice, Tracking};
use super::names;
use super::stage::Stage;
use crate::map_format::MapFormat;
use crate::series::Series;
use crate::series_file::SeriesFile;
use arcuate_core::{Error, Result};
use std::path::{Path, PathBuf};

/// Method that evaluates the streamlines of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Evaluation {
    /// COMMIT is used if the tracking method follows several fibres per voxel. LiFE is used if it follows
    /// one.
    #[default]
    ByTracking,
    /// Linear Fascicle Evaluation.
    Life,
    /// Convex Optimization Modeling for Microstructure Informed Tractography.
    Commit,
    /// No evaluation.
    None,
}

/// Options of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunOptions {
    /// The diffusion series and the source of its gradient table.
    pub series: SeriesFile,
    /// Folder of the results.
    pub out: PathBuf,
    /// Brain mask. If `None`, the mask is computed from the series.
    pub mask: Option<PathBuf>,
    /// Parcellation for a connectome.
    pub labels: Option<PathBuf>,
    /// File with the names of the regions.
    pub label_names: Option<PathBuf>,
    /// Number of streamlines at which tracking stops.
    pub select: Option<u64>,
    /// The tracking method.
    pub tracking: Tracking,
    /// Five-tissue-type image for anatomically constrained tracking.
    pub five_tissues: Option<PathBuf>,
    /// Method that evaluates the streamlines.
    pub evaluation: Evaluation,
    /// File format of all images.
    pub format: MapFormat,
}

/// A stage of a run, with its inputs and the path of its result.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PlannedStage {
    /// Inputs of the stage.
    pub inputs: StageInputs,
    /// File or folder that the stage writes.
    pub out: PathBuf,
}

/// Inputs of a stage: files given by the user or written by preceding stages.
#[derive(Debug, Clone, PartialEq)]
pub enum StageInputs {
    /// Inputs of [`Stage::Mask`].
    Mask {
        /// Diffusion series.
        series: PathBuf,
    },
    /// Inputs of [`Stage::FitTensor`].
    FitTensor {
        /// Diffusion series.
        series: PathBuf,
        /// Brain mask.
        mask: PathBuf,
    },
    /// Inputs of [`Stage::TrackTensor`].
    TrackTensor {
        /// Tensor image.
        tensor: PathBuf,
        /// Brain mask.
        mask: PathBuf,
        /// Five-tissue-type image for anatomically constrained tracking.
        five_tissues: Option<PathBuf>,
        /// Maximum number of streamlines.
        select: Option<u64>,
    },
    /// Inputs of [`Stage::TrackGeodesic`].
    TrackGeodesic {
        /// Tensor image.
        tensor: PathBuf,
        /// Brain mask.
        mask: PathBuf,
    },
    /// Inputs of [`Stage::SampleFibres`].
    SampleFibres {
        /// Diffusion series.
        series: PathBuf,
        /// Brain mask.
        mask: PathBuf,
    },
    /// Inputs of [`Stage::TrackSamples`].
    TrackSamples {
        /// Folder of the samples.
        samples: PathBuf,
        /// Brain mask.
        mask: PathBuf,
        /// Five-tissue-type image for anatomically constrained tracking.
        five_tissues: Option<PathBuf>,
        /// Maximum number of streamlines.
        select: Option<u64>,
    },
    /// Inputs of [`Stage::EstimateResponse`].
    EstimateResponse {
        /// Diffusion series.
        series: PathBuf,
        /// Brain mask.
        mask: PathBuf,
    },
    /// Inputs of [`Stage::FitCsd`].
    FitCsd {
        /// Diffusion series.
        series: PathBuf,
        /// Brain mask.
        mask: PathBuf,
        /// Folder of the response functions.
        responses: PathBuf,
    },
    /// Inputs of [`Stage::TrackFod`].
    TrackFod {
        /// Fibre orientation distributions of white matter.
        fod: PathBuf,
        /// Brain mask.
        mask: PathBuf,
        /// Five-tissue-type image for anatomically constrained tracking.
        five_tissues: Option<PathBuf>,
        /// Maximum number of streamlines.
        select: Option<u64>,
    },
    /// Inputs of [`Stage::EvaluateLife`].
    EvaluateLife {
        /// Tractogram.
        tracts: PathBuf,
        /// Diffusion series.
        series: PathBuf,
        /// Brain mask.
        mask: PathBuf,
    },
    /// Inputs of [`Stage::EvaluateCommit`].
    EvaluateCommit {
        /// Tractogram.
        tracts: PathBuf,
        /// Diffusion series.
        series: PathBuf,
        /// Brain mask.
        mask: PathBuf,
        /// Fibre directions: an image of peaks, or a folder of posterior samples.
        peaks: PathBuf,
    },
    /// Inputs of [`Stage::Density`].
    Density {
        /// Tractogram.
        tracts: PathBuf,
        /// Image whose voxel grid the map of streamline counts has.
        lattice: PathBuf,
    },
    /// Inputs of [`Stage::Connectome`].
    Connectome {
        /// Tractogram.
        tracts: PathBuf,
        /// Parcellation.
        labels: PathBuf,
        /// File with the names of the regions.
        label_names: Option<PathBuf>,
        /// File with one weight per streamline.
        weights: Option<PathBuf>,
    },
}

impl StageInputs {
    /// Returns the stage that has these inputs.
    pub fn stage(&self) -> Stage {
        match self {
            Self::Mask { .. } => Stage::Mask,
            Self::FitTensor { .. } => Stage::FitTensor,
            Self::TrackTensor { .. } => Stage::TrackTensor,
            Self::TrackGeodesic { .. } => Stage::TrackGeodesic,
            Self::SampleFibres { .. } => Stage::SampleFibres,
            Self::TrackSamples { .. } => Stage::TrackSamples,
            Self::EstimateResponse { .. } => Stage::EstimateResponse,
            Self::FitCsd { .. } => Stage::FitCsd,
            Self::TrackFod { .. } => Stage::TrackFod,
            Self::EvaluateLife { .. } => Stage::EvaluateLife,
            Self::EvaluateCommit { .. } => Stage::EvaluateCommit,
            Self::Density { .. } => Stage::Density,
            Self::Connectome { .. } => Stage::Connectome,
        }
    }
}

impl RunOptions {
    /// Creates the options of a run with all defaults.
    pub fn new(series: impl Into<PathBuf>, out: impl Into<PathBuf>) -> Self {
        Self {
            series: SeriesFile::new(series),
            out: out.into(),
            mask: None,
            labels: None,
            label_names: None,
            select: None,
            tracking: Tracking::default(),
            five_tissues: None,
            evaluation: Evaluation::default(),
            format: MapFormat::default(),
        }
    }

    /// Makes all automatic choices. Returns the options with these choices, and the choice of the tracking
    /// method with its reason. The stages of the run depend only on the returned options.
    ///
    /// Returns an error if the tracking method is chosen automatically and the gradient table of the series
    /// cannot be read.
    pub fn chosen(&self) -> Result<(Self, Choice)> {
        let choice = match self.tracking {
            Tracking::Automatic => {
                Choice::by_data(&Series::gradients_of(&self.series.path, &self.series.gradients)?)
            }
            tracking => Choice { tracking, why: None },
        };
        let evaluation = match (self.evaluation, choice.tracking) {
            (Evaluation::ByTracking, Tracking::Distributions | Tracking::Samples) => Evaluation::Commit,
            (Evaluation::ByTracking, _) => Evaluation::Life,
            (evaluation, _) => evaluation,
        };
        Ok((Self { tracking: choice.tracking, evaluation, ..self.clone() }, choice))
    }

    /// Returns the stages of the run in their order.
    ///
    /// Returns the errors of [`chosen`](Self::chosen). Also returns an error if geodesic tracking is combined
    /// with a number of streamlines or a five-tissue-type image.
    pub fn stages(&self) -> Result<Vec<PlannedStage>> {
        let (chosen, _) = self.chosen()?;
        chosen.stages_as_chosen()
    }

    fn stages_as_chosen(&self) -> Result<Vec<PlannedStage>> {
        if self.five_tissues.is_some() && self.tracking == Tracking::Geodesic {
            let problem = "shortest paths do not use tissues";
            return Err(Error::usage(
                "‘five_tissues’",
                problem,
                "leave out this option, or choose another ‘tracking’ than geodesic",
            ));
        }
        if self.select.is_some() && self.tracking == Tracking::Geodesic {
            let problem = "geodesic tracking gives a streamline for each seed and stops at no number";
            let advice = "leave it out, or set seeds in [track.geodesic] of a recipe";
            return Err(Error::usage("‘select’", problem, advice));
        }
        let named = |folder: &Path, name: &str| folder.join(self.format.name(name).as_ref());
        let out = |name: &str| named(&self.out, name);
        let (series, select) = (|| self.series.path.clone(), self.select);
        let mut stages = Vec::new();
        let mut plan = |inputs, out| stages.push(PlannedStage { inputs, out });

        let mask = self.mask.clone().unwrap_or_else(|| out(names::MASK));
        if self.mask.is_none() {
            plan(StageInputs::Mask { series: series() }, mask.clone());
        }
        let mask = || mask.clone();
        let tensors = out(names::TENSORS);
        plan(StageInputs::FitTensor { series: series(), mask: mask() }, tensors.clone());

        let tensor = named(&tensors, names::TENSOR);
        let (samples, distributions) = (out(names::SAMPLES), out(names::DISTRIBUTIONS));
        let five_tissues = self.five_tissues.clone();
        let tracts = match self.tracking {
            Tracking::Tensor | Tracking::Automatic => {
                let tracts = out(names::TRACTS);
                plan(StageInputs::TrackTensor { tensor, mask: mask(), five_tissues, select }, tracts.clone());
                tracts
            }
            Tracking::Distributions => {
                let responses = out(names::RESPONSES);
                plan(StageInputs::EstimateResponse { series: series(), mask: mask() }, responses.clone());
                plan(
                    StageInputs::FitCsd { series: series(), mask: mask(), responses },
                    distributions.clone(),
                );
                let (fod, tracts) = (named(&distributions, names::WHITE_MATTER_FOD), out(names::TRACTS));
                plan(StageInputs::TrackFod { fod, mask: mask(), five_tissues, select }, tracts.clone());
                tracts
            }
            Tracking::Samples => {
                plan(StageInputs::SampleFibres { series: series(), mask: mask() }, samples.clone());
                let tracts = out(names::TRACTS);
                let inputs = StageInputs::TrackSamples {
                    samples: samples.clone(),
                    mask: mask(),
                    five_tissues,
                    select,
                };
                plan(inputs, tracts.clone());
                tracts
            }
            Tracking::Geodesic => {
                let folder = out(names::GEODESICS);
                plan(StageInputs::TrackGeodesic { tensor, mask: mask() }, folder.clone());
                folder.join(names::RAYS)
            }
        };

        let weights = match self.evaluation {
            Evaluation::Life | Evaluation::ByTracking => {
                let inputs =
                    StageInputs::EvaluateLife { tracts: tracts.clone(), series: series(), mask: mask() };
                plan(inputs, out(names::LIFE));
                Some(out(names::LIFE).join(names::LIFE_WEIGHTS))
            }
            Evaluation::Commit => {
                let peaks = match self.tracking {
                    // COMMIT uses the mean orientations of all sampled fibres as peaks.
                    Tracking::Samples => samples,
                    Tracking::Distributions => named(&distributions, names::PEAKS),
                    Tracking::Tensor | Tracking::Automatic | Tracking::Geodesic => {
                        named(&tensors, names::PRINCIPAL_DIRECTION)
                    }
                };
                let (tracts, series, mask) = (tracts.clone(), series(), mask());
                plan(StageInputs::EvaluateCommit { tracts, series, mask, peaks }, out(names::COMMIT));
                Some(out(names::COMMIT).join(names::COMMIT_WEIGHTS))
            }
            Evaluation::None => None,
        };
        let lattice = named(&tensors, names::FRACTIONAL_ANISOTROPY);
        plan(StageInputs::Density { tracts: tracts.clone(), lattice }, out(names::DENSITY));
        if let Some(labels) = self.labels.clone() {
            let label_names = self.label_names.clone();
            plan(StageInputs::Connectome { tracts, labels, label_names, weights }, out(names::CONNECTOME));
        }
        Ok(stages)
    }

    /// Describes in one sentence what was done. The options must be [chosen](Self::chosen).
    #[doc(hidden)]
    pub fn describe(&self) -> String {
        let followed = match self.tracking {
            Tracking::Tensor | Tracking::Automatic => "streamlines were followed along the tensors",
            Tracking::Distributions => {
                "fibre orientation distributions were found, streamlines were followed through them"
            }
            Tracking::Geodesic => "shortest paths were followed through the tensors",
            Tracking::Samples => "streamlines were followed through samples of two fibres in every voxel",
        };
        let evaluated = match self.evaluation {
            Evaluation::Life | Evaluation::ByTracking => {
                ", and LiFE weighed them by how well they explain the measured signal"
            }
            Evaluation::Commit => ", and COMMIT weighed them by how well they explain the measured signal",
            Evaluation::None => "",
        };
        format!(
            "The brain was found in the scan, a diffusion tensor fitted in every voxel, {followed}{evaluated}."
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that each file that a stage reads is written by a preceding stage or given by the user.
    #[test]
    fn stages_read_outputs_of_earlier_stages() {
        let trackings = [Tracking::Tensor, Tracking::Geodesic, Tracking::Samples, Tracking::Distributions];
        let evaluations = [Evaluation::Life, Evaluation::Commit, Evaluation::None];
        for (tracking, evaluation) in trackings.into_iter().flat_map(|t| evaluations.map(|e| (t, e))) {
            let options = RunOptions {
                labels: Some("labels.nii".into()),
                tracking,
                evaluation,
                format: MapFormat::Mif,
                ..RunOptions::new("dwi.nii", "out")
            };
            let mut written: Vec<PathBuf> = vec!["dwi.nii".into(), "labels.nii".into()];
            for PlannedStage { inputs, out } in options.stages().unwrap() {
                let read: Vec<&PathBuf> = match &inputs {
                    StageInputs::Mask { series } => vec![series],
                    StageInputs::FitTensor { series, mask } | StageInputs::SampleFibres { series, mask } => {
                        vec![series, mask]
                    }
                    StageInputs::TrackTensor { tensor, mask, .. }
                    | StageInputs::TrackGeodesic { tensor, mask } => vec![tensor, mask],
                    StageInputs::TrackSamples { samples, mask, .. } => vec![samples, mask],
                    StageInputs::EstimateResponse { series, mask } => vec![series, mask],
                    StageInputs::FitCsd { series, mask, responses } => vec![series, mask, responses],
                    StageInputs::TrackFod { fod, mask, .. } => vec![fod, mask],
                    StageInputs::EvaluateLife { tracts, series, mask } => vec![tracts, series, mask],
                    StageInputs::EvaluateCommit { tracts, series, mask, peaks } => {
                        vec![tracts, series, mask, peaks]
                    }
                    StageInputs::Density { tracts, lattice } => vec![tracts, lattice],
                    StageInputs::Connectome { tracts, labels, weights, .. } => {
                        assert_eq!(weights.is_some(), evaluation != Evaluation::None);
                        [tracts, labels].into_iter().chain(weights).collect()
                    }
                };
                for file in read {
                    let is_there = written.iter().any(|place| file.starts_with(place));
                    assert!(is_there, "{inputs:?} before {}", file.display());
                }
                assert!(out.starts_with("out") && !written.contains(&out), "{}", out.display());
                written.push(out);
            }
        }
    }

    #[test]
    fn geodesic_runs_have_no_streamline_number() {
        let geodesic = RunOptions { tracking: Tracking::Geodesic, ..RunOptions::new("dwi.nii", "out") };
        assert!(geodesic.stages().is_ok());
        let error = RunOptions { select: Some(5), ..geodesic }.stages().unwrap_err();
        assert_eq!(error.subject(), "‘select’");
    }
}
