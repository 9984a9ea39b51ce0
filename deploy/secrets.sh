#!/bin/sh
# Makes what compose.yaml mounts into containers as secrets: a file for each, in the
# folder secrets beside this script, or in the one that is named. A file that is there
# stays as it is. What the environment has under the names of earlier releases, such as
# POSTGRES_PASSWORD, is taken over.
set -eu
folder="${1:-$(dirname "$0")/secrets}"
mkdir -p "$folder"
chmod 700 "$folder" # who may not enter it reads no file in it; containers have users of their own

keep() {
	[ -s "$folder/$1" ] || printf '%s\n' "$2" >"$folder/$1"
	chmod 444 "$folder/$1"
}

password() { openssl rand -hex 16; }

address() {
	printf 'postgres://%s:%s@postgres:5432/platen?sslmode=disable' "$1" "$2"
}

keep secret_keys "${PLATEN_SECRET_KEYS:-$(openssl rand -base64 32)}"
keep postgres_password "${POSTGRES_PASSWORD:-$(password)}"
keep temporal_password "${TEMPORAL_PASSWORD:-$(password)}"
keep owner_database_url "$(address platen "$(cat "$folder/postgres_password")")"
keep serve_database_url "$(address platen_serve "${SERVE_PASSWORD:-$(password)}")"
keep operator_database_url "$(address platen_operator "${OPERATOR_PASSWORD:-$(password)}")"
keep worker_database_url "$(address platen_worker "${WORKER_PASSWORD:-$(password)}")"
keep drive_database_url "$(address platen_files "${DRIVE_PASSWORD:-$(password)}")"
