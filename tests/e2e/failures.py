"""The failure contract: each way in which a provider fails, and what everybody sees of it.

One table for two readers: tests/e2e/test_failures.py plays each row and checks each cell, and
tests/lint/docs.py prints it into docs/failures.md.  So it holds facts alone, and needs nothing.
"""

from typing import NamedTuple

# The provider's own words, scrubbed: code and type, and the parameter that it blames.
THEIRS = "theirs"


class Fails(NamedTuple):
    """An error with a status: nothing of the answer went out before it."""
    status: int
    code: str
    type: str = "upstream_error"
    retry_after: str | None = None
    final: bool = False  # x-should-retry: false
    counted: str | None = None  # in metrics; None: as the code


class Breaks(NamedTuple):
    """A stream that ends in an error: its last block, after all that had come."""
    code: str
    type: str = "upstream_error"
    counted: str | None = None


class Answers(NamedTuple):
    """No failure for the client: a whole answer."""
    usage: bool = True


class Row(NamedTuple):
    id: str
    title: str
    plain: Fails | Answers | None = None  # a call that is not streamed
    before: Fails | Answers | None = None  # a stream, before the first content
    after: Breaks | None = None  # a stream, after content
    again: bool = False  # the same target is asked again, while nothing of an answer has come
    other: bool = False  # another target, or a fallback, is asked then
    provider: str = "local"  # whose settings the tests use
    reached: bool = True  # the provider gets the request
    everywhere: bool = False  # the same in every dialect


def both(cell, **more):
    """The same, streamed or not."""
    return {"plain": cell, "before": cell, **more}


def limit(code):
    return Fails(504, code, "timeout_error", final=True)


CONNECT = Fails(502, "upstream_connect_failed")
BAD = Fails(502, "upstream_bad_response")
CUT = Fails(502, "stream_incomplete")
BROKEN = Breaks("stream_incomplete")
KEY = Fails(403, "upstream_auth_failed")
DENIED = Fails(403, "upstream_denied")
REJECTED = {n: Fails(n, THEIRS, THEIRS, counted="upstream_rejected") for n in (400, 404, 413, 422)}
BUSY = Fails(502, "upstream_error")
OWN_ERROR = Fails(502, THEIRS, THEIRS, counted="upstream_error")
OWN_BREAK = Breaks(THEIRS, THEIRS, counted="upstream_error")
MALFORMED = {"plain": BAD, "before": BAD, "after": BROKEN}


def limited(retry_after=None, code=THEIRS):
    return Fails(429, code, THEIRS, retry_after, counted="rate_limit_exceeded")


