#!/usr/bin/env bash
# Takes the idea of this example through its workflow in a copy: ./run.sh [FOLDER]. MULTIVERSE names the program.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-$(mktemp -d)}
program=${MULTIVERSE:-multiverse}
mkdir -p "$folder"
cp -r "$here/ideas" "$here/agent_runtime" "$here/implementations" "$folder"
cd "$folder"
echo "ORCHESTRATOR_MIDFLOW_HUMAN_GATES=WISHES_AGREED" > .env
say() { "$program" "$@" </dev/null || [ $? = 3 ]; }
say init --protocol profile
say profile show harbour_tool
say run '/orchestrator @harbour_tool'
say gate approve WISHES_AGREED --reason "just so"
say gate approve RELEASE_APPROVAL --reason "the skippers are waiting"
git -C implementations/tide_clock log --reverse --format='%an: %s'
python3 implementations/tide_clock/tide_clock.py 06:10
echo "what it left: $folder/agent_runtime/artifacts/"
