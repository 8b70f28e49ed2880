"""What the programs of Python's clients share: jobs come as JSON lines, all are done at once.

A program calls serve() with a function that does one job: it hands each piece of the answer to
say() as a user of the client would get it, and lets the client's errors pass.
"""

import json
import sys
import threading
import warnings

SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
TOOL = {"type": "function", "function": {"name": "note", "description": "Takes a note",
                                         "parameters": SCHEMA}}
FUNCTION = {"type": "function", **TOOL["function"]}  # as responses have it


def status(error):
    """As the client tells it, or an error behind its own does."""
    def told(error):
        return next((s for s in (getattr(error, "status_code", None), getattr(error, "code", None))
                     if isinstance(s, int)), None)
    while error and told(error) is None:
        error = error.__cause__ or error.__context__
    return error and told(error)


def serve(call):
    warnings.simplefilter("ignore")
    lock = threading.Lock()
    out, sys.stdout = sys.stdout, sys.stderr  # clients that print do not spoil the answers

    def tell(**line):
        with lock:
            print(json.dumps(line), file=out, flush=True)

    def work(job):
        pieces = []

        def say(piece):
            if not piece:
                return
            if not pieces:
                tell(id=job["id"], began=True)
            pieces.append(piece)
        error = None
        try:
            call(job, say)
        except Exception as e:  # whatever a client raises is what it has noticed
            error = {"kind": type(e).__name__, "status": status(e),
                     "message": str(e)[:500]}
        tell(id=job["id"], text="".join(pieces), error=error)

    for line in sys.stdin:
        threading.Thread(target=work, args=(json.loads(line),)).start()
