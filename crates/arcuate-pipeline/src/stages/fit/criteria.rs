//! Compares several signal models in each voxel with an information criterion.

use super::group_examples::{self, Compared};
use crate::figures::COMPARISON;
use crate::job::Job;
use crate::output::OutputFolder;
use crate::output_files::{Kind, Map, OutputFile};
use crate::record::{Record, Table};
use arcuate_core::{Error, Result, Volume, statistics};
use arcuate_io::write_image;
use arcuate_model::fit::sample::SampleInformation;
use arcuate_model::fit::{Criterion, ModelFit, best_models, lowest};
use arcuate_model::language::Model;
use serde_json::json;
use std::path::Path;

const REFERENCES: &[&str] = &[
    "Akaike H (1974) A new look at the statistical model identification. doi:10.1109/TAC.1974.1100705",
    "Schwarz G (1978) Estimating the dimension of a model. doi:10.1214/aos/1176344136",
];
/// Paper on the interpretation of differences of the Bayesian information criterion (BIC).
const STRENGTH: &str = "Kass RE, Raftery AE (1995) Bayes factors. doi:10.1080/01621459.1995.10476572";
const REFERENCES_OF_SAMPLES: &[&str] = &[
    "Spiegelhalter DJ, Best NG, Carlin BP, van der Linde A (2002) Bayesian measures of model complexity and fit. \
     doi:10.1111/1467-9868.00353",
    "Gelman A, Hwang J, Vehtari A (2014) Understanding predictive information criteria for Bayesian models. \
     doi:10.1007/s11222-013-9416-2",
];

/// An information criterion, with which models are compared in each voxel. A lower value is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ModelCriterion {
    /// Akaike's information criterion (AIC) of the best fit.
    Aic,
    /// Akaike's information criterion of the best fit, corrected for a small number of measurements (AICc).
    Aicc,
    /// Bayesian information criterion (BIC) of the best fit.
    Bic,
    /// Bayesian information criterion (BIC) of the posterior sample with the smallest sum of squared
    /// residuals.
    BicMaximum,
    /// Deviance information criterion (DIC) of posterior samples.
    Dic,
    /// Widely applicable information criterion (WAIC), computed from posterior samples.
    Waic,
}

/// Beginning of the name that the record of a command uses for the median difference of the criterion between
/// the two best models. The name of the criterion follows.
pub const SEPARATION: &str = "median difference between the two best models, ";

/// File of the image of the number of the best model in each voxel.
const WINNERS: &str = "best_model.nii.gz";

/// An information criterion of a model that was computed from posterior samples.
pub(super) struct SampleCriterion {
    /// Value of the criterion in each voxel. It is NaN if the voxel has no samples.
    values: Volume<f32>,
    /// Effective number of parameters of the model: the median over the voxels.
    parameters: f64,
}

impl ModelCriterion {
    /// Returns the corresponding criterion for best fits. Returns `None` if this criterion needs posterior
    /// samples.
    fn of_fit(self) -> Option<Criterion> {
        match self {
            Self::Aic => Some(Criterion::Aic),
            Self::Aicc => Some(Criterion::Aicc),
            Self::Bic => Some(Criterion::Bic),
            Self::BicMaximum | Self::Dic | Self::Waic => None,
        }
    }

    /// Checks whether the information criterion is computed from posterior samples.
    pub(super) fn is_of_samples(self) -> bool {
        self.of_fit().is_none()
    }

