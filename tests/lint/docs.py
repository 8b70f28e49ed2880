#!/usr/bin/env python3
"""Holds the documentation against the tree.

usage: docs.py [--write]

Checks that every local link leads to a file (and to a heading in it), that the tables of errors,
metrics, failures, clients and members say what err.def, metric.def, tests/e2e/failures.py,
tests/clients/clients.py and tests/wild/members.py say, that every example of JSON is JSON, that
every curl line is marked to be run, that the dashboard and the alerts look at metrics that exist,
that each alert has a unit test and passes it (where promtool is installed),
that the example configuration names every option, that the page of the configuration has every
key of a table, that the code has what the glossary and the pages for developers name, and that
the manual page has every command and option and is clean (where mandoc is installed).
With --write the tables of metrics, failures, clients and members and the options of the manual
page are made new.
"""

import importlib
import json
import pathlib
import re
import shutil
import subprocess
import sys
import textwrap

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("bench/*.md")])
problems = []


def problem(page, text):
    problems.append(f"{page.relative_to(ROOT)}: {text}")


def read(page):
    return page.read_text(encoding="utf-8")


def without_fences(text):
    return re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)


def anchors(page):
    """Headings as links name them."""
    for heading in re.findall(r"^#+ (.+)$", without_fences(read(page)), re.M):
        kept = re.sub(r"[^\w\- ]", "", heading.strip().lower())
        yield kept.replace(" ", "-")


def check_links(page):
    text = re.sub(r"`[^`\n]*`", "", without_fences(read(page)))
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.is_relative_to(ROOT) or not target.exists():
            problem(page, f"{link} does not exist")
        elif anchor and anchor not in anchors(target):
            problem(page, f"{link}: no such heading")


def check_fences(page):
    text = read(page)
    if len(re.findall(r"^```", text, re.M)) % 2:
        problem(page, "a fence is not closed")
    for kind, body in re.findall(r"^```(\w*)\n(.*?)^```", text, re.M | re.S):
        try:
            if kind == "json":
                json.loads(body)
            elif kind == "yaml":
                yaml.safe_load(body)
        except (ValueError, yaml.YAMLError) as error:
            problem(page, f"an example is no {kind}: {error}")


def check_runnable(page):
    """Each curl line is run by tests/e2e/test_docs.py."""
    for mark, body in re.findall(r"^(<!-- run -->\n)?```sh\n(.*?)^```", read(page), re.M | re.S):
        if re.search(r"^curl ", body, re.M) and not mark:
            problem(page, f"an example that nobody runs; put <!-- run --> above it:\n{body}")


def section(page, name):
    """What stands between <!-- name --> and <!-- /name -->."""
    found = re.search(rf"<!-- {name} -->\n(.*?)<!-- /{name} -->", read(page), re.S)
    if not found:
        problem(page, f"the marks <!-- {name} --> and <!-- /{name} --> are missing")
        return ""
    return found[1]


def table(text):
    """The cells of each row, without head and back quotes."""
    rows = [line.strip("| \n").split(" | ") for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip().strip("`") for cell in row] for row in rows[2:]]


def check_errors():
    page = ROOT / "docs/api.md"
    rows = re.findall(r'^X\(\w+,\s*(\d+),\s*"([^"]+)",\s*"([^"]+)",\s*(\w+)\)',
                      read(ROOT / "src/base/err.def"), re.M)
    want = {(status, code, kind, "yes" if retry == "true" else "no")
            for status, kind, code, retry in rows}
    have = {tuple(row[:4]) for row in table(section(page, "errors"))}
    for row in sorted(want - have):
        problem(page, f"the table of errors lacks {row}")
    for row in sorted(have - want):
        problem(page, f"err.def does not have the error {row}")


# The units that write the line of a request, or of a call of the gateway's own.
LOG_LINES = ("src/http/request.c", "src/call/door.c", "src/msg/call_note.c")


def check_log():
    """The table of the log's members has those that the code writes, and no others."""
    page = ROOT / "docs/operations.md"
    rows = re.findall(r"^\| (`[^|]*) \|", section(page, "log"), re.M)
    told = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    written = {"ts", "level", "event"}
    for unit in LOG_LINES:
        written |= set(re.findall(r'\b(?:log_\w+|note_known)\(&?line,\s*"(\w+)"', read(ROOT / unit)))
    for name in sorted(written - told):
        problem(page, f"the log's member {name} is missing")
    for name in sorted(told - written):
        problem(page, f"the log has no member {name}")


