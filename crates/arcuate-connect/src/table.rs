use arcuate_core::{Connectome, Error, Result, cell, from_cell};
use std::fmt::Write;

/// Which matrix of a connectome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Number of streamlines.
    Count,
    /// Sum of the streamlines' weights.
    Weight,
    /// Mean length in mm.
    MeanLength,
}

impl Measure {
    /// The matrix itself: row-major, `regions.len()`².
    pub fn of(self, connectome: &Connectome) -> &[f64] {
        match self {
            Self::Count => &connectome.counts,
            Self::Weight => &connectome.weights,
            Self::MeanLength => &connectome.mean_lengths,
        }
    }
}

/// One matrix as text: one line per region, numbers separated by commas, *no* header — what `tck2connectome`
/// writes and what `numpy.loadtxt(…, delimiter=",")`, nilearn's connectome plots and MATLAB's `readmatrix` read.
///
/// Row and column n belong to `connectome.regions[n]`, which [`regions_to_csv`] spells out. MRtrix has a row for
/// every number up to the largest; here only regions that occur in the labels have one. Numbers are written with as
/// many digits as it takes to read the same number back.
pub fn to_csv(connectome: &Connectome, measure: Measure) -> String {
    let mut text = String::new();
    for row in measure.of(connectome).chunks(connectome.regions.len().max(1)) {
        for (column, value) in row.iter().enumerate() {
            let separator = if column == 0 { "" } else { "," };
            // Writing to a string cannot fail.
            let _ = write!(text, "{separator}{value}");
        }
        text.push('\n');
    }
    text
}

/// What the rows of [`to_csv`] are: a header `row,region,name`, then for each row its number from 0, its region
/// number in the labels, and its name, empty where there is none. Names are written as [`cell`]s: one that spreadsheets
/// would run as a formula (`=`, `+`, `-` or `@` in front) begins with an apostrophe.
pub fn regions_to_csv(connectome: &Connectome) -> String {
    let mut text = String::from("row,region,name\n");
    for (row, region) in connectome.regions.iter().enumerate() {
        let name = connectome.names.get(region).map_or("", String::as_str);
        let _ = writeln!(text, "{row},{region},{}", quoted(&cell(name)));
    }
    text
}

/// The region number and the name of each row of [`to_csv`]: the inverse of [`regions_to_csv`]. Fails on text that
/// it did not write.
pub fn regions_from_csv(text: &str) -> Result<Vec<(u32, String)>> {
    let damaged = || Error::invalid("regions", "it is no table of regions", "make the connectome again");
    let mut records = records(text).into_iter();
    if records.next().is_none_or(|header| header != ["row", "region", "name"]) {
        return Err(damaged());
    }
    records
        .enumerate()
        .map(|(row, record)| {
            let [number, region, name] = <[String; 3]>::try_from(record).map_err(|_| damaged())?;
            if number != row.to_string() {
                return Err(damaged());
            }
            Ok((region.parse().map_err(|_| damaged())?, from_cell(&name).to_owned()))
        })
        .collect()
}

/// The records of a text as RFC 4180 has it. Quoted fields may hold separators, line ends and doubled quotes.
fn records(text: &str) -> Vec<Vec<String>> {
    let mut records = Vec::new();
    let mut record = Vec::new();
    let mut field = String::new();
    let mut inside_quotes = false;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' if inside_quotes && characters.peek() == Some(&'"') => {
                characters.next();
                field.push('"');
            }
            '"' => inside_quotes = !inside_quotes,
            _ if inside_quotes => field.push(character),
            ',' => record.push(std::mem::take(&mut field)),
            '\r' if characters.peek() == Some(&'\n') => {}
            '\n' => {
                record.push(std::mem::take(&mut field));
                records.push(std::mem::take(&mut record));
            }
            _ => field.push(character),
        }
    }
    if !record.is_empty() || !field.is_empty() {
        record.push(field);
        records.push(record);
    }
    records
}

/// A field as RFC 4180 wants it.
fn quoted(field: &str) -> String {
    if field.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn matrices_and_regions_as_text() {
        let connectome = Connectome {
            regions: vec![2, 9],
            names: BTreeMap::from([(9, "gyrus, \"left\"".to_owned())]),
            counts: vec![0.0, 12.0, 12.0, 3.0],
            weights: vec![0.0, 0.1 + 0.2, 0.1 + 0.2, 1e-9],
            mean_lengths: vec![0.0, 31.25, 31.25, 4.0],
            assignments: vec![],
        };
        assert_eq!(to_csv(&connectome, Measure::Count), "0,12\n12,3\n");
        assert_eq!(to_csv(&connectome, Measure::MeanLength), "0,31.25\n31.25,4\n");
        let back: Vec<f64> = to_csv(&connectome, Measure::Weight)
            .split([',', '\n'])
            .filter_map(|field| field.parse().ok())
            .collect();
        assert_eq!(back, connectome.weights);
        assert_eq!(regions_to_csv(&connectome), "row,region,name\n0,2,\n1,9,\"gyrus, \"\"left\"\"\"\n");
    }

    #[test]
    fn regions_are_read_as_they_were_written() {
        let names = [
            "plain",
            "gyrus, \"left\"",
            "\"",
            ",",
            "=HYPERLINK(1)",
            "'-x",
            "",
            " blanks ",
            "ünïcode",
            "@a,\"b\"",
        ];
        let regions: Vec<u32> = (0..names.len() as u32).map(|n| 3 * n + 2).collect();
        let named = regions.iter().copied().zip(names.map(str::to_owned));
        let connectome = Connectome {
            names: named.clone().filter(|(_, name)| !name.is_empty()).collect(),
            counts: vec![0.0; names.len().pow(2)],
            weights: vec![0.0; names.len().pow(2)],
            mean_lengths: vec![0.0; names.len().pow(2)],
            assignments: vec![],
            regions: regions.clone(),
        };
        let text = regions_to_csv(&connectome);
        assert_eq!(regions_from_csv(&text).unwrap(), named.collect::<Vec<_>>());
        assert!(text.contains("\n4,14,'=HYPERLINK(1)\n"), "{text}");
        // As a spreadsheet would save it again.
        assert_eq!(regions_from_csv("row,region,name\r\n0,5,\"a\"\r\n").unwrap(), [(5, "a".to_owned())]);
        for damaged in
            ["", "0,2,a\n", "row,region,name\n0,x,a\n", "row,region,name\n0,2\n", "row,region,name\n1,2,a\n"]
        {
            assert!(regions_from_csv(damaged).is_err(), "{damaged:?}");
        }
    }
}
