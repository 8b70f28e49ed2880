"""Stand-ins for AWS and Google, as far as an entry with `auth` meets them: who gives keys, and who asks for them.

    cloud = Cloud()
    cloud.env["sts"]             # the variables by which the SDKs, and so the gateway, find it
    cloud.bedrock                # base_url of a provider that checks each signature with botocore
    cloud.vertex                 # the same for Google's tokens
    cloud.open_tunnel(pem)       # cloud.url is then a proxy, too, to hosts of any name
    cloud.asked                  # what was asked for, as words: "sts AssumeRole"

Each refuses what the real one refuses: the sources stand beside it.  A secret that it gives away holds CANARY.
"""

import base64
import itertools
import json
import re
import ssl
import threading
import time
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, parse_qsl, urlsplit

import botocore.auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding

import upstream as up
import wires
from gateway import CANARY
from issuer import RSA

REGION = "eu-central-1"
ROLE = "arn:aws:iam::123456789012:role/parley"
SCOPE = "https://www.googleapis.com/auth/cloud-platform"
CLIENT = "123.apps.googleusercontent.com"
MAIL = "parley@project.iam.gserviceaccount.com"
PEM = RSA.private.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
                                serialization.NoEncryption()).decode()


class Refusal(Exception):
    def __init__(self, status, body=b"", headers=()):
        self.status, self.body, self.headers = status, body, dict(headers)


def aws_refusal(status, kind, message):
    """As Bedrock's runtime answers: the exception is in a header, the words are in the body."""
    return Refusal(status, json.dumps({"message": message}).encode(), {
        "Content-Type": "application/json", "x-amzn-ErrorType": f"{kind}:http://internal.amazon.com/"})


def sts_refusal(status, code, message):
    return Refusal(status, (
        f'<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type>'
        f"<Code>{code}</Code><Message>{message}</Message></Error></ErrorResponse>").encode(),
        {"Content-Type": "text/xml"})


def google_refusal(status, code, message):
    return Refusal(status, json.dumps({"error": code, "error_description": message}).encode(),
                   {"Content-Type": "application/json"})


def answer(value, status=200):
    return status, {"Content-Type": "application/json"}, json.dumps(value).encode()


# How the providers answer, by the path.
WIRES = [("/converse", wires.Bedrock()), ("/invoke", wires.OnBedrock()), ("/anthropic/", wires.Anthropic()),
         ("/google/", wires.Gemini()), ("/responses$", wires.OpenAIResponses()), ("", wires.OpenAI())]


def played(steps):
    """What the steps of a script send, as bytes."""
    held = up.Held(up.Exchange(None, None, None))
    for step in steps:
        step(held)
    return held.bytes


class Keys:
    """Keys of AWS; ends: seconds since 1970, None: never."""

    made = itertools.count(1)

    def __init__(self, lives=None, token=True):
        n = next(self.made)
        self.id = f"ASIA{CANARY.upper()}{n:08d}" if token else f"AKIA{CANARY.upper()}{n:08d}"
        self.secret = f"wJalr/XUtn+{CANARY}{n:08d}bPxRfiCY"
        self.token = f"IQoJb3JpZ2luX2Vj/{CANARY}+{n:08d}==" if token else None
        self.ends = time.time() + lives if lives else None
        self.refused = False

    def expiration(self):
        return datetime.fromtimestamp(self.ends or time.time() + 3600, timezone.utc).strftime(
            "%Y-%m-%dT%H:%M:%SZ")

    def json(self, token="Token"):
        return {"AccessKeyId": self.id, "SecretAccessKey": self.secret, token: self.token,
                "Expiration": self.expiration()}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def serve(self):
        cloud = self.server.cloud
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        url = urlsplit(self.path)  # a proxy is given all of it
        try:
            made = cloud.serve(self.command, url._replace(scheme="", netloc="").geturl(), self.headers, body)
        except Refusal as e:
            made = e.status, e.headers, e.body
        if isinstance(made, bytes):
            self.wfile.write(made)
            return
        status, headers, text = made
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = do_PUT = serve

    def do_CONNECT(self):
        """Whatever the host's name is, it is here."""
        self.send_response(200)
        self.end_headers()
        self.connection = self.server.cloud.tunnel.wrap_socket(self.connection, server_side=True)
        self.rfile, self.wfile = self.connection.makefile("rb"), self.connection.makefile("wb", 0)
        self.close_connection = False

    def finish(self):
        super().finish()
        self.connection.close()


