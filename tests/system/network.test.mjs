// Whatever the server does: the right bytes or none, an end in bounded time,
// a reason that names the thing, and a next run that needs no clean-up.
import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { spawn, spawnSync } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { binary, product, repository, sha256, treeOf, write } from './lib/project.mjs';
import { etagOf, makeAuthority, startBlackhole, startProxy, startServer, startSilence } from './lib/server.mjs';

const file = 'core-android-arm64-v8a.tar.gz';
const at = `/${file}`;
const body = crypto.randomBytes(300_000); // warm does not look into archives
const digest = sha256(body);
const good = { [at]: body, [`${at}.sha256`]: `${digest}\n` };
const secret = 'ghp_very_secret';
const memoryLimit = 64 << 20;
const time = '/usr/bin/time';
const canMeasure = !process.env.RNE_SANITIZED && spawnSync(time, ['-f', '%M', 'true']).status === 0;

// One archive to fetch, into a cache of its own.
function makeGround({ pinned = true, content = body } = {}) {
  const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'rne-network-')));
  const place = (name) => path.join(root, name);
  const manifest = JSON.parse(fs.readFileSync(path.join(repository, `manifests/${product}-0.9.0.json`), 'utf8'));
  const [archive] = manifest.artifacts.find(({ name }) => name === 'core-android-arm64-v8a').archives;
  if (pinned) Object.assign(archive, { size: content.length, sha256: sha256(content) });
  manifest.baseUrls = [];
  write(place('m.json'), manifest);
  fs.mkdirSync(place('home'));
  const ground = {
    root,
    place,
    manifest,
    digest: sha256(content),
    cached: () => Object.keys(treeOf(place('cache/archives'), { ignore: [] })).map((name) => path.basename(name)),
    partial: () => fs.statSync(place(`cache/partial/${sha256(content)}`)).size,
    // `peak`: a file for the memory that was taken, in KB.
    start(urls, { args = [], env = {}, peak } = {}) {
      const clean = { PATH: process.env.PATH, HOME: place('home'), LC_ALL: 'C', ...(process.env.ASAN_OPTIONS && { ASAN_OPTIONS: process.env.ASAN_OPTIONS }) };
      const options = ['warm', '--manifest', place('m.json'), '--target', 'android-arm64-v8a', '--extras', 'none', '--cache-dir', place('cache'), '--connect-timeout', '1', '--stall-timeout', '1'];
      const [program, ...front] = peak ? [time, '-f', '%M', '-o', peak, binary] : [binary];
      const child = spawn(program, [...front, ...options, ...[urls].flat().flatMap((url) => ['--base-url', url]), ...args], { cwd: root, env: { ...clean, ...env }, stdio: ['ignore', 'pipe', 'pipe'], detached: Boolean(peak) });
      child.text = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (child.text += data.toString('latin1')));
      return child;
    },
    async run(urls, options) {
      const started = performance.now();
      const peak = canMeasure ? `${root}.peak` : undefined;
      const child = this.start(urls, { ...options, peak });
      const killer = setTimeout(() => (peak ? process.kill(-child.pid, 'SIGKILL') : child.kill('SIGKILL')), 100_000);
      const [code, signal] = await once(child, 'close');
      clearTimeout(killer);
      if (peak) {
        child.peak = 1024 * Number(fs.readFileSync(peak, 'utf8').trim().split('\n').at(-1));
        fs.rmSync(peak);
      }
      this.check(child);
      return { code, signal, text: child.text, ms: performance.now() - started };
    },
    // What holds after every run.
    check(child) {
      assert.deepEqual(fs.readdirSync(root).filter((name) => !['cache', 'home', 'm.json', '.npmrc'].includes(name)), [], 'nothing is written elsewhere');
      assert.deepEqual(fs.readdirSync(place('home')).filter((name) => name !== '.npmrc'), []);
      for (const [name, found] of Object.entries(treeOf(place('cache/archives'), { ignore: [] }))) assert.equal(path.basename(name), found, 'a file under its final name has that digest');
      assert.doesNotMatch(child.text, /[\x00-\x08\x0b-\x1f\x7f]/, 'no raw control byte');
      assert.doesNotMatch(child.text, /secret/, 'no credential');
      assert.ok(!(child.peak >= memoryLimit), `peak memory ${child.peak}`);
    },
    // After the fault is gone the same command succeeds.
    async recovers(urls, options) {
      const result = await this.run(urls, options);
      assert.equal(result.code, 0, result.text);
      assert.deepEqual(this.cached(), [this.digest]);
      return result;
    },
    remove: () => fs.rmSync(root, { recursive: true, force: true }),
  };
  return ground;
}

function withServer(name, options, act) {
  test(name, async () => {
    const ground = makeGround(options);
    const server = await startServer({ files: { ...good }, ...options.server });
    try {
      await act(ground, server);
    } finally {
      await server.close();
      ground.remove();
      assert.equal(server.failure, undefined);
    }
  });
}

