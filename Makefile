# rne-libs: see README.md. `make help` lists the targets.

VERSION := $(shell sed -n 's/^  "version": "\(.*\)",$$/\1/p' package.json)

BUILD   ?= build
# `make V=1` prints the commands.
Q       := $(if $(V),,@)
say      = $(if $(V),,@echo '  $(1)')
CC      ?= cc
CFLAGS  ?= -O2 -g
PKGS    := libcjson libcrypto libzstd zlib yaml-0.1 libutf8proc
# Opened at first need (include/library.h), or linked: `make LINK_ALL=1`.
LATE    := libcurl libarchive
ifneq ($(shell uname -s),Linux)
LINK_ALL := 1
endif
LOADED  := $(if $(LINK_ALL),,-DRNE_LOAD_CURL='"libcurl.so.4"' \
           -DRNE_LOAD_ARCHIVE='"libarchive.so.13"')
# Intel's ISA-L inflates gzip four times as fast as zlib, where it is there.
ISAL    := $(shell pkg-config --exists libisal && echo yes)

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
            -Wpointer-arith -Wwrite-strings -Wundef -Wvla -Wformat=2 \
            -Wno-format-nonliteral -Wimplicit-fallthrough
ifdef WERROR
WARNINGS += -Werror
endif

ALL_CPPFLAGS = -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -Iinclude \
               -include include/banned.h -DRNE_VERSION='"$(VERSION)"' \
               $(if $(ISAL),-DRNE_HAVE_ISAL) $(LOADED) $(PKG_CFLAGS) \
               $(CPPFLAGS)
ALL_CFLAGS   = -std=gnu17 $(WARNINGS) -fstack-protector-strong $(CFLAGS)
PKG_CFLAGS  := $(shell pkg-config --cflags $(PKGS) $(LATE))
PKG_LIBS    := $(shell pkg-config --libs $(PKGS) $(if $(LINK_ALL),$(LATE))) \
               $(if $(ISAL),-lisal) $(if $(LINK_ALL),,-ldl)

