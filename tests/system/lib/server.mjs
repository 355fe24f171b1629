// A server that lies in named ways, and remembers every request.
//
//   const server = await startServer({ files: { '/a.tar.gz': bytes } });
//   server.set('/a.tar.gz', 'reset-at 60%');               // from now on
//   server.set('/a.tar.gz', ['status 503', 'ok']);         // one a request, the last one stays
//   server.url, server.requests, server.count('/a.tar.gz'), await server.close()
//
// Options: tls (an authority's certificate: HTTP/2 is offered too, unless http1), rate
// (bytes a second and connection), latency (ms before every answer).
import { execFileSync, spawn } from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';

const page = (status) => `<!DOCTYPE html><html><body><h1>${status}</h1>${'sorry '.repeat(200)}</body></html>`;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
export const etagOf = (body) => `"${crypto.createHash('sha256').update(body).digest('hex').slice(0, 16)}"`;

function part(text, size) {
  return text?.endsWith('%') ? Math.floor((size * Number.parseInt(text, 10)) / 100) : Number(text);
}

// The bytes that a Range asks for; null: all of them.
function rangeOf(exchange) {
  const { range, 'if-range': ifRange } = exchange.request.headers;
  const match = /^bytes=(\d+)-(\d*)$/.exec(range ?? '');
  if (!match || (ifRange && ifRange !== exchange.etag)) return null;
  const first = Number(match[1]);
  return { first, last: match[2] ? Math.min(Number(match[2]), exchange.body.length - 1) : exchange.body.length - 1 };
}

// At the server's rate, which counts for a whole connection.
async function send({ response, server, socket }, bytes) {
  if (!server.rate) return void response.write(bytes);
  const piece = Math.max(1, Math.floor(server.rate / 50));
  for (let at = 0; at < bytes.length && !response.destroyed && !socket.destroyed; at += piece) {
    const due = Math.max(socket.rateDue ?? 0, performance.now());
    socket.rateDue = due + (1000 * Math.min(piece, bytes.length - at)) / server.rate;
    await sleep(due - performance.now());
    response.write(bytes.subarray(at, at + piece));
    while ((response.stream ?? response).writableNeedDrain && !response.destroyed && !socket.destroyed) await sleep(2);
  }
}

function open(exchange, headers = {}, { etag = exchange.etag, ranges = true } = {}) {
  const range = ranges ? rangeOf(exchange) : null;
  const { response, body } = exchange;
  if (range && range.first >= body.length) {
    response.writeHead(416, { 'Content-Range': `bytes */${body.length}`, 'Content-Length': 0 }).end();
    return null;
  }
  const { first, last } = range ?? { first: 0, last: body.length - 1 };
  const all = { 'Content-Length': last + 1 - first, ...(etag && { ETag: etag }), ...(ranges && { 'Accept-Ranges': 'bytes' }), ...(range && { 'Content-Range': `bytes ${first}-${last}/${body.length}` }), ...headers };
  for (const name of Object.keys(all)) if (all[name] === undefined) delete all[name];
  response.writeHead(range ? 206 : 200, all);
  return body.subarray(first, last + 1);
}

async function whole(exchange, headers, options) {
  const bytes = open(exchange, headers, options);
  if (!bytes) return;
  await send(exchange, bytes);
  exchange.response.end();
}

// Until `amount` bytes of the file are out, then what `end` does.
async function until(exchange, amount, end, headers, options) {
  const bytes = open(exchange, headers, options);
  if (!bytes) return;
  const first = rangeOf(exchange)?.first ?? 0;
  await send(exchange, bytes.subarray(0, Math.max(0, part(amount, exchange.body.length) - first)));
  await sleep(30); // what was written is on its way
  end(exchange);
}

function status(exchange, code, headers = {}) {
  const body = [204, 304].includes(Number(code)) ? '' : page(code);
  exchange.response.writeHead(Number(code), { 'Content-Type': 'text/html', ...(body && { 'Content-Length': Buffer.byteLength(body) }), ...headers });
  exchange.response.end(body);
}

const raw = (exchange, text) => { exchange.socket.write(text); };
const flood = async (exchange, text, times) => {
  for (let i = 0; i < times && !exchange.socket.destroyed; i++) if (!exchange.socket.write(text)) await sleep(1);
};
const reset = ({ socket }) => socket.resetAndDestroy();
const close = ({ socket }) => socket.destroySoon();

