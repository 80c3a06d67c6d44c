//! All kernels in one library. Each op has its own module, so that the `use`
//! lines of its two files cannot clash; the exported symbol is global anyway.

#[path = "../../ffi_util.rs"]
mod ffi_util;

mod scale_add {
    include!("../../scale_add_kernel/kernel.rs");
    include!("../../scale_add_kernel/ffi.rs");
}

mod row_sum {
    include!("../../row_sum_kernel/kernel.rs");
    include!("../../row_sum_kernel/ffi.rs");
}
