// Every command as its users type it.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { allExtras, binary, bytes, expectedTree, ok, product, repository, run, sampleRelease, sha256, treeOf, withProject, write } from './lib/project.mjs';

const library = 'android/libs/executorch/arm64-v8a/libexecutorch.so';

test('help lists every command and option; help COMMAND, --help and --version answer on stdout', async () => {
  const help = ok(await run(binary, ['help'])).stdout;
  for (const word of ['install', 'plan', 'verify', 'status', 'warm', 'cache', 'pack', 'manifest', '--base-url', '--require-pinned', 'RNET_LIBS_CACHE_DIR', 'GITHUB_TOKEN']) assert.ok(help.includes(word), word);
  assert.match(ok(await run(binary, ['help', 'verify'])).stdout, /--quick/);
  assert.match(ok(await run(binary, ['verify', '--help'])).stdout, /--quick/);
  const { version } = JSON.parse(fs.readFileSync(path.join(repository, 'package.json'), 'utf8'));
  assert.match(ok(await run(binary, ['--version'])).stdout, new RegExp(`^rne-libs ${version}\nlibcurl \\d.*, libarchive \\d`));
});

for (const [args, message] of [
  [['instal'], /there is no command instal; did you mean install\?/],
  [['help', 'veryfy'], /there is no command veryfy; did you mean verify\?/],
  [['plan', '--quikc'], /--quikc; did you mean --quick\?/],
  [['plan', '--quick'], /plan has no option --quick/],
  [['plan', '--target'], /--target needs a value/],
  [['plan', '--json=yes'], /--json takes no value/],
  [['status', 'now'], /now is one argument too many/],
  [['manifest', 'lint'], /manifest needs/],
  [['cache', 'key', '--json'], /cache key has no option --json/],
  [['cache', 'list', '--github-output'], /cache list has no option --github-output/],
  [['pack', '.', '--release', 'a@1', '--manifest', 'm.json'], /--release and --manifest both name a manifest/],
  [['--jobs', '0'], /from 1 to 64, found "0"\n.*\n`rne-libs help` lists/],
  [['cache', 'clean'], /expected path, key, list, verify, prune or clear, found clean/],
  [['--color', 'maybe'], /expected auto, always or never, found maybe/],
]) {
  test(`a slip on the command line is named: rne-libs ${args.join(' ')}`, async () => {
    const result = await run(binary, args);
    assert.equal(result.code, 2, result.stderr);
    assert.match(result.stderr, message);
    assert.equal(result.stdout, '');
  });
}

test('a result that cannot be written is an error', { skip: !fs.existsSync('/dev/full') }, async () => {
  const result = await run('/bin/sh', ['-c', `"${binary}" help > /dev/full`]);
  assert.equal(result.code, 7, result.stderr);
  assert.match(result.stderr, /standard output/);
});

withProject('plan prints what install would do, sends nothing and writes nothing', { block: { extras: ['opencv'] } }, async (project) => {
  const before = treeOf(project.root, { ignore: [] });
  const env = { RNET_BASE_URL: 'http://127.0.0.1:1' };
  const text = ok(await project.run(['plan'], { env })).stdout;
  assert.match(text, /download +core-android-arm64-v8a/);
  assert.match(text, /4 to download/);
  assert.deepEqual(treeOf(project.root, { ignore: [] }), before);
  ok(await project.run());
  const plan = JSON.parse(ok(await project.run(['plan', '--json'], { env })).stdout);
  assert.equal(plan.upToDate, true);
  fs.rmSync(path.join(project.thirdParty, library));
  const repair = JSON.parse(ok(await project.run(['plan', '--json'], { env })).stdout);
  const core = repair.artifacts.find((item) => item.name === 'core-android-arm64-v8a');
  assert.equal(core.action, 'restore');
  assert.match(core.reason, /libexecutorch\.so is missing/);
});

