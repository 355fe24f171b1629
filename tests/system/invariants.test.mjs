// The promises of docs/design.md, one test each, named after it. Those that
// need a hostile server, archive or disk are tested in more shapes elsewhere.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { allExtras, binary, bytes, expectedTree, makeProject, ok, sampleRelease, serve, sha256, treeOf, withProject, write } from './lib/project.mjs';

const android = ['android-arm64-v8a', 'android-x86_64'];
const artifactsOf = (extras) => android.flatMap((target) => ['core', ...extras].map((name) => `${name}-${target}`));

// Every file with its bytes, inode and mtime: what "not touched" means.
function snapshot(folder) {
  const found = {};
  for (const name of Object.keys(treeOf(folder, { ignore: [] }))) {
    const stat = fs.lstatSync(path.join(folder, name), { bigint: true });
    found[name] = `${stat.ino} ${stat.mtimeNs} ${stat.size}`;
  }
  return found;
}

withProject('invariant 1: a file under its final cache name has the size and sha256 of that name', { block: { extras: ['opencv'] } }, async (project) => {
  ok(await project.run());
  const names = fs.readdirSync(path.join(project.cache, 'archives'));
  assert.equal(names.length, 4);
  for (const name of names) assert.equal(sha256(fs.readFileSync(path.join(project.cache, 'archives', name))), name);
});

withProject('invariant 2: no byte reaches an archive reader before its digest matched', { block: { extras: [] } }, async (project) => {
  // An archive that would be refused as an archive (6): the digest speaks first (5).
  for (const name of fs.readdirSync(project.release)) {
    if (name.endsWith('.tar.gz')) fs.writeFileSync(path.join(project.release, name), bytes('junk', fs.statSync(path.join(project.release, name)).size));
  }
  const result = await project.run();
  assert.equal(result.code, 5, result.stderr);
  assert.deepEqual(project.tree(), {});
  assert.equal(fs.existsSync(project.configFile), false);
});

withProject('invariant 3: interrupted anywhere, the next run repairs without help', { block: { extras: allExtras } }, async (project) => {
  for (let delay = 1; delay <= 41; delay += 4) {
    spawnSync('timeout', ['-s', 'KILL', String(delay / 1000), binary], {
      cwd: project.pkg,
      env: { PATH: process.env.PATH, INIT_CWD: project.app, HOME: project.home, RNET_LIBS_CACHE_DIR: project.cache, RNET_BASE_URL: `file://${project.release}` },
    });
    if (fs.existsSync(project.configFile)) {
      // What the config names is there, whole.
      const config = project.config();
      const on = config.rneLibs.extras.filter((name) => ['opencv', 'phonemizer', 'xnnpack', 'vulkan'].includes(name));
      const tree = project.tree();
      for (const [name, digest] of Object.entries(expectedTree(sampleRelease(), artifactsOf(on)))) assert.equal(tree[name], digest);
    }
    ok(await project.run());
    assert.deepEqual(project.tree(), expectedTree(sampleRelease(), artifactsOf(['opencv', 'phonemizer', 'xnnpack', 'vulkan'])));
    fs.rmSync(project.thirdParty, { recursive: true });
    fs.rmSync(project.configFile);
  }
});

withProject('invariant 4: the plan is complete before the first byte moves and does not change afterwards', { block: { extras: ['opencv'] } }, async (project) => {
  const planned = JSON.parse((await project.run(['plan', '--json'])).stdout);
  assert.deepEqual(planned.artifacts.map((item) => item.name).sort(), artifactsOf(['opencv']).sort());
  assert.ok(planned.artifacts.every((item) => item.action === 'download'));
  // What is edited while archives arrive is for the next run.
  let edited = false;
  const server = await serve(project.release, () => {
    if (!edited) project.setBlock({ extras: allExtras });
    edited = true;
  });
  const report = await project.run(['--json'], { env: { RNET_BASE_URL: server.url }, edited: true });
  server.close();
  ok(report);
  assert.ok(edited);
  assert.deepEqual(JSON.parse(report.stdout).extras, ['opencv']);
  assert.deepEqual(project.tree(), expectedTree(sampleRelease(), artifactsOf(['opencv'])));
});

withProject('invariant 5: a second run with nothing changed sends no request and writes nothing', { block: { extras: ['opencv', 'xnnpack'] } }, async (project) => {
  const server = await serve(project.release);
  ok(await project.run([], { env: { RNET_BASE_URL: server.url } }));
  const requests = server.requests.length;
  const before = snapshot(project.root);
  const second = await project.run([], { env: { RNET_BASE_URL: server.url } });
  server.close();
  ok(second);
  assert.equal(server.requests.length, requests);
  assert.deepEqual(snapshot(project.root), before);
  assert.match(second.stderr, /^up to date: [^\n]*\n$/);
});

