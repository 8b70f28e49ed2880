"""What a newcomer types, and what root does before the first start of the service."""

import contextlib
import os
import re
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

import pytest

import gateway as gw
import keys
import upstream as up
from client import Client
from fixtures import provider
from test_files import upload
from waiting import DEADLINE, wait_until

EX_USAGE, EX_NOINPUT, EX_UNAVAILABLE, EX_CONFIG = 64, 66, 69, 78
root_only = pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to make files of other users")


def refused(*args, code=EX_USAGE, **more):
    done = gw.run(*args, **more)
    assert done.returncode == code, done
    assert not gw.SANITIZER.search(done.stderr), done.stderr
    return done.stderr


# --- slips ---

@pytest.mark.parametrize("args, word", [
    (["--port", "3"], "there is no option --port; did you mean --listen?"),
    (["serve", "--lisen=127.0.0.1:0"], "there is no option --lisen; did you mean --listen?"),
    (["serve", "--db", "x"], "did you mean --database?"),
    (["serve", "--chek-config"], "did you mean --check-config?"),
    (["serve", "--frobnicate"], "there is no option --frobnicate\n"),
    (["serve", "--listen"], "--listen needs a value"),
    (["--check-config=yes"], "--check-config takes no value"),
    (["serve", "-x"], "there is no option -x"),
    (["serv"], "unknown command 'serv'; did you mean serve?"),
    (["frobnicate"], "there are serve, migrate,"),
    ([], "usage: parley COMMAND [options]; parley serve runs the gateway"),
    (["--listen", "127.0.0.1:0"], "usage: parley COMMAND"),
])
def test_a_slip_is_answered_with_what_was_meant(args, word):
    said = refused(*args)
    assert word in said and "parley --help" in said
    assert len(said.splitlines()) == 2, said


def test_a_value_behind_an_unknown_option_is_not_repeated():
    assert gw.CANARY not in refused("serve", f"--api-key={gw.CANARY}")


@pytest.mark.parametrize("word", ["version", "help"])
def test_help_and_version_without_dashes(word):
    plain, dashed = gw.run(word), gw.run(f"--{word}")
    assert plain.returncode == 0 and plain.stdout == dashed.stdout and plain.stdout


@pytest.mark.parametrize("args", [["--check-config", "c.yaml"], ["serve", "--check-config", "c.yaml"],
                                  ["--check-config", "--config", "c.yaml"], ["--print-config", "c.yaml"],
                                  ["keys", "--check-config", "c.yaml"], ["--check-config", "keys", "c.yaml"],
                                  ["--check-config", "c.yaml", "backup"], ["import", "--check-config", "c.yaml"]])
def test_the_file_to_check_may_stand_behind_the_option(tmp_path, args):
    (tmp_path / "c.yaml").write_text("max_body: 7\n")
    assert "c.yaml:1: max_body" in refused(*args, code=EX_CONFIG, cwd=tmp_path)
    (tmp_path / "c.yaml").write_text("max_body: 7KiB\n")
    assert gw.run(*args, cwd=tmp_path).returncode == 0
    assert "unexpected argument 'd.yaml'" in refused("--check-config", "c.yaml", "d.yaml", cwd=tmp_path)


def test_what_is_counted_is_configured(tmp_path):
    (tmp_path / "c.yaml").write_text("")
    assert gw.run("--check-config", "c.yaml", cwd=tmp_path).stdout == \
        "ok: 0 providers, 0 models, 0 keys; read c.yaml\n"
    assert gw.run("--check-config", cwd=tmp_path).stdout == "ok: 0 providers, 0 models, 0 keys; no file was read\n"
    (tmp_path / "c.yaml").write_text("providers: [{name: a, dialect: openai, base_url: 'http://a/v1'}]\n"
                                     "models: [{name: b, provider: a}, {name: echo, provider: echo}]\n")
    done = gw.run("--check-config", "c.yaml", cwd=tmp_path, env={"PARLEY_API_KEY": "k" * 16})
    assert (done.stdout, done.stderr) == ("ok: 1 provider, 2 models, 1 key; read c.yaml\n", "")


def test_a_list_of_mistakes_that_was_cut_says_so(tmp_path):
    (tmp_path / "c.yaml").write_text("".join(f"foo{n}: 1\n" for n in range(2000)))
    lines = refused("--check-config", "c.yaml", code=EX_CONFIG, cwd=tmp_path).splitlines()
    assert "c.yaml:1: " in lines[0] and any("there may be more mistakes" in line for line in lines)


