//! The entry `header.json` of a TRX file.

use crate::batches::damaged;
use arcuate_core::{Affine, Error, Grid, Result};
use serde_json::{Value, json};
use std::path::Path;

/// The content of `header.json`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Header {
    /// The voxel grid that the header fields `DIMENSIONS` and `VOXEL_TO_RASMM` describe. `None` if they do
    /// not describe an image.
    pub(crate) grid: Option<Grid>,
    /// Number of streamlines (`NB_STREAMLINES`).
    pub(crate) streamlines: u64,
    /// Number of points (`NB_VERTICES`).
    pub(crate) points: u64,
}

impl Header {
    pub(crate) fn parse(path: &Path, text: &[u8]) -> Result<Self> {
        let json: Value = serde_json::from_slice(text)
            .map_err(|e| damaged(path, format!("its header.json is not JSON ({e})")))?;
        let count = |key: &str| {
            let value =
                json.get(key).ok_or_else(|| damaged(path, format!("its header.json has no {key}")))?;
            // Some programs write numbers of streamlines or points with decimals, such as 5000.0.
            let whole = value.as_f64().filter(|v| v.fract() == 0.0 && (0.0..9e15).contains(v));
            value
                .as_u64()
                .or(whole.map(|v| v as u64))
                .ok_or_else(|| damaged(path, format!("its header.json gives {key} as {}", shortened(value))))
        };
        let header =
            Self { grid: None, streamlines: count("NB_STREAMLINES")?, points: count("NB_VERTICES")? };
        let grid = match (json.get("DIMENSIONS"), json.get("VOXEL_TO_RASMM")) {
            (Some(dimensions), Some(affine)) => grid(dimensions, affine),
            _ => None,
        };
        if grid.is_none() {
            tracing::warn!(
                "{}: the header.json describes no image, so only the positions of streamlines are read",
                path.display()
            );
        }
        Ok(Self { grid, ..header })
    }

    pub(crate) fn encode(path: &Path, grid: &Grid, streamlines: u64, points: u64) -> Result<Vec<u8>> {
        let [x, y, z] = grid.affine().rows();
        let header = json!({
            "DIMENSIONS": grid.shape(),
            "VOXEL_TO_RASMM": [x, y, z, [0.0, 0.0, 0.0, 1.0]],
            "NB_STREAMLINES": streamlines,
            "NB_VERTICES": points,
        });
        serde_json::to_vec_pretty(&header).map_err(|e| Error::write(path, e.into()))
    }
}

/// Returns an error if the TRX format cannot describe an image with this voxel grid.
pub(crate) fn check_grid(path: &Path, grid: &Grid) -> Result<()> {
    match grid.shape().iter().find(|&&n| n > usize::from(u16::MAX)) {
        None => Ok(()),
        Some(n) => {
            let problem = format!("an image of {n} voxels along one axis does not fit the .trx header");
            Err(Error::usage(path.display(), problem, "write .tck"))
        }
    }
}

fn grid(dimensions: &Value, affine: &Value) -> Option<Grid> {
    let mut shape = [0; 3];
    let dimensions = dimensions.as_array().filter(|list| list.len() == 3)?;
    for (n, value) in shape.iter_mut().zip(dimensions) {
        *n = value.as_f64().filter(|v| v.fract() == 0.0 && (1.0..65536.0).contains(v))? as usize;
    }
    // The affine is stored as four lists of four numbers. As in trx-python, one list of sixteen numbers is
    // also accepted.
    let mut flat = Vec::new();
    for row in affine.as_array()? {
        match row.as_array() {
            Some(row) => flat.extend(row.iter().map(Value::as_f64)),
            None => flat.push(row.as_f64()),
        }
    }
    let flat: Vec<f64> = flat.into_iter().collect::<Option<_>>()?;
    if flat.len() != 16 {
        return None;
    }
    let affine = Affine::from_rows(std::array::from_fn(|r| std::array::from_fn(|c| flat[4 * r + c]))).ok()?;
    Grid::new(shape, affine).ok()
}

fn shortened(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{} …", &text[..end]),
        None => text,
    }
}
