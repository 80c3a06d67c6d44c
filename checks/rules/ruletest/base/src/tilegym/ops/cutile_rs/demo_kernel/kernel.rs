// demo: out[row, c] = in[row, c] * factor, one block per row.

#[cutile::module]
pub mod demo_module {
    use cutile::core::*;

    #[cutile::entry()]
    pub unsafe fn demo_kernel<E: ElementType, const BLOCK: i32>(
        out_ptr: *mut E,
        in_ptr: *mut E,
        cols: i32,
        row_stride: i32,
        factor: f32,
    ) {
        let out_ptr = unsafe { assume_div_by::<_, 16>(out_ptr) };
        let in_ptr = unsafe { assume_div_by::<_, 16>(in_ptr) };
        let row: i32 = get_tile_block_id().0;

        let row32: Tile<i32, { [] }> = scalar_to_tile(row);
        let row64: Tile<i64, { [] }> = exti(row32);
        let stride32: Tile<i32, { [] }> = scalar_to_tile(row_stride);
        let stride64: Tile<i64, { [] }> = exti(stride32);
        let offset: Tile<i64, { [] }> = row64 * stride64;

        let lane: Tile<i32, { [BLOCK] }> = iota(const_shape![BLOCK]);
        let limit: Tile<i32, { [BLOCK] }> = broadcast_scalar(cols, const_shape![BLOCK]);
        let inside: Tile<bool, { [BLOCK] }> = cmpi(lane, limit, predicate::LessThan);

        let in_base: PointerTile<*mut E, { [] }> = pointer_to_tile(in_ptr);
        let in_row: PointerTile<*mut E, { [] }> = in_base.offset_tile(offset);
        let in_one: PointerTile<*mut E, { [1] }> = in_row.reshape(const_shape![1]);
        let in_all: PointerTile<*mut E, { [BLOCK] }> = in_one.broadcast(const_shape![BLOCK]);
        let in_lanes: PointerTile<*mut E, { [BLOCK] }> = in_all.offset_tile(lane);
        let (value, tok): (Tile<E, { [BLOCK] }>, Token) = load_ptr_tko(
            in_lanes,
            ordering::Weak,
            None::<scope::TileBlock>,
            Some(inside),
            None::<E>,
            None::<Token>,
            Latency::<1>,
        );
        let _ = tok;

        let value32: Tile<f32, { [BLOCK] }> = convert_tile(value);
        let scale: Tile<f32, { [BLOCK] }> = broadcast_scalar(factor, const_shape![BLOCK]);
        let scaled: Tile<f32, { [BLOCK] }> =
            mulf(value32, scale, rounding::NearestEven, ftz::Disabled);
        let result: Tile<E, { [BLOCK] }> = convert_tile(scaled);

        let out_base: PointerTile<*mut E, { [] }> = pointer_to_tile(out_ptr);
        let out_row: PointerTile<*mut E, { [] }> = out_base.offset_tile(offset);
        let out_one: PointerTile<*mut E, { [1] }> = out_row.reshape(const_shape![1]);
        let out_all: PointerTile<*mut E, { [BLOCK] }> = out_one.broadcast(const_shape![BLOCK]);
        let out_lanes: PointerTile<*mut E, { [BLOCK] }> = out_all.offset_tile(lane);
        let stored: Token = store_ptr_tko(
            out_lanes,
            result,
            ordering::Weak,
            None::<scope::TileBlock>,
            Some(inside),
            None::<Token>,
            Latency::<1>,
        );
        let _ = stored;
    }
}
