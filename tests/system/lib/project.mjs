// A project to install into: an app, its React Native ExecuTorch package, a
// release of small archives, a cache. All in a folder of its own, which the
// test removes.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

export const repository = path.resolve(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '../../..');
export const binary = process.env.RNE_LIBS ?? path.join(repository, 'build/rne-libs');
export const product = 'react-native-executorch';
export const allExtras = ['opencv', 'phonemizer', 'xnnpack', 'coreml', 'vulkan'];

export const sha256 = (bytes) => crypto.createHash('sha256').update(bytes).digest('hex');

export function write(file, content) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content, null, 2));
}

// Bytes that compress about as badly as code does, the same for the same seed.
export function bytes(seed, size) {
  const parts = [];
  for (let i = 0, length = 0; length < size; i++) {
    const block = crypto.createHash('sha256').update(`${seed} ${i}`).digest();
    parts.push(block, block.subarray(0, 16));
    length += 48;
  }
  return Buffer.concat(parts).subarray(0, size);
}

// artifact name -> { path in the archive: content }
export function sampleRelease({ seed = 'v1', size = 20000 } = {}) {
  const release = {};
  for (const abi of ['arm64-v8a', 'x86_64']) {
    const file = (name) => bytes(`${seed} ${abi} ${name}`, size);
    release[`core-android-${abi}`] = {
      [`executorch/${abi}/libexecutorch.so`]: file('core'),
      [`pthreadpool/${abi}/libpthreadpool.so`]: file('pthreadpool'),
    };
    release[`opencv-android-${abi}`] = { [`opencv/${abi}/libopencv_core.a`]: file('opencv') };
    release[`phonemizer-android-${abi}`] = { [`phonemis/${abi}/libphonemis.a`]: file('phonemis') };
    release[`xnnpack-android-${abi}`] = { [`executorch/${abi}/libxnnpack_executorch_backend.so`]: file('xnnpack') };
    release[`vulkan-android-${abi}`] = { [`executorch/${abi}/libvulkan_executorch_backend.so`]: file('vulkan') };
  }
  const ios = (name) => bytes(`${seed} ios ${name}`, size);
  release['core-ios'] = { 'ExecutorchLib.xcframework/Info.plist': '<plist/>\n', 'ExecutorchLib.xcframework/ios-arm64/ExecutorchLib': ios('core') };
  release['phonemizer-ios'] = { 'libs/phonemis/libphonemis.a': ios('phonemis') };
  release['xnnpack-ios'] = { 'XnnpackBackend.xcframework/ios-arm64/libXnnpackBackend.a': ios('xnnpack') };
  release['coreml-ios'] = { 'CoreMLBackend.xcframework/ios-arm64/libCoreMLBackend.a': ios('coreml') };
  return release;
}

// Archives made the way upstream's packaging script makes them: a staging
// folder of mode 0700, `tar -czf ... .`, old files, a bare digest beside it.
export function writeRelease(folder, release) {
  fs.mkdirSync(folder, { recursive: true });
  for (const [name, files] of Object.entries(release)) {
    const stage = fs.mkdtempSync(path.join(os.tmpdir(), 'rne-stage-'));
    for (const [file, content] of Object.entries(files)) {
      write(path.join(stage, file), content);
    }
    // Folders, too: the same files make the same archive, whenever.
    for (const entry of [...fs.readdirSync(stage, { recursive: true }), '.']) fs.utimesSync(path.join(stage, entry), 499162500, 499162500);
    const archive = path.join(folder, `${name}.tar.gz`);
    execFileSync('tar', ['-czf', archive, '-C', stage, '.']);
    write(`${archive}.sha256`, `${sha256(fs.readFileSync(archive))}\n`);
    fs.rmSync(stage, { recursive: true });
  }
}

