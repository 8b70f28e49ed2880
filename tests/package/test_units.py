"""What systemd gets: the service, the socket, the user, the folders."""

import os
import re

import pytest

from commands import run


def test_the_service_is_exposed_little(unpacked):
    unit = unpacked / "usr/lib/systemd/system/parley.service"
    shown = run("systemd-analyze", "security", "--offline=true", "--no-pager", "--threshold=15", unit)
    level = float(re.search(r"Overall exposure level for parley.service: ([\d.]+)", shown)[1])
    assert level <= 1.5, shown


def test_systemd_understands_the_units(unpacked, tmp_path):
    """On files whose program is this machine's, as systemd looks for it."""
    for name in ("parley.service", "parley.socket"):
        text = (unpacked / "usr/lib/systemd/system" / name).read_text()
        text = text.replace("/usr/sbin/parley", str(unpacked / "usr/sbin/parley"))
        (tmp_path / name).write_text(re.sub(r"^Documentation=.*\n", "", text, flags=re.M))
    said = run("systemd-analyze", "verify", "--man=no", tmp_path / "parley.service",
               tmp_path / "parley.socket")
    assert "parley" not in said, said


def test_a_stop_may_take_as_long_as_answers_may(unpacked, project):
    unit = (unpacked / "usr/lib/systemd/system/parley.service").read_text()
    stop = int(re.search(r"^TimeoutStopSec=(\d+)s$", unit, re.M)[1])
    drain = int(re.search(r'^X\(drain_timeout,\s*DURATION,\s*"(\d+)s"',
                          (project / "src/config/config.def").read_text(), re.M)[1])
    assert stop > drain + 5


def test_nothing_is_started_again_that_can_not_start(unpacked):
    unit = (unpacked / "usr/lib/systemd/system/parley.service").read_text()
    codes = re.search(r"^RestartPreventExitStatus=(.*)$", unit, re.M)[1].split()
    assert {"64", "65", "66", "73", "77", "78"} <= set(codes)
    # a port or a database that another process holds, memory, a full disk, a database server that starts
    assert not {"1", "69", "71", "74", "75"} & set(codes)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may make users, also below a folder")
def test_the_user_and_the_folders_are_made(unpacked, tmp_path):
    (tmp_path / "etc").mkdir()
    run("systemd-sysusers", f"--root={tmp_path}", unpacked / "usr/lib/sysusers.d/parley.conf")
    passwd = (tmp_path / "etc/passwd").read_text()
    row = re.search(r"^parley:[^:]*:(\d+):(\d+):.*:/var/lib/parley:(\S+)$", passwd, re.M)
    assert row and row[3].endswith("nologin")
    run("systemd-tmpfiles", f"--root={tmp_path}", "--create",
        unpacked / "usr/lib/tmpfiles.d/parley.conf")
    data = (tmp_path / "var/lib/parley").stat()
    assert data.st_mode & 0o777 == 0o700 and data.st_uid == int(row[1]) and data.st_gid == int(row[2])
    keys = (tmp_path / "etc/parley/credentials").stat()
    assert keys.st_mode & 0o777 == 0o700 and keys.st_uid == 0
