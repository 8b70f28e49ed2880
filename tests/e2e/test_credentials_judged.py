"""What an entry with `auth` asks STS and Google for, beside what the SDKs of both ask for, byte for byte where they print alike."""

import base64
import datetime
import json
from urllib.parse import parse_qsl

import boto3
import botocore.auth
import google.auth._helpers
import google.oauth2._client
import pytest
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials
from google.auth import external_account, identity_pool
from google.oauth2 import service_account

from cloud import REGION, ROLE, SCOPE, Cloud
from test_credentials import ask, aws_role, aws_web_identity, config, google_external, google_file, google_user


@pytest.fixture
def cloud():
    made = Cloud()
    yield made
    made.close()


def forms(cloud, word):
    return [dict(parse_qsl(b.decode())) for b in cloud.bodies if word in b]


class Asked:
    """google-auth's transport, which keeps what is sent and answers with a token."""

    def __init__(self):
        self.forms = []

    def __call__(self, url, method="GET", body=None, headers=None, **more):
        self.forms.append(dict(parse_qsl(body.decode() if isinstance(body, bytes) else body)))
        return type("Response", (), {"status": 200, "headers": {}, "data": json.dumps(
            {"access_token": "x", "expires_in": 3600, "token_type": "Bearer",
             "issued_token_type": "urn:ietf:params:oauth:token-type:access_token"}).encode()})()


def test_an_assertion_is_google_auths(start, cloud, tmp_path, monkeypatch):
    gateway = start(config(cloud, {"kind": "google"}), env=google_file(cloud, tmp_path, cloud.service_account()))
    ask(gateway).ok()
    form, = forms(cloud, b"assertion=")
    claims = form["assertion"].split(".")[1]
    at = json.loads(base64.urlsafe_b64decode(claims + "=="))["iat"]
    monkeypatch.setattr(google.auth._helpers, "utcnow", lambda: datetime.datetime.fromtimestamp(
        at, datetime.timezone.utc).replace(tzinfo=None))
    theirs = service_account.Credentials.from_service_account_info(cloud.service_account(), scopes=[SCOPE])
    assert form == {"assertion": theirs._make_authorization_grant_assertion().decode(),
                    "grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer"}


def test_a_refresh_is_google_auths(start, cloud, tmp_path):
    _, env, _ = google_user(cloud, tmp_path)
    ask(start(config(cloud, {"kind": "google"}), env=env)).ok()
    user, theirs = cloud.authorized_user(), Asked()
    google.oauth2._client.refresh_grant(theirs, user["token_uri"], user["refresh_token"], user["client_id"],
                                        user["client_secret"])
    assert forms(cloud, b"refresh_token=") == theirs.forms


def test_an_exchange_is_google_auths(start, cloud, tmp_path):
    auth, env, _ = google_external(cloud, tmp_path)
    ask(start(config(cloud, {"kind": "google", **auth}), env=env)).ok()
    info = json.loads((tmp_path / "google.json").read_text())
    del info["service_account_impersonation_url"]
    theirs = Asked()
    assert issubclass(identity_pool.Credentials, external_account.Credentials)
    identity_pool.Credentials.from_info(info, scopes=[SCOPE]).refresh(theirs)
    own, = forms(cloud, b"subject_token=")
    assert own == {k: v for k, v in theirs.forms[0].items() if v}


@pytest.mark.parametrize("source", [aws_role, aws_web_identity], ids=lambda f: f.__name__)
def test_roles_are_assumed_as_boto3_does(source, start, cloud, tmp_path):
    auth, env, _ = source(cloud, tmp_path)
    ask(start(config(cloud, {"kind": "aws", **auth}), env=env)).ok()
    keys = next(iter(cloud.keys.values()))
    sts = boto3.client("sts", region_name=REGION, endpoint_url=f"{cloud.url}/sts/",
                       aws_access_key_id=keys.id, aws_secret_access_key=keys.secret,
                       config=Config(retries={"total_max_attempts": 1}))
    if source is aws_role:
        sts.assume_role(RoleArn=ROLE, RoleSessionName="p@rley", ExternalId="ours")
    else:
        sts.assume_role_with_web_identity(RoleArn=ROLE, RoleSessionName="parley",
                                          WebIdentityToken=cloud.web_token)
    own, theirs = forms(cloud, b"Action=")
    assert own == theirs


def test_a_call_has_the_lines_that_botocore_adds(start, cloud):
    """The stand-in checks the signature; here, that nothing is there which botocore would not send."""
    gateway = start(config(cloud, {"kind": "aws"}), env=cloud.env["imds"])
    ask(gateway).ok()
    path, headers, body = cloud.calls[-1]
    keys = next(k for k in cloud.keys.values() if k.token)
    request = AWSRequest("POST", f"{cloud.url}{path}", data=body, headers={"Content-Type": "application/json"})
    botocore.auth.SigV4Auth(Credentials(keys.id, keys.secret, keys.token), "bedrock", REGION).add_auth(request)
    added = {name.lower() for name in request.headers}
    assert {n.lower() for n in headers if n.lower().startswith("x-amz") or n.lower() == "authorization"} == \
        added - {"content-type", "content-length"}
    names = [h.partition("SignedHeaders=")[2].partition(",")[0]
             for h in (headers["Authorization"], request.headers["Authorization"])]
    assert names[0] == names[1]
