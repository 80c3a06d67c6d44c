//! Memory of one block's tiles: handed out in order, taken back all at once.

use core::cell::RefCell;
use core::mem::{align_of, size_of};

const CHUNK: usize = 1 << 20;

#[derive(Default)]
struct Arena {
    chunks: Vec<Box<[u64]>>,
    chunk: usize,
    used: usize,
}

impl Arena {
    fn take(&mut self, bytes: usize) -> *mut u8 {
        let words = bytes.div_ceil(8);
        loop {
            match self.chunks.get_mut(self.chunk) {
                Some(chunk) if self.used + words <= chunk.len() => {
                    let start = unsafe { chunk.as_mut_ptr().add(self.used) };
                    self.used += words;
                    return start.cast();
                }
                Some(_) => {
                    self.chunk += 1;
                    self.used = 0;
                }
                None => self
                    .chunks
                    .push(vec![0; words.max(CHUNK / 8)].into_boxed_slice()),
            }
        }
    }
}

thread_local! {
    static ARENA: RefCell<Arena> = RefCell::default();
}

/// Room for `count` values of `T`, uninitialised, valid until [`reset`].
pub fn take<T: Copy>(count: usize) -> *mut T {
    const { assert!(align_of::<T>() <= 8) };
    ARENA
        .with_borrow_mut(|arena| arena.take(count * size_of::<T>()))
        .cast()
}

/// Takes back everything.
pub fn reset() {
    ARENA.with_borrow_mut(|arena| {
        arena.chunk = 0;
        arena.used = 0;
    });
}
