//! How series were measured, by their sidecars.

use super::member::Member;
use serde_json::Value;

/// A field of sidecars that tables have.
pub(super) struct Field {
    /// What BIDS calls it.
    pub(super) key: &'static str,
    /// What the column is called.
    pub(super) column: &'static str,
    /// The same for people.
    pub(super) title: &'static str,
    /// The unit that BIDS has it in; empty of words.
    pub(super) unit: &'static str,
}

const fn field(key: &'static str, column: &'static str, title: &'static str, unit: &'static str) -> Field {
    Field { key, column, title, unit }
}

/// Those that tell scanners and protocols apart.
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
    /// What the sidecars of a member say.
    pub(super) fn of<'m>(&self, member: &'m Member) -> Option<&'m Value> {
        member.sidecar.get(self.key).filter(|value| !value.is_null())
    }
}
