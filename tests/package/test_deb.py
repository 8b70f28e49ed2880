"""The Debian package."""

import re

from commands import run


def test_lintian_has_nothing_to_say(deb):
    said = run("lintian", "--allow-root", "--fail-on", "error,warning", "--tag-display-limit", "0", deb)
    assert not re.search(r"^[EW]: ", said, re.M), said


def test_what_stands_where(deb):
    listed = run("dpkg-deb", "-c", deb)
    rows = [line.split(None, 5) for line in listed.splitlines()]
    modes = {row[5]: row[0] for row in rows}
    assert {row[1] for row in rows} == {"root/root"}
    assert modes["./usr/sbin/parley"] == "-rwxr-xr-x"
    for name, mode in modes.items():
        assert mode == "drwxr-xr-x" if name.endswith("/") else True, name
        assert name.startswith(("./usr/", "./etc/")), name
        assert "local" not in name.split("/"), name
        if mode.startswith("-") and name != "./usr/sbin/parley":
            assert mode == "-rw-r--r--", name
    for name in ("usr/share/man/man8/parley.8.gz", "usr/share/doc/parley/changelog.gz",
                 "usr/share/doc/parley/changelog.Debian.gz", "usr/share/doc/parley/copyright",
                 "usr/lib/systemd/system/parley.service", "usr/share/zsh/vendor-completions/_parley"):
        assert f"./{name}" in modes, name


def test_control(deb):
    control = run("dpkg-deb", "-f", deb)
    for name in ("libmicrohttpd12", "libjson-c5", "libcurl4", "libsqlite3-0", "libyaml-0-2", "libssl3",
                 "libc6", "zlib1g"):
        assert re.search(rf"^Depends:.*\b{name}\b", control, re.M), name
    assert re.search(r"^Recommends: ca-certificates$", control, re.M)
    assert run("dpkg-deb", "-I", deb, "conffiles").strip() == "/etc/parley/parley.yaml"
    assert "usr/sbin/parley" in run("dpkg-deb", "-I", deb, "md5sums")


def test_maintainer_scripts(deb, tmp_path):
    run("dpkg-deb", "-e", deb, tmp_path)
    for name in ("postinst", "prerm", "postrm"):
        script = tmp_path / name
        assert script.stat().st_mode & 0o111
        run("sh", "-n", script)
        run("shellcheck", script)
        assert "\nset -e\n" in script.read_text()
    assert "/var/lib/parley" not in re.sub(r"#.*", "", (tmp_path / "postrm").read_text()), \
        "conversations are not the package's to remove"
