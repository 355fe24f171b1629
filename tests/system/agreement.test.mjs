// What this program takes, others read alike: of random archives, honest ones
// and slightly changed ones, those that are installed give the tree that
// Python's tarfile (with its data filter) and zipfile find in them.
//
// RNE_AGREEMENT_SEED and RNE_AGREEMENT_COUNT make other runs.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { gnuLong, gzip, pax, paxRecord, tar, tarEntry, zipDescriptor, zipOf, zstd } from '../fixtures/archives.mjs';
import { binary, product, run, sha256, treeOf, write } from './lib/project.mjs';

const seed = Number(process.env.RNE_AGREEMENT_SEED ?? 1);
const count = Number(process.env.RNE_AGREEMENT_COUNT ?? 80);

const python = `
import json, os, stat, sys, tarfile, zipfile
from hashlib import sha256

def tree_of_tar(file, into):
    modes = {}
    with tarfile.open(file, 'r:') as archive:
        archive.extractall(into, filter='data')
        # On disk, the last link to a file would give all of them its mode.
        for member in archive:
            mode = modes.get(os.path.normpath(member.linkname)) if member.islnk() else member.mode
            modes[os.path.normpath(member.name)] = mode
    found = {}
    for at, folders, files in os.walk(into):
        for name in folders + files:
            full = os.path.join(at, name)
            path = os.path.relpath(full, into)
            if os.path.islink(full):
                found[path] = '-> ' + os.readlink(full)
            elif os.path.isfile(full):
                found[path] = sha256(open(full, 'rb').read()).hexdigest() + (' x' if modes[path] & 0o100 else '')
    return found

def tree_of_zip(file):
    found = {}
    with zipfile.ZipFile(file) as archive:
        if archive.testzip():
            raise ValueError(archive.testzip() + ' does not fit its CRC')
        for info in archive.infolist():
            mode = info.external_attr >> 16 if info.create_system == 3 else 0
            data = archive.read(info)
            if info.is_dir():
                continue
            # ./a is a, to all who write it to a disk.
            path = os.path.normpath(info.filename)
            if path in found:
                raise ValueError(path + ' is there twice')
            if stat.S_ISLNK(mode):
                found[path] = '-> ' + data.decode()
            else:
                found[path] = sha256(data).hexdigest() + (' x' if mode & 0o100 else '')
    return found

result = {}
for name in sorted(os.listdir(sys.argv[1])):
    file = os.path.join(sys.argv[1], name)
    try:
        zip = name.endswith('.zip')
        result[name] = tree_of_zip(file) if zip else tree_of_tar(file, file + '.d')
    except Exception as error:
        result[name] = repr(error)
print(json.dumps(result))
`;

function missing() {
  const probe = spawnSync('python3', ['-c', 'import tarfile; tarfile.data_filter'], { stdio: 'ignore' });
  if (probe.error) return 'there is no python3';
  return probe.status ? "this Python's tarfile has no data filter" : undefined;
}

// Mulberry32: the same numbers for the same seed, on every machine.
function random(state) {
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (t ^ (t >>> 14)) >>> 0;
  };
  const below = (limit) => next() % limit;
  return { below, pick: (list) => list[below(list.length)], chance: (percent) => below(100) < percent };
}

const components = ['a', 'b', 'lib', 'include', 'x.so', 'c++', 'with blank', 'gr\u00f6\u00dfe', '\u65e5\u672c', '.hidden', 'v1.2', '@x', "it's", '\u{1f600}'];
const odd = ['A', 'LIB', 'cafe\u0301', 'caf\u00e9', '..', '.', '', 'con', 'a.', 'a:b', 'a\\b', 'a\nb', '.git', 'x'.repeat(120), 'y'.repeat(256)];
const modes = [0o644, 0o755, 0o600, 0o711, 0o444, 0o4755, 0];

