// States of third-party/ and of the cache that other hands, older releases and
// killed runs leave behind: the next run goes on from each of them by itself.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { binary, bytes, expectedTree, manifestOf, ok, sampleRelease, serve, sha256, withProject, write } from './lib/project.mjs';

const abi = 'arm64-v8a';
const core = ['core-android-arm64-v8a', 'core-android-x86_64'];
const opencv = ['opencv-android-arm64-v8a', 'opencv-android-x86_64'];
const library = `android/libs/executorch/${abi}/libexecutorch.so`;
const replaced = (project, name) => path.join(project.thirdParty, '.rne-libs/replaced', name);

withProject('a file of one artifact where another has a folder is refused before anything moves', { block: { extras: ['opencv'] } }, async (project) => {
  ok(await project.run());
  for (const [file, folder] of [['core', 'opencv'], ['opencv', 'core']]) {
    const release = sampleRelease({ seed: file });
    release[`${file}-android-${abi}`].thing = 'a file';
    release[`${folder}-android-${abi}`]['thing/inner'] = 'a file below it';
    project.setRelease(release);
    const refused = await project.run();
    assert.equal(refused.code, 6, refused.stderr);
    assert.match(refused.stderr, /android\/libs\/thing\/inner of .* lies below android\/libs\/thing, which is no folder in/);
    assert.deepEqual(project.tree(), expectedTree(sampleRelease(), [...core, ...opencv]));
  }
  project.setRelease(sampleRelease({ seed: 'v3' }));
  ok(await project.run());
  assert.deepEqual(project.tree(), expectedTree(sampleRelease({ seed: 'v3' }), [...core, ...opencv]));
});

withProject('what is moved aside finds a place, whatever lies under replaced/ already', { block: { extras: [] } }, async (project) => {
  const again = () => {
    fs.rmSync(path.join(project.thirdParty, 'android'), { recursive: true, force: true });
    fs.rmSync(project.receiptFile, { force: true });
  };
  write(path.join(project.thirdParty, 'android/libs'), 'a file where a folder belongs');
  ok(await project.run());
  assert.equal(fs.readFileSync(replaced(project, 'android/libs'), 'utf8'), 'a file where a folder belongs');
  for (const [content, place] of [['first', '1'], ['second', '2']]) {
    again();
    write(path.join(project.thirdParty, library), content);
    const result = ok(await project.run());
    assert.match(result.stderr, new RegExp(`kept as third-party/.rne-libs/replaced/${place}/${library}`));
    assert.equal(fs.readFileSync(replaced(project, `${place}/${library}`), 'utf8'), content);
  }
  assert.deepEqual(project.tree(), expectedTree(sampleRelease(), core));
});

withProject('a folder that became a link is no way to remove or to move what lies behind it', { block: { extras: ['opencv'] } }, async (project) => {
  ok(await project.run());
  const elsewhere = path.join(project.root, 'elsewhere');
  const folder = path.join(project.thirdParty, 'android');
  fs.renameSync(folder, elsewhere);
  fs.symlinkSync(elsewhere, folder);
  const file = `libs/opencv/${abi}/libopencv_core.a`;
  fs.writeFileSync(path.join(elsewhere, file), 'edited');
  project.setBlock({ extras: [] });
  const refused = await project.run();
  assert.equal(refused.code, 7, refused.stderr);
  assert.match(refused.stderr, /third-party\/android is a symbolic link/);
  assert.match(refused.stderr, /Nothing that was installed has changed/);
  assert.equal(fs.readFileSync(path.join(elsewhere, file), 'utf8'), 'edited');
  fs.unlinkSync(folder);
  fs.renameSync(elsewhere, folder);
  ok(await project.run());
  assert.equal(fs.readFileSync(replaced(project, `android/${file}`), 'utf8'), 'edited');
  assert.deepEqual(project.tree(), expectedTree(sampleRelease(), core));
});

withProject('an installed file that someone changed is kept aside when it is repaired, upgraded or removed', { block: { extras: ['opencv'] } }, async (project) => {
  ok(await project.run());
  const library2 = `android/libs/opencv/${abi}/libopencv_core.a`;
  fs.writeFileSync(path.join(project.thirdParty, library), 'my own build');
  ok(await project.run());
  assert.equal(fs.readFileSync(replaced(project, library), 'utf8'), 'my own build');
  fs.writeFileSync(path.join(project.thirdParty, library2), 'mine, too');
  project.setRelease(sampleRelease({ seed: 'v2' }));
  ok(await project.run());
  assert.equal(fs.readFileSync(replaced(project, library2), 'utf8'), 'mine, too');
  fs.unlinkSync(path.join(project.thirdParty, library2));
  fs.symlinkSync('elsewhere', path.join(project.thirdParty, library2));
  project.setBlock({ extras: [] });
  ok(await project.run());
  assert.equal(fs.readlinkSync(replaced(project, `1/${library2}`)), 'elsewhere');
  assert.deepEqual(project.tree(), expectedTree(sampleRelease({ seed: 'v2' }), core));
});

