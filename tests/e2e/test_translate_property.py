"""POST /v1/translate against a slow second reading of the rules: fences (F) and arguments (T).

The readers below see a text whole and take their time; the gateway sees it whole, or cut anywhere.
"""

import random
import re

import pytest

import vectors

BLANK = " \t\r\n"
OPENAI = {"from": "openai", "to": "lmc"}
MARK = {"role": "user", "content": "next"}
MARK_LMC = {"role": "user", "type": "message", "content": "next"}
BATCH = 400  # messages of one request
HEX = "[0-9a-fA-F]"

# --- the rules, read for a whole text -------------------------------------------------------------


def language(text):
    """G8"""
    word = re.split(f"[{BLANK}]", text.strip(BLANK).strip("{}").strip(BLANK))[0]
    word = re.sub("[A-Z]", lambda capital: capital[0].lower(), word)
    return re.sub(r"[^a-z0-9_+#.-]", "", word) or "python"


def message(text):
    return {"role": "assistant", "type": "message", "content": text}


def code(name, text):
    return {"role": "assistant", "type": "code", "format": name, "content": text}


def opening(line):
    """F1 to F3: a fence that opens in a line without its LF: its match, or None."""
    run = re.search("`{3,}", line)
    if not run or "`" in line[run.end():]:
        return None
    at_start = re.fullmatch(" {0,3}", line[:run.start()])
    return run if at_start or len(re.findall("[^ \t\r]+", line[run.end():])) <= 1 else None


def without_newline(text):
    return re.sub(r"\r?\n\Z", "", text)


def segments(text):
    """F4 to F9"""
    found, prose, lines = [], "", text.split("\n")
    while lines:
        line = lines.pop(0)
        fence = opening(line) if lines else None
        if not fence:
            prose += line + ("\n" if lines else "")
            continue
        found.append(message((prose + line[:fence.start()]).rstrip(BLANK)))
        closing = re.compile(" {0,3}`{%d,}[ \t\r]*" % len(fence[0]))
        end = next((n for n, row in enumerate(lines) if closing.fullmatch(row)), len(lines))
        # what stands before the closing fence ends in an LF; without one nothing may
        body = "".join(row + "\n" for row in lines[:end])
        if end == len(lines):
            body = body[:-1]
        found.append(code(language(line[fence.end():]), without_newline(body)))
        lines = "\n".join(lines[end + 1:]).lstrip("\r\n").split("\n")
        prose = ""
    found.append(message(prose))
    return [one for one in found if one["type"] == "code" or one["content"].strip(BLANK)]


class Early(Exception):
    """The arguments end, or are no JSON from here on (T5)."""


def decoded(raw, cut):
    """T4; with cut also what T5 takes off the end of an open string."""
    pair = rf"\\u([dD][89abAB]{HEX}{{2}})\\u([dD][c-fC-F]{HEX}{{2}})"
    token = re.compile(rf"{pair}|\\u({HEX}{{4}})|\\([\"\\/bfnrt])|(.)", re.DOTALL)
    tail = re.compile(rf"\\u[dD][89abAB]{HEX}{{2}}(\\(u([dD]([c-fC-F]{HEX}?)?)?)?)?\Z"
                      rf"|\\(u{HEX}{{0,3}})?\Z")
    text, at = "", 0
    while at < len(raw) and not (cut and tail.match(raw, at)):
        part = token.match(raw, at)
        high, low, unit, escape, plain = part.groups()
        if high:
            text += chr(0x10000 + ((int(high, 16) & 0x3FF) << 10) + (int(low, 16) & 0x3FF))
        elif unit:
            text += "\ufffd" if 0xD800 <= int(unit, 16) < 0xE000 else chr(int(unit, 16))
        else:
            text += dict(zip("\"\\/bfnrt", "\"\\/\b\f\n\r\t"))[escape] if escape else plain
        at = part.end()
    return text


class Arguments:
    """T3 to T6: what a call of execute says."""

    def __init__(self, text):
        self.text, self.at = text, 0
        self.found, self.whole = {}, False
        try:
            self.take("{")
            self.members(self.top_value)
            self.whole = not text[self.at:].strip(BLANK)
        except Early:
            pass

    def take(self, pattern):
        """The next token, white space stepped over."""
        token = re.compile(f"[{BLANK}]*({pattern})", re.DOTALL).match(self.text, self.at)
        if not token:
            raise Early
        self.at = token.end()
        return token

    def next_is(self, sign):
        try:
            self.take(sign)
        except Early:
            return False
        return True

    def string(self, name=None):
        token = self.take(r'"((?:[^"\\]|\\.)*)("|\\?\Z)')
        open_end = token[3] != '"'
        text = decoded(token[2] + (token[3] if open_end else ""), open_end)
        if name == "code" or (name == "language" and not open_end):
            self.found.setdefault(name, text)
        if open_end:
            raise Early
        return text

    def members(self, value):
        if self.next_is("}"):
            return
        while True:
            name = self.string()
            self.take(":")
            value(name)
            if self.take("[,}]")[1] == "}":
                return

    def top_value(self, name):
        self.value(name)

    def value(self, name=None):
        if self.next_is(r"(?=\")"):
            self.string(name)
        elif self.next_is("{"):
            self.members(lambda _: self.value())
        elif self.next_is(r"\["):
            while not self.next_is("]"):
                self.value()
                if self.take(r"[,\]]")[1] == "]":
                    return
                self.take(rf"(?=[^{BLANK}\]])")
        else:
            self.take(r"true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")


