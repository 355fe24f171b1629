// The schema and the program are of one opinion about manifests: the bundled
// ones are fine for both, and damaged ones by the hundred are refused by both,
// but for what a schema cannot say.

import test from 'node:test';
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { validate } from './lib/json_schema.mjs';
import { binary as program, repository as root } from './lib/project.mjs';

const manifests = path.join(root, 'manifests');
const schema = JSON.parse(fs.readFileSync(path.join(manifests, 'rne-manifest.schema.json')));
const bundled = fs.readdirSync(manifests).filter((name) => /-\d.*\.json$/.test(name));
const hex = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

// Every key that there is.
const full = {
  $schema: './rne-manifest.schema.json',
  schema: 1,
  product: 'demo',
  version: '1.2.3-rc.1+b',
  vocabulary: 'lists',
  baseUrls: ['https://h:8443/r?x=1', 'file:///tmp/r'],
  targets: {
    ios: { platform: 'ios', destination: 'ios', hosts: ['macos'] },
    'android-arm64': {
      platform: 'android',
      arch: 'arm64-v8a',
      destination: 'android/libs',
      aliases: ['arm64'],
      hosts: ['linux', 'macos', 'windows'],
    },
  },
  extras: {
    opencv: {
      flag: 'RNE_ENABLE_OPENCV',
      key: 'enableOpencv',
      list: 'libs',
      platforms: ['ios', 'android'],
      provided: { ios: 'a CocoaPod' },
      olderNames: ['cv'],
    },
  },
  features: { ocr: ['opencv'], plain: [] },
  artifacts: [
    { name: 'headers', archives: [{ file: 'headers.zip', format: 'zip' }] },
    {
      name: 'core-ios',
      target: 'ios',
      files: [
        { path: 'A/a.h', size: 12, sha256: hex },
        { path: 'A/run', size: 0, sha256: hex, executable: true },
        { path: 'B/l', link: '../A/a.h' },
        { path: 'C', folder: true },
      ],
      archives: [
        { file: 'core-ios.tar.gz', format: 'tar.gz', size: 34, sha256: hex },
        { file: 'core-ios.tar.zst', format: 'tar.zst' },
      ],
    },
    {
      name: 'opencv-android',
      target: 'android-arm64',
      extra: 'opencv',
      unpackedSize: 99,
      archives: [{ file: 'opencv.tar.gz', format: 'tar.gz' }],
    },
  ],
};

const extrasOnly = {
  schema: 1,
  product: 'demo',
  version: '1',
  vocabulary: 'extras',
  baseUrls: [],
  targets: { any: { platform: 'any' } },
  extras: { x: { flag: 'X', key: 'x', list: 'extras', platforms: ['any'] } },
  artifacts: [{ name: 'a', archives: [{ file: 'a.zip', format: 'zip' }] }],
};

// What may come to stand where something else stood.
const values = [
  null, true, false, 0, 1, -1, 2 ** 36, 2 ** 36 + 1, 2 ** 53, [], {}, [[]], [null],
];
const words = [
  '', 'x', 'all', 'none', 'a b', 'a/b', '../x', '/x', '.x', 'x.', 'a..b', 'nul', 'COM1.gz',
  'con', 'x;y', '$(id)', "a'b", 'a"b', 'a\\b', 'a\nb', '\u001b[31m', '\u0085', 'é', '日本',
  'a\u202eb', 'X_Y', '1x', 'rneLibs', 'opencvPod', 'extras', 'backends', 'lists', 'macos', 'darwin',
  'x'.repeat(128), 'x'.repeat(129), 'x'.repeat(256), 'd/'.repeat(63) + 'd', 'd/'.repeat(64) + 'd',
  hex, hex.toUpperCase(), hex + '0', hex.slice(1), 'tar.xz', 'zip', 'a:b', 'a*', 'a|b', 'com¹.h', 'conin$',
  'aux .c', 'a ', ' a', 'b/../c', './b', 'b/', '../../b', '..', '.', '~', 'a=b',
];
const urls = [
  'https://h', 'http://h/', 'HTTPS://H/x?y', 'https://h?x', 'ftp://h/x', 'h/x', 'https:', 'https://',
  'https:///x', 'https://u:p@h/', 'https://h@x', 'https://h:0/', 'https://h:65535', 'https://h:65536/',
  'https://h:99999/', 'https://h:080/', 'https://h:/', 'https://h:x/', 'https://[::1]:8/x', 'https://[::1/',
  'https://[:]/', 'https://[::g]/', 'https://h/a b', 'https://h/é', 'https://h/#x', 'https://h/{x}',
  'https://h/%zz', 'https://h\\x', 'file:///x', 'file:/x', 'file://localhost/x', 'file://LOCALHOST/x', 'file://x/y',
  'file://localhost:1/x', 'file://u@localhost/x', 'file:x', 'file:', 'file://', 'file:////x', 'file:///%',
  'file:///%4', 'file:///%41', 'file:///%00', 'file:///a?b', 'file:///a#b', 'https://h/' + 'x'.repeat(2038),
  'https://h/' + 'x'.repeat(2039),
];

