"""The files of messages in the sandbox: /space/in."""

import hashlib
import json

import pytest

import computer as cp
import upstream as up
from computer import approve, client, computer, module_runner, run_of, streamed  # noqa: F401
from runner import needs_sandbox
from test_files import upload

pytestmark = needs_sandbox

TABLE = "x;y\n1;2\n3;4\n"
BINARY = bytes(range(256)) * 9000


def user(*files, text="Sum it up."):
    return {"role": "user", "content": text, "context": {"files": list(files)}}


def inline(name, content=TABLE):
    return {"name": name, "content": content}


def computing(files, **more):
    return {"confirm": "never", "files": files, **more}


def printed(chunks):
    return "".join(c["content"] for c in chunks if c.get("format") == "output" and "content" in c)


def runs(computer, client, script, code, message, files="workspace", **more):
    """What the code prints, the model's first request, and the answer's headers."""
    model = script(up.in_turn(cp.calls(("python", code)), up.stream("Done.")))
    chunks, status, stream = streamed(client, computer.body(model, computing(files), **{
        "messages": [message], **more}))
    assert "finish_reason" not in status, status
    assert not [chunk for chunk in chunks if chunk.get("type") == "file"], "what was brought is not made"
    return printed(chunks), model.exchanges[0].request.json, stream.headers["x-conversation-id"]


def test_a_files_content_is_in_the_sandbox_alone(computer, client, script):
    text, asked, _ = runs(computer, client, script, "print(open('/space/in/a_é.csv').read(), end='')",
                          user(inline("a/é.csv")))
    assert text == TABLE
    assert asked["messages"][-1]["content"] == (
        '<file name="a/é.csv" path="/space/in/a_é.csv">\n</file>\n\nSum it up.')
    assert "/space/in/" in asked["tools"][-1]["function"]["description"]


def test_both(computer, client, script):
    text, asked, _ = runs(computer, client, script, "print(open('in/t').read(), end='')", user(inline("t")), "both")
    assert text == TABLE
    assert asked["messages"][-1]["content"] == (
        f'<file name="t" path="/space/in/t">\n{TABLE}\n</file>\n\nSum it up.')


def test_prompt_brings_none(computer, client, script):
    text, asked, _ = runs(computer, client, script, "import os\nprint(os.path.exists('in'))", user(inline("t")), "prompt")
    assert text == "False\n" and TABLE in asked["messages"][-1]["content"]
    assert "/space/in" not in json.dumps(asked)


def test_an_uploaded_file_of_any_kind(computer, client, script):
    file = upload(client, BINARY, "data.bin", "application/x-odd").ok().json["id"]
    message = user({"uuid": file})
    code = "import hashlib\nprint(hashlib.sha256(open('in/data.bin', 'rb').read()).hexdigest())"
    text, asked, conversation = runs(computer, client, script, code, message)
    assert text == hashlib.sha256(BINARY).hexdigest() + "\n"
    assert asked["messages"][-1]["content"].startswith('<file name="data.bin" path="/space/in/data.bin">\n</file>')
    model = script(*cp.calls(("python", "1")))
    client.post("/v1/chat", computer.body(model, computing("both"), messages=[message])).error(
        400, "invalid_value", "messages[0].context.files[0]")
    assert not model.exchanges
    # a later turn has the files of the earlier ones
    text, _, _ = runs(computer, client, script, "import os\nprint(sorted(os.listdir('in')))",
                      user(inline("b.txt")), conversation=conversation)
    assert text == "['b.txt', 'data.bin']\n"
    # of a deleted one the model learns, and the code finds what the session still has
    client.request("DELETE", f"/v1/files/{file}").ok()
    _, asked, _ = runs(computer, client, script, "1", user(), conversation=conversation)
    assert 'missing="deleted"' in asked["messages"][0]["content"]


def test_an_image_both_ways(computer, client, script):
    png = bytes.fromhex("89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154"
                               "789c63f8cfc0000003010100c9fe92ef0000000049454e44ae426082")
    file = upload(client, png, "dot.png", "image/png").ok().json["id"]
    text, asked, _ = runs(computer, client, script, "print(open('in/dot.png', 'rb').read()[1:4])",
                          user({"uuid": file}), "both")
    assert text == "b'PNG'\n"
    parts = asked["messages"][-1]["content"]
    assert [part["type"] for part in parts] == ["text", "image_url", "text"]
    assert parts[0]["text"] == '<file name="dot.png" path="/space/in/dot.png">\n</file>\n\n'


def test_of_equal_names_the_last_counts_and_many_are_brought(computer, client, script):
    files = [inline("same", "old"), *[inline(f"f{i}", str(i)) for i in range(62)], inline("same", "new")]
    code = "import os\nprint(len(os.listdir('in')), open('in/same').read(), sum(int(open(f'in/f{i}').read()) for i in range(62)))"
    text, _, conversation = runs(computer, client, script, code, user(*files))
    assert text == f"63 new {sum(range(62))}\n"
    text, _, _ = runs(computer, client, script, "print(open('in/same').read())", user(inline("same", "newest")),
                      conversation=conversation)
    assert text == "newest\n"
    model = script(up.in_turn(cp.calls(("python", "1")), up.stream("No.")))
    chunks, _, stream = streamed(client, computer.body(model, computing("workspace"), messages=[
        user(inline("the last"), inline("one too many"))], conversation=conversation))
    assert chunks[-1]["type"] == "error" and "more than 64 files" in chunks[-1]["content"]["message"]
    run = client.run(run_of(stream))
    assert (run["status"], run["error"]["code"]) == ("incomplete", "invalid_value")
    assert "executions" not in run


@pytest.mark.parametrize("name,place", [("..", "file"), ("/etc/passwd", "_etc_passwd"), ("a b", "a b"),
                                        ("é" * 127, "é" * 127)], ids=["parent", "path", "blank", "long"])
def test_names(computer, client, script, name, place):
    text, asked, _ = runs(computer, client, script, "import os\nprint(os.listdir('in')[0])", user(inline(name, "1")))
    assert text == place + "\n"
    assert f'path="/space/in/{place}"' in asked["messages"][-1]["content"]


def test_files_are_there_after_an_approval(computer, client, script):
    model = script(up.in_turn(cp.calls(("python", "print(open('in/t').read(), end='')")), up.stream("Done.")))
    _, _, stream = streamed(client, computer.body(model, {"confirm": "ask", "files": "workspace"}, messages=[
        user(inline("t"))]))
    path = f"/v1/conversations/{stream.headers['x-conversation-id']}/computer"
    assert client.get(path).ok().json["state"] == "none"
    more, _, _ = approve(client, run_of(stream), config={"computer": {"files": "workspace"}})
    assert printed(more) == TABLE


def test_a_session_that_was_lost_gets_them_again(computer, client, script):
    code = "print(open('in/t').read(), end='')"
    model = script(up.in_turn(cp.calls(("python", "import os, signal\nos.kill(os.getpid(), 9)")),
                              cp.calls(("python", code)), up.stream("Done.")))
    chunks, status, _ = streamed(client, computer.body(model, computing("workspace"), messages=[user(inline("t"))]))
    assert "finish_reason" not in status
    assert printed(chunks).endswith(TABLE)
