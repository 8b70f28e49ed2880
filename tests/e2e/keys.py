"""Keys for the tests: made by the command and by the admin routes of a gateway of their own."""

import contextlib
import json

import gateway as gw
from client import Client
from waiting import wait_until


def admin_url(gateway):
    return gateway.wait_log(r"keys on (http://[0-9.:]+)").group(1)


def command(gateway, *args, code=0):
    """parley keys …, beside the gateway."""
    done = gw.run("keys", *args, "--database", gateway.database_option())
    assert done.returncode == code, f"{args}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done


def migrate(gateway):
    """Makes the database of a gateway that has never started."""
    done = gw.run("migrate", "--database", gateway.database_option())
    assert done.returncode == 0, done


def make(gateway, *args):
    """The new key as the command tells it, `key` included."""
    return json.loads(command(gateway, "create", "--json", *args).stdout)


def bearer(key):
    return {"Authorization": f"Bearer {key}"}


def known(gateway, made):
    """Waits until the gateway knows a key that the command has made, and is open no longer."""
    with Client(gateway.url) as client:
        wait_until(lambda: client.get("/v1/models").status == 401, "the end of openness")
        wait_until(lambda: client.get("/v1/models", headers=bearer(made["key"])).status != 401,
                   f"the key {made['id']}")
    return made


@contextlib.contextmanager
def client_of(gateway, key, admin=False):
    with Client(admin_url(gateway) if admin else gateway.url, bearer(key)) as client:
        yield client
