// The host side of row_sum: one exported function that checks its arguments,
// picks the element type and launches one block per row.
//
// generics: <E, TILE>

use core::ffi::c_void;
use cuda_async::device_buffer::DevicePointer;
use cuda_core::{Device, Stream};
use cutile::half::{bf16, f16};
use cutile::tile_kernel::{CompileOptions, TileKernel};

use crate::ffi_util::{TensorDesc, rc};
use row_sum_module::row_sum_kernel;

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cutile_row_sum(
    out: *const TensorDesc,
    x: *const TensorDesc,
    tile: i32,
    num_cta_in_cga: i32,
    occupancy: i32,
    device_id: i32,
    raw_stream: u64,
) -> i32 {
    let (out_d, x_d) = crate::deref_descs!(out, x);
    let dty: &'static str = crate::resolve_dtype!(x_d);
    let n_rows = x_d.dim(0);
    let n_cols = x_d.dim(1);
    let row_stride = x_d.strides[0] as i32;
    if tile < 1 || n_rows < 1 || n_cols < 1 {
        return rc::INVALID_ARGS;
    }

    crate::setup_device_stream!(device, stream, device_id, raw_stream);

    macro_rules! dispatch {
        ($E:ty) => {{
            let out_dp: DevicePointer<$E> = unsafe { DevicePointer::from_cu_deviceptr(out_d.ptr) };
            let x_dp: DevicePointer<$E> = unsafe { DevicePointer::from_cu_deviceptr(x_d.ptr) };

            // generics: <E, TILE>
            let generics = vec![dty.to_string(), tile.to_string()];
            let opts = crate::compile_options!(occupancy, num_cta_in_cga);

            let op = unsafe { row_sum_kernel(out_dp, x_dp, n_cols, row_stride) }
                .generics(generics)
                .grid((n_rows as u32, 1, 1))
                .compile_options(opts);
            match op.sync_on(&stream) {
                Ok(_) => rc::OK,
                Err(e) => {
                    eprintln!("cutile_row_sum: launch failed: {e:?}");
                    rc::LAUNCH_FAILED
                }
            }
        }};
    }

    crate::dispatch_by_dtype!(dty, dispatch, f32, f16, bf16)
}
