//! Example voxels of each group in a comparison of models. A group is the set of voxels in which one model has the
//! lowest criterion. The examples show the measured signals and the predictions of every model.

use super::example::{mean, orientation, status};
use crate::output_files::{ExampleVoxel, Kind, OutputFile, Picture};
use crate::record::{Record, Table};
use crate::scan::SIGNAL_UNIT;
use crate::series::Series;
use crate::signals_table::{COLUMNS, Order, signal_rows};
use arcuate_core::{Result, Volume};
use arcuate_io::write_file;
use arcuate_model::fit::{FitOptions, ModelFit, predicted_signals};
use arcuate_model::language::Model;
use arcuate_report::human;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;

/// File of the measured signals and of the predictions of all models, in the example voxels.
pub(super) const FILE: &str = "example_voxels.csv";
const HEADING: &str = "Example voxels of each group";

/// A kind of example voxel.
struct KindOfExample {
    name: &'static str,
    /// Position of the example among the voxels of a group, as a quantile and in words. The voxels of the
    /// group are sorted by their lead: how far the criterion of the second best model is above that of the
    /// best model.
    part: f64,
    stands: &'static str,
}

const KINDS: [KindOfExample; 3] = [
    KindOfExample { name: "typical", part: 0.5, stands: "the median" },
    KindOfExample { name: "clear", part: 0.9, stands: "the upper decile" },
    KindOfExample { name: "close call", part: 0.1, stands: "the lower decile" },
];

/// Describes the file of the example voxels. The report marks these voxels on the map of the best models.
pub(super) fn output_file(models: &[Model], winners: &'static str) -> OutputFile {
    let kind = Kind::Examples {
        section: HEADING.into(),
        map: winners.into(),
        models: models.iter().map(|model| model.name().to_owned().into()).collect(),
        voxels: Vec::new(),
    };
    OutputFile::shown(FILE, "Measured and predicted signals of example voxels", kind).with_content(
        "Measured and predicted signals of the example voxels, one row per fitted measurement. The columns are the \
         winning model (group), the kind of example, voxel indices, number of the volume, b-value, b-value of its \
         shell, place, and measured signal. Then follows one column per model, empty if the measurement was not \
         fitted",
    )
}

/// An example voxel.
#[derive(Debug, PartialEq)]
struct Chosen {
    /// Index of the model with the lowest criterion in this voxel.
    winner: usize,
    /// Kind of the example (typical, clear or close call), as an index in [`KINDS`].
    kind: usize,
    voxel: usize,
    /// Number of voxels in the group from which the example was chosen.
    among: usize,
}

/// A function that returns the value of the information criterion. Its arguments are the index of the model
/// and the index of the voxel. It returns `None` if there is no value.
type CriterionOf<'a> = &'a (dyn Fn(usize, usize) -> Option<f64> + Sync);

/// Returns the lead of the best model `winner` in a voxel, and the index of the second best model. The lead
/// is how far the criterion of the second best model is above that of the best model. Returns `None` if no
/// second model has a value, or if the difference is NaN.
fn lead(winner: usize, models: usize, voxel: usize, criterion: CriterionOf<'_>) -> Option<(f64, usize)> {
    let own = criterion(winner, voxel)?;
    let others = (0..models).filter(|&n| n != winner);
    let above = others.filter_map(|n| Some((criterion(n, voxel)? - own, n)));
    above.min_by(|(a, _), (b, _)| a.total_cmp(b)).filter(|(lead, _)| !lead.is_nan())
}

