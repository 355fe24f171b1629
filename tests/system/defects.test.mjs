// What goes wrong with the installer that the package ships: each of these was
// seen there, and none happens here.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { allExtras, expectedTree, ok, product, sampleRelease, serve, sha256, withProject, write, writeRelease } from './lib/project.mjs';

const unpinned = { pinned: false, block: { extras: ['opencv'] } };
const wanted = ['core', 'opencv'].flatMap((name) => [`${name}-android-arm64-v8a`, `${name}-android-x86_64`]);
const nothingInstalled = (project) => {
  assert.deepEqual(project.tree(), {});
  assert.equal(fs.existsSync(project.configFile), false);
};

withProject('a connection that drops half-way is an error, and the next run needs no clean-up', unpinned, async (project) => {
  const server = await serve(project.release, (request, response) => {
    if (!request.url.endsWith('core-android-arm64-v8a.tar.gz')) return false;
    const body = fs.readFileSync(path.join(project.release, request.url));
    response.writeHead(200, { 'Content-Length': body.length });
    response.write(body.subarray(0, body.length >> 1), () => response.destroy());
    return true;
  });
  const result = await project.run([], { env: { RNET_BASE_URL: server.url } });
  server.close();
  assert.equal(result.code, 4, result.stderr);
  assert.match(result.stderr, /core-android-arm64-v8a\.tar\.gz/);
  nothingInstalled(project);
  ok(await project.run());
  assert.deepEqual(project.tree(), expectedTree(sampleRelease(), wanted));
});

withProject('a server that accepts and then says nothing does not hang the install', unpinned, async (project) => {
  const server = await serve(project.release, () => true);
  const result = await project.run(['--stall-timeout', '1'], { env: { RNET_BASE_URL: server.url } });
  server.close();
  assert.equal(result.code, 4, result.stderr);
  assert.match(result.stderr, /127\.0\.0\.1/);
  nothingInstalled(project);
});

for (const status of [301, 302, 303, 307, 308]) {
  withProject(`a redirect with ${status} is followed`, unpinned, async (project) => {
    const server = await serve(project.release, (request, response) => {
      if (request.url.startsWith('/moved/')) {
        request.url = request.url.slice('/moved'.length);
        return false;
      }
      response.writeHead(status, { Location: `/moved${request.url}` }).end();
      return true;
    });
    ok(await project.run([], { env: { RNET_BASE_URL: server.url } }));
    server.close();
    assert.deepEqual(project.tree(), expectedTree(sampleRelease(), wanted));
  });
}

withProject('a warm cache installs without a network', unpinned, async (project) => {
  ok(await project.run());
  fs.rmSync(project.thirdParty, { recursive: true });
  const closed = await project.run([], { env: { RNET_BASE_URL: 'http://127.0.0.1:1' } });
  ok(closed);
  assert.match(closed.stderr, /verified before/);
  assert.deepEqual(project.tree(), expectedTree(sampleRelease(), wanted));
  fs.rmSync(project.thirdParty, { recursive: true });
  ok(await project.run(['--offline'], { env: { RNET_BASE_URL: 'http://127.0.0.1:1' } }));
  assert.deepEqual(project.tree(), expectedTree(sampleRelease(), wanted));
});

withProject('403 or an empty body for a sidecar leaves a warm cache as good as it was', unpinned, async (project) => {
  ok(await project.run());
  for (const [status, body] of [[403, 'rate limit exceeded'], [200, ''], [200, '<html>login</html>']]) {
    fs.rmSync(project.thirdParty, { recursive: true });
    const server = await serve(project.release, (request, response) => {
      if (!request.url.endsWith('.sha256')) return false;
      response.writeHead(status).end(body);
      return true;
    });
    ok(await project.run([], { env: { RNET_BASE_URL: server.url } }));
    server.close();
    assert.ok(server.requests.every((request) => request.url.endsWith('.sha256')), 'an archive was downloaded again');
    assert.deepEqual(project.tree(), expectedTree(sampleRelease(), wanted));
  }
});

for (const value of ['0', 'false', 'no', 'off', '']) {
  withProject(`RNET_SKIP_DOWNLOAD=${value || "''"} does not skip`, unpinned, async (project) => {
    ok(await project.run([], { env: { RNET_SKIP_DOWNLOAD: value } }));
    assert.deepEqual(project.tree(), expectedTree(sampleRelease(), wanted));
  });
}

withProject('RNET_SKIP_DOWNLOAD=1 writes the build config and nothing else', unpinned, async (project) => {
  ok(await project.run([], { env: { RNET_SKIP_DOWNLOAD: '1', RNET_BASE_URL: 'http://127.0.0.1:1' } }));
  assert.deepEqual(project.tree(), {});
  assert.equal(project.config().enableOpencv, true);
  assert.equal(project.config().enableVulkan, false);
  assert.equal((await project.run([], { env: { RNET_SKIP_DOWNLOAD: 'maybe' } })).code, 2);
});

withProject('RNET_TARGET=android-arm64 is an alias, several targets are a list, others are refused with the nearest', unpinned, async (project) => {
  ok(await project.run([], { env: { RNET_TARGET: 'android-arm64' } }));
  assert.deepEqual(project.tree(), expectedTree(sampleRelease(), ['core-android-arm64-v8a', 'opencv-android-arm64-v8a']));
  ok(await project.run([], { env: { RNET_TARGET: 'ios,android-x64' } }));
  assert.deepEqual(project.tree(), expectedTree(sampleRelease(), ['core-android-x86_64', 'opencv-android-x86_64', 'core-ios']));
  const refused = await project.run([], { env: { RNET_TARGET: 'android-arm46' } });
  assert.equal(refused.code, 2, refused.stderr);
  assert.match(refused.stderr, /RNET_TARGET.*android-arm46[\s\S]*android-arm64/);
});

