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
const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 0 });
const clockTime = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const minuteTime = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const fullTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const dayName = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });

const number = (value) => plain.format(value);
const count = (value, one, many) => `${number(value)} ${value === 1 ? one : many ?? one + 's'}`;
const times = (value) => ({ 1: 'once', 2: 'twice' }[value] ?? `${number(value)} times`);
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
  return h('dl', { class: 'facts' }, pairs.filter(Boolean).map(([name, value]) => [h('dt', null, name), h('dd', null, value)]));
}

function tile(kind, name, value, more) {
  const small = String(value).length > 9 ? 'small' : null;
  return h('dl', { class: `tile ${kind}` }, h('dt', null, name), h('dd', { class: small }, value), h('dd', null, more));
}

function tags(texts) {
  return texts.length ? h('ul', { class: 'tags' }, texts.map((text) => h('li', null, text))) : '–';
}

// table(caption, ['name', { text: 'count', number: true }, …], rows): a row is an array of cells, whose first is its
// heading, or { cells, chosen }. On a narrow screen each cell says what it is; so the roles are said, too, which browsers
// forget where a table is laid out in another way.
function table(caption, columns, rows) {
  columns = columns.map((column) => (typeof column === 'string' ? { text: column } : column));
  const kind = (column) => (column.number ? 'number' : null);
  return h('div', { class: 'scroll' }, h('table', { class: 'wide', role: 'table' },
    caption ? h('caption', null, caption) : null,
    h('thead', { role: 'rowgroup' }, h('tr', { role: 'row' },
      columns.map((column) => h('th', { scope: 'col', role: 'columnheader', class: kind(column) }, column.text)))),
    h('tbody', { role: 'rowgroup' }, rows.map((row) => {
      const cells = row.cells ?? row;
      return h('tr', { role: 'row', class: row.chosen ? 'chosen' : null }, cells.map((cell, index) => (index === 0
        ? h('th', { scope: 'row', role: 'rowheader' }, cell)
        : h('td', { role: 'cell', class: kind(columns[index]), 'data-label': columns[index].text }, h('span', null, cell)))));
    }))));
}

function choice(label, options, chosen, choose) {
  return h('div', { class: 'switch', role: 'group', 'aria-label': label }, options.map(([value, text]) => h('button', {
    type: 'button', 'aria-pressed': String(value === chosen), 'data-key': `${label} ${value}`, onclick: () => choose(value),
  }, text)));
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
  return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map((step) => step * power).find((step) => step >= largest);
}

