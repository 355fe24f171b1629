/*
 * layout.h - where things lie, seen from the package that is filled.
 *
 *	rne-build-config.json
 *	third-party/                    what artifacts install, and other hands
 *	third-party/.rne-libs/          ours:
 *		lock                    one install at a time
 *		receipt.json            what is installed
 *		journal.json            a commit that has to be finished
 *		receipt.next.json       the receipt of that commit
 *		staging/                unpacked, not yet in place
 *		replaced/               what was in the way, kept
 *		cache/                  a cache when there is no other place
 */
#ifndef RNE_LAYOUT_H
#define RNE_LAYOUT_H

#define LAYOUT_CONFIG       "rne-build-config.json"
#define LAYOUT_CONFIG_NEXT  "rne-build-config.json.next"
#define LAYOUT_THIRD_PARTY  "third-party"
#define LAYOUT_STATE        ".rne-libs" /* below third-party/, as the rest */
#define LAYOUT_LOCK         LAYOUT_STATE "/lock"
#define LAYOUT_RECEIPT      LAYOUT_STATE "/receipt.json"
#define LAYOUT_RECEIPT_NEXT LAYOUT_STATE "/receipt.next.json"
#define LAYOUT_JOURNAL      LAYOUT_STATE "/journal.json"
#define LAYOUT_STAGING      LAYOUT_STATE "/staging"
#define LAYOUT_REPLACED     LAYOUT_STATE "/replaced"
#define LAYOUT_CACHE        LAYOUT_STATE "/cache"

#endif
