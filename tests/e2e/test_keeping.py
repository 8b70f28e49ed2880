"""Conversations, contents of messages and files go when their time is over."""

import contextlib
import json
import sqlite3
import subprocess
import time

import openai
import pytest

import gateway as gw
import keys
import postgres
import responses
import upstream as up
from client import Client
from gateway import ENGINE
from test_deleted import assert_gone, holders, indexed, rare, talk
from test_files import END, FORM, folder, part, upload
from test_many import gated, wanted
from test_surplus import metric
from waiting import wait_until

SOON = {"anchor": "last_active_at", "seconds": 1}


def is_gone(client, conversation):
    return client.get(f"/v1/conversations/{conversation}").status in (404, 410)


def wait_gone(client, conversation):
    wait_until(lambda: is_gone(client, conversation), "the conversation goes", deadline=60)


def shown(client, conversation):
    return client.get(f"/v1/conversations/{conversation}").ok().json


def alter(gateway, sql):
    if ENGINE != "sqlite":
        postgres.shared().sql(sql, gateway.database_name)
        return
    with contextlib.closing(sqlite3.connect(gateway.database)) as db, db:
        db.execute(sql)


def test_everything_of_a_conversation_goes(start):
    """Its text is in no file of the database, and its sums stay."""
    gateway = start(usual={"cache_keep": "24h"})
    words = [rare() for _ in range(6)]
    with Client(gateway.url) as client:
        first = talk(client, f"{words[0]} {words[1]}", instruction=f"be {words[2]}", metadata={"of": words[3]})
        other = talk(client, "stays")
        client.post(f"/v1/conversations/{first}/items", {"items": [
            {"type": "message", "role": "user", "content": words[4]}]}).ok()
        body = {"messages": ["go"], "conversation": first, "stream": True, "config": {"model": "echo"}}
        with client.stream("/v1/chat", body, headers={"idempotency-key": "k"}) as stream:
            list(stream)
        run = client.get(f"/v1/runs?conversation={first}").ok().json["data"][0]["id"]
        body = {"title": f"on {words[5]}", "expires_after": SOON, "budget": {"money": "1"}}
        made = client.post(f"/v1/conversations/{first}", body).ok().json
        assert 0 <= made["expires_at"] - client.get("/v1/conversations").ok().json["data"][1]["updated_at"] <= 2
        assert "expires_at" not in shown(client, other)
        ceilings = "SELECT count(*) FROM budget WHERE key LIKE 'conv:%'"
        assert int(gateway.rows(ceilings)[0][0]) == 1
        wait_gone(client, first)
        assert int(gateway.rows(ceilings)[0][0]) == 0
        client.get(f"/v1/conversations/{first}").error(410, "gone")
        client.get(f"/v1/conversations/{first}/items").error(404)
        wait_until(lambda: client.get(f"/v1/runs/{run}").status == 404, "its runs go")
        wait_until(lambda: gateway.rows("SELECT count(*) FROM message")[0][0] in (2, "2"), "its messages go")
        client.post("/v1/chat", {"messages": ["go"], "conversation": first}).error(404)
        assert not any(indexed(client, words))
        wait_until(lambda: sum(row["calls"] for row in client.get("/v1/usage").ok().json["data"]) == 3,
                   "sums stay")
        wait_until(lambda: metric(gateway, "parley_swept_total", kind="conversation") == 1, "it is counted")
        wait_until(lambda: metric(gateway, "parley_swept_total", kind="run") == 2, "it is counted")
        shown(client, other)
        if ENGINE == "sqlite":
            assert_gone(gateway, words)


