// The state of the page: the overview of the service, and the choices in it. The service is asked from here.

import { seconds } from './elements.js';

const patience = 15 * seconds;

export const state = {
  overview: null, environment: 'Production', offer: null, failedSince: null, missed: 0, paused: false,
};

let redraw;

// Says what shows the choices anew.
export function onChosen(action) {
  redraw = action;
}

export function choose(changes) {
  Object.assign(state, changes);
  redraw();
}

export async function ask(path, options) {
  const signal = AbortSignal.timeout(patience);
  return fetch(path, { credentials: 'omit', cache: 'no-store', redirect: 'error', signal, ...options });
}

export const offersOf = (app) => app.groups.flatMap((group) => group.products)
  .flatMap((product) => product.offers.map((offer) => [product.id, offer.id]));
