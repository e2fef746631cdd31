//! Which stages follow from the options of a run, and what each reads and writes.

use super::choice::{Choice, Tracking};
use super::names;
use super::stage::Stage;
use crate::map_format::MapFormat;
use crate::series::Series;
use crate::series_file::SeriesFile;
use arcuate_core::{Error, Result};
use std::path::{Path, PathBuf};

/// How streamlines of a run are evaluated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Evaluation {
    /// COMMIT where several fibres of a voxel are followed, LiFE where one is.
    #[default]
    ByTracking,
    /// Linear Fascicle Evaluation.
    Life,
    /// Convex Optimization Modeling for Microstructure Informed Tractography.
    Commit,
    /// Not at all.
    None,
}

/// What a run is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct RunOptions {
    /// The diffusion series, with where its weighting comes from.
    pub series: SeriesFile,
    /// The folder for the results.
    pub out: PathBuf,
    /// A mask of the brain; found in the series otherwise.
    pub mask: Option<PathBuf>,
    /// A parcellation, for a connectome.
    pub labels: Option<PathBuf>,
    /// The names of its regions.
    pub label_names: Option<PathBuf>,
    /// Stop tracking at so many streamlines.
    pub select: Option<u64>,
    /// What streamlines follow.
    pub tracking: Tracking,
    /// A five-tissue-type image that streamlines heed.
    pub five_tissues: Option<PathBuf>,
    /// How they are evaluated.
    pub evaluation: Evaluation,
    /// The format of all images.
    pub format: MapFormat,
}

/// A stage with what it reads and where its result goes.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedStage {
    /// What it reads.
    pub inputs: StageInputs,
    /// The file or the folder that it writes.
    pub out: PathBuf,
}

/// What a stage reads: files that are given, or that stages before it write.
#[derive(Debug, Clone, PartialEq)]
pub enum StageInputs {
    /// Of [`Stage::Mask`].
    Mask {
        /// The diffusion series.
        series: PathBuf,
    },
    /// Of [`Stage::FitTensor`].
    FitTensor {
        /// The diffusion series.
        series: PathBuf,
        /// The mask of the brain.
        mask: PathBuf,
    },
    /// Of [`Stage::TrackTensor`].
    TrackTensor {
        /// The tensors.
        tensor: PathBuf,
        /// The mask of the brain.
        mask: PathBuf,
        /// Tissues that streamlines heed.
        five_tissues: Option<PathBuf>,
        /// How many streamlines, at most.
        select: Option<u64>,
    },
    /// Of [`Stage::TrackGeodesic`].
    TrackGeodesic {
        /// The tensors.
        tensor: PathBuf,
        /// The mask of the brain.
        mask: PathBuf,
    },
    /// Of [`Stage::SampleFibres`].
    SampleFibres {
        /// The diffusion series.
        series: PathBuf,
        /// The mask of the brain.
        mask: PathBuf,
    },
    /// Of [`Stage::TrackSamples`].
    TrackSamples {
        /// The folder of the samples.
        samples: PathBuf,
        /// The mask of the brain.
        mask: PathBuf,
        /// Tissues that streamlines heed.
        five_tissues: Option<PathBuf>,
        /// How many streamlines, at most.
        select: Option<u64>,
    },
    /// Of [`Stage::EstimateResponse`].
    EstimateResponse {
        /// The diffusion series.
        series: PathBuf,
        /// The mask of the brain.
        mask: PathBuf,
    },
    /// Of [`Stage::FitCsd`].
    FitCsd {
        /// The diffusion series.
        series: PathBuf,
        /// The mask of the brain.
        mask: PathBuf,
        /// The folder of the responses.
        responses: PathBuf,
    },
    /// Of [`Stage::TrackFod`].
    TrackFod {
        /// The distributions of white matter.
        fod: PathBuf,
        /// The mask of the brain.
        mask: PathBuf,
        /// Tissues that streamlines heed.
        five_tissues: Option<PathBuf>,
        /// How many streamlines, at most.
        select: Option<u64>,
    },
    /// Of [`Stage::EvaluateLife`].
    EvaluateLife {
        /// The streamlines.
        tracts: PathBuf,
        /// The diffusion series.
        series: PathBuf,
        /// The mask of the brain.
        mask: PathBuf,
    },
    /// Of [`Stage::EvaluateCommit`].
    EvaluateCommit {
        /// The streamlines.
        tracts: PathBuf,
        /// The diffusion series.
        series: PathBuf,
        /// The mask of the brain.
        mask: PathBuf,
        /// Directions of fibres: an image, or a folder of samples.
        peaks: PathBuf,
    },
    /// Of [`Stage::Density`].
    Density {
        /// The streamlines.
        tracts: PathBuf,
        /// An image with the lattice of the map.
        lattice: PathBuf,
    },
    /// Of [`Stage::Connectome`].
    Connectome {
        /// The streamlines.
        tracts: PathBuf,
        /// The parcellation.
        labels: PathBuf,
        /// The names of its regions.
        label_names: Option<PathBuf>,
        /// A weight of each streamline.
        weights: Option<PathBuf>,
    },
}

impl StageInputs {
    /// The stage that reads them.
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
    /// Those of a run of which nothing else is asked.
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

    /// The same with everything that was left open chosen: what follows depends on options alone.
    ///
    /// Fails where tracking is to be chosen by data, and the weighting of the series cannot be read.
    pub fn chosen(&self) -> Result<(Self, Choice)> {
        let choice = match self.tracking {
            Tracking::ByData => {
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

    /// The stages, in their order.
    ///
    /// Fails as [`chosen`](Self::chosen) does, and where a number of streamlines or tissues are asked for that the tracking does not have.
    pub fn stages(&self) -> Result<Vec<PlannedStage>> {
        let (chosen, _) = self.chosen()?;
        chosen.stages_as_chosen()
    }

    fn stages_as_chosen(&self) -> Result<Vec<PlannedStage>> {
        if self.five_tissues.is_some() && self.tracking == Tracking::Geodesic {
            let problem = "shortest paths heed no tissues";
            return Err(Error::usage(
                "‘five_tissues’",
                problem,
                "leave it out, or choose another ‘tracking’",
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
            Tracking::Tensor | Tracking::ByData => {
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
                    // All fibres that were sampled, where they were.
                    Tracking::Samples => samples,
                    Tracking::Distributions => named(&distributions, names::PEAKS),
                    Tracking::Tensor | Tracking::ByData | Tracking::Geodesic => {
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

    /// What is done, in a sentence, of options that are [chosen](Self::chosen).
    pub fn in_words(&self) -> String {
        let followed = match self.tracking {
            Tracking::Tensor | Tracking::ByData => "streamlines were followed along the tensors",
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

    /// What stages read has been written by those before them, or was given.
    #[test]
    fn stages_read_what_stages_before_them_write() {
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
    fn geodesics_have_no_number() {
        let geodesic = RunOptions { tracking: Tracking::Geodesic, ..RunOptions::new("dwi.nii", "out") };
        assert!(geodesic.stages().is_ok());
        let error = RunOptions { select: Some(5), ..geodesic }.stages().unwrap_err();
        assert_eq!(error.subject(), "‘select’");
    }
}