const refused = (result, code, ...patterns) => {
  assert.equal(result.code, code, result.text);
  for (const pattern of patterns) assert.match(result.text, pattern);
};
const pauses = ({ requests }) => requests.slice(1).map((request, i) => request.at - requests[i].at);
const ranges = ({ requests }) => requests.filter((request) => request.path === at).map(({ headers }) => headers.range);

describe('a file that is not the right one', { concurrency: 3 }, () => {
  const cases = [
    ['wrong bytes of the right size', 'wrong-bytes', /expected sha256 [0-9a-f]{64}, found [0-9a-f]{64}/],
    ['a longer body with its length declared', 'long-declared', /300000 bytes, found one of 301000/],
    ['a longer body without a length', 'long', /expected 300000 bytes, found more/],
    ['an endless body', 'endless', /expected 300000 bytes, found more/],
    ['a shorter file that is complete', 'cut-declared 60%', /300000 bytes, found one of 180000/],
  ];
  for (const [name, plan, pattern] of cases) {
    withServer(`${name} is refused at once, and nothing is kept`, {}, async (ground, server) => {
      server.set(at, plan);
      const result = await ground.run(server.url);
      refused(result, 5, pattern, new RegExp(file), /127\.0\.0\.1/);
      assert.equal(server.count(at), 1);
      assert.deepEqual(ground.cached(), []);
      assert.ok(result.ms < 5000);
      server.forget();
      await ground.recovers(server.url);
    });
    withServer(`${name} on the first of two mirrors costs one warning`, {}, async (ground, server) => {
      const second = await startServer({ files: good });
      server.set(at, plan);
      const result = await ground.recovers([server.url, second.url]);
      await second.close();
      assert.equal(result.text.match(/^warning: /gm)?.length, 1, result.text);
      assert.match(result.text, pattern);
      assert.equal(second.count(at), 1);
    });
  }

  withServer('wrong bytes by a sidecar are refused too', { pinned: false }, async (ground, server) => {
    server.set(at, 'wrong-bytes');
    refused(await ground.run(server.url), 5, /expected sha256/);
    assert.deepEqual(ground.cached(), []);
    server.forget();
    await ground.recovers(server.url);
  });
});

describe('a body that is cut short', { concurrency: 4 }, () => {
  for (const plan of ['close-at 60%', 'reset-at 60%', 'short-at 60%', 'cut-chunk-at 60%', 'silent-at 60%']) {
    withServer(`"${plan}" is resumed where it ended`, {}, async (ground, server) => {
      server.set(at, [plan, 'ok']);
      await ground.recovers(server.url);
      assert.deepEqual(ranges(server), [undefined, 'bytes=180000-']);
      assert.equal(server.requests.at(-1).headers['if-range'], etagOf(body));
    });
    withServer(`"${plan}" for ever ends with 4 after four tries, and the next run resumes`, {}, async (ground, server) => {
      server.set(at, plan);
      refused(await ground.run(server.url), 4, /after 180000 of 300000 bytes/, /tried 4 times/, new RegExp(file), /127\.0\.0\.1/);
      assert.equal(server.count(at), 4);
      assert.equal(ground.partial(), 180000);
      server.forget();
      await ground.recovers(server.url);
      assert.deepEqual(ranges(server), ['bytes=180000-']);
    });
  }

  withServer('without an ETag it starts again from 0', {}, async (ground, server) => {
    server.set(at, ['reset-at-no-etag 60%', 'no-etag']);
    await ground.recovers(server.url);
    assert.deepEqual(ranges(server), [undefined, undefined]);
  });

  withServer('without length and size the digest decides', { pinned: false }, async (ground, server) => {
    server.set(at, ['short-at 60%', 'no-length']);
    await ground.recovers(server.url);
  });

  withServer('a beginning that rotted is noticed and fetched anew', {}, async (ground, server) => {
    server.set(at, 'reset-at 60%');
    refused(await ground.run(server.url), 4);
    fs.writeFileSync(ground.place(`cache/partial/${digest}`), crypto.randomBytes(180000));
    server.forget();
    await ground.recovers(server.url);
    assert.deepEqual(ranges(server), ['bytes=180000-', undefined]);
  });

  withServer('a beginning longer than the file is thrown away', {}, async (ground, server) => {
    server.set(at, 'reset-at 60%');
    refused(await ground.run(server.url), 4);
    fs.writeFileSync(ground.place(`cache/partial/${digest}`), crypto.randomBytes(400000));
    server.forget();
    await ground.recovers(server.url);
    assert.deepEqual(ranges(server), [undefined]);
  });

  withServer('a beginning that is all of it needs no request', {}, async (ground, server) => {
    server.set(at, 'reset-at 60%');
    refused(await ground.run(server.url), 4);
    fs.writeFileSync(ground.place(`cache/partial/${digest}`), body);
    server.forget();
    await ground.recovers(server.url);
    assert.equal(server.requests.length, 0);
  });

  withServer('SIGTERM in the middle leaves a beginning for the next run', {}, async (ground, server) => {
    server.set(at, 'silent-at 60%');
    const child = ground.start(server.url, { args: ['--stall-timeout', '30'] });
    while (server.count(at) === 0 || !fs.existsSync(ground.place(`cache/partial/${digest}`)) || ground.partial() < 180000) await new Promise((resolve) => setTimeout(resolve, 10));
    child.kill('SIGTERM');
    assert.deepEqual(await once(child, 'close'), [143, null], child.text);
    ground.check(child);
    server.forget();
    await ground.recovers(server.url);
    assert.deepEqual(ranges(server), ['bytes=180000-']);
  });

  withServer('SIGKILL in the middle needs no clean-up', {}, async (ground, server) => {
    server.set(at, 'silent-at 60%');
    const child = ground.start(server.url, { args: ['--stall-timeout', '30'] });
    while (server.count(at) === 0 || !fs.existsSync(ground.place(`cache/partial/${digest}`)) || ground.partial() < 180000) await new Promise((resolve) => setTimeout(resolve, 10));
    child.kill('SIGKILL');
    await once(child, 'close');
    server.forget();
    await ground.recovers(server.url);
  });
});

