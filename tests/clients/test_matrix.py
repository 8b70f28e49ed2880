"""The clients' matrix: each client of clients.py in each of its scenarios, unmodified.

A client is one process, which is given all of its jobs at once, for what takes long are its own
pauses before it tries again.  Each scenario has a provider of its own in the gateway's
configuration: so its calls are counted apart, and what fails in one does not spoil another.
"""

import json
import re

import pytest

import upstream as up
from client import Client
from clients import CLIENTS, SCENARIOS, Half, Noticed, Whole
from gateway import Gateway
from pointed import POINTED
from programs import PATIENCE, Program
from waiting import wait_until

PIECES = ["The sun rises ", "over the sea, ", "slowly."]
TEXT = "".join(PIECES)
KILL = next(s for s in SCENARIOS if s.id == "kill")


# --- what the provider does -----------------------------------------------------------------------


def asked_for_tool(request):
    """The tool to call: once its result is there, or without tools, text is to be answered."""
    if not request.get("tools") or request["messages"][-1]["role"] == "tool":
        return None
    return request["tools"][0]["function"]["name"]


def piece(text, tool, first):
    if not tool:
        return up.text(text)
    call = {"index": 0, "function": {"arguments": text}}
    if first:
        call = {**call, "id": "call_a", "type": "function",
                "function": {"name": tool, "arguments": text}}
    return up.data(up.chunk({"tool_calls": [call]}))


def answer(*last, pieces=PIECES):
    """Answers as the request asks; last: steps that come in place of the last piece."""
    def step(x):
        request = x.request.json
        tool = asked_for_tool(request)
        said = ['{"text": "' + pieces[0], *pieces[1:-1], pieces[-1] + '"}'] if tool else pieces
        ending = "tool_calls" if tool else "stop"
        if not request.get("stream"):
            message = {"role": "assistant", "content": "".join(said)}
            if tool:
                message = {"role": "assistant", "content": None, "tool_calls": [{
                    "id": "call_a", "type": "function",
                    "function": {"name": tool, "arguments": "".join(said)}}]}
            up.reply(up.completion(message=message, finish=ending))(x)
            return
        said = said[:-1] if last else said
        for inner in [up.sse(), up.role(), *[piece(t, tool, i == 0) for i, t in enumerate(said)],
                      *(last or up.ending(ending))]:
            inner(x)
    return up.call(step)


def repeat(x):
    """Each caller gets its own words."""
    content = next(m for m in x.request.json["messages"] if m["role"] == "user")["content"]
    text = content if isinstance(content, str) else content[0]["text"]
    answer(pieces=[text[:3], text[3:]])(x) if len(text) > 3 else answer(pieces=[text])(x)


def refusal(status, **error):
    return up.reply({"error": {"message": "not now", "type": "t", **error}}, status)


GONE = up.data({"error": {"message": "the model fell over", "type": "server_error", "code": "x"}})


def scripts(killed):
    """What the provider does in each scenario; killed: the gate at which the gateway is killed."""
    return {
        "plain": [answer()], "stream": [answer()], "tools": [answer()],
        "many": [up.call(repeat)],
        "cut": [answer(up.hang_up())],
        "error": [answer(GONE, up.end())],
        "stalls": [answer(up.wait(up.Gate()))],
        "kill": [answer(up.wait(killed))],
        "limited": [refusal(429)], "fails": [refusal(500)], "key": [refusal(401)],
        "silent": [up.wait(up.Gate())],
    }


# --- all scenarios of a client --------------------------------------------------------------------


def configuration(upstream):
    """The gateway's presets; only what one failure does to the next call is off."""
    limits = {"silent": {"first_byte": "1s"}, "stalls": {"idle": "1s"}}
    return {"providers": [
        {"name": s.id, "dialect": "openai", "base_url": upstream.url,
         "health": {"failures": 0, "cooling": "0s", "dead_key": "0s"},
         "timeouts": limits.get(s.id, {})} for s in SCENARIOS],
        "models": [{"name": f"{s.id}-*", "provider": s.id} for s in SCENARIOS]}


