/** Facts about the machine that stay the same for the whole task. */
import type { Section } from "../system.ts"

export const systemInfo: Section = ({ workspace, platform, shell, sandbox }) => `# System
Operating system: ${platform}. Shell for commands: ${shell}. Workspace: ${workspace}${sandbox ? `\n${sandbox}` : ""}`
