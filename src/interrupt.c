#include "interrupt.h"

#include <signal.h>

static volatile sig_atomic_t arrived;

static void remember(int number)
{
	arrived = number;
}

void interrupt_install(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action = {.sa_handler = remember};

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		struct sigaction old;

		/* nohup(1) and shells without job control ignore some. */
		if (!sigaction(signals[i], NULL, &old) &&
		    old.sa_handler == SIG_IGN)
			continue;
		sigaction(signals[i], &action, NULL);
	}
	signal(SIGPIPE, SIG_IGN);
}

int interrupt_signal(void)
{
	return arrived;
}

bool interrupt_check(struct error *err)
{
	int number = arrived;

	if (!number)
		return true;
	error_set(err, ERROR_SIGNAL + (enum error_kind)number,
		  "interrupted by SIG%s", sigabbrev_np(number));
	return error_hint(err, "Run the command again to go on.");
}
