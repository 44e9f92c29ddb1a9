/** Who the model is in this mode. */
import type { Section } from "../system.ts"

export const role: Section = ({ mode }) => mode.role
