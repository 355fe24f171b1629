// The releases that the benchmark installs, made once from the real libraries
// (tests/fixtures/real-release.mjs says which are):
//
//   real     the layout of 0.10.0: headers, core, backends, libs; Android's
//   large    the same ten times over: the bytes differ, the ratios do not
//   headers  the same with 5,000 small headers instead of its own
//
// Each becomes a folder with archives, .sha256 files, a pinned manifest for
// each form (manifest.json for .tar.gz, manifest-zst.json for .tar.zst too)
// and expected.json: the sha256 of each file, artifact by artifact, taken from
// what was packed and not from what the program under test says.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { realRelease } from '../tests/fixtures/real-release.mjs';

const LARGE_TIMES = 10;
const SMALL_HEADERS = 5000;
const SMALL_BYTES = 20000;
// As `rne-libs pack` does it (src/encoder.c).
const ZSTD_LEVEL = '19';
const ZSTD_WINDOW_LOG = 22;

const run = (command, args, options = {}) =>
  execFileSync(command, args, { stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 1 << 26, ...options });

// Of a file of any size.
export function sha256(file) {
  const hash = createHash('sha256');
  const block = Buffer.allocUnsafe(1 << 20);
  const from = fs.openSync(file, 'r');
  for (let got; (got = fs.readSync(from, block)) > 0;) hash.update(block.subarray(0, got));
  fs.closeSync(from);
  return hash.digest('hex');
}

export function filesBelow(folder, prefix = '') {
  const found = [];
  for (const entry of fs.readdirSync(path.join(folder, prefix), { withFileTypes: true })) {
    const name = path.join(prefix, entry.name);
    if (entry.isDirectory()) found.push(...filesBelow(folder, name));
    else found.push(name);
  }
  return found;
}

const exists = (file) => fs.existsSync(file);

// Every byte of a copy is changed in the same way: other bytes, as hard to
// compress as before.
function multiply(stage, times) {
  const files = filesBelow(stage);
  for (let copy = 1; copy < times; copy++) {
    for (const file of files) {
      const bytes = fs.readFileSync(path.join(stage, file));
      for (let i = 0; i < bytes.length; i++) bytes[i] ^= copy;
      const target = path.join(stage, `copy${copy}`, file);
      fs.mkdirSync(path.dirname(target), { recursive: true });
      fs.writeFileSync(target, bytes);
    }
  }
}

// The archive's own headers, over and over, until there are enough.
function manySmall(stage) {
  const small = filesBelow(stage).filter((file) => fs.statSync(path.join(stage, file)).size <= SMALL_BYTES);
  const bytes = small.map((file) => fs.readFileSync(path.join(stage, file)));
  fs.rmSync(path.join(stage, 'include'), { recursive: true });
  for (let made = 0; made < SMALL_HEADERS; made++) {
    const from = made % small.length;
    const set = `include/set${Math.floor(made / small.length)}`;
    const target = path.join(stage, small[from].replace('include', set));
    fs.mkdirSync(path.dirname(target), { recursive: true });
    fs.writeFileSync(target, `// ${made}\n${bytes[from]}`);
  }
}

// What is done to a staged artifact before it is packed.
const KINDS = {
  real: { forms: ['gz', 'zst'], change: () => {} },
  large: { forms: ['gz'], change: (stage) => multiply(stage, LARGE_TIMES) },
  headers: { forms: ['gz'], change: (stage, artifact) => artifact === 'headers' && manySmall(stage) },
};

export function writeSidecar(archive) {
  fs.writeFileSync(`${archive}.sha256`, `${sha256(archive)}\n`);
}

// As upstream's packaging does it: a staging folder of mktemp, `tar -C stage .`.
function packArtifact(out, name, stage, forms) {
  const tar = path.join(out, `${name}.tar`);
  const zstd = ['-q', '-T2', `-${ZSTD_LEVEL}`, `--zstd=wlog=${ZSTD_WINDOW_LOG}`, tar, '-o', `${tar}.zst`];
  run('tar', ['-cf', tar, '-C', stage, '.']);
  run('gzip', ['-k', tar]);
  if (forms.includes('zst')) run('zstd', zstd);
  fs.rmSync(tar);
  for (const form of forms) writeSidecar(`${tar}.${form}`);
}

// The files below a folder, as a manifest lists them.
export function describe(stage) {
  return filesBelow(stage).sort().map((name) => {
    const file = path.join(stage, name);
    const { size, mode } = fs.statSync(file);
    return { path: name, size, sha256: sha256(file), ...(mode & 0o100 ? { executable: true } : {}) };
  });
}

function pinnedArchive(out, name, format) {
  const file = path.join(out, name);
  return { file: name, format, size: fs.statSync(file).size, sha256: sha256(file) };
}

// The bundled manifest with what is in `out` pinned.
export function writeManifests(out, bundled, contents) {
  const manifests = { 'manifest.json': ['tar.gz'], 'manifest-zst.json': ['tar.zst', 'tar.gz'] };
  for (const [name, formats] of Object.entries(manifests)) {
    if (!formats.every((format) => exists(path.join(out, `headers.${format}`)))) continue;
    const manifest = JSON.parse(fs.readFileSync(bundled));
    delete manifest.$schema;
    manifest.artifacts = manifest.artifacts.filter((artifact) => contents[artifact.name]);
    for (const artifact of manifest.artifacts) {
      artifact.files = contents[artifact.name];
      artifact.archives = formats.map((format) => pinnedArchive(out, `${artifact.name}.${format}`, format));
    }
    fs.writeFileSync(path.join(out, name), JSON.stringify(manifest, null, 2));
  }
}

function destination(artifact) {
  return artifact === 'headers' ? '' : 'android/libs';
}

function make(out, source, kind, bundled) {
  const contents = {};
  fs.rmSync(out, { recursive: true, force: true });
  fs.mkdirSync(out, { recursive: true });
  for (const archive of fs.readdirSync(source).filter((file) => /(android.*|headers)\.tar\.gz$/.test(file))) {
    const artifact = archive.replace('.tar.gz', '');
    const stage = fs.mkdtempSync(path.join(os.tmpdir(), 'rne-bench-'));
    run('tar', ['-xzf', path.join(source, archive), '-C', stage]);
    kind.change(stage, artifact);
    contents[artifact] = describe(stage);
    packArtifact(out, artifact, stage, kind.forms);
    fs.rmSync(stage, { recursive: true });
  }
  writeManifests(out, bundled, contents);
  const expected = Object.entries(contents).map(([artifact, files]) =>
    [artifact, { destination: destination(artifact),
      files: Object.fromEntries(files.map((file) => [path.join(destination(artifact), file.path), file.sha256])) }]);
  fs.writeFileSync(path.join(out, 'expected.json'), JSON.stringify(Object.fromEntries(expected)));
}

// The folder of a release, made when it is not there yet.
export function release(name, work, root) {
  const out = path.join(work, 'inputs', name);
  const bundled = path.join(root, 'manifests/react-native-executorch-0.10.0.json');
  if (exists(path.join(out, 'expected.json'))) return out;
  process.stderr.write(`making the release "${name}"; later runs use it again\n`);
  make(`${out}.new`, realRelease('0.10.0'), KINDS[name], bundled);
  fs.rmSync(out, { recursive: true, force: true });
  fs.renameSync(`${out}.new`, out);
  return out;
}
