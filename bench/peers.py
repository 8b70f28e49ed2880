"""Other gateways as ways of the benchmark (bench/run --peers), each set up for speed.

A peer is installed into a folder of its own below the tools' folder, in the version named here; one
that can't be installed is left out with a line.  Its settings are those that its own documentation
gives for speed: one process, no log of requests, no database.  What a peer wants in a request's head
stands in `headers`; a program's path in the environment (GOMODEL=..., GOMODEL_VERSION=...) takes the
place of installing.
"""

import os
import pathlib
import shutil
import subprocess

INSTALL_S = 900


def install(argv, folder, **options):
    """True: the installer ended well."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "install.log", "ab") as log:
        try:
            return subprocess.run(argv, cwd=folder, stdout=log, stderr=log, timeout=INSTALL_S,
                                  check=False, **options).returncode == 0
        except (OSError, subprocess.TimeoutExpired) as e:
            log.write(f"{e}\n".encode())
            return False


class Peer:
    title = version = None
    ready_s = 60

    def find(self, folder):
        """Installs if need be; the program, or None."""
        raise NotImplementedError

    def command(self, port, upstream, folder):
        raise NotImplementedError

    def environment(self, port, upstream, models):
        """models: the names that the load asks for."""
        return {}

    def headers(self, upstream):
        return {}


class Portkey(Peer):
    title, version = "Portkey", "1.15.2"

    def find(self, folder):
        self.script = folder / "node_modules/@portkey-ai/gateway/build/start-server.js"
        return shutil.which("node") and (self.script.exists() or install(
            ["npm", "install", "--no-audit", "--no-fund", f"@portkey-ai/gateway@{self.version}"],
            folder))

    def command(self, port, upstream, folder):
        return ["node", self.script, f"--port={port}", "--headless"]

    def environment(self, port, upstream, models):
        return {"NODE_ENV": "production"}

    def headers(self, upstream):
        return {"x-portkey-provider": "openai", "Authorization": "Bearer none",
                "x-portkey-custom-host": f"http://127.0.0.1:{upstream}/v1"}


LITELLM_CONF = """
model_list:
  - model_name: "*"
    litellm_params:
      model: openai/*
      api_base: http://127.0.0.1:{upstream}/v1
      api_key: none
litellm_settings:
  set_verbose: false
  request_timeout: 300
  callbacks: []
general_settings:
  disable_spend_logs: true
"""


class LiteLLM(Peer):
    title, version, ready_s = "LiteLLM", "1.106.2", 120

    def find(self, folder):
        self.program = folder / "venv/bin/litellm"
        return self.program.exists() or (
            install(["python3", "-m", "venv", folder / "venv"], folder)
            and install([folder / "venv/bin/pip", "install", "-q",
                         f"litellm[proxy]=={self.version}"], folder))

    def command(self, port, upstream, folder):
        conf = folder / "litellm.yaml"
        conf.write_text(LITELLM_CONF.format(upstream=upstream))
        return [self.program, "--config", conf, "--host", "127.0.0.1", "--port", str(port),
                "--num_workers", "1"]

    def environment(self, port, upstream, models):
        return {"LITELLM_MODE": "PRODUCTION", "LITELLM_LOG": "ERROR",
                "LITELLM_LOCAL_MODEL_COST_MAP": "True", "DISABLE_ADMIN_UI": "True",
                # without keys, as all ways here are; on loopback
                "LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY": "true"}


class GoModel(Peer):
    title, version = "GoModel", "0.1.22"

    def find(self, folder):
        named = os.environ.get("GOMODEL")
        self.program = pathlib.Path(named) if named else folder / "gomodel"
        if named:
            self.version = os.environ.get("GOMODEL_VERSION", "(version unknown)")
        return self.program.exists() or (shutil.which("go") and install(
            ["go", "install", f"github.com/enterpilot/gomodel/cmd/gomodel@v{self.version}"], folder,
            env={**os.environ, "GOBIN": str(folder)}))

    def command(self, port, upstream, folder):
        return [self.program]

    def environment(self, port, upstream, models):
        return {"PORT": str(port), "OPENAI_API_KEY": "none",
                "OPENAI_BASE_URL": f"http://127.0.0.1:{upstream}/v1", "LOG_LEVEL": "error",
                "LOGGING_ENABLED": "false", "USAGE_ENABLED": "false", "METRICS_ENABLED": "false",
                "OPENAI_MODELS": ",".join(models), "GOMAXPROCS": "1"}


PEERS = {"gomodel": GoModel(), "portkey": Portkey(), "litellm": LiteLLM()}


def ready(tools, wanted):
    """The names of those of the wanted that are there or could be installed."""
    found = []
    for name in wanted:
        if PEERS[name].find(tools / "peers" / name):
            found.append(name)
        else:
            print(f"{PEERS[name].title} {PEERS[name].version} could not be installed and is left "
                  f"out: {tools / 'peers' / name / 'install.log'}", flush=True)
    return found
