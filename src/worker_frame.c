#include "worker_frame.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "memory.h"

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0 /* SIGPIPE is ignored (interrupt.h) */
#endif
#ifndef MSG_CMSG_CLOEXEC
#define MSG_CMSG_CLOEXEC 0 /* workers start no programs */
#endif

#define RECEIVE_SIZE 65536
#define FRAME_MAX    (WORKER_ANSWER_MAX + 65536u)

struct order_head {
	uint32_t job;
	uint32_t detail_length;
};

#define NO_SPACE (1u << 16)

/* Then `length` bytes of answer, or of text, and `hint_length` of hint. */
struct answer_head {
	uint32_t kind; /* ERROR_NONE: an answer; with NO_SPACE or not */
	uint32_t length;
	uint32_t hint_length;
};

bool worker_frame_pair(int ends[2], struct error *err)
{
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return error_system(err, errno, "cannot make a socket pair");
	for (size_t i = 0; i < 2; i++) {
		if (fcntl(ends[i], F_SETFD, FD_CLOEXEC) < 0) {
			error_system(err, errno, "cannot set up a socket");
			close(ends[0]);
			close(ends[1]);
			return false;
		}
	}
	return true;
}

static bool send_all(int socket, const void *bytes, size_t length)
{
	const char *at = bytes;

	while (length) {
		ssize_t sent = send(socket, at, length, MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0)
			return false;
		at += sent;
		length -= (size_t)sent;
	}
	return true;
}

static bool receive_all(int socket, void *bytes, size_t length)
{
	char *at = bytes;

	while (length) {
		ssize_t got = recv(socket, at, length, 0);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		at += got;
		length -= (size_t)got;
	}
	return true;
}

bool worker_frame_send_order(int socket, uint32_t job, int file,
			     const void *detail, size_t detail_length)
{
	struct order_head head = {job, (uint32_t)detail_length};
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct iovec bytes = {&head, sizeof(head)};
	struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1};
	ssize_t sent;

	if (file >= 0) {
		struct cmsghdr *right;

		message.msg_control = &control;
		message.msg_controllen = sizeof(control.room);
		right = CMSG_FIRSTHDR(&message);
		right->cmsg_level = SOL_SOCKET;
		right->cmsg_type = SCM_RIGHTS;
		right->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(right), &file, sizeof(file));
	}
	do {
		sent = sendmsg(socket, &message, MSG_NOSIGNAL);
	} while (sent < 0 && errno == EINTR);
	return sent == (ssize_t)sizeof(head) &&
	       send_all(socket, detail, detail_length);
}

static int received_file(struct msghdr *message)
{
	struct cmsghdr *right = CMSG_FIRSTHDR(message);
	int file = -1;

	if (right && right->cmsg_level == SOL_SOCKET &&
	    right->cmsg_type == SCM_RIGHTS &&
	    right->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(&file, CMSG_DATA(right), sizeof(file));
	return file;
}

bool worker_frame_receive_order(int socket, struct worker_order *order)
{
	struct order_head head;
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct iovec bytes = {&head, sizeof(head)};
	struct msghdr message = {
		.msg_iov = &bytes,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control.room),
	};
	ssize_t got;

	do {
		got = recvmsg(socket, &message, MSG_WAITALL | MSG_CMSG_CLOEXEC);
	} while (got < 0 && errno == EINTR);
	if (got != (ssize_t)sizeof(head) ||
	    head.detail_length > sizeof(order->detail))
		return false;
	order->job = head.job;
	order->file = received_file(&message);
	order->detail_length = head.detail_length;
	return receive_all(socket, order->detail, head.detail_length);
}

bool worker_frame_send_answer(int socket, const struct buf *answer,
			      const struct error *err)
{
	static const struct error too_long = {
		.text = "the answer is longer than a worker may give"};
	struct answer_head head = {.kind = ERROR_NONE};

	if (answer && answer->length <= WORKER_ANSWER_MAX) {
		head.length = (uint32_t)answer->length;
		return send_all(socket, &head, sizeof(head)) &&
		       send_all(socket, answer->data, answer->length);
	}
	/* An error without a kind must not look like success. */
	head.kind = err->kind == ERROR_NONE ? ERROR_OTHER : err->kind;
	if (answer)
		err = &too_long;
	if (err->no_space)
		head.kind |= NO_SPACE;
	head.length = (uint32_t)strlen(err->text);
	head.hint_length = (uint32_t)strlen(err->hint);
	return send_all(socket, &head, sizeof(head)) &&
	       send_all(socket, err->text, head.length) &&
	       send_all(socket, err->hint, head.hint_length);
}

/* Takes what is there. False: the other end is closed. */
static bool receive_some(int socket, struct buf *received)
{
	ssize_t got;

	do {
		got = recv(socket, buf_reserve(received, RECEIVE_SIZE),
			   RECEIVE_SIZE, MSG_DONTWAIT);
		if (got > 0)
			received->length += (size_t)got;
	} while ((got == RECEIVE_SIZE && received->length < FRAME_MAX) ||
		 (got < 0 && errno == EINTR));
	return got > 0 || (got < 0 && errno == EAGAIN);
}

static void take_failure(const struct answer_head *head, const char *bytes,
			 struct error *failure)
{
	uint32_t kind = head->kind & ~NO_SPACE;
	char *text CLEANUP(memory_release) =
		memory_string_n(bytes, head->length);
	char *hint CLEANUP(memory_release) =
		memory_string_n(bytes + head->length, head->hint_length);

	/* It becomes the exit code: none that is not in the manual. */
	if (kind == ERROR_NONE || kind > ERROR_LOCKED)
		kind = ERROR_ARCHIVE;
	error_set(failure, (enum error_kind)kind, "%s", text);
	failure->no_space = head->kind & NO_SPACE;
	if (*hint)
		error_hint(failure, "%s", hint);
}

enum worker_progress worker_frame_receive_answer(int socket,
						 struct buf *received,
						 struct buf *answer,
						 struct error *failure)
{
	bool open = receive_some(socket, received);
	struct answer_head head;
	size_t needed;

	if (received->length < sizeof(head))
		return open ? WORKER_GOING_ON : WORKER_LOST;
	memcpy(&head, received->data, sizeof(head));
	if (head.length > WORKER_ANSWER_MAX ||
	    head.hint_length > sizeof(failure->hint))
		return WORKER_LOST;
	needed = sizeof(head) + head.length + head.hint_length;
	if (received->length < needed)
		return open ? WORKER_GOING_ON : WORKER_LOST;
	if (received->length > needed)
		return WORKER_LOST; /* nobody asked for more */
	if (head.kind == ERROR_NONE)
		buf_append(answer, received->data + sizeof(head), head.length);
	else
		take_failure(&head, received->data + sizeof(head), failure);
	buf_clear(received);
	return WORKER_ANSWERED;
}
