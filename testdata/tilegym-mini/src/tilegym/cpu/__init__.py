"""Stand-ins that let this repository run without a GPU and without packages:
`torch` for tensors, `tile` for the reference kernels' language, `runtime` for
the launch records. All work happens in libcutile_kernels.so."""
