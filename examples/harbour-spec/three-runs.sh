#!/bin/sh
# Three runs that build on one another, without a model and without a key. `MULTIVERSE` names the program.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
project=${1:-"$here"}
multiverse=${MULTIVERSE:-multiverse}

if [ "$project" != "$here" ]; then
    mkdir -p "$project"
    cp -R "$here/data" "$here/guidelines" "$project/"
fi
"$multiverse" -C "$project" init --protocol lineage

# A specification, from what is in data/.
"$multiverse" -C "$project" run --yes --agent offline \
    "Write a specification of the crane on pier 3. Write it as Markdown."

# A change to it: the request arrives, and the specification is modified where it stands.
cp "$here/later/change-request-7.md" "$project/data/"
"$multiverse" -C "$project" run --yes --agent offline \
    "Update the specification of the crane on pier 3 with change request 7. Write it as Markdown."

# A document that follows from both.
"$multiverse" -C "$project" run --yes --agent offline \
    "Write an inspection plan of the crane from its specification and change request 7. Write it as Markdown."
