# Everything here works as root and as an ordinary user, and twice in a row. Longer
# suites, releases, and what installs programs are in test/Makefile.

GO       ?= go
DEMO_OUT ?= demo-out
TESTS    ?= ./...

# Only the race detector needs C; without it, all that is built and checked here
# shares what it compiles.
export CGO_ENABLED = 0

.PHONY: help run demo build check test unit stack tools clean

help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: go postgres bin/platen-dev ## run everything on this machine; ARGS="--api 127.0.0.1:9080" passes flags
	@exec bin/platen-dev $(ARGS)

demo: go postgres bin/platen-dev ## run the main job on the examples in an instance of its own; results in demo-out/
	@exec bin/platen-dev demo --out $(DEMO_OUT) $(ARGS)

build: bin/platen-dev bin/platen ## build both programs into bin/

check: prose ## gofmt, vet, staticcheck, and the rules of prose
	@echo "gofmt ..."; bad=$$(gofmt -l $$(git ls-files '*.go')); test -z "$$bad" || { echo "not gofmt'd: $$bad" >&2; exit 1; }
	@echo "vet ..."; $(GO) vet work && $(DEV) vet ./... && $(GO) vet -tags failpoints ./internal/failpoint
	@echo "staticcheck ..."; $(GO) tool staticcheck work && checker=$$($(GO) tool -n staticcheck) && cd cmd/platen-dev && GOWORK=off $$checker ./...

# The part of the packages that TESTS names.
PART = $(filter-out ./...,$(TESTS))

test: $(if $(PART),part,all) ## run the tests, in part with the race detector, against real Postgres and Temporal; TESTS="./api/... ./client" for a part, with what that needs alone; ARGS="-run Page -v" goes to go test

unit: go ## test what needs neither Postgres nor Temporal, within a minute; ARGS="-run Page -v" goes to go test
	@$(GO) test -short $(ARGS) $$($(NEED_NOTHING)) ./api ./internal/console

stack: go postgres bin/platen-dev ## start a Postgres and a Temporal that stay until make stack-stop: go test finds them for any package
	@test/stack.sh start

tools: postgres witnesses pooler balancer postoffice ## install the programs of the system that tests need: Postgres, qpdf, poppler, zbar, MuPDF, PgBouncer, HAProxy, Exim

clean: stack-stop ## remove what was built
	rm -rf bin browser-out $(DEMO_OUT) fidelity-out security-out $(JUDGES) $(VERIFIER) $(CLIENTS) $(GENERATED) $(TYPESCRIPT) $(MCP) $(TARGETS) $(N8N) $(N8N_NODE) $(RIVAL) $(AXE) $(STOCK) $(PLAYED) .stack .upgrade release-out

include test/Makefile
