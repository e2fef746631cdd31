//! Rows of a matrix in the memory of a GPU, for who follows streamlines there: these count where they are made instead of being handed
//! over. What counts is what `elements.cuh` says.

use crate::cuda::{Buffer, BufferView};
use crate::surface_cells::{Fixed, ListedTriangle};
use bytemuck::{Pod, Zeroable};

/// A lattice of elements and the way there: as in `elements.cuh`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct ElementLattice {
    /// From RAS mm to its voxels, by rows.
    pub affine: [f32; 12],
    /// From RAS mm to the voxels of a field of displacements.
    pub warp_affine: [f32; 12],
    /// Its voxels along each axis.
    pub shape: [i32; 3],
    /// Those of the field; 0 where there is none.
    pub warp_shape: [i32; 3],
    /// Where the field begins among all.
    pub warp_at: u32,
    /// Where its voxels begin among those of all lattices.
    pub voxels_at: u32,
    /// Where the lists of its sets begin among all, or all ones where a voxel has an element.
    pub lists_at: u32,
    /// 0.
    pub unused: u32,
}

/// Cells of triangles and the way there: as in `elements.cuh`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct ElementCells {
    /// From RAS mm to the surfaces' own, by rows.
    pub affine: [f32; 12],
    /// From RAS mm to the voxels of a field of displacements.
    pub warp_affine: [f32; 12],
    /// The field's voxels; 0 where there is none.
    pub warp_shape: [i32; 3],
    /// Where it begins among all.
    pub warp_at: u32,
    /// As [`SurfaceCells`](crate::surface_cells::SurfaceCells) has them.
    pub least: Fixed,
    /// Cells along each axis.
    pub shape: [i32; 3],
    /// Their edge, as a power of two of units.
    pub edge: u32,
    /// What is near, in units.
    pub near: i32,
    /// The edge of what a cell is divided into, as a power of two of units.
    pub division: u32,
}

/// A triangle in units of 2⁻²⁰ mm, and the elements that it stands for: as in `triangles.cuh`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct ElementTriangle {
    /// Its corners.
    pub corners: [Fixed; 3],
    /// All ones where a corner is none.
    pub elements: [u32; 3],
}

/// What all streamlines have in common: as in `elements.cuh`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct Meeting {
    /// Streamlines of a seed.
    pub each: u64,
    /// The first row that is counted.
    pub first_row: u64,
    /// How many rows are counted.
    pub rows: u32,
    /// Elements, which are columns.
    pub columns: u32,
    /// How many lattices there are.
    pub lattices: u32,
    /// 0 where there are no triangles.
    pub triangles: u32,
    /// Whether rows are columns: then a seed meets neither its own element nor others at a triangle that has it.
    pub is_square: u32,
    /// 0.
    pub unused: u32,
}

/// Elements and the rows that they are counted in, in the memory of a GPU.
pub struct ElementRows<'a> {
    /// What all streamlines have in common.
    pub meeting: Meeting,
    /// Lattices of elements.
    pub lattices: BufferView<'a, ElementLattice>,
    /// Of the voxels of all: their elements, or sets.
    pub voxels: BufferView<'a, u32>,
    /// Where the list of each set begins, and of one more.
    pub lists: BufferView<'a, u32>,
    /// Elements of the lists.
    pub listed: BufferView<'a, u32>,
    /// Displacements of all fields.
    pub warps: BufferView<'a, [f32; 4]>,
    /// Cells of the triangles.
    pub cells: ElementCells,
    /// Where the list of each cell begins, and of one more.
    pub first: BufferView<'a, u32>,
    /// Triangles near each cell.
    pub list: BufferView<'a, ListedTriangle>,
    /// The triangles.
    pub triangles: BufferView<'a, ElementTriangle>,
    /// The row of each seed; nothing where each is a row.
    pub rows_of_seeds: Option<BufferView<'a, u32>>,
    /// Streamlines: for each row all columns.
    pub counts: &'a mut Buffer<u32>,
    /// The least steps from the seed to each element, summed over streamlines, where these are asked for.
    pub steps: Option<&'a mut Buffer<u64>>,
}

/// How much one streamline may meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ElementNeeds {
    /// Elements at a point, as a rule at most.
    pub at_point: usize,
    /// Whether triangles are among them.
    pub triangles: bool,
    /// Whether steps are summed.
    pub steps: bool,
}
