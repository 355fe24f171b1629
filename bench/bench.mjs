// The side-by-side benchmark: `make bench`, or
//
//   node bench/bench.mjs [--rounds N] [--scenarios a,b] [--who a,b]
//                        [--binary FILE] [--compare NAME=BINARY]...
//                        [--places FOLDER | --filesystem ext4|xfs|btrfs]
//                        [--urgent] [--out FOLDER]
//
// Every scenario runs all its contestants in turn, round after round, so that
// what disturbs the machine disturbs all alike; the figures are medians. After
// every run the installed tree is held against what was packed. Writes
// results.json and results.svg to --out (bench/ unless a part is left out).
// The contestants work in memory, where there is a tmpfs: a disk's own file
// system remembers for minutes what was removed, and makes all of them slower
// with every round. --places names another folder, --filesystem makes a file
// system for them, and --urgent runs them before all else that the machine
// does (chrt; both need root).
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { registryPackage } from '../tests/fixtures/registry.mjs';
import { contestants, largestArchive, Place } from './contestants.mjs';
import { withFileSystem } from './disk.mjs';
import { machine, measure, median, settle, startServer, systemCalls, tools } from './measure.mjs';
import { picture } from './picture.mjs';
import { release } from './release.mjs';
import { promises, table } from './report.mjs';
import { checkPlace, lineFloor, SCENARIOS, SERVERS } from './scenarios.mjs';

const MEMORY = '/dev/shm';

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.dirname(here);

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    scenarios: { type: 'string' },
    who: { type: 'string' },
    compare: { type: 'string', multiple: true, default: [] },
    binary: { type: 'string', default: path.join(root, 'build/rne-libs') },
    work: { type: 'string', default: path.join(root, 'build/bench') },
    places: { type: 'string' },
    filesystem: { type: 'string' },
    urgent: { type: 'boolean', default: false },
    out: { type: 'string' },
  },
});

const chosen = (list, name) => !list || list.split(',').includes(name);

function summary(runs, extra) {
  const of = (key) => runs.map((run) => run[key]);
  return {
    wall: median(of('wall')), least: Math.min(...of('wall')), most: Math.max(...of('wall')),
    cpu: median(runs.map((run) => run.user + run.system)), user: median(of('user')), system: median(of('system')),
    largestKb: Math.max(...of('largestKb')), others: median(of('others')), ...extra, runs: runs.map((run) => Number(run.wall.toFixed(2))),
  };
}

// A folder with the release's files as they are to lie, for `cp -r`.
function makeReference(tool, all, places, upstream) {
  return (folder) => {
    const place = path.join(places, 'reference', path.basename(folder));
    if (!fs.existsSync(place)) {
      const temporary = new Place(`${place}.new`, upstream);
      fs.mkdirSync(temporary.thirdParty, { recursive: true });
      measure(tool, all().floor.command(temporary, folder));
      fs.renameSync(temporary.thirdParty, place);
      fs.rmSync(temporary.folder, { recursive: true });
    }
    return place;
  };
}

function prepare(bench, scenario, folder, url) {
  return Object.entries(bench.all)
    .filter(([name]) => scenario.who.includes(name) || (bench.binaries[name] && scenario.who.includes('rne')))
    .filter(([name]) => chosen(options.who, name))
    .map(([name, contestant]) => {
      const place = new Place(path.join(bench.places, name), bench.upstream);
      const command = () => contestant.command(place, folder, url);
      const fill = () => measure(bench.tool, command());
      if (!contestant.installsNothing) scenario.begin(place, fill, contestant);
      const ready = () => {
        if (!contestant.installsNothing) scenario.before(place, fill, contestant);
        settle(bench.places);
      };
      return { name, contestant, place, command, ready, runs: [] };
    });
}

async function runScenario(bench, scenario) {
  const folder = release(scenario.release, bench.work, root);
  const expected = JSON.parse(fs.readFileSync(path.join(folder, 'expected.json')));
  const server = await startServer(bench.tool, folder, SERVERS[scenario.server]);
  const all = prepare(bench, scenario, folder, server.url);
  const extras = {};

  // One run more than is counted: the first finds caches cold that are nobody's.
  for (let round = -1; round < bench.rounds; round++) {
    for (const one of all) {
      one.ready();
      const cost = measure(bench.tool, one.command());
      if (!one.contestant.installsNothing) checkPlace(one.place, one.contestant, expected);
      if (round >= 0) one.runs.push(cost);
    }
    process.stderr.write(`\r${scenario.title}: ${round + 1}/${bench.rounds} `);
  }
  for (const one of all) {
    one.ready();
    const { heldKb } = measure(bench.tool, one.command(), { memory: true });
    one.ready();
    extras[one.name] = { heldKb, calls: systemCalls(bench.tool, one.command()) };
    fs.rmSync(one.place.folder, { recursive: true, force: true });
  }
  process.stderr.write('\n');
  server.stop();
  return {
    name: scenario.name, title: scenario.title, lineFloor: lineFloor(scenario, largestArchive(folder)),
    results: Object.fromEntries(all.map((one) =>
      [one.name, { title: one.contestant.title, ...summary(one.runs, extras[one.name]) }])),
  };
}

function bytesByForm(folder) {
  const sum = (ending) => fs.readdirSync(folder).filter((file) => file.endsWith(ending))
    .reduce((total, file) => total + fs.statSync(path.join(folder, file)).size, 0);
  return { gz: sum('.tar.gz'), zst: sum('.tar.zst') };
}

async function runAll(work, places) {
  const binaries = { rne: path.resolve(options.binary) };
  for (const pair of options.compare) {
    const [name, binary] = pair.split('=');
    binaries[name] = path.resolve(binary);
  }
  fs.mkdirSync(places, { recursive: true });
  const bench = { work, places, binaries, rounds: Number(options.rounds), tool: tools(work, options.urgent) };
  bench.upstream = registryPackage('react-native-executorch', '0.10.2');
  bench.all = contestants({
    tool: bench.tool, binaries, jobs: os.cpus().length, here,
    reference: makeReference(bench.tool, () => bench.all, places, bench.upstream),
  });
  const results = { machine: machine(places), urgent: options.urgent, rounds: bench.rounds, scenarios: [] };
  for (const scenario of SCENARIOS.filter(({ name }) => chosen(options.scenarios, name)))
    results.scenarios.push(await runScenario(bench, scenario));
  results.bytes = bytesByForm(release('real', work, root));
  results.promises = promises(results.scenarios);
  return results;
}

async function inMemory(run) {
  const folder = fs.mkdtempSync(path.join(MEMORY, 'rne-bench-'));
  try {
    await run(folder);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

async function main() {
  const work = path.resolve(options.work);
  let results;
  const run = async (places) => {
    results = await runAll(work, places);
  };

  if (options.filesystem) await withFileSystem(options.filesystem, work, run);
  else if (options.places || !fs.existsSync(MEMORY)) await run(path.resolve(options.places ?? path.join(work, 'places')));
  else await inMemory(run);
  process.stdout.write(table(results));
  const whole = !options.scenarios && !options.who && !options.places && !options.filesystem;
  const out = options.out ?? (whole ? here : work);
  fs.mkdirSync(out, { recursive: true });
  fs.writeFileSync(path.join(out, 'results.json'), `${JSON.stringify(results, null, 1)}\n`);
  fs.writeFileSync(path.join(out, 'results.svg'), picture(results));
  process.stderr.write(`wrote ${out}/results.json and results.svg\n`);
}

await main();
