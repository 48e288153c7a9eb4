import json
import xml.etree.ElementTree as ElementTree

import pytest
from fastapi.testclient import TestClient

from api.cli import main
from segmenter.explain import LONGEST_TEXT
from tests.api.problems import assert_problem


def test_json_says_what_decided(client: TestClient) -> None:
    answer = client.post("/v1/segment/explain", json={"text": "产品和服务"}).json()
    assert answer["words"] == ["产品", "和", "服务"]
    assert answer["gaps"][2]["crossed_by"][0]["text"] == "和服"
    second = answer["stretches"][1]
    assert second["path"] == ["和", "服务"]
    assert "".join(second["runner_up"]) == "和服务"
    assert second["margin"] > 0


@pytest.mark.parametrize(
    ("form", "media_type"), [("text", "text/plain"), ("svg", "image/svg+xml"), ("dot", "text/vnd.graphviz")]
)
def test_formats(client: TestClient, form: str, media_type: str) -> None:
    answer = client.post("/v1/segment/explain", json={"text": "和服\x00<b>", "format": form})
    assert answer.headers["content-type"].startswith(media_type)
    assert "和服" in answer.text
    if form == "svg":
        ElementTree.fromstring(answer.text)


def test_limits(client: TestClient) -> None:
    longest = {"text": "好" * LONGEST_TEXT}
    assert client.post("/v1/segment/explain", json=longest).status_code == 200
    problem = assert_problem(client.post("/v1/segment/explain", json={"text": longest["text"] + "好"}), 413)
    assert str(LONGEST_TEXT) in problem["detail"]
    assert_problem(client.post("/v1/segment/explain", json={}), 422)
    assert_problem(client.post("/v1/segment/explain", json={"text": "a", "format": "png"}), 422)
    assert_problem(client.post("/v1/segment/explain", json={"text": "a", "criterion": "none such"}), 422)


def test_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["segment", "--explain", "产品和服务"]) == 0
    assert capsys.readouterr().out.startswith("产品 | 和 | 服务\n")
    assert main(["segment", "--explain", "--format", "json", "产品和服务"]) == 0
    assert json.loads(capsys.readouterr().out)["text"] == "产品和服务"
    assert main(["segment", "--dot", "产品和服务"]) == 0
    assert capsys.readouterr().out.startswith("digraph")
    assert main(["segment", "--explain", "好" * (LONGEST_TEXT + 1)]) == 1
    assert "1001 characters" in capsys.readouterr().err
