"""Full-text search: what is found, how it is shown, and that it stays right when things go wrong."""

import os
import random
import sqlite3
import threading
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest

from client import Client
from gateway import Gateway, run
from waiting import wait_until


def search(client, q, **more):
    return client.get("/v1/search?" + urlencode({"q": q, **more}))


def found(client, q, **more):
    """The answer once all that was stored has been taken up."""
    def whole():
        answer = search(client, q, **more).ok().json
        return answer["complete"] and answer
    return wait_until(whole, f"a complete search for {q!r}")


def hits(client, q, **more):
    return found(client, q, **more)["data"]


def said(client, *texts):
    """A conversation with these messages; its id."""
    items = [{"type": "message", "role": "user", "content": t} for t in texts]
    return client.post("/v1/conversations", {"items": items}).ok().json["id"]


def marked(hit):
    return [s["text"] for s in hit["segments"] if s["match"]]


@pytest.fixture
def own(tmp_path):
    gateway = Gateway(tmp_path, {})
    gateway.start()
    with Client(gateway.url) as client:
        yield gateway, client
    gateway.stop()


def test_a_turn_is_found_question_and_answer(client):
    turn = client.chat("Die Krähenfüße im Zwielicht").ok().json
    data = hits(client, "krahenfuße", conversation=turn["conversation"])
    assert {h["role"] for h in data} == {"user", "assistant"}
    hit = hits(client, '"im zwielicht"', conversation=turn["conversation"], role="assistant")[0]
    assert hit["object"] == "search.result" and hit["title"] == "Die Krähenfüße im Zwielicht"
    assert hit["conversation"] == turn["conversation"]
    assert hit["message_id"] == turn["message_id"]
    assert hit["snippet"] == "".join(s["text"] for s in hit["segments"])
    assert marked(hit) == ["im Zwielicht"]
    assert hit["score"] > 0 and hit["created_at"] > 1600000000
    client.post(f"/v1/conversations/{turn['conversation']}", {"title": "Crows"}).ok()
    assert hits(client, "krähenfüße", conversation=turn["conversation"])[0]["title"] == "Crows"


@pytest.mark.parametrize("text, query, marks", [
    ("我昨天去了東京塔", "東京", ["東京"]),
    ("我昨天去了東京塔", "京東", None),
    ("すもももももももものうち", "もものうち", ["もものうち"]),
    ("カタカナのテスト", "タカ", ["タカ"]),
    ("서울에서 만나요", "서울", ["서울"]),
    ("สวัสดีครับผม", "ครับ", ["ครับ"]),
    ("مرحبا بالعالم", "بالعالم", ["بالعالم"]),
    ("اَلسَّلَامُ عليكم", "السلام", ["اَلسَّلَامُ"]),
    ("Привет, МИР", "мир", ["МИР"]),
    ("ὁ Ἀχιλλεύς", "αχιλλευς", None),  # final sigma and breathing: as unicode61 has it
    ("crème brûlée", "creme", ["crème"]),
    ("cre\u0300me", "crème", ["cre\u0300me"]),
    ("party 🎉🎂 tonight", "🎂", ["🎂"]),
    ("prefixes are fine", "prefi*", ["prefixes"]),
    ("prefixes are fine", "refi*", None),
    ("one two three", '"two three"', ["two three"]),
    ("one two three", '"one three"', None),
    ("one two three", "three one", ["one", "three"]),
    ("one two three", "one -two", None),
    ("one two three", "one -four", ["one"]),
    ("foo_bar(baz)", "foo_bar", ["foo_bar"]),
    ("a\x00nul and\ta tab", "nul tab", ["nul", "tab"]),
])
def test_words_of_any_language(client, text, query, marks):
    data = hits(client, query, conversation=said(client, text))
    if marks is None:
        if not text.startswith("ὁ"):
            assert data == []
    else:
        assert [marked(h) for h in data] == [marks]


def test_snippets_show_the_best_stretch_and_are_no_html(client):
    far = "filler words " * 300
    c = said(client, f"tea {far} <b>tea</b> & pot {far}")
    hit = hits(client, "tea pot", conversation=c)[0]
    assert marked(hit) == ["tea", "pot"]
    assert "<b>tea</b> & pot" in hit["snippet"]
    assert hit["snippet"].startswith("…") and hit["snippet"].endswith("…")
    assert len(hit["snippet"]) < 300
    c = said(client, "one\n\n  line\t and more")
    assert hits(client, "line", conversation=c)[0]["snippet"] == "one line and more"


