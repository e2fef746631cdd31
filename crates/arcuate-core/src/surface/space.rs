use crate::{Affine, Grid, Result};

/// The geometry of the volume that a FreeSurfer surface was made from. With this geometry, the coordinates of
/// the surface (FreeSurfer's surface RAS or tkRAS) are converted to scanner millimetres.
///
/// In tkRAS, the origin is the centre of the volume, voxel (n_x/2, n_y/2, n_z/2). The axes are defined as if
/// the volume was acquired in coronal slices, also if it was not. Voxel x is assumed to run to the left,
/// voxel y down, and voxel z to the front.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VolumeGeometry {
    /// Number of voxels of the volume along each axis.
    pub shape: [usize; 3],
    /// Edge lengths of a voxel of the volume in mm.
    pub voxel_sizes: [f64; 3],
    /// Unit vectors along the voxel axes x, y and z in scanner space (FreeSurfer's `xras`, `yras`, `zras`).
    pub axes: [[f64; 3]; 3],
    /// The centre of the volume in scanner mm (FreeSurfer's `cras`).
    pub centre: [f64; 3],
}

impl VolumeGeometry {
    /// Creates the geometry of a volume from the grid of an image.
    pub fn of_grid(grid: &Grid) -> Self {
        let shape = grid.shape();
        let centre = grid.affine().apply(shape.map(|n| n as f64 / 2.0));
        Self { shape, voxel_sizes: grid.voxel_sizes(), axes: grid.affine().axes(), centre }
    }

    /// Computes the transform from voxel coordinates of the volume to scanner mm.
    pub fn voxels_to_scanner(&self) -> Result<Affine> {
        let half = self.shape.map(|n| n as f64 / 2.0);
        let rows = std::array::from_fn(|r| {
            let linear: [f64; 3] = std::array::from_fn(|axis| self.axes[axis][r] * self.voxel_sizes[axis]);
            let middle: f64 = (0..3).map(|axis| linear[axis] * half[axis]).sum();
            [linear[0], linear[1], linear[2], self.centre[r] - middle]
        });
        let affine = Affine::from_rows(rows)?;
        affine.inverse().map(|_| affine)
    }

    /// Computes the transform from voxel coordinates of the volume to tkRAS (FreeSurfer's `vox2ras-tkr`).
    pub fn voxels_to_tkras(&self) -> Result<Affine> {
        let [dx, dy, dz] = self.voxel_sizes;
        let [hx, hy, hz] = std::array::from_fn(|axis| self.voxel_sizes[axis] * self.shape[axis] as f64 / 2.0);
        let affine = Affine::from_rows([[-dx, 0.0, 0.0, hx], [0.0, 0.0, dz, -hz], [0.0, -dy, 0.0, hy]])?;
        affine.inverse().map(|_| affine)
    }

    /// Computes the transform from tkRAS to scanner mm: vox2ras · vox2ras_tkr⁻¹. Some programs only add the
    /// centre `c_ras` of the volume. The result is the same only for conformed volumes, whose axes are those
    /// of tkRAS. Returns an error for an invalid geometry.
    pub fn tkras_to_scanner(&self) -> Result<Affine> {
        Ok(self.voxels_to_scanner()?.after(&self.voxels_to_tkras()?.inverse()?))
    }

    /// Computes the transform from scanner mm to tkRAS.
    pub fn scanner_to_tkras(&self) -> Result<Affine> {
        self.tkras_to_scanner()?.inverse()
    }
}

/// The coordinate space of a surface relative to a reference image, as in FSL's `probtrackx2 --meshspace`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MeshSpace {
    /// Coordinates are scanner mm of the reference image's affine, as in Caret and Workbench.
    Caret,
    /// Coordinates are mm from the centre of a conformed reference image, as in FreeSurfer.
    FreeSurfer,
    /// Coordinates are mm from the first voxel of the reference image, with x counted from the right, as
    /// FSL's FIRST writes them.
    First,
    /// Coordinates are voxels of the reference image, with x counted from the right.
    Voxels,
    /// Coordinates are FreeSurfer's surface coordinates (tkRAS) of the reference image, which need not be
    /// conformed. FSL's option `--meshspace` has no value for this space.
    Tkras,
}

impl MeshSpace {
    /// Finds the space by an option value: `caret`, `freesurfer`, `first`, `vox`, or `tkras`.
    pub fn of_word(word: &str) -> Option<Self> {
        match word {
            "caret" => Some(Self::Caret),
            "freesurfer" => Some(Self::FreeSurfer),
            "first" => Some(Self::First),
            "vox" => Some(Self::Voxels),
            "tkras" => Some(Self::Tkras),
            _ => None,
        }
    }

