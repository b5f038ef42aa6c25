# `make EXE=name EVALFILE=net` builds one binary, as OpenBench's client asks for it; docs/openbench.md says
# more.
# `make release` builds one for each kind of processor, with manual pages, completions and the bill of
# materials, in target/dist.
# `make pgo` builds target/pgo/labrys, optimised by a profile of itself (PGO), for the processor at hand or for
# others that this one can run, as in `make pgo CPU=x86-64-v3`. It needs `rustup component add llvm-tools`.
# `make wheel` builds the Python package for the processor at hand, in target/wheels;
# `make wheel CPU=x86-64-v2` for others, in target/wheels/x86-64-v2.
# `make page` puts the board together that needs no server, in target/page, for any server of files. With
# the source of the standard library (rustup component add rust-src) its analyses can have several threads;
# `make page THREADS=` does without.
# `make npm` puts the npm package of the engine together, in target/npm/labrys-engine.
# `make sbom` writes the bill of materials of the binary, target/labrys.cdx.json, by `cargo install
# cargo-cyclonedx`.
# `make verify-certificates FOLDER=proofs` checks all certificates of Amazons in a folder on all processors, by
# the verifier in C, and compares them with its manifest.tsv if it has one; docs/certificates.md says more.
# `make fuzz TARGET=pgn SECONDS=60` attacks a reader of files or lines with libFuzzer; docs/hardening.md lists
# the targets. `make fuzz-once` attacks each of them for 20 seconds, `make fuzz-night HOURS=8` all of them until
# they have had 8 hours of a processor; the same command goes on after an interruption.
# `make loom` tries all orders of what the threads of a search do together, and `make tsan` searches and proves
# with ThreadSanitizer, which needs the source of the standard library, too; `make miri` interprets what handles
# memory, with a nightly compiler that has miri.
# `make experiments` repeats the tables of experiments/README.md in the folder `trained`, which takes days;
# TABLES="msd-theta games" names some of them.
# `make mutants AREA=pgn SAMPLE=100` says which changes of the code no test notices; tools/mutants --list has
# the areas. `make coverage` says how much of each crate the tests run.

EXE ?= labrys
EVALFILE ?=
FEATURES ?=
# Levels of x86-64, and the processor at hand.
CPUS ?= x86-64-v2 x86-64-v3 x86-64-v4 native

# Static binaries where the target is installed: rustup target add x86_64-unknown-linux-musl
MUSL := x86_64-unknown-linux-musl
STATIC := $(if $(wildcard $(shell rustc --print target-libdir --target $(MUSL) 2>/dev/null)),--target $(MUSL))
SUFFIX := $(if $(filter Windows_NT,$(OS)),.exe)
DIST := target/dist
PROFILE := release
# No path of this machine gets into the binaries of a release.
REMAP := --remap-path-prefix=$(CURDIR)=/labrys --remap-path-prefix=$(or $(CARGO_HOME),$(HOME)/.cargo)=/cargo

# RUSTFLAGS holds no paths with blanks.
NO_BLANKS = @test $(words $(CURDIR)) = 1 || { echo "make $@: a folder without blanks is needed" >&2; exit 1; }

# The client names cargo as the C compiler.
unexport CC CXX
export EVALFILE
export LABRYS_COMMIT ?= $(shell git rev-parse HEAD 2>/dev/null)

PYTHON ?= python3
# For cargo, as in --config profile.release.opt-level=1; for the page and the npm package.
PAGE_FLAGS ?=
CPU ?=

.PHONY: build release pgo wheel page npm sbom verify-certificates
.PHONY: experiments fuzz fuzz-night loom tsan miri mutants coverage $(CPUS)
# The builds for several processors share a folder.
.NOTPARALLEL:

build:
	cargo rustc --release --locked --bin labrys --features "$(FEATURES)" -- --emit link=$(EXE)$(SUFFIX)

