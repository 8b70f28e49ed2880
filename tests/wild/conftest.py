"""Fixtures of the tests with what real clients send and real providers answer."""

import pytest

from ask import DIALECTS, Wild
from client import Client
from fixtures import *  # noqa: F403
from fixtures import UPSTREAM_KEY, provider


@pytest.fixture(scope="module")
def make_wild(start_once, upstream):
    """make_wild(options={DIALECT: {…}}, models={DIALECT: {…}}, …): a gateway that asks the scripted server in
    every dialect, with options of providers and of models; further arguments are the configuration's."""
    made = []

    def make(options=None, models=None, **config):
        gateway = start_once({
            "providers": [provider(upstream, d, dialect=d, api_key_env="TEST_UPSTREAM_KEY",
                                   **(options or {}).get(d, {})) for d in DIALECTS],
            "models": [{"name": f"{d}/*", "provider": d, **(models or {}).get(d, {})} for d in DIALECTS]
            + config.pop("more_models", []), "log_format": "json", **config},
            env={"TEST_UPSTREAM_KEY": UPSTREAM_KEY})
        made.append(Client(gateway.url))
        return Wild(gateway, made[-1])
    yield make
    for client in made:
        client.close()


@pytest.fixture(scope="module")
def wild(make_wild):
    """The usual one, without options."""
    return make_wild()


@pytest.fixture(params=DIALECTS)
def dialect(request):
    return request.param


@pytest.fixture(params=[False, True], ids=["whole", "streamed"])
def stream(request):
    return request.param