    /// Computes the transform from stored surface coordinates to scanner mm.
    ///
    /// FSL counts voxels from the right side of the subject. So x is reversed if the affine has a positive
    /// determinant.
    pub fn to_scanner(self, reference: &Grid) -> Result<Affine> {
        let [nx, ny, nz] = reference.shape();
        let [dx, dy, dz] = reference.voxel_sizes();
        let half = |n: usize| (n / 2) as f64;
        let to_voxels = match self {
            Self::Caret => return Ok(Affine::identity()),
            Self::Tkras => return VolumeGeometry::of_grid(reference).tkras_to_scanner(),
            Self::FreeSurfer => Affine::from_rows([
                [-1.0 / dx, 0.0, 0.0, half(nx)],
                [0.0, 0.0, -1.0 / dy, half(nz)],
                [0.0, 1.0 / dz, 0.0, half(ny)],
            ])?,
            Self::First => Affine::scaling([1.0 / dx, 1.0 / dy, 1.0 / dz], [0.0; 3]),
            Self::Voxels => Affine::identity(),
        };
        let is_neurological = reference.affine().determinant() > 0.0;
        let from_the_right = if is_neurological {
            Affine::scaling([-1.0, 1.0, 1.0], [nx as f64 - 1.0, 0.0, 0.0])
        } else {
            Affine::identity()
        };
        Ok(reference.affine().after(&from_the_right).after(&to_voxels))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: [f64; 3], b: [f64; 3]) -> bool {
        (0..3).all(|axis| (a[axis] - b[axis]).abs() < 1e-9)
    }

    #[test]
    fn conformed_volumes_add_the_centre_and_others_rotate() {
        let conformed = VolumeGeometry {
            shape: [256; 3],
            voxel_sizes: [1.0; 3],
            axes: [[-1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]],
            centre: [1.5, -20.0, 7.0],
        };
        assert!(close(conformed.tkras_to_scanner().unwrap().apply([10.0, 20.0, 30.0]), [11.5, 0.0, 37.0]));
        // In this axial volume, the voxel axes run to the right (x), to the front (y) and up (z). So tkRAS x
        // is −x, tkRAS y is z, and tkRAS z is −y of the volume.
        let axial = VolumeGeometry {
            shape: [100, 120, 60],
            voxel_sizes: [2.0, 2.0, 2.5],
            axes: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
            centre: [0.0, 5.0, 0.0],
        };
        let scanner = axial.tkras_to_scanner().unwrap();
        assert!(close(scanner.apply([10.0, 20.0, 30.0]), [-10.0, -25.0, 20.0]));
        assert!(close(axial.scanner_to_tkras().unwrap().apply([-10.0, -25.0, 20.0]), [10.0, 20.0, 30.0]));
    }

    #[test]
    fn volume_geometry_reproduces_the_affine() {
        let rows = [[-1.9, 0.3, 0.2, 90.0], [0.25, 1.8, -0.5, -120.0], [0.15, 0.45, 2.4, -60.0]];
        let affine = Affine::from_rows(rows).unwrap();
        let grid = Grid::new([7, 5, 4], affine).unwrap();
        let back = VolumeGeometry::of_grid(&grid).voxels_to_scanner().unwrap();
        assert!(back.distance(&affine, [7, 5, 4]) < 1e-10);
        let empty = VolumeGeometry { voxel_sizes: [0.0; 3], ..VolumeGeometry::of_grid(&grid) };
        assert!(empty.tkras_to_scanner().is_err());
    }

    #[test]
    fn fsl_mesh_spaces_count_from_the_right() {
        let grid = |sign: f64, origin: f64| {
            Grid::new([10, 12, 14], Affine::scaling([sign * 2.0, 2.0, 2.0], [origin, 0.0, 0.0])).unwrap()
        };
        let (radiological, neurological) = (grid(-2.0 / 2.0, 18.0), grid(1.0, 0.0));
        for (space, stored, scanner) in [
            (MeshSpace::Caret, [3.0, 4.0, 5.0], [3.0, 4.0, 5.0]),
            (MeshSpace::First, [4.0, 2.0, 6.0], [14.0, 2.0, 6.0]),
            (MeshSpace::Voxels, [2.0, 1.0, 3.0], [14.0, 2.0, 6.0]),
            // The expected voxel coordinates are (−4/2 + 5, −6/2 + 7, 2/2 + 6).
            (MeshSpace::FreeSurfer, [4.0, 2.0, 6.0], [12.0, 8.0, 14.0]),
        ] {
            for reference in [&radiological, &neurological] {
                let found = space.to_scanner(reference).unwrap().apply(stored);
                assert!(close(found, scanner), "{space:?} {found:?}");
            }
        }
        assert_eq!(MeshSpace::of_word("first"), Some(MeshSpace::First));
        assert_eq!(MeshSpace::of_word("mm"), None);
    }
}
