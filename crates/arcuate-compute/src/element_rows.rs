//! Rows of a connectivity matrix in GPU memory. A GPU that tracks streamlines can add each streamline to the
//! row of its seed, instead of returning the streamlines to the CPU. `elements.cuh` defines which matrix
//! elements a streamline passes.

use crate::cuda::{Buffer, BufferView};
use crate::surface_cells::{Fixed, ListedTriangle};
use bytemuck::{Pod, Zeroable};

/// A voxel grid whose voxels hold elements of the matrix, and the mapping from RAS mm to the grid. The memory
/// layout is that of `elements.cuh`.
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
    /// Offset of this displacement field in the array with the values of all displacement fields.
    pub warp_at: u32,
    /// Offset of this grid's voxels in the array with the voxels of all grids.
    pub voxels_at: u32,
    /// Offset of this grid's sets of elements in the array with the sets of all grids. If each voxel has a
    /// single element instead of a set, all bits are 1.
    pub lists_at: u32,
    /// Padding, always 0.
    pub unused: u32,
}

/// The grid of cells that list surface triangles, and the mapping from RAS mm to the grid. The memory layout
/// is that of `elements.cuh`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct ElementCells {
    /// Affine transform from RAS mm to the space of the surfaces, row by row.
    pub affine: [f32; 12],
    /// Affine transform from RAS mm to the voxels of the displacement field, row by row.
    pub warp_affine: [f32; 12],
    /// Number of voxels of the displacement field along each axis; 0 if there is no field.
    pub warp_shape: [i32; 3],
    /// Offset of this displacement field in the array with the values of all displacement fields.
    pub warp_at: u32,
    /// Lower corner of the first cell, as in [`SurfaceCells`](crate::surface_cells::SurfaceCells).
    pub least: Fixed,
    /// Number of cells along each axis.
    pub shape: [i32; 3],
    /// Edge length of a cell, given as the exponent of a power of two, in units of 2⁻²⁰ mm.
    pub edge: u32,
    /// Distance up to which a cell lists triangles, in units of 2⁻²⁰ mm.
    pub near: i32,
    /// Cells are divided into smaller cubes for bounding boxes. Edge length of such a cube, given as the
    /// exponent of a power of two, in units of 2⁻²⁰ mm.
    pub division: u32,
}

/// A triangle in units of 2⁻²⁰ mm, and the matrix elements of its corners. The memory layout is that of
/// `triangles.cuh`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct ElementTriangle {
    /// The three corners of the triangle.
    pub corners: [Fixed; 3],
    /// The index of the matrix element of each corner. All bits are 1 if the corner belongs to no element.
    pub elements: [u32; 3],
}

/// Parameters of the search for elements that are the same for all streamlines. The memory layout is that of
/// `elements.cuh`.
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
    /// Flag: 1 if the rows and the columns of the matrix are the same elements. Then a streamline is not
    /// counted at the element of its own seed. A triangle with this element at a corner is ignored for this
    /// streamline.
    pub is_square: u32,
    /// Padding, always 0.
    pub unused: u32,
}

/// Elements (voxels and surface vertices) that streamlines can pass, and the matrix rows in which the
/// streamlines are counted, all in GPU memory.
pub struct ElementRows<'a> {
    /// Parameters of the search for elements that are the same for all streamlines.
    pub meeting: Meeting,
    /// The voxel grids of elements.
    pub lattices: BufferView<'a, ElementGrid>,
    /// For each voxel, the index of its element or of its set of elements. The voxels of all grids follow one
    /// after the other.
    pub voxels: BufferView<'a, u32>,
    /// For each set of elements, the index in `listed` at which the set starts. One more number is the end of
    /// the last set.
    pub lists: BufferView<'a, u32>,
    /// The indices of the elements of all sets, one set after another.
    pub listed: BufferView<'a, u32>,
    /// The displacements of all displacement fields; each vector is padded to four numbers.
    pub warps: BufferView<'a, [f32; 4]>,
    /// The grid of cells that list triangles.
    pub cells: ElementCells,
    /// For each cell, the index in `list` at which the cell's triangles start. One more number is the end of
    /// the last cell's triangles.
    pub first: BufferView<'a, u32>,
    /// The triangles in or near each cell, one cell after another.
    pub list: BufferView<'a, ListedTriangle>,
    /// The triangles of all surfaces.
    pub triangles: BufferView<'a, ElementTriangle>,
    /// The matrix row of each seed; `None` if each seed is a row.
    pub rows_of_seeds: Option<BufferView<'a, u32>>,
    /// Number of streamlines from each matrix row that pass each element: for each row, one number per matrix
    /// column.
    pub counts: &'a mut Buffer<u32>,
    /// For each matrix row and column, the sum over streamlines of the number of steps from the seed to the
    /// element. If a streamline passes the element several times, the smallest number is used. `None` if
    /// steps are not requested.
    pub steps: Option<&'a mut Buffer<u64>>,
}

/// Determines how much memory a GPU needs to collect the elements that one streamline passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ElementNeeds {
    /// Maximum number of elements that one point of a streamline usually belongs to.
    pub at_point: usize,
    /// True if some elements are vertices of triangles.
    pub triangles: bool,
    /// True if the numbers of steps from seeds to elements are summed.
    pub steps: bool,
}
