"""Contents of uploaded files in a bucket: files_s3."""

import contextlib
import json
import os
import socket
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from bucket import NAME, PREFIX, Bucket, Held, Trickle, is_object
from client import Client
from gateway import CANARY, ENGINE, run
from postgres import Pooler
from secure import certificate
from waiting import DEADLINE, wait_until

EX_TEMPFAIL, EX_CONFIG = 75, 78
pytestmark = pytest.mark.skipif(ENGINE != "sqlite", reason="has its server with either engine")
BIG = os.urandom(1 << 20) * 3
NO_FILES = "SELECT (SELECT count(*) FROM content) + (SELECT count(*) FROM content_object)"
SWEEP = ("UPDATE content_object SET after = now() - interval '1 s'",
         "UPDATE content SET touched = now() - interval '2 h'")


@pytest.fixture(scope="module")
def the_bucket():
    one = Bucket()
    yield one
    one.close()


@pytest.fixture
def bucket(the_bucket):
    the_bucket.reset()
    return the_bucket


@pytest.fixture
def join(server, database, start, bucket):
    """join(option=...): one more gateway with the bucket, and with the same database."""
    def make(env=None, **more):
        return start(usual={"database": server.url(database), **bucket.options, **more},
                     env={**bucket.env, **(env or {})})
    return make


@pytest.fixture
def ask(server, database):
    return lambda sql: server.number(sql, database)


@pytest.fixture
def sweep(server, database):
    """As if hours had passed."""
    return lambda: [server.sql(sql, database) for sql in SWEEP]


def post(client, content):
    return client.http.post("/v1/files", files={"file": ("a.bin", content)}, data={"purpose": "user_data"})


def upload(client, content):
    reply = post(client, content)
    assert reply.status_code == 200, reply.text
    return reply.json()["id"]


def download(client, id):
    return client.get(f"/v1/files/{id}/content")


def refused(reply, *words):
    """503, without anything secret."""
    assert reply.status_code == 503 and reply.headers["retry-after"], reply.text
    error = reply.json()["error"]
    assert error["code"] == "storage_unavailable"
    assert all(word in error["message"] for word in words), error
    assert CANARY not in reply.text and "http" not in error["message"] and "Signature=" not in reply.text


def gone(bucket, ask):
    wait_until(lambda: bucket.objects == [] and ask(NO_FILES) == 0, "nothing is left")


def test_there_and_back(join, bucket, ask):
    with Client(join().url) as client:
        ids = [upload(client, BIG), upload(client, BIG), upload(client, b"")]
        assert bucket.count("PUT") == 2 and len(bucket.objects) == 2
        assert is_object(bucket.objects[0], BIG) and is_object(bucket.objects[1], b"")
        assert ask("SELECT count(*) FROM content WHERE place <> 0 AND used = 1") == 2
        assert ask("SELECT count(*) FROM content_part") == ask("SELECT count(*) FROM content_object") == 0
        assert [download(client, id).ok().body for id in ids] == [BIG, BIG, b""]
        client.request("DELETE", f"/v1/files/{ids[0]}").ok()
        assert download(client, ids[1]).ok().body == BIG
        for id in ids[1:]:
            client.request("DELETE", f"/v1/files/{id}").ok()
        gone(bucket, ask)


def test_behind_a_pooler_of_transactions(server, database, join, bucket, ask):
    with Pooler(server, "transaction", server_reset_query_always=1) as pool:
        gateway = join(database=pool.url(database))
        with Client(gateway.url) as client:
            ids = [upload(client, BIG), upload(client, BIG)]
            assert [download(client, id).ok().body for id in ids] == [BIG, BIG]
            for id in ids:
                client.request("DELETE", f"/v1/files/{id}").ok()
            gone(bucket, ask)
        gateway.stop()


