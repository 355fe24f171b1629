// A sample of `make check-faults`, so that it cannot rot.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { repository } from './lib/project.mjs';

const isGlibc = () => Boolean(process.report.getReport().header.glibcVersionRuntime);
const skip = process.platform !== 'linux' ? 'LD_PRELOAD is of Linux' : !isGlibc() && 'the C library is not glibc';

function play(...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(repository, 'tests/faults/run.mjs'), ...args], { encoding: 'utf8', timeout: 120000 });
  const [, injected, cuts, torn] = stdout.trim().split('\n').at(-1).match(/^(\d+) injected, (\d+) power cuts, (\d+) torn/) ?? assert.fail(stdout + stderr);
  return { status, stdout, injected: Number(injected), cuts: Number(cuts), torn: Number(torn) };
}

test('calls fail, processes die and the power is cut: nothing is torn', { skip }, () => {
  const { status, stdout, injected, cuts, torn } = play('--sample', '200');
  assert.equal(torn, 0, stdout);
  assert.equal(status, 0, stdout);
  assert.ok(injected > 100 && cuts > 10, stdout);
});

test('a program that does not sync is found out', { skip }, () => {
  const { status, stdout, torn } = play('--sample', '150', '--scenario', 'upgrade', '--no-sync');
  assert.ok(torn > 0, stdout);
  assert.notEqual(status, 0);
});
