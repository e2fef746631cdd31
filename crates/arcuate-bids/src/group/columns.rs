//! Collects the figures (numbers or texts with a name) from the records of all members of a cohort, and makes
//! each figure a column of one table.

use super::member::Entry;
use arcuate_pipeline::figures::Figure;
use std::collections::{HashMap, HashSet};

/// The maximum length of a column name, in characters.
const LONGEST: usize = 64;

/// A column of the cohort's table: a figure of the records (such as the number of streamlines), with its
/// value for each member of the cohort.
#[derive(Debug, Clone)]
pub(super) struct Column {
    /// The name of the column in the table.
    pub(super) name: String,
    /// The name of the figure in the records (the JSON files with the results of a run).
    pub(super) figure: String,
    /// The unit of the figure. Empty for counts, ratios and text.
    pub(super) unit: String,
    /// True if the record of at least one member marks the figure as a key figure. Reports show key figures
    /// first.
    pub(super) is_key: bool,
    /// The value of the figure for each member of the cohort. `None` if the record of the member lacks the
    /// figure.
    pub(super) values: Vec<Option<Figure>>,
}

impl Column {
    /// Returns true if the value of at least one member in this column is a number.
    pub(super) fn has_numbers(&self) -> bool {
        self.values.iter().flatten().any(|figure| figure.value.is_number())
    }
}

/// Returns one column of the cohort's table for each figure in the records of the members. Columns are
/// ordered by the first record in which their figure occurs. A figure with two different units becomes two
/// columns, because its values cannot be compared. `names` makes the column names unique.
pub(super) fn of_figures(entries: &[Entry], names: &mut Names) -> Vec<Column> {
    let mut columns: Vec<Column> = Vec::new();
    let mut places: HashMap<(&str, &str), usize> = HashMap::new();
    for (row, entry) in entries.iter().enumerate() {
        let figures = entry.results.iter().flat_map(|results| &results.figures.0);
        for (name, figure) in figures {
            let place = *places.entry((name, &figure.unit)).or_insert_with(|| {
                columns.push(Column {
                    name: names.take(name),
                    figure: name.clone(),
                    unit: figure.unit.clone(),
                    is_key: false,
                    values: vec![None; entries.len()],
                });
                columns.len() - 1
            });
            let column = &mut columns[place];
            column.is_key |= figure.key;
            column.values[row] = Some(figure.clone());
        }
    }
    columns
}

/// The column names that are already used.
#[derive(Debug, Default)]
pub(super) struct Names(HashSet<String>);

impl Names {
    /// Converts a text to snake case and returns it as the name of a column. If another column has this name
    /// already, the name is changed to a new one.
    pub(super) fn take(&mut self, words: &str) -> String {
        let plain = snake_case(words);
        let mut name = plain.clone();
        let mut number = 1;
        while !self.0.insert(name.clone()) {
            number += 1;
            name = format!("{plain}_{number}");
        }
        name
    }
}

/// Converts text to snake case: `median FA where FA > 0.2` becomes `median_fa_where_fa_above_0_2`.
fn snake_case(words: &str) -> String {
    let spelled =
        words.replace('>', " above ").replace('<', " below ").replace('µ', "u").replace('%', " percent ");
    let parts: Vec<String> = spelled
        .split(|letter: char| !letter.is_ascii_alphanumeric())
        .filter(|part| !part.is_empty())
        .map(str::to_ascii_lowercase)
        .collect();
    let mut name = parts.join("_");
    name.truncate(LONGEST);
    if name.is_empty() { "figure".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn column_names_are_unique_and_in_snake_case() {
        let mut names = Names::default();
        let taken = [
            "median FA where FA > 0.2",
            "signal-to-noise ratio at b = 0",
            "streamlines supported (weight above 0)",
            "streamlines",
            "Streamlines!",
            "⊥",
            "\t\n",
        ]
        .map(|words| names.take(words));
        assert_eq!(
            taken,
            [
                "median_fa_where_fa_above_0_2",
                "signal_to_noise_ratio_at_b_0",
                "streamlines_supported_weight_above_0",
                "streamlines",
                "streamlines_2",
                "figure",
                "figure_2",
            ]
        );
        assert!(names.take(&"long ".repeat(100)).len() <= LONGEST);
    }
}
