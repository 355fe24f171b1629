#include "progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include "buf.h"
#include "clock.h"
#include "log.h"

#define REDRAW_MS   100
#define NAME_WIDTH  28
#define BAR_WIDTH   10 /* twice that on a wide screen */
#define WIDE        92
#define LINES_MAX   8
#define WIDTH_USUAL 80

static struct {
	bool live;
	unsigned lines; /* of the frame */
	unsigned drawn; /* of them, on the screen now */
	int64_t started_ms;
	int64_t drawn_ms;
	struct buf frame;
} screen;

/* The unit that makes `bytes` a number of at most three digits. */
static const char *choose_unit(uint64_t bytes, double *divisor)
{
	static const char *const units[] = {"B", "KB", "MB", "GB", "TB"};
	size_t unit = 0;

	*divisor = 1;
	while ((double)bytes / *divisor >= 999.5 &&
	       unit + 1 < ARRAY_SIZE(units)) {
		*divisor *= 1000;
		unit++;
	}
	return units[unit];
}

/* Digits behind the point: none for bytes, and none of four. */
static int choose_digits(uint64_t bytes, double divisor)
{
	return divisor > 1 && (double)bytes / divisor < 99.95;
}

void progress_bytes(char text[16], uint64_t bytes)
{
	double divisor;
	const char *unit = choose_unit(bytes, &divisor);

	snprintf(text, 16, "%.*f %s", choose_digits(bytes, divisor),
		 (double)bytes / divisor, unit);
}

static void write_out(const char *text, size_t length)
{
	if (fwrite(text, 1, length, stderr) != length || fflush(stderr))
		clearerr(stderr); /* a progress line that nobody can see */
}

/* Takes our lines off the screen, or puts the last ones back (log.h). */
static void draw(bool show)
{
	if (show) {
		write_out(screen.frame.data, screen.frame.length);
		screen.drawn = screen.lines;
		return;
	}
	for (; screen.drawn; screen.drawn--)
		write_out("\x1b[A\x1b[2K", 7);
}

void progress_start(bool live)
{
	screen.live = live && isatty(STDERR_FILENO);
	screen.lines = screen.drawn = 0;
	screen.started_ms = clock_ms();
	screen.drawn_ms = 0;
	screen.frame = (struct buf)BUF_INIT;
}

void progress_end(void)
{
	if (screen.live)
		draw(false);
	log_set_footer(NULL);
	buf_release(&screen.frame);
	screen.live = false;
}

static unsigned screen_width(void)
{
	struct winsize size;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || !size.ws_col)
		return WIDTH_USUAL;
	return size.ws_col;
}

static void add_bar(struct buf *line, unsigned width, uint64_t received,
		    uint64_t size)
{
	uint64_t done = received < size ? received : size;

	buf_byte(line, '[');
	for (unsigned i = 0; i < width; i++)
		buf_byte(line, i < done * width / size ? '#' : '.');
	buf_printf(line, "]%4u%% ", (unsigned)(done * 100 / size));
}

/* "2.4/4.7 MB", or "2.4 MB" when nobody knows how much there is. */
static void add_amount(struct buf *line, uint64_t received, uint64_t size)
{
	double divisor;
	const char *unit = choose_unit(size ? size : received, &divisor);
	int digits = choose_digits(size ? size : received, divisor);

	buf_printf(line, "%.*f", digits, (double)received / divisor);
	if (size)
		buf_printf(line, "/%.*f", digits, (double)size / divisor);
	buf_printf(line, " %s", unit);
}

static void add_time_left(struct buf *line, uint64_t seconds)
{
	if (seconds < 100)
		buf_printf(line, "  %us left", (unsigned)seconds);
	else
		buf_printf(line, "  %um left", (unsigned)(seconds / 60));
}

/* All of it has room in 80 columns. */
static void add_line(const char *name, uint64_t received, uint64_t size,
		     int64_t elapsed_ms)
{
	struct buf line CLEANUP(buf_release) = BUF_INIT;
	uint64_t rate =
		elapsed_ms > 0 ? received * 1000 / (uint64_t)elapsed_ms : 0;
	size_t width = screen_width() - 1;
	char speed[16];

	buf_printf(&line, "%-*.*s ", NAME_WIDTH, NAME_WIDTH, name);
	if (size)
		add_bar(&line, width < WIDE ? BAR_WIDTH : 2 * BAR_WIDTH,
			received, size);
	add_amount(&line, received, size);
	progress_bytes(speed, rate);
	buf_printf(&line, "  %s/s", speed);
	if (size > received && rate)
		add_time_left(&line, (size - received) / rate + 1);
	buf_append(&screen.frame, line.data,
		   line.length < width ? line.length : width);
	buf_byte(&screen.frame, '\n');
}

static void make_frame(const struct progress_item *items, size_t count,
		       int64_t elapsed_ms)
{
	uint64_t received = 0, size = 0;
	bool all_known = true;
	size_t shown = 0;

	buf_clear(&screen.frame);
	for (size_t i = 0; i < count; i++) {
		if (!items[i].running && !items[i].ended)
			continue;
		received += items[i].received;
		size += items[i].size;
		all_known = all_known && items[i].size;
		if (!items[i].running || shown == LINES_MAX)
			continue;
		add_line(items[i].name, items[i].received, items[i].size,
			 elapsed_ms);
		shown++;
	}
	if (shown > 1)
		add_line("total", received, all_known ? size : 0, elapsed_ms);
	screen.lines = (unsigned)(shown > 1 ? shown + 1 : shown);
}

void progress_show(const struct progress_item *items, size_t count)
{
	int64_t now = clock_ms();

	if (!screen.live || now - screen.drawn_ms < REDRAW_MS)
		return;
	draw(false);
	make_frame(items, count, now - screen.started_ms);
	draw(true);
	log_set_footer(draw);
	screen.drawn_ms = now;
}
