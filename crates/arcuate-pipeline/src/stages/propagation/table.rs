//! Table of the options of propagation, which limit how streamlines continue and when they stop. Each row has
//! the name of an option, its type, its meaning, and its default for each source of directions, such as
//! tensors. The command-line options, their help, and a table of the documentation are generated from this
//! table.

use std::fmt::Write;

/// Source of the directions for tracking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceKind {
    /// Diffusion tensors.
    Tensor,
    /// Fibre orientation distributions.
    Fod,
    /// Samples of a posterior distribution.
    Samples,
    /// Peaks.
    Peaks,
    /// Tensors refitted to resampled residuals.
    Bootstrap,
    /// Geodesics (shortest paths) through tensors.
    Geodesic,
}

impl SourceKind {
    /// All sources, in the order of [`Row::defaults`].
    pub const ALL: [Self; 6] =
        [Self::Tensor, Self::Fod, Self::Samples, Self::Peaks, Self::Bootstrap, Self::Geodesic];

    /// Checks whether a preset (the default values of another program) can be selected for this source of
    /// directions.
    pub fn has_presets(self) -> bool {
        matches!(self, Self::Samples | Self::Peaks | Self::Bootstrap)
    }

    /// Returns the name of the subcommand of `arcuate track` for this source of directions.
    pub fn word(self) -> &'static str {
        match self {
            Self::Tensor => "tensor",
            Self::Fod => "fod",
            Self::Samples => "samples",
            Self::Peaks => "peaks",
            Self::Bootstrap => "bootstrap",
            Self::Geodesic => "geodesic",
        }
    }
}

/// Type of the value of an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// A number with this unit.
    Number(&'static str),
    /// A choice of one of these words. Each word is given with its meaning. The first word is the default.
    Choice(&'static [(&'static str, &'static str)]),
}

/// An option of propagation.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// Name of the option on the command line, without the two dashes.
    pub name: &'static str,
    /// Name of the option as an identifier.
    pub id: &'static str,
    /// Former names, which are still accepted.
    pub former: &'static [&'static str],
    /// Type of the value.
    pub value: Value,
    /// Meaning of the option, which is the same for every source of directions.
    pub meaning: &'static str,
    /// Default of the option for each source of directions. It is `None` if the option does not exist for
    /// this source.
    pub defaults: [Option<&'static str>; 6],
}

impl Row {
    /// Returns the default of the option for a source of directions. Returns `None` if the option does not
    /// exist for this source.
    pub fn default(&self, source: SourceKind) -> Option<&'static str> {
        self.defaults[source as usize]
    }
}

/// Creates a row of the table. Samples, peaks and bootstrap share one implementation, so they have the same
/// default.
const fn row(
    [name, id]: [&'static str; 2],
    value: Value,
    meaning: &'static str,
    [tensor, fod, sampled, geodesic]: [Option<&'static str>; 4],
) -> Row {
    Row {
        name,
        id,
        former: &[],
        value,
        meaning,
        defaults: [tensor, fod, sampled, sampled, sampled, geodesic],
    }
}

/// Values of the option for streamlines that reach the maximum length, each with its meaning.
pub const AT_MAX_LENGTH: &[(&str, &str)] =
    &[("stop", "Stop the streamline at this length and keep it"), ("discard", "Reject the whole streamline")];

/// All options of propagation.
pub const ROWS: [Row; 7] = [
    row(
        ["step", "step"],
        Value::Number("MM"),
        "Length of each tracking step, in mm",
        [
            Some("half a voxel, or 0.1 voxel with --integrator euler"),
            Some("half a voxel, or 0.1 voxel with --method steps or peaks"),
            Some("half a voxel"),
            Some("0.1 of the shortest voxel edge, or up to half of it with --integrator adaptive"),
        ],
    ),
    row(
        ["angle", "angle"],
        Value::Number("DEGREES"),
        "Largest angle between two consecutive steps of a streamline, in degrees",
        [Some("45"), Some("45, or 15 with --method steps, 60 with --method peaks"), Some("45"), Some("any")],
    ),
    Row {
        name: "cutoff",
        id: "cutoff",
        former: &["min-amplitude", "min-fraction"],
        value: Value::Number("VALUE"),
        meaning: "FA, FOD amplitude or fibre fraction below which a streamline terminates",
        // Bootstrap tracking has no cutoff, because it follows the principal direction of the tensor at any
        // FA.
        defaults: [Some("0.2"), Some("0.1"), Some("0.05"), Some("0.05"), None, Some("0")],
    },
    Row {
        name: "seed-cutoff",
        id: "seed_cutoff",
        former: &["seed-amplitude", "seed-fraction"],
        value: Value::Number("VALUE"),
        meaning: "Smallest FA, FOD amplitude or fibre fraction at which a seed is used",
        defaults: [
            Some("same as --cutoff"),
            Some("same as --cutoff"),
            Some("0.2, or any value if seeds are given"),
            None,
            Some("0.2, or any value if seeds are given"),
            Some("0.2, or any value if seeds are given"),
        ],
    },
    row(
        ["min-length", "min_length"],
        Value::Number("MM"),
        "Smallest length of a streamline, in mm",
        [Some("20"), Some("20"), Some("20 or ten voxels, whichever is less"), Some("0")],
    ),
    row(
        ["max-length", "max_length"],
        Value::Number("MM"),
        "Largest length of a streamline, in mm",
        [Some("250"), Some("250"), Some("250"), Some("250")],
    ),
    row(
        ["at-max-length", "at_max_length"],
        Value::Choice(AT_MAX_LENGTH),
        "Treatment of a streamline whose length reaches --max-length",
        [Some("stop"), Some("stop"), Some("stop"), Some("stop")],
    ),
];

/// Returns the table of the options for the documentation, in Markdown.
pub fn markdown() -> String {
    let mut text = "| option | meaning |".to_owned();
    for source in SourceKind::ALL {
        // Writing to a string cannot fail.
        let _ = write!(text, " {} |", source.word());
    }
    let _ = write!(text, "\n|---|---|{}\n", "---|".repeat(SourceKind::ALL.len()));
    for row in &ROWS {
        let _ = write!(text, "| `--{}` | {} |", row.name, row.meaning);
        for default in row.defaults {
            let _ = write!(text, " {} |", default.unwrap_or("–"));
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documentation_contains_the_table() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/src/reference/tracking-options.md");
        let page = std::fs::read_to_string(path).unwrap();
        assert!(page.contains(&markdown()), "put this into {path}:\n{}", markdown());
    }

    #[test]
    fn names_and_meanings_are_unique() {
        for (n, row) in ROWS.iter().enumerate() {
            for other in &ROWS[..n] {
                assert!(row.name != other.name && row.meaning != other.meaning, "{}", row.name);
                assert!(!row.former.contains(&other.name) && !other.former.contains(&row.name));
            }
            assert_eq!(row.id, row.name.replace('-', "_"));
            // The meaning of an option must be one phrase without details, because the help appends the
            // default to it.
            assert!(!row.meaning.contains([';', '.']), "{}", row.meaning);
        }
    }
}
