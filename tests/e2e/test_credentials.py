"""Entries with `auth`: where their keys come from, how requests are signed with them, and when they are fetched again."""

import json
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from client import Client
from cloud import REGION, ROLE, Cloud, Keys, answer, sts_refusal
from fixtures import once
from gateway import CANARY, run
from secure import certificate
from waiting import wait_until


@pytest.fixture
def cloud():
    made = Cloud()
    yield made
    made.close()


def entry(cloud, auth, **more):
    aws = auth["kind"] == "aws"
    return {"name": "far", "dialect": "openai",
            "base_url": cloud.bedrock if aws else f"{cloud.vertex}/endpoints/openapi", **once(),
            "auth": {**auth, **({"region": REGION} if aws else {})}, **more}


def config(cloud, auth, **more):
    return {"providers": [entry(cloud, auth, **more)], "default_model": "far/m",
            "models": [{"name": "far/*", "provider": "far"}]}


def ask(gateway, **fields):
    with Client(gateway.url) as client:
        return client.complete("far/m", **fields)


def about(gateway):
    with Client(gateway.url) as client:
        return client.get("/v1/admin/overview").ok().json["providers"][0]["auth"]


def fresh(gateway):
    """Waits for the first keys; tells where they are from."""
    return wait_until(lambda: about(gateway)["source"], "keys")


def profile(tmp_path, text, credentials=""):
    (tmp_path / "config").write_text(text)
    (tmp_path / "credentials").write_text(credentials)
    return {"AWS_CONFIG_FILE": str(tmp_path / "config"),
            "AWS_SHARED_CREDENTIALS_FILE": str(tmp_path / "credentials")}


# --- the sources ---

def aws_env(cloud, tmp_path):
    return {}, cloud.env["env"], "env"


def aws_role(cloud, tmp_path):
    cloud.external_id = "ours"
    return ({"from": "env", "role_arn": ROLE, "external_id": "ours", "session_name": "p@rley"},
            {**cloud.env["sts"], **cloud.env["env"]}, f"env, {ROLE}")


def aws_profile(cloud, tmp_path):
    keys = cloud.make(token=False)
    env = profile(tmp_path, "# ours\n[default]\nregion = x\n\n[profile base]\n"
                            f"aws_access_key_id = {keys.id}\ns3 =\n  aws_secret_access_key = no\n"
                            f"[profile prod]\nrole_arn={ROLE}\nsource_profile = base\nregion = {REGION}\n",
                  f"[base]\naws_secret_access_key = {keys.secret}\n[prod]\n")
    return {"from": "profile", "profile": "prod"}, {**cloud.env["sts"], **env}, f"profile, {ROLE}"


def aws_web_identity(cloud, tmp_path):
    (tmp_path / "token").write_text(cloud.web_token + "\n")
    return {}, {**cloud.env["sts"], "AWS_ROLE_ARN": ROLE,
                "AWS_WEB_IDENTITY_TOKEN_FILE": str(tmp_path / "token")}, "web_identity"


def aws_container(cloud, tmp_path):
    return {}, cloud.env["ecs"], "container"


def aws_pod(cloud, tmp_path):
    (tmp_path / "pod").write_text(cloud.container_token)
    return {"from": "container"}, {**cloud.env["ecs"], "AWS_CONTAINER_AUTHORIZATION_TOKEN": "an old one",
                                   "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": str(tmp_path / "pod")}, "container"


def aws_imds(cloud, tmp_path):
    return {}, cloud.env["imds"], "imds"


def google_file(cloud, tmp_path, value):
    (tmp_path / "google.json").write_text(json.dumps(value))
    return {"GOOGLE_APPLICATION_CREDENTIALS": str(tmp_path / "google.json"), "HOME": "/nonexistent"}


def google_service_account(cloud, tmp_path):
    return {}, google_file(cloud, tmp_path, cloud.service_account()), "service_account"


def google_user(cloud, tmp_path):
    (tmp_path / "gcloud").mkdir()
    (tmp_path / "gcloud" / "application_default_credentials.json").write_text(
        json.dumps(cloud.authorized_user(quota_project_id="quota")))
    return {}, {"CLOUDSDK_CONFIG": str(tmp_path / "gcloud")}, "authorized_user"