// Entries that do not contradict one another, in random order of kinds.
function honest(r) {
  const used = new Map(); // what a disk would call it -> kind
  const entries = [];
  const key = (name) => name.toLowerCase();
  if (r.chance(30)) entries.push({ name: './', kind: 'folder', mode: 0o700 });
  for (let i = r.below(7) + 1; i > 0; i--) {
    const parts = Array.from({ length: r.below(3) + 1 }, () => r.pick(components));
    const name = parts.join('/');
    const above = parts.slice(0, -1).map((_part, n) => key(parts.slice(0, n + 1).join('/')));
    if (used.has(key(name)) || above.some((folder) => (used.get(folder) ?? 'folder') !== 'folder')) continue;
    for (const folder of above) used.set(folder, 'folder');
    const files = entries.filter((one) => one.kind === 'file');
    const kind = r.pick(['file', 'file', 'file', 'folder', 'link', ...(files.length ? ['hard'] : [])]);
    used.set(key(name), kind);
    const target = kind === 'hard' ? r.pick(files).name : `${'../'.repeat(r.below(parts.length))}${r.pick(components)}-not-there`;
    entries.push({ name: kind === 'folder' ? `${name}/` : name, kind, mode: kind === 'folder' ? 0o755 : r.pick(modes), data: kind === 'file' ? 'data '.repeat(r.below(300)) + i : '', target });
  }
  return entries;
}

function changedName(r, name) {
  const parts = String(name).split('/');
  parts[r.below(parts.length)] = r.pick(odd);
  return parts.join('/');
}

const types = { file: '0', folder: '5', link: '2', hard: '1' };

// One or two things another than they should be.
const inTar = [
  (r, header) => { header.name = changedName(r, header.name); },
  (r, header) => { header.type = r.pick(['0', '1', '2', '5', '7', '\0', '3', '6', 'S', 'V', 'D', 'M', 'Z', 'x']); },
  (r, header) => { header.link = r.pick(['..', '/etc', 'a', 'lib/x.so', '../a', './a', '', 'a\0b', 'a/']); },
  (r, header) => { header.size = r.below(1200); },
  (r, header) => { header.prefix = r.pick(['p', 'p/q', '..', '/', 'p\0q', 'lib']); },
  (r, header) => { header.magic = r.pick(['ustar  \0', '', 'ustar\0  ', 'ustar\x0011']); },
  (r, header) => { header.mode = r.pick(['', '        ', '0000755', 0o7777, Buffer.from('80000000000001ed', 'hex')]); },
  (r, header) => { header.name = Buffer.from(`${header.name}\0tail`); },
  (r, header) => { header.name = `${header.name}/`; },
  (r, header) => { header.before = pax([paxRecord(r.pick(['path', 'linkpath', 'size', 'mtime', 'GNU.sparse.name', 'comment']), r.pick(['a', '../a', '5', '1.5', 'lib/', ''])), ...(r.chance(20) ? [Buffer.from('9 path=b\n')] : [])]); },
  (r, header) => { header.before = gnuLong(r.pick(['a', 'lib/long', '../x', 'b/']), r.pick(['L', 'K'])); },
  (r, header) => { header.before = pax([paxRecord('path', 'all'), paxRecord('comment', 'x')], 'g'); },
  (r, header) => { header.before = Buffer.alloc(512 * (r.below(2) + 1)); },
];

function plainTar(r, changes) {
  const headers = honest(r).map(({ name, kind, mode, data, target }) => ({ name, mode, data, type: types[kind], link: ['link', 'hard'].includes(kind) ? target : '' }));
  for (let i = 0; i < changes; i++) r.pick(inTar)(r, r.pick(headers));
  if (changes && r.chance(20)) headers.push({ ...r.pick(headers) });
  const parts = headers.flatMap(({ before, ...header }) => {
    const name = Buffer.from(header.name);
    const long = name.length > 100 && typeof header.name === 'string' ? [r.chance(50) ? pax([paxRecord('path', header.name)]) : gnuLong(header.name)] : [];
    return [...(before ? [before] : long), tarEntry(header)];
  });
  const bytes = tar(...parts);
  return changes && r.chance(10) ? bytes.subarray(0, 512 * r.below(bytes.length / 512)) : bytes;
}

const inZip = [
  (r, entry) => { entry.name = changedName(r, entry.name); },
  (r, entry) => { entry.local = { name: changedName(r, entry.name) }; },
  (r, entry) => { entry.central = { size: r.below(100) }; },
  (r, entry) => { entry.crc = r.below(1000); },
  (r, entry) => { entry.flags = r.pick([0, 1, 2, 8, 0x800, 0x840, 0x2000]); },
  (r, entry) => { entry.method = r.pick([0, 8, 9, 12]); },
  (r, entry) => { entry.attributes = ([0o100755, 0o120777, 0o40755, 0o10644, 0][r.below(5)] << 16) >>> 0; },
  (r, entry) => { entry.madeBy = r.pick([0, 0x031e, 0x131e, 20]); },
  (r, entry) => { entry.name += '/'; },
  (r, entry) => { entry.descriptor = r.pick([zipDescriptor, (facts) => zipDescriptor(facts).subarray(4), (facts) => zipDescriptor({ ...facts, crc: 1 })]); },
];