withProject('verify says what differs and exits with 8; install repairs it', { block: { extras: ['opencv'] } }, async (project) => {
  assert.equal((await project.run(['verify'])).code, 8);
  ok(await project.run());
  assert.match(ok(await project.run(['verify'])).stderr, /files are as they were installed/);
  const file = path.join(project.thirdParty, library);
  const { mtime, atime } = fs.statSync(file);
  const content = fs.readFileSync(file);
  content[100] ^= 1;
  fs.writeFileSync(file, content);
  fs.utimesSync(file, atime, mtime);
  fs.rmSync(path.join(project.thirdParty, 'android/libs/opencv/x86_64/libopencv_core.a'));
  write(path.join(project.thirdParty, 'android/libs/mine.txt'), 'mine');
  const found = await project.run(['verify', '--json']);
  assert.equal(found.code, 8);
  assert.deepEqual(JSON.parse(found.stdout).differences.sort(), ['android/libs/executorch/arm64-v8a/libexecutorch.so was changed', 'android/libs/opencv/x86_64/libopencv_core.a is missing']);
  // Sizes and times cannot show a changed byte behind an unchanged time.
  fs.utimesSync(file, atime, mtime);
  ok(await project.run());
  assert.equal((await project.run(['verify', '--quick'])).code, 0);
  project.setBlock({ extras: ['opencv', 'vulkan'] });
  const drift = await project.run(['verify', '--quick'], { env: { npm_config_user_agent: 'pnpm/10.1.0 npm/? node/v20' } });
  assert.equal(drift.code, 8);
  assert.match(drift.stdout, /vulkan is asked for and not installed/);
  assert.match(drift.stderr, /pnpm/);
});

withProject('status shows the release, the app, and the size of each extra on each target', { block: { extras: ['opencv', 'xnnpack'] } }, async (project) => {
  assert.match(ok(await project.run(['status'])).stdout, /nothing is installed/);
  ok(await project.run());
  const text = ok(await project.run(['status'])).stdout;
  assert.match(text, /react-native-executorch 0\.9\.0/);
  assert.match(text, /xnnpack +20\.0 KB +20\.0 KB +40\.0 KB/);
  const json = JSON.parse(ok(await project.run(['status', '--json'])).stdout);
  assert.equal(json.installed, true);
  assert.ok(text.includes(`\napp        ${project.app}/package.json\n`), text);
  assert.deepEqual(json.app, [`${project.app}/package.json`]);
  assert.equal(json.artifacts.length, 6);
});

withProject('warm fills a cache that serves --offline on another machine', { block: { extras: ['opencv'] } }, async (project) => {
  const elsewhere = path.join(project.root, 'elsewhere');
  ok(await run(binary, ['warm', '--manifest', path.join(project.pkg, 'rne-manifest.json'), '--extras', 'opencv', '--target', 'android', '--base-url', `file://${project.release}`, '--cache-dir', elsewhere], { cwd: project.root, env: { HOME: project.home } }));
  const moved = path.join(project.root, 'moved');
  fs.cpSync(elsewhere, moved, { recursive: true });
  fs.rmSync(elsewhere, { recursive: true });
  ok(await project.run(['--offline'], { env: { RNET_LIBS_CACHE_DIR: moved, RNET_BASE_URL: 'http://127.0.0.1:1' } }));
  assert.deepEqual(project.tree(), expectedTree(sampleRelease(), ['core-android-arm64-v8a', 'core-android-x86_64', 'opencv-android-arm64-v8a', 'opencv-android-x86_64']));
});

withProject('--offline lists file, URL and digest of all that is missing', { block: { extras: ['opencv'] } }, async (project) => {
  const result = await project.run(['--offline']);
  assert.equal(result.code, 4, result.stderr);
  for (const name of ['core-android-arm64-v8a', 'core-android-x86_64', 'opencv-android-arm64-v8a', 'opencv-android-x86_64']) {
    assert.ok(result.stderr.includes(`file://${project.release}/${name}.tar.gz`), name);
    assert.ok(result.stderr.includes(sha256(fs.readFileSync(path.join(project.release, `${name}.tar.gz`)))), name);
  }
  assert.match(result.stderr, /lacks 4 archives, and --offline forbids downloading/);
  assert.match(ok(await project.run(['plan', '--offline'])).stdout, /4 to download.*\n--offline forbids downloading: install would fail/);
});

