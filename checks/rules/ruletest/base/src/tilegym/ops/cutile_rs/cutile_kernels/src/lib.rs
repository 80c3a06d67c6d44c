#[path = "../../ffi_util.rs"]
mod ffi_util;

mod demo {
    include!("../../demo_kernel/kernel.rs");
    include!("../../demo_kernel/ffi.rs");
}
