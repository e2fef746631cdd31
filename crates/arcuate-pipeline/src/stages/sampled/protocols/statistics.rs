//! Table of the statistics of each tract.

use super::folder::Protocol;
use super::native::Values;
use super::tract::Outcome;
use crate::record::Table;
use crate::stages::tracking::to_thousandths;
use arcuate_core::cell;
use serde_json::Value;
use std::fmt::Write;

/// Table row of a tract. `numbers` is `None` if the tract is not in the scan.
pub(super) struct Row<'a> {
    name: &'a str,
    numbers: Option<Numbers<'a>>,
}

struct Numbers<'a> {
    followed: u64,
    accepted: u64,
    volume_mm3: f64,
    mean_length_mm: f64,
    values: &'a [Option<Values>],
}

/// Returns the table rows of all tracts. `step_mm` is the step length of the streamlines, in mm.
pub(super) fn rows<'a>(protocols: &'a [Protocol], done: &'a [Outcome], step_mm: f64) -> Vec<Row<'a>> {
    let row = |(protocol, outcome): (&'a Protocol, &'a Outcome)| {
        let numbers = match outcome {
            Outcome::NotThere(_) => None,
            Outcome::Found(tract) => Some(Numbers {
                followed: tract.summary.seeds,
                accepted: tract.summary.streamlines,
                volume_mm3: tract.in_scan.volume_mm3,
                mean_length_mm: step_mm * tract.summary.mean_steps(),
                values: &tract.in_scan.values,
            }),
        };
        Row { name: &protocol.name, numbers }
    };
    protocols.iter().zip(done).map(row).collect()
}

/// Returns the table as text, with one line for each tract. Unknown values are `n/a`, as in BIDS.
pub(super) fn text(rows: &[Row<'_>], maps: &[&str]) -> String {
    let mut text = "tract\tfollowed\taccepted\tvolume_mm3\tmean_length_mm".to_owned();
    for map in maps {
        // Writing to a string cannot fail.
        let map = cell(map);
        let _ = write!(text, "\t{map}_mean\t{map}_median\t{map}_standard_deviation");
    }
    text.push('\n');
    for Row { name, numbers } in rows {
        text.push_str(&cell(name));
        match numbers {
            None => text.push_str(&"\tn/a".repeat(4 + 3 * maps.len())),
            Some(Numbers { followed, accepted, volume_mm3, mean_length_mm, values }) => {
                let _ = write!(
                    text,
                    "\t{followed}\t{accepted}\t{}\t{}",
                    *volume_mm3 as f32, *mean_length_mm as f32
                );
                for values in *values {
                    let _ = match values {
                        Some(Values { mean, median, deviation }) => {
                            let [mean, median, deviation] =
                                [mean, median, deviation].map(|number| *number as f32);
                            write!(text, "\t{mean}\t{median}\t{deviation}")
                        }
                        None => write!(text, "\tn/a\tn/a\tn/a"),
                    };
                }
            }
        }
        text.push('\n');
    }
    text
}

/// Returns the table for the report.
pub(super) fn table(rows: &[Row<'_>], maps: &[&str], threshold: f64) -> Table {
    let mut columns: Vec<String> =
        ["tract", "streamlines", "accepted", "volume, cm³", "mean length, mm"].map(String::from).to_vec();
    columns.extend(maps.iter().map(|map| format!("mean {map}")));
    let cells = |Row { name, numbers }: &Row<'_>| -> Vec<Value> {
        let mut cells: Vec<Value> = vec![(*name).into()];
        match numbers {
            None => cells.extend((0..4 + maps.len()).map(|_| Value::from("not in this scan"))),
            Some(numbers) => {
                cells.extend([numbers.followed.into(), numbers.accepted.into()]);
                cells.push(to_thousandths(1e-3 * numbers.volume_mm3).into());
                cells.push(to_thousandths(numbers.mean_length_mm).into());
                let mean = |values: &Option<Values>| {
                    values.map_or_else(|| Value::from("n/a"), |values| format!("{:.4e}", values.mean).into())
                };
                cells.extend(numbers.values.iter().map(mean));
            }
        }
        cells
    };
    Table {
        title: "Tracts".into(),
        section: String::new(),
        text: format!(
            "Numbers of tracked and accepted streamlines. The volume and the means of maps are those of the voxels \
             that at least {threshold} of a tract's streamlines pass."
        ),
        columns,
        rows: rows.iter().map(cells).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_values_are_marked() {
        let values = [Some(Values { mean: 0.5, median: 0.25, deviation: 0.125 }), None];
        let numbers =
            Numbers { followed: 10, accepted: 4, volume_mm3: 24.0, mean_length_mm: 31.5, values: &values };
        let rows = [Row { name: "a", numbers: Some(numbers) }, Row { name: "b", numbers: None }];
        let text = text(&rows, &["fa", "md"]);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].ends_with("md_mean\tmd_median\tmd_standard_deviation"));
        assert_eq!(lines[1], "a\t10\t4\t24\t31.5\t0.5\t0.25\t0.125\tn/a\tn/a\tn/a");
        assert_eq!(lines[2].matches("n/a").count(), 10);
        assert!(lines.iter().all(|line| line.split('\t').count() == 11));
        let odd = super::text(&[Row { name: "=1+1", numbers: None }], &["@fa"]);
        assert!(odd.contains("\t'@fa_mean\t'@fa_median\t") && odd.contains("\n'=1+1\tn/a"), "{odd}");
        let table = table(&rows, &["fa", "md"], 0.001);
        assert!(table.rows.iter().all(|row| row.len() == table.columns.len()));
        assert_eq!(table.rows[0][3], 0.024);
    }
}
