"""Texts that come as data: a hook sees what a provider would decode, whoever asks, in whatever words and alphabet; what it
changes is encoded again, and what nobody can read is not sent.  So are words that are cut between two parts."""

import base64
import json
from urllib.parse import quote

import pytest

from ask import WIRE
from client import Client
from fixtures import provider
from hook import Hook, allow, block, masks

WORD = "SECRET"
TEXT = f"this is {WORD}?>~ of tea, which stands in a file that is long enough to be one, \u8336"
MENDED = TEXT.replace(WORD, "mended")
FAMILIES = ("chat", "messages", "responses", "native")


def plain(raw):
    return base64.b64encode(raw).decode()


def safe(raw):
    return base64.urlsafe_b64encode(raw).decode()


FORMS = {
    "standard": plain, "safe": safe, "safe without padding": lambda raw: safe(raw).rstrip("="),
    "without padding": lambda raw: plain(raw).rstrip("="), "lines": lambda raw: "\n".join(plain(raw)[i:i + 40] for i in range(0, 999, 40)),
}


def file_of(data, name="a.txt"):
    return {"type": "file", "file": {"filename": name, "file_data": data}}


def body_of(family, data, mime="text/plain", url=None):
    """A message with a file, in each family's words."""
    url = url or f"data:{mime};base64,{data}"
    if family == "messages":
        return {"max_tokens": 99, "messages": [{"role": "user", "content": [{"type": "text", "text": "so"}, {
            "type": "document", "source": {"type": "base64", "media_type": mime, "data": data}}]}]}
    if family == "responses":
        return {"input": [{"role": "user", "content": [{"type": "input_text", "text": "so"}, {
            "type": "input_file", "filename": "a.txt", "file_data": url}]}]}
    return {"messages": [{"role": "user", "content": [{"type": "text", "text": "so"}, file_of(url)]}]}


@pytest.fixture(scope="module")
def hook():
    one = Hook()
    yield one
    one.close()


@pytest.fixture(scope="module")
def guarded(make_wild, hook):
    return make_wild(hooks=[hook.config()])


def forbids(asked):
    return block() if any(WORD in t for t in asked.texts) else allow()


def decoded(value):
    """All strings of a value, and those that they have as base64."""
    if isinstance(value, dict):
        return [t for v in value.values() for t in decoded(v)]
    if isinstance(value, list):
        return [t for v in value for t in decoded(v)]
    if not isinstance(value, str):
        return []
    found = [value]
    for text in (value, value.split("base64,")[-1]):
        try:
            found.append(base64.b64decode(text, validate=True).decode())
        except ValueError:
            pass
    return found


def answer(script, dialect, stream):
    wire = WIRE[dialect]
    return script(*wire.say("ok")) if stream else script(wire.whole("ok"))


@pytest.mark.parametrize("family", FAMILIES)
def test_a_text_in_a_file_is_blocked_and_replaced(guarded, hook, script, family, dialect, stream):
    hook.judge = forbids
    hook.asked.clear()
    s = script(allows=None)
    said = guarded.post(family, dialect, s, body_of(family, plain(TEXT.encode())), stream)
    assert said.status == 400 and not s.exchanges, said
    assert TEXT in hook.texts("request")
    hook.judge = masks(WORD, "mended")
    # Anthropic's own documents in base64 are PDFs: others are for servers that resemble it.
    allows = {"types messages.0.content.1.source.media_type": "the client's own words"}
    own = {"allows": allows} if (family, dialect) == ("messages", "anthropic") else {}
    wire = WIRE[dialect]
    s = script(*wire.say("ok"), **own) if stream else script(wire.whole("ok"), **own)
    said = guarded.post(family, dialect, s, body_of(family, plain(TEXT.encode())), stream)
    assert said.status == 200 and said.text == "ok", said
    sent = decoded(s.request.json)
    assert any(MENDED in t for t in sent) and not any(WORD in t for t in sent), sent


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("dialect", ["openai", "anthropic", "openai-responses"])
def test_in_whatever_alphabet(guarded, hook, script, family, dialect, form):
    hook.judge = forbids
    s = script(allows=None)
    for text in (TEXT, TEXT + "x", TEXT + "xy", WORD):
        for mime in ("text/plain", "text/csv", "application/json", "application/xml", "image/svg+xml", "application/octet-stream",
                     "application/pdf", "image/png"):
            said = guarded.post(family, dialect, s, body_of(family, FORMS[form](text.encode()), mime))
            assert said.status == 400 and not s.exchanges, (said, text, mime)


URLS = ["data:text/plain,a {}", "data:,S%45CRET", "data:text/plain;charset=utf-8,%53%45%43%52%45%54", "DATA:TEXT/PLAIN;BASE64,{64}",
        "data:;base64,{64}", "data:text/plain;charset=US-ASCII;base64,{64}", "data:text/plain;base64,{65}", "{64}", " data:text/plain;base64,{64}",
        "data:text/plain;name={};base64,aGk=", "data:application/pdf;base64,{64}"]


