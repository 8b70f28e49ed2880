"""Uploaded files: /v1/files, and what lies on the disk for them."""

import contextlib
import hashlib
import os
import signal
import sqlite3
import time
import uuid

import pytest

from client import Client
from gateway import sanitized
from raw import Raw
from waiting import wait_until

BOUNDARY = "x-boundary-7"
MISSING = "file-00064217-c0a1-f444-9b1c-4e7a2d8f3b64"


def part(name, content, filename=None, type=None, more=b""):
    head = f'Content-Disposition: form-data; name="{name}"'.encode()
    if filename is not None:
        head += b'; filename="' + (filename if isinstance(filename, bytes)
                                   else filename.encode()) + b'"'
    if type is not None:
        head += f"\r\nContent-Type: {type}".encode()
    return (b"--" + BOUNDARY.encode() + b"\r\n" + head + b"\r\n" + more + b"\r\n" + content + b"\r\n")


END = f"--{BOUNDARY}--\r\n".encode()
FORM = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}


def form(content=b"hello", filename="a.txt", type="text/plain", purpose="user_data"):
    return part("purpose", purpose.encode()) + part("file", content, filename, type) + END


def upload(client, *args, headers=None, **fields):
    return client.post("/v1/files", form(*args, **fields), headers={**FORM, **(headers or {})})


def folder(gateway):
    return gateway.database.parent / (gateway.database.name + ".files")


def on_disk(gateway):
    """Every file below the folder of contents."""
    return sorted(p for p in folder(gateway).rglob("*") if p.is_file())


def place(gateway, content):
    name = hashlib.sha256(content).hexdigest()
    return folder(gateway) / name[:2] / name[2:4] / name


def test_there_and_back(start):
    gateway = start()
    content = bytes(range(256)) * 3000
    with Client(gateway.url) as client:
        file = upload(client, content, "bytes.bin", "image/x-odd; a=b").ok().json
        assert file["bytes"] == len(content) and file["filename"] == "bytes.bin"
        assert file["purpose"] == "user_data" and abs(file["created_at"] - time.time()) < 60
        assert str(uuid.UUID(file["id"].removeprefix("file-"))) == file["id"].removeprefix("file-")
        assert client.get(f"/v1/files/{file['id']}").ok().json == file
        reply = client.get(f"/v1/files/{file['id']}/content").ok()
        assert reply.body == content
        assert reply.headers["content-type"] == "image/x-odd"
        assert reply.headers["content-length"] == str(len(content))
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert "sandbox" in reply.headers["content-security-policy"]
        assert reply.headers["content-disposition"] == (
            "attachment; filename=\"bytes.bin\"; filename*=UTF-8''bytes.bin")
        head = client.http.head(f"/v1/files/{file['id']}/content")
        assert head.status_code == 200 and head.headers["content-length"] == str(len(content))
        assert on_disk(gateway) == [place(gateway, content)]
        assert folder(gateway).stat().st_mode & 0o777 == 0o700
        assert place(gateway, content).stat().st_mode & 0o777 == 0o600
        assert client.request("DELETE", f"/v1/files/{file['id']}").ok().json == {
            "id": file["id"], "object": "file", "deleted": True}
        client.get(f"/v1/files/{file['id']}").error(404, "not_found")
        client.get(f"/v1/files/{file['id']}/content").error(404, "not_found")
        client.request("DELETE", f"/v1/files/{file['id']}").error(404, "not_found")
    assert on_disk(gateway) == []


def test_equal_contents_are_kept_once_and_go_with_the_last(start):
    gateway = start()
    with Client(gateway.url) as client:
        ids = [upload(client, b"the same", f"{i}.txt").ok().json["id"] for i in range(3)]
        assert len(set(ids)) == 3
        for i, id in enumerate(ids):
            assert on_disk(gateway) == [place(gateway, b"the same")]
            assert client.get(f"/v1/files/{id}/content").ok().body == b"the same"
            client.request("DELETE", f"/v1/files/{id}").ok()
        assert on_disk(gateway) == []
        again = upload(client, b"the same").ok().json["id"]
        assert client.get(f"/v1/files/{again}/content").ok().body == b"the same"


def test_an_empty_file(client):
    file = upload(client, b"").ok().json
    assert file["bytes"] == 0
    assert client.get(f"/v1/files/{file['id']}/content").ok().body == b""


