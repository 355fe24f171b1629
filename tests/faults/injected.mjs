// Runs of the program under tests/faults/inject.c, which counts its calls and
// lets one of them fail. One Injector serves one run at a time.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { binary, repository } from '../system/lib/project.mjs';

export const modes = { count: 0, fail: 1, failOn: 2, half: 3, killAll: 4, killOne: 5, signal: 6, failNamed: 7 };
export const errnos = { ...os.constants.errno, ENOLCK: 37, EDQUOT: 122 };

// struct shared of inject.c
const CALL_SIZE = 2048;
const at = { mode: 0, code: 4, process: 8, record: 12, target: 16, noSync: 32, fired: 36, textUsed: 56, wanted: 64, text: 64 + CALL_SIZE };
const TEXT_SIZE = 64 << 20;

// Where syncing costs nothing and nobody else is disturbed.
export const scratch = (() => {
  try {
    fs.accessSync('/dev/shm', fs.constants.W_OK);
    return '/dev/shm';
  } catch {
    return os.tmpdir();
  }
})();

let built;
// The library, built at need; null where it cannot be.
export function library() {
  if (built !== undefined) return built;
  built = null;
  if (process.platform !== 'linux') return built;
  const file = path.join(repository, 'build/faults/inject.so');
  try {
    execFileSync('make', ['-s', 'build/faults/inject.so'], { cwd: repository, stdio: 'pipe' });
    built = file;
  } catch (error) {
    console.error(`tests/faults/inject.c cannot be built: ${error.stderr}`);
  }
  return built;
}

// What a test of the program gets from our own environment: a place to run in.
export const bare = Object.fromEntries(Object.entries(process.env).filter(([key]) => /^(PATH|LANG|LC_.*|TMPDIR|LD_LIBRARY_PATH|ASAN_OPTIONS|UBSAN_OPTIONS)$/.test(key)));

export class Injector {
  constructor(folder) {
    this.file = path.join(folder, `faults-${process.pid}-${Injector.serial++}`);
    this.fd = fs.openSync(this.file, 'wx+');
    fs.ftruncateSync(this.fd, at.text + TEXT_SIZE);
    this.head = Buffer.alloc(at.text);
    this.env = {
      LD_PRELOAD: library(),
      RNE_FAULTS: this.file,
      ASAN_OPTIONS: [process.env.ASAN_OPTIONS, 'verify_asan_link_order=0'].filter(Boolean).join(':'),
    };
  }

  static serial = 0;

  // `call`: one of calls(); `named`: the name of calls, for failNamed.
  order({ mode = 'count', code = 0, call, named = '', record = 0, noSync = true } = {}) {
    const { head } = this;
    head.fill(0);
    head.writeInt32LE(modes[mode], at.mode);
    head.writeInt32LE(code, at.code);
    head.writeUInt32LE(call?.process ?? 0, at.process);
    head.writeUInt32LE(record, at.record);
    head.writeBigUInt64LE(BigInt(call?.number ?? 0), at.target);
    head.writeUInt32LE(noSync ? 1 : 0, at.noSync);
    head.write(call ? `${call.name} ${call.path}` : named, at.wanted);
    fs.writeSync(this.fd, head, 0, at.text, 0);
  }

  fired() {
    fs.readSync(this.fd, this.head, 0, at.text, 0);
    return this.head.readUInt32LE(at.fired) !== 0;
  }

  text() {
    fs.readSync(this.fd, this.head, 0, at.text, 0);
    const length = Number(this.head.readBigUInt64LE(at.textUsed));
    if (length > TEXT_SIZE) throw new Error('the record of the run is too long');
    const bytes = Buffer.alloc(length);
    fs.readSync(this.fd, bytes, 0, length, at.text);
    return bytes.toString('latin1');
  }

  // Every call of a run: { process, name, path, number, changes }. Process 0 is
  // the program, the others its workers; number: of those that are the same.
  calls() {
    const counts = new Map();
    return this.text().split('\n').slice(0, -1).map((line) => {
      const [process, changes, call] = line.split('\t');
      const key = `${process} ${call}`;
      const number = (counts.get(key) ?? 0) + 1;
      counts.set(key, number);
      const [name] = call.split(' ', 1);
      return { process: Number(process), name, path: call.slice(name.length + 1), number, changes: changes === '1', key };
    });
  }

  remove() {
    fs.closeSync(this.fd);
    fs.rmSync(this.file, { force: true });
  }
}

// In a process group of its own, so that all of it can be killed. Ends when
// every process of it has ended: they all hold the pipes.
// stopWhen: asked now and then; soon after it is true the run gets SIGTERM.
export function launch(args, { cwd, env, timeout = 30000, command = binary, stopWhen }) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env: { ...bare, ...env }, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    const result = { code: null, signal: null, stdout: '', stderr: '', hung: false };
    child.stdout.on('data', (data) => (result.stdout += data));
    child.stderr.on('data', (data) => (result.stderr += data));
    const timer = setTimeout(() => {
      result.hung = true;
      process.kill(-child.pid, 'SIGKILL');
    }, timeout);
    const stop = stopWhen && setInterval(() => { if (stopWhen()) { clearInterval(stop); setTimeout(() => child.kill('SIGTERM'), 200); } }, 20);
    child.on('error', (error) => (result.stderr += error));
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      clearInterval(stop);
      resolve({ ...result, code, signal });
    });
  });
}
