use super::blur::Blur;

/// Options of the conversion of streamlines to segments.
#[derive(Debug, Clone, PartialEq)]
pub struct SegmentOptions {
    /// Minimum length of a streamline in mm. Shorter streamlines are skipped.
    pub minimum_length: f64,
    /// Maximum length of a streamline in mm. Longer streamlines are skipped.
    pub maximum_length: f64,
    /// Segments up to this length (mm) are skipped. Without this limit, a streamline that touches the corner
    /// of a voxel would add this voxel to the problem.
    pub minimum_segment: f64,
    /// Options that distribute each streamline's contribution over parallel copies. `None` for no blur.
    pub blur: Option<Blur>,
}

impl Default for SegmentOptions {
    /// Returns options without length limits for streamlines and without blur. Segments must be longer than
    /// 10⁻⁶ mm, which is below the resolution of single-precision coordinates.
    fn default() -> Self {
        Self { minimum_length: 0.0, maximum_length: f64::INFINITY, minimum_segment: 1e-6, blur: None }
    }
}