// Bars over time: points are { label, axis, values: [number] } with a value for each of the series { name, class, width };
// stacked, or one before the other from wide to narrow.
function chart(title, summary, series, points, { stacked = false, columns } = {}) {
  const holder = h('div', null);
  const height = 190;
  const totals = series.map((_, index) => sum(points.map((point) => point.values[index])));
  const top = ceiling(Math.max(...points.map((point) => (stacked ? sum(point.values) : Math.max(...point.values)))));
  const draw = () => {
    const width = Math.max(holder.clientWidth, 240);
    const [left, right, under] = [String(compact.format(top)).length * 7 + 10, 4, 20];
    const base = height - under;
    const y = (value) => base - (value / top) * (base - 10);
    const step = (width - left - right) / points.length;
    const marks = new Set([0, points.length - 1]);
    const between = Math.max(1, Math.floor(width / 130) - 1);
    for (let mark = 1; mark < between; mark += 1) marks.add(Math.round((mark * (points.length - 1)) / between));
    const image = svg('svg', {
      class: 'chart', role: 'img', 'aria-label': `${title}. ${summary}`, width, height, viewBox: `0 0 ${width} ${height}`,
    });
    for (const value of [top, top / 2]) {
      image.append(
        svg('line', { class: 'grid', x1: left, x2: width - right, y1: y(value), y2: y(value) }),
        svg('text', { x: left - 6, y: y(value) + 4, 'text-anchor': 'end' }, compact.format(value)));
    }
    image.append(svg('line', { class: 'base', x1: left, x2: width - right, y1: base, y2: base }));
    points.forEach((point, index) => {
      const start = left + index * step;
      let floor = 0;
      const bars = series.map((one, place) => {
        const value = point.values[place];
        if (!value) return null;
        const from = stacked ? floor : 0;
        floor += value;
        const wide = Math.max(step * (one.width ?? 0.82), 1);
        const high = Math.max(y(from) - y(from + value), 1);
        return svg('rect', {
          class: one.class, x: start + (step - wide) / 2, y: y(from + value), width: wide, height: high, rx: Math.min(1.5, wide / 3),
        });
      });
      const said = series.map((one, place) => [one.name, point.values[place]]).filter(([, value]) => !stacked || value > 0)
        .map(([name, value]) => `${name} ${number(value)}`).join('\n');
      image.append(svg('g', null, svg('title', null, `${point.label}\n${said || 'none'}`), bars,
        svg('rect', { class: 'hit', x: start, y: 4, width: step, height: base - 4 })));
      if (marks.has(index)) {
        const anchor = index === 0 ? 'start' : index === points.length - 1 ? 'end' : 'middle';
        const x = anchor === 'start' ? start : anchor === 'end' ? start + step : start + step / 2;
        image.append(svg('text', { x, y: height - 5, 'text-anchor': anchor }, point.axis));
      }
    });
    holder.replaceChildren(image);
  };
  observer.observe(holder);
  drawings.set(holder, draw);
  const legend = h('ul', { class: 'legend' }, series.map((one, index) => h('li', null,
    svg('svg', { width: 12, height: 12, 'aria-hidden': 'true' }, svg('rect', { class: one.class, width: 12, height: 12, rx: 3 })),
    `${one.name} ${number(totals[index])}`)));
  const rows = points.filter((point) => sum(point.values) > 0)
    .map((point) => [point.label, ...point.values.map((value) => number(value))]).reverse();
  return h('figure', null, holder, legend, h('details', { 'data-key': `table of ${title}` }, h('summary', null, 'As a table'),
    table(null, [columns ?? 'Day (UTC)', ...series.map((one) => ({ text: one.name, number: true }))], rows)));
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

const state = { overview: null, environment: 'Production', offer: null, refusals: 'days', failedSince: null, paused: false };

const offerKey = (offer) => JSON.stringify([offer.bundleId, offer.productId, offer.offerId]);
const offerName = (offer) => offer.offerId ?? '(not in the catalog)';

const views = {
  now: ['Now', ({ faults, warnings, ...overview }) => {
    const steps = overview.decisions.steps;
    const lastHour = steps.filter((step) => Date.now() - new Date(step.startedAt) < 3600 * seconds);
    const signed = sum(lastHour.map((step) => step.signed));
    const refused = sum(lastHour.map((step) => sum(Object.values(step.refused))));
    const failing = overview.keys.filter((key) => key.fault);
    const [word, kind, more] = statuses[overview.status] ?? [overview.status, 'warn', ''];
    return [
      h('div', { class: 'tiles' },
        tile(kind, 'Service', word, more),
        tile(warnings.length ? 'warn' : 'good', 'Warnings', number(warnings.length), warnings.length ? 'each with its fix, below' : 'nothing to do'),
        tile(failing.length ? 'bad' : 'good', 'Keys that sign', number(overview.keys.filter((key) => key.use === 'signs' && !key.fault).length),
          failing.length ? count(failing.length, 'key does not sign', 'keys do not sign') : 'self-tests passed'),
        tile(...appStoreTile(overview.appStore)),
        tile(overview.clock.fault ? 'bad' : 'good', 'Clock', overview.clock.fault ? 'wrong' : 'in order', `within ${count(Math.round(overview.clock.toleranceSeconds / 60), 'minute')}`),
        tile('', 'Last hour', `${compact.format(signed)} signed`, `${compact.format(refused)} refused`)),
      faults.map((fault) => notice('bad', h('p', null, h('strong', null, 'Not ready: '), prose(fault)))),
      overview.clock.fault && !faults.includes(overview.clock.fault) ? notice('bad', h('p', null, overview.clock.fault)) : null,
      card('Warnings', warnings.length
        ? warnings.map((warning) => notice('warn', h('p', null, h('strong', null, `${warning.kind}: `), prose(warning.text)),
          h('p', null, h('strong', null, 'Fix: '), prose(warning.fix))))
        : h('p', { class: 'muted' }, 'None. What needs an operator’s attention though the service works will be here, with its fix.')),
      decisionsCard(overview),
      card('Keys', table(`In ${overview.keyMemory} memory. The fingerprint is the SHA-256 of the public key, as keys inspect prints it.`,
        ['Key', 'App', 'Use', 'Fingerprint'], overview.keys.map((key) => [
          h('span', { class: 'mono' }, key.id), key.bundleId,
          key.fault ? h('span', { class: 'pill bad' }, 'does not sign: ' + key.fault)
            : { signs: 'signs', recognises: 'recognises older signatures', retired: 'retired: its public half alone' }[key.use],
          h('code', null, key.publicKeySHA256)]))),
      card('App Store', table('Calls since the start of this process, by status or by why there was none.',
        ['Service', 'Where', 'State', 'Calls', { text: 'Mean time', number: true }], overview.appStore.map((place) => [
          [services[place.service] ?? place.service, h('small', null, place.environment)], h('code', null, place.url),
          place.isPaused ? h('span', { class: 'pill bad' }, 'not asked: it was down') : Object.keys(place.calls).length ? 'asked' : 'not asked yet',
          tags(Object.entries(place.calls).map(([status, calls]) => `${status}: ${number(calls)}`)),
          place.meanMilliseconds === undefined ? '–' : `${number(place.meanMilliseconds)} ms`]))),
      card('Configuration', facts(
        ['Started', time(overview.startedAt)],
        ['Reloads', `${number(overview.reloads.completed)} in effect, ${number(overview.reloads.refused)} refused`],
        ['Last reload', overview.reloads.lastAt ? time(overview.reloads.lastAt) : 'none since the start']),
      overview.reloads.lastFaults.map((fault) => notice('bad', h('p', null, h('strong', null, 'Refused: '), prose(fault))))),
    ];
  }],

  offers: ['Offers', (overview) => {
    const funnel = overview.funnel;
    const part = funnel.environments.find((one) => one.environment === state.environment) ?? funnel.environments[0];
    const chosen = part.offers.find((offer) => offerKey(offer) === state.offer);
    const line = chosen ?? part.total;
    const first = day(funnel.days[0]);
    const total = { asked: sum(line.asked), signed: sum(line.signed), redeemed: sum(line.redeemed) };
    const summary = `${number(total.asked)} asked, ${number(total.signed)} signed, ${number(total.redeemed)} redeemed.`;
    const series = [
      { name: 'Asked', class: 'asked', width: 0.86 }, { name: 'Signed', class: 'signed', width: 0.56 },
      { name: 'Redeemed', class: 'redeemed', width: 0.26 },
    ];
    const points = funnel.days.map((date, index) => ({
      label: day(date), axis: day(date), values: [line.asked[index], line.signed[index], line.redeemed[index]],
    }));
    const others = funnel.environments.filter((one) => one !== part && sum(one.total.asked) + sum(one.total.redeemed) > 0);
    return [
      h('div', { class: 'head' },
        choice('Environment', funnel.environments.map((one) => [one.environment, one.environment]), part.environment, (value) => {
          state.environment = value;
          state.offer = null;
          show();
        }),
        h('span', { class: 'muted' }, others.length ? `There is something in ${others.map((one) => one.environment).join(', ')}, too.` : '')),
      funnel.fault ? notice('bad', h('p', null, 'The database cannot be read now: ', funnel.fault)) : null,
      funnel.isCut ? notice('warn', h('p', null, 'There is more on record than is shown here: the newest is. ', h('code', null, 'offer-signer ledger funnel'), ' has all of it.')) : null,
      card([chosen ? offerName(chosen) : 'All offers by day', chosen
        ? h('button', { type: 'button', class: 'quiet', 'data-key': 'all offers', onclick: () => { state.offer = null; show(); } }, 'Show all offers')
        : h('span', { class: 'muted' }, `${funnel.days.length} days, from ${first} on`)],
      total.asked + total.redeemed > 0 ? chart('Funnel by day', summary, series, points)
        : empty(`No offer was asked for in ${part.environment} within ${funnel.days.length} days`,
          'Offers that backends ask for will be here by day: asked, signed and redeemed. Redemptions come with Apple’s notifications, or with later evidence.')),
      card('By offer', part.offers.length ? table('Asked and refused are counted by this ledger’s services, within seconds. Choose an offer to see its days.',
        ['Offer', { text: 'Asked', number: true }, { text: 'Signed', number: true }, { text: 'Redeemed', number: true }, 'Refused, by reason'],
        part.offers.map((offer) => {
          const key = offerKey(offer);
          const [asked, signed, redeemed] = [sum(offer.asked), sum(offer.signed), sum(offer.redeemed)];
          const refused = Object.entries(offer.refused).sort(([, left], [, right]) => right - left);
          return { chosen: key === state.offer, cells: [
            [h('button', { type: 'button', class: 'link', 'aria-pressed': String(key === state.offer), 'data-key': key, onclick: () => {
              state.offer = key === state.offer ? null : key;
              show();
            } }, offerName(offer)), h('small', null, offer.productId ?? offer.bundleId)],
            number(asked),
            [number(signed), h('small', null, asked ? `${share(signed, asked)} of asked` : ''), bar(signed, asked, 'signed')],
            [number(redeemed), h('small', null, signed ? `${share(redeemed, signed)} of signed` : ''), bar(redeemed, signed, 'redeemed')],
            refused.length ? tags(refused.map(([reason, cases]) => `${words(reason)} ${number(cases)}`)) : '–'] };
        })) : empty('The catalog has no offer', 'Offers of catalog.yaml will be here.')),
      refusalsCard(overview, part),
    ];
  }],

  retention: ['Retention', (overview) => {
    const metrics = overview.retention.metrics.filter((metric) => metric.series.length);
    if (!metrics.length) {
      return empty('No retention call so far', 'When Apple asks what to show to a customer who is about to cancel, the calls will be counted '
        + 'here by their outcome, with how long the answers took. That needs retention in catalog.yaml, and the listener for notifications.');
    }
    return metrics.map((metric) => card(metric.name.replace('offer_signer_retention_', '').replace(/_total$/, '').replaceAll('_', ' '),
      metric.help ? h('p', { class: 'muted' }, metric.help) : null,
      table('Since the start of this process.', ['Kind', { text: 'Number', number: true }, { text: 'Mean time', number: true }], metric.series.map((one) => [
        Object.entries(one.labels).map(([name, value]) => `${words(name)} ${words(value)}`).join(', ') || 'all', number(one.value),
        one.meanMicroseconds === undefined ? '–' : `${number(one.meanMicroseconds / 1000)} ms`]))));
  }],

  ledger: ['Ledger', ({ ledger }) => {
    const verified = ledger.lastVerification;
    return [
      ledger.fault ? notice('bad', h('p', null, 'The database cannot be read now: ', ledger.fault)) : null,
      h('div', { class: 'tiles' },
        tile('', 'Records', compact.format(ledger.records), `in ${count(ledger.chains, 'chain')}`),
        tile('', 'Size', bytes(ledger.bytes), `${ledger.database}, with what is remembered`),
        tile('', 'Waiting', number(ledger.waiting), 'requests for the next commit'),
        tile(verified ? (verified.faults ? 'bad' : 'good') : 'warn', 'Verified', verified ? ago(verified.endedAt) : 'never',
          verified ? (verified.faults ? count(verified.faults, 'fault') : 'in order') : 'as far as is noted')),
      card('The ledger', facts(
        ['Where', h('code', null, ledger.place)],
        ['Signed up to', ledger.checkpointAt ? time(ledger.checkpointAt) : 'no checkpoint yet: the first signature brings one'],
        ['Records are kept', ledger.retentionDays ? count(ledger.retentionDays, 'day') : 'for ever'],
        ['Last verification', verified
          ? [time(verified.endedAt), `: ${count(verified.records, 'record')} in ${count(verified.chains, 'chain')}, `,
            verified.faults ? count(verified.faults, 'fault') : 'in order']
          : ['none is noted. Run ', h('code', null, 'offer-signer ledger verify --config FILE'), ', once a day for example.']]),
      verified?.faults ? notice('bad', h('p', null, 'Something is broken or missing. ', h('code', null, 'offer-signer ledger verify'), ' names it, and what it is for.')) : null,
      h('p', { class: 'help' }, 'The note of the last verification is in the database and proves nothing: run it yourself, with ',
        h('code', null, '--anchor'), ', from a machine that you trust.')),
      card('Newest chains', ledger.newestChains.length
        ? table('Each start of a service begins a chain with its first signature.', ['Writer', 'Began', { text: 'Records', number: true }, 'State'],
          ledger.newestChains.map((chain) => [h('span', { class: 'mono' }, chain.writer), time(chain.startedAt), number(chain.records),
            chain.isEnded ? 'ended, and signed' : 'open']))
        : empty('No chain yet', 'The first signature begins one.')),
      ledger.chainsCounted < ledger.chains ? h('p', { class: 'muted' }, `Records are those of the newest ${number(ledger.chainsCounted)} chains.`) : null,
    ];
  }],

  clients: ['Clients', ({ clients }) => (clients.length ? card(count(clients.length, 'client'),
    table('Requests since the start of this process, by status. A token is named by how its SHA-256 in clients.yaml begins.',
      ['Client', 'May call', 'May send', 'Limits', 'Tokens', 'Requests'], clients.map((client) => [
        [client.name, client.apps.map((app) => h('small', null, app))],
        tags(client.scopes), tags(client.evidence),
        [client.signaturesPerSecond ? `${number(client.signaturesPerSecond)} signatures/s` : null,
          client.concurrentRequests ? h('small', null, `${number(client.concurrentRequests)} requests at once`) : null,
          client.signaturesPerSecond || client.concurrentRequests ? null : 'none'],
        client.tokens.map((token) => h('div', null, h('code', { class: 'nowrap' }, token.sha256Prefix + '…'),
          token.requests === undefined ? null : h('small', null, token.requests ? `used ${times(token.requests)}` : 'not used'),
          token.lastUsedAt ? h('small', null, ago(token.lastUsedAt)) : null)),
        Object.keys(client.requests).length ? tags(Object.entries(client.requests).map(([status, calls]) => `${status}: ${number(calls)}`)) : 'none yet'])))
    : empty('No client', 'Whoever may ask is in clients.yaml. offer-signer clients token makes a token for one.'))],

  catalog: ['Catalog', ({ catalog }) => [
    h('p', { class: 'lead' }, `${count(catalog.offers, 'offer')} in ${count(catalog.apps.length, 'app')}, as they are in use now: since the start, or the last reload that took effect.`),
    catalog.apps.map((app) => card(app.bundleId,
      facts(
        ['Evidence counts from', tags(app.environments)],
        app.appAppleId ? ['Apple ID', String(app.appAppleId)] : null,
        ['Receipts are looked up by', services[app.receipts] ?? app.receipts],
        ['A request names the account', app.requireAccount ? 'always' : 'if it likes'],
        ['Accounts per transaction', `${number(app.maximumAccountsPerTransaction)} in 30 days, beside the account inside the evidence`]),
      app.groups.map((group) => {
        const rows = group.products.flatMap((product) => product.offers.map((offer) => [
          [offer.id, h('small', null, product.id)], tags(offer.audience), when(offer), limits(offer)]));
        return h('div', { class: 'group even' }, h('h3', null, `Group ${group.id}`), rows.length
          ? table(null, ['Offer', 'For', 'When', 'Limits and conditions'], rows)
          : h('p', { class: 'muted' }, 'No product of this group has an offer.'));
      }))),
    sum(catalog.apps.flatMap((app) => app.groups.flatMap((group) => group.products.map((product) => product.offers.length)))) < catalog.offers
      ? h('p', { class: 'muted' }, 'There are more offers than are listed here; catalog.yaml has all of them.') : null,
  ]],

  try: ['Try a customer', null],
  diagnose: ['Why did StoreKit refuse?', null],
};

const statuses = {
  ready: ['Ready', 'good', 'gets requests'], unready: ['Not ready', 'bad', 'gets no requests'],
  starting: ['Starting', 'warn', 'gets no requests yet'], draining: ['Draining', 'warn', 'ends what is under way'],
};

function appStoreTile(places) {
  const paused = places.filter((place) => place.isPaused);
  if (paused.length) return ['bad', 'App Store', 'not asked', `${services[paused[0].service]} was down`];
  const calls = sum(places.flatMap((place) => Object.values(place.calls)));
  return calls ? ['good', 'App Store', 'in reach', count(calls, 'call')] : ['', 'App Store', 'not asked yet', 'no request needed it'];
}

// Signed and refused offers of the last day, as this process counted them.
function decisionsCard({ decisions, startedAt }) {
  const totals = {};
  for (const step of decisions.steps) {
    for (const [reason, cases] of Object.entries(step.refused)) totals[reason] = (totals[reason] ?? 0) + cases;
  }
  const signed = sum(decisions.steps.map((step) => step.signed));
  const aside = h('span', { class: 'muted' }, 'since ', time(decisions.sinceAt ?? startedAt, false));
  const title = ['Signed and refused, by this process', aside];
  if (!signed && !Object.keys(totals).length) {
    return card(title, empty('No offer was asked for yet', 'Signatures and refusals of the last 24 hours will be here, in steps of ten minutes.'));
  }
  const reasons = reasonSeries(totals);
  const series = [{ name: 'signed', class: 'signed' }, ...reasons];
  const points = padded(decisions).map((step) => ({
    label: fullTime.format(new Date(step.startedAt)), axis: minuteTime.format(new Date(step.startedAt)),
    values: [step.signed, ...reasons.map((one) => sum(one.reasons.map((reason) => step.refused[reason] ?? 0)))],
  }));
  return card(title, chart('Signed and refused offers in steps of ten minutes', `${number(signed)} signed, ${number(sum(Object.values(totals)))} refused.`,
    series, points, { stacked: true, columns: 'From' }));
}

// The steps, after empty ones where the process is young: a chart of one wide bar says little.
function padded({ steps, stepSeconds }) {
  const missing = Math.max(0, 36 - steps.length);
  const first = new Date(steps[0]?.startedAt ?? Date.now());
  const before = Array.from({ length: missing }, (_, index) => ({
    startedAt: new Date(first - (missing - index) * stepSeconds * seconds).toISOString(), signed: 0, refused: {},
  }));
  return [...before, ...steps];
}

function refusalsCard(overview, part) {
  const totals = Object.fromEntries(Object.entries(part.refusals).map(([reason, days]) => [reason, sum(days)]));
  const title = ['Refusals by reason', h('span', { class: 'muted' }, `${part.environment}, since ${day(overview.funnel.days[0])}`)];
  if (!sum(Object.values(totals))) {
    return card(title, empty('No offer was refused', 'Why offers were refused will be here by day, the most frequent reason first.'));
  }
  const series = reasonSeries(totals);
  const points = overview.funnel.days.map((date, index) => ({
    label: day(date), axis: day(date), values: series.map((one) => sum(one.reasons.map((reason) => part.refusals[reason][index]))),
  }));
  return card(title, chart('Refusals by reason and day', `${number(sum(Object.values(totals)))} refused, most often ${series[0].name}.`, series, points, { stacked: true }));
}

function when({ startsAt, endsAt }) {
  const now = Date.now();
  if (startsAt && new Date(startsAt) > now) return [h('strong', null, 'not yet'), h('small', null, 'from ', time(startsAt, false))];
  if (endsAt && new Date(endsAt) <= now) return [h('strong', null, 'over'), h('small', null, 'since ', time(endsAt, false))];
  return ['now', endsAt ? h('small', null, 'until ', time(endsAt, false)) : null];
}

function limits(offer) {
  const found = [
    offer.maxRedemptions && `redeemed ${times(offer.maxRedemptions)} at most`,
    offer.maximumSignaturesPerCustomer && `signed ${times(offer.maximumSignaturesPerCustomer)} in ${count(offer.signaturePeriodDays, 'day')} at most`,
    offer.scope === 'app' && 'for subscribers of any group of the app',
    offer.fromProducts && `from ${offer.fromProducts.join(', ')}`,
    offer.minimumLapsedDays && `lapsed for ${count(offer.minimumLapsedDays, 'day')} at least`,
    offer.maximumLapsedDays && `lapsed for ${count(offer.maximumLapsedDays, 'day')} at most`,
    offer.afterRefund === 'allow' && 'refunded customers, too', offer.familyShared === 'allow' && 'shared purchases, too',
  ].filter(Boolean);
  return found.length ? tags(found) : '–';
}

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
  return fetch(path, { credentials: 'omit', cache: 'no-store', redirect: 'error', signal: AbortSignal.timeout(patience), ...options });
}

