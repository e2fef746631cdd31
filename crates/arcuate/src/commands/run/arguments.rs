//! Builds the command line of each stage.

use super::options::Run;
use super::recipe::Recipe;
use arcuate_pipeline::map_format::MapFormat;
use arcuate_pipeline::run::{PlannedStage, Stage, StageInputs};
use std::ffi::OsString;
use std::path::Path;

/// A command line under construction.
struct Line<'a> {
    stage: Stage,
    words: Vec<OsString>,
    /// Options that the run sets itself. The recipe cannot change them.
    required: Vec<&'static str>,
    recipe: &'a Recipe,
}

impl<'a> Line<'a> {
    fn new(stage: Stage, input: &Path, recipe: &'a Recipe) -> Self {
        let words = std::iter::once("arcuate").chain(stage.name().split(' ')).map(OsString::from);
        Self { stage, words: words.chain([input.into()]).collect(), required: Vec::new(), recipe }
    }

    /// Adds an option, unless the recipe sets it.
    fn option(mut self, name: &str, value: impl Into<OsString>) -> Self {
        if !self.recipe.sets(self.stage, name) {
            self.words.extend([format!("--{name}").into(), value.into()]);
        }
        self
    }

    fn optional(self, name: &str, value: Option<impl Into<OsString>>) -> Self {
        match value {
            Some(value) => self.option(name, value),
            None => self,
        }
    }

    fn options(self, words: Vec<(&'static str, OsString)>) -> Self {
        words.into_iter().fold(self, |line, (name, value)| line.option(name, value))
    }

    /// Adds an option whose value the run requires, whatever the recipe sets.
    fn fixed(mut self, name: &'static str, value: impl Into<OsString>) -> Self {
        self.words.extend([format!("--{name}").into(), value.into()]);
        self.required.push(name);
        self
    }

    /// Adds a required option if there is a value.
    fn fixed_if(self, name: &'static str, value: Option<impl Into<OsString>>) -> Self {
        match value {
            Some(value) => self.fixed(name, value),
            None => self,
        }
    }

    /// Adds a flag that recipes cannot set.
    fn flag(mut self, name: &str) -> Self {
        self.words.push(format!("--{name}").into());
        self
    }

    /// Adds the options of the recipe and the output path, and returns the arguments.
    fn finish(mut self, out: &Path) -> Vec<OsString> {
        self.words.extend(self.recipe.words(self.stage, &self.required));
        self.words.extend(["--out".into(), out.into()]);
        self.words
    }
}

impl Run {
    /// Returns the command line of a stage as a user would type it.
    pub(super) fn words(&self, planned: &PlannedStage, recipe: &Recipe) -> Vec<OsString> {
        let line = |input: &Path| Line::new(planned.inputs.stage(), input, recipe);
        let weighting = || self.gradients.words();
        // For commands that write several maps.
        let maps = || self.maps.given().map(MapFormat::word);
        let number = |select: &Option<u64>| select.map(|select| select.to_string());
        let line = match &planned.inputs {
            StageInputs::Mask { series } => line(series).options(weighting()),
            StageInputs::FitTensor { series, mask } => {
                line(series).options(weighting()).option("mask", mask).optional("format", maps())
            }
            StageInputs::TrackTensor { tensor: followed, mask, five_tissues, select }
            | StageInputs::TrackSamples { samples: followed, mask, five_tissues, select }
            | StageInputs::TrackFod { fod: followed, mask, five_tissues, select } => line(followed)
                .option("mask", mask)
                .optional("five-tissues", five_tissues.as_ref())
                .fixed_if("select", number(select)),
            StageInputs::TrackGeodesic { tensor, mask } => line(tensor).option("mask", mask),
            StageInputs::SampleFibres { series, mask } => line(series)
                .options(weighting())
                .option("mask", mask)
                .fixed("method", "mcmc")
                .optional("format", maps()),
            StageInputs::EstimateResponse { series, mask } => {
                line(series).options(weighting()).option("mask", mask).option("method", "tissues")
            }
            StageInputs::FitCsd { series, mask, responses } => line(series)
                .options(weighting())
                .option("mask", mask)
                .option("responses", responses)
                .flag("normalise")
                .optional("format", maps()),
            StageInputs::EvaluateLife { tracts, series, mask } => line(tracts)
                .option("dwi", series)
                .options(weighting())
                .option("mask", mask)
                .optional("format", maps()),
            StageInputs::EvaluateCommit { tracts, series, mask, peaks } => line(tracts)
                .option("dwi", series)
                .options(weighting())
                .option("mask", mask)
                .option("peaks", peaks)
                .optional("format", maps()),
            StageInputs::Density { tracts, lattice } => line(tracts).option("like", lattice),
            StageInputs::Connectome { tracts, labels, label_names, weights } => line(tracts)
                .option("labels", labels)
                .optional("label-names", label_names.as_ref())
                .optional("weights", weights.as_ref()),
        };
        line.finish(&planned.out)
    }
}
