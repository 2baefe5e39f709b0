// Elements of the page, and its words for numbers and times. Everything from outside becomes text, never HTML.

export const seconds = 1000;

// h('p', { class: 'muted' }, 'text', element, …): what is null is left out.
export function h(name, properties, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? '' : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

export function svg(name, properties, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(properties ?? {})) {
    if (value !== null && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

export const byId = (id) => document.getElementById(id);
export const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

// ---------------------------------------------------------------- Numbers, times and words

const plain = new Intl.NumberFormat();
export const tenths = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
export const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 0 });
export const clockTime = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
export const minuteTime = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
export const fullTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const dayName = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });

export const number = (value) => plain.format(value);
export const count = (value, one, many) => `${number(value)} ${value === 1 ? one : many ?? one + 's'}`;
export const share = (part, whole) => (whole > 0 ? percent.format(part / whole) : '–');
export const day = (text) => dayName.format(new Date(text + 'T00:00:00Z'));

export function bytes(value) {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'];
  const power = value > 0 ? Math.min(Math.floor(Math.log10(value) / 3), units.length - 1) : 0;
  const style = { style: 'unit', unit: units[power], unitDisplay: power ? 'short' : 'long', maximumFractionDigits: 1 };
  return new Intl.NumberFormat(undefined, style).format(value / 1000 ** power);
}

export function ago(moment) {
  const passed = (new Date(moment) - Date.now()) / seconds;
  const steps = [['second', 1, 60], ['minute', 60, 60], ['hour', 3600, 24], ['day', 86400, Infinity]];
  const [unit, length] = steps.find(([, length, most]) => Math.abs(passed) / length < most);
  return relative.format(Math.trunc(passed / length), unit);
}

// A moment in the reader's zone, with how long ago it is.
export function time(moment, withAge = true) {
  const date = new Date(moment);
  return [
    h('time', { datetime: moment, title: moment }, fullTime.format(date)),
    withAge ? h('span', { class: 'muted' }, ` (${ago(moment)})`) : null,
  ];
}

export const words = (code) => code.replaceAll('_', ' ');
// Text in which commands are between backquotes.
export const prose = (text) => text.split('`').map((part, index) => (index % 2 ? h('code', null, part) : part));
export const services = { verifyReceipt: 'verifyReceipt', serverAPI: 'App Store Server API' };

// ---------------------------------------------------------------- Pieces of views

export function card(title, ...children) {
  const [heading, aside] = Array.isArray(title) ? title : [title];
  return h('section', { class: 'card' }, h('div', { class: 'head' }, h('h2', null, heading), aside ?? null), children);
}

export function notice(kind, ...children) {
  return h('div', { class: `notice ${kind}` }, children);
}

export function empty(title, text) {
  return h('div', { class: 'empty' }, h('strong', null, title), h('p', null, text));
}

export function facts(...pairs) {
  const rows = pairs.filter(Boolean).map(([name, value]) => [h('dt', null, name), h('dd', null, value)]);
  return h('dl', { class: 'facts' }, rows);
}

export function tile(kind, name, value, more) {
  const small = String(value).length > 9 ? 'small' : null;
  return h('dl', { class: `tile ${kind}` }, h('dt', null, name), h('dd', { class: small }, value), h('dd', null, more));
}

export function tags(texts) {
  return texts.length ? h('ul', { class: 'tags' }, texts.map((text) => h('li', null, text))) : '–';
}

export function reasonTags(byReason) {
  const sorted = Object.entries(byReason).sort(([, left], [, right]) => right - left);
  return tags(sorted.map(([reason, cases]) => `${words(reason)} ${number(cases)}`));
}

// table(caption, ['name', { text: 'count', number: true }, …], rows): a row is an array of cells, whose first is its
// heading, or { cells, chosen }. On a narrow screen each cell says what it is. The roles are said, too: browsers forget
// them where a table is laid out in another way.
export function table(caption, columns, rows) {
  columns = columns.map((column) => (typeof column === 'string' ? { text: column } : column));
  const kind = (column) => (column.number ? 'number' : null);
  const heading = (column) => h('th', { scope: 'col', role: 'columnheader', class: kind(column) }, column.text);
  const cell = (content, column) => h('td', { role: 'cell', class: kind(column), 'data-label': column.text },
    h('span', null, content));
  const line = (row) => {
    const [first, ...others] = row.cells ?? row;
    return h('tr', { role: 'row', class: row.chosen ? 'chosen' : null },
      h('th', { scope: 'row', role: 'rowheader' }, first),
      others.map((content, index) => cell(content, columns[index + 1])));
  };
  return h('div', { class: 'scroll' }, h('table', { class: 'wide', role: 'table' },
    caption ? h('caption', null, caption) : null,
    h('thead', { role: 'rowgroup' }, h('tr', { role: 'row' }, columns.map(heading))),
    h('tbody', { role: 'rowgroup' }, rows.map(line))));
}

export function switches(label, values, chosen, onChoice) {
  return h('div', { class: 'switch', role: 'group', 'aria-label': label }, values.map((value) => h('button', {
    type: 'button',
    'aria-pressed': String(value === chosen),
    'data-key': `${label} ${value}`,
    onclick: () => onChoice(value),
  }, value)));
}

export function bar(part, whole, name) {
  return svg('svg', { class: 'share', 'aria-hidden': 'true', preserveAspectRatio: 'none', viewBox: '0 0 100 1' },
    svg('rect', { class: name, width: whole > 0 ? Math.min(100, (100 * part) / whole) : 0, height: 1 }));
}
