#!/usr/bin/env python3
"""Checks the text of every file of the project that git knows or would take up.

No trailing whitespace, no path of one machine, a first-line comment in every C file, none of the
banned functions, and no name that static functions of two files share, so that a name in a stack
trace leads to one place.  A function of the program is named by a verb and an object, and a comment has
a noun for its subject.  A breach is printed as file:line and makes the exit status 1.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BANNED = "strcpy strcat sprintf vsprintf strtok atoi gets rand sleep alloca".split()
CALL = re.compile(r"(?<![\w.>])(" + "|".join(BANNED) + r")\s*\(")
STATIC = re.compile(r"^static\b(?:[^;{}()=]|\bPRINTF\([^)]*\))*?\b(?!PRINTF\b)(\w+)\s*"
                    r"\([^;{}]*\)\s*\{", re.M)
FUNCTION = re.compile(r"^(?!#)[a-z][\w \t*]*?[ \t*](?!PRINTF\b)(\w+)\([^;{}]*\)\s*\n?\{", re.M)
COMMENT = re.compile(r"/\*+\s*(.*?)\*/", re.S)
NO_SUBJECT = re.compile(r"(?:of|what|that|as|these|this|those)\b", re.I)
# "after" and "before" say when; these two say where
PLACED = re.compile(r"\b(?:behind|in front of)\b")
PLACED_ALLOWED = ("src/http/peer.h", "src/provider/remote_call.c")  # a proxy; a member of that name
# folders that exist on a developer's machine only
PLACE = re.compile(r"(?<![\w.:/-])/(?:home|root|Users|work|mnt|tmp/(?!parley))/?[\w.-]*")
# fixtures and locked dependency lists are not ours to word
FOREIGN = ("tests/fixtures/", "tests/fuzz/corpus/", "tests/fuzz/regression/")
LOCKED = ("package-lock.json",)
# may name a folder of the machine they run on: test data, and what runs in a container
PLACES_ALLOWED = ("tests/e2e/", "tests/unit/", "tests/lint/text.py")


def files():
    listed = subprocess.run(["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=ROOT,
                            capture_output=True, check=True).stdout.decode().split("\0")
    for name in sorted(set(filter(None, listed))):
        if (ROOT / name).is_file() and not name.startswith(FOREIGN) and not name.endswith(LOCKED):
            yield name


def without_comments(text):
    """C code with comments and strings blanked, lines kept."""
    pattern = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
    return pattern.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def check(name, text):
    is_c = name.endswith((".c", ".h", ".def"))
    if is_c and not text.startswith("/*"):
        yield 1, "the first line is not a comment that says what lives here"
    if text and not text.endswith("\n"):
        yield text.count("\n") + 1, "no newline at the end"
    for number, line in enumerate(text.splitlines(), 1):
        # built files have texts of several lines, which may end with a space
        if line != line.rstrip() and not name.endswith(".md") and not name.startswith("console/dist/"):
            yield number, "trailing whitespace"
        place = PLACE.search(line)
        if place and not name.startswith(PLACES_ALLOWED):
            yield number, f"a path of one machine: {place.group()}"
    if is_c:
        for number, line in enumerate(without_comments(text).splitlines(), 1):
            call = CALL.search(line)
            if call:
                yield number, f"{call.group(1)} is banned"


def check_words(name, text):
    if not (name.endswith((".c", ".h", ".def")) and name.startswith(("src/", "routes/", "schema/"))):
        return
    for found in COMMENT.finditer(text):
        number = text.count("\n", 0, found.start()) + 1
        if NO_SUBJECT.match(found.group(1)):
            yield number, "a comment without a noun for its subject"
        if PLACED.search(found.group(1)) and not name.startswith(PLACED_ALLOWED):
            yield number, "behind, in front of: before and after say when"
    if name.endswith(".c"):
        code = without_comments(text)
        for found in FUNCTION.finditer(code):
            if "_" not in found.group(1) and found.group(1) != "main":
                yield code.count("\n", 0, found.start(1)) + 1, f"{found.group(1)}: a function has a verb and an object"


def shared_statics(name, text, first):
    """A file's static functions whose name a file before it has; first: {name: file}."""
    if name.endswith((".c", ".h")) and name.startswith(("src/", "routes/", "schema/")):
        code = without_comments(text)
        for found in STATIC.finditer(code):
            other = first.setdefault(found.group(1), name)
            if other != name:
                yield (code.count("\n", 0, found.start(1)) + 1,
                       f"static {found.group(1)} is in {other} too: give it its file's stem")


def main():
    problems, first = [], {}
    for name in files():
        try:
            text = (ROOT / name).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        problems += [f"{name}:{number}: {what}" for number, what in
                     [*check(name, text), *check_words(name, text), *shared_statics(name, text, first)]]
    print("\n".join(problems) if problems else "text: ok")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
