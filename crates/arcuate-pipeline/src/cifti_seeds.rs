//! Seeds at the vertices and voxels of a CIFTI-2 file.

use crate::matrix_elements::ElementList;
use crate::surface_files::read_surface;
use arcuate_core::{BrainModels, Error, Result};
use arcuate_io::{CiftiAxis, CiftiFile};
use std::path::{Path, PathBuf};

/// A CIFTI-2 file of seeds, and the surfaces that contain its vertices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CiftiSeeds {
    /// CIFTI-2 file whose matrix rows or columns are the vertices and voxels of a brain. If both are, the
    /// rows are the seeds.
    pub path: PathBuf,
    /// Surfaces, one for each structure with vertices.
    pub surfaces: Vec<PathBuf>,
}

impl CiftiSeeds {
    /// Returns the CIFTI-2 file and the surface files that the seeds are read from.
    #[doc(hidden)]
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(&self.path).chain(&self.surfaces).map(PathBuf::as_path)
    }

    /// Returns an error if the CIFTI-2 file does not list vertices or voxels. The surfaces are not read.
    #[doc(hidden)]
    pub fn check(&self) -> Result<()> {
        self.models().map(|_| ())
    }

    /// Reads the vertices and voxels, in the order of the CIFTI-2 file.
    ///
    /// Returns an error if the surface of a brain structure is missing, or if a surface does not belong to a
    /// structure of the CIFTI-2 file. Also returns an error if the numbers of vertices differ, or if the
    /// surfaces of the hemispheres are swapped.
    #[doc(hidden)]
    pub fn read(&self) -> Result<ElementList> {
        let models = self.models()?;
        let read = |path: &PathBuf| Ok((path.display().to_string(), read_surface(path)?));
        let surfaces = self.surfaces.iter().map(read).collect::<Result<Vec<_>>>()?;
        ElementList::of_brain_models(&self.path.display().to_string(), &models, &surfaces)
    }

    /// Returns the number of brain structures with vertices or voxels in the CIFTI-2 file. Returns 0 if the
    /// file cannot be read.
    pub(crate) fn parts(&self) -> usize {
        self.models()
            .map_or(0, |models| models.models().iter().filter(|model| !model.elements.is_empty()).count())
    }

    fn models(&self) -> Result<BrainModels> {
        let file = CiftiFile::open(&self.path)?;
        match (file.rows(), file.columns()) {
            (CiftiAxis::BrainModels(models), _) | (_, CiftiAxis::BrainModels(models)) => Ok(models.clone()),
            _ => {
                let problem = "neither its rows nor its columns are vertices and voxels";
                let advice = "give a .dscalar.nii, .dlabel.nii or .dconn.nii";
                Err(Error::invalid(self.path.display(), problem, advice))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface_files::write_tetrahedron;
    use arcuate_core::{Affine, BrainElements, BrainModel, ElementKind, Grid, Structure};
    use arcuate_io::CiftiWriter;
    use tempfile::TempDir;

    /// Writes the surface of a tetrahedron with a corner at (`x`, 0, 0) mm.
    fn write(folder: &TempDir, name: &str, structure: Structure, x: f32) -> PathBuf {
        let path = folder.path().join(name);
        write_tetrahedron(&path, structure, x);
        path
    }

    fn thalamus() -> Structure {
        Structure::of_name("THALAMUS_LEFT").unwrap()
    }

    /// Creates a CIFTI-2 file of two hemispheres and voxels, and its surfaces. The order of the voxels
    /// differs from the order of an image.
    fn seeds(folder: &TempDir) -> (CiftiSeeds, BrainModels) {
        let grid = Grid::new([3, 3, 3], Affine::scaling([2.0; 3], [0.0; 3])).unwrap();
        let vertices = |numbers: &[u32]| BrainElements::Vertices { surface: 4, numbers: numbers.to_vec() };
        let models = vec![
            BrainModel { structure: Structure::CORTEX_LEFT, elements: vertices(&[0, 2]) },
            BrainModel {
                structure: thalamus(),
                elements: BrainElements::Voxels(vec![[0, 0, 0], [0, 0, 2], [1, 0, 0]]),
            },
            BrainModel { structure: Structure::CORTEX_RIGHT, elements: vertices(&[3, 1]) },
        ];
        let models = BrainModels::new(models, Some(grid)).unwrap();
        let path = folder.path().join("seeds.dscalar.nii");
        let axes = [CiftiAxis::BrainModels(models.clone()), CiftiAxis::Scalars(vec!["one".into()])];
        let mut writer = CiftiWriter::create(&path, &axes[0], &axes[1]).unwrap();
        (0..models.len()).for_each(|row| writer.write_row(&[row as f32]).unwrap());
        writer.finish().unwrap();
        let surfaces = vec![
            write(folder, "rh.surf.gii", Structure::CORTEX_RIGHT, 10.0),
            write(folder, "lh.surf.gii", Structure::CORTEX_LEFT, -10.0),
        ];
        (CiftiSeeds { path, surfaces }, models)
    }

    #[test]
    fn seeds_are_in_the_order_of_the_file() {
        let folder = TempDir::new().unwrap();
        let (seeds, models) = seeds(&folder);
        seeds.check().unwrap();
        let list = seeds.read().unwrap();
        let expected = [
            [-10.0, 0.0, 0.0],
            [-10.0, 3.0, 0.0],
            [0.0, 0.0, 0.0],
            [0.0, 0.0, 4.0],
            [2.0, 0.0, 0.0],
            [10.0, 0.0, 3.0],
            [13.0, 0.0, 0.0],
        ];
        assert_eq!(list.places(0.0), expected);
        assert_eq!(list.brain_models().unwrap(), models);
        let axis = list.axis().unwrap();
        assert_eq!((axis.kind(), axis.len()), (ElementKind::Element, 7));
        assert_eq!(axis.numbers(), [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(list.met(None).unwrap().len(), 7);
    }

    #[test]
    fn surfaces_must_match_the_file() {
        let folder = TempDir::new().unwrap();
        let (seeds, _) = seeds(&folder);
        let message = |surfaces: &[&Path]| {
            let surfaces = surfaces.iter().map(|path| path.to_path_buf()).collect();
            CiftiSeeds { surfaces, ..seeds.clone() }.read().unwrap_err().to_string()
        };
        let [right, left] = [0, 1].map(|n| seeds.surfaces[n].as_path());
        let cerebellum = Structure::of_name("CEREBELLUM").unwrap();
        let other = write(&folder, "other.surf.gii", cerebellum, 0.0);
        for (surfaces, words) in [
            (
                &[left][..],
                format!("vertices of {}, but no surface of this structure is given", Structure::CORTEX_RIGHT),
            ),
            (&[left, right, left], "and so does".to_owned()),
            (&[left, right, &other], format!("no vertices of {cerebellum}")),
        ] {
            let message = message(surfaces);
            assert!(message.contains(&words), "{message}");
        }
        write(&folder, "lh.surf.gii", Structure::CORTEX_LEFT, 10.0);
        write(&folder, "rh.surf.gii", Structure::CORTEX_RIGHT, -10.0);
        assert!(message(&[left, right]).contains("is to the right of"), "{}", message(&[left, right]));
    }
}
