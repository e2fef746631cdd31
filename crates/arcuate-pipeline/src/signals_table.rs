//! CSV table of the measured and predicted signals of a voxel. The report plots these signals.

use arcuate_core::GradientTable;
use arcuate_numbers::vector3::dot;
use std::fmt::Write;

/// Heading of the report section that shows the signals.
pub const HEADING: &str = "Example voxel";

/// Creates the CSV text of a table with one row for each measurement that was fitted. `gradients` is the
/// gradient table of the fitted measurements, and `volumes` are their volume numbers in the series.
/// `measured` contains the signals of all volumes. `predicted` contains the predicted signals of the fitted
/// measurements; it is `None` if there are none. The table column `place` orders the measurements in the
/// plot. It is |cos| of the angle between the gradient direction and `axis`. If no axis is given, it is the
/// rank of the predicted signal.
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

/// Definition of the table column `place`, which orders the measurements of a shell in the plot.
#[derive(Clone, Copy)]
pub struct Order<'a> {
    /// If it is given, `place` is |cos| of the angle between the gradient direction and this axis.
    pub axis: Option<&'a [f32]>,
    /// If no axis is given, `place` is the rank of these signals within their shell, from the highest signal
    /// to the lowest.
    pub ranked: Option<&'a [f64]>,
}

/// Returns the rows of a table of measured signals and any number of predictions of them. The table columns
/// are [`COLUMNS`] and one column per prediction.
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

/// Returns |cos| of the angle between two vectors of any length. Returns `None` if one of the vectors is
/// zero.
fn cosine(direction: [f64; 3], axis: &[f32]) -> Option<f64> {
    let axis = [axis[0], axis[1], axis[2]].map(f64::from);
    let lengths = (dot(direction, direction) * dot(axis, axis)).sqrt();
    (lengths > 0.0).then(|| (dot(direction, axis).abs() / lengths).min(1.0))
}

/// Sorts the measurements of a shell by their predicted signal, from the highest to the lowest. Returns the
/// rank of each measurement, as a fraction from 0 to 1.
fn ranks(shell: &[usize], predicted: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..shell.len()).collect();
    order.sort_by(|&a, &b| predicted[shell[b]].total_cmp(&predicted[shell[a]]));
    let mut ranks = vec![0.0; shell.len()];
    for (place, of) in order.into_iter().enumerate() {
        ranks[of] = (place as f64 + 0.5) / shell.len() as f64;
    }
    ranks
}
