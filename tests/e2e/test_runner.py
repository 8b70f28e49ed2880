"""`parley runner`: its protocol, its languages, files, sessions and their ends."""

import contextlib
import json
import os
import signal
import struct
import subprocess
import textwrap
import threading

import pytest

from runner import BINARY, Runner, as_user, needs, needs_sandbox, program, try_file
from waiting import DEADLINE, wait_until

pytestmark = needs_sandbox


@pytest.fixture(scope="module")
def runner():
    one = Runner()
    yield one
    assert one.stop() == 0


@pytest.fixture
def name(request):
    """A session of the test's own."""
    return "".join(c if c.isalnum() else "_" for c in request.node.name)[:60]


@pytest.fixture
def run(runner, name):
    """Runs code in the test's session."""
    def run(code, language="python", **more):
        return runner.run(textwrap.dedent(code), language, name, **more)
    yield run
    with runner.connect() as c:
        c.ask("R", {"session": name})


# --- python ---

def test_python_shows_the_last_value_and_tells_its_lines(run):
    done = run("34 / 24")
    assert done.frames[0][0] == "S" and done.fresh
    assert (done.text, done.lines, done.outcome) == ("1.4166666666666667\n", [1], "ok")
    assert done.end["exit"] == 0 and done.end["left_out"] == 0 and done.end["peak"] > 0


def test_python_keeps_variables(run):
    run("x = 20\ndef double(n):\n    return 2 * n")
    done = run("double(x) + 2")
    assert done.text == "42\n" and not done.fresh


def test_python_lines_and_output_stay_in_order(run):
    done = run("print(1)\nprint(2)\n\nprint(3)")
    assert [(k, b) for k, b in done.frames if k in "LO"] == [
        ("L", b"1"), ("O", b"1\n"), ("L", b"2"), ("O", b"2\n"), ("L", b"4"), ("O", b"3\n")]


def test_python_tells_lines_within_a_loop(run):
    done = run("""\
        import time
        for i in range(3):
            a = i
            time.sleep(0.2)
        """)
    assert done.lines[:2] == [1, 2] and 4 in done.lines


def test_python_shows_partial_lines_while_it_waits(runner, name):
    with runner.connect() as c:
        c.begin("import time\nprint('begun', end='')\ntime.sleep(60)", session=name)
        c.finish(until=lambda done: done.text == "begun")
        c.send("Q")
        assert c.finish().outcome == "interrupted"


def test_python_tracebacks_show_the_users_source(run):
    done = run("def f(n):\n    return 1 / n\n\nf(0)")
    assert done.outcome == "error" and done.end["exit"] == 1
    assert 'File "<cell 1>", line 4, in <module>\n    f(0)' in done.text
    assert 'File "<cell 1>", line 2, in f\n    return 1 / n' in done.text
    assert "ZeroDivisionError" in done.text and "python.py" not in done.text


def test_python_refuses_wrong_syntax_before_anything_runs(run):
    done = run("print('first')\nreturn 1")
    assert done.outcome == "error" and "SyntaxError" in done.text and "first" not in done.text
    done = run("print('first'\nx = (")
    assert "SyntaxError" in done.text and "python.py" not in done.text


@pytest.mark.parametrize("code, text", [
    ("from __future__ import annotations\ndef f(x: nothing): pass\nf.__annotations__", "{'x': 'nothing'}\n"),
    ("import asyncio\nawait asyncio.sleep(0)\nawait asyncio.sleep(0, 'slept')", "'slept'\n"),
    ("import functools\n@functools.lru_cache\ndef f():\n    return 7\nf()", "7\n"),
    ("import pickle\nclass A: pass\ntype(pickle.loads(pickle.dumps(A()))) is A", "True\n"),
    ("import multiprocessing\ndef f(n):\n    return n + 1\n"
     "with multiprocessing.Pool(2) as pool:\n    print(pool.map(f, [1, 2]))", "[2, 3]\n"),
    ("import subprocess\nsubprocess.run(['echo', 'below'])\nNone", "below\n"),
    ("try:\n    input()\nexcept EOFError:\n    print('no input')", "no input\n"),
    ("x = '''a\n\n\nb'''\nprint(len(x))", "5\n"),
    ("_ = 1\nif True:\n    print('indented')", "indented\n"),
    ("import os\nif os.fork() == 0:\n    pass\nelse:\n    os.wait()\nprint('once')", "once\n"),
])
def test_python_is_what_it_is_elsewhere(run, code, text):
    done = run(code)
    assert (done.text, done.outcome) == (text, "ok")


