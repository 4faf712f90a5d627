"""Kernels that work in place count no references, so they may not give back an array; constants cost no compilation."""

import numpy as np
import pytest
from numba.core.caching import NullCache

from fogspiel.core.compile.kernel import COMPILED, in_place, kernel

pytestmark = pytest.mark.skipif(not COMPILED, reason="the compiler is off")
ROW = np.dtype([("cells", np.int64, 3)])


@in_place
def itself(cells):
    return cells


@in_place
def scaled(cells, factor):
    cells[0] *= factor
    return cells[0], True


@kernel
def scale_often(rows, cells):
    scaled(rows[0].cells, 2)
    scaled(cells, 3)
    return scaled(cells, cells[1])[0]


def test_a_kernel_that_works_in_place_gives_back_no_array():
    with pytest.raises(TypeError, match="must give back numbers"):
        itself(np.zeros(3, np.int64))


def test_constants_and_fields_of_records_do_not_compile_a_kernel_anew(monkeypatch):
    for declared in (scaled, scale_often):
        monkeypatch.setattr(declared, "_cache", NullCache())  # what is loaded is not compiled
    rows, cells = np.ones(1, ROW), np.full(3, 5, np.int64)
    assert scale_often(rows, cells) == 75
    assert rows[0]["cells"].tolist() == [2, 1, 1] and cells.tolist() == [75, 5, 5]
    assert len(scaled.signatures) == 1
