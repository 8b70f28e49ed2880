"""The shells' completions: as the program's tables say, and working in the shells themselves."""

import re
import shlex
import shutil

import pytest

from commands import run


@pytest.fixture
def complete(project, tmp_path):
    """complete("line"): what bash offers for the last word of that line."""
    (tmp_path / "some.yaml").write_text("")
    (tmp_path / "folder").mkdir()
    script = tmp_path / "complete.bash"
    script.write_text(f"""
source {shlex.quote(str(project / "packaging/completions/parley.bash"))}
function_of=$(complete -p parley) && function_of=${{function_of##*-F }} && function_of=${{function_of%% *}}
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
"$function_of"
for word in "${{COMPREPLY[@]}}"; do printf '%s\\n' "$word"; done
""")

    def ask(*words):
        return run("bash", script, "parley", *words, cwd=tmp_path).splitlines()
    return ask


def commands(project):
    main = (project / "src/main.c").read_text()
    return set(re.findall(r'^\t\{ "([\w-]+)",[^}]*\bcommand_\w+\b', main, re.M))


def options(project):
    return {"--" + name.replace("_", "-") for name in
            re.findall(r"^X\((\w+),", (project / "src/config/config.def").read_text(), re.M)}


def test_they_are_as_the_program_has_it(project):
    run("python3", project / "scripts/completions.py", "--check")


def test_they_know_what_the_program_knows(project, build, complete):
    help_text = run(build / "parley", "--help")
    told = set(re.findall(r"^ +(--[\w-]+)", help_text, re.M))
    offered = set(complete("--")).union(*(complete(name, "--") for name in commands(project)))
    assert told <= offered, told - offered
    assert commands(project) <= set(complete(""))


def test_bash_offers_commands(project, complete):
    assert set(complete("")) == commands(project)
    assert complete("ser") == ["serve"]
    assert complete("--log-level", "info", "mig") == ["migrate"]
    assert complete("--log-level", "=", "info", "mig") == ["migrate"]
    assert complete("--config", "serve", "mig") == ["migrate"], "a value is no command"


def test_bash_offers_options_and_their_values(project, complete):
    assert options(project) <= set(complete("serve", "--"))
    assert complete("serve", "--log-le") == ["--log-level"]
    assert complete("serve", "--log-level", "") == ["error", "warn", "info", "debug"]
    assert complete("serve", "--log-level", "=", "w") == ["warn"]
    assert complete("serve", "--log-level", "=") == ["error", "warn", "info", "debug"]
    assert complete("serve", "--durability", "s") == ["strict"]
    assert complete("serve", "--listen", "") == []
    assert complete("export", "--out") == ["--output"] and complete("serve", "--out") == []


def test_bash_offers_files(complete):
    assert complete("serve", "--config", "so") == ["some.yaml"]
    assert set(complete("import", "")) == {"some.yaml", "folder", "complete.bash"}
    assert complete("serve", "--image-root", "") == ["folder"]
    assert complete("serve", "") == [] and complete("nonsense", "") == []


def test_bash_script_is_clean(project):
    run("shellcheck", project / "packaging/completions/parley.bash")


@pytest.mark.skipif(not shutil.which("zsh"), reason="no zsh here")
def test_zsh(project):
    file = project / "packaging/completions/parley.zsh"
    run("zsh", "-n", file)
    text = file.read_text()
    for name in commands(project):
        assert re.search(rf"^\t\t'{name}:", text, re.M), name
    for name in options(project):
        assert re.search(rf"^\t'{name}=\[", text, re.M), name


@pytest.mark.skipif(not shutil.which("fish"), reason="no fish here")
def test_fish(project):
    file = shlex.quote(str(project / "packaging/completions/parley.fish"))

    def ask(line):
        return [row.split("\t")[0] for row in
                run("fish", "-N", "-c", f"source {file}; complete -C {shlex.quote(line)}").splitlines()]
    assert commands(project) == set(ask("parley "))
    assert ask("parley serve --log-level ") == ["debug", "error", "info", "warn"]
    assert "--max-body" in ask("parley serve --max") and "--output" in ask("parley export --out")