/// Chooses the example voxels of each group.
///
/// The voxels of a group are sorted by their lead (the difference of the criterion between the two best
/// models). Voxels with equal leads are sorted by their index. If a group has one or two voxels, it has as
/// many examples. If it has no voxels, it has no examples.
fn choose(winners: &[f32], models: usize, criterion: CriterionOf<'_>) -> Vec<Chosen> {
    let of_group = |winner: usize| {
        let won = winners.iter().enumerate().filter(move |(_, number)| **number == (winner + 1) as f32);
        let mut leads: Vec<(f64, usize)> =
            won.filter_map(|(voxel, _)| Some((lead(winner, models, voxel, criterion)?.0, voxel))).collect();
        leads.sort_by(|(a, first), (b, second)| a.total_cmp(b).then(first.cmp(second)));
        let last = leads.len().saturating_sub(1) as f64;
        let mut chosen: Vec<Chosen> = Vec::new();
        for (kind, KindOfExample { part, .. }) in KINDS.iter().enumerate() {
            if let Some(&(_, voxel)) = leads.get((part * last).round() as usize)
                && chosen.iter().all(|known| known.voxel != voxel)
            {
                chosen.push(Chosen { winner, kind, voxel, among: leads.len() });
            }
        }
        chosen
    };
    (0..models).flat_map(of_group).collect()
}

/// Result of a comparison of signal models.
pub(super) struct Compared {
    /// Name of the information criterion as papers write it.
    pub(super) title: String,
    /// Image of the number of the best model in each voxel, counted from 1. It is 0 if no model was fitted in
    /// the voxel.
    pub(super) winners: Volume<f32>,
    /// Image of the information criterion of each model. Its value is not meaningful in voxels in which the
    /// model was not fitted.
    pub(super) values: Vec<Volume<f32>>,
}

/// The models, fits and data from which the example voxels are chosen.
pub(super) struct Fitted<'a> {
    pub(super) models: &'a [Model],
    pub(super) fits: &'a [ModelFit],
    pub(super) series: &'a Series,
    pub(super) options: &'a FitOptions,
    /// Names of the parameters that the models fix but that the user frees, so that they are fitted.
    pub(super) freed: &'a [&'a str],
}

