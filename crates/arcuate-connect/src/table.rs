use arcuate_core::Connectome;
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
/// number in the labels, and its name, empty where there is none.
pub fn regions_to_csv(connectome: &Connectome) -> String {
    let mut text = String::from("row,region,name\n");
    for (row, region) in connectome.regions.iter().enumerate() {
        let name = connectome.names.get(region).map_or("", String::as_str);
        let _ = writeln!(text, "{row},{region},{}", quoted(name));
    }
    text
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
}
