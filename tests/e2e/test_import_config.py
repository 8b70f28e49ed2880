"""`parley import-config`: real configurations of LiteLLM's proxy and of Portkey's gateway become Parley's."""

import json
import re
from pathlib import Path

import pytest
import yaml

import gateway as gw
import upstream as up
from client import Client

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures" / "import"
PAGE = Path(__file__).resolve().parents[2] / "docs" / "configuration.md"
EX_USAGE, EX_DATAERR, EX_NOINPUT = 64, 65, 66
SECRET = f"sk-{gw.CANARY}"
NOTE = re.compile(r"^#   (.*) \(line (\d+)\): (.+)$", re.M)


@pytest.fixture
def imported(tmp_path):
    """imported(source): what becomes of it, which Parley's own check takes; source: a path, a text or a dict."""
    def run(source, code=0, env=None, **there):
        file = source
        if not isinstance(source, Path):
            file = tmp_path / "source"
            file.write_text(source if isinstance(source, str) else json.dumps(source))
        done = gw.run("import-config", file, env=env)
        assert done.returncode == code, done.stderr
        assert gw.CANARY not in done.stdout + done.stderr and not gw.SANITIZER.search(done.stderr), done.stderr
        if code:
            return done
        made = yaml.safe_load(done.stdout)
        (tmp_path / "parley.yaml").write_text(done.stdout)
        keys = set(re.findall(r"(?:api_key_env|env): (\w+)", done.stdout))
        checked = gw.run("--check-config", tmp_path / "parley.yaml", env={**dict.fromkeys(keys, "a-key"), **there})
        assert checked.returncode == 0, checked.stderr + done.stdout
        made["notes"] = {path: why for path, line, why in NOTE.findall(done.stdout)}
        made["text"], made["summary"] = done.stdout, done.stderr
        made["by_name"] = {m["name"]: m for m in made["models"]}
        return made
    return run


def litellm(*deployments, **sections):
    """Each deployment: (name, litellm_params) or (name, litellm_params, model_info)."""
    return {"model_list": [{"model_name": d[0], "litellm_params": d[1], **({"model_info": d[2]} if d[2:] else {})}
                           for d in deployments], **sections}


@pytest.mark.parametrize("name", sorted(p.name for p in FIXTURES.iterdir() if p.name != "LICENSE"))
def test_examples_of_the_other_gateways_are_taken(imported, name):
    source = yaml.safe_load((FIXTURES / name).read_text())
    made = imported(FIXTURES / name)
    literals = {str(v) for v in re.findall(r'api_?[kK]ey"?: *"?((?:sk|YOUR)[\w-]+)', (FIXTURES / name).read_text())}
    assert not [k for k in literals if k in made["text"]]
    # All models are there, or a comment says why not; and in their order.
    for n, entry in enumerate(source.get("model_list", [])):
        assert entry["model_name"] in made["by_name"] or f"model_list[{n}].litellm_params.model" in made["notes"]
    order = [e["model_name"] for e in source.get("model_list", []) if e["model_name"] in made["by_name"]]
    assert [m for m in dict.fromkeys(order)] == [m["name"] for m in made["models"]] or not order


