// The processes that read archives: locked in, and expendable.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { test } from 'node:test';
import { binary, makeProject } from './lib/project.mjs';

const skip = process.platform !== 'linux' && 'reads /proc';
const childrenOf = (pid) => fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(/\s+/).filter(Boolean).map(Number);
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// A run that stands still at its first archive until `meanwhile` is done.
async function interruptedRun(project, meanwhile) {
  let child;
  let asked;
  const first = new Promise((resolve) => (asked = resolve));
  const gate = first.then(async () => { while (!child.pid) await sleep(5); await meanwhile(child); });
  const server = http.createServer(async (request, response) => {
    asked();
    await gate;
    const file = path.join(project.release, request.url);
    if (!fs.existsSync(file)) return response.writeHead(404).end();
    response.end(fs.readFileSync(file));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${server.address().port}`;
  child = spawn(binary, ['install', '--jobs', '2', '--base-url', base, '--no-sync'], {
    cwd: project.pkg,
    env: { PATH: process.env.PATH, INIT_CWD: project.app, HOME: project.home, RNET_LIBS_CACHE_DIR: project.cache },
  });
  let stderr = '';
  child.stderr.on('data', (data) => (stderr += data));
  const [code, signal] = await new Promise((resolve) => child.on('close', (...how) => resolve(how)));
  server.closeAllConnections();
  server.close();
  return { code, signal, stderr };
}

async function withProject(body) {
  const project = makeProject({ block: { extras: ['opencv'] } });
  try {
    await body(project);
  } finally {
    project.remove();
  }
}

const kill = (count) => async (child) => {
  for (let waited = 0; childrenOf(child.pid).length < 2 && waited < 2000; waited += 10) await sleep(10);
  const readers = childrenOf(child.pid);
  assert.equal(readers.length, 2);
  for (const reader of readers.slice(0, count)) process.kill(reader, 'SIGSEGV');
  await sleep(50);
};

test('readers that all crash are an archive error, and the next run succeeds', { skip }, () => withProject(async (project) => {
  const result = await interruptedRun(project, kill(2));
  assert.equal(result.code, 6, result.stderr);
  assert.match(result.stderr, /reader.*(SIGSEGV|exit code)/);
  assert.deepEqual(project.tree(), {});
  assert.equal(fs.existsSync(project.configFile), false);
  assert.equal((await project.run()).code, 0);
}));

test('one reader that crashes before it has work costs nothing', { skip }, () => withProject(async (project) => {
  const result = await interruptedRun(project, kill(1));
  assert.equal(result.code, 0, result.stderr);
}));

test('a program that is killed takes its readers along', { skip }, () => withProject(async (project) => {
  let readers = [];
  const result = await interruptedRun(project, async (child) => {
    readers = childrenOf(child.pid);
    child.kill('SIGKILL');
  });
  assert.equal(result.signal, 'SIGKILL');
  assert.equal(readers.length, 2);
  // Gone, or dead and not yet waited for by whoever adopted them.
  const isAlive = (pid) => fs.existsSync(`/proc/${pid}/stat`) && !/\) [ZX] /.test(fs.readFileSync(`/proc/${pid}/stat`, 'latin1'));
  for (let waited = 0; readers.some(isAlive) && waited < 5000; waited += 20) await sleep(20);
  assert.deepEqual(readers.filter(isAlive), []);
}));

test('the sandbox of the readers is named under --verbose', () => withProject(async (project) => {
  const result = await project.run(['install', '-v']);
  assert.equal(result.code, 0, result.stderr);
  assert.match(result.stderr, /archives are read under: .*(landlock|no sandbox|resource limits)/);
}));
