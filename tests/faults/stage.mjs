// A scenario set up so that its run can be repeated from the same disk, and
// what is held against the oracle after each.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { errnos, Injector } from './injected.mjs';
import { canary, checkCache, checkConfig, checkDone, checkFailure, checkLastLines, checkMine, Picture } from './oracle.mjs';
import { Place, scenarios } from './scenarios.mjs';

const POOL = 24;
const TRIES = 12; // of a call that not every run makes so often

const codes = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15, ...errnos };

export class Stage {
  // `args`: of every run that something befalls.
  constructor(root, args = []) {
    this.root = root;
    this.args = args;
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
    Object.assign(this, { before: null, old: null, mine: [], play: null, trees: false, close: () => {} }, await scenarios[name](this.place));
    this.after.args.push(...this.args);
    this.save('template');
    this.was = new Picture(this.place);
    this.calls = [];
    if (!this.play) await this.count();
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
    const there = this.place.parts.filter((part) => fs.existsSync(part));
    if (there.length) execFileSync('cp', ['-a', ...there, this.keep(name)]);
  }

  // Takes a saved disk: it is moved, not copied.
  put(name) {
    this.place.clear();
    for (const part of this.place.parts) {
      const saved = path.join(this.keep(name), path.basename(part));
      if (fs.existsSync(saved)) fs.renameSync(saved, part);
    }
    fs.rmSync(this.keep(name), { recursive: true, force: true });
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

  // The next run repairs, whether it is asked the same or what was before; and
  // where it can get nothing, the build config still names what is there.
  // `again`, of a disk that was rebuilt: rebuilds it.
  async repair(picture, again = null) {
    const key = `${Boolean(again)} ${picture.key()}`;
    if (this.seen.has(key)) return;
    this.isCut = Boolean(again);
    if (again) {
      await this.offline();
      again();
    }
    if (this.old) {
      if (!again) this.save('broken');
      await this.backwards();
      (again ?? (() => this.put('broken')))();
    }
    await this.plain(this.after, this.new, 'O5: after the next run');
    this.seen.add(key);
  }

  async backwards() {
    this.before.make();
    await this.again(this.before, this.old, 'O2: after a run that wants what was before');
    this.after.make();
  }

  async offline() {
    const result = await this.after.offline();
    const picture = new Picture(this.place);
    assert.ok(!result.hung, 'O6: it hung');
    checkConfig(picture, this.was, this.new, this.mine);
    checkMine(picture, this.mine);
  }

  async plain(wish, wanted, why) {
    await this.again(wish, wanted, why);
    if ((!this.trees && !this.isCut) || this.mine.length) return;
    // What the cache has is right, or replaced when it is used.
    this.place.uninstall();
    checkCache(await this.again(wish, wanted, `${why}, restored`));
  }

  // O2 and O5
  async again(wish, wanted, why) {
    const result = await wish.run();
    assert.equal(result.code, 0, `${why}: exit code ${result.code} ${result.signal ?? ''}: ${result.stderr}`);
    const picture = new Picture(this.place);
    checkDone(picture, wanted, why);
    if (!this.isCut) checkCache(picture);
    checkMine(picture, this.mine);
    return picture;
  }

  // Both kinds of points give { kind, message }: what went wrong, or null.
  async point(order) {
    let result;
    try {
      result = await this.fire(order);
      await this.repair(this.check(result, order));
      return { kind: order.mode, message: null };
    } catch (error) {
      this.after.make();
      const { process, name, path: where, number } = order.call;
      const what = `${order.mode} ${order.errno ?? ''} at ${process ? `worker ${process}: ` : ''}${name} ${where} (${number})`;
      return { kind: order.mode, message: this.message(what, error, result) };
    }
  }

  message(what, error, result) {
    const text = error.code === 'ERR_ASSERTION' ? error.message : error.stack;
    return `${what}\n${text}\n${result?.stderr ?? ''}`.replaceAll(this.place.root, '').replace(/^/gm, '    ');
  }
}
