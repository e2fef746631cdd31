use super::axis::CiftiAxis;
use super::{document, header};
use crate::image_errors::too_large;
use crate::memory::reserve;
use crate::plain_file::PlainFile;
use crate::xml::damaged;
use arcuate_core::{Error, NamedLabel, Result, Structure, SurfaceLabels, SurfaceMap, saturating};
use std::collections::BTreeMap;
use std::path::Path;

/// An open CIFTI-2 file whose matrix is read row by row.
#[derive(Debug)]
pub struct CiftiFile {
    file: PlainFile,
    header: header::Header,
    rows: CiftiAxis,
    columns: CiftiAxis,
}

impl CiftiFile {
    /// Opens a CIFTI-2 file and reads what its rows and columns are, but reads no values of the matrix.
    pub fn open(path: &Path) -> Result<Self> {
        let file = PlainFile::open(path)?;
        let header = header::read(&file)?;
        let [rows, columns] = document::axes(path, &header.text)?;
        for (axis, size, what) in [(&rows, header.shape[0], "rows"), (&columns, header.shape[1], "columns")] {
            if axis.len() != size {
                let problem = format!("it has {size} {what}, but describes {}", axis.len());
                return Err(damaged(path, problem));
            }
        }
        Ok(Self { file, header, rows, columns })
    }

    /// The meaning of the rows of the matrix.
    pub fn rows(&self) -> &CiftiAxis {
        &self.rows
    }

    /// The meaning of the columns of the matrix.
    pub fn columns(&self) -> &CiftiAxis {
        &self.columns
    }

    /// The number type in which the file stores its values, for messages to the user.
    pub fn value_type(&self) -> &'static str {
        self.header.value_type.word()
    }

    /// Returns true if the file stores its values in big-endian byte order.
    pub fn is_big_endian(&self) -> bool {
        self.header.big_endian
    }

    /// Reads a row of the matrix into `values`, whose length must be the number of columns.
    ///
    /// # Panics
    /// Panics if `row` is not below the number of rows, or if the length of `values` is not the number of
    /// columns.
    pub fn read_row(&self, row: usize, values: &mut [f64]) -> Result<()> {
        let header::Header { big_endian, value_type, shape: [rows, columns], offset, scaling, .. } =
            self.header;
        assert!(row < rows && values.len() == columns, "row {row} of {rows}, {} of {columns}", values.len());
        let size = columns * value_type.size();
        let bytes = self.file.bytes(offset + (row * size) as u64, size)?;
        value_type.decode(&bytes, big_endian, values);
        if scaling != (1.0, 0.0) {
            for value in values {
                *value = *value * scaling.0 + scaling.1;
            }
        }
        Ok(())
    }

    /// Reads the maps or the parcellations of the file for the vertices of one brain structure's surface.
    /// Vertices for which the file has no value get 0 in a map, and [`SurfaceLabels::NONE`] in a
    /// parcellation. Returns an error if the file contains neither maps nor parcellations.
    pub fn on_surface(&self, structure: Structure) -> Result<(Vec<SurfaceMap>, Vec<SurfaceLabels>)> {
        let path = self.file.path();
        let CiftiAxis::BrainModels(models) = &self.rows else {
            let problem = "its rows are not vertices";
            return Err(Error::invalid(
                path.display(),
                problem,
                "give a CIFTI-2 file with maps (.dscalar.nii) or labels (.dlabel.nii) of a surface",
            ));
        };
        let (names, tables): (Vec<&str>, Vec<&BTreeMap<i32, NamedLabel>>) = match &self.columns {
            CiftiAxis::Scalars(names) => (names.iter().map(String::as_str).collect(), Vec::new()),
            CiftiAxis::Labels(maps) => maps.iter().map(|map| (map.name.as_str(), &map.table)).unzip(),
            _ => {
                let problem = "its columns are neither maps nor parcellations";
                return Err(Error::invalid(
                    path.display(),
                    problem,
                    "give a CIFTI-2 file with maps (.dscalar.nii) or labels (.dlabel.nii) of a surface",
                ));
            }
        };
        let Some((offset, surface, numbers)) = models.vertices_of(structure) else {
            let problem = format!("the CIFTI-2 file has no vertices of {structure}");
            return Err(Error::invalid(
                path.display(),
                problem,
                "choose a brain structure that the file has",
            ));
        };
        let columns = self.columns.len();
        let mut row = vec![0.0; columns];
        let without = if tables.is_empty() { 0.0 } else { f64::from(SurfaceLabels::NONE) };
        let mut values: Vec<Vec<f64>> = vec![Vec::new(); columns];
        for map in &mut values {
            // The header of a damaged file may state any number of vertices, so the allocation can fail.
            reserve(map, surface).map_err(|_| too_large(path, surface.saturating_mul(columns * 8)))?;
            map.resize(surface, without);
        }
        for (n, &vertex) in numbers.iter().enumerate() {
            self.read_row(offset + n, &mut row)?;
            for (map, value) in values.iter_mut().zip(&row) {
                map[vertex as usize] = *value;
            }
        }
        let named = names.into_iter().map(str::to_owned).zip(values);
        if tables.is_empty() {
            let map = |(name, values): (String, Vec<f64>)| SurfaceMap {
                name,
                values: values.into_iter().map(|value| value as f32).collect(),
            };
            return Ok((named.map(map).collect(), Vec::new()));
        }
        let label = |value: f64| {
            let whole = value.fract() == 0.0 && (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&value);
            whole
                .then_some(saturating::<i32>(value))
                .ok_or_else(|| damaged(path, format!("{value} is not a label number")))
        };
        let labels = named.zip(tables).map(|((name, values), table)| {
            let values = values.into_iter().map(label).collect::<Result<_>>()?;
            Ok(SurfaceLabels { name, values, table: table.clone() })
        });
        Ok((Vec::new(), labels.collect::<Result<_>>()?))
    }
}
