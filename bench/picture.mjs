// Results as a picture for the README: per scenario a group of bars, each
// group as wide as its slowest. It follows the reader's light or dark theme.
import { describeMachine } from './report.mjs';

const WIDTH = 820;
const LEFT = 210;
const BAR = 14;
const GAP = 5;
const SHOWN = ['nothing', 'warm', 'cold', 'limited', 'distant'];
const WHO = { rne: 'own', pipeline: 'other', upstream: 'other', floor: 'least', copy: 'least', start: 'least' };

const STYLE = `
  text { font: 12px system-ui, sans-serif; fill: #1f2328 }
  .title { font-weight: 600; font-size: 13px }
  .note { fill: #59636e; font-size: 11px }
  .own { fill: #1a7f64 } .other { fill: #9aa4af } .least { fill: #d0d7de }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc } .note { fill: #9198a1 }
    .own { fill: #2fbf97 } .other { fill: #656c76 } .least { fill: #3d444d }
  }`;

const escape = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');

function time(milliseconds) {
  if (milliseconds >= 1000) return `${(milliseconds / 1000).toFixed(2)} s`;
  return `${milliseconds >= 20 ? milliseconds.toFixed(0) : milliseconds.toFixed(1)} ms`;
}

function bar(one, kind, y, scale, own) {
  const width = Math.max(1.5, one.wall * scale);
  const ratio = own && one !== own && kind === 'other' ? `  (${(one.wall / own.wall).toFixed(1)} x)` : '';
  return `<text x="${LEFT - 8}" y="${y + 11}" text-anchor="end">${escape(one.title)}</text>` +
    `<rect class="${kind}" x="${LEFT}" y="${y}" width="${width.toFixed(1)}" height="${BAR}" rx="2"/>` +
    `<text x="${(LEFT + width + 6).toFixed(1)}" y="${y + 11}">${time(one.wall)}${ratio}</text>`;
}

function group({ title, results }, top) {
  const shown = Object.keys(WHO).filter((name) => results[name]).map((name) => [results[name], WHO[name]]);
  const scale = (WIDTH - LEFT - 130) / Math.max(...shown.map(([one]) => one.wall));
  const parts = [`<text class="title" x="8" y="${top + 13}">${escape(title)}</text>`];
  let y = top + 22;
  for (const [one, kind] of shown) {
    parts.push(bar(one, kind, y, scale, results.rne));
    y += BAR + GAP;
  }
  return { text: parts.join('\n'), bottom: y + 12 };
}

export function picture(results) {
  const parts = [];
  let y = 8;
  for (const scenario of results.scenarios.filter(({ name }) => SHOWN.includes(name))) {
    const { text, bottom } = group(scenario, y);
    parts.push(text);
    y = bottom;
  }
  parts.push(`<text class="note" x="8" y="${y + 6}">Medians of ${results.rounds} runs, interleaved. ` +
    `${escape(describeMachine(results.machine))}</text>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y + 16}" role="img" ` +
    `aria-label="Time to install, rne-libs beside others">\n<style>${STYLE}\n</style>\n${parts.join('\n')}\n</svg>\n`;
}
