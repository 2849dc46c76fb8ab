#!/bin/sh
# Builds and runs the yardstick: run.sh REPLICAS LOG_SIZE MAX_RECORDS MAX_LEADER_EPOCH [LOG2_TABLE]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cd "$out"
python3 "$here/generate.txt" "$1" "$2" "$3" "$4"
cc -O2 -march=native -I. -o explore "$here/explore.c"
./explore "${5:-27}"
