"""The pages of the console: how they are sent, and at which addresses.

The tests read console/dist to learn what there is, and look into none of it."""

import gzip
import re
import subprocess

import httpx
import pytest

import gateway as gw
import keys
from client import NO_TLS, Client
from raw import Raw, get

DIST = gw.PROJECT / "console/dist"
ASSETS = sorted(path.name for path in (DIST / "a").iterdir())
PATHS = {"/console/": DIST / "index.html", **{f"/console/a/{name}": DIST / "a" / name for name in ASSETS}}
TYPES = {"html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8",
         "css": "text/css; charset=utf-8"}
GUARD = {
    "content-security-policy":
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
        "connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
}
ADMIN = ["--admin-listen", "127.0.0.1:0"]


def ask(gateway, path, method="GET", **headers):
    with Raw(gateway) as raw:
        named = [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        return raw.send(get(path, *named, method=method)).read(method)


def guarded(reply):
    for name, value in GUARD.items():
        assert reply.headers.get(name) == value, (name, reply)
    return reply


# --- sending ---

def test_names_of_files_have_a_hash():
    """They are kept for a year by clients, so other bytes need another name."""
    assert ASSETS, "there is nothing to serve"
    for name in ASSETS:
        assert re.fullmatch(r".+[.-][0-9A-Za-z]{8,}\.[a-z0-9]+", name), name


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("accepts", [None, "gzip", "br, gzip;q=0.8", "*", "gzip;q=0", "identity", "*;q=0", "br",
                                     "gzip;q=0, *", "GZIP"])
def test_a_file_comes_as_it_was_built(shared, path, accepts):
    file = PATHS[path]
    reply = guarded(ask(shared, path, **({"Accept_Encoding": accepts} if accepts else {})))
    assert reply.status == 200, reply
    wants = accepts in ("gzip", "br, gzip;q=0.8", "*", "GZIP")
    assert (reply.headers.get("content-encoding") == "gzip") == wants
    assert (gzip.decompress(reply.body) if wants else reply.body) == file.read_bytes()
    assert reply.headers["content-type"] == TYPES.get(path.rpartition(".")[2], TYPES["html"]) or \
        path.rpartition(".")[2] not in TYPES
    assert reply.headers["vary"] == "Accept-Encoding"
    assert reply.headers["cache-control"] == (
        "no-cache" if path == "/console/" else "public, max-age=31536000, immutable")


@pytest.mark.parametrize("path", PATHS)
def test_what_a_client_has_is_not_sent_again(shared, path):
    tags = set()
    for encoding in ("gzip", "identity"):
        tag = ask(shared, path, Accept_Encoding=encoding).headers["etag"]
        tags.add(tag)
        for has in (tag, f'"x", W/{tag}', "*"):
            reply = guarded(ask(shared, path, Accept_Encoding=encoding, If_None_Match=has))
            assert reply.status == 304 and reply.body == b"", reply
            assert reply.headers["etag"] == tag and "cache-control" in reply.headers
        for has in ('"x"', tag[:-1], tag.strip('"')):
            assert ask(shared, path, Accept_Encoding=encoding, If_None_Match=has).status == 200
    assert len(tags) == 2, "two forms of a file have two tags"


@pytest.mark.parametrize("path", [*PATHS, "/console"])
@pytest.mark.parametrize("encoding", ["gzip", "identity"])
def test_head_is_get_without_the_body(shared, path, encoding):
    whole = ask(shared, path, Accept_Encoding=encoding)
    head = ask(shared, path, "HEAD", Accept_Encoding=encoding)
    assert head.status == whole.status and head.body == b""
    for reply in (head, whole):
        for name in ("date", "x-request-id"):
            del reply.headers[name]
    assert head.headers == whole.headers


def test_the_page_is_a_folder_s(shared):
    """Relative, so that it is right behind a proxy that puts a prefix in front."""
    for path in ("/console", "/console?x=y"):
        reply = guarded(ask(shared, path))
        assert reply.status == 308 and reply.headers["location"] == "console/", reply
    page = (DIST / "index.html").read_text()
    assert not re.search(r'(src|href)\s*=\s*["\']?(/|https?:)', page), "an address that is not relative"


def test_a_browser_at_the_root_is_led_to_it(shared):
    browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
    for accept in (browser, "TEXT/HTML"):
        reply = guarded(ask(shared, "/", Accept=accept))
        assert reply.status == 307 and reply.headers["location"] == "console/", reply
        assert reply.headers["vary"] == "Accept, User-Agent"
    for headers in ({}, {"Accept": "*/*"}, {"Accept": "application/json"}):
        reply = ask(shared, "/", **headers)
        assert reply.status == 404 and b"/openapi.yaml lists all routes" in reply.body
        assert "location" not in reply.headers


def test_a_program_finds_somebody_at_the_root(start):
    """Claude Code asks so at each start, of whatever address."""
    gateway = start({"listen": ["127.0.0.1:0"]}, listen=None, args=[*ADMIN, "--console", "off"])
    for headers in ({}, {"Accept": "*/*"}, {"X-Forwarded-For": "192.0.2.1"}):
        with httpx.Client(base_url=gateway.url, verify=NO_TLS, trust_env=False) as http:
            reply = http.head("/", headers=headers)
            assert reply.status_code == 200 and not reply.content and reply.headers["x-request-id"]
            assert http.get("/", headers=headers).status_code == 404
            assert http.get("/", headers={"Accept": "text/html"}).status_code == 404


@pytest.mark.parametrize("path", [
    "/console/index.html", "/console/a", "/console/a/", "/console/a/index.html", "/console/a/x.js",
    "/console/a/../index.html", "/console/a/%2e%2e%2findex.html", "/console/x", "/console/a/x/y",
    "/consoles", "/Console/"])
def test_nothing_else_is_there(shared, path):
    reply = ask(shared, path)
    assert reply.status == (400 if ".." in path else 404), reply
    assert reply.headers["content-type"] == "application/json"
    assert reply.headers["cache-control"] == "no-store"


def test_it_needs_no_key_but_the_host_rule_holds(shared, start):
    assert ask(shared, "/console/", Host="evil.example").status in (400, 403)
    gateway = start(env={"PARLEY_API_KEY": "k" * 20})
    assert ask(gateway, "/console/").status == 200
    assert ask(gateway, "/v1/models").status == 401


def test_answers_of_the_api_are_kept_by_nobody(shared):
    """Whatever the way in which they are sent."""
    with Client(shared.url) as client:
        made = client.post("/v1/chat", {"messages": ["hi"]}).ok()
        run, conversation = made.headers["x-run-id"], made.headers["x-conversation-id"]
        tag = client.get(f"/v1/conversations/{conversation}").headers["etag"]
        seen = [made, client.get("/v1/models"), client.get("/v1/nothing"), client.get("/v1/me"),
                client.get(f"/v1/conversations/{conversation}", headers={"If-None-Match": tag}).ok(304),
                client.get(f"/v1/conversations/{conversation}/export"),
                client.get(f"/v1/runs/{run}/events"),
                client.get(f"/v1/runs/{run}/events", headers={"Last-Event-ID": "1000000"}),
                client.request("OPTIONS", "/v1/chat").ok(204)]
        for reply in seen:
            assert "no-store" in reply.headers["cache-control"], reply


# --- where it is ---

def has(gateway, url, key=None):
    """(the pages, the admin routes) are there."""
    with Client(url, keys.bearer(key) if key else None) as client:
        page, admin = client.get("/console/").status, client.get("/v1/admin/keys").status
    assert {page, admin} <= {200, 404}
    return page == 200, admin == 200


@pytest.mark.parametrize("option, loopback, outside, admin", [
    (None, (True, True), (False, False), (True, True)),
    ("admin", (True, True), (False, False), (True, True)),
    ("all", (True, True), (True, False), (True, True)),
    ("off", (False, False), (False, False), (False, True))])
def test_the_option_says_where_it_is(start, option, loopback, outside, admin):
    env = {"PARLEY_CONSOLE": option} if option else {}
    for listen, main in (("127.0.0.1:0", loopback), ("0.0.0.0:0", outside)):
        gateway = start(listen=listen, args=ADMIN, env=env, ready=False, name=f"p{listen[0]}")
        keys.migrate(gateway)
        key = keys.make(gateway, "--scopes", "admin")["key"]
        gateway.start()
        url = f"http://127.0.0.1:{gateway.port}"
        assert has(gateway, url, key) == main
        assert has(gateway, keys.admin_url(gateway), key) == admin
        said = re.search(r"console is on (http://\S+?)\"", "".join(gateway.lines))
        assert (said is not None) == (main[0] and listen[0] == "1"), said
        if said:
            assert said[1] == f"{gateway.url}/console/"


def test_one_outer_address_is_enough_to_leave_it_out(start):
    gateway = start({"listen": ["127.0.0.1:0", "0.0.0.0:0"]}, listen=None, args=ADMIN, ready=False)
    keys.migrate(gateway)
    key = keys.make(gateway, "--scopes", "admin")["key"]
    gateway.start()
    for port in re.findall(r":(\d+)$", "".join(gateway.stdout), re.M):
        assert has(gateway, f"http://127.0.0.1:{port}", key) == (False, False)


def test_a_unix_socket_is_what_a_proxy_makes_of_it(start, tmp_path):
    path = tmp_path / "p.sock"
    start(listen=f"unix:{path}")

    def status(at):
        done = subprocess.run(["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "--unix-socket", path,
                               f"http://localhost{at}"], capture_output=True, text=True, check=True)
        return int(done.stdout)
    assert status("/v1/models") == 200
    assert status("/console/") == status("/v1/admin/keys") == 404


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded"])
def test_a_proxy_on_this_machine_makes_no_page_public(start, header):
    said = {header.replace("-", "_"): "for=192.0.2.1" if header == "Forwarded" else "192.0.2.1"}
    gateway = start(args=ADMIN, name="one")
    assert ask(gateway, "/console/").status == 200
    for path in ("/console/", "/console", "/v1/admin/keys"):
        assert ask(gateway, path, **said).status == 404
    assert ask(gateway, "/", Accept="text/html", **said).status == 404
    gateway = start(args=["--console", "all"], name="two")
    assert ask(gateway, "/console/", **said).status == 200
    assert ask(gateway, "/v1/admin/keys", **said).status == 404
