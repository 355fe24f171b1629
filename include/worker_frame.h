/*
 * worker_frame.h - what goes over the socket pair between a pool and a worker.
 *
 * An order: a fixed head with the file as SCM_RIGHTS, then the detail. An
 * answer: a fixed head, then bytes, or an error's text and hint. The parent
 * trusts neither lengths nor contents of an answer: the worker that sent it
 * has read bytes from outside.
 */
#ifndef RNE_WORKER_FRAME_H
#define RNE_WORKER_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "buf.h"
#include "error.h"
#include "worker.h"

#define WORKER_ANSWER_MAX (64u << 20) /* bytes */

struct worker_order {
	uint32_t job;
	int file; /* -1: none; the receiver closes it */
	size_t detail_length;
	unsigned char detail[WORKER_DETAIL_MAX];
};

#define WORKER_ORDER_INIT \
	{                 \
		0, -1, 0, \
		{         \
			0 \
		}         \
	}

bool worker_frame_pair(int ends[2], struct error *err) NODISCARD;

bool worker_frame_send_order(int socket, uint32_t job, int file,
			     const void *detail,
			     size_t detail_length) NODISCARD;
/* Waits; false: the parent is gone. */
bool worker_frame_receive_order(int socket,
				struct worker_order *order) NODISCARD;

/* `answer` NULL: `err` is sent. False: the parent is gone. */
bool worker_frame_send_answer(int socket, const struct buf *answer,
			      const struct error *err) NODISCARD;

enum worker_progress { WORKER_GOING_ON, WORKER_ANSWERED, WORKER_LOST };

/* Without waiting; `received` keeps what came so far. */
enum worker_progress worker_frame_receive_answer(int socket,
						 struct buf *received,
						 struct buf *answer,
						 struct error *failure);

#endif
