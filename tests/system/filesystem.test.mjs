// Disks that are full, folders that are none, caches of others, odd
// environments: nothing is lost, nothing is written elsewhere, and the next
// run goes on by itself. (Every single call that fails: tests/faults.)
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { allExtras, binary, bytes, expectedTree, makeProject, ok, run, sampleRelease, serve, sha256, treeOf, withProject, write } from './lib/project.mjs';

const core = ['core-android-arm64-v8a', 'core-android-x86_64'];
const android = (names) => names.flatMap((name) => [`${name}-android-arm64-v8a`, `${name}-android-x86_64`]);
const library = 'android/libs/executorch/arm64-v8a/libexecutorch.so';
const isRoot = process.getuid?.() === 0;
// A worker that is just ending may still have a file open.
const until = async (condition) => {
  for (let waited = 0; !condition(); waited += 50) {
    assert.ok(waited < 5000, 'it took too long');
    await sleep(50);
  }
};
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// ---- Mounts, in a mount namespace of their own ----------------------------

const unshare = ['-m', '--propagation', 'private'];
const noMounts = process.platform !== 'linux' ? 'mounts are Linux\'s here' : spawnSync('unshare', [...unshare, 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0 ? false : 'mounts in a namespace of its own need root';

// A namespace with a tmpfs at each of `mounts` (path -> options).
async function enter(project, mounts) {
  const script = Object.entries(mounts).map(([at, options]) => `mount -t tmpfs -o ${options} none "${at}"`).join(' && ');
  for (const at of Object.keys(mounts)) fs.mkdirSync(at, { recursive: true });
  const holder = spawn('unshare', [...unshare, 'sh', '-c', `${script} && echo ready && exec sleep 600`], { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve, reject) => { holder.stdout.once('data', resolve); holder.once('exit', () => reject(new Error('no mount'))); });
  const inside = (...command) => ['-t', String(holder.pid), '-m', '--', ...command];
  const env = { INIT_CWD: project.app, HOME: project.home, RNET_LIBS_CACHE_DIR: project.cache, RNET_BASE_URL: `file://${project.release}` };
  return {
    run: (args = []) => run('nsenter', inside('env', '-C', project.pkg, binary, ...args), { env }),
    shell: (text) => execFileSync('nsenter', inside('sh', '-c', text), { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }),
    at: (file) => `/proc/${holder.pid}/root${file}`,
    leave: () => holder.kill('SIGKILL'),
  };
}

function withMounts(name, mountsOf, body, options = { block: { extras: [] } }) {
  test(name, { skip: noMounts }, async () => {
    const project = makeProject(options);
    fs.mkdirSync(project.thirdParty, { recursive: true });
    const space = await enter(project, mountsOf(project));
    try {
      await body(project, space);
    } finally {
      space.leave();
      project.remove();
    }
  });
}

const full = (result, ...patterns) => {
  assert.equal(result.code, 7, result.stderr);
  assert.match(result.stderr, /No space left on device/);
  for (const pattern of patterns) assert.match(result.stderr, pattern);
};
const needed = /About [\d.]+ [KM]?B are to be downloaded, which are [\d.]+ [KM]?B unpacked\. \d+ KB are left there/;

function soundCache(folder) {
  const archives = path.join(folder, 'archives');
  for (const name of fs.existsSync(archives) ? fs.readdirSync(archives) : []) assert.equal(sha256(fs.readFileSync(path.join(archives, name))), name);
}

describe('a full disk', () => {
  withMounts('below the cache: what is needed and what is left is said; with more room the same command succeeds', (project) => ({ [project.cache]: 'size=48k' }), async (project, space) => {
    full(await space.run(), needed, /Nothing that was installed has changed/);
    assert.deepEqual(treeOf(space.at(project.thirdParty)), {});
    assert.equal(fs.existsSync(project.configFile), false);
    soundCache(space.at(project.cache));
    space.shell(`mount -o remount,size=10m ${project.cache}`);
    ok(await space.run());
    assert.deepEqual(treeOf(space.at(project.thirdParty)), expectedTree(sampleRelease(), core));
    soundCache(space.at(project.cache));
  });

  withMounts('below third-party/: the old set stays whole', (project) => ({ [project.thirdParty]: 'size=200k' }), async (project, space) => {
    ok(await space.run());
    project.setRelease(sampleRelease({ seed: 'v2', size: 200000 }));
    const config = fs.readFileSync(project.configFile);
    full(await space.run(), needed, /Nothing that was installed has changed/);
    assert.deepEqual(treeOf(space.at(project.thirdParty)), expectedTree(sampleRelease(), core));
    assert.deepEqual(fs.readFileSync(project.configFile), config);
    assert.deepEqual(fs.readdirSync(space.at(path.dirname(project.receiptFile))), ['receipt.json']);
    space.shell(`mount -o remount,size=10m ${project.thirdParty}`);
    ok(await space.run());
    assert.deepEqual(treeOf(space.at(project.thirdParty)), expectedTree(sampleRelease({ seed: 'v2', size: 200000 }), core));
  });

  // From nothing at all to just enough: every step meets the end of the disk.
  withMounts('at any size: whatever does not fit, the next run with room puts it right', (project) => ({ [project.thirdParty]: 'size=64k', [project.cache]: 'size=64k' }), async (project, space) => {
    const sizes = { v1: sampleRelease(), v2: sampleRelease({ seed: 'v2', size: 30000 }) };
    let failed = 0;
    const trees = Object.values(sizes).map((release) => JSON.stringify(expectedTree(release, core)));
    for (let kilobytes = 8; kilobytes <= 400; kilobytes += 28) {
      project.setRelease(sizes.v1);
      space.shell(`mount -o remount,size=20m ${project.thirdParty} && mount -o remount,size=20m ${project.cache} && rm -rf ${project.cache}/*`);
      ok(await space.run());
      project.setRelease(sizes.v2);
      space.shell(`rm -rf ${project.cache}/*; mount -o remount,size=${100 + kilobytes}k ${project.thirdParty} && mount -o remount,size=${kilobytes}k ${project.cache}`);
      const result = await space.run();
      if (result.code) { full(result); failed++; }
      const tree = JSON.stringify(Object.fromEntries(Object.entries(treeOf(space.at(project.thirdParty))).sort()));
      const sorted = trees.map((text) => JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(text)).sort())));
      assert.ok(sorted.includes(tree), `${kilobytes} KB: neither old nor new: ${tree}`);
      soundCache(space.at(project.cache));
      space.shell(`mount -o remount,size=20m ${project.thirdParty} && mount -o remount,size=20m ${project.cache}`);
      ok(await space.run());
      assert.deepEqual(treeOf(space.at(project.thirdParty)), expectedTree(sizes.v2, core));
      assert.equal((await space.run(['verify'])).code, 0);
    }
    assert.ok(failed >= 5, `${failed} of 15 did not fit`);
  });

  for (const where of ['cache', 'thirdParty']) {
    withMounts(`without inodes (${where}): said in these words`, (project) => ({ [project[where]]: 'nr_inodes=3' }), async (project, space) => {
      let failed = 0;
      for (let inodes = 3; inodes < 26; inodes++) {
        space.shell(`rm -rf ${project[where]}/* ${project[where]}/.rne-libs; mount -o remount,nr_inodes=${inodes} ${project[where]}`);
        const result = await space.run();
        // A cache that cannot be made is gone on without.
        if (result.code) { full(result, new RegExp(`All ${inodes} inodes are taken there`), /Nothing that was installed has changed|will be finished by the next run/); failed++; }
        else assert.deepEqual(treeOf(space.at(project.thirdParty)), expectedTree(sampleRelease(), core));
        soundCache(space.at(project.cache));
        space.shell(`mount -o remount,nr_inodes=1000 ${project[where]}`);
        ok(await space.run());
        assert.deepEqual(treeOf(space.at(project.thirdParty)), expectedTree(sampleRelease(), core));
        space.shell(`rm -rf ${project.thirdParty}/* ${project.thirdParty}/.rne-libs`);
      }
      assert.ok(failed >= 5, `${failed}`);
    });
  }

  withMounts('below the package, when the build config is written', (project) => ({ [path.join(project.root, 'pkg')]: 'size=1m' }), async (project, space) => {
    const pkg = path.join(project.root, 'pkg');
    space.shell(`cp -r ${project.pkg}/. ${pkg}/`);
    ok(await space.run(['--package', pkg]));
    project.setBlock({ extras: ['opencv'] });
    space.shell(`dd if=/dev/zero of=${pkg}/filler bs=1k count=4000 2>/dev/null; true`);
    full(await space.run(['--package', pkg]));
    assert.deepEqual(treeOf(space.at(path.join(pkg, 'third-party'))), expectedTree(sampleRelease(), core));
    assert.equal(JSON.parse(fs.readFileSync(space.at(path.join(pkg, 'rne-build-config.json')), 'utf8')).enableOpencv, false);
    space.shell(`rm ${pkg}/filler`);
    ok(await space.run(['--package', pkg]));
    assert.deepEqual(treeOf(space.at(path.join(pkg, 'third-party'))), expectedTree(sampleRelease(), android(['core', 'opencv'])));
  });
});

