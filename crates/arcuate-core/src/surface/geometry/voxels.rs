use super::exact::fixed_point;
use super::queries::SurfaceGeometry;
use crate::Grid;

impl SurfaceGeometry {
    /// Finds the voxels whose centre is inside a closed mesh. The search goes along each row of voxels from
    /// voxel centre to voxel centre. The number of crossings between two centres decides whether the second
    /// centre is on the other side of the mesh.
    pub fn voxels_inside(&self, grid: &Grid) -> Vec<bool> {
        let [nx, ny, nz] = grid.shape();
        let mut inside = vec![false; grid.len()];
        let centre = |i: usize, j: usize, k: usize| grid.affine().apply([i as f64, j as f64, k as f64]);
        for k in 0..nz {
            for j in 0..ny {
                let mut here = centre(0, j, k);
                let mut is_inside = self.is_inside(here);
                for i in 0..nx {
                    if i > 0 {
                        let next = centre(i, j, k);
                        is_inside ^= self.parity(fixed_point(here), fixed_point(next));
                        here = next;
                    }
                    inside[grid.index([i, j, k])] = is_inside;
                }
            }
        }
        inside
    }
}
