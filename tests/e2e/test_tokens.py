"""Tokens of issuers in place of API keys: what is accepted, whose it is, and every known attack on it."""

import base64
import contextlib
import hashlib
import json
import signal
import threading
import time

import pytest
import yaml

import gateway as gw
import keys
import upstream as up
from client import Client
from fixtures import provider
from issuer import GONE, Issuer, Key, b64
from raw import Raw
from test_runs_live import live
from waiting import DEADLINE, wait_until

ADMIN = ["--admin-listen", "127.0.0.1:0"]
REFUSAL = "this token is not accepted here"


@pytest.fixture
def issuer():
    made = Issuer()
    yield made
    made.close()


@pytest.fixture(scope="module")
def attacked(start_once):
    made = Issuer()
    yield made, ready(start_once({"tokens": [made.config()], "log_format": "json"}), made)
    made.close()


def ready(gateway, issuer):
    """Waits until the keys are there."""
    wait_until(lambda: ask(gateway, issuer.token()).status != 503, "the issuer's keys")
    return gateway


def ask(gateway, token, path="/v1/me", method="GET", body=None, header="Authorization"):
    with Client(gateway.url) as client:
        value = f"Bearer {token}" if header == "Authorization" else token
        return client.request(method, path, body, headers={header: value})


def reload(gateway):
    mark = len(gateway.lines)
    gateway.signal(signal.SIGHUP)
    gateway.wait_log("was read again", mark)


def refused(gateway, token):
    answer = ask(gateway, token)
    assert (answer.status, answer.json["error"]["code"], answer.json["error"]["message"]) == (
        401, "invalid_token", REFUSAL), answer


# --- the list of attacks: each is a token that must not be accepted, and all have the same answer ---

WEAK = Key("RS256", "weak", bits=1024)
FOREIGN = Key("RS256", "rsa")
HUGE = 2 ** 70


def part(value):
    return b64(json.dumps(value).encode())


def header_of(text, **more):
    """The token with another header, and the signature of the old one."""
    head, claims, signature = text.split(".")
    head = {**json.loads(base64.urlsafe_b64decode(head + "==")), **more}
    return f"{part(head)}.{claims}.{signature}"


def unsigned(i, alg):
    return f'{part({"alg": alg, "typ": "JWT"})}.{part(i.claims())}.'


def changed(text, at, to):
    parts = text.split(".")
    parts[at] = to(parts[at])
    return ".".join(parts)


def der(i):
    """The signature as libraries make it, which no token has."""
    from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
    text = i.token("ec")
    raw = base64.urlsafe_b64decode(text.split(".")[2] + "==")
    pair = int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big")
    return changed(text, 2, lambda _: b64(encode_dss_signature(*pair)))


def raw(**more):
    """The claims with text that json.dumps would not write."""
    def make(i):
        text = json.dumps(i.claims())
        for old, new in more.values():
            assert old(i) in text
            text = text.replace(old(i), new, 1)
        return i.token(raw_claims=text)
    return make


def exp(text):
    return raw(exp=(lambda i: f'"exp": {i.claims()["exp"]}', f'"exp": {text}'))


