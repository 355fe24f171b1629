// The program as package managers bring it: a package whose postinstall is the
// single word `rne-libs`, installed into an app from packed tarballs, without a
// network, filled from a file:// release.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { registryProgram } from '../fixtures/registry.mjs';
import { binary, expectedTree, makeProject, product, repository, run, sampleRelease, write } from './lib/project.mjs';

const extras = ['opencv', 'xnnpack'];
const artifacts = ['core', ...extras].flatMap((name) => [`${name}-android-arm64-v8a`, `${name}-android-x86_64`]);
const skip = process.env.RNE_SANITIZED ? 'what is built at install time is not sanitized' : spawnSync('npm', ['--version'], { stdio: 'ignore' }).status === 0 ? false : 'npm is not here';

function pack(folder, destination) {
  const output = execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', destination], { cwd: folder, encoding: 'utf8' });
  return path.join(destination, output.trim());
}

// Runs in the app with a HOME of its own, so that no store or setting of the
// user's is met. Yarn 1 keeps root's elsewhere.
function inApp(project, command, args) {
  const env = { HOME: project.home, YARN_CACHE_FOLDER: path.join(project.home, 'yarn'), RNET_LIBS_CACHE_DIR: project.cache };
  return run(command, args, { cwd: project.app, env, timeout: 300000 });
}

// An app that depends on the product's package, whose only code is its hook.
// `tarballs` has the program's; every manager has its own words for what a
// dependency's dependency is to be, and for whose scripts may run.
function makeApp(tarballs, program, change = () => {}) {
  const project = makeProject({ block: { extras } });
  const manifest = JSON.parse(fs.readFileSync(path.join(project.pkg, 'rne-manifest.json'), 'utf8'));
  const source = path.join(project.root, 'package');
  write(path.join(source, 'rne-manifest.json'), { ...manifest, baseUrls: [`file://${project.release}`] });
  write(path.join(source, 'package.json'), {
    name: product,
    version: '0.9.0',
    dependencies: { 'rne-libs': '0.1.0' },
    scripts: { postinstall: 'rne-libs' },
  });
  const file = `file:${pack(source, project.root)}`;
  const libs = `file:${tarballs[program]}`;
  fs.rmSync(project.pkg, { recursive: true });
  const app = {
    name: 'app',
    version: '1.0.0',
    private: true,
    dependencies: { [product]: file, 'rne-libs': libs },
    [product]: { extras },
    resolutions: { 'rne-libs': libs },
    pnpm: { overrides: { 'rne-libs': libs } },
    trustedDependencies: ['rne-libs', product],
    // npm 12 runs no script of a dependency that is not named here; one that
    // came as a file is named by it.
    allowScripts: { [libs]: true, [file]: true, 'rne-libs': true, [product]: true },
  };
  change(app);
  write(path.join(project.app, 'package.json'), app);
  return project;
}

// No registry answers there: npm needs none, and the hook is not `--offline`.
const quietly = ['--registry=http://127.0.0.1:9', '--fetch-retries=0', '--no-audit', '--no-fund', '--no-update-notifier'];

const isScript = (file) => fs.readFileSync(file).subarray(0, 2).toString() === '#!';

function assertInstalled(project, result) {
  assert.equal(result.code, 0, result.stdout + result.stderr);
  assert.deepEqual(project.tree(), expectedTree(sampleRelease(), artifacts));
  assert.equal(project.config().enableXnnpack, true);
  assert.equal(project.config().enableVulkan, false);
}