# The bill of materials comes first, as its tool may be missing.
release: sbom $(CPUS)
	cp target/labrys.cdx.json $(DIST)/
	$(DIST)/labrys-native man $(DIST)/man
	for shell in bash zsh fish; do $(DIST)/labrys-native completions $$shell > $(DIST)/labrys.$$shell; done

# Always anew, as cargo does not see what a profile says. With a target named, the programs of the build, such as
# macros, are compiled once, and without a profile.
PGO := $(CURDIR)/target/pgo
PROFDATA = $(wildcard $(shell rustc --print target-libdir)/../bin/llvm-profdata$(SUFFIX))
PGO_BUILD = RUSTFLAGS="-C target-cpu=$(or $(CPU),native) $(1)" cargo build --quiet --release --locked --bin labrys \
	--features "$(FEATURES)" --target $(HOST) --target-dir $(PGO)/build
PGO_BUILT = $(PGO)/build/$(HOST)/release/labrys$(SUFFIX)
pgo:
	$(NO_BLANKS)
	@test -x "$(PROFDATA)" || { echo "make pgo: no llvm-profdata: rustup component add llvm-tools" >&2; exit 1; }
	rm -rf "$(PGO)"
	$(call PGO_BUILD,-C profile-generate=$(PGO)/profiles)
	tools/pgo-workload $(PGO_BUILT) > $(PGO)/workload.log
	$(PROFDATA) merge -o $(PGO)/labrys.profdata $(PGO)/profiles
	$(call PGO_BUILD,-C profile-use=$(PGO)/labrys.profdata)
	cp $(PGO_BUILT) $(PGO)/
	@echo $(PGO)/labrys$(SUFFIX)

# Without the variables of this file, which would have all crates compiled again.
wheel:
	env -u EVALFILE -u LABRYS_COMMIT MATURIN_PEP517_ARGS="--compatibility pypi" \
		$(if $(CPU),RUSTFLAGS="-C target-cpu=$(CPU)") $(PYTHON) -m pip wheel --quiet --no-deps ./python \
		--wheel-dir target/wheels$(if $(CPU),/$(CPU))

WASM := wasm32-unknown-unknown
# Whether the standard library can be built for threads, which is not stable yet.
THREADS = $(shell RUSTC_BOOTSTRAP=1 cargo --config page/threads.toml fetch --quiet --target $(WASM) >&2 \
	&& echo yes || echo "make page: the page has no threads, which need rust-src of rustup" >&2)
# After `build`, like PAGE_FLAGS: there cargo would forget what is before.
page: BUILD = $(if $(THREADS),RUSTC_BOOTSTRAP=1 cargo build --config page/threads.toml,cargo build)
npm: BUILD = cargo build
page npm:
	env -u EVALFILE -u LABRYS_COMMIT $(BUILD) --quiet --release $(PAGE_FLAGS) \
		-p labrys-$@ --target $(WASM)
	env -u EVALFILE -u LABRYS_COMMIT cargo run --quiet --release $(PAGE_FLAGS) -p labrys-page-bind -- \
		$@ target/$(WASM)/release/labrys_$@.wasm $(if $(filter npm,$@),target/npm/labrys-engine,target/page)

