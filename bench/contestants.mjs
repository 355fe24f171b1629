// Who runs: each gets a place of its own, laid out as in an app, and knows the
// command that fills it from a release.
import fs from 'node:fs';
import path from 'node:path';

const PRODUCT = 'react-native-executorch';
const BACKENDS = ['xnnpack', 'vulkan'];
const EXTRA = 'opencv'; // the one that is switched off and on

// An app with the package in its node_modules/, and a cache beside it.
export class Place {
  constructor(folder, upstream) {
    this.folder = folder;
    this.app = path.join(folder, 'app');
    this.package = path.join(this.app, 'node_modules', PRODUCT);
    this.thirdParty = path.join(this.package, 'third-party');
    this.cache = path.join(folder, 'cache');
    fs.rmSync(folder, { recursive: true, force: true });
    fs.mkdirSync(path.join(this.package, 'scripts'), { recursive: true });
    for (const file of ['package.json', 'scripts/download-libs.js'])
      fs.copyFileSync(path.join(upstream, file), path.join(this.package, file));
    this.choose(true);
  }

  choose(extra) {
    const block = { backends: BACKENDS, libs: extra ? [EXTRA] : [] };
    const manifest = { name: 'app', dependencies: { [PRODUCT]: '*' }, [PRODUCT]: block };
    fs.writeFileSync(path.join(this.app, 'package.json'), JSON.stringify(manifest, null, 2));
    this.extra = extra;
  }

  removeInstalled() {
    fs.rmSync(this.thirdParty, { recursive: true, force: true });
    fs.rmSync(path.join(this.package, 'rne-build-config.json'), { force: true });
  }

  removeCache() {
    fs.rmSync(this.cache, { recursive: true, force: true });
  }

  environment(url) {
    return { INIT_CWD: this.app, RNET_BASE_URL: url, RNET_LIBS_CACHE_DIR: this.cache };
  }
}

export const isExtra = (name) => name.startsWith(EXTRA);

function archives(release, form) {
  const expected = JSON.parse(fs.readFileSync(path.join(release, 'expected.json')));
  return Object.entries(expected).map(([artifact, { destination }]) => {
    const file = `${artifact}.tar.${form}`;
    const sha256 = fs.readFileSync(path.join(release, `${file}.sha256`), 'utf8').trim();
    return { file, sha256, folder: destination || '.', size: fs.statSync(path.join(release, file)).size };
  }).sort((a, b) => b.size - a.size);
}

// Lists for programs that read one: the archive's line, largest first.
export function archiveList(release, form, name, absolute) {
  const list = path.join(release, name);
  const lines = archives(release, form).map(({ file, sha256, folder }) =>
    `${absolute ? path.join(release, file) : file} ${sha256} ${folder}\n`);
  fs.writeFileSync(list, lines.join(''));
  return list;
}

export const largestArchive = (release) => archives(release, 'gz')[0].size;

// What follows makes functions of (place, release, url) that answer with a
// command.
const program = (binary, options = [], manifest = 'manifest.json') => (place, release, url) => ({
  argv: [binary, ...options],
  cwd: place.package,
  env: { ...place.environment(url), RNET_MANIFEST: path.join(release, manifest) },
});

const upstream = (place, release, url) => ({
  argv: [process.execPath, 'scripts/download-libs.js'],
  cwd: place.package,
  env: place.environment(url),
});

const pipeline = (script, jobs) => (place, release, url) => ({
  argv: [script, archiveList(release, 'gz', 'pipeline.list', false), url, place.cache, place.thirdParty, `${jobs}`],
  cwd: place.folder,
});

const floor = (tool, jobs, form) => (place, release) => ({
  argv: [tool.floor, `${jobs}`, place.thirdParty],
  cwd: place.folder,
  input: archiveList(release, form, `floor-${form}.list`, true),
});

// What the line allows: all archives at once to nowhere.
const line = (place, release, url) => ({
  argv: ['curl', '-fsS', '--no-progress-meter', '-Z', '--parallel-immediate',
    ...archives(release, 'gz').flatMap(({ file }) => ['-o', '/dev/null', `${url}/${file}`])],
});

// The files themselves, copied from a folder that lies ready.
const copy = (reference, options) => (place, release) => ({
  argv: ['cp', '-r', ...options, reference(release), place.thirdParty],
  cwd: place.folder,
});

// name -> { title, command, leavesFiles, installsNothing }; leavesFiles: what is
// switched off stays on disk. `binaries`: name -> path of builds of rne-libs;
// the first is the one that all are compared with.
export function contestants({ tool, binaries, jobs, here, reference }) {
  const [[, main]] = Object.entries(binaries);
  const others = Object.entries(binaries).slice(1).map(([name, binary]) => [name, { title: name, command: program(binary) }]);
  return {
    rne: { title: 'rne-libs', command: program(main) },
    ...Object.fromEntries(others),
    'rne-no-sync': { title: 'rne-libs --no-sync', command: program(main, ['--no-sync']) },
    'rne-zst': { title: 'rne-libs, .tar.zst', command: program(main, [], 'manifest-zst.json') },
    upstream: { title: "upstream's script", command: upstream, leavesFiles: true },
    pipeline: { title: 'curl, sha256sum, bsdtar', command: pipeline(path.join(here, 'pipeline.sh'), jobs) },
    floor: { title: 'floor: hash, inflate, write', command: floor(tool, jobs, 'gz') },
    'floor-zst': { title: 'floor of .tar.zst', command: floor(tool, jobs, 'zst') },
    copy: { title: 'cp -r', command: copy(reference, []) },
    line: { title: 'curl -Z to /dev/null', command: line, installsNothing: true },
    start: { title: 'floor: start a process', command: () => ({ argv: ['/bin/true'] }), installsNothing: true },
  };
}
