/// The version of the product, by semantic versioning.
enum Version {
    static let current = "0.1.0"
}