def test_list(start):
    gateway = start()
    with Client(gateway.url) as client:
        assert client.get("/v1/files").ok().json == {
            "object": "list", "data": [], "first_id": None, "last_id": None, "has_more": False}
        ids = [upload(client, str(i).encode(), purpose=("batch", "evals")[i % 2]).ok().json["id"]
               for i in range(7)]

        def walk(query):
            seen, after = [], ""
            while True:
                page = client.get(f"/v1/files?limit=2&{query}{after}").ok().json
                seen += [f["id"] for f in page["data"]]
                if not page["has_more"]:
                    return seen
                assert page["last_id"] == seen[-1] and len(page["data"]) == 2
                after = f"&after={page['last_id']}"
        assert walk("") == walk("order=desc") == ids[::-1]
        assert walk("order=asc") == ids
        assert walk("purpose=batch&order=asc") == ids[::2]
        assert len(client.get("/v1/files?limit=10000").ok().json["data"]) == 7
        for query, param in [("limit=0", "limit"), ("limit=10001", "limit"), ("limit=x", "limit"),
                             ("order=up", "order"), ("purpose=fun", "purpose"),
                             ("after=file-1", "after"), (f"after={MISSING}", "after")]:
            client.get(f"/v1/files?{query}").error(400, "invalid_value", param)


@pytest.mark.parametrize("sent, kept", [
    ("../../etc/passwd", "passwd"),
    (r"C:\\dir\\a.txt", "a.txt"),
    (r"C:\dir\b.txt", "b.txt"),
    ("a/", "file"),
    ("..", "file"),
    ("", "file"),
    ("/", "file"),
    (r'say \"hi\".txt', 'say "hi".txt'),
    ("naïve 日本.txt", "naïve 日本.txt"),
    ("x" * 254 + "é.txt", "x" * 254),
    ("%2e%2e%2fa.txt", "%2e%2e%2fa.txt"),
])
def test_a_name_is_a_label(client, sent, kept):
    file = upload(client, b"1", sent).ok().json
    assert file["filename"] == kept
    shown = client.get(f"/v1/files/{file['id']}/content").ok().headers["content-disposition"]
    assert shown.startswith("attachment; ") and shown.isascii() and shown.count('"') == 2
    client.request("DELETE", f"/v1/files/{file['id']}").ok()


@pytest.mark.parametrize("sent, kept", [
    ("text/html; charset=utf-8", "text/html"),
    ("nonsense", "application/octet-stream"),
    ("a/b/c", "application/octet-stream"),
    ("text/" + "x" * 200, "application/octet-stream"),
    (None, "application/octet-stream"),
])
def test_media_types(client, sent, kept):
    file = upload(client, b"<script>", "a.html", sent).ok().json
    reply = client.get(f"/v1/files/{file['id']}/content").ok()
    assert reply.headers["content-type"] == kept
    assert reply.headers["x-content-type-options"] == "nosniff"


PURPOSE = part("purpose", b"batch")
FILE = part("file", b"hello", "a.txt")


@pytest.mark.parametrize("body, code, param", [
    (b"", "invalid_value", None),
    (END, "missing_required_parameter", "file"),
    (PURPOSE + END, "missing_required_parameter", "file"),
    (FILE + END, "missing_required_parameter", "purpose"),
    (PURPOSE + part("file", b"hello") + END, "invalid_value", "file"),
    (PURPOSE + FILE + FILE + END, "invalid_value", "file"),
    (PURPOSE + PURPOSE + FILE + END, "invalid_value", "purpose"),
    (part("purpose", b"fun") + FILE + END, "invalid_value", "purpose"),
    (part("purpose", b"x" * 100) + FILE + END, "invalid_value", "purpose"),
    (PURPOSE + part("odd", b"1") + FILE + END, "unknown_parameter", "odd"),
    (PURPOSE + FILE + part("expires_after", b"3600") + END,
     "unknown_parameter", "expires_after"),
    (PURPOSE + FILE, "invalid_value", None),
    (PURPOSE + FILE + END[:-4], "invalid_value", None),
    ((PURPOSE + FILE + END).replace(BOUNDARY.encode(), b"another"), "invalid_value", None),
    (b"preamble\r\n" + PURPOSE + FILE + END, "invalid_value", None),
    (PURPOSE + FILE + END + b"epilogue", "invalid_value", None),
    (PURPOSE + part("file", b"h", "a", more=b"X-A: " + b"a" * 9000 + b"\r\n") + END,
     "invalid_value", None),
    (PURPOSE + part("file", b"h", "a", more=b"X-A: b\r\n" * 20) + END, "invalid_value", None),
    (PURPOSE + part("file", b"h", "a", more=b"no colon\r\n") + END, "invalid_value", None),
    (PURPOSE + part("file", b"h", b"a\x01b") + END, "invalid_value", None),
    (PURPOSE + part("file", b"h", b"a\x00b") + END, "invalid_value", None),
    (PURPOSE + part("file", b"h", b"\xff\xfe") + END, "invalid_value", None),
    (PURPOSE + part("file", b"h", "x" * 5000) + END, "invalid_value", None),
    (part("x" * 200, b"1") + END, "invalid_value", None),
    (b"".join(part("purpose" if i else "file", b"", "a") for i in range(2)) * 40 + END,
     "invalid_value", ("file", "purpose")),
    ((PURPOSE + FILE + END).replace(b"\r\n", b"\n"), "invalid_value", None),
], ids=[f"form{i}" for i in range(26)])
def test_broken_forms(start, body, code, param):
    gateway = start()
    with Client(gateway.url) as client:
        client.post("/v1/files", body, headers=FORM).error(400, code, param)
        assert client.get("/v1/files").ok().json["data"] == []
        wait_until(lambda: on_disk(gateway) == [], "nothing is left on the disk")


