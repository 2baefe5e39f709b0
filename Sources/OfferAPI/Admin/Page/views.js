// The views of the service, its retention calls, its ledger and its catalog.

import {
  seconds, h, sum, tenths, compact, minuteTime, fullTime, number, count, share, bytes, ago, time, words, prose,
  services, card, notice, empty, facts, tile, tags, table,
} from './elements.js';
import { chart, reasonSeries } from './charts.js';
import { state, offersOf } from './overview.js';

export const statuses = {
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

export function nowView(overview) {
  const { faults, warnings, reloads } = overview;
  const lastHour = overview.decisions.steps.filter((step) => Date.now() - new Date(step.startedAt) < 3600 * seconds);
  const signed = sum(lastHour.map((step) => step.signed));
  const refused = sum(lastHour.map((step) => sum(Object.values(step.refused))));
  const failing = overview.keys.filter((key) => key.fault);
  const signing = overview.keys.filter((key) => key.use === 'signs' && !key.fault);
  const [word, kind, more] = state.failedSince
    ? ['No answer', state.missed > 1 ? '' : 'bad', 'the figures below are older']
    : statuses[overview.status] ?? [overview.status, 'warn', ''];
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

export function retentionView({ retention }) {
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

export function ledgerView({ ledger }) {
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

export function catalogView({ catalog }) {
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
