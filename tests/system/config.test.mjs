// How the program learns what is wanted: the app's package.json and where it
// is looked for, options, environment, manifests. A mistake is never read as
// "everything on" or "everything off".
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { allExtras, binary, manifestOf, product, repository, run, write } from './lib/project.mjs';

const dropped = { RNET_SKIP_DOWNLOAD: '1' };

// A folder of its own; `at` paths, `json` writes, `go` runs the program there.
function makePlace() {
  const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'rne-config-')));
  const at = (...names) => path.join(root, ...names);
  return {
    root,
    at,
    write: (name, content) => write(at(name), content),
    installPackage: (name, extra = {}) => write(at(name, 'package.json'), { name: product, version: '0.9.0', ...extra }),
    go: (cwd, args, env = {}) => run(binary, args, { cwd: at(cwd), env: { HOME: at('home'), ...env } }),
    // Node's own removal goes by whole paths, which may be too long here.
    remove: () => execFileSync('rm', ['-rf', root]),
  };
}

function withPlace(name, body) {
  test(name, async (context) => {
    const place = makePlace();
    try {
      await body(place, context);
    } finally {
      place.remove();
    }
  });
}

const installed = `app/node_modules/${product}`;

// The hook as npm starts it, for an app whose package.json is `text`.
async function hook(place, { text, libs, env = {}, args = [] } = {}) {
  place.installPackage(installed, libs ? { version: '9.9.9', nativeLibsVersion: libs } : {});
  if (text !== undefined) place.write('app/package.json', text);
  return place.go(installed, args, { INIT_CWD: place.at('app'), ...dropped, ...env });
}

const configOf = (place, folder = installed) => JSON.parse(fs.readFileSync(place.at(folder, 'rne-build-config.json'), 'utf8'));
const enabled = (config) => Object.keys(config).filter((key) => key.startsWith('enable') && config[key]).map((key) => key.slice(6).toLowerCase()).sort();
const withBlock = (block) => JSON.stringify({ name: 'app', [product]: block }, null, 2);
const here = `$["${product}"]`;

function refused(result, code, ...parts) {
  assert.equal(result.code, code, `${result.stdout}${result.stderr}`);
  for (const part of parts) {
    if (part instanceof RegExp) assert.match(result.stderr, part);
    else assert.ok(result.stderr.includes(part), `"${part}" is not in: ${result.stderr}`);
  }
  // eslint-disable-next-line no-control-regex
  assert.doesNotMatch(result.stderr, /[\x00-\x08\x0b-\x1f\x7f]/);
}

// ---- The block ------------------------------------------------------------

const known09 = 'known are: opencv, phonemizer, xnnpack, coreml, vulkan';
const wrongBlocks = [
  ['null', null, [`${here}: expected an object, found null`]],
  ['a string', 'opencv', [`${here}: expected an object, found the string "opencv"`]],
  ['a list', ['opencv'], [`${here}: expected an object, found an array`]],
  ['extras a string', { extras: 'opencv' }, [`${here}.extras: expected an array, found the string "opencv"`]],
  ['extras null', { extras: null }, [`${here}.extras: expected an array, found null`]],
  ['extras an object', { extras: { opencv: true } }, [`${here}.extras: expected an array, found an object`]],
  ['a number among the extras', { extras: [1] }, [`${here}.extras[0]: expected a string, found the number 1`]],
  ['null among the extras', { extras: ['opencv', null] }, [`${here}.extras[1]: expected a string, found null`]],
  ['a misspelt key', { extra: ['opencv'] }, [here, '"extra"', 'did you mean "extras"']],
  ['a misspelt extra', { extras: ['xnnpack', 'opencvv'] }, [`${here}.extras[1]`, '"opencvv"', 'did you mean "opencv"?', known09]],
  ['an extra in capitals', { extras: ['OpenCV'] }, [`${here}.extras[0]`, 'did you mean "opencv"?', known09]],
  ['an extra from nowhere', { extras: ['tensorflow'] }, [`${here}.extras[0]`, '"tensorflow"', known09]],
  ['the later lists', { backends: ['xnnpack'] }, [`${here}.backends`, '0.9.0 has the list "extras" alone', '0.10.0']],
  ['both vocabularies', { extras: ['xnnpack'], libs: ['opencv'] }, [`${here}.libs`, '0.10.0']],
];
const wrongLists = [
  ['a misspelt list', { backend: ['xnnpack'] }, [here, '"backend"', 'did you mean "backends"', 'features', 'opencvPod']],
  ['a library among the backends', { backends: ['opencv'] }, [`${here}.backends[0]`, 'belongs in "libs"']],
  ['a misspelt feature', { features: ['speechtotext'] }, [`${here}.features[0]`, 'did you mean "speechToText"?']],
  ['a string for a list', { libs: 'opencv' }, [`${here}.libs: expected an array, found the string "opencv"`]],
  ['extras beside the lists', { extras: [], features: [] }, [here, '"extras" and "features" are two ways']],
  ['a pod that is no string', { libs: ['opencv'], opencvPod: true }, [`${here}.opencvPod: expected a string, found true`]],
  ['an empty pod', { libs: ['opencv'], opencvPod: '' }, [`${here}.opencvPod`, 'CocoaPod']],
  ['a pod that would be Ruby', { libs: ['opencv'], opencvPod: "x'; system('id') #" }, [`${here}.opencvPod`, 'CocoaPod']],
];

