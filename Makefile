.PHONY: run build postgres

# Where a Postgres server usually is; the same places as in internal/embedded/postgres.
POSTGRES = $(firstword $(PLATEN_DEV_POSTGRES_BIN) $(shell command -v postgres) $(wildcard \
	/usr/lib/postgresql/*/bin/postgres \
	/usr/pgsql-*/bin/postgres \
	/usr/libexec/postgresql*/postgres \
	/opt/homebrew/opt/postgresql@*/bin/postgres \
	/usr/local/opt/postgresql@*/bin/postgres \
	/home/linuxbrew/.linuxbrew/opt/postgresql@*/bin/postgres \
	/Applications/Postgres.app/Contents/Versions/*/bin/postgres))

ROOT = $(filter 0,$(shell id -u))
SUDO = $(if $(ROOT),,$(shell command -v sudo))
APT = $(if $(ROOT)$(SUDO),$(shell command -v apt-get))

run: postgres build
	@exec bin/platen-dev

build:
	@test -x bin/platen-dev || echo "Building bin/platen-dev; the first time takes minutes, because Temporal's server is in it ..."
	go build -o bin/platen-dev ./cmd/platen-dev

# Installs Debian's server where there is none. Elsewhere platen-dev says what
# to install. Debian would start a server of its own on port 5432: not wanted.
postgres:
ifeq ($(POSTGRES),)
ifneq ($(APT),)
	$(SUDO) apt-get update
	$(SUDO) mkdir -p /etc/postgresql-common/createcluster.d
	echo 'create_main_cluster = false' | $(SUDO) tee /etc/postgresql-common/createcluster.d/platen.conf >/dev/null
	$(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends postgresql; \
		result=$$?; $(SUDO) rm -f /etc/postgresql-common/createcluster.d/platen.conf; exit $$result
endif
endif
