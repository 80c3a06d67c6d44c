package rules_test

// harmless are edits that break no rule: what is forbidden in comments, strings
// and documents, names, order, form, and legal code that looks forbidden.
var harmless = []mutation{
	// Comments and documentation.
	{name: "comment: accumulator and exponent", file: "mm.k", do: []step{
		after("let mut acc", 1, "// not: let acc: Tile<f16, { [BM, BN] }> = constant(1e-6f32, const_shape![BM, BN]);")}},
	{name: "comment: step_by in a block", file: "mm.k", do: []step{
		before("for tile_id in", 1, "/* for tile_id in (start_bid..num_tiles).step_by(grid_x) { } */")}},
	{name: "doc comment: bare entry", file: "swiglu.k", do: []step{
		before("#[cutile::entry()]", 1, "/// Not `#[cutile::entry]` and not `#[entry()]`, which make no launcher.")}},
	{name: "comment: wildcard token", file: "silu.k", do: []step{
		before("let (a_tile", 1, "// let (a_tile, _) = load_ptr_tko(a_ptrs, ordering::Weak, None, None, Some(E::ZERO), None, Latency::<9>);")}},
	{name: "comment: nested reduction", file: "sink.k", do: []step{
		before("let row_max: ", 1, "// reduce_max(qk, 1i32).reshape(const_shape![TILE_M, 1]) cannot be inferred")}},
	{name: "comment: divisible size", file: "bmm.k", do: []step{
		before("let num_pid_m", 1, "/* let rt_k = unsafe { assume_div_by::<_, 16>(rt_k) };\n * is wrong for K = 511 */")}},
	{name: "comment: within arguments", file: "mm.k", do: []step{
		after("[bid_m, kt]", 1, "// tma::Disabled, Some(4i32)")}},
	{name: "comment: float cast", file: "swiglu.k", do: []step{
		before("let neg_a", 1, "// scalar_to_tile(TILE_SIZE as f32) and itof(x, rounding::NearestEven) do not compile")}},
	{name: "comment: floor loop", file: "silu.k", do: []step{
		before("let hidden_tile", 1, "// let n = hidden_size / BLOCK_SIZE; for j in 0i32..n {} would drop the tail")}},
	{name: "comment: mutable output", file: "bmm.k", do: []step{
		before("let mut c_part", 1, "// c: &mut Tensor<E, { [1, BM, BN] }> would pin the grid; partition_mut re-offsets")}},
	{name: "comment: shape arithmetic", file: "sink.k", do: []step{
		before("let iota_m", 1, "// Tile<i32, { [TILE_M * 2] }> and const_shape![TILE_M + 1] need nightly: #![feature(generic_const_exprs)]")}},
	{name: "comment: ownership", file: "mm.f", do: []step{
		before("let a_t", 1, "// never Tensor::from_raw_parts, mem::forget(a_t), transmute or Box::from_raw")}},
	{name: "comment: export attribute", file: "sink.f", do: []step{
		before("#[unsafe(no_mangle)]", 1, "// #[no_mangle] is an error in edition 2024; Device::new(0).unwrap() pins GPU 0")}},
	{name: "string: ownership", file: "bmm.f", do: []step{
		sub("eprintln!", 1, "launch failed", "launch failed (no mem::forget, no from_raw_parts, panic! or unwrap())")}},
	{name: "string: attribute and device", file: "silu.f", do: []step{
		sub("eprintln!", 1, "launch failed", "launch failed; see #[no_mangle] and Device::new(0)")}},
	{name: "comment: include", file: "lib", do: []step{
		before("mod matmul {", 1, "// mod rope { include!(\"../../rope_kernel/ffi.rs\"); }\n// #![feature(generic_const_exprs)]")}},
	{name: "comment: path dependency", file: "cargo", do: []step{
		before("cutile = ", 1, "# cutile = { path = \"../../cutile-rs/cutile\" }\n# [patch.crates-io]")}},
	{name: "comment: copies in the launch", file: "mm.py", do: []step{
		after("out = torch.empty", 1, "# not torch.zeros, and no b.t().contiguous() or out.clone() here")}},
	{name: "docstring: copies in the launch", file: "bmm.py", do: []step{
		after("def kernel_fn(cfg)", 1, "    \"\"\"Never torch.zeros(...), x.clone() or x.contiguous() in here.\n\n    lib.cutile_bmm(a) is timed.\n    \"\"\"")}},
	{name: "docstring: autograd", file: "swiglu.py", do: []step{
		sub("SwiGLU forward via", 1, "c = SiLU(a) * b.", "c = SiLU(a) * b. No torch.autograd.Function, no ctx.save_for_backward, no out.backward().")}},
	{name: "string: autograd", file: "silu.py", do: []step{
		after("_AUTO_COMPILE_OPTION = -1", 1, `_HELP = "raise NotImplementedError if x.requires_grad; class F(torch.autograd.Function)"`)}},
	{name: "string: another symbol", file: "sink.py", do: []step{
		after("_AUTO_COMPILE_OPTION = -1", 1, `_NOTE = "int32_t cutile_other(const TensorDesc* x); lib.cutile_other(x)"`)}},
	{name: "comment: skip", file: "bmm.t", do: []step{
		before("if transpose_a:", 2, `# pytest.skip("cutile-rs"), atol=1.0 and from tilegym.ops.cutile.bmm import bmm are not for here`)}},
	{name: "comment: bootstrap", file: "utils", do: []step{
		after(`env["CUDA_TOOLKIT_PATH"] = cuda_toolkit`, 1, `# RUSTC_BOOTSTRAP=1 and cargo +nightly are not needed`)}},
	{name: "comment in the reference: tf32", file: "src/tilegym/ops/cutile/bmm.py", do: []step{
		before("# K-dimension loop", 1, "# no ct.tfloat32 cast here, unlike matmul")}},
	{name: "comment in the reference: latency and division", file: "src/tilegym/ops/cutile/matmul.py", do: []step{
		before("for k in range(num_tiles_k)", 1, "# latency=4, allow_tma=False and ct.truediv(a, b) were tried")}},
	{name: "docstring in the reference: constants", file: "src/tilegym/ops/cutile/swiglu.py", do: []step{
		before("row = ct.bid(0)", 1, "\"\"\"N_COLS: ct.Constant[int] was tried; ct.kernel(occupancy=4) too.\"\"\"")}},
	{name: "document with bad code", file: "wiki/porting.md", do: []step{create(
		"# Porting\n\n```rust\n#[cutile::entry]\nfn k(x: *const f32) { let n = scalar_to_tile(N as f32); core::mem::forget(x); }\n```\n\n```toml\ncutile = { path = \"..\" }\n```\n")}},
	{name: "skill example with bad code", file: "skills/tilegym-converting-cutile-triton-to-cutile-rs/examples/rope/kernel.rs", do: []step{create(`
#[cutile::module]
pub mod rope_module {
    use cutile::core::*;

    #[cutile::entry]
    unsafe fn rope_kernel<const W: i32>(x: *const f16, y: &mut Tensor<f16, { [W * 2] }>) {
        let (t, _) = load_ptr_tko(x, ordering::Weak, None, None, Some(f16::ZERO), None, Latency::<9>);
        let s: Tile<f32, { [] }> = rsqrt(reduce_sum(t, 0i32) / (W as f32));
    }
}
`)}},
	{name: "upstream's license header of another year", file: "sink.k", do: []step{sub("Copyright (c) 2026", 1, "2026", "2025-2026")}},
	{name: "header removed", file: "mm.k", do: []step{cut("// SPDX", 1, 4)}},

	// Names.
	{name: "rename: accumulator", file: "mm.k", do: []step{rename("acc", "sum")}},
	{name: "rename: exponential in a reported line", file: "silu.k", do: []step{rename("e", "ex")}},
	{name: "rename: sum in a reported line", file: "silu.k", do: []step{rename("one_plus_e", "denominator")}},
	{name: "rename: mask and columns", file: "silu.k", do: []step{rename("mask", "inside"), rename("cols", "lanes")}},
	{name: "rename: running maximum", file: "sink.k", do: []step{rename("m_i", "running_max"), rename("m_ij", "next_max")}},
	{name: "rename: scores", file: "sink.k", do: []step{rename("qk", "scores"), rename("p", "probs")}},
	{name: "rename: K loop", file: "bmm.k", do: []step{rename("ki", "kt"), rename("num_k", "k_tiles")}},
	{name: "rename: tiles", file: "bmm.k", do: []step{rename("a_tile", "lhs"), rename("b_tile", "rhs"), rename("acc", "total")}},
	{name: "rename: pointers", file: "swiglu.k", do: []step{rename("a_p0", "a_base"), rename("cols_i64", "lanes"), rename("sigmoid", "gate")}},
	{name: "rename: masks", file: "swiglu.k", do: []step{rename("a_mask", "a_inside"), rename("b_mask", "b_inside"), rename("denom", "den")}},
	{name: "rename: grid", file: "mm.k", do: []step{rename("grid_x", "programs"), rename("tile_id", "tile"), rename("k_tiles", "num_k")}},
	{name: "rename: parameters of the pointers", file: "silu.k", do: []step{rename("in_ptr", "x_ptr"), rename("out_ptr", "y_ptr")}},
	{name: "rename: runtime size in a reported signature", file: "silu.k", do: []step{rename("in_row_base", "row_base"), rename("b_row_base", "half_base")}},
	{name: "rename: entry", file: "silu.k", do: append([]step{rename("silu_and_mul_kernel", "silu_and_mul_rows_kernel")},
		in("silu.f", rename("silu_and_mul_kernel", "silu_and_mul_rows_kernel"))...)},
	{name: "rename: second entry", file: "mm.k", do: append([]step{rename("non_persistent_matmul_kernel", "non_persistent_tiled_matmul_kernel")},
		in("mm.f", rename("non_persistent_matmul_kernel", "non_persistent_tiled_matmul_kernel"))...)},
	{name: "rename: locals of the launch", file: "mm.f", do: []step{rename("generics", "names"), every(".names(", ".generics("), rename("opts", "options"), rename("op", "call")}},
	{name: "rename: tensors of the launch", file: "bmm.f", do: []step{rename("a_t", "a_tensor"), rename("b_t", "b_tensor"), rename("c_t", "c_tensor")}},
	{name: "rename: descriptors", file: "sink.f", do: []step{rename("q_d", "q_desc"), rename("k_d", "k_desc"), rename("out_d", "out_desc")}},
	{name: "rename: pointers of the launch", file: "swiglu.f", do: []step{rename("a_dp", "a_device"), rename("c_dp", "c_device")}},
	{name: "rename: closures", file: "mm.py", do: []step{rename("launch_with_cfg", "run_config"), rename("cfg", "config")}},
	{name: "rename: kernel function", file: "silu.py", do: []step{sub("def kernel_fn(cfg)", 1, "kernel_fn", "launch"), sub("kernel_fn=kernel_fn", 1, "=kernel_fn", "=launch")}},
	{name: "rename: launcher", file: "bmm.py", do: []step{rename("_run_ffi", "_launch"), rename("rc", "status")}},
	{name: "rename: descriptors of the wrapper", file: "sink.py", do: []step{rename("qd", "q_desc"), rename("kd", "k_desc"), rename("stq", "start_desc"), rename("o_local", "o_out")}},
	{name: "rename: views of the wrapper", file: "swiglu.py", do: []step{rename("a2", "a_rows"), rename("c2", "c_rows")}},
	{name: "rename: locals of a test", file: "swiglu.t", do: []step{rename("grad_out", "upstream_grad"), rename("out_ref", "expected")}},
	{name: "rename: transposed copies in a reported line", file: "sink.py", do: []step{rename("n_kv_heads", "kv_heads"), rename("repeat_kv", "groups")}},

	// Order.
	{name: "order: partitions", file: "mm.k", do: []step{swap("let a_part: ", 1, 1, 1)}},
	{name: "order: tile counts", file: "bmm.k", do: []step{swap("let num_pid_m: ", 1, 1, 1)}},
	{name: "order: assumptions", file: "swiglu.k", do: []step{swap("let a_shape0 = ", 1, 1, 1)}},
	{name: "order: scales", file: "sink.k", do: []step{swap("let scale_2d", 1, 2, 2)}},
	{name: "order: constant before the exponential", file: "silu.k", do: []step{swap("let e: ", 1, 1, 1)}},
	{name: "order: entries", file: "mm.k", do: []step{swap("non-persistent matmul: C", 1, 103, 93)}},
	{name: "order: entries with findings", file: "bmm.k", do: []step{swap("/// Static-persistent batched", 1, 150, 82)}},
	{name: "order: borrowed tensors", file: "mm.f", do: []step{swap("let a_t", 1, 1, 1)}},
	{name: "order: queries and keys", file: "sink.f", do: []step{swap("let q_t", 1, 1, 1)}},
	{name: "order: device pointers", file: "silu.f", do: []step{swap("let out_dp", 1, 1, 1)}},
	{name: "order: detach", file: "mm.py", do: []step{swap("if a.requires_grad", 1, 2, 2)}},
	{name: "order: descriptors", file: "bmm.py", do: []step{swap("cd = make_tensor_desc", 1, 1, 2)}},
	{name: "order: checks", file: "bmm.py", do: []step{swap("if a.dtype not in", 1, 2, 2)}},
	{name: "order: imports", file: "init", do: []step{swap("import attention_sink", 1, 1, 3)}},
	{name: "order: modules", file: "lib", do: []step{swap("mod bmm {", 1, 5, 5)}},
	{name: "order: dependencies", file: "cargo", do: []step{swap("cutile = ", 1, 2, 3)}},
	{name: "order: configurations", file: "mm.py", do: []step{swap("BM=128, BN=128", 1, 1, 3)}},
	{name: "order: cases of a test", file: "bmm.t", do: []step{swap("for m in [", 1, 4, 4)}},

	// Form.
	{name: "form: load on one line", file: "mm.k", do: []step{
		lines("let a_tile: ", 1, 8, "let a_tile: Tile<E, { [BM, BK] }> = load_view_tko(&a_part, [bid_m, k], ordering::Weak, scope::TileBlock, None, tma::Enabled);")}},
	{name: "form: tight types", file: "bmm.k", do: []step{every("{ [BM, BN] }", "{[BM,BN]}"), every("{ [-1, -1, -1] }", "{[-1,-1,-1]}")}},
	{name: "form: call over lines", file: "silu.k", do: []step{
		lines("let e: ", 1, 1, "let e: Tile<\n    f32,\n    { [BLOCK_SIZE] },\n> = exp2(\n    scaled,\n    ftz::Enabled,\n);")}},
	{name: "form: braces for the unsafe block", file: "sink.k", do: []step{
		lines("let mut out_part", 1, 2, `
let mut out_part: PartitionMut<E, { [1, 1, TILE_M, TILE_D] }> = unsafe {
    // every tile of the output is written once
    out.partition_full_mut(const_shape![1, 1, TILE_M, TILE_D])
};`)}},
	{name: "form: CRLF kernel", file: "silu.k", do: []step{every("\n", "\r\n")}},
	{name: "form: CRLF wrapper", file: "sink.py", do: []step{every("\n", "\r\n")}},
	{name: "form: tabs", file: "bmm.k", do: []step{every("    ", "\t")}},
	{name: "form: generics on one line", file: "mm.f", do: []step{
		lines("let generics = vec![", 2, 7, "let generics = vec![dty.to_string(), bm.to_string(), bn.to_string(), bk.to_string(), cast.to_string()];")}},
	{name: "form: cdef with a line each", file: "silu.py", do: []step{
		lines("const TensorDesc* out", 1, 3, `
const TensorDesc* out,   /* [rows, hidden] */
const TensorDesc* inp,   // [rows, 2 * hidden]
int32_t block_size,
int32_t num_cta_in_cga,
int32_t occupancy,
int32_t device_id,
uint64_t raw_stream
);`)}},
	{name: "form: call on one line", file: "swiglu.py", do: []step{
		lines("rc = lib.cutile_swiglu(", 1, 10, "rc = lib.cutile_swiglu(cd, ad, bd, int(tile_size), _AUTO_COMPILE_OPTION, _AUTO_COMPILE_OPTION, int(device_id), int(raw_stream))")}},
	{name: "form: tolerances in another spelling", file: "mm.t", do: []step{sub("atol=1e-2", 1, "1e-2", "0.01"), sub("rtol=1e-2", 1, "1e-2", "0.010")}},
	{name: "form: blank lines", file: "sink.k", do: []step{every("        let ", "\n        let ")}},
	{name: "form: manifest", file: "cargo", do: []step{sub("cutile = ", 1, `"=0.2.0"`, `{ version = "=0.2.0" }`), every(" = ", "  =  ")}},
	{name: "form: attributes", file: "silu.k", do: []step{before("#[cutile::entry()]", 1, "#[allow(clippy::too_many_arguments)]")}},
	{name: "form: attributes of the export", file: "sink.f", do: []step{before("#[unsafe(no_mangle)]", 1, "#[allow(clippy::too_many_arguments)]\n#[rustfmt::skip]")}},
	{name: "form: spaced entry attribute", file: "swiglu.k", do: []step{sub("#[cutile::entry()]", 1, "cutile::entry()", " cutile :: entry ( ) ")}},

	// Legal code that looks forbidden.
	{name: "legal: chain on a tile", file: "silu.k", do: []step{
		before("let log2e", 1, `
let half_s: Tile<f32, { [] }> = scalar_to_tile(0.5f32);
let half: Tile<f32, { [BLOCK_SIZE] }> = half_s.reshape(const_shape![1]).broadcast(const_shape![BLOCK_SIZE]);`)}},
	{name: "legal: named constant", file: "sink.k", do: []step{
		after("use cutile::core", 1, "\nconst NEG_BIG: f32 = -1000000.0f32;"), sub("constant(-1000000.0f32", 1, "-1000000.0f32", "NEG_BIG")}},
	{name: "legal: hexadecimal with an e", file: "mm.k", do: []step{before("let result", 1, "let magic: Tile<i32, { [] }> = scalar_to_tile(0x1e3i32);")}},
	{name: "legal: zero of the type in constant", file: "mm.k", do: []step{
		before("let result", 1, "let nothing: Tile<E, { [BM, BN] }> = constant(E::ZERO, const_shape![BM, BN]);")}},
	{name: "legal: indices destructured", file: "silu.k", do: []step{lines("let pid: i32", 1, 1, "let (pid, _y, _z) = get_tile_block_id();")}},
	{name: "legal: reduction in two steps", file: "mm.k", do: []step{
		before("let result", 1, `
let row_sum: Tile<f32, { [BM] }> = reduce_sum(acc, 1i32);
let row_col: Tile<f32, { [BM, 1] }> = row_sum.reshape(const_shape![BM, 1]);`)}},
	{name: "legal: reduction of a vector", file: "swiglu.k", do: []step{
		before("let neg_a", 1, `
let zero: Tile<f32, { [TILE_SIZE] }> = constant(0.0f32, const_shape![TILE_SIZE]);
let safe: Tile<f32, { [TILE_SIZE] }> = select(a_mask, a_f32, zero);
let total: Tile<f32, { [] }> = reduce_sum(safe, 0i32);
let inv: Tile<f32, { [] }> = rsqrt(total, ftz::Enabled);`)}},
	{name: "legal: shape of literals, half by value", file: "mm.k", do: []step{
		before("let result", 1, "let small: Tile<f32, { [4, 8] }> = constant(0.0f32, const_shape![4, 8]);\nlet half: i32 = BM / 2i32;")}},
	{name: "legal: narrowing in two steps", file: "silu.k", do: []step{
		after("let out_row_off", 1, "let off32: Tile<i32, { [] }> = trunci(out_row_off, overflow::None);")}},
	{name: "legal: product bound first", file: "bmm.k", do: []step{
		lines("acc = mmaf", 1, 1, "let product: Tile<f32, { [BM, BN] }> = mmaf(a_tile, b_tile, acc);\nacc = product;")}},
	{name: "legal: dynamic strides only", file: "mm.k", do: []step{
		before("let result", 1, `
let strides: Array<{ [-1, 1] }> = Array::<{ [-1, 1] }> { dims: &[n] };
let shape: Shape<{ [-1, -1] }> = Shape::<{ [-1, -1] }> { dims: &[m, n] };`)}},
	{name: "legal: slice on the host", file: "mm.f", do: []step{
		after("let (m, k, n)", 1, "let extents: &[i64] = unsafe { core::slice::from_raw_parts(a_d.shape.as_ptr(), 2) };\nlet _ = extents;")}},
	{name: "legal: unchecked entry", file: "silu.k", do: []step{sub("#[cutile::entry()]", 1, "()", "(unchecked_accesses = true)")}},
	{name: "legal: step of two", file: "mm.k", do: []step{
		before("let result", 1, "for j in (0i32..8i32).step_by(2) {\n    let twice: i32 = j * 2i32;\n}")}},
	{name: "legal: step in a usize", file: "bmm.k", do: []step{
		lines("for tile_id in", 1, 1, "let stride: usize = grid_x as usize;\nfor tile_id in (bid_x..total_tiles).step_by(stride) {")}},
	{name: "legal: typed None", file: "swiglu.k", do: []step{
		lines("Some(a_mask)", 1, 3, "Some(a_mask),\nNone::<E>,\nNone::<Token>,")}},
	{name: "legal: broadcast of a literal", file: "mm.k", do: []step{
		before("let result", 1, "let ones: Tile<f32, { [BM, BN] }> = broadcast_scalar(1.0f32, const_shape![BM, BN]);")}},
	{name: "legal: integer division", file: "sink.k", do: []step{after("let row_base: i32", 1, "let quarter: i32 = row_base / 4i32;")}},
	{name: "legal: fewer hints", file: "silu.k", do: []step{every("Latency::<3>", "Latency::<0>")}},
	{name: "legal: lower bounds", file: "silu.k", do: []step{
		before("let pid: i32", 1, "let in_row_stride = unsafe { assume_bounds_lower::<_, 0>(in_row_stride) };")}},
	{name: "legal: no else under a constant", file: "sink.k", do: []step{lines("mask = ori(mask, too_old)", 1, 4, "    mask = ori(mask, too_old);\n}"), sub("    mask = ori(mask, too_old);", 1, "        mask", "    mask")}},
	{name: "legal: scalar if", file: "mm.k", do: []step{
		before("let result", 1, "let least: i32 = if m < n { m } else { n };\nlet most: i32 = max(m, n);")}},
	{name: "legal: ceil_div", file: "mm.k", do: []step{sub("let k_tiles: i32", 1, "(k + BK - 1i32) / BK", "ceil_div(k, BK)")}},
	{name: "legal: ceiling in another order", file: "bmm.k", do: []step{sub("let num_k: i32", 1, "(rt_k + BK - 1)", "(BK - 1 + rt_k)")}},
	{name: "legal: ceiling over two lines", file: "sink.k", do: []step{lines("let tc: i32", 1, 1, "let last: i32 = hi + TILE_N - 1i32;\nlet tc: i32 = last / TILE_N;")}},
	{name: "legal: ceiling plus one", file: "mm.k", do: []step{sub("let k_tiles: i32", 1, "(k + BK - 1i32) / BK", "(k - 1i32) / BK + 1i32")}},
	{name: "legal: metadata partition", file: "mm.k", do: []step{
		lines("let k_tiles: i32", 1, 1, `
let a_meta: Partition<E, { [BM, BK] }> = make_partition_view(
    a,
    const_shape![BM, BK],
    padding::None,
    dim_map::Identity,
    get_tensor_token(a),
);
let a_tiles: [i32; 2] = get_index_space_shape(&a_meta);
let k_tiles: i32 = a_tiles[1];`)}},
	{name: "legal: sigmoid as in the reference", file: "silu.k", do: []step{
		lines("let log2e", 1, 4, `
let neg_a: Tile<f32, { [BLOCK_SIZE] }> = negf(a_f32);
let e: Tile<f32, { [BLOCK_SIZE] }> = exp(neg_a);`),
		sub("let sig: ", 1, "true_div(e, one_plus_e)", "true_div(one, one_plus_e)")}},
	{name: "legal: helper", file: "swiglu.k", do: []step{
		after("use cutile::core", 1, `

fn sigmoid<const W: i32>(x: Tile<f32, { [W] }>) -> Tile<f32, { [W] }> {
    let one: Tile<f32, { [W] }> = constant(1.0f32, const_shape![W]);
    let e: Tile<f32, { [W] }> = exp(negf(x));
    let den: Tile<f32, { [W] }> = one + e;
    true_div(one, den)
}`), lines("let neg_a", 1, 5, "let sigmoid: Tile<f32, { [TILE_SIZE] }> = sigmoid(a_f32);")}},
	{name: "legal: null checks by hand", file: "silu.f", do: []step{
		lines("let (out_d, in_d)", 1, 1, `
if out.is_null() || inp.is_null() {
    return rc::NULL_PTR;
}
let (out_d, in_d) = unsafe { (&*out, &*inp) };`)}},
	{name: "legal: dtype by hand", file: "sink.f", do: []step{
		lines("let dty", 1, 1, `
let dty: &'static str = match crate::ffi_util::dtype_str(q_d.dtype) {
    Some(name) => name,
    None => return rc::UNSUPPORTED_DTYPE,
};`)}},
	{name: "legal: device by hand", file: "bmm.f", do: []step{
		lines("crate::setup_device_stream!", 1, 1, `
if device_id < 0 {
    return rc::DEVICE_INIT_FAILED;
}
let device = match Device::new(device_id as usize) {
    Ok(d) => d,
    Err(e) => {
        eprintln!("cutile_bmm: no device {device_id}: {e:?}");
        return rc::DEVICE_INIT_FAILED;
    }
};
let stream = unsafe { Stream::borrow_raw(raw_stream as *mut c_void, &device) };`)}},
	{name: "legal: float on the host", file: "swiglu.f", do: []step{after("let n_rows", 1, "let rows_f = n_rows as f32;\nlet _ = rows_f * 1e-3;")}},
	{name: "legal: shape check in the launcher", file: "mm.f", do: []step{
		after("let (m, k, n)", 1, "if m <= 0 || n <= 0 || k <= 0 {\n    return rc::INVALID_ARGS;\n}")}},
	{name: "legal: profile and another crate", file: "cargo", do: []step{add("half = \"2.4\"\n\n[profile.release]\nlto = true\n")}},
	{name: "legal: symbol by name", file: "mm.py", do: []step{sub("rc = lib.cutile_matmul(", 1, "lib.cutile_matmul(", "getattr(lib, _FFI_NAME)(")}},
	{name: "legal: unconditional detach", file: "mm.py", do: []step{lines("if a.requires_grad", 1, 4, "a = a.detach()\nb = b.detach()")}},
	{name: "legal: detach in an expression", file: "bmm.py", do: []step{
		lines("if a.requires_grad", 1, 4, "a = a.detach() if a.requires_grad else a\nb = b.detach() if b.requires_grad else b")}},
	{name: "legal: gated copy", file: "bmm.py", do: []step{
		lines("a = a.contiguous()", 1, 1, "if not a.is_contiguous():\n    a = a.contiguous()")}},
	{name: "legal: new_empty", file: "mm.py", do: []step{sub("out = torch.empty", 1, "torch.empty((m, n), device=a.device, dtype=out_dtype)", "a.new_empty((m, n))")}},
	{name: "legal: copy of a dict", file: "silu.py", do: []step{after("out_local = torch.empty", 1, "options = dict(vars(cfg)).copy()")}},
	{name: "legal: key in a name", file: "mm.py", do: []step{
		before("result = autotune_launch", 1, "key = (m, n, k, a.dtype, persistent, str(a.device))"), sub("key=(m, n, k", 1, "(m, n, k, a.dtype, persistent)", "key")}},
	{name: "legal: one more configuration", file: "mm.py", do: []step{
		after("BM=256, BN=256, BK=128", 1, "SimpleNamespace(BM=128, BN=128, BK=64, NUM_CTAS=1, OCCUPANCY=1),")}},
	{name: "legal: batch and K compared", file: "bmm.py", do: []step{
		after("b = b.contiguous()", 1, `if a.shape[0] != b.shape[0]:
    raise ValueError(f"cutile-rs bmm: batch mismatch: {a.shape[0]} vs {b.shape[0]}")`)}},
	{name: "legal: stricter check", file: "swiglu.py", do: []step{
		before("ori_shape = a.shape", 1, `if b.shape != a.shape:
    raise ValueError(f"cutile-rs swiglu: shapes differ: {tuple(a.shape)} / {tuple(b.shape)}")`)}},
	{name: "legal: compute in an unrelated op", file: "src/tilegym/ops/cutile/softmax.py", do: []step{
		add("\n\ndef _copy_rows(x):\n    return torch.zeros_like(x).copy_(x.t().contiguous())\n")}},
	{name: "legal: nightly for another crate", file: ".github/workflows/rustfmt.yml", do: []step{create(`
name: rustfmt
on: [pull_request]
jobs:
  format:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: cargo +nightly fmt --check --manifest-path tools/lint/Cargo.toml
`)}},
	{name: "legal: more shapes", file: "silu.t", do: []step{after("(13, 333, 1500, torch.float32),", 1, "(3, 77, 777, torch.float32),\n(1, 1, 2, torch.float16),")}},
	{name: "legal: tighter tolerance", file: "mm.t", do: []step{sub("atol=1e-2", 1, "1e-2", "5e-3")}},
	{name: "legal: one more test", file: "swiglu.t", do: []step{
		before("# Backward tests (regular", 1, `
@pytest.mark.parametrize("backend", _backends)
def test_op_one_row(self, backend, arch):
    """One row of an odd width."""
    self.setUp()
    try:
        set_backend(backend)
    except Exception as e:
        pytest.skip(f"Backend is not supported: {e}")
    a = torch.randn(1, 1, 33, device="cuda")
    b = torch.randn(1, 1, 33, device="cuda")
    with torch.no_grad():
        self.assertCorrectness(get_swiglu(), self.reference, {"a": a, "b": b}, rtol=1e-2, atol=1e-2)
`)}},
	{name: "legal: transposes in a new test", file: "bmm.t", do: []step{
		before("@pytest.mark.parametrize(", 4, `
@pytest.mark.parametrize("backend", _backends)
def test_op_of_copies(self, backend):
    """Operands that were transposed and copied by the caller."""
    self.setUp()
    if tilegym.is_backend_available(backend):
        tilegym.set_backend(backend)
    else:
        pytest.skip(f"Backend {backend} is not available")
    a = torch.rand((2, 64, 128), device="cuda", dtype=torch.float16).transpose(1, 2).contiguous()
    b = torch.rand((2, 256, 64), device="cuda", dtype=torch.float16).mT.contiguous()
    self.assertCorrectness(tilegym.ops.bmm, self.reference, {"a": a, "b": b}, rtol=1e-3, atol=1e-8)
`)}},
	{name: "legal: full strides in a pipeline test", file: "mm.d/matmul_pipeline.rs", do: []step{create(pipeline("matmul", "non_persistent_matmul_kernel",
		`.strides(&[("a", &[K, 1]), ("b", &[N, 1]), ("c", &[N, 1])])`))}},
	{name: "legal: pointer strides in a pipeline test", file: "silu.d/silu_and_mul_pipeline.rs", do: []step{create(pipeline("silu_and_mul", "silu_and_mul_kernel",
		`.strides(&[("out_ptr", &[N]), ("in_ptr", &[N])])`))}},
	{name: "legal: test of another op", file: "tests/ops/test_softmax.py", do: []step{after("(256, 256, torch.float32),", 1, "(256, 333, torch.float32),")}},
}
