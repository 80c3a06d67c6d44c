// Host export of the demo kernel: one symbol, cutile_demo.

use core::ffi::c_void;
use cuda_async::device_buffer::DevicePointer;
use cuda_core::{Device, Stream};
use cutile::half::{bf16, f16};
use cutile::prelude::*;
use cutile::tile_kernel::{CompileOptions, TileKernel};

use crate::ffi_util::{TensorDesc, rc};
use demo_module::demo_kernel;

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cutile_demo(
    out: *const TensorDesc,
    inp: *const TensorDesc,
    block: i32,
    factor: f32,
    num_cta_in_cga: i32,
    occupancy: i32,
    device_id: i32,
    raw_stream: u64,
) -> i32 {
    let (out_d, in_d) = crate::deref_descs!(out, inp);
    let dty: &'static str = crate::resolve_dtype!(out_d);
    let cols = out_d.dim(1);
    let rows = out_d.dim(0);
    let row_stride = in_d.strides[0] as i32;

    crate::setup_device_stream!(device, stream, device_id, raw_stream);

    macro_rules! dispatch {
        ($E:ty) => {{
            let out_dp: DevicePointer<$E> = unsafe { DevicePointer::from_cu_deviceptr(out_d.ptr) };
            let in_dp: DevicePointer<$E> = unsafe { DevicePointer::from_cu_deviceptr(in_d.ptr) };
            let generics = vec![dty.to_string(), block.to_string()];
            let opts = crate::compile_options!(occupancy, num_cta_in_cga);
            let op = unsafe { demo_kernel(out_dp, in_dp, cols, row_stride, factor) }
                .generics(generics)
                .grid((rows as u32, 1, 1))
                .compile_options(opts);
            match op.sync_on(&stream) {
                Ok(_) => rc::OK,
                Err(e) => {
                    eprintln!("cutile_demo: launch failed: {e:?}");
                    rc::LAUNCH_FAILED
                }
            }
        }};
    }

    crate::dispatch_by_dtype!(dty, dispatch, f32, f16, bf16)
}
