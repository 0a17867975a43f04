"""What masking costs and finds: times, hostile megabytes, made-up rows, changed lines of real trees.

    python -m tests.bench.bench_redact [--trees FOLDER ...] [--megabytes 4] [--seeds 4]

Reference: `re.findall` of words over the same text in the same run. Without `--trees`: the standard library and what is
installed beside this program (Python, JavaScript, Markdown, JSON), with e-mail and telephone off.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

from tests.redact import clean_rows, secret_rows
from tui_memory.redact import Redactor

REDACTOR = Redactor(b"k" * 32)
QUIET = Redactor(kinds_off=frozenset({"email", "phone"}))
WORD = re.compile(r"\w+")
LARGEST = 1_500_000  # characters of a file
HOSTILE: dict[str, str] = {
    "one letter": "a",
    "password=": "password=",
    "password = ": "password = ",
    "quotes": "password='\"",
    "secrets": "passwd='Ab1x9zz9' ",
    "calls": "secret(",
    "prose": "x1y2z3a4 is the password ",
    "below": "password:\n",
    "tables": "password,a\n",
    "columns": "password;",
    "addresses": "http://u:p1@h ",
    "schemes": "://",
    "at signs": "a@a.",
    "networks": "a:b@tcp(",
    "equals": "a=b=",
    "backslashes": "\\",
    "escapes": "\\u0061",
    "entities": "&lt;",
    "invisible": "\u200b",
    "colours": "\x1b[0m",
    "keys": "-----BEGIN PRIVATE KEY-----\n",
    "ends": "-----END PRIVATE KEY-----\n",
    "deep": '{"password":',
    "brackets": "[",
    "tokens": "ghp_a1B2 ",
    "jwt": "eyJ.",
    "numbers": "4111 ",
    "commands": "curl -u a:b1 ",
    "cookies": "Cookie: a=b;",
    "bearer": "Authorization: Bearer ",
    "kubernetes": "kind: Secret\ndata:\n  a: b\n",
    "inserts": "insert into t (password) values ('a1b2c3d4'),",
    "other alphabet": "密码是a1b2c3d4 ",
    "ftp": "PASS a1b2c3d4\n",
}


def cost(work: Callable[[], object]) -> float:
    """Processor seconds, the best of three."""
    best = 99.0
    for _ in range(3):
        start = process_time()
        work()
        best = min(best, process_time() - start)
    return best


def sizes(text: str) -> Iterator[str]:
    """A line for each size: milliseconds, and how often the reference."""
    dice = random.Random(5)
    for size in (2_000, 10_000, 50_000):
        pieces = [text[at : at + size] for at in (dice.randrange(len(text) - size) for _ in range(20))]
        took = [(cost(lambda p=piece: REDACTOR.text(p)), cost(lambda p=piece: WORD.findall(p))) for piece in pieces]  # type: ignore[misc]
        yield (
            f"{size // 1000:3} KB  {median(a for a, _ in took) * 1e3:7.2f} ms, "
            f"{median(a / b for a, b in took):5.1f} times the reference"
        )


def hostile(size: int) -> Iterator[tuple[float, str]]:
    """Seconds for a hostile text of each shape."""
    for name, piece in HOSTILE.items():
        text = piece * (size // len(piece))
        start = process_time()
        REDACTOR.text(text)
        yield process_time() - start, name


def rows(seeds: int) -> str:
    """Misses and false positives of the made-up rows."""
    secret = list(secret_rows.rows(range(100, 100 + seeds)))
    clean = list(clean_rows.rows(range(100, 100 + seeds)))
    missed = sum(any(value in REDACTOR.text(row.text).text for value in row.secrets) for row in secret)
    changed = sum(REDACTOR.text(row.text).text != row.text for row in clean)
    return (
        f"{len(secret)} rows with secrets, {1 - missed / len(secret):.2%} clean afterwards; "
        f"{len(clean)} without, {changed / len(clean):.2%} changed"
    )


def tree(folder: Path, ends: tuple[str, ...], limit: int) -> str:
    """Changed lines for each megabyte of a tree's files of one kind."""
    size = changed = 0
    for path in sorted(path for path in folder.rglob("*") if path.suffix in ends and path.is_file()):
        try:
            text = path.read_text("utf-8")
        except (OSError, UnicodeDecodeError):
            continue
        if len(text) > LARGEST:
            continue
        left = set(QUIET.text(text).text.split("\n"))
        changed += sum(line not in left for line in text.split("\n"))
        size += len(text)
        if size > limit:
            break
    return (
        f"{folder.name} {'/'.join(ends)}: {size / 1e6:.1f} MB, {changed / max(size, 1) * 1e6:.2f} changed lines per MB"
    )


def main() -> None:
    """All of it, in lines."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trees", nargs="*", type=Path)
    parser.add_argument("--megabytes", type=int, default=4, help="of each kind of file in each tree")
    parser.add_argument("--seeds", type=int, default=4)
    given = parser.parse_args()
    library = Path(sysconfig.get_path("stdlib"))
    text = "".join(path.read_text("utf-8", "replace") for path in sorted(library.glob("*.py")))[:2_000_000]
    for line in sizes(text):
        print(line)
    reference = cost(lambda: WORD.findall(text[:1_000_000]))
    for took, name in sorted(hostile(1_000_000), reverse=True)[:8]:
        print(f"1 MB of {name}: {took:.2f} s, {took / reference:.1f} times the reference")
    print(rows(given.seeds))
    for folder in given.trees or [library, *(Path(path) for path in sys.path if path.endswith("site-packages"))]:
        for ends in ((".py",), (".js", ".mjs", ".ts"), (".md", ".rst"), (".json",)):
            print(tree(folder, ends, given.megabytes * 1_000_000))


if __name__ == "__main__":
    start = perf_counter()
    main()
    print(f"{perf_counter() - start:.0f} s in all")
