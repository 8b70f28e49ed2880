"""Reads our two stream dialects and insists on their rules (strictly: this is not a client)."""

import json


class Block:
    def __init__(self, raw):
        self.raw = raw
        self.comments, self.fields = [], {}
        for line in raw.decode("utf-8").split("\n"):
            assert "\r" not in line, f"carriage return in {raw!r}"
            if line.startswith(":"):
                self.comments.append(line[1:].strip())
                continue
            name, colon, value = line.partition(":")
            assert colon and name in ("id", "event", "data", "retry"), f"odd line in {raw!r}"
            assert name not in self.fields, f"{name} twice in {raw!r}"
            self.fields[name] = value.removeprefix(" ")

    @property
    def is_comment(self):
        return not self.fields

    @property
    def data(self):
        return self.fields.get("data")

    @property
    def json(self):
        return json.loads(self.fields["data"])

    @property
    def id(self):
        return self.fields.get("id")

    @property
    def event(self):
        return self.fields.get("event")

    def __repr__(self):
        return f"Block({self.raw!r})"


class Blocks:
    """Blocks out of an iterator of bytes; bytes behind the last blank line are an error."""

    def __init__(self, pieces):
        self.pieces = iter(pieces)
        self.buffer = bytearray()
        self.seen = []

    def __iter__(self):
        return self

    def __next__(self):
        searched = 0  # large blocks come in many pieces
        while (end := self.buffer.find(b"\n\n", searched)) < 0:
            searched = max(0, len(self.buffer) - 1)
            try:
                self.buffer += next(self.pieces)
            except StopIteration:
                assert not self.buffer, f"a block without its blank line: {bytes(self.buffer)!r}"
                raise
        self.seen.append(Block(bytes(self.buffer[:end])))
        del self.buffer[:end + 2]
        return self.seen[-1]

    def next_data(self):
        for block in self:
            if not block.is_comment:
                return block
        raise AssertionError(f"the stream ended; seen: {self.seen}")

    def until_text(self, wanted):
        """Reads until the text so far ends with wanted; returns the text."""
        so_far = ""
        for block in self:
            if block.is_comment or block.data == "[DONE]":
                continue
            assert "error" not in block.json, f"an error instead of {wanted!r}: {block}"
            so_far += text_of(block.json)
            if so_far.endswith(wanted):
                return so_far
        raise AssertionError(f"the stream ended before {wanted!r}; seen: {self.seen}")


def text_of(chunk):
    return "".join(c["delta"].get("content") or "" for c in chunk["choices"])


class Answer:
    """What a finished stream said."""

    def __init__(self, chunks, failed=None, first=None):
        self.chunks = chunks
        self.error = failed
        self.text = "".join(text_of(c) for c in chunks)
        reasons = [c["finish_reason"] for chunk in chunks for c in chunk["choices"]
                   if c.get("finish_reason")]
        self.finish_reason = reasons[-1] if reasons else None
        self.finishes = reasons
        usage = [c["usage"] for c in chunks if c.get("usage")]
        self.usage = usage[-1] if usage else None


def _chunks(blocks):
    """Chunks as unmodified clients need them (the traps of the OpenAI dialect)."""
    chunks, roles = [], {}
    for block in blocks:
        value = block.json
        assert isinstance(value.get("choices"), list), f"no choices array: {block}"
        assert "error" not in value, f"an error key on a good chunk: {block}"
        for choice in value["choices"]:
            delta = choice["delta"]
            if "role" in delta:
                assert delta["role"] == "assistant", block
                index = choice["index"]
                roles[index] = roles.get(index, 0) + 1
                assert roles[index] == 1, f"a second role for choice {index}: {block}"
            for call in delta.get("tool_calls") or []:
                assert isinstance(call.get("index"), int), f"tool call without index: {block}"
        chunks.append(value)
    if chunks:
        assert len({c["id"] for c in chunks}) == 1, "the id changes within the stream"
        assert len({c["model"] for c in chunks}) == 1, "the model changes within the stream"
    return chunks


def openai(blocks):
    """A whole stream of the OpenAI dialect: data blocks and comments, nothing else."""
    blocks = list(blocks)
    datas = [b for b in blocks if not b.is_comment]
    assert datas, f"a stream without data: {blocks}"
    for block in datas:
        assert set(block.fields) == {"data"}, f"only data belongs here: {block}"
    if datas[-1].data == "[DONE]":
        assert blocks[-1] is datas[-1], "something follows [DONE]"
        return Answer(_chunks(datas[:-1]))
    assert blocks[-1] is datas[-1] and "error" in datas[-1].json, (
        f"the stream ended with neither [DONE] nor an error: {blocks[-3:]}")
    assert "choices" not in datas[-1].json, f"an error with choices: {datas[-1]}"
    assert not any(b.data == "[DONE]" for b in datas)
    return Answer(_chunks(datas[:-1]), datas[-1].json["error"])


def native(blocks):
    """A whole stream of the native dialect: ids in every data block, a named last one."""
    blocks = list(blocks)
    datas = [b for b in blocks if not b.is_comment]
    assert datas, f"a stream without data: {blocks}"
    for block in datas:
        assert block.id, f"no id: {block}"
        assert block.data, f"no data: {block}"
    ids = [b.id for b in datas]
    assert len(set(ids)) == len(ids), f"an id came twice: {ids}"
    numbers = [tuple(map(int, i.split("."))) for i in ids]
    assert numbers == sorted(numbers), f"ids do not grow: {ids}"
    last = datas[-1]
    assert blocks[-1] is last, "a comment follows the last block"
    assert all(b.event is None for b in datas[:-1]), "event: on a content block"
    if last.event == "done":
        assert last.data == "[DONE]", last
        return Answer(_chunks(datas[:-1]))
    assert last.event == "error", f"the last block is neither done nor error: {last}"
    return Answer(_chunks(datas[:-1]), last.json["error"])


