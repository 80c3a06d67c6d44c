//! CPU stand-in for the DSL crate: the names that a kernel and its host file
//! use, over the tile operations of `cutile-ir`. Only what the kernels of this
//! repository need is here, and nothing of it checks what the real JIT checks.

pub mod core;
pub mod tile_kernel;

pub use cuda_async::device_buffer::DevicePointer;
pub use cutile_compiler as compiler;
pub use cutile_ir::half;
pub use cutile_macro::module;

/// Constants of a shape, as a value.
#[macro_export]
macro_rules! const_shape {
    [$($d:expr),* $(,)?] => { $crate::core::Shape([$($d),*]) };
}
