//! Files: images, gradient tables, tractograms, matrices and surfaces. The ending of a file name selects the format.
//!
//! ```
//! use arcuate::core::{Affine, Grid, Tractogram, Volume};
//! use arcuate::io::{TractogramOptions, WriteOptions, read_tractogram, read_volume, write_image, write_tractogram};
//!
//! # let folder = tempfile::tempdir().expect("a temporary folder");
//! # let [image, tracts] = ["image.nii.gz", "tracts.tck"].map(|name| folder.path().join(name));
//! let grid = Grid::new([2, 2, 1], Affine::scaling([2.0; 3], [0.0; 3]))?;
//! let volume = Volume::new(grid, 1, vec![1f32, 2.0, 3.0, 4.0])?;
//! write_image(&image, &volume, &WriteOptions::default())?;
//! assert_eq!(read_volume(&image)?, volume);
//!
//! let mut tractogram = Tractogram::new();
//! tractogram.push(&[[0.0, 0.0, 0.0], [2.0, 0.0, 0.0]]);
//! write_tractogram(&tracts, &tractogram, Some(&grid), &TractogramOptions::default())?;
//! assert_eq!(read_tractogram(&tracts)?.tractogram, tractogram);
//! # Ok::<(), arcuate::core::Error>(())
//! ```

#[doc(inline)]
pub use arcuate_io::{
    BUnit, DataDescription, DataOf, DataType, DirectionLengths, Element, GradientReading, HeaderNotes, Image,
    ImageDescription, Intent, PositionType, Space, StoredGradients, TractogramDescription, TractogramFile,
    TractogramFormat, TractogramOptions, TractogramReader, TractogramSource, TractogramSummary,
    TractogramWriter, TrxLayout, WriteOptions, convert_tractogram, describe_image, describe_tractogram,
    fsl_gradients, read_gradients, read_image, read_label_names, read_labels, read_mask, read_matrix,
    read_tractogram, read_tractogram_in, read_volume, read_weights, stream_tractogram, stream_tractogram_in,
    write_gradients, write_image, write_matrix, write_matrix_csv, write_response, write_tractogram,
    write_weights,
};
