// Begins the operators' page: it shows what /overview.json says, in the view that the address names.

import { seconds, h, byId, clockTime } from './elements.js';
import { state, ask, onChosen } from './overview.js';
import { offersView } from './offers.js';
import { statuses, nowView, retentionView, ledgerView, catalogView } from './views.js';
import {
  fillForms, recogniseEvidence, setToken, clearResult, tryCustomer, diagnose, pasteReport, chooseFormat,
} from './forms.js';

const every = 10 * seconds;

const views = {
  now: ['Now', nowView],
  offers: ['Offers', offersView],
  retention: ['Retention', retentionView],
  ledger: ['Ledger', ledgerView],
  catalog: ['Catalog', catalogView],
  try: ['Try a customer', null],
  diagnose: ['Why did StoreKit refuse?', null],
};

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
  onChosen(show);
  setToken('');
  show();
  keepFresh();
}

begin();
