// The script of the operators' page. It shows what /overview.json says, and asks /try and /diagnose.
//
// Everything from outside becomes text, never HTML. A client's token is in a variable here and nowhere else.
'use strict';

const seconds = 1000;
const every = 10 * seconds;
const patience = 15 * seconds;

// ---------------------------------------------------------------- Making elements

// h('p', { class: 'muted' }, 'text', element, …): what is null is left out.
function h(name, properties, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? '' : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

function svg(name, properties, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(properties ?? {})) {
    if (value !== null && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

const byId = (id) => document.getElementById(id);
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

// ---------------------------------------------------------------- Numbers, times and words

const plain = new Intl.NumberFormat();
const tenths = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 0 });
const clockTime = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const minuteTime = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const fullTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const dayName = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });

const number = (value) => plain.format(value);
const count = (value, one, many) => `${number(value)} ${value === 1 ? one : many ?? one + 's'}`;
const share = (part, whole) => (whole > 0 ? percent.format(part / whole) : '–');
const day = (text) => dayName.format(new Date(text + 'T00:00:00Z'));

function bytes(value) {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'];
  const power = value > 0 ? Math.min(Math.floor(Math.log10(value) / 3), units.length - 1) : 0;
  const style = { style: 'unit', unit: units[power], unitDisplay: power ? 'short' : 'long', maximumFractionDigits: 1 };
  return new Intl.NumberFormat(undefined, style).format(value / 1000 ** power);
}

function ago(moment) {
  const passed = (new Date(moment) - Date.now()) / seconds;
  const steps = [['second', 1, 60], ['minute', 60, 60], ['hour', 3600, 24], ['day', 86400, Infinity]];
  const [unit, length] = steps.find(([, length, most]) => Math.abs(passed) / length < most);
  return relative.format(Math.trunc(passed / length), unit);
}

// A moment in the reader's zone, with how long ago it is.
function time(moment, withAge = true) {
  const date = new Date(moment);
  return [
    h('time', { datetime: moment, title: moment }, fullTime.format(date)),
    withAge ? h('span', { class: 'muted' }, ` (${ago(moment)})`) : null,
  ];
}

const words = (code) => code.replaceAll('_', ' ');
// Text in which commands are between backquotes.
const prose = (text) => text.split('`').map((part, index) => (index % 2 ? h('code', null, part) : part));
const services = { verifyReceipt: 'verifyReceipt', serverAPI: 'App Store Server API' };

// ---------------------------------------------------------------- Pieces of views

function card(title, ...children) {
  const [heading, aside] = Array.isArray(title) ? title : [title];
  return h('section', { class: 'card' }, h('div', { class: 'head' }, h('h2', null, heading), aside ?? null), children);
}

function notice(kind, ...children) {
  return h('div', { class: `notice ${kind}` }, children);
}

function empty(title, text) {
  return h('div', { class: 'empty' }, h('strong', null, title), h('p', null, text));
}

function facts(...pairs) {
  const rows = pairs.filter(Boolean).map(([name, value]) => [h('dt', null, name), h('dd', null, value)]);
  return h('dl', { class: 'facts' }, rows);
}

function tile(kind, name, value, more) {
  const small = String(value).length > 9 ? 'small' : null;
  return h('dl', { class: `tile ${kind}` }, h('dt', null, name), h('dd', { class: small }, value), h('dd', null, more));
}

function tags(texts) {
  return texts.length ? h('ul', { class: 'tags' }, texts.map((text) => h('li', null, text))) : '–';
}

function reasonTags(byReason) {
  const sorted = Object.entries(byReason).sort(([, left], [, right]) => right - left);
  return tags(sorted.map(([reason, cases]) => `${words(reason)} ${number(cases)}`));
}

