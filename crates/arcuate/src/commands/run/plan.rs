//! The command lines that a run stands for.

use super::options::{Evaluation, Run, Tracking};
use super::recipe::Recipe;
use super::steps::{FIT_SAMPLES, Step};
use crate::commands::track;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A command line that is being put together.
struct Line<'a> {
    step: Step,
    recipe: &'a Recipe,
}

impl<'a> Line<'a> {
    fn new(command: &'static str, input: PathBuf, recipe: &'a Recipe) -> Self {
        let words = std::iter::once("arcuate").chain(command.split(' ')).map(OsString::from);
        Self { step: Step { command, words: words.chain([input.into()]).collect() }, recipe }
    }

    /// An option, unless the recipe sets it.
    fn option(mut self, name: &str, value: impl Into<OsString>) -> Self {
        if !self.recipe.sets(self.step.command, name) {
            self.step.words.extend([format!("--{name}").into(), value.into()]);
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

    /// An option that is a flag and that no recipe sets.
    fn flag(mut self, name: &str) -> Self {
        self.step.words.push(format!("--{name}").into());
        self
    }

    /// The line with what the recipe says, but for `except`, which the command line of the run has said.
    fn finish(mut self, out: PathBuf, except: Option<&str>) -> Step {
        self.step.words.extend(self.recipe.words(self.step.command, except));
        self.step.words.extend(["--out".into(), out.into()]);
        self.step
    }
}

impl Run {
    /// All steps in order.
    ///
    /// # Panics
    /// Without a series or a folder for results.
    pub(super) fn plan(&self, recipe: &Recipe) -> Vec<Step> {
        let dwi = || self.dwi.clone().expect("clap requires a series");
        let format = self.maps.format();
        let out =
            |name: &str| self.out.as_ref().expect("clap requires --out").join(format.name(name).as_ref());
        let line = |command, input| Line::new(command, input, recipe);
        // Of commands that write several.
        let maps = || self.maps.is_given().then(|| format.word());
        let map = |folder: &Path, name: &str| folder.join(format.name(name).as_ref());
        let mut steps = Vec::new();
        let mask = self.mask.clone().unwrap_or_else(|| out("mask.nii.gz"));
        if self.mask.is_none() {
            steps.push(line("mask", dwi()).options(self.gradients.words()).finish(mask.clone(), None));
        }
        let tensors = out("tensor");
        let fit = line("fit tensor", dwi()).options(self.gradients.words()).option("mask", mask.clone());
        steps.push(fit.optional("format", maps()).finish(tensors.clone(), None));

        let tensor = map(&tensors, "tensor.nii.gz");
        let (mut track, result, tracks) = match self.tracking {
            Tracking::Tensor => (line("track tensor", tensor), out("tracks.trx"), out("tracks.trx")),
            Tracking::Samples => {
                let folder = out("ball-2-sticks");
                let mut fit =
                    line(FIT_SAMPLES, dwi()).options(self.gradients.words()).option("mask", mask.clone());
                fit.step.words.extend(["--method".into(), "mcmc".into()]);
                steps.push(fit.optional("format", maps()).finish(folder.clone(), None));
                (line("track samples", folder), out("tracks.trx"), out("tracks.trx"))
            }
            Tracking::Geodesic => {
                let folder = out("geodesic");
                let rays = folder.join(track::TrackGeodesic::RAYS);
                (line("track geodesic", tensor).flag("all"), folder, rays)
            }
        };
        track = track.option("mask", mask.clone());
        // What is typed is more than what a file says.
        if let Some(select) = self.select {
            track.step.words.extend(["--select".into(), select.to_string().into()]);
        }
        steps.push(track.finish(result, self.select.map(|_| "select")));

        let evaluation = match self.evaluate {
            Evaluation::Life => Some(("evaluate life", "life", "life_weights.txt")),
            Evaluation::Commit => Some(("evaluate commit", "commit", "commit_weights.txt")),
            Evaluation::None => None,
        };
        if let Some((command, folder, _)) = evaluation {
            // Of all fibres that were sampled, where they were.
            let peaks = || match self.tracking {
                Tracking::Samples => out("ball-2-sticks"),
                Tracking::Tensor | Tracking::Geodesic => map(&tensors, "principal_direction.nii.gz"),
            };
            let peaks = (self.evaluate == Evaluation::Commit).then(peaks);
            let evaluate = line(command, tracks.clone())
                .option("dwi", dwi())
                .options(self.gradients.words())
                .option("mask", mask.clone())
                .optional("peaks", peaks)
                .optional("format", maps());
            steps.push(evaluate.finish(out(folder), None));
        }
        let density = line("density", tracks.clone()).option("like", map(&tensors, "fa.nii.gz"));
        steps.push(density.finish(out("track_density.nii.gz"), None));
        if let Some(labels) = &self.labels {
            let weights = evaluation.map(|(_, folder, weights)| out(folder).join(weights));
            let connectome = line("connectome", tracks)
                .option("labels", labels.clone())
                .optional("label-names", self.label_names.clone())
                .optional("weights", weights);
            steps.push(connectome.finish(out("connectome"), None));
        }
        steps
    }
}
