// A disk on which a recorded run is played again, and which then loses power.
//
// What a sync did not cover may be lost: of a file its bytes, of a folder each
// change of a name, and each for itself, since file systems promise no order.
// What a sync covers: syncfs(2) all before it on its file system; fsync(2) of a
// file its bytes but not its name, of a folder the names in it.
import fs from 'node:fs';
import path from 'node:path';

// The record of inject.c: one change a line.
export function parseChanges(text) {
  return text.split('\n').slice(0, -1).map((line) => {
    const [what, one, two, number, mtime, hex] = line.split('\t');
    return { what, path: one, to: two, number: Number(number), mtime, bytes: Buffer.from(hex, 'hex') };
  }).filter((change) => !change.path.endsWith(' (deleted)'));
}

class Node {
  constructor(kind, { content = Buffer.alloc(0), mtime = '0', link } = {}) {
    Object.assign(this, { kind, content, mtime, link, names: new Map() });
  }
}

function load(full) {
  const stat = fs.lstatSync(full, { bigint: true });
  if (stat.isSymbolicLink()) return new Node('link', { link: fs.readlinkSync(full) });
  if (!stat.isDirectory()) return new Node('file', { content: fs.readFileSync(full), mtime: String(stat.mtimeNs) });
  const node = new Node('folder');
  for (const name of fs.readdirSync(full)) node.names.set(name, load(path.join(full, name)));
  return node;
}

const grown = (content, size) => (content.length >= size ? content : Buffer.concat([content, Buffer.alloc(size - content.length)]));

// What a file holds after `steps`; zeroed: their bytes did not arrive.
function contentAfter(start, steps, zeroed) {
  let content = start;
  for (const { what, number, bytes } of steps) {
    if (what === 'size') content = grown(content, number).subarray(0, number);
    else {
      content = Buffer.from(grown(content, number + bytes.length));
      if (zeroed) content.fill(0, number, number + bytes.length);
      else bytes.copy(content, number);
    }
  }
  return content;
}

export const losses = {
  none: (start, steps) => contentAfter(start, steps),
  all: (start) => start,
  zeroed: (start, steps) => contentAfter(start, steps, true),
  half: (start, steps) => { const full = contentAfter(start, steps); return full.subarray(0, full.length >> 1); },
};

const isOfNames = ({ what }) => what === 'name' || what === 'rename';

// `roots`: the folders whose content is the disk, as they are now, or those of
// another disk. `far`: a folder that lies on another file system.
export class Disk {
  constructor(roots, changes, far) {
    this.far = far;
    this.roots = roots instanceof Map ? roots : new Map(roots.map((root) => [root, load(root)]));
    this.changes = [];
    this.files = []; // that were written to: { node, steps }
    const names = this.#copy();
    for (const change of changes) this.#play(names, change);
  }

  describe(at) {
    const { what, name, to } = this.changes[at] ?? { what: 'end' };
    return [what, name, to].filter(Boolean).join(' ');
  }

  // Names change while playing; the start must stay.
  #copy() {
    const names = new Map();
    const visit = (node) => {
      names.set(node, new Map(node.names));
      for (const child of node.names.values()) visit(child);
    };
    for (const root of this.roots.values()) visit(root);
    return names;
  }

  #find(names, full) {
    for (const [root, node] of this.roots) {
      if (full !== root && !full.startsWith(`${root}/`)) continue;
      return full.slice(root.length).split('/').filter(Boolean).reduce((at, name) => at && names.get(at)?.get(name), node);
    }
    return undefined;
  }

  // A change of the record, by paths, becomes one by nodes.
  #play(names, change) {
    const byNodes = this.#translate(names, change);
    if (!byNodes) return;
    if (isOfNames(byNodes)) this.#apply(names, byNodes);
    this.changes.push({ ...byNodes, isFar: change.path === this.far || change.path.startsWith(`${this.far}/`) });
  }

  #translate(names, { what, path: full, to, number, mtime, bytes }) {
    const folder = this.#find(names, path.dirname(full));
    const name = path.basename(full);
    const node = this.#find(names, full);
    if (what === 'sync all') return { what };
    if (what === 'sync') return { what, node };
    if (what === 'create' || what === 'folder' || what === 'link') {
      if (!folder) return null;
      const made = new Node(what === 'create' ? 'file' : what, { mtime, link: to });
      names.set(made, new Map());
      return { what: 'name', folder, name, node: made };
    }
    if (!node) return null;
    if (what === 'remove') return { what: 'name', folder, name, node: null };
    if (what === 'write' || what === 'size') {
      this.#write(node, { what, number, bytes, at: this.changes.length });
      node.mtime = mtime; // the last one; a file is not written to twice
      return { what: 'data', node };
    }
    const target = this.#find(names, path.dirname(to));
    if (!target) return null;
    if (what === 'second') return { what: 'name', folder: target, name: path.basename(to), node };
    return { what, folder, name, target, to: path.basename(to), node }; // rename
  }

  #write(node, step) {
    let file = this.files.find((other) => other.node === node);
    if (!file) this.files.push((file = { node, steps: [] }));
    file.steps.push(step);
  }

  #apply(names, { what, folder, name, target, to, node }) {
    const from = names.get(folder);
    if (what === 'name' && node) from.set(name, node);
    else if (what === 'name') from.delete(name);
    else {
      if (from.get(name) === node) from.delete(name);
      names.get(target).set(to, node);
    }
  }

  // Of the changes before `end`, those that no sync covers: numbers of changes
  // of names, and files with the steps that are theirs for certain.
  open(end) {
    const covers = (sync, at, matches) => (sync.what === 'sync all' ? sync.isFar === this.changes[at].isFar : sync.what === 'sync' && matches(sync.node));
    const covered = (at, matches) => this.changes.slice(at, end).some((change) => covers(change, at, matches));
    const names = [];
    for (let at = 0; at < end; at++) {
      const { folder, target } = this.changes[at];
      if (isOfNames(this.changes[at]) && !covered(at, (node) => node === folder || node === target)) names.push(at);
    }
    const files = this.files.map(({ node, steps }) => {
      const done = steps.filter(({ at }) => at < end);
      return { node, steps: done, sure: done.filter(({ at }) => covered(at, (other) => other === node)) };
    }).filter(({ steps }) => steps.length);
    return { names, files };
  }

  // The disk after a power cut before change `end`: of the open changes of
  // names `kept` (a set) arrived, and of a file's bytes what `loss(file)` says.
  after(end, open, kept, loss) {
    const names = this.#copy();
    const uncertain = new Set(open.names);
    const contents = new Map();
    for (let at = 0; at < end; at++) {
      const change = this.changes[at];
      if (change.node) names.get(change.node) ?? names.set(change.node, new Map());
      if (isOfNames(change) && (!uncertain.has(at) || kept.has(at))) this.#apply(names, change);
    }
    for (const file of open.files) {
      const start = contentAfter(file.node.content, file.sure);
      const rest = file.steps.slice(file.sure.length);
      contents.set(file.node, rest.length ? losses[loss(file)](start, rest) : start);
    }
    return { names, contents };
  }

  // path -> { kind, content, link, mtime } of what can be reached.
  list({ names, contents }) {
    const found = new Map();
    const visit = (folder, node) => {
      for (const [name, child] of names.get(node) ?? []) {
        const full = path.join(folder, name);
        found.set(full, { kind: child.kind, link: child.link, content: contents.get(child) ?? child.content, mtime: child.mtime });
        if (child.kind === 'folder') visit(full, child);
      }
    };
    for (const [root, node] of this.roots) visit(root, node);
    return found;
  }
}
