# Asks with the client that openapi-generator made for Ruby.
require 'json'
require 'openapi_client'

account, product, offer, *asks = ARGV
asks.each_slice(3) do |address, token, evidence|
  configuration = OpenapiClient::Configuration.new
  configuration.server_index = nil
  configuration.scheme, configuration.host = address.split('://')
  configuration.access_token = token
  api = OpenapiClient::OffersApi.new(OpenapiClient::ApiClient.new(configuration))
  request = OpenapiClient::SignatureRequest.new(
    app_account_token: account,
    evidence: OpenapiClient::Evidence.new(receipt_response: JSON.parse(File.read(evidence))),
    offers: [OpenapiClient::RequestedOffer.new(product_id: product, offer_id: offer)]
  )
  begin
    answer = api.sign_offers(request)
    decision, = answer.decisions
    puts JSON.generate(
      bundleId: answer.bundle_id, environment: answer.environment, account: answer.account.to_hash,
      productId: decision.product_id, verdict: decision.verdict, reason: decision.reason,
      begins: decision.begins, discount: decision.discount&.to_hash
    )
  rescue OpenapiClient::ApiError => e
    problem = OpenapiClient::Problem.build_from_hash(JSON.parse(e.response_body, symbolize_names: true))
    puts JSON.generate(status: problem.status, code: problem.code)
  end
end