def google_external(cloud, tmp_path):
    (tmp_path / "subject").write_text(json.dumps({"id_token": cloud.web_token}))
    value = cloud.external_account(
        {"file": str(tmp_path / "subject"),
         "format": {"type": "json", "subject_token_field_name": "id_token"}},
        service_account_impersonation_url=f"{cloud.url}/google/iam")
    google_file(cloud, tmp_path, value)
    return ({"from": "external_account", "file": str(tmp_path / "google.json")}, {},
            "external_account, impersonation")


def google_impersonated(cloud, tmp_path):
    env = google_file(cloud, tmp_path, {
        "type": "impersonated_service_account", "delegates": [],
        "service_account_impersonation_url": f"{cloud.url}/google/iam",
        "source_credentials": cloud.authorized_user()})
    return {"scope": "https://www.googleapis.com/auth/cloud-platform"}, env, "authorized_user, impersonation"


def google_metadata(cloud, tmp_path):
    return {}, cloud.env["google"], "metadata"


SOURCES = [aws_env, aws_role, aws_profile, aws_web_identity, aws_container, aws_pod, aws_imds,
           google_service_account, google_user, google_external, google_impersonated, google_metadata]


@pytest.mark.parametrize("source", SOURCES, ids=lambda f: f.__name__)
def test_keys_of_every_source_sign_calls(source, start, cloud, tmp_path):
    auth, env, name = source(cloud, tmp_path)
    kind = source.__name__.partition("_")[0]
    gateway = start(config(cloud, {"kind": kind, **auth}), env=env)
    assert ask(gateway).ok().json["choices"][0]["message"]["content"] == "signed"
    with Client(gateway.url) as client:
        with client.complete_stream("far/m") as stream:
            assert stream.openai().text == "signed"
        shown = client.get("/metrics").ok().body.decode()
    found = about(gateway)
    assert (found["kind"], found["source"], found["error"]) == (kind, name, None)
    lasts = name in ("env",)
    assert (found["expires_at"] is None) == lasts
    assert 'parley_upstream_credentials_refresh_total{upstream="far",result="ok"} 1' in shown
    assert ('parley_upstream_credentials_seconds{upstream="far"}' in shown) != lasts
    if source is google_user:
        assert cloud.calls[-1][1]["x-goog-user-project"] == "quota"
    assert all("x-goog-api-key" not in headers for _, headers, _ in cloud.calls)


# --- over time ---

def refreshes(cloud, what):
    return cloud.asked.count(what)


def test_many_calls_before_the_first_keys_wait_for_one_refresh(start, cloud):
    cloud.hold.clear()
    gateway = start(config(cloud, {"kind": "aws"}, retries=0), env=cloud.env["imds"], args=["--loops", "2"])
    with ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(ask, gateway) for _ in range(8)]
        with Client(gateway.url) as client:
            wait_until(lambda: client.get("/v1/admin/overview").ok().json["calls"]["active"] == 8, "calls")
        cloud.hold.set()
        assert [f.result().status for f in asked] == [200] * 8
    assert refreshes(cloud, "imds token") == 1


def test_keys_are_renewed_before_they_end_and_used_until_then(start, cloud):
    cloud.lives = 5
    gateway = start(config(cloud, {"kind": "aws"}), env=cloud.env["imds"])
    fresh(gateway)
    first = set(cloud.keys)
    cloud.hold.clear()  # the next refresh is slow
    wait_until(lambda: refreshes(cloud, "imds token") == 2, "a second refresh")
    ask(gateway).ok()
    assert cloud.calls[-1][1]["Authorization"].split("Credential=")[1].partition("/")[0] in first
    cloud.lives = 3600
    cloud.hold.set()
    wait_until(lambda: (about(gateway)["expires_at"] or 0) > time.time() + 3000, "new keys")
    ask(gateway).ok()


@pytest.mark.parametrize("kind", ["aws", "google"])
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_refused_keys_are_renewed_once_for_a_call(start, cloud, kind, stream):
    env = cloud.env["imds" if kind == "aws" else "google"]
    gateway = start(config(cloud, {"kind": kind}), env=env)
    fresh(gateway)
    refuse(cloud)
    assert ask(gateway, stream=stream).status == 200
    assert len(cloud.asked) == (4 if kind == "aws" else 2)


def refuse(cloud):
    for keys in cloud.keys.values():
        keys.refused = True
    cloud.tokens = dict.fromkeys(cloud.tokens, 0)


