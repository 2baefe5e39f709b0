/// What the rule about the catalog looks at.
struct CatalogFacts {
    let request: OfferRequest
    /// The product and its group; `nil` when the catalog does not have it.
    let place: (product: Product, group: SubscriptionGroup)?
    /// The offer; `nil` when the product does not have it.
    let offer: PromotionalOffer?

    init(app: App, request: OfferRequest) {
        self.request = request
        place = app.product(request.productId)
        offer = place?.product.offer(request.offerId)
    }
}