def test_each_header_is_named(tmp_path):
    (tmp_path / "c.yaml").write_text(
        "providers: [{name: a, dialect: openai, base_url: 'http://a/v1', headers: {A: {env: UNSET}, 'B C': d}}]\n")
    said = refused("--check-config", "c.yaml", code=EX_CONFIG, cwd=tmp_path)
    assert "UNSET is not set" in said and "a name of letters, digits and dashes" in said


@pytest.mark.parametrize("args, says", [
    (["--database", "postgres://u:pw@h/db", "-qv", "serve"], "no option -q"), (["-xh"], "no option -x"),
    (["serve", "-xh"], "no option -x"), (["--help=1"], "--help takes no value"),
    (["--json=1"], "--json takes no value")])
def test_a_bad_option_is_named_itself(args, says):
    said = refused(*args)
    assert says in said and "pw@" not in said


def test_nothing_is_like_a_long_name():
    assert "did you mean" not in refused("x" * 130)


def test_a_file_that_is_no_database_gets_no_company(tmp_path):
    (tmp_path / "passwd").write_text("root:x:0:0::/:/bin/sh\n" * 100)
    assert "is not a database" in refused("keys", "list", "--database", "passwd", code=65, cwd=tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["passwd"]


# a line of the file, and what is said of it
MISTAKES = [
    ("listen: [bogus, '127.0.0.1:99999']", ["listen: 'bogus'", "listen: '127.0.0.1:99999'"]),
    ("max_body: 3 MiB", ["max_body: '3 MiB'"]),
    ("frob: 1", ["frob: unknown key"]),
    ("providers:", []),
    ("  - {name: a, dialect: openia, base_url: 'http://a', bas: 3}", ["dialect: unknown", "bas: unknown key"]),
    ("  - {name: b, dialect: openai, base_url: 'http://a', timeouts: {connect: 5, idle: x}}",
     ["connect: '5'", "idle: 'x'"]),
    ("  - {name: c, dialect: openai, base_url: 'http://a', headers: {A: {env: NONE}, B: {file: /no}}}",
     ["A.env: environment variable NONE", "B.file: /no"]),
    ("  - {name: d, dialect: openai}", ["a provider needs a base_url"]),
    ("models:", []),
    ("  - {name: m, provider: zz, price: {input: x, output: y}}",
     ["there is no provider 'zz'", "price.input", "price.output"]),
    ("  - {name: n, provider: a, fallback: [nobody, n]}", ["no model 'nobody'", "falls back on itself"]),
    ("  - {name: o, provider: d, defaults: {config: {temperature: 3, top_q: 1}}}", ["temperature", "top_q"]),
    ("  - {name: q, provider: a, price: {input: 1, output: 2, tires: [], tiers: [{above: 0, input: 1}, "
     "{above: 5}, {input: 3}, {above: 7, input: 1, image: 2}, {above: 9, input: 1}, {above: 9, input: 2}], "
     "classes: {fast: 0, flexx: 1, batch: 51}, hours: [{input: 1}, {utc: '9-10', input: 1}, "
     "{utc: '09:00-10:00', days: [monday], input: 1}, {utc: '09:00-10:00', days: [], input: 1}], call: -1, "
     "reported: perhaps}}",
     ["price.tires: unknown key; did you mean tiers?", "tiers[0].above: 0", "tiers[2]: a tier needs above",
      "tiers[3].image: unknown key", "tiers[5]: a second tier", "classes.fast: must be a factor",
      "classes.flexx: unknown key; did you mean flex?", "classes.batch: must be a factor",
      "hours[0]: hours need utc", "hours[1].utc: must be hours", "hours[2].days[0]: is no day",
      "hours[3].days: has to name a day", "price.call: must be a price for one", "price.reported"]),
    ("  - {name: r, provider: a, price: {classes: {flex: 0.5}}}", ["a price needs input and output"]),
    ("prices: /no/such/prices.json", ["prices: /no/such/prices.json: cannot be opened"]),
    ("default_model: nope", ["there is no model 'nope'"]),
    ("limits: {requests: {count: x, window: y}, concurent: 3}", ["count: 'x'", "window: must", "concurent"]),
    ("api_keys: [plain, 'sha256:xx']", ["api_keys[0]", "api_keys[1]"]),
    ("runner: {memory: x, foo: 3}", ["memory: 'x'", "foo: unknown"]),
]


def test_each_mistake_is_named_and_nothing_else(tmp_path):
    (tmp_path / "c.yaml").write_text("\n".join(line for line, _ in MISTAKES) + "\n")
    said = refused("--check-config", "c.yaml", code=EX_CONFIG, cwd=tmp_path, env={"PARLEY_LOOPS": "many"})
    expected = ["PARLEY_LOOPS: 'many'"]
    for number, (_, parts) in enumerate(MISTAKES, 1):
        for part in parts:
            assert re.search(rf"parley: c\.yaml:{number}: .*{re.escape(part)}", said), (part, said)
        expected += parts
    assert len(said.splitlines()) == len(expected), said
    assert refused("serve", "--config", "c.yaml", code=EX_CONFIG, cwd=tmp_path,
                   env={"PARLEY_LOOPS": "many"}) == said


def test_unknown_kinds_of_databases_are_named(tmp_path):
    for name in ("mysql://host/x", "sqlite:///x.db", "://"):
        said = refused("migrate", "--database", name, code=EX_CONFIG, cwd=tmp_path)
        assert f"'{name.split('://')[0]}://' is no kind of database" in said
        assert "'mysql://' is no kind" in refused("copy", "a.db", "mysql://b", cwd=tmp_path)
    assert list(tmp_path.iterdir()) == []


# --- warnings ---

def test_unknown_variables_and_weak_keys_are_warned_of(start, tmp_path):
    env = {"PARLEY_LISTN": "x", "PARLEY_PORT": "8080", "PARLEY_SERVICE_HOST": "10.0.0.1",
           "PARLEY_PORT_8080_TCP": "tcp://10.0.0.1:8080", "PARLEY_API_KEY": "change-me"}
    said = gw.run("--check-config", env=env, cwd=tmp_path)
    assert said.returncode == 0 and sorted(said.stderr.splitlines()) == [
        "parley: warning: the API key config:1 is the one of the examples: use random text, as openssl rand "
        "-hex 24 prints",
        "parley: warning: the environment variable PARLEY_LISTN is unknown; did you mean PARLEY_LISTEN?",
        "parley: warning: the environment variable PARLEY_PORT is unknown; did you mean PARLEY_LISTEN?"]
    gateway = start(env={**env, "PARLEY_API_KEY": "short" + gw.CANARY})
    gateway.wait_log("PARLEY_LISTN is unknown")
    gateway.wait_log("config:1 has fewer than 16 characters")
    assert gw.CANARY not in gateway.log()


def test_a_key_from_a_variable_of_its_own_is_no_unknown_variable(tmp_path):
    (tmp_path / "c.yaml").write_text("api_keys: [{env: PARLEY_WEB_SHOP}]\n")
    done = gw.run("--check-config", "c.yaml", cwd=tmp_path, env={"PARLEY_WEB_SHOP": "k" * 16})
    assert (done.returncode, done.stderr) == (0, "")


# --- the start ---

def test_the_console_s_address_is_told(start):
    gateway = start()
    wait_until(lambda: len(gateway.stdout) == 2, "two lines")
    assert gateway.stdout[1] == f"the console is on {gateway.url}/console/\n"
    assert start({"console": "off"}, name="off").stdout[1:] == []


@pytest.mark.parametrize("option", ["listen", "admin_listen"])
def test_an_address_in_use_names_its_option(start, option):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        flag = "--" + option.replace("_", "-")
        gateway = start(listen=None, ready=False, args=["--listen", "127.0.0.1:0", flag, address]
                        if option == "admin_listen" else [flag, address])
        code, log = gateway.fails_to_start()
    assert code == EX_UNAVAILABLE
    assert f"parley: {option}: can't listen on {address}: Address already in use" in log


def test_a_terminal_gets_text_and_a_pipe_json(start, tmp_path):
    gateway = start()
    gateway.wait_log(r'^\{"ts":')
    here, there = os.openpty()
    with subprocess.Popen([gw.BINARY, "serve", "--listen", "127.0.0.1:0", "--database", tmp_path / "t.db"],
                          env=gw.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=there) as process:
        assert process.stdout.readline().startswith(b"parley ready on")
        process.terminate()
        assert process.wait(DEADLINE) == 0
    os.close(there)
    said = b""
    with contextlib.suppress(OSError):  # the end of a terminal
        while piece := os.read(here, 65536):
            said += piece
    os.close(here)
    assert b"stopped" in said and b'{"ts"' not in said, said


# --- the default model ---

PROVIDER = {"name": "real", "dialect": "openai", "base_url": "http://127.0.0.1:9/v1"}
MODELS = [{"name": "small", "provider": "real"}, {"name": "large", "provider": "real"}]


def test_echo_does_not_answer_for_a_real_provider(start):
    with Client(start({"providers": [PROVIDER], "models": MODELS}).url) as client:
        error = client.chat("hi").error(400, "missing_required_parameter", "config.model")
        assert "small, large, echo" in error["message"]
        client.chat("hi", model="echo").ok()
    upstream = start(env={"PARLEY_UPSTREAM_URL": PROVIDER["base_url"]}, name="variable")
    with Client(upstream.url) as client:
        error = client.chat("hi").error(400, "missing_required_parameter", "config.model")
        assert "echo, *" in error["message"]


def test_echo_answers_where_it_is_asked_for(start):
    with Client(start({"providers": [PROVIDER], "models": MODELS, "default_model": "echo"}).url) as client:
        assert client.chat("hi").ok().json["model"] == "echo"
    slow = {"name": "slow", "dialect": "echo", "delay": "1ms"}
    with Client(start({"providers": [slow]}, name="slow").url) as client:
        assert client.chat("hi").ok().json["model"] == "echo"
    none = start({"default_model": ""}, name="none")
    with Client(none.url) as client:
        client.chat("hi").error(400, "missing_required_parameter", "config.model")


# --- what a failure says, and how an answer ends ---

def test_the_log_says_where_a_provider_was_not_found(start):
    with socket.create_server(("127.0.0.1", 0)) as taken:  # closed before anybody calls
        port = taken.getsockname()[1]
    provider = {**PROVIDER, "base_url": f"http://127.0.0.1:{port}/v1/{gw.CANARY}", "retries": 0}
    gateway = start({"providers": [provider], "models": MODELS})
    with Client(gateway.url) as client:
        for _ in range(2):
            error = client.chat("hi", model="small").error(502, "upstream_connect_failed")
            assert str(port) not in error["message"]
        client.chat("hi", model="echo").ok()  # its line is behind theirs
    gateway.wait_log('"model":"echo"')
    lines = [line for line in gateway.lines if '"event":"upstream_failed"' in line]
    assert len(lines) == 1, lines
    for part in ('"level":"warn"', '"upstream":"real"', f'"host":"127.0.0.1:{port}"',
                 '"error_code":"upstream_connect_failed"'):
        assert part in lines[0]


def test_the_log_says_who_answered_with_something_else(start, upstream, script):
    """As where base_url leads to a page."""
    s = script(up.reply(b"<html>", content_type="text/html"))
    gateway = start({"providers": [provider(upstream, "p")], "models": [{"name": "t/*", "provider": "p"}]})
    with Client(gateway.url) as client:
        client.chat("hi", model=s.model).error(502, "upstream_bad_response")
    gateway.wait_log('"event":"upstream_failed"')


def test_a_plain_answer_ends_its_line(start):
    with Client(start().url) as client:
        replies = [client.chat("hi").ok(), client.complete().ok(), client.get("/v1/models").ok(),
                   client.get("/v1/nothing")]
        for reply in replies:
            assert reply.body.endswith(b"}\n") and int(reply.headers["content-length"]) == len(reply.body)


def test_a_new_key_is_known_when_the_command_ends(start):
    gateway = start(args=["--admin-listen", "127.0.0.1:0"])
    for _ in range(3):
        key = keys.make(gateway)["key"]
        with keys.client_of(gateway, key) as client:
            client.get("/v1/models").ok()
        made = keys.make(gateway, "--name", "gone")
        keys.command(gateway, "revoke", made["id"])
        with keys.client_of(gateway, made["key"]) as client:
            client.get("/v1/models").error(401, "invalid_api_key")


def test_all_scopes_are_named(tmp_path):
    said = refused("keys", "create", "--scopes", "root", cwd=tmp_path)
    assert "must be one of chat, read, files, execute, admin" in said


# --- an installed program ---

@pytest.fixture
def installed():
    """installed(*args): the program as PREFIX/sbin/parley, whose configuration is PREFIX/etc/parley/parley.yaml."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)  # other users get in, as into /usr
        yield install(Path(folder))


def install(prefix):
    for folder in ("sbin", "etc/parley", "data", "elsewhere"):
        (prefix / folder).mkdir(parents=True)
    shutil.copy(gw.BINARY, prefix / "sbin" / "parley")
    (prefix / "etc/parley/parley.yaml").write_text(
        f"database: {prefix}/data/parley.db\n"
        "providers: [{name: a, dialect: openai, base_url: 'http://a/v1', api_key_credential: parley_a}]\n"
        "api_keys: [{file: /root/no/such}]\n")

    def run(*args, env=None, user=None):
        return subprocess.run([prefix / "sbin" / "parley", *args], env=gw.environment(env), user=user,
                              cwd=prefix / "elsewhere", stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=DEADLINE)
    run.prefix = prefix
    return run


def test_an_installed_program_takes_the_installed_configuration(installed):
    data = installed.prefix / "data"
    done = installed("keys", "create")
    assert done.returncode == EX_NOINPUT and f"there is no database {data}/parley.db" in done.stderr
    assert installed("migrate").returncode == 0
    # its secrets, which only the service can read, are not needed for that
    assert installed("keys", "create").returncode == 0
    assert "active" in installed("keys", "list").stdout
    assert installed("backup", str(data / "copy.db")).returncode == 0
    assert list((installed.prefix / "elsewhere").iterdir()) == []
    # a process that serves needs them
    assert "api_key_credential" in installed("--check-config").stderr


def test_whoever_names_a_database_means_that_one(installed):
    elsewhere = installed.prefix / "elsewhere"
    other = str(installed.prefix / "other.db")
    for more in ({"args": ["--database", other]}, {"env": {"PARLEY_DATABASE": other}}):
        args = more.pop("args", [])
        assert f"there is no database {other}" in installed("keys", "list", *args, **more).stderr
    assert installed("migrate", "--database", "parley.db").returncode == 0
    assert installed("keys", "list").returncode == 0
    assert sorted(p.name for p in elsewhere.iterdir() if p.suffix == ".db") == ["parley.db"]
    assert not (installed.prefix / "data/parley.db").exists()
    (elsewhere / "c.yaml").write_text(f"database: {other}\n")
    assert other in installed("keys", "list", env={"PARLEY_CONFIG": "c.yaml"}).stderr


# --- root ---

NOBODY = 65534


def owners(folder):
    return {str(p.relative_to(folder)): p.lstat().st_uid for p in [folder, *folder.rglob("*")]}


@root_only
def test_what_root_makes_beside_a_database_belongs_to_its_folder_s_owner(start, tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    os.chown(data, NOBODY, NOBODY)
    database = data / "parley.db"
    assert gw.run("migrate", "--database", database).returncode == 0
    assert gw.run("keys", "create", "--database", database).returncode == 0
    gateway = start(args=["--database", str(database)])
    with Client(gateway.url, {"Authorization": "Bearer " + gw.run(
            "keys", "create", "--database", database).stdout.strip()}) as client:
        wait_until(lambda: client.get("/v1/models").status == 200, "the key")
        upload(client, b"a content of root's")
        client.chat("hello").ok()
        found = owners(data)
        assert {"parley.db", "parley.db-wal", "parley.db-shm", "parley.db.lock", "parley.db.files",
                "parley.db.search"} <= set(found)
        assert gw.run("backup", data / "copy.db", "--database", database).returncode == 0
    gateway.stop()
    found |= owners(data)
    theirs = {name for name, uid in found.items() if uid != NOBODY}
    assert theirs <= {"parley.db.takeover"}, theirs
    assert any(name.startswith("copy.db.files/") for name in found)


def test_a_backup_needs_a_folder(tmp_path):
    database = tmp_path / "parley.db"
    assert gw.run("migrate", "--database", database).returncode == 0
    said = refused("backup", tmp_path / "no" / "copy.db", "--database", database, code=73)
    assert f"there is no folder {tmp_path}/no; make it first" in said


@root_only
def test_a_backup_needs_the_right_to_write(installed):
    data = installed.prefix / "data"
    assert installed("migrate").returncode == 0
    for path in data.rglob("*"):
        os.chown(path, NOBODY, NOBODY)
    os.chown(data, NOBODY, NOBODY)
    done = installed("backup", str(installed.prefix / "etc/copy.db"), user=NOBODY)
    assert done.returncode == 73
    assert f"can't write into the folder {installed.prefix}/etc: Permission denied" in done.stderr


@root_only
def test_who_may_not_look_at_the_database_is_told_so(installed):
    data = installed.prefix / "data"
    data.chmod(0o700)
    for args in (["backup", "copy.db"], ["keys", "list"]):
        done = installed(*args, user=NOBODY)
        assert done.returncode == 73
        assert f"can't look at the database {data}/parley.db: Permission denied" in done.stderr
        assert "as root, or as the gateway's user" in done.stderr
