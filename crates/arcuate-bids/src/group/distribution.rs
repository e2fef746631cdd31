//! Defines distributions: a quantity with one number per scan of a cohort, and the scans whose numbers are
//! outliers.

use super::columns::Column;
use super::member::{Entry, shown};
use super::outliers::{Spread, Verdict};
use arcuate_pipeline::figures::Figure;
use arcuate_pipeline::units::unit_of_map;
use arcuate_report::human;

/// Number of significant digits with which the cohort page shows a value.
const DIGITS: usize = 4;

/// The distribution of a quantity that has one number per scan of a cohort.
#[derive(Debug, Clone)]
pub(super) struct Distribution {
    /// The title of the quantity.
    pub(super) title: String,
    /// The unit of the quantity in reports. It may be empty.
    pub(super) unit: String,
    /// The index of each scan whose value is finite, together with this value.
    pub(super) points: Vec<(usize, f64)>,
    pub(super) spread: Option<Spread>,
    /// The values that are outliers. The value farthest from the median is first.
    pub(super) outliers: Vec<Outlier>,
}

/// The value of a scan that differs strongly from the values of the other scans.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Outlier {
    /// The index of the scan that has this value.
    pub(super) entry: usize,
    pub(super) value: f64,
    pub(super) verdict: Verdict,
}

impl Distribution {
    /// Creates a distribution from pairs of a scan's index and its value. Values that are not finite are
    /// omitted.
    pub(super) fn new(title: &str, unit: &str, values: impl IntoIterator<Item = (usize, f64)>) -> Self {
        let points: Vec<(usize, f64)> = values.into_iter().filter(|(_, value)| value.is_finite()).collect();
        let spread = Spread::of(&points.iter().map(|(_, value)| *value).collect::<Vec<_>>());
        let outliers = spread.iter().flat_map(|spread| {
            points.iter().filter_map(|&(entry, value)| {
                spread.verdict(value).map(|verdict| Outlier { entry, value, verdict })
            })
        });
        let mut outliers: Vec<Outlier> = outliers.collect();
        if let Some(spread) = &spread {
            let distance = |outlier: &Outlier| (outlier.value - spread.median).abs();
            outliers.sort_by(|a, b| distance(b).total_cmp(&distance(a)));
        }
        Self { title: shown(title), unit: shown(unit), points, spread, outliers }
    }

    /// Creates the distribution of a figure in the records. Values are converted to the unit that reports
    /// use.
    pub(super) fn of_column(column: &Column) -> Self {
        let (factor, unit) = unit_of_map(&column.unit);
        let factor = factor.map_or(1.0, f64::from);
        let number = |(entry, figure): (usize, &Option<Figure>)| {
            Some((entry, factor * figure.as_ref()?.value.as_f64()?))
        };
        let values = column.values.iter().enumerate().filter_map(number);
        Self::new(&column.figure, &unit, values)
    }

    /// Creates the distribution of the total time that processing took for each scan.
    pub(super) fn of_times(entries: &[Entry]) -> Self {
        let seconds = |(place, entry): (usize, &Entry)| {
            entry.results.as_ref().map(|results| (place, results.total_seconds()))
        };
        let values: Vec<(usize, f64)> = entries.iter().enumerate().filter_map(seconds).collect();
        let longest = values.iter().map(|(_, seconds)| *seconds).fold(0.0, f64::max);
        let (unit, size) = match longest {
            longest if longest >= 7200.0 => ("h", 3600.0),
            longest if longest >= 120.0 => ("min", 60.0),
            _ => ("s", 1.0),
        };
        Self::new("time of the run", unit, values.into_iter().map(|(place, seconds)| (place, seconds / size)))
    }

    /// Formats a value of this quantity as text for the cohort page.
    pub(super) fn value(&self, value: f64) -> String {
        let number = human::number(value, DIGITS);
        if self.unit.is_empty() { number } else { format!("{number} {}", self.unit) }
    }
}

impl Outlier {
    /// Returns the reason why the value is an outlier, as text. `far, z −8.1` means that the value is far
    /// from the quartiles and that its robust z-score is −8.1.
    pub(super) fn reason(&self) -> String {
        let z = self.verdict.z.map(|z| format!("z {}", human::number(z, 3)));
        let far = self.verdict.is_far.then(|| "far".to_owned());
        far.into_iter().chain(z).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outliers_are_sorted_by_distance() {
        let values =
            (0..20).map(|n| (n, f64::from(n as u32))).chain([(20, 90.0), (21, -400.0), (22, f64::NAN)]);
        let distribution = Distribution::new("a\u{1b}b", "mm", values);
        assert_eq!(distribution.points.len(), 22);
        let named: Vec<usize> = distribution.outliers.iter().map(|outlier| outlier.entry).collect();
        assert_eq!(named, [21, 20]);
        assert_eq!(distribution.title, "a\\u{1b}b");
        assert!(distribution.outliers[0].reason().starts_with("far, z −"));
        assert_eq!(distribution.value(-0.5), "−0.5 mm");
    }
}
