"""POST /v1/admin/providers/{name}/test and GET …/models: one small call, and the provider's own list."""

import json

import pytest

import keys
import upstream as up
from client import Client
from test_models import lister, provider  # noqa: F401

SECRET = "secret-of-p-0123456789"
ADMIN = ["--admin-listen", "127.0.0.1:0"]


@pytest.fixture
def serving(start, lister):  # noqa: F811
    def make(*answers, models=None, **more):
        script = lister.script(*answers)
        gateway = start({"providers": [provider(lister, api_key_env="KEY_OF_P", **more)],
                         "models": models or [{"name": "m", "provider": "p", "upstream_model": script.name},
                                              {"name": "echo", "provider": "echo"}]},
                        args=ADMIN, env={"KEY_OF_P": SECRET})
        return gateway, script
    return make


def test_a_provider_that_answers(serving):
    gateway, script = serving(up.stream("Hello", " é 😀", " there"))
    with Client(keys.admin_url(gateway)) as admin:
        told = admin.post("/v1/admin/providers/p/test").ok().json
    assert told["ok"] and told["error"] is None and told["model"] == script.name
    assert told["text"] == "Hello é 😀 there" and 0 <= told["first_token_ms"] <= told["duration_ms"]
    assert script.request.json["messages"][0]["role"] == "user" and script.request.json["stream"]


def test_a_long_answer_is_cut_and_shows_no_key(serving):
    gateway, _ = serving(up.stream(f"my key is {SECRET} ", "é" * 300, "x" * 300))
    with Client(keys.admin_url(gateway)) as admin:
        told = admin.post("/v1/admin/providers/p/test").ok()
    assert SECRET not in told.body.decode()
    assert told.json["text"].startswith("my key is [key] é") and len(told.json["text"]) < 400


@pytest.mark.parametrize("answer, code, status", [
    (up.reply({"error": {"message": f"Incorrect API key provided: {SECRET}", "code": "invalid_api_key"}}, 401),
     "upstream_auth_failed", 401),
    (up.reply({"error": {"message": "no such model"}}, 404), None, 404),
    (up.hang_up(), None, None),
])
def test_a_provider_that_fails_is_told_in_words(serving, answer, code, status):
    gateway, _ = serving(answer)
    with Client(keys.admin_url(gateway)) as admin:
        told = admin.post("/v1/admin/providers/p/test").ok()
        admin.post("/v1/admin/providers/nobody/test").error(404, "not_found")
    error = told.json["error"]
    assert not told.json["ok"] and error["message"] and error["http_status"] == status
    assert code in (None, error["code"]) and SECRET not in told.body.decode()


def test_a_model_can_be_named_and_has_to_be_for_a_star(serving, lister):  # noqa: F811
    gateway, script = serving(up.stream("hi"), models=[{"name": "*", "provider": "p"}])
    with Client(keys.admin_url(gateway)) as admin:
        admin.post("/v1/admin/providers/p/test").error(400, "missing_required_parameter")
        told = admin.post(f"/v1/admin/providers/p/test?model={script.name}").ok().json
        assert told["ok"] and told["model"] == script.name
        assert admin.post("/v1/admin/providers/echo/test?model=x").status in (200, 404)


def test_a_providers_models_with_an_entry_for_each(serving, lister):  # noqa: F811
    gateway, script = serving(up.stream("hi"))
    lister.listing = [up.reply({"data": [{"id": script.name}, {"id": 'new "one"'}]})]
    with Client(keys.admin_url(gateway)) as admin:
        data = admin.get("/v1/admin/providers/p/models").ok().json["data"]
        admin.get("/v1/admin/providers/nobody/models").error(404, "not_found")
    known = {model["id"]: model for model in data}
    assert known[script.name]["configured"] and not known['new "one"']["configured"]
    assert known['new "one"']["yaml"] == 'models:\n  - name: "new \\"one\\""\n    provider: "p"\n'


def test_a_list_that_fails_says_why(serving, lister):  # noqa: F811
    gateway, _ = serving(up.stream("hi"))
    lister.listing = [up.reply({"error": SECRET}, 401)]
    with Client(keys.admin_url(gateway)) as admin:
        reply = admin.get("/v1/admin/providers/p/models")
        assert reply.status == 502 and "status 401" in reply.json["error"]["message"], json.dumps(reply.json)
        assert "status 401" in admin.get("/v1/admin/providers/p/models").json["error"]["message"]


def test_both_are_for_administrators(serving):
    gateway, script = serving(up.stream("hi"))
    made = keys.known(gateway, keys.make(gateway))
    with keys.client_of(gateway, made["key"], admin=True) as client:
        assert client.post("/v1/admin/providers/p/test").status == 403
        assert client.get("/v1/admin/providers/p/models").status == 403
