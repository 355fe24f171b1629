/*
 * attributes.h - the compiler's help that the whole program uses.
 */
#ifndef RNE_ATTRIBUTES_H
#define RNE_ATTRIBUTES_H

/* The caller must look at the result. */
#define NODISCARD __attribute__((warn_unused_result))

/* printf-like: `format` and `first` are the positions of its arguments. */
#define PRINTF(format_at, first) \
	__attribute__((format(printf, format_at, first)))

/* Runs `function(&variable)` when the variable goes out of scope. */
#define CLEANUP(function) __attribute__((cleanup(function)))

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

#endif