function plainZip(r, changes) {
  const entries = honest(r).filter(({ kind }) => kind !== 'hard').map(({ name, kind, mode, data, target }) => ({ name, kind, mode, data, stored: r.chance(30), ...(kind === 'link' && { target }) }));
  if (!entries.length) entries.push({ name: 'a', data: 'a' });
  for (let i = 0; i < changes; i++) r.pick(inZip)(r, r.pick(entries));
  if (changes && r.chance(20)) entries.push({ ...r.pick(entries) });
  return zipOf(entries);
}

const reason = missing();
const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'rne-agreement-')));
const folder = (name) => path.join(root, name);
const destination = folder('package/third-party/android/libs');

async function install(format, bytes) {
  const file = `core-android-arm64-v8a.${format}`;
  write(path.join(folder('release'), file), bytes);
  write(folder('manifest.json'), {
    schema: 1, product, version: '0.9.0', vocabulary: 'extras', baseUrls: [`file://${folder('release')}`],
    targets: { 'android-arm64-v8a': { platform: 'android', destination: 'android/libs', hosts: ['linux', 'macos', 'windows'] } },
    extras: {},
    artifacts: [{ name: 'core-android-arm64-v8a', target: 'android-arm64-v8a', archives: [{ file, format, size: bytes.length, sha256: sha256(bytes) }] }],
  });
  return run(binary, ['install', '--app', folder('app'), '--package', folder('package'), '--manifest', folder('manifest.json'), '--cache-dir', folder('cache'), '--no-sync', '--no-progress'], { cwd: root, env: { HOME: folder('home') } });
}

// As the Python above tells it: " x" behind the digest of what is executable.
function installedTree() {
  const tree = treeOf(destination);
  for (const [name, content] of Object.entries(tree)) {
    if (!content.startsWith('-> ') && fs.statSync(path.join(destination, name)).mode & 0o100) tree[name] += ' x';
  }
  return tree;
}

describe('archives that are installed are read alike by Python', { skip: reason }, () => {
  before(() => {
    write(folder('app/package.json'), { name: 'app', [product]: { extras: [] } });
    write(folder('package/package.json'), { name: product, version: '0.9.0' });
  });
  after(() => fs.rmSync(root, { recursive: true, force: true }));

  for (const format of ['tar.gz', 'tar.zst', 'zip']) {
    test(`${format}, ${count} of them, seed ${seed}`, async () => {
      const r = random(seed * 3 + format.length);
      const accepted = folder(`accepted-${format}`);
      const ours = {};
      let refused = 0;
      fs.mkdirSync(accepted);
      for (let i = 0; i < count; i++) {
        const changes = r.below(3);
        const plain = format === 'zip' ? plainZip(r, changes) : plainTar(r, changes);
        const bytes = { 'tar.gz': () => gzip(plain), 'tar.zst': () => zstd(plain), zip: () => plain }[format]();
        const result = await install(format, bytes);
        assert.ok([0, 6].includes(result.code), `${i}: ${result.code} ${result.stderr}`);
        assert.ok(changes || result.code === 0, `${i} is honest: ${result.stderr}`);
        if (result.code) { refused++; continue; }
        const name = `${i}.${format === 'zip' ? 'zip' : 'tar'}`;
        fs.writeFileSync(path.join(accepted, name), plain);
        ours[name] = installedTree();
      }
      const { stdout, stderr, status } = spawnSync('python3', ['-c', python, accepted], { encoding: 'utf8', env: { ...process.env, PYTHONUTF8: '1' }, maxBuffer: 1 << 28 });
      assert.equal(status, 0, stderr);
      const theirs = JSON.parse(stdout);
      const differ = Object.keys(ours).filter((name) => !isDeepStrictEqual(ours[name], theirs[name]));
      assert.deepEqual(differ.map((name) => [name, theirs[name]]), differ.map((name) => [name, ours[name]]));
      // Both have to be there for this to say something.
      assert.ok(Object.keys(ours).length >= count / 4 && refused >= count / 8, `${Object.keys(ours).length} accepted, ${refused} refused`);
    });
  }
});