describe('a range', { concurrency: 4 }, () => {
  // Each cuts the first answer at 60 % and lies when asked for the rest.
  for (const plan of ['range-wrong-start', 'range-wrong-total', 'range-none', 'range-416', 'range-etag-changed']) {
    withServer(`"${plan}" starts again from 0, nothing is appended`, {}, async (ground, server) => {
      server.set(at, [plan, plan, 'ok']);
      await ground.recovers(server.url);
      assert.deepEqual(ranges(server), [undefined, 'bytes=180000-', undefined]);
    });
    withServer(`"${plan}" for ever ends with 4`, {}, async (ground, server) => {
      server.set(at, plan);
      refused(await ground.run(server.url), 4);
      assert.equal(server.count(at), 4);
    });
  }
  withServer('that is ignored starts again from 0 in the same answer', {}, async (ground, server) => {
    server.set(at, 'range-ignored');
    await ground.recovers(server.url);
    assert.equal(server.count(at), 2);
  });
  withServer('that nobody asked for is refused', {}, async (ground, server) => {
    server.set(at, 'unasked-206');
    refused(await ground.run(server.url), 4, /nobody asked for/);
    assert.equal(server.count(at), 1);
  });
  withServer('of a file that changed meanwhile is not asked for: If-Range', {}, async (ground, server) => {
    server.set(at, 'reset-at 60%');
    const old = crypto.randomBytes(300_000);
    server.files = { ...good, [at]: old };
    refused(await ground.run(server.url), 4);
    server.forget();
    server.files = good;
    await ground.recovers(server.url);
    assert.equal(server.requests[0].headers['if-range'], etagOf(old));
  });
});

describe('a status', { concurrency: 4 }, () => {
  for (const status of [404, 403, 401, 410]) {
    withServer(`${status} with a page is final on a mirror`, {}, async (ground, server) => {
      server.set(at, `status ${status}`);
      const result = await ground.run(server.url);
      refused(result, 4, new RegExp(`${status}`), new RegExp(file));
      if (status === 404 || status === 410) assert.match(result.text, /has no core-android-arm64-v8a\.tar\.gz/);
      assert.equal(server.count(at), 1);
      assert.deepEqual(ground.cached(), []);
      assert.ok(result.ms < 2000);
      await ground.recovers([server.url, (await startServer({ files: good }).then((second) => (after(() => second.close()), second))).url]);
    });
  }
  for (const status of [408, 429, 500, 502, 503, 504]) {
    withServer(`${status} may pass`, {}, async (ground, server) => {
      server.set(at, [`status ${status}`, 'ok']);
      await ground.recovers(server.url);
      assert.equal(server.count(at), 2);
    });
  }
  withServer('500 for ever ends after four tries with growing pauses', {}, async (ground, server) => {
    server.set(at, 'status 500');
    refused(await ground.run(server.url), 4, /500/, /tried 4 times/);
    const [first, second, third] = pauses(server);
    assert.ok(first >= 249 && first < 900, `${first}`);
    assert.ok(second >= 499 && second < 1400, `${second}`);
    assert.ok(third >= 999 && third < 2400, `${third}`);
  });
  withServer('Retry-After in seconds is honoured', {}, async (ground, server) => {
    server.set(at, ['status 429 2', 'ok']);
    await ground.recovers(server.url);
    assert.ok(pauses(server)[0] >= 1999);
  });
  withServer('Retry-After as a date is honoured', {}, async (ground, server) => {
    server.set(at, [`status 503 ${encodeURIComponent(new Date(Date.now() + 3000).toUTCString())}`, 'ok']);
    await ground.recovers(server.url);
    assert.ok(pauses(server)[0] >= 1000, `${pauses(server)}`);
  });
  for (const value of ['-5', 'soon', 'Sun, 06 Nov 1994 08:49:37 GMT']) {
    withServer(`Retry-After "${value}" is none`, {}, async (ground, server) => {
      server.set(at, [`status 503 ${encodeURIComponent(value)}`, 'ok']);
      await ground.recovers(server.url);
      assert.ok(pauses(server)[0] < 900, `${pauses(server)}`);
    });
  }
  withServer('Retry-After of a day is not waited for when there is another mirror', {}, async (ground, server) => {
    const second = await startServer({ files: good });
    server.set(at, 'status 503 86400');
    const result = await ground.recovers([server.url, second.url]);
    await second.close();
    assert.ok(result.ms < 2000, `${result.ms}`);
    assert.equal(server.count(at), 1);
  });
  for (const plan of ['status 204', 'status 304', 'status 205', 'status 300', 'empty', 'empty-chunked', 'gzip', 'not-http']) {
    withServer(`"${plan}" is no file`, {}, async (ground, server) => {
      server.set(at, plan);
      refused(await ground.run(server.url), 4, new RegExp(file));
      assert.equal(server.count(at), 1);
      assert.deepEqual(ground.cached(), []);
      server.forget();
      await ground.recovers(server.url);
    });
  }
});

