#!/usr/bin/env python3
"""Makes the shells' completions from the table of commands (src/main.c) and config.def.

usage: completions.py [--check]

Writes packaging/completions/parley.{bash,zsh,fish}; with --check says whether they are as they
would be made, and writes nothing.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "packaging/completions"
HEAD = "# Made by scripts/completions.py; not to be edited."
LITERAL = r'"(?:[^"\\]|\\.)*"'


def text_of(literals):
    """What C makes of string literals that stand behind each other."""
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', literals)).replace(r"\n", "\n") \
        .replace(r"\"", '"')


class Option:
    def __init__(self, name, meaning, value="", words=()):
        self.name = name
        self.meaning = meaning
        self.value = value  # as the help names it; "": none
        self.words = words  # what the value may be; (): anything

    @property
    def takes(self):
        """What to offer as its value: words, file, folder, any; "": it has none."""
        if self.words:
            return "words"
        return self.value and {"FILE": "file", "DIR": "folder"}.get(self.value, "any")


class Command:
    def __init__(self, name, arguments, meaning, options):
        self.name = name
        self.meaning = meaning
        self.options = options
        # a row may name words to choose from, as in create|list
        found = re.search(r"[a-z]+(?:\|[a-z]+)+", arguments)
        self.words = found[0].split("|") if found else []
        self.files = "FILE" in arguments


def own_options(lines):
    """From lines of the help: `  --config FILE          what it is`."""
    for name, value, meaning in re.findall(r"^ +--([\w-]+)(?: ([A-Z]+))?  +(\S.*)$", lines, re.M):
        yield Option(name, meaning.split(" (")[0], value)


def read_commands(main):
    table = re.search(r"commands\[\] = \{\n(.*?)^\};", main, re.M | re.S)[1]
    row = re.compile(rf'\{{ ({LITERAL}), ({LITERAL}), \w+, \w+,\s*((?:{LITERAL}\s*)+|NULL),\s*'
                     rf'(\w+),\s*((?:{LITERAL}\s*)+|NULL) \}}', re.S)
    for name, arguments, meaning, function, options in row.findall(table):
        if function != "NULL":
            yield Command(text_of(name), text_of(arguments), text_of(meaning),
                          list(own_options(text_of(options))))


def read_options(main, table):
    help_text = text_of("".join(re.findall(r"fputs\((.*?),\s*to\);", main, re.S)))
    found = {option.name: option for option in own_options(help_text)}
    for line in re.findall(r"^ +(--\w.*)$", help_text, re.M):
        for name in re.findall(r"--([\w-]+)", line):
            found.setdefault(name, Option(name, f"show the {name} and stop"))
    for name, kind, meaning, words in re.findall(
            r'^X\((\w+),\s*(\w+),\s*"[^"]*",\s*\w+,\s*"([^"]*)".*,\s*"([^"]*)"\)', table, re.M):
        value = "VALUE"
        if kind == "STRING":
            value = "FILE" if name == "database" or name.endswith("_file") else \
                "DIR" if name.endswith("_root") else value
        words = ["true", "false"] if kind == "BOOL" else words.split(",") if words else []
        found[name.replace("_", "-")] = Option(name.replace("_", "-"), meaning, value, words)
    return list(found.values())


# --- bash ---

BASH = """{head}
# shellcheck shell=bash

_parley() {{
	local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD - 1]}} command="" i
	# --option=value comes as three words
	if [ "$cur" = = ]; then
		cur=""
	elif [ "$prev" = = ]; then
		prev=${{COMP_WORDS[COMP_CWORD - 2]}}
	fi
	COMPREPLY=()
	case $prev in
{values}
	esac
	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${{COMP_WORDS[i]}} in
		{taking})
			[ "${{COMP_WORDS[i + 1]}}" != = ] || i=$((i + 1))
			i=$((i + 1))
			;;
		-*) ;;
		*)
			command=${{COMP_WORDS[i]}}
			break
			;;
		esac
	done
	if [[ $cur == -* ]]; then
		_parley_words "{options}"
		case $command in
{own}
		esac
		return
	fi
	case $command in
	"") _parley_words "{commands}" ;;
{arguments}
	esac
}}

_parley_words() {{
	local word
	while read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$1" -- "$cur")
}}

# _parley_files -f: files and folders; -d: folders.
_parley_files() {{
	local name
	compopt -o filenames 2>/dev/null
	while read -r name; do COMPREPLY+=("$name"); done < <(compgen "$1" -- "$cur")
}}