describe('the npm package', { skip }, () => {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'rne-npm-')));
  const tarballs = {};

  before(() => {
    tarballs.source = pack(repository, folder);
    const unpacked = path.join(folder, 'ready');
    fs.mkdirSync(unpacked);
    execFileSync('tar', ['-xzf', tarballs.source, '-C', unpacked, '--strip-components=1']);
    const place = path.join(unpacked, 'prebuilt', `${process.platform}-${process.arch}`);
    fs.mkdirSync(place, { recursive: true });
    fs.copyFileSync(binary, path.join(place, 'rne-libs'));
    fs.mkdirSync(path.join(folder, 'with-program'));
    tarballs.ready = pack(unpacked, path.join(folder, 'with-program'));
  });
  after(() => fs.rmSync(folder, { recursive: true, force: true }));

  test('npm builds it where there is no ready program, and the hook fills the package', async () => {
    const project = makeApp(tarballs, 'source');
    const libs = path.join(project.app, 'node_modules/rne-libs');
    try {
      assertInstalled(project, await inApp(project, 'npm', ['install', ...quietly, '--foreground-scripts']));
      assert.ok(fs.existsSync(path.join(libs, 'build/rne-libs')));
      assert.equal(fs.existsSync(path.join(libs, 'build/obj')), false);
      const link = path.join(project.app, 'node_modules/.bin/rne-libs');
      assert.equal(isScript(link), false, 'the program itself is behind .bin/rne-libs');

      const before = fs.statSync(project.configFile, { bigint: true });
      const again = await inApp(project, 'npm', ['rebuild', ...quietly, '--foreground-scripts', product]);
      assertInstalled(project, again);
      assert.match(again.stdout + again.stderr, /up to date/);
      assert.equal(fs.statSync(project.configFile, { bigint: true }).mtimeNs, before.mtimeNs);
      const hook = await run(link, [], { cwd: project.pkg, env: { INIT_CWD: project.app, HOME: project.home, RNET_LIBS_CACHE_DIR: project.cache } });
      assert.equal(hook.code, 0, hook.stderr);
      assert.ok(hook.ms < 250, `a hook with nothing to do took ${hook.ms} ms`);
    } finally {
      project.remove();
    }
  });

  test('npm says why when it cannot be built', async () => {
    const project = makeApp(tarballs, 'source');
    const tools = path.join(project.root, 'tools');
    write(path.join(tools, 'make'), '#!/bin/sh\necho "cc: not found" >&2\nexit 2\n');
    fs.chmodSync(path.join(tools, 'make'), 0o755);
    try {
      const env = { HOME: project.home, PATH: `${tools}:${process.env.PATH}` };
      const result = await run('npm', ['install', ...quietly], { cwd: project.app, env, timeout: 120000 });
      assert.notEqual(result.code, 0);
      assert.match(result.stdout + result.stderr, /cc: not found/);
      assert.match(result.stdout + result.stderr, /install a C compiler, make, pkg-config/);
    } finally {
      project.remove();
    }
  });

  test('a ready program that does not start here gives way to one that is built', async () => {
    const place = path.join(folder, 'ready/prebuilt', `${process.platform}-${process.arch}`, 'rne-libs');
    const home = path.join(folder, 'home');
    const ready = fs.readFileSync(place);
    fs.writeFileSync(place, 'not a program');
    try {
      const install = path.join(folder, 'ready/npm/install.mjs');
      const tools = path.join(folder, 'tools');
      write(path.join(tools, 'make'), `#!/bin/sh\nmkdir -p build && cp ${binary} build/rne-libs\n`);
      fs.chmodSync(path.join(tools, 'make'), 0o755);
      const result = await run(process.execPath, [install], { cwd: folder, env: { HOME: home, PATH: `${tools}:${process.env.PATH}` } });
      assert.equal(result.code, 0, result.stderr);
      assert.equal(fs.existsSync(place), false);
    } finally {
      fs.writeFileSync(place, ready, { mode: 0o755 });
      fs.rmSync(path.join(folder, 'ready/build'), { recursive: true, force: true });
    }
  });

  test('the shim passes on arguments, exit code and signals', async () => {
    const shim = path.join(folder, 'ready/npm/rne-libs');
    const version = await run(shim, ['--version']);
    assert.match(version.stdout, /^rne-libs 0\.1\.0\n/);
    const usage = await run(shim, ['--no-such-option']);
    assert.equal(usage.code, 2, usage.stderr);
    fs.renameSync(path.join(folder, 'ready/prebuilt'), path.join(folder, 'ready/away'));
    const none = await run(shim, ['--version']);
    fs.renameSync(path.join(folder, 'ready/away'), path.join(folder, 'ready/prebuilt'));
    assert.equal(none.code, 1);
    assert.match(none.stderr, /npm rebuild rne-libs/);
  });

  const managers = [
    { name: 'npm 12', from: ['npm', '12', 'npm'], install: ['install', ...quietly], program: true },
    { name: 'pnpm', from: ['pnpm', '10', 'pnpm'], install: ['install', '--no-frozen-lockfile'], settings: { 'pnpm-workspace.yaml': 'dangerouslyAllowAllBuilds: true\n' } },
    // It would unpack a dependency and a resolution to one place at one time.
    { name: 'yarn 1', from: ['yarn', '1.22.22', 'yarn'], install: ['install', '--non-interactive'], change: (app) => delete app.dependencies['rne-libs'] },
    { name: 'yarn 4', from: ['@yarnpkg/cli-dist', '4', 'yarn'], install: ['install', '--no-immutable'], settings: { '.yarnrc.yml': 'enableScripts: true\nnodeLinker: node-modules\n', 'yarn.lock': '' } },
    { name: 'bun', from: ['bun', '1', 'bun'], install: ['install'], program: true, change: (app) => (app.overrides = { 'rne-libs': app.dependencies['rne-libs'] }) },
  ];
  for (const { name, from, install, program, settings = {}, change } of managers) {
    test(`${name} runs the hook with a ready program`, async (t) => {
      let manager;
      try {
        manager = registryProgram(...from);
      } catch (error) {
        return t.skip(error.message);
      }
      const project = makeApp(tarballs, 'ready', change);
      for (const [file, text] of Object.entries(settings)) write(path.join(project.app, file), text);
      try {
        assertInstalled(project, await inApp(project, manager, install));
        const bin = path.join(project.app, 'node_modules/.bin/rne-libs');
        if (program) assert.equal(isScript(bin), false);
        assert.match((await run(bin, ['--version'], { cwd: project.app })).stdout, /^rne-libs 0\.1\.0\n/);
      } finally {
        project.remove();
      }
    });
  }
});
