// Asks with the client that openapi-generator made for TypeScript.
import { Configuration, OffersApi, ProblemFromJSON, ResponseError } from './index';

declare const process: { argv: string[] };
declare function require(name: 'fs'): { readFileSync(path: string, encoding: string): string };
const { readFileSync } = require('fs');

const [account, productId, offerId, ...asks] = process.argv.slice(2);
(async () => {
  for (let ask = 0; ask < asks.length; ask += 3) {
    const [basePath, accessToken, evidence] = asks.slice(ask);
    const api = new OffersApi(new Configuration({ basePath, accessToken }));
    try {
      const answer = await api.signOffers({
        signatureRequest: {
          appAccountToken: account,
          evidence: { receiptResponse: JSON.parse(readFileSync(evidence, 'utf8')) },
          offers: [{ productId, offerId }],
        },
      });
      const { bundleId, environment, decisions } = answer;
      const [{ verdict, reason, begins, discount, ...decision }] = decisions;
      console.log(JSON.stringify({ bundleId, environment, account: answer.account, productId: decision.productId,
        verdict, reason, begins, discount }));
    } catch (refused) {
      if (!(refused instanceof ResponseError)) throw refused;
      const { status, code } = ProblemFromJSON(await refused.response.json());
      console.log(JSON.stringify({ status, code }));
    }
  }
})();
