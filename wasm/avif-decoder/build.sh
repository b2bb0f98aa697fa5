#!/bin/sh
# Builds avif-decoder.wasm from the AVIF decoder of the npm package @jsquash/avif 2.1.1 (libaom, libavif). The only
# change: the WebAssembly memory is imported instead of created.
set -eu
here=$(dirname "$(realpath "$0")")
cache=$here/../.cache/jsquash-avif
archive=jsquash-avif-2.1.1.tgz
hash=b6c6204b63f9cb17aac7d6ee92b8a4aeba2403dccd49ffc9a93b778923049b5b

mkdir -p "$cache"
cd "$cache"
[ -e "$archive" ] || npm pack --silent @jsquash/avif@2.1.1 >/dev/null
echo "$hash  $archive" | sha256sum --check --quiet
tar xzf "$archive"
node "$here/../../tools/checks/import-memory.ts" package/codec/dec/avif_dec.wasm "$here/avif-decoder.wasm"
sha256sum "$here/avif-decoder.wasm"