    fn name(self) -> &'static str {
        match self {
            Self::Aic => "aic",
            Self::Aicc => "aicc",
            Self::Bic => "bic",
            Self::BicMaximum => "bic_maximum",
            Self::Dic => "dic",
            Self::Waic => "waic",
        }
    }

    /// Returns the name of the criterion as papers write it, such as "BIC".
    fn title(self) -> String {
        match self {
            Self::BicMaximum => "BIC at the maximum".to_owned(),
            _ => self.name().to_uppercase(),
        }
    }

    /// Returns an error if the criterion needs posterior samples. This function is called for fits without
    /// Markov chains.
    pub(super) fn check_fit(self, what: &str) -> Result<()> {
        if self.is_of_samples() {
            let subject = format!("{what} {}", self.name().replace('_', "-"));
            let advice = "add ‘method’ mcmc, or take aic, aicc or bic";
            return Err(Error::usage(
                subject,
                "a best fit has no posterior samples, which this criterion needs",
                advice,
            ));
        }
        Ok(())
    }

    /// Returns the files that a comparison of models writes.
    pub(super) fn output_files(self, models: &[Model]) -> Vec<OutputFile> {
        let title = format!("Model with the lowest {}", self.title());
        let classes = models.iter().map(|model| model.name().to_owned().into()).collect();
        let kind = Kind::Map(Map { classes, section: COMPARISON.into(), ..Map::default() });
        let content =
            format!("Number of the model with the lowest {}, 1 for the first one named", self.title());
        let winners = OutputFile::shown(WINNERS, title, kind).with_content(content);
        let mut output_files = vec![winners, group_examples::output_file(models, WINNERS)];
        for model in models {
            let output_file = self.output_file(model);
            output_files.push(output_file.moved(Path::new(model.name())));
        }
        output_files
    }

    /// Describes the file of the map of this criterion for a model.
    pub(super) fn output_file(self, model: &Model) -> OutputFile {
        let title = format!("{} of {}", self.title(), model.name());
        let content = format!("{title}; smaller is better");
        OutputFile::file(format!("{}.nii.gz", self.name()), title).with_content(content)
    }

    /// Returns the value of this criterion in each voxel. If the criterion needs posterior samples, its
    /// values are in `information`.
    pub(super) fn values(self, fit: &ModelFit, information: Option<&SampleInformation>) -> Volume<f32> {
        match (self, information) {
            (Self::BicMaximum, Some(found)) => found.bic_maximum.clone(),
            (Self::Dic, Some(found)) => found.dic.clone(),
            (Self::Waic, Some(found)) => found.waic.clone(),
            _ => fit.criterion(self.of_fit().unwrap_or(Criterion::Bic)),
        }
    }

    /// Writes the map of the criterion of a model into the subfolder `below` of the results. NaN is written
    /// as 0. Adds the median over the voxels to the record.
    pub(super) fn write(
        self,
        (folder, below): (&OutputFolder, &Path),
        values: &Volume<f32>,
        of: &str,
        record: &mut Record,
        job: &Job,
    ) -> Result<()> {
        let shown = values.map(|value| if value.is_nan() { 0.0 } else { value });
        let name = below.join(format!("{}.nii.gz", self.name()));
        write_image(&folder.file(&name.to_string_lossy()), &shown, &job.image_options())?;
        let mut known: Vec<f32> =
            values.values().iter().copied().filter(|value| *value != 0.0 && !value.is_nan()).collect();
        if let Some(median) = statistics::median(&mut known) {
            record.measure(&format!("{of}median {}", self.title()), median, "");
        }
        record.cite(if matches!(self, Self::Dic | Self::Waic) { REFERENCES_OF_SAMPLES } else { REFERENCES });
        Ok(())
    }

    /// Returns the values of a criterion that needs posterior samples, with the effective number of
    /// parameters of the model.
    pub(super) fn of_samples(self, fit: &ModelFit, information: &SampleInformation) -> SampleCriterion {
        let values = self.values(fit, Some(information));
        let parameters = match self {
            Self::Dic => &information.dic_parameters,
            Self::Waic => &information.waic_parameters,
            _ => return SampleCriterion { values, parameters: fit.unknowns as f64 },
        };
        let mut parameters: Vec<f32> =
            parameters.values().iter().copied().filter(|value| !value.is_nan()).collect();
        SampleCriterion { values, parameters: statistics::median(&mut parameters).unwrap_or(f64::NAN) }
    }

    /// Writes an image of the number of the best model in each voxel. Returns `None` if there is no model.
    pub(super) fn compare(
        self,
        folder: &OutputFolder,
        models: &[Model],
        fits: &[ModelFit],
        of_samples: Vec<SampleCriterion>,
        record: &mut Record,
        job: &Job,
    ) -> Result<Option<Compared>> {
        let options = job.image_options();
        let (values, parameters): (Vec<Volume<f32>>, Vec<f64>) = match self.of_fit() {
            Some(criterion) => fits.iter().map(|fit| (fit.criterion(criterion), f64::NAN)).unzip(),
            None => of_samples.into_iter().map(|of| (of.values, of.parameters)).unzip(),
        };
        let winners = match self.of_fit() {
            Some(criterion) => best_models(fits, criterion),
            None => lowest(&values),
        };
        let Some(winners) = winners else { return Ok(None) };
        write_image(&folder.file(WINNERS), &winners, &options)?;
        for (model, values) in models.iter().zip(&values) {
            let name = format!("{}/{}.nii.gz", model.name(), self.name());
            let shown = values.map(|value| if value.is_nan() { 0.0 } else { value });
            write_image(&folder.file(&name), &shown, &options)?;
        }
        let compared = winners.values().iter().filter(|winner| **winner > 0.0).count();
        let mut columns = ["number", "model", "unknowns", "voxels", "share"].map(String::from).to_vec();
        if self.is_of_samples() {
            columns.insert(3, "effective parameters (median)".into());
        }
        let rows =
            models.iter().zip(fits).zip(parameters).enumerate().map(|(n, ((model, fit), effective))| {
                let won = winners.values().iter().filter(|winner| **winner == (n + 1) as f32).count();
                let share = 100.0 * won as f64 / compared.max(1) as f64;
                let mut row = vec![
                    json!(n + 1),
                    json!(model.name()),
                    json!(fit.unknowns),
                    json!(won),
                    json!(format!("{share:.1} %")),
                ];
                if self.is_of_samples() {
                    row.insert(3, json!(effective));
                }
                row
            });
        record.tables.push(Table {
            title: COMPARISON.into(),
            section: String::new(),
            text: format!(
                "Voxels in which each model has the lowest {}. Its number is that of best_model.nii.gz.",
                self.title()
            ),
            columns,
            rows: rows.collect(),
        });
        if let Some(difference) = separation(&values) {
            record.measure(&format!("{SEPARATION}{}", self.title()), difference, "").key();
        }
        record.cite(if matches!(self, Self::Dic | Self::Waic) { REFERENCES_OF_SAMPLES } else { REFERENCES });
        if self.title().starts_with("BIC") {
            record.cite(&[STRENGTH]);
        }
        Ok(Some(Compared { title: self.title(), winners, values }))
    }
}

