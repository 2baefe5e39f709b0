# Offer Signer. `make` alone lists what there is to do.
#
# The longer steps are scripts in deploy/, and each of them can be run by itself.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help
.NOTPARALLEL:
.DELETE_ON_ERROR:

configuration := keys.example/offer-signer.yaml
optimised     := CC=$(CURDIR)/deploy/hardened-cc swift build -c release $(shell deploy/build-flags.sh)
release       := .build/release/offer-signer
debug         := .build/debug/offer-signer
newest        := [ -x $(release) ] && [ -x $(dir $(release))offer-lab ] && [ -z "$$(find Package.swift Sources -newer $(release) -print -quit)" ] \
                   && echo $(release) || echo $(debug)
python        := .build-python
# Before each build: the same versions of all packages.
resolve       := python3 -B deploy/dependencies.py resolve
bench-python  := .build-bench
requirements  := deploy/requirements.txt Tests/Interoperability/requirements.txt

# Prints a heading: bold on a terminal, plain in a log. A heading has no comma, because make ends an argument there.
heading = @if [ -t 1 ] && [ -z "$${NO_COLOR:-}" ]; then printf '\n\033[1m== %s\033[0m\n' $(1); \
          else printf '\n== %s\n' $(1); fi

.PHONY: help demo example test run build lint format clean \
        dependencies-to-build dependencies-for-demo dependencies-for-test \
        dependencies-for-fleet dependencies-for-bench dependencies-for-peers bench bench-growth bench-scale bench-peers \
        dependencies-for-platforms test-build test-swift test-fuzz test-interoperability test-demo fleet platforms soak \
        sanitize overload sbom reproduce \
        image-root

help:
	@echo 'make demo          Start the example, ask it for signatures, check and use them.'
	@echo 'make run           Serve the example until Ctrl-C.'
	@echo 'make build         Build the optimised executables: $(release) and offer-lab beside it'
	@echo
	@echo 'make test          Everything that continuous integration checks.'
	@echo 'make fleet         Test a fleet that fails over, with PostgreSQL and HAProxy (FLEET="--rounds 3").'
	@echo 'make lint          Check format, links, scripts, YAML, Dockerfile and systemd unit.'
	@echo 'make format        Format the Swift sources.'
	@echo 'make soak          Test with hostile input for long (SOAK_SECONDS=600 for each kind,'
	@echo '                   SOAK_REQUESTS=100000), then make fleet, overload and platforms: two hours and more.'
	@echo 'make platforms     Try the newest releases of Debian (as root; PLATFORMS="trixie sid").'
	@echo 'make sanitize      Test with two sanitizers: an hour on two processors'
	@echo '                   (SANITIZERS="address thread").'
	@echo
	@echo 'make bench         Measure by kind of customer (BENCH="--rounds 3 --customers new,100"),'
	@echo '                   or beside another build (BENCH="--against path/of/offer-signer").'
	@echo 'make bench-peers   Compare with servers in Go, Node and Python.'
	@echo 'make bench-growth  Measure with a ledger of a million records (GROWTH="--records N").'
	@echo 'make bench-scale   Measure by processors, customers and held state (SCALE="--rounds 5").'
	@echo 'make overload      Measure under ten times the possible load (LOAD_SECONDS=10).'
	@echo
	@echo 'make sbom          List the contents of the executable: .build/offer-signer.cdx.json'
	@echo 'make reproduce     Build twice and compare: half an hour on two processors.'
	@echo 'make image-root    Test the image without a container engine (as root).'
	@echo
	@echo 'make clean         Remove what was built.'
	@echo 'Each installs missing packages with apt, and for Python with pip, and says which.'

demo: example
	@deploy/demo.sh $$($(newest))

run: example
	$(call heading,'Serving $(configuration) until Ctrl-C')
	@exec deploy/run-example.sh $$($(newest))

# A first signature comes sooner from what the tests use, too. Who has optimised executables of the same sources gets those.
example: dependencies-for-demo
	@if [ "$$($(newest))" = $(debug) ]; then \
		printf '\n== Building the executables (the first time takes some minutes)\n'; \
		swift build --disable-local-rpath --product offer-signer; \
		swift build --disable-local-rpath --product offer-lab; \
	fi

build: dependencies-to-build
	$(call heading,'Building the optimised executables')
	@$(optimised) --product offer-signer
	@$(optimised) --product offer-lab
	@if readelf --dynamic $(release) | grep -F '$$ORIGIN'; then echo '$(release) loads libraries from beside it' >&2; exit 1; fi
	$(call heading,'Checking that the C in it is hardened')
	@python3 -B deploy/check-hardening.py $(release)

