// Persistent matrix product with both transposes, over views.

#[cutile::module]
pub mod demo_module {
    use cutile::core::*;

    #[cutile::entry(
        unchecked_accesses = true, // the schedule stays inside
        optimization_hints = (
            sm_90 = (occupancy = 1,),
            sm_100 = (occupancy = 1, num_cta_in_cga = 2,),
        ),
    )]
    pub unsafe fn demo_kernel<
        E: ElementType,
        EAcc: ElementType,
        const BM: i32,
        const BN: i32,
        const BK: i32,
        const TRANSPOSE_B: i32,
    >(
        a: &Tensor<E, { [-1, -1] }>,
        b: &Tensor<E, { [-1, -1] }>,
        acc_bias: &Tensor<f32, { [-1] }>,
        out: &Tensor<E, { [-1, -1] }>,
        counts: &Tensor<i32, { [-1] }>,
        alpha: f32,
    ) {
        let a_shape: Shape<{ [-1, -1] }> = a.shape();
        let m: i32 = a_shape[0];
        let k: i32 = a_shape[1];
        let out_shape: Shape<{ [-1, -1] }> = out.shape();
        let n: i32 = out_shape[1];
        let tiles_m: i32 = ceil_div(m, BM);
        let tiles_n: i32 = (n + BN - 1i32) / BN;
        let tiles_k: i32 = (BK - 1i32 + k) / BK;
        let grid: i32 = get_num_tile_blocks().0;
        let start: i32 = get_tile_block_id().0;
        let a_part: Partition<E, { [BM, BK] }> = a.partition(const_shape![BM, BK]);
        let mut out_part: PartitionMut<E, { [BM, BN] }> =
            unsafe { out.partition_full_mut(const_shape![BM, BN]) };
        let acc_part: Partition<f32, { [BN] }> = acc_bias.partition(const_shape![BN]);

        for tile in (start..tiles_m * tiles_n).step_by(grid as usize) {
            let pm: i32 = tile / tiles_n;
            let pn: i32 = tile % tiles_n;
            let mut acc: Tile<f32, { [BM, BN] }> = constant(0.0f32, const_shape![BM, BN]);
            for kt in 0i32..tiles_k {
                let at: Tile<E, { [BM, BK] }> =
                    load_view_tko(&a_part, [pm, kt], ordering::Weak, scope::TileBlock, None, tma::Enabled);
                if TRANSPOSE_B == 1i32 {
                    let b_part: Partition<E, { [BN, BK] }> = b.partition(const_shape![BN, BK]);
                    let ld: Tile<E, { [BN, BK] }> =
                        load_view_tko(&b_part, [pn, kt], ordering::Weak, scope::TileBlock, Some(2i32), tma::Enabled);
                    let bt: Tile<E, { [BK, BN] }> = permute(ld, const_array![1, 0]);
                    acc = mmaf(at, bt, acc);
                } else {
                    let b_part: Partition<E, { [BK, BN] }> = b.partition(const_shape![BK, BN]);
                    let bt: Tile<E, { [BK, BN] }> =
                        load_view_tko(&b_part, [kt, pn], ordering::Weak, scope::TileBlock, None, tma::Enabled);
                    acc = mmaf(at, bt, acc);
                }
            }
            let row_top: Tile<f32, { [BM] }> = reduce_max(acc, 1i32);
            let top_col: Tile<f32, { [BM, 1] }> = row_top.reshape(const_shape![BM, 1]);
            let top: Tile<f32, { [BM, BN] }> = top_col.broadcast(const_shape![BM, BN]);
            let alpha_t: Tile<f32, { [BM, BN] }> = broadcast_scalar(alpha, const_shape![BM, BN]);
            let acc_row: Tile<f32, { [BN] }> =
                load_view_tko(&acc_part, [pn], ordering::Weak, scope::TileBlock, None, tma::Enabled);
            let shift: Tile<f32, { [BM, BN] }> =
                acc_row.reshape(const_shape![1, BN]).broadcast(const_shape![BM, BN]);
            let e: Tile<f32, { [BM, BN] }> = exp2(acc * alpha_t - top + shift, ftz::Enabled);
            let result: Tile<E, { [BM, BN] }> = convert_tile(e);
            unsafe {
                store_view_tko_mut(&mut out_part, result, [pm, pn], ordering::Weak, scope::TileBlock, None, tma::Enabled);
            }
        }
    }
}
