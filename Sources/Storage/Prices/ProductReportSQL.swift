/// The SQL of product reports, plain for SQLite and PostgreSQL alike.
enum ProductReportSQL {
    static let product =
        "SELECT body FROM product_sightings WHERE bundle_id = $1 AND country = $2 AND product_id = $3"

    static let ofCountry =
        "SELECT product_id, body FROM product_sightings WHERE bundle_id = $1 AND country = $2 ORDER BY product_id"

    static let count = "SELECT COUNT(*) FROM product_sightings WHERE bundle_id = $1"

    static let put =
        "INSERT INTO product_sightings (bundle_id, country, product_id, body) VALUES ($1, $2, $3, $4) "
        + "ON CONFLICT (bundle_id, country, product_id) DO UPDATE SET body = excluded.body"

    /// Of a product as many as nobody runs campaigns for.
    static let putOffer =
        "INSERT INTO offers_seen (bundle_id, product_id, offer_id) SELECT $1, $2, $3 "
        + "WHERE (SELECT COUNT(*) FROM offers_seen WHERE bundle_id = $1 AND product_id = $2) < 1000 "
        + "ON CONFLICT (bundle_id, product_id, offer_id) DO NOTHING"

    static let offers = "SELECT product_id, offer_id FROM offers_seen WHERE bundle_id = $1"
}