def call(text):
    """T3 and T7: the message of a call of execute, and whether it gives a warning."""
    if text.strip(BLANK) and text.lstrip(BLANK)[0] != "{":
        kept = {"role": "assistant", "type": "tool_call", "format": "execute", "content": text}
        return kept, True
    said = Arguments(text)
    name = language(said.found["language"]) if "language" in said.found else "python"
    return code(name, said.found.get("code", "")), not said.whole or "code" not in said.found


# --- texts that are likely to be taken wrongly ----------------------------------------------------

INDENTS = ("", "", "", " ", "   ", "    ", "\t", "a ", "`", "\r")
INFOS = ("", "", "py", " C++ ", "a b", "\ta\tb", "a\rb", "{r x}", "a `", "\r", "\u00a0x y", "```")
ENDS = ("\n", "\n", "\n", "\r\n", "\r", "")
BITS = ('"', "\\", "u", "\\ud83d", "\\ude00", "\\u00e9", "\\u12", "\\n", "\\d", "{", "}", "[", "]",
        ":", ",", " ", "\n", "\x00", "code", "true", "1", "-", "01", "1e5", "x", "\U0001f600")
KEYS = ('"code"', '"code"', '"language"', '"x"', '"c\\u006fde"', '""')
VALUES = ('"x"', '"R "', '""', "1", "-0.5e1", "null", "tru", "[]", '[1,{"code":"n"}]', "{}", "01",
          '{"code":"n"}', '"a\\"b"')


def fences(source):
    return "".join(source.choice(INDENTS) + "`" * source.choice((0, 2, 3, 3, 4)) +
                   source.choice(INFOS) + source.choice(ENDS) for _ in range(source.randrange(8)))


def bits(source):
    return "".join(source.choices(BITS, k=source.randrange(8)))


def arguments(source):
    def value():
        return source.choice(VALUES) if source.random() < 0.5 else f'"{bits(source)}"'
    text = "{" + ",".join(f"{source.choice(KEYS)}{source.choice(ENDS)}:{value()}"
                          for _ in range(source.randrange(5))) + "}"
    text = source.choice((text, text, text, text + bits(source), bits(source), "{" + bits(source)))
    return text[:source.randrange(len(text) + 1)] if source.random() < 0.4 else text


def execute(text, **more):
    return {"function": {"name": "execute", "arguments": text}, "id": "call", **more}


# --- both readings agree --------------------------------------------------------------------------


def answer(client, **form):
    body = {**OPENAI, **form}
    got = client.post("/v1/translate", body).ok().json
    vectors.check_answer({}, got, body)
    return got


@pytest.mark.parametrize("seed", range(8))
def test_fences_are_read_by_the_rules(client, seed):
    source = random.Random(f"fences {seed}")
    texts = [fences(source) for _ in range(BATCH)]
    sent = [one for text in texts for one in ({"role": "assistant", "content": text}, MARK)]
    want = [one for text in texts for one in (*segments(text), MARK_LMC)]
    assert answer(client, messages=sent)["messages"] == want


@pytest.mark.parametrize("seed", range(20))
def test_arguments_are_read_by_the_rules(client, seed):
    source = random.Random(f"arguments {seed}")
    texts = [arguments(source) for _ in range(BATCH // 4)]  # few enough for all their warnings
    got = answer(client, messages=[{"role": "assistant", "tool_calls": [execute(text)]}
                                   for text in texts])
    assert got["messages"] == [call(text)[0] for text in texts]
    warned = {n for n, text in enumerate(texts) if call(text)[1]}
    assert {one["index"] for one in got["warnings"]} == warned


@pytest.mark.parametrize("seed", range(150))
def test_any_cut_gives_the_same(client, seed):
    """K8: the chunks of a turn, however they are cut, give what the rules give for it whole."""
    source = random.Random(f"cuts {seed}")
    early, said, late = fences(source), arguments(source), fences(source)
    want = [*segments(early), call(said)[0], *segments(late)]
    for cut in (vectors.whole, vectors.points, vectors.at_random(seed)):
        chunks = [vectors.chunk({"content": piece}) for piece in cut(early)]
        chunks.append(vectors.chunk({"tool_calls": [execute("", index=0)]}))
        chunks += [vectors.chunk({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]})
                   for piece in cut(said)]
        chunks += [vectors.chunk({"content": piece}) for piece in cut(late)]
        assert answer(client, chunks=chunks)["messages"] == want
