// Shared marshalling of the host exports.

use core::mem::ManuallyDrop;
use cutile::prelude::*;

pub const MAX_DIMS: usize = 5;

#[repr(C)]
pub struct TensorDesc {
    pub ptr: u64,
    pub ndim: i32,
    pub shape: [i64; MAX_DIMS],
    pub strides: [i64; MAX_DIMS],
    pub dtype: i32,
}

pub fn dtype_str(code: i32) -> Option<&'static str> {
    match code {
        0 => Some("f32"),
        1 => Some("f16"),
        2 => Some("bf16"),
        3 => Some("i32"),
        4 => Some("i64"),
        5 => Some("f8e5m2"),
        6 => Some("f4e2m1fnx2"),
        7 => Some("f8e4m3fn"),
        _ => None,
    }
}

pub fn dtype_elem_size(code: i32) -> usize {
    match code {
        0 | 3 => 4,
        1 | 2 => 2,
        4 => 8,
        5..=7 => 1,
        _ => 0,
    }
}

pub mod rc {
    pub const OK: i32 = 0;
    pub const UNSUPPORTED_DTYPE: i32 = -2;
    pub const LAUNCH_FAILED: i32 = -3;
    pub const DEVICE_INIT_FAILED: i32 = -4;
    pub const NULL_PTR: i32 = -5;
    pub const INVALID_ARGS: i32 = -6;
}

pub unsafe fn borrow_tensor<E: DType>(d: &TensorDesc) -> ManuallyDrop<Tensor<E>> {
    ManuallyDrop::new(unsafe {
        Tensor::<E>::from_raw_parts(d.ptr, d.nbytes(), 0, d.shape_i32(), d.strides_i32())
    })
}
