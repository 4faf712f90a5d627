"""The experiments that are stored job by job, by name."""

from . import methods_compared
from . import kriegspiel_figure10
from . import section5
from . import table2
from . import table3
from ..runs.jobs import Experiment

EXPERIMENTS = {
    "table2": Experiment(table2.batches, table2.report),
    "table3": Experiment(table3.batches, table3.report),
    "beyond": Experiment(methods_compared.batches, methods_compared.report),
    "kriegspiel": Experiment(kriegspiel_figure10.batches, kriegspiel_figure10.report),
    "section5": Experiment(section5.batches, lambda request, rows: section5.report(rows, request.quick, request.seed)),
}


def experiment_named(name: str) -> Experiment:
    """The experiment of that name, or a ValueError that lists the names there are."""
    try:
        return EXPERIMENTS[name]
    except KeyError:
        raise ValueError(f"there is no experiment {name!r}: the experiments are {', '.join(EXPERIMENTS)}") from None