test: lint test-build test-swift test-fuzz test-interoperability fleet test-demo
	$(call heading,'Everything passed')
	@echo '   format, links, scripts, YAML, Dockerfile and systemd unit; unit and end-to-end tests; fuzzing;'
	@echo "   signatures against Python's cryptography and Apple's library; the examples of backends;"
	@echo "   every answer against the OpenAPI description; clients generated from it; the operators' page;"
	@echo '   a fleet that fails over; the demo.'

lint: dependencies-for-test $(python)/installed
	$(call heading,'Checking the format of the Swift sources')
	@swift format lint --strict --recursive --parallel Package.swift Sources Tests deploy
	@echo '   in format'
	@PATH="$(CURDIR)/$(python)/bin:$$PATH" deploy/check.sh

format:
	$(call heading,'Formatting the Swift sources')
	@swift format format --in-place --recursive --parallel Package.swift Sources Tests deploy

clean:
	$(call heading,'Removing what was built')
	rm -rf .build $(python) $(bench-python)

test-build: dependencies-for-test
	$(call heading,'Building the service and its tests')
	@swift build --build-tests --disable-local-rpath

# All tests use Swift Testing. The results are counted, so that a run without any test fails. Failures are repeated at the
# end, because each is one line among ten thousand.
#
# All tests of a run share as many threads as there are processors, and those that wait for a database hold one. So each test
# runs by itself, but for those of the executables, which wait for processes.
test-swift: test-build
	$(call heading,'Unit and end-to-end tests')
	@if grep -rlw XCTest Tests --include='*.swift'; then echo 'XCTest is not run here: see above.' >&2; exit 1; fi
	@rm -f .build/tests.log
	@for which in '--no-parallel --skip ^EndToEndTests\.' '--filter ^EndToEndTests\.'; do \
		rm -f .build/tests*.xml; \
		swift test --skip-build --disable-xctest $$which --xunit-output .build/tests.xml 2>&1 \
			| tee -a .build/tests.log || { \
			printf '\nOf all that is above, and in .build/tests.log, this failed:\n\n'; \
			grep -A 4 'recorded an issue' .build/tests.log || echo 'no test: the run itself ended early.'; exit 1; } >&2; \
		grep -Eq '<testsuite [^>]*tests="[1-9]' .build/tests*.xml || { echo 'swift test ran no test.' >&2; exit 1; }; \
	done

# libFuzzer with coverage guidance, on the corpus of Tests/Fuzzing. This is a short run; soak has the long one.
test-fuzz: test-build
	$(call heading,'Fuzzing the readers of evidence')
	@deploy/fuzz.sh 10

# Short forms of this are in test-fuzz, and, with a fixed seed so that a crash can be repeated, in test-swift and
# test-interoperability.
SOAK_SECONDS ?= 600
SOAK_REQUESTS ?= 100000
soak: test-build $(python)/installed
	$(call heading,'libFuzzer: $(SOAK_SECONDS) seconds for each of the readers')
	@deploy/fuzz.sh $(SOAK_SECONDS)
	$(call heading,'Hostile input: $(SOAK_SECONDS) seconds for each of the readers and $(SOAK_REQUESTS) requests')
	@OFFER_SIGNER_SOAK_SECONDS=$(SOAK_SECONDS) OFFER_SIGNER_SOAK_REQUESTS=$(SOAK_REQUESTS) swift test --skip-build --disable-xctest --filter "HostileInputTests|JSONDifferentialTests"
	$(call heading,'Ten thousand notifications that nobody took')
	@OFFER_SIGNER_SOAK_SUBSCRIBERS=420 swift test --skip-build --disable-xctest --filter NotificationHistoryTests/twin
	$(call heading,'$(SOAK_SECONDS) seconds of requests made up from the OpenAPI description')
	@OFFER_SIGNER="$(CURDIR)/$(debug)" OFFER_SIGNER_SCHEMATHESIS_SECONDS=$(SOAK_SECONDS) \
		$(python)/bin/python -B -m pytest Tests/Interoperability/test_openapi.py
	@$(MAKE) fleet FLEET='--rounds 10 --seconds 5 --rate 100 --keep'
	@$(MAKE) overload
	@$(MAKE) platforms

# Each step once, in a minute or two. soak has the long form.
FLEET ?=
fleet: dependencies-for-fleet test-build
	$(call heading,'Three replicas and two PostgreSQL servers of which one part after the other fails')
	@python3 -B Tests/Fleet/fleet.py $(debug) $(FLEET)

