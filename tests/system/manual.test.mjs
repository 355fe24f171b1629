// The manual page against the program: neither knows an option, command,
// variable, exit code or file that the other does not.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { binary, repository, run } from './lib/project.mjs';

const read = (name) => fs.readFileSync(path.join(repository, name), 'utf8');
const page = read('docs/rne-libs.1');
const help = async (...args) => (await run(binary, ['help', ...args])).stdout;
const section = (name) => new RegExp(`^\\.Sh ${name}\\n([^]*?)(?=^\\.Sh |$(?![^]))`, 'm').exec(page)[1];
const sorted = (words) => [...new Set(words)].sort();

// The words of a macro that stand for names: ".It Ev A , B" has two.
function words(text, macro) {
  const lines = text.split('\n').filter((line) => new RegExp(`^\\.(?:It )?${macro} `).test(line));
  return lines.flatMap((line) => line.replace(/^\.(?:It )?\w+ /, '').split(/ [,;.] ?/)).filter(Boolean);
}

// The first column of a part of help's output.
const column = (text, title) => [...text.split(`${title}`)[1].split('\n\n')[0].matchAll(/^ {2}(\S.*?)(?: {2,}.*|)$/gm)].map((match) => match[1]);

test('every option of help is in the manual, and the other way round', async () => {
  const inHelp = column(await help(), 'Options:\n').flatMap((left) => left.match(/--[a-z-]+/g));
  const inPage = section('OPTIONS').split('\n').filter((line) => line.startsWith('.It Fl')).map((line) => `-${/-[a-z]{2}[a-z-]*/.exec(line)[0]}`);
  assert.ok(inHelp.length > 20);
  assert.deepEqual(sorted(inPage), sorted(inHelp));
});

test('every command of help is in the manual, and the other way round', async () => {
  const inHelp = column(await help(), 'Commands (install when none is named):\n').map((left) => left.split(' ')[0]);
  const items = section('COMMANDS').split('\n').filter((line) => line.startsWith('.It Cm ')).map((line) => line.split(' '));
  assert.deepEqual(sorted(items.map((item) => item[2])), sorted(inHelp));
  for (const name of ['cache', 'manifest']) {
    const usage = /usage: rne-libs \w+ (.*) \[OPTION\]/.exec(await help(name))[1];
    const actions = usage.split('|').map((action) => action.split(' ')[0]);
    assert.deepEqual(sorted(items.filter((item) => item[2] === name).map((item) => item[3])), sorted(actions), name);
  }
});

test('every variable of help is in the manual, and the other way round', async () => {
  const inHelp = column(await help(), 'variable):\n');
  const environment = section('ENVIRONMENT');
  assert.ok(inHelp.length > 30);
  assert.deepEqual(sorted(words(environment, 'Ev')), sorted(inHelp));
});

test('every exit code is in the manual, and the other way round', () => {
  const codes = [...read('include/error.h').matchAll(/ERROR_\w+ = (\d+),/g)].map((match) => match[1]);
  const items = [...section('EXIT STATUS').matchAll(/^\.It (\d+)/gm)].map((match) => match[1]);
  assert.ok(codes.length > 9);
  assert.deepEqual(items, codes);
});

test('the files that users meet are in the manual', () => {
  const files = section('FILES');
  for (const name of ['rne-build-config.json', 'receipt.json', 'replaced', 'archives', 'index', 'partial', 'trees']) {
    assert.match(files, new RegExp(`^\\.It Pa (?:.*/)?${name}$`, 'm'), name);
  }
  const layout = read('include/layout.h') + read('include/cache.h');
  for (const name of ['rne-build-config.json', 'receipt.json', 'replaced', 'archives/', 'index/', 'partial/', 'trees/']) assert.ok(layout.includes(name), name);
});

test('the package, the program and the changes speak of one version', async () => {
  const { version } = JSON.parse(read('package.json'));
  assert.ok((await run(binary, ['--version'])).stdout.startsWith(`rne-libs ${version}\n`));
  assert.match(read('CHANGELOG.md'), new RegExp(`^## ${version.replaceAll('.', '\\.')}`, 'm'));
});