for (const [libs, cases] of [[undefined, wrongBlocks], ['0.10.0', wrongLists]]) {
  for (const [name, block, parts] of cases) {
    withPlace(`a block that is wrong is refused: ${name}`, async (place) => {
      const before = '{"kept": true}\n';
      place.write(`${installed}/rne-build-config.json`, before);
      refused(await hook(place, { text: withBlock(block), libs }), 3, place.at('app/package.json'), ...parts);
      assert.equal(fs.readFileSync(place.at(installed, 'rne-build-config.json'), 'utf8'), before);
      assert.equal(fs.existsSync(place.at(installed, 'third-party')), false);
      // The same for the other way to look: nothing is guessed there either.
      refused(await hook(place, { libs, args: ['plan', '--json'] }), 3, ...parts);
    });
  }
}

const rightBlocks = [
  ['0.9.0', {}, ['coreml', 'opencv', 'phonemizer', 'vulkan', 'xnnpack']],
  ['0.9.0', { extras: [] }, []],
  ['0.9.0', { extras: ['vulkan', 'opencv', 'vulkan'] }, ['opencv', 'vulkan']],
  ['0.10.0', {}, ['coreml', 'mlx', 'opencv', 'phonemis', 'vulkan', 'xnnpack']],
  ['0.10.0', { backends: [], libs: [], features: [] }, []],
  ['0.10.0', { backends: ['mlx'] }, ['mlx']],
  ['0.10.0', { features: ['multimodalLLM'], libs: ['phonemis'] }, ['mlx', 'opencv', 'phonemis', 'vulkan', 'xnnpack']],
  ['0.10.0', { features: ['tokenizer'] }, []],
];

withPlace('a block that is right becomes the flags', async (place) => {
  for (const [libs, block, expected] of rightBlocks) {
    const result = await hook(place, { text: withBlock(block), libs });
    assert.equal(result.code, 0, result.stderr);
    assert.deepEqual(enabled(configOf(place)), expected, JSON.stringify(block));
  }
});

withPlace('no block is everything on, and the report says so', async (place) => {
  const result = await hook(place, { text: { dependencies: { [product]: '0.9.0' } } });
  assert.equal(result.code, 0, result.stderr);
  assert.deepEqual(enabled(configOf(place)), [...allExtras].sort());
  assert.match(result.stderr, /app\/package\.json has no "react-native-executorch" block, so everything is on/);
});

withPlace('older names and the older list are translated with a notice', async (place) => {
  const result = await hook(place, { text: withBlock({ extras: ['phonemizer', 'coreml'] }), libs: '0.10.0' });
  assert.equal(result.code, 0, result.stderr);
  assert.deepEqual(enabled(configOf(place)), ['coreml', 'phonemis']);
  assert.match(result.stderr, /"phonemizer" is the older name of "phonemis"/);
  assert.match(result.stderr, /"extras" is the older form of the lists backends, libs, features/);
  const again = await hook(place, { libs: '0.10.0' });
  assert.equal(again.stderr.trim().split('\n').length, 1, again.stderr);
});

withPlace('the pod is passed on', async (place) => {
  const result = await hook(place, { text: withBlock({ libs: ['opencv'], opencvPod: 'FastOpenCV-iOS' }), libs: '0.10.0' });
  assert.equal(result.code, 0, result.stderr);
  assert.equal(configOf(place).opencvPod, 'FastOpenCV-iOS');
  assert.equal((await hook(place, { text: withBlock({ libs: ['opencv'] }), libs: '0.10.0' })).code, 0);
  assert.equal('opencvPod' in configOf(place), false);
});

// ---- The file -------------------------------------------------------------

const notJson = [
  ['an empty file', '', ':1:1: '],
  ['a comma too many', '{\n  "name": "app",\n}\n', ':3:1: '],
  ['a comma missing, with CRLF', '{\r\n  "name": "app"\r\n  "version": "1"\r\n}', ':3:3: '],
  ['a comment', '{\n  // the app\n  "name": "app"\n}', ':2:3: '],
  ['half a file', `{\n  "${product}": {\n    "extras": ["opencv"`, ':3:24: '],
  ['null', 'null', '$: expected an object, found null'],
  ['a list', '[]', '$: expected an object, found an array'],
  ['the block twice', `{"${product}": {"extras": []}, "${product}": {"extras": ["opencv"]}}`, 'twice'],
  ['two documents', '{}{}', ':1:3: '],
  ['UTF-16', Buffer.from('\ufeff{}', 'utf16le'), ':1:1: '],
];

