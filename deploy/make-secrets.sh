#!/bin/sh
# Makes the secrets of compose.yaml: the password of Redis, for Redis and for the nodes, and the key
# that seals stored secrets. They go to deploy/secrets, or to the folder that is given (which
# DOWNBEAT_SECRETS then names to Compose, as an absolute path). It never replaces what is there:
# stored secrets cannot be read with another key.
set -eu
umask 077
folder="${1:-$(cd "$(dirname "$0")" && pwd)/secrets}"
if [ -e "$folder" ]; then
  echo "$folder exists and stays as it is." >&2
  exit 1
fi
draft="$folder.draft.$$"
mkdir "$draft"
password="$(head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n')"
printf 'requirepass %s\n' "$password" > "$draft/redis.conf"
printf '{ "redisUrl": "redis://:%s@redis:6379" }\n' "$password" > "$draft/settings.json"
head -c 32 /dev/urandom | base64 > "$draft/secrets-key"
# The users inside the containers read them; on this machine the folder keeps others out.
chmod 444 "$draft"/*
mv "$draft" "$folder"
echo "made $folder: keep a copy of secrets-key apart from the data"
