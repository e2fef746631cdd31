use arcuate_core::{BrainElements, BrainModel, BrainModels, Grid, NamedLabel};
use std::collections::BTreeMap;

/// The meaning of the rows of a CIFTI-2 matrix, or of its columns.
#[derive(Debug, Clone, PartialEq)]
pub enum CiftiAxis {
    /// Each row (or column) of the matrix is a vertex of a surface or a voxel.
    BrainModels(BrainModels),
    /// Each row (or column) of the matrix is a parcel, which is a group of vertices and voxels.
    Parcels {
        /// The parcels, in order.
        parcels: Vec<CiftiParcel>,
        /// The grid of the parcels' voxels; `None` without voxels.
        volume: Option<Grid>,
    },
    /// Each row (or column) of the matrix is a map with a name, such as a map of cortical thickness.
    Scalars(Vec<String>),
    /// Each row (or column) of the matrix is a parcellation, whose values are label numbers.
    Labels(Vec<CiftiMap>),
    /// Each row (or column) of the matrix is a point of a series, such as a time or a frequency.
    Series(CiftiSeries),
}

/// A parcel: a named group of vertices and voxels.
#[derive(Debug, Clone, PartialEq)]
pub struct CiftiParcel {
    /// The name of the parcel.
    pub name: String,
    /// The vertices that belong to the parcel, separately for each brain structure.
    pub parts: Vec<BrainModel>,
    /// The indices of the voxels that belong to the parcel. They are not assigned to a brain structure.
    pub voxels: Vec<[u32; 3]>,
}

/// A parcellation with the names and colours of its label numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct CiftiMap {
    /// The name of the parcellation.
    pub name: String,
    /// The region name and the colour of each label number.
    pub table: BTreeMap<i32, NamedLabel>,
}

/// A series of equally spaced points, such as the times of the volumes of a scan.
#[derive(Debug, Clone, PartialEq)]
pub struct CiftiSeries {
    /// Number of points of the series.
    pub points: usize,
    /// Value of the first point of the series, such as a time, in the unit of the series.
    pub start: f64,
    /// Difference between the values of successive points of the series, in the unit of the series.
    pub step: f64,
    /// Unit of the series: `SECOND`, `HERTZ`, `METER` or `RADIAN`.
    pub unit: String,
}

impl CiftiAxis {
    /// Number of elements of this axis, which is the number of rows (or columns) of the matrix.
    pub fn len(&self) -> usize {
        match self {
            Self::BrainModels(models) => models.len(),
            Self::Parcels { parcels, .. } => parcels.len(),
            Self::Scalars(names) => names.len(),
            Self::Labels(maps) => maps.len(),
            Self::Series(series) => series.points,
        }
    }

    /// Returns whether the axis has no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The word that CIFTI-2 uses for this kind of axis, without its prefix `CIFTI_INDEX_TYPE_`.
    pub(super) fn word(&self) -> &'static str {
        match self {
            Self::BrainModels(_) => "BRAIN_MODELS",
            Self::Parcels { .. } => "PARCELS",
            Self::Scalars(_) => "SCALARS",
            Self::Labels(_) => "LABELS",
            Self::Series(_) => "SERIES",
        }
    }

    /// Describes the elements of the axis in words, for example `59412 vertices and 31870 voxels`, `360
    /// parcels`, `2 maps`.
    pub fn describe(&self) -> String {
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
