//! BIDS file names, such as `sub-01_ses-a_space-ACPC_desc-preproc_dwi.nii.gz`.

use std::fmt;

/// The order of the entities (such as `sub` and `ses`) in a BIDS file name, from BIDS 1.11.2. The list
/// includes the entities of the drafts for diffusion models (BEP016), tractography (BEP046) and connectivity
/// (BEP017).
const ORDER: [&str; 40] = [
    "sub",
    "tpl",
    "ses",
    "cohort",
    "sample",
    "task",
    "tracksys",
    "acq",
    "nuc",
    "voi",
    "ce",
    "trc",
    "stain",
    "rec",
    "dir",
    "run",
    "mod",
    "echo",
    "flip",
    "inv",
    "mt",
    "part",
    "proc",
    "hemi",
    "space",
    "split",
    "recording",
    "chunk",
    "atlas",
    "seg",
    "scale",
    "res",
    "den",
    "label",
    "tract",
    "track",
    "model",
    "desc",
    "param",
    "meas",
];

/// A BIDS file name, divided into its entities, its suffix and its extension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BidsName {
    /// The key and the label of each entity, such as `sub` and `01`, in the order of the file name.
    entities: Vec<(String, String)>,
    /// The suffix of the BIDS file name, such as `dwi`.
    pub suffix: String,
    /// The extension of the file: the part of its name from the first dot on, such as `.nii.gz`.
    pub extension: String,
}

/// Returns true if BIDS allows the text as the label of an entity.
pub fn is_label(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '+')
}

impl BidsName {
    /// Divides a file name into its entities, suffix and extension. Returns `None` if the name does not
    /// follow the rules of BIDS.
    pub fn parse(file_name: &str) -> Option<Self> {
        let (stem, extension) = match file_name.find('.') {
            Some(dot) => file_name.split_at(dot),
            None => (file_name, ""),
        };
        let mut parts: Vec<&str> = stem.split('_').collect();
        let suffix = parts.pop().filter(|suffix| is_label(suffix))?;
        let entity = |part: &str| {
            let (key, label) = part.split_once('-')?;
            let is_key = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric());
            (is_key && is_label(label)).then(|| (key.to_owned(), label.to_owned()))
        };
        let entities: Option<Vec<(String, String)>> = parts.into_iter().map(entity).collect();
        let entities = entities?;
        let is_twice = |(n, (key, _)): (usize, &(String, String))| {
            entities[..n].iter().any(|(earlier, _)| earlier == key)
        };
        if entities.iter().enumerate().any(is_twice) {
            return None;
        }
        Some(Self { entities, suffix: suffix.to_owned(), extension: extension.to_owned() })
    }

    /// Returns the label of the entity `key` in the file name. Returns `None` if the file name lacks this
    /// entity.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.entities.iter().find(|(known, _)| known == key).map(|(_, label)| label.as_str())
    }

    /// Returns the key and the label of each entity in the file name.
    pub fn entities(&self) -> &[(String, String)] {
        &self.entities
    }

    /// Returns a copy of the file name in which the entity `key` has the label `label`. The entities of the
    /// copy are in the order that BIDS requires.
    #[must_use]
    pub fn with(&self, key: &str, label: &str) -> Self {
        let mut name = self.without(&[key]);
        name.entities.push((key.to_owned(), label.to_owned()));
        let place = |key: &str| ORDER.iter().position(|known| *known == key).unwrap_or(ORDER.len());
        name.entities.sort_by_key(|(key, _)| place(key));
        name
    }

    /// Returns a copy of the file name without the entities `keys`.
    #[must_use]
    pub fn without(&self, keys: &[&str]) -> Self {
        let mut name = self.clone();
        name.entities.retain(|(key, _)| !keys.contains(&key.as_str()));
        name
    }

    /// Returns a copy of the file name with another suffix and another extension.
    #[must_use]
    pub fn of(&self, suffix: &str, extension: &str) -> Self {
        Self { suffix: suffix.to_owned(), extension: extension.to_owned(), ..self.clone() }
    }

    /// Returns the entities as text: `sub-01_ses-a`.
    pub fn stem(&self) -> String {
        self.entities.iter().map(|(key, label)| format!("{key}-{label}")).collect::<Vec<_>>().join("_")
    }

    /// Returns the name of the scan whose diffusion series has this file name. The name of the scan lacks the
    /// entities that all preprocessed series have.
    pub fn scan(&self) -> String {
        self.without(&["desc"]).stem()
    }

    /// Returns true if the file name `other` has all entities of this file name, with the same labels.
    pub fn is_within(&self, other: &Self) -> bool {
        self.entities.iter().all(|(key, label)| other.get(key) == Some(label))
    }
}

impl fmt::Display for BidsName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stem = self.stem();
        let between = if stem.is_empty() { "" } else { "_" };
        write!(f, "{stem}{between}{}{}", self.suffix, self.extension)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_survive_a_round_trip() {
        let text = "sub-01_ses-a_space-ACPC_desc-preproc_dwi.nii.gz";
        let name = BidsName::parse(text).unwrap();
        assert_eq!(name.to_string(), text);
        assert_eq!((name.get("ses"), name.get("run")), (Some("a"), None));
        assert_eq!((name.suffix.as_str(), name.extension.as_str()), ("dwi", ".nii.gz"));
        let fa = name.without(&["desc"]).with("param", "fa").with("model", "tensor").of("dwimap", ".nii.gz");
        assert_eq!(fa.to_string(), "sub-01_ses-a_space-ACPC_model-tensor_param-fa_dwimap.nii.gz");
        assert_eq!(
            fa.with("ses", "b").with("run", "2").stem(),
            "sub-01_ses-b_run-2_space-ACPC_model-tensor_param-fa"
        );
        assert_eq!(BidsName::parse("dwi.bval").unwrap().to_string(), "dwi.bval");
        assert!(
            BidsName::parse("acq-x_dwi.json")
                .unwrap()
                .is_within(&BidsName::parse("sub-1_acq-x_dwi.nii").unwrap())
        );
    }

    #[test]
    fn invalid_names_are_rejected() {
        for text in [
            "sub-01",
            "sub-_dwi.nii",
            "sub-01_sub-02_dwi.nii",
            "sub 01_dwi.nii",
            "a_b_dwi.nii",
            "_dwi.nii",
            "",
        ] {
            assert_eq!(BidsName::parse(text), None, "{text}");
        }
    }
}