for (const [name, text, part] of notJson) {
  withPlace(`a package.json that is wrong is refused: ${name}`, async (place) => {
    refused(await hook(place, { text }), 3, place.at('app/package.json'), part);
    assert.equal(fs.existsSync(place.at(installed, 'rne-build-config.json')), false);
    refused(await hook(place, { text, args: ['--app', place.at('app')] }), 3, part);
  });
}

withPlace('a byte order mark, CRLF, comments in "//" and deep trees are fine', async (place) => {
  const deep = `${'['.repeat(200)}${']'.repeat(200)}`;
  const text = `\ufeff{\r\n"//": "one",\r\n"//": "two",\r\n"deep": ${deep},\r\n"${product}": {\r\n"extras": ["opencv"]}}\r\n`;
  const result = await hook(place, { text });
  assert.equal(result.code, 0, result.stderr);
  assert.deepEqual(enabled(configOf(place)), ['opencv']);
});

withPlace('a package.json that no file is gives an error at once', async (place) => {
  place.installPackage(installed);
  const file = place.at('app/package.json');
  const makers = {
    fifo: () => execFileSync('mkfifo', [file]),
    folder: () => fs.mkdirSync(file),
    device: () => fs.symlinkSync('/dev/zero', file),
    gigabyte: () => { fs.writeFileSync(file, ''); fs.truncateSync(file, 2 ** 30); },
  };
  for (const [name, make] of Object.entries(makers)) {
    make();
    const result = await hook(place);
    refused(result, 3, file);
    assert.ok(result.ms < 2000, `${name}: ${result.ms} ms`);
    refused(await hook(place, { args: ['plan', '--app', place.at('app')] }), 3, file);
    fs.rmSync(file, { recursive: true });
  }
  refused(await hook(place, { args: ['--app', place.at('app')] }), 3, '--app', 'is not there');
  refused(await hook(place, { env: { RNET_APP_ROOT: place.at('app') } }), 3, 'RNET_APP_ROOT', 'is not there');
});

withPlace('a package.json that is missing is an error, not "everything on"', async (place) => {
  for (const args of [[], ['plan'], ['status'], ['verify']]) {
    refused(await hook(place, { args }), 3, 'no app was found', 'INIT_CWD', '--app DIR', 'RNET_APP_ROOT', '--extras all');
    assert.equal(fs.existsSync(place.at(installed, 'rne-build-config.json')), false);
  }
  assert.equal((await hook(place, { args: ['--extras', 'opencv'] })).code, 0);
  assert.deepEqual(enabled(configOf(place)), ['opencv']);
  assert.equal((await hook(place, { env: { RNET_EXTRAS: 'all' } })).code, 0);
  assert.deepEqual(enabled(configOf(place)), [...allExtras].sort());
});

// ---- Finding the app ------------------------------------------------------

// package folder of the hook, by manager, below the repository
const layouts = {
  npm: `node_modules/${product}`,
  pnpm: `node_modules/.pnpm/${product}@0.9.0_react@19.0.0/node_modules/${product}`,
  'yarn with plug and play': `.yarn/unplugged/${product}-npm-0.9.0-0123456789/node_modules/${product}`,
  bun: `node_modules/.bun/${product}@0.9.0/node_modules/${product}`,
  'an app with node_modules of its own': `apps/mobile/node_modules/${product}`,
};

for (const [manager, layout] of Object.entries(layouts)) {
  withPlace(`a monorepo gives the same app from everywhere: ${manager}`, async (place) => {
    if (manager === 'pnpm') {
      place.write('repo/package.json', { private: true });
      place.write('repo/pnpm-workspace.yaml', "packages:\n  - 'apps/*'\n  - 'packages/*'\n");
    } else {
      place.write('repo/package.json', { private: true, workspaces: ['apps/*', 'packages/*'] });
    }
    place.write('repo/apps/mobile/package.json', { dependencies: { [product]: '*' }, [product]: { extras: ['opencv'] } });
    place.write('repo/apps/web/package.json', { name: 'web' });
    place.write('repo/packages/ui/package.json', { peerDependencies: { [product]: '*' } });
    place.installPackage(`repo/${layout}`);
    for (const from of ['repo', 'repo/apps/mobile', 'repo/apps/web', 'repo/packages', undefined]) {
      const result = await place.go(`repo/${layout}`, ['plan', '--json'], from ? { INIT_CWD: place.at(from) } : {});
      assert.equal(result.code, 0, result.stderr);
      const plan = JSON.parse(result.stdout);
      assert.deepEqual(plan.app, [place.at('repo/apps/mobile/package.json')], `from ${from}: ${plan.appReason}`);
      assert.deepEqual(plan.extras, ['opencv']);
      assert.ok(plan.appReason.length > 10);
    }
  });
}

