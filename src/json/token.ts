/** The small alphabets of the reader's state: what may come next, which token is open, which part of a number was read. */

/** What may come next is a set of these bits. The empty set: the value is complete. */
export const VALUE = 1
export const KEY = 2
export const COLON = 4
export const COMMA = 8
export const CLOSE = 16
/** Beside COMMA and CLOSE: the value was a string. It allows nothing; it helps to say what went wrong. */
export const AFTER_STRING = 32

/** The token that is open, if any. */
export const NONE = 0
export const STRING = 1
export const ESCAPE = 2
export const NUMBER = 3
export const WORD = 4

/** The part of a number read last. From ZERO on the number may end there. */
export const MINUS = 1
export const POINT = 2
export const EXPONENT = 3
export const EXPONENT_SIGN = 4
export const ZERO = 5
export const DIGITS = 6
export const FRACTION = 7
export const EXPONENT_DIGITS = 8