def test_exit_ends_the_code_not_python(run):
    assert run("x = 3\nexit()").outcome == "ok"
    done = run("import sys\nsys.exit(4)")
    assert (done.outcome, done.end["exit"]) == ("error", 4)
    assert run("x").text == "3\n"


def test_an_object_may_show_itself_as_an_image(run):
    done = run("""\
        class Picture:
            def _repr_png_(self):
                return b"\\x89PNG\\n" + bytes(300000)
        print("before")
        Picture()""")
    assert done.images == [("png", b"\x89PNG\n" + bytes(300000))]
    assert [k for k, _ in done.frames if k in "OI"][0] == "O" and done.text == "before\n"


def test_an_image_that_is_too_large_is_told(run):
    done = run("""\
        class Picture:
            def _repr_png_(self):
                return b"\\x89PNG\\n" + bytes(9_000_000)
        Picture()""")
    assert (done.outcome, done.images) == ("ok", []) and "9000005 bytes is left out" in done.text


def test_an_object_may_show_itself_as_html(run):
    done = run("""\
        class Table:
            def _repr_html_(self):
                return "<b>é</b>"
            def __repr__(self):
                return "a table"
        Table()""")
    assert done.html == "<b>é</b>" and done.text == "a table\n"


def test_matplotlibs_figures_are_images(run):
    if run("import matplotlib").outcome == "error":
        pytest.skip("matplotlib is not installed in /usr")
    done = run("""\
        import matplotlib.pyplot as plt
        plt.plot([1, 2]); plt.show()
        plt.plot([2, 1])
        None""", time_ms=120000)
    assert [form for form, _ in done.images] == ["png", "png"], done.text
    assert all(data.startswith(b"\x89PNG") for _, data in done.images)


def test_pils_images_are_images(run):
    if run("import PIL.Image").outcome == "error":
        pytest.skip("PIL is not installed in /usr")
    done = run("import PIL.Image\nPIL.Image.new('RGB', (4, 4))")
    assert done.images[0][1].startswith(b"\x89PNG"), done.text


# --- shell ---

def test_shell_keeps_variables_functions_and_the_directory(run):
    run("x=5; f() { echo \"f $1\"; }; declare -a list=(a b); mkdir below; cd below", "shell")
    done = run("f $x; echo ${list[1]}; pwd", "bash")
    assert done.text == "f 5\nb\n/space/below\n" and done.outcome == "ok"


def test_shell_lines_and_status(run):
    done = run("echo a\nif true; then\n  echo b\nfi\nfalse", "shell")
    assert done.text == "a\nb\n" and done.lines == [1, 2, 3, 5]
    assert (done.outcome, done.end["exit"]) == ("error", 1)


def test_shell_tells_the_lines_of_the_first_commands_only(run):
    done = run("for i in $(seq 2000); do\n  true\n  :\ndone\necho end", "shell")
    assert done.text == "end\n" and len(done.lines) <= 300


@pytest.mark.parametrize("code, text", [
    ("echo 'open", "unexpected EOF"), ("if true", "syntax error"), ("for x in; do", "syntax error")])
def test_shell_can_not_swallow_its_end(run, code, text):
    done = run(code, "shell")
    assert text in done.text and done.outcome == "error"
    assert run("echo on", "shell").text == "on\n"


@pytest.mark.parametrize("code", ["break", "continue", "return 0", "set -e\ntrue", "exec > log", "set -u", "set -x",
                                  "printf() { :; }", "trap - DEBUG", "IFS=/", ""])
def test_shell_code_may_do_what_the_driver_does_too(run, code):
    assert run(code, "shell").outcome == "ok"
    done = run("echo on", "shell")
    assert done.text == "on\n" and done.outcome == "ok"


