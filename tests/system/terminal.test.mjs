// What a person sees on a terminal, by script(1) of util-linux and a screen of
// our own that knows what the program sends.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { binary, makeProject, ok, run, sampleRelease, serve } from './lib/project.mjs';

const skip = /util-linux/.test(spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout) ? false : 'there is no script(1) of util-linux';

// Lines of the screen after every piece of output; all that is used is up
// (ESC [A) and erase the line (ESC [2K).
function play(output) {
  const screen = [''];
  const frames = [];
  let row = 0;
  for (const [piece] of output.matchAll(/\x1b\[A|\x1b\[2K|\r?\n|[^\x1b\r\n]+/g)) {
    if (piece === '\x1b[A') row--;
    else if (piece === '\x1b[2K') screen[row] = '';
    else if (piece.endsWith('\n')) { if (++row === screen.length) screen.push(''); frames.push(screen.filter(Boolean)); }
    else screen[row] += piece;
    assert.ok(row >= 0, 'the cursor never goes above the program’s first line');
  }
  return { last: screen.filter(Boolean), frames };
}

// Half of each archive at once, the rest a second later.
function slowly(project) {
  return (request, response) => {
    const body = fs.readFileSync(path.join(project.release, request.url));
    response.writeHead(200, { 'Content-Length': body.length });
    response.write(body.subarray(0, body.length >> 1));
    setTimeout(() => response.end(body.subarray(body.length >> 1)), request.url.includes('x86_64') ? 700 : 1100);
    return true;
  };
}

async function onTerminal(project, ...args) {
  const server = await serve(project.release, slowly(project));
  const command = [binary, ...args].join(' ');
  const env = { TERM: 'xterm', HOME: project.home, INIT_CWD: project.app, RNET_LIBS_CACHE_DIR: project.cache, RNET_BASE_URL: server.url };
  const result = await run('script', ['-qfec', command, '/dev/null'], { cwd: project.pkg, env });
  server.close();
  ok(result);
  return result.stdout;
}

test('on a terminal each download has a live line that fits 80 columns, and none is left behind', { skip }, async () => {
  const project = makeProject({ block: { extras: ['opencv'] }, release: sampleRelease({ size: 200000 }) });
  try {
    const { last, frames } = play(await onTerminal(project));
    const live = frames.find((lines) => lines.filter((line) => line.includes('%')).length === 5);
    assert.ok(live, 'four downloads and a total');
    assert.match(live.at(-1), /^total +\[#+\.+\] +\d+% \d+\/\d+ KB {2}[\d.]+ [KM]B\/s {2}\d+s left$/);
    for (const line of frames.flat().filter((text) => text.includes('%'))) assert.ok(line.length < 80, line);
    assert.deepEqual(last.filter((line) => line.includes('%')), []);
    assert.equal(last.filter((line) => line.startsWith('downloaded ')).length, 4);
    assert.match(last.at(-1), /^installed /);
  } finally {
    project.remove();
  }
});

test('--no-progress and --quiet show no live line on a terminal', { skip }, async () => {
  for (const option of ['--no-progress', '--quiet']) {
    const project = makeProject({ block: { extras: [] } });
    try {
      assert.doesNotMatch(await onTerminal(project, option), /\x1b|%/);
    } finally {
      project.remove();
    }
  }
});
