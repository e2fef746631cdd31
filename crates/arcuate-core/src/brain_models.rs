use crate::{Error, Grid, Result, Structure};
use std::collections::BTreeSet;

/// The elements of a [`BrainModel`]: either vertices of a surface or voxels of a volume.
#[derive(Debug, Clone, PartialEq)]
pub enum BrainElements {
    /// Vertices of a surface. Usually, vertices of the medial wall are not included.
    Vertices {
        /// Number of vertices of the whole surface.
        surface: usize,
        /// Indices of the included vertices, counted from 0.
        numbers: Vec<u32>,
    },
    /// Indices i, j and k of each voxel of the volume, counted from 0.
    Voxels(Vec<[u32; 3]>),
}

impl BrainElements {
    /// Number of vertices or voxels.
    pub fn len(&self) -> usize {
        match self {
            Self::Vertices { numbers, .. } => numbers.len(),
            Self::Voxels(voxels) => voxels.len(),
        }
    }

    /// Returns whether there are no vertices and no voxels.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A brain structure and its vertices or voxels.
#[derive(Debug, Clone, PartialEq)]
pub struct BrainModel {
    /// The brain structure, such as the left cortex.
    pub structure: Structure,
    /// The vertices or voxels of the brain structure.
    pub elements: BrainElements,
}

/// Vertices of surfaces and voxels of a volume in one sequence, one brain model (brain structure) after the
/// other, as in CIFTI-2 ("grayordinates").
#[derive(Debug, Clone, PartialEq)]
pub struct BrainModels {
    models: Vec<BrainModel>,
    volume: Option<Grid>,
}

impl BrainModels {
    /// Creates the sequence from brain models, in the order of the list, and from the volume grid of their
    /// voxels. Returns an error if the index of a vertex or voxel is outside the surface or volume, or if a
    /// vertex or voxel occurs twice. Voxels without a volume grid are an error, too.
    pub fn new(models: Vec<BrainModel>, volume: Option<Grid>) -> Result<Self> {
        let refuse = |model: &BrainModel, problem: String| {
            let subject = format!("brain model of {}", model.structure);
            Err(Error::invalid(subject, problem, "make the file again"))
        };
        let mut seen = BTreeSet::new();
        let mut voxels_seen = BTreeSet::new();
        for model in &models {
            match &model.elements {
                BrainElements::Vertices { surface, numbers } => {
                    if !seen.insert(model.structure) {
                        return refuse(model, "its surface is there twice".to_owned());
                    }
                    if let Some(number) = numbers.iter().find(|number| **number as usize >= *surface) {
                        return refuse(model, format!("it names vertex {number} of a surface of {surface}"));
                    }
                    if numbers.iter().collect::<BTreeSet<_>>().len() != numbers.len() {
                        return refuse(model, "it names a vertex twice".to_owned());
                    }
                }
                BrainElements::Voxels(voxels) => {
                    let Some(grid) = &volume else {
                        return refuse(model, "it has voxels, but the file has no volume".to_owned());
                    };
                    let outside =
                        |voxel: &&[u32; 3]| (0..3).any(|axis| voxel[axis] as usize >= grid.shape()[axis]);
                    if let Some(voxel) = voxels.iter().find(outside) {
                        return refuse(
                            model,
                            format!("it names voxel {voxel:?}, which the volume does not have"),
                        );
                    }
                    if let Some(voxel) = voxels.iter().find(|voxel| !voxels_seen.insert(**voxel)) {
                        return refuse(model, format!("it names voxel {voxel:?}, which was named before"));
                    }
                }
            }
        }
        Ok(Self { models, volume })
    }

    /// The brain models, in their order in the sequence.
    pub fn models(&self) -> &[BrainModel] {
        &self.models
    }

    /// The grid of the voxels; `None` if no model has voxels.
    pub fn volume(&self) -> Option<&Grid> {
        self.volume.as_ref()
    }

    /// Number of vertices and voxels of all brain models together.
    pub fn len(&self) -> usize {
        self.models.iter().map(|model| model.elements.len()).sum()
    }

    /// Returns whether no model has a vertex or voxel.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// For each brain model, the position of its first vertex or voxel in the sequence.
    pub fn offsets(&self) -> Vec<usize> {
        let sizes = self.models.iter().scan(0, |sum, model| {
            let offset = *sum;
            *sum += model.elements.len();
            Some(offset)
        });
        sizes.collect()
    }

    /// Finds the vertices of a brain structure. Returns the position of the first vertex in the sequence, the
    /// number of vertices of the whole surface, and the indices of the included vertices. Returns `None` if
    /// no model has vertices of this structure.
    pub fn vertices_of(&self, structure: Structure) -> Option<(usize, usize, &[u32])> {
        self.models.iter().zip(self.offsets()).find_map(|(model, offset)| match &model.elements {
            BrainElements::Vertices { surface, numbers } if model.structure == structure => {
                Some((offset, *surface, numbers.as_slice()))
            }
            _ => None,
        })
    }

