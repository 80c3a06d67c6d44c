//! Runs a reference kernel: a list of instructions that `tilegym.cpu.tile`
//! traced from a Python function. Each instruction defines the value of its own
//! position; operands are positions of earlier instructions.

use crate::half::{bf16, f16};
use crate::ops::{self, Buf};
use crate::{ElementType, block_id, launch};
use core::ffi::{CStr, c_char};
use core::slice;

/// One instruction, as laid out by `tilegym.cpu.tile`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Instruction {
    op: i32,
    a: i32,
    b: i32,
    c: i32,
    integer: i64,
    real: f64,
}

/// A tensor argument; `shape` and `strides` in elements, rank 1 or 2.
#[repr(C)]
pub struct Array {
    address: u64,
    dtype: i32,
    ndim: i32,
    shape: [i64; 2],
    strides: [i64; 2],
}

#[derive(Clone, Copy)]
enum Value {
    Int(i64),
    Real(f32),
    Ints(Buf<i32>),
    Reals(Buf<f32>),
    Halves(Buf<f16>),
    Brains(Buf<bf16>),
    Mask(Buf<bool>),
}

const OK: i32 = 0;
const BAD_PROGRAM: i32 = -6;

/// Runs a program over a grid. Returns 0, or -6 when an instruction does not
/// fit its operands.
///
/// # Safety
/// `name` must be a C string, `program` and `arrays` valid for the given
/// counts, and each array's address valid for its shape.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cpu_tile_launch(
    name: *const c_char,
    program: *const Instruction,
    length: usize,
    arrays: *const Array,
    array_count: usize,
    grid_x: u32,
    grid_y: u32,
) -> i32 {
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
    let program = unsafe { slice::from_raw_parts(program, length) };
    let arrays = unsafe { slice::from_raw_parts(arrays, array_count) };
    let failed = core::cell::Cell::new(false);
    launch(&name, (grid_x, grid_y, 1), || {
        if unsafe { run_block(program, arrays) }.is_none() {
            failed.set(true);
        }
    });
    if failed.get() { BAD_PROGRAM } else { OK }
}

unsafe fn run_block(program: &[Instruction], arrays: &[Array]) -> Option<()> {
    let mut values: Vec<Value> = Vec::with_capacity(program.len());
    for i in program {
        let value = match i.op {
            0 => Value::Int(i.integer),
            1 => Value::Real(i.real as f32),
            2 => Value::Int(i64::from(if i.integer == 0 {
                block_id().0
            } else {
                block_id().1
            })),
            3 => Value::Ints(ops::iota(usize::try_from(i.integer).ok()?)),
            4 => Value::Reals(ops::splat(i.real as f32, usize::try_from(i.integer).ok()?)),
            5 => add(get(&values, i.a)?, get(&values, i.b)?)?,
            6 => multiply(get(&values, i.a)?, get(&values, i.b)?)?,
            7 => unsafe {
                gather(
                    arrays.get(i.integer as usize)?,
                    optional(&values, i.a)?,
                    get(&values, i.b)?,
                )
            }?,
            8 => unsafe {
                scatter(
                    arrays.get(i.integer as usize)?,
                    optional(&values, i.a)?,
                    get(&values, i.b)?,
                    get(&values, i.c)?,
                )
            }?,
            9 => as_type(get(&values, i.a)?, i.integer)?,
            10 => match get(&values, i.a)? {
                Value::Reals(v) => Value::Reals(ops::splat(ops::fold(v, 0.0, |x, y| x + y), 1)),
                _ => return None,
            },
            11 => match (get(&values, i.a)?, get(&values, i.b)?) {
                (Value::Ints(t), Value::Int(n)) => {
                    let n = i32::try_from(n).ok()?;
                    Value::Mask(ops::map(t, move |x| x < n))
                }
                _ => return None,
            },
            12 => match (get(&values, i.a)?, get(&values, i.b)?, get(&values, i.c)?) {
                (Value::Mask(m), Value::Reals(x), Value::Reals(y)) => {
                    Value::Reals(ops::zip3(m, x, y, |c, a, b| if c { a } else { b }))
                }
                _ => return None,
            },
            _ => return None,
        };
        values.push(value);
    }
    Some(())
}

fn get(values: &[Value], position: i32) -> Option<Value> {
    values.get(usize::try_from(position).ok()?).copied()
}

/// A row index, or row 0 of a vector.
fn optional(values: &[Value], position: i32) -> Option<i64> {
    if position < 0 {
        return Some(0);
    }
    match get(values, position)? {
        Value::Int(n) => Some(n),
        _ => None,
    }
}

fn add(a: Value, b: Value) -> Option<Value> {
    Some(match (a, b) {
        (Value::Int(x), Value::Int(y)) => Value::Int(x + y),
        (Value::Ints(t), Value::Int(s)) | (Value::Int(s), Value::Ints(t)) => Value::Ints(ops::zip(
            t,
            ops::splat(i32::try_from(s).ok()?, t.count()),
            |x, y| x + y,
        )),
        (Value::Reals(x), Value::Reals(y)) => Value::Reals(ops::zip(x, y, |x, y| x + y)),
        (Value::Reals(t), Value::Real(s)) | (Value::Real(s), Value::Reals(t)) => {
            Value::Reals(ops::zip(t, ops::splat(s, t.count()), |x, y| x + y))
        }
        _ => return None,
    })
}

