// Results in words: a table, and what was promised beside what was found.

const NAMES = {
  nothing: 'nothing to do', warm: 'cache warm', cold: 'cold', limited: 'cold, 4 MB/s per connection',
};
// Whose promises they are, and what is said of their archives.
const OURS = { rne: '', 'rne-zst': ' (.tar.zst)' };

// [who, scenario, against whom, how many times as fast at least]
const FASTER = [
  ['rne', 'nothing', 'upstream', 50], ['rne', 'warm', 'upstream', 10], ['rne', 'cold', 'upstream', 7],
  ['rne-zst', 'cold', 'upstream', 7], ['rne', 'limited', 'upstream', 3],
  ['rne', 'cold', 'pipeline', 2], ['rne-zst', 'cold', 'pipeline', 2], ['rne', 'limited', 'pipeline', 1.5],
];
// [who, scenario, against whom, how many times as long at most]
const NEAR = [['rne', 'cold', 'floor', 1.35], ['rne-zst', 'cold', 'floor-zst', 1.35], ['rne', 'warm', 'copy', 1.5]];
const LINE_MOST = 1.1;
const MEMORY_MOST_KB = 40 * 1024;
const NOTHING_MOST = { shared: 15, static: 5 }; // ms

const ms = (time) => (time >= 100 ? time.toFixed(0) : time >= 10 ? time.toFixed(1) : time.toFixed(2));
const times = (ratio) => `${ratio >= 10 ? ratio.toFixed(0) : ratio.toFixed(2)} x`;

function found(scenarios, name) {
  const scenario = scenarios.find((one) => one.name === name);
  return scenario?.results.rne ? scenario : null;
}

function verdict(text, value, limit, kept) {
  return { text, value: Number(value.toFixed(3)), limit, kept };
}

export function promises(scenarios) {
  const list = [];
  for (const [who, name, other, least] of FASTER) {
    const results = found(scenarios, name)?.results;
    if (!results?.[who] || !results[other]) continue;
    const ratio = results[other].wall / results[who].wall;
    list.push(verdict(`${NAMES[name]}${OURS[who]}: times as fast as ${results[other].title}`, ratio, `>= ${least}`, ratio >= least));
  }
  for (const [who, name, other, most] of NEAR) {
    const results = found(scenarios, name)?.results;
    if (!results?.[who] || !results[other]) continue;
    const ratio = results[who].wall / results[other].wall;
    list.push(verdict(`${NAMES[name]}${OURS[who]}: time, in those of ${results[other].title}`, ratio, `<= ${most}`, ratio <= most));
  }
  const limited = found(scenarios, 'limited');
  if (limited) {
    const ratio = limited.results.rne.wall / limited.lineFloor;
    list.push(verdict(`${NAMES.limited}: time, in largest file / rate`, ratio, `<= ${LINE_MOST}`, ratio <= LINE_MOST));
  }
  const nothing = found(scenarios, 'nothing');
  if (nothing) {
    const { wall } = nothing.results.rne;
    list.push(verdict('nothing to do: milliseconds', wall, `<= ${NOTHING_MOST.shared}, static ${NOTHING_MOST.static}`,
      wall <= NOTHING_MOST.shared));
  }
  const held = Math.max(0, ...scenarios.flatMap(({ results }) => Object.keys(OURS).map((who) => results[who]?.heldKb ?? 0)));
  if (held) list.push(verdict('peak memory of all processes, MB', held / 1024, '<= 40', held <= MEMORY_MOST_KB));
  return list;
}

const COLUMNS = ['', 'ms', 'least', 'cpu', 'others', 'x rne-libs', 'MB', 'largest', 'calls'];

function rows({ results, lineFloor }) {
  const lines = Object.values(results).map((one) => [
    one.title, ms(one.wall), ms(one.least), ms(one.cpu), ms(one.others),
    results.rne ? times(one.wall / results.rne.wall) : '',
    (one.heldKb / 1024).toFixed(1), (one.largestKb / 1024).toFixed(1), `${one.calls?.total ?? ''}`,
  ]);
  if (lineFloor !== null)
    lines.push(['largest file / rate', ms(lineFloor), '', '', '', results.rne ? times(lineFloor / results.rne.wall) : '', '', '', '']);
  return lines;
}

function aligned(lines) {
  const widths = COLUMNS.map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  return lines.map((line) => line.map((cell, column) =>
    (column ? cell.padStart(widths[column]) : cell.padEnd(widths[column]))).join('  ').trimEnd());
}

export function describeMachine({ cpu, cores, memoryGb, kernel, fileSystem, node, curl, bsdtar }) {
  return `${cpu}, ${cores} cores, ${memoryGb} GB, ${kernel}, ${fileSystem}; node ${node}, ${curl}, ${bsdtar}`;
}

// cpu: user and system time; others: what other programs took meanwhile, the
// server among them: much of it, and the times say little. MB: all processes
// at once (Pss); largest: the largest of them (resident). calls: of the system.
export function table(results) {
  const out = [describeMachine(results.machine), `medians of ${results.rounds} runs, interleaved`, ''];
  for (const scenario of results.scenarios) {
    out.push(scenario.title, ...aligned([COLUMNS, ...rows(scenario)]).map((line) => `  ${line}`), '');
  }
  const { gz, zst } = results.bytes;
  out.push(`bytes to download: ${(gz / 1e6).toFixed(2)} MB as .tar.gz, ${(zst / 1e6).toFixed(2)} MB as .tar.zst ` +
    `(${((1 - zst / gz) * 100).toFixed(0)} % less)`, '');
  for (const { text, value, limit, kept } of results.promises)
    out.push(`${kept ? 'kept  ' : 'BROKEN'}  ${text}: ${value} (${limit})`);
  return `${out.join('\n')}\n`;
}
