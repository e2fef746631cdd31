//! Connectomes, track density and values along streamlines.
//!
//! ```
//! use arcuate::connect::{ConnectomeOptions, TrackDensity, connectome};
//! use arcuate::core::{Affine, Grid, Labels, Measure, StreamlineSource, Tractogram};
//! use std::collections::BTreeMap;
//!
//! // One streamline from voxel 0 to voxel 3 of a row of four voxels of 2 mm.
//! let grid = Grid::new([4, 1, 1], Affine::scaling([2.0; 3], [0.0; 3]))?;
//! let mut tracks = Tractogram::new();
//! tracks.push(&[[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [6.0, 0.0, 0.0]]);
//!
//! let labels = Labels::new(grid, vec![1, 0, 0, 2], BTreeMap::new())?;
//! let connectome = connectome(&tracks, &labels, None, &ConnectomeOptions::default())?;
//! assert_eq!(connectome.matrix.get(&Measure::Count, 0, 1), Some(1.0));
//!
//! let mut density = TrackDensity::new(grid);
//! tracks.stream(&mut density)?;
//! assert_eq!(density.into_volume()?.values(), [1.0; 4]);
//! # Ok::<(), arcuate::core::Error>(())
//! ```

#[doc(inline)]
pub use arcuate_connect::{
    Assignment, Assignments, ConnectomeOptions, Interpolation, LabelConnectome, PassedRegions,
    RegionConnectome, Sampler, Samples, Statistic, TrackContrast, TrackDensity, TrackMap, TrackMapOptions,
    connectome,
};
