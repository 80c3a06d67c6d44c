//! CPU stand-in for the tile operations. [`ops`] holds them, [`half`] the
//! 16-bit element types, [`machine`] runs the reference kernels that the Python
//! package `tilegym.cpu.tile` traces. Both backends run on the same operations,
//! so their times differ by what they do, not by how fast the stand-in is.

pub mod arena;
pub mod half;
pub mod machine;
pub mod ops;

use core::cell::Cell;

thread_local! {
    static BLOCK: Cell<(i32, i32, i32)> = const { Cell::new((0, 0, 0)) };
}

/// The block that the calling thread runs.
pub fn block_id() -> (i32, i32, i32) {
    BLOCK.get()
}

/// Runs `body` once for each block of the grid, x fastest, and times the whole
/// under `name`. Tiles of a block are released when the block ends.
pub fn launch(name: &str, grid: (u32, u32, u32), body: impl Fn()) {
    cuda_core::profiler::record(name, || {
        for z in 0..grid.2 {
            for y in 0..grid.1 {
                for x in 0..grid.0 {
                    BLOCK.set((x as i32, y as i32, z as i32));
                    body();
                    arena::reset();
                }
            }
        }
    });
}

/// Element types of tensors. Sealed by use: f32, f16 and bf16.
pub trait ElementType: Copy + Default + 'static {
    /// The name that a launch passes for this type.
    const NAME: &'static str;
    /// The nearest value of this type.
    fn from_f32(value: f32) -> Self;
    /// The exact value as f32.
    fn to_f32(self) -> f32;
}

impl ElementType for f32 {
    const NAME: &'static str = "f32";
    fn from_f32(value: f32) -> f32 {
        value
    }
    fn to_f32(self) -> f32 {
        self
    }
}
