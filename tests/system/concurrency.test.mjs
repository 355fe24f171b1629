// Several at once: on one project, on one cache, killed, stopped, without
// locks, in containers that count their processes alike.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { bare, Injector, library } from '../faults/injected.mjs';
import { binary, expectedTree, makeProject, ok, product, run, sampleRelease, serve, sha256, treeOf, withProject, write } from './lib/project.mjs';
import { startServer } from './lib/server.mjs';

const MANY = 32;
const release = sampleRelease();
const android = (names) => names.flatMap((name) => ['arm64-v8a', 'x86_64'].map((abi) => `${name}-android-${abi}`));
const treeFor = (extras) => expectedTree(release, android(['core', ...extras]));
const isArchive = ({ url }) => url.endsWith('.tar.gz');
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const until = async (condition, ms = 20000) => {
  for (const end = Date.now() + ms; !condition(); await sleep(10)) assert.ok(Date.now() < end, 'it took too long');
};
const many = (count, body) => Promise.all(Array.from({ length: count }, (_, i) => body(i)));

// withProject, or a skipped test that says why.
const withProjectIf = (possible, reason) => (possible ? withProject : (name) => test(name, { skip: reason }, () => {}));

// One GET of each archive, whoever needed it.
function onceEach(server, count) {
  const urls = server.requests.filter(isArchive).map(({ url }) => url);
  assert.deepEqual(urls.toSorted(), [...new Set(urls)].sort());
  assert.equal(urls.length, count);
}

function soundCache(project) {
  const folder = path.join(project.cache, 'archives');
  for (const name of fs.readdirSync(folder)) assert.equal(sha256(fs.readFileSync(path.join(folder, name))), name);
}

// Others that share the project's release and cache: { run, tree, remove }.
function another(project, name, extras) {
  const app = path.join(project.root, name);
  const pkg = path.join(app, 'node_modules', product);
  fs.mkdirSync(pkg, { recursive: true });
  for (const file of ['package.json', 'rne-manifest.json']) fs.copyFileSync(path.join(project.pkg, file), path.join(pkg, file));
  write(path.join(app, 'package.json'), { name, dependencies: { [product]: '0.9.0' }, [product]: { extras } });
  return { pkg, thirdParty: path.join(pkg, 'third-party'), tree: () => treeOf(path.join(pkg, 'third-party')), run: (args, { env, ...rest } = {}) => project.run(args, { cwd: pkg, env: { INIT_CWD: app, ...env }, ...rest }) };
}

// A run that a signal can reach: { child, ended }.
function start(project, { pkg = project.pkg, app = project.app, url, args = [] }) {
  const child = spawn(binary, args, { cwd: pkg, stdio: 'ignore', env: { ...bare, INIT_CWD: app, HOME: project.home, RNET_LIBS_CACHE_DIR: project.cache, RNET_BASE_URL: url } });
  return { child, ended: new Promise((resolve) => child.on('exit', (code, signal) => resolve({ code, signal }))) };
}

withProject(`${MANY} processes on one project with an empty cache: all succeed, one GET for each archive`, { block: { extras: ['opencv'] } }, async (project) => {
  const server = await serve(project.release);
  const results = await many(MANY, () => project.run([], { env: { RNET_BASE_URL: server.url } }));
  server.close();
  results.forEach(ok);
  onceEach(server, 4);
  assert.deepEqual(project.tree(), treeFor(['opencv']));
  soundCache(project);
  assert.deepEqual(fs.readdirSync(path.dirname(project.receiptFile)), ['receipt.json']);
  assert.match((await project.run()).stderr, /^up to date/);
});

withProject(`${MANY} projects on one cache: all succeed, one GET for each archive, equal trees`, { block: { extras: ['opencv'] } }, async (project) => {
  const server = await serve(project.release);
  const others = Array.from({ length: MANY }, (_, i) => another(project, `app-${i}`, ['opencv']));
  const results = await many(MANY, (i) => others[i].run([], { env: { RNET_BASE_URL: server.url } }));
  server.close();
  results.forEach(ok);
  onceEach(server, 4);
  for (const other of others) assert.deepEqual(other.tree(), treeFor(['opencv']));
  soundCache(project);
});

