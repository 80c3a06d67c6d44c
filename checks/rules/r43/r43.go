// Package r43 is rule R43: outputs are never &mut Tensor.
package r43

import (
	_ "embed"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/rules"
)

//go:embed doc.md
var doc string

// Rule is R43.
var Rule = &rules.Rule{
	ID: "R43", Title: "Outputs are never &mut Tensor",
	Category: "memory", Owner: "kernel", Severity: rules.Error, DecidedBy: "syntax", Fix: "suggest",
	Signatures: []string{"S-R05", "S-R08", "S-C01", "S-B09"},
	Why:        "A mutable tensor is partitioned by the host and ties the launch grid to that partition; persistent and swizzled grids are then rejected with rc -3.",
	Triage: []string{
		"Declare the output as `&Tensor<E, { [-1, ..] }>`, or as `*mut E` in a pointer kernel.",
		"In the body take `unsafe { y.partition_full_mut(const_shape![..]) }` and store with `store_view_tko_mut`.",
		"In ffi.rs borrow the output like an input.",
	},
	First: map[string]int{"host": 2, "partition_mut": 1, "parameter": 0},
	Doc:   doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{dsl.Modules}, Run: run,
}

func run(p *rules.Pass) {
	for _, m := range dsl.Modules.Of(p) {
		for _, fn := range m.Entries() {
			for _, q := range fn.Params {
				t := dsl.ParseType(q.Type)
				switch {
				case t.Kind == dsl.Tensor && t.Mut:
					p.Reportf(q.Node, rules.Error, "parameter", "`%s` is an output as `&mut Tensor`; declare it as `&Tensor<%s, { [-1, ..] }>` and write through `partition_full_mut`", q.Name, t.Elem)
				case t.Name == "MappedPartitionMut" && !t.Ref:
					p.Reportf(q.Node, rules.Error, "parameter", "`%s` is an output as a mapped partition, which the host partitions; declare it as `&Tensor<%s, { [-1, ..] }>` and write through `partition_full_mut`", q.Name, t.Elem)
				}
			}
			blockPartition(p, fn)
		}
	}
	host(p)
}

// blockPartition reports partition_mut in a kernel whose loop steps by the
// launch grid: that partition starts at the block's own tile.
func blockPartition(p *rules.Pass, fn *dsl.Func) {
	persistent := false
	for _, loop := range fn.Body.Find("for_expression") {
		persistent = persistent || fn.GridStride(loop)
	}
	if !persistent {
		return
	}
	for _, c := range fn.Calls() {
		if c.Method() && c.Name == "partition_mut" && fn.TypeOf(c.Receiver).Kind == dsl.Tensor {
			p.Reportf(c.Node, rules.Warning, "partition_mut", "`partition_mut` offsets by the block index, but this kernel loops over tiles by the launch grid; use `partition_full_mut`")
		}
	}
}

// host reports an output that ffi.rs partitions itself.
func host(p *rules.Pass) {
	root := p.Tree.File(p.Kernel.FFI).Root()
	for _, fn := range root.Find("function_item") {
		if !fn.ChildOf("function_modifiers").ChildOf("extern_modifier").Valid() {
			continue
		}
		for _, c := range dsl.Calls(fn.Field("body")) {
			if c.Method() && c.Name == "partition" && len(c.Args) == 1 && dsl.Unparen(c.Args[0]).Is("array_expression") {
				p.Reportf(c.Node, rules.Error, "host", "ffi.rs partitions an output (`%s`), which ties the launch grid to the partition; borrow it and let the kernel use `partition_full_mut`", c.Node.Squeeze())
			}
		}
		for _, t := range fn.Find("generic_type", "generic_type_with_turbofish") {
			arg := t.Field("type_arguments").NamedChild(0)
			if dsl.ParseType(t).Name == "Partition" && arg.Is("reference_type") && dsl.ParseType(arg).Kind == dsl.Tensor && dsl.ParseType(arg).Mut {
				p.Reportf(t, rules.Error, "host", "ffi.rs builds `%s` for an output; borrow the tensor and let the kernel use `partition_full_mut`", t.Squeeze())
			}
		}
	}
}