async function refresh() {
  try {
    const response = await ask('/overview.json');
    if (!response.ok) throw new Error(`it answered ${response.status}`);
    state.overview = await response.json();
    state.failedSince = null;
  } catch {
    state.failedSince ??= new Date();
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
  status.className = `pill ${kind}`;
  byId('version').textContent = overview ? overview.version : '';
  byId('updated').textContent = overview ? `as of ${clockTime.format(new Date(overview.generatedAt))}` : '';
  if (!failedSince) {
    outage.hidden = true;
    outage.replaceChildren();
  } else if (outage.hidden) {
    outage.hidden = false;
    outage.replaceChildren(h('p', null, h('strong', null, `The service has not answered since ${clockTime.format(failedSince)}. `),
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

const offersOf = (app) => app.groups.flatMap((group) => group.products.flatMap((product) => product.offers.map((offer) => [product.id, offer.id])));

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
  for (const select of document.querySelectorAll('select[data-apps]')) fill(select, apps.map((app) => [app.bundleId, app.bundleId]));
  const tried = apps.find((app) => app.bundleId === byId('try-app').value);
  fill(byId('try-offer'), [['', 'every offer of the app'],
    ...(tried ? offersOf(tried) : []).map((offer) => [JSON.stringify(offer), `${offer[1]} of ${offer[0]}`])]);
  const asked = apps.find((app) => app.bundleId === byId('diagnose-bundleId').value);
  const pairs = asked ? offersOf(asked) : [];
  fill(byId('products'), [...new Set(pairs.map(([product]) => product))].map((id) => [id, id]));
  fill(byId('offers'), [...new Set(pairs.map(([, offer]) => offer))].map((id) => [id, id]));
}

// The evidence that a text is: { kind, said, evidence }.
function recogniseEvidence(text) {
  text = text.trim();
  if (!text) return { said: '', evidence: undefined };
  if (/^\d{1,40}$/.test(text)) return { said: 'A transaction id: the App Store is asked.', evidence: { transactionId: text } };
  if (/^[[{"]/.test(text)) {
    let value;
    try {
      value = JSON.parse(text);
    } catch (error) {
      return { fault: `This begins as JSON, and is none: ${error.message}` };
    }
    if (Array.isArray(value) || typeof value === 'string') return recogniseEvidence([value].flat().join('\n'));
    for (const kind of ['receiptResponse', 'receipt', 'signedTransactions', 'transactionId']) {
      if (value[kind] !== undefined) return { said: `Evidence of the kind ${kind}.`, evidence: value };
    }
    if (value.evidence) return { said: 'The evidence of a request; its other members are left out.', evidence: value.evidence };
    return { said: 'An answer of verifyReceipt: the client needs receiptResponse among its evidence.', evidence: { receiptResponse: value } };
  }
  const parts = text.split(/[\s,]+/);
  if (parts.every((part) => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(part))) {
    const [renewals, transactions] = [parts.filter(isRenewal), parts.filter((part) => !isRenewal(part))];
    return {
      said: `JWS: ${count(transactions.length, 'transaction')}, ${count(renewals.length, 'renewal info')}.`,
      evidence: { signedTransactions: transactions, ...(renewals.length ? { signedRenewalInfos: renewals } : {}) },
    };
  }
  return { said: 'A receipt: the App Store is asked.', evidence: { receipt: text.replaceAll(/\s+/g, '') } };
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
      method: 'POST', headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` }, body: JSON.stringify(body),
    });
    const answer = await response.json();
    if (response.ok) return showResult(render(answer));
    const again = response.headers.get('Retry-After');
    showResult(notice('bad',
      h('p', null, h('strong', null, `${answer.title ?? response.status}: `), prose(answer.detail ?? '')),
      h('p', { class: 'muted' }, h('code', null, answer.code ?? String(response.status)),
        answer.pointer ? [' at ', h('code', null, answer.pointer)] : null, again ? `, ask again in ${count(Number(again), 'second')}` : null)));
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
  return submit(form, '/try', {
    ...(app ? { bundleId: app.bundleId } : {}), ...account('try'), ...(evidence ? { evidence } : {}),
    ...(offer ? { offers: [{ productId: offer[0], offerId: offer[1] }] } : {}),
    ...(byId('try-introductory').checked ? { products } : {}),
  }, showDecisions);
}

// What each rule wants of a customer who may have the offer.
const wanted = {
  catalog: 'The catalog has the offer, or the product.', bundleId: 'The evidence is of this app.',
  environments: 'The evidence is of an environment that counts for the app.',
  account: 'The account is the one inside the evidence, and the evidence is not used for too many.',
  startsAt: 'The offer has begun.', endsAt: 'The offer is not over.', evidence: 'There is evidence that says what the customer has.',
  subscriptionGroup: 'It is known which group the subscription is of.', evidenceAge: 'The evidence is fresh enough.',
  subscription: 'The customer has or had a subscription.', afterRefund: 'The newest purchase was not refunded, or the offer allows it.',
  familyShared: 'The subscription is the customer’s own, or the offer allows shared ones.',
  audience: 'The offer is for the state of the customer’s subscription.', fromProducts: 'The customer comes from a product that the offer names.',
  minimumLapsedDays: 'The customer was away for long enough.', maximumLapsedDays: 'The customer was not away for too long.',
  maxRedemptions: 'The customer has not redeemed the offer too often.', maximumSignaturesPerCustomer: 'The offer was not signed for the customer too often.',
  introductoryOffer: 'No introductory offer of the group was used.', activeSubscription: 'No subscription of the group is active.',
  gracePeriod: 'No subscription of the group is in its grace period.', coverage: 'The evidence has every subscription of the group.',
  renewal: 'It is known how the subscriptions ended.',
};

const verdicts = { eligible: ['good', 'Eligible'], ineligible: ['bad', 'Not eligible'], unknown: ['warn', 'Unknown'] };

function decision(title, subtitle, { verdict, reason, detail, explanation = [], begins }) {
  const [kind, word] = verdicts[verdict] ?? ['warn', verdict];
  const rule = { eligible: ['good', 'passed'], ineligible: ['bad', 'refused'], unknown: ['warn', 'cannot tell'] };
  return h('article', { class: 'card', 'data-verdict': verdict },
    h('div', { class: 'verdict' }, h('h3', null, title), h('span', { class: `pill ${kind}` }, word), h('code', null, reason)),
    h('p', { class: 'help' }, subtitle), h('p', null, detail), begins ? h('p', { class: 'muted' }, `It would begin: ${words(begins)}.`) : null,
    h('details', { open: true }, h('summary', null, `${count(explanation.length, 'rule')} asked${verdict === 'eligible' ? '' : '; those after the last were not'}`),
      table(null, ['Rule', 'Wanted', 'Saw', 'Verdict'], explanation.map((finding) => [
        h('code', null, finding.rule), wanted[finding.rule] ?? '–', finding.saw,
        h('span', { class: `pill ${rule[finding.verdict]?.[0]}` }, rule[finding.verdict]?.[1] ?? finding.verdict)]))));
}

function showDecisions(answer) {
  const eligible = answer.decisions.filter((one) => one.verdict === 'eligible').length;
  const name = answer.account.appAccountToken ?? answer.account.applicationUsername;
  return [
    h('h2', null, `${number(eligible)} of ${count(answer.decisions.length, 'offer')} eligible`),
    h('p', { class: 'help' }, answer.bundleId, answer.environment ? `, evidence of ${answer.environment}` : '', name ? [', for ', h('code', null, name)] : ', for no account in particular',
      '. Nothing was signed.'),
    answer.winBackOffers ? notice('', h('p', null, 'Apple’s win-back offers for this customer: ', answer.winBackOffers.map((offer) => offer.id).join(', '))) : null,
    answer.decisions.map((one) => decision(one.offerId, one.productId, one)),
    answer.products.map((product) => decision('Introductory offer', product.productId, product.introductoryOffer)),
  ];
}

function diagnose(form) {
  const format = form.elements.format.value;
  const body = { bundleId: byId('diagnose-bundleId').value, ...account('diagnose') };
  if (!body.bundleId) delete body.bundleId;
  const names = ['productId', 'offerId', 'storeKitError',
    ...(format === 'jws' ? ['jws', 'transactionId', 'resultingTransaction'] : ['keyIdentifier', 'nonce', 'timestamp', 'signature'])];
  for (const name of names) {
    const text = form.elements[name].value;
    const isNumber = (name === 'timestamp' || name === 'storeKitError') && /^-?\d{1,15}$/.test(text.trim());
    if (text !== '') body[name] = isNumber ? Number(text) : text;
  }
  return submit(form, '/diagnose', body, ({ valid, causes }) => [
    h('h2', null, valid ? 'The signature is right for these values' : 'The signature is not right for these values'),
    causes.length ? h('ol', { class: 'causes' }, causes.map((cause) => h('li', { class: 'card', 'data-code': cause.code },
      h('div', { class: 'verdict' }, h('code', null, cause.code)), h('p', null, prose(cause.detail)), h('p', null, h('strong', null, 'Fix: '), prose(cause.fix)))))
      : notice('good', h('p', null, 'Nothing is wrong with it, and no error was reported.')),
  ]);
}

// Fills the fields from JSON: an answer of /v1/signatures, a decision of it, or a report.
function pasteReport(form, text) {
  const told = byId('diagnose-paste-help');
  if (!text.trim()) return;
  let value;
  try {
    value = JSON.parse(text);
  } catch (error) {
    told.textContent = `This is no JSON: ${error.message}`;
    return;
  }
  const first = value.decisions?.find((one) => one.discount ?? one.jws) ?? {};
  const found = { ...value, ...value.account, ...first, ...(first.discount ?? value.discount ?? {}) };
  found.offerId ??= found.identifier;
  const names = ['productId', 'offerId', 'storeKitError', 'jws', 'transactionId', 'resultingTransaction', 'keyIdentifier', 'nonce', 'timestamp', 'signature'];
  const filled = names.filter((name) => ['string', 'number'].includes(typeof found[name]));
  for (const name of filled) form.elements[name].value = found[name];
  const kind = ['appAccountToken', 'applicationUsername'].find((name) => typeof found[name] === 'string');
  if (kind) {
    byId('diagnose-account-kind').value = kind;
    byId('diagnose-account').value = found[kind];
  }
  if (found.bundleId) byId('diagnose-bundleId').value = found.bundleId;
  chooseFormat(form, filled.includes('jws') && !filled.includes('signature') ? 'jws' : 'discount');
  told.textContent = filled.length ? `Filled in: ${[...filled, ...(kind ? [kind] : [])].join(', ')}.` : 'There is nothing of a signature in this.';
}

function chooseFormat(form, format) {
  form.elements.format.value = format;
  for (const part of form.querySelectorAll('[data-format]')) part.hidden = part.dataset.format !== format;
}

// ---------------------------------------------------------------- Beginning

function begin() {
  const [tryForm, diagnoseForm] = [byId('try-form'), byId('diagnose-form')];
  byId('zone').textContent = `Times are those of ${Intl.DateTimeFormat().resolvedOptions().timeZone}.`;
  for (const field of document.querySelectorAll('[data-token]')) field.addEventListener('input', () => setToken(field.value));
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