class Cloud:
    def __init__(self, certificate=None):
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        if certificate:
            self.open_tunnel(certificate)
            self.server.socket = self.tunnel.wrap_socket(self.server.socket, server_side=True)
        self.server.daemon_threads = True
        self.server.cloud = self
        self.url = f"http{'s' if certificate else ''}://127.0.0.1:{self.server.server_port}"
        self.bedrock = f"{self.url}/openai/v1"
        self.vertex = f"{self.url}/v1/projects/p/locations/europe-west4"
        self.asked = []
        self.calls = []          # of the providers: path, headers, body
        self.bodies = []         # every request's, for what must not be in them
        self.keys = {}           # by id
        self.tokens = {}         # Google's: their ends
        self.lives = 3600        # seconds of what is given from now on
        self.says = "signed"     # what each model answers
        self.padding = ""        # at the end of Google's tokens
        self.web_token = f"eyJhbGciOi.{CANARY}.web"
        self.container_token = f"{CANARY}-container"
        self.bedrock_key = f"ABSK{CANARY}"
        self.refresh_token = f"1//{CANARY}-refresh"
        self.client_secret = f"GOCSPX-{CANARY}"
        self.sessions = set()
        self.refuse_sts = None   # a Refusal
        self.external_id = None  # what the role wants
        self.hold = threading.Event()  # set: metadata and tokens are answered
        self.hold.set()
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def open_tunnel(self, certificate):
        self.tunnel = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.tunnel.load_cert_chain(certificate)

    def close(self):
        self.hold.set()
        self.server.shutdown()
        self.server.server_close()

    def make(self, **more):
        keys = Keys(**more)
        self.keys[keys.id] = keys
        return keys

    def given(self):
        return self.make(lives=self.lives)

    @property
    def env(self):
        nowhere = {"HOME": "/nonexistent", "AWS_EC2_METADATA_DISABLED": "true"}
        static = self.make(token=False)
        return {
            "env": {**nowhere, "AWS_ACCESS_KEY_ID": static.id, "AWS_SECRET_ACCESS_KEY": static.secret},
            "sts": {**nowhere, "AWS_ENDPOINT_URL_STS": f"{self.url}/sts"},
            "imds": {"HOME": "/nonexistent", "AWS_EC2_METADATA_SERVICE_ENDPOINT": self.url},
            "ecs": {**nowhere, "AWS_CONTAINER_CREDENTIALS_FULL_URI": f"{self.url}/ecs/credentials",
                    "AWS_CONTAINER_AUTHORIZATION_TOKEN": self.container_token},
            "google": {"HOME": "/nonexistent", "GCE_METADATA_HOST": self.url.removeprefix("http://")},
        }

    def serve(self, method, path, headers, body):
        self.bodies.append(body)
        for pattern, function in self.routes:
            if re.fullmatch(pattern, urlsplit(path).path):
                return function(self, method, path, headers, body)
        raise Refusal(404)

    # --- signatures: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-troubleshooting.html ---

    def check(self, method, path, headers, body, service, refuse=aws_refusal):
        """The keys with which the request is signed, as botocore signs it."""
        found = re.fullmatch(r"AWS4-HMAC-SHA256 Credential=(\S+)/(\d{8})/([^/]+)/([^/]+)/aws4_request, "
                             r"SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})",
                             headers.get("Authorization") or "")
        if not found:
            raise refuse(403, "MissingAuthenticationTokenException", "Missing Authentication Token")
        key, day, region, of, names, signature = found.groups()
        keys = self.keys.get(key)
        if keys is None or keys.refused or headers.get("X-Amz-Security-Token") != keys.token:
            raise refuse(403, "UnrecognizedClientException",
                         "The security token included in the request is invalid.")
        if keys.ends and keys.ends < time.time():
            raise refuse(403, "ExpiredTokenException",
                         "The security token included in the request is expired")
        names = names.split(";")
        signed = {n: headers[n] for n in names}
        must = {"host"} | {n.lower() for n in headers if n.lower().startswith("x-amz-")}
        request = AWSRequest(method, f"http://{headers['Host']}{path}", data=body, headers=signed)
        signer = botocore.auth.SigV4Auth(Credentials(keys.id, keys.secret, keys.token), service, REGION)
        stamp = request.context["timestamp"] = headers["X-Amz-Date"]
        text = signer.string_to_sign(request, signer.canonical_request(request))
        at = datetime.strptime(stamp, "%Y%m%dT%H%M%SZ").replace(tzinfo=timezone.utc).timestamp()
        if (must - set(names) or (region, of, day) != (REGION, service, stamp[:8])
                or signer.signature(text, request) != signature):
            raise refuse(403, "InvalidSignatureException", "The request signature we calculated does not "
                                                            "match the signature you provided.")
        if abs(at - time.time()) > 300:
            raise refuse(403, "InvalidSignatureException", f"Signature expired: {stamp}")
        return keys

    def serve_bedrock(self, method, path, headers, body):
        if headers.get("Authorization") != f"Bearer {self.bedrock_key}":
            self.check(method, path, headers, body,
                       "bedrock-mantle" if headers["Host"].startswith("bedrock-mantle.") else "bedrock")
        return self.complete(path, headers, body)

    def complete_free(self, method, path, headers, body):
        """A server of the operator's own, without a key."""
        return self.complete(path, headers, body)

    def complete(self, path, headers, body):
        self.calls.append((path, headers, body))
        if urlsplit(path).path.endswith("/models"):
            return answer({"object": "list", "data": [{"id": "listed", "object": "model"}]})
        wire = next(wire for pattern, wire in WIRES if re.search(pattern, path))
        if isinstance(wire, wires.Gemini):  # whose answers name the model
            wire = wires.Gemini(model=re.search(r"/models/([^/:]+):", path)[1])
        if "stream" in path.rpartition("/")[2].lower() or json.loads(body).get("stream"):
            return played(wire.say(self.says))
        return played([wire.whole(self.says)])

    # --- STS: https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html ---

    def serve_sts(self, method, path, headers, body):
        form = dict(parse_qsl(body.decode(), strict_parsing=True))
        action = form.get("Action")
        self.asked.append(f"sts {action}")
        self.hold.wait()
        if self.refuse_sts:
            raise self.refuse_sts
        if method != "POST" or form.get("Version") != "2011-06-15":
            raise sts_refusal(400, "InvalidAction", f"Could not find operation {action}")
        if not form.get("RoleArn") or not re.fullmatch(r"[\w+=,.@-]{2,64}", form.get("RoleSessionName", "")):
            raise sts_refusal(400, "ValidationError", "1 validation error detected")
        if action == "AssumeRole":
            self.check(method, path, headers, body, "sts", sts_refusal)
            if form.get("ExternalId") != self.external_id:
                raise sts_refusal(403, "AccessDenied", f"User is not authorized to perform: sts:AssumeRole "
                                                       f"on resource: {form['RoleArn']}")
        elif action == "AssumeRoleWithWebIdentity":
            if headers.get("Authorization") or form.get("WebIdentityToken") != self.web_token:
                # the real one repeats what it was sent in some of its errors
                raise sts_refusal(400, "InvalidIdentityToken",
                                  f"The token {form.get('WebIdentityToken')} is not good")
        else:
            raise sts_refusal(400, "InvalidAction", f"Could not find operation {action}")
        keys = self.given()
        return 200, {"Content-Type": "text/xml"}, (
            f'<{action}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><{action}Result>'
            f"<Credentials><AccessKeyId>{keys.id}</AccessKeyId><SecretAccessKey>{keys.secret}"
            f"</SecretAccessKey><SessionToken>{keys.token}</SessionToken><Expiration>"
            f"{keys.expiration()}</Expiration></Credentials></{action}Result></{action}Response>").encode()

    # --- containers: https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html ---

    def serve_ecs(self, method, path, headers, body):
        self.asked.append("ecs")
        if headers.get("Authorization") != self.container_token:
            return answer({"code": "ClientError", "message": f"not {headers.get('Authorization')}"}, 400)
        return answer(self.given().json())

    # --- IMDSv2: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instance-metadata-v2-how-it-works.html ---

    def serve_imds_token(self, method, path, headers, body):
        self.asked.append("imds token")
        self.hold.wait()
        ttl = headers.get("X-aws-ec2-metadata-token-ttl-seconds", "")
        if method != "PUT" or not ttl.isdigit() or not 1 <= int(ttl) <= 21600 or headers.get("X-Forwarded-For"):
            raise Refusal(403 if headers.get("X-Forwarded-For") else 400)
        token = f"AQAE{CANARY}{len(self.sessions)}=="
        self.sessions.add(token)
        return 200, {"Content-Type": "text/plain"}, token.encode()

    def serve_imds(self, method, path, headers, body):
        if headers.get("X-aws-ec2-metadata-token") not in self.sessions:
            raise Refusal(401)
        if path.endswith("/"):
            return 200, {"Content-Type": "text/plain"}, b"parley-role"
        self.asked.append("imds keys")
        return answer({"Code": "Success", "Type": "AWS-HMAC", **self.given().json()})

    # --- Google: https://developers.google.com/identity/protocols/oauth2/service-account ---

    def token(self, name="access_token"):
        text = f"ya29.{CANARY}{len(self.tokens):08d}{self.padding}"
        self.tokens[text] = time.time() + self.lives
        return answer({name: text, "expires_in": self.lives, "token_type": "Bearer"})

    def serve_google_token(self, method, path, headers, body):
        form = dict(parse_qsl(body.decode()))
        self.asked.append(f"google {form.get('grant_type', '').rpartition(':')[2]}")
        self.hold.wait()
        if form.get("grant_type") == "urn:ietf:params:oauth:grant-type:jwt-bearer":
            self.check_assertion(form["assertion"])
        elif form.get("grant_type") == "refresh_token":
            if (form.get("client_id"), form.get("client_secret")) != (CLIENT, self.client_secret):
                raise google_refusal(401, "invalid_client", "The OAuth client was not found.")
            if form.get("refresh_token") != self.refresh_token:
                raise google_refusal(400, "invalid_grant", f"Bad Request: {form.get('refresh_token')}")
        else:
            raise google_refusal(400, "unsupported_grant_type", f"Invalid grant_type: {form.get('grant_type')}")
        return self.token()

    def check_assertion(self, text):
        head, claims, signature = text.split(".")
        part = lambda p: base64.urlsafe_b64decode(p + "=" * (-len(p) % 4))  # noqa: E731
        RSA.private.public_key().verify(part(signature), f"{head}.{claims}".encode(), padding.PKCS1v15(),
                                        hashes.SHA256())
        head, claims = json.loads(part(head)), json.loads(part(claims))
        if head != {"typ": "JWT", "alg": "RS256", "kid": "key-1"} or claims["iss"] != MAIL:
            raise google_refusal(400, "invalid_grant", "Invalid JWT Signature.")
        if claims["aud"] != "https://oauth2.googleapis.com/token" or claims["scope"] != SCOPE:
            raise google_refusal(400, "invalid_scope", "Invalid OAuth scope or ID token audience provided.")
        if claims["exp"] - claims["iat"] > 3600 or not -60 < time.time() - claims["iat"] < 60:
            raise google_refusal(400, "invalid_grant", "Invalid JWT: Token must be a short-lived token (60 "
                                                       "minutes) and in a reasonable timeframe.")

    # https://cloud.google.com/iam/docs/reference/sts/rest/v1/TopLevel/token
    def serve_google_sts(self, method, path, headers, body):
        form = dict(parse_qsl(body.decode()))
        self.asked.append("google exchange")
        if (form.get("subject_token"), form.get("scope"), form.get("subject_token_type"), form.get("audience"),
                form.get("requested_token_type")) != (
                self.web_token, SCOPE, "urn:ietf:params:oauth:token-type:jwt", "//iam.googleapis.com/pool",
                "urn:ietf:params:oauth:token-type:access_token"):
            raise google_refusal(400, "invalid_grant", f"The given token is not good: {form.get('subject_token')}")
        return self.token()

    # https://cloud.google.com/iam/docs/reference/credentials/rest/v1/projects.serviceAccounts/generateAccessToken
    def serve_google_iam(self, method, path, headers, body):
        self.asked.append("google impersonation")
        self.check_bearer(headers)
        if json.loads(body) != {"delegates": [], "scope": [SCOPE], "lifetime": "3600s"}:
            raise Refusal(400)
        text = f"ya29.{CANARY}as{len(self.tokens):08d}"
        self.tokens[text] = time.time() + self.lives
        ends = datetime.fromtimestamp(self.tokens[text], timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        return answer({"accessToken": text, "expireTime": ends})

    # https://cloud.google.com/compute/docs/metadata/querying-metadata
    def serve_google_metadata(self, method, path, headers, body):
        self.asked.append("google metadata")
        if headers.get("Metadata-Flavor") != "Google" or headers.get("X-Forwarded-For"):
            raise Refusal(403)
        if parse_qs(urlsplit(path).query).get("scopes") != [SCOPE]:
            raise Refusal(400)
        return self.token()

    def check_bearer(self, headers):
        text = (headers.get("Authorization") or "").removeprefix("Bearer ")
        if self.tokens.get(text, 0) < time.time() or headers.get("x-goog-api-key"):
            raise Refusal(401, json.dumps({"error": {
                "code": 401, "status": "UNAUTHENTICATED",
                "message": f"Request had invalid authentication credentials: {text}"}}).encode(),
                {"Content-Type": "application/json"})

    def serve_vertex(self, method, path, headers, body):
        self.check_bearer(headers)
        return self.complete(path, headers, body)

    routes = [
        (r"/openai/v1/.*|/model/.*|/anthropic/v1/.*", serve_bedrock), (r"/(sts/)?", serve_sts), (r"/ecs/.*", serve_ecs),
        (r"/latest/api/token", serve_imds_token),
        (r"/latest/meta-data/iam/security-credentials/(parley-role)?", serve_imds),
        (r"/google/token", serve_google_token), (r"/google/sts", serve_google_sts),
        (r"/google/iam", serve_google_iam),
        (r"/computeMetadata/v1/instance/service-accounts/default/token", serve_google_metadata),
        (r"/v1/projects/.*", serve_vertex), (r"/v1/chat/completions", complete_free),
    ]

    # --- files of Google's tools ---

    def service_account(self):
        return {"type": "service_account", "project_id": "p", "private_key_id": "key-1", "private_key": PEM,
                "client_email": MAIL, "token_uri": f"{self.url}/google/token"}

    def authorized_user(self, **more):
        return {"type": "authorized_user", "client_id": CLIENT, "client_secret": self.client_secret,
                "refresh_token": self.refresh_token, "token_uri": f"{self.url}/google/token", **more}

    def external_account(self, source, **more):
        return {"type": "external_account", "audience": "//iam.googleapis.com/pool",
                "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
                "token_url": f"{self.url}/google/sts", "credential_source": source, **more}

