// Every archive of the hostile corpus through the real program, and the odd
// but honest ones. One project has a good release installed; after each
// refusal everything in it is as it was.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gzip, tarOf, zipOf, zstd } from '../fixtures/archives.mjs';
import { honestArchives, hostileArchives } from '../fixtures/hostile.mjs';
import { binary, product, run, sha256, write } from './lib/project.mjs';

const hostile = hostileArchives();
const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'rne-archives-')));
const folder = (name) => path.join(root, name);
const destination = folder('package/third-party/android/libs');
const good = { format: 'tar.gz', bytes: gzip(tarOf([{ name: 'lib/good.so', data: 'good library\n', mode: 0o755 }])) };

const nameOf = ({ format }) => `core-android-arm64-v8a.${format}`;

// A release of one archive; `promise` overrules what the manifest says of it.
function manifestFor(archive, promise = {}) {
  const { unpackedSize, files, ...pinned } = promise;
  return {
    schema: 1, product, version: '0.9.0', vocabulary: 'extras', baseUrls: [`file://${folder('release')}`],
    targets: { 'android-arm64-v8a': { platform: 'android', arch: 'arm64-v8a', destination: 'android/libs', hosts: ['linux', 'macos', 'windows'] } },
    extras: {},
    artifacts: [{
      name: 'core-android-arm64-v8a', target: 'android-arm64-v8a',
      archives: [{ file: nameOf(archive), format: archive.format, size: Math.max(1, archive.bytes.length), sha256: sha256(archive.bytes), ...pinned }],
      ...(unpackedSize !== undefined && { unpackedSize }), ...(files && { files }),
    }],
  };
}

function install(archive, promise, options = {}) {
  write(path.join(folder('release'), nameOf(archive)), archive.bytes);
  write(folder('manifest.json'), manifestFor(archive, promise));
  const args = ['install', '--app', folder('app'), '--package', folder('package'), '--manifest', folder('manifest.json'), '--cache-dir', folder('cache'), '--no-sync', '--no-progress'];
  return (options.run ?? run)(options.command ?? binary, [...(options.before ?? []), ...args], { cwd: root, env: { HOME: folder('home'), LC_ALL: 'C' }, ...options });
}

// path -> kind, mode and content of everything but what a run may change.
function snapshot(at = root, found = {}) {
  for (const entry of fs.readdirSync(at, { withFileTypes: true })) {
    const full = path.join(at, entry.name);
    const name = path.relative(root, full);
    if (['cache', 'release', 'manifest.json'].includes(name) || name.endsWith('.rne-libs/lock')) continue;
    const mode = (fs.lstatSync(full).mode & 0o7777).toString(8);
    if (entry.isDirectory()) { found[name] = `folder ${mode}`; snapshot(full, found); }
    else if (entry.isSymbolicLink()) found[name] = `-> ${fs.readlinkSync(full)}`;
    else found[name] = `${mode} ${sha256(fs.readFileSync(full))}`;
  }
  return found;
}

let untouched;

before(async () => {
  fs.mkdirSync(folder('home'));
  write(folder('app/package.json'), { name: 'app', dependencies: { [product]: '0.9.0' }, [product]: { extras: [] } });
  write(folder('package/package.json'), { name: product, version: '0.9.0' });
  write(folder('canary/file'), 'untouched\n');
  const result = await install(good);
  assert.equal(result.code, 0, result.stderr);
  untouched = snapshot();
});

after(() => fs.rmSync(root, { recursive: true, force: true }));

function refused(result, { code = 6, message, archive }) {
  assert.equal(result.code, code, `${result.signal ?? ''} ${result.stderr}`);
  if (message) assert.match(result.stderr, message);
  if (archive) assert.ok(result.stderr.includes(nameOf(archive)), result.stderr);
  // eslint-disable-next-line no-control-regex
  assert.doesNotMatch(result.stderr, /[\x00-\x09\x0b-\x1f\x7f]/, 'a raw control byte in the output');
  assert.deepEqual(snapshot(), untouched);
}

describe('a hostile archive is refused, and nothing has changed', () => {
  for (const archive of hostile) {
    test(`${archive.format}: ${archive.name}`, async () => {
      const result = await install(archive);
      // Nothing can be pinned to an empty file: its size is not a size.
      if (!archive.bytes.length) refused(result, { code: 5, archive });
      else refused(result, { message: archive.refused, archive });
    });
  }

  test('an archive whose digest is not the one promised is not even opened', async () => {
    refused(await install(good, { sha256: sha256('another') }), { code: 5, archive: good });
  });

  test('after all of them the cache is sound, and a good archive is installed without cleaning up', async () => {
    const archives = folder('cache/archives');
    const names = fs.readdirSync(archives);
    assert.ok(names.length > 500);
    for (const name of names) assert.equal(sha256(fs.readFileSync(path.join(archives, name))), name);
    const next = { format: 'tar.gz', bytes: gzip(tarOf([{ name: 'lib/good.so', data: 'a better library\n', mode: 0o755 }])) };
    assert.equal((await install(next)).code, 0);
    assert.equal(fs.readFileSync(path.join(destination, 'lib/good.so'), 'utf8'), 'a better library\n');
    assert.equal((await install(good)).code, 0);
    untouched = snapshot();
  });
});

