//! What `use cutile::core::*` brings into a kernel module.

pub use crate::const_shape;
pub use cutile_ir::ElementType;
pub use cutile_ir::half::{bf16, f16};

use core::marker::PhantomData;
use core::ops::{Add, Div, Mul, Sub};
use cutile_ir::ops::{self, Buf};

/// Marks the shape of a tile in its type.
pub trait Rank: Copy {
    /// The shape as a value.
    type Dims: Copy + AsRef<[i32]>;
}

/// A scalar tile.
#[derive(Clone, Copy, Debug)]
pub struct Rank0;
/// A vector tile.
#[derive(Clone, Copy, Debug)]
pub struct Rank1;

impl Rank for Rank0 {
    type Dims = [i32; 0];
}

impl Rank for Rank1 {
    type Dims = [i32; 1];
}

/// A shape as a value.
#[derive(Clone, Copy, Debug)]
pub struct Shape<const N: usize>(pub [i32; N]);

/// Ties a shape value to its rank marker.
pub trait ShapeOf<R: Rank> {
    /// The number of elements.
    fn count(&self) -> usize;
}

impl ShapeOf<Rank0> for Shape<0> {
    fn count(&self) -> usize {
        1
    }
}

impl ShapeOf<Rank1> for Shape<1> {
    fn count(&self) -> usize {
        self.0[0] as usize
    }
}

/// An immutable tile of values.
#[derive(Debug)]
pub struct Tile<T, R> {
    elements: Buf<T>,
    rank: PhantomData<R>,
}

impl<T, R> Clone for Tile<T, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, R> Copy for Tile<T, R> {}

fn tile<T, R>(elements: Buf<T>) -> Tile<T, R> {
    Tile {
        elements,
        rank: PhantomData,
    }
}

impl<T: Copy, R: Rank> Tile<T, R> {
    /// The same elements in another shape.
    pub fn reshape<S: Rank>(self, shape: impl ShapeOf<S>) -> Tile<T, S> {
        assert_eq!(
            shape.count(),
            self.elements.count(),
            "reshape changes the number of elements"
        );
        tile(self.elements)
    }

    /// One element repeated over a shape.
    pub fn broadcast<S: Rank>(self, shape: impl ShapeOf<S>) -> Tile<T, S> {
        assert_eq!(
            self.elements.count(),
            1,
            "broadcast of more than one element"
        );
        tile(ops::splat(self.elements.as_slice()[0], shape.count()))
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident, $($t:ty),+) => {
        $(impl<R: Rank> $trait for Tile<$t, R> {
            type Output = Tile<$t, R>;
            fn $method(self, other: Self) -> Self {
                tile(ops::zip(self.elements, other.elements, |a, b| a.$method(b)))
            }
        })+
    };
}

operator!(Add, add, i32, i64, f32);
operator!(Sub, sub, i32, i64, f32);
operator!(Mul, mul, i32, i64, f32);
operator!(Div, div, f32);

/// A tile of addresses: one base, one distance to it, and offsets from there.
#[derive(Debug)]
pub struct PointerTile<P, R> {
    base: P,
    first: i64,
    offsets: Option<Buf<i32>>,
    rank: PhantomData<R>,
}

impl<P: Copy, R> Clone for PointerTile<P, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: Copy, R> Copy for PointerTile<P, R> {}

impl<E: Copy, R: Rank> PointerTile<*mut E, R> {
    fn with_rank<S: Rank>(self) -> PointerTile<*mut E, S> {
        PointerTile {
            base: self.base,
            first: self.first,
            offsets: self.offsets,
            rank: PhantomData,
        }
    }

    /// The same address in another shape.
    pub fn reshape<S: Rank>(self, _shape: impl ShapeOf<S>) -> PointerTile<*mut E, S> {
        self.with_rank()
    }

    /// One address repeated over a shape.
    pub fn broadcast<S: Rank>(self, _shape: impl ShapeOf<S>) -> PointerTile<*mut E, S> {
        assert!(self.offsets.is_none(), "broadcast of more than one address");
        self.with_rank()
    }

    /// All addresses moved by the same number of elements.
    pub fn offset(mut self, elements: i32) -> Self {
        self.first += i64::from(elements);
        self
    }
}

/// Moves each address by its own number of elements.
pub trait OffsetTile<T> {
    /// The moved addresses.
    fn offset_tile(self, elements: T) -> Self;
}

impl<E: Copy> OffsetTile<Tile<i64, Rank0>> for PointerTile<*mut E, Rank0> {
    fn offset_tile(mut self, elements: Tile<i64, Rank0>) -> Self {
        self.first += elements.elements.as_slice()[0];
        self
    }
}

