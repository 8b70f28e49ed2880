"""The command line and the configuration: what scripts rely on."""

import contextlib
import os
import re
import signal
import sqlite3

import pytest
import yaml

import gateway as gw
import upstream as up
from client import Client
from gateway import CANARY
from waiting import wait_until

GOOD = """\
listen: [127.0.0.1:0]
database: {folder}/x.db
default_model: small
providers:
  - name: local
    dialect: openai
    base_url: http://127.0.0.1:9/v1
    timeouts: {{connect: 5s, first_byte: 5m, idle: 5m, total: 30m}}
    max_tokens_field: max_tokens
models:
  - name: echo
    provider: echo
  - name: small
    provider: local
    upstream_model: tiny-chat
  - name: "local/*"
    provider: local
"""


@pytest.fixture
def check(tmp_path):
    """check(text): --check-config of a file with this text."""
    def run(text, **more):
        file = tmp_path / "parley.yaml"
        file.write_text(text.replace("{folder}", str(tmp_path)).replace("{{", "{").replace(
            "}}", "}"))
        return gw.run("--check-config", "--config", file, **more)
    return run


def test_a_good_file_passes(check):
    result = check(GOOD)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("model", [
    "provider: local\n    resume: restart", "provider: local\n    resume: off", "provider: pool\n    resume: fallback",
    "provider: local\n    resume: fallback\n    fallback: [echo]",
    "targets: [{provider: local}, {provider: echo}]\n    resume: [fallback, restart]"])
def test_an_answer_may_go_on_where_there_is_another_target(check, model):
    text = GOOD.replace("provider: local\n    upstream_model: tiny-chat", model).replace(
        "models:", "  - {name: pool, dialect: openai, base_url: 'http://127.0.0.1:9', api_keys: [{env: A_KEY}, {env: HOME}]}\nmodels:")
    result = check(text, env={"A_KEY": "a-key-of-a-pool"})
    assert result.returncode == 0, result.stderr


def line_of(text, part):
    return text[:text.index(part)].count("\n") + 1


# what is put in the place of what, and a word of the complaint
FAULTS = [
    ("default_model: small", "defualt_model: small", "default_model"),
    ("    dialect: openai", "    dialekt: openai", "dialect"),
    ("    dialect: openai", "    dialect: openia", "openai"),
    ("connect: 5s", "conect: 5s", "connect"),
    ("connect: 5s", "connect: soon", "connect"),
    ("    upstream_model: tiny-chat", "    upstream-model: x", "upstream_model"),
    ("    base_url: http://127.0.0.1:9/v1", "    base_url: ftp://x", "base_url"),
    ("    dialect: openai", "    dialect: openai\n    hosting: bedrock", "leave hosting out"),
    ("    dialect: openai\n    base_url: http://127.0.0.1:9/v1",
     "    dialect: anthropic\n    hosting: vertex\n    base_url: http://127.0.0.1:9/v1", "ends at the location"),
    ("    max_tokens_field: max_tokens", "    max_tokens_field: tokens", "max_completion_tokens"),
    ("default_model: small", "default_model: [small]", "default_model"),
    ("default_model: small", "default_model: small\nmax_body: 65MiB", "max_body"),
    ("default_model: small", "default_model: small\nmax_body: big", "max_body"),
    ("default_model: small", "default_model: small\nlog_level: loud", "debug"),
    ("default_model: small", "default_model: small\ndurability: maybe", "strict"),
    ("    upstream_model: tiny-chat", "    resume: fallback", "models[1].resume: there is nothing to fall back on"),
    ("    upstream_model: tiny-chat", "    resume: [restart, fallback]", "nothing to fall back on"),
    ("    provider: local\n    upstream_model: tiny-chat", "    targets: [{provider: local}]\n    resume: fallback",
     "nothing to fall back on"),
    ("default_model: small", "default_model: small\nimage_root: no/such", "image_root"),
    ("default_model: small", "default_model: small\nconversations_keep: 500ms", "conversations_keep: must be 0, or 1s"),
    ("default_model: small", "default_model: small\ncontent_keep: 500ms", "content_keep: must be 0, or 1s"),
    ("database: {folder}/x.db", "database: postgres://h/d\nstore_keep_size: 1GiB", "store_keep_size: is for SQLite"),
    ("default_model: small", "default_model: small\nimage_root: parley.yaml", "image_root"),
    ("default_model: small", "default_model: small\ndefault_model: echo", "default_model"),
    ("default_model: small", "default_model: &a small", ""),
    ("default_model: small", "default_model: \"a\n", ""),
    ("providers:", "providers: {}\nx:", ""),
]