test('invariant 5 holds for every file system call, too', async (t) => {
  if (spawnSync('strace', ['-V']).error) return t.skip('strace is not installed');
  const project = makeProject({ block: { extras: ['opencv'] } });
  try {
    ok(await project.run());
    const trace = path.join(project.root, 'trace');
    execFileSync('strace', ['-f', '-o', trace, '-e', 'trace=%file,%desc,%network', binary], {
      cwd: project.pkg,
      stdio: 'ignore',
      env: { PATH: process.env.PATH, INIT_CWD: project.app, HOME: project.home, RNET_LIBS_CACHE_DIR: project.cache, RNET_BASE_URL: `file://${project.release}`, ASAN_OPTIONS: 'detect_leaks=0' /* it cannot look for leaks under a tracer */ },
    });
    const calls = fs.readFileSync(trace, 'utf8').split('\n');
    const changes = calls.filter((line) => /O_CREAT|O_TRUNC|\b(rename|unlink|mkdir|ftruncate|pwrite|utimens|chmod|connect|socket|link)\w*\(/.test(line) || (/ write\((\d+)/.test(line) && !/ write\(2,/.test(line)));
    assert.deepEqual(changes, []);
  } finally {
    project.remove();
  }
});

withProject('invariant 6: third-party/ holds exactly the selected files, plus what other hands put there', { block: { extras: allExtras } }, async (project) => {
  write(path.join(project.thirdParty, 'README.md'), 'ours\n');
  write(path.join(project.thirdParty, 'android/libs/executorch/arm64-v8a/libmine.so'), 'mine');
  const foreign = project.tree();
  for (const extras of [allExtras, ['vulkan'], [], ['opencv', 'phonemizer'], ['xnnpack']]) {
    project.setBlock({ extras });
    ok(await project.run());
    const on = extras.filter((name) => name !== 'coreml');
    assert.deepEqual(project.tree(), { ...expectedTree(sampleRelease(), artifactsOf(on)), ...foreign });
    assert.equal(project.config().enableVulkan, extras.includes('vulkan'));
  }
});

withProject('invariant 7: modes become 0644 or 0755, and the archive\'s ./ entry does not touch the destination', { block: { extras: ['opencv'] } }, async (project) => {
  ok(await project.run());
  const mode = (name) => fs.statSync(path.join(project.thirdParty, name)).mode & 0o7777;
  assert.equal(mode('android/libs'), 0o755);
  assert.equal(mode('android/libs/opencv/arm64-v8a'), 0o755);
  assert.equal(mode('android/libs/opencv/arm64-v8a/libopencv_core.a'), 0o644);
  // New files have the time of the installation, not the archive's.
  const age = Date.now() - fs.statSync(path.join(project.thirdParty, 'android/libs/opencv/arm64-v8a/libopencv_core.a')).mtimeMs;
  assert.ok(age < 60000, `${age} ms old`);
});

withProject('invariant 8: no unbounded read: an endless body stops at the size the manifest names', { block: { extras: [] } }, async (project) => {
  let sent = 0;
  const server = await serve(project.release, (request, response) => {
    const pump = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65536))) sent += 65536;
    };
    response.on('drain', pump);
    pump();
    return true;
  });
  const result = await project.run([], { env: { RNET_BASE_URL: server.url } });
  server.close();
  assert.equal(result.code, 5, result.stderr);
  assert.ok(sent < 200e6, `${sent} bytes were taken`);
});

withProject('invariant 9: a credential goes to the host it was given for and to no other, and never into a log', { block: { extras: [] } }, async (project) => {
  const server = await serve(project.release);
  const result = await project.run(['-v'], { env: { RNET_BASE_URL: `${server.url}/github.com/..`, GITHUB_TOKEN: 'ghp_secret' } });
  server.close();
  assert.ok(server.requests.length > 0);
  assert.ok(server.requests.every((request) => request.headers.authorization === undefined));
  assert.doesNotMatch(result.stdout + result.stderr, /ghp_secret/);
});

withProject('invariant 10: every message names the thing, what was expected, what was found, and what to do', { block: { extras: ['opnecv'] } }, async (project) => {
  const result = await project.run();
  assert.equal(result.code, 3, result.stderr);
  for (const part of ['app/package.json', 'opnecv', 'opencv', 'phonemizer', 'Nothing that was installed has changed']) assert.ok(result.stderr.includes(part), `${part} is not in: ${result.stderr}`);
});

withProject('invariant 11: two processes at once cost at most waiting: same result, one download', { block: { extras: allExtras } }, async (project) => {
  const server = await serve(project.release);
  const results = await Promise.all(Array.from({ length: 4 }, () => project.run([], { env: { RNET_BASE_URL: server.url } })));
  server.close();
  results.forEach(ok);
  const archives = server.requests.map((request) => request.url).filter((url) => url.endsWith('.tar.gz'));
  assert.equal(new Set(archives).size, archives.length, 'an archive was requested twice');
  assert.deepEqual(project.tree(), expectedTree(sampleRelease(), artifactsOf(['opencv', 'phonemizer', 'xnnpack', 'vulkan'])));
});
