"""The analyser: text as tokens for FTS5, the same for what is written and for what is asked.

A token is folded (case, accents, width). Identifiers, paths, flags, versions and numbers are kept whole and also
taken apart, so that `getUserById`, `get_user_by_id` and `user/by-id` meet; words of prose are stemmed (Snowball
English); scripts written without spaces become overlapping pairs. Tokens are parted by spaces and nothing else.
"""

from __future__ import annotations

import json
import re
import sqlite3
import threading
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

import Stemmer

from tui_memory.errors import StoreError
from tui_memory.model import Body
from tui_memory.store.text import ANALYSER_VERSION

if TYPE_CHECKING:
    from tui_memory.store.db import Store

OnProgress = Callable[[int, int], None]
"""Called with what is done and how much there is."""
_BATCH = 200  # rows rewritten in one transaction: a fifth of a second, which a hook can wait
_REACHED = "analysed_to"  # how far a rewriting for a new analyser has come
_LONGEST = 64  # characters of one token; what is longer (base64, hashes of hashes) is cut, on both sides alike

# Scripts without spaces between words: Thai, Lao, Myanmar, Khmer, kana, Han, Hangul and their extensions.
_DENSE = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7a3\uf900-\ufaff"
)
_DENSE_RUN = re.compile(f"[{_DENSE}\U00020000-\U0003134f]+")
_COMBINING = re.compile("[\u0300-\u036f]+")
_LEXEME = re.compile(
    r"(?<![\w-])--?[^\W\d_][\w-]*(?:=[\w./:-]+)?"  # flags: --no-cache, -rf, --level=2
    r"|\w++(?:(?:\+\+|\#)(?!\w)"  # C++, C#
    r"|(?:(?:[./:\\@~$'’-]|->){1,3}\w++)*)"  # words, identifiers, paths, versions
    r"|\#\d+"  # #1234
    r"|(?<!\S)[!=<>&|?+*:~^%-]{2,3}(?!\S)"  # operators that stand alone
)
_NAME = re.compile(r"[_./:\\@~$#+-]|\d|[a-z][A-Z]|->")
_SEGMENTS = re.compile(r"[/\\]+|::|->|[:@~$=]")
_PIECES = re.compile(r"[.\-_+#]+")
_HUMPS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[^\W\dA-Z_]+|[A-Z]+|\d+|[^\W\d_]+")

_local = threading.local()


def fields(body: Body) -> tuple[str, str, str]:
    """The three FTS columns of a body: title; summary, text and facts; names (files, labels, identifiers)."""
    title = _lexemes(fold(body.title))
    prose = _lexemes(fold("\n".join((body.summary, body.text, *body.facts))))
    given = _lexemes(fold("\n".join((*body.files, *body.labels))))
    names = dict.fromkeys((*given, *filter(_is_name, (*title, *prose))))
    return _expand_all(title), _expand_all(prose), _expand_all(names)


def terms(query: str) -> list[str]:
    """A query's tokens as the FTS table holds them, each once, in the order of the query."""
    return list(dict.fromkeys(_expand_all(_lexemes(fold(query))).split()))


def quote(term: str) -> str:
    """A token as an FTS5 query takes it literally."""
    return '"' + term.replace('"', '""') + '"'


def fold(text: str) -> str:
    """Accents and widths folded, scripts without spaces set apart; the case is kept: it parts identifiers."""
    if text.isascii():
        return text
    plain = _COMBINING.sub("", unicodedata.normalize("NFKD", text))
    return _DENSE_RUN.sub(r" \g<0> ", unicodedata.normalize("NFC", plain))


def _lexemes(folded: str) -> list[str]:
    return _LEXEME.findall(folded)


def _expand_all(lexemes: Iterable[str]) -> str:
    return " ".join(filter(None, map(_expand, lexemes)))


@lru_cache(maxsize=1 << 16)
def _is_name(lexeme: str) -> bool:
    """Whether a lexeme is an identifier, a path, a number: more than a word."""
    return _NAME.search(lexeme) is not None


@lru_cache(maxsize=1 << 16)
def _expand(lexeme: str) -> str:
    """The tokens of one lexeme, parted by spaces: whole, its segments, its pieces, each once."""
    if _DENSE_RUN.match(lexeme):
        return " ".join(_pairs(lexeme))
    if "'" in lexeme or "’" in lexeme:
        lexeme = lexeme.replace("’", "'")
        return " ".join(_unquoted(part) for part in re.split(r"[^\w']+", lexeme) if part.strip("'"))
    return " ".join(dict.fromkeys(token[:_LONGEST] for token in _tokens(lexeme) if token))


def _pairs(run: str) -> Iterator[str]:
    if len(run) == 1:
        yield run
    for start in range(len(run) - 1):
        yield run[start : start + 2]


def _unquoted(word: str) -> str:
    """A word with an apostrophe: `server's` is server, `doesn't` is doesnt."""
    return _stem(word.casefold()).replace("'", "")


