"""Azure's paths: further spellings of OpenAI's routes, where a deployment is a model."""

import openai
import pytest

import keys
import upstream as up
from client import Client
from waiting import DEADLINE

HELLO = [{"role": "user", "content": "Hello, big world"}]
VERSION = "?api-version=2024-10-21"


@pytest.fixture
def sdk(shared):
    with openai.AzureOpenAI(azure_endpoint=shared.url, api_key="not needed", timeout=DEADLINE,
                            api_version="2024-10-21", max_retries=0,
                            _strict_response_validation=True) as client:
        yield client


def test_the_sdk_for_azure(sdk):
    answer = sdk.chat.completions.create(model="echo", messages=HELLO)
    assert answer.choices[0].message.content == "Hello, big world"
    chunks = list(sdk.chat.completions.create(model="echo", messages=HELLO, stream=True))
    assert "".join(c.choices[0].delta.content or "" for c in chunks) == "Hello, big world"
    loose = sdk.with_options(_extra_kwargs={"_strict_response_validation": False})  # it validates base64
    assert loose.embeddings.create(model="echo", input="x", dimensions=4).data
    assert "echo" in [m.id for m in sdk.models.list()]
    assert sdk.completions.create(model="echo", prompt="Hello").choices[0].text == "Hello"
    assert sdk.responses.create(model="echo", input="Hello").output_text == "Hello"
    with pytest.raises(openai.NotFoundError):
        sdk.chat.completions.create(model="nobody", messages=HELLO)


def test_a_base_url_that_ends_in_openai_v1(shared):
    with openai.OpenAI(base_url=f"{shared.url}/openai/v1", api_key="x", timeout=DEADLINE,
                       _strict_response_validation=True) as sdk:
        assert sdk.chat.completions.create(model="echo", messages=HELLO).choices
        assert sdk.models.retrieve("echo").id == "echo"


@pytest.mark.parametrize("body", [{}, {"model": "nobody"}, {"model": None}])
def test_the_path_names_the_model(client, script, body):
    """With or without a model in the body: that of the path decides."""
    s = script(up.either("ok"))
    path = f"/openai/deployments/{s.model.replace('/', '%2F')}/chat/completions{VERSION}"
    assert client.post(path, {**body, "messages": HELLO}).ok().text == "ok"
    assert s.request.json["model"] == s.name
    s = script(up.embeddings([0.5]))
    path = f"/openai/deployments/{s.model.replace('/', '%2F')}/embeddings{VERSION}"
    assert client.post(path, {**body, "input": "x"}).ok().json["data"]


def test_long_bodies_are_read_by_a_worker(client):
    text = "x" * (1 << 20)
    answer = client.post(f"/openai/deployments/echo/chat/completions{VERSION}",
                         {"messages": [{"role": "user", "content": text}]}).ok()
    assert answer.text == text


def test_what_is_wrong(client):
    path = f"/openai/deployments/nobody/chat/completions{VERSION}"
    client.post(path, {"messages": HELLO}).error(404, "model_not_found", "model")
    client.post(f"/openai/deployments/{'x' * 300}/chat/completions", {"messages": HELLO}) \
        .error(400, "invalid_value", "model")
    client.post(f"/openai/deployments/a%00b/chat/completions{VERSION}", {"messages": HELLO}) \
        .error(400, "bad_request")
    assert client.post("/v1/chat/completions", {"messages": HELLO}).ok().json["model"] == "echo"  # default_model
    client.post("/openai/deployments/echo/nothing", {}).error(404, "unknown_url")


def test_the_key_of_azures_clients(start):
    gateway = start(args=["--admin-listen", "127.0.0.1:0"])
    made = keys.known(gateway, keys.make(gateway))
    path = f"/openai/deployments/echo/chat/completions{VERSION}"
    with Client(gateway.url) as client:
        client.post(path, {"messages": HELLO}).error(401, "missing_api_key")
        client.post(path, {"messages": HELLO}, headers={"api-key": made["key"]}).ok()
