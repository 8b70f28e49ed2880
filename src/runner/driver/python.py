"""Python in the runner's sandbox: keeps one module, runs code in it statement by statement, and tells
which line is at work.

Orders come over descriptor 3: "run N MARK FILE" or "stop".  The pipe of the output carries marks too: 0x1e,
MARK, a letter with a number, 0x1e; L is a line, I an image that went over descriptor 3, E the end.
"""

import __future__
import ast
import asyncio
import inspect
import linecache
import os
import signal
import socket
import sys
import threading
import traceback
import types

FLAGS = {name: getattr(__future__, name).compiler_flag for name in __future__.all_feature_names}
IMAGE_MOST = 8 << 20  # bytes that the runner takes
KEPT = 100  # cells whose source a traceback can show
LOOK = 0.05  # seconds between two looks at the line within loops and functions


class Driver:
    def __init__(self):
        fd = os.dup(3)  # out of the way of programs that count on 3
        os.close(3)
        self.socket = socket.socket(fileno=fd)
        self.orders = self.socket.makefile("rb")
        self.pid = os.getpid()
        self.main = threading.main_thread().ident
        self.module = types.ModuleType("__main__")
        self.module.__dict__["__builtins__"] = __builtins__
        self.flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        self.loop = None
        self.mark = b""
        self.name = ""
        self.line = 0
        self.images = 0
        self.quiet = 0  # within a mark an interrupt waits
        self.interrupted = False
        self.running = threading.Event()
        self.lock = threading.RLock()
        # pyplot gives its functions attributes, which a method can't have
        self.shows = lambda *_args, **_kwargs: self.figures()

    # --- marks ---

    def on_interrupt(self, _number, _frame):
        if self.quiet or not self.running.is_set():
            self.interrupted = True
        else:
            raise KeyboardInterrupt

    def put_mark(self, text):
        """Behind all that was printed so far."""
        self.quiet += 1
        try:
            with self.lock:
                for stream in (sys.stdout, sys.stderr):
                    try:
                        stream.flush()
                    except Exception:  # the user's own stream, or a closed one
                        pass
                data = b"\x1e" + self.mark + text.encode() + b"\x1e"
                while data:
                    data = data[os.write(1, data):]
        finally:
            self.quiet -= 1
        if self.interrupted and not self.quiet and self.running.is_set() \
                and threading.get_ident() == self.main:
            self.interrupted = False
            raise KeyboardInterrupt

    def put_line(self, line):
        with self.lock:
            if line != self.line:
                self.line = line
                self.put_mark(f"L{line}")

    def put_image(self, form, data):
        if len(data) > IMAGE_MOST:
            print(f"[an image of {len(data)} bytes is left out: {IMAGE_MOST} at the most]", flush=True)
            return
        self.images += 1
        self.socket.sendall(f"{self.images} {form} {len(data)}\n".encode() + data)
        self.put_mark(f"I{self.images}")

    # --- lines within loops and functions ---

    def watch(self):
        """A thread: looks at the main thread now and then, and shows lines that are not yet ended."""
        while True:
            self.running.wait()
            threading.Event().wait(LOOK)
            with self.lock:
                frame = sys._current_frames().get(self.main)
                while frame and frame.f_code.co_filename != self.name:
                    frame = frame.f_back
                if not self.running.is_set() or self.pid != os.getpid():
                    continue
                if frame and frame.f_lineno:
                    self.put_line(frame.f_lineno)
                try:
                    sys.stdout.flush()
                except Exception:
                    pass

    # --- values ---

    def figures(self):
        """The figures of matplotlib that are open, as images; they are closed."""
        pyplot = sys.modules.get("matplotlib.pyplot")
        if pyplot is None:
            return
        import io
        for number in pyplot.get_fignums():
            out = io.BytesIO()
            pyplot.figure(number).savefig(out, format="png", bbox_inches="tight")
            self.put_image("png", out.getvalue())
        pyplot.close("all")

    def show(self, value):
        if value is None:
            return
        self.module.__dict__["_"] = value
        for method, form in (("_repr_png_", "png"), ("_repr_jpeg_", "jpeg"), ("_repr_html_", "html")):
            made = getattr(type(value), method, None)
            data = made(value) if callable(made) else None
            if isinstance(data, tuple):  # with metadata
                data = data[0]
            if isinstance(data, str):
                data = data.encode()
            if data:
                self.put_image(form, bytes(data))
                if form != "html":
                    return
                break
        print(repr(value))

    # --- code ---

    def evaluate(self, code):
        value = eval(code, self.module.__dict__)
        if code.co_flags & inspect.CO_COROUTINE and inspect.iscoroutine(value):
            self.loop = self.loop or asyncio.new_event_loop()
            asyncio.set_event_loop(self.loop)
            value = self.loop.run_until_complete(value)
        return value

    def compile(self, tree, mode):
        code = compile(tree, self.name, mode, self.flags, True)
        for flag in FLAGS.values():
            self.flags |= code.co_flags & flag
        return code

    def statement(self, node, last):
        self.put_line(node.lineno if not getattr(node, "decorator_list", None)
                      else node.decorator_list[0].lineno)
        if last and isinstance(node, ast.Expr):
            self.show(self.evaluate(self.compile(ast.Expression(node.value), "eval")))
        else:
            self.evaluate(self.compile(ast.Module([node], []), "exec"))
        if os.getpid() != self.pid:  # a fork that came back: only the first process goes on
            sys.stdout.flush()
            os._exit(0)
        pyplot = sys.modules.get("matplotlib.pyplot")
        if pyplot is not None and getattr(pyplot, "show", None) is not self.shows:
            pyplot.show = self.shows

    def cell(self, source):
        tree = compile(source, self.name, "exec", self.flags | ast.PyCF_ONLY_AST, True)
        compile(source, self.name, "exec", self.flags, True)  # its errors come before anything runs
        for node in tree.body:
            self.statement(node, node is tree.body[-1])
        self.figures()

    def explain(self, error):
        """The traceback without the driver's own frames."""
        frames = error.__traceback__
        while frames and frames.tb_frame.f_code.co_filename == __file__:
            frames = frames.tb_next
        if isinstance(error, KeyboardInterrupt):
            frames = None if not frames else frames
        traceback.print_exception(type(error), error.with_traceback(frames), frames)

    def attempt(self, source):
        """Returns the status to tell."""
        try:
            self.cell(source)
        except SystemExit as end:
            if end.code is None or isinstance(end.code, int):
                return (end.code or 0) & 0xff
            print(end.code, file=sys.stderr)
            return 1
        except KeyboardInterrupt:
            return 130
        except BaseException as error:
            self.explain(error)
            return 1
        return 0

    def run(self, number, mark, file):
        with open(file, encoding="utf-8", newline="") as opened:
            source = opened.read()
        self.name = f"<cell {number}>"
        linecache.cache[self.name] = (len(source), None, source.splitlines(True), self.name)
        linecache.cache.pop(f"<cell {int(number) - KEPT}>", None)
        self.mark = mark.encode()
        self.line, self.images, self.interrupted = 0, 0, False
        status = 130
        try:
            self.running.set()
            status = self.attempt(source)
        except KeyboardInterrupt:
            pass
        self.running.clear()
        if os.getpid() != self.pid:  # a fork that ended by an exception
            os._exit(status)
        if status == 130:
            import gc
            gc.collect()
        self.put_mark(f"E{status}")

    def serve(self):
        sys.modules["__main__"] = self.module
        sys.path.insert(0, "")
        sys.argv = [""]
        linecache.checkcache = lambda filename=None: None  # cells are no files
        sys.stdout.reconfigure(line_buffering=True, errors="backslashreplace")
        sys.stderr.reconfigure(line_buffering=True, errors="backslashreplace")
        signal.signal(signal.SIGINT, self.on_interrupt)
        try:
            threading.Thread(target=self.watch, daemon=True).start()
        except RuntimeError:  # no thread is left: then lines of loops are not told
            pass
        for order in self.orders:
            words = order.decode().split()
            if words[:1] == ["run"]:
                self.run(*words[1:])


Driver().serve()
