"""Store of runs: every row is committed before work continues, damage is detected, any run can be resumed.

`store` has the public classes, `rows` the tables with their checksums, `file` the SQLite file, and `faults` the errors
and locks. None of them depends on the meaning of a run's rows.
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