@pytest.mark.parametrize("code, status", [("exit 3", 3), ("set -e\nfalse\necho no", 1)])
def test_a_shell_that_ends_is_followed_by_one_in_its_directory(run, code, status):
    done = run(f"mkdir d; cd d\n{code}", "shell")
    assert (done.outcome, done.end["exit"]) == ("exited", status)
    assert f"[shell has ended with status {status}: its variables are gone]\n" in done.text
    assert run("pwd", "shell").text == "/space/d\n"


def test_what_is_put_into_the_background_does_not_hold_the_end(run):
    assert run("sleep 50 &\necho on", "shell").text == "on\n"


def test_output_between_two_executions_stands_in_front_of_the_next(run):
    run("(sleep 0.2; echo late) &", "shell")
    done = run("sleep 1; echo next", "shell")
    assert done.text == "late\nnext\n"


# --- javascript ---

@needs("node")
def test_javascript_keeps_variables_and_says_const_again(run):
    assert run("const x = 20; function double(n) { return 2 * n }", "javascript").text == ""
    done = run("const x = 21\ndouble(x)", "js")
    assert (done.text, done.lines, done.outcome) == ("42\n", [1], "ok")


@needs("node")
@pytest.mark.parametrize("code, text", [
    ("await new Promise(resolve => setTimeout(() => resolve('awaited'), 20))", "'awaited'\n"),
    ("console.log('a'); console.error('b'); undefined", "a\nb\n"),
    ("[1, {a: 2}]", "[ 1, { a: 2 } ]\n"),
    ("10n ** 20n", "100000000000000000000n\n"),
    ("require('fs').readdirSync('/space').length", "0\n"),
    ("'é€😀'", "'é€😀'\n"),
])
def test_javascript_is_what_it_is_elsewhere(run, code, text):
    done = run(code, "javascript")
    assert (done.text, done.outcome) == (text, "ok")


@needs("node")
def test_javascript_errors(run):
    done = run("function f() { throw new Error('told') }\nf()", "javascript")
    assert done.outcome == "error" and "Uncaught Error: told" in done.text and "cell-1:2" in done.text and "driver" not in done.text
    done = run("let = ;", "javascript")
    assert done.outcome == "error" and "SyntaxError" in done.text
    assert run("1 + 1", "javascript").text == "2\n"


# --- the others ---

@pytest.mark.parametrize("language, program, code", [
    pytest.param("ruby", "ruby", "puts 6 * 7", marks=needs("ruby")),
    pytest.param("perl", "perl", "print 6 * 7, \"\\n\";", marks=needs("perl")),
    pytest.param("lua", "lua5.4", "print(6 * 7)", marks=needs("lua5.4")),
    pytest.param("awk", "awk", "BEGIN { print 6 * 7 }", marks=needs("awk")),
    pytest.param("c", "gcc", "#include <stdio.h>\nint main(void) { printf(\"%d\\n\", 6 * 7); }",
                 marks=needs("gcc")),
    pytest.param("r", "Rscript", "cat(6 * 7, '\\n', sep='')", marks=needs("Rscript")),
])
def test_a_language_without_state_runs_in_a_process_of_its_own(run, language, program, code):
    done = run(code, language)
    assert (done.text, done.outcome, done.lines) == ("42\n", "ok", [])
    done = run("this is no program (", language)
    assert done.outcome == "error" and done.text and done.end["exit"] != 0


@needs("perl")
def test_languages_share_files(run):
    run("open('a', 'w').write('by python')")
    assert run("cat a", "shell").text == "by python"
    assert run("open(F, 'a'); print <F>;", "perl").text == "by python"


@pytest.mark.parametrize("language", ["applescript", "powershell", "html", "nothing", "", "x" * 31])
def test_an_unavailable_language_is_refused_with_what_there_is(runner, name, language):
    with runner.connect() as c:
        c.begin("1", language, name)
        kind, body = c.frame()
    said = json.loads(body)
    assert kind == "Z" and said["reason"] == ("language" if language else "invalid")
    if language:
        assert "python, shell" in said["message"] and language in said["message"]


# --- files ---