// The bundled manifest; pinned: with the sizes and digests of `folder`.
export function manifestOf(folder, { pinned, version = '0.9.0', baseUrls } = {}) {
  const manifest = JSON.parse(fs.readFileSync(path.join(repository, `manifests/${product}-${version}.json`), 'utf8'));
  if (baseUrls) manifest.baseUrls = baseUrls;
  for (const artifact of manifest.artifacts) {
    for (const archive of artifact.archives) {
      const file = path.join(folder, archive.file);
      if (!pinned || !fs.existsSync(file)) continue;
      const content = fs.readFileSync(file);
      archive.size = content.length;
      archive.sha256 = sha256(content);
    }
  }
  return manifest;
}

// path -> content digest (or "-> target", or "folder"), below `folder`.
export function treeOf(folder, { ignore = ['.rne-libs'] } = {}) {
  const found = {};
  const walk = (at) => {
    for (const entry of fs.readdirSync(path.join(folder, at), { withFileTypes: true })) {
      const name = path.join(at, entry.name);
      if (ignore.includes(name)) continue;
      if (entry.isDirectory()) walk(name);
      else if (entry.isSymbolicLink()) found[name] = `-> ${fs.readlinkSync(path.join(folder, name))}`;
      else found[name] = sha256(fs.readFileSync(path.join(folder, name)));
    }
  };
  if (fs.existsSync(folder)) walk('.');
  return found;
}

const time = '/usr/bin/time';
const noPeak = process.env.RNE_SANITIZED ? 'a sanitizer takes memory of its own' : spawnSync(time, ['-f', '%M', 'true']).status === 0 ? false : 'there is no GNU time';

// Asynchronous, since the servers of a test live in the same process. With
// `peak` the result has the memory that was taken, in bytes, where that can
// be had.
export async function run(command, args, { peak, ...options } = {}) {
  if (!peak || noPeak) return runPlain(command, args, options);
  const report = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'rne-peak-')), 'peak');
  const result = await runPlain(time, ['-f', '%M', '-o', report, command, ...args], options);
  const kilobytes = Number(fs.readFileSync(report, 'utf8').trim().split('\n').at(-1));
  fs.rmSync(path.dirname(report), { recursive: true });
  return { ...result, peak: kilobytes * 1024 };
}

function runPlain(command, args, { cwd, env = {}, input, timeout = 60000 } = {}) {
  const clean = Object.fromEntries(Object.entries(process.env).filter(([key]) => !/^(npm_|RNET_|GITHUB_|CI$|.*_proxy$|.*_PROXY$|XDG_|NO_COLOR|FORCE_COLOR|INIT_CWD|NODE_)/.test(key)));
  return new Promise((resolve) => {
    const started = process.hrtime.bigint();
    const child = spawn(command, args, { cwd, env: { ...clean, ...env }, stdio: ['pipe', 'pipe', 'pipe'], detached: command === time });
    let stdout = '', stderr = '';
    child.stdout.on('data', (data) => (stdout += data));
    child.stderr.on('data', (data) => (stderr += data));
    child.stdin.on('error', () => {});
    child.stdin.end(input ?? '');
    const timer = setTimeout(() => (command === time ? process.kill(-child.pid, 'SIGKILL') : child.kill('SIGKILL')), timeout);
    child.on('error', (error) => (stderr += error));
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal, stdout, stderr, ms: Number(process.hrtime.bigint() - started) / 1e6 });
    });
  });
}

// ---- What holds after every run -------------------------------------------

// path -> what a change of it would show, below `folder`.
function factsOf(folder, isLeftOut) {
  const found = {};
  const walk = (at) => {
    if (isLeftOut(at)) return;
    const stat = fs.lstatSync(at, { bigint: true, throwIfNoEntry: false });
    if (!stat) return;
    if (!stat.isDirectory()) {
      found[path.relative(folder, at)] = `${stat.mode.toString(8)} ${stat.size} ${stat.mtimeNs}`;
      return;
    }
    found[path.relative(folder, at)] = `${stat.mode.toString(8)}, a folder`;
    let names = [];
    try {
      names = fs.readdirSync(at);
    } catch { /* another run has just removed it */ }
    for (const name of names) walk(path.join(at, name));
  };
  walk(folder);
  return found;
}

