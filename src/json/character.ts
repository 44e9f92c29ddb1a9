/** What a single character means inside JSON's tokens. */
import { DIGITS, EXPONENT, EXPONENT_DIGITS, EXPONENT_SIGN, FRACTION, MINUS, POINT, ZERO } from "./token.ts"

export function isHighSurrogate(code: number): boolean {
  return (code & 0xfc00) === 0xd800
}

export function simpleEscape(code: number): string {
  switch (code) {
    case 0x6e:
      return "\n"
    case 0x22:
      return '"'
    case 0x5c:
      return "\\"
    case 0x74:
      return "\t"
    case 0x2f:
      return "/"
    case 0x72:
      return "\r"
    case 0x62:
      return "\b"
    case 0x66:
      return "\f"
    default:
      return ""
  }
}

/** -1 for anything else. */
export function hexDigit(code: number): number {
  if (isDigit(code)) return code - 0x30
  const letter = code | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}

/** The part that this character makes of a number whose last part was `part` (0: none yet); 0 when it cannot go on. */
export function numberPart(part: number, code: number): number {
  if (isDigit(code)) {
    if (part >= DIGITS) return part
    if (part === 0 || part === MINUS) return code === 0x30 ? ZERO : DIGITS
    if (part === POINT) return FRACTION
    return part === ZERO ? 0 : EXPONENT_DIGITS
  }
  if (code === 0x2e) return part === ZERO || part === DIGITS ? POINT : 0
  if (code === 0x65 || code === 0x45) return part >= ZERO && part !== EXPONENT_DIGITS ? EXPONENT : 0
  if (code === 0x2d && part === 0) return MINUS
  if (code === 0x2b || code === 0x2d) return part === EXPONENT ? EXPONENT_SIGN : 0
  return 0
}

export function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}