const behaviours = {
  ok: (exchange) => whole(exchange),
  'no-etag': (exchange) => whole(exchange, {}, { etag: null }),
  'weak-etag': (exchange) => whole(exchange, {}, { etag: `W/${exchange.etag}` }),
  'no-range': (exchange) => whole(exchange, {}, { ranges: false }),
  'no-length': async (exchange) => { // complete, framed by the connection's end alone
    raw(exchange, 'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n');
    exchange.socket.end(exchange.body);
  },

  // Bytes that are not the file's.
  'wrong-bytes': (exchange) => { exchange.body = Buffer.from(exchange.body).fill(0x21); return whole(exchange); },
  'long-declared': (exchange) => { exchange.body = Buffer.concat([exchange.body, Buffer.alloc(1000)]); return whole(exchange); },
  long: (exchange) => { exchange.body = Buffer.concat([exchange.body, Buffer.alloc(1000)]); return whole(exchange, { 'Content-Length': undefined }); },
  endless: async (exchange) => {
    exchange.response.writeHead(200);
    for (let sent = 0; sent < 1 << 30 && !exchange.response.destroyed; sent += 1 << 16) if (!exchange.response.write(Buffer.alloc(1 << 16))) await sleep(1);
  },
  'cut-declared': (exchange, amount) => { exchange.body = exchange.body.subarray(0, part(amount, exchange.body.length)); return whole(exchange); },
  gzip: (exchange) => whole(exchange, { 'Content-Encoding': 'gzip' }),
  empty: (exchange) => { exchange.body = Buffer.alloc(0); exchange.response.writeHead(200, { 'Content-Length': 0 }).end(); },
  'empty-chunked': (exchange) => exchange.response.writeHead(200).end(),

  // Connections that end early.
  'close-at': (exchange, amount) => until(exchange, amount, close),
  'reset-at': (exchange, amount) => until(exchange, amount, reset),
  'reset-at-no-etag': (exchange, amount) => until(exchange, amount, reset, {}, { etag: null }),
  'short-at': async (exchange, amount) => { // no Content-Length: curl calls this a success
    raw(exchange, `HTTP/1.1 200 OK\r\nETag: ${exchange.etag}\r\nConnection: close\r\n\r\n`);
    exchange.socket.end(exchange.body.subarray(0, part(amount, exchange.body.length)));
  },
  'cut-chunk-at': async (exchange, amount) => {
    const bytes = exchange.body.subarray(0, part(amount, exchange.body.length));
    raw(exchange, `HTTP/1.1 200 OK\r\nETag: ${exchange.etag}\r\nTransfer-Encoding: chunked\r\n\r\n${(bytes.length + 100).toString(16)}\r\n`);
    exchange.socket.end(bytes);
  },
  'bad-chunk': (exchange) => { raw(exchange, 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n'); close(exchange); },
  'close-at-once': reset,
  'close-in-headers': (exchange) => { raw(exchange, 'HTTP/1.1 200 OK\r\nContent-Len'); close(exchange); },
  'not-http': (exchange) => { raw(exchange, 'SSH-2.0-OpenSSH_9.2\r\n'); close(exchange); },

  // What Range asked for, and got; the first request of each is cut.
  'range-wrong-start': (exchange) => rangeOf(exchange) ? whole(exchange, { 'Content-Range': `bytes 0-${exchange.body.length - 1 - rangeOf(exchange).first}/${exchange.body.length}` }) : until(exchange, '60%', reset),
  'range-wrong-total': (exchange) => rangeOf(exchange) ? whole(exchange, { 'Content-Range': `bytes ${rangeOf(exchange).first}-${exchange.body.length - 1}/${exchange.body.length + 5}` }) : until(exchange, '60%', reset),
  'range-none': (exchange) => rangeOf(exchange) ? whole(exchange, { 'Content-Range': undefined }) : until(exchange, '60%', reset),
  'range-ignored': (exchange) => exchange.request.headers.range ? whole(exchange, {}, { ranges: false }) : until(exchange, '60%', reset),
  'range-416': (exchange) => exchange.request.headers.range ? status(exchange, 416) : until(exchange, '60%', reset),
  'range-etag-changed': (exchange) => exchange.request.headers.range ? whole(exchange, {}, { etag: '"another"' }) : until(exchange, '60%', reset),
  'unasked-206': (exchange) => { exchange.response.writeHead(206, { 'Content-Length': exchange.body.length, 'Content-Range': `bytes 0-${exchange.body.length - 1}/${exchange.body.length}` }).end(exchange.body); },
  parts: (exchange, name, ...more) => /-\d+$/.test(exchange.request.headers.range) ? behaviours[name](exchange, ...more) : whole(exchange), // only those lie

  // Other answers.
  status: (exchange, code, retryAfter) => status(exchange, code, retryAfter ? { 'Retry-After': decodeURIComponent(retryAfter) } : {}),
  redirect: (exchange, code, location) => status(exchange, code, location ? { Location: decodeURIComponent(location) } : {}),
  'redirect-big': (exchange, code, location) => { exchange.response.writeHead(Number(code), { Location: location }).end(Buffer.alloc(1 << 20)); },
  loop: (exchange) => status(exchange, 302, { Location: `${exchange.url.pathname}?${exchange.server.requests.length}` }),

  // Slowness and floods.
  silent: () => {},
  'silent-at': (exchange, amount) => until(exchange, amount, () => {}),
  trickle: async (exchange) => {
    const bytes = open(exchange);
    for (let i = 0; bytes && i < bytes.length && !exchange.socket.destroyed; i++) { exchange.response.write(bytes.subarray(i, i + 1)); await sleep(250); }
  },
  'header-flood': async (exchange) => { raw(exchange, 'HTTP/1.1 200 OK\r\n'); await flood(exchange, `X-Filler: ${'x'.repeat(1000)}\r\n`, 10000); },
  'header-long': async (exchange) => { raw(exchange, 'HTTP/1.1 200 OK\r\nX-Filler: '); await flood(exchange, 'x'.repeat(1 << 16), 160); },
  'interim-flood': (exchange) => flood(exchange, 'HTTP/1.1 100 Continue\r\n\r\n', 1 << 20),
  'interim-one': async (exchange) => { raw(exchange, 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\nETag: "early"\r\n\r\n'); await whole(exchange); },
  'control-headers': (exchange) => { raw(exchange, `HTTP/1.1 404 \x1b[31mred\x1b[0m\r\nLocation: \x1b]0;title\x07\r\nContent-Length: 0\r\n\r\n`); },

  // HTTP/2.
  goaway: (exchange, amount) => until(exchange, amount, ({ response }) => { response.stream.session.goaway(http2.constants.NGHTTP2_INTERNAL_ERROR); response.stream.session.destroy(); }),
  'rst-stream': (exchange, amount) => until(exchange, amount, ({ response }) => response.stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR)),
};

// What the behaviours need of a socket; those that write raw bytes are for HTTP/1.
function overHttp2(session) {
  session.asSocket ??= { get destroyed() { return session.destroyed; }, resetAndDestroy: () => session.destroy(), destroySoon: () => session.destroy() };
  return session.asSocket;
}

async function answer(server, request, response) {
  const url = new URL(request.url, 'http://host');
  const socket = request.stream ? overHttp2(request.stream.session) : request.socket;
  server.requests.push({ method: request.method, path: url.pathname, url: request.url, headers: { ...request.headers }, httpVersion: request.httpVersion, connection: (socket.serial ??= ++server.connections), at: performance.now() });
  response.on('error', () => {});
  if (server.latency) await sleep(server.latency);
  const plan = server.plans.get(url.pathname) ?? ['ok'];
  const [name, ...parameters] = (plan.length > 1 ? plan.shift() : plan[0]).split(' ');
  const body = server.files[url.pathname] === undefined ? undefined : Buffer.from(server.files[url.pathname]);
  const exchange = { server, request, response, socket, url, body: body ?? Buffer.alloc(0), etag: etagOf(body ?? '') };
  if (body === undefined && name === 'ok') return status(exchange, 404);
  if (!behaviours[name]) throw new Error(`the server has no behaviour "${name}"`);
  await behaviours[name](exchange, ...parameters);
}

const listen = (listener, host) => new Promise((resolve, reject) => listener.once('error', reject).listen(0, host, resolve));

export async function startServer({ files = {}, tls, http1 = false, rate = 0, latency = 0, host = '127.0.0.1' } = {}) {
  const server = { files, rate, latency, requests: [], plans: new Map(), connections: 0 };
  const handle = (request, response) => answer(server, request, response).catch((error) => { server.failure = error; response.destroy?.(); });
  const sockets = new Set();
  const listener = !tls ? http.createServer(handle) : http1 ? https.createServer(tls, handle) : http2.createSecureServer({ ...tls, allowHTTP1: true }, handle);
  listener.on('connection', (socket) => { sockets.add(socket); socket.on('error', () => {}).on('close', () => sockets.delete(socket)); });
  listener.on('secureConnection', (socket) => socket.on('error', () => {})).on('sessionError', () => {}).on('clientError', () => {}).on('tlsClientError', () => {});
  await listen(listener, host);
  server.port = listener.address().port;
  server.url = `${tls ? 'https' : 'http'}://${tls ? 'localhost' : host.includes(':') ? `[${host}]` : host}:${server.port}`;
  server.set = (at, plan) => server.plans.set(at, [plan].flat());
  server.count = (at) => server.requests.filter((request) => request.path === at).length;
  server.forget = () => { server.requests.length = 0; server.plans.clear(); };
  server.close = () => new Promise((resolve) => { listener.close(resolve); for (const socket of sockets) socket.destroy(); });
  return server;
}

// Accepts connections and never says a word: no TLS handshake ends here.
export async function startSilence() {
  const sockets = new Set();
  const listener = net.createServer((socket) => sockets.add(socket.on('error', () => {})));
  await listen(listener, '127.0.0.1');
  const { port } = listener.address();
  return { port, url: `https://127.0.0.1:${port}`, close: () => new Promise((resolve) => { listener.close(resolve); for (const socket of sockets) socket.destroy(); }) };
}

// A port of ::1 where connections are neither taken nor refused: a process that
// listens and sleeps, its queue filled. undefined where there is no IPv6.
export async function startBlackhole(port) {
  const program = `require('net').createServer().on('error', () => process.exit(1)).listen({ port: ${port}, host: '::1', backlog: 1 }, () => { require('fs').writeSync(1, 'x'); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); })`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'ignore'] });
  const listening = await new Promise((resolve) => { child.stdout.once('data', () => resolve(true)); child.once('exit', () => resolve(false)); });
  if (!listening) return undefined;
  const fillers = Array.from({ length: 4 }, () => net.connect(port, '::1').on('error', () => {}));
  await sleep(100);
  return { close: () => { child.kill('SIGKILL'); for (const filler of fillers) filler.destroy(); } };
}