def test_a_clients_file_lies_in_the_folder_in(runner, name, tmp_path):
    (tmp_path / "f").write_bytes(b"from the client\n" * 10000)
    with open(tmp_path / "f", "rb") as f, runner.connect() as c:
        c.begin("print(len(open('in/a b.txt').read()))", session=name,
                files=[("a b.txt", f.fileno())])
        assert c.finish().text == "160000\n"


@pytest.mark.parametrize("file", ["../a", "a/b", "..", ".", "", "x" * 256])
def test_a_clients_file_has_a_plain_name(runner, name, tmp_path, file):
    (tmp_path / "f").write_bytes(b"x")
    with open(tmp_path / "f", "rb") as f, runner.connect() as c:
        c.begin("1", session=name, files=[(file, f.fileno())])
        done = c.finish()
    assert (done.frames[-1][0] == "Z" or done.outcome == "error") and "1\n" not in done.text


def test_changed_files_are_told_and_downloaded(runner, run, name):
    done = run("""\
        import os
        os.makedirs("a/b")
        open("a/b/é.txt", "w").write("12345")
        open(".hidden", "w")
        open("big", "wb").write(bytes(3_000_000))""")
    assert done.files == {"a/b/é.txt": 5, "big": 3000000}
    assert run("open('later', 'w').write('x')").files == {"later": 1}
    assert run("1").files == {}
    with runner.connect() as c:
        c.send("D", {"session": name})
        assert set(c.finish().files) == {"a/b/é.txt", "big", "later"}
    with runner.connect() as c:
        c.send("D", {"session": name, "path": "big"})
        done = c.finish()
    assert b"".join(body for kind, body in done.frames if kind == "B") == bytes(3000000)
    assert done.outcome == "ok"


def test_a_brought_file_is_told_once_it_is_changed(runner, name, tmp_path):
    (tmp_path / "f").write_bytes(b"x")
    with open(tmp_path / "f", "rb") as f, runner.connect() as c:
        c.begin("import time\ntime.sleep(0.05)\nopen('in/b', 'w').write('12')", session=name,
                files=[("a", f.fileno()), ("b", f.fileno())])
        assert c.finish().files == {"in/b": 2}


def test_at_most_twenty_changed_files_are_told(run):
    assert len(run("for i in range(50): open(f'f{i}', 'w')").files) == 20


# --- protocol ---

def test_a_ping_tells_what_there_is(runner):
    with runner.connect() as c:
        kind, body = c.ask("P")
    said = json.loads(body)
    assert kind == "P" and said["version"] == 1 and said["guard"] == "rlimit"
    assert {"python", "shell"} <= set(said["languages"].split(", "))


def test_state_and_reset(runner, run, name):
    assert runner.state(name)["state"] == "none"
    run("x = 1")
    said = runner.state(name)
    assert said["state"] == "idle" and said["memory"] > 0
    with runner.connect() as c:
        assert c.ask("R", {"session": name}) == ("R", b"{}")
    wait_until(lambda: runner.state(name)["state"] == "none", "the session's end")
    done = run("x")
    assert "NameError" in done.text and done.one("S") == {"fresh": True, "gone": "reset"}


def test_an_execution_runs_once(runner, name):
    for expected in "EZ":
        with runner.connect() as c:
            c.begin("print(1)", session=name, exec_id="exec_the_same")
            done = c.finish()
        assert done.frames[-1][0] == expected
    assert done.one("Z")["reason"] == "seen"


def test_a_session_runs_one_thing_at_a_time(runner, name):
    with runner.connect() as one, runner.connect() as two:
        one.begin("import time\nprint('on', flush=True)\ntime.sleep(60)", session=name)
        one.finish(until=lambda done: done.text)
        assert runner.state(name)["state"] == "busy"
        two.begin("1", session=name)
        assert two.finish().one("Z")["reason"] == "busy"
        one.send("Q")
        assert one.finish().outcome == "interrupted"


@pytest.mark.parametrize("language, code", [
    ("python", "while True: pass"), ("shell", "while :; do :; done"), ("shell", "sleep 60"),
    pytest.param("javascript", "for (;;) {}", marks=needs("node")),
    pytest.param("javascript", "await new Promise(() => {})", marks=needs("node"))])