def test_the_signature_is_checked_by_others(join, bucket, ask, sweep):
    elsewhere = {"files_s3": f"http://127.0.0.1:{bucket.port}/{NAME}/other"}
    for more, word in (({"env": {"AWS_SECRET_ACCESS_KEY": f"{CANARY}x"}}, "403 SignatureDoesNotMatch"),
                       ({"env": {"AWS_ACCESS_KEY_ID": f"{CANARY}y"}}, "403 InvalidAccessKeyId"),
                       (elsewhere, "403 AccessDenied")):
        gateway = join(**more)
        with Client(gateway.url) as client:
            refused(post(client, b"content"), word)
        gateway.stop()
    assert bucket.objects == [] and ask("SELECT count(*) FROM content") == 0
    join()
    sweep()
    gone(bucket, ask)


def test_a_bucket_with_a_host_of_its_own(join, bucket, ask):
    """As Amazon has them.  libcurl knows that what ends in .localhost is here."""
    gateway = join(files_s3=f"http://{NAME}.localhost:{bucket.port}/{PREFIX}")
    with Client(gateway.url) as client:
        id = upload(client, BIG)
        assert is_object(bucket.objects[0], BIG) and len(bucket.objects) == 1
        assert download(client, id).ok().body == BIG
        client.request("DELETE", f"/v1/files/{id}").ok()
        gone(bucket, ask)


def test_temporary_keys(join, bucket):
    gateway = join(env=bucket.lent)
    with Client(gateway.url) as client:
        id = upload(client, b"content")
        assert download(client, id).ok().body == b"content"
        client.request("DELETE", f"/v1/files/{id}").ok()
        wait_until(lambda: bucket.objects == [], "no object")
    assert CANARY.encode() not in Path(f"/proc/{gateway.process.pid}/environ").read_bytes()
    with Client(join(env={**bucket.lent, "AWS_SESSION_TOKEN": f"{CANARY}z"}).url) as client:
        refused(post(client, b"content"), "InvalidToken")


def test_the_bucket_is_away(join, bucket, ask, sweep):
    with Client(join().url) as client:
        ids = [upload(client, BIG), upload(client, b"other")]
        bucket.stop()
        refused(post(client, b"new"), "can't be reached")
        refused(client.http.get(f"/v1/files/{ids[0]}/content"), "can't be reached")
        upload(client, BIG)  # which is there
        client.request("DELETE", f"/v1/files/{ids[1]}").ok()
        client.get("/readyz").ok()
        bucket.start()
        assert download(client, ids[0]).ok().body == BIG
        upload(client, b"new")
        sweep()
        wait_until(lambda: len(bucket.objects) == 2, "the deleted file's object is gone")
        assert ask("SELECT count(*) FROM content WHERE used = 1") == 2


@pytest.mark.parametrize("change, words", [
    (lambda b: b.overwrite(BIG[:-1] + b"x"), ["not the one that was stored"]),
    (lambda b: b.overwrite(BIG[:-1]), ["not the one that was stored"]),
    (lambda b: b.overwrite(BIG + b"x"), ["not the one that was stored"]),
    (Bucket.clear, ["404 NoSuchKey"]),
    (lambda b: setattr(b, "fault", lambda *_: (403, b"<Code>a\r\nb</Code>" * 100_000)), ["refused a request: 403"]),
    (lambda b: setattr(b, "fault", lambda *_: (302, b"<Code>http://x</Code>")), ["refused a request: 302"]),
    (lambda b: setattr(b, "fault", lambda *_: (503, b"<Error><Code>SlowDown</Code>")), ["503 SlowDown"]),
], ids=["other", "short", "long", "missing", "endless", "moved", "slow"])
def test_nothing_wrong_is_sent_on(join, bucket, change, words):
    with Client(join().url) as client:
        id = upload(client, BIG)
        change(bucket)
        refused(client.http.get(f"/v1/files/{id}/content"), *words)