class Played:
    """What a client saw in each scenario, and how often it called."""

    def __init__(self, client, upstream, folder):
        self.client = client
        killed = up.Gate()
        self.made = {name: upstream.script(*steps) for name, steps in scripts(killed).items()}
        gateway = Gateway(folder / "gateway", configuration(upstream)).start()
        doomed = Gateway(folder / "doomed", configuration(upstream)).start()
        program = Program(client, folder / "client.log")
        try:
            jobs = {KILL.id: self._ask(program, KILL, doomed)}
            began = killed.reached.is_set if client.gathers else jobs[KILL.id][0].has_begun
            wait_until(began, "an answer to break off", PATIENCE)
            doomed.kill()
            jobs |= {s.id: self._ask(program, s, gateway) for s in client.scenarios()
                     if s is not KILL}
            self.results = {name: [job.wait() for job in asked] for name, asked in jobs.items()}
            self.calls = calls(gateway)
        finally:
            program.close()
            for one in (gateway, doomed):
                one.stop()
            for script in self.made.values():
                upstream.scripts.pop(script.name)

    def _ask(self, program, scenario, gateway):
        ask = {"url": gateway.url + self.client.base, "tools": scenario.tools,
               "model": f"{scenario.id}-{self.made[scenario.id].name}"}  # no slash: as deployments
        if scenario.id == "many":
            return [program.ask(**ask, prompt=f"number {n}", stream=n % 2 == 1) for n in range(50)]
        return [program.ask(**ask, prompt="Tell me of the sun", stream=scenario.stream)]

    def outcome(self, scenario):
        results = self.results[scenario.id]
        if scenario.id == "many":
            assert [r["text"] for r in results] == [f"number {n}" for n in range(50)], results
            return Whole()
        return seen(results[0], scenario)


def calls(gateway):
    """By provider: what the gateway was asked for, however often itself has asked."""
    with Client(gateway.url) as client:
        text = client.get("/metrics").body.decode()
    found = re.findall(r'^parley_upstream_requests_total\{([^}]*)\} (\d+)', text, re.M)
    counts = dict.fromkeys((s.id for s in SCENARIOS), 0)
    for labels, count in found:
        counts[re.search(r'upstream="([^"]*)"', labels)[1]] += int(count)
    return counts


def seen(result, scenario):
    text, error = result["text"], result["error"]
    if scenario.tools and text.startswith("{"):  # the arguments as they came
        text = json.loads(text)["text"]
    assert TEXT.startswith(text), f"not a part of the answer: {result}"
    if error:  # in mid-stream the status was 200, which some clients tell
        return Noticed(error["status"] if scenario.before else None,
                       told=scenario.words in error["message"])
    return Whole() if text == TEXT else Half()


@pytest.fixture(scope="module")
def played(request, upstream, tmp_path_factory):
    client = request.param
    if client.lacks():
        pytest.skip(client.lacks())
    return Played(client, upstream, tmp_path_factory.mktemp(client.id))


each_client = pytest.mark.parametrize("played", [
    pytest.param(c, id=c.id, marks=pytest.mark.xdist_group(c.id)) for c in CLIENTS], indirect=True)


@each_client
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: s.id)
def test_what_a_client_sees(played, scenario):
    if scenario.id in played.client.without:
        pytest.skip(f"{played.client.api} has no words for this")
    assert played.outcome(scenario) == played.client.sees(scenario), played.results[scenario.id]


@each_client
@pytest.mark.parametrize("scenario", [s for s in SCENARIOS if s.before], ids=lambda s: s.id)
def test_how_often_a_client_calls(played, scenario):
    assert played.calls[scenario.id] == played.client.requests(scenario)


@pytest.mark.parametrize("client", CLIENTS, ids=lambda c: c.id)
def test_the_page_shows_what_is_run(client):
    """Each function and parameter in the lines that point a client at the gateway is one of its
    program's, or of what that shares with others."""
    if client.program.startswith("llm_"):
        pytest.skip("its file of models is tried in test_llm.py")
    names = re.findall(r"(\w+)(?=\(|=\"|: ['\"])", POINTED[client.program])
    files = [*client.folder().glob(re.split("[-.]", client.program)[0] + "*"),
             *client.folder().glob("main.*")]
    words = set(re.findall(r"\w+", "".join(f.read_text() for f in files)))
    assert names and not set(names) - words
