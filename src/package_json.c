#include "package_json.h"

#include "config_file.h"
#include "json_fields.h"

static bool refuse_twice(const struct json *root, const char *product,
			 struct error *err)
{
	const char *const keys[] = {
		product,   "name",       "version", "nativeLibsVersion",
		"rneLibs", "workspaces",
	};

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		size_t count = 0;

		json_for_each (member, root)
			count += !strcmp(member.key, keys[i]);
		if (count > 1)
			return json_fail(root, err,
					 "the member \"%s\" is there twice",
					 keys[i]);
	}
	return true;
}

/* "npm:<product>@^0.9.0": the product under another name. */
static bool is_alias(const struct json *member, const char *product)
{
	struct error ignored = ERROR_INIT;
	size_t length = strlen(product);
	const char *text;

	if (!json_string(member, &text, &ignored) || strncmp(text, "npm:", 4) ||
	    strncmp(text + 4, product, length))
		return false;
	return !text[4 + length] || text[4 + length] == '@';
}

static bool names_product(const struct json *root, const char *kind,
			  const char *product)
{
	struct json dependencies = json_member(root, kind);

	/* Whether the rest of it makes sense is for the manager to say. */
	if (!json_is_object(&dependencies))
		return false;
	json_for_each (member, &dependencies) {
		if (!strcmp(member.key, product) || is_alias(&member, product))
			return true;
	}
	return false;
}

static void read_dependencies(struct package_json *facts,
			      const struct json *root, const char *product)
{
	static const char *const kinds[] = {
		"dependencies",
		"devDependencies",
		"optionalDependencies",
	};

	facts->is_peer = names_product(root, "peerDependencies", product);
	facts->depends = facts->is_peer;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		facts->depends |= names_product(root, kinds[i], product);
}

/* An array, or an object whose `packages` is one (yarn 1 with nohoist). */
static bool read_workspaces(struct package_json *facts, const struct json *root,
			    struct error *err)
{
	struct json workspaces = json_member(root, "workspaces");
	struct json packages;

	if (!workspaces.node || json_is_null(&workspaces))
		return true;
	if (!json_is_object(&workspaces))
		return json_strings(&workspaces, &facts->workspaces, err);
	packages = json_member(&workspaces, "packages");
	return !packages.node ||
	       json_strings(&packages, &facts->workspaces, err);
}

static bool read_public_key(struct package_json *facts, const struct json *root,
			    struct error *err)
{
	struct json ours = json_member(root, "rneLibs");

	return !ours.node ||
	       (json_object(&ours, err) &&
		json_maybe_string(&ours, "publicKey", &facts->public_key, err));
}

static bool read_root(struct package_json *facts, const struct json *root,
		      const char *product, struct error *err)
{
	struct json block;

	if (!json_object(root, err) || !refuse_twice(root, product, err) ||
	    !json_maybe_string(root, "name", &facts->name, err) ||
	    !json_maybe_string(root, "version", &facts->version, err) ||
	    !json_maybe_string(root, "nativeLibsVersion", &facts->libs_version,
			       err) ||
	    !read_public_key(facts, root, err) ||
	    !read_workspaces(facts, root, err))
		return false;
	block = json_member(root, product);
	facts->has_block = block.node != NULL;
	read_dependencies(facts, root, product);
	return true;
}

bool package_json_read(struct package_json *facts, const char *file,
		       const char *product, struct error *err)
{
	struct json_document document CLEANUP(json_document_release) =
		JSON_DOCUMENT_INIT;
	struct buf text CLEANUP(buf_release) = BUF_INIT;
	struct json root;

	facts->mentions = true; /* for all we know */
	if (!config_file_read(file, PACKAGE_JSON_BYTES_MAX, &text,
			      &facts->found, err))
		return false;
	facts->mentions = memmem(text.data, text.length, product,
				 strlen(product)) != NULL;
	if (!facts->found)
		return true;
	if (!json_parse(&document, file, text.data, text.length,
			PACKAGE_JSON_RULES, err))
		return false;
	root = json_root(&document);
	return read_root(facts, &root, product, err);
}

void package_json_release(struct package_json *facts)
{
	free(facts->name);
	free(facts->version);
	free(facts->libs_version);
	free(facts->public_key);
	list_release(&facts->workspaces);
	*facts = (struct package_json)PACKAGE_JSON_INIT;
}