NOW = int(time.time())
ATTACKS = {
    **{f"alg {alg}": lambda i, alg=alg: unsigned(i, alg) for alg in ("none", "None", "NONE", "nOnE", "", None, 0)},
    "alg none, with a signature": lambda i: header_of(i.token(), alg="none"),
    "no alg": lambda i: i.token(header={"alg": GONE}),
    "HMAC with the public key": lambda i: i.forged(i.keys["rsa"].pem()),
    "HMAC with the set of keys": lambda i: i.forged(json.dumps(i.jwks()).encode()),
    "HMAC, no key's name": lambda i: i.forged(i.keys["rsa"].pem(), kid=None),
    "another algorithm of the same key": lambda i: i.token(header={"alg": "PS256"}),
    "an algorithm of another key": lambda i: i.token("rsa", header={"alg": "ES256"}),
    **{f"kid {kid}": lambda i, kid=kid: i.token(FOREIGN, header={"kid": kid})
       for kid in ("../../../../dev/null", "' OR '1'='1", "x' UNION SELECT 'a';--", "rsa\u0000", "|/usr/bin/id",
                   "", "k" * 257, 7, None, ["rsa"])},
    "jku": lambda i: i.token(FOREIGN, header={"jku": i.url + "/evil"}),
    "x5u": lambda i: i.token(FOREIGN, header={"x5u": i.url + "/evil"}),
    "jwk": lambda i: i.token(FOREIGN, header={"jwk": FOREIGN.jwk()}),
    "x5c": lambda i: i.token(FOREIGN, header={"x5c": [b64(FOREIGN.pem())]}),
    "crit": lambda i: i.token(header={"crit": ["exp"]}),
    "crit b64": lambda i: i.token(header={"crit": ["b64"], "b64": False}),
    "another type": lambda i: i.token(header={"typ": "logout+jwt"}),
    "somebody else's key of the same name": lambda i: i.token(FOREIGN),
    "expired": lambda i: i.token(exp=NOW - 61),
    "not yet": lambda i: i.token(nbf=NOW + 3600),
    "nbf as text": lambda i: i.token(nbf="0"),
    "no exp": lambda i: i.token(exp=GONE),
    "exp as text": lambda i: i.token(exp=str(NOW + 600)),
    "exp null": lambda i: i.token(exp=None),
    "exp with a fraction": exp(f"{NOW + 600}.5"),
    "exp with an exponent": exp("9e9"),
    "exp negative": lambda i: i.token(exp=-1),
    "exp the least number": lambda i: i.token(exp=-2 ** 63),
    "exp the greatest number": lambda i: i.token(exp=2 ** 63 - 1),
    "nbf the greatest number": lambda i: i.token(nbf=2 ** 63 - 1),
    "nbf the least number, expired": lambda i: i.token(nbf=-2 ** 63, exp=NOW - 61),
    "exp huge": lambda i: i.token(exp=HUGE),
    "exp after the year 9999": lambda i: i.token(exp=2 ** 62),
    "exp infinite": exp("Infinity"),
    "wrong audience": lambda i: i.token(aud="other"),
    "a longer audience": lambda i: i.token(aud="parley2"),
    "two audiences": lambda i: i.token(aud=["parley", "other"]),
    "the audience twice": lambda i: i.token(aud=["parley", "parley"]),
    "no audience": lambda i: i.token(aud=GONE),
    "audience in an object": lambda i: i.token(aud={"parley": 1}),
    "wrong issuer": lambda i: i.token(iss="https://evil.example"),
    "issuer with a slash": lambda i: i.token(iss=i.url + "/"),
    "no issuer": lambda i: i.token(iss=GONE),
    "issuer in a list": lambda i: i.token(iss=[i.url]),
    "no subject": lambda i: i.token(sub=GONE),
    "empty subject": lambda i: i.token(sub=""),
    "subject as number": lambda i: i.token(sub=1),
    "subject with a control character": lambda i: i.token(sub="a\u0000b"),
    "subject of 256 bytes": lambda i: i.token(sub="s" * 256),
    "8 KiB and more": lambda i: i.token(more="x" * 6500),
    "20 KiB": lambda i: i.token(more="x" * 15000),
    "many dots": lambda i: i.token() + "." * 3000,
    "five parts": lambda i: i.token() + ".a.b",
    "two parts": lambda i: i.token().rsplit(".", 1)[0],
    "only dots": lambda i: "..",
    "no signature": lambda i: i.token(signature=b""),
    "base64 with padding": lambda i: i.token() + "=",
    "base64 of another alphabet": lambda i: changed(i.token(), 1, lambda t: "+" + t[1:]),
    "a bit that nobody reads": lambda i: changed(i.token(), 2, lambda t: t[:-1] + chr(ord(t[-1]) + 1)),
    "truncated": lambda i: i.token()[:-20],
    "truncated claims": lambda i: changed(i.token(), 1, lambda t: t[:-8]),
    "other claims": lambda i: changed(i.token(), 1, lambda t: part(i.claims(sub="bob"))),
    "a claim twice": raw(sub=(lambda i: '"sub": "ann"', '"sub": "ann", "sub": "bob"')),
    "a claim twice, escaped": raw(sub=(lambda i: '"sub": "ann"', '"sub": "ann", "\\u0073ub": "bob"')),
    "claims that are a list": lambda i: i.token(raw_claims="[1]"),
    "claims with a tail": raw(sub=(lambda i: '}', '} {}')),
    "deep claims": lambda i: i.token(raw_claims='{"a":' * 900 + "1" + "}" * 900),
    "claims that are no UTF-8": lambda i: changed(i.token(), 1, lambda t: b64(b'{"sub":"\xff"}')),
    "ES256, signature too long": lambda i: i.token("ec", signature=bytes([1]) * 65),
    "ES256, signature too short": lambda i: i.token("ec", signature=bytes([1]) * 63),
    "ES256, r and s are 0": lambda i: i.token("ec", signature=bytes(64)),
    "ES256, r is 0": lambda i: i.token("ec", signature=bytes(32) + bytes([1]) * 32),
    "ES256, s is 0": lambda i: i.token("ec", signature=bytes([1]) * 32 + bytes(32)),
    "ES256, in DER": der,
    "EdDSA, zeros": lambda i: i.token("ed", signature=bytes(64)),
    "RS256, zeros": lambda i: i.token("rsa", signature=bytes(256)),
    "RS256, one": lambda i: i.token("rsa", signature=bytes(255) + b"\1"),
}


def test_every_attack_is_refused_with_the_same_words(attacked):
    issuer, gateway = attacked
    mark = len(gateway.lines)
    for name, make in ATTACKS.items():
        text = make(issuer)
        answer = ask(gateway, text)
        assert (answer.status, answer.json["error"]["code"], answer.json["error"]["message"]) == (
            401, "invalid_token", REFUSAL), (name, answer)
        assert len(text) < 40 or text[:40].encode() not in answer.body, name
    assert "/evil" not in issuer.asked
    ask(gateway, issuer.token()).ok()
    ask(gateway, issuer.token(), "/v1/runs/" + issuer.token()).error(404)  # a token in the wrong place
    gateway.wait_log("a key stands in it", mark)
    assert "ey" + "J" not in "".join(gateway.lines[mark:]), "a token stands in the log"


def test_an_unknown_key_is_looked_for_once(attacked):
    """However many tokens name keys that are not there, the issuer is asked once in 30 seconds."""
    issuer, gateway = attacked
    before = issuer.asked.count("/jwks")
    began = time.monotonic()
    for n in range(50):
        refused(gateway, issuer.token(header={"kid": f"other-{n}"}))
    assert issuer.asked.count("/jwks") - before <= 1 + (time.monotonic() - began) // 30


@pytest.mark.parametrize("listed", [
    lambda: WEAK.jwk(), lambda: FOREIGN.jwk(use="enc"), lambda: FOREIGN.jwk(alg="RS512"),
    lambda: FOREIGN.jwk(use=GONE, key_ops=["sign"]), lambda: FOREIGN.jwk(e="AQ"), lambda: FOREIGN.jwk(kty="oct", k="AA"),
])
def test_a_key_that_may_not_sign_is_none(start, issuer, listed):
    """A weak key, one for something else, one whose e is 1: the set is as if it were not in it."""
    entry = listed()
    issuer.listed = {"keys": [issuer.keys["ec"].jwk(), entry]}
    gateway = start({"tokens": [issuer.config()]})
    wait_until(lambda: ask(gateway, issuer.token("ec")).status == 200, "the issuer's keys")
    refused(gateway, issuer.token(WEAK if entry["kid"] == "weak" else FOREIGN))


P = 2 ** 255 - 19
EIGHTH = 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7  # y of a point whose order is 8