    /// Returns an error about `subject` if the number of vertices of a surface differs from the number that
    /// the brain models state for the same brain structure.
    pub fn require_surface(
        &self,
        structure: Structure,
        vertices: usize,
        subject: impl std::fmt::Display,
    ) -> Result<()> {
        let problem = match self.vertices_of(structure) {
            Some((_, surface, _)) if surface == vertices => return Ok(()),
            Some((_, surface, _)) => {
                format!(
                    "the surface has {vertices} vertices, but the brain models refer to a surface with \
                     {surface} vertices"
                )
            }
            None => format!("the brain models have no vertices of {structure}"),
        };
        let advice = "give the surface of the same mesh and hemisphere";
        Err(Error::invalid(subject, problem, advice))
    }

    /// Positions of all voxels in the order in which FSL lists the voxels of one mask: z slowest, x fastest.
    /// FSL counts x from the right side of the subject. So if the affine of the volume has a positive
    /// determinant, FSL's x decreases with the volume's x. CIFTI-2 sorts voxels by brain structure instead.
    pub fn voxels_as_fsl_lists_them(&self) -> Vec<usize> {
        let backwards = self.volume.as_ref().is_some_and(|grid| grid.affine().determinant() > 0.0);
        let mut places: Vec<([i64; 3], usize)> = Vec::new();
        for (model, offset) in self.models.iter().zip(self.offsets()) {
            if let BrainElements::Voxels(voxels) = &model.elements {
                places.extend(voxels.iter().enumerate().map(|(n, &[i, j, k])| {
                    let x = if backwards { -i64::from(i) } else { i64::from(i) };
                    ([k.into(), j.into(), x], offset + n)
                }));
            }
        }
        places.sort_unstable();
        places.into_iter().map(|(_, place)| place).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Affine;

    fn vertices(structure: Structure, surface: usize, numbers: Vec<u32>) -> BrainModel {
        BrainModel { structure, elements: BrainElements::Vertices { surface, numbers } }
    }

    fn voxels(name: &str, voxels: Vec<[u32; 3]>) -> BrainModel {
        BrainModel { structure: Structure::of_name(name).unwrap(), elements: BrainElements::Voxels(voxels) }
    }

    fn models(sign: f64) -> BrainModels {
        let grid = Grid::new([4, 4, 4], Affine::scaling([sign * 2.0, 2.0, 2.0], [0.0; 3])).unwrap();
        let models = vec![
            vertices(Structure::CORTEX_LEFT, 5, vec![0, 2, 4]),
            voxels("THALAMUS_LEFT", vec![[0, 1, 2], [3, 0, 1]]),
            voxels("BRAIN_STEM", vec![[1, 1, 2], [2, 0, 1]]),
        ];
        BrainModels::new(models, Some(grid)).unwrap()
    }

    #[test]
    fn elements_have_positions_and_fsl_orders_them_differently() {
        let radiological = models(-1.0);
        assert_eq!((radiological.len(), radiological.offsets()), (7, vec![0, 3, 5]));
        assert_eq!(radiological.vertices_of(Structure::CORTEX_LEFT), Some((0, 5, &[0, 2, 4][..])));
        assert_eq!(radiological.vertices_of(Structure::CORTEX_RIGHT), None);
        // The voxels in ascending order, with indices in the order (k, j, i): (1, 0, 2), (1, 0, 3), (2, 1,
        // 0), (2, 1, 1).
        assert_eq!(radiological.voxels_as_fsl_lists_them(), [6, 4, 3, 5]);
        assert_eq!(models(1.0).voxels_as_fsl_lists_them(), [4, 6, 5, 3]);
    }

    #[test]
    fn surfaces_must_match_the_brain_models() {
        let models = models(1.0);
        models.require_surface(Structure::CORTEX_LEFT, 5, "a").unwrap();
        let error = models.require_surface(Structure::CORTEX_LEFT, 6, "lh.white").unwrap_err().to_string();
        assert!(
            error.starts_with(
                "lh.white: the surface has 6 vertices, but the brain models refer to a surface with 5 \
                 vertices"
            ),
            "{error}"
        );
        let error = models.require_surface(Structure::CORTEX_RIGHT, 5, "a").unwrap_err();
        assert_eq!(error.problem(), "the brain models have no vertices of CortexRight");
    }

    #[test]
    fn invalid_brain_models_are_rejected() {
        let grid = || Some(Grid::new([2, 2, 2], Affine::identity()).unwrap());
        let left = |numbers| vertices(Structure::CORTEX_LEFT, 3, numbers);
        for (models, volume, problem) in [
            (vec![left(vec![3])], None, "it names vertex 3 of a surface of 3"),
            (vec![left(vec![1, 1])], None, "it names a vertex twice"),
            (vec![left(vec![0]), left(vec![1])], None, "its surface is there twice"),
            (vec![voxels("OTHER", vec![[0, 0, 0]])], None, "it has voxels, but the file has no volume"),
            (
                vec![voxels("OTHER", vec![[0, 2, 0]])],
                grid(),
                "it names voxel [0, 2, 0], which the volume does not have",
            ),
            (
                vec![voxels("OTHER", vec![[0, 0, 0]]), voxels("CORTEX", vec![[0, 0, 0]])],
                grid(),
                "it names voxel [0, 0, 0], which was named before",
            ),
        ] {
            assert_eq!(BrainModels::new(models, volume).unwrap_err().problem(), problem);
        }
    }
}
