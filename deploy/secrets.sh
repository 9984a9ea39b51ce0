#!/bin/sh
# Makes what compose.yaml mounts into containers as secrets: a file for each, in the
# folder secrets beside this script, or in the one that is named. A file that is there
# stays as it is.
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

keep secret_keys "$(openssl rand -base64 32)"
keep postgres_password "$(password)"
keep temporal_password "$(password)"
keep owner_database_url "$(address platen "$(cat "$folder/postgres_password")")"
keep serve_database_url "$(address platen_serve "$(password)")"
keep operator_database_url "$(address platen_operator "$(password)")"
keep worker_database_url "$(address platen_worker "$(password)")"
keep drive_database_url "$(address platen_files "$(password)")"
