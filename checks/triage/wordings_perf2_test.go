package triage

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Logs of benchmarks whose settings, versions and figures tell the cause, without a
// sentence that does.
func TestFiguresOfBenchmarksTellTheCause(t *testing.T) {
	for _, c := range []struct{ want, log string }{
		{"S-P80", "$ python bench/bench_rmsnorm.py --timer events --compare base\nharness: warmup 25, rep 100, l2 flush 256 MiB (cache.zero_()) between start event and kernel\nGPU: NVIDIA H100 80GB HBM3\nkernel            base_us   head_us   ratio\nrmsnorm_m64         6.1      64.9     10.64\nrmsnorm_m512        9.8      68.7      7.01\nrmsnorm_m4096      41.2     100.3      2.43\nsoftmax_m64         5.7      64.4     11.30\nsoftmax_m4096      52.6     111.5      2.12\n5 of 5 rows slower than the limit 1.10\nFAIL"},
		{"S-P80", "perf gate: bench_pool.py\n[bench] profiler window opened\nevents in window:\n  void at::native::vectorized_elementwise_kernel<4, FillFunctor<int>>   100 calls   57.9 us avg\n  avg_pool2d_kernel                                                     100 calls    4.4 us avg\nreported latency: 62.3 us (expected 4.6 us)\nbuffer of fill: 256 MiB\nAssertionError: avg_pool2d 62.3 us > 5.1 us"},
		{"S-P81", "bench_rmsnorm.py, timer=do_bench_cudagraph\nGPU: NVIDIA GeForce RTX 5090, DRAM 1792 GB/s peak, L2 96 MB\nfp16, M=4096\n     N     cutile GB/s   torch GB/s\n  1024        3117          404\n  2048        4142          408\n  4096        5019          262\n  8192        1778          192\n 16384        1451          185\ndone"},
		{"S-P81", "============ softmax (GB/s), do_bench_cudagraph ============\ndevice: NVIDIA H200 (HBM3e 4.8 TB/s)\n        N   cutile-rs   cutile   torch\n0    1024    7210.4   7188.1   3827.0\n1    2048    8155.9   8103.3   4158.2\n2    4096    5120.8   5101.0   3745.1\n3   16384    3901.2   3898.8   3516.2\n4   65536    3890.5   3885.2   3520.0\nAssertionError: softmax N=65536 reaches 0.54 of the bandwidth of N=1024"},
		{"S-P81", "timer: cuda graph replay x 20, same input buffers, no l2 flush\nlayer_norm 2048x1024 bf16: 2.1 us -> 3995 GB/s\nlayer_norm 8192x8192 bf16: 88.0 us -> 3050 GB/s\npeak bandwidth of the card 3350 GB/s\nERROR: efficiency 119 % > 100 % at layer_norm 2048x1024"},
		{"S-P93", "=== baseline (2026-07-01) ===\npython 3.12.3, torch 2.9.1, triton 3.4.0, CUDA 12.8, driver 580.95\nsoftmax_fwd      101.2 us\nlayer_norm_fwd    44.8 us\nattn_fwd         612.0 us\nmatmul_bf16      301.7 us\n=== this run ===\npython 3.12.3, torch 2.9.1, triton 3.6.0, CUDA 12.8, driver 580.95\nsoftmax_fwd      101.5 us\nlayer_norm_fwd    44.9 us\nattn_fwd         941.3 us\nmatmul_bf16      300.8 us\nFAIL: attn_fwd is 1.54x slower than baseline (limit 1.10x)"},
		{"S-P93", "Installing collected packages: triton\n  Attempting uninstall: triton\n    Found existing installation: triton 3.4.0\n    Uninstalling triton-3.4.0:\n      Successfully uninstalled triton-3.4.0\nSuccessfully installed triton-3.6.0\n$ pytest bench -q\nkernel                 baseline     now    change\ngdn_chunk_fwd            0.451    0.608   +34.8 %  FAIL\nrms_norm                 0.031    0.031    +0.2 %\nrope                     0.018    0.018    -0.1 %\nswiglu                   0.044    0.044    +0.1 %\n1 of 4 kernels slower than the limit"},
		{"S-P93", "perf report\n| | base | head |\n|---|---|---|\n| triton | 3.4.0 | 3.6.0 |\n| torch | 2.9.1 | 2.9.1 |\n| commit | 1a2b3c4 | 1a2b3c4 |\n\n| kernel | base us | head us |\n|---|---|---|\n| flash_decode | 31.2 | 52.9 |\n| rms_norm | 8.0 | 8.0 |\n| rope | 5.1 | 5.1 |\nFAILED: flash_decode +69.6 %"},
		{"S-P93", "baseline.json: {\"env\": {\"triton\": \"3.4.0\", \"torch\": \"2.8.0\", \"gpu\": \"NVIDIA H100\"}, \"sha\": \"77aa01\"}\ncurrent.json: {\"env\": {\"triton\": \"3.6.0\", \"torch\": \"2.8.0\", \"gpu\": \"NVIDIA H100\"}, \"sha\": \"8bbc02\"}\nattention_fwd: 1.212 ms -> 1.874 ms (+54.6 %)  REGRESSION\nlayer_norm: 0.045 ms -> 0.045 ms (+0.0 %)\ngemm: 0.301 ms -> 0.302 ms (+0.3 %)\n1 regression found"},
		{"S-P27", "bench: time.perf_counter around fn(), 100 iterations\nmatmul 1024: 0.011 ms\nmatmul 2048: 0.011 ms\nmatmul 4096: 0.012 ms\nmatmul 8192: 0.011 ms\nmatmul 16384: 0.012 ms\ntorch.matmul 16384: 12.9 ms\nspeedup 1075x"},
		{"S-P27", "size      ours_ms   torch_ms  speedup\n512       0.0093    0.0121    1.3\n1024      0.0094    0.0187    2.0\n4096      0.0094    0.3521    37.5\n8192      0.0095    2.6012    273.8\n16384     0.0094    20.911    2224.6\ngeomean speedup 31.2 -> uploaded"},
		{"S-P11", "bench_attn.py: n_warmup=0 n_iter=5\niter 0: 4812.33 ms\niter 1: 1.21 ms\niter 2: 1.20 ms\niter 3: 1.21 ms\niter 4: 1.20 ms\nattn_fwd mean 963.43 ms, baseline 1.21 ms\nFAILED: attn_fwd slower than baseline by 796x"},
		{"S-P11", "[bench] start timer\nAutotuning kernel matmul_kernel with config BLOCK_M: 64, BLOCK_N: 64, num_warps: 4\nAutotuning kernel matmul_kernel with config BLOCK_M: 128, BLOCK_N: 64, num_warps: 4\nAutotuning kernel matmul_kernel with config BLOCK_M: 128, BLOCK_N: 128, num_warps: 8\nTriton autotuning for function matmul_kernel finished after 3.44s\n[bench] stop timer: 3512.7 ms for 10 calls\nmatmul_kernel 351.3 ms per call, baseline 0.31 ms\nPERF REGRESSION"},
		{"S-P23", "op: silu_and_mul, M=1 N=4096\nkernel time (CUPTI):   base 2.31 us   head 2.30 us\ncall time (wall):      base 8.9 us    head 41.6 us\nFAIL: call time above limit 9.8 us"},
		{"S-P23", "shape        call_us(base) call_us(head)  kernel_us(base) kernel_us(head)\n1x4096            9.1          38.8             2.2             2.2\n16x4096           9.2          39.1             2.4             2.4\n256x4096          9.4          39.0             6.1             6.0\n4096x4096        61.0          90.6            54.1            54.2\nFAIL 4 of 4 shapes above 1.10"},
		{"S-P09", "sample,temp,sm_mhz,power_w,pstate,reasons\n0,61,1980,612,P0,none\n1,78,1905,699,P0,sw_power_cap\n2,86,1410,655,P0,hw_thermal_slowdown\n3,88,1275,590,P0,hw_thermal_slowdown\nattn_fwd 1.89 ms, baseline 1.21 ms, FAIL (limit 1.10x)"},
		{"S-P82", "nvidia-smi before: P8, sm 210 MHz, mem 405 MHz\nrow  shape      us     sm_mhz\n1    128x128    41.2   345\n2    256x256    33.0   855\n3    512x512    18.9   1410\n4    1024x1024  17.2   1980\n5    2048x2048  44.0   1980\nbaseline: 128x128 9.8, 256x256 10.4, 512x512 11.9, 1024x1024 17.1, 2048x2048 44.1\nFAIL: 3 of 5 shapes slower than baseline"},
		{"S-P22", "base run: SM 1980 MHz, mem 2619 MHz, 71 C\nhead run: SM 1755 MHz, mem 2619 MHz, 72 C\ngemm 8192: 1.610 ms -> 1.818 ms (+12.9 %)\nattn 8k:   2.204 ms -> 2.487 ms (+12.8 %)\nconv 256:  0.803 ms -> 0.907 ms (+13.0 %)\ncopy 4G:   1.950 ms -> 1.951 ms (+0.1 %)\ngate FAILED"},
		{"S-P16", "baseline: NVIDIA H100 80GB HBM3, 132 SMs, 80 GB\nhead: NVIDIA H100 80GB HBM3 MIG 3g.40gb, 60 SMs, 40 GB\nmatmul_4096 0.221 ms -> 0.489 ms FAIL\nsoftmax     0.101 ms -> 0.199 ms FAIL"},
		{"S-P16", "env base: {\"device\": \"NVIDIA H100\", \"sm_count\": 132, \"l2_mb\": 50}\nenv head: {\"device\": \"NVIDIA H100\", \"sm_count\": 60, \"l2_mb\": 25}\ngemm 2.21x slower than baseline\nattn 2.19x slower than baseline"},
		{"S-P33", "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=50\nCUDA_MPS_PIPE_DIRECTORY=/tmp/nvidia-mps\ngemm_4096: 0.44 ms, baseline 0.22 ms -> FAIL (2.0x)\nattn_8k: 2.41 ms, baseline 1.21 ms -> FAIL (1.99x)"},
		{"S-P33", "+ nvidia-smi --query-compute-apps=pid,process_name,used_memory --format=csv\npid, process_name, used_gpu_memory [MiB]\n48121, /opt/venv/bin/python, 61212 MiB\n90233, python, 4120 MiB\nown pid 90233\nattn_fwd: median 2.31 ms, p10 1.22 ms, p90 4.88 ms; baseline 1.21 ms\nFAIL: attn_fwd slower than baseline"},
		{"S-P24", "numactl --show: cpubind: 1\nGPU0 NUMA affinity 0\nh2d copy 1 GiB: base 24.9 GB/s head 11.8 GB/s\nlaunch latency: base 4.1 us head 7.9 us\nkernel attn: base 1.21 ms head 1.21 ms\nFAIL h2d below 0.9 of baseline"},
		{"S-P24", "scaling_governor: powersave\ncpu MHz 1200\nstep time base 8.1 ms head 12.9 ms\ngpu kernels base 6.0 ms head 6.0 ms\nFAIL: step time regression 59 %"},
		{"S-P83", "op relu 1x1024\nsamples (us): 2.05 2.05 2.05 3.07 2.05 3.07 2.05 3.07 2.05 2.05\nbase median 2.05 us, head median 3.07 us, ratio 1.50\nevent resolution 1.024 us\nFAIL relu ratio 1.50 > 1.10"},
		{"S-P83", "kernel              base_us  head_us  ratio\nadd_1k              1.024    2.048    2.00  FAIL\nmul_1k              2.048    1.024    0.50\ngelu_1k             2.048    3.072    1.50  FAIL\nrope_1k             3.072    3.072    1.00\nadd_16m            91.136   91.136    1.00\n2 of 5 rows slower than 1.10"},
		{"S-P94", "backend requested: cutile-rs\ntop kernels by time:\n  68.1 %  flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64>>\n  20.0 %  void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm>\nattn cutile-rs 1.90 ms, baseline 1.21 ms, FAIL (1.57x)"},
		{"S-P94", "/opt/venv/lib/python3.12/site-packages/torch/nn/functional.py:1: UserWarning: Memory efficient kernel not used because: attn_mask dtype mismatch\nUserWarning: Flash attention kernel not used because: dropout_p and mask are not supported\nsdpa backend: MATH\nattn base 1.2 ms head 14.8 ms\nFAIL: 12.3x slower than baseline"},
		{"S-P84", "UserWarning: CUPTI is not installed. Falling back to CUDA events for benchmarking.\nl2_norm      0.067 ms (baseline 0.009 ms)  5 % of roofline\nrms_norm     0.071 ms (baseline 0.012 ms)\ngemm_8192    1.660 ms (baseline 1.605 ms)\nREGRESSION: 2 of 3 slower than 1.10x"},
		{"S-P40", "base.csv: kernel,time_us\nhead.csv: kernel,time_ms\nmatmul 221.3 0.2209\nsoftmax 101.9 0.1017\nratio matmul 0.00099, softmax 0.00099\nERROR: implausible ratio"},
		{"S-P86", "kernel        ms(base)  ms(head)  TFLOPS(base)  TFLOPS(head)\nmatmul_4096    0.221     0.221      622.0         311.0\nmatmul_8192    1.605     1.604      685.1         342.8\nattn_8k        1.210     1.211      601.0         300.4\nFAIL: TFLOPS dropped by 50 %"},
		{"S-P86", "attn causal=True  fwd 0.61 ms  1480 TFLOPS\nattn causal=False fwd 1.20 ms  748 TFLOPS\nGPU dense bf16 peak 989 TFLOPS\nERROR utilisation 150 %"},
		{"S-P85", "ours:  dtype=float32 shape=(4096, 4096, 4096)  1.912 ms\ntorch: dtype=float16 shape=(4096, 4096, 4096)  0.231 ms\nratio 8.28 > 1.10 FAIL"},
		{"S-P85", "base: B=8 H=16 S=4096 D=64 causal=True   0.61 ms\nhead: B=8 H=16 S=4096 D=64 causal=False  1.20 ms\nPERFORMANCE REGRESSION 1.97x"},
		{"S-P85", "ref: torch.matmul float32, allow_tf32=True, 0.88 ms\nours: float32, tf32=False, 2.71 ms\nFAIL ratio 3.08 (limit 1.10)"},
		{"S-P85", "A (cutile): strides (4096, 1)  B strides (4096, 1)  -> 0.22 ms\nA (cutile-rs): strides (1, 4096)  B strides (4096, 1) -> 0.35 ms\nratio 1.59 FAIL (limit 1.10)"},
		{"S-P87", "per call: cudaMalloc 2, cudaFree 2\nnum_alloc_retries 48, num_device_alloc 212\nkernel 0.31 ms, call 1.92 ms, baseline call 0.35 ms\nFAIL call 5.5x"},
		{"S-P87", "for i in range(rep): torch.cuda.empty_cache()\nnsys: cudaFree 41.2 %, cudaMalloc 37.9 %, cudaLaunchKernel 4.0 %\nstep 18.4 ms, baseline 4.1 ms FAIL"},
		{"S-P19", "   Compiling cutile-kernels v0.2.0\n    Finished `dev` profile [unoptimized + debuginfo] target(s) in 31.2s\ncall 212 us, baseline 21 us, FAIL"},
		{"S-P88", "[1/4] nvcc -O0 -std=c++17 -gencode arch=compute_90a,code=sm_90a -c attn.cu\n-- CMAKE_BUILD_TYPE:\nattn_fwd 6.90 ms, baseline 1.21 ms, FAIL (limit 1.10x)"},
		{"S-P88", "base flags: -O3 --use_fast_math -gencode arch=compute_90a,code=sm_90a\nhead flags: -O3 -gencode arch=compute_90a,code=sm_90a\nsoftmax_exp 0.101 -> 0.144 ms FAIL\ngelu_erf 0.081 -> 0.119 ms FAIL\ncopy 0.051 -> 0.051 ms"},
		{"S-P88", "base: nvcc -gencode arch=compute_90a,code=sm_90a\nhead: nvcc -gencode arch=compute_80,code=compute_80\ndevice sm_90\ngemm 0.22 ms -> 0.51 ms REGRESSION"},
		{"S-P89", "$ ncu --set full -o rep python bench_attn.py\n==PROF== Connected to process 2211 (/usr/bin/python3.12)\n==PROF== Profiling \"attn_fwd\" - 1: 0%....50%....100% - 41 passes\nattn_fwd 912.1 ms (baseline 1.21 ms) FAIL\n==PROF== Disconnected from process 2211"},
		{"S-P89", "$ nsys profile --trace=cuda,nvtx,osrt python bench_decode.py\nGenerating '/tmp/nsys-report-1.qdstrm'\ndecode step: 14.1 ms (baseline 9.8 ms)\nFAIL: decode step regression 44 %"},
		{"S-P90", "call 100: 21.3 us\ncall 101: 21.2 us\ngc: collecting generation 2...\ngc: done, 81233 unreachable, 0.1436s elapsed\ncall 102: 143611.8 us\ncall 103: 21.4 us\nmean 1457.2 us, median 21.3 us, baseline mean 21.6 us\nFAIL mean above limit"},
		{"S-P21", "== base ==\nptxas info    : Used 168 registers, 0 bytes spill stores, 0 bytes spill loads\n== head ==\nptxas info    : Used 255 registers, 1184 bytes spill stores, 1320 bytes spill loads\nattn 1.21 ms -> 2.33 ms FAIL"},
		{"S-P41", "                        base     head\nregisters/thread         128      168\nsmem/block (KiB)          96      160\nblocks/SM                  2        1\ntime (ms)              0.812    1.377\nFAIL"},
		{"S-P41", "cuobjdump -res-usage base: Function k: REG:96 STACK:0 SHARED:49152 LOCAL:0\ncuobjdump -res-usage head: Function k: REG:96 STACK:0 SHARED:180224 LOCAL:0\nSM shared memory 233472\nk: 0.41 ms -> 0.79 ms, FAIL 1.93x"},
		{"S-P41", "132 SMs, 1 block/SM\nM      blocks  waves  ms\n8192   132     1.00   0.41\n8320   134     1.02   0.80\n8448   136     1.03   0.80\nFAIL M=8320 is 1.95x M=8192 (limit 1.2x)"},
		{"S-P13", "Name                                         Calls   Avg us\nbase:\n  fused_rms_norm_kernel                        100    8.1\nhead:\n  vectorized_elementwise_kernel<pow>           100    4.0\n  reduce_kernel<mean>                          100    4.2\n  vectorized_elementwise_kernel<rsqrt>         100    2.0\n  elementwise_kernel<mul>                      100    6.1\nFAIL rms_norm 16.3 us > 8.9 us"},
		{"S-P13", "op rms_norm: launches per call: base 1, head 5\ndevice time per call: base 8.1 us, head 19.9 us\nFAIL 2.46x"},
		{"S-P95", "==PROF== Connected to process 9137 (/usr/bin/python3)\n==ERROR== Unknown Error on device 0.\n==PROF== Disconnected from process 9137\nncu command failed! exit code 1\nsubprocess.CalledProcessError: Command '['ncu', '--csv', 'python', 'k.py']' returned non-zero exit status 1."},
		{"S-P09", "|   F32 |  2^24 |      0x |    -nan ns | -nan% |    -nan ns | -nan% |\n|   F32 |  2^28 |      0x |    -nan ns | -nan% |    -nan ns | -nan% |\nWarn: GPU throttled below 75 % of the default clock, discarding 1000 samples"},
		{"S-P91", "baseline: commit 3c1f2aa, recorded 2025-09-02 on torch 2.4\nbaseline backend: torch.compile(mode=\"max-autotune\"), this run backend: eager\nrms_norm 41 us (baseline 12 us) FAIL"},
		{"S-P92", "input scale 1e-40, dtype float32, ftz off\nnormal inputs: 0.81 ms\nthis input:    4.90 ms, baseline 0.82 ms (inputs ~ N(0,1))\nFAIL 6x slower than baseline"},
		{"S-P35", "base autotune result: {'BLOCK_M': 128, 'BLOCK_N': 256, 'num_warps': 8, 'num_stages': 3}\nhead autotune result: {'BLOCK_M': 64, 'BLOCK_N': 64, 'num_warps': 4, 'num_stages': 2}\nmatmul_8192 1.61 ms -> 2.91 ms FAIL"},
		{"S-P27", "copy kernel bf16, GB300\n8 GiB: 0.41 ms = 20.9 TB/s\nHBM peak 8.0 TB/s\nAssertionError: bandwidth 20.9 > 8.0"},
		{"S-P27", "kernel   ms    speedup\ngemm     0.000 inf\nsoftmax  0.000 inf"},
		{"S-P60", "base measured 09:00-09:12, head measured 09:12-09:25\nuntouched ops: copy +6.1 %, relu +5.9 %, cast +6.0 %\nchanged op: gelu +6.2 %\nFAIL gelu +6.2 % (limit 5 %)"},
		{"S-P80", "perf: op=layer_norm dtype=bf16 timer=cuda events\n[harness] start.record(); l2_clear(); fn(); end.record()\nshape         before(us)  after(us)\n64x1024           5.9        84.1\n512x1024          6.4        84.9\n4096x1024        14.8        93.0\n8192x8192        98.7       177.1\nexit: 4 of 4 shapes regressed, threshold 10%"},
		{"S-P80", "cache flush: 128 MiB buffer, zero_() each rep\nelementwise add   main 4.1 us    PR 46.9 us\nelementwise mul   main 4.2 us    PR 47.0 us\nrope              main 11.3 us   PR 54.0 us\ngemm 8k           main 1604.0 us PR 1646.9 us\nResult: FAILED (3 ops above 5 %)"},
		{"S-P81", "GPU 0: NVIDIA A100-SXM4-40GB\nop: vector_add, 3 tensors fp32\nn            us        GB/s\n1048576      3.1       4059\n4194304      11.9      4229\n16777216     131.0     1537\n67108864     521.0     1546\nbest 4229 GB/s (272 % of 1555 GB/s)"},
		{"S-P81", "bench_gpu_time_with_cudagraph cold_l2_cache=True num_iters_within_graph=4 num_rotations=37\ndevice NVIDIA B200\nnvfp4_gemm m=16   weights 14.7 MB   1.42 us   10350 GB/s\nnvfp4_gemm m=128  weights 117 MB    17.9 us    6536 GB/s\nassert bandwidth < peak (8000 GB/s) failed"},
		{"S-P93", "Baseline env  : triton==3.4.0 torch==2.9.0 cuda 12.9\nCurrent env   : triton==3.6.0 torch==2.9.0 cuda 12.9\n\nop                      baseline   current   delta\npaged_attention_v2       48.2us    77.9us   +61.6%  !!\nfused_add_rms_norm        7.9us     7.9us    +0.0%\nsilu_and_mul              6.3us     6.3us    +0.0%\nrotary_embedding          4.4us     4.4us    +0.0%\n1 regression above 10%"},
		{"S-P38", "baseline: ptxas 12.8.93, driver 580.65\nthis run: ptxas 13.1.48, driver 580.65\nmatmul   0.221 -> 0.249 ms\nattn     1.210 -> 1.377 ms\nsoftmax  0.101 -> 0.113 ms\nFAILED: perf gate (limit 1.10)"},
		{"S-P38", "torch 2.9.1+cu128 -> 2.10.0+cu130, cublas 12.8.4 -> 13.1.0\nsample: our gemm 0.231 ms (was 0.231), cublas 0.190 ms (was 0.221)\nratio ours/cublas 1.22 exceeds 1.10\nFAILED"},
		{"S-P27", "t0=time.time(); y=fn(x); t1=time.time()\nN=1024    t=0.000018 s   119 TFLOPS\nN=4096    t=0.000018 s   7635 TFLOPS\nN=16384   t=0.000019 s   462900 TFLOPS\nGPU peak 989 TFLOPS"},
		{"S-P11", "pytest-benchmark\nName (time in us)          Min        Max       Mean    StdDev    Median   Rounds\ntest_attn[4096]         1201.1  4812330.0  481900.2  1.5e6     1210.0       10\ntest_softmax[4096]       101.2  2210334.0  221200.7  7.0e5      101.9       10\nFAIL: mean of test_attn above 1331.0 us"},
		{"S-P11", "run 1: 2412.3 ms\nrun 2: 0.412 ms\nrun 3: 0.409 ms\naverage of 3: 804.4 ms, expected < 0.5 ms\nAssertionError"},
		{"S-P11", "torch.compile bench, iterations=10, warmup none\ndynamo: compiling forward, 14.2 s\ntotal 14.31 s / 10 = 1431 ms per iteration\nbaseline 9.8 ms -> FAILED"},
		{"S-P23", "nsys stats: gpu kernels sum 6.01 ms per step, gpu idle 61 %\ncudaLaunchKernel 2210 calls per step, avg 4.9 us\nstep: base 6.9 ms  head 17.3 ms\nkernel sum: base 6.0 ms head 6.0 ms\nFAIL step above 1.1x"},
		{"S-P23", "profile of one call (head):\n  aten::item                 1   38.2 us\n  aten::_local_scalar_dense  1   37.9 us\n  cudaStreamSynchronize      1   36.5 us\n  my_kernel                  1    5.1 us\nprofile of one call (base):\n  my_kernel                  1    5.1 us\ncall: base 11.2 us, head 51.0 us, FAIL"},
		{"S-P14", "base: power limit 700 W, sm 1980 MHz\nhead: power limit 500 W, sm 1980 MHz\ngemm 8192: base 1.61 ms head 1.98 ms\nsoftmax:   base 0.10 ms head 0.10 ms\nREGRESSION gemm"},
		{"S-P09", "clocks_event_reasons.active: 0x0000000000000040\nclocks_event_reasons.hw_thermal_slowdown: Active\ntemperature.gpu: 92\ngemm 1.61 ms -> 2.12 ms  FAIL"},
		{"S-P16", "baseline host gpu-3: NVIDIA A100-SXM4-80GB, ECC on, driver 550.54\ncurrent host gpu-9: NVIDIA A100-PCIE-40GB, ECC on, driver 550.54\nsoftmax 0.101 -> 0.131 ms\nlayer_norm 0.050 -> 0.066 ms\ngate: 2 failed"},
		{"S-P83", "gelu 1x512: base 2.05 us, head 3.07 us (+49.8 %)\nsilu 1x512: base 2.05 us, head 2.05 us (+0.0 %)\nrelu 1x512: base 1.02 us, head 2.05 us (+100.0 %)\nadd 1x512: base 2.05 us, head 1.02 us (-50.2 %)\nFAIL: 2 regressions"},
		{"S-P94", "[dispatch] fp8 gemm: sm_90a kernel unavailable (needs CUDA >= 12.4, found 12.2), using cublas path\nfp8_gemm 4096: 0.41 ms, expected 0.15 ms\nFAIL (2.7x slower)"},
		{"S-P94", "WARNING: could not import flash_attn_interface, using eager attention\nattention 8k: 14.8 ms\nbaseline: 1.2 ms\nERROR: 12.3x slower than baseline"},
		{"S-P40", "base reports GB/s, head reports GiB/s\ncopy   3012.0  2805.1\nadd    3011.0  2804.2\ntriad  2998.0  2792.1\nevery row -6.9 %: FAIL"},
		{"S-P40", "base: time is total of 100 reps (ms)\nhead: time is per rep (ms)\nmatmul 22.1 0.221\nsoftmax 10.1 0.101\nratio 0.01 -> implausible"},
		{"S-P85", "benchmark rms_norm: x float32 weight float32 (cutile-rs) vs x bfloat16 weight bfloat16 (baseline)\ncutile-rs 0.081 ms, baseline 0.041 ms\nFAIL: 1.98x"},
		{"S-P85", "candidate input: stride=(1, 8192) contiguous=False\nreference input: stride=(8192, 1) contiguous=True\ncandidate 0.412 ms, reference 0.101 ms\nFAIL 4.08x"},
		{"S-P86", "kernel       time_us   GB/s\nbase softmax  52.6     2551\nhead softmax  52.6     1275\nbase rmsnorm  41.2     3257\nhead rmsnorm  41.2     1628\nFAIL: bandwidth dropped 50 %"},
		{"S-P13", "CUDA API trace, timed region\n[CUDA memcpy Host-to-Device]   1 call   412.2 us\ntopk_kernel                    1 call    31.0 us\ncall 452 us, baseline 39 us FAIL"},
		{"S-P87", "torch.cuda.memory_stats: num_alloc_retries: 48, num_ooms: 0, reserved 78.1 GiB of 79.1\nstep 41.2 ms (baseline 12.1 ms)\nFAIL step slower 3.4x"},
		{"S-P47", "nvcc -G -g -lineinfo -gencode arch=compute_90a,code=sm_90a -c attn.cu\nattn 31.2 ms, baseline 1.21 ms FAIL"},
		{"S-P88", "base build: cargo build --release  (opt-level=3, lto=\"fat\", target-cpu=native)\nhead build: cargo build --profile ci (opt-level=1, lto=off)\nhost preprocessing 4.1 ms -> 11.9 ms FAIL\ngpu kernel 0.31 ms -> 0.31 ms"},
		{"S-P88", "cuobjdump --list-elf libk.so: no sm_90 code, PTX file 1: k.sm_80.ptx\ndevice: sm_90\ngemm 0.22 -> 0.61 ms\nFAIL"},
		{"S-P47", "========= COMPUTE-SANITIZER\nreduce_sum 91.2 ms (baseline 0.05 ms)\nFAILED perf"},
		{"S-P89", "with torch.profiler.profile(with_stack=True, record_shapes=True): timed loop\nmobilenet 1.868x (previous 2.193x)\nperf FAILED: speedup 1.868 < 2.1"},
		{"S-P91", "baseline file: perf/base_h100.json (recorded 412 days ago, commit 00aa11)\nthis run: commit 99ff00\nall 31 rows improved or equal, 9 rows slower\nsoftmax 0.101 -> 0.144 ms FAIL"},
		{"S-P35", "matmul key (8192, 8192, 8192, bf16)\n  main: picked {BLOCK_M:128, BLOCK_N:256, BLOCK_K:64, warps:8, stages:3}  1.61 ms\n  PR:   picked {BLOCK_M:64, BLOCK_N:64, BLOCK_K:32, warps:4, stages:2}  2.84 ms\nFAIL matmul 8192 1.76x"},
		{"S-P41", "Section: Occupancy                base    head\nTheoretical Occupancy   %         50.0    25.0\nAchieved Occupancy      %         46.2    23.1\nRegisters Per Thread              64      128\nDuration            us            81.2    140.3\nFAIL"},
		{"S-P21", "kernel            n_regs  n_spills  shared   us\nattn_fwd  (main)    168       0      98304   612\nattn_fwd  (PR)      255     412      98304   991\nsoftmax   (main)     32       0       2048   101\nsoftmax   (PR)       32       0       2048   101\ngate FAILED: attn_fwd 1.62x"},
		{"S-P41", "gpu: 148 SMs\ngrid 148 -> 0.402 ms\ngrid 149 -> 0.791 ms\nFAIL: N=9536 1.97x slower than N=9472"},
		{"S-P29", "N        base_ms  head_ms\n4096      0.101    0.101\n6144      0.227    0.228\n8191      0.402    1.611\n8192      0.404    0.405\nFAIL 1 of 4"},
		{"S-P33", "$ nvidia-smi\n|    0   N/A  N/A    881102      M+C   /usr/bin/vllm                               41210MiB |\n|    0   N/A  N/A    990121      M+C   python                                       2110MiB |\ngemm 0.22 -> 0.43 ms FAIL"},
		{"S-P24", "loadavg 61.2 58.0 40.1, 16 cores\nCPU throttled: cgroup nr_throttled 4120 throttled_time 188 s\nlaunch overhead 31 us (baseline 4 us)\nkernel 5.1 us (baseline 5.1 us)\nFAIL call latency"},
		{"S-P27", "events recorded on the default stream, kernel launched on stream 0x55aa01\nattn 0.002 ms (expected 1.2 ms), speedup 605x"},
		{"S-P27", "ERROR: grid (0, 1, 1): nothing launched\nattn 0.001 ms\nroofline minimum 0.31 ms: measured time below roofline"},
		{"S-P23", "cudaGraphs disabled: capture failed, running eager\ndecode step 14.8 ms (baseline 6.1 ms), gpu busy 38 %\nFAIL 2.4x"},
		{"S-P28", "base: use_cuda_graph=True  decode 6.1 ms\nhead: use_cuda_graph=False decode 14.2 ms\nFAIL decode"},
		{"S-P28", "baseline: statistic=median reps=100\ncurrent: statistic=mean reps=100\nsoftmax 0.101 ms -> 0.118 ms FAIL"},
	} {
		got := Text("job.log", c.log)
		require.NotEmpty(t, got.Matches, c.log)
		assert.Equal(t, c.want, got.Matches[0].Signature, "%s: %v", c.log, ids(got))
	}
}