@pytest.mark.parametrize("type, status", [
    ("application/json", 415),
    ("multipart/mixed; boundary=x", 415),
    (None, 415),
    ("multipart/form-data", 400),
    ("multipart/form-data; boundary=", 400),
    ("multipart/form-data; boundary=" + "x" * 71, 400),
    ('multipart/form-data; boundary="a b"', 400),
    ("multipart/form-data; boundary=a; boundary=b", 400),
])
def test_wrong_content_types(client, type, status):
    headers = {"Content-Type": type or ""}
    client.post("/v1/files", form(), headers=headers).error(status)


def test_a_quoted_boundary_and_a_chunked_body(shared):
    body = form(b"x" * 100000)
    with Raw(shared) as raw:
        raw.send(f"POST /v1/files HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
                 f'Content-Type: multipart/form-data; Boundary="{BOUNDARY}"\r\n\r\n'.encode())
        for at in range(0, len(body), 777):
            piece = body[at:at + 777]
            raw.send(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
        reply = raw.send(b"0\r\n\r\n").read("POST", "/v1/files")
        assert reply.status == 200, reply


def test_compressed_is_refused(client):
    client.post("/v1/files", form(), headers={**FORM, "Content-Encoding": "gzip"}).error(415)


def test_limits(start):
    gateway = start({"max_file": "100KiB"})
    with Client(gateway.url) as client:
        upload(client, b"x" * 102400).ok()
        left = on_disk(gateway)
        # Over the limit of the file, but not of the form.
        upload(client, b"x" * 102401).error(413, "request_too_large", "file")
        wait_until(lambda: on_disk(gateway) == left, "nothing is left on the disk")
        # Refused by its length.
        upload(client, b"x" * 200000).error(413, "request_too_large")
        # Announced by nobody.
        with Raw(gateway) as raw:
            body = form(b"x" * 300000)
            raw.send(f"POST /v1/files HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
                     f"Content-Type: {FORM['Content-Type']}\r\n\r\n".encode())
            raw.send(f"{len(body):x}\r\n".encode() + body + b"\r\n0\r\n\r\n")
            assert raw.read("POST", "/v1/files").status == 413
        wait_until(lambda: on_disk(gateway) == left, "nothing is left on the disk")
        # Other bodies have their own limit.
        client.chat({"role": "user", "content": "x" * 110000}).ok()


def begin(gateway, size, sent, headers=""):
    """An upload that stops in the middle."""
    body = form(b"x" * size)
    raw = Raw(gateway)
    raw.send(f"POST /v1/files HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n"
             f"{headers}Content-Type: {FORM['Content-Type']}\r\n\r\n".encode() + body[:sent])
    return raw


def test_a_cut_upload_leaves_nothing(start):
    gateway = start()
    assert on_disk(gateway) == []
    with Client(gateway.url) as client:
        for sent in (0, 10, 100, 300, 2_000_000):
            raw = begin(gateway, 4_000_000, sent)
            if sent > 1_000_000:
                wait_until(lambda: on_disk(gateway), "the upload is being written")
            raw.close()
        wait_until(lambda: on_disk(gateway) == [], "nothing is left on the disk")
        assert client.get("/v1/files").ok().json["data"] == []
        upload(client, b"still works").ok()


def test_killed_in_an_upload(start):
    gateway = start()
    with Client(gateway.url) as client:
        kept = upload(client, b"kept").ok().json["id"]
    assert len(on_disk(gateway)) == 1
    raw = begin(gateway, 4_000_000, 2_000_000)
    wait_until(lambda: len(on_disk(gateway)) > 1, "the upload is being written")
    gateway.kill()
    raw.close()
    # As a crash between a content's place and its row would leave it.
    stray = place(gateway, b"stray")
    stray.parent.mkdir(parents=True, exist_ok=True)
    stray.write_bytes(b"stray")
    for content in (b"stray", b"kept", b"never there"):
        (folder(gateway) / "tmp" / (hashlib.sha256(content).hexdigest() + "-0123456789abcdef")).touch()
    gateway.start()
    assert on_disk(gateway) == [place(gateway, b"kept")]
    with Client(gateway.url) as client:
        assert client.get(f"/v1/files/{kept}/content").ok().body == b"kept"
        assert [f["id"] for f in client.get("/v1/files").ok().json["data"]] == [kept]


def test_two_owners(start):
    gateway = start({"api_keys": [{"env": "KEY_A"}, {"env": "KEY_B"}]},
                    env={"KEY_A": "key-a", "KEY_B": "key-b"})
    with Client(gateway.url, {"Authorization": "Bearer key-a"}) as a, \
            Client(gateway.url, {"Authorization": "Bearer key-b"}) as b, Client(gateway.url) as none:
        mine = upload(a, b"shared content", "a.txt").ok().json["id"]
        other = upload(b, b"shared content", "b.txt").ok().json["id"]
        upload(none).error(401, "missing_api_key")
        b.get(f"/v1/files/{mine}").error(404, "not_found")
        b.get(f"/v1/files/{mine}/content").error(404, "not_found")
        b.request("DELETE", f"/v1/files/{mine}").error(404, "not_found")
        b.get(f"/v1/files?after={mine}").error(400, "invalid_value", "after")
        assert [f["id"] for f in b.get("/v1/files").ok().json["data"]] == [other]
        a.request("DELETE", f"/v1/files/{mine}").ok()
        assert b.get(f"/v1/files/{other}/content").ok().body == b"shared content"


def test_ids(client):
    for id in ("x", "file-", MISSING, MISSING.removeprefix("file-"), MISSING.upper(),
               MISSING.replace("-", ""), "..%2f..%2fetc%2fpasswd", "file-" + "0" * 36):
        client.get(f"/v1/files/{id}").error(404, "not_found")
        client.get(f"/v1/files/{id}/content").error(404, "not_found")
        client.request("DELETE", f"/v1/files/{id}").error(404, "not_found")


def rss(gateway):
    for line in open(f"/proc/{gateway.process.pid}/status"):
        if line.startswith("VmHWM"):
            return int(line.split()[1]) * 1024
    raise AssertionError("no VmHWM")


def test_a_large_file_is_never_whole_in_memory(start):
    gateway = start()
    size, block = 100 << 20, bytes(range(256)) * 4096
    with Client(gateway.url) as client:
        upload(client, b"warm").ok()
        before = rss(gateway)
        head = PURPOSE + part("file", b"", "big.bin")[:-2]

        def body():
            yield head
            for _ in range(size // len(block)):
                yield block
            yield b"\r\n" + END
        total = len(head) + size + 2 + len(END)
        reply = client.http.post("/v1/files", content=body(), timeout=120,
                                 headers={**FORM, "Content-Length": str(total)})
        assert reply.status_code == 200, reply.text
        assert reply.json()["bytes"] == size
        digest, count = hashlib.sha256(), 0
        with client.http.stream("GET", f"/v1/files/{reply.json()['id']}/content",
                                timeout=120) as content:
            for piece in content.iter_raw(1 << 20):
                digest.update(piece)
                count += len(piece)
        assert count == size
        assert digest.hexdigest() in {p.name for p in on_disk(gateway)}
        if not sanitized():
            assert rss(gateway) - before < 16 << 20
        client.request("DELETE", f"/v1/files/{reply.json()['id']}").ok()


def test_a_client_that_leaves_while_its_row_is_written(start):
    gateway = start({"loops": 1})
    with Client(gateway.url) as client, contextlib.closing(
            sqlite3.connect(gateway.database, isolation_level=None)) as db:
        upload(client).ok()
        db.execute("BEGIN IMMEDIATE")  # the writer waits
        raw = Raw(gateway)
        body = form(b"content")
        raw.send(f"POST /v1/files HTTP/1.1\r\nHost: {gateway.host}\r\nContent-Length: {len(body)}\r\n"
                 f"Content-Type: {FORM['Content-Type']}\r\n\r\n".encode() + body)
        wait_until(lambda: place(gateway, b"content") in on_disk(gateway), "the content's place")
        for _ in range(20):
            client.get("/livez").ok()
        raw.close()
        for _ in range(20):
            client.get("/livez").ok()
        db.execute("COMMIT")
        wait_until(lambda: len(client.get("/v1/files").ok().json["data"]) == 2, "the file")


def test_a_reader_that_leaves(start):
    gateway = start()
    with Client(gateway.url) as client:
        id = upload(client, os.urandom(8 << 20)).ok().json["id"]
        for _ in range(5):
            with Raw(gateway, receive_buffer=4096) as raw:
                raw.send(f"GET /v1/files/{id}/content HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
                raw.sock.recv(1000)
        assert client.get("/livez").ok()
        client.request("DELETE", f"/v1/files/{id}").ok()
        wait_until(lambda: on_disk(gateway) == [], "nothing is left on the disk")
