# rne-libs: see README.md. `make help` lists the targets.

VERSION := $(shell sed -n 's/^  "version": "\(.*\)",$$/\1/p' package.json)

BUILD   ?= build
CC      ?= cc
CFLAGS  ?= -O2 -g
PKGS    := libcurl libarchive libcjson libcrypto libzstd zlib yaml-0.1 \
           libutf8proc
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
               $(if $(ISAL),-DRNE_HAVE_ISAL) $(PKG_CFLAGS) $(CPPFLAGS)
ALL_CFLAGS   = -std=gnu17 $(WARNINGS) -fstack-protector-strong $(CFLAGS)
PKG_CFLAGS  := $(shell pkg-config --cflags $(PKGS))
PKG_LIBS    := $(shell pkg-config --libs $(PKGS)) $(if $(ISAL),-lisal)

SOURCES := $(sort $(wildcard src/*.c))
OBJECTS := $(SOURCES:src/%.c=$(BUILD)/obj/%.o) $(BUILD)/obj/bundled_data.o
MANIFESTS := $(sort $(wildcard manifests/*-[0-9]*.json))
LIBRARY := $(filter-out $(BUILD)/obj/main.o,$(OBJECTS))
UNIT    := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,\
             $(sort $(wildcard tests/unit/test_*.c)))

.PHONY: all
all: $(BUILD)/rne-libs

$(BUILD)/rne-libs: $(OBJECTS)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(PKG_LIBS)

$(BUILD)/obj/%.o: src/%.c Makefile
	@mkdir -p $(@D)
	$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

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
	$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/tests/%: tests/unit/%.c $(LIBRARY)
	@mkdir -p $(@D)
	$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP $(LDFLAGS) -o $@ $< \
		$(LIBRARY) $(PKG_LIBS) -lcmocka

-include $(OBJECTS:.o=.d) $(UNIT:=.d)

.PHONY: unit
unit: $(UNIT)
	@for test in $(UNIT); do $$test || exit 1; done

.PHONY: clean
clean:
	rm -rf build dist compile_commands.json