def test_the_gateway_keeps_what_is_active_or_held(start, script):
    """Neither a running turn nor a pin is touched; a pin that is taken away is none."""
    gateway = start(usual={"conversations_keep": "1s", "pins": True})
    gates, s = gated(script)
    with Client(gateway.url) as client:
        held = talk(client, "held", metadata={"keep": "true"})
        not_held = talk(client, "not held", metadata={"keep": "false"})
        response = client.post("/v1/responses", {"model": "echo", "input": "hi"}).ok().json["id"]
        completion = client.post("/v1/chat/completions", {
            "model": "echo", "store": True, "messages": [{"role": "user", "content": "hi"}]}).ok().json["id"]
        assert "expires_at" not in shown(client, held)
        with client.chat_stream("go", model=s.model) as stream:
            wanted(stream, "")
            wait_gone(client, not_held)
            wait_until(lambda: client.get(f"/v1/responses/{response}").status == 404, "the response goes")
            wait_until(lambda: client.get(f"/v1/chat/completions/{completion}").status == 404, "likewise")
            running = stream.headers["x-conversation-id"]
            assert shown(client, running)["expires_at"] < time.time()
            for gate in gates:
                gate.open()
            list(stream)
        wait_gone(client, running)
        begun = shown(client, held)["created_at"]
        wait_until(lambda: client.get("/v1/admin/overview").ok().json["store"]["oldest_conversation_at"] == begun,
                   "the oldest one's time")
        client.post(f"/v1/conversations/{held}", {"metadata": {}}).ok()
        wait_gone(client, held)


def test_a_key_keeps_for_a_shorter_time(start):
    gateway = start(usual={"conversations_keep": "1h"}, ready=False)
    keys.migrate(gateway)
    made = keys.make(gateway, "--keep", "1s")
    usual = keys.make(gateway)
    group = json.loads(gw.run("groups", "create", "--json", "--keep", "1s", "--database", gateway.database_option()).stdout)
    grouped = keys.make(gateway, "--keep", "30m", "--group", group["id"])
    assert (made["keep"], usual["keep"], group["keep"], grouped["keep"]) == ("1s", None, "1s", "30m")
    with Client(gateway.start().url) as client:
        def of(key):
            return {"headers": keys.bearer(key["key"])}
        body = {"messages": ["hi"], "config": {"model": "echo"}}
        short, long, shared = (client.post("/v1/chat", body, **of(key)).ok().json["conversation"]
                               for key in (made, usual, grouped))
        wait_until(lambda: client.get(f"/v1/conversations/{short}", **of(made)).status == 410, "the shorter time")
        wait_until(lambda: client.get(f"/v1/conversations/{shared}", **of(grouped)).status == 410, "that of the group")
        client.get(f"/v1/conversations/{short}", **of(usual)).error(404)
        assert client.get(f"/v1/conversations/{long}", **of(usual)).ok().json["expires_at"] > time.time()
    updated = keys.command(gateway, "update", made["id"], "--json", "--keep", "none")
    assert '"keep":null' in updated.stdout
    keys.command(gateway, "update", made["id"], "--keep", "soon", code=64)
    done = gw.run("groups", "update", group["id"], "--json", "--keep", "none", "--database", gateway.database_option())
    assert json.loads(done.stdout)["keep"] is None


def test_a_long_conversation_goes_bit_by_bit(start):
    """A turn moves the end; and what a kill has left goes after the next start."""
    gateway = start(usual={})
    with Client(gateway.url) as client:
        first = client.post("/v1/conversations", {"items": [
            {"type": "message", "role": "user", "content": f"m{i}"} for i in range(20)],
            "expires_after": {"anchor": "last_active_at", "seconds": 86400}}).ok().json["id"]
        due = shown(client, first)["expires_at"]
        for _ in range(12):
            talk(client, "more", conversation=first)
        assert due <= shown(client, first)["expires_at"] <= due + 60
        talk(client, "sooner", conversation=first, expires_after=SOON)
        talk(client, "another")
        gateway.kill()
        gateway.start()
    with Client(gateway.url) as client:
        wait_gone(client, first)
        wait_until(lambda: [*gateway.rows("SELECT (SELECT count(*) FROM message), (SELECT count(*) FROM run)")[0]] in
                   ([2, 1], ["2", "1"]), "the rest goes")


def test_what_is_no_time_is_refused(start):
    with Client(start(usual={}).url) as client:
        for bad, path, code in (({"anchor": "created_at", "seconds": 5}, "anchor", "invalid_value"),
                                ({"seconds": 5}, "anchor", "missing_required_parameter"),
                                ({**SOON, "seconds": 0}, "seconds", "invalid_value"),
                                ({**SOON, "days": 1}, "days", "unknown_parameter")):
            for route, more in (("/v1/conversations", {}), ("/v1/chat", {"messages": ["hi"]})):
                error = client.post(route, {**more, "expires_after": bad}).error(400, code)
                assert error["param"] == f"expires_after.{path}"
        client.post("/v1/chat", {"messages": ["hi"], "store": False, "expires_after": SOON}).error(400, "invalid_value")


