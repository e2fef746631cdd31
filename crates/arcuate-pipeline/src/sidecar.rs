//! JSON sidecar: a file with acquisition metadata next to a diffusion series, written by DICOM converters in
//! the format of BIDS.

use arcuate_core::{is_file_or_link, printable};
use arcuate_io::read_text_file;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// Maximum size of a sidecar, in bytes.
const LARGEST: u64 = 1 << 20;
/// Maximum length of a value, in characters.
const LONGEST: usize = 120;

/// Returns the path of the JSON sidecar of a diffusion series, if this file exists.
pub fn companion_path(series: &Path) -> Option<PathBuf> {
    Some(arcuate_io::companion_path(series, "json")).filter(|path| is_file_or_link(path))
}

/// Content of a sidecar.
pub struct Sidecar {
    /// Name of the file. In BIDS it begins with the subject.
    name: String,
    fields: Map<String, Value>,
}

impl Sidecar {
    /// Reads a JSON sidecar. If the file cannot be read, warns and returns an empty sidecar.
    pub fn read(path: &Path) -> Self {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let read = || {
            let text = read_text_file(path, LARGEST).map_err(|e| e.problem().to_owned())?;
            serde_json::from_str::<Map<String, Value>>(&text).map_err(|e| e.to_string())
        };
        let fields = read().unwrap_or_else(|problem| {
            let problem = printable(&problem, LONGEST);
            tracing::warn!(
                "{}: the description of the scan in this file is not used ({problem})",
                path.display()
            );
            Map::new()
        });
        Self { name, fields }
    }

    /// Returns the acquisition metadata that the report shows, as pairs of a label and a value with its unit.
    pub fn rows(&self) -> Vec<(&'static str, String)> {
        let rows = [
            ("subject", self.entity("sub")),
            ("session", self.entity("ses")),
            ("date", self.date()),
            ("scanner", self.joined(&["Manufacturer", "ManufacturersModelName"], " ")),
            ("field strength", self.number("MagneticFieldStrength").map(|tesla| format!("{tesla} T"))),
            ("protocol", self.text("ProtocolName").or_else(|| self.text("SeriesDescription"))),
            ("echo time (TE)", self.number("EchoTime").map(|s| format!("{} ms", rounded(1e3 * s, 1e1)))),
            ("repetition time (TR)", self.number("RepetitionTime").map(|s| format!("{} s", rounded(s, 1e3)))),
            (
                "phase encoding",
                self.text("PhaseEncodingDirection").or_else(|| self.text("PhaseEncodingAxis")),
            ),
        ];
        rows.into_iter().filter_map(|(what, value)| Some((what, value?))).collect()
    }

    fn text(&self, field: &str) -> Option<String> {
        let text = self.fields.get(field)?.as_str()?.trim();
        (!text.is_empty()).then(|| printable(text, LONGEST))
    }

    fn number(&self, field: &str) -> Option<f64> {
        self.fields.get(field)?.as_f64().filter(|number| *number > 0.0)
    }

    fn joined(&self, fields: &[&str], between: &str) -> Option<String> {
        let all: Vec<String> = fields.iter().filter_map(|field| self.text(field)).collect();
        (!all.is_empty()).then(|| all.join(between))
    }

    /// Returns the value of a BIDS entity in the file name. In `sub-01_ses-2_dwi.json`, the value of the
    /// entity `sub` is `01`.
    fn entity(&self, key: &str) -> Option<String> {
        let stem = self.name.strip_suffix(".json").unwrap_or(&self.name);
        let value = stem.split('_').find_map(|part| part.strip_prefix(key)?.strip_prefix('-'))?;
        (!value.is_empty()).then(|| printable(value, LONGEST))
    }

    /// Returns the date of the acquisition, with the time of day if the sidecar states both.
    fn date(&self) -> Option<String> {
        let whole = self.text("AcquisitionDateTime").map(|date| date.replacen('T', " ", 1));
        let whole = whole.or_else(|| {
            // Many converters keep only the time of day. It is not useful without the date.
            self.text("AcquisitionDate")
                .and_then(|_| self.joined(&["AcquisitionDate", "AcquisitionTime"], " "))
        })?;
        // Fractions of a second are not shown.
        Some(whole.split('.').next().unwrap_or_default().to_owned())
    }
}

/// Rounds a number to multiples of `1 / parts`.
fn rounded(number: f64, parts: f64) -> f64 {
    (number * parts).round() / parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(name: &str, text: &str) -> Vec<(&'static str, String)> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        Sidecar::read(&path).rows()
    }

    #[test]
    fn fields_are_shown_with_units() {
        let text = r#"{"AcquisitionDateTime": "2021-03-04T15:35:11.42", "Manufacturer": "Philips",
            "ManufacturersModelName": "Ingenia", "MagneticFieldStrength": 3, "ProtocolName": "DTI", "EchoTime": 0.069355,
            "RepetitionTime": 4.17567, "PhaseEncodingDirection": "j-"}"#;
        let found = rows("sub-07_ses-b_dwi.json", text);
        let expected = [
            ("subject", "07"),
            ("session", "b"),
            ("date", "2021-03-04 15:35:11"),
            ("scanner", "Philips Ingenia"),
            ("field strength", "3 T"),
            ("protocol", "DTI"),
            ("echo time (TE)", "69.4 ms"),
            ("repetition time (TR)", "4.176 s"),
            ("phase encoding", "j-"),
        ];
        assert_eq!(found, expected.map(|(what, value)| (what, value.to_owned())));
    }

    #[test]
    fn invalid_fields_are_ignored() {
        let odd = r#"{"AcquisitionTime": "15:35:11", "EchoTime": "long", "RepetitionTime": -1, "Manufacturer": " ", "ProtocolName": ["a"]}"#;
        for text in [odd, "[]", "", "{", "{\"EchoTime\": 1e999}"] {
            assert!(rows("dwi.json", text).is_empty(), "{text}");
        }
        let escapes = rows("dwi.json", "{\"ProtocolName\": \"a\\u001b[31mb\"}");
        assert!(!escapes[0].1.contains('\u{1b}'), "{escapes:?}");
    }
}
