"""The program as shipped: hardened, small, without traces of the machine that built it."""

import platform
import re

import pytest

from commands import run


def headers(file):
    return run("readelf", "-W", "-h", "-l", "-d", "-n", file)


def test_it_is_hardened(unpacked):
    binary = unpacked / "usr/sbin/parley"
    text = headers(binary)
    assert re.search(r"Type:\s+DYN \(Position-Independent Executable", text), "PIE"
    assert "GNU_RELRO" in text and re.search(r"FLAGS_1.*\bNOW\b", text), "full RELRO"
    assert re.search(r"GNU_STACK .* RW +0x", text), "no executable stack"
    assert not re.search(r"LOAD .* RWE ", text), "nothing both writable and executable"
    assert not re.search(r"\((RPATH|RUNPATH|TEXTREL)\)", text)
    assert re.search(r"Build ID: [0-9a-f]{40}\b", text)
    symbols = run("readelf", "-W", "--dyn-syms", binary)
    assert "__stack_chk_fail" in symbols, "stack protector"
    checked = set(re.findall(r"\b__(\w+)_chk@", symbols)) - {"stack"}
    assert len(checked) >= 5, f"_FORTIFY_SOURCE: {checked}"


def test_every_file_of_the_program_is_compiled_so(project, build):
    """What leaves no mark in the file: the flags themselves."""
    commands = (build / "compile_commands.json").read_text()
    ours = [line for line in commands.splitlines() if '"command":' in line]
    assert len(ours) > 100
    for flag in ("-D_FORTIFY_SOURCE=3", "-fstack-protector-strong", "-fPIE", "-O2"):
        assert all(flag in line for line in ours), flag
    if platform.machine() == "x86_64":
        for flag in ("-fcf-protection", "-fstack-clash-protection"):
            assert all(flag in line for line in ours), flag


@pytest.mark.skipif(platform.machine() != "x86_64", reason="Intel's control-flow enforcement")
def test_control_flow_is_enforced_in_every_object(build):
    """The program as a whole is marked only where the C library is, as Debian 12's is not."""
    objects = [file for file in build.rglob("*.o") if "bench_" not in str(file)]
    assert len(objects) > 100
    marks = run("readelf", "-W", "-n", *objects).split("File: ")[1:]
    assert len(marks) == len(objects)
    for text in marks:
        assert re.search(r"x86 feature:.*\bIBT\b.*\bSHSTK\b", text), text.splitlines()[0]


def test_no_path_of_the_building_machine_is_in_it(project, build, unpacked):
    for binary in (build / "parley", unpacked / "usr/sbin/parley"):
        content = binary.read_bytes()
        assert b"PARLEY_" in content
        for folder in (project, build):
            assert str(folder).encode() not in content, f"{folder} is in {binary}"


def test_it_is_small_and_needs_little(unpacked):
    binary = unpacked / "usr/sbin/parley"
    assert binary.stat().st_size < 3 << 20
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", headers(binary)))
    assert needed <= {"libmicrohttpd.so.12", "libjson-c.so.5", "libcurl.so.4", "libsqlite3.so.0",
                      "libyaml-0.so.2", "libcrypto.so.3", "libssl.so.3", "libz.so.1", "libmimalloc.so.2",
                      "libm.so.6", "libc.so.6", "libgnutls.so.30"}, needed


def test_the_version_is_the_same_everywhere(project, version, deb, unpacked):
    assert run(unpacked / "usr/sbin/parley", "--version") == f"parley {version}\n"
    assert run("dpkg-deb", "-f", deb, "Version").strip() == f"{version}-1"
    assert re.search(r"^  version: (\S+)", (project / "openapi.yaml").read_text(), re.M)[1] == version
    assert re.search(r"^## (\d\S+?),? ", (project / "CHANGELOG.md").read_text(), re.M)[1] == version