/// Returns the median over the voxels of the difference between the two lowest values of the criterion.
/// Voxels with a value for only one model are ignored. Returns `None` if no voxel remains.
fn separation(values: &[Volume<f32>]) -> Option<f64> {
    let voxels = values.first()?.values().len();
    let difference = |voxel: usize| {
        let mut known: Vec<f32> = values
            .iter()
            .map(|of| of.values()[voxel])
            .filter(|value| value.is_finite() && *value != 0.0)
            .collect();
        known.sort_by(f32::total_cmp);
        Some(known.get(1)? - known[0])
    };
    statistics::median(&mut (0..voxels).filter_map(difference).collect::<Vec<f32>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::{Affine, Grid};

    #[test]
    fn the_two_lowest_criteria_of_each_voxel_are_compared() {
        let grid = Grid::new([4, 1, 1], Affine::identity()).unwrap();
        let volume = |values: [f32; 4]| Volume::new(grid, 1, values.to_vec()).unwrap();
        // In the first three voxels, the two lowest values differ by 5, 20 and 1. The last voxel has a value
        // for only one model.
        let values = [
            volume([-100.0, -50.0, -9.0, -4.0]),
            volume([-105.0, -70.0, -10.0, 0.0]),
            volume([-90.0, -10.0, -2.0, f32::NAN]),
        ];
        assert_eq!(separation(&values), Some(5.0));
        assert_eq!(separation(&values[..1]), None);
    }
}
