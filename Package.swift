// swift-tools-version: 6.2
import PackageDescription

/// What the targets are compiled with that send HTTP requests and serve none: the headers and methods of
/// AsyncHTTPClient's requests are NIOHTTP1's types, which these targets never name.
let sendingHTTP: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

/// What every other target of the product is compiled with: language mode 6 comes with the tools version,
/// and a warning is an error, so that a green build means that the compiler had nothing to say.
let strict: [SwiftSetting] = sendingHTTP + [.enableUpcomingFeature("MemberImportVisibility")]

let package = Package(
    name: "offer-signer",
    products: [
        .executable(name: "offer-signer", targets: ["offer-signer"]),
        .executable(name: "offer-lab", targets: ["offer-lab"]),
        .library(name: "OfferSignerClient", targets: ["OfferSignerClient"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.1"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.19.1"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.30.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .target(name: "Offers", swiftSettings: strict),
        .target(name: "StrictJSON", swiftSettings: strict),
        .target(name: "EvidenceRecognition", dependencies: ["Offers", "StrictJSON"], swiftSettings: strict),
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
        .target(
            name: "SubscriptionKeys",
            dependencies: ["Offers", "CLinux", "COpenSSL", "CSigningMemory"],
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
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            swiftSettings: sendingHTTP
        ),
        .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .target(
            name: "Storage",
            dependencies: [
                "CPostgreSQL", "CSQLite", "Offers", "StrictJSON",
                .product(name: "Crypto", package: "swift-crypto"),
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
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Yams", package: "Yams"),
            ],
            resources: [
                .embedInCode("Description/openapi.yaml"), .embedInCode("Admin/Page/page.html"),
                .embedInCode("Admin/Page/page.css"), .embedInCode("Admin/Page/page.js"),
                .embedInCode("Admin/Page/icon.svg"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "AppStoreSimulator",
            dependencies: [
                "Offers", "StrictJSON",
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
            swiftSettings: strict
        ),
        .target(
            name: "LoadGenerator",
            dependencies: [
                "StrictJSON",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "offer-signer",
            dependencies: [
                "AppStore", "LogLines", "OfferAPI", "OfferService", "Offers", "PrometheusMetrics", "Storage",
                "StrictJSON", "SubscriptionKeys",
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
                // Symbols are bound at start: lazy binding spills registers, and a piece of a key, to the stack. And nobody
                // loads the program as a library: the table of all its symbols, 5 MB, stays out of memory.
                .unsafeFlags(
                    ["-Xlinker", "-z", "-Xlinker", "now", "-Xlinker", "--no-export-dynamic"],
                    .when(platforms: [.linux])
                )
            ]
        ),
        // What is for tests and load: the stand-in App Store and the load generator. It has none of the service's targets but
        // the domain's words, and starts the service's executable where it needs one.
        .executableTarget(
            name: "offer-lab",
            dependencies: [
                "AppStoreSimulator", "LoadGenerator", "StrictJSON",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                .product(name: "Yams", package: "Yams"),
            ],
            swiftSettings: strict
        ),
        // What a backend asks the service with. It depends on none of the service's targets.
        .target(
            name: "OfferSignerClient",
            dependencies: [
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: sendingHTTP
        ),
        .testTarget(name: "OffersTests", dependencies: ["Offers"], swiftSettings: strict),
        .testTarget(
            name: "EvidenceRecognitionTests",
            dependencies: ["EvidenceRecognition"],
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
                "AppStore", "EvidenceRecognition", "FakeServer", "KeptLog", "Offers", "PrometheusMetrics",
                "SignedDataFixtures",
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
                "ChildProcess", "Storage", "LedgerFixtures", "Offers", "PostgreSQLServer",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "LoadGeneratorTests",
            dependencies: [
                "LoadGenerator",
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
                .product(name: "Hummingbird", package: "hummingbird"),
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
        // What the tests run programs with.
        .target(name: "ChildProcess", path: "Tests/ChildProcess", swiftSettings: strict),
        // What the tests look into the memory of programs with, and a program in which they find a key.
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
        // What `make bench` measures the rooms of the service with, HTTP left out.
        .executableTarget(
            name: "SigningBenchmark",
            dependencies: [
                "AppStore", "LoadGenerator", "OfferAPI", "OfferService", "Offers", "Storage", "SubscriptionKeys",
            ],
            path: "Tests/SigningBenchmark",
            swiftSettings: strict
        ),
        // What the tests read that was logged.
        .target(
            name: "KeptLog",
            dependencies: [.product(name: "Logging", package: "swift-log")],
            path: "Tests/KeptLog",
            swiftSettings: strict
        ),
        // What the tests put in the place of the ledger, and of what is kept beside it.
        .target(
            name: "LedgerFixtures",
            dependencies: ["Offers"],
            path: "Tests/LedgerFixtures",
            swiftSettings: strict
        ),
        // What the tests put in Apple's place: an HTTP server that answers as it is told.
        .target(name: "FakeServer", path: "Tests/FakeServer", swiftSettings: strict),
        // What the tests sign App Store data with: an authority of their own.
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
