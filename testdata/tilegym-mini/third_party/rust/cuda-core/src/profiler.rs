//! Launch records of the calling process: name and duration, in launch order.

use core::ffi::{c_char, c_int, c_long};
use std::sync::Mutex;

#[repr(C)]
struct Timespec {
    seconds: c_long,
    nanoseconds: c_long,
}

/// `CLOCK_THREAD_CPUTIME_ID` of Linux.
const THREAD_CPU_TIME: c_int = 3;

unsafe extern "C" {
    fn clock_gettime(clock: c_int, time: *mut Timespec) -> c_int;
}

/// The processor time of this thread in nanoseconds. A GPU's kernel has the device
/// to itself; a CPU is shared, and what others take of it is no time of the launch.
fn now() -> u64 {
    let mut time = Timespec {
        seconds: 0,
        nanoseconds: 0,
    };
    let status = unsafe { clock_gettime(THREAD_CPU_TIME, &mut time) };
    assert_eq!(status, 0, "no clock of the thread's processor time");
    time.seconds as u64 * 1_000_000_000 + time.nanoseconds as u64
}

struct Record {
    name: String,
    nanoseconds: u64,
}

struct Log {
    on: bool,
    records: Vec<Record>,
}

static LOG: Mutex<Log> = Mutex::new(Log {
    on: false,
    records: Vec::new(),
});

fn log() -> std::sync::MutexGuard<'static, Log> {
    LOG.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Runs `work` and, while the profiler is on, records its duration under `name`.
pub fn record<T>(name: &str, work: impl FnOnce() -> T) -> T {
    let start = now();
    let result = work();
    let nanoseconds = now() - start;
    let mut log = log();
    if log.on {
        log.records.push(Record {
            name: name.to_string(),
            nanoseconds,
        });
    }
    result
}

/// Forgets all records and starts recording.
#[unsafe(no_mangle)]
pub extern "C" fn cpu_profiler_start() {
    let mut log = log();
    log.on = true;
    log.records.clear();
}

/// Stops recording and returns the number of records.
#[unsafe(no_mangle)]
pub extern "C" fn cpu_profiler_stop() -> usize {
    let mut log = log();
    log.on = false;
    log.records.len()
}

/// Writes the NUL-terminated name of record `index` to `name` (cut to `size`
/// bytes) and returns its duration in nanoseconds, or 0 past the end.
///
/// # Safety
/// `name` must be valid for writes of `size` bytes, and `size` at least 1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cpu_profiler_read(index: usize, name: *mut c_char, size: usize) -> u64 {
    let log = log();
    let Some(record) = log.records.get(index) else {
        return 0;
    };
    let length = record.name.len().min(size - 1);
    unsafe {
        name.cast::<u8>()
            .copy_from_nonoverlapping(record.name.as_ptr(), length);
        name.add(length).write(0);
    }
    record.nanoseconds
}
