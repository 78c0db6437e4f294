#!/bin/sh
# The program as one static file: scripts/static.sh [OUT], for systems without its libraries, or without any, as in the image of the Dockerfile.
#
# On Alpine the C library is musl, elsewhere mostly glibc, whose static form comes with its development files. Needs a C compiler, for zstd in Parquet files.
set -eu
cd "$(dirname "$0")/.."

out=${1:-dist/proxdist-static}
mkdir -p "$(dirname "$out")"
# With a target, even that of the machine, the flag is for the program alone and not for what runs at compile time.
target=$(rustc -vV | sed -n 's/^host: //p')
RUSTFLAGS="-C target-feature=+crt-static" cargo build --release --locked --package proxdist-cli --target "$target"
cp "${CARGO_TARGET_DIR:-target}/$target/release/proxdist" "$out"
strip "$out"
if ldd "$out" 2>/dev/null | grep -q '=>'; then
    echo "$out needs libraries:" >&2
    ldd "$out" >&2
    exit 1
fi
"$out" --version