def test_keys_that_are_refused_twice_are_dead(start, cloud, tmp_path):
    gateway = start(config(cloud, {"kind": "aws"}, health={"dead_key": "1h"}), env=cloud.env["env"])
    fresh(gateway)
    refuse(cloud)
    e = ask(gateway).error(403, "upstream_auth_failed")
    assert "refused the gateway's credentials" in str(e)
    sent = len(cloud.bodies)
    ask(gateway)
    assert len(cloud.bodies) == sent, "a dead key is not tried"
    with Client(gateway.url) as client:
        assert client.get("/v1/admin/overview").ok().json["providers"][0]["health"] == "dead_key"


def test_a_refusal_of_what_keys_may_do_is_no_refusal_of_keys(start, cloud):
    gateway = start(config(cloud, {"kind": "aws", "service": "bedrock-mantle"}), env=cloud.env["imds"])
    fresh(gateway)
    ask(gateway)  # the stand-in wants `bedrock`
    assert refreshes(cloud, "imds token") == 1


def test_what_a_client_has_sent_is_no_refusal_of_keys(start, cloud):
    """AWS repeats the name of a model in its refusal."""
    gateway = start(config(cloud, {"kind": "aws"}), env=cloud.env["imds"])
    fresh(gateway)
    text = ("User: arn:aws:sts::1:x is not authorized on resource: The security token included in the request is "
            "expired ExpiredTokenException")
    cloud.routes = [("/openai/.*", lambda self, *_: answer({"message": text, "error": {"message": text}}, 403)),
                    *cloud.routes]
    for _ in range(2):
        ask(gateway).error(403, "upstream_denied")
    assert refreshes(cloud, "imds token") == 1


def test_a_failure_is_remembered_and_said_to_the_operator_alone(start, cloud, tmp_path):
    cloud.refuse_sts = sts_refusal(403, "AccessDenied", f"User: arn:aws:sts::1:x is not authorized {cloud.web_token}")
    _, env, _ = aws_web_identity(cloud, tmp_path)
    gateway = start(config(cloud, {"kind": "aws"}, health={"dead_key": "0s"}), env=env)
    gateway.wait_log("STS refused AssumeRoleWithWebIdentity")
    for _ in range(9):
        e = ask(gateway).error(403, "upstream_auth_failed")
        assert "has no credentials" in str(e) and "arn:" not in str(e)
    assert refreshes(cloud, "sts AssumeRoleWithWebIdentity") < 5, "the next is after 1, 2, 4 seconds"
    assert "is not authorized [key]" in about(gateway)["error"]
    with Client(gateway.url) as client:
        assert 'parley_upstream_credentials_refresh_total{upstream="far",result="failed"}' in \
            client.get("/metrics").ok().body.decode()


def test_a_lack_of_keys_ends_soon_and_leaves_no_dead_entry(start, cloud):
    """As where the clock or the metadata service is not ready at the start."""
    cloud.lives = -10
    gateway = start(config(cloud, {"kind": "aws"}, health={"dead_key": "1h"}), env=cloud.env["imds"])
    gateway.wait_log("expired already; is the clock right?")
    ask(gateway).error(403, "upstream_auth_failed")
    cloud.lives = 3600
    wait_until(lambda: ask(gateway).status == 200, "the new keys")


def test_keys_whose_end_can_t_be_read_are_renewed(start, cloud, monkeypatch):
    monkeypatch.setattr(Keys, "expiration", lambda self: "soon")
    gateway = start(config(cloud, {"kind": "aws"}), env=cloud.env["ecs"])
    fresh(gateway)
    assert 0 < about(gateway)["expires_at"] - time.time() <= 900


def test_a_service_account_is_asked_for_with_a_token_of_any_length(start, cloud, tmp_path):
    cloud.padding = "x" * 5000
    auth, env, name = google_impersonated(cloud, tmp_path)
    ask(start(config(cloud, {"kind": "google", **auth}), env=env)).ok()


def test_a_silent_metadata_service_is_named_with_what_to_do(start, cloud):
    cloud.hold.clear()
    gateway = start(config(cloud, {"kind": "aws"}), env=cloud.env["imds"])
    began = time.monotonic()
    ask(gateway).error(403, "upstream_auth_failed")
    assert time.monotonic() - began < 10
    assert "hop-limit 2" in about(gateway)["error"] and "neither the environment" in about(gateway)["error"]


