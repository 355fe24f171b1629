// What is measured: the state that each run begins in, the server, who runs,
// and what must be there afterwards.
import fs from 'node:fs';
import path from 'node:path';

import { isExtra } from './contestants.mjs';
import { checkTree } from './measure.mjs';

const RATE = 4000000;
const LATENCY = 80;

export const SERVERS = {
  fast: [],
  limited: [`rate=${RATE}`],
  distant: [`latency=${LATENCY}`],
};

const ALL = ['rne', 'rne-no-sync', 'rne-zst', 'upstream', 'pipeline', 'floor', 'floor-zst'];

// begin: what is done once; before: what is done before each run (both with
// `fill`, an untimed run of the contestant).
const cold = {
  begin: () => {},
  before: (place) => {
    place.removeInstalled();
    place.removeCache();
  },
};
const warm = {
  begin: (place, fill) => fill(),
  before: (place) => place.removeInstalled(),
};
const unchanged = { begin: (place, fill) => fill(), before: () => {} };

// The extra is there or not, and then asked for or not.
function removeExtra(place) {
  const libs = path.join(place.thirdParty, 'android/libs');
  for (const name of fs.readdirSync(libs).filter(isExtra)) fs.rmSync(path.join(libs, name), { recursive: true });
}

function switched(on) {
  return {
    begin: (place, fill) => {
      place.choose(true);
      fill();
    },
    before: (place, fill, contestant) => {
      place.choose(!on);
      fill();
      if (contestant.leavesFiles && on) removeExtra(place);
      place.choose(on);
    },
  };
}

export const SCENARIOS = [
  { name: 'nothing', title: 'Nothing to do', release: 'real', server: 'fast', ...unchanged,
    who: ['rne', 'upstream', 'start'] },
  { name: 'warm', title: 'Cache warm, third-party/ empty', release: 'real', server: 'fast', ...warm,
    who: [...ALL, 'copy'] },
  { name: 'cold', title: 'Cold', release: 'real', server: 'fast', ...cold, who: [...ALL, 'line'] },
  { name: 'switch-on', title: 'One extra switched on, cache warm', release: 'real', server: 'fast', ...switched(true),
    who: ['rne', 'rne-no-sync', 'upstream'] },
  { name: 'switch-off', title: 'One extra switched off', release: 'real', server: 'fast', ...switched(false),
    who: ['rne', 'rne-no-sync', 'upstream'] },
  { name: 'limited', title: `Cold, ${RATE / 1e6} MB/s per connection`, release: 'real', server: 'limited', ...cold,
    who: ['rne', 'rne-no-sync', 'rne-zst', 'upstream', 'pipeline', 'line'] },
  { name: 'distant', title: `Cold, ${LATENCY} ms away`, release: 'real', server: 'distant', ...cold,
    who: ['rne', 'rne-no-sync', 'rne-zst', 'upstream', 'pipeline', 'line'] },
  { name: 'large-cold', title: 'Ten times as large, cold', release: 'large', server: 'fast', ...cold,
    who: ['rne', 'rne-no-sync', 'upstream', 'pipeline', 'floor'] },
  { name: 'large-warm', title: 'Ten times as large, cache warm', release: 'large', server: 'fast', ...warm,
    who: ['rne', 'rne-no-sync', 'pipeline', 'floor', 'copy'] },
  { name: 'headers-cold', title: '5,000 small headers, cold', release: 'headers', server: 'fast', ...cold,
    who: ['rne', 'rne-no-sync', 'upstream', 'pipeline', 'floor'] },
  { name: 'headers-warm', title: '5,000 small headers, cache warm', release: 'headers', server: 'fast', ...warm,
    who: ['rne', 'rne-no-sync', 'pipeline', 'floor', 'copy'] },
  { name: 'headers-nothing', title: '5,000 small headers, nothing to do', release: 'headers', server: 'fast', ...unchanged,
    who: ['rne', 'upstream'] },
];

// The least time that a scenario's line allows, in ms; null: no such limit.
export function lineFloor(scenario, largest) {
  return scenario.server === 'limited' ? (largest / RATE) * 1000 : null;
}

// path -> sha256 of what must be installed.
function expectedFiles(expected, extra) {
  const wanted = Object.entries(expected).filter(([artifact]) => extra || !isExtra(artifact));
  return Object.assign({}, ...wanted.map(([, artifact]) => artifact.files));
}

// Nothing is won by not doing the work.
export function checkPlace(place, contestant, expected) {
  const left = contestant.leavesFiles ? expectedFiles(expected, true) : {};
  checkTree(place.thirdParty, expectedFiles(expected, place.extra), (file) => left[file] !== undefined);
}
