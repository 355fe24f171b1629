// node tests/faults/run.mjs [--sample N] [--scenario NAME] [--only PART-OF-A-CALL] [--workers N]
//
// Counts the calls of each scenario's run, lets each of them fail in the ways
// it can, kills the program before each, and holds the disk against the
// oracle after that, and again after a plain run. --sample N: N of them all.
import assert from 'node:assert/strict';
import { execFileSync, fork } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { errnos, Injector, launch, library, scratch } from './injected.mjs';
import { canary, checkCache, checkConfig, checkDone, checkFailure, checkLastLines, checkMine, Picture } from './oracle.mjs';
import { Place, scenarios } from './scenarios.mjs';

const POOL = 24;
const TRIES = 12; // of a call whose number depends on time
const MESSAGES = 12;

// The errnos that a call can fail with; half: it does half of what it should.
const failures = [
  [/^(open|openat|openat2)/, { looks: 'EACCES EMFILE EIO EINTR', changes: 'ENOSPC EACCES EMFILE EIO EINTR EDQUOT' }],
  [/^(read|pread|pread64)$/, { looks: 'EIO EINTR half' }],
  [/^(write|pwrite64|pwrite|copy_file_range)$/, { changes: 'ENOSPC EIO EINTR EDQUOT half ENOSPC+ EIO+' }],
  [/^(rename|link|mkdir|symlink)/, { changes: 'ENOSPC EIO EACCES EDQUOT ENOSPC+' }],
  [/^(unlink|rmdir)/, { changes: 'EIO EACCES' }],
  [/^ftruncate/, { changes: 'ENOSPC EIO EINTR' }],
  [/^(fsync|syncfs)$/, { changes: 'EIO ENOSPC EDQUOT' }],
  [/^close$/, { looks: 'EINTR', changes: 'EIO ENOSPC EINTR EDQUOT' }],
  [/^(l|f)?stat|^access$|^realpath$|^readlink|^getcwd$/, { looks: 'EACCES EIO' }],
  [/dir(64)?$/, { looks: 'EIO EMFILE' }],
  [/^fopen/, { looks: 'EMFILE' }],
  [/^flock$/, { looks: 'EINTR EIO ENOLCK' }],
  [/^(fchmod|utimensat)$/, { looks: 'EIO EPERM' }],
  [/^getrandom$/, { looks: 'EINTR ENOSYS' }],
  [/^socket(pair)?$/, { looks: 'EMFILE' }],
  [/^fork$/, { looks: 'EAGAIN ENOMEM' }],
  [/^waitpid$/, { looks: 'EINTR' }],
  [/^connect$/, { looks: 'ECONNREFUSED ENETUNREACH' }],
  [/^recv/, { looks: 'ECONNRESET EINTR' }],
  [/^send/, { looks: 'EPIPE EINTR' }],
  [/^syscall$/, { looks: 'ENOSYS EPERM' }],
  [/^ioctl$/, { looks: 'EOPNOTSUPP EIO' }],
];

const { values: options } = parseArgs({
  options: { sample: { type: 'string' }, scenario: { type: 'string', multiple: true }, only: { type: 'string' }, workers: { type: 'string', default: '2' }, part: { type: 'string' }, verbose: { type: 'boolean' } },
});

// Numbers for the sample: the same in every run.
function random(seed) {
  let state = seed >>> 0;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
}

// Of the errnos of a call that changes nothing one is taken, another at the
// next such call: their effects are the same.
function errnosOf(call, index) {
  const [, lists] = failures.find(([pattern]) => pattern.test(call.name)) ?? [null, {}];
  const all = ((call.changes && lists.changes) || lists.looks || '').split(' ').filter(Boolean);
  if (call.changes) return all;
  const several = all.filter((errno) => errno.startsWith('E') && errno !== 'EINTR');
  return all.filter((errno) => !several.includes(errno) || errno === several[index % several.length]);
}

function orders(call, index) {
  const found = [{ mode: 'killAll' }];
  if (call.process) found.push({ mode: 'killOne' });
  if (!call.process && index % 4 === 0) found.push({ mode: 'signal', errno: ['SIGINT', 'SIGTERM', 'SIGHUP'][(index / 4) % 3] });
  for (const errno of errnosOf(call, index)) {
    if (errno === 'half') found.push({ mode: 'half' });
    else if (errno.endsWith('+')) found.push({ mode: 'failOn', errno: errno.slice(0, -1) });
    else found.push({ mode: 'fail', errno });
  }
  return found.map((order) => ({ ...order, call }));
}

const codes = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15, ...errnos };

