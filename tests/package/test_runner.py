"""The package parley-runner: its files, its unit, and that what is installed works."""

import os
import re
import shutil
import subprocess
import tempfile

import pytest

from commands import run


@pytest.fixture(scope="session")
def runner_deb(packages):
    found = list(packages.glob("parley-runner_*.deb"))
    assert len(found) == 1, f"scripts/package makes one in {packages}"
    return found[0]


@pytest.fixture(scope="session")
def installed(deb, runner_deb, tmp_path_factory):
    """Both packages, as they would lie on the system; other users may enter the folder."""
    folder = tmp_path_factory.mktemp("installed")
    for one in (deb, runner_deb):
        run("dpkg-deb", "-x", one, folder)
    return folder


def test_lintian_has_nothing_to_say(runner_deb):
    said = run("lintian", "--allow-root", "--fail-on", "error,warning", "--tag-display-limit", "0",
               runner_deb)
    assert not re.search(r"^[EW]: ", said, re.M), said


def test_control(runner_deb, deb, version):
    control = run("dpkg-deb", "-f", runner_deb)
    depends = re.search(r"^Depends: (.*)$", control, re.M)[1]
    assert f"parley (= {version}-1)" in depends
    assert {"bubblewrap", "python3"} <= set(depends.split(", ")) and "libseccomp2" in depends
    assert run("dpkg-deb", "-I", runner_deb, "conffiles").strip() == "/etc/parley/runner.yaml"
    gateway = run("dpkg-deb", "-f", deb)
    assert "libseccomp" not in gateway and re.search(r"^Suggests: parley-runner, libpq5$", gateway, re.M)
    both = [set(re.findall(r" \./(\S+[^/])$", run("dpkg-deb", "-c", one), re.M)) for one in (deb, runner_deb)]
    assert not both[0] & both[1]


def test_maintainer_scripts_start_nothing(runner_deb, tmp_path):
    run("dpkg-deb", "-e", runner_deb, tmp_path)
    for name in ("postinst", "prerm", "postrm"):
        run("shellcheck", tmp_path / name)
        code = re.sub(r"#.*", "", (tmp_path / name).read_text())
        # update-state and try-restart change nothing that the operator has not switched on
        assert not re.search(r"(deb-systemd-helper enable|deb-systemd-invoke (re)?start|systemctl (re)?start)", code)


def test_the_unit(installed, tmp_path):
    unit = installed / "usr/lib/systemd/system/parley-runner.service"
    shown = run("systemd-analyze", "security", "--offline=true", "--no-pager", "--threshold=20", unit)
    level = float(re.search(r"Overall exposure level for parley-runner.service: ([\d.]+)", shown)[1])
    assert level <= 2.0, shown
    text = unit.read_text().replace("/usr/sbin/parley", str(installed / "usr/sbin/parley"))
    (tmp_path / unit.name).write_text(re.sub(r"^Documentation=.*\n", "", text, flags=re.M))
    said = run("systemd-analyze", "verify", "--man=no", tmp_path / unit.name)
    assert "parley" not in said, said
    assert "Delegate=cpu memory pids" in text and "/etc/parley/runner.yaml" in text


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may make users, also below a folder")
def test_the_user_is_made(installed, tmp_path):
    (tmp_path / "etc").mkdir()
    run("systemd-sysusers", f"--root={tmp_path}", installed / "usr/lib/sysusers.d/parley-runner.conf")
    assert re.search(r"^parley-runner:[^\n]*nologin$", (tmp_path / "etc/passwd").read_text(), re.M)


def test_the_configuration_is_read(installed):
    config = installed / "etc/parley/runner.yaml"
    shown = run(installed / "usr/sbin/parley", "--print-config", "--config", config)
    assert 'listen: "unix:/run/parley-runner/runner.sock"' in shown and "guard: cgroup" in shown
    assert "peer: \"parley\"" in shown and "memory: 512MiB" in shown


def as_nobody(*command, **more):
    prefix = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "--"]
    return subprocess.run([*(prefix if os.geteuid() == 0 else []), *command], capture_output=True,
                          text=True, timeout=60, **more)


@pytest.fixture
def public(installed):
    """Where the user of the test may enter."""
    folder = tempfile.mkdtemp(prefix="parley-installed-")
    shutil.copytree(installed / "usr", f"{folder}/usr", symlinks=True)
    os.chmod(folder, 0o755)
    yield folder
    shutil.rmtree(folder)


def test_what_is_installed_runs_code(public):
    command = (f"{public}/usr/sbin/parley", "runner", "--guard", "rlimit", "--try", "-", "--language")
    done = as_nobody(*command, "shell", input="true")
    if "no sandbox can be made here" in done.stderr or "bubblewrap is missing" in done.stderr:
        pytest.skip(done.stderr)
    done = as_nobody(*command, "python", input="6 * 7")
    assert done.returncode == 0 and '"content":"42\\n"' in done.stdout, done


def test_the_gateways_package_alone_says_what_is_missing(public):
    shutil.rmtree(f"{public}/usr/libexec")
    done = as_nobody(f"{public}/usr/sbin/parley", "runner", "--guard", "rlimit", "--try", "-", "--language",
                     "shell", input="true")
    assert done.returncode == 78
    assert "parley-runner" in done.stderr or "bubblewrap" in done.stderr
