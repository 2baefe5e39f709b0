import Offers
import StrictJSON

/// Answers verifyReceipt calls (App Store Receipts, `responseBody`).
enum VerifyReceiptAnswer {
    /// A status alone; 21100 to 21199 have `is-retryable`.
    static func status(_ status: Int64, isRetryable: Bool? = nil) -> [UInt8] {
        JSONWriter.text { json in
            json.member("status", status)
            if let isRetryable { json.flag("is-retryable", isRetryable) }
        }
    }

    static func answer(
        _ body: [UInt8],
        in environment: AppStoreEnvironment,
        world: AppStoreWorld,
        signer: AppStoreSigner
    ) -> [UInt8] {
        guard let request = VerifyReceiptRequest(json: body) else { return status(21002) }
        let identity: ReceiptIdentity
        do throws(ReceiptFault) {
            if let found = try TransactionReceipt.identity(request.receiptData, signer: signer) {
                identity = found
            } else {
                identity = try StoreReceipt.identity(request.receiptData, signer: signer)
            }
        } catch {
            return status(error == .malformed ? 21002 : 21003)
        }
        guard identity.environment == environment else {
            return status(environment == .production ? 21007 : 21008)
        }
        guard let app = world.app(identity.bundleId), let customer = world.customer(identity.customer) else {
            return status(21010)
        }
        if let secret = app.sharedSecret, request.password != secret { return status(21004) }
        if let id = identity.transactionId {
            return oldStyle(id, app, customer, signer: signer)
        }
        let all = customer.transactions
        return appReceipt(
            app,
            customer,
            inApp: all,
            latest: request.excludesOldTransactions ? customer.subscriptions.flatMap(\.period) : all,
            receipt: request.receiptData,
            now: world.clock.now
        )
    }

    /// The answer about an app receipt; a `nil` receipt leaves `latest_receipt` out.
    static func appReceipt(
        _ app: StoreApp,
        _ customer: StoreCustomer,
        inApp: [StoreTransaction],
        latest: [StoreTransaction],
        receipt latestReceipt: String?,
        now: Timestamp
    ) -> [UInt8] {
        return JSONWriter.text { json in
            json.member("status", 0)
            json.member("environment", customer.environment.rawValue)
            json.object("receipt") { receipt in
                let isProduction = customer.environment == .production
                receipt.member("receipt_type", isProduction ? "Production" : "ProductionSandbox")
                receipt.member("adam_id", isProduction ? app.appAppleId : 0)
                receipt.member("app_item_id", isProduction ? app.appAppleId : 0)
                receipt.member("bundle_id", app.bundleId)
                receipt.member("application_version", "1")
                AppleDates.write("receipt_creation_date", now, into: &receipt)
                AppleDates.write("request_date", now, into: &receipt)
                receipt.member("original_application_version", "1")
                receipt.list("in_app", inApp) { transaction, json in
                    VerifyReceiptFields.transaction(transaction, isInApp: true, into: &json)
                }
            }
            guard !customer.subscriptions.isEmpty else { return }
            json.list("latest_receipt_info", latest) { transaction, json in
                VerifyReceiptFields.transaction(transaction, into: &json)
            }
            json.optional("latest_receipt", latestReceipt)
            json.list("pending_renewal_info", customer.subscriptions) { subscription, json in
                VerifyReceiptFields.renewal(subscription, into: &json)
            }
        }
    }

    private static func oldStyle(
        _ id: String,
        _ app: StoreApp,
        _ customer: StoreCustomer,
        signer: AppStoreSigner
    ) -> [UInt8] {
        guard let transaction = customer.transaction(id),
            let subscription = customer.subscriptions.first(where: { $0.transactions.contains(transaction) })
        else { return status(21010) }
        let latest = subscription.shown
        let isCurrent = subscription.status == 1
        return JSONWriter.text { json in
            json.member("status", isCurrent ? 0 : 21006)
            json.member("receipt")
            VerifyReceiptFields.oldStyle(transaction, of: app, customer, into: &json)
            json.member(isCurrent ? "latest_receipt_info" : "latest_expired_receipt_info")
            VerifyReceiptFields.oldStyle(latest, of: app, customer, into: &json)
            if isCurrent {
                json.member("latest_receipt", TransactionReceipt.text(of: latest, customer: customer, signer: signer))
            }
            json.member("auto_renew_status", subscription.renewsNextPeriod ? 1 : 0)
            json.member("auto_renew_product_id", subscription.nextProductId)
            json.optional("expiration_intent", subscription.expirationIntent.map { String($0) })
            if !isCurrent { json.member("is_in_billing_retry_period", subscription.isInBillingRetryPeriod ? "1" : "0") }
        }
    }
}

/// The body of a verifyReceipt call; members that Apple does not know are ignored.
struct VerifyReceiptRequest {
    let receiptData: String
    let password: String?
    let excludesOldTransactions: Bool

    /// `nil` comes of anything that has no `receipt-data`.
    init?(json: [UInt8]) {
        guard let members = JSONReader.plainMembers(of: json, refusesDuplicates: false),
            case .string(let receipt) = members["receipt-data"]
        else { return nil }
        receiptData = receipt
        if case .string(let text) = members["password"] { password = text } else { password = nil }
        excludesOldTransactions = members["exclude-old-transactions"] == .bool(true)
    }
}
