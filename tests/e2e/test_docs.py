"""The examples of the documentation work as they are shown.

A fence of sh or python that is marked with <!-- run --> is run against a gateway of its page (those of
js are run by tests/clients/test_node.py).  Ids in a command stand for
the last id of that kind that was seen.  A fence of json, jsonl or text right behind it is what comes out:
members and lines that it shows must be there, ids and times may differ, "..." stands for any blocks.
A fence of console is all that comes out.

A fence of yaml that is marked is the configuration of a gateway that the page's next commands go to.  Its
hosts are all cloud.py, behind a proxy, and each of its models is asked.
"""

import json
import os
import re
import subprocess
import sys

import botocore.session
import pytest
import yaml

import gateway as gw
from client import Client
from cloud import Cloud
from secure import certificate
from waiting import DEADLINE

SHOWN = "http://127.0.0.1:8080"
PAGES = ["README.md", "docs/api.md", "docs/lmc.md", "docs/messages.md", "docs/gemini.md", "docs/ollama.md",
         "docs/responses.md", "docs/rebyte.md", "docs/bedrock.md", "docs/vertex.md"]
EXAMPLE = re.compile(r"^<!-- run -->\n```(?P<language>sh|python|yaml)\n(?P<command>.*?)^```\n"
                     r"(?:\n```(?P<kind>json|jsonl|text|console)\n(?P<expected>.*?)^```\n)?", re.M | re.S)
SAID = "Hello! How can I help you today?"
VARIES = re.compile(r"created_at|\w+_duration")  # of Ollama's lines
ID = re.compile(r"\b(conv|run|msg|chatcmpl|req|resp)([_-])[0-9a-f]{32}\b")
FILE_ID = re.compile(r"\bfile-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")


def plain(text):
    return FILE_ID.sub("file-ID", ID.sub(r"\1\2ID", text))


def assert_part(expected, actual, where="the answer"):
    """All that is expected is there; more may be."""
    if isinstance(expected, dict):
        assert isinstance(actual, dict), f"{where} is no object: {actual!r}"
        for key, value in expected.items():
            assert key in actual, f"{where} lacks {key}: {actual!r}"
            if not VARIES.fullmatch(key) or type(value) is not type(actual[key]):
                assert_part(value, actual[key], f"{where}.{key}")
    elif isinstance(expected, list):
        assert isinstance(actual, list) and len(actual) == len(expected), \
            f"{where} should have {len(expected)} elements: {actual!r}"
        for n, value in enumerate(expected):
            assert_part(value, actual[n], f"{where}[{n}]")
    elif isinstance(expected, int) and expected > 10**9:
        assert isinstance(actual, int) and actual > 10**9, f"{where} is no time: {actual!r}"
    elif isinstance(expected, str):
        assert isinstance(actual, str), f"{where} is no string: {actual!r}"
        assert plain(actual) == plain(expected), where
    else:
        assert actual == expected, where


def blocks(text):
    return [b.splitlines() for b in re.split(r"\n\n+", text.strip("\n"))
            if b and not b.startswith(":")]


def is_block(expected, actual):
    for line in expected:
        if line.startswith("data: {"):
            data = [a for a in actual if a.startswith("data: {")]
            if not data:
                return False
            try:
                assert_part(json.loads(line[6:]), json.loads(data[0][6:]))
            except AssertionError:
                return False
        elif plain(line) not in [plain(a) for a in actual]:
            return False
    return True


def assert_blocks(expected, actual):
    shown, seen, skipping = blocks(expected), blocks(actual), False
    for block in shown:
        if block == ["..."]:
            skipping = True
            continue
        while skipping and seen and not is_block(block, seen[0]):
            seen.pop(0)
        assert seen and is_block(block, seen[0]), f"there is no {block} in:\n{actual}"
        seen.pop(0)
        skipping = False
    assert skipping or not seen, f"more came than is shown: {seen}"


def run(command, gateway, ids, folder, language="sh"):
    command = ID.sub(lambda m: ids.get(m[1], m[0]), command).replace(SHOWN, gateway.url)
    command = FILE_ID.sub(lambda m: ids.get("file", m[0]), command)
    env = gw.environment({"CURL_HOME": str(folder)})
    program = [sys.executable, "-c"] if language == "python" else ["bash", "-e", "-c"]
    done = subprocess.run([*program, command], cwd=folder, env=env, text=True,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=4 * DEADLINE)  # a package is read that some machines take long for
    assert done.returncode == 0, f"{command}\nended with {done.returncode}: {done.stderr}"
    for found in ID.finditer(done.stdout):
        ids[found[1]] = found[0]
    for found in FILE_ID.finditer(done.stdout):
        ids["file"] = found[0]
    return done.stdout