def test_litellm_members_become_options(imported):
    made = imported(litellm(
        ("big", {"model": "openai/gpt-4o", "api_key": "os.environ/MY_KEY", "rpm": 90, "temperature": 0.5, "stop": ["END"],
                 "input_cost_per_token": "2.5e-06", "output_cost_per_token": 0.00001,
                 "cache_read_input_token_cost": 1.25e-06},
         {"max_input_tokens": 128_000, "max_output_tokens": 16384, "supports_vision": False}),
        ("big", {"model": "azure/dep", "api_base": "https://res.openai.azure.com/", "api_version": "2024-06-01",
                 "api_key": SECRET, "rpm": 30, "timeout": 7, "stream_timeout": 0.5, "max_retries": 4}),
        ("small", {"model": "hosted_vllm/llama", "api_base": "http://127.0.0.1:9/v1/", "api_key": SECRET + "2",
                   "extra_headers": {"X-Title": "mine", "X-Secret": SECRET + "3"}}),
        ("claude", {"model": "anthropic/claude-x", "api_base": "https://proxy.example/v1/messages"}),
        ("thinks", {"model": "openai/responses/o9"}),
        ("gpt-5", {"model": "gpt-5"}),
        ("any/*", {"model": "groq/*"}),
        router_settings={"num_retries": 3, "timeout": 20, "cooldown_time": 60, "allowed_fails": 2,
                         "model_group_alias": {"alias": "small"},
                         "fallbacks": [{"big": ["small", "any/llama"]}]},
        litellm_settings={"request_timeout": 600, "num_retries": 9, "default_fallbacks": ["small"],
                          "callbacks": ["otel"], "cache": True},
        general_settings={"master_key": SECRET + "4", "database_url": SECRET + "5"},
        environment_variables={"OTHER": SECRET + "6"}))
    limits = {"timeouts": {"first_byte": "20s", "idle": "20s"}, "retries": 3,
              "health": {"failures": 3, "window": "1m", "pause": "1m"}}
    base = {"dialect": "openai", **limits}
    assert made["providers"] == [
        {"name": "openai", "base_url": "https://api.openai.com/v1", "api_key_env": "MY_KEY", **base},
        {"name": "azure", **limits, "dialect": "azure", "base_url": "https://res.openai.azure.com",
         "api_key_env": "AZURE_API_KEY", "query": "api-version=2024-06-01", "retries": 4,
         "timeouts": {"first_byte": "7s", "idle": "500ms"}},
        {"name": "hosted_vllm", "base_url": "http://127.0.0.1:9/v1", "api_key_env": "HOSTED_VLLM_API_KEY", **base,
         "headers": {"X-Title": "mine", "X-Secret": {"env": "X_SECRET_API_KEY"}}},
        {"name": "anthropic", **limits, "dialect": "anthropic", "base_url": "https://proxy.example/v1",
         "api_key_env": "ANTHROPIC_API_KEY"},
        {"name": "openai-2", **limits, "dialect": "openai-responses", "base_url": "https://api.openai.com/v1",
         "api_key_env": "OPENAI_API_KEY"},
        {"name": "openai-3", "base_url": "https://api.openai.com/v1", "api_key_env": "OPENAI_API_KEY", **base},
        {"name": "groq", "base_url": "https://api.groq.com/openai/v1", "api_key_env": "GROQ_API_KEY", **base},
    ]
    small = {"provider": "hosted_vllm", "upstream_model": "llama"}
    assert made["models"] == [
        {"name": "big", "targets": [{"provider": "openai", "upstream_model": "gpt-4o", "weight": 3},
                                    {"provider": "azure", "upstream_model": "dep", "weight": 1}],
         "fallback": ["small", "any/llama"], "images": False, "context_window": 128000, "max_output": 16384,
         "price": {"input": 2.5, "output": 10, "cached": 1.25},
         "defaults": {"config": {"temperature": 0.5, "stop": ["END"]}}},
        {"name": "small", **small},
        {"name": "claude", "provider": "anthropic", "upstream_model": "claude-x", "fallback": ["small"]},
        {"name": "thinks", "provider": "openai-2", "upstream_model": "o9", "fallback": ["small"]},
        {"name": "gpt-5", "provider": "openai-3", "fallback": ["small"]},
        {"name": "any/*", "provider": "groq", "fallback": ["small"]},
        {"name": "alias", **small},
    ]
    assert made["api_keys"] == [{"env": "LITELLM_MASTER_KEY"}]
    assert set(made["notes"]) == {
        "model_list[0].litellm_params.rpm", "model_list[1].litellm_params.rpm", "litellm_settings.callbacks",
        "litellm_settings.cache", "general_settings.database_url", "environment_variables"}
    assert "docs/cache.md" in made["notes"]["litellm_settings.cache"]
    assert "put the key of line 1 there: model_list[1].litellm_params.api_key" in made["text"]
    assert "4 keys stood in the file" in made["summary"] and "6 members were not" in made["summary"]


