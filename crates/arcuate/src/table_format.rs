use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// File format of a gradient table. The file name determines the format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TableFormat {
    /// FSL's format with two files: the b-values in `.bval`, `.bvals` or `bvals`, and the directions in
    /// `.bvec`, `.bvecs` or `bvecs`.
    Fsl,
    /// Rows `x y z b`: `.b`, `.grad`, `.txt`.
    Mrtrix,
    /// Camino's `.scheme`.
    Scheme,
    /// Gradient strengths and timings: `.prtcl`.
    Protocol,
}

impl TableFormat {
    /// Returns the format that a file name determines. Upper and lower case are not distinguished.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        match telling(path)?.to_ascii_lowercase().as_str() {
            "bval" | "bvals" | "bvec" | "bvecs" => Some(Self::Fsl),
            "b" | "grad" | "txt" => Some(Self::Mrtrix),
            "scheme" => Some(Self::Scheme),
            "prtcl" => Some(Self::Protocol),
            _ => None,
        }
    }

    /// True if the directions in this format are along the axes of an image. The image is then needed to
    /// convert them to scanner axes.
    pub(crate) fn is_in_image_axes(self) -> bool {
        self != Self::Mrtrix
    }

    /// Returns a description for users.
    pub(crate) fn description(self) -> &'static str {
        match self {
            Self::Fsl => "FSL gradient table (b-values and directions)",
            Self::Mrtrix => "MRtrix gradient table",
            Self::Scheme => "Camino gradient table (.scheme)",
            Self::Protocol => "gradient table with timings (.prtcl)",
        }
    }
}

/// Returns the two files of FSL's gradient table, of which `path` is one: first the b-values, then the
/// directions. For example, `dwi.BVECS` belongs to `dwi.BVALS`.
pub(crate) fn fsl_pair(path: &Path) -> Option<[PathBuf; 2]> {
    let word = telling(path)?;
    // The word that determines the format consists of "b", then "val" or "vec", and an optional "s".
    let (first, kind, last) = (word.get(..1)?, word.get(1..4)?, word.get(4..)?);
    let capitals = kind.chars().all(|c| c.is_ascii_uppercase());
    let named = |kind: &str| {
        let kind = if capitals { kind.to_ascii_uppercase() } else { kind.to_owned() };
        let mut name = OsString::new();
        if path.extension().is_some() {
            name.push(path.file_stem().unwrap_or_default());
            name.push(".");
        }
        name.push(format!("{first}{kind}{last}"));
        path.with_file_name(name)
    };
    match kind.to_ascii_lowercase().as_str() {
        "val" => Some([path.to_owned(), named("vec")]),
        "vec" => Some([named("val"), path.to_owned()]),
        _ => None,
    }
}

/// Returns the word in a file name that determines the format. It is the file name ending, or the whole name
/// `bvals` or `bvecs`.
fn telling(path: &Path) -> Option<&str> {
    let whole = || {
        path.file_name()
            .filter(|name| name.eq_ignore_ascii_case("bvals") || name.eq_ignore_ascii_case("bvecs"))
    };
    path.extension().or_else(whole)?.to_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_determine_the_format() {
        for (name, format) in [
            ("a/dwi.bval", Some(TableFormat::Fsl)),
            ("dwi.BVEC", Some(TableFormat::Fsl)),
            ("bvals", Some(TableFormat::Fsl)),
            ("BVECS", Some(TableFormat::Fsl)),
            ("table.b", Some(TableFormat::Mrtrix)),
            ("table.Txt", Some(TableFormat::Mrtrix)),
            ("a.scheme", Some(TableFormat::Scheme)),
            ("a.PRTCL", Some(TableFormat::Protocol)),
            ("scheme", None),
            ("dwi.nii", None),
            ("bvals.nii", None),
        ] {
            assert_eq!(TableFormat::of(Path::new(name)), format, "{name}");
        }
    }

    #[test]
    fn bval_or_bvec_names_the_pair() {
        for (bvals, bvecs) in
            [("a/dwi.bval", "a/dwi.bvec"), ("x.y.BVALS", "x.y.BVECS"), ("a/bvals", "a/bvecs")]
        {
            let pair = Some([PathBuf::from(bvals), PathBuf::from(bvecs)]);
            assert_eq!(fsl_pair(Path::new(bvals)), pair);
            assert_eq!(fsl_pair(Path::new(bvecs)), pair);
        }
        assert_eq!(fsl_pair(Path::new("table.b")), None);
    }
}
