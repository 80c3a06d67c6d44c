"""Prints the versions of Python and of the packages that take part, as JSON."""

import importlib.metadata
import json
import platform

versions = {"python": platform.python_version()}
for package in ("pytest", "torch", "triton", "cuda-tile", "cffi", "tilegym"):
    try:
        versions[package] = importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        pass
print(json.dumps(versions))
