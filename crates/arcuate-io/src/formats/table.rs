//! The rows of the table of formats. A row states the kind of the content, the name of the format for users,
//! the endings of file names, and the first bytes. It also has the functions that read, describe and write
//! files. The page `docs/src/reference/file-formats.md` has the same rows.
//!
//! If several rows fit a name, the first row is used.

use super::format::{FileFormat, FileKind};
use crate::image_types::{ImageDescription, RequestedValues, StoredImage, Values, WriteOptions};
use crate::stored_gradients::StoredGradients;
use crate::surface::{
    SurfaceFile, SurfaceOutput, annot, ascii, freesurfer, gifti, names::is_freesurfer_name, vtk,
};
use crate::tractogram_types::{OpenTractogram, Space, TractogramOptions, TractogramOutput};
use crate::{
    AtomicFile, Element, camino_gradients, cfl, cifti, fsl_gradients, matrix, mgh, mif, mrtrix_gradients,
    nifti, npy, tck, trk, trx,
};
use arcuate_core::{
    Affine, ComplexArray, ConnectivityMatrix, GradientTable, Grid, Measure, Result, Structure,
};
use std::fmt;
use std::path::{Path, PathBuf};

/// Makes a row of a format that is read and written.
const fn row(kind: FileKind, name: &'static str, endings: &'static [&'static str]) -> FileFormat {
    FileFormat {
        kind,
        name,
        endings,
        other_endings: &[],
        is_read: true,
        is_written: true,
        stores_gradients: false,
        beginnings: &[],
        has_other_name: |_| false,
    }
}

/// Makes the rows of the image formats. Each row has the functions that read an image, describe its header
/// and write an image, in this order. A format without a function that writes can only be read.
macro_rules! image_formats {
    (@row $row:expr) => { FileFormat { is_written: false, ..$row } };
    (@row $row:expr, $write:path) => { $row };
    (@write $arguments:tt) => { None };
    (@write ($($argument:ident),*), $write:path) => { Some($write($($argument),*)) };
    ($($(#[$documentation:meta])* $id:ident: $row:expr => $read:path, $describe:path $(, $write:path)?;)*) => {
        /// An image format.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum ImageFormat {
            $($(#[$documentation])* $id,)*
        }

        /// The image formats.
        pub(crate) static IMAGES: &[(FileFormat, ImageFormat)] =
            &[$((image_formats!(@row $row $(, $write)?), ImageFormat::$id)),*];

        impl ImageFormat {
            /// Reads an image and converts its values to the number type `T`.
            pub(crate) fn read<T: Element>(
                self,
                path: &Path,
                requested: RequestedValues,
            ) -> Result<StoredImage<T>> {
                match self {
                    $(Self::$id => $read(path, requested),)*
                }
            }

            /// Reads the header of an image.
            pub(crate) fn describe(self, path: &Path) -> Result<ImageDescription> {
                match self {
                    $(Self::$id => $describe(path),)*
                }
            }

            /// Writes an image under a temporary name. Returns `None` if the format can only be read.
            pub(crate) fn write<T: Element>(
                self,
                path: &Path,
                image: &impl Values<T>,
                options: &WriteOptions,
            ) -> Option<Result<AtomicFile>> {
                match self {
                    $(Self::$id => image_formats!(@write (path, image, options) $(, $write)?),)*
                }
            }
        }
    };
}

image_formats! {
    /// NIfTI in one file.
    Nifti: FileFormat { beginnings: &nifti::BEGINNINGS, ..row(FileKind::Image, "NIfTI", &nifti::ENDINGS) }
        => nifti::read, nifti::describe, nifti::write;
    /// NIfTI in a pair of files.
    NiftiPair: FileFormat {
        other_endings: nifti::PAIR_ENDINGS.split_at(1).1,
        ..row(FileKind::Image, "NIfTI in two files", nifti::PAIR_ENDINGS.split_at(1).0)
    } => nifti::read, nifti::describe;
    /// MRtrix's format.
    Mif: FileFormat {
        stores_gradients: true,
        beginnings: &[(0, b"mrtrix image")],
        ..row(FileKind::Image, "MRtrix image", &mif::ENDINGS)
    } => mif::read, mif::describe, mif::write;
    /// An MRtrix header whose image data are in another file.
    MifHeader: FileFormat {
        stores_gradients: true,
        ..row(FileKind::Image, "MRtrix image in two files", &[".mih"])
    } => mif::read, mif::describe;
    /// FreeSurfer's format.
    Mgh: FileFormat {
        other_endings: &[".mgh", ".mgh.gz"],
        ..row(FileKind::Image, "FreeSurfer image", &[".mgz"])
    } => mgh::read, mgh::describe;
}

/// The format of a gradient table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GradientFormat {
    /// FSL's format with two files: the b-values in `.bval`, `.bvals` or `bvals`, and the directions in
    /// `.bvec`, `.bvecs` or `bvecs`.
    Fsl,
    /// Rows `x y z b`: `.b`, `.grad`, `.txt`.
    Mrtrix,
    /// Camino's `.scheme`.
    Scheme,
    /// Gradient strengths and timings: `.prtcl`.
    Protocol,
}

/// The functions of a gradient format.
pub(crate) struct GradientFunctions {
    pub(crate) format: GradientFormat,
    pub(crate) read: fn(&Path, &Affine, Option<usize>) -> Result<StoredGradients>,
    pub(crate) write: fn(&Path, &GradientTable, &Affine) -> Result<()>,
}

/// The formats of gradient tables.
pub(crate) static GRADIENTS: &[(FileFormat, GradientFunctions)] = &[
    (
        FileFormat {
            other_endings: &fsl_gradients::OTHER_ENDINGS,
            ..row(FileKind::Gradients, "FSL gradient table (b-values and directions)", &[".bvec"])
        },
        GradientFunctions {
            format: GradientFormat::Fsl,
            read: fsl_gradients::read_either,
            write: fsl_gradients::write_both,
        },
    ),
    (
        FileFormat {
            other_endings: &[".grad", ".txt"],
            ..row(FileKind::Gradients, "MRtrix gradient table", &[".b"])
        },
        GradientFunctions {
            format: GradientFormat::Mrtrix,
            read: mrtrix_gradients::read_any_text,
            write: |path, table, _| mrtrix_gradients::write(path, table),
        },
    ),
    (
        row(FileKind::Gradients, "Camino gradient table (.scheme)", &[".scheme"]),
        GradientFunctions {
            format: GradientFormat::Scheme,
            read: camino_gradients::read_scheme,
            write: camino_gradients::write_scheme,
        },
    ),
    (
        row(FileKind::Gradients, "gradient table with timings (.prtcl)", &[".prtcl"]),
        GradientFunctions {
            format: GradientFormat::Protocol,
            read: camino_gradients::read_protocol,
            write: camino_gradients::write_protocol,
        },
    ),
];

/// Reads an array of complex numbers.
type ReadArray = fn(&Path) -> Result<ComplexArray>;

/// The formats of arrays of complex numbers, with the functions that read them.
pub(crate) static ARRAYS: &[(FileFormat, ReadArray)] = &[
    (FileFormat { other_endings: &[".hdr"], ..row(FileKind::Array, "BART array", &[".cfl"]) }, cfl::read_cfl),
    (row(FileKind::Array, "NumPy array", &[".npy"]), npy::read_npy_complex),
];

/// The formats of transforms. Their first bytes select the format.
pub(super) static TRANSFORMS: &[FileFormat] = &[FileFormat {
    other_endings: &[".tfm"],
    is_written: false,
    ..row(FileKind::Transform, "transform of ITK, ANTs or FSL's FLIRT", &[".h5", ".mat", ".txt"])
}];

/// A file format for tractograms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TractogramFormat {
    /// MRtrix tracks, `.tck` and compressed `.tck.gz`. The format stores only positions.
    Tck,
    /// TrackVis tracks, `.trk` and compressed `.trk.gz`. The format stores positions, and up to ten named
    /// values at each point and for each streamline.
    Trk,
    /// Tractography exchange, `.trx`, which is a zip archive or a folder. The format stores positions, and
    /// any number of values of points, streamlines and groups of streamlines.
    Trx,
}

impl fmt::Display for TractogramFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rows = TRACTOGRAMS.iter().filter(|(_, functions)| functions.format == *self);
        rows.try_for_each(|(row, _)| write!(f, "{} ({})", row.name, row.endings[0]))
    }
}

