// out = alpha * x + y over n elements. One block per BLOCK elements; the last
// block is masked.

#[cutile::module]
pub mod scale_add_module {
    use cutile::core::*;

    /// Generics: the element type, and BLOCK, the elements of one block.
    /// Arguments: three base pointers, the number of elements, the factor.
    #[cutile::entry()]
    pub unsafe fn scale_add_kernel<E: ElementType, const BLOCK: i32>(
        out_ptr: *mut E,
        x_ptr: *mut E,
        y_ptr: *mut E,
        n: i32,
        alpha: f32,
    ) {
        let out_ptr = unsafe { assume_div_by::<_, 16>(out_ptr) };
        let x_ptr = unsafe { assume_div_by::<_, 16>(x_ptr) };
        let y_ptr = unsafe { assume_div_by::<_, 16>(y_ptr) };

        let pid: i32 = get_tile_block_id().0;
        let first: i32 = pid * BLOCK;
        let left: i32 = n - first;

        // Lanes of this block that lie inside the array.
        let lanes: Tile<i32, { [BLOCK] }> = iota(const_shape![BLOCK]);
        let left_b: Tile<i32, { [BLOCK] }> = broadcast_scalar(left, const_shape![BLOCK]);
        let inside: Tile<bool, { [BLOCK] }> = cmpi(lanes, left_b, predicate::LessThan);

        let x_base: PointerTile<*mut E, { [] }> = pointer_to_tile(x_ptr);
        let x_first: PointerTile<*mut E, { [] }> = x_base.offset(first);
        let x_one: PointerTile<*mut E, { [1] }> = x_first.reshape(const_shape![1]);
        let x_all: PointerTile<*mut E, { [BLOCK] }> = x_one.broadcast(const_shape![BLOCK]);
        let x_ptrs: PointerTile<*mut E, { [BLOCK] }> = x_all.offset_tile(lanes);
        let (x_tile, x_tok): (Tile<E, { [BLOCK] }>, Token) = load_ptr_tko(
            x_ptrs,
            ordering::Weak,
            None::<scope::TileBlock>,
            Some(inside),
            None::<E>,
            None::<Token>,
            Latency::<1>,
        );
        let _ = x_tok;

        let y_base: PointerTile<*mut E, { [] }> = pointer_to_tile(y_ptr);
        let y_first: PointerTile<*mut E, { [] }> = y_base.offset(first);
        let y_one: PointerTile<*mut E, { [1] }> = y_first.reshape(const_shape![1]);
        let y_all: PointerTile<*mut E, { [BLOCK] }> = y_one.broadcast(const_shape![BLOCK]);
        let y_ptrs: PointerTile<*mut E, { [BLOCK] }> = y_all.offset_tile(lanes);
        let (y_tile, y_tok): (Tile<E, { [BLOCK] }>, Token) = load_ptr_tko(
            y_ptrs,
            ordering::Weak,
            None::<scope::TileBlock>,
            Some(inside),
            None::<E>,
            None::<Token>,
            Latency::<1>,
        );
        let _ = y_tok;

        let x_f32: Tile<f32, { [BLOCK] }> = convert_tile(x_tile);
        let y_f32: Tile<f32, { [BLOCK] }> = convert_tile(y_tile);
        let alpha_b: Tile<f32, { [BLOCK] }> = broadcast_scalar(alpha, const_shape![BLOCK]);
        let sum: Tile<f32, { [BLOCK] }> =
            fma(x_f32, alpha_b, y_f32, rounding::NearestEven, ftz::Disabled);
        let result: Tile<E, { [BLOCK] }> = convert_tile(sum);

        let out_base: PointerTile<*mut E, { [] }> = pointer_to_tile(out_ptr);
        let out_first: PointerTile<*mut E, { [] }> = out_base.offset(first);
        let out_one: PointerTile<*mut E, { [1] }> = out_first.reshape(const_shape![1]);
        let out_all: PointerTile<*mut E, { [BLOCK] }> = out_one.broadcast(const_shape![BLOCK]);
        let out_ptrs: PointerTile<*mut E, { [BLOCK] }> = out_all.offset_tile(lanes);
        let out_tok: Token = store_ptr_tko(
            out_ptrs,
            result,
            ordering::Weak,
            None::<scope::TileBlock>,
            Some(inside),
            None::<Token>,
            Latency::<1>,
        );
        let _ = out_tok;
    }
}
