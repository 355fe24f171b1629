#include "places.h"

#include "log.h"
#include "memory.h"
#include "place.h"

bool places_read(struct places *places, const struct environment *env,
		 struct error *err)
{
	if (!place_current(&places->current, err))
		return false;
	if (!env->init_cwd)
		return true;
	places->init_cwd = place_real(env->init_cwd);
	if (!places->init_cwd)
		log_verbose("INIT_CWD is %s, which is not there",
			    env->init_cwd);
	return true;
}

void places_release(struct places *places)
{
	memory_release(&places->current);
	memory_release(&places->init_cwd);
}

char *places_of_option(const struct places *places, const char *path)
{
	return place_absolute(places->current, path);
}

char *places_of_variable(const struct places *places, const char *path)
{
	return place_absolute(
		places->init_cwd ? places->init_cwd : places->current, path);
}