withPlace('several apps are united, and one without a block is warned of', async (place) => {
  place.write('repo/package.json', { workspaces: ['apps/*'] });
  place.write('repo/apps/a/package.json', { [product]: { extras: ['opencv'] } });
  place.write('repo/apps/b/package.json', { [product]: { extras: ['vulkan'] } });
  const folder = `repo/node_modules/${product}`;
  place.installPackage(folder);
  const env = { INIT_CWD: place.at('repo'), ...dropped };
  let result = await place.go(folder, [], env);
  assert.equal(result.code, 0, result.stderr);
  assert.deepEqual(enabled(configOf(place, folder)), ['opencv', 'vulkan']);
  assert.match(result.stderr, /2 workspaces of .*united/);
  place.write('repo/apps/c/package.json', { dependencies: { [product]: '*' } });
  result = await place.go(folder, [], env);
  assert.equal(result.code, 0, result.stderr);
  assert.deepEqual(enabled(configOf(place, folder)), [...allExtras].sort());
  assert.match(result.stderr, /warning: .*apps\/c\/package\.json has no .* block, so everything is on/);
  assert.equal(configOf(place, folder).rneLibs.warnings.length, 1);
});

withPlace('a broken pnpm-workspace.yaml is named with its place', async (place) => {
  place.write('repo/package.json', {});
  place.write('repo/pnpm-workspace.yaml', 'packages: apps/*\n');
  place.installPackage(`repo/node_modules/${product}`);
  const result = await place.go(`repo/node_modules/${product}`, ['plan'], { INIT_CWD: place.at('repo') });
  refused(result, 3, 'pnpm-workspace.yaml:1:11: ');
});

withPlace("npm's own package.json variable is never the app's", async (place) => {
  const file = place.at(installed, 'package.json');
  place.installPackage(installed, { [product]: { extras: ['opencv'] } });
  place.write('app/package.json', withBlock({ extras: ['vulkan'] }));
  const result = await place.go(installed, ['plan', '--json'], { INIT_CWD: place.at('app'), npm_package_json: file });
  assert.deepEqual(JSON.parse(result.stdout).extras, ['vulkan']);
});

withPlace('by hand it runs from the app, a subfolder, a linked folder, and by --app from anywhere', async (place) => {
  place.installPackage(installed);
  place.write('app/package.json', withBlock({ extras: ['opencv'] }));
  fs.mkdirSync(place.at('app/src/screens'), { recursive: true });
  fs.symlinkSync(place.at('app'), place.at('linked'));
  fs.mkdirSync(place.at('home'));
  for (const [cwd, args] of [['app', []], ['app/src/screens', []], ['linked/src', []], ['.', ['--app', 'linked']], ['home', ['--app', '../linked/src/../package.json']], ['.', ['--app', 'app/package.json']]]) {
    const result = await place.go(cwd, ['plan', '--json', ...args]);
    assert.equal(result.code, 0, `${cwd} ${args}: ${result.stderr}`);
    const plan = JSON.parse(result.stdout);
    assert.equal(plan.package, place.at(installed));
    assert.deepEqual(plan.extras, ['opencv']);
  }
  const root = await run(binary, ['plan'], { cwd: '/', env: { HOME: place.at('home') } });
  refused(root, 2, `no package ${product} to fill`, '--package DIR');
  assert.equal((await run(binary, ['plan', '--app', place.at('app')], { cwd: '/', env: { HOME: place.at('home') } })).code, 0);
});

for (const name of ['with space', 'quo\'te"s', 'f\u00fcr \u65e5\u672c', 'new\nline', '$(touch pwned)', '-v', 'a;b&c|d', '%s%n']) {
  withPlace(`a folder may be called ${JSON.stringify(name)}`, async (place) => {
    const folder = path.join(name, 'node_modules', product);
    place.installPackage(folder);
    place.write(path.join(name, 'package.json'), withBlock({ extras: ['opencv'] }));
    const result = await place.go(folder, [], { INIT_CWD: place.at(name), LC_ALL: 'C', ...dropped });
    assert.equal(result.code, 0, result.stderr);
    assert.deepEqual(enabled(configOf(place, folder)), ['opencv']);
    place.write(path.join(name, 'package.json'), withBlock(null));
    refused(await place.go(folder, ['plan'], { INIT_CWD: place.at(name) }), 3, `${here}: expected an object`);
    assert.equal(fs.existsSync(place.at('pwned')), false);
  });
}

withPlace('a folder four kilobytes deep works or is refused in words', async (place) => {
  let cwd = place.root;
  const name = 'd'.repeat(200);
  while (cwd.length < 3700) cwd = path.join(cwd, name);
  fs.mkdirSync(cwd, { recursive: true });
  write(path.join(cwd, 'package.json'), withBlock({ extras: ['opencv'] }));
  write(path.join(cwd, 'node_modules', product, 'package.json'), { name: product, version: '0.9.0' });
  const env = { HOME: place.at('home'), ...dropped };
  const result = await run(binary, [], { cwd, env });
  assert.equal(result.code, 0, result.stderr);
  // Deeper than any path may be: reached step by step.
  const script = `const fs = require('fs');
    for (let i = 0; i < 3; i++) { fs.mkdirSync('${name}'); process.chdir('${name}'); }
    process.exit(require('child_process').spawnSync(process.argv[1], ['plan'], { stdio: 'inherit' }).status ?? 99);`;
  const deeper = spawnSync(process.execPath, ['-e', script, binary], { cwd, env, encoding: 'utf8', timeout: 20000 });
  assert.ok([0, 2, 7].includes(deeper.status), `${deeper.status}: ${deeper.stderr}`);
  if (deeper.status) assert.match(deeper.stderr, /^error: /m);
});