def test_a_file_goes_at_its_time(start):
    gateway = start(usual={})
    with openai.OpenAI(base_url=f"{gateway.url}/v1", api_key="none") as sdk, Client(gateway.url) as client:
        file = sdk.files.create(file=("a.txt", b"hello"), purpose="user_data",
                                expires_after={"anchor": "created_at", "seconds": 3600})
        assert file.expires_at == file.created_at + 3600 == sdk.files.retrieve(file.id).expires_at
        stays = upload(client, b"world").ok().json
        assert stays["expires_at"] is None
        alter(gateway, "UPDATE file SET expires_ms = 1 WHERE expires_ms > 0")
        wait_until(lambda: client.get(f"/v1/files/{file.id}").status == 404, "the file goes")
        assert client.get(f"/v1/files/{stays['id']}/content").ok().body == b"world"
        wait_until(lambda: metric(gateway, "parley_swept_total", kind="file") == 1, "it is counted")
        if ENGINE == "sqlite":
            assert len([p for p in folder(gateway).rglob("*") if p.is_file()]) == 1


@pytest.mark.parametrize("anchor, seconds, culprit, code", [
    (b"created_at", b"3599", "seconds", "invalid_value"), (b"created_at", b"2592001", "seconds", "invalid_value"),
    (b"created_at", b"9" * 40, "seconds", "invalid_value"), (b"created_at", b"-3600", "seconds", "invalid_value"),
    (b"last_active_at", b"3600", "anchor", "invalid_value"),
    (b"created_at", None, "seconds", "missing_required_parameter"),
    (None, b"3600", "anchor", "missing_required_parameter")])
def test_a_file_has_openais_bounds(client, anchor, seconds, culprit, code):
    form = part("purpose", b"user_data") + part("file", b"hello", "a.txt")
    for name, value in (("anchor", anchor), ("seconds", seconds)):
        form += part(f"expires_after[{name}]", value) if value is not None else b""
    error = client.post("/v1/files", form + END, headers=FORM).error(400, code)
    assert error["param"] == f"expires_after[{culprit}]"


def test_contents_go_and_rows_stay(start):
    gateway = start(usual={"content_keep": "1s", "pins": True})
    words = [rare() for _ in range(3)]
    with Client(gateway.url) as client:
        held = talk(client, "held", metadata={"keep": "true"})
        first = talk(client, words[0], instruction=f"be {words[1]}")
        run = client.get(f"/v1/runs?conversation={first}").ok().json["data"][0]["id"]
        before = client.get(f"/v1/runs/{run}").ok().json
        wait_until(lambda: metric(gateway, "parley_swept_total", kind="content") == 2, "contents go")
        nodes = client.get(f"/v1/conversations/{first}/tree").ok().json["data"]
        assert len(nodes) == 2 and all(node["removed"] for node in nodes)
        after = client.get(f"/v1/runs/{run}").ok().json
        assert {k: after[k] for k in ("id", "usage", "created_at", "status")} == \
            {k: before[k] for k in ("id", "usage", "created_at", "status")}
        line = next(c for c in client.get("/v1/conversations").ok().json["data"] if c["id"] == first)
        assert (line["excerpt"], line["message_count"], line.get("title")) == ("", 0, None)
        assert "held" in str(client.get(f"/v1/conversations/{held}/items").ok().json)
        assert not any(indexed(client, words[:2]))
        if ENGINE == "sqlite":
            assert_gone(gateway, words[:2])
        again = client.post("/v1/chat", {"messages": [words[2]], "conversation": first, "config": {"model": "echo"}})
        assert words[2] in str(again.ok().json) and words[0] not in str(again.json)


