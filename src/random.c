#include "random.h"

#include <sys/random.h>
#include <time.h>
#include <unistd.h>

uint64_t random_bits(void)
{
	struct timespec now;
	uint64_t bits;

	if (getrandom(&bits, sizeof(bits), 0) == sizeof(bits))
		return bits;
	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec << 16 ^
	       (uint64_t)getpid();
}
