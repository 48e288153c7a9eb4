"""`/v1/words`: the user's own words, changed while the service runs."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, HTTPException, Path, Query, Response
from fastapi.responses import JSONResponse
from pydantic import ConfigDict, Field

from api.limits import check_batch, check_text
from api.live import Swap
from api.routes import PROBLEMS
from api.schemas import AnyText, Request, Text
from api.services import Services, Use, authorize_write
from api.words import add_word, effect, import_object, word_object
from index import documents
from index.db import connection
from index.generations import status
from index.search import search
from index.types import SearchRequest
from segmenter.user_dictionary import LoadReport, UserDictionary
from segmenter.word_preview import changed_cuts, sentences_with
from segmenter.words_file import jieba_lines

router = APIRouter(prefix="/v1/words", tags=["words"], responses={422: PROBLEMS[422], 503: PROBLEMS[503]})
writes = [Depends(authorize_write)]
EXAMPLES = 20
"""Posts that are looked at for example sentences."""

WordInPath = Annotated[
    Text, Field(min_length=1, max_length=500), Path(description="The word, as it is written.", examples=["服务中心"])
]
Tag = Annotated[str, Field(max_length=20, pattern=r"^[a-zA-Z]*$")]


class WordBody(Request):
    """How a word is to be weighed. Neither frequency nor forced: a common word, never cut into smaller ones."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{}, {"frequency": 30}, {"forced": True}]})

    frequency: Annotated[int, Field(ge=0, le=10**12)] | None = None
    tag: Tag | None = None
    forced: bool = Field(default=False, description="Cut out wherever it stands; the frequency counts for nothing.")


class PutBody(WordBody):
    """The same, for a word that is stored."""

    as_is: bool = Field(default=False, description="Take a word with spaces or marks that words hardly have.")


class PreviewBody(WordBody):
    """A word that would be added, changed or removed, and the texts to try."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"word": "服务中心", "forced": True, "texts": ["产品和服务中心"]}]},
    )

    word: Annotated[Text, Field(min_length=1, max_length=500)]
    remove: bool = False
    texts: list[AnyText] | None = Field(
        default=None, description="Without texts: sentences of stored posts that hold the word."
    )


class ImportBody(Request):
    """Lines of a file of words, jieba's form or words, tabs, frequencies and tags."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"content": "长江大桥 30 ns\n银行客服\t!\n"}]}
    )

    content: AnyText
    replace: bool = Field(default=False, description="Drop all words that are there now.")


@router.get("", response_model=None)
def list_words(
    services: Use,
    format: Annotated[
        Literal["json", "wenci", "jieba"], Query(description="JSON, or lines of a file.", examples=["json"])
    ] = "json",
    limit: Annotated[int, Query(ge=0, le=10_000, description="Words of a page of JSON.", examples=[1_000])] = 1_000,
    offset: Annotated[int, Query(ge=0, description="Words before the page.", examples=[0])] = 0,
) -> Response:
    """The words in the file; `format=wenci` and `format=jieba` export all of them as lines."""
    words = services.live.words_file.read()
    if format == "json":
        listed = [word_object(word) for word in words][offset : offset + limit]
        fingerprint = services.analyzer.fingerprint()
        return JSONResponse({"total": len(words), "words": listed, "fingerprint": fingerprint})
    lines, unfit = jieba_lines(words) if format == "jieba" else (list(words.lines()), [])
    headers = {"X-Words-Left-Out": str(len(unfit))}
    return Response("".join(f"{line}\n" for line in lines), media_type="text/plain; charset=utf-8", headers=headers)


@router.post("/import", dependencies=writes, responses={409: {"description": "the file needs mending"}})
def import_words(body: ImportBody, services: Use) -> Any:
    """Add the words of a file; lines that are none are named in the answer."""
    check_text(body.content, services.settings.limits, "content")
    reports: list[LoadReport] = []

    def edit(words: UserDictionary) -> None:
        if body.replace:
            for word in list(words):
                words.remove(word.text)
        reports.append(words.read_lines(body.content.splitlines(), strict=True))

    swap = services.live.change(edit)
    return {**import_object(reports[0]), "effect": _effect(services, swap)}


@router.post("/preview", responses={413: PROBLEMS[413]})
def preview(body: PreviewBody, services: Use) -> Any:
    """What would change: which of the texts would be cut differently, before and after. Nothing is stored."""
    if body.texts is not None:
        check_batch(body.texts, services.settings.limits)
    words = services.live.words_file.read()
    before = services.analyzer.with_user_dictionary(words)
    if body.remove:
        words.remove(body.word)
    else:
        words.add(body.word, body.frequency, body.tag or None, forced=body.forced)
    after = services.analyzer.with_user_dictionary(words)
    texts = _examples(services, body.word) if body.texts is None else body.texts
    changes = [
        {"text": change.text, "before": change.before, "after": change.after}
        for change in changed_cuts(before, after, texts)
    ]
    return {
        "word": body.word,
        "tried": len(texts),
        "changes": changes,
        "effect": effect(before.fingerprint(), after.fingerprint()),
    }


@router.get("/{word:path}", responses={404: PROBLEMS[404]})
def get_word(word: WordInPath, services: Use) -> Any:
    """One word, whatever its case and width."""
    found = services.live.words_file.read().get(word)
    if found is None:
        raise HTTPException(404, f"{word!r} is not among the user words")
    return word_object(found)


@router.put("/{word:path}", dependencies=writes, responses={201: {"description": "added"}})
def put_word(word: WordInPath, body: PutBody, services: Use, response: Response) -> Any:
    """Add a word, or change how it is weighed; new requests are cut with it when this answers."""
    replaced: list[Any] = []

    def edit(words: UserDictionary) -> None:
        tag, if_meant = body.tag or None, 'with "as_is": true it is taken as it is'
        replaced.append(
            add_word(words, word, body.frequency, tag, forced=body.forced, as_is=body.as_is, if_meant=if_meant)
        )

    swap = services.live.change(edit)
    response.status_code = 200 if replaced[0] else 201
    found = services.live.words_file.read().get(word)
    state = "replaced" if replaced[0] else "added"
    return {**(word_object(found) if found else {"word": word}), "state": state, "effect": _effect(services, swap)}


@router.delete("/{word:path}", dependencies=writes, responses={404: PROBLEMS[404]})
def delete_word(word: WordInPath, services: Use) -> Any:
    """Take a word out; the dictionary's own words stay."""

    def edit(words: UserDictionary) -> None:
        if not words.remove(word):
            raise HTTPException(404, f"{word!r} is not among the user words")

    swap = services.live.change(edit)
    return {"word": word, "state": "removed", "effect": _effect(services, swap)}


def _effect(services: Services, swap: Swap) -> dict[str, Any]:
    with connection(services.pool) as conn:
        return effect(swap.before, swap.after, status(conn, services.analyzer).stale_posts)


def _examples(services: Services, word: str) -> list[str]:
    """Sentences of stored posts that hold the word."""
    found: dict[str, None] = {}
    with connection(services.pool) as conn:
        quoted = f'"{word.replace(chr(34), " ")}"'
        for hit in search(conn, services.analyzer, SearchRequest(query=quoted, limit=EXAMPLES)).hits:
            post = documents.get(conn, hit.id)
            if post is not None:
                found |= dict.fromkeys(sentences_with(f"{post.title}\n{post.body}", word))
    return list(found)[: 5 * EXAMPLES]
