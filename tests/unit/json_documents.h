/*
 * json_documents.h - documents that are JSON (RFC 8259) and that are not, by
 * class: the cases of our own for what public suites test.
 */
#ifndef TEST_JSON_DOCUMENTS_H
#define TEST_JSON_DOCUMENTS_H

#include <stddef.h>

struct json_text {
	const char *bytes;
	size_t length;
};

/* A literal may hold NULs. */
#define DOC(text)                      \
	{                              \
		text, sizeof(text) - 1 \
	}

static const struct json_text json_valid[] = {
	/* Values alone. */
	DOC("null"), DOC("true"), DOC("false"), DOC("0"), DOC("-0"), DOC("7"),
	DOC("-7"), DOC("\"\""), DOC("\"a\""), DOC("[]"), DOC("{}"),
	/* White space of all four kinds, everywhere. */
	DOC(" null"), DOC("null "), DOC("\tnull\t"), DOC("\nnull\n"),
	DOC("\r\nnull\r\n"), DOC(" [ ] "), DOC("[\n]"), DOC("{ }"), DOC("{\t}"),
	DOC(" [ 1 , 2 ] "), DOC("\r[\n1\t,\r\n2 ]"),
	DOC(" { \"a\" : 1 , \"b\" : 2 } "), DOC("{\n\"a\"\n:\n1\n}"),
	/* Numbers. */
	DOC("[0]"), DOC("[-0]"), DOC("[10]"), DOC("[100]"), DOC("[-10]"),
	DOC("[0.0]"), DOC("[-0.0]"), DOC("[0.5]"), DOC("[-0.5]"), DOC("[1.5]"),
	DOC("[0.05]"), DOC("[1.50]"), DOC("[1e1]"), DOC("[1E1]"), DOC("[1e+1]"),
	DOC("[1E+1]"), DOC("[1e-1]"), DOC("[1E-1]"), DOC("[0e0]"),
	DOC("[0E+0]"), DOC("[1e01]"), DOC("[1e00]"), DOC("[-1.25e-10]"),
	DOC("[1.0e1]"), DOC("[123456789012345678901234567890]"),
	DOC("[-123456789012345678901234567890]"),
	DOC("[0.1234567890123456789012345678901234567890123456789]"),
	DOC("[1e400]"), DOC("[-1e400]"), DOC("[1e-400]"),
	DOC("[9007199254740993]"), DOC("[1.7976931348623157e308]"),
	/* Strings. */
	DOC("[\"\\\"\"]"), DOC("[\"\\\\\"]"), DOC("[\"\\/\"]"), DOC("[\"/\"]"),
	DOC("[\"\\b\\f\\n\\r\\t\"]"), DOC("[\"\\u0041\"]"),
	DOC("[\"\\u00e9\"]"), DOC("[\"\\u00E9\"]"), DOC("[\"\\uabcd\\uABCD\"]"),
	DOC("[\"\\u0001\"]"), DOC("[\"\\u001f\"]"), DOC("[\"\\u0022\"]"),
	DOC("[\"\\u005c\"]"), DOC("[\"\\u007f\"]"), DOC("[\"\x7f\"]"),
	DOC("[\"\\u2028\\u2029\"]"), DOC("[\"\\\\u0000\"]"),
	DOC("[\"\\\\\\\\\"]"), DOC("[\"\\\\n\"]"), DOC("[\"\\ud83d\\ude00\"]"),
	DOC("[\"\\uD83D\\uDE00\"]"), DOC("[\"\\ud800\\udc00\"]"),
	DOC("[\"\\udbff\\udfff\"]"), DOC("[\"\\uffff\\ufffe\\ufdd0\"]"),
	DOC("[\"'\"]"), DOC("[\"// /* # \"]"), DOC("[\"{}[]:,\"]"),
	DOC("[\"true\"]"),
	/* UTF-8 of each length, at the edges. */
	DOC("[\"\xC2\x80\"]"), DOC("[\"\xDF\xBF\"]"), DOC("[\"\xE0\xA0\x80\"]"),
	DOC("[\"\xED\x9F\xBF\"]"), DOC("[\"\xEE\x80\x80\"]"),
	DOC("[\"\xEF\xBF\xBF\"]"), DOC("[\"\xEF\xBB\xBF\"]"),
	DOC("[\"\xE2\x80\xA8\xE2\x80\xA9\"]"), DOC("[\"\xF0\x90\x80\x80\"]"),
	DOC("[\"\xF4\x8F\xBF\xBF\"]"), DOC("[\"\xE2\x81\xA4\"]"),
	/* Structure. */
	DOC("[null,true,false,0,\"\",[],{}]"), DOC("[[[[[]]]]]"),
	DOC("[[],[[]]]"), DOC("[1,1,1]"), DOC("{\"\":0}"), DOC("{\"a\":{}}"),
	DOC("{\"a\":[{\"b\":[{}]}]}"), DOC("{\"a\":1,\"A\":1}"),
	DOC("{\"\\u0061b\":1}"), DOC("{\"\xC3\xA9\":\"\xC3\xA9\"}"),
	DOC("{\"a\":null,\"b\":-1e3,\"c\":\"d\"}")};

