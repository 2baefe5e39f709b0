// The two forms: they ask /try and /diagnose. A client's token is in a variable here and nowhere else.

import { h, byId, number, count, words, prose, notice, table } from './elements.js';
import { state, ask, offersOf } from './overview.js';

let token = '';

// Fills a list of choices, where they have changed, and keeps what is chosen.
function fill(select, options) {
  const text = JSON.stringify(options);
  if (select.dataset.options === text) return;
  const chosen = select.value;
  select.dataset.options = text;
  select.replaceChildren(...options.map(([value, label]) => h('option', { value }, label)));
  if (options.some(([value]) => value === chosen)) select.value = chosen;
}

export function fillForms() {
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
export function recogniseEvidence(text) {
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

export function setToken(value) {
  token = value.trim();
  for (const field of document.querySelectorAll('[data-token]')) {
    if (field !== document.activeElement) field.value = token;
    field.removeAttribute('aria-invalid');
  }
}

export function clearResult() {
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

export function tryCustomer(form) {
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

export function diagnose(form) {
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
export function pasteReport(form, text) {
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

export function chooseFormat(form, format) {
  form.elements.format.value = format;
  for (const part of form.querySelectorAll('[data-format]')) part.hidden = part.dataset.format !== format;
}
