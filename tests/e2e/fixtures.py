"""What the tests share: one provider and one gateway a process, and gateways of a test's own."""

import contextlib
import socket

import pytest

import postgres
import spec
import strict
import upstream as up
from client import Client
from gateway import CANARY, Gateway
from strict import expected

# Bound and never listening: whoever connects is refused, and nobody else gets the port.
DEAD = socket.socket()
DEAD.bind(("127.0.0.1", 0))

UPSTREAM_KEY = f"sk-{CANARY}-upstream"


# One failure of a test is one call, and no test suffers from another's.
def once():
    return {"retries": 0, "health": {"failures": 0, "cooling": "0s", "dead_key": "0s"}}


def provider(upstream, name, dialect="openai", **more):
    url = upstream.url
    if dialect == "mistral":  # its paths are OpenAI's, and the strict provider has to know
        url = url.replace("/v1", strict.dialects.MISTRAL + "/v1")
    return {"name": name, "dialect": dialect, "base_url": url, **once(), **more}


def usual_config(upstream, **more):
    """Models are named PREFIX/SCRIPT; the prefix picks a provider's settings."""
    port = DEAD.getsockname()[1]
    providers = [
        provider(upstream, "local", api_key_env="TEST_UPSTREAM_KEY"),
        # One limit each: whichever is not the test's own would fire first on a busy machine.
        provider(upstream, "quick", timeouts={"first_byte": "1s"}),
        provider(upstream, "stalls", timeouts={"idle": "1s"}),
        provider(upstream, "brief", timeouts={"total": "1s"}),
        provider(upstream, "newer", max_tokens_field="max_completion_tokens"),
        provider(upstream, "older", max_tokens_field="max_tokens"),
        provider(upstream, "keeper", forward_store=True),
        {"name": "dead", "dialect": "openai", "base_url": f"http://127.0.0.1:{port}/v1",
         **once()},
    ]
    models = [{"name": "echo", "provider": "echo"}, {"name": "t/*", "provider": "local"}]
    models += [{"name": f"{p['name']}/*", "provider": p["name"]} for p in providers[1:]]
    return {"default_model": "echo", "providers": providers, "models": models, **more}


@pytest.fixture(scope="session")
def upstream():
    server = up.Upstream()
    yield server
    server.close()
    assert not server.faults, "\n".join(server.faults)


@pytest.fixture(scope="session")
def gateway_for_all(upstream, tmp_path_factory):
    gateway = Gateway(tmp_path_factory.mktemp("shared"), usual_config(upstream),
                      env={"TEST_UPSTREAM_KEY": UPSTREAM_KEY})
    gateway.start()
    yield gateway
    gateway.stop()


@pytest.fixture
def shared(gateway_for_all):
    """The gateway of most tests; one that died is started again, and the test that did it fails."""
    if not gateway_for_all.alive():
        gateway_for_all.process = None
        gateway_for_all.start()
    mark = len(gateway_for_all.lines)
    yield gateway_for_all
    if not gateway_for_all.alive():
        code = gateway_for_all.wait_exit()
        pytest.fail(f"the gateway died with {code}:\n{''.join(gateway_for_all.lines[mark:])}")


@pytest.fixture
def client(shared):
    with Client(shared.url) as client:
        yield client


@pytest.fixture
def script(upstream):
    """script(step..., allows={...}): a model of the provider that plays the steps."""
    made = []

    def make(*steps, allows=None):
        made.append(upstream.script(*steps, allows=allows))
        return made[-1]
    yield make
    for one in made:
        upstream.scripts.pop(one.name, None)


@contextlib.contextmanager
def gateways(folder, upstream):
    """Makes gateways, and stops them all at the end."""
    made = []

    def make(config=None, usual=None, ready=True, **more):
        if usual is not None:
            config = usual_config(upstream, **usual)
            more["env"] = {"TEST_UPSTREAM_KEY": UPSTREAM_KEY, **more.get("env", {})}
        gateway = Gateway(folder / f"gateway{len(made)}", config, **more)
        made.append(gateway)
        return gateway.start() if ready else gateway
    yield make
    problems = []
    for gateway in made:
        try:
            gateway.stop()
        except AssertionError as error:
            problems.append(str(error))
    assert not problems, "\n".join(problems)


@pytest.fixture
def start(tmp_path, upstream):
    """start(config=..., args=..., env=...): a gateway for this test alone."""
    with gateways(tmp_path, upstream) as make:
        yield make


@pytest.fixture(scope="module")
def start_once(tmp_path_factory, upstream):
    """The same, for all tests of a file."""
    with gateways(tmp_path_factory.mktemp("once"), upstream) as make:
        yield make


# --- gateways that share a PostgreSQL database, whatever engine the others use ---


@pytest.fixture(scope="module")
def server():
    one = postgres.Server(max_connections="60").start()
    yield one
    one.remove()


@pytest.fixture
def database(server):
    name = server.create()
    yield name
    server.sql(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def join(server, database, start):
    """join(): one more gateway on the same database."""
    def make(*args, ready=True, binary=None, **usual):
        return start(usual={"database": server.url(database), **usual}, args=args, ready=ready,
                     binary=binary)
    return make


@pytest.fixture(autouse=True)
def answers_follow_the_contract():
    """Every answer that a test saw is one that openapi.yaml describes."""
    spec.violations.clear()
    yield
    if spec.violations:
        shown = "\n".join(spec.violations[:5])
        pytest.fail(f"{len(spec.violations)} answers are not as in openapi.yaml:\n{shown}")


@pytest.hookimpl(hookwrapper=True)
def pytest_pyfunc_call(pyfuncitem):
    """Every request that the test's providers were sent is one that the real ones take."""
    strict.JUDGE.expect(expected.of(pyfuncitem.nodeid))
    outcome = yield
    broken = strict.JUDGE.take()
    if broken:
        shown = "\n".join(broken[:5])
        outcome.force_exception(pytest.fail.Exception(
            f"{len(broken)} requests are not as the provider takes them:\n{shown}", pytrace=False))
