// The way to the program where npm/rne-libs is not the program itself.
import { spawn } from 'node:child_process';
import os from 'node:os';
import { findProgram } from './platform.mjs';

const program = findProgram();
if (!program) {
  console.error('rne-libs: the program is not there: the install script of the package rne-libs did not run.');
  console.error('rne-libs: allow its scripts in your package manager, then run: npm rebuild rne-libs');
  process.exit(1);
}

const child = spawn(program, process.argv.slice(2), { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));

child.on('error', (error) => {
  console.error(`rne-libs: ${program} cannot be started: ${error.message}`);
  process.exit(1);
});
child.on('exit', (code, signal) => process.exit(code ?? 128 + os.constants.signals[signal]));