withProject('two installs with different extras: wholly one or wholly the other', { block: { extras: [] } }, async (project) => {
  const wishes = [['opencv'], ['xnnpack', 'vulkan']];
  for (let round = 0; round < 12; round++) {
    const results = await many(4, (i) => project.run(['--extras', wishes[(round + i) % 2].join()]));
    results.forEach(ok);
    const { extras } = project.config().rneLibs;
    assert.ok(wishes.some((wish) => wish.join() === extras.join()), extras.join());
    assert.deepEqual(project.tree(), treeFor(extras));
    for (const name of ['opencv', 'xnnpack', 'vulkan']) assert.equal(project.config()[`RNE_ENABLE_${name.toUpperCase()}`], extras.includes(name));
  }
});

withProject(`${MANY} processes, each killed or interrupted at some moment: the next run puts everything right`, { block: { extras: ['opencv'] } }, async (project) => {
  const others = [project, ...Array.from({ length: 3 }, (_, i) => another(project, `app-${i}`, ['opencv']))];
  const signals = ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP'];
  for (let round = 0; round < 3; round++) {
    await many(MANY, async (i) => {
      const { pkg } = others[i % others.length];
      const { child, ended } = start(project, { pkg, app: path.resolve(pkg, '../..'), url: `file://${project.release}` });
      await sleep((i * 37 + round * 13) % 120);
      child.kill(signals[i % signals.length]);
      const { code, signal } = await ended;
      assert.ok(signal || [0, 129, 130, 143].includes(code), `exit code ${code}`);
    });
    for (const other of others) {
      ok(await other.run());
      assert.deepEqual(other.tree(), treeFor(['opencv']));
      fs.rmSync(other.thirdParty, { recursive: true });
    }
    soundCache(project);
    if (round) fs.rmSync(project.cache, { recursive: true });
  }
});

withProject('prune, clear and verify of the cache beside running installs: none fails', { block: { extras: ['opencv'] } }, async (project) => {
  const others = Array.from({ length: 6 }, (_, i) => another(project, `app-${i}`, ['opencv']));
  const server = await serve(project.release);
  let running = others.length;
  const keepers = [['cache', 'prune'], ['cache', 'clear'], ['cache', 'verify']].map(async (command) => {
    for (; running; await sleep(5)) ok(await project.run(command));
  });
  await many(others.length, async (i) => {
    for (let round = 0; round < 5; round++) {
      ok(await others[i].run([], { env: { RNET_BASE_URL: server.url } }));
      assert.deepEqual(others[i].tree(), treeFor(['opencv']));
      fs.rmSync(others[i].thirdParty, { recursive: true });
    }
    running--;
  });
  await Promise.all(keepers);
  server.close();
});

withProject('the holder of the lock is stopped: others wait, say for whom, and give up with 9; killed: the next goes on at once', { block: { extras: [] } }, async (project) => {
  let silent = true;
  const server = await serve(project.release, (request) => silent && isArchive(request));
  const env = { RNET_BASE_URL: server.url };
  const holder = start(project, { url: server.url });
  await until(() => server.requests.length > 0);
  holder.child.kill('SIGSTOP');
  silent = false;

  const refused = await project.run(['--lock-timeout', '2'], { env });
  assert.equal(refused.code, 9, refused.stderr);
  assert.match(refused.stderr, new RegExp(`waiting for process ${holder.child.pid} on \\S+ \\(install\\)`));
  assert.match(refused.stderr, new RegExp(`lock is locked by process ${holder.child.pid} .*; waited 2 s`));
  assert.match(refused.stderr, /Nothing that was installed has changed/);

  const waiting = project.run([], { env });
  await sleep(300);
  const killed = performance.now();
  holder.child.kill('SIGKILL');
  ok(await waiting);
  assert.ok(performance.now() - killed < 5000, 'it went on late');
  server.close();
  assert.deepEqual(project.tree(), treeFor([]));
});

withProject('the downloader of an archive is stopped: another project waits, says for whom, and gives up with 9; killed: it goes on', { block: { extras: [] } }, async (project) => {
  let silent = true;
  const server = await serve(project.release, (request) => silent && isArchive(request));
  const env = { RNET_BASE_URL: server.url };
  const other = another(project, 'other', []);
  const holder = start(project, { url: server.url });
  await until(() => server.requests.length > 0);
  holder.child.kill('SIGSTOP');
  silent = false;

  const refused = await other.run(['--lock-timeout', '2'], { env });
  assert.equal(refused.code, 9, refused.stderr);
  assert.match(refused.stderr, new RegExp(`waiting for process ${holder.child.pid} on \\S+ \\(download\\), which downloads core-android-`));
  assert.match(refused.stderr, new RegExp(`core-android-\\S+ is being downloaded by process ${holder.child.pid} .*; waited 2 s`));

  const waiting = other.run([], { env });
  await sleep(300);
  holder.child.kill('SIGKILL');
  ok(await waiting);
  assert.deepEqual(other.tree(), treeFor([]));
  ok(await project.run([], { env }));
  server.close();
  assert.deepEqual(project.tree(), treeFor([]));
});

