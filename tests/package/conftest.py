"""The release build and the packages made of it; both have to be there (scripts/test package)."""

import os
import re
from pathlib import Path

import pytest

from commands import run

PROJECT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def project():
    return PROJECT


@pytest.fixture(scope="session")
def build():
    """A release build."""
    return Path(os.environ.get("PARLEY_BUILD", PROJECT / "build/release")).absolute()


@pytest.fixture(scope="session")
def packages():
    """What scripts/package makes."""
    return Path(os.environ.get("PARLEY_PACKAGES", PROJECT / "build/package")).absolute()


@pytest.fixture(scope="session")
def deb(packages):
    found = list(packages.glob("parley_*.deb"))
    assert len(found) == 1, f"scripts/package makes one in {packages}"
    return found[0]


@pytest.fixture(scope="session")
def unpacked(deb, tmp_path_factory):
    """The package's files, as they would lie on the system."""
    folder = tmp_path_factory.mktemp("unpacked")
    run("dpkg-deb", "-x", deb, folder)
    return folder


@pytest.fixture(scope="session")
def version(project):
    """The one place: project() of CMakeLists.txt."""
    return re.search(r"^project\(parley VERSION (\S+)", (project / "CMakeLists.txt").read_text(),
                     re.M)[1]
