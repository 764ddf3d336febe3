#!/usr/bin/env bash
# Has four executors do the items of this example in a copy: ./run.sh [FOLDER]. MULTIVERSE names the program.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-$(mktemp -d)}
program=${MULTIVERSE:-multiverse}
mkdir -p "$folder"
cp -r "$here/data" "$here/.jixo" "$folder"
cd "$folder"
"$program" run --protocol roadmap handbook --jobs 4 --agent offline </dev/null
"$program" roadmap status handbook
echo "the log: $folder/.jixo/handbook.log.md, the book: $folder/docs/handbook.md"