class LmcAnswer:
    """What a finished stream of LMC chunks said."""

    def __init__(self, chunks, messages, failed, status):
        self.chunks = chunks  # without what the server said
        self.messages = messages  # put together: role, type, format, content
        self.error = failed
        self.status = status
        self.confirmations = [c["content"] for c in chunks if c["type"] == "confirmation"]


def _put_together(chunks):
    """LMC chunks by their grammar: segments follow each other, all of them end."""
    messages, head = [], None
    for chunk in chunks:
        flags = [k for k in ("start", "content", "end") if k in chunk]
        assert len(flags) == 1, f"not one of start, content and end: {chunk}"
        keys = {k: chunk[k] for k in ("role", "type", "format") if k in chunk}
        if chunk["type"] == "confirmation":
            assert head is None and "content" in chunk, f"a confirmation within a segment: {chunk}"
        elif "start" in chunk:
            assert chunk["start"] is True and head is None, f"a start within a segment: {chunk}"
            head = keys
            messages.append({**keys, "content": ""})
        else:
            assert head is not None, f"no segment is open: {chunk}"
            assert (keys["role"], keys["type"]) == (head["role"], head["type"]), chunk
            if "end" in chunk:
                assert chunk["end"] is True
                head = None
            else:
                assert chunk["content"] != "", "an empty piece"
                if chunk.get("format") != "active_line":
                    messages[-1]["content"] += chunk["content"]
    assert head is None, f"a segment without its end: {head}"
    return messages


def lmc(blocks):
    """A whole stream of LMC chunks in the native dialect."""
    blocks = list(blocks)
    datas = [b for b in blocks if not b.is_comment]
    for block in datas:
        assert block.id and block.data, f"no id or no data: {block}"
    numbers = [tuple(map(int, b.id.split("."))) for b in datas]
    assert numbers == sorted(set(numbers)), f"ids do not grow: {numbers}"
    last = datas[-1]
    assert blocks[-1] is last and all(b.event is None for b in datas[:-1])
    status = last.json
    assert (status["role"], status["type"], status["content"]) == ("server", "status", "complete")
    chunks = [b.json for b in datas[:-1]]
    failed = None
    if last.event == "error":
        failed = chunks.pop()
        assert (failed["role"], failed["type"]) == ("server", "error"), failed
        failed = failed["content"]
    else:
        assert last.event == "done", last
    assert all(c["role"] != "server" for c in chunks), "the server spoke in between"
    return LmcAnswer(chunks, _put_together(chunks), failed, status)


class MessageAnswer:
    """What a finished stream of Anthropic's shape said."""

    def __init__(self, events, failed):
        self.events = events
        self.error = failed
        self.start = next((e["message"] for e in events if e["type"] == "message_start"), None)
        last = next((e for e in events if e["type"] == "message_delta"), None)
        self.stop_reason = last and last["delta"]["stop_reason"]
        self.usage = last and last["usage"]
        self.blocks = _message_blocks(events)
        self.text = "".join(b["text"] for b in self.blocks if b["type"] == "text")

    @property
    def chunks(self):
        return self.events


def _message_blocks(events):
    """The blocks with their pieces joined: one is open at a time, each has its place as index."""
    made, open_block = [], None
    for event in events:
        kind = event["type"]
        if not kind.startswith("content_block_"):
            continue
        if kind == "content_block_start":
            assert open_block is None, f"a block starts within another one: {event}"
            assert event["index"] == len(made), f"not the next index: {event}"
            open_block = {**event["content_block"]}
            if open_block["type"] == "tool_use":
                assert open_block["input"] == {} and open_block["id"] and open_block["name"], event
                open_block["input"] = ""
            made.append(open_block)
            continue
        assert open_block is not None and event["index"] == len(made) - 1, f"not the open block: {event}"
        if kind == "content_block_stop":
            if open_block["type"] == "tool_use":
                open_block["input"] = json.loads(open_block["input"] or "{}")
            open_block = None
            continue
        name = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature",
                "input_json_delta": "partial_json"}[event["delta"]["type"]]
        assert event["delta"][name] != "", f"an empty piece: {event}"
        open_block["input" if name == "partial_json" else name] += event["delta"][name]
    assert open_block is None or events[-1]["type"] != "message_stop", "a block without its end"
    return made


def messages(blocks):
    """A whole stream of Anthropic's shape: named events, one way to begin and two to end."""
    events = []
    for block in blocks:
        assert set(block.fields) == {"event", "data"}, f"an event has a name and data: {block}"
        assert block.json["type"] == block.event, block
        events.append(block.json)
    failed = events.pop() if events[-1]["type"] == "error" else None
    said = [e for e in events if e["type"] != "ping"]
    kinds = [e["type"] for e in said]
    assert kinds.count("message_start") == (1 if kinds else 0) and kinds[:1] in ([], ["message_start"])
    if failed:
        assert "message_stop" not in kinds, "an end and an error"
    else:
        assert kinds[-2:] == ["message_delta", "message_stop"], f"no end: {kinds}"
        assert kinds.count("message_delta") == kinds.count("message_stop") == 1
    return MessageAnswer(said, failed and failed["error"])
