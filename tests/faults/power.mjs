// Disks that a power cut may leave of a run: recorded by inject.c, rebuilt by
// disk.mjs. At every change: all lost that may be, and all names there but the
// bytes lost, zeroed or cut. Before every sync, when most is open: each change
// of a name lost for itself, all from each on, and random ones.
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { Disk, losses, parseChanges } from './disk.mjs';
import { checkConfig, checkMine, Picture } from './oracle.mjs';

const RANDOM = 24; // before every sync

const kinds = Object.keys(losses);
const always = (loss) => () => loss;

function* choices(open, isFull, next) {
  const all = new Set(open.names);
  yield { kept: new Set(), loss: always('all'), label: 'all lost' };
  for (const loss of ['all', 'zeroed', 'half']) yield { kept: all, loss: always(loss), label: `bytes: ${loss}` };
  if (!isFull) return;
  for (const lost of open.names) {
    yield { kept: new Set(open.names.filter((at) => at !== lost)), loss: always('none'), label: `change ${lost} lost` };
    yield { kept: new Set(open.names.filter((at) => at < lost)), loss: always('zeroed'), label: `changes lost from ${lost} on` };
  }
  for (let i = 0; i < RANDOM; i++) {
    const picked = new Map();
    const loss = (file) => picked.get(file) ?? picked.set(file, kinds[Math.floor(next() * kinds.length)]).get(file);
    yield { kept: new Set(open.names.filter(() => next() < 0.5)), loss, label: `random ${i}` };
  }
}

// Times that can be set exactly: whole seconds, each of them one of the times
// that are there. And another start of the machine.
function changeTimes(disk, changes) {
  const times = new Set();
  const nodes = [];
  const visit = (node) => {
    nodes.push(node);
    times.add(node.mtime);
    node.names.forEach(visit);
  };
  disk.roots.forEach(visit);
  for (const { mtime } of changes) times.add(mtime);
  times.delete('0');
  const base = BigInt([...times].reduce((a, b) => (BigInt(a) < BigInt(b) ? a : b))) / 1000000000n;
  const seconds = new Map([...times].sort().map((time, i) => [time, String(base + BigInt(i))]));
  const change = (bytes) => Buffer.from(bytes.toString('latin1')
    .replace(/"mtime": "(\d+)"/g, (text, time) => (seconds.has(time) ? `"mtime": "${seconds.get(time)}000000000"` : text))
    .replace(/"boot": "[^"]*"/, '"boot": "another"'), 'latin1');
  return { seconds, change, nodes };
}

function write(place, entries, seconds) {
  const parts = [place.thirdParty, place.cache];
  place.clear();
  const isOurs = (full) => parts.some((part) => full === part || full.startsWith(`${part}/`)) || (path.dirname(full) === place.pkg && /^(rne-build-config|\.rne-tmp-)/.test(path.basename(full)));
  for (const [full, { kind, content, link, mtime }] of entries) {
    if (!isOurs(full)) continue;
    if (kind === 'folder') fs.mkdirSync(full);
    else if (kind === 'link') fs.symlinkSync(link, full);
    else {
      fs.writeFileSync(full, content);
      const time = Number(seconds.get(mtime) ?? 1);
      fs.utimesSync(full, time, time);
    }
  }
}

function keyOf(entries) {
  const hash = crypto.createHash('sha256');
  for (const [full, { kind, content, link }] of entries) hash.update(`${full.replace(/\.rne-tmp-[^/]*/, '')} ${kind} ${link ?? ''} ${content.length}\n`).update(content);
  return hash.digest('hex');
}

// Points of the stage's scenario, as Stage.point.
export async function powerCuts(stage, next) {
  const { place, injector } = stage;
  stage.fresh();
  stage.after.make();
  const start = new Disk([place.root], [], place.cache);
  injector.order({ record: 2 });
  if (stage.play) await stage.play(injector);
  else await stage.after.run(injector);
  const changes = parseChanges(injector.text());
  const { seconds, change, nodes } = changeTimes(start, changes);
  for (const node of nodes) if (node.kind === 'file' && node.content.length < 1 << 20) node.content = change(node.content);
  const disk = new Disk(start.roots, changes.map((one) => ({ ...one, bytes: change(one.bytes) })), place.cache);
  const points = new Map();
  for (let end = 0; end <= disk.changes.length; end++) {
    const isFull = end === disk.changes.length || disk.changes[end].what.startsWith('sync');
    const open = disk.open(end);
    for (const { kept, loss, label } of choices(open, isFull, next)) {
      const entries = disk.list(disk.after(end, open, kept, ({ node }) => loss(node)));
      const key = keyOf(entries);
      if (!points.has(key)) points.set(key, () => cut(stage, entries, seconds, `power cut before change ${end} (${disk.describe(end)}), ${label}`));
    }
  }
  return [...points.values()];
}

async function cut(stage, entries, seconds, label) {
  const { place } = stage;
  try {
    const rebuild = () => write(place, entries, seconds);
    rebuild();
    const picture = new Picture(place);
    checkConfig(picture, stage.was, stage.new, stage.mine);
    checkMine(picture, stage.mine);
    await stage.repair(picture, rebuild);
    return { kind: 'cut', message: null };
  } catch (error) {
    stage.after.make();
    return { kind: 'cut', message: stage.message(label, error) };
  }
}
