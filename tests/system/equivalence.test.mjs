// The same result as what this program takes the place of: a release of real
// libraries, unpacked, is what tar makes of it, and the flags are those that
// the 0.9 releases' own script writes.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { realRelease } from '../fixtures/real-release.mjs';
import { allExtras, makeProject, treeOf } from './lib/project.mjs';

// The contract of the 0.9 releases: extra -> the key in rne-build-config.json,
// and the targets for which there is an archive <extra>-<target>.
const android = ['android-arm64-v8a', 'android-x86_64'];
const contract = {
  opencv: { key: 'enableOpencv', targets: android },
  phonemizer: { key: 'enablePhonemizer', targets: ['ios', ...android] },
  xnnpack: { key: 'enableXnnpack', targets: ['ios', ...android] },
  coreml: { key: 'enableCoreml', targets: ['ios'] },
  vulkan: { key: 'enableVulkan', targets: android },
};

const subsets = Array.from({ length: 1 << allExtras.length }, (_, bits) => allExtras.filter((_extra, i) => bits & (1 << i)));

function archivesOf(extras) {
  const names = ['core-ios', ...android.map((target) => `core-${target}`)];
  for (const extra of extras) names.push(...contract[extra].targets.map((target) => `${extra}-${target}`));
  return names;
}

function prepare() {
  try {
    return { release: realRelease('0.9.0') };
  } catch (error) {
    return { reason: error.message };
  }
}

const { release, reason } = prepare();

describe('a release of real libraries', { skip: reason }, () => {
  let project, unpacked;

  before(() => {
    project = makeProject({ release: {} });
    fs.rmSync(path.join(project.pkg, 'rne-manifest.json'));
    // What `tar -xzf` gives, archive by archive.
    unpacked = {};
    for (const name of archivesOf(allExtras)) {
      const folder = path.join(project.root, 'tar', name);
      fs.mkdirSync(folder, { recursive: true });
      execFileSync('tar', ['-xzf', path.join(release, `${name}.tar.gz`), '-C', folder]);
      unpacked[name] = treeOf(folder);
    }
  });
  after(() => project.remove());

  const install = (block) => {
    project.setBlock(block);
    return project.run(['--target', 'all'], { env: { RNET_BASE_URL: `file://${release}` } });
  };

  function expected(extras) {
    const tree = {};
    for (const name of archivesOf(extras)) {
      const folder = name.endsWith('-ios') ? 'ios' : 'android/libs';
      for (const [file, content] of Object.entries(unpacked[name])) tree[path.join(folder, file)] = content;
    }
    return tree;
  }

  test('the installed tree is byte for byte what tar makes of the 14 archives', async () => {
    assert.equal(Object.keys(unpacked).length, 14);
    const result = await install({ extras: allExtras });
    assert.equal(result.code, 0, result.stderr);
    assert.deepEqual(project.tree(), expected(allExtras));
  });

  test('flags and tree are those of the 0.9 contract for all 32 subsets of the extras', async () => {
    for (const extras of subsets) {
      const result = await install({ extras });
      assert.equal(result.code, 0, result.stderr);
      const flags = Object.fromEntries(Object.entries(project.config()).filter(([key]) => key.startsWith('enable')));
      const wanted = Object.fromEntries(allExtras.map((extra) => [contract[extra].key, extras.includes(extra)]));
      assert.deepEqual(flags, wanted, `extras: ${extras.join(', ')}`);
      assert.deepEqual(project.tree(), expected(extras), `extras: ${extras.join(', ')}`);
    }
  });

  test('without a block everything is on', async () => {
    const result = await install(undefined);
    assert.equal(result.code, 0, result.stderr);
    for (const extra of allExtras) assert.equal(project.config()[contract[extra].key], true, extra);
    assert.deepEqual(project.tree(), expected(allExtras));
  });
});
