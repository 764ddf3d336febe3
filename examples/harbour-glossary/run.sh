#!/usr/bin/env bash
# Carries the goal of this example through in a copy: ./run.sh [FOLDER]. MULTIVERSE names the program.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-$(mktemp -d)}
program=${MULTIVERSE:-multiverse}
mkdir -p "$folder"
cp -r "$here/docs" "$here/GLOSSARY.md" "$here/multiverse.toml" "$folder"
cd "$folder"
# The settings are this example's own.
export MULTIVERSE_TRUST=all
git init -q -b main .
git add -A
git -c user.name=example -c user.email=example@localhost commit -q -m "three documents and a glossary"
say() { "$program" "$@" </dev/null || [ $? = 3 ]; }
say run --protocol cycle "The glossary GLOSSARY.md covers all terms in docs/." --context docs/tides.md --agent offline
for word in APPROVED MERGE_APPROVED DELETE_APPROVED; do say answer last "$word"; done
git log --oneline --graph
cat GLOSSARY.md
echo "the record: $folder/$(ls docs/context/archive/*.md)"