# In roots that debootstrap makes, with what was built here.
PLATFORMS ?=
platforms: dependencies-for-platforms build test-build
	@deploy/platforms.sh $(PLATFORMS)

overload: build
	$(call heading,'Ten times the load that the service can take')
	@python3 -B deploy/loadtest/overload.py $(release)

# Two builds, each with all tests except a few, which deploy/sanitize.sh names with the reason.
SANITIZERS ?= address thread
sanitize: dependencies-for-test
	@deploy/sanitize.sh $(SANITIZERS)

# On a busy machine only the ratios are meaningful: stop other programs. BENCH="--customers new,200000,100" says how many
# customers ask, also for bench-peers.
BENCH ?=
bench: dependencies-for-bench build $(bench-python)/installed
	$(call heading,'Building the benchmark of the rooms without HTTP')
	@$(optimised) --product SigningBenchmark
	@$(bench-python)/bin/python -B deploy/loadtest/bench.py $(BENCH)

# Measures a large ledger: GROWTH="--records 10000000".
bench-growth: dependencies-for-bench build
	$(call heading,'Building the benchmark of the rooms without HTTP')
	@$(optimised) --product SigningBenchmark
	$(call heading,'Measuring a large ledger beside a small one')
	@python3 -B deploy/loadtest/growth.py --executable $(release) $(GROWTH)
	$(call heading,'Measuring what a signature costs PostgreSQL')
	@python3 -B deploy/loadtest/database.py --executable $(release) $(GROWTH)

# By processors, by customers, and with a catalog of ten thousand offers: SCALE="--rounds 5 --customers new,100".
bench-scale: dependencies-for-bench build
	$(call heading,'Measuring with processors and requests and a large catalog')
	@python3 -B deploy/loadtest/scale.py --executable $(release) $(SCALE)

bench-peers: dependencies-for-bench dependencies-for-peers build $(bench-python)/installed
	@$(bench-python)/bin/python -B deploy/loadtest/bench_peers.py $(BENCH)

sbom: build
	@python3 -B deploy/sbom.py $(release) >.build/offer-signer.cdx.json

reproduce: dependencies-to-build
	@deploy/reproduce.sh

image-root: build
	@deploy/image-root.sh $(release)

test-interoperability: test-build $(python)/installed
	$(call heading,"Interoperability with Python's cryptography and Apple's library; examples of backends; OpenAPI and clients of it; the page")
	@OFFER_SIGNER="$(CURDIR)/$(debug)" $(python)/bin/python -B -m pytest Tests/Interoperability

# With the executables that the tests have built: an optimised build takes as long as all of them. The image has optimised
# ones.
test-demo: test-build
	$(call heading,'Checking that the image has the libraries of the executable')
	@deploy/check-libraries.sh $(debug)
	$(call heading,'The demo')
	@deploy/demo.sh $(debug)

dependencies-to-build:
	@deploy/install-dependencies.sh build
	@$(resolve)

dependencies-for-demo:
	@deploy/install-dependencies.sh build demo
	@$(resolve)

dependencies-for-test:
	@deploy/install-dependencies.sh build demo test
	@$(resolve)

dependencies-for-fleet:
	@deploy/install-dependencies.sh fleet

dependencies-for-platforms:
	@deploy/install-dependencies.sh platforms

dependencies-for-bench:
	@deploy/install-dependencies.sh build bench
	@$(resolve)

# If a peer cannot be installed, it is left out, and the result says so.
dependencies-for-peers:
	@deploy/install-dependencies.sh go || echo 'Go will be left out.'
	@deploy/install-dependencies.sh node || echo 'Node will be left out.'

# Python packages, pinned, in a folder of their own.
$(python)/installed: $(requirements) | dependencies-for-test
	$(call heading,'Installing the Python packages of the tests into $(python)')
	@rm -rf $(python)
	@python3 -m venv $(python)
	@$(python)/bin/pip install --quiet --disable-pip-version-check $(foreach file,$(requirements),--requirement $(file))
	@touch $@

# A missing picture or peer is left out; the figures are always measured.
$(bench-python)/installed: deploy/loadtest/requirements.txt deploy/loadtest/peers/python/requirements.txt | dependencies-for-bench
	$(call heading,'Installing the Python packages of the benchmarks into $(bench-python)')
	@rm -rf $(bench-python)
	@python3 -m venv $(bench-python)
	@for file in $^; do \
	    $(bench-python)/bin/pip install --quiet --disable-pip-version-check --requirement $$file || \
	        echo "$$file cannot be installed: what needs it will be left out."; \
	done
	@touch $@
