<?php
// Asks with the client that openapi-generator made for PHP.
require 'GuzzleHttp/autoload.php';
spl_autoload_register(function (string $class): void {
    require __DIR__ . '/lib/' . str_replace(['OpenAPI\\Client\\', '\\'], ['', '/'], $class) . '.php';
});

use OpenAPI\Client as Generated;
use OpenAPI\Client\Model;

[, $account, $product, $offer] = $argv;
foreach (array_chunk(array_slice($argv, 4), 3) as [$address, $token, $evidence]) {
    $configuration = (new Generated\Configuration())->setHost($address)->setAccessToken($token);
    $api = new Generated\Api\OffersApi(new GuzzleHttp\Client(), $configuration);
    $request = new Model\SignatureRequest([
        'app_account_token' => $account,
        'evidence' => new Model\Evidence(['receipt_response' => json_decode(file_get_contents($evidence))]),
        'offers' => [new Model\RequestedOffer(['product_id' => $product, 'offer_id' => $offer])],
    ]);
    try {
        if (!$request->valid()) {
            throw new Exception(implode(' ', $request->listInvalidProperties()));
        }
        $answer = $api->signOffers($request);
        [$decision] = $answer->getDecisions();
        echo json_encode([
            'bundleId' => $answer->getBundleId(),
            'environment' => $answer->getEnvironment(),
            'account' => $answer->getAccount(),
            'productId' => $decision->getProductId(),
            'verdict' => $decision->getVerdict(),
            'reason' => $decision->getReason(),
            'begins' => $decision->getBegins(),
            'discount' => $decision->getDiscount(),
        ]), "\n";
    } catch (Generated\ApiException $refused) {
        $problem = $refused->getResponseObject();
        echo json_encode(['status' => $problem->getStatus(), 'code' => $problem->getCode()]), "\n";
    }
}
