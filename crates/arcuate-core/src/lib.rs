//! The basic data types of Arcuate, which all other crates use. This crate reads no files and uses no GPU.
//! Only the module [`threads`] starts threads.
//!
//! All crates of Arcuate use these units and coordinates:
//!
//! - Points are in millimetres of scanner space, with axes to the right, anterior and superior (RAS mm).
//! - A voxel (i, j, k) has its *centre* at `affine · (i, j, k, 1)`. The voxel extends from its integer
//!   coordinates by ½ in each direction.
//! - Voxel data are ordered with x fastest, then y, then z. All values (channels) of one voxel are adjacent.
//! - Gradient directions are unit vectors in scanner axes. b-values are in s/mm², and diffusivities in mm²/s.
//!
//! This crate also has mathematical functions for the sphere: [`harmonics`], and [`expansion`]s in Legendre
//! polynomials. The module [`statistics`] has medians and quantiles.

mod affine;
mod brain_models;
mod column;
mod complex_array;
mod control;
mod error;
pub mod expansion;
mod five_tissues;
mod gradients;
mod grid;
pub mod harmonics;
mod icosphere;
mod image_shape;
mod interpolation;
mod labels;
mod links;
mod mapping;
mod mask;
mod matrix;
mod narrow;
mod orientations;
mod peak_frame;
mod region_search;
pub mod scale;
mod signed_axes;
pub mod statistics;
mod streamline_batch;
mod streamline_groups;
mod streamline_lengths;
mod streamline_subset;
mod surface;
mod tensor;
mod text;
pub mod threads;
mod tractogram;
mod traversal;
mod volume;
mod voxel_counts;

pub use affine::Affine;
pub use brain_models::{BrainElements, BrainModel, BrainModels};
pub use column::{Column, ColumnRows, Columns, Scalars};
pub use complex_array::ComplexArray;
pub use control::{Cancel, Control};
pub use error::{Error, ErrorKind, Result};
pub use five_tissues::{FiveTissue, FiveTissues, TissueMaps};
pub use gradients::{
    GradientTable, PROTON_GYROMAGNETIC_RATIO, PulseTiming, image_axes_to_scanner, scanner_to_image_axes,
};
pub use grid::Grid;
pub use icosphere::icosphere;
pub use image_shape::image_shape;
pub use labels::Labels;
pub use links::{is_file_or_link, is_present};
pub use mapping::Mapping;
pub use mask::Mask;
pub use matrix::{
    Axis, CollectedRows, ConnectivityMatrix, ElementKind, MatrixRowSink, Measure, SparsePattern, WholeRows,
};
pub use narrow::{Integer, checked, high_half, low_half, narrow, saturating};
pub use orientations::{NearestOrientation, Orientations};
pub use peak_frame::PeakFrame;
pub use region_search::{Ends, RegionSearch};
pub use signed_axes::SignedAxes;
pub use streamline_batch::{SeedOf, StreamlineBatch, StreamlineSink, StreamlineSource};
pub use streamline_groups::{KeptStreamlines, StreamlineGroups};
pub use streamline_lengths::StreamlineLengths;
pub use streamline_subset::StreamlineSubset;
pub use surface::{
    Closedness, Contact, Crossing, FixedTriangle, MeshSpace, NamedLabel, Structure, Surface, SurfaceGeometry,
    SurfaceLabels, SurfaceMap, VolumeGeometry, fixed_point,
};
pub use tensor::DiffusionTensor;
pub use text::{cell, closest, disturbs_terminal, from_cell, name_parameters, printable, printable_lines};
pub use tractogram::{FARTHEST_MM, Tractogram, length, longest_of, problem_of_point, shortest_of};
pub use volume::Volume;
pub use voxel_counts::{NotComputed, VoxelCounts, require_signal};

/// A point in RAS millimetres, as stored in tractograms.
pub type Point = [f32; 3];