def test_a_key_of_small_order_is_none(start, issuer):
    """With such a key a signature that nobody has made is good: r is the neutral point, s is 0."""
    points = [sign << 255 | y for sign in (0, 1) for y in (0, 1, EIGHTH, P - EIGHTH, P - 1, P, P + 1)]
    issuer.listed = {"keys": [issuer.keys["ec"].jwk()] + [
        {"kty": "OKP", "crv": "Ed25519", "kid": f"{y:x}", "x": b64(y.to_bytes(32, "little"))} for y in points]}
    gateway = start({"tokens": [issuer.config()]}, args=ADMIN)
    wait_until(lambda: ask(gateway, issuer.token("ec")).status == 200, "the issuer's keys")
    for y in points:
        refused(gateway, issuer.token("ed", header={"kid": f"{y:x}"}, signature=bytes([1]) + bytes(63)))
    with Client(keys.admin_url(gateway)) as client:
        metrics = client.get("/metrics").body.decode()
    assert f'parley_token_refusals_total{{reason="key"}} {len(points)}' in metrics


# --- what is accepted ---

@pytest.mark.parametrize("make", [
    lambda i: i.token("rsa"), lambda i: i.token("ec"), lambda i: i.token("ed"),
    lambda i: i.token(aud=["parley"]), lambda i: i.token(header={"typ": "at+jwt"}),
    lambda i: i.token(header={"typ": GONE}), lambda i: i.token(header={"kid": GONE}),
    lambda i: i.token(exp=int(time.time()) - 30), lambda i: i.token(nbf=int(time.time()) + 30),
    lambda i: i.token(nbf=-2 ** 63),
    lambda i: i.token(more="x" * 5500),
])
def test_a_good_token_is_accepted(attacked, make):
    issuer, gateway = attacked
    me = ask(gateway, make(issuer)).ok().json
    assert me["id"].startswith("jwt:") and len(me["id"]) == 19
    assert me["scopes"] == ["chat", "read", "files"]


def test_a_token_is_taken_wherever_a_key_is(attacked):
    issuer, gateway = attacked
    token = issuer.token()
    for header in ("Authorization", "x-api-key", "api-key", "API_KEY"):
        assert ask(gateway, token, header=header).status == 200, header
    for path, body in (("/v1/chat", {"messages": ["hi"]}),
                       ("/v1/chat/completions", {"model": "echo", "messages": [{"role": "user", "content": "hi"}]}),
                       ("/v1/responses", {"model": "echo", "input": "hi"}),
                       ("/v1/messages", {"model": "echo", "max_tokens": 9,
                                         "messages": [{"role": "user", "content": "hi"}]})):
        ask(gateway, token, path, "POST", body).ok()
        assert ask(gateway, token + "x", path, "POST", body).status == 401
    ask(gateway, token, "/v1/admin/keys").error(403, "insufficient_scope")


def test_roles_give_scopes_and_a_name(start, issuer):
    """Roles are a list or words in a text, also below another claim; who has none of them has the default."""
    gateway = ready(start({"tokens": [issuer.config(name="email", scopes={
        "claim": "realm.roles", "map": {"boss": ["admin", "read"], "user": ["chat"]}, "default": ["read"]})],
        "log_format": "json"}, args=ADMIN), issuer)

    def scopes(**claims):
        return ask(gateway, issuer.token(**claims)).ok().json["scopes"]
    assert scopes(realm={"roles": ["boss", 7, "else"]}) == ["read", "admin"]
    assert scopes(realm={"roles": "user boss"}) == ["chat", "read", "admin"]
    assert scopes(**{"realm.roles": "user"}) == ["chat"]
    for words in ("é " * 400 + "boss", ["é"] * 400 + ["boss"]):  # escaped: each takes memory
        assert scopes(realm={"roles": words}) == ["read", "admin"]
    for none in ({"roles": ["bosses"]}, {"roles": {"boss": 1}}, "boss", None, {"roles": "xboss user2"}):
        assert scopes(realm=none) == ["read"]
    me = ask(gateway, issuer.token(email="ann@example.com")).json
    assert me["name"] == "ann@example.com" and me["expires_at"] > time.time()
    assert ask(gateway, issuer.token(email="a\nb")).json["name"] is None
    assert ask(gateway, issuer.token(email="é" * 60)).json["name"] == "é" * 32
    gateway.wait_log(f'"key_id":"{me["id"]}","key_name":"ann@example.com"')
    ask(gateway, issuer.token(), "/v1/chat", "POST", {"messages": ["hi"]}).error(403, "insufficient_scope")


def test_without_keys_the_gateway_is_closed(start, issuer):
    """The first key needs a token with the scope."""
    gateway = ready(start({"tokens": [issuer.config(scopes={
        "claim": "role", "map": {"boss": ["admin"]}, "default": ["chat", "read"]})]}, args=ADMIN), issuer)
    admin = keys.admin_url(gateway)
    with Client(gateway.url) as client:
        client.post("/v1/chat", {"messages": ["hi"]}).error(401, "missing_api_key")
    with Client(admin) as client:
        client.post("/v1/admin/keys", {"name": "first"}).error(401, "missing_api_key")
        client.post("/v1/admin/keys", {"name": "first"},
                    headers=keys.bearer(issuer.token())).error(403, "insufficient_scope")
        made = client.post("/v1/admin/keys", {"name": "first"}, headers=keys.bearer(issuer.token(role="boss"))).ok()
        audit = client.get("/v1/admin/audit", headers=keys.bearer(issuer.token(role="boss"))).ok().json["data"]
    assert ask(gateway, made.json["key"]).ok().json["id"] == made.json["id"]
    assert audit[0]["action"] == "key.create" and audit[0]["actor"] == ask(gateway, issuer.token()).json["id"]
    # a session of a key still ends as it does without tokens
    session = ask(gateway, made.json["key"], "/v1/session", "POST").ok().json["token"]
    ask(gateway, session).ok()
    with Client(admin) as client:
        client.request("DELETE", f"/v1/admin/keys/{made.json['id']}", headers=keys.bearer(issuer.token(role="boss"))).ok()
    ask(gateway, session).error(401, "invalid_session", "key")


# --- whose objects they are ---

