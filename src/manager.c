#include "manager.h"

#include "attributes.h"

/*
 * Most managers do not run a dependency's install script unless it was
 * approved, and do not run it again when package.json changes.
 */
static const struct {
	const char *agent; /* how npm_config_user_agent begins */
	const char *command;
} managers[] = {
	{"pnpm/",
	 "pnpm approve-builds && pnpm rebuild react-native-executorch"},
	{"yarn/1.", "yarn install --force"},
	{"yarn/", "yarn rebuild react-native-executorch"},
	{"bun/", "bun pm trust react-native-executorch"},
	{"npm/", "npm rebuild react-native-executorch"},
};

const char *manager_rebuild(const char *user_agent)
{
	for (size_t i = 0; user_agent && i < ARRAY_SIZE(managers); i++) {
		const char *agent = managers[i].agent;

		if (!strncmp(user_agent, agent, strlen(agent)))
			return managers[i].command;
	}
	return managers[ARRAY_SIZE(managers) - 1].command;
}
