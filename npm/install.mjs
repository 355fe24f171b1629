// npm's install script: builds the program where no ready one is for this
// platform, and puts it in the place of the shim, so that `rne-libs` starts
// without starting Node first.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { built, findProgram, prebuilt, root } from './platform.mjs';

const shim = path.join(root, 'npm', 'rne-libs');

function fail(cause) {
  console.error(`rne-libs: ${cause}`);
  console.error(`rne-libs: this package has no ready program for ${process.platform}-${process.arch}, so it is built from source.`);
  console.error('rne-libs: install a C compiler, make, pkg-config and the libraries that its README.md names under "Building"; then: npm rebuild rne-libs');
  process.exit(1);
}

// Says whether the program starts: one that was built for another libc does not.
function starts(program) {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;
}

function build() {
  const result = spawnSync('make', ['-s', `-j${os.cpus().length}`, 'CFLAGS=-O2', 'all'], { cwd: root, stdio: 'inherit' });
  if (result.error) fail(`make cannot be started: ${result.error.message}`);
  if (result.status !== 0) fail(`make failed (${result.signal ?? `exit ${result.status}`})`);
  if (!starts(built)) fail(`make was done, but ${built} does not start`);
  for (const folder of ['obj', 'gen']) fs.rmSync(path.join(root, 'build', folder), { recursive: true, force: true });
}

// npm and bun link .bin/rne-libs to this file. Others write a script around it
// that starts the interpreter they found in it, and on Windows a program needs
// its .exe: there the shim stays, and so it does in a checkout. It is a new
// file under the old name: the old one may be one with a store's.
function replaceShim(program) {
  const manager = process.env.npm_config_user_agent ?? '';
  const installed = root.split(path.sep).includes('node_modules');
  if (process.platform === 'win32' || !installed || !/^(npm|bun)\//.test(manager)) return;
  const next = `${shim}.${process.pid}`;
  fs.copyFileSync(program, next);
  fs.chmodSync(next, 0o755);
  fs.renameSync(next, shim);
}

if (findProgram() === prebuilt && !starts(prebuilt)) fs.rmSync(prebuilt);
if (!findProgram()) build();
replaceShim(findProgram());