// A proxy for both forms, CONNECT and absolute URLs. `resolve` maps the host
// that is asked for to a port of this machine.
export async function startProxy({ resolve = () => 0, authorization, answer: refusal } = {}) {
  const proxy = { requests: [] };
  const refused = (request) => refusal ?? (authorization && request.headers['proxy-authorization'] !== authorization ? 407 : 0);
  const listener = http.createServer((request, response) => {
    proxy.requests.push({ method: request.method, url: request.url, headers: request.headers });
    if (refused(request)) return response.writeHead(refused(request), { 'Content-Length': 0 }).end();
    const { hostname, pathname } = new URL(request.url);
    request.pipe(http.request({ port: resolve(hostname), host: '127.0.0.1', path: pathname, headers: request.headers }, (upstream) => { response.writeHead(upstream.statusCode, upstream.headers); upstream.pipe(response); }).on('error', () => response.destroy()));
  });
  listener.on('connect', (request, socket, head) => {
    proxy.requests.push({ method: request.method, url: request.url, headers: request.headers });
    socket.on('error', () => {});
    if (refused(request)) return socket.end(`HTTP/1.1 ${refused(request)} No\r\nContent-Length: 0\r\n\r\n`);
    const upstream = net.connect(resolve(request.url.replace(/:\d+$/, '')), '127.0.0.1', () => { socket.write('HTTP/1.1 200 Connected\r\n\r\n'); upstream.write(head); socket.pipe(upstream).pipe(socket); });
    upstream.on('error', () => socket.destroy());
    socket.on('close', () => upstream.destroy());
  });
  await listen(listener, '127.0.0.1');
  proxy.port = listener.address().port;
  proxy.close = () => new Promise((done) => { listener.close(done); listener.closeAllConnections(); });
  return proxy;
}

