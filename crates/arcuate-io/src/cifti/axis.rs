use arcuate_core::{BrainElements, BrainModel, BrainModels, Grid, NamedLabel};
use std::collections::BTreeMap;

/// What the rows, or the columns, of a CIFTI-2 matrix are.
#[derive(Debug, Clone, PartialEq)]
pub enum CiftiAxis {
    /// Vertices of surfaces and voxels.
    BrainModels(BrainModels),
    /// Groups of vertices and voxels.
    Parcels {
        /// In their order.
        parcels: Vec<CiftiParcel>,
        /// The lattice of their voxels.
        volume: Option<Grid>,
    },
    /// Named maps of values.
    Scalars(Vec<String>),
    /// Parcellations.
    Labels(Vec<CiftiMap>),
    /// Times, or frequencies.
    Series(CiftiSeries),
}

/// A group of vertices and voxels.
#[derive(Debug, Clone, PartialEq)]
pub struct CiftiParcel {
    /// Its name.
    pub name: String,
    /// Vertices by structure, and voxels.
    pub parts: Vec<BrainModel>,
    /// Its voxels, which are of no structure.
    pub voxels: Vec<[u32; 3]>,
}

/// A parcellation and what its numbers mean.
#[derive(Debug, Clone, PartialEq)]
pub struct CiftiMap {
    /// Its name.
    pub name: String,
    /// Names and colours by label number.
    pub table: BTreeMap<i32, NamedLabel>,
}

/// Points at equal distances.
#[derive(Debug, Clone, PartialEq)]
pub struct CiftiSeries {
    /// How many.
    pub points: usize,
    /// The first, and the distance, in the unit.
    pub start: f64,
    /// The distance of two.
    pub step: f64,
    /// `SECOND`, `HERTZ`, `METER` or `RADIAN`.
    pub unit: String,
}

impl CiftiAxis {
    /// How many rows or columns.
    pub fn len(&self) -> usize {
        match self {
            Self::BrainModels(models) => models.len(),
            Self::Parcels { parcels, .. } => parcels.len(),
            Self::Scalars(names) => names.len(),
            Self::Labels(maps) => maps.len(),
            Self::Series(series) => series.points,
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What CIFTI-2 calls it, behind `CIFTI_INDEX_TYPE_`.
    pub(super) fn word(&self) -> &'static str {
        match self {
            Self::BrainModels(_) => "BRAIN_MODELS",
            Self::Parcels { .. } => "PARCELS",
            Self::Scalars(_) => "SCALARS",
            Self::Labels(_) => "LABELS",
            Self::Series(_) => "SERIES",
        }
    }

    /// In words, for people: `59412 vertices and 31870 voxels`, `360 parcels`, `2 maps`.
    pub fn in_words(&self) -> String {
        match self {
            Self::BrainModels(models) => {
                let is_vertices =
                    |model: &&BrainModel| matches!(model.elements, BrainElements::Vertices { .. });
                let vertices: usize =
                    models.models().iter().filter(is_vertices).map(|model| model.elements.len()).sum();
                format!("{vertices} vertices and {} voxels", models.len() - vertices)
            }
            Self::Parcels { parcels, .. } => format!("{} parcels", parcels.len()),
            Self::Scalars(names) => format!("{} maps", names.len()),
            Self::Labels(maps) => format!("{} parcellations", maps.len()),
            Self::Series(CiftiSeries { points, start, step, unit }) => {
                format!("{points} points from {start} on, {step} apart ({})", unit.to_ascii_lowercase())
            }
        }
    }
}