def test_a_failure_that_passes_is_not_seen(join, bucket):
    failed = []

    def fault(method, pass_on):
        if method in failed:
            return None
        failed.append(method)
        if method == "PUT":
            return 500, b""
        status, body = pass_on()
        return status, body[:len(body) // 2], len(body)
    with Client(join().url) as client:
        bucket.fault = fault
        id = upload(client, BIG)
        assert download(client, id).ok().body == BIG
        assert failed == ["PUT", "GET"] and bucket.count("PUT") == bucket.count("GET") == 2


@pytest.mark.long
def test_a_bucket_that_stalls(join, bucket):
    gateway = join()
    with Client(gateway.url) as client, Client(gateway.url) as other:
        id = upload(client, BIG)
        stalls = threading.Event()
        bucket.fault = lambda *_: (stalls.wait(60), None)[1]
        with ThreadPoolExecutor() as pool:
            sent = pool.submit(post, other, b"new")
            refused(client.http.get(f"/v1/files/{id}/content", timeout=60), "no answer came in time")
            refused(sent.result(), "no answer came in time")
        stalls.set()


@pytest.fixture
def trickle(bucket):
    one = Trickle(bucket)
    yield one
    one.end.set()


def ask_for(gateway, id):
    """A client that asks for a file's content: its connection."""
    one = socket.create_connection((gateway.host, gateway.port), DEADLINE)
    one.sendall(f"GET /v1/files/{id}/content HTTP/1.1\r\nHost: {gateway.host}\r\n\r\n".encode())
    return one


def test_clients_that_left_hold_nothing(join, bucket, trickle):
    gateway = join()
    with Client(gateway.url) as client:
        id = upload(client, BIG)
        asked = [ask_for(gateway, id) for _ in range(16)]  # all threads of the gateway
        wait_until(lambda: trickle.readers == len(asked), "all requests at the bucket")
        for one in asked:
            one.close()
        upload(client, b"other")
        wait_until(lambda: trickle.readers == 0, "no request at the bucket")


def ask_about(gateway, id):
    """A client that asks a model about a file: its connection."""
    body = json.dumps({"config": {"model": "echo"}, "on_disconnect": "cancel", "messages": [
        {"role": "user", "content": "?", "context": {"files": [{"uuid": id}]}}]}).encode()
    one = socket.create_connection((gateway.host, gateway.port), DEADLINE)
    one.sendall(f"POST /v1/chat HTTP/1.1\r\nHost: {gateway.host}\r\nContent-Type: application/json\r\n"
                f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
    return one


def test_a_chat_that_its_client_has_left_reads_no_file(join, bucket, trickle):
    gateway = join()
    with Client(gateway.url) as client:
        id = upload(client, b'word ' * 500_000)
        with ask_about(gateway, id):
            wait_until(lambda: trickle.readers == 1, "the request at the bucket")
        wait_until(lambda: trickle.readers == 0, "no request at the bucket")
        assert client.get("/livez").ok()


def test_a_drain_ends_a_chat_that_reads_a_file(join, bucket, trickle):
    gateway = join(drain_timeout="1s")
    with Client(gateway.url) as client:
        id = upload(client, b'word ' * 500_000)
        with ask_about(gateway, id):
            wait_until(lambda: trickle.readers == 1, "the request at the bucket")
            gateway.stop()


def test_a_drain_ends_requests_to_the_bucket(join, bucket, trickle):
    gateway = join(drain_timeout="1s")
    with Client(gateway.url) as client:
        id = upload(client, BIG)
        with ask_for(gateway, id):
            wait_until(lambda: trickle.readers == 1, "the request at the bucket")
            gateway.stop()


@pytest.fixture
def secure(bucket, tmp_path):
    """The bucket speaks TLS; its certificate."""
    def again(pem):
        bucket.stop()
        bucket.secure = pem
        bucket.start()
    again(certificate(tmp_path))
    yield bucket.secure
    again(None)


def test_a_bucket_behind_tls(join, bucket, secure):
    gateway = join(files_s3_ca=str(secure))
    with Client(gateway.url) as client:
        id = upload(client, BIG)
        assert download(client, id).ok().body == BIG
        client.request("DELETE", f"/v1/files/{id}").ok()
        wait_until(lambda: bucket.objects == [], "the object is gone")
    assert not [line for line in gateway.lines if "files_s3 is http" in line]


def test_what_comes_behind_an_answer_is_not_the_answer_to_the_next_request(join, bucket, secure):
    """A put that is refused must not be told that the one before it went well."""
    gateway = join(files_s3_ca=str(secure))
    bucket.surplus = True
    with Client(gateway.url) as client:
        id = upload(client, BIG)
        bucket.fault = lambda method, _: (403, b"<Error><Code>AccessDenied</Code></Error>")
        refused(post(client, b"another"), "AccessDenied")
        bucket.fault = None
        assert download(client, id).ok().body == BIG


def test_a_certificate_that_nobody_has_signed_gets_no_content(join, bucket, secure):
    gateway = join()
    with Client(gateway.url) as client:
        reply = post(client, BIG)
        assert reply.status_code == 503 and reply.json()["error"]["code"] == "storage_unavailable", reply.text
        wait_until(lambda: any("certificate" in line for line in gateway.lines), "why, for the operator")
        post(client, BIG)
        assert len([line for line in gateway.lines if "certificate" in line]) == 1
    assert bucket.seen == []


def test_gateways_with_and_without(join, start, server, database, bucket, ask):
    url = server.url(database)
    with Client(join().url) as one, Client(start(usual={"database": url}).url) as other:
        far, near = upload(one, b"far"), upload(other, b"near")
        assert download(one, near).ok().body == b"near"
        refused(other.http.get(f"/v1/files/{far}/content"), "this gateway knows none")
        assert len(bucket.objects) == 1
        # The bucket is to be given up: what is there is still read, and removed.
        with Client(join(files_s3_write=False).url) as third:
            new = upload(third, b"new")
            assert [download(third, id).ok().body for id in (far, near, new)] == [b"far", b"near", b"new"]
            assert ask("SELECT count(*) FROM content WHERE place = 0") == 2
            assert download(other, new).ok().body == b"new"
            other.request("DELETE", f"/v1/files/{far}").ok()
            wait_until(lambda: bucket.objects == [], "the object is gone")


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_gateway_that_is_killed_while_it_puts(join, bucket, ask, sweep, server, database, after):
    one = join()
    held = Held(bucket, "PUT", after)
    with Client(one.url) as client, ThreadPoolExecutor() as pool:
        sent = pool.submit(post, client, BIG)
        held.wait()
        one.kill()
        assert isinstance(sent.exception(), httpx.TransportError)
    server.lapse(database)
    held.go.set()
    wait_until(lambda: len(bucket.objects) == 1, "the object")
    assert ask("SELECT count(*) FROM content") == 0
    assert ask("SELECT count(*) FROM content_object WHERE gone = 0 AND after > now()") == 1
    with Client(join().url) as client:
        assert client.get("/v1/files").ok().json["data"] == []
        assert len(bucket.objects) == 1
        sweep()
        gone(bucket, ask)


def test_a_late_removal_does_not_meet_a_new_upload(join, bucket, ask):
    with Client(join().url) as one, Client(join().url) as other:
        first = upload(one, BIG)
        held = Held(bucket, "DELETE")
        one.request("DELETE", f"/v1/files/{first}").ok()
        held.wait()
        second = upload(other, BIG)
        assert len(bucket.objects) == 2
        held.go.set()
        wait_until(lambda: len(bucket.objects) == 1, "the first object is gone")
        assert download(one, second).ok().body == BIG


def test_the_same_content_twice_at_once(join, bucket, ask):
    with Client(join().url) as one, Client(join().url) as other, ThreadPoolExecutor() as pool:
        held = Held(bucket, "PUT")
        sent = [pool.submit(upload, client, BIG) for client in (one, other)]
        held.wait(2)
        held.go.set()
        ids = [one.result() for one in sent]
        wait_until(lambda: len(bucket.objects) == 1 and ask("SELECT count(*) FROM content_object") == 0,
                   "one object")
        assert all(download(one, id).ok().body == BIG for id in ids)


def test_slow_uploads_do_not_hold_up_others(join, bucket):
    with Client(join().url) as client, ThreadPoolExecutor() as pool:
        id = upload(client, BIG)
        held = Held(bucket, "PUT")
        sent = [pool.submit(upload, client, f"slow {n}".encode()) for n in range(4)]
        held.wait(4)
        assert download(client, id).ok().body == BIG
        held.go.set()
        assert len({one.result() for one in sent}) == 4


def test_many_uploads_take_few_connections(join, server, database, ask):
    sessions = (f"SELECT count(*) FROM pg_stat_activity WHERE datname = '{database}' "
                "AND application_name <> 'psql'")
    stuck = sessions + " AND wait_event_type = 'Lock' AND query LIKE 'INSERT INTO content (%'"
    with Client(join(files_s3_write=False).url) as client, ThreadPoolExecutor(14) as pool:
        with server.holding("LOCK TABLE content IN EXCLUSIVE MODE", database):
            sent = [pool.submit(upload, client, f"content {n}".encode()) for n in range(14)]
            wait_until(lambda: ask(stuck) >= 2, "two uploads that wait for the table")
            assert ask(sessions) <= 8 and ask(stuck) == 2
        assert len({one.result() for one in sent}) == 14


@pytest.mark.parametrize("removed", [False, True], ids=["being removed", "removed"])
def test_an_upload_that_ends_after_its_hour(join, bucket, ask, sweep, removed):
    with Client(join().url) as client, ThreadPoolExecutor() as pool:
        removal, put = Held(bucket, "DELETE"), Held(bucket, "PUT")
        bucket.fault = lambda *asked: removal(*asked) or put(*asked)
        sent = pool.submit(post, client, BIG)
        put.wait()
        sweep()
        removal.wait()
        if removed:
            removal.go.set()
            wait_until(lambda: ask("SELECT count(*) FROM content_object") == 0, "the object is removed")
        put.go.set()
        refused(sent.result(), "too late")
        assert ask("SELECT count(*) FROM content") == 0
        removal.go.set()
        gone(bucket, ask)


def test_an_object_that_stays_keeps_no_others(join, bucket, ask, sweep):
    gateway = join()
    stays = []

    def refuse(method, pass_on):
        """What a server says that is not the bucket's."""
        path = pass_on.__self__.path
        if method == "DELETE" and (not stays or path in stays):
            stays.append(path)
            return 404, b"<html>Not Found</html>"
        return None
    with Client(gateway.url) as client:
        ids = [upload(client, f"content {n}".encode()) for n in range(4)]
        bucket.stop()
        for id in ids[:3]:
            client.request("DELETE", f"/v1/files/{id}").ok()
        gateway.wait_log("can't be removed yet: .* can't be reached")
        bucket.fault = refuse
        bucket.start()
        sweep()
        wait_until(lambda: len(bucket.objects) == 2, "only one of the three is left")
        client.request("DELETE", f"/v1/files/{ids[3]}").ok()
        wait_until(lambda: len(bucket.objects) == 1, "the fourth is removed")
        sweep()
        wait_until(lambda: len(stays) == 2, "another try")
        bucket.fault = None
        sweep()
        gone(bucket, ask)
        gateway.stop()
    assert len([line for line in gateway.lines if "refused a request: 404" in line]) == 1


def test_copies(join, start, server, database, bucket, tmp_path, ask):
    near = start(usual={"database": str(tmp_path / "near.db")})
    with Client(near.url) as client:
        ids = [upload(client, BIG), upload(client, b"small")]
    near.stop()
    config = tmp_path / "copy.yaml"
    config.write_text(f"database: {server.url(database)}\nfiles_s3: {bucket.options['files_s3']}\n"
                      "files_s3_region: eu-central-1\n")

    def copy(source, target, *args):
        return run("copy", source, target, *args, env=bucket.env)
    there = copy(tmp_path / "near.db", server.url(database), "--config", config)
    assert there.returncode == 0 and "2 files" in there.stdout, there
    assert len(bucket.objects) == 2 and ask("SELECT count(*) FROM content_part") == 0
    without = copy(server.url(database), tmp_path / "x.db")
    assert without.returncode != 0 and "this gateway knows none" in without.stderr
    bucket.stop()
    away = copy(server.url(database), tmp_path / "y.db", "--config", config)
    assert away.returncode == EX_TEMPFAIL and "can't be reached" in away.stderr
    bucket.start()
    back = copy(server.url(database), tmp_path / "back.db", "--config", config)
    assert back.returncode == 0 and not back.stderr, back
    # The configured database is not the one that counts here.
    flags = ["--files-s3", bucket.options["files_s3"], "--files-s3-region", "eu-central-1"]
    again = copy(server.url(database), server.url(server.create()), *flags)
    assert again.returncode == 0 and "2 files" in again.stdout and len(bucket.objects) == 4, again
    keyless = run("copy", server.url(database), tmp_path / "z.db", *flags)
    assert keyless.returncode == EX_CONFIG and "needs AWS_ACCESS_KEY_ID" in keyless.stderr, keyless
    with contextlib.closing(sqlite3.connect(tmp_path / "back.db")) as db:
        assert db.execute("SELECT count(*) FROM file").fetchone() == (2,)
    with Client(join().url) as client:
        assert [download(client, id).ok().body for id in ids] == [BIG, b"small"]
    with Client(start(usual={"database": str(tmp_path / "back.db")}).url) as client:
        assert [download(client, id).ok().body for id in ids] == [BIG, b"small"]


@pytest.mark.parametrize("options, env, said", [
    ({}, {"AWS_ACCESS_KEY_ID": ""}, "needs AWS_ACCESS_KEY_ID"),
    ({"database": "x.db"}, {}, "needs a PostgreSQL database"),
    ({"max_file": "6GiB"}, {}, "lower max_file"),
    ({"files_s3_region": "eu central"}, {}, "files_s3_region: a region is"),
    ({"files_s3_region": "eu central", "files_s3": ""}, {}, "files_s3_region: a region is"),
    ({"files_s3_ca": "/no/such.pem"}, {}, "files_s3_ca: '/no/such.pem' can't be read"),
    *[({"files_s3": url}, {}, "files_s3: a bucket is https://") for url in (
        "bucket", "s3://bucket", "ftp://h/bucket", f"https://key:{CANARY}@h/bucket", "https://h/b?x=1",
        "https://h/b#x", "https://h/a b", "https://h/.b", "https://h//b", "https:///b", "https://h/%41")],
])
def test_options_that_make_no_sense(tmp_path, options, env, said):
    lines = {"database": "postgres:///x", "files_s3": "https://b.s3.eu-central-1.amazonaws.com/p", **options}
    file = tmp_path / "p.yaml"
    file.write_text("".join(f"{name}: '{value}'\n" for name, value in lines.items()))
    keys = {"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": CANARY, **env}
    done = run("serve", "--check-config", "--config", file, env=keys)
    assert done.returncode == EX_CONFIG and said in done.stderr, done
    assert CANARY not in done.stdout + done.stderr


def test_commands_without_the_bucket_need_no_keys(server, database, tmp_path):
    file = tmp_path / "p.yaml"
    file.write_text(f"database: {server.url(database)}\nfiles_s3: https://b.s3.eu-central-1.amazonaws.com/p\n")
    for command in (["migrate"], ["keys", "list"], ["export"]):
        done = run(*command, "--config", file)
        assert done.returncode == 0, done
    done = run("serve", "--config", file)
    assert done.returncode == EX_CONFIG and "needs AWS_ACCESS_KEY_ID" in done.stderr, done


def test_options_that_are_right(tmp_path):
    done = run("serve", "--check-config", "--database", "postgres:///x", "--files-s3", "https://h.example/bucket/a-b_c.d/",
               env={"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": CANARY})
    assert done.returncode == 0 and CANARY not in done.stdout + done.stderr, done