def test_objects_belong_to_the_subject_of_the_issuer(start, issuer):
    """Two subjects, and the same subject at two issuers, see nothing of one another; another token of the same
    subject sees all."""
    other = Issuer()
    try:
        gateway = ready(ready(start({"tokens": [issuer.config(), other.config()]}), issuer), other)
        ann, bob, elsewhere = issuer.token(), issuer.token(sub="bob"), other.token()
        turn = ask(gateway, ann, "/v1/chat", "POST", {"messages": ["zebra"]}).ok().json
        completion = ask(gateway, ann, "/v1/chat/completions", "POST",
                         {"model": "echo", "store": True, "messages": [{"role": "user", "content": "zebra"}]}).ok().json
        paths = [f"/v1/conversations/{turn['conversation']}", f"/v1/runs/{turn['run']}",
                 f"/v1/chat/completions/{completion['id']}"]
        again = issuer.token("ec", jti="2")
        for path in paths:
            for token, status in ((ann, 200), (again, 200), (bob, 404), (elsewhere, 404)):
                assert ask(gateway, token, path).status == status, (path, status)
            assert ask(gateway, bob, path, "DELETE").status in (404, 405)
        for token in (bob, elsewhere):
            for path in ("/v1/conversations", "/v1/runs", "/v1/chat/completions", "/v1/search?q=zebra", "/v1/usage"):
                answer = ask(gateway, token, path)
                assert b"zebra" not in answer.body and turn["conversation"].encode() not in answer.body, path
                assert turn["run"].encode() not in answer.body, path
        owners = {t: ask(gateway, t).json["owner"] for t in (ann, again, bob, elsewhere)}
        assert owners[ann] == owners[again] and len(set(owners.values())) == 3
    finally:
        other.close()


def test_no_two_entries_have_the_same_signs(start, issuer):
    """An id, a session or a ticket leads to one entry, although the digests of two begin alike."""
    seen = {}
    for n in range(10_000):
        digest = hashlib.sha256(f"{issuer.url}\0a{n}".encode()).digest()
        first = seen.setdefault((digest[0] & 31, digest[1] & 31), n)
        if first != n:
            break
    entries = [issuer.config(audience=f"a{first}"), issuer.config(audience=f"a{n}", scopes={"default": ["read"]})]
    gateway = start({"tokens": entries})
    tokens = [issuer.token(aud=entry["audience"]) for entry in entries]
    wait_until(lambda: ask(gateway, tokens[0]).status == 200, "the issuer's keys")
    found = [ask(gateway, token).ok().json for token in tokens]
    assert found[0]["id"] != found[1]["id"] and found[0]["owner"] == found[1]["owner"]
    for me, token in zip(found, tokens):
        session = ask(gateway, token, "/v1/session", "POST").ok().json["token"]
        again = ask(gateway, session).ok().json
        assert (again["id"], again["scopes"]) == (me["id"], me["scopes"])


def test_each_holder_has_a_budget(start, issuer):
    """One row for each, made with the first call; the token does not matter, its holder does."""
    gateway = ready(start({"providers": [{"name": "e", "dialect": "echo"}],
                           "models": [{"name": "m", "provider": "e", "price": {"input": 0, "output": 1}}],
                           "tokens": [issuer.config(each={"money": "0.00001", "window": "1d"})]}), issuer)

    def call(token):
        return ask(gateway, token, "/v1/chat/completions", "POST",
                   {"model": "m", "max_tokens": 10, "messages": [{"role": "user", "content": "hi"}]})
    ann = issuer.token()
    call(ann).ok()
    wait_until(lambda: call(issuer.token("ec")).status == 429, "the end of the budget")
    call(ann).error(429, "insufficient_quota")
    call(issuer.token(sub="bob")).ok()
    assert ask(gateway, ann).json["budget"]["money"] == "0.00001"
    ids = {ask(gateway, t).json["id"] for t in (ann, issuer.token(sub="bob"))}
    assert {row[0] for row in gateway.rows("SELECT key FROM budget")} == ids
    assert ask(gateway, ann, "/v1/usage").json["budget"]["cost"]["limit"] == "0.00001"


# --- groups ---

def group_of(gateway, *args):
    done = gw.run("groups", "create", "--json", "--database", gateway.database_option(), *args)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["id"]


def chat(gateway, token, **body):
    return ask(gateway, token, "/v1/chat/completions", "POST",
               {"model": "m", "max_tokens": 10, "messages": [{"role": "user", "content": "hi"}], **body})


def in_groups(issuer, groups, **more):
    return {"providers": [{"name": "e", "dialect": "echo"}],
            "models": [{"name": name, "provider": "e", "price": {"input": 0, "output": 1}} for name in ("m", "other")],
            "tokens": [issuer.config(groups=groups, **more)]}


@pytest.fixture
def grouped(start, issuer):
    """A gateway with the groups eng and ops, in this order, and the function that reads it anew."""
    gateway = start({}, args=ADMIN)
    made = {"eng": group_of(gateway, "--name", "eng", "--models", "m", "--budget", "0.00002"),
            "ops": group_of(gateway, "--name", "ops", "--limit", "requests=2/1h")}

    def apply(**more):
        gateway.write_config(in_groups(issuer, {"claim": "groups", "map": made, **more}))
        reload(gateway)
        return ready(gateway, issuer)
    gateway.groups, gateway.apply = made, apply
    apply()
    return gateway


def test_a_claim_gives_a_group(grouped, issuer):
    """A text or a list; of several, the first of the table; with none, 403, or no group."""
    gateway, ids = grouped, grouped.groups

    def group(claim):
        answer = ask(gateway, issuer.token(groups=claim))
        if answer.status == 403:
            answer.error(403, "insufficient_scope")
            assert answer.json["error"]["message"].startswith("the holder of this token is in no group")
            return "refused"
        found = answer.ok().json["group"]
        return found and found["id"]
    claims = {"eng": "eng", "ops": "ops"}
    for claim, want in (("eng", "eng"), (["ops"], "ops"), (["x", "ops", "eng"], "eng"), ([7, {"a": "eng"}, "ops"], "ops")):
        assert group(claim) == ids[claims[want]], claim
    strangers = (GONE, None, [], "x", ["engineers", "en"], "eng ops", "sales eng", {"eng": True}, [["eng"]])
    assert {group(claim) for claim in strangers} == {"refused"}
    gateway.apply(otherwise="none")
    assert [group(claim) for claim in strangers] == [None] * len(strangers)
    assert group(["ops"]) == ids["ops"]


