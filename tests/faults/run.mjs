// node tests/faults/run.mjs [--sample N] [--scenario NAME] [--only PART-OF-A-CALL] [--workers N] [--no-sync]
//
// Counts the calls of each scenario's run, lets each of them fail in the ways
// it can, kills the program before each, cuts the power at each change to the
// disk, and holds what is left against the oracle, and again after a plain
// run. --sample N: about N of them all. --no-sync: of a program that does not
// sync, to see that this is found out.
import { fork } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { library, scratch } from './injected.mjs';
import { orders } from './orders.mjs';
import { powerCuts } from './power.mjs';
import { scenarios } from './scenarios.mjs';
import { Stage } from './stage.mjs';

const MESSAGES = 12;

const { values: options } = parseArgs({
  options: { sample: { type: 'string' }, scenario: { type: 'string', multiple: true }, only: { type: 'string' }, workers: { type: 'string', default: '2' }, verbose: { type: 'boolean' }, 'no-sync': { type: 'boolean' } },
});
const names = options.scenario ?? Object.keys(scenarios);

// Numbers for the sample: the same in every run.
function random(seed) {
  let state = seed >>> 0;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
}

async function pointsOf(stage, next) {
  const faults = stage.calls.flatMap(orders).filter(({ call }) => `${call.name} ${call.path}`.includes(options.only ?? ''));
  const points = faults.map((order) => () => stage.point(order));
  if (!options.only) points.push(...(await powerCuts(stage, next)));
  if (!options.sample) return points;
  const share = Number(options.sample) / names.length / points.length;
  return points.filter(() => next() < share);
}

async function play(stage, name) {
  const started = performance.now();
  const outcome = { name, torn: 0, messages: [], kinds: {} };
  await stage.set(name);
  for (const point of await pointsOf(stage, random(names.indexOf(name) + 1))) {
    const { kind, message } = await point();
    outcome.kinds[kind] = (outcome.kinds[kind] ?? 0) + 1;
    if (!message) continue;
    outcome.torn++;
    if (outcome.messages.length < MESSAGES || options.verbose) outcome.messages.push(message);
  }
  stage.close();
  return { ...outcome, calls: stage.calls.length, states: stage.seen.size, seconds: (performance.now() - started) / 1000 };
}

// A child of main: plays the scenarios it is sent.
function work() {
  const root = fs.mkdtempSync(path.join(fs.realpathSync(scratch), 'rne-faults-'));
  const stage = new Stage(root, options['no-sync'] ? ['--no-sync'] : []);
  process.on('message', async (name) => process.send(await play(stage, name)));
  process.on('disconnect', () => process.exit());
  process.on('exit', () => {
    stage.injector.remove();
    fs.rmSync(root, { recursive: true, force: true });
  });
}

// Scenarios are shared out, not points: a disk is then repaired once for all the
// faults that leave it.
function playAll(report) {
  const left = [...names];
  const worker = () => new Promise((resolve) => {
    const child = fork(process.argv[1], process.argv.slice(2), { env: { ...process.env, RNE_FAULTS_WORKER: '1' } });
    const go = () => (left.length ? child.send(left.shift()) : child.disconnect());
    child.on('message', (outcome) => { report(outcome); go(); });
    child.on('exit', (code) => resolve(code === 0));
    go();
  });
  return Promise.all(Array.from({ length: Math.min(Number(options.workers), names.length) }, worker));
}

const sum = (numbers) => numbers.reduce((one, other) => one + other, 0);
const count = (outcomes, pick) => sum(outcomes.flatMap(({ kinds }) => Object.entries(kinds)).filter(([kind]) => pick(kind)).map(([, number]) => number));
const isCut = (kind) => kind === 'cut';
const isKill = (kind) => kind.startsWith('kill');

const summary = (outcomes) => `${count(outcomes, (kind) => !isCut(kind))} injected, ${count(outcomes, isCut)} power cuts, ${sum(outcomes.map(({ torn }) => torn))} torn (${count(outcomes, isKill)} kills, ${sum(outcomes.map(({ states }) => states))} disks repaired)`;

function report({ messages, ...outcome }) {
  for (const message of messages) console.log(`${outcome.name}:\n${message}`);
  console.log(`${outcome.name}: ${outcome.calls} calls; ${summary([outcome])}; ${outcome.seconds.toFixed(1)} s`);
}

async function main() {
  const started = performance.now();
  const outcomes = [];
  if (!library()) {
    console.log('skipped: faults are injected by LD_PRELOAD, on Linux, and with make and a C compiler');
    return;
  }
  const whole = await playAll((outcome) => {
    outcomes.push(outcome);
    report(outcome);
  });
  console.log(`${summary(outcomes)}, in ${((performance.now() - started) / 1000).toFixed(0)} s`);
  if (!whole.every(Boolean) || outcomes.length !== names.length || outcomes.some(({ torn }) => torn)) process.exitCode = 1;
}

await (process.env.RNE_FAULTS_WORKER ? work() : main());