// Files of a cache whose bytes are not those that their names say.
function wrongArchives(cache) {
  const folder = path.join(cache, 'archives');
  const names = fs.existsSync(folder) && fs.statSync(folder).isDirectory() ? fs.readdirSync(folder) : [];
  return names.filter((name) => {
    const file = path.join(folder, name);
    if (!fs.lstatSync(file, { throwIfNoEntry: false })?.isFile()) return false;
    try {
      return sha256(fs.readFileSync(file)) !== name;
    } catch {
      return false; // somebody clears the cache just now
    }
  });
}

// Everything that the receipt names is there, and nothing of a run is left.
function checkInstalled(project) {
  const config = fs.readFileSync(project.configFile);
  const receipt = JSON.parse(fs.readFileSync(project.receiptFile, 'utf8'));
  assert.equal(receipt.buildConfig, sha256(config));
  for (const file of receipt.artifacts.flatMap(({ files }) => files)) {
    const stat = fs.lstatSync(path.join(project.thirdParty, file.path), { throwIfNoEntry: false });
    assert.ok(stat, `${file.path} is in the receipt, and is not there`);
    if (file.size !== undefined) assert.equal(stat.size, file.size, file.path);
  }
  assert.deepEqual(fs.readdirSync(path.dirname(project.receiptFile)).filter((name) => !['receipt.json', 'lock', 'replaced'].includes(name)), []);
}

const ended = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 129, 130, 143]; // exit codes
const withoutError = [0, 8, 129, 130, 143];
const reading = ['plan', 'verify', 'status', 'warm', 'install', 'cache list', 'cache verify', 'cache prune', 'cache clear'];

// Returns what to call with the result of a run of `args` that starts now.
function startOracle(project, args, env, edited) {
  const command = args.slice(0, args[0] === 'cache' ? 2 : 1).join(' ');
  const isInstall = !args.length || args[0] === 'install' || args[0].startsWith('-');
  const cacheAt = args.indexOf('--cache-dir');
  const cache = path.resolve(project.pkg, cacheAt < 0 ? env.RNET_LIBS_CACHE_DIR || project.cache : args[cacheAt + 1]);
  const own = [cache, project.cache, path.join(project.home, '.cache')];
  const outside = () => factsOf(project.root, (at) => own.includes(at) || ['third-party', 'rne-build-config.json', 'rne-build-config.json.next'].includes(path.basename(at)));
  const inside = () => [project.thirdParty, project.configFile].map((at) => Object.entries(factsOf(at, (below) => path.basename(below) === '.rne-libs')).filter(([, fact]) => !fact.endsWith('folder')));
  const before = { outside: outside(), inside: inside(), wrong: wrongArchives(cache) };
  const alone = !project.running;
  const serial = (project.serial = (project.serial ?? 0) + 1);
  project.running = (project.running ?? 0) + 1;
  return ({ code, signal, stdout, stderr }) => {
    project.running--;
    const others = !alone || serial !== project.serial; // they change things, too
    const facts = (found) => Object.fromEntries(Object.entries(found).filter(([name]) => !others || !/^(\.rne-tmp-|rne-build-config\.json\.)/.test(path.basename(name))));
    // Its own exit code, and a reason without control bytes and credentials.
    assert.ok(signal || ended.includes(code), `exit code ${code}: ${stderr}`);
    // eslint-disable-next-line no-control-regex
    assert.doesNotMatch(stdout + stderr, /[\x00-\x08\x0b-\x1f\x7f]|\u009b/, 'a raw control byte');
    if (env.GITHUB_TOKEN) assert.ok(!(stdout + stderr).includes(env.GITHUB_TOKEN), 'a credential');
    if (!signal && !withoutError.includes(code)) assert.match(stderr, /^error: /m);
    // Nothing is written elsewhere, and nothing wrong into the cache.
    if (!edited && (isInstall || reading.includes(command))) assert.deepEqual(facts(outside()), facts(before.outside));
    assert.deepEqual(wrongArchives(cache).filter((name) => !before.wrong.includes(name)), []);
    if (others) return;
    if (stderr.includes('Nothing that was installed has changed')) assert.deepEqual(inside(), before.inside);
    if (isInstall && code === 0 && !args.includes('--help') && !env.RNET_SKIP_DOWNLOAD?.match(/1|true|yes|on/) && fs.existsSync(project.receiptFile)) checkInstalled(project);
  };
}

