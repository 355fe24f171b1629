// What reads the build config in earnest: the podspec, build.gradle.kts and
// CMakeLists.txt of the published react-native-executorch 0.10.2, unmodified,
// filled from a release of real libraries. They must see the flags that the app
// chose, and every library that they then link must be there.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { realRelease } from '../fixtures/real-release.mjs';
import { registryPackage } from '../fixtures/registry.mjs';
import { makeProject, product, repository } from './lib/project.mjs';

const fixtures = path.join(repository, 'tests/fixtures');
const everything = ['opencv', 'phonemis', 'xnnpack', 'coreml', 'mlx', 'vulkan'];

// The app's block, and what it has to mean.
const choices = [
  { name: 'no block', block: undefined, on: everything },
  { name: 'the core alone', block: { backends: [], libs: [] }, on: [] },
  { name: 'one backend', block: { backends: ['xnnpack'] }, on: ['xnnpack'] },
  { name: 'a backend and a library', block: { backends: ['vulkan'], libs: ['opencv'] }, on: ['vulkan', 'opencv'] },
  { name: 'a feature', block: { features: ['llm'] }, on: ['xnnpack', 'mlx', 'vulkan'] },
  { name: 'features, and a pod of the app’s own', block: { features: ['textToSpeech', 'ocr'], opencvPod: 'FastOpenCV-iOS' }, on: everything, pod: 'FastOpenCV-iOS' },
  { name: 'the older words', block: { extras: ['opencv', 'phonemizer', 'coreml'] }, on: ['opencv', 'phonemis', 'coreml'] },
];

const key = (extra) => `enable${extra[0].toUpperCase()}${extra.slice(1)}`;
const flag = (extra) => `RNE_ENABLE_${extra.toUpperCase()}`;
const only = (on, known) => known.filter((extra) => on.includes(extra));

// A reason not to run, or false.
function lacks(command, ...args) {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0 ? false : `${command} is not here or does not start`;
}

function call(command, args) {
  const result = spawnSync(command, args, { encoding: 'utf8' });
  assert.equal(result.status, 0, `${command}: ${result.stderr}${result.stdout}`);
  return result.stdout;
}

function prepare() {
  if (process.env.RNE_SANITIZED) return { reason: 'equivalence.test.mjs takes the program the same way' };
  try {
    return { release: realRelease('0.10.0'), source: registryPackage(product, '0.10.2') };
  } catch (error) {
    return { reason: error.message };
  }
}

const { release, source, reason } = prepare();

