"""`create_app`: the composition root of the HTTP service."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from typing import TYPE_CHECKING

from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware

from api import (
    errors,
    health,
    openapi,
    pages,
    routes,
    routes_analytics,
    routes_explain,
    routes_find,
    routes_jobs,
    routes_words,
)
from api.bootstrap import SERVER_PATIENCE, load_analyzer, open_database
from api.jobs import handlers, load_synonyms, request_vectors
from api.limits import BodyLimit
from api.live import LiveAnalyzer
from api.paths import PathText
from api.services import Services
from api.settings import Settings
from api.version import program_version
from index.analytics import Recorder
from index.queue_worker import Worker
from segmenter.words_file import WordsFile

if TYPE_CHECKING:
    from index.db import Pool
    from segmenter.analyzer import Analyzer


def create_app(settings: Settings, *, pool: Pool | None = None, analyzer: Analyzer | None = None) -> FastAPI:
    """Build the application; databases and models are opened when it starts and closed in reverse when it stops.

    A `pool` or an `analyzer` that is handed in is used as it is and left open.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        with ExitStack() as stack:
            app.state.services = _open_services(stack, settings, pool, analyzer)
            yield

    app = FastAPI(
        title="Wenci 稳词",
        summary="Chinese word segmentation, and search over PostgreSQL that never loses a post",
        version=program_version(),
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
    )
    app.add_middleware(PathText)
    app.add_middleware(BodyLimit, limit=settings.limits.body_bytes)
    if settings.cors_origins:
        app.add_middleware(CORSMiddleware, allow_origins=list(settings.cors_origins), allow_methods=["GET"])
    errors.install(app)
    for module in (routes, routes_explain, routes_words, routes_find, routes_jobs, routes_analytics, health, pages):
        app.include_router(module.router)
    app.mount("/assets", pages.Assets(directory=pages.WEB))
    openapi.describe(app)
    return app


def _open_services(stack: ExitStack, settings: Settings, pool: Pool | None, analyzer: Analyzer | None) -> Services:
    live = LiveAnalyzer(analyzer or load_analyzer(settings), WordsFile(settings.words_path))
    pool = pool or stack.enter_context(open_database(settings, patience=SERVER_PATIENCE))
    load_synonyms(settings, pool)
    request_vectors(pool)
    recorder = Recorder(pool, retention_days=settings.analytics_days) if settings.analytics else None
    if recorder is not None:
        stack.callback(recorder.close)
    for _ in range(settings.job_workers):
        stack.callback(Worker(pool, handlers(settings, pool, lambda: live.current)).start().close)
    return Services(settings=settings, pool=pool, live=live, recorder=recorder)
