// Maintainers' commands on manifests, by the whole program: what pin reads
// from a folder and from a server, and what lint then says.

import test from 'node:test';
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { binary, product, repository, run, sampleRelease, sha256, writeRelease } from './lib/project.mjs';
import { startServer } from './lib/server.mjs';

const bundled = path.join(repository, `manifests/${product}-0.9.0.json`);

function workshop(t) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rne-pin-'));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  const release = path.join(folder, 'release');
  writeRelease(release, sampleRelease({ size: 2000 }));
  return { folder, release, output: path.join(folder, 'pinned.json') };
}

const pin = (from, output, file = bundled) => run(binary, ['manifest', 'pin', '--from', from, '--output', output, file]);
const read = (file) => JSON.parse(fs.readFileSync(file, 'utf8'));

test('a folder pins every archive with its size, its digest and its files', async (t) => {
  const { release, output } = workshop(t);
  const result = await pin(release, output);
  assert.equal(result.code, 0, result.stderr);
  for (const artifact of read(output).artifacts) {
    const [archive] = artifact.archives;
    const content = fs.readFileSync(path.join(release, archive.file));
    assert.equal(archive.size, content.length);
    assert.equal(archive.sha256, sha256(content));
    const files = artifact.files.filter((entry) => entry.size !== undefined);
    assert.ok(files.length);
    assert.equal(artifact.unpackedSize, files.reduce((sum, entry) => sum + entry.size, 0));
  }
  const lint = await run(binary, ['manifest', 'lint', output]);
  assert.equal(lint.code, 0, lint.stderr);
  assert.doesNotMatch(lint.stderr, /not pinned/);
});

test('a server gives the same manifest as the folder that it serves', async (t) => {
  const { folder, release, output } = workshop(t);
  const files = Object.fromEntries(
    fs.readdirSync(release).map((name) => [`/r/${name}`, fs.readFileSync(path.join(release, name))]));
  const server = await startServer({ files });
  t.after(() => server.close());
  const fetched = path.join(folder, 'fetched.json');
  assert.equal((await pin(release, output)).code, 0);
  const result = await pin(`${server.url}/r`, fetched);
  assert.equal(result.code, 0, result.stderr);
  assert.equal(fs.readFileSync(fetched, 'utf8'), fs.readFileSync(output, 'utf8'));
});

test('what the release has not is named, and stays as it was', async (t) => {
  const { release, output } = workshop(t);
  fs.rmSync(path.join(release, 'coreml-ios.tar.gz'));
  const result = await pin(release, output);
  assert.equal(result.code, 0, result.stderr);
  assert.match(result.stderr, /coreml-ios\.tar\.gz/);
  const coreml = read(output).artifacts.find((artifact) => artifact.name === 'coreml-ios');
  assert.deepEqual(coreml.archives, [{ file: 'coreml-ios.tar.gz', format: 'tar.gz' }]);
  const lint = await run(binary, ['manifest', 'lint', output]);
  assert.match(lint.stderr, /not pinned: coreml-ios\.tar\.gz/);
});

test('pinning again changes no byte; a release that was cut again is said', async (t) => {
  const { release, output } = workshop(t);
  assert.equal((await pin(release, output)).code, 0);
  const before = fs.readFileSync(output);
  const again = await run(binary, ['manifest', 'pin', '--from', release, output]);
  assert.equal(again.code, 0, again.stderr);
  assert.deepEqual(fs.readFileSync(output), before);
  writeRelease(release, { 'coreml-ios': { 'CoreMLBackend.xcframework/x': 'another' } });
  const changed = await run(binary, ['manifest', 'pin', '--from', release, output]);
  assert.equal(changed.code, 0, changed.stderr);
  assert.match(changed.stderr, /coreml-ios\.tar\.gz: was sha256 [0-9a-f]{64}, is [0-9a-f]{64}/);
});

test('a sidecar that disagrees, or an archive that cannot be unpacked, leaves the manifest alone', async (t) => {
  const { release, output } = workshop(t);
  const archive = path.join(release, 'core-ios.tar.gz');
  const content = fs.readFileSync(archive);
  fs.writeFileSync(`${archive}.sha256`, `${'0'.repeat(64)}\n`);
  const disagrees = await pin(release, output);
  assert.equal(disagrees.code, 5, disagrees.stderr);
  assert.match(disagrees.stderr, /core-ios\.tar\.gz: its sidecar says sha256 0{64}/);
  fs.writeFileSync(archive, content.subarray(0, content.length - 20));
  fs.rmSync(`${archive}.sha256`);
  const cut = await pin(release, output);
  assert.equal(cut.code, 6, cut.stderr);
  assert.ok(!fs.existsSync(output));
});

test('artifacts that own one path with different content are a problem', async (t) => {
  const { release, output } = workshop(t);
  const shared = 'ExecutorchLib.xcframework/Info.plist';
  writeRelease(release, { 'coreml-ios': { [shared]: 'another' } });
  assert.equal((await pin(release, output)).code, 0);
  const lint = await run(binary, ['manifest', 'lint', output]);
  assert.equal(lint.code, 3, lint.stderr);
  assert.match(lint.stdout, /ios\/ExecutorchLib\.xcframework\/Info\.plist: core-ios and coreml-ios own it with different content/);
});
