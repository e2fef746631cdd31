//! Reads acquisition parameters from the sidecars of the diffusion series.

use super::member::Member;
use serde_json::Value;

/// A key of the sidecars whose values become a column of the cohort's table.
pub(super) struct Field {
    /// The key of the acquisition parameter in BIDS sidecars.
    pub(super) key: &'static str,
    /// The name of the table column.
    pub(super) column: &'static str,
    /// The title of the parameter in reports.
    pub(super) title: &'static str,
    /// The unit that BIDS defines for the acquisition parameter. Empty if its values are text.
    pub(super) unit: &'static str,
}

const fn field(key: &'static str, column: &'static str, title: &'static str, unit: &'static str) -> Field {
    Field { key, column, title, unit }
}

/// The keys of the sidecars whose values distinguish scanners and protocols.
pub(super) const FIELDS: [Field; 6] = [
    field("EchoTime", "echo_time", "Echo time", "s"),
    field("RepetitionTime", "repetition_time", "Repetition time", "s"),
    field("MagneticFieldStrength", "magnetic_field_strength", "Magnetic field strength", "T"),
    field("Manufacturer", "manufacturer", "Manufacturer of the scanner", ""),
    field("ManufacturersModelName", "manufacturers_model_name", "Model of the scanner", ""),
    field(
        "PhaseEncodingDirection",
        "phase_encoding_direction",
        "Phase encoding direction, along the axes of the image",
        "",
    ),
];

impl Field {
    /// Returns the value of this acquisition parameter in the sidecar of a member of the cohort.
    pub(super) fn of<'m>(&self, member: &'m Member) -> Option<&'m Value> {
        member.sidecar.get(self.key).filter(|value| !value.is_null())
    }
}
