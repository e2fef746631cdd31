//! Rows of a matrix in GPU memory. A GPU that tracks streamlines counts them there instead of returning them.
//! `elements.cuh` defines what is counted.

use crate::cuda::{Buffer, BufferView};
use crate::surface_cells::{Fixed, ListedTriangle};
use bytemuck::{Pod, Zeroable};

/// A grid of elements and the mapping to it, as in `elements.cuh`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct ElementGrid {
    /// Transform from RAS mm to its voxels, row by row.
    pub affine: [f32; 12],
    /// Transform from RAS mm to the voxels of a displacement field.
    pub warp_affine: [f32; 12],
    /// Its voxels along each axis.
    pub shape: [i32; 3],
    /// Voxels of the displacement field along each axis; 0 without a field.
    pub warp_shape: [i32; 3],
    /// Offset of the field among all fields.
    pub warp_at: u32,
    /// Offset of its voxels among those of all grids.
    pub voxels_at: u32,
    /// Offset of the lists of its sets among all lists; all ones if voxels have single elements instead of
    /// sets.
    pub lists_at: u32,
    /// Padding, 0.
    pub unused: u32,
}

/// Cells of triangles and the mapping to them, as in `elements.cuh`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct ElementCells {
    /// Transform from RAS mm to the surfaces' space, row by row.
    pub affine: [f32; 12],
    /// Transform from RAS mm to the voxels of a displacement field.
    pub warp_affine: [f32; 12],
    /// Voxels of the displacement field along each axis; 0 without a field.
    pub warp_shape: [i32; 3],
    /// Offset of the field among all fields.
    pub warp_at: u32,
    /// See [`SurfaceCells`](crate::surface_cells::SurfaceCells).
    pub least: Fixed,
    /// Cells along each axis.
    pub shape: [i32; 3],
    /// Edge length of a cell, as a power of two of units.
    pub edge: u32,
    /// Distance up to which triangles count as near, in units.
    pub near: i32,
    /// Edge length of a division of a cell, as a power of two of units.
    pub division: u32,
}

/// A triangle in units of 2⁻²⁰ mm and its elements, as in `triangles.cuh`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct ElementTriangle {
    /// Its corners.
    pub corners: [Fixed; 3],
    /// The element of each corner; all ones if there is none.
    pub elements: [u32; 3],
}

/// Parameters common to all streamlines, as in `elements.cuh`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct Meeting {
    /// Streamlines per seed.
    pub each: u64,
    /// The first counted row.
    pub first_row: u64,
    /// Number of counted rows.
    pub rows: u32,
    /// Number of elements, which are columns.
    pub columns: u32,
    /// Number of grids.
    pub lattices: u32,
    /// 0 if there are no triangles.
    pub triangles: u32,
    /// Whether rows and columns are the same elements. Then a seed's own element is not counted, nor are the
    /// other elements of a triangle that has it.
    pub is_square: u32,
    /// Padding, 0.
    pub unused: u32,
}

/// Elements and the rows that count them, in GPU memory.
pub struct ElementRows<'a> {
    /// Parameters common to all streamlines.
    pub meeting: Meeting,
    /// Grids of elements.
    pub lattices: BufferView<'a, ElementGrid>,
    /// The element or set of each voxel, for all grids.
    pub voxels: BufferView<'a, u32>,
    /// Start of the list of each set, and the end of the last one.
    pub lists: BufferView<'a, u32>,
    /// Elements of the lists.
    pub listed: BufferView<'a, u32>,
    /// Displacements of all fields.
    pub warps: BufferView<'a, [f32; 4]>,
    /// Cells of the triangles.
    pub cells: ElementCells,
    /// Start of the list of each cell, and the end of the last one.
    pub first: BufferView<'a, u32>,
    /// Triangles near each cell.
    pub list: BufferView<'a, ListedTriangle>,
    /// The triangles.
    pub triangles: BufferView<'a, ElementTriangle>,
    /// The row of each seed; `None` if each is a row.
    pub rows_of_seeds: Option<BufferView<'a, u32>>,
    /// Number of streamlines: all columns for each row.
    pub counts: &'a mut Buffer<u32>,
    /// Minimum number of steps from the seed to each element, summed over streamlines, if requested.
    pub steps: Option<&'a mut Buffer<u64>>,
}

/// Requirements for the elements that one streamline may meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ElementNeeds {
    /// Usual maximum number of elements at a point.
    pub at_point: usize,
    /// Whether there are triangles.
    pub triangles: bool,
    /// Whether steps are summed.
    pub steps: bool,
}