def test_members_share_what_their_group_has(grouped, issuer):
    """As keys of the group do, and with them: models, limits, the budget, usage."""
    gateway, ids = grouped, grouped.groups
    ann, bob, key = (issuer.token(groups="eng"), issuer.token(sub="bob", groups=["eng"]),
                     keys.known(gateway, keys.make(gateway, "--group", ids["eng"]))["key"])
    assert [m["id"] for m in ask(gateway, ann, "/v1/models").ok().json["data"]] == ["m"]
    assert chat(gateway, ann, model="other").status == 404
    who = [ann, bob, key]
    answers = [chat(gateway, who[i % 3], stream=i % 2 == 0) for i in range(12)]
    refused = [a for a in answers if a.status == 429]
    assert {a.status for a in answers} == {200, 429} and answers[0].status == 200
    assert {(a.json["error"]["code"], a.json["error"]["param"]) for a in refused} == {("insufficient_quota", "group")}

    admin = issuer.token(groups="ops", sub="operator")
    gateway.write_config(in_groups(issuer, {"claim": "groups", "map": ids}, scopes={"default": ["admin", "chat", "read"]}))
    reload(gateway)

    def spent():
        with Client(keys.admin_url(gateway)) as client:
            return client.get(f"/v1/admin/groups/{ids['eng']}", headers=keys.bearer(admin)).ok().json["left"]["cost"]
    wait_until(lambda: spent()["reserved"] == "0", "the ends of the calls")
    assert 0 < float(spent()["spent"]) <= 0.00002

    def usage():
        with Client(keys.admin_url(gateway)) as client:
            rows = client.get("/v1/admin/usage?group=group", headers=keys.bearer(admin)).ok().json["data"]
        return [(row["group"], row["calls"]) for row in rows]
    wait_until(lambda: usage() == [(ids["eng"], len(answers) - len(refused))], "the sums")

    carl, dora = (issuer.token(sub=sub, groups="ops") for sub in ("carl", "dora"))
    chat(gateway, carl).ok()
    chat(gateway, dora).ok()
    answer = chat(gateway, carl)
    answer.error(429, "rate_limit_exceeded", "group")


def test_calls_that_a_kill_cuts_off_count_for_the_members_group(start, issuer, upstream, script):
    gate = up.Gate()
    s = script(up.sse(), up.role(), up.text("begun"), up.wait(gate))
    gateway = start({}, args=ADMIN)
    group = group_of(gateway, "--name", "eng", "--budget", "5")
    gateway.write_config({**in_groups(issuer, {"claim": "groups", "map": {"eng": group}}),
                          "providers": [provider(upstream, "p")], "models": [
                              {"name": "m", "provider": "p", "upstream_model": s.name, "price": {"input": 1, "output": 1}}]})
    reload(gateway)
    token = issuer.token(groups="eng")
    ready(gateway, issuer)
    body = {"model": "m", "max_tokens": 10, "messages": [{"role": "user", "content": "hi"}], "stream": True}
    with Client(gateway.url, keys.bearer(token)) as client, contextlib.ExitStack() as streams:
        for store in (True, False):
            streams.enter_context(client.stream("/v1/chat/completions", {**body, "store": store}))
        s.wait(2)
        wait_until(lambda: int(gateway.rows("SELECT count(*) FROM reservation")[0][0]) == 2, "both")
        gateway.kill()
    gate.open()
    gateway.restart()
    ready(gateway, issuer)

    def usage():
        rows = ask(gateway, token, "/v1/usage?group=group").ok().json["data"]
        return [(row["group"], row["calls"]) for row in rows]
    wait_until(lambda: sum(calls for _, calls in usage()) == 2, "the sums")
    assert usage() == [(group, 2)]


def test_a_session_and_a_ticket_keep_the_group(grouped, issuer):
    """Until the table gives other groups; also after a restart."""
    gateway, ids = grouped, grouped.groups
    token = issuer.token(groups="ops")
    session = ask(gateway, token, "/v1/session", "POST").ok().json["token"]
    run = ask(gateway, session, "/v1/chat", "POST", {"messages": ["hi"], "config": {"model": "m"}}).ok().json["run"]
    ticket = ask(gateway, session, f"/v1/runs/{run}/ticket", "POST").ok().json["url"]

    def read():
        with Client(gateway.url) as client:
            return client.get(ticket).status
    gateway.stop()
    gateway.start()
    ready(gateway, issuer)
    assert ask(gateway, session).ok().json["group"]["id"] == ids["ops"]
    renewed = ask(gateway, session, "/v1/session", "POST").ok().json["token"]
    assert ask(gateway, renewed).ok().json["group"]["id"] == ids["ops"] and read() == 200
    gateway.apply(otherwise="none")
    for text in (session, renewed):
        ask(gateway, text).error(401, "invalid_session")
    assert read() == 401
    assert ask(gateway, token).ok().json["group"]["id"] == ids["ops"]


def test_whose_group_is_gone_is_refused(grouped, issuer):
    """The next group of the table is no help, and none is no way around limits; the log says why."""
    gateway, ids = grouped, grouped.groups
    gateway.apply(otherwise="none")
    token = issuer.token(groups=["ops", "eng"])
    session = ask(gateway, token, "/v1/session", "POST").ok().json["token"]
    watcher = contextlib.ExitStack()
    stream = watcher.enter_context(live(watcher.enter_context(
        Client(gateway.url, {"authorization": f"Bearer {token}"}))))
    gone = gw.run("groups", "delete", "--database", gateway.database_option(), ids["eng"])
    assert gone.returncode == 0, gone.stderr
    wait_until(lambda: ask(gateway, token).status == 403, "the change")
    ask(gateway, token).error(403, "insufficient_scope")
    ask(gateway, session).error(401, "invalid_session")
    assert stream.next_data().json["error"]["code"] == "invalid_api_key", "what was open ends, too"
    watcher.close()
    gateway.wait_log(f"{ids['eng']}, into which {issuer.url} puts people, is not there")
    ask(gateway, issuer.token(groups="ops")).ok()
    gateway.stop()
    gateway.start()
    gateway.wait_log(rf"tokens\[0\].groups: there is no group {ids['eng']}")


