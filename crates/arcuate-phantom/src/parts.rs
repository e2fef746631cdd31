use nalgebra::Vector3;

/// The part of one bundle in a voxel.
pub(crate) struct Part {
    pub(crate) bundle: usize,
    /// Fraction of the voxel that the fibres of the bundle fill.
    pub(crate) fraction: f64,
    /// Sum of the bundle's directions in the voxel, weighted by the fractions of the voxel that have these
    /// directions. The sign of each direction is chosen so that it agrees with the sum so far.
    direction: Vector3<f64>,
}

impl Part {
    /// Returns a vector whose direction is the mean direction of the bundle in the voxel, and whose length is
    /// the bundle's fraction of the voxel.
    pub(crate) fn peak(&self) -> [f32; 3] {
        let unit = self.direction.try_normalize(1e-12).unwrap_or_else(Vector3::zeros);
        (unit * f64::from(self.fraction as f32)).map(|c| c as f32).into()
    }
}

/// The parts of all bundles in a voxel. They are added point by point.
#[derive(Default)]
pub(crate) struct Parts(Vec<Part>);

impl Parts {
    /// Adds a fraction `share` of the voxel in which the fibres of a bundle have the unit direction `along`.
    pub(crate) fn add(&mut self, bundle: usize, share: f64, along: Vector3<f64>) {
        match self.0.iter_mut().find(|part| part.bundle == bundle) {
            Some(part) => {
                part.fraction += share;
                part.direction += along * share.copysign(along.dot(&part.direction));
            }
            None => self.0.push(Part { bundle, fraction: share, direction: along * share }),
        }
    }

    /// Returns the parts of all bundles, with the largest fraction first. If fractions are equal, the bundle
    /// with the lower index is first.
    pub(crate) fn largest_first(mut self) -> Vec<Part> {
        self.0.sort_by(|a, b| b.fraction.total_cmp(&a.fraction).then(a.bundle.cmp(&b.bundle)));
        self.0
    }
}