describe('the published package, filled', { skip: reason }, () => {
  let project;

  before(() => {
    project = makeProject({ release: {} });
    fs.rmSync(project.pkg, { recursive: true });
    fs.cpSync(source, project.pkg, { recursive: true });
  });
  after(() => project.remove());

  async function fill(block) {
    project.setBlock(block);
    const result = await project.run(['--target', 'all'], { env: { RNET_BASE_URL: `file://${release}` } });
    assert.equal(result.code, 0, result.stderr);
  }

  // What Ruby's podspec makes of it.
  function pod() {
    return JSON.parse(call('ruby', [path.join(fixtures, 'podspec.rb'), path.join(project.pkg, `${product}.podspec`)]));
  }

  // build.gradle.kts: "-DRNE_ENABLE_X=${rneFlag("enableX")}", which is ON
  // unless the config says false.
  function gradleArguments() {
    const script = fs.readFileSync(path.join(project.pkg, 'android/build.gradle.kts'), 'utf8');
    const found = [...script.matchAll(/"-D(RNE_ENABLE_\w+)=\$\{rneFlag\("(\w+)"\)\}"/g)];
    assert.equal(found.length, 4);
    return found.map(([, name, word]) => `-D${name}=${project.config()[word] !== false ? 'ON' : 'OFF'}`);
  }

  // CMake's own account of the target RnExecutorch (cmake-file-api(7)).
  function cmake(abi) {
    const folder = path.join(project.root, 'cmake');
    const api = path.join(folder, '.cmake/api/v1');
    fs.rmSync(folder, { recursive: true, force: true });
    fs.mkdirSync(path.join(api, 'query/codemodel-v2'), { recursive: true });
    call('cmake', ['-S', path.join(project.pkg, 'android'), '-B', folder, `-DReactAndroid_DIR=${fixtures}/cmake`, `-Dfbjni_DIR=${fixtures}/cmake`, `-DANDROID_ABI=${abi}`, ...gradleArguments()]);
    const reply = path.join(api, 'reply');
    const file = fs.readdirSync(reply).find((name) => name.startsWith('target-RnExecutorch-'));
    return JSON.parse(fs.readFileSync(path.join(reply, file), 'utf8'));
  }

  const isThere = (file) => assert.ok(fs.existsSync(file), `${file} is linked and not there`);

  for (const { name, block, on, pod: ownPod } of choices) {
    test(`the podspec sees the flags chosen: ${name}`, { skip: lacks('ruby', '--version') }, async () => {
      await fill(block);
      const { settings, dependencies } = pod();
      const known = everything.filter((extra) => extra !== 'vulkan');
      const flags = settings.pod_target_xcconfig.OTHER_CPLUSPLUSFLAGS.split(' ').filter((word) => word.startsWith('-DRNE_'));
      assert.deepEqual(flags, only(on, known).map((extra) => `-D${flag(extra)}`));

      const linked = settings.user_target_xcconfig['OTHER_LDFLAGS[sdk=iphoneos*]'].match(/\/[^"]*\.a/g);
      for (const file of linked) isThere(file);
      const backends = linked.map((file) => /lib(\w+)Backend\.a/.exec(file)?.[1].toLowerCase()).filter(Boolean);
      assert.deepEqual(backends, only(on, ['xnnpack', 'coreml', 'mlx']));

      assert.deepEqual(Object.keys(dependencies), on.includes('opencv') ? [ownPod ?? 'opencv-rne'] : []);
      assert.equal(settings.frameworks.includes('CoreML'), on.includes('coreml'));
      isThere(path.join(project.pkg, settings.ios.vendored_frameworks[0]));
      if (settings.ios.resource) isThere(path.join(project.pkg, settings.ios.resource));
    });

    test(`CMake sees the flags chosen: ${name}`, { skip: lacks('cmake', '--version') }, async () => {
      await fill(block);
      for (const abi of ['arm64-v8a', 'x86_64']) {
        const target = cmake(abi);
        const defines = target.compileGroups[0].defines.map(({ define }) => define).filter((word) => word.startsWith('RNE_'));
        assert.deepEqual(defines, only(on, ['opencv', 'phonemis']).map(flag));

        const linked = target.link.commandFragments.map(({ fragment }) => fragment).filter((word) => word.startsWith(project.pkg) || word.startsWith('/'));
        for (const file of linked) isThere(file);
        const backends = linked.map((file) => /lib(\w+)_executorch_backend\.so$/.exec(file)?.[1]).filter(Boolean);
        assert.deepEqual(backends, only(on, ['xnnpack', 'vulkan']));
        assert.equal(linked.some((file) => file.includes('libopencv_core.a')), on.includes('opencv'));
        assert.equal(target.sources.some((file) => file.path.includes('extensions/cv/')), on.includes('opencv'));
      }
    });
  }

  test('a JsonSlurper in Groovy reads the flags chosen, for every choice', { skip: lacks('groovy', '--version') }, async () => {
    const files = [];
    for (const { block } of choices) {
      await fill(block);
      files.push(path.join(project.root, `config-${files.length}.json`));
      fs.copyFileSync(project.configFile, files.at(-1));
    }
    const read = call('groovy', [path.join(fixtures, 'slurp.groovy'), ...files]).trim().split('\n').map((line) => JSON.parse(line));
    choices.forEach(({ name, on, pod: ownPod }, i) => {
      const flags = Object.fromEntries(everything.map((extra) => [key(extra), on.includes(extra)]));
      const found = Object.fromEntries(Object.entries(read[i]).filter(([word]) => word.startsWith('enable')));
      assert.deepEqual(found, flags, name);
      assert.equal(read[i].opencvPod, ownPod, name);
    });
  });
});