@pytest.mark.parametrize("url", URLS)
@pytest.mark.parametrize("family", ["chat", "responses", "native"])
def test_in_whatever_url(guarded, hook, script, family, url):
    hook.judge = forbids
    s = script(allows=None)
    url = url.replace("{64}", plain(TEXT.encode())).replace("{65}", quote(plain(TEXT.encode()))).replace("{}", WORD)
    said = guarded.post(family, "openai", s, body_of(family, None, url=url))
    assert said.status == 400 and said.error["code"] == "content_blocked" and not s.exchanges, said
    if family == "chat":
        hook.judge = masks(WORD, "mended")
        s = answer(script, "openai", False)
        said = guarded.post(family, "openai", s, body_of(family, None, url=url))
        sent = decoded(s.request.json)
        assert said.status == 200 and not any(WORD in t for t in sent), sent
        assert any("mended" in t for t in sent), sent


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("data", [plain(TEXT.encode("utf-16")), plain(b"\xff\xfe" + TEXT.encode("latin-1", "replace")), "not base64 !"])
def test_what_nobody_can_read_is_not_sent(guarded, hook, script, family, data):
    hook.judge = lambda asked: allow()
    s = script(allows=None)
    said = guarded.post(family, {"messages": "anthropic", "responses": "openai-responses"}.get(family, "openai"), s, body_of(family, data))
    assert said.status == 400 and not s.exchanges, said


def test_media_are_media(guarded, hook, script):
    hook.judge = lambda asked: allow()
    hook.asked.clear()
    picture = "iVBORw0KGgo" * 9 + "A"
    pdf = plain(b"%PDF-1.4\n" + b"words of a page " * 9)
    s = answer(script, "openai", False)
    said = guarded.post("chat", "openai", s, {"messages": [{"role": "user", "content": [
        {"type": "text", "text": "so"}, {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{picture}"}},
        file_of(f"data:application/pdf;base64,{pdf}", "a.pdf"), file_of(pdf, "b.pdf")]}]})
    assert said.status == 200, said
    assert hook.texts("request")[:3] == ["so", "a.pdf", "b.pdf"]
    assert not any("words" in t or "iVBOR" in t for t in hook.texts("request"))


def test_a_stored_message_is_shown_with_each_turn(guarded, hook, script):
    hook.judge = lambda asked: allow()
    s = answer(script, "openai", False)
    first = guarded.client.post("/v1/chat", {**body_of("native", plain(TEXT.encode())), "config": {"model": s.under("openai")}}).ok()
    hook.judge = forbids
    more = {"messages": ["go on"], "conversation": first.json["conversation"], "config": {"model": s.under("openai")}}
    guarded.client.post("/v1/chat", more).error(400, "content_blocked")
    hook.judge = masks(WORD, "mended")
    guarded.client.post("/v1/chat", more).ok()
    sent = decoded(s.exchanges[-1].request.json)
    assert any(MENDED in t for t in sent) and not any(WORD in t for t in sent), sent


# --- words that are cut ---

PARTS = ("my SEC", "RET")


def cut_body(family, parts=PARTS):
    texts = [{"type": "text", "text": t} for t in parts]
    if family == "responses":
        return {"input": [{"role": "user", "content": [{"type": "input_text", "text": t} for t in parts]}]}
    if family == "messages":
        return {"max_tokens": 99, "messages": [{"role": "user", "content": texts}]}
    return {"messages": [{"role": "user", "content": texts}]}


@pytest.mark.parametrize("family", FAMILIES)
def test_a_word_that_is_cut_between_two_parts_is_seen(guarded, hook, script, family, dialect, stream):
    hook.judge = forbids
    hook.asked.clear()
    if family == "messages" and dialect != "anthropic":  # the provider gets a line between the two, and so does the hook
        guarded.post(family, dialect, answer(script, dialect, stream), cut_body(family), stream)
        assert "my SEC\n\nRET" in hook.texts("request")
        return
    s = script(allows=None)
    said = guarded.post(family, dialect, s, cut_body(family), stream)
    assert said.status == 400 and not s.exchanges, said
    assert "my SECRET" in hook.texts("request")
    hook.judge = masks(WORD, "###")
    s = answer(script, dialect, stream)
    said = guarded.post(family, dialect, s, cut_body(family), stream)
    if family == "messages":  # the message that is made of it has a line between the two
        assert said.status == 400 and not s.exchanges, said
        return
    sent = decoded(s.request.json)
    assert said.status == 200 and not any("SEC" in t or "RET" in t for t in sent), sent
    assert "#" in "".join(sent)


@pytest.mark.parametrize("family", FAMILIES)
def test_parts_that_are_changed_each_by_itself_are_sent(guarded, hook, script, family, dialect):
    hook.judge = masks("e", "\u00e9")
    s = answer(script, dialect, False)
    said = guarded.post(family, dialect, s, cut_body(family, ("the tea", "is made")))
    assert said.status == 200, said
    sent = "".join(decoded(s.request.json))
    assert "th\u00e9 t\u00e9a" in sent and "is mad\u00e9" in sent


def test_gemini_s_own_words(start, upstream, script, hook):
    g = start({"providers": [provider(upstream, "g", "gemini")], "models": [{"name": "g/*", "provider": "g"}],
               "hooks": [hook.config()], "log_format": "json"})
    s = script(allows=None)
    with Client(g.url) as client:
        hook.judge = forbids
        for parts in ([{"text": "my SEC"}, {"text": "RET"}], [{"text": "so"}, {"inlineData": {
                "mimeType": "text/plain", "data": plain(TEXT.encode())}}], [{"text": "so"}, {"inlineData": {
                    "mimeType": "image/png", "data": plain(TEXT.encode())}}]):
            said = client.post(f"/v1beta/models/{s.under('g')}:generateContent", {"contents": [{"role": "user", "parts": parts}]})
            assert said.status == 400 and not s.exchanges, (said, parts)
    assert json.dumps(hook.texts("request")).count("my SECRET")