impl Fitted<'_> {
    /// Writes the measured and predicted signals of the example voxels to a file, and adds these voxels to
    /// the record.
    pub(super) fn write_examples(&self, path: &Path, compared: &Compared, record: &mut Record) -> Result<()> {
        let Self { models, fits, series: Series { dwi, gradients, .. }, options, .. } = *self;
        let criterion = |n: usize, voxel: usize| {
            let value = f64::from(compared.values[n].voxel(voxel)[0]);
            (status(&fits[n], voxel).is_fitted() && !value.is_nan()).then_some(value)
        };
        let chosen = choose(compared.winners.values(), models.len(), &criterion);
        let voxels: Vec<usize> = chosen.iter().map(|one| one.voxel).collect();
        let predicted = predicted_signals(models, fits, gradients, options, &voxels)?;
        let measurements = options.measurements.of(gradients)?;
        let used = gradients.of_measurements(&measurements);
        let names: Vec<&str> = models.iter().map(Model::name).collect();
        let mut text = format!("group,example,i,j,k,{COLUMNS},{}\n", names.join(","));
        let (mut shown, mut rows) = (Vec::new(), Vec::new());
        for (one, predicted) in chosen.iter().zip(&predicted) {
            let (kind, [i, j, k]) = (KINDS[one.kind].name, dwi.grid().coordinates(one.voxel));
            let is_fitted = |n: usize| status(&fits[n], one.voxel).is_fitted();
            let of_models: Vec<Option<&[f64]>> =
                predicted.iter().enumerate().map(|(n, all)| is_fitted(n).then_some(&all[..])).collect();
            let axis = self.axis(one);
            let order = Order { axis: axis.as_ref().map(|(_, axis)| *axis), ranked: of_models[one.winner] };
            let measured = dwi.voxel(one.voxel);
            for row in signal_rows(&used, &measurements, measured, &of_models, order) {
                // Writing to a string cannot fail.
                let _ = writeln!(text, "{},{kind},{i},{j},{k},{row}", names[one.winner]);
            }
            let place = axis.map_or_else(
                || format!("measurements of each shell, by the signal of {}", names[one.winner]),
                |(name, _)| format!("|cos| of the angle between gradient and {name}"),
            );
            let unweighted = mean(used.b0_indices().iter().map(|&m| f64::from(measured[measurements[m]])));
            let unweighted = Some(unweighted).filter(|signal| gradients.is_known() && *signal > 0.0);
            let differences: Vec<Option<f64>> = (0..models.len())
                .map(|n| Some(criterion(n, one.voxel)? - criterion(one.winner, one.voxel)?))
                .collect();
            let residual = |n: usize| f64::from(fits[n].residual.voxel(one.voxel)[0]);
            let note = |n: usize| match (is_fitted(n), differences[n]) {
                (false, _) => "not fitted".to_owned(),
                (true, None) => format!("no {}; {}", compared.title, misfit(residual(n), unweighted)),
                (true, Some(_)) if n == one.winner => {
                    format!("lowest {}; {}", compared.title, misfit(residual(n), unweighted))
                }
                (true, Some(more)) => {
                    let more = difference(more);
                    format!("Δ{} {more}; {}", compared.title, misfit(residual(n), unweighted))
                }
            };
            shown.push(ExampleVoxel {
                at: [i, j, k],
                title: format!("{}: {kind}", names[one.winner]),
                text: self.example_text(one, &criterion, &compared.title),
                place,
                unweighted,
                notes: (0..models.len()).map(note).collect(),
            });
            let start = [json!(names[one.winner]), json!(kind), json!(format!("{i}, {j}, {k}"))];
            let rounded = |more: &Option<f64>| more.map_or(Value::Null, |more| json!(difference(more)));
            rows.push(start.into_iter().chain(differences.iter().map(rounded)).collect());
        }
        write_file(path, text)?;
        record.change_picture(FILE, |picture| {
            if let Some(Picture { kind: Kind::Examples { voxels, .. }, .. }) = picture {
                *voxels = shown;
            }
        });
        if rows.is_empty() {
            return Ok(());
        }
        let columns = ["group", "example", "voxel"].map(String::from);
        let of_models = names.iter().map(|name| format!("Δ{} {name}", compared.title));
        record.tables.push(Table {
            title: HEADING.into(),
            section: HEADING.into(),
            text: how(&compared.title),
            columns: columns.into_iter().chain(of_models).collect(),
            rows,
        });
        Ok(())
    }

    /// Returns the axis by which the measurements of an example voxel are ordered in the plot, with its name.
    /// It is the first fitted orientation of the best model. If the best model has no orientation, it is that
    /// of the first other model that has one in this voxel.
    fn axis(&self, one: &Chosen) -> Option<(String, &[f32])> {
        let others = (0..self.models.len()).filter(|&n| n != one.winner);
        let mut found = std::iter::once(one.winner).chain(others).filter_map(|n| {
            let name = orientation(&self.models[n], self.freed)?;
            let map = self.fits[n].maps.iter().find(|map| map.name == name)?;
            let axis = map.volume.voxel(one.voxel);
            let is_direction = axis.iter().any(|component| *component != 0.0);
            is_direction.then(|| (format!("{name} of {}", self.models[n].name()), axis))
        });
        found.next()
    }

    /// Describes why an example was chosen.
    fn example_text(&self, one: &Chosen, criterion: CriterionOf<'_>, title: &str) -> String {
        let [i, j, k] = self.series.dwi.grid().coordinates(one.voxel);
        let second = lead(one.winner, self.models.len(), one.voxel, criterion);
        let (lead, second) = second.map_or((f64::NAN, ""), |(lead, n)| (lead, self.models[n].name()));
        let of_group = match one.among {
            1 => "the only voxel of this group".to_owned(),
            count => format!(
                "{} of the {} voxels of this group",
                KINDS[one.kind].stands,
                human::count(count as u64)
            ),
        };
        format!(
            "Voxel {i}, {j}, {k}, counted from 0. The {title} of the runner-up, {second}, is {} above that of {}: {of_group}.",
            difference(lead),
            self.models[one.winner].name()
        )
    }
}

