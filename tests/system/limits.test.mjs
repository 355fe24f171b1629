// However much there is to read: memory stays under 64 MB, and what is too
// much is refused soon. (Archives: archives.test.mjs; servers:
// network.test.mjs.)
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe } from 'node:test';
import { gzip, tarEnd, tarHeader } from '../fixtures/archives.mjs';
import { expectedTree, manifestOf, ok, product, sampleRelease, serve, withProject, write } from './lib/project.mjs';

const bytesMax = 64 << 20;
const core = ['core-android-arm64-v8a', 'core-android-x86_64'];
const MB = 1 << 20;

// Documents of `size` bytes, each heavy in its own way.
const heavy = {
  numbers: (size) => `{"x":[${'0,'.repeat((size - 20) >> 1)}0]}`,
  arrays: (size) => `{"x":[${'[],'.repeat((size - 20) / 3)}0]}`,
  members: (size) => `{${Array.from({ length: size / 13 }, (_, i) => `"${i.toString(36)}":0`).join()}}`,
  'one string': (size) => `{"x":"${'a'.repeat(size - 20)}"}`,
  strings: (size) => `{"x":[${'"aaaaaaaaaaaaaaaa",'.repeat((size - 20) / 19)}0]}`,
  escapes: (size) => `{"x":"${'\\u00e9'.repeat((size - 20) / 6)}"}`,
  depth: (size) => `${'['.repeat(size >> 1)}${']'.repeat(size >> 1)}`,
  digits: (size) => `{"x":${'1'.repeat(size - 20)}}`,
  nothing: (size) => ' '.repeat(size),
};

// Exit code and memory; how long it took is bounded, too.
async function light(project, args, codes, options) {
  const result = await project.run(args, { peak: true, timeout: 60000, ...options });
  assert.ok(codes.includes(result.code), `${result.code} ${result.signal}: ${result.stderr.slice(0, 2000)}`);
  if (result.peak) assert.ok(result.peak < bytesMax, `${result.peak >> 10} KB`);
  return result;
}

describe('documents from outside', () => {
  for (const [kind, make] of Object.entries(heavy)) {
    withProject(`package.json full of ${kind}`, {}, async (project) => {
      for (const size of [MB, 7 * MB, 9 * MB]) {
        write(path.join(project.app, 'package.json'), make(size));
        const result = await light(project, ['plan'], [0, 3]);
        if (result.code) assert.match(result.stderr, /app\/package\.json/);
        assert.ok(result.stderr.length < 4000);
      }
      project.setBlock({ extras: [] });
      ok(await project.run(['plan']));
    });
    withProject(`a manifest full of ${kind}`, { block: { extras: [] } }, async (project) => {
      const file = path.join(project.pkg, 'rne-manifest.json');
      const good = fs.readFileSync(file);
      for (const size of [MB, 4 * MB - 10, 17 * MB]) {
        write(file, make(size));
        const result = await light(project, [], [3]);
        assert.match(result.stderr, /rne-manifest\.json/);
        assert.ok(result.stderr.length < 4000);
      }
      write(file, good);
      ok(await project.run());
    });
  }

  withProject('a manifest of the largest size that promises 22,000 files', { block: { extras: [] } }, async (project) => {
    const manifest = manifestOf(project.release);
    manifest.artifacts[0].files = Array.from({ length: 22000 }, (_, i) => ({ path: `include/some/folder/of/some/length/with/${String(i).padStart(6, '0')}.h`, size: 1, sha256: 'ab'.repeat(32) }));
    manifest.artifacts[0].unpackedSize = 22000;
    const text = JSON.stringify(manifest);
    assert.ok(text.length > 3 * MB && text.length < 4 * MB);
    write(path.join(project.pkg, 'rne-manifest.json'), text);
    await light(project, ['plan'], [0]);
    await light(project, ['manifest', 'lint', path.join(project.pkg, 'rne-manifest.json')], [0, 3]);
  });

  const sparse = (file) => { write(file, ''); fs.truncateSync(file, 2 ** 30); };
  const obstacles = {
    'a gigabyte': sparse,
    'a gigabyte with a beginning': (file) => { write(file, '{"schema": 1, '); fs.truncateSync(file, 2 ** 30); },
    'an endless device': (file) => { fs.mkdirSync(path.dirname(file), { recursive: true }); fs.symlinkSync('/dev/zero', file); },
    'a FIFO': (file) => { fs.mkdirSync(path.dirname(file), { recursive: true }); execFileSync('mkfifo', [file]); },
  };
  // name: [file, exit codes]; what is ours is made anew, the rest refused.
  const files = {
    'the package.json of the app': [(project) => path.join(project.app, 'package.json'), [3]],
    'the package.json of the package': [(project) => path.join(project.pkg, 'package.json'), [0, 2, 3]],
    'the manifest in the package': [(project) => path.join(project.pkg, 'rne-manifest.json'), [3]],
    'pnpm-workspace.yaml': [(project) => path.join(project.app, 'pnpm-workspace.yaml'), [0, 3]],
    'the .npmrc of the app': [(project) => path.join(project.app, '.npmrc'), [0, 3]],
    'the .npmrc of the user': [(project) => path.join(project.home, '.npmrc'), [0, 3]],
    'the receipt': [(project) => project.receiptFile, [0, 7]],
    'the journal': [(project) => path.join(project.thirdParty, '.rne-libs/journal.json'), [0, 7]],
    'the build config': [(project) => project.configFile, [0, 7]],
    'an index entry of the cache': [(project) => path.join(project.cache, `index/${product}/0.9.0/${core[0]}.tar.gz`), [0]],
  };
  for (const [what, [place, codes]] of Object.entries(files)) {
    withProject(`${what} that has no end`, { block: { extras: [] }, pinned: false }, async (project) => {
      ok(await project.run());
      const file = place(project);
      const before = fs.existsSync(file) ? fs.readFileSync(file) : null;
      for (const [kind, make] of Object.entries(obstacles)) {
        fs.rmSync(file, { force: true });
        make(file);
        // A folder of packages has no use for a receipt that came as a link.
        const server = await serve(project.release);
        const result = await light(project, [], codes, { timeout: 20000, env: { RNET_BASE_URL: server.url } });
        server.close();
        assert.ok(result.ms < 15000, `${kind}: ${result.ms} ms`);
        fs.rmSync(file, { force: true, recursive: true });
        if (before) write(file, before);
        ok(await project.run());
        assert.deepEqual(project.tree(), expectedTree(sampleRelease(), core), kind);
      }
    });
  }

  withProject('a sidecar without an end', { block: { extras: [] }, pinned: false }, async (project) => {
    const server = await serve(project.release, (request, response) => {
      if (!request.url.endsWith('.sha256')) return false;
      const pump = () => { while (!response.destroyed && response.write(Buffer.alloc(65536, 'a'))); };
      response.on('drain', pump);
      pump();
      return true;
    });
    await light(project, [], [4, 5], { env: { RNET_BASE_URL: server.url } });
    server.close();
    ok(await project.run());
  });
});