// ---- Options and environment ----------------------------------------------

const wrongOptions = [
  [['--target', 'andriod'], {}, ['--target', '"andriod"', '"android"']],
  [['--target', ''], {}, ['--target']],
  [['--target', ','], {}, ['--target']],
  [['--extras', 'opencvv'], {}, ['--extras', '"opencvv"', '"opencv"', known09]],
  [['--extras', ','], {}, ['--extras']],
  [['--jobs', '0'], {}, ['--jobs', '1 to 64', '"0"']],
  [['--jobs', 'many'], {}, ['--jobs', '"many"']],
  [['--stall-timeout', '1.5'], {}, ['--stall-timeout', '3600']],
  [['--cache-dir', ''], {}, ['--cache-dir']],
  [['--app', ''], {}, ['--app']],
  [['--package', 'nowhere'], {}, ['--package', 'nowhere is not there']],
  [['--base-url', 'ftp://mirror/x'], {}, ['--base-url', 'ftp://mirror/x', 'https://']],
  [['--base-url', 'https://u:s3cret@mirror/x'], {}, ['--base-url', 'mirror']],
  [['--base-url', 'https://mirror/a b'], {}, ['--base-url', 'space']],
  [['--base-url', 'https://mirror/\r\nX: y'], {}, ['--base-url', 'control character']],
  [['--base-url', `https://mirror/${'x'.repeat(65536)}`], {}, ['--base-url', '2,048 bytes']],
  [[], { RNET_BASE_URL: '/srv/mirror' }, ['RNET_BASE_URL', 'file:///']],
  [[], { RNET_TARGET: 'android-arm' }, ['RNET_TARGET', '"android-arm"', 'android-arm64']],
  [[], { RNET_EXTRAS: 'xnpack' }, ['RNET_EXTRAS', '"xnnpack"']],
  [[], { RNET_JOBS: '65' }, ['RNET_JOBS', '1 to 64']],
  ...['RNET_SKIP_DOWNLOAD', 'RNET_NO_X86_64', 'RNET_HEADERS_ONLY', 'RNET_OFFLINE', 'RNET_REQUIRE_PINNED'].map((name) => [[], { [name]: 'maybe' }, [name, '"maybe"', '0, false, no, off']]),
];

withPlace('an option or variable that makes no sense is a usage error that names it', async (place) => {
  for (const [args, env, parts] of wrongOptions) {
    const result = await hook(place, { text: withBlock({}), args: ['plan', ...args], env });
    refused(result, 2, ...parts);
    assert.doesNotMatch(result.stderr, /s3cret/);
    assert.ok(result.stderr.length < 4000);
  }
});

withPlace('an option wins over its variable', async (place) => {
  place.write('other/package.json', withBlock({ extras: ['coreml'] }));
  const env = { RNET_TARGET: 'android', RNET_EXTRAS: 'vulkan', RNET_LIBS_CACHE_DIR: '/variable', RNET_APP_ROOT: place.at('nowhere'), RNET_MANIFEST: place.at('nowhere.json') };
  const args = ['plan', '--json', '--target', 'ios', '--extras', 'opencv', '--cache-dir', place.at('cache'), '--app', place.at('other'),
    '--manifest', path.join(repository, `manifests/${product}-0.9.0.json`)];
  const result = await hook(place, { text: withBlock({}), args, env });
  assert.equal(result.code, 0, result.stderr);
  const plan = JSON.parse(result.stdout);
  assert.deepEqual([plan.targets, plan.extras, plan.cache, plan.app], [['ios'], ['opencv'], place.at('cache'), [place.at('other/package.json')]]);
  assert.equal(plan.appReason, 'named by --app');
});

withPlace('targets go by name, alias and platform', async (place) => {
  const both = ['android-arm64-v8a', 'android-x86_64'];
  const cases = { 'android-arm64': both.slice(0, 1), 'android-x64': both.slice(1), android: both, 'ios, android-x64': ['ios', both[1]], all: ['ios', ...both] };
  for (const [name, expected] of Object.entries(cases)) {
    const result = await hook(place, { text: withBlock({}), args: ['plan', '--json'], env: { RNET_TARGET: name } });
    assert.deepEqual(JSON.parse(result.stdout).targets, expected, name);
  }
  const less = await hook(place, { args: ['plan', '--json'], env: { RNET_NO_X86_64: '1' } });
  assert.equal(JSON.parse(less.stdout).targets.includes('android-x86_64'), false);
  const off = await hook(place, { args: ['plan', '--json'], env: { RNET_NO_X86_64: '0' } });
  assert.equal(JSON.parse(off.stdout).targets.includes('android-x86_64'), true);
});

