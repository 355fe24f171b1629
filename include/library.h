/*
 * library.h - libcurl and libarchive, loaded at first need.
 *
 * With what they need themselves these are forty shared objects, and most runs
 * find nothing to do: loading them would take longer than all else. So where
 * RNE_LOAD_CURL and RNE_LOAD_ARCHIVE name the shared objects, the program is
 * not linked with them but opens them by dlopen(3); elsewhere (LINK_ALL=1,
 * macOS) they are linked, and loading them always succeeds.
 *
 * The members are the libraries' functions without their prefix:
 * libcurl.easy_init() is curl_easy_init().
 */
#ifndef RNE_LIBRARY_H
#define RNE_LIBRARY_H

#include <stdbool.h>

#include <archive.h>
#include <archive_entry.h>
#include <curl/curl.h>

#include "attributes.h"
#include "error.h"

/* clang-format off */
#define LIBRARY_CURL(function) \
	function(easy_cleanup) \
	function(easy_getinfo) \
	function(easy_init) \
	function(easy_setopt) \
	function(easy_strerror) \
	function(free) \
	function(global_cleanup) \
	function(global_init) \
	function(multi_add_handle) \
	function(multi_cleanup) \
	function(multi_info_read) \
	function(multi_init) \
	function(multi_perform) \
	function(multi_poll) \
	function(multi_remove_handle) \
	function(multi_setopt) \
	function(slist_append) \
	function(slist_free_all) \
	function(url) \
	function(url_cleanup) \
	function(url_get) \
	function(url_set) \
	function(url_strerror) \
	function(version_info)

#define LIBRARY_ARCHIVE(function) \
	function(clear_error) \
	function(entry_filetype) \
	function(entry_hardlink) \
	function(entry_size) \
	function(error_string) \
	function(read_data_block) \
	function(read_free) \
	function(read_header_position) \
	function(read_new) \
	function(read_next_header) \
	function(read_open1) \
	function(read_set_callback_data) \
	function(read_set_option) \
	function(read_set_read_callback) \
	function(read_set_seek_callback) \
	function(read_support_format_tar) \
	function(read_support_format_zip_seekable) \
	function(version_string)
/* clang-format on */

#define LIBRARY_CURL_MEMBER(name)    __typeof__(curl_##name) *name;
#define LIBRARY_ARCHIVE_MEMBER(name) __typeof__(archive_##name) *name;

struct libcurl {
	LIBRARY_CURL(LIBRARY_CURL_MEMBER)
};
struct libarchive {
	LIBRARY_ARCHIVE(LIBRARY_ARCHIVE_MEMBER)
};

extern struct libcurl libcurl;
extern struct libarchive libarchive;

/*
 * To be called before anything else of the library; again is no harm. OTHER
 * where it is not installed, or too old; the message names it.
 */
bool library_load_curl(struct error *err) NODISCARD;
bool library_load_archive(struct error *err) NODISCARD;

/* For CLEANUP, of what libcurl gave away; NULL is no harm. */
void library_release_text(char **text);
void library_release_url(CURLU **url);

#endif
