/// The size of a COMMIT problem.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Size {
    pub(crate) voxels: usize,
    pub(crate) streamlines: usize,
    pub(crate) segments: usize,
    pub(crate) axes: usize,
}

impl Size {
    /// The size of the published problem.
    pub(crate) const THESIS: Self =
        Self { voxels: 64_309, streamlines: 399_758, segments: 47_082_501, axes: 188_151 };
}
