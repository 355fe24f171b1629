// A manifest that pins an archive and lists its files says the same thing
// twice. Here the list is wrong in what only hashing every file can show.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { describe } from 'node:test';
import { makeProject, manifestOf, ok, sampleRelease, sha256, withProject, write } from './lib/project.mjs';

const artifact = 'core-android-arm64-v8a';
const other = 'core-android-x86_64';
const options = { block: { extras: [] } };
const right = { 'lib/a': 'AAAA', 'lib/h': 'hhhh' };
const next = { 'lib/a': 'BBBB', 'lib/h': 'HHHH' };

const listOf = (files) => Object.entries(files).map(([name, content]) => ({ path: name, size: content.length, sha256: sha256(content) }));

// The artifacts' archives hold `files`, and the manifest lists `listed`.
function release(project, files, listed, { pinned = true, destination } = {}) {
  project.setRelease({ ...sampleRelease(), ...files });
  const manifest = manifestOf(project.release, { pinned });
  for (const [name, list] of Object.entries(listed)) manifest.artifacts.find((one) => one.name === name).files = listOf(list);
  if (destination !== undefined) for (const name of [artifact, other]) manifest.targets[name.replace('core-', '')].destination = destination;
  write(path.join(project.pkg, 'rne-manifest.json'), manifest);
}

const installed = (project, name) => fs.readFileSync(path.join(project.thirdParty, 'android/libs', name), 'utf8');

function refused(result) {
  assert.equal(result.code, 6, result.stderr);
  assert.match(result.stderr, /lib\/a is not what the manifest promises/);
}

describe('a list that is wrong', () => {
  withProject('is believed once, after a download: verify tells, and a repair names it', options, async (project) => {
    release(project, { [artifact]: right }, { [artifact]: next });
    ok(await project.run());
    assert.equal(installed(project, 'lib/a'), 'AAAA');
    const { code, stdout } = await project.run(['verify']);
    assert.equal(code, 8);
    assert.match(stdout, /^android\/libs\/lib\/a was changed$/m);
    refused(await project.run(['--refresh']));
  });

  withProject('is refused when the archive comes out of the cache', options, async (project) => {
    release(project, { [artifact]: right }, { [artifact]: next });
    ok(await project.run(['warm']));
    refused(await project.run());
  });

  withProject('is refused when a sidecar vouches for the archive', options, async (project) => {
    release(project, { [artifact]: right }, { [artifact]: next }, { pinned: false });
    refused(await project.run());
  });

  withProject('is refused over an older release, which stays', options, async (project) => {
    release(project, { [artifact]: right }, { [artifact]: right });
    ok(await project.run());
    release(project, { [artifact]: next }, { [artifact]: { ...next, 'lib/a': right['lib/a'] } });
    refused(await project.run());
    assert.equal(installed(project, 'lib/a') + installed(project, 'lib/h'), 'AAAAhhhh');
  });

  withProject('does not keep a file in place that the right archive has otherwise', options, async (project) => {
    release(project, { [artifact]: right }, { [artifact]: next });
    ok(await project.run());
    release(project, { [artifact]: next }, { [artifact]: next });
    ok(await project.run());
    assert.equal(installed(project, 'lib/a') + installed(project, 'lib/h'), 'BBBBHHHH');
    ok(await project.run(['verify']));
  });

  withProject('does not hide that two artifacts have one path, and different files', options, async (project) => {
    release(project, { [artifact]: right, [other]: next }, { [artifact]: right, [other]: right }, { destination: 'out' });
    const { code, stderr } = await project.run();
    assert.equal(code, 6, stderr);
    assert.match(stderr, /core-android-x86_64: out\/lib\/a is not what the manifest promises/);
  });

  withProject('does not reach another project through the cache', options, async (project) => {
    const neighbour = makeProject(options);
    try {
      release(project, { [artifact]: right }, { [artifact]: next });
      ok(await project.run());
      release(neighbour, { [artifact]: right }, {});
      for (const round of ['first', 'second']) {
        fs.rmSync(neighbour.thirdParty, { recursive: true, force: true });
        ok(await neighbour.run([], { env: { RNET_LIBS_CACHE_DIR: project.cache } }));
        assert.equal((await neighbour.run(['verify'])).code, 0, `after the ${round} installation`);
      }
    } finally {
      neighbour.remove();
    }
  });
});
