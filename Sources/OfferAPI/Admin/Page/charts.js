// Bars over time.

import { h, svg, sum, compact, number, words, table } from './elements.js';

// A round number that is at least the largest, of which a half is round, too.
function ceiling(largest) {
  if (largest <= 4) return 4;
  const power = 10 ** Math.floor(Math.log10(largest));
  return [1, 2, 3, 4, 6, 8, 10].map((step) => step * power).find((step) => step >= largest && step % 2 === 0);
}

// Bars over time: points are { label, axis, values }, with a value for each of the series { name, class, width }. They
// are stacked, or one before the other from wide to narrow.
export function chart(title, summary, series, points, { stacked = false, first = 'Day (UTC)' } = {}) {
  const holder = h('div', null);
  drawings.set(holder, () => {
    const image = bars(Math.max(holder.clientWidth, 240), series, points, stacked);
    image.setAttribute('aria-label', `${title}. ${summary}`);
    holder.replaceChildren(image);
  });
  observer.observe(holder);
  const legend = h('ul', { class: 'legend' }, series.map((one, index) => h('li', null,
    svg('svg', { width: 12, height: 12, 'aria-hidden': 'true' },
      svg('rect', { class: one.class, width: 12, height: 12, rx: 3 })),
    `${one.name} ${number(sum(points.map((point) => point.values[index])))}`)));
  const rows = points.filter((point) => sum(point.values) > 0).reverse()
    .map((point) => [point.label, ...point.values.map(number)]);
  return h('figure', null, holder, legend, h('details', { 'data-key': `table of ${title}` },
    h('summary', null, 'As a table'),
    table(null, [first, ...series.map((one) => ({ text: one.name, number: true }))], rows)));
}

function bars(width, series, points, stacked) {
  const height = 190;
  const top = ceiling(Math.max(...points.map((point) => (stacked ? sum(point.values) : Math.max(...point.values)))));
  const [left, right, base] = [compact.format(top / 2).length * 7 + 10, 4, height - 20];
  const step = (width - left - right) / points.length;
  const y = (value) => base - (value / top) * (base - 10);
  const grid = [top, top / 2].map((value) => [
    svg('line', { class: 'grid', x1: left, x2: width - right, y1: y(value), y2: y(value) }),
    svg('text', { x: left - 6, y: y(value) + 4, 'text-anchor': 'end' }, compact.format(value)),
  ]);
  const columns = points.map((point, index) => {
    const start = left + index * step;
    let floor = 0;
    const parts = series.map((one, place) => {
      const value = point.values[place];
      if (!value) return null;
      const from = stacked ? floor : 0;
      floor += value;
      const wide = Math.max(step * (one.width ?? 0.82), 1);
      return svg('rect', {
        class: one.class, x: start + (step - wide) / 2, y: y(from + value), width: wide,
        height: Math.max(y(from) - y(from + value), 1), rx: Math.min(1.5, wide / 3),
      });
    });
    const said = series.map((one, place) => [one.name, point.values[place]])
      .filter(([, value]) => !stacked || value > 0).map(([name, value]) => `${name} ${number(value)}`);
    return svg('g', null, svg('title', null, [point.label, ...said].join('\n')), parts,
      svg('rect', { class: 'hit', x: start, y: 4, width: step, height: base - 4 }));
  });
  const last = points.length - 1;
  const axis = marked(points, Math.max(1, Math.floor(width / 130) - 1)).map((index) => {
    const place = { 0: ['start', 0], [last]: ['end', step] }[index] ?? ['middle', step / 2];
    const x = left + index * step + place[1];
    return svg('text', { x, y: height - 5, 'text-anchor': place[0] }, points[index].axis);
  });
  return svg('svg', { class: 'chart', role: 'img', width, height, viewBox: `0 0 ${width} ${height}` },
    grid, svg('line', { class: 'base', x1: left, x2: width - right, y1: base, y2: base }), columns, axis);
}

// The points whose times or days are written on the axis, as many as there is room for: round hours, if points have hours.
function marked(points, spaces) {
  const hours = points.map((_, index) => index).filter((index) => Number.isInteger(points[index].hour));
  for (const step of hours.length ? [1, 2, 3, 4, 6, 12] : []) {
    const marks = hours.filter((index) => points[index].hour % step === 0);
    if (marks.length <= spaces + 1) return marks;
  }
  const last = points.length - 1;
  return [...new Set(Array.from({ length: spaces + 1 }, (_, mark) => Math.round((mark * last) / spaces)))];
}

const drawings = new WeakMap();
const observer = new ResizeObserver((entries) => {
  for (const entry of entries) drawings.get(entry.target)?.();
});

// The most frequent reasons get colours of their own, and all others one together.
export function reasonSeries(totals) {
  const sorted = Object.entries(totals).sort(([, left], [, right]) => right - left).map(([reason]) => reason);
  const own = sorted.length > 8 ? sorted.slice(0, 7) : sorted;
  const rest = sorted.slice(own.length);
  const series = own.map((reason, index) => ({ name: words(reason), class: `s${index}`, reasons: [reason] }));
  if (rest.length) series.push({ name: 'other reasons', class: 's7', reasons: rest });
  return series;
}