impl<E: Copy> OffsetTile<Tile<i32, Rank1>> for PointerTile<*mut E, Rank1> {
    fn offset_tile(mut self, elements: Tile<i32, Rank1>) -> Self {
        assert!(
            self.offsets.is_none(),
            "the CPU stand-in takes one offset tile per pointer tile"
        );
        self.offsets = Some(elements.elements);
        self
    }
}

/// Orders memory operations; nothing to order on one thread.
#[derive(Clone, Copy, Debug)]
pub struct Token;

/// A hint of the distance of a load, without effect here.
#[derive(Clone, Copy, Debug)]
pub struct Latency<const N: i32>;

/// Memory ordering of an operation.
pub mod ordering {
    #[derive(Clone, Copy, Debug)]
    pub struct Weak;
}

/// Who sees a memory operation.
pub mod scope {
    #[derive(Clone, Copy, Debug)]
    pub struct TileBlock;
}

/// Rounding mode of an operation.
pub mod rounding {
    #[derive(Clone, Copy, Debug)]
    pub struct NearestEven;
}

/// Whether subnormal results become zero.
pub mod ftz {
    /// Chooses at compile time.
    pub trait Mode {
        const ENABLED: bool;
    }
    #[derive(Clone, Copy, Debug)]
    pub struct Enabled;
    #[derive(Clone, Copy, Debug)]
    pub struct Disabled;
    impl Mode for Enabled {
        const ENABLED: bool = true;
    }
    impl Mode for Disabled {
        const ENABLED: bool = false;
    }
}

/// Integer comparisons.
pub mod predicate {
    /// Chooses at compile time.
    pub trait Predicate {
        fn holds<T: PartialOrd>(a: T, b: T) -> bool;
    }
    #[derive(Clone, Copy, Debug)]
    pub struct LessThan;
    #[derive(Clone, Copy, Debug)]
    pub struct GreaterThanOrEqual;
    impl Predicate for LessThan {
        fn holds<T: PartialOrd>(a: T, b: T) -> bool {
            a < b
        }
    }
    impl Predicate for GreaterThanOrEqual {
        fn holds<T: PartialOrd>(a: T, b: T) -> bool {
            a >= b
        }
    }
}

/// The block that runs.
pub fn get_tile_block_id() -> (i32, i32, i32) {
    cutile_ir::block_id()
}

/// A promise about an address, not needed on the CPU.
///
/// # Safety
/// `pointer` must be a multiple of `N` bytes.
pub unsafe fn assume_div_by<E, const N: i32>(pointer: *mut E) -> *mut E {
    pointer
}

/// A runtime number as a tile.
pub fn scalar_to_tile<T: Copy>(value: T) -> Tile<T, Rank0> {
    tile(ops::splat(value, 1))
}

/// A base pointer as a tile.
pub fn pointer_to_tile<E>(base: *mut E) -> PointerTile<*mut E, Rank0> {
    PointerTile {
        base,
        first: 0,
        offsets: None,
        rank: PhantomData,
    }
}

/// A literal over a shape.
pub fn constant<T: Copy, R: Rank>(value: T, shape: impl ShapeOf<R>) -> Tile<T, R> {
    tile(ops::splat(value, shape.count()))
}

/// A runtime number over a shape.
pub fn broadcast_scalar<T: Copy, R: Rank>(value: T, shape: impl ShapeOf<R>) -> Tile<T, R> {
    tile(ops::splat(value, shape.count()))
}

/// 0, 1, 2, ... over a shape.
pub fn iota<R: Rank>(shape: impl ShapeOf<R>) -> Tile<i32, R> {
    tile(ops::iota(shape.count()))
}

/// 32-bit integers as 64-bit integers.
pub fn exti<R: Rank>(a: Tile<i32, R>) -> Tile<i64, R> {
    tile(ops::map(a.elements, i64::from))
}

/// Elements as another float type.
pub fn convert_tile<A: ElementType, B: ElementType, R: Rank>(a: Tile<A, R>) -> Tile<B, R> {
    tile(ops::convert(a.elements))
}

/// Compares integers.
pub fn cmpi<P: predicate::Predicate, R: Rank>(
    a: Tile<i32, R>,
    b: Tile<i32, R>,
    _p: P,
) -> Tile<bool, R> {
    tile(ops::zip(a.elements, b.elements, P::holds))
}

/// `a` where `condition` holds, `b` elsewhere.
pub fn select<T: Copy, R: Rank>(
    condition: Tile<bool, R>,
    a: Tile<T, R>,
    b: Tile<T, R>,
) -> Tile<T, R> {
    tile(ops::zip3(
        condition.elements,
        a.elements,
        b.elements,
        |c, x, y| if c { x } else { y },
    ))
}