describe('third-party/ as others made it', () => {
  withMounts('a mount, and another file system than the cache', (project) => ({ [project.thirdParty]: 'size=10m' }), async (project, space) => {
    for (const extras of [['opencv'], [], ['xnnpack']]) {
      project.setBlock({ extras });
      ok(await space.run());
      assert.deepEqual(treeOf(space.at(project.thirdParty)), expectedTree(sampleRelease(), android(['core', ...extras])));
    }
    assert.deepEqual(project.tree(), {}, 'what lies below the mount is as it was');
    assert.equal((await space.run(['verify'])).code, 0);
  });

  withMounts('a mount in the middle of it', (project) => ({ [path.join(project.thirdParty, 'android/libs/executorch')]: 'size=10m' }), async (project, space) => {
    const result = await space.run();
    if (result.code) assert.equal(result.code, 7, result.stderr);
    else assert.deepEqual(treeOf(space.at(project.thirdParty)), expectedTree(sampleRelease(), core));
    space.shell(`umount ${project.thirdParty}/android/libs/executorch`);
    ok(await space.run());
    assert.deepEqual(treeOf(space.at(project.thirdParty)), expectedTree(sampleRelease(), core));
  });

  withMounts('read-only: 7, and writable again it succeeds', (project) => ({ [project.thirdParty]: 'size=10m' }), async (project, space) => {
    ok(await space.run());
    const before = treeOf(space.at(project.thirdParty));
    project.setBlock({ extras: ['opencv'] });
    await until(() => space.shell(`mount -o remount,ro ${project.thirdParty} 2>&1 || true`) === '');
    const result = await space.run();
    assert.equal(result.code, 7, result.stderr);
    assert.match(result.stderr, /\.rne-libs\/lock: Read-only file system/);
    assert.deepEqual(treeOf(space.at(project.thirdParty)), before);
    // Nothing to do needs no writing.
    project.setBlock({ extras: [] });
    assert.match(ok(await space.run()).stderr, /up to date/);
    space.shell(`mount -o remount,rw ${project.thirdParty}`);
    project.setBlock({ extras: ['opencv'] });
    ok(await space.run());
    assert.deepEqual(treeOf(space.at(project.thirdParty)), expectedTree(sampleRelease(), android(['core', 'opencv'])));
  });

  const obstacles = {
    'a file': (at) => fs.writeFileSync(at, 'a file'),
    'a link out of the project': (at, elsewhere) => fs.symlinkSync(elsewhere, at),
    'a relative link out of the package': (at) => fs.symlinkSync('../../../elsewhere', at),
    'a link to nowhere': (at) => fs.symlinkSync('/proc/nowhere/at/all', at),
    'a FIFO': (at) => execFileSync('mkfifo', [at]),
  };
  for (const [what, make] of Object.entries(obstacles)) {
    for (const place of ['', 'android', 'android/libs', '.rne-libs']) {
      withProject(`${what} where third-party/${place} belongs`, { block: { extras: [] } }, async (project) => {
        const elsewhere = path.join(project.root, 'elsewhere');
        write(path.join(elsewhere, 'precious/file'), 'precious');
        fs.mkdirSync(path.join(project.root, 'app/elsewhere'), { recursive: true });
        const at = path.join(project.thirdParty, place);
        fs.mkdirSync(path.dirname(at), { recursive: true });
        make(at, elsewhere);
        const result = await project.run([], { timeout: 20000 });
        if (result.code) {
          assert.equal(result.code, 7, result.stderr);
          assert.match(result.stderr, /third-party/);
          fs.unlinkSync(at);
          ok(await project.run());
        }
        assert.deepEqual(treeOf(elsewhere), { 'precious/file': sha256('precious') });
        const found = project.tree();
        for (const [name, digest] of Object.entries(expectedTree(sampleRelease(), core))) assert.equal(found[name], digest);
        ok(await project.run(['verify']));
      });
    }
  }

  // pnpm links a package's files to its store: their bytes are everybody's.
  withProject('files that are hard links into a store: the copies of the store do not change', { block: { extras: ['opencv'] } }, async (project) => {
    ok(await project.run());
    const store = path.join(project.root, 'store');
    fs.rmSync(project.receiptFile);
    const others = { [library]: 'an older library', 'android/libs/opencv/x86_64/libopencv_core.a': bytes('v1 x86_64 opencv', 20000), 'rne-build-config.json': '{"enableOpencv": false}' };
    for (const [file, content] of Object.entries(others)) {
      const at = path.join(file.endsWith('.json') ? project.pkg : project.thirdParty, file);
      fs.rmSync(at, { force: true });
      write(path.join(store, file), content);
      fs.chmodSync(path.join(store, file), 0o444);
      fs.mkdirSync(path.dirname(at), { recursive: true });
      fs.linkSync(path.join(store, file), at);
    }
    const facts = () => Object.keys(others).map((file) => { const s = fs.statSync(path.join(store, file), { bigint: true }); return [file, sha256(fs.readFileSync(path.join(store, file))), s.mode, s.mtimeNs]; });
    const before = facts();
    for (const extras of [['opencv'], [], ['opencv', 'xnnpack']]) {
      project.setBlock({ extras });
      ok(await project.run());
      assert.deepEqual(facts(), before, extras.join());
      assert.deepEqual(project.tree(), expectedTree(sampleRelease(), android(['core', ...extras])));
    }
    project.setRelease(sampleRelease({ seed: 'v2' }));
    ok(await project.run());
    assert.deepEqual(facts(), before);
    assert.equal(fs.statSync(path.join(project.thirdParty, library)).nlink, 1);
  });

  withProject('installed files edited, deleted, replaced by a folder, a link, a FIFO: verify says which, install repairs', { block: { extras: ['opencv'] } }, async (project) => {
    ok(await project.run());
    const at = path.join(project.thirdParty, library);
    const changes = {
      edited: [() => fs.appendFileSync(at, 'x'), /libexecutorch\.so (was changed|has)/],
      deleted: [() => fs.rmSync(at), /libexecutorch\.so is missing/],
      'a folder': [() => { fs.rmSync(at); write(path.join(at, 'inner'), 'mine'); }, /libexecutorch\.so/],
      'a link': [() => { fs.rmSync(at); fs.symlinkSync('/etc/passwd', at); }, /libexecutorch\.so/],
      'a FIFO': [() => { fs.rmSync(at); execFileSync('mkfifo', [at]); }, /libexecutorch\.so/],
      'its folder deleted': [() => fs.rmSync(path.dirname(at), { recursive: true }), /libexecutorch\.so is missing/],
      'its folder a file': [() => { fs.rmSync(path.dirname(at), { recursive: true }); fs.writeFileSync(path.dirname(at), 'mine'); }, /libexecutorch\.so/],
      'everything deleted': [() => fs.rmSync(path.join(project.thirdParty, 'android'), { recursive: true }), /libexecutorch\.so is missing/],
    };
    write(path.join(project.thirdParty, 'android/libs/opencv/mine.txt'), 'mine');
    for (const [what, [change, pattern]] of Object.entries(changes)) {
      change();
      for (const args of [['verify'], ['verify', '--quick']]) {
        const found = await project.run(args, { timeout: 20000 });
        assert.equal(found.code, 8, `${what}: ${found.stderr}`);
        assert.match(found.stdout, pattern, what);
      }
      ok(await project.run([], { timeout: 20000 }));
      const kept = what === 'everything deleted' ? {} : { 'android/libs/opencv/mine.txt': sha256('mine') };
      assert.deepEqual(project.tree(), { ...expectedTree(sampleRelease(), android(['core', 'opencv'])), ...kept }, what);
      ok(await project.run(['verify']));
    }
  });

  withProject('an extra switched off: exactly its files and the folders that it emptied are gone', { block: { extras: allExtras } }, async (project) => {
    const server = await serve(project.release);
    const env = { RNET_BASE_URL: server.url };
    ok(await project.run([], { env }));
    const requests = server.requests.length;
    const mine = path.join(project.thirdParty, 'android/libs/phonemis/x86_64/mine');
    fs.mkdirSync(mine); // an empty folder of others
    const list = () => fs.readdirSync(project.thirdParty, { recursive: true }).filter((name) => !name.startsWith('.rne-libs')).sort();
    const before = list();
    project.setBlock({ extras: ['opencv', 'xnnpack', 'vulkan'] });
    ok(await project.run([], { env }));
    const gone = ['android/libs/phonemis/arm64-v8a', 'android/libs/phonemis/arm64-v8a/libphonemis.a', 'android/libs/phonemis/x86_64/libphonemis.a'];
    assert.deepEqual(list(), before.filter((name) => !gone.includes(name)));
    fs.rmdirSync(mine);
    fs.rmdirSync(path.dirname(mine));
    project.setBlock({ extras: allExtras });
    ok(await project.run([], { env }));
    assert.deepEqual(list(), before.filter((name) => name !== path.relative(project.thirdParty, mine)));
    project.setBlock({ extras: [] });
    ok(await project.run([], { env }));
    assert.deepEqual(project.tree(), expectedTree(sampleRelease(), core));
    server.close();
    assert.equal(server.requests.length, requests);
  });
});

