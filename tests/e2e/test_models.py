"""GET /v1/models: what is listed behind names with a star, and that nobody waits for it long."""

import json
import pathlib
import time

import anthropic
import pytest

import keys
import upstream as up
from client import Client
from fixtures import once
from test_metrics import value
from upstream import Upstream
from waiting import DEADLINE, wait_until

OPENAI = up.reply({"object": "list", "data": [{"id": "small"}, {"id": "org/large:7b"}, {"id": "small"},
                                              {"id": "bad\n"}, {"id": ""}, {"id": 5}, {"no": 1}, 7,
                                              {"id": "wild*"}, {"id": "x" * 257}]})


@pytest.fixture
def lister():
    server = Upstream()
    yield server
    server.close()
    assert not server.faults, "\n".join(server.faults)


def provider(server, dialect="openai", **more):
    root = "" if dialect in ("anthropic", "ollama", "gemini") else "/v1"
    return {"name": "p", "dialect": dialect, "base_url": f"http://127.0.0.1:{server.port}{root}", **once(),
            **more}


def ids(client):
    listed = client.get("/v1/models").ok().json
    assert listed["object"] == "list"
    return [m["id"] for m in listed["data"]]


def serving(start, *providers, models=None, **more):
    models = models or [{"name": "p/*", "provider": "p"}]
    return start({"providers": list(providers), "models": [{"name": "echo", "provider": "echo"}, *models],
                  **more}, env={"KEY_OF_P": "secret-of-p"})


@pytest.mark.parametrize("dialect, target, answer", [
    ("openai", "/v1/models", OPENAI), ("mistral", "/v1/models", OPENAI), ("lmc", "/v1/models", OPENAI),
    ("openai-responses", "/v1/models", OPENAI),
    ("anthropic", "/v1/models?limit=1000", up.reply({"data": [{"type": "model", "id": "small"},
                                                              {"type": "model", "id": "org/large:7b"}]})),
    ("gemini", "/models?pageSize=1000", up.reply({"models": [{"name": "models/small"},
                                                             {"name": "models/org/large:7b"}]})),
    ("ollama", "/api/tags", up.reply({"models": [{"name": "org/large:7b"}, {"name": "small"}]})),
])
def test_the_providers_own_models_stand_in_the_place_of_a_star(start, lister, dialect, target, answer):
    lister.listing = [answer]
    gateway = serving(start, provider(lister, dialect, api_key_env="KEY_OF_P"))
    with Client(gateway.url) as client:
        assert ids(client) == ["echo", "p/org/large:7b", "p/small"]
        assert client.get("/v1/models/p%2Fsmall").ok().json["owned_by"] == "p"
        assert len(ids(client)) == 3 and len(lister.listed) == 1, "it is kept"
    request = lister.listed[0]
    assert request.method == "GET" and request.target == target and request.body == b""
    assert "secret-of-p" in request.head.decode()


def test_what_is_known_of_lengths_is_told(start, lister):
    lister.listing = [up.reply({"data": [{"id": "gpt-4o-mini"}, {"id": "nobody-knows-me"}]})]
    gateway = serving(start, provider(lister), models=[
        {"name": "p/*", "provider": "p"}, {"name": "own", "provider": "p", "max_output": 77},
        {"name": "two", "max_output": 99,
         "targets": [{"provider": "p", "upstream_model": m} for m in ("gpt-4o", "gpt-4.1")]}])
    known = {"echo": (None, None), "own": (None, 77), "two": (128000, 99), "p/gpt-4o-mini": (128000, 16384),
             "p/nobody-knows-me": (None, None)}
    with Client(gateway.url) as client:
        told = {m["id"]: (m.get("context_window"), m.get("max_output"))
                for m in client.get("/v1/models").ok().json["data"]}
        assert told == known
        for name, lengths in known.items():
            one = client.get(f"/v1/models/{name.replace('/', '%2F')}").ok().json
            assert (one.get("context_window"), one.get("max_output")) == lengths
        head = {"anthropic-version": "2023-06-01"}
        told = {m["id"]: (m.get("max_input_tokens"), m.get("max_tokens"))
                for m in client.get("/v1/models", headers=head).ok().json["data"]}
        assert told == known
        one = client.get("/v1/models/two", headers=head).ok().json
        assert (one["max_input_tokens"], one["max_tokens"]) == (128000, 99)


