// Where the program may lie in this package. Ready-made programs come as
// prebuilt/<platform>-<arch>/rne-libs, in Node's words: linux-x64,
// darwin-arm64, win32-x64.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const name = process.platform === 'win32' ? 'rne-libs.exe' : 'rne-libs';

export const prebuilt = path.join(root, 'prebuilt', `${process.platform}-${process.arch}`, name);
export const built = path.join(root, 'build', name);

export function findProgram() {
  return [prebuilt, built].find((file) => fs.existsSync(file));
}
