"""The light stand-ins behave as what they stand for."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path

import pytest

from tui_memory.light import NamedTuple, asdict, dataclass, field, fields, is_dataclass, late, replace

ROOT = Path(__file__).resolve().parent.parent


@dataclass(slots=True)
class Note:
    """A record with every kind of field."""

    text: str
    size: int = 0
    labels: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Fixed:
    """A record that does not change."""

    name: str = ""
    inner: Note = field(default_factory=lambda: Note("inside"))


class Pair(NamedTuple):
    """Two values and a method."""

    left: int
    right: int = 2

    def total(self) -> int:
        """Their sum."""
        return self.left + self.right


def test_a_records_defaults_are_its_own() -> None:
    first, second = Note("a"), Note("b", labels=["x"])
    first.labels.append("y")
    assert (first.labels, second.labels, Note("c").labels) == (["y"], ["x"], [])


@pytest.mark.parametrize(("values", "named"), [((), {}), (("a", 1, [], 4), {}), (("a",), {"colour": 1})])
def test_wrong_arguments_are_a_type_error(values: tuple[object, ...], named: dict[str, object]) -> None:
    make: type = Note
    with pytest.raises(TypeError):
        make(*values, **named)


def test_asked_for_more_it_is_a_dataclass() -> None:
    note = Note("a", 3)
    assert note == Note("a", 3) != Note("a", 4)
    assert repr(note).endswith("Note(text='a', size=3, labels=[])")
    assert asdict(note) == {"text": "a", "size": 3, "labels": []}
    assert replace(note, size=9).size == 9
    assert [item.name for item in fields(Note)] == ["text", "size", "labels"]
    assert is_dataclass(Fixed) and dataclasses.is_dataclass(Fixed)


def test_a_frozen_one_refuses_to_change_and_has_a_hash() -> None:
    fixed = Fixed("a", Note("b"))
    with pytest.raises(dataclasses.FrozenInstanceError):
        fixed.name = "b"  # type: ignore[misc]
    assert {Pair(1): "found"}[Pair(1, 2)] == "found"


def test_a_named_tuple_has_defaults_methods_and_order() -> None:
    assert Pair(1).total() == 3
    assert Pair(1)._replace(left=5) == (5, 2)
    assert Pair.__doc__ == "Two values and a method."


def test_a_late_pattern_is_a_pattern() -> None:
    pattern = late(r"(\d+)-(\d+)")
    found = pattern.search("from 10-20 on")
    assert found is not None and found.groups() == ("10", "20")
    assert pattern.sub("x", "1-2 3-4") == "x x"
    assert [hit.start() for hit in pattern.finditer("1-2 3-4")] == [0, 4]


def test_a_hook_without_a_worker_loads_nothing_slow() -> None:
    script = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r}); from tui_memory import fallback, redact; "
        "print(*{'typing', 'dataclasses', 'inspect', 'hashlib', 'subprocess', 'yaml'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