/// Returns a text about how the example voxels are chosen and how to read their plots.
fn how(title: &str) -> String {
    let strength = if title.starts_with("BIC") {
        " Above 10 the evidence is called very strong, below 2 hardly worth a mention (Kass and Raftery 1995), of noise that is \
         Gaussian and independent."
    } else {
        ""
    };
    format!(
        "A group is the voxels in which one model has the lowest {title}. Its voxels are sorted by the difference \
         to the {title} of the runner-up. Typical is the median, clear the upper decile, and a close call the lower \
         decile. Δ{title} is a model's {title} less the lowest one of the voxel.{strength} Dots are measured. Lines \
         are predicted; \
         dashes, where the prediction is no curve over the place. Below stands what is left. Residuals are root mean squares."
    )
}

/// Formats the difference between two values of the criterion, rounded to one decimal.
fn difference(more: f64) -> String {
    if more.is_infinite() { "∞".to_owned() } else { format!("{more:.1}") }
}

/// Formats the residual of a model. If the signal without diffusion weighting is known, the residual is shown
/// in percent of it.
fn misfit(residual: f64, unweighted: Option<f64>) -> String {
    match unweighted {
        Some(signal) => format!("residual {:.1} % of b = 0", 100.0 * residual / signal),
        None => format!("residual {}, {SIGNAL_UNIT}", human::number(residual, 3)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_selected_by_the_rank_of_their_lead() {
        // The first model is the best in voxels 0 to 20, with decreasing leads over the second best model.
        // The second model is the best in voxel 21, and the third in no voxel. In voxel 22, no model was
        // fitted.
        let winners: Vec<f32> = (0..23).map(|n| [1.0, 2.0, 0.0][(n as usize).saturating_sub(20)]).collect();
        let criterion = |model: usize, voxel: usize| match (model, voxel) {
            (_, 22) => None,
            (0, 21) => Some(5.0),
            (0, _) => Some(-100.0),
            (1, 21) => Some(0.0),
            (1, _) => Some(-100.0 + (20 - voxel) as f64),
            // The criterion of the third model is the highest in every voxel.
            _ => Some(1e3),
        };
        let chosen = choose(&winners, 3, &criterion);
        let found: Vec<(usize, &str, usize)> =
            chosen.iter().map(|one| (one.winner, KINDS[one.kind].name, one.voxel)).collect();
        assert_eq!(found, [(0, "typical", 10), (0, "clear", 2), (0, "close call", 18), (1, "typical", 21)]);
        assert_eq!(lead(0, 3, 18, &criterion), Some((2.0, 1)));
    }

    #[test]
    fn voxels_without_a_second_model_are_not_examples() {
        let alone = |model: usize, voxel: usize| (model == 0 || voxel == 1).then_some(model as f64);
        let chosen = choose(&[1.0, 1.0, 1.0], 2, &alone);
        assert_eq!(chosen, [Chosen { winner: 0, kind: 0, voxel: 1, among: 1 }]);
        assert!(choose(&[1.0], 2, &alone).is_empty(), "nobody to compare with");
        // The difference of two infinite values of the criterion is not a number.
        assert!(choose(&[1.0], 2, &|_, _| Some(f64::INFINITY)).is_empty());
        assert_eq!(choose(&[1.0], 2, &|n, _| Some(if n == 0 { 0.0 } else { f64::INFINITY })).len(), 1);
    }

    #[test]
    fn voxels_with_equal_leads_are_in_image_order() {
        let chosen = choose(&[1.0; 11], 2, &|n, _| Some(n as f64));
        assert_eq!(chosen.iter().map(|one| one.voxel).collect::<Vec<_>>(), [5, 9, 1]);
    }
}
