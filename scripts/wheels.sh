#!/bin/sh
# Wheels for other systems than this one, into dist/: scripts/wheels.sh [TARGET...]
#
# Linux and musl wheels are built on any system with zig as the linker (`pip install ziglang` where there is none). Wheels for macOS
# need its SDK in $SDKROOT beside zig, those for Windows cargo-xwin, which fetches Microsoft's libraries; both are easier on the
# systems themselves, where `make wheel` is all. Needs the network for targets that rustup does not have yet.
set -eu
cd "$(dirname "$0")/.."

venv=target/venv
[ -x $venv/bin/maturin ] || make $venv/bin/maturin
if ! command -v zig >/dev/null && ! $venv/bin/python -c 'import ziglang' 2>/dev/null; then
    $venv/bin/pip install --quiet --disable-pip-version-check ziglang
fi

[ $# -gt 0 ] || set -- x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu x86_64-unknown-linux-musl aarch64-unknown-linux-musl
for target in "$@"; do
    rustup target add "$target"
    case $target in
        *-linux-gnu) options="--zig --compatibility manylinux_2_17" ;;
        *-linux-musl) options="--zig --compatibility musllinux_1_2" ;;
        *-apple-darwin) options="--zig" ;;
        *) options="" ;;
    esac
    # shellcheck disable=SC2086
    PATH="$PWD/$venv/bin:$PATH" maturin build --release --out dist --target "$target" $options
done
ls -l dist/*.whl
