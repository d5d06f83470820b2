# Everything a person does with Inspect. Each target installs what is missing first (scripts/setup.sh).

PREFIX ?= /usr/local
RELEASE := target/release
# What the command inspect is called as well (host/src/cli/mod.rs).
TOOLS := inspect-cc inspect-c++ inspect-ar inspect-ranlib inspect-nm
INSPECT := $(CURDIR)/$(RELEASE)/inspect
GUEST := --manifest-path guest/Cargo.toml --target-dir target/guest
GUEST_MANY := --manifest-path guest/Cargo.toml --target-dir target/guest-many --features many-threads
CLUSTER := --manifest-path cluster/Cargo.toml --target-dir target/cluster
DOC := -D warnings -A rustdoc::private-intra-doc-links
export INSPECT

.PHONY: build tools compiler guest-libraries guest-archive guest-many-archive check check-workspace check-guest check-source quick test test-long test-fresh cluster test-cluster simulate demo bench install setup clean
.DEFAULT_GOAL := build

setup:
	@sh scripts/setup.sh

# Leaves inspect, inspect-cc, inspect-c++, inspect-llvm, libinspect_pass.so and libinspect_guest.so in target/release. The guest is one
# unit for its compiler, and so for one core: the others build the tools meanwhile.
build: setup
	@$(MAKE) --no-print-directory --jobs 2 guest-archive guest-many-archive tools
	@$(MAKE) --no-print-directory --jobs 2 guest-libraries compiler

# The two parts of `make build`. The task program is built with the tools, as they share most of what they need.
tools:
	cargo build --release --package inspect --package inspect-pass --package xtask --lib --bin inspect --bin xtask
	@for tool in $(TOOLS); do ln -sf inspect $(RELEASE)/$$tool; done

guest-libraries:
	cargo xtask guest

# clang, lld and the pass in one program, which starts sooner.
compiler:
	cargo xtask compiler

guest-archive:
	cargo build --release $(GUEST)

guest-many-archive:
	cargo build --release $(GUEST_MANY)

# A deadlock in a small C program: found, shown, and replayed.
demo: build
	@echo '$$ inspect check corpus/papers/database/bad.c'
	@$(INSPECT) check corpus/papers/database/bad.c --out target/demo; status=$$?; \
	  test $$status -eq 1 || { echo "demo: expected a violation, got status $$status" >&2; exit 1; }

# The inner loop, without the release build: whether everything compiles, and the quick tests.
quick: setup
	cargo check --workspace --all-targets
	cargo check $(GUEST)
	cargo test --package inspect-core --package inspect-wire --package inspect-driver --package inspect-pass --lib
	cargo test --package inspect-core --test algorithms -- counts:: semantics::

# What a machine can say about the source without running the program. Module documentation is read in the source, too, so
# it may name private items.
check: setup
	@$(MAKE) --no-print-directory --jobs 2 --output-sync=target check-workspace check-guest check-source

# The parts of `make check`, each with a folder of its own for what is built, so that two run beside each other.
check-workspace:
	cargo fmt --all --check
	cargo fmt --manifest-path cluster/Cargo.toml --check
	cargo clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS='$(DOC)' cargo doc --workspace --no-deps

check-guest:
	cargo fmt --manifest-path guest/Cargo.toml --check
	cargo clippy $(GUEST) -- -D warnings
	cargo clippy $(GUEST) --features platform-selftest -- -D warnings
	cargo clippy $(GUEST) --features many-threads -- -D warnings
	RUSTDOCFLAGS='$(DOC)' cargo doc $(GUEST) --no-deps

check-source:
	cargo xtask layers
	cargo xtask tidy
	cargo xtask docs
	cargo xtask coverage
	cargo xtask dependencies

# All tests; at the end, what took their time.
test: build
	cargo xtask test

# The whole of what `make test` takes a fixed sample of.
test-long: build
	cargo xtask guest-test
	INSPECT_LONG=1 INSPECT_REPLAYS=1000 cargo test --workspace --exclude inspect-core --no-fail-fast --release -- --include-ignored
	INSPECT_LONG=1 cargo test --package inspect-core --no-fail-fast --release -- --include-ignored

# `make demo`, `make install` and `make test` in a minimal Debian, from a clean clone of HEAD. As root.
test-fresh:
	@sh scripts/setup.sh test-fresh
	sh scripts/test-fresh.sh

# inspect-mpi, the search on a cluster, beside the others in target/release. It alone needs MPI.
cluster: build
	@sh scripts/setup.sh cluster
	cargo build --release $(CLUSTER)
	cp target/cluster/release/inspect-mpi $(RELEASE)/

# Its tests, with all ranks on this machine.
test-cluster: cluster
	@sh scripts/setup.sh test-cluster
	cargo clippy --release $(CLUSTER) --all-targets -- -D warnings
	cargo test --release $(CLUSTER) -- --test-threads 1

# A search on clusters of up to a thousand ranks in virtual time: the tables of docs/performance.md.
simulate:
	cargo test --release --package inspect --lib simulation::tables -- --ignored --nocapture --test-threads 1

bench: build
	cargo run --release --quiet --package inspect-benches

install: build
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/inspect $(DESTDIR)$(PREFIX)/share/meson/native
	install -m 755 $(RELEASE)/inspect $(DESTDIR)$(PREFIX)/bin/inspect
	for tool in $(TOOLS); do ln -sf inspect $(DESTDIR)$(PREFIX)/bin/$$tool; done
	if test -x $(RELEASE)/inspect-mpi; then install -m 755 $(RELEASE)/inspect-mpi $(DESTDIR)$(PREFIX)/bin/; fi
	@# With their times, by which inspect-llvm.parts knows the pass.
	install -p -m 644 $(RELEASE)/libinspect_pass.so $(RELEASE)/inspect-llvm.parts $(RELEASE)/libinspect_guest.so $(RELEASE)/libinspect_guest_many.so \
	  $(DESTDIR)$(PREFIX)/lib/inspect/
	install -m 755 $(RELEASE)/inspect-llvm $(DESTDIR)$(PREFIX)/lib/inspect/
	cp -R instrument/include $(DESTDIR)$(PREFIX)/lib/inspect/
	install -m 644 instrument/toolchain/inspect.cmake $(DESTDIR)$(PREFIX)/lib/inspect/
	install -m 644 instrument/toolchain/inspect.ini $(DESTDIR)$(PREFIX)/share/meson/native/

clean:
	cargo clean
	cargo clean --manifest-path guest/Cargo.toml
	cargo clean --manifest-path cluster/Cargo.toml
