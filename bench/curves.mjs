// The results of scale.mjs as a picture: time and memory against bytes, and
// against files; four small plots whose axes begin at zero.
import { describeMachine } from './report.mjs';

const PLOT = { width: 330, height: 170, left: 60, top: 34, stepX: 420, stepY: 250 };
const STATES = ['cold', 'warm', 'nothing'];

const STYLE = `
  text { font: 11px system-ui, sans-serif; fill: #1f2328 }
  .title { font-weight: 600; font-size: 13px } .note { fill: #59636e }
  .axis { stroke: #9aa4af } .limit { stroke: #9aa4af; stroke-dasharray: 4 3 }
  polyline { fill: none; stroke-width: 2 }
  .cold { stroke: #1a7f64 } .warm { stroke: #bc7a00 } .nothing { stroke: #6e56cf }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc } .note { fill: #9198a1 }
    .cold { stroke: #2fbf97 } .warm { stroke: #e3a33b } .nothing { stroke: #a292f0 }
  }`;

function plot({ title, points, x, value, unit, limit }, column, row) {
  const left = PLOT.left + column * PLOT.stepX;
  const top = PLOT.top + row * PLOT.stepY;
  const bottom = top + PLOT.height;
  const most = Math.max(...points.map((point) => point[x]));
  const high = Math.max(limit ?? 0, ...points.flatMap((point) => STATES.map((state) => value(point[state])))) * 1.05;
  const at = (point, state) => [left + (point[x] / most) * PLOT.width, bottom - (value(point[state]) / high) * PLOT.height]
    .map((number) => number.toFixed(1)).join(',');
  const parts = [
    `<text class="title" x="${left - 50}" y="${top - 14}">${title}</text>`,
    `<path class="axis" fill="none" d="M${left} ${top}V${bottom}H${left + PLOT.width}"/>`,
    `<text x="${left - 6}" y="${top + 8}" text-anchor="end">${high.toFixed(0)} ${unit}</text>`,
    `<text x="${left - 6}" y="${bottom}" text-anchor="end">0</text>`,
    `<text x="${left + PLOT.width}" y="${bottom + 16}" text-anchor="end">${most.toLocaleString('en')}</text>`,
  ];
  if (limit) {
    const y = (bottom - (limit / high) * PLOT.height).toFixed(1);
    parts.push(`<path class="limit" d="M${left} ${y}H${left + PLOT.width}"/>`);
  }
  for (const state of STATES) {
    const last = at(points.at(-1), state).split(',');
    parts.push(`<polyline class="${state}" points="${points.map((point) => at(point, state)).join(' ')}"/>`,
      `<text x="${Number(last[0]) + 4}" y="${Number(last[1]) + 4}">${state}</text>`);
  }
  return parts.join('\n');
}

export function curves({ bytes, files, machine, rounds }) {
  const time = (state) => state.wall;
  const memory = (state) => state.heldKb / 1024;
  const plots = [
    [{ title: 'Time against unpacked MB', points: bytes, x: 'megabytes', value: time, unit: 'ms' }, 0, 0],
    [{ title: 'Memory of all processes against unpacked MB', points: bytes, x: 'megabytes', value: memory, unit: 'MB', limit: 40 }, 1, 0],
    [{ title: 'Time against files', points: files, x: 'files', value: time, unit: 'ms' }, 0, 1],
    [{ title: 'Memory of all processes against files', points: files, x: 'files', value: memory, unit: 'MB', limit: 40 }, 1, 1],
  ].map(([what, column, row]) => plot(what, column, row));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 880 510" role="img" aria-label="Time and memory of rne-libs against size">
<style>${STYLE}
</style>
${plots.join('\n')}
<text class="note" x="10" y="500">Medians of ${rounds} runs. ${describeMachine(machine)}</text>
</svg>
`;
}
