// What every ffi.rs shares: the tensor descriptor that Python fills, the return
// codes, and macros for the checks and conversions before a launch. The
// descriptor, the dtype codes and the return codes are repeated in
// backend/cutile_rs/utils.py; change both.

/// Most dimensions that a descriptor can hold.
pub const MAX_DIMS: usize = 5;

/// A tensor of the caller: address, shape and strides (in elements), dtype code.
#[repr(C)]
pub struct TensorDesc {
    pub ptr: u64,
    pub ndim: i32,
    pub shape: [i64; MAX_DIMS],
    pub strides: [i64; MAX_DIMS],
    pub dtype: i32,
}

impl TensorDesc {
    /// Extent of one dimension; 1 past the last, so that a vector is one row.
    pub fn dim(&self, i: usize) -> i32 {
        if i < self.ndim as usize {
            self.shape[i] as i32
        } else {
            1
        }
    }
}

/// Name of a dtype code, as a launch passes it.
pub fn dtype_str(code: i32) -> Option<&'static str> {
    match code {
        0 => Some("f32"),
        1 => Some("f16"),
        2 => Some("bf16"),
        3 => Some("i32"),
        4 => Some("i64"),
        _ => None,
    }
}

/// Return codes of every exported function. -1 is not one of them: as an input
/// it means that the compiler chooses.
pub mod rc {
    pub const OK: i32 = 0;
    pub const UNSUPPORTED_DTYPE: i32 = -2;
    pub const LAUNCH_FAILED: i32 = -3;
    pub const DEVICE_INIT_FAILED: i32 = -4;
    pub const NULL_PTR: i32 = -5;
    pub const INVALID_ARGS: i32 = -6;
}

/// References to descriptors; returns NULL_PTR from the caller for a null one.
#[macro_export]
macro_rules! deref_descs {
    ($($d:ident),+ $(,)?) => {{
        if false $(|| $d.is_null())+ {
            return $crate::ffi_util::rc::NULL_PTR;
        }
        unsafe { ($(&*$d),+) }
    }};
}

/// Name of a descriptor's dtype; returns UNSUPPORTED_DTYPE from the caller.
#[macro_export]
macro_rules! resolve_dtype {
    ($desc:expr) => {
        match $crate::ffi_util::dtype_str($desc.dtype) {
            Some(name) => name,
            None => return $crate::ffi_util::rc::UNSUPPORTED_DTYPE,
        }
    };
}

/// Binds the device and the caller's stream; returns DEVICE_INIT_FAILED from the
/// caller for a device that does not exist.
#[macro_export]
macro_rules! setup_device_stream {
    ($device:ident, $stream:ident, $id:expr, $raw:expr) => {
        let $device = match usize::try_from($id)
            .map_err(|e| e.to_string())
            .and_then(|id| Device::new(id).map_err(|e| format!("{e:?}")))
        {
            Ok(device) => device,
            Err(why) => {
                eprintln!("cutile-rs: device {}: {why}", $id);
                return $crate::ffi_util::rc::DEVICE_INIT_FAILED;
            }
        };
        let $stream = unsafe { Stream::borrow_raw($raw as *mut c_void, &$device) };
    };
}

/// Compile options out of the two integers; what is not positive is left open.
#[macro_export]
macro_rules! compile_options {
    ($occupancy:expr, $num_cta_in_cga:expr) => {{
        let mut options = CompileOptions::default();
        if $occupancy > 0 {
            options = options.occupancy($occupancy);
        }
        if $num_cta_in_cga > 0 {
            options = options.num_cta_in_cga($num_cta_in_cga);
        }
        options
    }};
}

/// Calls the macro `$run` with the Rust type of a dtype name.
#[macro_export]
macro_rules! dispatch_by_dtype {
    ($name:expr, $run:ident, $($t:ident),+ $(,)?) => {
        match $name {
            $(stringify!($t) => $run!($t),)+
            _ => $crate::ffi_util::rc::UNSUPPORTED_DTYPE,
        }
    };
}