GROUPS = [
    ("The provider is not reached", [
        Row("refused", "the connection is refused", **both(CONNECT), again=True, other=True,
            provider="refused", reached=False),
        Row("dns", "the provider's name is not found", **both(CONNECT), again=True, other=True,
            provider="nameless", reached=False),
        Row("tls", "the provider's certificate can't be verified", **both(CONNECT), again=True,
            other=True, provider="unsigned", reached=False),
        Row("connect_timeout", "the limit `connect`",
            **both(Fails(504, "connect_timeout", "timeout_error")), again=True, other=True,
            provider="full", reached=False),
    ]),
    ("The provider is silent", [
        Row("first_byte", "the limit `first_byte`", **both(limit("first_byte_timeout")),
            provider="slow_start"),
        Row("idle", "the limit `idle`", **both(limit("idle_timeout")),
            after=Breaks("idle_timeout", "timeout_error"), provider="slow"),
        Row("total", "the limit `total`", **both(limit("total_timeout")),
            after=Breaks("total_timeout", "timeout_error"), provider="slow_in_all"),
    ]),
    ("The provider refuses", [
        *[Row(f"status_{n}", f"{n}", **both(cell), everywhere=True)
          for n, cell in REJECTED.items()],
        Row("status_401", "401", **both(KEY), other=True, everywhere=True),
        Row("status_403", "403 because of a region, terms, or a model not open to the account",
            **both(DENIED), other=True, everywhere=True),
        Row("key_403", "403 whose code or reason is about the key", **both(KEY), other=True),
        Row("moderated", "403 of moderation",
            **both(Fails(403, THEIRS, THEIRS, counted="upstream_rejected"))),
        Row("status_402", "402: no money is left", **both(BUSY), other=True),
        Row("limit_short", "429 with a wait of 2 s or less", **both(limited("1")),
            again=True, other=True),
        Row("limit_long", "429 with a longer wait", **both(limited("7")), other=True,
            everywhere=True),
        Row("limit", "429 without a wait", **both(limited()), other=True,
            everywhere=True),
        Row("quota", "429 with `insufficient_quota`",
            **both(limited(code="insufficient_quota")), other=True),
    ]),
    ("The provider fails", [
        Row("status_500", "500", **both(BUSY), again=True, other=True, everywhere=True),
        Row("status_502", "502", **both(BUSY), again=True, other=True),
        Row("status_503", "503", **both(Fails(503, "upstream_unavailable", retry_after="1")),
            again=True, other=True, everywhere=True),
        Row("busy_short", "503 with a wait of 2 s or less",
            **both(Fails(503, "upstream_unavailable", retry_after="1")), again=True, other=True),
        Row("busy_long", "503 with a longer wait",
            **both(Fails(503, "upstream_unavailable", retry_after="7")), other=True),
        Row("status_504", "504", **both(Fails(504, "upstream_error")), again=True, other=True),
        Row("status_529", "529", **both(Fails(503, "upstream_unavailable", retry_after="1")), again=True,
            other=True),
        Row("error_page", "5xx with HTML", **both(BUSY), again=True, other=True),
    ]),
    ("The provider sends something else", [
        Row("redirect", "a redirect, which is not followed", **both(BUSY)),
        Row("html", "HTML instead of JSON", **both(BAD), other=True, everywhere=True),
        Row("empty", "200 without a body", **both(BAD), other=True, everywhere=True),
        Row("not_a_stream", "a plain answer instead of a stream", before=BAD, other=True),
        Row("a_stream", "a stream instead of a plain answer", plain=BAD,
            other=True, everywhere=True),
        Row("text_plain", "the type `text/plain` or no type: the answer is accepted",
            **both(Answers())),
        Row("gzip", "gzip, which was not requested", **both(BAD), other=True, everywhere=True),
        Row("header_line", "a header line of more than 100 KiB", **both(BAD), other=True),
        Row("no_choices", "200 with empty `choices`", plain=BAD, before=CUT, other=True),
        Row("types", "a known field of another type", **MALFORMED, other=True),
        Row("malformed", "broken JSON", **MALFORMED, other=True, everywhere=True),
        Row("utf8", "invalid UTF-8", **MALFORMED, other=True, everywhere=True),
        Row("event_size", "an event of more than 16 MiB, a line of more than 8 MiB", before=BAD,
            after=BROKEN, other=True),
        Row("body_size", "a plain answer of more than 64 MiB", plain=BAD, other=True),
    ]),
    ("The provider reports an error instead of an answer", [
        Row("error_first", "an error as the first event; in a 200 that is not streamed",
            **both(OWN_ERROR), again=True, other=True, everywhere=True),
        Row("error_status", "the same with a status in it (here 429)",
            **both(limited()), other=True),
        Row("error_opened", "an error after chunks without content, such as the chunk with the role",
            before=OWN_ERROR, again=True, other=True, everywhere=True),
        Row("error", "an error after content", after=OWN_BREAK, everywhere=True),
    ]),
    ("The answer breaks off", [
        Row("hang_up", "the connection is closed instead of an answer", **both(BAD), other=True,
            provider="fresh", everywhere=True),
        Row("empty_stream", "a stream without an event", before=BAD, other=True, everywhere=True),
        Row("cut_in_event", "the connection is closed in the middle of an event or a body",
            **both(CUT), after=BROKEN, other=True, everywhere=True),
        Row("cut", "the connection is closed between two events", before=CUT, after=BROKEN, other=True,
            everywhere=True),
        Row("no_finish", "the stream's body ends without a finish reason", before=CUT, after=BROKEN,
            other=True, everywhere=True),
        Row("done_only", "`[DONE]` without a finish reason", before=CUT, after=BROKEN, other=True),
    ]),
    ("The answer ends well, but not as usual", [
        Row("no_done", "a finish reason, but no `[DONE]`", before=Answers()),
        Row("cut_finished", "the connection is closed after the finish reason", before=Answers()),
        Row("no_usage", "an answer without usage: the usage of the run is `estimated`",
            **both(Answers(False))),
        Row("usage_twice", "usage is sent twice: the last one counts", before=Answers()),
    ]),
]
ROWS = [row for _, rows in GROUPS for row in rows]


# --- as a table -----------------------------------------------------------------------------------


def _shown(cell):
    if cell is None:
        return ""
    if isinstance(cell, Answers):
        return "the answer"
    code = "the provider's code" if cell.code == THEIRS else f"`{cell.code}`"
    if isinstance(cell, Breaks):
        return code
    told = f", `Retry-After: {cell.retry_after}`" if cell.retry_after else ""
    return f"{cell.status} {code}{told}" + (" \\*" if cell.final else "")


def counted(cell):
    return "ok" if isinstance(cell, Answers) else cell.counted or cell.code


def _counts(row):
    names = [counted(cell) for cell in (row.plain, row.before, row.after) if cell]
    return ", ".join(f"`{name}`" for name in dict.fromkeys(names))


def _line(row):
    follows = [] if isinstance(row.plain or row.before, Answers) or not row.before and not \
        row.plain else [word for word, does in (("the same", row.again), ("another", row.other))
                        if does] or ["no"]
    cells = [row.title, _shown(row.plain), _shown(row.before), _shown(row.after),
             ", ".join(follows), _counts(row)]
    return "| " + " | ".join(cells) + " |"


def table():
    lines = [""]
    for title, rows in GROUPS:
        lines += [f"### {title}", "",
                  "| failure | not streamed | streamed, before content | after content "
                  "| asked next | counted as |", "|---|---|---|---|---|---|",
                  *map(_line, rows), ""]
    return "\n".join([*lines, ""])
