// A proxy before the gateway, as a network that fails: it serves below a prefix, and cuts connections where the
// test wants.
import { once } from 'node:events';
import { createServer, request as ask } from 'node:http';

export async function startFront(url, prefix = '') {
  const front = { target: url, cut: null, gone: null, stop, url: '', seen: [] };
  const server = createServer((request, response) => {
    if (!request.url.startsWith(`${prefix}/`)) return void response.writeHead(404).end();
    const path = request.url.slice(prefix.length);
    if (front.gone?.test(path)) return void response.writeHead(404).end(); // a file of another version
    front.seen.push(`${request.method} ${path}`);
    const rule = front.cut?.(request.method, path) ?? null; // how many bytes of the answer's body may pass
    const { hostname, port } = new URL(front.target);
    const forward = ask({ hostname, port, path, method: request.method, headers: request.headers }, (answer) => {
      answer.on('error', () => response.destroy());
      answer.on('close', () => answer.complete || response.destroy()); // the gateway was killed
      if (rule === 'head') return void response.destroy();
      response.writeHead(answer.statusCode, answer.headers);
      response.flushHeaders();
      if (rule === null) return void answer.pipe(response);
      let passed = 0;
      answer.on('data', (piece) => {
        passed += piece.length;
        response.write(piece);
        if (passed >= rule) response.socket?.end(); // what was written arrives, and nothing behind it
      });
      answer.on('end', () => response.end());
    });
    forward.on('error', () => response.destroy());
    response.on('close', () => forward.destroy());
    request.pipe(forward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  front.url = `http://127.0.0.1:${server.address().port}${prefix}`;
  function stop() {
    server.closeAllConnections();
    server.close();
  }
  return front;
}
