// node tests/faults/run.mjs [--sample N] [--scenario NAME] [--only PART-OF-A-CALL] [--workers N]
//
// Counts the calls of each scenario's run, lets each of them fail in the ways
// it can, kills the program before each, cuts the power at each change to the
// disk, and holds what is left against the oracle, and again after a plain
// run. --sample N: about N of them all.
import { fork } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { library, scratch } from './injected.mjs';
import { powerCuts } from './power.mjs';
import { scenarios } from './scenarios.mjs';
import { Stage } from './stage.mjs';

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

async function part() {
  const [mine, of] = options.part.split('/').map(Number);
  const root = fs.mkdtempSync(path.join(fs.realpathSync(scratch), 'rne-faults-'));
  const stage = new Stage(root);
  const names = Object.keys(scenarios).filter((name) => !options.scenario || options.scenario.includes(name));
  try {
    for (const name of names) {
      const started = performance.now();
      const outcome = { name, torn: 0, messages: [], kinds: {} };
      await stage.set(name);
      const next = random(names.indexOf(name) + 1);
      let points = [...stage.calls.flatMap(orders).map((order) => () => stage.point(order)), ...(await powerCuts(stage, next))];
      outcome.calls = stage.calls.length;
      if (options.only) points = stage.calls.flatMap(orders).filter(({ call }) => `${call.name} ${call.path}`.includes(options.only)).map((order) => () => stage.point(order));
      if (options.sample) points = points.filter(() => next() < Number(options.sample) / names.length / points.length);
      for (const [index, point] of points.entries()) {
        if (index % of !== mine) continue;
        const { kind, message } = await point();
        outcome.kinds[kind] = (outcome.kinds[kind] ?? 0) + 1;
        if (!message) continue;
        outcome.torn++;
        if (outcome.messages.length < MESSAGES || options.verbose) outcome.messages.push(message);
      }
      stage.close();
      process.send({ ...outcome, states: stage.seen.size, seconds: (performance.now() - started) / 1000 });
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
  const count = (outcomes, pick) => outcomes.flatMap(({ kinds }) => Object.entries(kinds)).reduce((before, [kind, number]) => before + (pick(kind) ? number : 0), 0);
  const isCut = (kind) => kind === 'cut';
  const summary = (outcomes) => `${count(outcomes, (kind) => !isCut(kind))} injected, ${count(outcomes, isCut)} power cuts, ${sum(outcomes, 'torn')} torn`;
  for (const [name, outcomes] of total) {
    for (const message of outcomes.flatMap(({ messages }) => messages)) console.log(`${name}:\n${message}`);
    const kinds = [...new Set(outcomes.flatMap((outcome) => Object.keys(outcome.kinds)))].map((kind) => `${count(outcomes, (other) => other === kind)} ${kind}`);
    console.log(`${name}: ${outcomes[0].calls} calls; ${summary(outcomes)}; ${sum(outcomes, 'states')} disks repaired; ${Math.max(...outcomes.map(({ seconds }) => seconds)).toFixed(1)} s (${kinds.join(', ')})`);
  }
  const all = [...total.values()].flat();
  console.log(`${summary(all)}, in ${((performance.now() - started) / 1000).toFixed(0)} s`);
  if (broken || sum(all, 'torn') || !all.length) process.exitCode = 1;
}

await (options.part ? part() : main());
