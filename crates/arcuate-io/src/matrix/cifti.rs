//! Reads and writes connectivity matrices in CIFTI-2 files.

use super::dense::values;
use super::names::measure_of;
use crate::cifti::{CiftiAxis, CiftiFile, CiftiWriter};
use crate::image_errors::too_large;
use crate::memory::tried;
use arcuate_core::{
    Axis, BrainElements, ConnectivityMatrix, ElementKind, Error, Measure, Result, SparsePattern, narrow,
};
use std::path::Path;

/// Returns the elements that the rows (or columns) of a CIFTI matrix represent. Returns `None` if they are
/// neither vertices and voxels nor parcels.
fn cifti_elements(axis: &CiftiAxis) -> Result<Option<Axis>> {
    let (kind, first, names): (_, _, Vec<String>) = match axis {
        CiftiAxis::BrainModels(models) => {
            let mut names = Vec::new();
            for model in models.models() {
                let structure = model.structure;
                match &model.elements {
                    BrainElements::Vertices { numbers, .. } => {
                        names.extend(numbers.iter().map(|vertex| format!("{structure} {vertex}")));
                    }
                    BrainElements::Voxels(voxels) => {
                        names.extend(voxels.iter().map(|[i, j, k]| format!("{structure} {i} {j} {k}")));
                    }
                }
            }
            (ElementKind::Element, 0, names)
        }
        CiftiAxis::Parcels { parcels, .. } => {
            (ElementKind::Region, 1, parcels.iter().map(|parcel| parcel.name.clone()).collect())
        }
        _ => return Ok(None),
    };
    let numbers = (first..first + names.len() as u64).collect();
    Axis::new(kind, numbers, names).map(Some)
}

/// Reads a matrix. Each vertex or voxel becomes an element whose name states the brain structure and the
/// vertex, or the voxel. Parcels become regions.
pub(crate) fn read(path: &Path) -> Result<ConnectivityMatrix> {
    let file = CiftiFile::open(path)?;
    let (Some(rows), Some(columns)) = (cifti_elements(file.rows())?, cifti_elements(file.columns())?) else {
        let problem = "its rows or columns are neither vertices and voxels nor parcels";
        return Err(Error::invalid(
            path.display(),
            problem,
            "give a CIFTI-2 connectivity matrix (.dconn.nii or .pconn.nii)",
        ));
    };
    let mut pattern = SparsePattern { offsets: vec![0], columns: Vec::new() };
    let mut values: Vec<f64> = Vec::new();
    let mut row = vec![0.0; columns.len()];
    for n in 0..rows.len() {
        file.read_row(n, &mut row)?;
        for (column, value) in row.iter().enumerate().filter(|(_, value)| **value != 0.0) {
            let room = tried(|| values.try_reserve(1).is_ok() && pattern.columns.try_reserve(1).is_ok());
            if !room {
                return Err(too_large(path, values.len().saturating_mul(24)));
            }
            pattern.columns.push(narrow::<u32>(column));
            values.push(*value);
        }
        pattern.offsets.push(values.len());
    }
    ConnectivityMatrix::sparse(rows, Some(columns), pattern, vec![(measure_of(path), values)])
        .map_err(|e| e.about(path.display()))
}

/// Writes one measure of a matrix whose rows and columns are the vertices and voxels of the CIFTI-2 file
/// `like`.
pub(crate) fn write(
    path: &Path,
    matrix: &ConnectivityMatrix,
    measure: &Measure,
    like: Option<&Path>,
) -> Result<()> {
    let like = like.ok_or_else(|| {
        let problem = "the vertices and voxels of its rows are not known";
        Error::usage(
            path.display(),
            problem,
            "as ‘reference’, give a CIFTI-2 file that has the vertices and voxels of the matrix rows",
        )
    })?;
    let file = CiftiFile::open(like)?;
    let ((CiftiAxis::BrainModels(axis), _) | (_, CiftiAxis::BrainModels(axis))) =
        (file.rows(), file.columns())
    else {
        let problem = "it has no vertices and voxels";
        return Err(Error::invalid(
            like.display(),
            problem,
            "give a CIFTI-2 file of vertices and voxels (.dscalar.nii or .dconn.nii)",
        ));
    };
    let [rows, columns] = matrix.shape();
    if rows != axis.len() || columns != axis.len() {
        let problem = format!(
            "the CIFTI-2 file has {} vertices and voxels, but the matrix has {rows} × {columns} entries",
            axis.len()
        );
        return Err(Error::invalid(
            like.display(),
            problem,
            "give a file with the vertices and voxels of \
                                                            the matrix",
        ));
    }
    let values = values(path, matrix, measure)?;
    let axis = CiftiAxis::BrainModels(axis.clone());
    let mut writer = CiftiWriter::create(path, &axis, &axis)?;
    let whole = matrix.whole_rows();
    let (mut row, mut rounded) = (vec![0.0; columns], vec![0.0; columns]);
    for n in 0..rows {
        whole.fill(n, values, &mut row);
        rounded.iter_mut().zip(&row).for_each(|(rounded, value)| *rounded = *value as f32);
        writer.write_row(&rounded)?;
    }
    writer.finish()
}