// An archive of empty files `first` to `last`, and a manifest that pins all.
function releaseOf(project, names) {
  for (const [name, [first, last, folder = 'include']] of Object.entries(names)) {
    const parts = [];
    for (let i = first; i < last; i++) parts.push(tarHeader({ name: `${folder}/${i >> 9}/header-${i}.h` }));
    fs.writeFileSync(path.join(project.release, `${name}.tar.gz`), gzip(Buffer.concat([...parts, tarEnd]), 1));
  }
  write(path.join(project.pkg, 'rne-manifest.json'), manifestOf(project.release, { pinned: true }));
}

describe('as many files as there may be', () => {
  withProject('are installed, kept, replaced by others and removed', { block: { extras: [] } }, async (project) => {
    const count = () => Object.keys(project.tree()).length;
    releaseOf(project, { [core[0]]: [0, 12000], [core[1]]: [12000, 24000] });
    await light(project, ['--no-sync'], [0]);
    assert.equal(count(), 24000);
    for (const args of [[], ['verify'], ['status'], ['plan', '--json']]) await light(project, args, [0]);
    releaseOf(project, { [core[0]]: [0, 12000, 'other'], [core[1]]: [12000, 24000, 'other'] });
    await light(project, ['--no-sync'], [0]);
    assert.equal(count(), 24000);
    project.setRelease(sampleRelease());
    await light(project, ['--no-sync'], [0]);
    assert.deepEqual(project.tree(), expectedTree(sampleRelease(), core));
  });

  withProject('and one more is refused, in one artifact or in all of them', { block: { extras: [] } }, async (project) => {
    ok(await project.run());
    releaseOf(project, { [core[0]]: [0, 12600], [core[1]]: [12600, 25200] });
    const result = await light(project, ['--no-sync'], [6]);
    assert.match(result.stderr, /core-android-\S+ and the other artifacts hold more than the 25000 files/);
    assert.deepEqual(project.tree(), expectedTree(sampleRelease(), core));
    project.setRelease(sampleRelease({ seed: 'v2' }));
    ok(await project.run());
    assert.deepEqual(project.tree(), expectedTree(sampleRelease({ seed: 'v2' }), core));
  });
});
