"""Store of runs: every row is committed before work goes on, damage is noticed, any run can be resumed.

`store` has the runs as their users see them, `rows` the tables with their checksums, `file` the SQLite file in which
they lie, `faults` what can go wrong, and the locks. None of them knows what the rows of a run mean.
"""

from .faults import Damaged, SetAside, StoreBusy, StoreError, StoreMoved
from .rows import STATES, Json, Row, Summary, UnknownRun, canonical
from .store import KEEP_SECONDS, MAX_ROWS, DeferredRun, Run, Store, UnstoredRun, default_path

__all__ = [
    "KEEP_SECONDS",
    "MAX_ROWS",
    "STATES",
    "Damaged",
    "DeferredRun",
    "Json",
    "Row",
    "Run",
    "SetAside",
    "Store",
    "StoreBusy",
    "StoreError",
    "StoreMoved",
    "Summary",
    "UnknownRun",
    "UnstoredRun",
    "canonical",
    "default_path",
]