describe('headers', { concurrency: 4 }, () => {
  for (const plan of ['header-flood', 'header-long', 'interim-flood']) {
    withServer(`"${plan}" is given up soon`, {}, async (ground, server) => {
      server.set(at, plan);
      const result = await ground.run(server.url);
      refused(result, 4, /headers/);
      assert.ok(result.ms < 5000);
      server.forget();
      await ground.recovers(server.url);
    });
  }
  withServer('an interim answer is only one', {}, async (ground, server) => {
    server.set(at, 'interim-one');
    await ground.recovers(server.url);
  });
  withServer('control characters reach no terminal', {}, async (ground, server) => {
    server.set(at, 'control-headers');
    refused(await ground.run(server.url), 4, /404/);
  });
  withServer('nothing is asked for that was not wanted', {}, async (ground, server) => {
    await ground.recovers(server.url, { env: { GITHUB_TOKEN: secret } });
    assert.deepEqual(Object.keys(server.requests[0].headers).sort(), ['accept', 'host', 'user-agent']);
  });
});

describe('silence', { concurrency: 5 }, () => {
  for (const plan of ['silent', 'trickle']) {
    withServer(`"${plan}" ends by the stall limit`, {}, async (ground, server) => {
      server.set(at, plan);
      const result = await ground.run(server.url);
      refused(result, 4, /127\.0\.0\.1/, /in the last 1\.0 s/, plan === 'silent' ? /before any byte/ : /after \d+ of 300000 bytes/);
      assert.ok(result.ms > 4000 && result.ms < 15000, `${result.ms}`);
    });
  }
  test('a TLS handshake that never ends ends by the connect limit', async () => {
    const ground = makeGround();
    const silence = await startSilence();
    const result = await ground.run(silence.url);
    await silence.close();
    ground.remove();
    refused(result, 4, /127\.0\.0\.1/, /no connection within 1\.0 s/);
    assert.ok(result.ms < 15000, `${result.ms}`);
  });
  test('a port that nobody listens on is tried four times', async () => {
    const ground = makeGround();
    const result = await ground.run('http://127.0.0.1:1');
    ground.remove();
    refused(result, 4, /127\.0\.0\.1:1/, /tried 4 times/);
  });
  test('a name that does not resolve is tried four times', async () => {
    const ground = makeGround();
    const result = await ground.run('https://nobody.invalid');
    ground.remove();
    refused(result, 4, /nobody\.invalid/, /tried 4 times/);
  });
  for (const plan of ['close-at-once', 'close-in-headers', 'bad-chunk']) {
    withServer(`"${plan}" may pass`, {}, async (ground, server) => {
      server.set(at, [plan, 'ok']);
      await ground.recovers(server.url);
      server.forget();
      fs.rmSync(ground.place('cache'), { recursive: true });
      server.set(at, plan);
      refused(await ground.run(server.url), 4, /tried 4 times/);
    });
  }
});

