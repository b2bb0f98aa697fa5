#!/bin/sh
# Builds resvg.wasm from the npm package @resvg/resvg-wasm 2.6.2, with added counting of executed work and a memory
# limit of 64 MB.
set -eu
here=$(dirname "$(realpath "$0")")
cache=$here/../.cache/resvg
archive=resvg-resvg-wasm-2.6.2.tgz
hash=ff51acbb5ee0074601b75c3bea9226a18d346752af787f6d2d3adcdd98493d71

mkdir -p "$cache"
cd "$cache"
[ -e "$archive" ] || npm pack --silent @resvg/resvg-wasm@2.6.2 >/dev/null
echo "$hash  $archive" | sha256sum --check --quiet
tar xzf "$archive"
node "$here/../../tools/wasm/meter-wasm.ts" package/index_bg.wasm "$here/resvg.wasm" 1024
sha256sum "$here/resvg.wasm"
