//! Rows of a matrix in GPU memory. A GPU that tracks streamlines can count them in these rows instead of
//! returning them. `elements.cuh` defines what is counted.

use crate::cuda::{Buffer, BufferView};
use crate::surface_cells::{Fixed, ListedTriangle};
use bytemuck::{Pod, Zeroable};

/// A voxel grid of elements and the mapping from RAS mm to it, laid out as in `elements.cuh`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct ElementGrid {
    /// Affine transform from RAS mm to the voxels of this grid, row by row.
    pub affine: [f32; 12],
    /// Affine transform from RAS mm to the voxels of the displacement field, row by row.
    pub warp_affine: [f32; 12],
    /// Number of voxels of this grid along each axis.
    pub shape: [i32; 3],
    /// Number of voxels of the displacement field along each axis; 0 if there is no field.
    pub warp_shape: [i32; 3],
    /// Offset of the displacement field among the values of all fields.
    pub warp_at: u32,
    /// Offset of this grid's voxels among the voxels of all grids.
    pub voxels_at: u32,
    /// Offset of this grid's sets among the lists of all sets. All bits are 1 if voxels have single elements
    /// instead of sets.
    pub lists_at: u32,
    /// Padding, always 0.
    pub unused: u32,
}

/// The grid of cells that list triangles, and the mapping from RAS mm to it, laid out as in `elements.cuh`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct ElementCells {
    /// Affine transform from RAS mm to the space of the surfaces, row by row.
    pub affine: [f32; 12],
    /// Affine transform from RAS mm to the voxels of the displacement field, row by row.
    pub warp_affine: [f32; 12],
    /// Number of voxels of the displacement field along each axis; 0 if there is no field.
    pub warp_shape: [i32; 3],
    /// Offset of the displacement field among the values of all fields.
    pub warp_at: u32,
    /// Lower corner of the first cell, as in [`SurfaceCells`](crate::surface_cells::SurfaceCells).
    pub least: Fixed,
    /// Number of cells along each axis.
    pub shape: [i32; 3],
    /// Edge length of a cell, given as the exponent of a power of two, in units of 2⁻²⁰ mm.
    pub edge: u32,
    /// Distance up to which a cell lists triangles, in units of 2⁻²⁰ mm.
    pub near: i32,
    /// Edge length of a division of a cell, given as the exponent of a power of two, in units of 2⁻²⁰ mm.
    pub division: u32,
}

/// A triangle in units of 2⁻²⁰ mm and the elements of its corners, laid out as in `triangles.cuh`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct ElementTriangle {
    /// The three corners of the triangle.
    pub corners: [Fixed; 3],
    /// The element of each corner. All bits are 1 if the corner has no element.
    pub elements: [u32; 3],
}

/// Parameters that are the same for all streamlines, laid out as in `elements.cuh`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct Meeting {
    /// Number of streamlines per seed.
    pub each: u64,
    /// Index of the first matrix row that is counted.
    pub first_row: u64,
    /// Number of matrix rows that are counted.
    pub rows: u32,
    /// Number of elements, which are the matrix columns.
    pub columns: u32,
    /// Number of voxel grids that contain elements.
    pub lattices: u32,
    /// Flag: 0 if there are no triangles.
    pub triangles: u32,
    /// Flag: 1 if rows and columns are the same elements. Then a streamline does not count the element of its
    /// own seed. It also does not count the other elements of a triangle that has this element.
    pub is_square: u32,
    /// Padding, always 0.
    pub unused: u32,
}

/// Elements that streamlines can meet, and matrix rows that count them, in GPU memory.
pub struct ElementRows<'a> {
    /// Parameters that are the same for all streamlines.
    pub meeting: Meeting,
    /// The voxel grids of elements.
    pub lattices: BufferView<'a, ElementGrid>,
    /// The element or the set of elements of each voxel. The voxels of all grids follow one after the other.
    pub voxels: BufferView<'a, u32>,
    /// For each set, the start of its list in `listed`. One more number is the end of the last list.
    pub lists: BufferView<'a, u32>,
    /// The elements of all sets, list by list.
    pub listed: BufferView<'a, u32>,
    /// The displacements of all fields, padded to four numbers.
    pub warps: BufferView<'a, [f32; 4]>,
    /// The grid of cells that list triangles.
    pub cells: ElementCells,
    /// For each cell, the start of its list of triangles. One more number is the end of the last list.
    pub first: BufferView<'a, u32>,
    /// The triangles near each cell, list by list.
    pub list: BufferView<'a, ListedTriangle>,
    /// The triangles of all surfaces.
    pub triangles: BufferView<'a, ElementTriangle>,
    /// The matrix row of each seed; `None` if each seed is a row.
    pub rows_of_seeds: Option<BufferView<'a, u32>>,
    /// Number of streamlines that meet each element: for each row, one number per column.
    pub counts: &'a mut Buffer<u32>,
    /// For each entry of the rows, the smallest number of steps from the seed to the element on each
    /// streamline, summed over the streamlines. `None` if steps are not requested.
    pub steps: Option<&'a mut Buffer<u64>>,
}

/// Sizes that a GPU needs to store the elements that one streamline may meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ElementNeeds {
    /// Usual maximum number of elements at one point.
    pub at_point: usize,
    /// True if some elements are vertices of triangles.
    pub triangles: bool,
    /// True if the numbers of steps from the seed are summed.
    pub steps: bool,
}
