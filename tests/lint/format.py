#!/usr/bin/env python3
"""Checks that every C file reads as clang-format writes it; with --fix writes it so.

What is aligned by hand, tables above all, stands between `clang-format off` and `on`.  Versions of
the tool differ in what they write: the check is that of tests/requirements.txt, which `scripts/test` installs.
"""

import concurrent.futures
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TOOL = ROOT / "build/venv/bin/clang-format"
AT_ONCE = 40  # files of one call


def files():
    listed = subprocess.run(["git", "ls-files", "-z", "-co", "--exclude-standard", "*.c", "*.h"],
                            cwd=ROOT, capture_output=True, check=True).stdout.decode()
    return sorted({name for name in listed.split("\0") if name and (ROOT / name).is_file()})


def run(options, names):
    return subprocess.run([TOOL, *options, *names], cwd=ROOT, capture_output=True, text=True)


def main():
    options = ["-i"] if sys.argv[1:] == ["--fix"] else ["--dry-run", "--Werror"]
    names = files()
    groups = [names[at:at + AT_ONCE] for at in range(0, len(names), AT_ONCE)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        done = list(pool.map(lambda group: run(options, group), groups))
    for one in done:
        sys.stderr.write(one.stderr)
    if any(one.returncode for one in done):
        sys.exit("format: see above; tests/lint/format.py --fix mends it")
    print(f"format: ok, {len(names)} files")


if __name__ == "__main__":
    main()