const digestOf = (project, file) => sha256(fs.readFileSync(path.join(project.release, file)));
const sidecars = {
  'as sha256sum writes it': (digest, file) => `${digest}  ${file}\n`,
  'as sha256sum -b writes it': (digest, file) => `${digest} *${file}\n`,
  'as BSD writes it': (digest, file) => `SHA256 (${file}) = ${digest}\n`,
  'in upper case with CRLF': (digest) => `${digest.toUpperCase()}\r\n`,
};
for (const [name, form] of Object.entries(sidecars)) {
  withProject(`a sidecar ${name} is read`, unpinned, async (project) => {
    for (const file of fs.readdirSync(project.release).filter((entry) => entry.endsWith('.tar.gz'))) write(path.join(project.release, `${file}.sha256`), form(digestOf(project, file), file));
    ok(await project.run());
    assert.deepEqual(project.tree(), expectedTree(sampleRelease(), wanted));
  });
}

const broken = {
  'invalid JSON': ['{ "name": "app", }', /package\.json:1:/],
  'a misspelt key': [{ [product]: { extra: ['opencv'] } }, /extra[\s\S]*extras/],
  'a string instead of a list': [{ [product]: { extras: 'opencv' } }, /extras[\s\S]*string/],
  'a null block': [{ [product]: null }, /null/],
  'a misspelt extra': [{ [product]: { extras: ['opencv', 'xnnpak'] } }, /xnnpak[\s\S]*xnnpack/],
};
for (const [name, [content, message]] of Object.entries(broken)) {
  withProject(`${name} in package.json is an error that names the place, never all on or all off`, unpinned, async (project) => {
    write(path.join(project.app, 'package.json'), content);
    const result = await project.run();
    assert.equal(result.code, 3, result.stderr);
    assert.match(result.stderr, message);
    nothingInstalled(project);
  });
}

withProject('a token goes to no host but the one it is for', unpinned, async (project) => {
  const server = await serve(project.release);
  ok(await project.run([], { env: { RNET_BASE_URL: `${server.url}/github.com/..`.replace('/github.com/..', ''), GITHUB_TOKEN: 'ghp_secret' } }));
  server.close();
  assert.ok(server.requests.every((request) => request.headers.authorization === undefined));
});

withProject('an extra switched off is gone, and comes back from the cache without a request', { block: { extras: allExtras } }, async (project) => {
  const server = await serve(project.release);
  const env = { RNET_BASE_URL: server.url };
  const library = path.join(project.thirdParty, 'android/libs/executorch/arm64-v8a/libvulkan_executorch_backend.so');
  ok(await project.run([], { env }));
  assert.ok(fs.existsSync(library));
  project.setBlock({ extras: ['opencv'] });
  ok(await project.run([], { env }));
  assert.equal(fs.existsSync(library), false);
  assert.equal(fs.existsSync(path.join(project.thirdParty, 'android/libs/phonemis')), false);
  const requests = server.requests.length;
  project.setBlock({ extras: allExtras });
  ok(await project.run([], { env }));
  server.close();
  assert.ok(fs.existsSync(library));
  assert.equal(server.requests.length, requests);
});

withProject('an upgrade touches only the files whose bytes changed', { block: { extras: ['opencv'] } }, async (project) => {
  ok(await project.run());
  const same = path.join(project.thirdParty, 'android/libs/opencv/arm64-v8a/libopencv_core.a');
  const changed = path.join(project.thirdParty, 'android/libs/executorch/arm64-v8a/libexecutorch.so');
  const before = [same, changed].map((file) => fs.statSync(file, { bigint: true }));
  const next = sampleRelease();
  next['core-android-arm64-v8a']['executorch/arm64-v8a/libexecutorch.so'] = 'another runtime';
  next['opencv-android-arm64-v8a']['opencv/arm64-v8a/libopencv_imgproc.a'] = 'a new file beside it';
  project.setRelease(next);
  ok(await project.run());
  const after = [same, changed].map((file) => fs.statSync(file, { bigint: true }));
  assert.equal(after[0].ino, before[0].ino);
  assert.equal(after[0].mtimeNs, before[0].mtimeNs);
  assert.ok(after[1].mtimeNs > before[1].mtimeNs);
  assert.deepEqual(project.tree(), expectedTree(next, wanted));
});

withProject('a release cut anew under its version is noticed by its sidecar', unpinned, async (project) => {
  ok(await project.run());
  const next = sampleRelease({ seed: 'v1, again' });
  fs.rmSync(project.release, { recursive: true });
  writeRelease(project.release, next);
  fs.rmSync(project.thirdParty, { recursive: true });
  ok(await project.run());
  assert.deepEqual(project.tree(), expectedTree(next, wanted));
});

withProject('in a monorepo the app in a workspace decides, whatever folder the install began in', unpinned, async (project) => {
  const mobile = path.join(project.app, 'apps/mobile');
  write(path.join(project.app, 'package.json'), { name: 'root', private: true, workspaces: ['apps/*'] });
  write(path.join(mobile, 'package.json'), { name: 'mobile', dependencies: { [product]: '0.9.0' }, [product]: { extras: [] } });
  write(path.join(project.app, 'apps/web/package.json'), { name: 'web' });
  for (const init of [project.app, mobile]) {
    ok(await project.run([], { env: { INIT_CWD: init } }));
    assert.deepEqual(project.config().rneLibs.extras, []);
    assert.equal(project.config().rneLibs.app, '../../apps/mobile/package.json');
  }
});
