use crate::formats::{GRADIENTS, GradientFormat, IMAGES, find};
use crate::mrtrix_gradients;
use crate::stored_gradients::{StoredGradients, require_measurements};
use arcuate_core::{Affine, Error, GradientTable, Result};
use std::path::Path;

impl GradientFormat {
    /// Returns the format that a file name determines. Upper and lower case are not distinguished.
    pub fn of(path: &Path) -> Option<Self> {
        find(GRADIENTS, path).map(|(_, functions)| functions.format)
    }

    /// Returns true if the directions in this format are along the axes of an image. The image is then needed
    /// to convert them to scanner axes.
    pub fn is_in_image_axes(self) -> bool {
        self != Self::Mrtrix
    }

    /// Returns the name of the format for users.
    pub fn name(self) -> &'static str {
        let mut rows = GRADIENTS.iter().filter(|(_, functions)| functions.format == self);
        rows.next().map_or("", |(row, _)| row.name)
    }
}

/// Writes a gradient table in the format that the file name determines. `affine` is the affine of the image
/// to which the gradient table belongs. FSL's format has two files; `path` is one of them.
pub fn write_gradients(path: &Path, table: &GradientTable, affine: &Affine) -> Result<()> {
    match find(GRADIENTS, path) {
        Some((_, functions)) => (functions.write)(path, table, affine),
        None => mrtrix_gradients::write(path, table),
    }
}