describe('redirects', { concurrency: 4 }, () => {
  for (const status of [301, 302, 303, 307, 308]) {
    withServer(`${status} is followed, relative ones too`, {}, async (ground, server) => {
      server.files['/moved/file'] = body;
      server.set(at, `redirect ${status} moved/file`);
      await ground.recovers(server.url);
      assert.deepEqual(server.requests.map((request) => request.path), [at, '/moved/file']);
    });
  }
  withServer('a chain of ten is followed', {}, async (ground, server) => {
    server.set(at, 'redirect 302 /1');
    for (let i = 1; i < 10; i++) server.set(`/${i}`, `redirect 302 /${i + 1}`);
    server.files['/10'] = body;
    await ground.recovers(server.url);
    assert.equal(server.requests.length, 11);
  });
  withServer('a loop ends after ten', {}, async (ground, server) => {
    server.set(at, 'loop');
    refused(await ground.run(server.url), 4, /more than 10 redirects/);
    assert.equal(server.requests.length, 11);
  });
  withServer('a redirect with a body of a megabyte is followed', {}, async (ground, server) => {
    server.files['/moved'] = body;
    server.set(at, 'redirect-big 302 /moved');
    await ground.recovers(server.url);
  });
  for (const [location, pattern] of [['file:///etc/passwd', /only https and http/], ['ftp://127.0.0.1/x', /only https and http/], ['http://user:secret@127.0.0.1/x', /user name or a password/], ['//user:secret@127.0.0.1/x', /user name or a password/], ['http://files.example/x', /plain http/], ['http://[', /refused/], ['', /no Location/]]) {
    const options = location.includes('files.example') ? { pinned: false } : {};
    withServer(`to "${location}" is refused`, options, async (ground, server) => {
      server.set(at, `redirect 302 ${encodeURIComponent(location)}`);
      refused(await ground.run(server.url), 4, pattern);
      assert.equal(server.count(at), 1);
      server.forget();
      await ground.recovers(server.url);
    });
  }
  withServer('after a cut the way is gone again from its beginning', {}, async (ground, server) => {
    server.files['/moved'] = body;
    server.set(at, 'redirect 302 /moved');
    server.set('/moved', ['reset-at 60%', 'ok']);
    await ground.recovers(server.url);
    assert.deepEqual(server.requests.map(({ path: where, headers }) => [where, headers.range]), [[at, undefined], ['/moved', undefined], [at, 'bytes=180000-'], ['/moved', 'bytes=180000-']]);
  });
  withServer('to another host carries nothing along', {}, async (ground, server) => {
    const second = await startServer({ files: good, host: '::1' }).catch(() => startServer({ files: good }));
    server.set(at, `redirect 302 ${encodeURIComponent(second.url + at)}`);
    await ground.recovers(server.url, { env: { GITHUB_TOKEN: secret } });
    await second.close();
    for (const { headers } of [...server.requests, ...second.requests]) assert.deepEqual(Object.keys(headers).sort(), ['accept', 'host', 'user-agent']);
  });
});