def test_a_file_that_changes_is_read_again(start, cloud, tmp_path):
    def write(keys):
        return profile(tmp_path, "[default]\n", f"[default]\naws_access_key_id={keys.id}\n"
                       f"aws_secret_access_key={keys.secret}\n")

    wrong, right = Keys(token=False), cloud.make(token=False)
    gateway = start(config(cloud, {"kind": "aws", "from": "profile"}, health={"dead_key": "1h"}),
                    env={**write(wrong), "HOME": "/nonexistent"})
    ask(gateway).error(403, "upstream_auth_failed")
    write(right)
    wait_until(lambda: ask(gateway).status == 200, "the new keys")


def test_a_reload_keeps_the_keys_of_an_entry_that_is_the_same(start, cloud):
    gateway = start(config(cloud, {"kind": "aws"}), env=cloud.env["imds"])
    fresh(gateway)
    for change, asked in (({"retries": 1}, 1), ({"retries": 1, "auth": {"kind": "aws", "region": REGION,
                                                                        "from": "imds"}}, 2)):
        value = config(cloud, {"kind": "aws"})
        value["providers"][0].update(change)
        gateway.write_config(value)
        mark = len(gateway.lines)
        gateway.signal(signal.SIGHUP)
        gateway.wait_log("was read again", mark)
        wait_until(lambda: fresh(gateway) and refreshes(cloud, "imds token") == asked, "as many refreshes")
        ask(gateway).ok()


def test_a_stop_does_not_wait_for_a_refresh(start, cloud, tmp_path):
    cloud.hold.clear()
    gateway = start(config(cloud, {"kind": "google"}),
                    env=google_file(cloud, tmp_path, cloud.service_account()))
    wait_until(lambda: cloud.asked, "a refresh")
    began = time.monotonic()
    gateway.stop()
    assert time.monotonic() - began < 8


def test_who_gives_keys_is_trusted_by_the_systems_authorities_or_those_of_a_file(start, cloud, tmp_path):
    """The provider's own ca_file is for the provider."""
    pem = certificate(tmp_path)
    far = Cloud(pem)
    env = google_file(cloud, tmp_path, far.service_account())
    value = config(far, {"kind": "google"}, ca_file=str(tmp_path / "cert.pem"))
    assert ask(start(value, env={**env, "SSL_CERT_FILE": str(tmp_path / "cert.pem")})).status == 200
    gateway = start(value, env=env)
    ask(gateway).error(403, "upstream_auth_failed")
    assert "certificate" in about(gateway)["error"]
    far.close()


# --- dialects, and what is not sent ---

def test_gemini_of_vertex_needs_nothing_else(start, cloud):
    value = config(cloud, {"kind": "google"})
    value["providers"][0].update(dialect="gemini", base_url=f"{cloud.vertex}/publishers/google")
    gateway = start(value, env=cloud.env["google"])
    assert ask(gateway).ok().json["choices"][0]["message"]["content"] == "signed"
    with Client(gateway.url) as client, client.complete_stream("far/m") as stream:
        assert stream.openai().text == "signed"
    assert [path.partition("/publishers/")[2] for path, _, _ in cloud.calls] == [
        "google/models/m:generateContent", "google/models/m:streamGenerateContent?alt=sse"]


HOSTED = [
    ("aws", {"dialect": "bedrock"}, "", "/model/us.amazon.nova-v1%3A0/converse"),
    ("aws", {"dialect": "anthropic", "hosting": "bedrock"}, "", "/model/us.amazon.nova-v1%3A0/invoke"),
    ("google", {"dialect": "anthropic", "hosting": "vertex"}, "/v1/projects/p/locations/x/publishers/anthropic",
     "/v1/projects/p/locations/x/publishers/anthropic/models/us.amazon.nova-v1%3A0:rawPredict"),
]


@pytest.mark.parametrize("kind, more, base, path", HOSTED, ids=["converse", "invoke", "rawPredict"])
def test_names_of_models_in_paths_are_signed(start, cloud, kind, more, base, path):
    value = config(cloud, {"kind": kind}, **more)
    value["providers"][0]["base_url"] = cloud.url + base
    gateway = start(value, env=cloud.env["env" if kind == "aws" else "google"])
    with Client(gateway.url) as client:
        reply = client.complete("far/us.amazon.nova-v1:0").ok()
    assert reply.json["choices"][0]["message"]["content"] == "signed"
    assert cloud.calls[-1][0] == path