/// Reads a gradient table. The file name selects the format:
///
/// - `.scheme`: Camino; `.prtcl`: Microstructure Diffusion Toolbox;
/// - `.mif`, `.mif.gz`: the table in an image's header;
/// - `.bval`, `.bvals`, `.bvec`, `.bvecs`, or files named `bvals` and `bvecs`: FSL, with the other file next
///   to it;
/// - image files of other formats have no gradient table, so reading them returns an error;
/// - anything else (`.b`, `.txt`, `.grad` …): MRtrix rows `x y z b`, or a Camino scheme if there is a VERSION
///   line.
///
/// `affine` is the affine of the image to which the gradient table belongs, and `measurements` is the number
/// of volumes of that image, if known. The result has the numbers of the file; [`StoredGradients::table`]
/// interprets their units and lengths. The functions that read a single format return the same type.
pub fn read_gradients(path: &Path, affine: &Affine, measurements: Option<usize>) -> Result<StoredGradients> {
    if let Some((row, format)) = find(IMAGES, path) {
        if !row.stores_gradients {
            let problem = "images of its format hold no gradient table";
            let advice = "give a separate gradient table, such as the .bvec next to it";
            return Err(Error::invalid(path.display(), problem, advice));
        }
        let stored = format.describe(path)?.gradients.ok_or_else(|| {
            let advice = "give a gradient table of its own";
            Error::invalid(
                path.display(),
                "the image header has no gradient table with one row per volume",
                advice,
            )
        })?;
        require_measurements(path, &stored, measurements)?;
        return Ok(stored);
    }
    match find(GRADIENTS, path) {
        Some((_, functions)) => (functions.read)(path, affine, measurements),
        None => mrtrix_gradients::read_any_text(path, affine, measurements),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GradientReading, camino_gradients, fsl_gradients};
    use arcuate_core::GradientTable;

    #[test]
    fn images_without_embedded_tables_give_none() {
        let path = Path::new("no/dwi.nii.gz");
        assert_eq!(
            read_gradients(path, &Affine::identity(), None).unwrap_err().to_string(),
            "no/dwi.nii.gz: images of its format hold no gradient table; give a separate gradient table, \
             such as the .bvec next to it"
        );
    }

    #[test]
    fn table_formats_are_detected_by_name_or_content() {
        let folder = tempfile::tempdir().unwrap();
        let affine = Affine::scaling([-2.0, 2.0, 2.0], [0.0; 3]);
        let table = GradientTable::new(&[[0.0; 3], [0.0, 0.6, 0.8]], vec![0.0, 1000.0], 50.0).unwrap();
        let at = |name: &str| folder.path().join(name);
        fsl_gradients::write(&at("dwi.bval"), &at("dwi.bvec"), &table, &affine).unwrap();
        fsl_gradients::write(&at("bvals"), &at("bvecs"), &table, &affine).unwrap();
        fsl_gradients::write(&at("mixed.bvals"), &at("mixed.bvec"), &table, &affine).unwrap();
        mrtrix_gradients::write(&at("grad.b"), &table).unwrap();
        camino_gradients::write_scheme(&at("a.scheme"), &table, &affine).unwrap();
        camino_gradients::write_scheme(&at("scheme.txt"), &table, &affine).unwrap();
        camino_gradients::write_protocol(&at("a.prtcl"), &table, &affine).unwrap();
        let names = [
            "dwi.bval",
            "dwi.bvec",
            "bvals",
            "bvecs",
            "mixed.bvals",
            "mixed.bvec",
            "grad.b",
            "a.scheme",
            "scheme.txt",
            "a.prtcl",
        ];
        for name in names {
            let stored = read_gradients(&at(name), &affine, Some(2)).unwrap();
            assert_eq!(stored.table(&GradientReading::default()).unwrap(), table, "{name}");
        }
    }

    #[test]
    fn names_determine_the_format() {
        for (name, format) in [
            ("a/dwi.bval", Some(GradientFormat::Fsl)),
            ("dwi.BVEC", Some(GradientFormat::Fsl)),
            ("bvals", Some(GradientFormat::Fsl)),
            ("BVECS", Some(GradientFormat::Fsl)),
            ("table.b", Some(GradientFormat::Mrtrix)),
            ("table.Txt", Some(GradientFormat::Mrtrix)),
            ("a.scheme", Some(GradientFormat::Scheme)),
            ("a.PRTCL", Some(GradientFormat::Protocol)),
            ("dwi.nii", None),
            ("bvals.nii", None),
            ("dwi", None),
        ] {
            assert_eq!(GradientFormat::of(Path::new(name)), format, "{name}");
        }
    }

    #[test]
    fn each_file_of_a_pair_gives_both() {
        for (bvals, bvecs) in [
            ("a/dwi.bval", "a/dwi.bvec"),
            ("x.y.BVALS", "x.y.BVECS"),
            ("a/bvals", "a/bvecs"),
            ("one_bvals", "one_bvecs"),
        ] {
            let pair = Some([bvals, bvecs].map(Into::into));
            assert_eq!(fsl_gradients::pair(Path::new(bvals)), pair);
            assert_eq!(fsl_gradients::pair(Path::new(bvecs)), pair);
        }
        assert_eq!(fsl_gradients::pair(Path::new("table.b")), None);
    }

    #[test]
    fn missing_bval_or_bvec_files_are_reported() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("dwi.bval");
        std::fs::write(&path, "0").unwrap();
        assert_eq!(
            read_gradients(&path, &Affine::identity(), None).unwrap_err().to_string(),
            format!(
                "{}: there is no file dwi.bvec next to this file; give both files, with ‘bval’ and ‘bvec’",
                path.display()
            )
        );
    }

    #[test]
    fn rows_above_the_b0_threshold_need_a_direction() {
        let folder = tempfile::tempdir().unwrap();
        let affine = Affine::scaling([-2.0, 2.0, 2.0], [0.0; 3]);
        let at = |name: &str| folder.path().join(name);
        // The test writes this table in each format. Its first measurement has b = 60 and no direction.
        let stored = GradientTable::as_stored(&[[0.0; 3], [0.0, 0.6, 0.8]], vec![60.0, 1000.0]).unwrap();
        fsl_gradients::write(&at("dwi.bval"), &at("dwi.bvec"), &stored, &affine).unwrap();
        mrtrix_gradients::write(&at("grad.b"), &stored).unwrap();
        camino_gradients::write_scheme(&at("a.scheme"), &stored, &affine).unwrap();
        camino_gradients::write_protocol(&at("a.prtcl"), &stored, &affine).unwrap();
        std::fs::write(at("nan.bval"), "60 1000").unwrap();
        std::fs::write(at("nan.bvec"), "nan 0\nnan 0.6\nnan 0.8").unwrap();
        let image = arcuate_core::Grid::new([1, 1, 1], affine).unwrap();
        let options = crate::WriteOptions { gradients: Some(stored), ..crate::WriteOptions::default() };
        let image = arcuate_core::Volume::filled(image, 2, 0f32);
        crate::write_image(&at("a.mif"), &image, &options).unwrap();

        for name in ["dwi.bvec", "grad.b", "a.scheme", "a.prtcl", "nan.bvec", "a.mif"] {
            let read = |b0_threshold| {
                let reading = GradientReading { b0_threshold, ..GradientReading::default() };
                read_gradients(&at(name), &affine, Some(2)).unwrap().table(&reading)
            };
            assert_eq!(read(Some(100.0)).unwrap().b0_indices(), [0], "{name}");
            assert_eq!(read(None).unwrap().b_values(), [60.0, 1000.0], "{name}");
            let message = read(Some(50.0)).unwrap_err().to_string();
            assert!(message.contains(&format!("{name}: measurement 1")), "{message}");
            for threshold in [f64::NAN, -1.0] {
                let message = read(Some(threshold)).unwrap_err().to_string();
                assert!(message.starts_with("‘b0_threshold’: "), "{message}");
            }
        }
    }
}
