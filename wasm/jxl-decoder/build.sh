#!/bin/sh
# Builds jxl-decoder.wasm. Source, hash, flags and needed packages: ../jxl/build-engine.sh.
set -eu
sh "$(dirname "$(realpath "$0")")/../jxl/build-engine.sh" jxl-decoder
