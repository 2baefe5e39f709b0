import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.OffersApi;
import org.openapitools.client.model.*;

/** Asks with the client that openapi-generator made for Java. */
class Client {
    public static void main(String[] arguments) throws Exception {
        ObjectMapper json = ApiClient.createDefaultObjectMapper();
        for (int ask = 3; ask < arguments.length; ask += 3) {
            String token = arguments[ask + 1];
            ApiClient client = new ApiClient();
            client.updateBaseUri(arguments[ask]);
            client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + token));
            SignatureRequest request = new SignatureRequest()
                .appAccountToken(UUID.fromString(arguments[0]))
                .evidence(new Evidence().receiptResponse(json.readValue(new File(arguments[ask + 2]), Map.class)))
                .addOffersItem(new RequestedOffer().productId(arguments[1]).offerId(arguments[2]));
            Map<String, Object> told = new LinkedHashMap<>();
            try {
                SignatureAnswer answer = new OffersApi(client).signOffers(
                    request, null, null);
                SignedDecision decision = answer.getDecisions().get(0);
                told.put("bundleId", answer.getBundleId());
                told.put("environment", answer.getEnvironment());
                told.put("account", answer.getAccount());
                told.put("productId", decision.getProductId());
                told.put("verdict", decision.getVerdict());
                told.put("reason", decision.getReason());
                told.put("begins", decision.getBegins());
                told.put("discount", decision.getDiscount());
            } catch (ApiException refused) {
                Problem problem = json.readValue(refused.getResponseBody(), Problem.class);
                told.put("status", problem.getStatus());
                told.put("code", problem.getCode());
            }
            System.out.println(json.writeValueAsString(told));
        }
    }
}