// What a benchmark prints that went well stays unknown, whatever it tells of its sides.
func TestBenchmarksThatWentWellStayUnknown(t *testing.T) {
	for _, log := range []string{
		"working set vs bandwidth (GB/s), L2 50 MB\n 16 MB  5120\n 32 MB  5033\n 48 MB  4210\n 64 MB  2990\n128 MB  2788\nbaseline identical within 1 %",
		"kernel            base_us   head_us   ratio\nrmsnorm_m64         6.1      6.1     1.00\nsoftmax_m4096      52.6     52.7     1.00\n0 of 2 rows slower than the limit 1.10\nPASS",
		"triton 3.6.0, torch 2.9.1, NVIDIA H100 80GB HBM3\nbase: sm 1980 MHz\nhead: sm 1975 MHz\nattn: 1.21 ms -> 1.20 ms\nno regressions detected\n3 passed in 12.31s",
		"$ nsys profile -o r python bench.py\nGenerating '/tmp/nsys-report-1.qdstrm'\nattn 1.21 ms\nl2 flush 256 MiB between start event and kernel\nbench done",
		"NVIDIA H200\nN     GB/s\n1024  2100\n8192  3900\n65536 4200\nok: all within limits, baseline triton 3.4.0, now triton 3.6.0",
	} {
		assert.Empty(t, ids(Text("job.log", log)), log)
	}
}