def test_kinds_of_content(client):
    c = client.chat({"role": "user", "content": [{"type": "text", "text": "partword"}],
                     "context": {"files": [{"name": "n.txt", "content": "inlineword"}]}},
                    {"role": "computer", "type": "console", "format": "output",
                     "content": "consoleword"}).ok().json["conversation"]
    for word in ("partword", "inlineword", "consoleword"):
        assert len(hits(client, word, conversation=c, role="user")) + \
            len(hits(client, word, conversation=c, role="computer")) == 1, word


def test_forks_and_imports(own):
    gateway, client = own
    turn = client.chat("cassowary").ok().json
    c = turn["conversation"]
    said_later = [{"type": "message", "role": "user", "content": "cassowary again"}]
    client.post(f"/v1/conversations/{c}/items", {"items": said_later}).ok()
    assert len(hits(client, "cassowary")) == 3
    fork = client.post(f"/v1/conversations/{c}/fork", {}).ok().json["id"]
    assert len(hits(client, "cassowary", conversation=fork)) == 3
    archive = client.get(f"/v1/conversations/{c}/export").body
    copy = client.post("/v1/conversations/import", archive,
                       headers={"Content-Type": "application/jsonl"}).ok().json["conversations"][0]["id"]
    assert len(hits(client, "cassowary", conversation=copy)) == 3
    for gone in (fork, c):
        client.request("DELETE", f"/v1/conversations/{gone}").ok()
    assert {h["conversation"] for h in hits(client, "cassowary")} == {copy}
    # By another process, beside the one that serves.
    file = gateway.folder / "one.jsonl"
    file.write_bytes(archive)
    assert run("import", file, "--database", gateway.database).returncode == 0
    wait_until(lambda: len(search(client, "cassowary").ok().json["data"]) == 6, "what it brought")


def test_what_was_deleted_and_comes_in_again_is_found_again(own):
    _, client = own
    archive = client.get(f"/v1/conversations/{said(client, 'one zugzwang')}/export").ok().body
    for _ in range(10):
        conversation = hits(client, "zugzwang")[0]["conversation"]
        client.request("DELETE", f"/v1/conversations/{conversation}").ok()
        client.post("/v1/conversations/import", archive, headers={"Content-Type": "application/jsonl"}).ok()
        assert len(hits(client, "zugzwang")) == 1


@pytest.mark.parametrize("q", ["", "  ", "!?", '""', "*", "-word", "ab*", "x" * 1025,
                               " ".join("abcdefghijklmnopq")])
def test_nothing_to_search_for(client, q):
    search(client, q).error(400, "invalid_value" if q else "missing_required_parameter", "q")


def test_bad_questions(client):
    client.get("/v1/search").error(400, "missing_required_parameter", "q")
    for raw in ("%ff", "%ed%a0%80", "%c0%af"):
        client.get(f"/v1/search?q={raw}").error(400, "invalid_value", "q")
    client.get("/v1/search?q=a%00b").error(400, param="q")
    for name, value in (("limit", "0"), ("limit", "51"), ("role", "poet"), ("after", "x"),
                        ("after", "0" * 64)):
        search(client, "word", **{name: value}).error(400, "invalid_value", name)
    search(client, "word", conversation="conv_x").error(404, "not_found", "conversation")
    assert hits(client, "word", conversation="conv_" + "0" * 15 + "1" * 17) == []


def test_no_query_reaches_the_search_engine(client):
    bits = ["\"", "'", "*", "^", ":", "(", ")", "+", "-", "{", "}", ",", " ", "AND", "OR", "NOT",
            "NEAR(", "scope:", "text :", "o0", "東", "é", "\U0001f600", "\u0301", "“", "\u200d",
            "abc", ";", "--", "\\", "\x01", "%", "\u0e01"]
    dice = random.Random(4)
    said(client, "abc é 東")
    for _ in range(150):
        q = "".join(dice.choice(bits) for _ in range(dice.randint(1, 9)))
        answer = client.get("/v1/search?q=" + quote(q, safe=""))
        if answer.status != 200:
            answer.error(400, "invalid_value", "q")