@pytest.mark.parametrize("auth", [{"auth": {"kind": "aws", "region": REGION}}, {"auth": None, "api_key_env": "BEARER"}],
                         ids=["signed", "bearer"])
def test_bedrock_s_list_of_models_is_asked_for_with_the_keys(start, cloud, auth):
    value = config(cloud, {"kind": "aws"})
    value["providers"][0] = {k: v for k, v in {**value["providers"][0], **auth}.items() if v}
    gateway = start(value, env={**cloud.env["env"], "BEARER": cloud.bedrock_key})
    with Client(gateway.url) as client:
        wait_until(lambda: "far/listed" in client.get("/v1/models").ok().body.decode(), "the list")


def test_a_long_body_is_signed_by_a_worker(start, cloud):
    gateway = start(config(cloud, {"kind": "aws"}), env=cloud.env["env"])
    reply = ask(gateway, messages=[{"role": "user", "content": "x" * 1_000_000}])
    assert reply.ok().json["choices"][0]["message"]["content"] == "signed"
    assert len(cloud.calls[-1][2]) > 1_000_000


@pytest.mark.parametrize("more, want", [
    ({}, {"authorization": "Bearer K"}),
    ({"key_scheme": "plain"}, {"authorization": "K"}),
    ({"key_header": "api-key"}, {"api-key": "K"}),
    ({"key_header": "X-Auth", "key_scheme": "bearer"}, {"x-auth": "Bearer K"}),
], ids=["usual", "plain", "header", "header, bearer"])
def test_a_key_has_its_scheme(start, cloud, more, want):
    value = config(cloud, {"kind": "key"}, api_key_env="K", **more)
    value["providers"][0]["base_url"] = cloud.url
    gateway = start(value, env={"K": "K"})
    seen = []
    cloud.routes = [(".*", lambda self, method, path, headers, body: seen.append(headers) or (404, {}, b""))]
    ask(gateway)
    names = ("authorization", "api-key", "x-auth", "x-api-key")
    assert {n: seen[0][n] for n in names if n in seen[0]} == want


# --- what an operator is told before anything is asked ---

BAD = [
    ({"kind": "gcp"}, {}, r"auth.kind"),
    ({}, {}, "needs a kind"),
    ({"kind": "aws", "region": None}, {}, "needs a region"),
    ({"kind": "aws", "region": "Frankfurt"}, {}, "is no region"),
    ({"kind": "aws", "from": "sso"}, {}, "must be one of auto, env, profile, web_identity, container, imds"),
    ({"kind": "aws", "from": "env"}, {}, "AWS_ACCESS_KEY_ID"),
    ({"kind": "aws", "from": "web_identity"}, {}, "AWS_WEB_IDENTITY_TOKEN_FILE"),
    ({"kind": "aws", "from": "container"}, {}, "no container credentials"),
    ({"kind": "aws"}, {"AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://example.com/x"}, "must be https"),
    ({"kind": "aws"}, {"AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://localhost:1@example.com/x"}, "must be https"),
    ({"kind": "aws", "from": "profile", "profile": "prod"}, {}, "has a profile 'prod'"),
    ({"kind": "aws", "role_arn": "admin"}, {}, "must be the ARN of a role"),
    ({"kind": "aws", "external_id": "x"}, {}, "needs `role_arn`"),
    ({"kind": "aws", "file": "x"}, {}, "only `kind: google`"),
    ({"kind": "google", "region": "x"}, {}, "only `kind: aws`"),
    ({"kind": "google", "from": "service_account"}, {}, "GOOGLE_APPLICATION_CREDENTIALS"),
    ({"kind": "google", "file": "/nonexistent/key.json"}, {}, "can't be opened"),
    ({"kind": "aws", "endpoint": "http://x"}, {}, "unknown key"),
    ({"kind": "key", "from": "auto"}, {}, "stands alone"),
]


@pytest.mark.parametrize("auth, env, what", BAD, ids=[b[2] for b in BAD])
def test_a_wrong_auth_is_said_with_its_place_and_without_a_network(cloud, tmp_path, auth, env, what):
    file = tmp_path / "parley.yaml"
    value = {"name": "far", "dialect": "openai", "base_url": "https://api.example.com/v1",
             "auth": {"region": REGION, **auth} if auth.get("kind") == "aws" else auth}
    if value["auth"].get("region", "") is None:
        del value["auth"]["region"]
    file.write_text(json.dumps({"providers": [value]}))
    done = run("serve", "--config", file, "--check-config", env={
        "HOME": "/nonexistent", "AWS_EC2_METADATA_DISABLED": "", **env})
    assert done.returncode != 0 and what in done.stderr, done
    assert "parley.yaml:1: providers[0].auth" in done.stderr


