//! Conversions between number types that never change a value silently.

use crate::{Error, Result};
use arcuate_numbers::Real;
use std::fmt::Display;

/// A primitive integer type of at most 64 bits.
pub trait Integer: Copy + Display + TryFrom<i128> + sealed::Sealed {
    /// The name of the integer type.
    const NAME: &str;
    /// The largest value of the integer type.
    const LARGEST: Self;

    /// Returns the same value as a 128-bit integer.
    fn widened(self) -> i128;

    /// Converts a double-precision number like [`saturating`].
    fn of_double(value: f64) -> Self;
}

mod sealed {
    /// Prevents other crates from implementing [`Integer`](super::Integer) for further types.
    pub trait Sealed {}
}

macro_rules! integers {
    ($($integer:ident),*) => {$(
        impl sealed::Sealed for $integer {}

        impl Integer for $integer {
            const NAME: &str = stringify!($integer);
            const LARGEST: Self = Self::MAX;

            #[inline(always)]
            fn widened(self) -> i128 {
                self as i128
            }

            #[inline(always)]
            fn of_double(value: f64) -> Self {
                value as Self
            }
        }
    )*};
}
integers!(u8, u16, u32, u64, usize, i8, i16, i32, i64, isize);

/// Converts to another integer type: `narrow::<u32>(count)`. The code must ensure that the new type can hold
/// the value. Use [`checked`] for a value that depends on a file or an option.
///
/// # Panics
/// Panics if the new type cannot hold the value; the message states the value and the type.
#[inline(always)]
#[track_caller]
pub fn narrow<To: Integer>(value: impl Integer) -> To {
    match To::try_from(value.widened()) {
        Ok(narrowed) => narrowed,
        Err(_) => does_not_fit(value.widened(), To::NAME),
    }
}

#[cold]
#[track_caller]
#[expect(
    clippy::panic,
    reason = "`narrow` is for values that the code keeps within the range of the new type"
)]
fn does_not_fit(value: i128, name: &str) -> ! {
    panic!("{value} does not fit into {name}")
}

/// Converts a number that depends on the user's input to another integer type. `subject` is the subject of
/// the error: a file, or a parameter in ‘single quotes’. `what` states, in the plural, which objects are
/// counted, such as "voxels".
///
/// Returns an error if the new type cannot hold the number; the error states the largest valid number.
#[inline]
pub fn checked<To: Integer>(value: impl Integer, subject: impl Display, what: &str) -> Result<To> {
    To::try_from(value.widened()).map_err(|_| {
        let problem = format!("the file has {value} {what}, but at most {} are possible", To::LARGEST);
        Error::invalid(subject, problem, "use fewer")
    })
}

/// Rounds `value` towards 0 and converts it to an integer type. Values beyond the range of the type give its
/// smallest or largest value; NaN gives 0.
#[inline(always)]
pub fn saturating<To: Integer>(value: impl Real) -> To {
    // The conversion of single to double precision has no rounding error.
    To::of_double(value.double())
}

/// The lower 32 bits of a number.
#[inline(always)]
pub fn low_half(value: u64) -> u32 {
    value as u32
}

/// The upper 32 bits of a number.
#[inline(always)]
pub fn high_half(value: u64) -> u32 {
    (value >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_fit_stay_the_same() {
        assert_eq!(narrow::<u32>(usize::from(u16::MAX)), 65_535);
        assert_eq!(narrow::<u32>(4_294_967_295usize), u32::MAX);
        assert_eq!(narrow::<i8>(-128i64), i8::MIN);
        assert_eq!(narrow::<u64>(7i32), 7);
        assert_eq!(checked::<i16>(32_767usize, "f.nii", "voxels").unwrap(), i16::MAX);
    }

    #[test]
    #[should_panic(expected = "4294967296 does not fit into u32")]
    fn a_value_that_is_too_large_is_refused() {
        let _ = narrow::<u32>(1u64 << 32);
    }

    #[test]
    #[should_panic(expected = "-1 does not fit into u16")]
    fn a_negative_value_is_refused() {
        let _ = narrow::<u16>(-1i32);
    }

    #[test]
    fn user_values_beyond_the_limit_are_errors_with_the_limit() {
        let error = checked::<i16>(40_000usize, "out.trk", "properties").unwrap_err();
        assert_eq!(
            error.to_string(),
            "out.trk: the file has 40000 properties, but at most 32767 are possible; use fewer"
        );
    }

    #[test]
    fn numbers_are_split_into_high_and_low_halves() {
        let number = 0x0123_4567_89ab_cdef;
        assert_eq!((high_half(number), low_half(number)), (0x0123_4567, 0x89ab_cdef));
    }

    #[test]
    fn floats_saturate_and_nan_is_0() {
        assert_eq!([-3.0, 2.9, 255.5, 1e9].map(saturating::<u8>), [0, 2, 255, 255]);
        assert_eq!([f64::NEG_INFINITY, f64::NAN, 1e300].map(saturating::<i32>), [i32::MIN, 0, i32::MAX]);
        assert_eq!(saturating::<i8>(-1.5f32), -1);
    }
}