def test_pages(client):
    c = said(client)
    for n in range(3):
        items = [{"type": "message", "role": "user", "content": "leaf " * (1 + n * i % 5)}
                 for i in range(15)]
        client.post(f"/v1/conversations/{c}/items", {"items": items}).ok()
    found(client, "leaf", conversation=c)
    seen, after = [], None
    while True:
        more = {"after": after} if after else {}
        page = search(client, "leaf", conversation=c, limit=7, **more).ok().json
        seen += page["data"]
        assert page["has_more"] == (page["next"] is not None)
        if not page["has_more"]:
            break
        assert len(page["data"]) == 7
        after = page["next"]
        search(client, "leaf", after=after).error(400, "invalid_value", "after")
        client.post(f"/v1/conversations/{c}/items", {"items": [
            {"type": "message", "role": "user", "content": "leaf " * 9}]}).ok()
    assert len({h["message_id"] for h in seen}) == len(seen) == 45
    assert [h["score"] for h in seen] == sorted((h["score"] for h in seen), reverse=True)


def test_what_is_deleted_is_not_found_from_then_on(own):
    gateway, client = own
    turn = client.chat("Quokkaword").ok().json
    c = turn["conversation"]
    assert len(hits(client, "quokkaword")) == 2
    client.request("DELETE", f"/v1/conversations/{c}/items/{turn['message_id']}").ok()
    assert [h["role"] for h in search(client, "quokkaword").ok().json["data"]] == ["user"]
    client.request("DELETE", f"/v1/conversations/{c}").ok()
    assert search(client, "quokkaword").ok().json["data"] == []
    gateway.stop()
    assert b"uokkaword" not in gateway.database.read_bytes()
    with sqlite3.connect(f"file:{gateway.database}.search?mode=ro", uri=True) as db:
        assert db.execute("SELECT count(*) FROM doc").fetchone() == (0,)


def test_after_a_restart_a_kill_and_a_lost_index(own):
    gateway, client = own
    index = Path(f"{gateway.database}.search")
    for n in range(5):
        client.chat(f"walrus {n}").ok()
    assert len(hits(client, "walrus")) == 10
    assert os.stat(index).st_mode & 0o777 == 0o600
    gateway.restart()
    with Client(gateway.url) as again:
        assert len(hits(again, "walrus")) == 10
        gateway.stop()
    index.unlink()
    gateway.start()
    with Client(gateway.url) as again:
        assert len(hits(again, "walrus")) == 10
        for n in range(5):
            again.chat(f"walrus {n}").ok()
    gateway.kill()
    gateway.start()
    with Client(gateway.url) as again:
        assert len(hits(again, "walrus", limit=50)) == 20
        metrics = again.get("/metrics").body.decode()
    assert "parley_search_messages 20" in metrics and "parley_search_complete 1" in metrics


def test_kills_while_it_is_written_to(own):
    gateway, client = own
    acknowledged = []

    def talk(url):
        try:
            with Client(url) as mine:
                while True:
                    acknowledged.append(mine.chat("ibis").ok().json["message_id"])
        except Exception:  # the gateway was killed
            pass

    for round in range(4):
        count = len(acknowledged)
        threads = [threading.Thread(target=talk, args=(gateway.url,)) for _ in range(3)]
        for t in threads:
            t.start()
        wait_until(lambda: len(acknowledged) >= count + 10 + 7 * round, "turns")
        gateway.kill()
        for t in threads:
            t.join()
        gateway.start()
        with Client(gateway.url) as again:
            ids, after = [], {}
            found(again, "ibis")
            while after is not None:
                page = search(again, "ibis", role="assistant", limit=50, **after).ok().json
                ids += [h["message_id"] for h in page["data"]]
                after = {"after": page["next"]} if page["next"] else None
        assert len(set(ids)) == len(ids)
        assert set(acknowledged) <= set(ids)


def test_everybody_finds_only_what_is_theirs(tmp_path):
    gateway = Gateway(tmp_path, {"api_keys": [{"env": "KEY_A"}, {"env": "KEY_B"}]},
                      env={"KEY_A": "sk-key-of-a", "KEY_B": "sk-key-of-b"})
    gateway.start()
    with Client(gateway.url) as stranger:
        search(stranger, "word").error(401)
    a = Client(gateway.url, headers={"Authorization": "Bearer sk-key-of-a"})
    b = Client(gateway.url, headers={"Authorization": "Bearer sk-key-of-b"})
    with a, b:
        theirs = said(a, "a word of a", "another word")
        assert len(hits(a, "word")) == 2
        assert hits(b, "word") == [] and hits(b, "word", conversation=theirs) == []
        mine = said(b, "a word of b")
        assert [h["conversation"] for h in hits(b, "word")] == [mine]
        after = search(a, "word", limit=1).ok().json["next"]
        search(b, "word", limit=1, after=after).error(400, "invalid_value", "after")
    gateway.stop()
