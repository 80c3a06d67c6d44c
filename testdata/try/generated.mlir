cuda_tile.module @m {
  entry @scale_kernel(%0: tile<ptr<f16>>, %1: tile<i32>) optimization_hints=<sm_90 = {occupancy = 2}> {
    %2 = make_tensor_view %0, shape = [%1, %1], strides = [%1, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
    %3 = make_partition_view %2 : partition_view<tile=(64x64), tensor_view<?x?xf16, strides=[?,1]>>
    %4, %5 = load_view_tko weak %3[%1, %1] optimization_hints = <sm_90 = {allow_tma = true}> : partition_view<tile=(64x64), tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<64x64xf16>, token
    return
  }
}
