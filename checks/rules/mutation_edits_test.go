package rules_test

// violations are edits that break one rule each, written from the rulebook.
var violations = []mutation{
	// R1: one typed binding per change of rank or type.
	{name: "R1 pointer chain on a row base", rule: "R1", file: "silu.k", do: []step{
		lines("let a_p0: PointerTile", 1, 3, `
let a_ptrs: PointerTile<*mut E, { [BLOCK_SIZE] }> = in_row_base
    .reshape(const_shape![1])
    .broadcast(const_shape![BLOCK_SIZE])
    // one pointer per column
    .offset_tile(cols);`)}},
	{name: "R1 pointer chain from the parameter", rule: "R1", file: "swiglu.k", do: []step{
		lines("let c_p0: PointerTile", 1, 4, `
let c_ptrs: PointerTile<*mut E, { [TILE_SIZE] }> =
    pointer_to_tile(c_ptr).reshape(const_shape![1]).broadcast(const_shape![TILE_SIZE]).offset_tile(c_off);`)}},
	{name: "R1 permute without a type", rule: "R1", file: "bmm.k", do: []step{
		sub("let a_perm", 1, ": Tile<E, { [1, BM, BK] }>", "")}},
	{name: "R1 permute as a receiver", rule: "R1", file: "bmm.k", do: []step{
		lines("let b_perm", 1, 2, `
b_tile = permute(b_ld_t, const_array![0, 2, 1]) // [1, BK, BN]
    .reshape(const_shape![BK, BN]);`)}},
	{name: "R1 convert as a receiver", rule: "R1", file: "sink.k", do: []step{
		lines("let sink_f32_1", 1, 2, "let sink_f32: Tile<f32, { [] }> = convert_tile(sink_tile).reshape(const_shape![]);")}},
	{name: "R1 iota as a receiver", rule: "R1", file: "sink.k", do: []step{
		lines("let iota_n", 1, 2, `
let offs_n_tile: Tile<i32, { [1, TILE_N] }> =
    iota(const_shape![TILE_N]).reshape(const_shape![1, TILE_N]);`)}},
	{name: "R1 pointer chain in a helper", rule: "R1", file: "silu.k", do: []step{
		after("use cutile::core", 1, `

/// Spreads a base pointer over a tile.
fn spread<E: ElementType, const W: i32>(base: *mut E) -> PointerTile<*mut E, { [W] }> {
    let all: PointerTile<*mut E, { [W] }> =
        pointer_to_tile(base).reshape(const_shape![1]).broadcast(const_shape![W]);
    all
}`)}},

	// R2: plain decimal literals.
	{name: "R2 exponent in constant", rule: "R2", file: "sink.k", do: []step{sub("constant(-1000000.0f32", 1, "-1000000.0f32", "-1e6f32")}},
	{name: "R2 core consts in a scalar", rule: "R2", file: "sink.k", do: []step{
		sub("let qk_scale_log2", 1, "1.4426950408889634f32", "core::f32::consts::LOG2_E")}},
	{name: "R2 std consts on its own line", rule: "R2", file: "silu.k", do: []step{
		lines("let log2e", 1, 1, `
let log2e: Tile<f32, { [BLOCK_SIZE] }> = constant(
    // 1 / ln 2
    std::f32::consts::LOG2_E,
    const_shape![BLOCK_SIZE],
);`)}},
	{name: "R2 zero with an exponent", rule: "R2", file: "mm.k", do: []step{sub("let mut acc", 1, "0.0f32", "0.0e0f32")}},
	{name: "R2 capital exponent", rule: "R2", file: "swiglu.k", do: []step{sub("let one", 1, "1.0f32", "1E0f32")}},
	{name: "R2 negative infinity", rule: "R2", file: "sink.k", do: []step{sub("constant(-1000000.0f32", 1, "-1000000.0f32", "f32::NEG_INFINITY")}},
	{name: "R2 epsilon of a type", rule: "R2", by: "R14", file: "bmm.k", do: []step{
		after("let out2d", 2, "let eps: Tile<f32, { [] }> = scalar_to_tile(f32::EPSILON);")}},
	{name: "R2 exponent in a helper", rule: "R2", file: "swiglu.k", do: []step{
		after("use cutile::core", 1, `

fn floor_of<const W: i32>() -> Tile<f32, { [W] }> {
    let low: Tile<f32, { [W] }> = broadcast_scalar(2.5e-3f32, const_shape![W]);
    low
}`)}},

	// R3: token bindings.
	{name: "R3 wildcard token", rule: "R3", file: "silu.k", do: []step{
		sub("let (a_tile, a_tok)", 1, "a_tok", "_"), cut("let _ = a_tok", 1, 1)}},
	{name: "R3 underscore token", rule: "R3", file: "swiglu.k", do: []step{
		sub("let (b_tile, b_tok)", 1, "b_tok", "_b_tok"), cut("let _ = b_tok", 1, 1)}},
	{name: "R3 underscore token on its own line", rule: "R3", file: "silu.k", do: []step{
		lines("let (b_tile, b_tok)", 1, 1, `
let (
    b_tile,
    _tok, // not needed
): (Tile<E, { [BLOCK_SIZE] }>, Token) = load_ptr_tko(`), cut("let _ = b_tok", 1, 1)}},

	// R4: a reduction is bound before it is used.
	{name: "R4 reshape of a reduction", rule: "R4", file: "sink.k", do: []step{
		lines("let row_max: ", 1, 2, `
let row_max_col: Tile<f32, { [TILE_M, 1] }> =
    reduce_max(qk, 1i32).reshape(const_shape![TILE_M, 1]);`)}},
	{name: "R4 reduction without a type", rule: "R4", file: "sink.k", do: []step{sub("let row_sum: ", 1, ": Tile<f32, { [TILE_M] }>", "")}},
	{name: "R4 rsqrt of a reduction", rule: "R4", file: "mm.k", do: []step{
		before("let result", 1, "let inv: Tile<f32, { [BM] }> = rsqrt(reduce_sum(acc, 1i32), ftz::Enabled);")}},
	{name: "R4 quotient of reductions", rule: "R4", file: "silu.k", do: []step{
		before("let log2e", 1, "let share: Tile<f32, { [] }> = reduce_sum(a_f32, 0i32) / reduce_max(b_f32, 0i32);")}},
	{name: "R4 reduction as an argument over lines", rule: "R4", file: "swiglu.k", do: []step{
		before("let neg_a", 1, `
let peak: Tile<f32, { [] }> = exp2(
    // largest column
    reduce_max(a_f32, 0i32),
    ftz::Enabled,
);`)}},
	{name: "R4 unbound minimum", rule: "R4", file: "bmm.k", do: []step{
		before("let out2d", 2, "let lowest = reduce_min(acc, 0i32);")}},
	{name: "R4 maximum of a reduction", rule: "R4", file: "sink.k", do: []step{
		lines("let row_sum: ", 1, 1, `
let row_sum: Tile<f32, { [TILE_M] }> =
    maxf(reduce_sum(p, 1i32), reduce_max(p, 1i32), nan::Disabled, ftz::Disabled);`)}},

	// R5: reducing an axis removes it.
	{name: "R5 sum keeps the axis", rule: "R5", file: "sink.k", do: []step{sub("let row_sum: ", 1, "{ [TILE_M] }", "{ [TILE_M, 1] }")}},
	{name: "R5 maximum of the other axis", rule: "R5", file: "sink.k", do: []step{sub("let row_max: ", 1, "1i32", "0i32")}},
	{name: "R5 column maximum keeps the axis", rule: "R5", file: "mm.k", do: []step{
		before("let result", 1, "let col_max: Tile<f32, { [1, BN] }> = reduce_max(acc, 0i32);")}},
	{name: "R5 wrong length", rule: "R5", file: "bmm.k", do: []step{
		before("let out2d", 1, `
let col_sum: Tile<f32, { [BM] }> =
    reduce_sum(acc, 0i32); // over rows`)}},
	{name: "R5 rank 1 stays rank 1", rule: "R5", file: "swiglu.k", do: []step{
		before("let neg_a", 1, "let total: Tile<f32, { [1] }> = reduce_sum(a_f32, 0i32);")}},
	{name: "R5 minimum keeps the rank", rule: "R5", file: "silu.k", do: []step{
		before("let log2e", 1, "let low: Tile<f32, { [BLOCK_SIZE] }> = reduce_min(b_f32, 0i32);")}},

	// R6: no arithmetic in types and shapes.
	{name: "R6 half a tile", rule: "R6", file: "mm.k", do: []step{
		before("let result", 1, "let half: Tile<f32, { [BM / 2, BN] }> = constant(0.0f32, const_shape![BM / 2, BN]);")}},
	{name: "R6 product in const_shape", rule: "R6", file: "silu.k", do: []step{
		before("let hidden_tile", 1, "let wide = iota(const_shape![BLOCK_SIZE * 2]);")}},
	{name: "R6 product in a partition", rule: "R6", file: "sink.k", do: []step{
		sub("v.partition(const_shape![1, 1, TILE_N", 1, "TILE_N,", "TILE_N * 2,")}},
	{name: "R6 sum in a helper's return type", rule: "R6", file: "bmm.k", do: []step{
		after("use cutile::core", 1, `

fn twice<E: ElementType, const W: i32>(t: Tile<E, { [W] }>) -> Tile<E, { [W + W] }> {
    cat(t, t, 0i32)
}`)}},
	{name: "R6 difference over lines", rule: "R6", file: "swiglu.k", do: []step{
		before("let neg_a", 1, `
let inner: Tile<
    f32,
    {
        [
            TILE_SIZE - 1, // without the last column
        ]
    },
> = extract(a_f32);`)}},
	{name: "R6 product in a parameter", rule: "R6", file: "sink.k", do: []step{
		sub("sinks: &Tensor", 1, "{ [-1] }", "{ [H * QUERY_GROUP_SIZE] }")}},
	{name: "R6 product in const_array", rule: "R6", file: "bmm.k", do: []step{
		after("let out2d", 2, "let steps = const_array![BM * 2, 1];")}},

	// R7: integer conversions in two typed steps.
	{name: "R7 exti of scalar_to_tile", rule: "R7", file: "silu.k", do: []step{
		lines("let pid32", 1, 2, "let pid64: Tile<i64, { [] }> = exti(scalar_to_tile(pid));")}},
	{name: "R7 exti of scalar_to_tile over lines", rule: "R7", file: "swiglu.k", do: []step{
		lines("let lim_i32", 1, 2, `
let lim_s: Tile<i64, { [] }> = exti(
    scalar_to_tile(a_shape0), // rows
);`)}},
	{name: "R7 exti without a type", rule: "R7", file: "silu.k", do: []step{sub("let in_stride64", 1, ": Tile<i64, { [] }>", "")}},
	{name: "R7 wrapping mode", rule: "R7", file: "swiglu.k", do: []step{
		after("let cols_i64", 1, "let cols_back: Tile<i32, { [TILE_SIZE] }> = trunci(cols_i64, overflow::Wrap);")}},
	{name: "R7 trunci of scalar_to_tile", rule: "R7", file: "sink.k", do: []step{
		after("let start_n: i32", 1, "let narrow: Tile<i16, { [] }> = trunci(scalar_to_tile(start_n), overflow::None);")}},
	{name: "R7 trunci without a type", rule: "R7", file: "silu.k", do: []step{
		after("let out_row_off", 1, "let off32 = trunci(out_row_off, overflow::None);")}},

	// R8: f32 accumulators, tf32 as in the reference.
	{name: "R8 accumulator of the data type", rule: "R8", file: "mm.k", do: []step{sub("let mut acc", 1, "Tile<f32", "Tile<E")}},
	{name: "R8 f16 accumulator", rule: "R8", file: "bmm.k", do: []step{
		lines("let mut acc", 1, 1, `
let mut acc: Tile<f16, { [BM, BN] }> =
    constant(0.0f16, const_shape![BM, BN]);`)}},
	{name: "R8 bf16 accumulator", rule: "R8", file: "bmm.k", do: []step{sub("let mut acc", 2, "Tile<f32", "Tile<bf16")}},
	{name: "R8 scores of the data type", rule: "R8", file: "sink.k", do: []step{sub("let qk_zero", 1, "Tile<f32", "Tile<E")}},
	{name: "R8 no tf32 in either entry", rule: "R8", file: "mm.k", do: []step{
		lines("if CAST_TF32", 1, 7, "acc = mmaf(a_tile, b_tile, acc);"),
		lines("if CAST_TF32", 1, 7, "acc = mmaf(a_tile, b_tile, acc);")}},
	{name: "R8 no tf32 in one entry", rule: "R8", file: "mm.k", do: []step{
		lines("if CAST_TF32", 2, 7, "acc = mmaf(a_tile, b_tile, acc);")},
		at: []string{"mm.k: static_persistent_matmul_kernel"}},
	{name: "R8 tf32 for every type", rule: "R8", file: "mm.k", do: []step{
		lines("if CAST_TF32", 1, 7, `
let a_tf32: Tile<tf32, { [BM, BK] }> = convert_tile(a_tile);
let b_tf32: Tile<tf32, { [BK, BN] }> = convert_tile(b_tile);
acc = mmaf(a_tf32, b_tf32, acc);`)}},

	// R9: dims list the dynamic entries only.
	{name: "R9 static stride listed", rule: "R9", file: "mm.k", do: []step{
		before("let result", 1, "let strides: Array<{ [-1, 1] }> = Array::<{ [-1, 1] }> { dims: &[n, 1i32] };")}},
	{name: "R9 dynamic extent missing", rule: "R9", file: "bmm.k", do: []step{
		after("let num_k: i32", 1, "let shape: Shape<{ [-1, -1, -1] }> = Shape::<{ [-1, -1, -1] }> { dims: &[rt_q, rt_m] };")}},
	{name: "R9 static stride listed over lines", rule: "R9", file: "silu.k", do: []step{
		after("let pid: i32", 1, `
let row_strides = Array::<{ [-1, 1] }> {
    dims: &[
        in_row_stride,
        1i32, // contiguous columns
    ],
};`)}},
	{name: "R9 shape by annotation", rule: "R9", file: "swiglu.k", do: []step{
		before("let row: i32", 1, "let shape: Shape<{ [-1, -1] }> = Shape { dims: &[a_shape0] };")}},
	{name: "R9 all static yet listed", rule: "R9", file: "sink.k", do: []step{
		before("let row_base: i32", 1, "let unit = Shape::<{ [1, 1] }> { dims: &[1i32, 1i32] };")}},

	// R10: memory is borrowed.
	{name: "R10 tensor from raw parts", rule: "R10", file: "mm.f", do: []step{
		sub("let a_t", 1, "borrow_tensor::<$E>(a_d)", "Tensor::<$E>::from_raw_parts(a_d.ptr, a_d.nbytes(), 0, vec![m, k], vec![k, 1])")}},
	{name: "R10 forget after the launch", rule: "R10", file: "bmm.f", do: []step{
		before("// a_t/b_t/c_t are ManuallyDrop", 1, "core::mem::forget(c_t);")}},
	{name: "R10 transmute to a pointer", rule: "R10", file: "silu.f", do: []step{
		sub("let out_dp", 1, "DevicePointer::from_cu_deviceptr(out_d.ptr)", "core::mem::transmute::<u64, DevicePointer<$E>>(out_d.ptr)")}},
	{name: "R10 inner value taken", rule: "R10", file: "sink.f", do: []step{
		after("let start_q_t", 1, "let out_t = core::mem::ManuallyDrop::into_inner(out_t);")}},
	{name: "R10 descriptor boxed", rule: "R10", file: "swiglu.f", do: []step{
		after("let n_rows", 1, "let owned = unsafe { Box::from_raw(c as *mut TensorDesc) };")}},
	{name: "R10 fixed element type", rule: "R10", file: "sink.f", do: []step{sub("let sinks_t", 1, "<$E>", "<f32>")}},
	{name: "R10 imported mem", rule: "R10", file: "mm.f", do: []step{
		after("use core::ffi::c_void", 1, "use core::mem;"),
		before("// a_t/b_t/c_t are ManuallyDrop", 1, "mem::forget(b_t);")}},
	{name: "R10 owning helper", rule: "R10", file: "bmm.f", do: []step{
		before("#[unsafe(no_mangle)]", 1, `
/// Rebuilds the tensor that PyTorch allocated.
unsafe fn take<E: DType>(d: &TensorDesc, shape: Vec<i32>, strides: Vec<i32>) -> Tensor<E> {
    unsafe { Tensor::from_raw_parts(d.ptr, d.nbytes(), 0, shape, strides) }
}
`)}},
	{name: "R10 shared owner", rule: "R10", file: "sink.f", do: []step{
		after("let start_q_t", 1, "let out_t = std::sync::Arc::new(out_t);")}},

	// R11: strides of pipeline tests have the full rank.
	{name: "R11 rank 1 strides of a matrix", rule: "R11", file: "mm.d/matmul_pipeline.rs", do: []step{create(pipeline("matmul", "non_persistent_matmul_kernel",
		`.strides(&[("a", &[K]), ("b", &[N, 1]), ("c", &[N, 1])])`))}},
	{name: "R11 tensor without strides", rule: "R11", file: "mm.d/matmul_pipeline.rs", do: []step{create(pipeline("matmul", "non_persistent_matmul_kernel", `
        // the output has the strides of b
        .strides(&[
            ("a", &[K, 1]),
            ("b", &[N, 1]),
        ])`))}, at: []string{"mm.d/matmul_pipeline.rs"}},
	{name: "R11 named strides", rule: "R11", file: "bmm.d/bmm_pipeline.rs", do: []step{create(pipeline("bmm", "non_persistent_bmm_kernel",
		`.strides(&[("a", A_STRIDES), ("b", &[K * N, N, 1]), ("c", &[M * N, N, 1])])`) + "\nconst A_STRIDES: &[i32] = &[K, 1];\n")},
		at: []string{"bmm.d/bmm_pipeline.rs"}},
	{name: "R11 strides of one tensor of six", rule: "R11", file: "sink.d/attention_sink_pipeline.rs", do: []step{create(pipeline("attention_sink", "attention_sink_kernel",
		`.strides(&[("q", &[65536, 8192, 64, 1])])`))}, at: []string{"sink.d/attention_sink_pipeline.rs"}},

	// R12: entries.
	{name: "R12 bare attribute", rule: "R12", file: "silu.k", do: []step{sub("#[cutile::entry()]", 1, "()", "")}},
	{name: "R12 short path", rule: "R12", file: "swiglu.k", do: []step{sub("#[cutile::entry()]", 1, "cutile::entry", "entry")}},
	{name: "R12 private second entry", rule: "R12", file: "mm.k", do: []step{sub("pub unsafe fn", 2, "pub ", "")}},
	{name: "R12 safe entry with pointers", rule: "R12", file: "silu.k", do: []step{sub("pub unsafe fn", 1, "unsafe ", "")}},
	{name: "R12 const pointer", rule: "R12", file: "swiglu.k", do: []step{sub("b_ptr: *mut E", 1, "*mut", "*const")}},
	{name: "R12 tensor by value", rule: "R12", file: "mm.k", do: []step{sub("a: &Tensor", 1, "&Tensor", "Tensor")}},
	{name: "R12 unchecked safe entry", rule: "R12", file: "bmm.k", do: []step{sub("pub unsafe fn", 2, "unsafe ", "")}},
	{name: "R12 options dropped with the list", rule: "R12", file: "sink.k", do: []step{
		lines("#[cutile::entry(", 1, 5, "#[cutile::entry] // hints come from the host")}},
	{name: "R12 crate visible entry", rule: "R12", file: "bmm.k", do: []step{sub("pub unsafe fn", 1, "pub ", "pub(self) ")}},
	{name: "R12 pointers against a view reference", rule: "R12", by: "R28", file: "silu.d/reference/reference.mlir", do: []step{create(`
cuda_tile.module @kernels {
  entry @silu_and_mul_kernel(%0: tile<ptr<f16>>, %1: tile<ptr<f16>>) {
    %2 = make_tensor_view %0, shape = [64, 1024], strides = [1024, 1] : tensor_view<64x1024xf16, strides=[1024,1]>
    %3 = make_partition_view %2 : partition_view<tile=(1x1024), tensor_view<64x1024xf16, strides=[1024,1]>>
    %4, %5 = load_view_tko weak %3[%6, %7] : partition_view<tile=(1x1024), tensor_view<64x1024xf16, strides=[1024,1]>>, tile<i32> -> tile<1x1024xf16>, token
    %8 = store_view_tko weak %4, %3[%6, %7] : tile<1x1024xf16>, partition_view<tile=(1x1024), tensor_view<64x1024xf16, strides=[1024,1]>>, tile<i32> -> token
    return
  }
}
`)}, at: []string{"silu.k"}},
	{name: "R12 one variant, two entries", rule: "R12", file: "mm.d/reference/analysis.json", do: []step{create(analysis("matmul", `
  "kernel_variants": [
    {"variant_name": "non_persistent", "kernel_function": "_matmul_kernel", "reference_ir": "reference/reference_non_persistent.mlir"}
  ],
  "config_to_variant": {"all": "non_persistent"},`))}, at: []string{"mm.k"}},

	// R13: step_by.
	{name: "R13 step without a cast", rule: "R13", file: "mm.k", do: []step{sub(".step_by(", 1, " as usize", "")}},
	{name: "R13 suffixed step", rule: "R13", file: "bmm.k", do: []step{sub(".step_by(", 1, "grid_x as usize", "8i32")}},
	{name: "R13 step of one", rule: "R13", file: "sink.k", do: []step{sub("for j in", 1, "start_block..tc", "(start_block..tc).step_by(1i32)")}},
	{name: "R13 reversed", rule: "R13", file: "sink.k", do: []step{sub("for j in", 1, "start_block..tc", "(start_block..tc).rev()")}},
	{name: "R13 open range", rule: "R13", file: "mm.k", do: []step{sub("for k in 0i32..", 1, "num_tiles_k", "")}},
	{name: "R13 cast to u32", rule: "R13", file: "bmm.k", do: []step{sub(".step_by(", 1, "as usize", "as u32")}},
	{name: "R13 step on its own line", rule: "R13", file: "mm.k", do: []step{
		lines("for tile_id in", 1, 1, `
for tile_id in (start_bid..num_tiles)
    // grid stride
    .step_by(grid_x)
{`)}},
	{name: "R13 step in a local", rule: "R13", file: "bmm.k", do: []step{
		lines("for tile_id in", 1, 1, `
let stride: i32 = grid_x;
for tile_id in (bid_x..total_tiles).step_by(stride) {`)}},

	// R14: no associated constants.
	{name: "R14 zero padding", rule: "R14", file: "silu.k", do: []step{sub("None::<E>,", 1, "None::<E>", "Some(E::ZERO)")}},
	{name: "R14 zero padding for None", rule: "R14", file: "swiglu.k", do: []step{
		lines("Some(a_mask)", 1, 2, "Some(a_mask),\nSome(E::ZERO), // like the reference")}},
	{name: "R14 zero in a local", rule: "R14", file: "sink.k", do: []step{before("let row_base: i32", 1, "let nothing: E = E::ZERO;")}},
	{name: "R14 one in a tile", rule: "R14", file: "mm.k", do: []step{
		before("let result", 1, "let unit: Tile<E, { [] }> = scalar_to_tile(E::ONE);")}},
	{name: "R14 smallest value", rule: "R14", file: "silu.k", do: []step{sub("None::<E>,", 2, "None::<E>", "Some(f32::MIN)")}},
	{name: "R14 largest value as an argument", rule: "R14", file: "bmm.k", do: []step{
		after("let a_tile: ", 1, `
let top: Tile<E, { [BM, BK] }> = broadcast_scalar(
    E::MAX,
    const_shape![BM, BK],
);`)}},

	// R15: annotate a loaded tuple that is reduced.
	{name: "R15 sum of a load", rule: "R15", by: "R47", file: "silu.k", do: []step{
		sub("let (a_tile, a_tok)", 1, ": (Tile<E, { [BLOCK_SIZE] }>, Token)", ""),
		after("let _ = a_tok", 1, "let total: Tile<E, { [] }> = reduce_sum(a_tile, 0i32);")}},
	{name: "R15 maximum of a converted load", rule: "R15", by: "R47", file: "swiglu.k", do: []step{
		sub("let (b_tile, b_tok)", 1, ": (Tile<E, { [TILE_SIZE] }>, Token)", ""),
		after("let _ = b_tok", 1, "let top: Tile<f32, { [] }> = reduce_max(convert_tile(b_tile), 0i32);")}},
	{name: "R15 sum of a derived tile", rule: "R15", by: "R47", file: "swiglu.k", do: []step{
		sub("let (a_tile, a_tok)", 1, ": (Tile<E, { [TILE_SIZE] }>, Token)", ""),
		after("let _ = a_tok", 1, "let af = convert_tile(a_tile);\nlet total: Tile<f32, { [] }> = reduce_sum(af, 0i32);")}},

	// R16: the data type is generic.
	{name: "R16 f16 only", rule: "R16", file: "silu.k", do: []step{
		lines("pub unsafe fn", 1, 3, `
pub unsafe fn silu_and_mul_kernel<const BLOCK_SIZE: i32>(
    out_ptr: *mut f16,
    in_ptr: *mut f16,`)}},
	{name: "R16 f16 operand", rule: "R16", file: "mm.k", do: []step{sub("a: &Tensor<E", 2, "<E", "<f16")}},
	{name: "R16 bf16 output", rule: "R16", file: "swiglu.k", do: []step{sub("c_ptr: *mut E", 1, "*mut E", "*mut bf16")}},
	{name: "R16 bf16 values", rule: "R16", file: "sink.k", do: []step{sub("v: &Tensor<E", 1, "<E", "<bf16")}},
	{name: "R16 f32 operand", rule: "R16", file: "bmm.k", do: []step{sub("b: &Tensor<E", 2, "<E", "<f32")}},

	// R17: one copy of the kernel.
	{name: "R17 kernel not included", rule: "R17", file: "lib", do: []step{cut("swiglu_kernel/kernel.rs", 1, 1)}, at: []string{"lib", "swiglu.k"}},
	{name: "R17 include commented out", rule: "R17", file: "lib", do: []step{sub("bmm_kernel/kernel.rs", 1, "include!", "// include!")}, at: []string{"lib", "bmm.k"}},
	{name: "R17 include misspelt", rule: "R17", file: "lib", do: []step{sub("matmul_kernel/kernel.rs", 1, "matmul_kernel", "matmul_kernal")}, at: []string{"lib", "mm.k"}},
	{name: "R17 kernel pasted into the pipeline test", rule: "R17", file: "silu.d/silu_and_mul_pipeline.rs", do: []step{create(`
use cutile::compile_api::KernelCompiler;

#[cutile::module]
mod silu_and_mul_module {
    use cutile::core::*;

    #[cutile::entry()]
    pub unsafe fn silu_and_mul_kernel<E: ElementType, const BLOCK_SIZE: i32>(out_ptr: *mut E, hidden_size: i32) {
        let cols: Tile<i32, { [BLOCK_SIZE] }> = iota(const_shape![BLOCK_SIZE]);
    }
}

use silu_and_mul_module::__module_ast_self;

#[test]
fn compiles() {
    let artifacts = KernelCompiler::new(__module_ast_self, "silu_and_mul_module", "silu_and_mul_kernel")
        .generics(vec!["f32".to_string(), "1024".to_string()])
        .target("sm_100")
        .compile()
        .expect("compiles");
}
`)}, at: []string{"silu.d/silu_and_mul_pipeline.rs", "silu.k"}},
	{name: "R17 test in the kernel", rule: "R17", file: "mm.k", do: []step{add(`
#[test]
fn module_is_named() {
    assert_eq!(stringify!(matmul_module), "matmul_module");
}
`)}},
	{name: "R17 export in the kernel", rule: "R17", file: "swiglu.k", do: []step{add(`
/// Version of the kernel's contract.
#[unsafe(no_mangle)]
pub extern "C" fn cutile_swiglu_version() -> i32 {
    1
}
`)}},
	{name: "R17 module in the launcher", rule: "R17", file: "bmm.f", do: []step{add(`
#[cutile::module]
mod bmm_extra_module {
    use cutile::core::*;

    #[cutile::entry()]
    pub unsafe fn clear_kernel<E: ElementType, const W: i32>(x: *mut E) {
        let p: PointerTile<*mut E, { [] }> = pointer_to_tile(x);
    }
}
`)}},
	{name: "R17 new kernel without a module", rule: "R17", by: "R35", file: "src/tilegym/ops/cutile_rs/rope_kernel/kernel.rs", do: []step{create(`
#[cutile::module]
pub mod rope_module {
    use cutile::core::*;

    #[cutile::entry()]
    pub unsafe fn rope_kernel<E: ElementType, const W: i32>(x_ptr: *mut E) {
        let x_ptr = unsafe { assume_div_by::<_, 16>(x_ptr) };
    }
}
`)}, at: []string{"lib", "src/tilegym/ops/cutile_rs/rope_kernel/kernel.rs"}},

	// R18: runtime values are broadcast.
	{name: "R18 local", rule: "R18", file: "sink.k", do: []step{sub("broadcast_scalar(start_n,", 1, "broadcast_scalar", "constant")}},
	{name: "R18 float local", rule: "R18", file: "sink.k", do: []step{sub("broadcast_scalar(qk_scale_log2", 2, "broadcast_scalar", "constant")}},
	{name: "R18 parameter", rule: "R18", file: "silu.k", do: []step{sub("broadcast_scalar(hidden_size", 1, "broadcast_scalar", "constant")}},
	{name: "R18 const generic", rule: "R18", file: "sink.k", do: []step{sub("broadcast_scalar(N_KV_CTX", 1, "broadcast_scalar", "constant")}},
	{name: "R18 sum", rule: "R18", file: "mm.k", do: []step{
		before("let result", 1, `
let limit: Tile<i32, { [BM] }> = constant(
    num_tiles_k + 1i32,
    const_shape![BM],
);`)}},
	{name: "R18 expression of a const generic", rule: "R18", file: "sink.k", do: []step{sub("broadcast_scalar(BANDWIDTH", 1, "broadcast_scalar", "constant")}},
	{name: "R18 literal in a local", rule: "R18", file: "swiglu.k", do: []step{
		lines("let one: ", 1, 1, "let unit: f32 = 1.0f32;\nlet one: Tile<f32, { [TILE_SIZE] }> = constant(unit, const_shape![TILE_SIZE]);")}},

	// R19: true division.
	{name: "R19 operator", rule: "R19", file: "silu.k", do: []step{sub("let sig: ", 1, "true_div(e, one_plus_e)", "e / one_plus_e")}},
	{name: "R19 reciprocal", rule: "R19", file: "swiglu.k", do: []step{sub("let sigmoid: ", 1, "true_div(one, denom)", "(one / denom)")}},
	{name: "R19 operator over lines", rule: "R19", file: "sink.k", do: []step{
		lines("let acc_norm: ", 1, 1, `
let acc_norm: Tile<f32, { [TILE_M, TILE_D] }> = acc
    / z_d; // normalize`)}},
	{name: "R19 approximate divf", rule: "R19", file: "silu.k", do: []step{
		lines("let sig: ", 1, 1, `
let sig: Tile<f32, { [BLOCK_SIZE] }> = divf(
    e,
    one_plus_e,
    rounding::Approx,
    ftz::Enabled,
);`)}},
	{name: "R19 approximate divf of rows", rule: "R19", file: "sink.k", do: []step{
		sub("let acc_norm: ", 1, "true_div(acc, z_d)", "divf(acc, z_d, rounding::Approx, ftz::Enabled)")}},

	// R20: hints.
	{name: "R20 occupancy of nowhere", rule: "R20", file: "mm.k", do: []step{
		sub("#[cutile::entry()]", 1, "()", "(optimization_hints = (sm_100 = (occupancy = 4,),))")}},
	{name: "R20 cluster left to the compiler", rule: "R20", file: "mm.py", do: []step{sub("            cfg.NUM_CTAS,", 1, "cfg.NUM_CTAS", "-1")}, at: []string{"mm.py"}},
	{name: "R20 cluster of two", rule: "R20", file: "silu.py", do: []step{sub("_COMPILE_NUM_CTA_IN_CGA = None", 1, "None", "2")}, at: []string{"silu.py"}},
	{name: "R20 latency of nowhere", rule: "R20", file: "swiglu.k", do: []step{sub("Latency::<0>", 1, "<0>", "<4>")}},
	{name: "R20 other latency", rule: "R20", file: "sink.k", do: []step{sub("Some(6i32)", 1, "6i32", "4i32")}},
	{name: "R20 other latency in the transposed load", rule: "R20", file: "bmm.k", do: []step{sub("Some(3i32)", 2, "3i32", "5i32")}},
	{name: "R20 unknown key", rule: "R20", file: "sink.k", do: []step{sub("occupancy = 2", 1, "occupancy = 2,", "occupancy = 2, latency = 6,")}},
	{name: "R20 tma at the entry", rule: "R20", file: "bmm.k", do: []step{
		sub("#[cutile::entry(unchecked_accesses", 1, "unchecked_accesses = true", "unchecked_accesses = true, optimization_hints = (sm_100 = (allow_tma = false,),)")}},
	{name: "R20 cluster not forwarded", rule: "R20", file: "bmm.py", do: []step{sub("_compile_option_value(num_cta_in_cga)", 1, "_compile_option_value(num_cta_in_cga)", "_AUTO_COMPILE_OPTION")}, at: []string{"bmm.py"}},
	{name: "R20 other occupancy than the reference", rule: "R20", file: "sink.k", do: []step{sub("occupancy = 2", 1, "2", "4")}},
	{name: "R20 constant cluster", rule: "R20", file: "swiglu.py", do: []step{sub("        _AUTO_COMPILE_OPTION,", 1, "_AUTO_COMPILE_OPTION", "2")}, at: []string{"swiglu.py"}},

	// R21: divisibility of pointers only.
	{name: "R21 size", rule: "R21", file: "silu.k", do: []step{
		before("let pid: i32", 1, "let hidden_size = unsafe { assume_div_by::<_, 16>(hidden_size) };")}},
	{name: "R21 bound turned into a divisor", rule: "R21", file: "swiglu.k", do: []step{sub("assume_bounds_lower::<_, 0>(a_shape1)", 1, "assume_bounds_lower::<_, 0>", "assume_div_by::<_, 8>")}},
	{name: "R21 reduction length", rule: "R21", file: "bmm.k", do: []step{sub("assume_bounds_lower::<_, 0>(rt_k)", 1, "assume_bounds_lower::<_, 0>", "assume_div_by::<_, 64>")}},
	{name: "R21 size over lines", rule: "R21", file: "mm.k", do: []step{
		before("let num_bid_m", 2, `
let k = unsafe {
    // K is padded by the caller
    assume_div_by::<_, 16>(k)
};`)}},
	{name: "R21 more than 16 on a pointer", rule: "R21", file: "silu.k", do: []step{sub("assume_div_by::<_, 16>(in_ptr)", 1, "16", "128")}},
	{name: "R21 integer tile", rule: "R21", file: "swiglu.k", do: []step{
		after("let cols_i64", 1, "let cols_i64: Tile<i64, { [TILE_SIZE] }> = unsafe { assume_div_by::<_, 16>(cols_i64) };")}},
	{name: "R21 local offset", rule: "R21", file: "sink.k", do: []step{
		after("let row_base: i32", 1, "let row_base = unsafe { assume_div_by::<_, 16>(row_base) };")}},

	// R22: both branches assign.
	{name: "R22 no else", rule: "R22", file: "sink.k", do: []step{
		lines("acc = acc * alpha_d", 1, 1, `
if start_n > start_q_scalar {
    acc = acc * alpha_d;
}`)}},
	{name: "R22 no else in the K loop", rule: "R22", file: "mm.k", do: []step{
		before("if CAST_TF32", 1, `
if k > 0i32 {
    acc = acc + acc; // doubles what was there
}`)}},
	{name: "R22 different tiles", rule: "R22", file: "bmm.k", do: []step{
		before("acc = mmaf", 1, `
if ki > 0i32 {
    acc = acc + acc;
} else {
    b_tile = b_tile;
}`)}},
	{name: "R22 one of two", rule: "R22", file: "sink.k", do: []step{
		lines("m_i = m_ij;", 1, 1, `
if j > start_block {
    m_i = m_ij;
    l_i = l_i + l_ij;
} else {
    m_i = m_ij;
}`)}},
	{name: "R22 no else in the nested loop", rule: "R22", file: "mm.k", do: []step{
		after("acc = mmaf(a_tile, b_tile, acc)", 2, `
}
if kt == k_tiles - 1i32 {
    acc = acc + acc;`)}},

	// R23: constants of the reference are const generics.
	{name: "R23 tile size at run time", rule: "R23", file: "mm.k", do: []step{
		cut("const BK: i32", 1, 1), after("c: &Tensor<E", 1, "BK: i32,")}, at: []string{"mm.k"}},
	{name: "R23 window at run time", rule: "R23", file: "sink.k", do: []step{
		cut("const BANDWIDTH: i32", 1, 1), after("qk_scale: f32,", 1, "bandwidth: i32,"),
		every("if BANDWIDTH", "if bandwidth"), every("TILE_M - BANDWIDTH", "TILE_M - bandwidth"), every("BANDWIDTH - 1i32", "bandwidth - 1i32")}, at: []string{"sink.k"}},
	{name: "R23 heads at run time", rule: "R23", file: "sink.k", do: []step{
		cut("const H: i32", 1, 1), after("qk_scale: f32,", 1, "h: i32,"), every("bid_y / H", "bid_y / h"), every("bid_y % H", "bid_y % h")}, at: []string{"sink.k"}},
	{name: "R23 row tile at run time", rule: "R23", file: "swiglu.k", do: []step{
		sub("pub unsafe fn", 1, ", const TILE_SIZE: i32", ""), after("c_stride1: i32,", 1, "tile_size: i32,")}, at: []string{"swiglu.k"}},
	{name: "R23 group size at run time", rule: "R23", file: "bmm.k", do: []step{
		cut("const GROUP_SIZE_M: i32", 1, 1), after("rt_k: i32,", 1, "group_size_m: i32,"),
		every("GROUP_SIZE_M *", "group_size_m *"), every("* GROUP_SIZE_M", "* group_size_m")}, at: []string{"bmm.k"}},

	// R24: nested mutation.
	{name: "R24 shadowed sum", rule: "R24", file: "bmm.k", do: []step{sub("acc = mmaf", 1, "acc = ", "let acc: Tile<f32, { [BM, BN] }> = ")}},
	{name: "R24 shadowed maximum", rule: "R24", file: "sink.k", do: []step{sub("m_i = m_ij;", 1, "m_i = ", "let m_i: Tile<f32, { [TILE_M, 1] }> = ")}},
	{name: "R24 shadowed by mut", rule: "R24", file: "sink.k", do: []step{sub("acc = mmaf", 1, "acc = ", "let mut acc: Tile<f32, { [TILE_M, TILE_D] }> = ")}},
	{name: "R24 shadowed denominator over lines", rule: "R24", file: "sink.k", do: []step{
		lines("l_i = fma(", 1, 1, `
let l_i: Tile<f32, { [TILE_M, 1] }> =
    fma(l_i, alpha, l_ij, rounding::NearestEven, ftz::Disabled);`)}},
	{name: "R24 shadowed in a branch", rule: "R24", file: "mm.k", do: []step{sub("acc = mmaf(a_tile", 2, "acc = ", "let acc: Tile<f32, { [BM, BN] }> = ")}},
	{name: "R24 shadowed in the plain loop", rule: "R24", file: "bmm.k", do: []step{sub("acc = mmaf", 2, "acc = ", "let acc: Tile<f32, { [BM, BN] }> = ")}},

	// R25: no tile-valued if.
	{name: "R25 chosen output", rule: "R25", file: "bmm.k", do: []step{
		after("let out2d", 2, "let out2d: Tile<E, { [BM, BN] }> = if num_k > 0i32 { out2d } else { convert_tile(acc) };")}},
	{name: "R25 product by branch", rule: "R25", file: "mm.k", do: []step{
		lines("if CAST_TF32", 1, 7, `
acc = if CAST_TF32 == 1i32 {
    let a_tf32: Tile<tf32, { [BM, BK] }> = convert_tile(a_tile);
    let b_tf32: Tile<tf32, { [BK, BN] }> = convert_tile(b_tile);
    mmaf(a_tf32, b_tf32, acc)
} else {
    mmaf(a_tile, b_tile, acc)
};`)}},
	{name: "R25 mask by branch", rule: "R25", file: "sink.k", do: []step{
		before("// qk = qk + where", 1, "mask = if j > start_block { ori(mask, oob_mask) } else { mask };")}},
	{name: "R25 argument", rule: "R25", file: "silu.k", do: []step{
		sub("mulf(a_f32, sig", 1, "sig", "if hidden_size > 0i32 { sig } else { one }")}},
	{name: "R25 helper", rule: "R25", file: "swiglu.k", do: []step{
		after("use cutile::core", 1, `

fn pick<const W: i32>(c: i32, a: Tile<f32, { [W] }>, b: Tile<f32, { [W] }>) -> Tile<f32, { [W] }> {
    if c > 0i32 {
        a
    } else {
        b
    }
}`)}},
	{name: "R25 tile block by flag", rule: "R25", file: "bmm.k", do: []step{
		lines("let a_perm", 1, 2, "a_tile = if TRANSPOSE_B == 1i32 { a_tile } else { a_ld_t.reshape(const_shape![BM, BK]) };")}},

	// R26: modes.
	{name: "R26 exp2 without ftz", rule: "R26", file: "silu.k", do: []step{sub("exp2(scaled", 1, ", ftz::Enabled", "")}},
	{name: "R26 maxf without nan", rule: "R26", file: "sink.k", do: []step{sub("maxf(m_i", 1, "nan::Disabled, ", "")}},
	{name: "R26 fma without modes", rule: "R26", file: "sink.k", do: []step{sub("l_i = fma(", 1, ", rounding::NearestEven, ftz::Disabled", "")}},
	{name: "R26 mulf without modes", rule: "R26", file: "silu.k", do: []step{sub("mulf(silu, b_f32", 1, ", rounding::NearestEven, ftz::Enabled", "")}},
	{name: "R26 exp with a mode", rule: "R26", file: "swiglu.k", do: []step{sub("exp(neg_a", 1, "exp(neg_a)", "exp(neg_a, ftz::Enabled)")}},
	{name: "R26 mode as a string", rule: "R26", file: "sink.k", do: []step{sub("exp2(m_diff", 1, "ftz::Enabled", `"ftz"`)}},
	{name: "R26 modes exchanged", rule: "R26", file: "silu.k", do: []step{sub("addf(e, one", 1, "rounding::NearestEven, ftz::Enabled", "ftz::Enabled, rounding::NearestEven")}},
	{name: "R26 rsqrt without ftz", rule: "R26", file: "mm.k", do: []step{
		before("let result", 1, "let inv: Tile<f32, { [BM, BN] }> = rsqrt(acc);")}},
	{name: "R26 cmpi without a predicate", rule: "R26", file: "sink.k", do: []step{sub("cmpi(offs_n, nkv_b", 1, ", predicate::GreaterThanOrEqual", "")}},
	{name: "R26 ftz against the reference", rule: "R26", file: "sink.k", do: []step{sub("exp2(qk_shifted,", 2, "ftz::Enabled", "ftz::Disabled")}},
	{name: "R26 mmaf without an accumulator", rule: "R26", file: "bmm.k", do: []step{sub("acc = mmaf", 2, ", acc)", ")")}},
	{name: "R26 true_div with a mode", rule: "R26", file: "swiglu.k", do: []step{sub("true_div(one", 1, "denom)", "denom, ftz::Enabled)")}},

	// R27: transposes are native.
	{name: "R27 copy of a transposed operand", rule: "R27", file: "bmm.py", do: []step{
		sub("b = b.contiguous()", 1, "b.contiguous()", "b.transpose(1, 2).contiguous() if transpose_b else b.contiguous()")}},
	{name: "R27 copy per configuration", rule: "R27", file: "mm.py", do: []step{
		after("out = torch.empty", 1, "b_t = b.t().contiguous()  # column major")}},
	{name: "R27 copy for a flag", rule: "R27", file: "mm.py", do: []step{
		lines("if trans_b:", 1, 2, "if trans_b:\n    b = b.mT.contiguous()")}},
	{name: "R27 torch.transpose over lines", rule: "R27", file: "bmm.py", do: []step{
		lines("a = a.contiguous()", 1, 1, `
if transpose_a:
    a = torch.transpose(
        a,
        1,
        2,
    ).contiguous()`)}},
	{name: "R27 flag without a permute", rule: "R27", file: "bmm.k", do: []step{
		sub("let a_perm", 1, "permute(a_ld_t, const_array![0, 2, 1])", "a_ld_t.reshape(const_shape![1, BM, BK])"),
		sub("let b_perm", 1, "permute(b_ld_t, const_array![0, 2, 1])", "b_ld_t.reshape(const_shape![1, BK, BN])")}, at: []string{"bmm.k: TRANSPOSE_", "bmm.k: static_persistent_bmm_kernel"}},
	{name: "R27 helper that copies", rule: "R27", file: "bmm.py", do: []step{
		before("def _run_ffi", 1, "def _physical(t):\n    return t.permute(0, 2, 1).contiguous()\n\n"),
		lines("b = b.contiguous()", 1, 1, "b = _physical(b) if transpose_b else b.contiguous()")}},

	// R28: padded views on TMA.
	{name: "R28 load without tma", rule: "R28", file: "mm.k", do: []step{sub("tma::Enabled", 1, "Enabled", "Disabled")}},
	{name: "R28 values without tma", rule: "R28", file: "sink.k", do: []step{sub("tma::Enabled", 5, "Enabled", "Disabled /* ragged */")}},
	{name: "R28 store without tma", rule: "R28", file: "bmm.k", do: []step{sub("tma::Enabled", 5, "Enabled", "Disabled")}},
	{name: "R28 load from the unpadded partition", rule: "R28", file: "mm.k", do: []step{sub("&a_part,", 1, "a_part", "a_iter")}},
	{name: "R28 operand without padding", rule: "R28", file: "bmm.k", do: []step{
		lines("let b_part: ", 1, 1, `
let b_part: Partition<E, { [1, BK, BN] }> = make_partition_view(
    b,
    const_shape![1, BK, BN],
    padding::None,
    dim_map::Identity,
    get_tensor_token(b),
);`)}, at: []string{"bmm.k: &b_part", "bmm.k: let b_ld"}},
	{name: "R28 values through an unpadded partition", rule: "R28", file: "sink.k", do: []step{
		lines("let v_part: ", 1, 2, `
let v_part: PartitionMut<E, { [1, 1, TILE_N, TILE_D] }> =
    unsafe { v.partition_full_mut(const_shape![1, 1, TILE_N, TILE_D]) };`)}, at: []string{"sink.k: &v_part", "sink.k: let v_ld"}},

	// R29: latency in persistent loops.
	{name: "R29 load", rule: "R29", file: "mm.k", do: []step{
		lines("[bid_m, kt]", 1, 4, "[bid_m, kt],\nordering::Weak,\nscope::TileBlock,\nSome(4i32),")}},
	{name: "R29 store", rule: "R29", file: "mm.k", do: []step{
		lines("[bid_m, bid_n]", 2, 4, "[bid_m, bid_n],\nordering::Weak,\nscope::TileBlock,\nSome(2i32), // hide the store")}},
	{name: "R29 const generic", rule: "R29", file: "mm.k", do: []step{
		after("const GROUP_SIZE_M: i32", 1, "const LATENCY: i32,"),
		lines("[kt, bid_n]", 1, 4, "[kt, bid_n],\nordering::Weak,\nscope::TileBlock,\nSome(LATENCY),")}},
	{name: "R29 reference has one", rule: "R29", file: "bmm.k", do: []step{sub("Some(3i32)", 1, "Some(3i32)", "None")}},
	{name: "R29 reference has one for the store", rule: "R29", file: "bmm.k", do: []step{sub("Some(3i32)", 5, "Some(3i32)", "None")}},

	// R30: batched descriptors.
	{name: "R30 operand no more contiguous", rule: "R30", file: "bmm.py", do: []step{cut("a = a.contiguous()", 1, 1)}, at: []string{"bmm.py"}},
	{name: "R30 queries no more contiguous", rule: "R30", file: "sink.py", do: []step{sub("q = query.view", 1, ".contiguous()", "")}, at: []string{"sink.py"}},

	// R31: accumulator slots.
	{name: "R31 data type for the accumulator", rule: "R31", file: "bmm.f", do: append([]step{after("dty.to_string()", 2, "dty.to_string(),")},
		in("bmm.k", after("E: ElementType,", 2, "E2: ElementType,"), sub("let mut acc", 2, "Tile<f32", "Tile<E2"))...), at: []string{"bmm.k"}},
	{name: "R31 f16 for the accumulator", rule: "R31", file: "mm.f", do: append([]step{after("dty.to_string()", 1, `"f16".to_string(), // accumulate in half`)},
		in("mm.k", after("E: ElementType,", 2, "Acc: ElementType,"), sub("let mut acc", 2, "Tile<f32", "Tile<Acc"))...), at: []string{"mm.k"}},

	// R32: exports.
	{name: "R32 old attribute", rule: "R32", file: "mm.f", do: []step{sub("no_mangle)]", 1, "unsafe(no_mangle)", "no_mangle")}},
	{name: "R32 no attribute", rule: "R32", file: "sink.f", do: []step{cut("#[unsafe(no_mangle)]", 1, 1)}},
	{name: "R32 device zero", rule: "R32", file: "bmm.f", do: []step{
		lines("crate::setup_device_stream!", 1, 1, `
let device = match Device::new(0) {
    Ok(d) => d,
    Err(_) => return rc::DEVICE_INIT_FAILED,
};
let stream = unsafe { Stream::borrow_raw(raw_stream as *mut c_void, &device) };`)}},
	{name: "R32 wide return type", rule: "R32", file: "swiglu.f", do: []step{sub(") -> i32 {", 1, "i32", "i64")}, at: []string{"swiglu.f"}},
	{name: "R32 no device and stream", rule: "R32", file: "silu.f", do: []step{
		cut("    device_id: i32,", 1, 2), sub("setup_device_stream!", 1, "device_id, raw_stream", "0, 0u64")}, at: []string{"silu.f"}},
	{name: "R32 output unchecked", rule: "R32", file: "mm.f", do: []step{
		lines("let (a_d, b_d, c_d)", 1, 1, "let (a_d, b_d) = crate::deref_descs!(a, b);\nlet c_d = unsafe { &*c };")}, at: []string{"mm.f"}},
	{name: "R32 dtype unwrapped", rule: "R32", file: "sink.f", do: []step{
		sub("let dty", 1, "crate::resolve_dtype!(q_d)", "crate::ffi_util::dtype_str(q_d.dtype).unwrap()")}},
	{name: "R32 launch expected", rule: "R32", file: "bmm.f", do: []step{
		lines("match op.sync_on", 2, 7, "op.sync_on(&stream).expect(\"bmm launch\");\nrc::OK")}},
	{name: "R32 minus one", rule: "R32", file: "silu.f", do: []step{
		after("let hidden_size", 1, "if hidden_size <= 0 {\n    return -1; // bad shape\n}")}},
	{name: "R32 safe export", rule: "R32", file: "swiglu.f", do: []step{sub("pub unsafe extern", 1, "unsafe ", "")}},
	{name: "R32 asserted shape", rule: "R32", file: "mm.f", do: []step{after("let (m, k, n)", 1, "assert!(k > 0, \"empty K\");")}},
	{name: "R32 private export", rule: "R32", file: "bmm.f", do: []step{sub("pub unsafe extern", 1, "pub ", "")}},
	{name: "R32 stream before the device", rule: "R32", file: "silu.f", do: []step{swap("    device_id: i32,", 1, 1, 1)}, at: []string{"silu.f"}},

	// R33: pins.
	{name: "R33 path dependency", rule: "R33", file: "cargo", do: []step{sub("cutile = ", 1, `"=0.2.0"`, `{ path = "../../../../../../cutile-rs/cutile" }`)}},
	{name: "R33 caret version", rule: "R33", file: "cargo", do: []step{sub("cutile = ", 1, "=0.2.0", "0.2.0")}},
	{name: "R33 compiler dropped", rule: "R33", file: "cargo", do: []step{cut("cutile-compiler = ", 1, 1)}, at: []string{"cargo"}},
	{name: "R33 one newer", rule: "R33", file: "cargo", do: []step{sub("cuda-core = ", 1, "=0.2.0", "=0.3.0")}},
	{name: "R33 rlib", rule: "R33", file: "cargo", do: []step{sub("crate-type", 1, "cdylib", "rlib")}},
	{name: "R33 edition", rule: "R33", file: "cargo", do: []step{sub("edition", 1, "2024", "2021")}},
	{name: "R33 patch", rule: "R33", file: "cargo", do: []step{add("\n[patch.crates-io]\ncutile = { git = \"https://github.com/NVlabs/cutile-rs\" }\n")}},
	{name: "R33 crate of one op", rule: "R33", file: "swiglu.d/Cargo.toml", do: []step{create(`
[package]
name = "swiglu-kernel"
version = "0.1.0"
edition = "2024"

[lib]
crate-type = ["cdylib"]

[dependencies]
cutile = "=0.2.0"
`)}},
	{name: "R33 library renamed", rule: "R33", file: "cargo", do: []step{sub(`name = "cutile_kernels"`, 1, "cutile_kernels", "tilegym_kernels")}},
	{name: "R33 git table", rule: "R33", file: "cargo", do: []step{
		cut("cutile-macro = ", 1, 1), add("\n[dependencies.cutile-macro]\ngit = \"https://github.com/NVlabs/cutile-rs\"\nrev = \"abcdef0\"\n")}},
	{name: "R33 wildcard", rule: "R33", file: "cargo", do: []step{sub("cuda-async = ", 1, "=0.2.0", "*")}},

	// R34: one owner of a transpose.
	{name: "R34 keys transposed twice", rule: "R34", file: "sink.py", do: []step{
		after("k = key.view", 1, "k = k.transpose(-1, -2)  # K^T")}, at: []string{"sink.k: partition_permuted", "sink.k: let k_part"}},
	{name: "R34 operand transposed twice", rule: "R34", file: "bmm.py", do: []step{
		before("a = a.contiguous()", 1, "if transpose_b:\n    b = b.mT")}, at: []string{"bmm.k: permute"}},
	{name: "R34 descriptor with exchanged axes", rule: "R34", file: "sink.f", do: []step{
		before("let dty", 1, `
let k_swapped = TensorDesc {
    ptr: k_d.ptr,
    ndim: k_d.ndim,
    shape: [k_d.shape[0], k_d.shape[1], k_d.shape[3], k_d.shape[2], 0],
    strides: [k_d.strides[0], k_d.strides[1], k_d.strides[3], k_d.strides[2], 0],
    dtype: k_d.dtype,
};
let k_d = &k_swapped;`)}, at: []string{"sink.k: partition_permuted", "sink.k: let k_part"}},

	// R35: the pieces of the ABI agree.
	{name: "R35 parameter in the cdef only", rule: "R35", file: "mm.py", do: []step{sub("int32_t group_size_m", 1, "int32_t num_programs,", "int32_t num_programs, int32_t latency,")}, at: []string{"mm.f", "mm.py"}},
	{name: "R35 symbol renamed", rule: "R35", file: "silu.py", do: []step{sub("_FFI_NAME = ", 1, "cutile_silu_and_mul", "cutile_silu_mul")}},
	{name: "R35 return code dropped", rule: "R35", file: "bmm.py", do: []step{cut("check_rc(rc", 1, 1)}, at: []string{"bmm.py"}},
	{name: "R35 argument dropped", rule: "R35", file: "swiglu.py", do: []step{cut("int(tile_size)", 1, 1)}, at: []string{"swiglu.py"}},
	{name: "R35 generics exchanged", rule: "R35", file: "mm.f", do: []step{swap("bm.to_string()", 1, 1, 1)}, at: []string{"mm.f"}},
	{name: "R35 generic dropped", rule: "R35", file: "sink.f", do: []step{cut("bandwidth.to_string()", 1, 1)}, at: []string{"sink.f"}},
	{name: "R35 entry argument dropped", rule: "R35", file: "mm.f", do: []step{sub("static_persistent_matmul_kernel(&*a_t", 1, "m, n, k)", "m, n)")}},
	{name: "R35 no grid", rule: "R35", file: "silu.f", do: []step{cut(".grid(", 1, 1)}, at: []string{"silu.f"}},
	{name: "R35 options dropped", rule: "R35", file: "mm.f", do: []step{
		lines(".grid((num_programs", 1, 2, ".grid((num_programs as u32, 1, 1));")}, at: []string{"mm.f"}},
	{name: "R35 wrapper not imported", rule: "R35", file: "init", do: []step{cut("import bmm", 1, 1)}, at: []string{"init", "bmm.py"}},
	{name: "R35 unknown op", rule: "R35", file: "swiglu.py", do: []step{sub("@register_impl", 1, "get_swiglu", "swiglu_fwd")}},
	{name: "R35 four dims in the packer", rule: "R35", file: "utils", do: []step{sub("_TENSORDESC_MAX_DIMS = 5", 1, "5", "4")}, at: []string{"futil"}},
	{name: "R35 dtype code moved", rule: "R35", file: "futil", do: []step{sub("5 => Some(", 1, "5", "8")}, at: []string{"utils"}},
	{name: "R35 message dropped", rule: "R35", file: "utils", do: []step{cut("-6: ", 1, 1)}, at: []string{"utils", "futil"}},
	{name: "R35 dtype without an arm", rule: "R35", file: "silu.py", do: []step{sub("_DTYPES = ", 1, "torch.bfloat16)", "torch.bfloat16, torch.float8_e5m2)")}, at: []string{"silu.f"}},
	{name: "R35 key of another op", rule: "R35", file: "bmm.py", do: []step{sub("bind_kernel_function_cffi(_KERNEL", 1, "_KERNEL", `"matmul"`)}, at: []string{"bmm.py", "mm.py"}},
	{name: "R35 wide scale", rule: "R35", file: "sink.f", do: []step{sub("qk_scale: f32", 1, "f32", "f64")}, at: []string{"sink.py", "sink.f"}},
	{name: "R35 narrow stream", rule: "R35", file: "swiglu.py", do: []step{sub("uint64_t raw_stream", 1, "uint64_t", "int32_t")}, at: []string{"swiglu.f", "swiglu.py"}},
	{name: "R35 field order", rule: "R35", file: "futil", do: []step{swap("pub shape: [i64", 1, 1, 1)}, at: []string{"utils", "futil"}},
	{name: "R35 bare assertion", rule: "R35", file: "sink.py", do: []step{sub("check_rc(rc", 1, "check_rc(rc, _FFI_NAME)", "assert rc == 0, rc")}, at: []string{"sink.py"}},
	{name: "R35 wrong slot", rule: "R35", file: "mm.f", do: []step{sub("cast.to_string()", 1, "cast", "persistent")}, at: []string{"mm.f"}},
	{name: "R35 parameters exchanged in the export", rule: "R35", file: "bmm.f", do: []step{swap("    num_cta_in_cga: i32,", 1, 1, 1)}, at: []string{"bmm.f", "bmm.py"}},

	// R36: stable Rust.
	{name: "R36 feature in the crate", rule: "R36", file: "lib", do: []step{before("// SPDX", 1, "#![feature(generic_const_exprs)]\n#![allow(incomplete_features)]")}},
	{name: "R36 toolchain file", rule: "R36", file: "src/tilegym/ops/cutile_rs/cutile_kernels/rust-toolchain.toml", do: []step{create("[toolchain]\nchannel = \"nightly-2026-03-01\"\n")}},
	{name: "R36 plain toolchain file", rule: "R36", file: "src/tilegym/ops/cutile_rs/cutile_kernels/rust-toolchain", do: []step{create("nightly\n")}},
	{name: "R36 nightly in a job", rule: "R36", file: ".github/workflows/cutile-rs.yml", do: []step{create(`
name: cutile-rs
on: [pull_request]
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: |
          cd src/tilegym/ops/cutile_rs/cutile_kernels
          cargo +nightly build --release
`)}},
	{name: "R36 unstable flag", rule: "R36", file: "src/tilegym/ops/cutile_rs/cutile_kernels/.cargo/config.toml", do: []step{create("[build]\nrustflags = [\"-Z\", \"share-generics=y\"]\n")}},
	{name: "R36 bootstrap", rule: "R36", file: "utils", do: []step{after(`env["CUDA_TOOLKIT_PATH"] = cuda_toolkit`, 1, `env["RUSTC_BOOTSTRAP"] = "1"`)}},
	{name: "R36 feature in a kernel", rule: "R36", file: "mm.k", do: []step{after("pub mod matmul_module", 1, "    #![feature(adt_const_params)]")}},

	// R37: forward only.
	{name: "R37 not detached", rule: "R37", file: "mm.py", do: []step{cut("if a.requires_grad", 1, 2)}, at: []string{"mm.py"}},
	{name: "R37 raises", rule: "R37", file: "silu.py", do: []step{
		sub("input = input.detach()", 1, "input = input.detach()", `raise NotImplementedError("cutile-rs silu_and_mul has no backward")`)}, at: []string{"silu.py"}},
	{name: "R37 autograd function", rule: "R37", file: "swiglu.py", do: []step{
		before("@register_impl", 1, `
class _SwiGLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return _swiglu_forward(a, b)

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        return grad * b, grad * a

`)}},
	{name: "R37 one operand not detached", rule: "R37", file: "sink.py", do: []step{cut("if value.requires_grad", 1, 2)}, at: []string{"sink.py"}},
	{name: "R37 backward not skipped", rule: "R37", file: "swiglu.t", do: []step{cut(`if backend == "cutile-rs":`, 1, 2)}, at: []string{"swiglu.t"}},
	{name: "R37 assertion", rule: "R37", file: "bmm.py", do: []step{
		lines("if a.requires_grad", 1, 2, `assert not a.requires_grad, "forward only"`)}, at: []string{"bmm.py"}},
	{name: "R37 output requires grad", rule: "R37", file: "silu.py", do: []step{sub("    return result", 2, "return result", "return result.requires_grad_()")}},
	{name: "R37 new backward test", rule: "R37", file: "silu.t", do: []step{
		before("# Irregular shapes", 1, `
@pytest.mark.parametrize("backend", _backends)
def test_op_backward(self, backend, arch):
    """Gradients against PyTorch."""
    tilegym.set_backend(backend)
    x = torch.randn((4, 64, 256), device="cuda", requires_grad=True)
    y = tilegym.ops.silu_and_mul(x)
    y.backward(torch.ones_like(y))
    assert x.grad is not None
`)}},
	{name: "R37 detach without effect", rule: "R37", file: "mm.py", do: []step{sub("b = b.detach()", 1, "b = b.detach()", "b.detach()")}, at: []string{"mm.py"}},
	{name: "R37 skip of another backend", rule: "R37", file: "swiglu.t", do: []step{sub(`if backend == "cutile-rs":`, 2, "cutile-rs", "tilecpp")}, at: []string{"swiglu.t"}},
	{name: "R37 gradient in the wrapper", rule: "R37", file: "mm.py", do: []step{
		before("return result.output", 1, "if a.grad_fn is not None:\n    result.output.backward(torch.ones_like(result.output))")}},

	// R38: canaries.
	{name: "R38 canary before the tuner", rule: "R38", file: "bmm.py", do: []step{
		before("result = autotune_launch", 1, `
# sanity check with a fixed config
probe = torch.empty((q, m, n), device=a.device, dtype=out_dtype)
_run_ffi(probe, a, b, configs[0], persistent, transpose_a, transpose_b)
`)}},
	{name: "R38 two launches per configuration", rule: "R38", file: "silu.py", do: []step{
		after("_run_ffi(out_local", 1, "_run_ffi(out_local, x2, block_size, cfg)  # warm")}, at: []string{"silu.py"}},
	{name: "R38 canary in the launch", rule: "R38", file: "mm.py", do: []step{
		before("        _run_ffi(", 1, "_run_ffi(out, a, b, 128, 128, 32, 1, persistent, 1, 1)")}, at: []string{"mm.py"}},
	{name: "R38 canary at import", rule: "R38", file: "swiglu.py", do: []step{
		add("\n\n_swiglu_forward(torch.ones(8, 8, device=\"cuda\"), torch.ones(8, 8, device=\"cuda\"))\n")}},

	// R39 and R49: reports of a port.
	{name: "R39 blocked on the other parts", rule: "R39", file: "mm.d/reports/agent_b.md", do: []step{create(`
# Agent B report: matmul

Mode: B-only

The correctness and performance reports are missing: reports/agent_d.md and
reports/agent_e.md are absent.

VERDICT: BLOCKED
`)}},
	{name: "R49 no build log", rule: "R49", file: "silu.d/reports/agent_b.md", do: []step{create("# Agent B report\n\nVERDICT: COMPILED\n")}},
	{name: "R49 empty build log", rule: "R49", file: "bmm.d/reports/build_log.md", do: append([]step{create("# Build log\n")},
		in("bmm.d/reports/agent_b.md", create("# Agent B report\n\nVERDICT: COMPILED\n"))...), at: []string{"bmm.d/reports/agent_b.md", "bmm.d/reports/build_log.md"}},
	{name: "R49 failure without a snippet", rule: "R49", file: "sink.d/reports/build_log.md", do: append([]step{create(`
# Build log

## Attempt 1

Command: cargo build --release
Result: FAIL
Error: E0283, type annotations needed

## Attempt 2

Result: PASS
`)}, in("sink.d/reports/agent_b.md", create("# Agent B report\n\nVERDICT: COMPILED\n"))...), at: []string{"sink.d/reports/build_log.md"}},

	// R40: where tests are registered.
	{name: "R40 direct call of another backend", rule: "R40", file: "bmm.t", do: []step{
		after("import tilegym", 1, "from tilegym.ops.cutile.bmm import bmm as cutile_bmm"), sub("tilegym.ops.bmm,", 1, "tilegym.ops.bmm", "cutile_bmm")}},
	{name: "R40 registration dropped", rule: "R40", file: "swiglu.t", do: []step{cut(`if is_backend_available("cutile-rs")`, 1, 2)}, at: []string{"swiglu.t", "swiglu.py"}},
	{name: "R40 call of the wrapper's parts", rule: "R40", file: "silu.t", do: []step{
		after("import tilegym", 1, "from tilegym.ops.cutile_rs.silu_and_mul import _forward_impl"), sub("tilegym.ops.silu_and_mul,", 1, "tilegym.ops.silu_and_mul", "_forward_impl")}},
	{name: "R40 skip dropped", rule: "R40", file: "bmm.t", do: []step{cut(`if backend == "cutile-rs" and not static_persistent`, 1, 2)}, at: []string{"bmm.t"}},

	// R41: no copies in timed paths.
	{name: "R41 zeroed output", rule: "R41", file: "mm.py", do: []step{sub("out = torch.empty", 1, "torch.empty", "torch.zeros")}},
	{name: "R41 cloned output", rule: "R41", file: "bmm.py", do: []step{sub("        return out", 1, "return out", "return out.clone()")}},
	{name: "R41 contiguous argument", rule: "R41", file: "silu.py", do: []step{sub("_run_ffi(out_local", 1, "x2,", "x2.contiguous(),")}},
	{name: "R41 zeros like", rule: "R41", file: "sink.py", do: []step{sub("o_local = torch.empty_like", 1, "empty_like", "zeros_like")}},
	{name: "R41 zeros without a tuner", rule: "R41", file: "swiglu.py", do: []step{sub("c2 = torch.empty_like", 1, "empty_like", "zeros_like")}},
	{name: "R41 zeroed in place", rule: "R41", file: "mm.py", do: []step{after("out = torch.empty", 1, "out.zero_()")}},
	{name: "R41 cast in the launch", rule: "R41", file: "bmm.py", do: []step{sub("_run_ffi(out, a, b", 1, "a, b", "a.to(torch.float16), b.to(torch.float16)")}},
	{name: "R41 synchronizing read", rule: "R41", file: "silu.py", do: []step{after("_run_ffi(out_local", 1, "peak = out_local.max().item()")}},
	{name: "R41 allocation in a helper", rule: "R41", file: "mm.py", do: []step{
		before("def _run_ffi", 1, "def _alloc(m, n, like):\n    return torch.full((m, n), 0.0, device=like.device, dtype=like.dtype)\n\n"),
		sub("out = torch.empty", 1, "torch.empty((m, n), device=a.device, dtype=out_dtype)", "_alloc(m, n, a)")}, at: []string{"mm.py"}},
	{name: "R41 copy back", rule: "R41", file: "sink.py", do: []step{sub("        return o_local", 1, "return o_local", "return torch.empty_like(o_local).copy_(o_local)")}},
	{name: "R41 stacked", rule: "R41", file: "bmm.py", do: []step{sub("        return out", 1, "return out", "return torch.cat([out], dim=0)")}},

	// R42: configurations and keys.
	{name: "R42 key without the dtype", rule: "R42", file: "mm.py", do: []step{sub("key=(m, n, k", 1, "a.dtype, ", "")}, at: []string{"mm.py"}},
	{name: "R42 key without the flags", rule: "R42", file: "bmm.py", do: []step{sub("key=(q, m, n", 1, ", transpose_a, transpose_b", "")}, at: []string{"bmm.py"}},
	{name: "R42 one configuration", rule: "R42", file: "mm.py", do: []step{cut("SimpleNamespace(BM=256, BN=256, BK=64, NUM_CTAS=2", 1, 3)}, at: []string{"mm.py"}},
	{name: "R42 key of rows only", rule: "R42", file: "silu.py", do: []step{sub("key=(n_rows", 1, "n_rows, hidden_size, x.dtype", "n_rows,")}, at: []string{"silu.py"}},
	{name: "R42 key without the window", rule: "R42", file: "sink.py", do: []step{sub("key=(bs", 1, "bandwidth, ", "")}, at: []string{"sink.py"}},

	// R43: outputs.
	{name: "R43 mutable output", rule: "R43", file: "mm.k", do: []step{sub("c: &Tensor<E", 1, "&Tensor", "&mut Tensor")}},
	{name: "R43 mutable output of a batch", rule: "R43", file: "bmm.k", do: []step{sub("c: &Tensor<E", 2, "&Tensor<E, { [-1, -1, -1] }>", "&mut Tensor<E, { [1, BM, BN] }>")}},
	{name: "R43 mutable output with a tile", rule: "R43", file: "sink.k", do: []step{
		lines("out: &Tensor<E", 1, 1, `
out: &mut Tensor<
    E,
    { [1, 1, TILE_M, TILE_D] },
>, // one tile per block`)}},
	{name: "R43 partition on the host", rule: "R43", file: "mm.f", do: []step{
		after("let c_t", 1, "let mut c_own = c_t;\nlet c_p = (&mut *c_own).partition([bm as usize, bn as usize]);")}},
	{name: "R43 mapped output", rule: "R43", file: "bmm.k", do: []step{
		sub("c: &Tensor<E", 2, "&Tensor<E, { [-1, -1, -1] }>", "MappedPartitionMut<E, { [1, BM, BN] }, { [1, 1, 1] }>")}},
	{name: "R43 block partition in a persistent loop", rule: "R43", file: "mm.k", do: []step{sub("partition_full_mut(", 2, "partition_full_mut", "partition_mut")}, at: []string{"mm.k: c_part"}},

	// R44: the host's import.
	{name: "R44 no prelude", rule: "R44", file: "mm.d/matmul_pipeline.rs", do: []step{create(`
use cutile::compile_api::KernelCompiler;
use cutile::tensor::Tensor;

include!("kernel.rs");

fn blocks(t: &mut Tensor<f32>) {
    let p = t.partition([128, 128]);
    drop(p);
}
`)}},
	{name: "R44 prelude dropped", rule: "R44", file: "bmm.f", do: []step{
		cut("use cutile::prelude::*", 1, 1), after("let c_t", 1, "let mut c_own = c_t;\nlet c_p = (&mut *c_own).partition([1usize, bm as usize, bn as usize]);")}},

	// R45: tails of pointer kernels.
	{name: "R45 floor loop", rule: "R45", file: "silu.k", do: []step{
		before("// Cast back to output", 1, "let num_tiles: i32 = hidden_size / BLOCK_SIZE;\nfor j in 0i32..num_tiles {\n    let at: i32 = j * BLOCK_SIZE;\n}")},
		at: []string{"silu.k: for j in"}},
	{name: "R45 floor in the range", rule: "R45", file: "swiglu.k", do: []step{
		before("let neg_a", 1, "for j in 0i32..(a_shape1 / TILE_SIZE) {\n    let at: i32 = j * TILE_SIZE;\n}")}},
	{name: "R45 unmasked load", rule: "R45", file: "silu.k", do: []step{sub("Some(mask)", 1, "Some(mask)", "None")}},
	{name: "R45 unmasked typed load", rule: "R45", file: "swiglu.k", do: []step{sub("Some(b_mask)", 1, "Some(b_mask)", "None::<Tile<bool, { [TILE_SIZE] }>>")}},
	{name: "R45 floor in three steps", rule: "R45", file: "swiglu.k", do: []step{
		before("let neg_a", 1, `
let n_cols: i32 = a_shape1;
let whole: i32 = n_cols / TILE_SIZE;
let num_tiles: i32 = whole;
for j in 0i32..num_tiles {
    let at: i32 = j * TILE_SIZE;
}`)}},
	{name: "R45 unmasked store", rule: "R45", file: "silu.k", do: []step{sub("Some(mask)", 3, "Some(mask)", "None")}},
	{name: "R45 floor loop with a step", rule: "R45", file: "silu.k", do: []step{
		before("// Cast back to output", 1, `
let programs: i32 = get_num_tile_blocks().0;
for j in (pid..hidden_size / BLOCK_SIZE).step_by(programs as usize) {
    let at: i32 = j * BLOCK_SIZE;
}`)}},

	// R46: numeric conversions.
	{name: "R46 cast in scalar_to_tile", rule: "R46", file: "silu.k", do: []step{
		before("let log2e", 1, "let n: Tile<f32, { [] }> = scalar_to_tile(hidden_size as f32);")}},
	{name: "R46 cast of a const generic", rule: "R46", file: "swiglu.k", do: []step{
		before("let neg_a", 1, "let width: Tile<f32, { [] }> = scalar_to_tile(TILE_SIZE as f32);")}},
	{name: "R46 cast in a scalar", rule: "R46", file: "sink.k", do: []step{
		sub("let qk_scale_log2", 1, "qk_scale *", "qk_scale / (TILE_D as f32) *")}},
	{name: "R46 itof", rule: "R46", file: "mm.k", do: []step{
		before("let result", 1, "let m32: Tile<i32, { [] }> = scalar_to_tile(m);\nlet mf: Tile<f32, { [] }> = itof(m32, rounding::NearestEven);")}},
	{name: "R46 cast to f64", rule: "R46", file: "bmm.k", do: []step{after("let num_k: i32", 1, "let depth: f64 = rt_k as f64;")}},
	{name: "R46 cast over lines", rule: "R46", file: "swiglu.k", do: []step{
		before("let neg_a", 1, `
let scale: Tile<f32, { [TILE_SIZE] }> = broadcast_scalar(
    1.0f32
        / (a_shape1 as f32), // mean over columns
    const_shape![TILE_SIZE],
);`)}},

	// R47: annotate load_ptr_tko.
	{name: "R47 no type", rule: "R47", file: "silu.k", do: []step{sub("let (a_tile, a_tok)", 1, ": (Tile<E, { [BLOCK_SIZE] }>, Token)", "")}},
	{name: "R47 no type over lines", rule: "R47", file: "swiglu.k", do: []step{
		lines("let (b_tile, b_tok)", 1, 1, "let (\n    b_tile,\n    b_tok,\n) = load_ptr_tko(")}},
	{name: "R47 one name", rule: "R47", file: "silu.k", do: []step{
		sub("let (b_tile, b_tok)", 1, "(b_tile, b_tok): (Tile<E, { [BLOCK_SIZE] }>, Token)", "b_loaded"),
		lines("let _ = b_tok", 1, 1, "let b_tile = b_loaded.0;")}},
	{name: "R47 in a helper", rule: "R47", file: "swiglu.k", do: []step{
		after("use cutile::core", 1, `

fn fetch<E: ElementType, const W: i32>(p: PointerTile<*mut E, { [W] }>, ok: Tile<bool, { [W] }>) -> Tile<E, { [W] }> {
    let (t, tok) = load_ptr_tko(p, ordering::Weak, None::<scope::TileBlock>, Some(ok), None::<E>, None::<Token>, Latency::<0>);
    let _ = tok;
    t
}`)}},

	// R48: semantics of the source.
	{name: "R48 floor K loop", rule: "R48", file: "mm.k", do: []step{sub("let k_tiles: i32", 1, "(k + BK - 1i32) / BK", "k / BK")}, at: []string{"mm.k: for kt in"}},
	{name: "R48 floor K loop of a batch", rule: "R48", file: "bmm.k", do: []step{sub("let num_k: i32", 1, "(rt_k + BK - 1) / BK", "rt_k / BK")}, at: []string{"bmm.k: for ki in"}},
	{name: "R48 sigmoid that overflows", rule: "R48", file: "swiglu.k", do: []step{
		lines("let neg_a", 1, 5, `
let e: Tile<f32, { [TILE_SIZE] }> = exp(a_f32);
let one: Tile<f32, { [TILE_SIZE] }> = broadcast_scalar(1.0f32, const_shape![TILE_SIZE]);
let denom: Tile<f32, { [TILE_SIZE] }> = one + e;
let sigmoid: Tile<f32, { [TILE_SIZE] }> = true_div(e, denom);`)}},
	{name: "R48 floor over keys", rule: "R48", file: "sink.k", do: []step{sub("let tc: i32", 1, "(hi + TILE_N - 1i32) / TILE_N", "hi / TILE_N")}, at: []string{"sink.k: for j in"}},
	{name: "R48 floor over columns", rule: "R48", file: "bmm.k", do: []step{sub("let num_pid_n: i32", 1, "(rt_n + BN - 1) / BN", "rt_n / BN")}, at: []string{"bmm.k: for tile_id in"}},
	{name: "R48 floor over rows", rule: "R48", file: "mm.k", do: []step{sub("let num_bid_m: i32", 2, "(m + BM - 1i32) / BM", "m / BM")}, at: []string{"mm.k: for tile_id in"}},
}

