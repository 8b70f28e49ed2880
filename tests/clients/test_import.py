"""LiteLLM's own table of providers judges what `parley import-config` makes of a model's prefix."""

import json
import os
import subprocess

import pytest
import yaml

import gateway as gw
from clients import BUILD
from waiting import DEADLINE

PYTHON = BUILD / "venv-clients-newest" / "bin" / "python"
# Of each prefix: the address, and every variable whose value becomes the key.
JUDGE = """
import glob, json, os, re
import litellm
from litellm.llms.openai_like.json_loader import JSONProviderRegistry

root = os.path.dirname(litellm.__file__)
files = [root + "/litellm_core_utils/get_llm_provider_logic.py", root + "/main.py"]
files += glob.glob(root + "/llms/**/*.py", recursive=True) + glob.glob(root + "/llms/**/*.json", recursive=True)
names = {n for f in files for n in re.findall("[\\"']([A-Z][A-Z0-9_]*(?:KEY|TOKEN))[\\"']", open(f, errors="replace").read())}
for name in names:
    os.environ[name] = name
prefixes = {p.value for p in litellm.provider_list} | set(JSONProviderRegistry._providers)
said = {}
for prefix in prefixes - {"chatgpt", "github_copilot", "ragflow"}:  # those sign in, or have names of another form
    keys = []
    while True:
        _, _, key, base = litellm.get_llm_provider(prefix + "/some-model")
        if not isinstance(key, str) or os.environ.get(key) != key:
            break
        keys.append(key)
        del os.environ[key]
    os.environ.update({k: k for k in keys})
    said[prefix] = [base, keys]
print(json.dumps(said))
"""
# Parley speaks Cohere's OpenAI-like API, and LiteLLM its own.
OTHER = {"cohere", "cohere_chat"}

pytestmark = pytest.mark.skipif(not PYTHON.exists(),
                                reason="build/venv-clients-newest is not there: scripts/test clients was not run")


def test_addresses_and_variables_are_those_of_litellm(tmp_path):
    judge = subprocess.run([PYTHON, "-c", JUDGE], capture_output=True, text=True, timeout=4 * DEADLINE,
                           env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "LITELLM_LOCAL_MODEL_COST_MAP": "True"})
    assert judge.returncode == 0, judge.stderr[-2000:]
    said = json.loads(judge.stdout.splitlines()[-1])
    source = tmp_path / "config.yaml"
    source.write_text(json.dumps({"model_list": [
        {"model_name": prefix, "litellm_params": {"model": f"{prefix}/some-model"}} for prefix in sorted(said)]}))
    done = gw.run("import-config", source)
    assert done.returncode == 0, done.stderr
    made = yaml.safe_load(done.stdout)
    providers = {p["name"]: p for p in made["providers"]}
    wrong = []
    for model in made["models"]:
        provider, (base, keys) = providers[model["provider"]], said[model["name"]]
        if base and model["name"] not in OTHER and provider["base_url"] != base.rstrip("/"):
            wrong.append((model["name"], base, provider["base_url"]))
        if keys and provider.get("api_key_env", keys[0]) not in keys:
            wrong.append((model["name"], keys, provider["api_key_env"]))
    assert not wrong
    assert len(made["models"]) > 90