fn flush<F: ftz::Mode>(value: f32) -> f32 {
    if F::ENABLED && value.is_subnormal() {
        0.0
    } else {
        value
    }
}

/// Sum of two tiles.
pub fn addf<F: ftz::Mode, R: Rank>(
    a: Tile<f32, R>,
    b: Tile<f32, R>,
    _r: rounding::NearestEven,
    _f: F,
) -> Tile<f32, R> {
    tile(ops::zip(a.elements, b.elements, |x, y| flush::<F>(x + y)))
}

/// Product of two tiles.
pub fn mulf<F: ftz::Mode, R: Rank>(
    a: Tile<f32, R>,
    b: Tile<f32, R>,
    _r: rounding::NearestEven,
    _f: F,
) -> Tile<f32, R> {
    tile(ops::zip(a.elements, b.elements, |x, y| flush::<F>(x * y)))
}

/// Quotient of two tiles, rounded to nearest.
pub fn divf<F: ftz::Mode, R: Rank>(
    a: Tile<f32, R>,
    b: Tile<f32, R>,
    _r: rounding::NearestEven,
    _f: F,
) -> Tile<f32, R> {
    tile(ops::zip(a.elements, b.elements, |x, y| flush::<F>(x / y)))
}

/// Product of two tiles plus a third. Rounded twice here, once on the device.
pub fn fma<F: ftz::Mode, R: Rank>(
    a: Tile<f32, R>,
    b: Tile<f32, R>,
    c: Tile<f32, R>,
    _r: rounding::NearestEven,
    _f: F,
) -> Tile<f32, R> {
    tile(ops::zip3(a.elements, b.elements, c.elements, |x, y, z| {
        flush::<F>(x * y + z)
    }))
}

/// 2 to the power of each element.
pub fn exp2<F: ftz::Mode, R: Rank>(a: Tile<f32, R>, _f: F) -> Tile<f32, R> {
    tile(ops::map(a.elements, |x| flush::<F>(x.exp2())))
}

/// Quotient of two tiles.
pub fn true_div<R: Rank>(a: Tile<f32, R>, b: Tile<f32, R>) -> Tile<f32, R> {
    tile(ops::zip(a.elements, b.elements, |x, y| x / y))
}

/// Sum along the only dimension of a vector.
pub fn reduce_sum(a: Tile<f32, Rank1>, dim: i32) -> Tile<f32, Rank0> {
    assert_eq!(dim, 0, "a vector has dimension 0 only");
    tile(ops::splat(ops::fold(a.elements, 0.0, |x, y| x + y), 1))
}

/// Loads through a vector of pointers; lanes whose mask is false get the padding or zero.
#[allow(clippy::too_many_arguments)]
pub fn load_ptr_tko<E: ElementType, const N: i32>(
    source: PointerTile<*mut E, Rank1>,
    _ordering: ordering::Weak,
    _scope: Option<scope::TileBlock>,
    mask: Option<Tile<bool, Rank1>>,
    padding: Option<E>,
    _token: Option<Token>,
    _latency: Latency<N>,
) -> (Tile<E, Rank1>, Token) {
    let offsets = source.offsets.expect("a vector of pointers has offsets");
    let mask = mask.map_or_else(|| ops::splat(true, offsets.count()), |m| m.elements);
    // The caller of the unsafe entry vouches for the addresses.
    let loaded = unsafe {
        ops::load(
            source.base,
            source.first,
            offsets,
            mask,
            padding.unwrap_or_default(),
        )
    };
    (tile(loaded), Token)
}

/// Stores through a vector of pointers where the mask holds.
#[allow(clippy::too_many_arguments)]
pub fn store_ptr_tko<E: ElementType, R: Rank, const N: i32>(
    destination: PointerTile<*mut E, R>,
    value: Tile<E, R>,
    _ordering: ordering::Weak,
    _scope: Option<scope::TileBlock>,
    mask: Option<Tile<bool, R>>,
    _token: Option<Token>,
    _latency: Latency<N>,
) -> Token {
    let count = value.elements.count();
    let offsets = destination.offsets.unwrap_or_else(|| ops::splat(0, count));
    let mask = mask.map_or_else(|| ops::splat(true, count), |m| m.elements);
    // The caller of the unsafe entry vouches for the addresses.
    unsafe {
        ops::store(
            destination.base,
            destination.first,
            offsets,
            mask,
            value.elements,
        )
    };
    Token
}
