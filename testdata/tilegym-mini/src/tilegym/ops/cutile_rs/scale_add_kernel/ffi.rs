// The host side of scale_add: one exported function that checks its arguments,
// picks the element type and launches the kernel with ceil(n / block) blocks.
//
// generics: <E, BLOCK>

use core::ffi::c_void;
use cuda_async::device_buffer::DevicePointer;
use cuda_core::{Device, Stream};
use cutile::half::{bf16, f16};
use cutile::tile_kernel::{CompileOptions, TileKernel};

use crate::ffi_util::{TensorDesc, rc};
use scale_add_module::scale_add_kernel;

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cutile_scale_add(
    out: *const TensorDesc,
    x: *const TensorDesc,
    y: *const TensorDesc,
    alpha: f32,
    block: i32,
    num_cta_in_cga: i32,
    occupancy: i32,
    device_id: i32,
    raw_stream: u64,
) -> i32 {
    let (out_d, x_d, y_d) = crate::deref_descs!(out, x, y);
    let dty: &'static str = crate::resolve_dtype!(x_d);
    let n = x_d.dim(0);
    if block < 1 || n < 1 {
        return rc::INVALID_ARGS;
    }

    crate::setup_device_stream!(device, stream, device_id, raw_stream);

    macro_rules! dispatch {
        ($E:ty) => {{
            let out_dp: DevicePointer<$E> = unsafe { DevicePointer::from_cu_deviceptr(out_d.ptr) };
            let x_dp: DevicePointer<$E> = unsafe { DevicePointer::from_cu_deviceptr(x_d.ptr) };
            let y_dp: DevicePointer<$E> = unsafe { DevicePointer::from_cu_deviceptr(y_d.ptr) };

            // generics: <E, BLOCK>
            let generics = vec![dty.to_string(), block.to_string()];
            let opts = crate::compile_options!(occupancy, num_cta_in_cga);
            let blocks = (n as u32).div_ceil(block as u32);

            let op = unsafe { scale_add_kernel(out_dp, x_dp, y_dp, n, alpha) }
                .generics(generics)
                .grid((blocks, 1, 1))
                .compile_options(opts);
            match op.sync_on(&stream) {
                Ok(_) => rc::OK,
                Err(e) => {
                    eprintln!("cutile_scale_add: launch failed: {e:?}");
                    rc::LAUNCH_FAILED
                }
            }
        }};
    }

    crate::dispatch_by_dtype!(dty, dispatch, f32, f16, bf16)
}
