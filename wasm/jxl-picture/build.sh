#!/bin/sh
# Builds jxl-picture.wasm. Source, hash, flags and needed packages: ../jxl/build-engine.sh.
set -eu
sh "$(dirname "$(realpath "$0")")/../jxl/build-engine.sh" jxl-picture
