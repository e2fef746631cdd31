//! Data types: images, gradient tables, streamlines, matrices, surfaces, and errors.
//!
//! Points are in RAS mm, and directions are in scanner axes. In images, x varies fastest, and the values of a voxel are
//! next to each other.
//!
//! ```
//! use arcuate::core::{Affine, ErrorKind, Grid, Mask, Volume};
//!
//! let grid = Grid::new([2, 2, 1], Affine::scaling([2.0; 3], [0.0; 3]))?;
//! let image = Volume::new(grid, 1, vec![0f32, 10.0, 20.0, 30.0])?;
//! let mask = Mask::new(grid, image.values().iter().map(|&value| value > 5.0).collect())?;
//! assert_eq!(mask.count(), 3);
//!
//! // The number of values must match the grid.
//! let error = Volume::new(grid, 1, vec![0f32; 3]).unwrap_err();
//! assert_eq!(error.kind(), ErrorKind::Invalid);
//! # Ok::<(), arcuate::core::Error>(())
//! ```

#[doc(inline)]
pub use arcuate_core::{
    Affine, Axis, BrainElements, BrainModel, BrainModels, Cancel, Column, ColumnRows, Columns, ComplexArray,
    ConnectivityMatrix, Control, DiffusionTensor, ElementKind, Error, ErrorKind, FiveTissue, FiveTissues,
    GradientTable, Grid, Labels, Mapping, Mask, Measure, MeshSpace, NamedLabel, NotComputed, Orientations,
    PeakFrame, Point, PulseTiming, Result, Scalars, SeedOf, SignedAxes, StreamlineBatch, StreamlineGroups,
    StreamlineLengths, StreamlineSink, StreamlineSource, Structure, Surface, SurfaceLabels, SurfaceMap,
    TissueMaps, Tractogram, Volume, VolumeGeometry, VoxelCounts, image_axes_to_scanner,
    scanner_to_image_axes,
};
#[doc(inline)]
pub use arcuate_numbers::Eigensystem;
