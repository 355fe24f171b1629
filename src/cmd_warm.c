#include "cli.h"

#include "cache.h"
#include "install.h"
#include "log.h"
#include "progress.h"

static bool run(const struct options *options, const struct environment *env,
		struct error *err)
{
	struct request *request CLEANUP(request_free) = NULL;
	struct install_report report CLEANUP(install_report_release) =
		INSTALL_REPORT_INIT;
	char size[16];

	if (!request_make(&request, options, env, REQUEST_MANIFEST, err) ||
	    !install_warm(request, &report, err))
		return false;
	for (size_t i = 0; i < request->warnings.count; i++)
		log_warning("%s", request->warnings.items[i]);
	progress_bytes(size, report.supply.downloaded);
	log_info("the cache %s has all of %s %s that was asked for: %u "
		 "downloaded (%s), %u were there",
		 request->cache_path, request->manifest->product,
		 request->manifest->version, report.supply.fetched, size,
		 report.supply.from_cache);
	return true;
}

const struct command cmd_warm = {
	.name = "warm",
	.arguments = "",
	.summary = "fill the cache; needs no app and no package",
	.text = "Downloads and verifies the archives of the chosen targets and "
		"extras into the\ncache, so that a later install needs no "
		"network: for CI, and for machines that\nhave none.",
	.groups = CLI_COMMON | CLI_APP | CLI_CHOICE | CLI_NETWORK | CLI_CACHE |
		  CLI_RELEASE,
	.run = run,
};