withProject('one thing is not called several', { block: { extras: [] } }, async (project) => {
  const only = ['--target', 'android-arm64'];
  ok(await project.run(only));
  assert.match(ok(await project.run(only)).stderr, /, 1 artifact \(/);
  assert.match(ok(await project.run(['cache', 'list'])).stdout, /^1 archive, /m);
  fs.rmSync(path.join(project.thirdParty, library));
  assert.match((await project.run(['verify', ...only])).stderr, /in 1 place$/m);
  assert.match(ok(await project.run(only)).stderr, /; 1 file written/);
});

withProject('a receipt that cannot be read is named once', { block: { extras: [] } }, async (project) => {
  ok(await project.run());
  write(path.join(project.thirdParty, '.rne-libs/receipt.json'), 'x');
  assert.equal(ok(await project.run()).stderr.match(/^warning: the receipt /gm).length, 1);
});

withProject('a mistake in package.json is followed by what to do', { block: { extras: ['opencw'] } }, async (project) => {
  const result = await project.run();
  assert.equal(result.code, 3, result.stderr);
  assert.match(result.stderr, /did you mean "opencv"\?.*\nNothing that was installed has changed\.\nCorrect it and run the command again\.\n$/);
});

withProject('--require-pinned refuses an archive that only a sidecar vouches for', { block: { extras: [] }, pinned: false }, async (project) => {
  const result = await project.run([], { env: { RNET_REQUIRE_PINNED: '1' } });
  assert.equal(result.code, 3, result.stderr);
  assert.match(result.stderr, /core-android-arm64-v8a\.tar\.gz has no sha256/);
});

withProject('cache key is one stable line that follows the extras and the targets', { block: { extras: ['opencv'] } }, async (project) => {
  const key = async (args = []) => ok(await project.run(['cache', 'key', ...args])).stdout;
  const first = await key();
  assert.match(first, /^rne-libs-react-native-executorch-0\.9\.0-[0-9a-f]{24}\n$/);
  assert.equal(await key(), first);
  assert.notEqual(await key(['--target', 'ios']), first);
  assert.notEqual(await key(['--extras', 'vulkan']), first);
  const output = path.join(project.root, 'output');
  write(output, 'before=1\n');
  ok(await project.run(['cache', 'key', '--github-output'], { env: { GITHUB_OUTPUT: output } }));
  assert.equal(fs.readFileSync(output, 'utf8'), `before=1\nkey=${first}path=${project.cache}\n`);
});

withProject('cache path, list, verify, prune and clear', { block: { extras: ['opencv'] } }, async (project) => {
  assert.equal(ok(await project.run(['cache', 'path'])).stdout, `${project.cache}\n`);
  assert.match(ok(await project.run(['cache', 'list'])).stdout, /^0 archives/);
  ok(await project.run());
  const list = JSON.parse(ok(await project.run(['cache', 'list', '--json'])).stdout);
  assert.equal(list.archives.length, 4);
  assert.ok(list.archives.some((entry) => entry.names.includes(`${product}/0.9.0/core-android-x86_64.tar.gz`)));
  const archive = path.join(project.cache, 'archives', list.archives[0].sha256);
  fs.appendFileSync(archive, 'x');
  const verified = await project.run(['cache', 'verify']);
  assert.equal(verified.code, 5, verified.stderr);
  assert.equal(fs.existsSync(archive), false);
  ok(await project.run(['cache', 'verify']));
  ok(await project.run(['cache', 'prune']));
  assert.equal(fs.readdirSync(path.join(project.cache, 'archives')).length, 3);
  const old = path.join(project.cache, 'archives', list.archives[1].sha256);
  fs.utimesSync(old, 1e9, 1e9);
  ok(await project.run(['cache', 'prune', '10']));
  assert.equal(fs.existsSync(old), false);
  ok(await project.run(['cache', 'clear']));
  assert.match(ok(await project.run(['cache', 'list'])).stdout, /^0 archives/);
});

withProject('equal bytes of two versions are stored once', { block: { extras: [] } }, async (project) => {
  ok(await project.run());
  const before = fs.readdirSync(path.join(project.cache, 'archives')).sort();
  const manifest = JSON.parse(fs.readFileSync(path.join(project.pkg, 'rne-manifest.json'), 'utf8'));
  write(path.join(project.pkg, 'rne-manifest.json'), { ...manifest, version: '0.9.1' });
  const result = ok(await project.run(['--json'], { env: { RNET_BASE_URL: 'http://127.0.0.1:1' } }));
  assert.equal(JSON.parse(result.stdout).requests, 0);
  assert.deepEqual(fs.readdirSync(path.join(project.cache, 'archives')).sort(), before);
});

withProject('a damaged archive in the cache is fetched again, never used', { block: { extras: [] } }, async (project) => {
  ok(await project.run());
  const folder = path.join(project.cache, 'archives');
  for (const damage of [(file) => fs.truncateSync(file, 100), (file) => { const all = fs.readFileSync(file); all[50] ^= 1; fs.writeFileSync(file, all); }, (file) => fs.writeFileSync(file, '')]) {
    for (const name of fs.readdirSync(folder)) damage(path.join(folder, name));
    fs.rmSync(path.join(project.cache, 'trees'), { recursive: true, force: true });
    fs.rmSync(project.thirdParty, { recursive: true });
    ok(await project.run());
    for (const name of fs.readdirSync(folder)) assert.equal(sha256(fs.readFileSync(path.join(folder, name))), name);
    assert.deepEqual(project.tree(), expectedTree(sampleRelease(), ['core-android-arm64-v8a', 'core-android-x86_64']));
  }
});

withProject('a damaged tree in the cache is made again from the archive', { block: { extras: [] } }, async (project) => {
  const reinstall = async () => {
    fs.rmSync(project.thirdParty, { recursive: true, force: true });
    return ok(await project.run());
  };
  await reinstall();
  await reinstall();
  const trees = path.join(project.cache, 'trees');
  const files = () => fs.readdirSync(trees, { recursive: true }).map((name) => path.join(trees, name)).filter((name) => name.endsWith('.so'));
  assert.ok(files().length > 0);
  for (const file of files()) fs.writeFileSync(file, bytes('damage', fs.statSync(file).size));
  await reinstall();
  assert.deepEqual(project.tree(), expectedTree(sampleRelease(), ['core-android-arm64-v8a', 'core-android-x86_64']));
});

withProject('--json reports what was done, on stdout alone', { block: { extras: allExtras } }, async (project) => {
  const report = JSON.parse(ok(await project.run(['--json', '-q'])).stdout);
  assert.equal(report.changed, true);
  assert.equal(report.artifacts.length, 10);
  assert.equal(report.appReason.includes('INIT_CWD'), true);
  assert.ok(report.warnings.some((line) => line.includes('coreml')));
  const again = await project.run(['--json']);
  assert.equal(JSON.parse(again.stdout).changed, false);
});

withProject('pack builds a release that installs, the same bytes each time; lint finds no problem', { block: { extras: ['opencv'] } }, async (project) => {
  const staged = path.join(project.root, 'staged');
  const release = sampleRelease({ size: 5000 });
  for (const [name, files] of Object.entries(release)) for (const [file, content] of Object.entries(files)) write(path.join(staged, name, file), content);
  const outputs = ['one', 'two'].map((name) => path.join(project.root, name));
  for (const output of outputs) ok(await project.run(['pack', staged, '--release', `${product}@0.9.0`, '--output', output]));
  assert.deepEqual(treeOf(outputs[0]), treeOf(outputs[1]));
  assert.ok(fs.existsSync(path.join(outputs[0], 'core-ios.tar.zst')));
  assert.equal(fs.readFileSync(path.join(outputs[0], 'core-ios.tar.zst.sha256'), 'utf8'), `${sha256(fs.readFileSync(path.join(outputs[0], 'core-ios.tar.zst')))}\n`);
  const manifest = path.join(outputs[0], 'rne-manifest.json');
  ok(await project.run(['manifest', 'lint', manifest]));
  ok(await project.run(['--manifest', manifest, '--base-url', `file://${outputs[0]}`, '--require-pinned', '--target', 'all']));
  assert.deepEqual(project.tree(), expectedTree(release, ['core-android-arm64-v8a', 'core-android-x86_64', 'core-ios', 'opencv-android-arm64-v8a', 'opencv-android-x86_64']));
});

withProject('manifest pin fills in a release and says what is missing; lint finds what two artifacts fight over', { block: { extras: [] }, pinned: false }, async (project) => {
  const file = path.join(project.root, 'manifest.json');
  fs.copyFileSync(path.join(repository, `manifests/${product}-0.9.0.json`), file);
  fs.rmSync(path.join(project.release, 'vulkan-android-x86_64.tar.gz'));
  const pinned = ok(await project.run(['manifest', 'pin', file, '--from', project.release]));
  assert.match(pinned.stderr, /no vulkan-android-x86_64\.tar\.gz/);
  const manifest = JSON.parse(fs.readFileSync(file, 'utf8'));
  const core = manifest.artifacts.find((artifact) => artifact.name === 'core-android-arm64-v8a');
  assert.equal(core.archives[0].sha256, sha256(fs.readFileSync(path.join(project.release, 'core-android-arm64-v8a.tar.gz'))));
  assert.equal(core.unpackedSize, 40000);
  assert.equal(core.files.length, 2);
  const opencv = manifest.artifacts.find((artifact) => artifact.name === 'opencv-android-arm64-v8a');
  opencv.files.push({ ...core.files[0], sha256: 'a'.repeat(64) });
  opencv.unpackedSize += core.files[0].size;
  opencv.files.sort((a, b) => (a.path < b.path ? -1 : 1));
  write(file, manifest);
  const lint = await project.run(['manifest', 'lint', file]);
  assert.equal(lint.code, 3, lint.stderr);
  assert.match(lint.stdout, /executorch\/arm64-v8a\/libexecutorch\.so/);
});

withProject('a new backend and a new target are data: no code knows their names', { block: { extras: ['qnn'] } }, async (project) => {
  const release = { ...sampleRelease(), 'core-linux-riscv64': { 'lib/libexecutorch.so': bytes('riscv', 3000) }, 'qnn-linux-riscv64': { 'lib/libqnn_executorch_backend.so': bytes('qnn', 3000) } };
  const manifest = JSON.parse(fs.readFileSync(path.join(repository, `manifests/${product}-0.9.0.json`), 'utf8'));
  project.setRelease(release);
  manifest.targets['linux-riscv64'] = { platform: 'linux', arch: 'riscv64', destination: 'linux/libs', aliases: ['riscv'] };
  manifest.extras.qnn = { flag: 'RNE_ENABLE_QNN', key: 'enableQnn', list: 'extras', platforms: ['linux'] };
  for (const [name, extra] of [['core-linux-riscv64'], ['qnn-linux-riscv64', 'qnn']]) manifest.artifacts.push({ name, target: 'linux-riscv64', extra, archives: [{ file: `${name}.tar.gz`, format: 'tar.gz' }] });
  write(path.join(project.pkg, 'rne-manifest.json'), manifest);
  ok(await project.run(['--target', 'riscv']));
  assert.deepEqual(Object.keys(project.tree()).sort(), ['linux/libs/lib/libexecutorch.so', 'linux/libs/lib/libqnn_executorch_backend.so']);
  assert.equal(project.config().enableQnn, true);
  assert.equal(project.config().RNE_ENABLE_QNN, true);
  assert.equal(project.config().enableOpencv, false);
});

withProject('without a terminal there is one plain line an artifact, without carriage returns or escapes', { block: { extras: ['opencv'] } }, async (project) => {
  const result = ok(await project.run());
  assert.doesNotMatch(result.stderr, /[\r\x1b]/);
  assert.equal(result.stderr.split('\n').filter((line) => line.startsWith('downloaded ')).length, 4);
  assert.equal(result.stdout, '');
  fs.rmSync(project.thirdParty, { recursive: true });
  for (const [args, env] of [[['-q'], {}], [[], { npm_config_loglevel: 'silent' }], [[], { npm_config_loglevel: 'error' }]]) {
    fs.rmSync(project.thirdParty, { recursive: true, force: true });
    assert.equal(ok(await project.run(args, { env })).stderr, '');
  }
});
