"""Measures the gateway's connections to a provider: how many it opens, how many of them resume TLS, and
what a call costs, over http, https with HTTP/1.1 and https with HTTP/2, on a network that loses packets
where that is asked for.  See README.md."""

import contextlib
import json
import pathlib
import shutil
import subprocess
import time

import run

TITLE = run.CONNECTIONS
REQUESTS = "`keepalive_requests 1000`"
CONNECTIONS = 64
WINDOW_S = 2

# nginx in front of the mock is the provider: it writes down each request's connection.
FRONT = """
daemon off;
{user}
worker_processes 1;
worker_rlimit_nofile {files};
error_log stderr crit;
pid {folder}/front.pid;
events {{ worker_connections {files}; multi_accept on; }}
http {{
	log_format one '$connection $ssl_session_reused $server_protocol';
	access_log {folder}/front.log one buffer=64k flush=1s;
	client_body_temp_path {folder}/body;
	proxy_temp_path {folder}/proxy;
	fastcgi_temp_path {folder}/fastcgi;
	uwsgi_temp_path {folder}/uwsgi;
	scgi_temp_path {folder}/scgi;
	client_body_buffer_size 2m;
	keepalive_requests 1000;
	tcp_nodelay on;
	ssl_certificate {folder}/cert.pem;
	ssl_certificate_key {folder}/key.pem;
	ssl_session_cache shared:tls:10m;
	upstream provider {{ server 127.0.0.1:{mock}; keepalive 256; keepalive_requests 1000000000; }}
	server {{
		listen 127.0.0.1:{port} {listen} backlog=8192;
		location / {{
			proxy_pass http://provider;
			proxy_http_version 1.1;
			proxy_set_header Connection "";
			proxy_buffering off;
		}}
	}}
}}
"""

PARLEY = """
default_model: json
providers:
  - name: mock
    dialect: openai
    base_url: {scheme}://127.0.0.1:{port}/v1
{more}models:
  - name: "*"
    provider: mock
"""

#        name               scheme   nginx listens      the provider's options
WAYS = (("http",            "http",  "",                ""),
        ("https, HTTP/1.1", "https", "ssl http2",       "    ca_file: {folder}/cert.pem\n    http2: off\n"),
        ("https, HTTP/2",   "https", "ssl http2",       "    ca_file: {folder}/cert.pem\n"))


class Connections(run.Bench):
    def make_certificate(self):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=bench",
                        "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", self.folder / "key.pem",
                        "-out", self.folder / "cert.pem"], check=True, capture_output=True)

    def start_front(self, mock, listen):
        port = run.free_port()
        conf = self.folder / "front.conf"
        (self.folder / "front.log").unlink(missing_ok=True)
        conf.write_text(FRONT.format(folder=self.folder, mock=mock.port, port=port, listen=listen,
                                     files=self.files, user="user root;" if run.os.geteuid() == 0
                                     else ""))
        p = run.Process([run.nginx_path(), "-c", conf, "-p", self.folder, "-e", "stderr"],
                        run.TOOLS_CPU, self.folder, "front")
        p.port = port
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError):
                run.socket.create_connection(("127.0.0.1", port), 1).close()
                return p
            time.sleep(0.02)
        raise SystemExit("nginx did not start:\n" + p.log.read_text()[-2000:])

    @contextlib.contextmanager
    def losing(self, port):
        """The kernel drops that share of the packets to and from the provider."""
        rule = ["INPUT", "-p", "tcp", "-m", "multiport", "--ports", str(port), "-m", "statistic", "--mode",
                "random", "--probability", str(self.args.loss / 100), "-j", "DROP"]
        if self.args.loss:
            subprocess.run(["iptables", "-A"] + rule, check=True)
        try:
            yield
        finally:
            if self.args.loss:
                subprocess.run(["iptables", "-D"] + rule, check=True)

    def start_gateway_of(self, way, front):
        _, scheme, _, more = way
        conf = self.folder / "parley.yaml"
        conf.write_text(PARLEY.format(scheme=scheme, port=front.port,
                                      more=more.format(folder=self.folder)))
        argv = [self.args.parley, "serve", "--config", conf, "--listen", "127.0.0.1:0", "--loops",
                "1", "--database", self.folder / "bench.db"] + self.args.parley_option
        return run.Process(argv, run.GATEWAY_CPU, self.folder, "parley", "parley ready on ")

    def measure_way(self, scenario, way):
        mock = self.start_mock()
        front = self.start_front(mock, way[2])
        try:
            gateway = self.start_gateway_of(way, front)
            try:
                path, body = scenario.request("parley")
                body_file = self.folder / "body.json"
                body_file.write_text(json.dumps(body))
                with self.losing(front.port):
                    r = self.load(scenario, mock, gateway, body_file, path, {}, False)
            finally:
                gateway.stop()
        finally:
            front.stop()  # writes the rest of its log
            mock.stop()
        seen = [line.split() for line in (self.folder / "front.log").read_text().splitlines()]
        connections = {line[0]: line[1] for line in seen}
        resumed = sum(1 for mark in connections.values() if mark == "r")
        answers = r["answers"] or r["ended_well"]
        return {"requests": len(seen), "connections": len(connections), "resumed": resumed,
                "protocols": sorted({line[2] for line in seen}), "errors": r["errors"],
                "p50_us": r["latency"]["p50_us"], "p99_us": r["latency"]["p99_us"],
                "cpu_us": r["gateway_cpu_s"] / answers * 1e6 if answers else None,
                "others_share": r["others_share"]}