UNUSABLE = [
    ({"model": "bedrock/x"}, "needs a region"),
    ({"model": "nobody/x"}, "doesn't know this provider"),
    ({"model": "llama"}, "provider is not named"),
    ({"model": "*"}, "any provider"),
    ({"model": "openai/*"}, "any model by one name"),
    ({"model": "azure/dep"}, "needs an address"),
    ({"model": "openai/x", "api_base": "os.environ/NOT_SET_HERE"}, "set it, and import again"),
    ({"model": "openai/x", "api_base": f"https://u:{SECRET}@host/v1"}, "password"),
    ({"model": "openai/x", "api_base": f"https://host/v1?key={SECRET}"}, "query"),
    ({"model": "openai/x", "api_base": SECRET}, "https://"),
    ({"model": "openai/x", "extra_headers": {"bad name": "x"}}, "these headers"),
    ({"model": "openai/" + "x" * 300}, "256 bytes"),
    ({"model": "bedrock/x", "aws_region_name": "a_b"}, "needs a region"),
    ({"model": "bedrock/us-east-1/x", "aws_region_name": "os.environ/NOT_SET_HERE"}, "set it, and import again"),
    ({"model": "bedrock/x", "aws_region_name": "eu/1"}, "no name has"),
    ({"model": "bedrock/us-east-1/x", "aws_role_name": "os.environ/NOT_SET_HERE"}, "set it, and import again"),
    ({"model": "bedrock/us-east-1/x", "aws_bedrock_runtime_endpoint": "os.environ/NOT_SET_HERE"}, "set it, and import again"),
    ({"model": "bedrock/us-east-1/x", "extra_headers": {"Authorization": SECRET}}, "these headers"),
    ({"model": "vertex_ai/gemini", "vertex_project": "p", "vertex_location": "os.environ/NOT_SET_HERE"}, "vertex_location"),
    ({"model": "bedrock/x", "aws_region_name": "eu-west-1", "aws_role_name": "arn:x", "aws_session_name": "s"}, "this auth"),
    ({"model": "bedrock/x", "aws_region_name": "eu-west-1", "aws_role_name": "role/x"}, "this auth"),
    ({"model": "bedrock/titan-embed", "aws_region_name": "eu-west-1"}, "no embeddings"),
    ({"model": "vertex_ai/gemini"}, "vertex_project"),
    ({"model": "vertex_ai/*", "vertex_project": "p"}, "write the models out"),
]


def test_what_can_not_be_asked_is_a_comment_and_the_rest_is_there(imported):
    made = imported(litellm(*[("m", params) for params, _ in UNUSABLE], ("echo", {"model": "groq/x"})))
    assert [m["name"] for m in made["models"]] == ["echo"] and [p["name"] for p in made["providers"]] == ["groq"]
    assert list(made["notes"]) == [f"model_list[{n}].litellm_params.model" for n in range(len(UNUSABLE))]
    for (params, why), said in zip(UNUSABLE, made["notes"].values(), strict=True):
        assert why in said, params


def test_an_address_may_be_in_a_variable(imported):
    source = litellm(("m", {"model": "openai/x", "api_base": "os.environ/MY_BASE", "api_key": "os.environ/K"}))
    made = imported(source, env={"MY_BASE": "http://127.0.0.1:9/v1"})
    assert made["providers"][0]["base_url"] == "http://127.0.0.1:9/v1"
    source["environment_variables"] = {"MY_BASE": "http://127.0.0.1:8/v1"}
    assert imported(source)["providers"][0]["base_url"] == "http://127.0.0.1:8/v1"


