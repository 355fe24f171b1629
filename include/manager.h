/*
 * manager.h - the package manager that started us, by npm_config_user_agent,
 * and what its users type to have the hook run.
 */
#ifndef RNE_MANAGER_H
#define RNE_MANAGER_H

/*
 * A command line that lets the package's install script run, and runs it.
 * Without a known manager: npm's.
 */
const char *manager_rebuild(const char *user_agent);

#endif