withProject('a mode that changed is put right, and is no reason to keep a file aside', { block: { extras: ['opencv'] } }, async (project) => {
  const mode = (name) => fs.statSync(path.join(project.thirdParty, name)).mode & 0o777;
  write(path.join(project.thirdParty, library), bytes(`v1 ${abi} core`, 20000));
  fs.chmodSync(path.join(project.thirdParty, library), 0o777);
  ok(await project.run());
  fs.chmodSync(path.join(project.thirdParty, `android/libs/opencv/${abi}/libopencv_core.a`), 0o777);
  fs.chmodSync(path.join(project.thirdParty, `android/libs/opencv/x86_64/libopencv_core.a`), 0o400);
  project.setBlock({ extras: [] });
  ok(await project.run());
  assert.deepEqual(project.tree(), expectedTree(sampleRelease(), core));
  assert.ok(!fs.existsSync(replaced(project, '')));
});

// What `thing` may be in an archive.
const kinds = {
  nothing: () => {},
  'a file': (at) => fs.writeFileSync(at, 'a file'),
  'another file': (at) => fs.writeFileSync(at, 'another file'),
  'a program': (at) => { fs.writeFileSync(at, 'a file'); fs.chmodSync(at, 0o755); },
  'a link': (at) => fs.symlinkSync('anchor', at),
  'a folder': (at) => write(path.join(at, 'inner/file'), 'a file in a folder'),
  'an empty folder': (at) => fs.mkdirSync(at),
};

function release(project, kind) {
  const stage = path.join(project.root, 'stage');
  const archive = path.join(project.release, `core-android-${abi}.tar.gz`);
  fs.rmSync(stage, { recursive: true, force: true });
  write(path.join(stage, 'anchor'), 'always here');
  kinds[kind](path.join(stage, 'thing'));
  execFileSync('tar', ['-czf', archive, '-C', stage, '.']);
  write(`${archive}.sha256`, sha256(fs.readFileSync(archive)));
  write(path.join(project.pkg, 'rne-manifest.json'), manifestOf(project.release, { pinned: true }));
  return stage;
}

const listing = (folder) => execFileSync('find', ['.', '-path', './.rne-libs', '-prune', '-o', '-printf', '%p %y %l %m\n'], { cwd: folder, encoding: 'utf8' })
  .split('\n').filter((line) => /thing/.test(line)).sort();

withProject('any kind of thing becomes any other from one release to the next', { block: { extras: [] } }, async (project) => {
  const env = { RNET_TARGET: 'android-arm64' };
  for (const before of Object.keys(kinds)) {
    for (const after of Object.keys(kinds)) {
      if (before === after) continue;
      release(project, before);
      ok(await project.run([], { env }));
      const stage = release(project, after);
      const result = ok(await project.run([], { env }));
      assert.deepEqual(listing(path.join(project.thirdParty, 'android/libs')), listing(stage), `${before} to ${after}`);
      assert.doesNotMatch(result.stderr, /warning/, `${before} to ${after}`);
      assert.ok(!fs.existsSync(replaced(project, '')), `${before} to ${after}`);
      assert.match(ok(await project.run([], { env })).stderr, /up to date/, `${before} to ${after}`);
    }
  }
});

// A cache as two installs leave it: archives, index, trees.
async function fillCache(project) {
  for (let i = 0; i < 2; i++) {
    ok(await project.run());
    fs.rmSync(project.thirdParty, { recursive: true });
  }
  return sha256(fs.readFileSync(path.join(project.release, `core-android-${abi}.tar.gz`)));
}

const cacheIsSound = (project) => {
  const archives = path.join(project.cache, 'archives');
  for (const name of fs.readdirSync(archives)) assert.equal(sha256(fs.readFileSync(path.join(archives, name))), name);
};

const blocked = {
  'an archive': (name) => [`archives/${name}`, `trees/${name}.json`, `trees/${name}`],
  'an entry of the index': () => [`index/react-native-executorch/0.9.0/core-android-${abi}.tar.gz`],
  'a partial download': (name) => [`partial/${name}`, `archives/${name}`, `trees/${name}.json`, `trees/${name}`],
  'a lock': (name) => [`locks/${name}`, `archives/${name}`, `trees/${name}.json`, `trees/${name}`],
  'the list of a tree': (name) => [`trees/${name}.json`],
  'a file of a tree': (name) => [`trees/${name}/executorch/${abi}/libexecutorch.so`],
};

