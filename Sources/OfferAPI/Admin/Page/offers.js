// The view of what was asked, signed and redeemed.

import {
  h, sum, tenths, number, share, day, time, card, notice, empty, reasonTags, table, switches, bar,
} from './elements.js';
import { chart, reasonSeries } from './charts.js';
import { state, choose } from './overview.js';

const offerKey = (offer) => JSON.stringify([offer.bundleId, offer.productId, offer.offerId]);
const offerName = (offer) => offer.offerId ?? '(not in the catalog)';

export function offersView({ funnel, holdouts }) {
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
