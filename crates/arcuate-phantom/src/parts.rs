use nalgebra::Vector3;

/// What one bundle has of a voxel.
pub(crate) struct Part {
    pub(crate) bundle: usize,
    /// Its share of the voxel.
    pub(crate) fraction: f64,
    /// Sum of directions, each turned to the side of the sum before it, weighted by their shares of the voxel.
    direction: Vector3<f64>,
}

impl Part {
    /// The mean direction, as long as the fraction.
    pub(crate) fn peak(&self) -> [f32; 3] {
        let unit = self.direction.try_normalize(1e-12).unwrap_or_else(Vector3::zeros);
        (unit * f64::from(self.fraction as f32)).map(|c| c as f32).into()
    }
}

/// What the bundles have of a voxel, gathered point by point.
#[derive(Default)]
pub(crate) struct Parts(Vec<Part>);

impl Parts {
    /// A further share of the voxel for a bundle whose fibres run along a unit vector there.
    pub(crate) fn add(&mut self, bundle: usize, share: f64, along: Vector3<f64>) {
        match self.0.iter_mut().find(|part| part.bundle == bundle) {
            Some(part) => {
                part.fraction += share;
                part.direction += along * share.copysign(along.dot(&part.direction));
            }
            None => self.0.push(Part { bundle, fraction: share, direction: along * share }),
        }
    }

    /// All of them, the largest first; of equal ones the bundle of the lower number.
    pub(crate) fn largest_first(mut self) -> Vec<Part> {
        self.0.sort_by(|a, b| b.fraction.total_cmp(&a.fraction).then(a.bundle.cmp(&b.bundle)));
        self.0
    }
}
