"""Requests of forms that are answered by a command in a process of its own: exploit and diagnose."""

from typing import Annotated

from pydantic import Field

from ..core.find import spec_of
from ..runs.requests import DiagnoseRequest, ExploitRequest
from .job_queue import Question
from .requests import demand_page
from .run_reader import RunReader

AnyQuestion = Annotated[ExploitRequest | DiagnoseRequest, Field(discriminator="kind")]


def question_of(order: ExploitRequest | DiagnoseRequest, reader: RunReader) -> Question:
    """Return the command that answers, or raise InvalidRequest; agents are names, runs or numbers, never files."""
    page = order.page_fields()
    left_out = {name: more.page for name, (_, more) in page.items() if name not in order.model_fields_set}
    order = order.model_copy(update={name: value for name, value in left_out.items() if value is not None})
    demand_page(order, reader)
    arguments, options = order.typed()
    if isinstance(order, ExploitRequest):
        words = spec_of(order.game)
        arguments[0] = order.game if words is None else words.absolute
    else:
        options += ("--processes", "1")
        found = (spec_of(reader.run(name).ask["game"]) for name in order.runs)
        options += next((("--game", words.absolute) for words in found if words), ())
    options += ("--store", str(reader.path.resolve()))
    return Question((order.command_name, "--json", *options, "--", *arguments))
