# Public targets carry a ## line, which `make help` prints.

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help setup setup-test setup-arm64 cyclone build generate demo check lint vuln test race race-all sanitize \
	sanitize-thread test-arm64 test-full bench evidence reliability clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "%-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## install what building needs (Debian and Ubuntu; Go 1.26 has to be there)
	@.ci/setup.sh build

setup-test: ## install what only the tests need as well
	@.ci/setup.sh test

setup-arm64: ## install what only test-arm64 needs (adds the packages of arm64 to dpkg)
	@.ci/setup.sh arm64

cyclone:
	@.ci/cyclone.sh >/dev/null

build: cyclone ## build bin/pinion and bin/msggen
	go build -o bin/ ./cmd/pinion ./cmd/msggen

generate: ## regenerate the message packages
	go generate ./...

demo: setup build ## show a critical topic on a shared loop and on a lane (about 30 s)
	bin/pinion demo

check: cyclone
	.ci/gofmt.sh
	go vet -tags long ./...

lint: check ## check formatting, vet, staticcheck, go.mod and that generated files are current
	go mod tidy -diff
	go tool staticcheck -tags long ./...
	.ci/current.sh

# Status 69 is for a database out of reach, about which everything has been said.
vuln: cyclone ## look for known vulnerabilities in what the module calls (needs vuln.go.dev, or a copy in GOVULNDB)
	.ci/vuln.sh || [ $$? -eq 69 ]

test: setup-test check ## run the tests, the race detector and the sanitizers (under 10 minutes)
	go test ./...
	$(MAKE) race sanitize

# The packages in which goroutines or threads meet.
race: cyclone ## run the concurrent packages under the race detector
	go list ./... | grep -E '/(pubsub|executor|internal/(bag|cyclone|demo|doctor|plancmd|top|topic)|bench/(contender|measure))(/|$$)' | xargs -r go test -race

# What make race has run comes from go test's cache. The tests of msggen and doctest spend their time in the
# go command and in programs that it builds, which the detector does not see.
race-all: cyclone ## run all tests and the stress test under the race detector
	go list ./... | grep -vE '/(msggen|internal/doctest)$$' | xargs -r go test -race
	go test -race -tags long -run TestStress ./internal/reliability

# -asan instruments C as well as Go and looks for memory of C that is left at the end; UndefinedBehaviorSanitizer knows C only.
sanitized = ./internal/cyclone
sanitize: cyclone ## run the tests of the C part under AddressSanitizer and UndefinedBehaviorSanitizer
	CGO_CFLAGS='-g -O1 -fno-omit-frame-pointer -fsanitize=undefined -fno-sanitize-recover=all' \
	CGO_LDFLAGS='-fsanitize=undefined' \
	ASAN_OPTIONS=fast_unwind_on_malloc=0 LSAN_OPTIONS=print_suppressions=0:suppressions=$(CURDIR)/.ci/lsan.supp \
	go test -asan $(sanitized)

sanitize-thread: cyclone ## run the tests of the C part and of what stands on it under ThreadSanitizer
	.ci/tsan.sh

test-arm64: ## build for arm64 and test codec and topics under emulation, native peers included
	.ci/arm64.sh

test-full: setup-test ## run everything that takes long: lint, long tests, each fuzz target for FUZZTIME (1m)
	.ci/full.sh

bench: cyclone ## run the benchmarks
	go test -run '^$$' -bench . -benchmem ./...

# RUN chooses tests, for example RUN=TestBadNetwork.
reliability: cyclone ## run the tests of faults at full size and keep their figures (hours; root for two hosts)
	go test -tags long -count 1 -timeout 6h -v -run '$(RUN)' ./internal/reliability -args -full -keep $(CURDIR)/docs/reliability.md

# PEERS has options for contenders that need ROS 2, such as PEERS='--peer rclgo=PROGRAM'; rclcpp is built where it is sourced.
evidence: build ## measure anew what the README shows (about 15 minutes; nothing else may run on the machine)
	bin/pinion bench multitopic --contenders pinion/critical,pinion/shared,pinion/loop,c/listener,rclcpp/critical,rclcpp/single,rclcpp/multi,rclgo/loop \
		--variant plain --work 20 --phase spread --out build/evidence $(PEERS)
	bin/pinion bench report build/evidence --readme README.md --keep bench/evidence/multitopic

clean: ## remove what the other targets made
	rm -rf bin