class Stage {
  constructor(root) {
    this.root = root;
    this.pool = path.join(root, 'pool');
    this.injector = new Injector(root);
    this.left = [];
    this.seen = new Set();
  }

  async set(name) {
    const folder = path.join(this.root, 'place');
    for (const old of [folder, this.pool]) fs.rmSync(old, { recursive: true, force: true });
    this.left = [];
    this.seen.clear();
    this.place = new Place(folder);
    this.parts = [this.place.thirdParty, this.place.config, this.place.cache];
    Object.assign(this, { before: null, old: null, mine: [], close: () => {} }, await scenarios[name](this.place));
    this.save('template');
    this.was = new Picture(this.place);
    await this.count();
    if (this.before) this.old = await this.reference(this.before);
    this.new = await this.reference(this.after);
    this.after.make();
  }

  keep(name) {
    return path.join(this.pool, name);
  }

  save(name) {
    fs.rmSync(this.keep(name), { recursive: true, force: true });
    fs.mkdirSync(this.keep(name), { recursive: true });
    const there = this.parts.filter((part) => fs.existsSync(part));
    if (there.length) execFileSync('cp', ['-a', ...there, this.keep(name)]);
  }

  // Takes a saved disk: it is moved, not copied.
  put(name) {
    for (const part of this.parts) {
      fs.rmSync(part, { recursive: true, force: true });
      const saved = path.join(this.keep(name), path.basename(part));
      if (fs.existsSync(saved)) fs.renameSync(saved, part);
    }
    fs.rmSync(this.keep(name), { recursive: true, force: true });
    for (const entry of fs.readdirSync(this.place.pkg)) {
      if (/^(\.rne-tmp-|rne-build-config.json.next)/.test(entry)) fs.rmSync(path.join(this.place.pkg, entry), { recursive: true });
    }
  }

  fresh() {
    if (!this.left.length) {
      execFileSync('sh', ['-c', `for i in $(seq ${POOL}); do cp -a template copy-$i; done`], { cwd: this.pool });
      this.left = Array.from({ length: POOL }, (_, i) => `copy-${i + 1}`);
    }
    this.put(this.left.pop());
  }

  // The calls that every run makes: some have more, as time will have it.
  async count() {
    const least = new Map();
    this.after.make();
    for (let i = 0; i < 3; i++) {
      this.fresh();
      this.injector.order({ record: 1 });
      const result = await this.after.run(this.injector);
      assert.equal(result.code, 0, result.stderr);
      this.calls = this.injector.calls();
      const counts = new Map(this.calls.map(({ key, number }) => [key, number]));
      for (const key of [...counts.keys(), ...least.keys()]) least.set(key, Math.min(counts.get(key) ?? 0, i ? least.get(key) ?? 0 : Infinity));
    }
    this.calls = this.calls.filter(({ key, number }) => number <= least.get(key));
    for (const name of ['openat2', 'renameat', 'close']) assert.ok(this.calls.some((call) => call.name === name), `${name} is not seen by tests/faults/inject.c`);
  }

  // What a run that nothing befell makes of the template.
  async reference(wish) {
    this.fresh();
    wish.make();
    const result = await wish.run();
    assert.equal(result.code, 0, result.stderr);
    return new Picture(this.place);
  }

  async fire(order) {
    for (let i = 0; i < TRIES; i++) {
      this.fresh();
      this.canary = canary(this.place);
      this.injector.order({ ...order, code: codes[order.errno] ?? 0 });
      const result = await this.after.run(this.injector);
      if (this.injector.fired()) return result;
    }
    assert.fail('the fault did not fire');
  }

  check(result, order) {
    const picture = new Picture(this.place);

    assert.ok(!result.hung, 'O6: it hung');
    assert.doesNotMatch(result.stderr, /Sanitizer|runtime error:/, 'a sanitizer spoke');
    assert.deepEqual(canary(this.place), this.canary, 'O1: something else was written');
    checkCache(picture);
    checkConfig(picture, this.was, this.new, this.mine);
    checkMine(picture, this.mine);
    if (result.code === 0) checkDone(picture, this.new, 'O4: exit code 0');
    else if (order.mode === 'killAll' || result.signal === 'SIGKILL') assert.equal(result.signal, 'SIGKILL');
    else if (order.mode === 'signal' && result.signal) assert.equal(result.signal, order.errno); // before it was caught
    else if (order.mode === 'signal') {
      assert.equal(result.code, 128 + codes[order.errno], 'O4: the exit code');
      checkLastLines(result.stderr, picture, this.was);
    } else checkFailure(result, picture, this.was, { errno: order.errno, where: order.call.path });
    return picture;
  }