// A certificate authority of the moment: `file` is its PEM; issue() gives what
// startServer takes as `tls`.
export function makeAuthority() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rne-ca-'));
  const at = (name) => path.join(folder, name);
  const openssl = (...parameters) => execFileSync('openssl', parameters, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const newKey = (name, subject, ...more) => openssl('req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', `${name}.key`, '-subj', subject, ...more);
  newKey('ca', '/CN=A test authority', '-x509', '-days', '2', '-out', 'ca.pem');
  return {
    file: at('ca.pem'),
    folder,
    issue(names = 'DNS:localhost,IP:127.0.0.1,IP:::1', ...validity) {
      const name = crypto.randomUUID();
      newKey(name, '/CN=server', '-out', `${name}.csr`);
      fs.writeFileSync(at(`${name}.ext`), `subjectAltName=${names}\n`);
      openssl('x509', '-req', '-in', `${name}.csr`, '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', `${name}.ext`, '-out', `${name}.pem`, ...(validity.length ? validity : ['-days', '2']));
      return { key: fs.readFileSync(at(`${name}.key`)), cert: fs.readFileSync(at(`${name}.pem`)) };
    },
    // The layout of SSL_CERT_DIR: names are hashes of subjects.
    hashed() {
      const place = at('certs');
      fs.mkdirSync(place, { recursive: true });
      const hash = openssl('x509', '-in', 'ca.pem', '-noout', '-hash').toString().trim();
      fs.copyFileSync(at('ca.pem'), path.join(place, `${hash}.0`));
      return place;
    },
    remove: () => fs.rmSync(folder, { recursive: true, force: true }),
  };
}
