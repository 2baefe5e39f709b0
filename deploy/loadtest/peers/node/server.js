// A peer for the benchmarks: signs promotional offers with Node's http and crypto in a cluster of two, and decides
// nothing.
//
//   node server.js KEY.p8 PORT
'use strict';

const cluster = require('node:cluster');
const crypto = require('node:crypto');
const fs = require('node:fs');
const http = require('node:http');

const keyIdentifier = 'EXAMPLE123';
const [file, port] = process.argv.slice(2);

if (cluster.isPrimary) {
  cluster.fork();
  cluster.fork();
  process.on('SIGTERM', () => {
    for (const worker of Object.values(cluster.workers)) worker.process.kill('SIGTERM');
    process.exit(0);
  });
} else {
  const key = crypto.createPrivateKey(fs.readFileSync(file));

  const sign = (call, offer) => {
    const nonce = crypto.randomUUID();
    const timestamp = Date.now();
    const payload = [
      call.bundleId, keyIdentifier, offer.productId, offer.offerId, (call.appAccountToken || '').toLowerCase(), nonce,
      timestamp,
    ].join('\u2063');
    const signature = crypto.sign('sha256', Buffer.from(payload), key).toString('base64');
    return { identifier: offer.offerId, keyIdentifier, nonce, timestamp, signature };
  };

  http.createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const call = JSON.parse(Buffer.concat(chunks));
      call.bundleId ??= 'com.example.reader';
      call.offers ??= [{ productId: 'com.example.reader.pro.monthly', offerId: 'comeback50' }];
      const decisions = call.offers.map((offer) => {
        const decision = { ...offer, verdict: 'eligible', reason: 'active' };
        if (request.url === '/v1/signatures') {
          decision.discount = sign(call, offer);
          decision.expiresAt = new Date(decision.discount.timestamp + 86400000).toISOString();
        }
        return decision;
      });
      const account = { appAccountToken: call.appAccountToken };
      const body = JSON.stringify({ bundleId: call.bundleId, account, decisions });
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
      response.end(body);
    });
  }).listen(Number(port), '127.0.0.1');
}