  // O2 and O5: the next run, whether it is asked the same or what was before.
  async repair(picture) {
    const key = picture.key();
    if (this.seen.has(key)) return;
    if (this.old) this.save('broken');
    await this.plain(this.after, this.new, 'O5: after the next run');
    if (this.old) {
      this.put('broken');
      this.before.make();
      await this.plain(this.before, this.old, 'O2: after a run that wants what was before');
      this.after.make();
    }
    this.seen.add(key);
  }

  async plain(wish, wanted, why) {
    const result = await wish.run();
    assert.equal(result.code, 0, `${why}: exit code ${result.code} ${result.signal ?? ''}: ${result.stderr}`);
    const picture = new Picture(this.place);
    checkDone(picture, wanted, why);
    checkCache(picture);
    checkMine(picture, this.mine);
  }

  async point(order) {
    let result;
    try {
      result = await this.fire(order);
      await this.repair(this.check(result, order));
      return null;
    } catch (error) {
      this.after.make();
      const text = error.code === 'ERR_ASSERTION' ? error.message : error.stack;
      const { process, name, path: where, number } = order.call;
      return `${order.mode} ${order.errno ?? ''} at ${process ? `worker ${process}: ` : ''}${name} ${where.replace(this.place.root, '')} (${number})\n${text}\n${result?.stderr ?? ''}`.replace(/^/gm, '    ');
    }
  }
}

async function part() {
  const [mine, of] = options.part.split('/').map(Number);
  const root = fs.mkdtempSync(path.join(fs.realpathSync(scratch), 'rne-faults-'));
  const stage = new Stage(root);
  const names = Object.keys(scenarios).filter((name) => !options.scenario || options.scenario.includes(name));
  try {
    for (const name of names) {
      const started = performance.now();
      const outcome = { name, injected: 0, torn: 0, messages: [], kinds: {} };
      await stage.set(name);
      let points = stage.calls.flatMap(orders);
      if (options.only) points = points.filter((order) => `${order.call.name} ${order.call.path}`.includes(options.only));
      if (options.sample) {
        const next = random(names.indexOf(name) + 1);
        const share = Number(options.sample) / names.length / points.length;
        points = points.filter(() => next() < share);
      }
      for (const [index, order] of points.entries()) {
        if (index % of !== mine) continue;
        const message = await stage.point(order);
        outcome.injected++;
        outcome.kinds[order.mode] = (outcome.kinds[order.mode] ?? 0) + 1;
        if (!message) continue;
        outcome.torn++;
        if (outcome.messages.length < MESSAGES || options.verbose) outcome.messages.push(message);
      }
      stage.close();
      process.send({ ...outcome, calls: stage.calls.length, states: stage.seen.size, seconds: (performance.now() - started) / 1000 });
    }
  } finally {
    stage.injector.remove();
    fs.rmSync(root, { recursive: true, force: true });
  }
}

async function main() {
  const started = performance.now();
  const total = new Map();
  const of = Number(options.workers);
  let broken = 0;
  if (!library()) {
    console.log('skipped: faults are injected by LD_PRELOAD, on Linux, and with make and a C compiler');
    return;
  }
  await Promise.all(Array.from({ length: of }, (_, i) => new Promise((resolve) => {
    fork(import.meta.filename ?? process.argv[1], [...process.argv.slice(2), '--part', `${i}/${of}`])
      .on('message', (outcome) => total.set(outcome.name, [...(total.get(outcome.name) ?? []), outcome]))
      .on('exit', (code) => { if (code) broken++; resolve(); });
  })));
  const sum = (outcomes, key) => outcomes.reduce((before, outcome) => before + outcome[key], 0);
  for (const [name, outcomes] of total) {
    for (const message of outcomes.flatMap((outcome) => outcome.messages)) console.log(`${name}:\n${message}`);
    const kinds = {};
    for (const outcome of outcomes) for (const [kind, count] of Object.entries(outcome.kinds)) kinds[kind] = (kinds[kind] ?? 0) + count;
    console.log(`${name}: ${outcomes[0].calls} calls, ${sum(outcomes, 'injected')} injected (${Object.entries(kinds).map(([kind, count]) => `${count} ${kind}`).join(', ')}), ${sum(outcomes, 'torn')} torn, ${sum(outcomes, 'states')} disks, ${Math.max(...outcomes.map((outcome) => outcome.seconds)).toFixed(1)} s`);
  }
  const all = [...total.values()].flat();
  console.log(`${sum(all, 'injected')} injected, ${sum(all, 'torn')} torn, in ${((performance.now() - started) / 1000).toFixed(0)} s`);
  if (broken || sum(all, 'torn') || !all.length) process.exitCode = 1;
}

await (options.part ? part() : main());
