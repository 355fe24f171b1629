/*
 * What a worker that has read bytes from outside may send to its parent: an
 * answer, a failure of a kind that there is, or nothing that counts. The bytes
 * come in two pieces.
 */
#include <sys/socket.h>
#include <unistd.h>

#include "fuzz.h"
#include "worker_frame.h"

static void check(enum worker_progress progress, const struct buf *answer,
		  const struct error *failure, size_t size)
{
	FUZZ_ASSERT(answer->length <= size);
	if (progress != WORKER_ANSWERED)
		FUZZ_ASSERT(!answer->length && failure->kind == ERROR_NONE);
	if (failure->kind == ERROR_NONE)
		return;
	FUZZ_ASSERT(!answer->length);
	FUZZ_ASSERT(failure->kind <= ERROR_LOCKED);
	FUZZ_ASSERT(*error_kind_name(failure->kind));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf received CLEANUP(buf_release) = BUF_INIT;
	struct buf answer CLEANUP(buf_release) = BUF_INIT;
	struct error failure = ERROR_INIT, err = ERROR_INIT;
	enum worker_progress progress;
	size_t first = size ? data[size - 1] % size : 0;
	int ends[2];

	if (size > 65536)
		return 0;
	FUZZ_ASSERT(worker_frame_pair(ends, &err));
	FUZZ_ASSERT(write(ends[0], data, first) == (ssize_t)first);
	progress = worker_frame_receive_answer(ends[1], &received, &answer,
					       &failure);
	check(progress, &answer, &failure, size);
	if (progress == WORKER_GOING_ON) {
		size_t rest = size - first;

		FUZZ_ASSERT(write(ends[0], data + first, rest) ==
			    (ssize_t)rest);
		close(ends[0]);
		ends[0] = -1;
		do {
			progress = worker_frame_receive_answer(
				ends[1], &received, &answer, &failure);
		} while (progress == WORKER_GOING_ON);
		check(progress, &answer, &failure, size);
	}
	if (ends[0] >= 0)
		close(ends[0]);
	close(ends[1]);
	return 0;
}
