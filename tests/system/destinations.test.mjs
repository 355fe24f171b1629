// Targets whose destinations lie in one another: their artifacts put files
// into the same folders.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { manifestOf, ok, sampleRelease, withProject, write } from './lib/project.mjs';

const targets = ['android-arm64-v8a', 'android-x86_64'];

// What each of two artifacts has, and where its target lies.
function setUp(project, files, destinations) {
  const release = sampleRelease();
  targets.forEach((target, i) => { release[`core-${target}`] = files[i]; });
  project.setRelease(release);
  const manifest = manifestOf(project.release, { pinned: true });
  targets.forEach((target, i) => { manifest.targets[target].destination = destinations[i]; });
  write(path.join(project.pkg, 'rne-manifest.json'), manifest);
}

const outer = { 'include/x/a.h': 'of both', 'include/x/b.h': 'outer', 'include/z/c.h': 'outer', 'lib/d.a': 'outer' };
const inner = {
  'the same file': { 'a.h': 'of both' },
  'a file in front of it': { '0.h': 'inner' },
  'the same file, and one behind it': { 'a.h': 'of both', 'c.h': 'inner' },
  'a folder of its own': { 'a.h': 'of both', 'deep/e.h': 'inner' },
};

for (const [what, below] of Object.entries(inner)) {
  for (const order of ['first', 'last']) {
    withProject(`a destination within another, whose artifact comes ${order} and has ${what}`, { block: { extras: [] } }, async (project) => {
      const pair = (one, other) => (order === 'first' ? [one, other] : [other, one]);
      setUp(project, pair(below, outer), pair('out/include/x', 'out'));
      ok(await project.run());
      const expected = new Map();
      for (const [name, content] of Object.entries(outer)) expected.set(`out/${name}`, content);
      for (const [name, content] of Object.entries(below)) expected.set(`out/include/x/${name}`, content);
      assert.deepEqual(Object.keys(project.tree()).sort(), [...expected.keys()].sort());
      for (const [name, content] of expected) assert.equal(fs.readFileSync(path.join(project.thirdParty, name), 'utf8'), content);
      // The receipt tells of these very files: nothing is to be done again.
      for (const file of JSON.parse(fs.readFileSync(project.receiptFile, 'utf8')).artifacts.flatMap(({ files }) => files)) {
        assert.equal(file.mtime, String(fs.statSync(path.join(project.thirdParty, file.path), { bigint: true }).mtimeNs), file.path);
      }
      assert.match(ok(await project.run()).stderr, /up to date/);
    });
  }
}