describe('the cache as others made it', () => {
  const obstacles = {
    'a file': (at) => fs.writeFileSync(at, 'a file'),
    'a link to a folder': (at, elsewhere) => fs.symlinkSync(elsewhere, at),
    'a link to nowhere': (at) => fs.symlinkSync('/proc/nowhere/at/all', at),
    'a FIFO': (at) => execFileSync('mkfifo', [at]),
    'a folder that everyone may write': (at) => { fs.mkdirSync(at); fs.chmodSync(at, 0o777); },
    'a folder of another user': isRoot && ((at) => { fs.mkdirSync(at); fs.chownSync(at, 65534, 65534); }),
    'below a file': (at) => { fs.rmSync(path.dirname(at), { recursive: true, force: true }); fs.writeFileSync(path.dirname(at), 'a file'); },
  };
  for (const [what, make] of Object.entries(obstacles)) {
    test(`${what} where the cache belongs`, { skip: make ? false : 'only root can give a folder away' }, async () => {
      const project = makeProject({ block: { extras: [] } });
      try {
        project.cache = path.join(project.root, 'caches', 'cache');
        const elsewhere = path.join(project.root, 'elsewhere');
        write(path.join(elsewhere, 'precious'), 'precious');
        fs.mkdirSync(path.dirname(project.cache), { recursive: true });
        make(project.cache, elsewhere);
        const result = await project.run([], { timeout: 20000, edited: what === 'a link to a folder' });
        if (result.code) {
          // Or in words, and gone with the obstacle.
          assert.equal(result.code, 7, result.stderr);
          assert.ok(result.stderr.includes(project.cache), result.stderr);
          fs.rmSync(what === 'below a file' ? path.dirname(project.cache) : project.cache, { force: true, recursive: true });
          ok(await project.run());
        }
        assert.deepEqual(project.tree(), expectedTree(sampleRelease(), core));
        assert.equal(fs.readFileSync(path.join(elsewhere, 'precious'), 'utf8'), 'precious');
        fs.rmSync(project.thirdParty, { recursive: true });
        ok(await project.run([], { edited: what === 'a link to a folder' }));
        assert.deepEqual(project.tree(), expectedTree(sampleRelease(), core));
      } finally {
        project.remove();
      }
    });
  }

  withMounts('read-only: it is a source, and what it lacks is downloaded all the same', (project) => ({ [project.cache]: 'size=10m' }), async (project, space) => {
    ok(await space.run());
    await until(() => space.shell(`mount -o remount,ro ${project.cache} 2>&1 || true`) === '');
    fs.rmSync(project.thirdParty, { recursive: true });
    const warm = ok(await space.run(['--base-url', 'http://127.0.0.1:1']));
    assert.match(warm.stderr, /2 from the cache/);
    assert.deepEqual(project.tree(), expectedTree(sampleRelease(), core));
    project.setBlock({ extras: ['opencv'] });
    const more = ok(await space.run());
    assert.match(more.stderr, /2 downloaded/);
    assert.deepEqual(project.tree(), expectedTree(sampleRelease(), android(['core', 'opencv'])));
    assert.equal((await space.run(['cache', 'clear'])).code, 7);
    assert.equal((await space.run(['cache', 'list'])).code, 0);
  });

  withProject('missing: it is made; moved away between two runs: it is made again', { block: { extras: [] } }, async (project) => {
    project.cache = path.join(project.root, 'a/b/c/cache');
    for (let i = 0; i < 2; i++) {
      ok(await project.run([], { edited: true })); // the folders above it are new
      assert.equal(fs.readdirSync(path.join(project.cache, 'archives')).length, 2);
      fs.rmSync(path.join(project.root, 'a'), { recursive: true });
      fs.rmSync(project.thirdParty, { recursive: true });
    }
  });
});

