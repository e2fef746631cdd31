use minijinja::{Value, context};

/// A table with headings and rows of text, such as the evidence for each bundle.
#[derive(Debug, Clone, Default)]
pub struct TableFigure {
    /// The title of the table.
    pub title: String,
    /// The caption of the table. It may be empty.
    pub caption: String,
    /// The headings of the columns, with units.
    pub columns: Vec<String>,
    /// The cells of the table, row by row. Missing cells are shown empty. Cells beyond the last heading are
    /// omitted.
    pub rows: Vec<Vec<String>>,
}

impl TableFigure {
    /// Returns the table as the values that the page's template needs. Each cell has a flag that states
    /// whether its column is numeric. Numeric columns are right-aligned.
    pub(crate) fn for_template(&self) -> Value {
        let numeric = self.numeric_columns();
        let line = |row: &[String]| -> Vec<Value> {
            let cells = numeric.iter().enumerate();
            cells.map(|(n, &numeric)| context! { text => cell(row, n), numeric }).collect()
        };
        let rows: Vec<Vec<Value>> = self.rows.iter().map(|row| line(row)).collect();
        context! { columns => line(&self.columns), rows }
    }

    fn numeric_columns(&self) -> Vec<bool> {
        let column = |n| self.rows.iter().map(move |row| cell(row, n)).filter(|text| !text.is_empty());
        (0..self.columns.len()).map(|n| column(n).next().is_some() && column(n).all(is_number)).collect()
    }
}

fn cell(row: &[String], column: usize) -> &str {
    row.get(column).map_or("", String::as_str)
}

/// Returns true if the text of a cell begins like a number, with an optional sign. A dash also counts as a
/// number, because it represents a missing number.
fn is_number(text: &str) -> bool {
    let digits = text.trim_start_matches(['−', '-', '+', '<', '>', '≥', '≤', '±', ' ']);
    text == "–" || digits.starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numeric_columns_are_detected_and_ragged_rows_are_padded() {
        let row = |cells: &[&str]| cells.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>();
        let table = TableFigure {
            columns: row(&["bundle", "strength", "RMSE"]),
            rows: vec![row(&["arcuate", "−1.5"]), row(&["cst", "–", "0.31", "beyond"])],
            ..TableFigure::default()
        };
        assert_eq!(table.numeric_columns(), [false, true, true]);
        let shown = table.for_template().get_attr("rows").unwrap();
        for row in shown.try_iter().unwrap() {
            assert_eq!(row.len(), Some(3));
        }
    }
}