def test_a_stop_keeps_variables(runner, run, name, language, code):
    run({"python": "kept = 7", "shell": "kept=7", "javascript": "var kept = 7"}[language], language)
    with runner.connect() as c:
        c.begin(code, language, name)
        c.finish(until=lambda done: done.lines)
        c.send("Q")
        assert c.finish().outcome == "interrupted"
    assert run({"python": "print(kept)", "shell": "echo $kept",
                "javascript": "console.log(kept)"}[language], language).text.startswith("7\n")


def test_a_client_that_leaves_stops_its_execution(runner, run, name):
    run("kept = 7")
    with runner.connect() as c:
        c.begin("while True: pass", session=name)
        c.finish(until=lambda done: done.lines)
    wait_until(lambda: runner.state(name)["state"] == "idle", "the execution's end")
    assert run("kept").text == "7\n"


def test_a_slow_client_makes_the_program_wait(runner, name):
    """The program's own clock shows it: it can't print the rest before somebody reads."""
    with runner.connect() as c:
        c.begin("print('x' * 200_000)", session=name)
        assert len(c.finish().text) == 200001


@pytest.mark.parametrize("frames", [
    b"\xff\xff\xff\xff",
    struct.pack("<I", 2) + b"X{}",
    struct.pack("<I", 1) + b"X{",
    struct.pack("<I", 0) + b"G",
    struct.pack("<I", 0) + b"F",
    struct.pack("<I", 0) + b"?",
    struct.pack("<I", 4) + b"Tnull",
    struct.pack("<I", 17) + b'T{"session":"../"}',
    struct.pack("<I", 12) + b'R{"session":""',
], ids=range(9))
def test_wrong_frames_end_their_connection_only(runner, frames):
    with runner.connect() as c:
        c.socket.sendall(frames)
        frame = c.frame()
        assert frame is None or frame[0] == "Z"
        assert c.frame() is None
    assert runner.run("1", session="after_wrong_frames").outcome == "ok"


def test_code_has_a_maximum(runner, name):
    with runner.connect() as c:
        c.begin("#" * 262144, session=name)
        assert c.finish().outcome == "ok"
    with runner.connect() as c:
        c.begin("#" * 262145, session=name)
        assert c.finish().one("Z")["reason"] == "invalid"


