use super::blur::Blur;

/// How streamlines become segments.
#[derive(Debug, Clone, PartialEq)]
pub struct SegmentOptions {
    /// Streamlines shorter than this (mm) get no segment.
    pub minimum_length: f64,
    /// Streamlines longer than this (mm) get no segment.
    pub maximum_length: f64,
    /// Segments not longer than this (mm) are left out. A streamline that touches a voxel's corner would otherwise
    /// make it a voxel of the problem.
    pub minimum_segment: f64,
    /// Shares each streamline's contribution among parallel copies of it.
    pub blur: Option<Blur>,
}

impl Default for SegmentOptions {
    /// Streamlines of any length, segments above 10⁻⁶ mm (less than single-precision coordinates tell), no blur.
    fn default() -> Self {
        Self { minimum_length: 0.0, maximum_length: f64::INFINITY, minimum_segment: 1e-6, blur: None }
    }
}
