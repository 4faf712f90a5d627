"""Routes of forms: everything that is wrong with a request is said at once, a sentence for each field."""

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from fastapi.routing import APIRoute

from .requests import all_faults, refusal
from .run_reader import RunReader


def form_route(reader: RunReader) -> type[APIRoute]:
    """The class of routes that answer so; requests are checked against the runs that can be read."""

    class Form(APIRoute):
        """Says what is wrong with a request in all its fields at once."""

        def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
            handle = super().get_route_handler()

            async def handle_form(request: Request) -> Response:
                try:
                    return await handle(request)
                except RequestValidationError as error:
                    return refusal(await run_in_threadpool(all_faults, error, reader))

            return handle_form

    return Form
