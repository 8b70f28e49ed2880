"""nginx before servers: a listener for each, on ports that the system chose, with connections that are kept."""

import os
import socket
import subprocess

from waiting import DEADLINE, wait_until

CONF = """daemon off; worker_processes 1; pid {place}/pid; error_log {place}/error.log warn;
events {{ worker_connections 512; }}
http {{
  {temporary}
  log_format each "$server_port $connection $status";
  access_log {place}/access.log each;
  proxy_http_version 1.1;
  proxy_set_header Connection "";
  proxy_buffering off;
  proxy_connect_timeout 2s;
  proxy_read_timeout {read};
{servers}}}
"""
SERVER = """  upstream server{n} {{ server 127.0.0.1:{to}; keepalive 8; }}
  server {{ listen 127.0.0.1:{port}; location / {{ proxy_pass http://server{n}; }} }}
"""


class Nginx:
    """ports: of the servers behind it. urls: where it listens, in the same order."""

    def __init__(self, place, ports, read="30s"):
        self.place = place
        place.mkdir()
        # nginx takes over sockets that listen already, so that no other program can have the port meanwhile.
        listeners = [socket.create_server(("127.0.0.1", 0)) for _ in ports]
        self.ports = [one.getsockname()[1] for one in listeners]
        self.urls = [f"http://127.0.0.1:{port}/v1" for port in self.ports]
        temporary = " ".join(f"{kind}_temp_path {place}/{kind};"
                             for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        servers = "".join(SERVER.format(n=n, to=to, port=port)
                          for n, (to, port) in enumerate(zip(ports, self.ports, strict=True)))
        (place / "nginx.conf").write_text(
            CONF.format(place=place, temporary=temporary, read=read, servers=servers))
        taken = [one.fileno() for one in listeners]
        self.process = subprocess.Popen(
            ["nginx", "-e", place / "error.log", "-c", place / "nginx.conf"], pass_fds=taken,
            env={**os.environ, "NGINX": "".join(f"{fd};" for fd in taken)}, stderr=subprocess.DEVNULL)
        for one in listeners:
            one.close()
        wait_until((place / "pid").exists, "nginx")

    def answered(self, n):
        """(connection, status) of each request to the n-th server."""
        rows = [line.split() for line in (self.place / "access.log").read_text().splitlines()]
        return [(connection, int(status)) for port, connection, status in rows if int(port) == self.ports[n]]

    def stop(self):
        self.process.terminate()
        self.process.wait(DEADLINE)