def metrics():
    """The table, made from metric.def."""
    rows = re.findall(r'^X\(\w+,\s*"([^"]+)",\s*(\w+),\s*"([^"]*)",\s*"([^"]*)",\s*"([^"]*)",'
                      r'\s*"([^"]*)"\)', read(ROOT / "src/base/metric.def"), re.M)
    lines = ["", "| metric | kind | labels | what it counts |", "|---|---|---|---|"]
    for name, kind, meaning, *labels in rows:
        shown = ", ".join(f"`{label}`" for label in labels if label)
        kind = {"FINE": "HISTOGRAM", "SIZES": "HISTOGRAM"}.get(kind, kind)
        lines.append(f"| `{name}` | {kind.lower()} | {shown} | {meaning} |")
    return "\n".join([*lines, "", ""])


def check_operate():
    """What the dashboard and the alerts look at exists."""
    rows = re.findall(r'^X\(\w+,\s*"(\w+)",\s*(\w+)', read(ROOT / "src/base/metric.def"), re.M)
    known = {"up"} | set(re.findall(r'"(process_\w+)"', read(ROOT / "routes/service/metrics.c")))
    known |= {"process_cpu_seconds_total"}
    for name, kind in rows:
        known |= {name} if kind in ("COUNTER", "GAUGE", "MONEY") else {
            f"{name}_{tail}" for tail in ("bucket", "sum", "count")}
    dashboard, alerts = ROOT / "operate/grafana.json", ROOT / "operate/alerts.yaml"
    expressions = [(dashboard, target["expr"]) for panel in json.loads(read(dashboard))["panels"]
                   for target in panel["targets"]]
    expressions += [(alerts, rule["expr"]) for group in yaml.safe_load(read(alerts))["groups"]
                    for rule in group["rules"]]
    for page, text in expressions:
        named = re.findall(r"\b(?:parley|process)_\w+|\bup\b", re.sub(r'"[^"]*"', "", text))
        if not named:
            problem(page, f"looks at no metric: {text}")
        for name in named:
            if name not in known:
                problem(page, f"there is no metric {name}")


def check_alerts():
    """Each rule is tested in tests/lint/alerts.yaml, as promtool does it."""
    page, tests = ROOT / "operate/alerts.yaml", ROOT / "tests/lint/alerts.yaml"
    rules = {rule["alert"] for group in yaml.safe_load(read(page))["groups"] for rule in group["rules"]}
    fires = {test["alertname"] for group in yaml.safe_load(read(tests))["tests"]
             for test in group["alert_rule_test"] if test["exp_alerts"]}
    for name in sorted(rules ^ fires):
        problem(tests if name in rules else page, f"no rule {name} that fires")
    if shutil.which("promtool"):
        done = subprocess.run(["promtool", "test", "rules", str(tests)], capture_output=True, text=True)
        if done.returncode != 0:
            problem(tests, done.stdout + done.stderr)


def check_metrics(write):
    page = ROOT / "docs/operations.md"
    have, want = section(page, "metrics"), metrics()
    if have == want:
        return
    if write:
        page.write_text(read(page).replace(f"<!-- metrics -->\n{have}", f"<!-- metrics -->\n{want}"),
                        encoding="utf-8")
        return
    problem(page, "the table of metrics is not as metric.def; run tests/lint/docs.py --write")


def check_table(write, page, name, source):
    """A table that is printed from the data which tests check."""
    page, source = ROOT / page, ROOT / source
    sys.path.insert(0, str(source.parent))
    have, want = section(page, name), importlib.import_module(source.stem).table()
    if have == want:
        return
    if write:
        page.write_text(read(page).replace(f"<!-- {name} -->\n{have}",
                                           f"<!-- {name} -->\n{want}"), encoding="utf-8")
        return
    problem(page, f"its tables are not as {source.relative_to(ROOT)}; "
                  "run tests/lint/docs.py --write")


def check_options():
    page = ROOT / "examples/parley.yaml"
    for name in re.findall(r"^X\((\w+),", read(ROOT / "src/config/config.def"), re.M):
        if not re.search(rf"^#?{name}:", read(page), re.M):
            problem(page, f"the option {name} is missing")
    try:
        yaml.safe_load(read(page))
        # with every setting taken in, it must still be one document without doubles
        full = re.sub(r"^(\s*)#(?=[\w-]+:|  \S)", r"\1", read(page), flags=re.M)
        yaml.safe_load(full)
    except yaml.YAMLError as error:
        problem(page, f"is no YAML: {error}")


def check_configuration():
    """The page of the configuration has the keys that config_table.c reads; test_config.py
    compares its options."""
    page = ROOT / "docs/configuration.md"
    code = read(ROOT / "src/config/config_table.c")
    for name in ("provider", "model", "limit"):
        found = re.search(rf"{name}_keys\[\] = {{(.*?)}};", code, re.S)
        want = set(re.findall(r'"(\w+)"', found[1])) if found else set()
        have = set(re.findall(r"`(\w+)`", " ".join(
            line.split(" | ")[0] for line in section(page, f"{name} keys").splitlines())))
        if not want:
            problem(page, f"config_table.c has no {name}_keys")
        for key in sorted(want ^ have):
            problem(page, f"the keys of a {name}: {key} is only "
                          f"{'in the code' if key in want else 'on the page'}")


