// The runs into which faults are put. Each has a state before (what its
// `before` installs, and what befalls that), and a wish that the run under
// fault is to fulfil. Small releases: every call is a run.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { bytes, manifestOf, product, sampleRelease, write, writeRelease } from '../system/lib/project.mjs';
import { startServer } from '../system/lib/server.mjs';
import { Injector, launch } from './injected.mjs';

const SIZE = 1500;
const target = 'android-arm64';
const libs = 'android/libs';

const first = () => sampleRelease({ seed: 'v1', size: SIZE });

// One file changed, one stayed, one is gone, one is a folder now, one is new.
function second() {
  const release = first();
  const core = release['core-android-arm64-v8a'];
  core['executorch/arm64-v8a/libexecutorch.so'] = bytes('v2', SIZE);
  delete core['pthreadpool/arm64-v8a/libpthreadpool.so'];
  core['pthreadpool/arm64-v8a/libpthreadpool.so/part'] = 'a folder where a file was';
  release['opencv-android-arm64-v8a']['opencv/arm64-v8a/libopencv_imgproc.a'] = bytes('imgproc', SIZE);
  delete release['opencv-android-arm64-v8a']['opencv/arm64-v8a/libopencv_core.a'];
  return release;
}

// A static server, counting; small answers, so that one read gets each.
export async function serve(folder) {
  const server = http.createServer((request, response) => {
    const file = path.join(folder, request.url);
    if (!fs.existsSync(file)) return response.writeHead(404).end();
    const body = fs.readFileSync(file);
    response.writeHead(200, { 'Content-Length': body.length, ETag: `"${body.length}"` }).end(body);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => { server.closeAllConnections(); server.close(); } };
}

// What is asked for: the app's block, the manifest in the package, arguments.
class Wish {
  constructor(place, name, { extras, release, pinned = true, args = [], env = {}, url }) {
    this.folder = path.join(place.root, `release-${name}`);
    this.args = [...args];
    this.place = place;
    this.release = release;
    writeRelease(this.folder, Object.fromEntries(Object.entries(release).filter(([artifact]) => artifact.endsWith('arm64-v8a'))));
    this.manifest = manifestOf(this.folder, { pinned });
    this.app = { name: 'app', version: '1.0.0', dependencies: { [product]: '0.9.0' }, [product]: { extras } };
    this.env = { ...place.env, RNET_BASE_URL: url ?? `file://${this.folder}`, ...env };
  }

  make() {
    write(path.join(this.place.app, 'package.json'), this.app);
    write(path.join(this.place.pkg, 'rne-manifest.json'), this.manifest);
  }

  run(injector, options = {}) {
    const env = injector ? { ...this.env, ...injector.env } : this.env;
    return launch(this.args, { cwd: this.place.pkg, env, ...options });
  }

  // Neither release nor cache are there.
  offline() {
    const nowhere = path.join(this.place.root, 'nowhere');
    fs.rmSync(this.place.cache, { recursive: true, force: true });
    return launch(this.args, { cwd: this.place.pkg, env: { ...this.env, RNET_BASE_URL: `file://${nowhere}` } });
  }
}

export class Place {
  constructor(root) {
    this.root = root;
    this.app = path.join(root, 'app');
    this.pkg = path.join(this.app, 'node_modules', product);
    this.thirdParty = path.join(this.pkg, 'third-party');
    this.config = path.join(this.pkg, 'rne-build-config.json');
    this.cache = path.join(root, 'cache');
    this.home = path.join(root, 'home');
    this.env = { INIT_CWD: this.app, HOME: this.home, RNET_LIBS_CACHE_DIR: this.cache, RNET_TARGET: target, RNET_JOBS: '1', CI: '1' };
    fs.mkdirSync(this.home, { recursive: true });
    write(path.join(this.pkg, 'package.json'), { name: product, version: '0.9.0' });
  }

  file(name) {
    return path.join(this.thirdParty, libs, name);
  }

  // What the program writes.
  get parts() {
    return [this.thirdParty, this.config, this.cache];
  }

  clear() {
    for (const part of this.parts) fs.rmSync(part, { recursive: true, force: true });
    for (const entry of fs.readdirSync(this.pkg)) {
      if (/^(\.rne-tmp-|rne-build-config.json.next)/.test(entry)) fs.rmSync(path.join(this.pkg, entry), { recursive: true });
    }
  }

  // All but what was moved aside.
  uninstall() {
    for (const part of ['android', '.rne-libs/receipt.json']) fs.rmSync(path.join(this.thirdParty, part), { recursive: true, force: true });
    fs.rmSync(this.config, { force: true });
  }

  wish(name, options) {
    return new Wish(this, name, options);
  }
}

async function must(run) {
  const result = await run;
  if (result.code !== 0) throw new Error(`the preparation failed: ${result.stderr}`);
}

async function installed(place, wish) {
  wish.make();
  await must(wish.run());
}

// Installs the first release, asks for the second, and kills that run in the
// middle of its moves.
async function halfUpgraded(place) {
  const build = async (at) => {
    const before = at.wish('1', { extras: ['opencv'], release: first() });
    await installed(at, before);
    const after = at.wish('2', { extras: ['opencv'], release: second() });
    after.make();
    return { before, after };
  };
  const rehearsal = new Place(`${place.root}-rehearsal`);
  const injector = new Injector(path.dirname(place.root));
  injector.order({ record: 1 });
  await must((await build(rehearsal)).after.run(injector));
  const puts = injector.calls().filter((call) => call.name === 'renameat' && call.path.includes('/staging/'));
  const wishes = await build(place);
  injector.order({ mode: 'killAll', call: { ...puts[1], path: puts[1].path.replace(rehearsal.root, place.root) } });
  await wishes.after.run(injector);
  injector.remove();
  fs.rmSync(rehearsal.root, { recursive: true });
  if (!fs.existsSync(path.join(place.thirdParty, '.rne-libs/journal.json'))) throw new Error('the run was not killed in the middle');
  return wishes;
}

// name -> make(place), which leaves the disk as the run under fault finds it:
// { before: the wish that is fulfilled there, after: that of the run, mine:
// contents of other hands, which may be moved but not lost, trees: whether the
// cache keeps some, play: another run than the plain one, for power cuts only,
// close }.
export const scenarios = {
  async 'first install'(place) {
    return { after: place.wish('1', { extras: ['opencv'], release: first() }) };
  },

  async 'first install over http, unpinned'(place) {
    const release = first();
    const wish = place.wish('1', { extras: [], release, pinned: false });
    const server = await serve(wish.folder);
    wish.env.RNET_BASE_URL = server.url;
    return { after: wish, close: server.close };
  },

  async upgrade(place) {
    const before = place.wish('1', { extras: ['opencv'], release: first() });
    await installed(place, before);
    return { before, after: place.wish('2', { extras: ['opencv'], release: second() }) };
  },

  async 'upgrade where others put files'(place) {
    const before = place.wish('1', { extras: [], release: first() });
    await installed(place, before);
    const mine = ['mine, in the way of a file', 'mine, in the way of a folder', 'mine, beside'];
    write(place.file('opencv/arm64-v8a/libopencv_core.a'), mine[0]);
    write(place.file('executorch/arm64-v8a/mine'), mine[2]);
    const release = first();
    release['core-android-arm64-v8a']['more/arm64-v8a/libmore.so'] = bytes('more', SIZE);
    write(place.file('more'), mine[1]);
    return { after: place.wish('2', { extras: ['opencv'], release }), mine };
  },

  'finishing an upgrade that was killed': halfUpgraded,

  async 'first install without a cache'(place) {
    return { after: place.wish('1', { extras: [], release: first(), env: { RNET_LIBS_CACHE_DIR: path.join(place.app, 'package.json/no-folder') } }) };
  },

  async repair(place) {
    const wish = place.wish('1', { extras: ['opencv'], release: first() });
    await installed(place, wish);
    fs.writeFileSync(place.file('opencv/arm64-v8a/libopencv_core.a'), 'damaged');
    fs.rmSync(place.file('executorch'), { recursive: true });
    fs.rmSync(place.file('pthreadpool/arm64-v8a/libpthreadpool.so'));
    fs.mkdirSync(place.file('pthreadpool/arm64-v8a/libpthreadpool.so'));
    fs.rmSync(path.join(place.cache, 'trees'), { recursive: true, force: true });
    return { after: wish };
  },

  async prune(place) {
    const before = place.wish('1', { extras: ['opencv', 'xnnpack'], release: first() });
    await installed(place, before);
    return { before, after: place.wish('2', { extras: [], release: first() }) };
  },

  async 'restore from trees'(place) {
    const wish = place.wish('1', { extras: ['opencv'], release: first(), env: { CI: '' } });
    await installed(place, wish);
    for (let i = 0; i < 2; i++) { // the first makes the trees, the second takes them
      fs.rmSync(place.thirdParty, { recursive: true });
      fs.rmSync(place.config);
      if (!i) await must(wish.run());
    }
    return { after: wish, trees: true };
  },

  async 'restore and keep trees'(place) {
    const wish = place.wish('1', { extras: [], release: first(), env: { CI: '' } });
    await installed(place, wish);
    fs.rmSync(place.thirdParty, { recursive: true });
    fs.rmSync(place.config);
    fs.rmSync(path.join(place.cache, 'trees'), { recursive: true });
    return { after: wish, trees: true };
  },

  async 'a download that was broken off'(place) {
    const wish = place.wish('1', { extras: [], release: first() });
    const name = 'core-android-arm64-v8a.tar.gz';
    const server = await startServer({ files: { [`/${name}`]: fs.readFileSync(path.join(wish.folder, name)) } });
    wish.env.RNET_BASE_URL = server.url;
    const play = async (injector) => {
      server.set(`/${name}`, 'silent-at 60%');
      await wish.run(injector, { stopWhen: () => server.count(`/${name}`) > 0 });
      server.set(`/${name}`, 'ok');
    };
    return { after: wish, play, close: server.close };
  },

  async 'config only'(place) {
    const before = place.wish('1', { extras: ['opencv'], release: first() });
    await installed(place, before);
    return { before, after: place.wish('2', { extras: ['opencv', 'coreml'], release: first() }) };
  },

  async 'flags without libraries'(place) {
    return { after: place.wish('1', { extras: ['opencv'], release: first(), env: { RNET_SKIP_DOWNLOAD: '1' } }) };
  },
};