const obstacles = {
  'a folder': (at) => write(path.join(at, 'inner'), 'something'),
  'a FIFO': (at) => execFileSync('mkfifo', [at]),
  'a link': (at) => fs.symlinkSync('/etc/passwd', at),
};

for (const [what, paths] of Object.entries(blocked)) {
  withProject(`a folder, a FIFO or a link in the cache where ${what} belongs is replaced`, { block: { extras: [] }, pinned: false }, async (project) => {
    const name = await fillCache(project);
    for (const [kind, make] of Object.entries(obstacles)) {
      const [at, ...gone] = paths(name).map((file) => path.join(project.cache, file));
      for (const file of [at, ...gone]) fs.rmSync(file, { recursive: true, force: true });
      make(at);
      for (let i = 0; i < 2; i++) {
        ok(await project.run([], { timeout: 20000 }));
        assert.deepEqual(project.tree(), expectedTree(sampleRelease(), core), kind);
        fs.rmSync(project.thirdParty, { recursive: true });
      }
      cacheIsSound(project);
      ok(await project.run(['cache', 'list']));
      ok(await project.run(['cache', 'prune']));
    }
  });
}

withProject('an archive that is there and cannot be opened is downloaded again', { block: { extras: [] } }, async (project) => {
  await fillCache(project);
  // The cache cannot be used as it is, and its archives lie behind a link.
  fs.rmSync(path.join(project.cache, 'trees'), { recursive: true });
  fs.renameSync(path.join(project.cache, 'archives'), path.join(project.root, 'archives'));
  fs.symlinkSync(path.join(project.root, 'archives'), path.join(project.cache, 'archives'));
  const result = ok(await project.run([], { timeout: 20000 }));
  assert.match(result.stderr, /going on without a lasting cache/);
  assert.deepEqual(project.tree(), expectedTree(sampleRelease(), core));
});

withProject('an unpacked archive of another machine, user or start is not believed without its digests in the manifest', { block: { extras: [] } }, async (project) => {
  const name = await fillCache(project);
  const folder = path.join(project.cache, 'trees', name);
  const list = `${folder}.json`;
  const inner = `executorch/${abi}/libexecutorch.so`;
  const forgery = bytes('forged', 20000);
  // Whole in itself: the list says what the file is.
  const forge = (change) => {
    const forged = JSON.parse(fs.readFileSync(list, 'utf8'));
    fs.writeFileSync(path.join(folder, inner), forgery);
    const entry = forged.files.find((file) => file.path === inner);
    entry.sha256 = sha256(forgery);
    entry.mtime = String(fs.statSync(path.join(folder, inner), { bigint: true }).mtimeNs);
    change(forged);
    fs.writeFileSync(list, JSON.stringify(forged));
  };
  const cases = {
    'another machine': (forged) => { forged.boot = '9b2d1f5e-0000-4000-8000-000000000000'; },
    'a system that does not say': (forged) => { forged.boot = ''; },
    'another archive': (forged) => { forged.archive = sha256('another'); },
    'whoever is in the group': () => fs.chmodSync(folder, 0o775),
    'whoever can write the list': () => fs.chmodSync(list, 0o666),
  };
  if (process.getuid() === 0) cases['another user'] = () => fs.chownSync(folder, 65534, 65534);
  for (const [who, change] of Object.entries(cases)) {
    forge(change);
    ok(await project.run());
    assert.deepEqual(project.tree(), expectedTree(sampleRelease(), core), who);
    fs.rmSync(project.thirdParty, { recursive: true });
    fs.rmSync(folder, { recursive: true });
    fs.rmSync(list);
    ok(await project.run()); // and a good one is kept again
    fs.rmSync(project.thirdParty, { recursive: true });
    assert.ok(fs.existsSync(list), who);
  }
  // Moved, and promised by the manifest: hashed and used; forged: made again.
  const manifest = manifestOf(project.release, { pinned: true });
  const file = (file) => ({ path: file, size: 20000, sha256: sha256(sampleRelease()[`core-android-${abi}`][file]) });
  manifest.artifacts.find((item) => item.name === `core-android-${abi}`).files = Object.keys(sampleRelease()[`core-android-${abi}`]).sort().map(file);
  write(path.join(project.pkg, 'rne-manifest.json'), manifest);
  const moved = JSON.parse(fs.readFileSync(list, 'utf8'));
  moved.boot = 'another';
  fs.writeFileSync(list, JSON.stringify(moved));
  assert.doesNotMatch(ok(await project.run(['-v'])).stderr, /cannot be relied on/);
  assert.deepEqual(project.tree(), expectedTree(sampleRelease(), core));
  fs.rmSync(project.thirdParty, { recursive: true });
  forge(cases['another machine']);
  ok(await project.run());
  assert.deepEqual(project.tree(), expectedTree(sampleRelease(), core));
});

