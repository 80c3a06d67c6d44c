package ir

// Line is one line of the comparison: a difference, how much it weighs and what
// it means. Compare reports nothing that is not in the list.
type Line struct {
	// ID is unique. The example of a line is testdata/list/ID.txtar.
	ID string
	// Item is how a Difference is called. A line about many operations puts the
	// operation's name or the hint's before it.
	Item  string
	Kind  Kind
	Rules []string
	Note  string
	// Part is the part of upstream's comparison list that the line decides.
	Part Part
	// Covers says which entry of that part it is, empty when it is our own.
	Covers string
}

// Part is a part of upstream's comparison list.
type Part string

// The parts in their order.
const (
	Precheck  Part = "before comparing"
	MustMatch Part = "must match"
	MayDiffer Part = "may differ"
	Ignorable Part = "noise"
	Gaps      Part = "known gaps"
	Policy    Part = "classification policy"
	Own       Part = "added here"
)

// Lines are all lines in the order of the list.
var Lines []*Line

func line(l Line) *Line {
	Lines = append(Lines, &l)
	return &l
}

var (
	lineUnreadable = line(Line{"unreadable", "module", Critical, []string{Rule}, "the text cannot be compared", Precheck, "the dump is the IR of a kernel"})
	lineEntryGone  = line(Line{"entry-missing", "entry", Critical, []string{"R12", "R35"}, "no generated entry has this name", Precheck, "the kernel variant that ran"})
	lineEntryMore  = line(Line{"entry-extra", "entry", Warning, []string{"R12", "R35"}, "no reference entry has this name", Precheck, "the kernel variant that ran"})
	lineLabel      = line(Line{"entry-label", "entry symbol", Noise, nil, "the entries are called differently", Precheck, "the name of the kernel"})

	lineHintConflict = line(Line{"hint-conflict", "", Critical, []string{"R20"}, "the hints contradict each other", MustMatch, "optimization hints of the entry"})
	lineHintMissing  = line(Line{"hint-missing", "", Warning, []string{"R20"}, "the reference gives this hint", MustMatch, "optimization hints of the entry"})
	lineHintExtra    = line(Line{"hint-extra", "", Warning, []string{"R20"}, "the reference does not give this hint", MustMatch, "optimization hints of the entry"})
	lineStrideInner  = line(Line{"stride-inner", "strides", Critical, []string{"R11"}, "the innermost stride must be the constant 1", MustMatch, "constant stride of the last axis"})
	lineStrides      = line(Line{"strides", "strides", Warning, []string{"R11"}, "the strides of the tensor views differ", MustMatch, "constant stride of the last axis"})
	lineAccumulator  = line(Line{"accumulator", "accumulator", Critical, []string{"R8", "R31"}, "the product is accumulated in another type or shape", MustMatch, "type of the accumulator"})
	lineNarrowed     = line(Line{"narrowed-store", "conversion before a store", Critical, []string{"R8", "R31"}, "the reference narrows a value of a wider type at the end; this one is stored as it was computed", MustMatch, "conversion to the narrow type before the store"})
	lineConverted    = line(Line{"converted-store", "conversion before a store", Warning, []string{"R8"}, "stored values are converted otherwise than in the reference", MustMatch, "conversion to the narrow type before the store"})
	lineFactors      = line(Line{"product-operands", "product operands", Critical, []string{"R8"}, "the factors of the product have another type or shape; f32 needs tf32 when the reference has it", MustMatch, "types of the matrix product"})
	lineTokens       = line(Line{"tokens", "tokens", Warning, nil, "memory operations are ordered by another number of tokens", MustMatch, "number of tokens"})
	lineStep         = line(Line{"loop-step", "loop step", Critical, []string{"R13"}, "the loop steps by another amount", MustMatch, "step of the loop"})
	lineTiles        = line(Line{"tile-shape", "tile shapes", Critical, []string{"R48"}, "tiles of another shape address other elements", MustMatch, "tile shapes of partitions"})
	lineTilesStrided = line(Line{"tile-shape-strided", "tile shapes", Warning, []string{"R48"}, "the reference uses strided views: check that the same elements are addressed", MustMatch, "tile shapes of partitions"})
	linePadding      = line(Line{"padding", "padding", Critical, []string{"R28", "R45"}, "elements outside of the tensor are read as another value", MustMatch, "padding value"})
	linePadded       = line(Line{"padding-extra", "padding", Equivalent, []string{"R28"}, "what the reference leaves undefined outside of the tensor has a value", MustMatch, "padding value"})
	lineExact        = line(Line{"exact-rounding", "rounding", Warning, []string{"R26"}, "an exact operation needs no rounding mode", MustMatch, "no rounding mode of maxf and minf"})
	linePersistent   = line(Line{"persistent", "persistent loop", Critical, []string{"R13", "R48"}, "the reference goes on with the blocks that the grid has not: launched with the reference's grid, the rest is never written", MustMatch, "size of the grid"})
	lineGrid         = line(Line{"persistent-extra", "persistent loop", Warning, []string{"R13"}, "the reference does one block in each program: launch the grid that the loop expects", MustMatch, "size of the grid"})

	lineCeil      = line(Line{"ceil-division", "ceiling division", Equivalent, nil, "a division that rounds up, written in another way", MayDiffer, "division that rounds up; get_index_space_shape against arithmetic"})
	lineMinimum   = line(Line{"minimum", "minimum", Equivalent, nil, "a minimum or maximum of integers, written in another way", MayDiffer, "mini against a branch"})
	lineRemainder = line(Line{"remainder", "remainder", Equivalent, nil, "the sign of the remainder is corrected on one side only; nothing here is negative", MayDiffer, "correction of a negative remainder"})
	lineAssumed   = line(Line{"assumed-step", "loop step", Equivalent, nil, "the same step, with an assumption about it on one side", MayDiffer, "step through an assumed value"})
	lineIndices   = line(Line{"index-arithmetic", "", Equivalent, nil, "index and mask arithmetic can be written in several ways", Policy, "operations that only inform"})

	lineNoise   = line(Line{"compiler-operations", "", Noise, nil, "the compiler adds or removes these", Ignorable, "constants that nothing uses"})
	lineBounded = line(Line{"assume-bounded", "assume bounded", Noise, nil, "bounds of block numbers, grid sizes and counters are added by the compiler", Ignorable, "assumed bounds of blocks, grids and counters"})
	lineLocated = line(Line{"locations", "source locations", KnownGap, nil, "cutile-rs prints none", Gaps, "debug information"})
	lineDebug   = line(Line{"locations-extra", "source locations", Noise, nil, "debug information has no effect", Gaps, "debug information"})
	lineStrided = line(Line{"strided-view", "make_strided_view", KnownGap, nil, "cutile-rs has partition views only: check that the tile indices address the same elements", Gaps, "make_strided_view"})
	lineGapHint = line(Line{"hint-gap", "", KnownGap, nil, "cutile-rs cannot set it", Gaps, "simt_num_warps_in_cta and tensor_dim_factor"})

	linePattern    = line(Line{"entry-pattern", "entry pattern", Critical, []string{"R12", "R28"}, "views need tensors as parameters, pointers need raw ones", Policy, "family of the memory operations"})
	lineMemory     = line(Line{"memory-operations", "", Critical, []string{"R28"}, "the memory path differs", Policy, "family of the memory operations"})
	lineProducts   = line(Line{"products", "", Critical, []string{"R8"}, "the number of matrix products differs", Policy, "matrix products"})
	lineReductions = line(Line{"reductions", "", Critical, []string{"R5"}, "the number of reductions differs", Policy, "reductions"})
	lineReduced    = line(Line{"reduction-kind", "reductions", Critical, []string{"R5", "R48"}, "another axis is reduced, or by another operation", Policy, "reductions"})
	lineIdentity   = line(Line{"identity", "reduce identities", Critical, []string{"R48"}, "the reduction starts from another value", Policy, "identity of a reduction"})
	lineFunctions  = line(Line{"functions", "", Critical, []string{"R26", "R48"}, "another function is computed", Policy, "exponentials, roots and fused operations"})
	lineLoops      = line(Line{"loops", "", Critical, []string{"R13", "R24"}, "the number of counted loops differs", Policy, "counted against endless loops"})
	lineEndless    = line(Line{"endless-loops", "", Critical, []string{"R13"}, "a loop without bounds differs from a counted one", Policy, "counted against endless loops"})
	lineFloor      = line(Line{"loop-floor", "loop bound", Critical, []string{"R45"}, "the reference rounds the number of tiles up, this rounds down: the last tile is left out", Policy, "division of a loop's bound"})
	lineTrips      = line(Line{"loop-bound", "loop bound", Critical, []string{"R48"}, "the loop ends at another constant", Policy, "constants of the reference"})
	lineRuntime    = line(Line{"runtime-bound", "loop bound", Critical, []string{"R23"}, "the reference knows it when compiling, here it is computed from an argument", Policy, "constant lowered as an argument"})
	lineBaked      = line(Line{"baked-bound", "loop bound", Warning, []string{"R48"}, "the reference computes it, here the dumped shape is baked in", Policy, "constants of the reference"})
	lineFlush      = line(Line{"flush-missing", "flush_to_zero", Critical, []string{"R26"}, "flush-to-zero of the reference is missing", Policy, "flush to zero"})
	lineFlushMore  = line(Line{"flush-extra", "flush_to_zero", Warning, []string{"R26"}, "the reference flushes fewer operations to zero", Policy, "flush to zero"})
	lineApprox     = line(Line{"approx-missing", "rounding", Critical, []string{"R19", "R26"}, "the reference uses the approximate form", Policy, "rounding mode"})
	lineRounding   = line(Line{"rounding", "rounding", Warning, []string{"R19", "R26"}, "the rounding modes differ", Policy, "rounding mode"})
	lineNaN        = line(Line{"nan-missing", "propagate_nan", Critical, []string{"R26"}, "the reference passes NaN on, this drops it", Policy, "NaN attributes"})
	lineNaNMore    = line(Line{"nan-extra", "propagate_nan", Warning, []string{"R26"}, "the reference drops NaN, this passes it on", Policy, "NaN attributes"})
	lineOrdered    = line(Line{"nan-comparison", "comparison of floats", Warning, []string{"R26"}, "a comparison with NaN gives another answer", Policy, "NaN attributes"})
	lineScalars    = line(Line{"assume-sizes", "assume div_by on sizes", Critical, []string{"R21"}, "the promise is false for ragged shapes and corrupts masks", Policy, "assumed divisors of sizes"})
	linePointers   = line(Line{"assume-pointers", "assume div_by on pointers", Critical, []string{"R21"}, "raw pointers lost their alignment", Policy, "assumed divisors of pointers"})
	lineViews      = line(Line{"assume-views", "assume div_by on pointers", Warning, []string{"R21"}, "harmless for views unless a measurement says otherwise", Policy, "assumed divisors of pointers"})
	lineMask       = line(Line{"mask", "masks", Critical, []string{"R45"}, "the reference masks this access: without it the tail is read or written outside of the tensor", Policy, "masks of pointer operations"})
	linePadOperand = line(Line{"pointer-padding", "pointer padding", Warning, []string{"R14", "R45"}, "what a masked load gives outside of the mask is not the reference's value", Policy, "padding of pointer operations"})
	linePadSelect  = line(Line{"pointer-padding-select", "pointer padding", Equivalent, []string{"R14"}, "the value outside of the mask is chosen by a select", Policy, "padding of pointer operations"})
	lineFew        = line(Line{"arithmetic", "", Warning, []string{"R48"}, "up to two more or fewer are usual for a workaround: check the expression around it", Policy, "tolerance of arithmetic"})
	lineMany       = line(Line{"arithmetic-many", "", Critical, []string{"R48"}, "more than a workaround explains", Policy, "tolerance of arithmetic"})
	lineTMA        = line(Line{"tma", "tma", Critical, []string{"R28"}, "loads or stores lost TMA: correct layout and strides instead of switching it off", Policy, "TMA"})
	lineTMAMore    = line(Line{"tma-extra", "tma", Warning, []string{"R28"}, "TMA is allowed in more places than in the reference", Policy, "TMA"})
	lineLatency    = line(Line{"latency", "latency", Warning, []string{"R20"}, "the latency hints differ", Policy, "latency"})
	lineLatencyIn  = line(Line{"latency-in-loop", "latency", Warning, []string{"R20", "R29"}, "the latency hints inside of a loop differ", Policy, "latency"})
	lineDimMap     = line(Line{"dim-map", "dim_map", Warning, []string{"R27", "R34"}, "the axes are mapped differently: exactly one side transposes", Policy, "map of the axes"})
	lineSwizzle    = line(Line{"swizzle", "block swizzle", Warning, []string{"R42"}, "the reference numbers blocks in groups, which keeps their operands in the cache", Policy, "order of the blocks"})
	lineSwizzled   = line(Line{"swizzle-extra", "block swizzle", Warning, []string{"R42"}, "the reference numbers blocks row by row", Policy, "order of the blocks"})
	lineElements   = line(Line{"element-types", "element types", Warning, []string{"R16"}, "the dumps are of different data types", Policy, "data types"})
	lineNegative   = line(Line{"remainder-negative", "remainder", Warning, []string{"R48"}, "the reference corrects the sign of a remainder that may be negative", Own, ""})
	lineChecks     = line(Line{"checks", "", Warning, nil, "prints and checks at run time cost time", Own, ""})
	lineOthers     = line(Line{"other-operations", "", Critical, []string{"R48"}, "the number of these operations differs", Own, ""})
	lineUnknown    = line(Line{"unknown-operations", "", Warning, nil, "an operation that the comparison does not know", Own, ""})
)