// table(caption, ['name', { text: 'count', number: true }, …], rows): a row is an array of cells, whose first is its
// heading, or { cells, chosen }. On a narrow screen each cell says what it is. The roles are said, too: browsers forget
// them where a table is laid out in another way.
function table(caption, columns, rows) {
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

function switches(label, values, chosen, onChoice) {
  return h('div', { class: 'switch', role: 'group', 'aria-label': label }, values.map((value) => h('button', {
    type: 'button',
    'aria-pressed': String(value === chosen),
    'data-key': `${label} ${value}`,
    onclick: () => onChoice(value),
  }, value)));
}

function bar(part, whole, name) {
  return svg('svg', { class: 'share', 'aria-hidden': 'true', preserveAspectRatio: 'none', viewBox: '0 0 100 1' },
    svg('rect', { class: name, width: whole > 0 ? Math.min(100, (100 * part) / whole) : 0, height: 1 }));
}

// ---------------------------------------------------------------- Charts

// A round number that is at least the largest, of which a half is round, too.
function ceiling(largest) {
  if (largest <= 4) return 4;
  const power = 10 ** Math.floor(Math.log10(largest));
  return [1, 2, 3, 4, 6, 8, 10].map((step) => step * power).find((step) => step >= largest && step % 2 === 0);
}

// Bars over time: points are { label, axis, values }, with a value for each of the series { name, class, width }. They
// are stacked, or one before the other from wide to narrow.
function chart(title, summary, series, points, { stacked = false, first = 'Day (UTC)' } = {}) {
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
function reasonSeries(totals) {
  const sorted = Object.entries(totals).sort(([, left], [, right]) => right - left).map(([reason]) => reason);
  const own = sorted.length > 8 ? sorted.slice(0, 7) : sorted;
  const rest = sorted.slice(own.length);
  const series = own.map((reason, index) => ({ name: words(reason), class: `s${index}`, reasons: [reason] }));
  if (rest.length) series.push({ name: 'other reasons', class: 's7', reasons: rest });
  return series;
}

// ---------------------------------------------------------------- Views

const state = {
  overview: null, environment: 'Production', offer: null, failedSince: null, missed: 0, paused: false,
};

const statuses = {
  ready: ['Ready', 'good', 'gets requests'],
  unready: ['Not ready', 'bad', 'gets no requests'],
  starting: ['Starting', 'warn', 'gets no requests yet'],
  draining: ['Draining', 'warn', 'ends what is under way'],
};
const uses = {
  signs: 'signs',
  recognises: 'recognises older signatures',
  retired: 'retired: only its public half is kept',
};

function nowView(overview) {
  const { faults, warnings, reloads } = overview;
  const lastHour = overview.decisions.steps.filter((step) => Date.now() - new Date(step.startedAt) < 3600 * seconds);
  const signed = sum(lastHour.map((step) => step.signed));
  const refused = sum(lastHour.map((step) => sum(Object.values(step.refused))));
  const failing = overview.keys.filter((key) => key.fault);
  const signing = overview.keys.filter((key) => key.use === 'signs' && !key.fault);
  const [word, kind, more] = state.failedSince
    ? ['No answer', state.missed > 1 ? '' : 'bad', 'the figures below are older'] : statuses[overview.status] ?? [overview.status, 'warn', ''];
  return [
    h('div', { class: 'tiles' },
      tile(kind, 'Service', word, more),
      warnings.length
        ? tile('warn', 'Warnings', number(warnings.length), 'each with its fix, below')
        : tile('good', 'Warnings', '0', 'nothing to do'),
      failing.length
        ? tile('bad', 'Keys that sign', number(signing.length), count(failing.length, 'key failed', 'keys failed'))
        : tile('good', 'Keys that sign', number(signing.length), 'self-tests passed'),
      tile('', 'Last hour', `${compact.format(signed)} signed`, `${compact.format(refused)} refused`)),
    faults.map((fault) => notice('bad', h('p', null, h('strong', null, 'Not ready: '), prose(fault)))),
    card('Warnings', warnings.length
      ? warnings.map((warning) => notice('warn',
        h('p', null, h('strong', null, `${warning.kind}: `), prose(warning.text)),
        h('p', null, h('strong', null, 'Fix: '), prose(warning.fix))))
      : h('p', { class: 'muted' }, 'None. Anything that needs attention while the service works will be here.')),
    decisionsCard(overview),
    keysCard(overview),
    card('Configuration',
      facts(
        ['Started', time(overview.startedAt)],
        ['Reloads', `${number(reloads.completed)} in effect, ${number(reloads.refused)} refused`],
        ['Configuration', h('code', null, overview.configurationSHA256.slice(0, 12))],
        ['Last reload', reloads.lastAt ? time(reloads.lastAt) : 'none since the start']),
      reloads.lastFaults.map((fault) => notice('bad', h('p', null, h('strong', null, 'Refused: '), prose(fault))))),
  ];
}

function keysCard({ keys, keyMemory }) {
  return card('Keys', table(
    `In ${keyMemory} memory. A fingerprint is the SHA-256 of the public key, as offer-signer keys inspect prints it.`,
    ['Key', 'App', 'Use', 'Fingerprint'],
    keys.map((key) => [
      h('code', null, key.id),
      key.bundleId,
      key.fault ? h('span', { class: 'bad text' }, `does not sign: ${key.fault}`) : uses[key.use],
      h('code', null, key.publicKeySHA256),
    ])));
}

// Signed and refused offers of the last day, as this process counted them.
function decisionsCard({ decisions, startedAt }) {
  const totals = {};
  for (const step of decisions.steps) {
    for (const [reason, cases] of Object.entries(step.refused)) totals[reason] = (totals[reason] ?? 0) + cases;
  }
  const signed = sum(decisions.steps.map((step) => step.signed));
  const refused = sum(Object.values(totals));
  const since = h('span', { class: 'muted' }, 'since ', time(decisions.sinceAt ?? startedAt, false));
  const title = ['Signed and refused, by this process', since];
  if (!signed && !refused) {
    return card(title, empty('No offer was asked for yet',
      'Signatures and refusals of the last 24 hours will be here, in steps of ten minutes.'));
  }
  const reasons = reasonSeries(totals);
  const points = padded(decisions).map((step) => ({
    label: fullTime.format(new Date(step.startedAt)),
    ...axisHour(new Date(step.startedAt), decisions.stepSeconds),
    values: [step.signed, ...reasons.map((one) => sum(one.reasons.map((reason) => step.refused[reason] ?? 0)))],
  }));
  return card(title, chart(
    'Signed and refused offers in steps of ten minutes', `${number(signed)} signed, ${number(refused)} refused.`,
    [{ name: 'signed', class: 'signed' }, ...reasons], points, { stacked: true, first: 'From' }));
}

// The whole hour that falls into a step, if any, in the reader's zone.
function axisHour(start, stepSeconds) {
  const hour = new Date(start.getTime() + stepSeconds * seconds - 1);
  const isThere = hour.getHours() !== new Date(start - 1).getHours();
  if (isThere) hour.setMinutes(0, 0, 0);
  return { axis: minuteTime.format(isThere ? hour : start), hour: isThere ? hour.getHours() : null };
}

// The steps, after empty ones where the process is young: the chart is always of 24 hours.
function padded({ steps, stepSeconds }) {
  const missing = Math.max(0, (24 * 3600) / stepSeconds - steps.length);
  const first = new Date(steps[0]?.startedAt ?? Date.now());
  const before = Array.from({ length: missing }, (_, index) => ({
    startedAt: new Date(first - (missing - index) * stepSeconds * seconds).toISOString(), signed: 0, refused: {},
  }));
  return [...before, ...steps];
}

const offerKey = (offer) => JSON.stringify([offer.bundleId, offer.productId, offer.offerId]);
const offerName = (offer) => offer.offerId ?? '(not in the catalog)';

function choose(changes) {
  Object.assign(state, changes);
  show();
}

function offersView({ funnel, holdouts }) {
  const part = funnel.environments.find((one) => one.environment === state.environment) ?? funnel.environments[0];
  const chosen = part.offers.find((offer) => offerKey(offer) === state.offer);
  const isUsed = (one) => sum(one.total.asked) + sum(one.total.redeemed) > 0;
  const others = funnel.environments.filter((one) => one !== part && isUsed(one)).map((one) => one.environment);
  return [
    h('div', { class: 'head' },
      switches('Environment', funnel.environments.map((one) => one.environment), part.environment,
        (environment) => choose({ environment, offer: null })),
      h('span', { class: 'muted' }, others.length ? `There is something in ${others.join(', ')}, too.` : '')),
    funnel.fault ? notice('bad', h('p', null, `The database cannot be read now: ${funnel.fault}`)) : null,
    funnel.isCut ? notice('warn', h('p', null, 'There is more on record than the newest, which is shown here. ',
      h('code', null, 'offer-signer ledger funnel'), ' has all of it.')) : null,
    daysCard(funnel.days, part, chosen),
    offersCard(part),
    refusalsCard(funnel.days, part, chosen),
    holdouts ? holdoutsCard(holdouts, part.environment) : null,
  ];
}

function holdoutsCard(holdouts, environment) {
  const fault = holdouts.fault
    ? notice('bad', h('p', null, `The database cannot be read now: ${holdouts.fault}`)) : null;
  const asOf = holdouts.readAt ? h('span', { class: 'muted' }, 'as of ', time(holdouts.readAt)) : null;
  const title = ['What offers brought', asOf];
  const rows = holdouts.environments?.find((one) => one.environment === environment)?.holdouts;
  if (!rows) return card(title, fault, empty('Customers are being counted', 'Their figures will be here in a moment.'));
  const points = (value) => tenths.format(value).replace('-', '−');
  const arm = ({ customers, boughtSince }) => [number(customers), h('small', null,
    `${number(boughtSince)} bought since`,
    customers ? ` (${tenths.format((100 * boughtSince) / customers)} %)` : '')];
  return card(title, fault, table(
    holdouts.note,
    ['Holdout', { text: 'With the offer', number: true }, { text: 'Held out', number: true },
      { text: 'Difference, in points', number: true }],
    rows.map(({ name, bundleId, percent: held, offered, heldOut, differenceInPoints: difference, sizesFit }) => [
      [name, h('small', null, held ? `${bundleId}, ${held} % held out` : bundleId)],
      arm(offered),
      [arm(heldOut), sizesFit === false
        ? h('span', { class: 'pill warn' }, 'the sizes do not fit the percentage') : null],
      difference ? [points(difference.value), h('small', null,
        `95 % interval ${points(difference.lower)} to ${points(difference.upper)}`)] : '–',
    ])));
}

function daysCard(days, part, chosen) {
  const line = chosen ?? part.total;
  const [asked, signed, redeemed] = [sum(line.asked), sum(line.signed), sum(line.redeemed)];
  const all = h('button', {
    type: 'button', class: 'quiet', 'data-key': 'all offers', onclick: () => choose({ offer: null }),
  }, 'Show all offers');
  const since = h('span', { class: 'muted' }, `${days.length} days, from ${day(days[0])} on`);
  const title = chosen ? [offerName(chosen), all] : ['All offers by day', since];
  if (!asked && !redeemed) {
    return card(title, empty(`No offer was asked for in ${part.environment} within ${days.length} days`,
      'Offers that backends ask for will be here by day: asked, signed and redeemed. Redemptions come with Apple’s '
      + 'notifications, or with later evidence.'));
  }
  const series = [
    { name: 'Asked', class: 'asked', width: 0.86 },
    { name: 'Signed', class: 'signed', width: 0.56 },
    { name: 'Redeemed', class: 'redeemed', width: 0.26 },
  ];
  const points = days.map((date, index) => ({
    label: day(date), axis: day(date), values: [line.asked[index], line.signed[index], line.redeemed[index]],
  }));
  const summary = `${number(asked)} asked, ${number(signed)} signed, ${number(redeemed)} redeemed.`;
  return card(title, chart('Funnel by day', summary, series, points));
}

function offersCard(part) {
  if (!part.offers.length) return card('By offer', empty('The catalog has no offer', 'Its offers will be here.'));
  return card('By offer', table(
    'Counted within seconds, by all services of this ledger. Choose an offer to see its days.',
    ['Offer', { text: 'Asked', number: true }, { text: 'Signed', number: true }, { text: 'Redeemed', number: true },
      'Refused, by reason'],
    part.offers.map((offer) => {
      const key = offerKey(offer);
      const isChosen = key === state.offer;
      const [asked, signed, redeemed] = [sum(offer.asked), sum(offer.signed), sum(offer.redeemed)];
      const name = h('button', {
        type: 'button', class: 'link', 'aria-pressed': String(isChosen), 'data-key': key,
        onclick: () => choose({ offer: isChosen ? null : key }),
      }, offerName(offer));
      return { chosen: isChosen, cells: [
        [name, h('small', null, offer.productId ?? offer.bundleId)],
        number(asked),
        [number(signed), h('small', null, asked ? `${share(signed, asked)} of asked` : ''),
          bar(signed, asked, 'signed')],
        [number(redeemed), h('small', null, signed ? `${share(redeemed, signed)} of signed` : ''),
          bar(redeemed, signed, 'redeemed')],
        reasonTags(offer.refused),
      ] };
    })));
}

function refusalsCard(days, part, chosen) {
  const refusals = (chosen ?? part).refusals;
  const totals = Object.fromEntries(Object.entries(refusals).map(([reason, cases]) => [reason, sum(cases)]));
  const refused = sum(Object.values(totals));
  const aside = [chosen ? offerName(chosen) : null, part.environment, `since ${day(days[0])}`].filter(Boolean);
  const title = ['Refusals by reason', h('span', { class: 'muted' }, aside.join(', '))];
  if (!refused) {
    return card(title, empty('No offer was refused',
      'Why offers were refused will be here by day, the most frequent reason first.'));
  }
  const series = reasonSeries(totals);
  const points = days.map((date, index) => ({
    label: day(date),
    axis: day(date),
    values: series.map((one) => sum(one.reasons.map((reason) => refusals[reason][index]))),
  }));
  const summary = `${number(refused)} refused, most often ${series[0].name}.`;
  return card(title, chart('Refusals by reason and day', summary, series, points, { stacked: true }));
}

function retentionView({ retention }) {
  const { calls, meanMicroseconds: mean } = retention;
  if (!calls.length) {
    return empty('No retention call so far',
      'When Apple asks what to show to a customer who is about to cancel, its calls will be here by their outcome, '
      + 'with how long the answers took. That needs retention in catalog.yaml, and the listener for notifications.');
  }
  const cases = (answer) => sum(calls.filter((one) => !answer || one.answer === answer).map((one) => one.count));
  const [all, offers, unanswered] = [cases(), cases('promotional_offer'), cases('unavailable')];
  return [
    h('div', { class: 'tiles' },
      tile('', 'Calls', compact.format(all), 'since the start of this process'),
      tile('', 'With an offer', share(offers, all), count(offers, 'call')),
      tile(unanswered ? 'warn' : '', 'Without an answer', share(unanswered, all), count(unanswered, 'call')),
      tile('', 'Mean time', mean === undefined ? '–' : `${tenths.format(mean / 1000)} ms`,
        `503 after ${number(retention.timeoutMilliseconds)} ms`)),
    card('Calls by answer', table('Since the start of this process.',
      ['Answer', 'Reason', { text: 'Calls', number: true }],
      calls.map((one) => [words(one.answer), words(one.reason), number(one.count)]))),
  ];
}

function ledgerView({ ledger }) {
  const verified = ledger.lastVerification;
  const outcome = verified?.faults ? count(verified.faults, 'fault') : 'in order';
  return [
    ledger.fault ? notice('bad', h('p', null, `The database cannot be read now: ${ledger.fault}`)) : null,
    h('div', { class: 'tiles' },
      tile('', 'Records', compact.format(ledger.records), `in ${count(ledger.chains, 'chain')}`),
      tile('', 'Size', bytes(ledger.bytes), `${ledger.database}, with what is remembered`),
      tile('', 'Waiting', number(ledger.waiting), 'requests for the next commit'),
      verified
        ? tile(verified.faults ? 'bad' : 'good', 'Verified', ago(verified.endedAt), outcome)
        : tile('warn', 'Verified', 'never', 'no verification is on record')),
    card('The ledger',
      facts(
        ['Where', h('code', null, ledger.place)],
        ['Signed up to', ledger.checkpointAt ? time(ledger.checkpointAt) : 'nothing yet'],
        ['Records are kept', ledger.retentionDays ? count(ledger.retentionDays, 'day') : 'for ever'],
        ['Last verification', verified
          ? [time(verified.endedAt),
            `: ${count(verified.records, 'record')} in ${count(verified.chains, 'chain')}, ${outcome}`]
          : ['none is noted. Run ', h('code', null, 'offer-signer ledger verify --config FILE'), ' each day.']]),
      verified?.faults ? notice('bad', h('p', null, 'Something is broken or missing: ',
        h('code', null, 'offer-signer ledger verify'), ' names it.')) : null,
      h('p', { class: 'help' }, 'The note of the last verification is in the database, and proves nothing. Run it '
        + 'yourself with ', h('code', null, '--anchor'), ', from a machine that you trust.')),
    card('Newest chains',
      table('Each start of a service begins a chain.',
        ['Writer', 'Began', { text: 'Records', number: true }, 'State'],
        ledger.newestChains.map((chain) => [
          h('code', null, chain.writer), time(chain.startedAt), number(chain.records),
          chain.isEnded ? 'ended, and signed' : 'open',
        ])),
    ledger.chainsCounted < ledger.chains
      ? h('p', { class: 'help' }, `Records are of the newest ${number(ledger.chainsCounted)} chains.`) : null),
  ];
}

function catalogView({ catalog }) {
  const listed = sum(catalog.apps.map((app) => offersOf(app).length));
  return [
    h('p', { class: 'lead' }, `${count(catalog.offers, 'offer')} in ${count(catalog.apps.length, 'app')}, as they are `
      + 'in use: since the start, or the last reload that took effect.'),
    catalog.apps.map((app) => card(app.bundleId,
      facts(
        ['Evidence counts from', tags(app.environments)],
        app.appAppleId ? ['Apple ID', String(app.appAppleId)] : null,
        ['Receipts are looked up by', services[app.receipts] ?? app.receipts],
        ['A request’s account', app.requireAccount ? 'has to be named' : 'may be left out'],
        ['Accounts per transaction',
          `${number(app.maximumAccountsPerTransaction)} in 30 days, and the account inside the evidence`]),
      app.groups.map(groupTable))),
    listed < catalog.offers ? h('p', { class: 'muted' }, `${number(listed)} are listed; catalog.yaml has all.`) : null,
  ];
}

function groupTable(group) {
  const rows = group.products.flatMap((product) => product.offers.map((offer) => [
    [offer.id, h('small', null, product.id)], tags(offer.audience), when(offer), tags(offer.conditions),
  ]));
  return h('div', { class: 'group even' }, h('h3', null, `Group ${group.id}`), rows.length
    ? table(null, ['Offer', 'For', 'When', 'Limits and conditions'], rows)
    : h('p', { class: 'muted' }, 'No product of this group has an offer.'));
}

function when({ startsAt, endsAt }) {
  const edge = (word, moment) => h('small', null, `${word} `, time(moment, false));
  if (startsAt && new Date(startsAt) > Date.now()) return [h('strong', null, 'not yet'), edge('from', startsAt)];
  if (endsAt && new Date(endsAt) <= Date.now()) return [h('strong', null, 'over'), edge('since', endsAt)];
  return ['now', endsAt ? edge('until', endsAt) : null];
}

const views = {
  now: ['Now', nowView],
  offers: ['Offers', offersView],
  retention: ['Retention', retentionView],
  ledger: ['Ledger', ledgerView],
  catalog: ['Catalog', catalogView],
  try: ['Try a customer', null],
  diagnose: ['Why did StoreKit refuse?', null],
};

// ---------------------------------------------------------------- Showing a view

let shown = '';

function currentView() {
  const name = location.hash.slice(1);
  return Object.hasOwn(views, name) ? name : 'now';
}

// Shows the view that the address names, by what is known; what was open stays open, and what had the focus keeps it.
function show() {
  const name = currentView();
  const [title, build] = views[name];
  const holder = byId('view');
  const isNew = shown !== name;
  shown = name;
  byId('view-title').textContent = title;
  document.title = `${state.failedSince ? '⚠ ' : ''}${title} – Offer Signer`;
  for (const link of document.querySelectorAll('nav a')) {
    if (link.hash === '#' + name) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  byId('try-form').hidden = name !== 'try';
  byId('diagnose-form').hidden = name !== 'diagnose';
  if (isNew) clearResult();
  if (!build) return holder.replaceChildren();
  if (!state.overview) return holder.replaceChildren(h('p', { class: 'muted' }, 'Asking the service…'));
  const open = new Set([...holder.querySelectorAll('details[open]')].map((element) => element.dataset.key));
  const focus = holder.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  holder.replaceChildren(...[build(state.overview)].flat(Infinity).filter(Boolean));
  for (const element of holder.querySelectorAll('details')) element.open = !isNew && open.has(element.dataset.key);
  if (focus) [...holder.querySelectorAll('[data-key]')].find((element) => element.dataset.key === focus)?.focus();
}

// ---------------------------------------------------------------- Asking for the overview

async function ask(path, options) {
  const signal = AbortSignal.timeout(patience);
  return fetch(path, { credentials: 'omit', cache: 'no-store', redirect: 'error', signal, ...options });
}

async function refresh() {
  try {
    const response = await ask('/overview.json');
    if (!response.ok) throw new Error(`it answered ${response.status}`);
    state.overview = await response.json();
    state.failedSince = null;
    state.missed = 0;
  } catch {
    state.failedSince ??= new Date();
    state.missed += 1;
  }
  tellStatus();
  fillForms();
  show();
}

function tellStatus() {
  const { overview, failedSince } = state;
  const outage = byId('outage');
  const status = byId('status');
  const [word, kind] = failedSince ? ['No answer', 'bad'] : statuses[overview.status] ?? [overview.status, 'warn'];
  if (status.textContent !== word) status.textContent = word;
  // Nothing is known of a service that did not answer twice: what is shown is of another time.
  const isUnknown = state.missed > 1;
  status.className = isUnknown ? 'pill' : `pill ${kind}`;
  document.body.classList.toggle('unknown', isUnknown);
  byId('version').textContent = overview ? overview.version : '';
  byId('updated').textContent = overview ? `as of ${clockTime.format(new Date(overview.generatedAt))}` : '';
  if (!failedSince) {
    outage.hidden = true;
    outage.replaceChildren();
  } else if (outage.hidden) {
    outage.hidden = false;
    outage.replaceChildren(h('p', null,
      h('strong', null, `The service has not answered since ${clockTime.format(failedSince)}. `),
      overview ? `What is shown is of ${clockTime.format(new Date(overview.generatedAt))}. ` : '',
      'It may be stopped, restarting, or out of reach from here. It is asked again every ten seconds.'));
  }
}

let timer;
async function keepFresh() {
  clearTimeout(timer);
  if (!state.paused && !document.hidden) await refresh();
  clearTimeout(timer);
  timer = setTimeout(keepFresh, every);
}

// ---------------------------------------------------------------- The forms

let token = '';

const productsOf = (app) => app.groups.flatMap((group) => group.products);
const offersOf = (app) => productsOf(app).flatMap((product) => product.offers.map((offer) => [product.id, offer.id]));

// Fills a list of choices, where they have changed, and keeps what is chosen.
function fill(select, options) {
  const text = JSON.stringify(options);
  if (select.dataset.options === text) return;
  const chosen = select.value;
  select.dataset.options = text;
  select.replaceChildren(...options.map(([value, label]) => h('option', { value }, label)));
  if (options.some(([value]) => value === chosen)) select.value = chosen;
}

function fillForms() {
  const apps = state.overview?.catalog.apps ?? [];
  const names = apps.map((app) => [app.bundleId, app.bundleId]);
  for (const select of document.querySelectorAll('select[data-apps]')) fill(select, names);
  const tried = apps.find((app) => app.bundleId === byId('try-app').value);
  fill(byId('try-offer'), [['', 'every offer of the app'],
    ...(tried ? offersOf(tried) : []).map((offer) => [JSON.stringify(offer), `${offer[1]} of ${offer[0]}`])]);
  const asked = apps.find((app) => app.bundleId === byId('diagnose-bundleId').value);
  const pairs = asked ? offersOf(asked) : [];
  fill(byId('products'), [...new Set(pairs.map(([product]) => product))].map((id) => [id, id]));
  fill(byId('offers'), [...new Set(pairs.map(([, offer]) => offer))].map((id) => [id, id]));
}

// The evidence that a text is: { said, evidence }, or { fault } for none.
function recogniseEvidence(text) {
  text = text.trim();
  if (!text) return { said: '' };
  if (/^\d{1,40}$/.test(text)) {
    return { said: 'A transaction id: the App Store is asked.', evidence: { transactionId: text } };
  }
  if (/^[[{"]/.test(text)) {
    try {
      return recogniseJSON(JSON.parse(text));
    } catch (error) {
      return { fault: `This begins as JSON, and is none: ${error.message}` };
    }
  }
  const parts = text.split(/[\s,]+/);
  if (parts.every((part) => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(part))) {
    const renewals = parts.filter(isRenewal);
    const transactions = parts.filter((part) => !isRenewal(part));
    return {
      said: `JWS: ${count(transactions.length, 'transaction')}, ${count(renewals.length, 'renewal info')}.`,
      evidence: { signedTransactions: transactions, ...(renewals.length ? { signedRenewalInfos: renewals } : {}) },
    };
  }
  return { said: 'A receipt: the App Store is asked.', evidence: { receipt: text.replaceAll(/\s+/g, '') } };
}

function recogniseJSON(value) {
  if (Array.isArray(value) || typeof value !== 'object') return recogniseEvidence([value].flat().join('\n'));
  if (value.evidence) return { said: 'The evidence of a request, and nothing else of it.', evidence: value.evidence };
  // An answer of verifyReceipt has a receipt, too: an object, where evidence has Base64.
  const isEvidence = typeof value.receiptResponse === 'object' || typeof value.receipt === 'string'
    || Array.isArray(value.signedTransactions) || typeof value.transactionId === 'string';
  if (isEvidence) return { said: `Evidence: ${Object.keys(value).join(', ')}.`, evidence: value };
  return {
    said: 'An answer of verifyReceipt: the client needs receiptResponse among its evidence.',
    evidence: { receiptResponse: value },
  };
}

function isRenewal(jws) {
  try {
    const payload = JSON.parse(atob(jws.split('.')[1].replaceAll('-', '+').replaceAll('_', '/')));
    return payload.transactionId === undefined && payload.autoRenewProductId !== undefined;
  } catch {
    return false;
  }
}

function setToken(value) {
  token = value.trim();
  for (const field of document.querySelectorAll('[data-token]')) {
    if (field !== document.activeElement) field.value = token;
    field.removeAttribute('aria-invalid');
  }
}

function clearResult() {
  byId('result').hidden = true;
  byId('result').replaceChildren();
}

function showResult(...children) {
  byId('result').replaceChildren(...children.flat(Infinity).filter(Boolean));
  byId('result').hidden = false;
  byId('result').scrollIntoView({ block: 'start' });
}

// Asks by a form, and shows the answer or why there is none.
async function submit(form, path, body, render) {
  const button = form.querySelector('button[type="submit"]');
  const field = form.querySelector('[data-token]');
  clearResult();
  if (!token) {
    field.setAttribute('aria-invalid', 'true');
    field.focus();
    return showResult(notice('bad', h('p', null, 'The form asks as a client does: enter a client’s token.')));
  }
  button.disabled = true;
  form.setAttribute('aria-busy', 'true');
  try {
    const response = await ask(path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
    const answer = await response.json();
    if (response.ok) return showResult(render(answer));
    const again = response.headers.get('Retry-After');
    showResult(notice('bad',
      h('p', null, h('strong', null, `${answer.title ?? response.status}: `), prose(answer.detail ?? '')),
      h('p', { class: 'muted' }, h('code', null, answer.code ?? String(response.status)),
        answer.pointer ? [' at ', h('code', null, answer.pointer)] : null,
        again ? `, ask again in ${count(Number(again), 'second')}` : null)));
    if (response.status === 401) {
      field.setAttribute('aria-invalid', 'true');
      field.focus();
    }
  } catch (error) {
    const text = error instanceof TypeError && /token|header|ByteString|ISO-8859/i.test(error.message)
      ? 'The token has characters that no token has.' : 'The service did not answer. Nothing was done.';
    showResult(notice('bad', h('p', null, text)));
  } finally {
    button.disabled = false;
    form.removeAttribute('aria-busy');
  }
}

const account = (form) => {
  const value = byId(`${form}-account`).value.trim();
  return value ? { [byId(`${form}-account-kind`).value]: value } : {};
};

function tryCustomer(form) {
  const { evidence, fault } = recogniseEvidence(byId('try-evidence').value);
  if (fault) return showResult(notice('bad', h('p', null, fault)));
  const app = state.overview?.catalog.apps.find((one) => one.bundleId === byId('try-app').value);
  const offer = byId('try-offer').value ? JSON.parse(byId('try-offer').value) : null;
  const products = offer ? [offer[0]] : [...new Set((app ? offersOf(app) : []).map(([product]) => product))];
  const subscription = byId('try-subscription').value.trim();
  const at = byId('try-at').value ? new Date(byId('try-at').value).getTime() : null;
  return submit(form, '/try', {
    ...(app ? { bundleId: app.bundleId } : {}), ...account('try'), ...(evidence ? { evidence } : {}),
    ...(subscription ? { originalTransactionId: subscription } : {}), ...(at === null ? {} : { at }),
    ...(offer ? { offers: [{ productId: offer[0], offerId: offer[1] }] } : {}),
    ...(byId('try-introductory').checked ? { products } : {}),
  }, showDecisions);
}

const verdicts = { eligible: ['good', 'Eligible'], ineligible: ['bad', 'Not eligible'], unknown: ['warn', 'Unknown'] };

const ruleVerdicts = { eligible: ['good', 'passed'], ineligible: ['bad', 'refused'], unknown: ['warn', 'cannot tell'] };

function decision(title, subtitle, { verdict, reason, detail, explanation = [], begins, signatures }, isOpen) {
  const [kind, word] = verdicts[verdict] ?? ['warn', verdict];
  const rest = verdict === 'eligible' ? '' : '; those after the last were not';
  const rule = (finding) => {
    const [kind, word] = ruleVerdicts[finding.verdict] ?? ['warn', finding.verdict];
    return [h('code', null, finding.rule), state.overview?.rules[finding.rule] ?? '–', finding.saw,
      h('span', { class: `pill ${kind}` }, word)];
  };
  return h('article', { class: 'card', 'data-verdict': verdict },
    h('div', { class: 'verdict' },
      h('h3', null, title), h('span', { class: `pill ${kind}` }, word), h('code', null, reason)),
    h('p', { class: 'help' }, subtitle),
    h('p', null, detail),
    begins ? h('p', { class: 'muted' }, `It would begin: ${words(begins)}.`) : null,
    signatures ? h('p', { class: 'muted' }, `Signatures of its limit: ${number(signatures.count)} of `
      + `${number(signatures.maximum)} within ${count(signatures.periodDays, 'day')}.`) : null,
    h('details', { open: isOpen }, h('summary', null, `${count(explanation.length, 'rule')} asked${rest}`),
      table(null, ['Rule', 'Wanted', 'Saw', 'Verdict'], explanation.map(rule))));
}

function showDecisions(answer) {
  const eligible = answer.decisions.filter((one) => one.verdict === 'eligible').length;
  const name = answer.account.appAccountToken ?? answer.account.applicationUsername;
  // Of few, every rule is shown at once.
  const isShort = answer.decisions.length + answer.products.length <= 2;
  const winBacks = answer.winBackOffers?.map((offer) => offer.id).join(', ');
  return [
    h('h2', null, `${number(eligible)} of ${count(answer.decisions.length, 'offer')} eligible`),
    h('p', { class: 'help' }, answer.bundleId, answer.environment ? `, evidence of ${answer.environment}` : '',
      name ? [', for ', h('code', null, name)] : ', for no account in particular', '. Nothing was signed.'),
    winBacks ? notice('', h('p', null, `Apple’s win-back offers for this customer: ${winBacks}`)) : null,
    isShort ? null : h('p', null, h('button', {
      type: 'button',
      class: 'quiet',
      onclick: () => {
        for (const rules of document.querySelectorAll('#result details')) rules.open = true;
      },
    }, 'Show all rules')),
    answer.decisions.map((one) => decision(one.offerId, one.productId, one, isShort)),
    answer.products.map((product) => (
      decision('Introductory offer', product.productId, product.introductoryOffer, isShort))),
  ];
}

const reportMembers = {
  both: ['productId', 'offerId', 'storeKitError'],
  discount: ['keyIdentifier', 'nonce', 'timestamp', 'signature'],
  jws: ['jws', 'transactionId', 'resultingTransaction'],
};

function diagnose(form) {
  const format = form.elements.format.value;
  const body = { bundleId: byId('diagnose-bundleId').value, ...account('diagnose') };
  if (!body.bundleId) delete body.bundleId;
  for (const name of [...reportMembers.both, ...reportMembers[format]]) {
    const text = form.elements[name].value;
    const isNumber = (name === 'timestamp' || name === 'storeKitError') && /^-?\d{1,15}$/.test(text.trim());
    if (text !== '') body[name] = isNumber ? Number(text) : text;
  }
  return submit(form, '/diagnose', body, ({ valid, causes }) => [
    h('h2', null, valid ? 'The signature is right for these values' : 'The signature is not right for these values'),
    causes.length
      ? h('ol', { class: 'causes' }, causes.map((cause) => h('li', { class: 'card', 'data-code': cause.code },
        h('div', { class: 'verdict' }, h('code', null, cause.code)),
        h('p', null, prose(cause.detail)),
        h('p', null, h('strong', null, 'Fix: '), prose(cause.fix)))))
      : notice('good', h('p', null, 'Nothing is wrong with it, and no error was reported.')),
  ]);
}

// Fills the fields from JSON: an answer of /v1/signatures, a decision of it, or a report.
function pasteReport(form, text) {
  const help = byId('diagnose-paste-help');
  if (!text.trim()) return;
  let value;
  try {
    value = JSON.parse(text);
  } catch (error) {
    help.textContent = `This is no JSON: ${error.message}`;
    return;
  }
  tellRefusals(value);
  const first = value.decisions?.find((one) => one.discount ?? one.jws) ?? {};
  const found = { ...value, ...value.account, ...first, ...(first.discount ?? value.discount ?? {}) };
  found.offerId ??= found.identifier;
  const isGiven = (name) => ['string', 'number'].includes(typeof found[name]);
  const filled = Object.values(reportMembers).flat().filter(isGiven);
  for (const name of filled) form.elements[name].value = found[name];
  const kind = ['appAccountToken', 'applicationUsername'].find((name) => typeof found[name] === 'string');
  if (kind) {
    byId('diagnose-account-kind').value = kind;
    byId('diagnose-account').value = found[kind];
  }
  if (found.bundleId) byId('diagnose-bundleId').value = found.bundleId;
  chooseFormat(form, filled.includes('jws') && !filled.includes('signature') ? 'jws' : 'discount');
  const all = [...filled, ...(kind ? [kind] : [])];
  help.textContent = all.length ? `Filled in: ${all.join(', ')}.` : 'There is nothing of a signature in this.';
}

// Says why the service itself refused what is in a pasted answer: a decision, an answer with decisions, or an error.
function tellRefusals(value) {
  clearResult();
  const decisions = (value.decisions ?? [value]).filter((one) => one?.reason && one.verdict !== 'eligible');
  const error = value.code && value.detail ? value : null;
  if (!decisions.length && !error) return;
  showResult(
    h('h2', null, 'The service itself refused this'),
    error ? notice('bad', h('p', null, h('strong', null, `${words(error.code)}: `), prose(error.detail))) : null,
    decisions.map((one) => decision(one.offerId ?? 'The offer', one.productId ?? '', one, false)));
}

function chooseFormat(form, format) {
  form.elements.format.value = format;
  for (const part of form.querySelectorAll('[data-format]')) part.hidden = part.dataset.format !== format;
}

// ---------------------------------------------------------------- Beginning

function begin() {
  const [tryForm, diagnoseForm] = [byId('try-form'), byId('diagnose-form')];
  byId('zone').textContent = `Times are those of ${Intl.DateTimeFormat().resolvedOptions().timeZone}.`;
  for (const field of document.querySelectorAll('[data-token]')) {
    field.addEventListener('input', () => setToken(field.value));
  }
  tryForm.addEventListener('submit', (event) => { event.preventDefault(); tryCustomer(tryForm); });
  diagnoseForm.addEventListener('submit', (event) => { event.preventDefault(); diagnose(diagnoseForm); });
  for (const form of [tryForm, diagnoseForm]) {
    form.addEventListener('reset', () => {
      clearResult();
      setTimeout(() => {
        setToken('');
        byId('try-kind').textContent = '';
        chooseFormat(diagnoseForm, 'discount');
        fillForms();
      });
    });
  }
  byId('try-evidence').addEventListener('input', (event) => {
    const { said, fault } = recogniseEvidence(event.target.value);
    byId('try-kind').textContent = fault ?? said;
  });
  byId('try-app').addEventListener('change', fillForms);
  byId('diagnose-bundleId').addEventListener('change', fillForms);
  byId('diagnose-paste').addEventListener('input', (event) => pasteReport(diagnoseForm, event.target.value));
  for (const radio of diagnoseForm.querySelectorAll('input[name="format"]')) {
    radio.addEventListener('change', () => chooseFormat(diagnoseForm, radio.value));
  }
  byId('pause').addEventListener('click', () => {
    state.paused = !state.paused;
    byId('pause').textContent = state.paused ? 'Resume' : 'Pause';
    keepFresh();
  });
  document.querySelector('.skip').addEventListener('click', (event) => {
    event.preventDefault();
    byId('view-title').focus();
  });
  window.addEventListener('hashchange', () => {
    show();
    window.scrollTo(0, 0);
    byId('view-title').focus({ preventScroll: true });
  });
  document.addEventListener('visibilitychange', () => { if (!document.hidden) keepFresh(); });
  // What was typed is not kept for whoever comes back to the page.
  window.addEventListener('pagehide', () => { setToken(''); tryForm.reset(); diagnoseForm.reset(); });
  setToken('');
  show();
  keepFresh();
}

begin();
