#!/usr/bin/env bash
# Debian 12's rclone (1.60.1+dfsg-2+b5): its SFTP server answers that it made a hard link, and makes none.
#
# Expected: hardlink@openssh.com answers OK when the second name stands there, as OpenSSH
#   does, or "operation unsupported" where the storage has no links.
# Seen: the server offers the extension and answers OK to each request. Only the first name
#   is there. (rclone 1.75.1 answers "operation unsupported".)
# Why it matters here: "upload under a name of its own, link it to the final name, remove the
#   first" is the one way of SFTP to store a whole file without replacing another. A client
#   that believes the answer removes the only copy, and every step said OK. Platen looks for
#   the final name before it removes the first.
set -euo pipefail
dir=$(mktemp -d)
trap 'kill "${server:-}" 2>/dev/null || true; rm -rf "$dir"' EXIT
cd "$dir"
apt-get -o APT::Sandbox::User=root download -qq "rclone=1.60.1+dfsg-2+b5" >/dev/null
dpkg-deb -x rclone_*.deb unpacked
mkdir files
ssh-keygen -q -t ed25519 -N '' -f key
echo "of a document" >document
# Port 0 is a free one; the server says which.
unpacked/usr/bin/rclone --config none serve sftp files --addr 127.0.0.1:0 --user ada --key key --authorized-keys key.pub 2>said &
server=$!
port=
until port=$(sed -n 's/.*listening on 127.0.0.1:\([0-9]*\).*/\1/p' said) && [ -n "$port" ]; do kill -0 "$server"; done
answers() { sftp -q -i key -P "$port" -oStrictHostKeyChecking=no -oUserKnownHostsFile=/dev/null -b - ada@127.0.0.1 2>&1; }
echo "put document first" | answers >/dev/null
if echo "ln first final" | answers >answer; then link=OK; else link=$(tail -1 answer); fi
names=$(cd files && echo *)
echo "answer to the link: $link"
echo "files of the server: $names"
[ "$link" = OK ] && [ "$names" = first ]
