"""The application over real PostgreSQL and the real analyzer."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from api.app import create_app
from api.settings import Settings
from index import documents
from index.db import Pool, open_pool
from segmenter.analyzer import Analyzer
from tests.index.conftest import Databases

POSTS = {
    "docker": {
        "title": "用 Docker 部署博客",
        "body": "先写一个 Dockerfile，再把镜像推到服务器。\n\n最后用 docker compose 启动数据库和服务。",
        "tags": ["Docker", "运维"],
        "categories": ["技术/运维"],
        "published_at": "2026-03-01T08:00:00Z",
    },
    "kimono": {
        "title": "京都的和服",
        "body": "在清水寺附近租了一套和服，拍了很多照片。",
        "tags": ["旅行"],
        "published_at": "2025-11-20",
    },
    "service": {
        "title": "产品和服务的边界",
        "body": "我们讨论产品和服务怎样定价，也谈谈 C++ 与 Node.js 的部署。",
        "tags": ["产品"],
        "published_at": "2026-01-05T00:00:00+08:00",
    },
}


@pytest.fixture(scope="session")
def analyzer() -> Analyzer:
    return Analyzer.default()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    environ = {
        "WENCI_DATA_DIR": str(tmp_path / "data"),
        "WENCI_SOURCES": str(tmp_path / "blog"),
        "WENCI_MAX_BODY_BYTES": "20000",
        "WENCI_MAX_TEXT_CHARACTERS": "2000",
        "WENCI_MAX_BATCH_TEXTS": "20",
        "WENCI_MAX_QUERY_CHARACTERS": "100",
    }
    return Settings.from_env(environ)


@pytest.fixture(scope="session")
def common_pool(databases: Databases) -> Iterator[Pool]:
    """One database for all tests that only need an empty one."""
    url = databases.fresh()
    with open_pool(url, max_size=6) as pool:
        yield pool
    databases.drop(url)


@pytest.fixture
def client(common_pool: Pool, analyzer: Analyzer, settings: Settings) -> Iterator[TestClient]:
    """A client of an application without posts."""
    with TestClient(create_app(settings, pool=common_pool, analyzer=analyzer), raise_server_exceptions=False) as client:
        yield client
    with common_pool.connection() as conn:
        documents.delete(conn, [id for (id,) in conn.execute("select id from wenci.post").fetchall()])


@pytest.fixture
def blog(client: TestClient) -> TestClient:
    """A client of an application with three posts."""
    for post_id, post in POSTS.items():
        assert client.put(f"/v1/posts/{post_id}", json=post).status_code == 201
    return client