@pytest.mark.parametrize("old, new, word", FAULTS, ids=[f[1].strip()[:40] for f in FAULTS])
def test_a_fault_is_refused_with_its_file_and_line(check, old, new, word):
    text = GOOD.replace(old, new)
    result = check(text)
    assert result.returncode not in (0, 70) and result.returncode > 0, result.stderr
    assert "parley.yaml" in result.stderr
    assert re.search(r"parley\.yaml:\d+", result.stderr), result.stderr
    assert word in result.stderr
    fresh = new.split("\n")[-1] if "\n" in new and "providers" not in new else new
    if word and fresh in text:
        assert re.search(rf"parley\.yaml:{line_of(text, fresh)}\b", result.stderr), result.stderr
    assert not gw.SANITIZER.search(result.stderr)


def test_a_mistake_of_keeping_names_where_it_stands(check):
    both = check(GOOD + "conversations_keep: 500ms\ncontent_keep: 1ms\n").stderr
    assert "conversations_keep: must be 0" in both and "content_keep: must be 0" in both
    told = check(GOOD, env={"PARLEY_CONTENT_KEEP": "500ms", "PARLEY_DATABASE": "postgres://h/d", "PARLEY_STORE_KEEP_SIZE": "1GiB"})
    assert "PARLEY_CONTENT_KEEP: must be 0" in told.stderr and "PARLEY_STORE_KEEP_SIZE: is for SQLite" in told.stderr
    told = gw.run("--check-config", "--conversations-keep", "500ms")
    assert told.returncode == 78 and "--conversations-keep: must be 0" in told.stderr


@pytest.mark.parametrize("text", [
    GOOD.replace("    provider: local\n    upstream", "    provider: nobody\n    upstream"),
    GOOD.replace('"local/*"', '"lo*cal"'),
    GOOD.replace("default_model: small", "default_model: no"),
    GOOD.replace("  - name: small", "  - name: echo"), "- a\n- b\n", "x", "a: b: c", "\0", "\t",
    "? [a]\n: b", "a: " + "[" * 5000, "%YAML 9.9\n---\n{}", "listen: 127.0.0.1\n",
    "listen: [127.0.0.1:99999]\n", "drain_timeout: -1s\n", "loops: 1000000\n"])
def test_other_faults_are_refused(check, text):
    result = check(text)
    assert result.returncode > 0 and result.stderr.strip(), result
    assert not gw.SANITIZER.search(result.stderr)


def test_a_directory_of_images_has_to_exist(start, tmp_path):
    missing = tmp_path.parent / "none"  # a short path: the text has a limit
    gateway = start(usual={"image_root": str(missing)}, ready=False)
    code, log = gateway.fails_to_start()
    assert code == 78 and "image_root" in log and str(missing) in log
    missing.write_text("a file")
    assert "it is no directory" in gateway.fails_to_start()[1]
    missing.unlink()
    missing.mkdir()
    gateway.start()


def test_an_empty_file_is_all_defaults(check):
    assert check("").returncode == 0
    assert check("# nothing\n").returncode == 0


def test_a_missing_file_is_refused_by_name(tmp_path):
    result = gw.run("serve", "--config", tmp_path / "none.yaml")
    assert result.returncode > 0 and "none.yaml" in result.stderr
    result = gw.run("serve", env={"PARLEY_CONFIG": str(tmp_path / "none.yaml")}, cwd=tmp_path)
    assert result.returncode > 0 and "none.yaml" in result.stderr