# --- keys that come and go ---

def test_a_token_dies_with_its_key(start, issuer, tmp_path):
    """Also one that was accepted before, and the session that has begun with it."""
    file = tmp_path / "keys.json"
    file.write_text(json.dumps(issuer.jwks()))
    gateway = start({"tokens": [issuer.config(jwks=str(file))]})
    token, other = issuer.token("rsa"), issuer.token("ec")
    session = ask(gateway, token, "/v1/session", "POST").ok().json["token"]
    run = ask(gateway, token, "/v1/chat", "POST", {"messages": ["hi"]}).ok().json["run"]
    ticket, from_session, good = (ask(gateway, text, f"/v1/runs/{run}/ticket", "POST").ok().json["url"]
                                  for text in (token, session, other))

    def read(url):
        with Client(gateway.url) as client:
            return client.get(url).status
    for text in (token, other, session):
        ask(gateway, text).ok()
    assert [read(url) for url in (ticket, from_session, good)] == [200, 200, 200]
    issuer.listed = {"keys": [issuer.keys["ec"].jwk()]}
    file.write_text(json.dumps(issuer.jwks()))
    reload(gateway)
    refused(gateway, token)
    ask(gateway, session).error(401, "invalid_session")
    ask(gateway, other).ok()
    assert [read(url) for url in (ticket, from_session, good)] == [401, 401, 200]
    mark = len(gateway.lines)
    file.write_text("{}")  # is no set: the old one stays
    gateway.signal(signal.SIGHUP)
    gateway.wait_log("is no JSON Web Key Set", mark)
    ask(gateway, other).ok()
    file.write_text(json.dumps({"keys": [WEAK.jwk()]}))  # is one, with nothing in it that signs
    reload(gateway)
    refused(gateway, other)
    gateway.wait_log("has no key for RS256", mark)
    assert issuer.asked == []


def test_an_issuer_withdraws_its_last_key(start, issuer):
    """What is fetched counts as it is; only what can't be fetched, or is no set, leaves the old one."""
    issuer.listed = {"keys": [WEAK.jwk()]}
    gateway = ready(start({"tokens": [issuer.config()]}), issuer)
    refused(gateway, issuer.token())
    gateway.wait_log("has no key for RS256")


def test_keys_are_fetched_beside_the_calls(start, issuer):
    """An issuer that is down: tokens are told so, and to come again.  One with a new key is asked for it."""
    issuer.down = True
    spare = issuer.keys.pop("ec")
    gateway = start({"tokens": [issuer.config()], "log_format": "json"}, args=ADMIN)
    wait_until(lambda: issuer.asked, "the first question")
    answer = ask(gateway, issuer.token())
    answer.error(503, "token_keys_unavailable")
    assert answer.headers["retry-after"] == "1"
    refused(gateway, issuer.token(aud="other"))
    gateway.wait_log("the keys of .* can't be fetched .* status 503")
    issuer.down = False
    wait_until(lambda: ask(gateway, issuer.token()).status == 200, "the issuer's keys")
    issuer.down = True  # what is known is used on
    ask(gateway, issuer.token(jti="2")).ok()
    issuer.keys["ec"] = spare
    refused(gateway, issuer.token("ec"))
    with Client(keys.admin_url(gateway)) as client:
        metrics = client.get("/metrics").body.decode()
    assert f'parley_jwks_fetches_total{{issuer="{issuer.url}",result="fetched"}} 1' in metrics
    assert f'parley_jwks_fetches_total{{issuer="{issuer.url}",result="failed"}}' in metrics
    assert 'parley_token_refusals_total{reason="audience"} 1' in metrics
    assert 'parley_token_refusals_total{reason="key"} 1' in metrics
    assert 'parley_auth_failures_total{reason="invalid_token"} 2' in metrics


@pytest.mark.parametrize("said", [
    lambda i: {"issuer": i.url + "/", "jwks_uri": i.url + "/jwks"}, lambda i: {"jwks_uri": i.url + "/jwks"},
    lambda i: {"issuer": i.url, "jwks_uri": "http://192.0.2.1/jwks"}, lambda i: {"issuer": i.url},
    lambda i: {"issuer": i.url, "jwks_uri": "file:///etc/passwd"},
])
def test_an_issuer_that_says_something_else_gives_no_keys(start, issuer, said):
    issuer.answer = lambda path: (200, json.dumps(
        said(issuer) if "well-known" in path else issuer.jwks()).encode())
    gateway = start({"tokens": [issuer.config()], "log_format": "json"})
    gateway.wait_log("the keys of .* can't be fetched")
    ask(gateway, issuer.token()).error(503, "token_keys_unavailable")
    assert "/jwks" not in issuer.asked


# --- sessions, tickets, restarts ---

