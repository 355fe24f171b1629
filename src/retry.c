#include "retry.h"

#include <stddef.h>

bool retry_status(long http_status)
{
	static const long may_pass[] = {408, 425, 429, 500, 502, 503, 504};

	for (size_t i = 0; i < ARRAY_SIZE(may_pass); i++) {
		if (may_pass[i] == http_status)
			return true;
	}
	return false;
}

int retry_pause_ms(unsigned next, uint32_t random, int64_t retry_after_ms)
{
	int64_t pause = RETRY_BASE_MS;

	for (unsigned i = 2; i < next && pause < RETRY_PAUSE_MAX_MS; i++)
		pause *= 2;
	if (pause > RETRY_PAUSE_MAX_MS)
		pause = RETRY_PAUSE_MAX_MS;
	/* Many machines that failed together must not come back together. */
	pause = pause / 2 + (int64_t)random * (pause - pause / 2) / UINT32_MAX;
	if (pause < retry_after_ms)
		pause = retry_after_ms;
	return pause > RETRY_PAUSE_MAX_MS ? RETRY_PAUSE_MAX_MS : (int)pause;
}

/* A run of exactly `digits` digits ("  7" counts as 7 in asctime's form). */
static bool take_number(const char **at, size_t digits, int *out)
{
	int value = 0;

	for (size_t i = 0; i < digits; i++) {
		char c = (*at)[i];

		if (c == ' ' && digits == 2 && i == 0)
			continue;
		if (c < '0' || c > '9')
			return false;
		value = value * 10 + (c - '0');
	}
	*at += digits;
	*out = value;
	return true;
}

static bool take_text(const char **at, const char *text)
{
	size_t length = strlen(text);

	if (strncmp(*at, text, length))
		return false;
	*at += length;
	return true;
}

static bool take_month(const char **at, int *month)
{
	static const char names[][4] = {"Jan", "Feb", "Mar", "Apr",
					"May", "Jun", "Jul", "Aug",
					"Sep", "Oct", "Nov", "Dec"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (take_text(at, names[i])) {
			*month = (int)i;
			return true;
		}
	}
	return false;
}

static bool take_time(const char **at, struct tm *date)
{
	return take_number(at, 2, &date->tm_hour) && take_text(at, ":") &&
	       take_number(at, 2, &date->tm_min) && take_text(at, ":") &&
	       take_number(at, 2, &date->tm_sec);
}

/* "06 Nov 1994 08:49:37 GMT", behind "Sun, " */
static bool take_fixdate(const char *at, struct tm *date)
{
	return take_number(&at, 2, &date->tm_mday) && take_text(&at, " ") &&
	       take_month(&at, &date->tm_mon) && take_text(&at, " ") &&
	       take_number(&at, 4, &date->tm_year) && take_text(&at, " ") &&
	       take_time(&at, date) && take_text(&at, " GMT") && !*at;
}

/* "06-Nov-94 08:49:37 GMT", behind "Sunday, "; two digits that would lie more
 * than 50 years ahead are of the last century (RFC 9110, 5.6.7). */
static bool take_rfc850(const char *at, struct tm *date, int this_year)
{
	if (!take_number(&at, 2, &date->tm_mday) || !take_text(&at, "-") ||
	    !take_month(&at, &date->tm_mon) || !take_text(&at, "-") ||
	    !take_number(&at, 2, &date->tm_year) || !take_text(&at, " ") ||
	    !take_time(&at, date) || !take_text(&at, " GMT") || *at)
		return false;
	date->tm_year += this_year - this_year % 100;
	if (date->tm_year > this_year + 50)
		date->tm_year -= 100;
	return true;
}

/* "Nov  6 08:49:37 1994", behind "Sun " */
static bool take_asctime(const char *at, struct tm *date)
{
	return take_month(&at, &date->tm_mon) && take_text(&at, " ") &&
	       take_number(&at, 2, &date->tm_mday) && take_text(&at, " ") &&
	       take_time(&at, date) && take_text(&at, " ") &&
	       take_number(&at, 4, &date->tm_year) && !*at;
}

static bool parse_date(const char *value, int64_t now, int64_t *seconds)
{
	struct tm date = {0};
	struct tm today = {0};
	time_t clock = (time_t)now;
	const char *comma = strchr(value, ',');
	const char *space = strchr(value, ' ');
	bool read;

	if (!gmtime_r(&clock, &today))
		return false;
	if (comma && comma - value == 3 && comma[1] == ' ')
		read = take_fixdate(comma + 2, &date);
	else if (comma && comma[1] == ' ')
		read = take_rfc850(comma + 2, &date, today.tm_year + 1900);
	else
		read = space && take_asctime(space + 1, &date);
	if (!read || date.tm_mday < 1 || date.tm_mday > 31 ||
	    date.tm_hour > 23 || date.tm_min > 59 || date.tm_sec > 60)
		return false;
	date.tm_year -= 1900;
	*seconds = (int64_t)timegm(&date);
	return true;
}

int64_t retry_after_ms(const char *value, int64_t now)
{
	int64_t seconds = 0;

	if (!*value)
		return -1;
	if (value[strspn(value, "0123456789")]) {
		if (!parse_date(value, now, &seconds) || seconds < now)
			return -1;
		return (seconds - now) * 1000;
	}
	/* More digits than any honest answer has: far away is all it says. */
	if (strlen(value) > 9)
		value = "999999999";
	for (; *value; value++)
		seconds = seconds * 10 + (*value - '0');
	return seconds * 1000;
}