// ---- What a process is given ----------------------------------------------

// Starts it through a shell that sets the scene: `${scene} exec "$0" "$@"`.
function staged(project, scene, args = [], { env = {}, ...options } = {}) {
  return run('/bin/bash', ['-c', `${scene}`, binary, ...args], { cwd: project.pkg, env: { INIT_CWD: project.app, HOME: project.home, RNET_LIBS_CACHE_DIR: project.cache, RNET_BASE_URL: `file://${project.release}`, ...env }, timeout: 30000, ...options });
}

describe('the environment of the process', () => {
  for (const mask of ['000', '022', '077', '777']) {
    withProject(`umask ${mask} changes no mode`, { block: { extras: ['opencv'] } }, async (project) => {
      for (let i = 0; i < 2; i++) { // downloaded, and then from the cache
        ok(await staged(project, `umask ${mask}; exec "$0" "$@"`));
        assert.deepEqual(project.tree(), expectedTree(sampleRelease(), android(['core', 'opencv'])));
        for (const name of fs.readdirSync(project.thirdParty, { recursive: true })) {
          const stat = fs.lstatSync(path.join(project.thirdParty, name));
          assert.equal((stat.mode & 0o7777).toString(8), stat.isDirectory() ? '755' : '644', name);
        }
        assert.equal((fs.statSync(project.configFile).mode & 0o7777).toString(8), '644');
        fs.rmSync(project.thirdParty, { recursive: true });
      }
      for (const name of fs.readdirSync(project.cache, { recursive: true })) assert.equal(fs.lstatSync(path.join(project.cache, name)).mode & 0o022, 0, name);
    });
  }

  for (const [what, change] of Object.entries({
    unset: 'unset HOME', empty: 'export HOME=', nowhere: 'export HOME=/proc/nowhere/at/all', 'a file': 'export HOME=/etc/passwd', relative: 'export HOME=home', '/proc': 'export HOME=/proc',
  })) {
    withProject(`HOME is ${what}, and no cache is named: it goes on, or says in words what to set`, { block: { extras: [] } }, async (project) => {
      const env = { RNET_LIBS_CACHE_DIR: '' };
      const result = await staged(project, `${change}; exec "$0" "$@"`, [], { env });
      assert.ok([0, 7].includes(result.code), `${result.code} ${result.stderr}`);
      if (result.code) {
        assert.match(result.stderr, /RNET_LIBS_CACHE_DIR|--cache-dir/);
        assert.deepEqual(project.tree(), {});
        ok(await project.run());
      }
      assert.deepEqual(project.tree(), expectedTree(sampleRelease(), core));
      fs.rmSync(project.thirdParty, { recursive: true });
      ok(await staged(project, `${change}; exec "$0" "$@"`)); // a cache that is named needs none
    });
  }

  for (const closed of ['0<&-', '1>&-', '2>&-', '0<&- 1>&-', '1>&- 2>&-', '0<&- 1>&- 2>&-']) {
    withProject(`standard streams closed (${closed}): no file gets their numbers`, { block: { extras: ['opencv'] } }, async (project) => {
      ok(await staged(project, `exec "$0" "$@" ${closed}`, ['-v']));
      assert.deepEqual(project.tree(), expectedTree(sampleRelease(), android(['core', 'opencv'])));
      soundCache(project.cache);
      ok(await staged(project, `exec "$0" "$@" ${closed}`, ['verify']));
      // What has a result to write, and nowhere to, says so by its exit code.
      const plan = await staged(project, `exec "$0" "$@" ${closed}`, ['plan', '--json']);
      assert.ok([0, 7].includes(plan.code), `${plan.code}`);
      project.setBlock({ extras: ['opnecv'] });
      assert.equal((await staged(project, `exec "$0" "$@" ${closed}`)).code, 3);
    });
  }

  withProject('who closes stdout early, or stderr, ends no install', { block: { extras: ['opencv'] } }, async (project) => {
    for (const scene of ['set -o pipefail; "$0" "$@" | true', 'set -o pipefail; "$0" "$@" 2>&1 >/dev/null | true', 'set -o pipefail; (sleep 0.2; "$0" "$@") 2>&1 | true']) {
      const result = await staged(project, scene, ['-v', '--json']);
      assert.ok([0, 7].includes(result.code), `${scene}: ${result.code} ${result.stderr}`);
      assert.deepEqual(project.tree(), expectedTree(sampleRelease(), android(['core', 'opencv'])), scene);
      fs.rmSync(project.thirdParty, { recursive: true });
      fs.rmSync(project.configFile);
    }
    for (const args of [['plan'], ['help'], ['status', '--json'], ['cache', 'list', '--json']]) {
      const result = await staged(project, 'set -o pipefail; (sleep 0.2; "$0" "$@") | true', args);
      assert.ok([0, 7].includes(result.code), `${args}: ${result.code}`);
      assert.doesNotMatch(result.stderr, /[Ss]ignal|Broken pipe.*Broken pipe/s);
    }
    if (fs.existsSync('/dev/full')) {
      ok(await staged(project, 'exec "$0" "$@" 2>/dev/full'));
      assert.deepEqual(project.tree(), expectedTree(sampleRelease(), android(['core', 'opencv'])));
    }
  });

  // 16 are enough for files; a connection takes two more.
  for (const limit of [24, 18, 16, 12, 8, 5, 3]) {
    withProject(`${limit} file descriptors for ten archives: it works, or says why`, { block: { extras: allExtras } }, async (project) => {
      const server = await serve(project.release);
      for (const [url, enough] of [[server.url, 18], [`file://${project.release}`, 16]]) {
        const result = await staged(project, `ulimit -n ${limit}; exec "$0" "$@"`, ['--jobs', '8'], { env: { RNET_BASE_URL: url } });
        if (limit >= enough) ok(result);
        assert.ok(!result.signal, result.signal);
        // With three the program itself cannot be started.
        if (result.code !== 0 && result.code !== 127) {
          assert.ok([1, 7].includes(result.code), result.stderr);
          assert.match(result.stderr, /Too many open files/);
        }
        if (result.code !== 0) {
          assert.deepEqual(project.tree(), {});
          ok(await project.run());
        }
        assert.deepEqual(project.tree(), expectedTree(sampleRelease(), android(['core', 'opencv', 'phonemizer', 'xnnpack', 'vulkan'])));
        soundCache(project.cache);
        for (const at of [project.thirdParty, project.cache, project.configFile]) fs.rmSync(at, { recursive: true });
      }
      server.close();
    });
  }

  withProject('limits of memory, time and file size end with an error, and the next run goes on', { block: { extras: [] } }, async (project) => {
    for (const limit of ['-f 8', '-v 60000', '-u 1']) {
      const result = await staged(project, `ulimit ${limit} 2>/dev/null; exec "$0" "$@"`);
      if (result.code !== 0) assert.deepEqual(project.tree(), {}, limit);
      ok(await project.run());
      assert.deepEqual(project.tree(), expectedTree(sampleRelease(), core));
      fs.rmSync(project.thirdParty, { recursive: true });
      fs.rmSync(project.configFile);
    }
  });

  test('started by a user who may write only what is his', { skip: isRoot && !spawnSync('setpriv', ['--version']).error ? false : 'needs root and setpriv' }, async () => {
    const project = makeProject({ block: { extras: [] } });
    const user = ['--reuid=65534', '--regid=65534', '--clear-groups'];
    const env = { INIT_CWD: project.app, HOME: project.home, RNET_LIBS_CACHE_DIR: project.cache, RNET_BASE_URL: `file://${project.release}` };
    const program = path.join(project.root, 'rne-libs');
    fs.copyFileSync(binary, program);
    fs.chmodSync(project.root, 0o755);
    const asUser = (args = []) => run('setpriv', [...user, program, ...args], { cwd: project.pkg, env });
    try {
      const refused = await asUser();
      assert.equal(refused.code, 7, refused.stderr);
      assert.match(refused.stderr, /Permission denied/);
      for (const name of [project.app, project.home]) execFileSync('chown', ['-R', '65534:65534', name]);
      // A cache of root's, which he can only read.
      ok(await project.run(['warm'], { edited: true }));
      const warm = ok(await asUser(['--base-url', 'http://127.0.0.1:1']));
      assert.match(warm.stderr, /2 from the cache/);
      assert.deepEqual(project.tree(), expectedTree(sampleRelease(), core));
    } finally {
      project.remove();
    }
  });
});

