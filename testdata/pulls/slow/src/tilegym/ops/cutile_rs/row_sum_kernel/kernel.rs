// out[row] = sum of x[row, :]. One block per row walks the row in tiles of TILE
// columns; the last tile is masked. The sum is compensated (Kahan).

#[cutile::module]
pub mod row_sum_module {
    use cutile::core::*;

    /// Generics: the element type, and TILE, the columns of one step.
    /// Arguments: two base pointers, the columns of a row, the row stride.
    #[cutile::entry()]
    pub unsafe fn row_sum_kernel<E: ElementType, const TILE: i32>(
        out_ptr: *mut E,
        x_ptr: *mut E,
        n_cols: i32,
        row_stride: i32,
    ) {
        let out_ptr = unsafe { assume_div_by::<_, 16>(out_ptr) };
        let x_ptr = unsafe { assume_div_by::<_, 16>(x_ptr) };

        let pid: i32 = get_tile_block_id().0;
        let pid64: Tile<i64, { [] }> = exti(scalar_to_tile(pid));
        let stride32: Tile<i32, { [] }> = scalar_to_tile(row_stride);
        let stride64: Tile<i64, { [] }> = exti(stride32);
        let row_off: Tile<i64, { [] }> = pid64 * stride64;

        let x_base: PointerTile<*mut E, { [] }> = pointer_to_tile(x_ptr);
        let x_row: PointerTile<*mut E, { [] }> = x_base.offset_tile(row_off);

        let mut acc: Tile<f32, { [TILE] }> = constant(0.0f32, const_shape![TILE]);
        let mut lost: Tile<f32, { [TILE] }> = constant(0.0f32, const_shape![TILE]);

        let steps: i32 = (n_cols + TILE - 1i32) / TILE;
        for step in 0i32..steps {
            let lanes: Tile<i32, { [TILE] }> = iota(const_shape![TILE]);
            let zero: Tile<f32, { [TILE] }> = constant(0.0f32, const_shape![TILE]);
            let first: i32 = step * TILE;
            let left: i32 = n_cols - first;
            let left_b: Tile<i32, { [TILE] }> = broadcast_scalar(left, const_shape![TILE]);
            let inside: Tile<bool, { [TILE] }> = cmpi(lanes, left_b, predicate::LessThan);

            let x_first: PointerTile<*mut E, { [] }> = x_row.offset(first);
            let x_one: PointerTile<*mut E, { [1] }> = x_first.reshape(const_shape![1]);
            let x_all: PointerTile<*mut E, { [TILE] }> = x_one.broadcast(const_shape![TILE]);
            let x_ptrs: PointerTile<*mut E, { [TILE] }> = x_all.offset_tile(lanes);
            let (x_tile, x_tok) = load_ptr_tko(
                x_ptrs,
                ordering::Weak,
                None::<scope::TileBlock>,
                Some(inside),
                None::<E>,
                None::<Token>,
                Latency::<1>,
            );
            let _ = x_tok;

            let x_f32: Tile<f32, { [TILE] }> = convert_tile(x_tile);
            let x_in: Tile<f32, { [TILE] }> = select(inside, x_f32, zero);
            let step_in: Tile<f32, { [TILE] }> = x_in - lost;
            let next: Tile<f32, { [TILE] }> = acc + step_in;
            let gained: Tile<f32, { [TILE] }> = next - acc;
            lost = gained - step_in;
            acc = next;
        }

        let total: Tile<f32, { [] }> = reduce_sum(acc, 0i32);
        let total_e: Tile<E, { [] }> = convert_tile(total);
        let result: Tile<E, { [1] }> = total_e.reshape(const_shape![1]);

        let out_base: PointerTile<*mut E, { [] }> = pointer_to_tile(out_ptr);
        let out_first: PointerTile<*mut E, { [] }> = out_base.offset(pid);
        let out_one: PointerTile<*mut E, { [1] }> = out_first.reshape(const_shape![1]);
        let out_tok: Token = store_ptr_tko(
            out_one,
            result,
            ordering::Weak,
            None::<scope::TileBlock>,
            None,
            None::<Token>,
            Latency::<1>,
        );
        let _ = out_tok;
    }
}
