// A manifest from a URL is used only when its publisher signed it. The
// signatures are the real minisign's.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { test } from 'node:test';
import { expectedTree, makeProject, manifestOf, product, sampleRelease, write } from './lib/project.mjs';

const skip = spawnSync('minisign', ['-v']).error ? 'minisign is not installed' : false;
const wanted = expectedTree(sampleRelease(), ['core-android-arm64-v8a', 'core-android-x86_64']);

function makeKey(folder, name) {
  fs.mkdirSync(folder, { recursive: true });
  const [publicKey, secret] = [`${name}.pub`, `${name}.key`].map((file) => path.join(folder, file));
  execFileSync('minisign', ['-G', '-W', '-p', publicKey, '-s', secret], { stdio: 'ignore' });
  return { secret, text: fs.readFileSync(publicKey, 'utf8').trim().split('\n')[1] };
}

const sign = (file, key) => execFileSync('minisign', ['-S', '-s', key.secret, '-m', file, '-t', 'a release'], { stdio: 'ignore' });

async function setUp(body) {
  const project = makeProject({ block: { extras: [] } });
  const site = path.join(project.root, 'site');
  const key = makeKey(path.join(project.root, 'keys'), 'publisher');
  fs.rmSync(path.join(project.pkg, 'rne-manifest.json'));
  const manifest = path.join(site, 'manifest.json');
  write(manifest, manifestOf(project.release, { pinned: true }));
  sign(manifest, key);
  const server = http.createServer((request, response) => {
    const file = path.join(site, request.url);
    if (!fs.existsSync(file)) return response.writeHead(404).end();
    response.end(fs.readFileSync(file));
  });
  server.unref();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${server.address().port}/manifest.json`;
  const install = (args = [], env = {}) => project.run(['--manifest', url, ...args], { env });
  try {
    await body({ project, key, manifest, site, install, url });
  } finally {
    server.close();
    project.remove();
  }
}

const signed = (name, body) => test(name, { skip }, () => setUp(body));

signed('a signed manifest is used, by the key of the option, the environment or the package', async ({ project, key, install }) => {
  for (const [args, env, inPackage] of [[['--public-key', key.text], {}], [[], { RNET_PUBLIC_KEY: key.text }], [[], {}, true]]) {
    if (inPackage) write(path.join(project.pkg, 'package.json'), { name: product, version: '0.9.0', rneLibs: { publicKey: key.text } });
    fs.rmSync(project.thirdParty, { recursive: true, force: true });
    const result = await install(args, env);
    assert.equal(result.code, 0, result.stderr);
    assert.deepEqual(project.tree(), wanted);
  }
});

signed('without a key nothing is even asked for', async ({ install }) => {
  const result = await install();
  assert.equal(result.code, 3, result.stderr);
  assert.match(result.stderr, /--public-key/);
});

signed('a changed manifest, a missing signature and another key are refused', async ({ project, key, manifest, site, install }) => {
  const other = makeKey(path.join(project.root, 'keys'), 'other');
  const content = fs.readFileSync(manifest, 'utf8');
  const cases = [
    () => write(manifest, content.replace('"enableOpencv"', '"enableOpencw"')),
    () => sign(manifest, other),
    () => write(`${manifest}.minisig`, '<html>'),
  ];
  for (const change of cases) {
    write(manifest, content);
    sign(manifest, key);
    change();
    const result = await install(['--public-key', key.text]);
    assert.equal(result.code, 5, result.stderr);
    assert.deepEqual(project.tree(), {});
  }
  fs.rmSync(path.join(site, 'manifest.json.minisig'));
  assert.equal((await install(['--public-key', key.text])).code, 4);
  assert.equal((await install(['--public-key', 'RWnonsense'])).code, 2);
});

signed('an old manifest, though signed, does not pass for the version that is asked for', async ({ project, key, install }) => {
  write(path.join(project.pkg, 'package.json'), { name: product, version: '0.9.1' });
  const result = await install(['--public-key', key.text]);
  assert.equal(result.code, 3, result.stderr);
  assert.match(result.stderr, /0\.9\.0[\s\S]*0\.9\.1/);
});
