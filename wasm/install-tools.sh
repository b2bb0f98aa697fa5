#!/bin/sh
# Installs everything that a rebuild of the engines needs on Debian 12, as root: compilers, tools, and the source
# packages' entries of Debian 12 and 13. Node.js 24 is not included. Other releases have other compilers, whose results
# differ from the recorded hashes.
set -eu
. /etc/os-release
if [ "$ID $VERSION_ID" != 'debian 12' ]; then
  echo "The engines need Debian 12, because their hashes depend on its compilers (found: $PRETTY_NAME)." >&2
  exit 1
fi

cat >/etc/apt/sources.list.d/whittle-engines.sources <<'SOURCES'
Types: deb-src
URIs: http://deb.debian.org/debian
Suites: bookworm bookworm-updates trixie trixie-updates
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

Types: deb-src
URIs: http://deb.debian.org/debian-security
Suites: bookworm-security trixie-security
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
SOURCES
apt-get update
# C and C++ to WebAssembly; then what FFmpeg, x264, libaom and libjxl are configured and built with; then what fetches sources
# (cargo: mozjpeg, zstd and libjxl; pip: brotli; emscripten: headers for libwebp and libaom).
apt-get install -y --no-install-recommends \
  clang-19 lld-19 llvm-19 wasi-libc libclang-rt-19-dev-wasm32 libc++-19-dev-wasm32 libc++abi-19-dev-wasm32 \
  gcc libc6-dev binutils make patch perl pkg-config libllvm19 \
  ca-certificates dpkg-dev bzip2 xz-utils cargo-web python3-pip python3-setuptools emscripten