def test_models_in_clouds_sign_in(imported, tmp_path):
    (tmp_path / "aws").write_text("[profile prod]\naws_access_key_id = a\naws_secret_access_key = b\n")
    (tmp_path / "vertex.json").write_text('{"type": "authorized_user", "client_id": "a", "client_secret": "b", "refresh_token": "c"}')
    made = imported(litellm(
        ("a", {"model": "bedrock/us.anthropic.claude-x-v1:0", "aws_region_name": "os.environ/REGION", "api_key": SECRET}),
        ("b", {"model": "bedrock/converse/eu-west-1/us.amazon.nova-v1:0", "aws_profile_name": "prod",
               "aws_access_key_id": SECRET}),
        ("r", {"model": "bedrock/eu-west-1/x", "aws_role_name": "arn:aws:iam::123456789012:role/x", "aws_session_name": "me",
               "aws_external_id": "ext-1"}),
        ("c", {"model": "vertex_ai/gemini-x", "vertex_project": "p", "vertex_location": "europe-west1",
               "vertex_credentials": str(tmp_path / "vertex.json")}),
        ("d", {"model": "vertex_ai/claude-x@1", "vertex_project": "p", "vertex_location": "global"}),
        ("e", {"model": "vertex_ai/meta/llama-maas", "vertex_project": "p",
               "vertex_credentials": json.dumps({"private_key": SECRET})})), env={"REGION": "us-east-1"},
        AWS_CONFIG_FILE=tmp_path / "aws", GOOGLE_APPLICATION_CREDENTIALS=tmp_path / "vertex.json")
    google = "aiplatform.googleapis.com/v1/projects/p/locations"
    assert [{k: v for k, v in p.items() if k != "name"} for p in made["providers"]] == [
        {"dialect": "anthropic", "hosting": "bedrock", "base_url": "https://bedrock-runtime.us-east-1.amazonaws.com",
         "api_key_env": "AWS_BEARER_TOKEN_BEDROCK"},
        {"dialect": "bedrock", "base_url": "https://bedrock-runtime.eu-west-1.amazonaws.com",
         "auth": {"kind": "aws", "profile": "prod"}},
        {"dialect": "bedrock", "base_url": "https://bedrock-runtime.eu-west-1.amazonaws.com", "auth": {
            "kind": "aws", "role_arn": "arn:aws:iam::123456789012:role/x", "session_name": "me", "external_id": "ext-1"}},
        {"dialect": "gemini", "base_url": f"https://europe-west1-{google}/europe-west1/publishers/google",
         "auth": {"kind": "google", "file": str(tmp_path / "vertex.json")}},
        {"dialect": "anthropic", "hosting": "vertex", "base_url": f"https://{google}/global", "auth": {"kind": "google"}},
        {"dialect": "openai", "base_url": f"https://us-central1-{google}/us-central1/endpoints/openapi",
         "auth": {"kind": "google"}}]
    assert [m["upstream_model"] for m in made["models"]] == [
        "us.anthropic.claude-x-v1:0", "us.amazon.nova-v1:0", "x", "gemini-x", "claude-x@1", "meta/llama-maas"]
    assert list(made["notes"]) == [f"model_list[{n}].litellm_params.{key}" for n, key in (
        (1, "aws_access_key_id"), (5, "vertex_credentials"))]


