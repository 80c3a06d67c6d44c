// Row normalisation over several tiles with a masked tail and f32 statistics.

#[cutile::module]
pub mod demo_module {
    use cutile::core::*;

    const FLOOR: f32 = 0.0;

    /// Pointers to one tile of a row, starting at a column.
    fn lanes<E: ElementType, const TILE: i32>(
        row: PointerTile<*mut E, { [] }>,
        col: Tile<i32, { [TILE] }>,
    ) -> PointerTile<*mut E, { [TILE] }> {
        let one: PointerTile<*mut E, { [1] }> = row.reshape(const_shape![1]);
        let all: PointerTile<*mut E, { [TILE] }> = one.broadcast(const_shape![TILE]);
        all.offset_tile(col)
    }

    #[cutile::entry(optimization_hints = (sm_100 = (occupancy = 4,),))]
    pub unsafe fn demo_kernel<E: ElementType, const N: i32, const TILE: i32>(
        x_ptr: *mut E,
        w_ptr: *mut E,
        y_ptr: *mut E,
        rstd_ptr: *mut f32,
        row_stride: i32,
        rows: i32,
        eps: f32,
    ) {
        let x_ptr = unsafe { assume_div_by::<_, 16>(x_ptr) };
        let rows = unsafe { assume_bounds_lower::<_, 0>(rows) };
        let (bid, _by, _bz) = get_tile_block_id();
        let (blocks, _gy, _gz) = get_num_tile_blocks();
        let tiles: i32 = (N + TILE - 1i32) / TILE;
        let iota_t: Tile<i32, { [TILE] }> = iota(const_shape![TILE]);
        let limit: Tile<i32, { [TILE] }> = broadcast_scalar(N, const_shape![TILE]);
        let zero: Tile<f32, { [TILE] }> = constant(FLOOR, const_shape![TILE]);
        let n32: Tile<i32, { [] }> = scalar_to_tile(N);
        let n_f: Tile<f32, { [] }> = convert_tile(n32);
        let eps_t: Tile<f32, { [] }> = scalar_to_tile(eps);
        let x_base: PointerTile<*mut E, { [] }> = pointer_to_tile(x_ptr);
        let w_base: PointerTile<*mut E, { [] }> = pointer_to_tile(w_ptr);
        let y_base: PointerTile<*mut E, { [] }> = pointer_to_tile(y_ptr);
        let r_base: PointerTile<*mut f32, { [] }> = pointer_to_tile(rstd_ptr);

        for row in (bid..rows).step_by(blocks as usize) {
            let row32: Tile<i32, { [] }> = scalar_to_tile(row);
            let row64: Tile<i64, { [] }> = exti(row32);
            let stride32: Tile<i32, { [] }> = scalar_to_tile(row_stride);
            let stride64: Tile<i64, { [] }> = exti(stride32);
            let start: Tile<i64, { [] }> = row64 * stride64;
            let x_row: PointerTile<*mut E, { [] }> = x_base.offset_tile(start);
            let y_row: PointerTile<*mut E, { [] }> = y_base.offset_tile(start);

            let mut acc: Tile<f32, { [TILE] }> = constant(0.0f32, const_shape![TILE]);
            for j in 0i32..tiles {
                let first: Tile<i32, { [TILE] }> = broadcast_scalar(j * TILE, const_shape![TILE]);
                let col: Tile<i32, { [TILE] }> = first + iota_t;
                let ok: Tile<bool, { [TILE] }> = cmpi(col, limit, predicate::LessThan);
                let ptrs: PointerTile<*mut E, { [TILE] }> = lanes(x_row, col);
                let (v, tok): (Tile<E, { [TILE] }>, Token) = load_ptr_tko(
                    ptrs,
                    ordering::Weak,
                    None::<scope::TileBlock>,
                    Some(ok),
                    None::<E>,
                    None::<Token>,
                    Latency::<1>,
                );
                let _ = tok;
                let vf: Tile<f32, { [TILE] }> = convert_tile(v);
                let safe: Tile<f32, { [TILE] }> = select(ok, vf, zero);
                acc = fma(safe, safe, acc, rounding::NearestEven, ftz::Enabled);
            }
            let total: Tile<f32, { [] }> = reduce_sum(acc, 0i32);
            let mean: Tile<f32, { [] }> = true_div(total, n_f);
            let shifted: Tile<f32, { [] }> = mean + eps_t;
            let rstd: Tile<f32, { [] }> = rsqrt(shifted, ftz::Enabled);
            let r_at: PointerTile<*mut f32, { [] }> = r_base.offset(row);
            let r_tok: Token = store_ptr_tko(
                r_at,
                rstd,
                ordering::Weak,
                None::<scope::TileBlock>,
                None,
                None::<Token>,
                Latency::<0>,
            );
            let _ = r_tok;
            let rstd_b: Tile<f32, { [TILE] }> = rstd.reshape(const_shape![1]).broadcast(const_shape![TILE]);

            for j in 0i32..tiles {
                let first: Tile<i32, { [TILE] }> = broadcast_scalar(j * TILE, const_shape![TILE]);
                let col: Tile<i32, { [TILE] }> = first + iota_t;
                let ok: Tile<bool, { [TILE] }> = cmpi(col, limit, predicate::LessThan);
                let xs: PointerTile<*mut E, { [TILE] }> = lanes(x_row, col);
                let ws: PointerTile<*mut E, { [TILE] }> = lanes(w_base, col);
                let ys: PointerTile<*mut E, { [TILE] }> = lanes(y_row, col);
                let (v, v_tok): (Tile<E, { [TILE] }>, Token) =
                    load_ptr_tko(xs, ordering::Weak, None::<scope::TileBlock>, Some(ok), None::<E>, None, Latency::<1>);
                let (w, w_tok): (Tile<E, { [TILE] }>, Token) =
                    load_ptr_tko(ws, ordering::Weak, None::<scope::TileBlock>, Some(ok), None::<E>, None, Latency::<1>);
                let joined: Token = join_tokens(&[v_tok, w_tok]);
                let vf: Tile<f32, { [TILE] }> = convert_tile(v);
                let wf: Tile<f32, { [TILE] }> = convert_tile(w);
                let scaled: Tile<f32, { [TILE] }> = mulf(vf, rstd_b, rounding::NearestEven, ftz::Enabled);
                let out: Tile<E, { [TILE] }> = convert_tile(scaled * wf);
                let y_tok = store_ptr_tko(ys, out, ordering::Weak, None::<scope::TileBlock>, Some(ok), Some(joined), Latency::<1>);
                let _ = y_tok;
            }
        }
    }
}
