# `make test` checks everything on a machine with Rust and Python; `make demo` fits a model to a small file.
.PHONY: test demo format lint rust docs bench clean

test: format lint rust docs

format:
	cargo fmt --all --check

lint:
	cargo clippy --workspace --all-targets -- -D warnings

rust:
	cargo test --workspace --no-fail-fast

docs:
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps

bench:
	cargo bench --workspace

clean:
	cargo clean