withPlace('an extra without effect on the targets is a warning, and stays in the flags', async (place) => {
  const env = { RNET_TARGET: 'android' };
  const result = await hook(place, { text: withBlock({ extras: ['coreml', 'opencv'] }), env });
  assert.equal(result.code, 0, result.stderr);
  assert.match(result.stderr, /warning: coreml has no effect on the targets android-arm64-v8a, android-x86_64 \(it is for ios\)/);
  assert.deepEqual(enabled(configOf(place)), ['coreml', 'opencv']);
  // On iOS a CocoaPod provides OpenCV: that is an effect.
  const ios = await hook(place, { text: withBlock({ extras: ['opencv', 'vulkan'] }), env: { RNET_TARGET: 'ios' } });
  assert.match(ios.stderr, /warning: vulkan has no effect on the target ios \(it is for android\)/);
  assert.doesNotMatch(ios.stderr, /opencv has no effect/);
});

withPlace('headers alone need a release that has them', async (place) => {
  const env = { RNET_HEADERS_ONLY: '1' };
  refused(await hook(place, { text: withBlock({}), env, args: ['plan'] }), 3, 'RNET_HEADERS_ONLY', '0.9.0');
  const result = await hook(place, { libs: '0.10.0', env: { ...env, RNET_SKIP_DOWNLOAD: '0' }, args: ['plan', '--json'] });
  assert.equal(result.code, 0, result.stderr);
  assert.deepEqual(JSON.parse(result.stdout).artifacts.map((artifact) => artifact.name), ['headers']);
});

withPlace('the cache has a home', async (place) => {
  const cacheOf = async (env, cwd = '.') => {
    const result = await run(binary, ['cache', 'path'], { cwd: place.at(cwd), env });
    return result.code ? result.code : result.stdout.trim();
  };
  assert.equal(await cacheOf({ HOME: '/h' }), '/h/.cache/react-native-executorch');
  assert.equal(await cacheOf({ HOME: '/h', XDG_CACHE_HOME: '/x' }), '/x/react-native-executorch');
  assert.equal(await cacheOf({ HOME: '/h', XDG_CACHE_HOME: 'x' }), '/h/.cache/react-native-executorch');
  assert.equal(await cacheOf({ HOME: '/h', XDG_CACHE_HOME: '/x', RNET_LIBS_CACHE_DIR: '/r' }), '/r');
  assert.equal(await cacheOf({ HOME: '/h', RNET_LIBS_CACHE_DIR: 'r' }), place.at('r'));
  assert.equal(await cacheOf({ HOME: '/h', RNET_LIBS_CACHE_DIR: 'r', INIT_CWD: '/usr' }), '/usr/r');
});

