"""Pages and groups of API endpoints, one per file, discovered automatically.

A file has `register(site)`, which adds its routes to `site.routes`. With `PATH` and `TITLE` it is linked in the header
of every page, and the first line of its docstring is the link's hint. Pages are drawn by `site.page` from a template,
or by `site.plain_page` from text or HTML:

    \"\"\"The time on this machine.\"\"\"

    from datetime import datetime

    from fastapi import Request

    PATH, TITLE = "/clock", "Clock"

    def register(site):
        @site.routes.get(PATH, include_in_schema=False)
        def clock(request: Request):
            return site.plain_page(request, TITLE, f"It is {datetime.now():%H:%M}.")
"""