def scenarios():
    stream = lambda model: run.completions(model, stream=True)
    return [run.Scenario("json64", "whole answers", ["parley"], CONNECTIONS, WINDOW_S,
                         plain=run.completions),
            run.Scenario("stream64", "streams of 64 events, back to back", ["parley"], CONNECTIONS,
                         WINDOW_S, again=64, plain=stream)]


def table(results):
    out = [TITLE, "",
           f"{CONNECTIONS} clients, one loop, a gateway that has just started; nginx with {REQUESTS} (its "
           "default) and the mock behind it are the provider. Written by `bench/run --connections`; "
           "medians of the rounds, CPU also as a ratio to http in the same round.", "",
           "| load | provider | requests | connections opened | for each 1,000 requests | TLS handshakes: "
           "full | resumed | p50, ms | p99, ms | CPU per call, µs | beside http | errors |",
           "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"]
    for title, ways in results.items():
        for name, rounds in ways.items():
            m = lambda f: run.median([f(r) for r in rounds])
            tls = name != "http"
            full = m(lambda r: r["connections"] - r["resumed"])
            ratio = run.median([r["cpu_us"] / base["cpu_us"] for r, base in
                                zip(rounds, ways["http"]) if r["cpu_us"] and base["cpu_us"]])
            out.append(
                f"| {title} | {name} | {m(lambda r: r['requests']):,.0f} | "
                f"{m(lambda r: r['connections']):.0f} | "
                f"{m(lambda r: r['connections'] / max(1, r['requests']) * 1000):.2f} | "
                f"{full if tls else 0:.0f} | {m(lambda r: r['resumed']):.0f} | "
                f"{m(lambda r: r['p50_us']) / 1000:.1f} | {m(lambda r: r['p99_us']) / 1000:.1f} | "
                f"{m(lambda r: r['cpu_us']):.0f} | {ratio:.2f} x | "
                f"{sum(r['errors'] for r in rounds)} |")
    others = [r["others_share"] for ways in results.values() for rounds in ways.values()
              for r in rounds]
    out += ["", f"Other programs and the front took {run.median(others) * 100:.0f} % of the machine."]
    return "\n".join(out) + "\n"


def measure(args, write):
    """All loads over all ways; puts the table into RESULTS.md where it is asked to."""
    if not shutil.which("openssl"):
        raise SystemExit("please install: openssl")
    bench = Connections(args)
    results = {s.title: {way[0]: [] for way in WAYS} for s in scenarios()}
    try:
        bench.make_certificate()
        for i in range(args.rounds or 3):
            for s in scenarios():
                for way in WAYS if i % 2 == 0 else WAYS[::-1]:
                    r = bench.measure_way(s, way)
                    results[s.title][way[0]].append(r)
                    print(f"{i + 1} {s.name:9}{way[0]:16}{r}", flush=True)
    finally:
        bench.clean()
    text = table(results)
    (pathlib.Path(args.tools) / "connections.md").write_text(text)
    if write:
        run.put_section(run.HERE / "RESULTS.md", TITLE, text)
    print("\n" + text)
    return 1 if any(r["errors"] for w in results.values() for rs in w.values() for r in rs) else 0
