//! Tile operations. Each makes one pass over its elements and is never inlined:
//! like a GPU instruction, it costs the same wherever it stands.

use crate::{ElementType, arena};
use core::any::TypeId;
use core::slice;

/// A tile's elements, in row-major order. Valid until its block ends.
#[derive(Debug)]
pub struct Buf<T> {
    start: *const T,
    len: usize,
}

impl<T> Clone for Buf<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Buf<T> {}

impl<T: Copy> Buf<T> {
    /// The elements.
    pub fn as_slice<'a>(self) -> &'a [T] {
        unsafe { slice::from_raw_parts(self.start, self.len) }
    }

    /// The number of elements.
    pub fn count(self) -> usize {
        self.len
    }

    fn build(len: usize, fill: impl FnOnce(&mut [T])) -> Buf<T> {
        let start: *mut T = arena::take(len);
        fill(unsafe { slice::from_raw_parts_mut(start, len) });
        Buf { start, len }
    }
}

/// 0, 1, 2, ...
#[inline(never)]
pub fn iota(len: usize) -> Buf<i32> {
    Buf::build(len, |out| {
        for (i, o) in out.iter_mut().enumerate() {
            *o = i as i32;
        }
    })
}

/// `len` times the same value.
#[inline(never)]
pub fn splat<T: Copy>(value: T, len: usize) -> Buf<T> {
    Buf::build(len, |out| out.fill(value))
}

/// `f` of each element.
#[inline(never)]
pub fn map<T: Copy, U: Copy>(a: Buf<T>, f: impl Fn(T) -> U) -> Buf<U> {
    Buf::build(a.len, |out| {
        for (o, x) in out.iter_mut().zip(a.as_slice()) {
            *o = f(*x);
        }
    })
}

/// `f` of each pair of elements; both tiles have the same length.
#[inline(never)]
pub fn zip<T: Copy, U: Copy, V: Copy>(a: Buf<T>, b: Buf<U>, f: impl Fn(T, U) -> V) -> Buf<V> {
    assert_eq!(a.len, b.len, "tiles of different shapes");
    Buf::build(a.len, |out| {
        for ((o, x), y) in out.iter_mut().zip(a.as_slice()).zip(b.as_slice()) {
            *o = f(*x, *y);
        }
    })
}

/// `f` of each triple of elements; all tiles have the same length.
#[inline(never)]
pub fn zip3<T: Copy, U: Copy, V: Copy, W: Copy>(
    a: Buf<T>,
    b: Buf<U>,
    c: Buf<V>,
    f: impl Fn(T, U, V) -> W,
) -> Buf<W> {
    assert_eq!(a.len, b.len, "tiles of different shapes");
    assert_eq!(a.len, c.len, "tiles of different shapes");
    Buf::build(a.len, |out| {
        for (((o, x), y), z) in out
            .iter_mut()
            .zip(a.as_slice())
            .zip(b.as_slice())
            .zip(c.as_slice())
        {
            *o = f(*x, *y, *z);
        }
    })
}

/// All elements folded into one.
#[inline(never)]
pub fn fold<T: Copy>(a: Buf<T>, start: T, f: impl Fn(T, T) -> T) -> T {
    a.as_slice().iter().fold(start, |acc, x| f(acc, *x))
}

/// Elements as another type; the same type costs nothing.
pub fn convert<A: ElementType, B: ElementType>(a: Buf<A>) -> Buf<B> {
    if TypeId::of::<A>() == TypeId::of::<B>() {
        return Buf {
            start: a.start.cast(),
            len: a.len,
        };
    }
    map(a, |x| B::from_f32(x.to_f32()))
}

/// Loads `base[first + offsets[i]]` where `mask[i]` holds, `padding` elsewhere.
///
/// # Safety
/// Each address whose mask holds must be valid for reads.
#[inline(never)]
pub unsafe fn load<T: Copy>(
    base: *const T,
    first: i64,
    offsets: Buf<i32>,
    mask: Buf<bool>,
    padding: T,
) -> Buf<T> {
    assert_eq!(offsets.len, mask.len, "tiles of different shapes");
    Buf::build(offsets.len, |out| {
        for ((o, offset), ok) in out.iter_mut().zip(offsets.as_slice()).zip(mask.as_slice()) {
            *o = if *ok {
                unsafe { base.offset((first + i64::from(*offset)) as isize).read() }
            } else {
                padding
            };
        }
    })
}

/// Stores `values[i]` to `base[first + offsets[i]]` where `mask[i]` holds.
///
/// # Safety
/// Each address whose mask holds must be valid for writes.
#[inline(never)]
pub unsafe fn store<T: Copy>(
    base: *mut T,
    first: i64,
    offsets: Buf<i32>,
    mask: Buf<bool>,
    values: Buf<T>,
) {
    assert_eq!(offsets.len, mask.len, "tiles of different shapes");
    assert_eq!(offsets.len, values.len, "tiles of different shapes");
    for ((value, offset), ok) in values
        .as_slice()
        .iter()
        .zip(offsets.as_slice())
        .zip(mask.as_slice())
    {
        if *ok {
            unsafe {
                base.offset((first + i64::from(*offset)) as isize)
                    .write(*value)
            };
        }
    }
}