def test_sixteen_sessions_at_once(runner):
    ended = []
    threads = [threading.Thread(target=lambda n=n: ended.append(
        runner.run(f"print({n} + 1)", session=f"many{n}").text)) for n in range(16)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert sorted(map(int, ended)) == list(range(1, 17))
    for n in range(16):
        with runner.connect() as c:
            c.ask("R", {"session": f"many{n}"})


# --- sessions ---

def test_an_idle_session_ends():
    runner = Runner(config="  idle: 1s\n")
    runner.run("x = 1")
    wait_until(lambda: runner.state()["state"] == "none", "the idle session's end")
    assert runner.run("x").one("S") == {"fresh": True, "gone": "idle"}
    assert runner.stop() == 0


def test_a_session_has_a_life():
    runner = Runner(config="  life: 1s\n")
    runner.run("x = 1")
    wait_until(lambda: runner.state()["state"] == "none", "the session's end")
    assert runner.run("x").one("S")["gone"] == "life"
    assert runner.stop() == 0


def test_the_session_that_is_idle_longest_makes_room():
    runner = Runner()
    for n in range(16):
        runner.run("x = 1", session=f"s{n}")
    assert runner.run("x = 1", session="s16").outcome == "ok"
    assert runner.state("s0")["state"] == "none" and runner.state("s1")["state"] == "idle"
    assert runner.run("x", session="s0").one("S")["gone"] == "full"
    assert runner.stop() == 0


def test_a_key_has_its_own_maximum():
    runner = Runner(config="  sessions_of_key: 3\n")
    with runner.connect() as busy:
        busy.begin("import time\nprint(1, flush=True)\ntime.sleep(60)", session="busy", owner="a")
        busy.finish(until=lambda done: done.text)
        for n in range(3):
            runner.run("1", session=f"o{n}", owner="b")
        assert runner.state("o0")["state"] == "idle"
        runner.run("1", session="more", owner="b")
        assert runner.state("o0")["state"] == "none" and runner.state("busy")["state"] == "busy"
    assert runner.stop() == 0


def test_executions_beyond_the_maximum_wait():
    runner = Runner(config="  executions: 1\n")
    with runner.connect() as one, runner.connect() as two:
        one.begin("import time\nprint(1, flush=True)\ntime.sleep(60)", session="one")
        one.finish(until=lambda done: done.text)
        two.begin("print(2)", session="two")
        with runner.connect() as c:
            assert json.loads(c.ask("P")[1])["executions"] == 1
        one.send("Q")
        assert one.finish().outcome == "interrupted"
        assert two.finish().text == "2\n"
    assert runner.stop() == 0


WAITS = "print(1, flush=True)\nimport time\ntime.sleep(600)"


def test_executions_of_one_key_leave_a_place_to_others():
    runner = Runner(config="  executions: 2\n")
    with contextlib.ExitStack() as stack:
        first = stack.enter_context(runner.connect())
        first.begin(WAITS, session="a0", owner="a")
        first.finish(until=lambda done: done.text)
        for i in range(1, 4):
            stack.enter_context(runner.connect()).begin(WAITS, session=f"a{i}", owner="a")
        assert runner.run("6 * 7", session="b", owner="b").text == "42\n"
        with runner.connect() as c:
            assert json.loads(c.ask("P")[1])["executions"] == 1
    assert runner.stop() == 0


def test_keys_take_turns():
    runner = Runner(config="  executions: 1\n")
    with contextlib.ExitStack() as stack:
        first, *others = [stack.enter_context(runner.connect()) for _ in range(4)]
        first.begin(WAITS, session="a0", owner="a")
        first.finish(until=lambda done: done.text)
        for i, c in enumerate(others):
            c.begin(WAITS, session=f"a{i + 1}", owner="a")
        last = stack.enter_context(runner.connect())
        last.begin("6 * 7", session="b", owner="b")
        with runner.connect() as c:
            c.ask("P")  # what came before it was read
        first.send("Q")
        assert last.finish().text == "42\n"
    assert runner.stop() == 0


# --- the process ---

def test_a_stop_ends_everything():
    runner = Runner()
    runner.run("sleep 100 &", "shell")
    below = runner.processes()
    assert len(below) >= 4
    assert runner.stop() == 0
    wait_until(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in below), "their end")
    assert not runner.path.exists()


def test_a_stop_interrupts_what_runs():
    runner = Runner()
    with runner.connect() as c:
        c.begin("import time\nprint(1, flush=True)\ntime.sleep(60)")
        c.finish(until=lambda done: done.text)
        runner.process.send_signal(signal.SIGTERM)
        assert c.finish().outcome == "interrupted"
    assert runner.stop() == 0


def test_kill_9_leaves_no_process():
    runner = Runner()
    runner.run("sleep 100 &", "shell")
    with runner.connect() as c:
        c.begin("import time\nprint(1, flush=True)\ntime.sleep(60)")
        c.finish(until=lambda done: done.text)
        below = runner.processes()
        assert len(below) >= 4
        runner.process.kill()
        while c.frame():
            pass
    runner.process.wait(DEADLINE)
    wait_until(lambda: not any(alive(pid) for pid in below), "their end")
    runner.stop()


def alive(pid):
    """A process that ended and was given to an init that is slow to look is no process any more."""
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_another_users_process_may_not_connect():
    if os.geteuid() != 0:
        pytest.skip("only root has processes of two users")
    runner = Runner()
    os.chmod(runner.path, 0o666)
    os.chmod(runner.folder, 0o755)
    code = ("import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); "
            "s.sendall(bytes(4) + b'P'); print(len(s.recv(100)))")
    for user, trusted in (("daemon", False), ("nobody", True), ("root", True)):
        said = subprocess.run(["setpriv", "--reuid", user, "--clear-groups", "/usr/bin/python3", "-c",
                               code, str(runner.path)], capture_output=True, text=True)
        assert (int(said.stdout or 0) > 5) == trusted, (user, said)
    assert runner.stop() == 0