static const struct json_text json_invalid[] = {
	/* Nothing, or not a value. */
	DOC(""), DOC(" "), DOC("\n\t\r "), DOC("\0"), DOC(" \0"), DOC("a"),
	DOC("nul"), DOC("nulL"), DOC("nulll"), DOC("NULL"), DOC("Null"),
	DOC("tru"), DOC("truee"), DOC("True"), DOC("TRUE"), DOC("fals"),
	DOC("falsey"), DOC("False"), DOC("undefined"), DOC("nan"), DOC("NaN"),
	DOC("-NaN"), DOC("Infinity"), DOC("-Infinity"), DOC("+Infinity"),
	DOC("inf"), DOC("None"), DOC("yes"), DOC("on"), DOC("nil"), DOC("*"),
	DOC("<null>"), DOC("<.>"), DOC("#"), DOC("$"), DOC("@"), DOC("`a`"),
	DOC("\xC3\xA5"), DOC("\xC3\xA9"), DOC("\xEF\xBC\x91"),
	/* Numbers. */
	DOC("-"), DOC("+1"), DOC("++1"), DOC("--1"), DOC("- 1"), DOC("+"),
	DOC("01"), DOC("-01"), DOC("00"), DOC("-00"), DOC("007"), DOC("0x1"),
	DOC("0X1f"), DOC("0b1"), DOC("0o7"), DOC("1."), DOC("-1."), DOC("0."),
	DOC(".1"), DOC("-.1"), DOC("+.1"), DOC("."), DOC("1.."), DOC("1.2.3"),
	DOC("1..2"), DOC("1e"), DOC("1E"), DOC("1e+"), DOC("1e-"), DOC("1E+"),
	DOC("0e"), DOC("0E+"), DOC("1.0e"), DOC("1.0e-"), DOC("1.e1"),
	DOC("0.e1"), DOC("-1.e1"), DOC(".1e1"), DOC("1eE2"), DOC("1ee2"),
	DOC("1e2e3"), DOC("1e1.5"), DOC("1e+-1"), DOC("1e--1"), DOC("1e 1"),
	DOC("1 e1"), DOC("1 .5"), DOC("e1"), DOC("1_000"), DOC("1,000"),
	DOC("1 000"), DOC("1'000"), DOC("1f"), DOC("1.5f"), DOC("1n"),
	DOC("1L"), DOC("1a"), DOC("-a"), DOC("-1x"), DOC("1+1"), DOC("1-1"),
	DOC("-x1"),
	DOC("\xE2\x88\x92"
	    "1"),
	DOC("[1\xE5]"), DOC("[1e1\xE5]"), DOC("[1e\xE5]"), DOC("[0\xE5]"),
	DOC("[1,\xEF\xBC\x91]"), DOC("1/2"),
	/* Strings. */
	DOC("\""), DOC("\"\"\""), DOC("\"a"), DOC("a\""), DOC("'a'"),
	DOC("['a']"), DOC("[\"a']"), DOC("[\"a\" \"b\"]"), DOC("[\"a\"\"b\"]"),
	DOC("[a]"), DOC("[abc]"), DOC("\\n"), DOC("[\\n]"),
	DOC("[\\u0020\"a\"]"), DOC("[\"\\a\"]"), DOC("[\"\\v\"]"),
	DOC("[\"\\0\"]"), DOC("[\"\\'\"]"), DOC("[\"\\x41\"]"),
	DOC("[\"\\U0041\"]"), DOC("[\"\\N\"]"), DOC("[\"\\ \"]"),
	DOC("[\"\\\n\"]"), DOC("[\"\\\t\"]"), DOC("[\"\\\0\"]"), DOC("[\"\\"),
	DOC("[\"\\\"]"), DOC("[\"\\\\\\\"]"), DOC("[\"\\u\"]"),
	DOC("[\"\\u0\"]"), DOC("[\"\\u00\"]"), DOC("[\"\\u004\"]"),
	DOC("[\"\\u004"), DOC("[\"\\u00g1\"]"), DOC("[\"\\u 041\"]"),
	DOC("[\"\\u-041\"]"), DOC("[\"\\u+041\"]"), DOC("[\"\\u{41}\"]"),
	DOC("[\"\\u0x41\"]"), DOC("[\"\\ud83d\\u\"]"),
	DOC("[\"\\ud83d\\ude0\"]"), DOC("[\"\\ud83d\\\"]"),
	DOC("[\"\\ud83d\\x\"]"), DOC("[\"\\\xC3\xA9\"]"),
	DOC("[\"\\\xF0\x9F\x98\x80\"]"), DOC("[\"\\u\xC3\xA9\"]"),
	DOC("[\"a\nb\"]"), DOC("[\"a\rb\"]"), DOC("[\"a\tb\"]"),
	DOC("[\"a\0b\"]"), DOC("[\"\x01\"]"), DOC("[\"\x1b\"]"),
	DOC("[\"\x1f\"]"),
	DOC("[\xE2\x80\x9C"
	    "a\xE2\x80\x9D]"),
	DOC("[\"a\"b]"), DOC("[\"a\",b]"), DOC("\"a\" \"b\""), DOC("\"a\"x"),
	/* Bytes that are not UTF-8. */
	DOC("[\"\x80\"]"), DOC("[\"\xBF\"]"), DOC("[\"\xC0\x80\"]"),
	DOC("[\"\xC1\xBF\"]"), DOC("[\"\xC3\"]"), DOC("[\"\xC3(\"]"),
	DOC("[\"\xE0\x80\x80\"]"), DOC("[\"\xE0\x9F\xBF\"]"),
	DOC("[\"\xE2\x82\"]"), DOC("[\"\xED\xA0\x80\"]"),
	DOC("[\"\xED\xBF\xBF\"]"), DOC("[\"\xED\xA0\xBD\xED\xB8\x80\"]"),
	DOC("[\"\xF0\x80\x80\x80\"]"), DOC("[\"\xF0\x8F\xBF\xBF\"]"),
	DOC("[\"\xF0\x9F\x98\"]"), DOC("[\"\xF4\x90\x80\x80\"]"),
	DOC("[\"\xF5\x80\x80\x80\"]"), DOC("[\"\xF8\x88\x80\x80\x80\"]"),
	DOC("[\"\xFC\x83\xBF\xBF\xBF\xBF\"]"), DOC("[\"\xFE\"]"),
	DOC("[\"\xFF\"]"), DOC("[\"caf\xE9\"]"), DOC("[\xFF]"), DOC("\xE5"),
	DOC("{\"\xFF\":1}"), DOC("{\"a\xBF\":1}"), DOC("[\"\\u00e9\xE9\"]"),
	/* Other encodings, and marks. */
	DOC("\xEF\xBB\xBF"), DOC("\xEF\xBB"), DOC("\xEF"),
	DOC("\xEF\xBB\xBF\xEF\xBB\xBF{}"), DOC("{}\xEF\xBB\xBF"),
	DOC("[\xEF\xBB\xBF]"), DOC("\xFF\xFE[\0]\0"), DOC("\xFE\xFF\0[\0]"),
	DOC("[\0]\0"), DOC("\0[\0]"), DOC("[\0\0\0]\0\0\0"),
	DOC("\xFF\xFE\0\0[\0\0\0"), DOC("+AFsAXQ-"),
	/* Space that is none. */
	DOC("\v1"), DOC("\f1"), DOC("1\v"), DOC("[\f]"), DOC("[\v1]"),
	DOC("\b1"), DOC("1\0"), DOC("[1\0]"),
	DOC("[\0"
	    "1]"),
	DOC("\xC2\xA0"
	    "1"),
	DOC("\xC2\x85"
	    "1"),
	DOC("[\xE2\x80\x8B]"), DOC("[\xE2\x81\xA0]"), DOC("[\xE2\x80\xA8]"),
	DOC("[\xE3\x80\x80]"), DOC("[\xE1\x9A\x80]"), DOC("\x1a"),
	DOC("{}\x1a"), DOC("{}\x04"), DOC("\\u0020{}"),
	/* Arrays. */
	DOC("["), DOC("]"), DOC("[["), DOC("[]]"), DOC("]["), DOC("[]["),
	DOC("[][]"), DOC("[[]"), DOC("[,]"), DOC("[,1]"), DOC("[1,]"),
	DOC("[1,,]"), DOC("[1,,2]"), DOC("[,,]"), DOC("[\"\",]"),
	DOC("[\"\"],"), DOC(",[]"), DOC("[1 2]"), DOC("[1 true]"),
	DOC("[1true]"), DOC("[1[2]]"), DOC("[1{}]"), DOC("[1:2]"),
	DOC("[\"a\":1]"), DOC("[1;2]"), DOC("[1"), DOC("[1,"),
	DOC("[1,\n1\n,1"), DOC("[\"a"), DOC("[tru"), DOC("[nul]"), DOC("[tru]"),
	DOC("[fals]"), DOC("[-]"), DOC("[*]"), DOC("[1}"), DOC("[}"),
	DOC("[{]"), DOC("[{}"), DOC("[{\"a\":1]"), DOC("[...]"), DOC("[1,...]"),
	DOC("(1)"), DOC("[1)"), DOC("[1]x"), DOC("[1],1"), DOC("[1]1"),
	DOC("1]"), DOC("1,2"), DOC("1 2"), DOC("1,"), DOC(","), DOC("[x"),
	DOC("[\"x\", truth]"), DOC("[3[4]]"), DOC("[[1,2]"),
	/* Objects. */
	DOC("{"), DOC("}"), DOC("{{"), DOC("{{}}"), DOC("{}}"), DOC("{}{}"),
	DOC("{[]}"), DOC("{["), DOC("{]"), DOC("{,}"), DOC("{\"a\"}"),
	DOC("{\"a\":}"), DOC("{\"a\":"), DOC("{\"a\""), DOC("{\"a"),
	DOC("{\"a\":1"), DOC("{\"a\":1,"), DOC("{\"a\":1,}"),
	DOC("{\"a\":1,,}"), DOC("{\"a\":1,,\"b\":2}"), DOC("{,\"a\":1}"),
	DOC("{\"a\":1 \"b\":2}"), DOC("{\"a\":1;\"b\":2}"), DOC("{\"a\" 1}"),
	DOC("{\"a\"::1}"), DOC("{\"a\":1:2}"), DOC("{\"a\",1}"),
	DOC("{\"a\"=1}"), DOC("{\"a\"=>1}"), DOC("{:1}"), DOC("{a:1}"),
	DOC("{'a':1}"), DOC("{1:1}"), DOC("{null:1}"), DOC("{true:1}"),
	DOC("{[]:1}"), DOC("{{}:1}"), DOC("{-1e9:1}"), DOC("{\"a\":1]"),
	DOC("{\"a\":b}"), DOC("{\"a\":'b'}"), DOC("{\"a\":\"b}"),
	DOC("{\"a\":1}x"), DOC("{\"a\":1}#"), DOC("{\"a\":1},"),
	DOC("{\"a\":1}}"), DOC("{\"a\":1}{"), DOC("{\"a\":1}\"b\""),
	DOC("{\"a\":/"), DOC("{\"a\":\"b\" c}"), DOC("{\xF0\x9F\x98\x80}"),
	DOC("{\"a\":1,b}"), DOC("{\"a\":1,\"b\"}"), DOC("{\"a\":1,2}"),
	DOC("{\"a\", \"b\"}"), DOC("{...a}"), DOC("{\"a\":+1}"),
	/* Comments and other languages. */
	DOC("// a\n1"), DOC("1 // a"), DOC("/* a */ 1"), DOC("1 /* a */"),
	DOC("[1 /* a */]"), DOC("{/**/}"), DOC("{\"a\":1/"), DOC("/"),
	DOC("{\"a\":1}//"), DOC("{\"a\":1}/*"), DOC("{\"a\":1}/**/"),
	DOC("# a\n1"), DOC("1 # a"), DOC("; a"), DOC("-- a"), DOC("<!-- a -->"),
	DOC("a: 1"), DOC("- 1"), DOC("---\na: 1"), DOC("a = 1"),
	DOC("<!DOCTYPE html>"), DOC("<a/>"), DOC("new Date()"), DOC("f({})"),
	DOC("({})"), DOC("{}; "), DOC("var a = {}"), DOC("return {}"),
	DOC("{\"a\":function(){}}"), DOC("/a/"), DOC("[1]\n[2]"),
	DOC("{}\n{}\n"), DOC("\x1e{}"), DOC(")]}',\n{}")};

/* JSON by the grammar, and refused all the same: json.h says why. */
static const struct json_text json_not_ours[] = {
	DOC("[\"\\u0000\"]"),        DOC("{\"\\u0000\":1}"),
	DOC("[\"a\\u0000b\"]"),      DOC("[\"\\ud800\"]"),
	DOC("[\"\\udc00\"]"),        DOC("[\"\\ud83dx\"]"),
	DOC("[\"\\ud83d\\n\"]"),     DOC("[\"\\ud83d\\u0041\"]"),
	DOC("[\"\\ud83d\\ud83d\"]"), DOC("[\"\\ude00\\ud83d\"]"),
	DOC("{\"\\udfaa\":0}")};

/* And these, since a member is there twice. */
static const struct json_text json_twice[] = {
	DOC("{\"a\":1,\"a\":1}"), DOC("{\"a\":1,\"a\":2}"),
	DOC("{\"a\":1,\"\\u0061\":2}"), DOC("[{\"\":1,\"\":2}]"),
	DOC("{\"b\":{\"a\":1,\"c\":2,\"a\":3}}")};

#endif