def test_a_session_ends_with_its_token(start, issuer):
    """It needs no memory: a restart does not end it.  It can do no more than the token, and lives no longer."""
    gateway = ready(start({"tokens": [issuer.config(name="email")]}), issuer)
    end = int(time.time()) + 300
    token = issuer.token(exp=end, email="ann@example.com")
    made = ask(gateway, token, "/v1/session", "POST", {"keep": True, "scopes": ["read"]}).ok().json
    me = ask(gateway, token).json
    assert made["key"] == me["id"] and made["name"] == "ann@example.com" and made["scopes"] == ["read"]
    assert end <= made["expires_at"] == made["ends_at"] <= end + 60
    gateway.stop()
    gateway.start()
    ready(gateway, issuer)
    again = ask(gateway, made["token"]).ok().json
    assert (again["id"], again["owner"], again["scopes"]) == (me["id"], me["owner"], ["read"])
    assert again["name"] == "ann@example.com"
    next_one = ask(gateway, made["token"], "/v1/session", "POST").ok().json
    assert next_one["expires_at"] == made["expires_at"] and next_one["id"] == made["id"]
    assert next_one["name"] == ask(gateway, next_one["token"]).json["name"] == "ann@example.com"
    gateway.wait_log(f'"key_id":"{me["id"]}","key_name":"ann@example.com"')
    ask(gateway, made["token"], "/v1/session", "DELETE").ok()
    for text in (made["token"], next_one["token"]):
        ask(gateway, text).error(401, "invalid_session")
    forged = made["token"][:-1] + ("0" if made["token"][-1] != "0" else "1")
    ask(gateway, forged).error(401, "invalid_session")
    assert token not in gateway.log() and "ann@example.com" in gateway.log()


def test_a_session_goes_with_the_entry_of_the_configuration(start, issuer):
    other = Issuer()
    gateway = ready(start({"tokens": [issuer.config(), other.config()]}), issuer)
    session = ask(gateway, issuer.token(), "/v1/session", "POST").ok().json["token"]
    gateway.write_config({"tokens": [issuer.config(audience="another"), other.config()]})
    reload(gateway)
    other.close()
    ask(gateway, session).error(401, "invalid_session")
    refused(gateway, issuer.token())


def test_a_session_goes_with_the_scopes_of_the_roles(start, issuer):
    """The session does not know the role that gave it its scopes, so it can't keep them when roles give others."""
    def entry(ann):
        return {"tokens": [issuer.config(scopes={"claim": "role", "map": {"ann": ann, "boss": ["admin", "read"]}})]}
    gateway = ready(start(entry(["admin", "read"])), issuer)
    session = ask(gateway, issuer.token(role="ann"), "/v1/session", "POST").ok().json["token"]
    assert ask(gateway, session).ok().json["scopes"] == ["read", "admin"]
    gateway.write_config(entry(["read"]))
    reload(gateway)
    ask(gateway, session).error(401, "invalid_session")
    assert ask(gateway, issuer.token(role="ann")).ok().json["scopes"] == ["read"]


def test_a_ticket_of_a_token_reads_its_run(start, issuer):
    gateway = ready(start({"tokens": [issuer.config()]}), issuer)
    run = ask(gateway, issuer.token(), "/v1/chat", "POST", {"messages": ["hi"]}).ok().json["run"]
    ticket = ask(gateway, issuer.token(), f"/v1/runs/{run}/ticket", "POST").ok().json
    with Client(gateway.url) as client:
        assert client.get(ticket["url"]).status == 200
        assert client.get(ticket["url"][:-1] + "x").status == 401


# --- people in the console ---

CODE = {"code": "c &=%+/\u00e9", "code_verifier": "v" * 43, "redirect_uri": "http://127.0.0.1/console/"}


def sign_in(gateway, at, **more):
    with Client(gateway.url) as client:
        return client.post("/v1/sign-in", {"issuer": at.url, **CODE, **more})


def test_a_code_becomes_a_token(start, issuer):
    """The page is the public client; the gateway carries the code as it is, and tells nobody why it was refused."""
    other = Issuer()
    gateway = ready(start({"tokens": [issuer.config(console={"client_id": "c&1", "resource": "urn:r"}), other.config()],
                           "log_format": "json"}), issuer)
    with Client(gateway.url) as client:
        assert client.get("/v1/sign-in").ok().json == {"object": "list", "data": [
            {"object": "issuer", "issuer": issuer.url, "client_id": "c&1", "scope": "openid", "resource": "urn:r",
             "authorization_endpoint": issuer.url + "/authorize", "needs_iss": False}]}
    token = sign_in(gateway, issuer).ok().json["token"]
    assert issuer.forms == [{"grant_type": ["authorization_code"], "client_id": ["c&1"], "resource": ["urn:r"],
                             **{k: [v] for k, v in CODE.items()}}]
    ask(gateway, ask(gateway, token, "/v1/session", "POST").ok().json["token"]).ok()
    sign_in(gateway, other).error(404, "not_found", "issuer")
    for redeem, status, code in (((400, {"error": "invalid_grant zebra"}), 401, "invalid_token"),
                                 ((200, {"access_token": 7}), 503, "token_keys_unavailable"),
                                 ((200, []), 503, "token_keys_unavailable"),
                                 ((302, {}), 503, "token_keys_unavailable"),
                                 ((500, {}), 503, "token_keys_unavailable")):
        issuer.redeem = lambda answer=redeem: answer
        answer = sign_in(gateway, issuer)
        answer.error(status, code)
        assert b"zebra" not in answer.body
    for wrong in ({"code_verifier": "short"}, {"code": ""}, {"more": 1}, {"issuer": None}):
        assert sign_in(gateway, issuer, **wrong).status == 400
    other.close()
    assert token not in gateway.log() and CODE["code_verifier"] not in gateway.log()


def test_only_so_many_codes_are_carried_at_once(start, issuer):
    """Whoever sends them needs no key.  Clients that leave make room."""
    gate = threading.Event()
    gateway = ready(start({"tokens": [issuer.config(console={"client_id": "c"})], "loops": 1}), issuer)

    def wait():
        gate.wait(DEADLINE)
        return 200, {"access_token": issuer.token()}
    issuer.redeem = wait
    clients = [Raw(gateway) for _ in range(17)]
    body = json.dumps({"issuer": issuer.url, **CODE}).encode()
    for client in clients[:16]:
        client.send(b"POST /v1/sign-in HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: "
                    + str(len(body)).encode() + b"\r\n\r\n" + body)
    wait_until(lambda: len(issuer.forms) == 16, "the sixteenth code")
    sign_in(gateway, issuer).error(503, "overloaded")
    for client in clients:
        client.close()
    gate.set()
    wait_until(lambda: sign_in(gateway, issuer).status == 200, "room")


