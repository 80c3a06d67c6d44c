//! CPU stand-in for the few parts of `cuda-core` that a kernel host file uses.
//! The one device, number 0, is the calling thread. Every "kernel" that runs on
//! it is measured in processor time, which can be read back like profiler records.

use core::ffi::c_void;
use core::marker::PhantomData;

pub mod profiler;

/// The calling thread, seen as a device.
#[derive(Debug)]
pub struct Device;

/// Why a device could not be opened.
#[derive(Debug)]
pub struct DriverError(pub String);

impl Device {
    /// Opens device `ordinal`; only 0 exists.
    pub fn new(ordinal: usize) -> Result<Device, DriverError> {
        match ordinal {
            0 => Ok(Device),
            n => Err(DriverError(format!(
                "invalid device ordinal {n}: the CPU stand-in has device 0 only"
            ))),
        }
    }
}

/// A queue of launches. The stand-in runs each launch before it returns.
#[derive(Debug)]
pub struct Stream<'a>(PhantomData<&'a Device>);

impl<'a> Stream<'a> {
    /// # Safety
    /// `_raw` is not used; the signature is that of the real crate.
    pub unsafe fn borrow_raw(_raw: *mut c_void, _device: &'a Device) -> Stream<'a> {
        Stream(PhantomData)
    }
}

/// Fills `count` bytes with `value`, as a device-side fill kernel would.
///
/// # Safety
/// `dst` must be valid for writes of `count` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cpu_fill(dst: *mut u8, value: u8, count: usize) {
    profiler::record("fill_kernel", || unsafe { dst.write_bytes(value, count) });
}

/// Copies `count` bytes between two allocations that do not overlap.
///
/// # Safety
/// `src` must be valid for reads and `dst` for writes of `count` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cpu_copy(dst: *mut u8, src: *const u8, count: usize) {
    profiler::record("Memcpy DtoD (Device -> Device)", || unsafe {
        dst.copy_from_nonoverlapping(src, count)
    });
}
