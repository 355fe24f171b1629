// `./bootstrap.sh demo` without the installing and building before it.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { binary, repository, run } from './lib/project.mjs';

test('the demo runs, and a backend that is switched off does not register', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rne-demo-'));
  try {
    const result = await run('sh', [path.join(repository, 'tests/fixtures/sample/demo.sh'), folder], { env: { HOME: folder, RNE_LIBS: binary } });
    assert.equal(result.code, 0, result.stdout + result.stderr);
    const [on, off, again] = [...result.stdout.matchAll(/^ {2}(.*XnnpackBackend is .*registered.*)$/gm)].map((match) => match[1]);
    assert.deepEqual([on, off, again], ['XnnpackBackend is registered; run(21) gives 42', 'Backend XnnpackBackend is not registered.', 'XnnpackBackend is registered; run(21) gives 42']);
    assert.match(result.stdout, /^up to date: /m);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
});
