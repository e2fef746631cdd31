//! Table (CSV) of the measured and predicted signals of a voxel, which the report plots.

use arcuate_core::GradientTable;
use std::fmt::Write;

/// Heading of the report section of the table.
pub const HEADING: &str = "Example voxel";

/// Creates a table with one row for each measurement that was fitted. `gradients` is the table of the fitted
/// measurements, and `volumes` are their volumes in the series. `measured` has all volumes of the series.
/// `predicted` has the fitted measurements, or is `None` without a prediction. The column `place` is |cos| of
/// the angle between gradient and `axis`. Without an axis, it is the rank of the predicted signal.
pub fn signals_table(
    gradients: &GradientTable,
    volumes: &[usize],
    measured: &[f32],
    predicted: Option<&[f64]>,
    axis: Option<&[f32]>,
) -> String {
    let mut text = format!("{COLUMNS},predicted\n");
    for row in signal_rows(gradients, volumes, measured, &[predicted], Order { axis, ranked: predicted }) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{row}");
    }
    text
}

/// First columns of the table.
pub const COLUMNS: &str = "volume,b_value,shell,place,measured";

/// Definition of the column `place`, which orders the measurements of a shell.
#[derive(Clone, Copy)]
pub struct Order<'a> {
    /// If given, the place is |cos| of the angle between gradient and this axis.
    pub axis: Option<&'a [f32]>,
    /// Otherwise, the place is the rank of these signals, the highest first.
    pub ranked: Option<&'a [f64]>,
}

/// Returns the rows of a table of signals with any number of predictions. The columns are [`COLUMNS`] and one
/// column per prediction.
pub fn signal_rows(
    gradients: &GradientTable,
    volumes: &[usize],
    measured: &[f32],
    predicted: &[Option<&[f64]>],
    order: Order<'_>,
) -> Vec<String> {
    let mut rows = vec![String::new(); volumes.len()];
    for (b, shell) in gradients.measurements_by_shell() {
        let ranks = order.ranked.map(|signals| ranks(&shell, signals));
        for (n, &m) in shell.iter().enumerate() {
            let place = match order.axis {
                _ if gradients.is_known() && gradients.is_b0(m) => None,
                None => ranks.as_ref().map(|ranks| ranks[n]),
                Some(axis) => cosine(gradients.directions()[m], axis),
            };
            let place = place.map_or(String::new(), |place| format!("{place:.6}"));
            let (volume, own) = (volumes[m], gradients.b_values()[m]);
            let mut row = format!("{volume},{own},{b:.0},{place},{}", measured[volume]);
            for signals in predicted {
                row.push(',');
                row += &signals.map_or(String::new(), |signals| format!("{:.6e}", signals[m]));
            }
            rows[m] = row;
        }
    }
    rows
}

/// Returns |cos| of the angle between two vectors of any length. Returns `None` if one of them is zero.
fn cosine(direction: [f64; 3], axis: &[f32]) -> Option<f64> {
    let axis = [axis[0], axis[1], axis[2]].map(f64::from);
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let lengths = (dot(direction, direction) * dot(axis, axis)).sqrt();
    (lengths > 0.0).then(|| (dot(direction, axis).abs() / lengths).min(1.0))
}

/// Returns the relative rank (0 to 1) of each measurement of a shell, sorted by the predicted signal, the
/// highest first.
fn ranks(shell: &[usize], predicted: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..shell.len()).collect();
    order.sort_by(|&a, &b| predicted[shell[b]].total_cmp(&predicted[shell[a]]));
    let mut ranks = vec![0.0; shell.len()];
    for (place, of) in order.into_iter().enumerate() {
        ranks[of] = (place as f64 + 0.5) / shell.len() as f64;
    }
    ranks
}