function* damaged(document) {
  const change = (place, edit) => {
    const copy = structuredClone(document);
    let parent = copy;
    for (const step of place.slice(0, -1)) parent = parent[step];
    edit(parent, place.at(-1));
    return copy;
  };
  function* walk(value, place) {
    if (place.length) {
      yield change(place, (parent, key) =>
        Array.isArray(parent) ? parent.splice(key, 1) : delete parent[key]);
      for (const other of values) yield change(place, (p, key) => (p[key] = other));
      if (typeof value === 'string') {
        const more = place[0] === 'baseUrls' ? [...words, ...urls] : words;
        for (const other of more) yield change(place, (p, key) => (p[key] = other));
      } else {
        yield change(place, (p, key) => (p[key] = 'x'));
      }
    }
    if (Array.isArray(value)) {
      yield change([...place, value.length], (p, i) => (p[i] = p[0] ?? 'x'));
      for (const [i, item] of value.entries()) yield* walk(item, [...place, i]);
    } else if (value !== null && typeof value === 'object') {
      yield change([...place, 'stranger'], (p, key) => (p[key] = 1));
      for (const [key, member] of Object.entries(value)) {
        yield* walk(member, [...place, key]);
        for (const other of ['all', 'a;b', 'con', 'é', 'x'.repeat(129), 'X', 'mtime'])
          yield change([...place, key], (p, old) => {
            p[other] = p[old];
            delete p[old];
          });
      }
    }
  }
  yield* walk(document, []);
}

// Refusals that lie beyond a schema: what refers to something else, and what
// must be there once. rne-manifest.schema.json says so in its description.
const beyond = [
  /is no (target|extra|platform of a target|platform of this extra)\b/,
  /is there twice|stands for two extras|is an archive of ".*" too/,
  /names one target and a platform of others|is a target and an alias/,
  /of a feature and of an extra|a second archive of format/,
  /"unpackedSize" is \d+, and the files have/,
  /the link to ".*" points|lies below what is not a folder/,
  /the files have \d+ bytes together/,
];

async function judge(folder, document, number) {
  const file = path.join(folder, `${number}.json`);
  fs.writeFileSync(file, JSON.stringify(document));
  return new Promise((resolve, reject) =>
    execFile(program, ['manifest', 'lint', file], (error, stdout, stderr) => {
      fs.rmSync(file);
      if (error && error.code !== 3) reject(new Error(`${error.code}: ${stdout}${stderr}`));
      else resolve({ stdout, stderr });
    }));
}

// The parser's refusal, or null; what lint finds in a readable one is not it.
const refusal = ({ stderr }) => stderr.split('\n').find((line) => line.startsWith('error: ') && /: \$/.test(line)) ?? null;

test('the bundled manifests follow the schema', () => {
  assert.ok(bundled.length >= 2);
  for (const name of bundled) {
    const document = JSON.parse(fs.readFileSync(path.join(manifests, name)));
    assert.deepEqual(validate(schema, document), [], name);
  }
});

// All names of members that a schema defines, at any depth.
function membersOf(part) {
  if (part === null || typeof part !== 'object') return [];
  const own = part.properties ? Object.keys(part.properties) : [];
  return [...own, ...Object.values(part).flatMap(membersOf)];
}

test('the manual page names every member, and its example is a manifest', () => {
  const page = fs.readFileSync(path.join(root, 'docs/rne-libs-manifest.5'), 'utf8');
  for (const member of new Set(membersOf(schema)))
    assert.match(page, new RegExp(`^\\.It Li ${member.replace('$', '\\$')}$|"${member}":|^\\.Li ${member}$`, 'm'), member);
  const [, example] = page.match(/^\.Sh EXAMPLES[^]*?^\.Bd [^\n]*\n([^]*?)^\.Ed/m);
  assert.deepEqual(validate(schema, JSON.parse(example)), []);
});

test('the schema and the program agree on what a manifest is', { timeout: 300_000 }, async (t) => {
  if (!fs.existsSync(program)) return t.skip(`${program} is not built`);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rne-schema-'));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  const all = [full, extrasOnly, ...damaged(full), ...damaged(extrasOnly)];
  // A program start each: every document's turn comes with RNE_THOROUGH=1.
  const step = process.env.RNE_THOROUGH ? 1 : process.env.RNE_SANITIZED ? 47 : 13;
  const documents = all.filter((_, i) => i % step === 0);
  const disagreements = [];
  const count = { both: 0, neither: 0, beyond: 0 };
  const work = documents.entries();
  const worker = async () => {
    for (const [number, document] of work) {
      const faults = validate(schema, document);
      const refused = refusal(await judge(folder, document, number));
      if (!faults.length && !refused) count.both++;
      else if (faults.length && refused) count.neither++;
      else if (refused && beyond.some((pattern) => pattern.test(refused))) count.beyond++;
      else disagreements.push({ faults, refused });
    }
  };
  await Promise.all([worker(), worker()]);
  t.diagnostic(`${documents.length} documents: ${JSON.stringify(count)}`);
  assert.deepEqual(disagreements, []);
  assert.ok(count.both > documents.length / 10 && count.neither > documents.length / 2);
});
