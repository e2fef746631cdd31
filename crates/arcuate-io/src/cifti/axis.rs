use arcuate_core::{BrainElements, BrainModel, BrainModels, Grid, NamedLabel};
use std::collections::BTreeMap;

/// The content of the rows or columns of a CIFTI-2 matrix.
#[derive(Debug, Clone, PartialEq)]
pub enum CiftiAxis {
    /// Vertices of surfaces and voxels.
    BrainModels(BrainModels),
    /// Groups of vertices and voxels.
    Parcels {
        /// The parcels, in order.
        parcels: Vec<CiftiParcel>,
        /// The grid of their voxels.
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
    /// Its voxels, which belong to no structure.
    pub voxels: Vec<[u32; 3]>,
}

/// A parcellation and the meaning of its label numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct CiftiMap {
    /// Its name.
    pub name: String,
    /// Names and colours by label number.
    pub table: BTreeMap<i32, NamedLabel>,
}

/// Equally spaced points.
#[derive(Debug, Clone, PartialEq)]
pub struct CiftiSeries {
    /// Number of points.
    pub points: usize,
    /// The first point, in the unit.
    pub start: f64,
    /// The distance between neighbouring points.
    pub step: f64,
    /// `SECOND`, `HERTZ`, `METER` or `RADIAN`.
    pub unit: String,
}

impl CiftiAxis {
    /// Number of rows or columns.
    pub fn len(&self) -> usize {
        match self {
            Self::BrainModels(models) => models.len(),
            Self::Parcels { parcels, .. } => parcels.len(),
            Self::Scalars(names) => names.len(),
            Self::Labels(maps) => maps.len(),
            Self::Series(series) => series.points,
        }
    }

    /// Returns whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Its name in CIFTI-2, after `CIFTI_INDEX_TYPE_`.
    pub(super) fn word(&self) -> &'static str {
        match self {
            Self::BrainModels(_) => "BRAIN_MODELS",
            Self::Parcels { .. } => "PARCELS",
            Self::Scalars(_) => "SCALARS",
            Self::Labels(_) => "LABELS",
            Self::Series(_) => "SERIES",
        }
    }

    /// Describes the axis: `59412 vertices and 31870 voxels`, `360 parcels`, `2 maps`.
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
                format!("{points} points that begin at {start}, {step} apart ({})", unit.to_ascii_lowercase())
            }
        }
    }
}