def test_no_file_is_searched_for(tmp_path, start):
    gateway = start(ready=False)
    (gateway.folder / "parley.yaml").write_text("nonsense: yes\n")
    gateway.start()


def test_secrets_are_never_printed(check, tmp_path):
    file = tmp_path / "secret"
    file.write_text(f"{CANARY}-file\n")
    file.chmod(0o600)
    env = {"LOCAL_KEY": f"sk-{CANARY}", "PARLEY_API_KEY": f"pk-{CANARY}",
           "PARLEY_UPSTREAM_URL": "http://127.0.0.1:9/v1", "PARLEY_UPSTREAM_KEY": f"uk-{CANARY}"}
    config = tmp_path / "printed.yaml"
    config.write_text(GOOD.format(folder=tmp_path).replace(
        "    dialect: openai", "    api_key_env: LOCAL_KEY\n    dialect: openai"))
    result = gw.run("--print-config", "--config", config, env=env)
    assert result.returncode == 0, result.stderr
    assert CANARY not in result.stdout + result.stderr
    assert "default_model" in result.stdout and "small" in result.stdout
    for source in ("default", "printed.yaml:3"):
        assert source in result.stdout, "each value says where it came from"


def test_an_answer_may_go_on_in_several_ways(check):
    model = "models:\n  - {{name: m, provider: echo, fallback: [n], resume: %s}}\n  - {{name: n, provider: echo}}\n"
    for words in ("restart", "fallback", "[fallback, restart]", "[restart]", '"off"'):
        assert check(model % words).returncode == 0
    for words, why in (("often", "fallback, restart or off"), ("[off]", "fallback or restart")):
        assert why in check(model % words).stderr


@pytest.mark.parametrize("key", ["api_key: abc", "key: abc"])
def test_a_secret_in_the_file_itself_is_refused_and_not_repeated(check, key):
    result = check(GOOD.replace("    max_tokens_field: max_tokens",
                                f"    {key.replace('abc', CANARY)}"))
    assert result.returncode > 0 and CANARY not in result.stderr


def test_flags_beat_the_environment_and_that_beats_the_file(tmp_path):
    file = tmp_path / "parley.yaml"
    file.write_text("default_model: echo\nkeep_alive: 20s\nlog_level: warn\n")

    def shown(name, *args, **env):
        result = gw.run("--print-config", "--config", file, *args, env=env)
        assert result.returncode == 0, result.stderr
        return next(line for line in result.stdout.splitlines() if name in line)
    assert "20s" in shown("keep_alive")
    assert "25s" in shown("keep_alive", PARLEY_KEEP_ALIVE="25s")
    assert "30s" in shown("keep_alive", "--keep-alive", "30s", PARLEY_KEEP_ALIVE="25s")
    assert "10s" in shown("commit_after")


def test_a_bad_value_names_its_flag_or_variable():
    result = gw.run("--check-config", env={"PARLEY_MAX_BODY": "huge"})
    assert result.returncode > 0 and "PARLEY_MAX_BODY" in result.stderr
    result = gw.run("--check-config", "--max-body", "huge")
    assert result.returncode > 0 and "max-body" in result.stderr.replace("_", "-")


def test_usage_errors_are_64():
    for args in (["--nonsense"], ["nonsense"], ["serve", "--listen"], ["serve", "extra"]):
        result = gw.run(*args)
        assert result.returncode == 64, (args, result)
        assert result.stderr and not result.stdout


def test_help_goes_to_stdout_and_has_every_option():
    result = gw.run("--help")
    assert result.returncode == 0 and not result.stderr
    rows = re.findall(r"^X\((\w+),", (gw.PROJECT / "src/config/config.def").read_text(), re.M)
    assert len(rows) > 5
    for name in rows:
        assert "--" + name.replace("_", "-") in result.stdout
    for word in ("serve", "migrate", "--check-config", "--print-config", "--version"):
        assert word in result.stdout


def test_version():
    result = gw.run("--version")
    assert result.returncode == 0 and re.search(r"\d+\.\d+\.\d+", result.stdout)