# What real lists say: Anthropic's (anthropic-python 2, types/model_info.py), Gemini's (ai.google.dev, models.list),
# Mistral's (docs.mistral.ai, BaseModelCard), OpenRouter's (openrouter.ai/docs, models), Groq's, vLLM's, llama.cpp's.
SAID = {
    "anthropic": ({"id": "m", "type": "model", "display_name": "Claude M", "max_input_tokens": 200000, "max_tokens": 64000,
                   "capabilities": {"image_input": {"supported": False}, "pdf_input": {"supported": True},
                                    "thinking": {"supported": True, "types": {}}}},
                  ("Claude M", 200000, 64000, ["pdf", "reasoning", "tools"])),
    "gemini": ({"name": "models/m", "displayName": "Gemini M", "inputTokenLimit": 1048576, "outputTokenLimit": 65536,
                "thinking": True}, ("Gemini M", 1048576, 65536, ["images", "audio", "pdf", "reasoning", "tools"])),
    "mistral": ({"id": "m", "name": "Mistral M", "max_context_length": 131072,
                 "capabilities": {"vision": True, "function_calling": False, "audio": False}},
                ("Mistral M", 131072, None, ["images", "pdf"])),
    "openai": ({"id": "m", "name": "Org: M", "context_length": 40960, "top_provider": {"max_completion_tokens": 8192},
                "architecture": {"input_modalities": ["text", "image"]}, "supported_parameters": ["tools", "seed"]},
               ("Org: M", 40960, 8192, ["images", "tools"])),
    "openai-responses": ({"id": "m", "context_window": 131072, "max_completion_tokens": 32768},
                         (None, 131072, 32768, ["images", "pdf", "tools"])),
    "lmc": ({"id": "m", "meta": {"n_ctx_train": 8192}}, (None, 8192, None, ["images", "audio", "tools"])),
    "ollama": ({"name": "m", "capabilities": ["completion"]}, (None, None, None, [])),
}


@pytest.mark.parametrize("star", [True, False], ids=["star", "named"])
@pytest.mark.parametrize("dialect", SAID)
def test_what_the_providers_list_says_of_a_model_is_told(start, lister, dialect, star):
    entry, (display, window, output, can) = SAID[dialect]
    lister.listing = [up.reply({"models" if "id" not in entry else "data": [entry]})] * 2
    gateway = serving(start, provider(lister, dialect), models=[
        {"name": "*", "provider": "p"} if star else {"name": "m", "provider": "p"}])
    with Client(gateway.url) as client:
        def told():
            one = client.get("/v1/models/m").ok().json
            return one["display_name"], one["context_window"], one["max_output"], one["capabilities"]

        client.get("/v1/models").ok()
        wait_until(lambda: told() == (display, window, output, can), "the list of the provider")
        listed = client.get("/v1/models", headers={"anthropic-version": "2023-06-01"}).ok().json["data"]
        one = anthropic.types.ModelInfo.model_validate(next(m for m in listed if m["id"] == "m"), strict=False)
        assert (one.display_name, one.max_input_tokens, one.max_tokens) == (display or "m", window, output)
        assert one.capabilities.image_input.supported == ("images" in can)
        assert one.capabilities.thinking.supported == ("reasoning" in can)
        google = client.get("/v1beta/models/m").ok().json
        assert google in client.get("/v1beta/models").ok().json["models"]
        assert (google["displayName"], google.get("outputTokenLimit")) == (display or "m", output)
        assert google.get("inputTokenLimit") == (window and window - (output or 0))
        assert google.get("thinking", False) == ("reasoning" in can)


def test_googles_list_tells_what_makes_vectors(start, lister):
    lister.listing = [up.reply({"data": [{"id": "m"}, {"id": "text-embed"}]})]
    gateway = serving(start, provider(lister), models=[{"name": "*", "provider": "p"}])
    with Client(gateway.url) as client:
        client.get("/v1/models").ok()
        verbs = {m["name"]: m["supportedGenerationMethods"] for m in client.get("/v1beta/models").ok().json["models"]}
        assert verbs["models/m"] == ["generateContent", "streamGenerateContent", "countTokens"]
        assert verbs["models/text-embed"] == ["embedContent", "batchEmbedContents"]


