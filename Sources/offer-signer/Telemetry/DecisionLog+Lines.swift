import Logging
import OfferAPI
import OfferService
import Offers

extension LoadedService {
    /// The log's lines of decisions, by `log.decisions`.
    func decisionLog(with lifelong: LifelongParts) -> DecisionLog? {
        let logger = Logger(label: "offer-signer")
        return DecisionLog(settings.logDecisions, digester: lifelong.ledger.digestKey) { line in
            logger.notice("decision", metadata: line.metadata)
        }
    }
}

extension DecisionLog.Line {
    fileprivate var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = [
            "client": "\(client)", "bundleId": "\(bundleId)", "productId": "\(productId)",
            "verdict": "\(verdict.rawValue)", "reason": "\(reason)",
        ]
        if let offerId { metadata["offerId"] = "\(offerId)" }
        if let source { metadata["source"] = "\(source)" }
        if let customer { metadata["customer"] = "\(Hexadecimal.text(customer.bytes))" }
        return metadata
    }
}
