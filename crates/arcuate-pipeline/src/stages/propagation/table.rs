//! The options of propagation, each written once: name, value, meaning, and the default of each source of tracking. Options of commands,
//! their help, and the table of the documentation are made from it.

use std::fmt::Write;

/// A source of tracking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceKind {
    /// Diffusion tensors.
    Tensor,
    /// Fibre orientation distributions.
    Fod,
    /// Samples of posteriors.
    Samples,
    /// Peaks.
    Peaks,
    /// Tensors that are refitted to resampled residuals.
    Bootstrap,
    /// Shortest paths through tensors.
    Geodesic,
}

impl SourceKind {
    /// All of them, in the order of [`Row::defaults`].
    pub const ALL: [Self; 6] =
        [Self::Tensor, Self::Fod, Self::Samples, Self::Peaks, Self::Bootstrap, Self::Geodesic];

    /// Whether presets can replace its defaults.
    pub fn has_presets(self) -> bool {
        matches!(self, Self::Samples | Self::Peaks | Self::Bootstrap)
    }

    /// The word after `arcuate track`.
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

/// What an option takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// A number, with its unit.
    Number(&'static str),
    /// One of these words, each with its meaning. The first is the default.
    Choice(&'static [(&'static str, &'static str)]),
}

/// An option of propagation.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// The name, as the user types it after two dashes.
    pub name: &'static str,
    /// The name as an identifier.
    pub id: &'static str,
    /// Former names, which are still understood.
    pub former: &'static [&'static str],
    /// What it takes.
    pub value: Value,
    /// What it means, for every source.
    pub meaning: &'static str,
    /// The default of each source; nothing of sources that do not have the option.
    pub defaults: [Option<&'static str>; 6],
}

impl Row {
    /// The default of a source; nothing if it does not have the option.
    pub fn default(&self, source: SourceKind) -> Option<&'static str> {
        self.defaults[source as usize]
    }
}

/// The same default for samples, peaks and bootstrap, which are one implementation.
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

/// What happens at the largest length.
pub const AT_MAX_LENGTH: &[(&str, &str)] =
    &[("stop", "Stop the streamline and keep it"), ("discard", "Reject the streamline")];

/// All options of propagation.
pub const ROWS: [Row; 7] = [
    row(
        ["step", "step"],
        Value::Number("MM"),
        "Step length, in mm",
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
        "Largest angle between consecutive steps, in degrees",
        [Some("45"), Some("45, or 15 with --method steps, 60 with --method peaks"), Some("45"), Some("any")],
    ),
    Row {
        former: &["min-amplitude", "min-fraction"],
        ..row(
            ["cutoff", "cutoff"],
            Value::Number("VALUE"),
            "Smallest FA, FOD amplitude or fibre fraction along a streamline",
            [Some("0.2"), Some("0.1"), Some("0.05"), Some("0")],
        )
    },
    Row {
        name: "seed-cutoff",
        id: "seed_cutoff",
        former: &["seed-amplitude", "seed-fraction"],
        value: Value::Number("VALUE"),
        meaning: "Smallest FA, FOD amplitude or fibre fraction at a seed",
        defaults: [
            Some("same as --cutoff"),
            Some("same as --cutoff"),
            Some("0.2, or any value if seeds are given"),
            None,
            Some("0.2, or any value if seeds are given"),
            None,
        ],
    },
    row(
        ["min-length", "min_length"],
        Value::Number("MM"),
        "Shortest streamline, in mm",
        [Some("20"), Some("20"), Some("20 or ten voxels, whichever is less"), None],
    ),
    row(
        ["max-length", "max_length"],
        Value::Number("MM"),
        "Longest streamline, in mm",
        [Some("250"), Some("250"), Some("250"), Some("250")],
    ),
    row(
        ["at-max-length", "at_max_length"],
        Value::Choice(AT_MAX_LENGTH),
        "Treatment of a streamline that reaches --max-length",
        [Some("stop"), Some("stop"), Some("stop"), None],
    ),
];

/// The table for the documentation, in Markdown.
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
    fn the_documentation_has_the_table() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/src/reference/tracking-options.md");
        let page = std::fs::read_to_string(path).unwrap();
        assert!(page.contains(&markdown()), "put this into {path}:\n{}", markdown());
    }

    #[test]
    fn names_and_meanings_are_written_once() {
        for (n, row) in ROWS.iter().enumerate() {
            for other in &ROWS[..n] {
                assert!(row.name != other.name && row.meaning != other.meaning, "{}", row.name);
                assert!(!row.former.contains(&other.name) && !other.former.contains(&row.name));
            }
            assert_eq!(row.id, row.name.replace('-', "_"));
            // A meaning has no detail of its own: a default is added to it.
            assert!(!row.meaning.contains([';', '.']), "{}", row.meaning);
        }
    }
}
