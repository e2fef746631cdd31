use std::fmt;

/// The number type in which an image file stores its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum DataType {
    /// One bit per voxel. The highest bit of a byte belongs to the first voxel (`.mif` only).
    Bit,
    UInt8,
    Int8,
    UInt16,
    Int16,
    UInt32,
    Int32,
    UInt64,
    Int64,
    /// Numbers in IEEE half precision (`.mif` only).
    Float16,
    Float32,
    Float64,
    /// Complex numbers, whose real and imaginary parts have 32 bits each.
    Complex64,
    /// Complex numbers, whose real and imaginary parts have 64 bits each.
    Complex128,
    /// Colours of three bytes: red, green and blue (NIfTI only).
    Rgb24,
    /// Colours of four bytes: red, green, blue and opacity (NIfTI only).
    Rgba32,
}

impl DataType {
    /// Number of components of a value of this type: 2 for complex numbers, 3 or 4 for colours, and 1 for
    /// other types.
    pub fn components(self) -> usize {
        match self {
            Self::Complex64 | Self::Complex128 => 2,
            Self::Rgb24 => 3,
            Self::Rgba32 => 4,
            _ => 1,
        }
    }

    /// The number type of one component of a value, such as the real part of a complex number.
    pub fn component(self) -> Self {
        match self {
            Self::Complex64 => Self::Float32,
            Self::Complex128 => Self::Float64,
            Self::Rgb24 | Self::Rgba32 => Self::UInt8,
            scalar => scalar,
        }
    }

    /// Number of bits of a value of this type, with all its components.
    pub fn bits(self) -> usize {
        match self {
            Self::Bit => 1,
            Self::UInt8 | Self::Int8 => 8,
            Self::UInt16 | Self::Int16 | Self::Float16 => 16,
            Self::Rgb24 => 24,
            Self::UInt32 | Self::Int32 | Self::Float32 | Self::Rgba32 => 32,
            Self::UInt64 | Self::Int64 | Self::Float64 | Self::Complex64 => 64,
            Self::Complex128 => 128,
        }
    }
}

impl fmt::Display for DataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bit => "1 bit",
            Self::UInt8 => "8-bit unsigned integer",
            Self::Int8 => "8-bit signed integer",
            Self::UInt16 => "16-bit unsigned integer",
            Self::Int16 => "16-bit signed integer",
            Self::UInt32 => "32-bit unsigned integer",
            Self::Int32 => "32-bit signed integer",
            Self::UInt64 => "64-bit unsigned integer",
            Self::Int64 => "64-bit signed integer",
            Self::Float16 => "16-bit floating point",
            Self::Float32 => "32-bit floating point",
            Self::Float64 => "64-bit floating point",
            Self::Complex64 => "complex, 2 × 32-bit floating point",
            Self::Complex128 => "complex, 2 × 64-bit floating point",
            Self::Rgb24 => "colour, 3 × 8 bits",
            Self::Rgba32 => "colour and opacity, 4 × 8 bits",
        })
    }
}

/// A number type of the program to which the values of images are converted, and from which they are written.
///
/// Conversions never change a value silently. A value is rounded to the nearest number of a floating-point
/// type. A value that an integer type cannot represent is rejected.
pub trait Element: bytemuck::Pod + Send + Sync + PartialEq + fmt::Debug + sealed::Sealed {
    /// The corresponding number type in image files.
    const DATA_TYPE: DataType;