describe('what the manifest promises holds', () => {
  const entries = [{ name: 'a', data: 'aaaa' }, { name: 'b', data: 'bb', mode: 0o755 }];
  const files = [{ path: 'a', size: 4, sha256: sha256('aaaa') }, { path: 'b', size: 2, sha256: sha256('bb'), executable: true }];
  const archives = [{ format: 'tar.gz', bytes: gzip(tarOf(entries)) }, { format: 'tar.zst', bytes: zstd(tarOf(entries)) }, { format: 'zip', bytes: zipOf(entries) }];
  const promises = [
    ['an entry larger than the unpacked size', { unpackedSize: 3 }],
    ['entries that together are larger', { unpackedSize: 5 }],
    ['entries that together are smaller', { unpackedSize: 7 }],
    ['a file that is not listed', { unpackedSize: 6, files: files.slice(0, 1) }],
    ['a listed file that is not there', { unpackedSize: 6, files: [...files, { path: 'c', size: 0, sha256: sha256('') }] }],
    ['a file with other bytes', { unpackedSize: 6, files: [{ ...files[0], sha256: sha256('aaab') }, files[1]] }],
    ['a file with another mode', { unpackedSize: 6, files: [files[0], { ...files[1], executable: false }] }],
    ['a link in the place of a file', { unpackedSize: 6, files: [{ path: 'a', link: 'b' }, files[1]] }],
  ];

  for (const archive of archives) {
    for (const [name, promise] of promises) {
      test(`${archive.format}: ${name} is refused`, async () => {
        const result = await install(archive, promise);
        // A manifest whose list and size differ is itself at fault.
        refused(result, { code: result.code === 3 ? 3 : 6, archive: result.code === 3 ? undefined : archive });
      });
    }
  }
});

// What Python makes of it, where there is one: { path: "mode content" }.
const python = ['python3', 'python'].find((name) => spawnSync(name, ['-c', 'import tarfile, zipfile; tarfile.data_filter']).status === 0);
const extractWithPython = `
import sys, tarfile, zipfile
name, into = sys.argv[1:]
if name.endswith('.zip'):
    zipfile.ZipFile(name).extractall(into)
else:
    tarfile.open(name, 'r:*').extractall(into, filter='data')
`;

// path -> its bytes or "-> target"; links are not followed. `folders` too.
function treeOf(at, { folders = false } = {}, found = {}, below = '') {
  for (const entry of fs.existsSync(at) ? fs.readdirSync(at, { withFileTypes: true }) : []) {
    const full = path.join(at, entry.name);
    const name = path.join(below, entry.name);
    if (entry.isDirectory()) {
      if (folders) found[name] = 'folder';
      treeOf(full, { folders }, found, name);
    } else if (entry.isSymbolicLink()) found[name] = `-> ${fs.readlinkSync(full)}`;
    else found[name] = fs.readFileSync(full, 'latin1');
  }
  return found;
}

describe('an honest archive that looks odd is installed', () => {
  for (const archive of honestArchives()) {
    test(`${archive.format}: ${archive.name}`, async () => {
      const result = await install(archive);
      assert.equal(result.code, 0, result.stderr);
      assert.deepEqual(treeOf(destination), archive.files);
      for (const name of Object.keys(treeOf(destination, { folders: true }))) {
        const stat = fs.lstatSync(path.join(destination, name));
        const mode = (stat.mode & 0o7777).toString(8);
        if (stat.isDirectory()) assert.equal(mode, '755', name);
        else if (stat.isFile()) assert.match(mode, /^(644|755)$/, name);
      }
      assert.match((fs.statSync(destination).mode & 0o7777).toString(8), /^755$/);
    });

    // zipfile knows no links, and Python 3.11 reads no zstd.
    const links = Object.values(archive.files).some((one) => one.startsWith('-> '));
    if (archive.format === 'tar.zst' || (archive.format === 'zip' && links)) continue;
    const skip = !python && 'no Python with tarfile.data_filter';
    test(`${archive.format}: ${archive.name}: Python's tarfile and zipfile give the same`, { skip }, () => {
      const into = fs.mkdtempSync(path.join(root, 'python-'));
      const file = path.join(into, nameOf(archive));
      write(file, archive.bytes);
      execFileSync(python, ['-c', extractWithPython, file, path.join(into, 'tree')], { env: { ...process.env, LC_ALL: 'C.UTF-8', PYTHONUTF8: '1' } });
      assert.deepEqual(treeOf(path.join(into, 'tree')), archive.files);
      fs.rmSync(into, { recursive: true, force: true });
    });
  }
});

describe('memory stays flat', () => {
  const time = '/usr/bin/time';
  const skip = process.env.RNE_SANITIZED ? 'a sanitizer takes memory of its own' : spawnSync(time, ['-f', '%M', 'true']).status === 0 ? false : 'no GNU time';
  const large = (name) => hostile.filter((one) => one.name.startsWith(name));

  for (const archive of [...large('a ratio'), ...large('a gigabyte'), ...large('a terabyte'), ...large('10 million'), ...large('25,001'), ...large('5 MB of names'), ...large('endless'), ...large('a pax header of 1 GiB'), ...large('a window')]) {
    test(`${archive.format}: ${archive.name} takes less than 64 MB`, { skip }, async () => {
      const report = folder('home/time');
      const result = await install(archive, {}, { command: time, before: ['-f', '%M', '-o', report, binary] });
      const kilobytes = Number(fs.readFileSync(report, 'utf8').trim().split('\n').at(-1));
      fs.rmSync(report);
      assert.equal(result.code, 6, result.stderr);
      assert.ok(kilobytes < 64 * 1024, `${kilobytes} KB`);
    });
  }
});
