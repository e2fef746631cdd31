//! Figures of the CSV tables among the results, and the order of figures in a report section.

use crate::output_files::{ExampleVoxel, MAX_DRAWN_REGIONS, OutputFile, TracedParameter, TracedVoxel};
use crate::scan;
use arcuate_core::{Error, Result};
use arcuate_io::{LARGEST_TEXT, is_matrix_name, read_axis_csv, read_matrix, read_matrix_csv, read_text_file};
use arcuate_report::{
    Curve, CurveFigure, ExampleFigure, ExamplePanel, Figure, GradientShell, MatrixFigure, Section,
    SignalPoint, SignalShell, TraceFigure, TracePlot,
};
use std::path::Path;

/// A table of numbers with column names (CSV). A cell that is not a number is NaN.
struct Numbers<'a> {
    path: &'a Path,
    names: Vec<String>,
    rows: Vec<Vec<f64>>,
}

impl<'a> Numbers<'a> {
    fn read(path: &'a Path) -> Result<Self> {
        let text = read_text_file(path, LARGEST_TEXT)?;
        let mut rows = text.lines();
        let names: Vec<String> = rows.next().unwrap_or_default().split(',').map(ToOwned::to_owned).collect();
        let rows = rows
            .map(|row| row.split(',').map(|cell| cell.parse().unwrap_or(f64::NAN)).collect())
            .filter(|row: &Vec<f64>| row.len() == names.len())
            .collect();
        Ok(Self { path, names, rows })
    }

    fn column(&self, name: &str) -> Result<Vec<f64>> {
        let place = self.names.iter().position(|n| *n == name).ok_or_else(|| {
            let problem = format!("it has no column {name}");
            Error::invalid(self.path.display(), problem, "run the command again")
        })?;
        Ok(self.rows.iter().map(|row| row[place]).collect())
    }

    /// Returns the measured and predicted signals of the table rows `rows`, divided by `unit`. The signals
    /// are grouped by shell, in ascending order of b-value. `predicted` is the name of the table column of
    /// predicted signals.
    fn shells(&self, rows: &[usize], predicted: &str, unit: f64) -> Result<Vec<SignalShell>> {
        let of_row = self.column("shell")?;
        let [place, measured, predicted] = ["place", "measured", predicted].map(|name| self.column(name));
        let (place, measured, predicted) = (place?, measured?, predicted?);
        let mut b_values: Vec<f64> = rows.iter().map(|&row| of_row[row]).collect();
        b_values.sort_by(f64::total_cmp);
        b_values.dedup();
        let point = |row: usize| SignalPoint {
            place: Some(place[row]).filter(|place| place.is_finite()),
            measured: measured[row] / unit,
            predicted: predicted[row] / unit,
        };
        let shell = |b: f64| {
            let of_shell = rows.iter().copied().filter(|&row| of_row[row] == b);
            SignalShell { name: format!("b {b:.0} s/mm²"), measurements: of_shell.map(point).collect() }
        };
        Ok(b_values.into_iter().filter(|b| b.is_finite()).map(shell).collect())
    }
}

/// Creates curves of the table columns `columns`, plotted against the logarithm of the column `over`. Returns
/// `None` if the table has fewer than two rows.
pub(super) fn curves(
    path: &Path,
    over: &str,
    step: &str,
    columns: &[(&str, &str)],
) -> Result<Option<CurveFigure>> {
    let mut table = Numbers::read(path)?;
    if table.rows.len() < 2 {
        return Ok(None);
    }
    // If the table has descending values of the horizontal axis, its rows are reversed, because the axis is
    // ascending.
    if table.column(over)?.is_sorted_by(|a, b| a >= b) {
        table.rows.reverse();
    }
    let curves = columns
        .iter()
        .map(|(name, shown)| Ok(Curve { name: (*shown).to_owned(), values: table.column(name)? }))
        .collect::<Result<_>>()?;
    Ok(Some(CurveFigure {
        title: String::new(),
        caption: String::new(),
        step: step.to_owned(),
        steps: table.column(over)?.into_iter().map(f64::log10).collect(),
        curves,
    }))
}

/// Reads the measured and predicted signals of a voxel, grouped by shell in ascending order of b-value.
pub(super) fn shells(path: &Path) -> Result<Vec<SignalShell>> {
    let table = Numbers::read(path)?;
    table.shells(&(0..table.rows.len()).collect::<Vec<_>>(), "predicted", 1.0)
}

/// Creates a figure of the signals of each example voxel, with one panel per signal model.
pub(super) fn examples<T: AsRef<str>>(
    path: &Path,
    models: &[T],
    voxels: &[ExampleVoxel],
) -> Result<Vec<ExampleFigure>> {
    let table = Numbers::read(path)?;
    let [i, j, k] = ["i", "j", "k"].map(|name| table.column(name));
    let places = [i?, j?, k?];
    let figure = |voxel: &ExampleVoxel| {
        let is_here = |row: &usize| (0..3).all(|axis| places[axis][*row] == voxel.at[axis] as f64);
        let rows: Vec<usize> = (0..table.rows.len()).filter(is_here).collect();
        let panel = |(n, model): (usize, &T)| {
            Ok(ExamplePanel {
                name: model.as_ref().to_owned(),
                note: voxel.notes.get(n).cloned().unwrap_or_default(),
                shells: table.shells(&rows, model.as_ref(), voxel.unweighted.unwrap_or(1.0))?,
            })
        };
        let [i, j, k] = voxel.at;
        let signal = match voxel.unweighted {
            Some(_) => "signal in parts of its mean at b = 0".to_owned(),
            None => format!("signal, {}", scan::SIGNAL_UNIT),
        };
        Ok(ExampleFigure {
            title: voxel.title.clone(),
            caption: voxel.text.clone(),
            voxel: format!("voxel {i}, {j}, {k}"),
            located: None,
            place: voxel.place.clone(),
            apart: "b = 0".into(),
            signal,
            panels: models.iter().enumerate().map(panel).collect::<Result<_>>()?,
        })
    };
    voxels.iter().map(figure).collect()
}

