// Running commands and adding up what they cost.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';

import { filesBelow, sha256 } from './release.mjs';

const has = (command) => spawnSync(command, ['--version'], { stdio: 'ignore' }).status === 0;

// What build/bench/ holds of the tools that the Makefile made. With `urgent`,
// what is measured runs before all else, and the server before that.
export function tools(folder, urgent) {
  const tool = (name) => path.join(folder, name);
  const first = (priority) => (urgent ? ['chrt', '-f', `${priority}`] : []);
  return {
    run: [...first(10), tool('run')], server: [...first(11), tool('server')], floor: tool('floor'),
    strace: has('strace') ? 'strace' : null,
  };
}

// CPU time that all processes took, in milliseconds; not of those that are
// nice and give way, and not of those that idle.
function busyTime() {
  if (!fs.existsSync('/proc/stat')) return 0;
  const [user, , system, , , irq, softirq, steal] =
    fs.readFileSync('/proc/stat', 'utf8').split('\n')[0].trim().split(/\s+/).slice(1).map(Number);
  return (user + system + irq + softirq + steal) * 10;
}

function failure(command, log) {
  return new Error(`${command.argv.join(' ')} failed:\n${fs.readFileSync(log, 'utf8').slice(-2000)}`);
}

// command: { argv, env, cwd, input }. Returns wall, user and system time in
// milliseconds, that of others meanwhile (the server's among it), the largest
// process and, with `memory`, all of them, in kB.
export function measure(tool, command, { memory = false, wrap = [] } = {}) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rne-run-'));
  const [report, log] = [path.join(folder, 'report'), path.join(folder, 'log')];
  const output = fs.openSync(log, 'w');
  const input = command.input ? fs.openSync(command.input, 'r') : 'ignore';
  const before = busyTime();
  try {
    const [first, ...rest] = [...tool.run, ...(memory ? ['-m'] : []), report, ...wrap, ...command.argv];
    spawnSync(first, rest,
      { cwd: command.cwd, env: { ...process.env, ...command.env }, stdio: [input, output, output] });
    if (!fs.existsSync(report)) throw failure(command, log);
    const cost = JSON.parse(fs.readFileSync(report));
    if (cost.status !== 0) throw failure(command, log);
    return {
      wall: cost.wall / 1000, user: cost.user / 1000, system: cost.system / 1000,
      others: Math.max(0, busyTime() - before - (cost.user + cost.system) / 1000),
      largestKb: cost.largestKb, heldKb: cost.heldKb,
    };
  } finally {
    fs.closeSync(output);
    if (command.input) fs.closeSync(input);
    fs.rmSync(folder, { recursive: true });
  }
}

// How many system calls a command and its children make, and the most frequent
// of them; null without strace.
export function systemCalls(tool, command) {
  if (!tool.strace) return null;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rne-strace-'));
  const summary = path.join(folder, 'summary');
  try {
    measure(tool, command, { wrap: [tool.strace, '-f', '-qq', '-c', '-U', 'calls,name', '-o', summary] });
    const counts = fs.readFileSync(summary, 'utf8').split('\n')
      .map((line) => line.trim().split(/\s+/)).filter(([calls, name]) => /^\d+$/.test(calls) && name)
      .map(([calls, name]) => [name, Number(calls)]);
    const total = counts.find(([name]) => name === 'total')?.[1] ?? 0;
    return { total, most: Object.fromEntries(counts.filter(([name]) => name !== 'total').sort((a, b) => b[1] - a[1]).slice(0, 12)) };
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

// A server of bench/server.c that ends with this process at the latest.
export async function startServer(tool, folder, settings = []) {
  const [first, ...rest] = [...tool.server, folder, ...settings];
  const child = spawn(first, rest, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = readline.createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const port = (await lines.next()).value;
  if (!port) throw new Error('the server did not start');
  return { url: `http://127.0.0.1:${port}`, stop: () => child.stdin.end() };
}

// Writes what earlier runs left to the disk, so that no run pays for another.
export function settle(folder) {
  execFileSync('sync', ['-f', folder]);
}

// Throws unless the files below `folder` are the expected ones: path -> sha256.
// `others` are allowed to lie there too.
export function checkTree(folder, expected, others = () => false) {
  const found = filesBelow(folder).filter((file) => !file.startsWith('.rne-libs/'));
  for (const file of found) {
    if (!expected[file] && !others(file)) throw new Error(`${folder}/${file} should not be there`);
    if (expected[file] && sha256(path.join(folder, file)) !== expected[file])
      throw new Error(`${folder}/${file} has wrong bytes`);
  }
  const there = new Set(found);
  const missing = Object.keys(expected).find((file) => !there.has(file));
  if (missing) throw new Error(`${folder}/${missing} is missing`);
}

function fileSystem(folder) {
  const line = execFileSync('df', ['--output=fstype', folder], { encoding: 'utf8' }).trim().split('\n');
  return line[line.length - 1];
}

export function machine(folder) {
  const version = (command, ...args) => spawnSync(command, args, { encoding: 'utf8' }).stdout?.split('\n')[0] || 'none';
  return {
    cpu: os.cpus()[0].model.trim(), cores: os.cpus().length,
    memoryGb: Math.round(os.totalmem() / 2 ** 30), kernel: `${os.type()} ${os.release()}`,
    fileSystem: fileSystem(folder), load: os.loadavg()[0],
    node: process.version, curl: version('curl', '--version').split(' (')[0], bsdtar: version('bsdtar', '--version'),
  };
}
