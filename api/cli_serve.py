"""`wenci serve`: the HTTP service in the foreground."""

from __future__ import annotations

import argparse
import errno
import socket
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from api.cli_options import Subparsers, add_analyzer, add_command, add_database, settings_from
from api.console import CommandError, note

if TYPE_CHECKING:
    from fastapi import FastAPI

    from api.settings import Settings

PORTS_TO_TRY = 50


def register(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = add_command(subparsers, "serve", "serve the search page and the API", run)
    parser.add_argument("--host", help="address to listen on (WENCI_HOST, default: 127.0.0.1)")
    parser.add_argument("--port", help="port to listen on (WENCI_PORT, default: 8765 or the next free one)")
    parser.add_argument(
        "--with", dest="folders", action="append", default=[], metavar="PATH", help="index this folder or file first"
    )
    parser.add_argument(
        "--examples",
        action="append",
        default=[],
        metavar="PATH",
        help="the same, unless the index holds posts besides those",
    )
    parser.add_argument("--access-log", action="store_true", help="log every request to stderr")
    add_database(parser)
    add_analyzer(parser)


def run(args: argparse.Namespace) -> int:
    """Listen, index what `--with` names, serve until told to stop."""
    from api.indexing import existing

    settings = settings_from(args)
    folders, examples = existing(args.folders), existing(args.examples)
    with listen(settings) as listener:
        try:
            _serve(settings, folders, examples, listener, access_log=args.access_log)
        except KeyboardInterrupt:
            note("stopped")
    return 0


def _serve(
    settings: Settings, folders: list[Path], examples: list[Path], listener: socket.socket, *, access_log: bool
) -> None:
    from api.app import create_app
    from api.bootstrap import SERVER_PATIENCE, load_analyzer, open_database
    from api.cli_index import name_failures, progress, summary
    from api.indexing import may_show_examples, run_reindex

    note("starting PostgreSQL" if settings.database_url is None else "connecting to PostgreSQL")
    analyzer = load_analyzer(settings)
    with open_database(settings, patience=SERVER_PATIENCE) as pool:

        def index(paths: list[Path], *, examples: bool = False) -> None:
            with progress() as on_event:
                report = run_reindex(pool, analyzer, paths, prune=False, on_event=on_event, examples=examples)
            name_failures(report)
            note(summary(report))

        if folders:
            index(folders)
        if examples and may_show_examples(pool):
            index(examples, examples=True)
        elif examples:
            note("the index holds posts of your own, so the examples are left as they are")
        settings = replace(settings, sources=(*settings.sources, *(path.absolute() for path in folders)))
        serve_app(create_app(settings, pool=pool, analyzer=analyzer), settings, listener, access_log=access_log)


def serve_app(app: FastAPI, settings: Settings, listener: socket.socket, *, access_log: bool) -> None:
    """Run the application on the listening socket until a signal; print the address when it answers."""
    import uvicorn

    class Announcing(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets=sockets)
            if self.started:
                announce(settings, listener)

    config = uvicorn.Config(
        app,
        log_level="info" if access_log else "warning",
        access_log=access_log,
        server_header=False,
        timeout_graceful_shutdown=10,
    )
    Announcing(config).run(sockets=[listener])


def announce(settings: Settings, listener: socket.socket) -> None:
    """The address on stdout, ready to be opened; a warning where anyone may write."""
    if not settings.is_loopback() and settings.write_token is None:
        note("anyone who reaches this address can write and delete: set WENCI_WRITE_TOKEN")
    print(f"Wenci answers at {address(listener)}  (Ctrl-C stops it)", flush=True)
    sys.stdout.flush()


def address(listener: socket.socket) -> str:
    """The page's address as a browser on this machine can open it."""
    host, port = listener.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def listen(settings: Settings) -> socket.socket:
    """A listening socket. A taken port is an error where it was chosen, else the next free one is used and said."""
    try:
        return _bind(settings.host, settings.port)
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise CommandError(f"cannot listen on {settings.host} port {settings.port}: {error.strerror}") from None
    listener = _bind_next(settings)
    port = listener.getsockname()[1]
    if settings.port_is_chosen:
        listener.close()
        raise CommandError(f"port {settings.port} is taken; {port} is free: --port {port}")
    note(f"port {settings.port} is taken, using {port}")
    return listener


def _bind_next(settings: Settings) -> socket.socket:
    for port in range(settings.port + 1, min(settings.port + PORTS_TO_TRY, 65536)):
        try:
            return _bind(settings.host, port)
        except OSError:
            continue
    raise CommandError(f"port {settings.port} is taken, and so are the ones after it; choose one with --port")


def _bind(host: str, port: int) -> socket.socket:
    family, _, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(place)
        listener.listen(128)
    except OSError:
        listener.close()
        raise
    return listener
