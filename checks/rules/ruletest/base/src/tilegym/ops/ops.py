from tilegym.backend import dispatch


@dispatch("demo")
def demo(x, factor=1.0, **kwargs):
    raise NotImplementedError
