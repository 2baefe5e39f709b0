// Asks with the client that openapi-generator made for Go.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"

	openapi "github.com/GIT_USER_ID/GIT_REPO_ID"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	out := json.NewEncoder(os.Stdout)
	for asks := os.Args[4:]; len(asks) > 0; asks = asks[3:] {
		text, err := os.ReadFile(asks[2])
		must(err)
		evidence := openapi.NewEvidence()
		must(json.Unmarshal(text, &evidence.ReceiptResponse))
		request := openapi.NewSignatureRequest([]openapi.RequestedOffer{*openapi.NewRequestedOffer(os.Args[2], os.Args[3])})
		request.SetAppAccountToken(os.Args[1])
		request.SetEvidence(*evidence)

		configuration := openapi.NewConfiguration()
		configuration.Servers = openapi.ServerConfigurations{{URL: asks[0]}}
		client := openapi.NewAPIClient(configuration)
		context := context.WithValue(context.Background(), openapi.ContextAccessToken, asks[1])
		answer, _, err := client.OffersAPI.SignOffers(context).SignatureRequest(*request).Execute()
		if err != nil {
			var refused *openapi.GenericOpenAPIError
			if !errors.As(err, &refused) {
				panic(err)
			}
			problem, ok := refused.Model().(openapi.Problem)
			if !ok {
				panic(err)
			}
			must(out.Encode(map[string]any{"status": problem.Status, "code": problem.Code}))
			continue
		}
		decision := answer.Decisions[0]
		must(out.Encode(map[string]any{
			"bundleId": answer.BundleId, "environment": answer.Environment, "account": answer.Account,
			"productId": decision.ProductId, "verdict": decision.Verdict, "reason": decision.Reason,
			"begins": decision.Begins, "discount": decision.Discount,
		}))
	}
}