def test_a_name_without_a_tag_has_the_facts_of_latest(start, lister):
    """As a real server of Ollama's lists its models."""
    records = json.loads((pathlib.Path(__file__).parent.parent / "fixtures/ollama/answers.json").read_text())
    lister.listing = [up.reply(next(r["answer"][0] for r in records if r["name"] == "tags"))]
    gateway = serving(start, provider(lister, "ollama"), models=[{"name": n, "provider": "p"} for n in ("tiny", "vec", "tiny:8b")])
    with Client(gateway.url) as client:
        def told():
            return [[m[k] for k in ("kind", "context_window", "capabilities")]
                    for m in client.get("/v1/models").ok().json["data"] if m["id"] != "echo"]

        wait_until(lambda: told() == [["chat", 4096, ["reasoning", "tools"]], ["embedding", 4096, []],
                                      ["chat", None, ["images", "tools"]]], "the list of the provider")


def test_an_entry_goes_before_the_providers_list(start, lister):
    entry, _ = SAID["openai"]
    lister.listing = [up.reply({"data": [entry]})]
    gateway = serving(start, provider(lister), models=[
        {"name": "*", "provider": "p"},
        {"name": "mine", "provider": "p", "upstream_model": "m", "context_window": 16384, "max_output": 4096,
         "display_name": "M’s own", "tools": False, "images": False, "price": {"input": "2.5", "output": "0.000001"}},
        {"name": "two", "targets": [{"provider": "p", "upstream_model": m} for m in ("m", "gpt-4o")]}])
    with Client(gateway.url) as client:
        models = {m["id"]: m for m in client.get("/v1/models").ok().json["data"]}
        mine = models["mine"]
        assert (mine["display_name"], mine["context_window"], mine["max_output"]) == ("M’s own", 16384, 4096)
        assert mine["capabilities"] == []
        assert (mine["context_length"], mine["max_input_tokens"], mine["max_output_tokens"]) == (16384, 12288, 4096)
        assert mine["pricing"] == {"prompt": "0.0000025", "completion": "0.000000000001"}
        assert models["m"]["context_window"] == 40960 and "pricing" not in models["m"]
        assert (models["two"]["context_window"], models["two"]["max_output"]) == (40960, 8192), "the smallest"


def test_a_listed_model_can_be_called(start, lister):
    script = lister.script(up.either("fine"))
    lister.listing = [up.reply({"data": [{"id": script.name}]})]
    gateway = serving(start, provider(lister), models=[{"name": "*", "provider": "p"}])
    with Client(gateway.url) as client:
        assert ids(client) == ["echo", script.name]
        assert client.complete(script.name).ok().json["choices"][0]["message"]["content"] == "fine"
    assert script.request.json["model"] == script.name


def test_names_that_lead_elsewhere_are_not_listed_twice(start, lister):
    lister.listing = [up.reply({"data": [{"id": n} for n in ("echo", "deep/a", "b", "fixed")]})]
    gateway = serving(start, provider(lister), models=[
        {"name": "*", "provider": "p"}, {"name": "deep/*", "provider": "p", "upstream_model": "one"},
        {"name": "fixed", "provider": "echo"}, {"name": "e/*", "provider": "echo"}])
    with Client(gateway.url) as client:
        # Behind deep/* is one model whatever the name, and echo has no list.
        assert ids(client) == ["echo", "b", "fixed"]


def test_a_key_sees_its_own_models_of_a_star_alone(start, lister):
    lister.listing = [up.reply({"data": [{"id": n} for n in ("a1", "a2", "b1")]})]
    gateway = serving(start, provider(lister), admin_listen="127.0.0.1:0")
    made = keys.known(gateway, keys.make(gateway, "--models", "p/a*,p/b1,p/other"))
    with keys.client_of(gateway, made["key"]) as client:
        assert ids(client) == ["p/a1", "p/a2", "p/b1", "p/other"]
        client.get("/v1/models/p%2Fb2").error(404, "model_not_found")