def _tokens(lexeme: str) -> Iterator[str]:
    if lexeme.isalpha() and (lexeme.islower() or lexeme.istitle() or lexeme.isupper()):
        yield _stem(lexeme.casefold())
        return
    yield lexeme.casefold()
    if lexeme.endswith(("++", "#")):
        return  # C++ is not C
    for segment in _SEGMENTS.split(lexeme):
        pieces = [piece for piece in _PIECES.split(segment) if piece]
        if len(pieces) > 1:
            yield segment.strip(".-_").casefold()
            yield "".join(pieces).casefold()
        for piece in pieces:
            yield from _piece(piece)


def _piece(piece: str) -> Iterator[str]:
    humps = _HUMPS.findall(piece)
    if len(humps) > 1:
        yield piece.casefold()
    for hump in humps:
        # A lone letter beside digits (E1101, v2) says nothing by itself.
        if len(humps) == 1 or len(hump) > 1 or hump.isdigit():
            yield _stem(hump.casefold())


def _stem(word: str) -> str:
    stemmer = getattr(_local, "stemmer", None)
    if stemmer is None:
        stemmer = _local.stemmer = Stemmer.Stemmer("english")  # not safe to share between threads
    return str(stemmer.stemWord(word))


def outdated(store: Store) -> bool:
    """Whether the store's search text was made by another analyser than this program's."""
    return bool(store.rows("SELECT value FROM meta WHERE key = 'analyser'")[0][0] != str(ANALYSER_VERSION))


def reindex(store: Store, batch: int = _BATCH, most: int | None = None) -> int:
    """Rewrite search text that another analyser made, at most so many steps; how many rows.

    0 once all is of this analyser. In steps of one short transaction, each remembered: a kill loses none of them.
    """
    if not outdated(store):
        return 0
    done, mark = 0, f"{_REACHED}:{ANALYSER_VERSION}"
    for step, count in enumerate(_rewritten(store, batch, mark), 1):
        done += count
        if step == most:
            return done
    with store.transaction() as connection:
        connection.execute("INSERT OR REPLACE INTO meta VALUES ('analyser', ?)", (str(ANALYSER_VERSION),))
        connection.execute("DELETE FROM meta WHERE key = ?", (mark,))
    return done


def rebuild(
    store: Store, on_progress: OnProgress | None = None, cancelled: Callable[[], bool] | None = None
) -> int | None:
    """Rewrite all search text from the versions, whoever made it; how many rows, None where it was cancelled.

    Searches and writers go on meanwhile. A damaged index is first made anew from FTS5's own copy of the text.
    """
    total, done = int(store.rows("SELECT COUNT(*) FROM versions")[0][0]), 0
    _mend(store)
    for count in _rewritten(store, _BATCH, ""):
        done += count
        if on_progress is not None:
            on_progress(min(done, total), total)
        if cancelled is not None and cancelled():
            return None
    with store.transaction() as connection:
        connection.execute("DELETE FROM search_text WHERE rowid NOT IN (SELECT id FROM versions)")
        connection.execute("INSERT OR REPLACE INTO meta VALUES ('analyser', ?)", (str(ANALYSER_VERSION),))
    return done


def _mend(store: Store) -> None:
    """Have FTS5 make its index anew where it says itself that the index is damaged."""
    try:
        with store.transaction() as connection:
            connection.execute("INSERT INTO search_text (search_text) VALUES ('integrity-check')")
    except StoreError as error:
        if getattr(error.__cause__, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_CORRUPT:
            raise
        with store.transaction() as connection:
            connection.execute("INSERT INTO search_text (search_text) VALUES ('rebuild')")


def _rewritten(store: Store, batch: int, mark: str) -> Iterator[int]:
    """How many rows each step rewrote, oldest first; from where `mark` says on, and said there ('': nowhere)."""
    known = store.rows("SELECT CAST(value AS INTEGER) FROM meta WHERE key = ?", (mark,)) if mark else []
    after = known[0][0] if known else 0
    while rows := store.rows(
        "SELECT id, title, summary, text, facts, files, labels FROM versions WHERE id > ? ORDER BY id LIMIT ?",
        (after, batch),
    ):
        made = [(row["id"], *fields(_body(row))) for row in rows]
        after = rows[-1]["id"]
        with store.transaction() as connection:
            connection.executemany("DELETE FROM search_text WHERE rowid = ?", ((row[0],) for row in made))
            connection.executemany(  # what was purged meanwhile stays away
                "INSERT INTO search_text (rowid, title, body, names)"
                " SELECT ?1, ?2, ?3, ?4 WHERE EXISTS (SELECT 1 FROM versions WHERE id = ?1)",
                made,
            )
            if mark:
                connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (mark, str(after)))
        yield len(rows)


def _body(row: sqlite3.Row) -> Body:
    facts, files, labels = (json.loads(row[column]) for column in ("facts", "files", "labels"))
    return Body(row["title"], row["summary"], row["text"], facts, labels=labels, files=files)