/// Maximum number of shells whose gradient directions have different colours. If there are more shells, all
/// directions have the same colour.
const MAX_SHELLS: usize = 8;

/// Reads the gradient directions of a scan, grouped by shell in ascending order of b-value. Measurements at b
/// = 0 are omitted.
pub(super) fn gradients(path: &Path) -> Result<Vec<GradientShell>> {
    let table = Numbers::read(path)?;
    let of_row = table.column("shell")?;
    let [x, y, z] = ["x", "y", "z"].map(|name| table.column(name));
    let (x, y, z) = (x?, y?, z?);
    let mut b_values: Vec<f64> = of_row.iter().copied().filter(|b| *b > 0.0).collect();
    b_values.sort_by(f64::total_cmp);
    b_values.dedup();
    if let (Some(low), Some(high), true) = (b_values.first(), b_values.last(), b_values.len() > MAX_SHELLS) {
        let weighted = (0..of_row.len()).filter(|&row| of_row[row] > 0.0);
        let directions = weighted.map(|row| [x[row], y[row], z[row]]).collect();
        return Ok(vec![GradientShell { name: format!("b {low:.0} to {high:.0}"), directions }]);
    }
    let shell = |b: f64| {
        let rows = (0..of_row.len()).filter(|&row| of_row[row] == b);
        let directions = rows.map(|row| [x[row], y[row], z[row]]).collect();
        GradientShell { name: format!("b {b:.0} s/mm²"), directions }
    };
    Ok(b_values.into_iter().map(shell).collect())
}

/// Creates, for each voxel, a figure of its posterior samples in the order of the Markov chains.
pub(super) fn traces(
    file: &OutputFile,
    path: &Path,
    parameters: &[TracedParameter],
    voxels: &[TracedVoxel],
) -> Result<Vec<TraceFigure>> {
    let table = Numbers::read(path)?;
    let [i, j, k] = ["i", "j", "k"].map(|name| table.column(name));
    let (places, chains) = ([i?, j?, k?], table.column("chain")?);
    let values = parameters.iter().map(|one| table.column(&one.column)).collect::<Result<Vec<_>>>()?;
    let figure = |voxel: &TracedVoxel| {
        let is_here = |row: &usize| (0..3).all(|axis| places[axis][*row] == voxel.at[axis] as f64);
        let rows: Vec<usize> = (0..chains.len()).filter(is_here).collect();
        let of_chains: Vec<&[usize]> = rows.chunk_by(|&a, &b| chains[a] == chains[b]).collect();
        let shown =
            |n: usize, one: &TracedParameter, row: usize| values[n][row] * one.factor.map_or(1.0, f64::from);
        let plot = |(n, one): (usize, &TracedParameter)| TracePlot {
            name: one.label.clone(),
            note: voxel.notes.get(n).cloned().unwrap_or_default(),
            chains: of_chains
                .iter()
                .map(|rows| rows.iter().map(|&row| shown(n, one, row)).collect())
                .collect(),
        };
        let [i, j, k] = voxel.at;
        TraceFigure {
            title: format!("{}: voxel {i}, {j}, {k}", file.title),
            caption: String::new(),
            plots: parameters.iter().enumerate().map(plot).collect(),
        }
    };
    Ok(voxels.iter().map(figure).collect())
}

/// Reads a square connectivity matrix and the names of its regions. If the matrix is a CSV file, the names
/// are read from the file `regions`.
pub(super) fn matrix(path: &Path, regions: &Path) -> Result<MatrixFigure> {
    let (shape, values, axis) = if is_matrix_name(path) {
        let matrix = read_matrix(path)?;
        if matrix.shape().into_iter().max() > Some(MAX_DRAWN_REGIONS) {
            let problem = format!("the matrix has {} × {} entries", matrix.shape()[0], matrix.shape()[1]);
            return Err(Error::invalid(
                path.display(),
                problem,
                "a report cannot show this number of regions",
            ));
        }
        let values = matrix.measures().next().and_then(|measure| matrix.values(measure)).unwrap_or_default();
        let mut dense = vec![0.0; matrix.shape()[0].saturating_mul(matrix.shape()[1])];
        let whole = matrix.whole_rows();
        for (row, of_row) in dense.chunks_mut(matrix.shape()[1].max(1)).enumerate() {
            whole.fill(row, values, of_row);
        }
        (matrix.shape(), dense, matrix.rows().clone())
    } else {
        let (shape, values) = read_matrix_csv(path)?;
        (shape, values, read_axis_csv(regions)?)
    };
    let name =
        |(place, number): (usize, &u64)| axis.name(place).map_or_else(|| number.to_string(), str::to_owned);
    let names: Vec<String> = axis.numbers().iter().enumerate().map(name).collect();
    if shape != [names.len(); 2] {
        let problem = "it is not a square matrix";
        return Err(Error::invalid(path.display(), problem, "compute the connectome again"));
    }
    let empty = String::new;
    Ok(MatrixFigure { title: empty(), caption: empty(), quantity: empty(), names, values })
}

/// Inserts figures into a report section, after its other figures and before its tables.
pub(super) fn before_tables(section: &mut Section, figures: impl IntoIterator<Item = Figure>) {
    let is_table = |figure: &Figure| matches!(figure, Figure::Table(_));
    let place = section.figures.iter().position(is_table).unwrap_or(section.figures.len());
    section.figures.splice(place..place, figures);
}