@pytest.mark.parametrize("answer", [
    up.reply({"error": "no"}, 500), up.reply({"data": 5}), up.reply(b"no json"), up.hang_up(),
    up.reply(b"[" * 5000), up.reply(b'{"data":[]' + b" " * (5 << 20) + b"}"),
])
def test_a_provider_that_fails_is_left_out_and_told(start, lister, answer):
    lister.listing = [answer]
    gateway = serving(start, provider(lister, api_key_env="KEY_OF_P"))
    with Client(gateway.url) as client:
        assert ids(client) == ["echo"]
        line = gateway.wait_log(r'.*"event":"models_not_listed".*')[0]
        assert '"provider":"p"' in line and "secret-of-p" not in line
        assert ids(client) == ["echo"] and len(lister.listed) == 1, "it is not asked at once again"
        assert value(client, "parley_upstream_model_lists_total", upstream="p", result="failed") == 1
        assert client.get("/readyz").status == 200


def test_nobody_waits_long_for_a_silent_provider(start, lister):
    gate = up.Gate()
    lister.listing = [up.wait(gate), OPENAI]
    gateway = serving(start, provider(lister))
    with Client(gateway.url) as client:
        begun = time.monotonic()
        assert ids(client) == ["echo"]
        assert 0.9 < time.monotonic() - begun < DEADLINE
        client.complete("echo").ok()
        gate.open()
        wait_until(lambda: len(ids(client)) == 3, "the late answer")
    assert len(lister.listed) == 1


def test_a_stop_does_not_wait_for_a_list(start, lister):
    gate = up.Gate()
    lister.listing = [up.wait(gate), OPENAI]
    gateway = serving(start, provider(lister))
    with Client(gateway.url) as client:
        assert ids(client) == ["echo"]
    gate.wait_reached()
    gateway.stop()


# --- what is said of a model beside its name ---

def test_a_model_has_its_price_its_limits_and_what_it_can(start):
    """From its entry, from the built-in table, and of several targets together."""
    gateway = start({"default_model": "own", "providers": [
        {"name": "here", "dialect": "echo"},
        {"name": "gone", "dialect": "openai", "base_url": "http://127.0.0.1:9/v1", **once()}], "models": [
        {"name": "own", "provider": "here", "price": {"input": 1.5, "output": 6}, "max_output": 4096},
        {"name": "known", "provider": "gone", "upstream_model": "gpt-4o"},
        {"name": "thinks", "provider": "gone", "upstream_model": "o3-mini"},
        {"name": "vectors", "provider": "gone", "upstream_model": "text-embedding-3-small"},
        {"name": "two", "targets": [{"provider": "gone", "upstream_model": "x"},
                                    {"provider": "here", "upstream_model": "y"}]},
        {"name": "org/*", "provider": "gone"}]})
    with Client(gateway.url) as client:
        listed = client.get("/v1/models").ok().json["data"]
        models = {one["id"]: one for one in listed}
        assert [one["id"] for one in listed if one["default"]] == ["own"]
        own, known = models["own"], models["known"]
        assert own["price"] == {"input": "1.5", "output": "6"} and own["max_output"] == 4096
        assert own["context_window"] is None and own["kind"] == "chat" and own["health"] == "fine"
        assert known["price"] == {"input": "2.5", "output": "10"}
        assert (known["context_window"], known["max_output"]) == (128000, 16384)
        assert "images" in known["capabilities"] and "reasoning" not in known["capabilities"]
        assert "reasoning" in models["thinks"]["capabilities"]
        assert [one["id"] for one in listed if one["kind"] == "embedding"] == ["vectors"]
        assert models["two"]["price"] is None
        single = client.get("/v1/models/org%2Fgpt-4o-mini").ok().json
        assert single["price"] == {"input": "0.15", "output": "0.6"} and single["context_window"] == 128000
        assert client.get("/v1/models/known").ok().json == known
        shaped = client.get("/v1/models", headers={"anthropic-version": "2023-06-01"}).ok().json["data"]
        assert "price" not in shaped[0]


def test_a_model_that_is_down_says_so_unless_a_target_is_well(start):
    gateway = start({"providers": [
        {"name": "here", "dialect": "echo"},
        {"name": "gone", "dialect": "openai", "base_url": "http://127.0.0.1:9/v1", **once(),
         "health": {"failures": 1}}], "models": [
        {"name": "down", "provider": "gone", "upstream_model": "x"},
        {"name": "half", "targets": [{"provider": "gone", "upstream_model": "x"}, {"provider": "here"}]}]})
    with Client(gateway.url) as client:
        client.chat("hi", model="down")
        models = {one["id"]: one["health"] for one in client.get("/v1/models").ok().json["data"]}
        assert (models["down"], models["half"]) == ("open", "fine")
