"""fogspiel web."""

import os
import sys
from ipaddress import ip_address
from pathlib import Path
from socket import AF_INET, AF_INET6, SO_REUSEADDR, SOL_SOCKET, gaierror, getaddrinfo, gethostname, socket
from threading import Thread, active_count
from typing import Annotated

import typer

from ...core.find import load_game
from .. import console
from ..app import AsJson, StorePath, announce_compilation, app, store_path
from ..console import print_json

PORT = 8765
TOKEN_BYTES = 18
ALL_ADDRESSES = ("0.0.0.0", "::")

Port = Annotated[int, typer.Option(min=0, max=65535, help="The port of the page; 0 takes any that is free.")]
Host = Annotated[str, typer.Option(help="Where the page is served; other machines are let in with --token only.")]
Token = Annotated[bool, typer.Option("--token", help="Let in only who knows the random token in the printed address.")]
OwnGames = Annotated[
    list[str] | None,
    typer.Option("--game", metavar="GAME", help="Offer this game of yours too: FILE.py or FILE.py:NAME; repeatable."),
]
NoOpen = Annotated[bool, typer.Option("--no-open", help="Do not open the browser.")]


@app.command("web")
def web(
    port: Port = PORT,
    host: Host = "127.0.0.1",
    token: Token = False,
    no_open: NoOpen = False,
    game: OwnGames = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Open the page on this machine: play any game, watch runs, read results."""
    from secrets import token_urlsafe

    if not token and not _is_loopback(host):
        raise ValueError(f"{host} can be reached by other machines: add --token, or leave out --host")
    names = [load_game(one).name for one in game or []]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"--game names {name} {names.count(name)} times: the games must have different names")
    listener = _listen(host, port)
    from ...web.app import application, guard  # only now, so that invalid options fail at once
    from ...web.security import PageServer

    path, taken = store_path(store), listener.getsockname()[1]
    secret = token_urlsafe(TOKEN_BYTES) if token else None
    announce_compilation()
    served = guard(application(path, games_path(path)), hosts_of(host, taken), secret)
    shown = _address_of(gethostname() if host in ALL_ADDRESSES else host)
    address = f"http://{shown}:{taken}/" + (f"?token={secret}" if secret else "")
    if as_json:
        print_json({"address": address, "store": str(path)})
        sys.stdout.flush()  # a program that waits for the address gets it while the server runs
    else:
        console.out.print(f"fogspiel is at {address} (Ctrl-C ends it)")
    if not no_open:
        from webbrowser import open_new_tab

        # the socket already listens, so the request will be answered
        Thread(target=open_new_tab, args=(address,), daemon=True).start()
    try:
        PageServer(served).run([listener])
    except KeyboardInterrupt:
        console.err.print("server stopped; games and runs are saved")
    if active_count() > 1:  # an opponent still searches, or a job runs: nobody will request the result
        sys.stdout.flush()
        os._exit(0)


def games_path(store: Path) -> Path:
    return store.with_name(f"{store.stem}.games.db")


def hosts_of(host: str, port: int) -> frozenset[str]:
    """Return the host names under which the server may be addressed."""
    names = {host, "127.0.0.1", "localhost"} if _is_loopback(host) else {host}
    if host in ALL_ADDRESSES:
        own = {str(found[4][0]) for found in getaddrinfo(gethostname(), None)}
        names = {"127.0.0.1", "localhost", "::1", gethostname(), *own}
    return frozenset(f"{_address_of(name)}:{port}" for name in names) | (
        frozenset(names) if port == 80 else frozenset()
    )


def _address_of(host: str) -> str:
    """Format a host for an address; IPv6 needs brackets."""
    return f"[{host}]" if ":" in host else host


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _listen(host: str, port: int) -> socket:
    listener = socket(AF_INET6 if ":" in host else AF_INET)
    try:
        listener.setsockopt(SOL_SOCKET, SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen()
    except OSError as error:
        listener.close()
        if isinstance(error, gaierror):
            raise ValueError(f"{host!r} is no address of this machine") from None
        why = error.strerror or str(error)
        raise ValueError(f"port {port} of {host} cannot be used ({why}): choose another with --port") from None
    return listener
