//! Which of several models the signal of each voxel supports.

use crate::context::Context;
use crate::output::OutputFolder;
use crate::products::{Kind, Map, Product};
use crate::record::{Record, Table};
use arcuate_core::{Error, Result, Volume};
use arcuate_io::write_image;
use arcuate_model::fit::sample::SampleInformation;
use arcuate_model::fit::{Criterion, ModelFit, best_models, lowest};
use arcuate_model::language::Model;
use clap::ValueEnum;
use serde_json::json;

const REFERENCES: &[&str] = &[
    "Akaike H (1974) A new look at the statistical model identification. doi:10.1109/TAC.1974.1100705",
    "Schwarz G (1978) Estimating the dimension of a model. doi:10.1214/aos/1176344136",
];
const REFERENCES_OF_SAMPLES: &[&str] = &[
    "Spiegelhalter DJ, Best NG, Carlin BP, van der Linde A (2002) Bayesian measures of model complexity and fit. \
     doi:10.1111/1467-9868.00353",
    "Gelman A, Hwang J, Vehtari A (2014) Understanding predictive information criteria for Bayesian models. \
     doi:10.1007/s11222-013-9416-2",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum CriterionArg {
    /// Akaike's, of the best fit
    Aic,
    /// The same, corrected for few measurements
    Aicc,
    /// The Bayesian one, of the best fit
    Bic,
    /// Deviance information criterion, of samples (--method mcmc)
    Dic,
    /// Widely applicable information criterion, of samples (--method mcmc)
    Waic,
}

/// A criterion of the samples of a model.
pub(super) struct OfSamples {
    /// NaN where there are none.
    values: Volume<f32>,
    /// Effective number of parameters, the median.
    parameters: f64,
}

impl CriterionArg {
    /// The criterion of the best fit, if it is one.
    fn of_fit(self) -> Option<Criterion> {
        match self {
            Self::Aic => Some(Criterion::Aic),
            Self::Aicc => Some(Criterion::Aicc),
            Self::Bic => Some(Criterion::Bic),
            Self::Dic | Self::Waic => None,
        }
    }

    /// Whether it is one of samples.
    pub(super) fn is_of_samples(self) -> bool {
        self.of_fit().is_none()
    }

    fn name(self) -> &'static str {
        match self {
            Self::Aic => "aic",
            Self::Aicc => "aicc",
            Self::Bic => "bic",
            Self::Dic => "dic",
            Self::Waic => "waic",
        }
    }

    /// Fails where there are no samples that it could be of.
    pub(super) fn check_fit(self) -> Result<()> {
        if self.is_of_samples() {
            let subject = format!("--compare {}", self.name());
            let advice = "add --method mcmc, or compare by aic, aicc or bic";
            return Err(Error::usage(subject, "a fit has no samples of a posterior", advice));
        }
        Ok(())
    }

    /// What a comparison writes.
    pub(super) fn products(self, models: &[Model]) -> Vec<Product> {
        let title = format!("Model with the lowest {}", self.name().to_uppercase());
        let classes = models.iter().map(|model| model.name().to_owned().into()).collect();
        let kind = Kind::Map(Map { classes, ..Map::default() });
        let mut products = vec![Product::shown("best_model.nii.gz", title, kind)];
        for model in models {
            let name = format!("{}/{}.nii.gz", model.name(), self.name());
            let title = format!("{} of {}", self.name().to_uppercase(), model.name());
            products.push(Product::file(name, title));
        }
        products
    }

    /// What it is of samples.
    pub(super) fn of_samples(self, information: SampleInformation) -> OfSamples {
        let SampleInformation { dic, dic_parameters, waic, waic_parameters } = information;
        let (values, parameters) =
            if self == Self::Dic { (dic, dic_parameters) } else { (waic, waic_parameters) };
        let mut parameters: Vec<f32> =
            parameters.into_values().into_iter().filter(|value| !value.is_nan()).collect();
        let middle = parameters.len() / 2;
        let parameters = if parameters.is_empty() {
            f64::NAN
        } else {
            f64::from(*parameters.select_nth_unstable_by(middle, f32::total_cmp).1)
        };
        OfSamples { values, parameters }
    }

    /// Writes which model each voxel supports.
    pub(super) fn compare(
        self,
        folder: &OutputFolder,
        models: &[Model],
        fits: &[ModelFit],
        of_samples: Vec<OfSamples>,
        record: &mut Record,
        context: &Context,
    ) -> Result<()> {
        let options = context.image_options();
        let (values, parameters): (Vec<Volume<f32>>, Vec<f64>) = match self.of_fit() {
            Some(criterion) => fits.iter().map(|fit| (fit.criterion(criterion), f64::NAN)).unzip(),
            None => of_samples.into_iter().map(|of| (of.values, of.parameters)).unzip(),
        };
        let winners = match self.of_fit() {
            Some(criterion) => best_models(fits, criterion),
            None => lowest(&values),
        };
        let Some(winners) = winners else { return Ok(()) };
        write_image(&folder.file("best_model.nii.gz"), &winners, &options)?;
        for (model, values) in models.iter().zip(values) {
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
            title: "Which model the signal supports".into(),
            section: String::new(),
            text: format!(
                "Voxels in which each model has the lowest {}. Its number is that of best_model.nii.gz.",
                self.name().to_uppercase()
            ),
            columns,
            rows: rows.collect(),
        });
        record.cite(if self.is_of_samples() { REFERENCES_OF_SAMPLES } else { REFERENCES });
        Ok(())
    }
}