describe('paths of the project', () => {
  const deep = Array.from({ length: 17 }, () => 'd'.repeat(200)).join('/'); // 3.4 kB
  for (const [what, name] of Object.entries({ 'a newline': 'new\nline', 'UTF-8': 'f\u00fcr \u65e5\u672c \u{1f600}', 'bytes that are no UTF-8': Buffer.from('caf\xe9', 'latin1'), spaces: ' a  b ', quotes: 'q\'u"o`te', 'a shell': '$(touch pwned);&|<>*?', 'percent signs': '%s%n%41', 'three kilobytes': deep, 'an escape sequence': 'a\x1b[31mb' })) {
    test(`may hold ${what}: installed, verified, switched off`, { skip: Buffer.isBuffer(name) && process.platform !== 'linux' ? 'names are UTF-8 here' : false }, async () => {
      const project = makeProject({ block: { extras: ['opencv'] } });
      const below = Buffer.concat([Buffer.from(`${project.root}/`), Buffer.from(name)]);
      try {
        fs.mkdirSync(below, { recursive: true });
        fs.renameSync(project.app, Buffer.concat([below, Buffer.from('/app')]));
        // Through a link that is short and plain, since node's own spawn takes
        // text: the program sees the real folder by getcwd(3).
        const link = path.join(project.root, 'link');
        fs.symlinkSync(Buffer.concat([below, Buffer.from('/app')]), link);
        const pkg = path.join(link, 'node_modules/react-native-executorch');
        const env = { HOME: project.home, RNET_LIBS_CACHE_DIR: project.cache, RNET_BASE_URL: `file://${project.release}`, LC_ALL: 'C' };
        const go = async (args = []) => {
          const result = await run('/bin/bash', ['-c', 'cd -P "$0" && exec "$@"', pkg, binary, ...args], { cwd: project.root, env });
          // eslint-disable-next-line no-control-regex
          assert.doesNotMatch(result.stderr, /[\x00-\x08\x0b-\x1f\x7f]/);
          return result;
        };
        ok(await go());
        assert.deepEqual(treeOf(path.join(pkg, 'third-party')), expectedTree(sampleRelease(), android(['core', 'opencv'])));
        ok(await go(['verify']));
        assert.match(ok(await go()).stderr, /up to date/);
        write(path.join(link, 'package.json'), { 'react-native-executorch': { extras: [] } });
        ok(await go());
        assert.deepEqual(treeOf(path.join(pkg, 'third-party')), expectedTree(sampleRelease(), core));
        fs.rmSync(path.join(pkg, 'third-party', library));
        assert.equal((await go(['verify'])).code, 8);
        write(path.join(link, 'package.json'), { 'react-native-executorch': null });
        assert.equal((await go()).code, 3);
        assert.equal(fs.existsSync(path.join(project.root, 'pwned')), false);
        assert.equal(fs.existsSync(path.join(pkg, 'pwned')), false);
      } finally {
        execFileSync('rm', ['-rf', project.root]);
      }
    });
  }

  test('started from below, from /, and through a folder that is a link', async () => {
    const project = makeProject({ block: { extras: [] } });
    try {
      const env = { HOME: project.home, RNET_LIBS_CACHE_DIR: project.cache, RNET_BASE_URL: `file://${project.release}` };
      fs.mkdirSync(path.join(project.app, 'src/deep/er'), { recursive: true });
      fs.symlinkSync(project.app, path.join(project.root, 'linked'));
      fs.symlinkSync(project.pkg, path.join(project.root, 'linked-package'));
      for (const [cwd, args] of [[path.join(project.app, 'src/deep/er'), []], ['/', ['--app', project.app]], [path.join(project.root, 'linked'), []], [path.join(project.root, 'linked-package'), []], ['/', ['--package', path.join(project.root, 'linked-package'), '--app', path.join(project.root, 'linked')]]]) {
        ok(await run(binary, args, { cwd, env }));
        assert.deepEqual(project.tree(), expectedTree(sampleRelease(), core), `${cwd} ${args}`);
        fs.rmSync(project.thirdParty, { recursive: true });
      }
      assert.ok(!fs.existsSync('/third-party') && !fs.existsSync('/rne-build-config.json'));
    } finally {
      project.remove();
    }
  });

  withProject('every folder of the package is a link elsewhere in the project', { block: { extras: [] } }, async (project) => {
    // As pnpm does it: node_modules/<package> is a link into a store.
    const real = path.join(project.root, 'app/.store/package');
    fs.mkdirSync(path.dirname(real), { recursive: true });
    fs.renameSync(project.pkg, real);
    fs.symlinkSync(real, project.pkg);
    ok(await project.run());
    assert.deepEqual(treeOf(path.join(real, 'third-party')), expectedTree(sampleRelease(), core));
  });
});
