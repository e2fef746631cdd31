use crate::{Result, StreamlineBatch, StreamlineSink, length, statistics};

/// Lengths of streamlines in mm, measured along the line through their points.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StreamlineLengths(Vec<f32>);

impl StreamlineLengths {
    /// Adds the length of one streamline.
    pub fn push(&mut self, length_mm: f32) {
        self.0.push(length_mm);
    }

    /// The length of each streamline in mm, in the order in which the streamlines were added.
    pub fn values(&self) -> &[f32] {
        &self.0
    }

    /// The mean length in mm; 0 if there are no streamlines.
    pub fn mean(&self) -> f64 {
        self.0.iter().fold(0.0, |sum, &length| sum + f64::from(length)) / self.0.len().max(1) as f64
    }

    /// The median length in mm; 0 if there are no streamlines.
    pub fn median(&self) -> f64 {
        statistics::median(&mut self.0.clone()).unwrap_or(0.0)
    }
}

impl std::fmt::Display for StreamlineLengths {
    /// Prints the lengths as `41.8 mm on average (median 37.0)`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.1} mm on average (median {:.1})", self.mean(), self.median())
    }
}

impl StreamlineSink for StreamlineLengths {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        self.0.extend(batch.iter().map(|streamline| length(streamline) as f32));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tractogram;

    #[test]
    fn mean_and_median_lengths_agree_with_the_points() {
        let mut lengths = StreamlineLengths::default();
        assert_eq!(lengths.to_string(), "0.0 mm on average (median 0.0)");
        let mut bent = Tractogram::new();
        bent.push(&[[0.0; 3], [3.0, 0.0, 0.0], [3.0, 4.0, 0.0]]);
        bent.push(&[[1.0; 3]]);
        bent.push(&[[0.0; 3], [0.0, 0.0, 20.0]]);
        lengths.take(bent.as_batch()).unwrap();
        assert_eq!((lengths.values(), lengths.mean(), lengths.median()), (&[7.0, 0.0, 20.0][..], 9.0, 7.0));
        lengths.push(9.0);
        assert_eq!(lengths.to_string(), "9.0 mm on average (median 8.0)");
    }
}
