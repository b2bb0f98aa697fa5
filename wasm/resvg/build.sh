#!/bin/sh
# Builds resvg.wasm: resvg 0.34.1 with the binding in this folder, vector instructions, counting of executed work and a
# memory limit of 64 MB. The crates are those of Cargo.lock, and Rust's library is compiled with them, as Debian has no
# compiled one for Wasm.
# Needs: Debian 12's libllvm19 lld-19 gcc binutils, node, and apt and cargo's registry to download. Debian's Rust is unpacked
# into the cache, not installed.
set -eu
here=$(dirname "$(realpath "$0")")
cache=$here/../.cache/resvg

mkdir -p "$cache/debs"
cd "$cache/debs"
while read -r hash package version architecture; do
  file=${package}_$(echo "$version" | sed 's/:/%3a/')_$architecture.deb
  [ -e "$file" ] || apt-get download -q "$package=$version" >/dev/null
  echo "$hash  $file" | sha256sum --check --quiet
done <<PACKAGES
59e985e49ba0934ba8aabacd2c38cc394fefa621e9f96ed2c494cf2ed33449f4 cargo-web 1.85.0+dfsg3-1~deb12u3 amd64
98045b047b8f3ccfdd7930983797df3e316112e1cd4d161fc793260e31183b59 libhttp-parser2.9 2.9.4-5 amd64
993ea623ce5b42d67f653f2faaa7ef15e7c9d72bfcb93e22a1eaff7aa3532303 libpcre3 2:8.39-15 amd64
c8b03bff73b2990b2a3e56b0cfb100eb4c70a9331f4232dc9783c9e50b1038be libstd-rust-web-1.85 1.85.0+dfsg3-1~deb12u3 amd64
5360a1aa03979ccc4cc91dd3d9bad1d5ff30f36d615ed01e2c5209c5e8ece21b libstd-rust-web-dev 1.85.0+dfsg3-1~deb12u3 amd64
48849a40ac3490b6ed45b0813c6c92d4c689448b0c4251997f56399b8f899d0d rust-web-src 1.85.0+dfsg3-1~deb12u3 all
ef797a56697a0b6a82c1d704119ccaa85ab3486ccf805472de46c31971346702 rustc-web 1.85.0+dfsg3-1~deb12u3 amd64
PACKAGES
cd "$cache"
rm -rf rust target Cargo.toml Cargo.lock lib.rs
for file in debs/*.deb; do dpkg-deb -x "$file" rust; done
# Names of symbols contain paths relative to the package, so Rust's library is inside its folder.
cp "$here"/binding/* .

export LD_LIBRARY_PATH="$cache/rust/usr/lib/x86_64-linux-gnu:$cache/rust/lib/x86_64-linux-gnu"
export CARGO_HOME="$cache/home" CARGO_TARGET_DIR="$cache/target" RUSTC="$cache/rust/usr/bin/rustc"
# Only a nightly compiler, or one with this variable, compiles Rust's library.
export RUSTC_BOOTSTRAP=1
# Without places of panics, which are paths of this machine. The linker is called directly, because a driver would run any
# wasm-opt that it finds in PATH.
export RUSTFLAGS="-C target-feature=+simd128,+bulk-memory -C linker=wasm-ld-19 -C link-arg=-zstack-size=1048576 -Z location-detail=none"
"$cache/rust/usr/bin/cargo" build --quiet --locked --release --target wasm32-unknown-unknown -Z build-std=std,panic_abort -Z build-std-features=
node "$here/../../tools/wasm/meter-wasm.ts" "$cache/target/wasm32-unknown-unknown/release/drawing.wasm" "$here/resvg.wasm" 1024
sha256sum "$here/resvg.wasm"