def test_what_a_cloud_or_a_credential_says_is_taken_or_noted(imported, tmp_path):
    """And targets that get no calls are no targets."""
    (tmp_path / "aws").write_text("[profile prod]\naws_access_key_id = a\naws_secret_access_key = b\n")
    values = {"aws_region_name": "eu-west-1", "aws_profile_name": "prod", "aws_access_key_id": SECRET}
    made = imported(litellm(
        ("a", {"model": "bedrock/llama/arn:aws:bedrock:eu-west-1:1:imported-model/x", "litellm_credential_name": "ours"}),
        ("b", {"model": "bedrock/x", "aws_region_name": "eu-west-1", "api_base": "http://127.0.0.1:9",
               "litellm_credential_name": "nobody's"}),
        ("c", {"model": "vertex_ai/gemini-x", "vertex_project": "p", "api_base": "http://127.0.0.1:9", "api_key": SECRET}),
        ("d", {"model": "groq/x", "weight": 2}), ("d", {"model": "openai/x", "weight": 0}),
        ("e", {"model": "groq/x", "extra_headers": {"X-Title": "a"}, "headers": {"x-title": "b"}}),
        credential_list=[{"credential_name": "ours", "credential_values": values}]), AWS_CONFIG_FILE=tmp_path / "aws")
    assert [(p["dialect"], p["base_url"], p.get("auth"), p.get("headers")) for p in made["providers"][:3]] == [
        ("bedrock", "https://bedrock-runtime.eu-west-1.amazonaws.com", {"kind": "aws", "profile": "prod"}, None),
        ("bedrock", "http://127.0.0.1:9", {"kind": "aws", "region": "eu-west-1"}, None),
        ("gemini", "https://us-central1-aiplatform.googleapis.com/v1/projects/p/locations/us-central1/publishers/google",
         {"kind": "google"}, None)]
    assert [(p["name"], p.get("headers")) for p in made["providers"][3:]] == [("groq", None), ("groq-2", {"X-Title": "a"})]
    assert made["by_name"]["a"]["upstream_model"] == "arn:aws:bedrock:eu-west-1:1:imported-model/x"
    assert made["by_name"]["d"] == {"name": "d", "provider": "groq", "upstream_model": "x"}
    assert set(made["notes"]) == {
        "credential_list[0].credential_values.aws_access_key_id", "model_list[1].litellm_params.litellm_credential_name",
        "model_list[2].litellm_params.api_base", "model_list[2].litellm_params.api_key",
        "model_list[4].litellm_params.model", "model_list[5].litellm_params.headers.x-title"}


def test_names_of_variables_are_told_apart(imported):
    made = imported(litellm(
        ("a", {"model": "openai/a", "api_key": SECRET + "a"}), ("b", {"model": "openai/b", "api_key": SECRET + "b"}),
        ("c", {"model": "openai/c", "api_key": SECRET + "a"}), ("d", {"model": "openai/d"}),
        ("e", {"model": "groq/e", "api_key": "os.environ/OPENAI_API_KEY_2"})))
    keys = {m["name"]: p["api_key_env"] for m in made["models"] for p in made["providers"] if p["name"] == m["provider"]}
    assert keys == {"a": "OPENAI_API_KEY_3", "b": "OPENAI_API_KEY_4", "c": "OPENAI_API_KEY_3", "d": "OPENAI_API_KEY",
                    "e": "OPENAI_API_KEY_2"}


def test_portkeys_clouds_are_noted_with_the_page_that_says_how(imported):
    made = imported({"strategy": {"mode": "loadbalance"}, "targets": [
        {"provider": "bedrock", "aws_region": "us-east-1", "aws_access_key_id": SECRET, "override_params": {"model": "x"}},
        {"provider": "vertex-ai", "vertex_project_id": "p", "vertex_region": "us-central1", "override_params": {"model": "x"}},
        {"provider": "groq", "api_key": SECRET, "override_params": {"model": "x"}}]})
    clouds = {key: why for key, why in made["notes"].items() if "aws_" in key or "vertex_" in key}
    assert len(clouds) == 4 and all("docs/bedrock.md" in why or "docs/vertex.md" in why for why in clouds.values())