complete -F _parley parley
"""


def bash(commands, options):
    everything = options + [o for c in commands for o in c.options]
    values = []
    for option in everything:
        action = {"words": f'_parley_words "{" ".join(option.words)}"', "file": "_parley_files -f",
                  "folder": "_parley_files -d"}.get(option.takes)
        if action:
            values.append(f"\t--{option.name})\n\t\t{action}\n\t\treturn\n\t\t;;")
    free = [f"--{option.name}" for option in everything if option.takes == "any"]
    values.append(f"\t{' | '.join(free)})\n\t\treturn\n\t\t;;")
    own = [f"\t\t{c.name}) _parley_words \"{' '.join('--' + o.name for o in c.options)}\" ;;"
           for c in commands if c.options]
    arguments = []
    for c in commands:
        todo = ([f'_parley_words "{" ".join(c.words)}"'] if c.words else []) + \
            (["_parley_files -f"] if c.files else [])
        if todo:
            arguments.append(f"\t{c.name}) {'; '.join(todo)} ;;")
    return BASH.format(
        head=HEAD, values="\n".join(values), own="\n".join(own), arguments="\n".join(arguments),
        taking=" | ".join(f"--{o.name}" for o in everything if o.takes),
        options=" ".join(f"--{o.name}" for o in options),
        commands=" ".join(c.name for c in commands))


# --- zsh ---

ZSH = """#compdef parley
{head}

local curcontext=$curcontext state line
typeset -A opt_args
_arguments -C \\
{options}
	'1: :->command' \\
	'*:: :->arguments' && return 0
case $state in
command)
	local -a commands=(
{commands}
	)
	_describe command commands
	;;
arguments)
	case $words[1] in
{arguments}
	*) _arguments $common ;;
	esac
	;;
esac
"""


def zsh_quote(text):
    return text.replace("'", "'\\''")


def zsh_spec(option, many=""):
    meaning = zsh_quote(option.meaning.replace("[", r"\[").replace("]", r"\]").replace(":", r"\:"))
    value = {"words": f":value:({' '.join(option.words)})", "file": ":file:_files",
             "folder": ":folder:_files -/", "any": f":{option.value.lower()}: "}.get(option.takes, "")
    return f"'{many}--{option.name}{'=' if value else ''}[{meaning}]{value}'"


def zsh(commands, options):
    specs = "\n".join(f"\t{zsh_spec(o)}" for o in options)
    names = []
    arguments = []
    for c in commands:
        names.append(f"\t\t'{c.name}:{zsh_quote(c.meaning)}'")
        mine = [zsh_spec(o, "*") for o in c.options]
        mine += [f"'1: :({' '.join(c.words)})'"] if c.words else []
        mine += ["'*:file:_files'"] if c.files else []
        if mine:
            arguments.append(f"\t{c.name}) _arguments $common {' '.join(mine)} ;;")
    text = ZSH.format(head=HEAD, options="\t$common \\", commands="\n".join(names),
                      arguments="\n".join(arguments))
    common = "local -a common=(\n" + specs + "\n)\n"
    return text.replace("_arguments -C", common + "_arguments -C", 1)


# --- fish ---

def fish_quote(text):
    return text.replace("\\", r"\\").replace("'", r"\'")


def fish_option(option, condition=""):
    value = {"words": f" -x -a '{' '.join(option.words)}'", "file": " -r -F",
             "folder": " -x -a '(__fish_complete_directories)'", "any": " -x"}.get(option.takes, "")
    return f"complete -c parley{condition} -l {option.name}{value} -d '{fish_quote(option.meaning)}'"


def fish(commands, options):
    lines = [HEAD, "", "complete -c parley -f"]
    for c in commands:
        lines.append(f"complete -c parley -n __fish_use_subcommand -a {c.name} "
                     f"-d '{fish_quote(c.meaning)}'")
    for c in commands:
        condition = f" -n '__fish_seen_subcommand_from {c.name}'"
        lines += [fish_option(o, condition) for o in c.options]
        if c.words:
            lines.append(f"complete -c parley{condition} -a '{' '.join(c.words)}'")
        if c.files:
            lines.append(f"complete -c parley{condition} -F")
    lines += [fish_option(o) for o in options]
    return "\n".join([*lines, ""])


def main(arguments):
    if arguments not in ([], ["--check"]):
        print(__doc__.strip(), file=sys.stderr)
        return 64
    source = (ROOT / "src/main.c").read_text(encoding="utf-8")
    commands = list(read_commands(source))
    options = read_options(source, (ROOT / "src/config/config.def").read_text(encoding="utf-8"))
    stale = 0
    for make in (bash, zsh, fish):
        file = FOLDER / f"parley.{make.__name__}"
        text = make(commands, options)
        if not arguments:
            file.write_text(text, encoding="utf-8")
        elif not file.exists() or file.read_text(encoding="utf-8") != text:
            print(f"{file.relative_to(ROOT)} is stale; run scripts/completions.py", file=sys.stderr)
            stale += 1
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