def test_what_a_request_has_said_goes_with_the_contents(start, script):
    """Instructions, tools and formats go from the runs; a response that has failed is read nevertheless."""
    gateway = start(usual={"content_keep": "1s"})
    words = [rare() for _ in range(4)]
    tool = {"type": "function", "name": "f", "description": words[1], "parameters": {"type": "object", "properties": {}}}
    body = {"model": "echo", "input": "hi", "instructions": f"be {words[0]}", "tools": [tool]}
    form = {"type": "json_schema", "name": "n", "schema": {"type": "object", "properties": {}, "description": words[2]}}
    with Client(gateway.url) as client:
        done = client.post("/v1/responses", body).ok().json["id"]
        before = client.post("/v1/responses", {**body, "model": script(up.reply({"error": {"message": "no"}}, 400)).model, "background": True,
                                               "text": {"format": form}}).ok().json
        assert words[0] in before["instructions"] and words[2] in str(before["text"])
        completion = client.post("/v1/chat/completions", {
            "model": "echo", "store": True, "user": words[3], "messages": [{"role": "user", "content": "hi"}]}).ok().json["id"]
        told = "SELECT count(*) FROM run WHERE settings IS NOT NULL"
        wait_until(lambda: int(gateway.rows(told)[0][0]) == 0, "the settings go")
        wait_until(lambda: client.get(f"/v1/responses/{done}").status == 404, "the answer goes")
        wait_until(lambda: client.get(f"/v1/chat/completions/{completion}").status == 404, "likewise")
        after = client.get(f"/v1/responses/{before['id']}").ok().json
        responses.check(after)
        assert (after["status"], after["model"], after["instructions"]) == ("failed", before["model"], None)
        assert not any(word in str(after) for word in words)
        if ENGINE == "sqlite":
            assert_gone(gateway, words)


def test_a_title_by_a_model_goes_with_the_contents(start):
    gateway = start(usual={"title_model": "echo"})
    words = [rare() for _ in range(2)]
    with Client(gateway.url) as client:
        first, named = talk(client, words[0]), talk(client, "hi")
        client.post(f"/v1/conversations/{named}", {"title": f"on {words[1]}"}).ok()
        wait_until(lambda: shown(client, first)["title_source"] == "model", "the title")
        wait_until(lambda: all(indexed(client, words)), "they are in the index")
    gateway.stop()
    gateway.write_config(gateway.config_file.read_text() + "content_keep: 1s\n")
    with Client(gateway.start().url) as client:
        wait_until(lambda: metric(gateway, "parley_swept_total", kind="content") == 4, "contents go")
        lines = {c["id"]: c for c in client.get("/v1/conversations").ok().json["data"]}
        assert lines[first].get("title_source", "words") == "words" and words[0] not in str(lines)
        assert lines[named]["title"] == f"on {words[1]}"
        wait_until(lambda: [bool(found) for found in indexed(client, words)] == [False, True], "the index forgets it")
        if ENGINE == "sqlite":
            assert_gone(gateway, words[:1])


CLOCK = r"""
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The wall clock is ahead by the seconds that a file has. */
static volatile const int64_t *ahead;

__attribute__((constructor)) static void clock_init(void)
{
	int fd = open(getenv("CLOCK_AHEAD"), O_RDONLY);

	ahead = mmap(0, sizeof *ahead, PROT_READ, MAP_SHARED, fd, 0);
}

int clock_gettime(clockid_t id, struct timespec *ret)
{
	int rc = (int)syscall(SYS_clock_gettime, id, ret);

	if (id == CLOCK_REALTIME)
		ret->tv_sec += *ahead;
	return rc;
}
"""


@pytest.mark.sqlite
def test_a_clock_that_is_set_back_holds_nothing_up(start, tmp_path):
    (tmp_path / "clock.c").write_text(CLOCK)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", tmp_path / "clock.so", tmp_path / "clock.c"], check=True, timeout=60)
    clock = tmp_path / "ahead"
    clock.write_bytes(bytes(8))

    def go(seconds):
        with clock.open("r+b") as f:
            f.write(seconds.to_bytes(8, "little"))

    gateway = start(usual={"conversations_keep": "1m", "pins": True},
                    env={"LD_PRELOAD": str(tmp_path / "clock.so"), "CLOCK_AHEAD": str(clock)})
    with Client(gateway.url) as client:
        talk(client, "goes")
        held = talk(client, "held", metadata={"keep": "true"})
        go(86_400)
        wait_until(lambda: gateway.rows("SELECT count(*) FROM conversation") == [(1,)], "what is not held goes", deadline=60)
        go(3600)
        client.post(f"/v1/conversations/{held}", {"metadata": {}}).ok()
        wait_gone(client, held)