def test_portkeys_strategies_become_targets_and_fallbacks(imported):
    made = imported({
        "strategy": {"mode": "loadbalance"}, "retry": {"attempts": 3, "on_status_codes": [429]},
        "cache": {"mode": "simple", "max_age": 172800}, "targets": [
            {"virtual_key": "anthropic-prod", "weight": 0.7, "override_params": {"model": "claude", "top_k": 1}},
            {"strategy": {"mode": "fallback", "on_status_codes": [503]}, "weight": 0.3, "request_timeout": 20000, "targets": [
                {"provider": "openai", "api_key": SECRET, "override_params": {"model": "gpt-4o"}},
                {"provider": "azure-openai", "api_key": SECRET + "2", "resource_name": "res", "deployment_id": "dep",
                 "api_version": "2024-06-01"},
                {"provider": "@groq-eu", "override_params": {"model": "@groq-eu/llama"}},
                {"provider": "openai", "custom_host": "http://127.0.0.1:9/v1", "api_key": SECRET}]}]})
    assert [(p["name"], p["base_url"], p["api_key_env"]) for p in made["providers"]] == [
        ("anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_PROD_API_KEY"),
        ("openai", "https://api.openai.com/v1", "OPENAI_API_KEY"),
        ("azure-openai", "https://res.openai.azure.com", "AZURE_API_KEY"),
        ("groq", "https://api.groq.com/openai/v1", "GROQ_EU_API_KEY"),
        ("openai-2", "http://127.0.0.1:9/v1", "OPENAI_API_KEY")]
    assert all(p["retries"] == 3 for p in made["providers"])
    assert made["providers"][1]["timeouts"] == {"first_byte": "20s"} and "timeouts" not in made["providers"][0]
    cache = {"cache": {"ttl": "2d"}} if "2d" in made["text"] else {"cache": {"ttl": "48h"}}
    assert made["cache_keep"] == cache["cache"]["ttl"]
    assert made["models"] == [
        {"name": "*", "targets": [{"provider": "anthropic", "upstream_model": "claude", "weight": 700},
                                  {"provider": "openai", "upstream_model": "gpt-4o", "weight": 300},
                                  {"provider": "openai-2", "weight": 1}],
         "fallback": ["fallback-1", "fallback-2"], **cache},
        {"name": "fallback-1", "provider": "azure-openai", "upstream_model": "dep", **cache},
        {"name": "fallback-2", "provider": "groq", "upstream_model": "llama", **cache}]
    assert set(made["notes"]) == {
        "retry.on_status_codes", "cache", "targets[0].virtual_key", "targets[0].override_params.top_k",
        "targets[1].strategy.on_status_codes", "targets[1].targets[2].provider", "targets[1].targets[3]"}


def test_an_imported_configuration_answers(imported, start, upstream, script):
    s = script(up.reply(up.completion("fine")))
    made = imported(litellm(("m", {"model": f"openai/{s.name}", "api_base": upstream.url, "api_key": SECRET})))
    gateway = start(made["text"], env={"OPENAI_API_KEY": "sk-of-the-upstream"})
    with Client(gateway.url) as client:
        assert client.complete("m").ok().json["choices"][0]["message"]["content"] == "fine"
    assert s.request.header("authorization") == "Bearer sk-of-the-upstream"
    assert s.request.json["model"] == s.name


# --- hostile and wrong files ---

DEEP = "model_list:\n - model_name: x\n   litellm_params: {model: openai/x, extra_body: " + "[" * 40 + "]" * 40 + "}\n"


