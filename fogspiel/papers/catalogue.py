"""The experiments that are stored job by job, by name."""

from ..runs.jobs import Experiment
from . import kriegspiel_figure10, methods_compared, section5, table2, table3

EXPERIMENTS = {
    "table2": Experiment(table2.batches, table2.report),
    "table3": Experiment(table3.batches, table3.report),
    "beyond": Experiment(methods_compared.batches, methods_compared.report),
    "kriegspiel": Experiment(kriegspiel_figure10.batches, kriegspiel_figure10.report),
    "section5": Experiment(section5.batches, lambda request, rows: section5.report(rows, request.quick, request.seed)),
}


def find_experiment(name: str) -> Experiment:
    """The experiment of that name, or a ValueError that lists the names there are."""
    try:
        return EXPERIMENTS[name]
    except KeyError:
        raise ValueError(f"there is no experiment {name!r}: the experiments are {', '.join(EXPERIMENTS)}") from None
