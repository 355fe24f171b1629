/*
 * A small manifest for tests, and copies of it with one thing changed.
 */
#ifndef RNE_TEST_MANIFEST_TEXT_H
#define RNE_TEST_MANIFEST_TEXT_H

#include <string.h>

#include "manifest.h"
#include "memory.h"

#define MANIFEST_HEX \
	"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

static const char manifest_sample[] =
	"{\"schema\":1,\"product\":\"demo\",\"version\":\"1.2.3\","
	"\"vocabulary\":\"lists\",\"baseUrls\":[\"https://h/r\"],"
	"\"targets\":{"
	"\"ios\":{\"platform\":\"ios\",\"destination\":\"ios\","
	"\"hosts\":[\"macos\"]},"
	"\"android-arm64-v8a\":{\"platform\":\"android\","
	"\"arch\":\"arm64-v8a\",\"destination\":\"android/libs\","
	"\"aliases\":[\"android-arm64\"],\"hosts\":[\"linux\",\"macos\"]},"
	"\"android-x86_64\":{\"platform\":\"android\",\"arch\":\"x86_64\","
	"\"destination\":\"android/libs\",\"aliases\":[\"android-x64\"],"
	"\"hosts\":[\"linux\",\"macos\"]}},"
	"\"extras\":{"
	"\"opencv\":{\"flag\":\"RNE_ENABLE_OPENCV\",\"key\":\"enableOpencv\","
	"\"list\":\"libs\",\"platforms\":[\"ios\",\"android\"],"
	"\"provided\":{\"ios\":\"a CocoaPod\"},\"olderNames\":[\"cv\"]},"
	"\"coreml\":{\"flag\":\"RNE_ENABLE_COREML\",\"key\":\"enableCoreml\","
	"\"list\":\"backends\",\"platforms\":[\"ios\"]}},"
	"\"features\":{\"ocr\":[\"opencv\",\"coreml\"],\"plain\":[]},"
	"\"artifacts\":["
	"{\"name\":\"headers\",\"archives\":[{\"file\":\"headers.tar.gz\","
	"\"format\":\"tar.gz\"}]},"
	"{\"name\":\"core-ios\",\"target\":\"ios\",\"unpackedSize\":12,"
	"\"files\":[{\"path\":\"a/b\",\"size\":12,\"sha256\":\"" MANIFEST_HEX
	"\"}],\"archives\":[{\"file\":\"core-ios.tar.gz\","
	"\"format\":\"tar.gz\",\"size\":34,\"sha256\":\"" MANIFEST_HEX
	"\"},{\"file\":\"core-ios.tar.zst\",\"format\":\"tar.zst\"}]},"
	"{\"name\":\"opencv-android-arm64-v8a\","
	"\"target\":\"android-arm64-v8a\",\"extra\":\"opencv\","
	"\"archives\":[{\"file\":\"opencv.zip\",\"format\":\"zip\"}]}]}";

/* `text` with the first `from` replaced; NULL: it is not in there. */
static inline char *replaced(const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);

	if (!at)
		return NULL;
	return memory_printf("%.*s%s%s", (int)(at - text), text, to,
			     at + strlen(from));
}

#endif