def swept(gateway, *args):
    done = gw.run("sweep", *args, "--config", gateway.config_file)
    assert done.returncode == 0, done
    return done.stdout


def test_the_command_tells_what_goes_and_removes_it(start):
    """Beside a gateway, the command only counts; a conversation that nothing ends is not counted."""
    gateway = start(usual={})
    with Client(gateway.url) as client:
        for text in ("one", "two"):
            talk(client, text, metadata={"keep": "true"} if text == "one" else {})
        upload(client, b"hello").ok()
        alter(gateway, "UPDATE file SET expires_ms = 9000000000000")
        assert swept(gateway, "--dry-run").startswith("would be removed: 0 conversations")
    gateway.stop()
    text = gateway.config_file.read_text()
    gateway.write_config(text + "conversations_keep: 1s\npins: true\n")
    alter(gateway, "UPDATE file SET expires_ms = 1")
    time.sleep(max(0, 1.1 - (time.time() - gateway.config_file.stat().st_mtime)))
    told = "1 conversations with 1 runs and 2 messages, the contents of 0 other messages, 1 files\n"
    assert swept(gateway, "--dry-run") == f"would be removed: {told}"
    assert swept(gateway) == f"removed: {told}"
    assert swept(gateway, "--dry-run").startswith("would be removed: 0 conversations")
    assert [int(n) for n in gateway.rows("SELECT (SELECT count(*) FROM message), (SELECT count(*) FROM file)")[0]] == [2, 0]
    with Client(gateway.start().url) as client:
        assert len(client.get("/v1/conversations").ok().json["data"]) == 1


@pytest.mark.sqlite
@pytest.mark.parametrize("index", ["filled", "none"])
def test_what_the_command_has_removed_is_in_no_file(start, index):
    """No gateway runs that could take it out of the search index and its queue; what stays is still found afterwards."""
    gateway = start(usual={})
    words = [rare() for _ in range(4)]
    with Client(gateway.url) as client:
        stays = talk(client, words[3], metadata={"keep": "true"})
        for word in words[:2]:
            talk(client, word)
        titled = talk(client, "hi")
        client.post(f"/v1/conversations/{titled}", {"title": f"on {words[2]}"}).ok()
        wait_until(lambda: all(indexed(client, words)), "they are in the index")
    gateway.stop()
    gateway.write_config(gateway.config_file.read_text() + "conversations_keep: 1s\npins: true\n")
    if index == "none":
        gateway.database.with_name(gateway.database.name + ".search").unlink()
    time.sleep(1.1)
    assert swept(gateway).startswith("removed: 3 conversations")
    assert not holders(gateway, words[:3]) and holders(gateway, words[3:])
    assert gateway.rows("SELECT count(*) FROM search_queue WHERE text IS NOT NULL") == [(0,)]
    with Client(gateway.start().url) as client:
        wait_until(lambda: indexed(client, words[3:])[0], "what stays is found")
        assert not any(indexed(client, words[:3])) and shown(client, stays)


@pytest.mark.sqlite
def test_the_oldest_inactive_conversations_go_when_there_is_too_much(start):
    """What is active or held stays, however old it is; and no more goes than must."""
    gateway = start(usual={"store_keep_size": "4MiB", "pins": True})
    with Client(gateway.url) as client:
        held, active = talk(client, "held", metadata={"keep": "true"}), talk(client, "active")
        old = [talk(client, "some words " * 10_000) for _ in range(24)]
        talk(client, "again", conversation=active)
        wait_until(lambda: is_gone(client, old[0]), "the oldest goes", deadline=60)
        wait_until(lambda: gateway.rows("SELECT count(*) FROM swept WHERE rest = 1") == [(0,)], "its turns go")
        left = {c["id"] for c in client.get("/v1/conversations?limit=100").ok().json["data"]}
        assert {held, active, *old[-4:]} <= left
        assert left & set(old) == set(old[len(old) + 2 - len(left):]), "the newest are left"