def check_glossary():
    """Each name in the last column is a file, a folder or a word of the code."""
    page = ROOT / "docs/glossary.md"
    code = "\n".join(read(file) for top in ("src", "routes", "schema")
                     for file in (ROOT / top).rglob("*.*") if file.suffix in (".c", ".h", ".def"))
    for line in read(page).splitlines():
        cells = line.strip("| ").split(" | ")
        for name in re.findall(r"`([^`]+)`", cells[2]) if len(cells) == 3 else []:
            files = [ROOT / top / f"{name}{end}" for top in ("src", "") for end in ("", ".c", ".h")]
            if not (any(file.exists() for file in files) if "/" in name
                    else re.search(rf"\b{re.escape(name)}\b", code)):
                problem(page, f"{cells[0]}: there is no {name}")


def check_paths(page):
    """Each path of the code that a page for developers names exists."""
    for name in re.findall(r"`([a-z][\w.-]*(?:/[\w.*-]+)+/?)`", without_fences(read(page))):
        if not any(next(ROOT.glob(f"{top}{name.rstrip('/')}{end}".replace("NAME", "*")), None)
                   for top in ("", "src/", "src/provider/", "src/store/") for end in ("", ".c", ".h")):
            problem(page, f"there is no {name}")


def manual_options():
    """The options of the manual page, made from config.def."""
    rows = re.findall(r'^X\((\w+),\s*(\w+),\s*"([^"]*)",\s*(true|false),\s*"([^"]*)"'
                      r',[^"]*"([^"]*)"',
                      read(ROOT / "src/config/config.def"), re.M)
    lines = []
    for name, kind, preset, _, meaning, names in rows:
        value = "size" if kind == "SIZE" else "time" if kind == "DURATION" else \
            "number" if kind == "INT" else "value"
        lines.append(f".It Fl Fl {name.replace('_', '-')} Ar {value}")
        if re.match(r"\w+", meaning)[0] not in names.split(","):  # a value stays as it is
            meaning = meaning[0].upper() + meaning[1:]
        lines += textwrap.wrap(f"{meaning}.", 78)
        if preset:
            lines += [f"Default: {preset}."]
    return "\n".join([*lines, ""])


def check_manual_lists(write):
    page = ROOT / "docs/parley.8"
    text = read(page)
    before, mark, rest = text.partition('.\\" options\n')
    have, end, after = rest.partition('.\\" /options\n')
    if not end:
        problem(page, "the marks around the options are missing")
    elif have != manual_options() and write:
        page.write_text(before + mark + manual_options() + end + after, encoding="utf-8")
    elif have != manual_options():
        problem(page, "the options are not as config.def; run tests/lint/docs.py --write")
    main = read(ROOT / "src/main.c")
    for name in re.findall(r'^\t{ "(\w+)",[^}]*\bcommand_\w+\b', main, re.M):
        if not re.search(rf"^\.It Cm {name}\b", text, re.M):
            problem(page, f"the command {name} is missing")
    for name in re.findall(r'^\t{ "([\w-]+)", (?:no|required)_argument', main, re.M):
        if not re.search(rf"^\.It Fl Fl {name}\b", text, re.M):
            problem(page, f"the option --{name} is missing")


def check_manual():
    page = ROOT / "docs/parley.8"
    if not shutil.which("mandoc"):
        return
    done = subprocess.run(["mandoc", "-Tlint", str(page)], capture_output=True, text=True)
    for line in (done.stdout + done.stderr).splitlines():
        # which pages this machine has says nothing about ours
        if "mandoc.db" not in line and "referenced manual not found" not in line:
            problem(page, line)


def main(arguments):
    if arguments not in ([], ["--write"]):
        print(__doc__.strip(), file=sys.stderr)
        return 64
    check_metrics(bool(arguments))
    check_operate()
    check_alerts()
    check_table(bool(arguments), "docs/failures.md", "failures", "tests/e2e/failures.py")
    check_table(bool(arguments), "docs/clients.md", "clients", "tests/clients/clients.py")
    check_table(bool(arguments), "docs/clients.md", "agents", "tests/clients/agents.py")
    check_table(bool(arguments), "docs/compatibility.md", "compatibility", "tests/wild/members.py")
    check_errors()
    check_log()
    check_options()
    check_configuration()
    check_glossary()
    check_manual_lists(bool(arguments))
    check_manual()
    for page in (ROOT / "README.md", ROOT / "docs/api.md"):
        check_runnable(page)
    for page in (ROOT / "docs/architecture.md", *ROOT.glob("docs/internals/*.md")):
        check_paths(page)
    for page in PAGES:
        check_links(page)
        check_fences(page)
    for text in problems:
        print(f"docs: {text}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
