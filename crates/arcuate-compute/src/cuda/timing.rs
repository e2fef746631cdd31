//! Measures durations of launches with the GPU's clock.

use super::error::{CudaError, CudaResult};
use super::stream::{Event, Stream};

/// A time measurement that has been started in a stream.
#[derive(Debug)]
pub struct Clock(Event);

impl Clock {
    /// Starts a time measurement after the work that is already queued in the stream.
    pub fn start(stream: &Stream) -> CudaResult<Self> {
        let start_event = stream.gpu().timed_event()?;
        stream.record(&start_event)?;
        Ok(Self(start_event))
    }

    /// Waits until the work queued in the stream is done, and returns the seconds since the start.
    pub fn stop(self, stream: &Stream) -> CudaResult<f64> {
        let ended = stream.gpu().timed_event()?;
        stream.record(&ended)?;
        stream.synchronize()?;
        Ok(1e-3 * self.0.milliseconds_until(&ended)?)
    }
}

/// Durations in seconds of work that was repeated in a stream.
#[derive(Debug, Clone, PartialEq)]
pub struct LaunchTimes(Vec<f64>);

impl LaunchTimes {
    /// Creates the durations from at least one number of seconds.
    pub fn new(mut seconds: Vec<f64>) -> Self {
        seconds.sort_by(f64::total_cmp);
        Self(seconds)
    }

    /// The median duration in seconds; NaN if there is none.
    pub fn median(&self) -> f64 {
        arcuate_core::statistics::quantile_of_sorted(&self.0, 0.5).unwrap_or(f64::NAN)
    }

    /// The shortest duration in seconds; NaN if there is none.
    pub fn minimum(&self) -> f64 {
        self.0.first().copied().unwrap_or(f64::NAN)
    }
}

impl Stream {
    /// Measures, `repeats` times, the duration of the work that `work` queues in the stream. A first run,
    /// which loads kernels and fills caches, is not counted.
    pub fn time<E: From<CudaError>>(
        &self,
        repeats: usize,
        mut work: impl FnMut() -> Result<(), E>,
    ) -> Result<LaunchTimes, E> {
        let mut seconds = Vec::with_capacity(repeats);
        for n in 0..=repeats {
            let clock = Clock::start(self)?;
            work()?;
            let taken = clock.stop(self)?;
            seconds.extend((n > 0).then_some(taken));
        }
        Ok(LaunchTimes::new(seconds))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launch_times_have_a_median_and_a_minimum() {
        let odd = LaunchTimes::new(vec![3.0, 1.0, 2.0]);
        assert_eq!((odd.median(), odd.minimum()), (2.0, 1.0));
        let even = LaunchTimes::new(vec![4.0, 1.0, 3.0, 2.0]);
        assert_eq!((even.median(), even.minimum()), (2.5, 1.0));
        let none = LaunchTimes::new(Vec::new());
        assert!(none.median().is_nan() && none.minimum().is_nan());
    }
}
