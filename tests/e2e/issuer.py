"""An issuer of tokens for the tests: signs whatever it is told to, and serves its keys on loopback.

    issuer = Issuer()
    issuer.config(audience="parley", …)         # its entry in a configuration
    issuer.token(sub="ann", scope="chat")       # good, unless a claim or a header is another
    issuer.keys["k1"]                           # what signs; its set is issuer.jwks()

What it signs is judged by tests/oidc, whose tokens are a real provider's.
"""

import base64
import hashlib
import hmac
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

GONE = object()  # a claim or a header that is left out


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def number(n, size=None):
    return b64(n.to_bytes(size or (n.bit_length() + 7) // 8, "big"))


class Key:
    """alg: RS256, ES256 or EdDSA."""

    def __init__(self, alg, kid, bits=2048):
        self.alg, self.kid = alg, kid
        self.private = {"RS256": lambda: rsa.generate_private_key(65537, bits),
                        "ES256": lambda: ec.generate_private_key(ec.SECP256R1()),
                        "EdDSA": ed25519.Ed25519PrivateKey.generate}[alg]()

    def sign(self, said):
        if self.alg == "RS256":
            return self.private.sign(said, padding.PKCS1v15(), hashes.SHA256())
        if self.alg == "EdDSA":
            return self.private.sign(said)
        r, s = decode_dss_signature(self.private.sign(said, ec.ECDSA(hashes.SHA256())))
        return r.to_bytes(32, "big") + s.to_bytes(32, "big")

    def pem(self):
        return self.private.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)

    def jwk(self, **more):
        public = self.private.public_key()
        if self.alg == "RS256":
            n = public.public_numbers()
            numbers = {"kty": "RSA", "n": number(n.n), "e": number(n.e)}
        elif self.alg == "ES256":
            n = public.public_numbers()
            numbers = {"kty": "EC", "crv": "P-256", "x": number(n.x, 32), "y": number(n.y, 32)}
        else:
            numbers = {"kty": "OKP", "crv": "Ed25519",
                       "x": b64(public.public_bytes(serialization.Encoding.Raw,
                                                    serialization.PublicFormat.Raw))}
        return {k: v for k, v in {**numbers, "kid": self.kid, "use": "sig", "alg": self.alg, **more}.items()
                if v is not GONE}


RSA = Key("RS256", "rsa")  # one for all tests: a key takes a while


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def do_GET(self):
        issuer = self.server.issuer
        issuer.asked.append(self.path)
        status, body = issuer.answer(self.path)
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        self.server.issuer.forms.append(parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode()))
        self.do_GET()


class Issuer:
    def __init__(self):
        self.keys = {"rsa": RSA, "ec": Key("ES256", "ec"), "ed": Key("EdDSA", "ed")}
        self.listed = None  # in place of the keys' own set
        self.down = False
        self.asked = []
        self.forms = []  # of codes
        self.said = {}  # further members of what it says of itself
        self.redeem = lambda: (200, {"access_token": self.token()})
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.issuer = self
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def jwks(self):
        return self.listed if self.listed is not None else {"keys": [k.jwk() for k in self.keys.values()]}

    def answer(self, path):
        if self.down:
            return 503, b"{}"
        if path == "/.well-known/openid-configuration":
            return 200, json.dumps({
                "issuer": self.url, "jwks_uri": self.url + "/jwks", "token_endpoint": self.url + "/token",
                "authorization_endpoint": self.url + "/authorize", **self.said}).encode()
        if path == "/token":
            status, body = self.redeem()
            return status, json.dumps(body).encode()
        return 200, json.dumps(self.jwks()).encode()

    def config(self, **more):
        return {"issuer": self.url, "audience": "parley", **more}

    def claims(self, **more):
        now = int(time.time())
        return {k: v for k, v in {"iss": self.url, "aud": "parley", "sub": "ann", "iat": now, "exp": now + 600,
                                  **more}.items() if v is not GONE}

    def token(self, key="rsa", header=None, signature=None, raw_claims=None, **claims):
        """raw_claims: the text in place of the claims; signature: bytes in place of the true one."""
        signer = key if isinstance(key, Key) else self.keys[key]
        head = {k: v for k, v in {"alg": signer.alg, "typ": "JWT", "kid": signer.kid, **(header or {})}.items()
                if v is not GONE}
        body = raw_claims if raw_claims is not None else json.dumps(self.claims(**claims))
        said = f"{b64(json.dumps(head).encode())}.{b64(body.encode())}"
        return f"{said}.{b64(signer.sign(said.encode()) if signature is None else signature)}"

    def forged(self, secret, **header):
        """Signed by HMAC with a secret that everybody knows."""
        head = {"alg": "HS256", "typ": "JWT", "kid": "rsa", **header}
        said = f"{b64(json.dumps(head).encode())}.{b64(json.dumps(self.claims()).encode())}"
        return f"{said}.{b64(hmac.new(secret, said.encode(), hashlib.sha256).digest())}"
