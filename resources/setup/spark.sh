#!/bin/sh
# Sets up what the tests of the Spark engine need, and nothing that the program needs: Java 17, a Spark server in an
# environment of its own, and the thin client in a folder of its own (both are called pyspark and would overwrite each
# other). Without Java it fails with a sentence: a door that was not tried must not look tested.
set -eu
here=$(dirname "$0")
folder=$1
uv=$2
python=$3
command -v java >/dev/null 2>&1 || "$here/debian.sh" openjdk-17-jre-headless
if ! command -v java >/dev/null 2>&1; then
  echo "Java 17 is needed to test the Spark engine, and could not be installed." \
    "Ask for: sudo apt-get install openjdk-17-jre-headless. SPARK=skip make test leaves these tests out." >&2
  exit 1
fi
test -x "$folder/bin/python" || "$python" -m venv "$folder"
"$uv" pip install --quiet --python "$folder/bin/python" --requirement "$here/spark-server.txt"
"$uv" pip install --quiet --python "$python" --no-deps --target "$folder/client" --requirement "$here/spark-client.txt"
