"""cmake --install: where things go, and that nothing of the operator's is overwritten."""

import re

import pytest

from commands import run


def install(build, target, prefix):
    run("cmake", "--install", build, "--prefix", prefix, "--strip", DESTDIR=str(target))
    return {str(p.relative_to(target)) for p in target.rglob("*") if p.is_file()}


@pytest.mark.parametrize("prefix, etc", [("/usr", "/etc"), ("/usr/local", "/usr/local/etc"),
                                         ("/opt/parley", "/opt/parley/etc")])
def test_prefix_and_destdir_count(build, tmp_path, prefix, etc):
    files = install(build, tmp_path, prefix)
    below = prefix[1:]
    for name in ("sbin/parley", "share/man/man8/parley.8", "lib/systemd/system/parley.service",
                 "lib/systemd/system/parley.socket", "lib/sysusers.d/parley.conf",
                 "lib/tmpfiles.d/parley.conf", "share/bash-completion/completions/parley",
                 "share/fish/vendor_completions.d/parley.fish", "share/doc/parley/README.md",
                 "share/doc/parley/copyright", "share/doc/parley/docs/operations.md",
                 "share/doc/parley/docs/configuration.md", "share/doc/parley/docs/internals/README.md",
                 "share/doc/parley/examples/parley.yaml", "share/doc/parley/operate/grafana.json",
                 "share/doc/parley/examples/compose/compose.yaml"):
        assert f"{below}/{name}" in files, name
    assert any(name.endswith("/_parley") for name in files)
    assert f"{etc[1:]}/parley/parley.yaml" in files
    outside = [f for f in files if not f.startswith((below + "/", etc[1:] + "/"))]
    assert not outside
    unit = (tmp_path / below / "lib/systemd/system/parley.service").read_text()
    assert f"ExecStart={prefix}/sbin/parley serve --config {etc}/parley/parley.yaml" in unit
    assert f"LoadCredential=parley:{etc}/parley/credentials" in unit and "@" not in re.sub(
        r"[~=]@\w|#.*|@resources|@privileged", "", unit)


def test_a_configuration_that_is_there_stays(build, tmp_path):
    install(build, tmp_path, "/usr")
    file = tmp_path / "etc/parley/parley.yaml"
    file.write_text("listen: [127.0.0.1:1]\n")
    install(build, tmp_path, "/usr")
    assert file.read_text() == "listen: [127.0.0.1:1]\n"


def test_what_is_installed_works(build, tmp_path):
    install(build, tmp_path, "/opt/parley")
    binary = tmp_path / "opt/parley/sbin/parley"
    config = tmp_path / "opt/parley/etc/parley/parley.yaml"
    assert run(binary, "--check-config", "--config", config).startswith("ok: ")
    shown = run(binary, "--print-config", "--config", config)
    assert "/var/lib/parley/parley.db" in shown
    run("mandoc", "-Tlint", "-Wwarning", tmp_path / "opt/parley/share/man/man8/parley.8")


def test_links_of_the_installed_pages_lead_somewhere(build, tmp_path):
    """But for the licence, which a package has as `copyright`."""
    install(build, tmp_path, "/usr")
    pages = list((tmp_path / "usr/share/doc/parley").rglob("*.md"))
    assert len(pages) > 15
    links = {(page.name, link) for page in pages
             for link in re.findall(r"\]\(([^)\s#]+)",
                                    re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S))
             if not re.match(r"[a-z]+:", link) and not (page.parent / link).exists()}
    assert {link for _, link in links} <= {"LICENSE"}, links
