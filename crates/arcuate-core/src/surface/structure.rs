use crate::narrow;
use std::fmt;

/// A brain structure of a surface or a group of voxels, named as in CIFTI-2 and GIFTI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Structure(u8);

/// Names of the brain structures in alphabetical order. Each name is given without the prefix
/// `CIFTI_STRUCTURE_` that it has in the CIFTI-2 standard (section "BrainModel").
const NAMES: [&str; 35] = [
    "ACCUMBENS_LEFT",
    "ACCUMBENS_RIGHT",
    "ALL_GREY_MATTER",
    "ALL_WHITE_MATTER",
    "AMYGDALA_LEFT",
    "AMYGDALA_RIGHT",
    "BRAIN_STEM",
    "CAUDATE_LEFT",
    "CAUDATE_RIGHT",
    "CEREBELLAR_WHITE_MATTER_LEFT",
    "CEREBELLAR_WHITE_MATTER_RIGHT",
    "CEREBELLUM",
    "CEREBELLUM_LEFT",
    "CEREBELLUM_RIGHT",
    "CEREBRAL_WHITE_MATTER_LEFT",
    "CEREBRAL_WHITE_MATTER_RIGHT",
    "CORTEX",
    "CORTEX_LEFT",
    "CORTEX_RIGHT",
    "DIENCEPHALON_VENTRAL_LEFT",
    "DIENCEPHALON_VENTRAL_RIGHT",
    "HIPPOCAMPUS_DENTATE_LEFT",
    "HIPPOCAMPUS_DENTATE_RIGHT",
    "HIPPOCAMPUS_LEFT",
    "HIPPOCAMPUS_RIGHT",
    "INVALID",
    "OTHER",
    "OTHER_GREY_MATTER",
    "OTHER_WHITE_MATTER",
    "PALLIDUM_LEFT",
    "PALLIDUM_RIGHT",
    "PUTAMEN_LEFT",
    "PUTAMEN_RIGHT",
    "THALAMUS_LEFT",
    "THALAMUS_RIGHT",
];

const PREFIX: &str = "CIFTI_STRUCTURE_";

impl Structure {
    /// The cortex of the left hemisphere.
    pub const CORTEX_LEFT: Self = Self(17);
    /// The cortex of the right hemisphere.
    pub const CORTEX_RIGHT: Self = Self(18);

    /// All brain structures, in alphabetical order.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..narrow::<u8>(NAMES.len())).map(Self)
    }

    /// The name of the structure in CIFTI-2, such as `CIFTI_STRUCTURE_CORTEX_LEFT`.
    pub fn cifti_name(self) -> String {
        format!("{PREFIX}{}", NAMES[self.0 as usize])
    }

    /// The name of the structure in GIFTI's metadata `AnatomicalStructurePrimary`, such as `CortexLeft`.
    pub fn gifti_name(self) -> String {
        NAMES[self.0 as usize]
            .split('_')
            .flat_map(|word| [word[..1].to_owned(), word[1..].to_ascii_lowercase()])
            .collect()
    }

    /// Finds a brain structure by its name in CIFTI-2 or GIFTI.
    pub fn of_name(name: &str) -> Option<Self> {
        let plain = |text: &str| text.replace('_', "").to_ascii_uppercase();
        let name = plain(name.strip_prefix(PREFIX).unwrap_or(name));
        Self::all().find(|structure| plain(NAMES[structure.0 as usize]) == name)
    }

    /// Finds the hemisphere of a FreeSurfer file by its name, which begins with `lh.` or `rh.`.
    pub fn of_file_name(name: &str) -> Option<Self> {
        match name.get(..3)?.to_ascii_lowercase().as_str() {
            "lh." => Some(Self::CORTEX_LEFT),
            "rh." => Some(Self::CORTEX_RIGHT),
            _ => None,
        }
    }
}

/// Prints the name of the structure in GIFTI.
impl fmt::Display for Structure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.gifti_name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_both_formats_agree() {
        assert!(NAMES.is_sorted());
        for structure in Structure::all() {
            assert_eq!(Structure::of_name(&structure.cifti_name()), Some(structure));
            assert_eq!(Structure::of_name(&structure.gifti_name()), Some(structure));
        }
        assert_eq!(Structure::CORTEX_LEFT.cifti_name(), "CIFTI_STRUCTURE_CORTEX_LEFT");
        assert_eq!(Structure::CORTEX_RIGHT.to_string(), "CortexRight");
        assert_eq!(Structure::of_name("BrainStem").unwrap().cifti_name(), "CIFTI_STRUCTURE_BRAIN_STEM");
        assert_eq!(Structure::of_name("Elsewhere"), None);
        assert_eq!(Structure::of_file_name("rh.pial"), Some(Structure::CORTEX_RIGHT));
        assert_eq!(Structure::of_file_name("é.white"), None);
    }
}
