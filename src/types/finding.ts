/** Something in a file that a person wrote and that cannot be used as it is. It is reported, left out, and everything else goes on. */

export interface Finding {
  file: string
  /** Counted from 1. */
  line?: number
  /** What is wrong and what to do, on one line. */
  reason: string
}
