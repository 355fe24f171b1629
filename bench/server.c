/*
 * server.c - a loopback HTTP/1.1 server that is slow only on purpose.
 *
 *	server FOLDER [rate=BYTES] [latency=MS]
 *
 * Serves the files of FOLDER (no folders below it) with Range, ETag and
 * connections that stay open, by sendfile(2), on one thread. Prints the port
 * and runs until standard input closes, so it never outlives who started it;
 * then prints the number of requests.
 *
 * rate= is in bytes a second on each connection, latency= in milliseconds a
 * round trip; pace.h says what they do.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pace.h"

#define CONNECTIONS_MAX 512
#define REQUEST_MAX     16384
#define NS_A_SECOND     1000000000LL

struct connection {
	int socket; /* -1: free */
	int file;   /* -1: no answer is under way */
	char request[REQUEST_MAX + 1];
	size_t request_length;
	char head[512];
	size_t head_length, head_sent;
	off_t at, end; /* of the file */
	struct pace pace;
	int64_t wake; /* not before; 0: when the socket says so */
};

static struct connection connections[CONNECTIONS_MAX];
static int folder = -1, epoll = -1;
static struct line line;
static unsigned long requests;

_Noreturn static void die(const char *what)
{
	fprintf(stderr, "server: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NS_A_SECOND + now.tv_nsec;
}

static void hang_up(struct connection *connection)
{
	if (connection->file >= 0)
		close(connection->file);
	close(connection->socket);
	connection->socket = connection->file = -1;
}

static void welcome(int listener)
{
	int socket, yes = 1;

	while ((socket = accept4(listener, NULL, NULL,
				 SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
		struct connection *connection = connections;
		struct epoll_event event = {.events = EPOLLIN | EPOLLOUT |
						      EPOLLET};

		while (connection->socket >= 0)
			if (++connection == connections + CONNECTIONS_MAX)
				die("too many connections");
		setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
		connection->socket = socket;
		connection->file = -1;
		connection->request_length = 0;
		connection->wake = 0;
		pace_accept(&connection->pace, now_ns());
		event.data.ptr = connection;
		if (epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &event))
			die("epoll");
	}
}

/* "bytes=FROM-" and "bytes=FROM-TO"; all else gets the whole file. */
static bool read_range(const char *request, off_t size, off_t *from, off_t *end)
{
	const char *range = strcasestr(request, "\r\nrange: bytes=");
	char *rest;

	*from = 0;
	*end = size;
	if (!range || range[15] < '0' || range[15] > '9')
		return false;
	*from = strtoll(range + 15, &rest, 10);
	if (*rest == '-' && rest[1] >= '0' && rest[1] <= '9')
		*end = strtoll(rest + 1, NULL, 10) + 1;
	if (*from < *end && *end <= size)
		return true;
	*from = 0;
	*end = size;
	return false;
}

static void write_head(struct connection *connection, const struct stat *st,
		       bool ranged)
{
	long long from = connection->at, end = connection->end;
	char range[128] = "";
	int length;

	if (ranged)
		snprintf(range, sizeof(range),
			 "Content-Range: bytes %lld-%lld/%lld\r\n", from,
			 end - 1, (long long)st->st_size);
	length = snprintf(connection->head, sizeof(connection->head),
			  "HTTP/1.1 %s\r\nContent-Length: %lld\r\n%s"
			  "ETag: \"%llx-%llx\"\r\nAccept-Ranges: bytes\r\n"
			  "Content-Type: application/octet-stream\r\n\r\n",
			  ranged ? "206 Partial Content" : "200 OK", end - from,
			  range, (unsigned long long)st->st_ino,
			  (unsigned long long)st->st_size);
	connection->head_length = (size_t)length;
	connection->head_sent = 0;
}

/* Answers that have no bytes of a file. */
static void write_refusal(struct connection *connection, const char *status)
{
	connection->at = connection->end = 0;
	connection->head_length = (size_t)snprintf(
		connection->head, sizeof(connection->head),
		"HTTP/1.1 %s\r\nContent-Length: 0\r\n\r\n", status);
	connection->head_sent = 0;
	connection->file = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static void open_answer(struct connection *connection)
{
	char method[8], name[512];
	struct stat st;
	bool ranged;

	requests++;
	connection->wake = pace_begin(&connection->pace, &line, now_ns());
	if (sscanf(connection->request, "%7s /%511s", method, name) != 2 ||
	    strchr(name, '/')) {
		write_refusal(connection, "400 Bad Request");
		return;
	}
	connection->file = openat(folder, name, O_RDONLY | O_CLOEXEC);
	if (connection->file < 0 || fstat(connection->file, &st)) {
		write_refusal(connection, "404 Not Found");
		return;
	}
	ranged = read_range(connection->request, st.st_size, &connection->at,
			    &connection->end);
	write_head(connection, &st, ranged);
	if (!strcmp(method, "HEAD"))
		connection->at = connection->end;
}

/* True: there is a request whole, and its answer is open now. */
static bool read_request(struct connection *connection)
{
	char *end;

	for (;;) {
		ssize_t got =
			recv(connection->socket,
			     connection->request + connection->request_length,
			     REQUEST_MAX - connection->request_length, 0);

		if (!got || (got < 0 && errno != EAGAIN)) {
			hang_up(connection);
			return false;
		}
		if (got < 0)
			break;
		connection->request_length += (size_t)got;
	}
	connection->request[connection->request_length] = '\0';
	end = strstr(connection->request, "\r\n\r\n");
	if (!end)
		return false;
	end[2] = '\0';
	open_answer(connection);
	end += 4;
	connection->request_length -= (size_t)(end - connection->request);
	memmove(connection->request, end, connection->request_length);
	return true;
}

/* False: the socket or the clock has to be waited for. */
static bool send_part(struct connection *connection)
{
	int64_t now = now_ns();
	ssize_t went;
	size_t may;

	if (now < connection->wake)
		return false;
	connection->wake = 0;
	while (connection->head_sent < connection->head_length) {
		bool more = connection->at < connection->end;

		went = send(connection->socket,
			    connection->head + connection->head_sent,
			    connection->head_length - connection->head_sent,
			    MSG_NOSIGNAL | (more ? MSG_MORE : 0));
		if (went < 0)
			return false;
		connection->head_sent += (size_t)went;
	}
	if (connection->at == connection->end) {
		close(connection->file);
		connection->file = -1;
		return true;
	}
	may = pace_allow(&connection->pace, &line,
			 (uint64_t)(connection->end - connection->at), now,
			 &connection->wake);
	if (!may)
		return false;
	went = sendfile(connection->socket, connection->file, &connection->at,
			may);
	if (went <= 0) {
		if (errno != EAGAIN)
			hang_up(connection);
		return false;
	}
	pace_sent(&connection->pace, (uint64_t)went);
	return true;
}

static void serve(struct connection *connection)
{
	while (connection->socket >= 0) {
		if (connection->file < 0 && !read_request(connection))
			return;
		while (connection->file >= 0)
			if (!send_part(connection))
				return;
	}
}

/* How long until a connection may go on; NULL: none waits for the clock. */
static struct timespec *next_wake(struct timespec *pause)
{
	int64_t first = INT64_MAX, now = now_ns();

	for (size_t i = 0; i < CONNECTIONS_MAX; i++) {
		struct connection *connection = &connections[i];

		if (connection->socket >= 0 && connection->file >= 0 &&
		    connection->wake && connection->wake < first)
			first = connection->wake;
	}
	if (first == INT64_MAX)
		return NULL;
	first = first > now ? first - now : 0;
	*pause = (struct timespec){first / NS_A_SECOND, first % NS_A_SECOND};
	return pause;
}

static void wake_up(void)
{
	int64_t now = now_ns();

	for (size_t i = 0; i < CONNECTIONS_MAX; i++) {
		struct connection *connection = &connections[i];

		if (connection->socket >= 0 && connection->file >= 0 &&
		    connection->wake && connection->wake <= now)
			serve(connection);
	}
}

static int start(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t length = sizeof(address);
	struct epoll_event event = {.events = EPOLLIN};
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

	for (size_t i = 0; i < CONNECTIONS_MAX; i++)
		connections[i].socket = -1;
	epoll = epoll_create1(EPOLL_CLOEXEC);
	if (listener < 0 || epoll < 0 ||
	    bind(listener, (struct sockaddr *)&address, length) ||
	    listen(listener, CONNECTIONS_MAX) ||
	    getsockname(listener, (struct sockaddr *)&address, &length) ||
	    epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event))
		die("cannot listen");
	event.data.ptr = &folder; /* not a connection: standard input */
	if (epoll_ctl(epoll, EPOLL_CTL_ADD, STDIN_FILENO, &event))
		die("standard input is no pipe");
	printf("%d\n", ntohs(address.sin_port));
	fflush(stdout);
	return listener;
}

static void run(int listener)
{
	for (;;) {
		struct epoll_event events[64];
		struct timespec pause;
		int count = epoll_pwait2(epoll, events, 64, next_wake(&pause),
					 NULL);

		for (int i = 0; i < count; i++) {
			if (events[i].data.ptr == &folder)
				return;
			if (!events[i].data.ptr)
				welcome(listener);
			else if (((struct connection *)events[i].data.ptr)
					 ->socket >= 0)
				serve(events[i].data.ptr);
		}
		wake_up();
	}
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		fputs("usage: server FOLDER [rate=BYTES] [latency=MS]\n",
		      stderr);
		return 2;
	}
	folder = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0)
		die(argv[1]);
	for (int i = 2; i < argc; i++) {
		if (!strncmp(argv[i], "rate=", 5))
			line.rate = strtoull(argv[i] + 5, NULL, 10);
		else if (!strncmp(argv[i], "latency=", 8))
			line.latency = strtoll(argv[i] + 8, NULL, 10) * 1000000;
	}
	signal(SIGPIPE, SIG_IGN); /* of sendfile */
	run(start());
	printf("%lu\n", requests);
	return 0;
}