    /// Converts a signed integer to this type. Returns `None` if this type cannot represent the integer.
    fn from_i64(value: i64) -> Option<Self>;
    /// Converts an unsigned integer to this type. Returns `None` if this type cannot represent the integer.
    fn from_u64(value: u64) -> Option<Self>;
    /// Converts a floating-point number to this type; it is rounded if the type is `f32`. Returns `None` if
    /// the type is an integer type that cannot represent the number.
    fn from_f64(value: f64) -> Option<Self>;
    /// Returns the number with its bytes in little-endian order in memory.
    fn to_little_endian(self) -> Self;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! integer_element {
    ($($number:ty => $name:ident),*) => {$(
        impl sealed::Sealed for $number {}
        impl Element for $number {
            const DATA_TYPE: DataType = DataType::$name;

            fn from_i64(value: i64) -> Option<Self> {
                value.try_into().ok()
            }

            fn from_u64(value: u64) -> Option<Self> {
                value.try_into().ok()
            }

            fn from_f64(value: f64) -> Option<Self> {
                // The bound is exclusive, because f64 represents 2⁶³ and 2⁶⁴ exactly, but not the largest
                // 64-bit integers.
                let above = <$number>::MAX as f64 + if size_of::<$number>() < 8 { 1.0 } else { 0.0 };
                let whole = value.fract() == 0.0 && value >= <$number>::MIN as f64 && value < above;
                whole.then_some(value as $number)
            }

            fn to_little_endian(self) -> Self {
                self.to_le()
            }
        }
    )*};
}
integer_element!(u8 => UInt8, i8 => Int8, u16 => UInt16, i16 => Int16, u32 => UInt32, i32 => Int32, u64 => UInt64,
    i64 => Int64);

macro_rules! real_element {
    ($($number:ty => $name:ident),*) => {$(
        impl sealed::Sealed for $number {}
        impl Element for $number {
            const DATA_TYPE: DataType = DataType::$name;

            fn from_i64(value: i64) -> Option<Self> {
                Some(value as $number)
            }

            fn from_u64(value: u64) -> Option<Self> {
                Some(value as $number)
            }

            fn from_f64(value: f64) -> Option<Self> {
                Some(value as $number)
            }

            fn to_little_endian(self) -> Self {
                Self::from_bits(self.to_bits().to_le())
            }
        }
    )*};
}
real_element!(f32 => Float32, f64 => Float64);

impl sealed::Sealed for [f32; 2] {}
/// A complex number as its real and imaginary part. A value of a real type becomes a complex number with the
/// imaginary part 0.
impl Element for [f32; 2] {
    const DATA_TYPE: DataType = DataType::Complex64;

    fn from_i64(value: i64) -> Option<Self> {
        Some([value as f32, 0.0])
    }

    fn from_u64(value: u64) -> Option<Self> {
        Some([value as f32, 0.0])
    }

    fn from_f64(value: f64) -> Option<Self> {
        Some([value as f32, 0.0])
    }

    fn to_little_endian(self) -> Self {
        self.map(Element::to_little_endian)
    }
}

/// A number type that image files store.
pub(crate) trait Stored: Copy + Send + Sync {
    const SIZE: usize;

    fn from_bytes<const BIG_ENDIAN: bool>(bytes: &[u8]) -> Self;
    fn into_element<T: Element>(self) -> Option<T>;
    fn into_f64(self) -> f64;
}

macro_rules! stored {
    ($($number:ty, $value:ident => $convert:expr, $real:expr;)*) => {$(
        impl Stored for $number {
            const SIZE: usize = size_of::<$number>();

            #[inline]
            fn from_bytes<const BIG_ENDIAN: bool>(bytes: &[u8]) -> Self {
                let mut array = [0; size_of::<$number>()];
                array.copy_from_slice(bytes);
                if BIG_ENDIAN { Self::from_be_bytes(array) } else { Self::from_le_bytes(array) }
            }

            #[inline]
            fn into_element<T: Element>(self) -> Option<T> {
                let $value = self;
                $convert
            }

            #[inline]
            fn into_f64(self) -> f64 {
                let $value = self;
                $real
            }
        }
    )*};
}
stored! {
    u8, v => T::from_i64(v.into()), v.into();
    i8, v => T::from_i64(v.into()), v.into();
    u16, v => T::from_i64(v.into()), v.into();
    i16, v => T::from_i64(v.into()), v.into();
    u32, v => T::from_i64(v.into()), v.into();
    i32, v => T::from_i64(v.into()), v.into();
    u64, v => T::from_u64(v), v as f64;
    i64, v => T::from_i64(v), v as f64;
    half::f16, v => T::from_f64(v.to_f64()), v.to_f64();
    f32, v => T::from_f64(v.into()), v.into();
    f64, v => T::from_f64(v), v;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_reject_values_they_cannot_represent() {
        assert_eq!(u8::from_f64(255.0), Some(255));
        assert_eq!(u8::from_f64(255.5), None);
        assert_eq!(u8::from_f64(256.0), None);
        assert_eq!(u8::from_i64(-1), None);
        assert_eq!(i8::from_f64(-128.0), Some(-128));
        assert_eq!(i8::from_f64(-129.0), None);
        assert_eq!(i64::from_f64(9_223_372_036_854_775_808.0), None);
        assert_eq!(i64::from_f64(-9_223_372_036_854_775_808.0), Some(i64::MIN));
        assert_eq!(u64::from_f64(18_446_744_073_709_551_616.0), None);
        assert_eq!(i64::from_u64(u64::MAX), None);
        assert_eq!(i32::from_f64(f64::NAN), None);
        assert_eq!(i32::from_f64(f64::INFINITY), None);
    }
}