// pipeline is a compile test of an entry with some strides.
func pipeline(op, entry, strides string) string {
	return `
use cutile::compile_api::KernelCompiler;

include!("kernel.rs");

use ` + op + `_module::__module_ast_self;

const M: i32 = 1024;
const N: i32 = 512;
const K: i32 = 256;

#[test]
fn compiles() {
    let artifacts = KernelCompiler::new(__module_ast_self, "` + op + `_module", "` + entry + `")
        .generics(vec!["f16".to_string(), 128.to_string(), 128.to_string(), 64.to_string()])
        ` + strides + `
        .target("sm_100")
        .compile()
        .expect("compiles");
    assert!(!artifacts.bytecode().expect("bytecode").is_empty());
}
`
}

// analysis is an analysis.json of an op with some more fields.
func analysis(op, fields string) string {
	return `
{
  "kernel_name": "` + op + `",
  "source": "src/tilegym/ops/cutile/` + op + `.py",
  "launch_path": "direct",
  "pattern": "single",
  "ops_used": ["ct.load", "ct.mma", "ct.store"],` + fields + `
  "test_perf_configs": [{"param_list": ["a"]}],
  "reference_backend": "cutile",
  "correctness_reference": {"function": "reference"},
  "correctness_tolerance": {"f16": {"atol": 0.01, "rtol": 0.01}},
  "autotune_backends": []
}
`
}