def test_an_answer_must_name_the_issuer_where_another_could_be_meant(start, issuer):
    """Where the issuer says that it names itself, or there is another one to sign in at, also one that is not known yet."""
    other = Issuer()
    other.down = True
    try:
        gateway = ready(start({"tokens": [i.config(console={"client_id": "c"}) for i in (issuer, other)]}), issuer)
        with Client(gateway.url) as client:
            assert [row["needs_iss"] for row in client.get("/v1/sign-in").ok().json["data"]] == [True]
    finally:
        other.close()
    issuer.said = {"authorization_response_iss_parameter_supported": True}
    gateway = ready(start({"tokens": [issuer.config(console={"client_id": "c"})]}), issuer)
    with Client(gateway.url) as client:
        assert [row["needs_iss"] for row in client.get("/v1/sign-in").ok().json["data"]] == [True]


def test_an_issuer_that_says_unsafe_addresses_has_no_button(start, issuer):
    issuer.said = {"authorization_endpoint": "javascript:alert(1)"}
    gateway = ready(start({"tokens": [issuer.config(console={"client_id": "c"})]}), issuer)
    with Client(gateway.url) as client:
        assert client.get("/v1/sign-in").ok().json["data"] == []
    sign_in(gateway, issuer).error(404, "not_found", "issuer")


# --- the configuration ---

@pytest.mark.parametrize("entry, what", [
    ({"audience": "a"}, "tokens[0]: an entry needs an issuer and an audience"),
    ({"issuer": "https://a"}, "tokens[0]: an entry needs an issuer and an audience"),
    ({"issuer": "http://a", "audience": "a"}, "tokens[0].issuer: must be https://"),
    ({"issuer": "a", "audience": "a"}, "tokens[0].issuer: must be https://"),
    ({"issuer": "https://a?b", "audience": "a"}, "tokens[0].issuer: has no query"),
    ({"issuer": "https://a", "audience": "a", "jwks": "http://a/k"}, "tokens[0].jwks: must be auto"),
    ({"issuer": "https://a", "audience": "a", "jwks": "http://localhost:1@a/k"}, "tokens[0].jwks: must be auto"),
    ({"issuer": "https://a", "audience": "a", "jwks": "/nowhere"}, "tokens[0].jwks: '/nowhere' can't be read"),
    ({"issuer": "https://a", "audience": "a", "jwks": "/dev/null"}, "tokens[0].jwks: is no JSON Web Key Set"),
    ({"issuer": "https://a", "audience": "a", "ca_file": "/nowhere"}, "tokens[0].ca_file: can't be read"),
    ({"issuer": "https://a", "audience": "a", "scopes": {"default": ["root"]}}, "tokens[0].scopes.default[0]: must be one"),
    ({"issuer": "https://a", "audience": "a", "scopes": {"claim": "r"}}, "tokens[0].scopes: needs both claim and map"),
    ({"issuer": "https://a", "audience": "a", "console": {}}, "tokens[0].console: needs client_id"),
    ({"issuer": "a", "audience": "a", "jwks": "https://a", "console": {"client_id": "c"}}, "tokens[0].console: needs jwks: auto"),
    ({"issuer": "https://a", "audience": "a", "each": {"window": "1d"}}, "tokens[0].each: needs money"),
    ({"issuer": "https://a", "audience": "a", "each": {"money": "-1"}}, "tokens[0].each.money: must be a decimal"),
    ({"issuer": "https://a", "audience": "a", "each": {"money": "1", "window": "x"}}, "tokens[0].each.window: must be a time"),
    ({"issuer": "https://a", "audience": "a", "groups": {"claim": "g", "map": {"a": "b"}}},
     "tokens[0].groups.map.a: must be the id of a group, as grp_7h2kq9vx"),
    ({"issuer": "https://a", "audience": "a", "groups": {"claim": "g"}}, "tokens[0].groups: needs claim and map"),
    ({"issuer": "https://a", "audience": "a", "groups": {"claim": "g", "map": {}}}, "tokens[0].groups.map: needs 1 to 256"),
    ({"issuer": "https://a", "audience": "a", "groups": {"claim": "g", "map": {"a": "grp_7h2kq9vx"}, "otherwise": "allow"}},
     "tokens[0].groups.otherwise: must be refuse or none"),
    ({"issuer": "https://a", "audience": "a", "audiense": "b"}, "tokens[0].audiense: unknown key; did you mean audience?"),
])
def test_mistakes_are_told_with_their_place(tmp_path, entry, what):
    file = tmp_path / "parley.yaml"
    file.write_text(json.dumps({"database": str(tmp_path / "p.db"), "tokens": [entry]}))
    done = gw.run("serve", "--check-config", "--config", file)
    assert done.returncode != 0 and what in done.stderr, done.stderr


def test_the_table_is_printed_as_it_is_read(tmp_path, issuer):
    entry = issuer.config(name="email", scopes={"claim": "r", "map": {"a: b": ["chat", "admin"]}, "default": []},
                          console={"client_id": "c", "scope": "openid x", "resource": "urn:r"},
                          each={"money": "2.50", "window": "30d"},
                          groups={"claim": "g", "map": {"x: y": "grp_7h2kq9vx", "a": "grp_7h2kq9vx"}, "otherwise": "none"})
    file = tmp_path / "parley.yaml"
    file.write_text(json.dumps({"database": str(tmp_path / "p.db"), "tokens": [entry]}))
    done = gw.run("serve", "--print-config", "--config", file)
    assert yaml.safe_load(done.stdout)["tokens"] == [{"jwks": "auto", "owner": "sub", **entry}]
    for second, what in ((entry, "tokens[1]: a second entry of this issuer"),
                         ({**entry, "audience": "other"}, "tokens[1].console: another entry of this issuer has one")):
        file.write_text(json.dumps({"database": str(tmp_path / "p.db"), "tokens": [entry, second]}))
        assert what in gw.run("serve", "--check-config", "--config", file).stderr
