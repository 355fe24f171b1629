// What holds after every fault: see docs/design.md. Throws what does not.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { sha256 } from '../system/lib/project.mjs';

const STATE = '.rne-libs';

// path below `folder` -> { kind, digest, content, mtime }; folders, too.
function walk(folder, found = new Map(), below = '') {
  for (const entry of fs.readdirSync(path.join(folder, below), { withFileTypes: true })) {
    const name = below ? `${below}/${entry.name}` : entry.name;
    const full = path.join(folder, name);
    if (entry.isDirectory()) {
      found.set(name, { kind: 'folder', digest: 'folder' });
      walk(folder, found, name);
    } else if (entry.isSymbolicLink()) {
      found.set(name, { kind: 'link', digest: `-> ${fs.readlinkSync(full)}` });
    } else {
      const content = fs.readFileSync(full);
      found.set(name, { kind: 'file', content, digest: sha256(content), mtime: fs.lstatSync(full, { bigint: true }).mtimeNs });
    }
  }
  return found;
}

const look = (folder) => (fs.existsSync(folder) ? walk(folder) : new Map());
const digests = (entries) => Object.fromEntries([...entries].map(([name, { digest }]) => [name, digest]));
// What is restored from the cache has no source.
const withoutTimes = (text) => text.replace(/"mtime": "-?\d+"/g, '"mtime": ""').replace(/ *"source": .*\n/g, '');

// What is compared: the disk as far as the program answers for it.
export class Picture {
  constructor(place) {
    const all = look(place.thirdParty);
    // A run that was killed leaves the lock's file, which nobody holds. A
    // temporary file beside the build config goes when it is an hour old.
    all.delete(`${STATE}/lock`);
    const ours = ([name]) => name === STATE || name.startsWith(`${STATE}/`);
    this.tree = digests([...all].filter((entry) => !ours(entry)));
    this.state = new Map([...all].filter(ours));
    this.files = new Map([...all].filter((entry) => !ours(entry)));
    this.config = fs.existsSync(place.config) ? fs.readFileSync(place.config, 'utf8') : null;
    this.cache = look(place.cache);
    this.beside = fs.readdirSync(place.pkg).filter((name) => name.startsWith('rne-build-config.json')).sort();
    const receipt = this.state.get(`${STATE}/receipt.json`);
    this.receipt = receipt ? receipt.content.toString() : null;
  }

  // Two disks of the same key are the same to the program: names, contents,
  // and whether the times are the ones that the lists speak of.
  key() {
    const parts = [this.config ?? 'no config', this.beside.join()];
    const times = new Set();
    for (const { content } of [...this.state.values(), ...this.cache.values()]) {
      for (const [, time] of content?.toString('latin1').matchAll(/"mtime": "(\d+)"/g) ?? []) times.add(time);
    }
    for (const [name, { digest, content, mtime }] of [...this.files, ...this.state, ['|', { digest: '' }], ...this.cache]) {
      const plain = name.replace(/\.rne-tmp-[^/]*/g, '.rne-tmp');
      const isLock = /(^|\/)lock$|^locks\//.test(name);
      const what = name.endsWith('.json') ? withoutTimes(content?.toString() ?? digest) : digest;
      parts.push(`${plain} ${isLock ? '' : what} ${mtime && times.has(String(mtime)) ? '=' : ''}`);
    }
    return sha256(parts.sort().join('\n'));
  }
}

// All that is not ours to write, by inode and change time. O1.
export function canary(place) {
  const found = {};
  const ours = new Set([place.cache, place.thirdParty]);
  const visit = (folder) => {
    for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
      const full = path.join(folder, entry.name);
      if (ours.has(full) || (folder === place.pkg && /^(rne-build-config\.json(\.next)?|\.rne-tmp-.*)$/.test(entry.name))) continue;
      const stat = fs.lstatSync(full, { bigint: true });
      if (entry.isDirectory()) visit(full);
      found[full] = entry.isDirectory() ? 'folder' : `${stat.ino} ${stat.ctimeNs} ${stat.size}`;
    }
  };
  visit(place.root);
  return found;
}

// O3
export function checkCache(picture) {
  for (const [name, { digest, kind }] of picture.cache) {
    const [folder, file] = name.split('/');
    if (folder === 'archives' && file) assert.ok(kind === 'file' && digest === file, `O3: ${name} in the cache is not what it says`);
  }
}

function parse(config) {
  try {
    return JSON.parse(config);
  } catch {
    assert.fail(`O2: the build config is torn: ${JSON.stringify(config)}`);
  }
}