@pytest.fixture
def cloud(tmp_path):
    made = Cloud()
    made.open_tunnel(certificate(tmp_path, ["sts.eu-central-1.amazonaws.com", *sorted({
        host for page in PAGES for host in re.findall(r"base_url: https://([a-z0-9.-]+)", (gw.PROJECT / page).read_text())})]))
    made.external_id = "parley-prod"
    yield made
    made.close()


def configured(text, cloud, start, folder):
    """A gateway of a configuration, each of whose models has been asked."""
    cloud.says = SAID
    (folder / "vertex.json").write_text(json.dumps(cloud.service_account()))
    config = yaml.safe_load(text.replace("/etc/parley", str(folder)))
    authority = str(folder / "cert.pem")
    for entry in config["providers"]:
        entry |= {"proxy": cloud.url, "ca_file": authority}
    gateway = start(yaml.safe_dump(config), env={**cloud.env["google"], **cloud.env["env"], "SSL_CERT_FILE": authority,
                                                   "AWS_BEARER_TOKEN_BEDROCK": cloud.bedrock_key})
    with Client(gateway.url) as client:
        for model in config["models"]:
            name = model["name"].replace("*", "any")
            assert client.complete(name).ok().json["choices"][0]["message"]["content"] == SAID
            with client.complete_stream(name) as stream:
                assert stream.openai().text == SAID
    return gateway


@pytest.mark.parametrize("page", PAGES)
def test_examples_of_a_page_work(start, page, tmp_path, request):
    (tmp_path / ".curlrc").write_text("silent\nshow-error\nmax-time = 20\n")
    # the model of README's section on a real provider
    models = [{"name": "gpt-4o-mini", "provider": "echo"}] if page == "README.md" else None
    gateway, ids, count = start(models and {"models": models}), {}, 0
    for found in EXAMPLE.finditer((gw.PROJECT / page).read_text()):
        if found["language"] == "yaml":
            gateway = configured(found["command"], request.getfixturevalue("cloud"), start, tmp_path)
            continue
        out = run(found["command"], gateway, ids, tmp_path, found["language"])
        try:
            if found["kind"] == "json":
                assert_part(json.loads(found["expected"]), json.loads(out))
            elif found["kind"] == "jsonl":
                assert_part(*[[json.loads(line) for line in text.splitlines()] for text in (found["expected"], out)])
            elif found["kind"] == "text":
                assert_blocks(found["expected"], out)
            elif found["kind"] == "console":
                assert plain(out) == plain(found["expected"])
            else:
                assert '"error":{' not in out and '"error": {' not in out
        except (AssertionError, ValueError) as error:
            pytest.fail(f"{page}: {found['command']}\n{error}\nwhat came:\n{out}")
        count += 1
    assert count, "no example found"


def test_commands_of_amazon_s_client_have_its_options():
    """Its model has the names; the client itself turns them into these."""
    named = lambda text: re.sub(r"(?:^|-)([a-z])", lambda m: m[1].upper(), text)  # noqa: E731
    commands = re.findall(r"`aws (\w+) ([a-z-]+) (.*?)`", (gw.PROJECT / "docs/bedrock.md").read_text())
    assert commands
    for service, operation, options in commands:
        shape = botocore.session.Session().get_service_model(service).operation_model(named(operation)).input_shape
        given = re.findall(r"--([a-z-]+) (\S+)", options)
        assert {named(name) for name, _ in given} <= set(shape.members), shape.members


CONFIGURATIONS = [*sorted((gw.PROJECT / "examples").rglob("*.yaml")),
                  gw.PROJECT / "packaging/parley.yaml"]


@pytest.mark.parametrize("text", [
    *(pytest.param(file.read_text(), id=str(file.relative_to(gw.PROJECT)))
      for file in CONFIGURATIONS if file.name != "compose.yaml"),
    *(pytest.param(body, id=f"{page} {n}") for page in ("README.md", "docs/providers.md") for n, body in enumerate(
        re.findall(r"^```yaml\n(.*?)^```", (gw.PROJECT / page).read_text(), re.M | re.S))
      if "providers:\n" in body and "models:\n" in body),
])
def test_example_configurations_are_right(text, tmp_path):
    file = tmp_path / "parley.yaml"
    file.write_text(text)
    folder = tmp_path / "credentials"
    folder.mkdir(mode=0o700)
    for name in re.findall(r"^ [^#\n]*credential: (\w+)", text, re.M):
        (folder / name).write_text("k")
        (folder / name).chmod(0o600)
    env = {name: "k" for name in re.findall(r"^ [^#\n]*_env: (\w+)", text, re.M)}
    done = gw.run("--check-config", "--config", file, cwd=tmp_path,
                  env={**env, "CREDENTIALS_DIRECTORY": str(folder)})
    assert done.returncode == 0, done.stdout + done.stderr
    assert not os.path.exists(tmp_path / "parley.db"), "a check makes no database"
