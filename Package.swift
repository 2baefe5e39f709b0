// swift-tools-version: 6.2
import PackageDescription

/// The compiler settings of every target: language mode 6, and every warning is an error.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// A dependency in the version of deploy/dependencies.txt.
///
/// A backend that takes `OfferSignerClient` from here may need a newer one beside it, and gets any later minor version.
func pinned(
    _ url: String,
    _ version: Version,
    traits: Set<Package.Dependency.Trait> = [.defaults]
) -> Package.Dependency {
    isDependency
        ? .package(url: url, from: version, traits: traits) : .package(url: url, exact: version, traits: traits)
}

/// Whether another package's build has this one among its checkouts.
let isDependency = ["/.build/checkouts/", "/SourcePackages/checkouts/"].contains {
    Context.packageDirectory.contains($0)
}

let package = Package(
    name: "offer-signer",
    products: [
        .executable(name: "offer-signer", targets: ["offer-signer"]),
        .executable(name: "offer-lab", targets: ["offer-lab"]),
        .library(name: "OfferSignerClient", targets: ["OfferSignerClient"]),
    ],
    dependencies: [
        pinned("https://github.com/apple/swift-argument-parser", "1.8.2"),
        pinned("https://github.com/apple/swift-asn1", "1.7.4"),
        pinned("https://github.com/apple/swift-certificates", "1.21.1"),
        pinned("https://github.com/apple/swift-crypto", "4.5.2"),
        pinned("https://github.com/apple/swift-http-types", "1.8.0"),
        pinned("https://github.com/apple/swift-log", "1.16.2"),
        pinned("https://github.com/apple/swift-metrics", "2.13.0"),
        pinned("https://github.com/apple/swift-nio", "2.101.2"),
        pinned("https://github.com/apple/swift-nio-extras", "1.35.2"),
        pinned("https://github.com/apple/swift-nio-ssl", "2.37.6"),
        pinned("https://github.com/hummingbird-project/hummingbird", "2.28.1", traits: []),
        pinned("https://github.com/jpsim/Yams", "6.2.2"),
        pinned("https://github.com/swift-server/async-http-client", "1.37.0"),
        pinned("https://github.com/swift-server/swift-service-lifecycle", "2.13.0"),
    ],
    targets: [
        .target(name: "Offers", swiftSettings: strict),
        .target(name: "StrictJSON", swiftSettings: strict),
        .target(name: "EvidenceRecognition", dependencies: ["StrictJSON"], swiftSettings: strict),
        .target(name: "StoreKitConfiguration", swiftSettings: strict),
        .target(
            name: "PrometheusMetrics",
            dependencies: [.product(name: "CoreMetrics", package: "swift-metrics")],
            swiftSettings: strict
        ),
        .target(
            name: "LogLines",
            dependencies: ["StrictJSON", .product(name: "Logging", package: "swift-log")],
            swiftSettings: strict
        ),
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CLinux"),
        .target(name: "CSigningMemory"),
        .systemLibrary(name: "CPKCS11", providers: [.apt(["libp11-kit-dev"])]),
        .target(
            name: "SubscriptionKeys",
            dependencies: ["Offers", "CLinux", "COpenSSL", "CPKCS11", "CSigningMemory"],
            swiftSettings: strict + [.strictMemorySafety()]
        ),
        .target(
            name: "AppStore",
            dependencies: [
                "EvidenceRecognition", "Offers", "StrictJSON",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            swiftSettings: strict
        ),
        .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .target(
            name: "Storage",
            dependencies: [
                "CPostgreSQL", "CSQLite", "Offers", .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "OfferService",
            dependencies: [
                "Offers",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "OfferAPI",
            dependencies: [
                "EvidenceRecognition", "Offers", "OfferService", "StrictJSON",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOExtras", package: "swift-nio-extras"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Yams", package: "Yams"),
            ],
            resources: [
                .embedInCode("Description/openapi.yaml"), .embedInCode("Admin/Page/page.html"),
                .embedInCode("Admin/Page/page.css"), .embedInCode("Admin/Page/icon.svg"),
                .embedInCode("Admin/Page/page.js"), .embedInCode("Admin/Page/elements.js"),
                .embedInCode("Admin/Page/charts.js"), .embedInCode("Admin/Page/overview.js"),
                .embedInCode("Admin/Page/views.js"), .embedInCode("Admin/Page/offers.js"),
                .embedInCode("Admin/Page/forms.js"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "AppStoreSimulator",
            dependencies: [
                "Offers", "StoreKitConfiguration", "StrictJSON",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
                .product(name: "Yams", package: "Yams"),
            ],
            path: "Sources/Lab/AppStoreSimulator",
            resources: [.embedInCode("Scenario/app-store.yaml")],
            swiftSettings: strict
        ),
        .target(
            name: "LoadGenerator",
            dependencies: [
                "AppStoreSimulator", "StrictJSON",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            path: "Sources/Lab/LoadGenerator",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "offer-signer",
            dependencies: [
                "AppStore", "LogLines", "OfferAPI", "OfferService", "Offers", "PrometheusMetrics", "Storage",
                "StoreKitConfiguration", "StrictJSON", "SubscriptionKeys",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                .product(name: "Yams", package: "Yams"),
            ],
            swiftSettings: strict,
            linkerSettings: [
                // Symbols are bound at start, because lazy binding could spill a register with a piece of a key to the
                // stack. And no program loads this one as a library, so the 5 MB table of its symbols is left out.
                .unsafeFlags(
                    ["-Xlinker", "-z", "-Xlinker", "now", "-Xlinker", "--no-export-dynamic"],
                    .when(platforms: [.linux])
                )
            ]
        ),
        // The stand-in App Store and the load generator, for tests. Of the service's targets these import none but
        // Offers, StoreKitConfiguration and StrictJSON; it starts the service as a separate executable.
        .executableTarget(
            name: "offer-lab",
            dependencies: [
                "AppStoreSimulator", "LoadGenerator", "StoreKitConfiguration",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                .product(name: "Yams", package: "Yams"),
            ],
            path: "Sources/Lab/offer-lab",
            swiftSettings: strict
        ),
        // The client for backends in Swift. It depends on none of the service's targets.
        .target(
            name: "OfferSignerClient",
            dependencies: [
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            path: "Sources/Client/OfferSignerClient",
            swiftSettings: strict
        ),
        .testTarget(name: "OffersTests", dependencies: ["Offers"], swiftSettings: strict),
        .testTarget(
            name: "EvidenceRecognitionTests",
            dependencies: ["EvidenceRecognition"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "StoreKitConfigurationTests",
            dependencies: ["StoreKitConfiguration"],
            swiftSettings: strict
        ),
        .testTarget(name: "StrictJSONTests", dependencies: ["StrictJSON"], swiftSettings: strict),
        .testTarget(
            name: "LogLinesTests",
            dependencies: ["LogLines", .product(name: "Logging", package: "swift-log")],
            swiftSettings: strict
        ),
        .testTarget(
            name: "PrometheusMetricsTests",
            dependencies: ["PrometheusMetrics", .product(name: "CoreMetrics", package: "swift-metrics")],
            swiftSettings: strict
        ),
        .testTarget(
            name: "SubscriptionKeysTests",
            dependencies: [
                "SubscriptionKeys", "CSigningMemory", "Offers", "ChildProcess", "ProcessMemory",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "AppStoreTests",
            dependencies: [
                "AppStore", "EvidenceRecognition", "FakeServer", "KeptLog", "LedgerFixtures", "Offers",
                "PrometheusMetrics", "SignedDataFixtures",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "AppStoreSimulatorTests",
            dependencies: [
                "AppStoreSimulator", "ChildProcess", "Offers",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "StorageTests",
            dependencies: [
                "ChildProcess", "Storage", "LedgerFixtures", "OfferService", "Offers", "PostgreSQLServer",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "LoadGeneratorTests",
            dependencies: [
                "AppStoreSimulator", "LoadGenerator",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "OfferServiceTests",
            dependencies: [
                "OfferService", "AppStore", "LedgerFixtures", "Offers", "PrometheusMetrics", "SubscriptionKeys",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "OfferAPITests",
            dependencies: [
                "OfferAPI", "OfferService", "AppStore", "KeptLog", "LedgerFixtures", "Offers", "PostgreSQLServer",
                "PrometheusMetrics", "Storage", "StrictJSON",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "offer-signerTests",
            dependencies: [
                "offer-signer", "AppStore", "KeptLog", "OfferAPI", "OfferService", "Offers",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "OfferSignerClientTests",
            dependencies: ["OfferSignerClient", "FakeServer"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "offer-signer", "offer-lab", "OfferSignerClient", "CarelessLoader", "ChildProcess", "FakeServer",
                "ProcessMemory", "PostgreSQLServer", "SignedDataFixtures",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: strict
        ),
        // Runs programs, for the tests.
        .target(name: "ChildProcess", path: "Tests/ChildProcess", swiftSettings: strict),
        // Searches the memory of programs, for the tests. CarelessLoader is a program in which a key is found.
        .target(name: "ProcessMemory", path: "Tests/ProcessMemory", swiftSettings: strict),
        // The example of a backend in Swift of docs/clients.md, word for word; a test holds the two together and runs it.
        .executableTarget(
            name: "BackendExample",
            dependencies: ["OfferSignerClient"],
            path: "Tests/BackendExample",
            swiftSettings: strict
        ),
        .executableTarget(name: "CarelessLoader", path: "Tests/CarelessLoader", swiftSettings: strict),
        // A PostgreSQL server that tests start, kill and start again.
        .target(
            name: "PostgreSQLServer",
            dependencies: ["ChildProcess"],
            path: "Tests/PostgreSQLServer",
            swiftSettings: strict
        ),
        // Measures the targets of the service without HTTP, for `make bench`.
        .executableTarget(
            name: "SigningBenchmark",
            dependencies: [
                "AppStore", "AppStoreSimulator", "OfferAPI", "OfferService", "Offers", "Storage", "SubscriptionKeys",
            ],
            path: "Tests/SigningBenchmark",
            swiftSettings: strict
        ),
        // Keeps what is logged, for the tests.
        .target(
            name: "KeptLog",
            dependencies: [.product(name: "Logging", package: "swift-log")],
            path: "Tests/KeptLog",
            swiftSettings: strict
        ),
        // Stand-ins for the ledger and held state, for the tests.
        .target(
            name: "LedgerFixtures",
            dependencies: ["Offers"],
            path: "Tests/LedgerFixtures",
            swiftSettings: strict
        ),
        // An HTTP server with answers that a test chooses, in Apple's place.
        .target(name: "FakeServer", path: "Tests/FakeServer", swiftSettings: strict),
        // A certificate authority for the tests, which signs App Store data.
        .target(
            name: "SignedDataFixtures",
            dependencies: [
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            path: "Tests/SignedDataFixtures",
            swiftSettings: strict
        ),
    ]
)