fn multiply(a: Value, b: Value) -> Option<Value> {
    Some(match (a, b) {
        (Value::Int(x), Value::Int(y)) => Value::Int(x * y),
        (Value::Reals(x), Value::Reals(y)) => Value::Reals(ops::zip(x, y, |x, y| x * y)),
        (Value::Reals(t), Value::Real(s)) | (Value::Real(s), Value::Reals(t)) => {
            Value::Reals(ops::zip(t, ops::splat(s, t.count()), |x, y| x * y))
        }
        _ => return None,
    })
}

/// The first element of a row and the lanes that lie in the array; a row outside
/// of it has none.
fn addresses(array: &Array, row: i64, columns: Value) -> Option<(i64, Buf<i32>, Buf<bool>)> {
    let columns = match columns {
        Value::Ints(v) => v,
        Value::Int(n) => ops::splat(i32::try_from(n).ok()?, 1),
        _ => return None,
    };
    let (rows, width, row_stride, stride) = match array.ndim {
        1 => (1, array.shape[0], 0, array.strides[0]),
        2 => (
            array.shape[0],
            array.shape[1],
            array.strides[0],
            array.strides[1],
        ),
        _ => return None,
    };
    if stride != 1 {
        return None;
    }
    let width = if (0..rows).contains(&row) {
        i32::try_from(width).ok()?
    } else {
        0
    };
    Some((
        row * row_stride,
        columns,
        ops::map(columns, move |c| 0 <= c && c < width),
    ))
}

unsafe fn gather(array: &Array, row: i64, columns: Value) -> Option<Value> {
    let (first, offsets, mask) = addresses(array, row, columns)?;
    Some(unsafe {
        match array.dtype {
            0 => Value::Reals(ops::load(
                array.address as *const f32,
                first,
                offsets,
                mask,
                0.0,
            )),
            1 => Value::Halves(ops::load(
                array.address as *const f16,
                first,
                offsets,
                mask,
                f16::default(),
            )),
            2 => Value::Brains(ops::load(
                array.address as *const bf16,
                first,
                offsets,
                mask,
                bf16::default(),
            )),
            _ => return None,
        }
    })
}

unsafe fn scatter(array: &Array, row: i64, columns: Value, value: Value) -> Option<Value> {
    let (first, offsets, mask) = addresses(array, row, columns)?;
    unsafe {
        match (array.dtype, value) {
            (0, Value::Reals(v)) => ops::store(array.address as *mut f32, first, offsets, mask, v),
            (1, Value::Halves(v)) => ops::store(array.address as *mut f16, first, offsets, mask, v),
            (2, Value::Brains(v)) => {
                ops::store(array.address as *mut bf16, first, offsets, mask, v)
            }
            _ => return None,
        }
    }
    Some(Value::Int(0))
}

fn as_type(value: Value, dtype: i64) -> Option<Value> {
    fn to<A: ElementType>(v: Buf<A>, dtype: i64) -> Option<Value> {
        Some(match dtype {
            0 => Value::Reals(ops::convert(v)),
            1 => Value::Halves(ops::convert(v)),
            2 => Value::Brains(ops::convert(v)),
            _ => return None,
        })
    }
    match value {
        Value::Reals(v) => to(v, dtype),
        Value::Halves(v) => to(v, dtype),
        Value::Brains(v) => to(v, dtype),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn op(op: i32, a: i32, b: i32, c: i32, integer: i64, real: f64) -> Instruction {
        Instruction {
            op,
            a,
            b,
            c,
            integer,
            real,
        }
    }

    #[test]
    fn adds_one_to_a_ragged_vector() {
        let mut x = [1.0f32, 2.0, 3.0, 4.0, 5.0];
        let arrays = [Array {
            address: x.as_mut_ptr() as u64,
            dtype: 0,
            ndim: 1,
            shape: [4, 0],
            strides: [1, 0],
        }];
        let program = [
            op(2, -1, -1, -1, 0, 0.0),
            op(0, -1, -1, -1, 3, 0.0),
            op(6, 0, 1, -1, 0, 0.0),
            op(3, -1, -1, -1, 3, 0.0),
            op(5, 3, 2, -1, 0, 0.0),
            op(7, -1, 4, -1, 0, 0.0),
            op(1, -1, -1, -1, 0, 1.0),
            op(5, 5, 6, -1, 0, 0.0),
            op(8, -1, 4, 7, 0, 0.0),
        ];
        let rc = unsafe {
            cpu_tile_launch(
                c"add_one".as_ptr(),
                program.as_ptr(),
                program.len(),
                arrays.as_ptr(),
                1,
                2,
                1,
            )
        };
        assert_eq!(rc, OK);
        assert_eq!(x, [2.0, 3.0, 4.0, 5.0, 5.0]);
    }

    #[test]
    fn refuses_a_program_that_does_not_fit() {
        let program = [op(5, 0, 0, -1, 0, 0.0)];
        let rc = unsafe {
            cpu_tile_launch(
                c"bad".as_ptr(),
                program.as_ptr(),
                1,
                core::ptr::dangling(),
                0,
                1,
                1,
            )
        };
        assert_eq!(rc, BAD_PROGRAM);
    }
}
