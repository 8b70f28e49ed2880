"""The archive for distributions without packages of the libraries: it needs nothing but the C library."""

import json
import re
import subprocess
import tarfile
import urllib.request

import pytest

from commands import run

GLIBC = re.compile(r"(ld-linux[\w-]*|libc|libm|libdl|librt|libpthread|libresolv|libanl)\.so\.\d+$")


@pytest.fixture(scope="module")
def folder(packages, tmp_path_factory):
    found = list(packages.glob("parley-*-linux-*.tar.gz"))
    assert len(found) == 1, f"scripts/package makes one in {packages}"
    where = tmp_path_factory.mktemp("portable")
    with tarfile.open(found[0]) as archive:
        archive.extractall(where, filter="data")
    (folder,) = where.iterdir()
    assert found[0].name == f"{folder.name}.tar.gz"
    return folder


def test_its_libraries_are_its_own(folder):
    for file in (folder / "parley", folder / "lib/libpq.so.5"):
        listed = run("ldd", file) if file.name == "parley" else run("ldd", file, LD_LIBRARY_PATH=str(folder / "lib"))
        found = dict(re.findall(r"^\s*(\S+) => (\S+)", listed, re.M))
        assert found
        foreign = {name: path for name, path in found.items()
                   if not GLIBC.match(name) and not path.startswith(str(folder))}
        assert not foreign


def test_each_library_has_its_licence(folder):
    assert len(list((folder / "licenses").iterdir())) >= len(list((folder / "lib").iterdir())) - 5
    assert (folder / "licenses/libcurl4").exists() or (folder / "licenses/libcurl4t64").exists()


def test_it_answers(folder, tmp_path):
    assert run(folder / "parley", "--version").startswith("parley ")
    program = subprocess.Popen([folder / "parley", "serve", "--listen", "127.0.0.1:0", "--database",
                                tmp_path / "parley.db"], cwd=tmp_path, env={}, stdout=subprocess.PIPE, text=True)
    try:
        ready = re.fullmatch(r"parley ready on (\S+)\n", program.stdout.readline())
        request = urllib.request.Request(f"{ready[1]}/v1/chat", b'{"messages": ["Hello there"]}',
                                         {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=10) as answer:
            assert json.load(answer)["choices"][0]["message"]["content"] == "Hello there"
    finally:
        program.terminate()
        assert program.wait(10) == 0