def test_migrate_makes_the_database(tmp_path):
    file = tmp_path / "new.db"
    for _ in range(2):
        result = gw.run("migrate", "--database", file)
        assert result.returncode == 0, result.stderr
    assert file.exists()


def test_a_migration_that_may_take_long_is_told_of_before(tmp_path):
    file = tmp_path / "old.db"
    made = gw.run("migrate", "--database", file)
    assert made.returncode == 0 and "migrations of the database begin" not in made.stderr, "a new one is empty"
    with contextlib.closing(sqlite3.connect(file)) as db, db:
        (last,) = db.execute("SELECT name FROM schema_migration ORDER BY number DESC").fetchone()
        assert last == "0033_budget_each", "the migration that is undone here"
        columns = [(table, f"each_{part}") for table in ("api_key", "key_group") for part in ("tag", "nano", "window_us")]
        db.executescript("DROP INDEX key_group_keep; ALTER TABLE key_group DROP COLUMN keep_ms;" + "".join(
            f"ALTER TABLE {table} DROP COLUMN {column};" for table, column in columns) +
            "DROP INDEX api_key_group; CREATE INDEX api_key_group ON api_key (key_group) WHERE key_group IS NOT NULL")
        db.execute("DELETE FROM schema_migration WHERE name = ?", (last,))
    result = gw.run("migrate", "--database", file)
    assert result.returncode == 0, result.stderr
    assert f"the first one is {last}" in result.stderr
    assert "1 migration applied" in result.stdout


# --- serving --------------------------------------------------------------------------------------


def test_without_a_file_it_serves_echo(start):
    gateway = start()
    with Client(gateway.url) as client:
        assert [m["id"] for m in client.get("/v1/models").ok().json["data"]] == ["echo"]
        assert client.chat("hi").ok().json["model"] == "echo"
    assert [gateway.url in line for line in gateway.stdout] == [True, True], "its address, and the console's"


def test_an_upstream_of_the_environment_answers_for_every_name(start, upstream, script):
    gateway = start(env={"PARLEY_UPSTREAM_URL": upstream.url,
                         "PARLEY_UPSTREAM_KEY": f"uk-{CANARY}"})
    s = script(up.either("ok"))
    with Client(gateway.url) as client:
        assert client.chat("hi", model=s.name).ok().text == "ok"
        assert client.complete(s.name).ok().text == "ok"
        client.chat("hi", model="some/other:name").error(404)
    assert s.request.header("authorization") == f"Bearer uk-{CANARY}"
    assert s.request.json["model"] == s.name


def test_aliases_and_stars(start, upstream, script):
    s, t = script(up.either("one")), script(up.either("two"))
    gateway = start({"providers": [{"name": "p", "dialect": "openai", "base_url": upstream.url}],
                     "models": [{"name": "nice", "provider": "p", "upstream_model": s.name},
                                {"name": "x/*", "provider": "p"},
                                {"name": "x/special", "provider": "p", "upstream_model": t.name}],
                     "default_model": "nice"})
    with Client(gateway.url) as client:
        assert client.chat("hi").ok().text == "one"
        assert client.chat("hi", model="x/" + s.name).ok().text == "one"
        assert client.chat("hi", model="x/special").ok().text == "two"
        client.chat("hi", model="echo2").error(404, "model_not_found")
        assert s.wait(1).request.json["model"] == s.name
        ids = {m["id"] for m in client.get("/v1/models").ok().json["data"]}
        assert {"nice", "x/special"} <= ids


def test_extra_headers_and_a_trailing_slash(start, upstream, script):
    s = script(up.either("ok"))
    gateway = start({"providers": [{"name": "p", "dialect": "openai",
                                    "base_url": upstream.url + "/",
                                    "headers": {"X-Title": "tests"}}],
                     "models": [{"name": "*", "provider": "p"}], "default_model": s.name})
    with Client(gateway.url) as client:
        client.chat("hi").ok()
    assert s.request.header("x-title") == "tests"
    assert s.request.target == "/v1/chat/completions"


