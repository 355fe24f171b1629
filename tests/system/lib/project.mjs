// A project to install into: an app, its React Native ExecuTorch package, a
// release of small archives, a cache. All in a folder of its own, which the
// test removes.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
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

// Asynchronous, since the servers of a test live in the same process.
export function run(command, args, { cwd, env = {}, input, timeout = 60000 } = {}) {
  const clean = Object.fromEntries(Object.entries(process.env).filter(([key]) => !/^(npm_|RNET_|GITHUB_|CI$|.*_proxy$|.*_PROXY$|XDG_|NO_COLOR|FORCE_COLOR|INIT_CWD|NODE_)/.test(key)));
  return new Promise((resolve) => {
    const started = process.hrtime.bigint();
    const child = spawn(command, args, { cwd, env: { ...clean, ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
    let stdout = '', stderr = '';
    child.stdout.on('data', (data) => (stdout += data));
    child.stderr.on('data', (data) => (stderr += data));
    child.stdin.on('error', () => {});
    child.stdin.end(input ?? '');
    const timer = setTimeout(() => child.kill('SIGKILL'), timeout);
    child.on('error', (error) => (stderr += error));
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal, stdout, stderr, ms: Number(process.hrtime.bigint() - started) / 1e6 });
    });
  });
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
    // As npm runs the hook: in the package, INIT_CWD the app.
    run(args = [], { env = {}, cwd = this.pkg, ...options } = {}) {
      return run(binary, args, {
        cwd,
        env: { INIT_CWD: app, HOME: this.home, RNET_LIBS_CACHE_DIR: this.cache, RNET_BASE_URL: `file://${this.release}`, ...env },
        ...options,
      });
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
