"""A pytest plugin that keeps the first selected case only."""

import pytest


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    if len(items) > 1:
        config.hook.pytest_deselected(items=items[1:])
        del items[1:]