SOURCES := $(sort $(wildcard src/*.c))
OBJECTS := $(SOURCES:src/%.c=$(BUILD)/obj/%.o) $(BUILD)/obj/bundled_data.o
MANIFESTS := $(sort $(wildcard manifests/*-[0-9]*.json))
LIBRARY := $(filter-out $(BUILD)/obj/main.o,$(OBJECTS))
UNIT    := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,\
             $(sort $(wildcard tests/unit/test_*.c)))
# Each reads bytes from outside: see tests/fuzz/fuzz.h.
FUZZED  := $(patsubst tests/fuzz/fuzz_%.c,%,\
             $(sort $(wildcard tests/fuzz/fuzz_*.c)))
REPLAY  := $(FUZZED:%=$(BUILD)/tests/fuzz_%)

PREFIX  ?= /usr/local
PROGRAM := $(BUILD)/rne-libs

.PHONY: all
all: $(PROGRAM) ## the program, build/rne-libs

$(PROGRAM): $(OBJECTS)
	$(call say,LINK $@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(PKG_LIBS)

$(BUILD)/obj/%.o: src/%.c Makefile
	@mkdir -p $(@D)
	$(call say,CC   $@)
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# The release manifests become bytes of the program (include/bundled.h).
$(BUILD)/gen/bundled_data.c: $(MANIFESTS) manifests Makefile
	@mkdir -p $(@D)
	@{ echo '#include "bundled.h"'; n=0; \
	for file in $(MANIFESTS); do \
		echo "static const unsigned char data_$$n[] = {"; \
		od -An -v -tu1 "$$file" | sed 's/[0-9][0-9]*/&,/g'; \
		echo '};'; n=$$((n + 1)); \
	done; \
	echo 'const struct bundled_manifest bundled_table[] = {'; n=0; \
	for file in $(MANIFESTS); do \
		name=$${file##*/}; name=$${name%.json}; \
		echo "{\"$$name\", (const char *)data_$$n, sizeof(data_$$n)},"; \
		n=$$((n + 1)); \
	done; \
	echo '{NULL, NULL, 0}};'; } > $@.new
	@mv $@.new $@

$(BUILD)/obj/bundled_data.o: $(BUILD)/gen/bundled_data.c
	@mkdir -p $(@D)
	$(call say,CC   $@)
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/tests/%: tests/unit/%.c $(LIBRARY)
	@mkdir -p $(@D)
	$(call say,LINK $@)
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP $(LDFLAGS) -o $@ $< \
		$(LIBRARY) $(PKG_LIBS) -lcmocka

# A target links what it needs: of an archive, not of all objects.
$(BUILD)/librne.a: $(LIBRARY)
	@rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/tests/replay.o: tests/fuzz/replay.c
	@mkdir -p $(@D)
	$(call say,CC   $@)
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/tests/fuzz_%: tests/fuzz/fuzz_%.c $(BUILD)/tests/replay.o \
		$(BUILD)/librne.a
	@mkdir -p $(@D)
	$(call say,LINK $@)
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP $(LDFLAGS) -o $@ $< \
		$(BUILD)/tests/replay.o $(BUILD)/librne.a $(PKG_LIBS)

$(BUILD)/libfuzzer/%: tests/fuzz/fuzz_%.c $(BUILD)/librne.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP $(LDFLAGS) \
		-fsanitize=fuzzer -o $@ $< $(BUILD)/librne.a $(PKG_LIBS)

-include $(OBJECTS:.o=.d) $(UNIT:=.d) $(REPLAY:=.d)
-include $(FUZZED:%=$(BUILD)/libfuzzer/%.d) $(BUILD)/tests/replay.d

.PHONY: unit
unit: $(UNIT) $(REPLAY)

# Lets calls of the program fail, by LD_PRELOAD: Linux only. By rename, since two
# tests may want it at once.
$(BUILD)/faults/inject.so: $(wildcard tests/faults/*.[ch]) Makefile
	@mkdir -p $(@D)
	$(CC) -std=gnu17 -Wall -Wextra -O2 -g -shared -fPIC -o $@.$$$$ \
		$(wildcard tests/faults/*.c) -ldl && mv $@.$$$$ $@

# tests/run counts; `tests/run` alone is everything, as ./bootstrap.sh check.
.PHONY: check check-asan check-faults
check: ## unit and system tests
	@sh tests/run unit system

check-faults: $(PROGRAM) $(BUILD)/faults/inject.so ## every call fails, and dies, once; the power, too
	node tests/faults/run.mjs

check-asan: ## both under AddressSanitizer and UBSan
	@sh tests/run asan

# The found inputs stay in build/fuzz/corpus, for the next run to begin with.
FUZZ_SECONDS ?= 60
FUZZ         ?= $(FUZZED)
SANITIZE     := -fsanitize=address,undefined -fno-sanitize-recover=undefined
.PHONY: fuzz libfuzzer
fuzz: ## libFuzzer on everything from outside, FUZZ_SECONDS each (60)
	@$(MAKE) --no-print-directory -s BUILD=build/fuzz CC=clang \
		CFLAGS="-O1 -g -fno-omit-frame-pointer $(SANITIZE)" \
		CPPFLAGS=-fsanitize=fuzzer-no-link LDFLAGS="$(SANITIZE)" \
		FUZZED="$(FUZZ)" libfuzzer
	@sh tests/fuzz/run.sh build/fuzz $(FUZZ_SECONDS) $(FUZZ)

libfuzzer: $(FUZZED:%=$(BUILD)/libfuzzer/%) $(REPLAY)

# What bench/ needs beside the program: see the head of bench/bench.mjs.
BENCH := $(addprefix $(BUILD)/bench/,run server floor)

$(BUILD)/bench/server: bench/pace.c bench/pace.h
$(BUILD)/bench/%: bench/%.c Makefile
	@mkdir -p $(@D)
	$(call say,LINK $@)
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -o $@ $(filter %.c,$^) \
		-pthread -lcrypto -lzstd $(if $(ISAL),-lisal,-lz)

.PHONY: bench bench-scale bench-tools
bench-tools: $(BENCH)

bench: $(PROGRAM) $(BENCH) ## the program beside others: bench/results.json
	node bench/bench.mjs

bench-scale: $(PROGRAM) $(BENCH) ## time and memory against bytes and files
	node bench/scale.mjs

SCRIPTS := bootstrap.sh .ci/run tests/run \
           $(wildcard tests/*/*.sh tests/*/*/*.sh bench/*.sh)
MODULES := $(wildcard npm/*.mjs tests/*/*.mjs tests/*/*/*.mjs bench/*.mjs)
C_FILES := $(wildcard include/*.h src/*.c bench/*.[ch] tests/*/*.[ch] \
             tests/*/*/*.[ch])

LINTS := lint-format lint-tidy lint-cppcheck lint-shell lint-man lint-js
.PHONY: lint $(LINTS)
lint: ## clang-format, clang-tidy, cppcheck, shellcheck, mandoc, node --check
	@sh tests/run lint

lint-format:
	clang-format --dry-run -Werror $(C_FILES)

lint-tidy: compile_commands.json
	printf '%s\n' $(SOURCES) | xargs -P 2 -n 4 clang-tidy --quiet -p .

lint-cppcheck:
	cppcheck --quiet --std=c11 --enable=warning,performance,portability \
		--inline-suppr --suppress=missingInclude --error-exitcode=1 \
		-j 2 -D_GNU_SOURCE -Iinclude src

lint-shell:
	shellcheck $(SCRIPTS)

lint-man:
	mandoc -Tlint -Wwarning $(wildcard docs/*.[15])

lint-js:
	for file in $(MODULES); do node --check "$$file" || exit 1; done

.PHONY: compile_commands.json
compile_commands.json: ## for clang-tidy and editors
	@arguments=$$(for word in $(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS); do \
		printf '%s\n' "$$word"; done | sed 's/"/\\"/g; s/.*/"&", /'); \
	for file in $(SOURCES) $(wildcard tests/unit/*.c); do \
		echo "{\"directory\": \"$(CURDIR)\", \"file\": \"$$file\"," \
			"\"arguments\": [$$arguments \"-c\", \"$$file\"]},"; \
	done | sed '1s/^/[/; $$s/,$$/]/' > $@

.PHONY: install
install: $(PROGRAM) ## into $(DESTDIR)$(PREFIX): the program and its manual
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1 \
		$(DESTDIR)$(PREFIX)/share/man/man5
	install -m 755 $(PROGRAM) $(DESTDIR)$(PREFIX)/bin/rne-libs
	install -m 644 docs/rne-libs.1 $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 644 docs/rne-libs-manifest.5 \
		$(DESTDIR)$(PREFIX)/share/man/man5

.PHONY: dist
dist: ## dist/: the sources of the last commit, and the npm package
	@mkdir -p dist
	git archive --prefix=rne-libs-$(VERSION)/ \
		-o dist/rne-libs-$(VERSION).tar.gz HEAD
	npm pack --ignore-scripts --silent --pack-destination dist

.PHONY: help
help: ## this list
	@sed -n 's/^\([a-z_.-]*\):.*## \(.*\)/  \1\t\2/p' Makefile | expand -t 26

.PHONY: clean
clean: ## all that was built
	rm -rf build dist compile_commands.json
