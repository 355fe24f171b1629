// A file system of one's own, fresh and with a journal, on a loop device: what
// else happens on the disk's own file system does not count then, and those
// that clone files can be tried anywhere. Needs root.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const SIZE = 12 * 2 ** 30; // sparse
const MAKERS = { ext4: ['mkfs.ext4', '-q', '-F'], xfs: ['mkfs.xfs', '-q', '-f'], btrfs: ['mkfs.btrfs', '-q', '-f'] };

const run = (command, ...args) => execFileSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });

// Calls `use(folder)` with the root of a new file system of this type.
export async function withFileSystem(type, work, use) {
  if (!MAKERS[type]) throw new Error(`--filesystem: expected one of ${Object.keys(MAKERS)}, found ${type}`);
  const image = path.join(work, `${type}.img`);
  const folder = path.join(work, `${type}.mount`);
  fs.mkdirSync(folder, { recursive: true });
  fs.closeSync(fs.openSync(image, 'w'));
  fs.truncateSync(image, SIZE);
  run(...MAKERS[type], image);
  run('mount', '-o', 'loop', image, folder);
  try {
    await use(folder);
  } finally {
    run('umount', folder);
    fs.rmSync(image);
  }
}