describe('TLS', { concurrency: 3 }, () => {
  let authority, tls;
  const trusted = () => ({ NODE_EXTRA_CA_CERTS: authority.file });
  before(() => {
    authority = makeAuthority();
    tls = authority.issue();
  });
  after(() => authority.remove());
  const withTls = (name, options, act) => test(name, async () => {
    const ground = makeGround(options);
    const server = await startServer({ files: { ...good }, tls: options.issue?.(authority) ?? tls, http1: options.http1 });
    try {
      await act(ground, server);
    } finally {
      await server.close();
      ground.remove();
    }
  });

  withTls('an authority nobody knows is refused, with the variable to set', {}, async (ground, server) => {
    refused(await ground.run(server.url), 4, /localhost/, /not trusted/, /NODE_EXTRA_CA_CERTS/);
    assert.equal(server.requests.length, 0);
  });
  for (const variable of ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'npm_config_cafile', 'NPM_CONFIG_CAFILE']) {
    withTls(`${variable} makes it known`, {}, async (ground, server) => {
      await ground.recovers(server.url, { env: { [variable]: authority.file } });
      assert.equal(server.requests[0].httpVersion, '2.0');
    });
  }
  withTls('SSL_CERT_DIR makes it known', {}, async (ground, server) => {
    await ground.recovers(server.url, { env: { SSL_CERT_DIR: authority.hashed() } });
  });
  withTls('cafile of an .npmrc makes it known', {}, async (ground, server) => {
    write(ground.place('home/.npmrc'), 'cafile=${COMPANY_CA}\n');
    await ground.recovers(server.url, { env: { COMPANY_CA: authority.file } });
  });
  withTls('NODE_EXTRA_CA_CERTS stands beside the others', {}, async (ground, server) => {
    const other = makeAuthority();
    await ground.recovers(server.url, { env: { NODE_EXTRA_CA_CERTS: authority.file, SSL_CERT_FILE: other.file } });
    other.remove();
  });
  withTls('npm_config_cafile stands instead of the system', {}, async (ground, server) => {
    const other = makeAuthority();
    refused(await ground.run(server.url, { env: { npm_config_cafile: other.file, SSL_CERT_FILE: authority.file } }), 4, /not trusted/);
    other.remove();
  });
  withTls('a file of certificates that is none is named', {}, async (ground, server) => {
    refused(await ground.run(server.url, { env: { npm_config_cafile: '/nowhere/ca.pem' } }), 4, /npm_config_cafile/, /\/nowhere\/ca\.pem/);
    refused(await ground.run(server.url, { env: { SSL_CERT_FILE: ground.place('m.json') } }), 4, /SSL_CERT_FILE/, /no certificate/);
    const result = await ground.recovers(server.url, { env: { NODE_EXTRA_CA_CERTS: '/nowhere/ca.pem', SSL_CERT_FILE: authority.file } });
    assert.match(result.text, /warning: NODE_EXTRA_CA_CERTS is ignored/);
  });
  withTls('strict-ssl=false is obeyed with a loud warning', {}, async (ground, server) => {
    const result = await ground.recovers(server.url, { env: { npm_config_strict_ssl: 'false' } });
    assert.match(result.text, /warning: certificates are NOT checked, because npm_config_strict_ssl/);
  });
  withTls('a certificate for another host is refused', { issue: (by) => by.issue('DNS:other.example') }, async (ground, server) => {
    refused(await ground.run(server.url, { env: trusted() }), 4, /localhost/, /Another host/);
  });
  withTls('a certificate that expired is refused', { issue: (by) => by.issue(undefined, '-days', '-1') }, async (ground, server) => {
    refused(await ground.run(server.url, { env: trusted() }), 4, /expired/, /clock/);
  });
  withTls('a server that only speaks HTTP/1.1 is fine', { http1: true }, async (ground, server) => {
    await ground.recovers(server.url, { env: trusted() });
    assert.equal(server.requests[0].httpVersion, '1.1');
  });
  for (const plan of ['goaway 60%', 'rst-stream 60%', 'close-at 60%']) {
    withTls(`"${plan}" of HTTP/2 is resumed`, {}, async (ground, server) => {
      server.set(at, [plan, 'ok']);
      await ground.recovers(server.url, { env: trusted() });
      assert.deepEqual(ranges(server), [undefined, 'bytes=180000-']);
    });
  }
  withTls('a redirect from https to http is refused', {}, async (ground, server) => {
    const plain = await startServer({ files: good });
    server.set(at, `redirect 302 ${encodeURIComponent(plain.url + at)}`);
    refused(await ground.run(server.url, { env: trusted() }), 4, /from https to http/);
    await plain.close();
    assert.equal(plain.requests.length, 0);
  });
  withTls('IPv6 that nobody listens on does not keep from IPv4', {}, async (ground, server) => {
    await ground.recovers(server.url, { env: trusted() }); // localhost is ::1, too
  });
  withTls('IPv6 that swallows everything does not keep from IPv4', {}, async (ground, server) => {
    const blackhole = await startBlackhole(server.port);
    const result = await ground.recovers(server.url, { env: trusted() });
    blackhole?.close();
    assert.ok(result.ms < 5000);
  });

  // Names of others are reached through a proxy that leads them here.
  const throughProxy = async (names, act) => {
    const servers = {};
    for (const name of names) servers[name] = await startServer({ files: { ...good }, tls: authority.issue(`DNS:${name}`) });
    const proxy = await startProxy({ resolve: (host) => servers[host]?.port });
    const ground = makeGround();
    try {
      await act(ground, servers, { ...trusted(), GITHUB_TOKEN: secret, HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` }, proxy);
    } finally {
      await Promise.all([...Object.values(servers), proxy].map((each) => each.close()));
      ground.remove();
    }
  };
  test('GITHUB_TOKEN goes to github.com and to no host behind it', () => throughProxy(['github.com', 'storage.example'], async (ground, servers, env, proxy) => {
    servers['github.com'].set(at, `redirect 302 https://storage.example${at}`);
    await ground.recovers('https://github.com', { env });
    assert.equal(servers['github.com'].requests[0].headers.authorization, `Bearer ${secret}`);
    assert.equal(servers['storage.example'].requests[0].headers.authorization, undefined);
    assert.ok(proxy.requests.every(({ headers }) => !('authorization' in headers)));
  }));
  test('GITHUB_TOKEN goes back to api.github.com by a redirect, and nowhere on the way', () => throughProxy(['evil.example', 'api.github.com'], async (ground, servers, env) => {
    servers['evil.example'].set(`/github.com${at}`, `redirect 302 https://api.github.com${at}`);
    await ground.recovers('https://evil.example/github.com', { env });
    assert.equal(servers['evil.example'].requests[0].headers.authorization, undefined);
    assert.equal(servers['api.github.com'].requests[0].headers.authorization, `Bearer ${secret}`);
  }));
  test('GITHUB_TOKEN does not go to names that only look like GitHub', () => throughProxy(['github.com.evil.example', 'evilgithub.com', 'raw.github.com'], async (ground, servers, env) => {
    for (const [name, server] of Object.entries(servers)) {
      fs.rmSync(ground.place('cache'), { recursive: true, force: true });
      await ground.recovers(`https://${name}`, { env });
      assert.equal(server.requests[0].headers.authorization, undefined, name);
    }
  }));
  test('a 404 of GitHub speaks of the token', () => throughProxy(['github.com'], async (ground, servers, env) => {
    servers['github.com'].set(at, 'status 404');
    refused(await ground.run('https://github.com', { env }), 4, /404/);
  }));
});