def test_another_mistake_of_the_entry_is_the_only_one(cloud, tmp_path):
    file = tmp_path / "parley.yaml"
    file.write_text(json.dumps(config(cloud, {"kind": "aws"}, http2="many")))
    done = run("serve", "--config", file, "--check-config", env=cloud.env["env"])
    assert "http2" in done.stderr and "auth" not in done.stderr, done


def test_a_profile_that_names_what_is_not_supported_is_refused(tmp_path):
    env = profile(tmp_path, "[profile a]\ncredential_process = /bin/true\n[profile b]\nrole_arn = arn:x\n"
                            "source_profile = b2\n[profile b2]\nrole_arn = arn:x\nsource_profile = b\n"
                            "[profile c]\nsso_session = x\n")
    for name, what in (("a", "credential_process is not supported"), ("b", "name each other"),
                       ("c", "sso is not supported")):
        file = tmp_path / "parley.yaml"
        file.write_text(json.dumps({"providers": [{
            "name": "far", "dialect": "openai", "base_url": "https://bedrock-runtime.eu-west-1.amazonaws.com/openai/v1",
            "auth": {"kind": "aws", "from": "profile", "profile": name}}]}))
        done = run("serve", "--config", file, "--check-config", env=env)
        assert done.returncode != 0 and what in done.stderr, done
        assert "auth.profile" in done.stderr


def test_print_config_shows_auth_without_secrets(cloud, tmp_path):
    file = tmp_path / "parley.yaml"
    file.write_text(json.dumps(config(cloud, {"kind": "aws", "role_arn": ROLE})))
    done = run("serve", "--config", file, "--print-config", env=cloud.env["env"])
    assert f'auth: {{kind: "aws", region: "{REGION}", role_arn: "{ROLE}"}}' in done.stdout, done
    assert CANARY not in done.stdout.replace(str(tmp_path), "")


# --- secrets ---

@pytest.mark.parametrize("source", [aws_web_identity, aws_pod, google_user, google_external, google_service_account],
                         ids=lambda f: f.__name__)
def test_secrets_are_shown_nowhere(source, start, cloud, tmp_path):
    auth, env, _ = source(cloud, tmp_path)
    kind = source.__name__.partition("_")[0]
    value = config(cloud, {"kind": kind, **auth})
    gateway = start({**value, "log_level": "debug", "log_content": True}, env=env)
    fresh(gateway)
    keys = [v for k in cloud.keys.values() if k.token for v in (k.id, k.secret, k.token)] + list(cloud.tokens)

    def repeat(self, method, path, headers, body):
        text = json.dumps({"error": {"message": f"got {' and '.join(keys)}", "code": keys[-1], "type": "x"}})
        return (400 if json.loads(body).get("stream") else 500), {"Content-Type": "application/json"}, text.encode()

    cloud.routes = [(r"/openai/.*|/v1/.*", repeat), *cloud.routes]
    seen = []
    with Client(gateway.url) as client:
        for stream in (False, True):
            reply = client.complete("far/m", stream=stream)
            native = client.post("/v1/chat", {"messages": [{"role": "user", "content": "hi"}], "stream": stream,
                                              "config": {"model": "far/m"}})
            seen += [reply.body.decode(), native.body.decode()]
            seen.append(client.get(f"/v1/runs/{native.headers['x-run-id']}").body.decode())
        seen += [client.get(path).ok().body.decode() for path in ("/metrics", "/v1/admin/overview", "/v1/admin/runs",
                                                         "/v1/admin/log")]
    gateway.stop()
    seen += ["".join(gateway.lines)]
    seen += [f.read_bytes().decode("latin-1") for f in gateway.folder.glob("parley.db*")]
    everything = "\n\0\n".join(seen)
    secrets = [*keys, cloud.web_token, cloud.container_token, cloud.refresh_token, cloud.client_secret]
    assert "[key]" in everything
    for secret in secrets:
        if secret and secret in everything:
            at = everything.index(secret)
            raise AssertionError((secret, everything[max(0, at - 300):at + 100]))
