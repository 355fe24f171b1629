/*
 * A receipt: what cannot be read counts as none and is no error; what can has
 * paths below third-party/ alone, and is the same after a round trip.
 */
#include "layout.h"
#include "path.h"
#include "receipt.h"
#include "scratch.h"

static struct receipt *read_back(int third_party, const void *bytes,
				 size_t size)
{
	struct receipt *receipt = NULL;
	struct error err = ERROR_INIT;

	scratch_write(third_party, LAYOUT_RECEIPT, bytes, size);
	FUZZ_ASSERT(receipt_read(&receipt, third_party, &err));
	return receipt;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct receipt *receipt CLEANUP(receipt_free) = NULL;
	struct receipt *again CLEANUP(receipt_free) = NULL;
	struct buf first CLEANUP(buf_release) = BUF_INIT;
	struct buf second CLEANUP(buf_release) = BUF_INIT;
	int third_party CLEANUP(fs_close) = scratch_folder(".");
	int state CLEANUP(fs_close) = scratch_folder(LAYOUT_STATE);

	FUZZ_ASSERT(state >= 0);
	receipt = read_back(third_party, data, size);
	if (!receipt)
		return 0;
	for (size_t i = 0; i < receipt->artifact_count; i++) {
		const struct receipt_artifact *one = &receipt->artifacts[i];

		FUZZ_ASSERT(receipt_find(receipt, one->name) == one);
		for (size_t j = 0; j < one->files.count; j++)
			FUZZ_ASSERT(!path_refused(one->files.entries[j].path));
	}
	receipt_write(receipt, &first);
	again = read_back(third_party, first.data, first.length);
	FUZZ_ASSERT(again);
	receipt_write(again, &second);
	FUZZ_ASSERT(!strcmp(first.data, second.data));
	return 0;
}