describe('proxies', { concurrency: 4 }, () => {
  const withProxy = (name, options, act) => test(name, async () => {
    const ground = makeGround();
    const server = await startServer({ files: good });
    const proxy = await startProxy({ resolve: () => server.port, ...options });
    try {
      await act(ground, `http://127.0.0.1:${proxy.port}`, proxy, server);
    } finally {
      await Promise.all([proxy.close(), server.close()]);
      ground.remove();
    }
  });
  const remote = 'http://files.example'; // allowed: the archive is pinned

  for (const variable of ['http_proxy', 'npm_config_proxy', 'all_proxy', 'ALL_PROXY']) {
    withProxy(`${variable} is used for http`, {}, async (ground, url, proxy) => {
      await ground.recovers(remote, { env: { [variable]: url } });
      assert.equal(proxy.requests[0].url, `${remote}${at}`);
    });
  }
  withProxy('HTTP_PROXY in capitals is ignored, as curl does', {}, async (ground, url, proxy) => {
    refused(await ground.run('http://files.invalid', { env: { HTTP_PROXY: url } }), 4, /resolved/);
    assert.equal(proxy.requests.length, 0);
  });
  for (const variable of ['npm_config_https_proxy', 'npm_config_proxy', 'https_proxy', 'HTTPS_PROXY', 'ALL_PROXY']) {
    withProxy(`${variable} is used for https, and named when it refuses`, { answer: 403 }, async (ground, url, proxy) => {
      refused(await ground.run('https://files.example', { env: { [variable]: url.replace('//', '//user:secret@') } }), 4, /status 403/, new RegExp(variable), /\*\*\*@127\.0\.0\.1/);
      assert.equal(proxy.requests[0].method, 'CONNECT');
    });
    test(`${variable} is named when its proxy is dead`, async () => {
      const ground = makeGround();
      const result = await ground.run('https://files.example', { env: { [variable]: 'http://user:secret@127.0.0.1:1' } });
      ground.remove();
      refused(result, 4, new RegExp(variable), /\*\*\*@127\.0\.0\.1:1/);
    });
  }
  withProxy('of an .npmrc are used when the environment has none', {}, async (ground, url, proxy) => {
    write(ground.place('home/.npmrc'), `proxy=${url.replace('127.0.0.1', '${PROXY_HOST}')}\n`);
    await ground.recovers(remote, { env: { PROXY_HOST: '127.0.0.1' } });
    assert.equal(proxy.requests.length, 1);
  });
  withProxy('take a user and a password', { authorization: `Basic ${Buffer.from('us er:p@ss').toString('base64')}` }, async (ground, url, proxy) => {
    refused(await ground.run(remote, { env: { http_proxy: url } }), 4, /407/, /user:password@/);
    proxy.requests.length = 0;
    await ground.recovers(remote, { env: { http_proxy: url.replace('//', '//us%20er:p%40ss@') } });
  });
  withProxy('are never used for loopback', {}, async (ground, url, proxy, server) => {
    await ground.recovers(server.url, { env: { http_proxy: url, ALL_PROXY: url, npm_config_proxy: url } });
    assert.equal(proxy.requests.length, 0);
  });
  for (const [list, direct] of [['files.invalid', true], ['.invalid', true], ['other,files.invalid:80', true], ['*', true], ['files.invalid:8080', false], ['iles.invalid', false], ['10.0.0.0/8', false]]) {
    withProxy(`NO_PROXY=${list} ${direct ? 'keeps' : 'does not keep'} the host from the proxy`, {}, async (ground, url, proxy) => {
      const result = await ground.run('http://files.invalid', { env: { http_proxy: url, NO_PROXY: list } });
      if (direct) refused(result, 4, /resolved/);
      else assert.equal(result.code, 0, result.text);
      assert.equal(proxy.requests.length, direct ? 0 : 1);
    });
  }
  withProxy('npm_config_noproxy keeps a host from them too', {}, async (ground, url, proxy) => {
    refused(await ground.run('http://files.invalid', { env: { http_proxy: url, npm_config_noproxy: 'invalid' } }), 4, /resolved/);
    assert.equal(proxy.requests.length, 0);
  });
});

