# `make test` checks everything on a machine with Rust; `make demo` fits a model to a small file.
.PHONY: test demo format lint rust trends docs chromium bench reproduce clean

test: format lint rust trends docs

# A real fit: the four features that explain the quality of a wine best, with a model and a page to look at.
demo:
	mkdir -p demo
	cargo run --release --quiet -p proxdist-cli -- fit crates/proxdist-cli/demo/cellar.csv --target quality \
		--constraint sparsity:4 --out demo/model.json --report demo/report.html

format:
	cargo fmt --all --check

lint:
	cargo clippy --workspace --all-targets -- -D warnings

# The report is tested in a real browser.
rust: chromium
	cargo test --workspace --no-fail-fast

# The quick reproduction of the paper, with assertions on its trends; optimised, or it would take many minutes.
trends:
	cargo test --release -p proxdist-lab --test trends

chromium:
	@command -v chromium >/dev/null || command -v chromium-headless-shell >/dev/null || test -n "$$CHROMIUM" || \
		{ echo "installing Chromium for the browser tests"; apt-get update -qq && apt-get install -y -qq chromium >/dev/null; } || \
		echo "no Chromium and none could be installed: the browser tests will say so"

docs:
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps

# How long a step takes; whether fits end on exact optima, and how fast; whole files against the clock.
bench:
	cargo bench --workspace
	cargo test --release -p proxdist-cli --test cli -- --ignored full_size --test-threads 1

# Every figure and table of the paper, an hour on two cores; goes on where it was interrupted.
reproduce:
	cargo run --release -p proxdist-cli -- reproduce all --out reproduction

clean:
	cargo clean
