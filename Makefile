# `make test` checks everything on a machine with Rust and Python; `make demo` fits a model to a small file.
.PHONY: test book book-check dist static package coverage demo measured format lint rust trends docs chromium python wheel bench campaign gallery peers distributed reproduce large search-table clean

test: format lint rust trends docs python

# The Python package, built and tested in an environment of its own. The program that it is compared with is the one that
# `make rust` has built, if there is one.
VENV = target/venv

python: $(VENV)/bin/maturin
	test -x target/debug/proxdist || cargo build -p proxdist-cli
	VIRTUAL_ENV=$(VENV) $(VENV)/bin/maturin develop --release --extras test
	$(VENV)/bin/python -m pytest

$(VENV)/bin/maturin:
	python3 -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --disable-pip-version-check "maturin>=1.16,<2"

# A wheel for this system and every Python from 3.11 on, in dist/.
wheel: $(VENV)/bin/maturin
	$(VENV)/bin/maturin build --release --out dist

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

# The tables of docs/accuracy.md and docs/performance.md, with the commit that was measured; half an hour. MEASURED="--only single,paths" is some of them.
MEASURED =

measured: $(VENV)/bin/maturin
	VIRTUAL_ENV=$(VENV) $(VENV)/bin/maturin develop --release --extras test
	python3 scripts/measured.py $(MEASURED)

# Random problems over all sets against an independent truth, and real files; goes on where it was interrupted. Exit 1 if a
# law is broken. SECONDS=0 is no limit; other seeds are other problems.
COUNT = 100000
SEED = 1
SECONDS = 0
JOBS = 2

campaign: $(VENV)/bin/maturin
	cargo test --release -p proxdist --lib proof -- --ignored
	VIRTUAL_ENV=$(VENV) $(VENV)/bin/maturin develop --release --extras test
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 RAYON_NUM_THREADS=1 PYTHONPATH=python $(VENV)/bin/python -m campaign --count $(COUNT) --seed $(SEED) --seconds $(SECONDS) --jobs $(JOBS) \
		--out target/campaign-$(SEED).jsonl

# Every page of docs/gallery: its code is run, what it prints compared with what it shows, its figure drawn again. PAGES="log-contrast dask" runs
# some of them; WRITE=--write puts what is printed in the place of what is shown.
PAGES =
WRITE =

gallery: $(VENV)/bin/maturin
	cargo build --release -p proxdist-cli
	VIRTUAL_ENV=$(VENV) $(VENV)/bin/maturin develop --release --extras test
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 PYTHONPATH=python $(VENV)/bin/python -m gallery $(WRITE) $(PAGES)

# Coverage of intervals in a simulation: the table of docs/inference.md.
REPEATS = 1000
coverage: $(VENV)/bin/maturin
	VIRTUAL_ENV=$(VENV) $(VENV)/bin/maturin develop --release --extras test
	PYTHONPATH=python $(VENV)/bin/python -m intervals --repeats $(REPEATS)

# This package against others on the same data, one thread and one process each, in an environment of its own; goes on where it was
# interrupted and writes docs/benchmarks.md and the table of the README. THOROUGH=--thorough adds the highest effort; LIMIT is CPU seconds for one size.
PEERS = target/peers-venv
LIMIT = 120
THOROUGH =

peers: $(VENV)/bin/maturin $(PEERS)/bin/python
	VIRTUAL_ENV=$(VENV) $(VENV)/bin/maturin develop --release
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 RAYON_NUM_THREADS=1 PYTHONPATH=python $(PEERS)/bin/python -m peers.choosing --rows target/choosing.jsonl
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 RAYON_NUM_THREADS=1 PYTHONPATH=python $(PEERS)/bin/python -m peers.convex --rows target/convex.jsonl
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 RAYON_NUM_THREADS=1 PYTHONPATH=python $(PEERS)/bin/python -m peers.held_out --rows target/held_out.jsonl
	PYTHONPATH=python $(PEERS)/bin/python -m peers --rows target/peers.jsonl --limit $(LIMIT) $(THOROUGH)

# Every effort and three seeds of the search against the lowest F that is known: docs/search.md. Goes on where it was interrupted.
search-table: $(VENV)/bin/maturin $(PEERS)/bin/python
	VIRTUAL_ENV=$(VENV) $(VENV)/bin/maturin develop --release
	PYTHONPATH=python $(PEERS)/bin/python -m peers.table --rows target/search-table.jsonl --peers target/peers.jsonl

$(PEERS)/bin/python: python/peers/requirements.txt
	python3 -m venv $(PEERS)
	$(PEERS)/bin/pip install --quiet --disable-pip-version-check -r python/peers/requirements.txt
	touch $(PEERS)/bin/python

# Fits on Dask: workers killed at random times, data beyond the workers' memory, the cost against a local fit. Ten minutes; the
# tables of docs/distributed.md.
distributed: $(VENV)/bin/maturin
	VIRTUAL_ENV=$(VENV) $(VENV)/bin/maturin develop --release --extras test
	PYTHONPATH=python $(VENV)/bin/python -m distributed_check

# Every figure and table of the paper, an hour and a half on two cores; goes on where it was interrupted.
reproduce:
	cargo run --release -p proxdist-cli -- reproduce all --out reproduction

# Data larger than the memory: 4 GB under a limit of 1.2 GB, in several formats, against the time of reading them once. Takes some 15 GB of disk,
# which it gives back; as root it drops the page cache and makes a control group. LARGE="--rows 50000" is a tenth of it.
LARGE =

large:
	cargo build --release -p proxdist-cli
	cargo build --release -p proxdist-io --example large_files
	python3 scripts/large.py $(LARGE)

# The book of docs/ with the references, in target/book/index.html; needs no network once mdBook and the Python environment are there.
MDBOOK = target/mdbook/bin/mdbook

book: $(MDBOOK) $(VENV)/bin/maturin
	cargo build --release -p proxdist-cli
	VIRTUAL_ENV=$(VENV) $(VENV)/bin/maturin develop --release --extras dask
	PYTHONPATH=python $(VENV)/bin/python -m book build --mdbook $(MDBOOK)

$(MDBOOK):
	cargo install mdbook --version 0.5.4 --locked --debug --no-default-features --features search --root target/mdbook

# The book in Chromium: complaints, links, formulas, search, the width of a phone. PICTURES=--pictures=DIR for pictures to look at.
PICTURES =

book-check:
	PYTHONPATH=python $(VENV)/bin/python -m book check $(PICTURES)

# What is handed out, in dist/: the program with completions and manual pages, a wheel for this system, and a source distribution that
# builds without a network. scripts/wheels.sh makes wheels for other systems.
dist: $(VENV)/bin/maturin
	cargo build --release --locked -p proxdist-cli
	$(VENV)/bin/maturin build --release --locked --out dist
	$(VENV)/bin/python scripts/dist.py --maturin $(VENV)/bin/maturin

# The program without any library, by the steps of the Dockerfile; as root it also fits in a folder that holds nothing else, as an image does.
static:
	scripts/static.sh dist/proxdist-static
	rm -rf target/empty && mkdir -p target/empty/bin target/empty/data target/empty/tmp
	cp dist/proxdist-static target/empty/bin/proxdist
	cp crates/proxdist-cli/demo/cellar.csv target/empty/data/
	test "$$(id -u)" != 0 || chroot target/empty /bin/proxdist fit /data/cellar.csv --target quality --constraint sparsity:4 \
		--out /data/model.json --report /data/report.html

# The crates as a registry would get them, each built from what is packed.
package:
	cargo publish --dry-run --workspace --exclude proxdist-python

clean:
	cargo clean