withProjectIf(!spawnSync('flock', ['--version']).error, 'flock(1) is not installed')('a maintenance of the cache that takes long is waited for, too', { block: { extras: [] } }, async (project) => {
  ok(await project.run());
  const lock = path.join(project.cache, 'lock');
  const holder = spawn('flock', ['-x', lock, 'sleep', '600'], { stdio: 'ignore', detached: true });
  await sleep(300);
  try {
    fs.rmSync(project.thirdParty, { recursive: true });
    for (const command of [['--lock-timeout', '1'], ['cache', 'prune', '--lock-timeout', '1'], ['warm', '--manifest', path.join(project.pkg, 'rne-manifest.json'), '--lock-timeout', '1']]) {
      const refused = await project.run(command);
      assert.equal(refused.code, 9, refused.stderr);
      assert.match(refused.stderr, /lock is locked by .*; waited 1 s/);
    }
  } finally {
    process.kill(-holder.pid, 'SIGKILL');
  }
  ok(await project.run());
});

// Without locks work may be done twice, or be in vain; never wrong.
for (const [name, code] of [['ENOLCK', 37], ['EOPNOTSUPP', 95], ['ENOSYS', 38]]) {
  const skip = library() ? false : 'tests/faults/inject.c cannot be built here';
  test(`a file system without locks (${name}): a notice, no hang, the right result`, { skip }, async () => {
    const project = makeProject({ block: { extras: ['opencv'] } });
    const injector = new Injector(project.root);
    try {
      injector.order({ mode: 'failNamed', named: 'flock', code });
      const alone = ok(await project.run([], { env: injector.env, edited: true }));
      assert.ok(injector.fired());
      assert.match(alone.stderr, /this file system has no locks; going on without/);
      assert.deepEqual(project.tree(), treeFor(['opencv']));

      fs.rmSync(project.cache, { recursive: true });
      const others = Array.from({ length: 8 }, (_, i) => another(project, `app-${i}`, ['opencv']));
      // Slow enough that every download meets the others.
      const files = Object.fromEntries(fs.readdirSync(project.release).map((file) => [`/${file}`, fs.readFileSync(path.join(project.release, file))]));
      const server = await startServer({ files, rate: 100000 });
      const results = await many(others.length, async (i) => {
        await sleep(i * 40);
        return others[i].run([], { env: { ...injector.env, RNET_BASE_URL: server.url }, edited: true });
      });
      await server.close();
      results.forEach(ok);
      for (const other of others) assert.deepEqual(other.tree(), treeFor(['opencv']));
      soundCache(project);

      fs.rmSync(project.thirdParty, { recursive: true });
      await many(4, () => project.run([], { env: injector.env, edited: true }));
      ok(await project.run([], { env: injector.env, edited: true }));
      assert.deepEqual(project.tree(), treeFor(['opencv']));
    } finally {
      injector.remove();
      project.remove();
    }
  });
}

withProjectIf(spawnSync('unshare', ['-pf', 'true']).status === 0, 'unshare -p is not permitted')('the same process id in several containers on one cache: no temporary name is taken twice', { block: { extras: ['opencv'] } }, async (project) => {
  const inside = (other) => run('unshare', ['-pf', binary, '-v'], { cwd: other.pkg, env: { INIT_CWD: path.resolve(other.pkg, '../..'), HOME: project.home, RNET_LIBS_CACHE_DIR: project.cache, RNET_BASE_URL: `file://${project.release}` } });
  const others = Array.from({ length: 8 }, (_, i) => another(project, `app-${i}`, ['opencv']));
  for (let round = 0; round < 3; round++) {
    const results = await many(others.length, (i) => inside(others[i]));
    for (const result of results) assert.doesNotMatch(ok(result).stderr, /File exists/);
    for (const other of others) {
      assert.deepEqual(other.tree(), treeFor(['opencv']));
      fs.rmSync(other.thirdParty, { recursive: true });
    }
    const names = fs.readdirSync(project.cache, { recursive: true });
    assert.deepEqual(names.filter((name) => path.basename(name).startsWith('.rne-tmp-')), []);
  }
});
