"""The container's files: they can't be built here, so they are held against what they speak of."""

import fnmatch
import json
import re
import shutil
import subprocess

import pytest
import yaml

from commands import run


@pytest.fixture(scope="module")
def dockerfile(project):
    """[(instruction, rest)], continued lines joined."""
    text = re.sub(r"^\s*#.*\n", "", (project / "Dockerfile").read_text(), flags=re.M)
    return re.findall(r"^([A-Z]+) (.*)$", text.replace("\\\n", " "), re.M)


def values(dockerfile, name):
    return [re.sub(r"\s+", " ", rest).strip() for word, rest in dockerfile if word == name]


@pytest.mark.skipif(not shutil.which("hadolint"), reason="no hadolint for this machine")
def test_hadolint(project):
    run("hadolint", project / "Dockerfile")


def test_it_runs_as_nobody_special(dockerfile):
    last = max(i for i, (word, _) in enumerate(dockerfile) if word == "FROM")
    assert len(values(dockerfile, "FROM")) == 2, "one stage builds, one runs"
    after = dockerfile[last:]
    assert values(after, "USER") == ["10001:10001"]
    assert values(after, "STOPSIGNAL") == ["SIGTERM"]
    assert values(after, "ENTRYPOINT") == ['["/usr/sbin/parley"]']
    check = values(after, "HEALTHCHECK")
    assert len(check) == 1 and check[0].endswith('CMD ["parley", "health"]')
    assert not any("dev" in name for name in installed(after)), "nothing to build with"


def installed(dockerfile):
    line = next(rest for word, rest in dockerfile if word == "RUN" and "--no-install-recommends" in rest)
    return set(re.search(r"--no-install-recommends ([^&]*?) +&&", line)[1].split())


def test_both_stages_are_of_one_digest(dockerfile):
    bases = {rest.split()[0] for rest in values(dockerfile, "FROM")}
    assert len(bases) == 1
    assert re.fullmatch(r"debian:trixie-slim@sha256:[0-9a-f]{64}", bases.pop())


def loaded(project):
    """The packages of the libraries that the program loads while it runs."""
    named = {name for file in (project / "src").rglob("*.c") if "dlopen(" in (text := file.read_text())
             for name in re.findall(r'"(lib\w+)\.so\.(\d+)"', text)}
    assert named
    return {name + version for name, version in named}


def test_it_has_the_libraries_that_the_program_needs(project, dockerfile, packages):
    sbom = json.loads((packages / "parley.spdx.json").read_text())
    names = {p["SPDXID"]: p["name"] for p in sbom["packages"]}
    linked = {names[r["relatedSpdxElement"]] for r in sbom["relationships"]
              if r["relationshipType"] == "DYNAMIC_LINK"}
    last = max(i for i, (word, _) in enumerate(dockerfile) if word == "FROM")
    # Debian 13 has added t64 to some names; its mimalloc is not used.
    expected = {name.removesuffix("t64") for name in linked if "mimalloc" not in name} - {"libc6"}
    expected |= loaded(project) | {"ca-certificates"}
    assert {name.removesuffix("t64") for name in installed(dockerfile[last:])} == expected


def test_the_package_recommends_what_is_loaded_at_run_time(project, deb):
    fields = run("dpkg-deb", "-f", deb, "Recommends", "Suggests")
    named = set(re.findall(r"[\w.+-]+", fields))
    assert loaded(project) <= named


def test_what_it_copies_is_made(dockerfile, build, tmp_path):
    run("cmake", "--install", build, "--prefix", "/usr", DESTDIR=str(tmp_path))
    copied = [rest.split() for word, rest in dockerfile if word == "COPY" and "--from=build" in rest]
    assert copied
    for _, source, _ in copied:
        assert (tmp_path / source.removeprefix("/installed/")).exists(), source


def context(project):
    """The files that .dockerignore lets through; it first shuts everything out."""
    lines = [line for line in (project / ".dockerignore").read_text().splitlines()
             if line and not line.startswith("#")]
    assert lines[0] == "*" and all(line.startswith("!") for line in lines[1:])
    listed = run("git", "-C", project, "ls-files", "-co", "--exclude-standard").splitlines()
    return {name for name in listed if any(
        fnmatch.fnmatch(name, line[1:]) or name.startswith(line[1:] + "/") for line in lines[1:])}


@pytest.mark.skipif(not shutil.which("ninja"), reason="ninja knows which files were read")
def test_the_build_gets_the_files_that_it_reads(project, build):
    taken = context(project)
    assert not any(name.startswith(("tests/", "build/", ".git")) for name in taken)
    read = set(re.findall(r"^    (\S+)$", run("ninja", "-C", build, "-t", "deps"), re.M))
    read |= set(run("ninja", "-C", build, "-t", "inputs", "parley").splitlines())
    ours = {name.removeprefix(f"{project}/") for name in read if name.startswith(f"{project}/")}
    ours = {name for name in ours if not (project / name).is_relative_to(build)
            and not name.startswith("build/")}
    assert len(ours) > 200
    assert ours <= taken, ours - taken


def test_the_build_can_be_configured_from_them(project, tmp_path):
    for name in context(project):
        target = tmp_path / "src" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(project / name, target)
    run("cmake", "-S", tmp_path / "src", "-B", tmp_path / "build", "-DCMAKE_INSTALL_PREFIX=/usr")


@pytest.mark.parametrize("example, services, front", [
    ("compose", ["parley"], "parley"),
    ("compose-postgres", ["gateway1", "gateway2"], "balancer")])
def test_compose(project, example, services, front):
    folder = project / "examples" / example
    compose = yaml.safe_load((folder / "compose.yaml").read_text())
    for service in services:
        compose_service(project, folder, compose, service)
    ports = [port for s in compose["services"].values() for port in s.get("ports", [])]
    assert ports == compose["services"][front]["ports"]
    assert all(port.startswith("127.0.0.1:") for port in ports)
    if shutil.which("docker") and subprocess.run(["docker", "compose", "version"],
                                                 capture_output=True).returncode == 0:
        run("docker", "compose", "-f", folder / "compose.yaml", "config", "-q", PARLEY_API_KEY="k",
            PARLEY_DATABASE_PASSWORD="k", OPENAI_API_KEY="k")


def compose_service(project, folder, compose, name):
    parley = compose["services"][name]
    assert (folder / parley["build"]).resolve() == project
    assert parley["read_only"] is True and parley["cap_drop"] == ["ALL"]
    for volume in parley["volumes"]:
        source, target = volume.split(":")[:2]
        if source.startswith("."):
            assert (folder / source).is_file()
            assert parley["environment"]["PARLEY_CONFIG"] == target
        else:
            assert source in compose["volumes"]


def test_the_balancer_s_configuration_is_right(project, tmp_path):
    text = (project / "examples/compose-postgres/nginx.conf").read_text()
    compose = yaml.safe_load((project / "examples/compose-postgres/compose.yaml").read_text())
    servers = re.findall(r"^ +server (\w+):8080", text, re.M)
    assert servers == [name for name in compose["services"] if name.startswith("gateway")]
    file = tmp_path / "nginx.conf"
    # Their names are known in their own network only.
    file.write_text(f"pid {tmp_path}/nginx.pid;\n" + re.sub(r"gateway(\d):", r"127.0.0.\1:", text))
    run("nginx", "-t", "-e", tmp_path / "error.log", "-c", file)
