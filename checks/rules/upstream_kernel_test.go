package rules_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules"
)

// The plants of the rules about a kernel's types, control flow and memory views
// join the table.
func init() { plants = append(plants, kernelPlants...) }

// zeroes is a tile for plants to work on.
const zeroes = "let mut plant: Tile<f32, { [4, 8] }> = constant(0.0f32, const_shape![4, 8]);"

var kernelPlants = []plant{
	{"R3", rules.Note, "kernel.rs", pointers, replace("Token) = load_ptr_tko(", 1, ", a_tok)", ", _)")},
	{"R3", rules.Note, "kernel.rs", nil, body(0, "let (planted, _tok): (Tile<E, { [] }>, Token) = load_ptr_tko(plant);")},

	{"R4", rules.Warning, "kernel.rs", nil, body(1, zeroes, "let planted: Tile<f32, { [4] }> = rsqrt(reduce_sum(plant, 1i32), ftz::Enabled);")},
	{"R4", rules.Warning, "kernel.rs", nil, body(3, zeroes, "let planted: Tile<f32, { [4, 1] }> =", "    // the largest of each row", "    reduce_max(plant, 1i32)", "        .reshape(const_shape![4, 1]);")},
	{"R4", rules.Warning, "kernel.rs", []string{"attention_sink"}, replace("= reduce_max(", 1, ": Tile<f32, { [TILE_M] }> =", " =")},
	{"R4", rules.Warning, "kernel.rs", []string{"attention_sink"}, replace("= reduce_sum(", 1, "reduce_sum(p, 1i32)", "exp2(reduce_sum(p, 1i32), ftz::Enabled)")},

	{"R8", rules.Error, "kernel.rs", []string{"matmul"}, replace("let mut acc: Tile<f32", 1, "f32", "E")},
	{"R8", rules.Error, "kernel.rs", []string{"matmul", "bmm"}, replace("acc: Tile<f32", 1, "f32", "f16")},
	{"R8", rules.Error, "kernel.rs", []string{"attention_sink"}, replace("let qk_zero: Tile<f32", 1, "f32", "bf16")},
	{"R8", rules.Warning, "kernel.rs", []string{"matmul"}, replace("acc = mmaf(a_tf32, b_tf32, acc);", 1, "a_tf32, b_tf32", "a_tile, b_tile")},
	{"R8", rules.Warning, "kernel.rs", []string{"matmul"}, replace("if CAST_TF32 == 1i32 {", 2, "if CAST_TF32 == 1i32 {", "let planted: Tile<tf32, { [BM, BK] }> = convert_tile(a_tile); if CAST_TF32 == 1i32 {")},

	{"R9", rules.Error, "kernel.rs", nil, body(0, "let planted: Array<{ [-1, 1] }> = Array::<{ [-1, 1] }> { dims: &[4i32, 1i32] };")},
	{"R9", rules.Error, "kernel.rs", nil, body(1, "let planted = Shape::<{ [-1, -1] }> {", "    dims: &[4i32], // rows", "};")},

	{"R15", rules.Warning, "kernel.rs", nil, body(1, "let (plant, tok): (Tile<E, { [4] }>, Token) = load_ptr_tko(planted);", "let planted: Tile<f32, { [] }> = reduce_sum(convert_tile(plant), 0i32);")},
	{"R15", rules.Warning, "kernel.rs", []string{"swiglu"}, onLine(both(replace("let a_f32", 1, ": Tile<f32, { [TILE_SIZE] }> ", " "), replace("let neg_a", 1, "let neg_a", "let planted: Tile<f32, { [] }> = reduce_sum(a_f32, 0i32); let neg_a")), "let a_f32", 1)},

	{"R18", rules.Error, "kernel.rs", nil, body(0, "let planted: Tile<i32, { [4] }> = constant(CONST, const_shape![4]);")},
	{"R18", rules.Error, "kernel.rs", []string{"attention_sink"}, replace("broadcast_scalar(sink_scaled,", 1, "broadcast_scalar", "constant")},
	{"R18", rules.Error, "kernel.rs", []string{"attention_sink"}, onLine(replace("broadcast_scalar(sink_scaled,", 1, "broadcast_scalar(sink_scaled", "constant(sink_scaled * 2.0f32"), "constant(sink_scaled", 1)},

	{"R21", rules.Error, "kernel.rs", nil, body(0, "let planted = unsafe { assume_div_by::<_, 8>(get_tile_block_id().0) };")},
	{"R21", rules.Error, "kernel.rs", []string{"bmm", "swiglu"}, replace("assume_bounds_lower::<_, 0>", 1, "assume_bounds_lower::<_, 0>", "assume_div_by::<_, 16>")},
	{"R21", rules.Warning, "kernel.rs", pointers, replace("assume_div_by::<_, 16>", 1, "16", "128")},

	{"R22", rules.Warning, "kernel.rs", nil, body(2, zeroes, "for planted in 0i32..4i32 {", "    if planted > get_tile_block_id().0 {", "        plant = plant * plant;", "    }", "}")},
	{"R22", rules.Warning, "kernel.rs", []string{"attention_sink"}, replace("acc = acc * alpha_d;", 1, "acc = acc * alpha_d;", "if j > lo_planted { acc = acc * alpha_d; }")},

	{"R24", rules.Warning, "kernel.rs", []string{"attention_sink"}, replace("l_i = fma(", 1, "l_i = ", "let l_i: Tile<f32, { [TILE_M, 1] }> = ")},
	{"R24", rules.Warning, "kernel.rs", nil, body(3, zeroes, "for planted in 0i32..4i32 {", "    for _p in 0i32..4i32 {", "        let plant: Tile<f32, { [4, 8] }> = plant + plant;", "    }", "}", "let planted: Tile<f32, { [4, 8] }> = plant;")},

	{"R25", rules.Warning, "kernel.rs", nil, body(1, zeroes, "let planted: Tile<f32, { [4, 8] }> = if CONST > 4i32 { plant * plant } else { plant };")},
	{"R25", rules.Warning, "kernel.rs", []string{"matmul"}, replace("acc = mmaf(a_tile, b_tile, acc);", 1, "acc = mmaf(a_tile, b_tile, acc);", "acc = if k > 1i32 { mmaf(a_tile, b_tile, acc) } else { acc };")},

	{"R28", rules.Error, "kernel.rs", views, replace("tma::Enabled", 1, "Enabled", "Disabled")},
	{"R28", rules.Warning, "kernel.rs", []string{"matmul"}, onLine(replace("&a_part,", 1, "&a_part", "&a_iter"), "let a_tile", 1)},
	{"R28", rules.Warning, "kernel.rs", []string{"bmm"}, body(1, "let plant: Partition<E, { [1, 64, 64] }> = make_partition_view(a, const_shape![1, 64, 64], padding::None, dim_map::Identity, get_tensor_token(a));", "let planted: Tile<E, { [1, 64, 64] }> = load_view_tko(&plant, [0i32, 0i32, 0i32], ordering::Weak, scope::TileBlock, None, tma::Enabled);")},

	{"R29", rules.Warning, "kernel.rs", []string{"matmul"}, replace("let mut acc", 2, "let mut acc", "let planted: Tile<E, { [BM, BK] }> = load_view_tko(&a_part, [tile_id, 0i32], ordering::Weak, scope::TileBlock, Some(4i32), tma::Enabled); let mut acc")},
	{"R29", rules.Warning, "kernel.rs", []string{"matmul"}, replace("None,", 5, "None", "Some(LATENCY)")},
	{"R29", rules.Note, "kernel.rs", []string{"bmm"}, replace("Some(3i32)", 2, "Some(3i32)", "None")},

	{"R34", rules.Error, "wrapper.py", []string{"attention_sink"}, replace("k = key.view(", 1, "(1, 2)", "(2, 3)")},
	{"R34", rules.Warning, "wrapper.py", []string{"bmm"}, replace("b = b.contiguous()", 1, "b.contiguous()", "b.transpose(-1, -2).contiguous()")},

	{"R36", rules.Error, libRS, one, first("#![feature(generic_const_exprs)]")},

	{"R44", rules.Note, ffiUtil, one, both(replace("use cutile::prelude", 1, "prelude::*", "tensor::Tensor"), end(0, "fn planted(t: &mut Tensor<f32>) { let p = t.partition([64]); }"))},
}

// first puts a line before all others.
func first(line string) edit {
	return func(_ *testing.T, src string) (string, int) { return line + "\n" + src, 1 }
}

func init() {
	changes = append(changes, change{"R11", rules.Error, "bmm", map[string]edit{"bmm_pipeline.rs": end(3,
		"fn compile() {",
		"    KernelCompiler::new(__module_ast_self, \"bmm_module\", \"static_persistent_bmm_kernel\")",
		"        .strides(&[",
		"            (\"a\", &[64, 1]),",
		"            (\"b\", &[4096, 64, 1]),",
		"            (\"c\", &[4096, 64, 1]),",
		"        ])",
		"        .compile();",
		"}")}, "bmm_pipeline.rs", false})
}
