//! Which of several models the signal of each voxel supports.

use crate::context::Context;
use crate::output::OutputFolder;
use crate::products::{Kind, Map, Product};
use crate::record::{Record, Table};
use arcuate_core::Result;
use arcuate_io::write_image;
use arcuate_model::fit::{Criterion, ModelFit, best_models};
use arcuate_model::language::Model;
use clap::ValueEnum;
use serde_json::json;

const REFERENCES: &[&str] = &[
    "Akaike H (1974) A new look at the statistical model identification. doi:10.1109/TAC.1974.1100705",
    "Schwarz G (1978) Estimating the dimension of a model. doi:10.1214/aos/1176344136",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum CriterionArg {
    Aic,
    Aicc,
    Bic,
}

impl CriterionArg {
    fn criterion(self) -> Criterion {
        match self {
            Self::Aic => Criterion::Aic,
            Self::Aicc => Criterion::Aicc,
            Self::Bic => Criterion::Bic,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Aic => "aic",
            Self::Aicc => "aicc",
            Self::Bic => "bic",
        }
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

    /// Writes which model each voxel supports.
    pub(super) fn compare(
        self,
        folder: &OutputFolder,
        models: &[Model],
        fits: &[ModelFit],
        record: &mut Record,
        context: &Context,
    ) -> Result<()> {
        let options = context.image_options();
        let Some(winners) = best_models(fits, self.criterion()) else { return Ok(()) };
        write_image(&folder.file("best_model.nii.gz"), &winners, &options)?;
        for (model, fit) in models.iter().zip(fits) {
            let name = format!("{}/{}.nii.gz", model.name(), self.name());
            write_image(&folder.file(&name), &fit.criterion(self.criterion()), &options)?;
        }
        let compared = winners.values().iter().filter(|winner| **winner > 0.0).count();
        let rows = models.iter().zip(fits).enumerate().map(|(n, (model, fit))| {
            let won = winners.values().iter().filter(|winner| **winner == (n + 1) as f32).count();
            let share = 100.0 * won as f64 / compared.max(1) as f64;
            vec![
                json!(n + 1),
                json!(model.name()),
                json!(fit.unknowns),
                json!(won),
                json!(format!("{share:.1} %")),
            ]
        });
        record.tables.push(Table {
            title: "Which model the signal supports".into(),
            text: format!(
                "Voxels in which each model has the lowest {}. Its number is that of best_model.nii.gz.",
                self.name().to_uppercase()
            ),
            columns: ["number", "model", "unknowns", "voxels", "share"].map(String::from).to_vec(),
            rows: rows.collect(),
        });
        record.cite(REFERENCES);
        Ok(())
    }
}
