"""Tokens of a real issuer (tests/oidc): by the credentials of a program, and by a person in a browser with PKCE."""

import base64
import hashlib
import json
import re
import secrets
import shutil
import signal
import subprocess
from pathlib import Path
from urllib.parse import parse_qs, urljoin, urlsplit

import httpx
import pytest

import gateway as gw
import keys
from client import Client
from issuer import Issuer
from waiting import wait_until

OIDC = Path(__file__).resolve().parents[1] / "oidc"
REDIRECT = "http://127.0.0.1:1/console/"


def node(*args, **more):
    found = shutil.which("node")
    assert found, "there is no node"
    return subprocess.Popen([found, *args], cwd=OIDC, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, text=True, **more)


@pytest.fixture(scope="module")
def provider():
    process = node("issuer.mjs")
    line = process.stdout.readline()
    assert line, "the issuer has not started"
    yield json.loads(line)["issuer"]
    process.stdin.close()
    process.wait()


def entry(provider, **more):
    return {"issuer": provider, "audience": "parley", "name": "email",
            "scopes": {"claim": "roles", "map": {"boss": ["admin", "read"]}, "default": ["chat", "read"]}, **more}


@pytest.fixture(scope="module")
def gateway(start_once, provider):
    gateway = start_once({"tokens": [entry(provider)]})
    token = by_credentials(provider)
    wait_until(lambda: ask(gateway, token).status == 200, "the issuer's keys")
    return gateway


def ask(gateway, token, path="/v1/me", method="GET", body=None):
    with Client(gateway.url, keys.bearer(token)) as client:
        return client.request(method, path, body)


def by_credentials(provider, alg="RS256"):
    answer = httpx.post(f"{provider}/token", auth=("machine", "machine-secret"),
                        data={"grant_type": "client_credentials", "resource": f"urn:parley:{alg}"})
    return answer.json()["access_token"]


def by_sign_in(provider, name):
    """What a browser does: sign-in, consent, and the code for a token."""
    verifier = secrets.token_urlsafe(32)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    with httpx.Client() as browser:
        answer = browser.get(f"{provider}/auth", params={
            "client_id": "console", "response_type": "code", "redirect_uri": REDIRECT, "scope": "openid",
            "state": "s", "code_challenge": challenge, "code_challenge_method": "S256"})
        while True:
            if answer.is_redirect:
                where = urljoin(str(answer.url), answer.headers["location"])
                if where.startswith(REDIRECT):
                    break
                answer = browser.get(where)
                continue
            answer.raise_for_status()
            form = dict(re.findall(r'type="hidden" name="(\w+)" value="(\w+)"', answer.text))
            action = re.search(r'<form[^>]* action="([^"]+)"', answer.text)[1]
            answer = browser.post(urljoin(str(answer.url), action), data={**form, "login": name, "password": "x"})
        code = parse_qs(urlsplit(where).query)["code"][0]
        token = browser.post(f"{provider}/token", data={
            "grant_type": "authorization_code", "client_id": "console", "code": code, "redirect_uri": REDIRECT,
            "code_verifier": verifier})
    return token.raise_for_status().json()


@pytest.mark.parametrize("alg", ["RS256", "ES256", "EdDSA"])
def test_a_program_signs_in_by_its_credentials(gateway, provider, alg):
    me = ask(gateway, by_credentials(provider, alg)).ok().json
    assert me["name"] == "machine@example.com" and me["scopes"] == ["chat", "read"]


def test_a_person_signs_in_with_pkce(gateway, provider):
    """The access token is taken; the ID token is for the client, and is not."""
    made = by_sign_in(provider, "boss")
    me = ask(gateway, made["access_token"]).ok().json
    assert me["name"] == "boss@example.com" and me["scopes"] == ["read", "admin"]
    ask(gateway, made["id_token"]).error(401, "invalid_token")
    ann = by_sign_in(provider, "ann")["access_token"]
    turn = ask(gateway, ann, "/v1/chat", "POST", {"messages": ["hi"]}).ok().json
    again = by_sign_in(provider, "ann")["access_token"]
    ask(gateway, again, f"/v1/conversations/{turn['conversation']}").ok()
    ask(gateway, made["access_token"], f"/v1/conversations/{turn['conversation']}").error(404)


def test_the_issuer_s_roles_give_a_group(start, provider):
    """Also in the session that the console makes of the token."""
    gateway = start({})
    made = gw.run("groups", "create", "--json", "--database", gateway.database_option(), "--limit", "requests=1/1h")
    group = json.loads(made.stdout)["id"]
    gateway.write_config({"tokens": [entry(provider, groups={"claim": "roles", "map": {"boss": group, "carl": group}})]})
    gateway.signal(signal.SIGHUP)
    boss, carl, ann = (by_sign_in(provider, name)["access_token"] for name in ("boss", "carl", "ann"))
    wait_until(lambda: ask(gateway, boss).status == 200, "the issuer's keys")
    session = ask(gateway, carl, "/v1/session", "POST").ok().json["token"]
    assert {ask(gateway, text).ok().json["group"]["id"] for text in (boss, carl, session)} == {group}
    ask(gateway, ann).error(403, "insufficient_scope")
    ask(gateway, carl, "/v1/chat", "POST", {"messages": ["hi"]}).ok()
    ask(gateway, session, "/v1/chat", "POST", {"messages": ["hi"]}).error(429, "rate_limit_exceeded", "group")


def test_another_library_agrees_with_the_issuer_of_the_tests():
    """What tests/e2e/issuer.py calls a good token is one, so that its attacks fail for their one fault alone."""
    issuer = Issuer()
    good = [issuer.token(k) for k in ("rsa", "ec", "ed")] + [issuer.token(header={"typ": "at+jwt"})]
    bad = [t[:-8] for t in good] + [issuer.token(aud="other"), issuer.token(exp=1), issuer.token(signature=b"x")]
    judge = node("judge.mjs")
    said, _ = judge.communicate(json.dumps({"issuer": issuer.url, "audience": "parley", "jwks": issuer.jwks(),
                                            "tokens": good + bad}))
    issuer.close()
    assert json.loads(said) == [True] * len(good) + [False] * len(bad)