def test_root_is_refused():
    if os.geteuid() != 0:
        pytest.skip("this is not root")
    done = subprocess.run([program(), "runner", "--guard", "rlimit", "--listen", "unix:/tmp/x"],
                          capture_output=True, text=True)
    assert done.returncode == 78 and "does not run as root" in done.stderr


def test_a_guard_that_is_not_there_is_named():
    done = subprocess.run(as_user(program(), "runner", "--guard", "cgroup", "--try", "/dev/null", "--language",
                                  "shell"), capture_output=True, text=True)
    if done.returncode == 0:
        pytest.skip("a cgroup is delegated to this process")
    assert done.returncode == 78 and "Delegate=" in done.stderr


def test_open_files_leave_some_to_the_runner(tmp_path):
    file = tmp_path / "runner.yaml"
    file.write_text("runner:\n  open_files: 4096\n")
    done = subprocess.run(["prlimit", "--nofile=1024:8192", *as_user(program(), "runner", "--guard", "rlimit",
                                                                     "--config", "/dev/stdin", "--listen", "unix:/tmp/x")],
                          stdin=file.open(), capture_output=True, text=True)
    assert done.returncode == 78 and "open_files: may be 3840 at most" in done.stderr, done.stderr


@pytest.mark.parametrize("options, code", [
    (["--guard", "none", "--try", "x", "--language", "shell"], 64), (["--try", "x"], 64), ([], 64),
    (["--guard", "rlimit", "--listen", "127.0.0.1:0"], 78),
    (["--guard", "rlimit", "--listen", "unix:/tmp/x", "--peer", "no-such-user"], 78),
    (["--guard", "rlimit", "--try", "/no/such/file", "--language", "shell"], 66)])
def test_wrong_options(options, code):
    done = subprocess.run(as_user(program(), "runner", *options), capture_output=True, text=True)
    assert done.returncode == code and done.stderr


def test_only_the_runner_takes_its_options():
    done = subprocess.run([BINARY, "serve", "--guard", "rlimit"], capture_output=True, text=True)
    assert done.returncode == 64 and "runner" in done.stderr


# --- a try ---

def test_a_try_prints_the_seeds_chunks(tmp_path_factory, tmp_path):
    file = as_readable("34 / 24")
    chunks, done = try_file(file, "python")
    assert done.returncode == 0
    assert chunks == [
        {"role": "computer", "type": "console", "start": True},
        {"role": "computer", "type": "console", "format": "active_line", "content": 1},
        {"role": "computer", "type": "console", "format": "output", "content": "1.4166666666666667\n"},
        {"role": "computer", "type": "console", "format": "active_line", "content": None},
        {"role": "computer", "type": "console", "end": True}]


def as_readable(text):
    path = program().parent / f"try-{abs(hash(text))}" if os.geteuid() == 0 else None
    if path is None:
        import tempfile
        path = tempfile.mktemp(prefix="parley-try-")
    with open(path, "w") as f:
        f.write(text)
    os.chmod(path, 0o644)
    return str(path)


def test_a_try_has_images_between_segments_of_the_console():
    code = ("class P:\n    def _repr_png_(self): return b'abc'\nprint('a')\nP()")
    chunks, _ = try_file(as_readable(code), "python")
    kinds = [(c["type"], c.get("format"), "start" in c, "end" in c) for c in chunks]
    assert kinds[-5:] == [
        ("console", "active_line", False, False), ("console", None, False, True),
        ("image", "base64.png", True, False), ("image", "base64.png", False, False),
        ("image", "base64.png", False, True)]
    assert [c["content"] for c in chunks if c["type"] == "image" and "content" in c] == ["YWJj"]


def test_a_try_that_fails_says_so():
    chunks, done = try_file(as_readable("1 / 0"), "python")
    assert done.returncode == 1 and "ZeroDivisionError" in chunks[2]["content"]
    chunks, done = try_file(as_readable("1"), "applescript")
    assert done.returncode == 1 and "`applescript` disabled or not supported" in chunks[1]["content"]


def test_a_try_shows_html():
    chunks, done = try_file(as_readable("<p>"), "html")
    assert done.returncode == 0
    assert chunks[1] == {"role": "computer", "type": "code", "format": "html", "content": "<p>",
                         "recipient": "user"}