WRONG = [
    ("model_list: 7", "source:1: model_list: has to be a list"),
    ("model_list: [7]", "source:1: model_list[0]: has to be a map"),
    ("model_list:\n - model_name: x\n   litellm_params: [1]", "source:3: model_list[0].litellm_params: has to be a map"),
    ("model_list:\n - model_name: [x]\n   litellm_params: {}", "source:2: model_list[0].model_name: needs a model_name"),
    ("model_list:\n - litellm_params: {}", "model_list[0]: needs a model_name"),
    ("model_list: []\nrouter_settings: 3", "source:2: router_settings: has to be a map"),
    ("model_list: []\nmodel_list: []", "source:2: model_list: duplicate key"),
    ("model_list: &a []\nx: *a", "source:1: anchors"),
    ("model_list: !!python/object:os.system []", "source:1: tags"),
    (DEEP, "source:3: nested deeper than 32 levels"),
    ("model_list: [" + "x," * 5000 + "]", "too many items"),
    ("model_list:\n" + "# " + "x" * 2**20, "larger than 1MiB"),
    ('{"targets": {}}', "source:1: targets: has to be a list"),
    ('{"strategy": {"mode": "odd"}, "targets": [{}]}', "source:1: strategy: its mode is one of"),
    ('{"targets": [{"targets": [1]}]}', "targets[0].targets[0]: has to be a map"),
    ("providers: []", "neither a configuration of LiteLLM"),
    ("", "neither a configuration of LiteLLM"),
    ("\0", "source:1: not valid YAML"),
    ("[1]", "source:1: the file has to be a map"),
]


def test_a_wrong_file_is_told_with_its_place_and_nothing_is_written(imported):
    for text, word in WRONG:
        done = imported(text, code=EX_DATAERR)
        assert done.stdout == "" and word in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr


def test_names_can_not_leave_their_quotes_and_comments(imported):
    odd = 'a"\\\u2028\u0085\ufeff\u202e#: {x}'
    made = imported(litellm((odd, {"model": f"openai/{odd}", "odd\u2028\u0085api_keys: []": 1}),
                            ("no\nline", {"model": "openai/x"}), ("tab\t", {"model": "openai/x"})))
    assert [m["name"] for m in made["models"]] == [odd] and made["models"][0]["provider"] == "openai"
    assert len(made["notes"]) == 3 and "api_keys" not in made
    assert not set(made["text"]) & set("\u2028\u0085\ufeff\u202e")


def test_an_address_keeps_its_host(imported):
    made = imported(litellm(("m", {"model": "anthropic/x", "api_base": "https://messages"})))
    assert made["providers"][0]["base_url"] == "https://messages/v1"


def test_values_of_a_wrong_kind_are_comments(imported):
    made = imported(litellm(("m", {"model": "openai/x", "timeout": "os.environ/T", "rpm": [1], "temperature": 9,
                                   "input_cost_per_token": -1, "num_retries": None, "max_retries": "many",
                                   "response_format": {"a": {"b": {"c": {"d": 1}}}}, "seed": 10**30},
                             {"max_input_tokens": 10**14, "supports_vision": "maybe"})))
    assert made["models"] == [{"name": "m", "provider": "openai", "upstream_model": "x"}]
    assert len(made["notes"]) == 9


def test_the_command_says_what_it_misses(tmp_path):
    assert gw.run("import-config").returncode == EX_USAGE
    assert gw.run("import-config", tmp_path / "none").returncode == EX_NOINPUT
    # It needs no configuration, so a wrong one does not matter.
    (tmp_path / "f").write_text("model_list: [{model_name: a, litellm_params: {model: openai/a}}]")
    assert gw.run("import-config", tmp_path / "f", env={"PARLEY_MAX_BODY": "huge"}).returncode == 0
    (tmp_path / "f").write_text("model_list: [{model_name: a, litellm_params: {model: azure/a}}]")
    none = gw.run("import-config", tmp_path / "f")
    assert none.returncode == EX_DATAERR and "no model" in none.stderr and "model_list[0]" in none.stdout


def test_the_documentation_shows_what_comes_out(imported):
    shown = re.findall(r"^<!-- import-config: (\w+) -->\n```(?:yaml|json)\n(.*?)^```\n.*?^```yaml\n(.*?)^```",
                       PAGE.read_text(), re.M | re.S)
    assert [name for name, _, _ in shown] == ["litellm", "portkey"]
    for name, source, expected in shown:
        text = imported(source)["text"]
        assert text.split("\n", 3)[3].strip() == expected.strip(), f"{name}:\n{text}"
