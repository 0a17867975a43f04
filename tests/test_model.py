"""The words as types: their JSON shapes, times, identities, token counts."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path

import bpe_openai
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_memory import model, tokens
from tui_memory.model import Entry, Grounding, MadeBy, Memory, Observation
from tui_memory.retrieve.result import Hit, SearchResult

ROOT = Path(__file__).resolve().parent.parent
LAST_MS = 7_258_118_400_000  # the year 2200

OBSERVATION = Observation(
    1, "u", "s", "codex", None, "", 1, "prompt", "", 0, "text", [], 4, {"email": 1}, "captured", ""
)
MEMORY = Memory(
    1, "u", "title", "", "text", ["fact"], "episodic", "bugfix", [], [], None, "main", "", 1_000, 2_000, "active",
    False, 3, 0, None, [1], MadeBy("person"), Grounding(), None, [],
)  # fmt: skip


def test_an_observation_has_the_fields_of_the_contract() -> None:
    wanted = "id uid session agent project branch turn kind tool time text files size redactions state reason"
    assert set(wanted.split()) <= set(json.loads(json.dumps(OBSERVATION.public())))


def test_a_memory_has_the_fields_of_the_contract() -> None:
    wanted = (
        "id uid title summary text facts tier kind labels files project branch session created updated state pinned"
        " tokens uses last_used sources made_by grounding superseded_by merged_from"
    )
    shown = json.loads(json.dumps(MEMORY.public()))
    assert set(wanted.split()) <= set(shown)
    assert (shown["created"], shown["last_used"]) == ("1970-01-01T00:00:01.000Z", None)
    assert shown["made_by"] == {"route": "person", "model": "", "prompt_version": 0, "schema_version": 1}
    assert shown["grounding"] == {"retained": 1.0, "flagged": []}


def test_a_list_and_a_hit_leave_bodies_out() -> None:
    hit = Hit(1, 0.5, {"dense": 0.5}, MEMORY)
    for shown in (MEMORY.public(whole=False), hit.public()):
        assert "text" not in shown and "facts" not in shown
    assert hit.public()["scores"] == {"dense": 0.5}


def test_a_result_says_what_was_missing() -> None:
    shown = SearchResult("q", 1.23456, ["model"], []).public()
    assert shown == {"query": "q", "took_ms": 1.23, "degraded": ["model"], "results": []}


def test_an_entry_has_the_fields_of_the_contract() -> None:
    entry = Entry(1, 1, 0, "person", "add", 7, None, {"state": "active"}, False)
    assert {"id", "time", "actor", "action", "memory", "before", "after", "undone"} <= set(entry.public())


def test_no_text_is_no_token_and_a_little_is_one() -> None:
    assert [tokens.count_tokens(text) for text in ("", " ", "a", "abcd", "def", "東京", "café")] == [
        0,
        1,
        1,
        1,
        1,
        1,
        1,
    ]


@given(st.text(), st.text())
def test_more_text_is_never_much_fewer_tokens(one: str, other: str) -> None:
    assert tokens.count_tokens(one + other) >= tokens.count_tokens(one) * 0.5


SAMPLES = {
    "code": [path.read_text("utf-8") for path in sorted((ROOT / "tui_memory" / "store").glob("*.py"))],
    "prose": [(ROOT / name).read_text("utf-8") for name in ("README.md", "LICENSE", "docs/ARCHITECTURE.md")],
    "chinese": [
        "支付服务在网关超时后为每次尝试生成新的幂等键，导致客户被重复扣款。修复方法是为每个订单保存一个键，并在重试时重复使用。"
        "测试确认超过截止时间后重试会停止。配置文件不需要修改，但部署脚本要先运行数据库迁移。"
    ],
    "japanese": [
        "注文の支払いを再試行すると、同じ冪等キーが使われず、顧客に二重請求が発生しました。原因はゲートウェイのタイムアウト後に"
        "新しいキーを生成していたことです。修正では注文ごとに一つのキーを保存し、再試行の際にそれを再利用します。"
    ],
    "korean": [
        "결제 서비스는 게이트웨이 시간 초과 후 매번 새로운 멱등 키를 만들어 고객에게 두 번 청구되었습니다. "
        "수정 사항은 주문마다 하나의 키를 저장하고 재시도할 때 다시 사용하는 것입니다."
    ],
    "german": [
        "Der Zahlungsdienst erzeugte nach einer Zeitüberschreitung für jeden Versuch einen neuen Schlüssel, sodass "
        "Kunden zweimal belastet wurden. Größere Änderungen an der Konfiguration sind nicht nötig."
    ],
}


@pytest.mark.parametrize("sample", SAMPLES)
def test_tokens_are_within_a_tenth_of_a_real_tokenizers(sample: str) -> None:
    tokenizer = bpe_openai.get_encoding("o200k_base")
    real = sum(len(tokenizer.encode(text)) for text in SAMPLES[sample])
    about = sum(tokens.count_tokens(text) for text in SAMPLES[sample])
    assert about == pytest.approx(real, rel=0.1)


def test_every_state_and_kind_is_its_own_word() -> None:
    for each in (model.Kind, model.ObservationState, model.Tier, model.MemoryKind, model.MemoryState, model.Drop):
        assert all(str(member) == member.value for member in each)


def test_filters_are_hashable_and_empty_by_default() -> None:
    assert hash(model.Filters(project=("a",), label=("b",))) != hash(model.EVERYTHING)
    assert all(getattr(model.EVERYTHING, item.name) in (None, ()) for item in fields(model.EVERYTHING))
