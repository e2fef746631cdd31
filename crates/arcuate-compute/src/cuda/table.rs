//! Expands the tables of kernels that `cargo xtask kernels` writes.

/// Expands the table of the kernels of a `kernels.cu`, which `cargo xtask kernels` writes to `kernels.rs` in
/// the same folder. The module gets the static `IMAGES`, which is a [`KernelImages`](crate::cuda::KernelImages),
/// and the items of the table:
///
/// - `struct Plan { scale: f64, count: u32 }` becomes a structure with the same layout as in the kernels.
///   Padding is an error.
/// - `fn scale(count: value u32, values: in f32, sums: out f32);` becomes an unsafe function that launches the
///   kernel `scale`. The first parameters are a [`Stream`](crate::cuda::Stream) and a
///   [`Grid`](crate::cuda::Grid). A parameter with `in` takes memory that the kernel reads
///   ([`Input`](crate::cuda::Input)), and one with `out` memory that it writes ([`Output`](crate::cuda::Output)).
/// - `fn sum<T>(values: in T);` launches `sum_f32` or `sum_f64`.
/// - `fn rows<T>[2](values: in T);` launches a kernel such as `rows_f32_96_1`. The first parameter of the
///   function is the array of the two numbers in the name.
///
/// The caller of a function must ensure what [`Stream::launch`](crate::cuda::Stream::launch) requires, except
/// that the types are already correct. Above all, each buffer must be as long as the kernel assumes.
#[macro_export]
macro_rules! kernels {
    (@parameter $life:lifetime value $type:ty) => { $type };
    (@parameter $life:lifetime in $type:ty) => { impl ::core::convert::Into<$crate::cuda::Input<$life, $type>> };
    (@parameter $life:lifetime out $type:ty) => { impl ::core::convert::Into<$crate::cuda::Output<$life, $type>> };
    (@argument value $parameter:ident) => { $crate::cuda::Argument::plain(&$parameter) };
    (@argument $form:ident $parameter:ident) => { $crate::cuda::Argument::from($parameter.into()) };
    (@check $structure:ty, $($field:ty),*) => {
        ::core::assert!(
            ::core::mem::size_of::<$structure>() == 0 $(+ ::core::mem::size_of::<$field>())*,
            "the structure has padding; order its fields by size, largest first"
        )
    };
    (
        $(
            #[$layout:meta]
            struct $structure:ident $(<$of:ident>)? { $($field:ident: $field_type:ty),* }
        )*
        $(
            fn $kernel:ident $(<$precision:ident>)? $([$numbers:literal])? (
                $($parameter:ident: $form:ident $type:ty),*
            );
        )*
    ) => {
        pub(super) static IMAGES: $crate::cuda::KernelImages = $crate::kernel_images!("kernels");

        $(
            #[doc = ::core::concat!("`struct ", ::core::stringify!($structure), "` as the kernels have it.")]
            #[$layout]
            #[derive(Debug, Clone, Copy)]
            pub(super) struct $structure $(<$of>)? { $(pub(super) $field: $field_type),* }

            const _: () = {
                $(type $of = f32;)?
                $crate::kernels!(@check $structure $(<$of>)?, $($field_type),*)
            };
            const _: () = {
                $(type $of = f64;)?
                $crate::kernels!(@check $structure $(<$of>)?, $($field_type),*)
            };

            // SAFETY: all fields are numbers or arrays of numbers, for which zero is a valid value.
            #[allow(unsafe_code)]
            unsafe impl $(<$of: $crate::cuda::Precision>)? $crate::bytemuck::Zeroable for $structure $(<$of>)? {}

            // SAFETY: all fields are numbers or arrays of numbers, and the checks above exclude padding.
            #[allow(unsafe_code)]
            unsafe impl $(<$of: $crate::cuda::Precision>)? $crate::bytemuck::Pod for $structure $(<$of>)? {}
        )*

        $(
            #[doc = ::core::concat!("Launches `", ::core::stringify!($kernel), "`.")]
            #[allow(unsafe_code, clippy::extra_unused_lifetimes, clippy::too_many_arguments)]
            pub(super) unsafe fn $kernel<'a, $($precision: $crate::cuda::Precision)?>(
                $(numbers: [u32; $numbers],)?
                stream: &$crate::cuda::Stream,
                grid: $crate::cuda::Grid,
                $($parameter: $crate::kernels!(@parameter 'a $form $type)),*
            ) -> $crate::cuda::CudaResult<()> {
                let name = ::core::stringify!($kernel);
                $(let name = ::std::format!("{name}_{}", <$precision as $crate::cuda::Precision>::NAME);)?
                $(
                    let name = numbers[..$numbers]
                        .iter()
                        .fold(::std::string::String::from(name), |name, number| ::std::format!("{name}_{number}"));
                )?
                let kernel = IMAGES.kernel(stream.gpu(), &name[..])?;
                let arguments: &[$crate::cuda::Argument<'_>] = &[$($crate::kernels!(@argument $form $parameter)),*];
                // SAFETY: the kernel takes these types; the caller promises the rest.
                unsafe { stream.launch(&kernel, grid, arguments) }
            }
        )*
    };
}
