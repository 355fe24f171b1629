/*
 * hex.h - hexadecimal digits, of either case.
 */
#ifndef RNE_HEX_H
#define RNE_HEX_H

int hex_value(char digit); /* -1: it is none */

#endif
