#!/usr/bin/env python3
"""An S3 server in memory for tests: moto, which checks every signature with Amazon's own library.

It says what a client needs to know, as JSON in one line, then obeys lines of its input: list, clear,
overwrite HEX.  It ends with its input.  It has a folder of its own, because a module of the tests beside it
would hide one that it needs.
"""

import json
import sys
import threading

from moto import settings
from moto.iam import iam_backends
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from moto.s3 import s3_backends
from moto.sts import sts_backends
from werkzeug.serving import WSGIRequestHandler, make_server

ACCOUNT = "123456789012"
REGION = "eu-central-1"
BUCKET, PREFIX, CANARY = sys.argv[1:]
# All that a gateway needs.
POLICY = json.dumps({"Version": "2012-10-17", "Statement": [
    {"Effect": "Allow", "Action": ["s3:PutObject", "s3:GetObject", "s3:DeleteObject"],
     "Resource": f"arn:aws:s3:::{BUCKET}/{PREFIX}/*"}]})


class Quiet(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log(self, *_):
        pass


def keys(one):
    return {"AWS_ACCESS_KEY_ID": one.access_key_id, "AWS_SECRET_ACCESS_KEY": one.secret_access_key}


def main():
    store = s3_backends[ACCOUNT]["aws"]
    store.create_bucket(BUCKET, REGION)
    objects = store.buckets[BUCKET].keys
    iam = iam_backends[ACCOUNT]["aws"]
    iam.create_user(REGION, "parley")
    iam.put_user_policy("parley", "files", POLICY)
    key = iam.create_access_key("parley")
    key.secret_access_key = f"{CANARY}/secret+%7E"
    role = iam.create_role("role", "{}", "/", None, "", [], 3600)
    iam.put_role_policy("role", "files", POLICY)
    lent = sts_backends[ACCOUNT]["aws"].assume_role(REGION, "session", role.arn, None, 3600, None)
    lent.session_token = f"{CANARY}/token=="
    settings.INITIAL_NO_AUTH_ACTION_COUNT = 0
    server = make_server("127.0.0.1", 0, DomainDispatcherApplication(create_backend_app), threaded=True,
                         request_handler=Quiet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(json.dumps({"port": server.port, "env": keys(key),
                      "lent": {**keys(lent), "AWS_SESSION_TOKEN": lent.session_token}}), flush=True)
    for line in sys.stdin:
        word, _, more = line.strip().partition(" ")
        names = list(objects)
        if word == "clear":
            objects.clear()
        elif word == "overwrite":
            store.put_object(BUCKET, names[0], bytes.fromhex(more))
        print(json.dumps(names), flush=True)


if __name__ == "__main__":
    main()
