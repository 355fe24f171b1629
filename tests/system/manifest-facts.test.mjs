// The bundled 0.10.0 manifest says what the published package's own script
// says: backends, libraries, and what each feature stands for.

import test from 'node:test';
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { registryPackage } from '../fixtures/registry.mjs';
import { product, repository } from './lib/project.mjs';

function script() {
  try {
    const file = path.join(registryPackage(product, '0.10.2'), 'scripts/download-libs.js');
    return { facts: createRequire(file)(file) };
  } catch (error) {
    return { reason: error.message };
  }
}

const { facts, reason } = script();

test('the 0.10.0 manifest and the published script are of one opinion', { skip: reason }, () => {
  const file = path.join(repository, `manifests/${product}-0.10.0.json`);
  const manifest = JSON.parse(fs.readFileSync(file));
  const named = (list) =>
    Object.keys(manifest.extras).filter((name) => manifest.extras[name].list === list).sort();
  assert.deepEqual(named('backends'), [...facts.ALL_BACKENDS].sort());
  assert.deepEqual(named('libs'), [...facts.ALL_LIBS].sort());
  assert.deepEqual(Object.keys(manifest.features), Object.keys(facts.FEATURE_MAP));
  for (const [feature, { backends, libs }] of Object.entries(facts.FEATURE_MAP))
    assert.deepEqual([...manifest.features[feature]].sort(), [...backends, ...libs].sort(), feature);
});