// The second half of O2: the build config never names what is not there.
export function checkConfig(picture, before, after, mine = []) {
  const { config } = picture;
  const isThere = (name) => assert.ok([before.tree[name], after.tree[name]].includes(picture.tree[name]), `O2: ${name} is ${picture.tree[name] ?? 'missing'}, and the build config is ${config === before.config ? 'the old one' : 'the one between'}`);
  if (config === null) return assert.ok(before.config === null, 'O2: the build config is gone');
  const flags = parse(config);
  if (config === after.config && config !== before.config) return assert.deepEqual(picture.tree, after.tree, 'O2: the build config is the new one, third-party/ is not');
  const foreign = new Set(mine.map((content) => sha256(content)));
  const kept = Object.keys(before.tree).filter((name) => !foreign.has(before.tree[name]) && before.tree[name] !== 'folder');
  if (config === before.config && config !== after.config && !flags.rneLibs?.unfinished) return kept.forEach(isThere);
  if (config !== before.config) {
    assert.equal(flags.rneLibs?.unfinished, true, 'O2: the build config is neither old, new nor between');
    const [old, next] = [parse(before.config), parse(after.config)];
    for (const [key, value] of Object.entries(flags)) assert.ok(value !== true || (old[key] && next[key]), `O2: ${key} is on in the build config between`);
  }
  kept.filter((name) => after.tree[name] && after.tree[name] !== 'folder').forEach(isThere);
}

export function checkMine(picture, mine = []) {
  const there = new Set([...picture.files.values(), ...picture.state.values()].map(({ digest }) => digest));
  for (const content of mine) assert.ok(there.has(sha256(content)), `"${content}" was lost`);
}

// Exactly the state that was wished for, and no litter.
export function checkDone(picture, wanted, why) {
  assert.deepEqual(picture.tree, wanted.tree, `${why}: third-party/`);
  assert.equal(picture.config, wanted.config, `${why}: the build config`);
  assert.deepEqual(picture.beside, wanted.beside, `${why}: beside the build config`);
  assert.deepEqual([...picture.state.keys()].sort(), [...wanted.state.keys()].sort(), `${why}: third-party/${STATE}`);
  assert.equal(picture.receipt && withoutTimes(picture.receipt), wanted.receipt && withoutTimes(wanted.receipt), `${why}: the receipt`);
  if (!picture.receipt) return;
  const receipt = JSON.parse(picture.receipt);
  for (const { files } of receipt.artifacts) {
    for (const { path: name, mtime } of files) {
      if (mtime !== undefined) assert.equal(String(picture.files.get(name)?.mtime), mtime, `${why}: the receipt's time of ${name}`);
    }
  }
}

const words = { ENOSPC: 'No space left on device', EDQUOT: 'Disk quota exceeded', EIO: 'Input/output error', EACCES: 'Permission denied', EMFILE: 'Too many open files', EINTR: 'Interrupted system call', EPERM: 'Operation not permitted', EROFS: 'Read-only file system', EAGAIN: 'Resource temporarily unavailable', ENOMEM: 'Cannot allocate memory' };

// O4: the code, and what the last lines say.
export function checkFailure(result, picture, before, { errno, where }) {
  const { code, stderr } = result;
  assert.ok([1, 3, 4, 5, 6, 7].includes(code), `O4: exit code ${code}, signal ${result.signal}`);
  assert.ok(code === 7 || ![...'ENOSPC EDQUOT EIO EACCES EROFS'.split(' ')].includes(errno) || stderr.includes('127.0.0.1') || where.includes('/release-'), `O4: exit code ${code} for ${errno}`);
  if (words[errno]) assert.ok(stderr.includes(words[errno]), `O4: "${words[errno]}" is not said`);
  if (!stderr.startsWith('error: cannot open /dev/null')) checkLastLines(stderr, picture, before); // before anything
}

export function checkLastLines(stderr, picture, before) {
  const begun = stderr.includes('The change was begun and will be finished by the next run.');
  const unchanged = stderr.includes('Nothing that was installed has changed.');
  const finished = stderr.includes('What an interrupted run had begun was finished; nothing else has changed.');
  assert.equal(begun + unchanged + finished, 1, 'O4: the last lines do not say whether anything changed');
  if (begun) assert.ok(picture.state.has(`${STATE}/journal.json`), 'O4: there is no change that will be finished');
  if (!unchanged) return;
  assert.deepEqual(digests([...picture.files].filter(([, { kind }]) => kind !== 'folder')), digests([...before.files].filter(([, { kind }]) => kind !== 'folder')), 'O4: "nothing has changed", but third-party/ did');
  assert.equal(picture.config, before.config, 'O4: "nothing has changed", but the build config did');
}
