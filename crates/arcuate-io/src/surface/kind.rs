//! Defines the anatomical types of surfaces (such as white or pial), which programs such as Connectome
//! Workbench show and check.

/// The anatomical type of a surface. GIFTI stores it as `GeometricType` and `AnatomicalStructureSecondary`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SurfaceKind {
    /// The boundary between grey and white matter.
    White,
    /// The boundary between grey matter and CSF.
    Pial,
    /// The middle surface of the cortex.
    Midthickness,
    /// A surface in anatomical coordinates whose precise type (such as white or pial) is not known.
    Anatomical,
    /// An inflated surface.
    Inflated,
    /// A strongly inflated surface.
    VeryInflated,
    /// A spherical surface.
    Spherical,
    /// A flat map of a surface.
    Flat,
}

/// For each type of surface, the words with which file names of FreeSurfer, HCP and fMRIPrep state this type.
/// Dots, underscores and hyphens separate the words in a file name.
const NAMES: [(&[&str], SurfaceKind); 8] = [
    (&["white", "smoothwm", "wm"], SurfaceKind::White),
    (&["pial"], SurfaceKind::Pial),
    (&["midthickness", "graymid", "mid"], SurfaceKind::Midthickness),
    (&["orig"], SurfaceKind::Anatomical),
    (&["inflated"], SurfaceKind::Inflated),
    (&["veryinflated"], SurfaceKind::VeryInflated),
    (&["sphere"], SurfaceKind::Spherical),
    (&["flat"], SurfaceKind::Flat),
];

impl SurfaceKind {
    const ALL: [Self; 8] = [
        Self::White,
        Self::Pial,
        Self::Midthickness,
        Self::Anatomical,
        Self::Inflated,
        Self::VeryInflated,
        Self::Spherical,
        Self::Flat,
    ];

    /// Returns the type of surface that a file name states. Examples of such names are `lh.white` and
    /// `100307.L.very_inflated.32k_fs_LR.surf.gii`.
    pub(super) fn of_name(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase().replace("very_inflated", "veryinflated");
        let words: Vec<&str> = name.split(['.', '_', '-']).collect();
        // The file name of a registered sphere may begin with the name of another surface type. The types are
        // therefore compared in reverse order, so that the sphere is found first.
        let mut kinds = NAMES.iter().rev().filter(|(names, _)| words.iter().any(|word| names.contains(word)));
        kinds.next().map(|(_, kind)| *kind)
    }

    /// Returns the type of surface that the metadata of a GIFTI file state.
    pub(super) fn of_metadata(geometric_type: Option<&str>, secondary: Option<&str>) -> Option<Self> {
        geometric_type.or(secondary)?;
        let of_type = |kind: &Self| geometric_type.is_none_or(|given| given == kind.metadata().0);
        let exact = Self::ALL.into_iter().find(|kind| of_type(kind) && kind.metadata().1 == secondary);
        // If the metadata `AnatomicalStructureSecondary` has an unknown value, `GeometricType` alone
        // determines the type.
        exact.or_else(|| Self::ALL.into_iter().find(|kind| Some(kind.metadata().0) == geometric_type))
    }

    /// Returns the values that the GIFTI metadata `GeometricType` and `AnatomicalStructureSecondary` have for
    /// this type of surface.
    pub(super) fn metadata(self) -> (&'static str, Option<&'static str>) {
        match self {
            Self::White => ("Anatomical", Some("GrayWhite")),
            Self::Pial => ("Anatomical", Some("Pial")),
            Self::Midthickness => ("Anatomical", Some("MidThickness")),
            Self::Anatomical => ("Anatomical", None),
            Self::Inflated => ("Inflated", None),
            Self::VeryInflated => ("VeryInflated", None),
            Self::Spherical => ("Spherical", None),
            Self::Flat => ("Flat", None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_metadata_state_the_type() {
        for (name, expected) in [
            ("lh.white", Some(SurfaceKind::White)),
            ("rh.pial.surf.gii", Some(SurfaceKind::Pial)),
            ("100307.L.very_inflated.32k_fs_LR.surf.gii", Some(SurfaceKind::VeryInflated)),
            ("sub-01_hemi-L_midthickness.surf.gii", Some(SurfaceKind::Midthickness)),
            ("lh.sphere.reg", Some(SurfaceKind::Spherical)),
            ("thalamus_left.surf.gii", None),
        ] {
            assert_eq!(SurfaceKind::of_name(name), expected, "{name}");
        }
        for kind in SurfaceKind::ALL {
            let (geometric_type, secondary) = kind.metadata();
            assert_eq!(SurfaceKind::of_metadata(Some(geometric_type), secondary), Some(kind));
        }
        assert_eq!(SurfaceKind::of_metadata(Some("Anatomical"), Some("Elsewhere")), Some(SurfaceKind::White));
        assert_eq!(SurfaceKind::of_metadata(None, Some("Pial")), Some(SurfaceKind::Pial));
        assert_eq!(SurfaceKind::of_metadata(None, None), None);
        assert_eq!(SurfaceKind::of_metadata(Some("Unknown"), None), None);
    }
}
