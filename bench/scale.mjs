// Time and memory against bytes and against files: `make bench-scale`, or
//
//   node bench/scale.mjs [--rounds N] [--bytes MB,MB] [--files N,N] [--urgent]
//                        [--places FOLDER] [--out FOLDER]
//
// Synthetic releases of one archive of libraries and one of headers are made
// in --places (in memory, where there is a tmpfs) and removed afterwards. Writes
// scale.json and scale.svg; a line that bends upwards is a fault.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { registryPackage } from '../tests/fixtures/registry.mjs';
import { contestants, Place } from './contestants.mjs';
import { checkTree, machine, measure, median, settle, startServer, tools } from './measure.mjs';
import { describe, writeManifests, writeSidecar } from './release.mjs';
import { describeMachine } from './report.mjs';
import { curves } from './curves.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.dirname(here);
const MEGABYTE = 1 << 20;

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    bytes: { type: 'string', default: '64,256,512,1024,2048' }, // MB
    files: { type: 'string', default: '1000,2500,5000,10000,20000' },
    binary: { type: 'string', default: path.join(root, 'build/rne-libs') },
    work: { type: 'string', default: path.join(root, 'build/bench') },
    places: { type: 'string', default: fs.existsSync('/dev/shm') ? '/dev/shm' : os.tmpdir() },
    urgent: { type: 'boolean', default: false },
    out: { type: 'string', default: here },
  },
});

// Bytes like a library's: words from a small set, so that they pack to about
// a third, and different in every block.
function* libraryBytes(megabytes) {
  const block = Buffer.alloc(MEGABYTE);
  let state = 1;
  for (let i = 0; i < megabytes; i++) {
    for (let at = 0; at < block.length; at += 4) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      block.writeUInt32LE(state >>> 16 & 0x3ff ? state >>> 22 : state, at);
    }
    yield block;
  }
}

function stageBytes(stage, megabytes) {
  const folder = path.join(stage, 'executorch/arm64-v8a');
  fs.mkdirSync(folder, { recursive: true });
  const file = fs.openSync(path.join(folder, 'libexecutorch.so'), 'w');
  for (const block of libraryBytes(megabytes)) fs.writeSync(file, block);
  fs.closeSync(file);
}

function stageFiles(stage, count) {
  for (let i = 0; i < count; i++) {
    const folder = path.join(stage, 'include', `part${Math.floor(i / 100)}`);
    if (i % 100 === 0) fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(path.join(folder, `header${i}.h`), `#pragma once\nint value_${i}(void);\n`.repeat(20));
  }
}

// The fastest level: what is measured is unpacking.
async function packFast(stage, archive) {
  const tar = spawn('tar', ['-cf', '-', '-C', stage, '.'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const gzip = spawn('gzip', ['-1'], { stdio: [tar.stdout, fs.openSync(archive, 'w'), 'inherit'] });
  const [status] = await once(gzip, 'exit');
  if (status !== 0) throw new Error(`packing ${archive} failed`);
  writeSidecar(archive);
}

async function makeRelease(folder, { megabytes, files }) {
  const contents = {};
  const stages = { headers: (stage) => stageFiles(stage, files), 'core-android-arm64-v8a': (stage) => stageBytes(stage, megabytes) };
  for (const [artifact, fill] of Object.entries(stages)) {
    const stage = fs.mkdtempSync(path.join(folder, 'stage-'));
    fill(stage);
    contents[artifact] = describe(stage);
    await packFast(stage, path.join(folder, `${artifact}.tar.gz`));
    fs.rmSync(stage, { recursive: true });
  }
  writeManifests(folder, path.join(root, 'manifests/react-native-executorch-0.10.0.json'), contents);
  const destination = { headers: '', 'core-android-arm64-v8a': 'android/libs' };
  return Object.fromEntries(Object.entries(contents).flatMap(([artifact, list]) =>
    list.map((file) => [path.join(destination[artifact], file.path), file.sha256])));
}

// Cold, warm and nothing to do, one after the other, `rounds` times.
async function measurePoint(bench, size) {
  const folder = fs.mkdtempSync(path.join(options.places, 'rne-scale-'));
  try {
    const expected = await makeRelease(folder, size);
    const server = await startServer(bench.tool, folder);
    const place = new Place(path.join(folder, 'place'), bench.upstream);
    place.choose(false);
    const run = (how) => {
      settle(folder);
      const { argv, cwd, env, input } = bench.all.rne.command(place, folder, server.url);
      return measure(bench.tool, { argv, cwd, input, env: { ...env, RNET_NO_X86_64: '1' } }, how);
    };
    const found = { cold: [], warm: [], nothing: [] };
    const states = {
      cold: () => { place.removeInstalled(); place.removeCache(); },
      warm: () => place.removeInstalled(),
      nothing: () => {},
    };
    for (let round = 0; round < bench.rounds; round++) {
      for (const [state, reach] of Object.entries(states)) {
        reach();
        found[state].push(run());
        if (round === 0) checkTree(place.thirdParty, expected);
      }
    }
    const held = {};
    for (const [state, reach] of Object.entries(states)) {
      reach();
      held[state] = run({ memory: true }).heldKb;
    }
    server.stop();
    return { ...size, ...Object.fromEntries(Object.entries(found).map(([state, runs]) => [state, {
      wall: median(runs.map((one) => one.wall)), cpu: median(runs.map((one) => one.user + one.system)),
      largestKb: Math.max(...runs.map((one) => one.largestKb)), heldKb: held[state],
    }])) };
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

function line(point, unit) {
  const of = (state) => `${point[state].wall.toFixed(0).padStart(7)} ms ${(point[state].heldKb / 1024).toFixed(1).padStart(5)} MB`;
  return `${`${point[unit]}`.padStart(7)}  cold ${of('cold')}  warm ${of('warm')}  nothing ${of('nothing')}\n`;
}

async function main() {
  const tool = tools(path.resolve(options.work), options.urgent);
  const bench = { tool, rounds: Number(options.rounds), upstream: registryPackage('react-native-executorch', '0.10.2') };
  bench.all = contestants({ tool, binaries: { rne: path.resolve(options.binary) }, jobs: os.cpus().length, here });
  const results = { machine: machine(options.places), rounds: bench.rounds, bytes: [], files: [] };
  process.stdout.write(`${describeMachine(results.machine)}\nunpacked MB\n`);
  for (const megabytes of options.bytes.split(',').map(Number)) {
    results.bytes.push(await measurePoint(bench, { megabytes, files: 10 }));
    process.stdout.write(line(results.bytes.at(-1), 'megabytes'));
  }
  process.stdout.write('files\n');
  for (const files of options.files.split(',').map(Number)) {
    results.files.push(await measurePoint(bench, { megabytes: 1, files }));
    process.stdout.write(line(results.files.at(-1), 'files'));
  }
  fs.writeFileSync(path.join(options.out, 'scale.json'), `${JSON.stringify(results, null, 1)}\n`);
  fs.writeFileSync(path.join(options.out, 'scale.svg'), curves(results));
}

await main();
