"""What rebyte-cli and the LangChain wrapper do with Rebyte's API, in their way, with httpx alone.

The CLI sends every parameter of a list, also empty ones, and knows a bad key by its 401.  The wrapper
reads lines that begin with "data:", and asks for a stream or for a whole run."""

import json
import time

import httpx


class RunError(Exception):
    pass


class Rebyte:
    def __init__(self, base, key=None, project="demo"):
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self.http = httpx.Client(base_url=f"{base}/api/sdk", headers=headers, timeout=600)
        self.project = project

    def _json(self, method, path, **more):
        answer = self.http.request(method, path, **more)
        body = answer.json() if "json" in answer.headers["content-type"] else answer.text
        if answer.is_error:
            raise RunError(answer.status_code, body["error"]["type"], body["error"]["message"])
        return body

    def ping(self):
        return self.http.get("/ext/ping").status_code != 401

    def upload(self, name, content):
        return self._json("POST", "/files", files={"file": (name, content)})["fileId"]

    def create_thread(self, **body):
        return self._json("POST", "/threads", json=body)["id"]

    def add_message(self, thread, content, role="user", **more):
        return self._json("POST", f"/threads/{thread}/messages",
                          json={"role": role, "content": content, **more})

    def list(self, path, limit=20, order="desc", after="", before=""):
        return self._json("GET", path, params={"limit": limit, "order": order, "after": after,
                                               "before": before})["list"]

    def _body(self, messages, stream=False, blocking=True, **more):
        inputs = [{"messages": messages}] if messages else []
        return {"version": "latest", "config": {}, "inputs": inputs, "blocking": blocking,
                "stream": stream, "block_filter": None, **more}

    def run(self, agent, messages=(), **more):
        answer = self._json("POST", f"/p/{self.project}/a/{agent}/r",
                            json=self._body(messages, **more))
        if isinstance(answer, str):
            return answer  # contentOnly
        result = answer["run"]["results"][0][0]
        if result["error"] or result["value"] is None:
            raise RunError(result["error"])
        return result["value"]["content"]

    def poll(self, agent, messages=(), deadline=15, **more):
        run = self._json("POST", f"/p/{self.project}/a/{agent}/r",
                         json=self._body(messages, blocking=False, **more))["run_id"]
        end = time.monotonic() + deadline
        while time.monotonic() < end:
            found = self._json("GET", f"/runs/{run}")
            if found["status"] == "errored":
                raise RunError(found["results"][0][0]["error"])
            if found["status"] == "succeeded":
                return found["results"][0][0]["value"]["content"]
        raise TimeoutError(run)

    def stream(self, agent, messages=(), **more):
        with self.http.stream("POST", f"/p/{self.project}/a/{agent}/r",
                              json=self._body(messages, stream=True, **more)) as answer:
            for line in answer.iter_lines():
                if not line.startswith("data:") or line == "data: [DONE]":
                    continue
                event = json.loads(line[5:])
                if event["type"] == "tokens":
                    yield event["content"]["tokens"]["text"]
                elif event["type"] == "run_status" and event["content"]["status"] == "errored":
                    raise RunError(event["content"]["run_id"])