export function makeProject({ block, release = sampleRelease(), pinned = true, version = '0.9.0' } = {}) {
  const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'rne-project-')));
  const app = path.join(root, 'app');
  const project = {
    root,
    app,
    pkg: path.join(app, 'node_modules', product),
    release: path.join(root, 'release'),
    cache: path.join(root, 'cache'),
    home: path.join(root, 'home'),
    get thirdParty() { return path.join(this.pkg, 'third-party'); },
    get configFile() { return path.join(this.pkg, 'rne-build-config.json'); },
    get receiptFile() { return path.join(this.thirdParty, '.rne-libs/receipt.json'); },
    config() { return JSON.parse(fs.readFileSync(this.configFile, 'utf8')); },
    tree() { return treeOf(this.thirdParty); },
    setBlock(value) {
      const manifest = { name: 'app', version: '1.0.0', dependencies: { [product]: '0.9.0' } };
      if (value !== undefined) manifest[product] = value;
      write(path.join(app, 'package.json'), manifest);
    },
    // The archives of `next`, and a manifest for them in the package.
    setRelease(next, options = {}) {
      fs.rmSync(this.release, { recursive: true, force: true });
      writeRelease(this.release, next);
      write(path.join(this.pkg, 'rne-manifest.json'), manifestOf(this.release, { pinned, version, ...options }));
    },
    // As npm runs the hook: in the package, INIT_CWD the app. What has to hold
    // after every run is checked here; `edited`: the test itself writes
    // somewhere meanwhile.
    async run(args = [], { env = {}, cwd = this.pkg, edited = false, ...options } = {}) {
      const all = { INIT_CWD: app, HOME: this.home, RNET_LIBS_CACHE_DIR: this.cache, RNET_BASE_URL: `file://${this.release}`, ...env };
      const oracle = startOracle(this, args, all, edited);
      const result = await run(binary, args, { cwd, env: all, ...options });
      oracle(result);
      return result;
    },
    remove() { fs.rmSync(root, { recursive: true, force: true }); },
  };
  fs.mkdirSync(project.home, { recursive: true });
  write(path.join(project.pkg, 'package.json'), { name: product, version });
  project.setBlock(block);
  project.setRelease(release);
  return project;
}

// What the selected artifacts of a release put below third-party/.
export function expectedTree(release, names) {
  const found = {};
  for (const name of names) {
    const folder = name.endsWith('-ios') ? 'ios' : 'android/libs';
    for (const [file, content] of Object.entries(release[name])) found[path.join(folder, file)] = sha256(content);
  }
  return found;
}

// A test with a project of its own, which is removed afterwards.
export function withProject(name, options, body) {
  test(name, async () => {
    const project = makeProject(options);
    try {
      await body(project);
    } finally {
      project.remove();
    }
  });
}

export function ok(result) {
  assert.equal(result.code, 0, result.stderr);
  return result;
}

// A plain server of a folder's files that records every request; `answer` may
// take one over, and says so by returning true. (server.mjs is the one that
// lies.)
export async function serve(folder, answer) {
  const requests = [];
  const server = http.createServer((request, response) => {
    requests.push({ url: request.url, method: request.method, headers: request.headers });
    if (answer?.(request, response)) return;
    const file = path.join(folder, request.url);
    if (!fs.existsSync(file)) return response.writeHead(404).end('<html>no such file</html>');
    response.end(fs.readFileSync(file));
  });
  // A test that failed before close() must not keep the process waiting.
  server.unref();
  server.on('connection', (socket) => socket.unref());
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    requests,
    url: `http://127.0.0.1:${server.address().port}`,
    close() {
      server.closeAllConnections?.();
      server.close();
    },
  };
}