def test_proxies_of_the_environment_are_not_used(start, upstream, script):
    s = script(up.either("ok"))
    gateway = start(usual={}, env={"http_proxy": "http://127.0.0.1:9", "ALL_PROXY":
                                   "http://127.0.0.1:9", "no_proxy": ""})
    with Client(gateway.url) as client:
        client.chat("hi", model=s.model).ok()


def test_listen_on_several_addresses(start):
    gateway = start({"listen": ["127.0.0.1:0", "[::1]:0"]}, listen=None)
    with Client(gateway.url) as client:
        client.get("/livez").ok()


# --- reload ---------------------------------------------------------------------------------------


def test_sighup_reads_the_file_again(start, upstream, script):
    gateway = start(usual={})
    s = script(up.either("reloaded"))
    gate = up.Gate()
    slow = script(up.sse(), up.role(), up.text("a"), up.wait(gate), *up.ending())
    config = yaml.safe_load(gateway.config_file.read_text())
    with Client(gateway.url) as client, client.chat_stream("q", model=slow.model) as stream:
        stream.until_text("a")
        config["models"].append({"name": "fresh", "provider": "local", "upstream_model": s.name})
        config["models"] = [m for m in config["models"] if m["name"] != "t/*"]
        config["default_model"] = "fresh"
        gateway.write_config(config)
        gateway.signal(signal.SIGHUP)
        wait_until(lambda: client.get("/v1/models/fresh").status == 200, "the new model")
        assert client.chat("hi").ok().text.strip() == "reloaded"
        client.chat("hi", model=s.model).error(404, "model_not_found")
        gate.open()
        assert stream.native().error is None, "what runs is not disturbed"


def test_a_key_in_a_file_that_changes_is_used_from_then_on(start, upstream, tmp_path):
    """As a side-car rotates keys, and as Kubernetes swaps them: by another link, at any time, without a signal."""
    def put(name, key):
        (tmp_path / name).write_text(key + "\n")
        (tmp_path / name).chmod(0o600)

    put("one", "key-one-of-three")
    link = tmp_path / "key"
    link.symlink_to("one")
    gateway = start({"providers": [{"name": "p", "dialect": "openai", "base_url": upstream.url,
                                    "api_key_file": str(link)}], "models": [{"name": "*", "provider": "p"}]})
    config = gateway.config_file.read_text()
    with Client(gateway.url) as client:
        def sends():
            s = upstream.script(up.either("fine"))
            client.chat("hi", model=s.name).ok()
            return s.request.header("authorization")

        assert sends() == "Bearer key-one-of-three"
        gateway.config_file.write_text("half: [edited\n")
        put("two", "key-two-of-three")
        (tmp_path / "swap").symlink_to("two")
        os.replace(tmp_path / "swap", link)
        wait_until(lambda: sends() == "Bearer key-two-of-three", "the second key")
        mark = len(gateway.lines)
        link.unlink()
        gateway.wait_log("the old configuration stays in use", mark)
        assert sends() == "Bearer key-two-of-three"
        (tmp_path / "open").write_text("key-three-of-three\n")
        (tmp_path / "open").chmod(0o644)
        mark = len(gateway.lines)
        os.replace(tmp_path / "open", link)
        gateway.wait_log("is open to group or others", mark)
        link.chmod(0o600)
        wait_until(lambda: sends() == "Bearer key-three-of-three", "the third key")
        gateway.config_file.write_text(config)
        assert "-of-three" not in "".join(gateway.lines)


def test_a_bad_file_at_sighup_changes_nothing(start):
    gateway = start(usual={})
    with Client(gateway.url) as client:
        gateway.config_file.write_text("nonsense: [\n")
        mark = len(gateway.lines)
        gateway.signal(signal.SIGHUP)
        gateway.wait_log("parley.yaml", mark)
        client.chat("hi").ok()
        assert client.get("/v1/models").ok().json["data"]




def test_the_page_of_the_configuration_has_the_table_of_options():
    table = gw.run("--dump-options").stdout
    page = (gw.PROJECT / "docs/configuration.md").read_text()
    assert page.split("<!-- options -->\n")[1].split("<!-- /options -->")[0] == table