withProject('files that lay below another destination are moved to the one of now', { block: { extras: [] } }, async (project) => {
  const env = { RNET_TARGET: 'android-arm64' };
  const destinations = ['android', 'android/libs/deeper', 'other', 'android/libs'];
  ok(await project.run([], { env }));
  for (const destination of destinations) {
    const manifest = manifestOf(project.release, { pinned: true });
    manifest.targets['android-arm64-v8a'].destination = destination;
    write(path.join(project.pkg, 'rne-manifest.json'), manifest);
    ok(await project.run([], { env }));
    const expected = Object.entries(sampleRelease()[core[0]]).map(([file, content]) => [path.join(destination, file), sha256(content)]);
    assert.deepEqual(project.tree(), Object.fromEntries(expected), destination);
    assert.match(ok(await project.run([], { env })).stderr, /up to date/);
  }
});

withProject('a file changed behind an unchanged time is found by verify, which names the command that puts it right', { block: { extras: ['opencv'] } }, async (project) => {
  ok(await project.run());
  const file = path.join(project.thirdParty, library);
  const content = fs.readFileSync(file);
  execFileSync('cp', ['-p', file, path.join(project.root, 'time')]);
  content[100] ^= 1;
  fs.writeFileSync(file, content);
  execFileSync('touch', ['-r', path.join(project.root, 'time'), file]);
  assert.match(ok(await project.run()).stderr, /up to date/);
  const found = await project.run(['verify']);
  assert.equal(found.code, 8);
  assert.match(found.stderr, /`rne-libs --refresh`/);
  ok(await project.run(['--refresh']));
  ok(await project.run(['verify']));
  assert.deepEqual(fs.readFileSync(replaced(project, library)), content);
});

withProject('RNET_SKIP_DOWNLOAD does not mind what third-party/ is', { block: { extras: ['opencv'] } }, async (project) => {
  const env = { RNET_SKIP_DOWNLOAD: '1' };
  for (const make of [() => fs.symlinkSync(project.root, project.thirdParty), () => fs.writeFileSync(project.thirdParty, 'a file')]) {
    make();
    fs.rmSync(project.configFile, { force: true });
    ok(await project.run([], { env }));
    assert.equal(project.config().enableOpencv, true);
    fs.unlinkSync(project.thirdParty);
  }
});

withProject('what one artifact changed and another keeps is said, with the command that asks for both', { block: { extras: ['opencv'] }, pinned: false }, async (project) => {
  const env = { RNET_TARGET: 'android-arm64' };
  const shared = (content) => {
    const release = sampleRelease();
    for (const name of ['core', 'opencv']) release[`${name}-android-${abi}`]['common.h'] = content;
    return release;
  };
  project.setRelease(shared('one'));
  ok(await project.run([], { env }));
  project.setRelease(shared('two'));
  fs.rmSync(path.join(project.thirdParty, library));
  const refused = await project.run([], { env });
  assert.equal(refused.code, 6);
  assert.match(refused.stderr, /common\.h is in both .*\n.*\n.*`rne-libs --refresh`/);
  ok(await project.run(['--refresh'], { env }));
  assert.equal(fs.readFileSync(path.join(project.thirdParty, 'android/libs/common.h'), 'utf8'), 'two');
});

withProject('who waits for the download of another process says so, and goes on at once when that is killed', { block: { extras: [] } }, async (project) => {
  let stalled;
  const began = new Promise((resolve) => { stalled = resolve; });
  const server = await serve(project.release, () => stalled() ?? true);
  const holder = spawn(binary, ['warm', '--base-url', server.url], { cwd: project.pkg, env: { PATH: process.env.PATH, INIT_CWD: project.app, HOME: project.home, RNET_LIBS_CACHE_DIR: project.cache }, stdio: 'ignore' });
  await began;
  const waiting = project.run();
  await new Promise((resolve) => setTimeout(resolve, 2500));
  holder.kill('SIGKILL');
  const result = ok(await waiting);
  server.close();
  assert.match(result.stderr, new RegExp(`waiting for process ${holder.pid} on .*, which downloads core-android-`));
  assert.ok(result.ms < 8000, `${result.ms} ms`);
  assert.deepEqual(project.tree(), expectedTree(sampleRelease(), core));
});
