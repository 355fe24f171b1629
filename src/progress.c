#include "progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include "buf.h"
#include "log.h"

#define REDRAW_MS   100
#define BAR_WIDTH   20
#define LINES_MAX   8
#define WIDTH_USUAL 80

static struct {
	bool live;
	unsigned lines; /* drawn and still on the screen */
	int64_t started_ms;
	int64_t drawn_ms;
	struct buf frame;
} screen;

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void progress_bytes(char text[16], uint64_t bytes)
{
	static const char *const units[] = {"KB", "MB", "GB", "TB"};
	double value = (double)bytes / 1000;
	size_t unit = 0;

	if (bytes < 1000) {
		snprintf(text, 16, "%u B", (unsigned)bytes);
		return;
	}
	while (value >= 999.5 && unit + 1 < sizeof(units) / sizeof(*units)) {
		value /= 1000;
		unit++;
	}
	snprintf(text, 16, value < 99.95 ? "%.1f %s" : "%.0f %s", value,
		 units[unit]);
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
		return;
	}
	for (; screen.lines; screen.lines--)
		write_out("\x1b[A\x1b[2K", 7);
}

void progress_start(bool live)
{
	screen.live = live && isatty(STDERR_FILENO);
	screen.lines = 0;
	screen.started_ms = now_ms();
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

static void add_bar(struct buf *line, uint64_t received, uint64_t size)
{
	unsigned filled = received >= size
				  ? BAR_WIDTH
				  : (unsigned)(received * BAR_WIDTH / size);

	buf_byte(line, '[');
	for (unsigned i = 0; i < BAR_WIDTH; i++)
		buf_byte(line, i < filled ? '#' : '.');
	buf_printf(line, "] %3u%%  ",
		   (unsigned)(received >= size ? 100 : received * 100 / size));
}

static void add_line(const char *name, uint64_t received, uint64_t size,
		     int64_t elapsed_ms)
{
	struct buf line CLEANUP(buf_release) = BUF_INIT;
	uint64_t rate =
		elapsed_ms > 0 ? received * 1000 / (uint64_t)elapsed_ms : 0;
	char done[16], all[16], speed[16];
	size_t width = screen_width() - 1;

	progress_bytes(done, received);
	progress_bytes(all, size);
	progress_bytes(speed, rate);
	buf_printf(&line, "%-32.32s ", name);
	if (size)
		add_bar(&line, received, size);
	buf_printf(&line, "%s", done);
	if (size)
		buf_printf(&line, " of %s", all);
	buf_printf(&line, "  %s/s", speed);
	if (size > received && rate)
		buf_printf(&line, "  %llu s left",
			   (unsigned long long)((size - received) / rate + 1));
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
	int64_t now = now_ms();

	if (!screen.live || now - screen.drawn_ms < REDRAW_MS)
		return;
	draw(false);
	make_frame(items, count, now - screen.started_ms);
	draw(true);
	log_set_footer(draw);
	screen.drawn_ms = now;
}