/// Opens a tractogram to read its streamlines.
type OpenFile = fn(&Path, Space<'_>) -> Result<Box<dyn OpenTractogram>>;
/// Creates a tractogram to which streamlines are written.
type CreateFile = fn(&Path, Option<&Grid>, &TractogramOptions) -> Result<Box<dyn TractogramOutput>>;

/// The functions of a tractogram format.
pub(crate) struct TractogramFunctions {
    pub(crate) format: TractogramFormat,
    pub(crate) open: OpenFile,
    pub(crate) create: CreateFile,
}

/// The tractogram formats.
pub(crate) static TRACTOGRAMS: &[(FileFormat, TractogramFunctions)] = &[
    (
        FileFormat {
            beginnings: &[(0, b"mrtrix tracks")],
            ..row(FileKind::Tractogram, "MRtrix tracks", &[".tck", ".tck.gz"])
        },
        TractogramFunctions { format: TractogramFormat::Tck, open: tck::open, create: tck::create },
    ),
    (
        FileFormat {
            beginnings: &[(0, b"TRACK")],
            ..row(FileKind::Tractogram, "TrackVis", &[".trk", ".trk.gz"])
        },
        TractogramFunctions { format: TractogramFormat::Trk, open: trk::open, create: trk::create },
    ),
    (
        FileFormat {
            beginnings: &[(0, b"PK\x03\x04")],
            ..row(FileKind::Tractogram, "tractography exchange", &[".trx"])
        },
        TractogramFunctions { format: TractogramFormat::Trx, open: trx::open, create: trx::create },
    ),
];

/// The functions of a surface format.
pub(crate) struct SurfaceFunctions {
    pub(crate) read: fn(&Path, &[u8], Option<Structure>) -> Result<SurfaceFile>,
    pub(crate) write: fn(&SurfaceOutput<'_>) -> Result<()>,
    /// True if files may be compressed as a whole.
    pub(crate) may_be_compressed: bool,
    /// True if the coordinates are those of an image volume, which is needed to write a mesh.
    pub(crate) needs_volume: bool,
}

const fn surface(
    read: fn(&Path, &[u8], Option<Structure>) -> Result<SurfaceFile>,
    write: fn(&SurfaceOutput<'_>) -> Result<()>,
) -> SurfaceFunctions {
    SurfaceFunctions { read, write, may_be_compressed: false, needs_volume: false }
}

/// The surface formats.
pub(crate) static SURFACES: &[(FileFormat, SurfaceFunctions)] = &[
    (
        row(FileKind::Surface, "GIFTI", gifti::ENDINGS.split_at(1).0),
        SurfaceFunctions { may_be_compressed: true, ..surface(gifti::read, gifti::write_output) },
    ),
    (
        FileFormat {
            other_endings: gifti::ENDINGS.split_at(1).1,
            is_written: false,
            ..row(FileKind::Surface, "GIFTI, compressed", &[])
        },
        SurfaceFunctions { may_be_compressed: true, ..surface(gifti::read, gifti::refuse_compression) },
    ),
    (
        row(FileKind::Surface, "FreeSurfer parcellation", &[".annot"]),
        surface(annot::read, annot::write_output),
    ),
    (
        row(FileKind::Surface, "surface as text", &[".asc", ".srf"]),
        surface(ascii::read_text, ascii::write_output),
    ),
    (
        FileFormat { is_written: false, ..row(FileKind::Surface, "VTK", &[".vtk"]) },
        surface(vtk::read, |output| Err(output.refuse("VTK is only read"))),
    ),
    (
        FileFormat {
            has_other_name: is_freesurfer_name,
            ..row(FileKind::Surface, "FreeSurfer surface and values", &[])
        },
        SurfaceFunctions { needs_volume: true, ..surface(freesurfer::read, freesurfer::write_output) },
    ),
];

/// The functions of a format of connectivity matrices.
pub(crate) struct MatrixFunctions {
    pub(crate) read: fn(&Path) -> Result<ConnectivityMatrix>,
    /// Returns the files that `write` writes.
    pub(crate) files: fn(&Path, &ConnectivityMatrix) -> Result<Vec<PathBuf>>,
    /// Returns the files in the same folder that `read` reads if they exist.
    pub(crate) companions: fn(&Path) -> Vec<PathBuf>,
    /// Writes one measure. The last argument is a CIFTI-2 file with the vertices and voxels of the rows and
    /// columns.
    pub(crate) write: fn(&Path, &ConnectivityMatrix, &Measure, Option<&Path>) -> Result<()>,
}

const CIFTI_MATRIX: MatrixFunctions = MatrixFunctions {
    read: matrix::cifti::read,
    files: |path, _| Ok(vec![path.to_owned()]),
    companions: |_| Vec::new(),
    write: matrix::cifti::write,
};

/// The formats of CIFTI-2 files.
pub(crate) static CIFTI: &[(FileFormat, MatrixFunctions)] = &[
    (row(FileKind::Cifti, "CIFTI-2", &cifti::WRITTEN_ENDINGS), CIFTI_MATRIX),
    (
        FileFormat {
            other_endings: &cifti::OTHER_ENDINGS,
            is_written: false,
            ..row(FileKind::Cifti, "CIFTI-2, other types", &[])
        },
        CIFTI_MATRIX,
    ),
];

/// The formats of connectivity matrices, except CIFTI-2.
pub(crate) static MATRICES: &[(FileFormat, MatrixFunctions)] = &[
    (
        row(FileKind::Matrix, "SciPy sparse matrix", &[".npz"]),
        MatrixFunctions {
            read: matrix::sparse_read::read_with_tables,
            files: matrix::sparse::measure_files,
            companions: matrix::sparse_read::tables,
            write: |path, matrix, measure, _| matrix::sparse::write_measure_npz(path, matrix, measure),
        },
    ),
    (
        row(FileKind::Matrix, "FSL sparse matrix as text", &[".dot"]),
        MatrixFunctions {
            read: matrix::dot::read,
            files: |path, matrix| Ok(matrix::dot_files(path, matrix)),
            companions: matrix::dot::companions,
            write: |path, matrix, measure, _| matrix::write_dot(path, matrix, measure),
        },
    ),
    (
        FileFormat {
            other_endings: &["_2.mtx", "_3.mtx"],
            ..row(FileKind::Matrix, "FSL sparse matrix in three files", &["_1.mtx"])
        },
        MatrixFunctions {
            read: matrix::read_oxford_sparse,
            files: |path, _| Ok(matrix::oxford_sparse_files(path).into_iter().flatten().collect()),
            companions: matrix::oxford_sparse::companions,
            write: |path, matrix, _, _| matrix::write_oxford_sparse(path, matrix),
        },
    ),
];

/// Formats of tables, texts and reports.
pub(super) static TEXTS: &[FileFormat] = &[
    row(FileKind::Text, "table, separated by commas", &[".csv"]),
    row(FileKind::Text, "table, separated by tabs", &[".tsv"]),
    row(FileKind::Text, "numbers as text", &[".txt"]),
    row(FileKind::Text, "record or sidecar", &[".json"]),
    FileFormat { is_written: false, ..row(FileKind::Text, "model or protocol", &[".toml"]) },
    FileFormat { is_read: false, ..row(FileKind::Text, "report", &[".html"]) },
];

/// File name endings of other programs, and shorter forms of the endings above. They belong to files, so the
/// name of a folder must not have them.
pub(super) const FOREIGN_ENDINGS: [&str; 30] = [
    ".vtp", ".vtu", ".ply", ".stl", ".obj", ".fbr", ".fib", ".fib.gz", ".fz", ".tt", ".tt.gz", ".tsf",
    ".dpy", ".png", ".jpg", ".jpeg", ".tif", ".tiff", ".svg", ".pdf", ".hdf5", ".nrrd", ".nhdr", ".mnc",
    ".dcm", ".zip", ".tar", ".pkl", ".ra", ".mtx",
];