# The tool writes one beside each manifest of the workspace, with the folder of the build in names of crates.
SBOM := labrys-sbom
sbom:
	cargo cyclonedx --quiet --format json --spec-version 1.5 --override-filename $(SBOM)
	mkdir -p target
	sed 's|file://$(CURDIR)|file://.|g' $(SBOM).json > target/labrys.cdx.json
	rm -f $(addsuffix /$(SBOM).json,. $(wildcard crates/*) npm page page/bind python)

FOLDER ?= proofs
JOBS ?= $(shell getconf _NPROCESSORS_ONLN)
VERIFY := target/verify_certificate
$(VERIFY): tools/verify_certificate.c
	mkdir -p $(dir $@)
	cc -O2 -std=c11 -o $@ $<

verify-certificates: $(VERIFY)
	find "$(FOLDER)" -name '*.proof' -print0 | xargs -0 -n 1 -P $(JOBS) $(VERIFY) > $(VERIFY).tsv
	if test -e "$(FOLDER)/manifest.tsv"; then cut -f 3-7 "$(FOLDER)/manifest.tsv" | sort > $(VERIFY).listed \
		&& sort $(VERIFY).tsv | diff - $(VERIFY).listed; fi
	@echo "$$(($$(wc -l < $(VERIFY).tsv))) certificates hold"

TABLES ?= $(basename $(notdir $(wildcard experiments/tables/*.toml)))

experiments:
	cargo run --release --quiet -- experiments run $(TABLES) --out trained$(if $(word 2,$(TABLES)),,/$(TABLES))

# As `cargo fuzz` builds its targets, without a sanitizer of addresses: no crate of Labrys has unsafe code.
FUZZ_FLAGS := -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
	-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
	-Cllvm-args=-sanitizer-coverage-trace-compares --cfg fuzzing
TARGET ?= uci
SECONDS ?= 60
HOST = $(shell rustc -vV | sed -n 's/^host: //p')
CORPUS := fuzz/corpus

HOURS ?= 8
FUZZ_BUILD = env -u EVALFILE -u LABRYS_COMMIT RUSTFLAGS="$(FUZZ_FLAGS)" cargo build --quiet --release \
	--manifest-path fuzz/Cargo.toml --target-dir fuzz/target --target $(HOST)

# The program writes its seeds and its words first. New inputs go to the first folder.
fuzz:
	$(FUZZ_BUILD) --bin $(TARGET)
	mkdir -p $(CORPUS)/$(TARGET) fuzz/artifacts
	LABRYS_FUZZ_CORPUS=$(CORPUS) fuzz/target/$(HOST)/release/$(TARGET) $(CORPUS)/$(TARGET) \
		$(wildcard fuzz/regressions/$(TARGET)) -dict=$(CORPUS)/$(TARGET).dict \
		-artifact_prefix=fuzz/artifacts/$(TARGET)- \
		-max_total_time=$(SECONDS) -timeout=20 -rss_limit_mb=3000 -print_final_stats=1

# Copies are attacked, so that other builds do not disturb.
fuzz-build:
	$(FUZZ_BUILD) --bins
	mkdir -p fuzz/target/night
	find fuzz/target/$(HOST)/release -maxdepth 1 -type f -executable -exec cp {} fuzz/target/night/ \;

fuzz-night: fuzz-build
	tools/fuzz-night --hours $(HOURS)

fuzz-once: fuzz-build
	tools/fuzz-night --once --round 20

loom:
	env -u EVALFILE -u LABRYS_COMMIT RUSTFLAGS="--cfg loom" cargo test -p labrys-core --lib \
		--target-dir target/loom orders

# Whatever it finds ends the run with an error.
tsan:
	env -u EVALFILE -u LABRYS_COMMIT RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Zsanitizer=thread" cargo test -p labrys-core \
		-p labrys-solver -Zbuild-std --target $(HOST) --target-dir target/tsan --test threads -- --test-threads=1

miri:
	env -u EVALFILE -u LABRYS_COMMIT cargo +nightly miri test -p labrys-core --no-default-features --lib \
		--target-dir target/miri -- search::table seal:: memory::allocated

mutants:
	tools/mutants $(addprefix --area ,$(AREA)) $(addprefix --sample ,$(SAMPLE)) $(addprefix --file ,$(FILE))

coverage:
	tools/coverage

$(CPUS):
	$(NO_BLANKS)
	mkdir -p $(DIST)
	RUSTFLAGS="-C target-cpu=$@ $(REMAP)" cargo rustc --profile $(PROFILE) --locked --bin labrys \
		--features "$(FEATURES)" $(STATIC) -- --emit link=$(DIST)/labrys-$@$(SUFFIX)
