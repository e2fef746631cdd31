//! Reads and writes saved state as a JSON object. The object begins with the member `sha256`, a checksum of
//! the whole text except the 64 digits of the checksum itself. The members `state_kind` and `state_version`
//! follow. All other members are the state itself.

use super::kind::{SavedState, hexadecimal};
use crate::atomic::write_file;
use crate::plain_file::open_file;
use arcuate_core::{Error, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::io::Read;

/// The text of the file before the digits of the checksum, and the text directly after them.
const BEFORE: &str = "{\n  \"sha256\": \"";
const DIGITS: usize = 64;
const AFTER: &str = "\",\n";
/// Members of the JSON object that describe the file and are not a part of the state.
const OWN: [&str; 3] = ["sha256", "state_kind", "state_version"];
/// Maximum size of the text in bytes. Most files of state have a few kilobytes. The file `.arcuate-run.json`
/// has a few hundred bytes for each result file of a run.
const LARGEST: u64 = 64 << 20;

impl SavedState<'_> {
    /// Writes a state to the file as a JSON object. The file appears under its name only when it is complete.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn write_json<T: Serialize>(&self, state: &T) -> Result<()> {
        let text = self.json_of(state).map_err(|e| Error::write(self.path, e.into()))?;
        write_file(self.path, text)
    }

    /// Reads the saved state.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, if its content was changed, or if it contains another
    /// kind or another version of state.
    pub fn read_json<T: DeserializeOwned>(&self) -> Result<T> {
        let failed = |e| Error::read(self.path, e);
        let mut bytes = Vec::new();
        open_file(self.path)?.take(LARGEST + 1).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() as u64 > LARGEST {
            return Err(self.damaged("it is larger than any saved state of its kind"));
        }
        self.of_text(&bytes)
    }

    /// Returns true if the file begins like saved state in JSON format.
    pub fn starts_like_json(&self) -> bool {
        let mut begin = [0; BEFORE.len()];
        open_file(self.path).is_ok_and(|mut file| file.read_exact(&mut begin).is_ok())
            && begin == BEFORE.as_bytes()
    }

    fn json_of<T: Serialize>(&self, state: &T) -> serde_json::Result<String> {
        let mut members: Map<String, Value> = serde_json::from_value(serde_json::to_value(state)?)?;
        assert!(OWN.iter().all(|own| !members.contains_key(*own)), "a state has a member of the checksum");
        members.insert(OWN[1].to_owned(), self.kind.name.into());
        members.insert(OWN[2].to_owned(), self.kind.version.into());
        let members = serde_json::to_string_pretty(&members)?;
        // The opening brace of the object and the line break after it are written before the checksum, so
        // they are removed from the rest of the text.
        let rest = members.trim_start_matches(['{', '\n']).to_owned() + "\n";
        let digits = hexadecimal(&digest(BEFORE.as_bytes(), &[AFTER, &rest].concat().into_bytes()));
        Ok([BEFORE, &digits, AFTER, &rest].concat())
    }

    fn of_text<T: DeserializeOwned>(&self, bytes: &[u8]) -> Result<T> {
        let split = bytes.strip_prefix(BEFORE.as_bytes()).and_then(|rest| rest.split_at_checked(DIGITS));
        let Some((digits, rest)) = split else {
            return Err(self.damaged("it is not a saved state of Arcuate"));
        };
        if hexadecimal(&digest(BEFORE.as_bytes(), rest)).as_bytes() != digits {
            return Err(self.changed());
        }
        let unreadable =
            |e: serde_json::Error| self.damaged(format!("it does not hold what it should ({e})"));
        let mut members: Map<String, Value> = serde_json::from_slice(bytes).map_err(unreadable)?;
        let [_, kind, version] = OWN.map(|own| members.remove(own).unwrap_or_default());
        self.require_kind(kind.as_str().unwrap_or_default(), version.as_u64().unwrap_or_default())?;
        serde_json::from_value(members.into()).map_err(unreadable)
    }
}

fn digest(before: &[u8], after: &[u8]) -> [u8; 32] {
    Sha256::new().chain_update(before).chain_update(after).finalize().into()
}

#[cfg(test)]
mod tests {
    use super::super::damage::damaged_copies;
    use super::super::kind::StateKind;
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Notes {
        counted: u64,
        words: Vec<String>,
    }

    #[test]
    fn bit_changes_and_truncations_are_detected() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        let kind = StateKind { name: "test notes", version: 2 };
        let state = SavedState { path: &path, kind, remedy: "delete it" };
        let notes = Notes { counted: 1 << 63, words: vec!["{\n".into(), "ü\"".into()] };
        state.write_json(&notes).unwrap();
        assert_eq!(state.read_json::<Notes>().unwrap(), notes);
        let whole = std::fs::read(&path).unwrap();
        let json: Value = serde_json::from_slice(&whole).unwrap();
        assert_eq!((&json["counted"], &json["state_version"]), (&(1u64 << 63).into(), &2.into()));
        let refused = |bytes: &[u8], what: &str| {
            std::fs::write(&path, bytes).unwrap();
            let error = state.read_json::<Notes>().unwrap_err().to_string();
            assert!(error.contains("a.json: ") && error.ends_with("; delete it"), "{what}: {error}");
        };
        damaged_copies(&whole).for_each(|(bytes, what)| refused(&bytes, &what));
        let text = String::from_utf8(whole).unwrap();
        refused(text.replace("9223372036854775808", "999").as_bytes(), "another count");
        refused(&[text.as_bytes(), b"\n"].concat(), "a line more");
        refused(b"{}", "another object");
    }

    #[test]
    fn states_without_members_survive_a_round_trip() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        let kind = StateKind { name: "nothing", version: 1 };
        let state = SavedState { path: &path, kind, remedy: "delete it" };
        state.write_json(&Map::new()).unwrap();
        assert_eq!(state.read_json::<Map<String, Value>>().unwrap(), Map::new());
    }
}