withPlace('help names every variable, and the manual too', async (place) => {
  const source = fs.readFileSync(path.join(repository, 'src/env.c'), 'utf8');
  const table = source.slice(source.indexOf('table[] = {'), source.indexOf('{NULL, NULL'));
  const names = [...table.matchAll(/\{"(\w+)",\s*(NULL)?/g)].filter((match) => !match[2]).map((match) => match[1]);
  assert.ok(names.length > 25);
  const help = (await place.go('.', ['help'])).stdout;
  for (const name of names) assert.match(help, new RegExp(`^  ${name} `, 'm'));
  const manual = path.join(repository, 'docs/rne-libs.1');
  if (!fs.existsSync(manual)) return;
  const text = fs.readFileSync(manual, 'utf8');
  for (const name of names) assert.ok(text.includes(name), `${name} is not in rne-libs.1`);
});

// ---- The manifest ---------------------------------------------------------

const set = (change) => (manifest) => { change(manifest); return manifest; };
const archive = (manifest) => manifest.artifacts[0].archives[0];
const digest = 'ab'.repeat(32);
const wrongManifests = [
  ['an empty file', () => '', ':1:1: '],
  ['no JSON', () => '{,}', ':1:2: '],
  ['a member twice', () => '{"schema": 1, "schema": 1}', 'twice'],
  ['another schema', set((m) => { m.schema = 2; }), '$.schema'],
  ['an unknown key', set((m) => { m.artefacts = []; }), '"artefacts"'],
  ['no version', set((m) => { delete m.version; }), '"version"'],
  ...[-1, 0, '12', 2 ** 53, null, true].map((size) => [`the size ${JSON.stringify(size)}`, set((m) => { archive(m).size = size; }), '$.artifacts[0].archives[0].size']),
  ['a digest without a size', set((m) => { delete archive(m).size; archive(m).sha256 = digest; }), '$.artifacts[0].archives[0].sha256: the member "size" is missing'],
  ['the size 2^53 + 1', (m) => JSON.stringify(set((x) => { archive(x).size = 4242; })(m)).replace('4242', '9007199254740993'), '$.artifacts[0].archives[0].size'],
  ...['1.5', '1e3', '0x10', '01'].map((size) => [`the size ${size}`, (m) => JSON.stringify(set((x) => { archive(x).size = 4242; })(m)).replace('4242', size), /m\.json:1:\d+: not valid JSON/]),
  ...[digest.slice(1), `${digest}0`, `zz${digest.slice(2)}`, 'ab'.repeat(20), ` ${digest}`, '', 7].map((sha256) => [`the sha256 ${JSON.stringify(sha256)}`, set((m) => { archive(m).sha256 = sha256; }), '$.artifacts[0].archives[0].sha256']),
  ...['../x', '/x', 'a/../../x', 'a\\b', 'C:x', 'a\nb', ''].map((folder) => [`the destination ${JSON.stringify(folder)}`, set((m) => { m.targets.ios.destination = folder; }), '$.targets.ios.destination']),
  ...['../x.tar.gz', 'a/x.tar.gz', '$(id).tar.gz', 'a;b.tar.gz', 'a"b.tar.gz', 'a\nb.tar.gz', '.', ''].map((file) => [`the file name ${JSON.stringify(file)}`, set((m) => { archive(m).file = file; }), '$.artifacts[0].archives[0].file']),
  ...['ftp://h/x', 'javascript:x', 'https://u:p@h/x', 'https://h/\r\nx', `https://h/${'x'.repeat(65536)}`, 'https:///x', 7].map((url) => [`the URL ${JSON.stringify(url).slice(0, 40)}`, set((m) => { m.baseUrls = [url]; }), '$.baseUrls[0]']),
  // Names become folders, files, flags of a build.
  ...['..', '../x', '/x', 'a/b', 'a b', 'a"b', "a'b", 'a\nb', '$(id)', 'a;b', 'a\\b', '\u202eabc', '', 'x'.repeat(200)].flatMap((name) => [
    [`the artifact ${JSON.stringify(name)}`, set((m) => { m.artifacts[0].name = name; }), '$.artifacts[0].name'],
    [`the extra ${JSON.stringify(name)}`, set((m) => { m.extras[name] = { ...m.extras.vulkan, flag: 'RNE_ENABLE_X', key: 'enableX' }; }), '$.extras'],
    [`the target ${JSON.stringify(name)}`, set((m) => { m.targets[name] = { ...m.targets.ios, destination: 'x', aliases: [] }; }), '$.targets'],
    [`the flag ${JSON.stringify(name)}`, set((m) => { m.extras.opencv.flag = name; }), '$.extras.opencv.flag'],
    [`the key ${JSON.stringify(name)}`, set((m) => { m.extras.opencv.key = name; }), '$.extras.opencv.key'],
    [`the version ${JSON.stringify(name)}`, set((m) => { m.version = name; }), '$.version'],
    [`the older name ${JSON.stringify(name)}`, set((m) => { m.extras.opencv.olderNames = [name]; }), '$.extras.opencv.olderNames[0]'],
  ]),
  ...['a"b', "a'b", '$(id)', 'a;b', 'a b'].map((folder) => [`the destination ${JSON.stringify(folder)}`, set((m) => { m.targets.ios.destination = folder; }), '$.targets.ios.destination']),
  ...['..', '../x', '/x', 'a"b', 'a\nb', 'a\\b', 'C:x', '\u202eabc', 'CON', ''].flatMap((file) => [
    [`the listed file ${JSON.stringify(file)}`, set((m) => { m.artifacts[0].files = [{ path: file, size: 1, sha256: digest }]; }), '$.artifacts[0].files[0]'],
    [`a listed link to ${JSON.stringify(file)}`, set((m) => { m.artifacts[0].files = [{ path: 'l', link: file }]; }), '$.artifacts[0].files[0]'],
  ]),
  ['an artifact of an unknown target', set((m) => { m.artifacts[0].target = 'watchos'; }), '$.artifacts[0].target'],
  ['an artifact of an unknown extra', set((m) => { m.artifacts[0].extra = 'opencvv'; }), '$.artifacts[0].extra'],
  ['too many artifacts', set((m) => { m.artifacts = Array.from({ length: 1025 }, (_, i) => ({ ...m.artifacts[0], name: `a${i}`, archives: [{ file: `a${i}.tar.gz`, format: 'tar.gz' }] })); }), '1024'],
  ['17 MB', (m) => JSON.stringify(m) + ' '.repeat(17 << 20), 'larger than'],
  ['40 levels', () => '['.repeat(40) + ']'.repeat(40), ':1:33: '],
];

withPlace('a manifest that is wrong is refused with its place', async (place) => {
  place.installPackage(installed);
  place.write('app/package.json', withBlock({}));
  for (const [name, change, part] of wrongManifests) {
    const changed = change(manifestOf(place.root));
    write(place.at('m.json'), typeof changed === 'string' ? changed : JSON.stringify(changed));
    const result = await place.go('app', ['plan', '--manifest', '../m.json']);
    assert.equal(result.code, 3, `${name}: ${result.code} ${result.stderr}`);
    refused(result, 3, 'm.json', part);
    assert.ok(result.stderr.length < 5000, name);
  }
});

withPlace('which manifest: the named one, the one in the package, a bundled one', async (place) => {
  const originOf = async (args = [], env = {}) => {
    const result = await place.go('app', ['plan', '--json', ...args], env);
    assert.equal(result.code, 0, result.stderr);
    return JSON.parse(result.stdout).manifest;
  };
  place.installPackage(installed, { version: '1.2.3' });
  place.write('app/package.json', withBlock({ extras: [] }));
  refused(await place.go('app', ['plan']), 3, `${product} 1.2.3`, 'rne-manifest.json', `${product}@0.9.0`, `${product}@0.10.0`, '--manifest', 'RNET_MANIFEST');
  place.installPackage(installed, { version: '1.2.3', nativeLibsVersion: '0.10.0' });
  assert.equal((await originOf()).version, '0.10.0');
  place.write(`${installed}/rne-manifest.json`, { ...manifestOf(place.root), version: '0.9.1' });
  assert.equal((await originOf()).version, '0.9.1');
  place.write('named.json', { ...manifestOf(place.root), version: '0.9.2' });
  assert.equal((await originOf([], { RNET_MANIFEST: place.at('named.json') })).version, '0.9.2');
  assert.equal((await originOf(['--manifest', `file://${place.at('named.json')}`])).version, '0.9.2');
  place.write('named.json', { ...manifestOf(place.root), product: 'something-else' });
  assert.notEqual((await place.go('app', ['plan', '--manifest', '../named.json'])).code, 0);
  refused(await place.go('app', ['plan', '--manifest', 'missing.json']), 3, '--manifest', 'missing.json is not there');
  refused(await place.go('app', ['plan', '--manifest', '.']), 3, '--manifest', 'folder');
  refused(await place.go('app', ['plan', '--offline', '--manifest', 'https://mirror/m.json']), 4, '--manifest', 'https://mirror/m.json');
});

// ---- npm itself -----------------------------------------------------------

const npm = spawnSync('npm', ['--version'], { encoding: 'utf8' });
const noNpm = npm.status === 0 ? false : 'npm is not here';

// A package whose hook is this program, packed as npm would publish it.
function packProduct(place) {
  place.write('source/package.json', { name: product, version: '0.9.0', scripts: { postinstall: `"${binary}"` } });
  execFileSync('npm', ['pack', '--silent', '--pack-destination', place.root], { cwd: place.at('source') });
  return place.at(`${product}-0.9.0.tgz`);
}

function npmRun(place, cwd, args, env = {}) {
  const clean = ['install', '--no-audit', '--no-fund', '--offline', '--foreground-scripts', `--cache=${place.at('npm-cache')}`];
  return run('npm', [...clean, ...args], { cwd: place.at(cwd), env: { HOME: place.at('home'), ...dropped, ...env }, timeout: 120000 });
}

test('under npm the first install finds the app, which does not name the package yet', { skip: noNpm }, async () => {
  const place = makePlace();
  try {
    const archiveFile = packProduct(place);
    place.write('app/package.json', { name: 'app', version: '1.0.0' });
    const result = await npmRun(place, 'app', [archiveFile]);
    assert.equal(result.code, 0, result.stderr);
    const { rneLibs } = configOf(place);
    assert.deepEqual(rneLibs.warnings, []);
    assert.deepEqual([].concat(rneLibs.app), ['../../package.json']);
  } finally {
    place.remove();
  }
});

test('under npm a monorepo gives the same result from the root and from the app', { skip: noNpm }, async () => {
  const place = makePlace();
  try {
    const archiveFile = packProduct(place);
    place.write('repo/package.json', { name: 'repo', private: true, workspaces: ['apps/*'] });
    place.write('repo/apps/mobile/package.json', { name: 'mobile', version: '1.0.0', dependencies: { [product]: `file:${archiveFile}` }, [product]: { extras: ['vulkan'] } });
    const folder = `repo/node_modules/${product}`;
    for (const from of ['repo', 'repo/apps/mobile']) {
      fs.rmSync(place.at('repo/node_modules'), { recursive: true, force: true });
      const result = await npmRun(place, from, []);
      assert.equal(result.code, 0, result.stderr);
      assert.deepEqual(enabled(configOf(place, folder)), ['vulkan'], from);
    }
  } finally {
    place.remove();
  }
});

test('under npm a mistake fails the install, and its last lines say which', { skip: noNpm }, async () => {
  const place = makePlace();
  try {
    const archiveFile = packProduct(place);
    place.write('app/package.json', { name: 'app', version: '1.0.0', dependencies: { [product]: `file:${archiveFile}` }, [product]: { extra: [] } });
    const result = await npmRun(place, 'app', []);
    assert.notEqual(result.code, 0);
    assert.match(`${result.stdout}${result.stderr}`, /app\/package\.json: \$\["react-native-executorch"\].*did you mean "extras"/);
  } finally {
    place.remove();
  }
});