describe('mirrors and what is there already', { concurrency: 4 }, () => {
  withServer('come in order, each failure said once', {}, async (ground, server) => {
    const second = await startServer({ files: good });
    server.set(at, 'status 404');
    const result = await ground.recovers([server.url, second.url]);
    await second.close();
    assert.equal(result.text.match(/^warning: /gm)?.length, 1, result.text);
  });
  withServer('all wrong: the worst is the exit code, each is named', {}, async (ground, server) => {
    const second = await startServer({ files: good });
    server.set(at, 'wrong-bytes');
    second.set(at, 'status 404');
    refused(await ground.run([server.url, second.url]), 5, /expected sha256/, /404/, new RegExp(`${second.port}`));
    await second.close();
  });
  withServer('a folder and a server may be mixed', {}, async (ground, server) => {
    await ground.recovers([`file://${ground.place('nowhere')}`, server.url]);
    fs.rmSync(ground.place('cache'), { recursive: true });
    fs.mkdirSync(ground.place('cache'));
    write(ground.place(`home/.npmrc`), '');
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rne-folder-'));
    fs.writeFileSync(path.join(folder, file), body);
    await ground.recovers([`file://${folder}`, 'http://127.0.0.1:1']);
    fs.rmSync(folder, { recursive: true });
  });
  withServer('a folder that lies is refused like a server', {}, async (ground) => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rne-folder-'));
    const there = path.join(folder, file);
    fs.writeFileSync(there, Buffer.alloc(300_000));
    refused(await ground.run(`file://${folder}`), 5, /expected sha256/);
    fs.truncateSync(there, 299_999);
    refused(await ground.run(`file://${folder}`), 5, /299999/);
    fs.rmSync(there);
    refused(await ground.run(`file://${folder}`), 4, /has no/);
    fs.mkdirSync(there);
    refused(await ground.run(`file://${folder}`), 4, /a folder/);
    fs.rmdirSync(there);
    fs.symlinkSync('/dev/zero', there);
    refused(await ground.run(`file://${folder}`), 4, /no regular file/);
    fs.rmSync(folder, { recursive: true });
  });
  withServer('a warm cache needs no request when pinned', {}, async (ground, server) => {
    await ground.recovers(server.url);
    server.forget();
    await ground.recovers(server.url);
    await ground.recovers('http://127.0.0.1:1');
    assert.equal(server.requests.length, 0);
  });
  withServer('a warm cache survives what happens to the sidecar', { pinned: false }, async (ground, server) => {
    await ground.recovers(server.url);
    for (const plan of ['status 403', 'status 404', 'empty', 'close-at-once']) {
      server.set(`${at}.sha256`, plan);
      assert.match((await ground.recovers(server.url)).text, /sha256 cannot be had/);
    }
    assert.match((await ground.recovers('http://127.0.0.1:1')).text, /sha256 cannot be had/);
    assert.equal(server.count(at), 1);
  });
  withServer('--offline lists what is missing', {}, async (ground, server) => {
    refused(await ground.run(server.url, { args: ['--offline'] }), 4, new RegExp(file), new RegExp(digest), new RegExp(server.url));
    assert.equal(server.requests.length, 0);
  });
});

describe('large files over slow connections', { concurrency: 1 }, () => {
  const large = crypto.randomBytes(6_000_000);
  const files = { [at]: large };
  const rate = 3_000_000;

  withServer('are fetched in parts', { content: large, server: { files, rate: 1_000_000 } }, async (ground, server) => {
    await ground.recovers(server.url);
    assert.ok(server.count(at) > 1);
    assert.ok(ranges(server).slice(1).every((range) => /^bytes=\d+-\d+$/.test(range)));
    assert.ok(server.requests.slice(1).every(({ headers }) => headers['if-range'] === etagOf(large)));
  });
  for (const plan of ['no-etag', 'weak-etag', 'no-range']) {
    withServer(`"${plan}" keeps them whole`, { content: large, server: { files, rate } }, async (ground, server) => {
      server.set(at, plan);
      await ground.recovers(server.url);
      if (plan !== 'no-range') assert.equal(server.count(at), 1);
    });
  }
  withServer('go on alone when further connections are refused', { content: large, server: { files, rate } }, async (ground, server) => {
    server.set(at, 'parts status 503');
    const result = await ground.recovers(server.url);
    assert.doesNotMatch(result.text, /warning/);
    assert.ok(server.count(at) > 1);
  });
  for (const plan of ['reset-at 90%', 'close-at-once', 'wrong-bytes', 'status 404', 'no-range', 'unasked-206', 'redirect 302 /nowhere', 'silent', 'endless', 'header-flood']) {
    withServer(`survive parts that come as "${plan}"`, { content: large, server: { files, rate } }, async (ground, server) => {
      server.set(at, `parts ${plan}`);
      const result = await ground.recovers(server.url);
      assert.doesNotMatch(result.text, /warning/);
      assert.ok(server.count(at) > 1);
    });
  }
  withServer('survive a cut of the first connection', { content: large, server: { files, rate } }, async (ground, server) => {
    server.set(at, ['reset-at 20%', 'ok']);
    await ground.recovers(server.url);
  });
  for (const signal of ['SIGTERM', 'SIGKILL']) {
    withServer(`need no clean-up after ${signal} between parts`, { content: large, server: { files, rate } }, async (ground, server) => {
      const child = ground.start(server.url);
      while (server.count(at) < 3) await new Promise((resolve) => setTimeout(resolve, 5));
      await new Promise((resolve) => setTimeout(resolve, 200));
      child.kill(signal);
      await once(child, 'close');
      server.forget();
      server.rate = 0;
      await ground.recovers(server.url);
      if (signal === 'SIGTERM') assert.match(ranges(server)[0], /^bytes=\d+-$/);
    });
  }
});
